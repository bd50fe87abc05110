//! From bytecode to IR, one front end per token format.
//!
//! A front end emits plain code: registers become slots, control flow becomes regions, each bytecode instruction
//! becomes the few operations that its specification requires. SSA construction and removing redundancy are left to the
//! passes.
//!
//! | file | what |
//! |---|---|
//! | `sm5/` | shader models 4.0 to 5.1 |
//! | `error.rs` | why a program cannot be translated |
//! | `vector.rs` | four values at a time |

mod error;
pub mod sm5;
mod vector;

pub use error::TranslateError;
