//! Computes what several samples of a pixel need: which of them are covered, where they lie, and which a shader masks
//! (functional specification, 3.5.4, 3.5.5, 16.3.2 and 17.18).
//!
//! The coverage of a quad has four bits for each sample, one for each pixel. Shifted by the number of a pixel, the bits
//! of its samples are the lowest ones of digits of four bits.

use crate::builder::Builder;
use crate::entity::Value;
use crate::ops::Op;

use super::record::{BatchQuad, PixelArray, SAMPLE_BITS, word, words};
use super::samples::SamplePattern;

/// The lowest bit of each digit.
const LOWEST_BITS: u32 = 0x1111_1111;

/// A quad, and the number of a pixel in it.
#[derive(Clone, Copy)]
pub(super) struct PixelInQuad {
    pub quad: Value,
    /// 0 to 3.
    pub number: Value,
    /// Set if the quad names its sample.
    pub is_per_sample: bool,
    pub pattern: SamplePattern,
    pub is_conservative: bool,
}

impl PixelInQuad {
    /// The number of the quad's primitive.
    pub fn primitive(self, b: &mut Builder<'_>) -> Value {
        let [primitive] = words(b, PixelArray::Quads.id(), self.quad, word!(BatchQuad.primitive));
        if !self.is_per_sample {
            return primitive;
        }
        let all = b.i32(u32::MAX >> SAMPLE_BITS);
        b.op(Op::And, &[primitive, all])
    }

    /// The samples that the primitive covers.
    pub fn samples(self, b: &mut Builder<'_>) -> CoveredSamples {
        CoveredSamples::by_primitive(b, self)
    }

    /// Those that passed all tests before the shader.
    pub fn samples_left(self, b: &mut Builder<'_>) -> CoveredSamples {
        CoveredSamples::after_tests(b, self)
    }

    /// `true` if the primitive covers the pixel's center.
    pub fn is_covered(self, b: &mut Builder<'_>) -> Value {
        let [coverage] = words(b, PixelArray::Quads.id(), self.quad, word!(BatchQuad.coverage));
        let one = b.i32(1);
        let bit = b.op(Op::Shl, &[one, self.number]);
        let own = b.op(Op::And, &[coverage, bit]);
        b.op(Op::IEq, &[own, bit])
    }
}

/// The samples of a pixel: the pixel's bits of its quad's coverage, samples 0 to 7 and, of sixteen, 8 to 15.
#[derive(Clone, Debug)]
pub(super) struct CoveredSamples {
    pattern: SamplePattern,
    digits: Vec<Value>,
}

impl CoveredSamples {
    /// The samples that the primitive covers, whatever the sample mask and tests before the shader leave.
    pub fn by_primitive(b: &mut Builder<'_>, pixel: PixelInQuad) -> Self {
        let PixelInQuad { quad, number, pattern, is_conservative, .. } = pixel;
        let more = upper_halves(b, quad);
        if is_conservative {
            // All samples, or none.
            let (shifted, one) = (b.op(Op::UShr, &[more, number]), b.i32(1));
            let is_touched = b.op(Op::And, &[shifted, one]);
            let digits = [pattern.count(), pattern.count().saturating_sub(8)].into_iter().filter(|&count| count > 0);
            let all = digits.map(|count| b.i32(LOWEST_BITS >> (32 - 4 * count.min(8)))).collect::<Vec<_>>();
            let digits = all.into_iter().map(|all| b.op(Op::IMul, &[is_touched, all])).collect();
            return Self { pattern, digits };
        }
        let all = if pattern.count() == 16 {
            vec![words::<1>(b, PixelArray::Quads.id(), quad, word!(BatchQuad.coverage))[0], more]
        } else {
            vec![more]
        };
        Self::of(b, pattern, all, number)
    }

    /// Those that are left.
    pub fn after_tests(b: &mut Builder<'_>, pixel: PixelInQuad) -> Self {
        let PixelInQuad { quad, number, pattern, .. } = pixel;
        if pattern.count() == 16 {
            // There are no tests before the shader.
            return Self::by_primitive(b, pixel);
        }
        let [coverage] = words(b, PixelArray::Quads.id(), quad, word!(BatchQuad.coverage));
        Self::of(b, pattern, vec![coverage], number)
    }

    fn of(b: &mut Builder<'_>, pattern: SamplePattern, all: Vec<Value>, number: Value) -> Self {
        let bits = b.i32(LOWEST_BITS);
        let own = |word| {
            let shifted = b.op(Op::UShr, &[word, number]);
            b.op(Op::And, &[shifted, bits])
        };
        Self { pattern, digits: all.into_iter().map(own).collect() }
    }

    /// `true` if a sample is one of them.
    pub fn has(&self, b: &mut Builder<'_>, sample: Sample) -> Value {
        match sample {
            Sample::Known(sample) => {
                let bit = b.i32(1 << (sample % 8 * 4));
                let own = b.op(Op::And, &[self.digits[sample as usize / 8], bit]);
                b.op(Op::IEq, &[own, bit])
            }
            Sample::Computed(sample) => {
                let (two, one) = (b.i32(2), b.i32(1));
                let digit = b.op(Op::Shl, &[sample, two]);
                let shifted = b.op(Op::UShr, &[self.digits[0], digit]);
                let own = b.op(Op::And, &[shifted, one]);
                b.op(Op::IEq, &[own, one])
            }
        }
    }

    /// `true` if there is one.
    pub fn any(&self, b: &mut Builder<'_>) -> Value {
        let all = self.digits.clone().into_iter().reduce(|a, c| b.op(Op::Or, &[a, c]));
        let (all, zero) = (all.unwrap_or_else(|| b.i32(0)), b.i32(0));
        b.op(Op::INe, &[all, zero])
    }

    /// Their number.
    pub fn count(&self, b: &mut Builder<'_>) -> Value {
        let counts: Vec<Value> = self.digits.iter().map(|&digits| b.op(Op::CountBits, &[digits])).collect();
        counts.into_iter().reduce(|a, c| b.op(Op::IAdd, &[a, c])).unwrap_or_else(|| b.i32(0))
    }

    /// A bit for each, the first sample in the lowest one.
    pub fn mask(&self, b: &mut Builder<'_>) -> Value {
        let compressed = |b: &mut Builder<'_>, mut word| {
            // Digits move together, two by two.
            for (by, kept) in [(3, 0x0303_0303), (6, 0x000f_000f), (12, 0x0000_00ff)] {
                let (by, kept) = (b.i32(by), b.i32(kept));
                let moved = b.op(Op::UShr, &[word, by]);
                let both = b.op(Op::Or, &[word, moved]);
                word = b.op(Op::And, &[both, kept]);
            }
            word
        };
        let first = compressed(b, self.digits[0]);
        let Some(&more) = self.digits.get(1) else { return first };
        let (more, eight) = (compressed(b, more), b.i32(8));
        let more = b.op(Op::Shl, &[more, eight]);
        b.op(Op::Or, &[first, more])
    }

    /// The centroid, to the right and down from the pixel's center: the center if the primitive covers all samples, else
    /// the first of them that is in the draw's sample mask. If none is, that is the first of the mask, or the center if
    /// the mask has all (functional specification, 3.5.5).
    pub fn centroid(&self, b: &mut Builder<'_>, sample_mask: Value) -> [Value; 2] {
        let covered = self.mask(b);
        let (all, zero) = (b.i32(self.pattern.mask()), b.i32(0));
        let allowed = b.op(Op::And, &[sample_mask, all]);
        let drawn = b.op(Op::And, &[covered, allowed]);
        let is_none = b.op(Op::IEq, &[drawn, zero]);
        let (first, decides) = (b.select(is_none, allowed, drawn), b.select(is_none, allowed, covered));
        let is_all = b.op(Op::IEq, &[decides, all]);
        let first = b.op(Op::FirstBitLo, &[first]);
        let center = b.f32(0.0);
        position(b, self.pattern, Sample::Computed(first)).map(|offset| b.select(is_all, center, offset))
    }
}

/// The word in the upper halves of a quad's corner.
fn upper_halves(b: &mut Builder<'_>, quad: Value) -> Value {
    let [left, top]: [Value; 2] = words(b, PixelArray::Quads.id(), quad, word!(BatchQuad.corner));
    let (half, upper) = (b.i32(16), b.i32(0xffff_0000));
    let (low, high) = (b.op(Op::UShr, &[left, half]), b.op(Op::And, &[top, upper]));
    b.op(Op::Or, &[low, high])
}

/// 1 if a pixel lies inside of its primitive, as conservative rasterization knows it, else 0.
pub(super) fn is_inside(b: &mut Builder<'_>, PixelInQuad { quad, number, pattern, .. }: PixelInQuad) -> Value {
    let masks = match pattern.count() {
        1 => words::<1>(b, PixelArray::Quads.id(), quad, word!(BatchQuad.coverage))[0],
        _ => upper_halves(b, quad),
    };
    let (four, one) = (b.i32(4), b.i32(1));
    let inside = b.op(Op::UShr, &[masks, four]);
    let own = b.op(Op::UShr, &[inside, number]);
    b.op(Op::And, &[own, one])
}

/// The number of a sample.
#[derive(Clone, Copy, Debug)]
pub(super) enum Sample {
    /// One of all that the code goes over.
    Known(u32),
    /// The one that an invocation is for.
    Computed(Value),
}

impl Sample {
    /// The number as a value.
    pub fn value(self, b: &mut Builder<'_>) -> Value {
        match self {
            Sample::Known(sample) => b.i32(sample),
            Sample::Computed(sample) => sample,
        }
    }

    /// `true` if a mask has it, the first sample in the lowest bit.
    pub fn is_in(self, b: &mut Builder<'_>, mask: Value) -> Value {
        let (sample, one) = (self.value(b), b.i32(1));
        let bit = b.op(Op::Shl, &[one, sample]);
        let own = b.op(Op::And, &[mask, bit]);
        b.op(Op::IEq, &[own, bit])
    }

    /// `true` if an alpha covers it, one of some samples: none where it is 0 or NaN, all where it is 1, and the more the
    /// greater it is (functional specification, 17.18).
    pub fn is_covered_by(self, b: &mut Builder<'_>, alpha: Value, count: u32) -> Value {
        let least = match self {
            Sample::Known(sample) => b.f32((sample as f32 + 0.5) / count as f32),
            Sample::Computed(sample) => {
                let (half, share) = (b.f32(0.5), b.f32(1.0 / count as f32));
                let number = b.op(Op::UToF, &[sample]);
                let middle = b.op(Op::FAdd, &[number, half]);
                b.op(Op::FMul, &[middle, share])
            }
        };
        b.op(Op::FLt, &[least, alpha])
    }
}

/// The sample that a quad is for, where the shader runs for each.
pub(super) fn of_quad(b: &mut Builder<'_>, quad: Value) -> Value {
    let [primitive] = words(b, PixelArray::Quads.id(), quad, word!(BatchQuad.primitive));
    let bits = b.i32(32 - SAMPLE_BITS);
    b.op(Op::UShr, &[primitive, bits])
}

/// The position of a sample, to the right and down from the pixel's center.
pub(super) fn position(b: &mut Builder<'_>, pattern: SamplePattern, sample: Sample) -> [Value; 2] {
    match sample {
        Sample::Known(sample) => pattern.position(sample).map(|offset| b.f32(offset)),
        Sample::Computed(sample) => [0, 1].map(|axis| {
            let [first, more] = pattern.packed(axis).map(|word| b.i32(word));
            let (two, top, sixteenth) = (b.i32(2), b.i32(28), b.f32(1.0 / 16.0));
            // Shifts take the lowest five bits: those of the sample in its word.
            let digit = b.op(Op::Shl, &[sample, two]);
            let word = if pattern.count() > 8 {
                let seven = b.i32(7);
                let is_first = b.op(Op::UGe, &[seven, sample]);
                b.select(is_first, first, more)
            } else {
                first
            };
            let shifted = b.op(Op::UShr, &[word, digit]);
            let high = b.op(Op::Shl, &[shifted, top]);
            let number = b.op(Op::SShr, &[high, top]);
            let number = b.op(Op::SToF, &[number]);
            b.op(Op::FMul, &[number, sixteenth])
        }),
    }
}
