//! Brolga runs Direct3D shader bytecode on the CPU.
//!
//! It reads the output of `fxc`, compiles it to SIMD machine code, and runs it on all cores: no GPU, no driver, no
//! Windows. Results are bit-identical with any number of threads and on every x86-64 processor, unless groups of a
//! shader race with each other; no shader accesses memory that is not bound to it, and every run can be stopped.
//!
//! # Running compute shaders
//!
//! A [`Device`] compiles shaders and owns threads; [`Bindings`] assign views of memory to registers. The bytes of
//! a shader usually come from a file; here the assembler makes them from a listing:
//!
//! ```
//! use brolga::bytecode::assembler::assemble;
//! use brolga::{Bindings, CompileOptions, Device, Dispatch, View};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let listing = "
//!     cs_5_0
//!     dcl_uav_raw u0
//!     dcl_input vThreadID.x
//!     dcl_temps 1
//!     dcl_thread_group 64, 1, 1
//!     ishl r0.x, vThreadID.x, l(2)
//!     ld_raw r0.y, r0.x, u0.xxxx
//!     iadd r0.y, r0.y, r0.y
//!     store_raw u0.x, r0.x, r0.y
//!     ret";
//! let device = Device::builder().build()?;
//! let shader = device.compile(&assemble(listing, &Default::default())?.bytes, &CompileOptions::default())?;
//!
//! let numbers = device.buffer_from(&(0..1024u32).collect::<Vec<_>>())?;
//! let mut bindings = Bindings::new();
//! bindings.set("u0".parse()?, View::raw(numbers.clone())?);
//! device.dispatch(&shader, &bindings, &Dispatch::new([16, 1, 1]))?;
//! assert_eq!(numbers.to_vec::<u32>()?[..4], [0, 2, 4, 6]);
//! # Ok(())
//! # }
//! ```
//!
//! A program that dispatches often binds once, with [`Device::bind`]. `document` reads whole runs from files.
//!
//! # Drawing
//!
//! A [`raster::Pipeline`] is a vertex and a pixel shader with their state, a [`raster::Pass`] draws into textures.
//! Programs with a rasterizer of their own run the two stages alone, through [`pipeline`] and [`Worker`].
//!
//! ```
//! use brolga::raster::{Draw, InputElement, Pass, Pipeline, PipelineDesc, TargetState, Targets};
//! use brolga::{Device, Format, Module, TextureShape, View};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let vertex_shader = include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/triangle_vs.cso"));
//! # let pixel_shader = include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/triangle_ps.cso"));
//! let device = Device::builder().build()?;
//! let vertex = Module::load(vertex_shader, device.limits())?;
//! let pixel = Module::load(pixel_shader, device.limits())?;
//! let desc = PipelineDesc::new(&vertex, Some(&pixel))
//!     .input(InputElement::new("POSITION", Format::R32G32_FLOAT, 0))
//!     .input(InputElement::new("COLOR", Format::R32G32B32A32_FLOAT, 8))
//!     .target(TargetState::new(Format::R8G8B8A8_UNORM));
//! let pipeline = Pipeline::new(&device, &desc)?;
//!
//! let point = |x: f32, y: f32| [x, y, 1.0, 0.5, 0.0, 1.0];
//! let vertices = device.buffer_from(&[point(-1.0, 1.0), point(1.0, 1.0), point(-1.0, -1.0)])?;
//! let target = device.texture(TextureShape::texture_2d(Format::R8G8B8A8_UNORM, 64, 64))?;
//! let mut pass = Pass::new(&device, Targets { colors: vec![View::texture(target.clone())], depth: None })?;
//! pass.draw(&Draw::new(&pipeline, 3).vertex_buffer(vertices, 24))?;
//! // The upper left half: pixels whose centre is on the diagonal belong to the other triangle of a square.
//! assert_eq!(pass.finish()?[0].samples, 64 * 63 / 2);
//! # Ok(())
//! # }
//! ```
//!
//! # Measuring
//!
//! `bench` (feature `bench`) times documents, several in turns:
//!
//! ```no_run
//! # #[cfg(feature = "bench")]
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use brolga::bench::{Amount, Series, measure};
//! use brolga::document::{Document, RunOptions};
//!
//! let device = brolga::Device::builder().threads(1).build()?;
//! let prepared = Document::load("examples/saxpy.toml".as_ref())?.prepare(device.limits())?;
//! let (mut series, _outcome) = Series::begin(&prepared, &device, 0, &RunOptions::default())?;
//! measure(&mut [&mut series], Amount::Rounds(5), &mut |_| {});
//! assert!(series.runs().wall().expect("five samples").median_ms < 1000.0);
//! # Ok(())
//! # }
//! # #[cfg(not(feature = "bench"))]
//! # fn main() {}
//! ```
//!
//! # Modules
//!
//! | module | what |
//! |---|---|
//! | the root | the runtime: devices, shaders, buffers, textures, bindings, dispatches |
//! | [`bytecode`] | the content of shader files: listings, the assembler |
//! | [`raster`] | rasterization: pipelines, passes, draws |
//! | [`pipeline`] | for rasterizers of your own: vertex and pixel shaders with the state around them |
//! | `files` | textures, arrays and meshes in files: .png, .dds, .exr, .npy, .obj (feature `files`) |
//! | `document` | files that describe whole runs: dispatches and draws, resources, expected results (feature `document`) |
//! | `bench` | measures documents (feature `bench`) |
//! | `wgsl` | compute shaders in WGSL (feature `wgsl`) |
//!
//! The `brolga` binary (`cli/`, feature `cli`) is a thin shell over them. Without these features nothing is built that
//! reads or writes image files.
#![forbid(unsafe_code)]

#[cfg(feature = "files")]
pub mod files;
pub mod raster;

#[cfg(feature = "bench")]
pub use brolga_bench as bench;
pub use brolga_bytecode as bytecode;
#[cfg(feature = "document")]
pub use brolga_document as document;
pub use brolga_runtime::{
    Access, AddressMode, Array, ArrayWords, BatchError, BindingError, BindingRules, Bindings, BoundShader, Buffer,
    Cache, CacheCounters, CacheEntry, CacheError, CancelToken, ClassInstance, ClearValue, CodeFigures, Codegen,
    Comparison, CompileError, CompileOptions, CompileStage, Component, Counter, CpuFeatures, Deadline, Declared,
    Device, DeviceBuilder, Dimension, Dispatch, Domain, DomainStage, Emit, Engine, Error, ErrorKind, FileError, Filter,
    FloatRules, Format, GeometryStage, GuardPages, HullStage, InputPrimitive, InstanceError, Interpolation, Leniency,
    Level, Limit, Limits, Line, LineKind, Listing, MessageLog, Module, NotPrivate, OutputPrimitive, OutputTopology,
    Oversize, Parameter, ParseRegisterError, Partitioning, PerfMap, PlacedInstance, Pool, Program, Progress, Reduction,
    Register, Report, ResourceClass, ResourceError, ResourceKind, Sampler, Semantic, Sender, Session, Shader,
    ShaderMessage, Signature, SourceLocation, Stage, StageKind, StageTimes, Stages, StopReason, Subresources,
    SystemValue, Tap, Task, TexelBox, Texture, TextureShape, TranslateError, Unset, VectorBytes, VerifyError,
    VerifyErrors, View, Width, Worker, format, insight, pipeline,
};
#[cfg(feature = "wgsl")]
pub use brolga_wgsl as wgsl;
/// The crate with the traits of buffer elements: [`bytemuck::NoUninit`] to write them, [`bytemuck::Pod`] to read them
/// too. A structure gets them by `#[derive]` with that crate's feature `derive`, in a program that depends on the same
/// version.
pub use bytemuck;
