//! Gathers texels, and filters for the minimum or maximum: texels one by one. The kind of texel supplies the nearest
//! texel for each that a linear filter would take.

#![allow(unsafe_code)]

use brolga_ir::float::NAN_F32;
use brolga_resource::Reduction;

use super::address::LinearAddresses;
use super::filter::{Calls, Results, Take};
use super::kind::Filtered;
use super::source::TexelSource;
use super::vector::{LaneArray, Lanes, Vector};

/// Gathers a component of the four texels of a linear filter, counter-clockwise from the lower left.
///
/// # Safety
///
/// As for [`FilterFn`](super::filter::FilterFn).
#[inline(always)]
pub(super) unsafe fn gathered<V: Vector>(
    source: TexelSource<'_>,
    addresses: &LinearAddresses<V>,
    reference: V,
    component: usize,
    calls: Calls,
    results: Results,
) -> u32 {
    let mut words = [V::splat(0); 4];
    // In the order of addresses: upper left, upper right, lower left, lower right.
    for (index, row) in [3, 2, 0, 1].into_iter().enumerate() {
        // SAFETY: the caller promises what filters require (`FilterFn`).
        words[row] = unsafe { one(source, addresses, index, 0, reference, calls) }[component & 3];
    }
    // SAFETY: the caller promises what filters require (`FilterFn`).
    unsafe { results.write(Filtered { words, left: addresses.corners() }) }
}

/// The minimum, or the maximum, of the texels whose weight is not zero.
///
/// # Safety
///
/// As for [`FilterFn`](super::filter::FilterFn).
#[inline(always)]
pub(super) unsafe fn extremes<V: Vector>(
    source: TexelSource<'_>,
    [first, second]: [&LinearAddresses<V>; 2],
    take: Take<V>,
    calls: Calls,
    results: Results,
) -> u32 {
    let mut words = [V::splat(f32::NAN.to_bits()); 4];
    let mut left = first.corners() | second.corners();
    let levels = match take {
        Take::One { .. } => {
            // SAFETY: the caller promises what filters require (`FilterFn`).
            return unsafe { calls.filter(source, [first, second], take, V::splat(0), results) };
        }
        Take::Linear => [Some((first, V::splat(u32::MAX))), None],
        Take::Two { fraction } => [Some((first, V::splat(u32::MAX))), Some((second, fraction.more(V::splat(0))))],
    };
    for (addresses, has_weight) in levels.into_iter().flatten() {
        let zero = V::splat(0);
        for index in 0..1 << addresses.axes() {
            let mut has = has_weight;
            for axis in 0..3 {
                if index >> axis & 1 != 0 {
                    has = has.and(addresses.fractions()[axis].more(zero));
                }
            }
            // SAFETY: the caller promises what filters require (`FilterFn`).
            let texel = unsafe { one(source, addresses, index & 3, index >> 2, zero, calls) };
            for (word, number) in words.iter_mut().zip(texel) {
                *word = extreme(source, *word, number).where_set(has, *word);
            }
        }
    }
    // A single texel keeps the bits of a NaN, and of a denormal.
    for word in words {
        left |= !word.ordered(word).signs() & V::ALL;
    }
    if let Take::Two { fraction } = take
        && first.axes() == 0
    {
        // SAFETY: the caller promises what filters require (`FilterFn`).
        let texel = unsafe { one(source, first, 0, 0, V::splat(0), calls) };
        let is_alone = fraction.equal(V::splat(0));
        left &= !is_alone.signs();
        for (word, texel) in words.iter_mut().zip(texel) {
            *word = texel.where_set(is_alone, *word);
        }
    }
    // SAFETY: the caller promises what filters require (`FilterFn`).
    unsafe { results.write(Filtered { words, left }) }
}

/// The minimum or the maximum of two; if one is NaN the other one, if both are the canonical NaN.
#[inline(always)]
pub(super) fn extreme<V: Vector>(source: TexelSource<'_>, a: V, b: V) -> V {
    // A zero keeps its sign.
    let b = b.flush().or(b.and(V::splat(1 << 31)));
    let extreme = match source.sampler.filter.reduction {
        Reduction::Minimum => a.min_floats(b),
        _ => a.max_floats(b),
    };
    let extreme = extreme.where_set(b.ordered(b), a);
    extreme.where_set(extreme.ordered(extreme), V::splat(NAN_F32))
}

/// The words of one of the texels, as a load would return them, or of a comparison with it.
///
/// # Safety
///
/// As for [`FilterFn`](super::filter::FilterFn).
#[inline(always)]
unsafe fn one<V: Vector>(
    source: TexelSource<'_>,
    addresses: &LinearAddresses<V>,
    index: usize,
    slice: usize,
    reference: V,
    calls: Calls,
) -> [V; 4] {
    let mut rows = [Lanes::<V, u32>::splat(0); 4];
    let (take, results) = (Take::One { index, slice }, Results::whole::<V>(&mut rows));
    // SAFETY: the caller promises what filters require; there are four rows.
    unsafe { calls.filter(source, [addresses; 2], take, reference, results) };
    [V::load(&rows[0]), V::load(&rows[1]), V::load(&rows[2]), V::load(&rows[3])]
}
