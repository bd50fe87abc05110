//! Finds the bits of an integer that may be ones.
//!
//! The halves of a rotate, and fields that were inserted or extracted, are masked in bytecode whether or not other bits
//! are possible.

use crate::bound::all_ones;
use crate::entity::Value;
use crate::function::Function;
use crate::ops::Op;
use crate::types::Type;

/// Limit on following operands back. Each step has at most three branches.
const MOST_STEPS: u32 = 5;

/// The bits of an `i32` that may be ones in some thread: all others are known to be zeros.
pub(crate) fn may_be_ones(func: &Function, value: Value) -> u32 {
    within(func, value, MOST_STEPS)
}

fn within(func: &Function, value: Value, steps: u32) -> u32 {
    if let Some(constant) = func.as_const(value).filter(|constant| constant.ty == Type::I32) {
        return constant.bits as u32;
    }
    let (Some((op, args)), Some(steps)) = (func.as_op(value), steps.checked_sub(1)) else { return u32::MAX };
    let of = |n: usize| within(func, args[n], steps);
    let count = || func.as_const(args[1]).map(|count| count.bits as u32 & 31);
    match op {
        Op::And => of(0) & of(1),
        Op::Or | Op::Xor => of(0) | of(1),
        Op::SelectI32 => of(1) | of(2),
        Op::Shl => count().map_or(u32::MAX, |count| of(0) << count),
        Op::UShr => count().map_or(u32::MAX, |count| of(0) >> count),
        Op::RotL => count().map_or(u32::MAX, |count| of(0).rotate_left(count)),
        Op::SShr => count().map_or(u32::MAX, |count| ((of(0) as i32) >> count) as u32),
        Op::IAdd => {
            let (a, b) = (of(0), of(1));
            // Below the lowest ones there is nothing to add, and a carry goes one bit above the highest.
            let top = (u64::from(a) + u64::from(b)).min(u32::MAX.into()) as u32;
            all_ones(top) & above_or_equal((a | b).trailing_zeros())
        }
        Op::IMul => above_or_equal(of(0).trailing_zeros() + of(1).trailing_zeros()),
        Op::UMin => all_ones(of(0).min(of(1))),
        Op::CountBits => 63,
        _ => u32::MAX,
    }
}

/// All bits from this one up.
fn above_or_equal(bit: u32) -> u32 {
    u32::MAX.checked_shl(bit).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builder::Builder;
    use crate::function::Input;
    use crate::interface::Interface;

    /// Against every 8-bit number: no result has a bit that is not among those.
    #[test]
    fn results_have_no_other_bits() {
        let ops = [Op::And, Op::Or, Op::Xor, Op::Shl, Op::UShr, Op::RotL, Op::SShr, Op::IAdd, Op::IMul, Op::UMin];
        for op in ops {
            for (mask, other) in [(0xf0, 4), (0x0f, 3), (0x8000_00f0, 28), (0xff00, 0xff), (0, 7), (0xc000_0000, 1)] {
                let mut func = Function::new("test", Interface::default());
                let mut b = Builder::new(&mut func);
                let (word, mask_value, other_value) = (b.input(Input::ThreadIndex), b.i32(mask), b.i32(other));
                let masked = b.op(Op::And, &[word, mask_value]);
                let result = b.op(op, &[masked, other_value]);
                b.return_();
                let ones = may_be_ones(&func, result);
                for word in (0..=u8::MAX)
                    .flat_map(|low| [0, 0xff00, 0xf000_0000, 0xffff_ff00].map(|high| high | u32::from(low)))
                {
                    let found = op.eval(&[(word & mask).into(), other.into()]) as u32;
                    assert_eq!(found & !ones, 0, "{op:?} of {word:#x} & {mask:#x} and {other:#x} is {found:#x}");
                }
            }
        }
    }
}
