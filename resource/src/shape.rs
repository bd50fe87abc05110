//! Defines the shapes of textures that Direct3D allows, and the positions of their texels.

use brolga_ir::interface::Dimension;
use brolga_ir::pipeline::state::SamplePattern;

use crate::error::ResourceError;
use crate::format::{Format, SAMPLE_COUNTS, Use};

/// Direct3D's largest extents along one axis.
const MOST_TEXELS: u32 = 16384;
const MOST_TEXELS_3D: u32 = 2048;
const MOST_LAYERS: u32 = 2048;
/// Number of faces of a cube.
pub(super) const FACES: u32 = 6;

/// A mip level of a view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SurfaceLevel {
    /// Offset in the memory of the first byte of the view's first layer.
    pub offset_bytes: u64,
    /// Texels along x, y and z, at least 1 each; z does not count layers.
    pub extents: [u32; 3],
    /// The row pitch (of rows of blocks) in bytes.
    pub row_bytes: u64,
    /// The slice pitch of a 3D texture in bytes.
    pub slice_bytes: u64,
}

impl SurfaceLevel {
    /// The byte after the last one of the first layer.
    pub fn end_bytes(&self) -> u64 {
        self.offset_bytes + self.slice_bytes * u64::from(self.extents[2])
    }
}

/// Kind, format and extents of a texture. Extents that a kind lacks are 1.
///
/// Texels are tightly packed: for each layer, each sample, each mip level, each slice, each row. So the samples of a
/// texture are planes, laid out as layers are. In a block-compressed format this applies to blocks: a mip level has as many as cover it, at least one.
/// So a texture can be a mapped file. A larger row pitch is possible, for example in memory of other owners.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct TextureShape {
    /// The kind, as the shader declares it.
    pub dimension: Dimension,
    /// Format of a texel.
    pub format: Format,
    /// Texels of a row of mip level 0.
    pub width: u32,
    /// Number of rows of mip level 0.
    pub height: u32,
    /// Number of slices of mip level 0 of a 3D texture.
    pub depth: u32,
    /// Number of layers of an array; faces of a cube count each.
    pub layers: u32,
    /// Number of mip levels.
    pub mips: u32,
    /// Number of samples of a texel of a multisampled texture: 1, 2, 4, 8 or 16.
    pub samples: u32,
    /// `true` if all samples lie at the center of a pixel, `false` for the standard pattern (functional specification,
    /// 19.2.4).
    pub center_pattern: bool,
    /// The row pitch in bytes (of rows of blocks if there are any), for a texture of one mip level; `None` where rows
    /// are packed. Slices and layers follow without further padding.
    pub row_pitch_bytes: Option<u64>,
}

impl TextureShape {
    /// A texture of one row, one layer, one mip level and one sample.
    pub fn new(dimension: Dimension, format: Format, width: u32) -> Self {
        let layers = if dimension.is_cube() { FACES } else { 1 };
        Self {
            dimension,
            format,
            width,
            height: 1,
            depth: 1,
            layers,
            mips: 1,
            samples: 1,
            center_pattern: false,
            row_pitch_bytes: None,
        }
    }

    /// A 2D texture of one mip level.
    pub fn texture_2d(format: Format, width: u32, height: u32) -> Self {
        Self::new(Dimension::Texture2d, format, width).height(height)
    }

    /// Sets the number of rows.
    pub fn height(mut self, height: u32) -> Self {
        self.height = height;
        self
    }

    /// Sets the number of slices.
    pub fn depth(mut self, depth: u32) -> Self {
        self.depth = depth;
        self
    }

    /// Makes it an array of layers of the same kind.
    pub fn array(mut self, layers: u32) -> Self {
        self.dimension = match self.dimension {
            Dimension::Texture1d => Dimension::Texture1dArray,
            Dimension::Texture2d => Dimension::Texture2dArray,
            Dimension::Texture2dMs => Dimension::Texture2dMsArray,
            Dimension::TextureCube => Dimension::TextureCubeArray,
            other => other,
        };
        self.layers(layers)
    }

    /// Sets the number of layers.
    pub fn layers(mut self, layers: u32) -> Self {
        self.layers = layers;
        self
    }

    /// Sets the number of mip levels.
    pub fn mips(mut self, mips: u32) -> Self {
        self.mips = mips;
        self
    }

    /// Makes a 2D texture, or an array of them, multisampled, with this many samples for each texel.
    pub fn samples(mut self, samples: u32) -> Self {
        self.dimension = match self.dimension {
            Dimension::Texture2d => Dimension::Texture2dMs,
            Dimension::Texture2dArray => Dimension::Texture2dMsArray,
            other => other,
        };
        self.samples = samples;
        self
    }

    /// Sets whether all samples lie at the center of a pixel.
    pub fn center_pattern(mut self, center_pattern: bool) -> Self {
        self.center_pattern = center_pattern;
        self
    }

    /// The positions of its samples. The shape must be possible.
    pub fn sample_pattern(&self) -> SamplePattern {
        let standard = SamplePattern::standard(self.samples).unwrap_or_default();
        if self.center_pattern { standard.centered() } else { standard }
    }

    /// Sets the row pitch. Compiled code then accesses texels through the runtime, which is slower.
    pub fn row_pitch(mut self, bytes: u64) -> Self {
        self.row_pitch_bytes = Some(bytes);
        self
    }

    /// Number of bytes from the first texel to the end of the last one. An error if such a texture is impossible.
    pub fn size_bytes(&self) -> Result<u64, ResourceError> {
        self.check()?;
        let after_last_row = self.row_pitch_bytes.map_or(0, |pitch| pitch - self.row_bytes(self.width));
        Ok(self.layer_bytes() * u64::from(self.planes()) - after_last_row)
    }

    /// Size of the blocks that cover this many texels of a row, in bytes.
    pub(super) fn row_bytes(&self, width: u32) -> u64 {
        let [block_width, _] = self.format.block_extents();
        u64::from(width.div_ceil(block_width)) * u64::from(self.format.size_bytes())
    }

    /// Number of planes: layers, with each sample of a multisampled texture counted.
    pub fn planes(&self) -> u32 {
        self.layers * self.samples
    }

    /// The extents of a mip level, at least 1 each. The level must exist.
    pub(super) fn extents(&self, mip: u32) -> [u32; 3] {
        [self.width, self.height, self.depth].map(|texels| (texels >> mip).max(1))
    }

    /// The mip levels of the first plane, from its first byte. The shape must be possible.
    pub(super) fn levels(&self) -> impl Iterator<Item = SurfaceLevel> {
        let [_, block_height] = self.format.block_extents();
        let mut next_bytes = 0;
        (0..self.mips).map(move |mip| {
            let extents @ [width, height, _] = self.extents(mip);
            let row_bytes = self.row_pitch_bytes.unwrap_or(self.row_bytes(width));
            let slice_bytes = u64::from(height.div_ceil(block_height)) * row_bytes;
            let level = SurfaceLevel { offset_bytes: next_bytes, extents, row_bytes, slice_bytes };
            next_bytes = level.end_bytes();
            level
        })
    }

    /// Distance between planes in bytes. The shape must be possible.
    pub(super) fn layer_bytes(&self) -> u64 {
        self.levels().last().map_or(0, |level| level.end_bytes())
    }

    fn check(&self) -> Result<(), ResourceError> {
        let dimension = self.dimension;
        let (most, rows, slices, layers) = match dimension {
            Dimension::Buffer => return Err(ResourceError::NoTexture),
            Dimension::Texture1d => (MOST_TEXELS, 1, 1, 1),
            Dimension::Texture1dArray => (MOST_TEXELS, 1, 1, MOST_LAYERS),
            Dimension::Texture2d | Dimension::Texture2dMs => (MOST_TEXELS, MOST_TEXELS, 1, 1),
            Dimension::Texture2dArray | Dimension::Texture2dMsArray => (MOST_TEXELS, MOST_TEXELS, 1, MOST_LAYERS),
            Dimension::Texture3d => (MOST_TEXELS_3D, MOST_TEXELS_3D, MOST_TEXELS_3D, 1),
            Dimension::TextureCube => (MOST_TEXELS, MOST_TEXELS, 1, FACES),
            Dimension::TextureCubeArray => (MOST_TEXELS, MOST_TEXELS, 1, MOST_LAYERS / FACES * FACES),
        };
        let longest = self.width.max(self.height).max(self.depth);
        let mips = if dimension.is_multisampled() { 1 } else { u32::BITS - longest.leading_zeros() };
        let extents = [
            ("width", self.width, most),
            ("height", self.height, rows),
            ("depth", self.depth, slices),
            ("number of layers", self.layers, layers),
            ("number of mip levels", self.mips, mips),
        ];
        for (extent, value, most) in extents {
            if value == 0 || value > most {
                return Err(ResourceError::Extent { dimension, extent, value, most });
            }
        }
        if !SAMPLE_COUNTS.contains(&self.samples) || (self.samples > 1 && !dimension.is_multisampled()) {
            return Err(ResourceError::Samples { dimension, samples: self.samples });
        }
        if dimension.is_cube() && self.height != self.width {
            return Err(ResourceError::CubeSquare { width: self.width, height: self.height });
        }
        if dimension.is_cube() && !self.layers.is_multiple_of(FACES) {
            return Err(ResourceError::CubeFaces { layers: self.layers });
        }
        let [block_width, block_height] = self.format.block_extents();
        for (axis, value, multiple) in [("width", self.width, block_width), ("height", self.height, block_height)] {
            if !value.is_multiple_of(multiple) {
                return Err(ResourceError::Blocks { format: self.format, axis, value, multiple });
            }
        }
        if let Some(row_pitch_bytes) = self.row_pitch_bytes {
            if self.mips > 1 {
                return Err(ResourceError::RowPitchMips { mips: self.mips });
            }
            check_pitch(row_pitch_bytes, self.row_bytes(self.width), self.format.unit_bytes())?;
        }
        check_format(dimension, self.format)
    }
}

/// The largest row pitch in bytes, so that no product overflows.
const MOST_PITCH: u64 = 1 << 32;

/// Checks a row pitch for rows of some bytes.
pub(super) fn check_pitch(row_pitch_bytes: u64, row_bytes: u64, unit_bytes: u32) -> Result<(), ResourceError> {
    match row_pitch_bytes.is_multiple_of(unit_bytes.into()) && (row_bytes..=MOST_PITCH).contains(&row_pitch_bytes) {
        true => Ok(()),
        false => Err(ResourceError::RowPitch { row_pitch_bytes, row_bytes, unit_bytes }),
    }
}

/// Checks that Direct3D has textures of this kind and format.
pub(super) fn check_format(dimension: Dimension, format: Format) -> Result<(), ResourceError> {
    if format.allows(Use::of_dimension(dimension)) { Ok(()) } else { Err(ResourceError::Format { dimension, format }) }
}
