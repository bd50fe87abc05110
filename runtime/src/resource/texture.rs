//! Textures: a buffer with a shape.

use super::buffer::Buffer;
use super::error::ResourceError;
use super::shape::TextureShape;

/// Texels in a shape. Clones are the same texels.
#[derive(Clone, Debug)]
pub struct Texture {
    buffer: Buffer,
    shape: TextureShape,
}

impl Texture {
    /// A texture whose texels are a buffer's content, packed as [`TextureShape`] says.
    pub fn new(buffer: Buffer, shape: TextureShape) -> Result<Self, ResourceError> {
        let expected = shape.size_bytes()?;
        let actual = buffer.size_bytes();
        if actual != expected {
            return Err(ResourceError::TextureSize { format: shape.format, expected, actual });
        }
        Ok(Self { buffer, shape })
    }

    /// Its shape.
    pub fn shape(&self) -> &TextureShape {
        &self.shape
    }

    /// Its texels.
    pub fn buffer(&self) -> &Buffer {
        &self.buffer
    }
}
