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
//! let numbers = device.buffer_from(&[1.0f32; 1024])?;
//! let mut bindings = Bindings::new();
//! bindings.set(shader.register("numbers")?, View::raw(numbers.clone())?);
//! device.dispatch(&shader, &bindings, &Dispatch::new([16, 1, 1]))?;
//! println!("{:?}", &numbers.to_vec::<f32>()?[..4]);
//! # Ok(())
//! # }
//! ```
//!
//! | module | what |
//! |---|---|
//! | the root | the runtime: devices, shaders, buffers, textures, bindings, dispatches |
//! | [`bytecode`] | what the bytes of a shader say: listings, the assembler |
//! | [`raster`] | pictures: pipelines, passes, draws |
//! | [`pipeline`] | for rasterizers of your own: vertex and pixel shaders with the state around them |
//! | `files` | textures, arrays and meshes in files: .png, .dds, .exr, .npy, .obj (feature `files`) |
//! | `job` | job files: a run with its inputs, outputs and expectations (feature `job`) |
//! | `scene` | scenes: draws with their resources, state and expected pictures (feature `job`) |
//! | `bench` | measures jobs and scenes, with a suite of cases (feature `bench`) |
//!
//! The `brolga` binary (`cli/`, feature `cli`) is a thin shell over them. Without these features nothing is built that reads
//! or writes files of pictures.
#![forbid(unsafe_code)]

#[cfg(feature = "bench")]
pub mod bench;
#[cfg(feature = "files")]
pub mod files;
#[cfg(feature = "job")]
pub mod job;
pub mod raster;
#[cfg(feature = "job")]
pub mod scene;

pub use brolga_bytecode as bytecode;
pub use brolga_runtime::{
    Access, AddressMode, Array, ArrayWords, BatchError, BindingError, BindingRules, Bindings, BoundShader, Buffer,
    Cache, CacheCounters, CacheEntry, CacheError, CancelToken, ClassInstance, ClearValue, CodeFigures, Codegen,
    Comparison, CompileError, CompileOptions, CompileStage, Component, Counter, CpuFeatures, Deadline, Declared,
    Device, DeviceBuilder, Dimension, Dispatch, Emit, Engine, Error, ErrorKind, FileError, Filter, FloatRules, Format,
    GuardPages, InstanceError, Interpolation, Leniency, Level, Limit, Limits, Line, LineKind, Listing, NotPrivate,
    Oversize, Parameter, ParseRegisterError, PerfMap, PlacedInstance, Pool, Progress, Reduction, Register, Report,
    ResourceClass, ResourceError, ResourceKind, Sampler, Session, Shader, Signature, SourceLocation, Stage, StageTimes,
    StopReason, Subresources, SystemValue, Tap, Task, TexelBox, Texture, TextureShape, TranslateError, Unset,
    VectorBytes, VerifyError, VerifyErrors, View, Width, Worker, format, pipeline,
};
