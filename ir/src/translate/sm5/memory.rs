//! Translates access to raw and structured buffers, shared memory, atomics on anything, hidden counters, barriers.

use brolga_bytecode::sm5::{Instruction, Operand, RegisterFile};

use super::super::vector::{Vector, lanes, span};
use super::operand::{SourceType, components_read, swizzle};
use super::{Result, Translator};
use crate::entity::Value;
use crate::function::{AtomicOp, CounterOp, MemoryRef, Object, ResourceRef, Sync};
use crate::interface::{Dimension, ResourceClass, ResourceKind};
use crate::ops::Op;

/// The memory that an operand names, by addressing mode.
pub(super) enum Memory {
    Raw(Object),
    Structured(Object),
    Typed(ResourceRef, Dimension),
}

impl Translator<'_, '_> {
    /// The memory that an operand names, of `t#`, `u#` or `g#`.
    pub(super) fn memory(&mut self, operand: &Operand) -> Result<Memory> {
        if operand.file == RegisterFile::SharedMemory {
            let shared = operand.index_u32(0).and_then(|register| self.names.shared(register));
            let Some(id) = shared else { return Err(self.bad_operand(operand.file.text())) };
            let object = Object::Shared(id);
            let is_raw = self.b.func.interface.shared(id).raw;
            return Ok(if is_raw { Memory::Raw(object) } else { Memory::Structured(object) });
        }
        let resource = self.resource(operand)?;
        Ok(match self.b.func.interface.resource(resource.id).kind {
            ResourceKind::Raw => Memory::Raw(Object::Resource(resource)),
            ResourceKind::Structured { .. } => Memory::Structured(Object::Resource(resource)),
            ResourceKind::Typed { dimension, .. } => Memory::Typed(resource, dimension),
            ResourceKind::Constant { .. } | ResourceKind::Sampler { .. } => {
                return Err(self.bad_operand(operand.file.text()));
            }
        })
    }

    /// The address given by the operands of a load or store.
    fn address(&mut self, memory: &Operand, index: Option<&Operand>, offset: &Operand) -> Result<MemoryRef> {
        let (object, index) = match (self.memory(memory)?, index) {
            (Memory::Raw(object), None) => (object, None),
            (Memory::Structured(object), Some(index)) => (object, Some(self.read_one(index, SourceType::Int)?)),
            _ => return Err(self.bad_operand(memory.file.text())),
        };
        Ok(MemoryRef { object, index, offset: self.read_one(offset, SourceType::Int)? })
    }

    /// The address some words further on, if the offset is a literal and does not overflow.
    fn advanced(&mut self, place: MemoryRef, words: usize) -> Option<MemoryRef> {
        let offset = self.b.func.as_const(place.offset)?.bits as u32;
        let offset = offset.checked_add(4 * words as u32)?;
        Some(MemoryRef { offset: self.b.i32(offset), ..place })
    }

    pub(super) fn ld_raw(&mut self, instruction: &Instruction) -> Result {
        let ([destination, offset, memory], status) = self.load_operands(instruction)?;
        self.load(destination, status, memory, None, offset)
    }

    pub(super) fn ld_structured(&mut self, instruction: &Instruction) -> Result {
        let ([destination, index, offset, memory], status) = self.load_operands(instruction)?;
        self.load(destination, status, memory, Some(index), offset)
    }

    /// Loads a window of four words, or as much of it as the swizzle names.
    fn load(
        &mut self,
        destination: &Operand,
        status: Option<&Operand>,
        memory: &Operand,
        index: Option<&Operand>,
        offset: &Operand,
    ) -> Result {
        let mask = destination.mask();
        let place = self.address(memory, index, offset)?;
        let components = components_read(memory, mask);
        let mut window = Vector::default();
        if components != 0 {
            let (first, last) = span(components);
            // Addresses do not wrap, but sums of registers would: a window at a computed offset is read from its start.
            let (first, place) = match self.advanced(place, first) {
                Some(advanced) if first > 0 => (first, advanced),
                _ => (0, place),
            };
            let words = self.b.load(place, last - first + 1);
            for (n, word) in words.into_iter().enumerate() {
                window.set(first + n, word);
            }
        }
        let words = swizzle(memory, mask, &window);
        self.write_with_status(destination, &words, status)
    }

    /// Writes a result and, if it is used, the feedback word.
    pub(super) fn write_with_status(
        &mut self,
        destination: &Operand,
        words: &Vector,
        status: Option<&Operand>,
    ) -> Result {
        match status {
            None => self.write(destination, words),
            Some(status) => {
                let fully_mapped = self.fully_mapped();
                self.write_all(&[(destination, words), (status, &fully_mapped)])
            }
        }
    }

    pub(super) fn store_raw(&mut self, instruction: &Instruction) -> Result {
        let [memory, offset, source] = self.operands(instruction)?;
        self.store(instruction, memory, None, offset, source)
    }

    pub(super) fn store_structured(&mut self, instruction: &Instruction) -> Result {
        let [memory, index, offset, source] = self.operands(instruction)?;
        self.store(instruction, memory, Some(index), offset, source)
    }

    /// Stores consecutive words: the masks are .x, .xy, .xyz and .xyzw.
    fn store(
        &mut self,
        instruction: &Instruction,
        memory: &Operand,
        index: Option<&Operand>,
        offset: &Operand,
        source: &Operand,
    ) -> Result {
        let mask = memory.mask();
        if mask == 0 || mask & (mask + 1) != 0 {
            return Err(self.bad_operand(memory.file.text()));
        }
        let place = self.address(memory, index, offset)?;
        let words = self.moved(instruction, source, mask)?;
        let values: Vec<Value> = lanes(mask).map(|lane| words.at(lane)).collect();
        let effect = self.effect();
        self.b.store(place, &values, effect);
        Ok(())
    }

    /// An atomic without a result.
    pub(super) fn atomic(&mut self, instruction: &Instruction, op: AtomicOp) -> Result {
        let [memory, address, value] = self.operands(instruction)?;
        self.update(op, memory, address, value, None).map(|_| ())
    }

    pub(super) fn atomic_compare(&mut self, instruction: &Instruction) -> Result {
        let [memory, address, compare, value] = self.operands(instruction)?;
        self.update(AtomicOp::CompareExchange, memory, address, value, Some(compare)).map(|_| ())
    }

    /// An atomic that returns the previous word.
    pub(super) fn imm_atomic(&mut self, instruction: &Instruction, op: AtomicOp) -> Result {
        let [destination, memory, address, value] = self.operands(instruction)?;
        let before = self.update(op, memory, address, value, None)?;
        self.write(destination, &Vector::splat(before))
    }

    pub(super) fn imm_atomic_compare(&mut self, instruction: &Instruction) -> Result {
        let [destination, memory, address, compare, value] = self.operands(instruction)?;
        let before = self.update(AtomicOp::CompareExchange, memory, address, value, Some(compare))?;
        self.write(destination, &Vector::splat(before))
    }

    fn update(
        &mut self,
        op: AtomicOp,
        memory: &Operand,
        address: &Operand,
        value: &Operand,
        compare: Option<&Operand>,
    ) -> Result<Value> {
        match self.memory(memory)? {
            Memory::Raw(object) => {
                let offset = self.read_one(address, SourceType::Int)?;
                self.update_word(op, MemoryRef { object, index: None, offset }, value, compare)
            }
            Memory::Structured(object) => {
                let address = self.read(address, 0b11, SourceType::Int)?;
                let place = MemoryRef { object, index: Some(address.at(0)), offset: address.at(1) };
                self.update_word(op, place, value, compare)
            }
            Memory::Typed(resource, dimension) => {
                let coords = self.coordinates(address, dimension, None)?;
                let (value, compare) = self.update_operands(value, compare)?;
                let effect = self.effect();
                Ok(self.b.texel_atomic(op, resource, &coords, value, compare, effect))
            }
        }
    }

    fn update_word(
        &mut self,
        op: AtomicOp,
        place: MemoryRef,
        value: &Operand,
        compare: Option<&Operand>,
    ) -> Result<Value> {
        let (value, compare) = self.update_operands(value, compare)?;
        let effect = self.effect();
        Ok(self.b.atomic(op, place, value, compare, effect))
    }

    fn update_operands(&mut self, value: &Operand, compare: Option<&Operand>) -> Result<(Value, Option<Value>)> {
        let compare = compare.map(|compare| self.read_one(compare, SourceType::Int)).transpose()?;
        Ok((self.read_one(value, SourceType::Int)?, compare))
    }

    /// `imm_atomic_alloc` and `imm_atomic_consume`.
    pub(super) fn counter(&mut self, instruction: &Instruction, op: CounterOp) -> Result {
        let [destination, memory] = self.operands(instruction)?;
        let resource = self.resource(memory)?;
        let declared = &mut self.b.func.interface.resources[resource.id.index()];
        if declared.class != ResourceClass::UnorderedAccess || !matches!(declared.kind, ResourceKind::Structured { .. })
        {
            return Err(self.bad_operand(memory.file.text()));
        }
        declared.uses_counter = true;
        let effect = self.effect();
        let value = self.b.counter(op, resource, effect);
        self.write(destination, &Vector::splat(value))
    }

    pub(super) fn sync(&mut self, instruction: &Instruction) -> Result {
        let flags = instruction.sync;
        self.b.barrier(Sync {
            threads: flags.threads,
            shared: flags.shared_memory,
            views_group: flags.uav_group,
            views_global: flags.uav_global,
        });
        Ok(())
    }

    /// All ones if the feedback word says that everything was mapped.
    pub(super) fn check_access(&mut self, instruction: &Instruction) -> Result {
        let [destination, status] = self.operands(instruction)?;
        let status = self.read_one(status, SourceType::Int)?;
        let is_mapped = self.is_set(status);
        let word = self.b.op(Op::BToI, &[is_mapped]);
        self.write(destination, &Vector::splat(word))
    }
}
