//! Defines vectors of 32-bit lanes: the few operations that the fast paths need, bit-identical with several instruction
//! sets.
//!
//! | file | contents |
//! |---|---|
//! | `avx2.rs` | eight lanes with AVX2, FMA and F16C |
//! | `pair.rs` | sixteen lanes with AVX2, two vectors side by side |
//! | `sse42.rs` | four lanes with SSE4.2 |
//!
//! A vector holds integers or floats; each operation says which it takes. Everything is inlined into the functions
//! compiled for these instruction sets (`fast/isa.rs`), which alone make vectors; the unsafe blocks rely on this.
//! Closures would not be inlined there, and would be slow: there are none. Floats round to nearest.

#![allow(unsafe_code)]

mod avx2;
mod pair;
mod sse42;

use std::arch::asm;
use std::ops::IndexMut;

pub(super) use avx2::Avx2;
pub(super) use pair::Pair;
pub(super) use sse42::Sse42;

/// An array with an element for each lane of a vector.
pub(super) type Lanes<V, T> = <V as Vector>::Lanes<T>;

/// Operations of an array with an element for each lane.
pub(super) trait LaneArray<T>: Copy + IndexMut<usize, Output = T> {
    fn splat(element: T) -> Self;
    fn as_slice(&self) -> &[T];
    /// Returns the beginning of a row that is at least as long.
    fn start_of(row: &[T]) -> &Self;
}

impl<T: Copy, const LANES: usize> LaneArray<T> for [T; LANES] {
    #[inline(always)]
    fn splat(element: T) -> Self {
        [element; LANES]
    }

    #[inline(always)]
    fn as_slice(&self) -> &[T] {
        self
    }

    #[inline(always)]
    fn start_of(row: &[T]) -> &Self {
        row.first_chunk().expect("rows have as many lanes as the vectors that they are cut into")
    }
}

/// A vector of lanes. Masks have ones or zeros in all bits of a lane.
///
/// # Safety
///
/// In memory it is its lanes, one word after the other, and nothing else.
pub(super) unsafe trait Vector: Copy {
    const LANES: usize;
    /// The bit mask of all lanes.
    const ALL: u32 = (1 << Self::LANES) - 1;
    type Lanes<T: Copy>: LaneArray<T>;

    fn splat(bits: u32) -> Self;
    fn load(lanes: &Self::Lanes<u32>) -> Self;

    /// Loads lanes that compiled code has just written, in pieces of 16 or 32 bytes: reads of no more hit store
    /// forwarding, without which they take several times as long.
    #[inline(always)]
    fn load_written(lanes: &Self::Lanes<u32>) -> Self {
        Self::load(lanes)
    }

    /// Reads the byte of each lane at an offset from `base`.
    ///
    /// # Safety
    ///
    /// At each offset there are as many bytes as the function reads.
    unsafe fn bytes_at(base: *const u8, offsets: &Self) -> Self;

    /// Reads two bytes of each lane.
    ///
    /// # Safety
    ///
    /// As for [`bytes_at`](Self::bytes_at).
    unsafe fn shorts_at(base: *const u8, offsets: &Self) -> Self;

    /// Reads the aligned word around the byte of each lane, shifted down to the byte.
    ///
    /// # Safety
    ///
    /// As for [`bytes_at`](Self::bytes_at); `base` is a multiple of four bytes.
    unsafe fn around_at(base: *const u8, offsets: &Self) -> Self;

    /// Reads a word of each lane.
    ///
    /// # Safety
    ///
    /// As for [`bytes_at`](Self::bytes_at).
    unsafe fn words_at(base: *const u8, offsets: &Self) -> Self;

    /// Reads two words of each lane.
    ///
    /// # Safety
    ///
    /// As for [`bytes_at`](Self::bytes_at).
    unsafe fn pairs_at(base: *const u8, offsets: &Self) -> [Self; 2];

    /// Reads four words of each lane.
    ///
    /// # Safety
    ///
    /// As for [`bytes_at`](Self::bytes_at).
    unsafe fn fours_at(base: *const u8, offsets: &Self) -> [Self; 4];

    /// Reads four 16-bit floats of each lane, as 32-bit ones. A NaN stays some NaN.
    ///
    /// # Safety
    ///
    /// As for [`bytes_at`](Self::bytes_at).
    unsafe fn halves_at(base: *const u8, offsets: &Self) -> [Self; 4];

    /// Converts 16-bit floats in the low half of each lane; the high half is 0. A NaN stays some NaN.
    fn to_floats_of_halves(self) -> Self;

    #[inline(always)]
    fn splat_float(number: f32) -> Self {
        Self::splat(number.to_bits())
    }

    fn store(self) -> Self::Lanes<u32>;

    fn add(self, other: Self) -> Self;
    fn sub(self, other: Self) -> Self;
    /// The low 32 bits of the product.
    fn mul(self, other: Self) -> Self;
    /// Multiplies the halves of each lane separately, keeping the low 16 bits.
    fn mul_halves(self, other: Self) -> Self;
    fn and(self, other: Self) -> Self;
    fn or(self, other: Self) -> Self;
    fn xor(self, other: Self) -> Self;
    /// `other` where `self` is zeros.
    fn clear(self, other: Self) -> Self;
    /// The sign of each lane as a bit mask, the first one in the lowest bit.
    fn signs(self) -> u32;

    /// The lane mask with these signs.
    #[inline(always)]
    fn of_signs(signs: u32) -> Self {
        let mut bits = Lanes::<Self, u32>::splat(0);
        for lane in 0..Self::LANES {
            bits[lane] = 1 << lane;
        }
        let bits = Self::load(&bits);
        Self::splat(signs).and(bits).equal(bits)
    }

    /// True if a mask is ones in every lane.
    #[inline(always)]
    fn is_ones(self) -> bool {
        self.signs() == Self::ALL
    }

    /// Flushes denormals to zero.
    #[inline(always)]
    fn flush(self) -> Self {
        let magnitude = self.and(Self::splat(i32::MAX as u32));
        // As integers, since some float modes take denormals for zeros.
        Self::splat(f32::MIN_POSITIVE.to_bits()).more(magnitude).clear(self)
    }

    /// Signed minimum.
    fn min(self, other: Self) -> Self;
    /// Signed maximum.
    fn max(self, other: Self) -> Self;
    /// Mask of the lanes in which `self` is more, signed.
    fn more(self, other: Self) -> Self;
    fn equal(self, other: Self) -> Self;
    fn shift_left<const BITS: i32>(self) -> Self;
    fn shift_right<const BITS: i32>(self) -> Self;
    /// Shifts right arithmetically.
    fn shift_signed<const BITS: i32>(self) -> Self;
    /// Shifts by fewer than 32 bits.
    fn shift_left_by(self, bits: u32) -> Self;
    fn shift_right_by(self, bits: u32) -> Self;
    fn shift_signed_by(self, bits: u32) -> Self;
    /// Selects `self` where a mask has ones, else `other`.
    fn where_set(self, mask: Self, other: Self) -> Self;

    fn add_floats(self, other: Self) -> Self;
    fn sub_floats(self, other: Self) -> Self;
    fn mul_floats(self, other: Self) -> Self;
    fn div_floats(self, other: Self) -> Self;
    /// `self` times `factor` plus `other`, rounded once or twice: for exact sums, or where both give the same.
    fn mul_add_floats(self, factor: Self, other: Self) -> Self;
    /// Divides by a unit, with one rounding.
    fn over(self, unit: &Unit) -> Self;

    /// The minimum; `other` if one is NaN.
    fn min_floats(self, other: Self) -> Self;
    /// The maximum; `other` if one is NaN.
    fn max_floats(self, other: Self) -> Self;
    /// Mask of the lanes in which `self` is more; nothing is more than NaN.
    fn more_floats(self, other: Self) -> Self;
    /// Mask of the lanes in which both are equal; zeros of either sign are.
    fn equal_floats(self, other: Self) -> Self;
    /// Mask of the lanes in which neither is NaN.
    fn ordered(self, other: Self) -> Self;
    fn sqrt(self) -> Self;
    fn floor(self) -> Self;
    fn trunc(self) -> Self;
    /// The nearest integer, ties to even, of floats in range.
    fn to_int(self) -> Self;
    fn to_float(self) -> Self;
}

/// Reads one lane of a vector in memory, for lanes that are used one by one, as addresses: from memory several come at
/// once, while moving a lane out of a vector occupies the only port for that.
#[inline(always)]
pub(super) fn lane_in_memory<V: Vector>(vector: &V, lane: usize) -> u32 {
    const { assert!(size_of::<V>() == size_of::<u32>() * V::LANES, "a vector is its lanes") };
    assert!(lane < V::LANES);
    // SAFETY: a vector is its lanes (`Vector`). Volatile, so that it is read from memory.
    unsafe { std::ptr::from_ref(vector).cast::<u32>().add(lane).read_volatile() }
}

/// A divisor of values: the largest code of a format.
#[derive(Clone, Copy, Debug)]
pub(super) struct Unit {
    number: f32,
    /// The sum of these two floats is the inverse.
    inverse: f32,
    rest: f32,
    /// True if a product with the inverse, in half the time of a division, has the same bits.
    ///
    /// The error before the last rounding is less than 2^-46 of it, and no quotient of a float by a code below 2^17 is
    /// nearer than 2^-43 to the midpoint of two floats.
    is_small: bool,
}

impl Unit {
    /// The largest code of 8 bits.
    pub const OF_BYTES: Self = Self::new(255.0);

    /// Makes a unit of a whole number.
    pub const fn new(number: f32) -> Self {
        let inverse = 1.0 / number;
        let rest = (1.0 / number as f64 - inverse as f64) as f32;
        Self { number, inverse, rest, is_small: number < (1 << 17) as f32 }
    }
}

/// Hides from the compiler that an address follows another one: it would merge both reads into one.
#[inline(always)]
fn apart(mut address: *const u32) -> *const u32 {
    // SAFETY: it does nothing.
    unsafe { asm!("/* {} */", inout(reg) address, options(pure, readonly, nostack, preserves_flags)) };
    address
}
