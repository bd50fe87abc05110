//! Translates interface calls, and the registers of class instances.
//!
//! The class instance bound to an interface slot is known before the translation ([`BoundClass`]), so that a call with
//! a literal index is the body itself. A computed index is a switch over the slots: lanes that want different slots run
//! under masks, and a uniform index is a real branch. In an arm of its own a slot is known, and therefore so is the
//! location of the instance's data; that is worth the code for arrays of up to [`OWN_ARMS`] slots.
//!
//! Direct3D leaves behaviour beyond the declarations undefined. Here a call with an index out of range calls nothing,
//! `this[]` out of range is 0, and a computed register number that no register has reads as 0.

use std::collections::HashMap;

use brolga_bytecode::sm5::codes::{ResourceDimension, ReturnType, SamplerMode};
use brolga_bytecode::sm5::ops::{Slot as OperandSlot, Storage};
use brolga_bytecode::sm5::valid::{FunctionName, ValidProgram};
use brolga_bytecode::sm5::{Index, IndexForm, Instruction, Model, Operand, RegisterFile, ResourceKind as BytecodeKind};

use super::super::vector::{Vector, lanes};
use super::declare;
use super::{Result, TranslateError, Translator};
use crate::entity::{Inst, ResourceId, Slot, Value};
use crate::function::{Element, Object, ResourceRef};
use crate::interface::{Resource, ResourceClass, ResourceKind};
use crate::ops::Op;

/// The longest array whose slots get an arm each in a call with a computed index. In longer ones, equal bodies share.
const OWN_ARMS: usize = 16;

/// The class instance that an interface slot is bound to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BoundClass {
    /// The number of its function table ft#, one of those that the slot's declaration lists.
    pub table: u32,
    /// The value of the slot's `this`: the constant buffer, the first vector in it, the first texture and the first
    /// sampler. Members that an instance lacks are `u32::MAX`.
    pub this: [u32; 4],
}

/// The class tables of a translation.
pub(super) struct Classes {
    /// The bodies of each function table.
    tables: HashMap<u32, Vec<u32>>,
    /// A slot with a known value in the arm that is being translated.
    known: Option<(Slot, u32)>,
    /// The constant buffers that a computed number may select, collected when the first is read.
    buffers: Option<Vec<(u32, ResourceId)>>,
}

impl Classes {
    /// Prepares the tables of a program and checks what is bound to its slots.
    pub(super) fn new(program: &ValidProgram, bound: &[Option<BoundClass>]) -> Result<Self> {
        let declarations = program.declarations();
        for interface in &declarations.interfaces {
            for slot in interface.interface..interface.interface + interface.array_length {
                match bound.get(slot as usize).copied().flatten() {
                    None => return Err(TranslateError::Unbound { slot }),
                    Some(BoundClass { table, .. }) if !interface.tables.contains(&table) => {
                        return Err(TranslateError::Table { slot, table });
                    }
                    Some(_) => {}
                }
            }
        }
        let tables = declarations.function_tables.iter().map(|table| (table.table, table.bodies.clone()));
        Ok(Self { tables: tables.collect(), known: None, buffers: None })
    }

    /// The value of a slot, if it is known.
    pub(super) fn known(&self, slot: Slot) -> Option<u32> {
        self.known.filter(|(known, _)| *known == slot).map(|(_, value)| value)
    }
}

impl Translator<'_, '_> {
    /// The classes bound to the interface slots.
    fn bound(&self) -> &[Option<BoundClass>] {
        &self.options.classes
    }

    /// The body that a call site of a slot calls.
    fn body(&self, slot: u32, call_site: u32) -> Result<u32> {
        let bound = self.bound().get(slot as usize).copied().flatten().ok_or(TranslateError::Unbound { slot })?;
        let body = self.classes.tables.get(&bound.table).and_then(|bodies| bodies.get(call_site as usize));
        body.copied().ok_or_else(|| self.bad_operand(format!("fp{slot}[{call_site}]")))
    }

    /// `fcall`: the body of the class that is bound to the slot.
    pub(super) fn fcall(&mut self, instruction: &Instruction) -> Result {
        let [interface] = self.operands(instruction)?;
        let first = self.number(interface, 0)?;
        let Some(index) = interface.indices.get(1) else { return Err(self.bad_operand("fp#")) };
        if let Some(index) = index.as_u32() {
            let body = self.body(first.saturating_add(index), instruction.call_site)?;
            return self.inline(FunctionName::Body(body));
        }
        let Some(declared) = self.program.declarations().interface(first) else { return Err(self.bad_operand("fp#")) };
        let end = declared.interface + declared.array_length;
        let selector = self.index(index)?;
        let bodies: Vec<u32> =
            (first..end).map(|slot| self.body(slot, instruction.call_site)).collect::<Result<_>>()?;
        // The labels and the body of each arm.
        let mut arms: Vec<(Vec<u32>, u32)> = Vec::new();
        for (label, &body) in (0..).zip(&bodies) {
            let shared = arms.iter_mut().find(|(_, other)| bodies.len() > OWN_ARMS && *other == body);
            match shared {
                Some((labels, _)) => labels.push(label),
                None => arms.push((vec![label], body)),
            }
        }
        let labels = arms.iter().map(|(labels, _)| labels.clone()).collect();
        let (inst, regions, default) = self.b.switch(selector, labels, &[]);
        for (region, (labels, body)) in regions.into_iter().zip(arms) {
            let body = FunctionName::Body(body);
            self.fill(region, |t| match labels[..] {
                [label] => t.callee_of(body, index, label, inst),
                _ => t.callee(body, Some(inst)),
            })?;
        }
        self.fill(default, |_| Ok(()))
    }

    /// Builds a body in an arm of its own: there the index has a known value, and so has the register that it is
    /// computed from, until it is written.
    fn callee_of(&mut self, body: FunctionName, index: &Index, value: u32, exit: Inst) -> Result {
        let register = match &index.relative {
            Some(operand) if operand.file == RegisterFile::Temp && !operand.negate && !operand.absolute => operand,
            _ => return self.callee(body, Some(exit)),
        };
        let (number, component) = (self.number(register, 0)?, usize::from(register.component(0)));
        let (slot, value) = (self.slot(number, component)?, value.wrapping_sub(index.immediate as u32));
        if self.writes(body, number, component) {
            // The register has that value already. Now passes know it, for as long as it holds.
            let value = self.b.i32(value);
            self.registers.set(&mut self.b, slot, value);
            return self.callee(body, Some(exit));
        }
        // While it isn't written, the register keeps its value from outside of the arm: uniform, if it was. A body that
        // calls others counts as writing it, so that there is never a second one.
        self.classes.known = Some((slot, value));
        self.callee(body, Some(exit))?;
        self.classes.known = None;
        Ok(())
    }

    /// `this[]` by component.
    pub(super) fn this(&mut self, operand: &Operand, components: u8) -> Result<Vector> {
        let Some(index) = operand.indices.first() else { return Err(self.bad_operand("this")) };
        let words = |component: usize| {
            self.bound().iter().map(|bound| bound.map_or(0, |bound| bound.this[component])).collect::<Vec<u32>>()
        };
        let tables = [0, 1, 2, 3].map(words);
        let known = index.as_u32();
        let at = self.index(index)?;
        let mut result = Vector::default();
        for component in lanes(components) {
            let table = &tables[component];
            let value = match known {
                Some(slot) => self.b.i32(table.get(slot as usize).copied().unwrap_or(0)),
                None => self.look_up(at, table),
            };
            result.set(component, value);
        }
        Ok(result)
    }

    /// Looks up the word of a table at a computed index; 0 beyond its end. A run of equal words takes one comparison.
    fn look_up(&mut self, at: Value, table: &[u32]) -> Value {
        let mut result = self.b.i32(0);
        let mut first = 0;
        for run in table.chunk_by(|a, b| a == b) {
            let (start, count) = (self.b.i32(first), self.b.i32(run.len() as u32));
            let from_start = self.b.op(Op::ISub, &[at, start]);
            let is_in = self.b.op(Op::ULt, &[from_start, count]);
            let word = self.b.i32(run[0]);
            result = self.b.select(is_in, word, result);
            first += run.len() as u32;
        }
        result
    }

    /// `true` if an operand of `cb`, `t` or `s` computes the register's number, as only class instances do.
    pub(super) fn computes_number(&self, operand: &Operand) -> bool {
        let has_number =
            matches!(operand.file, RegisterFile::ConstantBuffer | RegisterFile::Resource | RegisterFile::Sampler);
        let is_computed = || operand.indices.first().is_some_and(|index| index.relative.is_some());
        has_number && self.program.model() < Model::Sm5_1 && is_computed()
    }

    /// Components of a vector in a constant buffer whose number is computed: read from each candidate buffer.
    pub(super) fn instance_data(&mut self, operand: &Operand, components: u8) -> Result<Vector> {
        let [number, vector] = operand.indices.as_slice() else { return Err(self.bad_operand("cb")) };
        let (number, vector) = (self.index(number)?, self.index(vector)?);
        let mut result = Vector::default();
        for component in lanes(components) {
            result.set(component, self.b.i32(0));
        }
        for (register, id) in self.buffers() {
            let object = Object::Resource(ResourceRef { id, element: Element::Fixed(0) });
            let words = self.load_vector(object, vector, components);
            let register = self.b.i32(register);
            let is_meant = self.b.op(Op::IEq, &[number, register]);
            for component in lanes(components) {
                let word = self.b.select(is_meant, words.at(component), result.at(component));
                result.set(component, word);
            }
        }
        Ok(result)
    }

    /// The constant buffers that a computed number may select: the declared ones, and those of instances. The shader
    /// does not say how large the latter are.
    fn buffers(&mut self) -> Vec<(u32, ResourceId)> {
        if let Some(buffers) = &self.classes.buffers {
            return buffers.clone();
        }
        let declared = self.program.declarations().constant_buffers.iter().map(|buffer| buffer.range.lower);
        let of_instances = self.bound().iter().flatten().map(|bound| bound.this[0]);
        let of_instances = of_instances.filter(|&register| register < BUFFERS);
        let mut registers: Vec<u32> = declared.chain(of_instances).collect();
        registers.sort_unstable();
        registers.dedup();
        let kind = ResourceKind::Constant { vectors: 0 };
        let class = ResourceClass::Constant;
        let buffers: Vec<_> = registers.into_iter().map(|n| (n, self.declared_or_new(class, n, kind))).collect();
        self.classes.buffers = Some(buffers.clone());
        buffers
    }

    /// The resource of a register, which is declared as `kind` if it is not declared yet.
    fn declared_or_new(&mut self, class: ResourceClass, register: u32, kind: ResourceKind) -> ResourceId {
        if let Some(id) = self.names.resource(class, register) {
            return id;
        }
        let resources = &mut self.b.func.interface.resources;
        resources.push(Resource::new(class, kind, register));
        let id = ResourceId::new(resources.len() - 1);
        self.names.add_resource(class, register, id);
        id
    }

    /// The operand of an instruction that computes the number of a `t#` or `s#`.
    pub(super) fn computed_resource(&self, instruction: &Instruction) -> Option<usize> {
        let is_computed = |operand: &Operand| {
            matches!(operand.file, RegisterFile::Resource | RegisterFile::Sampler) && self.computes_number(operand)
        };
        instruction.operands.iter().position(is_computed)
    }

    /// Builds an instruction that reads a `t#` or `s#` whose number is computed: a copy for each possible number.
    pub(super) fn with_each_resource(&mut self, position: usize, instruction: &Instruction, operand: usize) -> Result {
        let Some(index) = instruction.operands[operand].indices.first() else { return Err(self.bad_operand("t")) };
        let number = self.index(index)?;
        let mut is_any = self.b.bool(false);
        for register in self.registers(instruction, operand, index) {
            let mut fixed = instruction.clone();
            fixed.operands[operand].indices[0] =
                Index { form: IndexForm::Immediate32, immediate: register.into(), relative: None };
            let register = self.b.i32(register);
            let is_meant = self.b.op(Op::IEq, &[number, register]);
            is_any = self.b.op(Op::BOr, &[is_any, is_meant]);
            let (_, then_region, else_region) = self.b.if_else(is_meant, &[]);
            self.fill(then_region, |t| t.instruction(position, &fixed))?;
            self.fill(else_region, |_| Ok(()))?;
        }
        let (_, then_region, else_region) = self.b.if_else(is_any, &[]);
        self.fill(then_region, |_| Ok(()))?;
        self.fill(else_region, |t| {
            let zero = Vector::splat(t.b.i32(0));
            let results: Vec<(&Operand, &Vector)> = instruction.destinations().map(|to| (to, &zero)).collect();
            t.write_all(&results)
        })
    }

    /// The registers `t#` that an instruction with a computed number may select: the declared ones of its kind, and
    /// those of instances.
    fn registers(&mut self, instruction: &Instruction, operand: usize, index: &Index) -> Vec<u32> {
        if instruction.operands[operand].file == RegisterFile::Sampler {
            return self.sampler_registers(instruction, index);
        }
        let class = ResourceClass::ShaderResource;
        let hint = hinted_kind(instruction);
        if let Some(kind) = hint {
            self.declare_registers(class, kind, 2, REGISTERS, index);
        }
        let storage = match instruction.op.info().slots.get(operand) {
            Some(OperandSlot::Load(storage)) => *storage,
            _ => return Vec::new(),
        };
        let resources = self.b.func.interface.resources.iter().filter(|declared| declared.class == class);
        let fitting = resources.filter(|declared| suits(storage, hint, declared.kind));
        fitting.map(|declared| declared.lower).collect()
    }

    /// The registers `s#` that an instruction with a computed number may select: those of instances, and the declared
    /// comparison samplers if it compares, else the others.
    fn sampler_registers(&mut self, instruction: &Instruction, index: &Index) -> Vec<u32> {
        let compares = |slot: &OperandSlot| matches!(slot, OperandSlot::Sampler { mode: SamplerMode::Comparison, .. });
        let kind = ResourceKind::Sampler { compares: instruction.op.info().slots.iter().any(compares) };
        self.declare_registers(ResourceClass::Sampler, kind, 3, SAMPLERS, index);
        let declared = self.b.func.interface.resources.iter().filter(|declared| declared.kind == kind);
        declared.map(|declared| declared.lower).collect()
    }

    /// Declares the registers of instances below `count`, which component `of` of their `this` names.
    fn declare_registers(&mut self, class: ResourceClass, kind: ResourceKind, of: usize, count: u32, index: &Index) {
        let of_instances = self.bound().iter().flatten().map(|bound| bound.this[of]).filter(|&n| n != u32::MAX);
        let mut registers: Vec<u32> = of_instances.map(|n| n.wrapping_add(index.immediate as u32)).collect();
        registers.retain(|&register| register < count);
        registers.sort_unstable();
        for register in registers {
            self.declared_or_new(class, register, kind);
        }
    }
}

/// Number of registers `t#` in Direct3D 11, of `cb#`, including those that applications cannot bind, and of `s#`.
const REGISTERS: u32 = 128;
const BUFFERS: u32 = 16;
const SAMPLERS: u32 = 16;

/// The kind of resource that the instruction's extended tokens name.
fn hinted_kind(instruction: &Instruction) -> Option<ResourceKind> {
    let hint = instruction.resource?;
    let kind = match hint.dimension {
        ResourceDimension::RawBuffer => BytecodeKind::Raw,
        ResourceDimension::StructuredBuffer => BytecodeKind::Structured { stride_bytes: hint.stride_bytes.into() },
        dimension => BytecodeKind::Typed {
            dimension,
            samples: 0,
            returns: instruction.returns.unwrap_or([ReturnType::Mixed; 4]),
        },
    };
    declare::kind("", 0, &kind).ok()
}

/// `true` if an instruction with this kind of storage and this hint can read a resource of this kind.
fn suits(storage: Storage, hint: Option<ResourceKind>, kind: ResourceKind) -> bool {
    let hinted = match (hint, kind) {
        (Some(ResourceKind::Typed { dimension, .. }), ResourceKind::Typed { dimension: found, .. }) => {
            dimension == found
        }
        (Some(hint), kind) => hint == kind,
        (None, _) => true,
    };
    let stored = match kind {
        ResourceKind::Typed { dimension, .. } => declare::bytecode_dimensions(dimension).any(|of| storage.takes(of)),
        ResourceKind::Raw => matches!(storage, Storage::Raw | Storage::Buffer),
        ResourceKind::Structured { .. } => matches!(storage, Storage::Structured | Storage::Buffer),
        ResourceKind::Constant { .. } | ResourceKind::Sampler { .. } => false,
    };
    hinted && stored
}
