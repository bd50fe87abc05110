//! Opens the files that a document names, and checks every size before anything runs.
//!
//! Large files of raw bytes, and large arrays, are not read here. Those that shaders only read are mapped: they cost no
//! memory, and must not be truncated while the document runs.
//!
//! | file | what |
//! |---|---|
//! | `folder.rs` | the files that a document may name |
//! | `declared.rs` | declarations of shaders, which complete the document |
//! | `variables.rs` | values of constant buffers by the names of their variables |
//! | `buffers.rs` | the same for programs that have no document, and types of numbers in buffers |
//! | `constants.rs` | constants of Direct3D 9 by their names |
//! | `mesh.rs` | meshes become buffers |
//! | `load.rs` | the initial content of each resource |
//! | `queries.rs` | queries, and the steps that depend on them |
//! | `expected.rs` | the expected content for each expectation |

pub(crate) mod buffers;
mod constants;
pub(crate) mod declared;
pub(crate) mod expected;
pub(crate) mod folder;
pub(crate) mod load;
mod mesh;
mod queries;
mod variables;

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;

use brolga_bytecode::sm3::is_program;
use brolga_fenv::in_default_mode;
use brolga_files::Bytes;
use brolga_runtime::{CancelToken, Error, Limits, Module, Register, StageKind};

use crate::Document;
use crate::error::{DocumentError, Fault, Problem, nearest};
use crate::language::{self, Source, TextShader, WgslOptions, is_wgsl};
use crate::model::expectation::Subject;
use crate::model::resource::Kind;
use crate::model::step::{Bind, DocumentStep, What};
use crate::model::{Items, Model, find};
use declared::ShaderDeclarations;
use expected::Check;
use folder::Folder;
use load::{Loaded, Loader};

/// The variants of each shader.
pub(crate) type Shaders = Items<Vec<ShaderVariant>>;

/// A variant of a shader: a file's name, and its content or the bytecode compiled from it.
#[derive(Clone, Debug)]
pub(crate) struct ShaderVariant {
    pub path: PathBuf,
    pub bytes: Vec<u8>,
    /// What was read, if the content is WGSL.
    pub text: Option<Arc<TextShader>>,
}

impl ShaderVariant {
    /// The shader as a module.
    pub fn module(&self, limits: &Limits) -> Result<Module, Error> {
        match &self.text {
            Some(text) => Ok(text.module.clone()),
            None => Module::load(&self.bytes, limits),
        }
    }
}

/// A document whose files exist and match.
#[derive(Debug)]
pub struct Prepared {
    pub(crate) document: Document,
    pub(crate) shaders: Shaders,
    /// By the names of resources.
    pub(crate) loaded: Items<Loaded>,
    /// In the order of the document's expectations.
    pub(crate) checks: Vec<Check>,
    /// The resources that steps may write.
    pub(crate) written: BTreeSet<String>,
    /// The files that it consists of or reads, and their descriptions in messages.
    pub(crate) inputs: Vec<(&'static str, PathBuf)>,
    /// Probable mistakes.
    pub(crate) warnings: Vec<DocumentError>,
}

impl Document {
    /// Opens the document's files. Nothing larger than the limits is read, and all resources and expected results
    /// together, except mapped files, take no more than the limit for one buffer.
    ///
    /// # Errors
    /// If a file cannot be read or does not match, or something that the document leaves out is given nowhere else.
    pub fn prepare(self, limits: &Limits) -> Result<Prepared, DocumentError> {
        self.prepare_until(limits, &CancelToken::new())
    }

    /// The same, unless the token is cancelled before the end.
    ///
    /// # Errors
    /// As there, or [`Problem::Stopped`].
    pub fn prepare_until(mut self, limits: &Limits, cancel: &CancelToken) -> Result<Prepared, DocumentError> {
        in_default_mode(|| {
            let mut model = std::mem::take(&mut self.model);
            match open(&mut model, &mut self, limits, cancel) {
                Ok(mut prepared) => {
                    self.model = model;
                    prepared.document = self;
                    Ok(prepared)
                }
                Err(fault) => Err(self.error(fault)),
            }
        })
    }
}

fn open(model: &mut Model, document: &mut Document, limits: &Limits, cancel: &CancelToken) -> Result<Prepared, Fault> {
    let folder = Folder::of(&document.path, cancel);
    let shaders = shaders(model, document, &folder, limits)?;
    mesh::expand(model, &folder, limits.buffer_bytes)?;
    constants::expand(model, &shaders, limits)?;
    name_registers(model, &shaders, limits)?;
    check_names(model)?;
    let queries = queries::queries(model)?;
    let written: BTreeSet<String> = model.all_steps().flat_map(|step| step.written()).map(str::to_owned).collect();
    let mut resources = std::mem::take(&mut model.resources);
    let mut saves = std::mem::take(&mut model.saves);
    let mut expectations = std::mem::take(&mut model.expectations);
    let declared = ShaderDeclarations::new(model, &shaders, limits);
    let most = limits.buffer_bytes;
    let (mut left, mut loaded, mut kinds, mut warnings) = (most, Items::new(), BTreeMap::new(), Vec::new());
    let saved: BTreeMap<String, usize> =
        saves.iter().enumerate().rev().map(|(n, save)| (save.resource.value.clone(), n)).collect();
    for (name, resource) in &mut resources {
        let kind = declared.complete(name, resource)?;
        if let Some(&n) = saved.get(name) {
            declared.complete_save(name, &mut saves[n], &kind);
        }
        kinds.insert(name.clone(), kind);
    }
    let loader = |name: &str, left: u64| {
        let is_written = written.contains(name);
        let save = saved.get(name).map(|&n| &saves[n]);
        let needs_content = model.is_short && !is_written;
        let (resource, kind) = (&resources[name], kinds[name]);
        Loader { folder: &folder, resource, kind, save, is_written, needs_content, most, left }
    };
    for (name, resource) in &resources {
        let mut found = loader(name, left).load()?;
        found.number_type = declared.number_type(name, &kinds[name]);
        left -= found.content.memory_bytes();
        if (model.is_short || !resource.variables.is_empty()) && found.kind == Kind::Plain("constant") {
            let doubt = declared.warning(name, resource, &found.content);
            warnings.extend(doubt.map(|fault| document.error(fault)));
        }
        loaded.insert(name.clone(), found);
    }
    let mut checks = Vec::new();
    for expectation in &mut expectations {
        let check = match expectation.subject.clone() {
            Subject::Query { name, values } => {
                Check::Query { kind: queries::query_kind(&queries, &name.value, &values, &name.span)? }
            }
            Subject::Resource(name) => {
                let found: &Loaded = find(&loaded, "resource", &name.value, &name.span)?;
                if !matches!(found.kind, Kind::Texture(_)) || expectation.rules.are_of_numbers() {
                    declared.complete_rules(&name.value, expectation, &found.kind);
                }
                loader(&name.value, left).check(expectation, found)?
            }
        };
        let owned = match &check {
            Check::Numbers { segments, .. } => segments.iter().map(|segment| owned(&segment.bytes)).sum(),
            Check::Texels { texels, .. } => texels.len() as u64,
            Check::Query { .. } => 0,
        };
        left = left.saturating_sub(owned);
        checks.push(check);
    }
    for save in &saves {
        find(&resources, "resource", &save.resource.value, &save.resource.span)?;
    }
    let mut inputs = vec![("file", document.path.clone())];
    inputs.extend(folder.into_named());
    (model.resources, model.saves, model.expectations) = (resources, saves, expectations);
    Ok(Prepared { document: Document::default(), shaders, loaded, checks, written, inputs, warnings })
}

fn owned(bytes: &Bytes) -> u64 {
    if let Bytes::Owned(bytes) = bytes { bytes.len() as u64 } else { 0 }
}

/// Reads the shaders, or takes their compiled bytecode.
fn shaders(model: &Model, document: &mut Document, folder: &Folder<'_>, limits: &Limits) -> Result<Shaders, Fault> {
    let mut shaders = Shaders::new();
    for (name, shader) in &model.shaders {
        let mut forms = Vec::new();
        for (n, file) in shader.files.iter().enumerate() {
            let path = folder.file("shader", &file.value);
            let bytes = match document.compiled.remove(&(name.clone(), n)) {
                Some(bytes) => bytes,
                None if Source::is_named_by(&path) => {
                    return Err((Problem::NotCompiled { shader: path }, file.span.clone()));
                }
                None => {
                    let read = folder.read(&path, limits.file.blob_bytes.into());
                    read.map_err(|problem| folder.failed(&file.span, path.clone(), problem))?
                }
            };
            if is_wgsl(&path) {
                if model.is_direct3d9 {
                    let message = "this is WGSL, in a document of Direct3D 9";
                    return Err((Problem::value(message), file.span.clone()));
                }
                let options = WgslOptions::new(shader.entry.clone(), shader.overrides.clone());
                let read = language::read(&path, &bytes, &options);
                let text = Some(Arc::new(read.map_err(|problem| (problem, file.span.clone()))?));
                forms.push(ShaderVariant { path, bytes, text });
                continue;
            }
            let message = match (is_program(&bytes), model.is_direct3d9) {
                (true, false) => "this is a shader of Direct3D 9, in a document without `api = \"d3d9\"`",
                (false, true) if bytes.starts_with(b"DXBC") => {
                    "this is no shader of Direct3D 9, models 1.1 to 3.0, in a document with `api = \"d3d9\"`"
                }
                _ => "",
            };
            if !message.is_empty() {
                return Err((Problem::value(message), file.span.clone()));
            }
            forms.push(ShaderVariant { path, bytes, text: None });
        }
        shaders.insert(name.clone(), forms);
    }
    let counts: BTreeSet<usize> = shaders.values().map(Vec::len).filter(|count| *count > 1).collect();
    match (counts.len() > 1, model.shaders.values().next()) {
        (true, Some(shader)) => {
            let message = "shaders have either one form, or as many as each other that has several";
            Err((Problem::value(message), shader.files[0].span.clone()))
        }
        _ => Ok(shaders),
    }
}

/// The fault for an error in a shader or in running it, at the position where it is named.
pub(crate) fn shader_fault(model: &Model, shaders: &Shaders, name: &str, variant: usize, error: Error) -> Fault {
    let span = model.shaders.get(name).map_or(0..0, |shader| shader.file(variant).span.clone());
    let form = shaders.get(name).and_then(|forms| forms.get(variant).or(forms.first()));
    (Problem::Run { shader: form.map(|form| form.path.clone()), error }, span)
}

/// Looks up the registers for the names by which steps bind them.
fn name_registers(model: &mut Model, shaders: &Shaders, limits: &Limits) -> Result<(), Fault> {
    let has_names = |step: &DocumentStep| match &step.what {
        What::Dispatch(dispatch) => dispatch.bind.iter().any(|bind| bind.register.is_none()),
        What::Draw(draw) => draw.bind.iter().any(|bind| bind.register.is_none()),
        _ => false,
    };
    if !model.all_steps().any(has_names) {
        return Ok(());
    }
    let mut steps = std::mem::take(&mut model.steps);
    let declared = ShaderDeclarations::new(model, shaders, limits);
    let mut look_up = |DocumentStep { what, .. }: &mut DocumentStep| {
        let (pipeline, bind) = match what {
            What::Dispatch(dispatch) => (&dispatch.pipeline, &mut dispatch.bind),
            What::Draw(draw) => (&draw.pipeline, &mut draw.bind),
            _ => return Ok(()),
        };
        let stages = find(&model.pipelines, "pipeline", &pipeline.value, &pipeline.span)?;
        let stages: Vec<(StageKind, &str)> =
            stages.shaders.present().map(|(stage, shader)| (stage, shader.value.as_str())).collect();
        name_binds(bind, &stages, &declared, model.is_short)
    };
    let done = steps.iter_mut().try_for_each(|step| step.for_each_mut(&mut look_up));
    drop(declared);
    model.steps = steps;
    done
}

fn name_binds(
    bind: &mut [Bind],
    stages: &[(StageKind, &str)],
    declared: &ShaderDeclarations<'_>,
    is_short: bool,
) -> Result<(), Fault> {
    for n in 0..bind.len() {
        if bind[n].register.is_some() {
            continue;
        }
        let (slot, span) = (bind[n].slot.clone(), bind[n].span.clone());
        let mut found: Vec<Register> = Vec::new();
        for (_, shader) in stages {
            found.extend(declared.shader(shader)?.register_of(&slot));
        }
        let message = match found.split_first() {
            Some((first, rest)) if rest.iter().all(|other| other == first) => {
                if bind.iter().any(|other| other.register == Some(*first)) {
                    return Err((Problem::value(format!("{first}, which is `{slot}`, is bound twice")), span));
                }
                bind[n].register = Some(*first);
                continue;
            }
            Some(_) => format!("`{slot}` is at another register in each of the shaders: name the registers instead"),
            None if is_short => {
                format!("unknown key `{slot}` in the document: it is not the name of a resource of the shader either")
            }
            None => format!("`{slot}` is neither a register nor the name of something that the shaders declare"),
        };
        let mut known = Vec::new();
        for (_, shader) in stages {
            known.extend(declared.shader(shader)?.register_names());
        }
        let nearest = nearest(&slot, &known).map(|nearest| format!("did you mean `{nearest}`?"));
        if is_short {
            known.splice(0..0, crate::schema::short_keys());
        }
        let kind = if is_short { "keys" } else { "names" };
        let help = nearest.unwrap_or_else(|| match known.is_empty() {
            true => "registers are as `b0`, `t0`, `u0`, `s0`".into(),
            false => format!("the {kind} here are {}", known.join(", ")),
        });
        return Err((Problem::Value { message, help: Some(help) }, span));
    }
    Ok(())
}

/// Checks that the names in steps exist. Roles are checked by the plan.
fn check_names(model: &Model) -> Result<(), Fault> {
    for step in model.all_steps() {
        let pipeline = match &step.what {
            What::Dispatch(dispatch) => &dispatch.pipeline,
            What::Draw(draw) => &draw.pipeline,
            _ => continue,
        };
        find(&model.pipelines, "pipeline", &pipeline.value, &pipeline.span)?;
    }
    Ok(())
}

impl Prepared {
    /// The document.
    pub fn document(&self) -> &Document {
        &self.document
    }

    /// Probable mistakes, though it can run.
    pub fn warnings(&self) -> &[DocumentError] {
        &self.warnings
    }

    /// The resources that steps may write, whose content an outcome has if [`RunOptions::keep_all`] asks for it.
    ///
    /// [`RunOptions::keep_all`]: crate::RunOptions::keep_all
    pub fn written(&self) -> impl Iterator<Item = &str> {
        self.written.iter().map(String::as_str)
    }

    /// Number of variants of its shaders: each is run by itself.
    pub fn variants(&self) -> usize {
        self.document.model.variants()
    }

    /// The file of one variant of the only shader; `None` if there are several shaders.
    pub fn shader_file(&self, variant: usize) -> Option<&std::path::Path> {
        match self.document.model.shaders.values().collect::<Vec<_>>().as_slice() {
            [shader] => Some(&shader.file(variant).value),
            _ => None,
        }
    }

    /// The content of the only shader's file, as for [`Self::shader_file`].
    pub fn container(&self, variant: usize) -> Option<&[u8]> {
        match self.shaders.values().collect::<Vec<_>>().as_slice() {
            [forms] => forms.get(variant).or(forms.first()).map(|form| form.bytes.as_slice()),
            _ => None,
        }
    }

    pub(crate) fn error(&self, fault: Fault) -> DocumentError {
        self.document.error(fault)
    }

    pub(crate) fn size_of(&self, name: &str) -> u64 {
        self.loaded.get(name).map_or(0, |loaded| loaded.content.size_bytes())
    }
}
