//! Reads compute shaders in WGSL and translates them to IR. The text is parsed and validated by naga.
//!
//! | file | content |
//! |---|---|
//! | `error.rs` | errors, with the place in the text |
//! | `options.rs` | options and limits |
//! | `source.rs` | the lines of a text |
//! | `scan.rs` | bounds a text before the parser reads it |
//! | `translate/` | WGSL to IR |
//! | `shader.rs` | reads a shader |
//! | `program.rs` | the front end for the runtime |
#![forbid(unsafe_code)]

mod error;
mod options;
mod program;
mod scan;
mod shader;
mod source;
mod translate;

pub use error::{Error, Fault, Position, Quantity};
pub use options::{Limits, Options};
pub use shader::Shader;
pub use translate::Binding;
