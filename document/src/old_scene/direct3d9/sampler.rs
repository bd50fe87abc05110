//! Samplers of Direct3D 9, with the values of a fresh device where they say nothing.

use serde::Deserialize;
use serde_json::Value;

use super::super::document;
use super::render_states::flag;
use brolga_runtime::{AddressMode, Filter, Tap};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
enum TapName {
    None,
    #[default]
    Point,
    Linear,
    Anisotropic,
}

impl TapName {
    fn tap(self) -> Tap {
        if matches!(self, Self::None | Self::Point) { Tap::Point } else { Tap::Linear }
    }
}

/// A sampler's states.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in super::super) struct Sampler {
    #[serde(default)]
    mag: TapName,
    #[serde(default)]
    min: TapName,
    #[serde(default = "no_levels")]
    mip: TapName,
    address: Option<[Nine<AddressMode>; 3]>,
    border: Option<[f32; 4]>,
    mip_lod_bias: Option<f32>,
    max_mip_level: Option<u32>,
    max_anisotropy: Option<u32>,
    #[serde(default, deserialize_with = "flag_of")]
    pub(super) srgb_texture: bool,
}

fn no_levels() -> TapName {
    TapName::None
}

fn flag_of<'de, D: serde::Deserializer<'de>>(value: D) -> Result<bool, D::Error> {
    flag(&Value::deserialize(value)?).map_err(serde::de::Error::custom)
}

/// An address mode, which has an underscore less here.
#[derive(Clone, Copy, Debug)]
struct Nine<T>(T);

impl<'de> Deserialize<'de> for Nine<AddressMode> {
    fn deserialize<D: serde::Deserializer<'de>>(name: D) -> Result<Self, D::Error> {
        let name = String::deserialize(name)?.replace("MIRRORONCE", "MIRROR_ONCE");
        AddressMode::deserialize(Value::from(name)).map(Self).map_err(serde::de::Error::custom)
    }
}

impl From<Sampler> for document::Sampler {
    fn from(sampler: Sampler) -> Self {
        let Sampler { mag, min, mip, address, border, mip_lod_bias, max_mip_level, max_anisotropy, srgb_texture: _ } =
            sampler;
        // Without a filter between levels there is the first alone, whatever the finest one is.
        let least = if mip == TapName::None { 0.0 } else { max_mip_level.unwrap_or(0) as f32 };
        Self {
            filter: Filter {
                minify: min.tap(),
                magnify: mag.tap(),
                mip: mip.tap(),
                anisotropic: min == TapName::Anisotropic,
                ..Filter::default()
            },
            address: Some(address.map_or([AddressMode::Wrap; 3], |address| address.map(|Nine(mode)| mode))),
            comparison: None,
            border,
            mip_lod_bias,
            min_lod: (least > 0.0).then_some(least),
            // Without levels the level of detail still chooses between the filters: it stays above the first, but below half of the next.
            max_lod: (mip == TapName::None).then_some(0.25),
            max_anisotropy: Some(max_anisotropy.unwrap_or(1)),
        }
    }
}
