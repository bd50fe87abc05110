//! Texels of a surface as filters want them.

use brolga_ir::float::{self, NAN_F32};

use crate::format::{Encoding, Field, Format};
use crate::resource::Surface;

/// Where a texel is. It need not be inside: what is not reads as zeros.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub level: usize,
    pub layer: u32,
    pub texel: [u32; 3],
}

/// How a component takes part in filters: as a whole number where that is exact.
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
pub(super) struct Texels<'a> {
    surface: Surface<'a>,
    channels: [Channel; 4],
    border_words: [u32; 4],
    border_values: [f64; 4],
}

impl<'a> Texels<'a> {
    pub fn new(surface: &Surface<'a>, border: [f32; 4]) -> Self {
        let format = surface.format;
        let channels = [0, 1, 2, 3].map(|channel| Channel::of(format, channel));
        let border_words = border_words(format, border);
        let mut texels = Self { surface: surface.clone(), channels, border_words, border_values: [0.0; 4] };
        // Not as the nearest code: the border is as fine as the filter.
        for (channel, value) in texels.border_values.iter_mut().enumerate() {
            *value = f64::from(f32::from_bits(border_words[channel])) * channels[channel].scale();
        }
        texels
    }

    pub fn surface(&self) -> &Surface<'a> {
        &self.surface
    }

    /// What a load gives; the border where there is no place.
    pub fn words(&self, place: Option<Place>) -> [u32; 4] {
        match place {
            Some(place) => self.load(place).map_or(self.surface.format.zero(), |texel| self.decode(texel)),
            None => self.border_words,
        }
    }

    /// What filters sum up: [`finish`](Self::finish) makes words of it.
    pub fn values(&self, place: Option<Place>) -> [f64; 4] {
        match place {
            Some(place) => self.load(place).map_or([0.0; 4], |texel| self.texel_values(texel)),
            None => self.border_values,
        }
    }

    /// The words of a texel that reads as the border, if there is such a texel.
    pub fn border_texel(&self) -> Option<[u32; 4]> {
        let texel = self.surface.format.encode(self.border_words);
        let word = |n: u32| (texel >> (32 * n)) as u32;
        (self.decode(texel) == self.border_words).then(|| [word(0), word(1), word(2), word(3)])
    }

    /// The first component of [`values`](Self::values), for comparisons: a denormal is zero.
    pub fn compared(&self, place: Option<Place>) -> f64 {
        let value = self.values(place)[0];
        if self.channels[0] == Channel::Number { f64::from(float::flush(value as f32)) } else { value }
    }

    /// A reference in the units of [`compared`](Self::compared): with the format's precision and range.
    pub fn reference(&self, number: f32) -> f64 {
        let number = float::flush(number);
        let format = self.surface.format;
        match format.fields()[0] {
            Some(field) if field.bits < 32 => self.texel_values(format.encode([number.to_bits(); 4]))[0],
            _ => f64::from(number),
        }
    }

    /// The words of sums of [`values`](Self::values), the weights of which sum up to `total`. Whatever the sum was rounded
    /// to in 53 bits, one rounding to 24 bits follows: so equal texels give just what a load of one gives.
    pub fn finish(&self, sums: [f64; 4], total: f64) -> [u32; 4] {
        let mut words = self.surface.format.zero();
        for ((word, channel), sum) in words.iter_mut().zip(self.channels).zip(sums) {
            if channel != Channel::Missing {
                *word = number_bits(sum / (channel.scale() * total));
            }
        }
        words
    }

    fn decode(&self, texel: u128) -> [u32; 4] {
        self.surface.format.decode(texel)
    }

    fn texel_values(&self, texel: u128) -> [f64; 4] {
        let mut values = [0.0; 4];
        let mut words = None;
        for (index, (value, channel)) in values.iter_mut().zip(self.channels).enumerate() {
            *value = match channel {
                Channel::Missing => 0.0,
                Channel::Code { field, signed } => {
                    let code = (texel >> field.shift) as u32 & u32::MAX >> (32 - field.bits);
                    let unused = 32 - field.bits;
                    match signed {
                        // Of two codes for -1 the lower one counts as the other.
                        true => f64::from((code << unused) as i32 >> unused).max(-channel.scale()),
                        false => f64::from(code),
                    }
                }
                Channel::Number => f64::from(f32::from_bits(words.get_or_insert_with(|| self.decode(texel))[index])),
            };
        }
        values
    }

    /// The bytes of a texel as one little-endian number.
    fn load(&self, place: Place) -> Option<u128> {
        let surface = &self.surface;
        let level = surface.levels.get(place.level)?;
        let [x, y, z] = place.texel;
        if x >= level.extents[0] || y >= level.extents[1] || z >= level.extents[2] || place.layer >= surface.layers {
            return None;
        }
        let texel_bytes = u64::from(surface.format.size_bytes()) * u64::from(surface.samples);
        let at = level.offset_bytes
            + u64::from(place.layer) * surface.layer_bytes
            + u64::from(z) * level.slice_bytes
            + u64::from(y) * level.row_bytes
            + u64::from(x) * texel_bytes;
        let unit = surface.format.unit_bytes();
        let mut texel = 0;
        for byte in (0..surface.format.size_bytes()).step_by(unit as usize) {
            texel |= u128::from(surface.memory.load(at + u64::from(byte), unit)) << (8 * byte);
        }
        Some(texel)
    }
}

impl Channel {
    fn of(format: Format, channel: usize) -> Self {
        let Some(field) = format.fields()[channel] else { return Channel::Missing };
        match format.encoding() {
            Encoding::Unorm => Channel::Code { field, signed: false },
            Encoding::Srgb if channel == 3 => Channel::Code { field, signed: false },
            Encoding::Snorm => Channel::Code { field, signed: true },
            Encoding::Srgb | Encoding::Float | Encoding::Uint | Encoding::Sint => Channel::Number,
        }
    }

    /// What its values are divided by.
    fn scale(self) -> f64 {
        match self {
            Channel::Code { field, signed } => f64::from(u32::MAX >> (32 - field.bits) >> u32::from(signed)),
            Channel::Missing | Channel::Number => 1.0,
        }
    }
}

/// Bits of a computed number, rounded to 24 bits.
pub(super) fn number_bits(number: f64) -> u32 {
    if number.is_nan() { NAN_F32 } else { (number as f32).to_bits() }
}

/// The border as a load would give it: in the format's range, and only the components that the format has. NaN is 0 in
/// fixed point. Where shaders see integers, the colour's whole part counts.
fn border_words(format: Format, border: [f32; 4]) -> [u32; 4] {
    let mut words = format.zero();
    for (channel, number) in border.into_iter().enumerate() {
        let Some(Field { bits, .. }) = format.fields()[channel] else { continue };
        words[channel] = match format.encoding() {
            Encoding::Unorm | Encoding::Srgb => float::saturate(number).to_bits(),
            Encoding::Snorm if number.is_nan() => 0,
            Encoding::Snorm => number.clamp(-1.0, 1.0).to_bits(),
            Encoding::Float if bits >= 16 => number.to_bits(),
            // These have no sign.
            Encoding::Float => float::max(0.0, number).to_bits(),
            Encoding::Uint => (number as u32).min(u32::MAX >> (32 - bits)),
            Encoding::Sint => (number as i32).clamp(i32::MIN >> (32 - bits), i32::MAX >> (32 - bits)) as u32,
        };
    }
    words
}
