//! Converts three fractions of 9 bits with one exponent of 5: functional specification 19.3.2.
//!
//! A component is 0.fraction * 2^(exponent - 15), that is fraction * 2^(exponent - 24). There are no signs, infinities
//! or NaNs. Nothing in Direct3D writes this format; the specification describes how a program would, and the encoder
//! here is for files.

use super::codec::{Codec, Words};

/// 0.111111111 * 2^(31 - 15).
const MOST: f32 = 65408.0;

/// Red, green, blue from the lowest bit up, then the exponent.
pub(super) struct SharedExponent {
    bits: u32,
}

impl Codec for SharedExponent {
    const EXTENTS: [u32; 2] = [1, 1];
    const SIZE_BYTES: u32 = 4;
    const ENCODE: Option<fn(Words) -> u128> = Some(encode);

    #[inline(always)]
    fn read(texel: u128) -> Self {
        Self { bits: texel as u32 }
    }

    #[inline(always)]
    fn texel(&self, _: usize) -> Words {
        let scale = scale(self.bits);
        let component = |shift: u32| ((self.bits >> shift & 0x1ff) as f32 * scale).to_bits();
        [component(0), component(9), component(18), 1f32.to_bits()]
    }
}

/// The unit of a texel's fractions.
#[inline(always)]
pub(super) fn scale(texel: u32) -> f32 {
    power_of_two((texel >> 27) as i32 - 24)
}

/// Encodes with the least exponent in which the largest component fits; fractions are rounded to nearest, ties to even.
/// Numbers beyond the format's range are clamped to its largest, negative ones and NaN to zero.
fn encode(words: Words) -> u128 {
    let [red, green, blue, _] = words.map(|word| match f32::from_bits(word) {
        number if number > 0.0 => number.min(MOST),
        _ => 0.0,
    });
    let most = red.max(green).max(blue);
    // A float's exponent is that of 1.fraction, one less than that of 0.1fraction.
    let mut exponent = ((most.to_bits() >> 23) as i32 - 127 + 1 + 15).max(0);
    let fraction = |number: f32, exponent: i32| (number * power_of_two(24 - exponent)).round_ties_even() as u32;
    if fraction(most, exponent) == 0x200 {
        exponent += 1;
    }
    let [red, green, blue] = [red, green, blue].map(|number| fraction(number, exponent));
    u128::from(red | green << 9 | blue << 18 | (exponent as u32) << 27)
}

/// 2^exponent, which is a normal float.
fn power_of_two(exponent: i32) -> f32 {
    f32::from_bits(((exponent + 127) as u32) << 23)
}
