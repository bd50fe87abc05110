//! Takes the derivatives of operands.
//!
//! A pixel that does not run where a derivative is taken has no value there. Inputs are different: all pixels of a quad
//! have them from the start, which is why the compiler lets shaders take their derivatives, and sample at them, under
//! divergent control flow. So derivatives of inputs are computed before anything else.

use brolga_bytecode::sm5::{Instruction, Op as Opcode, Operand, RegisterFile};

use super::super::derivative::Derivative;
use super::super::vector::{Vector, lanes};
use super::operand::SourceType;
use super::{Result, Translator};
use crate::entity::Value;
use crate::ops::Op;
use crate::stage::Stage;

/// The derivatives of a component of an input, in the order of [`Derivative::ALL`].
#[derive(Debug)]
pub(super) struct OfInput {
    row: u32,
    component: usize,
    values: [Value; 4],
}

/// The row of an operand that is an unmodified input.
fn input_row(operand: &Operand) -> Option<u32> {
    let is_plain = operand.file == RegisterFile::Input && !operand.negate && !operand.absolute;
    operand.indices.first().filter(|_| is_plain && operand.indices.len() == 1)?.as_u32()
}

impl Translator<'_, '_> {
    /// Computes the derivatives of all inputs that instructions derive. Unused ones are left to the passes.
    pub(super) fn derive_inputs(&mut self) -> Result {
        let (program, stage) = (self.program, self.b.func.interface.stage.clone());
        let Stage::Pixel(signature) = stage else { return Ok(()) };
        for instruction in (0..program.items().len()).filter_map(|position| program.instruction(position)) {
            let derives = matches!(
                instruction.op,
                Opcode::Sample
                    | Opcode::SampleC
                    | Opcode::SampleB
                    | Opcode::SampleClS
                    | Opcode::SampleBClS
                    | Opcode::SampleCClS
                    | Opcode::Lod
                    | Opcode::DerivRtx
                    | Opcode::DerivRtxCoarse
                    | Opcode::DerivRtxFine
                    | Opcode::DerivRty
                    | Opcode::DerivRtyCoarse
                    | Opcode::DerivRtyFine
            );
            if !derives {
                continue;
            }
            let Some((operand, row)) =
                instruction.sources().next().and_then(|source| Some((source, input_row(source)?)))
            else {
                continue;
            };
            if self.derivatives.iter().any(|known| known.row == row) {
                continue;
            }
            let mask =
                signature.inputs.iter().filter(|input| input.row == row).fold(0, |mask, input| mask | input.mask);
            let words = self.input(operand, mask)?;
            for component in lanes(mask) {
                let value = self.b.op(Op::AsF32, &[words.at(component)]);
                let values = Derivative::ALL.map(|derivative| derivative.of(&mut self.b, value));
                self.derivatives.push(OfInput { row, component, values });
            }
        }
        Ok(())
    }

    /// A derivative of a lane of an operand, whose value is `value`.
    pub(super) fn derivative(&mut self, derivative: Derivative, operand: &Operand, lane: usize, value: Value) -> Value {
        let component = usize::from(operand.component(lane));
        let known = input_row(operand)
            .and_then(|row| self.derivatives.iter().find(|known| (known.row, known.component) == (row, component)));
        match known {
            Some(known) => known.values[derivative as usize],
            None => derivative.of(&mut self.b, value),
        }
    }

    /// `deriv_rtx` and the like
    pub(super) fn derive(&mut self, instruction: &Instruction, derivative: Derivative) -> Result {
        let [destination, source] = self.operands(instruction)?;
        let mask = destination.mask();
        let values = self.read(source, mask, SourceType::Float)?;
        let mut result = Vector::default();
        for lane in lanes(mask) {
            self.precise_at(instruction, lane);
            let value = self.derivative(derivative, source, lane, values.at(lane));
            let word = self.word(instruction, value);
            result.set(lane, word);
        }
        self.b.set_precise(false);
        self.write(destination, &result)
    }
}
