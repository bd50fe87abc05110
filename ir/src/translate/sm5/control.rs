//! Walks over the items of a program: blocks, constructs, calls.
//!
//! A bytecode construct is one IR instruction without results; the values travel in slots. Code after a terminator in
//! its block is unreachable and is dropped. Calls are inlined: a callee that returns early becomes the only arm of a
//! switch, and its `ret` leaves that switch.

use std::collections::HashMap;
use std::ops::Range;

use brolga_bytecode::sm5::valid::{Construct, FunctionName, ValidProgram};
use brolga_bytecode::sm5::{CustomContent, Instruction, ItemKind, Op as Opcode, Operand, RegisterFile, Stage, Test};

use super::operand::SourceType;
use super::{Result, TranslateError, Translator};
use crate::entity::{Inst, Region, Value};
use crate::function::Origin;
use crate::ops::Op;

/// Direct3D's limit on nested calls; a deeper call is skipped.
const CALL_DEPTH: usize = 32;

/// The state of the walk.
pub(super) struct FlowState {
    /// Index of the next item.
    next: usize,
    /// Bytecode instructions walked over.
    steps: usize,
    /// Number of open regions.
    nesting: usize,
    /// Number of open calls, counting the main program.
    calls: usize,
    /// The open constructs that `break`, `continue` and `ret` may belong to, innermost last.
    frames: Vec<Frame>,
    callees: HashMap<FunctionName, Callee>,
}

/// A subroutine to inline.
#[derive(Clone)]
struct Callee {
    /// Its items, without the final `ret`.
    items: Range<usize>,
    /// Set if there is another `ret` among them.
    returns_early: bool,
}

impl Callee {
    fn new(program: &ValidProgram, mut items: Range<usize>) -> Self {
        let op = |position| program.instruction(position).map(|instruction: &Instruction| instruction.op);
        if items.clone().next_back().and_then(op) == Some(Opcode::Ret) {
            items.end -= 1;
        }
        let returns_early = items.clone().filter_map(op).any(|op| matches!(op, Opcode::Ret | Opcode::RetC));
        Self { items, returns_early }
    }
}

#[derive(Clone, Copy)]
enum Frame {
    Loop(Inst),
    Switch(Inst),
    /// A callee, with the switch around its body that an early `ret` leaves.
    Call(Option<Inst>),
}

impl FlowState {
    pub(super) fn new(program: &ValidProgram) -> Self {
        let functions = program.flow().functions.iter();
        let callees = functions.map(|function| (function.name, Callee::new(program, function.items.clone())));
        // The main program of other stages counts as a call.
        let calls = usize::from(program.stage() == Stage::Compute);
        Self { next: 0, steps: 0, nesting: 0, calls, frames: Vec::new(), callees: callees.collect() }
    }
}

/// The items of a switch from one label to the next.
struct Segment {
    value: Option<u32>,
    items: Range<usize>,
}

impl Translator<'_, '_> {
    /// The main program.
    pub(super) fn main(&mut self) -> Result {
        let program = self.program;
        let main = program.flow().main.clone();
        if self.b.func.interface.stage.signature().is_none() {
            self.block(main)?;
        } else if self.stage.hull.is_some() {
            self.phases()?;
        } else {
            self.derive_inputs()?;
            self.prepare_evaluations()?;
            self.begin_emission();
            let mut main = Callee::new(program, main);
            main.returns_early |= self.stage.geometry.as_ref().is_some_and(|emission| emission.may_reach_most);
            // However it ends, its outputs are written.
            self.inline_items(main)?;
        }
        if !self.b.is_terminated() {
            self.finish_outputs();
            self.b.return_();
        }
        Ok(())
    }

    /// Translates a section of the program, which its `ret` ends.
    pub(super) fn section(&mut self, items: Range<usize>) -> Result {
        self.inline_items(Callee::new(self.program, items))
    }

    /// Translates the instructions of a range, up to the first that ends the block.
    fn block(&mut self, items: Range<usize>) -> Result {
        let program = self.program;
        self.flow.next = items.start;
        while self.flow.next < items.end && !self.b.is_terminated() {
            let position = self.flow.next;
            self.flow.next += 1;
            if let Some(instruction) = program.instruction(position) {
                self.begin(instruction.at, instruction.op.text())?;
                self.instruction(position, instruction)?;
            } else if let Some((at, message)) = program.message(position) {
                self.begin(at, message.kind.text())?;
                self.message(message)?;
            }
        }
        Ok(())
    }

    /// Counts an instruction against the limits before its translation.
    fn begin(&mut self, at: u32, name: &'static str) -> Result {
        (self.at, self.name) = (at, name);
        self.flow.steps += 1;
        let limit = self.options.max_instructions;
        if self.flow.steps + self.b.func.inst_count() > limit {
            return Err(TranslateError::TooLarge { at: self.at, limit });
        }
        self.b.set_origin(Origin(at));
        self.b.set_precise(false);
        Ok(())
    }

    /// Fills a region, and yields at its end unless it is terminated.
    pub(super) fn fill(&mut self, region: Region, body: impl FnOnce(&mut Self) -> Result) -> Result {
        let limit = self.options.max_nesting;
        if self.flow.nesting >= limit {
            return Err(TranslateError::TooDeep { at: self.at, limit });
        }
        self.flow.nesting += 1;
        let outer = self.b.switch_to(region);
        body(self)?;
        self.b.leave(outer);
        self.flow.nesting -= 1;
        Ok(())
    }

    /// Like [`Self::fill`], inside of a construct that `break`, `continue` or `ret` may belong to.
    fn fill_in(&mut self, frame: Frame, region: Region, body: impl FnOnce(&mut Self) -> Result) -> Result {
        self.flow.frames.push(frame);
        self.fill(region, body)?;
        self.flow.frames.pop();
        Ok(())
    }

    fn misplaced(&self) -> TranslateError {
        TranslateError::Flow { name: self.name, at: self.at }
    }

    /// The condition of `if`, `breakc` and the like.
    pub(super) fn condition(&mut self, operand: &Operand, test: Test) -> Result<Value> {
        let value = self.read_one(operand, SourceType::Int)?;
        let zero = self.b.i32(0);
        let op = match test {
            Test::Zero => Op::IEq,
            Test::NonZero => Op::INe,
        };
        Ok(self.b.op(op, &[value, zero]))
    }

    pub(super) fn if_(&mut self, position: usize, instruction: &Instruction) -> Result {
        let program = self.program;
        let Some(&Construct::If { otherwise, end }) = program.flow().construct(position) else {
            return Err(self.misplaced());
        };
        let [operand] = self.operands(instruction)?;
        let cond = self.condition(operand, instruction.test)?;
        let (_, then_region, else_region) = self.b.if_else(cond, &[]);
        self.fill(then_region, |t| t.block(position + 1..otherwise.unwrap_or(end)))?;
        self.fill(else_region, |t| match otherwise {
            Some(otherwise) => t.block(otherwise + 1..end),
            None => Ok(()),
        })?;
        self.flow.next = end + 1;
        Ok(())
    }

    pub(super) fn loop_(&mut self, position: usize) -> Result {
        let program = self.program;
        let Some(&Construct::Loop { end }) = program.flow().construct(position) else {
            return Err(self.misplaced());
        };
        let (inst, body) = self.b.loop_(&[]);
        self.fill_in(Frame::Loop(inst), body, |t| t.block(position + 1..end))?;
        self.flow.next = end + 1;
        Ok(())
    }

    /// Translates a switch. Labels without code between them share an arm; an arm that falls through to the next one
    /// repeats its code, which Direct3D 10 allowed and no compiler writes.
    pub(super) fn switch(&mut self, position: usize, instruction: &Instruction) -> Result {
        let program = self.program;
        let Some(Construct::Switch { cases, end }) = program.flow().construct(position) else {
            return Err(self.misplaced());
        };
        let [operand] = self.operands(instruction)?;
        let selector = self.read_one(operand, SourceType::Int)?;

        let ends = cases.iter().skip(1).map(|case| case.position).chain([*end]);
        let segments: Vec<Segment> = cases
            .iter()
            .zip(ends)
            .map(|(case, next)| Segment { value: case.value, items: case.position + 1..next })
            .collect();

        // An arm: its labels and the first segment with code.
        let mut arms: Vec<(Vec<u32>, usize)> = Vec::new();
        let mut default_segment = None;
        let mut seen = std::collections::HashSet::new();
        let (mut labels, mut is_default) = (Vec::new(), false);
        for (n, segment) in segments.iter().enumerate() {
            match segment.value {
                // The first of two equal labels counts.
                Some(value) if seen.insert(value) => labels.push(value),
                Some(_) => {}
                None => is_default = true,
            }
            let is_last = n + 1 == segments.len();
            if is_last || self.has_instructions(&segment.items) {
                let labels = std::mem::take(&mut labels);
                if std::mem::take(&mut is_default) {
                    // Labels next to `default` go where every other value goes.
                    default_segment = Some(n);
                } else if !labels.is_empty() {
                    arms.push((labels, n));
                }
            }
        }

        let (labels, first_segments): (Vec<_>, Vec<_>) = arms.into_iter().unzip();
        let (inst, regions, default) = self.b.switch(selector, labels, &[]);
        let starts = first_segments.into_iter().map(Some).chain([default_segment]);
        for (region, start) in regions.into_iter().chain([default]).zip(starts) {
            self.fill_in(Frame::Switch(inst), region, |t| {
                for segment in start.and_then(|start| segments.get(start..)).unwrap_or_default() {
                    if t.b.is_terminated() {
                        break;
                    }
                    t.block(segment.items.clone())?;
                }
                Ok(())
            })?;
        }
        self.flow.next = end + 1;
        Ok(())
    }

    fn has_instructions(&self, items: &Range<usize>) -> bool {
        let items = self.program.items().get(items.clone()).unwrap_or_default();
        items.iter().any(|item| match &item.kind {
            ItemKind::Instruction(instruction) => !matches!(instruction.op, Opcode::Nop | Opcode::DebugBreak),
            ItemKind::CustomData(data) => matches!(data.content, CustomContent::Message(_)),
            ItemKind::Declaration(_) => false,
        })
    }

    /// Does something only if the condition of `breakc` and the like holds.
    fn where_(&mut self, operand: &Operand, test: Test, action: impl FnOnce(&mut Self) -> Result) -> Result {
        let cond = self.condition(operand, test)?;
        self.when(cond, action)
    }

    /// Does something only where a condition holds.
    pub(super) fn when(&mut self, cond: Value, action: impl FnOnce(&mut Self) -> Result) -> Result {
        let (_, then_region, else_region) = self.b.if_else(cond, &[]);
        self.fill(then_region, action)?;
        self.fill(else_region, |_| Ok(()))
    }

    pub(super) fn break_(&mut self) -> Result {
        let target = match self.flow.frames.last() {
            Some(&(Frame::Loop(inst) | Frame::Switch(inst))) => inst,
            Some(Frame::Call(_)) | None => return Err(self.misplaced()),
        };
        self.b.break_(target, &[]);
        Ok(())
    }

    /// Translates `continue`; within a switch it belongs to the loop around it.
    pub(super) fn continue_(&mut self) -> Result {
        for frame in self.flow.frames.iter().rev() {
            match *frame {
                Frame::Loop(inst) => {
                    self.b.continue_(inst, &[]);
                    return Ok(());
                }
                Frame::Switch(_) => {}
                Frame::Call(_) => break,
            }
        }
        Err(self.misplaced())
    }

    pub(super) fn ret(&mut self) -> Result {
        let call = self.flow.frames.iter().rev().find_map(|frame| match *frame {
            Frame::Call(inst) => Some(inst),
            Frame::Loop(_) | Frame::Switch(_) => None,
        });
        match call {
            None => self.b.return_(),
            Some(Some(inst)) => self.b.break_(inst, &[]),
            Some(None) => return Err(self.misplaced()),
        }
        Ok(())
    }

    /// Ends the main program, from within calls too.
    pub(super) fn end(&mut self) -> Result {
        match self.flow.frames.first() {
            Some(&Frame::Call(Some(main))) => self.b.break_(main, &[]),
            _ => return Err(self.misplaced()),
        }
        Ok(())
    }

    pub(super) fn breakc(&mut self, instruction: &Instruction) -> Result {
        let [operand] = self.operands(instruction)?;
        self.where_(operand, instruction.test, Self::break_)
    }

    pub(super) fn continuec(&mut self, instruction: &Instruction) -> Result {
        let [operand] = self.operands(instruction)?;
        self.where_(operand, instruction.test, Self::continue_)
    }

    pub(super) fn retc(&mut self, instruction: &Instruction) -> Result {
        let [operand] = self.operands(instruction)?;
        self.where_(operand, instruction.test, Self::ret)
    }

    pub(super) fn call(&mut self, instruction: &Instruction) -> Result {
        let [label] = self.operands(instruction)?;
        self.inline(self.label(label)?)
    }

    pub(super) fn callc(&mut self, instruction: &Instruction) -> Result {
        let [operand, label] = self.operands(instruction)?;
        self.where_(operand, instruction.test, |t| t.inline(t.label(label)?))
    }

    fn label(&self, operand: &Operand) -> Result<FunctionName> {
        Ok(FunctionName::Label(self.number(operand, 0)?))
    }

    /// Inlines a function at its call.
    pub(super) fn inline(&mut self, name: FunctionName) -> Result {
        let Some(callee) = self.flow.callees.get(&name) else { return Err(self.bad_operand(name.to_string())) };
        let callee = callee.clone();
        self.inline_items(callee)
    }

    fn inline_items(&mut self, callee: Callee) -> Result {
        if !callee.returns_early {
            return self.callee_items(callee.items, None);
        }
        let selector = self.b.i32(0);
        let (inst, _, body) = self.b.switch(selector, Vec::new(), &[]);
        self.fill(body, |t| t.callee_items(callee.items, Some(inst)))
    }

    /// `true` if a function may write a component of a temporary register, itself or through its callees.
    pub(super) fn writes(&self, name: FunctionName, register: u32, component: usize) -> bool {
        let Some(callee) = self.flow.callees.get(&name) else { return true };
        let is_it = |to: &Operand| {
            to.file == RegisterFile::Temp && to.index_u32(0) == Some(register) && to.mask() >> component & 1 != 0
        };
        callee.items.clone().filter_map(|position| self.program.instruction(position)).any(|instruction| {
            matches!(instruction.op, Opcode::Call | Opcode::CallC | Opcode::FCall)
                || instruction.destinations().any(is_it)
        })
    }

    /// Translates the body of a function. A `ret` before its end leaves `exit`, which encloses it.
    pub(super) fn callee(&mut self, name: FunctionName, exit: Option<Inst>) -> Result {
        let Some(callee) = self.flow.callees.get(&name) else { return Err(self.bad_operand(name.to_string())) };
        let items = callee.items.clone();
        self.callee_items(items, exit)
    }

    fn callee_items(&mut self, items: Range<usize>, exit: Option<Inst>) -> Result {
        if self.flow.calls > CALL_DEPTH {
            return Ok(());
        }
        let resume = self.flow.next;
        self.flow.calls += 1;
        self.flow.frames.push(Frame::Call(exit));
        self.block(items)?;
        self.flow.frames.pop();
        self.flow.calls -= 1;
        self.flow.next = resume;
        Ok(())
    }
}
