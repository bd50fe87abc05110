//! Makes threads that leave a construct after its last barrier reconverge at its end.
//!
//! A construct that holds a barrier runs once for the group, and the threads must agree about every jump that leaves
//! it. After its last barrier they need not: a switch that they leave one by one, or a loop iteration that some of them
//! end sooner, still has them all together at the next barrier. So the code after the last barrier becomes the only arm
//! of a switch, and the jumps leave that switch, which runs packet by packet like any other code.
//!
//! ```text
//! switch a {                        switch a {
//!   barrier                           barrier
//!   if b { break outer }              switch 0 { if b { break inner }; c }
//!   c                               }
//! }
//! ```
//!
//! Where the jump skips code of an enclosing `if` too, or the same code jumps elsewhere, a slot records a thread's
//! destination; the code that follows tests it, as does the group for jumps about which threads must agree.

use smallvec::SmallVec;

use crate::builder::Builder;
use crate::entity::{Inst, Region, Slot, Value};
use crate::function::{Function, InstKind, Origin};
use crate::ops::Op;
use crate::types::Type;

/// The most switches put around the same code, one for each construct that it jumps out of.
const MOST_AROUND: usize = 16;

/// Destination: the code after the thread's own.
const ON: u32 = 0;
/// Destination: the end of the construct, or of the iteration. Greater numbers are the other jumps.
const END: u32 = 1;

/// Runs the pass. Needs a function with slots.
pub(super) fn run(func: &mut Function) {
    let mut waits = vec![false; func.inst_count()];
    let mut constructs = Vec::new();
    if find(func, func.body(), &mut waits, &mut constructs) {
        let mut around = vec![0; func.region_count()];
        for construct in constructs {
            Rejoin { func, waits: &waits, around: &mut around, construct, destination: None }.run();
        }
    }
}

/// Marks instructions that hold a waiting barrier, and lists such switches and loops, inner ones first. Returns `true`
/// if there is one.
fn find(func: &Function, region: Region, waits: &mut [bool], constructs: &mut Vec<Inst>) -> bool {
    let mut any = false;
    for &inst in &func.region(region).insts {
        let kind = &func.inst(inst).kind;
        let mut holds = kind.is_waiting_barrier();
        for inner in kind.regions() {
            holds |= find(func, inner, waits, constructs);
        }
        if holds && matches!(kind, InstKind::Switch { .. } | InstKind::Loop { .. }) {
            constructs.push(inst);
        }
        waits[inst.index()] = holds;
        any |= holds;
    }
    any
}

/// The destination of a jump.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Jump {
    Break(Inst),
    Continue(Inst),
}

impl Jump {
    fn of(kind: &InstKind) -> Option<Self> {
        match *kind {
            InstKind::Break { target, .. } => Some(Self::Break(target)),
            InstKind::Continue { target, .. } => Some(Self::Continue(target)),
            _ => None,
        }
    }

    fn target(self) -> Inst {
        match self {
            Self::Break(target) | Self::Continue(target) => target,
        }
    }
}

/// The work on one construct.
struct Rejoin<'a> {
    func: &'a mut Function,
    /// Per instruction: set if it holds a barrier that waits.
    waits: &'a [bool],
    /// Per region: number of switches put around the code after its last barrier.
    around: &'a mut [usize],
    construct: Inst,
    /// The slot of each thread's destination, once needed.
    destination: Option<Slot>,
}

impl Rejoin<'_> {
    fn run(mut self) {
        let regions = self.func.inst(self.construct).kind.regions();
        if regions.iter().any(|&region| self.is_full(region)) {
            return;
        }
        for &region in &regions {
            self.rest(region, true);
        }
        let Some(destination) = self.destination else { return };
        // Reset at every entry and every iteration.
        for region in regions {
            let rest = std::mem::take(&mut self.func.region_mut(region).insts);
            let mut b = self.builder(region, Origin::default());
            let on = b.i32(ON);
            b.slot_set(destination, on);
            self.func.region_mut(region).insts.extend(rest);
        }
    }

    /// Appends to a region.
    fn builder(&mut self, region: Region, origin: Origin) -> Builder<'_> {
        let mut b = Builder::new(self.func);
        b.switch_to(region);
        b.set_origin(origin);
        b
    }

    /// Puts the code after the last barrier of a region into a switch, if threads may leave it early. The construct
    /// ends after the region, except for code without a barrier; `is_own` if there is no such code. Returns `true` if
    /// threads may reach the region's end whose destination is the construct's end.
    fn rest(&mut self, region: Region, is_own: bool) -> bool {
        let mut some_are_done = false;
        for inner in self.last_regions(region) {
            some_are_done |= self.rest(inner, false);
        }
        let first = self.last_barrier(region).map_or(0, |last| last + 1);
        let rest = &self.func.region(region).insts[first..];
        let Some((&terminator, code)) = rest.split_last() else { return some_are_done };
        let kind = &self.func.inst(terminator).kind;
        let is_end = matches!(kind, InstKind::Yield(_)) || Jump::of(kind).is_some_and(|jump| self.is_end(jump));
        let must_skip = some_are_done && !(code.is_empty() && is_end);
        if !must_skip && !code.iter().any(|&inst| self.jumps_to_end(inst)) {
            return some_are_done;
        }
        self.wrap(region, first, is_own, some_are_done);
        true
    }

    /// `true` if no more switches may be put around the ends of a region.
    fn is_full(&self, region: Region) -> bool {
        self.around[region.index()] >= MOST_AROUND || self.last_regions(region).iter().any(|&inner| self.is_full(inner))
    }

    /// The regions with the last barrier of a region, unless they may run again.
    fn last_regions(&self, region: Region) -> SmallVec<[Region; 2]> {
        let last = self.last_barrier(region).map(|last| self.func.region(region).insts[last]);
        match last.map(|last| &self.func.inst(last).kind) {
            Some(kind @ (InstKind::If { .. } | InstKind::Switch { .. })) => kind.regions(),
            _ => SmallVec::new(),
        }
    }

    /// The position of the last instruction that holds a barrier.
    fn last_barrier(&self, region: Region) -> Option<usize> {
        self.func.region(region).insts.iter().rposition(|&inst| self.holds_barrier(inst))
    }

    fn holds_barrier(&self, inst: Inst) -> bool {
        self.waits.get(inst.index()).is_some_and(|&waits| waits)
    }

    /// `true` if a jump goes to the point at which the threads of the construct reconverge.
    fn is_end(&self, jump: Jump) -> bool {
        let is_loop = matches!(self.func.inst(self.construct).kind, InstKind::Loop { .. });
        jump == if is_loop { Jump::Continue(self.construct) } else { Jump::Break(self.construct) }
    }

    fn jumps_to_end(&self, inst: Inst) -> bool {
        self.func.holds(inst, &|kind| Jump::of(kind).is_some_and(|jump| self.is_end(jump)))
    }

    /// Makes the instructions of a region from position `first` on the only arm of a switch.
    fn wrap(&mut self, region: Region, first: usize, is_own: bool, some_are_done: bool) {
        self.around[region.index()] += 1;
        let rest = self.func.region_mut(region).insts.split_off(first);
        let origin = self.func.inst(self.construct).origin;
        let mut b = self.builder(region, origin);
        let selector = b.i32(0);
        let (inner, _, arm) = b.switch(selector, Vec::new(), &[]);
        if some_are_done {
            let destination = self.destination();
            let mut b = self.builder(arm, origin);
            let (at, on) = (b.slot_get(destination), b.i32(ON));
            let is_done = b.op(Op::INe, &[at, on]);
            jump_if(&mut b, is_done, Jump::Break(inner));
        }
        self.func.region_mut(arm).insts.extend(rest);

        let mut others = Vec::new();
        self.retarget(arm, inner, is_own, &mut others);
        if let Some(&last) = self.func.region(arm).insts.last()
            && let kind @ InstKind::Yield(_) = &mut self.func.inst_mut(last).kind
        {
            *kind = InstKind::Break { target: inner, args: Default::default() };
        }
        for (number, (jump, origin)) in (END + 1..).zip(others) {
            let destination = self.destination();
            let mut b = self.builder(region, origin);
            let (at, number) = (b.slot_get(destination), b.i32(number));
            let goes = b.op(Op::IEq, &[at, number]);
            jump_if(&mut b, goes, jump);
        }
        self.builder(region, Origin::default()).yield_(&[]);
    }

    /// The slot of each thread's destination.
    fn destination(&mut self) -> Slot {
        *self.destination.get_or_insert_with(|| self.func.add_slot(Type::I32))
    }

    /// Makes jumps out of the code in `region` leave the switch `inner`, and record their destination. `others` lists
    /// those that do not go to the construct's end.
    fn retarget(&mut self, region: Region, inner: Inst, is_own: bool, others: &mut Vec<(Jump, Origin)>) {
        for inst in self.func.region(region).insts.clone() {
            for nested in self.func.inst(inst).kind.regions() {
                self.retarget(nested, inner, is_own, others);
            }
            // Constructs within the code hold no barrier, those around it do.
            let data = self.func.inst(inst);
            let (Some(jump), origin) = (Jump::of(&data.kind), data.origin) else { continue };
            if !self.holds_barrier(jump.target()) {
                continue;
            }
            self.func.inst_mut(inst).kind = InstKind::Break { target: inner, args: Default::default() };
            let number = if self.is_end(jump) {
                if is_own {
                    continue;
                }
                END
            } else {
                let known = others.iter().position(|(other, _)| *other == jump);
                let n = known.unwrap_or_else(|| {
                    others.push((jump, origin));
                    others.len() - 1
                });
                END + 1 + n as u32
            };
            let destination = self.destination();
            self.func.region_mut(region).insts.pop();
            let mut b = self.builder(region, origin);
            let number = b.i32(number);
            b.slot_set(destination, number);
            self.func.region_mut(region).insts.push(inst);
        }
    }
}

/// Jumps where a condition holds.
fn jump_if(b: &mut Builder<'_>, cond: Value, jump: Jump) {
    b.when(cond, |b| match jump {
        Jump::Break(target) => b.break_(target, &[]),
        Jump::Continue(target) => b.continue_(target, &[]),
    });
}
