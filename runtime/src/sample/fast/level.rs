//! Mip levels, for eight lanes: what `level.rs` beside this folder does for one.

use super::vector::Vector;
use super::{Fast, LANES, Lanes, Packet};
use crate::resource::Tap;

/// What a packet takes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Chosen {
    pub tap: Tap,
    /// Levels that there are.
    pub first: Lanes<u32>,
    pub second: Lanes<u32>,
    /// Weights of the second ones, in 256ths.
    pub fraction: Lanes<u32>,
    pub has_second: bool,
}

impl Chosen {
    /// None if lanes that take part want different filters.
    #[inline(always)]
    pub fn of<V: Vector>(fast: &Fast<'_>, packet: &Packet<'_>) -> Option<Self> {
        let filter = fast.sampler.filter;
        let none = [0; LANES];
        let mut chosen = Self { tap: filter.magnify, first: none, second: none, fraction: none, has_second: false };
        if !fast.needs_level {
            return Some(chosen);
        }
        let (zero, last) = (V::splat(0), fast.levels.len() as u32 - 1);
        let level = V::load(packet.level);
        // Denormals are zeros, NaN becomes the largest level.
        let magnitude = level.and(V::splat(i32::MAX as u32));
        let level = V::splat_float(f32::MIN_POSITIVE).more_floats(magnitude).clear(level);
        let level =
            level.min_floats(V::splat_float(fast.sampler.max_level)).max_floats(V::splat_float(fast.sampler.min_level));
        let level = level.max_floats(V::splat_float(fast.least_level));
        let minifies = level.more_floats(zero).store();
        let present = level.max_floats(zero).min_floats(V::splat_float(last as f32));
        let fixed = present.mul_floats(V::splat_float(256.0)).to_int();
        if filter.minify != filter.magnify {
            let lanes = |wanted: bool| (0..LANES).filter(move |&lane| (minifies[lane] != 0) == wanted);
            let takes_part = |lane: usize| packet.taking_part >> lane & 1 == 1;
            match [true, false].map(|wanted| lanes(wanted).any(takes_part)) {
                [true, true] => return None,
                [minifies, _] => chosen.tap = if minifies { filter.minify } else { filter.magnify },
            }
        }
        if filter.mip == Tap::Point {
            chosen.first = fixed.add(V::splat(128)).shift_right::<8>().store();
            return Some(chosen);
        }
        let first = fixed.shift_right::<8>();
        chosen.first = first.store();
        chosen.second = first.add(V::splat(1)).min(V::splat(last)).store();
        chosen.fraction = fixed.and(V::splat(255)).store();
        chosen.has_second = chosen.fraction != none;
        Some(chosen)
    }
}

/// The layer of each lane, one that there is.
#[inline(always)]
pub(super) fn layer<V: Vector>(fast: &Fast<'_>, coordinate: V) -> V {
    let last = V::splat_float((fast.layers - 1) as f32);
    // NaN becomes 0.
    coordinate.max_floats(V::splat(0)).min_floats(last).to_int()
}
