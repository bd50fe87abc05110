//! Takes the derivatives of operands.
//!
//! A pixel that does not run where a derivative is taken has no value there. Inputs are different: all pixels of a quad
//! have them from the start, which is why shaders may sample at them under divergent control flow. So derivatives of
//! inputs, and of inputs divided by their w, are computed before anything else.

use brolga_bytecode::sm3::{Instruction, ItemKind, Modifier, Op as Opcode, Operand, RegisterFile, Source};
use brolga_bytecode::sm5::Stage;

use super::super::derivative::Derivative;
use super::super::vector::{Vector, lanes};
use super::{Result, Translator};
use crate::entity::Value;
use crate::ops::Op;

/// The derivatives of a component of an input.
pub(super) struct OfInput {
    row: u32,
    component: usize,
    is_projected: bool,
    along: [Value; 2],
}

impl Translator<'_, '_> {
    /// The row of a source that is an unmodified input.
    fn input_of(&self, source: &Source) -> Option<(u32, u8)> {
        let is_input = matches!(source.register.file, RegisterFile::Input | RegisterFile::Texture);
        let is_plain = is_input && source.relative.is_none() && source.modifier == Modifier::None;
        self.layout.input(source.register).filter(|_| is_plain)
    }

    /// Computes the derivatives of all inputs that instructions derive. Shaders without flow control compute them at
    /// their uses.
    pub(super) fn derive_inputs(&mut self) {
        let program = self.program.program();
        if program.version.stage() != Stage::Pixel || program.version.major() == 1 {
            return;
        }
        for item in &program.items {
            let ItemKind::Instruction(instruction) = &item.kind else { continue };
            let is_projected = instruction.op == Opcode::TexLdP;
            let derives = matches!(instruction.op, Opcode::TexLd | Opcode::TexLdB | Opcode::DsX | Opcode::DsY);
            let Some(Operand::Source(source)) = instruction.operands.get(1) else { continue };
            if derives || is_projected {
                self.derive_input(source, is_projected);
            }
        }
    }

    fn derive_input(&mut self, source: &Source, is_projected: bool) {
        let Some((row, mask)) = self.input_of(source) else { return };
        let is_known = self.derivatives.iter().any(|known| (known.row, known.is_projected) == (row, is_projected));
        if is_known || is_projected && mask & 0b1000 == 0 {
            return;
        }
        let mut values = self.input_row(row, mask);
        for component in lanes(mask) {
            let value = self.float(values.at(component));
            values.set(component, value);
        }
        for component in lanes(if is_projected { mask & 0b111 } else { mask }) {
            let mut value = values.at(component);
            if is_projected {
                value = self.b.op(Op::FDiv, &[value, values.at(3)]);
            }
            let along = [Derivative::AlongX, Derivative::AlongY].map(|derivative| derivative.of(&mut self.b, value));
            self.derivatives.push(OfInput { row, component, is_projected, along });
        }
    }

    /// Both derivatives of a lane of coordinates that were read from a source, perhaps divided by its w.
    pub(super) fn derivatives_of(
        &mut self,
        source: Option<&Source>,
        is_projected: bool,
        lane: usize,
        value: Value,
    ) -> [Value; 2] {
        let known = source.and_then(|source| {
            let (row, _) = self.input_of(source)?;
            // The divisor is the last lane, which must be the register's w.
            let component = usize::from(source.swizzle.component(lane as u32));
            let is_w_last = source.swizzle.component(3) == 3;
            let is_it = |known: &&OfInput| {
                (known.row, known.component, known.is_projected) == (row, component, is_projected)
                    && (!is_projected || is_w_last)
            };
            self.derivatives.iter().find(is_it)
        });
        match known {
            Some(known) => known.along,
            None => [Derivative::AlongX, Derivative::AlongY].map(|derivative| derivative.of(&mut self.b, value)),
        }
    }

    /// `dsx`, `dsy`: the n-th of both.
    pub(super) fn derive(&mut self, instruction: &Instruction, n: usize) -> Result {
        let [destination, source] = self.operands(instruction)?;
        let (destination, source) = (self.destination(destination)?, self.source(source)?);
        let values = self.read(source, destination.mask)?;
        let mut result = Vector::default();
        for lane in lanes(destination.mask) {
            result.set(lane, self.derivatives_of(Some(source), false, lane, values.at(lane))[n]);
        }
        self.write(destination, &result)
    }
}
