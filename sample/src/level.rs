//! Computes the level of detail from derivatives, and selects mip levels by it.
//!
//! Functional specification 7.18.10 and 7.18.11; 5.8 for the minimum level of a resource, 5.9.4.5.4 for the clamp of an
//! instruction. The level is computed in floats, so that many lanes do it at once.

use brolga_ir::float;
use brolga_resource::{Sampler, Tap};

use crate::coordinate::{ONE, to_fixed};

/// The square of a length, in texels, below which a length counts as zero: its level is beyond any bias. Parts of such
/// a sum may be denormals, which some float modes flush.
pub(crate) const NO_LENGTH: f32 = 1.0 / (1u128 << 100) as f32;

/// The coefficients of the binary logarithm, for the first, third, fifth... power of the argument of its series.
pub(crate) const LOG2: [f32; 5] = {
    const TWICE: f64 = 2.0 * std::f64::consts::LOG2_E;
    [TWICE as f32, (TWICE / 3.0) as f32, (TWICE / 5.0) as f32, (TWICE / 7.0) as f32, (TWICE / 9.0) as f32]
};

/// A pixel's footprint on a texture: derivatives of the coordinates along the screen's axes, and the texels of level 0
/// along each coordinate. Axes that the texture lacks are 0.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Footprint {
    pub x: [f32; 3],
    pub y: [f32; 3],
    pub extents: [f32; 3],
}

impl Footprint {
    /// The level of detail of an isotropic filter: the binary logarithm of the longer derivative.
    ///
    /// The specification's ideal is the major axis of the ellipse that both span, and it allows approximations. This is
    /// the one that other implementations use, so that images look alike; it is less than half a level finer.
    pub fn level(&self) -> f32 {
        let [xx, yy] = [self.x, self.y].map(|vector| {
            let [a, b, c] = [0, 1, 2].map(|axis| vector[axis] * self.extents[axis]);
            a * a + b * b + c * c
        });
        half_log2(float::max(xx, yy))
    }
}

/// Half the binary logarithm of the square of a length: exact for powers of two, else within 1e-6.
pub(crate) fn half_log2(square: f32) -> f32 {
    if square < NO_LENGTH {
        return f32::NEG_INFINITY;
    }
    if square.is_nan() || square == f32::INFINITY {
        return square;
    }
    let (exponent, fraction) = split(square);
    // ln(fraction) = 2 artanh(s), and |s| is less than 0.172.
    let s = (fraction - 1.0) / (fraction + 1.0);
    let ss = s * s;
    let [first, rest @ ..] = LOG2;
    let series = rest.into_iter().rev().fold(0.0, |sum, factor| (sum + factor) * ss);
    (exponent as f32 + s * (first + series)) * 0.5
}

/// Splits a positive number into 2 ^ exponent and a fraction from 0.707 to 1.414.
fn split(number: f32) -> (i32, f32) {
    let bits = number.to_bits();
    let exponent = (bits.wrapping_sub(std::f32::consts::FRAC_1_SQRT_2.to_bits()) as i32) >> 23;
    (exponent, f32::from_bits(bits.wrapping_sub((exponent << 23) as u32)))
}

/// Mip levels to filter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Levels {
    /// The level of detail after all clamping.
    pub clamped: f32,
    /// True if the magnification filter applies.
    pub magnifies: bool,
    pub first: usize,
    /// The next level, or the first one again.
    pub second: usize,
    /// Weight of the second level, in units of 1 / [`ONE`].
    pub fraction: u32,
}

/// Selects the mip levels for a level of detail. `least` is the minimum level of the resource or the instruction,
/// `count` the number of levels. `None` if the minimum is beyond the last level: then all texels are out of bounds.
///
/// A level of detail that is NaN counts as the sampler's largest. The choice between minification and magnification
/// does not depend on the number of levels.
#[inline]
pub(crate) fn select(level: f32, sampler: &Sampler, mip: Tap, least: f32, count: usize) -> Option<Levels> {
    let last = count.saturating_sub(1);
    if least > last as f32 {
        return None;
    }
    let clamped = float::max(sampler.min_level, float::min(sampler.max_level, float::flush(level)));
    let clamped = float::max(least, clamped);
    // Adding 0.0 removes the sign of a zero.
    let present = (clamped + 0.0).clamp(0.0, last as f32);
    let fixed = to_fixed(present) as u32;
    let (first, fraction) = match mip {
        Tap::Point => ((fixed + ONE / 2) / ONE, 0),
        Tap::Linear => (fixed / ONE, fixed % ONE),
    };
    let first = first as usize;
    Some(Levels { clamped: present, magnifies: clamped <= 0.0, first, second: (first + 1).min(last), fraction })
}
