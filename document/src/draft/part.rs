//! A shader of a draft, with what is known of it.

use brolga_bytecode::container::classes::ClassType;
use brolga_bytecode::info::{self, Element, Info, Location, SignatureKind, Variable};
use brolga_bytecode::sm5::Stage;
use brolga_bytecode::{LoadOptions, sm3};
use brolga_runtime::{
    ClassInstance, Codegen, CompileOptions, Device, Engine, Error, InstanceError, Register, Shader, Unset,
};

use super::DraftShader;
use super::type_name::TypeName;
use super::uses::Uses;
use crate::language::{Outline, Source, TextShader};
use crate::text::quoted;

/// The stages of a draw, in their order.
pub(super) const DRAWN: [Stage; 5] = [Stage::Vertex, Stage::Hull, Stage::Domain, Stage::Geometry, Stage::Pixel];

/// The place of a stage among those of a draw.
pub(super) fn place(stage: Stage) -> usize {
    DRAWN.iter().position(|known| *known == stage).unwrap_or(0)
}

/// A shader that nothing runs: only its declarations are asked for.
pub(super) struct Part {
    /// Its file as the document names it.
    pub file: String,
    /// Its source, profile and entry point, if that is HLSL.
    pub source: Option<Source>,
    pub info: info::Program,
    pub shader: Shader,
    /// The class instances of its interface variables: the first that fit.
    pub choices: Vec<Choice>,
    pub options: CompileOptions,
    pub uses: Uses,
    /// What was read, if it is WGSL.
    pub text: Option<TextShader>,
}

impl Part {
    /// The place of its stage in the pipeline.
    pub fn place(&self) -> usize {
        place(self.info.stage)
    }

    pub fn new(device: &Device, given: &DraftShader<'_>) -> Result<Self, Error> {
        let limits = &device.limits().file;
        let mut info = Info::read(given.container, limits)?.program;
        let mut options = CompileOptions::new(Engine::Interpreter).codegen(Codegen::Deferred);
        let mut choices = Vec::new();
        let shader = match device.compile(given.container, &options) {
            Err(Error::Instance(error)) => match *error {
                InstanceError::Unset { unset } => {
                    choices = unset.into_iter().map(|unset| Choice::of(unset, &info.classes)).collect();
                    for choice in &choices {
                        options = options.instance(&choice.unset.variable, choice.instance.clone());
                    }
                    device.compile(given.container, &options)?
                }
                error => return Err(Error::Instance(error.into())),
            },
            shader => shader?,
        };
        let uses = if sm3::is_program(given.container) {
            for constants in &mut info.constants {
                constants.variables.iter_mut().for_each(locate);
            }
            Uses::of_direct3d9(&sm3::decode(given.container, 0, limits).map_err(brolga_bytecode::Error::from)?)
        } else {
            let mut load = LoadOptions::default();
            load.limits = limits.clone();
            let place = elements(&info, SignatureKind::Outputs)
                .find(|element| element.name.eq_ignore_ascii_case("SV_Position"));
            let place = place.and_then(|element| element.register.strip_prefix('o')?.parse().ok());
            Uses::of_direct3d11(brolga_bytecode::Shader::load(given.container, &load)?.program.program(), place)
        };
        let file = given.file.to_string_lossy().into_owned();
        Ok(Self { file, source: given.source.cloned(), info, shader, choices, options, uses, text: None })
    }

    /// A shader that was read from a text.
    pub fn of_text(device: &Device, given: &DraftShader<'_>, text: TextShader) -> Result<Self, Error> {
        let options = CompileOptions::new(Engine::Interpreter).codegen(Codegen::Deferred);
        let shader = device.compile_module(&text.module, &options)?;
        let Outline { cost, has_loops, is_racing } = text.outline;
        let uses = Uses { cost, has_loops, is_racing, ..Uses::default() };
        let file = given.file.to_string_lossy().into_owned();
        let (info, choices) = (text.info.program.clone(), Vec::new());
        Ok(Self { file, source: None, info, shader, choices, options, uses, text: Some(text) })
    }

    pub fn is_direct3d9(&self) -> bool {
        self.shader.module().is_direct3d9()
    }

    /// The elements of a signature.
    pub fn elements(&self, kind: SignatureKind) -> impl Iterator<Item = &Element> {
        elements(&self.info, kind)
    }

    /// The resource definition of a register, and the element of it that the register is.
    pub fn binding(&self, register: Register) -> Option<(&info::Binding, u32)> {
        let letter = register.class.letter();
        self.info.bindings.iter().filter(|binding| binding.space == register.space).find_map(|binding| {
            let first: u32 = binding.register.strip_prefix(letter)?.parse().ok()?;
            let element = register.index.checked_sub(first)?;
            binding.count.is_none_or(|count| element < count).then_some((binding, element))
        })
    }

    /// The variables of what is at a register: of a constant buffer (`cbuffer`), or the elements of a structured one
    /// (`elements`).
    pub fn described(&self, register: Register, kind: &str) -> Option<&info::Constants> {
        if self.is_direct3d9() {
            // All is in one table, which is that of the floats.
            let is_it = kind == "cbuffer" && register.index == 0;
            return self.info.constants.iter().find(|found| is_it && !found.variables.is_empty());
        }
        let name = self.binding(register)?.0.name.as_ref()?;
        self.info.constants.iter().find(|found| found.kind == kind && found.name == *name)
    }
}

fn elements(info: &info::Program, kind: SignatureKind) -> impl Iterator<Item = &Element> {
    info.signatures.iter().filter(move |found| found.kind == kind).flat_map(|found| &found.elements)
}

/// Says where a constant of Direct3D 9 and its members lie as if its registers were a buffer.
fn locate(variable: &mut Variable) {
    fn members(variable: &mut Variable, mut at: u32) {
        for member in &mut variable.members {
            member.location = Some(Location::Bytes { offset: at, size: None });
            members(member, at);
            let vectors = super::type_name::element_words(member).div_ceil(4) as u32;
            at = at.saturating_add(vectors.saturating_mul(16).saturating_mul(member.elements.unwrap_or(1).max(1)));
        }
    }
    let Some(Location::Registers { first, count }) = &variable.location else { return };
    // Other registers than those of floats are each by itself.
    let register = first.strip_prefix('c').and_then(|number| number.parse::<u32>().ok());
    let Some(offset) = register.and_then(|register| register.checked_mul(16)) else {
        variable.members.clear();
        return;
    };
    let is_whole = TypeName::parse(&variable.type_name).is_some() || !variable.members.is_empty();
    variable.location = Some(Location::Bytes { offset, size: is_whole.then(|| count.saturating_mul(16)) });
    members(variable, offset);
}

/// An interface variable and what it stands for.
pub(super) struct Choice {
    pub unset: Unset,
    instance: ClassInstance,
    /// The instance as a document says it.
    pub text: String,
}

impl Choice {
    fn of(unset: Unset, classes: &[ClassType]) -> Self {
        if let Some(name) = unset.fits.first() {
            let (instance, text) = (name.as_str().into(), quoted(name));
            return Self { instance, text, unset };
        }
        let name = unset.classes.first().cloned().unwrap_or_default();
        let mut placed = ClassInstance::of_class(&name);
        let mut text = format!("{{ class = {}", quoted(&name));
        if let Some(class) = classes.iter().find(|class| class.name == name) {
            if class.vectors > 0 {
                placed = placed.constants(0, 0);
                text += ", constants = \"b0\", vector = 0";
            }
            if class.textures > 0 {
                placed = placed.texture(0);
                text += ", texture = \"t0\"";
            }
            if class.samplers > 0 {
                placed = placed.sampler(0);
                text += ", sampler = \"s0\"";
            }
        }
        Self { instance: placed.into(), text: text + " }", unset }
    }
}
