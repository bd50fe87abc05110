//! What can be wrong with a program.

use crate::sm5::operand::RegisterFile;
use crate::sm5::ops::Op;
use crate::sm5::valid::FunctionName;
use crate::sm5::{Model, Stage};
use std::fmt::{self, Display, Formatter};

/// A register, for messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Register {
    /// Its file.
    pub file: RegisterFile,
    /// Its number; 0 for files of one register.
    pub number: u32,
}

impl Display for Register {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(self.file.text())?;
        if self.file.is_numbered() { write!(f, "{}", self.number) } else { Ok(()) }
    }
}

impl Display for FunctionName {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Label(number) => write!(f, "label{number}"),
            Self::Body(number) => write!(f, "fb{number}"),
        }
    }
}

/// A mask of components, for messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Mask(pub u8);

impl Display for Mask {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(".")?;
        ["x", "y", "z", "w"]
            .iter()
            .enumerate()
            .filter(|(n, _)| self.0 & (1 << n) != 0)
            .try_for_each(|(_, letter)| f.write_str(letter))
    }
}

/// A rule that a program breaks. `at` is the byte in the file where the instruction or declaration begins.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs)] // The fields are named in each message.
pub enum ValidateError {
    /// The stage or the model does not have the opcode.
    #[error("{op} at byte {at}: does not exist in {stage}_{model}")]
    NotInStage { at: u32, op: Op, stage: Stage, model: Model },
    /// A declaration stands behind instructions.
    #[error("{op} at byte {at}: declarations must come before instructions")]
    LateDeclaration { at: u32, op: Op },
    /// Something is declared twice.
    #[error("{op} at byte {at}: {register} is declared already")]
    DeclaredTwice { at: u32, op: Op, register: Register },
    /// What may stand once stands twice.
    #[error("{op} at byte {at}: may stand only once")]
    Repeated { at: u32, op: Op },
    /// Something must be declared and is not.
    #[error("{stage} program at byte {at}: {op} is missing")]
    Missing { at: u32, op: Op, stage: Stage },
    /// A number that Direct3D limits.
    #[error("{op} at byte {at}: {what} {value}, it must be {least} to {most}")]
    Range { at: u32, op: Op, what: &'static str, value: u64, least: u64, most: u64 },
    /// A size that must be a multiple of 4.
    #[error("{op} at byte {at}: {what} {value}, it must be a multiple of 4")]
    Multiple { at: u32, op: Op, what: &'static str, value: u32 },
    /// A dimension that the declaration cannot have.
    #[error("{op} at byte {at}: {found} cannot be declared with it")]
    Dimension { at: u32, op: Op, found: &'static str },
    /// A register is not declared.
    #[error("{op} at byte {at}: {register} is not declared")]
    NotDeclared { at: u32, op: Op, register: Register },
    /// An index is beyond what is declared.
    #[error("{op} at byte {at}: {register}[{index}] is outside of what is declared, {first} to {last}")]
    Index { at: u32, op: Op, register: Register, index: u64, first: u64, last: u64 },
    /// An operand has the wrong number of indices.
    #[error("{op} at byte {at}: operand {operand} is {file} with {found} indices, it must have {expected}")]
    IndexCount { at: u32, op: Op, operand: usize, file: &'static str, found: usize, expected: &'static str },
    /// A number is computed that must be written in the program.
    #[error("{op} at byte {at}: the number of operand {operand} ({file}) cannot be computed")]
    ComputedNumber { at: u32, op: Op, operand: usize, file: &'static str },
    /// An operand is of a file that cannot stand there.
    #[error("{op} at byte {at}: operand {operand} is {file}, it must be {expected}")]
    File { at: u32, op: Op, operand: usize, file: &'static str, expected: &'static str },
    /// An operand's components are given in a way that cannot stand there.
    #[error("{op} at byte {at}: operand {operand} has {found}, it must have {expected}")]
    Components { at: u32, op: Op, operand: usize, found: &'static str, expected: &'static str },
    /// A write mask that the instruction does not allow.
    #[error("{op} at byte {at}: operand {operand} has mask {mask}, it must be {expected}")]
    WriteMask { at: u32, op: Op, operand: usize, mask: Mask, expected: &'static str },
    /// A swizzle takes a double apart.
    #[error("{op} at byte {at}: the swizzle of operand {operand} takes a double apart, pairs must be xy or zw")]
    DoubleSwizzle { at: u32, op: Op, operand: usize },
    /// A resource is declared as another kind.
    #[error("{op} at byte {at}: {register} is declared as {found}, it must be {expected}")]
    Kind { at: u32, op: Op, register: Register, found: &'static str, expected: &'static str },
    /// An instruction closes or continues what is not open.
    #[error("{op} at byte {at}: {expected}")]
    Misplaced { at: u32, op: Op, expected: &'static str },
    /// A construct is not closed.
    #[error("{op} at byte {at}: is not closed")]
    Unclosed { at: u32, op: Op },
    /// Constructs are nested too deeply.
    #[error("{op} at byte {at}: nesting is over the limit of {limit}")]
    Nesting { at: u32, op: Op, limit: u32 },
    /// A `case` value stands twice in one `switch`.
    #[error("case at byte {at}: the switch has a case {value} already")]
    CaseTwice { at: u32, value: u32 },
    /// A program, function or phase does not end with `ret`.
    #[error("code that ends at byte {at}: its last instruction must be ret")]
    NoReturn { at: u32 },
    /// A label stands twice.
    #[error("label at byte {at}: {name} stands already elsewhere")]
    LabelTwice { at: u32, name: FunctionName },
    /// A label is missing.
    #[error("{op} at byte {at}: there is no label {name}")]
    NoLabel { at: u32, op: Op, name: FunctionName },
    /// A function calls itself.
    #[error("label at byte {at}: {name} calls itself, directly or through others")]
    Recursion { at: u32, name: FunctionName },
    /// A count is over its limit.
    #[error("{what} at byte {at}: {count} are over the limit of {limit}")]
    Limit { at: u32, what: &'static str, count: u32, limit: u32 },
}

impl ValidateError {
    /// The byte in the file that the error is about.
    pub fn at(&self) -> u32 {
        match self {
            Self::NotInStage { at, .. }
            | Self::LateDeclaration { at, .. }
            | Self::DeclaredTwice { at, .. }
            | Self::Repeated { at, .. }
            | Self::Missing { at, .. }
            | Self::Range { at, .. }
            | Self::Multiple { at, .. }
            | Self::Dimension { at, .. }
            | Self::NotDeclared { at, .. }
            | Self::Index { at, .. }
            | Self::IndexCount { at, .. }
            | Self::ComputedNumber { at, .. }
            | Self::File { at, .. }
            | Self::Components { at, .. }
            | Self::WriteMask { at, .. }
            | Self::DoubleSwizzle { at, .. }
            | Self::Kind { at, .. }
            | Self::Misplaced { at, .. }
            | Self::Unclosed { at, .. }
            | Self::Nesting { at, .. }
            | Self::CaseTwice { at, .. }
            | Self::NoReturn { at, .. }
            | Self::LabelTwice { at, .. }
            | Self::NoLabel { at, .. }
            | Self::Recursion { at, .. }
            | Self::Limit { at, .. } => *at,
        }
    }
}
