//! Collects declarations and definitions, and checks the rules for each form.

use super::{Mask, Rule, ValidateError};
use crate::faults::Faults;
use crate::sm3::{
    Declaration, Definition, Destination, ItemKind, Op, Program, Register, RegisterFile, TextureType, Usage, Value,
    Version,
};
use crate::sm5::Stage;
use std::collections::BTreeMap;

/// Declarations and definitions of a program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Declarations {
    /// Inputs, in the order of the stream. Several may share a register.
    pub inputs: Vec<Declaration>,
    /// Outputs of vs_3_0, in the order of the stream. Several may share a register.
    pub outputs: Vec<Declaration>,
    /// Samplers by their numbers.
    pub samplers: BTreeMap<u16, TextureType>,
    /// Constants whose values the program defines; the last definition counts.
    pub constants: BTreeMap<Register, Value>,
    masks: BTreeMap<Register, u8>,
}

impl Declarations {
    /// The components of a register that are declared.
    pub fn mask(&self, register: Register) -> u8 {
        self.masks.get(&register).copied().unwrap_or(0)
    }
}

/// Bytes from the beginning of a declaration to its usage token and its register, and of a definition to its register.
const USAGE: u32 = 4;
const REGISTER: u32 = 8;
const DEFINED: u32 = 4;

/// Form of a declaration's tokens.
enum DeclarationForm {
    /// A sampler, with a texture type.
    Sampler,
    /// An input or output with a usage, alone in its register.
    Usage,
    /// The same, but other declarations may use the register's other components.
    SharedUsage,
    /// A register without a usage.
    Plain,
}

/// Collects the declarations and checks them.
///
/// A faulty declaration still counts, so that one fault does not cause others.
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
            ItemKind::Declaration(declaration) => (Op::Dcl, declare(&mut declarations, program.version, declaration)),
            ItemKind::Definition(definition) => {
                let defined = define(&mut declarations, program.version, definition);
                (definition.value.op(), defined.map_err(|rule| (DEFINED, rule)))
            }
        };
        if is_late {
            faults.push(Rule::Late.broken(at, op));
        }
        faults.note(checked.map_err(|(token, rule)| rule.broken(at + token, op)));
    }
    declarations
}

fn form(version: Version, register: Register) -> Option<DeclarationForm> {
    match (version.stage(), register.file) {
        (_, RegisterFile::Sampler) => Some(DeclarationForm::Sampler),
        (Stage::Vertex, RegisterFile::Input) if version.major() < 3 => Some(DeclarationForm::Usage),
        (Stage::Vertex, RegisterFile::Input | RegisterFile::Output) => Some(DeclarationForm::SharedUsage),
        (Stage::Pixel, RegisterFile::Input) if version.major() >= 3 => Some(DeclarationForm::SharedUsage),
        (Stage::Pixel, RegisterFile::Input | RegisterFile::Texture | RegisterFile::Misc) => {
            Some(DeclarationForm::Plain)
        }
        _ => None,
    }
}

/// Adds a declaration. The error has the offset of the wrong token in it.
fn declare(declarations: &mut Declarations, version: Version, declaration: &Declaration) -> Result<(), (u32, Rule)> {
    let destination = &declaration.register;
    let register = destination.register;
    if !register.exists_in(version) {
        let count = register.file.count(version);
        return Err((REGISTER, Rule::NoRegister { register, version, count }));
    }
    let form = form(version, register).ok_or((REGISTER, Rule::NotDeclarable { register, version }))?;
    let mask = declarations.masks.entry(register).or_default();
    let taken = if matches!(form, DeclarationForm::SharedUsage) { *mask & destination.mask } else { *mask };
    *mask |= destination.mask;
    match form {
        DeclarationForm::Sampler => {
            let texture = texture(declaration).map_err(|rule| (USAGE, rule))?;
            declarations.samplers.insert(register.number, texture);
        }
        DeclarationForm::Usage | DeclarationForm::SharedUsage => {
            let checked = usage(declarations, version, declaration);
            let list = match register.file {
                RegisterFile::Output => &mut declarations.outputs,
                _ => &mut declarations.inputs,
            };
            list.push(*declaration);
            checked.map_err(|rule| (USAGE, rule))?;
        }
        DeclarationForm::Plain => {
            let token = declaration.usage_token;
            declarations.inputs.push(*declaration);
            if token != Declaration::PLAIN {
                return Err((USAGE, Rule::NeedlessUsage { register, token }));
            }
        }
    }
    let checked = declared_mask(version, declaration, &form).and_then(|()| declared_modifiers(version, destination));
    checked.map_err(|rule| (REGISTER, rule))?;
    if taken != 0 {
        return Err((REGISTER, Rule::DeclaredTwice { register, mask: Mask(taken) }));
    }
    Ok(())
}

/// The usage token of a sampler: the texture type, and nothing else.
fn texture(declaration: &Declaration) -> Result<TextureType, Rule> {
    let register = declaration.register.register;
    let bits = declaration.usage_token & 0x07ff_ffff;
    if bits != 0 {
        return Err(Rule::ReservedUsageBits { register, bits });
    }
    let code = declaration.texture_code();
    declaration.texture().ok_or(Rule::TextureTypeCode { register, code })
}

/// The usage token of an input or output: a usage and its index, and nothing else. No two may have the same.
fn usage(declarations: &Declarations, version: Version, declaration: &Declaration) -> Result<(), Rule> {
    let register = declaration.register.register;
    if let Some(texture) = declaration.texture()
        && declaration.usage_token & 0x07ff_ffff == 0
    {
        return Err(Rule::TextureTypeOfOther { register, texture });
    }
    let bits = declaration.usage_token & 0x7ff0_ffe0;
    if bits != 0 {
        return Err(Rule::ReservedUsageBits { register, bits });
    }
    let (code, index) = (declaration.usage_code(), declaration.usage_index());
    let usage = declaration.usage().ok_or(Rule::UsageCode { register, code })?;
    if version.stage() == Stage::Pixel {
        let is_for_vertices = match usage {
            Usage::TessFactor | Usage::Sample => true,
            Usage::Position | Usage::PositionT | Usage::PointSize => index == 0,
            _ => false,
        };
        if is_for_vertices {
            return Err(Rule::PixelUsage { register, usage, index });
        }
    }
    let others = if register.file == RegisterFile::Output { &declarations.outputs } else { &declarations.inputs };
    let other = others.iter().find(|other| other.usage_token == declaration.usage_token);
    // vFace and vPos have no usage.
    match other.filter(|other| other.register.register.file == register.file) {
        Some(other) => Err(Rule::UsageTwice { usage, index, other: other.register.register }),
        None => Ok(()),
    }
}

fn declared_mask(version: Version, declaration: &Declaration, form: &DeclarationForm) -> Result<(), Rule> {
    const WHOLE: u8 = 0xf;
    let Destination { register, mask, .. } = declaration.register;
    let (is_right, expected) = match (register, form) {
        (Register::POSITION, _) => (matches!(mask, 1..=3), ".x, .y or .xy"),
        (Register::FACE, _) | (_, DeclarationForm::Sampler | DeclarationForm::Usage) => (mask == WHOLE, ".xyzw"),
        (_, DeclarationForm::Plain) if register.file == RegisterFile::Texture => {
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
        return Err(Rule::DeclaredMask { register, mask: Mask(mask), expected });
    }
    Ok(())
}

/// Inputs of pixel shaders may be declared with `_pp` and `_centroid`, and nothing with anything else.
fn declared_modifiers(version: Version, destination: &Destination) -> Result<(), Rule> {
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
        Some((_, modifier)) => Err(Rule::DeclaredModifier { register, modifier }),
        None => Ok(()),
    }
}

fn define(declarations: &mut Declarations, version: Version, definition: &Definition) -> Result<(), Rule> {
    let (file, expected) = match definition.value {
        Value::Float(_) => (RegisterFile::Const, "a whole c#"),
        Value::Int(_) => (RegisterFile::ConstInt, "a whole i#"),
        Value::Bool(_) => (RegisterFile::ConstBool, "a whole b#"),
    };
    let register = definition.register.register;
    if definition.register != Destination::whole(register) || register.file != file {
        let mask = Mask(definition.register.mask);
        return Err(Rule::DefinedRegister { register, mask, expected });
    }
    if !register.exists_in(version) {
        return Err(Rule::NoRegister { register, version, count: file.count(version) });
    }
    declarations.constants.insert(register, definition.value);
    Ok(())
}
