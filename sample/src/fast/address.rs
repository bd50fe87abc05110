//! Maps coordinates to byte offsets for a vector of lanes, as `coordinate.rs` does to texels for one.
//!
//! Denormal coordinates need no special care: so near 0, all select the same texels and weights.

#![allow(unsafe_code)]
#![allow(clippy::manual_map, reason = "a closure is not compiled for the instruction set")]

use std::mem::MaybeUninit;

use brolga_resource::{AddressMode, Tap};

use super::source::{Storage, TexelSource};
use super::texture::{LevelExtents, LevelLayouts};
use super::vector::Vector;
use crate::coordinate::FAR;

/// The extents of each lane's mip level.
#[derive(Clone, Copy)]
pub(super) struct Levels<V> {
    pub extents: [V; 3],
    /// In 256ths of a texel, as floats.
    scale: [V; 3],
    /// The level of each lane, and the level itself if all lanes share it.
    index: V,
    same: Option<u32>,
}

/// Offsets of texels, and a mask of the lanes that take the border. Each is a texel inside its level, whatever the
/// coordinates.
#[derive(Clone, Copy)]
pub(super) struct TexelAddress<V> {
    pub offset_bytes: V,
    /// `None` if no lane takes the border.
    pub is_border: Option<V>,
    /// True if offsets are those of blocks, packed with the index of a texel ([`Blocks`](super::texture::Blocks)).
    pub is_packed: bool,
}

/// The addresses of the texels of a linear filter, or of the nearest texel, on one level.
///
/// It is large: built in place, and never moved.
pub(super) struct LinearAddresses<V> {
    /// Offset of the upper left texel in the first slice, or of the nearest texel.
    first: V,
    /// The other texels of a linear filter.
    pub around: Option<Around<V>>,
    /// Masks of the lanes in which a column or a row, or in a volume a slice, is the border.
    borders: Option<[[V; 2]; 2]>,
    slice_borders: Option<[V; 2]>,
    is_packed: bool,
    /// The texel beyond a cube's corner, if any lane has one.
    pub corner: Option<Corner<V>>,
}

/// The texels of a linear filter besides the first one.
#[derive(Clone, Copy)]
pub(super) struct Around<V> {
    /// Offsets of the upper right, lower left and lower right texel.
    offset_bytes: [V; 3],
    /// Distance to the second slice.
    next_slice: V,
    /// Weights of the right texels, the lower ones, and those of the second slice, in 256ths.
    pub fractions: [V; 3],
    /// Number of axes along which it filters.
    pub axes: usize,
}

/// The texel beyond a cube's corner: the mean of the three that meet there.
#[derive(Clone, Copy)]
pub(super) struct Corner<V> {
    /// Mask of the lanes that have one.
    pub is_any: V,
    /// Its index among the four texels of the filter.
    pub index: V,
    /// Offsets of the three, in the order in which they are added; in other lanes, offsets of valid texels.
    pub offset_bytes: [V; 3],
}

/// The position at which a vector of lanes samples a texture other than a cube.
#[derive(Clone, Copy)]
pub(super) struct FlatPosition<V> {
    pub coordinates: [V; 3],
    pub layer: Option<V>,
    /// Offsets along each axis that all lanes share.
    pub fixed: [i8; 3],
    /// Offsets along u and v that differ between lanes.
    pub computed: Option<[V; 2]>,
}

/// The mip level of each lane, which must exist.
#[derive(Clone, Copy)]
pub(super) enum LevelIndex<V> {
    /// The same level for all lanes.
    Same(u32),
    Each(V),
}

/// The address mode along an axis: an [`AddressMode`], or a faster equivalent of one.
#[derive(Clone, Copy, Debug)]
pub(super) enum AxisMode {
    /// Wrap, with extents that are powers of two.
    WrapPowers,
    Wrap,
    Mirror,
    Clamp,
    MirrorOnce,
    Border,
}

/// In-range texels along an axis, the first and the next one, with masks of the lanes in which they are the border, and
/// the fraction between them in 256ths.
#[derive(Clone, Copy)]
struct Along<V> {
    texels: [V; 2],
    is_border: [V; 2],
    fraction: V,
}

impl<V: Vector> LinearAddresses<V> {
    /// Addresses the texels around a position, or the nearest one.
    #[inline(always)]
    pub fn make(
        to: &mut MaybeUninit<Self>,
        source: TexelSource<'_>,
        at: &FlatPosition<V>,
        levels: &Levels<V>,
        tap: Tap,
        taking_part: u32,
    ) {
        match tap {
            Tap::Point => Self::make_along(to, source, at, levels, (0, 0.0), taking_part),
            Tap::Linear => Self::make_along(to, source, at, levels, (source.axes, 0.5), taking_part),
        }
    }

    /// Addresses a filter along `taps` axes that begins `before` texels earlier.
    #[inline(always)]
    fn make_along(
        to: &mut MaybeUninit<Self>,
        source: TexelSource<'_>,
        at: &FlatPosition<V>,
        levels: &Levels<V>,
        (taps, before): (usize, f32),
        taking_part: u32,
    ) {
        let axes = source.axes;
        let columns = Along::of(source, at, levels, 0, before);
        let rows = if axes > 1 { Along::of(source, at, levels, 1, before) } else { Along::none() };
        let slices = if axes > 2 { Along::of(source, at, levels, 2, before) } else { Along::none() };
        let mut storage = source.storage(levels, at.layer);
        if storage.is_copy() && !has_rows(&storage, &rows, &slices, axes, taps, taking_part) {
            storage = source.own_storage(levels, at.layer);
        }
        let (left, upper) = (storage.column(columns.texels[0]), storage.row(rows.texels[0]));
        let mut first = left.add(upper);
        let mut next_slice = V::splat(0);
        if axes > 2 {
            let slice = storage.slice(slices.texels[0]);
            first = first.add(slice);
            next_slice = storage.slice(slices.texels[1]).sub(slice);
        }
        let borders = match source.border {
            Some(_) => Some([columns.is_border, rows.is_border]),
            None => None,
        };
        let slice_borders = if axes > 2 { Some(slices.is_border) } else { None };
        let is_packed = storage.is_packed();
        if taps == 0 {
            to.write(Self { first, around: None, borders, slice_borders, is_packed, corner: None });
            return;
        }
        let right = storage.column(columns.texels[1]).sub(left);
        let lower_left = first.add(storage.row(rows.texels[1]).sub(upper));
        let around = Around {
            offset_bytes: [first.add(right), lower_left, lower_left.add(right)],
            next_slice,
            fractions: [columns.fraction, rows.fraction, slices.fraction],
            axes: taps,
        };
        to.write(Self { first, around: Some(around), borders, slice_borders, is_packed, corner: None });
    }

    /// Addresses texels on faces of a cube, with the fractions of those around.
    #[inline(always)]
    pub fn make_of_faces(
        to: &mut MaybeUninit<Self>,
        [first, right, lower, last]: [V; 4],
        fractions: Option<[V; 2]>,
        is_packed: bool,
        corner: Option<Corner<V>>,
    ) {
        let around = match fractions {
            Some([u, v]) => {
                let none = V::splat(0);
                let offset_bytes = [right, lower, last];
                Some(Around { offset_bytes, next_slice: none, fractions: [u, v, none], axes: 2 })
            }
            None => None,
        };
        to.write(Self { first, around, borders: None, slice_borders: None, is_packed, corner });
    }

    /// Number of axes along which it filters: zero for the nearest texel.
    #[inline(always)]
    pub fn axes(&self) -> usize {
        match &self.around {
            Some(around) => around.axes,
            None => 0,
        }
    }

    /// The fractions of the filter; zeros for the nearest texel.
    #[inline(always)]
    pub fn fractions(&self) -> [V; 3] {
        match &self.around {
            Some(around) => around.fractions,
            None => [V::splat(0); 3],
        }
    }

    /// True if in every lane the right texels, of one word each, follow the left ones in memory.
    #[inline(always)]
    pub fn are_neighbours(&self) -> bool {
        let Some(Around { offset_bytes: [right, lower, last], .. }) = &self.around else { return false };
        let bytes = V::splat(size_of::<u32>() as u32);
        let both = self.first.add(bytes).equal(*right).and(lower.add(bytes).equal(*last));
        !self.is_packed && both.is_ones()
    }

    /// One of the texels in a slice by its index: upper left, upper right, lower left, lower right.
    #[inline(always)]
    pub fn texel(&self, index: usize, slice: usize) -> TexelAddress<V> {
        let mut offset_bytes = self.first;
        if let Some(around) = &self.around {
            if index > 0 {
                offset_bytes = around.offset_bytes[index - 1];
            }
            if slice > 0 {
                offset_bytes = offset_bytes.add(around.next_slice);
            }
        }
        let is_border = match &self.borders {
            Some([columns, rows]) => {
                let is_border = columns[index & 1].or(rows[index >> 1]);
                match &self.slice_borders {
                    Some(slices) => Some(is_border.or(slices[slice])),
                    None => Some(is_border),
                }
            }
            None => None,
        };
        TexelAddress { offset_bytes, is_border, is_packed: self.is_packed }
    }

    /// One of the texels that represent the one beyond a corner.
    #[inline(always)]
    pub fn beyond(&self, corner: &Corner<V>, index: usize) -> TexelAddress<V> {
        TexelAddress { offset_bytes: corner.offset_bytes[index], is_border: None, is_packed: self.is_packed }
    }

    /// Mask of the lanes in which a texel is beyond a cube's corner.
    #[inline(always)]
    pub fn corners(&self) -> u32 {
        match &self.corner {
            Some(corner) => corner.is_any.signs(),
            None => 0,
        }
    }
}

/// True if a copy has the rows that are read.
#[inline(always)]
fn has_rows<V: Vector>(
    storage: &Storage<'_, V>,
    rows: &Along<V>,
    slices: &Along<V>,
    axes: usize,
    taps: usize,
    taking_part: u32,
) -> bool {
    let mut has_all = true;
    for slice in 0..if taps > 2 { 2 } else { 1 } {
        let z = if axes > 2 { Some(slices.texels[slice]) } else { None };
        has_all = has_all && storage.has(rows.texels[0], z, taking_part);
        if taps > 1 {
            has_all = has_all && storage.has(rows.texels[1], z, taking_part);
        }
    }
    has_all
}

impl<V: Vector> LevelIndex<V> {
    /// The first level.
    #[inline(always)]
    pub fn first() -> Self {
        LevelIndex::Same(0)
    }

    #[inline(always)]
    pub fn of(index: V) -> Self {
        let first = index.store()[0];
        if index.equal(V::splat(first)).is_ones() { LevelIndex::Same(first) } else { LevelIndex::Each(index) }
    }
}

impl<V: Vector> FlatPosition<V> {
    /// The offset along an axis, if there is one.
    #[inline(always)]
    fn offset(&self, axis: usize) -> Option<V> {
        match (&self.computed, self.fixed[axis]) {
            (Some(computed), _) if axis < 2 => Some(computed[axis]),
            (_, 0) => None,
            (_, fixed) => Some(V::splat(i32::from(fixed) as u32)),
        }
    }
}

impl<V: Vector> Levels<V> {
    /// Looks up the extents of each lane's level.
    #[inline(always)]
    pub fn of(source: TexelSource<'_>, level: &LevelIndex<V>) -> Self {
        let index = match level {
            LevelIndex::Same(index) => return Self::same(source, *index),
            LevelIndex::Each(index) => *index,
        };
        let words = source.extents.as_ptr().cast();
        let offsets = index.shift_left::<{ size_of::<LevelExtents>().ilog2() as i32 }>();
        let word = V::splat(size_of::<u32>() as u32);
        // SAFETY: the levels exist, and these are the first words of each.
        let extents = unsafe {
            [
                V::words_at(words, &offsets),
                V::words_at(words, &offsets.add(word)),
                V::words_at(words, &offsets.add(word).add(word)),
            ]
        };
        Self { extents, scale: scales(extents), index, same: None }
    }

    #[inline(always)]
    fn same(source: TexelSource<'_>, index: u32) -> Self {
        let level = &source.extents[index as usize];
        let extents = [V::splat(level.width), V::splat(level.height), V::splat(level.depth)];
        Self { extents, scale: scales(extents), index: V::splat(index), same: Some(index) }
    }

    /// Looks up the offset of the first layer, the row pitch and the slice pitch; in a copy also the first band and the
    /// bands of a slice.
    #[inline(always)]
    pub fn layouts(&self, layouts: &LevelLayouts, is_copy: bool) -> [V; 5] {
        if let Some(index) = self.same {
            let level = &layouts.levels[index as usize];
            return [
                V::splat(level.offset_bytes),
                V::splat(level.row_bytes),
                V::splat(level.slice_bytes),
                V::splat(level.first_band),
                V::splat(level.slice_bands),
            ];
        }
        let words = layouts.words();
        let mut offsets = self.index.shift_left::<{ size_of::<super::texture::LevelLayout>().ilog2() as i32 }>();
        let mut found = [V::splat(0); 5];
        for (n, found) in found.iter_mut().enumerate() {
            if n < 3 || is_copy {
                // SAFETY: there are as many levels, and these are the first words of each.
                *found = unsafe { V::words_at(words, &offsets) };
            }
            offsets = offsets.add(V::splat(size_of::<u32>() as u32));
        }
        found
    }
}

/// Extents in 256ths of a texel, as floats.
#[inline(always)]
fn scales<V: Vector>([x, y, z]: [V; 3]) -> [V; 3] {
    [x.shift_left::<8>().to_float(), y.shift_left::<8>().to_float(), z.shift_left::<8>().to_float()]
}

/// Converts texels to 256ths; NaN becomes 0.
#[inline(always)]
pub(super) fn to_fixed<V: Vector>(texels: V) -> V {
    rounded(texels.mul_floats(V::splat_float(256.0)))
}

/// Rounds to the nearest integers; NaN becomes 0.
#[inline(always)]
fn rounded<V: Vector>(floats: V) -> V {
    floats.to_int().and(floats.ordered(floats))
}

impl AxisMode {
    /// Picks the mode that holds for all levels of a texture.
    pub fn of(mode: AddressMode, levels: &[LevelExtents]) -> Self {
        let has_powers = |level: &LevelExtents| {
            level.width.is_power_of_two() && level.height.is_power_of_two() && level.depth.is_power_of_two()
        };
        match mode {
            AddressMode::Wrap if levels.iter().all(has_powers) => Self::WrapPowers,
            AddressMode::Wrap => Self::Wrap,
            AddressMode::Mirror => Self::Mirror,
            AddressMode::Clamp => Self::Clamp,
            AddressMode::MirrorOnce => Self::MirrorOnce,
            AddressMode::Border => Self::Border,
        }
    }
}

impl<V: Vector> Along<V> {
    /// Finds the texel that contains a coordinate `before` texels earlier, and the next one.
    ///
    /// Each is in range, whatever the input: memory accesses rely on this. Reduced coordinates that wrap or mirror are
    /// less than one period out of range, before an offset; those without one are not beyond the end, since half a
    /// texel before a coordinate from 0 to 1 there are no texels beyond the last one.
    #[inline(always)]
    fn of(source: TexelSource<'_>, at: &FlatPosition<V>, levels: &Levels<V>, axis: usize, before: f32) -> Self {
        let (coordinate, offset) = (at.coordinates[axis], at.offset(axis));
        let (extent, scale) = (levels.extents[axis], levels.scale[axis]);
        let one = V::splat(1);
        let before = V::splat_float(256.0 * before);
        let mode = source.modes[axis];
        match mode {
            AxisMode::WrapPowers => {
                // NaN becomes the least integer, which has the texel and the fraction of 0.
                let reduced = coordinate.sub_floats(coordinate.floor());
                let fixed = reduced.mul_floats(scale).sub_floats(before).to_int();
                let (position, mask) = (moved(fixed.shift_signed::<8>(), offset), extent.sub(one));
                Self::inner(position.and(mask), position.add(one).and(mask), fixed)
            }
            AxisMode::Wrap => {
                let reduced = coordinate.sub_floats(coordinate.floor());
                let fixed = rounded(reduced.mul_floats(scale).sub_floats(before));
                let mut position = fixed.shift_signed::<8>();
                if offset.is_some() {
                    position = modulo(moved(position, offset), extent);
                }
                let first = back(position.add(position.shift_signed::<31>().and(extent)), extent);
                let first = inside(first, extent);
                let second = first.add(one);
                Self::inner(first, extent.equal(second).clear(second), fixed)
            }
            AxisMode::Mirror => {
                let half = coordinate.mul_floats(V::splat_float(0.5));
                let reduced = half.sub_floats(half.trunc()).mul_floats(V::splat_float(2.0));
                let fixed = rounded(reduced.mul_floats(scale).sub_floats(before));
                let mut position = fixed.shift_signed::<8>();
                if offset.is_some() {
                    position = modulo(moved(position, offset), extent.add(extent));
                }
                Self::inner(mirror(position, extent), mirror(position.add(one), extent), fixed)
            }
            AxisMode::Clamp | AxisMode::MirrorOnce | AxisMode::Border => {
                // NaN stays.
                let reduced = V::splat_float(FAR).min_floats(V::splat_float(-FAR).max_floats(coordinate));
                let fixed = rounded(reduced.mul_floats(scale).sub_floats(before));
                let position = moved(fixed.shift_signed::<8>(), offset);
                let next = position.add(one);
                let (first, second) = match mode {
                    AxisMode::MirrorOnce => (mirror_at_zero(position), mirror_at_zero(next)),
                    _ => (position, next),
                };
                let (first, second) = (inside(first, extent), inside(second, extent));
                let mut along = Self::inner(first, second, fixed);
                if matches!(mode, AxisMode::Border) {
                    let ones = V::splat(u32::MAX);
                    along.is_border = [first.equal(position).xor(ones), second.equal(next).xor(ones)];
                }
                along
            }
        }
    }

    /// The texels along an axis that the texture lacks.
    #[inline(always)]
    fn none() -> Self {
        Self::inner(V::splat(0), V::splat(0), V::splat(0))
    }

    /// Two texels inside the texture.
    #[inline(always)]
    fn inner(first: V, second: V, fixed: V) -> Self {
        Self { texels: [first, second], is_border: [V::splat(0); 2], fraction: fixed.and(V::splat(255)) }
    }
}

/// Adds an offset to a position.
#[inline(always)]
fn moved<V: Vector>(position: V, offset: Option<V>) -> V {
    match offset {
        Some(offset) => position.add(offset),
        None => position,
    }
}

/// Clamps to the texels inside.
#[inline(always)]
pub(super) fn inside<V: Vector>(position: V, extent: V) -> V {
    position.max(V::splat(0)).min(extent.sub(V::splat(1)))
}

/// Mirrors negative texels: -1 maps to 0, -2 to 1.
#[inline(always)]
fn mirror_at_zero<V: Vector>(position: V) -> V {
    position.xor(position.shift_signed::<31>())
}

#[inline(always)]
fn mirror<V: Vector>(position: V, extent: V) -> V {
    let twice = extent.add(extent);
    let tile = back(mirror_at_zero(position), twice);
    inside(tile.min(twice.sub(V::splat(1)).sub(tile)), extent)
}

/// Subtracts one period from positions at or beyond it.
#[inline(always)]
fn back<V: Vector>(position: V, period: V) -> V {
    position.sub(period.more(position).clear(period))
}

/// The remainder of a division of integers below 2^23, never negative: a quotient of floats is a whole number only
/// where it is one.
#[inline(always)]
fn modulo<V: Vector>(position: V, period: V) -> V {
    let quotient = position.to_float().div_floats(period.to_float()).floor();
    position.sub(quotient.to_int().mul(period))
}
