//! Writes instructions into a function in sequence, at a cursor.
//!
//! The builder checks operand types in debug builds; the verifier is the full check. It folds nothing: passes do.

use smallvec::SmallVec;

use crate::entity::{Inst, MessageId, Region, Slot, Value};
use crate::function::{
    AtomicOp, Case, CounterOp, Element, Function, Input, InstKind, MemoryRef, Origin, Query, ResourceRef, Sync, Values,
};
use crate::ops::Op;
use crate::sampling::Sampling;
use crate::types::{Const, Type};

/// Appends instructions to one region of a function at a time.
pub struct Builder<'a> {
    /// The function being built.
    pub func: &'a mut Function,
    region: Region,
    origin: Origin,
    precise: bool,
}

impl<'a> Builder<'a> {
    /// A builder that appends to the function's body.
    pub fn new(func: &'a mut Function) -> Self {
        let region = func.body();
        Self { func, region, origin: Origin::default(), precise: false }
    }

    /// A builder that appends instructions of one origin to a region.
    pub(crate) fn at_end(func: &'a mut Function, region: Region, origin: Origin) -> Self {
        Self { func, region, origin, precise: false }
    }

    /// The region being built.
    pub fn region(&self) -> Region {
        self.region
    }

    /// Switches to another region; returns the previous one.
    pub fn switch_to(&mut self, region: Region) -> Region {
        std::mem::replace(&mut self.region, region)
    }

    /// Sets the origin of the following instructions.
    pub fn set_origin(&mut self, origin: Origin) {
        self.origin = origin;
    }

    /// Marks the following instructions as precise, or not.
    pub fn set_precise(&mut self, precise: bool) {
        self.precise = precise;
    }

    /// `true` if the region already ends in a terminator.
    pub fn is_terminated(&self) -> bool {
        let last = self.func.region(self.region).insts.last();
        last.is_some_and(|&inst| self.func.inst(inst).kind.is_terminator())
    }

    /// Appends an instruction with results of these types.
    pub fn inst(&mut self, kind: InstKind, results: &[Type]) -> Inst {
        debug_assert!(!self.is_terminated(), "nothing follows a terminator");
        let inst = self.func.add_inst(kind, results, self.origin);
        self.func.inst_mut(inst).precise = self.precise;
        self.func.region_mut(self.region).insts.push(inst);
        inst
    }

    fn one(&mut self, kind: InstKind, ty: Type) -> Value {
        let inst = self.inst(kind, &[ty]);
        self.func.inst(inst).results[0]
    }

    fn many<const N: usize>(&mut self, kind: InstKind) -> [Value; N] {
        let inst = self.inst(kind, &[Type::I32; N]);
        self.func.inst(inst).results[..].try_into().expect("as many results as asked for")
    }

    /// A constant.
    pub fn constant(&mut self, value: Const) -> Value {
        self.one(InstKind::Const(value), value.ty)
    }

    /// A 32-bit constant.
    pub fn i32(&mut self, value: u32) -> Value {
        self.constant(Const::i32(value))
    }

    /// A float constant.
    pub fn f32(&mut self, value: f32) -> Value {
        self.constant(Const::f32(value))
    }

    /// A constant condition.
    pub fn bool(&mut self, value: bool) -> Value {
        self.constant(Const::bool(value))
    }

    /// A pure operation.
    pub fn op(&mut self, op: Op, args: &[Value]) -> Value {
        debug_assert!(
            op.args().iter().copied().eq(args.iter().map(|&v| self.func.ty(v))),
            "{} takes {:?}, got {:?}",
            op.name(),
            op.args(),
            args.iter().map(|&v| self.func.ty(v)).collect::<Vec<_>>()
        );
        self.one(InstKind::Op { op, args: Values::from_slice(args) }, op.result())
    }

    /// The select for the values' type.
    pub fn select(&mut self, cond: Value, a: Value, b: Value) -> Value {
        self.op(Op::select(self.func.ty(a)), &[cond, a, b])
    }

    /// An input of the thread.
    pub fn input(&mut self, input: Input) -> Value {
        self.one(InstKind::Input(input), Type::I32)
    }

    /// Reads a slot.
    pub fn slot_get(&mut self, slot: Slot) -> Value {
        let ty = self.func.slot_type(slot);
        self.one(InstKind::SlotGet(slot), ty)
    }

    /// Writes a slot.
    pub fn slot_set(&mut self, slot: Slot, value: Value) {
        debug_assert_eq!(self.func.slot_type(slot), self.func.ty(value));
        self.inst(InstKind::SlotSet(slot, value), &[]);
    }

    /// Reads `count` consecutive words, 1 to 4.
    pub fn load(&mut self, place: MemoryRef, count: usize) -> SmallVec<[Value; 4]> {
        let inst = self.inst(InstKind::Load { place }, &[Type::I32; 4][..count]);
        SmallVec::from_slice(&self.func.inst(inst).results)
    }

    /// Writes consecutive words, 1 to 4.
    pub fn store(&mut self, place: MemoryRef, values: &[Value], effect: Value) {
        self.inst(InstKind::Store { place, values: Values::from_slice(values), effect }, &[]);
    }

    /// Read-modify-write of a word.
    pub fn atomic(
        &mut self,
        op: AtomicOp,
        place: MemoryRef,
        value: Value,
        compare: Option<Value>,
        effect: Value,
    ) -> Value {
        self.one(InstKind::Atomic { op, place, value, compare, effect }, Type::I32)
    }

    /// Changes a hidden counter.
    pub fn counter(&mut self, op: CounterOp, resource: ResourceRef, effect: Value) -> Value {
        self.one(InstKind::Counter { op, resource, effect }, Type::I32)
    }

    /// Reads a texel.
    pub fn texel_load(&mut self, resource: ResourceRef, coords: &[Value], level: Option<Value>) -> [Value; 4] {
        self.many(InstKind::TexelLoad { resource, coords: Values::from_slice(coords), level })
    }

    /// Writes a texel.
    pub fn texel_store(&mut self, resource: ResourceRef, coords: &[Value], values: [Value; 4], effect: Value) {
        let (coords, values) = (Values::from_slice(coords), Values::from_slice(&values));
        self.inst(InstKind::TexelStore { resource, coords, values, effect }, &[]);
    }

    /// Read-modify-write of a texel.
    pub fn texel_atomic(
        &mut self,
        op: AtomicOp,
        resource: ResourceRef,
        coords: &[Value],
        value: Value,
        compare: Option<Value>,
        effect: Value,
    ) -> Value {
        let coords = Values::from_slice(coords);
        self.one(InstKind::TexelAtomic { op, resource, coords, value, compare, effect }, Type::I32)
    }

    /// Queries a view.
    pub fn query(&mut self, query: Query, resource: ResourceRef, level: Option<Value>) -> [Value; 4] {
        self.many(InstKind::Query { query, resource, level })
    }

    /// Samples a texture. Operands are in the order of [`Sampling::args`].
    pub fn sample(
        &mut self,
        sampling: Sampling,
        texture: ResourceRef,
        sampler: ResourceRef,
        args: &[Value],
    ) -> [Value; 4] {
        self.many(InstKind::Sample { sampling, texture, sampler, args: Values::from_slice(args) })
    }

    /// Sends a message.
    pub fn message(&mut self, message: MessageId, values: &[Value], effect: Value) {
        self.inst(InstKind::Message { message, values: Values::from_slice(values), effect }, &[]);
    }

    /// A float's value in other threads of the quad.
    pub fn quad_read(&mut self, from: [u8; 4], value: Value) -> Value {
        self.one(InstKind::QuadRead { from, value }, Type::F32)
    }

    /// A condition that holds if another one does in all active threads of the packet.
    pub fn packet_all(&mut self, condition: Value) -> Value {
        self.one(InstKind::PacketAll(condition), Type::Bool)
    }

    /// A barrier.
    pub fn barrier(&mut self, sync: Sync) {
        self.inst(InstKind::Barrier(sync), &[]);
    }

    /// An `if` with two empty regions; fill and terminate both.
    pub fn if_else(&mut self, cond: Value, results: &[Type]) -> (Inst, Region, Region) {
        let (then_region, else_region) = (self.func.add_region(), self.func.add_region());
        let inst = self.inst(InstKind::If { cond, then_region, else_region }, results);
        (inst, then_region, else_region)
    }

    /// Builds an `if` without results, whose body runs where a condition holds.
    pub fn when(&mut self, cond: Value, body: impl FnOnce(&mut Self)) {
        let (_, then_region, else_region) = self.if_else(cond, &[]);
        let outer = self.switch_to(then_region);
        body(self);
        self.leave(else_region);
        self.yield_(&[]);
        self.switch_to(outer);
    }

    /// Ends the region, which has no results, unless it is terminated, and switches to another.
    pub fn leave(&mut self, next: Region) {
        if !self.is_terminated() {
            self.yield_(&[]);
        }
        self.switch_to(next);
    }

    /// A loop with an empty body; its parameters have the types of `inits`.
    pub fn loop_(&mut self, inits: &[Value]) -> (Inst, Region) {
        let types: SmallVec<[Type; 8]> = inits.iter().map(|&v| self.func.ty(v)).collect();
        let body = self.func.add_region();
        for &ty in &types {
            self.func.add_param(body, ty);
        }
        let inst = self.inst(InstKind::Loop { inits: Values::from_slice(inits), body }, &types);
        (inst, body)
    }

    /// A switch with empty arms for these label sets and an empty default arm.
    pub fn switch(
        &mut self,
        selector: Value,
        labels: Vec<Vec<u32>>,
        results: &[Type],
    ) -> (Inst, SmallVec<[Region; 8]>, Region) {
        let cases: Vec<Case> =
            labels.into_iter().map(|labels| Case { labels, region: self.func.add_region() }).collect();
        let regions = cases.iter().map(|case| case.region).collect();
        let default = self.func.add_region();
        let inst = self.inst(InstKind::Switch { selector, cases, default }, results);
        (inst, regions, default)
    }

    /// Ends the region with values for its owner.
    pub fn yield_(&mut self, args: &[Value]) {
        self.inst(InstKind::Yield(Values::from_slice(args)), &[]);
    }

    /// Leaves an enclosing loop or switch.
    pub fn break_(&mut self, target: Inst, args: &[Value]) {
        self.inst(InstKind::Break { target, args: Values::from_slice(args) }, &[]);
    }

    /// Continues with the next iteration of an enclosing loop.
    pub fn continue_(&mut self, target: Inst, args: &[Value]) {
        self.inst(InstKind::Continue { target, args: Values::from_slice(args) }, &[]);
    }

    /// Ends the thread.
    pub fn return_(&mut self) {
        self.inst(InstKind::Return, &[]);
    }
}

/// The single resource of a range.
pub fn only(id: crate::entity::ResourceId) -> ResourceRef {
    ResourceRef { id, element: Element::Fixed(0) }
}
