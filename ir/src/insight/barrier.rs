//! Finds the barrier about which threads disagree that take different ways at a branch.

use crate::entity::{Inst, Region};
use crate::flow::Flow;
use crate::function::{Function, InstKind, Origin};

/// The barrier that a branch controls, by its instruction, of a function at [`Level::Observed`](crate::passes::Level).
pub fn barrier_of_branch(func: &Function, branch: Origin) -> Option<Origin> {
    let flow = Flow::new(func);
    let is_branch = |inst: &Inst| {
        let data = func.inst(*inst);
        data.origin == branch && matches!(data.kind, InstKind::If { .. } | InstKind::Switch { .. })
    };
    flow.order.iter().copied().filter(is_branch).find_map(|inst| controlled_barrier(func, &flow, inst))
}

/// The barrier that a branch controls: the first one in its arms, or else after it, also of a loop around it before it.
pub(super) fn controlled_barrier(func: &Function, flow: &Flow, branch: Inst) -> Option<Origin> {
    let mut found = func.inst(branch).kind.regions().into_iter().find_map(|region| barrier_in(func, region));
    let mut at = branch;
    while found.is_none() {
        let region = flow.region_of(at);
        let later = func.region(region).insts.iter().skip_while(|&&other| other != at).skip(1);
        let owner = flow.owner(region);
        let around = owner.filter(|&owner| matches!(func.inst(owner).kind, InstKind::Loop { .. }));
        found = later.chain(&around).find_map(|&inst| waits_in(func, inst));
        at = match owner {
            Some(owner) => owner,
            None => break,
        };
    }
    found
}

/// The first barrier in a region at which threads wait.
pub(super) fn barrier_in(func: &Function, region: Region) -> Option<Origin> {
    func.region(region).insts.iter().find_map(|&inst| waits_in(func, inst))
}

/// The same in an instruction's regions, if it is none itself.
fn waits_in(func: &Function, inst: Inst) -> Option<Origin> {
    let data = func.inst(inst);
    match data.kind.is_waiting_barrier() {
        true => Some(data.origin),
        false => data.kind.regions().into_iter().find_map(|inner| barrier_in(func, inner)),
    }
}
