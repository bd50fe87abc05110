//! From coordinates to bytes, for a vector of lanes: what `coordinate.rs` does for one.
//!
//! Denormal coordinates need no special care: so near 0 all select the same texels and weights.

use super::vector::{Array, Lanes, Vector};
use super::{Extent, Fast};
use crate::resource::AddressMode;
use crate::sample::coordinate::FAR;

/// A level for each lane.
#[derive(Clone, Copy)]
pub(super) struct Levels<V> {
    pub width: V,
    pub height: V,
    pub offset_bytes: V,
    pub row_bytes: V,
}

/// Byte offsets of texels, and ones where they stand for the border. Each is a texel inside its level, whatever the
/// coordinates.
#[derive(Clone, Copy)]
pub(super) struct TexelAddress<V> {
    pub offset_bytes: V,
    pub is_border: V,
}

/// The texels of a linear filter on one level.
#[derive(Clone, Copy)]
pub(super) struct LinearAddresses<V> {
    /// Upper left, upper right, lower left, lower right.
    pub texels: [TexelAddress<V>; 4],
    /// Weights of the right and the lower ones, in 256ths.
    pub fractions: [V; 2],
    /// Lanes in which one of the four is beyond a cube's corner, if there are any.
    pub corner: Option<Corner<V>>,
}

/// The texel beyond a cube's corner: the mean of the three that meet there.
#[derive(Clone, Copy)]
pub(super) struct Corner<V> {
    /// Ones where there is one.
    pub is_any: V,
    /// Which of the four it is.
    pub index: V,
    /// Byte offsets of the three, in the order in which they are added; of texels in other lanes, too.
    pub offset_bytes: [V; 3],
}

/// An in-range texel along an axis, and ones where it stands for the border.
#[derive(Clone, Copy)]
struct Along<V> {
    texel: V,
    is_border: V,
}

impl<V: Vector> LinearAddresses<V> {
    #[inline(always)]
    pub fn linear(fast: &Fast, [u, v]: [V; 2], offsets: [u32; 2], levels: Levels<V>, texel_bytes: u32) -> Self {
        let [mode_u, mode_v, _] = fast.sampler.address;
        let fixed_u = fixed(u, levels.width, mode_u, 0.5);
        let fixed_v = fixed(v, levels.height, mode_v, 0.5);
        // Half a texel before a coordinate from 0 to 1 there are no texels beyond the last one.
        let is_near = offsets == [0; 2];
        let [left, right] = address(fixed_u, offsets[0], levels.width, mode_u, is_near);
        let [upper, lower] = address(fixed_v, offsets[1], levels.height, mode_v, is_near);
        let (left, right) = (levels.column(left, texel_bytes), levels.column(right, texel_bytes));
        let (upper, lower) = (levels.row(upper), levels.row(lower));
        let fraction = V::splat(255);
        Self {
            texels: [left.with(upper), right.with(upper), left.with(lower), right.with(lower)],
            fractions: [fixed_u.and(fraction), fixed_v.and(fraction)],
            corner: None,
        }
    }

    /// The lanes in which a texel is beyond a cube's corner.
    #[inline(always)]
    pub fn corners(&self) -> u32 {
        match &self.corner {
            Some(corner) => corner.is_any.signs(),
            None => 0,
        }
    }
}

impl<V: Vector> TexelAddress<V> {
    #[inline(always)]
    pub fn nearest(fast: &Fast, [u, v]: [V; 2], offsets: [u32; 2], levels: Levels<V>, texel_bytes: u32) -> Self {
        let [mode_u, mode_v, _] = fast.sampler.address;
        let [x, _] = address(fixed(u, levels.width, mode_u, 0.0), offsets[0], levels.width, mode_u, false);
        let [y, _] = address(fixed(v, levels.height, mode_v, 0.0), offsets[1], levels.height, mode_v, false);
        levels.column(x, texel_bytes).with(levels.row(y))
    }

    /// Combines a column with a row.
    #[inline(always)]
    fn with(self, row: Self) -> Self {
        Self { offset_bytes: self.offset_bytes.add(row.offset_bytes), is_border: self.is_border.or(row.is_border) }
    }
}

impl<V: Vector> Levels<V> {
    /// The level of each lane, which must exist, in the first layer.
    #[inline(always)]
    pub fn of(fast: &Fast, levels: V) -> Self {
        let level = levels.store();
        let mut found = Self::same(fast.levels[level[0] as usize]);
        if !levels.equal(V::splat(level[0])).is_ones() {
            let mut own = [Lanes::<V, u32>::splat(0); 4];
            for lane in 0..V::LANES {
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
        found
    }

    /// The first level.
    #[inline(always)]
    pub fn first(fast: &Fast) -> Self {
        Self::same(fast.first)
    }

    #[inline(always)]
    fn same(level: Extent) -> Self {
        Self {
            width: V::splat(level.width),
            height: V::splat(level.height),
            offset_bytes: V::splat(level.offset_bytes),
            row_bytes: V::splat(level.row_bytes),
        }
    }

    /// The same in an existing layer of each lane.
    #[inline(always)]
    pub fn in_layer(mut self, fast: &Fast, layer: Option<V>) -> Self {
        if let Some(layer) = layer {
            self.offset_bytes = self.offset_bytes.add(layer.mul(V::splat(fast.layer_bytes)));
        }
        self
    }

    /// Texels inside.
    #[inline(always)]
    pub fn texel(&self, x: V, y: V, texel_bytes: u32) -> TexelAddress<V> {
        let is_border = V::splat(0);
        self.column(Along { texel: x, is_border }, texel_bytes).with(self.row(Along { texel: y, is_border }))
    }

    #[inline(always)]
    fn column(&self, x: Along<V>, texel_bytes: u32) -> TexelAddress<V> {
        TexelAddress { offset_bytes: x.texel.mul(V::splat(texel_bytes)), is_border: x.is_border }
    }

    #[inline(always)]
    fn row(&self, y: Along<V>) -> TexelAddress<V> {
        TexelAddress { offset_bytes: self.offset_bytes.add(y.texel.mul(self.row_bytes)), is_border: y.is_border }
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
    let extent = extent.shift_left::<8>().to_float();
    rounded(reduced.mul_floats(extent).sub_floats(V::splat_float(256.0 * before)))
}

/// Texels in 256ths; NaN becomes 0.
#[inline(always)]
pub(super) fn to_fixed<V: Vector>(texels: V) -> V {
    rounded(texels.mul_floats(V::splat_float(256.0)))
}

/// The nearest integers; NaN becomes 0.
#[inline(always)]
fn rounded<V: Vector>(floats: V) -> V {
    floats.to_int().and(floats.ordered(floats))
}

/// The texels that contain coordinates, and those after them. Each is in range, whatever the input: memory accesses
/// rely on this. Reduced coordinates that wrap or mirror, offset included, are at most one period out of range; those
/// that are `is_near` are not beyond the end.
#[inline(always)]
fn address<V: Vector>(fixed: V, offset: u32, extent: V, mode: AddressMode, is_near: bool) -> [Along<V>; 2] {
    let one = V::splat(1);
    let place = fixed.shift_signed::<8>().add(V::splat(offset));
    let next = place.add(one);
    match mode {
        AddressMode::Wrap => {
            let first = place.add(place.shift_signed::<31>().and(extent));
            let first = if is_near { first } else { back(first, extent) };
            let first = inside(first, extent);
            let second = first.add(one);
            no_border(first, extent.equal(second).clear(second))
        }
        AddressMode::Mirror => no_border(mirror(place, extent), mirror(next, extent)),
        AddressMode::Clamp => no_border(inside(place, extent), inside(next, extent)),
        AddressMode::MirrorOnce => {
            no_border(inside(mirror_at_zero(place), extent), inside(mirror_at_zero(next), extent))
        }
        AddressMode::Border => {
            let (first, second) = (inside(place, extent), inside(next, extent));
            let ones = V::splat(u32::MAX);
            [
                Along { texel: first, is_border: first.equal(place).xor(ones) },
                Along { texel: second, is_border: second.equal(next).xor(ones) },
            ]
        }
    }
}

#[inline(always)]
fn no_border<V: Vector>(first: V, second: V) -> [Along<V>; 2] {
    let none = V::splat(0);
    [Along { texel: first, is_border: none }, Along { texel: second, is_border: none }]
}

/// Clamps to the texels inside.
#[inline(always)]
pub(super) fn inside<V: Vector>(place: V, extent: V) -> V {
    place.max(V::splat(0)).min(extent.sub(V::splat(1)))
}

/// -1 maps to 0, -2 to 1.
#[inline(always)]
fn mirror_at_zero<V: Vector>(place: V) -> V {
    place.xor(place.shift_signed::<31>())
}

#[inline(always)]
fn mirror<V: Vector>(place: V, extent: V) -> V {
    let twice = extent.add(extent);
    let tile = back(mirror_at_zero(place), twice);
    inside(tile.min(twice.sub(V::splat(1)).sub(tile)), extent)
}

/// Subtracts one period where a position is not below it.
#[inline(always)]
fn back<V: Vector>(place: V, period: V) -> V {
    place.sub(period.more(place).clear(period))
}
