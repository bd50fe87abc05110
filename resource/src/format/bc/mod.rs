//! Blocks of 4 by 4 texels: functional specification 19.5.
//!
//! BC6H and BC7 must be decoded bit-exactly. For the others the specification gives formulas and a tolerance;
//! `colour.rs` (BC1 to BC3) and `scalar.rs` (BC4 and BC5) say which reading of them was chosen.

mod bc6h;
mod bc7;
mod colour;
mod partition;
mod scalar;

pub(super) use bc6h::Bc6h;
pub(super) use bc7::Bc7;
pub(super) use colour::{Bc1, Bc2, Bc3};
pub(super) use scalar::{Ati2, Bc4, Bc5};

const EXTENTS: [u32; 2] = [4, 4];

/// `count` bits of a block, fewer than 32, from bit `at` up.
fn bits(block: u128, at: u32, count: u32) -> u32 {
    (block >> at) as u32 & ((1 << count) - 1)
}

/// A texel's index among those that begin at bit `start` and take `width` bits each, or one bit less at anchors, whose
/// highest bit is 0 and left out.
fn index(block: u128, start: u32, width: u32, anchors: u16, texel: usize) -> usize {
    let anchors_before = (anchors & ((1 << texel) - 1)).count_ones();
    let is_anchor = u32::from(anchors >> texel & 1);
    bits(block, start + texel as u32 * width - anchors_before, width - is_anchor) as usize
}

/// The weight of a block's second endpoint by index, of 64, for indices of 2, 3 and 4 bits.
fn weight(index: usize, width: u32) -> i32 {
    let weights: &[i32] = match width {
        2 => &[0, 21, 43, 64],
        3 => &[0, 9, 18, 27, 37, 46, 55, 64],
        _ => &[0, 4, 9, 13, 17, 21, 26, 30, 34, 38, 43, 47, 51, 55, 60, 64],
    };
    weights[index]
}

/// Interpolates between two endpoints.
fn interpolate(first: i32, second: i32, weight: i32) -> i32 {
    (first * (64 - weight) + second * weight + 32) >> 6
}
