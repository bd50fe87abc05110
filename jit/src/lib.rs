//! A shader as machine code: packets of eight threads in SIMD registers, masks for divergence, loops over packets
//! between barriers.
//!
//! | file | what |
//! |---|---|
//! | `abi/` | records that compiled code, its helpers and the runtime share; the helpers |
//! | `code.rs` | executable memory |
//! | `codegen.rs` | from Cranelift's input to machine code |
//! | `compiled.rs` | a compiled shader, how it is run and stored |
//! | `error.rs` | why a shader could not be compiled |
//! | `listing/` | code as text for people |
//! | `lower/` | from the IR to Cranelift's input |
//! | `mxcsr.rs` | the processor's float mode |
//! | `ops.rs` | pure operations in packet operations |
//! | `options.rs` | what selects code |
//! | `packet/` | the only place that emits vector CLIF |
//! | `site.rs` | which part of a shader a piece of code belongs to |
//!
//! Unsafe code is in `abi/`, `code.rs`, `mxcsr.rs` and in the call in `compiled.rs`, nowhere else.

pub mod abi;
mod code;
mod codegen;
mod compiled;
mod error;
pub mod listing;
mod lower;
mod mxcsr;
pub mod ops;
mod options;
pub mod packet;
mod site;

pub use abi::ArenaLayout;
pub use codegen::{compile, compile_named};
pub use compiled::{Compiled, Run, Statistics};
pub use error::CompileError;
pub use mxcsr::{FloatGuard, FloatMode};
pub use options::{CpuFeatures, Options, VectorBytes};

/// Largest stack frame, in bytes. Worker threads have small stacks and Cranelift puts no probes into frames.
pub const MAX_FRAME_BYTES: u32 = 256 << 10;

/// Most memory for private arrays that one worker may need, in bytes.
pub const MAX_LOCAL_BYTES: u64 = 80 << 20;
