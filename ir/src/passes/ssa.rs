//! Constructs SSA form: slots become values. A slot is a mutable variable, mostly a word of one of the shader's
//! registers.
//!
//! The code is structured, so no dominance frontiers are needed: a slot that a region writes becomes one more result of
//! the `if` or `switch`, or one more variable of the loop, that owns the region. A slot never written is zero. Unused
//! results are left for `dead.rs`. For observers, writes of registers stay as notes.

use std::collections::HashMap;

use crate::entity::{Inst, Region, Slot, Value};
use crate::function::{Function, InstKind, Origin};
use crate::replacements::Replacements;
use crate::types::{Const, Type};

/// Replaces every slot access.
pub(super) fn construct(func: &mut Function, keeps_notes: bool) {
    if func.slot_count() == 0 {
        return;
    }
    let mut written = vec![Vec::new(); func.region_count()];
    collect_written(func, func.body(), &mut written);
    let mut construction = Construction {
        replacements: Replacements::new(func),
        current: vec![None; func.slot_count()],
        carried: vec![Vec::new(); func.inst_count()],
        zeros: [None; Type::ALL.len()],
        unwritten: HashMap::new(),
        written,
        keeps_notes,
    };
    construction.region(func, func.body());
    // Zeros were made on demand, but may be used anywhere: they open the body.
    let body = func.body();
    let mut unwritten: Vec<_> = construction.unwritten.into_iter().collect();
    unwritten.sort_unstable();
    func.unwritten = unwritten.iter().map(|&(slot, (_, value))| (value, slot)).collect();
    let zeros = construction.zeros.iter().flatten().chain(unwritten.iter().map(|(_, zero)| zero));
    func.region_mut(body).insts.splice(0..0, zeros.map(|&(inst, _)| inst));
    if !keeps_notes {
        func.clear_slots();
    }
}

/// The slots each region writes, its inner regions included, in slot order.
fn collect_written(func: &Function, region: Region, written: &mut Vec<Vec<Slot>>) {
    let mut slots = Vec::new();
    for &inst in &func.region(region).insts {
        match &func.inst(inst).kind {
            InstKind::SlotSet(slot, _) => slots.push(*slot),
            kind => {
                for inner in kind.regions() {
                    collect_written(func, inner, written);
                    slots.extend_from_slice(&written[inner.index()]);
                }
            }
        }
    }
    slots.sort_unstable();
    slots.dedup();
    written[region.index()] = slots;
}

struct Construction {
    replacements: Replacements,
    /// Value of each slot at the current point.
    current: Vec<Option<Value>>,
    /// The slots that each control instruction carries out of its regions.
    carried: Vec<Vec<Slot>>,
    /// One zero of each type.
    zeros: [Option<(Inst, Value)>; Type::ALL.len()],
    /// For observers, the zeros that stand for registers that nothing has written.
    unwritten: HashMap<Slot, (Inst, Value)>,
    written: Vec<Vec<Slot>>,
    keeps_notes: bool,
}

impl Construction {
    fn region(&mut self, func: &mut Function, region: Region) {
        let insts = std::mem::take(&mut func.region_mut(region).insts);
        let mut kept = Vec::with_capacity(insts.len());
        for &inst in &insts {
            let mut kind = std::mem::replace(&mut func.inst_mut(inst).kind, InstKind::Return);
            self.replacements.apply(&mut kind);
            match &mut kind {
                InstKind::SlotGet(slot) => {
                    let value = self.get(func, *slot);
                    self.replacements.replace(func.inst(inst).results[0], value);
                    continue;
                }
                &mut InstKind::SlotSet(slot, value) => {
                    self.current[slot.index()] = Some(value);
                    if !self.keeps_notes || func.slot_register(slot).is_none() {
                        continue;
                    }
                    kind = InstKind::Note(slot, value);
                }
                InstKind::Break { target, args } | InstKind::Continue { target, args } => {
                    args.extend(self.carried_values(func, *target));
                }
                // The yield of a region is completed by the region's owner below.
                _ => {}
            }
            let regions = kind.regions();
            func.inst_mut(inst).kind = kind;
            kept.push(inst);
            if !regions.is_empty() {
                self.control(func, inst, &regions);
            }
        }
        func.region_mut(region).insts = kept;
    }

    fn control(&mut self, func: &mut Function, inst: Inst, regions: &[Region]) {
        let mut slots: Vec<Slot> = regions.iter().flat_map(|r| self.written[r.index()].iter().copied()).collect();
        slots.sort_unstable();
        slots.dedup();
        self.carried[inst.index()] = slots.clone();
        let before: Vec<Value> = slots.iter().map(|&slot| self.get(func, slot)).collect();
        let is_loop = matches!(func.inst(inst).kind, InstKind::Loop { .. });
        if let InstKind::Loop { inits, .. } = &mut func.inst_mut(inst).kind {
            inits.extend_from_slice(&before);
        }
        for &region in regions {
            for (&slot, &value) in slots.iter().zip(&before) {
                let entry = if is_loop { func.add_param(region, func.slot_type(slot)) } else { value };
                self.current[slot.index()] = Some(entry);
            }
            self.region(func, region);
            let values = self.carried_values(func, inst);
            let last = func.region(region).insts.last().copied();
            if let Some(InstKind::Yield(args)) = last.map(|last| &mut func.inst_mut(last).kind) {
                args.extend(values);
            }
        }
        for &slot in &slots {
            let result = func.add_result(inst, func.slot_type(slot));
            self.current[slot.index()] = Some(result);
        }
    }

    fn carried_values(&mut self, func: &mut Function, inst: Inst) -> Vec<Value> {
        let slots = self.carried[inst.index()].clone();
        slots.into_iter().map(|slot| self.get(func, slot)).collect()
    }

    fn get(&mut self, func: &mut Function, slot: Slot) -> Value {
        let value = self.current[slot.index()].unwrap_or_else(|| self.unwritten(func, slot));
        self.replacements.resolve(value)
    }

    /// The value of a slot that nothing has written.
    fn unwritten(&mut self, func: &mut Function, slot: Slot) -> Value {
        let ty = func.slot_type(slot);
        let is_register = self.keeps_notes && func.slot_register(slot).is_some_and(|register| register.name.is_temp());
        let make = || {
            let inst = func.add_inst(InstKind::Const(Const::zero(ty)), &[ty], Origin::default());
            (inst, func.inst(inst).results[0])
        };
        match is_register {
            true => self.unwritten.entry(slot).or_insert_with(make).1,
            false => self.zeros[ty as usize].get_or_insert_with(make).1,
        }
    }
}
