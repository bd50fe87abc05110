//! Runs passes: draws into the same targets, in order.
//!
//! | file | contents |
//! |---|---|
//! | `bind.rs` | checks a draw, and binds what its shaders use |
//! | `front_end.rs` | the stages before the rasterizer |
//! | `schedule.rs` | the parallel schedule: batches of primitives, then tiles |
//! | `query.rs` | queries, and predication of what follows |
//! | `history.rs` | the history of one pixel |

mod bind;
mod front_end;
pub mod history;
pub mod query;
pub mod schedule;

use brolga_fenv::in_default_mode;
use brolga_runtime::{
    Bindings, Buffer, CancelToken, ClearValue, Deadline, Device, Dispatch, Error, ResourceError, Stages, TexelBox,
    Texture, View,
};
use bytemuck::NoUninit;

use crate::direct3d9::Direct3D9Values;
use crate::error::DrawError;
use crate::geometry::stream::StreamTarget;
use crate::pass::bind::Known;
use crate::pass::history::{PixelHistory, Snapshot, Watched};
use crate::pass::query::Predicate;
use crate::pass::schedule::{BoundDraw, Limits, RoundSize, Spare};
use crate::pipeline::Pipeline;
use crate::setup::shape::Bounds;
use crate::setup::viewport::Viewport;
use crate::statistics::Statistics;
use crate::tiles::targets::{Target, Targets};
use crate::vertices::indices::IndexBuffer;

/// The most pending draws: it bounds memory.
const MOST_PENDING: usize = 1024;

/// A vertex buffer.
#[derive(Clone, Debug)]
pub struct VertexBuffer {
    /// Its bytes.
    pub buffer: Buffer,
    /// The offset of the first vertex, a multiple of 4.
    pub offset_bytes: u64,
    /// The stride: bytes from one vertex to the next.
    pub stride_bytes: u32,
}

/// A draw call.
#[derive(Clone, Debug)]
pub struct Draw<'a> {
    /// The shaders and their state.
    pub pipeline: &'a Pipeline,
    /// The bindings of each shader.
    pub bindings: Stages<Option<&'a Bindings>>,
    /// Vertex buffers, from slot 0 on. Elements of missing ones read zero, except in Direct3D 9.
    pub vertex_buffers: Vec<VertexBuffer>,
    /// The index buffer of an indexed draw.
    pub index_buffer: Option<IndexBuffer>,
    /// Vertices, or indices, per instance.
    pub count: u32,
    /// The first vertex, or index.
    pub first: u32,
    /// The offset that is added to each index.
    pub base_vertex: i32,
    /// Number of instances.
    pub instances: u32,
    /// The first instance, for buffers that advance by instances.
    pub first_instance: u32,
    /// The viewport; by default all of the targets. A pass without targets, whose shaders only write to views, has the
    /// pixels of its viewport within 16384 x 16384, and by default none (functional specification, 16.11).
    pub viewport: Option<Viewport>,
    /// The scissor rectangle; by default all of the viewport.
    pub scissor: Option<Bounds>,
    /// Viewports 1 to 15 with their scissor rectangles; the vertex shader selects among them and the first
    /// (`SV_ViewportArrayIndex`). By default nothing is drawn in them.
    pub more_viewports: Vec<(Viewport, Option<Bounds>)>,
    /// The value of [`Factor::BlendFactor`](brolga_ir::pipeline::state::Factor::BlendFactor); ones by default.
    pub blend_factor: [f32; 4],
    /// The sample mask: the samples that are drawn, the first in the lowest bit. By default all bits are set. If none of
    /// the targets' samples is in it nothing is covered, and no pixel shader runs.
    pub sample_mask: u32,
    /// The stencil reference; 0 by default.
    pub stencil_reference: u8,
    /// The buffers that vertices are streamed out to, from slot 0 on. Where one is missing its stream writes nothing.
    pub stream_targets: Vec<Option<StreamTarget>>,
    /// The additional values of Direct3D 9, for its shaders only.
    pub direct3d9: Direct3D9Values,
}

impl<'a> Draw<'a> {
    /// One instance of this many vertices.
    pub fn new(pipeline: &'a Pipeline, vertices: u32) -> Self {
        Self {
            pipeline,
            bindings: Stages::default(),
            vertex_buffers: Vec::new(),
            index_buffer: None,
            count: vertices,
            first: 0,
            base_vertex: 0,
            instances: 1,
            first_instance: 0,
            viewport: None,
            scissor: None,
            more_viewports: Vec::new(),
            blend_factor: [1.0; 4],
            sample_mask: u32::MAX,
            stencil_reference: 0,
            stream_targets: Vec::new(),
            direct3d9: Direct3D9Values::default(),
        }
    }

    /// Binds the same resources to all shaders; each uses those it declares.
    pub fn bindings(mut self, bindings: &'a Bindings) -> Self {
        self.bindings = Some(bindings).into();
        self
    }

    /// Adds a vertex buffer.
    pub fn vertex_buffer(mut self, buffer: Buffer, stride_bytes: u32) -> Self {
        self.vertex_buffers.push(VertexBuffer { buffer, offset_bytes: 0, stride_bytes });
        self
    }

    /// Reads vertices through an index buffer.
    pub fn index_buffer(mut self, index_buffer: IndexBuffer) -> Self {
        self.index_buffer = Some(index_buffer);
        self
    }
}

/// Draws into the same targets, in order. The resources of a draw must not change before [`Self::finish`].
#[derive(Debug)]
pub struct Pass<'a> {
    device: &'a Device,
    targets: Targets,
    target: Target,
    /// Results that draws may share with those before.
    known: Known,
    pending: Vec<BoundDraw>,
    spare: Spare<'a>,
    statistics: Vec<Statistics>,
    limits: Dispatch,
    round: RoundSize,
    /// The pixel to watch, if there is one, and its history in the draws so far.
    watched: Option<[u32; 2]>,
    histories: Vec<PixelHistory>,
    queries: Vec<query::Range>,
    /// The condition for what comes next.
    predicate: Option<Predicate>,
}

impl<'a> Pass<'a> {
    /// Begins a pass.
    ///
    /// # Errors
    /// If one of the targets cannot be drawn to.
    pub fn new(device: &'a Device, targets: Targets) -> Result<Self, DrawError> {
        let target = targets.check()?;
        Ok(Self {
            device,
            targets,
            target,
            known: Known::default(),
            pending: Vec::new(),
            spare: Spare::default(),
            statistics: Vec::new(),
            limits: Dispatch::new([0; 3]),
            round: RoundSize::default(),
            watched: None,
            histories: Vec::new(),
            queries: Vec::new(),
            predicate: None,
        })
    }

    /// Records, from now on, the history of a pixel of the targets' first layer, by column and row. Each draw then runs
    /// at once, and primitives that cover the pixel are shaded twice there.
    ///
    /// # Errors
    /// If the targets do not have the pixel.
    pub fn watch(&mut self, pixel: [u32; 2]) -> Result<(), DrawError> {
        let [width, height, _] = if self.targets.is_empty() { [0; 3] } else { self.target.extents };
        let size = [width, height];
        if pixel[0] >= size[0] || pixel[1] >= size[1] {
            return Err(DrawError::NoPixel { pixel, size });
        }
        self.watched = Some(pixel);
        Ok(())
    }

    /// The history of the pixel in each draw since [`Self::watch`].
    pub fn histories(&self) -> &[PixelHistory] {
        &self.histories
    }

    /// Sets the cancel token, time limit, fuel and progress to those of a dispatch. The time limit holds for each
    /// [`Self::flush`]; progress counts primitives.
    pub fn with_limits(mut self, limits: &Dispatch) -> Self {
        self.limits = limits.clone();
        self
    }

    /// Sets how much is prepared before tiles are drawn.
    pub fn with_round(mut self, round: RoundSize) -> Self {
        self.round = round;
        self
    }

    /// Adds a draw; returns its index in the pass.
    ///
    /// # Errors
    /// If it is not valid, or pending draws before it failed.
    pub fn draw(&mut self, draw: &Draw<'_>) -> Result<usize, DrawError> {
        in_default_mode(|| self.add(draw))
    }

    fn add(&mut self, draw: &Draw<'_>) -> Result<usize, DrawError> {
        if self.skips() {
            return self.skip_draw();
        }
        let is_alone = self.watched.is_some() || self.is_alone(draw);
        if is_alone || self.pending.len() >= MOST_PENDING {
            self.flush()?;
        }
        let asked = draw;
        let draw = self.bind(asked)?;
        if let Some(pixel) = self.watched {
            let history = self.history(asked, &draw, pixel)?;
            self.histories.push(history);
        }
        self.pending.push(draw);
        let number = self.draws() - 1;
        if is_alone {
            self.flush()?;
        }
        Ok(number)
    }

    /// Computes the history of a pixel in a draw that is about to run.
    fn history(&self, asked: &Draw<'_>, draw: &BoundDraw, pixel: [u32; 2]) -> Result<PixelHistory, DrawError> {
        let Dispatch { fuel, progress, .. } = &self.limits;
        let deadline = self.deadline()?;
        let limits =
            Limits { token: deadline.token(), fuel: *fuel, progress, messages: None, check: None, first_draw: 0 };
        let bindings = asked.bindings.present().map(|(_, bindings)| *bindings);
        let depth = self.targets.depth.as_ref();
        let targets = self.targets.colors.iter().chain(depth.map(|depth| &depth.view));
        let snapshot = Snapshot::new(self.device, targets, bindings, pixel, limits.token);
        let snapshot = snapshot.map_err(|error| self.stopped(error, limits.token))?;
        let test = asked.pipeline.parts.depth.map(|test| depth.map_or(test, |depth| depth.restrict(test)));
        let watched =
            Watched { draw, device: self.device, test, colors: &self.targets.colors, target: &self.target, pixel };
        let history = watched.history(&limits);
        snapshot.restore()?;
        history.map_err(|error| error.after(self.statistics.len()))
    }

    /// `true` if other draws must not overlap with this one: pending draws share tiles, and would not see in time what
    /// one of them writes to memory or the depth buffer.
    fn is_alone(&self, draw: &Draw<'_>) -> bool {
        let parts = &draw.pipeline.parts;
        let reads_depth = |(stage, shader)| {
            let bindings: Option<&Bindings> = draw.bindings[stage];
            bindings.is_some_and(|bindings| self.targets.reads_depth(shader, bindings))
        };
        parts.writes_memory || parts.stream_out.is_some() || parts.shaders.present().any(reads_depth)
    }

    /// Adds a draw whose counts are words of a buffer at a byte offset: vertices, instances, the first vertex, the
    /// first instance; with an index buffer indices, instances, the first index, the base vertex, the first instance.
    /// They are read now, after the draws before, and replace those of `draw`.
    ///
    /// # Errors
    /// If the words are not all in the buffer, or not at a multiple of 4; and as [`Self::draw`].
    pub fn draw_indirect(
        &mut self,
        draw: &Draw<'_>,
        arguments: &Buffer,
        offset_bytes: u64,
    ) -> Result<usize, DrawError> {
        in_default_mode(|| {
            if !offset_bytes.is_multiple_of(4) {
                let what = "the counts of a draw begin";
                return Err(ResourceError::Misaligned { what, offset_bytes, unit_bytes: 4 }.into());
            }
            if self.skips() {
                return self.skip_draw();
            }
            self.flush()?;
            let mut words = [0_u32; 5];
            let count = if draw.index_buffer.is_some() { 5 } else { 4 };
            arguments.read(offset_bytes, &mut words[..count])?;
            let mut direct = draw.clone();
            (direct.count, direct.instances, direct.first) = (words[0], words[1], words[2]);
            match draw.index_buffer {
                None => direct.first_instance = words[3],
                Some(_) => (direct.base_vertex, direct.first_instance) = (words[3] as i32, words[4]),
            }
            self.draw(&direct)
        })
    }

    /// Adds a draw of all the vertices that were streamed out to its first vertex buffer, from that one's offset to
    /// where the last stream output ended: the count of `draw` is of no account. A partial vertex at the end is left
    /// out.
    ///
    /// # Errors
    /// If it has no vertex buffer, or one without a stride, or has an index buffer; and as [`Self::draw`].
    pub fn draw_auto(&mut self, draw: &Draw<'_>) -> Result<usize, DrawError> {
        in_default_mode(|| {
            let failed = |what: &str| Err(DrawError::StreamOutput { what: what.to_owned() });
            if draw.index_buffer.is_some() {
                return failed("what was streamed out is not drawn with an index buffer");
            }
            let Some(VertexBuffer { buffer, offset_bytes, stride_bytes }) = draw.vertex_buffers.first() else {
                return failed("a draw of what was streamed out has no vertex buffer");
            };
            if *stride_bytes == 0 {
                return failed("a draw of what was streamed out has a vertex buffer without a stride");
            }
            if self.skips() {
                return self.skip_draw();
            }
            self.flush()?;
            let there = buffer.filled_bytes().min(buffer.size_bytes()).saturating_sub(*offset_bytes);
            let count = (there / u64::from(*stride_bytes)).min(u32::MAX.into()) as u32;
            self.draw(&Draw { count, first: 0, instances: 1, first_instance: 0, ..draw.clone() })
        })
    }

    /// Clears a target, after the draws before.
    ///
    /// # Errors
    /// If there is no such target, or as [`Self::flush`].
    pub fn clear_color(&mut self, target: usize, color: [f32; 4]) -> Result<(), DrawError> {
        in_default_mode(|| {
            let count = self.targets.colors.len();
            let view = self.targets.colors.get(target).ok_or(DrawError::NoTarget { target, count })?.clone();
            self.clear(&view, ClearValue::Color(color))
        })
    }

    /// Clears the depth of the depth buffer, after the draws before.
    ///
    /// # Errors
    /// If there is none, if its depth is read-only, or as [`Self::flush`].
    pub fn clear_depth(&mut self, depth: f32) -> Result<(), DrawError> {
        in_default_mode(|| self.clear_depth_stencil(Some(depth), None))
    }

    /// Clears its stencil, if it has one, likewise.
    ///
    /// # Errors
    /// If there is no depth buffer, if its stencil is read-only, or as [`Self::flush`].
    pub fn clear_stencil(&mut self, stencil: u8) -> Result<(), DrawError> {
        in_default_mode(|| self.clear_depth_stencil(None, Some(stencil)))
    }

    fn clear_depth_stencil(&mut self, depth: Option<f32>, stencil: Option<u8>) -> Result<(), DrawError> {
        let target = self.targets.depth.as_ref().ok_or(DrawError::NoDepth)?;
        if (depth.is_some() && target.has_read_only_depth) || (stencil.is_some() && target.has_read_only_stencil) {
            return Err(DrawError::ReadOnly { what: if depth.is_some() { "depths" } else { "stencils" } });
        }
        let view = target.view.clone();
        self.clear(&view, ClearValue::DepthStencil { depth, stencil })
    }

    /// Clears all layers of a view.
    fn clear(&mut self, view: &View, value: ClearValue) -> Result<(), DrawError> {
        if self.skips() {
            return Ok(());
        }
        self.flush()?;
        let deadline = self.deadline()?;
        let cleared = view.as_target_array()?.clear_until(value, &|| deadline.token().is_cancelled());
        cleared.map_err(|error| self.stopped(error.into(), deadline.token()))
    }

    /// The deadline of the next flush or clear.
    fn deadline(&self) -> Result<Deadline<'a>, Error> {
        self.device.deadline(&self.limits.cancel, self.limits.time_limit)
    }

    /// Turns the error of a stopped step into one with the reason and the index of the next draw.
    fn stopped(&self, error: Error, token: &CancelToken) -> DrawError {
        match (error, token.stop_reason()) {
            (Error::Resource(ResourceError::Stopped), Some(why)) => DrawError::Stopped { why, draw: self.draws() },
            (error, _) => error.into(),
        }
    }

    /// Writes elements to a buffer at a byte offset, after the draws before: these see the old contents.
    ///
    /// # Errors
    /// As [`Buffer::write`] and [`Self::flush`].
    pub fn update_buffer<T: NoUninit>(
        &mut self,
        buffer: &Buffer,
        offset_bytes: u64,
        elements: &[T],
    ) -> Result<(), DrawError> {
        if self.skips() {
            return Ok(());
        }
        self.flush()?;
        Ok(buffer.write(offset_bytes, elements)?)
    }

    /// Writes texels to a box of a texture, after the draws before.
    ///
    /// # Errors
    /// As [`Texture::write`] and [`Self::flush`].
    pub fn update_texture<T: NoUninit>(
        &mut self,
        texture: &Texture,
        to: &TexelBox,
        texels: &[T],
        row_pitch_bytes: Option<u64>,
    ) -> Result<(), DrawError> {
        if self.skips() {
            return Ok(());
        }
        self.flush()?;
        Ok(texture.write(to, texels, row_pitch_bytes)?)
    }

    /// Runs all pending draws. Afterwards resources may change for the next draws.
    ///
    /// # Errors
    /// If a shader did not finish. The targets then hold the results up to that point.
    pub fn flush(&mut self) -> Result<(), DrawError> {
        in_default_mode(|| {
            let draws = std::mem::take(&mut self.pending);
            let Dispatch { fuel, progress, messages, check, .. } = &self.limits;
            let deadline = self.deadline()?;
            let before = self.statistics.len();
            let limits = Limits {
                token: deadline.token(),
                fuel: *fuel,
                progress,
                messages: messages.as_ref(),
                check: check.as_ref(),
                first_draw: before,
            };
            let statistics = schedule::run(&draws, &self.target, self.device, &limits, self.round, &self.spare);
            if let Some(log) = messages {
                log.end_run();
            }
            self.statistics.extend(statistics.map_err(|error| error.after(before))?);
            Ok(())
        })
    }

    /// Runs all pending draws, and returns the statistics of each draw.
    ///
    /// # Errors
    /// As [`Self::flush`].
    pub fn finish(mut self) -> Result<Vec<Statistics>, DrawError> {
        self.flush()?;
        Ok(self.statistics)
    }

    /// The statistics of each draw that has run so far.
    pub fn statistics(&self) -> &[Statistics] {
        &self.statistics
    }
}
