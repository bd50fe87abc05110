//! Schedules draws that share targets: batches of primitives in parallel, then tiles in parallel.
//!
//! Results do not depend on threads: batches are cut by the draw alone, a tile belongs to one thread and walks the
//! batches in order, and nothing depends on where one round of batches ends. Bindings of a draw are prepared by the
//! thread that takes its first batch, so that many small draws are prepared in parallel too.

use std::fmt;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use brolga_runtime::insight::CheckLog;
use brolga_runtime::{
    BindingRules, Bindings, CancelToken, Device, Dispatch, Layers, MessageLog, Pool, Progress, Register, StageKind,
    StageRun, StageSeat, Stages, View,
};

use crate::error::DrawError;
use crate::geometry::stream::{StreamBuffers, Streamed};
use crate::pass::front_end::{FrontEnd, FrontStages, Rest};
use crate::pipeline::Pipeline;
use crate::setup::bins::Marks;
use crate::setup::{Prepared, Raster, Scratch};
use crate::statistics::Statistics;
use crate::tiles::targets::Target;
use crate::tiles::walk::{Shading, TileWorker};
use crate::vertices::assembly::{BATCH_PRIMITIVES, Batch, InputAssembler};

/// The most positions and batches of a round, which are prepared before tiles are drawn. They bound memory, whatever is
/// drawn, and let most of it stay in caches. Tiles of the depth buffer are read and written once for all of them.
/// Results do not depend on it.
#[derive(Clone, Copy, Debug)]
pub struct RoundSize {
    /// Vertices, or indices, of all batches.
    pub positions: u64,
    /// Batches of up to 1,024 primitives.
    pub batches: usize,
    /// Bytes of what tessellation and geometry shaders make, in a round of more than a part of a batch.
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

/// Limits of a run, and its progress counter.
#[derive(Debug)]
pub struct Limits<'a> {
    /// Stops all threads.
    pub token: &'a CancelToken,
    /// Loop iterations that an invocation may take.
    pub fuel: Option<u64>,
    /// Counts the primitives that were drawn.
    pub progress: &'a Progress,
    /// Collects what shaders print.
    pub messages: Option<&'a MessageLog>,
    /// Collects what checks find.
    pub check: Option<&'a CheckLog>,
    /// The number of the first draw.
    pub first_draw: usize,
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
        run.messages = self.messages.cloned();
        run.check = self.check.cloned();
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
    front: FrontEnd,
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
            front: FrontEnd::default(),
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
            pending.push(Pending { draw: n, instances, batch, made: Mutex::default() });
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
    made: Mutex<Made>,
}

/// What is made of a batch so far.
#[derive(Default)]
struct Made {
    parts: Vec<Part>,
    /// What is left of it.
    rest: Option<Rest>,
    /// `true` if the parts are all of it.
    is_whole: bool,
}

/// A part of a batch that is ready to be drawn.
struct Part {
    /// The index of its draw.
    draw: usize,
    prepared: Prepared,
    /// What it streams out, if the draw does.
    streamed: Option<Streamed>,
    bytes: u64,
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
    /// Bytes of what shaders make of batches in a round.
    bytes: u64,
}

/// The running stages of a draw.
struct DrawRun<'a> {
    front: FrontStages<'a>,
    pixel: Option<StageRun<'a>>,
}

/// A round of parts of batches, and the tiles that they cover.
struct Round<'a> {
    parts: &'a [Part],
    /// The first tile of each part, and the number of tiles from there to its last.
    spans: Vec<[u32; 2]>,
    tiles: Vec<u32>,
}

impl<'a, 'd: 'a> Schedule<'a, 'd> {
    /// Prepares the pending batches, and draws them: in several rounds, if more comes of them than one may hold.
    fn flush(&self, pending: &mut Vec<Pending>, statistics: &mut [Statistics]) -> Result<(), DrawError> {
        let (mut batches, mut kept_bytes) = (std::mem::take(pending), 0);
        while let Some(last) = batches.last() {
            let prepare = |queue: &WorkQueue<'_>| {
                self.spare.with_worker_state(self.device, |state| self.prepare(&batches, queue, state))
            };
            let queue = self.queue(batches.len(), last.draw, kept_bytes);
            queue.run(self.device.pool(), prepare)?;
            // Up to the first that is not whole, of which there are some parts.
            let (mut parts, mut whole) = (Vec::new(), 0);
            for batch in &mut batches {
                let made = batch.made.get_mut().unwrap_or_else(PoisonError::into_inner);
                parts.append(&mut made.parts);
                if !made.is_whole {
                    break;
                }
                whole += 1;
            }
            batches.drain(..whole);
            let bytes = |batch: &mut Pending| -> u64 {
                let made = batch.made.get_mut().unwrap_or_else(PoisonError::into_inner);
                made.parts.iter().map(|part| part.bytes).sum()
            };
            kept_bytes = batches.iter_mut().map(bytes).sum();
            self.draw(parts, statistics)?;
        }
        Ok(())
    }

    /// A queue of so much work, up to a draw, of which so many bytes are there already.
    fn queue(&self, count: usize, draw: usize, bytes: u64) -> WorkQueue<'_> {
        let (next, used, most_bytes) = (AtomicUsize::new(0), AtomicU64::new(bytes), self.bytes);
        WorkQueue { next, count, used, most_bytes, limits: self.limits, draw, failure: Mutex::new(None) }
    }

    /// Streams out and draws parts of batches that are prepared.
    fn draw(&self, parts: Vec<Part>, statistics: &mut [Statistics]) -> Result<(), DrawError> {
        let (Some(first), Some(last)) = (parts.first(), parts.last()) else { return Ok(()) };
        let (mut marks, mut spans) = (Marks::new(self.target.grid().count())?, Vec::with_capacity(parts.len()));
        for part in &parts {
            // Each may cover all tiles of a large target.
            self.limits.check(part.draw)?;
            statistics[part.draw] += part.prepared.statistics;
            let buffers = self.draws[part.draw].stream_buffers.as_ref();
            if let Some((buffers, streamed)) = buffers.zip(part.streamed.as_ref()) {
                let written = buffers.write(streamed, &mut statistics[part.draw]);
                written.map_err(|error| DrawError::in_draw(part.draw)(error.into()))?;
            }
            part.prepared.bins.mark(&mut marks);
            spans.push(part.prepared.bins.span());
        }
        let round = Round { parts: &parts, spans, tiles: marks.tiles()? };
        let all = Mutex::new(&mut statistics[first.draw..=last.draw]);
        let draw = |queue: &WorkQueue<'_>| {
            let mut own = vec![Statistics::default(); last.draw - first.draw + 1];
            let draw = |state: &mut WorkerState<'d>| self.draw_tiles(&round, queue, state, &mut own);
            let result = self.spare.with_worker_state(self.device, draw);
            let mut all = all.lock().unwrap_or_else(PoisonError::into_inner);
            all.iter_mut().zip(own).for_each(|(sum, own)| *sum += own);
            result
        };
        self.queue(round.tiles.len(), last.draw, 0).run(self.device.pool(), draw)?;
        drop(round);
        let prepared = parts.into_iter().map(|part| part.prepared);
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
        let run = (self.run, self.limits.first_draw + number);
        let front = draw.front_stages(self.device, run).map_err(failed)?;
        let pixel = draw.stage(StageKind::Pixel, self.device, run).map_err(failed)?;
        Ok(self.runs[number].get_or_init(|| DrawRun { front, pixel }))
    }

    /// Shades vertices and sets up primitives, batch by batch, until none is left.
    fn prepare(
        &self,
        batches: &[Pending],
        queue: &WorkQueue<'_>,
        state: &mut WorkerState<'d>,
    ) -> Result<(), DrawError> {
        while let Some(n) = queue.take()? {
            let mut made = batches[n].made.lock().unwrap_or_else(PoisonError::into_inner);
            if !made.is_whole {
                self.prepare_batch(&batches[n], &mut made, queue, state)?;
            }
        }
        Ok(())
    }

    /// Goes on with a batch until it is whole or memory is used up. It has one part in any case: all parts of the first
    /// batch were drawn, so that every round comes further.
    fn prepare_batch(
        &self,
        batch: &Pending,
        made: &mut Made,
        queue: &WorkQueue<'_>,
        WorkerState { seat, front, scratch, .. }: &mut WorkerState<'d>,
    ) -> Result<(), DrawError> {
        let number = batch.draw;
        let (draw, failed) = (&self.draws[number], DrawError::in_draw(number));
        let (stages, outputs) = (&self.stages(number)?.front, &draw.pipeline.parts.outputs);
        let mut rest = Some(match made.rest.take() {
            Some(rest) => rest,
            None => draw.begin((batch.batch, batch.instances.clone()), stages, front, seat).map_err(failed)?,
        });
        while rest.is_some() && (made.parts.is_empty() || !queue.is_full()) {
            self.limits.check(number)?;
            let spare = self.spare.prepared.lock().unwrap_or_else(PoisonError::into_inner).pop();
            let mut prepared = spare.unwrap_or_default();
            let bytes = draw.next_part(&mut rest, stages, front, seat).map_err(failed)?;
            queue.used.fetch_add(bytes, Ordering::Relaxed);
            let streamed = draw.stream_buffers.is_some().then(|| std::mem::take(&mut front.streamed));
            prepared.set_up(&mut front.made, outputs, draw.raster.as_ref(), self.target.grid(), scratch);
            made.parts.push(Part { draw: number, prepared, streamed, bytes });
        }
        made.is_whole = rest.is_none();
        made.rest = rest;
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
        let all = round.parts;
        let (first_draw, mut from) = (all[0].draw, 0);
        while let Some(first) = round.next_in(tile, from) {
            let number = all[first].draw;
            let count = all[first..].iter().take_while(|part| part.draw == number).count();
            from = first + count;
            let (draw, failed) = (&self.draws[number], DrawError::in_draw(number));
            let Some(raster) = &draw.raster else { continue };
            worker.prepare(self.target, &draw.shading)?;
            let run = self.runs[number].get().expect("its batches are prepared");
            let mut session = run.pixel.as_ref().map(|run| run.session(seat)).transpose().map_err(failed)?;
            let prepared = all[first..from].iter().map(|part| &part.prepared);
            // A part may cover the tile a thousand times.
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
    /// The next part, from an index on, with primitives in a tile.
    fn next_in(&self, tile: u32, from: usize) -> Option<usize> {
        let has = |&n: &usize| self.parts[n].prepared.bins.has(tile);
        let mut near =
            (from..).zip(&self.spans[from..]).filter(|(_, [first, count])| tile.wrapping_sub(*first) < *count);
        near.find(|(n, _)| has(n)).map(|(n, _)| n)
    }
}

/// A queue of indices, handed out in order until the token is cancelled or memory is used up. Keeps the first error.
struct WorkQueue<'a> {
    next: AtomicUsize,
    count: usize,
    /// Bytes that the work done so far takes.
    used: AtomicU64,
    /// With more bytes than these nothing is begun any more.
    most_bytes: u64,
    limits: &'a Limits<'a>,
    /// The last draw of the round.
    draw: usize,
    failure: Mutex<Option<DrawError>>,
}

impl WorkQueue<'_> {
    /// `true` if memory is used up.
    fn is_full(&self) -> bool {
        self.used.load(Ordering::Relaxed) > self.most_bytes
    }

    fn take(&self) -> Result<Option<usize>, DrawError> {
        // The first is always begun, so that every round comes further.
        if self.is_full() && self.next.load(Ordering::Relaxed) > 0 {
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
