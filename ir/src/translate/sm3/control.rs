//! Walks over the items of a program: blocks, constructs, calls.
//!
//! A loop carries its counters as parameters; registers travel in slots. Code after a terminator in its block is
//! unreachable and is dropped. Calls are inlined: they go forward only, and `ret` stands at the end of a subroutine, so
//! that there is nothing to leave early.

use std::collections::HashMap;
use std::ops::Range;

use brolga_bytecode::sm3::{
    Comparison, Instruction, ItemKind, Op as Opcode, Operand, Register, RegisterFile, ValidProgram,
};
use smallvec::SmallVec;

use super::super::vector::lanes;
use super::{Result, TranslateError, Translator};
use crate::entity::{Inst, Region, Value};
use crate::function::Origin;
use crate::ops::Op;

/// The most iterations of a loop.
const MOST_ITERATIONS: u32 = 255;

/// The state of the walk.
pub(super) struct FlowState {
    /// Index of the next item.
    next: usize,
    /// Bytecode instructions walked over.
    steps: usize,
    /// Number of open regions.
    nesting: usize,
    loops: Vec<Loop>,
    /// Positions of the `else` and the end of each construct, by the position that opens it.
    ends: HashMap<usize, (Option<usize>, usize)>,
    main: Range<usize>,
    subroutines: HashMap<Register, Range<usize>>,
}

/// An open loop.
struct Loop {
    inst: Inst,
    /// Its parameters: the remaining iterations, and aL for `loop`.
    counters: SmallVec<[Value; 2]>,
}

impl FlowState {
    pub(super) fn new(program: &ValidProgram) -> Self {
        let items = &program.program().items;
        let mut state = Self {
            next: 0,
            steps: 0,
            nesting: 0,
            loops: Vec::new(),
            ends: HashMap::new(),
            main: 0..items.len(),
            subroutines: HashMap::new(),
        };
        let mut open: Vec<(usize, Option<usize>)> = Vec::new();
        let mut subroutine: Option<(Register, usize)> = None;
        for (position, item) in items.iter().enumerate() {
            let ItemKind::Instruction(instruction) = &item.kind else { continue };
            match instruction.op {
                Opcode::If | Opcode::IfC | Opcode::Loop | Opcode::Rep => open.push((position, None)),
                Opcode::Else => {
                    if let Some((_, otherwise)) = open.last_mut() {
                        *otherwise = Some(position);
                    }
                }
                Opcode::EndIf | Opcode::EndLoop | Opcode::EndRep => {
                    if let Some((start, otherwise)) = open.pop() {
                        state.ends.insert(start, (otherwise, position));
                    }
                }
                Opcode::Label => {
                    state.close(subroutine, position);
                    subroutine = instruction.operands.first().map(|label| (label.register(), position + 1));
                }
                _ => {}
            }
        }
        state.close(subroutine, items.len());
        state
    }

    /// Ends a subroutine, or the main program.
    fn close(&mut self, subroutine: Option<(Register, usize)>, end: usize) {
        match subroutine {
            Some((label, start)) => _ = self.subroutines.insert(label, start..end),
            None => self.main = 0..end,
        }
    }

    /// aL of the innermost `loop`.
    pub(super) fn counter(&self) -> Option<Value> {
        self.loops.iter().rev().find_map(|open| open.counters.get(1).copied())
    }
}

impl Translator<'_, '_> {
    /// The main program.
    pub(super) fn main(&mut self) -> Result {
        self.derive_inputs();
        self.begin_outputs();
        let main = self.flow.main.clone();
        self.block(main)?;
        self.finish_outputs();
        self.b.return_();
        Ok(())
    }

    /// Translates the instructions of a range, up to the first that ends the block.
    fn block(&mut self, items: Range<usize>) -> Result {
        let program = self.program;
        let all = &program.program().items;
        self.flow.next = items.start;
        while self.flow.next < items.end && !self.b.is_terminated() {
            let position = self.flow.next;
            self.flow.next += 1;
            let Some(item) = all.get(position) else { break };
            let ItemKind::Instruction(instruction) = &item.kind else { continue };
            self.begin(item.at, instruction)?;
            if is_paired_with_next(all.get(position + 1).map(|item| &item.kind)) {
                self.paired = Some(Vec::new());
            }
            self.instruction(position, instruction)?;
            if instruction.coissue {
                for (slot, value) in self.paired.take().unwrap_or_default() {
                    self.registers.set(&mut self.b, slot, value);
                }
            }
        }
        Ok(())
    }

    /// Counts an instruction against the limits before its translation.
    fn begin(&mut self, at: u32, instruction: &Instruction) -> Result {
        self.at = at;
        self.name = instruction.op.text();
        self.predicate = instruction.predicate;
        self.flow.steps += 1;
        let limit = self.options.max_instructions;
        if self.flow.steps + self.b.func.inst_count() > limit {
            return Err(TranslateError::TooLarge { at: self.at, limit });
        }
        self.b.set_origin(Origin(at));
        Ok(())
    }

    /// Fills a region, and yields at its end unless it is terminated.
    fn fill(&mut self, region: Region, body: impl FnOnce(&mut Self) -> Result) -> Result {
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

    fn misplaced(&self) -> TranslateError {
        TranslateError::Flow { name: self.name, at: self.at }
    }

    /// The positions of the `else` and the end of the construct that an instruction opens.
    fn ends(&self, position: usize) -> Result<(Option<usize>, usize)> {
        self.flow.ends.get(&position).copied().ok_or_else(|| self.misplaced())
    }

    /// `if` with a boolean, a predicate or a comparison.
    pub(super) fn if_(&mut self, position: usize, instruction: &Instruction) -> Result {
        let (otherwise, end) = self.ends(position)?;
        let cond = self.condition(instruction)?;
        let (_, then_region, else_region) = self.b.if_else(cond, &[]);
        self.fill(then_region, |t| t.block(position + 1..otherwise.unwrap_or(end)))?;
        self.fill(else_region, |t| match otherwise {
            Some(otherwise) => t.block(otherwise + 1..end),
            None => Ok(()),
        })?;
        self.flow.next = end + 1;
        Ok(())
    }

    /// The condition of an instruction: its last operand, or the comparison of two.
    fn condition(&mut self, instruction: &Instruction) -> Result<Value> {
        if let Some(comparison) = instruction.comparison {
            let [left, right] = self.operands(instruction)?;
            let (left, right) = (self.read_one(left)?, self.read_one(right)?);
            return Ok(self.compare(comparison, left, right));
        }
        let Some(operand) = instruction.operands.last() else { return Err(self.wrong_count()) };
        let source = self.source(operand)?;
        if source.register.file == RegisterFile::Predicate {
            return self.predicate_component(source, 0);
        }
        let value = self.boolean(source.register);
        Ok(self.negated_condition(source, value))
    }

    /// Compares two floats. Only `ne` holds with a NaN.
    pub(super) fn compare(&mut self, comparison: Comparison, left: Value, right: Value) -> Value {
        let (op, args) = match comparison {
            Comparison::Greater => (Op::FLt, [right, left]),
            Comparison::Equal => (Op::FEq, [left, right]),
            Comparison::GreaterEqual => (Op::FGe, [left, right]),
            Comparison::Less => (Op::FLt, [left, right]),
            Comparison::NotEqual => (Op::FNe, [left, right]),
            Comparison::LessEqual => (Op::FGe, [right, left]),
        };
        self.b.op(op, &args)
    }

    /// `loop` and `rep`: the integer's x is the number of iterations; aL starts at its y, and grows by its z.
    pub(super) fn loop_(&mut self, position: usize, instruction: &Instruction) -> Result {
        let (_, end) = self.ends(position)?;
        let Some(integer) = instruction.operands.last().map(Operand::register) else { return Err(self.wrong_count()) };
        let (least, most) = (self.b.i32(0), self.b.i32(MOST_ITERATIONS));
        let count = self.integer(integer, 0);
        let count = self.fold(Op::SMax, &[count, least]);
        let count = self.fold(Op::SMin, &[count, most]);
        let mut steps: SmallVec<[Value; 2]> = SmallVec::from_slice(&[self.b.i32(u32::MAX)]);
        let mut inits: SmallVec<[Value; 2]> = SmallVec::from_slice(&[count]);
        if instruction.op == Opcode::Loop {
            inits.push(self.integer(integer, 1));
            steps.push(self.integer(integer, 2));
        }
        let (inst, body) = self.b.loop_(&inits);
        let counters: SmallVec<[Value; 2]> = SmallVec::from_slice(&self.b.func.region(body).params);
        self.flow.loops.push(Loop { inst, counters: counters.clone() });
        self.fill(body, |t| {
            let zero = t.b.i32(0);
            let is_over = t.b.op(Op::IEq, &[counters[0], zero]);
            t.where_(is_over, Self::break_)?;
            t.block(position + 1..end)?;
            if !t.b.is_terminated() {
                let next = counters.iter().zip(&steps).map(|(&counter, &step)| t.b.op(Op::IAdd, &[counter, step]));
                let next: SmallVec<[Value; 2]> = next.collect();
                t.b.continue_(inst, &next);
            }
            Ok(())
        })?;
        self.flow.loops.pop();
        self.flow.next = end + 1;
        Ok(())
    }

    /// Does something only where a condition holds.
    fn where_(&mut self, cond: Value, action: impl FnOnce(&mut Self) -> Result) -> Result {
        let (_, then_region, else_region) = self.b.if_else(cond, &[]);
        self.fill(then_region, action)?;
        self.fill(else_region, |_| Ok(()))
    }

    pub(super) fn break_(&mut self) -> Result {
        let Some(Loop { inst, counters }) = self.flow.loops.last() else { return Err(self.misplaced()) };
        self.b.break_(*inst, counters);
        Ok(())
    }

    /// `break` with a comparison or a predicate.
    pub(super) fn break_where(&mut self, instruction: &Instruction) -> Result {
        let cond = self.condition(instruction)?;
        self.where_(cond, Self::break_)
    }

    pub(super) fn call(&mut self, instruction: &Instruction) -> Result {
        let Some(label) = instruction.operands.first().map(Operand::register) else { return Err(self.wrong_count()) };
        let Some(items) = self.flow.subroutines.get(&label).cloned() else { return Err(self.bad_operand(label)) };
        let resume = self.flow.next;
        self.block(items)?;
        self.flow.next = resume;
        Ok(())
    }

    pub(super) fn call_where(&mut self, instruction: &Instruction) -> Result {
        let cond = self.condition(instruction)?;
        self.where_(cond, |t| t.call(instruction))
    }

    /// `setp`
    pub(super) fn setp(&mut self, instruction: &Instruction) -> Result {
        let [destination, left, right] = self.operands(instruction)?;
        let destination = self.destination(destination)?;
        let Some(comparison) = instruction.comparison else { return Err(self.wrong_count()) };
        let (left, right) = (self.source(left)?, self.source(right)?);
        let (left, right) = (self.read(left, destination.mask)?, self.read(right, destination.mask)?);
        for lane in lanes(destination.mask) {
            let holds = self.compare(comparison, left.at(lane), right.at(lane));
            self.assign(destination.register, lane, holds)?;
        }
        Ok(())
    }
}

/// `true` if an item is an instruction that is co-issued with the one before it.
fn is_paired_with_next(next: Option<&ItemKind>) -> bool {
    matches!(next, Some(ItemKind::Instruction(instruction)) if instruction.coissue)
}
