//! Scenes of Direct3D 9: their samplers, pipelines and steps, in the form that those of Direct3D 11 have.
//!
//! Their state is a list of render states, of the pipeline and then of the step, with the names of `D3DRENDERSTATETYPE` without its prefix
//! and the values of a fresh device where they say nothing. So a step may need a pipeline of its own.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::Value;
use serde_json::value::RawValue;

use super::constants;
use super::document::{self, Address, DepthStencil, DepthWriteMask, item};
use super::error::SceneError;
use super::names::{AddressName, Reference};
use super::step::{self, Clear, IndexBuffer, Step, VertexBuffer};
use crate::raster::{
    BlendOp, Cull, Direct3D9State, Direct3D9Values, Distance, ElementFormat, Factor, Fill, FogMode, InputElement,
    StencilOp,
};
use brolga_runtime::{AddressMode, Comparison, Filter, FloatRules, Tap};

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

/// A sampler, with the values of a fresh device where it says nothing.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Sampler {
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
    srgb_texture: bool,
}

fn no_levels() -> TapName {
    TapName::None
}

/// An address mode, which has an underscore less here.
#[derive(Clone, Copy, Debug)]
struct Nine<T>(T);

impl<'de> Deserialize<'de> for Nine<AddressMode> {
    fn deserialize<D: serde::Deserializer<'de>>(name: D) -> Result<Self, D::Error> {
        let name = String::deserialize(name)?.replace("MIRRORONCE", "MIRROR_ONCE");
        AddressName::deserialize(Value::from(name)).map(Self).map_err(serde::de::Error::custom)
    }
}

impl From<Sampler> for document::Sampler {
    fn from(sampler: Sampler) -> Self {
        let Sampler { mag, min, mip, address, border, mip_lod_bias, max_mip_level, max_anisotropy, srgb_texture: _ } =
            sampler;
        let least = max_mip_level.unwrap_or(0) as f32;
        Self {
            filter: Filter {
                minify: min.tap(),
                magnify: mag.tap(),
                mip: mip.tap(),
                anisotropic: min == TapName::Anisotropic,
                ..Filter::default()
            },
            address: Some(
                address.map_or([AddressMode::Wrap; 3], |address| address.map(|Nine(mode)| mode)).map(Address),
            ),
            comparison: None,
            border,
            mip_lod_bias,
            min_lod: (least > 0.0).then_some(least),
            // Without levels the level of detail still chooses between the filters: it stays above the first, but below half of the next.
            max_lod: (mip == TapName::None).then_some(least + 0.25),
            max_anisotropy: Some(max_anisotropy.unwrap_or(1)),
        }
    }
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Pipeline {
    vs: Option<String>,
    ps: Option<String>,
    topology: Option<String>,
    #[serde(default)]
    input_layout: Vec<Element>,
    #[serde(default)]
    render_states: RenderStates,
    #[serde(default)]
    float_rules: FloatRulesName,
}

/// What arithmetic does with zeros, infinities and NaN.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
enum FloatRulesName {
    #[default]
    Direct3d9,
    Ieee,
}

impl From<FloatRulesName> for FloatRules {
    fn from(name: FloatRulesName) -> Self {
        match name {
            FloatRulesName::Direct3d9 => Self::Direct3D9,
            FloatRulesName::Ieee => Self::Ieee,
        }
    }
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Element {
    usage: String,
    #[serde(default)]
    index: u32,
    #[serde(rename = "type")]
    of_type: String,
    #[serde(default)]
    stream: u32,
    #[serde(default)]
    offset: u32,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ClearStep {
    #[serde(rename = "op")]
    _op: IgnoredAny,
    target: Option<Reference>,
    depth_target: Option<Reference>,
    color: Option<[f32; 4]>,
    depth: Option<f32>,
    stencil: Option<u8>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct DrawStep {
    #[serde(rename = "op")]
    op: String,
    pipeline: String,
    target: Reference,
    depth_target: Option<Reference>,
    #[serde(default)]
    bind: BTreeMap<String, Reference>,
    #[serde(default)]
    vertex_buffers: Vec<VertexBuffer>,
    index_buffer: Option<IndexBuffer>,
    mesh: Option<String>,
    primitives: Option<u32>,
    first_vertex: Option<u32>,
    first_index: Option<u32>,
    base_vertex: Option<i32>,
    viewport: Option<[f32; 6]>,
    scissor: Option<[i32; 4]>,
    #[serde(default)]
    clip_planes: Vec<[f32; 4]>,
    #[serde(default)]
    vs_constants: constants::Named,
    #[serde(default)]
    ps_constants: constants::Named,
    #[serde(default)]
    render_states: RenderStates,
}

/// The pipelines of a scene, and those that steps make of them.
pub(super) struct Pipelines {
    said: BTreeMap<String, Pipeline>,
    /// The names of samplers that see colours along the sRGB curve.
    srgb_samplers: BTreeSet<String>,
    pub made: BTreeMap<String, document::Pipeline>,
}

impl Pipelines {
    pub fn new(said: BTreeMap<String, Pipeline>, samplers: &BTreeMap<String, Sampler>) -> Self {
        let srgb_samplers = samplers.iter().filter(|(_, sampler)| sampler.srgb_texture);
        Self { said, srgb_samplers: srgb_samplers.map(|(name, _)| name.clone()).collect(), made: BTreeMap::new() }
    }

    /// Reads the step at a place.
    pub fn step(&mut self, place: &str, raw: &RawValue) -> Result<Step, SceneError> {
        #[derive(Deserialize)]
        struct Tagged {
            op: String,
        }
        let Tagged { op } = item(place, raw)?;
        match op.as_str() {
            "clear" => clear(place, item(place, raw)?),
            "draw" | "draw_indexed" => self.draw(place, item(place, raw)?).map(|draw| Step::Draw(Box::new(draw))),
            // Those of Direct3D 11 that are the same.
            _ => Step::parse(place, raw),
        }
    }

    fn draw(&mut self, place: &str, step: DrawStep) -> Result<step::Draw, SceneError> {
        let is_indexed = step.op == "draw_indexed";
        let sources = usize::from(step.index_buffer.is_some()) + usize::from(step.mesh.is_some());
        if sources != usize::from(is_indexed) {
            let message =
                "a step `draw_indexed` has one of the keys `index_buffer` and `mesh`, a step `draw` has neither";
            return Err(SceneError::value(place, message));
        }
        let said = super::error::find(&self.said, "pipeline", &step.pipeline, || format!("{place}.pipeline"))?;
        let mut states = States::default();
        states.read(&format!("pipelines.{}.render_states", step.pipeline), &said.render_states)?;
        states.read(&format!("{place}.render_states"), &step.render_states)?;
        let too_many = || SceneError::value(format!("{place}.primitives"), "there are too many vertices");
        let vertices = match (step.primitives, &step.mesh) {
            (Some(primitives), _) => Some(vertices(said, primitives).ok_or_else(too_many)?),
            // It knows how many it has.
            (None, Some(_)) => None,
            (None, None) => return Err(SceneError::value(place, "the step needs the key `primitives`")),
        };
        let (mut vertex_bind, mut bind) = split(place, step.bind)?;
        self.curve(&mut vertex_bind);
        self.curve(&mut bind);
        let planes = step.clip_planes.into_iter().enumerate();
        let planes = planes.filter(|(n, _)| *n < 32 && states.clip_planes >> n & 1 == 1).map(|(_, plane)| plane);
        let values = Direct3D9Values { clip_planes: planes.collect(), ..states.values.clone() };
        let name = match step.render_states.is_empty() {
            true => step.pipeline.clone(),
            false => format!("{} in {place}", step.pipeline),
        };
        if !self.made.contains_key(&name) {
            let made = states.pipeline(&format!("pipelines.{}", step.pipeline), said)?;
            self.made.insert(name.clone(), made);
        }
        Ok(step::Draw {
            pipeline: name,
            targets: vec![Reference { is_srgb: states.writes_srgb, ..step.target }],
            depth: step.depth_target,
            bind,
            vertex_buffers: step.vertex_buffers,
            index_buffer: step.index_buffer,
            mesh: step.mesh,
            vertices: vertices.filter(|_| !is_indexed),
            first_vertex: step.first_vertex,
            indices: vertices.filter(|_| is_indexed),
            first_index: step.first_index,
            base_vertex: step.base_vertex,
            viewport: step.viewport,
            scissor: step.scissor.filter(|_| states.tests_scissor),
            blend_factor: states.blend_factor,
            stencil_ref: states.stencil_reference,
            direct3d9: Some(step::Direct3D9 {
                vertex_bind,
                vertex_constants: step.vs_constants,
                pixel_constants: step.ps_constants,
                values,
            }),
            ..step::Draw::default()
        })
    }
}

impl Pipelines {
    /// Marks the textures of registers whose samplers see colours along the sRGB curve.
    fn curve(&self, bind: &mut Bound) {
        let is_srgb = |(slot, sampler): &(&String, &Reference)| {
            slot.starts_with('s') && self.srgb_samplers.contains(&sampler.resource)
        };
        let textures: Vec<_> = bind.iter().filter(is_srgb).map(|(slot, _)| slot.replace('s', "t")).collect();
        for texture in textures {
            if let Some(texture) = bind.get_mut(&texture) {
                texture.is_srgb = true;
            }
        }
    }
}

/// Vertices of so many primitives.
fn vertices(pipeline: &Pipeline, primitives: u32) -> Option<u32> {
    match pipeline.topology.as_deref() {
        Some("LINELIST") => primitives.checked_mul(2),
        Some("LINESTRIP") => primitives.checked_add(1),
        // That of meshes, too.
        None | Some("TRIANGLELIST") => primitives.checked_mul(3),
        Some("TRIANGLESTRIP" | "TRIANGLEFAN") => primitives.checked_add(2),
        _ => Some(primitives),
    }
}

/// A clear of a colour and one of depths and stencils.
fn clear(place: &str, step: ClearStep) -> Result<Step, SceneError> {
    let ClearStep { target, depth_target, color, depth, stencil, .. } = step;
    let of_color = target.zip(color).map(|(target, color)| Clear::new(target, Some(color), None, None));
    let has_value = depth.is_some() || stencil.is_some();
    let of_depth = depth_target.filter(|_| has_value).map(|target| Clear::new(target, None, depth, stencil));
    let clears: Vec<_> = of_color.into_iter().chain(of_depth).collect();
    match clears.is_empty() {
        true => Err(SceneError::value(place, "a clear has `target` and `color`, `depth_target` and `depth`, or both")),
        false => Ok(Step::Clear(clears)),
    }
}

/// What is bound to the vertex shader, and what to the pixel shader: by registers of shaders.
type Bound = BTreeMap<String, Reference>;

fn split(place: &str, bind: Bound) -> Result<(Bound, Bound), SceneError> {
    let (mut vertex, mut pixel) = (Bound::new(), Bound::new());
    for (slot, reference) in bind {
        let kind = slot.trim_end_matches(|letter: char| letter.is_ascii_digit());
        let number = &slot[kind.len()..];
        let (bound, register) = match (kind, number) {
            ("vc", "0") => (&mut vertex, "b0".to_owned()),
            ("vi", "0") => (&mut vertex, "b1".to_owned()),
            ("vb", "0") => (&mut vertex, "b2".to_owned()),
            ("pc", "0") => (&mut pixel, "b0".to_owned()),
            ("pi", "0") => (&mut pixel, "b1".to_owned()),
            ("pb", "0") => (&mut pixel, "b2".to_owned()),
            ("bump", "0") => (&mut pixel, "b3".to_owned()),
            ("vt", number) => (&mut vertex, format!("t{number}")),
            ("vs", number) => (&mut vertex, format!("s{number}")),
            ("t" | "s", _) => (&mut pixel, slot.clone()),
            _ => {
                let message = "registers of the vertex shader are vc0, vi0, vb0 (constants, from the first on), vt# and vs#, \
                               those of the pixel shader pc0, pi0, pb0, bump0, t# and s#";
                return Err(SceneError::value(format!("{place}.bind.{slot}"), message));
            }
        };
        bound.insert(register, reference);
    }
    Ok((vertex, pixel))
}

/// Render states by name, as they are written.
type RenderStates = BTreeMap<String, Value>;

/// What render states say.
#[derive(Debug)]
struct States {
    direct3d9: Direct3D9State,
    values: Direct3D9Values,
    fog: bool,
    table_fog: FogName,
    tests_alpha: bool,
    alpha_function: Comparison,
    fill: Fill,
    cull: Cull,
    slope_bias: f32,
    depth: DepthStencil,
    two_sided: bool,
    stencil_reference: u8,
    tests_scissor: bool,
    clip_planes: u32,
    blend: document::BlendTarget,
    separate_alpha: bool,
    blend_factor: Option<[f32; 4]>,
    writes_srgb: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
enum FogName {
    None,
    Exp,
    Exp2,
    Linear,
}

impl Default for States {
    fn default() -> Self {
        Self {
            direct3d9: Direct3D9State::default(),
            values: Direct3D9Values::default(),
            fog: false,
            table_fog: FogName::None,
            tests_alpha: false,
            alpha_function: Comparison::Always,
            fill: Fill::Solid,
            cull: Cull::Back,
            slope_bias: 0.0,
            depth: DepthStencil { depth_func: Comparison::LessEqual, ..DepthStencil::default() },
            two_sided: false,
            stencil_reference: 0,
            tests_scissor: true,
            clip_planes: 0,
            blend: document::BlendTarget::default(),
            separate_alpha: false,
            blend_factor: None,
            writes_srgb: false,
        }
    }
}

impl States {
    /// Reads render states over those read before.
    fn read(&mut self, place: &str, states: &RenderStates) -> Result<(), SceneError> {
        for (name, value) in states {
            let at = || format!("{place}.{name}");
            let is_known = self.set(name, value).map_err(|message| SceneError::value(at(), message))?;
            if !is_known {
                return Err(SceneError::unsupported(at(), "this render state is"));
            }
        }
        Ok(())
    }

    /// Sets a render state; whether it is known.
    fn set(&mut self, name: &str, value: &Value) -> Result<bool, String> {
        let Self { direct3d9, values, depth, blend, .. } = self;
        match name {
            "ZENABLE" => depth.depth_enable = flag(value)?,
            "ZWRITEENABLE" => {
                depth.depth_write_mask = if flag(value)? { DepthWriteMask::All } else { DepthWriteMask::Zero };
            }
            "ZFUNC" => depth.depth_func = comparison(value)?,
            "FILLMODE" => self.fill = named(value, &[("SOLID", Fill::Solid), ("WIREFRAME", Fill::Wireframe)])?,
            "CULLMODE" => {
                self.cull = named(value, &[("NONE", Cull::None), ("CW", Cull::Front), ("CCW", Cull::Back)])?;
            }
            "LASTPIXEL" => direct3d9.omits_last_pixels = !flag(value)?,
            "SHADEMODE" => direct3d9.is_flat = named(value, &[("FLAT", true), ("GOURAUD", false)])?,
            "DEPTHBIAS" => direct3d9.depth_bias = number(value)?,
            "SLOPESCALEDEPTHBIAS" => self.slope_bias = number(value)?,
            "ALPHATESTENABLE" => self.tests_alpha = flag(value)?,
            "ALPHAFUNC" => self.alpha_function = comparison(value)?,
            "ALPHAREF" => values.alpha_reference = byte(value)?,
            "FOGENABLE" => self.fog = flag(value)?,
            "FOGTABLEMODE" => self.table_fog = FogName::deserialize(value).map_err(|error| error.to_string())?,
            // The factor is the vertex shader's.
            "FOGVERTEXMODE" | "CLIPPING" => {}
            "FOGCOLOR" => {
                let [red, green, blue, _] = color(value)?;
                values.fog_color = [red, green, blue];
            }
            "FOGSTART" => values.fog_start = number(value)?,
            "FOGEND" => values.fog_end = number(value)?,
            "FOGDENSITY" => values.fog_density = number(value)?,
            "POINTSIZE" => values.point_size = number(value)?,
            "POINTSIZE_MIN" => values.point_size_range[0] = number(value)?,
            "POINTSIZE_MAX" => values.point_size_range[1] = number(value)?,
            "POINTSPRITEENABLE" => direct3d9.has_point_sprites = flag(value)?,
            "CLIPPLANEENABLE" => self.clip_planes = whole(value)?,
            "SCISSORTESTENABLE" => self.tests_scissor = flag(value)?,
            "STENCILENABLE" => depth.stencil_enable = flag(value)?,
            "STENCILFUNC" => depth.front_face.func = comparison(value)?,
            "STENCILFAIL" => depth.front_face.fail_op = stencil_op(value)?,
            "STENCILZFAIL" => depth.front_face.depth_fail_op = stencil_op(value)?,
            "STENCILPASS" => depth.front_face.pass_op = stencil_op(value)?,
            "TWOSIDEDSTENCILMODE" => self.two_sided = flag(value)?,
            "CCW_STENCILFUNC" => depth.back_face.func = comparison(value)?,
            "CCW_STENCILFAIL" => depth.back_face.fail_op = stencil_op(value)?,
            "CCW_STENCILZFAIL" => depth.back_face.depth_fail_op = stencil_op(value)?,
            "CCW_STENCILPASS" => depth.back_face.pass_op = stencil_op(value)?,
            "STENCILREF" => self.stencil_reference = byte(value)?,
            "STENCILMASK" => depth.stencil_read_mask = byte(value)?,
            "STENCILWRITEMASK" => depth.stencil_write_mask = byte(value)?,
            "SRGBWRITEENABLE" => self.writes_srgb = flag(value)?,
            "COLORWRITEENABLE" => blend.write_mask = byte(value)? & 15,
            "ALPHABLENDENABLE" => blend.blend_enable = flag(value)?,
            "SRCBLEND" => blend.src_blend = factor(value)?,
            "DESTBLEND" => blend.dest_blend = factor(value)?,
            "BLENDOP" => blend.blend_op = blend_op(value)?,
            "SEPARATEALPHABLENDENABLE" => self.separate_alpha = flag(value)?,
            "SRCBLENDALPHA" => blend.src_blend_alpha = factor(value)?,
            "DESTBLENDALPHA" => blend.dest_blend_alpha = factor(value)?,
            "BLENDOPALPHA" => blend.blend_op_alpha = blend_op(value)?,
            "BLENDFACTOR" => self.blend_factor = Some(color(value)?),
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// The pipeline with these states.
    fn pipeline(&self, place: &str, said: &Pipeline) -> Result<document::Pipeline, SceneError> {
        let element = |(n, element): (usize, &Element)| {
            let at = || format!("{place}.input_layout[{n}].type");
            let format = ElementFormat::of_declaration(&element.of_type).ok_or_else(|| {
                let known: Vec<_> = ElementFormat::declarations().collect();
                let message = format!("{} is no type of vertices, which are {}", element.of_type, known.join(", "));
                SceneError::value(at(), message)
            })?;
            let new = InputElement::new(&element.usage, format, element.offset).slot(element.stream);
            Ok(InputElement { semantic: element.usage.clone(), index: element.index, ..new })
        };
        let input_layout = said.input_layout.iter().enumerate().map(element).collect::<Result<_, SceneError>>()?;
        let mut blend = self.blend;
        if !self.separate_alpha {
            // Alpha has what colours have, of alphas.
            blend.src_blend_alpha = of_alpha(blend.src_blend);
            blend.dest_blend_alpha = of_alpha(blend.dest_blend);
            blend.blend_op_alpha = blend.blend_op;
        }
        let depth = &self.depth;
        let fog = match self.table_fog {
            FogName::None => FogMode::Vertex,
            FogName::Exp => FogMode::Exponential(Distance::Depth),
            FogName::Exp2 => FogMode::ExponentialSquared(Distance::Depth),
            FogName::Linear => FogMode::Linear(Distance::Depth),
        };
        Ok(document::Pipeline {
            vs: said.vs.clone(),
            ps: said.ps.clone(),
            topology: said.topology.clone(),
            rasterizer: document::Rasterizer {
                fill_mode: self.fill,
                cull_mode: self.cull,
                slope_scaled_depth_bias: self.slope_bias,
                ..document::Rasterizer::default()
            },
            depth_stencil: DepthStencil {
                front_face: depth.front_face,
                back_face: if self.two_sided { depth.back_face } else { depth.front_face },
                ..*depth
            },
            blend: document::Blend { targets: vec![blend], ..document::Blend::default() },
            direct3d9: Some(document::Direct3D9 {
                state: Direct3D9State {
                    alpha_test: self.tests_alpha.then_some(self.alpha_function),
                    fog: self.fog.then_some(fog),
                    ..self.direct3d9
                },
                input_layout,
                float_rules: said.float_rules.into(),
            }),
            ..document::Pipeline::default()
        })
    }
}

/// A factor of colours, for alpha.
fn of_alpha(factor: Factor) -> Factor {
    match factor {
        Factor::SourceColor => Factor::SourceAlpha,
        Factor::InverseSourceColor => Factor::InverseSourceAlpha,
        Factor::DestinationColor => Factor::DestinationAlpha,
        Factor::InverseDestinationColor => Factor::InverseDestinationAlpha,
        Factor::SourceAlphaSaturated => Factor::One,
        other => other,
    }
}

fn flag(value: &Value) -> Result<bool, String> {
    match (value.as_bool(), value.as_u64()) {
        (Some(flag), _) => Ok(flag),
        (_, Some(0 | 1)) => Ok(value.as_u64() == Some(1)),
        _ => Err(format!("the state is true or false, or 1 or 0, not {value}")),
    }
}

fn flag_of<'de, D: serde::Deserializer<'de>>(value: D) -> Result<bool, D::Error> {
    flag(&Value::deserialize(value)?).map_err(serde::de::Error::custom)
}

fn whole(value: &Value) -> Result<u32, String> {
    let number = value.as_u64().and_then(|number| u32::try_from(number).ok());
    number.ok_or_else(|| format!("the state is a whole number of 32 bits, not {value}"))
}

fn byte(value: &Value) -> Result<u8, String> {
    whole(value)?.try_into().map_err(|_| format!("the state is a number up to 255, not {value}"))
}

fn number(value: &Value) -> Result<f32, String> {
    value.as_f64().map(|number| number as f32).ok_or_else(|| format!("the state is a number, not {value}"))
}

/// A `D3DCOLOR`: blue in the lowest byte, alpha in the uppermost.
fn color(value: &Value) -> Result<[f32; 4], String> {
    let [blue, green, red, alpha] = whole(value)?.to_le_bytes().map(|byte| f32::from(byte) / 255.0);
    Ok([red, green, blue, alpha])
}

fn named<T: Copy>(value: &Value, names: &[(&str, T)]) -> Result<T, String> {
    let found = names.iter().find(|(name, _)| value.as_str() == Some(name));
    found.map(|&(_, of_name)| of_name).ok_or_else(|| {
        let known: Vec<_> = names.iter().map(|&(name, _)| name).collect();
        format!("{value} is not one of {}", known.join(", "))
    })
}

fn comparison(value: &Value) -> Result<Comparison, String> {
    named(
        value,
        &[
            ("NEVER", Comparison::Never),
            ("LESS", Comparison::Less),
            ("EQUAL", Comparison::Equal),
            ("LESSEQUAL", Comparison::LessEqual),
            ("GREATER", Comparison::Greater),
            ("NOTEQUAL", Comparison::NotEqual),
            ("GREATEREQUAL", Comparison::GreaterEqual),
            ("ALWAYS", Comparison::Always),
        ],
    )
}

fn stencil_op(value: &Value) -> Result<StencilOp, String> {
    named(
        value,
        &[
            ("KEEP", StencilOp::Keep),
            ("ZERO", StencilOp::Zero),
            ("REPLACE", StencilOp::Replace),
            ("INCRSAT", StencilOp::IncrementSaturated),
            ("DECRSAT", StencilOp::DecrementSaturated),
            ("INVERT", StencilOp::Invert),
            ("INCR", StencilOp::Increment),
            ("DECR", StencilOp::Decrement),
        ],
    )
}

fn factor(value: &Value) -> Result<Factor, String> {
    named(
        value,
        &[
            ("ZERO", Factor::Zero),
            ("ONE", Factor::One),
            ("SRCCOLOR", Factor::SourceColor),
            ("INVSRCCOLOR", Factor::InverseSourceColor),
            ("SRCALPHA", Factor::SourceAlpha),
            ("INVSRCALPHA", Factor::InverseSourceAlpha),
            ("DESTALPHA", Factor::DestinationAlpha),
            ("INVDESTALPHA", Factor::InverseDestinationAlpha),
            ("DESTCOLOR", Factor::DestinationColor),
            ("INVDESTCOLOR", Factor::InverseDestinationColor),
            ("SRCALPHASAT", Factor::SourceAlphaSaturated),
            ("BLENDFACTOR", Factor::BlendFactor),
            ("INVBLENDFACTOR", Factor::InverseBlendFactor),
        ],
    )
}

fn blend_op(value: &Value) -> Result<BlendOp, String> {
    named(
        value,
        &[
            ("ADD", BlendOp::Add),
            ("SUBTRACT", BlendOp::Subtract),
            ("REVSUBTRACT", BlendOp::ReverseSubtract),
            ("MIN", BlendOp::Min),
            ("MAX", BlendOp::Max),
        ],
    )
}
