//! BC1, BC2 and BC3: two colours of 16 bits, the others interpolated; functional specification 19.5.6 to 19.5.8.
//!
//! The specification's formulas are taken literally, in integers: endpoints are promoted to 8 bits, the interpolated
//! colours are (2a + b) / 3 and (a + b) / 2 of them, truncated. More precise palettes and rounding division are allowed
//! too, but this is the reference from which the tolerance is measured, and every colour is a UNORM8 code, so that the
//! sRGB formats use the same curve as any UNORM8 format. The listings for BC2 and BC3 omit the promotion inside the
//! quotients; their text requires BC1's rules.

use std::marker::PhantomData;

use super::scalar::Ramp;
use super::{EXTENTS, bits};
use crate::format::codec::{Codec, Described, Encoding, Words};
use crate::format::convert::decode_component;

/// Four colours, red first, as UNORM8 codes, and an index for each texel.
struct Palette {
    colours: [[u32; 3]; 4],
    indices: u32,
}

impl Palette {
    /// `always_four`: also where the first endpoint is not the larger one.
    fn read(block: u64, always_four: bool) -> Self {
        let (first, second) = (block as u16, (block >> 16) as u16);
        let (a, b) = (promote(first), promote(second));
        let mix = |mixed: fn(u32, u32) -> u32| std::array::from_fn(|channel| mixed(a[channel], b[channel]));
        let between = if always_four || first > second {
            [mix(|a, b| (2 * a + b) / 3), mix(|a, b| (a + 2 * b) / 3)]
        } else {
            [mix(|a, b| (a + b) / 2), [0; 3]]
        };
        Self { colours: [a, b, between[0], between[1]], indices: (block >> 32) as u32 }
    }

    fn index(&self, texel: usize) -> usize {
        (self.indices >> (2 * texel) & 3) as usize
    }

    /// The words of a texel's colour in the encoding of row `D`.
    fn words<D: Described>(&self, texel: usize, alpha: u32) -> Words {
        let [red, green, blue] =
            self.colours[self.index(texel)].map(|code| decode_component(D::PARTS.encoding, code, 8));
        [red, green, blue, alpha]
    }

    /// A texel's codes, each so many bits after the one before.
    fn codes(&self, texel: usize, bits: u32) -> u64 {
        let [red, green, blue] = self.colours[self.index(texel)].map(u64::from);
        red | green << bits | blue << (2 * bits)
    }
}

/// Red, green and blue of B5G6R5 as 8 bits; the upper bits are replicated below.
fn promote(colour: u16) -> [u32; 3] {
    let colour = u32::from(colour);
    let (red, green, blue) = (colour >> 11, colour >> 5 & 63, colour & 31);
    [red << 3 | red >> 2, green << 2 | green >> 4, blue << 3 | blue >> 2]
}

/// Colours, one of them transparent black if the first endpoint is not the larger one.
pub(in crate::format) struct Bc1<D> {
    palette: Palette,
    has_transparent: bool,
    row: PhantomData<D>,
}

impl<D: Described> Codec for Bc1<D> {
    const EXTENTS: [u32; 2] = EXTENTS;
    const SIZE_BYTES: u32 = 8;

    fn read(block: u128) -> Self {
        let has_transparent = block as u16 <= (block >> 16) as u16;
        Self { palette: Palette::read(block as u64, false), has_transparent, row: PhantomData }
    }

    fn texel(&self, index: usize) -> Words {
        self.palette.words::<D>(index, if self.is_transparent(index) { 0 } else { 1f32.to_bits() })
    }

    fn expanded(&self, index: usize) -> u64 {
        self.palette.codes(index, 8) | if self.is_transparent(index) { 0 } else { 255 << 24 }
    }
}

impl<D> Bc1<D> {
    fn is_transparent(&self, index: usize) -> bool {
        self.has_transparent && self.palette.index(index) == 3
    }
}

/// 16 alphas of 4 bits, then colours.
pub(in crate::format) struct Bc2<D> {
    alphas: u128,
    palette: Palette,
    row: PhantomData<D>,
}

impl<D: Described> Codec for Bc2<D> {
    const EXTENTS: [u32; 2] = EXTENTS;
    const SIZE_BYTES: u32 = 16;

    fn read(block: u128) -> Self {
        Self { alphas: block, palette: Palette::read((block >> 64) as u64, true), row: PhantomData }
    }

    fn texel(&self, index: usize) -> Words {
        let alpha = bits(self.alphas, 4 * index as u32, 4);
        self.palette.words::<D>(index, decode_component(Encoding::Unorm, alpha, 4))
    }

    fn expanded(&self, index: usize) -> u64 {
        // 17 / 255 is 1 / 15.
        self.palette.codes(index, 8) | u64::from(bits(self.alphas, 4 * index as u32, 4) * 17) << 24
    }
}

/// Alphas as in BC4, then colours.
pub(in crate::format) struct Bc3<D> {
    alphas: Ramp,
    palette: Palette,
    row: PhantomData<D>,
}

impl<D: Described> Codec for Bc3<D> {
    const EXTENTS: [u32; 2] = EXTENTS;
    const SIZE_BYTES: u32 = 16;

    fn read(block: u128) -> Self {
        let palette = Palette::read((block >> 64) as u64, true);
        Self { alphas: Ramp::read(block as u64, Encoding::Unorm), palette, row: PhantomData }
    }

    fn texel(&self, index: usize) -> Words {
        self.palette.words::<D>(index, self.alphas.word(index))
    }

    fn expanded(&self, index: usize) -> u64 {
        self.palette.codes(index, 16) | self.alphas.code(index) << 48
    }
}
