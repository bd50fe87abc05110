//! Divides by constants through multiplication.
//!
//! The quotient of n and d is the upper half of n times m, shifted right by s, with m = 2^(32 + s) / d rounded up, if
//! rounding adds no more than 2^s to m times d (Granlund and Montgomery, "Division by invariant integers using
//! multiplication", 1994). Where m needs 33 bits, the product with the top one is added by hand, halved so that nothing
//! overflows.

use brolga_ir::Const;

use super::{Emit, PacketOperand};

/// The factor and shift for division by a constant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Divisor {
    /// The lower 32 bits of the factor.
    factor: u32,
    /// Right shift of the product.
    shift: u8,
    /// Set if the factor has a 33rd bit.
    is_long: bool,
}

impl Divisor {
    /// `None` for zero, which divides nothing, and for powers of two, which take a shift.
    pub fn new(divisor: u32) -> Option<Self> {
        if divisor == 0 || divisor.is_power_of_two() {
            return None;
        }
        let d = u64::from(divisor);
        let bits = divisor.ilog2() as u8;
        let short = (0..=bits).find_map(|shift| {
            let power = 1u64 << (32 + shift);
            let factor = u32::try_from(power.div_ceil(d)).ok()?;
            let is_exact = u64::from(factor) * d - power <= 1 << shift;
            is_exact.then_some(Self { factor, shift, is_long: false })
        });
        let long = || {
            let shift = bits + 1;
            let factor = (1u128 << (32 + shift)).div_ceil(d.into()) as u32;
            Self { factor, shift, is_long: true }
        };
        Some(short.unwrap_or_else(long))
    }
}

impl Emit<'_, '_> {
    /// The quotient of unsigned integers.
    pub(super) fn quotient(&mut self, a: &PacketOperand, divisor: Divisor) -> PacketOperand {
        let factor = self.constant_like(a, Const::i32(divisor.factor));
        let high = self.umul_high(a, &factor);
        if divisor.is_long {
            let rest = self.sub(a, &high);
            let half = self.ushr_by(&rest, 1);
            let sum = self.add(&half, &high);
            return self.ushr_by(&sum, divisor.shift - 1);
        }
        if divisor.shift == 0 { high } else { self.ushr_by(&high, divisor.shift) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The result of [`Emit::quotient`].
    fn quotient(number: u32, Divisor { factor, shift, is_long }: Divisor) -> u32 {
        let high = ((u64::from(number) * u64::from(factor)) >> 32) as u32;
        if is_long { (((number - high) >> 1) + high) >> (shift - 1) } else { high >> shift }
    }

    #[test]
    fn quotients_are_those_of_division() {
        let large = (1..32).flat_map(|n| [(1u32 << n).wrapping_sub(1), (1 << n) + 1, 3 << (n - 1).min(29)]);
        let divisors = (3..2000).chain(large).chain([641, 0x7fff_ffff, 0x8000_0001, 0xffff_fffe, u32::MAX]);
        for (n, divisor) in divisors.filter_map(|n| Some((n, Divisor::new(n)?))) {
            // A quotient is wrong around multiples first.
            let most = u32::MAX / n;
            let multiples = [0, 1, 2, most / 3, most / 2, most - 1, most].map(|times| times.min(most) * n);
            let around = multiples.into_iter().flat_map(|at| [at.wrapping_sub(1), at, at.wrapping_add(1)]);
            for number in around.chain([u32::MAX - 1, 1 << 31]) {
                assert_eq!(quotient(number, divisor), number / n, "{number} / {n}");
            }
        }
        assert_eq!([0, 1, 2, 64, 1 << 31].map(Divisor::new), [None; 5]);
    }
}
