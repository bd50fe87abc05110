//! Rasterizes lines as rectangles of two triangles, as `MultisampleEnable` asks (functional specification, 3.4.5 and
//! 15.14.1).

use crate::setup::shape::edge::{Bounds, Edge, SampleExtent};
use crate::setup::shape::fixed::{ONE, Point};

/// Half of a line's width, in 256ths of a pixel.
const HALF_WIDTH: f64 = 0.7 * ONE as f64;

/// A line's rectangle.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct WideLine {
    /// Its corners, clockwise, each snapped so that opposite edges stay parallel.
    corners: [Point; 4],
}

impl WideLine {
    /// The rectangle of a line between two points; `None` if it has no length.
    pub fn new(from: Point, to: Point) -> Option<Self> {
        let [right, down] = [to.x - from.x, to.y - from.y].map(f64::from);
        // Squares of 25 bits: their sum is exact.
        let length = (right * right + down * down).sqrt();
        let aside = [-down, right].map(|component| (component * HALF_WIDTH / length).round_ties_even() as i32);
        let moved = |point: Point, sign: i32| Point { x: point.x + sign * aside[0], y: point.y + sign * aside[1] };
        (length > 0.0).then(|| Self { corners: [moved(from, -1), moved(to, -1), moved(to, 1), moved(from, 1)] })
    }

    /// Its edges: a pixel is covered if none is negative, as by two triangles that share a diagonal.
    pub fn edges(&self) -> [Edge; 4] {
        let [a, b, c, d] = self.corners;
        [Edge::between(a, b), Edge::between(b, c), Edge::between(c, d), Edge::between(d, a)]
    }

    /// Its corners, clockwise.
    pub fn corners(&self) -> [Point; 4] {
        self.corners
    }

    /// Its edges as a sample sees them, in place of the center.
    pub fn edges_from(&self, sample: [i8; 2]) -> [Edge; 4] {
        Self { corners: self.corners.map(|corner| corner.seen_from(sample)) }.edges()
    }

    /// The bounding rectangle of the pixels with samples inside or on an edge.
    pub fn bounds(&self, extent: &SampleExtent) -> Bounds {
        let [x, y] = [self.corners.map(|corner| corner.x), self.corners.map(|corner| corner.y)];
        let least = |coordinates: [i32; 4]| coordinates.into_iter().fold(i32::MAX, i32::min);
        let most = |coordinates: [i32; 4]| coordinates.into_iter().fold(i32::MIN, i32::max);
        let end = Point { x: most(x) + 1, y: most(y) + 1 };
        Bounds::of_samples([Point { x: least(x), y: least(y) }, end], extent)
    }
}

#[cfg(test)]
mod tests {
    use brolga_testing_base::random::Random;

    use super::WideLine;
    use crate::setup::shape::edge::SampleExtent;
    use crate::setup::shape::fixed::{HALF, ONE, Point};

    /// Pixels whose center is inside in doubles, and not nearer to an edge than snapping may move that, are covered;
    /// those outside by as much are not, and none is beyond the bounds.
    #[test]
    fn what_is_within_seven_tenths_is_covered() {
        let mut random = Random(1);
        for _ in 0..400 {
            let [from, to] = [(); 2].map(|()| [(); 2].map(|()| random.below(20 * 256) as i32 - 256));
            let point = |[x, y]: [i32; 2]| Point { x, y };
            let Some(line) = WideLine::new(point(from), point(to)) else { continue };
            let direction = [0, 1].map(|axis| f64::from(to[axis] - from[axis]));
            let length = direction[0].hypot(direction[1]);
            let bounds = line.bounds(&SampleExtent::default());
            for (x, y) in (-4..24).flat_map(|y| (-4..24).map(move |x| (x, y))) {
                let to_center = [x, y].map(|coordinate| f64::from(coordinate * ONE + HALF));
                let [right, down] = [0, 1].map(|axis| to_center[axis] - f64::from(from[axis]));
                let along = (right * direction[0] + down * direction[1]) / length;
                let aside = (down * direction[0] - right * direction[1]) / length;
                // In 256ths, the distance from the nearest edge, positive inside.
                let inside = along.min(length - along).min(0.7 * 256.0 - aside.abs());
                let is_covered = line.edges().iter().all(|edge| edge.at(x, y) >= 0);
                assert!(inside.abs() < 2.0 || is_covered == (inside > 0.0), "{from:?} {to:?} ({x}, {y}): {inside}");
                let is_in_bounds = (bounds.left..bounds.right).contains(&x) && (bounds.top..bounds.bottom).contains(&y);
                assert!(!is_covered || is_in_bounds, "{from:?} {to:?} ({x}, {y})");
            }
        }
        let nothing = Point { x: 7, y: 9 };
        assert_eq!(WideLine::new(nothing, nothing), None);
    }
}
