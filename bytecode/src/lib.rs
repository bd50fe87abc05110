//! Decodes, validates, lists and assembles the bytecode of Direct3D shaders.
//!
//! | file | what |
//! |---|---|
//! | `limits.rs` | bounds on the counts and sizes in a file |
//! | `codes.rs` | enumerations whose values have numbers and names |
//! | `faults.rs` | the faults of a file, and the form of such errors |
//! | `reader.rs` | the bounded reader that every access goes through |
//! | `container/` | the DXBC container and its chunks |
//! | `debug/` | source lines and variables, from the chunk that the compiler writes with `-Zi` |
//! | `shader.rs` | a whole shader, read in one step |
//! | `info/` | a shader's summary, made without reading its instructions |
//! | `listing/` | fxc's own listing, and one that loses nothing |
//! | `assembler/` | assembles either of them into a container |
//! | `sm5/` | shader models 4.0 to 5.1: the instruction table, decoding, validation |
//! | `sm3/` | shader models 1.1 to 3.0: the same for the token streams of Direct3D 9, with listing and assembler |
//!
//! Bytes are never trusted: any file gives either a value or an error that names a byte.
//!
//! ```
//! use brolga_bytecode::{Error, LoadOptions, Shader};
//!
//! let error = Shader::load(b"no shader", &LoadOptions::default()).unwrap_err();
//! assert!(matches!(error, Error::Container(_)));
//! assert_eq!(error.at(), 0);
//! ```

#![forbid(unsafe_code)]

pub mod assembler;
mod codes;
pub mod container;
pub mod debug;
mod faults;
pub mod info;
pub mod limits;
pub mod listing;
mod reader;
pub mod shader;
pub mod sm3;
pub mod sm5;

pub use limits::Limits;
pub use shader::{ChecksumPolicy, Decoded, Error, Findings, LoadOptions, Shader, check, findings};
