//! Functions of floats that need no series.

use brolga_ir::Op;
use brolga_ir::entity::Value;
use brolga_ir::math;
use naga::MathFunction;
use smallvec::smallvec;

use super::super::{Result, Translator, Words};

/// Bits of a float's mantissa.
const MANTISSA_BITS: u32 = 23;

impl Translator<'_, '_> {
    /// A function of each component; two results for those that give a structure.
    pub(super) fn of_floats(&mut self, fun: MathFunction, args: &[Value]) -> Result<Words> {
        use MathFunction as F;
        Ok(smallvec![match (fun, args) {
            (F::Abs, &[a]) => self.b.op(Op::FAbs, &[a]),
            (F::Min, &[a, b]) => self.b.op(Op::FMin, &[a, b]),
            (F::Max, &[a, b]) => self.b.op(Op::FMax, &[a, b]),
            (F::Clamp, &[a, low, high]) => self.clamp(a, low, high),
            (F::Saturate, &[a]) => self.b.op(Op::FSat, &[a]),
            (F::Sign, &[a]) => self.float_sign(a),
            (F::Ceil, &[a]) => self.b.op(Op::FCeil, &[a]),
            (F::Floor, &[a]) => self.b.op(Op::FFloor, &[a]),
            (F::Round, &[a]) => self.b.op(Op::FNearest, &[a]),
            (F::Trunc, &[a]) => self.b.op(Op::FTrunc, &[a]),
            (F::Fract, &[a]) => math::fraction(&mut self.b, a),
            (F::Modf, &[a]) => return Ok(self.modf(a)),
            (F::Frexp, &[a]) => return Ok(self.frexp(a)),
            (F::Ldexp, &[a, exponent]) => self.ldexp(a, exponent),
            (F::Radians, &[a]) => self.scaled(a, std::f64::consts::PI / 180.0),
            (F::Degrees, &[a]) => self.scaled(a, 180.0 / std::f64::consts::PI),
            (F::Fma, &[a, b, c]) => self.b.op(Op::FFma, &[a, b, c]),
            (F::Mix, &[a, b, t]) => self.mix(a, b, t),
            (F::Step, &[edge, x]) => {
                let (one, zero) = (self.b.f32(1.0), self.b.f32(0.0));
                let is_above = self.b.op(Op::FGe, &[x, edge]);
                self.b.select(is_above, one, zero)
            }
            (F::SmoothStep, &[low, high, x]) => self.smooth_step(low, high, x),
            (F::Sqrt, &[a]) => self.b.op(Op::FSqrt, &[a]),
            (F::InverseSqrt, &[a]) => {
                let (one, root) = (self.b.f32(1.0), self.b.op(Op::FSqrt, &[a]));
                self.b.op(Op::FDiv, &[one, root])
            }
            (F::QuantizeToF16, &[a]) => {
                let half = self.half_of(a);
                self.b.op(Op::F16ToF32, &[half])
            }
            _ => return self.unsupported("this function of floats"),
        }])
    }

    fn clamp(&mut self, a: Value, low: Value, high: Value) -> Value {
        let raised = self.b.op(Op::FMax, &[a, low]);
        self.b.op(Op::FMin, &[raised, high])
    }

    fn scaled(&mut self, a: Value, by: f64) -> Value {
        let by = self.b.f32(by as f32);
        self.b.op(Op::FMul, &[a, by])
    }

    /// 1 or -1; a zero or a NaN stays.
    fn float_sign(&mut self, a: Value) -> Value {
        let (zero, one, minus_one) = (self.b.f32(0.0), self.b.f32(1.0), self.b.f32(-1.0));
        let is_positive = self.b.op(Op::FLt, &[zero, a]);
        let is_negative = self.b.op(Op::FLt, &[a, zero]);
        let flushed = self.b.op(Op::FFlush, &[a]);
        let rest = self.b.select(is_negative, minus_one, flushed);
        self.b.select(is_positive, one, rest)
    }

    /// The fraction and the whole part, both with the sign.
    fn modf(&mut self, a: Value) -> Words {
        let whole = self.b.op(Op::FTrunc, &[a]);
        let fraction = self.b.op(Op::FSub, &[a, whole]);
        // An infinity has no fraction.
        let (size, infinity, zero) = (self.b.op(Op::FAbs, &[a]), self.b.f32(f32::INFINITY), self.b.f32(0.0));
        let is_infinite = self.b.op(Op::FEq, &[size, infinity]);
        smallvec![self.b.select(is_infinite, zero, fraction), whole]
    }

    /// A number whose size is in [0.5, 1), and the power of two that it is scaled by. Zeros, infinities and NaNs stay,
    /// with 0.
    fn frexp(&mut self, a: Value) -> Words {
        let a = self.b.op(Op::FFlush, &[a]);
        let bits = self.b.op(Op::BitsF32, &[a]);
        let (shift, mask) = (self.b.i32(MANTISSA_BITS), self.b.i32(0xff));
        let biased = self.b.op(Op::UShr, &[bits, shift]);
        let biased = self.b.op(Op::And, &[biased, mask]);
        let bias = self.b.i32(126);
        let exponent = self.b.op(Op::ISub, &[biased, bias]);
        let (others, half) = (self.b.i32(0x807f_ffff), self.b.i32(126 << MANTISSA_BITS));
        let fraction = self.b.op(Op::And, &[bits, others]);
        let fraction = self.b.op(Op::Or, &[fraction, half]);
        let fraction = self.b.op(Op::AsF32, &[fraction]);
        // 1 to 254, or else special.
        let (one, normal) = (self.b.i32(1), self.b.i32(254));
        let number = self.b.op(Op::ISub, &[biased, one]);
        let is_normal = self.b.op(Op::ULt, &[number, normal]);
        let zero = self.b.i32(0);
        smallvec![self.b.select(is_normal, fraction, a), self.b.select(is_normal, exponent, zero)]
    }

    /// a * 2^exponent, by three factors that are powers of two, so that none leaves the range before the result does.
    fn ldexp(&mut self, a: Value, exponent: Value) -> Value {
        let mut result = a;
        let mut left = exponent;
        for _ in 0..3 {
            let (least, most) = (self.b.i32(-126i32 as u32), self.b.i32(127));
            let part = self.b.op(Op::SMax, &[left, least]);
            let part = self.b.op(Op::SMin, &[part, most]);
            left = self.b.op(Op::ISub, &[left, part]);
            let (bias, shift) = (self.b.i32(127), self.b.i32(MANTISSA_BITS));
            let biased = self.b.op(Op::IAdd, &[part, bias]);
            let bits = self.b.op(Op::Shl, &[biased, shift]);
            let factor = self.b.op(Op::AsF32, &[bits]);
            result = self.b.op(Op::FMul, &[result, factor]);
        }
        result
    }

    /// a * (1 - t) + b * t.
    fn mix(&mut self, a: Value, b: Value, t: Value) -> Value {
        let one = self.b.f32(1.0);
        let rest = self.b.op(Op::FSub, &[one, t]);
        let (first, second) = (self.b.op(Op::FMul, &[a, rest]), self.b.op(Op::FMul, &[b, t]));
        self.b.op(Op::FAdd, &[first, second])
    }

    /// t * t * (3 - 2 * t) with t from 0 to 1.
    fn smooth_step(&mut self, low: Value, high: Value, x: Value) -> Value {
        let above = self.b.op(Op::FSub, &[x, low]);
        let range = self.b.op(Op::FSub, &[high, low]);
        let quotient = self.b.op(Op::FDiv, &[above, range]);
        let t = self.b.op(Op::FSat, &[quotient]);
        let (two, three) = (self.b.f32(2.0), self.b.f32(3.0));
        let double = self.b.op(Op::FMul, &[two, t]);
        let rest = self.b.op(Op::FSub, &[three, double]);
        let square = self.b.op(Op::FMul, &[t, t]);
        self.b.op(Op::FMul, &[square, rest])
    }

    /// The half-precision number next to a float, ties to even, in the low 16 bits.
    pub(super) fn half_of(&mut self, a: Value) -> Value {
        // Rounding towards zero gives one neighbour; the next one is nearer if more than half of a step is cut off.
        let below = self.b.op(Op::F32ToF16, &[a]);
        let one = self.b.i32(1);
        let above = self.b.op(Op::IAdd, &[below, one]);
        let value = self.b.op(Op::F16ToF32, &[below]);
        let next = self.b.op(Op::F16ToF32, &[above]);
        // Exact: the neighbours have few digits.
        let [rest, step] = [a, next].map(|to| {
            let distance = self.b.op(Op::FSub, &[to, value]);
            self.b.op(Op::FAbs, &[distance])
        });
        let double = self.b.op(Op::FAdd, &[rest, rest]);
        let is_nearer = self.b.op(Op::FLt, &[step, double]);
        let is_tie = self.b.op(Op::FEq, &[step, double]);
        let odd = self.b.op(Op::And, &[below, one]);
        let is_odd = self.b.op(Op::IEq, &[odd, one]);
        let rounds_to_even = self.b.op(Op::BAnd, &[is_tie, is_odd]);
        let rounds_up = self.b.op(Op::BOr, &[is_nearer, rounds_to_even]);
        self.b.select(rounds_up, above, below)
    }
}
