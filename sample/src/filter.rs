//! How the texels that a filter takes are combined.
//!
//! Weights are integers, exact as doubles. A filter's result is defined as the sum of texels times weights in doubles,
//! in texel order, divided by the sum of the weights, and rounded once to 32 bits. With fixed point the sum is exact,
//! so that the result is correctly rounded. In all formats equal texels yield the same as a load of one, and the result
//! is between the smallest and the largest texel: doubles are finer than any weight. Texels of weight zero are not
//! read. Linear filters of numbers are `interpolate.rs` where their result is finite.

use brolga_ir::float;
use brolga_resource::{Comparison, Reduction, Texel};

use crate::texel::Texels;

/// The texels taken so far.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Taken {
    Weighted { sums: [f64; 4] },
    Compared { sum: f64, comparison: Comparison, reference: f64 },
    Minimum { values: [f64; 4] },
    Maximum { values: [f64; 4] },
}

/// The identity of addition, which preserves even a zero's sign.
const NOTHING: f64 = -0.0;

impl Taken {
    /// None yet. Non-comparison instructions use sums even with a comparison sampler.
    pub fn none(reduction: Reduction) -> Self {
        match reduction {
            Reduction::Weighted | Reduction::Comparison => Taken::Weighted { sums: [NOTHING; 4] },
            Reduction::Minimum => Taken::Minimum { values: [f64::NAN; 4] },
            Reduction::Maximum => Taken::Maximum { values: [f64::NAN; 4] },
        }
    }

    /// None yet, to be compared with a reference.
    pub fn none_compared(comparison: Comparison, reference: f64) -> Self {
        Taken::Compared { sum: 0.0, comparison, reference }
    }

    /// One more.
    #[inline(always)]
    pub fn take(&mut self, texels: &Texels, texel: Option<Texel>, weight: f64) {
        match self {
            Taken::Weighted { sums } => {
                for (sum, value) in sums.iter_mut().zip(texels.values(texel)) {
                    *sum += value * weight;
                }
            }
            Taken::Compared { sum, comparison, reference } => {
                if comparison.holds(*reference, texels.compared(texel)) {
                    *sum += weight;
                }
            }
            Taken::Minimum { values } => {
                for (least, value) in values.iter_mut().zip(texels.values(texel)) {
                    *least = float::min_f64(*least, value);
                }
            }
            Taken::Maximum { values } => {
                for (most, value) in values.iter_mut().zip(texels.values(texel)) {
                    *most = float::max_f64(*most, value);
                }
            }
        }
    }

    /// The result, where weights sum up to `total`.
    pub fn finish(self, texels: &Texels, total: f64) -> [u32; 4] {
        match self {
            Taken::Weighted { sums } => texels.finish(sums, total),
            Taken::Compared { sum, .. } => [((sum / total) as f32).to_bits(); 4],
            Taken::Minimum { values } | Taken::Maximum { values } => texels.finish(values, 1.0),
        }
    }
}
