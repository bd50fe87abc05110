//! Runs shaders: devices, compiled shaders, resources, bindings and dispatches.
//!
//! ```no_run
//! use brolga_runtime::{Bindings, CompileOptions, Device, Dispatch, Register, View};
//!
//! # fn main() -> Result<(), brolga_runtime::Error> {
//! # let container: Vec<u8> = Vec::new();
//! let device = Device::builder().threads(2).build()?;
//! let shader = device.compile(&container, &CompileOptions::default())?;
//! let numbers = device.buffer_from(&[0u32; 256])?;
//! let mut bindings = Bindings::new();
//! bindings.set(Register::u(0), View::raw(numbers.clone())?);
//! let report = device.dispatch(&shader, &bindings, &Dispatch::new([4, 1, 1]))?;
//! println!("{} threads, first word {}", report.threads, numbers.to_vec::<u32>()?[0]);
//! # Ok(())
//! # }
//! ```
//!
//! A program that dispatches often binds once, with [`Device::bind`]: a [`BoundShader`] keeps all that a dispatch would
//! otherwise determine anew, and any number of threads may run it. A [`Worker`] of it runs groups on a thread of the
//! caller's own.
//!
//! | file | what |
//! |---|---|
//! | `device.rs` | the device: makes everything else and runs it |
//! | `dispatch/` | bound shaders and their dispatch over groups |
//! | `shader/` | compiled shaders: options, source positions, the code of each variant |
//! | `engine/` | the JIT's code and the interpreter behind one interface |
//! | `host/` | a running shader's access to its bindings |
//! | `bindings/` | registers, their bindings and declarations, the check of one against the other |
//! | `stop/` | cancel tokens and time limits |
//! | `pool.rs` | threads that devices may share |
//! | `perf_map.rs` | names the code of shaders for profilers |
//! | `cache/` | machine code on disk |
//! | `file_owner.rs` | checks the owner of a file |
//! | `limits.rs` | bounds on what a device accepts |
//! | `error.rs` | errors |
//!
//! Within this table each uses those below it. There are two exceptions: `error.rs` wraps the errors of the others, and
//! a shader keeps a `Pace` (`dispatch/pace.rs`).
//!
//! Nothing is global: a [`Device`] owns its pool, limits and cache. Shaders, buffers and textures are cheap to clone
//! and may be used from any thread. No shader, however hostile, reaches memory outside the views bound to it.

#![deny(unsafe_code)]

mod bindings;
mod cache;
mod device;
mod dispatch;
mod engine;
mod error;
mod file_owner;
mod host;
mod limits;
mod perf_map;
mod pool;
mod shader;
mod stop;

/// Checks of what a shader does: [`BoundShader::check`].
pub mod insight {
    pub use crate::dispatch::{CheckLog, Checked, CheckedRun, Finding, Party};
    pub use brolga_ir::insight::{AccessKind, CheckOptions, CheckSummary, FindingKind, Place, Subject};
}

pub use bindings::{BindingError, BindingRules, Bindings, Declared, Layers, Leniency, ParseRegisterError, Register};
pub use cache::{Cache, CacheCounters, CacheEntry, CacheError, NotPrivate};
pub use device::{Device, DeviceBuilder};
pub use dispatch::{
    BoundShader, Dispatch, MessageLog, Progress, Report, Session, ShaderMessage, StageRun, StageSeat, StageSession,
    Worker,
};
pub use engine::{Engine, Oversize};
pub use error::{BatchError, Error, ErrorKind, Limit};
pub use limits::Limits;
pub use perf_map::PerfMap;
pub use pool::{Pool, Task};
pub use shader::{
    ClassInstance, CodeFigures, Codegen, CompileOptions, CompileStage, Emit, InstanceError, Line, LineKind, Listing,
    Module, PlacedInstance, Program, Shader, SourceLocation, StageTimes, Unset,
};
pub use stop::{CancelToken, Deadline, StopReason};

pub use brolga_bytecode::Error as FileError;
pub use brolga_bytecode::assembler::nearest;
pub use brolga_ir::Width;
pub use brolga_ir::batch::ArrayWords;
pub use brolga_ir::interface::{Array, Component, Dimension, ResourceClass, ResourceKind};
pub use brolga_ir::message::Sender;
pub use brolga_ir::passes::Level;
pub use brolga_ir::pipeline;
pub use brolga_ir::stage::{
    Domain, DomainStage, GeometryStage, HullStage, InputPrimitive, Interpolation, OutputPrimitive, OutputTopology,
    Parameter, Partitioning, Semantic, Signature, Stage, SystemValue,
};
pub use brolga_ir::stages::{StageKind, Stages};
pub use brolga_ir::translate::TranslateError;
pub use brolga_ir::translate::sm3::FloatRules;
pub use brolga_ir::verify::{VerifyError, VerifyErrors};
pub use brolga_jit::listing::SourceLine;
pub use brolga_jit::{CompileError, CpuFeatures, VectorBytes};
pub use brolga_resource::{
    Access, AddressMode, Buffer, ClearValue, Comparison, Counter, Filter, Format, GuardPages, Reduction, ResourceError,
    Sampler, Subresources, Tap, TexelBox, Texture, TextureShape, View, format, room,
};
