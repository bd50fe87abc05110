//! Texels of a surface in the form that filters use.

use brolga_ir::float::{self, NAN_F32};
use brolga_resource::format::{Encoding, Field, Format};
use brolga_resource::{Surface, Texel};

/// How a component is filtered: as an integer where that is exact.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Channel {
    /// The format lacks it.
    Missing,
    /// Fixed point: its code, to be divided by the largest one.
    Code { field: Field, signed: bool },
    /// Its number.
    Number,
}

/// The texels of a surface and its border.
#[derive(Clone, Debug)]
pub(crate) struct Texels {
    surface: Surface,
    channels: [Channel; 4],
    /// For formats in which a block is one texel.
    decoder: Option<fn(u128) -> [u32; 4]>,
    border_words: [u32; 4],
    border_values: [f64; 4],
}

impl Texels {
    pub fn new(surface: &Surface, border: [f32; 4]) -> Self {
        let format = surface.format;
        let channels = [0, 1, 2, 3].map(|channel| Channel::of(format, channel));
        let border_words = border_words(format, border);
        let decoder = (format.block_extents() == [1, 1]).then(|| format.decoder());
        let mut texels = Self { surface: surface.clone(), channels, decoder, border_words, border_values: [0.0; 4] };
        // Not rounded to the nearest code: the border is as precise as the filter.
        for (channel, value) in texels.border_values.iter_mut().enumerate() {
            *value = f64::from(f32::from_bits(border_words[channel])) * channels[channel].scale();
        }
        texels
    }

    pub fn surface(&self) -> &Surface {
        &self.surface
    }

    /// The result of a load; the border where there is no texel.
    pub fn words(&self, texel: Option<Texel>) -> [u32; 4] {
        match texel {
            Some(texel) => self.load(texel).map_or(self.surface.format.zero(), |block| self.decode(block, texel)),
            None => self.border_words,
        }
    }

    /// The values that filters sum: [`finish`](Self::finish) converts them to words.
    #[inline(always)]
    pub fn values(&self, texel: Option<Texel>) -> [f64; 4] {
        match texel {
            Some(texel) => self.load(texel).map_or([0.0; 4], |block| self.block_values(block, texel)),
            None => self.border_values,
        }
    }

    /// The first component of [`values`](Self::values), for comparisons: a denormal is zero.
    pub fn compared(&self, texel: Option<Texel>) -> f64 {
        let value = self.values(texel)[0];
        if self.channels[0] == Channel::Number { f64::from(float::flush(value as f32)) } else { value }
    }

    /// A reference in the units of [`compared`](Self::compared): with the format's precision and range.
    pub fn reference(&self, number: f32) -> f64 {
        let number = float::flush(number);
        let format = self.surface.format;
        match (format.fields()[0], format.encoder()) {
            (Some(field), Some(encode)) if field.bits < 32 => {
                self.block_values(encode([number.to_bits(); 4]), Texel::default())[0]
            }
            _ => f64::from(number),
        }
    }

    /// The words of sums of [`values`](Self::values) whose weights sum to `total`. However the sum was rounded to 53
    /// bits, one rounding to 24 bits follows: so equal texels yield exactly what a load of one does.
    pub fn finish(&self, sums: [f64; 4], total: f64) -> [u32; 4] {
        let mut words = self.surface.format.zero();
        for ((word, channel), sum) in words.iter_mut().zip(self.channels).zip(sums) {
            if channel != Channel::Missing {
                *word = number_bits(sum / (channel.scale() * total));
            }
        }
        words
    }

    /// Whether it has channels that are numbers, not codes.
    pub fn has_numbers(&self) -> bool {
        self.channels.contains(&Channel::Number)
    }

    /// The words of numbers, if all channels are numbers, and these are finite.
    pub fn number_words(&self, numbers: [f32; 4]) -> Option<[u32; 4]> {
        let mut words = self.surface.format.zero();
        for ((word, channel), number) in words.iter_mut().zip(self.channels).zip(numbers) {
            match channel {
                Channel::Missing => {}
                Channel::Number if number.is_finite() => *word = number.to_bits(),
                Channel::Number | Channel::Code { .. } => return None,
            }
        }
        Some(words)
    }

    /// Puts numbers in the place of the words of their channels, where they are finite.
    pub fn replace_numbers(&self, words: &mut [u32; 4], numbers: [f32; 4]) {
        for ((word, channel), number) in words.iter_mut().zip(self.channels).zip(numbers) {
            if channel == Channel::Number && number.is_finite() {
                *word = number.to_bits();
            }
        }
    }

    #[inline(always)]
    fn decode(&self, block: u128, texel: Texel) -> [u32; 4] {
        match self.decoder {
            Some(decode) => decode(block),
            None => self.surface.format.decode_texel(block, texel.at[0], texel.at[1]),
        }
    }

    #[inline(always)]
    fn block_values(&self, block: u128, texel: Texel) -> [f64; 4] {
        if self.channels.contains(&Channel::Number) {
            let numbers = self.decode(block, texel).map(|word| f64::from(f32::from_bits(word)));
            return [0, 1, 2, 3].map(|index| match self.channels[index] {
                Channel::Number => numbers[index],
                channel => channel.code(block),
            });
        }
        let [r, g, b, a] = self.channels;
        [r.code(block), g.code(block), b.code(block), a.code(block)]
    }

    /// The block that a texel is in, as one little-endian number; none outside.
    #[inline(always)]
    fn load(&self, texel: Texel) -> Option<u128> {
        let at = self.surface.block_offset(texel)?;
        Some(self.surface.memory.load_number(at, self.surface.format.size_bytes()))
    }
}

impl Channel {
    fn of(format: Format, channel: usize) -> Self {
        match (format.channels()[channel], format.fields()[channel]) {
            (None, _) => Channel::Missing,
            (Some(Encoding::Unorm), Some(field)) => Channel::Code { field, signed: false },
            // Codes of 5 bits are widened to others.
            (Some(Encoding::Snorm), Some(field)) if field.bits != 5 => Channel::Code { field, signed: true },
            (Some(_), _) => Channel::Number,
        }
    }

    /// The code as an integer, in formats in which a block is one texel.
    fn code(self, texel: u128) -> f64 {
        let Channel::Code { field, signed } = self else { return 0.0 };
        let unused = 32 - field.bits;
        let code = (texel >> field.shift) as u32 & u32::MAX >> unused;
        match signed {
            // Of two codes for -1 the lower one counts as the other.
            true => f64::from((code << unused) as i32 >> unused).max(-self.scale()),
            false => f64::from(code),
        }
    }

    /// The divisor of its values.
    fn scale(self) -> f64 {
        match self {
            Channel::Code { field, signed } => f64::from(u32::MAX >> (32 - field.bits) >> u32::from(signed)),
            Channel::Missing | Channel::Number => 1.0,
        }
    }
}

/// Bits of a computed number, rounded to 24 bits.
pub(crate) fn number_bits(number: f64) -> u32 {
    if number.is_nan() { NAN_F32 } else { (number as f32).to_bits() }
}

/// The border as a load would return it: in the format's range, and only the components that the format has. NaN is 0
/// in fixed point. Where shaders see integers, the colour is truncated.
fn border_words(format: Format, border: [f32; 4]) -> [u32; 4] {
    let mut words = format.zero();
    for (channel, number) in border.into_iter().enumerate() {
        let Some(encoding) = format.channels()[channel] else { continue };
        let bits = format.fields()[channel].map_or(32, |field| field.bits);
        words[channel] = match encoding {
            Encoding::Unorm | Encoding::Srgb => float::saturate(number).to_bits(),
            Encoding::Snorm if number.is_nan() => 0,
            Encoding::Snorm => number.clamp(-1.0, 1.0).to_bits(),
            Encoding::Uint => (number as u32).min(u32::MAX >> (32 - bits)),
            Encoding::Sint => (number as i32).clamp(i32::MIN >> (32 - bits), i32::MAX >> (32 - bits)) as u32,
            // Floats.
            _ if has_signs(format) => number.to_bits(),
            _ => float::max(0.0, number).to_bits(),
        };
    }
    words
}

/// Whether numbers of a float format can be negative.
fn has_signs(format: Format) -> bool {
    !matches!(format, Format::R11G11B10_FLOAT | Format::R9G9B9E5_SHAREDEXP | Format::BC6H_UF16)
}
