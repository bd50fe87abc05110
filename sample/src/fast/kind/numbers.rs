//! Filters values linearly, as `interpolate.rs` does for one lane: texels of floats, and of sRGB codes.

#![allow(unsafe_code)]
#![allow(
    clippy::needless_range_loop,
    reason = "what iterators are given is a closure, which is not compiled for the instruction set"
)]

use std::marker::PhantomData;

use brolga_ir::float::NAN_F32;
use brolga_ir::srgb::LINEAR;

use super::{Filtered, TexelKind};
use crate::fast::address::{Corner, LinearAddresses, TexelAddress};
use crate::fast::source::TexelSource;
use crate::fast::vector::{Unit, Vector};

/// Texels that a reader decodes.
#[derive(Debug)]
pub(in crate::fast) struct Numbers<R>(PhantomData<R>);

/// Decodes texels to the values that filters combine: first whole texels, then channel by channel, so that the
/// properties of a channel are looked up once for all texels.
pub(in crate::fast) trait TexelReader<const CHANNELS: usize> {
    /// A texel of each lane.
    type Texel<V: Vector>: Copy;

    /// The number of channels up to the last one that exists; readers that know no format return a number that is
    /// opaque to the compiler, so that it makes a loop of them.
    #[inline(always)]
    fn channels(_: TexelSource<'_>) -> usize {
        CHANNELS
    }

    /// True if a texel has a channel.
    #[inline(always)]
    fn has(_: TexelSource<'_>, _channel: usize) -> bool {
        true
    }

    /// Reads the texels at offsets.
    fn texel<V: Vector>(source: TexelSource<'_>, base: *const u8, offsets: &V) -> Self::Texel<V>;

    /// True if two adjacent texels are read at once.
    #[inline(always)]
    fn has_pairs(_: TexelSource<'_>) -> bool {
        false
    }

    /// Reads the texels at offsets, and those that follow them in memory, which are there.
    #[inline(always)]
    fn pair<V: Vector>(source: TexelSource<'_>, base: *const u8, offsets: &V) -> [Self::Texel<V>; 2] {
        [Self::texel::<V>(source, base, offsets); 2]
    }

    /// The values of a channel of some texels.
    fn values<V: Vector, const COUNT: usize>(
        source: TexelSource<'_>,
        channel: usize,
        texels: &[Self::Texel<V>; COUNT],
    ) -> [V; COUNT];

    /// The result word of a channel's value.
    #[inline(always)]
    fn word<V: Vector>(_: TexelSource<'_>, _channel: usize, value: V) -> V {
        value
    }
}

/// Texels of four halves.
#[derive(Debug)]
pub(in crate::fast) struct Halves;

/// Texels of floats.
#[derive(Debug)]
pub(in crate::fast) struct Floats<const CHANNELS: usize>;

/// Texels of sRGB codes with a linear alpha.
#[derive(Clone, Copy, Debug)]
pub(in crate::fast) struct Curve;

impl TexelReader<4> for Halves {
    type Texel<V: Vector> = [V; 4];

    #[inline(always)]
    fn texel<V: Vector>(_: TexelSource<'_>, base: *const u8, offsets: &V) -> [V; 4] {
        // SAFETY: texels of 8 bytes are there (`TexelSource::locate`).
        unsafe { V::halves_at(base, offsets) }
    }

    #[inline(always)]
    fn values<V: Vector, const COUNT: usize>(
        _: TexelSource<'_>,
        channel: usize,
        texels: &[[V; 4]; COUNT],
    ) -> [V; COUNT] {
        channel_of(channel, texels)
    }

    /// NaNs become the canonical one.
    #[inline(always)]
    fn word<V: Vector>(_: TexelSource<'_>, _: usize, value: V) -> V {
        value.where_set(value.ordered(value), V::splat(NAN_F32))
    }
}

impl TexelReader<4> for Floats<4> {
    type Texel<V: Vector> = [V; 4];

    #[inline(always)]
    fn texel<V: Vector>(_: TexelSource<'_>, base: *const u8, offsets: &V) -> [V; 4] {
        // SAFETY: texels of 16 bytes are there (`TexelSource::locate`).
        unsafe { V::fours_at(base, offsets) }
    }

    #[inline(always)]
    fn values<V: Vector, const COUNT: usize>(
        _: TexelSource<'_>,
        channel: usize,
        texels: &[[V; 4]; COUNT],
    ) -> [V; COUNT] {
        channel_of(channel, texels)
    }
}

impl TexelReader<1> for Floats<1> {
    type Texel<V: Vector> = V;

    #[inline(always)]
    fn has_pairs(_: TexelSource<'_>) -> bool {
        true
    }

    #[inline(always)]
    fn pair<V: Vector>(_: TexelSource<'_>, base: *const u8, offsets: &V) -> [V; 2] {
        // SAFETY: texels of 4 bytes are there (`TexelSource::locate`), two of them, as the caller promises.
        unsafe { V::pairs_at(base, offsets) }
    }

    #[inline(always)]
    fn texel<V: Vector>(_: TexelSource<'_>, base: *const u8, offsets: &V) -> V {
        // SAFETY: texels of 4 bytes are there (`TexelSource::locate`).
        unsafe { V::words_at(base, offsets) }
    }

    #[inline(always)]
    fn values<V: Vector, const COUNT: usize>(_: TexelSource<'_>, _: usize, texels: &[V; COUNT]) -> [V; COUNT] {
        *texels
    }
}

impl TexelReader<4> for Curve {
    type Texel<V: Vector> = V;

    #[inline(always)]
    fn has_pairs(_: TexelSource<'_>) -> bool {
        true
    }

    #[inline(always)]
    fn pair<V: Vector>(_: TexelSource<'_>, base: *const u8, offsets: &V) -> [V; 2] {
        // SAFETY: texels of 4 bytes are there (`TexelSource::locate`), two of them, as the caller promises.
        unsafe { V::pairs_at(base, offsets) }
    }

    #[inline(always)]
    fn texel<V: Vector>(_: TexelSource<'_>, base: *const u8, offsets: &V) -> V {
        // SAFETY: texels of 4 bytes are there (`TexelSource::locate`).
        unsafe { V::words_at(base, offsets) }
    }

    #[inline(always)]
    fn values<V: Vector, const COUNT: usize>(
        source: TexelSource<'_>,
        channel: usize,
        texels: &[V; COUNT],
    ) -> [V; COUNT] {
        let shift = match channel {
            1 => 8,
            3 => 24,
            _ if (channel == 0) == source.swaps_red_and_blue => 16,
            _ => 0,
        };
        let mut values = *texels;
        for value in &mut values {
            let code = value.shift_right_by(shift);
            *value = if channel == 3 { code.to_float() } else { on_curve(code) };
        }
        values
    }

    #[inline(always)]
    fn word<V: Vector>(_: TexelSource<'_>, channel: usize, value: V) -> V {
        if channel == 3 { value.over(&Unit::OF_BYTES) } else { value }
    }
}

/// A channel of some texels.
#[inline(always)]
fn channel_of<V: Vector, const COUNT: usize>(channel: usize, texels: &[[V; 4]; COUNT]) -> [V; COUNT] {
    let mut values = [V::splat(0); COUNT];
    for n in 0..COUNT {
        values[n] = texels[n][channel];
    }
    values
}

/// Converts sRGB codes in the lowest 8 bits to linear values.
#[inline(always)]
pub(super) fn on_curve<V: Vector>(codes: V) -> V {
    let offsets = codes.and(V::splat(255)).shift_left::<2>();
    // SAFETY: there is a number for each code of 8 bits.
    unsafe { V::words_at(LINEAR.as_ptr().cast(), &offsets) }
}

macro_rules! kinds {
    ($($reader:ty, $channels:literal;)+) => {
        $(impl TexelKind for Numbers<$reader> {
            #[inline(always)]
            fn nearest<V: Vector>(source: TexelSource<'_>, address: &TexelAddress<V>, _: V) -> [V; 4] {
                nearest::<$reader, $channels, V>(source, address)
            }

            #[inline(always)]
            fn linear<V: Vector>(
                source: TexelSource<'_>,
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
pub(super) fn nearest<R: TexelReader<CHANNELS>, const CHANNELS: usize, V: Vector>(
    source: TexelSource<'_>,
    address: &TexelAddress<V>,
) -> [V; 4] {
    let texel = read::<R, CHANNELS, V>(source, address);
    let mut words = missing(source);
    for channel in 0..R::channels(source).min(CHANNELS) {
        if source.channels[channel].is_some() {
            let [value] = R::values::<V, 1>(source, channel, &[texel]);
            words[channel] = R::word(source, channel, value);
        }
    }
    if let (Some(border), Some(is_border)) = (&source.border, address.is_border) {
        for (word, border) in words.iter_mut().zip(border.words) {
            *word = V::splat(border).where_set(is_border, *word);
        }
    }
    words
}

/// The words of channels that the format lacks.
#[inline(always)]
fn missing<V: Vector>(source: TexelSource<'_>) -> [V; 4] {
    let [red, green, blue, alpha] = source.missing;
    [V::splat(red), V::splat(green), V::splat(blue), V::splat(alpha)]
}

/// A texel of each lane, or the border in the lanes that take it.
#[inline(always)]
fn read<R: TexelReader<CHANNELS>, const CHANNELS: usize, V: Vector>(
    source: TexelSource<'_>,
    address: &TexelAddress<V>,
) -> R::Texel<V> {
    let mut expanded = [0; 16];
    let (base, offsets) = source.locate(address, &mut expanded);
    R::texel::<V>(source, base, &offsets)
}

/// A linear filter on one level.
#[inline(always)]
fn on_level<R: TexelReader<CHANNELS>, const CHANNELS: usize, V: Vector>(
    source: TexelSource<'_>,
    addresses: &LinearAddresses<V>,
) -> [V; CHANNELS] {
    match addresses.axes() {
        0 => along::<R, CHANNELS, 1, V>(source, addresses),
        1 => along::<R, CHANNELS, 2, V>(source, addresses),
        2 => along::<R, CHANNELS, 4, V>(source, addresses),
        _ => along::<R, CHANNELS, 8, V>(source, addresses),
    }
}

/// Filters `COUNT` texels: one, or two along each axis.
#[inline(always)]
fn along<R: TexelReader<CHANNELS>, const CHANNELS: usize, const COUNT: usize, V: Vector>(
    source: TexelSource<'_>,
    addresses: &LinearAddresses<V>,
) -> [V; CHANNELS] {
    let mut texels;
    if COUNT >= 4 && R::has_pairs(source) && addresses.are_neighbours() {
        let first = pair_of::<R, CHANNELS, V>(source, addresses, 0);
        texels = [first[0]; COUNT];
        texels[1 % COUNT] = first[1];
        for row in 1..COUNT / 2 {
            let pair = pair_of::<R, CHANNELS, V>(source, addresses, row);
            texels[2 * row] = pair[0];
            texels[2 * row + 1] = pair[1];
        }
    } else {
        texels = [read::<R, CHANNELS, V>(source, &addresses.texel(0, 0)); COUNT];
        for n in 1..COUNT {
            texels[n] = read::<R, CHANNELS, V>(source, &addresses.texel(n & 3, n >> 2));
        }
    }
    let [right, lower, behind] = addresses.fractions();
    let (right, lower, behind) = (part(right), part(lower), part(behind));
    let mut found = [V::splat(0); CHANNELS];
    for channel in 0..R::channels(source).min(CHANNELS) {
        if !R::has(source, channel) {
            continue;
        }
        let mut values = R::values::<V, COUNT>(source, channel, &texels);
        if let Some(border) = &source.border {
            let border = V::splat(border.values[channel]);
            for n in 0..COUNT {
                if let Some(is_border) = addresses.texel(n & 3, n >> 2).is_border {
                    values[n] = border.where_set(is_border, values[n]);
                }
            }
        }
        if COUNT == 4
            && let Some(corner) = &addresses.corner
        {
            let mean = mean::<R, CHANNELS, V>(source, addresses, corner, channel);
            for (n, value) in values.iter_mut().enumerate() {
                let is_here = corner.index.equal(V::splat(n as u32)).and(corner.is_any);
                *value = mean.where_set(is_here, *value);
            }
        }
        let mut value = values[0];
        if COUNT > 1 {
            value = mixed(value, values[1 % COUNT], right);
        }
        if COUNT > 2 {
            value = mixed(value, mixed(values[2 % COUNT], values[3 % COUNT], right), lower);
        }
        if COUNT > 4 {
            let upper = mixed(values[4 % COUNT], values[5 % COUNT], right);
            let lower_row = mixed(values[6 % COUNT], values[7 % COUNT], right);
            value = mixed(value, mixed(upper, lower_row, lower), behind);
        }
        found[channel] = value;
    }
    found
}

/// The two texels of a row, which are adjacent in memory.
#[inline(always)]
fn pair_of<R: TexelReader<CHANNELS>, const CHANNELS: usize, V: Vector>(
    source: TexelSource<'_>,
    addresses: &LinearAddresses<V>,
    row: usize,
) -> [R::Texel<V>; 2] {
    let mut expanded = [0; 16];
    let (base, offsets) = source.locate(&addresses.texel((2 * row) & 3, row >> 1), &mut expanded);
    R::pair::<V>(source, base, &offsets)
}

/// Converts 256ths to a float.
#[inline(always)]
fn part<V: Vector>(fraction: V) -> V {
    fraction.to_float().mul_floats(V::splat_float(1.0 / 256.0))
}

/// The mean of a channel of the three texels at a corner.
#[inline(always)]
fn mean<R: TexelReader<CHANNELS>, const CHANNELS: usize, V: Vector>(
    source: TexelSource<'_>,
    addresses: &LinearAddresses<V>,
    corner: &Corner<V>,
    channel: usize,
) -> V {
    let mut texels = [read::<R, CHANNELS, V>(source, &addresses.beyond(corner, 0)); 3];
    for n in 1..3 {
        texels[n] = read::<R, CHANNELS, V>(source, &addresses.beyond(corner, n));
    }
    let [a, b, c] = R::values::<V, 3>(source, channel, &texels);
    a.add_floats(b).add_floats(c).div_floats(V::splat_float(3.0))
}

/// Interpolates between two values.
#[inline(always)]
pub(super) fn mixed<V: Vector>(a: V, b: V, weight: V) -> V {
    a.add_floats(b.sub_floats(a).mul_floats(weight))
}

#[inline(always)]
pub(super) fn linear<R: TexelReader<CHANNELS>, const CHANNELS: usize, V: Vector>(
    source: TexelSource<'_>,
    first: &LinearAddresses<V>,
    second: Option<(&LinearAddresses<V>, V)>,
) -> Filtered<V> {
    let mut values = on_level::<R, CHANNELS, V>(source, first);
    if let Some((second, fraction)) = second {
        let is_first = fraction.equal(V::splat(0));
        let others = on_level::<R, CHANNELS, V>(source, second);
        let weight = part(fraction);
        for channel in 0..R::channels(source).min(CHANNELS) {
            if R::has(source, channel) {
                let both = mixed(values[channel], others[channel], weight);
                values[channel] = values[channel].where_set(is_first, both);
            }
        }
    }
    let mut words = missing(source);
    // Zero, or NaN where a value is not finite.
    let mut zero = V::splat(0);
    for channel in 0..R::channels(source).min(CHANNELS) {
        if R::has(source, channel) && source.channels[channel].is_some() {
            let value = values[channel];
            zero = zero.add_floats(value.sub_floats(value));
            words[channel] = R::word(source, channel, value);
        }
    }
    let left = !zero.ordered(zero).signs() & V::ALL;
    Filtered { words, left }
}
