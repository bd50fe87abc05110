//! Linear filters of values: what `interpolate.rs` does for one lane. Texels of floats, and of codes along the sRGB curve.

#![allow(unsafe_code)]

use std::marker::PhantomData;

use brolga_ir::float::NAN_F32;
use brolga_ir::srgb::LINEAR;

use super::{Filtered, Kind};
use crate::fast::address::{Corner, LinearAddresses, TexelAddress};
use crate::fast::source::Source;
use crate::fast::vector::{Unit, Vector};

/// The kind of texels that a reader reads.
#[derive(Debug)]
pub(in crate::fast) struct Numbers<R>(PhantomData<R>);

/// How texels are read as values, as filters combine them.
pub(in crate::fast) trait Reader<const CHANNELS: usize> {
    /// Whether a texel has a channel.
    #[inline(always)]
    fn has(_: Source<'_>, _channel: usize) -> bool {
        true
    }

    /// The values of each channel that there is, of texels at offsets.
    fn values<V: Vector>(source: Source<'_>, base: *const u8, offsets: &V) -> [V; CHANNELS];

    /// The word of a channel's value.
    #[inline(always)]
    fn word<V: Vector>(_: Source<'_>, _channel: usize, value: V) -> V {
        value
    }
}

/// Four halves.
#[derive(Debug)]
pub(in crate::fast) struct Halves;

/// Floats.
#[derive(Debug)]
pub(in crate::fast) struct Floats<const CHANNELS: usize>;

/// Codes along the sRGB curve, and of alpha.
#[derive(Clone, Copy, Debug)]
pub(in crate::fast) struct Curve;

impl Reader<4> for Halves {
    #[inline(always)]
    fn values<V: Vector>(_: Source<'_>, base: *const u8, offsets: &V) -> [V; 4] {
        // SAFETY: texels of 8 bytes are there (`Source::locate`).
        unsafe { V::halves_at(base, offsets) }
    }

    /// A NaN is the one that computations give.
    #[inline(always)]
    fn word<V: Vector>(_: Source<'_>, _: usize, value: V) -> V {
        value.where_set(value.ordered(value), V::splat(NAN_F32))
    }
}

impl Reader<4> for Floats<4> {
    #[inline(always)]
    fn values<V: Vector>(_: Source<'_>, base: *const u8, offsets: &V) -> [V; 4] {
        // SAFETY: texels of 16 bytes are there (`Source::locate`).
        unsafe { V::fours_at(base, offsets) }
    }
}

impl Reader<1> for Floats<1> {
    #[inline(always)]
    fn values<V: Vector>(_: Source<'_>, base: *const u8, offsets: &V) -> [V; 1] {
        // SAFETY: texels of 4 bytes are there (`Source::locate`).
        [unsafe { V::words_at(base, offsets) }]
    }
}

impl Reader<4> for Curve {
    #[inline(always)]
    fn values<V: Vector>(source: Source<'_>, base: *const u8, offsets: &V) -> [V; 4] {
        // SAFETY: texels of 4 bytes are there (`Source::locate`).
        let texels = unsafe { V::words_at(base, offsets) };
        let (one, three) = (on_curve(texels), on_curve(texels.shift_right::<16>()));
        let (red, blue) = if source.swaps_red_and_blue { (three, one) } else { (one, three) };
        [red, on_curve(texels.shift_right::<8>()), blue, texels.shift_right::<24>().to_float()]
    }

    #[inline(always)]
    fn word<V: Vector>(_: Source<'_>, channel: usize, value: V) -> V {
        if channel == 3 { value.over(&Unit::OF_BYTES) } else { value }
    }
}

/// The numbers of codes in the lowest 8 bits.
#[inline(always)]
pub(super) fn on_curve<V: Vector>(codes: V) -> V {
    let offsets = codes.and(V::splat(255)).shift_left::<2>();
    // SAFETY: there is a number for each code of 8 bits.
    unsafe { V::words_at(LINEAR.as_ptr().cast(), &offsets) }
}

macro_rules! kinds {
    ($($reader:ty, $channels:literal;)+) => {
        $(impl Kind for Numbers<$reader> {
            #[inline(always)]
            fn nearest<V: Vector>(source: Source<'_>, address: &TexelAddress<V>, _: V) -> [V; 4] {
                nearest::<$reader, $channels, V>(source, address)
            }

            #[inline(always)]
            fn linear<V: Vector>(
                source: Source<'_>,
                first: &LinearAddresses<V>,
                second: Option<(&LinearAddresses<V>, V)>,
                _: V,
            ) -> Filtered<V> {
                linear::<$reader, $channels, V>(source, first, second)
            }
        })+
    };
}

kinds! {
    Halves, 4;
    Floats<4>, 4;
    Floats<1>, 1;
    Curve, 4;
}

#[inline(always)]
pub(super) fn nearest<R: Reader<CHANNELS>, const CHANNELS: usize, V: Vector>(
    source: Source<'_>,
    address: &TexelAddress<V>,
) -> [V; 4] {
    let values = inner::<R, CHANNELS, V>(source, address);
    let mut words = missing(source);
    for channel in 0..CHANNELS {
        if source.channels[channel].is_some() {
            words[channel] = R::word(source, channel, values[channel]);
        }
    }
    if let (Some(border), Some(is_border)) = (&source.border, address.is_border) {
        for (word, border) in words.iter_mut().zip(border.words) {
            *word = V::splat(border).where_set(is_border, *word);
        }
    }
    words
}

/// What a texel without channels has.
#[inline(always)]
fn missing<V: Vector>(source: Source<'_>) -> [V; 4] {
    let [red, green, blue, alpha] = source.missing;
    [V::splat(red), V::splat(green), V::splat(blue), V::splat(alpha)]
}

/// The values of a texel of each lane, whether it stands for the border or not.
#[inline(always)]
fn inner<R: Reader<CHANNELS>, const CHANNELS: usize, V: Vector>(
    source: Source<'_>,
    address: &TexelAddress<V>,
) -> [V; CHANNELS] {
    let mut expanded = [0; 16];
    let (base, offsets) = source.locate(address, &mut expanded);
    R::values::<V>(source, base, &offsets)
}

/// The values of a texel of each lane.
#[inline(always)]
fn read<R: Reader<CHANNELS>, const CHANNELS: usize, V: Vector>(
    source: Source<'_>,
    address: &TexelAddress<V>,
) -> [V; CHANNELS] {
    let mut values = inner::<R, CHANNELS, V>(source, address);
    if let (Some(border), Some(is_border)) = (&source.border, address.is_border) {
        for channel in 0..CHANNELS {
            values[channel] = V::splat(border.values[channel]).where_set(is_border, values[channel]);
        }
    }
    values
}

/// A linear filter on one level.
#[inline(always)]
fn on_level<R: Reader<CHANNELS>, const CHANNELS: usize, V: Vector>(
    source: Source<'_>,
    addresses: &LinearAddresses<V>,
) -> [V; CHANNELS] {
    let mut values = on_slice::<R, CHANNELS, V>(source, addresses, 0);
    if addresses.axes > 2 {
        let others = on_slice::<R, CHANNELS, V>(source, addresses, 1);
        values = between::<R, CHANNELS, V>(source, &values, &others, part(addresses.fractions[2]));
    }
    values
}

/// The same in one slice.
#[inline(always)]
fn on_slice<R: Reader<CHANNELS>, const CHANNELS: usize, V: Vector>(
    source: Source<'_>,
    addresses: &LinearAddresses<V>,
    slice: usize,
) -> [V; CHANNELS] {
    let mut upper_left = read::<R, CHANNELS, V>(source, &addresses.texel(0, slice));
    if addresses.axes == 0 {
        return upper_left;
    }
    let [right, lower, _] = addresses.fractions;
    let (right, lower) = (part(right), part(lower));
    let mut upper_right = read::<R, CHANNELS, V>(source, &addresses.texel(1, slice));
    if addresses.axes == 1 {
        return between::<R, CHANNELS, V>(source, &upper_left, &upper_right, right);
    }
    let mut lower_left = read::<R, CHANNELS, V>(source, &addresses.texel(2, slice));
    let mut lower_right = read::<R, CHANNELS, V>(source, &addresses.texel(3, slice));
    if let Some(corner) = &addresses.corner {
        let mean = mean::<R, CHANNELS, V>(source, addresses, corner);
        replace(&mut upper_left, &mean, corner, 0);
        replace(&mut upper_right, &mean, corner, 1);
        replace(&mut lower_left, &mean, corner, 2);
        replace(&mut lower_right, &mean, corner, 3);
    }
    let upper = between::<R, CHANNELS, V>(source, &upper_left, &upper_right, right);
    let lower_row = between::<R, CHANNELS, V>(source, &lower_left, &lower_right, right);
    between::<R, CHANNELS, V>(source, &upper, &lower_row, lower)
}

/// 256ths as a float.
#[inline(always)]
fn part<V: Vector>(fraction: V) -> V {
    fraction.to_float().mul_floats(V::splat_float(1.0 / 256.0))
}

/// The mean of three texels.
#[inline(always)]
fn mean<R: Reader<CHANNELS>, const CHANNELS: usize, V: Vector>(
    source: Source<'_>,
    addresses: &LinearAddresses<V>,
    corner: &Corner<V>,
) -> [V; CHANNELS] {
    let mut mean = read::<R, CHANNELS, V>(source, &addresses.beyond(corner, 0));
    let b = read::<R, CHANNELS, V>(source, &addresses.beyond(corner, 1));
    let c = read::<R, CHANNELS, V>(source, &addresses.beyond(corner, 2));
    for channel in 0..CHANNELS {
        let sum = mean[channel].add_floats(b[channel]).add_floats(c[channel]);
        mean[channel] = sum.div_floats(V::splat_float(3.0));
    }
    mean
}

/// Puts the texel beyond a corner in its place, where it is this one of the four.
#[inline(always)]
fn replace<const CHANNELS: usize, V: Vector>(
    texel: &mut [V; CHANNELS],
    mean: &[V; CHANNELS],
    corner: &Corner<V>,
    index: u32,
) {
    let is_here = corner.index.equal(V::splat(index)).and(corner.is_any);
    for channel in 0..CHANNELS {
        texel[channel] = mean[channel].where_set(is_here, texel[channel]);
    }
}

#[inline(always)]
fn between<R: Reader<CHANNELS>, const CHANNELS: usize, V: Vector>(
    source: Source<'_>,
    a: &[V; CHANNELS],
    b: &[V; CHANNELS],
    weight: V,
) -> [V; CHANNELS] {
    let mut values = *a;
    for channel in 0..CHANNELS {
        if R::has(source, channel) {
            values[channel] = mixed(a[channel], b[channel], weight);
        }
    }
    values
}

/// What lies between two values.
#[inline(always)]
pub(super) fn mixed<V: Vector>(a: V, b: V, weight: V) -> V {
    a.add_floats(b.sub_floats(a).mul_floats(weight))
}

#[inline(always)]
pub(super) fn linear<R: Reader<CHANNELS>, const CHANNELS: usize, V: Vector>(
    source: Source<'_>,
    first: &LinearAddresses<V>,
    second: Option<(&LinearAddresses<V>, V)>,
) -> Filtered<V> {
    let mut values = on_level::<R, CHANNELS, V>(source, first);
    if let Some((second, fraction)) = second {
        let is_first = fraction.equal(V::splat(0));
        let others = on_level::<R, CHANNELS, V>(source, second);
        let both = between::<R, CHANNELS, V>(source, &values, &others, part(fraction));
        for channel in 0..CHANNELS {
            values[channel] = values[channel].where_set(is_first, both[channel]);
        }
    }
    let mut words = missing(source);
    // Zero, or NaN where one is not finite.
    let mut zero = V::splat(0);
    for channel in 0..CHANNELS {
        if R::has(source, channel) && source.channels[channel].is_some() {
            let value = values[channel];
            zero = zero.add_floats(value.sub_floats(value));
            words[channel] = R::word(source, channel, value);
        }
    }
    let left = !zero.ordered(zero).signs() & V::ALL;
    Filtered { words, left }
}
