//! Constants, overrides, and constant arrays, which are vectors of the immediate constant buffer.

use std::collections::HashMap;
use std::rc::Rc;

use brolga_ir::entity::Value;
use brolga_ir::function::{Function, InstKind, Object};
use brolga_ir::interface::Interface;
use brolga_ir::{Const, Type};
use naga::valid::ModuleInfo;
use naga::{Arena, Expression, Handle, Literal, Module, Override, Scalar, ScalarKind};

use super::place::{Home, Memory, Place};
use super::types::{Layout, Shape, Types, scalar_name, scalar_type};
use super::{Fault, FaultAt, Result, Translator};
use crate::error::Quantity;
use crate::options::Options;

/// The values of overrides, in the order of the module.
#[derive(Debug, Default)]
pub(super) struct Overrides {
    /// Of one without a value, the name of the one that lacks it.
    values: Vec<std::result::Result<Const, String>>,
}

impl Overrides {
    /// The number that a size is, if it is known.
    pub fn value(&self, handle: Handle<Override>) -> Option<u32> {
        self.constant(handle).ok().map(|value| value.bits as u32)
    }

    pub fn constant(&self, handle: Handle<Override>) -> Result<Const> {
        match self.values.get(handle.index()) {
            Some(Ok(value)) => Ok(*value),
            Some(Err(name)) => Err(Fault::OverrideWithoutValue { name: name.clone(), others: Vec::new() }),
            None => Err(Fault::Internal { what: "an override is used before its declaration".to_owned() }),
        }
    }
}

/// The constants of a translation.
#[derive(Debug, Default)]
pub(super) struct Constants {
    pub overrides: Rc<Overrides>,
    /// Where constant arrays are in the immediate constant buffer, by their words.
    arrays: HashMap<Vec<[u32; 4]>, usize>,
    /// The same by expression and function; none for the module's.
    of_expressions: HashMap<(Option<usize>, usize), Option<usize>>,
}

/// The number of an override, or its name.
pub(super) fn name(of: &Override) -> String {
    match (of.id, &of.name) {
        (Some(id), _) => id.to_string(),
        (None, Some(name)) => name.clone(),
        (None, None) => String::new(),
    }
}

/// `true` if a key names an override.
fn names(key: &str, of: &Override) -> bool {
    match of.id {
        Some(id) => key.parse() == Ok(id),
        None => of.name.as_deref() == Some(key),
    }
}

/// A fault at the declaration of an override that has no value, with all others that have none.
pub(super) fn complete(found: FaultAt, module: &Module, options: &Options) -> FaultAt {
    let FaultAt { fault: Fault::OverrideWithoutValue { name: missed, .. }, .. } = found else { return found };
    let is_given = |of: &Override| of.init.is_some() || options.overrides.keys().any(|key| names(key, of));
    let of_span = |(handle, of): (Handle<Override>, &Override)| {
        (name(of) == missed).then(|| module.overrides.get_span(handle).to_range()).flatten()
    };
    let at = module.overrides.iter().find_map(of_span).map(|range| range.start as u32);
    let others = module.overrides.iter().filter(|(_, of)| !is_given(of)).map(|(_, of)| name(of));
    let others = others.filter(|other| *other != missed).collect();
    FaultAt { at: at.or(found.at), fault: Fault::OverrideWithoutValue { name: missed, others } }
}

/// The values of overrides, and the size of groups.
pub(super) fn sizes(
    module: &Module,
    info: &ModuleInfo,
    entry: usize,
    options: &Options,
) -> std::result::Result<(Overrides, [u32; 3]), FaultAt> {
    let whole = |fault| FaultAt { at: None, fault };
    let is_known = |key: &String| module.overrides.iter().any(|(_, of)| names(key, of));
    if let Some(key) = options.overrides.keys().find(|key| !is_known(key)) {
        let found = module.overrides.iter().filter_map(|(_, of)| match (of.id, &of.name) {
            (Some(id), Some(name)) => Some(format!("{id} ({name})")),
            (Some(id), None) => Some(id.to_string()),
            (None, name) => name.clone(),
        });
        let found = found.collect();
        return Err(whole(Fault::NoOverride { name: key.clone(), found }));
    }
    let mut overrides = Overrides::default();
    for (handle, of) in module.overrides.iter() {
        let at = module.overrides.get_span(handle).to_range().map(|range| range.start as u32);
        let given = options.overrides.iter().find(|(key, _)| names(key, of));
        let naga::TypeInner::Scalar(scalar) = module.types[of.ty].inner else {
            return Err(whole(Fault::Internal { what: "an override is no scalar".to_owned() }));
        };
        let ty =
            scalar_type(scalar).map_err(|name| FaultAt { at, fault: Fault::Unsupported { name: name.to_owned() } })?;
        let value = match (given, of.init) {
            (Some((key, &value)), _) => Ok(convert(key, value, scalar).map_err(|fault| FaultAt { at, fault })?),
            // One that others need and that has no value is missed where it is used.
            (None, Some(init)) => match evaluate(module, info, options, &mut overrides, init) {
                Ok(value) => Ok(Const { ty, ..value }),
                Err(Fault::OverrideWithoutValue { name, .. }) => Err(name),
                Err(fault) => return Err(FaultAt { at, fault }),
            },
            (None, None) => Err(name(of)),
        };
        overrides.values.push(value);
    }
    let point = &module.entry_points[entry];
    let mut size = point.workgroup_size;
    for (axis, expression) in point.workgroup_size_overrides.into_iter().flatten().enumerate() {
        if let Some(expression) = expression {
            let value = evaluate(module, info, options, &mut overrides, expression).map_err(whole)?;
            let is_signed = matches!(
                info[expression].inner_with(&module.types),
                naga::TypeInner::Scalar(Scalar { kind: ScalarKind::Sint, .. })
            );
            let found = value.bits as u32;
            if found == 0 || (is_signed && found as i32 <= 0) {
                return Err(whole(Fault::Size { found: found as i32 }));
            }
            size[axis] = found;
        }
    }
    let found = size.iter().fold(1u64, |product, &side| product.saturating_mul(side.into()));
    let most = u64::from(options.limits.group_threads);
    if found > most {
        return Err(whole(Fault::TooMany { quantity: Quantity::GroupThreads, found, most }));
    }
    Ok((overrides, size))
}

/// A value that was given for an override, as its type.
fn convert(name: &str, value: f64, scalar: Scalar) -> Result<Const> {
    let is_whole = value.trunc() == value;
    let converted = match scalar.kind {
        ScalarKind::Bool => Some(Const::bool(value != 0.0 && !value.is_nan())),
        ScalarKind::Sint if is_whole && (i32::MIN.into()..=i32::MAX.into()).contains(&value) => {
            Some(Const::i32(value as i32 as u32))
        }
        ScalarKind::Uint if is_whole && (0.0..=u32::MAX.into()).contains(&value) => Some(Const::i32(value as u32)),
        ScalarKind::Float if (value as f32).is_finite() => Some(Const::f32(value as f32)),
        _ => None,
    };
    converted.ok_or_else(|| Fault::OverrideValue { name: name.to_owned(), value, ty: scalar_name(scalar) })
}

/// The value of an expression of overrides: it is translated like any other, and the operations are evaluated.
fn evaluate(
    module: &Module,
    info: &ModuleInfo,
    options: &Options,
    overrides: &mut Overrides,
    expression: Handle<Expression>,
) -> Result<Const> {
    let mut scratch = Function::new("", Interface::default());
    let types = Types::new(module, |size| overrides.value(size));
    let mut translator = Translator::new(module, info, types, options, &mut scratch);
    translator.constants.overrides = Rc::new(std::mem::take(overrides));
    let words = translator.words(expression);
    let known = Rc::try_unwrap(std::mem::take(&mut translator.constants.overrides));
    *overrides = known.unwrap_or_default();
    let value = words?.first().copied();
    let not_known = || Fault::Unsupported { name: "a computation of this kind with overrides".to_owned() };
    value.and_then(|value| folded(&scratch, value)).ok_or_else(not_known)
}

/// The value of straight-line code.
fn folded(func: &Function, value: Value) -> Option<Const> {
    let mut known: HashMap<Value, u64> = HashMap::new();
    for &inst in &func.region(func.body()).insts {
        let data = func.inst(inst);
        let bits = match &data.kind {
            InstKind::Const(constant) => constant.bits,
            InstKind::Op { op, args } => {
                let args: Option<Vec<u64>> = args.iter().map(|arg| known.get(arg).copied()).collect();
                op.eval(&args?)
            }
            _ => return None,
        };
        known.insert(*data.results.first()?, bits);
    }
    Some(Const { ty: func.ty(value), bits: *known.get(&value)? })
}

impl<'m> Translator<'m, '_> {
    /// A literal as a constant.
    pub(super) fn literal(&self, literal: Literal) -> Result<Const> {
        match literal {
            Literal::F32(value) => Ok(Const::f32(value)),
            Literal::U32(value) => Ok(Const::i32(value)),
            Literal::I32(value) => Ok(Const::i32(value as u32)),
            Literal::Bool(value) => Ok(Const::bool(value)),
            Literal::F64(_) => self.unsupported("f64"),
            Literal::F16(_) => self.unsupported("f16"),
            Literal::U16(_) => self.unsupported("u16"),
            Literal::I16(_) => self.unsupported("i16"),
            Literal::U64(_) => self.unsupported("u64"),
            Literal::I64(_) => self.unsupported("i64"),
            Literal::AbstractInt(_) | Literal::AbstractFloat(_) => Err(self.internal("an abstract number is left")),
        }
    }

    /// The value of an override.
    pub(super) fn override_value(&self, handle: Handle<Override>) -> Result<Const> {
        self.constants.overrides.constant(handle)
    }

    /// An array in the immediate constant buffer, if an expression is a constant one.
    pub(super) fn constant_array(&mut self, expression: Handle<Expression>) -> Result<Option<Place<'m>>> {
        let shape = self.shape(expression);
        // A constant has a name, by which it is found again.
        let (arena, number, expression) = match self.frame.expressions()[expression] {
            Expression::Constant(handle) => (&self.module.global_expressions, None, self.module.constants[handle].init),
            _ => (self.frame.expressions(), self.frame.number(), expression),
        };
        let key = (number, expression.index());
        let first = match self.constants.of_expressions.get(&key) {
            Some(known) => *known,
            None => {
                let found = self.add_constant_array(arena, expression, shape)?;
                self.constants.of_expressions.insert(key, found);
                found
            }
        };
        let Some(first) = first else { return Ok(None) };
        let memory = Memory { object: Object::Immediate, layout: Layout::Vectors, unit: Some(16) };
        Ok(Some(Place::at(Home::Memory(memory), shape, 16 * first as u32)))
    }

    fn add_constant_array(
        &mut self,
        arena: &'m Arena<Expression>,
        expression: Handle<Expression>,
        shape: Shape<'m>,
    ) -> Result<Option<usize>> {
        let vectors = u64::from(self.types.size(shape, Layout::Vectors) / 16);
        let most = self.options.limits.constant_vectors as u64;
        let found = self.b.func.interface.immediate.len() as u64 + vectors;
        if !self.is_constant(arena, expression) {
            return Ok(None);
        }
        self.check(Quantity::ConstantVectors, found, most)?;
        let mut words = Vec::new();
        self.constant_words(arena, expression, &mut words)?;
        let mut rows = Vec::new();
        self.rows(shape, &mut words.into_iter(), &mut rows);
        let immediate = &mut self.b.func.interface.immediate;
        let first = *self.constants.arrays.entry(rows).or_insert_with_key(|rows| {
            immediate.extend_from_slice(rows);
            immediate.len() - rows.len()
        });
        Ok(Some(first))
    }

    /// `true` if an expression is made of literals.
    fn is_constant(&self, arena: &Arena<Expression>, expression: Handle<Expression>) -> bool {
        match arena[expression] {
            Expression::Literal(_) | Expression::ZeroValue(_) | Expression::Constant(_) => true,
            Expression::Override(_) => true,
            Expression::Splat { value, .. } => self.is_constant(arena, value),
            Expression::Compose { ref components, .. } => components.iter().all(|&part| self.is_constant(arena, part)),
            _ => false,
        }
    }

    /// The words of a constant expression.
    fn constant_words(
        &self,
        arena: &Arena<Expression>,
        expression: Handle<Expression>,
        words: &mut Vec<u32>,
    ) -> Result {
        let most = 4 * self.options.limits.constant_vectors as u64;
        self.check(Quantity::ConstantVectors, words.len() as u64 / 4, most / 4)?;
        match arena[expression] {
            Expression::Literal(literal) => words.push(self.literal(literal)?.bits as u32),
            Expression::Override(handle) => words.push(self.override_value(handle)?.bits as u32),
            Expression::Constant(handle) => {
                let init = self.module.constants[handle].init;
                self.constant_words(&self.module.global_expressions, init, words)?;
            }
            Expression::ZeroValue(ty) => {
                let count = self.types.words(self.types.of(ty));
                self.check(Quantity::ConstantVectors, u64::from(count) / 4, most / 4)?;
                words.resize(words.len() + count as usize, 0);
            }
            Expression::Splat { size, value } => {
                let start = words.len();
                self.constant_words(arena, value, words)?;
                let one = words[start..].to_vec();
                (1..u32::from(size)).for_each(|_| words.extend_from_slice(&one));
            }
            Expression::Compose { ref components, .. } => {
                components.iter().try_for_each(|&part| self.constant_words(arena, part, words))?;
            }
            _ => return Err(self.internal("a constant is computed")),
        }
        Ok(())
    }

    /// Lays out words in vectors.
    fn rows(&self, shape: Shape<'m>, words: &mut impl Iterator<Item = u32>, rows: &mut Vec<[u32; 4]>) {
        match shape {
            Shape::Scalar(_) => rows.push([words.next().unwrap_or(0), 0, 0, 0]),
            Shape::Vector(count, _) => {
                let mut row = [0; 4];
                row.iter_mut().take(count as usize).for_each(|word| *word = words.next().unwrap_or(0));
                rows.push(row);
            }
            Shape::Matrix(..) | Shape::Array(..) | Shape::Struct(_) => {
                for number in 0..self.types.children(shape).unwrap_or(0) {
                    self.rows(self.types.child(shape, number), words, rows);
                }
            }
            Shape::Opaque => {}
        }
    }

    /// A condition or number of a type that is known from a constant.
    pub(super) fn constant(&mut self, value: Const) -> Value {
        debug_assert!(matches!(value.ty, Type::Bool | Type::I32 | Type::F32), "shaders have no others");
        self.b.constant(value)
    }
}
