//! Bounds lines and points by the pixels that they may cover within the scissor rectangle.

use crate::setup::shape::{Bounds, Line, Local, Small, Sprite, WideLine, thin};
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
            WideLine::new(from, to).map(|line| line.bounds())
        } else {
            Line::new(from, to, raster.has_last_pixels).map(|line| line.bounds())
        };
        let bounds = bounds.map(|bounds| bounds.intersect(self.area(vertices[0], raster).scissor));
        if let Some(bounds) = bounds.filter(|bounds| !bounds.is_empty()) {
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
                let bounds = sprite.bounds().intersect(scissor);
                (bounds, Shape::Sprite { bounds, sprite })
            } else {
                let pixel = thin::pixel(vertex.point);
                let shape = Shape::Small(Small::of_pixel(pixel, Local::of_point(vertex)));
                (Bounds::square(pixel, 1).intersect(scissor), shape)
            };
            if !bounds.is_empty() {
                self.add(&bounds, Primitive { vertices, id, is_front: true, shape });
            }
        }
    }
}
