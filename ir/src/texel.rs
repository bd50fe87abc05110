//! Describes texels in memory, and builds code that accesses them directly.
//!
//! That code converts as the host does for every other texel; both are functional specification 3.2. Formats that need
//! more (blocks) are left to the host, and so are writes of texels that are not whole words.

use serde::{Deserialize, Serialize};

use crate::builder::Builder;
use crate::entity::Value;
use crate::function::{MemoryRef, Object};
use crate::ops::Op;
use crate::srgb::LINEAR;

/// The meaning of a channel's bits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum ChannelKind {
    /// A float of 32, 16, 11 or 10 bits; the last two have no sign.
    Float,
    /// Unsigned fixed point: the largest code is 1.
    Unorm,
    /// Signed fixed point: the largest code is 1, the two lowest are -1.
    Snorm,
    /// Unsigned integer.
    Uint,
    /// Signed integer.
    Sint,
    /// An 8-bit code of the sRGB curve.
    Srgb,
    /// A nine-bit mantissa, whose exponent is in the five highest bits of the word.
    SharedExponent,
}

/// A channel of a texel, taken as one little-endian number.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct Channel {
    /// Position of the lowest bit.
    pub shift: u32,
    /// Bits, at most 32, all in one word.
    pub bits: u32,
    /// The meaning of its bits.
    pub kind: ChannelKind,
}

/// A format whose texels are 1 to 4 words, each channel in one of them, or equal parts of a word.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct TexelFormat {
    /// Words of a texel; 1 where it is a part of one.
    pub words: u32,
    /// Texels of a word as a power of two, the first one in its lowest bits; 0 where a texel is whole words.
    pub word_shift: u32,
    /// Red, green, blue and alpha; `None` where the format has none.
    pub channels: [Option<Channel>; 4],
    /// The value of a missing alpha: 1 as a float, or as an integer.
    pub missing_alpha: u32,
}

impl TexelFormat {
    /// Bytes of an element: a texel, or a word of several.
    pub fn size_bytes(&self) -> u32 {
        4 * self.words
    }

    /// `true` if code writes such texels as well: parts of words would be written with their neighbours, which other
    /// threads write; and no shader writes shared exponents.
    pub fn is_writable(&self) -> bool {
        self.word_shift == 0
            && self.channels.iter().flatten().all(|channel| channel.kind != ChannelKind::SharedExponent)
    }

    /// `true` if there is code for it: its channels are fields of its words, of as many bits as their kinds have.
    pub fn is_valid(&self) -> bool {
        let has_code = |channel: &Channel| {
            let fits = match channel.kind {
                ChannelKind::Float => [10, 11, 16, 32].contains(&channel.bits),
                ChannelKind::Srgb => channel.bits == 8,
                ChannelKind::SharedExponent => channel.bits == 9 && channel.shift % 32 <= 18,
                ChannelKind::Snorm => (2..=32).contains(&channel.bits),
                ChannelKind::Unorm | ChannelKind::Uint | ChannelKind::Sint => (1..=32).contains(&channel.bits),
            };
            fits && channel.shift / 32 < self.words && channel.shift % 32 + channel.bits <= 32 >> self.word_shift
        };
        let has_words = match self.word_shift {
            0 => (1..=4).contains(&self.words),
            shift => shift <= 2 && self.words == 1,
        };
        has_words && self.channels.iter().flatten().all(has_code)
    }

    /// The four words that a shader sees of a texel's words.
    pub(crate) fn decode(&self, b: &mut Builder<'_>, words: &[Value]) -> [Value; 4] {
        std::array::from_fn(|n| match self.channels[n] {
            Some(channel) => channel.decode(b, words[channel.shift as usize / 32]),
            None => b.i32(if n == 3 { self.missing_alpha } else { 0 }),
        })
    }

    /// A texel's words from the four words that a shader writes.
    pub(crate) fn encode(&self, b: &mut Builder<'_>, values: &[Value]) -> Vec<Value> {
        let mut words: Vec<Option<Value>> = vec![None; self.words as usize];
        for (channel, &value) in self.channels.iter().zip(values) {
            let Some(channel) = channel else { continue };
            let code = channel.encode(b, value);
            let code = shifted(b, Op::Shl, code, channel.shift % 32);
            let word = &mut words[channel.shift as usize / 32];
            *word = Some(word.map_or(code, |word| b.op(Op::Or, &[word, code])));
        }
        words.into_iter().map(|word| word.unwrap_or_else(|| b.i32(0))).collect()
    }
}

fn shifted(b: &mut Builder<'_>, op: Op, value: Value, count: u32) -> Value {
    if count == 0 {
        return value;
    }
    let count = b.i32(count);
    b.op(op, &[value, count])
}

/// A word of the tables of the sRGB curve.
fn on_curve(b: &mut Builder<'_>, index: Value) -> Value {
    let place = MemoryRef { object: Object::Curve, index: Some(index), offset: b.i32(0) };
    b.load(place, 1)[0]
}

/// The sRGB code of a number from 0 to 1, or the code before: the curve in codes, within half a code, not rounded up.
fn below_code(b: &mut Builder<'_>, number: Value) -> Value {
    let (line_end, slope) = (b.f32(0.003_130_8), b.f32(12.92 * 255.0));
    let line = b.op(Op::FMul, &[number, slope]);
    // A polynomial of the root, with the least maximum error: 0.4814.
    let root = b.op(Op::FSqrt, &[number]);
    let mut curve = b.f32(55.328_793);
    for factor in [-137.860_18, 346.163_83, -8.151_106] {
        let (product, factor) = (b.op(Op::FMul, &[curve, root]), b.f32(factor));
        curve = b.op(Op::FAdd, &[product, factor]);
    }
    let is_line = b.op(Op::FLt, &[number, line_end]);
    let estimate = b.op(Op::SelectF32, &[is_line, line, curve]);
    b.op(Op::FToU, &[estimate])
}

/// An integer divided by the largest one of its kind, 2^n - 1. For up to 16 bits the reciprocal is split in two: the
/// product with the first part is exact and the other's rounding is far below that of the sum, which is the quotient,
/// correctly rounded. There the number may be 2^shift times as large.
fn quotient(b: &mut Builder<'_>, number: Value, most: u32, shift: u32) -> Value {
    let bits = most.count_ones();
    if bits > 16 {
        debug_assert_eq!(shift, 0, "so large a number is where it is");
        let most = b.f32(most as f32);
        return b.op(Op::FDiv, &[number, most]);
    }
    let [first, rest] = reciprocal(most, shift).map(|part| {
        let part = b.f32(part);
        b.op(Op::FMul, &[number, part])
    });
    b.op(Op::FAdd, &[first, rest])
}

/// The reciprocal of 2^n - 1 in two parts, the first one with so many bits that a product with n bits has 24; both over
/// 2^shift.
fn reciprocal(most: u32, shift: u32) -> [f32; 2] {
    let whole = 1.0 / f64::from(most);
    // A double has 29 bits more than a float.
    let first = f64::from_bits(whole.to_bits() & u64::MAX << (29 + most.count_ones()));
    let scale = f64::from(1 << shift);
    [first, whole - first].map(|part| (part / scale) as f32)
}

impl Channel {
    fn most(self) -> u32 {
        u32::MAX >> (32 - self.bits)
    }

    /// The channel's bits at the bottom of a word, its sign extended if it has one.
    fn code(self, b: &mut Builder<'_>, word: Value) -> Value {
        let above = 32 - self.bits - self.shift % 32;
        match self.kind {
            ChannelKind::Snorm | ChannelKind::Sint => {
                let word = shifted(b, Op::Shl, word, above);
                shifted(b, Op::SShr, word, 32 - self.bits)
            }
            _ => {
                let word = shifted(b, Op::UShr, word, self.shift % 32);
                if above == 0 {
                    return word;
                }
                let most = b.i32(self.most());
                b.op(Op::And, &[word, most])
            }
        }
    }

    fn decode(self, b: &mut Builder<'_>, word: Value) -> Value {
        let shift = self.shift % 32;
        if self.kind == ChannelKind::Unorm && self.bits <= 16 && shift + self.bits < 32 {
            // The code need not be moved to the bottom: a float holds it wherever it is.
            let bits = b.i32(self.most() << shift);
            let code = b.op(Op::And, &[word, bits]);
            let number = b.op(Op::UToF, &[code]);
            let number = quotient(b, number, self.most(), shift);
            return b.op(Op::BitsF32, &[number]);
        }
        let code = self.code(b, word);
        let number = match self.kind {
            ChannelKind::SharedExponent => {
                // Fractions are multiples of 2^(exponent - 24), which is a normal float.
                let exponent = shifted(b, Op::UShr, word, 27);
                let bias = b.i32(127 - 24);
                let exponent = b.op(Op::IAdd, &[exponent, bias]);
                let scale = shifted(b, Op::Shl, exponent, 23);
                let (number, scale) = (b.op(Op::UToF, &[code]), b.op(Op::AsF32, &[scale]));
                b.op(Op::FMul, &[number, scale])
            }
            ChannelKind::Uint | ChannelKind::Sint => return code,
            ChannelKind::Srgb => return on_curve(b, code),
            ChannelKind::Float if self.bits == 32 => return code,
            ChannelKind::Float if self.bits == 16 => b.op(Op::F16ToF32, &[code]),
            ChannelKind::Float => {
                // Halves without their sign and lowest bits.
                let half = shifted(b, Op::Shl, code, 15 - self.bits);
                b.op(Op::F16ToF32, &[half])
            }
            ChannelKind::Unorm => {
                let number = b.op(Op::UToF, &[code]);
                quotient(b, number, self.most(), 0)
            }
            ChannelKind::Snorm => {
                let most = self.most() >> 1;
                let least = b.i32(most.wrapping_neg());
                let code = b.op(Op::SMax, &[code, least]);
                let number = b.op(Op::SToF, &[code]);
                quotient(b, number, most, 0)
            }
        };
        b.op(Op::BitsF32, &[number])
    }

    /// The channel's bits for a word of the shader, with nothing above them.
    fn encode(self, b: &mut Builder<'_>, word: Value) -> Value {
        let most = self.most();
        match self.kind {
            ChannelKind::Float if self.bits == 32 => word,
            ChannelKind::Float => {
                let number = b.op(Op::AsF32, &[word]);
                let half = b.op(Op::F32ToF16, &[number]);
                if self.bits == 16 {
                    return half;
                }
                // There is no sign.
                let zero = b.f32(0.0);
                let (none, is_none) = (b.i32(0), b.op(Op::FGe, &[zero, number]));
                let code = shifted(b, Op::UShr, half, 15 - self.bits);
                b.select(is_none, none, code)
            }
            ChannelKind::Srgb => {
                let number = b.op(Op::AsF32, &[word]);
                // NaN becomes 0 here.
                let number = b.op(Op::FSat, &[number]);
                let guess = below_code(b, number);
                let tables_words = b.i32(LINEAR.len() as u32);
                let limit = b.op(Op::IAdd, &[guess, tables_words]);
                let limit = on_curve(b, limit);
                let limit = b.op(Op::AsF32, &[limit]);
                let is_next = b.op(Op::FGe, &[number, limit]);
                // A condition is all ones.
                let next = b.op(Op::BToI, &[is_next]);
                b.op(Op::ISub, &[guess, next])
            }
            ChannelKind::SharedExponent => unreachable!("the format says that code does not write it"),
            ChannelKind::Uint if self.bits == 32 => word,
            ChannelKind::Sint if self.bits == 32 => word,
            ChannelKind::Uint => {
                let most = b.i32(most);
                b.op(Op::UMin, &[word, most])
            }
            ChannelKind::Sint => {
                let (largest, least) = (b.i32(most >> 1), b.i32(!(most >> 1)));
                let word = b.op(Op::SMin, &[word, largest]);
                let word = b.op(Op::SMax, &[word, least]);
                let most = b.i32(most);
                b.op(Op::And, &[word, most])
            }
            ChannelKind::Unorm => {
                let number = b.op(Op::AsF32, &[word]);
                // NaN becomes 0 here.
                let number = b.op(Op::FSat, &[number]);
                let (scale, half) = (b.f32(most as f32), b.f32(0.5));
                let number = b.op(Op::FMul, &[number, scale]);
                let number = b.op(Op::FAdd, &[number, half]);
                b.op(Op::FToU, &[number])
            }
            ChannelKind::Snorm => {
                let number = b.op(Op::AsF32, &[word]);
                let is_number = b.op(Op::FEq, &[number, number]);
                let (zero, one, minus_one) = (b.f32(0.0), b.f32(1.0), b.f32(-1.0));
                let number = b.select(is_number, number, zero);
                let number = b.op(Op::FMin, &[number, one]);
                let number = b.op(Op::FMax, &[number, minus_one]);
                let scale = b.f32((most >> 1) as f32);
                let number = b.op(Op::FMul, &[number, scale]);
                // Halves are rounded away from zero.
                let (half, minus_half) = (b.f32(0.5), b.f32(-0.5));
                let is_negative = b.op(Op::FLt, &[number, zero]);
                let half = b.select(is_negative, minus_half, half);
                let number = b.op(Op::FAdd, &[number, half]);
                let code = b.op(Op::FToS, &[number]);
                let most = b.i32(most);
                b.op(Op::And, &[code, most])
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::reciprocal;

    #[test]
    fn sums_of_products_are_quotients() {
        for bits in 1..=16 {
            let most = u32::MAX >> (32 - bits);
            // A word is 32 bits, and its uppermost one is left out.
            for shift in 0..32 - bits {
                let [first, rest] = reciprocal(most, shift);
                for code in (0..=most).step_by(if shift % 8 == 0 { 1 } else { 97 }) {
                    for number in [code as f32, -(code as f32)] {
                        let moved = number * (1 << shift) as f32;
                        let quotient = moved * first + moved * rest;
                        assert_eq!(quotient, number / most as f32, "{number} / {most}");
                    }
                }
            }
        }
    }
}
