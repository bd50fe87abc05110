//! Compiles the functions that sample for each instruction set, and selects those for a format's texels.

#![allow(unsafe_code)]

use std::fmt;

use brolga_ir::interface::Dimension;
use brolga_resource::format::{Coding, Encoding, Format, Layout};

use super::SampleSpec;
use super::filter::{self, Calls, Results};
use super::kind::{Codes, Compared, Curve, Depth16, Depth24, Depth32, FieldTexels, Floats, Halves, Numbers, TexelKind};
use super::packet::{self, Cube, Flat, Lines, PacketPart, Pyramid, SamplingShape};
use super::source::TexelSource;
use super::texture::has_four_codes;
use super::vector::{Avx2, Pair, Sse42, Vector};
use crate::texel::Border;

/// An instruction set that the processor has.
///
/// Vectors of 64 bytes are not used: short stretches of such code slow down the code around them, whose vectors have 32
/// bytes, by more than they gain.
#[derive(Clone, Copy, Debug)]
pub struct Isa(Set);

/// Private, so that only detection can make one.
#[derive(Clone, Copy, Debug)]
enum Set {
    Avx2,
    Sse42,
}

/// The code for one format, or for queries of the level of detail.
#[derive(Clone, Copy, Debug)]
pub(super) struct SampleRoutines {
    /// For sampling that can only use the first level.
    pub of_first_level: SampleRoutine,
    pub of_levels: SampleRoutine,
    /// For anisotropic filtering.
    pub of_lines: SampleRoutine,
}

/// Code for the processor's vectors, and for the longer ones that it may have.
#[derive(Clone, Copy)]
pub(super) struct SampleRoutine {
    short: OneVector,
    long: Option<OneVector>,
}

/// A function for a shape, one for a kind of texel, and their number of lanes.
#[derive(Clone, Copy)]
pub(super) struct OneVector {
    pub lanes: usize,
    run: SampleRoutineFn,
    calls: Calls,
}

/// Samples one vector of lanes, and returns the lanes that it leaves. There is one call for each: the values that a
/// loop over them would keep live cost more than it saves. Its arguments are the fields of [`PacketPart`].
type SampleRoutineFn = unsafe fn(TexelSource<'_>, &SampleSpec, *const u32, *mut u32, usize, u32, Calls) -> u32;

impl OneVector {
    /// Calls the function.
    ///
    /// # Safety
    ///
    /// The processor has the instruction set that the functions were compiled for. There are as many rows of operands
    /// as the form has, and four rows for results.
    #[inline(always)]
    pub unsafe fn run(
        &self,
        source: TexelSource<'_>,
        form: &SampleSpec,
        operands: *const u32,
        results: *mut u32,
        row_lanes: usize,
        taking_part: u32,
    ) -> u32 {
        // SAFETY: the caller promises the same.
        unsafe { (self.run)(source, form, operands, results, row_lanes, taking_part, self.calls) }
    }
}

impl fmt::Debug for SampleRoutine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Run")
    }
}

impl SampleRoutines {
    fn same(run: SampleRoutine) -> Self {
        Self { of_first_level: run, of_levels: run, of_lines: run }
    }
}

impl SampleRoutine {
    /// The code for the next vector of the remaining lanes.
    #[inline(always)]
    pub fn next(&self, lanes: usize) -> OneVector {
        match self.long {
            Some(long) if lanes >= long.lanes => long,
            _ => self.short,
        }
    }
}

impl Isa {
    /// The instruction sets that the processor has, best first.
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
    ) -> SampleRoutines {
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
            (_, 1..=4) => self.runs::<FieldTexels<1>>(dimension),
            _ => self.runs::<FieldTexels<4>>(dimension),
        }
    }

    /// The comparisons of a format, if it has depths in its lowest bits.
    pub(super) fn comparisons(self, layout: &Layout, dimension: Dimension) -> Option<SampleRoutines> {
        let red = layout.channels[0]
            .filter(|red| red.field.shift == 0 && (dimension.sample_axes() < 3 || dimension.is_cube()))?;
        Some(match (red.coding, red.field.bits) {
            (Coding::Float, 32) => self.runs::<Compared<Depth32>>(dimension),
            (Coding::Unorm { most: 0xffff }, 16) => self.runs::<Compared<Depth16>>(dimension),
            (Coding::Unorm { most: 0xff_ffff }, 24) => self.runs::<Compared<Depth24>>(dimension),
            _ => return None,
        })
    }

    fn runs<K: TexelKind>(self, dimension: Dimension) -> SampleRoutines {
        if dimension.is_cube() {
            return SampleRoutines::same(self.run::<K, Cube>());
        }
        let of_levels = self.run::<K, Pyramid>();
        // Only two-dimensional textures have anisotropic filters.
        let of_lines = if dimension.sample_axes() == 2 { self.run::<K, Lines>() } else { of_levels };
        SampleRoutines { of_first_level: self.run::<K, Flat>(), of_levels, of_lines }
    }

    /// The queries of the level of detail, which has meaning even with a single level.
    pub(super) fn queries(self, dimension: Dimension) -> SampleRoutines {
        if dimension.is_cube() {
            return SampleRoutines::same(self.query::<Cube>());
        }
        let of_levels = self.query::<Pyramid>();
        let of_lines = if dimension.sample_axes() == 2 { self.query::<Lines>() } else { of_levels };
        SampleRoutines { of_lines, ..SampleRoutines::same(of_levels) }
    }

    fn run<K: TexelKind, S: SamplingShape>(self) -> SampleRoutine {
        match self.0 {
            Set::Avx2 => SampleRoutine { short: avx2::sampling::<K, S>(), long: Some(pair::sampling::<K, S>()) },
            Set::Sse42 => SampleRoutine { short: sse42::sampling::<K, S>(), long: None },
        }
    }

    fn query<S: SamplingShape>(self) -> SampleRoutine {
        match self.0 {
            Set::Avx2 => SampleRoutine { short: avx2::querying::<S>(), long: Some(pair::querying::<S>()) },
            Set::Sse42 => SampleRoutine { short: sse42::querying::<S>(), long: None },
        }
    }
}

/// The functions for an instruction set, in a module of its own, so that the compiler works on several at once.
macro_rules! functions {
    ($($isa:ident for $vector:ident with $features:literal;)*) => {
        $(mod $isa {
            use super::*;

            /// Pairs functions for the same kind of vector, on which the second one relies.
            pub(super) fn sampling<K: TexelKind, S: SamplingShape>() -> OneVector {
                OneVector { lanes: $vector::LANES, run: sample::<S>, calls: Calls { addresses, filter: filter::<K> } }
            }

            pub(super) fn querying<S: SamplingShape>() -> OneVector {
                OneVector { lanes: $vector::LANES, run: query::<S>, calls: Calls { addresses, filter: filter::nothing } }
            }

            functions!(sample for $vector with $features);
            functions!(query for $vector with $features);

            #[target_feature(enable = $features)]
            unsafe fn addresses(source: TexelSource<'_>, wanted: *const (), to: *mut ()) {
                // SAFETY: the caller keeps the contract of [`AddressFn`](filter::AddressFn).
                unsafe { filter::address::<$vector>(source, wanted, to) }
            }

            #[target_feature(enable = $features)]
            unsafe fn filter<K: TexelKind>(
                source: TexelSource<'_>,
                work: *const (),
                words: *mut u32,
                row_lanes: usize,
                taking_part: u32,
            ) -> u32 {
                // SAFETY: the caller keeps the contract of [`FilterFn`].
                unsafe { filter::filter::<K, $vector>(source, work, Results { words, row_lanes, taking_part }) }
            }
        })*
    };
    ($function:ident for $vector:ident with $features:literal) => {
        #[target_feature(enable = $features)]
        unsafe fn $function<S: SamplingShape>(
            source: TexelSource<'_>,
            form: &SampleSpec,
            operands: *const u32,
            words: *mut u32,
            row_lanes: usize,
            taking_part: u32,
            calls: Calls,
        ) -> u32 {
            let part = PacketPart { form, operands, results: Results { words, row_lanes, taking_part }, calls };
            // SAFETY: the caller keeps the contract of [`OneVector::run`].
            unsafe { packet::$function::<S, $vector>(source, part) }
        }
    };
}

functions! {
    avx2 for Avx2 with "avx2,fma,f16c";
    pair for Pair with "avx2,fma,f16c";
    sse42 for Sse42 with "sse4.2";
}
