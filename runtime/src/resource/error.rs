//! What can be wrong with a buffer, texture or view.

use std::path::PathBuf;

use brolga_ir::interface::Dimension;

use crate::format::Format;

/// A buffer, texture or view that cannot be.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ResourceError {
    /// There is not so much memory.
    #[error("no memory for {size_bytes} bytes")]
    OutOfMemory {
        /// Bytes asked for.
        size_bytes: u64,
    },
    /// A file could not be mapped.
    #[error("{} cannot be mapped: {source}", path.display())]
    Map {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// Bytes outside a buffer.
    #[error("bytes {offset_bytes} to {offset_bytes} + {size_bytes} are outside the buffer of {buffer_bytes} bytes")]
    OutOfRange {
        /// First byte.
        offset_bytes: u64,
        /// Bytes.
        size_bytes: u64,
        /// Size of the buffer.
        buffer_bytes: u64,
    },
    /// The buffer maps a file that was opened for reading.
    #[error("the buffer is a read-only file")]
    ReadOnly,
    /// A view that begins where it must not.
    #[error("the view begins at byte {offset_bytes}, which is no multiple of {unit_bytes}")]
    Misaligned {
        /// First byte.
        offset_bytes: u64,
        /// What it must be a multiple of.
        unit_bytes: u32,
    },
    /// A stride that Direct3D does not have.
    #[error("a stride of {stride_bytes} bytes is no multiple of 4 from 4 to 2048")]
    Stride {
        /// The stride.
        stride_bytes: u32,
    },
    /// Raw views are addressed by 32 bits.
    #[error("a raw view of {size_bytes} bytes exceeds the 4 GiB that can be addressed")]
    RawTooLarge {
        /// Bytes of the view.
        size_bytes: u64,
    },
    /// A typed view whose elements a shader cannot count.
    #[error("a view of {elements} elements exceeds the {} that can be addressed", u64::from(u32::MAX) + 1)]
    TooManyElements {
        /// Elements of the view.
        elements: u64,
    },
    /// A sub-range of a texture was asked for.
    #[error("only views of buffers have a range of bytes")]
    RangeOfTexture,
    /// Only structured views have hidden counters.
    #[error("only structured views have a hidden counter")]
    CounterKind,
    /// An extent of a texture that is 0 or too large.
    #[error("a {dimension} has {extent} of 1 to {most} here, not {value}")]
    Extent {
        /// Kind of the texture.
        dimension: Dimension,
        /// Which extent.
        extent: &'static str,
        /// Its value.
        value: u32,
        /// The largest possible.
        most: u32,
    },
    /// Layers of a cube that are no whole cubes.
    #[error("a cube has 6 faces, {layers} layers are no whole cubes")]
    CubeFaces {
        /// Layers.
        layers: u32,
    },
    /// Textures of this kind are not supported yet.
    #[error("a {dimension} cannot hold texels yet")]
    Unsupported {
        /// Kind of the texture.
        dimension: Dimension,
    },
    /// The buffer does not have a texture's size.
    #[error("a texture of {format} of this shape has {expected} bytes, the data has {actual}")]
    TextureSize {
        /// Its format.
        format: Format,
        /// Bytes of the shape.
        expected: u64,
        /// Bytes of the buffer.
        actual: u64,
    },
    /// A sampler's bias of the level of detail is out of range.
    #[error("a sampler adds {level_bias} to the level of detail, which must be from -16 to 15.99")]
    LevelBias {
        /// The bias.
        level_bias: f32,
    },
    /// A sampler's bound of the level of detail is no number.
    #[error("a sampler's least or largest level of detail is NaN, and must be a number")]
    LevelNan,
    /// A sampler takes too few or too many samples.
    #[error("a sampler's anisotropy is {max_anisotropy}, which must be from 1 to 16")]
    Anisotropy {
        /// The samples.
        max_anisotropy: u32,
    },
}
