//! Translates instructions that move bits: they interpret them only if a modifier or `_sat` requires it.

use brolga_bytecode::sm5::{Instruction, Operand};

use super::super::vector::{Vector, lanes};
use super::{Result, Translator};
use crate::entity::Value;
use crate::ops::Op;

impl Translator<'_, '_> {
    pub(super) fn mov(&mut self, instruction: &Instruction) -> Result {
        let [destination, source] = self.operands(instruction)?;
        let words = self.moved(instruction, source, destination.mask())?;
        self.write(destination, &words)
    }

    /// The result words of a move of one source: unchanged bits, or the result of a float operation.
    pub(super) fn moved(&mut self, instruction: &Instruction, source: &Operand, mask: u8) -> Result<Vector> {
        let mut words = self.bits(source, mask)?;
        if source.absolute || source.negate || instruction.saturate {
            for lane in lanes(mask) {
                self.precise_at(instruction, lane);
                let value = self.b.op(Op::AsF32, &[words.at(lane)]);
                let value = self.b.op(Op::FFlush, &[value]);
                let value = self.sign_modified(source, value);
                let word = self.word(instruction, value);
                words.set(lane, word);
            }
            self.b.set_precise(false);
        }
        Ok(words)
    }

    /// Selects words. A source without modifiers is moved unchanged, whatever the other one has.
    pub(super) fn movc(&mut self, instruction: &Instruction) -> Result {
        let [destination, condition, if_set, if_clear] = self.operands(instruction)?;
        let mask = destination.mask();
        let conditions = self.bits(condition, mask)?;
        let a = self.moved(instruction, if_set, mask)?;
        let b = self.moved(instruction, if_clear, mask)?;
        let mut words = Vector::default();
        for lane in lanes(mask) {
            self.precise_at(instruction, lane);
            let is_set = self.is_set(conditions.at(lane));
            words.set(lane, self.b.select(is_set, a.at(lane), b.at(lane)));
        }
        self.b.set_precise(false);
        self.write(destination, &words)
    }

    /// Swaps words where a condition is set: there the first destination takes the third source, else the second; the
    /// second destination takes the other one.
    pub(super) fn swapc(&mut self, instruction: &Instruction) -> Result {
        let [first, second, condition, a, b] = self.operands(instruction)?;
        let mask = first.mask() | second.mask();
        let conditions = self.bits(condition, mask)?;
        let a = self.moved(instruction, a, mask)?;
        let b = self.moved(instruction, b, mask)?;
        let (mut to_first, mut to_second) = (Vector::default(), Vector::default());
        for lane in lanes(mask) {
            let is_set = self.is_set(conditions.at(lane));
            to_first.set(lane, self.b.select(is_set, b.at(lane), a.at(lane)));
            to_second.set(lane, self.b.select(is_set, a.at(lane), b.at(lane)));
        }
        self.write_all(&[(first, &to_first), (second, &to_second)])
    }

    /// True if any bit is set.
    pub(super) fn is_set(&mut self, word: Value) -> Value {
        let zero = self.b.i32(0);
        self.b.op(Op::INe, &[word, zero])
    }

    /// The feedback word of an access that hit mapped memory only, which is all ones: all memory is mapped.
    pub(super) fn fully_mapped(&mut self) -> Vector {
        Vector::splat(self.b.i32(u32::MAX))
    }
}
