//! Copies of textures whose blocks are expanded, so that filters find a texel where it is.
//!
//! A copy is made row of blocks by row of blocks, where a filter first needs one (a *band* of them). It belongs to the texture, and is of
//! memory that nobody but Brolga writes; whoever runs shaders asks for it when a run begins.

use std::sync::Arc;

use crate::memory::Memory;

/// Rows of texels in a band, as a power of two.
pub const BAND_SHIFT: u32 = 5;

/// A mip level of a view in the copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExpandedLevel {
    /// Offset of the first byte of the view's first layer.
    pub offset_bytes: u64,
    /// The row pitch in bytes.
    pub row_bytes: u64,
    /// The slice pitch in bytes.
    pub slice_bytes: u64,
    /// The band that the first row of the view's first layer is in. Bands are numbered through the whole copy.
    pub first_band: u32,
    /// Bands of a slice.
    pub slice_bands: u32,
}

/// Where the texels that a view sees are in a copy.
#[derive(Clone, Debug)]
pub struct Expansion {
    /// The view's levels, the most detailed one first.
    pub levels: Vec<ExpandedLevel>,
    /// Bytes from a layer to the next.
    pub layer_bytes: u64,
    /// Bands from a layer to the next.
    pub layer_bands: u32,
    /// Bytes of a whole copy.
    pub size_bytes: u64,
}

/// A copy of a texture, each of whose texels is laid out as [`Layout`](crate::format::Layout) says.
#[derive(Debug)]
pub struct ExpandedCopy {
    memory: Memory,
}

impl Expansion {
    /// The copy of what the texture holds now, if it may have one.
    pub fn copy(&self) -> Option<Arc<ExpandedCopy>> {
        None
    }
}

impl ExpandedCopy {
    /// The first byte. As many as [`Expansion::size_bytes`] says are valid while this lives; what they mean only in bands that
    /// [are there](Self::has).
    pub fn base(&self) -> *const u8 {
        self.memory.base()
    }

    /// Whether a band is there.
    #[inline(always)]
    pub fn has(&self, _band: u32) -> bool {
        false
    }

    /// Makes a band; false where there is no room for it.
    #[cold]
    pub fn make(&self, _band: u32) -> bool {
        false
    }
}
