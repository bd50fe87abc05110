//! Filters texels of four 8-bit codes. Sums of codes times weights on one level are integers, and exact.

#![allow(unsafe_code)]

use super::numbers::{TexelReader, linear, mixed, nearest};
use super::{Filtered, TexelKind};
use crate::fast::address::{LinearAddresses, TexelAddress};
use crate::fast::source::TexelSource;
use crate::fast::vector::{Unit, Vector};

/// The kind of [`R8G8B8A8_UNORM`](brolga_resource::Format::R8G8B8A8_UNORM), where the border has such codes.
#[derive(Debug)]
pub(in crate::fast) struct Codes;

impl TexelReader<4> for Codes {
    type Texel<V: Vector> = V;

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
        let [r, g, b, a] = in_order(source, [0, 8, 16, 24]);
        let shift = [r, g, b, a][channel];
        let mut values = *texels;
        for value in &mut values {
            *value = value.shift_right_by(shift).and(V::splat(255)).to_float();
        }
        values
    }

    #[inline(always)]
    fn word<V: Vector>(_: TexelSource<'_>, _: usize, value: V) -> V {
        value.over(&Unit::OF_BYTES)
    }
}

impl TexelKind for Codes {
    #[inline(always)]
    fn nearest<V: Vector>(source: TexelSource<'_>, address: &TexelAddress<V>, _: V) -> [V; 4] {
        nearest::<Self, 4, V>(source, address)
    }

    #[inline(always)]
    fn linear<V: Vector>(
        source: TexelSource<'_>,
        first: &LinearAddresses<V>,
        second: Option<(&LinearAddresses<V>, V)>,
        _: V,
    ) -> Filtered<V> {
        let has_corner = match &second {
            Some((second, _)) => first.corner.is_some() || second.corner.is_some(),
            None => first.corner.is_some(),
        };
        // The mean of three codes is not a code.
        if first.axes() < 2 || has_corner {
            return linear::<Self, 4, V>(source, first, second);
        }
        let mut sums = on_level(source, first);
        if let Some((second, fraction)) = second {
            let weight = fraction.to_float().mul_floats(V::splat_float(1.0 / 256.0));
            for (sum, other) in sums.iter_mut().zip(on_level(source, second)) {
                *sum = mixed(*sum, other, weight);
            }
        }
        let mut words = sums;
        for word in &mut words {
            *word = word.over(&Unit::OF_BYTES);
        }
        if source.channels[3].is_none() {
            words[3] = V::splat(source.missing[3]);
        }
        Filtered { words: in_order(source, words), left: 0 }
    }
}

/// Puts red before blue.
#[inline(always)]
fn in_order<W>(source: TexelSource<'_>, [r, g, b, a]: [W; 4]) -> [W; 4] {
    if source.swaps_red_and_blue { [b, g, r, a] } else { [r, g, b, a] }
}

#[inline(always)]
fn read<V: Vector>(source: TexelSource<'_>, address: &TexelAddress<V>) -> V {
    let mut expanded = [0; 16];
    let (base, offsets) = source.locate(address, &mut expanded);
    // SAFETY: texels of 4 bytes are there (`TexelSource::locate`).
    let texels = unsafe { V::words_at(base, &offsets) };
    or_border(source, address, texels)
}

/// The texels, or the border in the lanes that take it.
#[inline(always)]
fn or_border<V: Vector>(source: TexelSource<'_>, address: &TexelAddress<V>, texels: V) -> V {
    match address.is_border {
        Some(is_border) => V::splat(source.border_codes).where_set(is_border, texels),
        None => texels,
    }
}

/// Two texels of each lane; in memory the right ones follow the left ones if they are `neighbours`.
#[inline(always)]
fn read_two<V: Vector>(
    source: TexelSource<'_>,
    left: &TexelAddress<V>,
    right: &TexelAddress<V>,
    neighbours: bool,
) -> [V; 2] {
    if !neighbours {
        return [read(source, left), read(source, right)];
    }
    let mut expanded = [0; 16];
    let (base, offsets) = source.locate(left, &mut expanded);
    // SAFETY: the texels on the left are there, and those on the right follow them.
    let [one, two] = unsafe { V::pairs_at(base, &offsets) };
    [or_border(source, left, one), or_border(source, right, two)]
}

/// The weighted sums of codes on one level, by channel, as floats: integers up to 255 * 2^16, in units of 2^-16. In a
/// volume, interpolated between those of two slices.
#[inline(always)]
fn on_level<V: Vector>(source: TexelSource<'_>, addresses: &LinearAddresses<V>) -> [V; 4] {
    let neighbours = addresses.are_neighbours();
    let mut sums = on_slice(source, addresses, 0, neighbours);
    if addresses.axes() > 2 {
        let weight = addresses.fractions()[2].to_float().mul_floats(V::splat_float(1.0 / 256.0));
        for (sum, other) in sums.iter_mut().zip(on_slice(source, addresses, 1, neighbours)) {
            *sum = mixed(*sum, other, weight);
        }
    }
    sums
}

#[inline(always)]
fn on_slice<V: Vector>(
    source: TexelSource<'_>,
    addresses: &LinearAddresses<V>,
    slice: usize,
    neighbours: bool,
) -> [V; 4] {
    let (upper_left, upper_right) = (addresses.texel(0, slice), addresses.texel(1, slice));
    let (lower_left, lower_right) = (addresses.texel(2, slice), addresses.texel(3, slice));
    let [upper_left, upper_right] = read_two(source, &upper_left, &upper_right, neighbours);
    let [lower_left, lower_right] = read_two(source, &lower_left, &lower_right, neighbours);
    let [right, lower, _] = addresses.fractions();
    // Weights for both halves of a lane.
    let weight_right = right.or(right.shift_left::<16>());
    let weight_left = V::splat(0x0100_0100).sub(weight_right);
    let upper = rows(upper_left, upper_right, weight_left, weight_right);
    let lower_rows = rows(lower_left, lower_right, weight_left, weight_right);
    let weight_lower = lower.to_float().mul_floats(V::splat_float(1.0 / 65536.0));
    let weight_upper = V::splat_float(1.0 / 256.0).sub_floats(weight_lower);
    let half = V::splat(0xffff);
    [
        column(upper[0].and(half), lower_rows[0].and(half), weight_upper, weight_lower),
        column(upper[1].and(half), lower_rows[1].and(half), weight_upper, weight_lower),
        column(upper[0].shift_right::<16>(), lower_rows[0].shift_right::<16>(), weight_upper, weight_lower),
        column(upper[1].shift_right::<16>(), lower_rows[1].shift_right::<16>(), weight_upper, weight_lower),
    ]
}

/// The sums along a row: of the first and third channel, then of the second and fourth, in 16 bits each, since a sum is
/// at most 255 * 256.
#[inline(always)]
fn rows<V: Vector>(left: V, right: V, weight_left: V, weight_right: V) -> [V; 2] {
    let pair = V::splat(0x00ff_00ff);
    let even = left.and(pair).mul_halves(weight_left).add(right.and(pair).mul_halves(weight_right));
    let (left, right) = (left.shift_right::<8>().and(pair), right.shift_right::<8>().and(pair));
    [even, left.mul_halves(weight_left).add(right.mul_halves(weight_right))]
}

/// The sums of two rows.
#[inline(always)]
fn column<V: Vector>(upper: V, lower: V, weight_upper: V, weight_lower: V) -> V {
    upper.to_float().mul_add_floats(weight_upper, lower.to_float().mul_floats(weight_lower))
}
