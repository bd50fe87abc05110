//! Completes a document with what its shaders declare about their registers.
//!
//! Declarations give kinds, strides and dimensions; the resource definitions (RDEF), which may be stripped, give types
//! and names. A resource goes by the first shader that it is bound to, and that by the first of its variants. A shader
//! that cannot be read is an error only where its declarations are needed: compiling it reports the problem.

use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::sync::Arc;

use brolga_bytecode::container::resources::{self, BindingKind, BufferKind, VariableType};
use brolga_bytecode::container::{Container, ResourceDefinitions};
use brolga_files::{ElementType, FileForm};
use brolga_runtime::{
    BindingError, Declared, Dimension, Error, FileError, Format, Limits, Module, Register, ResourceClass, ResourceKind,
    TextureShape,
};

use super::folder::form_of;
use super::load::LoadedContent;
use super::variables::{self, number_type};
use super::{ShaderVariant, Shaders, shader_fault};
use crate::error::{Fault, Problem};
use crate::language::TextShader;
use crate::model::Model;
use crate::model::expectation::{Expectation, Expected, Save};
use crate::model::number::NumberType;
use crate::model::resource::{Content, Kind, ResourceEntry, ValueRun};
use crate::model::step::{Bind, What};
use crate::read::{check_said, kind_phrase};

/// The maximum number of words of a structure whose types are examined; Direct3D's strides end here.
const MOST_WORDS: usize = 512;

/// The content of a shader file.
pub(crate) struct Found {
    declared: Vec<Declared>,
    names: Option<ResourceDefinitions>,
    /// What a shader in WGSL says besides.
    text: Option<Arc<TextShader>>,
}

impl Found {
    /// Reads a variant of a document's shader.
    fn of(form: &ShaderVariant, limits: &Limits) -> Result<Self, Error> {
        let Some(text) = &form.text else { return Self::read(&form.bytes, limits) };
        let (declared, names) = (text.module.bindings().to_vec(), Some(text.names.clone()));
        Ok(Self { declared, names, text: Some(text.clone()) })
    }

    pub fn read(container: &[u8], limits: &Limits) -> Result<Self, Error> {
        let declared = Module::load(container, limits)?.bindings().to_vec();
        let names = match brolga_bytecode::sm3::is_program(container) {
            true => None,
            false => {
                let names = Container::parse(container, &limits.file).and_then(|file| file.resources(&limits.file));
                names.map_err(FileError::from)?
            }
        };
        Ok(Self { declared, names, text: None })
    }

    /// The row for a register in the table of bindings.
    fn binding(&self, register: Register) -> Option<&resources::Binding> {
        let holds = |row: &&resources::Binding| register.is_within((*row).into(), row.count());
        self.names.as_ref()?.bindings.iter().find(holds)
    }

    /// The register with this name in the source.
    pub fn register_of(&self, name: &str) -> Option<Register> {
        let mut rows = self.names.as_ref()?.bindings.iter();
        rows.find(|row| row.name == name).map(Register::from)
    }

    /// The names of the registers in the source.
    pub fn register_names(&self) -> impl Iterator<Item = &str> {
        self.names.iter().flat_map(|names| names.bindings.iter().map(|row| row.name.as_str()))
    }

    fn declared(&self, register: Register) -> Option<&Declared> {
        self.declared.iter().find(|declared| declared.contains(register))
    }

    /// The layout of the constant buffer at a register.
    pub fn constants(&self, register: Register) -> Option<&resources::Buffer> {
        self.buffer(register, BufferKind::ConstantBuffer)
    }

    /// The layout of the buffer at a register.
    pub fn buffer(&self, register: Register, kind: BufferKind) -> Option<&resources::Buffer> {
        let name = self.binding(register)?.name.as_str();
        // For an array there is the layout of one element.
        let is_of = |of: &str| of.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with('['));
        let mut buffers = self.names.as_ref()?.buffers.iter().filter(|buffer| buffer.kind == kind);
        buffers.find(|buffer| is_of(&buffer.name))
    }
}

/// The declarations of a document's shaders, read on demand.
pub(crate) struct ShaderDeclarations<'a> {
    model: &'a Model,
    shaders: &'a Shaders,
    limits: &'a Limits,
    found: BTreeMap<&'a str, OnceCell<Found>>,
    /// The shaders and registers that each resource is bound to.
    uses: BTreeMap<&'a str, Vec<(&'a str, Register)>>,
}

impl<'a> ShaderDeclarations<'a> {
    pub fn new(model: &'a Model, shaders: &'a Shaders, limits: &'a Limits) -> Self {
        let found = model.shaders.keys().map(|name| (name.as_str(), OnceCell::new())).collect();
        let mut uses = BTreeMap::<_, Vec<_>>::new();
        for step in model.all_steps() {
            let (pipeline, bind) = match &step.what {
                What::Dispatch(dispatch) => (&dispatch.pipeline, &dispatch.bind),
                What::Draw(draw) if draw.direct3d9.is_none() => (&draw.pipeline, &draw.bind),
                _ => continue,
            };
            let Some(pipeline) = model.pipelines.get(&pipeline.value) else { continue };
            for Bind { register, reference, .. } in bind {
                let Some(register) = register.filter(|register| register.class != ResourceClass::Sampler) else {
                    continue;
                };
                let known: &mut Vec<_> = uses.entry(reference.resource.as_str()).or_default();
                for (_, shader) in pipeline.shaders.present() {
                    let one = (shader.value.as_str(), register);
                    if !known.contains(&one) {
                        known.push(one);
                    }
                }
            }
        }
        Self { model, shaders, limits, found, uses }
    }

    /// The declarations of a shader.
    pub fn shader(&self, name: &str) -> Result<&Found, Fault> {
        let (Some(cell), Some(forms)) = (self.found.get(name), self.shaders.get(name)) else {
            let known: Vec<&str> = self.model.shaders.keys().map(String::as_str).collect();
            return Err((Problem::unknown_name("shader", name, &known), 0..0));
        };
        if let Some(found) = cell.get() {
            return Ok(found);
        }
        let found = Found::of(&forms[0], self.limits);
        let found = found.map_err(|error| shader_fault(self.model, self.shaders, name, 0, error))?;
        Ok(cell.get_or_init(|| found))
    }

    fn uses(&self, name: &str) -> &[(&'a str, Register)] {
        self.uses.get(name).map_or(&[], Vec::as_slice)
    }

    /// The shader and the register that a resource is bound to, if one can be read and has it.
    fn known(&self, name: &str) -> Option<(&Found, Register, &Declared)> {
        self.uses(name).iter().find_map(|(shader, register)| {
            let found = self.shader(shader).ok()?;
            Some((found, *register, found.declared(*register)?))
        })
    }

    /// The same for a resource that must be bound to something.
    fn needed(&self, name: &str, resource: &ResourceEntry) -> Result<(&Found, Register, &Declared), Fault> {
        let Some((shader, register)) = self.uses(name).first() else {
            let meaning = "that of a buffer or texture; a sampler has `filter` instead";
            let problem = Problem::MissingKey { place: "what no shader declares as a resource", key: "kind", meaning };
            return Err((problem, resource.span.clone()));
        };
        let mut declared = Vec::new();
        for (shader, register) in self.uses(name) {
            let found = self.shader(shader)?;
            if let Some(found_declared) = found.declared(*register) {
                return Ok((found, *register, found_declared));
            }
            declared.extend(found.declared.iter().map(Declared::to_string));
        }
        let bound = resource.kind.name.map_or("view".into(), |name| format!("{name} view"));
        let error = BindingError::NotDeclared { register: *register, bound, declared };
        let (problem, _) = shader_fault(self.model, self.shaders, shader, 0, error.into());
        Err((problem, resource.span.clone()))
    }

    /// Fills in what a resource leaves out, and returns its kind. What its file gives is still left out.
    pub fn complete(&self, name: &str, resource: &mut ResourceEntry) -> Result<Kind, Fault> {
        let kind = self.kind(name, resource)?;
        let is_constant = kind == Kind::Plain("constant");
        if let (Kind::Structured { .. }, None) = (kind, resource.counter)
            && self.counts_from_zero(name)
        {
            resource.counter = Some(0);
        }
        if let Some(first) = resource.variables.iter().find(|value| !value.is_explicit && !is_constant) {
            let (key, place) = (first.name.clone(), kind_phrase(kind.name()));
            let known = crate::schema::resource_keys();
            let nearest = crate::error::nearest(&key, &known).map(str::to_owned);
            let elsewhere = crate::schema::elsewhere(&key);
            let problem = Problem::UnknownKey { key, place, nearest, known, elsewhere };
            return Err((problem, first.span.clone()));
        }
        if !resource.variables.is_empty() {
            self.place_variables(name, resource)?;
        }
        if let (true, None, Content::Fill(_)) = (is_constant, resource.size, &resource.content) {
            resource.size = self.constant_bytes(name);
        }
        Ok(kind)
    }

    /// Fills in the type of the numbers in an output, if the document leaves it out.
    pub fn complete_save(&self, name: &str, save: &mut Save, kind: &Kind) {
        if let (None, Ok(FileForm::Npy)) = (save.number_type, save.form(kind)) {
            save.number_type = self.number_type(name, kind);
        }
    }

    /// The type of all numbers in a structured buffer, if they have one type.
    pub fn number_type(&self, name: &str, kind: &Kind) -> Option<NumberType> {
        match (kind, self.element_types(name).as_deref()) {
            (Kind::Structured { .. }, Some([number_type])) => Some(*number_type),
            (Kind::Plain(kind), _) => self.raw_numbers(name, kind),
            _ => None,
        }
    }

    /// The type of all numbers in a buffer of bytes, which only WGSL says.
    fn raw_numbers(&self, name: &str, kind: &str) -> Option<NumberType> {
        let (found, register, _) = self.known(name).filter(|_| kind == "raw")?;
        found.text.as_ref()?.resource(register)?.numbers
    }

    /// `true` if the shader uses the hidden counter, which then starts at zero by default. If the shader consumes
    /// elements, the document must give the number of them.
    fn counts_from_zero(&self, name: &str) -> bool {
        let Some((found, register, declared)) = self.known(name) else { return false };
        if register.class != ResourceClass::UnorderedAccess {
            return false;
        }
        match found.binding(register).map(|row| row.kind) {
            Some(BindingKind::UavAppend | BindingKind::UavCounter) => true,
            Some(BindingKind::UavConsume) => false,
            _ => declared.uses_counter,
        }
    }

    fn kind(&self, name: &str, resource: &ResourceEntry) -> Result<Kind, Fault> {
        let keys = &resource.kind;
        let is_texture_file = matches!(&resource.content, Content::File(file) if form_of(&file.value).is_texture());
        let kind = match keys.name {
            Some(kind) => kind,
            None if is_texture_file => "texture",
            None => name_of(self.needed(name, resource)?.2.kind),
        };
        if keys.name.is_none() {
            check_said(&keys.said, &resource.label, kind)?;
        }
        match kind {
            "structured" => match keys.stride {
                Some(stride) => Ok(Kind::Structured { stride, count: keys.count }),
                None => match self.needed(name, resource)? {
                    (_, _, Declared { kind: ResourceKind::Structured { stride_bytes }, .. }) => {
                        Ok(Kind::Structured { stride: *stride_bytes, count: keys.count })
                    }
                    (_, register, declared) => Err(self.other_kind(name, resource, register, declared.kind)),
                },
            },
            "typed" => match keys.texture.format.or_else(|| self.format(name)) {
                Some(format) => Ok(Kind::Typed { format, count: keys.count }),
                None => {
                    let problem =
                        Problem::MissingKey { place: "a typed view", key: "format", meaning: "that of its elements" };
                    Err((problem, resource.span.clone()))
                }
            },
            plain if !plain.starts_with("texture") => Ok(Kind::Plain(plain)),
            _ => {
                let mut texture = keys.texture;
                if let (None, Some(view)) = (keys.name, self.views(name)) {
                    let declared = self.known(name).map(|(_, _, declared)| declared.kind);
                    if let Some(ResourceKind::Typed { dimension, .. }) = declared {
                        // If a view has another kind, the texture's own dimension is unknown.
                        texture.dimension = Some(dimension).filter(|_| !is_texture_file && view.kind.is_none());
                        texture.seen_as = Some(dimension).filter(|_| view == Default::default());
                    }
                }
                if !is_texture_file {
                    texture.format = texture.format.or_else(|| self.format(name));
                }
                Ok(Kind::Texture(texture))
            }
        }
    }

    /// The keys of the first view in which a step binds a resource.
    fn views(&self, name: &str) -> Option<crate::model::resource::ViewKeys> {
        self.model.all_steps().find_map(|step| {
            let bind = match &step.what {
                What::Dispatch(dispatch) => &dispatch.bind,
                What::Draw(draw) => &draw.bind,
                _ => return None,
            };
            bind.iter().find(|bind| bind.reference.resource == name).map(|bind| bind.reference.view)
        })
    }

    fn other_kind(&self, name: &str, resource: &ResourceEntry, register: Register, declared: ResourceKind) -> Fault {
        let error = BindingError::Kind { register, declared, bound: "structured view".to_owned() };
        let shader = self.uses(name).first().map_or("", |(shader, _)| shader);
        let (problem, _) = shader_fault(self.model, self.shaders, shader, 0, error.into());
        (problem, resource.span.clone())
    }

    /// The format that matches the shader's declaration exactly: 32-bit floats for `float4`, bytes for `unorm float4`.
    fn format(&self, name: &str) -> Option<Format> {
        let (found, register, declared) = self.known(name)?;
        let said = found.text.as_ref().and_then(|text| text.resource(register)?.format);
        if said.is_some() {
            return said;
        }
        let row = found.binding(register)?;
        let components = (row.flags >> 2 & 3) + 1;
        let (bits, meaning) = match row.return_type {
            1 => (8, "UNORM"),
            2 => (8, "SNORM"),
            3 => (32, "SINT"),
            4 => (32, "UINT"),
            5 => (32, "FLOAT"),
            _ => return None,
        };
        let is_buffer = matches!(
            declared.kind,
            ResourceKind::Typed { dimension: Dimension::Buffer, .. } if register.class == ResourceClass::ShaderResource
        );
        // Only buffers that are read have three.
        let components = match components {
            3 if !is_buffer || bits == 8 => 4,
            count => count,
        };
        let channels: String =
            ["R", "G", "B", "A"][..components as usize].iter().map(|c| format!("{c}{bits}")).collect();
        format!("{channels}_{meaning}").parse().ok()
    }

    /// The types of the numbers in an element of a structured buffer; one entry if all are the same.
    fn element_types(&self, name: &str) -> Option<Vec<NumberType>> {
        let (found, register, _) = self.known(name)?;
        let buffer = found.buffer(register, BufferKind::ResourceElements)?;
        let [element] = buffer.variables.as_slice() else { return None };
        let mut types = Vec::new();
        collect_types(&element.ty, &mut types)?;
        let bytes: usize = types.iter().map(|number_type| number_type.size_bytes()).sum();
        if types.is_empty() || bytes != element.size_bytes as usize {
            return None;
        }
        match types.iter().all(|number_type| *number_type == types[0]) {
            true => Some(vec![types[0]]),
            // A double may be followed by padding.
            false => types.iter().all(|number_type| number_type.size_bytes() == 4).then_some(types),
        }
    }

    /// Converts a resource's values of variables to runs of values.
    fn place_variables(&self, name: &str, resource: &mut ResourceEntry) -> Result<(), Fault> {
        let (found, register, _) = self.needed(name, resource)?;
        let buffer = found.constants(register);
        let label = resource.label.clone();
        let named = variables::runs(&label, &resource.variables, buffer)?;
        let mut runs = match std::mem::replace(&mut resource.content, Content::Unsaid) {
            Content::Values(runs) => runs,
            _ => Vec::new(),
        };
        variables::check_overlaps(&label, &runs, &named)?;
        runs.extend(named);
        // Shaders see zeros after the values, whether the buffer is longer or not.
        if let (None, Some(buffer)) = (resource.size, buffer) {
            let end = runs.iter().map(ValueRun::end).max().unwrap_or(0);
            resource.size = Some(end.max(buffer.size_bytes.into()));
        }
        resource.content = Content::Values(runs);
        Ok(())
    }

    /// Fills in the types of the numbers that an expectation compares with a file, if the shader or the format gives
    /// them.
    pub fn complete_rules(&self, name: &str, expectation: &mut Expectation, kind: &Kind<TextureShape>) {
        if !expectation.rules.pattern.is_empty() || !matches!(expectation.content, Some(Expected::File(_))) {
            return;
        }
        let types = match kind {
            Kind::Structured { .. } => self.element_types(name),
            Kind::Typed { format, .. } | Kind::Texture(TextureShape { format, .. }) => {
                NumberType::of_element(ElementType::of_format(*format).0).map(|number_type| vec![number_type])
            }
            Kind::Plain(plain) => self.raw_numbers(name, plain).map(|number_type| vec![number_type]),
        };
        expectation.rules.pattern = types.unwrap_or_default();
        expectation.rules.mixed = expectation.rules.pattern.len() > 1;
    }

    /// A warning about a resource that shaders can nevertheless run with.
    pub fn warning(&self, name: &str, resource: &ResourceEntry, content: &LoadedContent) -> Option<Fault> {
        let bytes = content.size_bytes();
        let (variable, end) = self.beyond(name, bytes)?;
        let label = &resource.label;
        let variable = brolga_files::short(&variable);
        let message = format!(
            "{label} has {bytes} bytes, and the shader's variable `{variable}` ends at byte {end}: the missing bytes read as 0"
        );
        Some((Problem::value(message), resource.span.clone()))
    }

    /// Bytes of a constant buffer as declared in the source or the program.
    fn constant_bytes(&self, name: &str) -> Option<u64> {
        let (found, register, declared) = self.known(name)?;
        match (found.constants(register), declared.kind) {
            (Some(buffer), _) => Some(buffer.size_bytes.into()),
            (None, ResourceKind::Constant { vectors }) => Some(16 * u64::from(vectors)).filter(|bytes| *bytes > 0),
            _ => None,
        }
    }

    /// A variable that the shader reads and that ends after the last byte of a constant buffer.
    fn beyond(&self, name: &str, bytes: u64) -> Option<(String, u64)> {
        let (found, register, _) = self.known(name)?;
        let buffer = found.constants(register)?;
        let end = |variable: &resources::Variable| u64::from(variable.offset_bytes) + u64::from(variable.size_bytes);
        let mut used = buffer.variables.iter().filter(|variable| variable.is_used());
        used.find(|variable| end(variable) > bytes).map(|variable| (variable.name.clone(), end(variable)))
    }
}

/// The kind of view for a declaration.
fn name_of(kind: ResourceKind) -> &'static str {
    match kind {
        ResourceKind::Constant { .. } => "constant",
        ResourceKind::Raw => "raw",
        ResourceKind::Structured { .. } => "structured",
        ResourceKind::Typed { dimension: Dimension::Buffer, .. } => "typed",
        ResourceKind::Typed { dimension, .. } => dimension.name(),
        ResourceKind::Sampler { .. } => "sampler",
    }
}

/// Appends the types of a structured buffer's element, which is packed; nothing if it is too long or has objects.
fn collect_types(ty: &VariableType, types: &mut Vec<NumberType>) -> Option<()> {
    for _ in 0..ty.elements.max(1) {
        if ty.members.is_empty() {
            let count = usize::from(ty.rows) * usize::from(ty.columns);
            if count == 0 || types.len() + count > MOST_WORDS {
                return None;
            }
            types.extend(std::iter::repeat_n(number_type(ty.base)?, count));
        } else {
            ty.members.iter().try_for_each(|member| collect_types(&member.ty, types))?;
        }
    }
    Some(())
}
