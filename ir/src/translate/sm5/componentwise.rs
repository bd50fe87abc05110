//! Translates instructions that do the same to each component.

use brolga_bytecode::sm5::{Instruction, Operand};
use smallvec::SmallVec;

use super::super::vector::{Vector, lanes};
use super::operand::SourceType;
use super::{Result, Translator};
use crate::builder::Builder;
use crate::entity::Value;
use crate::ops::Op;
use crate::types::Type;

/// The computation of a single IR operation.
pub(super) fn op(op: Op) -> impl Fn(&mut Builder<'_>, &[Value]) -> Value {
    move |b, args| b.op(op, args)
}

impl Translator<'_, '_> {
    /// One destination: applies `compute` to the sources, component by component.
    pub(super) fn each(
        &mut self,
        instruction: &Instruction,
        kind: SourceType,
        compute: impl Fn(&mut Builder<'_>, &[Value]) -> Value,
    ) -> Result {
        let Some((destination, sources)) = instruction.operands.split_first() else {
            return Err(self.bad_operand("count"));
        };
        let mask = destination.mask();
        let [result] = self.compute(instruction, sources, mask, kind, |b, args| [compute(b, args)])?;
        self.write(destination, &result)
    }

    /// Two destinations, each of which may be `null`: applies `compute` to the sources, component by component.
    pub(super) fn each_two(
        &mut self,
        instruction: &Instruction,
        kind: SourceType,
        compute: impl Fn(&mut Builder<'_>, &[Value]) -> [Value; 2],
    ) -> Result {
        let [first, second, sources @ ..] = instruction.operands.as_slice() else {
            return Err(self.bad_operand("count"));
        };
        let mask = first.mask() | second.mask();
        let [a, b] = self.compute(instruction, sources, mask, kind, compute)?;
        self.write_all(&[(first, &a), (second, &b)])
    }

    fn compute<const N: usize>(
        &mut self,
        instruction: &Instruction,
        sources: &[Operand],
        mask: u8,
        kind: SourceType,
        compute: impl Fn(&mut Builder<'_>, &[Value]) -> [Value; N],
    ) -> Result<[Vector; N]> {
        let sources: SmallVec<[Vector; 4]> =
            sources.iter().map(|source| self.read(source, mask, kind)).collect::<Result<_>>()?;
        let mut results = [Vector::default(); N];
        for lane in lanes(mask) {
            self.precise_at(instruction, lane);
            let args: SmallVec<[Value; 4]> = sources.iter().map(|source| source.at(lane)).collect();
            let values = compute(&mut self.b, &args);
            for (result, value) in results.iter_mut().zip(values) {
                let word = self.word(instruction, value);
                result.set(lane, word);
            }
        }
        self.b.set_precise(false);
        Ok(results)
    }

    /// Marks the code that follows as computing this lane.
    pub(super) fn precise_at(&mut self, instruction: &Instruction, lane: usize) {
        self.b.set_precise(instruction.precise >> lane & 1 != 0);
    }

    /// The bits of a result for a register, saturated if the instruction says so.
    pub(super) fn word(&mut self, instruction: &Instruction, value: Value) -> Value {
        match self.b.func.ty(value) {
            Type::Bool => self.b.op(Op::BToI, &[value]),
            Type::F32 => {
                let value = if instruction.saturate { self.b.op(Op::FSat, &[value]) } else { value };
                self.b.op(Op::BitsF32, &[value])
            }
            Type::I32 | Type::I64 | Type::F64 => value,
        }
    }
}
