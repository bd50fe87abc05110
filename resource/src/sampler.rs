//! Defines the state of samplers: filters, and address modes for coordinates outside a texture.

use brolga_ir::named::numbered;
pub use brolga_ir::pipeline::state::Comparison;

use crate::error::ResourceError;

/// The most samples along the line of an anisotropic filter.
const MOST_ANISOTROPY: u32 = 16;
/// The range of the level bias.
const BIASES: std::ops::RangeInclusive<f32> = -16.0..=15.99;

/// The texels around a position that a filter takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Tap {
    /// The nearest one.
    #[default]
    Point,
    /// The two nearest ones along each axis, weighted by distance.
    Linear,
}

/// The combination of the texels that a filter takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Reduction {
    /// Their weighted sum.
    #[default]
    Weighted,
    /// Each is first compared with a reference; for comparison instructions.
    Comparison,
    /// The minimum of those whose weight is not zero, component by component.
    Minimum,
    /// The maximum of those whose weight is not zero, component by component.
    Maximum,
}

/// A filter, as in `D3D11_FILTER`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct Filter {
    /// Minification: where a texel covers less than a pixel.
    pub minify: Tap,
    /// Magnification: where a texel covers more than a pixel.
    pub magnify: Tap,
    /// Between mip levels.
    pub mip: Tap,
    /// Set if it follows a pixel's footprint on the texture; everything else is then linear.
    pub anisotropic: bool,
    /// The combination of the texels.
    pub reduction: Reduction,
}

numbered! {
    /// The resolution of coordinates outside a texture, as D3D11_TEXTURE_ADDRESS_MODE.
    #[derive(Default)]
    pub enum AddressMode {
        /// The texture repeated.
        Wrap = 1 => "WRAP",
        /// The texture repeated, every other time mirrored.
        Mirror = 2 => "MIRROR",
        /// The texels at its edge.
        #[default]
        Clamp = 3 => "CLAMP",
        /// The border colour.
        Border = 4 => "BORDER",
        /// The texture mirrored once, then the texels at its edge.
        MirrorOnce = 5 => "MIRROR_ONCE",
    }
}

/// The state of a sampler. [`Sampler::default`] is Direct3D's state of an empty slot.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sampler {
    /// The filter.
    pub filter: Filter,
    /// The address modes along u, v and w.
    pub address: [AddressMode; 3],
    /// Added to the level of detail, -16 to 15.99.
    pub level_bias: f32,
    /// The least level of detail. It takes precedence over the largest.
    pub min_level: f32,
    /// The largest level of detail.
    pub max_level: f32,
    /// The most samples along the line of an anisotropic filter, 1 to 16.
    pub max_anisotropy: u32,
    /// The comparison of comparison instructions.
    pub comparison: Comparison,
    /// The colour of [`AddressMode::Border`].
    pub border: [f32; 4],
}

impl Default for Sampler {
    fn default() -> Self {
        let filter = Filter { minify: Tap::Linear, magnify: Tap::Linear, mip: Tap::Linear, ..Filter::default() };
        Self {
            filter,
            address: [AddressMode::Clamp; 3],
            level_bias: 0.0,
            min_level: f32::MIN,
            max_level: f32::MAX,
            max_anisotropy: 1,
            comparison: Comparison::Never,
            border: [0.0; 4],
        }
    }
}

impl Sampler {
    /// True if it is for comparison instructions.
    pub fn compares(&self) -> bool {
        self.filter.reduction == Reduction::Comparison
    }

    /// Returns an error if a value is out of Direct3D's range.
    pub fn check(&self) -> Result<(), ResourceError> {
        let Self { level_bias, min_level, max_level, max_anisotropy, .. } = *self;
        if !BIASES.contains(&level_bias) {
            return Err(ResourceError::LevelBias { level_bias });
        }
        if min_level.is_nan() || max_level.is_nan() {
            return Err(ResourceError::LevelNan);
        }
        if !(1..=MOST_ANISOTROPY).contains(&max_anisotropy) {
            return Err(ResourceError::Anisotropy { max_anisotropy });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_out_of_range_are_errors() {
        let good = Sampler::default();
        assert!(good.check().is_ok());
        let bad = [
            Sampler { level_bias: 16.0, ..good },
            Sampler { level_bias: f32::NAN, ..good },
            Sampler { min_level: f32::NAN, ..good },
            Sampler { max_anisotropy: 0, ..good },
            Sampler { max_anisotropy: 17, ..good },
        ];
        assert!(bad.iter().all(|sampler| sampler.check().is_err()));
    }
}
