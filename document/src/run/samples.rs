//! Orders the samples of multisampled textures: in documents and files those of a texel follow each other, in memory each
//! is a plane.

use brolga_runtime::{Buffer, ResourceError, TextureShape, room};

/// Turns texels with their samples, as documents have them, into planes.
pub(super) fn to_planes(buffer: &Buffer, shape: &TextureShape, stop: &dyn Fn() -> bool) -> Result<(), ResourceError> {
    let (texels, planes) = (buffer.to_vec::<u8>()?, Order::new(shape)?);
    let mut bytes = room::zeros(buffer.size_bytes())?;
    planes
        .pairs(stop, |texel, plane, size| bytes[plane..plane + size].copy_from_slice(&texels[texel..texel + size]))?;
    buffer.write(0, &bytes)
}

/// The content of a multisampled texture as documents have it.
pub(super) fn to_texels(
    buffer: &Buffer,
    shape: &TextureShape,
    stop: &dyn Fn() -> bool,
) -> Result<Vec<u8>, ResourceError> {
    let (bytes, planes) = (buffer.to_vec::<u8>()?, Order::new(shape)?);
    let mut texels = room::zeros(buffer.size_bytes())?;
    planes
        .pairs(stop, |texel, plane, size| texels[texel..texel + size].copy_from_slice(&bytes[plane..plane + size]))?;
    Ok(texels)
}

/// The sizes that offsets follow from.
struct Order {
    layers: usize,
    samples: usize,
    plane_bytes: usize,
    texel_bytes: usize,
}

impl Order {
    fn new(shape: &TextureShape) -> Result<Self, ResourceError> {
        let (layers, samples) = (shape.layers as usize, shape.samples as usize);
        let plane_bytes = shape.size_bytes()? as usize / layers / samples;
        Ok(Self { layers, samples, plane_bytes, texel_bytes: shape.format.size_bytes() as usize })
    }

    /// Calls a function with the offset of each sample among texels, its offset in planes, and its size.
    fn pairs(&self, stop: &dyn Fn() -> bool, mut pair: impl FnMut(usize, usize, usize)) -> Result<(), ResourceError> {
        let &Self { layers, samples, plane_bytes, texel_bytes } = self;
        for plane in 0..layers * samples {
            if stop() {
                return Err(ResourceError::Stopped);
            }
            let (layer, sample) = (plane / samples, plane % samples);
            for n in 0..plane_bytes / texel_bytes {
                let texel = (layer * plane_bytes / texel_bytes + n) * samples + sample;
                pair(texel * texel_bytes, plane * plane_bytes + n * texel_bytes, texel_bytes);
            }
        }
        Ok(())
    }
}
