//! Rematerialises values: those that are as fast to compute as to load are recomputed after a barrier.
//!
//! A value that is used after a barrier is stored for every packet and read again in each segment that uses it. An
//! address that is an operation or two away from the thread's index is better recomputed: it takes no memory, and an
//! engine that sees its definition knows its stride from lane to lane.

use std::collections::HashMap;

use crate::entity::{Inst, Region, Value};
use crate::flow::Flow;
use crate::function::{Function, InstKind, ValueDef};
use crate::ops::Op;
use crate::phases::{Phases, Step};
use crate::span::Packing;
use crate::uniformity::Uniformity;

/// The most operations that recomputing a value may take.
const MAX_COST: u32 = 3;

/// Runs the pass.
pub(super) fn run(func: &mut Function) {
    let phases = Phases::compute(func);
    if !phases.has_cuts() {
        return;
    }
    let costs = Costs::compute(func, &phases);
    let mut pass =
        Rematerialise { func, phases: &phases, costs, segment: 0, home: HashMap::new(), originals: HashMap::new() };
    let body = pass.func.body();
    pass.region(body);
}

/// Number of operations that compute each value from values available in every segment.
struct Costs {
    of: Vec<Option<u32>>,
    /// Set if the value would be kept for every packet.
    is_kept: Vec<bool>,
}

impl Costs {
    fn compute(func: &Function, phases: &Phases) -> Self {
        let uniformity = Uniformity::compute(func, &Flow::new(func), Packing::Group);
        let mut costs = Self { of: vec![None; func.value_count()], is_kept: vec![false; func.value_count()] };
        costs.region(func, &uniformity, func.body());
        for (n, is_kept) in costs.is_kept.iter_mut().enumerate() {
            let value = Value::new(n);
            *is_kept = phases.is_crossing(value) && !uniformity.is_group_uniform(value);
        }
        costs
    }

    fn region(&mut self, func: &Function, uniformity: &Uniformity, region: Region) {
        for &inst in &func.region(region).insts {
            let data = func.inst(inst);
            let cost = match &data.kind {
                InstKind::Const(_) | InstKind::Input(_) => Some(0),
                InstKind::Op { op, args } if is_cheap(*op) => args
                    .iter()
                    .try_fold(1, |sum, arg| Some(sum + self.of[arg.index()]?))
                    .filter(|&cost| cost <= MAX_COST),
                _ => None,
            };
            for &result in &data.results {
                // Group-uniform values are kept once for all packets.
                let is_at_hand = uniformity.is_group_uniform(result);
                self.of[result.index()] = if is_at_hand { Some(0) } else { cost };
            }
            for inner in data.kind.regions() {
                for &param in &func.region(inner).params {
                    self.of[param.index()] = uniformity.is_group_uniform(param).then_some(0);
                }
                self.region(func, uniformity, inner);
            }
        }
    }

    fn is_rematerialised(&self, value: Value) -> bool {
        self.is_kept.get(value.index()) == Some(&true) && self.of[value.index()].is_some()
    }
}

/// `true` if it takes an instruction or two for four lanes.
fn is_cheap(op: Op) -> bool {
    matches!(
        op,
        Op::IAdd
            | Op::ISub
            | Op::IMul
            | Op::And
            | Op::Or
            | Op::Xor
            | Op::Shl
            | Op::UShr
            | Op::SShr
            | Op::IEq
            | Op::ULt
            | Op::UGe
            | Op::BNot
    )
}

struct Rematerialise<'a> {
    func: &'a mut Function,
    phases: &'a Phases,
    costs: Costs,
    segment: u32,
    /// The segment that computes each value that this pass may rematerialise.
    home: HashMap<Value, u32>,
    /// The value of which each clone is a copy.
    originals: HashMap<Value, Value>,
}

impl Rematerialise<'_> {
    /// A region of the group level.
    fn region(&mut self, region: Region) {
        let steps = self.phases.steps(region).expect("regions of the group level have steps");
        let insts = std::mem::take(&mut self.func.region_mut(region).insts);
        let mut all = Vec::with_capacity(insts.len());
        for step in steps {
            match *step {
                Step::Segment { start, end } => {
                    self.segment += 1;
                    let mut clones = Clones::default();
                    insts[start..end].iter().for_each(|&inst| self.inst(inst, &mut clones));
                    all.append(&mut clones.insts);
                    all.extend(&insts[start..end]);
                }
                Step::Cut(inst) => {
                    all.push(inst);
                    self.func.inst(inst).kind.regions().into_iter().for_each(|inner| self.region(inner));
                }
            }
        }
        self.func.region_mut(region).insts = all;
    }

    /// An instruction of a segment, with all that is in it.
    fn inst(&mut self, inst: Inst, clones: &mut Clones) {
        for value in self.func.inst(inst).kind.args() {
            let is_elsewhere = self.home.get(&value).is_some_and(|&segment| segment != self.segment);
            if is_elsewhere && !clones.values.contains_key(&value) {
                self.clone_value(value, clones);
            }
        }
        self.func.inst_mut(inst).kind.for_each_arg(|value| {
            if let Some(&made) = clones.values.get(value) {
                *value = made;
            }
        });
        for inner in self.func.inst(inst).kind.regions() {
            for inst in self.func.region(inner).insts.clone() {
                self.inst(inst, clones);
            }
        }
        for n in 0..self.func.inst(inst).results.len() {
            let result = self.func.inst(inst).results[n];
            if self.costs.is_rematerialised(result) {
                self.home.insert(result, self.segment);
            }
        }
    }

    /// Computes a value at the segment's start, after its operands.
    fn clone_value(&mut self, value: Value, clones: &mut Clones) -> Value {
        // An operand may itself be a clone in the value's own segment.
        let value = self.originals.get(&value).copied().unwrap_or(value);
        if let Some(&made) = clones.values.get(&value) {
            return made;
        }
        let inst = match self.func.value(value).def {
            // Constants, inputs and values kept for the group can be used anywhere.
            ValueDef::Result(inst, _) if self.costs.of[value.index()] != Some(0) => inst,
            _ => return value,
        };
        let data = self.func.inst(inst).clone();
        let mut kind = data.kind;
        kind.for_each_arg(|arg| *arg = self.clone_value(*arg, clones));
        let inst = self.func.add_inst(kind, &[self.func.ty(value)], data.origin);
        self.func.inst_mut(inst).precise = data.precise;
        let made = self.func.inst(inst).results[0];
        self.originals.insert(made, value);
        clones.insts.push(inst);
        clones.values.insert(value, made);
        made
    }
}

/// The values recomputed at the start of a segment.
#[derive(Default)]
struct Clones {
    insts: Vec<Inst>,
    values: HashMap<Value, Value>,
}
