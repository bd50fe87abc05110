//! From coordinates to bytes, for a vector of lanes: what `coordinate.rs` does for one.
//!
//! Denormal coordinates need no special care: so near 0 all select the same texels and weights.

#![allow(unsafe_code)]
#![allow(clippy::manual_map, reason = "a closure is not compiled for the instruction set")]

use std::mem::MaybeUninit;

use brolga_resource::{AddressMode, Tap};

use super::source::{Source, Storage};
use super::texture::{Extent, Places};
use super::vector::Vector;
use crate::coordinate::FAR;

/// A level for each lane.
#[derive(Clone, Copy)]
pub(super) struct Levels<V> {
    pub extents: [V; 3],
    /// In 256ths of a texel, as floats.
    scale: [V; 3],
    /// The level, and the same if all lanes have it.
    index: V,
    same: Option<u32>,
}

/// Offsets of texels, and ones where they stand for the border. Each is a texel inside its level, whatever the
/// coordinates.
#[derive(Clone, Copy)]
pub(super) struct TexelAddress<V> {
    pub offset_bytes: V,
    /// Nothing where there is no border.
    pub is_border: Option<V>,
    /// Whether offsets are of blocks, each packed with an index in it ([`Blocks`](super::texture::Blocks)).
    pub is_packed: bool,
}

/// The texels of a linear filter on one level, or the nearest one.
///
/// It is large: made where it stays, and never moved.
pub(super) struct LinearAddresses<V> {
    /// Offset of the upper left texel in the first slice, or of the nearest one.
    first: V,
    /// The others, where that is not all.
    pub around: Option<Around<V>>,
    /// Ones where a column or a row stands for the border, and in a volume a slice.
    borders: Option<[[V; 2]; 2]>,
    slice_borders: Option<[V; 2]>,
    is_packed: bool,
    /// Lanes in which one of the four is beyond a cube's corner, if there are any.
    pub corner: Option<Corner<V>>,
}

/// What a linear filter takes besides the first texel.
#[derive(Clone, Copy)]
pub(super) struct Around<V> {
    /// Upper right, lower left, lower right.
    offset_bytes: [V; 3],
    /// What to add in the second slice.
    next_slice: V,
    /// Weights of the right ones, the lower ones, and those of the second slice, in 256ths.
    pub fractions: [V; 3],
    /// Along how many axes it filters.
    pub axes: usize,
}

/// The texel beyond a cube's corner: the mean of the three that meet there.
#[derive(Clone, Copy)]
pub(super) struct Corner<V> {
    /// Ones where there is one.
    pub is_any: V,
    /// Which of the four it is.
    pub index: V,
    /// Offsets of the three, in the order in which they are added; of texels in other lanes, too.
    pub offset_bytes: [V; 3],
}

/// Where a vector of lanes samples a texture that is no cube.
#[derive(Clone, Copy)]
pub(super) struct At<V> {
    pub coordinates: [V; 3],
    pub layer: Option<V>,
    /// Offsets along each axis, where they are the same for all lanes.
    pub fixed: [i8; 3],
    /// The same along u and v, where each lane has its own.
    pub computed: Option<[V; 2]>,
}

/// A level for each lane, which must exist.
#[derive(Clone, Copy)]
pub(super) enum Level<V> {
    /// The same for all.
    Same(u32),
    Each(V),
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

/// In-range texels along an axis, the first and the next one, and ones where they stand for the border; where between them, in 256ths.
#[derive(Clone, Copy)]
struct Along<V> {
    texels: [V; 2],
    is_border: [V; 2],
    fraction: V,
}

impl<V: Vector> LinearAddresses<V> {
    /// The texels around a place, or the nearest one.
    #[inline(always)]
    pub fn make(
        to: &mut MaybeUninit<Self>,
        source: Source<'_>,
        at: &At<V>,
        levels: &Levels<V>,
        tap: Tap,
        taking_part: u32,
    ) {
        match tap {
            Tap::Point => Self::make_along(to, source, at, levels, (0, 0.0), taking_part),
            Tap::Linear => Self::make_along(to, source, at, levels, (source.axes, 0.5), taking_part),
        }
    }

    /// For a filter along so many axes, which begins so many texels before.
    #[inline(always)]
    fn make_along(
        to: &mut MaybeUninit<Self>,
        source: Source<'_>,
        at: &At<V>,
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

    /// Texels of a cube's faces, with the fractions of those around.
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

    /// Along how many axes it filters: none where the nearest texel is meant.
    #[inline(always)]
    pub fn axes(&self) -> usize {
        match &self.around {
            Some(around) => around.axes,
            None => 0,
        }
    }

    /// The fractions of a filter; zeros where the nearest texel is meant.
    #[inline(always)]
    pub fn fractions(&self) -> [V; 3] {
        match &self.around {
            Some(around) => around.fractions,
            None => [V::splat(0); 3],
        }
    }

    /// Whether in every lane the right texels, of words, follow the left ones in memory.
    #[inline(always)]
    pub fn are_neighbours(&self) -> bool {
        let Some(Around { offset_bytes: [right, lower, last], .. }) = &self.around else { return false };
        let bytes = V::splat(size_of::<u32>() as u32);
        let both = self.first.add(bytes).equal(*right).and(lower.add(bytes).equal(*last));
        !self.is_packed && both.is_ones()
    }

    /// One of the texels in a slice, counted from 0: upper left, upper right, lower left, lower right.
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

    /// One of the texels that stand for the one beyond a corner.
    #[inline(always)]
    pub fn beyond(&self, corner: &Corner<V>, index: usize) -> TexelAddress<V> {
        TexelAddress { offset_bytes: corner.offset_bytes[index], is_border: None, is_packed: self.is_packed }
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

/// Whether a copy has the rows that are read.
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

impl<V: Vector> Level<V> {
    /// The first level.
    #[inline(always)]
    pub fn first() -> Self {
        Level::Same(0)
    }

    #[inline(always)]
    pub fn of(index: V) -> Self {
        let first = index.store()[0];
        if index.equal(V::splat(first)).is_ones() { Level::Same(first) } else { Level::Each(index) }
    }
}

impl<V: Vector> At<V> {
    /// Offsets along an axis, if there are any.
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
    /// The extents of each lane's level.
    #[inline(always)]
    pub fn of(source: Source<'_>, level: &Level<V>) -> Self {
        let index = match level {
            Level::Same(index) => return Self::same(source, *index),
            Level::Each(index) => *index,
        };
        let words = source.extents.as_ptr().cast();
        let offsets = index.shift_left::<{ size_of::<Extent>().ilog2() as i32 }>();
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
    fn same(source: Source<'_>, index: u32) -> Self {
        let level = &source.extents[index as usize];
        let extents = [V::splat(level.width), V::splat(level.height), V::splat(level.depth)];
        Self { extents, scale: scales(extents), index: V::splat(index), same: Some(index) }
    }

    /// Where the first layer begins, the row pitch, the slice pitch; in a copy also the first band and bands of a slice.
    #[inline(always)]
    pub fn places(&self, places: &Places, is_copy: bool) -> [V; 5] {
        if let Some(index) = self.same {
            let level = &places.levels[index as usize];
            return [
                V::splat(level.offset_bytes),
                V::splat(level.row_bytes),
                V::splat(level.slice_bytes),
                V::splat(level.first_band),
                V::splat(level.slice_bands),
            ];
        }
        let words = places.words();
        let mut offsets = self.index.shift_left::<{ size_of::<super::texture::Place>().ilog2() as i32 }>();
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
        let has_powers = |level: &Extent| {
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
    /// The texel that contains a coordinate `before` texels earlier, and the next one.
    ///
    /// Each is in range, whatever the input: memory accesses rely on this. Reduced coordinates that wrap or mirror are less than one period
    /// out of range, before an offset; those without one are not beyond the end, since half a texel before a coordinate from 0 to 1 there
    /// are no texels beyond the last one.
    #[inline(always)]
    fn of(source: Source<'_>, at: &At<V>, levels: &Levels<V>, axis: usize, before: f32) -> Self {
        let (coordinate, offset) = (at.coordinates[axis], at.offset(axis));
        let (extent, scale) = (levels.extents[axis], levels.scale[axis]);
        let one = V::splat(1);
        let before = V::splat_float(256.0 * before);
        let mode = source.modes[axis];
        match mode {
            Mode::WrapPowers => {
                // NaN becomes the least integer, which has the texel and the fraction of 0.
                let reduced = coordinate.sub_floats(coordinate.floor());
                let fixed = reduced.mul_floats(scale).sub_floats(before).to_int();
                let (place, mask) = (moved(fixed.shift_signed::<8>(), offset), extent.sub(one));
                Self::inner(place.and(mask), place.add(one).and(mask), fixed)
            }
            Mode::Wrap => {
                let reduced = coordinate.sub_floats(coordinate.floor());
                let fixed = rounded(reduced.mul_floats(scale).sub_floats(before));
                let mut place = fixed.shift_signed::<8>();
                if offset.is_some() {
                    place = modulo(moved(place, offset), extent);
                }
                let first = back(place.add(place.shift_signed::<31>().and(extent)), extent);
                let first = inside(first, extent);
                let second = first.add(one);
                Self::inner(first, extent.equal(second).clear(second), fixed)
            }
            Mode::Mirror => {
                let half = coordinate.mul_floats(V::splat_float(0.5));
                let reduced = half.sub_floats(half.trunc()).mul_floats(V::splat_float(2.0));
                let fixed = rounded(reduced.mul_floats(scale).sub_floats(before));
                let mut place = fixed.shift_signed::<8>();
                if offset.is_some() {
                    place = modulo(moved(place, offset), extent.add(extent));
                }
                Self::inner(mirror(place, extent), mirror(place.add(one), extent), fixed)
            }
            Mode::Clamp | Mode::MirrorOnce | Mode::Border => {
                // NaN stays.
                let reduced = V::splat_float(FAR).min_floats(V::splat_float(-FAR).max_floats(coordinate));
                let fixed = rounded(reduced.mul_floats(scale).sub_floats(before));
                let place = moved(fixed.shift_signed::<8>(), offset);
                let next = place.add(one);
                let (first, second) = match mode {
                    Mode::MirrorOnce => (mirror_at_zero(place), mirror_at_zero(next)),
                    _ => (place, next),
                };
                let (first, second) = (inside(first, extent), inside(second, extent));
                let mut along = Self::inner(first, second, fixed);
                if matches!(mode, Mode::Border) {
                    let ones = V::splat(u32::MAX);
                    along.is_border = [first.equal(place).xor(ones), second.equal(next).xor(ones)];
                }
                along
            }
        }
    }

    /// Along an axis that the texture lacks.
    #[inline(always)]
    fn none() -> Self {
        Self::inner(V::splat(0), V::splat(0), V::splat(0))
    }

    /// Two texels inside.
    #[inline(always)]
    fn inner(first: V, second: V, fixed: V) -> Self {
        Self { texels: [first, second], is_border: [V::splat(0); 2], fraction: fixed.and(V::splat(255)) }
    }
}

/// A position with an offset.
#[inline(always)]
fn moved<V: Vector>(place: V, offset: Option<V>) -> V {
    match offset {
        Some(offset) => place.add(offset),
        None => place,
    }
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

/// The remainder of a division of integers below 2^23, from 0 on: a quotient of floats is a whole number only where it is one.
#[inline(always)]
fn modulo<V: Vector>(place: V, period: V) -> V {
    let quotient = place.to_float().div_floats(period.to_float()).floor();
    place.sub(quotient.to_int().mul(period))
}
