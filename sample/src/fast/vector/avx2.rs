//! Eight lanes with AVX2, FMA and F16C.

#![allow(unsafe_code)]

use std::arch::x86_64::*;

use super::{INVERSE_OF_255_256THS, Vector, apart};

/// For processors with AVX2, FMA and F16C.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub(in super::super) struct Avx2(pub(super) __m256i);

/// As the intrinsics want them.
#[inline(always)]
fn signed(&[a, b, c, d, e, f, g, h]: &[u32; 8]) -> [i32; 8] {
    [a as i32, b as i32, c as i32, d as i32, e as i32, f as i32, g as i32, h as i32]
}

#[inline(always)]
fn signed_pairs(&[a, b, c, d, e, f, g, h]: &[u64; 8]) -> [i64; 8] {
    [a as i64, b as i64, c as i64, d as i64, e as i64, f as i64, g as i64, h as i64]
}

/// A texel in each half.
///
/// # Safety
///
/// The processor has AVX2.
#[inline(always)]
unsafe fn two_fours(low: &[u32; 4], high: &[u32; 4]) -> __m256i {
    // SAFETY: as above; each read is of a texel.
    unsafe { _mm256_loadu2_m128i(high.as_ptr().cast(), low.as_ptr().cast()) }
}

/// Four lanes of [`Vector::blend_over_255`].
///
/// # Safety
///
/// The processor has AVX2 and FMA.
#[inline(always)]
unsafe fn blend_four([one, other]: [__m128; 2], weights: __m128i) -> __m128 {
    // SAFETY: as above.
    unsafe {
        let weights = _mm256_cvtepi32_pd(weights);
        let one = _mm256_mul_pd(_mm256_cvtps_pd(one), _mm256_sub_pd(_mm256_set1_pd(256.0), weights));
        let sum = _mm256_fmadd_pd(_mm256_cvtps_pd(other), weights, one);
        _mm256_cvtpd_ps(_mm256_mul_pd(sum, _mm256_set1_pd(INVERSE_OF_255_256THS)))
    }
}

/// Operations that are one instruction.
macro_rules! operations {
    ($(whole $name:ident $whole:ident;)* $(shift $shift:ident $shifted:ident;)* $(floats $float:ident $floats:path;)*) => {
        $(#[inline(always)]
        fn $name(self, other: Self) -> Self {
            // SAFETY: the processor has AVX2 (`mod.rs`).
            Self(unsafe { $whole(self.0, other.0) })
        })*

        $(#[inline(always)]
        fn $shift<const BITS: i32>(self) -> Self {
            // SAFETY: as above.
            Self(unsafe { $shifted::<BITS>(self.0) })
        })*

        $(#[inline(always)]
        fn $float(self, other: Self) -> Self {
            // SAFETY: as above.
            Self(unsafe {
                _mm256_castps_si256($floats(_mm256_castsi256_ps(self.0), _mm256_castsi256_ps(other.0)))
            })
        })*
    };
}

// SAFETY: the only field is its lanes.
unsafe impl Vector for Avx2 {
    const LANES: usize = 8;
    type Lanes<T: Copy> = [T; 8];

    #[inline(always)]
    fn splat(bits: u32) -> Self {
        // SAFETY: the processor has AVX2 (`mod.rs`).
        Self(unsafe { _mm256_set1_epi32(bits as i32) })
    }

    #[inline(always)]
    fn load(lanes: &[u32; 8]) -> Self {
        let [a, b, c, d, e, f, g, h] = signed(lanes);
        // SAFETY: as above.
        Self(unsafe { _mm256_setr_epi32(a, b, c, d, e, f, g, h) })
    }

    #[inline(always)]
    fn load_written(lanes: &[u32; 8]) -> Self {
        // SAFETY: as above; both reads are inside the lanes.
        Self(unsafe {
            let low = _mm_loadu_si128(lanes.as_ptr().cast());
            let high = _mm_loadu_si128(apart(lanes.as_ptr().add(4)).cast());
            _mm256_inserti128_si256::<1>(_mm256_castsi128_si256(low), high)
        })
    }

    #[inline(always)]
    fn load_pairs(pairs: &[u64; 8]) -> [Self; 2] {
        let [a, b, c, d, e, f, g, h] = signed_pairs(pairs);
        // SAFETY: as above.
        unsafe {
            let first = _mm256_castsi256_ps(_mm256_setr_epi64x(a, b, e, f));
            let second = _mm256_castsi256_ps(_mm256_setr_epi64x(c, d, g, h));
            let low = _mm256_shuffle_ps::<0x88>(first, second);
            let high = _mm256_shuffle_ps::<0xdd>(first, second);
            [Self(_mm256_castps_si256(low)), Self(_mm256_castps_si256(high))]
        }
    }

    #[inline(always)]
    fn load_halves(texels: &[u64; 8]) -> [Self; 4] {
        let [a, b, c, d, e, f, g, h] = signed_pairs(texels);
        // SAFETY: as above, and the processor has F16C too.
        unsafe {
            let [ab, cd] = [_mm_set_epi64x(b, a), _mm_set_epi64x(d, c)];
            let [ef, gh] = [_mm_set_epi64x(f, e), _mm_set_epi64x(h, g)];
            // Red of a and c, green of a and c...; the same of b and d; then red of four, green of four.
            let [even, odd] = [_mm_unpacklo_epi16(ab, cd), _mm_unpackhi_epi16(ab, cd)];
            let [red, blue] = [_mm_unpacklo_epi16(even, odd), _mm_unpackhi_epi16(even, odd)];
            let [even, odd] = [_mm_unpacklo_epi16(ef, gh), _mm_unpackhi_epi16(ef, gh)];
            let [more_red, more_blue] = [_mm_unpacklo_epi16(even, odd), _mm_unpackhi_epi16(even, odd)];
            [
                Self(_mm256_castps_si256(_mm256_cvtph_ps(_mm_unpacklo_epi64(red, more_red)))),
                Self(_mm256_castps_si256(_mm256_cvtph_ps(_mm_unpackhi_epi64(red, more_red)))),
                Self(_mm256_castps_si256(_mm256_cvtph_ps(_mm_unpacklo_epi64(blue, more_blue)))),
                Self(_mm256_castps_si256(_mm256_cvtph_ps(_mm_unpackhi_epi64(blue, more_blue)))),
            ]
        }
    }

    #[inline(always)]
    fn load_fours([a, b, c, d, e, f, g, h]: &[[u32; 4]; 8]) -> [Self; 4] {
        // SAFETY: as above; each read is of a texel.
        unsafe {
            let [a, b] = [two_fours(a, e), two_fours(b, f)];
            let [c, d] = [two_fours(c, g), two_fours(d, h)];
            let [low, next_low] = [_mm256_unpacklo_epi32(a, b), _mm256_unpacklo_epi32(c, d)];
            let [high, next_high] = [_mm256_unpackhi_epi32(a, b), _mm256_unpackhi_epi32(c, d)];
            [
                Self(_mm256_unpacklo_epi64(low, next_low)),
                Self(_mm256_unpackhi_epi64(low, next_low)),
                Self(_mm256_unpacklo_epi64(high, next_high)),
                Self(_mm256_unpackhi_epi64(high, next_high)),
            ]
        }
    }

    #[inline(always)]
    fn store(self) -> [u32; 8] {
        let mut lanes = [0; 8];
        // SAFETY: as above, and there is room for a vector.
        unsafe { _mm256_storeu_si256(lanes.as_mut_ptr().cast(), self.0) };
        lanes
    }

    #[inline(always)]
    fn signs(self) -> u32 {
        // SAFETY: as above.
        unsafe { _mm256_movemask_ps(_mm256_castsi256_ps(self.0)) as u32 }
    }

    operations! {
        whole add _mm256_add_epi32;
        whole sub _mm256_sub_epi32;
        whole mul _mm256_mullo_epi32;
        whole mul_halves _mm256_mullo_epi16;
        whole and _mm256_and_si256;
        whole or _mm256_or_si256;
        whole xor _mm256_xor_si256;
        whole clear _mm256_andnot_si256;
        whole min _mm256_min_epi32;
        whole max _mm256_max_epi32;
        whole more _mm256_cmpgt_epi32;
        whole equal _mm256_cmpeq_epi32;
        shift shift_left _mm256_slli_epi32;
        shift shift_right _mm256_srli_epi32;
        shift shift_signed _mm256_srai_epi32;
        floats add_floats _mm256_add_ps;
        floats sub_floats _mm256_sub_ps;
        floats mul_floats _mm256_mul_ps;
        floats div_floats _mm256_div_ps;
        floats min_floats _mm256_min_ps;
        floats max_floats _mm256_max_ps;
        floats more_floats _mm256_cmp_ps::<_CMP_GT_OQ>;
        floats equal_floats _mm256_cmp_ps::<_CMP_EQ_OQ>;
        floats ordered _mm256_cmp_ps::<_CMP_ORD_Q>;
    }

    #[inline(always)]
    fn shift_left_by(self, bits: u32) -> Self {
        // SAFETY: as above. A shift by a vector takes one operation, by a single number two.
        Self(unsafe { _mm256_sllv_epi32(self.0, Self::splat(bits).0) })
    }

    #[inline(always)]
    fn where_set(self, mask: Self, other: Self) -> Self {
        // SAFETY: as above.
        Self(unsafe { _mm256_blendv_epi8(other.0, self.0, mask.0) })
    }

    #[inline(always)]
    fn mul_add_floats(self, factor: Self, other: Self) -> Self {
        let [one, two, three] = [self.0, factor.0, other.0];
        // SAFETY: as above.
        Self(unsafe {
            _mm256_castps_si256(_mm256_fmadd_ps(
                _mm256_castsi256_ps(one),
                _mm256_castsi256_ps(two),
                _mm256_castsi256_ps(three),
            ))
        })
    }

    #[inline(always)]
    fn blend_over_255(self, other: Self, weights: Self) -> Self {
        // SAFETY: as above.
        unsafe {
            let [one, other] = [_mm256_castsi256_ps(self.0), _mm256_castsi256_ps(other.0)];
            let low = [_mm256_castps256_ps128(one), _mm256_castps256_ps128(other)];
            let high = [_mm256_extractf128_ps::<1>(one), _mm256_extractf128_ps::<1>(other)];
            let low = blend_four(low, _mm256_castsi256_si128(weights.0));
            let high = blend_four(high, _mm256_extracti128_si256::<1>(weights.0));
            Self(_mm256_castps_si256(_mm256_set_m128(high, low)))
        }
    }

    #[inline(always)]
    fn sqrt(self) -> Self {
        // SAFETY: as above.
        Self(unsafe { _mm256_castps_si256(_mm256_sqrt_ps(_mm256_castsi256_ps(self.0))) })
    }

    #[inline(always)]
    fn floor(self) -> Self {
        // SAFETY: as above.
        Self(unsafe { _mm256_castps_si256(_mm256_floor_ps(_mm256_castsi256_ps(self.0))) })
    }

    #[inline(always)]
    fn trunc(self) -> Self {
        const TO_ZERO: i32 = _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC;
        // SAFETY: as above.
        Self(unsafe { _mm256_castps_si256(_mm256_round_ps::<TO_ZERO>(_mm256_castsi256_ps(self.0))) })
    }

    #[inline(always)]
    fn to_int(self) -> Self {
        // SAFETY: as above.
        Self(unsafe { _mm256_cvtps_epi32(_mm256_castsi256_ps(self.0)) })
    }

    #[inline(always)]
    fn to_float(self) -> Self {
        // SAFETY: as above.
        Self(unsafe { _mm256_castps_si256(_mm256_cvtepi32_ps(self.0)) })
    }
}
