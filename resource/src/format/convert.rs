//! Converts texels whose components are fields, such as R11G11B10_FLOAT, to the four words that shaders see, and back:
//! section 3.2 of the functional specification. Compiled code does the same with the operations of `ir/src/texel.rs`.
//!
//! * Float to fixed point: NaN is 0; clamp; scale in 32-bit floats; add 0.5 away from zero; truncate.
//! * Float to a smaller float: rounded towards zero, so that no finite number becomes infinite. The floats of 11 and 10
//!   bits are unsigned: negative numbers become zero.
//! * Integers: clamped to the range of the component.
//! * Components that a format lacks read as 0, alpha as 1; in formats of Direct3D 9, all as 1.
//! * Luminance is red, green and blue; it is written as the first of them.
//! * Signed fixed point of 5 bits, which Direct3D 9 alone has, is widened to 8 by repeating the bits below the sign: so
//!   devices without such a format store it.
//!
//! 32-bit components are copied bit for bit. Nothing here depends on the processor's float mode: a denormal float is
//! zero in every narrower format.

use std::marker::PhantomData;

use brolga_ir::float;

use super::codec::{Codec, Described, Encoding, Field, Words};
use super::srgb;

/// A texel with the components of row `D` as fields.
pub(super) struct Fields<D> {
    texel: u128,
    row: PhantomData<D>,
}

impl<D: Described> Codec for Fields<D> {
    const EXTENTS: [u32; 2] = [1, 1];
    const SIZE_BYTES: u32 = {
        assert!(D::PARTS.bits.is_multiple_of(8) && D::PARTS.bits <= 128, "texels are whole bytes, at most 16");
        D::PARTS.bits / 8
    };
    const ENCODE: Option<fn(Words) -> u128> = Some(encode::<D>);

    #[inline(always)]
    fn read(texel: u128) -> Self {
        Self { texel, row: PhantomData }
    }

    #[inline(always)]
    fn texel(&self, _: usize) -> Words {
        let mut words = D::PARTS.zero();
        for (channel, word) in words.iter_mut().enumerate() {
            if let (Some(encoding), Some(Field { shift, bits })) = D::PARTS.channel(channel) {
                *word = decode_component(encoding, (self.texel >> shift) as u32 & mask(bits), bits);
            }
        }
        words
    }
}

fn encode<D: Described>(words: Words) -> u128 {
    let mut texel = 0;
    for (channel, word) in words.into_iter().enumerate() {
        if let (Some(encoding), Some(Field { shift, bits })) = D::PARTS.channel(channel)
            && D::PARTS.is_first(channel)
        {
            texel |= u128::from(encode_component(encoding, word, bits)) << shift;
        }
    }
    texel
}

pub(super) fn mask(bits: u32) -> u32 {
    u32::MAX >> (32 - bits)
}

/// The word of a component of 1 to 32 bits.
#[inline(always)]
pub(super) fn decode_component(encoding: Encoding, code: u32, bits: u32) -> u32 {
    let sign_extended = ((code << (32 - bits)) as i32) >> (32 - bits);
    match encoding {
        Encoding::Uint => code,
        Encoding::Sint => sign_extended as u32,
        Encoding::Unorm => (code as f32 / mask(bits) as f32).to_bits(),
        Encoding::Snorm if bits == 5 => decode_component(encoding, code << 3 | code >> 1 & 7, 8),
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

#[inline(always)]
fn encode_component(encoding: Encoding, word: u32, bits: u32) -> u32 {
    let number = f32::from_bits(word);
    match encoding {
        Encoding::Uint => word.min(mask(bits)),
        Encoding::Sint => {
            let most = mask(bits - 1) as i32;
            (word as i32).clamp(-most - 1, most) as u32 & mask(bits)
        }
        Encoding::Unorm => to_fixed(number, 0.0, mask(bits)) as u32,
        Encoding::Snorm if bits == 5 => encode_component(encoding, word, 8) >> 3,
        Encoding::Snorm => to_fixed(number, -1.0, mask(bits - 1)) as u32 & mask(bits),
        Encoding::Srgb => srgb::from_linear(number),
        Encoding::Float if bits == 32 => word,
        Encoding::Float if bits == 16 => float::to_half(number),
        Encoding::Float if number <= 0.0 => 0,
        Encoding::Float => float::to_half(number) >> (15 - bits),
    }
}

/// A number in [`least`, 1] as a multiple of 1 / `scale`. 32-bit floats have no bit left for the half beside 24 bits.
#[inline(always)]
fn to_fixed(number: f32, least: f32, scale: u32) -> i32 {
    if number.is_nan() {
        return 0;
    }
    let number = number.clamp(least, 1.0);
    if scale > 0xffff {
        let scaled = f64::from(number) * f64::from(scale);
        return (scaled + 0.5f64.copysign(scaled)) as i32;
    }
    let scaled = number * scale as f32;
    (scaled + 0.5f32.copysign(scaled)) as i32
}
