//! Demotes registers to memory where constructs would carry them too often.
//!
//! SSA construction turns a slot that a construct writes into one more operand of every edge into it and out of it.
//! That makes slots times edges: a thousand registers that change within 64 blocks, or in a loop with 64 breaks, are
//! carried some hundred thousand times, and a hostile file could cause a million times that. Where this is out of
//! proportion to the size of the shader, the slots carried most per write become words of a private array before SSA
//! construction. So the number of carried values, and the work of later stages on them, is linear in the size of the
//! shader. Hand-written shaders have no such slots.

use std::cmp::Reverse;

use crate::entity::{Inst, LocalId, Region, Slot, Value};
use crate::function::{Effect, Function, InstKind, MemoryRef, Object, Origin, Values};
use crate::interface::Local;
use crate::types::{Const, Type};

/// Operands that all constructs may carry: this many per instruction, and this many in a shader of any size.
const CARRIED_PER_INST: usize = 1;
const CARRIED_ALWAYS: usize = 1 << 12;
/// The operands per write that a slot may be carried as in a shader over that budget.
const CARRIED_AT_EASE: usize = 16;
/// The operands that a slot may be carried as in any shader: this many per write, plus a constant. Bounds the time to
/// count them.
const CARRIED_PER_WRITE: usize = 64;
const CARRIED_BY_SLOT: usize = 1 << 12;

/// Runs the pass.
pub(super) fn run(func: &mut Function) {
    let mut edges = Edges { around: vec![None; func.inst_count()], of: vec![0; func.inst_count()], writes: Vec::new() };
    edges.visit(func, func.body(), None);
    let chosen = choose(func, count(func, edges));
    if chosen.iter().any(|&chosen| chosen) {
        demote(func, &chosen);
    }
}

/// The edges that carry values into and out of constructs.
struct Edges {
    /// The construct around each construct.
    around: Vec<Option<Inst>>,
    /// For each construct the number of its operand lists: one for each jump to it and each end of a region, its
    /// results, a loop's parameters and first values.
    of: Vec<usize>,
    /// Each write of a slot within a construct, with the innermost one.
    writes: Vec<(Slot, Inst)>,
}

impl Edges {
    fn visit(&mut self, func: &Function, region: Region, owner: Option<Inst>) {
        for &inst in &func.region(region).insts {
            let kind = &func.inst(inst).kind;
            if let (InstKind::SlotSet(slot, _), Some(owner)) = (kind, owner) {
                self.writes.push((*slot, owner));
            }
            match (kind.effect(), kind.receiver(inst, owner)) {
                (Effect::Control, Some(_)) => self.of[inst.index()] += 3,
                (Effect::Control, None) => self.of[inst.index()] += 1,
                (_, Some(receiver)) => self.of[receiver.index()] += 1,
                (_, None) => {}
            }
            for inner in kind.regions() {
                self.around[inst.index()] = owner;
                self.visit(func, inner, Some(inst));
            }
        }
    }
}

/// A slot that constructs carry.
struct Carried {
    slot: Slot,
    /// Its writes within constructs.
    writes: usize,
    /// The operands it would be carried as; counted up to the limit.
    operands: usize,
}

impl Carried {
    fn is_too_much(&self) -> bool {
        self.operands > CARRIED_PER_WRITE * self.writes + CARRIED_BY_SLOT
    }
}

fn count(func: &Function, mut edges: Edges) -> Vec<Carried> {
    let mut counted_for = vec![None; func.inst_count()];
    edges.writes.sort_unstable();
    let of_one_slot = |writes: &[(Slot, Inst)]| {
        let mut carried = Carried { slot: writes[0].0, writes: writes.len(), operands: 0 };
        for &(slot, construct) in writes {
            let mut at = Some(construct);
            while let Some(construct) = at
                && counted_for[construct.index()] != Some(slot)
                && !carried.is_too_much()
            {
                counted_for[construct.index()] = Some(slot);
                carried.operands += edges.of[construct.index()];
                at = edges.around[construct.index()];
            }
        }
        carried
    };
    edges.writes.chunk_by(|a, b| a.0 == b.0).map(of_one_slot).collect()
}

/// The slots to demote.
fn choose(func: &Function, mut slots: Vec<Carried>) -> Vec<bool> {
    // Registers are words; arrays hold nothing else.
    slots.retain(|carried| func.slot_type(carried.slot) == Type::I32);
    slots.sort_by_key(|carried| Reverse(carried.operands / carried.writes));
    let most = CARRIED_PER_INST * func.inst_count() + CARRIED_ALWAYS;
    let mut operands: usize = slots.iter().map(|carried| carried.operands).sum();
    let all_fit = operands <= most;
    let mut chosen = vec![false; func.slot_count()];
    for carried in slots {
        let is_easy = all_fit || carried.operands <= CARRIED_AT_EASE * carried.writes;
        if carried.is_too_much() || operands > most || !is_easy {
            chosen[carried.slot.index()] = true;
            operands -= carried.operands;
        }
    }
    chosen
}

/// Replaces accesses of the chosen slots by accesses of a new private array.
fn demote(func: &mut Function, chosen: &[bool]) {
    let numbers: Vec<Option<u32>> = chosen
        .iter()
        .scan(0, |next, &chosen| {
            let number = chosen.then_some(*next);
            *next += u32::from(chosen);
            Some(number)
        })
        .collect();
    let words = numbers.iter().flatten().count() as u32;
    let locals = &mut func.interface.locals;
    let array = LocalId::new(locals.len());
    let register = locals.iter().map(|local| local.register.saturating_add(1)).max().unwrap_or(0);
    locals.push(Local { register, registers: words.div_ceil(4), components: 4 });

    let mut constants = Vec::new();
    let mut constant = |func: &mut Function, value: Const| {
        let inst = func.add_inst(InstKind::Const(value), &[value.ty], Origin::default());
        constants.push(inst);
        func.inst(inst).results[0]
    };
    let elements: Vec<Value> = (0..words.div_ceil(4)).map(|n| constant(func, Const::i32(n))).collect();
    let offsets = [0, 4, 8, 12].map(|offset| constant(func, Const::i32(offset)));
    let always = constant(func, Const::bool(true));
    let place = |slot: Slot| {
        let n = numbers[slot.index()]? as usize;
        Some(MemoryRef { object: Object::Local(array), index: Some(elements[n / 4]), offset: offsets[n % 4] })
    };
    for inst in (0..func.inst_count()).map(Inst::new) {
        let kind = &mut func.inst_mut(inst).kind;
        let access = match *kind {
            InstKind::SlotGet(slot) => place(slot).map(|place| InstKind::Load { place }),
            InstKind::SlotSet(slot, value) => place(slot).map(|place| {
                let values = Values::from_slice(&[value]);
                InstKind::Store { place, values, effect: always }
            }),
            _ => None,
        };
        if let Some(access) = access {
            *kind = access;
        }
    }
    let body = func.body();
    func.region_mut(body).insts.splice(0..0, constants);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builder::Builder;
    use crate::function::Input;
    use crate::interface::Interface;
    use crate::ops::Op;
    use crate::passes::{Level, optimise};
    use crate::verify::verify;

    /// Operands of all terminators and loops.
    fn carried(func: &Function) -> usize {
        let is_carrier = |kind: &InstKind| kind.is_terminator() || matches!(kind, InstKind::Loop { .. });
        let insts = (0..func.inst_count()).map(|n| func.inst(Inst::new(n)));
        insts.filter(|inst| is_carrier(&inst.kind)).map(|inst| inst.kind.args().len()).sum()
    }

    fn function(slots: usize) -> (Function, Vec<Slot>) {
        let mut func = Function::new("test", Interface::compute([1; 3]));
        let slots = (0..slots).map(|_| func.add_slot(Type::I32)).collect();
        (func, slots)
    }

    /// Adds to all slots.
    fn change(b: &mut Builder<'_>, slots: &[Slot]) {
        let by = b.input(Input::ThreadIndex);
        for &slot in slots {
            let value = b.slot_get(slot);
            let sum = b.op(Op::IAdd, &[value, by]);
            b.slot_set(slot, sum);
        }
    }

    /// Leaves a loop if the slot is this number.
    fn break_if(b: &mut Builder<'_>, target: Inst, slot: Slot, number: u32) {
        let (value, number) = (b.slot_get(slot), b.i32(number));
        let cond = b.op(Op::IEq, &[value, number]);
        b.when(cond, |b| b.break_(target, &[]));
    }

    fn loop_with_breaks(slots: usize, breaks: u32) -> Function {
        let (mut func, slots) = function(slots);
        let mut b = Builder::new(&mut func);
        let (target, body) = b.loop_(&[]);
        b.switch_to(body);
        change(&mut b, &slots);
        for n in 0..breaks {
            break_if(&mut b, target, slots[n as usize % slots.len()], n);
        }
        b.yield_(&[]);
        finish(func)
    }

    fn finish(mut func: Function) -> Function {
        Builder::new(&mut func).return_();
        func
    }

    fn nested_blocks(slots: usize, depth: usize) -> Function {
        let (mut func, slots) = function(slots);
        let mut b = Builder::new(&mut func);
        let mut outer = Vec::new();
        for _ in 0..depth {
            let (id, zero) = (b.input(Input::ThreadIndex), b.i32(0));
            let cond = b.op(Op::IEq, &[id, zero]);
            let (_, then, otherwise) = b.if_else(cond, &[]);
            outer.push(b.switch_to(otherwise));
            b.yield_(&[]);
            b.switch_to(then);
        }
        change(&mut b, &slots);
        for region in outer.into_iter().rev() {
            b.yield_(&[]);
            b.switch_to(region);
        }
        finish(func)
    }

    /// Cases of 8 and 4 million operands, and worse ones.
    #[test]
    fn what_is_carried_is_in_proportion() {
        for func in [loop_with_breaks(4096, 2000), nested_blocks(8000, 250), loop_with_breaks(16_384, 30_000)] {
            let insts = func.inst_count();
            let mut none = func.clone();
            optimise(&mut none, Level::None);
            assert!(carried(&none) < 4 * insts, "{} operands for {insts} instructions", carried(&none));
            assert_eq!(none.interface.locals.len(), 1);
            verify(none).unwrap();
            let mut full = func;
            optimise(&mut full, Level::Full);
            verify(full).unwrap();
        }
    }

    #[test]
    fn ordinary_functions_keep_nothing_in_memory() {
        for mut func in [loop_with_breaks(40, 20), nested_blocks(20, 40)] {
            optimise(&mut func, Level::Full);
            assert!(func.interface.locals.is_empty());
            verify(func).unwrap();
        }
    }
}
