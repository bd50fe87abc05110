//! Computes the level of detail and selects mip levels for a vector of lanes, as `../level.rs` does for one.

use brolga_resource::Tap;

use super::source::TexelSource;
use super::vector::{Lanes, Vector};
use crate::level::{LOG2, NO_LENGTH};

/// The bias of the level of detail, and its clamp from below.
#[derive(Clone, Copy)]
pub(super) struct Adjusted<'a, V: Vector> {
    pub bias: Option<&'a Lanes<V, u32>>,
    pub clamp: Option<&'a Lanes<V, u32>>,
}

/// The mip levels of a vector of lanes.
#[derive(Clone, Copy)]
pub(super) struct Chosen<V> {
    /// The first level of each lane, which exists.
    pub first: V,
    pub second: V,
    /// Weights of the second levels, in 256ths.
    pub fraction: V,
    /// Mask of the lanes that minify.
    pub minifies: u32,
    /// Mask of the lanes whose levels are all excluded.
    pub left: u32,
}

impl<V: Vector> Chosen<V> {
    /// The first level for all lanes.
    #[inline(always)]
    pub fn first() -> Self {
        let zero = V::splat(0);
        Self { first: zero, second: zero, fraction: zero, minifies: 0, left: 0 }
    }

    /// Selects the levels for a level of detail.
    #[inline(always)]
    pub fn of(source: TexelSource<'_>, level: V, adjusted: Adjusted<'_, V>) -> Self {
        let zero = V::splat(0);
        let last = source.last_level;
        let (level, left) = bounded(source, biased(source, level, adjusted.bias), adjusted.clamp);
        let minifies = level.more_floats(zero).signs();
        let fixed = existing(source, level).mul_floats(V::splat_float(256.0)).to_int();
        match source.sampler.filter.mip {
            Tap::Point => {
                let first = fixed.add(V::splat(128)).shift_right::<8>();
                Self { first, second: first, fraction: zero, minifies, left }
            }
            Tap::Linear => {
                let first = fixed.shift_right::<8>();
                let second = first.add(V::splat(1)).min(V::splat(last));
                Self { first, second, fraction: fixed.and(V::splat(255)), minifies, left }
            }
        }
    }
}

/// Adds the sampler's and the instruction's bias to a level of detail.
#[inline(always)]
pub(super) fn biased<V: Vector>(source: TexelSource<'_>, level: V, bias: Option<&Lanes<V, u32>>) -> V {
    let level = level.add_floats(V::splat_float(source.sampler.level_bias));
    match bias {
        Some(bias) => level.add_floats(V::load_written(bias).flush()),
        None => level,
    }
}

/// Clamps a level of detail, and returns the lanes in which the clamp excludes all levels.
#[inline(always)]
pub(super) fn bounded<V: Vector>(source: TexelSource<'_>, level: V, clamp: Option<&Lanes<V, u32>>) -> (V, u32) {
    // NaN becomes the largest level.
    let level = level.flush().min_floats(V::splat_float(source.sampler.max_level));
    let level = level.max_floats(V::splat_float(source.sampler.min_level));
    let mut least = V::splat_float(source.least_level);
    let mut left = 0;
    if let Some(clamp) = clamp {
        // NaN does not clamp.
        least = V::load_written(clamp).flush().max_floats(least);
        left = least.more_floats(V::splat_float(source.last_level as f32)).signs();
    }
    (level.max_floats(least), left)
}

/// The nearest existing level.
#[inline(always)]
pub(super) fn existing<V: Vector>(source: TexelSource<'_>, level: V) -> V {
    level.max_floats(V::splat(0)).min_floats(V::splat_float(source.last_level as f32))
}

/// The layer of each lane, clamped to existing ones.
#[inline(always)]
pub(super) fn layer<V: Vector>(layers: u32, coordinate: V) -> V {
    let last = V::splat_float((layers - 1) as f32);
    // NaN becomes 0.
    coordinate.max_floats(V::splat(0)).min_floats(last).to_int()
}

/// Computes `Footprint::level` from derivatives along three coordinates; missing ones are 0.
#[inline(always)]
pub(super) fn of_derivatives<V: Vector>(source: TexelSource<'_>, [x, y]: [[V; 3]; 2]) -> V {
    let first = &source.extents[0];
    let extents =
        [V::splat_float(first.width as f32), V::splat_float(first.height as f32), V::splat_float(first.depth as f32)];
    let is_volume = source.axes > 2;
    let (xx, yy) = (square(x, extents, is_volume), square(y, extents, is_volume));
    // A NaN does not count as longer, unless both are NaN.
    half_log2(xx.max_floats(yy).where_set(yy.ordered(yy), xx))
}

/// The square of a length in texels.
#[inline(always)]
fn square<V: Vector>([a, b, c]: [V; 3], [width, height, depth]: [V; 3], is_volume: bool) -> V {
    let (a, b) = (a.mul_floats(width), b.mul_floats(height));
    let square = a.mul_floats(a).add_floats(b.mul_floats(b));
    if !is_volume {
        return square;
    }
    let c = c.mul_floats(depth);
    square.add_floats(c.mul_floats(c))
}

/// Computes the function of this name in `../level.rs`, step by step.
#[inline(always)]
pub(super) fn half_log2<V: Vector>(number: V) -> V {
    let over = number.sub(V::splat(std::f32::consts::FRAC_1_SQRT_2.to_bits()));
    let exponent = over.shift_signed::<23>();
    let fraction = number.sub(exponent.shift_left::<23>());
    let one = V::splat_float(1.0);
    let s = fraction.sub_floats(one).div_floats(fraction.add_floats(one));
    let ss = s.mul_floats(s);
    let [first, rest @ ..] = LOG2;
    let mut series = V::splat(0);
    for factor in rest.into_iter().rev() {
        series = series.add_floats(V::splat_float(factor)).mul_floats(ss);
    }
    let log = exponent.to_float().add_floats(s.mul_floats(V::splat_float(first).add_floats(series)));
    let half = log.mul_floats(V::splat_float(0.5));
    let half = V::splat_float(f32::NEG_INFINITY).where_set(V::splat_float(NO_LENGTH).more_floats(number), half);
    let is_finite = V::splat_float(f32::INFINITY).more_floats(number);
    half.where_set(is_finite, number)
}
