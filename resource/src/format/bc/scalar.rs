//! BC4 and BC5: two numbers of 8 bits, the others interpolated; functional specification 19.5.9 to 19.5.12.
//!
//! The specification's formulas mix floats, (6 * a + b) / 7. The result here is that number rounded once, to a 32-bit
//! float: no reading of them is nearer, and endpoints, 0, 1 and -1 are exact, as they must be. The codes decide which
//! formula applies, so that -128 is less than -127 though both mean -1.

use std::marker::PhantomData;

use crate::format::codec::{Codec, Described, Encoding, Words};

use super::EXTENTS;

/// Sevenths and fifths are whole numbers of such parts.
const PARTS: i32 = 35;

/// Eight numbers and an index for each texel.
pub(super) struct Ramp {
    /// The numbers as codes: multiples of the largest one's inverse.
    codes: [i32; 8],
    most: i32,
    /// 3 bits each.
    indices: u64,
}

impl Ramp {
    /// Numbers of encoding `Unorm` or `Snorm`.
    #[inline(always)]
    pub fn read(block: u64, encoding: Encoding) -> Self {
        let is_signed = encoding == Encoding::Snorm;
        let number = |code: u8| if is_signed { i32::from(code as i8) } else { i32::from(code) };
        let (first, second) = (number(block as u8), number((block >> 8) as u8));
        let most = if is_signed { 127 } else { 255 };
        let [a, b] = [first, second].map(|number| number.max(-most));
        let largest = PARTS * most;
        let mut codes = [PARTS * a, PARTS * b, 0, 0, 0, 0, 0, largest];
        let steps = if first > second { 7 } else { 5 };
        for step in 1..steps {
            codes[step as usize + 1] = ((steps - step) * a + step * b) * (PARTS / steps);
        }
        if steps == 5 && is_signed {
            codes[6] = -largest;
        }
        Self { codes, most: largest, indices: block >> 16 }
    }

    /// The bits of a texel's number.
    pub fn word(&self, texel: usize) -> u32 {
        (self.of(texel) as f32 / self.most as f32).to_bits()
    }

    /// A texel's code, in 16 bits.
    pub fn code(&self, texel: usize) -> u64 {
        u64::from(self.of(texel) as u16)
    }

    fn of(&self, texel: usize) -> i32 {
        self.codes[(self.indices >> (3 * texel) & 7) as usize]
    }
}

/// One number for each texel.
pub(in crate::format) struct Bc4<D> {
    red: Ramp,
    row: PhantomData<D>,
}

impl<D: Described> Codec for Bc4<D> {
    const EXTENTS: [u32; 2] = EXTENTS;
    const SIZE_BYTES: u32 = 8;

    fn read(block: u128) -> Self {
        Self { red: Ramp::read(block as u64, D::PARTS.encoding), row: PhantomData }
    }

    fn texel(&self, index: usize) -> Words {
        [self.red.word(index), 0, 0, 1f32.to_bits()]
    }

    fn expanded(&self, index: usize) -> u64 {
        self.red.code(index)
    }
}

/// Two numbers for each texel.
pub(in crate::format) struct Bc5<D> {
    red: Ramp,
    green: Ramp,
    row: PhantomData<D>,
}

impl<D: Described> Codec for Bc5<D> {
    const EXTENTS: [u32; 2] = EXTENTS;
    const SIZE_BYTES: u32 = 16;

    fn read(block: u128) -> Self {
        let [red, green] = [block as u64, (block >> 64) as u64].map(|half| Ramp::read(half, D::PARTS.encoding));
        Self { red, green, row: PhantomData }
    }

    fn texel(&self, index: usize) -> Words {
        [self.red.word(index), self.green.word(index), 0, 1f32.to_bits()]
    }

    fn expanded(&self, index: usize) -> u64 {
        self.red.code(index) | self.green.code(index) << 16
    }
}

/// The same with green first, and ones for what is missing: the format ATI2 of Direct3D 9, once called 3Dc.
pub(in crate::format) struct Ati2<D>(Bc5<D>);

impl<D: Described> Codec for Ati2<D> {
    const EXTENTS: [u32; 2] = EXTENTS;
    const SIZE_BYTES: u32 = 16;

    fn read(block: u128) -> Self {
        Self(Bc5::read(block.rotate_left(64)))
    }

    fn texel(&self, index: usize) -> Words {
        let [red, green, ..] = self.0.texel(index);
        let [_, _, blue, alpha] = D::PARTS.zero();
        [red, green, blue, alpha]
    }

    fn expanded(&self, index: usize) -> u64 {
        self.0.expanded(index)
    }
}
