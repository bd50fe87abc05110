//! Brolga runs Direct3D shader bytecode on the CPU.
//!
//! It reads what `fxc` writes, compiles it to machine code and runs compute shaders over thread groups:
//!
//! ```no_run
//! use brolga::{Bindings, CompileOptions, Device, Dispatch, View};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let device = Device::builder().build()?;
//! let shader = device.compile(&std::fs::read("double.cso")?, &CompileOptions::default())?;
//! let numbers = device.buffer_from_bytes(&[1; 4096])?;
//! let mut bindings = Bindings::new();
//! bindings.set("u0".parse()?, View::raw(numbers.clone())?);
//! device.dispatch(&shader, &bindings, &Dispatch::new([16, 1, 1]))?;
//! println!("{:?}", &numbers.to_vec()[..4]);
//! # Ok(())
//! # }
//! ```
//!
//! | module | what |
//! |---|---|
//! | the root | the runtime: devices, shaders, buffers, textures, bindings, dispatches |
//! | [`job`] | job files: a run with its inputs, outputs and expectations |
//! | [`mod@bench`] | measures jobs, with a suite of cases |
//! | [`bytecode`] | what the bytes of a shader say: listings, the assembler |
//!
//! The `brolga` binary (`cli/`, feature `cli`) is a thin shell over both.
#![forbid(unsafe_code)]

pub mod bench;
pub mod job;

pub use brolga_bytecode as bytecode;
pub use brolga_runtime::*;
