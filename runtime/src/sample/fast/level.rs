//! Mip levels, for eight lanes: what `level.rs` beside this folder does for one.

use super::vector::Vector;
use super::{Fast, Packet};
use crate::resource::Tap;
use crate::sample::level::of_squares;

/// The levels that a packet takes.
#[derive(Clone, Copy)]
pub(super) struct Chosen<V> {
    pub tap: Tap,
    /// Existing levels.
    pub first: V,
    pub second: V,
    /// Weights of the second ones, in 256ths.
    pub fraction: V,
}

impl<V: Vector> Chosen<V> {
    /// None if active lanes need different filters.
    #[inline(always)]
    pub fn of(fast: &Fast, packet: &Packet<'_>) -> Option<Self> {
        let filter = fast.sampler.filter;
        let zero = V::splat(0);
        if !fast.needs_level {
            return Some(Self { tap: filter.magnify, first: zero, second: zero, fraction: zero });
        }
        let level = match packet.level {
            Some(level) => flush(V::load_written(level)),
            None => zero,
        };
        let level = flush(level.add_floats(V::splat_float(packet.bias)));
        // NaN becomes the largest level.
        let level = level.min_floats(V::splat_float(fast.sampler.max_level));
        let level = level.max_floats(V::splat_float(fast.sampler.min_level));
        let level = level.max_floats(V::splat_float(fast.least_level));
        let minifies = level.more_floats(zero).signs() & packet.taking_part;
        let tap = match minifies {
            0 => filter.magnify,
            all if all == packet.taking_part || filter.minify == filter.magnify => filter.minify,
            _ => return None,
        };
        let last = fast.levels.len() as u32 - 1;
        let present = level.max_floats(zero).min_floats(V::splat_float(last as f32));
        let fixed = present.mul_floats(V::splat_float(256.0)).to_int();
        Some(match filter.mip {
            Tap::Point => {
                let first = fixed.add(V::splat(128)).shift_right::<8>();
                Self { tap, first, second: first, fraction: zero }
            }
            Tap::Linear => {
                let first = fixed.shift_right::<8>();
                let second = first.add(V::splat(1)).min(V::splat(last));
                Self { tap, first, second, fraction: fixed.and(V::splat(255)) }
            }
        })
    }
}

/// Zero for denormals.
#[inline(always)]
fn flush<V: Vector>(number: V) -> V {
    let magnitude = number.and(V::splat(i32::MAX as u32));
    V::splat_float(f32::MIN_POSITIVE).more_floats(magnitude).clear(number)
}

/// The layer of each lane, clamped to existing ones.
#[inline(always)]
pub(super) fn layer<V: Vector>(fast: &Fast, coordinate: V) -> V {
    let last = V::splat_float((fast.layers - 1) as f32);
    // NaN becomes 0.
    coordinate.max_floats(V::splat(0)).min_floats(last).to_int()
}

/// The result of `Footprint::level` for derivatives along two coordinates.
pub(super) fn of_derivatives(fast: &Fast, x: [f64; 2], y: [f64; 2]) -> f64 {
    let (width, height) = (f64::from(fast.levels[0].width), f64::from(fast.levels[0].height));
    let (a, b, c, d) = (x[0] * width, x[1] * height, y[0] * width, y[1] * height);
    of_squares(a * a + b * b, c * c + d * d)
}
