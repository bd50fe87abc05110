//! Culls triangles, and finds their bounds within the scissor rectangle and their edges in wireframe.

use crate::setup::clip::{self, Polygon};
use crate::setup::shape::{Corner, Group, edge, small};
use crate::vertices::primitives::{IndexedPrimitive, Outputs};

use super::{Prepared, Primitive, Raster, Scratch, Shape};

impl Prepared {
    /// Sets up the triangles that clipping left.
    #[inline(always)]
    pub(super) fn set_up_triangles(&mut self, scratch: &mut Scratch, raster: &Raster) {
        let Scratch { left, group, .. } = scratch;
        for candidates in left.chunks(Group::SIZE) {
            for (n, candidate) in candidates.iter().enumerate() {
                let corners = candidate.vertices.map(|vertex| &self.corners[vertex as usize]);
                match &raster.bias {
                    None => group.put(n, corners),
                    Some(bias) => group.put(n, bias.add(corners.map(|&corner| corner)).each_ref()),
                }
            }
            group.set_up();
            for (n, &candidate) in candidates.iter().enumerate() {
                self.add_triangle(candidate, group, n, raster);
            }
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
            if vertices.iter().all(|&vertex| scratch.places[vertex as usize]) {
                self.statistics.clipper_primitives += 1;
                if let Some((is_front, bias)) = self.side(&vertices, raster) {
                    for ends in [[0, 1], [1, 2], [2, 0]] {
                        self.add_line(IndexedPrimitive { vertices, id }, is_front, ends, bias, raster);
                    }
                }
                continue;
            }
            let (corners, planes) = self.in_clip_space(vertices, outputs, raster);
            if clip::is_outside(&corners, planes) {
                continue;
            }
            let polygon = Polygon::new(&corners, planes);
            let count = polygon.vertices().len();
            let Some(first) = self.add_cut(polygon.vertices(), vertices, outputs, raster).filter(|_| count >= 3) else {
                continue;
            };
            self.statistics.clipper_primitives += count as u64 - 2;
            let places: [u32; Polygon::MOST_VERTICES] = std::array::from_fn(|n| first + n as u32);
            let Some((is_front, bias)) = self.side(&places[..count], raster) else { continue };
            for (n, _) in polygon.vertices().iter().enumerate().filter(|(_, vertex)| vertex.is_on_edge()) {
                // Every vertex has the provoking one's constant attributes.
                let vertices = [places[n], places[(n + 1) % count], places[n]];
                self.add_line(IndexedPrimitive { vertices, id }, is_front, [0, 1], bias, raster);
            }
        }
    }

    /// The facing and the depth bias of a polygon on the screen: `true` if front-facing, which one without area is not.
    /// `None` if it is culled.
    fn side(&self, places: &[u32], raster: &Raster) -> Option<(bool, f32)> {
        let corner = |n: usize| self.corners[places[n] as usize];
        let triangles = (2..places.len()).map(|n| [corner(0), corner(n - 1), corner(n)]);
        let area = |corners: &[Corner; 3]| edge::area(corners.map(|corner| corner.point));
        let whole: i64 = triangles.clone().map(|corners| area(&corners)).sum();
        let is_front = whole != 0 && (whole > 0) != raster.state.front_counter_clockwise;
        if raster.state.cull.takes(is_front) {
            return None;
        }
        // All lie in one plane; the largest gives it best.
        let greatest = triangles.max_by_key(|corners| area(corners).abs());
        let bias = greatest.zip(raster.bias).map_or(0.0, |(corners, bias)| bias.of(&corners));
        Some((is_front, bias))
    }

    /// Adds a triangle that was set up in a group, unless it covers nothing.
    #[inline(always)]
    fn add_triangle(
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
                let corners = self.corners_of(vertices);
                let area = edge::area(corners.map(|corner| corner.point));
                // A triangle without area covers nothing.
                if area == 0 {
                    return;
                }
                let bias = raster.bias.map_or(0.0, |bias| bias.of(&corners));
                (Shape::Large { bounds, bias }, area > 0)
            }
        };
        let is_front = is_clockwise != raster.state.front_counter_clockwise;
        if !raster.state.cull.takes(is_front) {
            self.add(&bounds, Primitive { vertices, id, is_front, shape });
        }
    }
}
