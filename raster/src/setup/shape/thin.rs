//! Rasterizes aliased lines and points of one pixel, in exact integers (functional specification, 3.4.3 and 3.4.6).
//!
//! By the diamond exit rule a line covers a pixel if it leaves the pixel's *diamond* between its start and its end. The
//! diamond is the set of points less than half a pixel away from the center in |x| + |y|. It includes its two lower
//! edges and the corner between them; for steep lines, the right corner too.
//!
//! An endless line passes one diamond in every column, or in every row if it is steep: the one whose vertical
//! (horizontal) diagonal it meets, of which only the lower (right) end is in the diamond. So the pixels of a line lie
//! between two edges, a pixel apart, and between two columns. These are the first and the last whose centers it passes;
//! a start that is already in the diamond of the column before adds that, and an end that is still in the last one's
//! removes it.

use crate::setup::shape::edge::{Bounds, Edge};
use crate::setup::shape::fixed::{HALF, ONE, Point};

/// The pixel that a point covers: the one with its center in the point's square of one pixel, upper and left edges
/// included.
pub fn pixel(center: Point) -> [i32; 2] {
    [center.x, center.y].map(|coordinate| (coordinate - 1).div_euclid(ONE))
}

/// A line that covers something.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Line {
    /// `true` if it is longer vertically. Then *along* it is down, and *across* to the right; otherwise the other way
    /// round.
    is_steep: bool,
    /// A point on it, along and across, in 256ths.
    from: [i64; 2],
    /// Its direction from there, forwards or backwards: more than 0 along it, and no more across than along.
    step: [i64; 2],
    /// The first and the last pixel along it.
    pixels: [i32; 2],
}

impl Line {
    /// The line between two points, perhaps with the pixel in whose diamond it ends, as Direct3D 9 has it by default
    /// (`D3DRS_LASTPIXEL`); `None` if it covers nothing.
    pub fn new(from: Point, to: Point, has_last: bool) -> Option<Self> {
        let is_steep = (to.y - from.y).abs() > (to.x - from.x).abs();
        let along_first = |point: Point| if is_steep { [point.y, point.x] } else { [point.x, point.y] };
        let [start, end] = [along_first(from), along_first(to)];
        let direction = [0, 1].map(|axis| i64::from(end[axis] - start[axis]));
        let sign = direction[0].signum();
        if sign == 0 {
            return None;
        }
        let mut line =
            Self { is_steep, from: start.map(i64::from), step: direction.map(|step| step * sign), pixels: [0; 2] };
        // The first pixel whose center is not before a coordinate, and the last one whose center is not after it.
        let not_before = |coordinate: i32| (coordinate + HALF - 1).div_euclid(ONE);
        let not_after = |coordinate: i32| (coordinate - HALF).div_euclid(ONE);
        let is_forwards = sign > 0;
        let (forwards, first, last) = if is_forwards {
            (1, not_before(start[0]), not_after(end[0]))
        } else {
            (-1, not_after(start[0]), not_before(end[0]))
        };
        let first = if line.is_in_diamond(from, first - forwards) { first - forwards } else { first };
        let ends_in = |along| line.is_in_diamond(to, along);
        let last = match has_last {
            true if ends_in(last + forwards) => last + forwards,
            false if ends_in(last) => last - forwards,
            _ => last,
        };
        line.pixels = if is_forwards { [first, last] } else { [last, first] };
        (line.pixels[0] <= line.pixels[1]).then_some(line)
    }

    /// The pixel across, where the line passes the center of a pixel along it.
    fn across(&self, along: i32) -> i32 {
        let ([from, level], [step, rise]) = (self.from, self.step);
        let center = i64::from(along) * i64::from(ONE) + i64::from(HALF);
        // Its coordinate times `step`. A center is up to half a pixel before it, and less than that after it.
        let coordinate = level * step + (center - from) * rise;
        (coordinate - 1).div_euclid(i64::from(ONE) * step) as i32
    }

    /// `true` if a point is in the diamond that the line passes at a pixel along it.
    fn is_in_diamond(&self, point: Point, along: i32) -> bool {
        let across = self.across(along);
        let center = Point::center(if self.is_steep { [across, along] } else { [along, across] });
        let [right, down] = [point.x - center.x, point.y - center.y];
        let is_at_right_corner = right == HALF && down == 0;
        match (right.abs() + down.abs()).cmp(&HALF) {
            std::cmp::Ordering::Less => true,
            std::cmp::Ordering::Equal => down > 0 || (self.is_steep && is_at_right_corner),
            std::cmp::Ordering::Greater => false,
        }
    }

    /// The edges that bound it: a pixel between its first and last along it is covered if neither is negative.
    pub fn edges(&self) -> [Edge; 2] {
        let ([from, level], [step, rise]) = (self.from, self.step);
        // As in `across`, at pixel 0. A pixel along the line adds `ONE * rise`; a pixel across is covered if it begins
        // before the coordinate, and ends at or after it.
        let coordinate = level * step + (i64::from(HALF) - from) * rise;
        let edge = |along: i64, across: i64, value: i64| {
            let [x, y] = if self.is_steep { [across, along] } else { [along, across] }.map(|step| step as i32);
            // All else is a multiple of 256, as in edges of triangles.
            Edge { x, y, origin: value.div_euclid(i64::from(ONE)) }
        };
        [edge(rise, -step, coordinate - 1), edge(-rise, step, i64::from(ONE) * step - coordinate)]
    }

    /// The bounding rectangle of its pixels.
    pub fn bounds(&self) -> Bounds {
        let [first, last] = self.pixels;
        let [one, other] = [self.across(first), self.across(last)];
        let across = [one.min(other), one.max(other)];
        let [[left, right], [top, bottom]] = if self.is_steep { [across, self.pixels] } else { [self.pixels, across] };
        Bounds { left, top, right: right + 1, bottom: bottom + 1 }
    }
}
