//! Decodes BC1, BC2 and BC3: two colours of 16 bits, the others interpolated; functional specification 19.5.6 to
//! 19.5.8.
//!
//! The specification's formulas are taken literally, in integers: endpoints are promoted to 8 bits, the interpolated
//! colours are (2a + b) / 3 and (a + b) / 2 of them, truncated. More precise palettes and rounding division are allowed
//! too, but this is the reference from which the tolerance is measured, and every colour is a UNORM8 code, so that the
//! sRGB formats use the same curve as any UNORM8 format. The listings for BC2 and BC3 omit the promotion inside the
//! quotients; their text requires BC1's rules.

use std::marker::PhantomData;

use super::scalar::{Ramp, word};
use super::{EXTENTS, colour_words};
use crate::format::codec::{Codec, Described, Encoding, Words};
use crate::format::convert::decode_component;

/// Four colours and an index for each texel.
struct Palette {
    /// UNORM8 codes, red in the lowest bits, spaced as in the texels' layout.
    colours: [u64; 4],
    indices: u32,
}

/// The condition for a palette of four colours instead of three and black.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Four {
    Always,
    /// If the first endpoint is the larger one. All colours but black are opaque then.
    FirstLarger,
}

impl Palette {
    #[inline(always)]
    fn read(block: u64, four: Four, bits: u32) -> Self {
        let (first, second) = (block as u16, (block >> 16) as u16);
        let (a, b) = (promote(first), promote(second));
        let pack =
            |[red, green, blue]: [u32; 3]| u64::from(red) | u64::from(green) << bits | u64::from(blue) << (2 * bits);
        let mix = |mixed: fn(u32, u32) -> u32| pack([mixed(a[0], b[0]), mixed(a[1], b[1]), mixed(a[2], b[2])]);
        let opaque = if four == Four::Always { 0 } else { 255 << (3 * bits) };
        let between = if four == Four::Always || first > second {
            [mix(|a, b| (2 * a + b) / 3) | opaque, mix(|a, b| (a + 2 * b) / 3) | opaque]
        } else {
            [mix(|a, b| (a + b) / 2) | opaque, 0]
        };
        Self { colours: [pack(a) | opaque, pack(b) | opaque, between[0], between[1]], indices: (block >> 32) as u32 }
    }

    #[inline(always)]
    fn colour(&self, texel: usize) -> u64 {
        self.colours[(self.indices >> (2 * texel) & 3) as usize]
    }
}

/// Red, green and blue of B5G6R5 as 8 bits; the upper bits are replicated below.
#[inline(always)]
fn promote(colour: u16) -> [u32; 3] {
    let colour = u32::from(colour);
    let (red, green, blue) = (colour >> 11, colour >> 5 & 63, colour & 31);
    [red << 3 | red >> 2, green << 2 | green >> 4, blue << 3 | blue >> 2]
}

/// A block of colours, one of them transparent black if the first endpoint is not the larger one.
pub(in crate::format) struct Bc1<D> {
    palette: Palette,
    row: PhantomData<D>,
}

impl<D: Described> Codec for Bc1<D> {
    const EXTENTS: [u32; 2] = EXTENTS;
    const SIZE_BYTES: u32 = 8;

    #[inline(always)]
    fn read(block: u128) -> Self {
        Self { palette: Palette::read(block as u64, Four::FirstLarger, 8), row: PhantomData }
    }

    #[inline(always)]
    fn expanded(&self, index: usize) -> u64 {
        self.palette.colour(index)
    }

    #[inline(always)]
    fn words(expanded: u64) -> Words {
        colour_words::<D>(expanded)
    }
}

/// A block of 16 alphas of 4 bits, then colours.
pub(in crate::format) struct Bc2<D> {
    alphas: u64,
    palette: Palette,
    row: PhantomData<D>,
}

impl<D: Described> Codec for Bc2<D> {
    const EXTENTS: [u32; 2] = EXTENTS;
    const SIZE_BYTES: u32 = 16;

    #[inline(always)]
    fn read(block: u128) -> Self {
        let palette = Palette::read((block >> 64) as u64, Four::Always, 8);
        Self { alphas: block as u64, palette, row: PhantomData }
    }

    #[inline(always)]
    fn expanded(&self, index: usize) -> u64 {
        // 17 / 255 is 1 / 15.
        let alpha = (self.alphas >> (4 * index) & 15) * 17;
        self.palette.colour(index) | alpha << 24
    }

    #[inline(always)]
    fn words(expanded: u64) -> Words {
        colour_words::<D>(expanded)
    }
}

/// A block of alphas as in BC4, then colours.
pub(in crate::format) struct Bc3<D> {
    alphas: Ramp,
    palette: Palette,
    row: PhantomData<D>,
}

impl<D: Described> Codec for Bc3<D> {
    const EXTENTS: [u32; 2] = EXTENTS;
    const SIZE_BYTES: u32 = 16;

    #[inline(always)]
    fn read(block: u128) -> Self {
        let palette = Palette::read((block >> 64) as u64, Four::Always, 16);
        Self { alphas: Ramp::read(block as u64, Encoding::Unorm, 48), palette, row: PhantomData }
    }

    #[inline(always)]
    fn expanded(&self, index: usize) -> u64 {
        self.palette.colour(index) | self.alphas.code(index)
    }

    #[inline(always)]
    fn words(expanded: u64) -> Words {
        let colour = |shift: u32| decode_component(D::PARTS.encoding, (expanded >> shift) as u32 & 0xff, 8);
        [colour(0), colour(16), colour(32), word(Encoding::Unorm, (expanded >> 48) as u16)]
    }
}
