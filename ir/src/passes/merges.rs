//! Removes redundant merges.
//!
//! Where control flow joins, a construct's result is whichever value an edge passes on. If all edges pass the same
//! value from before the construct, the result is that value. If they pass the same computation of values from before
//! it, each its own, it is computed once, before the construct. So it is with a loop's variables: one that is passed on
//! unchanged is its initial value, and where each `continue` has an increment of the counter of its own, all of them
//! pass the one that the body begins with. Threads that diverge then agree on the counter ([`crate::uniformity`]), and
//! a load that it addresses is done once for all of them.

use crate::entity::{Inst, Region, Value};
use crate::flow::Flow;
use crate::function::{Function, InstKind, ValueDef, Values};
use crate::replacements::Replacements;

/// The deepest chain of operations that is compared and hoisted.
const MOST_DEPTH: u32 = 3;

/// Runs the pass; returns `true` if it changed anything.
pub(super) fn run(func: &mut Function) -> bool {
    if !func.region(func.body()).insts.iter().any(|&inst| !func.inst(inst).kind.regions().is_empty()) {
        return false;
    }
    let flow = Flow::new(func);
    let mut merges = Merges { flow: &flow, replacements: Replacements::new(func), changed: false };
    merges.region(func, func.body());
    if merges.changed {
        merges.replacements.apply_to_all(func);
    }
    merges.changed
}

struct Merges<'a> {
    flow: &'a Flow,
    replacements: Replacements,
    changed: bool,
}

/// A point at which values can be used: before a construct, or in a loop's body with its variables.
#[derive(Clone, Copy)]
struct MergePoint {
    construct: Inst,
    body: Option<Region>,
}

impl Merges<'_> {
    /// Inner constructs come first, so that outer ones see the final results.
    fn region(&mut self, func: &mut Function, region: Region) {
        let mut kept = Vec::new();
        for inst in std::mem::take(&mut func.region_mut(region).insts) {
            for inner in func.inst(inst).kind.regions() {
                self.region(func, inner);
            }
            if let InstKind::Loop { body, .. } = func.inst(inst).kind {
                self.loop_variables(func, inst, body);
            }
            if !func.inst(inst).kind.regions().is_empty() {
                self.results(func, inst, &mut kept);
            }
            kept.push(inst);
        }
        func.region_mut(region).insts = kept;
    }

    fn results(&mut self, func: &mut Function, inst: Inst, front: &mut Vec<Inst>) {
        let point = MergePoint { construct: inst, body: None };
        let is_loop = matches!(func.inst(inst).kind, InstKind::Loop { .. });
        for n in 0..func.inst(inst).results.len() {
            let result = func.inst(inst).results[n];
            if self.flow.uses(result).is_empty() {
                continue;
            }
            let values = self.passed(func, self.flow.result_edges(inst), n);
            let mut by = self.merged(func, &values, point);
            // Exit values of a loop are computed at its exits.
            if by.is_none() && !is_loop {
                by = self.computed(func, &values, point, front);
            }
            if let Some(by) = by {
                self.replace(result, by);
            }
        }
    }

    fn loop_variables(&mut self, func: &mut Function, inst: Inst, body: Region) {
        let edges = self.flow.param_edges(inst);
        let mut front = Vec::new();
        for n in 0..func.region(body).params.len() {
            let param = func.region(body).params[n];
            let mut values = self.passed(func, edges, n);
            if let Some(by) = self.computed(func, &values, MergePoint { construct: inst, body: Some(body) }, &mut front)
            {
                for &edge in edges {
                    func.inst_mut(edge).kind.passed_mut().expect("edges pass values on")[n] = by;
                }
                self.changed = true;
                continue;
            }
            if self.flow.uses(param).is_empty() {
                continue;
            }
            values.retain(|value| *value != param);
            values.extend(self.passed(func, &[inst], n));
            if let Some(by) = self.merged(func, &values, MergePoint { construct: inst, body: None }) {
                self.replace(param, by);
            }
        }
        func.region_mut(body).insts.splice(0..0, front);
    }

    fn replace(&mut self, value: Value, by: Value) {
        self.replacements.replace(value, by);
        self.changed = true;
    }

    /// The `n`-th values that edges pass on.
    fn passed(&self, func: &Function, edges: &[Inst], n: usize) -> Values {
        let passed = |&edge: &Inst| func.inst(edge).kind.passed().expect("edges pass values on")[n];
        edges.iter().map(|edge| self.replacements.resolve(passed(edge))).collect()
    }

    /// The value from before the construct that all of these are.
    fn merged(&self, func: &Function, values: &[Value], point: MergePoint) -> Option<Value> {
        let (&first, others) = values.split_first()?;
        (others.iter().all(|&other| other == first) && self.is_available(func, first, point)).then_some(first)
    }

    /// The same computation of available values, if each of these is one; its operations go to `front`.
    fn computed(
        &self,
        func: &mut Function,
        values: &[Value],
        point: MergePoint,
        front: &mut Vec<Inst>,
    ) -> Option<Value> {
        let (&first, others) = values.split_first()?;
        let are_some = others.iter().any(|&other| other != first);
        let are_equal = || others.iter().all(|&other| self.is_same(func, first, other, MOST_DEPTH));
        if !are_some || !are_equal() || !self.can_be_computed(func, first, point, MOST_DEPTH) {
            return None;
        }
        Some(self.compute(func, first, point, front))
    }

    fn is_same(&self, func: &Function, a: Value, b: Value, depth: u32) -> bool {
        let [a, b] = [a, b].map(|value| self.replacements.resolve(value));
        if a == b {
            return true;
        }
        let Some(depth) = depth.checked_sub(1) else { return false };
        match (func.as_op(a), func.as_op(b)) {
            (Some((op, args)), Some((other, others))) => {
                op == other && args.iter().zip(others).all(|(&a, &b)| self.is_same(func, a, b, depth))
            }
            _ => func.as_const(a).is_some() && func.as_const(a) == func.as_const(b),
        }
    }

    fn can_be_computed(&self, func: &Function, value: Value, point: MergePoint, depth: u32) -> bool {
        let value = self.replacements.resolve(value);
        if self.is_available(func, value, point) || func.as_const(value).is_some() {
            return true;
        }
        let Some(depth) = depth.checked_sub(1) else { return false };
        func.as_op(value).is_some_and(|(_, args)| args.iter().all(|&arg| self.can_be_computed(func, arg, point, depth)))
    }

    fn compute(&self, func: &mut Function, value: Value, point: MergePoint, front: &mut Vec<Inst>) -> Value {
        let value = self.replacements.resolve(value);
        if self.is_available(func, value, point) {
            return value;
        }
        let ValueDef::Result(inst, _) = func.value(value).def else {
            unreachable!("loop variables cannot be computed")
        };
        let (mut kind, origin) = (func.inst(inst).kind.clone(), func.inst(inst).origin);
        kind.for_each_arg(|arg| *arg = self.compute(func, *arg, point, front));
        let copy = func.add_inst(kind, &[func.ty(value)], origin);
        func.inst_mut(copy).precise = func.inst(inst).precise;
        front.push(copy);
        func.inst(copy).results[0]
    }

    /// `true` if a value is available at a point. Values made by this pass are not, as far as it knows.
    fn is_available(&self, func: &Function, value: Value, point: MergePoint) -> bool {
        let region = match func.value(value).def {
            ValueDef::Result(inst, _) if self.flow.knows(inst) => self.flow.region_of(inst),
            ValueDef::Result(..) => return false,
            ValueDef::Param(region, _) if Some(region) == point.body => return true,
            ValueDef::Param(region, _) => region,
        };
        // A region around the construct: its own region, or an outer one.
        let mut around = Some(self.flow.region_of(point.construct));
        while let Some(at) = around.filter(|&at| at != region) {
            around = self.flow.owner(at).map(|owner| self.flow.region_of(owner));
        }
        around.is_some()
    }
}

#[cfg(test)]
mod tests {
    use crate::flow::Flow;
    use crate::passes::{Level, optimise};
    use crate::span::Packing;
    use crate::text::{Names, parse, print};
    use crate::uniformity::Uniformity;
    use crate::verify::verify;

    /// Sums over a loop that some threads continue early, each path with an increment of the counter of its own. `kept`
    /// passes the loop unchanged.
    const CONTINUES: &str = r#"function "continues" {
  group 64 1 1
  res0 = t0 structured stride 4
  res1 = u0 structured stride 8
  body {
    v0: i32 = input thread_id.x
    v1: i32 = const 0
    v2: i32 = const 1
    v3: i32 = const 100
    v4: i32 = load res0[v0 + v1]
    loop l0 (v5: i32 = v1, v6: i32 = v1, v7: i32 = v4) -> v8, v9, v10: i32 {
      v11: bool = uge v5, v3
      if v11 {
        break l0 v5, v6, v7
      }
      else {
        yield
      }
      v12: i32 = load res0[v5 + v1]
      v13: bool = ult v12, v7
      if v13 -> v14: i32 {
        v15: i32 = iadd v5, v2
        continue l0 v15, v6, v7
      }
      else {
        yield v5
      }
      v16: i32 = udiv v12, v7
      v17: i32 = iadd v14, v2
      v18: bool = ult v16, v3
      if v18 {
        continue l0 v17, v16, v7
      }
      else {
        yield
      }
      v19: i32 = udiv v16, v7
      v20: i32 = iadd v2, v14
      yield v20, v19, v7
    }
    v21: bool = const true
    store res1[v0 + v1], v9, v10 where v21
    return
  }
}
"#;

    /// Both arms of an `if` add 5 to the thread's number, and one multiplies what the other divides.
    const SIDES: &str = r#"function "sides" {
  group 64 1 1
  res0 = u0 structured stride 12
  body {
    v0: i32 = input thread_id.x
    v1: i32 = const 0
    v2: i32 = const 3
    v3: bool = ult v0, v2
    if v3 -> v4, v5, v6: i32 {
      v7: i32 = const 5
      v8: i32 = iadd v0, v7
      v9: i32 = udiv v0, v2
      yield v8, v9, v0
    }
    else {
      v10: i32 = const 5
      v11: i32 = iadd v10, v0
      v12: i32 = load res0[v0 + v1]
      yield v11, v12, v0
    }
    v13: bool = const true
    store res0[v0 + v1], v4, v5, v6 where v13
    return
  }
}
"#;

    fn optimised(text: &str) -> (String, Vec<bool>) {
        let mut func = parse(text).unwrap();
        optimise(&mut func, Level::Full);
        let flow = Flow::new(&func);
        let uniformity = Uniformity::compute(&func, &flow, Packing::Group);
        let params = flow.order.iter().flat_map(|&inst| flow.params(&func, inst));
        let uniform = params.map(|&param| uniformity.is_packet_uniform(param)).collect();
        let text = print(&func, Names::Dense);
        verify(func).unwrap();
        (text, uniform)
    }

    #[test]
    fn every_way_through_a_loop_has_the_same_counter() {
        let (text, uniform) = optimised(CONTINUES);
        assert_eq!(uniform, [true, false], "the counter and the sum, and what stays as it is no longer: {text}");
        assert_eq!(text.matches("iadd").count(), 1, "{text}");
        assert_eq!(text.matches("continue l0").count(), 2, "{text}");
    }

    #[test]
    fn what_both_sides_compute_is_computed_once() {
        let (text, _) = optimised(SIDES);
        assert_eq!(text.matches("iadd").count(), 1, "{text}");
        let before = text.split("if ").next().unwrap();
        assert!(before.contains("iadd") && !before.contains("udiv"), "{text}");
    }
}
