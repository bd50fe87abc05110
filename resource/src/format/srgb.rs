//! Converts 8-bit codes along the sRGB curve, by tables.

use brolga_ir::srgb::{LIMITS, LINEAR};

/// The number of a code, rounded to nearest.
pub(super) fn to_linear(code: u32) -> f32 {
    f32::from_bits(LINEAR[(code & 0xff) as usize])
}

/// The code nearest on the curve; NaN is 0.
pub(super) fn from_linear(number: f32) -> u32 {
    LIMITS.partition_point(|&limit| f32::from_bits(limit) <= number) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The curve in doubles.
    fn curve(code: f64) -> f64 {
        let c = code / 255.0;
        if c <= 0.04045 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }
    }

    #[test]
    fn tables_follow_the_curve() {
        for code in 0..256u32 {
            let exact = curve(code.into());
            assert!((f64::from(to_linear(code)) - exact).abs() <= exact * 2f64.powi(-24) * 1.001, "{code}");
            assert_eq!(from_linear(to_linear(code)), code);
            for (offset, rounded) in [(-0.499, code), (0.499, code), (0.501, (code + 1).min(255))] {
                assert_eq!(from_linear(curve((f64::from(code) + offset).max(0.0)) as f32), rounded, "{code} {offset}");
            }
        }
        assert_eq!([f32::NAN, -1.0, f32::INFINITY, -0.0].map(from_linear), [0, 0, 255, 0]);
    }
}
