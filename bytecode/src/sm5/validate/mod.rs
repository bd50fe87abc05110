//! Checks a [`Program`] against Direct3D's rules and gives a [`ValidProgram`].
//!
//! | file | what |
//! |---|---|
//! | `structure.rs` | sections, nesting of flow instructions, labels and calls |
//! | `declared.rs` | declarations: limits, repetitions, what exists in the stage |
//! | `operands.rs` | operands of every instruction: files, registers, masks |
//! | `memory.rs` | the memory, textures and samplers among them: what they are declared as |
//! | `error.rs` | what can be wrong |
//! | `help.rs` | what to do about it |
//!
//! The rules are the functional specification's, and those that the real compiler's own check has beside it. Where they
//! only say that a compiler never writes something (a computed index into a buffer declared `immediateIndexed`, a `sync` that
//! names no memory), and later stages can give it a meaning, it passes. What a later stage cannot run is refused here: of
//! what passes, only other stages, class instances that nobody names and limits are refused after it.

mod declared;
mod error;
mod help;
mod memory;
mod operands;
mod structure;

pub use error::{Mask, Register, Rule, ValidateError};

use super::valid::{Declarations, Flow, ValidProgram};
use super::{ItemKind, Program};
use crate::faults::Faults;
use crate::limits::Limits;

/// What may stand where a value is read, for messages.
const VALUE: &str = "a value";

/// Checks a program. The first thing that is wrong is the error.
pub fn validate(program: Program, limits: &Limits) -> Result<ValidProgram, ValidateError> {
    let mut faults = Faults::new(1);
    let checked = check(&program, limits, &mut faults);
    match (faults.into_first(), checked) {
        (None, Some((declarations, flow))) => Ok(ValidProgram { program, declarations, flow }),
        (Some(fault), _) => Err(fault),
        (None, None) => unreachable!("a check ends early only with a fault"),
    }
}

/// Everything that is wrong with a program, `most` faults at most.
pub(crate) fn faults(program: &Program, limits: &Limits, most: u32) -> Faults<ValidateError> {
    let mut faults = Faults::new(most);
    check(program, limits, &mut faults);
    faults
}

/// Checks a program to its end; `None` if a fault leaves open what the rest means, or a limit is reached.
fn check(program: &Program, limits: &Limits, faults: &mut Faults<ValidateError>) -> Option<(Declarations, Flow)> {
    let mut flow = structure::flow(program, limits, faults)?;
    let declarations = declared::collect(program, &mut flow, limits, faults)?;
    structure::calls(program, &flow, &declarations, faults);
    operands::check(program, &flow, &declarations, faults);
    Some((declarations, flow))
}

/// The instructions of a program with their positions.
fn instructions(program: &Program) -> impl Iterator<Item = (usize, &super::Instruction)> {
    program.items.iter().enumerate().filter_map(|(position, item)| match &item.kind {
        ItemKind::Instruction(instruction) => Some((position, instruction)),
        ItemKind::Declaration(_) | ItemKind::CustomData(_) => None,
    })
}
