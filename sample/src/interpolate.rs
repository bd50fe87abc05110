//! Filters linearly, in floats.
//!
//! Along each axis in turn, then between mip levels, a result is `a + (b - a) * weight` in floats, so that many lanes
//! are filtered at once and equal texels give what a load of one does. Fixed-point codes are combined as such and
//! divided by the largest one at the end: thus codes of 8 bits give the exact result, rounded once, on one level of two
//! dimensions. Where a result is not finite, as next to an infinity, the sum of weighted texels in doubles counts
//! (`filter.rs`), which ignores texels of weight zero.

use brolga_resource::{Tap, Texel};

use crate::coordinate::{ONE, Taps};
use crate::lane::Lane;
use crate::level::Levels;

type Numbers = [f32; 4];

impl Lane<'_> {
    /// The values of all channels around a position, where they are finite.
    pub(crate) fn interpolated(&self, at: [f32; 3], levels: Levels, tap: Tap) -> Numbers {
        let first = self.interpolated_on(levels.first, self.taps(at, levels.first, tap), tap);
        match levels.fraction {
            0 => first,
            fraction => {
                let second = self.interpolated_on(levels.second, self.taps(at, levels.second, tap), tap);
                between(first, second, fraction)
            }
        }
    }

    /// The values on one level.
    fn interpolated_on(&self, level: usize, [u, v, w]: [Taps; 3], tap: Tap) -> Numbers {
        let axes = if tap == Tap::Point { 0 } else { self.axes() };
        let row = |y: i32, z: i32| {
            let texel = |x: i32| self.numbers(level, [x, y, z]);
            along(u, axes > 0, texel)
        };
        let slice = |z: i32| along(v, axes > 1, |y| row(y, z));
        along(w, axes > 2, slice)
    }

    /// The values of a texel; beyond a cube's corner, the mean of the texels that represent it.
    fn numbers(&self, level: usize, texel: [i32; 3]) -> Numbers {
        match self.texels_at(level, texel)[..] {
            [a, b, c] => self.mean([a, b, c]),
            ref texels => self.texels.values(texels[0]).map(f32::from_bits),
        }
    }

    /// The mean of the values of three texels.
    pub(crate) fn mean(&self, texels: [Option<Texel>; 3]) -> Numbers {
        let [a, b, c] = texels.map(|texel| self.texels.values(texel).map(f32::from_bits));
        [0, 1, 2, 3].map(|channel| (a[channel] + b[channel] + c[channel]) / 3.0)
    }
}

/// Interpolates between the two texels along an axis; the first one where there is no such axis.
fn along(taps: Taps, has_axis: bool, of: impl Fn(i32) -> Numbers) -> Numbers {
    let first = of(taps.texels[0]);
    if has_axis { between(first, of(taps.texels[1]), taps.weights[1]) } else { first }
}

/// Interpolates; `weight` is in 256ths.
fn between(a: Numbers, b: Numbers, weight: u32) -> Numbers {
    let weight = weight as f32 / ONE as f32;
    [0, 1, 2, 3].map(|channel| a[channel] + (b[channel] - a[channel]) * weight)
}
