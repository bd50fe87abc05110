//! Eliminates common subexpressions.
//!
//! Computations without effects, and reads of memory that is not written during a run (constant buffers, `icb`, `t#`),
//! are replaced by an equal one earlier in the same or an enclosing region.

use std::hash::BuildHasher;

use rustc_hash::FxBuildHasher;

use crate::entity::{Inst, Region};
use crate::function::{Effect, Function, InstKind};
use crate::replacements::Replacements;

/// Runs the pass; returns `true` if anything was replaced.
pub(super) fn run(func: &mut Function) -> bool {
    let mut cse = Cse::new(func);
    cse.region(func, func.body());
    cse.changed
}

struct Cse {
    /// Computations available here, in lists by hash: the newest of each list. Only looked up, never iterated.
    newest: Vec<Option<Inst>>,
    /// For each of them the next older one of its list.
    older: Vec<Option<Inst>>,
    /// The lists that open regions added to, to be undone at their ends.
    log: Vec<usize>,
    replacements: Replacements,
    changed: bool,
}

impl Cse {
    fn new(func: &Function) -> Self {
        Self {
            newest: vec![None; func.inst_count().next_power_of_two()],
            older: vec![None; func.inst_count()],
            log: Vec::new(),
            replacements: Replacements::new(func),
            changed: false,
        }
    }

    fn region(&mut self, func: &mut Function, region: Region) {
        let mark = self.log.len();
        let mut insts = std::mem::take(&mut func.region_mut(region).insts);
        insts.retain(|&inst| {
            let data = func.inst_mut(inst);
            self.replacements.apply(&mut data.kind);
            for inner in data.kind.regions() {
                self.region(func, inner);
            }
            let data = func.inst(inst);
            let Some(hash) = hash(func, &data.kind) else { return true };
            let list = hash as usize & (self.newest.len() - 1);
            match self.find(func, list, &data.kind).map(|first| &func.inst(first).results) {
                // A wider load serves a narrower one.
                Some(first) if first.len() >= data.results.len() => {
                    for (&value, &by) in data.results.iter().zip(first) {
                        self.replacements.replace(value, by);
                    }
                    self.changed = true;
                    false
                }
                _ => {
                    self.older[inst.index()] = self.newest[list].replace(inst);
                    self.log.push(list);
                    true
                }
            }
        });
        func.region_mut(region).insts = insts;
        for list in self.log.drain(mark..).rev() {
            self.newest[list] = self.newest[list].and_then(|inst| self.older[inst.index()]);
        }
    }

    /// The newest computation that is equal: the first of its kind, or the one with most results.
    fn find(&self, func: &Function, list: usize, kind: &InstKind) -> Option<Inst> {
        let mut at = self.newest[list];
        while let Some(inst) = at
            && func.inst(inst).kind != *kind
        {
            at = self.older[inst.index()];
        }
        at
    }
}

/// The hash of a computation; `None` for instructions that must stay as they are.
fn hash(func: &Function, kind: &InstKind) -> Option<u64> {
    let is_computation = match kind.effect() {
        Effect::None => true,
        Effect::Read(object) => func.is_read_only(&object),
        Effect::Context | Effect::Write | Effect::Barrier(_) | Effect::Control | Effect::Terminator => false,
    };
    is_computation.then(|| FxBuildHasher.hash_one(kind))
}
