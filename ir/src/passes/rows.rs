//! Supposes that the threads of a packet touch a row of texels, and none beyond an edge.
//!
//! Shaders clamp coordinates to an image, and every texel is compared with the extents. Almost all packets lie inside: for
//! them a clamp gives back what it is given, so that addresses grow from lane to lane, and comparisons hold. So the rest of
//! a region is written twice, with one question to the whole packet before: once for packets that lie inside, without
//! clamps and comparisons, and once as it was.

use std::collections::{HashMap, HashSet};

use crate::builder::Builder;
use crate::entity::{Inst, Region, Value};
use crate::function::{Function, InstKind, Object, Place, Query, ValueDef};
use crate::ops::Op;
use crate::shape::{Shape, Shapes};
use crate::span::Packing;
use crate::types::Type;
use crate::uniformity::Uniformity;

/// Instructions, all regions included, beyond which nothing is written twice.
const MOST_TWICE: usize = 600;

/// What is asked of a packet at most: there is a price.
const MOST_QUESTIONS: usize = 24;

/// Runs the pass; gives whether it changed something.
pub(super) fn run(func: &mut Function) -> bool {
    // Which packets there will be is not known; what is the same or grows in those of a group is a good guess.
    let uniformity = Uniformity::compute(func, Packing::Group);
    let shapes = Shapes::compute(func, &uniformity);
    let body = func.body();
    Rows { func, uniformity: &uniformity, shapes: &shapes }.region(body)
}

struct Rows<'a> {
    func: &'a mut Function,
    uniformity: &'a Uniformity,
    shapes: &'a Shapes,
}

/// What is supposed of a value.
#[derive(Clone, Copy)]
enum Guess {
    /// A clamp gives its operand.
    Same(Value),
    /// A condition holds.
    Holds,
}

/// What is known of the instructions of a region.
#[derive(Default)]
struct Scan {
    /// Those that can stand at its start, with all that they need of it.
    movable: HashSet<Inst>,
    /// Values that addresses are made of.
    addresses: HashSet<Value>,
    /// What selects and effects depend on.
    conditions: HashSet<Value>,
    /// Conditions that compare coordinates with extents, and nothing else.
    inside: HashSet<Value>,
}

impl Rows<'_> {
    /// Writes a region's rest twice, or looks into the regions in it.
    fn region(&mut self, region: Region) -> bool {
        let insts = self.func.region(region).insts.clone();
        let size: usize = insts.iter().map(|&inst| size(self.func, inst)).sum();
        if size <= MOST_TWICE && !insts.iter().any(|&inst| waits(self.func, inst)) {
            let scan = self.scan(&insts);
            let guesses = self.guesses(&insts, &scan);
            if !guesses.is_empty() {
                self.write_twice(region, &insts, &scan, &guesses);
                return true;
            }
        }
        let inner: Vec<Region> = insts.iter().flat_map(|&inst| self.func.inst(inst).kind.regions()).collect();
        inner.into_iter().fold(false, |changed, region| self.region(region) | changed)
    }

    /// Looks at each instruction once in both directions: what they are made of may be a net of any depth.
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
            if is_movable(self.func, &data.kind) && data.kind.args().iter().all(comes_first) {
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

    /// Whether a condition compares a coordinate with an extent.
    fn compares(&self, condition: Value) -> bool {
        match self.func.as_op(condition) {
            Some((Op::ULt, args)) => self.uniformity.is_packet_uniform(args[1]),
            _ => false,
        }
    }

    /// What can be supposed of values that this region computes.
    fn guesses(&self, insts: &[Inst], scan: &Scan) -> Vec<(Value, Guess)> {
        let mut guesses: Vec<(Value, Guess)> = Vec::new();
        let mut supposed = HashSet::new();
        for &inst in insts.iter().filter(|inst| scan.movable.contains(inst)) {
            let data = self.func.inst(inst);
            let InstKind::Op { op, args } = &data.kind else { continue };
            let result = data.results[0];
            let guess = match op {
                Op::SMin | Op::SMax | Op::UMin | Op::UMax if scan.addresses.contains(&result) => {
                    let clamped = |a: Value, b: Value| {
                        let grows = supposed.contains(&a)
                            || matches!(self.shapes.shape(a), Shape::Affine { stride } if stride != 0);
                        (grows && self.uniformity.is_packet_uniform(b)).then_some(Guess::Same(a))
                    };
                    clamped(args[0], args[1]).or_else(|| clamped(args[1], args[0]))
                }
                _ if scan.inside.contains(&result) && scan.conditions.contains(&result) => {
                    (!self.uniformity.is_packet_uniform(result)).then_some(Guess::Holds)
                }
                _ => None,
            };
            if let Some(guess) = guess {
                supposed.insert(result);
                guesses.push((result, guess));
            }
        }
        if guesses.len() > MOST_QUESTIONS { Vec::new() } else { guesses }
    }

    fn write_twice(&mut self, region: Region, insts: &[Inst], scan: &Scan, guesses: &[(Value, Guess)]) {
        let questions = self.questions(guesses, scan);
        let first = self.needed(questions.iter().map(|(value, _)| *value), scan);
        let (&terminator, body) = insts.split_last().expect("regions end in a terminator");
        let (front, rest): (Vec<Inst>, Vec<Inst>) = body.iter().partition(|inst| first.contains(*inst));
        self.func.region_mut(region).insts = front;
        // What the rest gives to the terminator.
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
        for (value, guess) in questions {
            answers.push(match guess {
                Guess::Same(operand) => b.op(Op::IEq, &[value, operand]),
                Guess::Holds => value,
            });
        }
        let all = answers.into_iter().reduce(|a, answer| b.op(Op::BAnd, &[a, answer]));
        let all = b.packet_all(all.expect("there are guesses"));
        let (whole, inside, edge) = b.if_else(all, &types);
        b.switch_to(inside);
        let mut copy = Copy { values: HashMap::new(), constructs: Vec::new() };
        for &(value, guess) in guesses {
            let supposed = match guess {
                Guess::Same(operand) => copy.value(operand),
                Guess::Holds => b.bool(true),
            };
            copy.values.insert(value, supposed);
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

    /// What to ask for guesses to be right: instead of a conjunction its parts, each once. What is the same for all threads
    /// comes first: together it takes one of them to answer.
    fn questions(&self, guesses: &[(Value, Guess)], scan: &Scan) -> Vec<(Value, Guess)> {
        let (mut questions, mut own) = (Vec::new(), Vec::new());
        let (mut seen, mut open) = (HashSet::new(), Vec::new());
        for &(value, guess) in guesses {
            match guess {
                Guess::Same(_) => own.push((value, guess)),
                Guess::Holds => open.push(value),
            }
        }
        while let Some(condition) = open.pop() {
            if !seen.insert(condition) {
                continue;
            }
            match self.func.as_op(condition) {
                Some((Op::BAnd, args)) if scan.inside.contains(&condition) => open.extend(args),
                _ if self.uniformity.is_packet_uniform(condition) => questions.push((condition, Guess::Holds)),
                _ => own.push((condition, Guess::Holds)),
            }
        }
        questions.extend(own);
        questions
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

fn note_address(place: &Place, addresses: &mut HashSet<Value>) {
    if !matches!(place.object, Object::Local(_)) {
        addresses.extend(place.index);
        addresses.insert(place.offset);
    }
}

/// Operations that an address goes through, growing as it grew.
fn is_address_op(op: Op) -> bool {
    matches!(op, Op::IAdd | Op::ISub | Op::IMul | Op::Shl | Op::SMin | Op::SMax | Op::UMin | Op::UMax)
}

/// Whether an instruction gives the same wherever it stands.
fn is_movable(func: &Function, kind: &InstKind) -> bool {
    match kind {
        InstKind::Const(_) | InstKind::Input(_) | InstKind::Op { .. } => true,
        InstKind::Query { query: Query::Layout, .. } => true,
        InstKind::Load { place } => func.is_read_only(&place.object),
        _ => false,
    }
}

/// Instructions, all regions included.
fn size(func: &Function, inst: Inst) -> usize {
    let regions = func.inst(inst).kind.regions();
    1 + regions.iter().flat_map(|&region| &func.region(region).insts).map(|&inst| size(func, inst)).sum::<usize>()
}

/// Whether threads wait for each other in an instruction.
fn waits(func: &Function, inst: Inst) -> bool {
    let kind = &func.inst(inst).kind;
    matches!(kind, InstKind::Barrier(_))
        || kind.regions().iter().flat_map(|&region| &func.region(region).insts).any(|&inst| waits(func, inst))
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
            // What is supposed of a value stays supposed.
            self.values.entry(result).or_insert(new);
        }
    }
}
