//! Builds `exp2`, `log2`, sine and cosine from plain operations, so that every engine gives the same bits.
//!
//! Each function reduces its argument to a short interval and evaluates a minimax polynomial there (found with the
//! Remez algorithm for the interval and error measure named at its coefficients). Direct3D requires little, so the
//! polynomials are short:
//!
//! | function | Direct3D's bound | error here |
//! |---|---|---|
//! | `exp2` | relative 2^-21 | relative 2^-22 |
//! | `log2` | 2^-21 absolute in [0.5, 2], relative elsewhere | relative 2^-21 in [0.5, 2] too |
//! | sine, cosine | 0.0008 absolute up to 100 pi | 1.5e-6 absolute up to 12000, growing beyond, never outside [-1, 1] |
//!
//! Two techniques keep them cheap. Values are clamped by `a < b ? a : b`, which vector code does in one instruction and
//! which passes a NaN through as its second operand; where a NaN must not pass, by `fmin` or `fmax` with a constant.
//! Small integers are converted to bits and back by adding a number, not by a conversion, which would have to clamp.

use std::f32::consts::{FRAC_1_PI, LOG2_E};

use crate::builder::Builder;
use crate::entity::Value;
use crate::ops::Op;

/// (2^f - 1) / f for f in [0, 1], least relative error of 2^f.
const EXP2: [f32; 5] = [0.6931513, 0.2401646, 0.055799514, 0.00901748, 0.0018669527];

/// log2(1 + f) / f for 1 + f in [sqrt(1/2), sqrt(2)], least relative error.
const LOG2: [f32; 8] = [LOG2_E, -0.7213528, 0.48092324, -0.36023965, 0.2870989, -0.24887694, 0.23404083, -0.14580958];

/// (sin(r) / r - 1) / r^2 in r^2, for r in [-pi/2, pi/2], least absolute error of the sine. At the ends it is too
/// small, not too large, so that it never passes 1.
const SIN: [f32; 3] = [-0.1666568, 0.008312361, -0.00018492031];

/// (cos(r) - 1) / r^2 in r^2, for r in [-pi/2, pi/2], least absolute error of the cosine.
const COS: [f32; 4] = [-0.4999993, 0.041663963, -0.0013855709, 2.3189034e-5];

/// pi in two parts. The first has 8 bits, so that its products with integers up to 2^16 are exact.
const PI: [f32; 2] = [3.140625, 0.0009676536];

/// A bit more than pi/2: the bound of reduced angles. Rounding the number of half turns takes them past pi/2.
const REDUCED_END: f32 = 1.575;

/// 1.5 * 2^23: a float between 2^22 below and above it has the units digit as its last bit, so that adding this rounds
/// to an integer and leaves that in the low bits.
const INTEGER: f32 = 12_582_912.0;

/// The bias of the exponent in a float's bits.
const EXPONENT_BIAS: f32 = 127.0;

/// The bits of sqrt(1/2).
const SQRT_HALF_BITS: u32 = 0x3f35_04f3;

/// Bits of the mantissa of a float.
const MANTISSA_BITS: u32 = 23;

/// The largest float below 1.
const BELOW_ONE: f32 = f32::from_bits(0x3f7f_ffff);

/// The polynomial with these coefficients, the constant one first.
fn polynomial(b: &mut Builder<'_>, x: Value, coefficients: &[f32]) -> Value {
    let terms = coefficients.iter().map(|&coefficient| b.f32(coefficient)).collect();
    sum_of_terms(b, x, terms)
}

/// The sum of terms times rising powers of x. More than three are paired and the pairs summed in powers of x^2
/// (Estrin's scheme): one more product per level, but half the dependency chain.
fn sum_of_terms(b: &mut Builder<'_>, x: Value, terms: Vec<Value>) -> Value {
    if terms.len() <= 3 {
        let (&highest, others) = terms.split_last().expect("a polynomial has a coefficient");
        return others.iter().rev().fold(highest, |sum, &term| plus_product(b, term, sum, x));
    }
    let pairs = terms.chunks(2).map(|pair| match *pair {
        [term, by_x] => plus_product(b, term, by_x, x),
        [term, ..] => term,
        [] => unreachable!("chunks are not empty"),
    });
    let pairs = pairs.collect();
    let square = b.op(Op::FMul, &[x, x]);
    sum_of_terms(b, square, pairs)
}

/// a + c * x.
fn plus_product(b: &mut Builder<'_>, a: Value, c: Value, x: Value) -> Value {
    let product = b.op(Op::FMul, &[c, x]);
    b.op(Op::FAdd, &[product, a])
}

/// 1 + x * the polynomial in x.
fn one_plus(b: &mut Builder<'_>, x: Value, coefficients: &[f32]) -> Value {
    let slope = polynomial(b, x, coefficients);
    let rest = b.op(Op::FMul, &[x, slope]);
    let one = b.f32(1.0);
    b.op(Op::FAdd, &[one, rest])
}

/// `x`, but at least `least`. A NaN stays.
fn at_least(b: &mut Builder<'_>, least: f32, x: Value) -> Value {
    let least = b.f32(least);
    let is_below = b.op(Op::FLt, &[x, least]);
    b.select(is_below, least, x)
}

/// `x`, but at most `most`. A NaN stays.
fn at_most(b: &mut Builder<'_>, most: f32, x: Value) -> Value {
    let most = b.f32(most);
    let is_above = b.op(Op::FLt, &[most, x]);
    b.select(is_above, most, x)
}

/// 2 to the power of an `f32`. Exact for integers; 0 below 2^-126, since such a result would be flushed.
pub fn exp2(b: &mut Builder<'_>, x: Value) -> Value {
    // From -127 down the scale is zero.
    let x = b.op(Op::FFlush, &[x]);
    let x = at_least(b, -127.0, x);
    // From 128 up, and for a NaN, it is infinite.
    let highest = b.f32(128.0);
    let bounded = b.op(Op::FMin, &[x, highest]);
    let whole = b.op(Op::FFloor, &[bounded]);
    let origin = b.f32(INTEGER + EXPONENT_BIAS);
    let biased = b.op(Op::FAdd, &[whole, origin]);
    let biased = b.op(Op::BitsF32, &[biased]);
    let shift = b.i32(MANTISSA_BITS);
    let scale = b.op(Op::Shl, &[biased, shift]);
    let scale = b.op(Op::AsF32, &[scale]);

    // At least 1 however large the fraction of a large x is, and NaN for a NaN.
    let fraction = b.op(Op::FSub, &[x, whole]);
    let power = one_plus(b, fraction, &EXP2);
    b.op(Op::FMul, &[power, scale])
}

/// The distance of an `f32` from the next integer below, which must not round to 1.
pub fn fraction(b: &mut Builder<'_>, x: Value) -> Value {
    let floor = b.op(Op::FFloor, &[x]);
    let fraction = b.op(Op::FSub, &[x, floor]);
    let one = b.f32(1.0);
    let below_one = b.f32(BELOW_ONE);
    let rounded_up = b.op(Op::FGe, &[fraction, one]);
    b.select(rounded_up, below_one, fraction)
}

/// The binary logarithm of an `f32`. Exact for powers of two; zeros and denormals give -INF, negative numbers NaN.
pub fn log2(b: &mut Builder<'_>, x: Value) -> Value {
    // x = 2^exponent * m with m in [sqrt(1/2), sqrt(2)), so that the logarithm of m crosses zero at 1.
    let least = b.f32(f32::MIN_POSITIVE);
    let positive = b.op(Op::FMax, &[x, least]);
    let bits = b.op(Op::BitsF32, &[positive]);
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
    let is_zero = b.op(Op::FEq, &[x, zero]);
    let limit = b.select(is_zero, minus_infinity, nan);
    // Does not hold for a NaN either.
    let is_positive = b.op(Op::FLt, &[zero, x]);
    b.select(is_positive, result, limit)
}

/// Sine and cosine of an `f32` in radians. The sine of -0 is -0; infinities give NaN.
pub fn sin_cos(b: &mut Builder<'_>, x: Value) -> (Value, Value) {
    // x = whole * pi + r; both functions change sign with every half turn.
    let (by_pi, origin) = (b.f32(FRAC_1_PI), b.f32(INTEGER));
    let half_turns = b.op(Op::FMul, &[x, by_pi]);
    let rounded = b.op(Op::FAdd, &[half_turns, origin]);
    let whole = b.op(Op::FSub, &[rounded, origin]);
    let mut r = x;
    for part in PI {
        let part = b.f32(part);
        let product = b.op(Op::FMul, &[whole, part]);
        r = b.op(Op::FSub, &[r, product]);
    }
    // Far out the reduction is wrong, but results stay in [-1, 1].
    let r = at_least(b, -REDUCED_END, r);
    let r = at_most(b, REDUCED_END, r);

    // 1 or -1, and either for a NaN.
    let most = b.f32(2.0 * INTEGER);
    let number = b.op(Op::FMin, &[rounded, most]);
    let bits = b.op(Op::BitsF32, &[number]);
    let (sign_bit, one_bits) = (b.i32(31), b.i32(1f32.to_bits()));
    let sign = b.op(Op::Shl, &[bits, sign_bit]);
    let sign = b.op(Op::Or, &[sign, one_bits]);
    let sign = b.op(Op::AsF32, &[sign]);

    let square = b.op(Op::FMul, &[r, r]);
    let signed = b.op(Op::FMul, &[r, sign]);
    let ratio = one_plus(b, square, &SIN);
    let sine = b.op(Op::FMul, &[signed, ratio]);
    let cosine = one_plus(b, square, &COS);
    (sine, b.op(Op::FMul, &[cosine, sign]))
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
        assert!(worst < 2f64.powi(-22), "{worst:e}");
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
            // Tighter than required near 1, where the absolute bound would let every digit go.
            assert!(error <= want.abs() * 2f64.powi(-21), "{x:e}: {error:e} of {want:e}");
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
        assert!(worst < 1.5e-6, "{worst:e}");
    }

    #[test]
    fn sine_and_cosine_stay_within_one() {
        let sin_cos = compiled_sin_cos();
        for quarter in -400..=400 {
            let peak = (f64::from(quarter) * std::f64::consts::FRAC_PI_2) as f32;
            for step in -300..=300 {
                let x = f32::from_bits(peak.to_bits().wrapping_add_signed(step * 5));
                assert!(sin_cos.run(x).iter().all(|value| value.abs() <= 1.0 || x.is_nan()), "{x:e}");
            }
        }
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
        // Small angles are their own sine, to full precision.
        assert_eq!(sin_cos.run(1e-10)[0], 1e-10);
    }
}
