//! A shader as machine code: packets of eight threads in SIMD registers, masks for divergence, loops over packets
//! between barriers.
//!
//! | file | what |
//! |---|---|
//! | `abi.rs` | records that compiled code, its helpers and the runtime share; the helpers |
//! | `code.rs` | executable memory |
//! | `compiled.rs` | a compiled shader and how it is run |
//! | `error.rs` | why a shader could not be compiled |
//! | `mxcsr.rs` | the processor's float mode |
//! | `ops.rs` | pure operations in packet operations |
//! | `options.rs` | what selects code |
//! | `packet/` | the only place that emits vector CLIF |
//!
//! Unsafe code is in `abi.rs`, `code.rs`, `mxcsr.rs` and in the call in `compiled.rs`, nowhere else.

pub mod abi;
mod code;
mod compiled;
mod error;
mod mxcsr;
pub mod ops;
mod options;
pub mod packet;

pub use compiled::{ArenaLayout, Compiled, Statistics};
pub use error::CompileError;
pub use mxcsr::{FloatGuard, FloatMode};
pub use options::{CpuFeatures, Options};

use brolga_ir::verify::VerifiedFunction;

/// Largest stack frame, in bytes. Worker threads have small stacks and Cranelift puts no probes into frames.
pub const MAX_FRAME_BYTES: u32 = 256 << 10;

/// Most memory for private arrays that one worker may need, in bytes.
pub const MAX_LOCAL_BYTES: u64 = 80 << 20;

/// Compiles a shader for groups of threads.
///
/// # Errors
/// If the processor has no code generator, or the shader goes over a limit.
pub fn compile(func: &VerifiedFunction, options: &Options) -> Result<Compiled, CompileError> {
    let _ = func;
    if options.vectors != 2 {
        return Err(CompileError::PacketShape { vectors: options.vectors });
    }
    Err(CompileError::Unsupported)
}
