//! Expressions, one arm each.

use std::collections::HashMap;

use brolga_ir::Op;
use brolga_ir::entity::{Slot, Value};
use brolga_ir::function::{AtomicOp, Object, Query};
use naga::{Expression, Handle, TypeInner};
use smallvec::smallvec;

use super::place::{Home, Place};
use super::types::Shape;
use super::{Result, Translator, Val, Words};

/// Elements that are selected one by one; more are read from memory.
const SELECTED: usize = 4;

impl<'m> Translator<'m, '_> {
    /// Evaluates an expression where the code says so.
    pub(super) fn emit(&mut self, expression: Handle<Expression>) -> Result {
        self.flow.steps += 1;
        self.reserve(0)?;
        self.come_from(self.frame.expressions().get_span(expression));
        let value = self.evaluate(expression)?;
        self.learn(expression, value);
        Ok(())
    }

    /// Notes the value of an expression, also for a `continuing` block that may use it.
    pub(super) fn learn(&mut self, expression: Handle<Expression>, mut value: Val<'m>) {
        if let Some(carried) = self.frame.carried.get_mut(&expression) {
            let mut slots = Vec::new();
            for value in value.values_mut() {
                let slot = self.b.func.add_slot(self.b.func.ty(*value));
                self.b.slot_set(slot, *value);
                slots.push(slot);
            }
            *carried = Some(slots);
        }
        if let Some(known) = self.frame.known.get_mut(expression.index()) {
            *known = Some(value);
        }
    }

    /// Replaces what was carried here by what the slots hold.
    pub(super) fn recall(&mut self, carried: HashMap<Handle<Expression>, Option<Vec<Slot>>>) {
        // In the order of the text, not of the map.
        let mut carried: Vec<_> = carried.into_iter().filter_map(|(handle, slots)| Some((handle, slots?))).collect();
        carried.sort_unstable_by_key(|(handle, _)| handle.index());
        for (handle, slots) in carried {
            if let Some(Some(known)) = self.frame.known.get_mut(handle.index()) {
                for (value, slot) in known.values_mut().zip(slots) {
                    *value = self.b.slot_get(slot);
                }
            }
        }
    }

    /// The value of an expression.
    pub(super) fn value(&mut self, expression: Handle<Expression>) -> Result<Val<'m>> {
        match self.frame.known.get(expression.index()) {
            Some(Some(value)) => Ok(value.clone()),
            _ => self.evaluate(expression),
        }
    }

    /// The scalars of an expression.
    pub(super) fn words(&mut self, expression: Handle<Expression>) -> Result<Words> {
        match self.value(expression)? {
            Val::Words(words) => Ok(words),
            Val::Zero => self.zero(self.shape(expression)),
            Val::Place(_) | Val::Resource(_) => Err(self.internal("a pointer is used as a value")),
        }
    }

    /// The scalar that an expression is.
    pub(super) fn word(&mut self, expression: Handle<Expression>) -> Result<Value> {
        let words = self.words(expression)?;
        words.first().copied().ok_or_else(|| self.internal("an operand is missing"))
    }

    /// What an expression points to.
    pub(super) fn place(&mut self, expression: Handle<Expression>) -> Result<Place<'m>> {
        match self.value(expression)? {
            Val::Place(place) => Ok(place),
            _ => Err(self.internal("a value is used as a pointer")),
        }
    }

    /// `true` if an expression points to an atomic.
    pub(super) fn is_atomic(&self, pointer: Handle<Expression>) -> bool {
        match *self.frame.ty(pointer).inner_with(&self.module.types) {
            TypeInner::Pointer { base, .. } => matches!(self.module.types[base].inner, TypeInner::Atomic(_)),
            _ => false,
        }
    }

    /// The value of an atomic, as it is when the other threads' operations on it are counted.
    pub(super) fn atomic_load(&mut self, place: &Place<'m>) -> Result<Value> {
        let zero = self.b.i32(0);
        self.atomic(place, AtomicOp::Or, zero, None)
    }

    fn evaluate(&mut self, expression: Handle<Expression>) -> Result<Val<'m>> {
        let words = match self.frame.expressions()[expression] {
            Expression::Literal(literal) => {
                let value = self.literal(literal)?;
                smallvec![self.constant(value)]
            }
            Expression::Constant(handle) => return self.module_value(self.module.constants[handle].init),
            Expression::Override(handle) => {
                let value = self.override_value(handle)?;
                smallvec![self.constant(value)]
            }
            Expression::ZeroValue(_) => return Ok(Val::Zero),
            Expression::Compose { ref components, .. } => {
                let mut words = Words::new();
                for &component in components {
                    words.extend(self.words(component)?);
                    self.reserve(words.len() as u32)?;
                }
                words
            }
            Expression::Splat { size, value } => {
                let value = self.word(value)?;
                std::iter::repeat_n(value, u32::from(size) as usize).collect()
            }
            Expression::Swizzle { size, vector, pattern } => {
                let vector = self.words(vector)?;
                let chosen = pattern[..u32::from(size) as usize].iter();
                let chosen: Option<Words> = chosen.map(|&component| vector.get(component as usize).copied()).collect();
                chosen.ok_or_else(|| self.internal("a component is missing"))?
            }
            Expression::AccessIndex { base, index } => return self.known_element(base, index),
            Expression::Access { base, index } => return self.computed_element(base, index),
            Expression::FunctionArgument(number) => {
                let argument = self.frame.arguments.get(number as usize).cloned();
                return argument.ok_or_else(|| self.internal("an argument is missing"));
            }
            Expression::GlobalVariable(handle) => {
                let global = self.globals[handle.index()].clone();
                return global.ok_or_else(|| self.internal("a variable is not declared"));
            }
            Expression::LocalVariable(handle) => {
                let local = self.frame.locals.get(handle.index()).cloned();
                return local.map(Val::Place).ok_or_else(|| self.internal("a variable is not declared"));
            }
            Expression::Load { pointer } => {
                let place = self.place(pointer)?;
                match self.is_atomic(pointer) {
                    true => smallvec![self.atomic_load(&place)?],
                    false => self.load(&place)?,
                }
            }
            Expression::ImageSample { .. } => self.image_sample(expression)?,
            Expression::ImageLoad { image, coordinate, array_index, sample, level } => {
                self.image_load(image, coordinate, array_index, sample.or(level))?
            }
            Expression::ImageQuery { image, query } => self.image_query(image, query)?,
            Expression::Unary { op, expr } => self.unary(op, expr)?,
            Expression::Binary { op, left, right } => self.binary(op, left, right)?,
            Expression::Select { condition, accept, reject } => {
                let (conditions, accept, reject) = (self.words(condition)?, self.words(accept)?, self.words(reject)?);
                let pairs = accept.into_iter().zip(reject).enumerate();
                let condition = |n: usize| conditions.get(n).or(conditions.first()).copied();
                let chosen: Option<Words> = pairs.map(|(n, (a, b))| Some(self.b.select(condition(n)?, a, b))).collect();
                chosen.ok_or_else(|| self.internal("a select has no condition"))?
            }
            Expression::Relational { fun, argument } => self.relational(fun, argument)?,
            Expression::Math { fun, arg, arg1, arg2, arg3 } => {
                let arguments: Vec<_> = [Some(arg), arg1, arg2, arg3].into_iter().flatten().collect();
                self.math(fun, &arguments)?
            }
            Expression::As { expr, kind, convert } => self.convert(expr, kind, convert)?,
            Expression::ArrayLength(array) => smallvec![self.array_length(array)?],
            Expression::Derivative { .. } => return self.unsupported("a derivative in a compute shader"),
            Expression::CallResult(_)
            | Expression::AtomicResult { .. }
            | Expression::WorkGroupUniformLoadResult { .. } => {
                return Err(self.internal("a result is used before it is there"));
            }
            Expression::RayQueryVertexPositions { .. }
            | Expression::RayQueryProceedResult
            | Expression::RayQueryGetIntersection { .. } => return self.unsupported("a ray query"),
            Expression::SubgroupBallotResult | Expression::SubgroupOperationResult { .. } => {
                return self.unsupported("a subgroup operation");
            }
            Expression::CooperativeLoad { .. } | Expression::CooperativeMultiplyAdd { .. } => {
                return self.unsupported("a cooperative matrix");
            }
        };
        Ok(Val::Words(words))
    }

    /// The value of an expression of the module.
    pub(super) fn module_value(&mut self, expression: Handle<Expression>) -> Result<Val<'m>> {
        let frame = super::Frame::of_module(self.module, self.info);
        let outer = std::mem::replace(&mut self.frame, frame);
        let value = self.value(expression);
        self.frame = outer;
        value
    }

    /// An element or member with a known number.
    fn known_element(&mut self, base: Handle<Expression>, number: u32) -> Result<Val<'m>> {
        let words = match self.value(base)? {
            Val::Place(place) => {
                let has_elements = matches!(&place.home, Home::Memory(memory) if self.has_elements(memory));
                if has_elements && matches!(place.shape, Shape::Array(_, None, _)) {
                    // Its bytes may be too many to count.
                    let index = self.b.i32(number);
                    return Ok(Val::Place(self.unchecked_element(&place, index)));
                }
                return Ok(Val::Place(self.part(&place, number)));
            }
            Val::Zero => return Ok(Val::Zero),
            Val::Resource(_) => return self.unsupported("an array of bindings"),
            Val::Words(words) => words,
        };
        let shape = self.shape(base);
        let (first, count) =
            (self.types.words_before(shape, number), self.types.words(self.types.child(shape, number)));
        let element = words.get(first as usize..).and_then(|rest| rest.get(..count as usize));
        let element = element.ok_or_else(|| self.internal("an element is missing"))?;
        Ok(Val::Words(Words::from_slice(element)))
    }

    /// An element with a computed number. Out of range it is zero.
    fn computed_element(&mut self, base: Handle<Expression>, index: Handle<Expression>) -> Result<Val<'m>> {
        let shape = self.shape(base);
        if matches!(shape, Shape::Array(..) | Shape::Matrix(..))
            && self.frame.known.get(base.index()).is_none_or(|known| !matches!(known, Some(Val::Place(_))))
            && let Some(array) = self.constant_array(base)?
        {
            let index = self.word(index)?;
            let element = self.element(&array, index)?;
            return Ok(Val::Words(self.load(&element)?));
        }
        let base = self.value(base)?;
        let index = self.word(index)?;
        let words = match base {
            Val::Place(place) => return Ok(Val::Place(self.element(&place, index)?)),
            Val::Zero => return Ok(Val::Zero),
            Val::Resource(_) => return self.unsupported("an array of bindings"),
            Val::Words(words) => words,
        };
        let element = self.types.child(shape, 0);
        let size = self.types.words(element).max(1) as usize;
        if words.len() / size > SELECTED {
            let place = Place::new(self.private_array(shape)?, shape);
            self.store(&place, &words)?;
            let element = self.element(&place, index)?;
            return Ok(Val::Words(self.load(&element)?));
        }
        let zeros = self.zero(element)?;
        let chosen = (0..size).zip(zeros).map(|(n, zero)| {
            let candidates: Words = words.iter().skip(n).step_by(size).copied().collect();
            let zero = self.zero_outside(zero, index, candidates.len());
            self.choose(&candidates, index, zero)
        });
        Ok(Val::Words(chosen.collect()))
    }

    /// The number of elements of an array whose size its buffer decides.
    fn array_length(&mut self, array: Handle<Expression>) -> Result<Value> {
        let place = self.place(array)?;
        let (Home::Memory(memory), Shape::Array(_, None, stride)) = (&place.home, place.shape) else {
            return Err(self.internal("an array has a size"));
        };
        let Object::Resource(resource) = memory.object else { return Err(self.internal("an array is in no buffer")) };
        let [bytes, ..] = self.b.query(Query::BufferSize, resource, None);
        if memory.unit.is_some() {
            return Ok(bytes);
        }
        let before = self.b.i32(self.known_offset(&place));
        let most = self.b.op(Op::UMax, &[bytes, before]);
        let bytes = self.b.op(Op::ISub, &[most, before]);
        let stride = self.b.i32(stride.max(1));
        Ok(self.b.op(Op::UDiv, &[bytes, stride]))
    }
}

impl Val<'_> {
    /// The values of the IR that it is made of.
    pub(super) fn values_mut(&mut self) -> impl Iterator<Item = &mut Value> {
        let (words, place) = match self {
            Val::Words(words) => (Some(words), None),
            Val::Place(place) => (None, Some(place)),
            Val::Zero | Val::Resource(_) => (None, None),
        };
        words.into_iter().flatten().chain(place.into_iter().flat_map(Place::values_mut))
    }
}
