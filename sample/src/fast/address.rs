//! From coordinates to bytes, for a vector of lanes: what `coordinate.rs` does for one.
//!
//! Denormal coordinates need no special care: so near 0 all select the same texels and weights.

use brolga_resource::AddressMode;

use super::vector::{Array, Lanes, Vector};
use super::{Extent, Fast};
use crate::coordinate::FAR;

/// A level for each lane.
#[derive(Clone, Copy)]
pub(super) struct Levels<V> {
    pub width: V,
    pub height: V,
    /// Both in 256ths of a texel, as floats.
    scale: [V; 2],
    pub offset_bytes: V,
    pub row_bytes: V,
    /// A texel's bytes, as a power of two.
    texel_shift: u32,
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

/// How coordinates beyond a texture select texels of it: [`AddressMode`], and more where it is simpler.
#[derive(Clone, Copy, Debug)]
pub(super) enum Mode {
    /// Wrap, where extents are powers of two.
    WrapPowers,
    Wrap,
    Mirror,
    Clamp,
    MirrorOnce,
    Border,
}

/// An in-range texel along an axis, and ones where it stands for the border.
#[derive(Clone, Copy)]
struct Along<V> {
    texel: V,
    is_border: V,
}

impl<V: Vector> LinearAddresses<V> {
    #[inline(always)]
    pub fn linear(fast: &Fast, [u, v]: [V; 2], offsets: [u32; 2], levels: Levels<V>) -> Self {
        let [mode_u, mode_v] = fast.modes;
        // Half a texel before a coordinate from 0 to 1 there are no texels beyond the last one.
        let is_near = offsets == [0; 2];
        let (fixed_u, [left, right]) = mode_u.along(u, offsets[0], levels.width, levels.scale[0], 0.5, is_near);
        let (fixed_v, [upper, lower]) = mode_v.along(v, offsets[1], levels.height, levels.scale[1], 0.5, is_near);
        let (left, right) = (levels.column(left), levels.column(right));
        let (upper, lower) = (levels.row(upper), levels.row(lower));
        let fraction = V::splat(255);
        Self {
            texels: [left.with(upper), right.with(upper), left.with(lower), right.with(lower)],
            fractions: [fixed_u.and(fraction), fixed_v.and(fraction)],
            corner: None,
        }
    }

    /// Whether in every lane the right texels, of words, follow the left ones in memory.
    #[inline(always)]
    pub fn are_neighbours(&self) -> bool {
        let [upper_left, upper_right, lower_left, lower_right] = &self.texels;
        let bytes = V::splat(size_of::<u32>() as u32);
        let upper = upper_left.offset_bytes.add(bytes).equal(upper_right.offset_bytes);
        upper.and(lower_left.offset_bytes.add(bytes).equal(lower_right.offset_bytes)).is_ones()
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
    pub fn nearest(fast: &Fast, [u, v]: [V; 2], offsets: [u32; 2], levels: Levels<V>) -> Self {
        let [mode_u, mode_v] = fast.modes;
        let (_, [x, _]) = mode_u.along(u, offsets[0], levels.width, levels.scale[0], 0.0, false);
        let (_, [y, _]) = mode_v.along(v, offsets[1], levels.height, levels.scale[1], 0.0, false);
        levels.column(x).with(levels.row(y))
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
        let mut found = Self::same(fast, fast.levels[level[0] as usize]);
        if !levels.equal(V::splat(level[0])).is_ones() {
            let mut own = [Lanes::<V, u32>::splat(0); 4];
            for lane in 0..V::LANES {
                let level = fast.levels[level[lane] as usize];
                own[0][lane] = level.width;
                own[1][lane] = level.height;
                own[2][lane] = level.offset_bytes;
                own[3][lane] = level.row_bytes;
            }
            let (width, height) = (V::load(&own[0]), V::load(&own[1]));
            found = Self {
                width,
                height,
                scale: [width.shift_left::<8>().to_float(), height.shift_left::<8>().to_float()],
                offset_bytes: V::load(&own[2]),
                row_bytes: V::load(&own[3]),
                ..found
            };
        }
        found
    }

    /// The first level.
    #[inline(always)]
    pub fn first(fast: &Fast) -> Self {
        Self::same(fast, fast.first)
    }

    #[inline(always)]
    fn same(fast: &Fast, level: Extent) -> Self {
        Self {
            width: V::splat(level.width),
            height: V::splat(level.height),
            scale: [V::splat_float(level.scale[0]), V::splat_float(level.scale[1])],
            offset_bytes: V::splat(level.offset_bytes),
            row_bytes: V::splat(level.row_bytes),
            texel_shift: fast.texel_shift,
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
    pub fn texel(&self, x: V, y: V) -> TexelAddress<V> {
        let is_border = V::splat(0);
        self.column(Along { texel: x, is_border }).with(self.row(Along { texel: y, is_border }))
    }

    #[inline(always)]
    fn column(&self, x: Along<V>) -> TexelAddress<V> {
        TexelAddress { offset_bytes: x.texel.shift_left_by(self.texel_shift), is_border: x.is_border }
    }

    #[inline(always)]
    fn row(&self, y: Along<V>) -> TexelAddress<V> {
        TexelAddress { offset_bytes: self.offset_bytes.add(y.texel.mul(self.row_bytes)), is_border: y.is_border }
    }
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

impl Mode {
    /// The mode for all levels of a texture.
    pub fn of(mode: AddressMode, levels: &[Extent]) -> Self {
        let has_powers = |level: &Extent| level.width.is_power_of_two() && level.height.is_power_of_two();
        match mode {
            AddressMode::Wrap if levels.iter().all(has_powers) => Self::WrapPowers,
            AddressMode::Wrap => Self::Wrap,
            AddressMode::Mirror => Self::Mirror,
            AddressMode::Clamp => Self::Clamp,
            AddressMode::MirrorOnce => Self::MirrorOnce,
            AddressMode::Border => Self::Border,
        }
    }

    /// Coordinates in 256ths of a texel, `before` texels earlier; the texels that contain them, and those after them.
    ///
    /// Each is in range, whatever the input: memory accesses rely on this. Reduced coordinates that wrap or mirror, offset included,
    /// are at most one period out of range; those that are `is_near` are not beyond the end.
    #[inline(always)]
    fn along<V: Vector>(
        self,
        at: V,
        offset: u32,
        extent: V,
        scale: V,
        before: f32,
        is_near: bool,
    ) -> (V, [Along<V>; 2]) {
        let (one, offset) = (V::splat(1), V::splat(offset));
        let before = V::splat_float(256.0 * before);
        match self {
            Self::WrapPowers => {
                // NaN becomes the least integer, which has the texel and the fraction of 0.
                let fixed = at.sub_floats(at.floor()).mul_floats(scale).sub_floats(before).to_int();
                let (place, mask) = (fixed.shift_signed::<8>().add(offset), extent.sub(one));
                (fixed, no_border(place.and(mask), place.add(one).and(mask)))
            }
            Self::Wrap => {
                let fixed = rounded(at.sub_floats(at.floor()).mul_floats(scale).sub_floats(before));
                let place = fixed.shift_signed::<8>().add(offset);
                let first = place.add(place.shift_signed::<31>().and(extent));
                let first = if is_near { first } else { back(first, extent) };
                let first = inside(first, extent);
                let second = first.add(one);
                (fixed, no_border(first, extent.equal(second).clear(second)))
            }
            Self::Mirror => {
                let half = at.mul_floats(V::splat_float(0.5));
                let reduced = half.sub_floats(half.trunc()).mul_floats(V::splat_float(2.0));
                let fixed = rounded(reduced.mul_floats(scale).sub_floats(before));
                let place = fixed.shift_signed::<8>().add(offset);
                (fixed, no_border(mirror(place, extent), mirror(place.add(one), extent)))
            }
            Self::Clamp | Self::MirrorOnce | Self::Border => {
                // NaN stays.
                let reduced = V::splat_float(FAR).min_floats(V::splat_float(-FAR).max_floats(at));
                let fixed = rounded(reduced.mul_floats(scale).sub_floats(before));
                let place = fixed.shift_signed::<8>().add(offset);
                let next = place.add(one);
                let (first, second) = match self {
                    Self::MirrorOnce => (mirror_at_zero(place), mirror_at_zero(next)),
                    _ => (place, next),
                };
                let (first, second) = (inside(first, extent), inside(second, extent));
                let texels = match self {
                    Self::Border => [Along::or_border(first, place), Along::or_border(second, next)],
                    _ => no_border(first, second),
                };
                (fixed, texels)
            }
        }
    }
}

impl<V: Vector> Along<V> {
    /// A texel, or the border where it is not the one that is meant.
    #[inline(always)]
    fn or_border(texel: V, meant: V) -> Self {
        Self { texel, is_border: texel.equal(meant).xor(V::splat(u32::MAX)) }
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
