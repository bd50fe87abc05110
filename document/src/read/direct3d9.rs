//! Reads pipelines and steps of Direct3D 9, and converts them to the form of Direct3D 11.
//!
//! A draw's state is a list of render states, first the pipeline's, then the step's. So a step may need a pipeline of
//! its own.

use std::collections::BTreeSet;

use brolga_raster::direct3d9::{Direct3D9State, Direct3D9Values, Distance, FogMode};
use brolga_raster::layout::{ElementFormat, InputElement};
use brolga_raster::state::{RasterizerState, Topology};
use brolga_runtime::pipeline::state::{Advance, Blend, Equation, Factor, StencilTest};
use brolga_runtime::{FloatRules, StageKind};

use super::pipeline::topology;
use super::render_states::States;
use super::resource::reference;
use super::step::{at, bind, check_indices, index_buffer, of_both};
use super::streams::{instances, streams, targets};
use crate::error::{Fault, Problem};
use crate::model::pipeline::{Direct3D9, Pipeline, TargetKeys};
use crate::model::registers;
use crate::model::resource::NamedValue;
use crate::model::step::{self, Bind, Clear, DocumentStep, Draw, Frequency, VertexBuffer, What};
use crate::model::{Items, NamedSampler};
use crate::schema::words::{DECLARED_TYPES, USAGES};
use crate::text::{Entry, Located, Node, Span};

/// The pipelines of a document, and those made for its steps.
pub(super) struct Pipelines<'a> {
    said: &'a [Entry],
    /// The names of samplers that convert colours from sRGB.
    srgb_samplers: BTreeSet<&'a str>,
    pub made: Items<Pipeline>,
}

impl<'a> Pipelines<'a> {
    pub fn new(said: &'a [Entry], samplers: &'a Items<NamedSampler>) -> Self {
        let srgb_samplers = samplers.iter().filter(|(_, sampler)| sampler.is_srgb);
        Self { said, srgb_samplers: srgb_samplers.map(|(name, _)| name.as_str()).collect(), made: Items::new() }
    }

    /// Reads a step.
    pub fn step(&mut self, node: &Node) -> Result<DocumentStep, Fault> {
        let what = match node.text_at("op").unwrap_or_default() {
            "clear" => What::Clear(clears(node)?),
            "draw" | "draw_indexed" => What::Draw(Box::new(self.draw(node)?)),
            _ => return of_both(node),
        };
        Ok(DocumentStep::new(what, at(node)))
    }

    fn draw(&mut self, node: &Node) -> Result<Draw, Fault> {
        let is_indexed = node.text_at("op") == Some("draw_indexed");
        if is_indexed {
            check_indices(node, "a draw with indices")?;
        }
        let name = node.named_at("pipeline").unwrap_or_default();
        let Some(said) = self.said.iter().find(|entry| entry.key == name.value) else {
            let known: Vec<&str> = self.said.iter().map(|entry| entry.key.as_str()).collect();
            return Err((Problem::unknown_name("pipeline", &name.value, &known), name.span));
        };
        let (mut states, own) = (States::default(), node.entries_at("render_states"));
        states.read(said.node.entries_at("render_states"))?;
        states.read(own)?;
        let mesh = node.named_at("mesh");
        let count = match node.get("primitives") {
            Some(primitives) => {
                let count = primitives.integer().and_then(|count| vertices(&said.node, count));
                let too_many = || (Problem::value("there are too many vertices"), primitives.span.clone());
                Some(count.ok_or_else(too_many)?)
            }
            // The mesh determines the count.
            None if mesh.is_some() => None,
            None => {
                return Err((
                    Problem::MissingKey {
                        place: "a step `draw_indexed`",
                        key: "primitives",
                        meaning: "how many are drawn",
                    },
                    at(node).head,
                ));
            }
        };
        let (mut vertex_bind, mut pixel_bind) = split(bind(node.entries_at("bind"))?)?;
        self.curve(&mut vertex_bind);
        self.curve(&mut pixel_bind);
        let planes = node.items_at("clip_planes").iter().filter_map(|plane| plane.array(Node::float)).enumerate();
        let planes = planes.filter(|(n, _)| states.clip_planes >> n & 1 == 1).map(|(_, plane)| plane);
        let values = Direct3D9Values { clip_planes: planes.collect(), ..states.values.clone() };
        let vertex_buffers = streams(node, !is_transformed(&said.node))?;
        let mut made_name = match own.is_empty() {
            true => name.value.clone(),
            false => format!("{} at byte {}", name.value, node.span.start),
        };
        // Elements advance as their streams do.
        for (n, step) in by_instances(&vertex_buffers) {
            made_name.push_str(&format!(", stream {n} every {step} instances"));
        }
        if !self.made.contains_key(&made_name) {
            self.made.insert(made_name.clone(), made(&states, said, &vertex_buffers)?);
        }
        let constants = |key: &str| node.entries_at(key).iter().map(|entry| NamedValue::new(entry, true)).collect();
        let (target_slots, targets) = targets(node, states.writes_srgb)?;
        let scissor = node.get("scissor").and_then(|node| node.array(Node::integer));
        Ok(Draw {
            pipeline: Located::new(made_name, &name.span),
            targets,
            target_slots,
            depth: node.get("depth_target").map(reference).transpose()?,
            bind: pixel_bind,
            instances: instances(&vertex_buffers),
            vertex_buffers,
            index_buffer: index_buffer(node),
            mesh,
            count,
            first: node.integer_at("first_vertex").or(node.integer_at("first_index")).unwrap_or(0),
            base_vertex: node.integer_at("base_vertex").unwrap_or(0),
            viewport: node.get("viewport").and_then(|node| node.array(Node::float)),
            scissor: scissor.filter(|_| states.tests_scissor),
            blend_factor: Some(states.blend_factor),
            stencil_reference: states.stencil_reference,
            sample_mask: Some(states.sample_mask),
            direct3d9: Some(Box::new(step::Direct3D9 {
                vertex_bind,
                vertex_constants: constants("vs_constants"),
                pixel_constants: constants("ps_constants"),
                values,
            })),
            ..Draw::default()
        })
    }

    /// Marks the textures of registers whose samplers convert colours from sRGB.
    fn curve(&self, bind: &mut [Bind]) {
        let is_srgb = |bind: &&Bind| self.srgb_samplers.contains(bind.reference.resource.as_str());
        let samplers: Vec<_> = bind.iter().filter(is_srgb).filter_map(|bind| bind.register).collect();
        for bind in bind {
            let is_seen = |texture: brolga_runtime::Register| {
                samplers.iter().any(|sampler| brolga_runtime::Register::t(sampler.index) == texture)
            };
            bind.reference.is_srgb |= bind.register.is_some_and(is_seen);
        }
    }
}

/// The bindings of the vertex shader and of the pixel shader, by the engines' registers.
fn split(all: Vec<Bind>) -> Result<(Vec<Bind>, Vec<Bind>), Fault> {
    let (mut vertex, mut pixel) = (Vec::new(), Vec::new());
    for bind in all {
        let Some((stage, register)) = registers::find(&bind.slot) else {
            let message = "registers of the vertex shader are vc0, vi0, vb0 (constants, from the first on), vt0 to vt3 and vs0 to vs3, \
                           those of the pixel shader pc0, pi0, pb0, bump0, t0 to t15 and s0 to s15";
            return Err((Problem::value(message), bind.span));
        };
        let bound = if stage == StageKind::Vertex { &mut vertex } else { &mut pixel };
        bound.push(Bind { register: Some(register), ..bind });
    }
    Ok((vertex, pixel))
}

/// The number of vertices for this many primitives.
fn vertices(pipeline: &Node, primitives: u32) -> Option<u32> {
    match topology(pipeline) {
        Some(Topology::LineList) => primitives.checked_mul(2),
        Some(Topology::LineStrip) => primitives.checked_add(1),
        // Meshes have this topology, too.
        None | Some(Topology::TriangleList) => primitives.checked_mul(3),
        Some(Topology::TriangleStrip | Topology::TriangleFan) => primitives.checked_add(2),
        Some(_) => Some(primitives),
    }
}

/// A clear of a colour and one of depths and stencils.
fn clears(node: &Node) -> Result<Vec<Clear>, Fault> {
    let head = at(node).head;
    let has = |key: &str| node.get(key).is_some();
    let has_value = has("depth") || has("stencil");
    for (key, other, has_other) in
        [("target", "color", has("color")), ("depth_target", "depth` or `stencil", has_value)]
    {
        let message = match (has(key), has_other) {
            (true, false) => format!("`{key}` is cleared to a `{other}`, which is missing"),
            (false, true) => format!("`{other}` is for a `{key}`, which is missing"),
            _ => continue,
        };
        return Err((Problem::value(message), head));
    }
    let mut clears = Vec::new();
    if let Some(target) = node.get("target") {
        let color = node.get("color").and_then(|node| node.array(Node::float));
        clears.push(Clear { resource: reference(target)?, color, depth: None, stencil: None, uint: None });
    }
    if let Some(target) = node.get("depth_target") {
        let (depth, stencil) = (node.get("depth").and_then(Node::float), node.integer_at("stencil"));
        clears.push(Clear { resource: reference(target)?, color: None, depth, stencil, uint: None });
    }
    match clears.is_empty() {
        true => {
            let message = "a clear has `target` and `color`, `depth_target` and `depth`, or both";
            Err((Problem::value(message), head))
        }
        false => Ok(clears),
    }
}

/// The pipeline with these states.
fn made(states: &States, said: &Entry, streams: &[VertexBuffer]) -> Result<Pipeline, Fault> {
    let node = &said.node;
    let mut input_layout: Vec<InputElement> = node.items_at("input_layout").iter().filter_map(element).collect();
    for element in &mut input_layout {
        let own = by_instances(streams).find(|(n, _)| *n == element.slot);
        element.advance = own.map_or(Advance::Vertex, |(_, step)| Advance::Instance { step });
    }
    // By default table fog uses w for transformed vertices, which bring it along, and depth for others.
    let is_transformed = is_transformed(node);
    let distance = match node.text_at("fog_distance").map(str::to_ascii_uppercase).as_deref() {
        Some("W") => Distance::W,
        None if is_transformed => Distance::W,
        _ => Distance::Depth,
    };
    let color = states.color;
    let alpha = match states.separate_alpha {
        true => states.alpha,
        // Alpha is blended like colours, with the factors' alpha counterparts.
        false => Equation { source: of_alpha(color.source), destination: of_alpha(color.destination), op: color.op },
    };
    let stencil = StencilTest {
        back: if states.two_sided { states.stencil.back } else { states.stencil.front },
        ..states.stencil
    };
    // Targets differ in nothing but what is written of them.
    let target =
        |write_mask| TargetKeys { blend: states.blends.then_some(Blend { color, alpha }), logic: None, write_mask };
    let mut pipeline = Pipeline {
        topology: topology(node),
        input_layout,
        rasterizer: RasterizerState {
            fill: states.fill,
            cull: states.cull,
            slope_scaled_depth_bias: states.slope_bias,
            ..RasterizerState::default()
        },
        depth: states.depth,
        stencil: states.tests_stencil.then_some(stencil),
        targets: states.write_masks.map(target).to_vec(),
        has_independent_targets: true,
        direct3d9: Some(Direct3D9 {
            state: Direct3D9State {
                alpha_test: states.tests_alpha.then_some(states.alpha_function),
                fog: states.fog.then(|| states.table_fog.map_or(FogMode::Vertex, |mode| mode(distance))),
                ..states.direct3d9
            },
            float_rules: match node.text_at("float_rules") {
                Some(rules) if rules.eq_ignore_ascii_case("IEEE") => FloatRules::Ieee,
                _ => FloatRules::Direct3D9,
            },
            projected: projected(node.entries_at("projected"))?,
        }),
        span: said.key_span.clone(),
        ..Pipeline::default()
    };
    pipeline.shaders[StageKind::Vertex] = node.named_at("vs");
    pipeline.shaders[StageKind::Pixel] = node.named_at("ps");
    Ok(pipeline)
}

/// The streams that advance by instances, each with the number of instances that read the same element.
fn by_instances(streams: &[VertexBuffer]) -> impl Iterator<Item = (u32, u32)> {
    (0..).zip(streams).filter_map(|(n, stream)| match stream.frequency {
        Frequency::Instance { step } => Some((n, step)),
        Frequency::Vertex | Frequency::Indexed { .. } => None,
    })
}

/// `true` if a pipeline's vertices are transformed already, and no vertex shader runs.
fn is_transformed(pipeline: &Node) -> bool {
    let layout = pipeline.items_at("input_layout").iter();
    layout.filter_map(element).any(|element| element.semantic == "POSITIONT")
}

fn element(node: &Node) -> Option<InputElement> {
    let usage = USAGES.find(node.text_at("usage")?)?.to_uppercase();
    let format = ElementFormat::of_declaration(DECLARED_TYPES.find(node.text_at("type")?)?)?;
    let new = InputElement::new(&usage, format, node.integer_at("offset").unwrap_or(0));
    let index = node.integer_at("index").unwrap_or(0);
    Some(InputElement { index, ..new.slot(node.integer_at("stream").unwrap_or(0)) })
}

/// Reads the stages that divide their coordinates.
fn projected(entries: &[Entry]) -> Result<Vec<(usize, u8)>, Fault> {
    let read = |entry: &Entry| {
        let span: Span = entry.key_span.clone();
        let count: u8 = entry.node.integer().unwrap_or(0);
        let message = match entry.key.parse::<usize>() {
            Ok(stage) if stage < 4 && (2..=4).contains(&count) => return Ok((stage, count)),
            Ok(stage) if stage < 4 => {
                format!("the last of {count} texture coordinates cannot divide the others: there are 2 to 4 of them")
            }
            _ => "there are the texture stages 0 to 3 that divide their coordinates".to_owned(),
        };
        Err((Problem::value(message), span))
    };
    entries.iter().map(read).collect()
}

/// The alpha counterpart of a colour factor.
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
