//! Declarations and definitions: what they say, and the rules for each form.

use super::{Mask, ValidateError};
use crate::faults::Faults;
use crate::sm3::{
    Declaration, Definition, Destination, ItemKind, Op, Program, Register, RegisterFile, TextureType, Usage, Value,
    Version,
};
use crate::sm5::Stage;
use std::collections::BTreeMap;

/// What a program declares and defines.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Declarations {
    /// Inputs, in the order of the stream. Several may share a register.
    pub inputs: Vec<Declaration>,
    /// Outputs of vs_3_0, in the order of the stream. Several may share a register.
    pub outputs: Vec<Declaration>,
    /// Samplers by their numbers.
    pub samplers: BTreeMap<u16, TextureType>,
    /// Constants whose values the program holds; the last definition counts.
    pub constants: BTreeMap<Register, Value>,
    masks: BTreeMap<Register, u8>,
}

impl Declarations {
    /// The components of a register that are declared.
    pub fn mask(&self, register: Register) -> u8 {
        self.masks.get(&register).copied().unwrap_or(0)
    }
}

/// The rules that the tokens of a declaration keep.
enum Form {
    /// A sampler, with a texture type.
    Sampler,
    /// An input or output with a usage, alone in its register.
    Usage,
    /// The same, where others may have the other components of the register.
    SharedUsage,
    /// A register without a usage.
    Plain,
}

/// Collects the declarations and checks them.
///
/// What is declared counts as declared even if something is wrong with it, so that one fault does not make others.
pub fn collect(program: &Program, faults: &mut Faults<ValidateError>) -> Declarations {
    let mut declarations = Declarations::default();
    let mut is_late = false;
    for item in &program.items {
        if faults.is_cut() {
            break;
        }
        let at = item.at;
        let (op, checked) = match &item.kind {
            ItemKind::Instruction(_) => {
                is_late = true;
                continue;
            }
            ItemKind::Comment(_) => continue,
            ItemKind::Declaration(declaration) => {
                (Op::Dcl, declare(&mut declarations, program.version, at, declaration))
            }
            ItemKind::Definition(definition) => {
                (definition.value.op(), define(&mut declarations, program.version, at, definition))
            }
        };
        if is_late {
            faults.push(ValidateError::Late { at, op });
        }
        faults.note(checked);
    }
    declarations
}

fn form(version: Version, register: Register) -> Option<Form> {
    match (version.stage(), register.file) {
        (_, RegisterFile::Sampler) => Some(Form::Sampler),
        (Stage::Vertex, RegisterFile::Input) if version.major() < 3 => Some(Form::Usage),
        (Stage::Vertex, RegisterFile::Input | RegisterFile::Output) => Some(Form::SharedUsage),
        (Stage::Pixel, RegisterFile::Input) if version.major() >= 3 => Some(Form::SharedUsage),
        (Stage::Pixel, RegisterFile::Input | RegisterFile::Texture | RegisterFile::Misc) => Some(Form::Plain),
        _ => None,
    }
}

fn declare(
    declarations: &mut Declarations,
    version: Version,
    at: u32,
    declaration: &Declaration,
) -> Result<(), ValidateError> {
    // The tokens of a declaration: its own, the usage, the register.
    let (usage_at, register_at) = (at + 4, at + 8);
    let destination = &declaration.register;
    let register = destination.register;
    if !register.exists_in(version) {
        let count = register.file.count(version);
        return Err(ValidateError::NoRegister { at: register_at, register, version, count });
    }
    let form = form(version, register).ok_or(ValidateError::NotDeclarable { at: register_at, register, version })?;
    let mask = declarations.masks.entry(register).or_default();
    let taken = if matches!(form, Form::SharedUsage) { *mask & destination.mask } else { *mask };
    *mask |= destination.mask;
    match form {
        Form::Sampler => {
            let texture = texture(usage_at, declaration)?;
            declarations.samplers.insert(register.number, texture);
        }
        Form::Usage | Form::SharedUsage => {
            let checked = usage(declarations, version, usage_at, declaration);
            let list = match register.file {
                RegisterFile::Output => &mut declarations.outputs,
                _ => &mut declarations.inputs,
            };
            list.push(*declaration);
            checked?;
        }
        Form::Plain => {
            let token = declaration.usage_token;
            declarations.inputs.push(*declaration);
            if token != Declaration::PLAIN {
                return Err(ValidateError::NeedlessUsage { at: usage_at, register, token });
            }
        }
    }
    declared_mask(version, register_at, declaration, &form)?;
    declared_modifiers(version, register_at, destination)?;
    if taken != 0 {
        return Err(ValidateError::DeclaredTwice { at: register_at, register, mask: Mask(taken) });
    }
    Ok(())
}

/// The usage token of a sampler: the texture type, and nothing else.
fn texture(at: u32, declaration: &Declaration) -> Result<TextureType, ValidateError> {
    let register = declaration.register.register;
    let bits = declaration.usage_token & 0x07ff_ffff;
    if bits != 0 {
        return Err(ValidateError::ReservedUsageBits { at, register, bits });
    }
    let code = declaration.texture_code();
    declaration.texture().ok_or(ValidateError::TextureTypeCode { at, register, code })
}

/// The usage token of an input or output: a usage and its index, and nothing else. No two may have the same.
fn usage(
    declarations: &Declarations,
    version: Version,
    at: u32,
    declaration: &Declaration,
) -> Result<(), ValidateError> {
    let register = declaration.register.register;
    if let Some(texture) = declaration.texture()
        && declaration.usage_token & 0x07ff_ffff == 0
    {
        return Err(ValidateError::TextureTypeOfOther { at, register, texture });
    }
    let bits = declaration.usage_token & 0x7ff0_ffe0;
    if bits != 0 {
        return Err(ValidateError::ReservedUsageBits { at, register, bits });
    }
    let (code, index) = (declaration.usage_code(), declaration.usage_index());
    let usage = declaration.usage().ok_or(ValidateError::UsageCode { at, register, code })?;
    if version.stage() == Stage::Pixel {
        let is_for_vertices = match usage {
            Usage::TessFactor | Usage::Sample => true,
            Usage::Position | Usage::PositionT | Usage::PointSize => index == 0,
            _ => false,
        };
        if is_for_vertices {
            return Err(ValidateError::PixelUsage { at, register, usage, index });
        }
    }
    let others = if register.file == RegisterFile::Output { &declarations.outputs } else { &declarations.inputs };
    let other = others.iter().find(|other| other.usage_token == declaration.usage_token);
    // vFace and vPos have no usage.
    match other.filter(|other| other.register.register.file == register.file) {
        Some(other) => Err(ValidateError::UsageTwice { at, usage, index, other: other.register.register }),
        None => Ok(()),
    }
}

fn declared_mask(version: Version, at: u32, declaration: &Declaration, form: &Form) -> Result<(), ValidateError> {
    const WHOLE: u8 = 0xf;
    let Destination { register, mask, .. } = declaration.register;
    let (is_right, expected) = match (register, form) {
        (Register::POSITION, _) => (matches!(mask, 1..=3), ".x, .y or .xy"),
        (Register::FACE, _) | (_, Form::Sampler | Form::Usage) => (mask == WHOLE, ".xyzw"),
        (_, Form::Plain) if register.file == RegisterFile::Texture => {
            (matches!(mask, 1 | 3 | 7 | WHOLE), ".x, .xy, .xyz or .xyzw")
        }
        _ if register.file == RegisterFile::Output
            && version.stage() == Stage::Vertex
            && declaration.usage_token == Declaration::usage_token(Usage::PointSize, 0) =>
        {
            (mask == WHOLE, ".xyzw")
        }
        _ => (mask != 0, "one component at least"),
    };
    if !is_right {
        return Err(ValidateError::DeclaredMask { at, register, mask: Mask(mask), expected });
    }
    Ok(())
}

/// Inputs of pixel shaders may be declared with `_pp` and `_centroid`, and nothing with anything else.
fn declared_modifiers(version: Version, at: u32, destination: &Destination) -> Result<(), ValidateError> {
    let register = destination.register;
    let is_pixel_input = match register.file {
        RegisterFile::Texture => true,
        RegisterFile::Input => version.stage() == Stage::Pixel && version.major() >= 3,
        _ => false,
    };
    let checks = [
        (destination.saturate, "_sat"),
        (destination.shift != 0, "a shift"),
        (destination.partial_precision && !is_pixel_input, "_pp"),
        (destination.centroid && !is_pixel_input, "_centroid"),
    ];
    match checks.into_iter().find(|(is_wrong, _)| *is_wrong) {
        Some((_, modifier)) => Err(ValidateError::DeclaredModifier { at, register, modifier }),
        None => Ok(()),
    }
}

fn define(
    declarations: &mut Declarations,
    version: Version,
    at: u32,
    definition: &Definition,
) -> Result<(), ValidateError> {
    let (file, expected) = match definition.value {
        Value::Float(_) => (RegisterFile::Const, "a whole c#"),
        Value::Int(_) => (RegisterFile::ConstInt, "a whole i#"),
        Value::Bool(_) => (RegisterFile::ConstBool, "a whole b#"),
    };
    let register = definition.register.register;
    let at = at + 4;
    if definition.register != Destination::whole(register) || register.file != file {
        let (op, mask) = (definition.value.op(), Mask(definition.register.mask));
        return Err(ValidateError::DefinedRegister { at, op, register, mask, expected });
    }
    if !register.exists_in(version) {
        return Err(ValidateError::NoRegister { at, register, version, count: file.count(version) });
    }
    declarations.constants.insert(register, definition.value);
    Ok(())
}
