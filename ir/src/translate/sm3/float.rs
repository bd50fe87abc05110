//! Computes single components of results.

use super::{FloatRules, Translator};
use crate::entity::Value;
use crate::math;
use crate::ops::Op;

impl Translator<'_, '_> {
    pub(super) fn mul(&mut self, s: &[Value]) -> Value {
        self.product(s[0], s[1])
    }

    /// Multiplies, then adds: two roundings.
    pub(super) fn mad(&mut self, s: &[Value]) -> Value {
        let product = self.product(s[0], s[1]);
        self.b.op(Op::FAdd, &[product, s[2]])
    }

    /// a * (b - c) + c
    pub(super) fn lrp(&mut self, s: &[Value]) -> Value {
        let difference = self.b.op(Op::FSub, &[s[1], s[2]]);
        self.mad(&[s[0], difference, s[2]])
    }

    /// 1 where the comparison holds, else 0.
    pub(super) fn one_where(&mut self, op: Op, s: &[Value]) -> Value {
        let holds = self.b.op(op, s);
        let (one, zero) = (self.b.f32(1.0), self.b.f32(0.0));
        self.b.select(holds, one, zero)
    }

    /// The second where the first is not negative, else the third.
    pub(super) fn cmp(&mut self, s: &[Value]) -> Value {
        let zero = self.b.f32(0.0);
        let holds = self.b.op(Op::FGe, &[s[0], zero]);
        self.b.select(holds, s[1], s[2])
    }

    /// The second where the first is above one half, else the third.
    pub(super) fn cnd(&mut self, s: &[Value]) -> Value {
        let half = self.b.f32(0.5);
        let holds = self.b.op(Op::FLt, &[half, s[0]]);
        self.b.select(holds, s[1], s[2])
    }

    pub(super) fn sgn(&mut self, s: &[Value]) -> Value {
        let [minus_one, zero, one] = [-1.0, 0.0, 1.0].map(|number| self.b.f32(number));
        let is_negative = self.b.op(Op::FLt, &[s[0], zero]);
        let is_zero = self.b.op(Op::FEq, &[s[0], zero]);
        let rest = self.b.select(is_zero, zero, one);
        self.b.select(is_negative, minus_one, rest)
    }

    /// The distance from the next integer below.
    pub(super) fn frc(&mut self, s: &[Value]) -> Value {
        math::fraction(&mut self.b, s[0])
    }

    /// Positive where the operand is zero of either sign, which is not defined.
    pub(super) fn rcp(&mut self, s: &[Value]) -> Value {
        let one = self.b.f32(1.0);
        let quotient = self.b.op(Op::FDiv, &[one, s[0]]);
        let infinity = self.infinity();
        self.unless_zero(s[0], quotient, infinity)
    }

    /// Reciprocal square root of the absolute value.
    pub(super) fn rsq(&mut self, s: &[Value]) -> Value {
        let positive = self.fold(Op::FAbs, s);
        let root = self.b.op(Op::FSqrt, &[positive]);
        let one = self.b.f32(1.0);
        let quotient = self.b.op(Op::FDiv, &[one, root]);
        let infinity = self.infinity();
        // 1 / 0 is that already, unless it is a number.
        if infinity.is_finite() { self.unless_zero(s[0], quotient, infinity) } else { quotient }
    }

    pub(super) fn exp(&mut self, s: &[Value]) -> Value {
        let power = math::exp2(&mut self.b, s[0]);
        let most = self.infinity();
        if most == f32::INFINITY {
            return power;
        }
        let (infinity, most) = (self.b.f32(f32::INFINITY), self.b.f32(most));
        let is_infinite = self.b.op(Op::FEq, &[power, infinity]);
        self.b.select(is_infinite, most, power)
    }

    /// Binary logarithm of the absolute value.
    pub(super) fn log(&mut self, s: &[Value]) -> Value {
        let positive = self.fold(Op::FAbs, s);
        let logarithm = math::log2(&mut self.b, positive);
        self.unless_zero(s[0], logarithm, f32::MIN)
    }

    /// The absolute value of the first to the power of the second: 1 where the second is 0.
    pub(super) fn pow(&mut self, s: &[Value]) -> Value {
        let logarithm = self.log(&s[..1]);
        let exponent = self.product(logarithm, s[1]);
        let power = self.exp(&[exponent]);
        if self.zero_wins() {
            return power;
        }
        let (zero, one) = (self.b.f32(0.0), self.b.f32(1.0));
        let is_one = self.b.op(Op::FEq, &[s[1], zero]);
        self.b.select(is_one, one, power)
    }

    /// The result of `rcp`, `rsq` and `exp` that stands for infinity.
    fn infinity(&self) -> f32 {
        match self.options.float_rules {
            FloatRules::Direct3D9 | FloatRules::Ieee => f32::INFINITY,
            FloatRules::Direct3D9Finite => f32::MAX,
        }
    }

    /// A result, replaced by a number under Direct3D 9's rules where an operand is zero: IEEE 754 has an infinity of
    /// the zero's sign there.
    fn unless_zero(&mut self, operand: Value, result: Value, at_zero: f32) -> Value {
        if !self.zero_wins() {
            return result;
        }
        let (zero, number) = (self.b.f32(0.0), self.b.f32(at_zero));
        let is_zero = self.b.op(Op::FEq, &[operand, zero]);
        self.b.select(is_zero, number, result)
    }
}
