//! Computes ranges of floats, so that conversions and clamps get shorter code: fixed-point texels are full of them.
//!
//! As in [`float_class`](crate::float_class) no rule repeats the definition of an operation: it is evaluated at the
//! ends of its operands' ranges. Rounding keeps the order of numbers, so results for numbers in between lie in between.

use crate::bound::Bounds;
use crate::entity::Value;
use crate::function::Function;
use crate::ops::Op;
use crate::types::Type;

/// The longest chain of operations that is followed.
const MOST_STEPS: u32 = 6;

/// The least and the greatest number that an `f32` can be, if it is never a NaN and both are known. The range holds in
/// all lanes that have the value.
pub fn of(func: &Function, bounds: &Bounds, value: Value) -> Option<[f32; 2]> {
    range(func, bounds, value, MOST_STEPS)
}

fn range(func: &Function, bounds: &Bounds, value: Value, steps: u32) -> Option<[f32; 2]> {
    if let Some(constant) = func.as_const(value) {
        let number = f32::from_bits(constant.bits as u32);
        return (constant.ty == Type::F32 && !number.is_nan()).then_some([number; 2]);
    }
    let steps = steps.checked_sub(1)?;
    let (op, args) = func.as_op(value)?;
    let of = |n: usize| range(func, bounds, args[n], steps);
    match op {
        Op::UToF => {
            let most = op.eval(&[bounds.most(args[0]).into()]);
            Some([0.0, f32::from_bits(most as u32)])
        }
        Op::FSat => Some(of(0).and_then(|range| ends(op, &[range])).unwrap_or([0.0, 1.0])),
        Op::FFlush | Op::FFloor | Op::FCeil | Op::FTrunc | Op::FNearest | Op::FNeg => ends(op, &[of(0)?]),
        Op::FAdd | Op::FSub | Op::FMul | Op::FMin | Op::FMax => ends(op, &[of(0)?, of(1)?]),
        Op::SelectF32 => {
            let ([a, b], [c, d]) = (of(1)?, of(2)?);
            Some([a.min(c), b.max(d)])
        }
        _ => None,
    }
}

/// The range of an operation's results, with each operand at either end of its range.
fn ends(op: Op, operands: &[[f32; 2]]) -> Option<[f32; 2]> {
    let mut found = [f32::INFINITY, f32::NEG_INFINITY];
    for corner in 0..1 << operands.len() {
        let mut bits = [0; 2];
        for (n, range) in operands.iter().enumerate() {
            bits[n] = range[corner >> n & 1].to_bits().into();
        }
        let result = f32::from_bits(op.eval(&bits[..operands.len()]) as u32);
        if !result.is_finite() {
            return None;
        }
        found = [found[0].min(result), found[1].max(result)];
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builder::Builder;
    use crate::function::Input;
    use crate::interface::Interface;

    #[test]
    fn codes_of_fixed_point_are_bounded() {
        let mut func = Function::new("test", Interface::default());
        let mut b = Builder::new(&mut func);
        let bits = b.input(Input::GroupId(0));
        let anything = b.op(Op::AsF32, &[bits]);
        let (scale, half, three, nan) = (b.f32(255.0), b.f32(0.5), b.f32(-3.0), b.f32(f32::NAN));
        let saturated = b.op(Op::FSat, &[anything]);
        let scaled = b.op(Op::FMul, &[saturated, scale]);
        let code = b.op(Op::FAdd, &[scaled, half]);
        let negative = b.op(Op::FMul, &[code, three]);
        let difference = b.op(Op::FSub, &[saturated, code]);
        let mask = b.i32(255);
        let byte = b.op(Op::And, &[bits, mask]);
        let number = b.op(Op::UToF, &[byte]);
        let sum = b.op(Op::FAdd, &[number, anything]);
        b.return_();
        let bounds = Bounds::compute(&func);
        let of = |value| of(&func, &bounds, value);
        assert_eq!(of(saturated), Some([0.0, 1.0]));
        assert_eq!(of(code), Some([0.5, 255.5]));
        assert_eq!(of(negative), Some([-766.5, -1.5]));
        assert_eq!(of(difference), Some([-255.5, 0.5]));
        assert_eq!(of(number), Some([0.0, 255.0]));
        assert_eq!([anything, sum, nan].map(of), [None; 3]);
    }
}
