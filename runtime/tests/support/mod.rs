//! What the tests share: the engines, what registers are bound to as data (`content.rs`), random content (`random.rs`),
//! and the executions of the corpus: `case.rs` reads and runs one, `compare.rs` holds its outputs against what is expected.

#![allow(dead_code, reason = "each test file uses a part")]

pub mod case;
pub mod compare;
pub mod content;
pub mod random;

use brolga_runtime::Engine;

/// The engines that are held against each other; the first is the definition.
pub const ENGINES: &[Engine] = &[Engine::Interpreter, Engine::Jit];
