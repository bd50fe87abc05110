//! Compiles shaders to machine code: packets of threads in SIMD registers, masks for divergence, loops over packets
//! between barriers.
//!
//! | file | contents |
//! |---|---|
//! | `abi/` | records that compiled code, its helpers and the runtime share; the helpers |
//! | `code.rs` | executable memory |
//! | `codegen.rs` | runs Cranelift's code generator |
//! | `compiled.rs` | a compiled shader: making, running and storing it |
//! | `error.rs` | reasons why a shader cannot be compiled |
//! | `float_mode.rs` | the float mode that a shader needs |
//! | `listing/` | generated code as text |
//! | `lower/` | lowers the IR to CLIF, Cranelift's input |
//! | `ops.rs` | lowers pure operations to packet operations |
//! | `options/` | compile options; functions and processors that vectors of 64 bytes suit |
//! | `packet/` | the only module that emits vector CLIF |
//! | `site.rs` | source locations of generated code |
//! | `widen/` | re-encodes machine code for wider vectors |
//!
//! Unsafe code is confined to `abi/`, `code.rs` and the call in `compiled.rs`.

pub mod abi;
mod code;
mod codegen;
mod compiled;
mod error;
mod float_mode;
pub mod listing;
mod lower;
pub mod ops;
mod options;
pub mod packet;
mod site;
pub mod widen;

pub use abi::ArenaLayout;
pub use brolga_fenv::{FloatGuard, FloatMode};
pub use codegen::Statistics;
pub use compiled::{Compiled, Run, compile, compile_named};
pub use error::CompileError;
pub use options::{CpuFeatures, Options, VectorBytes, has_fast_64_bytes};

/// Largest stack frame, in bytes. Worker threads have small stacks and Cranelift puts no probes into frames.
pub const MAX_FRAME_BYTES: u32 = 256 << 10;

/// Most memory for private arrays that one worker may need, in bytes.
pub const MAX_LOCAL_BYTES: u64 = 80 << 20;
