//! Makes a second version of code, for packets whose threads access a row of texels, none of them beyond an edge.
//!
//! Shaders clamp coordinates to an image, and every texel is compared with the extents. Almost all packets are inside:
//! for them a clamp returns its operand, so that addresses are affine, and comparisons hold. So there are two versions
//! of the rest of a region, selected by one check of the whole packet: one for packets inside, without clamps and
//! comparisons, and the original code.

use std::collections::{HashMap, HashSet};

use crate::builder::Builder;
use crate::entity::{Inst, Region, Value};
use crate::flow::Flow;
use crate::function::{Function, InstKind, MemoryRef, Object, ValueDef};
use crate::ops::Op;
use crate::shape::{Shape, Shapes};
use crate::span::Packing;
use crate::types::Type;
use crate::uniformity::Uniformity;

/// The most instructions, all regions included, that get a second version.
const MAX_VERSIONED: usize = 600;

/// The most checks of a packet: each has a cost.
const MAX_CHECKS: usize = 24;

/// Runs the pass; returns `true` if it changed anything.
pub(super) fn run(func: &mut Function) -> bool {
    // The packing is not known yet; values that are uniform or affine in packets of one group are a good guess.
    let flow = Flow::new(func);
    let uniformity = Uniformity::compute(func, &flow, Packing::Group);
    let shapes = Shapes::compute(func, &flow, &uniformity);
    let body = func.body();
    Versioning { func, uniformity: &uniformity, shapes: &shapes }.region(body)
}

struct Versioning<'a> {
    func: &'a mut Function,
    uniformity: &'a Uniformity,
    shapes: &'a Shapes,
}

/// An assumption about a value in the version for packets inside.
#[derive(Clone, Copy)]
enum Assumption {
    /// A clamp gives its operand.
    Same(Value),
    /// A condition holds.
    Holds,
}

/// The facts about the instructions of a region.
#[derive(Default)]
struct Scan {
    /// Instructions that can run at its start, since all their operands can.
    movable: HashSet<Inst>,
    /// Values that addresses are computed from.
    addresses: HashSet<Value>,
    /// Values that selects and effects depend on.
    conditions: HashSet<Value>,
    /// Conditions that compare coordinates with extents, and nothing else.
    inside: HashSet<Value>,
}

impl Versioning<'_> {
    /// Adds a version of a region's rest, or of those of the regions in it.
    fn region(&mut self, region: Region) -> bool {
        let insts = self.func.region(region).insts.clone();
        let size: usize = insts.iter().map(|&inst| size(self.func, inst)).sum();
        if size <= MAX_VERSIONED
            && !insts.iter().any(|&inst| self.func.holds(inst, &|kind| matches!(kind, InstKind::Barrier(_))))
        {
            let scan = self.scan(&insts);
            let assumptions = self.assumptions(&insts, &scan);
            if !assumptions.is_empty() {
                self.add_version(region, &insts, &scan, &assumptions);
                return true;
            }
        }
        let inner: Vec<Region> = insts.iter().flat_map(|&inst| self.func.inst(inst).kind.regions()).collect();
        inner.into_iter().fold(false, |changed, region| self.region(region) | changed)
    }

    /// Visits each instruction once in each direction, since expressions may be graphs of any depth.
    fn scan(&self, insts: &[Inst]) -> Scan {
        let mut scan = Scan::default();
        for &inst in insts.iter().rev() {
            let data = self.func.inst(inst);
            match &data.kind {
                InstKind::Load { place } => note_address(place, &mut scan.addresses),
                InstKind::Store { place, effect, .. } | InstKind::Atomic { place, effect, .. } => {
                    note_address(place, &mut scan.addresses);
                    scan.conditions.insert(*effect);
                }
                InstKind::Op { op: Op::SelectI32 | Op::SelectF32, args } => {
                    scan.conditions.insert(args[0]);
                }
                InstKind::Op { op, args } if scan.addresses.contains(&data.results[0]) && is_address_op(*op) => {
                    scan.addresses.extend(args);
                }
                _ => {}
            }
        }
        let here: HashSet<Inst> = insts.iter().copied().collect();
        for &inst in insts {
            let data = self.func.inst(inst);
            let comes_first = |&arg: &Value| match self.func.value(arg).def {
                ValueDef::Result(made, _) => !here.contains(&made) || scan.movable.contains(&made),
                ValueDef::Param(..) => true,
            };
            if self.func.is_speculatable(&data.kind) && data.kind.args().iter().all(comes_first) {
                scan.movable.insert(inst);
            }
            if let InstKind::Op { op: Op::BAnd, args } = &data.kind
                && args.iter().all(|arg| scan.inside.contains(arg) || self.compares(*arg))
            {
                scan.inside.insert(data.results[0]);
            } else if let [result] = data.results[..]
                && self.compares(result)
            {
                scan.inside.insert(result);
            }
        }
        scan
    }

    /// `true` if a condition compares a coordinate with an extent.
    fn compares(&self, condition: Value) -> bool {
        match self.func.as_op(condition) {
            Some((Op::ULt, args)) => self.uniformity.is_packet_uniform(args[1]),
            _ => false,
        }
    }

    /// The assumptions that can be made about values that this region computes.
    fn assumptions(&self, insts: &[Inst], scan: &Scan) -> Vec<(Value, Assumption)> {
        let mut assumptions: Vec<(Value, Assumption)> = Vec::new();
        let mut assumed = HashSet::new();
        for &inst in insts.iter().filter(|inst| scan.movable.contains(inst)) {
            let data = self.func.inst(inst);
            let InstKind::Op { op, args } = &data.kind else { continue };
            let result = data.results[0];
            let assumption = match op {
                Op::SMin | Op::SMax | Op::UMin | Op::UMax if scan.addresses.contains(&result) => {
                    let clamped = |a: Value, b: Value| {
                        let grows = assumed.contains(&a)
                            || matches!(self.shapes.shape(a), Shape::Affine { stride } if stride != 0);
                        (grows && self.uniformity.is_packet_uniform(b)).then_some(Assumption::Same(a))
                    };
                    clamped(args[0], args[1]).or_else(|| clamped(args[1], args[0]))
                }
                _ if scan.inside.contains(&result) && scan.conditions.contains(&result) => {
                    (!self.uniformity.is_packet_uniform(result)).then_some(Assumption::Holds)
                }
                _ => None,
            };
            if let Some(assumption) = assumption {
                assumed.insert(result);
                assumptions.push((result, assumption));
            }
        }
        if assumptions.len() > MAX_CHECKS { Vec::new() } else { assumptions }
    }

    fn add_version(&mut self, region: Region, insts: &[Inst], scan: &Scan, assumptions: &[(Value, Assumption)]) {
        let checks = self.checks(assumptions, scan);
        let first = self.needed(checks.iter().map(|(value, _)| *value), scan);
        let (&terminator, body) = insts.split_last().expect("regions end in a terminator");
        let (front, rest): (Vec<Inst>, Vec<Inst>) = body.iter().partition(|inst| first.contains(*inst));
        self.func.region_mut(region).insts = front;
        // The values of the rest that the terminator uses.
        let made: HashSet<Value> = rest.iter().flat_map(|&inst| self.func.inst(inst).results.iter().copied()).collect();
        let mut given: Vec<Value> = self.func.inst(terminator).kind.args().to_vec();
        given.retain(|value| made.contains(value));
        given.sort_unstable();
        given.dedup();
        let types: Vec<Type> = given.iter().map(|&value| self.func.ty(value)).collect();

        let origin = self.func.inst(terminator).origin;
        let mut b = Builder::new(self.func);
        b.switch_to(region);
        b.set_origin(origin);
        let mut answers = Vec::new();
        for (value, assumption) in checks {
            answers.push(match assumption {
                Assumption::Same(operand) => b.op(Op::IEq, &[value, operand]),
                Assumption::Holds => value,
            });
        }
        let all = answers.into_iter().reduce(|a, answer| b.op(Op::BAnd, &[a, answer]));
        let all = b.packet_all(all.expect("there are assumptions"));
        let (whole, inside, edge) = b.if_else(all, &types);
        b.switch_to(inside);
        let mut copy = Copy { values: HashMap::new(), constructs: Vec::new() };
        for &(value, assumption) in assumptions {
            let assumed = match assumption {
                Assumption::Same(operand) => copy.value(operand),
                Assumption::Holds => b.bool(true),
            };
            copy.values.insert(value, assumed);
        }
        for &inst in &rest {
            copy.inst(self.func, inst, inside);
        }
        let copied: Vec<Value> = given.iter().map(|&value| copy.value(value)).collect();
        self.func.region_mut(edge).insts = rest;
        for (region, values) in [(inside, copied), (edge, given.clone())] {
            let mut b = Builder::new(self.func);
            b.switch_to(region);
            b.set_origin(origin);
            b.yield_(&values);
        }
        let results = self.func.inst(whole).results.clone();
        let merged: HashMap<Value, Value> = given.into_iter().zip(results).collect();
        self.func.inst_mut(terminator).kind.for_each_arg(|arg| *arg = merged.get(arg).copied().unwrap_or(*arg));
        self.func.region_mut(region).insts.push(terminator);
    }

    /// The checks that make the assumptions hold, conjunctions split into parts, each once. Uniform conditions come
    /// first: together they are one check.
    fn checks(&self, assumptions: &[(Value, Assumption)], scan: &Scan) -> Vec<(Value, Assumption)> {
        let (mut checks, mut own) = (Vec::new(), Vec::new());
        let (mut seen, mut open) = (HashSet::new(), Vec::new());
        for &(value, assumption) in assumptions {
            match assumption {
                Assumption::Same(_) => own.push((value, assumption)),
                Assumption::Holds => open.push(value),
            }
        }
        while let Some(condition) = open.pop() {
            if !seen.insert(condition) {
                continue;
            }
            match self.func.as_op(condition) {
                Some((Op::BAnd, args)) if scan.inside.contains(&condition) => open.extend(args),
                _ if self.uniformity.is_packet_uniform(condition) => checks.push((condition, Assumption::Holds)),
                _ => own.push((condition, Assumption::Holds)),
            }
        }
        checks.extend(own);
        checks
    }

    /// The instructions of the region that values need.
    fn needed(&self, values: impl Iterator<Item = Value>, scan: &Scan) -> HashSet<Inst> {
        let mut needed = HashSet::new();
        let mut open: Vec<Value> = values.collect();
        while let Some(value) = open.pop() {
            if let ValueDef::Result(inst, _) = self.func.value(value).def
                && scan.movable.contains(&inst)
                && needed.insert(inst)
            {
                open.extend(self.func.inst(inst).kind.args());
            }
        }
        needed
    }
}

fn note_address(place: &MemoryRef, addresses: &mut HashSet<Value>) {
    if !matches!(place.object, Object::Local(_)) {
        addresses.extend(place.index);
        addresses.insert(place.offset);
    }
}

/// Operations whose result is affine if their operands are, as they occur in addresses.
fn is_address_op(op: Op) -> bool {
    matches!(op, Op::IAdd | Op::ISub | Op::IMul | Op::Shl | Op::SMin | Op::SMax | Op::UMin | Op::UMax)
}

/// Number of instructions, all regions included.
fn size(func: &Function, inst: Inst) -> usize {
    let regions = func.inst(inst).kind.regions();
    1 + regions.iter().flat_map(|&region| &func.region(region).insts).map(|&inst| size(func, inst)).sum::<usize>()
}

/// A copy of instructions, with other values for some.
struct Copy {
    values: HashMap<Value, Value>,
    /// Constructs that are copied, with their copies.
    constructs: Vec<[Inst; 2]>,
}

impl Copy {
    fn value(&self, value: Value) -> Value {
        self.values.get(&value).copied().unwrap_or(value)
    }

    fn inst(&mut self, func: &mut Function, inst: Inst, to: Region) {
        let data = func.inst(inst).clone();
        let mut kind = data.kind;
        kind.for_each_arg(|arg| *arg = self.value(*arg));
        if let InstKind::Break { target, .. } | InstKind::Continue { target, .. } = &mut kind
            && let Some([_, copy]) = self.constructs.iter().find(|[construct, _]| construct == target)
        {
            *target = *copy;
        }
        let mut regions = Vec::new();
        kind.for_each_region(|region| {
            regions.push((*region, func.add_region()));
            *region = regions.last().expect("just added").1;
        });
        let types: Vec<Type> = data.results.iter().map(|&result| func.ty(result)).collect();
        let copy = func.add_inst(kind, &types, data.origin);
        func.inst_mut(copy).precise = data.precise;
        func.region_mut(to).insts.push(copy);
        self.constructs.push([inst, copy]);
        for (from, to) in regions {
            for param in func.region(from).params.clone() {
                let ty = func.ty(param);
                let new = func.add_param(to, ty);
                self.values.insert(param, new);
            }
            for inner in func.region(from).insts.clone() {
                self.inst(func, inner, to);
            }
        }
        let results = func.inst(copy).results.clone();
        for (&result, new) in data.results.iter().zip(results) {
            // Assumptions override copies.
            self.values.entry(result).or_insert(new);
        }
    }
}
