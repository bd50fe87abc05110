//! What a scene file says: its sections, with values of the right types. Names are looked up elsewhere.

use std::collections::BTreeMap;

use brolga_runtime::{AddressMode, Comparison, Filter, FloatRules, Format};
use serde::Deserialize;
use serde::de::{DeserializeOwned, Deserializer, Error, IgnoredAny};
use serde_json::Value;
use serde_json::value::RawValue;

use super::direct3d9;
use super::error::{Problem, SceneError};
use super::expectation::Expect;
use super::names::{Kind, Named, ResourceFormat, filter};
use super::save::Save;
use super::step::Step;
use crate::raster::{self, BlendOp, Cull, Direct3D9State, Factor, Fill, LogicOp, StencilOp};

/// A scene file.
#[derive(Debug)]
pub(super) struct Document {
    pub name: Option<String>,
    /// Whether its draws are those of Direct3D 9.
    pub is_direct3d9: bool,
    pub shaders: BTreeMap<String, Shader>,
    pub resources: BTreeMap<String, Resource>,
    pub samplers: BTreeMap<String, Sampler>,
    pub pipelines: BTreeMap<String, Pipeline>,
    pub steps: Vec<Step>,
    pub save: Vec<Save>,
    pub expect: Vec<Expect>,
}

/// Items of a section, each of which is read on its own, so that complaints can say where.
type Items<'a> = BTreeMap<String, &'a RawValue>;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(dead_code, reason = "comments are allowed, and not read")]
struct Sections<'a> {
    name: Option<String>,
    api: Option<String>,
    #[serde(borrow, default)]
    shaders: Items<'a>,
    #[serde(borrow, default)]
    resources: Items<'a>,
    #[serde(borrow, default)]
    samplers: Items<'a>,
    #[serde(borrow, default)]
    pipelines: Items<'a>,
    #[serde(borrow)]
    steps: Vec<&'a RawValue>,
    #[serde(borrow, default)]
    save: Vec<&'a RawValue>,
    #[serde(borrow, default)]
    expect: Vec<&'a RawValue>,
    exercises: Option<IgnoredAny>,
    note: Option<IgnoredAny>,
    disagreements: Option<IgnoredAny>,
    references: Option<IgnoredAny>,
}

impl Document {
    /// Reads the text of a scene.
    pub fn parse(text: &str) -> Result<Self, SceneError> {
        let sections: Sections<'_> =
            serde_json::from_str(text).map_err(|error| SceneError::document("", error.to_string()))?;
        let is_direct3d9 = match sections.api.as_deref() {
            None | Some("d3d11") => false,
            Some("d3d9") => true,
            Some(other) => return Err(SceneError::value("api", format!("the API is d3d11 or d3d9, not {other:?}"))),
        };
        let Draws { samplers, pipelines, steps } = match is_direct3d9 {
            true => Draws::of_direct3d9(&sections)?,
            // Where nothing says which API it is, a mistake in one may be right in the other.
            false => Draws::of_direct3d11(&sections).map_err(|mut error| {
                if let Problem::Document { is_direct3d9, .. } = &mut *error.problem {
                    *is_direct3d9 = sections.api.is_none() && Draws::of_direct3d9(&sections).is_ok();
                }
                error
            })?,
        };
        let resources: BTreeMap<String, Resource> = items("resources", &sections.resources)?;
        for (name, resource) in resources.iter().filter(|_| !is_direct3d9) {
            if resource.format.is_some_and(|Named(format)| format.is_direct3d9) {
                let message = "a format of Direct3D 9, in a scene without `\"api\": \"d3d9\"`";
                return Err(SceneError::value(format!("resources.{name}.format"), message));
            }
        }
        let save = sections.save.iter().enumerate().map(|(n, save)| item(&format!("save[{n}]"), save));
        let expect = sections.expect.iter().enumerate().map(|(n, expect)| item(&format!("expect[{n}]"), expect));
        Ok(Self {
            name: sections.name,
            is_direct3d9,
            shaders: items("shaders", &sections.shaders)?,
            resources,
            samplers,
            pipelines,
            steps,
            save: save.collect::<Result<_, _>>()?,
            expect: expect.collect::<Result<_, _>>()?,
        })
    }
}

/// What APIs say in different ways.
struct Draws {
    samplers: BTreeMap<String, Sampler>,
    pipelines: BTreeMap<String, Pipeline>,
    steps: Vec<Step>,
}

impl Draws {
    fn of_direct3d11(sections: &Sections<'_>) -> Result<Self, SceneError> {
        Ok(Self {
            steps: sections.read_steps(Step::parse)?,
            samplers: items("samplers", &sections.samplers)?,
            pipelines: items("pipelines", &sections.pipelines)?,
        })
    }

    fn of_direct3d9(sections: &Sections<'_>) -> Result<Self, SceneError> {
        let samplers = items::<direct3d9::Sampler>("samplers", &sections.samplers)?;
        let mut pipelines = direct3d9::Pipelines::new(items("pipelines", &sections.pipelines)?, &samplers);
        let samplers = samplers.into_iter().map(|(name, sampler)| (name, sampler.into())).collect();
        let steps = sections.read_steps(|place, step| pipelines.step(place, step))?;
        Ok(Self { samplers, pipelines: pipelines.made, steps })
    }
}

impl Sections<'_> {
    fn read_steps(
        &self,
        mut read: impl FnMut(&str, &RawValue) -> Result<Step, SceneError>,
    ) -> Result<Vec<Step>, SceneError> {
        let steps = self.steps.iter().enumerate();
        steps.map(|(n, step)| read(&format!("steps[{n}]"), step)).collect()
    }
}

fn items<T: DeserializeOwned>(section: &str, items: &Items<'_>) -> Result<BTreeMap<String, T>, SceneError> {
    items.iter().map(|(name, raw)| Ok((name.clone(), item(&format!("{section}.{name}"), raw)?))).collect()
}

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
