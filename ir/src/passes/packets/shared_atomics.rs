//! Makes loads and stores of atomics on shared memory that only read or only write. The lanes of a packet run in order and
//! the packets of a group one after the other, so these are the same, and they go lane by lane no more.
//!
//! Not before other passes have run: they merge loads, which atomics are not.

use crate::entity::Region;
use crate::flow::Flow;
use crate::function::{AtomicOp, Function, InstKind, Object};

/// Runs the pass.
pub(in crate::passes) fn run(func: &mut Function) {
    if func.interface.shared.is_empty() {
        return;
    }
    let mut found = Vec::new();
    let flow = Flow::new(func);
    for region in (0..func.region_count()).map(Region::new) {
        for &inst in &func.region(region).insts {
            let data = func.inst(inst);
            let InstKind::Atomic { op, place, value, effect, .. } = data.kind else { continue };
            if !matches!(place.object, Object::Shared(_)) {
                continue;
            }
            let is = |value, bits| func.as_const(value).is_some_and(|constant| constant.bits == bits);
            let is_read = data.results.iter().any(|&result| !flow.uses(result).is_empty());
            match op {
                AtomicOp::Exchange if !is_read => {
                    found.push((inst, InstKind::Store { place, values: [value].into_iter().collect(), effect }));
                }
                AtomicOp::Add | AtomicOp::Or | AtomicOp::Xor if is(value, 0) && is(effect, 1) => {
                    found.push((inst, InstKind::Load { place }));
                }
                _ => {}
            }
        }
    }
    for (inst, kind) in found {
        let data = func.inst_mut(inst);
        if matches!(kind, InstKind::Store { .. }) {
            data.results.clear();
        }
        data.kind = kind;
    }
}

#[cfg(test)]
mod tests {
    use crate::passes::{Level, optimise};
    use crate::text::parse;

    #[test]
    fn atomics_that_only_read_or_write_are_loads_and_stores() {
        let text = r#"function "f" {
  group 64 1 1
  res0 = u0 raw
  g0 = g0 structured stride 4 count 64
  body {
    v0: i32 = input thread_index
    v1: i32 = const 0
    v2: bool = const true
    v3: i32 = atomic exchange g0[v0 + v1], v0 where v2
    v4: i32 = atomic or g0[v0 + v1], v1 where v2
    v5: i32 = atomic exchange g0[v0 + v1], v4 where v2
    v6: i32 = atomic exchange res0[v0], v5 where v2
    v7: i32 = atomic or res0[v0], v1 where v2
    store res0[v0], v7 where v2
    return
  }
}"#;
        let mut func = parse(text).unwrap();
        optimise(&mut func, Level::Full);
        let found = func.to_string();
        for (part, count) in [("store g0", 1), ("load g0", 1), ("exchange g0", 1), ("atomic", 3)] {
            assert_eq!(found.matches(part).count(), count, "{part} in\n{found}");
        }
    }
}
