//! Renumbers the remaining entities, in program order.
//!
//! Entities are indices into arenas and side tables, and nothing ever leaves an arena. After the passes most numbers
//! are dead, and neighbours in the program are far apart in memory; in large shaders every later walk then misses the
//! cache.

use crate::entity::{Inst, Region, Value};
use crate::function::{Function, InstKind};
use crate::types::Type;

/// Runs the pass, on a function without slots.
pub(super) fn run(func: &mut Function) {
    debug_assert_eq!(func.slot_count(), 0, "slots have become values");
    let (name, interface) = (std::mem::take(&mut func.name), std::mem::take(&mut func.interface));
    let old = std::mem::replace(func, Function::new(name, interface));
    let values = vec![None; old.value_count()];
    let body = func.body();
    let mut compaction = Compaction { old, new: func, values, constructs: Vec::new() };
    compaction.region(compaction.old.body(), body);
}

struct Compaction<'a> {
    old: Function,
    new: &'a mut Function,
    values: Vec<Option<Value>>,
    /// The constructs around the current region, old and new.
    constructs: Vec<[Inst; 2]>,
}

impl Compaction<'_> {
    fn region(&mut self, from: Region, to: Region) {
        for param in std::mem::take(&mut self.old.region_mut(from).params) {
            let value = self.new.add_param(to, self.old.ty(param));
            self.values[param.index()] = Some(value);
        }
        for inst in std::mem::take(&mut self.old.region_mut(from).insts) {
            self.inst(inst, to);
        }
    }

    fn inst(&mut self, inst: Inst, to: Region) {
        let old = self.old.inst_mut(inst);
        let (origin, precise, is_quiet) = (old.origin, old.precise, old.is_quiet);
        let results = std::mem::take(&mut old.results);
        let mut kind = std::mem::replace(&mut old.kind, InstKind::Return);
        kind.for_each_arg(|arg| *arg = self.values[arg.index()].expect("definitions come before uses"));
        if let InstKind::Break { target, .. } | InstKind::Continue { target, .. } = &mut kind {
            let around = self.constructs.iter().rev().find(|[old, _]| old == target);
            *target = around.expect("jumps target constructs around them")[1];
        }
        let mut regions = Vec::new();
        kind.for_each_region(|region| {
            let new = self.new.add_region();
            regions.push((std::mem::replace(region, new), new));
        });
        let types: Vec<Type> = results.iter().map(|&result| self.old.ty(result)).collect();
        let new = self.new.add_inst(kind, &types, origin);
        let data = self.new.inst_mut(new);
        (data.precise, data.is_quiet) = (precise, is_quiet);
        self.new.region_mut(to).insts.push(new);
        for (old, &new) in results.iter().zip(&self.new.inst(new).results) {
            self.values[old.index()] = Some(new);
        }
        self.constructs.push([inst, new]);
        for (from, to) in regions {
            self.region(from, to);
        }
        self.constructs.pop();
    }
}
