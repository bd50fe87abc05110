//! Represents the coverage of quads: squares of 2 x 2 pixels that are tested and shaded together.

use wide::u32x4;

use crate::setup::bins::TILE_SIZE;

/// Quads along one dimension of a tile.
pub const TILE_QUADS: usize = TILE_SIZE as usize / 2;

/// The coverage mask of a quad: upper left, upper right, lower left, lower right.
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

/// The coverage of a quad by samples: four bits for each, as in [`Coverage`].
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct SampleCoverage(u64);

impl SampleCoverage {
    /// The samples of a mask, in all four pixels.
    #[inline(always)]
    pub fn of_samples(mask: u32) -> Self {
        // Bits move apart, half by half, and then fill their digits.
        let mut digits = u64::from(mask & 0xffff);
        for (by, kept) in [(24, 0x0000_00ff_0000_00ff), (12, 0x000f_000f_000f_000f), (6, 0x0303_0303_0303_0303)] {
            digits = (digits | digits << by) & kept;
        }
        digits = (digits | digits << 3) & 0x1111_1111_1111_1111;
        Self(digits * 15)
    }

    /// The pixels of a sample.
    #[inline(always)]
    pub fn sample(self, sample: usize) -> Coverage {
        Coverage::of_bits(self.0 >> (4 * sample))
    }

    /// Sets the pixels of a sample, which had none.
    #[inline(always)]
    pub fn put(&mut self, sample: usize, pixels: Coverage) {
        self.0 |= u64::from(pixels.bits()) << (4 * sample);
    }

    /// The pixels with any sample.
    #[inline(always)]
    pub fn pixels(self) -> Coverage {
        let half = self.0 | self.0 >> 32;
        let quarter = half | half >> 16;
        let eighth = quarter | quarter >> 8;
        Coverage::of_bits(eighth | eighth >> 4)
    }

    /// The intersection of two.
    #[inline(always)]
    pub fn intersect(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// A bit per pixel for samples 0 to 7, and for samples 8 to 15, as the pixel function gets them.
    #[inline(always)]
    pub fn words(self) -> [u32; 2] {
        [self.0 as u32, (self.0 >> 32) as u32]
    }

    /// `true` if no sample is covered.
    #[inline(always)]
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Number of covered samples.
    #[inline(always)]
    pub fn count(self) -> u64 {
        self.0.count_ones().into()
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

#[cfg(test)]
mod tests {
    use super::{Coverage, SampleCoverage};

    #[test]
    fn masks_of_samples_fill_their_digits() {
        for mask in 0..=0xffff {
            let coverage = SampleCoverage::of_samples(mask);
            for sample in 0..16 {
                let expected = if mask >> sample & 1 != 0 { Coverage::FULL } else { Coverage::default() };
                assert_eq!(coverage.sample(sample), expected, "{mask:#x} {sample}");
            }
        }
    }
}
