//! Builds the fixed functions of Direct3D 9 that follow a pixel shader: the alpha test and fog.
//!
//! The rules are those of its documentation, "Alpha Testing State" and "Fog Formulas"; values that change from draw to
//! draw are in the state.

use crate::builder::Builder;
use crate::entity::Value;
use crate::math;
use crate::ops::Op;

use super::depth::compare;
use super::interpolate::ShadedPixel;
use super::record::{BatchDirect3D9, BatchState, PixelArray, floats, word, words};
use super::state::{Comparison, Distance, Fog};

/// The word of [`BatchState`] at which a word of [`BatchDirect3D9`] lies.
const fn direct3d9(word: u32) -> u32 {
    word!(BatchState.reserved) + word
}

/// `true` if the word of an alpha passes the test: it is rounded to an 8-bit code, and clamped to 0 to 255 if its
/// target is.
pub(super) fn alpha_test(b: &mut Builder<'_>, test: Comparison, alpha: Value, is_clamped: bool) -> Value {
    let first = b.i32(0);
    let [reference] = words(b, PixelArray::State.id(), first, direct3d9(word!(BatchDirect3D9.alpha_reference)));
    let (alpha, most, half) = (b.op(Op::AsF32, &[alpha]), b.f32(255.0), b.f32(0.5));
    let share = if is_clamped { b.op(Op::FSat, &[alpha]) } else { alpha };
    let number = b.op(Op::FMul, &[share, most]);
    let number = b.op(Op::FAdd, &[number, half]);
    if is_clamped {
        let code = b.op(Op::FToU, &[number]);
        return compare(b, test, code, reference);
    }
    let whole = b.op(Op::FFloor, &[number]);
    let code = b.op(Op::FToS, &[whole]);
    // With the sign bit inverted, unsigned order is signed order.
    let sign = b.i32(1 << 31);
    let [code, reference] = [code, reference].map(|number| b.op(Op::Xor, &[number, sign]));
    compare(b, test, code, reference)
}

/// The words of a colour blended with fog; its alpha stays.
pub(super) fn fogged(b: &mut Builder<'_>, fog: Fog, pixel: &ShadedPixel, color: [Value; 4]) -> [Value; 4] {
    let factor = factor(b, fog, pixel);
    let first = b.i32(0);
    let fog: [Value; 3] = floats(b, PixelArray::State.id(), first, direct3d9(word!(BatchDirect3D9.fog_color)));
    let mut fogged = color;
    for n in 0..3 {
        let own = b.op(Op::AsF32, &[color[n]]);
        let way = b.op(Op::FSub, &[own, fog[n]]);
        let kept = b.op(Op::FMul, &[way, factor]);
        let sum = b.op(Op::FAdd, &[fog[n], kept]);
        fogged[n] = b.op(Op::BitsF32, &[sum]);
    }
    fogged
}

/// The fog factor, by which a colour stays what it is: from 0 to 1, and 1 where the distance is NaN.
fn factor(b: &mut Builder<'_>, fog: Fog, pixel: &ShadedPixel) -> Value {
    let first = b.i32(0);
    let mut range = || floats::<2>(b, PixelArray::State.id(), first, direct3d9(word!(BatchDirect3D9.fog_range)));
    let distance = |distance| match distance {
        Distance::Depth => pixel.z,
        Distance::W => pixel.w,
    };
    let factor = match fog {
        Fog::Complete => b.f32(0.0),
        Fog::Vertex(_) => pixel.more.unwrap_or_else(|| b.f32(1.0)),
        Fog::Linear(of) => {
            let [end, scale] = range();
            let way = b.op(Op::FSub, &[end, distance(of)]);
            b.op(Op::FMul, &[way, scale])
        }
        Fog::Exponential(of) => {
            let [_, scale] = range();
            let power = b.op(Op::FMul, &[distance(of), scale]);
            let power = b.op(Op::FNeg, &[power]);
            math::exp2(b, power)
        }
        Fog::ExponentialSquared(of) => {
            let [_, scale] = range();
            let root = b.op(Op::FMul, &[distance(of), scale]);
            let power = b.op(Op::FMul, &[root, root]);
            let power = b.op(Op::FNeg, &[power]);
            math::exp2(b, power)
        }
    };
    let (zero, one) = (b.f32(0.0), b.f32(1.0));
    let factor = b.op(Op::FMin, &[factor, one]);
    b.op(Op::FMax, &[factor, zero])
}
