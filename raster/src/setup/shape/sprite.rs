//! Rasterizes points of Direct3D 9: squares around a vertex, which cover the pixel centers inside, or on their left or
//! upper edge ("Point Sprites" and "Point Sprite Rules").

use crate::setup::shape::edge::{Bounds, Edge, SampleExtent};
use crate::setup::shape::fixed::{ONE, Point};
use crate::setup::shape::plane::ScreenVertex;

/// A square, in 256ths of a pixel.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Sprite {
    /// Its upper left corner.
    corner: Point,
    /// Its width and height.
    size: i32,
}

/// The largest size, in pixels.
const MOST_PIXELS: f32 = 8192.0;

impl Sprite {
    /// The square of a size in pixels around a point.
    pub fn new(center: Point, pixels: f32) -> Self {
        let size = (pixels.min(MOST_PIXELS) * ONE as f32).round_ties_even() as i32;
        Self { corner: Point { x: center.x - size / 2, y: center.y - size / 2 }, size }
    }

    /// The pixels of which it may cover a sample: of a single one, just those that it covers.
    pub fn bounds(&self, extent: &SampleExtent) -> Bounds {
        let Point { x, y } = self.corner;
        Bounds::of_samples([self.corner, Point { x: x + self.size, y: y + self.size }], extent)
    }

    /// Its edges as a sample sees them, in place of the center.
    pub fn edges_from(&self, sample: [i8; 2]) -> [Edge; 4] {
        let Point { x, y } = self.corner.seen_from(sample);
        let corner = |right: i32, down: i32| Point { x: x + right, y: y + down };
        let [a, b, c, d] = [corner(0, 0), corner(self.size, 0), corner(self.size, self.size), corner(0, self.size)];
        [Edge::between(a, b), Edge::between(b, c), Edge::between(c, d), Edge::between(d, a)]
    }

    /// A triangle whose barycentric coordinates are the position across and down the square: the upper left, upper
    /// right and lower left corner, with the depth and w of the vertex.
    pub fn corners(&self, vertex: &ScreenVertex) -> [ScreenVertex; 3] {
        let Point { x, y } = self.corner;
        [[0, 0], [self.size, 0], [0, self.size]]
            .map(|[across, down]| ScreenVertex { point: Point { x: x + across, y: y + down }, ..*vertex })
    }
}

/// The sizes of points.
#[derive(Clone, Copy, Debug)]
pub struct PointSizes {
    /// The word of a vertex with its size.
    pub word: Option<usize>,
    /// The size of vertices without one.
    pub default: f32,
    /// The minimum and the maximum size.
    pub range: [f32; 2],
}

impl PointSizes {
    /// The size of a point, given the words of its vertex. NaN gives the minimum.
    pub fn of(&self, row: &[u32]) -> f32 {
        let size = self.word.map_or(self.default, |word| f32::from_bits(row[word]));
        let [least, most] = self.range;
        size.max(least).min(most.max(least)).max(0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::Sprite;
    use crate::setup::shape::edge::SampleExtent;
    use crate::setup::shape::fixed::Point;

    #[test]
    fn centers_on_the_left_and_upper_side_are_covered() {
        let covered = |center: [f32; 2], pixels| {
            let bounds = Sprite::new(Point::snap(center), pixels).bounds(&SampleExtent::default());
            [bounds.left, bounds.top, bounds.right, bounds.bottom]
        };
        // Around a pixel's center.
        assert_eq!(covered([3.5, 7.5], 1.0), [3, 7, 4, 8]);
        assert_eq!(covered([3.5, 7.5], 2.0), [2, 6, 4, 8]);
        assert_eq!(covered([3.5, 7.5], 3.0), [2, 6, 5, 9]);
        // Around a corner of pixels.
        assert_eq!(covered([4.0, 4.0], 2.0), [3, 3, 5, 5]);
        // Smaller than a pixel, and between centers.
        assert_eq!(covered([4.0, 4.5], 0.5), [4, 4, 4, 5]);
        assert_eq!(covered([-0.5, -0.5], 1.0), [-1, -1, 0, 0]);
    }
}
