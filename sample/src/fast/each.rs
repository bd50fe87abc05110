//! What takes texels one by one: gathers, and filters for the least or the largest. They ask the kind of texel for the nearest one,
//! for each that a linear filter would take.

#![allow(unsafe_code)]

use brolga_resource::Reduction;

use super::address::LinearAddresses;
use super::filter::{FilterFn, Results, Selection};
use super::kind::Filtered;
use super::source::Source;
use super::vector::{Array, Lanes, Vector};

/// Gathers a component of the four texels of a linear filter, counter-clockwise from the lower left.
///
/// # Safety
///
/// As for [`FilterFn`].
#[inline(always)]
pub(super) unsafe fn gathered<V: Vector>(
    source: Source<'_>,
    selection: &Selection<V>,
    reference: V,
    component: usize,
    filter: FilterFn,
    results: Results,
) -> u32 {
    let Selection::Linear(addresses) = selection else { return V::ALL };
    let mut words = [V::splat(0); 4];
    // Upper left, upper right, lower left, lower right.
    for (index, place) in [3, 2, 0, 1].into_iter().enumerate() {
        // In one dimension both rows are the same.
        let index = if addresses.axes < 2 { index & 1 } else { index };
        // SAFETY: as above.
        words[place] = unsafe { nearest(source, addresses, index, 0, reference, filter) }[component & 3];
    }
    // SAFETY: as above.
    unsafe { results.write(Filtered { words, left: addresses.corners() }) }
}

/// The least, or the largest, of the texels that have a weight.
///
/// # Safety
///
/// As for [`FilterFn`].
#[inline(always)]
pub(super) unsafe fn extremes<V: Vector>(
    source: Source<'_>,
    selection: &Selection<V>,
    filter: FilterFn,
    results: Results,
) -> u32 {
    let mut words = [V::splat(f32::NAN.to_bits()); 4];
    let mut left = 0;
    // SAFETY: as above.
    unsafe {
        match selection {
            Selection::Nearest(_) => return selection.filter(source, V::splat(0), filter, results),
            Selection::Linear(addresses) => {
                left |= addresses.corners();
                take(source, addresses, V::splat(u32::MAX), filter, &mut words);
            }
            Selection::Two { first, second, fraction } => {
                left |= first.corners() | second.corners();
                take(source, first, V::splat(u32::MAX), filter, &mut words);
                take(source, second, fraction.more(V::splat(0)), filter, &mut words);
            }
        }
        // Of a single texel a NaN keeps its bits.
        for word in words {
            left |= !word.ordered(word).signs() & V::ALL;
        }
        results.write(Filtered { words, left })
    }
}

/// Takes the texels of a level that have a weight, in lanes where that has one.
///
/// # Safety
///
/// As for [`FilterFn`].
#[inline(always)]
unsafe fn take<V: Vector>(
    source: Source<'_>,
    addresses: &LinearAddresses<V>,
    has_weight: V,
    filter: FilterFn,
    words: &mut [V; 4],
) {
    let zero = V::splat(0);
    let [right, lower, behind] = addresses.fractions;
    let count = 1 << addresses.axes;
    for index in 0..count {
        let mut has = has_weight;
        if index & 1 != 0 {
            has = has.and(right.more(zero));
        }
        if index & 2 != 0 {
            has = has.and(lower.more(zero));
        }
        if index & 4 != 0 {
            has = has.and(behind.more(zero));
        }
        // SAFETY: as above.
        let texel = unsafe { nearest(source, addresses, index & 3, index >> 2, zero, filter) };
        for (word, number) in words.iter_mut().zip(texel) {
            *word = extreme(source, *word, number).where_set(has, *word);
        }
    }
}

/// The lesser of two, or the larger one; the other one if one is NaN, which is the one that computations give.
#[inline(always)]
pub(super) fn extreme<V: Vector>(source: Source<'_>, a: V, b: V) -> V {
    let extreme = match source.sampler.filter.reduction {
        Reduction::Minimum => a.min_floats(b),
        _ => a.max_floats(b),
    };
    let extreme = extreme.where_set(b.ordered(b), a);
    extreme.where_set(extreme.ordered(extreme), V::splat(brolga_ir::float::NAN_F32))
}

/// The words of one of the texels, as a load would give them, or of a comparison with it.
///
/// # Safety
///
/// As for [`FilterFn`].
#[inline(always)]
unsafe fn nearest<V: Vector>(
    source: Source<'_>,
    addresses: &LinearAddresses<V>,
    index: usize,
    slice: usize,
    reference: V,
    filter: FilterFn,
) -> [V; 4] {
    let mut rows = [Lanes::<V, u32>::splat(0); 4];
    let selection = Selection::Nearest(addresses.texel(index, slice));
    // SAFETY: as above; there are four rows.
    unsafe { selection.filter(source, reference, filter, Results::whole::<V>(&mut rows)) };
    [V::load(&rows[0]), V::load(&rows[1]), V::load(&rows[2]), V::load(&rows[3])]
}
