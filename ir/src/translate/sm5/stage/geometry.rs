//! Translates what only geometry shaders have: vertices that they emit.
//!
//! An invocation counts its vertices in a slot. Outputs are slots as in other stages, or a private array where they are
//! indexed dynamically, and `emit` stores those of its stream behind the vertices before. They keep their values then,
//! as Direct3D allows. With the last vertex that the shader declares an invocation ends (functional specification,
//! 22.3.5).

use std::ops::Range;

use brolga_bytecode::sm5::valid::ValidProgram;
use brolga_bytecode::sm5::{Instruction, Op as Opcode, RegisterFile, codes};

use super::super::{Result, TranslateError, Translator};
use super::parameters::{DeclaredParameter, indexed_outputs, parameters};
use crate::Type;
use crate::entity::{LocalId, Slot};
use crate::function::{Function, MemoryRef, Object};
use crate::interface::{Array, Local};
use crate::ops::Op;
use crate::pipeline::record::{BEGINS_STRIP, GeometryArray, geometry_arrays};
use crate::stage::{GeometryStage, InputPrimitive, OutputTopology, ROW_BYTES, STREAMS, Signature, Stage, rows};
use crate::translate::vector::{Vector, lanes};
use crate::translate::words::{self, Start};

/// What a geometry shader needs to emit vertices.
pub(in super::super) struct Emission {
    /// Set if an invocation may emit as many vertices as it declares, and have more to do then.
    pub may_reach_most: bool,
    /// The rows of outputs that are indexed dynamically.
    pub indexed: Vec<Range<u32>>,
    is_tagged: bool,
    /// The number of vertices so far.
    count: Slot,
    /// Whether a strip begins with the next vertex, of each stream that has strips.
    begins: [Option<Slot>; STREAMS],
    /// The outputs, if they are indexed dynamically.
    local: Option<LocalId>,
}

/// The stage of a geometry shader with its arrays, and what it emits with.
pub(super) fn declare(program: &ValidProgram) -> Result<(Stage, Vec<Array>, Emission)> {
    let declared = program.declarations();
    let Some(input) = InputPrimitive::from_code(declared.input_primitive) else {
        let (name, at) = (Opcode::DclInputPrimitive.text(), program.program().at);
        return Err(TranslateError::Operand { name, at, register: declared.input_primitive.to_string() });
    };
    let is_vertex = |file: RegisterFile| file == RegisterFile::Input;
    let inputs = declared.inputs.iter().filter(|input| is_vertex(input.file)).map(DeclaredParameter::of_input);
    let inputs = parameters(inputs, RegisterFile::Input, &mut Vec::new());
    let outputs = declared.outputs.iter().map(DeclaredParameter::of_output);
    let outputs = parameters(outputs, RegisterFile::Output, &mut Vec::new());
    let mut streams = [None; STREAMS];
    for &(stream, topology) in &declared.topologies {
        streams[stream as usize % STREAMS] = Some(match topology {
            codes::Topology::LineStrip => OutputTopology::LineStrip,
            codes::Topology::TriangleStrip => OutputTopology::TriangleStrip,
            _ => OutputTopology::PointList,
        });
    }
    let all = || (0..program.items().len()).filter_map(|position| Some(program.instruction(position)?.op));
    let emits =
        |op: &Opcode| matches!(op, Opcode::Emit | Opcode::EmitThenCut | Opcode::EmitStream | Opcode::EmitThenCutStream);
    let cuts = |op| matches!(op, Opcode::Cut | Opcode::EmitThenCut | Opcode::CutStream | Opcode::EmitThenCutStream);
    let repeats = |op| matches!(op, Opcode::Loop | Opcode::Call | Opcode::CallC | Opcode::FCall);
    let (count, most) = (all().filter(emits).count(), declared.most_vertices as usize);
    let has_more_to_do = count > most || (count == most && !declared.uavs.is_empty());
    let has_strips = streams.iter().flatten().any(|&topology| topology != OutputTopology::PointList);
    let is_tagged = streams.iter().flatten().count() > 1 || (has_strips && all().any(cuts));
    let arrays = geometry_arrays(input, rows(&inputs), rows(&outputs));
    let emission = Emission {
        may_reach_most: has_more_to_do || all().any(repeats),
        is_tagged,
        indexed: indexed_outputs(program),
        count: Slot::new(0),
        begins: [None; STREAMS],
        local: None,
    };
    let signature = Signature {
        input_array: Some(GeometryArray::Vertices.id()),
        output_array: Some(GeometryArray::Emitted.id()),
        inputs,
        outputs,
        ..Signature::default()
    };
    let (most_vertices, instances) = (declared.most_vertices, declared.instances);
    let stage = GeometryStage { signature, input, most_vertices, instances, streams, is_tagged };
    Ok((Stage::Geometry(Box::new(stage)), arrays, emission))
}

impl Emission {
    pub(super) fn add_slots(&mut self, func: &mut Function) {
        let Some(geometry) = func.interface.stage.geometry() else { return };
        let (streams, registers) = (geometry.streams, geometry.signature.output_rows());
        self.count = func.add_slot(Type::I32);
        let is_strip = |topology: &OutputTopology| self.is_tagged && *topology != OutputTopology::PointList;
        self.begins = streams.map(|topology| topology.filter(is_strip).map(|_| func.add_slot(Type::Bool)));
        if !self.indexed.is_empty() {
            let locals = &mut func.interface.locals;
            let register = locals.iter().map(|local| local.register + 1).max().unwrap_or(0);
            locals.push(Local { register, registers, components: 4 });
            self.local = Some(LocalId::new(locals.len() - 1));
        }
    }
}

impl Translator<'_, '_> {
    /// Sets what emission counts with.
    pub(in super::super) fn begin_emission(&mut self) {
        let Some(&Emission { count, begins, .. }) = self.stage.geometry.as_ref() else { return };
        let zero = self.b.i32(0);
        self.registers.set(&mut self.b, count, zero);
        for slot in begins.into_iter().flatten() {
            self.set_flag(slot, true);
        }
    }

    fn set_flag(&mut self, slot: Slot, flag: bool) {
        let flag = self.b.bool(flag);
        self.registers.set(&mut self.b, slot, flag);
    }

    /// Writes components of a row of outputs that are indexed dynamically.
    pub(super) fn keep_output(&mut self, start: Start, mask: u8, words: &Vector) {
        let Some(local) = self.stage.geometry.as_ref().and_then(|emission| emission.local) else { return };
        let row = match start {
            Start::Known(bytes) => self.b.i32(bytes / ROW_BYTES),
            Start::Computed(bytes) => {
                let bits = self.b.i32(ROW_BYTES.trailing_zeros());
                self.b.op(Op::UShr, &[bytes, bits])
            }
        };
        words::store(&mut self.b, Object::Local(local), row, Start::Known(0), mask, words);
    }

    /// `emit`, `emit_stream`, and the same with a cut.
    pub(in super::super) fn emit(&mut self, instruction: &Instruction, cuts: bool) -> Result {
        let stream = self.stream(instruction)?;
        let Some(emission) = &self.stage.geometry else { return self.not_supported(instruction) };
        let (count_slot, begins, local) = (emission.count, emission.begins[stream as usize], emission.local);
        let (is_tagged, may_reach_most) = (emission.is_tagged, emission.may_reach_most);
        let Some(geometry) = self.b.func.interface.stage.geometry() else { return self.not_supported(instruction) };
        let most_vertices = geometry.most_vertices;
        let mut masks = vec![0; geometry.signature.output_rows() as usize];
        for output in geometry.signature.outputs.iter().filter(|output| output.stream == stream) {
            masks[output.row as usize] |= output.mask;
        }

        let (invocation, most, one) = (self.invocation(), self.b.i32(most_vertices), self.b.i32(1));
        let count = self.registers.get(&mut self.b, count_slot);
        let first = self.b.op(Op::IMul, &[invocation, most]);
        let vertex = self.b.op(Op::IAdd, &[first, count]);
        for (row, mask) in (0..).zip(masks).filter(|(_, mask)| *mask != 0) {
            let words = match local.filter(|_| self.stage.is_indexed(row)) {
                Some(local) => {
                    let row = self.b.i32(row);
                    self.load_vector(Object::Local(local), row, mask)
                }
                None => {
                    let mut words = Vector::default();
                    for lane in lanes(mask) {
                        let slot = Slot::new(self.stage.first_slot + 4 * row as usize + lane);
                        words.set(lane, self.registers.get(&mut self.b, slot));
                    }
                    words
                }
            };
            let emitted = Object::Array(GeometryArray::Emitted.id());
            words::store(&mut self.b, emitted, vertex, Start::Known(row * ROW_BYTES), mask, &words);
        }
        if is_tagged {
            let mut tag = self.b.i32(stream);
            if let Some(slot) = begins {
                let begins = self.registers.get(&mut self.b, slot);
                let first_tag = self.b.i32(stream | BEGINS_STRIP);
                tag = self.b.select(begins, first_tag, tag);
                self.set_flag(slot, cuts);
            }
            let (object, effect) = (Object::Array(GeometryArray::Tags.id()), self.b.bool(true));
            let offset = self.b.i32(0);
            self.b.store(MemoryRef { object, index: Some(vertex), offset }, &[tag], effect);
        }
        let count = self.b.op(Op::IAdd, &[count, one]);
        self.registers.set(&mut self.b, count_slot, count);
        if may_reach_most {
            let is_last = self.b.op(Op::UGe, &[count, most]);
            self.when(is_last, Self::end)?;
        }
        Ok(())
    }

    /// `cut`, `cut_stream`
    pub(in super::super) fn cut(&mut self, instruction: &Instruction) -> Result {
        let stream = self.stream(instruction)?;
        let begins = self.stage.geometry.as_ref().and_then(|emission| emission.begins[stream as usize]);
        if let Some(slot) = begins {
            self.set_flag(slot, true);
        }
        Ok(())
    }

    /// The stream that an instruction names; without one the first.
    fn stream(&self, instruction: &Instruction) -> Result<u32> {
        let stream = instruction.operands.first().map_or(Ok(0), |operand| self.number(operand, 0))?;
        if stream as usize >= STREAMS {
            return Err(self.bad_operand(format!("m{stream}")));
        }
        Ok(stream)
    }

    /// Stores how many vertices the invocation emitted.
    pub(super) fn finish_emission(&mut self) {
        let Some(&Emission { count, .. }) = self.stage.geometry.as_ref() else { return };
        let count = self.registers.get(&mut self.b, count);
        let (object, index) = (Object::Array(GeometryArray::Counts.id()), Some(self.invocation()));
        let (offset, effect) = (self.b.i32(0), self.b.bool(true));
        self.b.store(MemoryRef { object, index, offset }, &[count], effect);
    }
}
