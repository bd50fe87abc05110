//! Implements vectors of sixteen lanes with AVX2, as two vectors whose operations alternate. A sample is one chain of
//! dependent operations; two chains side by side keep the processor busy, which does not look ahead as far as the next
//! sample.

#![allow(unsafe_code)]

use super::{Avx2, LaneArray, Unit, Vector};

/// Two vectors of eight lanes.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub(in super::super) struct Pair([Avx2; 2]);

/// Operations of two vectors, of one, of one by a number of bits, of three, and reads.
macro_rules! operations {
    (
        binary $($binary:ident)*; unary $($unary:ident)*; shift $($shift:ident)*; shift_by $($shift_by:ident)*;
        ternary $($ternary:ident)*; read $($read:ident)*;
    ) => {
        $(#[inline(always)]
        fn $binary(self, other: Self) -> Self {
            Self([self.0[0].$binary(other.0[0]), self.0[1].$binary(other.0[1])])
        })*

        $(#[inline(always)]
        fn $unary(self) -> Self {
            Self([self.0[0].$unary(), self.0[1].$unary()])
        })*

        $(#[inline(always)]
        fn $shift<const BITS: i32>(self) -> Self {
            Self([self.0[0].$shift::<BITS>(), self.0[1].$shift::<BITS>()])
        })*

        $(#[inline(always)]
        fn $ternary(self, second: Self, third: Self) -> Self {
            Self([self.0[0].$ternary(second.0[0], third.0[0]), self.0[1].$ternary(second.0[1], third.0[1])])
        })*

        $(#[inline(always)]
        fn $shift_by(self, bits: u32) -> Self {
            Self([self.0[0].$shift_by(bits), self.0[1].$shift_by(bits)])
        })*

        $(#[inline(always)]
        unsafe fn $read(base: *const u8, offsets: &Self) -> Self {
            // SAFETY: the caller promises the same, for either vector.
            unsafe { Self([Avx2::$read(base, &offsets.0[0]), Avx2::$read(base, &offsets.0[1])]) }
        })*
    };
}

// SAFETY: the only field is two vectors of eight lanes, side by side.
unsafe impl Vector for Pair {
    const LANES: usize = 16;
    type Lanes<T: Copy> = [T; 16];

    #[inline(always)]
    fn splat(bits: u32) -> Self {
        Self([Avx2::splat(bits); 2])
    }

    #[inline(always)]
    fn load(lanes: &[u32; 16]) -> Self {
        Self([Avx2::load(LaneArray::start_of(lanes)), Avx2::load(LaneArray::start_of(&lanes[8..]))])
    }

    #[inline(always)]
    fn load_written(lanes: &[u32; 16]) -> Self {
        Self([Avx2::load_written(LaneArray::start_of(lanes)), Avx2::load_written(LaneArray::start_of(&lanes[8..]))])
    }

    #[inline(always)]
    unsafe fn pairs_at(base: *const u8, offsets: &Self) -> [Self; 2] {
        // SAFETY: the caller promises the same, for either vector.
        let [[a, b], [next_a, next_b]] =
            unsafe { [Avx2::pairs_at(base, &offsets.0[0]), Avx2::pairs_at(base, &offsets.0[1])] };
        [Self([a, next_a]), Self([b, next_b])]
    }

    #[inline(always)]
    unsafe fn fours_at(base: *const u8, offsets: &Self) -> [Self; 4] {
        // SAFETY: the caller promises the same, for either vector.
        let [[a, b, c, d], [next_a, next_b, next_c, next_d]] =
            unsafe { [Avx2::fours_at(base, &offsets.0[0]), Avx2::fours_at(base, &offsets.0[1])] };
        [Self([a, next_a]), Self([b, next_b]), Self([c, next_c]), Self([d, next_d])]
    }

    #[inline(always)]
    unsafe fn halves_at(base: *const u8, offsets: &Self) -> [Self; 4] {
        // SAFETY: the caller promises the same, for either vector.
        let [[a, b, c, d], [next_a, next_b, next_c, next_d]] =
            unsafe { [Avx2::halves_at(base, &offsets.0[0]), Avx2::halves_at(base, &offsets.0[1])] };
        [Self([a, next_a]), Self([b, next_b]), Self([c, next_c]), Self([d, next_d])]
    }

    #[inline(always)]
    fn store(self) -> [u32; 16] {
        let (low, high) = (self.0[0].store(), self.0[1].store());
        let mut lanes = [0; 16];
        lanes[..8].copy_from_slice(&low);
        lanes[8..].copy_from_slice(&high);
        lanes
    }

    #[inline(always)]
    fn signs(self) -> u32 {
        self.0[0].signs() | self.0[1].signs() << 8
    }

    #[inline(always)]
    fn over(self, unit: &Unit) -> Self {
        Self([self.0[0].over(unit), self.0[1].over(unit)])
    }

    operations! {
        binary add sub mul mul_halves and or xor clear min max more equal add_floats sub_floats mul_floats div_floats min_floats
            max_floats more_floats equal_floats ordered;
        unary sqrt floor trunc to_int to_float to_floats_of_halves;
        shift shift_left shift_right shift_signed;
        shift_by shift_left_by shift_right_by shift_signed_by;
        ternary where_set mul_add_floats;
        read bytes_at shorts_at around_at words_at;
    }
}
