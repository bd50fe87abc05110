//! Assembles operands: registers, modifiers, components.

use super::cursor::{Cursor, Read};
use super::error::{AssembleError, Problem, nearest};
use super::literal::{double_literal, literal};
use crate::sm5::codes::MinPrecision;
use crate::sm5::ops::Slot;
use crate::sm5::{Components, Index, IndexForm, Operand, RegisterFile};
use smallvec::SmallVec;

/// Role of an operand, which decides the meaning of its component letters, and of having none.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// A register or memory that is written: letters are a mask.
    Written,
    /// The operand of a declaration: letters are a mask.
    Declared,
    /// A value that is read: letters are a swizzle, or one component.
    Read,
}

impl Role {
    pub fn of(slot: &Slot) -> Self {
        if slot.is_destination() { Self::Written } else { Self::Read }
    }
}

/// Indices within indices; the token format allows more, but no compiler writes them.
const INDEX_DEPTH: u32 = 4;

/// Reads an operand and the spaces after it.
pub(super) fn operand(cursor: &mut Cursor<'_>, role: Role) -> Read<Operand> {
    nested(cursor, role, 0)
}

fn nested(cursor: &mut Cursor<'_>, role: Role, depth: u32) -> Read<Operand> {
    if depth > INDEX_DEPTH {
        return Err(cursor.error(cursor.at(), Problem::Limit { what: "indices within indices", limit: INDEX_DEPTH }));
    }
    let negate = cursor.eat("-");
    let absolute = cursor.eat("|");
    let mut operand = if cursor.rest().starts_with("l(") {
        literal(cursor)?
    } else if cursor.rest().starts_with("d(") {
        double_literal(cursor)?
    } else {
        let mut operand = register(cursor, depth)?;
        operand.components = components(cursor, &operand, role)?;
        operand
    };
    if absolute {
        cursor.expect("|")?;
    }
    (operand.negate, operand.absolute) = (negate, absolute);
    cursor.spaces();
    remarks(cursor, &mut operand)?;
    Ok(operand)
}

/// A register with its indices: `r0`, `cb0[r1.x + 2]`, `v[3][0]`, `T0[5]`.
fn register(cursor: &mut Cursor<'_>, depth: u32) -> Read<Operand> {
    let start = cursor.at();
    let name = cursor.take_while(|letter| letter.is_ascii_alphabetic());
    let Some(file) = file_named(name) else { return Err(unknown_register(cursor, start, name)) };
    let mut operand = Operand::new(file, Components::None);
    if cursor.peek().is_some_and(|letter| letter.is_ascii_digit()) {
        let number_start = cursor.at();
        cursor.take_while(|letter| letter.is_ascii_digit());
        operand.indices.push(immediate_index(cursor, number_start)?);
    }
    while cursor.peek() == Some('[') {
        if operand.indices.len() == 3 {
            return Err(cursor.expected("at most three indices"));
        }
        cursor.expect("[")?;
        operand.indices.push(index(cursor, depth)?);
        if cursor.peek() != Some(']') {
            return Err(cursor.expected("`]`"));
        }
        // The bracket alone: spaces after it end the operand.
        cursor.seek(cursor.at() + 1);
    }
    Ok(operand)
}

fn unknown_register(cursor: &mut Cursor<'_>, start: usize, letters: &str) -> AssembleError {
    if letters.is_empty() {
        return cursor.expected("an operand");
    }
    let digits = cursor.word();
    // The shortest names are all similar to each other.
    let is_near = |known: &&str| letters.len() > 2 || known.eq_ignore_ascii_case(letters);
    let files = RegisterFile::ALL.iter().map(|file| file.text()).filter(is_near);
    let nearest = nearest(letters, files).map(|file| format!("{file}{digits}"));
    cursor.unknown(start, "register", nearest.as_deref().into_iter())
}

/// The register file with this name. Files with ranges are written in capitals in 5.1.
fn file_named(name: &str) -> Option<RegisterFile> {
    match name {
        "label" => Some(RegisterFile::Label),
        "CB" | "T" | "U" | "S" => file_named(&name.to_lowercase()),
        "l" | "d" => None,
        _ => RegisterFile::ALL.iter().copied().find(|file| file.text() == name),
    }
}

/// The index with the digits from `start` to here.
fn immediate_index(cursor: &Cursor<'_>, start: usize) -> Read<Index> {
    let immediate: u64 = cursor.since(start).parse().map_err(|_| cursor.no_number(start, "index"))?;
    let form = if u32::try_from(immediate).is_ok() { IndexForm::Immediate32 } else { IndexForm::Immediate64 };
    Ok(Index { form, immediate, relative: None })
}

/// `5`, `r0.x`, `r0.x + 5`.
fn index(cursor: &mut Cursor<'_>, depth: u32) -> Read<Index> {
    let start = cursor.at();
    if cursor.peek().is_some_and(|letter| letter.is_ascii_digit()) {
        cursor.word();
        let index = immediate_index(cursor, start)?;
        cursor.spaces();
        return Ok(index);
    }
    if cursor.rest().strip_prefix('-').is_some_and(|rest| rest.starts_with(|letter: char| letter.is_ascii_digit())) {
        return Err(cursor.expected("an index such as `3` or `r1.x + 3`"));
    }
    let relative = nested(cursor, Role::Read, depth + 1)?;
    let mut index = Index { form: IndexForm::Relative, immediate: 0, relative: Some(Box::new(relative)) };
    if cursor.eat("+") {
        let start = cursor.at();
        cursor.word();
        let offset = immediate_index(cursor, start)?;
        cursor.spaces();
        index.immediate = offset.immediate;
        index.form = match offset.form {
            IndexForm::Immediate64 => IndexForm::Relative64,
            // The listing prints `+ 0` where the tokens have no number.
            _ if offset.immediate == 0 => IndexForm::Relative,
            _ => IndexForm::Relative32,
        };
    }
    Ok(index)
}

/// `.xyz`, or the default components without letters.
fn components(cursor: &mut Cursor<'_>, operand: &Operand, role: Role) -> Read<Components> {
    let start = cursor.at();
    if cursor.peek() != Some('.') {
        return Ok(bare_components(operand, role));
    }
    let letters = cursor.take_while(|letter| letter == '.' || letter.is_ascii_alphanumeric());
    let letters = letters.trim_start_matches('.');
    let wrong = || cursor.no_components(start);
    let numbers: Option<SmallVec<[u8; 4]>> =
        letters.chars().map(|letter| "xyzw".find(letter).map(|number| number as u8)).collect();
    let numbers = numbers.filter(|numbers| (1..=4).contains(&numbers.len())).ok_or_else(wrong)?;
    if role == Role::Read {
        let last = *numbers.last().expect("there is at least one");
        return Ok(match numbers.len() {
            1 => Components::Select(last),
            _ => Components::Swizzle([0, 1, 2, 3].map(|n| numbers.get(n).copied().unwrap_or(last))),
        });
    }
    if !numbers.is_sorted_by(|a, b| a < b) {
        return Err(wrong());
    }
    Ok(Components::Mask(numbers.iter().fold(0, |mask, number| mask | 1 << number)))
}

/// The components of a register without letters, as the compiler writes them; all where a person leaves them out.
fn bare_components(operand: &Operand, role: Role) -> Components {
    let all = match role {
        Role::Read => Components::Swizzle([0, 1, 2, 3]),
        Role::Written | Role::Declared => Components::Mask(0xf),
    };
    match operand.file {
        RegisterFile::Temp
        | RegisterFile::Input
        | RegisterFile::Output
        | RegisterFile::IndexableTemp
        | RegisterFile::ConstantBuffer
        | RegisterFile::ImmediateConstantBuffer
        | RegisterFile::InputControlPoint
        | RegisterFile::OutputControlPoint
        | RegisterFile::PatchConstant
        | RegisterFile::DomainPoint
        | RegisterFile::This
        | RegisterFile::ThreadId
        | RegisterFile::GroupId
        | RegisterFile::ThreadIdInGroup => all,
        RegisterFile::Resource | RegisterFile::Rasterizer if role == Role::Read => all,
        RegisterFile::Uav | RegisterFile::SharedMemory if role == Role::Read => all,
        RegisterFile::InnerCoverage
        | RegisterFile::InputCoverage
        | RegisterFile::OutputDepth
        | RegisterFile::OutputDepthGreaterEqual
        | RegisterFile::OutputDepthLessEqual
        | RegisterFile::OutputStencilRef => Components::One,
        RegisterFile::InputPrimitiveId | RegisterFile::OutputControlPointId | RegisterFile::OutputCoverageMask
            if role != Role::Declared =>
        {
            Components::One
        }
        _ => Components::None,
    }
}

/// `{min16f}`, `{def32 as min16f}`, `{ nonuniform }`. The precision after `as` is the result's, which its own operand
/// states.
fn remarks(cursor: &mut Cursor<'_>, operand: &mut Operand) -> Read<()> {
    while cursor.peek() == Some('{') {
        let before = cursor.clone();
        cursor.expect("{")?;
        if cursor.rest().starts_with("trailing") {
            // Remarks of the instruction are read with it.
            *cursor = before;
            return Ok(());
        }
        if cursor.eat("nonuniform") {
            operand.non_uniform = true;
        } else {
            operand.min_precision = precision(cursor)?;
        }
        if cursor.eat("as ") {
            precision(cursor)?;
        }
        cursor.expect("}")?;
    }
    Ok(())
}

fn precision(cursor: &mut Cursor<'_>) -> Read<MinPrecision> {
    cursor.named("precision", MinPrecision::ALL.iter().map(|precision| (*precision, precision.text())))
}
