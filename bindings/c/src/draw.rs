//! Draws in passes: into the same targets, in order.

use std::ffi::c_void;
use std::mem::MaybeUninit;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Instant;

use brolga::pipeline::record;
use brolga::raster::{self, Bounds, DepthView, Pass as NativePass, Targets};
use brolga::{Dispatch, StageKind, Stages};
use self_cell::self_cell;

use crate::arguments::{array, at_most, bytes, flag, growing, init, options, put, slice, time_limit};
use crate::bindings::{Bindings, lock};
use crate::buffer::Buffer;
use crate::device::Device;
use crate::error::{Code, Error, Failure, guard};
use crate::handle::{HandleKind, NewHandle, destroy, get, get_if_any};
use crate::messages::{Messages, log};
use crate::pipeline::Pipeline;
use crate::stop::{CancelToken, Progress, token};
use crate::stream::{STREAMS, StreamTarget};
use crate::texture::{TexelBox, Texture, part_of};
use crate::view::View;

/// A sequence of draws into the same targets, in order, by all threads of a device. One thread uses it at a time
/// (BROLGA_CODE_OUT_OF_ORDER otherwise).
///
/// Draws may be queued until brolga_pass_flush. The resources that they read and draw to must not change before.
pub struct Pass(());

impl HandleKind for Pass {
    type Value = PassState;
    const NAME: &'static str = "a pass";
}

/// A pass, and what its queries know of it.
pub(crate) struct PassState {
    begun: Mutex<Begun>,
    pub identity: Arc<Identity>,
}

/// Tells passes apart.
pub(crate) struct Identity {
    /// The time at which the device was made.
    pub origin: Instant,
}

self_cell!(
    pub(crate) struct Begun {
        owner: brolga::Device,
        #[not_covariant]
        dependent: NativePass,
    }
);

/// The targets of a pass, and its limits.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct PassOptions {
    /// Size of this struct in bytes, set by its init function.
    pub size: usize,
    /// The targets: views of textures, whose first mip level and all layers are drawn to. All have the same number of
    /// samples.
    pub targets: *const *const View,
    /// Number of targets, at most 8.
    pub target_count: usize,
    /// The depth buffer, a view of a texture with a format of depths; NULL, the default, for none.
    pub depth: *const View,
    /// `true` if depths are never written, whatever the state of draws, so that shaders may read them meanwhile.
    pub has_read_only_depth: MaybeUninit<bool>,
    /// `true` if stencils are never written.
    pub has_read_only_stencil: MaybeUninit<bool>,
    /// Stops draws when cancelled; may be NULL.
    pub cancel: *const CancelToken,
    /// Receives the number of primitives drawn; may be NULL.
    pub progress: *const Progress,
    /// Stops each flush after this many nanoseconds; 0, the default, for no limit.
    pub time_limit_ns: u64,
    /// Number of loop iterations of a shader after which draws stop; 0, the default, for no limit.
    pub fuel: u64,
    /// Collects what shaders print; may be NULL.
    pub messages: *const Messages,
}

impl Default for PassOptions {
    fn default() -> Self {
        Self {
            size: size_of::<Self>(),
            targets: std::ptr::null(),
            target_count: 0,
            depth: std::ptr::null(),
            has_read_only_depth: MaybeUninit::new(false),
            has_read_only_stencil: MaybeUninit::new(false),
            cancel: std::ptr::null(),
            progress: std::ptr::null(),
            time_limit_ns: 0,
            fuel: 0,
            messages: std::ptr::null(),
        }
    }
}

/// A vertex buffer.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct VertexBuffer {
    /// Size of this struct in bytes, set by its init function.
    pub size: usize,
    /// The buffer that holds the vertices.
    pub buffer: *const Buffer,
    /// Offset of the first vertex, a multiple of 4.
    pub offset_bytes: u64,
    /// Distance between vertices in bytes.
    pub stride_bytes: u32,
}

impl Default for VertexBuffer {
    fn default() -> Self {
        Self { size: size_of::<Self>(), buffer: std::ptr::null(), offset_bytes: 0, stride_bytes: 0 }
    }
}

/// A viewport: a part of the targets, and its range of depths.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Viewport {
    /// The left edge, in pixels.
    pub left: f32,
    /// The upper edge.
    pub top: f32,
    /// Width in pixels.
    pub width: f32,
    /// Height in pixels.
    pub height: f32,
    /// The depth in the buffer for a depth of 0.
    pub min_depth: f32,
    /// The depth in the buffer for a depth of 1.
    pub max_depth: f32,
}

/// A rectangle of pixels: from its upper left corner up to, and without, the row and column at its end.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Rectangle {
    /// The first column.
    pub left: i32,
    /// The first row.
    pub top: i32,
    /// The column after the last one.
    pub right: i32,
    /// The row after the last one.
    pub bottom: i32,
}

/// The options of a draw.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct DrawOptions {
    /// Size of this struct in bytes, set by its init function.
    pub size: usize,
    /// The shaders and their state.
    pub pipeline: *const Pipeline,
    /// The bindings of the vertex shader; may be NULL. Views that it does not declare are ignored.
    pub vertex_bindings: *const Bindings,
    /// The bindings of the pixel shader; may be NULL. Likewise.
    pub pixel_bindings: *const Bindings,
    /// Vertex buffers, from slot 0 on.
    pub vertex_buffers: *const VertexBuffer,
    /// Number of vertex buffers.
    pub vertex_buffer_count: usize,
    /// The index buffer, if vertices are read through one; NULL by default.
    pub index_buffer: *const Buffer,
    /// Offset of the first index.
    pub index_offset_bytes: u64,
    /// `true` if indices have 16 bits, not 32.
    pub has_short_indices: MaybeUninit<bool>,
    /// The stencil reference value; 0 by default.
    pub stencil_reference: u8,
    /// Number of vertices, or indices, of an instance.
    pub count: u32,
    /// The first vertex, or index.
    pub first: u32,
    /// Value added to each index.
    pub base_vertex: i32,
    /// Number of instances; 1 by default.
    pub instances: u32,
    /// The first instance, for buffers that advance by instances.
    pub first_instance: u32,
    /// Mask of the samples that are drawn, a bit each; without multisampling the lowest bit counts. By default all.
    pub sample_mask: u32,
    /// Viewports, among which the last shader before the pixel shader may choose; none, the default, for the whole of the
    /// targets.
    pub viewports: *const Viewport,
    /// Number of viewports, at most 16.
    pub viewport_count: usize,
    /// Scissor rectangles, one for each viewport; none, the default, to draw all of a viewport.
    pub scissors: *const Rectangle,
    /// Number of scissor rectangles: 0, or as many as viewports, or 1 where there are none.
    pub scissor_count: usize,
    /// The blend factor: red, green, blue, alpha; ones by default.
    pub blend_factor: [f32; 4],
    /// The bindings of the geometry shader; may be NULL. Views that it does not declare are ignored.
    pub geometry_bindings: *const Bindings,
    /// The buffers that vertices are streamed out to, from slot 0 on; none by default. Streams of slots without one
    /// write nothing.
    pub stream_targets: *const StreamTarget,
    /// Number of those buffers, at most 4.
    pub stream_target_count: usize,
    /// The bindings of the hull shader; may be NULL. Views that it does not declare are ignored.
    pub hull_bindings: *const Bindings,
    /// The bindings of the domain shader; may be NULL. Likewise.
    pub domain_bindings: *const Bindings,
}

impl Default for DrawOptions {
    fn default() -> Self {
        Self {
            size: size_of::<Self>(),
            pipeline: std::ptr::null(),
            vertex_bindings: std::ptr::null(),
            pixel_bindings: std::ptr::null(),
            vertex_buffers: std::ptr::null(),
            vertex_buffer_count: 0,
            index_buffer: std::ptr::null(),
            index_offset_bytes: 0,
            has_short_indices: MaybeUninit::new(false),
            stencil_reference: 0,
            count: 0,
            first: 0,
            base_vertex: 0,
            instances: 1,
            first_instance: 0,
            sample_mask: u32::MAX,
            viewports: std::ptr::null(),
            viewport_count: 0,
            scissors: std::ptr::null(),
            scissor_count: 0,
            blend_factor: [1.0; 4],
            geometry_bindings: std::ptr::null(),
            stream_targets: std::ptr::null(),
            stream_target_count: 0,
            hull_bindings: std::ptr::null(),
            domain_bindings: std::ptr::null(),
        }
    }
}

growing! {
    PassOptions as "BrolgaPassOptions" before messages;
    VertexBuffer as "BrolgaVertexBuffer";
    DrawOptions as "BrolgaDrawOptions" before geometry_bindings;
}

impl PassOptions {
    /// # Safety
    /// Its pointers are null or point to valid objects of their types.
    unsafe fn begin(&self, device: &brolga::Device) -> Result<Begun, Failure> {
        // SAFETY: promised to this function.
        let (colors, depth, cancel, progress) = unsafe {
            let count = at_most(self.target_count, 8, "BrolgaPassOptions.target_count")?;
            let colors = slice(self.targets, count, "BrolgaPassOptions.targets")?;
            let colors = colors.iter().map(|&view| Ok(get(view)?.clone()));
            let colors = colors.collect::<Result<Vec<_>, Failure>>()?;
            (colors, get_if_any(self.depth)?, token(self.cancel)?, get_if_any(self.progress)?)
        };
        let depth = depth.map(|view| DepthView {
            view: view.clone(),
            has_read_only_depth: flag(self.has_read_only_depth),
            has_read_only_stencil: flag(self.has_read_only_stencil),
        });
        let mut limits = Dispatch::new([0; 3]).cancel(cancel);
        if let Some(progress) = progress {
            limits = limits.progress(progress.clone());
        }
        limits.time_limit = time_limit(self.time_limit_ns);
        limits.fuel = (self.fuel != 0).then_some(self.fuel);
        // SAFETY: promised to this function.
        limits.messages = unsafe { log(self.messages) }?;
        let targets = Targets { colors, depth };
        Begun::try_new(device.clone(), |device| Ok(NativePass::new(device, targets)?.with_limits(&limits)))
    }
}

/// A viewport, unless it is the whole target, with its scissor rectangle.
type DrawArea = (Option<raster::Viewport>, Option<Bounds>);

/// The data that a draw borrows while it is added.
struct DrawArguments<'a> {
    options: DrawOptions,
    pipeline: &'a raster::Pipeline,
    bindings: Stages<Option<brolga::Bindings>>,
    vertex_buffers: Vec<raster::VertexBuffer>,
    index_buffer: Option<raster::IndexBuffer>,
    stream_targets: Vec<Option<raster::StreamTarget>>,
    areas: Vec<DrawArea>,
}

impl DrawOptions {
    /// # Safety
    /// Its pointers are null or point to valid objects of their types.
    unsafe fn read<'a>(&self) -> Result<DrawArguments<'a>, Failure> {
        // SAFETY: promised to this function.
        unsafe {
            let bound = |bindings| Ok::<_, Failure>(get_if_any(bindings)?.map(|bindings| lock(bindings).clone()));
            let vertex_buffer = |of: &VertexBuffer| {
                let VertexBuffer { offset_bytes, stride_bytes, .. } = *of;
                Ok::<_, Failure>(raster::VertexBuffer { buffer: get(of.buffer)?.clone(), offset_bytes, stride_bytes })
            };
            let index_buffer = |buffer: &brolga::Buffer| raster::IndexBuffer {
                buffer: buffer.clone(),
                offset_bytes: self.index_offset_bytes,
                is_short: flag(self.has_short_indices),
            };
            let count = at_most(self.vertex_buffer_count, record::SLOTS, "BrolgaDrawOptions.vertex_buffer_count")?;
            let vertex_buffers = array(self.vertex_buffers, count)?;
            let count = at_most(self.stream_target_count, STREAMS, "BrolgaDrawOptions.stream_target_count")?;
            let stream_targets = array(self.stream_targets, count)?;
            let mut bindings = Stages::default();
            bindings[StageKind::Vertex] = bound(self.vertex_bindings)?;
            bindings[StageKind::Hull] = bound(self.hull_bindings)?;
            bindings[StageKind::Domain] = bound(self.domain_bindings)?;
            bindings[StageKind::Geometry] = bound(self.geometry_bindings)?;
            bindings[StageKind::Pixel] = bound(self.pixel_bindings)?;
            Ok(DrawArguments {
                options: *self,
                pipeline: get(self.pipeline)?,
                bindings,
                vertex_buffers: vertex_buffers.iter().map(vertex_buffer).collect::<Result<_, _>>()?,
                index_buffer: get_if_any(self.index_buffer)?.map(index_buffer),
                stream_targets: stream_targets.iter().map(|target| target.native()).collect::<Result<_, _>>()?,
                areas: self.areas()?,
            })
        }
    }

    /// The viewports with their scissor rectangles, at least one.
    ///
    /// # Safety
    /// As for [`Self::read`].
    unsafe fn areas(&self) -> Result<Vec<DrawArea>, Failure> {
        // SAFETY: promised to this function.
        let (viewports, scissors) = unsafe {
            let viewport_count = at_most(self.viewport_count, 16, "BrolgaDrawOptions.viewport_count")?;
            let scissor_count = at_most(self.scissor_count, 16, "BrolgaDrawOptions.scissor_count")?;
            let viewports = slice(self.viewports, viewport_count, "BrolgaDrawOptions.viewports")?;
            (viewports, slice(self.scissors, scissor_count, "BrolgaDrawOptions.scissors")?)
        };
        let areas = viewports.len().max(1);
        if !scissors.is_empty() && scissors.len() != areas {
            let text = format!(
                "{} scissor rectangles for {} viewports: there must be {areas}, or none",
                scissors.len(),
                viewports.len()
            );
            return Err(Failure::argument(text));
        }
        let area = |n: usize| (viewports.get(n).map(Viewport::native), scissors.get(n).map(Rectangle::native));
        Ok((0..areas).map(area).collect())
    }
}

impl Viewport {
    fn native(&self) -> raster::Viewport {
        let &Self { left, top, width, height, min_depth, max_depth } = self;
        raster::Viewport { left, top, width, height, min_depth, max_depth }
    }
}

impl Rectangle {
    fn native(&self) -> Bounds {
        let &Self { left, top, right, bottom } = self;
        Bounds { left, top, right, bottom }
    }
}

impl DrawArguments<'_> {
    fn native(&self) -> raster::Draw<'_> {
        let options = &self.options;
        let mut draw = raster::Draw::new(self.pipeline, options.count);
        draw.bindings = Stages::from_fn(|stage| self.bindings[stage].as_ref());
        (draw.vertex_buffers, draw.index_buffer) = (self.vertex_buffers.clone(), self.index_buffer.clone());
        draw.stream_targets = self.stream_targets.clone();
        (draw.first, draw.base_vertex) = (options.first, options.base_vertex);
        (draw.instances, draw.first_instance) = (options.instances, options.first_instance);
        (draw.viewport, draw.scissor) = self.areas[0];
        let more = self.areas[1..].iter();
        draw.more_viewports = more.filter_map(|(viewport, scissor)| Some(((*viewport)?, *scissor))).collect();
        (draw.blend_factor, draw.sample_mask) = (options.blend_factor, options.sample_mask);
        draw.stencil_reference = options.stencil_reference;
        draw
    }
}

/// Calls a function with a pass that nobody else uses.
pub(crate) fn with_pass<T>(
    pass: &PassState,
    work: impl FnOnce(&mut NativePass<'_>) -> Result<T, raster::DrawError>,
) -> Result<T, Failure> {
    let mut begun: MutexGuard<'_, Begun> =
        pass.begun.try_lock().map_err(|_| Failure::order("the pass is used by another thread, or failed before"))?;
    Ok(begun.with_dependent_mut(|_, pass| work(pass))?)
}

/// # Safety
/// `number` is null or may be written.
unsafe fn put_number(number: *mut u64, drawn: usize) -> Result<(), Failure> {
    // SAFETY: promised to this function.
    if number.is_null() { Ok(()) } else { unsafe { put(number, drawn as u64, "the draw's number") } }
}

/// Fills options with the defaults. `size` is sizeof(BrolgaPassOptions).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn brolga_pass_options_init(pass_options: *mut PassOptions, size: usize) -> Code {
    // SAFETY: the caller's promises.
    unsafe { init(pass_options, size) }
}

/// Fills a vertex buffer with the defaults. `size` is sizeof(BrolgaVertexBuffer).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn brolga_vertex_buffer_init(vertex_buffer: *mut VertexBuffer, size: usize) -> Code {
    // SAFETY: the caller's promises.
    unsafe { init(vertex_buffer, size) }
}

/// Fills options with the defaults. `size` is sizeof(BrolgaDrawOptions).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn brolga_draw_options_init(draw_options: *mut DrawOptions, size: usize) -> Code {
    // SAFETY: the caller's promises.
    unsafe { init(draw_options, size) }
}

/// Begins a pass. The views are kept alive.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn brolga_pass_create(
    device: *const Device,
    pass_options: *const PassOptions,
    pass: *mut *mut Pass,
    error: *mut Error,
) -> Code {
    // SAFETY: the caller's promises.
    unsafe {
        guard(error, || {
            let (handle, device) = (NewHandle::new(pass)?, get(device)?);
            let begun = Mutex::new(options(pass_options)?.begin(device)?);
            handle.put(PassState { begun, identity: Arc::new(Identity { origin: device.made }) });
            Ok(())
        })
    }
}

/// Destroys a pass. Queued draws are discarded: brolga_pass_flush draws them.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn brolga_pass_destroy(pass: *mut Pass) -> Code {
    // SAFETY: the caller's promises.
    unsafe { destroy(pass) }
}

/// Adds a draw. `number` gets its number in the pass, from 0 on, and may be NULL. The memory that the options point to
/// is not used after the call, except the objects, which queued draws keep alive.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn brolga_pass_draw(
    pass: *const Pass,
    draw_options: *const DrawOptions,
    number: *mut u64,
    error: *mut Error,
) -> Code {
    // SAFETY: the caller's promises.
    unsafe {
        guard(error, || {
            let (pass, drawing) = (get(pass)?, options(draw_options)?.read()?);
            put_number(number, with_pass(pass, |pass| pass.draw(&drawing.native()))?)
        })
    }
}

/// Adds a draw whose counts are words of a buffer, from a byte offset on: vertices, instances, the first vertex, the
/// first instance; with an index buffer indices, instances, the first index, the base vertex, the first instance. They
/// are read now, after all draws before.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn brolga_pass_draw_indirect(
    pass: *const Pass,
    draw_options: *const DrawOptions,
    arguments: *const Buffer,
    offset_bytes: u64,
    number: *mut u64,
    error: *mut Error,
) -> Code {
    // SAFETY: the caller's promises.
    unsafe {
        guard(error, || {
            let (pass, drawing, arguments) = (get(pass)?, options(draw_options)?.read()?, get(arguments)?);
            let drawn = with_pass(pass, |pass| pass.draw_indirect(&drawing.native(), arguments, offset_bytes))?;
            put_number(number, drawn)
        })
    }
}

/// Adds a draw of all the vertices that were streamed out to its first vertex buffer: from that one's offset on, up to
/// brolga_buffer_filled_bytes, without a partial vertex at the end. It has one instance: `count`, `first`, `instances`
/// and `first_instance` are ignored. It must have a vertex buffer with a stride, and no index buffer. DrawAuto.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn brolga_pass_draw_auto(
    pass: *const Pass,
    draw_options: *const DrawOptions,
    number: *mut u64,
    error: *mut Error,
) -> Code {
    // SAFETY: the caller's promises.
    unsafe {
        guard(error, || {
            let (pass, drawing) = (get(pass)?, options(draw_options)?.read()?);
            put_number(number, with_pass(pass, |pass| pass.draw_auto(&drawing.native()))?)
        })
    }
}

/// Clears a target, counted from 0, to a colour (red, green, blue, alpha), after the draws before.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn brolga_pass_clear_color(
    pass: *const Pass,
    target: usize,
    color: *const f32,
    error: *mut Error,
) -> Code {
    // SAFETY: the caller's promises.
    unsafe {
        guard(error, || {
            let color = slice(color, 4, "the colour")?;
            with_pass(get(pass)?, |pass| pass.clear_color(target, [color[0], color[1], color[2], color[3]]))
        })
    }
}

/// Clears the depths of the depth buffer, after the draws before.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn brolga_pass_clear_depth(pass: *const Pass, depth: f32, error: *mut Error) -> Code {
    // SAFETY: the caller's promises.
    unsafe { guard(error, || with_pass(get(pass)?, |pass| pass.clear_depth(depth))) }
}

/// Clears the stencils of the depth buffer, after the draws before.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn brolga_pass_clear_stencil(pass: *const Pass, stencil: u8, error: *mut Error) -> Code {
    // SAFETY: the caller's promises.
    unsafe { guard(error, || with_pass(get(pass)?, |pass| pass.clear_stencil(stencil))) }
}

/// Writes bytes to a buffer like brolga_buffer_write, after the draws before, which see the old bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn brolga_pass_update_buffer(
    pass: *const Pass,
    buffer: *const Buffer,
    offset_bytes: u64,
    from: *const c_void,
    size_bytes: usize,
    error: *mut Error,
) -> Code {
    // SAFETY: the caller's promises.
    unsafe {
        guard(error, || {
            let (pass, buffer) = (get(pass)?, get(buffer)?);
            let bytes = bytes(from, size_bytes, "the memory to write from")?;
            with_pass(pass, |pass| pass.update_buffer(buffer, offset_bytes, bytes))
        })
    }
}

/// Writes texels to a box of a texture like brolga_texture_write, after the draws before.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn brolga_pass_update_texture(
    pass: *const Pass,
    texture: *const Texture,
    to_box: *const TexelBox,
    from: *const c_void,
    size_bytes: usize,
    row_pitch_bytes: u64,
    error: *mut Error,
) -> Code {
    // SAFETY: the caller's promises.
    unsafe {
        guard(error, || {
            let (pass, texture) = (get(pass)?, get(texture)?);
            let texels = bytes(from, size_bytes, "the texels to write")?;
            let (part, pitch) = (part_of(texture, to_box)?, (row_pitch_bytes != 0).then_some(row_pitch_bytes));
            with_pass(pass, |pass| pass.update_texture(texture, &part, texels, pitch))
        })
    }
}

/// Draws all queued draws. After an error the targets hold the result of those before.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn brolga_pass_flush(pass: *const Pass, error: *mut Error) -> Code {
    // SAFETY: the caller's promises.
    unsafe { guard(error, || with_pass(get(pass)?, |pass| pass.flush())) }
}
