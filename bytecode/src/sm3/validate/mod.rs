//! Checks a [`Program`] against Direct3D 9's rules and gives a [`ValidProgram`].
//!
//! | file | what |
//! |---|---|
//! | `structure.rs` | nesting of flow instructions, labels and calls, phases, paired instructions |
//! | `declared.rs` | declarations and definitions |
//! | `operands.rs` | operands of every instruction: registers, modifiers, addresses |
//! | `error.rs` | what can be wrong |
//!
//! The rules are those of Direct3D's assembler. Where they only spare hardware (how many registers one instruction
//! reads, how many instructions there are, which swizzles a version can encode), and the instruction means something
//! all the same, it passes.

mod declared;
mod error;
mod operands;
mod structure;

pub use declared::Declarations;
pub use error::{Mask, ValidateError};

use super::{Instruction, ItemKind, Program};
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

    /// What it declares.
    pub fn declarations(&self) -> &Declarations {
        &self.declarations
    }
}

/// Checks a program. The first thing that is wrong is the error.
pub fn validate(program: Program, limits: &Limits) -> Result<ValidProgram, ValidateError> {
    structure::check(&program, limits)?;
    let declarations = declared::collect(&program)?;
    operands::check(&program, &declarations)?;
    Ok(ValidProgram { program, declarations })
}

/// The instructions of a program with the bytes where they begin.
fn instructions(program: &Program) -> impl Iterator<Item = (u32, &Instruction)> {
    program.items.iter().filter_map(|item| match &item.kind {
        ItemKind::Instruction(instruction) => Some((item.at, instruction)),
        ItemKind::Declaration(_) | ItemKind::Definition(_) | ItemKind::Comment(_) => None,
    })
}
