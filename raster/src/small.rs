//! Coverage of triangles of at most 8 x 8 pixels, as one mask of 64 bits.

use crate::edge::{Bounds, Triangle};

/// Pixels along a side of the square that a mask covers.
pub const SIZE: i32 = 8;

/// A value of an edge function whose sign is that of the whole square.
const FAR: i64 = 1 << 29;

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
        // Most are so narrow that half of a row holds them.
        let pixels = match within.right - within.left {
            ..=4 => rows::<4>(triangle, within),
            _ => rows::<8>(triangle, within),
        };
        let [right, down] = [within.left - corner[0], within.top - corner[1]];
        Some(Self { corner, quads: in_quads(pixels << (down * SIZE + right)) })
    }
}

/// The covered pixels of a rectangle that is at most so wide, 8 bits for each row.
#[inline]
fn rows<const WIDTH: usize>(triangle: &Triangle, within: Bounds) -> u64 {
    let mut values = [[0; WIDTH]; 3];
    let mut down = [0; 3];
    for ((values, down), edge) in values.iter_mut().zip(&mut down).zip(triangle.edges()) {
        // Within the square an edge function changes by less than 2^28: beyond that only the sign counts.
        let first = edge.at(within.left, within.top).clamp(-FAR, FAR) as i32;
        *values = std::array::from_fn(|n| first + edge.x * n as i32);
        *down = edge.y;
    }
    let [mut a, mut b, mut c] = values;
    let columns = (1 << (within.right - within.left)) - 1;
    let mut pixels = 0;
    for row in 0..within.bottom - within.top {
        let mut outside = 0;
        for (n, ((a, b), c)) in a.iter_mut().zip(&mut b).zip(&mut c).enumerate() {
            // Any negative value makes the sign of the whole negative.
            outside |= (*a | *b | *c) >> 31 & 1 << n;
            *a += down[0];
            *b += down[1];
            *c += down[2];
        }
        pixels |= u64::from(!outside as u32 & columns) << (8 * row);
    }
    pixels
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
