//! Defines the uses that a format allows.
//!
//! The rows use the sets below, modelled on the columns of Microsoft's format list for Direct3D 11.1
//! (`D3D11_3_Formats_FL11_1.xls`), where optional counts as allowed. Two things are taken from elsewhere: loads from
//! typed UAVs, which Direct3D 11.3 allows for every format that can be stored to ("UAV Typed Load": symmetric support
//! required), and typed UAVs of B8G8R8A8_UNORM ("Relaxed Format Casting").

use brolga_ir::interface::Dimension;

use super::codec::Encoding;

/// The numbers of samples that a texel may have: those for which Direct3D defines their positions.
pub(crate) const SAMPLE_COUNTS: [u32; 5] = [1, 2, 4, 8, 16];

/// A use of texels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Use {
    /// A typed buffer.
    Buffer,
    /// A one-dimensional texture, or several in layers.
    Texture1d,
    /// A two-dimensional texture, or several in layers.
    Texture2d,
    /// A two-dimensional multisampled texture.
    Texture2dMs,
    /// A three-dimensional texture.
    Texture3d,
    /// A cube, or several in layers.
    TextureCube,
    /// Reading single texels (`ld`), from anything but a UAV.
    Load,
    /// Sampling with any filter, and gathering (`sample`, `gather4`).
    Sample,
    /// Sampling and gathering with a comparison (`sample_c`, `gather4_c`).
    Compare,
    /// A typed UAV: stores and loads.
    Store,
    /// All atomic operations on a typed UAV.
    Atomic,
    /// Atomic exchange on a typed UAV.
    Exchange,
    /// A render target.
    Target,
    /// A render target with blending.
    Blend,
    /// A depth-stencil target.
    DepthStencil,
}

impl Use {
    /// The use that corresponds to a resource of this dimension.
    pub const fn of_dimension(dimension: Dimension) -> Self {
        match dimension {
            Dimension::Buffer => Use::Buffer,
            Dimension::Texture1d | Dimension::Texture1dArray => Use::Texture1d,
            Dimension::Texture2d | Dimension::Texture2dArray => Use::Texture2d,
            Dimension::Texture2dMs | Dimension::Texture2dMsArray => Use::Texture2dMs,
            Dimension::Texture3d => Use::Texture3d,
            Dimension::TextureCube | Dimension::TextureCubeArray => Use::TextureCube,
        }
    }
}

/// A set of uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Uses(u16);

impl Uses {
    const fn of(uses: &[Use]) -> Self {
        let (mut set, mut n) = (0, 0);
        while n < uses.len() {
            set |= 1 << uses[n] as u16;
            n += 1;
        }
        Self(set)
    }

    /// The union of several sets; formats other than integers can also be filtered and blended.
    pub const fn of_row(sets: &[Self], encoding: Encoding) -> Self {
        let mut set = 0;
        let mut n = 0;
        while n < sets.len() {
            set |= sets[n].0;
            n += 1;
        }
        if !encoding.is_integer() {
            if Self(set).has(Use::Load) {
                set |= Self::of(&[Use::Sample]).0;
            }
            if Self(set).has(Use::Target) {
                set |= Self::of(&[Use::Blend]).0;
            }
        }
        Self(set)
    }

    pub const fn has(self, one: Use) -> bool {
        self.0 & 1 << one as u16 != 0
    }
}

/// Textures that shaders read.
pub(super) const TEXTURE: Uses =
    Uses::of(&[Use::Texture1d, Use::Texture2d, Use::Texture3d, Use::TextureCube, Use::Load]);
/// Textures of compressed blocks.
pub(super) const BLOCKS: Uses = Uses::of(&[Use::Texture2d, Use::Texture3d, Use::TextureCube, Use::Load]);
/// Depth-stencil targets.
pub(super) const DEPTH: Uses =
    Uses::of(&[Use::Texture1d, Use::Texture2d, Use::Texture2dMs, Use::TextureCube, Use::DepthStencil]);
/// Textures in which shaders read a target with both depth and stencil.
pub(super) const DEPTH_READ: Uses =
    Uses::of(&[Use::Texture1d, Use::Texture2d, Use::Texture2dMs, Use::TextureCube, Use::Load]);
/// Render targets.
pub(super) const TARGET: Uses = Uses::of(&[Use::Texture2dMs, Use::Target]);
pub(super) const BUFFER: Uses = Uses::of(&[Use::Buffer]);
pub(super) const STORE: Uses = Uses::of(&[Use::Store]);
pub(super) const COMPARE: Uses = Uses::of(&[Use::Compare]);
pub(super) const ATOMIC: Uses = Uses::of(&[Use::Atomic, Use::Exchange]);
pub(super) const EXCHANGE: Uses = Uses::of(&[Use::Exchange]);
/// All uses that most formats allow.
pub(super) const ALL: Uses = Uses(TEXTURE.0 | TARGET.0 | BUFFER.0 | STORE.0);
