//! Functions that sample, for each instruction set: which there are, and which of them a format's texels take.

#![allow(unsafe_code)]

use std::fmt;

use brolga_ir::interface::Dimension;
use brolga_resource::format::{Coding, Encoding, Format, Layout};

use super::Form;
use super::filter::{self, Calls, Results};
use super::kind::{Codes, Compared, Curve, Depth16, Depth24, Depth32, Fields, Floats, Halves, Kind, Numbers};
use super::packet::{self, Cube, Flat, Lines, Part, Pyramid, Shape};
use super::source::Source;
use super::texture::has_four_codes;
use super::vector::{Avx2, Pair, Sse42, Vector};
use crate::texel::Border;

/// An instruction set that the processor has.
///
/// There is none of vectors of 64 bytes: short stretches of such code slow down the code around them, whose vectors have 32 bytes, by more
/// than they gain.
#[derive(Clone, Copy, Debug)]
pub struct Isa(Set);

/// Private, so that nobody can claim to have another one.
#[derive(Clone, Copy, Debug)]
enum Set {
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
    calls: Calls,
}

/// Samples one vector of lanes, and returns those that it leaves. One call for each: what a loop over them would keep ready costs
/// more than it saves. Its arguments are the fields of [`Part`].
type RunFn = unsafe fn(Source<'_>, &Form, *const u32, *mut u32, usize, u32, Calls) -> u32;

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
        source: Source<'_>,
        form: &Form,
        operands: *const u32,
        results: *mut u32,
        row_lanes: usize,
        taking_part: u32,
    ) -> u32 {
        // SAFETY: the caller promises the same.
        unsafe { (self.run)(source, form, operands, results, row_lanes, taking_part, self.calls) }
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
        let sets = [(Set::Avx2, has_avx2), (Set::Sse42, is_x86_feature_detected!("sse4.2"))];
        sets.into_iter().filter_map(|(set, is_there)| is_there.then_some(Self(set)))
    }

    /// The filters of a format.
    pub(super) fn filters(
        self,
        format: Format,
        layout: &Layout,
        border: Option<&Border>,
        dimension: Dimension,
    ) -> Runs {
        let channels = &layout.channels;
        let codings = channels.map(|channel| channel.map(|channel| channel.coding));
        let is_code = |value: u32| f32::from_bits(value).fract() == 0.0;
        let border_is_code = border
            .is_none_or(|border| channels.iter().zip(border.values).all(|(c, value)| c.is_none() || is_code(value)));
        match (codings, layout.size_bytes) {
            (_, 4) if has_four_codes(format, Encoding::Unorm, channels) && border_is_code => {
                self.runs::<Codes>(dimension)
            }
            (_, 4) if has_four_codes(format, Encoding::Srgb, channels) => self.runs::<Numbers<Curve>>(dimension),
            ([Some(Coding::Half), Some(Coding::Half), Some(Coding::Half), _], 8) => {
                self.runs::<Numbers<Halves>>(dimension)
            }
            ([Some(Coding::Float), None, None, None], 4) => self.runs::<Numbers<Floats<1>>>(dimension),
            ([Some(Coding::Float), ..], 16) => self.runs::<Numbers<Floats<4>>>(dimension),
            (_, 1..=4) => self.runs::<Fields<1>>(dimension),
            _ => self.runs::<Fields<4>>(dimension),
        }
    }

    /// Its comparisons, if it has depths in its lowest bits.
    pub(super) fn comparisons(self, layout: &Layout, dimension: Dimension) -> Option<Runs> {
        let red = layout.channels[0]
            .filter(|red| red.field.shift == 0 && (dimension.sample_axes() < 3 || dimension.is_cube()))?;
        Some(match (red.coding, red.field.bits) {
            (Coding::Float, 32) => self.runs::<Compared<Depth32>>(dimension),
            (Coding::Unorm { most: 0xffff }, 16) => self.runs::<Compared<Depth16>>(dimension),
            (Coding::Unorm { most: 0xff_ffff }, 24) => self.runs::<Compared<Depth24>>(dimension),
            _ => return None,
        })
    }

    fn runs<K: Kind>(self, dimension: Dimension) -> Runs {
        if dimension.is_cube() {
            return Runs::same(self.run::<K, Cube>());
        }
        let of_levels = self.run::<K, Pyramid>();
        // Only textures of two dimensions have lines.
        let of_lines = if dimension.sample_axes() == 2 { self.run::<K, Lines>() } else { of_levels };
        Runs { of_first_level: self.run::<K, Flat>(), of_levels, of_lines }
    }

    /// Levels of detail; they count where there is but one level, too.
    pub(super) fn queries(self, dimension: Dimension) -> Runs {
        if dimension.is_cube() {
            return Runs::same(self.query::<Cube>());
        }
        let of_levels = self.query::<Pyramid>();
        let of_lines = if dimension.sample_axes() == 2 { self.query::<Lines>() } else { of_levels };
        Runs { of_lines, ..Runs::same(of_levels) }
    }

    fn run<K: Kind, S: Shape>(self) -> Run {
        match self.0 {
            Set::Avx2 => Run { short: avx2::sampling::<K, S>(), long: Some(pair::sampling::<K, S>()) },
            Set::Sse42 => Run { short: sse42::sampling::<K, S>(), long: None },
        }
    }

    fn query<S: Shape>(self) -> Run {
        match self.0 {
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
                OneVector { lanes: $vector::LANES, run: sample::<S>, calls: Calls { addresses, filter: filter::<K> } }
            }

            pub(super) fn querying<S: Shape>() -> OneVector {
                OneVector { lanes: $vector::LANES, run: query::<S>, calls: Calls { addresses, filter: filter::nothing } }
            }

            functions!(sample for $vector with $features);
            functions!(query for $vector with $features);

            #[target_feature(enable = $features)]
            unsafe fn addresses(source: Source<'_>, wanted: *const (), to: *mut ()) {
                // SAFETY: as [`AddressFn`](filter::AddressFn) says.
                unsafe { filter::address::<$vector>(source, wanted, to) }
            }

            #[target_feature(enable = $features)]
            unsafe fn filter<K: Kind>(
                source: Source<'_>,
                work: *const (),
                words: *mut u32,
                row_lanes: usize,
                taking_part: u32,
            ) -> u32 {
                // SAFETY: as [`FilterFn`] says.
                unsafe { filter::filter::<K, $vector>(source, work, Results { words, row_lanes, taking_part }) }
            }
        })*
    };
    ($function:ident for $vector:ident with $features:literal) => {
        #[target_feature(enable = $features)]
        unsafe fn $function<S: Shape>(
            source: Source<'_>,
            form: &Form,
            operands: *const u32,
            words: *mut u32,
            row_lanes: usize,
            taking_part: u32,
            calls: Calls,
        ) -> u32 {
            let part = Part { form, operands, results: Results { words, row_lanes, taking_part }, calls };
            // SAFETY: as [`OneVector::run`] says.
            unsafe { packet::$function::<S, $vector>(source, part) }
        }
    };
}

functions! {
    avx2 for Avx2 with "avx2,fma,f16c";
    pair for Pair with "avx2,fma,f16c";
    sse42 for Sse42 with "sse4.2";
}
