//! Implements vectors of eight lanes with AVX2, FMA and F16C.

#![allow(unsafe_code)]

use std::arch::x86_64::*;

use super::{Unit, Vector, apart, lane_in_memory};

/// Eight lanes, for processors with AVX2, FMA and F16C.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub(in super::super) struct Avx2(pub(super) __m256i);

/// Reinterprets lanes as the signed integers that intrinsics take.
#[inline(always)]
fn signed(&[a, b, c, d, e, f, g, h]: &[u32; 8]) -> [i32; 8] {
    [a as i32, b as i32, c as i32, d as i32, e as i32, f as i32, g as i32, h as i32]
}

/// Two texels of 16 bytes, one in each half.
///
/// # Safety
///
/// The processor has AVX2, and the texels are there.
#[inline(always)]
unsafe fn two_fours(base: *const u8, low: u32, high: u32) -> __m256i {
    // SAFETY: the processor has AVX2 (`mod.rs`); where something is read, it is there.
    unsafe { _mm256_loadu2_m128i(base.add(high as usize).cast(), base.add(low as usize).cast()) }
}

impl Avx2 {
    /// Two words of each of the first four lanes, and of the others.
    ///
    /// # Safety
    ///
    /// The processor has AVX2, and the words are there.
    #[inline(always)]
    unsafe fn gather_pairs(base: *const u8, offsets: &Self) -> [__m256i; 2] {
        // SAFETY: the processor has AVX2 (`mod.rs`); where something is read, it is there.
        unsafe {
            [
                _mm256_i32gather_epi64::<1>(base.cast(), _mm256_castsi256_si128(offsets.0)),
                _mm256_i32gather_epi64::<1>(base.cast(), _mm256_extracti128_si256::<1>(offsets.0)),
            ]
        }
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
            // SAFETY: the processor has AVX2 (`mod.rs`); where something is read, it is there.
            Self(unsafe { $shifted::<BITS>(self.0) })
        })*

        $(#[inline(always)]
        fn $float(self, other: Self) -> Self {
            // SAFETY: the processor has AVX2 (`mod.rs`); where something is read, it is there.
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
        // SAFETY: the processor has AVX2 (`mod.rs`); where something is read, it is there.
        Self(unsafe { _mm256_setr_epi32(a, b, c, d, e, f, g, h) })
    }

    #[inline(always)]
    fn load_written(lanes: &[u32; 8]) -> Self {
        // SAFETY: the processor has AVX2 (`mod.rs`); both reads are inside the lanes.
        Self(unsafe {
            let low = _mm_loadu_si128(lanes.as_ptr().cast());
            let high = _mm_loadu_si128(apart(lanes.as_ptr().add(4)).cast());
            _mm256_inserti128_si256::<1>(_mm256_castsi128_si256(low), high)
        })
    }

    #[inline(always)]
    unsafe fn bytes_at(base: *const u8, offsets: &Self) -> Self {
        let mut words = [0; 8];
        for (lane, word) in words.iter_mut().enumerate() {
            // SAFETY: the caller promises that the byte is there.
            *word = unsafe { base.add(lane_in_memory(offsets, lane) as usize).read() }.into();
        }
        Self::load(&words)
    }

    #[inline(always)]
    unsafe fn shorts_at(base: *const u8, offsets: &Self) -> Self {
        let mut words = [0; 8];
        for (lane, word) in words.iter_mut().enumerate() {
            // SAFETY: the caller promises that the bytes are there.
            *word = unsafe { base.add(lane_in_memory(offsets, lane) as usize).cast::<u16>().read_unaligned() }.into();
        }
        Self::load(&words)
    }

    #[inline(always)]
    unsafe fn around_at(base: *const u8, offsets: &Self) -> Self {
        let three = Self::splat(3);
        // SAFETY: the caller promises that the words are there, and the processor has AVX2.
        unsafe {
            let words = Self::words_at(base, &three.clear(*offsets));
            let bits = offsets.and(three).shift_left::<3>();
            Self(_mm256_srlv_epi32(words.0, bits.0))
        }
    }

    #[inline(always)]
    unsafe fn words_at(base: *const u8, offsets: &Self) -> Self {
        // SAFETY: the processor has AVX2 (`mod.rs`); the words are there, as the caller says.
        Self(unsafe { _mm256_i32gather_epi32::<1>(base.cast(), offsets.0) })
    }

    #[inline(always)]
    unsafe fn pairs_at(base: *const u8, offsets: &Self) -> [Self; 2] {
        // SAFETY: the processor has AVX2 (`mod.rs`); where something is read, it is there.
        unsafe {
            let [abcd, efgh] = Self::gather_pairs(base, offsets);
            let first = _mm256_castsi256_ps(_mm256_permute2x128_si256::<0x20>(abcd, efgh));
            let second = _mm256_castsi256_ps(_mm256_permute2x128_si256::<0x31>(abcd, efgh));
            let low = _mm256_shuffle_ps::<0x88>(first, second);
            let high = _mm256_shuffle_ps::<0xdd>(first, second);
            [Self(_mm256_castps_si256(low)), Self(_mm256_castps_si256(high))]
        }
    }

    #[inline(always)]
    unsafe fn fours_at(base: *const u8, offsets: &Self) -> [Self; 4] {
        // SAFETY: the processor has AVX2 (`mod.rs`); where something is read, it is there.
        unsafe {
            let a = two_fours(base, lane_in_memory(offsets, 0), lane_in_memory(offsets, 4));
            let b = two_fours(base, lane_in_memory(offsets, 1), lane_in_memory(offsets, 5));
            let c = two_fours(base, lane_in_memory(offsets, 2), lane_in_memory(offsets, 6));
            let d = two_fours(base, lane_in_memory(offsets, 3), lane_in_memory(offsets, 7));
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
    unsafe fn halves_at(base: *const u8, offsets: &Self) -> [Self; 4] {
        // SAFETY: the processor has AVX2 and F16C (`mod.rs`); what is read is there, as the caller says.
        unsafe {
            let [abcd, efgh] = Self::gather_pairs(base, offsets);
            // Red of a, c, e, g... side by side: two lanes of 128 bits at once.
            let first = _mm256_permute2x128_si256::<0x20>(abcd, efgh);
            let second = _mm256_permute2x128_si256::<0x31>(abcd, efgh);
            let [even, odd] = [_mm256_unpacklo_epi16(first, second), _mm256_unpackhi_epi16(first, second)];
            // Red of a, b, c, d, then green; of e to h in the upper half.
            let [red_green, blue_alpha] = [_mm256_unpacklo_epi16(even, odd), _mm256_unpackhi_epi16(even, odd)];
            let [red_green, blue_alpha] =
                [_mm256_permute4x64_epi64::<0xd8>(red_green), _mm256_permute4x64_epi64::<0xd8>(blue_alpha)];
            [
                Self(_mm256_castps_si256(_mm256_cvtph_ps(_mm256_castsi256_si128(red_green)))),
                Self(_mm256_castps_si256(_mm256_cvtph_ps(_mm256_extracti128_si256::<1>(red_green)))),
                Self(_mm256_castps_si256(_mm256_cvtph_ps(_mm256_castsi256_si128(blue_alpha)))),
                Self(_mm256_castps_si256(_mm256_cvtph_ps(_mm256_extracti128_si256::<1>(blue_alpha)))),
            ]
        }
    }

    #[inline(always)]
    fn to_floats_of_halves(self) -> Self {
        // SAFETY: the processor has AVX2 (`mod.rs`); where something is read, it is there.
        unsafe {
            let packed = _mm256_permute4x64_epi64::<0x08>(_mm256_packus_epi32(self.0, self.0));
            Self(_mm256_castps_si256(_mm256_cvtph_ps(_mm256_castsi256_si128(packed))))
        }
    }

    #[inline(always)]
    fn store(self) -> [u32; 8] {
        let mut lanes = [0; 8];
        // SAFETY: the processor has AVX2 (`mod.rs`), and there is room for a vector.
        unsafe { _mm256_storeu_si256(lanes.as_mut_ptr().cast(), self.0) };
        lanes
    }

    #[inline(always)]
    fn signs(self) -> u32 {
        // SAFETY: the processor has AVX2 (`mod.rs`); where something is read, it is there.
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
        // SAFETY: the processor has AVX2 (`mod.rs`). A shift by a vector takes one operation, by a single number two.
        Self(unsafe { _mm256_sllv_epi32(self.0, Self::splat(bits).0) })
    }

    #[inline(always)]
    fn shift_right_by(self, bits: u32) -> Self {
        // SAFETY: the processor has AVX2 (`mod.rs`); where something is read, it is there.
        Self(unsafe { _mm256_srlv_epi32(self.0, Self::splat(bits).0) })
    }

    #[inline(always)]
    fn shift_signed_by(self, bits: u32) -> Self {
        // SAFETY: the processor has AVX2 (`mod.rs`); where something is read, it is there.
        Self(unsafe { _mm256_srav_epi32(self.0, Self::splat(bits).0) })
    }

    #[inline(always)]
    fn where_set(self, mask: Self, other: Self) -> Self {
        // SAFETY: the processor has AVX2 (`mod.rs`); where something is read, it is there.
        Self(unsafe { _mm256_blendv_epi8(other.0, self.0, mask.0) })
    }

    #[inline(always)]
    fn mul_add_floats(self, factor: Self, other: Self) -> Self {
        let [one, two, three] = [self.0, factor.0, other.0];
        // SAFETY: the processor has AVX2 (`mod.rs`); where something is read, it is there.
        Self(unsafe {
            _mm256_castps_si256(_mm256_fmadd_ps(
                _mm256_castsi256_ps(one),
                _mm256_castsi256_ps(two),
                _mm256_castsi256_ps(three),
            ))
        })
    }

    #[inline(always)]
    fn over(self, unit: &Unit) -> Self {
        if !unit.is_small {
            return self.div_floats(Self::splat_float(unit.number));
        }
        let rest = self.mul_floats(Self::splat_float(unit.rest));
        self.mul_add_floats(Self::splat_float(unit.inverse), rest)
    }

    #[inline(always)]
    fn sqrt(self) -> Self {
        // SAFETY: the processor has AVX2 (`mod.rs`); where something is read, it is there.
        Self(unsafe { _mm256_castps_si256(_mm256_sqrt_ps(_mm256_castsi256_ps(self.0))) })
    }

    #[inline(always)]
    fn floor(self) -> Self {
        // SAFETY: the processor has AVX2 (`mod.rs`); where something is read, it is there.
        Self(unsafe { _mm256_castps_si256(_mm256_floor_ps(_mm256_castsi256_ps(self.0))) })
    }

    #[inline(always)]
    fn trunc(self) -> Self {
        const TO_ZERO: i32 = _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC;
        // SAFETY: the processor has AVX2 (`mod.rs`); where something is read, it is there.
        Self(unsafe { _mm256_castps_si256(_mm256_round_ps::<TO_ZERO>(_mm256_castsi256_ps(self.0))) })
    }

    #[inline(always)]
    fn to_int(self) -> Self {
        // SAFETY: the processor has AVX2 (`mod.rs`); where something is read, it is there.
        Self(unsafe { _mm256_cvtps_epi32(_mm256_castsi256_ps(self.0)) })
    }

    #[inline(always)]
    fn to_float(self) -> Self {
        // SAFETY: the processor has AVX2 (`mod.rs`); where something is read, it is there.
        Self(unsafe { _mm256_castps_si256(_mm256_cvtepi32_ps(self.0)) })
    }
}
