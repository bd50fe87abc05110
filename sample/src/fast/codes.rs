//! Texels of four 8-bit codes. Sums of codes times weights are integers, and exact.

use super::address::{Corner, LinearAddresses, TexelAddress};
use super::vector::{Array, Lanes, Vector, lane_in_memory};
use super::{Fast, Filtered, Kind};

/// The kind of [`R8G8B8A8_UNORM`](brolga_resource::Format::R8G8B8A8_UNORM).
#[derive(Debug)]
pub(super) struct Codes;

impl Kind for Codes {
    const HAS_CORNERS: bool = true;

    #[inline(always)]
    fn nearest<V: Vector>(fast: &Fast, address: &TexelAddress<V>, _: V) -> [V; 4] {
        let texels = read(fast, address);
        let byte = V::splat(255);
        let words = [
            unorm(texels.and(byte)),
            unorm(texels.shift_right::<8>().and(byte)),
            unorm(texels.shift_right::<16>().and(byte)),
            unorm(texels.shift_right::<24>()),
        ];
        in_order(fast, words)
    }

    #[inline(always)]
    fn linear<V: Vector>(
        fast: &Fast,
        first: &LinearAddresses<V>,
        second: Option<(&LinearAddresses<V>, V)>,
        _: V,
    ) -> Filtered<V> {
        let [r, g, b, a] = sums(fast, first);
        let words = match second {
            None if first.corner.is_none() => [r.over_255(), g.over_255(), b.over_255(), a.over_255()],
            Some((second, fraction)) if first.corner.is_none() && second.corner.is_none() => {
                let [other_r, other_g, other_b, other_a] = sums(fast, second);
                [
                    r.blend_over_255(other_r, fraction),
                    g.blend_over_255(other_g, fraction),
                    b.blend_over_255(other_b, fraction),
                    a.blend_over_255(other_a, fraction),
                ]
            }
            _ => with_corners(fast, [r, g, b, a], first, second),
        };
        Filtered { words: in_order(fast, words), left: 0 }
    }
}

/// Codes as numbers.
#[inline(always)]
fn unorm<V: Vector>(codes: V) -> V {
    codes.to_float().over_255()
}

/// Filters of one level or of two, where texels are beyond a cube's corner: of their thirds, sums are exact as doubles.
#[inline(always)]
fn with_corners<V: Vector>(
    fast: &Fast,
    sums_there: [V; 4],
    first: &LinearAddresses<V>,
    second: Option<(&LinearAddresses<V>, V)>,
) -> [V; 4] {
    let zero = V::splat(0);
    let thirds = corner_thirds(fast, first);
    let (others, other_thirds, fraction) = match second {
        None => ([zero; 4], [zero; 4], zero),
        Some((second, fraction)) => (sums(fast, second), corner_thirds(fast, second), fraction),
    };
    let fractions = &fraction.store();
    let mut numbers = [zero; 4];
    for (channel, numbers) in numbers.iter_mut().enumerate() {
        let (one, one_thirds) = (sums_there[channel].store(), thirds[channel].store());
        let (other, other_thirds) = (others[channel].store(), other_thirds[channel].store());
        let mut words = Lanes::<V, u32>::splat(0);
        for lane in 0..V::LANES {
            let (one, other) = (in_thirds(one[lane], one_thirds[lane]), in_thirds(other[lane], other_thirds[lane]));
            let weight = f64::from(fractions[lane] as i32);
            let sum = one * (256.0 - weight) + other * weight;
            words[lane] = ((sum / f64::from((3 * 255u32) << 8)) as f32).to_bits();
        }
        *numbers = V::load(&words);
    }
    numbers
}

/// Three times a sum, with more thirds.
#[inline(always)]
fn in_thirds(sum: u32, thirds: u32) -> f64 {
    f64::from(f32::from_bits(sum)) * 3.0 + f64::from(f32::from_bits(thirds))
}

/// What the texels beyond corners have in three times the sums, by channel: those themselves take them for black. There a weight is at
/// most 2^14, and the sum of three codes times it exact as a float.
#[inline(always)]
fn corner_thirds<V: Vector>(fast: &Fast, addresses: &LinearAddresses<V>) -> [V; 4] {
    let Some(corner) = &addresses.corner else { return [V::splat(0); 4] };
    let [right, lower] = addresses.fractions;
    let all = V::splat(256);
    let is_right = corner.index.shift_left::<31>().shift_signed::<31>();
    let is_lower = corner.index.shift_left::<30>().shift_signed::<31>();
    let weight = right.where_set(is_right, all.sub(right)).mul(lower.where_set(is_lower, all.sub(lower)));
    let weight = weight.and(corner.is_any);
    let [a, b, c] = &corner.offset_bytes;
    let texels = [V::load(&fast.read_each(a)), V::load(&fast.read_each(b)), V::load(&fast.read_each(c))];
    let byte = V::splat(255);
    let unit = V::splat_float(1.0 / 65536.0);
    let mut thirds = [V::splat(0); 4];
    let mut codes = texels;
    for channel in &mut thirds {
        let sum = codes[0].and(byte).add(codes[1].and(byte)).add(codes[2].and(byte));
        *channel = sum.mul(weight).to_float().mul_floats(unit);
        codes = [codes[0].shift_right::<8>(), codes[1].shift_right::<8>(), codes[2].shift_right::<8>()];
    }
    thirds
}

/// Black where a texel is beyond a corner, and this one of the four.
#[inline(always)]
fn or_black<V: Vector>(texel: V, corner: &Option<Corner<V>>, index: u32) -> V {
    match corner {
        Some(corner) => corner.index.equal(V::splat(index)).and(corner.is_any).clear(texel),
        None => texel,
    }
}

/// Red before blue.
#[inline(always)]
fn in_order<W>(fast: &Fast, [r, g, b, a]: [W; 4]) -> [W; 4] {
    if fast.swaps_red_and_blue { [b, g, r, a] } else { [r, g, b, a] }
}

#[inline(always)]
fn read<V: Vector>(fast: &Fast, address: &TexelAddress<V>) -> V {
    let texels = V::load(&fast.read_each(&address.offset_bytes));
    or_border(fast, address, texels)
}

/// Texels, or the border where they stand for it.
#[inline(always)]
pub(super) fn or_border<V: Vector>(fast: &Fast, address: &TexelAddress<V>, texels: V) -> V {
    match &fast.border {
        Some(border) => V::splat(border[0]).where_set(address.is_border, texels),
        None => texels,
    }
}

/// Two texels of each lane; in memory the right ones follow the left ones if they are `neighbours`.
#[inline(always)]
fn read_two<V: Vector>(fast: &Fast, left: &TexelAddress<V>, right: &TexelAddress<V>, neighbours: bool) -> [V; 2] {
    if !neighbours {
        return [read(fast, left), read(fast, right)];
    }
    let mut pairs = Lanes::<V, u64>::splat(0);
    for lane in 0..V::LANES {
        pairs[lane] = fast.read_two(lane_in_memory(&left.offset_bytes, lane));
    }
    let [one, two] = V::load_pairs(&pairs);
    [or_border(fast, left, one), or_border(fast, right, two)]
}

/// The sums of codes times weights on one level, by channel, as floats: integers up to 255 * 2^16, in units of 2^-16.
#[inline(always)]
fn sums<V: Vector>(fast: &Fast, addresses: &LinearAddresses<V>) -> [V; 4] {
    let [upper_left, upper_right, lower_left, lower_right] = &addresses.texels;
    let neighbours = addresses.are_neighbours();
    let [upper_left, upper_right] = read_two(fast, upper_left, upper_right, neighbours);
    let [lower_left, lower_right] = read_two(fast, lower_left, lower_right, neighbours);
    let corner = &addresses.corner;
    let (upper_left, upper_right) = (or_black(upper_left, corner, 0), or_black(upper_right, corner, 1));
    let (lower_left, lower_right) = (or_black(lower_left, corner, 2), or_black(lower_right, corner, 3));
    let [right, lower] = addresses.fractions;
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
