//! Coverage of triangles of at most 8 x 8 pixels, as one mask of 64 bits.

use crate::edge::{Bounds, Triangle};

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
    /// The mask of a triangle within a rectangle of pixels, which is its bounds or a part of them. None if it does not fit the square.
    pub fn new(triangle: &Triangle, within: Bounds) -> Option<Self> {
        let corner = [within.left & !1, within.top & !1];
        if within.right - corner[0] > SIZE || within.bottom - corner[1] > SIZE {
            return None;
        }
        let edges = triangle.edges();
        let mut row = edges.map(|edge| edge.at(within.left, within.top));
        let mut pixels = 0_u64;
        for y in within.top..within.bottom {
            let mut value = row;
            for x in within.left..within.right {
                let is_covered = (value[0] | value[1] | value[2]) >= 0;
                pixels |= u64::from(is_covered) << ((y - corner[1]) * SIZE + x - corner[0]);
                value = [0, 1, 2].map(|n| value[n] + i64::from(edges[n].x));
            }
            row = [0, 1, 2].map(|n| row[n] + i64::from(edges[n].y));
        }
        Some(Self { corner, quads: in_quads(pixels) })
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
