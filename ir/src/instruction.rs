//! Defines the kinds of instructions and their properties for passes and analyses: effects, operands and regions, the
//! values passed on and the constructs that receive them.
//!
//! [`function`](crate::function) reexports these names.

use smallvec::SmallVec;

use crate::entity::{Inst, MessageId, Region, Slot, Value};
use crate::operand::{AtomicOp, CounterOp, Element, Input, MemoryRef, Object, Query, ResourceRef, Sync};
use crate::ops::Op;
use crate::sampling::Sampling;
use crate::types::Const;

/// Operands of an instruction.
pub type Values = SmallVec<[Value; 4]>;

/// One arm of a switch.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Case {
    /// Selector values of this arm, not empty, each in one case only.
    pub labels: Vec<u32>,
    /// The arm.
    pub region: Region,
}

/// The kind of an instruction.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum InstKind {
    /// A constant.
    Const(Const),
    /// An input of the thread, such as its number: an `i32`.
    Input(Input),
    /// A pure operation.
    Op {
        /// The operation.
        op: Op,
        /// Operands.
        args: Values,
    },
    /// Reads a slot; only before SSA construction. A slot never written is zero.
    SlotGet(Slot),
    /// Writes a slot; only before SSA construction.
    SlotSet(Slot, Value),
    /// Reports that the register that a slot stood for has a value now; does nothing. For observers, at
    /// [`Level::Observed`](crate::passes::Level).
    Note(Slot, Value),

    /// Reads as many consecutive words as it has results.
    Load {
        /// The first word.
        place: MemoryRef,
    },
    /// Writes consecutive words.
    Store {
        /// The first word.
        place: MemoryRef,
        /// The words, 1 to 4.
        values: Values,
        /// Threads that perform it.
        effect: Value,
    },
    /// Read-modify-write of one word; returns the previous word, 0 where nothing was done. Atomic on views.
    Atomic {
        /// The operation on the word.
        op: AtomicOp,
        /// The word.
        place: MemoryRef,
        /// Operand.
        value: Value,
        /// Comparand of a compare-exchange.
        compare: Option<Value>,
        /// Threads that perform it.
        effect: Value,
    },
    /// Changes the hidden counter of a structured view; returns an `i32`, 0 where nothing was done.
    Counter {
        /// Up or down.
        op: CounterOp,
        /// The view.
        resource: ResourceRef,
        /// Threads that perform it.
        effect: Value,
    },
    /// Reads a texel as four words, converted by the view's format; missing components are 0, 0, 0, 1. Out of range
    /// yields the same with zero components, an unbound view four zeros.
    TexelLoad {
        /// The view.
        resource: ResourceRef,
        /// As many as the dimension requires.
        coords: Values,
        /// Mip level or sample, where there is one.
        level: Option<Value>,
    },
    /// Writes a texel, converted to the view's format; out of range does nothing.
    TexelStore {
        /// The view.
        resource: ResourceRef,
        /// As many as the dimension requires.
        coords: Values,
        /// Four words.
        values: Values,
        /// Threads that perform it.
        effect: Value,
    },
    /// Read-modify-write of a texel of one 32-bit component.
    TexelAtomic {
        /// The operation on the word.
        op: AtomicOp,
        /// The view.
        resource: ResourceRef,
        /// As many as the dimension requires.
        coords: Values,
        /// Operand.
        value: Value,
        /// Comparand of a compare-exchange.
        compare: Option<Value>,
        /// Threads that perform it.
        effect: Value,
    },
    /// Queries a view; four results.
    Query {
        /// The kind of query.
        query: Query,
        /// The view.
        resource: ResourceRef,
        /// Mip level, where there is one.
        level: Option<Value>,
    },
    /// Samples a texture; four words as in [`InstKind::TexelLoad`], zeros if the view is unbound.
    Sample {
        /// The kind of sampling.
        sampling: Sampling,
        /// The view.
        texture: ResourceRef,
        /// The sampler.
        sampler: ResourceRef,
        /// Operands in the order of [`Sampling::args`]: floats, except for computed offsets.
        args: Values,
    },
    /// Sends a message. One that aborts ends the run with a fault, if any thread performs it.
    Message {
        /// The message.
        message: MessageId,
        /// The [sender](crate::message::Sender), then the operands: words.
        values: Values,
        /// Threads that perform it.
        effect: Value,
    },
    /// A float's value in another thread of the quad: four consecutive threads, of which 0 and 1 are the upper row of
    /// pixels. A thread keeps its own where the other one is inactive.
    QuadRead {
        /// The position in the quad that each position reads.
        from: [u8; 4],
        /// The value.
        value: Value,
    },
    /// A condition that holds if its operand does in all active threads of the packet. Only passes generate it, where
    /// either answer leads to the same results: shaders cannot observe which threads share a packet.
    PacketAll(Value),
    /// Orders memory, and waits for the group if it says so.
    Barrier(Sync),

    /// Runs one of two regions. Results are those that the region yields.
    If {
        /// Condition.
        cond: Value,
        /// The region for threads for which it holds.
        then_region: Region,
        /// The region for the others.
        else_region: Region,
    },
    /// Runs its body until a break. Body parameters, `inits`, results and the operands of its breaks and continues are
    /// the same list of types: the i-th of each is one variable. A yield at the body's end is a continue.
    Loop {
        /// Parameters of the first iteration.
        inits: Values,
        /// The body.
        body: Region,
    },
    /// Runs the arm whose label equals the selector. Arms yield results or break out with them; there is no
    /// fall-through.
    Switch {
        /// An `i32`.
        selector: Value,
        /// Arms.
        cases: Vec<Case>,
        /// The arm for all other selectors.
        default: Region,
    },

    /// Terminator: the end of the region is reached, with results for the owner.
    Yield(Values),
    /// Terminator: leaves an enclosing loop or switch with its results.
    Break {
        /// The loop or switch.
        target: Inst,
        /// Its results.
        args: Values,
    },
    /// Terminator: next iteration of an enclosing loop.
    Continue {
        /// The loop.
        target: Inst,
        /// Parameters of the next iteration.
        args: Values,
    },
    /// Terminator: the thread ends.
    Return,
}

/// The effect of an instruction besides producing results, and the dependences of these besides its operands: passes
/// and analyses check it before they remove, merge or move an instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Effect {
    /// Nothing: its results follow from its operands and the thread.
    None,
    /// Its results depend on its position in the control flow: on other lanes of the packet, or on a slot.
    Context,
    /// Reads memory or a view.
    Read(Object),
    /// Changes memory, a view's counter or a slot, sends a message, or reports that a slot was changed.
    Write,
    /// Orders memory, and may wait for the group.
    Barrier(Sync),
    /// Owns regions, which have effects of their own.
    Control,
    /// Ends its region.
    Terminator,
}

impl InstKind {
    /// Its effect besides producing results. The only function that classifies each kind.
    pub fn effect(&self) -> Effect {
        match *self {
            // The results of queries stay the same for the whole run.
            InstKind::Const(_) | InstKind::Input(_) | InstKind::Op { .. } | InstKind::Query { .. } => Effect::None,
            InstKind::SlotGet(_) | InstKind::QuadRead { .. } | InstKind::PacketAll(_) => Effect::Context,
            InstKind::Load { place } => Effect::Read(place.object),
            InstKind::TexelLoad { resource, .. } | InstKind::Sample { texture: resource, .. } => {
                Effect::Read(Object::Resource(resource))
            }
            InstKind::SlotSet(..)
            | InstKind::Note(..)
            | InstKind::Store { .. }
            | InstKind::Atomic { .. }
            | InstKind::Counter { .. }
            | InstKind::TexelStore { .. }
            | InstKind::TexelAtomic { .. }
            | InstKind::Message { .. } => Effect::Write,
            InstKind::Barrier(sync) => Effect::Barrier(sync),
            InstKind::If { .. } | InstKind::Loop { .. } | InstKind::Switch { .. } => Effect::Control,
            InstKind::Yield(_) | InstKind::Break { .. } | InstKind::Continue { .. } | InstKind::Return => {
                Effect::Terminator
            }
        }
    }

    /// The memory that it accesses, if it is a load, a store or an atomic.
    pub fn memory(&self) -> Option<&MemoryRef> {
        match self {
            InstKind::Load { place } | InstKind::Store { place, .. } | InstKind::Atomic { place, .. } => Some(place),
            _ => None,
        }
    }

    /// The texel that it accesses, if it loads, stores or changes one: its texture or buffer, and its coordinates.
    pub fn texel(&self) -> Option<(&ResourceRef, &[Value])> {
        match self {
            InstKind::TexelLoad { resource, coords, .. }
            | InstKind::TexelStore { resource, coords, .. }
            | InstKind::TexelAtomic { resource, coords, .. } => Some((resource, coords)),
            _ => None,
        }
    }

    /// `true` if it ends a region.
    pub fn is_terminator(&self) -> bool {
        self.effect() == Effect::Terminator
    }

    /// `true` if it must stay even if its results are unused. Loads may be removed.
    pub fn has_effect(&self) -> bool {
        !matches!(self.effect(), Effect::None | Effect::Context | Effect::Read(_))
    }

    /// `true` if it is a barrier that waits for the group.
    pub fn is_waiting_barrier(&self) -> bool {
        matches!(self, InstKind::Barrier(sync) if sync.threads)
    }

    /// The loop or switch that it jumps to.
    pub fn jump_target(&self) -> Option<Inst> {
        match *self {
            InstKind::Break { target, .. } | InstKind::Continue { target, .. } => Some(target),
            _ => None,
        }
    }

    /// The construct that receives the values it passes on: its target or `owner`, which owns the region it is in. A
    /// loop, as `inst`, passes values on to itself.
    pub fn receiver(&self, inst: Inst, owner: Option<Inst>) -> Option<Inst> {
        match self {
            InstKind::Yield(_) => owner,
            InstKind::Loop { .. } => Some(inst),
            kind => kind.jump_target(),
        }
    }

    /// The values that a loop's entry, a yield, a break or a continue passes on.
    pub fn passed(&self) -> Option<&Values> {
        match self {
            InstKind::Loop { inits: args, .. }
            | InstKind::Yield(args)
            | InstKind::Break { args, .. }
            | InstKind::Continue { args, .. } => Some(args),
            _ => None,
        }
    }

    /// The same, mutably.
    pub fn passed_mut(&mut self) -> Option<&mut Values> {
        match self {
            InstKind::Loop { inits: args, .. }
            | InstKind::Yield(args)
            | InstKind::Break { args, .. }
            | InstKind::Continue { args, .. } => Some(args),
            _ => None,
        }
    }

    /// The regions it owns, in order.
    pub fn regions(&self) -> SmallVec<[Region; 2]> {
        match self {
            InstKind::If { then_region, else_region, .. } => SmallVec::from_slice(&[*then_region, *else_region]),
            InstKind::Loop { body, .. } => SmallVec::from_slice(&[*body]),
            InstKind::Switch { cases, default, .. } => cases.iter().map(|case| case.region).chain([*default]).collect(),
            _ => SmallVec::new(),
        }
    }

    /// Calls `f` with every region it owns, in order, so that it can be replaced.
    pub fn for_each_region(&mut self, mut f: impl FnMut(&mut Region)) {
        match self {
            InstKind::If { then_region, else_region, .. } => [then_region, else_region].into_iter().for_each(f),
            InstKind::Loop { body, .. } => f(body),
            InstKind::Switch { cases, default, .. } => {
                cases.iter_mut().map(|case| &mut case.region).chain([default]).for_each(f);
            }
            _ => {}
        }
    }

    /// Calls `f` with every operand, so that it can be read or replaced.
    pub fn for_each_arg(&mut self, mut f: impl FnMut(&mut Value)) {
        fn resource(resource: &mut ResourceRef, f: &mut impl FnMut(&mut Value)) {
            if let Element::Computed(value) = &mut resource.element {
                f(value);
            }
        }
        fn place(at: &mut MemoryRef, f: &mut impl FnMut(&mut Value)) {
            if let Object::Resource(r) = &mut at.object {
                resource(r, f);
            }
            at.index.iter_mut().for_each(&mut *f);
            f(&mut at.offset);
        }
        let f = &mut f;
        match self {
            InstKind::Const(_)
            | InstKind::Input(_)
            | InstKind::SlotGet(_)
            | InstKind::Barrier(_)
            | InstKind::Return => {}
            InstKind::Op { args, .. }
            | InstKind::Loop { inits: args, .. }
            | InstKind::Yield(args)
            | InstKind::Break { args, .. }
            | InstKind::Continue { args, .. } => args.iter_mut().for_each(f),
            InstKind::Sample { texture, sampler, args, .. } => {
                resource(texture, f);
                resource(sampler, f);
                args.iter_mut().for_each(&mut *f);
            }
            InstKind::SlotSet(_, value)
            | InstKind::Note(_, value)
            | InstKind::QuadRead { value, .. }
            | InstKind::PacketAll(value)
            | InstKind::If { cond: value, .. }
            | InstKind::Switch { selector: value, .. } => {
                f(value);
            }
            InstKind::Load { place: at } => place(at, f),
            InstKind::Store { place: at, values, effect } => {
                place(at, f);
                values.iter_mut().for_each(&mut *f);
                f(effect);
            }
            InstKind::Atomic { place: at, value, compare, effect, .. } => {
                place(at, f);
                f(value);
                compare.iter_mut().for_each(&mut *f);
                f(effect);
            }
            InstKind::Counter { resource: r, effect, .. } => {
                resource(r, f);
                f(effect);
            }
            InstKind::TexelLoad { resource: r, coords, level } => {
                resource(r, f);
                coords.iter_mut().chain(level).for_each(&mut *f);
            }
            InstKind::TexelStore { resource: r, coords, values, effect } => {
                resource(r, f);
                coords.iter_mut().chain(values).for_each(&mut *f);
                f(effect);
            }
            InstKind::TexelAtomic { resource: r, coords, value, compare, effect, .. } => {
                resource(r, f);
                coords.iter_mut().for_each(&mut *f);
                f(value);
                compare.iter_mut().for_each(&mut *f);
                f(effect);
            }
            InstKind::Message { values, effect, .. } => {
                values.iter_mut().for_each(&mut *f);
                f(effect);
            }
            InstKind::Query { resource: r, level, .. } => {
                resource(r, f);
                level.iter_mut().for_each(&mut *f);
            }
        }
    }

    /// Its operands.
    pub fn args(&self) -> SmallVec<[Value; 8]> {
        let mut args = SmallVec::new();
        match self {
            // Most are of these kinds, and copies of others would be large.
            InstKind::Const(_) | InstKind::Input(_) => {}
            InstKind::Op { args: operands, .. }
            | InstKind::Loop { inits: operands, .. }
            | InstKind::Yield(operands)
            | InstKind::Break { args: operands, .. }
            | InstKind::Continue { args: operands, .. } => args.extend_from_slice(operands),
            InstKind::If { cond: value, .. } | InstKind::Switch { selector: value, .. } => args.push(*value),
            kind => kind.clone().for_each_arg(|value| args.push(*value)),
        }
        args
    }
}
