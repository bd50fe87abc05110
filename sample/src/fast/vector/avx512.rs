//! Sixteen lanes with AVX-512.

#![allow(unsafe_code)]

use std::arch::x86_64::*;

use super::{Array, Avx2, Vector, apart};

/// For processors with AVX-512 (F, BW and DQ), and what [`Avx2`] needs.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub(in super::super) struct Avx512(__m512i);

/// Operations that are one instruction, or two where it writes a mask register.
macro_rules! operations {
    (
        $(whole $name:ident $whole:ident;)*
        $(compare $compare:ident $compared:ident;)*
        $(shift $shift:ident $shifted:ident;)*
        $(floats $float:ident $floats:ident;)*
        $(compare_floats $compare_floats:ident $predicate:ident;)*
    ) => {
        $(#[inline(always)]
        fn $name(self, other: Self) -> Self {
            // SAFETY: the processor has AVX-512 (`mod.rs`).
            Self(unsafe { $whole(self.0, other.0) })
        })*

        $(#[inline(always)]
        fn $compare(self, other: Self) -> Self {
            // SAFETY: as above.
            Self(unsafe { _mm512_movm_epi32($compared(self.0, other.0)) })
        })*

        $(#[inline(always)]
        fn $shift<const BITS: i32>(self) -> Self {
            // SAFETY: as above. The immediate forms want another type; constants become those anyway.
            Self(unsafe { $shifted(self.0, _mm_cvtsi32_si128(BITS)) })
        })*

        $(#[inline(always)]
        fn $float(self, other: Self) -> Self {
            // SAFETY: as above.
            Self::of_floats(unsafe { $floats(self.floats(), other.floats()) })
        })*

        $(#[inline(always)]
        fn $compare_floats(self, other: Self) -> Self {
            // SAFETY: as above.
            Self(unsafe { _mm512_movm_epi32(_mm512_cmp_ps_mask::<$predicate>(self.floats(), other.floats())) })
        })*
    };
}

// SAFETY: the only field is its lanes.
unsafe impl Vector for Avx512 {
    const LANES: usize = 16;
    type Lanes<T: Copy> = [T; 16];

    #[inline(always)]
    fn splat(bits: u32) -> Self {
        // SAFETY: the processor has AVX-512 (`mod.rs`).
        Self(unsafe { _mm512_set1_epi32(bits as i32) })
    }

    #[inline(always)]
    fn load(lanes: &[u32; 16]) -> Self {
        Self::of_halves(Avx2::load(Array::start_of(lanes)), Avx2::load(Array::start_of(&lanes[8..])))
    }

    #[inline(always)]
    fn load_written(lanes: &[u32; 16]) -> Self {
        // SAFETY: as above; both reads are inside the lanes.
        Self(unsafe {
            let low = _mm512_castsi256_si512(_mm256_loadu_si256(lanes.as_ptr().cast()));
            _mm512_inserti64x4::<1>(low, _mm256_loadu_si256(apart(lanes.as_ptr().add(8)).cast()))
        })
    }

    #[inline(always)]
    fn load_pairs(pairs: &[u64; 16]) -> [Self; 2] {
        let [low, high] = Avx2::load_pairs(Array::start_of(pairs));
        let [next_low, next_high] = Avx2::load_pairs(Array::start_of(&pairs[8..]));
        [Self::of_halves(low, next_low), Self::of_halves(high, next_high)]
    }

    #[inline(always)]
    fn load_halves(texels: &[u64; 16]) -> [Self; 4] {
        let [r, g, b, a] = Avx2::load_halves(Array::start_of(texels));
        let [next_r, next_g, next_b, next_a] = Avx2::load_halves(Array::start_of(&texels[8..]));
        [Self::of_halves(r, next_r), Self::of_halves(g, next_g), Self::of_halves(b, next_b), Self::of_halves(a, next_a)]
    }

    #[inline(always)]
    fn load_fours(texels: &[[u32; 4]; 16]) -> [Self; 4] {
        let [r, g, b, a] = Avx2::load_fours(Array::start_of(texels));
        let [next_r, next_g, next_b, next_a] = Avx2::load_fours(Array::start_of(&texels[8..]));
        [Self::of_halves(r, next_r), Self::of_halves(g, next_g), Self::of_halves(b, next_b), Self::of_halves(a, next_a)]
    }

    #[inline(always)]
    fn store(self) -> [u32; 16] {
        let mut lanes = [0; 16];
        // SAFETY: as above, and there is room for a vector.
        unsafe { _mm512_storeu_si512(lanes.as_mut_ptr().cast(), self.0) };
        lanes
    }

    #[inline(always)]
    fn signs(self) -> u32 {
        // SAFETY: as above.
        u32::from(unsafe { _mm512_movepi32_mask(self.0) })
    }

    operations! {
        whole add _mm512_add_epi32;
        whole sub _mm512_sub_epi32;
        whole mul _mm512_mullo_epi32;
        whole mul_halves _mm512_mullo_epi16;
        whole and _mm512_and_si512;
        whole or _mm512_or_si512;
        whole xor _mm512_xor_si512;
        whole clear _mm512_andnot_si512;
        whole min _mm512_min_epi32;
        whole max _mm512_max_epi32;
        compare more _mm512_cmpgt_epi32_mask;
        compare equal _mm512_cmpeq_epi32_mask;
        shift shift_left _mm512_sll_epi32;
        shift shift_right _mm512_srl_epi32;
        shift shift_signed _mm512_sra_epi32;
        floats add_floats _mm512_add_ps;
        floats sub_floats _mm512_sub_ps;
        floats mul_floats _mm512_mul_ps;
        floats div_floats _mm512_div_ps;
        floats min_floats _mm512_min_ps;
        floats max_floats _mm512_max_ps;
        compare_floats more_floats _CMP_GT_OQ;
        compare_floats equal_floats _CMP_EQ_OQ;
        compare_floats ordered _CMP_ORD_Q;
    }

    #[inline(always)]
    fn shift_left_by(self, bits: u32) -> Self {
        // SAFETY: as above.
        Self(unsafe { _mm512_sllv_epi32(self.0, Self::splat(bits).0) })
    }

    #[inline(always)]
    fn where_set(self, mask: Self, other: Self) -> Self {
        // SAFETY: as above.
        Self(unsafe { _mm512_mask_blend_epi32(_mm512_movepi32_mask(mask.0), other.0, self.0) })
    }

    #[inline(always)]
    fn mul_add_floats(self, factor: Self, other: Self) -> Self {
        // SAFETY: as above.
        Self::of_floats(unsafe { _mm512_fmadd_ps(self.floats(), factor.floats(), other.floats()) })
    }

    #[inline(always)]
    fn blend_over_255(self, other: Self, weights: Self) -> Self {
        let ([one, next_one], [other, next_other]) = (self.halves(), other.halves());
        let [weights, next_weights] = weights.halves();
        Self::of_halves(one.blend_over_255(other, weights), next_one.blend_over_255(next_other, next_weights))
    }

    #[inline(always)]
    fn sqrt(self) -> Self {
        // SAFETY: as above.
        Self::of_floats(unsafe { _mm512_sqrt_ps(self.floats()) })
    }

    #[inline(always)]
    fn floor(self) -> Self {
        const DOWN: i32 = _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC;
        // SAFETY: as above.
        Self::of_floats(unsafe { _mm512_roundscale_ps::<DOWN>(self.floats()) })
    }

    #[inline(always)]
    fn trunc(self) -> Self {
        const TO_ZERO: i32 = _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC;
        // SAFETY: as above.
        Self::of_floats(unsafe { _mm512_roundscale_ps::<TO_ZERO>(self.floats()) })
    }

    #[inline(always)]
    fn to_int(self) -> Self {
        // SAFETY: as above.
        Self(unsafe { _mm512_cvtps_epi32(self.floats()) })
    }

    #[inline(always)]
    fn to_float(self) -> Self {
        // SAFETY: as above.
        Self::of_floats(unsafe { _mm512_cvtepi32_ps(self.0) })
    }
}

impl Avx512 {
    #[inline(always)]
    fn floats(self) -> __m512 {
        // SAFETY: as above.
        unsafe { _mm512_castsi512_ps(self.0) }
    }

    #[inline(always)]
    fn of_floats(floats: __m512) -> Self {
        // SAFETY: as above.
        Self(unsafe { _mm512_castps_si512(floats) })
    }

    #[inline(always)]
    fn halves(self) -> [Avx2; 2] {
        // SAFETY: as above.
        unsafe { [Avx2(_mm512_castsi512_si256(self.0)), Avx2(_mm512_extracti64x4_epi64::<1>(self.0))] }
    }

    #[inline(always)]
    fn of_halves(low: Avx2, high: Avx2) -> Self {
        // SAFETY: as above.
        Self(unsafe { _mm512_inserti64x4::<1>(_mm512_castsi256_si512(low.0), high.0) })
    }
}
