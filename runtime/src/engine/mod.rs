//! Runs shaders on either engine behind one interface: compiled code with its tables, or the interpreter.
//!
//! | file | what |
//! |---|---|
//! | `code.rs` | shaders in the form that an engine runs, and their variants |
//! | `frame.rs` | the state of one run: tables of views, copies of constant buffers and textures |
//! | `seat.rs` | the state of one thread: an arena and a context |
//! | `link.rs` | code linked with its bindings |
//! | `workspace.rs` | arenas and contexts, kept from run to run |
//!
//! The only unsafe code here is the call of compiled code in `seat.rs`. `frame.rs` and `link.rs` establish the
//! invariants that this code relies on (`brolga_jit::abi`, A and B).

mod code;
mod frame;
mod link;
mod seat;
mod workspace;

use std::fmt;

pub(crate) use code::{Code, CodeTarget, Variant, usual_packing};
pub(crate) use frame::{Frame, RunFrame};
pub(crate) use link::Link;
pub(crate) use seat::{Seat, float_guard};
pub(crate) use workspace::Workspaces;

/// The engine that runs a shader.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Engine {
    /// Machine code, on supported processors.
    Jit,
    /// The interpreter, which defines the right results and runs on every processor.
    Interpreter,
}

impl Engine {
    /// The fastest engine that this processor can run. Results are the same.
    pub fn best() -> Self {
        if brolga_jit::Options::host().is_some() { Engine::Jit } else { Engine::Interpreter }
    }
}

impl fmt::Display for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Engine::Jit => "jit",
            Engine::Interpreter => "interpreter",
        })
    }
}

/// Policy for a shader that is too large for machine code: one that exceeds
/// [`Limits::code_instructions`](crate::Limits::code_instructions), or needs too large a stack frame.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Oversize {
    /// The interpreter runs it, and [`Shader::engine`](crate::Shader::engine) says so.
    #[default]
    Interpret,
    /// It is not compiled. Code for a dispatch of groups in short rows is larger, and may be refused later.
    Refuse,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_and_code_are_shared_between_threads() {
        fn shared<T: Send + Sync>() {}
        shared::<Link>();
        shared::<Code>();
        shared::<Frame>();
    }

    #[test]
    fn seats_go_from_thread_to_thread() {
        fn sent<T: Send>() {}
        sent::<Seat>();
    }
}
