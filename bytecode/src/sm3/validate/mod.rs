//! Checks a [`Program`] against Direct3D 9's rules and returns a [`ValidProgram`].
//!
//! | file | what |
//! |---|---|
//! | `structure.rs` | nesting of flow instructions, labels and calls, phases, paired instructions |
//! | `declared.rs` | declarations and definitions |
//! | `operands.rs` | operands of every instruction: registers, modifiers, addresses |
//! | `written.rs` | registers that are read before they are written, outputs that never are |
//! | `error.rs` | errors |
//!
//! The rules are those of Direct3D's assembler. A rule that only reflects limits of hardware (on registers that one
//! instruction reads, the number of instructions, the swizzles of a version) is not enforced if the instruction still
//! has a meaning.

mod declared;
mod error;
mod operands;
mod structure;
mod written;

pub use declared::Declarations;
pub use error::{Mask, Rule, ValidateError};

use super::{Instruction, ItemKind, Program};
use crate::faults::Faults;
use crate::limits::Limits;

/// A program that keeps the rules. Only [`validate`] makes one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ValidProgram {
    program: Program,
    declarations: Declarations,
}

impl ValidProgram {
    /// The program.
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// Its declarations.
    pub fn declarations(&self) -> &Declarations {
        &self.declarations
    }
}

/// Checks a program. The error is the first fault.
pub fn validate(program: Program, limits: &Limits) -> Result<ValidProgram, ValidateError> {
    let mut faults = Faults::new(1);
    let declarations = check(&program, limits, &mut faults);
    match faults.into_first() {
        None => Ok(ValidProgram { program, declarations }),
        Some(fault) => Err(fault),
    }
}

/// All faults of a program, at most `most`.
pub(crate) fn faults(program: &Program, limits: &Limits, most: u32) -> Faults<ValidateError> {
    let mut faults = Faults::new(most);
    check(program, limits, &mut faults);
    faults
}

fn check(program: &Program, limits: &Limits, faults: &mut Faults<ValidateError>) -> Declarations {
    structure::check(program, limits, faults);
    let declarations = declared::collect(program, faults);
    operands::check(program, &declarations, faults);
    written::check(program, &declarations, faults);
    declarations
}

/// The instructions of a program with the bytes where they begin.
fn instructions(program: &Program) -> impl Iterator<Item = (u32, &Instruction)> {
    program.items.iter().filter_map(|item| match &item.kind {
        ItemKind::Instruction(instruction) => Some((item.at, instruction)),
        ItemKind::Declaration(_) | ItemKind::Definition(_) | ItemKind::Comment(_) => None,
    })
}
