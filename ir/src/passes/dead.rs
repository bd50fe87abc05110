//! Eliminates dead code: instructions without effect whose results are unused, and results, loop variables and yielded
//! values without a live use (a loop variable that only feeds itself is dead).
//!
//! Loops stay even if they compute nothing: one may never end, and only the time limit can decide that.

use rustc_hash::FxHashMap;

use crate::entity::{Inst, Region, Value};
use crate::function::{Effect, Function, InstKind, ValueDef, Values};

/// Removes dead code.
pub(super) fn remove(func: &mut Function) {
    let mut marker = Marker {
        live: vec![false; func.value_count()],
        kept: vec![false; func.inst_count()],
        passed: vec![false; func.inst_count()],
        owner: vec![None; func.region_count()],
        edges: FxHashMap::default(),
        work: Vec::new(),
    };
    marker.region(func, func.body());
    marker.spread(func);
    let mut masks = FxHashMap::default();
    sweep(func, func.body(), &marker, &mut masks);
}

/// Marks live entities in one backward walk, so that uses are met before definitions. Only through back edges may an
/// entity that the walk has passed turn out to be live.
struct Marker {
    live: Vec<bool>,
    kept: Vec<bool>,
    /// The instructions that the walk has visited; if one is found live later, its operands must be visited.
    passed: Vec<bool>,
    /// The instruction that owns each region.
    owner: Vec<Option<Inst>>,
    /// For each control instruction, the terminators that pass its results or loop variables.
    edges: FxHashMap<Inst, Vec<Inst>>,
    /// Live values whose definitions are to be revisited.
    work: Vec<Value>,
}

impl Marker {
    /// Marks the live instructions of a region; returns `true` if any must stay even if its results are unused.
    fn region(&mut self, func: &Function, region: Region) -> bool {
        let mut any = false;
        for &inst in func.region(region).insts.iter().rev() {
            let data = func.inst(inst);
            self.passed[inst.index()] = true;
            let is_loop = matches!(data.kind, InstKind::Loop { .. });
            if data.kind.is_terminator()
                && let Some(receiver) = data.kind.receiver(inst, self.owner[region.index()])
            {
                self.edge(func, inst, receiver);
            }
            if let InstKind::Yield(_) = data.kind {
                self.kept[inst.index()] = true;
                continue;
            }
            let mut keep = is_loop || (data.kind.has_effect() && data.kind.effect() != Effect::Control);
            for inner in data.kind.regions() {
                self.owner[inner.index()] = Some(inst);
                keep |= self.region(func, inner);
            }
            any |= keep;
            if keep || data.results.iter().any(|result| self.live[result.index()]) {
                self.keep(func, inst);
            }
            if is_loop {
                // The loop's results are its loop variables.
                self.work.extend(data.results.iter().filter(|result| self.live[result.index()]));
            }
        }
        any
    }

    /// Marks what a terminator passes to a construct whose results are live, or may turn out to be.
    fn edge(&mut self, func: &Function, from: Inst, to: Inst) {
        self.edges.entry(to).or_default().push(from);
        for (&arg, result) in func.inst(from).kind.passed().into_iter().flatten().zip(&func.inst(to).results) {
            if self.live[result.index()] {
                self.mark(func, arg);
            }
        }
    }

    fn mark(&mut self, func: &Function, value: Value) {
        if !std::mem::replace(&mut self.live[value.index()], true) {
            match func.value(value).def {
                ValueDef::Result(inst, _) if !self.passed[inst.index()] => {}
                _ => self.work.push(value),
            }
        }
    }

    fn keep(&mut self, func: &Function, inst: Inst) {
        if std::mem::replace(&mut self.kept[inst.index()], true) {
            return;
        }
        let kind = &func.inst(inst).kind;
        // Operands passed on are marked one by one, as the variables that they feed turn out live.
        if kind.passed().is_none() {
            kind.args().into_iter().for_each(|arg| self.mark(func, arg));
        }
    }

    /// Marks the operands of live values that the walk has passed.
    fn spread(&mut self, func: &Function) {
        let edges = std::mem::take(&mut self.edges);
        while let Some(value) = self.work.pop() {
            let (inst, n) = match func.value(value).def {
                ValueDef::Result(inst, n) => (inst, n as usize),
                ValueDef::Param(region, n) => {
                    (self.owner[region.index()].expect("a region with parameters is a loop's body"), n as usize)
                }
            };
            self.keep(func, inst);
            let data = func.inst(inst);
            if let InstKind::Loop { inits, body } = &data.kind {
                for value in [inits[n], func.region(*body).params[n], data.results[n]] {
                    self.mark(func, value);
                }
            }
            for edge in edges.get(&inst).into_iter().flatten() {
                self.mark(func, func.inst(*edge).kind.passed().expect("edges pass values on")[n]);
            }
        }
    }
}

/// The results of each control instruction that stay.
type Masks = FxHashMap<Inst, Vec<bool>>;

fn sweep(func: &mut Function, region: Region, marker: &Marker, masks: &mut Masks) {
    let mut insts = std::mem::take(&mut func.region_mut(region).insts);
    insts.retain(|inst| marker.kept[inst.index()]);
    for &inst in &insts {
        let mut kind = std::mem::replace(&mut func.inst_mut(inst).kind, InstKind::Return);
        let regions = kind.regions();
        if !regions.is_empty() {
            let mask = func.inst(inst).results.iter().map(|value| marker.live[value.index()]).collect();
            masks.insert(inst, mask);
        }
        if let Some(receiver) = kind.receiver(inst, marker.owner[region.index()])
            && let Some(args) = kind.passed_mut()
        {
            retain(args, &masks[&receiver]);
        }
        if let Some(mask) = masks.get(&inst) {
            if let InstKind::Loop { body, .. } = &kind {
                let mut params = std::mem::take(&mut func.region_mut(*body).params);
                retain_vec(&mut params, mask);
                for (n, &param) in params.iter().enumerate() {
                    func.value_mut(param).def = ValueDef::Param(*body, n as u32);
                }
                func.region_mut(*body).params = params;
            }
            let mut results = std::mem::take(&mut func.inst_mut(inst).results).into_vec();
            retain_vec(&mut results, mask);
            for (n, &result) in results.iter().enumerate() {
                func.value_mut(result).def = ValueDef::Result(inst, n as u32);
            }
            func.inst_mut(inst).results = results.into();
        }
        func.inst_mut(inst).kind = kind;
        for inner in regions {
            sweep(func, inner, marker, masks);
        }
    }
    func.region_mut(region).insts = insts;
}

fn retain(args: &mut Values, mask: &[bool]) {
    let mut stays = mask.iter();
    args.retain(|_| *stays.next().expect("one flag for each operand"));
}

fn retain_vec(values: &mut Vec<Value>, mask: &[bool]) {
    let mut stays = mask.iter();
    values.retain(|_| *stays.next().expect("one flag for each result"));
}
