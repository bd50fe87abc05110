//! What is known about each kind of instruction: its effect, its operands and regions, the values it passes on and to
//! which construct. Used by passes and analyses.

use smallvec::SmallVec;

use crate::entity::{Inst, Region, Value};
use crate::function::{Element, InstKind, MemoryRef, Object, ResourceRef, Sync, Values};

/// What an instruction does besides producing results, and what these depend on besides its operands: what passes and
/// analyses check before they remove, merge or move it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Effect {
    /// Nothing: its results follow from its operands and the thread.
    None,
    /// Its results depend on where in the control flow it is: on other lanes of the packet, or on a slot.
    Context,
    /// Reads memory or a view.
    Read(Object),
    /// Changes memory, a view's counter or a slot.
    Write,
    /// Orders memory, and may wait for the group.
    Barrier(Sync),
    /// Owns regions, which have effects of their own.
    Control,
    /// Ends its region.
    Terminator,
}

impl InstKind {
    /// What it does besides producing results. The only place that says so for each kind.
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
            | InstKind::Store { .. }
            | InstKind::Atomic { .. }
            | InstKind::Counter { .. }
            | InstKind::TexelStore { .. }
            | InstKind::TexelAtomic { .. } => Effect::Write,
            InstKind::Barrier(sync) => Effect::Barrier(sync),
            InstKind::If { .. } | InstKind::Loop { .. } | InstKind::Switch { .. } => Effect::Control,
            InstKind::Yield(_) | InstKind::Break { .. } | InstKind::Continue { .. } | InstKind::Return => {
                Effect::Terminator
            }
        }
    }

    /// Whether it ends a region.
    pub fn is_terminator(&self) -> bool {
        self.effect() == Effect::Terminator
    }

    /// Whether it must stay even if its results are unused. Loads may be removed.
    pub fn has_effect(&self) -> bool {
        !matches!(self.effect(), Effect::None | Effect::Context | Effect::Read(_))
    }

    /// Whether it is a barrier that waits for the group.
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

    /// The same, to change.
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
