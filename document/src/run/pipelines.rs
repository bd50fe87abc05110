//! Compiles a document's pipelines for the targets that steps draw to.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use brolga_bytecode::sm3::TextureType;
use brolga_raster::error::DrawError;
use brolga_raster::layout::InputElement;
use brolga_raster::pipeline::{Pipeline, PipelineDesc};
use brolga_raster::state::Topology;
use brolga_runtime::{
    Bindings, Codegen, CompileOptions, Device, Error, Format, Module, Register, ResourceClass, Shader, StageKind,
    Stages, View,
};

use super::RunOptions;
use super::words::problem;
use crate::error::{Fault, Problem};
use crate::model::pipeline as said;
use crate::model::registers::written;
use crate::model::{Model, find};
use crate::prepare::{Prepared, shader_fault};
use crate::text::{Located, Span};

/// Compiles pipelines, once for each combination of formats.
pub(super) struct Compiler<'a, 'o> {
    pub device: &'a Device,
    pub prepared: &'a Prepared,
    /// The variant of each shader.
    variant: usize,
    pub options: &'o RunOptions,
    /// The modules read so far, by name.
    modules: BTreeMap<&'a str, Module>,
    /// By name, and by the state that they are used with.
    made: BTreeMap<&'a str, Vec<(PipelineKey, Pipeline)>>,
    /// Compute shaders, by the names of their pipelines.
    computes: BTreeMap<&'a str, Shader>,
    /// Probable mistakes that the rules nevertheless define.
    pub warnings: Vec<Fault>,
    /// The pipelines and registers that they are about.
    noted: BTreeSet<(String, String)>,
    /// The time spent reading and compiling shaders.
    pub time: Duration,
}

/// The state of a draw that its pipeline depends on.
#[derive(PartialEq)]
pub(super) struct PipelineKey {
    /// The formats of its targets, and the outputs that go to them.
    pub formats: Vec<(u32, Format)>,
    /// The format of its depth buffer.
    pub depth_format: Option<Format>,
    /// The number of samples of all of them, and whether these lie at the center.
    pub samples: u32,
    pub center_pattern: bool,
    pub draws_mesh: bool,
    /// The texture types bound for a ps_1_x.
    pub textures: [TextureType; 6],
    /// The samplers of a pixel shader of Direct3D 9 that compare.
    pub compared: Vec<usize>,
}

impl<'a, 'o> Compiler<'a, 'o> {
    pub fn new(device: &'a Device, prepared: &'a Prepared, variant: usize, options: &'o RunOptions) -> Self {
        Self {
            device,
            prepared,
            variant,
            options,
            modules: BTreeMap::new(),
            made: BTreeMap::new(),
            computes: BTreeMap::new(),
            warnings: Vec::new(),
            noted: BTreeSet::new(),
            time: Duration::ZERO,
        }
    }

    fn model(&self) -> &'a Model {
        &self.prepared.document.model
    }

    /// The pipeline that a draw names.
    pub fn draws(&mut self, name: &'a Located<String>, mut uses: PipelineKey) -> Result<Pipeline, Fault> {
        let pipeline = self.find(name)?;
        // Transformed vertices of Direct3D 9 have no vertex shader.
        if pipeline.direct3d9.is_none() && pipeline.shaders[StageKind::Vertex].is_none() {
            return Err((
                Problem::MissingKey { place: "a pipeline that draws", key: "vs", meaning: "" },
                pipeline.span.clone(),
            ));
        }
        let mut modules = Stages::<Option<Module>>::default();
        for (stage, shader) in pipeline.shaders.present().filter(|(stage, _)| *stage != StageKind::Compute) {
            modules[stage] = Some(self.module(stage, shader)?);
        }
        // Only a ps_1_x samples whatever texture is bound.
        if modules[StageKind::Pixel].as_ref().is_none_or(|module| module.major() != 1) {
            uses.textures = [TextureType::Texture2D; 6];
        }
        let known = self.made.get(name.value.as_str());
        if let Some((_, made)) = known.and_then(|made| made.iter().find(|(known, _)| *known == uses)) {
            return Ok(made.clone());
        }
        let plain = match &pipeline.direct3d9 {
            Some(direct3d9) => {
                let options = self.compile_options().float_rules(direct3d9.float_rules);
                let textures = uses.textures.iter().enumerate();
                let options = textures.fold(options, |options, (stage, kind)| options.stage_texture(stage, *kind));
                let projected = direct3d9.projected.iter();
                projected.fold(options, |options, &(stage, count)| options.projected(stage, count))
            }
            None => self.compile_options().fused_mad(pipeline.fused_mad),
        };
        let mut options = Stages::from_fn(|stage| with_instances(plain.clone(), &pipeline.instances[stage]));
        let of_pixels = &mut options[StageKind::Pixel];
        *of_pixels = uses.compared.iter().fold(of_pixels.clone(), |options, &sampler| options.compares(sampler));
        let topology = pipeline.topology.or(uses.draws_mesh.then_some(Topology::TriangleList));
        let Some(topology) = topology else {
            let problem = Problem::MissingKey {
                place: "a pipeline that draws",
                key: "topology",
                meaning: "how vertices make primitives",
            };
            return Err((problem, pipeline.span.clone()));
        };
        let desc = PipelineDesc {
            modules,
            input_layout: input_layout(pipeline, uses.draws_mesh),
            topology,
            depth_format: uses.depth_format,
            samples: uses.samples,
            center_pattern: uses.center_pattern,
            options,
            ..pipeline.state(&uses.formats)
        };
        let RunOptions { cancel, time_limit, .. } = self.options;
        let began = Instant::now();
        let made = Pipeline::new_until(self.device, &desc, cancel, *time_limit);
        self.time += began.elapsed();
        let made = made.map_err(|error| self.draw_fault(pipeline, error))?;
        self.made.entry(name.value.as_str()).or_default().push((uses, made.clone()));
        Ok(made)
    }

    /// The compute shader of the pipeline that a dispatch names. Its code is compiled for the bindings once these are
    /// known.
    pub fn dispatches(&mut self, name: &'a Located<String>) -> Result<Shader, Fault> {
        if let Some(shader) = self.computes.get(name.value.as_str()) {
            return Ok(shader.clone());
        }
        let pipeline = self.find(name)?;
        let Some(shader) = &pipeline.shaders[StageKind::Compute] else {
            return Err((
                Problem::MissingKey { place: "a pipeline that dispatches", key: "cs", meaning: "" },
                pipeline.span.clone(),
            ));
        };
        let module = self.module(StageKind::Compute, shader)?;
        let RunOptions { cancel, time_limit, .. } = self.options;
        let file = self.model().shaders.get(&shader.value).map(|shader| shader.file(self.variant));
        let named = file.map_or(String::new(), |file| file.value.to_string_lossy().into_owned());
        let options = self.compile_options().codegen(Codegen::Deferred).fused_mad(pipeline.fused_mad).named(named);
        let options = with_instances(options, &pipeline.instances[StageKind::Compute]);
        let began = Instant::now();
        let compiled = self.device.compile_module_until(&module, &options, cancel, *time_limit);
        self.time += began.elapsed();
        let compiled = compiled.and_then(|shader| shader.check_groups().map(|()| shader));
        let compiled = compiled.map_err(|error| self.shader_fault(pipeline, &shader.value, error))?;
        self.computes.insert(name.value.as_str(), compiled.clone());
        Ok(compiled)
    }

    /// The document's description of the pipeline that a step names.
    pub fn find(&self, name: &Located<String>) -> Result<&'a said::Pipeline, Fault> {
        find(&self.model().pipelines, "pipeline", &name.value, &name.span)
    }

    /// The shader of this name, which a pipeline has for a stage.
    fn module(&mut self, stage: StageKind, name: &'a Located<String>) -> Result<Module, Fault> {
        let module = match self.modules.get(name.value.as_str()) {
            Some(module) => module,
            None => {
                let forms = find(&self.prepared.shaders, "shader", &name.value, &name.span)?;
                let began = Instant::now();
                let form = forms.get(self.variant).unwrap_or(&forms[0]);
                let module = form.module(self.device.limits());
                self.time += began.elapsed();
                let module = module.map_err(|error| self.file_fault(&name.value, error))?;
                self.modules.entry(name.value.as_str()).or_insert(module)
            }
        };
        let found = module.kind();
        if found == stage {
            return Ok(module.clone());
        }
        let profile = module.profile().map_or(String::new(), |profile| format!(", {profile}"));
        if self.model().is_short {
            let error = Error::NoGroups { stage: found.name() };
            return Err(self.file_fault(&name.value, error));
        }
        let (key, name_of, stage) = (stage.text(), found.name(), stage.name());
        let message = format!("`{}` is a {name_of} shader{profile}: `{key}` names a {stage} shader", name.value);
        Err((Problem::value(message), name.span.clone()))
    }

    /// The fault for an error in a shader, at its file.
    pub fn file_fault(&self, shader: &str, error: Error) -> Fault {
        shader_fault(self.model(), &self.prepared.shaders, shader, self.variant, error)
    }

    /// The fault for an error in a shader of a pipeline: class instances are chosen there.
    pub fn shader_fault(&self, pipeline: &said::Pipeline, shader: &str, error: Error) -> Fault {
        let variable = if let Error::Instance(error) = &error { error.variable() } else { None };
        let mut choices = pipeline.instances.iter().flat_map(|(_, choices)| choices);
        let choice =
            choices.find(|choice| Some(choice.variable.as_str()) == variable).map(|choice| choice.span.clone());
        let (problem, span) = self.file_fault(shader, error);
        (problem, choice.unwrap_or(span))
    }

    /// The fault for an error in a pipeline, in the words of its API.
    fn draw_fault(&self, pipeline: &said::Pipeline, error: DrawError) -> Fault {
        let problem = match self.model().is_direct3d9 {
            true => problem(error),
            false => Problem::Draw(error),
        };
        (problem, pipeline.span.clone())
    }

    /// Warns of registers that a shader reads or writes and to which a step binds nothing: once for each pipeline.
    pub fn note_unbound(
        &mut self,
        span: &Span,
        pipeline: &str,
        stage: StageKind,
        shader: &Shader,
        bindings: &Bindings,
    ) {
        let is_direct3d9 = self.model().is_direct3d9;
        for declared in shader.bindings() {
            let is_bound = |(register, _): (Register, &View)| declared.contains(register);
            if declared.register.space != 0 || bindings.iter().any(is_bound) {
                continue;
            }
            let what = match declared.register.class {
                // Samplers have default state.
                ResourceClass::Sampler => continue,
                ResourceClass::UnorderedAccess => "what it writes there is lost, and what it reads 0",
                ResourceClass::ShaderResource if is_direct3d9 => "it reads black with an alpha of 1",
                _ => "it reads 0",
            };
            let register = written(is_direct3d9, stage, &declared.register.to_string());
            if self.noted.insert((pipeline.to_owned(), register.clone())) {
                let message =
                    format!("the {} shader uses `{register}`, to which nothing is bound: {what}", stage.name());
                self.warnings.push((Problem::value(message), span.clone()));
            }
        }
    }

    fn compile_options(&self) -> CompileOptions {
        let options = CompileOptions::new(self.options.engine).oversize(self.options.oversize);
        self.options.width.into_iter().fold(options, CompileOptions::width)
    }
}

fn with_instances(options: CompileOptions, choices: &[said::InstanceChoice]) -> CompileOptions {
    choices.iter().fold(options, |all, choice| all.instance(&choice.variable, choice.instance.clone()))
}

/// The sources of the vertex shader's inputs; by default, for a mesh, those of the mesh.
fn input_layout(pipeline: &said::Pipeline, draws_mesh: bool) -> Vec<InputElement> {
    let mesh = [
        InputElement::new("POSITION", Format::R32G32B32_FLOAT, 0),
        InputElement::new("NORMAL", Format::R32G32B32_FLOAT, 12),
        InputElement::new("TEXCOORD", Format::R32G32_FLOAT, 24),
    ];
    pipeline.input_layout.iter().cloned().chain(mesh.into_iter().filter(|_| draws_mesh)).collect()
}
