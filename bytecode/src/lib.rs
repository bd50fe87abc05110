//! What the bytes of a Direct3D shader say.
//!
//! | file | what |
//! |---|---|
//! | `limits.rs` | bounds on what a file may ask for |
//! | `codes.rs` | enumerations whose values have numbers and names |
//! | `faults.rs` | what is wrong with a file, and the form of such errors |
//! | `reader.rs` | the bounded reader that every access goes through |
//! | `container/` | the DXBC container and its chunks |
//! | `shader.rs` | a whole shader, read in one step |
//! | `info/` | what there is to know of a shader without reading its instructions |
//! | `listing/` | fxc's own listing, and one that loses nothing |
//! | `assembler/` | either of them to a container |
//! | `sm5/` | shader models 4.0 to 5.1: the instruction table, decoding, validation |
//! | `sm3/` | shader models 1.1 to 3.0: the same for the token streams of Direct3D 9, with listing and assembler |
//!
//! Bytes are never trusted: whatever a file holds, the answer is a value or an error that names a byte.
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
