//! Texels of floats, and of codes along the sRGB curve: what `interpolate.rs` does for one lane.

use std::marker::PhantomData;

use brolga_ir::float::NAN_F32;
use brolga_ir::srgb::LINEAR;

use super::address::{Corner, LinearAddresses, TexelAddress};
use super::vector::{Array, Lanes, Vector};
use super::{Fast, Filtered, Kind, Texel};

/// The kind of texels that a reader reads.
#[derive(Debug)]
pub(super) struct Numbers<R>(PhantomData<R>);

/// How texels are converted to numbers.
pub(super) trait Reader<const CHANNELS: usize> {
    type Bytes: Texel;

    /// Whether the last channel is a code of 8 bits: it is interpolated exactly, and divided by 255 at the end.
    const LAST_IS_CODE: bool = false;

    /// Whether its NaNs are converted, so that they are the one that computations give.
    const CONVERTS_NANS: bool = false;

    /// The numbers of each channel.
    fn numbers<V: Vector>(fast: &Fast, texels: &Lanes<V, Self::Bytes>) -> [V; CHANNELS];
}

/// Of channels that a format lacks the last one is 1.
#[inline(always)]
fn missing<V: Vector>() -> [V; 4] {
    let zero = V::splat(0);
    [zero, zero, zero, V::splat_float(1.0)]
}

/// Four halves.
#[derive(Debug)]
pub(super) struct Halves;

/// Floats.
#[derive(Debug)]
pub(super) struct Floats<const CHANNELS: usize>;

/// Codes along the sRGB curve.
#[derive(Clone, Copy, Debug)]
pub(super) struct Curve;

impl Reader<4> for Halves {
    type Bytes = u64;

    const CONVERTS_NANS: bool = true;

    #[inline(always)]
    fn numbers<V: Vector>(_: &Fast, texels: &Lanes<V, u64>) -> [V; 4] {
        V::load_halves(texels)
    }
}

impl Reader<4> for Floats<4> {
    type Bytes = [u32; 4];

    #[inline(always)]
    fn numbers<V: Vector>(_: &Fast, texels: &Lanes<V, [u32; 4]>) -> [V; 4] {
        V::load_fours(texels)
    }
}

impl Reader<1> for Floats<1> {
    type Bytes = u32;

    #[inline(always)]
    fn numbers<V: Vector>(_: &Fast, texels: &Lanes<V, u32>) -> [V; 1] {
        [V::load(texels)]
    }
}

impl Reader<4> for Curve {
    type Bytes = u32;

    const LAST_IS_CODE: bool = true;

    #[inline(always)]
    fn numbers<V: Vector>(fast: &Fast, texels: &Lanes<V, u32>) -> [V; 4] {
        let (one, three) = (on_curve(texels, 0), on_curve(texels, 16));
        let (red, blue) = if fast.swaps_red_and_blue { (three, one) } else { (one, three) };
        [red, on_curve(texels, 8), blue, V::load(texels).shift_right::<24>().to_float()]
    }
}

/// The numbers of the codes at a bit of each texel.
#[inline(always)]
fn on_curve<V: Vector>(texels: &Lanes<V, u32>, shift: u32) -> V {
    let mut numbers = Lanes::<V, u32>::splat(0);
    for lane in 0..V::LANES {
        numbers[lane] = LINEAR[(texels[lane] >> shift & 255) as usize];
    }
    V::load(&numbers)
}

macro_rules! kinds {
    ($($reader:ty, $channels:literal;)+) => {
        $(impl Kind for Numbers<$reader> {
            // A code's mean would have fractions that its exact sums do not hold.
            const HAS_CORNERS: bool = !<$reader as Reader<$channels>>::LAST_IS_CODE;

            #[inline(always)]
            fn nearest<V: Vector>(fast: &Fast, address: &TexelAddress<V>, _: V) -> [V; 4] {
                nearest::<$reader, $channels, V>(fast, address)
            }

            #[inline(always)]
            fn linear<V: Vector>(
                fast: &Fast,
                first: &LinearAddresses<V>,
                second: Option<(&LinearAddresses<V>, V)>,
                _: V,
            ) -> Filtered<V> {
                linear::<$reader, $channels, V>(fast, first, second)
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
fn nearest<R: Reader<CHANNELS>, const CHANNELS: usize, V: Vector>(fast: &Fast, address: &TexelAddress<V>) -> [V; 4] {
    let numbers = read::<R, CHANNELS, V>(fast, address, border::<R, CHANNELS, V>(fast));
    let mut words = missing::<V>();
    for channel in 0..CHANNELS {
        let number = numbers[channel];
        words[channel] = match R::CONVERTS_NANS {
            true => number.where_set(number.ordered(number), V::splat(NAN_F32)),
            false => number,
        };
    }
    if R::LAST_IS_CODE {
        words[CHANNELS - 1] = numbers[CHANNELS - 1].over_255();
    }
    words
}

/// The numbers of the border, if there is one.
#[inline(always)]
fn border<R: Reader<CHANNELS>, const CHANNELS: usize, V: Vector>(fast: &Fast) -> Option<[V; CHANNELS]> {
    match &fast.border {
        Some(texel) => Some(R::numbers::<V>(fast, &Lanes::<V, R::Bytes>::splat(R::Bytes::of(texel)))),
        None => None,
    }
}

/// The numbers of a texel of each lane.
#[inline(always)]
fn read<R: Reader<CHANNELS>, const CHANNELS: usize, V: Vector>(
    fast: &Fast,
    address: &TexelAddress<V>,
    border: Option<[V; CHANNELS]>,
) -> [V; CHANNELS] {
    let mut numbers = R::numbers::<V>(fast, &fast.read_each(&address.offset_bytes));
    if let Some(border) = border {
        for channel in 0..CHANNELS {
            numbers[channel] = border[channel].where_set(address.is_border, numbers[channel]);
        }
    }
    numbers
}

/// A linear filter on one level.
#[inline(always)]
fn on_level<R: Reader<CHANNELS>, const CHANNELS: usize, V: Vector>(
    fast: &Fast,
    addresses: &LinearAddresses<V>,
) -> [V; CHANNELS] {
    let unit = V::splat_float(1.0 / 256.0);
    let [right, lower] = addresses.fractions;
    let (right, lower) = (right.to_float().mul_floats(unit), lower.to_float().mul_floats(unit));
    let [upper_left, upper_right, lower_left, lower_right] = &addresses.texels;
    let border = border::<R, CHANNELS, V>(fast);
    let mut upper_left = read::<R, CHANNELS, V>(fast, upper_left, border);
    let mut upper_right = read::<R, CHANNELS, V>(fast, upper_right, border);
    let mut lower_left = read::<R, CHANNELS, V>(fast, lower_left, border);
    let mut lower_right = read::<R, CHANNELS, V>(fast, lower_right, border);
    if let Some(corner) = &addresses.corner {
        let mean = mean::<R, CHANNELS, V>(fast, &corner.offset_bytes);
        replace(&mut upper_left, mean, corner, 0);
        replace(&mut upper_right, mean, corner, 1);
        replace(&mut lower_left, mean, corner, 2);
        replace(&mut lower_right, mean, corner, 3);
    }
    let upper = between(upper_left, upper_right, right);
    between(upper, between(lower_left, lower_right, right), lower)
}

/// The mean of three texels.
#[inline(always)]
fn mean<R: Reader<CHANNELS>, const CHANNELS: usize, V: Vector>(fast: &Fast, [a, b, c]: &[V; 3]) -> [V; CHANNELS] {
    let mut mean = R::numbers::<V>(fast, &fast.read_each(a));
    let b = R::numbers::<V>(fast, &fast.read_each(b));
    let c = R::numbers::<V>(fast, &fast.read_each(c));
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
    mean: [V; CHANNELS],
    corner: &Corner<V>,
    index: u32,
) {
    let is_here = corner.index.equal(V::splat(index)).and(corner.is_any);
    for channel in 0..CHANNELS {
        texel[channel] = mean[channel].where_set(is_here, texel[channel]);
    }
}

#[inline(always)]
fn between<const CHANNELS: usize, V: Vector>(a: [V; CHANNELS], b: [V; CHANNELS], weight: V) -> [V; CHANNELS] {
    let mut numbers = a;
    for channel in 0..CHANNELS {
        let (a, b) = (a[channel], b[channel]);
        numbers[channel] = a.add_floats(b.sub_floats(a).mul_floats(weight));
    }
    numbers
}

#[inline(always)]
fn linear<R: Reader<CHANNELS>, const CHANNELS: usize, V: Vector>(
    fast: &Fast,
    first: &LinearAddresses<V>,
    second: Option<(&LinearAddresses<V>, V)>,
) -> Filtered<V> {
    let mut numbers = on_level::<R, CHANNELS, V>(fast, first);
    let mut last = numbers[CHANNELS - 1].over_255();
    if let Some((second, fraction)) = second {
        let weight = fraction.to_float().mul_floats(V::splat_float(1.0 / 256.0));
        let is_first = fraction.equal(V::splat(0));
        let others = on_level::<R, CHANNELS, V>(fast, second);
        if R::LAST_IS_CODE {
            last = numbers[CHANNELS - 1].blend_over_255(others[CHANNELS - 1], fraction);
        }
        let both = between(numbers, others, weight);
        for channel in 0..CHANNELS {
            numbers[channel] = numbers[channel].where_set(is_first, both[channel]);
        }
    }
    // Zero, or NaN where one is not finite.
    let mut zero = V::splat(0);
    for number in numbers {
        zero = zero.add_floats(number.sub_floats(number));
    }
    let left = !zero.ordered(zero).signs() & V::ALL;
    let mut words = missing::<V>();
    words[..CHANNELS].copy_from_slice(&numbers);
    if R::LAST_IS_CODE {
        words[CHANNELS - 1] = last;
    }
    Filtered { words, left }
}
