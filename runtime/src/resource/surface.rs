//! The texels that a view of a texture sees, and where they are.

use brolga_ir::interface::Dimension;

use super::memory::Memory;
use crate::format::Format;

/// A mip level of a view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SurfaceLevel {
    /// First byte, counted in the memory: that of the view's first layer.
    pub offset_bytes: u64,
    /// Texels along x, y and z, at least 1 each; the last are no layers.
    pub extents: [u32; 3],
    /// Bytes from a row of blocks to the next.
    pub row_bytes: u64,
    /// Bytes from a slice of a 3D texture to the next.
    pub slice_bytes: u64,
}

/// The texels that a view of a texture sees: all that loads, stores and sampling need to know.
#[derive(Clone, Debug)]
pub(crate) struct Surface<'a> {
    /// Where the bytes are.
    pub memory: &'a Memory,
    /// How texels are read, which may be another format than the texture was made with.
    pub format: Format,
    /// The kind, as the shader declares it.
    pub dimension: Dimension,
    /// The view's levels, the most detailed one first; at least one.
    pub levels: Vec<SurfaceLevel>,
    /// Layers that the view sees, each face of a cube counted; 1 if there are none.
    pub layers: u32,
    /// Bytes from a layer to the next.
    pub layer_bytes: u64,
    /// Samples of a texel, 1 if it is not multisampled. They lie one behind the other.
    pub samples: u32,
    /// The least level of detail, counted in the view's levels, that may be sampled or loaded (functional specification
    /// 5.8); 0 if there is no such bound.
    pub min_level: f32,
}
