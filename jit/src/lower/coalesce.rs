//! Coalesces values that packets keep between segments, so that nothing needs to be copied from one to another.
//!
//! A value carried by a loop across a barrier is kept in the packet's record: the value before the loop, the loop's
//! parameter, the next iteration's argument and the result. If no two of them are live at the same time they share a
//! slot, and segments that would only copy disappear.
//!
//! Time is counted in group-level steps. A segment reads its inputs before it writes anything, so a value may take the
//! slot of one that the same segment reads last. A result is written where a jump leaves its construct, a parameter
//! where one leads to the next iteration; on these edges only values live at their target count, so each live range
//! starts at the end of its edge.

use brolga_ir::Function;
use brolga_ir::entity::{Inst, Region, Value};
use brolga_ir::function::InstKind;
use brolga_ir::phases::Step;

use super::facts::Facts;
use super::pressure::Pressure;
use crate::packet;

/// The most values that share a slot, so that comparing them stays cheap.
const MOST_TOGETHER: usize = 64;

/// For each value, the representative whose slot it shares, often itself.
pub(super) fn representatives(facts: &Facts<'_>, pressure: &Pressure) -> Vec<Value> {
    let func = facts.func;
    let mut walk = Walk {
        func,
        facts,
        position: 0,
        lives: vec![None; func.value_count()],
        loops: Vec::new(),
        owners: Vec::new(),
        moves: Vec::new(),
    };
    if facts.phases.has_cuts() {
        walk.region(func.body());
    }
    let mut classes = Classes {
        parents: (0..func.value_count()).map(Value::new).collect(),
        lives: (0..func.value_count()).map(|n| walk.lives[n].into_iter().collect()).collect(),
    };
    let kind = |value: Value| {
        let is_here = facts.is_kept(value) && !facts.is_kept_by_group(value) && !pressure.is_remote(value);
        is_here.then(|| (facts.is_uniform(value), packet::is_wide(func.ty(value))))
    };
    for &(from, to) in &walk.moves {
        if kind(from).is_some() && kind(from) == kind(to) {
            classes.join(from, to);
        }
    }
    (0..func.value_count()).map(|n| classes.first(Value::new(n))).collect()
}

/// Classes of values that share a slot.
struct Classes {
    /// The value that each was joined to, or itself.
    parents: Vec<Value>,
    /// Live ranges of each class, stored at its representative.
    lives: Vec<Vec<Life>>,
}

impl Classes {
    fn first(&self, mut value: Value) -> Value {
        while self.parents[value.index()] != value {
            value = self.parents[value.index()];
        }
        value
    }

    fn join(&mut self, a: Value, b: Value) {
        let [a, b] = [a, b].map(|value| self.first(value));
        let [a_lives, b_lives] = [a, b].map(|value| &self.lives[value.index()]);
        let small = a_lives.len() + b_lives.len() <= MOST_TOGETHER;
        let apart = |x: &Life| b_lives.iter().all(|y| x.end <= y.start || y.end <= x.start);
        if a != b && small && a_lives.iter().all(apart) {
            let lives = std::mem::take(&mut self.lives[b.index()]);
            self.lives[a.index()].extend(lives);
            self.parents[b.index()] = a;
        }
    }
}

/// The live range of a value, in steps.
#[derive(Clone, Copy, Debug)]
struct Life {
    start: u32,
    end: u32,
}

struct Walk<'a> {
    func: &'a Function,
    facts: &'a Facts<'a>,
    position: u32,
    lives: Vec<Option<Life>>,
    /// Enclosing cut loops: the step at which each starts, and the values defined before it that it uses.
    loops: Vec<(u32, Vec<Value>)>,
    /// Enclosing cut constructs, innermost last, to which the ends of regions belong.
    owners: Vec<Inst>,
    /// Values passed by jumps and ends of regions, and the values that they become.
    moves: Vec<(Value, Value)>,
}

impl Walk<'_> {
    fn region(&mut self, region: Region) {
        let (func, facts) = (self.func, self.facts);
        let steps = facts.phases.steps(region).expect("regions of the group level have steps");
        for step in steps {
            self.position += 1;
            match *step {
                Step::Segment { start, end } => {
                    for &inst in &func.region(region).insts[start..end] {
                        self.inst(inst);
                        self.pass(inst);
                    }
                }
                Step::Cut(inst) => self.cut(inst),
            }
        }
    }

    /// Visits an instruction of a segment, with its regions.
    fn inst(&mut self, inst: Inst) {
        let data = self.func.inst(inst);
        data.kind.args().into_iter().for_each(|value| self.use_(value));
        for inner in data.kind.regions() {
            self.func.region(inner).params.iter().for_each(|&param| self.define(param));
            self.func.region(inner).insts.iter().for_each(|&inst| self.inst(inst));
        }
        data.results.iter().for_each(|&result| self.define(result));
    }

    /// Records the values that an instruction passes on. Jumps within a segment never leave it.
    fn pass(&mut self, inst: Inst) {
        if let Some((from, to)) = self.func.edge(inst, self.owners.last().copied()) {
            self.moves.extend(from.iter().copied().zip(to.iter().copied()));
        }
    }

    fn cut(&mut self, inst: Inst) {
        let func = self.func;
        let data = func.inst(inst);
        data.kind.args().into_iter().for_each(|value| self.use_(value));
        let is_loop = matches!(data.kind, InstKind::Loop { .. });
        self.pass(inst);
        if is_loop {
            self.loops.push((self.position, Vec::new()));
        }
        self.owners.push(inst);
        for inner in data.kind.regions() {
            func.region(inner).params.iter().for_each(|&param| self.define(param));
            self.region(inner);
        }
        self.owners.pop();
        self.position += 1;
        if is_loop {
            let (_, used) = self.loops.pop().expect("pushed above");
            used.into_iter().for_each(|value| self.use_(value));
        }
        data.results.iter().for_each(|&result| self.define(result));
    }

    fn define(&mut self, value: Value) {
        self.lives[value.index()] = Some(Life { start: self.position, end: self.position });
    }

    fn use_(&mut self, value: Value) {
        let Some(life) = &mut self.lives[value.index()] else { return };
        life.end = self.position;
        // A value defined before a loop and used in it is live in all of its iterations.
        let start = life.start;
        if let Some((_, used)) = self.loops.iter_mut().find(|(loop_start, _)| *loop_start > start) {
            used.push(value);
        }
    }
}
