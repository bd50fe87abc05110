//! Rasterizes triangles, lines and points with vertex and pixel shaders, by the rules and names of Direct3D 11.
//!
//! ```no_run
//! use brolga::raster::{Draw, InputElement, Pass, Pipeline, PipelineDesc, TargetState, Targets};
//! use brolga::{Device, Format, Module, TextureShape, View};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let device = Device::builder().build()?;
//! let vertex = Module::load(&std::fs::read("vs.cso")?, device.limits())?;
//! let pixel = Module::load(&std::fs::read("ps.cso")?, device.limits())?;
//! let desc = PipelineDesc::new(&vertex, Some(&pixel))
//!     .input(InputElement::new("POSITION", Format::R32G32_FLOAT, 0))
//!     .target(TargetState::new(Format::R8G8B8A8_UNORM));
//! let pipeline = Pipeline::new(&device, &desc)?;
//!
//! let vertices = device.buffer_from(&[[0.0f32, 0.8], [0.8, -0.8], [-0.8, -0.8]])?;
//! let target = device.texture(TextureShape::texture_2d(Format::R8G8B8A8_UNORM, 640, 480))?;
//! let mut pass = Pass::new(&device, Targets { colors: vec![View::texture(target.clone())], depth: None })?;
//! pass.draw(&Draw::new(&pipeline, 3).vertex_buffer(vertices, 8))?;
//! let statistics = pass.finish()?;
//! # Ok(())
//! # }
//! ```
//!
//! A [`Pipeline`] is a set of compiled shaders with their state. A [`Pass`] draws into its targets, in order, on all
//! threads of the device; the result does not depend on their number. Targets are views: a mip level of a texture, and
//! one or more of its layers, among which a vertex shader chooses with `SV_RenderTargetArrayIndex`, as it does among
//! viewports with `SV_ViewportArrayIndex`. A pass can clear targets and update buffers between draws, and reports
//! statistics of each draw ([`Statistics`]), the results of queries ([`Pass::begin_query`]) that may decide about what
//! follows ([`Pass::set_predicate`]), or the effect of each primitive on one pixel ([`Pass::watch`]). With
//! [`Pass::with_limits`] it stops when a dispatch would.

pub use brolga_raster::direct3d9::{Direct3D9State, Direct3D9Values, Distance, FRESH_SAMPLER, FogMode};
pub use brolga_raster::error::DrawError;
pub use brolga_raster::geometry::stream::StreamTarget;
pub use brolga_raster::layout::{ElementFormat, InputElement};
pub use brolga_raster::pass::history::{Counts, Emitted, Fate, Fragment, PixelHistory};
pub use brolga_raster::pass::query::{Predicate, Query, QueryData, QueryKind};
pub use brolga_raster::pass::schedule::RoundSize;
pub use brolga_raster::pass::{Draw, Pass, VertexBuffer};
pub use brolga_raster::pipeline::{Pipeline, PipelineDesc, StreamOutput, StreamOutputEntry};
pub use brolga_raster::setup::shape::edge::Bounds;
pub use brolga_raster::setup::viewport::Viewport;
pub use brolga_raster::state::{ALPHA_BLEND, Cull, DepthState, Fill, RasterizerState, TargetState, Topology};
pub use brolga_raster::statistics::{Statistics, StreamStatistics};
pub use brolga_raster::tiles::targets::{DepthView, Targets};
pub use brolga_raster::vertices::indices::IndexBuffer;
pub use brolga_runtime::format::TextureFormat;
pub use brolga_runtime::pipeline::state::{
    Advance, Blend, BlendOp, Equation, Factor, LogicOp, StencilFace, StencilOp, StencilTest,
};
