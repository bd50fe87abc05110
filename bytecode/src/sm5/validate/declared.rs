//! Collects and checks declarations: their kinds, sizes and repetitions.

use super::{Mask, RegisterName, Rule, ValidateError};
use crate::faults::Faults;
use crate::limits::Limits;
use crate::sm5::codes::{Interpolation, ResourceDimension, ReturnType, SystemValue, Topology};
use crate::sm5::declaration::{Declaration, DeclarationKind, GlobalFlags, RegisterRange, ResourceKind, UavFlags};
use crate::sm5::operand::{Operand, RegisterFile};
use crate::sm5::ops::Op;
use crate::sm5::valid::{
    ConstantBuffer, Declarations, DeclaredInterface, Flow, FunctionName, FunctionTable, IndexRange, IndexableTemp,
    Input, Output, Resource, Sampler, SharedMemory, SharedMemoryKind, Uav,
};
use crate::sm5::{CustomContent, ItemKind, Model, Program, Stage};
use std::collections::{BTreeMap, HashMap, HashSet};

/// r# and x# registers together, in one phase.
const TEMPS: u64 = 4096;
/// Vectors of a constant buffer.
const BUFFER_VECTORS: u32 = 4096;
/// Bytes of a structure.
const STRIDE_BYTES: u32 = 2048;
/// Bytes of thread-group shared memory in models 5.x and 4.x.
const SHARED_BYTES: u64 = 32 << 10;
const SHARED_BYTES_4: u64 = 16 << 10;
/// Input and output registers.
const ATTRIBUTES: u32 = 32;
/// Interface slots.
const INTERFACES: u32 = 253;
/// Instances of a hull shader's phase.
const PHASE_INSTANCES: u32 = 1 << 16;
/// Scalars, and vertices, that a geometry shader emits for a primitive.
const GEOMETRY_SCALARS: u32 = 1024;
/// Its invocations for each primitive.
const GEOMETRY_INSTANCES: u32 = 32;
/// Control points of a patch.
const CONTROL_POINTS: u32 = 32;

/// Collects the declarations of a program and completes the phases in `flow` from them; `None` at a limit.
///
/// A faulty declaration still counts, so that one fault does not cause others.
pub(super) fn collect(
    program: &Program,
    flow: &mut Flow,
    limits: &Limits,
    faults: &mut Faults<ValidateError>,
) -> Option<Declarations> {
    let mut collect = Collect {
        program,
        limits,
        flow,
        out: Declarations { group_size: [1; 3], instances: 1, ..Declarations::default() },
        seen: HashSet::new(),
        once: HashSet::new(),
        taken: HashMap::new(),
        counts: [0; RegisterFile::ALL.len()],
        table_lengths: HashMap::new(),
        at: program.at,
        op: Op::CustomData,
        phase: 0,
        temps: 0,
        shared_bytes: 0,
        stream: 0,
        first_buffer: None,
    };
    for (position, item) in program.items.iter().enumerate() {
        if faults.is_cut() {
            return None;
        }
        collect.at = item.at;
        let collected = match &item.kind {
            ItemKind::Declaration(declaration) => {
                collect.op = declaration.op;
                collect.declaration(declaration)
            }
            ItemKind::CustomData(data) => {
                collect.op = Op::CustomData;
                collect.custom(position, &data.content)
            }
            ItemKind::Instruction(instruction) => {
                collect.marker(position, instruction.op);
                Ok(())
            }
        };
        if let Err(rule) = collected {
            let is_limit = matches!(rule, Rule::Limit { .. });
            faults.push(rule.broken(collect.at, collect.op));
            if is_limit {
                return None;
            }
        }
    }
    Some(collect.finish(faults))
}

struct Collect<'p, 'f> {
    program: &'p Program,
    limits: &'p Limits,
    flow: &'f mut Flow,
    out: Declarations,
    /// Registers that may be declared once: per phase for x#, in the whole program for the others.
    seen: HashSet<(RegisterName, u32)>,
    /// Declarations that may appear once in a phase.
    once: HashSet<(Op, u32)>,
    /// Ranges of each file and space: the first register, with the last one and the number of the range.
    taken: HashMap<(RegisterFile, u32), BTreeMap<u32, (u32, u32)>>,
    counts: [u32; RegisterFile::ALL.len()],
    /// Number of bodies of each function table.
    table_lengths: HashMap<u32, u32>,
    /// The current item: its offset and its opcode.
    at: u32,
    op: Op,
    phase: u32,
    /// r# and x# registers of the current phase.
    temps: u64,
    shared_bytes: u64,
    stream: u32,
    /// The first declaration of a raw or structured buffer.
    first_buffer: Option<(u32, Op)>,
}

impl Collect<'_, '_> {
    fn marker(&mut self, position: usize, op: Op) {
        let begins_phase = matches!(op, Op::HsControlPointPhase | Op::HsForkPhase | Op::HsJoinPhase);
        if begins_phase && position > 0 {
            self.phase += 1;
            self.temps = 0;
        }
    }

    fn declaration(&mut self, declaration: &Declaration) -> Result<(), Rule> {
        let at = self.at;
        match declaration.kind.clone() {
            DeclarationKind::GlobalFlags(flags) => {
                self.once()?;
                self.out.flags = flags;
            }
            DeclarationKind::Resource { range, kind } => {
                self.unique(RegisterFile::Resource, range.id, 0)?;
                self.out.resources.push(Resource { at, range, kind });
                self.slot(RegisterFile::Resource, range, 128)?;
                self.kind(kind)?;
            }
            DeclarationKind::Uav { range, kind, flags } => self.uav(range, kind, flags)?,
            DeclarationKind::Sampler { range, mode } => {
                self.unique(RegisterFile::Sampler, range.id, 0)?;
                self.out.samplers.push(Sampler { at, range, mode });
                self.slot(RegisterFile::Sampler, range, 16)?;
            }
            DeclarationKind::ConstantBuffer { range, vectors, dynamic } => {
                self.unique(RegisterFile::ConstantBuffer, range.id, 0)?;
                self.out.constant_buffers.push(ConstantBuffer { at, range, vectors, dynamic });
                self.slot(RegisterFile::ConstantBuffer, range, 16)?;
                within("size in vectors", vectors, 0, BUFFER_VECTORS)?;
            }
            DeclarationKind::Input { operand, system_value, interpolation } => {
                self.input(&operand, system_value, interpolation)?;
            }
            DeclarationKind::Output { operand, system_value } => self.output(&operand, system_value)?,
            DeclarationKind::IndexRange { operand, count } => {
                let (file, first) = (operand.file, attribute_number(&operand)?);
                within("register", first, 0, ATTRIBUTES - 1)?;
                within("register count", count, 1, ATTRIBUTES - first)?;
                let (mask, phase) = (operand.mask(), self.phase);
                self.count(RegisterFile::FunctionInput, "index ranges")?;
                self.out.index_ranges.push(IndexRange { file, first, count, mask, phase });
            }
            DeclarationKind::Temps { count } => {
                self.out.temps = self.out.temps.max(count);
                if let Some(phase) = self.flow.phases.get_mut(self.phase as usize) {
                    phase.temps = phase.temps.max(count);
                }
                self.once()?;
                self.add_temps(u64::from(count))?;
            }
            DeclarationKind::IndexableTemp { register, count, components } => {
                self.indexable_temp(IndexableTemp { register, count, components })?;
            }
            DeclarationKind::Stream { register } => {
                self.unique(RegisterFile::Stream, register, 0)?;
                self.stream = register;
                self.out.streams.push(register);
                within("stream", register, 0, 3)?;
            }
            DeclarationKind::ThreadGroup { size } => {
                self.once()?;
                self.thread_group(size)?;
            }
            DeclarationKind::TgsmRaw { register, bytes } => {
                self.shared(register, SharedMemoryKind::Raw { bytes })?;
                multiple("size in bytes", bytes)?;
                within("size in bytes", bytes, 4, SHARED_BYTES as u32)?;
                self.add_shared(u64::from(bytes))?;
            }
            DeclarationKind::TgsmStructured { register, stride_bytes, count } => {
                self.shared(register, SharedMemoryKind::Structured { stride_bytes, count })?;
                // A structure of shared memory may take all of it.
                within("stride in bytes", stride_bytes, 4, SHARED_BYTES as u32)?;
                multiple("stride in bytes", stride_bytes)?;
                within("structures", count, 1, SHARED_BYTES as u32)?;
                self.add_shared(u64::from(stride_bytes) * u64::from(count))?;
            }
            DeclarationKind::FunctionBody { body } => {
                self.unique(RegisterFile::FunctionBody, body, 0)?;
                self.out.function_bodies.push(body);
                if self.flow.body(body).is_none() {
                    return Err(Rule::NoLabel { name: FunctionName::Body(body) });
                }
            }
            DeclarationKind::FunctionTable { table, bodies } => {
                self.unique(RegisterFile::FunctionTable, table, 0)?;
                self.table_lengths.insert(table, bodies.len() as u32);
                let undeclared =
                    bodies.iter().find_map(|&body| self.must_be_declared(RegisterFile::FunctionBody, body).err());
                self.out.function_tables.push(FunctionTable { table, bodies });
                undeclared.map_or(Ok(()), Err)?;
            }
            DeclarationKind::Interface { interface, dynamic, call_sites, array_length, tables } => {
                self.interface(DeclaredInterface { interface, dynamic, call_sites, array_length, tables })?;
            }
            DeclarationKind::ForkInstanceCount(count) | DeclarationKind::JoinInstanceCount(count) => {
                self.once()?;
                within("instances", count, 1, PHASE_INSTANCES)?;
                if let Some(phase) = self.flow.phases.get_mut(self.phase as usize) {
                    phase.instances = count;
                }
            }
            kind @ (DeclarationKind::InputControlPointCount(count)
            | DeclarationKind::OutputControlPointCount(count)) => {
                within("control points", count, 0, CONTROL_POINTS)?;
                self.stage_specific(kind)?;
            }
            DeclarationKind::MaxOutputVertexCount(count) => {
                self.once()?;
                self.out.most_vertices = count;
                within("count", count, 1, GEOMETRY_SCALARS)?;
            }
            DeclarationKind::GsInstances(count) => {
                self.once()?;
                self.out.instances = count;
                within("count", count, 1, GEOMETRY_INSTANCES)?;
            }
            DeclarationKind::InputPrimitive { primitive } => {
                self.once()?;
                self.out.input_primitive = primitive;
                within("primitive", primitive, 1, 39)?;
            }
            DeclarationKind::OutputTopology(topology) => {
                self.out.topologies.push((self.stream, topology));
                if !matches!(topology, Topology::PointList | Topology::LineStrip | Topology::TriangleStrip) {
                    return Err(Rule::Topology { found: topology });
                }
            }
            kind @ (DeclarationKind::TessellatorDomain(_)
            | DeclarationKind::TessellatorPartitioning(_)
            | DeclarationKind::TessellatorOutput(_)
            | DeclarationKind::HsMaxTessFactor(_)) => self.stage_specific(kind)?,
        }
        Ok(())
    }

    fn custom(&mut self, position: usize, content: &CustomContent) -> Result<(), Rule> {
        match content {
            CustomContent::ImmediateConstantBuffer(vectors) => {
                self.once()?;
                self.out.immediate_constants.clone_from(vectors);
            }
            CustomContent::Message(_) => self.out.messages.push(position),
            CustomContent::Comment
            | CustomContent::DebugInfo
            | CustomContent::Opaque
            | CustomContent::ClipPlanes
            | CustomContent::Unknown { .. } => {}
        }
        Ok(())
    }

    fn finish(self, faults: &mut Faults<ValidateError>) -> Declarations {
        let Program { stage, model, at, .. } = *self.program;
        if stage == Stage::Compute && !self.once.contains(&(Op::DclThreadGroup, 0)) {
            faults.push(Rule::Missing { stage }.broken(at, Op::DclThreadGroup));
        }
        if stage == Stage::Geometry {
            for op in [Op::DclInputPrimitive, Op::DclMaxOutputVertexCount] {
                if !self.once.contains(&(op, 0)) {
                    faults.push(Rule::Missing { stage }.broken(at, op));
                }
            }
            self.emitted(faults);
        }
        // Outside of compute, model 4.x has raw and structured buffers only where a flag says so.
        let has_buffers = model >= Model::Sm5_0
            || stage == Stage::Compute
            || self.out.flags.has(GlobalFlags::RAW_AND_STRUCTURED_BUFFERS);
        if let Some((at, op)) = self.first_buffer.filter(|_| !has_buffers) {
            faults.push(Rule::NotInStage { stage, model }.broken(at, op));
        }
        self.out
    }

    /// Checks how much an invocation of a geometry shader emits (functional specification, 13.3 and 22.3.7).
    fn emitted(&self, faults: &mut Faults<ValidateError>) {
        let mut masks = [0_u8; ATTRIBUTES as usize];
        for output in self.out.outputs.iter().filter(|output| output.file == RegisterFile::Output) {
            if let Some(mask) = masks.get_mut(output.register as usize) {
                *mask |= output.mask;
            }
        }
        let scalars: u32 = masks.iter().map(|mask| mask.count_ones()).sum();
        let (vertices, most) = (u64::from(self.out.most_vertices), u64::from(GEOMETRY_SCALARS));
        let of_invocation = range("scalars of all vertices", vertices * u64::from(scalars), 0, most);
        let of_primitive = range("vertices of all instances", vertices * u64::from(self.out.instances), 0, most);
        for rule in [of_invocation, of_primitive].into_iter().filter_map(Result::err) {
            faults.push(rule.broken(self.program.at, Op::DclMaxOutputVertexCount));
        }
    }

    fn once(&mut self) -> Result<(), Rule> {
        if self.once.insert((self.op, self.phase)) { Ok(()) } else { Err(Rule::Repeated) }
    }

    fn stage_specific(&mut self, kind: DeclarationKind) -> Result<(), Rule> {
        self.once()?;
        self.out.stage_specific.push(kind);
        Ok(())
    }

    /// Counts one more declaration of a file.
    fn count(&mut self, file: RegisterFile, what: &'static str) -> Result<(), Rule> {
        let limit = self.limits.declared_registers;
        let count = &mut self.counts[file.code() as usize];
        *count += 1;
        if *count > limit { Err(Rule::Limit { what, count: *count, limit }) } else { Ok(()) }
    }

    fn unique(&mut self, file: RegisterFile, number: u32, phase: u32) -> Result<(), Rule> {
        self.count(file, "declarations of one register file")?;
        let register = RegisterName { file, number };
        if self.seen.insert((register, phase)) { Ok(()) } else { Err(Rule::DeclaredTwice { register }) }
    }

    fn must_be_declared(&self, file: RegisterFile, number: u32) -> Result<(), Rule> {
        let register = RegisterName { file, number };
        if self.seen.contains(&(register, 0)) {
            return Ok(());
        }
        let Program { stage, model, .. } = *self.program;
        Err(Rule::NotDeclared { register, stage, model })
    }

    /// Before 5.1 resources have registers numbered below `slots`. Since 5.1 they have ranges, and each register of a
    /// space is in at most one.
    fn slot(&mut self, file: RegisterFile, range: RegisterRange, slots: u32) -> Result<(), Rule> {
        if self.program.model < Model::Sm5_1 {
            return within("slot", range.id, 0, slots - 1);
        }
        let (first, last) = (range.lower, range.upper.unwrap_or(u32::MAX));
        let taken = self.taken.entry((file, range.space)).or_default();
        // The ranges so far do not overlap, so that only the last one that begins before the end can overlap this one.
        let before = taken.range(..=last).next_back();
        if let Some((_, &(_, other))) = before.filter(|&(_, &(end, _))| end >= first) {
            let (register, other) = (RegisterName { file, number: range.id }, RegisterName { file, number: other });
            return Err(Rule::RangesOverlap { register, other });
        }
        taken.insert(first, (last, range.id));
        Ok(())
    }

    fn kind(&mut self, kind: ResourceKind) -> Result<(), Rule> {
        if !matches!(kind, ResourceKind::Typed { .. }) {
            self.first_buffer.get_or_insert((self.at, self.op));
        }
        match kind {
            ResourceKind::Raw => Ok(()),
            ResourceKind::Structured { stride_bytes } => stride(stride_bytes),
            ResourceKind::Typed { dimension, returns, .. } => {
                let is_uav = self.op == Op::DclUavTyped;
                let allowed = match dimension {
                    ResourceDimension::Unknown | ResourceDimension::RawBuffer | ResourceDimension::StructuredBuffer => {
                        false
                    }
                    ResourceDimension::Texture2DMs
                    | ResourceDimension::Texture2DMsArray
                    | ResourceDimension::TextureCube
                    | ResourceDimension::TextureCubeArray => !is_uav,
                    ResourceDimension::Buffer
                    | ResourceDimension::Texture1D
                    | ResourceDimension::Texture2D
                    | ResourceDimension::Texture3D
                    | ResourceDimension::Texture1DArray
                    | ResourceDimension::Texture2DArray => true,
                };
                if !allowed {
                    return Err(Rule::Dimension { found: dimension.text() });
                }
                // The second half of a double follows the first.
                match returns[0] {
                    found @ (ReturnType::Continued | ReturnType::Unused) => Err(Rule::NothingReturned { found }),
                    _ => Ok(()),
                }
            }
        }
    }

    fn uav(&mut self, range: RegisterRange, kind: ResourceKind, flags: UavFlags) -> Result<(), Rule> {
        self.unique(RegisterFile::Uav, range.id, 0)?;
        self.out.uavs.push(Uav { at: self.at, range, kind, flags });
        self.slot(RegisterFile::Uav, range, 64)?;
        self.kind(kind)
    }

    fn input(
        &mut self,
        operand: &Operand,
        system_value: Option<SystemValue>,
        interpolation: Option<Interpolation>,
    ) -> Result<(), Rule> {
        let file = operand.file;
        if !file.is_input_of(self.program.stage) {
            let Program { stage, model, .. } = *self.program;
            return Err(Rule::NoInput { file, stage, model });
        }
        self.count(file, "declarations of inputs")?;
        let has_three = matches!(file, RegisterFile::ThreadId | RegisterFile::GroupId | RegisterFile::ThreadIdInGroup);
        if has_three && !matches!(operand.mask(), 0b001..=0b111) {
            let (operand, mask) = (Box::new(operand.clone()), Mask(operand.mask()));
            return Err(Rule::WriteMask { operand, mask, expected: "of .xyz" });
        }
        let register = if file.is_numbered() { attribute_number(operand)? } else { 0 };
        let vertices = match operand.indices.as_slice() {
            [vertices, _] => Some(vertices.as_u32().ok_or_else(|| Rule::computed(operand))?),
            _ => None,
        };
        let (mask, phase) = (operand.mask(), self.phase);
        self.out.inputs.push(Input { at: self.at, file, register, vertices, mask, system_value, interpolation, phase });
        within("register", register, 0, ATTRIBUTES - 1)
    }

    fn output(&mut self, operand: &Operand, system_value: Option<SystemValue>) -> Result<(), Rule> {
        let file = operand.file;
        if !file.is_output_of(self.program.stage) {
            let Program { stage, model, .. } = *self.program;
            return Err(Rule::NoOutput { file, stage, model });
        }
        self.count(file, "declarations of outputs")?;
        let register = if file.is_numbered() { attribute_number(operand)? } else { 0 };
        let (mask, stream, phase) = (operand.mask(), self.stream, self.phase);
        self.out.outputs.push(Output { at: self.at, file, register, mask, system_value, stream, phase });
        within("register", register, 0, ATTRIBUTES - 1)
    }

    fn add_temps(&mut self, count: u64) -> Result<(), Rule> {
        self.temps += count;
        range("temporary registers, arrays included,", self.temps, 0, TEMPS)
    }

    fn indexable_temp(&mut self, declared: IndexableTemp) -> Result<(), Rule> {
        let phase = self.phase;
        self.unique(RegisterFile::IndexableTemp, declared.register, phase)?;
        let same = self.out.indexable_temps.iter_mut().find(|other| other.register == declared.register);
        match same {
            Some(other) => {
                other.count = other.count.max(declared.count);
                other.components = other.components.max(declared.components);
            }
            None => self.out.indexable_temps.push(declared),
        }
        within("registers of an array", declared.count, 1, TEMPS as u32)?;
        within("components", declared.components, 1, 4)?;
        self.add_temps(u64::from(declared.count))
    }

    fn thread_group(&mut self, size: [u32; 3]) -> Result<(), Rule> {
        let most = if self.program.model >= Model::Sm5_0 { [1024, 1024, 64] } else { [768, 768, 1] };
        for ((threads, most), what) in size.into_iter().zip(most).zip(["threads in x", "threads in y", "threads in z"])
        {
            within(what, threads, 1, most)?;
        }
        let most = if self.program.model >= Model::Sm5_0 { 1024 } else { 768 };
        within("threads", size.iter().product(), 1, most.min(self.limits.group_threads))?;
        self.out.group_size = size;
        Ok(())
    }

    fn shared(&mut self, register: u32, kind: SharedMemoryKind) -> Result<(), Rule> {
        self.unique(RegisterFile::SharedMemory, register, 0)?;
        self.out.shared_memory.push(SharedMemory { at: self.at, register, kind });
        Ok(())
    }

    fn add_shared(&mut self, bytes: u64) -> Result<(), Rule> {
        self.shared_bytes += bytes;
        let most = if self.program.model >= Model::Sm5_0 { SHARED_BYTES } else { SHARED_BYTES_4 };
        range("bytes of shared memory", self.shared_bytes, 0, most)
    }

    fn interface(&mut self, declared: DeclaredInterface) -> Result<(), Rule> {
        let DeclaredInterface { interface, array_length, .. } = declared;
        within("interface slot", interface, 0, INTERFACES - 1)?;
        within("interface slots", array_length, 1, INTERFACES - interface)?;
        for slot in interface..interface + array_length {
            self.unique(RegisterFile::Interface, slot, 0)?;
        }
        if declared.tables.is_empty() {
            let register = RegisterName { file: RegisterFile::Interface, number: interface };
            return Err(Rule::NoTables { register });
        }
        let checked = declared.tables.iter().try_for_each(|&table| {
            self.must_be_declared(RegisterFile::FunctionTable, table)?;
            let (bodies, call_sites) = (self.table_lengths.get(&table).copied().unwrap_or(0), declared.call_sites);
            if bodies == call_sites {
                return Ok(());
            }
            Err(Rule::TableLength { table, bodies, call_sites })
        });
        self.out.interfaces.push(declared);
        checked
    }
}

/// The number of an input or output register: its last index.
fn attribute_number(operand: &Operand) -> Result<u32, Rule> {
    let last = operand.indices.len().checked_sub(1);
    last.and_then(|last| operand.index_u32(last)).ok_or_else(|| Rule::computed(operand))
}

fn within(what: &'static str, value: u32, least: u32, most: u32) -> Result<(), Rule> {
    range(what, u64::from(value), u64::from(least), u64::from(most))
}

fn range(what: &'static str, value: u64, least: u64, most: u64) -> Result<(), Rule> {
    if (least..=most).contains(&value) {
        return Ok(());
    }
    Err(Rule::Range { what, value, least, most })
}

fn multiple(what: &'static str, value: u32) -> Result<(), Rule> {
    if value.is_multiple_of(4) { Ok(()) } else { Err(Rule::Multiple { what, value }) }
}

pub(super) fn stride(stride_bytes: u32) -> Result<(), Rule> {
    within("stride in bytes", stride_bytes, 4, STRIDE_BYTES)?;
    multiple("stride in bytes", stride_bytes)
}
