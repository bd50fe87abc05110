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

#[cfg(test)]
mod tests {
    use super::*;

    /// Every format with one field of each width, so that each pair of encoding and width is met.
    fn each_field(encoding: Encoding) -> impl Iterator<Item = (Format, usize, Field)> {
        Format::ALL.iter().filter(move |format| format.encoding() == encoding).flat_map(|&format| {
            let fields = format.fields().into_iter().enumerate();
            fields.filter_map(move |(channel, field)| Some((format, channel, field?)))
        })
    }

    fn only(channel: usize, word: u32) -> [u32; 4] {
        let mut words = [0; 4];
        words[channel] = word;
        words
    }

    /// Floats of all magnitudes and signs, with all exponents.
    fn floats() -> impl Iterator<Item = f32> {
        (0..=u32::MAX).step_by(65_521).map(f32::from_bits).chain([0.0, -0.0, 0.5, -0.5, 1.0, -1.0, f32::INFINITY])
    }

    /// The value of a float of 5 exponent bits and `fraction` fraction bits, as the specification writes it.
    fn small_float(code: u32, fraction: u32) -> f64 {
        let (exponent, digits) = ((code >> fraction & 31) as i32, f64::from(code & mask(fraction)));
        let scale = 2f64.powi(fraction as i32);
        match exponent {
            31 if digits == 0.0 => f64::INFINITY,
            31 => f64::NAN,
            0 => digits / scale * 2f64.powi(-14),
            _ => (1.0 + digits / scale) * 2f64.powi(exponent - 15),
        }
    }

    fn same(a: f32, b: f64) -> bool {
        f64::from(a) == b || (a.is_nan() && b.is_nan())
    }

    #[test]
    fn every_fixed_point_code_is_read_right_and_comes_back() {
        for (encoding, least) in [(Encoding::Unorm, 0.0), (Encoding::Snorm, -1.0)] {
            for (format, channel, Field { shift, bits }) in each_field(encoding) {
                let signed = encoding == Encoding::Snorm;
                let most = 2f64.powi(bits as i32 - i32::from(signed)) - 1.0;
                for code in 0..=mask(bits) {
                    let number = match signed && code >> (bits - 1) == 1 {
                        true => f64::from(code) - 2f64.powi(bits as i32),
                        false => f64::from(code),
                    };
                    let word = format.decode(u128::from(code) << shift)[channel];
                    assert_eq!(f32::from_bits(word), (number / most).max(least) as f32, "{format} {code:#x}");
                    if number / most >= least {
                        assert_eq!(format.encode(only(channel, word)), u128::from(code) << shift);
                    }
                }
            }
        }
    }

    #[test]
    fn floats_go_to_the_nearest_fixed_point_code() {
        for (encoding, least) in [(Encoding::Unorm, 0.0), (Encoding::Snorm, -1.0)] {
            for (format, channel, Field { shift, bits }) in each_field(encoding) {
                let signed = encoding == Encoding::Snorm;
                let most = 2f64.powi(bits as i32 - i32::from(signed)) - 1.0;
                for number in floats() {
                    let code = (format.encode(only(channel, number.to_bits())) >> shift) as u32;
                    let code =
                        if signed { f64::from((code << (32 - bits)) as i32 >> (32 - bits)) } else { code.into() };
                    if number.is_nan() {
                        assert_eq!(code, 0.0);
                    } else {
                        let exact = f64::from(number).clamp(least, 1.0) * most;
                        // The specification's tolerance.
                        assert!((code - exact).abs() <= 0.6, "{format} {number} {code}");
                    }
                }
            }
        }
    }

    #[test]
    fn halves_up_go_away_from_zero() {
        // 0.5 / 255 and 0.5 / 127 have no exact float; 0.5 of R10G10B10A2's two alpha bits is exactly 1.5.
        let words = [0, 0, 0, 0.5f32.to_bits()];
        assert_eq!(Format::R10G10B10A2_UNORM.encode(words) >> 30, 2);
        assert_eq!(Format::R8_SNORM.encode(only(0, (-0.5f32).to_bits())), 0xc0);
        assert_eq!(Format::R8_SNORM.encode(only(0, 0.5f32.to_bits())), 0x40);
    }

    #[test]
    fn every_small_float_is_read_right() {
        for (format, channel, Field { shift, bits }) in each_field(Encoding::Float).filter(|(_, _, f)| f.bits < 32) {
            let fraction = if bits == 16 { 10 } else { bits - 5 };
            for code in 0..=mask(bits) {
                let sign = if bits == 16 && code >> 15 == 1 { -1.0 } else { 1.0 };
                let value = f32::from_bits(format.decode(u128::from(code) << shift)[channel]);
                assert!(same(value, sign * small_float(code, fraction)), "{format} {code:#x} {value}");
            }
        }
    }

    #[test]
    fn floats_round_towards_zero_when_they_get_smaller() {
        for (format, channel, Field { shift, bits }) in each_field(Encoding::Float).filter(|(_, _, f)| f.bits < 32) {
            let fraction = if bits == 16 { 10 } else { bits - 5 };
            let (least, infinity) = (bits == 16, 31 << fraction);
            for number in floats() {
                let code = (format.encode(only(channel, number.to_bits())) >> shift) as u32 & mask(bits);
                let magnitude = if bits == 16 { code & 0x7fff } else { code };
                if number.is_nan() {
                    assert!(small_float(code, fraction).is_nan());
                    continue;
                }
                if bits == 16 {
                    assert_eq!(code >> 15 == 1, number.is_sign_negative());
                }
                let wanted = f64::from(if least { number.abs() } else { number.max(0.0) });
                if wanted.is_infinite() {
                    assert_eq!(magnitude, infinity);
                } else {
                    // The largest finite code that is not beyond the number.
                    assert!(small_float(magnitude, fraction) <= wanted, "{format} {number}");
                    assert!(
                        magnitude == infinity - 1 || small_float(magnitude + 1, fraction) > wanted,
                        "{format} {number}"
                    );
                }
            }
        }
    }

    #[test]
    fn integers_extend_and_clamp() {
        let words = [0, 1, 2, 127, 128, 255, 256, 511, 512, 32767, 32768, 65535, 65536, 1 << 30, 0x7fff_ffff];
        for word in words.into_iter().flat_map(|word: u32| [word, word.wrapping_neg(), !word]) {
            for (format, channel, Field { shift, bits }) in each_field(Encoding::Uint) {
                let most = 2u64.pow(bits) - 1;
                let code = u128::from(u64::from(word).min(most)) << shift;
                assert_eq!(format.encode(only(channel, word)), code, "{format} {word:#x}");
                assert_eq!(u64::from(format.decode(code)[channel]), u64::from(word).min(most));
            }
            for (format, channel, Field { shift, bits }) in each_field(Encoding::Sint) {
                let most = 2i64.pow(bits - 1);
                let value = i64::from(word as i32).clamp(-most, most - 1);
                let code = (value.rem_euclid(2i64.pow(bits)) as u128) << shift;
                assert_eq!(format.encode(only(channel, word)), code, "{format} {word:#x}");
                assert_eq!(i64::from(format.decode(code)[channel] as i32), value);
            }
        }
    }

    #[test]
    fn channels_lie_where_the_names_say_and_missing_ones_are_0_0_0_1() {
        let one = 1f32.to_bits();
        let bytes = u128::from(u32::from_le_bytes([255, 0, 0, 0]));
        assert_eq!(Format::R8G8B8A8_UNORM.decode(bytes), [one, 0, 0, 0]);
        assert_eq!(Format::B8G8R8A8_UNORM.decode(bytes), [0, 0, one, 0]);
        assert_eq!(Format::R8G8B8A8_UNORM_SRGB.decode(0xff << 24), [0, 0, 0, one]);
        assert_eq!(Format::R32_FLOAT.decode(0x1234_5678), [0x1234_5678, 0, 0, one]);
        assert_eq!(Format::R16G16_SINT.decode(0xffff_0001), [1, u32::MAX, 0, 1]);
        assert_eq!(Format::R32G32B32_UINT.zero(), [0, 0, 0, 1]);
        assert_eq!(Format::R11G11B10_FLOAT.zero(), [0, 0, 0, one]);
        assert_eq!(Format::A8_UNORM.zero(), [0; 4]);
        assert_eq!(Format::A8_UNORM.decode(255), [0, 0, 0, one]);
    }

    #[test]
    fn words_of_32_bits_keep_every_bit() {
        let words = [0x7f80_0001, 0x0000_0001, 0xffff_ffff, 0x8000_0000];
        for format in [Format::R32G32B32A32_FLOAT, Format::R32G32B32A32_UINT, Format::R32G32B32A32_SINT] {
            assert_eq!(format.decode(format.encode(words)), words);
        }
    }
}
