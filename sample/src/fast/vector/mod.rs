//! Vectors of 32-bit lanes: the few operations that the fast paths need, with several instruction sets, bit-identical.
//!
//! | file | what |
//! |---|---|
//! | `avx512.rs` | sixteen lanes with AVX-512: F, BW and DQ |
//! | `avx2.rs` | eight lanes with AVX2, FMA and F16C |
//! | `pair.rs` | sixteen lanes with AVX2, two vectors side by side |
//! | `sse42.rs` | four lanes with SSE4.2 |
//!
//! A vector holds integers or floats; each operation says which it takes. Everything is inlined into the functions
//! compiled for these instruction sets (`fast/isa.rs`), which alone make vectors; the unsafe blocks rely on this.
//! Closures would not be inlined there, and would be slow: there are none. Floats round to nearest.

#![allow(unsafe_code)]

mod avx2;
mod avx512;
mod pair;
mod sse42;

use std::arch::asm;
use std::ops::IndexMut;

pub(super) use avx2::Avx2;
pub(super) use avx512::Avx512;
pub(super) use pair::Pair;
pub(super) use sse42::Sse42;

/// Something for each lane of a vector.
pub(super) type Lanes<V, T> = <V as Vector>::Lanes<T>;

/// An array with an element for each lane.
pub(super) trait Array<T>: Copy + IndexMut<usize, Output = T> {
    fn splat(element: T) -> Self;
    /// The beginning of a row that is at least as long.
    fn start_of(row: &[T]) -> &Self;
}

impl<T: Copy, const LANES: usize> Array<T> for [T; LANES] {
    #[inline(always)]
    fn splat(element: T) -> Self {
        [element; LANES]
    }

    #[inline(always)]
    fn start_of(row: &[T]) -> &Self {
        row.first_chunk().expect("rows have as many lanes as the vectors that they are cut into")
    }
}

/// A vector. Masks have ones or zeros in all bits of a lane.
///
/// # Safety
///
/// In memory it is its lanes, one word after the other, and nothing else.
pub(super) unsafe trait Vector: Copy {
    const LANES: usize;
    /// A mask of as many bits.
    const ALL: u32 = (1 << Self::LANES) - 1;
    type Lanes<T: Copy>: Array<T>;

    fn splat(bits: u32) -> Self;
    fn load(lanes: &Self::Lanes<u32>) -> Self;

    /// The same for lanes that compiled code has just written, in pieces of 16 or 32 bytes: reads of no more hit store
    /// forwarding, without which they take several times as long.
    #[inline(always)]
    fn load_written(lanes: &Self::Lanes<u32>) -> Self {
        Self::load(lanes)
    }

    /// The low halves, and the high ones.
    fn load_pairs(pairs: &Self::Lanes<u64>) -> [Self; 2];

    /// The numbers of four 16-bit floats in each lane. A NaN is some NaN.
    fn load_halves(texels: &Self::Lanes<u64>) -> [Self; 4];

    /// The four words of each lane, by place.
    fn load_fours(texels: &Self::Lanes<[u32; 4]>) -> [Self; 4];

    #[inline(always)]
    fn splat_float(number: f32) -> Self {
        Self::splat(number.to_bits())
    }

    fn store(self) -> Self::Lanes<u32>;

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

    /// The mask with these signs.
    #[inline(always)]
    fn of_signs(signs: u32) -> Self {
        let mut bits = Lanes::<Self, u32>::splat(0);
        for lane in 0..Self::LANES {
            bits[lane] = 1 << lane;
        }
        let bits = Self::load(&bits);
        Self::splat(signs).and(bits).equal(bits)
    }

    /// Whether a mask is ones in every lane.
    #[inline(always)]
    fn is_ones(self) -> bool {
        self.signs() == Self::ALL
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
    /// By fewer than 32 bits.
    fn shift_left_by(self, bits: u32) -> Self;
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
    /// An integer below 2^24, times any power of two, divided by 255 with one rounding, in half the time of a division.
    ///
    /// The inverse is the sum of two floats. What is lost before the last rounding is far less than 1/510 ulp, and no such quotient
    /// is nearer to the midpoint of two floats.
    #[inline(always)]
    fn over_255(self) -> Self {
        const INVERSE: f32 = 1.0 / 255.0;
        const REST: f32 = (1.0 / 255.0 - INVERSE as f64) as f32;
        let rest = self.mul_floats(Self::splat_float(REST));
        self.mul_add_floats(Self::splat_float(INVERSE), rest)
    }

    /// Blends sums of codes by weights of `other` in 256ths, and divides by 255. Such sums have more than 24 bits, and are exact as
    /// doubles. No quotient of an integer up to 255 * 2^24 by 255 is a midpoint of two floats or nearer than 1/510 ulp to one, so a
    /// product with the inverse is rounded alike.
    fn blend_over_255(self, other: Self, weights: Self) -> Self;

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

/// A lane of a vector in memory, for those that are used one by one, as addresses: from memory they come several at once, while moving
/// one of them out of a vector occupies the only way there is.
#[inline(always)]
pub(super) fn lane_in_memory<V: Vector>(vector: &V, lane: usize) -> u32 {
    const { assert!(size_of::<V>() == size_of::<u32>() * V::LANES, "a vector is its lanes") };
    assert!(lane < V::LANES);
    // SAFETY: a vector is its lanes (`Vector`). Volatile, so that it is read from memory.
    unsafe { std::ptr::from_ref(vector).cast::<u32>().add(lane).read_volatile() }
}

/// What [`Vector::blend_over_255`] multiplies with, since weights are in 256ths.
const INVERSE_OF_255_256THS: f64 = 1.0 / (255 << 8) as f64;

/// A second place to read from, without the compiler's knowledge that it follows the first: it would merge both reads into one.
#[inline(always)]
fn apart(mut place: *const u32) -> *const u32 {
    // SAFETY: it does nothing.
    unsafe { asm!("/* {} */", inout(reg) place, options(pure, readonly, nostack, preserves_flags)) };
    place
}
