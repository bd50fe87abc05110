//! Exponentials, logarithms, trigonometric and hyperbolic functions.
//!
//! The bounds of WGSL's accuracy table, and what is composed here:
//!
//! | function | bound | made of |
//! |---|---|---|
//! | `exp2`, `exp` | 3 + 2 * abs(x) units in the last place | the IR's `exp2` |
//! | `log2`, `log` | 2^-21 absolute in [0.5, 2], else 3 units in the last place | the IR's `log2` |
//! | `pow` | that of exp2(y * log2(x)) | itself |
//! | `sin`, `cos` | 2^-11 absolute in [-pi, pi] | the IR's |
//! | `tan` | that of sin(x) / cos(x) | itself |
//! | `atan`, `atan2` | 4096 units in the last place | a polynomial, relative 2^-24 |
//! | `asin`, `acos` | 6.77e-5 absolute | `atan2` of x and the other side of the triangle |
//! | `sinh`, `cosh` | that of the definition by `exp` | itself |
//! | `tanh` | 1e-5 absolute | 1 - 2 / (exp(2 * x) + 1) |
//! | `asinh`, `acosh`, `atanh` | that of the definition by `log` | itself, with less cancellation |

use std::f32::consts::{FRAC_PI_2, LN_2, LOG2_E, PI};

use brolga_ir::Op;
use brolga_ir::entity::Value;
use brolga_ir::math;
use naga::MathFunction;

use super::super::Translator;

/// (atan(x) / x - 1) / x^2 in x^2, for x in [0, 1]: Abramowitz and Stegun, 4.4.49.
const ATAN: [f32; 8] = [
    -0.333_331_45,
    0.199_935_51,
    -0.142_089,
    0.106_562_64,
    -0.075_289_64,
    0.042_909_614,
    -0.016_165_737,
    0.002_866_225_7,
];

impl Translator<'_, '_> {
    /// One of these functions; `None` for others.
    pub(super) fn elementary(&mut self, fun: MathFunction, args: &[Value]) -> Option<Value> {
        use MathFunction as F;
        Some(match (fun, args) {
            (F::Exp2, &[x]) => math::exp2(&mut self.b, x),
            (F::Exp, &[x]) => self.exp(x),
            (F::Log2, &[x]) => math::log2(&mut self.b, x),
            (F::Log, &[x]) => self.log(x),
            (F::Pow, &[x, y]) => {
                let log = math::log2(&mut self.b, x);
                let product = self.b.op(Op::FMul, &[y, log]);
                math::exp2(&mut self.b, product)
            }
            (F::Sin, &[x]) => math::sin_cos(&mut self.b, x).0,
            (F::Cos, &[x]) => math::sin_cos(&mut self.b, x).1,
            (F::Tan, &[x]) => {
                let (sine, cosine) = math::sin_cos(&mut self.b, x);
                self.b.op(Op::FDiv, &[sine, cosine])
            }
            (F::Atan, &[x]) => {
                let one = self.b.f32(1.0);
                self.atan2(x, one)
            }
            (F::Atan2, &[y, x]) => self.atan2(y, x),
            (F::Asin, &[x]) => {
                let other = self.other_side(x);
                let angle = self.atan2(x, other);
                self.within_one(x, angle)
            }
            (F::Acos, &[x]) => {
                let other = self.other_side(x);
                let angle = self.atan2(other, x);
                self.within_one(x, angle)
            }
            (F::Sinh, &[x]) => self.half_of_exponentials(Op::FSub, x),
            (F::Cosh, &[x]) => self.half_of_exponentials(Op::FAdd, x),
            (F::Tanh, &[x]) => {
                let (one, two) = (self.b.f32(1.0), self.b.f32(2.0));
                let double = self.b.op(Op::FAdd, &[x, x]);
                let power = self.exp(double);
                let sum = self.b.op(Op::FAdd, &[power, one]);
                let quotient = self.b.op(Op::FDiv, &[two, sum]);
                self.b.op(Op::FSub, &[one, quotient])
            }
            (F::Asinh, &[x]) => {
                // Of the size, and the sign after: the terms of a negative number would cancel.
                let (size, one) = (self.b.op(Op::FAbs, &[x]), self.b.f32(1.0));
                let square = self.b.op(Op::FMul, &[x, x]);
                let sum = self.b.op(Op::FAdd, &[square, one]);
                let root = self.b.op(Op::FSqrt, &[sum]);
                let sum = self.b.op(Op::FAdd, &[size, root]);
                let log = self.log(sum);
                self.with_sign_of(x, log)
            }
            (F::Acosh, &[x]) => {
                let one = self.b.f32(1.0);
                let (below, above) = (self.b.op(Op::FSub, &[x, one]), self.b.op(Op::FAdd, &[x, one]));
                let product = self.b.op(Op::FMul, &[below, above]);
                let root = self.b.op(Op::FSqrt, &[product]);
                let sum = self.b.op(Op::FAdd, &[x, root]);
                self.log(sum)
            }
            (F::Atanh, &[x]) => {
                let (one, half) = (self.b.f32(1.0), self.b.f32(0.5));
                let (above, below) = (self.b.op(Op::FAdd, &[one, x]), self.b.op(Op::FSub, &[one, x]));
                let quotient = self.b.op(Op::FDiv, &[above, below]);
                let log = self.log(quotient);
                self.b.op(Op::FMul, &[log, half])
            }
            _ => return None,
        })
    }

    fn exp(&mut self, x: Value) -> Value {
        let by = self.b.f32(LOG2_E);
        let product = self.b.op(Op::FMul, &[x, by]);
        math::exp2(&mut self.b, product)
    }

    fn log(&mut self, x: Value) -> Value {
        let (log, by) = (math::log2(&mut self.b, x), self.b.f32(LN_2));
        self.b.op(Op::FMul, &[log, by])
    }

    /// (exp(x) - exp(-x)) / 2, or the sum.
    fn half_of_exponentials(&mut self, op: Op, x: Value) -> Value {
        let (minus_x, half) = (self.b.op(Op::FNeg, &[x]), self.b.f32(0.5));
        let (rising, falling) = (self.exp(x), self.exp(minus_x));
        let both = self.b.op(op, &[rising, falling]);
        self.b.op(Op::FMul, &[both, half])
    }

    /// sqrt(1 - x * x).
    fn other_side(&mut self, x: Value) -> Value {
        let one = self.b.f32(1.0);
        let (below, above) = (self.b.op(Op::FSub, &[one, x]), self.b.op(Op::FAdd, &[one, x]));
        let product = self.b.op(Op::FMul, &[below, above]);
        self.b.op(Op::FSqrt, &[product])
    }

    /// A value, or a NaN if a number is not in [-1, 1].
    fn within_one(&mut self, x: Value, value: Value) -> Value {
        let (size, one, nan) = (self.b.op(Op::FAbs, &[x]), self.b.f32(1.0), self.b.f32(f32::NAN));
        let is_within = self.b.op(Op::FGe, &[one, size]);
        self.b.select(is_within, value, nan)
    }

    fn with_sign_of(&mut self, sign: Value, size: Value) -> Value {
        let zero = self.b.f32(0.0);
        let is_negative = self.b.op(Op::FLt, &[sign, zero]);
        let negative = self.b.op(Op::FNeg, &[size]);
        self.b.select(is_negative, negative, size)
    }

    /// The angle of a point. That of the origin is 0.
    fn atan2(&mut self, y: Value, x: Value) -> Value {
        let (width, height) = (self.b.op(Op::FAbs, &[x]), self.b.op(Op::FAbs, &[y]));
        let (zero, one) = (self.b.f32(0.0), self.b.f32(1.0));
        // The tangent of the angle to the nearer axis, in [0, 1].
        let short = self.b.op(Op::FMin, &[width, height]);
        let long = self.b.op(Op::FMax, &[width, height]);
        let is_origin = self.b.op(Op::FEq, &[long, zero]);
        let long = self.b.select(is_origin, one, long);
        let tangent = self.b.op(Op::FDiv, &[short, long]);
        let square = self.b.op(Op::FMul, &[tangent, tangent]);
        let mut sum = self.b.f32(ATAN[ATAN.len() - 1]);
        for &coefficient in ATAN.iter().rev().skip(1).chain(&[1.0]) {
            let coefficient = self.b.f32(coefficient);
            let product = self.b.op(Op::FMul, &[sum, square]);
            sum = self.b.op(Op::FAdd, &[product, coefficient]);
        }
        let angle = self.b.op(Op::FMul, &[tangent, sum]);
        // From the x axis.
        let (quarter, half) = (self.b.f32(FRAC_PI_2), self.b.f32(PI));
        let is_steep = self.b.op(Op::FLt, &[width, height]);
        let rest = self.b.op(Op::FSub, &[quarter, angle]);
        let angle = self.b.select(is_steep, rest, angle);
        let is_left = self.b.op(Op::FLt, &[x, zero]);
        let rest = self.b.op(Op::FSub, &[half, angle]);
        let angle = self.b.select(is_left, rest, angle);
        self.with_sign_of(y, angle)
    }
}
