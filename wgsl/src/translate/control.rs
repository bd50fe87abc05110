//! Statements: each construct is one instruction of the IR without results; values travel in slots.
//!
//! A `continue` to a `continuing` block leaves a switch around the body, its only arm, which that block follows. What the
//! block needs from the body is carried in slots.

use brolga_ir::Op;
use brolga_ir::entity::{Inst, LocalId, Region};
use brolga_ir::function::{AtomicOp, Sync};
use naga::{AtomicFunction, Barrier, Block, Expression, Handle, ScalarKind, Statement, SwitchCase, SwitchValue};
use smallvec::smallvec;

use super::memory::atomic_op;
use super::types::Shape;
use super::{Result, Translator, Val};
use crate::error::Quantity;

/// The state of the walk over statements.
#[derive(Debug, Default)]
pub(super) struct Flow {
    /// Statements and expressions that were walked over.
    pub steps: usize,
    /// Open calls.
    pub calls: usize,
    /// Open loops.
    pub loops: usize,
    /// Private arrays that no variable has at present.
    pub free_arrays: Vec<LocalId>,
    /// Open regions.
    nesting: usize,
    /// The open constructs of the function that `break` and `continue` may belong to, innermost last.
    jumps: Vec<Jump>,
}

/// A construct that statements leave.
#[derive(Clone, Copy, Debug)]
enum Jump {
    /// A loop, and the switch around its body, if there is one.
    Loop(Inst, Option<Inst>),
    Switch(Inst),
}

impl Flow {
    /// Hides the constructs around a call; returns them.
    pub fn enter_function(&mut self) -> Jumps {
        Jumps(std::mem::take(&mut self.jumps))
    }

    /// Shows them again.
    pub fn leave_function(&mut self, outer: Jumps) {
        self.jumps = outer.0;
    }
}

/// The constructs around a call.
pub(super) struct Jumps(Vec<Jump>);

impl<'m> Translator<'m, '_> {
    /// Translates the statements of a block, up to the first that ends it.
    pub(super) fn block(&mut self, block: &'m Block) -> Result {
        for (statement, span) in block.span_iter() {
            if self.b.is_terminated() {
                break;
            }
            self.come_from(*span);
            self.flow.steps += 1;
            self.reserve(0)?;
            self.statement(statement)?;
        }
        Ok(())
    }

    /// Fills a region, and yields at its end unless it is terminated.
    pub(super) fn fill(&mut self, region: Region, body: impl FnOnce(&mut Self) -> Result) -> Result {
        let most = self.options.limits.statement_depth as u64;
        self.flow.nesting += 1;
        self.check(Quantity::StatementDepth, self.flow.nesting as u64, most)?;
        let outer = self.b.switch_to(region);
        body(self)?;
        self.b.leave(outer);
        self.flow.nesting -= 1;
        Ok(())
    }

    fn statement(&mut self, statement: &'m Statement) -> Result {
        match *statement {
            Statement::Emit(ref range) => range.clone().try_for_each(|expression| self.emit(expression)),
            Statement::Block(ref block) => self.block(block),
            Statement::If { condition, ref accept, ref reject } => {
                let condition = self.word(condition)?;
                let (_, then_region, else_region) = self.b.if_else(condition, &[]);
                self.fill(then_region, |t| t.block(accept))?;
                self.fill(else_region, |t| t.block(reject))
            }
            Statement::Switch { selector, ref cases } => self.switch(selector, cases),
            Statement::Loop { ref body, ref continuing, break_if } => self.loop_(body, continuing, break_if),
            Statement::Break => self.break_(),
            Statement::Continue => self.continue_(),
            Statement::Return { value } => self.return_(value),
            Statement::ControlBarrier(barrier) => self.barrier(barrier, true),
            Statement::MemoryBarrier(barrier) => self.barrier(barrier, false),
            Statement::Store { pointer, value } => {
                let place = self.place(pointer)?;
                if self.is_atomic(pointer) {
                    let value = self.word(value)?;
                    return self.atomic(&place, AtomicOp::Exchange, value, None).map(|_| ());
                }
                self.assign(&place, value)
            }
            Statement::Atomic { pointer, ref fun, value, result } => self.update(pointer, fun, value, result),
            Statement::WorkGroupUniformLoad { pointer, result } => {
                let sync = Sync { threads: true, shared: true, ..Sync::default() };
                self.b.barrier(sync);
                let place = self.place(pointer)?;
                let words = match self.is_atomic(pointer) {
                    true => smallvec![self.atomic_load(&place)?],
                    false => self.load(&place)?,
                };
                self.b.barrier(sync);
                self.learn(result, Val::Words(words));
                Ok(())
            }
            Statement::Call { function, ref arguments, result } => self.call(function, arguments, result),
            Statement::ImageStore { image, coordinate, array_index, value } => {
                self.image_store(image, coordinate, array_index, value)
            }
            Statement::ImageAtomic { image, coordinate, array_index, ref fun, value } => {
                self.image_atomic(image, coordinate, array_index, fun, value)
            }
            Statement::Kill => self.unsupported("discard"),
            Statement::RayQuery { .. } => self.unsupported("a ray query"),
            Statement::RayPipelineFunction(_) => self.unsupported("a ray tracing pipeline"),
            Statement::SubgroupBallot { .. }
            | Statement::SubgroupGather { .. }
            | Statement::SubgroupCollectiveOperation { .. } => self.unsupported("a subgroup operation"),
            Statement::CooperativeStore { .. } => self.unsupported("a cooperative matrix"),
        }
    }

    /// Writes the value of an expression to a place.
    pub(super) fn assign(&mut self, place: &super::Place<'m>, value: Handle<Expression>) -> Result {
        match self.value(value)? {
            Val::Zero => self.store_zero(place),
            Val::Words(words) => self.store(place, &words).map(|_| ()),
            Val::Place(_) | Val::Resource(_) => Err(self.internal("a pointer is stored")),
        }
    }

    fn loop_(&mut self, body: &'m Block, continuing: &'m Block, break_if: Option<Handle<Expression>>) -> Result {
        let (inst, region) = self.b.loop_(&[]);
        self.flow.loops += 1;
        self.fill(region, |t| {
            let has_more = !continuing.is_empty() || break_if.is_some();
            if has_more && continues(body) {
                let outer = std::mem::take(&mut t.frame.carried);
                evaluated(body, &mut |expression| _ = t.frame.carried.insert(expression, None));
                let selector = t.b.i32(0);
                let (switch, _, arm) = t.b.switch(selector, Vec::new(), &[]);
                t.flow.jumps.push(Jump::Loop(inst, Some(switch)));
                t.fill(arm, |t| t.block(body))?;
                let carried = std::mem::replace(&mut t.frame.carried, outer);
                t.recall(carried);
            } else {
                t.flow.jumps.push(Jump::Loop(inst, None));
                t.block(body)?;
            }
            if !t.b.is_terminated() {
                t.block(continuing)?;
                if let Some(condition) = break_if {
                    let condition = t.word(condition)?;
                    t.b.when(condition, |b| b.break_(inst, &[]));
                }
            }
            t.flow.jumps.pop();
            Ok(())
        })?;
        self.flow.loops -= 1;
        Ok(())
    }

    fn break_(&mut self) -> Result {
        let target = match self.flow.jumps.last() {
            Some(&(Jump::Loop(inst, _) | Jump::Switch(inst))) => inst,
            None => return Err(self.internal("a break outside of loops")),
        };
        self.b.break_(target, &[]);
        Ok(())
    }

    fn continue_(&mut self) -> Result {
        let loops = self.flow.jumps.iter().rev().find_map(|jump| match *jump {
            Jump::Loop(inst, switch) => Some((inst, switch)),
            Jump::Switch(_) => None,
        });
        match loops {
            Some((_, Some(switch))) => self.b.break_(switch, &[]),
            Some((inst, None)) => self.b.continue_(inst, &[]),
            None => return Err(self.internal("a continue outside of loops")),
        }
        Ok(())
    }

    fn switch(&mut self, selector: Handle<Expression>, cases: &'m [SwitchCase]) -> Result {
        let selector = self.word(selector)?;
        // An arm has the labels of those before it that fall through to it.
        let (mut arms, mut default) = (Vec::new(), None);
        let (mut labels, mut is_default) = (Vec::new(), false);
        for case in cases {
            match case.value {
                SwitchValue::I32(value) => labels.push(value as u32),
                SwitchValue::U32(value) => labels.push(value),
                SwitchValue::Default => is_default = true,
            }
            if case.fall_through && case.body.is_empty() {
                continue;
            }
            if case.fall_through {
                return self.unsupported("a case that falls through");
            }
            let labels = std::mem::take(&mut labels);
            if std::mem::take(&mut is_default) {
                // The labels beside `default` go where all others go.
                default = Some(&case.body);
            } else {
                arms.push((labels, &case.body));
            }
        }
        let (labels, bodies): (Vec<_>, Vec<_>) = arms.into_iter().unzip();
        let (inst, regions, default_region) = self.b.switch(selector, labels, &[]);
        self.flow.jumps.push(Jump::Switch(inst));
        for (region, body) in regions.into_iter().zip(bodies) {
            self.fill(region, |t| t.block(body))?;
        }
        self.fill(default_region, |t| default.map_or(Ok(()), |body| t.block(body)))?;
        self.flow.jumps.pop();
        Ok(())
    }

    fn barrier(&mut self, barrier: Barrier, threads: bool) -> Result {
        if barrier.contains(Barrier::SUB_GROUP) {
            return self.unsupported("a subgroup barrier");
        }
        let views_group = barrier.intersects(Barrier::STORAGE | Barrier::TEXTURE);
        let shared = barrier.contains(Barrier::WORK_GROUP);
        self.b.barrier(Sync { threads, shared, views_group, views_global: false });
        Ok(())
    }

    /// An atomic operation on memory.
    fn update(
        &mut self,
        pointer: Handle<Expression>,
        fun: &AtomicFunction,
        value: Handle<Expression>,
        result: Option<Handle<Expression>>,
    ) -> Result {
        let place = self.place(pointer)?;
        let Shape::Scalar(scalar) = place.shape else { return Err(self.internal("an atomic is no scalar")) };
        self.scalar_type(scalar)?;
        if scalar.kind == ScalarKind::Float {
            return self.unsupported("an atomic f32");
        }
        let (operand, compare) = self.atomic_operands(fun, value)?;
        let before = self.atomic(&place, atomic_op(fun, scalar), operand, compare)?;
        if let Some(result) = result {
            let mut words = smallvec![before];
            if let Some(compare) = compare {
                words.push(self.b.op(Op::IEq, &[before, compare]));
            }
            self.learn(result, Val::Words(words));
        }
        Ok(())
    }
}

/// `true` if a block continues the loop around it.
fn continues(block: &Block) -> bool {
    block.iter().any(|statement| match statement {
        Statement::Continue => true,
        Statement::Block(inner) => continues(inner),
        Statement::If { accept, reject, .. } => continues(accept) || continues(reject),
        Statement::Switch { cases, .. } => cases.iter().any(|case| continues(&case.body)),
        _ => false,
    })
}

/// Calls `f` with the expressions that a block evaluates and that code behind it may use.
fn evaluated(block: &Block, f: &mut impl FnMut(Handle<Expression>)) {
    for statement in block {
        match *statement {
            Statement::Emit(ref range) => range.clone().for_each(&mut *f),
            Statement::Call { result: Some(result), .. }
            | Statement::Atomic { result: Some(result), .. }
            | Statement::WorkGroupUniformLoad { result, .. } => f(result),
            _ => {}
        }
    }
}
