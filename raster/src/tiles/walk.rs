//! Takes a draw's primitives through a tile: coverage, tests, records of primitives, queues of quads, and the pixel
//! function over these.

use brolga_ir::pipeline::record::{BatchAttribute, BatchPrimitive, BatchState};
use brolga_ir::pipeline::state::DepthTest;
use brolga_runtime::{ArrayWords, Error, ResourceError, StageSession};
use wide::f32x4;

use crate::setup::bins::TILE_SIZE;
use crate::setup::shape::{
    Bounds, Edge, Line, Local, Planes, SampleExtent, ScreenVertex, Small, Triangle, WideLine, inner_edges, outer_edges,
    plane, small,
};
use crate::setup::vectors::{Work, vectorize};
use crate::setup::{Prepared, Primitive, Raster, Shape};
use crate::statistics::Statistics;
use crate::tiles::blocks::{self, Block, SampleBlock};
use crate::tiles::coarse;
use crate::tiles::depth::{QuadTest, Tile};
use crate::tiles::packets::{Packets, QUADS, Quad};
use crate::tiles::quad::{self, Coverage, SampleCoverage};
use crate::tiles::targets::Target;
use crate::vertices::primitives::Outputs;

/// The state of a draw's per-pixel tests and shading.
#[derive(Clone, Copy, Debug)]
pub struct Shading {
    /// The early depth and stencil test, if there is one.
    pub depth: Option<DepthTest>,
    /// `true` if the pixel shader reads or changes the depth buffer (late tests).
    pub is_late: bool,
    /// `true` if it reports which pixels are live at its end.
    pub reports_live: bool,
    /// `true` if the pixel shader runs for each sample, not for each pixel.
    pub is_per_sample: bool,
    /// `true` if it asks whether pixels lie inside of their primitive.
    pub asks_inside: bool,
    /// Registers that the pixel shader may read.
    pub rows: u32,
    /// State that changes from draw to draw.
    pub state: BatchState,
}

/// Words of primitive records beyond which open packets are closed after a batch.
const RECORD_WORDS: usize = 1 << 16;

/// Capacity of a quad queue: what is written for it stays in the first-level cache.
pub(super) const MOST_QUADS: usize = 1024;

/// Quads of one primitive from which on it pays to shade them apart from others.
const MIN_QUADS_APART: usize = 64;

/// Pixels of a small primitive from which on it pays to test whether all are hidden.
pub(super) const MIN_PIXELS_TOGETHER: u32 = 8;

/// A queue of quads to shade: whole packets, in order.
#[derive(Default)]
pub(super) struct QuadQueue {
    pub(super) quads: Vec<[u32; Quad::WORDS]>,
    /// The number of the primitive if all are of one, plus 1; 0 if they may be of several.
    primitive: u32,
}

/// Draws tiles, one after the other.
#[derive(Default)]
pub struct TileWorker {
    pub(crate) corner: [i32; 2],
    pub(crate) layer: u32,
    pub(crate) depth: Tile,
    pub(super) packets: Packets,
    /// Records of the primitives that have quads in open packets.
    primitives: Vec<u32>,
    /// The planes of the clip distances that cut the primitive.
    pub(super) distances: Vec<Local>,
    /// The blocks that it covers.
    blocks: Vec<Block>,
    pub(super) sample_blocks: Vec<SampleBlock>,
    /// Quads of fully covered squares, which are shaded first.
    pub(super) squares: QuadQueue,
    /// Quads of closed packets, which are shaded after them.
    pub(super) closed: QuadQueue,
    /// Flags of the pixels that are live after shading.
    live: Vec<u32>,
}

impl TileWorker {
    /// Begins a tile.
    pub fn begin(&mut self, target: &Target, tile: u32) {
        (self.corner, self.layer) = target.grid().origin(tile);
    }

    /// Prepares for the depth tests of a draw: loads the tile for early tests, stores it for late ones.
    pub fn prepare(&mut self, target: &Target, shading: &Shading) -> Result<(), ResourceError> {
        if shading.is_late {
            return self.end(target);
        }
        if let (Some(buffer), Some(how)) = (&target.depth, shading.depth) {
            self.depth.load(buffer, self.corner, self.layer)?;
            self.depth.begin(&how);
        }
        Ok(())
    }

    /// Ends the tile: stores its depth, if loaded.
    pub fn end(&mut self, target: &Target) -> Result<(), ResourceError> {
        target.depth.as_ref().map_or(Ok(()), |buffer| self.depth.store(buffer, self.corner, self.layer))
    }

    /// Draws the primitives that some batches of a draw have in the tile; returns the statistics of their pixels.
    pub fn draw<'p>(
        &mut self,
        batches: impl Iterator<Item = &'p Prepared>,
        tile: u32,
        (outputs, raster): (&Outputs, &Raster),
        shading: &Shading,
        pixel: Option<&mut StageSession<'_>>,
    ) -> Result<Statistics, Error> {
        self.distances.clear();
        let (shading, statistics) = (*shading, Statistics::default());
        let drawn_samples = SampleCoverage::of_samples(raster.sample_mask);
        let extent = SampleExtent::of(raster.pattern);
        let mut positions = [[0.0; 2]; 16];
        for sample in 0..raster.pattern.count() {
            positions[sample as usize] = raster.pattern.position(sample);
        }
        let mut draw = TileDraw {
            worker: self,
            outputs,
            raster,
            drawn_samples,
            extent,
            positions,
            shading,
            pixel,
            failure: None,
            statistics,
        };
        for prepared in batches {
            let batch = BatchInTile { draw: &mut draw, prepared, tile };
            match raster.pattern.count() {
                1 => vectorize(batch),
                _ => vectorize(Samples(batch)),
            }
            if draw.worker.primitives.len() > RECORD_WORDS {
                draw.finish();
            }
        }
        draw.finish();
        draw.failure.map_or(Ok(draw.statistics), Err)
    }
}

/// A draw in a tile, in progress.
pub(super) struct TileDraw<'t, 's, 'w> {
    pub(super) worker: &'t mut TileWorker,
    pub(super) outputs: &'t Outputs,
    pub(super) raster: &'t Raster,
    /// The samples in the sample mask, and where samples may lie.
    pub(super) drawn_samples: SampleCoverage,
    pub(super) extent: SampleExtent,
    /// Their positions, in pixels from the center.
    pub(super) positions: [[f32; 2]; 16],
    pub(super) shading: Shading,
    pub(super) pixel: Option<&'s mut StageSession<'w>>,
    failure: Option<Error>,
    pub(super) statistics: Statistics,
}

/// A batch in a tile.
struct BatchInTile<'d, 't, 's, 'w> {
    draw: &'d mut TileDraw<'t, 's, 'w>,
    prepared: &'d Prepared,
    tile: u32,
}

impl Work for BatchInTile<'_, '_, '_, '_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        for primitive in self.prepared.bins.primitives(self.tile) {
            self.draw.primitive(self.prepared, &self.prepared.primitives[primitive as usize]);
        }
    }
}

/// The same with several samples. Apart, so that pixels of one have code of their own.
struct Samples<'d, 't, 's, 'w>(BatchInTile<'d, 't, 's, 'w>);

impl Work for Samples<'_, '_, '_, '_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let BatchInTile { draw, prepared, tile } = self.0;
        prepared.bins.primitives(tile).for_each(|primitive| draw.samples(prepared, primitive));
    }
}

/// A primitive in a tile, in progress.
pub(super) struct Drawn<'p> {
    pub(super) prepared: &'p Prepared,
    pub(super) primitive: &'p Primitive,
    /// Its planes around a pixel.
    pub(super) local: &'p Local,
    pub(super) origin: [i32; 2],
    /// The edges that have whole pixels inside, if the shader asks for these.
    pub(super) inner: Option<[Edge; 3]>,
    /// The number of its record, if it has one.
    pub(super) number: Option<u32>,
}

impl TileDraw<'_, '_, '_> {
    #[inline(always)]
    fn primitive(&mut self, prepared: &Prepared, drawn: &Primitive) {
        self.set_depths(prepared, drawn);
        match &drawn.shape {
            Shape::Small(small) => self.small(prepared, drawn, small),
            Shape::Large { .. } | Shape::Line { .. } | Shape::Sprite { .. } => self.large(prepared, drawn),
        }
    }

    /// Sets the depth range of a primitive's viewport.
    #[inline(always)]
    pub(super) fn set_depths(&mut self, prepared: &Prepared, drawn: &Primitive) {
        if self.outputs.viewport.is_some() {
            let depths = prepared.area(drawn.vertices[0], self.raster).viewport.depths();
            if depths != self.shading.state.depths {
                // Queued quads belong to the viewport before.
                self.finish();
                self.shading.state.depths = depths;
            }
        }
    }

    #[inline(always)]
    fn small(&mut self, prepared: &Prepared, primitive: &Primitive, small: &Small) {
        let &Small { corner: origin, mut quads, planes: ref local } = small;
        let tile = self.worker.corner;
        if [0, 1].iter().any(|&axis| !(0..=TILE_SIZE - small::SIZE).contains(&(origin[axis] - tile[axis]))) {
            quads &= small::within(origin, &Bounds::square(tile, TILE_SIZE));
        }
        let mut drawn = Drawn { prepared, primitive, local, origin, inner: None, number: None };
        if !self.outputs.clip.is_empty() {
            self.find_distances(&drawn, &prepared.screen_vertices_of(primitive.vertices));
        }
        // A few quads are tested as fast as the area that they cover.
        if quads.count_ones() >= MIN_PIXELS_TOGETHER && self.is_hidden(&drawn, &small::area(origin, quads)) {
            return;
        }
        for (corner, coverage) in quad::quads(origin, quads, small::SIZE / 2) {
            self.quad(&mut drawn, corner, coverage);
        }
    }

    /// Draws a primitive bounded by edges.
    #[inline(always)]
    fn large(&mut self, prepared: &Prepared, primitive: &Primitive) {
        let origin = self.worker.corner;
        let with_bias = |bias| biased(prepared.screen_vertices_of(primitive.vertices), bias);
        let mut edges = [Edge::default(); blocks::MOST_EDGES];
        let mut put = |all: &[Edge]| edges[..all.len()].copy_from_slice(all);
        let (bounds, vertices, own) = match primitive.shape {
            Shape::Small(_) => return,
            Shape::Large { bounds, bias } if self.raster.state.conservative => {
                let vertices = with_bias(bias);
                put(&outer_edges(vertices.map(|vertex| vertex.point)));
                (bounds, vertices, 3)
            }
            Shape::Large { bounds, bias } => {
                let vertices = with_bias(bias);
                let Some(triangle) = Triangle::new(vertices.map(|vertex| vertex.point)) else { return };
                put(&triangle.edges());
                (bounds, vertices, 3)
            }
            Shape::Line { bounds, ends, bias } => {
                let vertices = with_bias(bias);
                let [from, to] = ends.map(|end| vertices[usize::from(end)].point);
                if self.raster.has_wide_lines {
                    let Some(line) = WideLine::new(from, to) else { return };
                    put(&line.edges());
                    (bounds, vertices, 4)
                } else {
                    // Its ends are in the bounds, and do not affect its edges.
                    let Some(line) = Line::new(from, to, true) else { return };
                    put(&line.edges());
                    (bounds, vertices, 2)
                }
            }
            Shape::Sprite { bounds, sprite } => {
                (bounds, sprite.corners(&prepared.screen_vertices[primitive.vertices[0] as usize]), 0)
            }
        };
        // A long primitive misses most tiles of its rectangle.
        if blocks::is_outside(&edges[..own], origin) {
            return;
        }
        let Some(local) = primitive.shape.planes(&vertices).map(|planes| planes.around(origin)) else { return };
        let inner = self.inner(&vertices);
        let mut drawn = Drawn { prepared, primitive, local: &local, origin, inner, number: None };
        if self.is_hidden(&drawn, &bounds.intersect(Bounds::square(origin, TILE_SIZE))) {
            return;
        }
        self.find_distances(&drawn, &vertices);
        let mut blocks = std::mem::take(&mut self.worker.blocks);
        blocks::walk(&edges[..own], &bounds, origin, |block| blocks.push(block));
        for block in blocks.drain(..) {
            match block {
                Block::Whole { corner, size } => self.whole(&mut drawn, corner, size),
                Block::Part { corner, quads } => {
                    if !self.is_hidden(&drawn, &Bounds::square(corner, blocks::PART)) {
                        for (corner, coverage) in quad::quads(corner, quads.into(), 2) {
                            self.quad(&mut drawn, corner, coverage);
                        }
                    }
                }
            }
        }
        self.worker.blocks = blocks;
    }

    /// The edges that have whole pixels of a triangle inside, if the shader asks for these.
    pub(super) fn inner(&self, vertices: &[ScreenVertex; 3]) -> Option<[Edge; 3]> {
        if self.shading.asks_inside { inner_edges(vertices.map(|vertex| vertex.point)) } else { None }
    }

    /// `true` if all pixels of an area of the tile are known to fail the depth test.
    #[inline(always)]
    fn is_hidden(&mut self, drawn: &Drawn<'_>, area: &Bounds) -> bool {
        let range = self.shading.state.depths;
        self.shading.depth.is_some() && self.worker.depth.is_hidden(drawn.local, drawn.origin, area, range)
    }

    /// Finds the clip distances that cut a primitive.
    pub(super) fn find_distances(&mut self, drawn: &Drawn<'_>, vertices: &[ScreenVertex; 3]) {
        self.worker.distances.clear();
        for words in self.outputs.clip.chunks(plane::COUNT) {
            // An unused plane is always covered.
            let mut values = [[1.0; 3]; plane::COUNT];
            for (value, &word) in values.iter_mut().zip(words) {
                *value =
                    drawn.primitive.vertices.map(|vertex| f32::from_bits(drawn.prepared.vertices.word(vertex, word)));
            }
            if values.as_flattened().iter().any(|&distance| distance < 0.0) {
                let planes = match drawn.primitive.shape {
                    Shape::Line { ends, .. } => Planes::of_line_over_w(vertices, ends.map(usize::from), values),
                    Shape::Small(_) | Shape::Large { .. } | Shape::Sprite { .. } => Planes::over_w(vertices, values),
                };
                self.worker.distances.extend(planes.map(|planes| planes.around(drawn.origin)));
            }
        }
    }

    /// Draws a square of pixels that are all covered.
    #[inline(always)]
    fn whole(&mut self, drawn: &mut Drawn<'_>, corner: [i32; 2], size: i32) {
        let is_tested = self.worker.depth.is_loaded() && self.shading.depth.is_some();
        if !is_tested && self.worker.distances.is_empty() {
            return self.square(drawn, corner, size);
        }
        let step = size.min(coarse::SIZE);
        for part in parts(corner, size, step) {
            if self.is_hidden(drawn, &Bounds::square(part, step)) {
                continue;
            }
            for part in parts(part, step, blocks::PART) {
                let corners = quads_of_block(part);
                let mut left = [Coverage::default(); QUADS];
                for (left, &corner) in left.iter_mut().zip(&corners) {
                    *left = self.test(drawn, corner, Coverage::FULL);
                }
                if left == [Coverage::FULL; QUADS] {
                    self.square(drawn, part, blocks::PART);
                } else {
                    for (&corner, coverage) in corners.iter().zip(left) {
                        self.pass(drawn, corner, coverage);
                    }
                }
            }
        }
    }

    /// Draws a square of pixels that all passed the tests before shading. Its packets are full without packing: they
    /// come after all open ones that have a quad of it.
    fn square(&mut self, drawn: &mut Drawn<'_>, corner: [i32; 2], size: i32) {
        if !self.shading.reports_live {
            self.statistics.samples += (size * size) as u64;
        }
        if self.pixel.is_none() {
            return;
        }
        self.statistics.pixel_invocations += (size * size) as u64;
        let (primitive, inner) = (self.record(drawn), drawn.inner);
        let quads = self.squares_of(primitive, corner, size);
        let words = |coverage, [x, y]: [i32; 2]| Quad { corner: [x as u32, y as u32], primitive, coverage }.words();
        for part in parts(corner, size, blocks::PART) {
            // Apart, so that four quads are four vectors.
            if inner.is_none() {
                quads.extend(quads_of_block(part).map(|corner| words(Coverage::FULL.bits(), corner)));
            } else {
                let coverage = |corner| with_inside(Coverage::FULL, &inner, corner);
                quads.extend(quads_of_block(part).map(|corner| words(coverage(corner), corner)));
            }
        }
        if quads.len() >= MOST_QUADS {
            self.shade(|worker| &mut worker.squares);
        }
    }

    /// The queue of squares for quads of a primitive, after all that must come before its square.
    #[inline(always)]
    pub(super) fn squares_of(&mut self, primitive: u32, corner: [i32; 2], size: i32) -> &mut Vec<[u32; Quad::WORDS]> {
        if self.worker.packets.meets(corner, size) {
            self.close_packets();
        }
        if !self.worker.closed.quads.is_empty() {
            self.shade_all();
        }
        let QuadQueue { quads, primitive: of } = &self.worker.squares;
        if *of != primitive + 1 && quads.len() >= MIN_QUADS_APART {
            self.shade(|worker| &mut worker.squares);
        }
        let QuadQueue { quads, primitive: of } = &mut self.worker.squares;
        *of = if quads.is_empty() || *of == primitive + 1 { primitive + 1 } else { 0 };
        quads
    }

    /// The number of a primitive's record, which is written with its first quad.
    #[inline(always)]
    pub(super) fn record(&mut self, drawn: &mut Drawn<'_>) -> u32 {
        if let Some(number) = drawn.number {
            return number;
        }
        let words = BatchPrimitive::WORDS + self.shading.rows as usize * BatchAttribute::WORDS;
        let records = &mut self.worker.primitives;
        let number = (records.len() / words) as u32;
        drawn.number = Some(number);
        let &mut Drawn { prepared, primitive: of, local, origin, .. } = drawn;
        // A repeated provoking vertex has no weight: its differences must be 0, whatever is in it.
        let is_again = [0, 1, 2].map(|n| n > 0 && of.vertices[n] == of.vertices[0]);
        let rcp_w = |n: usize| if is_again[n] { 1.0 } else { prepared.screen_vertices[of.vertices[n] as usize].rcp_w };
        let head = BatchPrimitive {
            origin: origin.map(|coordinate| coordinate as u32),
            is_front: of.is_front.into(),
            id: self.outputs.primitive_id.map_or(of.id, |word| prepared.vertices.word(of.vertices[0], word)),
            values: local.value,
            along_x: local.x,
            along_y: local.y,
            w: [1, 2].map(|n| 1.0 / rcp_w(n)),
            reserved: [0; 2],
        };
        records.extend_from_slice(&head.words());
        let rows = of.vertices.map(|vertex| prepared.vertices.row(vertex).as_chunks::<4>().0);
        for n in 0..self.shading.rows as usize {
            let is_read = self.outputs.is_read.get(n) == Some(&true);
            let row = |vertex: usize| rows[vertex].get(n).filter(|_| is_read).copied().unwrap_or_default();
            let [leading, second, third] = [row(0), row(1), row(2)];
            // Subtracted as a shader would.
            let floats = |words: [u32; 4]| plane::normals(bytemuck::cast(words));
            let from = floats(leading);
            let [mut second, mut third] = [plane::normals(floats(second) - from), plane::normals(floats(third) - from)];
            if is_again[1] {
                second = f32x4::ZERO;
            }
            if is_again[2] {
                third = f32x4::ZERO;
            }
            let attribute = BatchAttribute { leading, second: second.to_array(), third: third.to_array() };
            records.extend_from_slice(&attribute.words());
        }
        number
    }

    /// Tests a quad, and queues its remaining pixels for shading.
    #[inline(always)]
    fn quad(&mut self, drawn: &mut Drawn<'_>, corner: [i32; 2], coverage: Coverage) {
        let coverage = self.test(drawn, corner, coverage);
        self.pass(drawn, corner, coverage);
    }

    /// Tests the clip distances and depths of a quad, in primitive order; returns the remaining pixels.
    #[inline(always)]
    fn test(&mut self, drawn: &Drawn<'_>, corner: [i32; 2], mut coverage: Coverage) -> Coverage {
        let offset = [(corner[0] - drawn.origin[0]) as f32, (corner[1] - drawn.origin[1]) as f32];
        if !self.worker.distances.is_empty() {
            coverage = coverage.intersect(self.within_distances(offset));
            if self.raster.state.conservative {
                coverage = coverage.intersect(before_eye(drawn.local.of_quad(plane::RCP_W, offset)));
            }
        }
        let Some(how) = &self.shading.depth else { return coverage };
        let [left, top] = self.worker.corner;
        let tested = QuadTest {
            position: [(corner[0] - left) as usize, (corner[1] - top) as usize],
            depths: drawn.local.of_quad(plane::DEPTH, offset),
            coverage,
            is_front: drawn.primitive.is_front,
            range: self.shading.state.depths,
            reference: self.shading.state.stencil_reference,
        };
        self.worker.depth.test(how, &tested)
    }

    /// Queues the remaining pixels of a quad for shading.
    #[inline(always)]
    fn pass(&mut self, drawn: &mut Drawn<'_>, corner: [i32; 2], coverage: Coverage) {
        if coverage.is_empty() {
            return;
        }
        if !self.shading.reports_live {
            self.statistics.samples += coverage.count();
        }
        if self.pixel.is_none() {
            return;
        }
        self.statistics.pixel_invocations += coverage.count();
        let primitive = self.record(drawn);
        let coverage = with_inside(coverage, &drawn.inner, corner);
        let quad = Quad { corner: corner.map(|coordinate| coordinate as u32), primitive, coverage };
        let TileWorker { packets, closed, .. } = &mut *self.worker;
        packets.push(quad, |packets| closed.append(packets));
        if closed.quads.len() >= MOST_QUADS {
            self.shade_all();
        }
    }

    /// The pixels of a quad with no negative clip distance; `offset` is its offset from the origin.
    fn within_distances(&self, offset: [f32; 2]) -> Coverage {
        let mut within = Coverage::FULL;
        for distances in &self.worker.distances {
            for plane in 0..plane::COUNT {
                let is_within = bytemuck::cast(distances.of_quad(plane, offset).simd_ge(f32x4::ZERO));
                within = within.intersect(Coverage::of_mask(is_within));
            }
        }
        within
    }

    /// Closes all open packets.
    pub(super) fn close_packets(&mut self) {
        let TileWorker { packets, closed, .. } = &mut *self.worker;
        packets.finish(|packets| closed.append(packets));
    }

    /// Shades all queued quads, and those in open packets.
    fn finish(&mut self) {
        self.close_packets();
        self.shade_all();
        self.worker.primitives.clear();
    }

    /// Shades all queued quads.
    pub(super) fn shade_all(&mut self) {
        self.shade(|worker| &mut worker.squares);
        self.shade(|worker| &mut worker.closed);
    }

    /// Runs the pixel shader over a queue, and counts the pixels that it reports live.
    pub(super) fn shade(&mut self, queue: fn(&mut TileWorker) -> &mut QuadQueue) {
        let QuadQueue { mut quads, primitive } = std::mem::take(queue(self.worker));
        let TileWorker { layer, primitives, live, .. } = &mut *self.worker;
        if let Some(session) = self.pixel.as_deref_mut().filter(|_| !quads.is_empty() && self.failure.is_none()) {
            let pixels = 4 * quads.len() as u32;
            let state = BatchState { primitive, layer: *layer, ..self.shading.state }.words();
            let [quads, primitives, state] = [quads.as_flattened(), primitives, &state].map(ArrayWords::Read);
            let result = if self.shading.reports_live {
                live.clear();
                live.resize(pixels as usize, 0);
                let result = session.batch(pixels, &mut [quads, primitives, state, ArrayWords::Write(live)]);
                self.statistics.samples += live.iter().map(|&word| u64::from(word)).sum::<u64>();
                result
            } else {
                session.batch(pixels, &mut [quads, primitives, state])
            };
            self.failure = result.err();
        }
        quads.clear();
        *queue(self.worker) = QuadQueue { quads, primitive };
    }
}

/// The coverage of a quad, and in the bits above it the covered pixels that lie inside of a primitive entirely.
#[inline(always)]
pub(super) fn with_inside(coverage: Coverage, inner: &Option<[Edge; 3]>, corner: [i32; 2]) -> u32 {
    inner.as_ref().map_or(coverage.bits(), |edges| inside(coverage, edges, corner))
}

/// Few draws ask for this.
#[cold]
fn inside(coverage: Coverage, edges: &[Edge; 3], [x, y]: [i32; 2]) -> u32 {
    let bit = |n: i32| u32::from(edges.iter().all(|edge| edge.at(x + n % 2, y + n / 2) >= 0)) << n;
    coverage.bits() | (coverage.bits() & (0..4).map(bit).sum::<u32>()) << 4
}

/// The pixels where 1/w is above 0: beyond a triangle's edges it may not be.
#[inline(always)]
pub(super) fn before_eye(rcp_w: f32x4) -> Coverage {
    Coverage::of_mask(bytemuck::cast(rcp_w.simd_gt(f32x4::ZERO)))
}

/// The first pixels of a square's parts of `part` by `part` pixels, row by row.
#[inline(always)]
pub(super) fn parts([x, y]: [i32; 2], size: i32, part: i32) -> impl Iterator<Item = [i32; 2]> {
    let along = move || (0..size / part).map(move |n| n * part);
    along().flat_map(move |down| along().map(move |across| [x + across, y + down]))
}

/// The first pixels of the quads of a 4 x 4 block.
#[inline(always)]
pub(super) fn quads_of_block([x, y]: [i32; 2]) -> [[i32; 2]; QUADS] {
    [[x, y], [x + 2, y], [x, y + 2], [x + 2, y + 2]]
}

/// Vertices with a depth bias.
pub(super) fn biased(mut vertices: [ScreenVertex; 3], bias: f32) -> [ScreenVertex; 3] {
    if bias != 0.0 {
        vertices.iter_mut().for_each(|vertex| vertex.z += bias);
    }
    vertices
}

impl QuadQueue {
    /// Adds packets.
    pub(super) fn append(&mut self, packets: &[[Quad; QUADS]]) {
        self.quads.extend(packets.as_flattened().iter().map(|quad| quad.words()));
    }
}
