//! Finds loads whose results matter only where a condition holds. Compilers of HLSL evaluate both sides of `?:` and `&&`:
//! `i >= k ? s[i - k] : 0` reads past the end of `s`, and throws away what it read.

use std::collections::{HashMap, HashSet};

use crate::entity::{Inst, Value};
use crate::flow::Flow;
use crate::function::{Function, InstKind};
use crate::ops::Op;

/// The most operations between a load and where its result matters.
const MOST_STEPS: u32 = 8;

/// Where a load's result matters: a condition decides at an instruction.
#[derive(Clone, Copy, Debug)]
pub(super) struct Guard {
    pub load: Inst,
    pub cond: Value,
    /// The result matters where the condition is this.
    pub holds: bool,
}

/// By instruction, the loads about whose results a condition decides there.
#[derive(Default)]
pub(super) struct Guards {
    pub at: HashMap<Inst, Vec<Guard>>,
    pub loads: HashSet<Inst>,
}

impl Guards {
    /// Looks at those loads that `may_be` accepts.
    pub fn find(func: &Function, flow: &Flow, may_be: impl Fn(Inst) -> bool) -> Self {
        let mut guards = Self::default();
        for load in func.each_inst().filter(|&inst| may_be(inst)) {
            let mut search = Search { func, flow, load, found: Vec::new(), depends: HashSet::new() };
            let results = &func.inst(load).results;
            let is_guarded = results.iter().all(|&result| search.follow(result, MOST_STEPS).is_some())
                && search.found.iter().all(|(_, guard)| !search.depends.contains(&guard.cond));
            if is_guarded && !search.found.is_empty() {
                guards.loads.insert(load);
                for (inst, guard) in search.found {
                    guards.at.entry(inst).or_default().push(guard);
                }
            }
        }
        guards
    }
}

/// A search for the conditions that decide about a load's results.
struct Search<'a> {
    func: &'a Function,
    flow: &'a Flow,
    load: Inst,
    found: Vec<(Inst, Guard)>,
    /// Values that depend on the results.
    depends: HashSet<Value>,
}

impl Search<'_> {
    /// Follows a value to all its uses; `None` if it matters somewhere whatever the conditions are.
    fn follow(&mut self, value: Value, steps: u32) -> Option<()> {
        if !self.depends.insert(value) {
            return Some(());
        }
        for &(user, position) in self.flow.uses(value) {
            let data = self.func.inst(user);
            let InstKind::Op { op, args } = &data.kind else { return None };
            let position = position as usize;
            let guard = match op {
                Op::SelectBool | Op::SelectI32 | Op::SelectF32 | Op::SelectI64 | Op::SelectF64 => match position {
                    0 => return None,
                    _ => Some((args[0], position == 1)),
                },
                Op::BAnd | Op::BOr => Some((args[1 - position], *op == Op::BAnd)),
                Op::And => match self.func.as_op(args[1 - position]) {
                    Some((Op::BToI, mask)) => Some((mask[0], true)),
                    _ => None,
                },
                _ => None,
            };
            match guard {
                Some((cond, holds)) => self.found.push((user, Guard { load: self.load, cond, holds })),
                None => self.follow(*data.results.first()?, steps.checked_sub(1)?)?,
            }
        }
        Some(())
    }
}
