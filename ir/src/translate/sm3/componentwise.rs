//! Translates instructions that do the same to each component, or that compute one value for all of them.

use brolga_bytecode::sm3::Instruction;
use smallvec::SmallVec;

use super::super::vector::{Vector, lanes};
use super::{Result, Translator};
use crate::entity::Value;
use crate::ops::Op;

/// The computation of a single IR operation.
pub(super) fn op(op: Op) -> impl Fn(&mut Translator<'_, '_>, &[Value]) -> Value {
    move |t, args| t.b.op(op, args)
}

impl Translator<'_, '_> {
    /// Applies `compute` to the sources, component by component.
    pub(super) fn each(&mut self, instruction: &Instruction, compute: impl Fn(&mut Self, &[Value]) -> Value) -> Result {
        let Some((destination, sources)) = instruction.operands.split_first() else { return Err(self.wrong_count()) };
        let destination = self.destination(destination)?;
        let mut values: SmallVec<[Vector; 4]> = SmallVec::new();
        for (n, operand) in sources.iter().enumerate() {
            // An operand that is read twice gives the same values: products may be squares.
            let value = match sources[..n].iter().position(|earlier| earlier == operand) {
                Some(earlier) => values[earlier],
                None => {
                    let source = self.source(operand)?;
                    self.read(source, destination.mask)?
                }
            };
            values.push(value);
        }
        let mut result = Vector::default();
        for lane in lanes(destination.mask) {
            let args: SmallVec<[Value; 4]> = values.iter().map(|source| source.at(lane)).collect();
            result.set(lane, compute(self, &args));
        }
        self.write(destination, &result)
    }

    /// One value for all components: applies `compute` to scalar sources.
    pub(super) fn scalar(
        &mut self,
        instruction: &Instruction,
        compute: impl Fn(&mut Self, &[Value]) -> Value,
    ) -> Result {
        let Some((destination, sources)) = instruction.operands.split_first() else { return Err(self.wrong_count()) };
        let destination = self.destination(destination)?;
        let args: SmallVec<[Value; 4]> = sources.iter().map(|source| self.read_one(source)).collect::<Result<_>>()?;
        let result = compute(self, &args);
        self.write(destination, &Vector::splat(result))
    }
}
