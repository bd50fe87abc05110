//! Orders the samples of multisampled textures: in documents and files those of a texel follow each other, in memory each
//! is a plane.

use brolga_runtime::{Buffer, ResourceError, TextureShape, room};

/// Turns texels with their samples, as documents have them, into planes.
pub(super) fn to_planes(buffer: &Buffer, shape: &TextureShape, stop: &dyn Fn() -> bool) -> Result<(), ResourceError> {
    reordered(buffer, shape, stop, |layer, planes| {
        let texels = layer.chunks_exact(texel_bytes(shape)).enumerate();
        let samples = shape.samples as usize;
        let plane_bytes = layer.len() / samples;
        for (n, sample) in texels {
            let at = n % samples * plane_bytes + n / samples * sample.len();
            planes[at..at + sample.len()].copy_from_slice(sample);
        }
    })
    .and_then(|bytes| buffer.write(0, &bytes))
}

/// The content of a multisampled texture as documents have it.
pub(super) fn to_texels(
    buffer: &Buffer,
    shape: &TextureShape,
    stop: &dyn Fn() -> bool,
) -> Result<Vec<u8>, ResourceError> {
    let samples = shape.samples as usize;
    reordered(buffer, shape, stop, |layer, texels| {
        for (sample, plane) in layer.chunks_exact(layer.len() / samples).enumerate() {
            put(texels, plane, [sample, samples], texel_bytes(shape));
        }
    })
}

/// Puts the plane of a sample among texels, whose samples follow each other.
pub(super) fn put(texels: &mut [u8], plane: &[u8], [sample, samples]: [usize; 2], texel_bytes: usize) {
    for (n, texel) in plane.chunks_exact(texel_bytes).enumerate() {
        texels[(n * samples + sample) * texel_bytes..][..texel_bytes].copy_from_slice(texel);
    }
}

fn texel_bytes(shape: &TextureShape) -> usize {
    shape.format.size_bytes() as usize
}

/// The bytes of a texture in another order, layer by layer, until `stop` returns true.
fn reordered(
    buffer: &Buffer,
    shape: &TextureShape,
    stop: &dyn Fn() -> bool,
    order: impl Fn(&[u8], &mut [u8]),
) -> Result<Vec<u8>, ResourceError> {
    let from = buffer.to_vec::<u8>()?;
    let mut to: Vec<u8> = room::zeros(from.len() as u64)?;
    let layer_bytes = from.len() / shape.layers as usize;
    for (from, to) in from.chunks_exact(layer_bytes).zip(to.chunks_exact_mut(layer_bytes)) {
        if stop() {
            return Err(ResourceError::Stopped);
        }
        order(from, to);
    }
    Ok(to)
}
