//! Locates the texels that a view of a texture sees.

use std::ops::Range;
use std::sync::Arc;

use brolga_ir::interface::Dimension;
use brolga_ir::pipeline::state::SamplePattern;

use crate::expansion::Expansion;
use crate::format::Format;
use crate::memory::Memory;
use crate::shape::SurfaceLevel;

/// The texels that a view of a texture sees, as described to loads, stores and sampling.
#[derive(Clone, Debug)]
pub struct Surface {
    /// The memory of the texture.
    pub memory: Arc<Memory>,
    /// The format of the view, which may differ from that of the texture.
    pub format: Format,
    /// The kind, as the shader declares it.
    pub dimension: Dimension,
    /// The view's levels, the most detailed one first; at least one.
    pub levels: Vec<SurfaceLevel>,
    /// Number of layers that the view sees, each face of a cube counted; 1 if there are none.
    pub layers: u32,
    /// Distance between layers in bytes; between samples if it is multisampled.
    pub layer_bytes: u64,
    /// The samples of a texel, one if it is not multisampled. Each is a plane, and those of a layer are consecutive.
    pub pattern: SamplePattern,
    /// The least level of detail, counted in the view's levels, that may be sampled or loaded (functional specification
    /// 5.8); 0 if the view does not limit it.
    pub min_level: f32,
    /// The layout of its texels in a copy, if it may have one.
    pub expansion: Option<Expansion>,
}

/// One texel, or a sample of one, of a surface.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Texel {
    /// The level, counted in the view's levels.
    pub level: u32,
    /// The position along x, y and z of the level.
    pub at: [u32; 3],
    /// The layer, counted in the view's layers, each face of a cube counted.
    pub layer: u32,
    /// The sample; 0 if it is not multisampled.
    pub sample: u32,
}

impl Surface {
    /// Offset of a texel's block in the memory; `None` outside the view. Ignores the least level.
    #[inline]
    pub fn block_offset(&self, texel: Texel) -> Option<u64> {
        let level = self.levels.get(texel.level as usize)?;
        let [x, y, z] = texel.at;
        let [width, height, depth] = level.extents;
        let samples = self.pattern.count();
        if x >= width || y >= height || z >= depth || texel.layer >= self.layers || texel.sample >= samples {
            return None;
        }
        // Inside, so that no product exceeds the bytes of the texture. Extents of blocks are powers of two.
        let [across, down] = self.format.block_extents().map(u32::trailing_zeros);
        let [x, y, z, layer, sample, samples] =
            [x >> across, y >> down, z, texel.layer, texel.sample, samples].map(u64::from);
        let (block, plane) = (x * u64::from(self.format.size_bytes()), layer * samples + sample);
        Some(level.offset_bytes + plane * self.layer_bytes + z * level.slice_bytes + y * level.row_bytes + block)
    }

    /// The bytes of the view, as offsets in the memory: a range for each layer or sample, in increasing order.
    pub fn byte_ranges(&self) -> impl Iterator<Item = Range<u64>> {
        let start = self.levels.first().map_or(0, |level| level.offset_bytes);
        let end = self.levels.last().map_or(start, SurfaceLevel::end_bytes);
        let planes = u64::from(self.layers) * u64::from(self.pattern.count());
        (0..planes).map(move |plane| plane * self.layer_bytes).map(move |at| at + start..at + end)
    }

    /// True if the least level lets unfiltered accesses reach a level (functional specification 5.8.4, 5.8.5): from the
    /// level that contains it on, and none if it is beyond the last.
    #[inline]
    pub fn reaches(&self, level: u32) -> bool {
        let last = self.levels.len().saturating_sub(1);
        self.min_level <= last as f32 && level >= self.min_level as u32
    }
}
