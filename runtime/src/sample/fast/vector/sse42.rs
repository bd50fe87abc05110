//! Eight lanes with SSE4.2, in two parts.

#![allow(unsafe_code)]

use std::arch::x86_64::*;

use brolga_ir::float::NAN_F32;

use super::Vector;

/// For processors with SSE4.2.
#[derive(Clone, Copy)]
pub(in super::super) struct Sse42([__m128i; 2]);

/// As the intrinsics want them.
#[inline(always)]
pub(super) fn signed(&[a, b, c, d, e, f, g, h]: &[u32; 8]) -> [i32; 8] {
    [a as i32, b as i32, c as i32, d as i32, e as i32, f as i32, g as i32, h as i32]
}

#[inline(always)]
pub(super) fn signed_pairs(&[a, b, c, d, e, f, g, h]: &[u64; 8]) -> [i64; 8] {
    [a as i64, b as i64, c as i64, d as i64, e as i64, f as i64, g as i64, h as i64]
}

/// The numbers of 16-bit floats.
#[inline(always)]
fn from_halves<V: Vector>(halves: V) -> V {
    let magnitude = halves.and(V::splat(0x7fff));
    let normal = magnitude.shift_left::<13>().add(V::splat(0x3800_0000));
    // A multiple of 2^-24, exact.
    let denormal = magnitude.to_float().mul_floats(V::splat_float(1.0 / (1 << 24) as f32));
    let finite = denormal.where_set(V::splat(0x0400).more(magnitude), normal);
    let infinity = V::splat(0x7c00);
    let number = finite.where_set(infinity.more(magnitude), V::splat(0x7f80_0000));
    let signed = number.or(halves.and(V::splat(0x8000)).shift_left::<16>());
    V::splat(NAN_F32).where_set(magnitude.more(infinity), signed)
}

/// Operations that are one instruction for each part.
macro_rules! operations {
    ($(whole $name:ident $whole:ident;)* $(shift $shift:ident $shifted:ident;)* $(floats $float:ident $floats:ident;)*) => {
        $(#[inline(always)]
        fn $name(self, other: Self) -> Self {
            // SAFETY: the processor has SSE4.2 (`mod.rs`).
            Self(unsafe { [$whole(self.0[0], other.0[0]), $whole(self.0[1], other.0[1])] })
        })*

        $(#[inline(always)]
        fn $shift<const BITS: i32>(self) -> Self {
            // SAFETY: as above.
            Self(unsafe { [$shifted::<BITS>(self.0[0]), $shifted::<BITS>(self.0[1])] })
        })*

        $(#[inline(always)]
        fn $float(self, other: Self) -> Self {
            let ([one, two], [three, four]) = (self.floats(), other.floats());
            // SAFETY: as above.
            Self::of_floats(unsafe { [$floats(one, three), $floats(two, four)] })
        })*
    };
}

impl Vector for Sse42 {
    const LANES: usize = 8;
    type Lanes<T: Copy> = [T; 8];

    #[inline(always)]
    fn splat(bits: u32) -> Self {
        // SAFETY: the processor has SSE4.2 (`mod.rs`).
        Self([unsafe { _mm_set1_epi32(bits as i32) }; 2])
    }

    #[inline(always)]
    fn load(lanes: &[u32; 8]) -> Self {
        let [a, b, c, d, e, f, g, h] = signed(lanes);
        // SAFETY: as above.
        Self(unsafe { [_mm_setr_epi32(a, b, c, d), _mm_setr_epi32(e, f, g, h)] })
    }

    #[inline(always)]
    fn load_pairs(pairs: &[u64; 8]) -> [Self; 2] {
        let [a, b, c, d, e, f, g, h] = signed_pairs(pairs);
        // SAFETY: as above.
        unsafe {
            let [a, b] = [_mm_castsi128_ps(_mm_set_epi64x(b, a)), _mm_castsi128_ps(_mm_set_epi64x(d, c))];
            let [c, d] = [_mm_castsi128_ps(_mm_set_epi64x(f, e)), _mm_castsi128_ps(_mm_set_epi64x(h, g))];
            [
                Self::of_floats([_mm_shuffle_ps::<0x88>(a, b), _mm_shuffle_ps::<0x88>(c, d)]),
                Self::of_floats([_mm_shuffle_ps::<0xdd>(a, b), _mm_shuffle_ps::<0xdd>(c, d)]),
            ]
        }
    }

    #[inline(always)]
    fn load_halves(texels: &[u64; 8]) -> [Self; 4] {
        let [first, second] = Self::load_pairs(texels);
        let low = Self::splat(0xffff);
        [
            from_halves(first.and(low)),
            from_halves(first.shift_right::<16>()),
            from_halves(second.and(low)),
            from_halves(second.shift_right::<16>()),
        ]
    }

    #[inline(always)]
    fn store(self) -> [u32; 8] {
        let mut lanes = [0; 8];
        // SAFETY: as above, and there is room for two vectors.
        unsafe {
            _mm_storeu_si128(lanes.as_mut_ptr().cast(), self.0[0]);
            _mm_storeu_si128(lanes.as_mut_ptr().add(4).cast(), self.0[1]);
        }
        lanes
    }

    #[inline(always)]
    fn signs(self) -> u32 {
        let [one, two] = self.floats();
        // SAFETY: as above.
        unsafe { (_mm_movemask_ps(one) | _mm_movemask_ps(two) << 4) as u32 }
    }

    operations! {
        whole add _mm_add_epi32;
        whole sub _mm_sub_epi32;
        whole mul _mm_mullo_epi32;
        whole mul_halves _mm_mullo_epi16;
        whole and _mm_and_si128;
        whole or _mm_or_si128;
        whole xor _mm_xor_si128;
        whole clear _mm_andnot_si128;
        whole min _mm_min_epi32;
        whole max _mm_max_epi32;
        whole more _mm_cmpgt_epi32;
        whole equal _mm_cmpeq_epi32;
        shift shift_left _mm_slli_epi32;
        shift shift_right _mm_srli_epi32;
        shift shift_signed _mm_srai_epi32;
        floats add_floats _mm_add_ps;
        floats sub_floats _mm_sub_ps;
        floats mul_floats _mm_mul_ps;
        floats div_floats _mm_div_ps;
        floats min_floats _mm_min_ps;
        floats max_floats _mm_max_ps;
        floats more_floats _mm_cmpgt_ps;
        floats equal_floats _mm_cmpeq_ps;
        floats ordered _mm_cmpord_ps;
    }

    #[inline(always)]
    fn where_set(self, mask: Self, other: Self) -> Self {
        let ([one, two], [three, four], [mask_one, mask_two]) = (other.0, self.0, mask.0);
        // SAFETY: as above.
        Self(unsafe { [_mm_blendv_epi8(one, three, mask_one), _mm_blendv_epi8(two, four, mask_two)] })
    }

    #[inline(always)]
    fn mul_add_floats(self, factor: Self, other: Self) -> Self {
        self.mul_floats(factor).add_floats(other)
    }

    /// Without fused operations: the remainder of a first quotient, which is within a few ulps, is exact.
    #[inline(always)]
    fn over_255(self) -> Self {
        let inverse = Self::splat_float(1.0 / 255.0);
        let quotient = self.mul_floats(inverse);
        // By Sterbenz's lemma both differences are exact.
        let rest = self.sub_floats(quotient.mul_floats(Self::splat_float(256.0))).add_floats(quotient);
        rest.mul_floats(inverse).add_floats(quotient)
    }

    #[inline(always)]
    fn sqrt(self) -> Self {
        let [one, two] = self.floats();
        // SAFETY: as above.
        Self::of_floats(unsafe { [_mm_sqrt_ps(one), _mm_sqrt_ps(two)] })
    }

    #[inline(always)]
    fn floor(self) -> Self {
        let [one, two] = self.floats();
        // SAFETY: as above.
        Self::of_floats(unsafe { [_mm_floor_ps(one), _mm_floor_ps(two)] })
    }

    #[inline(always)]
    fn trunc(self) -> Self {
        const TO_ZERO: i32 = _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC;
        let [one, two] = self.floats();
        // SAFETY: as above.
        Self::of_floats(unsafe { [_mm_round_ps::<TO_ZERO>(one), _mm_round_ps::<TO_ZERO>(two)] })
    }

    #[inline(always)]
    fn to_int(self) -> Self {
        let [one, two] = self.floats();
        // SAFETY: as above.
        Self(unsafe { [_mm_cvtps_epi32(one), _mm_cvtps_epi32(two)] })
    }

    #[inline(always)]
    fn to_float(self) -> Self {
        // SAFETY: as above.
        Self::of_floats(unsafe { [_mm_cvtepi32_ps(self.0[0]), _mm_cvtepi32_ps(self.0[1])] })
    }
}

impl Sse42 {
    #[inline(always)]
    fn floats(self) -> [__m128; 2] {
        // SAFETY: as above.
        unsafe { [_mm_castsi128_ps(self.0[0]), _mm_castsi128_ps(self.0[1])] }
    }

    #[inline(always)]
    fn of_floats([one, two]: [__m128; 2]) -> Self {
        // SAFETY: as above.
        Self(unsafe { [_mm_castps_si128(one), _mm_castps_si128(two)] })
    }
}
