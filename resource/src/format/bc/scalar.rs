//! Decodes BC4 and BC5: two numbers of 8 bits, the others interpolated; functional specification 19.5.9 to 19.5.12.
//!
//! The specification's formulas mix floats, (6 * a + b) / 7. The result here is that number rounded once, to a 32-bit
//! float: no reading of them is nearer, and endpoints, 0, 1 and -1 are exact, as they must be. The codes decide which
//! formula applies, so that -128 is less than -127 though both mean -1.

use std::marker::PhantomData;

use crate::format::codec::{Codec, Described, Encoding, Words};

use super::EXTENTS;

/// Number of units in a step between codes: sevenths and fifths are whole numbers of units.
const PARTS: i32 = 35;

/// The largest endpoint of an encoding, `Unorm` or `Snorm`.
const fn most(encoding: Encoding) -> i32 {
    if matches!(encoding, Encoding::Snorm) { 127 } else { 255 }
}

/// Eight numbers and an index for each texel.
pub(super) struct Ramp {
    /// The numbers in units, as 16 bits shifted to their position in the texels' layout.
    codes: [u64; 8],
    /// 3 bits each.
    indices: u64,
}

impl Ramp {
    /// Decodes numbers of encoding `Unorm` or `Snorm`.
    #[inline(always)]
    pub fn read(block: u64, encoding: Encoding, shift: u32) -> Self {
        let is_signed = encoding == Encoding::Snorm;
        let number = |code: u8| if is_signed { i32::from(code as i8) } else { i32::from(code) };
        let (first, second) = (number(block as u8), number((block >> 8) as u8));
        let most = most(encoding);
        let [a, b] = [first, second].map(|number| number.max(-most));
        let steps = if first > second { 7 } else { 5 };
        let mut codes = [PARTS * a, PARTS * b, 0, 0, 0, 0, 0, 0];
        for step in 1..7 {
            codes[step as usize + 1] = (steps * a + step * (b - a)) * (PARTS / steps);
        }
        if steps == 5 {
            codes[6] = if is_signed { -PARTS * most } else { 0 };
            codes[7] = PARTS * most;
        }
        Self { codes: codes.map(|code| u64::from(code as u16) << shift), indices: block >> 16 }
    }

    /// The code of a texel, at its position.
    #[inline(always)]
    pub fn code(&self, texel: usize) -> u64 {
        self.codes[(self.indices >> (3 * texel) & 7) as usize]
    }
}

/// The float bits of a code of encoding `Unorm` or `Snorm`.
#[inline(always)]
pub(super) fn word(encoding: Encoding, code: u16) -> u32 {
    let code = if encoding == Encoding::Snorm { i32::from(code as i16) } else { i32::from(code) };
    (code as f32 / (PARTS * most(encoding)) as f32).to_bits()
}

/// A block of one number for each texel.
pub(in crate::format) struct Bc4<D> {
    red: Ramp,
    row: PhantomData<D>,
}

impl<D: Described> Codec for Bc4<D> {
    const EXTENTS: [u32; 2] = EXTENTS;
    const SIZE_BYTES: u32 = 8;

    #[inline(always)]
    fn read(block: u128) -> Self {
        Self { red: Ramp::read(block as u64, D::PARTS.encoding, 0), row: PhantomData }
    }

    #[inline(always)]
    fn expanded(&self, index: usize) -> u64 {
        self.red.code(index)
    }

    #[inline(always)]
    fn words(expanded: u64) -> Words {
        [word(D::PARTS.encoding, expanded as u16), 0, 0, 1f32.to_bits()]
    }
}

/// A block of two numbers for each texel.
pub(in crate::format) struct Bc5<D> {
    red: Ramp,
    green: Ramp,
    row: PhantomData<D>,
}

impl<D: Described> Codec for Bc5<D> {
    const EXTENTS: [u32; 2] = EXTENTS;
    const SIZE_BYTES: u32 = 16;

    #[inline(always)]
    fn read(block: u128) -> Self {
        let red = Ramp::read(block as u64, D::PARTS.encoding, 0);
        let green = Ramp::read((block >> 64) as u64, D::PARTS.encoding, 16);
        Self { red, green, row: PhantomData }
    }

    #[inline(always)]
    fn expanded(&self, index: usize) -> u64 {
        self.red.code(index) | self.green.code(index)
    }

    #[inline(always)]
    fn words(expanded: u64) -> Words {
        let [red, green] = [expanded, expanded >> 16].map(|code| word(D::PARTS.encoding, code as u16));
        [red, green, 0, 1f32.to_bits()]
    }
}

/// A block with green first, and ones for missing components: the format ATI2 of Direct3D 9, once called 3Dc.
pub(in crate::format) struct Ati2<D>(Bc5<D>);

impl<D: Described> Codec for Ati2<D> {
    const EXTENTS: [u32; 2] = EXTENTS;
    const SIZE_BYTES: u32 = 16;

    #[inline(always)]
    fn read(block: u128) -> Self {
        Self(Bc5::read(block.rotate_left(64)))
    }

    #[inline(always)]
    fn expanded(&self, index: usize) -> u64 {
        self.0.expanded(index)
    }

    #[inline(always)]
    fn words(expanded: u64) -> Words {
        let [red, green, ..] = Bc5::<D>::words(expanded);
        let [_, _, blue, alpha] = D::PARTS.zero();
        [red, green, blue, alpha]
    }
}
