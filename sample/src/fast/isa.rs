//! Functions that sample, for each instruction set: which there are, and which of them a format's texels take.

#![allow(unsafe_code)]

use std::fmt;

use brolga_resource::format::Format;

use super::codes::Codes;
use super::compare::{Compared, Depth16, Depth24, Depth32};
use super::filter::{self, FilterFn, Results};
use super::numbers::{Curve, Floats, Halves, Numbers};
use super::packet::{self, Cube, Flat, Lines, Part, Pyramid, Shape};
use super::vector::{Avx2, Avx512, Pair, Sse42, Vector};
use super::{Fast, Form, Kind};

/// An instruction set that the processor has.
#[derive(Clone, Copy, Debug)]
pub struct Isa(Set);

/// Private, so that nobody can claim to have another one.
#[derive(Clone, Copy, Debug)]
enum Set {
    Avx512,
    Avx2,
    Sse42,
}

/// The code for one format, or for levels of detail.
#[derive(Clone, Copy, Debug)]
pub(super) struct Runs {
    /// Where only the first level can be meant.
    pub of_first_level: Run,
    pub of_levels: Run,
    /// Where texels are taken along lines.
    pub of_lines: Run,
}

/// Code for the processor's vectors, and for longer ones that it may have.
#[derive(Clone, Copy)]
pub(super) struct Run {
    short: OneVector,
    long: Option<OneVector>,
}

/// A function for a shape and one for a kind of texel, and how many lanes they take.
#[derive(Clone, Copy)]
pub(super) struct OneVector {
    pub lanes: usize,
    run: RunFn,
    filter: FilterFn,
}

/// Samples one vector of lanes, and returns those that it leaves. One call for each: what a loop over them would keep ready costs
/// more than it saves. Its arguments are the fields of [`Part`].
type RunFn = unsafe fn(&Fast, &Form, *const u32, *mut u32, usize, u32, FilterFn) -> u32;

impl OneVector {
    /// Calls it.
    ///
    /// # Safety
    ///
    /// The processor has the instruction set that the functions were compiled for. There are as many rows of operands as the form has,
    /// and four rows for results.
    #[inline(always)]
    pub unsafe fn run(
        &self,
        fast: &Fast,
        form: &Form,
        operands: *const u32,
        results: *mut u32,
        row_lanes: usize,
        taking_part: u32,
    ) -> u32 {
        // SAFETY: as above.
        unsafe { (self.run)(fast, form, operands, results, row_lanes, taking_part, self.filter) }
    }
}

impl fmt::Debug for Run {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Run")
    }
}

impl Runs {
    fn same(run: Run) -> Self {
        Self { of_first_level: run, of_levels: run, of_lines: run }
    }
}

impl Run {
    /// What the next of so many lanes take.
    #[inline(always)]
    pub fn next(&self, lanes: usize) -> OneVector {
        match self.long {
            Some(long) if lanes >= long.lanes => long,
            _ => self.short,
        }
    }
}

impl Isa {
    /// Those that the processor has, best first.
    pub fn present() -> impl Iterator<Item = Self> {
        let has_avx2 =
            is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") && is_x86_feature_detected!("f16c");
        let has_avx512 = has_avx2
            && is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512dq");
        let sets = [(Set::Avx512, has_avx512), (Set::Avx2, has_avx2), (Set::Sse42, is_x86_feature_detected!("sse4.2"))];
        sets.into_iter().filter_map(|(set, is_there)| is_there.then_some(Self(set)))
    }

    /// The filters of a format.
    pub(super) fn filter_of(self, format: Format, is_cube: bool) -> Option<Runs> {
        Some(match format {
            Format::R8G8B8A8_UNORM | Format::B8G8R8A8_UNORM => self.runs::<Codes>(is_cube),
            Format::R8G8B8A8_UNORM_SRGB | Format::B8G8R8A8_UNORM_SRGB => self.runs::<Numbers<Curve>>(is_cube),
            Format::R16G16B16A16_FLOAT => self.runs::<Numbers<Halves>>(is_cube),
            Format::R32_FLOAT => self.runs::<Numbers<Floats<1>>>(is_cube),
            Format::R32G32B32A32_FLOAT => self.runs::<Numbers<Floats<4>>>(is_cube),
            _ => return None,
        })
    }

    /// Its comparisons.
    pub(super) fn comparison_of(self, format: Format, is_cube: bool) -> Option<Runs> {
        Some(match format {
            Format::R32_FLOAT => self.runs::<Compared<Depth32>>(is_cube),
            Format::R16_UNORM => self.runs::<Compared<Depth16>>(is_cube),
            Format::R24_UNORM_X8_TYPELESS => self.runs::<Compared<Depth24>>(is_cube),
            _ => return None,
        })
    }

    fn runs<K: Kind>(self, is_cube: bool) -> Runs {
        match is_cube {
            true => Runs::same(self.run::<K, Cube>()),
            false => Runs {
                of_first_level: self.run::<K, Flat>(),
                of_levels: self.run::<K, Pyramid>(),
                of_lines: self.run::<K, Lines>(),
            },
        }
    }

    /// Levels of detail; they count where there is but one level, too.
    pub(super) fn queries(self, is_cube: bool) -> Runs {
        match is_cube {
            true => Runs::same(self.query::<Cube>()),
            false => Runs { of_lines: self.query::<Lines>(), ..Runs::same(self.query::<Pyramid>()) },
        }
    }

    fn run<K: Kind, S: Shape>(self) -> Run {
        match self.0 {
            Set::Avx512 => Run { short: avx2::sampling::<K, S>(), long: Some(avx512::sampling::<K, S>()) },
            Set::Avx2 if S::IS_COMMON => Run { short: avx2::sampling::<K, S>(), long: Some(pair::sampling::<K, S>()) },
            Set::Avx2 => Run { short: avx2::sampling::<K, S>(), long: None },
            Set::Sse42 => Run { short: sse42::sampling::<K, S>(), long: None },
        }
    }

    fn query<S: Shape>(self) -> Run {
        match self.0 {
            Set::Avx512 => Run { short: avx2::querying::<S>(), long: Some(avx512::querying::<S>()) },
            Set::Avx2 => Run { short: avx2::querying::<S>(), long: Some(pair::querying::<S>()) },
            Set::Sse42 => Run { short: sse42::querying::<S>(), long: None },
        }
    }
}

/// The functions of an instruction set, in a module of its own, so that the compiler works on several at once.
macro_rules! functions {
    ($($isa:ident for $vector:ident with $features:literal;)*) => {
        $(mod $isa {
            use super::*;

            /// Both functions for the same kind of vector, as the second one relies on.
            pub(super) fn sampling<K: Kind, S: Shape>() -> OneVector {
                OneVector { lanes: $vector::LANES, run: sample::<S>, filter: filter::<K> }
            }

            pub(super) fn querying<S: Shape>() -> OneVector {
                OneVector { lanes: $vector::LANES, run: query::<S>, filter: filter::nothing }
            }

            functions!(sample for $vector with $features);
            functions!(query for $vector with $features);

            #[target_feature(enable = $features)]
            unsafe fn filter<K: Kind>(
                fast: &Fast,
                work: *const (),
                words: *mut u32,
                row_lanes: usize,
                taking_part: u32,
            ) -> u32 {
                // SAFETY: as [`FilterFn`] says.
                unsafe { filter::filter::<K, $vector>(fast, work, Results { words, row_lanes, taking_part }) }
            }
        })*
    };
    ($function:ident for $vector:ident with $features:literal) => {
        #[target_feature(enable = $features)]
        unsafe fn $function<S: Shape>(
            fast: &Fast,
            form: &Form,
            operands: *const u32,
            words: *mut u32,
            row_lanes: usize,
            taking_part: u32,
            filter: FilterFn,
        ) -> u32 {
            let part = Part { form, operands, results: Results { words, row_lanes, taking_part }, filter };
            // SAFETY: as [`OneVector::run`] says.
            unsafe { packet::$function::<S, $vector>(fast, part) }
        }
    };
}

functions! {
    avx512 for Avx512 with "avx512f,avx512bw,avx512dq,avx2,fma,f16c";
    avx2 for Avx2 with "avx2,fma,f16c";
    pair for Pair with "avx2,fma,f16c";
    sse42 for Sse42 with "sse4.2";
}
