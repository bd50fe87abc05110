//! Errors in a program that decodes.

use crate::faults::rules;
use crate::sm5::codes::{ReturnType, Topology};
use crate::sm5::operand::{Components, Operand, RegisterFile};
use crate::sm5::ops::Op;
use crate::sm5::valid::FunctionName;
use crate::sm5::{Model, Stage};
use std::fmt::{self, Display, Formatter};

/// A register, for messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RegisterName {
    /// Its file.
    pub file: RegisterFile,
    /// Its number; 0 for files of one register.
    pub number: u32,
}

impl Display for RegisterName {
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
        let set = (0..4).zip(["x", "y", "z", "w"]).filter(|(n, _)| self.0 & (1 << n) != 0);
        set.into_iter().try_for_each(|(_, letter)| f.write_str(letter))
    }
}

/// The files that a stage has.
fn list(stage: Stage, has: fn(RegisterFile, Stage) -> bool) -> String {
    let files: Vec<&str> =
        RegisterFile::ALL.iter().filter(|&&file| has(file, stage)).map(|file| file.description()).collect();
    if files.is_empty() { "none".into() } else { files.join(", ") }
}

rules! {
    /// Stage and model must have the opcode.
    #[error("does not exist in {stage}_{model}")]
    NotInStage { stage: Stage, model: Model },
    /// Declarations come first.
    #[error("declarations must come before instructions")]
    LateDeclaration,
    /// A register is declared once.
    #[error("{register} is already declared")]
    DeclaredTwice { register: RegisterName },
    /// Ranges of registers do not overlap.
    #[error("{register} holds registers that {other} already holds")]
    RangesOverlap { register: RegisterName, other: RegisterName },
    /// Some things may appear only once.
    #[error("may appear only once")]
    Repeated,
    /// A declaration is needed.
    #[error("is missing in a {} shader", stage.name())]
    Missing { stage: Stage },
    /// A number is within limits.
    #[error("{what} {value}, it must be {least} to {most}")]
    Range { what: &'static str, value: u64, least: u64, most: u64 },
    /// A size is a multiple of 4.
    #[error("{what} {value}, it must be a multiple of 4")]
    Multiple { what: &'static str, value: u32 },
    /// A declaration allows only some dimensions.
    #[error("{found} cannot be declared with it")]
    Dimension { found: &'static str },
    /// A geometry shader emits strips or points.
    #[error("a geometry shader emits a pointlist, a linestrip or a trianglestrip, not a {found}")]
    Topology { found: Topology },
    /// The first component of a typed resource has a type.
    #[error("the first component cannot be {found}")]
    NothingReturned { found: ReturnType },
    /// A register must be declared.
    #[error("{register} is not declared")]
    NotDeclared { register: RegisterName, stage: Stage, model: Model },
    /// There are as many r# as `dcl_temps` declares.
    #[error("r{number} is not declared")]
    NoTemp { number: u32, declared: u32 },
    /// Only the declared components of an input or output are used.
    #[error("{register}{missing} is not declared, only {declared} is")]
    ComponentsNotDeclared { register: RegisterName, missing: Mask, declared: Mask },
    /// An input is one that the stage has.
    #[error("{stage}_{model} has no {}; its inputs are {}", file.description(), list(*stage, RegisterFile::is_input_of))]
    NoInput { file: RegisterFile, stage: Stage, model: Model },
    /// An output is one that the stage has.
    #[error("{stage}_{model} has no {}; its outputs are {}", file.description(), list(*stage, RegisterFile::is_output_of))]
    NoOutput { file: RegisterFile, stage: Stage, model: Model },
    /// An instruction repeats the stride of a declaration.
    #[error("{register} is declared with a stride of {declared} bytes, here it has {found}")]
    Stride { register: RegisterName, found: u32, declared: u32 },
    /// An index must be within what is declared.
    #[error("{register}[{index}] is outside the declared range, {first} to {last}")]
    Index { register: RegisterName, index: u64, first: u64, last: u64 },
    /// An operand has as many indices as its file needs.
    #[error("`{operand}` is {file} with {found} indices, it must have {expected}")]
    IndexCount { operand: Box<Operand>, file: &'static str, found: usize, expected: &'static str },
    /// Some numbers must be written in the program.
    #[error("the number of `{operand}` ({file}) cannot be computed")]
    ComputedNumber { operand: Box<Operand>, file: &'static str },
    /// An operand is of a file that its slot allows.
    #[error("`{operand}` is {file}, it must be {expected}")]
    File { operand: Box<Operand>, file: &'static str, expected: &'static str },
    /// An operand's components have a form that its slot allows.
    #[error("`{operand}` has {found}, it must have {expected}")]
    Components { operand: Box<Operand>, found: &'static str, expected: &'static str },
    /// A write mask is one that the instruction can have.
    #[error("`{operand}` has mask {mask}, it must be {expected}")]
    WriteMask { operand: Box<Operand>, mask: Mask, expected: &'static str },
    /// A swizzle does not split doubles.
    #[error("the swizzle of `{operand}` splits a double; pairs must be xy or zw")]
    DoubleSwizzle { operand: Box<Operand> },
    /// A resource is used as it is declared.
    #[error("{register} is declared as {found}, it must be {expected}")]
    Kind { register: RegisterName, found: &'static str, expected: &'static str },
    /// A typed resource returns the type that the instruction operates on.
    #[error("{register} is declared to return {found}, it must return {expected}")]
    Returns { register: RegisterName, found: ReturnType, expected: &'static str },
    /// Two registers are swapped.
    #[error("both results go to `{operand}`, they must go to different registers")]
    SwappedWithItself { operand: Box<Operand> },
    /// A hidden counter is only incremented or only decremented.
    #[error("{register} is already counted by {other}: a shader may count up or down, not both")]
    CountedBothWays { register: RegisterName, other: Op },
    /// A flow instruction appears only where it has a meaning.
    #[error("{expected}")]
    Misplaced { expected: &'static str },
    /// A construct is closed.
    #[error("is not closed")]
    Unclosed,
    /// Nesting is bounded.
    #[error("nesting is over the limit of {limit}")]
    Nesting { limit: u32 },
    /// A `switch` has each value once.
    #[error("the switch already has a case {value}")]
    CaseTwice { value: u32 },
    /// Code ends with `ret`.
    #[error("must be the last instruction of the code that ends here")]
    NoReturn,
    /// A label appears once.
    #[error("{name} is already defined elsewhere")]
    LabelTwice { name: FunctionName },
    /// A called function exists.
    #[error("there is no label {name}")]
    NoLabel { name: FunctionName },
    /// A function does not call itself.
    #[error("{name} calls itself, directly or through others")]
    Recursion { name: FunctionName },
    /// A function table has a body for each call site of the interfaces that list it.
    #[error("ft{table} has {bodies} function bodies, the interface has {call_sites} call sites")]
    TableLength { table: u32, bodies: u32, call_sites: u32 },
    /// An interface lists the tables that may be bound to it.
    #[error("{register} lists no function table")]
    NoTables { register: RegisterName },
    /// An interface that is called with a computed index is declared as such.
    #[error("{register} is called with a computed index; it must be declared with dcl_interface_dynamicindexed")]
    NotDynamic { register: RegisterName },
    /// Counts have limits.
    #[error("{what}: {count} are over the limit of {limit}")]
    Limit { what: &'static str, count: u32, limit: u32 },
}

impl Rule {
    pub(super) fn wrong_file(operand: &Operand, expected: &'static str) -> Self {
        Self::File { operand: Box::new(operand.clone()), file: operand.file.description(), expected }
    }

    pub(super) fn wrong_components(operand: &Operand, expected: &'static str) -> Self {
        let found = match operand.components {
            Components::None => "no components",
            Components::One => "one component",
            Components::Mask(_) => "a mask",
            Components::Swizzle(_) => "a swizzle",
            Components::Select(_) => "a selected component",
        };
        Self::Components { operand: Box::new(operand.clone()), found, expected }
    }

    pub(super) fn wrong_mask(operand: &Operand, expected: &'static str) -> Self {
        Self::WriteMask { operand: Box::new(operand.clone()), mask: Mask(operand.mask()), expected }
    }

    /// The error about a computed register number.
    pub(super) fn computed(operand: &Operand) -> Self {
        Self::ComputedNumber { operand: Box::new(operand.clone()), file: operand.file.description() }
    }
}
