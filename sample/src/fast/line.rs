//! Finds the lines of anisotropic filters and averages their samples, for a vector of lanes, as `../anisotropic.rs`
//! does for one.

use super::each;
use super::kind::Filtered;
use super::level::{self, half_log2};
use super::source::TexelSource;
use super::vector::Vector;
use crate::anisotropic::{PARTS, WITH_ELLIPSE};
use crate::level::NO_LENGTH;

const SIGN: u32 = 1 << 31;

/// The line of each lane.
#[derive(Clone, Copy)]
pub(super) struct SampleLines<V> {
    /// Number of samples, as floats.
    pub count: V,
    /// The fraction of the line between neighbouring samples.
    part: V,
    /// The extent of the line along both coordinates.
    reach: [V; 2],
}

impl<V: Vector> SampleLines<V> {
    /// The level of detail and the line; a single sample where the derivatives span no ellipse.
    #[inline(always)]
    pub fn of_derivatives(source: TexelSource<'_>, derivatives: [[V; 3]; 2]) -> (V, Self) {
        let [x, y] = derivatives;
        let zero = V::splat(0);
        let (width, height) =
            (V::splat_float(source.extents[0].width as f32), V::splat_float(source.extents[0].height as f32));
        let x = [x[0].mul_floats(width), x[1].mul_floats(height)];
        let y = [y[0].mul_floats(width), y[1].mul_floats(height)];
        let across = x[0].mul_floats(x[0]).add_floats(y[0].mul_floats(y[0]));
        let down = x[1].mul_floats(x[1]).add_floats(y[1].mul_floats(y[1]));
        let both = across.add_floats(down);
        let is_short = V::splat_float(WITH_ELLIPSE.start).more_floats(both);
        let has_ellipse = is_short.clear(V::splat_float(WITH_ELLIPSE.end).more_floats(both));

        let area = x[0].mul_floats(y[1]).sub_floats(x[1].mul_floats(y[0])).and(V::splat(!SIGN));
        let twice = area.add_floats(area);
        let spread = both.sub_floats(twice).max_floats(zero).sqrt().mul_floats(both.add_floats(twice).sqrt());
        let square = both.add_floats(spread).mul_floats(V::splat_float(0.5));
        let (length, most) = (square.sqrt(), V::splat_float(source.sampler.max_anisotropy as f32));
        let is_long = square.more_floats(most.mul_floats(area));
        let minor = length.div_floats(most).where_set(is_long, area.div_floats(length));
        let ratio = most.where_set(is_long, square.div_floats(area));
        let one = V::splat_float(1.0);
        let less = ratio.mul_floats(minor).max_floats(one);
        let ratio = less.where_set(one.more_floats(minor), ratio);
        let count = zero.sub_floats(zero.sub_floats(ratio.min_floats(most)).floor());

        let scale = length.div_floats(spread.add_floats(spread).sqrt());
        let u = spread.add_floats(across.sub_floats(down)).max_floats(zero).sqrt().mul_floats(scale);
        let v = spread.add_floats(down.sub_floats(across)).max_floats(zero).sqrt().mul_floats(scale);
        let product = x[0].mul_floats(x[1]).add_floats(y[0].mul_floats(y[1]));
        let v = v.xor(V::splat_float(-NO_LENGTH).more_floats(product).and(V::splat(SIGN)));
        let count = count.where_set(has_ellipse, one);
        let has_direction = spread.more_floats(zero).and(count.more_floats(one));
        let reach = [u.div_floats(width).and(has_direction), v.div_floats(height).and(has_direction)];
        let mut level = half_log2(minor.mul_floats(minor));
        if !has_ellipse.is_ones() {
            level = level.where_set(has_ellipse, level::of_derivatives(source, derivatives));
        }
        (level, Self { count, part: one.div_floats(count), reach })
    }

    /// The position of one sample of each lane.
    #[inline(always)]
    pub fn sample(&self, [u, v]: [V; 2], index: u32) -> [V; 2] {
        let along = V::splat_float(index as f32 + 0.5).mul_floats(self.part).sub_floats(V::splat_float(0.5));
        [u.add_floats(self.reach[0].mul_floats(along)), v.add_floats(self.reach[1].mul_floats(along))]
    }
}

/// The means of the samples of each lane.
#[derive(Clone, Copy)]
pub(super) struct Means<V> {
    numbers: [V; 4],
    left: u32,
}

impl<V: Vector> Means<V> {
    #[inline(always)]
    pub fn new(left: u32) -> Self {
        Self { numbers: [V::splat(0); 4], left }
    }

    /// Adds a sample to the lanes that have more than `index`.
    #[inline(always)]
    pub fn take(&mut self, index: u32, count: V, sample: Filtered<V>) {
        let has = count.more_floats(V::splat_float(index as f32));
        self.left |= sample.left & has.signs();
        let part = V::splat_float(PARTS[index as usize]);
        for (mean, number) in self.numbers.iter_mut().zip(sample.words) {
            let with = if index == 0 { number } else { mean.add_floats(number.sub_floats(*mean).mul_floats(part)) };
            *mean = with.where_set(has, *mean);
        }
    }

    /// Takes the minimum or maximum with a sample, in the lanes that have more than `index`.
    #[inline(always)]
    pub fn take_extreme(&mut self, source: TexelSource<'_>, index: u32, count: V, sample: Filtered<V>) {
        let has = count.more_floats(V::splat_float(index as f32));
        self.left |= sample.left & has.signs();
        for (extreme, number) in self.numbers.iter_mut().zip(sample.words) {
            let both = if index == 0 { number } else { each::extreme(source, *extreme, number) };
            *extreme = both.where_set(has, *extreme);
        }
    }

    /// The results. Lanes whose means are not finite are left.
    #[inline(always)]
    pub fn finish(self, are_extremes: bool) -> Filtered<V> {
        if are_extremes {
            return Filtered { words: self.numbers, left: self.left };
        }
        let mut zero = V::splat(0);
        for number in self.numbers {
            zero = zero.add_floats(number.sub_floats(number));
        }
        Filtered { words: self.numbers, left: self.left | !zero.ordered(zero).signs() & V::ALL }
    }
}
