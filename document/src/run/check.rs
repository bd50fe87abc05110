//! Checks what a draw has: its targets against each other, and in Direct3D 9, which defines nothing beyond their ends, its
//! vertex and index buffers against what it reads.

use brolga_raster::layout::InputElement;
use brolga_runtime::View;

use super::world::World;
use crate::error::{Fault, Problem};
use crate::model::step::{At, Draw, Frequency};

/// Checks that a depth buffer is as large as the colour targets, and what Direct3D 9 asks of several targets: they have
/// one size, and a single sample.
pub(super) fn check_targets(said: &Draw, colors: &[View], depth: Option<&View>) -> Result<(), Fault> {
    check_depth(said, colors, depth)?;
    if said.direct3d9.is_none() || colors.len() < 2 {
        return Ok(());
    }
    for (target, view) in said.targets.iter().zip(colors) {
        let (first, name) = (&said.targets[0].resource, &target.resource);
        let message = match (extents(&colors[0]), extents(view), view.subresources()) {
            (Some([width, height, _]), Some([own_width, own_height, _]), _)
                if [width, height] != [own_width, own_height] =>
            {
                format!(
                    "`{name}` has {own_width} x {own_height} pixels, and `{first}` {width} x {height}: all render \
                     targets of a draw have the same size"
                )
            }
            (_, _, Some(part)) if part.texture.shape().samples > 1 => {
                let samples = part.texture.shape().samples;
                format!("`{name}` has {samples} samples, but several render targets of a draw have one each")
            }
            _ => continue,
        };
        return Err((Problem::value(message), target.span.clone()));
    }
    Ok(())
}

/// The extents of a target.
fn extents(view: &View) -> Option<[u32; 3]> {
    let part = view.subresources()?;
    part.texture.level(part.mips.start, 0).ok().map(|level| level.extents)
}

fn check_depth(said: &Draw, colors: &[View], depth: Option<&View>) -> Result<(), Fault> {
    let Some([depth_width, depth_height, _]) = depth.and_then(extents) else { return Ok(()) };
    for (target, view) in said.targets.iter().zip(colors) {
        if let (Some([width, height, _]), Some(depth)) = (extents(view), &said.depth)
            && (depth_width < width || depth_height < height)
        {
            let message = format!(
                "`{}` has {depth_width} x {depth_height} pixels, and the target `{}` {width} x {height}: a depth buffer must \
                 be as large as the target",
                depth.resource, target.resource
            );
            return Err((Problem::value(message), depth.span.clone()));
        }
    }
    Ok(())
}

/// Checks the strides of a draw's streams, and that its vertices or indices are in their buffers. Index values are not
/// examined.
pub(super) fn check_buffers(draw: &Draw, at: &At, layout: &[InputElement], world: &World<'_>) -> Result<(), Fault> {
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
        if let Frequency::Instance { step } = stream.frequency {
            let has = left.map_or(0, |left| left / stride + 1);
            let last = u64::from(draw.instances.saturating_sub(1) / step);
            if last >= has {
                let (name, instances) = (&stream.buffer.value, draw.instances);
                let message = format!(
                    "{instances} instances read the elements 0 to {last} of stream {n}, one for {step} of them, but \
                     `{name}` has {has}"
                );
                return Err((Problem::value(message), at.of("vertex_buffers").clone()));
            }
        } else if !is_indexed {
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
