//! From coordinates to bytes, for eight lanes: what `coordinate.rs` does for one.
//!
//! A coordinate that is denormal needs no care here: so near to 0 all come to the same texels and weights.

use super::vector::Vector;
use super::{Fast, LANES};
use crate::resource::AddressMode;
use crate::sample::coordinate::FAR;

/// A level for each lane.
#[derive(Clone, Copy)]
pub(super) struct Levels<V> {
    width: V,
    height: V,
    offset_bytes: V,
    row_bytes: V,
}

/// Where texels begin, and ones where they stand for the border. Each is a texel inside its level, whatever the
/// coordinates are.
#[derive(Clone, Copy)]
pub(super) struct Place<V> {
    pub offset_bytes: V,
    pub is_border: V,
}

/// The texels of a linear filter on one level.
#[derive(Clone, Copy)]
pub(super) struct Places<V> {
    /// Upper left, upper right, lower left, lower right.
    pub texels: [Place<V>; 4],
    /// Weights of the right and of the lower ones, in 256ths.
    pub fractions: [V; 2],
}

/// A texel along an axis, inside, and ones where it stands for the border.
#[derive(Clone, Copy)]
struct Along<V> {
    texel: V,
    is_border: V,
}

impl<V: Vector> Places<V> {
    #[inline(always)]
    pub fn linear(fast: &Fast<'_>, [u, v]: [V; 2], levels: Levels<V>) -> Self {
        let [mode_u, mode_v, _] = fast.sampler.address;
        let fixed_u = fixed(u, levels.width, mode_u, 0.5);
        let fixed_v = fixed(v, levels.height, mode_v, 0.5);
        let left = levels.column(fast, address(fixed_u, 0, levels.width, mode_u));
        let right = levels.column(fast, address(fixed_u, 1, levels.width, mode_u));
        let upper = levels.row(address(fixed_v, 0, levels.height, mode_v));
        let lower = levels.row(address(fixed_v, 1, levels.height, mode_v));
        let fraction = V::splat(255);
        Self {
            texels: [left.with(upper), right.with(upper), left.with(lower), right.with(lower)],
            fractions: [fixed_u.and(fraction), fixed_v.and(fraction)],
        }
    }
}

impl<V: Vector> Place<V> {
    #[inline(always)]
    pub fn nearest(fast: &Fast<'_>, [u, v]: [V; 2], levels: Levels<V>) -> Self {
        let [mode_u, mode_v, _] = fast.sampler.address;
        let x = address(fixed(u, levels.width, mode_u, 0.0), 0, levels.width, mode_u);
        let y = address(fixed(v, levels.height, mode_v, 0.0), 0, levels.height, mode_v);
        levels.column(fast, x).with(levels.row(y))
    }

    /// A column's place in a row.
    #[inline(always)]
    fn with(self, row: Self) -> Self {
        Self { offset_bytes: self.offset_bytes.add(row.offset_bytes), is_border: self.is_border.or(row.is_border) }
    }
}

impl<V: Vector> Levels<V> {
    /// The level of each lane, which must be one that there is, and in a layer that there is.
    #[inline(always)]
    pub fn of(fast: &Fast<'_>, levels: V, layer: Option<V>) -> Self {
        let level = levels.store();
        let first = fast.levels[level[0] as usize];
        let mut found = Self {
            width: V::splat(first.width),
            height: V::splat(first.height),
            offset_bytes: V::splat(first.offset_bytes),
            row_bytes: V::splat(first.row_bytes),
        };
        if !levels.equal(V::splat(level[0])).is_ones() {
            let mut own = [[0; LANES]; 4];
            for lane in 0..LANES {
                let level = fast.levels[level[lane] as usize];
                own[0][lane] = level.width;
                own[1][lane] = level.height;
                own[2][lane] = level.offset_bytes;
                own[3][lane] = level.row_bytes;
            }
            found = Self {
                width: V::load(&own[0]),
                height: V::load(&own[1]),
                offset_bytes: V::load(&own[2]),
                row_bytes: V::load(&own[3]),
            };
        }
        if let Some(layer) = layer {
            found.offset_bytes = found.offset_bytes.add(layer.mul(V::splat(fast.layer_bytes)));
        }
        found
    }

    #[inline(always)]
    fn column(&self, fast: &Fast<'_>, x: Along<V>) -> Place<V> {
        Place { offset_bytes: x.texel.mul(V::splat(fast.texel_bytes)), is_border: x.is_border }
    }

    #[inline(always)]
    fn row(&self, y: Along<V>) -> Place<V> {
        Place { offset_bytes: self.offset_bytes.add(y.texel.mul(self.row_bytes)), is_border: y.is_border }
    }
}

/// Coordinates in 256ths of a texel, `before` texels earlier.
#[inline(always)]
fn fixed<V: Vector>(at: V, extent: V, mode: AddressMode, before: f32) -> V {
    let reduced = match mode {
        AddressMode::Wrap => at.sub_floats(at.floor()),
        AddressMode::Mirror => {
            let half = at.mul_floats(V::splat_float(0.5));
            half.sub_floats(half.trunc()).mul_floats(V::splat_float(2.0))
        }
        // NaN stays.
        AddressMode::Clamp | AddressMode::Border | AddressMode::MirrorOnce => {
            V::splat_float(FAR).min_floats(V::splat_float(-FAR).max_floats(at))
        }
    };
    let scaled = reduced.mul_floats(extent.to_float()).sub_floats(V::splat_float(before));
    // NaN becomes 0.
    scaled.mul_floats(V::splat_float(256.0)).to_int().and(scaled.ordered(scaled))
}

/// The texels that hold coordinates, or those `beside` them. Reduced coordinates that wrap or mirror are at most one tile
/// beside those that `extent` repeats in.
#[inline(always)]
fn address<V: Vector>(fixed: V, beside: u32, extent: V, mode: AddressMode) -> Along<V> {
    let (zero, one) = (V::splat(0), V::splat(1));
    let place = fixed.shift_signed::<8>().add(V::splat(beside));
    let sign = place.shift_signed::<31>();
    // -1 lies on 0, -2 on 1.
    let mirrored = place.xor(sign);
    let inside = match mode {
        AddressMode::Wrap => back(place.add(sign.and(extent)), extent),
        AddressMode::Mirror => {
            let twice = extent.add(extent);
            let tile = back(mirrored, twice);
            tile.min(twice.sub(one).sub(tile))
        }
        AddressMode::Clamp | AddressMode::Border => place,
        AddressMode::MirrorOnce => mirrored,
    };
    // Inside whatever came before: memory is reached by this.
    let texel = inside.max(zero).min(extent.sub(one));
    let is_border = match mode {
        AddressMode::Border => texel.equal(place).xor(V::splat(u32::MAX)),
        _ => zero,
    };
    Along { texel, is_border }
}

/// One period less where a place is not below it.
#[inline(always)]
fn back<V: Vector>(place: V, period: V) -> V {
    place.sub(period.more(place).clear(period))
}
