//! Coverage of triangles of at most 8 x 8 pixels, as one mask of 64 bits.

use crate::edge::{Bounds, Triangle};
use crate::fixed::{HALF, ONE};

/// Pixels along a side of the square that a mask covers.
pub const SIZE: i32 = 8;

/// The covered pixels of a small triangle.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Mask {
    /// The square's first pixel: both even, so that quads are whole.
    pub corner: [i32; 2],
    /// Four bits for each of 4 x 4 quads, row by row: upper left, upper right, lower left, lower right pixel.
    pub quads: u64,
}

impl Mask {
    /// The mask of a triangle with these bounds within a part of them. None if they do not fit the square: that does not depend on the
    /// part, so that planes around its corner do not.
    pub fn new(triangle: &Triangle, whole: Bounds, within: Bounds) -> Option<Self> {
        let corner = [whole.left & !1, whole.top & !1];
        if whole.right - corner[0] > SIZE || whole.bottom - corner[1] > SIZE {
            return None;
        }
        let edges = Edges::new(triangle, within)?;
        let mut row = edges.first;
        let mut pixels = 0_u64;
        let mut shift = (within.top - corner[1]) * SIZE + within.left - corner[0];
        for _ in within.top..within.bottom {
            let mut value = row;
            let mut bits = 0_u64;
            for n in 0..within.right - within.left {
                let is_covered = (value[0] | value[1] | value[2]) >= 0;
                bits |= u64::from(is_covered) << n;
                value = [0, 1, 2].map(|n| value[n] + edges.x[n]);
            }
            pixels |= bits << shift;
            shift += SIZE;
            row = [0, 1, 2].map(|n| row[n] + edges.y[n]);
        }
        Some(Self { corner, quads: in_quads(pixels) })
    }
}

/// The edge functions of a triangle near a square, which take 32 bits there: [`Edge`](crate::edge::Edge) has the rule.
struct Edges {
    /// What a pixel to the right adds to each.
    x: [i32; 3],
    /// What a pixel below adds.
    y: [i32; 3],
    /// Their values at the first pixel.
    first: [i32; 3],
}

impl Edges {
    /// None if a corner is so far from the first pixel that numbers would not fit.
    fn new(triangle: &Triangle, within: Bounds) -> Option<Self> {
        const FAR: i32 = 1 << 14;
        let [left, top] = [within.left, within.top].map(|place| place * ONE + HALF);
        let corners = triangle.corners.map(|corner| [corner.x - left, corner.y - top]);
        if corners.as_flattened().iter().any(|way| way.abs() >= FAR) {
            return None;
        }
        let ends = [[0, 1], [1, 2], [2, 0]].map(|places| places.map(|n| corners[n]));
        let ways = ends.map(|[from, to]| [to[0] - from[0], to[1] - from[1]]);
        let first = [0, 1, 2].map(|n| {
            let ([x, y], [from, _]) = (ways[n], ends[n]);
            let is_top_or_left = y < 0 || (y == 0 && x > 0);
            // At the first pixel's center; rounding down changes no sign, as pixels add multiples of 256.
            (y * from[0] - x * from[1] - i32::from(!is_top_or_left)) >> 8
        });
        Some(Self { x: ways.map(|[_, y]| -y), y: ways.map(|[x, _]| x), first })
    }
}

/// Brings pixels that lie row by row into the order of quads.
fn in_quads(rows: u64) -> u64 {
    // Pairs of pixels with room for two after each: those of even rows, and those of the rows below them.
    let spread = |pairs: u64| {
        let halves = (pairs | pairs << 4) & 0x0f0f_0f0f_0f0f_0f0f;
        (halves | halves << 2) & 0x3333_3333_3333_3333
    };
    let even = 0x00ff_00ff_00ff_00ff;
    spread(rows & even) | spread(rows >> 8 & even) << 2
}
