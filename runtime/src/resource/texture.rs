//! Textures: a buffer with a shape.
//!
//! Texels are tightly packed: for each layer, each mip level, each slice, each row. So a texture can lie in a mapped file.

use brolga_ir::interface::Dimension;

use super::buffer::Buffer;
use super::error::ResourceError;
use crate::format::Format;

/// Direct3D's largest extents along one axis.
const MOST_TEXELS: u32 = 16384;
const MOST_TEXELS_3D: u32 = 2048;
const MOST_LAYERS: u32 = 2048;

/// Kind, format and extents of a texture. Extents that a kind lacks are 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct TextureShape {
    /// The kind, as the shader declares it.
    pub dimension: Dimension,
    /// Format of a texel.
    pub format: Format,
    /// Texels of a row of mip level 0.
    pub width: u32,
    /// Rows of mip level 0.
    pub height: u32,
    /// Slices of mip level 0 of a 3D texture.
    pub depth: u32,
    /// Layers of an array; faces of a cube count each.
    pub layers: u32,
    /// Mip levels.
    pub mips: u32,
}

impl TextureShape {
    /// A texture of one row, one layer and one mip level.
    pub fn new(dimension: Dimension, format: Format, width: u32) -> Self {
        let layers = match dimension {
            Dimension::TextureCube | Dimension::TextureCubeArray => 6,
            _ => 1,
        };
        Self { dimension, format, width, height: 1, depth: 1, layers, mips: 1 }
    }

    /// A 2D texture of one mip level.
    pub fn texture_2d(format: Format, width: u32, height: u32) -> Self {
        Self::new(Dimension::Texture2d, format, width).height(height)
    }

    /// Sets the rows.
    pub fn height(mut self, height: u32) -> Self {
        self.height = height;
        self
    }

    /// Sets the slices.
    pub fn depth(mut self, depth: u32) -> Self {
        self.depth = depth;
        self
    }

    /// Makes it an array of layers of the same kind.
    pub fn array(mut self, layers: u32) -> Self {
        self.dimension = match self.dimension {
            Dimension::Texture1d => Dimension::Texture1dArray,
            Dimension::Texture2d => Dimension::Texture2dArray,
            Dimension::TextureCube => Dimension::TextureCubeArray,
            other => other,
        };
        self.layers(layers)
    }

    /// Sets the layers.
    pub fn layers(mut self, layers: u32) -> Self {
        self.layers = layers;
        self
    }

    /// Sets the mip levels.
    pub fn mips(mut self, mips: u32) -> Self {
        self.mips = mips;
        self
    }

    /// Bytes of all texels. An error if there cannot be such a texture.
    pub fn size_bytes(&self) -> Result<u64, ResourceError> {
        self.check()?;
        Ok(self.layer_bytes() * u64::from(self.layers))
    }

    /// The extents of a mip level, at least 1 each. The level must exist.
    fn level(&self, mip: u32) -> [u32; 3] {
        [self.width, self.height, self.depth].map(|texels| (texels >> mip).max(1))
    }

    fn level_bytes(&self, mip: u32) -> u64 {
        let texels: u64 = self.level(mip).map(u64::from).iter().product();
        texels * u64::from(self.format.size_bytes())
    }

    fn layer_bytes(&self) -> u64 {
        (0..self.mips).map(|mip| self.level_bytes(mip)).sum()
    }

    fn check(&self) -> Result<(), ResourceError> {
        let dimension = self.dimension;
        let (most, rows, slices, layers) = match dimension {
            Dimension::Texture1d => (MOST_TEXELS, 1, 1, 1),
            Dimension::Texture1dArray => (MOST_TEXELS, 1, 1, MOST_LAYERS),
            Dimension::Texture2d => (MOST_TEXELS, MOST_TEXELS, 1, 1),
            Dimension::Texture2dArray => (MOST_TEXELS, MOST_TEXELS, 1, MOST_LAYERS),
            Dimension::Texture3d => (MOST_TEXELS_3D, MOST_TEXELS_3D, MOST_TEXELS_3D, 1),
            Dimension::TextureCube => (MOST_TEXELS, MOST_TEXELS, 1, 6),
            Dimension::TextureCubeArray => (MOST_TEXELS, MOST_TEXELS, 1, MOST_LAYERS),
            Dimension::Buffer | Dimension::Texture2dMs | Dimension::Texture2dMsArray => {
                return Err(ResourceError::Unsupported { dimension });
            }
        };
        let longest = self.width.max(self.height).max(self.depth);
        let checks = [
            ("width", self.width, most),
            ("height", self.height, rows),
            ("depth", self.depth, slices),
            ("layers", self.layers, layers),
            ("mips", self.mips, u32::BITS - longest.leading_zeros()),
        ];
        for (extent, value, most) in checks {
            if value == 0 || value > most {
                return Err(ResourceError::Extent { dimension, extent, value, most });
            }
        }
        if matches!(dimension, Dimension::TextureCube | Dimension::TextureCubeArray) && !self.layers.is_multiple_of(6) {
            return Err(ResourceError::CubeFaces { layers: self.layers });
        }
        Ok(())
    }
}

/// Where a mip level lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Level {
    /// First byte, from the layer's first.
    pub offset_bytes: u64,
    /// Texels along x, y and z.
    pub extents: [u32; 3],
}

/// Texels in a shape. Clones are the same texels.
#[derive(Clone, Debug)]
pub struct Texture {
    buffer: Buffer,
    shape: TextureShape,
    levels: Vec<Level>,
}

impl Texture {
    /// A texture whose texels are a buffer's content.
    pub fn new(buffer: Buffer, shape: TextureShape) -> Result<Self, ResourceError> {
        let expected = shape.size_bytes()?;
        let actual = buffer.size_bytes();
        if actual != expected {
            return Err(ResourceError::TextureSize { format: shape.format, expected, actual });
        }
        let mut offset_bytes = 0;
        let mut levels = Vec::new();
        for mip in 0..shape.mips {
            levels.push(Level { offset_bytes, extents: shape.level(mip) });
            offset_bytes += shape.level_bytes(mip);
        }
        Ok(Self { buffer, shape, levels })
    }

    /// Its shape.
    pub fn shape(&self) -> &TextureShape {
        &self.shape
    }

    /// Its texels, tightly packed: for each layer, each mip level, each slice, each row.
    pub fn buffer(&self) -> &Buffer {
        &self.buffer
    }

    /// Mip levels from the largest down.
    pub(crate) fn levels(&self) -> &[Level] {
        &self.levels
    }

    /// Where a texel begins; none outside the texture.
    pub(crate) fn texel_offset(&self, mip: u32, [x, y, z]: [u32; 3], layer: u32) -> Option<u64> {
        let level = self.levels.get(mip as usize)?;
        let [width, height, depth] = level.extents;
        if x >= width || y >= height || z >= depth || layer >= self.shape.layers {
            return None;
        }
        // Inside, and all texels together fit 64 bits by far: extents are at most 14 bits each.
        let [x, y, z, width, height] = [x, y, z, width, height].map(u64::from);
        let texel = (z * height + y) * width + x;
        let layer_bytes = self.buffer.size_bytes() / u64::from(self.shape.layers);
        Some(u64::from(layer) * layer_bytes + level.offset_bytes + texel * u64::from(self.shape.format.size_bytes()))
    }
}

#[cfg(test)]
mod tests {
    use super::super::memory::GuardPages;
    use super::*;

    fn texture(shape: TextureShape) -> Texture {
        Texture::new(Buffer::zeroed(shape.size_bytes().unwrap(), GuardPages::default()).unwrap(), shape).unwrap()
    }

    /// Walks the texels in storage order, as the format of executions describes it, and counts.
    #[test]
    fn texels_are_tightly_packed_layer_by_layer() {
        let shapes = [
            TextureShape::new(Dimension::Texture1dArray, Format::R16_UINT, 9).layers(3).mips(4),
            TextureShape::texture_2d(Format::R32G32B32_FLOAT, 7, 12).mips(4),
            TextureShape::texture_2d(Format::R8_UNORM, 5, 3),
            TextureShape::new(Dimension::Texture2dArray, Format::R8G8_SINT, 9).height(6).layers(5).mips(2),
            TextureShape::new(Dimension::Texture3d, Format::R32_UINT, 4).height(3).depth(7).mips(3),
            TextureShape::new(Dimension::TextureCube, Format::R8G8B8A8_UNORM, 4).height(4).mips(3),
        ];
        for shape in shapes {
            let texture = texture(shape);
            let mut at = 0;
            for layer in 0..shape.layers {
                for mip in 0..shape.mips {
                    let [width, height, depth] = [shape.width, shape.height, shape.depth].map(|n| (n >> mip).max(1));
                    for z in 0..depth {
                        for y in 0..height {
                            for x in 0..width {
                                assert_eq!(texture.texel_offset(mip, [x, y, z], layer), Some(at));
                                at += u64::from(shape.format.size_bytes());
                            }
                        }
                    }
                    for outside in [[width, 0, 0], [0, height, 0], [0, 0, depth], [u32::MAX; 3]] {
                        assert_eq!(texture.texel_offset(mip, outside, layer), None);
                    }
                }
            }
            assert_eq!(at, texture.buffer().size_bytes());
            assert_eq!(texture.texel_offset(shape.mips, [0; 3], 0), None);
            assert_eq!(texture.texel_offset(0, [0; 3], shape.layers), None);
        }
    }

    #[test]
    fn impossible_shapes_are_errors() {
        let good = TextureShape::texture_2d(Format::R32_UINT, 16, 8);
        assert_eq!(good.mips(5).size_bytes().unwrap(), 4 * (128 + 32 + 8 + 2 + 1));
        let bad = [
            good.mips(6),
            good.mips(0),
            good.height(0),
            good.depth(2),
            good.layers(2),
            TextureShape::texture_2d(Format::R32_UINT, 16385, 1),
            TextureShape::new(Dimension::TextureCube, Format::R32_UINT, 2).height(2).layers(5),
            TextureShape::new(Dimension::Buffer, Format::R32_UINT, 2),
        ];
        for shape in bad {
            assert!(shape.size_bytes().is_err(), "{shape:?}");
        }
        assert!(Texture::new(Buffer::zeroed(511, GuardPages::default()).unwrap(), good).is_err());
    }
}
