//! Records what a draw does to one pixel: each primitive that covers it is drawn once more by itself, with and without
//! the tests, reading the pixel in between. The pixel is restored afterwards: other draws and other pixels are not
//! affected.
//!
//! A pixel drawn alone has the same result as among others, since nothing depends on its neighbours in a packet. So has
//! a sample of several, which are drawn one after the other.
//!
//! Primitives that miss the pixel for some reason are found in the same way: they are set up for it without any
//! obstacle, then with one (`OBSTACLES`) after the other, until one removes them.

use brolga_ir::pipeline::record::BatchInvocation;
use brolga_ir::pipeline::state::{Comparison, DepthFormat, DepthTest};
use brolga_runtime::{
    Bindings, Buffer, CancelToken, Device, Dispatch, Error, ResourceClass, ResourceError, StageKind, SystemValue,
    TexelBox, Texture, View,
};

use crate::error::DrawError;
use crate::pass::front_end::FrontEnd;
use crate::pass::schedule::{BoundDraw, Limits};
use crate::pipeline::Parts;
use crate::setup::bins::TILE_SIZE;
use crate::setup::shape::{Bounds, plane};
use crate::setup::viewport::Viewport;
use crate::setup::{Prepared, Primitive, Raster, Scratch};
use crate::state::{Cull, RasterizerState};
use crate::tiles::targets::Target;
use crate::tiles::walk::{Shading, TileWorker};
use crate::vertices::primitives::{Outputs, PrimitiveBatch};

/// The most fragments recorded per draw: it bounds memory.
const MOST_FRAGMENTS: usize = 1000;

/// The history of a pixel in a draw.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct PixelHistory {
    /// The primitives that cover it, or would but for an obstacle, in draw order; the first thousand of them.
    pub fragments: Vec<Fragment>,
    /// Number of samples of a pixel. Each that a primitive covers is a fragment; one that an obstacle keeps away is told
    /// once.
    pub samples: u32,
    /// Number of fragments beyond those.
    pub more: u64,
    /// The outcome of all primitives of the draw, wherever they are.
    pub counts: Counts,
}

/// Outcomes of a draw's primitives before the per-pixel tests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Counts {
    /// Primitives in all instances.
    pub primitives: u64,
    /// Primitives that were rasterized.
    pub drawn: u64,
    /// Triangles that were culled for their facing.
    pub culled: u64,
    /// Primitives clipped away by depth, clip planes or distances, or culled by distances.
    pub clipped: u64,
    /// Primitives with a NaN in a position.
    pub nan: u64,
    /// Primitives with w <= 0 at all vertices.
    pub w_not_positive: u64,
}

impl Counts {
    /// All others: outside of the target, viewport or scissor rectangle, or covering no pixel center.
    pub fn elsewhere(&self) -> u64 {
        let Self { primitives, drawn, culled, clipped, nan, w_not_positive } = *self;
        primitives.saturating_sub(drawn + culled + clipped + nan + w_not_positive)
    }
}

/// The effect of a primitive on a pixel that it covers, or the reason that it has none.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Fragment {
    /// The instance, counted from 0.
    pub instance: u32,
    /// The primitive's number within the instance: `SV_PrimitiveID`. Behind a geometry shader that of the primitive that
    /// it took.
    pub primitive: u32,
    /// If that is a patch, the points of its domain between which the tessellator made the primitive.
    pub domain: Vec<[f32; 3]>,
    /// Which of the primitives it is that a geometry shader emitted for that one.
    pub emitted: Option<Emitted>,
    /// `true` if it is front-facing.
    pub is_front: bool,
    /// The sample of the pixel; 0 if there is one.
    pub sample: u32,
    /// Its depth there as the depth buffer would hold it; as a float without one. A shader may output another. With an
    /// obstacle it is not clamped.
    pub depth: f32,
    /// The depth buffer's depth before, if there is one.
    pub stored_depth: Option<f32>,
    /// The stencil before, if there is one.
    pub stored_stencil: Option<u8>,
    /// Its outcome.
    pub fate: Fate,
    /// The sample's texel of each target before and after, as encoded in the target's format.
    pub colors: Vec<[u128; 2]>,
}

/// A primitive that a geometry shader emitted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Emitted {
    /// The invocation for the primitive that it took: `SV_GSInstanceID`.
    pub invocation: u32,
    /// Its number among those that the invocation emitted into the stream that is drawn.
    pub number: u32,
}

/// The outcome of a primitive in a pixel.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Fate {
    /// Its vertices are all beyond a cull distance.
    CullDistance,
    /// It is clipped by the near plane there.
    BeforeNear,
    /// It is clipped by the far plane there.
    BeyondFar,
    /// The triangle is culled for its facing.
    Culled,
    /// The pixel is outside of the viewport.
    OutsideViewport,
    /// The pixel is outside of the scissor rectangle.
    OutsideScissor,
    /// It is clipped there by a clip distance, or by a clip plane of Direct3D 9.
    ClipDistance,
    /// The sample mask leaves no sample.
    SampleMask,
    /// It failed the stencil test.
    FailedStencil,
    /// It failed the depth test.
    FailedDepth,
    /// The pixel shader discarded it, or its coverage output is zero.
    Discarded,
    /// The pixel shader discarded it, or output a depth or a stencil reference that failed a test.
    DiscardedOrFailed,
    /// It passed all tests: the targets have the result of blending and write masks.
    Passed,
}

/// Obstacles between a primitive and a pixel that it would cover, in the order of their tests. `BeforeNear` stands for
/// both depth planes.
const OBSTACLES: [Fate; 7] = [
    Fate::CullDistance,
    Fate::BeforeNear,
    Fate::Culled,
    Fate::OutsideViewport,
    Fate::OutsideScissor,
    Fate::ClipDistance,
    Fate::SampleMask,
];

/// The outputs and state with which primitives are set up: the draw's, or with fewer obstacles.
struct Setup {
    outputs: Outputs,
    raster: Raster,
}

impl Setup {
    /// The same with other samples.
    fn with_mask(&self, sample_mask: u32) -> Self {
        Self { outputs: self.outputs.clone(), raster: Raster { sample_mask, ..self.raster.clone() } }
    }
}

/// A shaded batch of a draw's primitives, and its latest setup.
#[derive(Default)]
struct Shaded {
    batch: PrimitiveBatch,
    prepared: Prepared,
    scratch: Scratch,
    instance: u32,
    /// The number of the batch's first primitive.
    first: u32,
    /// If they are tessellated, the patch of each primitive that the tessellator made, and the points of its vertices in
    /// the domain.
    tessellated: Option<Vec<(u32, DomainPoints)>>,
    /// If a geometry shader emitted the primitives, how many there are up to the end of each invocation, and how many
    /// invocations a primitive has.
    invocations: Option<(Vec<u32>, u32)>,
}

impl Shaded {
    /// The primitive or patch that the input assembler made for a primitive of the batch, and what became of it.
    fn origin(&self, id: u32) -> Origin {
        let tessellated = |number: u32| self.tessellated.as_ref().and_then(|all| all.get(number as usize)).cloned();
        let Some((ends, of_primitive)) = &self.invocations else {
            let (primitive, domain) = tessellated(id).unwrap_or((id, Vec::new()));
            return Origin { primitive, domain, emitted: None };
        };
        let invocation = ends.partition_point(|&end| end <= id);
        let before = invocation.checked_sub(1).map_or(0, |before| ends[before]);
        let [number, invocation] = [invocation as u32 / of_primitive, invocation as u32 % of_primitive];
        let (primitive, domain) = tessellated(number).unwrap_or((self.first + number, Vec::new()));
        Origin { primitive, domain, emitted: Some(Emitted { invocation, number: id - before }) }
    }

    /// The number that the pixel shader sees of a primitive of the batch.
    fn shown_id(&self, id: u32) -> u32 {
        match (&self.tessellated, &self.invocations) {
            (Some(tessellated), None) => tessellated[id as usize].0,
            _ => id,
        }
    }

    /// Takes the primitives that the front end has made.
    fn take(&mut self, parts: &Parts, front: &mut FrontEnd) {
        std::mem::swap(&mut self.batch, &mut front.made);
        let FrontEnd { geometry, tessellator, .. } = front;
        self.invocations = parts.geometry.as_ref().map(|layout| (geometry.ends.clone(), layout.stage.instances));
        self.tessellated = parts.tessellation.as_ref().map(|layout| {
            let count = layout.kind().vertices() as usize;
            let points = |vertices: &[u32]| vertices.iter().map(|&vertex| tessellator.location(vertex)).collect();
            match &parts.geometry {
                Some(layout) => {
                    let element = layout.primitive_words();
                    let words = &geometry.primitives[..geometry.ends.len() * element];
                    let first_of_each = words.chunks(element).step_by(layout.stage.instances as usize);
                    first_of_each.map(|words| (words[0], points(&words[BatchInvocation::WORDS..]))).collect()
                }
                None => {
                    let primitives = self.batch.primitives.iter_mut().enumerate();
                    // The primitives of a patch have its number: here each needs its own.
                    let taken = primitives.map(|(n, primitive)| {
                        let patch = std::mem::replace(&mut primitive.id, n as u32);
                        (patch, points(&primitive.vertices[..count]))
                    });
                    taken.collect()
                }
            }
        });
    }
}

/// Points in the domain of a patch.
type DomainPoints = Vec<[f32; 3]>;

/// Where a primitive comes from.
#[derive(Clone)]
struct Origin {
    /// The number of the input assembler's primitive or patch.
    primitive: u32,
    domain: DomainPoints,
    emitted: Option<Emitted>,
}

/// A primitive that covers the pixel.
#[derive(Clone)]
struct Covering {
    primitive: Primitive,
    /// The masks of its samples, if there are several.
    masks: Vec<u64>,
    /// The samples that it covers, each with its depth as the depth buffer would hold it.
    samples: Vec<(u32, f32)>,
    /// Its depth there, unclamped.
    z: f32,
    /// `true` if that is in the far half of the viewport's range, or beyond it.
    is_far: bool,
}

/// The watched pixel of a draw's targets.
#[derive(Clone, Copy)]
pub(crate) struct Watched<'a> {
    pub draw: &'a BoundDraw,
    pub device: &'a Device,
    /// The draw's test, early or late.
    pub test: Option<DepthTest>,
    pub colors: &'a [View],
    pub target: &'a Target,
    /// Column and row, in the first layer.
    pub pixel: [u32; 2],
}

impl Watched<'_> {
    /// Draws the primitives that cover the pixel, one after the other.
    pub fn history(&self, limits: &Limits<'_>) -> Result<PixelHistory, DrawError> {
        let mut history = PixelHistory { samples: self.target.pattern.count(), ..PixelHistory::default() };
        let Some(raster) = &self.draw.raster else { return Ok(history) };
        let run = limits.run();
        let stages = self.draw.front_stages(self.device, (&run, 0))?;
        let mut seat = self.device.stage_seat();
        let (mut front, mut shaded) = (FrontEnd::default(), Shaded::default());
        let input = &self.draw.input;
        input.batches(1, |batch, instances| {
            (shaded.instance, shaded.first) = (instances.start, batch.primitive);
            let mut rest = Some(self.draw.begin((batch, instances), &stages, &mut front, &mut seat)?);
            while rest.is_some() {
                self.draw.next_part(&mut rest, &stages, &mut front, &mut seat)?;
                shaded.take(&self.draw.pipeline.parts, &mut front);
                limits.check(0)?;
                self.count(&mut shaded, raster, &mut history.counts);
                self.batch(&mut shaded, raster, &run, &mut history)?;
            }
            Ok::<_, DrawError>(())
        })?;
        Ok(history)
    }

    /// The draw's setup for the pixel alone, with the first obstacles only.
    fn setup(&self, raster: &Raster, obstacles: usize) -> Setup {
        let holds = |obstacle| OBSTACLES[..obstacles].contains(&obstacle);
        let mut outputs = self.outputs().clone();
        if !holds(Fate::CullDistance) {
            outputs.cull.clear();
        }
        if !holds(Fate::ClipDistance) {
            outputs.clip.clear();
        }
        let areas = raster.areas.iter().map(|area| {
            let bounds = [(Fate::OutsideViewport, area.viewport.scissor()), (Fate::OutsideScissor, area.scissor)];
            let scissor = bounds.into_iter().filter(|(obstacle, _)| holds(*obstacle));
            let scissor = scissor.fold(self.bounds(), |pixel, (_, bounds)| pixel.intersect(bounds));
            area.changed(scissor, holds(Fate::BeforeNear), holds(Fate::ClipDistance))
        });
        let raster = Raster {
            areas: areas.collect(),
            state: RasterizerState {
                cull: if holds(Fate::Culled) { raster.state.cull } else { Cull::None },
                ..raster.state
            },
            // What keeps them from the pixel is to be found.
            drops_far: false,
            sample_mask: if holds(Fate::SampleMask) { raster.sample_mask } else { raster.pattern.mask() },
            ..raster.clone()
        };
        Setup { outputs, raster }
    }

    /// Sets up the primitives of a batch.
    fn set_up(&self, shaded: &mut Shaded, Setup { outputs, raster }: &Setup) {
        let Shaded { batch, prepared, scratch, .. } = shaded;
        prepared.set_up(&mut batch.clone(), outputs, Some(raster), self.target.grid(), scratch);
    }

    /// Counts the outcomes of a batch's primitives.
    fn count(&self, shaded: &mut Shaded, raster: &Raster, counts: &mut Counts) {
        let mut setup = Setup { outputs: self.outputs().clone(), raster: raster.clone() };
        setup.raster.sample_mask = raster.pattern.mask();
        let left = |shaded: &mut Shaded, setup: &Setup| {
            self.set_up(shaded, setup);
            // The pieces of a clipped primitive are consecutive.
            shaded.prepared.primitives.chunk_by(|one, other| one.id == other.id).count() as u64
        };
        let drawn = left(shaded, &setup);
        setup.raster.state.cull = Cull::None;
        let not_culled = left(shaded, &setup);
        setup.raster.areas = raster.areas.iter().map(|area| area.changed(area.scissor, false, false)).collect();
        setup.outputs.clip.clear();
        setup.outputs.cull.clear();
        let not_clipped = left(shaded, &setup);
        let [nan, w_not_positive] = count_lost(&shaded.batch, &setup.outputs, raster);
        counts.primitives += shaded.prepared.statistics.clipper_invocations;
        counts.drawn += drawn;
        counts.culled += not_culled.saturating_sub(drawn);
        counts.clipped += not_clipped.saturating_sub(not_culled);
        counts.nan += nan;
        counts.w_not_positive += w_not_positive;
    }

    /// Draws the primitives of a batch.
    fn batch(
        &self,
        shaded: &mut Shaded,
        raster: &Raster,
        run: &Dispatch,
        history: &mut PixelHistory,
    ) -> Result<(), DrawError> {
        let drawn = self.covering(shaded, raster, OBSTACLES.len())?;
        let missed = self.missed(shaded, raster, &drawn)?.into_iter().map(|(covering, fate)| (covering, Some(fate)));
        let mut all: Vec<_> = drawn.into_iter().map(|covering| (covering, None)).chain(missed).collect();
        all.sort_by_key(|(covering, _)| covering.primitive.id);
        let setup = self.setup(raster, OBSTACLES.len());
        self.set_up(shaded, &setup);
        for (mut covering, fate) in all {
            let (origin, instance) = (shaded.origin(covering.primitive.id), shaded.instance);
            covering.primitive.id = shaded.shown_id(covering.primitive.id);
            let prepared = &mut shaded.prepared;
            if fate.is_none() {
                self.leave_only(prepared, &covering.primitive, &covering.masks);
            }
            // What is kept away is told once.
            let count = if fate.is_some() { 1 } else { covering.samples.len() };
            for &(sample, depth) in &covering.samples[..count] {
                // The shader sees all that the primitive covers nevertheless.
                let mask = if self.are_forced() { setup.raster.sample_mask } else { 1 << sample };
                let (setup, depth) = (setup.with_mask(mask), if fate.is_some() { covering.z } else { depth });
                if history.fragments.len() < MOST_FRAGMENTS {
                    let place = (instance, origin.clone(), sample, depth);
                    let fragment = self.fragment(prepared, &setup, &covering.primitive, place, fate, run)?;
                    history.fragments.push(fragment);
                } else {
                    history.more += 1;
                    if fate.is_none() {
                        self.shade(prepared, &setup, run)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// The primitives of a batch that obstacles keep from the pixel.
    fn missed(
        &self,
        shaded: &mut Shaded,
        raster: &Raster,
        drawn: &[Covering],
    ) -> Result<Vec<(Covering, Fate)>, DrawError> {
        let has = |those: &[Covering], one: &Covering| those.iter().any(|other| other.primitive.id == one.primitive.id);
        let (mut left, mut missed) = (self.covering(shaded, raster, 0)?, Vec::new());
        left.retain(|one| !has(drawn, one));
        // Pieces of a clipped primitive may meet in the pixel.
        left.dedup_by_key(|one| one.primitive.id);
        for (n, obstacle) in OBSTACLES.into_iter().enumerate() {
            if left.is_empty() {
                break;
            }
            let passed = self.covering(shaded, raster, n + 1)?;
            let fate =
                |one: &Covering| if one.is_far && obstacle == Fate::BeforeNear { Fate::BeyondFar } else { obstacle };
            missed.extend(left.iter().filter(|one| !has(&passed, one)).map(|one| (one.clone(), fate(one))));
            left.retain(|one| has(&passed, one));
        }
        Ok(missed)
    }

    /// The primitives of a batch that cover the pixel if only the first obstacles count.
    fn covering(&self, shaded: &mut Shaded, raster: &Raster, obstacles: usize) -> Result<Vec<Covering>, DrawError> {
        let setup = self.setup(raster, obstacles);
        self.set_up(shaded, &setup);
        let prepared = &mut shaded.prepared;
        let numbers: Vec<u32> = prepared.bins.primitives(self.tile()).collect();
        let of = |number: u32| (prepared.primitives[number as usize], prepared.masks_of(number).to_vec());
        let primitives: Vec<_> = numbers.into_iter().map(of).collect();
        let mut all = Vec::new();
        for (primitive, masks) in primitives {
            self.leave_only(prepared, &primitive, &masks);
            let samples = self.samples(prepared, &setup)?;
            if !samples.is_empty() {
                let vertices = prepared.screen_vertices_of(primitive.vertices);
                let z = primitive.shape.planes(&vertices).map_or(vertices[0].z, |planes| {
                    planes.around(self.pixel.map(|coordinate| coordinate as i32)).value[plane::DEPTH]
                });
                let [least, most] = prepared.area(primitive.vertices[0], &setup.raster).viewport.depths();
                all.push(Covering { primitive, masks, samples, z, is_far: z > 0.5 * (least + most) });
            }
        }
        Ok(all)
    }

    /// Reduces a batch to one primitive, in the pixel's tile.
    fn leave_only(&self, prepared: &mut Prepared, primitive: &Primitive, masks: &[u64]) {
        prepared.leave_only(primitive, masks);
        prepared.bins.clear(self.target.grid().columns);
        prepared.bins.add(&self.bounds(), 0);
        prepared.bins.sort();
    }

    /// The samples of the pixel that the primitive covers, with its depth there. Forced ones, which targets do not have,
    /// are one.
    fn samples(&self, prepared: &Prepared, setup: &Setup) -> Result<Vec<(u32, f32)>, DrawError> {
        let format = self.depth_format();
        let all = DepthTest { format, test: Comparison::Always, writes: true, stencil: None };
        let mut samples = Vec::new();
        for sample in 0..setup.raster.pattern.count() {
            let only = setup.with_mask(setup.raster.sample_mask & 1 << sample);
            let mut worker = self.worker();
            worker.depth.blank(format, setup.raster.pattern.count() as usize);
            if self.passes(&mut worker, prepared, &only, all)? {
                samples.push((sample, self.depth(&worker, sample)));
            }
        }
        if self.are_forced() {
            samples.truncate(1);
            samples.iter_mut().for_each(|(sample, _)| *sample = 0);
        }
        Ok(samples)
    }

    /// `true` if the rasterizer's samples are others than those of the targets.
    fn are_forced(&self) -> bool {
        self.draw.pipeline.parts.samples.are_forced
    }

    /// The fragment of a primitive, which is drawn unless an obstacle keeps it from the pixel.
    fn fragment(
        &self,
        prepared: &Prepared,
        setup: &Setup,
        &Primitive { is_front, .. }: &Primitive,
        (instance, origin, sample, depth): (u32, Origin, u32, f32),
        missed: Option<Fate>,
        run: &Dispatch,
    ) -> Result<Fragment, DrawError> {
        let (mut stored_depth, mut stored_stencil) = (None, None);
        if let Some(buffer) = &self.target.depth {
            let loaded = self.loaded()?;
            stored_depth = Some(self.depth(&loaded, sample));
            stored_stencil = buffer.format.has_stencil().then(|| loaded.depth.stencil(self.in_tile(sample)));
        }
        let before = self.texels(sample)?;
        let fate = missed.map_or_else(|| self.fate(prepared, setup, run), Ok)?;
        let colors = before.into_iter().zip(self.texels(sample)?).map(|(before, after)| [before, after]).collect();
        Ok(Fragment {
            instance,
            primitive: origin.primitive,
            domain: origin.domain,
            emitted: origin.emitted,
            is_front,
            sample,
            depth,
            stored_depth,
            stored_stencil,
            fate,
            colors,
        })
    }

    /// Draws the primitive, and returns its outcome.
    fn fate(&self, prepared: &Prepared, setup: &Setup, run: &Dispatch) -> Result<Fate, DrawError> {
        let mut fails = None;
        if let Some(test) = self.test.filter(|_| self.target.depth.is_some()) {
            // The stencil test comes first (functional specification, 17.12).
            let of_stencil = DepthTest { test: Comparison::Always, ..test };
            if !self.passes(&mut self.loaded()?, prepared, setup, of_stencil)? {
                fails = Some(Fate::FailedStencil);
            } else if !self.passes(&mut self.loaded()?, prepared, setup, test)? {
                fails = Some(Fate::FailedDepth);
            }
        }
        let is_left = self.shade(prepared, setup, run)?;
        let signature = self.draw.pipeline.pixel().and_then(|shader| shader.stage().signature());
        let gives_tested =
            signature.is_some_and(|signature| signature.writes_depth() || signature.writes(&[SystemValue::StencilRef]));
        Ok(match fails {
            _ if is_left => Fate::Passed,
            _ if gives_tested => Fate::DiscardedOrFailed,
            Some(fails) => fails,
            None => Fate::Discarded,
        })
    }

    /// `true` if the pixel passes a test before shading.
    fn passes(
        &self,
        worker: &mut TileWorker,
        prepared: &Prepared,
        setup: &Setup,
        test: DepthTest,
    ) -> Result<bool, DrawError> {
        let shading = Shading { depth: Some(test), is_late: false, reports_live: false, ..self.draw.shading };
        let parts = std::iter::once(prepared);
        Ok(worker.draw(parts, self.tile(), (&setup.outputs, &setup.raster), &shading, None)?.samples > 0)
    }

    /// Draws the primitive as the draw does; returns `true` if the pixel survives.
    fn shade(&self, prepared: &Prepared, setup: &Setup, run: &Dispatch) -> Result<bool, DrawError> {
        let mut worker = self.worker();
        worker.prepare(self.target, &self.draw.shading)?;
        let (pixel, mut seat) = (self.draw.stage(StageKind::Pixel, self.device, (run, 0))?, self.device.stage_seat());
        let mut session = pixel.as_ref().map(|pixel| pixel.session(&mut seat)).transpose()?;
        let (parts, draw) = (std::iter::once(prepared), self.draw);
        let did = worker.draw(parts, self.tile(), (&setup.outputs, &setup.raster), &draw.shading, session.as_mut())?;
        worker.end(self.target)?;
        Ok(did.samples > 0)
    }

    /// The layout of the vertex shader's outputs.
    fn outputs(&self) -> &Outputs {
        &self.draw.pipeline.parts.outputs
    }

    /// A worker that has loaded the tile of the depth buffer, if there is one.
    fn loaded(&self) -> Result<TileWorker, ResourceError> {
        let mut worker = self.worker();
        if let Some(buffer) = &self.target.depth {
            worker.depth.load(buffer, worker.corner, worker.layer)?;
        }
        Ok(worker)
    }

    fn worker(&self) -> TileWorker {
        let mut worker = TileWorker::default();
        worker.begin(self.target, self.tile());
        worker
    }

    fn tile(&self) -> u32 {
        let [column, row] = self.pixel.map(|coordinate| coordinate / TILE_SIZE as u32);
        row * self.target.grid().columns + column
    }

    /// The pixel as a rectangle.
    fn bounds(&self) -> Bounds {
        Bounds::square(self.pixel.map(|coordinate| coordinate as i32), 1)
    }

    /// A sample's place in its tile: those of further samples lie below.
    fn in_tile(&self, sample: u32) -> [usize; 2] {
        let [x, y] = self.pixel.map(|coordinate| coordinate as usize % TILE_SIZE as usize);
        [x, y + sample as usize * TILE_SIZE as usize]
    }

    fn depth_format(&self) -> DepthFormat {
        self.target.depth.as_ref().map_or(DepthFormat::D32, |buffer| buffer.format)
    }

    /// A sample's depth in a worker's tile.
    fn depth(&self, worker: &TileWorker, sample: u32) -> f32 {
        let code = worker.depth.code(self.in_tile(sample));
        match self.depth_format() {
            DepthFormat::D16 => code as f32 / 65535.0,
            DepthFormat::D24 => (f64::from(code) / 16_777_215.0) as f32,
            DepthFormat::D32 | DepthFormat::D32S8 => f32::from_bits(code),
        }
    }

    /// A sample of the texels of all targets.
    fn texels(&self, sample: u32) -> Result<Vec<u128>, ResourceError> {
        let texel = |view| {
            let samples = Pixel::samples(view, self.pixel)?;
            samples.get(sample as usize).map_or(Ok(0), Pixel::read)
        };
        self.colors.iter().map(texel).collect()
    }
}

/// Number of primitives with a NaN in a position, and of others with w <= 0 at all vertices.
fn count_lost(batch: &PrimitiveBatch, outputs: &Outputs, raster: &Raster) -> [u64; 2] {
    let mut lost = [0; 2];
    let is_behind = |position: &[f32; 4]| match raster.is_transformed {
        true => Viewport::reciprocal(position[3]).is_none(),
        false => position[3] <= 0.0,
    };
    for primitive in &batch.primitives {
        let positions = primitive.vertices.map(|vertex| batch.vertices.floats(vertex, outputs.position));
        if positions.as_flattened().iter().any(|coordinate| coordinate.is_nan()) {
            lost[0] += 1;
        } else if positions.iter().all(is_behind) {
            lost[1] += 1;
        }
    }
    lost
}

/// A texel of a view's texture, or a sample of it: of its first mip level and layer.
#[derive(Clone, Debug)]
struct Pixel {
    texture: Texture,
    texel: TexelBox,
}

impl Pixel {
    /// The first sample; `None` if the view sees no texture.
    fn of(view: &View, pixel: [u32; 2]) -> Result<Option<Self>, ResourceError> {
        Ok(Self::samples(view, pixel)?.into_iter().next())
    }

    /// All samples; none if the view sees no texture.
    fn samples(view: &View, [x, y]: [u32; 2]) -> Result<Vec<Self>, ResourceError> {
        let Some(part) = view.subresources() else { return Ok(Vec::new()) };
        let samples = part.texture.shape().samples;
        let sample = |sample: u32| {
            let level = part.texture.level(part.mips.start, part.layers.start * samples + sample)?;
            let texel = TexelBox { origin: [x, y, level.origin[2]], extents: [1; 3], ..level };
            Ok(Self { texture: part.texture.clone(), texel })
        };
        (0..samples).map(sample).collect()
    }

    fn size_bytes(&self) -> usize {
        self.texture.shape().format.size_bytes() as usize
    }

    fn read(&self) -> Result<u128, ResourceError> {
        let mut code = [0; 16];
        self.texture.read(&self.texel, &mut code[..self.size_bytes()], None)?;
        Ok(u128::from_le_bytes(code))
    }

    fn write(&self, code: u128) -> Result<(), ResourceError> {
        self.texture.write(&self.texel, &code.to_le_bytes()[..self.size_bytes()], None)
    }
}

/// The encoded texel of a texture's first mip level and layer.
///
/// # Errors
/// If the texture does not have it.
pub fn texel(texture: &Texture, pixel: [u32; 2]) -> Result<u128, ResourceError> {
    Pixel::of(&View::texture(texture.clone()), pixel)?.map_or(Ok(0), |pixel| pixel.read())
}

/// A copy of the memory that a draw may change, taken before its pixel is drawn ahead.
pub(crate) struct Snapshot {
    texels: Vec<(Pixel, u128)>,
    /// Views that shaders write to, with their bytes and the value of their hidden counter.
    memory: Vec<(View, Buffer, Option<u32>)>,
}

impl Snapshot {
    /// Copies a pixel of each target, and all memory that shaders may write through bindings, until the token is
    /// cancelled.
    pub fn new<'a>(
        device: &Device,
        targets: impl Iterator<Item = &'a View>,
        bindings: impl Iterator<Item = &'a Bindings>,
        pixel: [u32; 2],
        token: &CancelToken,
    ) -> Result<Self, Error> {
        let mut texels = Vec::new();
        for view in targets {
            for pixel in Pixel::samples(view, pixel)? {
                let code = pixel.read()?;
                texels.push((pixel, code));
            }
        }
        let views = bindings.flat_map(Bindings::iter);
        let written = views.filter(|(register, _)| register.class == ResourceClass::UnorderedAccess);
        let memory = written.filter_map(|(_, view)| view.bytes().map(|(buffer, range)| (view, buffer, range)));
        let memory = memory.map(|(view, buffer, range)| {
            let copy = device.buffer(range.end - range.start)?;
            buffer.copy_until(range, &copy, 0, &|| token.is_cancelled())?;
            Ok((view.clone(), copy, view.counter().map(|count| count.get())))
        });
        Ok(Self { texels, memory: memory.collect::<Result<_, Error>>()? })
    }

    /// Restores the copies.
    pub fn restore(self) -> Result<(), ResourceError> {
        for (pixel, code) in &self.texels {
            pixel.write(*code)?;
        }
        for (view, copy, count) in &self.memory {
            if let Some((buffer, range)) = view.bytes() {
                copy.copy_until(0..copy.size_bytes(), buffer, range.start, &|| false)?;
            }
            if let (Some(counter), Some(count)) = (view.counter(), count) {
                counter.set(*count);
            }
        }
        Ok(())
    }
}
