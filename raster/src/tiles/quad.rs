//! Represents the coverage of quads: squares of 2 x 2 pixels that are tested and shaded together.

use wide::u32x4;

use crate::setup::bins::TILE_SIZE;

/// Quads along one dimension of a tile.
pub const TILE_QUADS: usize = TILE_SIZE as usize / 2;

/// The coverage mask of a quad: upper left, upper right, lower left, lower right. More samples would be the bits above,
/// four each.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[repr(transparent)]
pub struct Coverage(u32);

impl Coverage {
    /// All pixels.
    pub const FULL: Self = Self(15);

    /// The coverage in the lowest four bits.
    #[inline(always)]
    pub fn of_bits(bits: u64) -> Self {
        Self(bits as u32 & 15)
    }

    /// A bit per pixel, as the pixel function gets it.
    #[inline(always)]
    pub fn bits(self) -> u32 {
        self.0
    }

    /// The pixels whose lanes are all ones.
    #[inline(always)]
    pub fn of_mask(mask: u32x4) -> Self {
        Self(mask.to_bitmask())
    }

    /// All ones in the lanes of covered pixels.
    #[inline(always)]
    pub fn mask(self) -> u32x4 {
        u32x4::new(PIXELS[self.0 as usize % 16])
    }

    /// `true` if no pixel is covered.
    #[inline(always)]
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Number of covered pixels.
    #[inline(always)]
    pub fn count(self) -> u64 {
        self.0.count_ones().into()
    }

    /// The intersection of two masks.
    #[inline(always)]
    pub fn intersect(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }
}

/// Lane masks of each coverage.
const PIXELS: [[u32; 4]; 16] = {
    let mut pixels = [[0; 4]; 16];
    let mut n = 0;
    while n < 64 {
        pixels[n / 4][n % 4] = if (n / 4) >> (n % 4) & 1 != 0 { u32::MAX } else { 0 };
        n += 1;
    }
    pixels
};

/// The covered quads of a mask with four bits for each and `across` quads in a row: their first pixels, counted from
/// `corner`, and their coverage.
#[inline(always)]
pub fn quads(corner: [i32; 2], mask: u64, across: i32) -> impl Iterator<Item = ([i32; 2], Coverage)> {
    let mut left = mask;
    std::iter::from_fn(move || {
        let n = (left != 0).then(|| left.trailing_zeros() / 4)?;
        let coverage = Coverage::of_bits(left >> (4 * n));
        left &= !(15 << (4 * n));
        let n = n as i32;
        Some(([corner[0] + n % across * 2, corner[1] + n / across * 2], coverage))
    })
}
