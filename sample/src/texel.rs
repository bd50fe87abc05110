//! Loads texels of a surface as the values that filters combine.

use brolga_ir::float::{self, NAN_F32};
use brolga_resource::format::{Channel, Coding, Encoding, Format, Layout};
use brolga_resource::{Surface, Texel};

/// The texels of a surface, and its border colour.
#[derive(Clone, Debug)]
pub(crate) struct SurfaceTexels {
    surface: Surface,
    layout: Layout,
    /// For block-compressed formats.
    expander: Option<fn(u128, &mut [u64; 16])>,
    border: Border,
}

/// The colour beyond a texture.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Border {
    /// The words that a load would return.
    pub words: [u32; 4],
    /// The values that filters combine.
    pub values: [u32; 4],
}

impl SurfaceTexels {
    pub fn new(surface: &Surface, border: [f32; 4]) -> Self {
        let (format, layout) = (surface.format, Layout::of(surface.format));
        let words = border_words(format, border);
        // Not rounded to the nearest code: the border is as precise as the filter.
        let value = |n: usize| match layout.channels[n] {
            Some(channel) if channel.coding.unit() != 1.0 => {
                (f32::from_bits(words[n]) * channel.coding.unit()).to_bits()
            }
            _ => words[n],
        };
        let border = Border { words, values: [value(0), value(1), value(2), value(3)] };
        Self { surface: surface.clone(), layout, expander: format.expander(), border }
    }

    pub fn surface(&self) -> &Surface {
        &self.surface
    }

    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    pub fn border(&self) -> &Border {
        &self.border
    }

    /// The result of a load; the border where there is no texel.
    pub fn words(&self, texel: Option<Texel>) -> [u32; 4] {
        match texel {
            Some(_) => self.words_of(self.values(texel)),
            None => self.border.words,
        }
    }

    /// The values that filters combine: floats, and codes converted to floats, as bits. [`words_of`](Self::words_of)
    /// makes words of them.
    #[inline(always)]
    pub fn values(&self, texel: Option<Texel>) -> [u32; 4] {
        let Some(texel) = texel else { return self.border.values };
        let zero = self.surface.format.zero();
        let Some(bits) = self.load(texel) else { return zero };
        let [r, g, b, a] = self.layout.channels;
        let value = |channel: Option<Channel>, n: usize| channel.map_or(zero[n], |channel| channel.value(bits));
        [value(r, 0), value(g, 1), value(b, 2), value(a, 3)]
    }

    /// The result words of filtered values.
    pub fn words_of(&self, mut values: [u32; 4]) -> [u32; 4] {
        for (value, unit) in values.iter_mut().zip(self.units()) {
            if unit != 1.0 {
                *value = (f32::from_bits(*value) / unit).to_bits();
            }
        }
        values
    }

    /// The words of sums of [`values`](Self::values) whose weights sum to `total`, rounded once.
    pub fn words_of_sums(&self, sums: [f64; 4], total: f64) -> [u32; 4] {
        let mut words = self.surface.format.zero();
        for (n, unit) in self.units().into_iter().enumerate() {
            if self.layout.channels[n].is_some() {
                words[n] = number_bits(sums[n] / (f64::from(unit) * total));
            }
        }
        words
    }

    /// The first value, for comparisons: a denormal is zero.
    pub fn compared(&self, texel: Option<Texel>) -> f32 {
        float::flush(f32::from_bits(self.values(texel)[0]))
    }

    /// A reference value in the units of [`compared`](Self::compared): with the format's precision and range.
    pub fn reference(&self, number: f32) -> f32 {
        let number = float::flush(number);
        match (self.layout.channels[0], self.surface.format.encoder()) {
            (Some(channel), Some(encode)) if channel.coding != Coding::Float => {
                f32::from_bits(channel.value(encode([number.to_bits(); 4])))
            }
            _ => number,
        }
    }

    /// The unit of the values of each channel.
    fn units(&self) -> [f32; 4] {
        self.layout.channels.map(|channel| channel.map_or(1.0, |channel| channel.coding.unit()))
    }

    /// The bits of a texel, as its layout describes them; `None` outside the memory.
    #[inline(always)]
    fn load(&self, texel: Texel) -> Option<u128> {
        let at = self.surface.block_offset(texel)?;
        let block = self.surface.memory.load_number(at, self.surface.format.size_bytes());
        let Some(expand) = self.expander else { return Some(block) };
        let mut texels = [0; 16];
        expand(block, &mut texels);
        let [width, height] = self.surface.format.block_extents();
        Some(texels[(texel.at[0] % width + texel.at[1] % height * width) as usize].into())
    }
}

/// The bits of a computed value, rounded to 24 bits of mantissa.
pub(crate) fn number_bits(number: f64) -> u32 {
    if number.is_nan() { NAN_F32 } else { (number as f32).to_bits() }
}

/// The smallest fixed-point border that is not 0: far below half of any code, and far above where floats round
/// coarsely.
const FINEST: f32 = 1.0 / (1u64 << 32) as f32;

/// The border as a load would return it: in the range of the format, and only the components that the format has.
/// Denormals are 0; in fixed point so are NaN and values below [`FINEST`]. Where shaders see integers, the colour is
/// truncated.
fn border_words(format: Format, border: [f32; 4]) -> [u32; 4] {
    let mut words = format.zero();
    for (channel, number) in border.into_iter().enumerate() {
        let Some(encoding) = format.channels()[channel] else { continue };
        let number = float::flush(number);
        let bits = format.fields()[channel].map_or(32, |field| field.bits);
        words[channel] = match encoding {
            Encoding::Unorm | Encoding::Srgb | Encoding::Snorm if number.is_nan() || number.abs() < FINEST => 0,
            Encoding::Unorm | Encoding::Srgb => float::saturate(number).to_bits(),
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

/// True if values of a float format can be negative.
fn has_signs(format: Format) -> bool {
    !matches!(format, Format::R11G11B10_FLOAT | Format::R9G9B9E5_SHAREDEXP | Format::BC6H_UF16)
}
