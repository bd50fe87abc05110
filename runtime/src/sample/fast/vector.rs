//! Eight lanes of 32 bits: the few operations that the fast paths need, with AVX2, FMA and F16C and with SSE4.2,
//! bit-identical.
//!
//! A vector holds integers or floats; each operation says which it takes. Everything is inlined into the functions
//! compiled for these instruction sets (`fast/mod.rs`), which alone make vectors; the unsafe blocks rely on this.
//! Closures would not be inlined there, and would be slow: there are none. Floats round to nearest.

#![allow(unsafe_code)]

use std::arch::asm;
use std::arch::x86_64::*;

use brolga_ir::float::NAN_F32;

use super::{LANES, Lanes};

/// Eight lanes.
pub(super) trait Vector: Copy {
    fn splat(bits: u32) -> Self;
    fn load(lanes: &Lanes<u32>) -> Self;

    /// The same for lanes that compiled code has just written, in pieces of 16 bytes: reads of that size hit store
    /// forwarding, without which they take several times as long.
    #[inline(always)]
    fn load_written(lanes: &Lanes<u32>) -> Self {
        Self::load(lanes)
    }

    /// The low halves, and the high ones.
    fn load_pairs(pairs: &Lanes<u64>) -> [Self; 2];

    /// The numbers of four 16-bit floats in each lane. A NaN is some NaN.
    fn load_halves(texels: &Lanes<u64>) -> [Self; 4];

    #[inline(always)]
    fn splat_float(number: f32) -> Self {
        Self::splat(number.to_bits())
    }

    fn store(self) -> Lanes<u32>;

    /// The same for lanes that are used one by one, as addresses: from memory they come several at once, while moving one of them
    /// out of a vector occupies the only way there is.
    #[inline(always)]
    fn store_apart(self) -> Lanes<u32> {
        let stored = self.store();
        let mut lanes = [0; LANES];
        for (lane, stored) in lanes.iter_mut().zip(&stored) {
            // SAFETY: a word of the array, which is written. Volatile, so that it is read from memory.
            *lane = unsafe { std::ptr::read_volatile(stored) };
        }
        lanes
    }

    fn add(self, other: Self) -> Self;
    fn sub(self, other: Self) -> Self;
    /// The low 32 bits.
    fn mul(self, other: Self) -> Self;
    /// Multiplies the halves of each lane separately, keeping the low 16 bits.
    fn mul_halves(self, other: Self) -> Self;
    fn and(self, other: Self) -> Self;
    fn or(self, other: Self) -> Self;
    fn xor(self, other: Self) -> Self;
    /// `other` where `self` is zeros.
    fn clear(self, other: Self) -> Self;
    /// The sign of each lane, the first one in the lowest bit.
    fn signs(self) -> u32;

    /// Whether every bit is one.
    #[inline(always)]
    fn is_ones(self) -> bool {
        self.equal(Self::splat(u32::MAX)).signs() == 0xff
    }

    /// Zero for denormals.
    #[inline(always)]
    fn flush(self) -> Self {
        let magnitude = self.and(Self::splat(i32::MAX as u32));
        // As integers: some float modes take denormals for zeros.
        Self::splat(f32::MIN_POSITIVE.to_bits()).more(magnitude).clear(self)
    }

    /// Signed.
    fn min(self, other: Self) -> Self;
    /// Signed.
    fn max(self, other: Self) -> Self;
    /// Ones where `self` is more, signed.
    fn more(self, other: Self) -> Self;
    fn equal(self, other: Self) -> Self;
    fn shift_left<const BITS: i32>(self) -> Self;
    fn shift_right<const BITS: i32>(self) -> Self;
    /// Arithmetic.
    fn shift_signed<const BITS: i32>(self) -> Self;
    /// `self` where a mask has ones, else `other`.
    fn where_set(self, mask: Self, other: Self) -> Self;

    fn add_floats(self, other: Self) -> Self;
    fn sub_floats(self, other: Self) -> Self;
    fn mul_floats(self, other: Self) -> Self;
    fn div_floats(self, other: Self) -> Self;
    /// `self` times `factor` plus `other`, rounded once or twice: for exact sums, or where both give the same.
    fn mul_add_floats(self, factor: Self, other: Self) -> Self;
    /// `self` minus 255 times `quotient`, which is close to `self` / 255: exact.
    fn less_255_times(self, quotient: Self) -> Self;
    /// `other` if one is NaN.
    fn min_floats(self, other: Self) -> Self;
    /// `other` if one is NaN.
    fn max_floats(self, other: Self) -> Self;
    /// Ones where `self` is more; nothing is more than NaN.
    fn more_floats(self, other: Self) -> Self;
    /// Ones where both are the same number; zeros have the same.
    fn equal_floats(self, other: Self) -> Self;
    /// Ones where neither is NaN.
    fn ordered(self, other: Self) -> Self;
    fn sqrt(self) -> Self;
    fn floor(self) -> Self;
    fn trunc(self) -> Self;
    /// The nearest integer, ties to even, of floats in range.
    fn to_int(self) -> Self;
    fn to_float(self) -> Self;
}

#[inline(always)]
fn signed(&[a, b, c, d, e, f, g, h]: &Lanes<u32>) -> Lanes<i32> {
    [a as i32, b as i32, c as i32, d as i32, e as i32, f as i32, g as i32, h as i32]
}

#[inline(always)]
fn signed_pairs(&[a, b, c, d, e, f, g, h]: &Lanes<u64>) -> Lanes<i64> {
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

/// For processors with AVX2, FMA and F16C.
#[derive(Clone, Copy)]
pub(super) struct Avx2(__m256i);

/// For processors with SSE4.2.
#[derive(Clone, Copy)]
pub(super) struct Sse42([__m128i; 2]);

macro_rules! vectors {
    (
        $(whole $name:ident $wide:ident $narrow:ident;)*
        $(shift $shift:ident $shift_wide:ident $shift_narrow:ident;)*
        $(floats $float:ident $float_wide:path, $float_narrow:ident;)*
    ) => {
        impl Vector for Avx2 {
            #[inline(always)]
            fn splat(bits: u32) -> Self {
                // SAFETY: the processor has AVX2 (see above).
                Self(unsafe { _mm256_set1_epi32(bits as i32) })
            }

            #[inline(always)]
            fn load(lanes: &Lanes<u32>) -> Self {
                let [a, b, c, d, e, f, g, h] = signed(lanes);
                // SAFETY: as above.
                Self(unsafe { _mm256_setr_epi32(a, b, c, d, e, f, g, h) })
            }

            #[inline(always)]
            fn load_written(lanes: &Lanes<u32>) -> Self {
                let mut high = lanes[4..].as_ptr().cast();
                // SAFETY: as above; both reads are inside the lanes. The empty `asm!` hides that the second follows the
                // first; the compiler would merge them into one read.
                Self(unsafe {
                    asm!("/* {} */", inout(reg) high, options(pure, readonly, nostack, preserves_flags));
                    let low = _mm_loadu_si128(lanes.as_ptr().cast());
                    _mm256_inserti128_si256::<1>(_mm256_castsi128_si256(low), _mm_loadu_si128(high))
                })
            }

            #[inline(always)]
            fn load_pairs(pairs: &Lanes<u64>) -> [Self; 2] {
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
            fn load_halves(texels: &Lanes<u64>) -> [Self; 4] {
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
            fn store(self) -> Lanes<u32> {
                let mut lanes = [0; LANES];
                // SAFETY: as above, and there is room for a vector.
                unsafe { _mm256_storeu_si256(lanes.as_mut_ptr().cast(), self.0) };
                lanes
            }

            #[inline(always)]
            fn signs(self) -> u32 {
                // SAFETY: as above.
                unsafe { _mm256_movemask_ps(_mm256_castsi256_ps(self.0)) as u32 }
            }

            $(#[inline(always)]
            fn $name(self, other: Self) -> Self {
                // SAFETY: as above.
                Self(unsafe { $wide(self.0, other.0) })
            })*

            $(#[inline(always)]
            fn $shift<const BITS: i32>(self) -> Self {
                // SAFETY: as above.
                Self(unsafe { $shift_wide::<BITS>(self.0) })
            })*

            $(#[inline(always)]
            fn $float(self, other: Self) -> Self {
                // SAFETY: as above.
                Self(unsafe {
                    _mm256_castps_si256($float_wide(_mm256_castsi256_ps(self.0), _mm256_castsi256_ps(other.0)))
                })
            })*

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
            fn less_255_times(self, quotient: Self) -> Self {
                quotient.mul_add_floats(Self::splat_float(-255.0), self)
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

        impl Vector for Sse42 {
            #[inline(always)]
            fn splat(bits: u32) -> Self {
                // SAFETY: the processor has SSE4.2 (see above).
                Self([unsafe { _mm_set1_epi32(bits as i32) }; 2])
            }

            #[inline(always)]
            fn load(lanes: &Lanes<u32>) -> Self {
                let [a, b, c, d, e, f, g, h] = signed(lanes);
                // SAFETY: as above.
                Self(unsafe { [_mm_setr_epi32(a, b, c, d), _mm_setr_epi32(e, f, g, h)] })
            }

            #[inline(always)]
            fn load_pairs(pairs: &Lanes<u64>) -> [Self; 2] {
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
            fn load_halves(texels: &Lanes<u64>) -> [Self; 4] {
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
            fn store(self) -> Lanes<u32> {
                let mut lanes = [0; LANES];
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

            $(#[inline(always)]
            fn $name(self, other: Self) -> Self {
                // SAFETY: as above.
                Self(unsafe { [$narrow(self.0[0], other.0[0]), $narrow(self.0[1], other.0[1])] })
            })*

            $(#[inline(always)]
            fn $shift<const BITS: i32>(self) -> Self {
                // SAFETY: as above.
                Self(unsafe { [$shift_narrow::<BITS>(self.0[0]), $shift_narrow::<BITS>(self.0[1])] })
            })*

            $(#[inline(always)]
            fn $float(self, other: Self) -> Self {
                let ([one, two], [three, four]) = (self.floats(), other.floats());
                // SAFETY: as above.
                Self::of_floats(unsafe { [$float_narrow(one, three), $float_narrow(two, four)] })
            })*

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

            #[inline(always)]
            fn less_255_times(self, quotient: Self) -> Self {
                // By Sterbenz's lemma both differences are exact.
                self.sub_floats(quotient.mul_floats(Self::splat_float(256.0))).add_floats(quotient)
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
    };
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

vectors! {
    whole add _mm256_add_epi32 _mm_add_epi32;
    whole sub _mm256_sub_epi32 _mm_sub_epi32;
    whole mul _mm256_mullo_epi32 _mm_mullo_epi32;
    whole mul_halves _mm256_mullo_epi16 _mm_mullo_epi16;
    whole and _mm256_and_si256 _mm_and_si128;
    whole or _mm256_or_si256 _mm_or_si128;
    whole xor _mm256_xor_si256 _mm_xor_si128;
    whole clear _mm256_andnot_si256 _mm_andnot_si128;
    whole min _mm256_min_epi32 _mm_min_epi32;
    whole max _mm256_max_epi32 _mm_max_epi32;
    whole more _mm256_cmpgt_epi32 _mm_cmpgt_epi32;
    whole equal _mm256_cmpeq_epi32 _mm_cmpeq_epi32;
    shift shift_left _mm256_slli_epi32 _mm_slli_epi32;
    shift shift_right _mm256_srli_epi32 _mm_srli_epi32;
    shift shift_signed _mm256_srai_epi32 _mm_srai_epi32;
    floats add_floats _mm256_add_ps, _mm_add_ps;
    floats sub_floats _mm256_sub_ps, _mm_sub_ps;
    floats mul_floats _mm256_mul_ps, _mm_mul_ps;
    floats div_floats _mm256_div_ps, _mm_div_ps;
    floats min_floats _mm256_min_ps, _mm_min_ps;
    floats max_floats _mm256_max_ps, _mm_max_ps;
    floats more_floats _mm256_cmp_ps::<_CMP_GT_OQ>, _mm_cmpgt_ps;
    floats equal_floats _mm256_cmp_ps::<_CMP_EQ_OQ>, _mm_cmpeq_ps;
    floats ordered _mm256_cmp_ps::<_CMP_ORD_Q>, _mm_cmpord_ps;
}
