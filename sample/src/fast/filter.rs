//! From coordinates to the texels that are chosen, and from these to results, for a vector of lanes. There is a function for each kind of
//! texel, and one for addresses, which all shapes call: so there are as many as shapes and kinds together, not one for each pair.

#![allow(unsafe_code)]

use std::mem::MaybeUninit;

use brolga_resource::Tap;

use super::address::{At, Level, Levels, LinearAddresses};
use super::cube::OnFace;
use super::kind::{Filtered, Kind};
use super::source::Source;
use super::vector::{Lanes, Vector};

/// Where a vector of lanes samples.
#[derive(Clone, Copy)]
pub(super) enum Place<V> {
    Flat(At<V>),
    Cube(OnFace<V>),
}

impl<V: Vector> Place<V> {
    /// The first two coordinates.
    #[inline(always)]
    pub fn coordinates(&self) -> [V; 2] {
        match self {
            Place::Flat(At { coordinates: [u, v, _], .. }) => [*u, *v],
            Place::Cube(on) => on.at,
        }
    }

    #[inline(always)]
    pub fn set_coordinates(&mut self, [u, v]: [V; 2]) {
        match self {
            Place::Flat(at) => (at.coordinates[0], at.coordinates[1]) = (u, v),
            Place::Cube(on) => on.at = [u, v],
        }
    }
}

/// What a filter takes of the texels around.
#[derive(Clone, Copy)]
pub(super) enum Take<V> {
    /// A texel alone, by its index and its slice.
    One { index: usize, slice: usize },
    /// A linear filter on a level.
    Linear,
    /// The same on two levels, with weights of the second one in 256ths.
    Two { fraction: V },
}

/// What a filter is given.
struct Work<'a, V> {
    first: &'a LinearAddresses<V>,
    /// The first one again where there is but one.
    second: &'a LinearAddresses<V>,
    take: Take<V>,
    /// What texels are compared with.
    reference: V,
}

/// What addresses are made of.
struct Wanted<'a, V> {
    place: &'a Place<V>,
    level: &'a Level<V>,
    tap: Tap,
    taking_part: u32,
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

/// Makes the addresses of texels on a level: of what is wanted, a [`Wanted`], to a place for [`LinearAddresses`].
///
/// # Safety
///
/// The processor has the instruction set that the function was compiled for, and both are for the same kind of vector.
pub(super) type AddressFn = unsafe fn(Source<'_>, *const (), *mut ());

/// Filters the texels of a vector of lanes, writes the results, and returns those that it leaves. The arguments are the texture, the
/// work, and the fields of [`Results`].
///
/// # Safety
///
/// The processor has the instruction set that the function was compiled for. The work is a [`Work`] of the same kind of vector, whose
/// texels are the texture's. There are four rows for results.
pub(super) type FilterFn = unsafe fn(Source<'_>, *const (), *mut u32, usize, u32) -> u32;

/// The functions for a kind of texel and of vector.
#[derive(Clone, Copy)]
pub(super) struct Calls {
    pub addresses: AddressFn,
    pub filter: FilterFn,
}

impl Calls {
    /// The texels around a place, or the nearest one.
    ///
    /// # Safety
    ///
    /// As for [`AddressFn`].
    #[inline(always)]
    pub unsafe fn address<V: Vector>(
        self,
        source: Source<'_>,
        place: &Place<V>,
        level: &Level<V>,
        tap: Tap,
        taking_part: u32,
        to: *mut LinearAddresses<V>,
    ) {
        let wanted = Wanted { place, level, tap, taking_part };
        // SAFETY: the caller promises the same (`AddressFn`, `FilterFn`).
        unsafe { (self.addresses)(source, (&raw const wanted).cast(), to.cast()) }
    }

    /// Writes what the filter makes of texels, and returns the lanes that it leaves.
    ///
    /// # Safety
    ///
    /// As for [`FilterFn`].
    #[inline(always)]
    pub unsafe fn filter<V: Vector>(
        self,
        source: Source<'_>,
        [first, second]: [&LinearAddresses<V>; 2],
        take: Take<V>,
        reference: V,
        results: Results,
    ) -> u32 {
        let work = Work { first, second, take, reference };
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
pub(super) unsafe fn address<V: Vector>(source: Source<'_>, wanted: *const (), to: *mut ()) {
    // SAFETY: the caller promises the same (`AddressFn`, `FilterFn`).
    let Wanted { place, level, tap, taking_part } = unsafe { &*wanted.cast::<Wanted<'_, V>>() };
    let levels = &Levels::of(source, level);
    // SAFETY: the caller promises the same (`AddressFn`, `FilterFn`).
    let to = unsafe { &mut *to.cast::<MaybeUninit<LinearAddresses<V>>>() };
    match place {
        Place::Flat(at) => LinearAddresses::make(to, source, at, levels, *tap, *taking_part),
        Place::Cube(on) => LinearAddresses::make_on_face(to, source, on, levels, *tap, *taking_part),
    }
}

/// The body of a [`FilterFn`].
///
/// # Safety
///
/// As there.
#[inline(always)]
pub(super) unsafe fn filter<K: Kind, V: Vector>(source: Source<'_>, work: *const (), results: Results) -> u32 {
    // SAFETY: the caller promises the same (`AddressFn`, `FilterFn`).
    let &Work { first, second, take, reference } = unsafe { &*work.cast::<Work<'_, V>>() };
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
