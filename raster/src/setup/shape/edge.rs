//! Evaluates edge functions: exact coverage of pixel centers by triangles, in integers.
//!
//! The top-left rule (functional specification, 3.4.2): a center inside of a triangle is covered; one on an edge is, if
//! that is a top edge (horizontal, above the rest) or a left edge. So of two triangles that share an edge exactly one
//! covers a center on it: both compute the same value for the edge but for its sign, and the one for which the edge is
//! neither top nor left subtracts 1.

use brolga_ir::pipeline::state::SamplePattern;

use crate::setup::shape::fixed::{HALF, ONE, Point, SIXTEENTH};

/// An edge function: pixel centers where [`at`](Self::at) is not negative are inside.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Edge {
    /// The step to the pixel on the right: at most 24 bits and a sign.
    pub x: i32,
    /// The step to the pixel below, likewise.
    pub y: i32,
    /// The value at pixel (0, 0).
    pub origin: i64,
}

impl Edge {
    /// The edge from one point to another of a clockwise triangle: the inside is on its right.
    pub fn between(from: Point, to: Point) -> Self {
        let [x, y] = [to.x - from.x, to.y - from.y];
        let is_top_or_left = y < 0 || (y == 0 && x > 0);
        let exact = i64::from(x) * i64::from(HALF - from.y) - i64::from(y) * i64::from(HALF - from.x);
        // From center to center the product changes by multiples of 256: the low bits never affect the sign, so the
        // rounded value is as good and takes fewer bits.
        Self { x: -y, y: x, origin: (exact - i64::from(!is_top_or_left)).div_euclid(i64::from(ONE)) }
    }

    /// The same edge for whole pixels, in conservative rasterization: moved outwards, so that a pixel is inside if any of
    /// it is, or inwards, so that one is if all of it is. It moves by half a pixel along each axis, and by 1/512 for the
    /// error of snapped vertices. An edge without length has nothing outside.
    fn of_pixels(from: Point, to: Point, is_outwards: bool) -> Self {
        let [x, y] = [to.x - from.x, to.y - from.y];
        if x == 0 && y == 0 {
            return Self::default();
        }
        let is_top_or_left = y < 0 || (y == 0 && x > 0);
        // Twice as large, for the half units of the error.
        let exact = 2 * (i64::from(x) * i64::from(HALF - from.y) - i64::from(y) * i64::from(HALF - from.x));
        let moved = i64::from(2 * HALF + 1) * i64::from(x.abs() + y.abs()) * if is_outwards { 1 } else { -1 };
        Self { x: -y, y: x, origin: (exact + moved - i64::from(!is_top_or_left)).div_euclid(2 * i64::from(ONE)) }
    }

    /// The value at a pixel's center.
    pub fn at(self, x: i32, y: i32) -> i64 {
        self.origin + i64::from(self.x) * i64::from(x) + i64::from(self.y) * i64::from(y)
    }

    /// The minimum and the maximum over a square of pixels, relative to its first pixel.
    pub fn span(self, size: i32) -> (i32, i32) {
        let size = size - 1;
        (size * (self.x.min(0) + self.y.min(0)), size * (self.x.max(0) + self.y.max(0)))
    }
}

/// A triangle with a nonzero area.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Triangle {
    /// Its vertices, clockwise.
    pub vertices: [Point; 3],
    /// Twice its area, in squares of 256ths, above 0.
    pub area: i64,
}

/// Twice the signed area of a triangle: positive if its winding is clockwise on the screen.
pub fn area(vertices: [Point; 3]) -> i64 {
    let [a, b, c] = vertices;
    let cross = |x: i32, y: i32| i64::from(x) * i64::from(y);
    cross(b.x - a.x, c.y - a.y) - cross(b.y - a.y, c.x - a.x)
}

/// Triangulates a polygon of at most 16 vertices without crossing edges into triangles of the same winding, by vertex
/// index, that cover exactly the same pixels. Snapping may have left it slightly concave: a fan would cover some pixels
/// twice.
pub fn triangulate(vertices: &[Point], mut visit: impl FnMut([usize; 3])) {
    let turn = |[a, b, c]: [usize; 3]| area([vertices[a], vertices[b], vertices[c]]);
    let area_of_all: i64 = (2..vertices.len()).map(|n| turn([0, n - 1, n])).sum();
    let is_inside = |triangle: [usize; 3]| turn(triangle) * area_of_all.signum() > 0;
    let mut indices = [0; 16];
    let mut count = vertices.len();
    (0..count).for_each(|n| indices[n] = n);
    while count >= 3 {
        let left = &indices[..count];
        let around = |n: usize| [left[(n + count - 1) % count], left[n], left[(n + 1) % count]];
        // An ear: a vertex whose neighbours see each other, with no other vertex in between.
        let is_ear = |n: &usize| {
            let [before, ear, after] = around(*n);
            let is_between = |&other: &usize| {
                is_inside([after, before, other]) && !is_inside([ear, before, other]) && !is_inside([after, ear, other])
            };
            is_inside([before, ear, after]) && !left.iter().filter(|other| !around(*n).contains(other)).any(is_between)
        };
        let flat = (0..count).find(|&n| turn(around(n)) == 0);
        let Some(n) = flat.or_else(|| (0..count).find(is_ear)) else { return };
        if flat.is_none() {
            visit(around(n));
        }
        indices.copy_within(n + 1..count, n);
        count -= 1;
    }
}

impl Triangle {
    /// The triangle of three vertices of either winding; `None` if it has no area.
    pub fn new(vertices: [Point; 3]) -> Option<Self> {
        let [a, b, c] = vertices;
        match area(vertices) {
            0 => None,
            area @ 1.. => Some(Self { vertices, area }),
            area => Some(Self { vertices: [a, c, b], area: -area }),
        }
    }

    /// Its edges: a pixel is covered if none is negative.
    pub fn edges(&self) -> [Edge; 3] {
        let [a, b, c] = self.vertices;
        [Edge::between(a, b), Edge::between(b, c), Edge::between(c, a)]
    }
}

/// The edges that whole pixels see of a triangle of either winding, or without area: a pixel is inside if any of it is.
pub fn outer_edges(vertices: [Point; 3]) -> [Edge; 3] {
    edges_of_pixels(Triangle::new(vertices).map_or(vertices, |triangle| triangle.vertices), true)
}

/// The edges that whole pixels of a triangle lie inside of; `None` if it has no area, and none inside.
pub fn inner_edges(vertices: [Point; 3]) -> Option<[Edge; 3]> {
    Triangle::new(vertices).map(|triangle| edges_of_pixels(triangle.vertices, false))
}

fn edges_of_pixels([a, b, c]: [Point; 3], is_outwards: bool) -> [Edge; 3] {
    [(a, b), (b, c), (c, a)].map(|(from, to)| Edge::of_pixels(from, to, is_outwards))
}

/// The least and the greatest offsets of a pattern's samples from the center, in sixteenths of a pixel.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct SampleExtent {
    /// To the left and up.
    pub least: [i32; 2],
    /// To the right and down.
    pub most: [i32; 2],
}

impl SampleExtent {
    /// The extent of a pattern.
    pub fn of(pattern: SamplePattern) -> Self {
        let mut extent = Self::default();
        for position in pattern.positions() {
            for (axis, &offset) in position.iter().enumerate() {
                extent.least[axis] = extent.least[axis].min(offset.into());
                extent.most[axis] = extent.most[axis].max(offset.into());
            }
        }
        extent
    }
}

/// A rectangle of pixels.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Bounds {
    /// The first column.
    pub left: i32,
    /// The first row.
    pub top: i32,
    /// The column after the last one.
    pub right: i32,
    /// The row after the last one.
    pub bottom: i32,
}

impl Bounds {
    /// A square of `size` pixels from its first pixel on.
    #[inline(always)]
    pub fn square([left, top]: [i32; 2], size: i32) -> Self {
        Self { left, top, right: left + size, bottom: top + size }
    }

    /// The pixels that a triangle may cover. A center on the right or lower edge is never covered.
    #[inline(always)]
    pub fn of(vertices: &[Point; 3]) -> Self {
        let [a, b, c] = vertices;
        let first = |a: i32, b: i32, c: i32| (a.min(b).min(c) + HALF - 1) >> 8;
        let end = |a: i32, b: i32, c: i32| (a.max(b).max(c) + HALF - 1) >> 8;
        Self {
            left: first(a.x, b.x, c.x),
            top: first(a.y, b.y, c.y),
            right: end(a.x, b.x, c.x),
            bottom: end(a.y, b.y, c.y),
        }
    }

    /// The pixels that a triangle may touch, in conservative rasterization.
    pub fn of_pixels(vertices: &[Point; 3]) -> Self {
        let [a, b, c] = vertices;
        let first = |a: i32, b: i32, c: i32| ((a.min(b).min(c) + ONE - 1) >> 8) - 1;
        let end = |a: i32, b: i32, c: i32| (a.max(b).max(c) >> 8) + 1;
        Self {
            left: first(a.x, b.x, c.x),
            top: first(a.y, b.y, c.y),
            right: end(a.x, b.x, c.x),
            bottom: end(a.y, b.y, c.y),
        }
    }

    /// The pixels of which a sample may be covered by a shape between two points.
    #[inline(always)]
    pub fn of_samples([least, most]: [Point; 2], extent: &SampleExtent) -> Self {
        let [first, last] = [&extent.most, &extent.least];
        Self {
            left: (least.x - SIXTEENTH * first[0] + HALF - 1) >> 8,
            top: (least.y - SIXTEENTH * first[1] + HALF - 1) >> 8,
            right: (most.x - SIXTEENTH * last[0] + HALF - 1) >> 8,
            bottom: (most.y - SIXTEENTH * last[1] + HALF - 1) >> 8,
        }
    }

    /// The intersection of two rectangles.
    pub fn intersect(self, other: Self) -> Self {
        Self {
            left: self.left.max(other.left),
            top: self.top.max(other.top),
            right: self.right.min(other.right),
            bottom: self.bottom.min(other.bottom),
        }
    }

    /// `true` if it has no pixel.
    pub fn is_empty(self) -> bool {
        self.left >= self.right || self.top >= self.bottom
    }
}
