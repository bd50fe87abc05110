//! Scenes of Direct3D 9: their pipelines and steps, in the form that those of Direct3D 11 have.
//!
//! | file | what |
//! |---|---|
//! | `render_states.rs` | the state of a draw, by names |
//! | `sampler.rs` | samplers |
//! | `registers.rs` | what steps bind |
//! | `vertices.rs` | what draws read of their buffers |
//! | `words.rs` | what their errors say |
//!
//! A draw's state is a list of render states, of the pipeline and then of the step. So a step may need a pipeline of its own.

mod registers;
mod render_states;
mod sampler;
mod vertices;
mod words;

use std::collections::{BTreeMap, BTreeSet};

use brolga_bytecode::sm3::Usage;
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::value::RawValue;

use super::document::{self, DepthStencil, item};
use super::error::{Problem, SceneError};
use super::names::Reference;
use super::step::{self, Clear, IndexBuffer, Step, VertexBuffer, check_keys};
use crate::job::nearest;
use crate::raster::{Direct3D9State, Direct3D9Values, Distance, ElementFormat, Factor, FogMode, InputElement};
use brolga_runtime::FloatRules;
use registers::{Bound, split};
use render_states::{PLANES, RenderStates, States};

pub(super) use registers::written;
pub(super) use sampler::Sampler;
pub(super) use vertices::check as check_vertices;
pub(super) use words::problem;

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
    fog_distance: Option<FogDistanceName>,
    /// By texture stage.
    #[serde(default)]
    projected: BTreeMap<usize, u8>,
}

/// What table fog takes as a distance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
enum FogDistanceName {
    Depth,
    W,
}

impl Pipeline {
    /// What table fog takes as a distance: w of transformed vertices, which bring it along, and depth of others, unless it is said.
    fn fog_distance(&self) -> Distance {
        let is_transformed = |element: &Element| element.usage.ends_with("POSITIONT");
        match self.fog_distance {
            Some(FogDistanceName::W) => Distance::W,
            None if self.input_layout.iter().any(is_transformed) => Distance::W,
            Some(FogDistanceName::Depth) | None => Distance::Depth,
        }
    }
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
    vs_constants: step::NamedConstants,
    #[serde(default)]
    ps_constants: step::NamedConstants,
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
        let of_vertices = [("first_vertex", step.first_vertex.is_some())];
        let of_indices = [("first_index", step.first_index.is_some()), ("base_vertex", step.base_vertex.is_some())];
        check_keys(place, &[], if is_indexed { &of_vertices } else { &of_indices })?;
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
        if step.clip_planes.len() > PLANES {
            let message = format!("{} clip planes, but there are at most {PLANES}", step.clip_planes.len());
            return Err(SceneError::value(format!("{place}.clip_planes"), message));
        }
        let (mut vertex_bind, mut bind) = split(place, step.bind)?;
        self.curve(&mut vertex_bind);
        self.curve(&mut bind);
        let planes = step.clip_planes.into_iter().enumerate();
        let planes = planes.filter(|(n, _)| states.clip_planes >> n & 1 == 1).map(|(_, plane)| plane);
        let values = Direct3D9Values { clip_planes: planes.collect(), ..states.values.clone() };
        let name = match step.render_states.is_empty() {
            true => step.pipeline.clone(),
            false => format!("{} in {place}", step.pipeline),
        };
        if !self.made.contains_key(&name) {
            let pipeline = made(&states, &format!("pipelines.{}", step.pipeline), said)?;
            self.made.insert(name.clone(), pipeline);
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
            blend_factor: Some(states.blend_factor),
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
    let has_value = depth.is_some() || stencil.is_some();
    for (key, has_key, other, has_other) in [
        ("target", target.is_some(), "color", color.is_some()),
        ("depth_target", depth_target.is_some(), "depth` or `stencil", has_value),
    ] {
        match (has_key, has_other) {
            (true, false) => {
                return Err(SceneError::value(place, format!("`{key}` is cleared to a `{other}`, which is missing")));
            }
            (false, true) => {
                return Err(SceneError::value(place, format!("`{other}` is for a `{key}`, which is missing")));
            }
            _ => {}
        }
    }
    let of_color = target.zip(color).map(|(target, color)| Clear::new(target, Some(color), None, None));
    let of_depth = depth_target.map(|target| Clear::new(target, None, depth, stencil));
    let clears: Vec<_> = of_color.into_iter().chain(of_depth).collect();
    match clears.is_empty() {
        true => Err(SceneError::value(place, "a clear has `target` and `color`, `depth_target` and `depth`, or both")),
        false => Ok(Step::Clear(clears)),
    }
}

/// Reads an element of the input layout at a place.
fn element(place: &str, element: &Element) -> Result<InputElement, SceneError> {
    let usages: Vec<_> = Usage::ALL.iter().map(|usage| usage.text().to_uppercase()).collect();
    let usages: Vec<_> = usages.iter().map(String::as_str).collect();
    let known = |key: &str, what, prefix: &str, written: &str, names: &[&str]| {
        let name = written.strip_prefix(prefix).unwrap_or(written).to_owned();
        if names.contains(&name.as_str()) {
            return Ok(name);
        }
        let nearest = nearest(&name, names).map(str::to_owned);
        let known = names.iter().map(|&name| name.to_owned()).collect();
        let problem = Problem::UnknownName { what, name: written.to_owned(), nearest, known };
        Err(SceneError::new(format!("{place}.{key}"), problem))
    };
    let usage = known("usage", "usage", "D3DDECLUSAGE_", &element.usage, &usages)?;
    let types: Vec<_> = ElementFormat::declarations().collect();
    let name = known("type", "type of vertices", "D3DDECLTYPE_", &element.of_type, &types)?;
    let format = ElementFormat::of_declaration(&name).expect("it is one of the names");
    let new = InputElement::new(&usage, format, element.offset).slot(element.stream);
    Ok(InputElement { index: element.index, ..new })
}

/// The pipeline with these states.
fn made(states: &States, place: &str, said: &Pipeline) -> Result<document::Pipeline, SceneError> {
    let elements = said.input_layout.iter().enumerate();
    let elements = elements.map(|(n, said)| element(&format!("{place}.input_layout[{n}]"), said));
    let mut blend = states.blend;
    if !states.separate_alpha {
        // Alpha has what colours have, of alphas.
        blend.src_blend_alpha = of_alpha(blend.src_blend);
        blend.dest_blend_alpha = of_alpha(blend.dest_blend);
        blend.blend_op_alpha = blend.blend_op;
    }
    let depth = &states.depth;
    Ok(document::Pipeline {
        vs: said.vs.clone(),
        ps: said.ps.clone(),
        topology: said.topology.clone(),
        rasterizer: document::Rasterizer {
            fill_mode: states.fill,
            cull_mode: states.cull,
            slope_scaled_depth_bias: states.slope_bias,
            ..document::Rasterizer::default()
        },
        depth_stencil: DepthStencil {
            front_face: depth.front_face,
            back_face: if states.two_sided { depth.back_face } else { depth.front_face },
            ..*depth
        },
        blend: document::Blend { targets: vec![blend], ..document::Blend::default() },
        direct3d9: Some(document::Direct3D9 {
            state: Direct3D9State {
                alpha_test: states.tests_alpha.then_some(states.alpha_function),
                fog: states.fog.then(|| states.table_fog.map_or(FogMode::Vertex, |mode| mode(said.fog_distance()))),
                ..states.direct3d9
            },
            input_layout: elements.collect::<Result<_, SceneError>>()?,
            float_rules: said.float_rules.into(),
            projected: projected(&format!("{place}.projected"), &said.projected)?,
        }),
        ..document::Pipeline::default()
    })
}

/// Reads the stages that divide their coordinates.
fn projected(place: &str, said: &BTreeMap<usize, u8>) -> Result<Vec<(usize, u8)>, SceneError> {
    let check = |(&stage, &count): (&usize, &u8)| {
        let message = if stage >= 4 {
            "there are the texture stages 0 to 3 that divide their coordinates".to_owned()
        } else if !(2..=4).contains(&count) {
            format!("the last of {count} texture coordinates cannot divide the others: there are 2 to 4 of them")
        } else {
            return Ok((stage, count));
        };
        Err(SceneError::value(format!("{place}.{stage}"), message))
    };
    said.iter().map(check).collect()
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
