//! Functions of integers and their bits.

use brolga_ir::Op;
use brolga_ir::entity::Value;
use naga::MathFunction;

use super::super::{Result, Translator};

impl Translator<'_, '_> {
    /// A function of each component that are integers.
    pub(super) fn of_integers(&mut self, fun: MathFunction, is_signed: bool, args: &[Value]) -> Result<Value> {
        use MathFunction as F;
        let (least, most) = if is_signed { (Op::SMin, Op::SMax) } else { (Op::UMin, Op::UMax) };
        Ok(match (fun, args) {
            (F::Abs, &[a]) if is_signed => self.int_abs(a),
            (F::Abs, &[a]) => a,
            (F::Min, &[a, b]) => self.b.op(least, &[a, b]),
            (F::Max, &[a, b]) => self.b.op(most, &[a, b]),
            (F::Clamp, &[a, low, high]) => {
                let raised = self.b.op(most, &[a, low]);
                self.b.op(least, &[raised, high])
            }
            (F::Sign, &[a]) => {
                let (one, minus_one) = (self.b.i32(1), self.b.i32(u32::MAX));
                let raised = self.b.op(Op::SMax, &[a, minus_one]);
                self.b.op(Op::SMin, &[raised, one])
            }
            (F::CountOneBits, &[a]) => self.b.op(Op::CountBits, &[a]),
            (F::ReverseBits, &[a]) => self.b.op(Op::BitReverse, &[a]),
            // The positions of no bit are all ones, which is above 32.
            (F::CountLeadingZeros, &[a]) => self.position(Op::FirstBitHi, a),
            (F::CountTrailingZeros, &[a]) => self.position(Op::FirstBitLo, a),
            (F::FirstTrailingBit, &[a]) => self.b.op(Op::FirstBitLo, &[a]),
            (F::FirstLeadingBit, &[a]) if is_signed => {
                // The highest bit that differs from the sign.
                let by = self.b.i32(31);
                let sign = self.b.op(Op::SShr, &[a, by]);
                let bits = self.b.op(Op::Xor, &[a, sign]);
                self.first_leading_bit(bits)
            }
            (F::FirstLeadingBit, &[a]) => self.first_leading_bit(a),
            (F::ExtractBits, &[a, offset, count]) => self.extract_bits(is_signed, a, offset, count),
            (F::InsertBits, &[a, bits, offset, count]) => self.insert_bits(a, bits, offset, count),
            _ => return self.unsupported("this function of integers"),
        })
    }

    /// A position of a bit, or 32.
    fn position(&mut self, op: Op, a: Value) -> Value {
        let position = self.b.op(op, &[a]);
        let all = self.b.i32(32);
        self.b.op(Op::UMin, &[position, all])
    }

    /// Counted from the bottom; all ones if there is none.
    fn first_leading_bit(&mut self, a: Value) -> Value {
        let from_top = self.b.op(Op::FirstBitHi, &[a]);
        let (top, zero, none) = (self.b.i32(31), self.b.i32(0), self.b.i32(u32::MAX));
        let from_bottom = self.b.op(Op::ISub, &[top, from_top]);
        let is_zero = self.b.op(Op::IEq, &[a, zero]);
        self.b.select(is_zero, none, from_bottom)
    }

    /// The offset and count of a field, cut to the word.
    fn field(&mut self, offset: Value, count: Value) -> (Value, Value) {
        let width = self.b.i32(32);
        let offset = self.b.op(Op::UMin, &[offset, width]);
        let most = self.b.op(Op::ISub, &[width, offset]);
        (offset, self.b.op(Op::UMin, &[count, most]))
    }

    fn extract_bits(&mut self, is_signed: bool, a: Value, offset: Value, count: Value) -> Value {
        let (offset, count) = self.field(offset, count);
        let (width, zero) = (self.b.i32(32), self.b.i32(0));
        // Up against the top, then down; shifts by 32 occur for empty fields only.
        let end = self.b.op(Op::IAdd, &[offset, count]);
        let up = self.b.op(Op::ISub, &[width, end]);
        let down = self.b.op(Op::ISub, &[width, count]);
        let high = self.b.op(Op::Shl, &[a, up]);
        let field = self.b.op(if is_signed { Op::SShr } else { Op::UShr }, &[high, down]);
        let is_empty = self.b.op(Op::IEq, &[count, zero]);
        self.b.select(is_empty, zero, field)
    }

    fn insert_bits(&mut self, a: Value, bits: Value, offset: Value, count: Value) -> Value {
        let (offset, count) = self.field(offset, count);
        let (width, zero, ones) = (self.b.i32(32), self.b.i32(0), self.b.i32(u32::MAX));
        let above = self.b.op(Op::ISub, &[width, count]);
        let low = self.b.op(Op::UShr, &[ones, above]);
        let mask = self.b.op(Op::Shl, &[low, offset]);
        let is_empty = self.b.op(Op::IEq, &[count, zero]);
        let mask = self.b.select(is_empty, zero, mask);
        let shifted = self.b.op(Op::Shl, &[bits, offset]);
        let inside = self.b.op(Op::And, &[shifted, mask]);
        let others = self.b.op(Op::Xor, &[mask, ones]);
        let outside = self.b.op(Op::And, &[a, others]);
        self.b.op(Op::Or, &[inside, outside])
    }
}
