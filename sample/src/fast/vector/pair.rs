//! Sixteen lanes with AVX2, as two vectors whose operations alternate. One sample is a chain of operations, each of which waits for
//! the one before; two chains side by side keep the processor busy, which does not look as far ahead as to the next sample.

#![allow(unsafe_code)]

use super::{Array, Avx2, Vector};

/// Two vectors.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub(in super::super) struct Pair([Avx2; 2]);

/// Operations of two vectors, of one, and of one by a number of bits.
macro_rules! operations {
    (binary $($binary:ident)*; unary $($unary:ident)*; shift $($shift:ident)*; ternary $($ternary:ident)*;) => {
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
        Self([Avx2::load(Array::start_of(lanes)), Avx2::load(Array::start_of(&lanes[8..]))])
    }

    #[inline(always)]
    fn load_written(lanes: &[u32; 16]) -> Self {
        Self([Avx2::load_written(Array::start_of(lanes)), Avx2::load_written(Array::start_of(&lanes[8..]))])
    }

    #[inline(always)]
    fn load_pairs(pairs: &[u64; 16]) -> [Self; 2] {
        let [low, high] = Avx2::load_pairs(Array::start_of(pairs));
        let [next_low, next_high] = Avx2::load_pairs(Array::start_of(&pairs[8..]));
        [Self([low, next_low]), Self([high, next_high])]
    }

    #[inline(always)]
    fn load_halves(texels: &[u64; 16]) -> [Self; 4] {
        let [r, g, b, a] = Avx2::load_halves(Array::start_of(texels));
        let [next_r, next_g, next_b, next_a] = Avx2::load_halves(Array::start_of(&texels[8..]));
        [Self([r, next_r]), Self([g, next_g]), Self([b, next_b]), Self([a, next_a])]
    }

    #[inline(always)]
    fn load_fours(texels: &[[u32; 4]; 16]) -> [Self; 4] {
        let [r, g, b, a] = Avx2::load_fours(Array::start_of(texels));
        let [next_r, next_g, next_b, next_a] = Avx2::load_fours(Array::start_of(&texels[8..]));
        [Self([r, next_r]), Self([g, next_g]), Self([b, next_b]), Self([a, next_a])]
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
    fn shift_left_by(self, bits: u32) -> Self {
        Self([self.0[0].shift_left_by(bits), self.0[1].shift_left_by(bits)])
    }

    operations! {
        binary add sub mul mul_halves and or xor clear min max more equal add_floats sub_floats mul_floats div_floats min_floats
            max_floats more_floats equal_floats ordered;
        unary sqrt floor trunc to_int to_float over_255;
        shift shift_left shift_right shift_signed;
        ternary where_set mul_add_floats blend_over_255;
    }
}
