//! The depth test after the shader, for pixels that only the shader decides on (functional specification, 16.9.2 and 17.10 to 17.11).

use crate::builder::{Builder, only};
use crate::entity::{ResourceId, Value};
use crate::function::Function;
use crate::interface::{Component, Dimension, ResourceClass, ResourceKind};
use crate::ops::Op;
use crate::stage::{Signature, SystemValue, row_of};

use super::DEPTH;
use super::interpolate::Pixel;
use super::record::{PixelArray, floats, state};
use super::rows::Outputs;
use super::state::{Comparison, DepthFormat, DepthTest};

/// Declares the depth buffer as a resource, which follows the targets.
pub(super) fn declare(func: &mut Function) -> ResourceId {
    let kind = ResourceKind::Typed { dimension: Dimension::Texture2d, component: Component::Uint };
    super::declare(func, ResourceClass::UnorderedAccess, kind, DEPTH)
}

/// The depth of a pixel: the primitive's, unless the shader gives one.
pub(super) fn of_pixel(b: &mut Builder<'_>, pixel: &Pixel, signature: &Signature, outputs: &Outputs) -> Value {
    // What breaks its promise is clamped to it, as 16.9.3.2 allows: early tests may have relied on it.
    let kinds = [
        (SystemValue::Depth, None),
        (SystemValue::DepthGreaterEqual, Some(Op::FMax)),
        (SystemValue::DepthLessEqual, Some(Op::FMin)),
    ];
    for (value, clamp) in kinds {
        if let Some(row) = row_of(&signature.outputs, value) {
            let word = outputs.word(b, row, 0);
            let depth = b.op(Op::AsF32, &[word]);
            return clamp.map_or(depth, |clamp| b.op(clamp, &[depth, pixel.z]));
        }
    }
    pixel.z
}

/// Tests a depth and writes it where the pixel stays; whether it is live from then on.
pub(super) fn test(
    b: &mut Builder<'_>,
    late: DepthTest,
    resource: ResourceId,
    pixel: &Pixel,
    depth: Value,
    live: Value,
) -> Value {
    let first = b.i32(0);
    let [least, most] = floats(b, PixelArray::State.id(), first, state::DEPTHS);
    // NaN becomes the least depth.
    let depth = b.op(Op::FMax, &[depth, least]);
    let depth = b.op(Op::FMin, &[depth, most]);
    let code = code(b, late.format, depth);
    let resource = only(resource);
    let [word, ..] = b.texel_load(resource, &pixel.position, None);
    let (old, new) = match late.format {
        DepthFormat::D16 | DepthFormat::D32 => (word, code),
        DepthFormat::D24 => {
            let (depths, others) = (b.i32(0xff_ffff), b.i32(0xff00_0000));
            let kept = b.op(Op::And, &[word, others]);
            (b.op(Op::And, &[word, depths]), b.op(Op::Or, &[kept, code]))
        }
    };
    // Codes grow with depths.
    let passes = match late.test {
        Comparison::Never => b.bool(false),
        Comparison::Less => b.op(Op::ULt, &[code, old]),
        Comparison::Equal => b.op(Op::IEq, &[code, old]),
        Comparison::LessEqual => b.op(Op::UGe, &[old, code]),
        Comparison::Greater => b.op(Op::ULt, &[old, code]),
        Comparison::NotEqual => b.op(Op::INe, &[code, old]),
        Comparison::GreaterEqual => b.op(Op::UGe, &[code, old]),
        Comparison::Always => b.bool(true),
    };
    let live = b.op(Op::BAnd, &[live, passes]);
    if late.writes {
        let zero = b.i32(0);
        b.texel_store(resource, &pixel.position, [new, zero, zero, zero], live);
    }
    live
}

/// The code of a depth, which is rounded to nearest; halves go up.
fn code(b: &mut Builder<'_>, format: DepthFormat, depth: Value) -> Value {
    match format {
        DepthFormat::D32 => b.op(Op::BitsF32, &[depth]),
        DepthFormat::D16 => {
            let (scale, half) = (b.f32(65535.0), b.f32(0.5));
            let number = b.op(Op::FMul, &[depth, scale]);
            let number = b.op(Op::FAdd, &[number, half]);
            b.op(Op::FToU, &[number])
        }
        DepthFormat::D24 => {
            // A float has no room for depth * (2^24 - 1) + 0.5. But depth * 2^24 is exact, and so are its whole part and the rest,
            // which is 0 from half of the depths on: the code is the whole part, one more if rest - 0.5 >= depth, one less if
            // depth > 0.5. Where rest - 0.5 is not exact it is negative.
            let (scale, half) = (b.f32(16_777_216.0), b.f32(0.5));
            let number = b.op(Op::FMul, &[depth, scale]);
            let whole = b.op(Op::FToU, &[number]);
            let floor = b.op(Op::UToF, &[whole]);
            let rest = b.op(Op::FSub, &[number, floor]);
            let rest = b.op(Op::FSub, &[rest, half]);
            let [is_more, is_less] = [b.op(Op::FGe, &[rest, depth]), b.op(Op::FLt, &[half, depth])];
            // Conditions are all ones.
            let [more, less] = [is_more, is_less].map(|condition| b.op(Op::BToI, &[condition]));
            let code = b.op(Op::ISub, &[whole, more]);
            b.op(Op::IAdd, &[code, less])
        }
    }
}
