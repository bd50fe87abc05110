//! Checks the vertex and index buffers of a draw against what it reads: Direct3D 9 defines nothing beyond their ends.

use brolga_raster::layout::InputElement;

use super::world::World;
use crate::error::{Fault, Problem};
use crate::model::step::{At, Draw};

/// Checks the strides of a draw's streams, and that its vertices or indices are in their buffers. Index values are not
/// examined.
pub(super) fn check(draw: &Draw, at: &At, layout: &[InputElement], world: &World<'_>) -> Result<(), Fault> {
    let streams = draw.vertex_buffers.len();
    if let Some((n, element)) = layout.iter().enumerate().find(|(_, element)| element.slot as usize >= streams) {
        let message = format!(
            "element {n} of the input layout ({}{}) is in stream {}, but the draw has {streams} of them: the entries of \
             `vertex_buffers` are streams 0, 1 and so on",
            element.semantic, element.index, element.slot,
        );
        return Err((Problem::value(message), at.of("vertex_buffers").clone()));
    }
    let is_indexed = draw.index_buffer.is_some();
    let read = |what, buffer: &str, has: u64| {
        let (first, count) = (u64::from(draw.first), u64::from(draw.count.unwrap_or(0)));
        let end = first + count;
        match count == 0 || end <= has {
            true => Ok(()),
            false => {
                let last = end - 1;
                let message = format!("the draw reads {what} {first} to {last}, but `{buffer}` has {has} of them");
                Err((Problem::value(message), at.of("primitives").clone()))
            }
        }
    };
    for (n, stream) in draw.vertex_buffers.iter().enumerate() {
        let elements = layout.iter().filter(|element| element.slot as usize == n);
        let ends = elements.map(|element| u64::from(element.offset_bytes) + u64::from(element.format.size_bytes()));
        let Some(vertex_bytes) = ends.max() else { continue };
        let stride = u64::from(stream.stride);
        if stride < vertex_bytes {
            let message =
                format!("the elements of stream {n} take {vertex_bytes} bytes, more than its stride of {stride}");
            return Err((Problem::value(message), stream.stride_span.clone()));
        }
        let size_bytes = world.buffer(&stream.buffer.value, &stream.buffer.span)?.size_bytes();
        // The last vertex may lack bytes that no element reads.
        let left = size_bytes.checked_sub(stream.offset).and_then(|left| left.checked_sub(vertex_bytes));
        if !is_indexed {
            read("vertices", &stream.buffer.value, left.map_or(0, |left| left / stride + 1))?;
        }
    }
    if let Some(buffer) = &draw.index_buffer {
        let each = if buffer.is_short { 2 } else { 4 };
        let size_bytes = world.buffer(&buffer.buffer.value, &buffer.buffer.span)?.size_bytes();
        read("indices", &buffer.buffer.value, size_bytes.saturating_sub(buffer.offset) / each)?;
    }
    Ok(())
}
