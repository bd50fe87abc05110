//! What can be wrong with a program.

use super::declared::{is_input_of, is_output_of};
use crate::sm5::codes::ReturnType;
use crate::sm5::operand::{Operand, RegisterFile};
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

/// A program breaks a rule.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{op} at byte {at}: {rule}")]
pub struct ValidateError {
    /// The byte in the file where the instruction or declaration begins.
    pub at: u32,
    /// Its opcode, or that of what is missing there.
    pub op: Op,
    /// The rule.
    pub rule: Rule,
}

impl ValidateError {
    /// The byte in the file that the error is about.
    pub fn at(&self) -> u32 {
        self.at
    }
}

/// A rule that a program breaks.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Rule {
    /// Stage and model must have the opcode.
    #[error("does not exist in {stage}_{model}")]
    NotInStage {
        /// The program's stage.
        stage: Stage,
        /// The program's model.
        model: Model,
    },
    /// Declarations come first.
    #[error("declarations must come before instructions")]
    LateDeclaration,
    /// A register is declared once.
    #[error("{register} is declared already")]
    DeclaredTwice {
        /// The register.
        register: Register,
    },
    /// Ranges of registers are apart.
    #[error("{register} holds registers that {other} holds already")]
    RangesOverlap {
        /// The range.
        register: Register,
        /// The range that was declared before.
        other: Register,
    },
    /// Some things may stand only once.
    #[error("may stand only once")]
    Repeated,
    /// A declaration is needed.
    #[error("is missing in a {} shader", stage.name())]
    Missing {
        /// The program's stage.
        stage: Stage,
    },
    /// A number has limits.
    #[error("{what} {value}, it must be {least} to {most}")]
    Range {
        /// What the number is.
        what: &'static str,
        /// The number.
        value: u64,
        /// The smallest it may be.
        least: u64,
        /// The largest it may be.
        most: u64,
    },
    /// A size is a multiple of 4.
    #[error("{what} {value}, it must be a multiple of 4")]
    Multiple {
        /// What the size is of.
        what: &'static str,
        /// The size.
        value: u32,
    },
    /// A declaration takes only some dimensions.
    #[error("{found} cannot be declared with it")]
    Dimension {
        /// The dimension.
        found: &'static str,
    },
    /// The first component of a typed resource is something.
    #[error("the first component cannot be {found}")]
    NothingReturned {
        /// What it is declared to return.
        found: ReturnType,
    },
    /// A register must be declared.
    #[error("{register} is not declared")]
    NotDeclared {
        /// The register.
        register: Register,
        /// The program's stage.
        stage: Stage,
        /// The program's model.
        model: Model,
    },
    /// There are as many r# as `dcl_temps` says.
    #[error("r{number} is not declared")]
    NoTemp {
        /// The number of the register.
        number: u32,
        /// How many there are.
        declared: u32,
    },
    /// Of an input or output, those components may be used that are declared.
    #[error("{register}{missing} is not declared, only {declared} is")]
    ComponentsNotDeclared {
        /// The register.
        register: Register,
        /// The components that are used and not declared.
        missing: Mask,
        /// Those that are declared.
        declared: Mask,
    },
    /// An input is one that the stage has.
    #[error("{stage}_{model} has no {}; its inputs are {}", file.description(), list(*stage, is_input_of))]
    NoInput {
        /// Its file.
        file: RegisterFile,
        /// The program's stage.
        stage: Stage,
        /// The program's model.
        model: Model,
    },
    /// An output is one that the stage has.
    #[error("{stage}_{model} has no {}; its outputs are {}", file.description(), list(*stage, is_output_of))]
    NoOutput {
        /// Its file.
        file: RegisterFile,
        /// The program's stage.
        stage: Stage,
        /// The program's model.
        model: Model,
    },
    /// An instruction repeats the stride of a declaration.
    #[error("{register} is declared with a stride of {declared} bytes, here it has {found}")]
    Stride {
        /// The register.
        register: Register,
        /// The stride in the instruction.
        found: u32,
        /// The stride in the declaration.
        declared: u32,
    },
    /// An index must be within what is declared.
    #[error("{register}[{index}] is outside of what is declared, {first} to {last}")]
    Index {
        /// The register.
        register: Register,
        /// The index.
        index: u64,
        /// The first that is declared.
        first: u64,
        /// The last that is declared.
        last: u64,
    },
    /// An operand has as many indices as its file wants.
    #[error("`{operand}` is {file} with {found} indices, it must have {expected}")]
    IndexCount {
        /// The operand.
        operand: Box<Operand>,
        /// Its file.
        file: &'static str,
        /// How many there are.
        found: usize,
        /// How many there must be.
        expected: &'static str,
    },
    /// Some numbers must be written in the program.
    #[error("the number of `{operand}` ({file}) cannot be computed")]
    ComputedNumber {
        /// The operand.
        operand: Box<Operand>,
        /// Its file.
        file: &'static str,
    },
    /// An operand is of a file that may stand there.
    #[error("`{operand}` is {file}, it must be {expected}")]
    File {
        /// The operand.
        operand: Box<Operand>,
        /// Its file.
        file: &'static str,
        /// What may stand there.
        expected: &'static str,
    },
    /// An operand's components are given in a way that may stand there.
    #[error("`{operand}` has {found}, it must have {expected}")]
    Components {
        /// The operand.
        operand: Box<Operand>,
        /// How they are given.
        found: &'static str,
        /// How they must be given.
        expected: &'static str,
    },
    /// A write mask suits the instruction.
    #[error("`{operand}` has mask {mask}, it must be {expected}")]
    WriteMask {
        /// The operand.
        operand: Box<Operand>,
        /// Its mask.
        mask: Mask,
        /// The masks that may stand there.
        expected: &'static str,
    },
    /// A swizzle takes doubles whole.
    #[error("the swizzle of `{operand}` takes a double apart, pairs must be xy or zw")]
    DoubleSwizzle {
        /// The operand.
        operand: Box<Operand>,
    },
    /// A resource is used as what it is declared as.
    #[error("{register} is declared as {found}, it must be {expected}")]
    Kind {
        /// The register.
        register: Register,
        /// What it is declared as.
        found: &'static str,
        /// What it must be.
        expected: &'static str,
    },
    /// A typed resource returns what the instruction works on.
    #[error("{register} is declared to return {found}, it must return {expected}")]
    Returns {
        /// The register.
        register: Register,
        /// What its first component returns.
        found: ReturnType,
        /// What it must return.
        expected: &'static str,
    },
    /// Two registers are swapped.
    #[error("both results go to `{operand}`, they must go to different registers")]
    SwappedWithItself {
        /// The first result.
        operand: Box<Operand>,
    },
    /// A hidden counter goes one way.
    #[error("{register} is counted by {other} already: a shader may count up or down, not both")]
    CountedBothWays {
        /// The register.
        register: Register,
        /// The instruction that counts the other way.
        other: Op,
    },
    /// A flow instruction stands where it means something.
    #[error("{expected}")]
    Misplaced {
        /// What must hold.
        expected: &'static str,
    },
    /// A construct is closed.
    #[error("is not closed")]
    Unclosed,
    /// Constructs within constructs are bounded.
    #[error("nesting is over the limit of {limit}")]
    Nesting {
        /// The limit.
        limit: u32,
    },
    /// A `switch` has each value once.
    #[error("the switch has a case {value} already")]
    CaseTwice {
        /// The value.
        value: u32,
    },
    /// Code ends with `ret`.
    #[error("must be the last instruction of the code that ends here")]
    NoReturn,
    /// A label stands once.
    #[error("{name} stands already elsewhere")]
    LabelTwice {
        /// The label.
        name: FunctionName,
    },
    /// What is called exists.
    #[error("there is no label {name}")]
    NoLabel {
        /// The label.
        name: FunctionName,
    },
    /// A function does not call itself.
    #[error("{name} calls itself, directly or through others")]
    Recursion {
        /// The function.
        name: FunctionName,
    },
    /// A function table has a body for each call site of the interfaces that list it.
    #[error("ft{table} has {bodies} function bodies, the interface has {call_sites} call sites")]
    TableLength {
        /// The number of the table.
        table: u32,
        /// How many bodies it has.
        bodies: u32,
        /// How many call sites the interface has.
        call_sites: u32,
    },
    /// An interface lists what may be bound to it.
    #[error("{register} lists no function table")]
    NoTables {
        /// The first interface slot.
        register: Register,
    },
    /// An interface that is called with a computed index is declared so.
    #[error("{register} is called with a computed index, it must be declared with dcl_interface_dynamicindexed")]
    NotDynamic {
        /// The interface slot.
        register: Register,
    },
    /// Counts have limits.
    #[error("{what}: {count} are over the limit of {limit}")]
    Limit {
        /// What is counted.
        what: &'static str,
        /// How many there are.
        count: u32,
        /// The limit.
        limit: u32,
    },
}

impl Rule {
    /// The error that says which instruction breaks the rule.
    pub(super) fn broken(self, at: u32, op: Op) -> ValidateError {
        ValidateError { at, op, rule: self }
    }
}
