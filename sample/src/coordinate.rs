//! Maps a normalised coordinate to texels along one axis: range reduction, fixed point, address modes.
//!
//! Functional specification 7.18.5 to 7.18.9. Coordinates become fixed point with 8 bits of fraction, rounded to
//! nearest even. NaN becomes 0, and so does an infinity on an axis that wraps or mirrors; an infinity on another axis
//! is far outside.

use brolga_ir::float;
use brolga_resource::{AddressMode, Tap};

/// One texel in fixed point.
pub(crate) const ONE: u32 = 256;

/// The limit of range reduction, in widths of the texture. The specification has 10, which is enough for offsets of -8
/// to 7 texels on a texture of one texel; `gather4_po` has -32 to 31.
pub(crate) const FAR: f32 = 64.0;

/// The texels that a filter takes along an axis, with their weights in units of 1 / [`ONE`], which sum to 1. Texels of
/// weight zero are ignored. Texels may be outside the texture: see [`address`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Taps {
    pub texels: [i32; 2],
    pub weights: [u32; 2],
}

impl Taps {
    /// The taps along an axis that the texture lacks.
    pub const NONE: Self = Self { texels: [0; 2], weights: [ONE, 0] };
}

/// The texels at a coordinate of an axis with `extent` texels.
pub(crate) fn taps(coordinate: f32, mode: AddressMode, extent: u32, offset: i32, tap: Tap) -> Taps {
    around(reduce(float::flush(coordinate), mode), extent, offset, tap)
}

/// The texels at a coordinate that needs no range reduction.
pub(crate) fn around(coordinate: f32, extent: u32, offset: i32, tap: Tap) -> Taps {
    let scaled = coordinate * extent as f32;
    match tap {
        Tap::Point => {
            let texel = (to_fixed(scaled) >> 8) + offset;
            Taps { texels: [texel, texel + 1], weights: [ONE, 0] }
        }
        Tap::Linear => {
            let fixed = to_fixed(scaled - 0.5);
            let (texel, fraction) = ((fixed >> 8) + offset, fixed as u32 % ONE);
            Taps { texels: [texel, texel + 1], weights: [ONE - fraction, fraction] }
        }
    }
}

/// Reduces the magnitude of a coordinate without changing the texels that it selects.
fn reduce(coordinate: f32, mode: AddressMode) -> f32 {
    match mode {
        AddressMode::Wrap => coordinate - coordinate.floor(),
        AddressMode::Mirror => {
            let half = coordinate / 2.0;
            (half - half.trunc()) * 2.0
        }
        // NaN stays.
        AddressMode::Clamp | AddressMode::Border | AddressMode::MirrorOnce => coordinate.clamp(-FAR, FAR),
    }
}

/// Converts to fixed point with 8 bits of fraction, rounded to nearest even; NaN is 0. Texels of the largest texture at
/// the largest reduced coordinate fit easily.
#[inline]
pub(crate) fn to_fixed(number: f32) -> i32 {
    (number * ONE as f32).round_ties_even() as i32
}

/// The texel of the texture at a position along an axis; `None` is the border.
pub(crate) fn address(texel: i32, mode: AddressMode, extent: u32) -> Option<u32> {
    let extent = extent as i32;
    if (0..extent).contains(&texel) {
        return Some(texel as u32);
    }
    let inside = match mode {
        AddressMode::Wrap => texel.rem_euclid(extent),
        AddressMode::Mirror => {
            let position = texel.rem_euclid(2 * extent);
            position.min(2 * extent - 1 - position)
        }
        AddressMode::Clamp => texel.clamp(0, extent - 1),
        AddressMode::MirrorOnce => mirror_at_zero(texel).min(extent - 1),
        AddressMode::Border => return None,
    };
    Some(inside as u32)
}

/// Mirrors negative texels: -1 maps to 0, -2 to 1.
fn mirror_at_zero(texel: i32) -> i32 {
    if texel < 0 { -texel - 1 } else { texel }
}

/// The layer of an array: rounded to nearest even, then clamped.
#[inline]
pub(crate) fn layer(coordinate: f32, layers: u32) -> u32 {
    // `max` turns a NaN into 0, and layers are few enough for exact floats.
    let last = layers.saturating_sub(1) as f32;
    float::flush(coordinate).max(0.0).min(last).round_ties_even() as u32
}
