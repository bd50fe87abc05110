//! Implements Direct3D's float rules: flushing, NaN handling of min and max, saturation, half precision.
//!
//! Everything here holds whatever the processor's control register says, except that the caller must run under the
//! default rounding (to nearest even) and without flush-to-zero; the interpreter's guard ensures that.

use std::cmp::Ordering;

/// The NaN that becomes visible where a float is converted to bits.
pub const NAN_F32: u32 = 0x7fc0_0000;
/// The NaN that becomes visible where a double is converted to bits.
pub const NAN_F64: u64 = 0x7ff8_0000_0000_0000;

/// The magnitude below which a 32-bit result is tiny *after* rounding to 24 bits with an unbounded exponent: half an
/// ulp below the smallest normal number, to which ties round up.
const TINY: f64 = f32::MIN_POSITIVE as f64 * (1.0 - 1.0 / (1u64 << 25) as f64);

/// Flushes a denormal to the zero of its sign.
pub fn flush(x: f32) -> f32 {
    if x.is_subnormal() { 0f32.copysign(x) } else { x }
}

/// Rounds a value that is exact, or closer to exact than 32-bit ties need, and flushes it.
pub fn narrow(x: f64) -> f32 {
    if x.abs() < TINY { 0f32.copysign(x as f32) } else { x as f32 }
}

/// Product. The exact product of two 24-bit significands fits 53 bits.
pub fn mul(a: f32, b: f32) -> f32 {
    narrow(f64::from(flush(a)) * f64::from(flush(b)))
}

/// Quotient. Rounding to 53 and then to 24 bits gives the correctly rounded 24-bit quotient.
pub fn div(a: f32, b: f32) -> f32 {
    narrow(f64::from(flush(a)) / f64::from(flush(b)))
}

/// Product and sum, rounded once. In 53 bits the product is exact, and the sum is rounded to odd: rounding that to 24
/// bits gives the same as rounding the exact sum.
pub fn fma(a: f32, b: f32, c: f32) -> f32 {
    let [a, b, c] = [a, b, c].map(|x| f64::from(flush(x)));
    let product = a * b;
    let sum = product + c;
    // The rounding error of the sum, which is exact. A NaN where the sum is NaN or infinite.
    let back = sum - product;
    let rest = (product - (sum - back)) + (c - back);
    let is_even = sum.to_bits() & 1 == 0;
    narrow(match rest.partial_cmp(&0.0) {
        Some(Ordering::Greater) if is_even => sum.next_up(),
        Some(Ordering::Less) if is_even => sum.next_down(),
        _ => sum,
    })
}

/// Smaller of two; the other one if one is NaN; the second of two equal ones.
pub fn min(a: f32, b: f32) -> f32 {
    if b.is_nan() || a < b { a } else { b }
}

/// Larger of two; the other one if one is NaN; the second of two equal ones.
pub fn max(a: f32, b: f32) -> f32 {
    if b.is_nan() || a > b { a } else { b }
}

/// Clamp to [0, 1]; NaN and -0 become +0.
pub fn saturate(x: f32) -> f32 {
    if x > 0.0 { x.min(1.0) } else { 0.0 }
}

/// Like [`min`], for doubles.
pub fn min_f64(a: f64, b: f64) -> f64 {
    if b.is_nan() || a < b { a } else { b }
}

/// Like [`max`], for doubles.
pub fn max_f64(a: f64, b: f64) -> f64 {
    if b.is_nan() || a > b { a } else { b }
}

/// Like [`saturate`], for doubles.
pub fn saturate_f64(x: f64) -> f64 {
    if x > 0.0 { x.min(1.0) } else { 0.0 }
}

/// Half precision, rounded towards zero (functional specification 3.2.2): overflow gives the largest finite half. The
/// result is bits, so every NaN gives the same ones, whatever its sign.
pub fn to_half(x: f32) -> u32 {
    let bits = x.to_bits();
    let sign = (bits >> 16) & 0x8000;
    let magnitude = bits & 0x7fff_ffff;
    let half = match magnitude {
        0x7f80_0001.. => return 0x7e00,
        0x7f80_0000 => 0x7c00,
        // 65536 and above.
        0x4780_0000.. => 0x7bff,
        // 2^-14 and above: a normal half, its exponent bias 112 less.
        0x3880_0000.. => (magnitude - 0x3800_0000) >> 13,
        // 2^-24 and above: a denormal half.
        0x3380_0000.. => ((magnitude & 0x007f_ffff) | 0x0080_0000) >> (126 - (magnitude >> 23)),
        _ => 0,
    };
    sign | half
}

/// The float equal to a half in the low 16 bits; its denormals are normal floats. Every NaN gives [`NAN_F32`], since
/// texels are seen as bits.
pub fn from_half(bits: u32) -> f32 {
    let sign = (bits & 0x8000) << 16;
    let magnitude = bits & 0x7fff;
    let float = match magnitude {
        0x7c01.. => return f32::from_bits(NAN_F32),
        0x7c00 => 0x7f80_0000,
        0x0400.. => (magnitude << 13) + 0x3800_0000,
        // A multiple of 2^-24, exact.
        _ => (magnitude as f32 / (1u32 << 24) as f32).to_bits(),
    };
    f32::from_bits(sign | float)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_that_are_tiny_after_rounding_are_flushed() {
        // 0.99999994 * FLT_MIN needs no rounding in 24 bits and is below FLT_MIN, though a denormal result would round
        // up to it.
        assert_eq!(mul(0.999_999_94, f32::MIN_POSITIVE).to_bits(), 0);
        assert_eq!(mul(-0.999_999_94, f32::MIN_POSITIVE).to_bits(), 0x8000_0000);
        assert_eq!(mul(1.0, f32::MIN_POSITIVE), f32::MIN_POSITIVE);
        assert_eq!(div(f32::from_bits(0x00ff_ffff), 2.0).to_bits(), 0);
    }

    #[test]
    fn sums_of_products_are_rounded_once() {
        // 1 + 2^-23 squared is 1 + 2^-22 + 2^-46, whose last term a rounded product loses.
        let x = 1.0 + f32::EPSILON;
        assert_eq!(fma(x, x, -(x * x)), 2f32.powi(-46));
        // Half an ulp above 1 and a little more, which 53 bits do not hold.
        let half = 2f32.powi(-24);
        assert_eq!(fma(2f32.powi(-60), 2f32.powi(-60), 1.0 + f32::EPSILON), 1.0 + f32::EPSILON);
        assert_eq!(fma(half, 1.0 + f32::EPSILON, 1.0), 1.0 + f32::EPSILON);
        assert_eq!(fma(half, 1.0 - half, 1.0), 1.0);
        assert!(fma(f32::INFINITY, 0.0, 1.0).is_nan());
        assert_eq!(fma(f32::MAX, 2.0, f32::NEG_INFINITY), f32::NEG_INFINITY);
    }

    #[test]
    fn halves_round_towards_zero_and_back() {
        for bits in 0..=0xffffu32 {
            if bits & 0x7fff > 0x7c00 {
                assert_eq!(from_half(bits).to_bits(), NAN_F32);
            } else {
                assert_eq!(to_half(from_half(bits)), bits, "{bits:#06x}");
            }
        }
        assert_eq!(to_half(65535.9), 0x7bff);
        assert_eq!(to_half(1e30), 0x7bff);
        assert_eq!(to_half(f32::INFINITY), 0x7c00);
        assert_eq!(to_half(-f32::NAN), to_half(f32::NAN));
        assert_eq!(to_half(2f32.powi(-25) * 1.99), 0);
    }
}
