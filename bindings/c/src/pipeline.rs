//! Defines pipelines: the shaders of a draw, with the state between and around them.

use std::ffi::{c_char, c_void};
use std::mem::MaybeUninit;

use brolga::raster::{self, InputElement as NativeElement, PipelineDesc};
use brolga::{Limits, Module, StageKind, Stages};

use crate::arguments::{array, at_most, bytes, choice, flag, format, growing, init, options, text, time_limit};
use crate::device::Device;
use crate::error::{Code, Error, Failure, guard};
use crate::handle::{HandleKind, NewHandle, destroy, get};
use crate::merger::{DepthState, TargetState};
use crate::shader::{CompileOptions, Shader};
use crate::state::{Cull, Fill, Topology};
use crate::stop::token;
use crate::stream::StreamOutput;

/// Shaders, compiled with the state around them. Any thread may use it at any time.
pub struct Pipeline(());

impl HandleKind for Pipeline {
    type Value = raster::Pipeline;
    const NAME: &'static str = "a pipeline";
}

/// An element of a vertex, which supplies an input of the vertex shader.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct InputElement {
    /// Size of this struct in bytes, set by its init function.
    pub size: usize,
    /// The semantic, in letters of either case, with its number: "TEXCOORD1".
    pub semantic: *const c_char,
    /// The format of its bytes: a BrolgaFormat, or a number of DXGI_FORMAT.
    pub format: u32,
    /// The slot of the vertex buffer.
    pub slot: u32,
    /// Offset from the start of a vertex in bytes.
    pub offset_bytes: u32,
    /// `true` if it advances by instances, not by vertices.
    pub is_per_instance: MaybeUninit<bool>,
    /// Number of instances after which it advances, if so; 0 for never.
    pub instance_step: u32,
}

impl Default for InputElement {
    fn default() -> Self {
        let (format, slot, offset_bytes, instance_step) = (0, 0, 0, 1);
        let (size, semantic, is_per_instance) = (size_of::<Self>(), std::ptr::null(), MaybeUninit::new(false));
        Self { size, semantic, format, slot, offset_bytes, is_per_instance, instance_step }
    }
}

/// The shaders and the state of a pipeline. Defaults are those of Direct3D 11.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct PipelineOptions {
    /// Size of this struct in bytes, set by its init function.
    pub size: usize,
    /// The container of the vertex shader.
    pub vertex_shader: *const c_void,
    /// Its size in bytes.
    pub vertex_shader_bytes: usize,
    /// The container of the pixel shader; NULL, as by default, to draw depth only.
    pub pixel_shader: *const c_void,
    /// Its size in bytes.
    pub pixel_shader_bytes: usize,
    /// The input layout of the vertex shader.
    pub inputs: *const InputElement,
    /// Number of elements in it.
    pub input_count: usize,
    /// The targets: output o0 goes to the first one, and so on.
    pub targets: *const TargetState,
    /// Number of targets, at most 8.
    pub target_count: usize,
    /// The format of the depth buffer: a BrolgaFormat, or a number of DXGI_FORMAT; 0, the default, for none.
    pub depth_format: u32,
    /// The primitive topology; BROLGA_TOPOLOGY_TRIANGLE_LIST by default.
    pub topology: MaybeUninit<Topology>,
    /// The depth and stencil tests; NULL for the defaults.
    pub depth: *const DepthState,
    /// The fill mode of triangles; BROLGA_FILL_SOLID by default.
    pub fill: MaybeUninit<Fill>,
    /// The triangles that are culled; BROLGA_CULL_BACK by default.
    pub cull: MaybeUninit<Cull>,
    /// Constant bias of the depth of triangles, in units of the depth buffer; 0 by default, like the next two.
    pub depth_bias: i32,
    /// Bias of the depth in proportion to its slope from pixel to pixel.
    pub slope_scaled_depth_bias: f32,
    /// Limit of the sum of both.
    pub depth_bias_clamp: f32,
    /// `true` if counter-clockwise triangles are front-facing; by default clockwise ones are.
    pub front_counter_clockwise: MaybeUninit<bool>,
    /// `true` if triangles are clipped where depth leaves 0 to 1, the default. Otherwise depth is clamped.
    pub depth_clip: MaybeUninit<bool>,
    /// `true` if lines are rectangles 1.4 pixels wide: MultisampleEnable.
    pub multisample: MaybeUninit<bool>,
    /// `true` if the alpha of the first output says how many samples of a pixel are drawn; a single one is where it is
    /// above a half.
    pub alpha_to_coverage: MaybeUninit<bool>,
    /// The options of compilation; NULL for the defaults. They have no states of stages.
    pub compile: *const CompileOptions,
    /// The options for the pixel shader, if they differ from those for the vertex shader; NULL by default.
    pub pixel_compile: *const CompileOptions,
    /// The number of samples of the targets and the depth buffer: 1, 2, 4 or 8; 1 by default.
    pub samples: u32,
    /// `true` if all of these samples lie at the center of a pixel; `false` for the standard pattern, as by default.
    pub center_pattern: MaybeUninit<bool>,
    /// The number of samples of a pixel that primitives cover, whatever the targets have: 1, 4, 8 or 16; 0, the default,
    /// for those of the targets. More than 1 need targets of one sample, or none. ForcedSampleCount.
    pub forced_samples: u32,
    /// `true` for conservative rasterization: triangles cover every pixel that they touch.
    pub conservative: MaybeUninit<bool>,
    /// The container of the geometry shader, which takes the primitives of the topology, or those that the tessellator
    /// makes; NULL, as by default, for none.
    pub geometry_shader: *const c_void,
    /// Its size in bytes.
    pub geometry_shader_bytes: usize,
    /// The options for the geometry shader, if they differ from those for the vertex shader; NULL by default.
    pub geometry_compile: *const CompileOptions,
    /// What is streamed out; NULL, the default, for nothing.
    pub stream_output: *const StreamOutput,
    /// The container of the hull shader, which takes the patches of the topology; NULL, as by default, for none. With it
    /// goes a domain shader.
    pub hull_shader: *const c_void,
    /// Its size in bytes.
    pub hull_shader_bytes: usize,
    /// The options for the hull shader, if they differ from those for the vertex shader; NULL by default.
    pub hull_compile: *const CompileOptions,
    /// The container of the domain shader, which goes with a hull shader; NULL, as by default, for none.
    pub domain_shader: *const c_void,
    /// Its size in bytes.
    pub domain_shader_bytes: usize,
    /// The options for the domain shader, if they differ from those for the vertex shader; NULL by default.
    pub domain_compile: *const CompileOptions,
}

impl Default for PipelineOptions {
    fn default() -> Self {
        Self {
            size: size_of::<Self>(),
            vertex_shader: std::ptr::null(),
            vertex_shader_bytes: 0,
            pixel_shader: std::ptr::null(),
            pixel_shader_bytes: 0,
            inputs: std::ptr::null(),
            input_count: 0,
            targets: std::ptr::null(),
            target_count: 0,
            depth_format: 0,
            topology: MaybeUninit::new(Topology::TriangleList),
            depth: std::ptr::null(),
            fill: MaybeUninit::new(Fill::Solid),
            cull: MaybeUninit::new(Cull::Back),
            depth_bias: 0,
            slope_scaled_depth_bias: 0.0,
            depth_bias_clamp: 0.0,
            front_counter_clockwise: MaybeUninit::new(false),
            depth_clip: MaybeUninit::new(true),
            multisample: MaybeUninit::new(false),
            alpha_to_coverage: MaybeUninit::new(false),
            compile: std::ptr::null(),
            pixel_compile: std::ptr::null(),
            samples: 1,
            center_pattern: MaybeUninit::new(false),
            forced_samples: 0,
            conservative: MaybeUninit::new(false),
            geometry_shader: std::ptr::null(),
            geometry_shader_bytes: 0,
            geometry_compile: std::ptr::null(),
            stream_output: std::ptr::null(),
            hull_shader: std::ptr::null(),
            hull_shader_bytes: 0,
            hull_compile: std::ptr::null(),
            domain_shader: std::ptr::null(),
            domain_shader_bytes: 0,
            domain_compile: std::ptr::null(),
        }
    }
}

growing! {
    InputElement as "BrolgaInputElement";
    PipelineOptions as "BrolgaPipelineOptions" before geometry_shader;
}

impl InputElement {
    /// # Safety
    /// Its semantic is null or a text.
    unsafe fn native(&self) -> Result<NativeElement, Failure> {
        // SAFETY: promised to this function.
        let semantic = unsafe { text(self.semantic, "BrolgaInputElement.semantic") }?;
        let format = format(self.format, "BrolgaInputElement.format")?;
        let native = NativeElement::new(semantic, format, self.offset_bytes).slot(self.slot);
        Ok(if flag(self.is_per_instance) { native.per_instance(self.instance_step) } else { native })
    }
}

impl PipelineOptions {
    fn rasterizer(&self) -> Result<raster::RasterizerState, Failure> {
        Ok(raster::RasterizerState {
            fill: choice(self.fill, "BrolgaPipelineOptions.fill")?,
            cull: choice(self.cull, "BrolgaPipelineOptions.cull")?,
            front_counter_clockwise: flag(self.front_counter_clockwise),
            depth_clip: flag(self.depth_clip),
            depth_bias: self.depth_bias,
            slope_scaled_depth_bias: self.slope_scaled_depth_bias,
            depth_bias_clamp: self.depth_bias_clamp,
            multisample: flag(self.multisample),
            forced_samples: self.forced_samples,
            conservative: flag(self.conservative),
        })
    }

    /// The shaders.
    ///
    /// # Safety
    /// Its pointers are null or point to valid objects of their types.
    unsafe fn modules(&self, limits: &Limits) -> Result<Stages<Option<Module>>, Failure> {
        // SAFETY: promised to this function.
        unsafe {
            let vertex = bytes(self.vertex_shader, self.vertex_shader_bytes, "BrolgaPipelineOptions.vertex_shader")?;
            let more = [
                (StageKind::Hull, self.hull_shader, self.hull_shader_bytes, "hull_shader"),
                (StageKind::Domain, self.domain_shader, self.domain_shader_bytes, "domain_shader"),
                (StageKind::Geometry, self.geometry_shader, self.geometry_shader_bytes, "geometry_shader"),
                (StageKind::Pixel, self.pixel_shader, self.pixel_shader_bytes, "pixel_shader"),
            ];
            let mut modules = Stages::default();
            modules[StageKind::Vertex] = Some(Module::load(vertex, limits)?);
            for (stage, shader, size_bytes, field) in more {
                let container = bytes(shader, size_bytes, &format!("BrolgaPipelineOptions.{field}"))?;
                modules[stage] = (!shader.is_null()).then(|| Module::load(container, limits)).transpose()?;
            }
            Ok(modules)
        }
    }

    /// # Safety
    /// Its pointers are null or point to valid objects of their types.
    unsafe fn build(&self, device: &brolga::Device) -> Result<raster::Pipeline, Failure> {
        // SAFETY: promised to this function.
        unsafe {
            let mut desc = PipelineDesc { modules: self.modules(device.limits())?, ..PipelineDesc::default() };
            let inputs = array(self.inputs, self.input_count)?;
            desc.input_layout = inputs.iter().map(|input| input.native()).collect::<Result<_, _>>()?;
            let target_count = at_most(self.target_count, 8, "BrolgaPipelineOptions.target_count")?;
            let targets = array(self.targets, target_count)?;
            desc.targets = targets.iter().map(TargetState::native).collect::<Result<_, _>>()?;
            desc.topology = choice(self.topology, "BrolgaPipelineOptions.topology")?;
            desc.rasterizer = self.rasterizer()?;
            let depth = options(self.depth)?;
            (desc.depth, desc.stencil) = (depth.native()?, depth.stencil()?);
            if self.depth_format != 0 {
                desc.depth_format = Some(format(self.depth_format, "BrolgaPipelineOptions.depth_format")?);
            }
            (desc.alpha_to_coverage, desc.samples) = (flag(self.alpha_to_coverage), self.samples);
            desc.center_pattern = flag(self.center_pattern);
            if !self.stream_output.is_null() {
                desc.stream_output = Some(options(self.stream_output)?.native()?);
            }
            let compile = options(self.compile)?;
            desc.options = compile.native()?.into();
            for (stage, own) in [
                (StageKind::Hull, self.hull_compile),
                (StageKind::Domain, self.domain_compile),
                (StageKind::Geometry, self.geometry_compile),
                (StageKind::Pixel, self.pixel_compile),
            ] {
                if !own.is_null() {
                    desc.options[stage] = options(own)?.native()?;
                }
            }
            Ok(match compile.may_stop() {
                false => raster::Pipeline::new(device, &desc)?,
                true => {
                    let (cancel, limit) = (token(compile.cancel)?, time_limit(compile.time_limit_ns));
                    raster::Pipeline::new_until(device, &desc, &cancel, limit)?
                }
            })
        }
    }
}

/// Fills an element with the defaults. `size` is sizeof(BrolgaInputElement).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn brolga_input_element_init(input_element: *mut InputElement, size: usize) -> Code {
    // SAFETY: the caller's promises.
    unsafe { init(input_element, size) }
}

/// Fills options with the defaults. `size` is sizeof(BrolgaPipelineOptions).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn brolga_pipeline_options_init(pipeline_options: *mut PipelineOptions, size: usize) -> Code {
    // SAFETY: the caller's promises.
    unsafe { init(pipeline_options, size) }
}

/// Compiles the shaders. The memory that the options point to is not used after the call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn brolga_pipeline_create(
    device: *const Device,
    pipeline_options: *const PipelineOptions,
    pipeline: *mut *mut Pipeline,
    error: *mut Error,
) -> Code {
    // SAFETY: the caller's promises.
    unsafe {
        guard(error, || {
            let (handle, device) = (NewHandle::new(pipeline)?, get(device)?);
            handle.put(options(pipeline_options)?.build(device)?);
            Ok(())
        })
    }
}

/// Destroys a pipeline. Queued draws keep it alive.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn brolga_pipeline_destroy(pipeline: *mut Pipeline) -> Code {
    // SAFETY: the caller's promises.
    unsafe { destroy(pipeline) }
}

/// Writes the shader of a stage to the caller's pointer.
///
/// # Safety
/// The pointers are the caller's.
unsafe fn put_shader(
    pipeline: *const Pipeline,
    stage: StageKind,
    missing: &str,
    shader: *mut *mut Shader,
    error: *mut Error,
) -> Code {
    // SAFETY: promised to this function.
    unsafe {
        guard(error, || {
            let (handle, pipeline) = (NewHandle::new(shader)?, get(pipeline)?);
            let none = || Failure::new(Code::Call, missing);
            handle.put(pipeline.shader(stage).ok_or_else(none)?.clone());
            Ok(())
        })
    }
}

/// Returns the vertex shader of a pipeline, for the names of its registers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn brolga_pipeline_vertex_shader(
    pipeline: *const Pipeline,
    shader: *mut *mut Shader,
    error: *mut Error,
) -> Code {
    // SAFETY: the caller's promises.
    unsafe { put_shader(pipeline, StageKind::Vertex, "the pipeline has no vertex shader", shader, error) }
}

/// Returns the hull shader of a pipeline. Fails if it has none (BROLGA_CODE_CALL).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn brolga_pipeline_hull_shader(
    pipeline: *const Pipeline,
    shader: *mut *mut Shader,
    error: *mut Error,
) -> Code {
    // SAFETY: the caller's promises.
    unsafe { put_shader(pipeline, StageKind::Hull, "the pipeline has no hull shader", shader, error) }
}

/// Returns the domain shader of a pipeline. Fails if it has none (BROLGA_CODE_CALL).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn brolga_pipeline_domain_shader(
    pipeline: *const Pipeline,
    shader: *mut *mut Shader,
    error: *mut Error,
) -> Code {
    // SAFETY: the caller's promises.
    unsafe { put_shader(pipeline, StageKind::Domain, "the pipeline has no domain shader", shader, error) }
}

/// Returns the geometry shader of a pipeline. Fails if it has none (BROLGA_CODE_CALL).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn brolga_pipeline_geometry_shader(
    pipeline: *const Pipeline,
    shader: *mut *mut Shader,
    error: *mut Error,
) -> Code {
    // SAFETY: the caller's promises.
    unsafe { put_shader(pipeline, StageKind::Geometry, "the pipeline has no geometry shader", shader, error) }
}

/// Returns the pixel shader of a pipeline. Fails if it has none (BROLGA_CODE_CALL).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn brolga_pipeline_pixel_shader(
    pipeline: *const Pipeline,
    shader: *mut *mut Shader,
    error: *mut Error,
) -> Code {
    // SAFETY: the caller's promises.
    unsafe {
        let missing = "the pipeline has no pixel shader: it draws depth only";
        put_shader(pipeline, StageKind::Pixel, missing, shader, error)
    }
}
