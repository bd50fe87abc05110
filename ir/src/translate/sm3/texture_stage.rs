//! Translates texture instructions of ps_1_1 to ps_1_3.
//!
//! The destination `t#` names a texture stage: its coordinates, its texture, and the register for the result. A matrix
//! is as many consecutive instructions as it has rows; all but the last one leave their dot product to that.

use brolga_bytecode::sm3::{Destination, Instruction, Operand};

use super::super::vector::{Vector, lanes};
use super::survey::coordinates;
use super::texture::{Level, Sample};
use super::{Result, TranslateError, Translator};
use crate::entity::Value;
use crate::ops::Op;

/// The use of the product by the last row of a matrix.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Transformed {
    /// It is the result.
    Stored,
    /// The texture is sampled there.
    Sampled,
    /// It is a normal: the texture is sampled in the direction of a constant eye ray's reflection.
    Reflected,
    /// The same, with the eye ray in the w of the coordinates.
    ReflectedVarying,
    /// z and w of the pixel's depth.
    Depth,
}

impl Translator<'_, '_> {
    /// The coordinates of a texture stage, by component.
    pub(super) fn coordinates(&mut self, stage: u16, components: u8) -> Vector {
        let Some((row, mask)) = self.layout.input(coordinates(stage)) else {
            return Vector::splat(self.b.f32(0.0));
        };
        let mut values = Vector::default();
        if components & mask != 0 {
            values = self.input_row(row, components & mask);
        }
        for component in lanes(components & mask) {
            let value = self.float(values.at(component));
            values.set(component, value);
        }
        values
    }

    /// The coordinates at which a stage's texture is sampled by default, divided if the stage does so.
    fn sampled_coordinates(&mut self, stage: u16) -> Vector {
        let Some(divisor) = self.options.divisors.get(usize::from(stage)).copied().flatten() else {
            return self.coordinates(stage, 0b111);
        };
        let divisor = usize::from(divisor & 3);
        let mut values = self.coordinates(stage, 0b1111);
        for component in 0..divisor {
            let quotient = self.b.op(Op::FDiv, &[values.at(component), values.at(divisor)]);
            values.set(component, quotient);
        }
        values
    }

    /// The destination, and the source if the instruction has one.
    fn stage_operands<'i>(&self, instruction: &'i Instruction) -> Result<(&'i Destination, Option<&'i Operand>)> {
        let [destination, sources @ ..] = instruction.operands.as_slice() else { return Err(self.wrong_count()) };
        Ok((self.destination(destination)?, sources.first()))
    }

    fn read_source(&mut self, source: Option<&Operand>, mask: u8) -> Result<Vector> {
        let Some(source) = source else { return Err(self.wrong_count()) };
        let source = self.source(source)?;
        self.read(source, mask)
    }

    fn sample_stage(&mut self, stage: u16, coordinates: Vector) -> Result<Vector> {
        self.sample(&Sample { number: stage, coordinates, source: None, is_projected: false, level: Level::Implicit })
    }

    /// `tex`
    pub(super) fn tex(&mut self, instruction: &Instruction) -> Result {
        let (destination, _) = self.stage_operands(instruction)?;
        let stage = destination.register.number;
        let coordinates = self.sampled_coordinates(stage);
        let texel = self.sample_stage(stage, coordinates)?;
        self.write(destination, &texel)
    }

    /// `texcoord`: the coordinates as a color.
    pub(super) fn texcoord(&mut self, instruction: &Instruction) -> Result {
        let (destination, _) = self.stage_operands(instruction)?;
        let mut values = self.coordinates(destination.register.number, 0b111);
        for component in 0..3 {
            let value = self.b.op(Op::FSat, &[values.at(component)]);
            values.set(component, value);
        }
        values.set(3, self.b.f32(1.0));
        self.write(destination, &values)
    }

    /// `texbem`, and `texbeml` with a correction of the luminance.
    pub(super) fn texbem(&mut self, instruction: &Instruction, corrects_luminance: bool) -> Result {
        let (destination, source) = self.stage_operands(instruction)?;
        let stage = destination.register.number;
        let source = self.read_source(source, 0b111)?;
        let base = self.sampled_coordinates(stage);
        let mut moved = self.bumped(stage, &base, &source);
        moved.set(2, base.at(2));
        let mut texel = self.sample_stage(stage, moved)?;
        if corrects_luminance {
            let luminance = self.luminance(stage);
            let scaled = self.product(source.at(2), luminance.at(0));
            let factor = self.b.op(Op::FAdd, &[scaled, luminance.at(1)]);
            let factor = self.b.op(Op::FSat, &[factor]);
            for component in 0..4 {
                let value = self.float(texel.at(component));
                texel.set(component, self.product(value, factor));
            }
        }
        self.write(destination, &texel)
    }

    /// `texreg2ar` and the like: samples at these components of the source.
    pub(super) fn texreg(&mut self, instruction: &Instruction, components: [usize; 3]) -> Result {
        let (destination, source) = self.stage_operands(instruction)?;
        let source = self.read_source(source, 0xf)?;
        let mut coordinates = Vector::default();
        for (axis, component) in components.into_iter().enumerate() {
            coordinates.set(axis, source.at(component));
        }
        let texel = self.sample_stage(destination.register.number, coordinates)?;
        self.write(destination, &texel)
    }

    /// The dot product of a stage's coordinates with the source.
    fn stage_product(&mut self, stage: u16, source: Option<&Operand>) -> Result<Value> {
        let source = self.read_source(source, 0b111)?;
        let coordinates = self.coordinates(stage, 0b111);
        Ok(self.sum_of_products(&coordinates, &source, 0b111))
    }

    /// `texdp3`
    pub(super) fn texdp3(&mut self, instruction: &Instruction) -> Result {
        let (destination, source) = self.stage_operands(instruction)?;
        let product = self.stage_product(destination.register.number, source)?;
        self.write(destination, &Vector::splat(product))
    }

    /// `texdp3tex`: samples at the product.
    pub(super) fn texdp3tex(&mut self, instruction: &Instruction) -> Result {
        let (destination, source) = self.stage_operands(instruction)?;
        let stage = destination.register.number;
        let mut coordinates = Vector::splat(self.b.f32(0.0));
        coordinates.set(0, self.stage_product(stage, source)?);
        let texel = self.sample_stage(stage, coordinates)?;
        self.write(destination, &texel)
    }

    /// `texm3x2pad`, `texm3x3pad`: a row of a matrix that is not its last one.
    pub(super) fn row(&mut self, instruction: &Instruction) -> Result {
        let (destination, source) = self.stage_operands(instruction)?;
        let stage = destination.register.number;
        let product = self.stage_product(stage, source)?;
        self.rows.push((stage, product));
        Ok(())
    }

    /// The last row of a matrix with this many rows.
    pub(super) fn last_row(&mut self, instruction: &Instruction, rows: u16, then: Transformed) -> Result {
        let (destination, source) = self.stage_operands(instruction)?;
        let stage = destination.register.number;
        let mut product = Vector::splat(self.b.f32(0.0));
        for row in 0..rows - 1 {
            let of_row = stage.checked_sub(rows - 1 - row);
            let known = self.rows.iter().rev().find(|(stage, _)| Some(*stage) == of_row).map(|&(_, value)| value);
            let missing = TranslateError::Flow { name: self.name, at: self.at };
            product.set(row.into(), known.ok_or(missing)?);
        }
        product.set(usize::from(rows) - 1, self.stage_product(stage, source)?);
        self.rows.clear();
        let result = match then {
            Transformed::Stored => {
                product.set(3, self.b.f32(1.0));
                product
            }
            Transformed::Sampled => self.sample_stage(stage, product)?,
            Transformed::Reflected => {
                let eye = self.read_source(instruction.operands.get(2), 0b111)?;
                let reflected = self.reflected(&product, &eye);
                self.sample_stage(stage, reflected)?
            }
            Transformed::ReflectedVarying => {
                let mut eye = Vector::default();
                for row in 0..3 {
                    eye.set(row.into(), self.coordinates((stage + row).saturating_sub(2), 8).at(3));
                }
                let reflected = self.reflected(&product, &eye);
                self.sample_stage(stage, reflected)?
            }
            Transformed::Depth => return self.write_depth(product.at(0), product.at(1)),
        };
        self.write(destination, &result)
    }

    /// 2 * (N . E) / (N . N) * N - E
    fn reflected(&mut self, normal: &Vector, eye: &Vector) -> Vector {
        let along = self.sum_of_products(normal, eye, 0b111);
        let square = self.sum_of_products(normal, normal, 0b111);
        let ratio = self.b.op(Op::FDiv, &[along, square]);
        let two = self.b.f32(2.0);
        let factor = self.b.op(Op::FMul, &[ratio, two]);
        let mut result = Vector::default();
        for axis in 0..3 {
            let on_normal = self.product(factor, normal.at(axis));
            result.set(axis, self.b.op(Op::FSub, &[on_normal, eye.at(axis)]));
        }
        result
    }
}
