//! Translates 32-bit float instructions.

use brolga_bytecode::sm5::Instruction;

use super::super::vector::{Vector, lanes};
use super::operand::SourceType;
use super::{Result, Translator};
use crate::builder::Builder;
use crate::entity::Value;
use crate::math;
use crate::ops::Op;

/// Multiplies, then adds: two roundings, the same on every processor.
pub(super) fn mad(b: &mut Builder<'_>, s: &[Value]) -> Value {
    let product = b.op(Op::FMul, &[s[0], s[1]]);
    b.op(Op::FAdd, &[product, s[2]])
}

pub(super) fn rcp(b: &mut Builder<'_>, s: &[Value]) -> Value {
    let one = b.f32(1.0);
    b.op(Op::FDiv, &[one, s[0]])
}

pub(super) fn rsq(b: &mut Builder<'_>, s: &[Value]) -> Value {
    let root = b.op(Op::FSqrt, &[s[0]]);
    rcp(b, &[root])
}

/// The distance from the next integer below.
pub(super) fn frc(b: &mut Builder<'_>, s: &[Value]) -> Value {
    math::fraction(b, s[0])
}

pub(super) fn exp(b: &mut Builder<'_>, s: &[Value]) -> Value {
    math::exp2(b, s[0])
}

pub(super) fn log(b: &mut Builder<'_>, s: &[Value]) -> Value {
    math::log2(b, s[0])
}

/// Sine and cosine.
pub(super) fn sincos(b: &mut Builder<'_>, s: &[Value]) -> [Value; 2] {
    let (sine, cosine) = math::sin_cos(b, s[0]);
    [sine, cosine]
}

impl Translator<'_, '_> {
    /// `dp2`, `dp3`, `dp4`: products summed up in order.
    pub(super) fn dot(&mut self, instruction: &Instruction, count: usize) -> Result {
        let [destination, left, right] = self.operands(instruction)?;
        let mask = (1 << count) - 1;
        let left = self.read(left, mask, SourceType::Float)?;
        let right = self.read(right, mask, SourceType::Float)?;
        let precise = instruction.precise & destination.mask() != 0;
        self.b.set_precise(precise);
        let mut sum = None;
        for lane in lanes(mask) {
            let product = self.b.op(Op::FMul, &[left.at(lane), right.at(lane)]);
            sum = Some(match sum {
                None => product,
                Some(sum) => self.b.op(Op::FAdd, &[sum, product]),
            });
        }
        let sum = sum.expect("a dot product has at least two terms");
        let word = self.word(instruction, sum);
        self.b.set_precise(false);
        self.write(destination, &Vector::splat(word))
    }
}
