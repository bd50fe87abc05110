//! Positions of the samples in a pixel: the standard patterns of the functional specification (19.2.4), and the center
//! pattern, with all samples at the center (19.2.4.1).

use serde::{Deserialize, Serialize};

/// The samples of a pixel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct SamplePattern {
    count: u32,
    is_centered: bool,
}

impl SamplePattern {
    /// One sample, at the center.
    pub const ONE: Self = Self { count: 1, is_centered: false };

    /// The standard pattern of 1, 2, 4, 8 or 16 samples; `None` for other counts.
    pub const fn standard(count: u32) -> Option<Self> {
        if matches!(count, 1 | 2 | 4 | 8 | 16) { Some(Self { count, is_centered: false }) } else { None }
    }

    /// The same number of samples, all at the center.
    pub const fn centered(self) -> Self {
        Self { is_centered: self.count > 1, ..self }
    }

    /// Number of samples.
    pub const fn count(self) -> u32 {
        self.count
    }

    /// `true` if several samples lie at the center.
    pub const fn is_centered(self) -> bool {
        self.is_centered
    }

    /// A mask of all samples, the first in the lowest bit.
    pub const fn mask(self) -> u32 {
        (1 << self.count) - 1
    }

    /// The positions of the samples, to the right and down from the center, in sixteenths of a pixel: from -8 to 7.
    pub const fn positions(self) -> &'static [[i8; 2]] {
        if self.is_centered {
            return CENTERED.split_at(self.count as usize).0;
        }
        match self.count {
            1 => &[[0, 0]],
            2 => &[[4, 4], [-4, -4]],
            4 => &[[-2, -6], [6, -2], [-6, 2], [2, 6]],
            8 => &[[1, -3], [-1, 3], [5, 1], [-3, -5], [-5, 5], [-7, -1], [3, 7], [7, -7]],
            _ => &SIXTEEN,
        }
    }

    /// The position of a sample in pixels, to the right and down from the center; the center if there is no such one.
    pub fn position(self, sample: u32) -> [f32; 2] {
        let at = self.positions().get(sample as usize).copied().unwrap_or_default();
        at.map(|sixteenths| f32::from(sixteenths) / 16.0)
    }

    /// The positions along an axis, in signed numbers of four bits: eight to a word, the first in the lowest bits.
    pub(super) fn packed(self, axis: usize) -> [u32; 2] {
        let mut words = [0; 2];
        for (n, position) in self.positions().iter().enumerate() {
            words[n / 8] |= (position[axis] as u32 & 15) << (n % 8 * 4);
        }
        words
    }
}

impl Default for SamplePattern {
    fn default() -> Self {
        Self::ONE
    }
}

const CENTERED: [[i8; 2]; 16] = [[0; 2]; 16];

const SIXTEEN: [[i8; 2]; 16] = [
    [1, 1],
    [-1, -3],
    [-3, 2],
    [4, -1],
    [-5, -2],
    [2, 5],
    [5, 3],
    [3, -5],
    [-2, 6],
    [0, -7],
    [-4, -6],
    [-6, 4],
    [-8, 0],
    [7, -4],
    [6, 7],
    [-7, -8],
];
