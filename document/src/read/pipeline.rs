//! Reads pipelines of Direct3D 11.

use brolga_raster::layout::InputElement;
use brolga_raster::pipeline::{PipelineDesc, StreamOutput, StreamOutputEntry};
use brolga_raster::state::{DepthState, RasterizerState, Topology};
use brolga_runtime::pipeline::state::{
    Advance, Blend, BlendOp, Equation, Factor, LogicOp, StencilFace, StencilOp, StencilTest,
};
use brolga_runtime::{Comparison, Format, Module, Semantic, StageKind, Stages};

use super::instances::instances;
use super::resource::format;
use crate::error::{DocumentError, Fault, tree};
use crate::model::pipeline::{Pipeline, TargetKeys};
use crate::schema::words::named;
use crate::schema::{PIPELINE, check_part};
use crate::text::{Entry, Node, Syntax};

/// Reads the state of a pipeline for Direct3D 11 from JSON with the keys of `pipelines`, except those that name
/// shaders: the stages are parameters, as are the formats of its targets and of its depth buffer.
///
/// # Errors
/// If it is not such an object.
pub fn pipeline_state(
    json: &str,
    modules: Stages<Option<Module>>,
    formats: &[Format],
    depth_format: Option<Format>,
) -> Result<PipelineDesc, DocumentError> {
    let read = || {
        let mut node = tree(json, Syntax::Json)?;
        check_part(&PIPELINE, "the pipeline", &mut node)?;
        let span = node.span.clone();
        let pipeline = pipeline(&Entry { key: String::new(), key_span: span, node })?;
        let topology = pipeline.topology.unwrap_or(Topology::TriangleList);
        let input_layout = pipeline.input_layout.clone();
        let formats: Vec<_> = (0..).zip(formats.iter().copied()).collect();
        Ok(PipelineDesc { modules, input_layout, topology, depth_format, ..pipeline.state(&formats) })
    };
    read().map_err(DocumentError::in_argument("pipeline", json))
}

/// A pipeline by its name.
pub(super) fn pipeline(entry: &Entry) -> Result<Pipeline, Fault> {
    let node = &entry.node;
    let mut pipeline = Pipeline {
        fused_mad: node.is_true("fused_mad"),
        topology: topology(node),
        input_layout: node.items_at("input_layout").iter().filter_map(element).collect(),
        span: entry.key_span.clone(),
        ..Pipeline::default()
    };
    for stage in StageKind::ALL {
        pipeline.shaders[stage] = node.named_at(stage.text());
        let key =
            if stage == StageKind::Compute { "instances".to_owned() } else { format!("{}_instances", stage.text()) };
        pipeline.instances[stage] = instances(node.entries_at(&key))?;
    }
    pipeline.stream_output = node.get("stream_out").map(stream_output);
    if let Some(node) = node.get("rasterizer") {
        pipeline.rasterizer = rasterizer(node);
    }
    if let Some(node) = node.get("depth_stencil") {
        let plain = DepthState::default();
        pipeline.depth = DepthState {
            enable: flag(node, "depth_enable", plain.enable),
            write: node.text_at("depth_write_mask").is_none_or(|mask| mask.eq_ignore_ascii_case("ALL")),
            function: node.get("depth_func").and_then(named).unwrap_or(plain.function),
        };
        pipeline.stencil = node.is_true("stencil_enable").then(|| StencilTest {
            read_mask: node.integer_at("stencil_read_mask").unwrap_or(u8::MAX),
            write_mask: node.integer_at("stencil_write_mask").unwrap_or(u8::MAX),
            front: face(node.get("front_face")),
            back: face(node.get("back_face")),
        });
    }
    if let Some(node) = node.get("blend") {
        pipeline.alpha_to_coverage = node.is_true("alpha_to_coverage_enable");
        pipeline.has_independent_targets = node.is_true("independent_blend_enable");
        pipeline.targets = node.items_at("targets").iter().map(target).collect();
    }
    Ok(pipeline)
}

/// The primitive topology, if given.
pub(super) fn topology(node: &Node) -> Option<Topology> {
    named(node.get("topology")?)
}

fn stream_output(node: &Node) -> StreamOutput {
    let entry = |node: &Node| StreamOutputEntry {
        stream: node.integer_at("stream").unwrap_or(0),
        semantic: node.text_at("semantic").map(|name| Semantic::new(name, node.integer_at("index").unwrap_or(0))),
        first_component: node.integer_at("start").unwrap_or(0),
        components: node.integer_at("count").unwrap_or(0),
        buffer: node.integer_at("slot").unwrap_or(0),
    };
    StreamOutput {
        entries: node.items_at("entries").iter().map(entry).collect(),
        strides: node.items_at("strides").iter().filter_map(Node::integer).collect(),
        // -1 is none.
        rasterized_stream: node.integer_at::<i64>("rasterized_stream").map_or(Some(0), |stream| stream.try_into().ok()),
    }
}

fn element(node: &Node) -> Option<InputElement> {
    Some(InputElement {
        semantic: node.text_at("semantic")?.to_owned(),
        index: node.integer_at("index").unwrap_or(0),
        format: node.text_at("format").and_then(format)?.stored.into(),
        slot: node.integer_at("slot").unwrap_or(0),
        offset_bytes: node.integer_at("offset").unwrap_or(0),
        advance: match node.text_at("class") {
            Some(class) if class.eq_ignore_ascii_case("instance") => {
                Advance::Instance { step: node.integer_at("step_rate").unwrap_or(1) }
            }
            _ => Advance::Vertex,
        },
    })
}

fn rasterizer(node: &Node) -> RasterizerState {
    let plain = RasterizerState::default();
    let float = |key: &str, plain: f32| node.get(key).and_then(Node::float).unwrap_or(plain);
    RasterizerState {
        fill: node.get("fill_mode").and_then(named).unwrap_or(plain.fill),
        cull: node.get("cull_mode").and_then(named).unwrap_or(plain.cull),
        front_counter_clockwise: flag(node, "front_counter_clockwise", plain.front_counter_clockwise),
        depth_clip: flag(node, "depth_clip_enable", plain.depth_clip),
        depth_bias: node.integer_at("depth_bias").unwrap_or(plain.depth_bias),
        slope_scaled_depth_bias: float("slope_scaled_depth_bias", plain.slope_scaled_depth_bias),
        depth_bias_clamp: float("depth_bias_clamp", plain.depth_bias_clamp),
        multisample: flag(node, "multisample_enable", plain.multisample),
        conservative: node.is_true("conservative_raster"),
        forced_samples: node.integer_at("forced_sample_count").unwrap_or(plain.forced_samples),
    }
}

fn face(node: Option<&Node>) -> StencilFace {
    let op = |key: &str| node.and_then(|node| node.get(key)).and_then(named).unwrap_or(StencilOp::Keep);
    let test = node.and_then(|node| node.get("func")).and_then(named).unwrap_or(Comparison::Always);
    StencilFace { test, fail: op("fail_op"), depth_fail: op("depth_fail_op"), pass: op("pass_op") }
}

fn target(node: &Node) -> TargetKeys {
    let factor = |key: &str, plain: Factor| node.get(key).and_then(named).unwrap_or(plain);
    let op = |key: &str| node.get(key).and_then(named).unwrap_or(BlendOp::Add);
    let equation = |source: &str, destination: &str, key: &str| Equation {
        source: factor(source, Factor::One),
        destination: factor(destination, Factor::Zero),
        op: op(key),
    };
    let blend = Blend {
        color: equation("src_blend", "dest_blend", "blend_op"),
        alpha: equation("src_blend_alpha", "dest_blend_alpha", "blend_op_alpha"),
    };
    let logic = node.get("logic_op").and_then(named).unwrap_or(LogicOp::Noop);
    TargetKeys {
        blend: node.is_true("blend_enable").then_some(blend),
        logic: node.is_true("logic_op_enable").then_some(logic),
        write_mask: node.integer_at("write_mask").unwrap_or(15),
    }
}

fn flag(node: &Node, key: &str, plain: bool) -> bool {
    node.get(key).and_then(Node::flag).unwrap_or(plain)
}
