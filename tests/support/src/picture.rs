//! Describes a texture and the part that a register sees.

use brolga_runtime::{Dimension, Format, ResourceError, Texture, TextureShape, View};

/// A texture and the part that a register sees.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Picture {
    /// The shape of all of it.
    pub shape: TextureShape,
    /// The dimension of the view.
    pub dimension: Dimension,
    /// The format of the view.
    pub format: Format,
    /// The first mip level that is seen, and how many.
    pub mips: [u32; 2],
    /// The first layer or slice that is seen, and how many; `None` for as many as the kind takes.
    pub layers: Option<[u32; 2]>,
    /// The least level of detail.
    pub min_level: f32,
}

impl Picture {
    /// A texture seen as it is.
    pub fn whole(shape: TextureShape) -> Self {
        let TextureShape { dimension, format, mips, .. } = shape;
        Self { shape, dimension, format, mips: [0, mips], layers: None, min_level: 0.0 }
    }

    /// The view to bind to the register, of a texture of the shape.
    pub fn view(&self, texture: Texture) -> Result<View, ResourceError> {
        let [first, count] = self.mips;
        let view = View::texture(texture).with_format(self.format)?.with_dimension(self.dimension)?;
        let view = view.with_mips(first, count)?.with_min_level(self.min_level)?;
        match self.layers {
            Some([first, count]) => view.with_layers(first, count),
            None => Ok(view),
        }
    }
}
