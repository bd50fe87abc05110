//! Bounds lines and points by the pixels that they may cover within the scissor rectangle.

use crate::setup::shape::{Bounds, Line, Local, SampleExtent, Small, Sprite, WideLine, small, thin};
use crate::vertices::primitives::IndexedPrimitive;

use super::{Prepared, Primitive, Raster, Scratch, Shape};

impl Prepared {
    /// Adds the line between two vertices of a primitive, unless it covers nothing.
    pub(super) fn add_line(
        &mut self,
        IndexedPrimitive { vertices, id }: IndexedPrimitive,
        is_front: bool,
        ends: [u8; 2],
        bias: f32,
        raster: &Raster,
    ) {
        let [from, to] = ends.map(|end| self.screen_vertices[vertices[usize::from(end)] as usize].point);
        let bounds = if raster.has_wide_lines {
            WideLine::new(from, to).map(|line| line.bounds(&SampleExtent::of(raster.pattern)))
        } else {
            Line::new(from, to, raster.has_last_pixels).map(|line| line.bounds())
        };
        let bounds = bounds.map(|bounds| bounds.intersect(self.area(vertices[0], raster).scissor));
        if let Some(bounds) = bounds.filter(|bounds| !bounds.is_empty()) {
            self.add_masks(raster, |_| 0);
            self.add(&bounds, Primitive { vertices, id, is_front, shape: Shape::Line { bounds, ends, bias } });
        }
    }

    /// Sets up the lines that clipping left, none of which is culled.
    pub(super) fn set_up_lines(&mut self, scratch: &Scratch, raster: &Raster) {
        scratch.left.iter().for_each(|&line| self.add_line(line, true, [0, 1], 0.0, raster));
    }

    /// Sets up the points that clipping left, none of which is culled.
    pub(super) fn set_up_points(&mut self, scratch: &Scratch, raster: &Raster) {
        for &IndexedPrimitive { vertices, id } in &scratch.left {
            let vertex = &self.screen_vertices[vertices[0] as usize];
            let scissor = self.area(vertices[0], raster).scissor;
            let (bounds, shape) = if let Some(sizes) = &raster.points {
                let sprite = Sprite::new(vertex.point, sizes.of(self.vertices.row(vertices[0])));
                let bounds = sprite.bounds(&SampleExtent::of(raster.pattern)).intersect(scissor);
                (bounds, Shape::Sprite { bounds, sprite })
            } else if raster.pattern.count() > 1 {
                self.add_point(IndexedPrimitive { vertices, id }, scissor, raster);
                continue;
            } else {
                let pixel = thin::pixel(vertex.point);
                let shape = Shape::Small(Small::of_pixel(pixel, Local::of_point(vertex)));
                (Bounds::square(pixel, 1).intersect(scissor), shape)
            };
            if !bounds.is_empty() {
                self.add_masks(raster, |_| 0);
                self.add(&bounds, Primitive { vertices, id, is_front: true, shape });
            }
        }
    }

    /// Adds a point over pixels of several samples: a square around it covers each of them in one pixel, of up to four
    /// (functional specification, 3.4.6).
    fn add_point(&mut self, IndexedPrimitive { vertices, id }: IndexedPrimitive, scissor: Bounds, raster: &Raster) {
        let vertex = self.screen_vertices[vertices[0] as usize];
        let positions = raster.pattern.positions();
        let pixel = |sample: usize| thin::pixel(vertex.point.seen_from(positions[sample]));
        let [left, top] =
            [0, 1].map(|axis| (0..positions.len()).map(|sample| pixel(sample)[axis]).fold(i32::MAX, i32::min));
        let corner = small::square(left, top);
        let within = small::within(corner, &scissor);
        let mask = |sample: usize| {
            let [x, y] = pixel(sample);
            1_u64 << small::bit(x - corner[0], y - corner[1]) & within
        };
        let quads = (0..positions.len()).map(mask).fold(0, |all, mask| all | mask);
        if quads != 0 {
            let bounds = small::area(corner, quads).intersect(scissor);
            let shape = Shape::Small(Small { corner, quads, planes: Local::of_point(&vertex) });
            self.add_masks(raster, mask);
            self.add(&bounds, Primitive { vertices, id, is_front: true, shape });
        }
    }

    /// Adds the masks of a primitive's samples if there are several.
    pub(super) fn add_masks(&mut self, raster: &Raster, mask: impl Fn(usize) -> u64) {
        if raster.pattern.count() > 1 {
            self.masks.extend((0..raster.pattern.count() as usize).map(mask));
        }
    }
}
