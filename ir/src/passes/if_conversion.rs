//! Converts branches with short arms to selects.
//!
//! Where threads of a packet diverge, all arms run anyway, each under its mask and behind a test whether any thread
//! takes it. If the arms are a few operations each, it is less work to compute them all and to select: no masks, no
//! tests, no branches that the processor cannot predict. And a loop that threads would continue along several edges has
//! one back edge left, so that it need not keep track of them.
//!
//! Conditions that are the same in all threads of a packet stay branches. So do arms that do anything but compute, or
//! leave a loop around: threads then leave where both the arm's condition and their own holds.

use crate::builder::Builder;
use crate::entity::{Inst, Region, Value};
use crate::flow::Flow;
use crate::function::{Function, InstKind, Values};
use crate::ops::Op;
use crate::replacements::Replacements;
use crate::span::Packing;
use crate::uniformity::Uniformity;

/// The most operations of an arm, or of a loop's rest, that run where no thread needs them: about the cost of its mask,
/// test and branch. Selects don't count: masks need as many blends.
const MOST_OPERATIONS: usize = 8;

/// The same in loops that lanes leave one by one. Packets are narrow there, so that an operation is an instruction or
/// two, and their lanes rarely agree, so that branches are mispredicted.
const MOST_IN_DIVERGENT_LOOP: usize = 16;

/// Runs the pass; returns `true` if it changed anything.
pub(super) fn run(func: &mut Function) -> bool {
    let is_branch = |kind: &InstKind| matches!(kind, InstKind::If { .. } | InstKind::Switch { .. });
    if !func.region(func.body()).insts.iter().any(|&inst| func.holds(inst, &is_branch)) {
        return false;
    }
    let flow = Flow::new(func);
    // Values that are the same in all packets of a group are so in those of any width.
    let uniformity = Uniformity::compute(func, &flow, Packing::Group);
    let replacements = Replacements::new(func);
    let body = func.body();
    let mut conversion = Conversion {
        known_values: func.value_count(),
        func,
        uniformity: &uniformity,
        replacements,
        changed: false,
        most_operations: MOST_OPERATIONS,
    };
    conversion.region(body, None);
    let Conversion { replacements, changed, .. } = conversion;
    if changed {
        replacements.apply_to_all(func);
    }
    changed
}

struct Conversion<'a> {
    func: &'a mut Function,
    uniformity: &'a Uniformity,
    replacements: Replacements,
    changed: bool,
    /// Number of values before the pass.
    known_values: usize,
    /// The limit for an arm at the point of the walk.
    most_operations: usize,
}

/// A short region: its operations, and the values that its end passes on.
struct Arm {
    operations: Vec<Inst>,
    passed: Values,
    /// Set if exits from loops are among the operations.
    has_exits: bool,
}

impl Conversion<'_> {
    fn region(&mut self, region: Region, owner: Option<Inst>) {
        for inst in std::mem::take(&mut self.func.region_mut(region).insts) {
            let most_around = self.most_operations;
            if matches!(self.func.inst(inst).kind, InstKind::Loop { .. }) {
                let is_divergent = self.uniformity.jumps_diverge(inst);
                self.most_operations = if is_divergent { MOST_IN_DIVERGENT_LOOP } else { MOST_OPERATIONS };
            }
            for inner in self.func.inst(inst).kind.regions() {
                self.region(inner, Some(inst));
            }
            self.most_operations = most_around;
            if self.convert(inst, region).is_none() {
                self.func.region_mut(region).insts.push(inst);
            }
        }
        if let Some(owner) = owner.filter(|&owner| matches!(self.func.inst(owner).kind, InstKind::Loop { .. })) {
            while self.join_continue(region, owner).is_some() {}
        }
    }

    /// Replaces an `if` or a `switch` by its arms and selects, at the end of a region.
    fn convert(&mut self, inst: Inst, region: Region) -> Option<()> {
        let data = self.func.inst(inst);
        let origin = data.origin;
        match &data.kind {
            &InstKind::If { cond, then_region, else_region } if self.varies(cond) => {
                let arms = [self.arm(inst, then_region)?, self.arm(inst, else_region)?];
                let mut builder = Builder::at_end(self.func, region, origin);
                append_under(&mut builder, &arms[0], cond, false);
                append_under(&mut builder, &arms[1], cond, true);
                let selected = select(&mut builder, cond, &arms[0].passed, &arms[1].passed);
                self.replace_results(inst, &selected);
            }
            InstKind::Switch { selector, cases, default } if self.varies(*selector) => {
                let (selector, cases, default) = (*selector, cases.clone(), *default);
                let arms = cases.iter().map(|case| self.plain_arm(inst, case.region)).collect::<Option<Vec<Arm>>>()?;
                let default = self.plain_arm(inst, default)?;
                let mut builder = Builder::at_end(self.func, region, origin);
                arms.iter().chain([&default]).for_each(|arm| append(&mut builder, arm));
                let mut selected = default.passed;
                for (case, arm) in cases.iter().zip(&arms) {
                    let cond = is_one_of(&mut builder, selector, &case.labels);
                    selected = select(&mut builder, cond, &arm.passed, &selected);
                }
                self.replace_results(inst, &selected);
            }
            _ => return None,
        }
        self.changed = true;
        Some(())
    }

    /// Replaces an `if` one arm of which continues the loop, where the code that follows it in the loop's body is
    /// short: all of it runs, and the next iteration's variables are selected.
    fn join_continue(&mut self, body: Region, owner: Inst) -> Option<()> {
        let insts = self.func.region(body).insts.clone();
        let (&end, before) = insts.split_last()?;
        let at = before.iter().rposition(|&inst| self.operations(inst).is_none() || self.is_exit(inst))?;
        let InstKind::Yield(passed) = self.func.inst(end).kind.clone() else { return None };
        let rest = self.short(&before[at + 1..], passed)?;
        let branch = before[at];
        let InstKind::If { cond, then_region, else_region } = self.func.inst(branch).kind else { return None };
        if !self.varies(cond) {
            return None;
        }
        let origin = self.func.inst(branch).origin;
        let sides = |leaving, staying| self.plain_arm(owner, leaving).zip(self.plain_arm(branch, staying));
        let leaves_if_so = sides(then_region, else_region);
        let is_then = leaves_if_so.is_some();
        let (leaving, staying) = leaves_if_so.or_else(|| sides(else_region, then_region))?;

        self.func.region_mut(body).insts.truncate(at);
        let mut builder = Builder::at_end(self.func, body, origin);
        [&leaving, &staying, &rest].into_iter().for_each(|arm| append(&mut builder, arm));
        let (then, otherwise) = if is_then { (&leaving, &rest) } else { (&rest, &leaving) };
        let selected = select(&mut builder, cond, &then.passed, &otherwise.passed);
        builder.yield_(&selected);
        self.replace_results(branch, &staying.passed);
        self.changed = true;
        Some(())
    }

    fn replace_results(&mut self, inst: Inst, by: &[Value]) {
        for (&result, &value) in self.func.inst(inst).results.iter().zip(by) {
            self.replacements.replace(result, value);
        }
    }

    /// `true` if a condition differs between threads. Conditions that this pass made of others do: one of these did.
    fn varies(&self, value: Value) -> bool {
        value.index() >= self.known_values || !self.uniformity.is_packet_uniform(value)
    }

    /// A region, if it is short and its end passes values to this construct: the results of an `if` or a `switch`, the
    /// next iteration's parameters of a loop.
    fn arm(&self, to: Inst, region: Region) -> Option<Arm> {
        let (&end, operations) = self.func.region(region).insts.split_last()?;
        let is_loop = matches!(self.func.inst(to).kind, InstKind::Loop { .. });
        match &self.func.inst(end).kind {
            InstKind::Yield(passed) if !is_loop => self.short(operations, passed.clone()),
            InstKind::Break { target, args } if *target == to && !is_loop => self.short(operations, args.clone()),
            InstKind::Continue { target, args } if *target == to => self.short(operations, args.clone()),
            _ => None,
        }
    }

    /// The same without exits.
    fn plain_arm(&self, to: Inst, region: Region) -> Option<Arm> {
        self.arm(to, region).filter(|arm| !arm.has_exits)
    }

    fn short(&self, operations: &[Inst], passed: Values) -> Option<Arm> {
        let counts = operations.iter().map(|&inst| self.operations(inst));
        let is_short = counts.sum::<Option<usize>>()? <= self.most_operations;
        let has_exits = operations.iter().any(|&inst| self.is_exit(inst));
        is_short.then(|| Arm { operations: operations.to_vec(), passed, has_exits })
    }

    /// The number of operations that an instruction counts as; `None` if it cannot be part of an arm.
    fn operations(&self, inst: Inst) -> Option<usize> {
        match self.func.inst(inst).kind {
            InstKind::Const(_) => Some(0),
            InstKind::Op { op, .. } if !op.takes_long() => Some(usize::from(op != Op::select(op.result()))),
            InstKind::If { .. } => {
                let (_, jumping) = exit(self.func, inst)?;
                let (_, before) = self.func.region(jumping).insts.split_last()?;
                let counts = before.iter().map(|&inst| self.operations(inst).filter(|_| !self.is_exit(inst)));
                Some(1 + counts.sum::<Option<usize>>()?)
            }
            _ => None,
        }
    }

    fn is_exit(&self, inst: Inst) -> bool {
        exit(self.func, inst).is_some()
    }
}

/// Finds an `if` that jumps in one arm and does nothing in the other: returns whether it jumps if its condition holds,
/// and the region that jumps.
fn exit(func: &Function, inst: Inst) -> Option<(bool, Region)> {
    let InstKind::If { then_region, else_region, .. } = func.inst(inst).kind else { return None };
    let last = |region: Region| func.region(region).insts.last().map(|&end| &func.inst(end).kind);
    let jumps = |region| last(region).is_some_and(|kind| kind.jump_target().is_some());
    let is_empty = |region| func.region(region).insts.len() == 1 && matches!(last(region), Some(InstKind::Yield(_)));
    match () {
        () if jumps(then_region) && is_empty(else_region) => Some((true, then_region)),
        () if is_empty(then_region) && jumps(else_region) => Some((false, else_region)),
        () => None,
    }
    .filter(|_| func.inst(inst).results.is_empty())
}

/// Appends an arm of an `if`, which threads run `under` a condition or its opposite. Other threads skip its exits.
fn append_under(builder: &mut Builder<'_>, arm: &Arm, under: Value, is_opposite: bool) {
    if !arm.has_exits {
        return append(builder, arm);
    }
    let opposite = builder.op(Op::BNot, &[under]);
    let (under, not_under) = if is_opposite { (opposite, under) } else { (under, opposite) };
    let region = builder.region();
    for &inst in &arm.operations {
        if let Some((leaves_if_so, _)) = exit(builder.func, inst)
            && let InstKind::If { mut cond, then_region, else_region } = builder.func.inst(inst).kind
        {
            cond = match leaves_if_so {
                true => builder.op(Op::BAnd, &[cond, under]),
                false => builder.op(Op::BOr, &[cond, not_under]),
            };
            builder.func.inst_mut(inst).kind = InstKind::If { cond, then_region, else_region };
        }
        builder.func.region_mut(region).insts.push(inst);
    }
}

fn append(builder: &mut Builder<'_>, arm: &Arm) {
    let region = builder.region();
    builder.func.region_mut(region).insts.extend(&arm.operations);
}

fn select(builder: &mut Builder<'_>, cond: Value, then: &[Value], otherwise: &[Value]) -> Values {
    let pairs = then.iter().zip(otherwise);
    pairs.map(|(&a, &b)| if a == b { a } else { builder.select(cond, a, b) }).collect()
}

/// A condition that a number is one of the labels of a case.
fn is_one_of(builder: &mut Builder<'_>, number: Value, labels: &[u32]) -> Value {
    let mut found = None;
    for &label in labels {
        let label = builder.i32(label);
        let equal = builder.op(Op::IEq, &[number, label]);
        found = Some(found.map_or(equal, |found| builder.op(Op::BOr, &[found, equal])));
    }
    found.expect("cases have labels")
}

#[cfg(test)]
mod tests {
    use crate::passes::{Level, optimise};
    use crate::text::{Names, parse, print};
    use crate::verify::verify;

    /// A loop with a switch and a `continue`, by the thread's number (`%`) or the group's.
    const LOOP: &str = r#"function "loop" {
  group 64 1 1
  res0 = u0 structured stride 8
  body {
    v0: i32 = input thread_id.x
    v1: i32 = input %
    v2: i32 = const 0
    v3: i32 = const 1
    v4: i32 = const 3
    v5: i32 = const 2
    loop l0 (v6: i32 = v1, v7: i32 = v2) -> v8, v9: i32 {
      v10: bool = ieq v6, v3
      if v10 {
        break l0 v6, v7
      }
      else {
        yield
      }
      v11: i32 = and v6, v4
      switch l1 v11 -> v12: i32 {
        case 0 {
          v13: i32 = ushr v6, v5
          break l1 v13
        }
        case 2 {
          v14: i32 = ushr v6, v3
          break l1 v14
        }
        default {
          v15: i32 = imul v6, v4
          v16: i32 = iadd v15, v3
          break l1 v16
        }
      }
      v17: bool = ult v12, v4
      if v17 {
        v18: i32 = iadd v7, v5
        continue l0 v12, v18
      }
      else {
        yield
      }
      v19: i32 = iadd v7, v3
      yield v12, v19
    }
    v20: bool = const true
    store res0[v0 + v2], v8, v9 where v20
    return
  }
}
"#;

    /// A loop that some threads leave inside of an arm of an arm.
    const EXIT: &str = r#"function "exit" {
  group 64 1 1
  res0 = u0 structured stride 8
  body {
    v0: i32 = input thread_id.x
    v1: i32 = const 0
    v2: i32 = const 1
    v3: i32 = const 7
    loop l0 (v4: i32 = v0, v5: i32 = v1) -> v6, v7: i32 {
      v8: i32 = load res0[v4 + v1]
      v9: bool = ult v8, v3
      if v9 -> v10: i32 {
        v11: i32 = iadd v5, v8
        yield v11
      }
      else {
        v12: bool = ieq v8, v3
        if v12 -> v13: i32 {
          v14: i32 = imul v5, v3
          v15: bool = uge v14, v8
          if v15 {
            yield
          }
          else {
            v16: i32 = isub v14, v8
            break l0 v4, v16
          }
          v17: i32 = iadd v14, v2
          yield v17
        }
        else {
          yield v5
        }
        yield v13
      }
      v18: i32 = iadd v4, v2
      yield v18, v10
    }
    v19: bool = const true
    store res0[v0 + v1], v6, v7 where v19
    return
  }
}
"#;

    fn optimised(number: &str) -> String {
        optimised_text(&LOOP.replace('%', number))
    }

    fn optimised_text(text: &str) -> String {
        let mut func = parse(text).unwrap();
        optimise(&mut func, Level::Full);
        let text = print(&func, Names::Dense);
        verify(func).unwrap();
        text
    }

    #[test]
    fn short_arms_become_selects_where_threads_diverge() {
        let text = optimised("thread_id.x");
        assert!(!text.contains("switch") && !text.contains("continue"), "{text}");
        assert_eq!(text.matches("if ").count(), 1, "the exit stays: {text}");
        assert_eq!(text.matches("select.i32").count(), 3, "{text}");
    }

    #[test]
    fn what_threads_do_together_stays_a_branch() {
        let text = optimised("group_id.x");
        assert!(text.contains("switch") && text.contains("continue"), "{text}");
        assert!(!text.contains("select"), "{text}");
    }

    #[test]
    fn threads_leave_a_loop_where_all_conditions_around_hold() {
        let text = optimised_text(EXIT);
        assert_eq!(text.matches("if ").count(), 1, "the exit stays: {text}");
        assert_eq!(text.matches("select.i32").count(), 2, "{text}");
        // It is left where 7 is found and the product is less: not where one of the arms around is not taken.
        assert_eq!(text.matches("bor ").count(), 2, "{text}");
    }
}
