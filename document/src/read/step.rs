//! Reads steps of Direct3D 11, and those that both APIs have.

use brolga_runtime::Register;

use super::query::{predicate, queries};
use super::resource::reference;
use crate::error::{Fault, Problem};
use crate::model::step::{
    At, Bind, Clear, Dispatch, DocumentStep, Draw, Frequency, IndexBuffer, StreamTarget, VertexBuffer, What,
};
use crate::text::{Entry, Located, Node, Value};

/// Reads one step.
pub(super) type Read<'a> = dyn FnMut(&Node) -> Result<DocumentStep, Fault> + 'a;

/// Reads steps, and those that they repeat.
pub(super) fn steps(nodes: &[Node], read: &mut Read<'_>) -> Result<Vec<DocumentStep>, Fault> {
    let step = |node: &Node| match node.text_at("op") {
        Some("repeat") => {
            let (count, inner) = (node.integer_at("count").unwrap_or(1), steps(node.items_at("steps"), read)?);
            Ok(DocumentStep::new(What::Repeat { count, steps: inner }, at(node)))
        }
        _ => read(node),
    };
    nodes.iter().map(step).collect()
}

/// The spans of a step's keys.
pub(super) fn at(node: &Node) -> At {
    const KEYS: [&str; 14] = [
        "pipeline",
        "bind",
        "groups",
        "first_group",
        "arguments",
        "index_buffer",
        "vertex_buffers",
        "mesh",
        "depth",
        "depth_target",
        "from",
        "to",
        "primitives",
        "so_targets",
    ];
    let key = |key: &&'static str| Some((*key, node.get(key)?.span.clone()));
    let head = node.entry("op").map_or(node.head(), Entry::span);
    At { head, keys: KEYS.iter().filter_map(key).collect() }
}

/// Reads a step of Direct3D 11.
pub(super) fn of_direct3d11(node: &Node) -> Result<DocumentStep, Fault> {
    let what = match node.text_at("op").unwrap_or_default() {
        "clear" => What::Clear(vec![clear(node)?]),
        "draw" | "draw_indexed" | "draw_indirect" | "draw_indexed_indirect" | "draw_auto" => {
            What::Draw(Box::new(draw(node)?))
        }
        _ => return of_both(node),
    };
    step(what, node)
}

/// A step with the queries that it is counted for, and its condition.
fn step(what: What, node: &Node) -> Result<DocumentStep, Fault> {
    Ok(DocumentStep { queries: queries(node)?, predicate: predicate(node), ..DocumentStep::new(what, at(node)) })
}

/// Reads a step that both APIs have.
pub(super) fn of_both(node: &Node) -> Result<DocumentStep, Fault> {
    let required = |key: &str| reference(node.get(key).unwrap_or(node));
    let what = match node.text_at("op").unwrap_or_default() {
        "copy" => What::Copy { from: required("from")?, to: required("to")? },
        "resolve" => What::Resolve { from: required("from")?, to: required("to")? },
        "generate_mips" => What::GenerateMips(required("resource")?),
        _ => What::Dispatch(Dispatch {
            pipeline: node.named_at("pipeline").unwrap_or_default(),
            bind: bind(node.entries_at("bind"))?,
            groups: node.get("groups").and_then(|node| node.array(Node::integer)).unwrap_or_default(),
            first_group: node.get("first_group").and_then(|node| node.array(Node::integer)).unwrap_or_default(),
            arguments: arguments(node),
        }),
    };
    step(what, node)
}

fn clear(node: &Node) -> Result<Clear, Fault> {
    let clear = Clear {
        resource: reference(node.get("resource").unwrap_or(node))?,
        color: node.get("color").and_then(|node| node.array(Node::float)),
        depth: node.get("depth").and_then(Node::float),
        stencil: node.integer_at("stencil"),
        uint: node.get("uint").and_then(|node| node.array(Node::integer)),
    };
    let of_depth = clear.depth.is_some() || clear.stencil.is_some();
    match usize::from(clear.color.is_some()) + usize::from(of_depth) + usize::from(clear.uint.is_some()) {
        1 => Ok(clear),
        _ => Err((Problem::value("a clear has either `color`, `depth` and `stencil`, or `uint`"), at(node).head)),
    }
}

/// Reads bindings. A slot that is not a register is the name of a declaration of the shader.
pub(super) fn bind(entries: &[Entry]) -> Result<Vec<Bind>, Fault> {
    let one = |entry: &Entry| {
        let register = entry.key.parse::<Register>().ok();
        let reference = reference(&entry.node)?;
        Ok(Bind { slot: entry.key.clone(), register, reference, span: entry.key_span.clone() })
    };
    entries.iter().map(one).collect()
}

fn arguments(node: &Node) -> Option<(Located<String>, u64)> {
    Some((node.named_at("arguments")?, node.integer_at("arguments_offset").unwrap_or(0)))
}

/// References at a key.
pub(super) fn vertex_buffers(node: &Node) -> Vec<VertexBuffer> {
    let one = |node: &Node| {
        Some(VertexBuffer {
            buffer: node.named_at("buffer")?,
            stride: node.integer_at("stride")?,
            offset: node.integer_at("offset").unwrap_or(0),
            frequency: Frequency::Vertex,
            stride_span: node.get("stride").map_or(node.head(), |stride| stride.span.clone()),
        })
    };
    node.items_at("vertex_buffers").iter().filter_map(one).collect()
}

pub(super) fn index_buffer(node: &Node) -> Option<IndexBuffer> {
    let node = node.get("index_buffer")?;
    let is_short = node.text_at("format").is_some_and(|format| format.contains("16"));
    Some(IndexBuffer { buffer: node.named_at("buffer")?, is_short, offset: node.integer_at("offset").unwrap_or(0) })
}

/// Checks that there is either an index buffer or a mesh, if there are indices.
pub(super) fn check_indices(node: &Node, place: &'static str) -> Result<(), Fault> {
    match (node.entry("index_buffer"), node.entry("mesh")) {
        (Some(first), Some(second)) => Err(super::conflict(first, second)),
        (None, None) => Err((Problem::MissingKey { place, key: "index_buffer` or `mesh", meaning: "" }, at(node).head)),
        _ => Ok(()),
    }
}

fn draw(node: &Node) -> Result<Draw, Fault> {
    let op = node.text_at("op").unwrap_or_default();
    if op.contains("indexed") {
        check_indices(node, "a draw with indices")?;
    }
    let needs_count = op == "draw_indexed" && node.get("mesh").is_none();
    if needs_count && node.get("indices").is_none() {
        return Err((
            Problem::MissingKey { place: "a step `draw_indexed`", key: "indices", meaning: "how many are drawn" },
            at(node).head,
        ));
    }
    for (one, several) in [("viewport", "viewports"), ("scissor", "scissors")] {
        if let (Some(first), Some(second)) = (node.entry(one), node.entry(several)) {
            return Err(super::conflict(first, second));
        }
    }
    let viewports = node.items_at("viewports").iter().filter_map(|node| node.array(Node::float));
    let scissors = node.items_at("scissors").iter().filter_map(|node| node.array(Node::integer));
    let (mut viewports, mut scissors) = (viewports, scissors);
    let viewport = node.get("viewport").and_then(|node| node.array(Node::float)).or_else(|| viewports.next());
    let scissor = node.get("scissor").and_then(|node| node.array(Node::integer)).or_else(|| scissors.next());
    let more_viewports = viewports.map(|viewport| (viewport, scissors.next())).collect();
    let offsets: Vec<i64> = node.items_at("so_offsets").iter().filter_map(Node::integer).collect();
    let stream_target = |(n, node): (usize, &Node)| {
        // -1 goes on.
        let offset = offsets.get(n).map_or(Some(0), |&offset| offset.try_into().ok());
        Some(StreamTarget { buffer: Located::new(node.text()?.to_owned(), &node.span), offset })
    };
    let stream_targets = node.items_at("so_targets").iter().enumerate().map(stream_target).collect();
    let all = (0..).zip(node.items_at("targets"));
    let (target_slots, targets): (Vec<u32>, Vec<_>) = all.filter(|(_, target)| target.value != Value::Null).unzip();
    let depth = node.get("depth").map(reference).transpose()?;
    Ok(Draw {
        pipeline: node.named_at("pipeline").unwrap_or_default(),
        targets: targets.into_iter().map(reference).collect::<Result<_, _>>()?,
        target_slots,
        depth,
        read_only_depth: node.is_true("read_only_depth"),
        read_only_stencil: node.is_true("read_only_stencil"),
        bind: bind(node.entries_at("bind"))?,
        mesh: node.named_at("mesh"),
        vertex_buffers: vertex_buffers(node),
        index_buffer: index_buffer(node),
        count: node.integer_at("vertices").or(node.integer_at("indices")),
        first: node.integer_at("first_vertex").or(node.integer_at("first_index")).unwrap_or(0),
        base_vertex: node.integer_at("base_vertex").unwrap_or(0),
        instances: node.integer_at("instances").unwrap_or(1),
        first_instance: node.integer_at("first_instance").unwrap_or(0),
        arguments: arguments(node),
        is_auto: op == "draw_auto",
        stream_targets,
        viewport,
        scissor,
        more_viewports,
        blend_factor: node.get("blend_factor").and_then(|node| node.array(Node::float)),
        sample_mask: node.integer_at("sample_mask"),
        stencil_reference: node.integer_at("stencil_ref").unwrap_or(0),
        direct3d9: None,
    })
}
