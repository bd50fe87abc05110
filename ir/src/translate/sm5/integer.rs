//! Translates integer and bit instructions, as the functional specification spells them out.

use crate::builder::Builder;
use crate::entity::Value;
use crate::ops::Op;

/// Low word of a product, plus the third source.
pub(super) fn mad(b: &mut Builder<'_>, s: &[Value]) -> Value {
    let product = b.op(Op::IMul, &[s[0], s[1]]);
    b.op(Op::IAdd, &[product, s[2]])
}

pub(super) fn neg(b: &mut Builder<'_>, s: &[Value]) -> Value {
    let zero = b.i32(0);
    b.op(Op::ISub, &[zero, s[0]])
}

pub(super) fn not(b: &mut Builder<'_>, s: &[Value]) -> Value {
    let ones = b.i32(u32::MAX);
    b.op(Op::Xor, &[s[0], ones])
}

/// High and low word of the signed product.
pub(super) fn imul(b: &mut Builder<'_>, s: &[Value]) -> [Value; 2] {
    [b.op(Op::SMulHi, s), b.op(Op::IMul, s)]
}

/// High and low word of the unsigned product.
pub(super) fn umul(b: &mut Builder<'_>, s: &[Value]) -> [Value; 2] {
    [b.op(Op::UMulHi, s), b.op(Op::IMul, s)]
}

/// Quotient and remainder.
pub(super) fn udiv(b: &mut Builder<'_>, s: &[Value]) -> [Value; 2] {
    [b.op(Op::UDiv, s), b.op(Op::UMod, s)]
}

/// Sum and carry.
pub(super) fn uaddc(b: &mut Builder<'_>, s: &[Value]) -> [Value; 2] {
    let sum = b.op(Op::IAdd, s);
    let carry = b.op(Op::ULt, &[sum, s[0]]);
    [sum, one_if(b, carry)]
}

/// Difference and borrow.
pub(super) fn usubb(b: &mut Builder<'_>, s: &[Value]) -> [Value; 2] {
    let difference = b.op(Op::ISub, s);
    let borrow = b.op(Op::ULt, s);
    [difference, one_if(b, borrow)]
}

fn one_if(b: &mut Builder<'_>, condition: Value) -> Value {
    let (one, zero) = (b.i32(1), b.i32(0));
    b.select(condition, one, zero)
}

/// The first bit from the top that differs from the sign.
pub(super) fn firstbit_shi(b: &mut Builder<'_>, s: &[Value]) -> Value {
    let shift = b.i32(31);
    let sign = b.op(Op::SShr, &[s[0], shift]);
    let differs = b.op(Op::Xor, &[s[0], sign]);
    b.op(Op::FirstBitHi, &[differs])
}

/// A mask of low ones, as many as the low five bits of `width` say.
fn low_ones(b: &mut Builder<'_>, width: Value) -> Value {
    let one = b.i32(1);
    let bit = b.op(Op::Shl, &[one, width]);
    b.op(Op::ISub, &[bit, one])
}

/// Bits `offset..offset + width` of the value. Bits of the field beyond bit 31 are zeros, and a width of 0 gives 0: the
/// same as the specification's three cases.
pub(super) fn ubfe(b: &mut Builder<'_>, s: &[Value]) -> Value {
    let &[width, offset, value] = s else { unreachable!("the instruction table gives ubfe three sources") };
    let mask = low_ones(b, width);
    let shifted = b.op(Op::UShr, &[value, offset]);
    b.op(Op::And, &[shifted, mask])
}

/// Like [`ubfe`], with the field's top bit extended.
pub(super) fn ibfe(b: &mut Builder<'_>, s: &[Value]) -> Value {
    let &[width, offset, value] = s else { unreachable!("the instruction table gives ibfe three sources") };
    let shifted = b.op(Op::SShr, &[value, offset]);
    // Shifts take the low five bits: -width means 32 - width.
    let zero = b.i32(0);
    let up = b.op(Op::ISub, &[zero, width]);
    let at_top = b.op(Op::Shl, &[shifted, up]);
    let field = b.op(Op::SShr, &[at_top, up]);
    let five_bits = b.i32(31);
    let width = b.op(Op::And, &[width, five_bits]);
    let is_empty = b.op(Op::IEq, &[width, zero]);
    b.select(is_empty, zero, field)
}

/// The low bits of the third source inserted into the fourth.
pub(super) fn bfi(b: &mut Builder<'_>, s: &[Value]) -> Value {
    let &[width, offset, bits, base] = s else { unreachable!("the instruction table gives bfi four sources") };
    let ones = low_ones(b, width);
    let mask = b.op(Op::Shl, &[ones, offset]);
    let shifted = b.op(Op::Shl, &[bits, offset]);
    let inserted = b.op(Op::And, &[shifted, mask]);
    let around = not(b, &[mask]);
    let kept = b.op(Op::And, &[base, around]);
    b.op(Op::Or, &[inserted, kept])
}

/// Masked sum of absolute differences of bytes, added to the third source with saturation, as is recommended.
pub(super) fn msad(b: &mut Builder<'_>, s: &[Value]) -> Value {
    let &[reference, source, accumulator] = s else { unreachable!("the instruction table gives msad three sources") };
    let (zero, byte_mask) = (b.i32(0), b.i32(0xff));
    let mut sum = zero;
    for byte in 0..4 {
        let shift = b.i32(8 * byte);
        let mut byte_of = |value| {
            let shifted = b.op(Op::UShr, &[value, shift]);
            b.op(Op::And, &[shifted, byte_mask])
        };
        let (reference, source) = (byte_of(reference), byte_of(source));
        let larger = b.op(Op::UMax, &[reference, source]);
        let smaller = b.op(Op::UMin, &[reference, source]);
        let difference = b.op(Op::ISub, &[larger, smaller]);
        let is_masked = b.op(Op::IEq, &[reference, zero]);
        let counted = b.select(is_masked, zero, difference);
        sum = b.op(Op::IAdd, &[sum, counted]);
    }
    // Four bytes sum up to 1020 at most, so that saturating once is the same as after each byte.
    let total = b.op(Op::IAdd, &[accumulator, sum]);
    let wrapped = b.op(Op::ULt, &[total, sum]);
    let ones = b.i32(u32::MAX);
    b.select(wrapped, ones, total)
}
