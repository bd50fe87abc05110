//! Implements vectors of four lanes with SSE4.2.

#![allow(unsafe_code)]

use std::arch::x86_64::*;

use brolga_ir::float::NAN_F32;

use super::{Unit, Vector, lane_in_memory};

/// Four lanes, for processors with SSE4.2.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub(in super::super) struct Sse42(__m128i);

/// Converts 16-bit floats to 32-bit ones.
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

/// Operations that are one instruction.
macro_rules! operations {
    ($(whole $name:ident $whole:ident;)* $(shift $shift:ident $shifted:ident;)* $(floats $float:ident $floats:ident;)*) => {
        $(#[inline(always)]
        fn $name(self, other: Self) -> Self {
            // SAFETY: the processor has SSE4.2 (`mod.rs`).
            Self(unsafe { $whole(self.0, other.0) })
        })*

        $(#[inline(always)]
        fn $shift<const BITS: i32>(self) -> Self {
            // SAFETY: the processor has SSE4.2 (`mod.rs`).
            Self(unsafe { $shifted::<BITS>(self.0) })
        })*

        $(#[inline(always)]
        fn $float(self, other: Self) -> Self {
            // SAFETY: the processor has SSE4.2 (`mod.rs`).
            Self::of_floats(unsafe { $floats(self.floats(), other.floats()) })
        })*
    };
}

// SAFETY: the only field is its lanes.
unsafe impl Vector for Sse42 {
    const LANES: usize = 4;
    type Lanes<T: Copy> = [T; 4];

    #[inline(always)]
    fn splat(bits: u32) -> Self {
        // SAFETY: the processor has SSE4.2 (`mod.rs`).
        Self(unsafe { _mm_set1_epi32(bits as i32) })
    }

    #[inline(always)]
    fn load(&[a, b, c, d]: &[u32; 4]) -> Self {
        // SAFETY: the processor has SSE4.2 (`mod.rs`).
        Self(unsafe { _mm_setr_epi32(a as i32, b as i32, c as i32, d as i32) })
    }

    #[inline(always)]
    unsafe fn bytes_at(base: *const u8, offsets: &Self) -> Self {
        let mut words = [0; 4];
        for (lane, word) in words.iter_mut().enumerate() {
            // SAFETY: the caller promises that the byte is there.
            *word = unsafe { base.add(lane_in_memory(offsets, lane) as usize).read() }.into();
        }
        Self::load(&words)
    }

    #[inline(always)]
    unsafe fn shorts_at(base: *const u8, offsets: &Self) -> Self {
        let mut words = [0; 4];
        for (lane, word) in words.iter_mut().enumerate() {
            // SAFETY: the caller promises that the bytes are there.
            *word = unsafe { base.add(lane_in_memory(offsets, lane) as usize).cast::<u16>().read_unaligned() }.into();
        }
        Self::load(&words)
    }

    #[inline(always)]
    unsafe fn around_at(base: *const u8, offsets: &Self) -> Self {
        let mut words = [0; 4];
        for (lane, word) in words.iter_mut().enumerate() {
            let offset = lane_in_memory(offsets, lane) as usize;
            // SAFETY: the caller promises that the word is there.
            *word = unsafe { base.add(offset & !3).cast::<u32>().read_unaligned() } >> (offset % 4 * 8);
        }
        Self::load(&words)
    }

    #[inline(always)]
    unsafe fn words_at(base: *const u8, offsets: &Self) -> Self {
        let mut words = [0; 4];
        for (lane, word) in words.iter_mut().enumerate() {
            // SAFETY: the caller promises that the word is there.
            *word = unsafe { base.add(lane_in_memory(offsets, lane) as usize).cast::<u32>().read_unaligned() };
        }
        Self::load(&words)
    }

    #[inline(always)]
    unsafe fn pairs_at(base: *const u8, offsets: &Self) -> [Self; 2] {
        let mut pairs = [0; 4];
        for (lane, pair) in pairs.iter_mut().enumerate() {
            // SAFETY: the caller promises that the words are there.
            *pair = unsafe { base.add(lane_in_memory(offsets, lane) as usize).cast::<i64>().read_unaligned() };
        }
        let [a, b, c, d] = pairs;
        // SAFETY: the processor has SSE4.2 (`mod.rs`).
        unsafe {
            let low = _mm_castsi128_ps(_mm_set_epi64x(b, a));
            let high = _mm_castsi128_ps(_mm_set_epi64x(d, c));
            [Self::of_floats(_mm_shuffle_ps::<0x88>(low, high)), Self::of_floats(_mm_shuffle_ps::<0xdd>(low, high))]
        }
    }

    #[inline(always)]
    unsafe fn fours_at(base: *const u8, offsets: &Self) -> [Self; 4] {
        // SAFETY: the processor has SSE4.2 (`mod.rs`); the words are there, as the caller says.
        unsafe {
            let a = _mm_loadu_ps(base.add(lane_in_memory(offsets, 0) as usize).cast());
            let b = _mm_loadu_ps(base.add(lane_in_memory(offsets, 1) as usize).cast());
            let c = _mm_loadu_ps(base.add(lane_in_memory(offsets, 2) as usize).cast());
            let d = _mm_loadu_ps(base.add(lane_in_memory(offsets, 3) as usize).cast());
            let [low, next_low] = [_mm_unpacklo_ps(a, b), _mm_unpacklo_ps(c, d)];
            let [high, next_high] = [_mm_unpackhi_ps(a, b), _mm_unpackhi_ps(c, d)];
            [
                Self::of_floats(_mm_movelh_ps(low, next_low)),
                Self::of_floats(_mm_movehl_ps(next_low, low)),
                Self::of_floats(_mm_movelh_ps(high, next_high)),
                Self::of_floats(_mm_movehl_ps(next_high, high)),
            ]
        }
    }

    #[inline(always)]
    unsafe fn halves_at(base: *const u8, offsets: &Self) -> [Self; 4] {
        // SAFETY: the caller promises the same.
        let [first, second] = unsafe { Self::pairs_at(base, offsets) };
        let low = Self::splat(0xffff);
        [
            first.and(low).to_floats_of_halves(),
            first.shift_right::<16>().to_floats_of_halves(),
            second.and(low).to_floats_of_halves(),
            second.shift_right::<16>().to_floats_of_halves(),
        ]
    }

    #[inline(always)]
    fn to_floats_of_halves(self) -> Self {
        from_halves(self)
    }

    #[inline(always)]
    fn store(self) -> [u32; 4] {
        let mut lanes = [0; 4];
        // SAFETY: the processor has SSE4.2 (`mod.rs`), and there is room for a vector.
        unsafe { _mm_storeu_si128(lanes.as_mut_ptr().cast(), self.0) };
        lanes
    }

    #[inline(always)]
    fn signs(self) -> u32 {
        // SAFETY: the processor has SSE4.2 (`mod.rs`).
        unsafe { _mm_movemask_ps(self.floats()) as u32 }
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
    fn shift_left_by(self, bits: u32) -> Self {
        // SAFETY: the processor has SSE4.2 (`mod.rs`).
        Self(unsafe { _mm_sll_epi32(self.0, _mm_cvtsi32_si128(bits as i32)) })
    }

    #[inline(always)]
    fn shift_right_by(self, bits: u32) -> Self {
        // SAFETY: the processor has SSE4.2 (`mod.rs`).
        Self(unsafe { _mm_srl_epi32(self.0, _mm_cvtsi32_si128(bits as i32)) })
    }

    #[inline(always)]
    fn shift_signed_by(self, bits: u32) -> Self {
        // SAFETY: the processor has SSE4.2 (`mod.rs`).
        Self(unsafe { _mm_sra_epi32(self.0, _mm_cvtsi32_si128(bits as i32)) })
    }

    #[inline(always)]
    fn where_set(self, mask: Self, other: Self) -> Self {
        // SAFETY: the processor has SSE4.2 (`mod.rs`).
        Self(unsafe { _mm_blendv_epi8(other.0, self.0, mask.0) })
    }

    #[inline(always)]
    fn mul_add_floats(self, factor: Self, other: Self) -> Self {
        self.mul_floats(factor).add_floats(other)
    }

    #[inline(always)]
    fn over(self, unit: &Unit) -> Self {
        self.div_floats(Self::splat_float(unit.number))
    }

    #[inline(always)]
    fn sqrt(self) -> Self {
        // SAFETY: the processor has SSE4.2 (`mod.rs`).
        Self::of_floats(unsafe { _mm_sqrt_ps(self.floats()) })
    }

    #[inline(always)]
    fn floor(self) -> Self {
        // SAFETY: the processor has SSE4.2 (`mod.rs`).
        Self::of_floats(unsafe { _mm_floor_ps(self.floats()) })
    }

    #[inline(always)]
    fn trunc(self) -> Self {
        const TO_ZERO: i32 = _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC;
        // SAFETY: the processor has SSE4.2 (`mod.rs`).
        Self::of_floats(unsafe { _mm_round_ps::<TO_ZERO>(self.floats()) })
    }

    #[inline(always)]
    fn to_int(self) -> Self {
        // SAFETY: the processor has SSE4.2 (`mod.rs`).
        Self(unsafe { _mm_cvtps_epi32(self.floats()) })
    }

    #[inline(always)]
    fn to_float(self) -> Self {
        // SAFETY: the processor has SSE4.2 (`mod.rs`).
        Self::of_floats(unsafe { _mm_cvtepi32_ps(self.0) })
    }
}

impl Sse42 {
    #[inline(always)]
    fn floats(self) -> __m128 {
        // SAFETY: the processor has SSE4.2 (`mod.rs`).
        unsafe { _mm_castsi128_ps(self.0) }
    }

    #[inline(always)]
    fn of_floats(floats: __m128) -> Self {
        // SAFETY: the processor has SSE4.2 (`mod.rs`).
        Self(unsafe { _mm_castps_si128(floats) })
    }
}
