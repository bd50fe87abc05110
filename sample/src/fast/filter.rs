//! From the texels that were chosen to results, for a vector of lanes. There is a function for each kind of texel, which all shapes call:
//! so there are as many as shapes and kinds together, not one for each pair.

#![allow(unsafe_code)]

use super::address::{LinearAddresses, TexelAddress};
use super::kind::{Filtered, Kind};
use super::source::Source;
use super::vector::{Lanes, Vector};

/// The texels that a filter takes.
pub(super) enum Selection<V> {
    Nearest(TexelAddress<V>),
    /// Of one level.
    Linear(LinearAddresses<V>),
    /// Of two levels, with weights of the second one in 256ths.
    Two {
        first: LinearAddresses<V>,
        second: LinearAddresses<V>,
        fraction: V,
    },
}

/// What a filter is given: the texels, and a reference to compare them with.
#[derive(Clone, Copy)]
struct Work<'a, V> {
    selection: &'a Selection<V>,
    reference: V,
}

/// Where the results of a vector of lanes go.
#[derive(Clone, Copy, Debug)]
pub(super) struct Results {
    /// Its lanes in the first of four rows.
    pub words: *mut u32,
    /// Words from one row to the next.
    pub row_lanes: usize,
    /// Mask of the active lanes, not empty.
    pub taking_part: u32,
}

/// Filters the texels of a vector of lanes, writes the results, and returns those that it leaves. The arguments are the texture, the
/// work, and the fields of [`Results`]: as many as Linux passes in registers.
///
/// # Safety
///
/// The processor has the instruction set that the function was compiled for. The work is a [`Work`] of the same kind of vector, whose
/// texels are the texture's. There are four rows for results.
pub(super) type FilterFn = unsafe fn(Source<'_>, *const (), *mut u32, usize, u32) -> u32;

impl<V: Vector> Selection<V> {
    /// Writes what the filter makes of the texels, and returns the lanes that it leaves.
    ///
    /// # Safety
    ///
    /// As for [`FilterFn`].
    #[inline(always)]
    pub unsafe fn filter(&self, source: Source<'_>, reference: V, filter: FilterFn, results: Results) -> u32 {
        let work = Work { selection: self, reference };
        let Results { words, row_lanes, taking_part } = results;
        // SAFETY: as above.
        unsafe { filter(source, (&raw const work).cast(), words, row_lanes, taking_part) }
    }
}

/// The body of a [`FilterFn`].
///
/// # Safety
///
/// As there.
#[inline(always)]
pub(super) unsafe fn filter<K: Kind, V: Vector>(source: Source<'_>, work: *const (), results: Results) -> u32 {
    // SAFETY: as above.
    let Work { selection, reference } = unsafe { *work.cast::<Work<'_, V>>() };
    let filtered = match selection {
        Selection::Nearest(address) => Filtered { words: K::nearest(source, address, reference), left: 0 },
        Selection::Linear(addresses) => K::linear(source, addresses, None, reference),
        Selection::Two { first, second, fraction } => K::linear(source, first, Some((second, *fraction)), reference),
    };
    // SAFETY: as above.
    unsafe { results.write(filtered) }
}

/// A [`FilterFn`] where there is nothing to filter: it leaves all lanes.
pub(super) unsafe fn nothing(_: Source<'_>, _: *const (), _: *mut u32, _: usize, _: u32) -> u32 {
    u32::MAX
}

impl Results {
    /// Rows of one vector.
    #[inline(always)]
    pub fn whole<V: Vector>(rows: &mut [Lanes<V, u32>; 4]) -> Self {
        Self { words: rows.as_mut_ptr().cast(), row_lanes: V::LANES, taking_part: V::ALL }
    }

    /// Writes the results of lanes that take part, and returns the lanes that are left.
    ///
    /// # Safety
    ///
    /// There are four rows.
    #[inline(always)]
    pub unsafe fn write<V: Vector>(self, Filtered { words, left }: Filtered<V>) -> u32 {
        for (n, words) in words.into_iter().enumerate() {
            // SAFETY: there is a row for each.
            let row = unsafe { &mut *self.words.add(n * self.row_lanes).cast::<Lanes<V, u32>>() };
            let words = match self.taking_part == V::ALL {
                true => words,
                false => words.where_set(V::of_signs(self.taking_part), V::load(row)),
            };
            *row = words.store();
        }
        left
    }
}
