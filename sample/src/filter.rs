//! Combines the texels that a filter takes, where that is not a linear filter (`interpolate.rs`) with a finite result.
//!
//! Weights are integers, exact as doubles. Texels of weight zero are not read.

use brolga_ir::float;
use brolga_resource::{Comparison, Reduction, Texel};

use crate::texel::{SurfaceTexels, number_bits};

/// The texels taken so far.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Taken {
    Weighted { sums: [f64; 4] },
    Compared { sum: f64, comparison: Comparison, reference: f32 },
    Minimum { numbers: [f32; 4] },
    Maximum { numbers: [f32; 4] },
}

/// The identity of addition, which preserves even the sign of a zero.
const NOTHING: f64 = -0.0;

impl Taken {
    /// No texels yet. Non-comparison instructions use sums even with a comparison sampler.
    pub fn none(reduction: Reduction) -> Self {
        match reduction {
            Reduction::Weighted | Reduction::Comparison => Taken::Weighted { sums: [NOTHING; 4] },
            Reduction::Minimum => Taken::Minimum { numbers: [f32::NAN; 4] },
            Reduction::Maximum => Taken::Maximum { numbers: [f32::NAN; 4] },
        }
    }

    /// No texels yet, to be compared with a reference.
    pub fn none_compared(comparison: Comparison, reference: f32) -> Self {
        Taken::Compared { sum: 0.0, comparison, reference }
    }

    /// Takes one more texel.
    #[inline(always)]
    pub fn take(&mut self, texels: &SurfaceTexels, texel: Option<Texel>, weight: f64) {
        match self {
            Taken::Weighted { sums } => {
                for (sum, value) in sums.iter_mut().zip(texels.values(texel)) {
                    *sum += f64::from(f32::from_bits(value)) * weight;
                }
            }
            Taken::Compared { sum, comparison, reference } => {
                if comparison.holds(*reference, texels.compared(texel)) {
                    *sum += weight;
                }
            }
            Taken::Minimum { numbers } => {
                for (least, word) in numbers.iter_mut().zip(texels.words(texel)) {
                    *least = float::min(*least, float::flush(f32::from_bits(word)));
                }
            }
            Taken::Maximum { numbers } => {
                for (most, word) in numbers.iter_mut().zip(texels.words(texel)) {
                    *most = float::max(*most, float::flush(f32::from_bits(word)));
                }
            }
        }
    }

    /// The result, where weights sum to `total`.
    pub fn finish(self, texels: &SurfaceTexels, total: f64) -> [u32; 4] {
        match self {
            Taken::Weighted { sums } => texels.words_of_sums(sums, total),
            Taken::Compared { sum, .. } => [((sum / total) as f32).to_bits(); 4],
            Taken::Minimum { numbers } | Taken::Maximum { numbers } => numbers.map(|number| number_bits(number.into())),
        }
    }
}
