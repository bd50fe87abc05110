//! One computation instead of two equal ones.
//!
//! Pure operations, constants, inputs and reads of memory that nobody writes during a run (constant buffers, `icb`,
//! `t#`) that are equal to an earlier one in the same or an enclosing region are replaced by it.

use std::hash::{Hash, Hasher};

use rustc_hash::FxHasher;

use crate::entity::{Inst, Region};
use crate::function::{Function, InstKind, Object};
use crate::passes::alias::Aliases;

/// Runs the pass; gives whether anything was replaced.
pub(super) fn run(func: &mut Function) -> bool {
    let mut cse = Cse::new(func);
    cse.region(func, func.body());
    cse.changed
}

struct Cse {
    /// Computations that are known here, in lists by hash: the newest of each list. Only looked up, never iterated.
    newest: Vec<Option<Inst>>,
    /// For each of them the next older one of its list.
    older: Vec<Option<Inst>>,
    /// The lists that open regions added to, to be undone at their ends.
    log: Vec<usize>,
    aliases: Aliases,
    changed: bool,
}

impl Cse {
    fn new(func: &Function) -> Self {
        Self {
            newest: vec![None; func.inst_count().next_power_of_two()],
            older: vec![None; func.inst_count()],
            log: Vec::new(),
            aliases: Aliases::new(func),
            changed: false,
        }
    }

    fn region(&mut self, func: &mut Function, region: Region) {
        let mark = self.log.len();
        let mut insts = std::mem::take(&mut func.region_mut(region).insts);
        insts.retain(|&inst| {
            let data = func.inst_mut(inst);
            self.aliases.apply(&mut data.kind);
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
                        self.aliases.replace(value, by);
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
            && !is_equal(&func.inst(inst).kind, kind)
        {
            at = self.older[inst.index()];
        }
        at
    }
}

/// The hash of a computation; nothing for what must stay as it is.
fn hash(func: &Function, kind: &InstKind) -> Option<u64> {
    let mut hasher = FxHasher::default();
    std::mem::discriminant(kind).hash(&mut hasher);
    match kind {
        InstKind::Const(value) => value.hash(&mut hasher),
        InstKind::Input(input) => input.hash(&mut hasher),
        InstKind::Op { op, args } => (op, args).hash(&mut hasher),
        InstKind::Load { place } if func.is_read_only(&place.object) => place.hash(&mut hasher),
        InstKind::TexelLoad { resource, coords, level } if func.is_read_only(&Object::Resource(*resource)) => {
            (resource, coords, level).hash(&mut hasher);
        }
        InstKind::Query { query, resource, level } => (query, resource, level).hash(&mut hasher),
        InstKind::Sample { sampling, texture, sampler, args } => (sampling, texture, sampler, args).hash(&mut hasher),
        _ => return None,
    }
    Some(hasher.finish())
}

/// Whether two computations that have a hash are equal.
fn is_equal(a: &InstKind, b: &InstKind) -> bool {
    use InstKind::{Const, Input, Load, Op, Query, Sample, TexelLoad};
    match (a, b) {
        (Const(a), Const(b)) => a == b,
        (Input(a), Input(b)) => a == b,
        (Op { op: a, args: x }, Op { op: b, args: y }) => a == b && x == y,
        (Load { place: a }, Load { place: b }) => a == b,
        (TexelLoad { resource: a, coords: x, level: l }, TexelLoad { resource: b, coords: y, level: m }) => {
            a == b && x == y && l == m
        }
        (Query { query: a, resource: x, level: l }, Query { query: b, resource: y, level: m }) => {
            a == b && x == y && l == m
        }
        (
            Sample { sampling: a, texture: t, sampler: s, args: x },
            Sample { sampling: b, texture: u, sampler: r, args: y },
        ) => a == b && t == u && s == r && x == y,
        _ => false,
    }
}
