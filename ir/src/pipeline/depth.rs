//! Tests stencil and depth after the shader, for pixels that only the shader decides on (functional specification,
//! 16.9.2 and 17.10 to 17.12).

use crate::builder::{Builder, only};
use crate::entity::{ResourceId, Value};
use crate::function::Function;
use crate::interface::Component;
use crate::ops::Op;
use crate::stage::{Signature, SystemValue, row_of};

use super::DEPTH;
use super::interpolate::ShadedPixel;
use super::record::{BatchState, DEPTHS_STAY, PixelArray, STENCILS_STAY, floats, word, words};
use super::rows::RowOutputs;
use super::state::{Comparison, DepthFormat, DepthTest, PixelState, StencilFace, StencilOp, StencilTest};

/// Declares the depth buffer as a resource, after the targets.
pub(super) fn declare(func: &mut Function, state: &PixelState) -> ResourceId {
    super::declare_target(func, state, Component::Uint, DEPTH)
}

/// The depth of a pixel: the primitive's, unless the shader outputs one.
pub(super) fn of_pixel(b: &mut Builder<'_>, pixel: &ShadedPixel, signature: &Signature, outputs: &RowOutputs) -> Value {
    of_shader(b, pixel, signature, outputs).unwrap_or(pixel.z)
}

/// The depth that a shader outputs, if it does.
pub(super) fn of_shader(
    b: &mut Builder<'_>,
    pixel: &ShadedPixel,
    signature: &Signature,
    outputs: &RowOutputs,
) -> Option<Value> {
    // A depth that breaks its promise is clamped to it, as 16.9.3.2 allows: early tests may have relied on it.
    let kinds = [
        (SystemValue::Depth, None),
        (SystemValue::DepthGreaterEqual, Some(Op::FMax)),
        (SystemValue::DepthLessEqual, Some(Op::FMin)),
    ];
    let (row, clamp) = kinds.iter().find_map(|&(value, clamp)| Some((row_of(&signature.outputs, value)?, clamp)))?;
    let word = outputs.word(b, row, 0);
    let depth = b.op(Op::AsF32, &[word]);
    Some(clamp.map_or(depth, |clamp| b.op(clamp, &[depth, pixel.z])))
}

/// The stencil reference of a pixel: the draw's, unless the shader outputs one.
pub(super) fn reference(b: &mut Builder<'_>, signature: &Signature, outputs: &RowOutputs) -> Value {
    match row_of(&signature.outputs, SystemValue::StencilRef) {
        Some(row) => outputs.word(b, row, 0),
        None => {
            let first = b.i32(0);
            let [reference] = words(b, PixelArray::State.id(), first, word!(BatchState.stencil_reference));
            reference
        }
    }
}

/// Tests stencil and depth, and writes both where the pixel is live. Returns whether it is live from then on.
pub(super) fn test(
    b: &mut Builder<'_>,
    late: DepthTest,
    resource: ResourceId,
    pixel: &ShadedPixel,
    texel: &[Value],
    [depth, reference]: [Value; 2],
    live: Value,
) -> Value {
    let first = b.i32(0);
    let [least, most] = floats(b, PixelArray::State.id(), first, word!(BatchState.depths));
    // NaN becomes the least depth.
    let depth = b.op(Op::FMax, &[depth, least]);
    let depth = b.op(Op::FMin, &[depth, most]);
    let code = code(b, late.format, depth);
    let resource = only(resource);
    let [word, next, ..] = b.texel_load(resource, texel, None);
    let (depths, above, byte) = (b.i32(0xff_ffff), b.i32(24), b.i32(0xff));
    let (old, old_stencil) = match late.format {
        DepthFormat::D16 | DepthFormat::D32 => (word, None),
        DepthFormat::D24 => (b.op(Op::And, &[word, depths]), Some(b.op(Op::UShr, &[word, above]))),
        DepthFormat::D32S8 => (word, Some(b.op(Op::And, &[next, byte]))),
    };
    // Codes grow with depths.
    let passes = compare(b, late.test, code, old);
    let stencil = late.stencil.zip(old_stencil).map(|(test, old)| stencil(b, test, pixel, reference, old, passes));
    let is_kept = stencil.map_or(passes, |(is_kept, _)| is_kept);
    let is_left = b.op(Op::BAnd, &[live, is_kept]);

    if late.changes_buffer() {
        // A read-only buffer may be read by shaders meanwhile: not even its old values are written back.
        let [read_only] = words(b, PixelArray::State.id(), first, word!(BatchState.read_only));
        let [depths_change, stencils_change] = [DEPTHS_STAY, STENCILS_STAY].map(|bit| {
            let (bit, zero) = (b.i32(bit), b.i32(0));
            let stay = b.op(Op::And, &[read_only, bit]);
            b.op(Op::IEq, &[stay, zero])
        });
        let writes = if late.writes { depths_change } else { b.bool(false) };
        let is_passing = b.op(Op::BAnd, &[is_left, writes]);
        // Stencils also change where tests fail.
        let (new, new_stencil, is_written) = match stencil.zip(old_stencil) {
            None => (code, old_stencil, is_passing),
            Some(((_, new_stencil), old_stencil)) => {
                let new_stencil = b.select(stencils_change, new_stencil, old_stencil);
                let changes = b.op(Op::BOr, &[writes, stencils_change]);
                (b.select(is_passing, code, old), Some(new_stencil), b.op(Op::BAnd, &[live, changes]))
            }
        };
        let words = match new_stencil {
            None => [new, next],
            Some(stencil) if late.format == DepthFormat::D24 => {
                let stencil = b.op(Op::Shl, &[stencil, above]);
                [b.op(Op::Or, &[stencil, new]), next]
            }
            Some(stencil) => {
                let others = b.i32(!0xff);
                let kept = b.op(Op::And, &[next, others]);
                [new, b.op(Op::Or, &[kept, stencil])]
            }
        };
        let zero = b.i32(0);
        b.texel_store(resource, texel, [words[0], words[1], zero, zero], is_written);
    }
    is_left
}

/// Tests the stencil of a pixel, given the result of its depth test. Returns the result of both and the new stencil.
fn stencil(
    b: &mut Builder<'_>,
    test: StencilTest,
    pixel: &ShadedPixel,
    reference: Value,
    old: Value,
    passes: Value,
) -> (Value, Value) {
    let (front_kept, front) = face(b, &test, test.front, reference, old, passes);
    let (is_kept, new) = if test.front == test.back {
        (front_kept, front)
    } else {
        let (back_kept, back) = face(b, &test, test.back, reference, old, passes);
        let (is_front, zero) = (pixel.is_front(b), b.i32(0));
        let is_front = b.op(Op::INe, &[is_front, zero]);
        (b.select(is_front, front_kept, back_kept), b.select(is_front, front, back))
    };
    let [write, keep] = [test.write_mask, !test.write_mask].map(|mask| b.i32(mask.into()));
    let [written, kept] = [b.op(Op::And, &[new, write]), b.op(Op::And, &[old, keep])];
    (is_kept, b.op(Op::Or, &[written, kept]))
}

/// The same for one facing of the primitive, without the write mask.
fn face(
    b: &mut Builder<'_>,
    test: &StencilTest,
    face: StencilFace,
    reference: Value,
    old: Value,
    passes: Value,
) -> (Value, Value) {
    let read = b.i32(test.read_mask.into());
    let [new_read, old_read] = [reference, old].map(|value| b.op(Op::And, &[value, read]));
    let stencil_passes = compare(b, face.test, new_read, old_read);
    let [fail, depth_fail, pass] = [face.fail, face.depth_fail, face.pass].map(|op| updated(b, op, old, reference));
    let passed = b.select(passes, pass, depth_fail);
    (b.op(Op::BAnd, &[stencil_passes, passes]), b.select(stencil_passes, passed, fail))
}

/// The stencil that an operation gives.
fn updated(b: &mut Builder<'_>, op: StencilOp, old: Value, reference: Value) -> Value {
    let (one, most) = (b.i32(1), b.i32(0xff));
    match op {
        StencilOp::Keep => old,
        StencilOp::Zero => b.i32(0),
        StencilOp::Replace => b.op(Op::And, &[reference, most]),
        StencilOp::IncrementSaturated => {
            let more = b.op(Op::IAdd, &[old, one]);
            b.op(Op::UMin, &[more, most])
        }
        StencilOp::DecrementSaturated => {
            let least = b.op(Op::UMax, &[old, one]);
            b.op(Op::ISub, &[least, one])
        }
        StencilOp::Invert => b.op(Op::Xor, &[old, most]),
        StencilOp::Increment | StencilOp::Decrement => {
            let way = if op == StencilOp::Increment { one } else { most };
            let moved = b.op(Op::IAdd, &[old, way]);
            b.op(Op::And, &[moved, most])
        }
    }
}

/// Compares unsigned integers.
pub(super) fn compare(b: &mut Builder<'_>, how: Comparison, new: Value, old: Value) -> Value {
    match how {
        Comparison::Never => b.bool(false),
        Comparison::Less => b.op(Op::ULt, &[new, old]),
        Comparison::Equal => b.op(Op::IEq, &[new, old]),
        Comparison::LessEqual => b.op(Op::UGe, &[old, new]),
        Comparison::Greater => b.op(Op::ULt, &[old, new]),
        Comparison::NotEqual => b.op(Op::INe, &[new, old]),
        Comparison::GreaterEqual => b.op(Op::UGe, &[new, old]),
        Comparison::Always => b.bool(true),
    }
}

/// Converts a depth to its code, rounded to nearest, halves up.
fn code(b: &mut Builder<'_>, format: DepthFormat, depth: Value) -> Value {
    match format {
        DepthFormat::D32 | DepthFormat::D32S8 => b.op(Op::BitsF32, &[depth]),
        DepthFormat::D16 => {
            let (scale, half) = (b.f32(65535.0), b.f32(0.5));
            let number = b.op(Op::FMul, &[depth, scale]);
            let number = b.op(Op::FAdd, &[number, half]);
            b.op(Op::FToU, &[number])
        }
        DepthFormat::D24 => {
            // A float has no room for depth * (2^24 - 1) + 0.5. But depth * 2^24 is exact, and so are its whole part
            // and the rest, which is 0 from half of the depths on: the code is the whole part, one more if rest - 0.5
            // >= depth, one less if depth > 0.5. Where rest - 0.5 is not exact it is negative.
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
