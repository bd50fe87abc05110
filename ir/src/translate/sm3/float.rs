//! What the rows compute on each component.

use super::Translator;
use crate::entity::Value;
use crate::math;
use crate::ops::Op;

impl Translator<'_, '_> {
    pub(super) fn mul(&mut self, s: &[Value]) -> Value {
        self.product(s[0], s[1])
    }

    /// Multiply, then add: two roundings.
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

    pub(super) fn rcp(&mut self, s: &[Value]) -> Value {
        let one = self.b.f32(1.0);
        let quotient = self.b.op(Op::FDiv, &[one, s[0]]);
        self.unless_zero(s[0], quotient, f32::MAX)
    }

    /// Of the absolute value.
    pub(super) fn rsq(&mut self, s: &[Value]) -> Value {
        let positive = self.fold(Op::FAbs, s);
        let root = self.b.op(Op::FSqrt, &[positive]);
        let one = self.b.f32(1.0);
        let quotient = self.b.op(Op::FDiv, &[one, root]);
        self.unless_zero(s[0], quotient, f32::MAX)
    }

    pub(super) fn exp(&mut self, s: &[Value]) -> Value {
        let power = math::exp2(&mut self.b, s[0]);
        if !self.zero_wins() {
            return power;
        }
        let (infinity, most) = (self.b.f32(f32::INFINITY), self.b.f32(f32::MAX));
        let is_infinite = self.b.op(Op::FEq, &[power, infinity]);
        self.b.select(is_infinite, most, power)
    }

    /// Of the absolute value.
    pub(super) fn log(&mut self, s: &[Value]) -> Value {
        let positive = self.fold(Op::FAbs, s);
        let logarithm = math::log2(&mut self.b, positive);
        self.unless_zero(s[0], logarithm, f32::MIN)
    }

    /// The absolute value of the first to the power of the second: 1 where that is 0.
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

    /// A result, but a number under Direct3D 9's rules where an operand is zero: IEEE 754 has an infinity there.
    pub(super) fn unless_zero(&mut self, operand: Value, result: Value, at_zero: f32) -> Value {
        if !self.zero_wins() {
            return result;
        }
        let (zero, number) = (self.b.f32(0.0), self.b.f32(at_zero));
        let is_zero = self.b.op(Op::FEq, &[operand, zero]);
        self.b.select(is_zero, number, result)
    }
}
