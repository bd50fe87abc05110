//! Divides a shader at its barriers.
//!
//! A *waiting* barrier, one at which threads wait for the group, divides the code around it into *segments*: within a
//! segment the packets of a group run in turn. An `if`, `loop` or `switch` is *cut* when it contains such a barrier, or
//! contains a break or continue of a cut loop or switch. The whole group runs it at once, with one condition agreed
//! among the packets, and its regions are lists of steps themselves. So a segment ends at a waiting barrier, or where a
//! cut construct or one of its regions begins or ends. A shader without a waiting barrier is one segment.

use crate::entity::{Inst, Region, Value};
use crate::function::{Function, InstKind, ValueDef};

/// A part of a region of the group level.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// Instructions without a cut, by their positions `start..end` in the region. Packets run them in turn.
    Segment {
        /// Position of the first instruction.
        start: usize,
        /// Position after the last one.
        end: usize,
    },
    /// A cut instruction: a waiting barrier, or control flow for the whole group.
    Cut(Inst),
}

/// The division of one function: its cut instructions, the steps of its group-level regions, and the values that cross
/// from one segment to another.
#[derive(Clone, Debug)]
pub struct Phases {
    cut: Vec<bool>,
    steps: Vec<Option<Vec<Step>>>,
    crossing: Vec<bool>,
}

impl Phases {
    /// Finds the cuts.
    pub fn compute(func: &Function) -> Self {
        let mut phases = Self {
            cut: vec![false; func.inst_count()],
            steps: vec![None; func.region_count()],
            crossing: vec![false; func.value_count()],
        };
        phases.mark_barriers(func, func.body());
        // A break or continue makes every `if` and `switch` between it and its cut target cut; those may be targets of
        // other breaks, so repeat until nothing changes (at most once per nesting level).
        while phases.mark_jumps(func, func.body(), &mut Vec::new()) {}
        phases.split(func, func.body());
        phases.find_crossing(func);
        phases
    }

    /// `true` if the whole group runs this instruction at once.
    pub fn is_cut(&self, inst: Inst) -> bool {
        self.cut[inst.index()]
    }

    /// `true` if the function has any waiting barrier.
    pub fn has_cuts(&self) -> bool {
        self.cut.contains(&true)
    }

    /// The steps of a region of the group level: the body and every region of a cut instruction.
    pub fn steps(&self, region: Region) -> Option<&[Step]> {
        self.steps[region.index()].as_deref()
    }

    /// `true` if a value is used in another segment than the one that computes it, so that it must be kept per packet.
    /// Never so for constants and inputs, which are cheaper to recompute; always so for parameters and results of cut
    /// instructions.
    pub fn is_crossing(&self, value: Value) -> bool {
        self.crossing[value.index()]
    }

    fn mark_barriers(&mut self, func: &Function, region: Region) -> bool {
        let mut any = false;
        for &inst in &func.region(region).insts {
            let kind = &func.inst(inst).kind;
            let mut cut = matches!(kind, InstKind::Barrier(sync) if sync.threads);
            for inner in kind.regions() {
                cut |= self.mark_barriers(func, inner);
            }
            self.cut[inst.index()] = cut;
            any |= cut;
        }
        any
    }

    /// Cuts constructs that jumps to cut targets leave; `open` lists the enclosing instructions. `true` if any was new.
    fn mark_jumps(&mut self, func: &Function, region: Region, open: &mut Vec<Inst>) -> bool {
        let mut changed = false;
        for &inst in &func.region(region).insts {
            let kind = &func.inst(inst).kind;
            if let InstKind::Break { target, .. } | InstKind::Continue { target, .. } = kind
                && self.is_cut(*target)
            {
                for &outer in open.iter().rev().take_while(|outer| *outer != target) {
                    changed |= !std::mem::replace(&mut self.cut[outer.index()], true);
                }
            }
            open.push(inst);
            for inner in kind.regions() {
                changed |= self.mark_jumps(func, inner, open);
            }
            open.pop();
        }
        changed
    }

    fn split(&mut self, func: &Function, region: Region) {
        let insts = &func.region(region).insts;
        let mut steps = Vec::new();
        let mut start = 0;
        for (at, &inst) in insts.iter().enumerate() {
            if self.is_cut(inst) {
                if start < at {
                    steps.push(Step::Segment { start, end: at });
                }
                steps.push(Step::Cut(inst));
                start = at + 1;
                for inner in func.inst(inst).kind.regions() {
                    self.split(func, inner);
                }
            }
        }
        if start < insts.len() {
            steps.push(Step::Segment { start, end: insts.len() });
        }
        self.steps[region.index()] = Some(steps);
    }

    /// Numbers the segments, then compares the number of each use with that of its definition. Values that a cut
    /// instruction itself uses or defines belong to no segment.
    fn find_crossing(&mut self, func: &Function) {
        const NONE: u32 = u32::MAX;
        let mut segment_of = vec![NONE; func.value_count()];
        let mut next = 0;
        let mut uses = Vec::new();
        self.number(func, func.body(), &mut next, &mut segment_of, &mut uses);
        for (value, segment) in uses {
            let remade = matches!(func.value(value).def, ValueDef::Result(inst, _)
                if matches!(func.inst(inst).kind, InstKind::Const(_) | InstKind::Input(_)));
            let home = segment_of[value.index()];
            self.crossing[value.index()] |= !remade && (home == NONE || segment == NONE || home != segment);
        }
        for region in (0..func.region_count()).map(Region::new).filter(|&r| self.steps[r.index()].is_some()) {
            for &param in &func.region(region).params {
                self.crossing[param.index()] = true;
            }
            for &inst in &func.region(region).insts {
                for &result in func.inst(inst).results.iter().filter(|_| self.cut[inst.index()]) {
                    self.crossing[result.index()] = true;
                }
            }
        }
    }

    fn number(
        &self,
        func: &Function,
        region: Region,
        next: &mut u32,
        segment_of: &mut [u32],
        uses: &mut Vec<(Value, u32)>,
    ) {
        for step in self.steps(region).expect("regions of the group level have steps") {
            match *step {
                Step::Segment { start, end } => {
                    for &inst in &func.region(region).insts[start..end] {
                        number_inside(func, inst, *next, segment_of, uses);
                    }
                    *next += 1;
                }
                Step::Cut(inst) => {
                    let kind = &func.inst(inst).kind;
                    uses.extend(kind.args().iter().map(|&value| (value, u32::MAX)));
                    for inner in kind.regions() {
                        self.number(func, inner, next, segment_of, uses);
                    }
                }
            }
        }
    }
}

/// Everything within one instruction of a segment, its regions included, belongs to that segment.
fn number_inside(func: &Function, inst: Inst, segment: u32, segment_of: &mut [u32], uses: &mut Vec<(Value, u32)>) {
    let data = func.inst(inst);
    uses.extend(data.kind.args().iter().map(|&value| (value, segment)));
    for &result in &data.results {
        segment_of[result.index()] = segment;
    }
    for region in data.kind.regions() {
        for &param in &func.region(region).params {
            segment_of[param.index()] = segment;
        }
        for &inner in &func.region(region).insts {
            number_inside(func, inner, segment, segment_of, uses);
        }
    }
}
