//! Locates and reads texels: in the texture's own memory, in a copy of expanded blocks, or in compressed blocks.

#![allow(unsafe_code)]

use std::cell::UnsafeCell;
use std::ops::Deref;

use brolga_resource::{BAND_SHIFT, ExpandedCopy};

use super::address::{Levels, TexelAddress};
use super::texture::{Blocks, Fast, LevelLayouts, TexelStride};
use super::vector::{LaneArray, Lanes, Vector};

/// The most lanes of a vector.
const MOST_LANES: usize = 16;

/// Texels of the lanes of a vector, expanded.
pub(super) type Expanded = [u64; MOST_LANES];

/// A texture in memory.
#[derive(Clone, Copy)]
pub(super) struct TexelSource<'a> {
    pub fast: &'a Fast,
    /// A copy with its blocks expanded, if there is one.
    pub copy: Option<&'a ExpandedCopy>,
}

impl Deref for TexelSource<'_> {
    type Target = Fast;

    #[inline(always)]
    fn deref(&self) -> &Fast {
        self.fast
    }
}

/// The location of the mip levels of a vector of lanes.
#[derive(Clone, Copy)]
pub(super) struct Storage<'a, V> {
    source: TexelSource<'a>,
    /// Offset of the first texel of each lane's level and layer.
    offset_bytes: V,
    row_bytes: V,
    slice_bytes: V,
    pub layer_bytes: u32,
    /// Bands of a copy.
    bands: Option<Bands<V>>,
    blocks: Option<&'a Blocks>,
}

/// Bands of a copy: the first one of each lane's level and layer.
#[derive(Clone, Copy)]
struct Bands<V> {
    first: V,
    of_slice: V,
    of_layer: u32,
}

impl<'a> TexelSource<'a> {
    /// Pairs a texture with a copy of it; a copy that is too small, which cannot be of this texture, is ignored.
    #[inline(always)]
    pub fn new(fast: &'a Fast, copy: Option<&'a ExpandedCopy>) -> Self {
        let copy_bytes = fast.expanded.as_ref().map_or(u64::MAX, |layouts| layouts.copy_bytes);
        Self { fast, copy: copy.filter(|copy| copy.size_bytes() >= copy_bytes) }
    }

    /// Locates levels: in the copy, if there is one, whose texels may still have to be made.
    #[inline(always)]
    pub fn storage<V: Vector>(self, levels: &Levels<V>, layer: Option<V>) -> Storage<'a, V> {
        let (Some(_), Some(layouts)) = (self.copy, &self.fast.expanded) else {
            return self.own_storage(levels, layer);
        };
        let [mut offset_bytes, row_bytes, slice_bytes, mut first, of_slice] = levels.layouts(layouts, true);
        if let Some(layer) = layer {
            offset_bytes = offset_bytes.add(layer.mul(V::splat(layouts.layer_bytes)));
            first = first.add(layer.mul(V::splat(layouts.layer_bands)));
        }
        let bands = Some(Bands { first, of_slice, of_layer: layouts.layer_bands });
        let layer_bytes = layouts.layer_bytes;
        Storage { source: self, offset_bytes, row_bytes, slice_bytes, layer_bytes, bands, blocks: None }
    }

    /// Locates levels in the texture's own memory.
    #[inline(always)]
    pub fn own_storage<V: Vector>(self, levels: &Levels<V>, layer: Option<V>) -> Storage<'a, V> {
        let layouts = &self.fast.own;
        let [mut offset_bytes, row_bytes, slice_bytes, ..] = levels.layouts(layouts, false);
        if let Some(layer) = layer {
            offset_bytes = offset_bytes.add(layer.mul(V::splat(layouts.layer_bytes)));
        }
        let (layer_bytes, blocks) = (layouts.layer_bytes, self.fast.blocks.as_ref());
        Storage { source: self, offset_bytes, row_bytes, slice_bytes, layer_bytes, bands: None, blocks }
    }

    /// The address of the lanes' texels, for reads: `expanded` has room for texels of compressed blocks.
    #[inline(always)]
    pub fn locate<V: Vector>(self, address: &TexelAddress<V>, expanded: &mut Expanded) -> (*const u8, V) {
        if address.is_packed {
            let packed = address.offset_bytes.store();
            let mut lanes = Lanes::<V, u32>::splat(0);
            for lane in 0..V::LANES {
                lanes[lane] = (lane * size_of::<u64>()) as u32;
            }
            expand(self.fast, packed.as_slice(), expanded);
            return (expanded.as_ptr().cast(), V::load(&lanes));
        }
        let base = match self.copy {
            Some(copy) if self.fast.expanded.is_some() => copy.base(),
            _ => self.fast.memory.base(),
        };
        (base, address.offset_bytes)
    }
}

impl<V: Vector> Storage<'_, V> {
    /// The same storage `further` layers on.
    #[inline(always)]
    pub fn in_layer(mut self, further: V) -> Self {
        self.offset_bytes = self.offset_bytes.add(further.mul(V::splat(self.layer_bytes)));
        if let Some(bands) = &mut self.bands {
            bands.first = bands.first.add(further.mul(V::splat(bands.of_layer)));
        }
        self
    }

    /// The share of columns in an offset.
    #[inline(always)]
    pub fn column(&self, x: V) -> V {
        match (self.blocks, self.source.fast.step) {
            (Some(blocks), _) => {
                let block = x.shift_right_by(blocks.width_shift).shift_left_by(blocks.size_shift + 1);
                block.add(x.and(V::splat((1 << blocks.width_shift) - 1)))
            }
            (None, TexelStride::Shift(shift)) => x.shift_left_by(shift),
            (None, TexelStride::Twelve) => x.shift_left::<3>().add(x.shift_left::<2>()),
        }
    }

    /// The offset of a row in the first slice.
    #[inline(always)]
    pub fn row(&self, y: V) -> V {
        match self.blocks {
            Some(blocks) => {
                let offset = self.offset_bytes.add(y.shift_right_by(blocks.height_shift).mul(self.row_bytes));
                let inner = y.and(V::splat((1 << blocks.height_shift) - 1));
                offset.shift_left::<1>().add(inner.shift_left::<2>())
            }
            None => self.offset_bytes.add(y.mul(self.row_bytes)),
        }
    }

    /// The share of slices in an offset.
    #[inline(always)]
    pub fn slice(&self, z: V) -> V {
        let offset = z.mul(self.slice_bytes);
        if self.blocks.is_some() { offset.shift_left::<1>() } else { offset }
    }

    /// True if texels are in a copy.
    #[inline(always)]
    pub fn is_copy(&self) -> bool {
        self.bands.is_some()
    }

    /// True if offsets are packed with indices in blocks.
    #[inline(always)]
    pub fn is_packed(&self) -> bool {
        self.blocks.is_some()
    }

    /// True if the rows that the active lanes read are there; expands those that are not yet.
    #[inline(always)]
    pub fn has(&self, y: V, z: Option<V>, taking_part: u32) -> bool {
        let (Some(Bands { first, of_slice, .. }), Some(copy)) = (&self.bands, self.source.copy) else { return true };
        let mut band = first.add(y.shift_right_by(BAND_SHIFT));
        if let Some(z) = z {
            band = band.add(z.mul(*of_slice));
        }
        let bands = band.store();
        if band.equal(V::splat(bands[0])).is_ones() {
            return copy.has(bands[0]) || copy.make(bands[0]);
        }
        let mut has_all = true;
        for lane in 0..V::LANES {
            has_all &= taking_part >> lane & 1 == 0 || copy.has(bands[lane]) || copy.make(bands[lane]);
        }
        has_all
    }
}

impl LevelLayouts {
    /// The words of a level, for table look-ups.
    pub fn words(&self) -> *const u8 {
        self.levels.as_ptr().cast()
    }
}

/// Expanded blocks, looked up by their bits: so neither their addresses nor concurrent writes matter.
struct Tiles {
    entries: [Tile; TILES],
}

const TILES: usize = 64;

/// An expanded block.
#[derive(Clone, Copy)]
struct Tile {
    block: u128,
    /// The address of the function that expanded it; 0 if there is none.
    expand: usize,
    texels: [u64; 16],
}

thread_local! {
    static EXPANDED: UnsafeCell<Tiles> =
        const { UnsafeCell::new(Tiles { entries: [Tile { block: 0, expand: 0, texels: [0; 16] }; TILES] }) };
}

/// Expands the texels at packed offsets.
#[inline(never)]
fn expand(fast: &Fast, packed: &[u32], texels: &mut Expanded) {
    let Some(blocks) = &fast.blocks else { return };
    EXPANDED.with(|tiles| {
        // SAFETY: nothing below re-enters this function, and other threads have tiles of their own.
        let tiles = unsafe { &mut *tiles.get() };
        let index_mask = (2 << blocks.align_shift) - 1;
        for (texel, &packed) in texels.iter_mut().zip(packed) {
            let offset = packed >> (blocks.align_shift + 1) << blocks.align_shift;
            // SAFETY: the offset comes from `Storage`, of a texel inside a level and a layer, which `Fast::new` checked
            // to be inside the memory; blocks have so many bytes.
            let block = unsafe { read_block(fast.memory.base().add(offset as usize), blocks.size_shift) };
            *texel = tiles.texels(block, blocks.expand)[(packed & index_mask & 15) as usize];
        }
    });
}

/// Reads a block of 4, 8 or 16 bytes.
///
/// # Safety
///
/// The block is in memory.
#[inline(always)]
unsafe fn read_block(at: *const u8, size_shift: u32) -> u128 {
    // SAFETY: the caller promises that the block is there.
    unsafe {
        match size_shift {
            2 => at.cast::<u32>().read_unaligned().into(),
            3 => at.cast::<u64>().read_unaligned().into(),
            _ => at.cast::<u128>().read_unaligned(),
        }
    }
}

impl Tiles {
    #[inline(always)]
    fn texels(&mut self, block: u128, expand: fn(u128, &mut [u64; 16])) -> &[u64; 16] {
        let folded = (block as u64) ^ (block >> 64) as u64;
        let slot = (folded.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (u64::BITS - TILES.ilog2())) as usize;
        let tile = &mut self.entries[slot];
        let number = expand as *const () as usize;
        if tile.block != block || tile.expand != number {
            // Marked as present only once it is complete: expansion may panic.
            tile.expand = 0;
            expand(block, &mut tile.texels);
            (tile.block, tile.expand) = (block, number);
        }
        &tile.texels
    }
}
