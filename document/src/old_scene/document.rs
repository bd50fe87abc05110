//! What the items of a scene file say, with values of the right types; those of its steps are in `step.rs`.

use std::collections::BTreeMap;

use brolga_runtime::{AddressMode, Comparison, Filter, FloatRules, Format, StageKind, Stages};
use serde::Deserialize;
use serde::de::{DeserializeOwned, Deserializer, Error, IgnoredAny};
use serde_json::Value;
use serde_json::value::RawValue;

use super::error::SceneError;
use super::names::{Kind, Named, ResourceFormat, filter};
use super::picture::Tolerance;
use crate::job::NumberType;
use crate::raster::{self, BlendOp, Cull, Direct3D9State, Factor, Fill, LogicOp, StencilOp};

/// Reads a value that stands at a place.
pub(super) fn item<T: DeserializeOwned>(place: &str, raw: &RawValue) -> Result<T, SceneError> {
    let mut reader = serde_json::Deserializer::from_str(raw.get());
    serde_path_to_error::deserialize(&mut reader).map_err(|error| {
        let place = match error.path().to_string() {
            path if path == "." => place.to_owned(),
            path => format!("{place}.{path}"),
        };
        // Lines of a part of the text would mislead.
        let message = error.into_inner().to_string();
        let message = message.rsplit_once(" at line ").map_or(message.as_str(), |(message, _)| message);
        let message = match message.split_once(", expected struct ") {
            Some((found, _)) => format!("{found}, expected a table"),
            None => message.to_owned(),
        };
        SceneError::document(place, message)
    })
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Shader {
    pub file: String,
    #[serde(rename = "source")]
    _source: Option<IgnoredAny>,
    #[serde(rename = "entry")]
    _entry: Option<IgnoredAny>,
    #[serde(rename = "model")]
    _model: Option<IgnoredAny>,
    #[serde(rename = "vk_defines")]
    _vk_defines: Option<IgnoredAny>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Resource {
    pub kind: Kind,
    pub size: Option<u64>,
    pub stride: Option<u32>,
    pub format: Option<Named<ResourceFormat>>,
    pub width: Option<u32>,
    pub height: Option<u32>,
    pub depth: Option<u32>,
    pub layers: Option<u32>,
    pub mips: Option<Mips>,
    pub samples: Option<u32>,
    pub file: Option<String>,
    pub f32: Option<Vec<f32>>,
    pub u32: Option<Vec<u32>>,
    pub u16: Option<Vec<u16>>,
}

impl Resource {
    /// One that says nothing but its kind.
    pub fn new(kind: Kind) -> Self {
        Self {
            kind,
            size: None,
            stride: None,
            format: None,
            width: None,
            height: None,
            depth: None,
            layers: None,
            mips: None,
            samples: None,
            file: None,
            f32: None,
            u32: None,
            u16: None,
        }
    }

    /// Whether values say what it holds.
    pub fn has_values(&self) -> bool {
        self.f32.is_some() || self.u32.is_some() || self.u16.is_some()
    }

    /// Whether values say that it holds nothing.
    pub fn is_empty(&self) -> bool {
        let words = self.u32.as_ref().is_some_and(Vec::is_empty) || self.u16.as_ref().is_some_and(Vec::is_empty);
        words || self.f32.as_ref().is_some_and(Vec::is_empty)
    }

    /// Whether it says nothing but its kind and its file.
    pub fn says_only_its_file(&self) -> bool {
        let counts = [self.width, self.height, self.depth, self.layers, self.samples, self.stride];
        let is_silent = counts.iter().all(Option::is_none) && self.size.is_none() && self.mips.is_none();
        is_silent && self.format.is_none() && !self.has_values()
    }
}

/// Mip levels: how many, or all that there can be, made of the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mips {
    Count(u32),
    Generate,
}

impl<'de> Deserialize<'de> for Mips {
    fn deserialize<D: Deserializer<'de>>(value: D) -> Result<Self, D::Error> {
        match Value::deserialize(value)? {
            Value::String(word) if word == "generate" => Ok(Mips::Generate),
            number => match number.as_u64().and_then(|count| u32::try_from(count).ok()) {
                Some(count) => Ok(Mips::Count(count)),
                None => Err(D::Error::custom(format!("mip levels are a number or \"generate\", not {number}"))),
            },
        }
    }
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Sampler {
    #[serde(deserialize_with = "filter")]
    pub filter: Filter,
    pub address: Option<[AddressMode; 3]>,
    pub comparison: Option<Comparison>,
    pub border: Option<[f32; 4]>,
    pub mip_lod_bias: Option<f32>,
    pub min_lod: Option<f32>,
    pub max_lod: Option<f32>,
    pub max_anisotropy: Option<u32>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(dead_code, reason = "`vk_lines` is for another program")]
pub(super) struct Pipeline {
    pub vs: Option<String>,
    pub hs: Option<String>,
    pub ds: Option<String>,
    pub gs: Option<String>,
    pub ps: Option<String>,
    pub cs: Option<String>,
    pub topology: Option<String>,
    #[serde(default)]
    pub input_layout: Vec<InputElement>,
    #[serde(default)]
    pub rasterizer: Rasterizer,
    #[serde(default)]
    pub depth_stencil: DepthStencil,
    #[serde(default)]
    pub blend: Blend,
    pub stream_out: Option<IgnoredAny>,
    #[serde(default)]
    pub fused_mad: bool,
    pub vk_lines: Option<IgnoredAny>,
    /// What a scene of Direct3D 9 says.
    #[serde(skip)]
    pub direct3d9: Option<Direct3D9>,
}

impl Pipeline {
    /// The names of its shaders that draw.
    pub fn shaders(&self) -> Stages<Option<&str>> {
        Stages::from_fn(|stage| match stage {
            StageKind::Vertex => self.vs.as_deref(),
            StageKind::Hull => self.hs.as_deref(),
            StageKind::Domain => self.ds.as_deref(),
            StageKind::Geometry => self.gs.as_deref(),
            StageKind::Pixel => self.ps.as_deref(),
            StageKind::Compute => None,
        })
    }
}

/// What a pipeline of Direct3D 9 has besides.
#[derive(Debug)]
pub(super) struct Direct3D9 {
    pub state: Direct3D9State,
    pub input_layout: Vec<raster::InputElement>,
    pub float_rules: FloatRules,
    /// Texture stages, each with the number of coordinates of which the last divides the others.
    pub projected: Vec<(usize, u8)>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct InputElement {
    pub semantic: String,
    #[serde(default)]
    pub index: u32,
    pub format: Named<Format>,
    #[serde(default)]
    pub slot: u32,
    #[serde(default)]
    pub offset: u32,
    #[serde(default)]
    pub class: Class,
    pub step_rate: Option<u32>,
}

#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Class {
    #[default]
    Vertex,
    Instance,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Rasterizer {
    pub fill_mode: Fill,
    pub cull_mode: Cull,
    pub front_counter_clockwise: bool,
    pub depth_bias: i32,
    pub depth_bias_clamp: f32,
    pub slope_scaled_depth_bias: f32,
    pub depth_clip_enable: bool,
    pub multisample_enable: bool,
}

impl Default for Rasterizer {
    fn default() -> Self {
        Self {
            fill_mode: Fill::Solid,
            cull_mode: Cull::Back,
            front_counter_clockwise: false,
            depth_bias: 0,
            depth_bias_clamp: 0.0,
            slope_scaled_depth_bias: 0.0,
            depth_clip_enable: true,
            multisample_enable: false,
        }
    }
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct DepthStencil {
    pub depth_enable: bool,
    pub depth_write_mask: DepthWriteMask,
    pub depth_func: Comparison,
    pub stencil_enable: bool,
    pub stencil_read_mask: u8,
    pub stencil_write_mask: u8,
    pub front_face: Face,
    pub back_face: Face,
}

/// What happens to stencils on one side of primitives.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Face {
    pub func: Comparison,
    pub fail_op: StencilOp,
    pub depth_fail_op: StencilOp,
    pub pass_op: StencilOp,
}

impl Default for Face {
    fn default() -> Self {
        let keep = StencilOp::Keep;
        Self { func: Comparison::Always, fail_op: keep, depth_fail_op: keep, pass_op: keep }
    }
}

impl Default for DepthStencil {
    fn default() -> Self {
        Self {
            depth_enable: true,
            depth_write_mask: DepthWriteMask::All,
            depth_func: Comparison::Less,
            stencil_enable: false,
            stencil_read_mask: u8::MAX,
            stencil_write_mask: u8::MAX,
            front_face: Face::default(),
            back_face: Face::default(),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub(super) enum DepthWriteMask {
    Zero,
    All,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Blend {
    pub alpha_to_coverage_enable: bool,
    pub independent_blend_enable: bool,
    pub targets: Vec<BlendTarget>,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct BlendTarget {
    pub blend_enable: bool,
    pub src_blend: Factor,
    pub dest_blend: Factor,
    pub blend_op: BlendOp,
    pub src_blend_alpha: Factor,
    pub dest_blend_alpha: Factor,
    pub blend_op_alpha: BlendOp,
    pub logic_op_enable: bool,
    pub logic_op: LogicOp,
    pub write_mask: u8,
}

impl Default for BlendTarget {
    fn default() -> Self {
        Self {
            blend_enable: false,
            src_blend: Factor::One,
            dest_blend: Factor::Zero,
            blend_op: BlendOp::Add,
            src_blend_alpha: Factor::One,
            dest_blend_alpha: Factor::Zero,
            blend_op_alpha: BlendOp::Add,
            logic_op_enable: false,
            logic_op: LogicOp::Noop,
            write_mask: 15,
        }
    }
}

/// What a scene says of a file that it saves.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Save {
    pub resource: String,
    pub file: String,
    #[serde(rename = "type")]
    pub number_type: Option<NumberName>,
    /// Whether it is raw bytes, whatever its name is.
    #[serde(default)]
    pub raw: bool,
}

/// What a scene says of an expectation.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Expect {
    pub id: String,
    #[serde(rename = "fixed")]
    _fixed: Option<IgnoredAny>,
    pub resource: Option<String>,
    pub query: Option<String>,
    pub file: Option<String>,
    pub mip: Option<u32>,
    pub layer: Option<u32>,
    #[serde(default)]
    pub plane: Plane,
    pub values: Option<BTreeMap<String, f64>>,
    #[serde(default, deserialize_with = "tolerance")]
    pub tolerance: Tolerance,
    #[serde(default)]
    pub order: Order,
    #[serde(rename = "type")]
    pub number_type: Option<NumberName>,
    pub element: Option<u64>,
    pub elements: Option<u64>,
}

/// Whether the order of a buffer's elements counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Order {
    #[default]
    Fixed,
    Any,
}

/// Which part of a depth buffer's texels is looked at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Plane {
    #[default]
    Depth,
    Stencil,
}

/// Reads `"exact"` or a table.
fn tolerance<'de, D: Deserializer<'de>>(value: D) -> Result<Tolerance, D::Error> {
    let tolerance = match Value::deserialize(value)? {
        Value::String(name) if name == "exact" => Tolerance::default(),
        table => Tolerance::deserialize(table).map_err(D::Error::custom)?,
    };
    let Tolerance { codes, abs, rel, edge_share, wrong_share } = tolerance;
    match [codes, abs, rel, edge_share, wrong_share].iter().all(|number| *number >= 0.0) {
        true => Ok(tolerance),
        false => Err(D::Error::custom("the numbers of a tolerance are not negative")),
    }
}

/// The name of a type of numbers.
#[derive(Clone, Copy, Debug)]
pub(super) struct NumberName(pub NumberType);

impl<'de> Deserialize<'de> for NumberName {
    fn deserialize<D: Deserializer<'de>>(value: D) -> Result<Self, D::Error> {
        let name = String::deserialize(value)?;
        let unknown = || D::Error::unknown_variant(&name, &NumberType::NAMES);
        NumberType::from_name(&name).map(NumberName).ok_or_else(unknown)
    }
}
