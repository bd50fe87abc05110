//! Culls triangles, and finds their bounds within the scissor rectangle and their edges in wireframe.

use crate::setup::clip::{self, Polygon};
use crate::setup::shape::{Bounds, Group, ScreenVertex, edge, small};
use crate::vertices::primitives::{IndexedPrimitive, Outputs};

use super::{Prepared, Primitive, Raster, Scratch, Shape};

impl Prepared {
    /// Sets up the triangles that clipping left.
    #[inline(always)]
    pub(super) fn set_up_triangles<const HAS_SAMPLES: bool>(&mut self, scratch: &mut Scratch, raster: &Raster) {
        let Scratch { left, group, .. } = scratch;
        for candidates in left.chunks(Group::SIZE) {
            for (n, candidate) in candidates.iter().enumerate() {
                let vertices = candidate.vertices.map(|vertex| &self.screen_vertices[vertex as usize]);
                match &raster.bias {
                    None => group.put(n, vertices),
                    Some(bias) => group.put(n, bias.add(vertices.map(|&vertex| vertex)).each_ref()),
                }
            }
            if HAS_SAMPLES {
                group.set_up_samples(raster.pattern);
            } else {
                group.set_up();
            }
            for (n, &candidate) in candidates.iter().enumerate() {
                self.add_triangle::<HAS_SAMPLES>(candidate, group, n, raster);
            }
        }
    }

    /// Sets up the triangles that clipping left for conservative rasterization.
    pub(super) fn touch_triangles(&mut self, scratch: &Scratch, outputs: &Outputs, raster: &Raster) {
        for &IndexedPrimitive { vertices, id } in &scratch.left {
            let triangle = self.screen_vertices_of(vertices);
            let points = triangle.map(|vertex| vertex.point);
            let bounds = Bounds::of_pixels(&points).intersect(self.area(vertices[0], raster).scissor);
            let area = edge::area(points);
            // One without area faces back, and has the clip distances of its first vertex.
            let is_front = area != 0 && (area > 0) != raster.state.front_counter_clockwise;
            let distance = |&word: &usize| f32::from_bits(self.vertices.word(vertices[0], word));
            let is_clipped = area == 0 && outputs.clip.iter().map(distance).any(|distance| distance < 0.0);
            if bounds.is_empty() || is_clipped || raster.state.cull.culls(is_front) {
                continue;
            }
            let bias = raster.bias.map_or(0.0, |bias| bias.of(&triangle));
            self.add_masks(raster, |_| 0);
            self.add(&bounds, Primitive { vertices, id, is_front, shape: Shape::Large { bounds, bias } });
        }
    }

    /// Sets up the edges of triangles for wireframe, except edges added by clipping.
    pub(super) fn outline(
        &mut self,
        primitives: &[IndexedPrimitive],
        scratch: &Scratch,
        outputs: &Outputs,
        raster: &Raster,
    ) {
        for &IndexedPrimitive { vertices, id } in primitives {
            if self.is_beyond(vertices, outputs) {
                continue;
            }
            if vertices.iter().all(|&vertex| scratch.is_on_screen[vertex as usize]) {
                self.statistics.clipper_primitives += 1;
                if let Some((is_front, bias)) = self.facing(&vertices, raster) {
                    for ends in [[0, 1], [1, 2], [2, 0]] {
                        self.add_line(IndexedPrimitive { vertices, id }, is_front, ends, bias, raster);
                    }
                }
                continue;
            }
            let (positions, planes) = self.in_clip_space(vertices, outputs, raster);
            if clip::is_outside(&positions, planes) {
                continue;
            }
            let polygon = Polygon::new(&positions, planes);
            let count = polygon.vertices().len();
            let Some(first) = self.add_cut(polygon.vertices(), vertices, outputs, raster).filter(|_| count >= 3) else {
                continue;
            };
            self.statistics.clipper_primitives += count as u64 - 2;
            let indices: [u32; Polygon::MOST_VERTICES] = std::array::from_fn(|n| first + n as u32);
            let Some((is_front, bias)) = self.facing(&indices[..count], raster) else { continue };
            for (n, _) in polygon.vertices().iter().enumerate().filter(|(_, vertex)| vertex.is_on_edge()) {
                // Every vertex has the provoking one's constant attributes.
                let vertices = [indices[n], indices[(n + 1) % count], indices[n]];
                self.add_line(IndexedPrimitive { vertices, id }, is_front, [0, 1], bias, raster);
            }
        }
    }

    /// The facing and the depth bias of a polygon on the screen: `true` if front-facing, which one without area is not.
    /// `None` if it is culled.
    fn facing(&self, vertices: &[u32], raster: &Raster) -> Option<(bool, f32)> {
        let vertex = |n: usize| self.screen_vertices[vertices[n] as usize];
        let triangles = (2..vertices.len()).map(|n| [vertex(0), vertex(n - 1), vertex(n)]);
        let area = |triangle: &[ScreenVertex; 3]| edge::area(triangle.map(|vertex| vertex.point));
        let whole: i64 = triangles.clone().map(|triangle| area(&triangle)).sum();
        let is_front = whole != 0 && (whole > 0) != raster.state.front_counter_clockwise;
        if raster.state.cull.culls(is_front) {
            return None;
        }
        // All lie in one plane; the largest gives it best.
        let largest = triangles.max_by_key(|triangle| area(triangle).abs());
        let bias = largest.zip(raster.bias).map_or(0.0, |(triangle, bias)| bias.of(&triangle));
        Some((is_front, bias))
    }

    /// Adds a triangle that was set up in a group, unless it covers nothing.
    #[inline(always)]
    fn add_triangle<const HAS_SAMPLES: bool>(
        &mut self,
        IndexedPrimitive { vertices, id }: IndexedPrimitive,
        group: &Group,
        n: usize,
        raster: &Raster,
    ) {
        let whole = group.bounds(n);
        let bounds = whole.intersect(self.area(vertices[0], raster).scissor);
        if bounds.is_empty() {
            return;
        }
        let (shape, is_clockwise) = match group.small(n) {
            Some((mut small, is_clockwise)) => {
                if bounds != whole {
                    small.quads &= small::within(small.corner, &bounds);
                }
                if small.quads == 0 {
                    return;
                }
                (Shape::Small(small), is_clockwise)
            }
            None => {
                let triangle = self.screen_vertices_of(vertices);
                let area = edge::area(triangle.map(|vertex| vertex.point));
                // A triangle without area covers nothing.
                if area == 0 {
                    return;
                }
                let bias = raster.bias.map_or(0.0, |bias| bias.of(&triangle));
                (Shape::Large { bounds, bias }, area > 0)
            }
        };
        let is_front = is_clockwise != raster.state.front_counter_clockwise;
        if !raster.state.cull.culls(is_front) {
            if HAS_SAMPLES {
                let is_small = matches!(shape, Shape::Small(_));
                let mask = |sample| if is_small { group.mask(n, sample) } else { 0 };
                // Those of the union may be fewer, within the scissor rectangle: they decide.
                self.masks.extend((0..raster.pattern.count() as usize).map(mask));
            }
            self.add(&bounds, Primitive { vertices, id, is_front, shape });
        }
    }
}
