//! Orders the samples of multisampled textures: in documents and files those of a texel follow each other, in memory each
//! is a plane.

use brolga_runtime::{Buffer, ResourceError, TextureShape, room};

use crate::compare::sort::go_on;

/// Texels that are moved between two calls of `stop`.
const PIECE: usize = 1 << 16;

/// The planes of texels with their samples, as documents have them.
pub(super) fn to_planes(
    buffer: &Buffer,
    shape: &TextureShape,
    stop: &dyn Fn() -> bool,
) -> Result<Vec<u8>, ResourceError> {
    let Layout { texel_bytes, samples, layer_texels, layers } = Layout::new(buffer, shape);
    let mut planes: Vec<u8> = room::zeros(buffer.size_bytes())?;
    let mut piece = vec![0; PIECE.min(layer_texels) * samples * texel_bytes];
    for (layer, first) in pieces(layers, layer_texels) {
        go_on(stop)?;
        let count = PIECE.min(layer_texels - first);
        let piece = &mut piece[..count * samples * texel_bytes];
        buffer.read(((layer * layer_texels + first) * samples * texel_bytes) as u64, piece)?;
        for (n, sample) in piece.chunks_exact(texel_bytes).enumerate() {
            let texel = (layer * samples + n % samples) * layer_texels + first + n / samples;
            planes[texel * texel_bytes..][..texel_bytes].copy_from_slice(sample);
        }
    }
    Ok(planes)
}

/// The content of a multisampled texture as documents have it.
pub(super) fn to_texels(
    buffer: &Buffer,
    shape: &TextureShape,
    stop: &dyn Fn() -> bool,
) -> Result<Vec<u8>, ResourceError> {
    let Layout { texel_bytes, samples, layer_texels, layers } = Layout::new(buffer, shape);
    let mut texels: Vec<u8> = room::zeros(buffer.size_bytes())?;
    let mut piece = vec![0; PIECE.min(layer_texels) * texel_bytes];
    for (plane, first) in pieces(layers * samples, layer_texels) {
        go_on(stop)?;
        let piece = &mut piece[..PIECE.min(layer_texels - first) * texel_bytes];
        buffer.read(((plane * layer_texels + first) * texel_bytes) as u64, piece)?;
        let from = (plane / samples * layer_texels + first) * samples * texel_bytes;
        put(&mut texels[from..], piece, [plane % samples, samples], texel_bytes);
    }
    Ok(texels)
}

/// Puts the plane of a sample among texels, whose samples follow each other.
pub(super) fn put(texels: &mut [u8], plane: &[u8], [sample, samples]: [usize; 2], texel_bytes: usize) {
    for (n, texel) in plane.chunks_exact(texel_bytes).enumerate() {
        texels[(n * samples + sample) * texel_bytes..][..texel_bytes].copy_from_slice(texel);
    }
}

/// The numbers of a texture: a layer has as many texels as each of its planes.
struct Layout {
    texel_bytes: usize,
    samples: usize,
    layer_texels: usize,
    layers: usize,
}

impl Layout {
    fn new(buffer: &Buffer, shape: &TextureShape) -> Self {
        let (texel_bytes, samples) = (shape.format.size_bytes() as usize, shape.samples as usize);
        let layers = shape.layers as usize;
        Self {
            texel_bytes,
            samples,
            layer_texels: buffer.size_bytes() as usize / (layers * samples * texel_bytes),
            layers,
        }
    }
}

/// The first texel of each piece of each of so many rows of texels.
fn pieces(rows: usize, texels: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..rows).flat_map(move |row| (0..texels).step_by(PIECE).map(move |first| (row, first)))
}
