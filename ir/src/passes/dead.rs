//! Removes what nobody needs: instructions without effect whose results are unused, and results, loop variables and
//! yields that lead nowhere (a loop variable that only feeds itself is dead).
//!
//! Loops stay even if they compute nothing: one may never end, and that is for the time limit to say.

use rustc_hash::FxHashMap;

use crate::entity::{Inst, Region, Value};
use crate::function::{Function, InstKind, ValueDef, Values};

/// Removes dead code.
pub(super) fn remove(func: &mut Function) {
    let mut marker = Marker {
        live: vec![false; func.value_count()],
        kept: vec![false; func.inst_count()],
        owner: vec![None; func.region_count()],
        edges: FxHashMap::default(),
        work: Vec::new(),
    };
    marker.roots(func, func.body());
    marker.spread(func);
    let mut masks = FxHashMap::default();
    sweep(func, func.body(), &marker, &mut masks);
}

struct Marker {
    live: Vec<bool>,
    kept: Vec<bool>,
    /// The instruction that owns each region.
    owner: Vec<Option<Inst>>,
    /// For each control instruction, the terminators that bring its results or loop variables.
    edges: FxHashMap<Inst, Vec<Inst>>,
    work: Vec<Value>,
}

impl Marker {
    /// Marks what must stay and notes the edges; gives whether the region holds anything that must stay.
    fn roots(&mut self, func: &Function, region: Region) -> bool {
        let mut any = false;
        for &inst in &func.region(region).insts {
            let kind = &func.inst(inst).kind;
            let mut keep = false;
            match kind {
                InstKind::Yield(_) => {
                    let owner = self.owner[region.index()].expect("only owned regions yield");
                    self.edges.entry(owner).or_default().push(inst);
                    self.kept[inst.index()] = true;
                    continue;
                }
                InstKind::Break { target, .. } | InstKind::Continue { target, .. } => {
                    self.edges.entry(*target).or_default().push(inst);
                    keep = true;
                }
                InstKind::Loop { .. } => keep = true,
                InstKind::If { .. } | InstKind::Switch { .. } => {}
                other => keep = other.has_effect(),
            }
            for inner in kind.regions() {
                self.owner[inner.index()] = Some(inst);
                keep |= self.roots(func, inner);
            }
            if keep {
                self.keep(func, inst);
            }
            any |= keep;
        }
        any
    }

    fn keep(&mut self, func: &Function, inst: Inst) {
        if std::mem::replace(&mut self.kept[inst.index()], true) {
            return;
        }
        match &func.inst(inst).kind {
            // Their values are marked one by one, as the variables they feed turn out live.
            InstKind::Break { .. } | InstKind::Continue { .. } | InstKind::Yield(_) | InstKind::Loop { .. } => {}
            kind => self.work.extend(kind.args()),
        }
    }

    fn spread(&mut self, func: &Function) {
        while let Some(value) = self.work.pop() {
            if std::mem::replace(&mut self.live[value.index()], true) {
                continue;
            }
            let (inst, n) = match func.value(value).def {
                ValueDef::Result(inst, n) => (inst, n as usize),
                ValueDef::Param(region, n) => {
                    (self.owner[region.index()].expect("a region with parameters is a loop's body"), n as usize)
                }
            };
            self.keep(func, inst);
            let kind = &func.inst(inst).kind;
            if kind.regions().is_empty() {
                continue;
            }
            if let InstKind::Loop { inits, body } = kind {
                self.work.push(inits[n]);
                self.work.push(func.region(*body).params[n]);
                self.work.push(func.inst(inst).results[n]);
            }
            for edge in self.edges.get(&inst).into_iter().flatten() {
                self.work.push(edge_args(&func.inst(*edge).kind)[n]);
            }
        }
    }
}

fn edge_args(kind: &InstKind) -> &[Value] {
    match kind {
        InstKind::Yield(args) | InstKind::Break { args, .. } | InstKind::Continue { args, .. } => args,
        _ => unreachable!("edges are yields, breaks and continues"),
    }
}

/// Which results of each control instruction stay.
type Masks = FxHashMap<Inst, Vec<bool>>;

fn sweep(func: &mut Function, region: Region, marker: &Marker, masks: &mut Masks) {
    let mut insts = std::mem::take(&mut func.region_mut(region).insts);
    insts.retain(|inst| marker.kept[inst.index()]);
    for &inst in &insts {
        let mut kind = std::mem::replace(&mut func.inst_mut(inst).kind, InstKind::Return);
        match &mut kind {
            InstKind::Yield(args) => {
                let owner = marker.owner[region.index()].expect("only owned regions yield");
                retain(args, &masks[&owner]);
            }
            InstKind::Break { target, args } | InstKind::Continue { target, args } => {
                retain(args, &masks[target]);
            }
            _ => {}
        }
        let regions = kind.regions();
        if !regions.is_empty() {
            let mask: Vec<bool> = func.inst(inst).results.iter().map(|value| marker.live[value.index()]).collect();
            if let InstKind::Loop { inits, body } = &mut kind {
                retain(inits, &mask);
                let mut params = std::mem::take(&mut func.region_mut(*body).params);
                retain_vec(&mut params, &mask);
                for (n, &param) in params.iter().enumerate() {
                    func.value_mut(param).def = ValueDef::Param(*body, n as u32);
                }
                func.region_mut(*body).params = params;
            }
            let mut results = std::mem::take(&mut func.inst_mut(inst).results).into_vec();
            retain_vec(&mut results, &mask);
            for (n, &result) in results.iter().enumerate() {
                func.value_mut(result).def = ValueDef::Result(inst, n as u32);
            }
            func.inst_mut(inst).results = results.into();
            masks.insert(inst, mask);
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
