//! Finds the line along which anisotropic filtering takes its samples, and reduces the samples to a result.
//!
//! Functional specification 7.18.11, with its ideal transformation of the derivatives to the axes of the ellipse that
//! they span. The choice of samples is left to the implementation: here their number is the ratio of anisotropy rounded
//! up, and they are equally weighted and evenly spaced along the major axis. The result is the mean of linear filters
//! there. Cubes and textures without two axes are filtered as if the filter were linear.
//!
//! All of it is computed in floats, so that many lanes do it at once.

use brolga_ir::float::{self, NAN_F32};
use brolga_resource::Reduction;

use crate::MOST_ANISOTROPY;
use crate::level::{Footprint, NO_LENGTH, half_log2};

/// The range of the sum of squared derivatives, in texels, in which they span an ellipse. Below, the ellipse would
/// depend on whether denormals are flushed; above, products overflow.
pub(crate) const WITH_ELLIPSE: std::ops::Range<f32> = 1.0 / (1u128 << 80) as f32..(1u128 << 120) as f32;

/// The samples along a line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct SampleLine {
    /// Number of samples.
    pub count: u32,
    /// The extent of the line, in normalised coordinates.
    pub reach: [f32; 2],
}

impl SampleLine {
    /// The position of a sample on the line around `centre`.
    fn sample(&self, [u, v, w]: [f32; 3], index: u32) -> [f32; 3] {
        let along = (index as f32 + 0.5) * (1.0 / self.count as f32) - 0.5;
        [u + self.reach[0] * along, v + self.reach[1] * along, w]
    }

    /// Reduces the results of the samples, which `filtered` returns as words.
    pub fn reduce(&self, centre: [f32; 3], reduction: Reduction, filtered: impl Fn([f32; 3]) -> [u32; 4]) -> [u32; 4] {
        let samples = (0..self.count).map(|index| filtered(self.sample(centre, index)).map(f32::from_bits));
        let each = |of: fn(f32, f32) -> f32| move |a: [f32; 4], b: [f32; 4]| [0, 1, 2, 3].map(|n| of(a[n], b[n]));
        let numbers = match reduction {
            Reduction::Minimum => samples.reduce(each(float::min)),
            Reduction::Maximum => samples.reduce(each(float::max)),
            Reduction::Weighted | Reduction::Comparison => Some(mean(samples)),
        };
        let bits = |number: f32| if number.is_nan() { NAN_F32 } else { number.to_bits() };
        numbers.unwrap_or_default().map(bits)
    }
}

/// The weight of each sample in the mean of all up to it.
pub(crate) const PARTS: [f32; MOST_ANISOTROPY as usize] = {
    let mut parts = [1.0; MOST_ANISOTROPY as usize];
    let mut n = 0;
    while n < parts.len() {
        parts[n] = 1.0 / (n + 1) as f32;
        n += 1;
    }
    parts
};

/// The running mean of the samples; where that is not finite, as next to an infinity, the quotient of their sum.
fn mean(samples: impl Iterator<Item = [f32; 4]>) -> [f32; 4] {
    let (mut means, mut sums, mut count) = ([0.0; 4], [0.0; 4], 0);
    for sample in samples {
        count += 1;
        let part = PARTS[count as usize - 1];
        for ((mean, sum), number) in means.iter_mut().zip(&mut sums).zip(sample) {
            // The first sample keeps its sign, even of zero.
            *mean = if count == 1 { number } else { *mean + (number - *mean) * part };
            *sum += f64::from(number);
        }
    }
    let mean = |n: usize| if means[n].is_finite() { means[n] } else { (sums[n] / f64::from(count)) as f32 };
    [0, 1, 2, 3].map(mean)
}

/// The level of detail, and the line if there is more than one sample along it. `most` is the most samples.
pub(crate) fn footprint(footprint: &Footprint, most: u32) -> (f32, Option<SampleLine>) {
    let [x, y] = [footprint.x, footprint.y].map(|vector| [0, 1].map(|axis| vector[axis] * footprint.extents[axis]));
    let [across, down] = [0, 1].map(|axis| x[axis] * x[axis] + y[axis] * y[axis]);
    let both = across + down;
    if !WITH_ELLIPSE.contains(&both) {
        return (footprint.level(), None);
    }
    // The squares of the axes' lengths have this sum, and the square of this product.
    let area = (x[0] * y[1] - x[1] * y[0]).abs();
    let spread = float::max(both - (area + area), 0.0).sqrt() * (both + (area + area)).sqrt();
    let square = (both + spread) * 0.5;
    let (length, most) = (square.sqrt(), most as f32);
    let is_long = square > most * area;
    let minor = if is_long { length / most } else { area / length };
    let ratio = if is_long { most } else { square / area };
    let ratio = if minor < 1.0 { float::max(ratio * minor, 1.0) } else { ratio };
    let count = float::min(ratio, most).ceil() as u32;
    let line = (count > 1).then(|| {
        let scale = length / (spread + spread).sqrt();
        let reach = |of: f32| float::max(spread + of, 0.0).sqrt() * scale;
        let (u, v) = (reach(across - down), reach(down - across));
        // So small a product does not determine the direction.
        let v = if x[0] * x[1] + y[0] * y[1] < -NO_LENGTH { -v } else { v };
        let [width, height, _] = footprint.extents;
        // A circle has no direction.
        SampleLine { count, reach: if spread > 0.0 { [u / width, v / height] } else { [0.0; 2] } }
    });
    (half_log2(minor * minor), line)
}
