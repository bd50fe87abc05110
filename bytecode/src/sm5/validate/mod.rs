//! Checks a [`Program`] against Direct3D's rules and gives a [`ValidProgram`].
//!
//! | file | what |
//! |---|---|
//! | `structure.rs` | sections, nesting of flow instructions, labels and calls |
//! | `declared.rs` | declarations: limits, repetitions, what exists in the stage |
//! | `operands.rs` | operands of every instruction: files, registers, masks, kinds of resources |
//! | `error.rs` | what can be wrong |
//!
//! The rules are the functional specification's. Where it only says that a compiler never writes something, and
//! later stages can give it a meaning, it passes.

mod declared;
mod error;
mod operands;
mod structure;

pub use error::{Mask, Register, Rule, ValidateError};

use super::valid::ValidProgram;
use super::{ItemKind, Program};
use crate::limits::Limits;

/// Checks a program. The first thing that is wrong is the error.
pub fn validate(program: Program, limits: &Limits) -> Result<ValidProgram, ValidateError> {
    let mut flow = structure::flow(&program, limits)?;
    let declarations = declared::collect(&program, &mut flow, limits)?;
    structure::calls(&program, &flow, &declarations)?;
    operands::check(&program, &flow, &declarations)?;
    Ok(ValidProgram { program, declarations, flow })
}

/// The instructions of a program with their positions.
fn instructions(program: &Program) -> impl Iterator<Item = (usize, &super::Instruction)> {
    program.items.iter().enumerate().filter_map(|(position, item)| match &item.kind {
        ItemKind::Instruction(instruction) => Some((position, instruction)),
        ItemKind::Declaration(_) | ItemKind::CustomData(_) => None,
    })
}
