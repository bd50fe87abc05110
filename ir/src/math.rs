//! `exp2`, `log2`, sine and cosine as plain operations, so that every engine gives the same bits.
//!
//! Each function reduces its argument to a short interval and evaluates a minimax polynomial there (found with the
//! Remez algorithm for the interval and error measure named at its coefficients). The results are far inside of what
//! Direct3D allows:
//!
//! | function | Direct3D's bound | error here |
//! |---|---|---|
//! | `exp2` | relative 2^-21 | relative 2^-23 |
//! | `log2` | 2^-21 absolute in [0.5, 2], relative elsewhere | relative 2^-22 in [0.5, 2] too |
//! | sine, cosine | 0.0008 absolute up to 100 pi | 1.5e-7 absolute up to 12000, growing beyond, never outside [-1, 1] |

use std::f32::consts::{FRAC_2_PI, LN_2, LOG2_E};

use crate::builder::Builder;
use crate::entity::Value;
use crate::ops::Op;

/// (2^f - 1) / f for f in [-0.5, 0.5], least relative error of 2^f.
const EXP2: [f32; 6] = [LN_2, 0.24022648, 0.055503324, 0.009618437, 0.0013398874, 0.00015353362];

/// log2(1 + f) / f for 1 + f in [sqrt(1/2), sqrt(2)], least relative error.
const LOG2: [f32; 10] = [
    LOG2_E,
    -0.72134733,
    0.48089823,
    -0.36069664,
    0.2885674,
    -0.2396174,
    0.20460062,
    -0.19106275,
    0.18617494,
    -0.10994954,
];

/// (sin(r) / r - 1) / r^2 in r^2, for r in [-pi/4, pi/4].
const SIN: [f32; 3] = [-0.16666654, 0.008332134, -0.00019511134];

/// (cos(r) - 1) / r^2 in r^2, for r in [-pi/4, pi/4].
const COS: [f32; 3] = [-0.4999989, 0.0416559, -0.0013592293];

/// pi/2 in three parts. The first two have 11 bits, so that their products with integers up to 2^13 are exact.
const HALF_PI: [f32; 3] = [1.5703125, 0.0004837513, 7.54979e-8];

/// The bits of sqrt(1/2).
const SQRT_HALF_BITS: u32 = 0x3f35_04f3;

/// Bits of the mantissa of a float.
const MANTISSA_BITS: u32 = 23;

/// The polynomial with these coefficients, the constant one first.
fn polynomial(b: &mut Builder<'_>, x: Value, coefficients: &[f32]) -> Value {
    let mut terms = coefficients.iter().rev().copied();
    let highest = terms.next().expect("a polynomial has a coefficient");
    let mut sum = b.f32(highest);
    for coefficient in terms {
        let product = b.op(Op::FMul, &[sum, x]);
        let coefficient = b.f32(coefficient);
        sum = b.op(Op::FAdd, &[product, coefficient]);
    }
    sum
}

/// 2 to the power of an `f32`. Exact for integers; 0 below 2^-126, since such a result would be flushed.
pub fn exp2(b: &mut Builder<'_>, x: Value) -> Value {
    let whole = b.op(Op::FNearest, &[x]);
    let fraction = b.op(Op::FSub, &[x, whole]);
    let slope = polynomial(b, fraction, &EXP2);
    let above_one = b.op(Op::FMul, &[fraction, slope]);
    let one = b.f32(1.0);
    let power = b.op(Op::FAdd, &[one, above_one]);

    // The whole part is added to the exponent. No carry leaves it while x is in [-126, 128).
    let bits = b.op(Op::BitsF32, &[power]);
    let whole = b.op(Op::FToS, &[whole]);
    let shift = b.i32(MANTISSA_BITS);
    let exponent = b.op(Op::Shl, &[whole, shift]);
    let bits = b.op(Op::IAdd, &[bits, exponent]);
    let scaled = b.op(Op::AsF32, &[bits]);

    let (highest, infinity) = (b.f32(128.0), b.f32(f32::INFINITY));
    let overflows = b.op(Op::FGe, &[x, highest]);
    let bounded = b.select(overflows, infinity, scaled);
    let (lowest, zero) = (b.f32(-126.0), b.f32(0.0));
    let underflows = b.op(Op::FLt, &[x, lowest]);
    b.select(underflows, zero, bounded)
}

/// The binary logarithm of an `f32`. Exact for powers of two; zeros and denormals give -INF, negative numbers NaN.
pub fn log2(b: &mut Builder<'_>, x: Value) -> Value {
    // x = 2^exponent * m with m in [sqrt(1/2), sqrt(2)), so that the logarithm of m crosses zero at 1.
    let bits = b.op(Op::BitsF32, &[x]);
    let origin = b.i32(SQRT_HALF_BITS);
    let shifted = b.op(Op::ISub, &[bits, origin]);
    let shift = b.i32(MANTISSA_BITS);
    let exponent = b.op(Op::SShr, &[shifted, shift]);
    let mantissa_mask = b.i32((1 << MANTISSA_BITS) - 1);
    let mantissa = b.op(Op::And, &[shifted, mantissa_mask]);
    let mantissa = b.op(Op::IAdd, &[mantissa, origin]);
    let m = b.op(Op::AsF32, &[mantissa]);

    let one = b.f32(1.0);
    let f = b.op(Op::FSub, &[m, one]);
    let slope = polynomial(b, f, &LOG2);
    let fraction = b.op(Op::FMul, &[f, slope]);
    let exponent = b.op(Op::SToF, &[exponent]);
    let log = b.op(Op::FAdd, &[exponent, fraction]);

    let (zero, infinity) = (b.f32(0.0), b.f32(f32::INFINITY));
    let minus_infinity = b.f32(f32::NEG_INFINITY);
    let nan = b.f32(f32::from_bits(crate::float::NAN_F32));
    let is_infinite = b.op(Op::FEq, &[x, infinity]);
    let result = b.select(is_infinite, infinity, log);
    // Not "less than zero": that would let NaN through.
    let has_log = b.op(Op::FGe, &[x, zero]);
    let result = b.select(has_log, result, nan);
    let is_zero = b.op(Op::FEq, &[x, zero]);
    b.select(is_zero, minus_infinity, result)
}

/// Sine and cosine of an `f32` in radians. The sine of -0 is -0; infinities give NaN.
pub fn sin_cos(b: &mut Builder<'_>, x: Value) -> (Value, Value) {
    let two_by_pi = b.f32(FRAC_2_PI);
    let turns = b.op(Op::FMul, &[x, two_by_pi]);
    let turns = b.op(Op::FNearest, &[turns]);
    let quadrant = b.op(Op::FToS, &[turns]);
    // Adding 0 makes +0 of -0; the differences below then keep the sign of a zero x.
    let zero = b.f32(0.0);
    let turns = b.op(Op::FAdd, &[turns, zero]);
    let mut r = x;
    for part in HALF_PI {
        let part = b.f32(part);
        let product = b.op(Op::FMul, &[turns, part]);
        r = b.op(Op::FSub, &[r, product]);
    }
    // Far out the reduction is wrong, but results stay in [-1, 1].
    let (low, high) = (b.f32(-0.79), b.f32(0.79));
    let r = b.op(Op::FMax, &[low, r]);
    let r = b.op(Op::FMin, &[high, r]);

    let square = b.op(Op::FMul, &[r, r]);
    let one = b.f32(1.0);
    let scale = polynomial(b, square, &SIN);
    let scale = b.op(Op::FMul, &[square, scale]);
    let scale = b.op(Op::FAdd, &[one, scale]);
    let sine = b.op(Op::FMul, &[r, scale]);
    let slope = polynomial(b, square, &COS);
    let below_one = b.op(Op::FMul, &[square, slope]);
    let cosine = b.op(Op::FAdd, &[one, below_one]);

    let magnitude = b.op(Op::FAbs, &[x]);
    let infinity = b.f32(f32::INFINITY);
    let is_finite = b.op(Op::FLt, &[magnitude, infinity]);
    let one = b.i32(1);
    let next_quadrant = b.op(Op::IAdd, &[quadrant, one]);
    (
        in_quadrant(b, quadrant, [sine, cosine], is_finite),
        // cos(x) = sin(x + pi/2)
        in_quadrant(b, next_quadrant, [sine, cosine], is_finite),
    )
}

/// The sine in a quadrant, from the sine and cosine of the angle within quadrant 0.
fn in_quadrant(b: &mut Builder<'_>, quadrant: Value, [sine, cosine]: [Value; 2], is_finite: Value) -> Value {
    let (one, two, zero) = (b.i32(1), b.i32(2), b.i32(0));
    let odd = b.op(Op::And, &[quadrant, one]);
    let odd = b.op(Op::INe, &[odd, zero]);
    let value = b.select(odd, cosine, sine);
    let negated = b.op(Op::FNeg, &[value]);
    let lower_half = b.op(Op::And, &[quadrant, two]);
    let lower_half = b.op(Op::INe, &[lower_half, zero]);
    let value = b.select(lower_half, negated, value);
    let nan = b.f32(f32::from_bits(crate::float::NAN_F32));
    b.select(is_finite, value, nan)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::function::{Function, InstKind};
    use crate::interface::Interface;
    use crate::types::Type;

    /// One of the functions, ready to be evaluated operation by operation.
    struct Compiled {
        func: Function,
        results: Vec<Value>,
    }

    impl Compiled {
        fn new(build: impl FnOnce(&mut Builder<'_>, Value) -> Vec<Value>) -> Self {
            let mut func = Function::new("test", Interface::default());
            let slot = func.add_slot(Type::F32);
            let mut b = Builder::new(&mut func);
            let x = b.slot_get(slot);
            let results = build(&mut b, x);
            Self { func, results }
        }

        fn run(&self, x: f32) -> Vec<f32> {
            let mut values = vec![0u64; self.func.value_count()];
            for &inst in &self.func.region(self.func.body()).insts {
                let data = self.func.inst(inst);
                let result = match &data.kind {
                    InstKind::SlotGet(_) => u64::from(x.to_bits()),
                    InstKind::Const(value) => value.bits,
                    InstKind::Op { op, args } => {
                        op.eval(&args.iter().map(|arg| values[arg.index()]).collect::<Vec<_>>())
                    }
                    other => panic!("unexpected {other:?}"),
                };
                values[data.results[0].index()] = result;
            }
            self.results.iter().map(|value| f32::from_bits(values[value.index()] as u32)).collect()
        }
    }

    fn compiled_exp2() -> Compiled {
        Compiled::new(|b, x| vec![exp2(b, x)])
    }

    fn compiled_log2() -> Compiled {
        Compiled::new(|b, x| vec![log2(b, x)])
    }

    fn compiled_sin_cos() -> Compiled {
        Compiled::new(|b, x| {
            let (sine, cosine) = sin_cos(b, x);
            vec![sine, cosine]
        })
    }

    const DENORMAL: f32 = f32::from_bits(0x0040_0000);

    #[test]
    fn exp2_is_within_its_bound() {
        let exp2 = compiled_exp2();
        let mut worst = 0f64;
        for step in 0..200_000 {
            let x = -126.0 + step as f32 * (254.0 / 200_000.0);
            let want = f64::from(x).exp2();
            worst = worst.max(((f64::from(exp2.run(x)[0]) - want) / want).abs());
        }
        assert!(worst < 2f64.powi(-23), "{worst:e}");
    }

    #[test]
    fn exp2_is_exact_for_integers_and_keeps_special_values() {
        let exp2 = compiled_exp2();
        for whole in -126..=127 {
            assert_eq!(exp2.run(whole as f32)[0], 2f32.powi(whole));
        }
        for (x, want) in [
            (0.0, 1.0),
            (-0.0, 1.0),
            (DENORMAL, 1.0),
            (-DENORMAL, 1.0),
            (128.0, f32::INFINITY),
            (f32::MAX, f32::INFINITY),
            (f32::INFINITY, f32::INFINITY),
            (-126.5, 0.0),
            (-149.0, 0.0),
            (f32::MIN, 0.0),
            (f32::NEG_INFINITY, 0.0),
        ] {
            assert_eq!(exp2.run(x)[0].to_bits(), f32::to_bits(want), "{x}");
        }
        assert!(exp2.run(f32::NAN)[0].is_nan());
        // The largest argument below the overflow.
        let x = f32::from_bits(128f32.to_bits() - 1);
        assert!((f64::from(exp2.run(x)[0]) / f64::from(x).exp2() - 1.0).abs() < 2f64.powi(-21));
    }

    #[test]
    fn log2_is_within_its_bound() {
        let log2 = compiled_log2();
        let check = |x: f32| {
            let want = f64::from(x).log2();
            let error = (f64::from(log2.run(x)[0]) - want).abs();
            // Tighter than asked for near 1, where the absolute bound would let every digit go.
            assert!(error <= want.abs() * 2f64.powi(-22), "{x:e}: {error:e} of {want:e}");
        };
        for bits in (f32::MIN_POSITIVE.to_bits()..0x7f80_0000).step_by(9973) {
            check(f32::from_bits(bits));
        }
        let one = 1f32.to_bits();
        for bits in ((one - 2_000_000)..(one + 2_000_000)).step_by(37) {
            check(f32::from_bits(bits));
        }
        for near in one - 3..one + 4 {
            check(f32::from_bits(near));
        }
    }

    #[test]
    fn log2_is_exact_for_powers_of_two_and_keeps_special_values() {
        let log2 = compiled_log2();
        for exponent in -126..=127 {
            assert_eq!(log2.run(2f32.powi(exponent))[0], exponent as f32);
        }
        for x in [0.0, -0.0, DENORMAL, -DENORMAL] {
            assert_eq!(log2.run(x)[0], f32::NEG_INFINITY);
        }
        for x in [-1.0, -f32::MIN_POSITIVE, f32::MIN, f32::NEG_INFINITY, f32::NAN] {
            assert!(log2.run(x)[0].is_nan(), "{x}");
        }
        assert_eq!(log2.run(f32::INFINITY)[0], f32::INFINITY);
    }

    #[test]
    fn sine_and_cosine_are_within_their_bound() {
        let sin_cos = compiled_sin_cos();
        let mut worst = 0f64;
        let mut check = |x: f32| {
            let got = sin_cos.run(x);
            worst = worst.max((f64::from(got[0]) - f64::from(x).sin()).abs());
            worst = worst.max((f64::from(got[1]) - f64::from(x).cos()).abs());
        };
        let bound = 100.0 * std::f32::consts::PI;
        for step in 0..200_000 {
            check(-bound + step as f32 * (bound / 100_000.0));
        }
        for step in 0..50_000 {
            check(step as f32 * 0.24);
        }
        assert!(worst < 1.5e-7, "{worst:e}");
    }

    #[test]
    fn sine_and_cosine_keep_special_values() {
        let sin_cos = compiled_sin_cos();
        for (x, sine) in [(0.0f32, 0.0f32), (-0.0, -0.0), (DENORMAL, 0.0), (-DENORMAL, -0.0)] {
            let got = sin_cos.run(x);
            assert_eq!((got[0].to_bits(), got[1]), (sine.to_bits(), 1.0));
        }
        for x in [f32::INFINITY, f32::NEG_INFINITY, f32::NAN] {
            assert!(sin_cos.run(x).iter().all(|value| value.is_nan()));
        }
        for x in [1e5, 1e10, -3e25, f32::MAX, f32::MIN] {
            assert!(sin_cos.run(x).iter().all(|value| value.abs() <= 1.0), "{x}");
        }
        // Small angles are their own sine, with all their digits.
        assert_eq!(sin_cos.run(1e-10)[0], 1e-10);
    }
}
