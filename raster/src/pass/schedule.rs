//! The schedule of draws that share targets: batches of primitives in parallel, then tiles in parallel.
//!
//! Which thread does what never shows: batches are cut by the draw alone, a tile belongs to one thread and walks the batches in
//! order, and nothing depends on where one round of batches ends.

use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

use brolga_runtime::{BoundShader, CancelToken, Dispatch, Pool, Progress};

use crate::error::DrawError;
use crate::setup::bins::Marks;
use crate::setup::{Prepared, Raster, Scratch};
use crate::statistics::Statistics;
use crate::tiles::targets::Target;
use crate::tiles::walk::{Shading, TileWorker};
use crate::vertices::assembly::{BATCH_PRIMITIVES, Batch, InputAssembler};
use crate::vertices::primitives::{Outputs, PrimitiveBatch};
use crate::vertices::shading::VertexStage;

/// Positions of batches that are prepared before tiles are drawn, and the most batches. They bound memory, whatever is drawn, and let
/// most of it stay in caches.
const POSITIONS: u64 = 32 * 3 * BATCH_PRIMITIVES as u64;
const BATCHES: usize = 128;

/// One draw, with all of its state.
#[derive(Debug)]
pub struct BoundDraw {
    /// The vertex shader, and what is bound to it.
    pub vertex: BoundShader,
    /// The pixel shader, if there is one.
    pub pixel: Option<BoundShader>,
    /// What it reads.
    pub input: InputAssembler,
    /// What the vertex shader gives.
    pub outputs: Outputs,
    /// What becomes of triangles. Without it vertices are shaded, and nothing else happens.
    pub raster: Option<Raster>,
    /// How pixels are tested and shaded.
    pub shading: Shading,
}

/// When to stop, and whom to tell how far it has got.
#[derive(Debug)]
pub struct Limits<'a> {
    /// Stops everything.
    pub token: &'a CancelToken,
    /// Loop iterations that an invocation may take.
    pub fuel: Option<u64>,
    /// Gets the primitives that were drawn.
    pub progress: &'a Progress,
}

impl Limits<'_> {
    /// Whether a draw may go on.
    pub fn check(&self, draw: usize) -> Result<(), DrawError> {
        self.token.stop_reason().map_or(Ok(()), |why| Err(DrawError::Stopped { why, draw }))
    }

    /// The limits of a part of the work.
    pub(crate) fn run(&self) -> Dispatch {
        let mut run = Dispatch::new([0; 3]).cancel(self.token.clone());
        run.fuel = self.fuel;
        run
    }
}

/// Draws in order; returns what each draw did.
///
/// # Errors
/// If a shader did not finish, or the token was cancelled. Targets then hold what was drawn until it stopped.
pub fn run(
    draws: &[BoundDraw],
    target: &Target,
    pool: &Pool,
    limits: &Limits<'_>,
) -> Result<Vec<Statistics>, DrawError> {
    let schedule = Schedule { draws, target, pool, limits, run: limits.run(), spare: Mutex::default() };
    let mut statistics = vec![Statistics::default(); draws.len()];
    let (mut pending, mut positions) = (Vec::new(), 0);
    for (n, draw) in draws.iter().enumerate() {
        draw.input.batches(draw.input.instances_of_batch(), |batch, instances| {
            positions += u64::from(batch.count) * instances.len() as u64;
            pending.push(Pending { draw: n, instances, batch, prepared: OnceLock::new() });
            if pending.len() == BATCHES || positions >= POSITIONS {
                positions = 0;
                schedule.flush(&mut pending, &mut statistics)?;
            }
            Ok::<_, DrawError>(())
        })?;
    }
    schedule.flush(&mut pending, &mut statistics)?;
    Ok(statistics)
}

/// A batch that waits to be drawn.
struct Pending {
    /// Its draw, by its place.
    draw: usize,
    instances: Range<u32>,
    batch: Batch,
    prepared: OnceLock<Prepared>,
}

/// What all rounds of batches have in common.
struct Schedule<'a> {
    draws: &'a [BoundDraw],
    target: &'a Target,
    pool: &'a Pool,
    limits: &'a Limits<'a>,
    /// The limits of a part of the work.
    run: Dispatch,
    /// What batches of rounds before were prepared in: its memory serves again.
    spare: Mutex<Vec<Prepared>>,
}

impl Schedule<'_> {
    /// Prepares what waits, and draws it.
    fn flush(&self, pending: &mut Vec<Pending>, statistics: &mut [Statistics]) -> Result<(), DrawError> {
        let batches = std::mem::take(pending);
        let Some(last) = batches.last() else { return Ok(()) };
        let (limits, draw) = (self.limits, last.draw);
        let work = |count| Work { next: AtomicUsize::new(0), count, limits, draw, failure: Mutex::new(None) };
        work(batches.len()).run(self.pool, |work| self.prepare(&batches, work))?;
        let mut marks = Marks::new(self.target.grid().count())?;
        for batch in &batches {
            // Each may be in all tiles of a large target.
            self.limits.check(batch.draw)?;
            let prepared = batch.prepared.get().expect("all batches are prepared");
            statistics[batch.draw] += prepared.statistics;
            prepared.bins.mark(&mut marks);
        }
        let tiles = marks.tiles()?;
        let all = Mutex::new(&mut *statistics);
        work(tiles.len()).run(self.pool, |work| {
            let (mut worker, mut own) = (TileWorker::default(), vec![Statistics::default(); self.draws.len()]);
            let result = self.draw_tiles(&batches, &tiles, work, &mut worker, &mut own);
            let mut all = all.lock().unwrap_or_else(PoisonError::into_inner);
            all.iter_mut().zip(own).for_each(|(sum, own)| *sum += own);
            result
        })?;
        let prepared = batches.into_iter().filter_map(|batch| batch.prepared.into_inner());
        let mut spare = self.spare.lock().unwrap_or_else(PoisonError::into_inner);
        spare.extend(prepared.inspect(|prepared| self.limits.progress.advance(prepared.statistics.primitives)));
        Ok(())
    }

    /// Shades vertices and sets up primitives, batch by batch, for as long as there are any.
    fn prepare(&self, batches: &[Pending], work: &Work<'_>) -> Result<(), DrawError> {
        let (mut stage, mut made, mut scratch) =
            (VertexStage::default(), PrimitiveBatch::default(), Scratch::default());
        let mut next = work.take()?;
        while let Some(first) = next {
            let number = batches[first].draw;
            let failed = DrawError::in_draw(number);
            let draw = &self.draws[number];
            let mut worker = draw.vertex.worker().map_err(failed)?;
            let mut session = worker.begin(&self.run).map_err(failed)?;
            while let Some(batch) = next.map(|n| &batches[n]).filter(|batch| batch.draw == number) {
                let mut prepared = self.spare.lock().unwrap_or_else(PoisonError::into_inner).pop().unwrap_or_default();
                let part = (batch.batch, batch.instances.clone());
                let shaded = stage.shade(&draw.input, part, draw.outputs.rows, &mut made, &mut session);
                shaded.map_err(failed)?;
                prepared.set_up(&mut made, &draw.outputs, draw.raster.as_ref(), self.target.grid(), &mut scratch);
                // Nobody else has this batch.
                let _ = batch.prepared.set(prepared);
                next = work.take()?;
            }
        }
        Ok(())
    }

    /// Draws tiles for as long as there are any.
    fn draw_tiles(
        &self,
        batches: &[Pending],
        tiles: &[u32],
        work: &Work<'_>,
        worker: &mut TileWorker,
        statistics: &mut [Statistics],
    ) -> Result<(), DrawError> {
        while let Some(n) = work.take()? {
            worker.begin(self.target, tiles[n]);
            let result = self.draw_tile(batches, tiles[n], worker, statistics);
            worker.end(self.target)?;
            result?;
        }
        Ok(())
    }

    /// Draws what all batches have in a tile.
    fn draw_tile(
        &self,
        batches: &[Pending],
        tile: u32,
        worker: &mut TileWorker,
        statistics: &mut [Statistics],
    ) -> Result<(), DrawError> {
        for of_draw in batches.chunk_by(|one, other| one.draw == other.draw) {
            let prepared = of_draw.iter().filter_map(|batch| batch.prepared.get());
            let mut parts = prepared.filter(|prepared| prepared.bins.has(tile)).peekable();
            if parts.peek().is_none() {
                continue;
            }
            let number = of_draw[0].draw;
            let (draw, failed) = (&self.draws[number], DrawError::in_draw(number));
            let Some(raster) = &draw.raster else { continue };
            worker.prepare(self.target, &draw.shading)?;
            let mut bound = draw.pixel.as_ref().map(BoundShader::worker).transpose().map_err(failed)?;
            let mut session = bound.as_mut().map(|bound| bound.begin(&self.run)).transpose().map_err(failed)?;
            // A batch may cover the tile a thousand times.
            let parts = parts.take_while(|_| !self.limits.token.is_cancelled());
            let did = worker.draw(parts, tile, (&draw.outputs, raster), &draw.shading, session.as_mut());
            statistics[number] += did.map_err(failed)?;
            self.limits.check(number)?;
        }
        Ok(())
    }
}

/// Hands out numbers in order, until the token is cancelled, and keeps the first error.
struct Work<'a> {
    next: AtomicUsize,
    count: usize,
    limits: &'a Limits<'a>,
    /// The last draw that it is for.
    draw: usize,
    failure: Mutex<Option<DrawError>>,
}

impl Work<'_> {
    fn take(&self) -> Result<Option<usize>, DrawError> {
        let n = self.next.fetch_add(1, Ordering::Relaxed);
        if n >= self.count {
            return Ok(None);
        }
        self.limits.check(self.draw).map(|()| Some(n))
    }

    /// Runs in the caller's thread and in others; an error ends all of them soon.
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
