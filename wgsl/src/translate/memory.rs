//! Reads and writes of places, atomics.

use brolga_ir::entity::{Slot, Value};
use brolga_ir::function::{AtomicOp, MemoryRef, Object};
use brolga_ir::insight::OUTSIDE;
use brolga_ir::{Op, Type};
use naga::{AtomicFunction, Expression, Handle, Scalar, ScalarKind};
use smallvec::SmallVec;

use super::place::{Home, Memory, Place};
use super::types::{Shape, scalar_type};
use super::{Fault, Result, Translator, Words};

/// Arrays of more elements than this are zeroed by a loop.
const UNROLLED: u32 = 8;

impl<'m> Translator<'m, '_> {
    /// The IR's type for a scalar.
    pub(super) fn scalar_type(&self, scalar: Scalar) -> Result<Type> {
        scalar_type(scalar).map_err(|name| Fault::Unsupported { name: name.to_owned() })
    }

    /// The value at a place.
    pub(super) fn load(&mut self, place: &Place<'m>) -> Result<Words> {
        self.reserve(self.types.words(place.shape))?;
        let mut words = Words::new();
        self.load_into(place, &mut words)?;
        Ok(words)
    }

    fn load_into(&mut self, place: &Place<'m>, words: &mut Words) -> Result {
        match (&place.home, place.shape) {
            (&Home::Slots(first), shape) => {
                let count = place.component.map_or(self.types.words(shape), |(_, count)| count) as usize;
                let all = (first..first + count).map(|slot| self.b.slot_get(Slot::new(slot)));
                match (place.component, shape) {
                    (Some((index, _)), Shape::Scalar(scalar)) => {
                        let all: Words = all.collect();
                        let zero = self.zero_scalar(scalar)?;
                        let zero = self.zero_outside(zero, index, all.len());
                        words.push(self.choose(&all, index, zero));
                    }
                    _ => words.extend(all),
                }
            }
            (Home::Memory(memory), Shape::Scalar(scalar)) => self.load_run(place, memory, 1, scalar, words)?,
            (Home::Memory(memory), Shape::Vector(count, scalar)) => {
                self.load_run(place, memory, count, scalar, words)?;
            }
            (Home::Memory(memory), Shape::Struct(members)) if memory.unit.is_none() || self.has_elements(memory) => {
                self.load_members(place, memory, members.len() as u32, words)?;
            }
            (Home::Memory(_) | Home::Parts(_), shape) => {
                for number in 0..self.types.children(shape).unwrap_or(0) {
                    self.load_into(&self.part(place, number), words)?;
                }
            }
        }
        Ok(())
    }

    /// Reads the members of a structure in raw memory, up to four consecutive words at once.
    fn load_members(&mut self, place: &Place<'m>, memory: &Memory, members: u32, words: &mut Words) -> Result {
        let mut number = 0;
        while number < members {
            let first = self.part(place, number);
            let mut types: SmallVec<[Type; 4]> = SmallVec::new();
            while number < members {
                let part = self.part(place, number);
                let (count, scalar) = match part.shape {
                    Shape::Scalar(scalar) => (1, scalar),
                    Shape::Vector(count, scalar) => (count as usize, scalar),
                    _ => break,
                };
                let follows =
                    self.known_offset(&part) == self.known_offset(&first).saturating_add(4 * types.len() as u32);
                if !(types.is_empty() || follows && types.len() + count <= 4) {
                    break;
                }
                let ty = self.scalar_type(scalar)?;
                types.extend(std::iter::repeat_n(ty, count));
                number += 1;
            }
            if types.is_empty() {
                self.load_into(&first, words)?;
                number += 1;
                continue;
            }
            let at = self.address(&first, memory, 0);
            let loaded: Words = self.b.load(at, types.len());
            for (mut word, ty) in loaded.into_iter().zip(types) {
                if let Some(valid) = self.condition(place) {
                    let zero = self.b.i32(0);
                    word = self.b.select(valid, word, zero);
                }
                words.push(self.scalar_of(word, ty));
            }
        }
        Ok(())
    }

    /// Reads consecutive words of one type.
    fn load_run(
        &mut self,
        place: &Place<'m>,
        memory: &Memory,
        count: u32,
        scalar: Scalar,
        words: &mut Words,
    ) -> Result {
        let ty = self.scalar_type(scalar)?;
        let loaded: Words = if memory.unit == Some(4) {
            (0..count)
                .map(|n| {
                    let at = self.address(place, memory, 4 * n);
                    self.b.load(at, 1)[0]
                })
                .collect()
        } else {
            let at = self.address(place, memory, 0);
            self.b.load(at, count.clamp(1, 4) as usize)
        };
        for mut word in loaded {
            if let Some(valid) = self.condition(place) {
                let zero = self.b.i32(0);
                word = self.b.select(valid, word, zero);
            }
            words.push(self.scalar_of(word, ty));
        }
        Ok(())
    }

    /// A scalar from a word of memory.
    pub(super) fn scalar_of(&mut self, word: Value, ty: Type) -> Value {
        match ty {
            Type::F32 => self.b.op(Op::AsF32, &[word]),
            Type::Bool => {
                let zero = self.b.i32(0);
                self.b.op(Op::INe, &[word, zero])
            }
            _ => word,
        }
    }

    /// A scalar as a word of memory.
    pub(super) fn word_of(&mut self, value: Value) -> Value {
        match self.b.func.ty(value) {
            Type::F32 => self.b.op(Op::BitsF32, &[value]),
            Type::Bool => {
                let (one, zero) = (self.b.i32(1), self.b.i32(0));
                self.b.select(value, one, zero)
            }
            _ => value,
        }
    }

    /// The condition under which a write to a place happens.
    pub(super) fn effect(&mut self, place: &Place<'m>) -> Value {
        self.condition(place).unwrap_or_else(|| self.b.bool(true))
    }

    /// Writes a value, of which the first scalars are taken; returns the rest.
    pub(super) fn store<'w>(&mut self, place: &Place<'m>, words: &'w [Value]) -> Result<&'w [Value]> {
        match (&place.home, place.shape) {
            (&Home::Slots(first), shape) => {
                let (values, rest) = self.take(words, self.types.words(shape))?;
                match (place.component, values) {
                    (Some((index, count)), &[value]) => {
                        for n in 0..count {
                            let (slot, number) = (Slot::new(first + n as usize), self.b.i32(n));
                            let before = self.b.slot_get(slot);
                            let is_it = self.b.op(Op::IEq, &[index, number]);
                            let after = self.b.select(is_it, value, before);
                            self.b.slot_set(slot, after);
                        }
                    }
                    _ => {
                        for (n, &value) in values.iter().enumerate() {
                            self.b.slot_set(Slot::new(first + n), value);
                        }
                    }
                }
                Ok(rest)
            }
            (Home::Memory(memory), Shape::Scalar(_)) => self.store_run(place, memory, 1, words),
            (Home::Memory(memory), Shape::Vector(count, _)) => self.store_run(place, memory, count, words),
            (Home::Memory(_) | Home::Parts(_), shape) => {
                let mut rest = words;
                for number in 0..self.types.children(shape).unwrap_or(0) {
                    rest = self.store(&self.part(place, number), rest)?;
                }
                Ok(rest)
            }
        }
    }

    fn take<'w>(&self, words: &'w [Value], count: u32) -> Result<(&'w [Value], &'w [Value])> {
        words.split_at_checked(count as usize).ok_or_else(|| self.internal("too few values to store"))
    }

    fn store_run<'w>(
        &mut self,
        place: &Place<'m>,
        memory: &Memory,
        count: u32,
        words: &'w [Value],
    ) -> Result<&'w [Value]> {
        let (values, rest) = self.take(words, count)?;
        let values: Words = values.iter().map(|&value| self.word_of(value)).collect();
        let effect = self.effect(place);
        if memory.unit == Some(4) {
            for (n, value) in values.into_iter().enumerate() {
                let at = self.address(place, memory, 4 * n as u32);
                self.b.store(at, &[value], effect);
            }
        } else {
            let at = self.address(place, memory, 0);
            self.b.store(at, &values, effect);
        }
        Ok(rest)
    }

    /// Writes zeros: the zero value of whatever is there.
    pub(super) fn store_zero(&mut self, place: &Place<'m>) -> Result {
        match (&place.home, place.shape) {
            (Home::Memory(_), Shape::Array(_, Some(count), _)) if count > UNROLLED => {
                let (first, end, one) = (self.b.i32(0), self.b.i32(count), self.b.i32(1));
                let (inst, body) = self.b.loop_(&[first]);
                let number = self.b.func.region(body).params[0];
                self.fill(body, |t| {
                    let is_done = t.b.op(Op::UGe, &[number, end]);
                    t.b.when(is_done, |b| b.break_(inst, &[number]));
                    let element = t.unchecked_element(place, number);
                    t.store_zero(&element)?;
                    let next = t.b.op(Op::IAdd, &[number, one]);
                    t.b.continue_(inst, &[next]);
                    Ok(())
                })
            }
            (Home::Memory(_) | Home::Parts(_), Shape::Matrix(..) | Shape::Array(..) | Shape::Struct(_)) => {
                (0..self.types.children(place.shape).unwrap_or(0))
                    .try_for_each(|number| self.store_zero(&self.part(place, number)))
            }
            (_, shape) => {
                let zero = self.zero(shape)?;
                self.store(place, &zero).map(|_| ())
            }
        }
    }

    /// The zero that an index gives outside of a value with so many elements: to be checked, it is an access outside of
    /// memory.
    pub(super) fn zero_outside(&mut self, zero: Value, index: Value, count: usize) -> Value {
        if !self.is_to_check {
            return zero;
        }
        let immediate = &mut self.b.func.interface.immediate;
        if immediate.is_empty() {
            immediate.push([0; 4]);
        }
        let ty = self.b.func.ty(zero);
        let is_inside = self.is_below(index, count as u32);
        let (offset, outside) = (self.b.i32(0), self.b.i32(OUTSIDE));
        let vector = self.b.select(is_inside, offset, outside);
        let word = self.b.load(MemoryRef { object: Object::Immediate, index: Some(vector), offset }, 1)[0];
        self.scalar_of(word, ty)
    }

    /// The scalar of this number, or another value if there is none.
    pub(super) fn choose(&mut self, values: &[Value], index: Value, otherwise: Value) -> Value {
        let mut chosen = otherwise;
        for (n, &value) in values.iter().enumerate() {
            let number = self.b.i32(n as u32);
            let is_it = self.b.op(Op::IEq, &[index, number]);
            chosen = self.b.select(is_it, value, chosen);
        }
        chosen
    }

    /// An atomic operation; the value before it.
    pub(super) fn atomic(
        &mut self,
        place: &Place<'m>,
        op: AtomicOp,
        value: Value,
        compare: Option<Value>,
    ) -> Result<Value> {
        let Home::Memory(memory) = place.home else { return Err(self.internal("an atomic is not in memory")) };
        let at = self.address(place, &memory, 0);
        let effect = self.effect(place);
        Ok(self.b.atomic(op, at, value, compare, effect))
    }

    /// The operand of an atomic function, and what an exchange compares with.
    pub(super) fn atomic_operands(
        &mut self,
        fun: &AtomicFunction,
        value: Handle<Expression>,
    ) -> Result<(Value, Option<Value>)> {
        let mut operand = self.word(value)?;
        if let AtomicFunction::Subtract = fun {
            let zero = self.b.i32(0);
            operand = self.b.op(Op::ISub, &[zero, operand]);
        }
        let compare = match *fun {
            AtomicFunction::Exchange { compare: Some(compare) } => Some(self.word(compare)?),
            _ => None,
        };
        Ok((operand, compare))
    }
}

/// The operation of an atomic function on a type of numbers.
pub(super) fn atomic_op(fun: &AtomicFunction, scalar: Scalar) -> AtomicOp {
    let is_signed = scalar.kind == ScalarKind::Sint;
    match fun {
        // The operand is negated for a subtraction.
        AtomicFunction::Add | AtomicFunction::Subtract => AtomicOp::Add,
        AtomicFunction::And => AtomicOp::And,
        AtomicFunction::ExclusiveOr => AtomicOp::Xor,
        AtomicFunction::InclusiveOr => AtomicOp::Or,
        AtomicFunction::Min if is_signed => AtomicOp::SMin,
        AtomicFunction::Min => AtomicOp::UMin,
        AtomicFunction::Max if is_signed => AtomicOp::SMax,
        AtomicFunction::Max => AtomicOp::UMax,
        AtomicFunction::Exchange { compare: None } => AtomicOp::Exchange,
        AtomicFunction::Exchange { compare: Some(_) } => AtomicOp::CompareExchange,
    }
}
