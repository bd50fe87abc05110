//! Conversion between texels and the four words that shaders see, by section 3.2 of the functional specification.
//!
//! * Float to fixed point: NaN is 0; clamp; scale in 32-bit floats; add 0.5 away from zero; drop the fraction.
//! * Float to a smaller float: rounded towards zero, so that no finite number becomes infinite. The floats of 11 and 10
//!   bits have no sign: what is below zero becomes zero.
//! * Integers: clamped to the range of the component.
//! * Components that a format lacks read as 0, alpha as 1.
//!
//! 32-bit components are moved and keep every bit. Nothing here depends on the processor's float mode: a denormal float
//! is zero in every format that is narrower.

use brolga_ir::float;

use super::srgb;
use super::table::{Encoding, Field, Format};

const ONE: u32 = 0x3f80_0000;

impl Format {
    /// The four words of a texel, which is a little-endian number of [`size_bytes`](Self::size_bytes) bytes.
    pub fn decode(self, texel: u128) -> [u32; 4] {
        let mut words = self.zero();
        for (channel, field) in self.fields().into_iter().enumerate() {
            if let Some(Field { shift, bits }) = field {
                let code = (texel >> shift) as u32 & mask(bits);
                words[channel] = decode_component(self.channel_encoding(channel), code, bits);
            }
        }
        words
    }

    /// The texel of four words. Words of channels that the format lacks are not looked at.
    pub fn encode(self, words: [u32; 4]) -> u128 {
        let mut texel = 0;
        for (channel, field) in self.fields().into_iter().enumerate() {
            if let Some(Field { shift, bits }) = field {
                let code = encode_component(self.channel_encoding(channel), words[channel], bits);
                texel |= u128::from(code) << shift;
            }
        }
        texel
    }

    /// What a read out of range gives: zeros in the format's components, and 1 in an alpha that it lacks.
    pub fn zero(self) -> [u32; 4] {
        let alpha = match (self.fields()[3], self.encoding().is_integer()) {
            (Some(_), _) => 0,
            (None, true) => 1,
            (None, false) => ONE,
        };
        [0, 0, 0, alpha]
    }

    /// Alpha is never along the sRGB curve.
    fn channel_encoding(self, channel: usize) -> Encoding {
        match self.encoding() {
            Encoding::Srgb if channel == 3 => Encoding::Unorm,
            encoding => encoding,
        }
    }
}

fn mask(bits: u32) -> u32 {
    u32::MAX >> (32 - bits)
}

fn decode_component(encoding: Encoding, code: u32, bits: u32) -> u32 {
    let sign_extended = ((code << (32 - bits)) as i32) >> (32 - bits);
    match encoding {
        Encoding::Uint => code,
        Encoding::Sint => sign_extended as u32,
        Encoding::Unorm => (code as f32 / mask(bits) as f32).to_bits(),
        Encoding::Snorm => {
            let most = mask(bits - 1) as i32;
            (sign_extended.max(-most) as f32 / most as f32).to_bits()
        }
        Encoding::Srgb => srgb::to_linear(code).to_bits(),
        Encoding::Float if bits == 32 => code,
        // The floats of 11 and 10 bits are halves without their sign and lowest bits.
        Encoding::Float if bits == 16 => float::from_half(code).to_bits(),
        Encoding::Float => float::from_half(code << (15 - bits)).to_bits(),
    }
}

fn encode_component(encoding: Encoding, word: u32, bits: u32) -> u32 {
    let number = f32::from_bits(word);
    match encoding {
        Encoding::Uint => word.min(mask(bits)),
        Encoding::Sint => {
            let most = mask(bits - 1) as i32;
            (word as i32).clamp(-most - 1, most) as u32 & mask(bits)
        }
        Encoding::Unorm => to_fixed(number, 0.0, mask(bits)) as u32,
        Encoding::Snorm => to_fixed(number, -1.0, mask(bits - 1)) as u32 & mask(bits),
        Encoding::Srgb => srgb::from_linear(number),
        Encoding::Float if bits == 32 => word,
        Encoding::Float if bits == 16 => float::to_half(number),
        Encoding::Float if number.is_nan() => float::to_half(number) >> (15 - bits) & mask(bits),
        Encoding::Float if number <= 0.0 => 0,
        Encoding::Float => float::to_half(number) >> (15 - bits),
    }
}

/// A number in [`least`, 1] as a multiple of 1 / `scale`.
fn to_fixed(number: f32, least: f32, scale: u32) -> i32 {
    if number.is_nan() {
        return 0;
    }
    let scaled = number.clamp(least, 1.0) * scale as f32;
    (scaled + 0.5f32.copysign(scaled)) as i32
}
