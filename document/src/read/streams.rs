//! Reads the streams of a Direct3D 9 draw with their frequencies, and the render targets that it has.
//!
//! The rules are those of `SetStreamSourceFreq` and of drawing several instances: a draw with indices has the number of
//! instances at stream 0, and other streams say how many instances read the same element. Dividers of draws without
//! indices exist in software vertex processing alone.

use super::resource::reference;
use super::step::vertex_buffers;
use crate::error::{Fault, Problem};
use crate::model::resource::Reference;
use crate::model::step::{Frequency, VertexBuffer};
use crate::text::{Node, Value};

/// Reads the streams of a draw; `has_shader` unless its vertices are transformed already.
pub(super) fn streams(node: &Node, has_shader: bool) -> Result<Vec<VertexBuffer>, Fault> {
    let mut streams = vertex_buffers(node);
    let has_mesh = node.get("mesh").is_some();
    let said = node.items_at("vertex_buffers").iter().map(|stream| stream.get("frequency")).enumerate();
    // A mesh is stream 0, which the document does not list.
    let said: Vec<_> = said.filter_map(|(n, frequency)| Some((n + usize::from(has_mesh), frequency?))).collect();
    let mut instances = None;
    for &(n, said) in &said {
        let bad = |message: String| Err((Problem::value(message), said.span.clone()));
        let frequency = frequency(said, node.text_at("op") == Some("draw_indexed"))?;
        match (frequency, n) {
            (Frequency::Vertex, _) => continue,
            _ if has_mesh => {
                let name = node.text_at("mesh").unwrap_or_default();
                let message = format!("stream 0, which has the number of instances, is the mesh `{name}`");
                let help = format!(
                    "name its parts: `{name}.vertices` as the first of `vertex_buffers`, with a stride of 32, and \
                     `{name}.indices` as `index_buffer`, of the format INDEX32"
                );
                return Err((Problem::with_help(message, help), said.span.clone()));
            }
            _ if !has_shader => {
                return bad("instances need a vertex shader, and vertices with POSITIONT have none".to_owned());
            }
            (Frequency::Instance { .. }, 0) => {
                return bad(
                    "stream 0 has what is drawn, and `indexed_data` says how often: `instance_data` is for the \
                            streams after it"
                        .to_owned(),
                );
            }
            (Frequency::Instance { .. }, _) if instances.is_none() => {
                return bad(format!(
                    "stream {n} advances by instances, but stream 0 does not say how many are drawn: give it a \
                     `frequency` with `indexed_data`"
                ));
            }
            (Frequency::Indexed { instances: count }, 0) => instances = Some(count),
            (Frequency::Indexed { instances: count }, _) if instances != Some(count) => {
                let first = instances.map_or("no number of them".to_owned(), |count| count.to_string());
                return bad(format!(
                    "stream {n} has {count} instances and stream 0 {first}: `indexed_data` is the same in all streams"
                ));
            }
            _ => {}
        }
        streams[n].frequency = frequency;
    }
    Ok(streams)
}

fn frequency(said: &Node, is_indexed: bool) -> Result<Frequency, Fault> {
    let bad = |message: String| Err((Problem::value(message), said.span.clone()));
    if let Some(divider) = said.integer::<u32>() {
        return match divider {
            1 => Ok(Frequency::Vertex),
            0 => bad("a frequency is at least 1".to_owned()),
            _ if is_indexed => bad(format!(
                "a draw with indices has `indexed_data` or `instance_data` as a frequency, not the divider {divider}"
            )),
            _ => {
                let what = "dividers of draws without indices, which only software vertex processing has, are";
                Err((Problem::unsupported(what), said.span.clone()))
            }
        };
    }
    let found = super::one_of(said, &["indexed_data", "instance_data"])?;
    let count = found.and_then(|entry| entry.node.integer());
    match found.map(|entry| entry.key.as_str()).zip(count) {
        Some(_) if !is_indexed => bad("only a draw with indices, `draw_indexed`, has instances".to_owned()),
        Some(("indexed_data", instances)) => Ok(Frequency::Indexed { instances }),
        Some((_, step)) => Ok(Frequency::Instance { step }),
        None => {
            let key = "indexed_data` or `instance_data";
            Err((Problem::MissingKey { place: "a frequency", key, meaning: "" }, said.span.clone()))
        }
    }
}

/// The number of instances of a draw with these streams.
pub(super) fn instances(streams: &[VertexBuffer]) -> u32 {
    match streams.first().map(|stream| stream.frequency) {
        Some(Frequency::Indexed { instances }) => instances,
        _ => 1,
    }
}

/// Reads the render targets of a draw, each with the output that goes to it. Only the first is written along the sRGB
/// curve, if `is_srgb`.
pub(super) fn targets(node: &Node, is_srgb: bool) -> Result<(Vec<u32>, Vec<Reference>), Fault> {
    let node = node.get("target").unwrap_or(node);
    let (mut slots, mut targets) = (Vec::new(), Vec::new());
    for (slot, item) in (0..).zip(node.one_or_more()) {
        if item.value == Value::Null {
            if slot == 0 {
                let message = "a draw has a first render target: only the others can be left out with `null`";
                return Err((Problem::value(message), item.span.clone()));
            }
            continue;
        }
        let mut target = reference(item)?;
        target.is_srgb = is_srgb && slot == 0;
        slots.push(slot);
        targets.push(target);
    }
    Ok((slots, targets))
}
