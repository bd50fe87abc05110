//! What a row lists about a texel: its components, their encodings, and where they are.

use super::codec::{Codec, Words};

/// What the bits of a component mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Encoding {
    /// A float of 32, 16, 11 or 10 bits, the last two without sign; or one that shares its exponent.
    Float,
    /// Unsigned fixed point: the largest code is 1.
    Unorm,
    /// Signed fixed point: the largest code is 1, the two lowest are -1. Codes of 5 bits are widened to 8.
    Snorm,
    /// As [`Encoding::Unorm`], with red, green and blue along the sRGB curve.
    Srgb,
    /// Unsigned integer.
    Uint,
    /// Signed integer.
    Sint,
}

impl Encoding {
    /// Whether shaders see integers.
    pub const fn is_integer(self) -> bool {
        matches!(self, Encoding::Uint | Encoding::Sint)
    }
}

/// Where a channel is in a texel, taken as one little-endian number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Field {
    /// Position of the lowest bit.
    pub shift: u32,
    /// Bits.
    pub bits: u32,
}

/// What a row lists about a texel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Parts {
    pub encoding: Encoding,
    /// By channel; `None` where the format has none.
    pub encodings: [Option<Encoding>; 4],
    /// By channel; `None` where it is not a field of its own.
    pub fields: [Option<Field>; 4],
    pub bits: u32,
    /// Whether components that the format lacks are 1, not only an alpha.
    missing_are_one: bool,
}

/// A part of a row: its channels, its bits, 0 if it is not a field, and its encoding if it differs.
pub(super) type Part = (&'static [usize], u32, Option<Encoding>);

impl Parts {
    pub const fn new(encoding: Encoding, parts: &[Part], missing_are_one: bool) -> Self {
        let (mut encodings, mut fields) = ([None; 4], [None; 4]);
        let (mut n, mut shift) = (0, 0);
        while n < parts.len() {
            let (channels, bits, own) = parts[n];
            let mut of_part = 0;
            while of_part < channels.len() {
                let channel = channels[of_part];
                assert!(encodings[channel].is_none(), "a channel stands once in a row");
                encodings[channel] = match (own, encoding) {
                    (Some(own), _) => Some(own),
                    // Alpha is never along the sRGB curve.
                    (None, Encoding::Srgb) if channel == 3 => Some(Encoding::Unorm),
                    (None, encoding) => Some(encoding),
                };
                if bits > 0 {
                    fields[channel] = Some(Field { shift, bits });
                }
                of_part += 1;
            }
            shift += bits;
            n += 1;
        }
        Self { encoding, encodings, fields, bits: shift, missing_are_one }
    }

    /// The encoding and the field of a channel, if the format has it and if it is a field.
    #[inline(always)]
    pub const fn channel(&self, channel: usize) -> (Option<Encoding>, Option<Field>) {
        (self.encodings[channel], self.fields[channel])
    }

    /// Whether a channel is the first of its field: luminance is stored once.
    #[inline(always)]
    pub fn is_first(&self, channel: usize) -> bool {
        !self.fields[..channel].contains(&self.fields[channel])
    }

    /// Zeros, but 1 in an alpha that the format lacks, and in Direct3D 9's formats in all that they lack.
    #[inline(always)]
    pub const fn zero(&self) -> Words {
        let one = if self.encoding.is_integer() { 1 } else { 1f32.to_bits() };
        let mut words = [0; 4];
        let mut channel = if self.missing_are_one { 0 } else { 3 };
        while channel < 4 {
            if self.encodings[channel].is_none() {
                words[channel] = one;
            }
            channel += 1;
        }
        words
    }
}

/// A row as a type, so that its codec can be compiled for it alone.
pub(super) trait Described {
    const PARTS: Parts;
    type Codec: Codec;
}
