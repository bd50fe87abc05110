//! Lays out the texels of a copy, and divides them into bands.
//!
//! A copy has all of a texture: for each layer, each mip level, each slice, each row of texels. Rows and slices are
//! padded to whole blocks, so that a block is written as a whole.

use std::ops::Range;

use crate::format::{Encoding, Format, Layout};
use crate::shape::{SurfaceLevel, TextureShape};

/// Rows of texels in a band, as a power of two. They are whole blocks.
pub const BAND_SHIFT: u32 = 5;

/// Exclusive limit of the bytes of a copy.
const MOST_BYTES: u64 = 1 << 31;

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
    /// Number of bands in a slice.
    pub slice_bands: u32,
}

/// The layout of all texels in a texture and in its copies.
#[derive(Debug)]
pub(super) struct Plan {
    /// The format of the blocks. Formats whose texels are expanded to the same numbers are one here.
    pub format: Format,
    /// Size of an expanded texel in bytes.
    pub texel_bytes: u32,
    /// The levels of the first layer, in the texture and in a copy.
    levels: Vec<(SurfaceLevel, ExpandedLevel)>,
    /// Distance between layers of the texture in bytes.
    source_layer_bytes: u64,
    pub layer_bytes: u64,
    pub layer_bands: u32,
    pub size_bytes: u64,
    /// Number of bands in a whole copy.
    pub bands: u32,
}

/// The location of a band in a texture and in its copies.
#[derive(Clone, Copy, Debug)]
pub(super) struct Band {
    /// Offset of its first block in the texture.
    pub source_bytes: u64,
    /// Distance between rows of blocks in the texture.
    pub source_row_bytes: u64,
    /// Number of blocks along x and y.
    pub blocks: [u32; 2],
    /// Offset of its first texel in the copy.
    pub offset_bytes: u64,
    /// Distance between rows of texels in the copy.
    pub row_bytes: u64,
    /// Its size in the copy.
    pub size_bytes: u64,
}

/// The format whose blocks are expanded to the same numbers: sRGB codes remain codes.
fn coded_alike(format: Format) -> Format {
    let is_linear = |other: &&Format| other.encoding() == Encoding::Unorm && other.is_castable_to(format);
    match format.encoding() {
        Encoding::Srgb => Format::ALL.iter().find(is_linear).copied().unwrap_or(format),
        _ => format,
    }
}

impl Plan {
    /// Plans copies of a texture whose blocks are viewed in a format; `None` if they would be too large, or a block of
    /// the format is a single texel.
    pub fn new(shape: &TextureShape, format: Format) -> Option<Self> {
        format.expander()?;
        let texel_bytes = Layout::of(format).size_bytes;
        let [block_width, block_height] = format.block_extents();
        let (mut levels, mut layer_bytes, mut layer_bands) = (Vec::new(), 0, 0);
        for source in shape.levels() {
            let [width, height, depth] = source.extents;
            let rows = height.next_multiple_of(block_height);
            let row_bytes = u64::from(width.next_multiple_of(block_width)) * u64::from(texel_bytes);
            let level = ExpandedLevel {
                offset_bytes: layer_bytes,
                row_bytes,
                slice_bytes: u64::from(rows) * row_bytes,
                first_band: layer_bands,
                slice_bands: rows.div_ceil(1 << BAND_SHIFT),
            };
            layer_bytes += level.slice_bytes * u64::from(depth);
            // A band has at least one block: there are fewer bands than bytes.
            if layer_bytes >= MOST_BYTES {
                return None;
            }
            layer_bands += level.slice_bands * depth;
            levels.push((source, level));
        }
        let size_bytes = layer_bytes * u64::from(shape.layers);
        let bands = layer_bands.checked_mul(shape.layers)?;
        let source_layer_bytes = shape.layer_bytes();
        (size_bytes < MOST_BYTES).then(|| Self {
            format: coded_alike(format),
            texel_bytes,
            levels,
            source_layer_bytes,
            layer_bytes,
            layer_bands,
            size_bytes,
            bands,
        })
    }

    /// The layout of some levels, from a layer on.
    pub fn levels(&self, mips: Range<u32>, first_layer: u32) -> Vec<ExpandedLevel> {
        let of_layer = |&(_, level): &(SurfaceLevel, ExpandedLevel)| ExpandedLevel {
            offset_bytes: level.offset_bytes + u64::from(first_layer) * self.layer_bytes,
            first_band: level.first_band + first_layer * self.layer_bands,
            ..level
        };
        self.levels[mips.start as usize..mips.end as usize].iter().map(of_layer).collect()
    }

    /// The location of an existing band.
    pub fn band(&self, number: u32) -> Band {
        let [block_width, block_height] = self.format.block_extents();
        let (layer, in_layer) = (u64::from(number / self.layer_bands), number % self.layer_bands);
        let after = self.levels.partition_point(|(_, level)| level.first_band <= in_layer);
        let (source, level) = &self.levels[after - 1];
        let in_level = in_layer - level.first_band;
        let (slice, in_slice) = (u64::from(in_level / level.slice_bands), in_level % level.slice_bands);
        let first_row = in_slice << BAND_SHIFT;
        let rows = (source.extents[1].next_multiple_of(block_height) - first_row).min(1 << BAND_SHIFT);
        let source_row = u64::from(first_row / block_height);
        Band {
            source_bytes: source.offset_bytes
                + layer * self.source_layer_bytes
                + slice * source.slice_bytes
                + source_row * source.row_bytes,
            source_row_bytes: source.row_bytes,
            blocks: [source.extents[0].div_ceil(block_width), rows / block_height],
            offset_bytes: level.offset_bytes
                + layer * self.layer_bytes
                + slice * level.slice_bytes
                + u64::from(first_row) * level.row_bytes,
            row_bytes: level.row_bytes,
            size_bytes: u64::from(rows) * level.row_bytes,
        }
    }
}
