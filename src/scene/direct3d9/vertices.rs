//! What a draw reads of its vertex and index buffers, held against what they have: Direct3D 9 defines nothing beyond.

use super::super::error::SceneError;
use super::super::memory::World;
use super::super::step::{self, IndexFormat};
use crate::raster::InputElement;

/// Checks the strides of a draw's streams, and that its vertices or indices are in their buffers. What indices point to is not looked at.
pub(in super::super) fn check(
    place: &str,
    step: &step::Draw,
    layout: &[InputElement],
    world: &World<'_>,
) -> Result<(), SceneError> {
    let streams = step.vertex_buffers.len();
    if let Some((n, element)) = layout.iter().enumerate().find(|(_, element)| element.slot as usize >= streams) {
        let message = format!(
            "element {n} of the input layout ({}{}) is in stream {}, but the draw has {streams} of them: the entries of \
             `vertex_buffers` are streams 0, 1 and so on",
            element.semantic, element.index, element.slot,
        );
        return Err(SceneError::value(format!("{place}.vertex_buffers"), message));
    }
    for (n, stream) in step.vertex_buffers.iter().enumerate() {
        let elements = layout.iter().filter(|element| element.slot as usize == n);
        let ends = elements.map(|element| u64::from(element.offset_bytes) + u64::from(element.format.size_bytes()));
        let Some(vertex_bytes) = ends.max() else { continue };
        let (stride, at) = (u64::from(stream.stride), format!("{place}.vertex_buffers[{n}]"));
        if stride < vertex_bytes {
            let message =
                format!("the elements of stream {n} take {vertex_bytes} bytes, more than its stride of {stride}");
            return Err(SceneError::value(format!("{at}.stride"), message));
        }
        let size_bytes = world.buffer(&stream.buffer, || format!("{at}.buffer"))?.size_bytes();
        let first = u64::from(step.first_vertex.unwrap_or(0));
        let read = Read { what: "vertices", first, count: step.vertices.unwrap_or(0).into() };
        // The last one may lack what no element reads.
        let left = size_bytes.checked_sub(stream.offset).and_then(|left| left.checked_sub(vertex_bytes));
        read.check(place, &stream.buffer, left.map_or(0, |left| left / stride + 1))?;
    }
    if let Some(buffer) = &step.index_buffer {
        let at = || format!("{place}.index_buffer.buffer");
        let each = if buffer.format == IndexFormat::Short { 2 } else { 4 };
        let has = world.buffer(&buffer.buffer, at)?.size_bytes().saturating_sub(buffer.offset) / each;
        let first = u64::from(step.first_index.unwrap_or(0));
        let read = Read { what: "indices", first, count: step.indices.unwrap_or(0).into() };
        read.check(place, &buffer.buffer, has)?;
    }
    Ok(())
}

/// A range that a draw reads.
struct Read {
    what: &'static str,
    first: u64,
    count: u64,
}

impl Read {
    /// Checks that a buffer with so many has it.
    fn check(&self, place: &str, buffer: &str, has: u64) -> Result<(), SceneError> {
        let Self { what, first, count } = self;
        let end = first + count;
        match *count == 0 || end <= has {
            true => Ok(()),
            false => {
                let last = end - 1;
                let message = format!("the draw reads {what} {first} to {last}, but `{buffer}` has {has} of them");
                Err(SceneError::value(place, message))
            }
        }
    }
}
