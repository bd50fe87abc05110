//! Translates bytecode to IR, with one front end per token format.
//!
//! A front end emits plain code: registers become slots, control flow becomes regions, each bytecode instruction
//! becomes the few operations that its specification requires. SSA construction and removing redundancy are left to the
//! passes.
//!
//! | file | content |
//! |---|---|
//! | `sm5/` | shader models 4.0 to 5.1 |
//! | `sm3/` | shader models 1.1 to 3.0, those of Direct3D 9 |
//! | `error.rs` | the errors of a translation |
//! | `vector.rs` | four values at a time |
//! | `words.rs` | vectors in memory |
//! | `registers.rs` | the known values of registers |
//! | `derivative.rs` | derivatives across a quad |

mod derivative;
mod error;
mod registers;
pub mod sm3;
pub mod sm5;
mod vector;
mod words;

pub use error::TranslateError;
