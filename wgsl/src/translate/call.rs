//! Functions: calls, which are inlined, and the variables of a function.
//!
//! A function that returns before its end is the only arm of a switch, which its returns leave.

use std::collections::HashMap;

use brolga_ir::entity::{Inst, LocalId, Slot};
use brolga_ir::function::Object;
use brolga_ir::interface::Local;
use naga::proc::TypeResolution;
use naga::valid::{FunctionInfo, ModuleInfo};
use naga::{Arena, Expression, Handle, Module, Statement};

use super::place::{Home, Memory, Place};
use super::types::{Layout, Shape};
use super::{Result, Translator, Val};
use crate::error::Quantity;
use crate::usage::{FunctionUsage, Usage};

/// Variables with more scalars than this are memory, even if nothing computed indexes them.
const MOST_SLOTS: u32 = 512;

/// What a name stands for: expressions of a function, or of the module.
#[derive(Clone, Copy, Debug)]
enum Source<'m> {
    Module(&'m Module, &'m ModuleInfo),
    Function(&'m naga::Function, &'m FunctionInfo),
}

/// The function that is being translated, and what is known in it.
#[derive(Debug)]
pub(super) struct Frame<'m> {
    source: Source<'m>,
    /// Its number in the module; the entry point's is the number of functions.
    number: Option<usize>,
    pub arguments: Vec<Val<'m>>,
    pub locals: Vec<Place<'m>>,
    /// Expressions that have been evaluated.
    pub known: Vec<Option<Val<'m>>>,
    /// Expressions that a `continuing` block needs from the body of its loop, and the slots of their values.
    pub carried: HashMap<Handle<Expression>, Option<Vec<Slot>>>,
    exit: Exit,
    /// Its result.
    result: Vec<Slot>,
    /// Private arrays that are free again when it ends.
    arrays: Vec<LocalId>,
}

/// How a function returns.
#[derive(Clone, Debug)]
enum Exit {
    /// The thread ends.
    Thread,
    /// The code behind its body follows: its returns are all at its ends.
    Falls,
    /// By leaving a switch.
    Leaves(Inst),
}

impl<'m> Frame<'m> {
    /// The expressions of a module.
    pub fn of_module(module: &'m Module, info: &'m ModuleInfo) -> Self {
        Self::new(Source::Module(module, info), None, Vec::new(), Exit::Thread)
    }

    /// An entry point.
    pub fn of_entry(module: &'m Module, info: &'m ModuleInfo, entry: usize, arguments: Vec<Val<'m>>) -> Self {
        let function = &module.entry_points[entry].function;
        let source = Source::Function(function, info.get_entry_point(entry));
        let exit = if returns_early(&function.body, true) { Exit::Thread } else { Exit::Falls };
        Self::new(source, Some(module.functions.len()), arguments, exit)
    }

    fn new(source: Source<'m>, number: Option<usize>, arguments: Vec<Val<'m>>, exit: Exit) -> Self {
        let known = match source {
            Source::Module(..) => Vec::new(),
            Source::Function(function, _) => vec![None; function.expressions.len()],
        };
        let (locals, arrays, result, carried) = (Vec::new(), Vec::new(), Vec::new(), HashMap::new());
        Self { source, number, arguments, locals, known, carried, exit, result, arrays }
    }

    /// Its number; none for the module's expressions.
    pub fn number(&self) -> Option<usize> {
        self.number
    }

    /// Its expressions.
    pub fn expressions(&self) -> &'m Arena<Expression> {
        match self.source {
            Source::Module(module, _) => &module.global_expressions,
            Source::Function(function, _) => &function.expressions,
        }
    }

    /// The type of an expression.
    pub fn ty(&self, expression: Handle<Expression>) -> &'m TypeResolution {
        match self.source {
            Source::Module(_, info) => &info[expression],
            Source::Function(_, info) => &info[expression].ty,
        }
    }
}

impl<'m> Translator<'m, '_> {
    /// The whole shader.
    pub(super) fn entry_point(&mut self, entry: usize) -> Result {
        let (module, info) = (self.module, self.info);
        let point = &module.entry_points[entry];
        self.usage = Some(super::ModuleUsage::new(module, info, entry).into());
        self.declare(info.get_entry_point(entry))?;
        let arguments = self.inputs(&point.function)?;
        self.frame = Frame::of_entry(module, info, entry, arguments);
        let usage = self.usage.clone();
        let usage = usage.as_ref().map(|usage| &usage.entry);
        self.variables(&point.function, usage)?;
        self.block(&point.function.body)?;
        if !self.b.is_terminated() {
            self.b.return_();
        }
        Ok(())
    }

    /// Inlines a call.
    pub(super) fn call(
        &mut self,
        callee: Handle<naga::Function>,
        arguments: &[Handle<Expression>],
        result: Option<Handle<Expression>>,
    ) -> Result {
        let function = &self.module.functions[callee];
        let arguments = arguments.iter().map(|&argument| self.value(argument)).collect::<Result<Vec<_>>>()?;
        self.flow.calls += 1;
        self.check(Quantity::CallDepth, self.flow.calls as u64, self.options.limits.call_depth as u64)?;
        // What a call of an empty function takes.
        self.flow.steps += 1 + function.expressions.len() / 8;
        let source = Source::Function(function, &self.info[callee]);
        let frame = Frame::new(source, Some(callee.index()), arguments, Exit::Falls);
        let outer = std::mem::replace(&mut self.frame, frame);
        if let Some(result) = &function.result {
            self.frame.result = self.slots(self.types.of(result.ty))?;
        }
        let usage = self.usage.clone();
        let usage = usage.as_ref().and_then(|usage| usage.functions.get(callee.index()));
        self.variables(function, usage)?;
        let jumps = self.flow.enter_function();
        if returns_early(&function.body, true) {
            let selector = self.b.i32(0);
            let (inst, _, body) = self.b.switch(selector, Vec::new(), &[]);
            self.frame.exit = Exit::Leaves(inst);
            self.fill(body, |t| t.block(&function.body))?;
        } else {
            self.block(&function.body)?;
        }
        self.flow.leave_function(jumps);
        let ended = std::mem::replace(&mut self.frame, outer);
        self.flow.free_arrays.extend(ended.arrays);
        self.flow.calls -= 1;
        if let Some(result) = result {
            let words = ended.result.into_iter().map(|slot| self.b.slot_get(slot)).collect();
            self.learn(result, Val::Words(words));
        }
        Ok(())
    }

    /// A return from the function that is being translated.
    pub(super) fn return_(&mut self, value: Option<Handle<Expression>>) -> Result {
        if let Some(value) = value {
            let words = self.words(value)?;
            for (&slot, &word) in self.frame.result.iter().zip(&words) {
                self.b.slot_set(slot, word);
            }
        }
        match self.frame.exit {
            Exit::Thread => self.b.return_(),
            Exit::Falls => {}
            Exit::Leaves(inst) => self.b.break_(inst, &[]),
        }
        Ok(())
    }

    /// New slots for a value.
    fn slots(&mut self, shape: Shape<'m>) -> Result<Vec<Slot>> {
        self.reserve(self.types.words(shape))?;
        let mut kinds = Vec::new();
        self.types.each_scalar(shape, &mut |scalar| -> Result {
            kinds.push(self.scalar_type(scalar)?);
            Ok(())
        })?;
        Ok(kinds.into_iter().map(|ty| self.b.func.add_slot(ty)).collect())
    }

    /// Makes the variables of the function, and initialises them. Arrays are zero when a group starts.
    fn variables(&mut self, function: &'m naga::Function, usage: Option<&FunctionUsage>) -> Result {
        let none = Usage::default();
        let mut is_zero = Vec::new();
        for (handle, variable) in function.local_variables.iter() {
            self.come_from(function.local_variables.get_span(handle));
            let used = usage.and_then(|usage| usage.locals.get(handle.index())).unwrap_or(&none);
            let shape = self.types.of(variable.ty);
            let arrays = self.b.func.interface.locals.len();
            let home = self.home(shape, used)?;
            is_zero.push(match home {
                Home::Memory(Memory { object: Object::Local(id), .. }) => id.index() >= arrays && self.flow.loops == 0,
                _ => false,
            });
            self.frame.locals.push(Place::new(home, shape));
        }
        for (handle, variable) in function.local_variables.iter() {
            self.come_from(function.local_variables.get_span(handle));
            let place = self.frame.locals[handle.index()].clone();
            match variable.init {
                Some(init) => self.assign(&place, init)?,
                None if is_zero[handle.index()] => {}
                None => self.store_zero(&place)?,
            }
        }
        Ok(())
    }

    /// A home for a variable, or for a part of one.
    pub(super) fn home(&mut self, shape: Shape<'m>, usage: &Usage) -> Result<Home> {
        let count = self.types.words(shape);
        if usage.is_indexed || count > MOST_SLOTS {
            return self.private_array(shape);
        }
        if usage.holds_indexed() {
            let none = Usage::default();
            let parts = (0..self.types.children(shape).unwrap_or(0))
                .map(|number| self.home(self.types.child(shape, number), usage.parts.get(&number).unwrap_or(&none)));
            return Ok(Home::Parts(parts.collect::<Result<Vec<_>>>()?.into()));
        }
        let first = self.b.func.slot_count();
        self.slots(shape)?;
        Ok(Home::Slots(first))
    }

    /// A private array for a variable, or one that an earlier call has left.
    pub(super) fn private_array(&mut self, shape: Shape<'m>) -> Result<Home> {
        // Fails if there is one without a type in the IR.
        if let Shape::Array(base, ..) = shape {
            self.types.each_scalar(self.types.of(base), &mut |scalar| self.scalar_type(scalar).map(|_| ()))?;
        }
        let words = self.types.words(shape);
        let element = match shape {
            Shape::Array(..) | Shape::Matrix(..) => self.types.words(self.types.child(shape, 0)),
            _ => 1,
        };
        let components = if (1..=4).contains(&element) { element } else { 1 };
        let registers = words.div_ceil(components).max(1);
        let locals = &self.b.func.interface.locals;
        let fits = |local: &Local| local.registers == registers && local.components == components;
        let id = match self.flow.free_arrays.iter().position(|id| fits(&locals[id.index()])) {
            Some(position) => self.flow.free_arrays.swap_remove(position),
            None => {
                let words_of = |local: &Local| u64::from(local.registers) * u64::from(local.components);
                let found = locals.iter().map(words_of).sum::<u64>() + u64::from(words);
                self.check(Quantity::PrivateWords, found, u64::from(self.options.limits.private_words))?;
                let register = locals.len() as u32;
                self.b.func.interface.locals.push(Local { register, registers, components });
                LocalId::new(register as usize)
            }
        };
        self.frame.arrays.push(id);
        let memory = Memory { object: Object::Local(id), layout: Layout::Words, unit: Some(4 * components) };
        Ok(Home::Memory(memory))
    }
}

/// `true` if a function may return before an end of its body. `is_end` holds if the block is at one.
fn returns_early(block: &[Statement], is_end: bool) -> bool {
    block.iter().enumerate().any(|(n, statement)| {
        let is_end = is_end && n + 1 == block.len();
        match statement {
            Statement::Return { .. } => !is_end,
            Statement::Block(inner) => returns_early(inner, is_end),
            Statement::If { accept, reject, .. } => returns_early(accept, is_end) || returns_early(reject, is_end),
            Statement::Switch { cases, .. } => cases.iter().any(|case| returns_early(&case.body, is_end)),
            Statement::Loop { body, continuing, .. } => returns_early(body, false) || returns_early(continuing, false),
            _ => false,
        }
    })
}
