//! Assigns rows to inputs and outputs, and accesses them.
//!
//! Inputs are read from their array at each use. Outputs are slots until the invocation ends, so that the last write
//! counts, and are stored to their array then. An invocation that discards its pixel continues as a helper lane.

use std::collections::BTreeMap;

use brolga_bytecode::sm3::{
    Declaration, Instruction, Modifier, Operand, Register, RegisterFile, Source, Swizzle, Usage, ValidProgram, Version,
};
use brolga_bytecode::sm5::Stage as BytecodeStage;

use super::super::vector::{Vector, lanes};
use super::super::words::{self, Start};
use super::survey::{Survey, has_texture_registers};
use super::{Result, Translator};
use crate::Op;
use crate::entity::{ArrayId, Slot, Value};
use crate::function::{Input, Object};
use crate::interface::Array;
use crate::stage::{Interpolation, Parameter, ROW_BYTES, Semantic, Signature, Stage, SystemValue};

const OPOS: Register = Register { file: RegisterFile::Rasterizer, number: 0 };
const OFOG: Register = Register { file: RegisterFile::Rasterizer, number: 1 };
const OPTS: Register = Register { file: RegisterFile::Rasterizer, number: 2 };
const OD0: Register = Register { file: RegisterFile::Color, number: 0 };
/// The register whose final value is the color of a pixel shader 1.x.
const R0: Register = Register { file: RegisterFile::Temp, number: 0 };
pub(super) const DEPTH: Register = Register { file: RegisterFile::DepthOut, number: 0 };

/// Components of a register that are an input or output.
#[derive(Clone, Copy, Debug)]
pub(super) struct Placed {
    pub register: Register,
    /// The usage that links it with the other stage, or with vertex data.
    pub usage: Option<(Usage, u32)>,
    pub row: u32,
    pub mask: u8,
    pub system_value: Option<SystemValue>,
    pub interpolation: Interpolation,
}

/// The rows of inputs and outputs.
#[derive(Default)]
pub(super) struct StageLayout {
    pub inputs: Vec<Placed>,
    pub outputs: Vec<Placed>,
    /// Rows of `v#`; relative addresses reach none beyond.
    input_registers: u32,
    /// The row that reports whether the pixel was discarded.
    pub discarded: Option<u32>,
}

impl StageLayout {
    pub(super) fn new(program: &ValidProgram, survey: &Survey) -> Self {
        let mut layout = match program.program().version.stage() {
            BytecodeStage::Vertex => Self::of_vertices(program, survey),
            _ => Self::of_pixels(program, survey),
        };
        let is_input = |input: &&Placed| input.register.file == RegisterFile::Input;
        layout.input_registers = rows(layout.inputs.iter().filter(is_input));
        layout
    }

    fn of_vertices(program: &ValidProgram, survey: &Survey) -> Self {
        let declarations = program.declarations();
        let inputs = declarations.inputs.iter().map(|input| declared(input, Interpolation::Constant)).collect();
        let outputs = if program.program().version.major() >= 3 {
            let outputs = declarations.outputs.iter().map(|output| declared(output, Interpolation::Constant));
            outputs.map(|output| Placed { system_value: output.usage.and_then(system_value), ..output }).collect()
        } else {
            let numbered = |file, count| (0..count).map(move |number| Register { file, number });
            let colors = numbered(RegisterFile::Color, 2);
            let coordinates = numbered(RegisterFile::TexCoord, 8);
            let all = [OPOS].into_iter().chain(colors).chain(coordinates).chain([OFOG, OPTS]);
            (0..).zip(all.filter(|register| survey.registers.contains(register))).map(fixed_output).collect()
        };
        Self { inputs, outputs, ..Self::default() }
    }

    fn of_pixels(program: &ValidProgram, survey: &Survey) -> Self {
        let (version, declarations) = (program.program().version, program.declarations());
        let mut inputs: Vec<Placed> = if version.major() == 1 {
            survey.inputs.iter().map(|&register| fixed_input(register, 0xf, false)).collect()
        } else {
            let values = declarations.inputs.iter().filter(|input| input.register.register.file != RegisterFile::Misc);
            values.map(|input| pixel_input(version, input)).collect()
        };
        let is_special = |input: &&Declaration| input.register.register.file == RegisterFile::Misc;
        for (row, input) in (rows(&inputs)..).zip(declarations.inputs.iter().filter(is_special)) {
            let register = input.register.register;
            let (system_value, mask) = match register {
                Register::FACE => (SystemValue::IsFrontFace, 1),
                _ => (SystemValue::Position, input.register.mask & 0b11),
            };
            inputs.push(special(register, row, mask, system_value));
        }

        let is_color = |register: &&Register| register.file == RegisterFile::ColorOut;
        let color = |register: Register, row| Placed {
            register,
            usage: None,
            row,
            mask: 0xf,
            system_value: None,
            interpolation: Interpolation::Constant,
        };
        let mut outputs: Vec<Placed> = match version.major() {
            1 => vec![color(R0, 0)],
            _ => survey.registers.iter().filter(is_color).map(|&to| color(to, u32::from(to.number))).collect(),
        };
        if survey.writes_depth {
            outputs.push(special(DEPTH, rows(&outputs), 1, SystemValue::Depth));
        }
        let discarded = survey.discards.then(|| rows(&outputs));
        Self { inputs, outputs, discarded, ..Self::default() }
    }

    /// The stage, with the arrays of its inputs and outputs.
    pub(super) fn stage(&self, program: &ValidProgram) -> (Stage, Vec<Array>) {
        let parameter = |&Placed { usage, row, mask, system_value, interpolation, .. }: &Placed| Parameter {
            semantic: usage.map(|(usage, index)| Semantic::new(usage.text(), index)),
            row,
            mask,
            system_value,
            interpolation,
            stream: 0,
        };
        let inputs: Vec<Parameter> = self.inputs.iter().map(parameter).collect();
        let mut outputs: Vec<Parameter> = self.outputs.iter().map(parameter).collect();
        outputs.extend(self.discarded.map(|row| Parameter {
            semantic: None,
            row,
            mask: 1,
            system_value: Some(SystemValue::Discarded),
            interpolation: Interpolation::Constant,
            stream: 0,
        }));
        let mut signature = Signature { inputs, outputs, ..Signature::default() };
        let arrays = signature.declare_arrays();
        match program.program().version.stage() {
            BytecodeStage::Vertex => (Stage::Vertex(signature), arrays),
            _ => (Stage::Pixel(signature), arrays),
        }
    }

    /// The registers whose final values are the outputs.
    pub(super) fn output_registers(&self) -> impl Iterator<Item = Register> {
        self.outputs.iter().map(|output| output.register)
    }

    /// The row of an input, and its components.
    pub(super) fn input(&self, register: Register) -> Option<(u32, u8)> {
        let mut parts = self.inputs.iter().filter(|input| input.register == register);
        let first = parts.next()?;
        Some((first.row, parts.fold(first.mask, |mask, input| mask | input.mask)))
    }
}

fn rows<'a>(placed: impl IntoIterator<Item = &'a Placed>) -> u32 {
    placed.into_iter().map(|placed| placed.row + 1).max().unwrap_or(0)
}

/// A declaration with a usage: the row is the register's number.
fn declared(declaration: &Declaration, interpolation: Interpolation) -> Placed {
    let register = declaration.register.register;
    Placed {
        register,
        usage: declaration.usage().map(|usage| (usage, declaration.usage_index())),
        row: register.number.into(),
        mask: declaration.register.mask,
        system_value: None,
        interpolation,
    }
}

fn special(register: Register, row: u32, mask: u8, value: SystemValue) -> Placed {
    let interpolation = Interpolation::Constant;
    Placed { register, usage: None, row, mask, system_value: Some(value), interpolation }
}

fn pixel_input(version: Version, declaration: &Declaration) -> Placed {
    let centroid = declaration.register.centroid;
    if version.major() < 3 {
        return fixed_input(declaration.register.register, declaration.register.mask, centroid);
    }
    declared(declaration, interpolation(centroid))
}

/// An input of ps_1_x or ps_2_x, whose usage follows from its register.
fn fixed_input(register: Register, mask: u8, centroid: bool) -> Placed {
    let number = u32::from(register.number);
    let (usage, row) = match register.file {
        RegisterFile::Texture => (Usage::TexCoord, 2 + number),
        _ => (Usage::Color, number),
    };
    Placed {
        register,
        usage: Some((usage, number)),
        row,
        mask,
        system_value: None,
        interpolation: interpolation(centroid),
    }
}

/// An output of vs_1_x or vs_2_x, likewise.
fn fixed_output((row, register): (u32, Register)) -> Placed {
    let (usage, mask) = match register {
        OPOS => ((Usage::Position, 0), 0xf),
        OFOG => ((Usage::Fog, 0), 1),
        OPTS => ((Usage::PointSize, 0), 1),
        Register { file: RegisterFile::Color, number } => ((Usage::Color, number.into()), 0xf),
        Register { number, .. } => ((Usage::TexCoord, number.into()), 0xf),
    };
    let interpolation = Interpolation::Constant;
    Placed { register, usage: Some(usage), row, mask, system_value: system_value(usage), interpolation }
}

fn interpolation(centroid: bool) -> Interpolation {
    if centroid { Interpolation::LinearCentroid } else { Interpolation::Linear }
}

/// The meaning of a vertex shader's output to the pipeline.
fn system_value(usage: (Usage, u32)) -> Option<SystemValue> {
    match usage {
        (Usage::Position, 0) => Some(SystemValue::Position),
        (Usage::PointSize, 0) => Some(SystemValue::PointSize),
        (Usage::Fog, 0) => Some(SystemValue::Fog),
        _ => None,
    }
}

/// `true` if a register's final value is clamped to 0 to 1. Those of vs_3_0 are not.
fn is_clamped(register: Register) -> bool {
    register.file == RegisterFile::Color || register == OFOG
}

impl Translator<'_, '_> {
    fn signature(&self) -> &Signature {
        self.b.func.interface.stage.signature().expect("there are no other stages in Direct3D 9")
    }

    /// The number of the invocation, which is its element of the arrays.
    fn invocation(&mut self) -> Value {
        self.b.input(Input::ThreadId(0))
    }

    /// Components of an input, in component order. Undeclared ones are 0.
    pub(super) fn input(&mut self, source: &Source, components: u8) -> Result<Vector> {
        let register = source.register;
        if let Some(relative) = source.relative {
            let number = self.number(register, relative)?;
            return Ok(self.input_at(number, components));
        }
        if let (Register::FACE, Some((row, mask))) = (register, self.layout.input(register)) {
            let word = self.input_row(row, mask).at(0);
            return Ok(self.face(word));
        }
        let (row, mask) = self.layout.input(register).unwrap_or_default();
        // vFace is a single value, whatever component of it is read.
        let components = if register == Register::FACE { 1 } else { components };
        let mut result = Vector::default();
        if mask & components != 0 {
            result = self.input_row(row, mask & components);
        }
        for component in lanes(components & !mask) {
            result.set(component, self.b.i32(0));
        }
        if register == Register::POSITION {
            self.whole_pixels(&mut result, mask & components);
        }
        Ok(result)
    }

    /// Components of a row of the inputs, in component order.
    pub(super) fn input_row(&mut self, row: u32, components: u8) -> Vector {
        let Some(array) = self.signature().input_array else { return Vector::splat(self.b.i32(0)) };
        let invocation = self.invocation();
        words::load(&mut self.b, Object::Array(array), invocation, Start::Known(row * ROW_BYTES), components)
    }

    /// Components of the `v#` with a computed number. One that does not exist reads 0.
    fn input_at(&mut self, number: Value, components: u8) -> Vector {
        let Some(array) = self.signature().input_array else { return Vector::splat(self.b.i32(0)) };
        let (count, row_bytes, outside) =
            (self.b.i32(self.layout.input_registers), self.b.i32(ROW_BYTES), self.b.i32(u32::MAX - (ROW_BYTES - 1)));
        let exists = self.b.op(Op::ULt, &[number, count]);
        let start = self.b.op(Op::IMul, &[number, row_bytes]);
        let start = Start::Computed(self.b.select(exists, start, outside));
        let invocation = self.invocation();
        words::load(&mut self.b, Object::Array(array), invocation, start, components)
    }

    /// vFace: 1 or -1 for front- and back-facing, from the word that says whether the primitive is front-facing.
    fn face(&mut self, word: Value) -> Vector {
        let zero = self.b.i32(0);
        let is_front = self.b.op(Op::INe, &[word, zero]);
        let (front, back) = (self.b.f32(1.0), self.b.f32(-1.0));
        Vector::splat(self.b.select(is_front, front, back))
    }

    /// vPos: the pixel's integer coordinates, from the position of its center.
    fn whole_pixels(&mut self, position: &mut Vector, components: u8) {
        let half = self.b.f32(0.5);
        for component in lanes(components) {
            let center = self.float(position.at(component));
            position.set(component, self.b.op(Op::FSub, &[center, half]));
        }
    }

    /// Initialises the first colour of vs_1_x and vs_2_x to white, as fixed functions do, for shaders that don't write
    /// it.
    pub(super) fn begin_outputs(&mut self) {
        if self.layout.outputs.iter().all(|output| output.register != OD0) {
            return;
        }
        let white = self.b.f32(1.0);
        let white = self.word(white);
        for lane in 0..4 {
            let slot = self.slots.of(OD0, lane);
            self.registers.set(&mut self.b, slot, white);
        }
    }

    /// Stores outputs to their array.
    pub(super) fn finish_outputs(&mut self) {
        let Some(array) = self.signature().output_array else { return };
        let invocation = self.invocation();
        let mut masks: BTreeMap<u32, (Register, u8)> = BTreeMap::new();
        for output in &self.layout.outputs {
            masks.entry(output.row).or_insert((output.register, 0)).1 |= output.mask;
        }
        for (row, (register, mask)) in masks {
            let mut words = Vector::default();
            for lane in lanes(mask) {
                let slot = self.slots.of(register, lane);
                let mut word = self.registers.get(&mut self.b, slot);
                if is_clamped(register) {
                    let value = self.float(word);
                    let value = self.b.op(Op::FSat, &[value]);
                    word = self.word(value);
                }
                words.set(lane, word);
            }
            self.store_row(array, invocation, row, mask, &words);
        }
        if let (Some(row), Some(slot)) = (self.layout.discarded, self.slots.discarded) {
            let is_discarded = self.registers.get(&mut self.b, slot);
            let words = Vector::splat(self.b.op(Op::BToI, &[is_discarded]));
            self.store_row(array, invocation, row, 1, &words);
        }
    }

    fn store_row(&mut self, array: ArrayId, invocation: Value, row: u32, mask: u8, words: &Vector) {
        words::store(&mut self.b, Object::Array(array), invocation, Start::Known(row * ROW_BYTES), mask, words);
    }

    /// `texkill`: discards the pixel where a component is negative; shader model 1 tests only three.
    pub(super) fn texkill(&mut self, instruction: &Instruction) -> Result {
        let Some(Operand::Destination(tested)) = instruction.operands.first() else {
            return Err(self.bad_operand("count"));
        };
        let register = tested.register;
        let mut mask = if self.is_ps_1() { tested.mask & 0b111 } else { tested.mask };
        // Undeclared components are not tested.
        if let Some((_, declared)) = self.layout.input(register) {
            mask &= declared;
        }
        let source =
            Source { register, relative: tested.relative, swizzle: Swizzle::IDENTITY, modifier: Modifier::None };
        let values = match has_texture_registers(self.version) {
            true => self.coordinates(register.number, mask),
            false => self.read(&source, mask)?,
        };
        let Some(slot) = self.slots.discarded else { return Err(self.bad_operand(register)) };
        let zero = self.b.f32(0.0);
        for lane in lanes(mask) {
            let mut is_negative = self.b.op(Op::FLt, &[values.at(lane), zero]);
            if let Some(holds) = self.predicate(lane)? {
                is_negative = self.b.op(Op::BAnd, &[is_negative, holds]);
            }
            self.discard(slot, is_negative);
        }
        Ok(())
    }

    fn discard(&mut self, slot: Slot, condition: Value) {
        let before = self.registers.get(&mut self.b, slot);
        let discarded = self.b.op(Op::BOr, &[before, condition]);
        self.registers.set(&mut self.b, slot, discarded);
    }
}
