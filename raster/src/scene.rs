//! Draws that share targets: batches of primitives in parallel, then tiles in parallel.
//!
//! Which thread does what never shows: batches are cut by the draw alone, a tile belongs to one thread and walks the batches in
//! order, and nothing depends on where one round of batches ends.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::Instant;

use brolga_runtime::{BoundShader, Dispatch, Error, Pool};

use crate::assembly::{Batch, Topology};
use crate::batch::{Instance, Outputs, Prepared, Raster};
use crate::draw::{Shading, Target, TileWorker};

/// Batches that are prepared before tiles are drawn. It bounds memory, whatever is drawn.
const BATCHES: usize = 64;

/// The most primitives of a batch.
pub const BATCH_PRIMITIVES: u32 = 1024;

/// One draw, with all of its state.
#[derive(Debug)]
pub struct SceneDraw {
    /// The vertex shader, and what is bound to it.
    pub vertex: BoundShader,
    /// The pixel shader, if there is one.
    pub pixel: Option<BoundShader>,
    /// How vertices make triangles.
    pub topology: Topology,
    /// Positions that are read.
    pub count: u32,
    /// Indices, if there are any; those past the end are 0.
    pub indices: Option<Vec<u32>>,
    /// The index that begins a strip anew.
    pub restart: Option<u32>,
    /// What is added to an index, or the first vertex.
    pub base_vertex: u32,
    /// Instances, and the first of them.
    pub instances: u32,
    /// The first instance.
    pub first_instance: u32,
    /// Bytes from a vertex to the next in each buffer.
    pub strides: Vec<u32>,
    /// What the vertex shader gives.
    pub outputs: Outputs,
    /// What becomes of triangles.
    pub raster: Raster,
    /// How pixels are tested and shaded.
    pub shading: Shading,
}

impl SceneDraw {
    fn instance(&self, number: u32) -> Instance<'_> {
        Instance {
            indices: self.indices.as_deref(),
            base_vertex: self.base_vertex,
            number,
            first: self.first_instance,
            restart: self.restart,
        }
    }
}

/// Draws in order; returns the pixels that passed the tests, draw by draw.
///
/// # Errors
/// If a shader did not finish. Targets then hold what was drawn until it stopped.
pub fn draw(draws: &[SceneDraw], target: &Target, pool: &Pool, what: &Dispatch) -> Result<Vec<u64>, Error> {
    let scene = Scene { draws, target, pool, what, start: Instant::now() };
    let mut samples = vec![0; draws.len()];
    let mut pending = Vec::new();
    let mut result = Ok(());
    for (n, draw) in draws.iter().enumerate() {
        for number in 0..draw.instances {
            let instance = draw.instance(number);
            draw.topology.batches(draw.count, BATCH_PRIMITIVES, instance.is_restart(), |batch| {
                pending.push(Pending { draw: n, instance, batch, prepared: OnceLock::new() });
                if pending.len() == BATCHES {
                    result = scene.flush(&mut pending, &mut samples);
                }
                result.is_ok()
            });
            std::mem::replace(&mut result, Ok(()))?;
        }
    }
    scene.flush(&mut pending, &mut samples)?;
    Ok(samples)
}

/// A batch that waits to be drawn.
struct Pending<'a> {
    /// Its draw, by its place.
    draw: usize,
    instance: Instance<'a>,
    batch: Batch,
    prepared: OnceLock<Prepared>,
}

/// What all rounds of batches have in common.
struct Scene<'a> {
    draws: &'a [SceneDraw],
    target: &'a Target,
    pool: &'a Pool,
    what: &'a Dispatch,
    start: Instant,
}

impl Scene<'_> {
    /// Prepares what waits, and draws it.
    fn flush(&self, pending: &mut Vec<Pending<'_>>, samples: &mut [u64]) -> Result<(), Error> {
        let batches = std::mem::take(pending);
        Work::new(batches.len()).run(self.pool, |work| self.prepare(&batches, work))?;
        let mut tiles: Vec<u32> =
            batches.iter().flat_map(|batch| batch.prepared.get()).flat_map(Prepared::tiles).collect();
        tiles.sort_unstable();
        tiles.dedup();
        let passed = Mutex::new(samples);
        Work::new(tiles.len()).run(self.pool, |work| {
            let (mut worker, mut own) = (TileWorker::default(), vec![0; self.draws.len()]);
            let result = self.draw_tiles(&batches, &tiles, work, &mut worker, &mut own);
            let mut passed = passed.lock().unwrap_or_else(PoisonError::into_inner);
            passed.iter_mut().zip(own).for_each(|(sum, samples)| *sum += samples);
            result
        })
    }

    /// The limits of the whole, for what begins now.
    fn limits(&self) -> Dispatch {
        let time_limit = self.what.time_limit.map(|limit| limit.saturating_sub(self.start.elapsed()));
        let mut limits = self.what.clone();
        limits.time_limit = time_limit;
        limits
    }

    /// Shades vertices and sets up primitives, batch by batch, for as long as there are any.
    fn prepare(&self, batches: &[Pending<'_>], work: &Work) -> Result<(), Error> {
        let mut next = work.take();
        while let Some(first) = next {
            let number = batches[first].draw;
            let (draw, limits) = (&self.draws[number], self.limits());
            let mut worker = draw.vertex.worker()?;
            let mut session = worker.begin(&limits)?;
            while let Some(batch) = next.map(|n| &batches[n]).filter(|batch| batch.draw == number) {
                let mut prepared = Prepared::new(
                    draw.topology,
                    batch.batch,
                    &batch.instance,
                    &mut session,
                    &draw.strides,
                    &draw.outputs,
                    &draw.raster,
                )?;
                prepared.sort_into_tiles(self.target.columns());
                // Nobody else has this batch.
                let _ = batch.prepared.set(prepared);
                next = work.take();
            }
        }
        Ok(())
    }

    /// Draws tiles for as long as there are any.
    fn draw_tiles(
        &self,
        batches: &[Pending<'_>],
        tiles: &[u32],
        work: &Work,
        worker: &mut TileWorker,
        samples: &mut [u64],
    ) -> Result<(), Error> {
        while let Some(n) = work.take() {
            let tile = tiles[n];
            worker.begin(self.target, tile);
            let mut rest = batches;
            while let Some(first) = rest.first() {
                let same = rest.iter().take_while(|batch| batch.draw == first.draw).count();
                let (of_draw, after) = rest.split_at(same);
                rest = after;
                let mut parts = of_draw
                    .iter()
                    .filter_map(|batch| batch.prepared.get())
                    .filter(|prepared| !prepared.of_tile(tile).is_empty())
                    .peekable();
                if parts.peek().is_none() {
                    continue;
                }
                let (draw, limits) = (&self.draws[first.draw], self.limits());
                worker.prepare(self.target, &draw.shading)?;
                let mut bound = draw.pixel.as_ref().map(BoundShader::worker).transpose()?;
                let mut session = bound.as_mut().map(|bound| bound.begin(&limits)).transpose()?;
                samples[first.draw] += worker.draw(parts, tile, &draw.outputs, &draw.shading, session.as_mut())?;
            }
            worker.end(self.target)?;
        }
        Ok(())
    }
}

/// Hands out numbers in order, and keeps the first error.
struct Work {
    next: AtomicUsize,
    count: usize,
    failure: Mutex<Option<Error>>,
}

impl Work {
    fn new(count: usize) -> Self {
        Self { next: AtomicUsize::new(0), count, failure: Mutex::new(None) }
    }

    fn take(&self) -> Option<usize> {
        let n = self.next.fetch_add(1, Ordering::Relaxed);
        (n < self.count).then_some(n)
    }

    /// Runs in the caller's thread and in others; an error ends all of them soon.
    fn run(self, pool: &Pool, work: impl Fn(&Self) -> Result<(), Error> + Sync) -> Result<(), Error> {
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
