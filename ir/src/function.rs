//! Represents a shader as data: instructions in structured regions over typed values.
//!
//! * A [`Region`] is a list of instructions whose last one is a terminator. Control flow is an instruction that owns
//!   regions; there is no other control-flow graph.
//! * Semantics are per thread. Engines run packets of threads in lockstep: divergent conditions become lane masks,
//!   derived from the region tree.
//! * Execution masks are implicit. Writes to memory also take an *effect* condition: a thread takes part only where it
//!   holds (helper lanes and discarded pixels do not); an atomic without effect returns 0. Loads take none: helper
//!   lanes need their results.
//! * Values cross region borders as parameters and results: see [`InstKind`].

use std::fmt;

use brolga_bytecode::{sm3, sm5};
use smallvec::SmallVec;

use crate::entity::{Inst, Region, Slot, Value};
use crate::interface::{Interface, ResourceClass, Sampled};
use crate::ops::Op;
use crate::types::{Const, Type};
use crate::width::Width;

pub use crate::instruction::{Case, Effect, InstKind, Values};
pub use crate::operand::{AtomicOp, CounterOp, Element, Input, MemoryRef, Object, Query, ResourceRef, Sync};

/// The origin of an instruction: the byte offset of its bytecode instruction in the file. Faults and messages name it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, PartialOrd, Ord)]
pub struct Origin(pub u32);

/// A shader's body and declarations.
#[derive(Clone, Debug, Default)]
pub struct Function {
    /// Name for the text form and for profilers.
    pub name: String,
    /// Resources, shared memory, arrays, group size.
    pub interface: Interface,
    /// Threads per packet.
    pub width: Width,
    values: Vec<ValueData>,
    insts: Vec<InstData>,
    regions: Vec<RegionData>,
    slots: Vec<(Type, Option<Register>)>,
    /// For observers, values that stand for temporary registers that nothing has written.
    pub(crate) unwritten: Vec<(Value, Slot)>,
}

/// A component of a register of the shader, which a slot stands for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Register {
    /// The register.
    pub name: RegisterName,
    /// 0 to 3: x, y, z, w.
    pub component: u8,
}

/// A register of the shader, displayed as in listings: `r3`, `oDepth`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum RegisterName {
    /// Of shader models 4.0 to 5.1: the file, and the number where it has several registers.
    Sm5(sm5::RegisterFile, u32),
    /// Of shader models 1.1 to 3.0.
    Sm3(sm3::Register),
}

impl RegisterName {
    /// `true` for a temporary register, `r#`.
    pub fn is_temp(self) -> bool {
        match self {
            RegisterName::Sm5(file, _) => file == sm5::RegisterFile::Temp,
            RegisterName::Sm3(register) => register.file == sm3::RegisterFile::Temp,
        }
    }
}

impl fmt::Display for RegisterName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RegisterName::Sm5(file, number) if file.is_numbered() => write!(f, "{}{number}", file.text()),
            RegisterName::Sm5(file, _) => f.write_str(file.text()),
            RegisterName::Sm3(register) => write!(f, "{register}"),
        }
    }
}

impl fmt::Display for Register {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.name, ["x", "y", "z", "w"][usize::from(self.component & 3)])
    }
}

/// Type and definition of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ValueData {
    /// Type of the value.
    pub ty: Type,
    /// Its definition.
    pub def: ValueDef,
}

/// The definition of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueDef {
    /// The n-th result of an instruction.
    Result(Inst, u32),
    /// The n-th parameter of a region (only loop bodies have parameters).
    Param(Region, u32),
}

/// An instruction with its results.
#[derive(Clone, Debug)]
pub struct InstData {
    /// The operation and its operands.
    pub kind: InstKind,
    /// Values it defines.
    pub results: SmallVec<[Value; 1]>,
    /// Its origin.
    pub origin: Origin,
    /// `precise` in the source: no rewriting that could change its result.
    pub precise: bool,
    /// Of a load in a function with probes: what it reads outside of memory is nothing to report.
    pub is_quiet: bool,
}

/// Parameters and instructions of a region.
#[derive(Clone, Debug, Default)]
pub struct RegionData {
    /// Values passed on each entry.
    pub params: Vec<Value>,
    /// Instructions in order; the last one is a terminator.
    pub insts: Vec<Inst>,
}

impl Function {
    /// An empty function: its body has no instruction yet.
    pub fn new(name: impl Into<String>, interface: Interface) -> Self {
        Self { name: name.into(), interface, regions: vec![RegionData::default()], ..Self::default() }
    }

    /// The outermost region.
    pub fn body(&self) -> Region {
        Region::new(0)
    }

    /// A new value.
    pub fn add_value(&mut self, ty: Type, def: ValueDef) -> Value {
        self.values.push(ValueData { ty, def });
        Value::new(self.values.len() - 1)
    }

    /// A new instruction with results of these types, in no region yet.
    pub fn add_inst(&mut self, kind: InstKind, results: &[Type], origin: Origin) -> Inst {
        let inst = Inst::new(self.insts.len());
        let results =
            results.iter().enumerate().map(|(n, &ty)| self.add_value(ty, ValueDef::Result(inst, n as u32))).collect();
        self.insts.push(InstData { kind, results, origin, precise: false, is_quiet: false });
        inst
    }

    /// A new empty region.
    pub fn add_region(&mut self) -> Region {
        self.regions.push(RegionData::default());
        Region::new(self.regions.len() - 1)
    }

    /// Appends a parameter to a region.
    pub fn add_param(&mut self, region: Region, ty: Type) -> Value {
        let n = self.regions[region.index()].params.len() as u32;
        let value = self.add_value(ty, ValueDef::Param(region, n));
        self.regions[region.index()].params.push(value);
        value
    }

    /// A new slot.
    pub fn add_slot(&mut self, ty: Type) -> Slot {
        self.slots.push((ty, None));
        Slot::new(self.slots.len() - 1)
    }

    /// Four new slots, for the components of a register; returns the first.
    pub fn add_register(&mut self, name: RegisterName, ty: Type) -> Slot {
        self.slots.extend((0..4).map(|component| (ty, Some(Register { name, component }))));
        Slot::new(self.slots.len() - 4)
    }

    /// Removes all slots, once no instruction accesses one.
    pub(crate) fn clear_slots(&mut self) {
        self.slots.clear();
    }

    /// Appends a result to an instruction.
    pub fn add_result(&mut self, inst: Inst, ty: Type) -> Value {
        let n = self.insts[inst.index()].results.len() as u32;
        let value = self.add_value(ty, ValueDef::Result(inst, n));
        self.insts[inst.index()].results.push(value);
        value
    }

    /// An instruction.
    pub fn inst(&self, inst: Inst) -> &InstData {
        &self.insts[inst.index()]
    }

    /// An instruction, mutably.
    pub fn inst_mut(&mut self, inst: Inst) -> &mut InstData {
        &mut self.insts[inst.index()]
    }

    /// A region.
    pub fn region(&self, region: Region) -> &RegionData {
        &self.regions[region.index()]
    }

    /// A region, mutably.
    pub fn region_mut(&mut self, region: Region) -> &mut RegionData {
        &mut self.regions[region.index()]
    }

    /// Type and definition of a value.
    pub fn value(&self, value: Value) -> ValueData {
        self.values[value.index()]
    }

    /// Type and definition of a value, mutably.
    pub fn value_mut(&mut self, value: Value) -> &mut ValueData {
        &mut self.values[value.index()]
    }

    /// Type of a value.
    pub fn ty(&self, value: Value) -> Type {
        self.values[value.index()].ty
    }

    /// Type of a slot.
    pub fn slot_type(&self, slot: Slot) -> Type {
        self.slots[slot.index()].0
    }

    /// The component of a register that a slot stands for, if it is one of the shader's.
    pub fn slot_register(&self, slot: Slot) -> Option<Register> {
        self.slots[slot.index()].1
    }

    /// At [`Level::Observed`](crate::passes::Level), the values that stand for temporary registers that nothing has
    /// written.
    pub fn unwritten(&self) -> impl Iterator<Item = (Value, Register)> {
        self.unwritten.iter().filter_map(|&(value, slot)| Some((value, self.slot_register(slot)?)))
    }

    /// `true` if nothing can write the object while the shader runs: the runtime refuses memory bound as `t#` and `u#`.
    pub fn is_read_only(&self, object: &Object) -> bool {
        match object {
            Object::Resource(resource) => self.interface.resource(resource.id).class != ResourceClass::UnorderedAccess,
            Object::Array(id) => !self.interface.array(*id).is_written,
            Object::Immediate | Object::Curve => true,
            Object::Shared(_) | Object::Local(_) => false,
        }
    }

    /// Lists the samples that the function takes in the interface.
    pub fn list_samples(&mut self) {
        let insts = self.regions.iter().flat_map(|region| &region.insts);
        let sampled = |&inst: &Inst| match &self.inst(inst).kind {
            InstKind::Sample { texture, sampler, sampling, .. } => {
                Some(Sampled { texture: texture.id, sampler: sampler.id, sampling: sampling.encode() })
            }
            _ => None,
        };
        let mut sampled: Vec<_> = insts.filter_map(sampled).collect();
        sampled.sort_unstable();
        sampled.dedup();
        self.interface.sampled = sampled;
    }

    /// `true` if an instruction queries a view at a fixed register for a property known at binding: its size or its
    /// layout.
    pub fn is_known_of_view(&self, kind: &InstKind) -> bool {
        let InstKind::Query { query, resource, level } = kind else { return false };
        let is_first_level = || level.is_none_or(|level| self.as_const(level).is_some_and(|level| level.bits == 0));
        let is_known = match query {
            Query::BufferSize | Query::Layout => true,
            Query::TextureSize => is_first_level(),
            Query::SampleCount | Query::SamplePosition => false,
        };
        is_known && matches!(resource.element, Element::Fixed(_))
    }

    /// `true` if an instruction yields the same wherever its operands are known, and is cheap enough to speculate. Most
    /// queries, texel loads and samples call the host.
    pub(crate) fn is_speculatable(&self, kind: &InstKind) -> bool {
        match (kind.effect(), kind) {
            (_, InstKind::Query { .. }) => self.is_known_of_view(kind),
            (Effect::Read(object), InstKind::Load { .. }) => self.is_read_only(&object),
            (effect, _) => effect == Effect::None,
        }
    }

    /// `true` if an instruction, or one in the regions it owns, is of a kind that `f` accepts.
    pub fn holds(&self, inst: Inst, f: &impl Fn(&InstKind) -> bool) -> bool {
        let kind = &self.inst(inst).kind;
        f(kind) || kind.regions().iter().flat_map(|&inner| &self.region(inner).insts).any(|&inst| self.holds(inst, f))
    }

    /// `true` if threads of a group wait for each other somewhere.
    pub fn waits(&self) -> bool {
        self.insts.iter().any(|inst| inst.kind.is_waiting_barrier())
    }

    /// The values that an instruction passes on, and those that they become, in the same order: a loop's entry and back
    /// edges pass parameters, all else passes results of the enclosing construct. `owner` owns the region it is in.
    pub fn edge(&self, inst: Inst, owner: Option<Inst>) -> Option<(&[Value], &[Value])> {
        let kind = &self.inst(inst).kind;
        let (args, to) = (kind.passed()?, kind.receiver(inst, owner)?);
        match self.inst(to).kind {
            InstKind::Loop { body, .. } if !matches!(kind, InstKind::Break { .. }) => {
                Some((args, &self.region(body).params))
            }
            _ => Some((args, &self.inst(to).results)),
        }
    }

    /// The constant that defines a value, if one does.
    pub fn as_const(&self, value: Value) -> Option<Const> {
        match self.value(value).def {
            ValueDef::Result(inst, _) => match self.inst(inst).kind {
                InstKind::Const(c) => Some(c),
                _ => None,
            },
            ValueDef::Param(..) => None,
        }
    }

    /// The input of the thread that a value is, if it is one.
    pub fn as_input(&self, value: Value) -> Option<Input> {
        match self.value(value).def {
            ValueDef::Result(inst, _) => match self.inst(inst).kind {
                InstKind::Input(input) => Some(input),
                _ => None,
            },
            ValueDef::Param(..) => None,
        }
    }

    /// The operation and operands that define a value, if it is the result of a pure operation.
    pub fn as_op(&self, value: Value) -> Option<(Op, &[Value])> {
        match self.value(value).def {
            ValueDef::Result(inst, _) => match &self.inst(inst).kind {
                InstKind::Op { op, args } => Some((*op, args)),
                _ => None,
            },
            ValueDef::Param(..) => None,
        }
    }

    /// Number of values ever made, for side tables.
    pub fn value_count(&self) -> usize {
        self.values.len()
    }

    /// Number of instructions ever made, for side tables and limits.
    pub fn inst_count(&self) -> usize {
        self.insts.len()
    }

    /// Number of regions ever made, for side tables.
    pub fn region_count(&self) -> usize {
        self.regions.len()
    }

    /// The instructions of all regions, region by region.
    pub fn each_inst(&self) -> impl Iterator<Item = Inst> {
        self.regions.iter().flat_map(|region| &region.insts).copied()
    }

    /// Number of slots.
    pub fn slot_count(&self) -> usize {
        self.slots.len()
    }
}
