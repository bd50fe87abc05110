//! Rasterizes primitives over pixels of several samples (functional specification, 3.5).
//!
//! What `walk.rs` does for pixels this does for samples: each has its own coverage, depth and stencil. Quads go to the
//! pixel shader once for all samples, or once for each where it runs at that frequency.

use brolga_ir::pipeline::record::SAMPLE_BITS;
use wide::f32x4;

use crate::setup::bins::TILE_SIZE;
use crate::setup::shape::{Bounds, Edge, Line, Planes, Point, Small, Triangle, WideLine, outer_edges, plane, small};
use crate::setup::{Prepared, Primitive, Shape};
use crate::tiles::blocks::{self, SampleBlock};
use crate::tiles::coarse;
use crate::tiles::depth::QuadTest;
use crate::tiles::packets::Quad;
use crate::tiles::quad::{Coverage, SampleCoverage};
use crate::tiles::walk::{
    Drawn, MIN_PIXELS_TOGETHER, MOST_QUADS, TileDraw, TileWorker, before_eye, biased, parts, quads_of_block,
    with_inside,
};

impl TileDraw<'_, '_, '_> {
    /// Draws a primitive, whose samples are masks of the batch.
    #[inline(always)]
    pub(super) fn samples(&mut self, prepared: &Prepared, number: u32) {
        let primitive = &prepared.primitives[number as usize];
        self.set_depths(prepared, primitive);
        match &primitive.shape {
            Shape::Small(small) => self.small_samples(prepared, primitive, small, prepared.masks_of(number)),
            Shape::Large { .. } | Shape::Line { .. } | Shape::Sprite { .. } => self.large_samples(prepared, primitive),
        }
    }

    #[inline(always)]
    fn small_samples(&mut self, prepared: &Prepared, primitive: &Primitive, small: &Small, masks: &[u64]) {
        let &Small { corner: origin, quads, planes: ref local } = small;
        let within = small::within(origin, &Bounds::square(self.worker.corner, TILE_SIZE));
        // The union lies within the scissor rectangle, too.
        let mut left = quads & within;
        let within = left;
        let mut drawn = Drawn { prepared, primitive, local, origin, inner: None, number: None };
        if !self.outputs.clip.is_empty() {
            self.find_distances(&drawn, &prepared.screen_vertices_of(primitive.vertices));
        }
        if left.count_ones() >= MIN_PIXELS_TOGETHER && self.hides(&drawn, &small::area(origin, left)) {
            return;
        }
        while left != 0 {
            let n = left.trailing_zeros() / 4;
            left &= !(15 << (4 * n));
            let mut coverage = SampleCoverage::default();
            for (sample, mask) in masks.iter().enumerate() {
                coverage.put(sample, Coverage::of_bits((mask & within) >> (4 * n)));
            }
            let [across, down] = [n as i32 % (small::SIZE / 2), n as i32 / (small::SIZE / 2)];
            self.quad_samples(&mut drawn, [origin[0] + 2 * across, origin[1] + 2 * down], coverage);
        }
    }

    /// Draws a primitive bounded by edges.
    #[inline(always)]
    fn large_samples(&mut self, prepared: &Prepared, primitive: &Primitive) {
        let (pattern, origin) = (self.raster.pattern, self.worker.corner);
        let vertices = prepared.screen_vertices_of(primitive.vertices);
        // The edges for each sample: those of the primitive, moved so that the sample is at the center.
        let mut edges = [[Edge::default(); blocks::MOST_EDGES]; 16];
        let all = &mut edges[..pattern.count() as usize];
        let moved = |point: Point, at: [i8; 2]| point.seen_from(at);
        let (bounds, vertices, own) = match primitive.shape {
            Shape::Small(_) => return,
            Shape::Large { bounds, bias } if self.raster.state.conservative => {
                let vertices = biased(vertices, bias);
                // All samples of a pixel are covered, or none.
                let outer = outer_edges(vertices.map(|vertex| vertex.point));
                all.iter_mut().for_each(|edges| edges[..3].copy_from_slice(&outer));
                (bounds, vertices, 3)
            }
            Shape::Large { bounds, bias } => {
                let vertices = biased(vertices, bias);
                for (edges, &at) in all.iter_mut().zip(pattern.positions()) {
                    let Some(triangle) = Triangle::new(vertices.map(|vertex| moved(vertex.point, at))) else { return };
                    edges[..3].copy_from_slice(&triangle.edges());
                }
                (bounds, vertices, 3)
            }
            Shape::Line { bounds, ends, bias } => {
                let vertices = biased(vertices, bias);
                let [from, to] = ends.map(|end| vertices[usize::from(end)].point);
                let own = if self.raster.has_wide_lines { 4 } else { 2 };
                for (edges, &at) in all.iter_mut().zip(pattern.positions()) {
                    if self.raster.has_wide_lines {
                        let Some(line) = WideLine::new(from, to) else { return };
                        edges.copy_from_slice(&line.edges_from(at));
                    } else {
                        // All samples of a pixel are covered, or none (functional specification, 15.14.1).
                        let Some(line) = Line::new(from, to, true) else { return };
                        edges[..2].copy_from_slice(&line.edges());
                    }
                }
                (bounds, vertices, own)
            }
            Shape::Sprite { bounds, sprite } => {
                for (edges, &at) in all.iter_mut().zip(pattern.positions()) {
                    edges.copy_from_slice(&sprite.edges_from(at));
                }
                (bounds, sprite.corners(&prepared.screen_vertices[primitive.vertices[0] as usize]), 4)
            }
        };
        let Some(local) = primitive.shape.planes(&vertices).map(|planes: Planes| planes.around(origin)) else { return };
        let inner = self.inner(&vertices);
        let mut drawn = Drawn { prepared, primitive, local: &local, origin, inner, number: None };
        if self.hides(&drawn, &bounds.intersect(Bounds::square(origin, TILE_SIZE))) {
            return;
        }
        self.find_distances(&drawn, &vertices);
        let mut found = std::mem::take(&mut self.worker.sample_blocks);
        blocks::walk_samples(all, own, &bounds, origin, |block| found.push(block));
        for block in found.drain(..) {
            match block {
                SampleBlock::Whole { corner, size } => self.whole_samples(&mut drawn, corner, size),
                SampleBlock::Part { corner, masks } => {
                    if self.hides(&drawn, &Bounds::square(corner, blocks::PART)) {
                        continue;
                    }
                    for (n, quad) in quads_of_block(corner).into_iter().enumerate() {
                        let mut coverage = SampleCoverage::default();
                        for (sample, mask) in masks[..pattern.count() as usize].iter().enumerate() {
                            coverage.put(sample, Coverage::of_bits(u64::from(mask >> (4 * n))));
                        }
                        self.quad_samples(&mut drawn, quad, coverage);
                    }
                }
            }
        }
        self.worker.sample_blocks = found;
    }

    /// `true` if all samples of an area of the tile are known to fail the depth test.
    #[inline(always)]
    fn hides(&mut self, drawn: &Drawn<'_>, area: &Bounds) -> bool {
        let (range, extent) = (self.shading.state.depths, self.extent);
        self.shading.depth.is_some()
            && self.worker.depth.is_hidden_by_samples(drawn.local, drawn.origin, area, range, &extent)
    }

    /// Draws a square of pixels, all samples of which are covered.
    #[inline(always)]
    fn whole_samples(&mut self, drawn: &mut Drawn<'_>, corner: [i32; 2], size: i32) {
        let is_tested = self.worker.depth.is_loaded() && self.shading.depth.is_some();
        let all = SampleCoverage::of_samples(self.raster.pattern.mask());
        let masked = self.drawn_samples;
        if !is_tested && self.worker.distances.is_empty() {
            return self.square_samples(drawn, corner, size, [all, masked]);
        }
        let step = size.min(coarse::SIZE);
        for part in parts(corner, size, step) {
            if self.hides(drawn, &Bounds::square(part, step)) {
                continue;
            }
            for part in parts(part, step, blocks::PART) {
                let corners = quads_of_block(part);
                let tested = corners.map(|corner| self.test_samples(drawn, corner, all));
                if tested == [[all, masked]; 4] {
                    self.square_samples(drawn, part, blocks::PART, [all, masked]);
                } else {
                    for (corner, tested) in corners.into_iter().zip(tested) {
                        self.pass_samples(drawn, corner, tested);
                    }
                }
            }
        }
    }

    /// Draws a square of pixels, all samples of which passed the tests before shading.
    #[inline(always)]
    fn square_samples(&mut self, drawn: &mut Drawn<'_>, corner: [i32; 2], size: i32, [all, left]: [SampleCoverage; 2]) {
        let pixels = (size * size) as u64;
        if !self.shading.reports_live {
            self.statistics.samples += pixels * left.count() / 4;
        }
        if self.pixel.is_none() {
            return;
        }
        self.statistics.pixel_invocations +=
            if self.shading.is_per_sample { pixels * left.count() / 4 } else { pixels };
        let primitive = self.record(drawn);
        let (is_per_sample, count) = (self.shading.is_per_sample, self.raster.pattern.count());
        let (is_conservative, inner) = (self.raster.state.conservative, drawn.inner);
        let quads = self.squares_of(primitive, corner, size);
        for part in parts(corner, size, blocks::PART) {
            // A packet has a quad once: its samples follow each other.
            for sample in invocations(left, is_per_sample) {
                let quad = |touched, corner| record(corner, primitive, sample, [all, left], count, touched).words();
                if is_conservative {
                    let touched = |corner| Some(with_inside(Coverage::FULL, &inner, corner));
                    quads.extend(quads_of_block(part).map(|corner| quad(touched(corner), corner)));
                } else {
                    quads.extend(quads_of_block(part).map(|corner| quad(None, corner)));
                }
            }
        }
        if quads.len() >= MOST_QUADS {
            self.shade(|worker| &mut worker.squares);
        }
    }

    /// Tests a quad, and queues its remaining samples for shading.
    #[inline(always)]
    fn quad_samples(&mut self, drawn: &mut Drawn<'_>, corner: [i32; 2], coverage: SampleCoverage) {
        let tested = self.test_samples(drawn, corner, coverage);
        self.pass_samples(drawn, corner, tested);
    }

    /// Tests the clip distances and depths of a quad's samples; returns those that the primitive covers, and those in
    /// the sample mask that pass.
    #[inline(always)]
    fn test_samples(
        &mut self,
        drawn: &Drawn<'_>,
        corner: [i32; 2],
        mut covered: SampleCoverage,
    ) -> [SampleCoverage; 2] {
        if !self.worker.distances.is_empty() {
            covered = self.samples_within_distances(drawn, corner, covered);
        }
        let left = covered.intersect(self.drawn_samples);
        let Some(how) = &self.shading.depth else { return [covered, left] };
        let offset = [(corner[0] - drawn.origin[0]) as f32, (corner[1] - drawn.origin[1]) as f32];
        let tile = self.worker.corner;
        let mut passed = SampleCoverage::default();
        for sample in 0..self.raster.pattern.count() {
            let coverage = left.sample(sample as usize);
            if coverage.is_empty() {
                continue;
            }
            let tested = QuadTest {
                // The planes of samples lie below each other.
                position: [(corner[0] - tile[0]) as usize, (corner[1] - tile[1] + sample as i32 * TILE_SIZE) as usize],
                depths: drawn.local.of_samples(plane::DEPTH, offset, self.positions[sample as usize]),
                coverage,
                is_front: drawn.primitive.is_front,
                range: self.shading.state.depths,
                reference: self.shading.state.stencil_reference,
            };
            passed.put(sample as usize, self.worker.depth.test(how, &tested));
        }
        [covered, passed]
    }

    /// The samples of a quad with no negative clip distance.
    #[inline(always)]
    fn samples_within_distances(&self, drawn: &Drawn<'_>, corner: [i32; 2], covered: SampleCoverage) -> SampleCoverage {
        let offset = [(corner[0] - drawn.origin[0]) as f32, (corner[1] - drawn.origin[1]) as f32];
        let mut within = SampleCoverage::default();
        for sample in 0..self.raster.pattern.count() {
            let mut coverage = covered.sample(sample as usize);
            let position = self.positions[sample as usize];
            for distances in &self.worker.distances {
                for plane in 0..plane::COUNT {
                    let distance = distances.of_samples(plane, offset, position);
                    let is_within = bytemuck::cast(distance.simd_ge(f32x4::ZERO));
                    coverage = coverage.intersect(Coverage::of_mask(is_within));
                }
            }
            if self.raster.state.conservative {
                coverage = coverage.intersect(before_eye(drawn.local.of_samples(plane::RCP_W, offset, position)));
            }
            within.put(sample as usize, coverage);
        }
        within
    }

    /// Queues the remaining samples of a quad for shading.
    #[inline(always)]
    fn pass_samples(&mut self, drawn: &mut Drawn<'_>, corner: [i32; 2], [covered, left]: [SampleCoverage; 2]) {
        if left.is_empty() {
            return;
        }
        if !self.shading.reports_live {
            self.statistics.samples += left.count();
        }
        if self.pixel.is_none() {
            return;
        }
        let is_per_sample = self.shading.is_per_sample;
        self.statistics.pixel_invocations += if is_per_sample { left.count() } else { left.pixels().count() };
        let primitive = self.record(drawn);
        let touched = || with_inside(covered.sample(0), &drawn.inner, corner);
        let touched = self.raster.state.conservative.then(touched);
        for sample in invocations(left, is_per_sample) {
            let TileWorker { packets, closed, .. } = &mut *self.worker;
            let quad = record(corner, primitive, sample, [covered, left], self.raster.pattern.count(), touched);
            packets.push(quad, |packets| closed.append(packets));
        }
        if self.worker.closed.quads.len() >= MOST_QUADS {
            self.shade_all();
        }
    }
}

/// The samples for which the shader runs over a quad: none in particular where it runs for pixels.
#[inline(always)]
fn invocations(left: SampleCoverage, is_per_sample: bool) -> impl Iterator<Item = u32> {
    let count = if is_per_sample { 16 } else { 1 };
    (0..count).filter(move |&sample| !is_per_sample || !left.sample(sample as usize).is_empty())
}

/// The record of a quad that is shaded for a sample. Of 16 samples, which are never tested, both words have a half; in
/// conservative rasterization the second one has the pixels that are touched, and those inside.
#[inline(always)]
fn record(
    corner: [i32; 2],
    primitive: u32,
    sample: u32,
    [covered, left]: [SampleCoverage; 2],
    count: u32,
    touched: Option<u32>,
) -> Quad {
    let [low, more] = left.words();
    let high = touched.unwrap_or(if count > 8 { more } else { covered.words()[0] });
    let [x, y] = corner.map(|coordinate| coordinate as u32);
    Quad {
        corner: [x | high << 16, y | high & 0xffff_0000],
        primitive: primitive | sample << (32 - SAMPLE_BITS),
        coverage: low,
    }
}
