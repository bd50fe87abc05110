//! Decodes compressed blocks of 4 by 4 texels: functional specification 19.5.
//!
//! BC6H and BC7 must be decoded bit-exactly. For the others the specification gives formulas and a tolerance;
//! `colour.rs` (BC1 to BC3) and `scalar.rs` (BC4 and BC5) state the reading that was chosen.
//!
//! A codec decodes the shared parts of a block into palettes, from which an expanded texel is a look-up or two, in
//! integers alone, and words are made of expanded texels.

mod bc6h;
mod bc7;
mod colour;
mod partition;
mod scalar;

pub(super) use bc6h::Bc6h;
pub(super) use bc7::Bc7;
pub(super) use colour::{Bc1, Bc2, Bc3};
pub(super) use scalar::{Ati2, Bc4, Bc5};

use super::codec::{Described, Encoding, Words};
use super::convert::decode_component;

const EXTENTS: [u32; 2] = [4, 4];

/// `count` bits of a block, fewer than 32, from bit `at` up.
#[inline(always)]
fn bits(block: u128, at: u32, count: u32) -> u32 {
    (block >> at) as u32 & ((1 << count) - 1)
}

/// The indices of all texels, `width` bits each, that begin at bit `start` of a block. Those of `anchors` are stored
/// without their highest bit, which is 0; `count` is the number of anchors. There may be other bits above the indices.
#[inline(always)]
fn indices(block: u128, start: u32, width: u32, mut anchors: u16, count: usize) -> u64 {
    let mut indices = (block >> start) as u64;
    for _ in 0..count {
        let missing = anchors.trailing_zeros() * width + width - 1;
        anchors &= anchors - 1;
        // The bits from the missing one up move up by one.
        indices = indices.wrapping_add(indices & (u64::MAX << missing));
    }
    indices
}

/// The weight of a block's second endpoint by index, of 64, for indices of 2, 3 and 4 bits.
const fn weights(width: u32) -> &'static [u32] {
    match width {
        2 => &[0, 21, 43, 64],
        3 => &[0, 9, 18, 27, 37, 46, 55, 64],
        _ => &[0, 4, 9, 13, 17, 21, 26, 30, 34, 38, 43, 47, 51, 55, 60, 64],
    }
}

/// The words of colours and an alpha of 8 bits each, the form of expanded texels with colours.
#[inline(always)]
fn colour_words<D: Described>(expanded: u64) -> Words {
    let [red, green, blue, alpha] = (expanded as u32).to_le_bytes().map(u32::from);
    let [red, green, blue] = [red, green, blue].map(|code| decode_component(D::PARTS.encoding, code, 8));
    [red, green, blue, decode_component(Encoding::Unorm, alpha, 8)]
}
