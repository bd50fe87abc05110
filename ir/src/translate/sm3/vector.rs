//! Translates instructions whose components differ, or that take whole vectors.

use brolga_bytecode::sm3::{Destination, Instruction, Modifier, RegisterFile, Source, Version};

use super::super::vector::{Vector, lanes};
use super::{Result, Translator};
use crate::entity::Value;
use crate::math;
use crate::ops::Op;

/// The largest exponent of `lit`, which fits into 8.8 fixed point.
const MOST_EXPONENT: f32 = 127.9961;

impl Translator<'_, '_> {
    /// Products of the lanes of a mask, summed in order.
    pub(super) fn sum_of_products(&mut self, left: &Vector, right: &Vector, mask: u8) -> Value {
        let mut sum = None;
        for lane in lanes(mask) {
            let product = self.product(left.at(lane), right.at(lane));
            sum = Some(match sum {
                None => product,
                Some(sum) => self.b.op(Op::FAdd, &[sum, product]),
            });
        }
        sum.expect("a dot product has terms")
    }

    /// `dp3`, `dp4`
    pub(super) fn dot(&mut self, instruction: &Instruction, mask: u8) -> Result {
        let [destination, left, right] = self.operands(instruction)?;
        let [left, right] = self.factors(self.source(left)?, self.source(right)?, mask)?;
        let sum = self.sum_of_products(&left, &right, mask);
        self.write(self.destination(destination)?, &Vector::splat(sum))
    }

    /// `dp2add`
    pub(super) fn dp2add(&mut self, instruction: &Instruction) -> Result {
        let [destination, left, right, summand] = self.operands(instruction)?;
        let [left, right] = self.factors(self.source(left)?, self.source(right)?, 0b11)?;
        let summand = self.read_one(summand)?;
        let sum = self.sum_of_products(&left, &right, 0b11);
        let sum = self.b.op(Op::FAdd, &[sum, summand]);
        self.write(self.destination(destination)?, &Vector::splat(sum))
    }

    /// `m4x4` and the like: a dot product of the components of `mask` with each of as many registers as are written.
    pub(super) fn matrix(&mut self, instruction: &Instruction, mask: u8) -> Result {
        let [destination, vector, matrix] = self.operands(instruction)?;
        let (destination, matrix) = (self.destination(destination)?, self.source(matrix)?);
        let vector = self.read(self.source(vector)?, mask)?;
        let mut result = Vector::default();
        for lane in lanes(destination.mask) {
            let mut row = *matrix;
            row.register.number = row.register.number.saturating_add(lane as u16);
            let row = self.read(&row, mask)?;
            result.set(lane, self.sum_of_products(&vector, &row, mask));
        }
        self.write(destination, &result)
    }

    /// `crs`
    pub(super) fn crs(&mut self, instruction: &Instruction) -> Result {
        let [destination, left, right] = self.operands(instruction)?;
        let [left, right] = self.factors(self.source(left)?, self.source(right)?, 0b111)?;
        let destination = self.destination(destination)?;
        let mut result = Vector::default();
        for lane in lanes(destination.mask & 0b111) {
            let (next, last) = ((lane + 1) % 3, (lane + 2) % 3);
            let first = self.product(left.at(next), right.at(last));
            let second = self.product(left.at(last), right.at(next));
            result.set(lane, self.b.op(Op::FSub, &[first, second]));
        }
        self.write(destination, &result)
    }

    /// `nrm`: all components divided by the length of the first three.
    pub(super) fn nrm(&mut self, instruction: &Instruction) -> Result {
        let [destination, source] = self.operands(instruction)?;
        let destination = self.destination(destination)?;
        let values = self.read(self.source(source)?, destination.mask | 0b111)?;
        let square = self.sum_of_products(&values, &values, 0b111);
        let factor = self.rsq(&[square]);
        let mut result = Vector::default();
        for lane in lanes(destination.mask) {
            result.set(lane, self.product(values.at(lane), factor));
        }
        self.write(destination, &result)
    }

    /// `dst`: (1, a.y * b.y, a.z, b.w)
    pub(super) fn dst(&mut self, instruction: &Instruction) -> Result {
        let [destination, left, right] = self.operands(instruction)?;
        let (left, right) = (self.read(self.source(left)?, 0b0110)?, self.read(self.source(right)?, 0b1010)?);
        let product = self.product(left.at(1), right.at(1));
        let result = Vector::from([self.b.f32(1.0), product, left.at(2), right.at(3)]);
        self.write(self.destination(destination)?, &result)
    }

    /// `lit`: (1, diffuse, specular, 1) of two cosines and an exponent.
    pub(super) fn lit(&mut self, instruction: &Instruction) -> Result {
        let [destination, source] = self.operands(instruction)?;
        let values = self.read(self.source(source)?, 0b1011)?;
        let (diffuse, base, exponent) = (values.at(0), values.at(1), values.at(3));
        let [zero, one, least, most] = [0.0, 1.0, -MOST_EXPONENT, MOST_EXPONENT].map(|number| self.b.f32(number));
        let is_lit = self.b.op(Op::FLt, &[zero, diffuse]);
        let shines = self.b.op(Op::FLt, &[zero, base]);
        let shines = self.b.op(Op::BAnd, &[is_lit, shines]);
        let exponent = self.b.op(Op::FMax, &[exponent, least]);
        let exponent = self.b.op(Op::FMin, &[exponent, most]);
        let power = self.pow(&[base, exponent]);
        let diffuse = self.b.select(is_lit, diffuse, zero);
        let specular = self.b.select(shines, power, zero);
        self.write(self.destination(destination)?, &Vector::from([one, diffuse, specular, one]))
    }

    /// `sincos`: the cosine in x, the sine in y. The series constants that shader model 2 passes along are not needed.
    pub(super) fn sincos(&mut self, instruction: &Instruction) -> Result {
        let [destination, angle, ..] = instruction.operands.as_slice() else { return Err(self.wrong_count()) };
        let angle = self.read_one(angle)?;
        let (sine, cosine) = math::sin_cos(&mut self.b, angle);
        let mut result = Vector::splat(cosine);
        result.set(1, sine);
        self.write(self.destination(destination)?, &result)
    }

    /// `expp`: in shader model 1, the power of the integer part, the fraction, the power, 1.
    pub(super) fn expp(&mut self, instruction: &Instruction) -> Result {
        if self.version > Version::Vs1_1 {
            return self.scalar(instruction, Self::exp);
        }
        let [destination, source] = self.operands(instruction)?;
        let value = self.read_one(source)?;
        let whole = self.b.op(Op::FFloor, &[value]);
        let fraction = self.b.op(Op::FSub, &[value, whole]);
        let result = [self.exp(&[whole]), fraction, self.exp(&[value]), self.b.f32(1.0)];
        self.write(self.destination(destination)?, &result.into())
    }

    /// `mov`: copies bits, unless modifiers need floats. To a0 it is the address register's own conversion.
    pub(super) fn mov(&mut self, instruction: &Instruction) -> Result {
        let [destination, source] = self.operands(instruction)?;
        let (destination, source) = (self.destination(destination)?, self.source(source)?);
        if destination.register.file == RegisterFile::Address {
            return self.move_address(destination, source, Op::FFloor);
        }
        let values = match source.modifier {
            Modifier::None => self.unmodified(source, destination.mask)?,
            _ => self.read(source, destination.mask)?,
        };
        self.write(destination, &values)
    }

    /// `mova`: rounds to the nearest integer.
    pub(super) fn mova(&mut self, instruction: &Instruction) -> Result {
        let [destination, source] = self.operands(instruction)?;
        self.move_address(self.destination(destination)?, self.source(source)?, Op::FNearest)
    }

    fn move_address(&mut self, destination: &Destination, source: &Source, rounding: Op) -> Result {
        let values = self.read(source, destination.mask)?;
        for lane in lanes(destination.mask) {
            let whole = self.fold(rounding, &[values.at(lane)]);
            let whole = self.fold(Op::FToS, &[whole]);
            self.assign(destination.register, lane, whole)?;
        }
        Ok(())
    }
}
