//! Defines the errors of buffers, textures and views.

use std::ops::Range;
use std::path::PathBuf;

use brolga_ir::interface::Dimension;

use crate::format::{Format, SAMPLE_COUNTS, Use};

/// A buffer, texture or view that cannot exist, or an operation on one that is impossible.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ResourceError {
    /// There is not enough memory, or the system does not grant so much.
    #[error("cannot allocate {size_bytes} bytes")]
    OutOfMemory {
        /// Number of bytes requested.
        size_bytes: u64,
    },
    /// The caller stopped the operation before it was done; anything written until then stays.
    #[error("stopped before it was done")]
    Stopped,
    /// A file could not be mapped.
    #[error("{} cannot be mapped: {source}", path.display())]
    Map {
        /// The file.
        path: PathBuf,
        /// The system's error.
        source: std::io::Error,
    },
    /// Bytes outside a buffer.
    #[error("bytes {offset_bytes} to {offset_bytes} + {size_bytes} are outside the buffer of {buffer_bytes} bytes")]
    OutOfRange {
        /// Offset of the first byte.
        offset_bytes: u64,
        /// Number of bytes.
        size_bytes: u64,
        /// Size of the buffer in bytes.
        buffer_bytes: u64,
    },
    /// Bytes that are not a whole number of elements.
    #[error("{size_bytes} bytes are not a whole number of elements of {element_bytes} bytes")]
    Elements {
        /// Number of bytes to copy.
        size_bytes: u64,
        /// Size of an element in bytes.
        element_bytes: usize,
    },
    /// The buffer maps a file that was opened for reading, or wraps memory for reading.
    #[error("the buffer is read-only")]
    ReadOnly,
    /// Memory to wrap that begins at a misaligned address.
    #[error("the memory to wrap begins at {address:#x}, which is not a multiple of 4")]
    WrappedAddress {
        /// The address of its first byte.
        address: usize,
    },
    /// A row pitch, of a texture or of texels to copy, that is smaller than a row, or misaligned.
    #[error(
        "rows of {row_bytes} bytes cannot lie {row_pitch_bytes} bytes apart: the pitch is at least as large, and a multiple of {unit_bytes}"
    )]
    RowPitch {
        /// The row pitch in bytes.
        row_pitch_bytes: u64,
        /// Size of a row's texels in bytes.
        row_bytes: u64,
        /// The unit of which the pitch must be a multiple.
        unit_bytes: u32,
    },
    /// A texture of several mip levels with a row pitch.
    #[error("a texture with a row pitch has 1 mip level, not {mips}")]
    RowPitchMips {
        /// Number of its mip levels.
        mips: u32,
    },
    /// A mip level or layer to copy that the texture does not have.
    #[error("mip level {mip} of layer {layer} does not exist, the texture has {mips} mip levels and {layers} layers")]
    NoLevel {
        /// The mip level, counted from 0.
        mip: u32,
        /// The layer, counted from 0.
        layer: u32,
        /// Number of mip levels of the texture.
        mips: u32,
        /// Number of layers of the texture.
        layers: u32,
    },
    /// A box of texels that is partly outside its mip level, or cuts blocks.
    #[error(
        "a box of {} texels at ({}, {}, {}) is not in the mip level, which has {}{}",
        times(extents), origin[0], origin[1], origin[2], times(level), in_blocks(*block)
    )]
    TexelBox {
        /// Its first texel along x, y and z.
        origin: [u32; 3],
        /// Its extents along x, y and z.
        extents: [u32; 3],
        /// Extents of the level along x, y and z.
        level: [u32; 3],
        /// Extents of a block along x and y.
        block: [u32; 2],
    },
    /// Texels that cannot be cleared to such a value.
    #[error(
        "a texture of format {format} cannot be cleared to {what}{}",
        expected.map_or(String::new(), |expected| format!(", but to {expected}"))
    )]
    Clear {
        /// The texture's format.
        format: Format,
        /// The kind of value.
        what: &'static str,
        /// The expected kind of value; `None` if texels of the format are not written one by one.
        expected: Option<&'static str>,
    },
    /// Mip levels that cannot be generated.
    #[error("mip levels of format {format} cannot be made: that takes a format that can be filtered and drawn to")]
    Mips {
        /// The texture's format.
        format: Format,
    },
    /// Texels that cannot be copied.
    #[error("texels of format {from} cannot be copied to a texture of format {to}: the formats must be the same")]
    CopyFormat {
        /// The source's format.
        from: Format,
        /// The destination's format.
        to: Format,
    },
    /// Too few bytes for a box of texels.
    #[error("{size_bytes} bytes are too few for a box of {} texels, which takes {expected}", times(extents))]
    TexelBytes {
        /// Extents of the box along x, y and z.
        extents: [u32; 3],
        /// Number of bytes given.
        size_bytes: u64,
        /// Number of bytes needed.
        expected: u64,
    },
    /// A misaligned offset in a buffer.
    #[error("{what} at byte {offset_bytes}, which is not a multiple of {unit_bytes}")]
    Misaligned {
        /// The object that begins there.
        what: &'static str,
        /// Offset of the first byte.
        offset_bytes: u64,
        /// The unit of which it must be a multiple.
        unit_bytes: u32,
    },
    /// A stride that Direct3D does not have.
    #[error("a stride of {stride_bytes} bytes is not a multiple of 4 from 4 to 2048")]
    Stride {
        /// The stride.
        stride_bytes: u32,
    },
    /// Raw views are addressed by 32 bits.
    #[error("a raw view of {size_bytes} bytes exceeds the 4 GiB that can be addressed")]
    RawTooLarge {
        /// Size of the view in bytes.
        size_bytes: u64,
    },
    /// A typed view with more elements than a shader can address.
    #[error("a view of {elements} elements exceeds the {} that can be addressed", u64::from(u32::MAX) + 1)]
    TooManyElements {
        /// Number of elements in the view.
        elements: u64,
    },
    /// A range of bytes was requested of a texture.
    #[error("only views of buffers have a range of bytes")]
    RangeOfTexture,
    /// A subresource that only textures have was requested of a buffer.
    #[error("only views of textures have {what}")]
    NotTexture {
        /// The subresource requested.
        what: &'static str,
    },
    /// Only structured views have hidden counters.
    #[error("only structured views have a hidden counter")]
    CounterKind,
    /// An extent of a texture that is 0 or too large.
    #[error("the {extent} of a {dimension} is {}, not {value}", up_to(*most))]
    Extent {
        /// Kind of the texture.
        dimension: Dimension,
        /// The name of the extent.
        extent: &'static str,
        /// Its value.
        value: u32,
        /// The largest possible, with the other extents as they are.
        most: u32,
    },
    /// A resolve of a texture with one sample, or to one with several.
    #[error("a resolve goes from a texture of several samples to one of one sample, not from {from} to {to}")]
    ResolveSamples {
        /// Samples of the source.
        from: u32,
        /// Samples of the destination.
        to: u32,
    },
    /// A resolve between different extents.
    #[error("a resolve from {} x {} texels to {} x {}: they must be the same", from[0], from[1], to[0], to[1])]
    ResolveExtents {
        /// The extents of the source.
        from: [u32; 3],
        /// The extents of the destination.
        to: [u32; 3],
    },
    /// A resolve to a part of a mip level.
    #[error(
        "a resolve fills a whole mip level, of {} x {} texels, not {} x {} at ({}, {})",
        level[0], level[1], extents[0], extents[1], origin[0], origin[1]
    )]
    ResolvePart {
        /// The first texel of the part.
        origin: [u32; 3],
        /// The extents of the part.
        extents: [u32; 3],
        /// The extents of the level.
        level: [u32; 3],
    },
    /// A resolve of texels that have no mean.
    #[error("texels of format {format} cannot be resolved: integers and depths have no mean")]
    ResolveFormat {
        /// The format.
        format: Format,
    },
    /// A number of samples that a texture does not have.
    #[error("a {dimension} has {}, not {samples}", sample_counts(*dimension))]
    Samples {
        /// Kind of the texture.
        dimension: Dimension,
        /// Number of samples of a texel.
        samples: u32,
    },
    /// A cube whose faces are not square.
    #[error("the faces of a cube are squares, not {width} by {height} texels")]
    CubeSquare {
        /// Number of texels in a row.
        width: u32,
        /// Number of rows.
        height: u32,
    },
    /// A number of layers of a cube that is not a multiple of six.
    #[error("a cube has 6 faces, {layers} layers are not whole cubes")]
    CubeFaces {
        /// Number of layers.
        layers: u32,
    },
    /// An extent that is not a multiple of the blocks of a block-compressed or packed format.
    #[error("the {axis} of a texture of format {format} must be a multiple of {multiple} texels, not {value}")]
    Blocks {
        /// Its format.
        format: Format,
        /// Width or height.
        axis: &'static str,
        /// Its value.
        value: u32,
        /// Extent of a block along the axis.
        multiple: u32,
    },
    /// A format that is not allowed for a kind of texture.
    #[error("a texture of format {format} is a {}, not a {dimension}", kinds_of(*format))]
    Format {
        /// Kind of the texture, or of the view.
        dimension: Dimension,
        /// Its format.
        format: Format,
    },
    /// A typed buffer is not a texture.
    #[error("a typed buffer is not a texture: it is a typed view of a buffer")]
    NoTexture,
    /// A view of a kind that the texture does not allow.
    #[error("a {texture} can be seen as {}, not as {view}", list(possible))]
    ViewDimension {
        /// Kind of the texture.
        texture: Dimension,
        /// Kind of the view.
        view: Dimension,
        /// The kinds that the texture allows.
        possible: &'static [Dimension],
    },
    /// A view of a format that the format of the texture cannot be cast to.
    #[error("texels of format {from} cannot be seen as {to}, only as other formats of {}", from.family())]
    Cast {
        /// Format of the texture.
        from: Format,
        /// Format of the view.
        to: Format,
    },
    /// A view of mip levels, layers or slices that the texture does not have.
    #[error("{}", outside(what, range, *most))]
    ViewRange {
        /// Mip levels, layers or slices.
        what: &'static str,
        /// The range in the view, end exclusive.
        range: Range<u32>,
        /// Number of them in the texture.
        most: u32,
    },
    /// A view of a number of layers that its kind does not allow.
    #[error("a {dimension} sees {}, not {layers}", layers_of(*dimension))]
    ViewLayers {
        /// Kind of the view.
        dimension: Dimension,
        /// Number of layers of the view.
        layers: u32,
    },
    /// An invalid minimum level of detail.
    #[error("a minimum level of detail must be 0 or more, not {level}")]
    MinLevel {
        /// The level requested.
        level: f32,
    },
    /// The buffer does not have a texture's size.
    #[error("a texture of {format} of this shape has {expected} bytes, the data has {actual}")]
    TextureSize {
        /// Its format.
        format: Format,
        /// Size of the shape in bytes.
        expected: u64,
        /// Size of the buffer in bytes.
        actual: u64,
    },
    /// A sampler's bias of the level of detail is out of range.
    #[error("a sampler adds {level_bias} to the level of detail, which must be from -16 to 15.99")]
    LevelBias {
        /// The bias.
        level_bias: f32,
    },
    /// A sampler's clamp of the level of detail is NaN.
    #[error("a sampler's minimum or maximum level of detail is NaN, but must be a number")]
    LevelNan,
    /// A sampler's maximum anisotropy is out of range.
    #[error("a sampler's anisotropy is {max_anisotropy}, which must be from 1 to 16")]
    Anisotropy {
        /// The anisotropy.
        max_anisotropy: u32,
    },
}

fn up_to(most: u32) -> String {
    if most == 1 { "1".to_owned() } else { format!("1 to {most}") }
}

fn times(extents: &[u32]) -> String {
    extents.iter().map(u32::to_string).collect::<Vec<_>>().join(" x ")
}

fn in_blocks(block: [u32; 2]) -> String {
    if block == [1, 1] { String::new() } else { format!(" in whole blocks of {}", times(&block)) }
}

fn sample_counts(dimension: Dimension) -> String {
    let counts = SAMPLE_COUNTS.map(|count| count.to_string());
    match counts.split_last() {
        Some((last, others)) if dimension.is_multisampled() => format!("{} or {last} samples", others.join(", ")),
        _ => "1 sample".to_owned(),
    }
}

fn layers_of(dimension: Dimension) -> &'static str {
    match dimension {
        Dimension::TextureCube => "6 layers",
        Dimension::TextureCubeArray => "6 layers for each cube",
        _ => "1 layer",
    }
}

fn outside(what: &str, range: &Range<u32>, most: u32) -> String {
    match range.is_empty() {
        true => format!("a view of no {what}: it takes one at least"),
        false => {
            format!("a view of {what} {} to {}, and the texture has 0 to {}", range.start, range.end - 1, most - 1)
        }
    }
}

fn list(kinds: &[Dimension]) -> String {
    kinds.iter().map(|kind| kind.name()).collect::<Vec<_>>().join(" or ")
}

/// Lists the kinds of textures that a format allows, alone or in layers.
fn kinds_of(format: Format) -> String {
    let kinds = [
        Dimension::Texture1d,
        Dimension::Texture2d,
        Dimension::Texture2dMs,
        Dimension::Texture3d,
        Dimension::TextureCube,
    ];
    list(&kinds.into_iter().filter(|&kind| format.allows(Use::of_dimension(kind))).collect::<Vec<_>>())
}
