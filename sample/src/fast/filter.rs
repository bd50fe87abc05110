//! Addresses the texels that a vector of lanes takes, and filters them. There is one function for each kind of texel,
//! and one for addresses, which all shapes call: as many as shapes and kinds together, not one for each pair.

#![allow(unsafe_code)]

use std::mem::MaybeUninit;

use brolga_resource::Tap;

use super::address::{FlatPosition, LevelIndex, Levels, LinearAddresses};
use super::cube::FacePosition;
use super::kind::{Filtered, TexelKind};
use super::source::TexelSource;
use super::vector::{Lanes, Vector};

/// The position at which a vector of lanes samples.
#[derive(Clone, Copy)]
pub(super) enum SamplePosition<V> {
    Flat(FlatPosition<V>),
    Cube(FacePosition<V>),
}

impl<V: Vector> SamplePosition<V> {
    /// The first two coordinates.
    #[inline(always)]
    pub fn coordinates(&self) -> [V; 2] {
        match self {
            SamplePosition::Flat(FlatPosition { coordinates: [u, v, _], .. }) => [*u, *v],
            SamplePosition::Cube(on) => on.at,
        }
    }

    #[inline(always)]
    pub fn set_coordinates(&mut self, [u, v]: [V; 2]) {
        match self {
            SamplePosition::Flat(at) => (at.coordinates[0], at.coordinates[1]) = (u, v),
            SamplePosition::Cube(on) => on.at = [u, v],
        }
    }
}

/// The texels that a filter takes.
#[derive(Clone, Copy)]
pub(super) enum Take<V> {
    /// A single texel, by its index and its slice.
    One { index: usize, slice: usize },
    /// A linear filter on a level.
    Linear,
    /// Linear filters on two levels, with weights of the second one in 256ths.
    Two { fraction: V },
}

/// The inputs of a filter.
struct FilterInput<'a, V> {
    first: &'a LinearAddresses<V>,
    /// The first one again if there is only one level.
    second: &'a LinearAddresses<V>,
    take: Take<V>,
    /// The reference of comparisons.
    reference: V,
}

/// The inputs of an address calculation.
struct AddressInput<'a, V> {
    position: &'a SamplePosition<V>,
    level: &'a LevelIndex<V>,
    tap: Tap,
    taking_part: u32,
}

/// The destination of the results of a vector of lanes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Results {
    /// Its lanes in the first of four rows.
    pub words: *mut u32,
    /// Words from one row to the next.
    pub row_lanes: usize,
    /// Mask of the active lanes, not empty.
    pub taking_part: u32,
}

/// Addresses the texels of a [`AddressInput`] on a level, and writes them to a [`LinearAddresses`].
///
/// # Safety
///
/// The processor has the instruction set that the function was compiled for, and both are for the same kind of vector.
pub(super) type AddressFn = unsafe fn(TexelSource<'_>, *const (), *mut ());

/// Filters the texels of a vector of lanes, writes the results, and returns the lanes that it leaves. The arguments are
/// the texture, the input, and the fields of [`Results`].
///
/// # Safety
///
/// The processor has the instruction set that the function was compiled for. The input is a [`FilterInput`] of the same
/// kind of vector, with texels of this texture. There are four rows for results.
pub(super) type FilterFn = unsafe fn(TexelSource<'_>, *const (), *mut u32, usize, u32) -> u32;

/// The functions for a kind of texel and of vector.
#[derive(Clone, Copy)]
pub(super) struct Calls {
    pub addresses: AddressFn,
    pub filter: FilterFn,
}

impl Calls {
    /// Addresses the texels around a position, or the nearest one.
    ///
    /// # Safety
    ///
    /// As for [`AddressFn`].
    #[inline(always)]
    pub unsafe fn address<V: Vector>(
        self,
        source: TexelSource<'_>,
        position: &SamplePosition<V>,
        level: &LevelIndex<V>,
        tap: Tap,
        taking_part: u32,
        to: *mut LinearAddresses<V>,
    ) {
        let wanted = AddressInput { position, level, tap, taking_part };
        // SAFETY: the caller promises the same (`AddressFn`, `FilterFn`).
        unsafe { (self.addresses)(source, (&raw const wanted).cast(), to.cast()) }
    }

    /// Writes the filtered texels, and returns the lanes that it leaves.
    ///
    /// # Safety
    ///
    /// As for [`FilterFn`].
    #[inline(always)]
    pub unsafe fn filter<V: Vector>(
        self,
        source: TexelSource<'_>,
        [first, second]: [&LinearAddresses<V>; 2],
        take: Take<V>,
        reference: V,
        results: Results,
    ) -> u32 {
        let work = FilterInput { first, second, take, reference };
        let Results { words, row_lanes, taking_part } = results;
        // SAFETY: the caller promises the same (`AddressFn`, `FilterFn`).
        unsafe { (self.filter)(source, (&raw const work).cast(), words, row_lanes, taking_part) }
    }
}

/// The body of an [`AddressFn`].
///
/// # Safety
///
/// As there.
#[inline(always)]
pub(super) unsafe fn address<V: Vector>(source: TexelSource<'_>, wanted: *const (), to: *mut ()) {
    // SAFETY: the caller promises the same (`AddressFn`, `FilterFn`).
    let AddressInput { position, level, tap, taking_part } = unsafe { &*wanted.cast::<AddressInput<'_, V>>() };
    let levels = &Levels::of(source, level);
    // SAFETY: the caller promises the same (`AddressFn`, `FilterFn`).
    let to = unsafe { &mut *to.cast::<MaybeUninit<LinearAddresses<V>>>() };
    match position {
        SamplePosition::Flat(at) => LinearAddresses::make(to, source, at, levels, *tap, *taking_part),
        SamplePosition::Cube(on) => LinearAddresses::make_on_face(to, source, on, levels, *tap, *taking_part),
    }
}

/// The body of a [`FilterFn`].
///
/// # Safety
///
/// As there.
#[inline(always)]
pub(super) unsafe fn filter<K: TexelKind, V: Vector>(
    source: TexelSource<'_>,
    work: *const (),
    results: Results,
) -> u32 {
    // SAFETY: the caller promises the same (`AddressFn`, `FilterFn`).
    let &FilterInput { first, second, take, reference } = unsafe { &*work.cast::<FilterInput<'_, V>>() };
    let filtered = match take {
        Take::One { index, slice } => {
            Filtered { words: K::nearest(source, &first.texel(index, slice), reference), left: 0 }
        }
        Take::Linear => K::linear(source, first, None, reference),
        Take::Two { fraction } => K::linear(source, first, Some((second, fraction)), reference),
    };
    // SAFETY: the caller promises the same (`AddressFn`, `FilterFn`).
    unsafe { results.write(filtered) }
}

/// A [`FilterFn`] for queries, which filter nothing: it leaves all lanes.
pub(super) unsafe fn nothing(_: TexelSource<'_>, _: *const (), _: *mut u32, _: usize, _: u32) -> u32 {
    u32::MAX
}

impl Results {
    /// Rows of one vector each.
    #[inline(always)]
    pub fn whole<V: Vector>(rows: &mut [Lanes<V, u32>; 4]) -> Self {
        Self { words: rows.as_mut_ptr().cast(), row_lanes: V::LANES, taking_part: V::ALL }
    }

    /// Writes the results of the active lanes, and returns the lanes that are left.
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
