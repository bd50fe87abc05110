//! Lays out and accesses inputs and outputs of the stages that run in batches.
//!
//! Inputs are read from their array at each use. Outputs are slots, so that the last write counts, and are stored to
//! their array when the invocation ends; but dynamically indexed outputs are stored at once. An invocation that
//! discards its pixel continues as a helper lane: without effects, for the rest of its quad.
//!
//! Some programs need inputs that they do not declare, which follow those of theirs: whether the pixel is a helper, and
//! what evaluations of inputs at other points need.
//!
//! | file | what |
//! |---|---|
//! | `parameters.rs` | inputs and outputs, each with its row |
//! | `primitive.rs` | whole primitives and patches as inputs |
//! | `tessellation.rs` | the phases of hull shaders; domain shaders |
//! | `geometry.rs` | the vertices that geometry shaders emit |
//! | `message.rs` | messages, and who sends them |

use std::ops::Range;

use brolga_bytecode::sm5::valid::ValidProgram;
use brolga_bytecode::sm5::{GlobalFlags, Instruction, Op as Opcode, Operand, RegisterFile, Stage as BytecodeStage};

mod geometry;
mod message;
mod parameters;
mod primitive;
mod tessellation;

use self::geometry::Emission;
use self::parameters::{DeclaredParameter, indexed_outputs, parameters};
use self::tessellation::HullPhase;
use super::operand::Destination;
use super::{Result, Translator, evaluate};
use crate::Type;
use crate::entity::{Slot, Value};
use crate::function::{Function, Input, MemoryRef, Object, RegisterName};
use crate::interface::Array;
use crate::ops::Op;
use crate::stage::{Interpolation, Parameter, ROW_BYTES, Signature, Stage, SystemValue, rows};
use crate::translate::vector::{Vector, lanes};
use crate::translate::words::{self, Start};
pub use parameters::linked;

/// The layout of a stage's registers.
#[derive(Default)]
pub(super) struct StageRegisters {
    /// The rows of registers without a number.
    inputs: Vec<(RegisterFile, u32)>,
    outputs: Vec<(RegisterFile, u32)>,
    /// The rows of dynamically indexed outputs.
    indexed: Vec<Range<u32>>,
    /// The first slot of the outputs, which have four for each row.
    pub first_slot: usize,
    /// The flag of a discarded pixel, and the row that reports it.
    discarded: Option<(Slot, u32)>,
    /// The row that is not 0 in pixels that are no helpers, if effects depend on it.
    active: Option<u32>,
    /// The rows that say which vertex or pixel it is, if it sends messages.
    sender: [Option<u32>; 2],
    /// The row whose last component is w at the pixel's center, if inputs are evaluated elsewhere.
    pub w: Option<u32>,
    /// The phase of a hull shader.
    pub hull: Option<HullPhase>,
    /// What a geometry shader emits with.
    pub geometry: Option<Emission>,
    /// The rows of the number of samples, of their positions and of the centroid, if instructions ask for them.
    pub sample_count: Option<u32>,
    pub sample_positions: Option<u32>,
    pub centroid: Option<u32>,
}

/// The stage of a program, with the arrays of its inputs and outputs.
pub(super) fn declare(program: &ValidProgram) -> Result<(Stage, Vec<Array>, StageRegisters)> {
    let declarations = program.declarations();
    let stage: fn(Signature) -> Stage = match program.stage() {
        BytecodeStage::Compute => {
            let stage = Stage::Compute { group_size: declarations.group_size };
            return Ok((stage, Vec::new(), StageRegisters::default()));
        }
        BytecodeStage::Hull => {
            let (stage, arrays) = tessellation::declare_hull(program)?;
            return Ok((stage, arrays, StageRegisters { hull: Some(HullPhase::new()), ..StageRegisters::default() }));
        }
        BytecodeStage::Geometry => {
            let (stage, arrays, emission) = geometry::declare(program)?;
            let indexed = emission.indexed.clone();
            return Ok((
                stage,
                arrays,
                StageRegisters { indexed, geometry: Some(emission), ..StageRegisters::default() },
            ));
        }
        BytecodeStage::Domain => {
            let mut registers = StageRegisters { indexed: indexed_outputs(program), ..StageRegisters::default() };
            let outputs = declarations.outputs.iter().map(DeclaredParameter::of_output);
            let outputs = parameters(outputs, RegisterFile::Output, &mut registers.outputs);
            let (stage, arrays) = tessellation::declare_domain(program, outputs)?;
            return Ok((stage, arrays, registers));
        }
        BytecodeStage::Vertex => Stage::Vertex,
        BytecodeStage::Pixel => Stage::Pixel,
    };
    let mut registers = StageRegisters::default();
    let inputs = declarations.inputs.iter().map(DeclaredParameter::of_input);
    let mut inputs = parameters(inputs, RegisterFile::Input, &mut registers.inputs);
    let outputs = declarations.outputs.iter().map(DeclaredParameter::of_output);
    let mut outputs = parameters(outputs, RegisterFile::Output, &mut registers.outputs);
    registers.indexed = indexed_outputs(program);

    let is_pixel = program.stage() == BytecodeStage::Pixel;
    let sends = message::is_sent(program);
    if is_pixel && (sends || !declarations.uavs.is_empty()) {
        registers.active = Some(add(&mut inputs, SystemValue::Active, 1));
    }
    if sends {
        registers.sender = if is_pixel {
            [Some(add(&mut inputs, SystemValue::Position, 0b11)), None]
        } else {
            [SystemValue::InstanceId, SystemValue::VertexId].map(|value| Some(add(&mut inputs, value, 1)))
        };
    }
    if is_pixel && evaluate::needs_w(program, &inputs) {
        registers.w = Some(add(&mut inputs, SystemValue::Position, 0b1000));
    }
    let asks = |ops: &[Opcode], file: Option<RegisterFile>| {
        let mut all = (0..program.items().len()).filter_map(|position| program.instruction(position));
        let is_of_file = |i: &&Instruction| file.is_none_or(|file| i.sources().any(|source| source.file == file));
        is_pixel && all.any(|i| ops.contains(&i.op) && is_of_file(&i))
    };
    let of_rasterizer = Some(RegisterFile::Rasterizer);
    if asks(&[Opcode::SampleInfo, Opcode::SamplePos], of_rasterizer) {
        registers.sample_count = Some(add(&mut inputs, SystemValue::SampleCount, 1));
    }
    if asks(&[Opcode::SamplePos], of_rasterizer) || asks(&[Opcode::EvalSampleIndex], None) {
        registers.sample_positions = Some(add(&mut inputs, SystemValue::SamplePositions, 0b1111));
    }
    if asks(&[Opcode::EvalCentroid], None) {
        registers.centroid = Some(add(&mut inputs, SystemValue::CentroidOffset, 0b11));
    }
    if asks(&[Opcode::Discard], None) {
        registers.discarded = Some((Slot::new(0), add(&mut outputs, SystemValue::Discarded, 1)));
    }
    let at_center = if is_pixel { evaluate::at_center(program, &inputs) } else { Vec::new() };
    let forces_early_tests = is_pixel && declarations.flags.has(GlobalFlags::EARLY_DEPTH_STENCIL);
    let mut signature = Signature { inputs, outputs, at_center, forces_early_tests, ..Signature::default() };
    let arrays = signature.declare_arrays();
    Ok((stage(signature), arrays, registers))
}

/// Adds components of an input or output that the program does not declare; returns its row.
fn add(parameters: &mut Vec<Parameter>, value: SystemValue, mask: u8) -> u32 {
    let row = rows(parameters);
    let (system_value, interpolation) = (Some(value), Interpolation::Constant);
    parameters.push(Parameter { semantic: None, row, mask, system_value, interpolation, stream: 0 });
    row
}

impl StageRegisters {
    /// Adds the slots that hold outputs until the end.
    pub(super) fn add_slots(&mut self, func: &mut Function) {
        if let Some(hull) = &mut self.hull {
            return hull.add_slots(func);
        }
        self.first_slot = func.slot_count();
        let rows = func.interface.stage.signature().map_or(0, Signature::output_rows);
        for row in 0..rows {
            let special = self.outputs.iter().find(|&&(_, its_row)| its_row == row);
            let file = special.map_or(RegisterFile::Output, |&(file, _)| file);
            func.add_register(RegisterName::Sm5(file, row), Type::I32);
        }
        if let Some((slot, _)) = &mut self.discarded {
            *slot = func.add_slot(Type::Bool);
        }
        if let Some(emission) = &mut self.geometry {
            emission.add_slots(func);
        }
    }

    pub(super) fn is_indexed(&self, row: u32) -> bool {
        self.indexed.iter().any(|range| range.contains(&row))
    }
}

impl Translator<'_, '_> {
    fn signature(&self) -> Option<&Signature> {
        self.b.func.interface.stage.signature()
    }

    /// The row at which a register begins.
    pub(super) fn row(&mut self, operand: &Operand, numbered: RegisterFile, special: RegisterList) -> Result<Start> {
        if operand.file != numbered {
            let list = special(&self.stage);
            let row = list.iter().find(|(file, _)| *file == operand.file).map(|&(_, row)| row);
            return row.map(Start::Known).ok_or_else(|| self.bad_operand(operand.file.text()));
        }
        let Some(index) = operand.indices.last() else { return Err(self.bad_operand(operand.file.text())) };
        match index.as_u32() {
            Some(row) => Ok(Start::Known(row)),
            None => Ok(Start::Computed(self.index(index)?)),
        }
    }

    /// The byte offset of a row in its element.
    pub(super) fn start(&mut self, row: Start) -> Start {
        match row {
            Start::Known(row) => Start::Known(row.wrapping_mul(ROW_BYTES)),
            Start::Computed(row) => {
                let bytes = self.b.i32(ROW_BYTES);
                Start::Computed(self.b.op(Op::IMul, &[row, bytes]))
            }
        }
    }

    /// The number of the invocation, which is its element of the arrays.
    pub(super) fn invocation(&mut self) -> Value {
        self.b.input(Input::ThreadId(0))
    }

    /// Components of an input, in component order.
    pub(super) fn input(&mut self, operand: &Operand, components: u8) -> Result<Vector> {
        if components == 0 {
            return Ok(Vector::default());
        }
        match self.b.func.interface.stage {
            Stage::Hull(_) | Stage::Geometry(_) => return self.input_of_primitive(operand, components),
            Stage::Domain(_) => return self.input_of_domain(operand, components),
            _ => {}
        }
        let row = self.row(operand, RegisterFile::Input, |stage| &stage.inputs)?;
        self.input_row(row, components)
    }

    /// Components of a row of the inputs, in component order.
    pub(super) fn input_row(&mut self, row: Start, components: u8) -> Result<Vector> {
        let Some(array) = self.signature().and_then(|signature| signature.input_array) else {
            return Err(self.bad_operand(RegisterFile::Input.text()));
        };
        let (start, index) = (self.start(row), self.invocation());
        Ok(words::load(&mut self.b, Object::Array(array), index, start, components))
    }

    /// The location of a destination that is an output.
    pub(super) fn output(&mut self, operand: &Operand) -> Result<Destination> {
        let row = self.row(operand, RegisterFile::Output, |stage| &stage.outputs)?;
        if self.stage.hull.is_some() {
            return match row {
                Start::Known(row) if row >= self.rows_of_phase() => Err(self.bad_operand(operand.file.text())),
                row => Ok(Destination::Output(self.start(row))),
            };
        }
        let rows = self.signature().map_or(0, Signature::output_rows);
        match row {
            Start::Known(row) if row >= rows => Err(self.bad_operand(operand.file.text())),
            Start::Known(row) if !self.stage.is_indexed(row) => {
                Ok(Destination::Slots(self.stage.first_slot + 4 * row as usize))
            }
            row => Ok(Destination::Output(self.start(row))),
        }
    }

    /// Writes components of a row of outputs.
    pub(super) fn store_output(&mut self, start: Start, mask: u8, words: &Vector) {
        if self.stage.geometry.is_some() {
            return self.keep_output(start, mask, words);
        }
        if self.stage.hull.is_some() {
            return self.store_of_phase(start, mask, words);
        }
        let Some(array) = self.signature().and_then(|signature| signature.output_array) else { return };
        let index = self.invocation();
        words::store(&mut self.b, Object::Array(array), index, start, mask, words);
    }

    /// Stores the slots of the outputs to their array.
    pub(super) fn finish_outputs(&mut self) {
        if self.stage.geometry.is_some() {
            return self.finish_emission();
        }
        if self.stage.hull.is_some() {
            return;
        }
        let Some(signature) = self.signature() else { return };
        let mut masks = vec![0; signature.output_rows() as usize];
        for output in &signature.outputs {
            masks[output.row as usize] |= output.mask;
        }
        let discarded = self.stage.discarded;
        for (row, mask) in (0..).zip(masks) {
            let mut words = Vector::default();
            match discarded {
                Some((slot, its_row)) if its_row == row => {
                    let is_discarded = self.registers.get(&mut self.b, slot);
                    let (ones, zero) = (self.b.i32(u32::MAX), self.b.i32(0));
                    words.set(0, self.b.select(is_discarded, ones, zero));
                }
                _ if mask == 0 || self.stage.is_indexed(row) => continue,
                _ => {
                    for lane in lanes(mask) {
                        let slot = Slot::new(self.stage.first_slot + 4 * row as usize + lane);
                        words.set(lane, self.registers.get(&mut self.b, slot));
                    }
                }
            }
            self.store_output(Start::Known(row * ROW_BYTES), mask, &words);
        }
    }

    /// `discard`
    pub(super) fn discard(&mut self, instruction: &Instruction) -> Result {
        let [operand] = self.operands(instruction)?;
        let Some((slot, _)) = self.stage.discarded else { return Err(self.bad_operand(operand.file.text())) };
        let cond = self.condition(operand, instruction.test)?;
        let before = self.registers.get(&mut self.b, slot);
        let discarded = self.b.op(Op::BOr, &[before, cond]);
        self.registers.set(&mut self.b, slot, discarded);
        Ok(())
    }

    /// The condition under which an invocation's effects count: not in helper pixels, nor in discarded ones.
    pub(super) fn effect(&mut self) -> Value {
        if self.b.func.interface.stage.domain().is_some() {
            let (is_point, zero) = (self.is_point(), self.b.i32(0));
            return self.b.op(Op::INe, &[is_point, zero]);
        }
        let covered = match (self.stage.active, self.signature().and_then(|signature| signature.input_array)) {
            (Some(row), Some(array)) => {
                let (index, offset) = (self.invocation(), self.b.i32(row * ROW_BYTES));
                let word = self.b.load(MemoryRef { object: Object::Array(array), index: Some(index), offset }, 1)[0];
                let zero = self.b.i32(0);
                self.b.op(Op::INe, &[word, zero])
            }
            _ => self.b.bool(true),
        };
        let Some((slot, _)) = self.stage.discarded else { return covered };
        let discarded = self.registers.get(&mut self.b, slot);
        let stays = self.b.op(Op::BNot, &[discarded]);
        self.b.op(Op::BAnd, &[covered, stays])
    }
}

/// Registers without a number, of the inputs or of the outputs.
type RegisterList = fn(&StageRegisters) -> &[(RegisterFile, u32)];
