//! Moves loop-invariant computations out of their loop.
//!
//! Only cheap computations without side effects move, even out of a branch. Loops that contain a waiting barrier (an
//! execution barrier, not only a memory fence) are left alone: a value from before them would have to be kept for every
//! packet of the group.

use crate::entity::{Inst, Region, Value};
use crate::function::{Function, InstKind};

/// Runs the pass.
pub(super) fn run(func: &mut Function) {
    let mut depth = vec![0u32; func.value_count()];
    region(func, func.body(), 0, &mut depth);
}

/// `depth` is the number of loops around the computation of each value seen so far. Returns the instructions that leave
/// the region: they depend on nothing in its innermost loop.
fn region(func: &mut Function, at: Region, loops: u32, depth: &mut [u32]) -> Vec<Inst> {
    let mut leaving = Vec::new();
    let mut kept = Vec::new();
    for inst in std::mem::take(&mut func.region_mut(at).insts) {
        let kind = &func.inst(inst).kind;
        let is_loop = matches!(kind, InstKind::Loop { .. });
        let inner_loops = loops + u32::from(is_loop && !func.holds(inst, &InstKind::is_waiting_barrier));
        for inner in kind.regions() {
            for &param in &func.region(inner).params {
                depth[param.index()] = inner_loops;
            }
            // An instruction that leaves a branch was under its condition, which is no matter, since it cannot fail.
            for moved in region(func, inner, inner_loops, depth) {
                let home = if is_loop { loops } else { inner_loops };
                keep_or_move(func, moved, home, depth, &mut kept, &mut leaving);
            }
        }
        keep_or_move(func, inst, loops, depth, &mut kept, &mut leaving);
    }
    func.region_mut(at).insts = kept;
    leaving
}

/// Keeps an instruction here or moves it out of the innermost of `loops` loops.
fn keep_or_move(
    func: &Function,
    inst: Inst,
    loops: u32,
    depth: &mut [u32],
    kept: &mut Vec<Inst>,
    leaving: &mut Vec<Inst>,
) {
    let data = func.inst(inst);
    let needs = data.kind.args().iter().map(|value: &Value| depth[value.index()]).max().unwrap_or(0);
    let leaves = loops > 0 && needs < loops && func.is_speculatable(&data.kind);
    for result in &data.results {
        // Its final depth: each loop it leaves passes it on to the next.
        depth[result.index()] = if leaves { needs } else { loops };
    }
    if leaves { leaving.push(inst) } else { kept.push(inst) }
}
