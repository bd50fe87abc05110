//! What the shader says of its registers, so that a job need not say it again.
//!
//! Declarations say kinds, strides and dimensions; the resource definitions (RDEF), which may be stripped, say types and
//! names. A job with several shaders goes by the first. A shader that cannot be read is an error only where something is
//! asked of it: compiling it says what is wrong.

use std::cell::OnceCell;

use brolga_bytecode::container::resources::{self, BindingKind, BufferKind, VariableType};
use brolga_bytecode::container::{Container, ResourceDefinitions};
use brolga_runtime::{
    BindingError, Declared, Dimension, Error, FileError, Format, Limits, Module, ResourceKind, TextureShape,
};

use super::error::{JobError, Problem};
use super::kind_keys;
use super::load::LoadedView;
use super::model::*;
use super::values::NumberType;
use super::variables::{self, number_type};
use crate::files::{ElementType, FileForm};

/// Words of a structure whose types are looked at; Direct3D's strides end here.
const MOST_WORDS: usize = 512;

/// The declarations of a job's first shader, read when they are asked for.
pub(super) struct Declarations<'a> {
    pub job: &'a Job,
    pub container: &'a [u8],
    pub limits: &'a Limits,
    pub found: OnceCell<Found>,
}

/// What a shader file says.
pub(super) struct Found {
    declared: Vec<Declared>,
    names: Option<ResourceDefinitions>,
}

impl Found {
    pub fn read(container: &[u8], limits: &Limits) -> Result<Self, Error> {
        let declared = Module::load(container, limits)?.bindings().to_vec();
        let names = Container::parse(container, &limits.file).and_then(|file| file.resources(&limits.file));
        Ok(Self { declared, names: names.map_err(FileError::from)? })
    }

    /// The row about a register in the table of bindings.
    fn binding(&self, register: Register) -> Option<&resources::Binding> {
        let holds = |row: &&resources::Binding| register.is_within((*row).into(), row.count());
        self.names.as_ref()?.bindings.iter().find(holds)
    }

    /// The layout of the constant buffer at a register.
    pub fn constants(&self, register: Register) -> Option<&resources::Buffer> {
        self.buffer(register, BufferKind::ConstantBuffer)
    }

    /// The layout of what is bound to a register.
    pub fn buffer(&self, register: Register, kind: BufferKind) -> Option<&resources::Buffer> {
        let name = self.binding(register)?.name.as_str();
        // Of an array there is a layout for an element.
        let is_of = |of: &str| of.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with('['));
        let mut buffers = self.names.as_ref()?.buffers.iter().filter(|buffer| buffer.kind == kind);
        buffers.find(|buffer| is_of(&buffer.name))
    }
}

impl Declarations<'_> {
    fn found(&self) -> Result<&Found, JobError> {
        if self.found.get().is_none() {
            let found = Found::read(self.container, self.limits).map_err(|error| self.job.of_shader(0, error))?;
            // It cannot have been set in between.
            let _ = self.found.set(found);
        }
        Ok(self.found.get().expect("set above"))
    }

    /// The declaration of a register, if the shader can be read and has one.
    fn known(&self, register: Register) -> Option<&Declared> {
        self.found().ok()?.declared.iter().find(|declared| declared.contains(register))
    }

    /// The declaration of a register that must be there.
    fn needed(&self, binding: &Binding) -> Result<&Declared, JobError> {
        let found = self.found()?;
        let register = binding.register;
        found.declared.iter().find(|declared| declared.contains(register)).ok_or_else(|| {
            let declared = found.declared.iter().map(Declared::to_string).collect();
            let bound = binding.kind.name.map_or("view".into(), |name| format!("{name} view"));
            let error = BindingError::NotDeclared { register, bound, declared };
            self.job.error(&binding.span, self.job.run_problem(0, error.into()))
        })
    }

    /// Fills in what a binding leaves out, and gives the kind of its view. What a file says is still left out.
    pub fn complete(&self, binding: &mut Binding) -> Result<Kind, JobError> {
        let kind = self.kind(binding)?;
        if let Kind::Structured { .. } = kind
            && binding.counter.is_none()
            && binding.register.class == ResourceClass::UnorderedAccess
            && self.counts_from_zero(binding.register)
        {
            binding.counter = Some(0);
        }
        if let Some(save) = &mut binding.save
            && save.number_type.is_none()
            && save.form(&kind) == Ok(FileForm::Npy)
            && let Kind::Structured { .. } = kind
            && let Some([number_type]) = self.element_types(binding.register).as_deref()
        {
            save.number_type = Some(*number_type);
        }
        if !binding.variables.is_empty() {
            self.place_variables(binding)?;
        }
        if let (Kind::Constant, None, Content::Fill(_)) = (&kind, binding.size, &binding.content) {
            binding.size = self.constant_bytes(binding.register);
        }
        Ok(kind)
    }

    /// Whether the shader uses the hidden counter, which is zero where nothing is said. What a shader consumes must have been
    /// put there, and nobody but the job knows how much that is.
    fn counts_from_zero(&self, register: Register) -> bool {
        match self.found().ok().and_then(|found| found.binding(register)).map(|row| row.kind) {
            Some(BindingKind::UavAppend | BindingKind::UavCounter) => true,
            Some(BindingKind::UavConsume) => false,
            _ => self.known(register).is_some_and(|declared| declared.uses_counter),
        }
    }

    fn kind(&self, binding: &Binding) -> Result<Kind, JobError> {
        let keys = &binding.kind;
        let is_texture_file = matches!(&binding.content, Content::File(file) if FileForm::of(&file.value).is_texture());
        let name = match keys.name {
            Some(name) => name,
            None if is_texture_file => "texture",
            None => name_of(self.needed(binding)?.kind),
        };
        if keys.name.is_none() {
            kind_keys::check_said(&keys.said, binding.register, name)
                .map_err(|(problem, span)| self.job.error(&span, problem))?;
        }
        let missing =
            |key| Err(self.job.error(&binding.span, Problem::MissingKey { place: kind_keys::place(name), key }));
        match name {
            "constant" => Ok(Kind::Constant),
            "raw" => Ok(Kind::Raw),
            "sampler" => Ok(Kind::Sampler(keys.sampler.unwrap_or_default())),
            "structured" => match keys.stride {
                Some(stride) => Ok(Kind::Structured { stride, count: keys.count }),
                None => match self.needed(binding)?.kind {
                    ResourceKind::Structured { stride_bytes } => {
                        Ok(Kind::Structured { stride: stride_bytes, count: keys.count })
                    }
                    declared => Err(self.other_kind(binding, declared, "structured view")),
                },
            },
            "typed" => match keys.texture.format.or_else(|| self.format(binding.register)) {
                Some(format) => Ok(Kind::Typed { format, count: keys.count }),
                None => missing("format"),
            },
            _ => {
                let mut texture = keys.texture;
                let declared = self.known(binding.register).map(|declared| declared.kind);
                if let (None, Some(ResourceKind::Typed { dimension, .. })) = (keys.name, declared) {
                    // A view may make another kind of a texture, and the texture is what the job has left out.
                    let view = binding.view.map(|view| view.dimension);
                    texture.dimension = Some(dimension).filter(|_| !is_texture_file && view.flatten().is_none());
                    texture.seen_as = Some(dimension).filter(|_| view.is_none());
                }
                if !is_texture_file {
                    texture.format = texture.format.or_else(|| self.format(binding.register));
                }
                Ok(Kind::Texture(texture))
            }
        }
    }

    fn other_kind(&self, binding: &Binding, declared: ResourceKind, bound: &str) -> JobError {
        let register = binding.register;
        let error = BindingError::Kind { register, declared, bound: bound.to_owned() };
        self.job.error(&binding.span, self.job.run_problem(0, error.into()))
    }

    /// The format that has just what the shader's declaration has: `float4` in floats of 32 bits, `unorm float4` in bytes.
    fn format(&self, register: Register) -> Option<Format> {
        let row = self.found().ok()?.binding(register)?;
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
            self.known(register)?.kind,
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

    /// The types of the numbers in an element of a structured view; one where all are the same.
    fn element_types(&self, register: Register) -> Option<Vec<NumberType>> {
        let buffer = self.found().ok()?.buffer(register, BufferKind::ResourceElements)?;
        let [element] = buffer.variables.as_slice() else { return None };
        let mut types = Vec::new();
        collect_types(&element.ty, &mut types)?;
        let bytes: usize = types.iter().map(|number_type| number_type.size_bytes()).sum();
        if types.is_empty() || bytes != element.size_bytes as usize {
            return None;
        }
        match types.iter().all(|number_type| *number_type == types[0]) {
            true => Some(vec![types[0]]),
            // Beside a double lies padding.
            false => types.iter().all(|number_type| number_type.size_bytes() == 4).then_some(types),
        }
    }

    /// Makes values of the variables that a binding names.
    fn place_variables(&self, binding: &mut Binding) -> Result<(), JobError> {
        self.needed(binding)?;
        let buffer = self.found()?.constants(binding.register);
        let at_span = |(problem, span)| self.job.error(&span, problem);
        let named = variables::runs(binding.register, &binding.variables, buffer).map_err(at_span)?;
        let runs = match &mut binding.content {
            Content::Values(runs) => runs,
            content => {
                *content = Content::Values(Vec::new());
                let Content::Values(runs) = content else { unreachable!("set above") };
                runs
            }
        };
        variables::check_overlaps(binding.register, runs, &named).map_err(at_span)?;
        runs.extend(named);
        // Shaders see zeros after the values, whether the buffer has them or not.
        if let (None, Some(buffer)) = (binding.size, buffer) {
            let end = runs.iter().map(Run::end).max().unwrap_or(0);
            binding.size = Some(end.max(buffer.size_bytes.into()));
        }
        Ok(())
    }

    /// Fills in the types of the numbers that an expectation compares with a file, where the shader or the format says them.
    pub fn complete_rules(&self, expectation: &mut Expectation, kind: &Kind<TextureShape>) {
        if !expectation.rules.pattern.is_empty() || !matches!(expectation.content, Some(Expected::File(_))) {
            return;
        }
        let types = match kind {
            Kind::Structured { .. } => self.element_types(expectation.register),
            Kind::Typed { format, .. } | Kind::Texture(TextureShape { format, .. }) => {
                NumberType::of_element(ElementType::of_format(*format).0).map(|number_type| vec![number_type])
            }
            _ => None,
        };
        expectation.rules.pattern = types.unwrap_or_default();
        expectation.rules.mixed = expectation.rules.pattern.len() > 1;
    }

    /// What is doubtful about a view, though the shader can run with it.
    pub fn warning(&self, binding: &Binding, view: &LoadedView) -> Option<JobError> {
        let Kind::Constant = view.kind else { return None };
        let bytes = view.content.size_bytes();
        let (variable, end) = self.beyond(binding.register, bytes)?;
        let problem = Problem::ShortConstants { register: binding.register.to_string(), bytes, variable, end };
        Some(self.job.error(&binding.span, problem))
    }

    /// Bytes of a constant buffer as the source or the program has it.
    fn constant_bytes(&self, register: Register) -> Option<u64> {
        let named = self.found().ok()?.constants(register);
        match (named, self.known(register)?.kind) {
            (Some(buffer), _) => Some(buffer.size_bytes.into()),
            (None, ResourceKind::Constant { vectors }) => Some(16 * u64::from(vectors)).filter(|bytes| *bytes > 0),
            _ => None,
        }
    }

    /// A variable that the shader reads and that ends after the last byte of a constant buffer.
    fn beyond(&self, register: Register, bytes: u64) -> Option<(String, u64)> {
        let buffer = self.found().ok()?.constants(register)?;
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
