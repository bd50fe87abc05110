//! Checks a [`Program`] against Direct3D's rules and returns a [`ValidProgram`].
//!
//! | file | what |
//! |---|---|
//! | `structure.rs` | sections, nesting of flow instructions, labels and calls |
//! | `declared.rs` | declarations: limits, repetitions, availability in the stage |
//! | `operands.rs` | operands of every instruction: files, registers, masks |
//! | `memory.rs` | the declarations of memory, textures and samplers among them |
//! | `error.rs` | errors |
//! | `help.rs` | suggested remedies |
//!
//! The rules are the functional specification's, and further ones of the real compiler's own check. A rule that only
//! excludes code that compilers never write (a computed index into a buffer declared `immediateIndexed`, a `sync` that
//! names no memory) is not enforced if later stages can give the code a meaning. Programs that later stages cannot run
//! are refused here, except for other stages, class instances that are not named, and limits.

mod declared;
mod error;
mod help;
mod memory;
mod operands;
mod structure;

pub use error::{Mask, RegisterName, Rule, ValidateError};

use super::valid::{Declarations, Flow, ValidProgram};
use super::{ItemKind, Program};
use crate::faults::Faults;
use crate::limits::Limits;

/// Text for an operand that is read as a value, for messages.
const VALUE: &str = "a value";

/// Checks a program. The error is the first fault.
pub fn validate(program: Program, limits: &Limits) -> Result<ValidProgram, ValidateError> {
    let mut faults = Faults::new(1);
    let checked = check(&program, limits, &mut faults);
    match (faults.into_first(), checked) {
        (None, Some((declarations, flow))) => Ok(ValidProgram { program, declarations, flow }),
        (Some(fault), _) => Err(fault),
        (None, None) => unreachable!("a check ends early only with a fault"),
    }
}

/// All faults of a program, at most `most`.
pub(crate) fn faults(program: &Program, limits: &Limits, most: u32) -> Faults<ValidateError> {
    let mut faults = Faults::new(most);
    check(program, limits, &mut faults);
    faults
}

/// Checks a program to its end; `None` if a fault makes the rest ambiguous, or a limit is reached.
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
