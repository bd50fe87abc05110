//! Translates `eval_*`: inputs at other points of a pixel than their own (functional specification, 16.5).
//!
//! Rows hold values at centers; inputs that are declared at centroids or samples have another row for that. Values that
//! are linear over a primitive can be extrapolated from the pixels of a quad: attributes without perspective, others
//! over w, and 1/w itself. Their slopes are computed before anything else, as derivatives of inputs are.

use std::ops::Range;

use brolga_bytecode::sm5::valid::{IndexRange, ValidProgram};
use brolga_bytecode::sm5::{Instruction, Op as Opcode, Operand, RegisterFile};

use super::super::derivative::Derivative;
use super::super::vector::{Vector, lanes};
use super::super::words::Start;
use super::operand::SourceType;
use super::{Result, Translator};
use crate::entity::Value;
use crate::ops::Op;
use crate::stage::{self, Interpolation, Parameter, Stage};

/// The slopes of inputs, for points other than the centers of pixels.
#[derive(Debug, Default)]
pub(super) struct Evaluations {
    /// 1/w at the center, and its slopes along x and y.
    rcp_w: Option<[Value; 3]>,
    slopes: Vec<Slopes>,
}

/// The slopes of a component of an input along x and y: over w, if it is perspective-correct.
#[derive(Debug)]
struct Slopes {
    row: u32,
    component: usize,
    is_perspective: bool,
    along: [Value; 2],
}

/// `true` if an input is linear in clip space.
fn is_perspective(input: &Parameter) -> bool {
    use Interpolation::{Linear, LinearCentroid, LinearSample};
    matches!(input.interpolation, Linear | LinearCentroid | LinearSample)
}

/// `true` if a program evaluates perspective-correct inputs at other points than centers, for which it needs w there.
pub(super) fn needs_w(program: &ValidProgram, inputs: &[Parameter]) -> bool {
    inputs.iter().any(is_perspective) && evaluated(program).next().is_some()
}

/// The inputs of all evaluations.
fn evaluated(program: &ValidProgram) -> impl Iterator<Item = &Operand> {
    let instructions = (0..program.items().len()).filter_map(|position| program.instruction(position));
    let evaluations = instructions.filter(|instruction| {
        matches!(instruction.op, Opcode::EvalSnapped | Opcode::EvalSampleIndex | Opcode::EvalCentroid)
    });
    evaluations.filter_map(|instruction| instruction.sources().next())
}

/// The inputs that a program evaluates though they are declared at centroids or samples: each has a row at the center
/// of the pixel, as many rows further than its own as all of them.
pub(super) fn at_center(program: &ValidProgram, inputs: &[Parameter]) -> Vec<(u32, usize)> {
    let evaluated: Vec<u32> = evaluated(program).flat_map(|input| rows(program, input)).collect();
    let is_elsewhere = |input: &Parameter| input.interpolation.at_center() != input.interpolation;
    let offset = stage::rows(inputs);
    let own = inputs.iter().enumerate().filter(|(_, input)| is_elsewhere(input) && evaluated.contains(&input.row));
    own.map(|(n, input)| (input.row + offset, n)).collect()
}

/// The rows that an input may be read from: several if it is indexed dynamically.
fn rows(program: &ValidProgram, input: &Operand) -> Range<u32> {
    let Some(index) = input.indices.last() else { return 0..0 };
    let first = u32::try_from(index.immediate).unwrap_or(u32::MAX);
    let one = first..first.saturating_add(1);
    if index.as_u32().is_some() {
        return one;
    }
    let mut ranges = program.declarations().index_ranges.iter().filter(|range| range.file == RegisterFile::Input);
    let all = |range: &IndexRange| range.first..range.first.saturating_add(range.count);
    ranges.find(|range| all(range).contains(&first)).map_or(one, all)
}

impl Translator<'_, '_> {
    /// Computes the slopes of inputs that are evaluated away from the centers of pixels. Unused ones are left to the
    /// passes.
    pub(super) fn prepare_evaluations(&mut self) -> Result {
        let (program, stage) = (self.program, self.b.func.interface.stage.clone());
        let Stage::Pixel(signature) = stage else { return Ok(()) };
        for row in evaluated(program).flat_map(|input| rows(program, input)) {
            if self.evaluations.slopes.iter().any(|known| known.row == row) {
                continue;
            }
            let is_its = |input: &&Parameter| input.row == row && input.interpolation != Interpolation::Constant;
            for input in signature.inputs.iter().filter(is_its) {
                let words = self.input_row(Start::Known(row + self.to_center(row)), input.mask)?;
                let is_perspective = is_perspective(input);
                for component in lanes(input.mask) {
                    let mut value = self.b.op(Op::AsF32, &[words.at(component)]);
                    if is_perspective {
                        let [rcp_w, ..] = self.rcp_w()?;
                        value = self.b.op(Op::FMul, &[value, rcp_w]);
                    }
                    let along = self.slopes_of(value);
                    self.evaluations.slopes.push(Slopes { row, component, is_perspective, along });
                }
            }
        }
        Ok(())
    }

    fn slopes_of(&mut self, value: Value) -> [Value; 2] {
        [Derivative::AlongX, Derivative::AlongY].map(|derivative| derivative.of(&mut self.b, value))
    }

    /// 1/w at the center, and its slopes.
    fn rcp_w(&mut self) -> Result<[Value; 3]> {
        if let Some(known) = self.evaluations.rcp_w {
            return Ok(known);
        }
        let Some(row) = self.stage.w else { return Err(self.bad_operand("w")) };
        let words = self.input_row(Start::Known(row), 0b1000)?;
        let (w, one) = (self.b.op(Op::AsF32, &[words.at(3)]), self.b.f32(1.0));
        let value = self.b.op(Op::FDiv, &[one, w]);
        let [x, y] = self.slopes_of(value);
        Ok(*self.evaluations.rcp_w.insert([value, x, y]))
    }

    /// The distance from the row of an input to that of its values at the center: 0 if that is its own.
    fn to_center(&self, row: u32) -> u32 {
        let Stage::Pixel(signature) = &self.b.func.interface.stage else { return 0 };
        let is_its = |(_, number): &&(u32, usize)| signature.inputs.get(*number).is_some_and(|input| input.row == row);
        signature.at_center.iter().find(is_its).map_or(0, |(center, _)| center - row)
    }

    /// `eval_snapped`: the input at a point of a 16 x 16 grid around the pixel's center.
    pub(super) fn eval_snapped(&mut self, instruction: &Instruction) -> Result {
        let [destination, input, offsets] = self.operands(instruction)?;
        let offsets = self.read(offsets, 0b11, SourceType::Int)?;
        let offset = [0, 1].map(|axis| {
            // Signed four-bit offsets in sixteenths of a pixel.
            self.sixteenths(offsets.at(axis))
        });
        self.eval(destination, input, offset)
    }

    /// `eval_sample_index`: the input at a sample; at the center if there is no such one.
    pub(super) fn eval_sample_index(&mut self, instruction: &Instruction) -> Result {
        let [destination, input, sample] = self.operands(instruction)?;
        let sample = self.read_one(sample, SourceType::Int)?;
        let offset = self.position_of_sample(sample)?;
        self.eval_unless_zero(destination, input, offset)
    }

    /// `eval_centroid`: the input at the centroid.
    pub(super) fn eval_centroid(&mut self, instruction: &Instruction) -> Result {
        let [destination, input] = self.operands(instruction)?;
        let Some(row) = self.stage.centroid else { return Err(self.bad_operand("centroid")) };
        let words = self.input_row(Start::Known(row), 0b11)?;
        let offset = [0, 1].map(|axis| self.b.op(Op::AsF32, &[words.at(axis)]));
        self.eval_unless_zero(destination, input, offset)
    }

    /// The position of a sample from the pixel's center. Beyond the last one it is any; the center in other stages.
    pub(super) fn position_of_sample(&mut self, sample: Value) -> Result<[Value; 2]> {
        let Some(row) = self.stage.sample_positions else { return Ok([self.b.f32(0.0), self.b.f32(0.0)]) };
        let words = self.input_row(Start::Known(row), 0b1111)?;
        let (two, eight) = (self.b.i32(2), self.b.i32(8));
        // Shifts take the lowest five bits: those of the sample in its word.
        let digit = self.b.op(Op::Shl, &[sample, two]);
        let is_first = self.b.op(Op::ULt, &[sample, eight]);
        Ok([0, 2].map(|first| {
            let word = self.b.select(is_first, words.at(first), words.at(first + 1));
            let bits = self.b.op(Op::UShr, &[word, digit]);
            self.sixteenths(bits)
        }))
    }

    /// A signed number of the lowest four bits, in sixteenths.
    fn sixteenths(&mut self, bits: Value) -> Value {
        let (top, sixteenth) = (self.b.i32(28), self.b.f32(1.0 / 16.0));
        let high = self.b.op(Op::Shl, &[bits, top]);
        let number = self.b.op(Op::SShr, &[high, top]);
        let number = self.b.op(Op::SToF, &[number]);
        self.b.op(Op::FMul, &[number, sixteenth])
    }

    /// Evaluates an input at an offset from the pixel's center. Where that is 0, as in pixels of one sample, it is the
    /// value there, whatever the slopes.
    fn eval_unless_zero(&mut self, destination: &Operand, input: &Operand, offset: [Value; 2]) -> Result {
        self.eval_with(destination, input, offset, |translator, at_offset, at_center| {
            let zero = translator.b.f32(0.0);
            let [x, y] = offset.map(|axis| translator.b.op(Op::FEq, &[axis, zero]));
            let is_center = translator.b.op(Op::BAnd, &[x, y]);
            translator.b.select(is_center, at_center, at_offset)
        })
    }

    fn eval(&mut self, destination: &Operand, input: &Operand, offset: [Value; 2]) -> Result {
        self.eval_with(destination, input, offset, |_, at_offset, _| at_offset)
    }

    fn eval_with(
        &mut self,
        destination: &Operand,
        input: &Operand,
        offset: [Value; 2],
        mut choose: impl FnMut(&mut Self, Value, Value) -> Value,
    ) -> Result {
        let mask = destination.mask();
        let mut centered = input.clone();
        if let Some(index) = centered.indices.last_mut() {
            let row = u32::try_from(index.immediate).unwrap_or(u32::MAX);
            index.immediate += u64::from(self.to_center(row));
        }
        let words = self.bits(&centered, mask)?;
        let mut result = Vector::default();
        for lane in lanes(mask) {
            let mut word = words.at(lane);
            if let Some((along, is_perspective)) = self.slopes(input, usize::from(input.component(lane)))? {
                let center = self.b.op(Op::AsF32, &[word]);
                let value = self.evaluated(center, offset, along, is_perspective)?;
                let value = choose(self, value, center);
                word = self.b.op(Op::BitsF32, &[value]);
            }
            if input.negate || input.absolute {
                let value = self.b.op(Op::AsF32, &[word]);
                let value = self.sign_modified(input, value);
                word = self.b.op(Op::BitsF32, &[value]);
            }
            result.set(lane, word);
        }
        self.write(destination, &result)
    }

    /// The slopes of a component of an input, and whether they are over w; `None` if it is constant.
    fn slopes(&mut self, input: &Operand, component: usize) -> Result<Option<([Value; 2], bool)>> {
        let known = |slopes: &&Slopes, row| slopes.row == row && slopes.component == component;
        let mut found: Option<([Value; 2], bool)> = None;
        for row in rows(self.program, input) {
            let slopes = self.evaluations.slopes.iter().find(|slopes| known(slopes, row));
            let Some(&Slopes { along, is_perspective, .. }) = slopes else { continue };
            let Some((others, _)) = found else {
                found = Some((along, is_perspective));
                continue;
            };
            // All rows of a range are interpolated in one way (16.5.1).
            let Some(index) = input.indices.last() else { continue };
            let (index, row) = (self.index(index)?, self.b.i32(row));
            let is_it = self.b.op(Op::IEq, &[index, row]);
            let along = [0, 1].map(|axis| self.b.op(Op::SelectF32, &[is_it, along[axis], others[axis]]));
            found = Some((along, is_perspective));
        }
        Ok(found)
    }

    /// An attribute at an offset from the center, where its value is given.
    fn evaluated(&mut self, value: Value, steps: [Value; 2], along: [Value; 2], is_perspective: bool) -> Result<Value> {
        let change = self.change(steps, along);
        if !is_perspective {
            return Ok(self.b.op(Op::FAdd, &[value, change]));
        }
        // (value / w + its change) / (1/w + its change), written so that nothing changes at offset 0.
        let [rcp_w, x, y] = self.rcp_w()?;
        let change_of_w = self.change(steps, [x, y]);
        let own = self.b.op(Op::FMul, &[value, change_of_w]);
        let numerator = self.b.op(Op::FSub, &[change, own]);
        let denominator = self.b.op(Op::FAdd, &[rcp_w, change_of_w]);
        let change = self.b.op(Op::FDiv, &[numerator, denominator]);
        Ok(self.b.op(Op::FAdd, &[value, change]))
    }

    fn change(&mut self, steps: [Value; 2], along: [Value; 2]) -> Value {
        let [x, y] = [0, 1].map(|axis| self.b.op(Op::FMul, &[along[axis], steps[axis]]));
        self.b.op(Op::FAdd, &[x, y])
    }
}
