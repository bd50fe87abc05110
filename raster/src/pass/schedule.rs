//! Schedules draws that share targets: batches of primitives in parallel, then tiles in parallel.
//!
//! Results do not depend on threads: batches are cut by the draw alone, a tile belongs to one thread and walks the
//! batches in order, and nothing depends on where one round of batches ends. Bindings of a draw are prepared by the
//! thread that takes its first batch, so that many small draws are prepared in parallel too.

use std::fmt;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use brolga_runtime::{
    BindingRules, Bindings, CancelToken, Device, Dispatch, Error, Layers, Pool, Progress, Register, StageKind,
    StageRun, StageSeat, Stages, View,
};

use crate::error::DrawError;
use crate::geometry::shader::GeometryUnit;
use crate::geometry::stream::{StreamBuffers, Streamed};
use crate::pipeline::Pipeline;
use crate::setup::bins::Marks;
use crate::setup::{Prepared, Raster, Scratch};
use crate::statistics::Statistics;
use crate::tiles::targets::Target;
use crate::tiles::walk::{Shading, TileWorker};
use crate::vertices::assembly::{BATCH_PRIMITIVES, Batch, InputAssembler};
use crate::vertices::primitives::PrimitiveBatch;
use crate::vertices::shading::VertexStage;

/// The most positions and batches of a round, which are prepared before tiles are drawn. They bound memory, whatever is
/// drawn, and let most of it stay in caches. Tiles of the depth buffer are read and written once for all of them.
/// Results do not depend on it.
#[derive(Clone, Copy, Debug)]
pub struct RoundSize {
    /// Vertices, or indices, of all batches.
    pub positions: u64,
    /// Batches of up to 1,024 primitives.
    pub batches: usize,
    /// Bytes of what geometry shaders emit, in a round of more than one batch.
    pub bytes: u64,
}

impl Default for RoundSize {
    fn default() -> Self {
        Self { positions: 32 * 3 * u64::from(BATCH_PRIMITIVES), batches: 1024, bytes: 8 << 20 }
    }
}

/// One draw, with all of its state.
#[derive(Debug)]
pub struct BoundDraw {
    /// The shaders, and the layout of vertex shader outputs.
    pub pipeline: Pipeline,
    /// The bindings of each shader, checked.
    pub bound: Stages<StageBindings>,
    /// The input assembler's state.
    pub input: InputAssembler,
    /// The rasterizer's state. Without it vertices are shaded, and nothing else happens.
    pub raster: Option<Raster>,
    /// The state of per-pixel tests and shading.
    pub shading: Shading,
    /// Where vertices are streamed out to.
    pub stream_buffers: Option<StreamBuffers>,
}

/// The bindings of a shader: the draw's, overlaid with the pipeline's own.
#[derive(Clone, Debug, Default)]
pub struct StageBindings {
    /// The draw's bindings.
    pub bindings: Option<Bindings>,
    /// Vertex buffers, targets, and defaults of Direct3D 9.
    pub more: Arc<[(Register, View)]>,
    /// The rules for missing and mismatched bindings.
    pub rules: BindingRules,
}

impl StageBindings {
    /// All layers of the bindings.
    pub fn layers(&self) -> Layers<'_> {
        Layers::new(self.bindings.as_ref(), &self.more, self.rules)
    }
}

impl BoundDraw {
    /// Makes the primitives of a batch, which its vertices form or a geometry shader emits, and what is streamed out.
    /// Returns the bytes that are emitted, in working memory and in the batch that is set up.
    pub(crate) fn make(
        &self,
        part: (Batch, Range<u32>),
        (vertex, geometry): (&StageRun<'_>, Option<&StageRun<'_>>),
        (vertices, unit): (&mut VertexStage, &mut GeometryUnit),
        seat: &mut StageSeat<'_>,
        made: &mut PrimitiveBatch,
        streamed: &mut Streamed,
    ) -> Result<u64, Error> {
        let parts = &self.pipeline.parts;
        let stream_out = parts.stream_out.as_ref();
        let layout = parts.geometry.as_ref();
        let whole = layout.map(|layout| (&mut unit.primitives, layout.stage.instances));
        vertices.shade(&self.input, part, parts.vertex_rows as usize, made, whole, &mut vertex.session(seat)?)?;
        match layout.zip(geometry) {
            Some((layout, run)) => {
                unit.run(layout, stream_out, made, streamed, &mut run.session(seat)?)?;
                Ok(made.bytes() + streamed.bytes())
            }
            None => {
                if let Some(layout) = stream_out {
                    streamed.add_all(layout, &made.vertices, &made.primitives);
                }
                Ok(streamed.bytes())
            }
        }
    }

    /// Begins to run a stage, if the pipeline has it.
    pub(crate) fn stage<'a>(
        &'a self,
        stage: StageKind,
        device: &'a Device,
        run: &'a Dispatch,
    ) -> Result<Option<StageRun<'a>>, Error> {
        let shader = self.pipeline.shader(stage);
        shader.map(|shader| device.stage_run(shader, self.bound[stage].layers(), run)).transpose()
    }
}

/// Limits of a run, and its progress counter.
#[derive(Debug)]
pub struct Limits<'a> {
    /// Stops all threads.
    pub token: &'a CancelToken,
    /// Loop iterations that an invocation may take.
    pub fuel: Option<u64>,
    /// Counts the primitives that were drawn.
    pub progress: &'a Progress,
}

impl Limits<'_> {
    /// Fails with the reason if a draw must stop.
    pub fn check(&self, draw: usize) -> Result<(), DrawError> {
        self.token.stop_reason().map_or(Ok(()), |why| Err(DrawError::Stopped { why, draw }))
    }

    /// The same limits for a stage's run.
    pub(crate) fn run(&self) -> Dispatch {
        let mut run = Dispatch::new([0; 3]).cancel(self.token.clone());
        run.fuel = self.fuel;
        run
    }
}

/// Buffers of earlier rounds, for reuse.
#[derive(Default)]
pub struct Spare<'a> {
    prepared: Mutex<Vec<Prepared>>,
    worker_states: Mutex<Vec<WorkerState<'a>>>,
}

/// The working memory of a thread.
struct WorkerState<'a> {
    seat: StageSeat<'a>,
    vertices: VertexStage,
    geometry: GeometryUnit,
    made: PrimitiveBatch,
    scratch: Scratch,
    tiles: TileWorker,
}

impl fmt::Debug for Spare<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Spare").finish_non_exhaustive()
    }
}

impl<'a> Spare<'a> {
    /// Lends a thread idle working memory. Not returned after an error.
    fn with_worker_state<E>(
        &self,
        device: &'a Device,
        work: impl FnOnce(&mut WorkerState<'a>) -> Result<(), E>,
    ) -> Result<(), E> {
        let idle = self.worker_states.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mut state = idle.unwrap_or_else(|| WorkerState {
            seat: device.stage_seat(),
            vertices: VertexStage::default(),
            geometry: GeometryUnit::default(),
            made: PrimitiveBatch::default(),
            scratch: Scratch::default(),
            tiles: TileWorker::default(),
        });
        work(&mut state)?;
        self.worker_states.lock().unwrap_or_else(PoisonError::into_inner).push(state);
        Ok(())
    }
}

/// Runs draws in order; returns the statistics of each.
///
/// # Errors
/// If a shader did not finish, or the token was cancelled. Targets then hold the results up to that point.
pub fn run<'d>(
    draws: &[BoundDraw],
    target: &Target,
    device: &'d Device,
    limits: &Limits<'_>,
    round: RoundSize,
    spare: &Spare<'d>,
) -> Result<Vec<Statistics>, DrawError> {
    let (run, mut runs) = (limits.run(), Vec::new());
    runs.resize_with(draws.len(), OnceLock::new);
    let schedule = Schedule { draws, runs, target, device, limits, run: &run, spare, bytes: round.bytes };
    let mut statistics = vec![Statistics::default(); draws.len()];
    let (mut pending, mut positions) = (Vec::new(), 0);
    for (n, draw) in draws.iter().enumerate() {
        draw.input.batches(draw.input.instances_of_batch(), |batch, instances| {
            positions += u64::from(batch.count) * instances.len() as u64;
            pending.push(Pending { draw: n, instances, batch, prepared: OnceLock::new(), streamed: OnceLock::new() });
            if pending.len() >= round.batches || positions >= round.positions {
                positions = 0;
                schedule.flush(&mut pending, &mut statistics)?;
            }
            Ok::<_, DrawError>(())
        })?;
    }
    schedule.flush(&mut pending, &mut statistics)?;
    Ok(statistics)
}

/// A batch that is yet to be drawn.
struct Pending {
    /// The index of its draw.
    draw: usize,
    instances: Range<u32>,
    batch: Batch,
    prepared: OnceLock<Prepared>,
    /// What it streams out, if the draw does.
    streamed: OnceLock<Streamed>,
}

/// State that all rounds of batches share.
struct Schedule<'a, 'd> {
    draws: &'a [BoundDraw],
    /// The stages of each draw, once a thread has prepared them.
    runs: Vec<OnceLock<DrawRun<'a>>>,
    target: &'a Target,
    device: &'d Device,
    limits: &'a Limits<'a>,
    /// The limits of a stage's run.
    run: &'a Dispatch,
    spare: &'a Spare<'d>,
    /// Bytes of what geometry shaders emit in a round.
    bytes: u64,
}

/// The running stages of a draw.
struct DrawRun<'a> {
    vertex: StageRun<'a>,
    geometry: Option<StageRun<'a>>,
    pixel: Option<StageRun<'a>>,
}

/// A round of batches, and the tiles that they cover.
struct Round<'a> {
    batches: &'a [Pending],
    /// The first tile of each batch, and the number of tiles from there to its last.
    spans: Vec<[u32; 2]>,
    tiles: Vec<u32>,
}

impl<'a, 'd: 'a> Schedule<'a, 'd> {
    /// Prepares the pending batches, and draws them: in several rounds, if more is emitted than one may hold.
    fn flush(&self, pending: &mut Vec<Pending>, statistics: &mut [Statistics]) -> Result<(), DrawError> {
        let mut batches = std::mem::take(pending);
        while let Some(last) = batches.last() {
            let prepare = |queue: &WorkQueue<'_>| {
                self.spare.with_worker_state(self.device, |state| self.prepare(&batches, queue, state))
            };
            self.queue(batches.len(), last.draw).run(self.device.pool(), prepare)?;
            // They are taken in order, and each that is taken is prepared.
            let count = batches.iter().take_while(|batch| batch.prepared.get().is_some()).count();
            let rest = batches.split_off(count);
            self.draw(std::mem::replace(&mut batches, rest), statistics)?;
        }
        Ok(())
    }

    /// A queue of so much work, up to a draw.
    fn queue(&self, count: usize, draw: usize) -> WorkQueue<'_> {
        let (next, used, most_bytes) = (AtomicUsize::new(0), AtomicU64::new(0), self.bytes);
        WorkQueue { next, count, used, most_bytes, limits: self.limits, draw, failure: Mutex::new(None) }
    }

    /// Streams out and draws batches that are prepared.
    fn draw(&self, batches: Vec<Pending>, statistics: &mut [Statistics]) -> Result<(), DrawError> {
        let (Some(first), Some(last)) = (batches.first(), batches.last()) else { return Ok(()) };
        let (mut marks, mut spans) = (Marks::new(self.target.grid().count())?, Vec::with_capacity(batches.len()));
        for batch in &batches {
            // Each may cover all tiles of a large target.
            self.limits.check(batch.draw)?;
            let prepared = batch.prepared.get().expect("all batches are prepared");
            statistics[batch.draw] += prepared.statistics;
            let buffers = self.draws[batch.draw].stream_buffers.as_ref();
            if let Some((buffers, streamed)) = buffers.zip(batch.streamed.get()) {
                let written = buffers.write(streamed, &mut statistics[batch.draw]);
                written.map_err(|error| DrawError::in_draw(batch.draw)(error.into()))?;
            }
            prepared.bins.mark(&mut marks);
            spans.push(prepared.bins.span());
        }
        let round = Round { batches: &batches, spans, tiles: marks.tiles()? };
        let all = Mutex::new(&mut statistics[first.draw..=last.draw]);
        let draw = |queue: &WorkQueue<'_>| {
            let mut own = vec![Statistics::default(); last.draw - first.draw + 1];
            let draw = |state: &mut WorkerState<'d>| self.draw_tiles(&round, queue, state, &mut own);
            let result = self.spare.with_worker_state(self.device, draw);
            let mut all = all.lock().unwrap_or_else(PoisonError::into_inner);
            all.iter_mut().zip(own).for_each(|(sum, own)| *sum += own);
            result
        };
        self.queue(round.tiles.len(), last.draw).run(self.device.pool(), draw)?;
        drop(round);
        let prepared = batches.into_iter().filter_map(|batch| batch.prepared.into_inner());
        let mut spare = self.spare.prepared.lock().unwrap_or_else(PoisonError::into_inner);
        spare.extend(prepared.inspect(|prepared| self.limits.progress.advance(prepared.statistics.primitives)));
        Ok(())
    }

    /// The stages of a draw, prepared on first use. If two threads do so at once, one result is dropped.
    fn stages(&self, number: usize) -> Result<&DrawRun<'a>, DrawError> {
        if let Some(run) = self.runs[number].get() {
            return Ok(run);
        }
        let (draw, failed) = (&self.draws[number], DrawError::in_draw(number));
        let stage = |stage| draw.stage(stage, self.device, self.run).map_err(failed);
        let vertex = stage(StageKind::Vertex)?.expect("no pipeline is made without one");
        let run = DrawRun { vertex, geometry: stage(StageKind::Geometry)?, pixel: stage(StageKind::Pixel)? };
        Ok(self.runs[number].get_or_init(|| run))
    }

    /// Shades vertices and sets up primitives, batch by batch, until none is left.
    fn prepare(
        &self,
        batches: &[Pending],
        queue: &WorkQueue<'_>,
        state: &mut WorkerState<'d>,
    ) -> Result<(), DrawError> {
        let WorkerState { seat, vertices, geometry, made, scratch, .. } = state;
        let mut next = queue.take()?;
        while let Some(first) = next {
            let number = batches[first].draw;
            let failed = DrawError::in_draw(number);
            let draw = &self.draws[number];
            let stages = self.stages(number)?;
            while let Some(batch) = next.map(|n| &batches[n]).filter(|batch| batch.draw == number) {
                let spare = self.spare.prepared.lock().unwrap_or_else(PoisonError::into_inner).pop();
                let mut prepared = spare.unwrap_or_default();
                let (part, outputs) = ((batch.batch, batch.instances.clone()), &draw.pipeline.parts.outputs);
                let mut streamed = Streamed::default();
                let stages = (&stages.vertex, stages.geometry.as_ref());
                let bytes = draw.make(part, stages, (vertices, geometry), seat, made, &mut streamed).map_err(failed)?;
                queue.used.fetch_add(bytes, Ordering::Relaxed);
                if draw.stream_buffers.is_some() {
                    let _ = batch.streamed.set(streamed);
                }
                prepared.set_up(made, outputs, draw.raster.as_ref(), self.target.grid(), scratch);
                // No other thread has this batch.
                let _ = batch.prepared.set(prepared);
                next = queue.take()?;
            }
        }
        Ok(())
    }

    /// Draws tiles until none is left.
    fn draw_tiles(
        &self,
        round: &Round<'_>,
        queue: &WorkQueue<'_>,
        state: &mut WorkerState<'d>,
        statistics: &mut [Statistics],
    ) -> Result<(), DrawError> {
        while let Some(n) = queue.take()? {
            let tile = round.tiles[n];
            state.tiles.begin(self.target, tile);
            let result = self.draw_tile(round, tile, state, statistics);
            state.tiles.end(self.target)?;
            result?;
        }
        Ok(())
    }

    /// Draws the primitives of all batches in a tile.
    fn draw_tile(
        &self,
        round: &Round<'_>,
        tile: u32,
        WorkerState { seat, tiles: worker, .. }: &mut WorkerState<'d>,
        statistics: &mut [Statistics],
    ) -> Result<(), DrawError> {
        let batches = round.batches;
        let (first_draw, mut from) = (batches[0].draw, 0);
        while let Some(first) = round.next_in(tile, from) {
            let number = batches[first].draw;
            let count = batches[first..].iter().take_while(|batch| batch.draw == number).count();
            from = first + count;
            let (draw, failed) = (&self.draws[number], DrawError::in_draw(number));
            let Some(raster) = &draw.raster else { continue };
            worker.prepare(self.target, &draw.shading)?;
            let run = self.runs[number].get().expect("its batches are prepared");
            let mut session = run.pixel.as_ref().map(|run| run.session(seat)).transpose().map_err(failed)?;
            let prepared = batches[first..from].iter().filter_map(|batch| batch.prepared.get());
            // A batch may cover the tile a thousand times.
            let parts = prepared.filter(|prepared| prepared.bins.has(tile));
            let parts = parts.take_while(|_| !self.limits.token.is_cancelled());
            let outputs = &draw.pipeline.parts.outputs;
            let did = worker.draw(parts, tile, (outputs, raster), &draw.shading, session.as_mut());
            statistics[number - first_draw] += did.map_err(failed)?;
            self.limits.check(number)?;
        }
        Ok(())
    }
}

impl Round<'_> {
    /// The next batch, from an index on, with primitives in a tile.
    fn next_in(&self, tile: u32, from: usize) -> Option<usize> {
        let has = |&n: &usize| self.batches[n].prepared.get().is_some_and(|prepared| prepared.bins.has(tile));
        let mut near =
            (from..).zip(&self.spans[from..]).filter(|(_, [first, count])| tile.wrapping_sub(*first) < *count);
        near.find(|(n, _)| has(n)).map(|(n, _)| n)
    }
}

/// A queue of indices, handed out in order until the token is cancelled or memory is used up. Keeps the first error.
struct WorkQueue<'a> {
    next: AtomicUsize,
    count: usize,
    /// Bytes that the work done so far takes; with more than so many of them nothing is begun any more.
    used: AtomicU64,
    most_bytes: u64,
    limits: &'a Limits<'a>,
    /// The last draw of the round.
    draw: usize,
    failure: Mutex<Option<DrawError>>,
}

impl WorkQueue<'_> {
    fn take(&self) -> Result<Option<usize>, DrawError> {
        if self.used.load(Ordering::Relaxed) > self.most_bytes {
            return Ok(None);
        }
        let n = self.next.fetch_add(1, Ordering::Relaxed);
        if n >= self.count {
            return Ok(None);
        }
        self.limits.check(self.draw).map(|()| Some(n))
    }

    /// Runs `work` in the caller's thread and in others; an error stops all of them soon.
    fn run(self, pool: &Pool, work: impl Fn(&Self) -> Result<(), DrawError> + Sync) -> Result<(), DrawError> {
        let helpers = self.count.min(pool.threads()).saturating_sub(1);
        pool.run(helpers, &|| {
            if let Err(error) = work(&self) {
                self.next.store(self.count, Ordering::Relaxed);
                self.failure.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
            }
        });
        self.failure.into_inner().unwrap_or_else(PoisonError::into_inner).map_or(Ok(()), Err)
    }
}
