//! Reads compute shaders in WGSL and translates them to IR. The text is parsed and validated by naga.
//!
//! ```
//! use brolga_runtime::{Bindings, CompileOptions, Device, Dispatch, View};
//! use brolga_wgsl::{Options, Shader};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let text = "
//!     @group(0) @binding(0) var<storage, read_write> numbers: array<u32>;
//!     @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) { numbers[id.x] *= 2u; }";
//! let device = Device::builder().build()?;
//! let module = Shader::module(text, &Options::default())?;
//! let shader = device.compile_module(&module, &CompileOptions::default())?;
//!
//! let numbers = device.buffer_from(&(0..1024u32).collect::<Vec<_>>())?;
//! let mut bindings = Bindings::new();
//! bindings.set(module.register("numbers")?, View::raw(numbers.clone())?);
//! device.dispatch(&shader, &bindings, &Dispatch::new([16, 1, 1]))?;
//! assert_eq!(numbers.to_vec::<u32>()?[..4], [0, 2, 4, 6]);
//! # Ok(())
//! # }
//! ```
//!
//! | file | content |
//! |---|---|
//! | `error.rs` | errors, with the place in the text |
//! | `options.rs` | options and limits |
//! | `source.rs` | the lines of a text |
//! | `scan.rs` | bounds a text before the parser reads it |
//! | `ends.rs` | functions that end in a loop without end |
//! | `usage.rs` | which variables are indexed by computed numbers |
//! | `wording.rs` | what naga found, in words of the text |
//! | `translate/` | WGSL to IR |
//! | `shader.rs` | reads a shader |
//! | `program.rs` | the front end for the runtime |
#![forbid(unsafe_code)]

mod ends;
mod error;
mod options;
mod program;
mod scan;
mod shader;
mod source;
mod translate;
mod usage;
mod wording;

pub use error::{Error, Fault, Position, Quantity};
pub use options::{Limits, Options};
pub use shader::Shader;
pub use translate::{Binding, MemberInfo, OverrideInfo, TypeInfo, TypeKind};
