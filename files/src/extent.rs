//! Defines the extents of a texture, and those that each kind of texture has.

use brolga_runtime::{Dimension, Format, TextureShape};

/// A dimension of a texture, or another of its counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Extent {
    /// Texels of a row.
    Width,
    /// Rows.
    Height,
    /// Slices.
    Depth,
    /// Layers; each face of a cube is one.
    Layers,
    /// Mip levels.
    Mips,
    /// Samples of a texel.
    Samples,
}

impl Extent {
    /// All of them, indexed by number.
    pub const ALL: [Self; 6] = [Self::Width, Self::Height, Self::Depth, Self::Layers, Self::Mips, Self::Samples];

    /// Its name, which is its key in jobs.
    pub fn key(self) -> &'static str {
        match self {
            Extent::Width => "width",
            Extent::Height => "height",
            Extent::Depth => "depth",
            Extent::Layers => "layers",
            Extent::Mips => "mips",
            Extent::Samples => "samples",
        }
    }

    /// Its value in a shape.
    pub fn of(self, shape: &TextureShape) -> u32 {
        *self.field(&mut { *shape })
    }

    /// The field for it in a shape.
    pub fn field(self, shape: &mut TextureShape) -> &mut u32 {
        match self {
            Extent::Width => &mut shape.width,
            Extent::Height => &mut shape.height,
            Extent::Depth => &mut shape.depth,
            Extent::Layers => &mut shape.layers,
            Extent::Mips => &mut shape.mips,
            Extent::Samples => &mut shape.samples,
        }
    }
}

/// The dimensions of a texture's array of texels, outermost first.
pub fn sides(dimension: Dimension) -> &'static [Extent] {
    match dimension {
        Dimension::Buffer | Dimension::Texture1d => &[Extent::Width],
        Dimension::Texture1dArray => &[Extent::Layers, Extent::Width],
        Dimension::Texture2d | Dimension::Texture2dMs => &[Extent::Height, Extent::Width],
        Dimension::Texture3d => &[Extent::Depth, Extent::Height, Extent::Width],
        Dimension::Texture2dArray
        | Dimension::Texture2dMsArray
        | Dimension::TextureCube
        | Dimension::TextureCubeArray => &[Extent::Layers, Extent::Height, Extent::Width],
    }
}

/// The texture whose array of texels, or of blocks, has these dimensions, outermost first; `None` if its kind has more
/// or fewer.
pub fn shape_of_array(dimension: Dimension, format: Format, array: &[u32]) -> Option<TextureShape> {
    let mut shape = TextureShape::new(dimension, format, 1);
    let [across, down] = format.block_extents();
    for (extent, side) in sides(dimension).iter().zip(array) {
        let texels = match extent {
            Extent::Width => across,
            Extent::Height => down,
            _ => 1,
        };
        *extent.field(&mut shape) = side.checked_mul(texels)?;
    }
    (sides(dimension).len() == array.len()).then_some(shape)
}

/// The extent that a texture has instead of dimensions, or besides them.
pub fn detail(dimension: Dimension) -> Extent {
    match dimension {
        Dimension::Texture2dMs | Dimension::Texture2dMsArray => Extent::Samples,
        _ => Extent::Mips,
    }
}
