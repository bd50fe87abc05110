//! Clips a batch's primitives against planes, and culls them by clip and cull distances.

use crate::setup::clip::{self, Polygon, Segment};
use crate::setup::shape::{Point, edge};
use crate::setup::viewport::{Plane, TRANSFORMED_PLANES, Viewport};
use crate::state::Kind;
use crate::vertices::primitives::{IndexedPrimitive, Outputs, Vertices};

use super::{Prepared, Raster, Scratch};

impl Prepared {
    /// `true` if distances cull a primitive as a whole (functional specification, 15.4.1 and 15.4.2). NaN counts as
    /// beyond a cull distance; as a clip distance it culls the primitive.
    pub(super) fn is_beyond(&self, vertices: [u32; 3], outputs: &Outputs) -> bool {
        let distances = |word: usize| vertices.map(|vertex| f32::from_bits(self.vertices.word(vertex, word)));
        let is_beyond = |distance: f32| distance < 0.0 || distance.is_nan();
        outputs.cull.iter().any(|&word| distances(word).into_iter().all(is_beyond))
            || outputs.clip.iter().any(|&word| {
                let distances = distances(word);
                distances.iter().any(|distance| distance.is_nan()) || distances.iter().all(|&distance| distance < 0.0)
            })
    }

    /// Collects the primitives that are left: clipped ones are replaced by their pieces.
    #[inline(always)]
    pub(super) fn cut(
        &mut self,
        kind: Kind,
        primitives: &[IndexedPrimitive],
        scratch: &mut Scratch,
        outputs: &Outputs,
        raster: &Raster,
    ) {
        let Scratch { is_on_screen, left, .. } = scratch;
        left.clear();
        let has_distances = !(outputs.clip.is_empty() && outputs.cull.is_empty());
        for &primitive in primitives {
            if has_distances && self.is_beyond(primitive.vertices, outputs) {
                continue;
            }
            if raster.drops_far && kind == Kind::Triangle && self.is_far(primitive.vertices, outputs) {
                continue;
            }
            if primitive.vertices.iter().all(|&vertex| is_on_screen[vertex as usize]) {
                left.push(primitive);
            } else {
                self.clip(kind, primitive, outputs, raster, left);
            }
        }
        self.statistics.clipper_primitives = left.len() as u64;
    }

    /// `true` if a triangle is entirely beyond twice the extent of the view volume at one of its sides: at least half the
    /// viewport away from it, whatever positions are rounded to.
    #[inline(always)]
    fn is_far(&self, vertices: [u32; 3], outputs: &Outputs) -> bool {
        let positions = vertices.map(|vertex| self.vertices.floats(vertex, outputs.position));
        let all = |is_beyond: fn([f32; 4]) -> bool| positions.iter().all(|&position| is_beyond(position));
        all(|[x, _, _, w]| x > 2.0 * w)
            || all(|[x, _, _, w]| x < -2.0 * w)
            || all(|[_, y, _, w]| y > 2.0 * w)
            || all(|[_, y, _, w]| y < -2.0 * w)
    }

    /// Clips a primitive, and collects its pieces.
    fn clip(
        &mut self,
        kind: Kind,
        IndexedPrimitive { vertices, id }: IndexedPrimitive,
        outputs: &Outputs,
        raster: &Raster,
        left: &mut Vec<IndexedPrimitive>,
    ) {
        let (positions, planes) = self.in_clip_space(vertices, outputs, raster);
        if clip::is_outside(&positions, planes) {
            return;
        }
        match kind {
            // It was entirely inside, or is not there.
            Kind::Point => (),
            Kind::Line => {
                let segment = Segment::new([positions[0], positions[1]], planes);
                if let Some(first) = segment.and_then(|cut| self.add_cut(cut.ends(), vertices, outputs, raster)) {
                    left.push(IndexedPrimitive { vertices: [first, first + 1, first], id });
                }
            }
            Kind::Triangle if clip::is_edge_on(&positions) && !raster.state.conservative => (),
            Kind::Triangle => {
                let polygon = Polygon::new(&positions, planes);
                let Some(first) = self.add_cut(polygon.vertices(), vertices, outputs, raster) else { return };
                // Every vertex has the provoking one's constant attributes, so any triangulation will do.
                let count = polygon.vertices().len();
                let mut points = [Point::default(); Polygon::MOST_VERTICES];
                for (point, vertex) in points.iter_mut().zip(&self.screen_vertices[first as usize..]) {
                    *point = vertex.point;
                }
                edge::triangulate(&points[..count], |indices| {
                    left.push(IndexedPrimitive { vertices: indices.map(|index| first + index as u32), id });
                });
            }
        }
    }

    /// The positions of a primitive's vertices in the space where it is clipped, and its clip planes. For transformed
    /// vertices w is 1, or NaN if they are not drawn.
    pub(super) fn in_clip_space<'a>(
        &self,
        vertices: [u32; 3],
        outputs: &Outputs,
        raster: &'a Raster,
    ) -> ([[f32; 4]; 3], &'a [Plane]) {
        let positions = vertices.map(|vertex| self.vertices.floats(vertex, outputs.position));
        if !raster.is_transformed {
            return (positions, &self.area(vertices[0], raster).planes);
        }
        let on_screen = |[x, y, z, rcp_w]: [f32; 4]| [x, y, z, Viewport::reciprocal(rcp_w).map_or(f32::NAN, |_| 1.0)];
        (positions.map(on_screen), &TRANSFORMED_PLANES)
    }

    /// Adds the vertices that clipping made of a primitive's; returns the index of the first. `None` if one cannot be
    /// projected.
    pub(super) fn add_cut(
        &mut self,
        made: &[clip::Vertex],
        vertices: [u32; 3],
        outputs: &Outputs,
        raster: &Raster,
    ) -> Option<u32> {
        let mut w = vertices.map(|vertex| self.vertices.floats(vertex, outputs.position)[3]);
        let rcp_w = w.map(|rcp_w| Viewport::reciprocal(rcp_w).unwrap_or(1.0));
        if raster.is_transformed {
            w = rcp_w.map(|rcp_w| 1.0 / rcp_w);
        }
        let first = self.screen_vertices.len() as u32;
        let viewport = self.area(vertices[0], raster).viewport;
        for &vertex in made {
            let (vertex, screen_vertex) = if raster.is_transformed {
                let vertex = vertex.with_reciprocals(rcp_w);
                (vertex, Viewport::take_transformed(vertex.projected()))
            } else {
                (vertex, viewport.map_divided(vertex.projected().into()))
            };
            let Some(screen_vertex) = screen_vertex else {
                self.screen_vertices.truncate(first as usize);
                self.vertices.truncate(first as usize);
                return None;
            };
            self.screen_vertices.push(screen_vertex);
            let bits = |all: &Vertices, word| vertices.map(|vertex| all.word(vertex, word));
            self.vertices.push(|all, word| vertex.attribute(bits(all, word), w, outputs.modes[word]));
        }
        Some(first)
    }
}
