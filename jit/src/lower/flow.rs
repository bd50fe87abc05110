//! Lowers structured control flow within a segment.
//!
//! A construct in which all lanes of a packet take the same path becomes real branches. In a *divergent* one, lanes
//! wait for each other: the arms of an `if` or `switch` with a varying condition run one after the other, each under
//! its mask and skipped if no lane takes it; lanes that broke out of a loop wait for the last one, and lanes that
//! continued wait for the end of the iteration.
//!
//! Lanes that jump go to one of these:
//! * Lanes that jump together, with nothing divergent in between, take a real jump.
//! * Otherwise they are recorded as waiting at the target, and control goes to the innermost divergent
//!   construct's block for when no lane is active ([`ConstructFrame::empty`]), from which other lanes go on.
//! * After a construct that some lanes may have left for an outer one, the code that follows is skipped if no lane is
//!   active.
//!
//! So the merge block of a construct that is not divergent is reached with active lanes, and every loop ends when its
//! lanes are gone.
//!
//! | file | contents |
//! |---|---|
//! | `loops.rs` | loops |
//! | `switches.rs` | switches |
//!
//! The walk is recursive, and callers' threads may have small stacks: the function for each construct is not inlined,
//! so that no level of recursion pays for the others' frames.

mod loops;
mod switches;

use brolga_ir::entity::{Inst, Region, Value};
use brolga_ir::function::InstKind;
use cranelift_codegen::ir::{Block, InstBuilder};
use smallvec::SmallVec;

use super::Lowering;
use super::facts::Facts;
use super::group::GroupFrame;
use super::mask::{LaneMask, Parked};
use super::notes::Note;
use super::variable::Home;

use super::stop::Effort;
use crate::packet::{Packet, PacketOperand};
use crate::site::CodeSite;

/// The most pure instructions that are cheaper to run needlessly than to branch around.
const BRANCH_COST: usize = 8;

/// The limit on a function's code.
pub(super) struct CodeLimit {
    /// The most CLIF instructions.
    pub most: usize,
    /// Set if there were more, and the rest is left out.
    pub is_reached: bool,
}

/// A construct that is being written.
pub(super) struct ConstructFrame {
    inst: Inst,
    /// The work before it.
    before: Effort,
    is_loop: bool,
    /// Set if lanes of a packet may be at different points of it.
    divergent: bool,
    /// Set if its arms run one after the other under masks.
    masked: bool,
    /// The block after it.
    merge: Block,
    /// Set if something jumps there.
    merged: bool,
    /// The end of a loop iteration.
    latch: Block,
    latched: bool,
    /// The target when no lane is active any more.
    empty: Block,
    /// Results, `None` for those that are unused or share a parameter's home.
    results: SmallVec<[Option<Home>; 4]>,
    /// Parameters of the next iteration.
    params: SmallVec<[Option<Home>; 4]>,
    /// Set if results are written in active lanes only.
    blend_results: bool,
    blend_params: bool,
    /// Results that share a home with a parameter, which keeps those of lanes that left.
    shared: SmallVec<[bool; 4]>,
    /// Lanes that leave the construct, if they may differ from those that entered.
    after: Option<Home>,
    /// Set if some lanes leave through its end.
    delivered: bool,
    /// Lanes of a loop's next iteration, if they may differ from those of this one.
    run: Option<Home>,
    /// Set if lanes may reach the next iteration on several paths.
    gathers_run: bool,
}

/// The position in control flow: active lanes and enclosing constructs.
pub(super) struct Control {
    /// Lanes that are active; `None` if and only if the current block has its terminator.
    pub mask: Option<LaneMask>,
    /// Constructs of the segment enclosing the builder's position, outermost first.
    pub frames: Vec<ConstructFrame>,
    /// Cut constructs around it.
    pub group_frames: Vec<GroupFrame>,
    /// The target when a packet has no lanes left.
    pub rest: Block,
    /// Returns from the function.
    pub exit: Block,
    /// Set if the code runs even when no lane is active.
    is_unskipped: bool,
}

impl Control {
    /// The state at the start of a function that returns from this block.
    pub fn new(exit: Block) -> Self {
        Self {
            mask: Some(LaneMask::Full),
            frames: Vec::new(),
            group_frames: Vec::new(),
            rest: exit,
            exit,
            is_unskipped: false,
        }
    }

    /// The active lanes.
    pub fn active(&self) -> LaneMask {
        self.mask.clone().expect("code is written only where lanes are active")
    }

    /// The innermost construct of the segment.
    fn inner(&mut self) -> &mut ConstructFrame {
        self.frames.last_mut().expect("a construct is being written")
    }

    /// Ends the innermost construct.
    fn pop(&mut self) -> ConstructFrame {
        self.frames.pop().expect("a construct is being written")
    }

    fn frame_index(&self, target: Inst) -> usize {
        self.frames.iter().rposition(|frame| frame.inst == target).expect("jumps of a segment stay in it")
    }

    /// `true` if the active lanes can jump to this frame together, leaving no other lane behind.
    fn is_real_jump(&self, at: usize) -> bool {
        self.frames[at + 1..].iter().all(|frame| !frame.divergent)
    }

    /// The target when no lane is active any more; records its use.
    fn empty_target(&mut self) -> Block {
        match self.frames.iter_mut().rev().find(|frame| frame.divergent) {
            Some(frame) => {
                frame.merged |= frame.empty == frame.merge;
                frame.latched |= frame.empty == frame.latch;
                frame.empty
            }
            None => self.rest,
        }
    }
}

impl Lowering<'_, '_> {
    /// Writes a region of a segment, its terminator included.
    pub fn region(&mut self, region: Region) {
        let owner = self.builder.srcloc();
        if let Some(before) = self.control.frames.last().map(|frame| frame.before) {
            self.comes_from(before);
        }
        self.instructions(&self.func.region(region).insts);
        self.builder.set_srcloc(owner);
    }

    /// Writes instructions of a segment.
    pub fn instructions(&mut self, insts: &[Inst]) {
        let known = self.addresses.count();
        self.each_instruction(insts);
        // Results computed here may not be available after it.
        self.addresses.forget(known);
    }

    fn each_instruction(&mut self, insts: &[Inst]) {
        for (n, &inst) in insts.iter().enumerate() {
            if self.control.mask.is_none() {
                // No lane gets here on any path.
                return;
            }
            if self.is_over() {
                return self.leave();
            }
            self.origin = self.func.inst(inst).origin;
            self.set_site(CodeSite::of(inst));
            self.refresh_anchors();
            let before = self.effort();
            let checks_lanes = self.instruction(inst);
            let may_be_gone = !checks_lanes && self.facts.uniformity.may_lose_lanes(inst);
            if may_be_gone && self.control.mask.is_some() && self.needs_lanes(&insts[n + 1..]) {
                self.leave_if_empty();
            }
            if self.control.mask.is_some() && !self.control.is_unskipped {
                let lanes = self.control.mask.clone().filter(|_| self.layout.threads.is_none());
                self.poll_if_due(before, self.func.inst(inst).origin, lanes.as_ref());
            }
        }
    }

    /// `true` if the code exceeds the code generator's limit. The function will not be used then, and the
    /// rest of it is left out as if all threads had returned.
    pub fn is_over(&mut self) -> bool {
        // No lane leaves an arm that is not branched around.
        let may_leave = !self.control.is_unskipped;
        self.limit.is_reached |= may_leave && self.builder.func.dfg.num_insts() > self.limit.most;
        self.limit.is_reached && may_leave
    }

    /// Lowers an instruction; returns `true` if it branches away by itself when no lane is active after it.
    fn instruction(&mut self, inst: Inst) -> bool {
        let func = self.func;
        match &func.inst(inst).kind {
            InstKind::If { cond, then_region, else_region } => match self.operand(*cond) {
                PacketOperand::Uniform(cond) => self.uniform_if(inst, cond.value, [*then_region, *else_region]),
                PacketOperand::Packet(cond) => match self.facts.exit_arms(inst, [*then_region, *else_region]) {
                    Some((arms, holds)) => {
                        self.lower_exit(inst, &cond, arms, holds);
                        return true;
                    }
                    None => self.masked_if(inst, &cond, [*then_region, *else_region]),
                },
            },
            InstKind::Loop { inits, body } => self.loop_(inst, inits, *body),
            InstKind::Switch { selector, cases, default } => match self.operand(*selector) {
                PacketOperand::Uniform(selector) => self.uniform_switch(inst, selector.value, cases, *default),
                PacketOperand::Packet(selector) => self.masked_switch(inst, &selector, cases, *default),
            },
            InstKind::Yield(args) => self.yield_(args),
            InstKind::Break { target, args } => self.break_(*target, args),
            InstKind::Continue { target, args } => {
                let at = self.control.frame_index(*target);
                self.continue_(at, args);
            }
            InstKind::Return => self.leave(),
            _ => self.simple(inst),
        }
        false
    }

    /// `true` if any of the instructions must not run without active lanes.
    fn needs_lanes(&self, insts: &[Inst]) -> bool {
        let in_loop = self.control.frames.last().is_some_and(|frame| frame.is_loop);
        insts.iter().any(|&inst| match &self.func.inst(inst).kind {
            InstKind::Const(_) | InstKind::Input(_) | InstKind::Op { .. } | InstKind::Return => false,
            InstKind::Yield(_) => in_loop,
            _ => true,
        })
    }

    /// Branches away if no lane is active.
    fn leave_if_empty(&mut self) {
        if let LaneMask::Lanes(lanes) = self.control.active() {
            self.note(Note::LeftTest);
            let any = self.emit().any(&lanes);
            let target = self.control.empty_target();
            self.branch_away_unless(any, target);
        }
    }

    /// Ends the path: no lane is active here any more.
    fn leave(&mut self) {
        let target = self.control.empty_target();
        self.jump(target);
    }

    /// Ends the current block.
    pub fn jump(&mut self, target: Block) {
        self.builder.ins().jump(target, &[]);
        self.control.mask = None;
    }

    fn frame(&mut self, inst: Inst) -> ConstructFrame {
        let uniformity = &self.facts.uniformity;
        let (divergent, lossy) = (uniformity.divergent_control(inst), uniformity.may_lose_lanes(inst));
        let blend_results = uniformity.results_need_masks(self.func, inst);
        let (merge, before) = (self.builder.create_block(), self.effort());
        ConstructFrame {
            inst,
            before,
            is_loop: false,
            divergent,
            masked: false,
            merge,
            merged: false,
            latch: merge,
            latched: false,
            empty: merge,
            results: SmallVec::new(),
            params: SmallVec::new(),
            blend_results,
            blend_params: false,
            shared: SmallVec::new(),
            after: lossy.then(|| self.empty_lanes()),
            delivered: false,
            run: None,
            gathers_run: false,
        }
    }

    fn result_homes(&mut self, inst: Inst) -> SmallVec<[Option<Home>; 4]> {
        let results = &self.func.inst(inst).results;
        let mut homes = SmallVec::new();
        for &result in results {
            let uniform = self.facts.is_uniform(result);
            let remote = self.pressure.is_home_remote(result);
            homes.push(self.facts.is_used(result).then(|| self.zero_home(self.func.ty(result), uniform, remote)));
        }
        homes
    }

    /// Ends a construct: the builder continues after it, with the lanes that came out. After arms under masks it is
    /// there already.
    fn finish(&mut self, frame: ConstructFrame, entry: Parked) {
        if frame.merged && !frame.masked {
            self.resume(frame.merge);
        }
        match frame.delivered {
            _ if !frame.merged && !frame.masked => self.control.mask = None,
            true => self.come_out(&frame, &entry),
            false => self.leave(),
        }
        self.give_back(frame, entry);
    }

    /// Releases the variables of a construct.
    fn give_back(&mut self, frame: ConstructFrame, entry: Parked) {
        let results = frame.results.into_iter().enumerate();
        let own = results.filter(|(n, _)| !frame.shared.get(*n).copied().unwrap_or(false)).map(|(_, home)| home);
        let homes = own.chain(frame.params).chain([frame.after, frame.run]).flatten();
        homes.for_each(|home| self.variables.release(home));
        self.drop_parked(entry);
    }

    /// Restores the lanes and results after a construct.
    fn come_out(&mut self, frame: &ConstructFrame, entry: &Parked) {
        self.control.mask = Some(match &frame.after {
            Some(home) => LaneMask::Lanes(self.home_lanes(home)),
            None => self.parked(entry),
        });
        let func = self.func;
        for (&result, home) in func.inst(frame.inst).results.iter().zip(&frame.results) {
            if let Some(home) = home {
                let value = self.home(home);
                self.define(result, value);
            }
        }
    }

    /// Passes results to a construct, from the active lanes.
    fn deliver(&mut self, at: usize, args: &[Value]) {
        let active = self.control.active();
        for (n, &arg) in args.iter().enumerate() {
            let frame = &self.control.frames[at];
            // A shared home already holds the value that a break passes.
            if frame.shared.get(n).copied().unwrap_or(false) {
                continue;
            }
            if let Some(home) = frame.results[n].clone() {
                let mask = if frame.blend_results { active.lanes().cloned() } else { None };
                let value = self.operand(arg);
                self.set_home(&home, &value, mask.as_ref());
            }
        }
        let frame = &mut self.control.frames[at];
        frame.delivered = true;
        let divergent = frame.divergent;
        if let Some(after) = frame.after.clone() {
            self.add_lanes(&after, &active, !divergent);
        }
    }

    fn yield_(&mut self, args: &[Value]) {
        let Some(at) = self.control.frames.len().checked_sub(1) else {
            // The end of the body.
            return self.leave();
        };
        if self.control.frames[at].is_loop {
            return self.continue_(at, args);
        }
        self.deliver(at, args);
        let frame = &mut self.control.frames[at];
        if !frame.masked {
            frame.merged = true;
            let merge = frame.merge;
            self.jump(merge);
        }
    }

    fn break_(&mut self, target: Inst, args: &[Value]) {
        let at = self.control.frame_index(target);
        self.deliver(at, args);
        let real = self.control.is_real_jump(at);
        let frame = &mut self.control.frames[at];
        if real && !frame.masked && !frame.gathers_run {
            frame.merged = true;
            let merge = frame.merge;
            self.jump(merge);
        } else {
            self.leave();
        }
    }

    fn continue_(&mut self, at: usize, args: &[Value]) {
        let active = self.control.active();
        for (n, &arg) in args.iter().enumerate() {
            let frame = &self.control.frames[at];
            let Some(home) = frame.params[n].clone() else { continue };
            let InstKind::Loop { body, .. } = self.func.inst(frame.inst).kind else {
                unreachable!("continues target loops")
            };
            // The home still holds the parameter in every lane that is active.
            if self.func.region(body).params[n] == arg {
                continue;
            }
            let mask = if frame.blend_params || frame.shared[n] { active.lanes().cloned() } else { None };
            let value = self.operand(arg);
            self.set_home(&home, &value, mask.as_ref());
        }
        let gathers = self.control.frames[at].gathers_run;
        if let Some(run) = self.control.frames[at].run.clone() {
            self.add_lanes(&run, &active, !gathers);
        }
        let real = self.control.is_real_jump(at);
        debug_assert!(real || gathers, "lanes that reach the next iteration on several paths are gathered");
        if real {
            self.control.frames[at].latched = true;
            let latch = self.control.frames[at].latch;
            self.jump(latch);
        } else {
            self.leave();
        }
    }

    #[inline(never)]
    fn uniform_if(&mut self, inst: Inst, cond: cranelift_codegen::ir::Value, regions: [Region; 2]) {
        let entry = self.open_frame(inst, Note::Branch);
        let entry = self.park(entry);
        let [then, otherwise] = regions.map(|region| (self.builder.create_block(), region));
        self.builder.ins().brif(cond, then.0, &[], otherwise.0, &[]);
        self.arms_apart(&[then, otherwise], entry);
    }

    /// Begins a construct, whose arms run under masks unless packets branch; returns the lanes that enter it.
    fn open_frame(&mut self, inst: Inst, note: Note) -> LaneMask {
        let entry = self.control.active();
        let mut frame = self.frame(inst);
        frame.masked = note != Note::Branch;
        frame.results = self.result_homes(inst);
        self.note(note);
        self.control.frames.push(frame);
        entry
    }

    /// Lowers arms of which packets take one, from the blocks where they begin, and ends their construct.
    fn arms_apart(&mut self, arms: &[(Block, Region)], entry: Parked) {
        for &(block, region) in arms {
            self.enter_parked(block, &entry);
            self.region(region);
        }
        let frame = self.control.pop();
        self.finish(frame, entry);
    }

    /// Continues in a block all of whose predecessors are emitted, with these lanes.
    pub fn enter(&mut self, block: Block, mask: LaneMask) {
        self.resume(block);
        self.control.mask = Some(mask);
    }

    fn enter_parked(&mut self, block: Block, mask: &Parked) {
        self.resume(block);
        self.control.mask = Some(self.parked(mask));
    }

    #[inline(never)]
    fn masked_if(&mut self, inst: Inst, cond: &Packet, regions: [Region; 2]) {
        let entry = self.open_frame(inst, Note::Masks);
        let then_mask = self.mask_and(&entry, cond);
        let else_mask = self.mask_and_not(&entry, cond);
        let mut arms = [(regions[0], then_mask), (regions[1], else_mask)];
        // An arm without work goes first: then only the other one has to keep lanes apart.
        if self.facts.is_idle(regions[1]) && !self.facts.is_idle(regions[0]) {
            arms.swap(0, 1);
        }
        let [(first, mask), (second, second_mask)] = arms;
        let entry = self.park(entry);
        let second_mask = self.park(LaneMask::Lanes(second_mask));
        let blend = std::mem::replace(&mut self.control.inner().blend_results, false);
        self.arm(first, LaneMask::Lanes(mask));
        let mask = self.parked(&second_mask);
        self.drop_parked(second_mask);
        self.control.inner().blend_results = blend;
        self.arm(second, mask);
        let frame = self.control.pop();
        self.finish(frame, entry);
    }

    /// Lowers an exit. If no lane takes it, the code that follows continues without testing for remaining lanes.
    #[inline(never)]
    fn lower_exit(&mut self, inst: Inst, cond: &Packet, [out, idle]: [Region; 2], holds: bool) {
        let entry = self.open_frame(inst, Note::Exit);
        let frame = self.control.inner();
        // Remaining lanes pass the results, and others need none: nothing needs a mask, and the lanes after it are
        // known.
        frame.blend_results = false;
        if let Some(after) = frame.after.take() {
            self.variables.release(after);
        }
        let mut arms = [self.mask_and(&entry, cond), self.mask_and_not(&entry, cond)];
        if !holds {
            arms.reverse();
        }
        let [leaving, staying] = arms;
        self.control.mask = Some(LaneMask::Lanes(staying.clone()));
        self.region(idle);
        let staying = self.park(LaneMask::Lanes(staying));

        let [taken, rest, next] = [(); 3].map(|()| self.builder.create_block());
        let any = self.emit().any(&leaving);
        self.builder.ins().brif(any, taken, &[], next, &[]);
        self.control.inner().empty = rest;
        self.enter(taken, LaneMask::Lanes(leaving));
        self.region(out);
        let frame = self.control.pop();
        self.enter_parked(rest, &staying);
        let lanes = self.control.active();
        let lanes = self.mask_packet(&lanes);
        let any = self.emit().any(&lanes);
        let empty = self.control.empty_target();
        self.builder.ins().brif(any, next, &[], empty, &[]);
        self.resume(next);
        self.come_out(&frame, &staying);
        self.give_back(frame, staying);
    }

    /// Lowers one arm of several that run one after the other.
    fn arm(&mut self, region: Region, mask: LaneMask) {
        if self.facts.is_cheap(region) {
            self.note(Note::UnskippedArm);
            self.control.mask = Some(mask);
            self.control.is_unskipped = true;
            self.region(region);
            self.control.is_unskipped = false;
            return;
        }
        self.note(Note::SkippableArm);
        let (body, end) = (self.builder.create_block(), self.builder.create_block());
        let lanes = self.mask_packet(&mask);
        let any = self.emit().any(&lanes);
        self.builder.ins().brif(any, body, &[], end, &[]);
        self.control.inner().empty = end;
        self.enter(body, mask.clone());
        self.region(region);
        if self.control.mask.is_some() {
            self.jump(end);
        }
        // Code from here on uses masks of its own.
        self.enter(end, mask);
    }
}

impl Facts<'_> {
    /// The arms of a divergent `if` that is an exit, the leaving one first, and `true` if lanes leave when the
    /// condition holds. The leaving arm never reaches its end, and the other is empty.
    fn exit_arms(&self, inst: Inst, regions: [Region; 2]) -> Option<([Region; 2], bool)> {
        if !self.uniformity.may_lose_lanes(inst) {
            return None;
        }
        let leads_out = |region: Region| {
            let (last, before) = self.func.region(region).insts.split_last().expect("a region ends in a terminator");
            let ends_in_jump = matches!(
                self.func.inst(*last).kind,
                InstKind::Break { .. } | InstKind::Continue { .. } | InstKind::Return
            );
            ends_in_jump && before.iter().all(|&inst| self.func.inst(inst).kind.regions().is_empty())
        };
        let [then_region, else_region] = regions;
        if leads_out(then_region) && self.is_idle(else_region) {
            return Some((regions, true));
        }
        (leads_out(else_region) && self.is_idle(then_region)).then_some(([else_region, then_region], false))
    }

    /// `true` if a region only yields.
    fn is_idle(&self, region: Region) -> bool {
        self.func
            .region(region)
            .insts
            .iter()
            .all(|&inst| matches!(self.func.inst(inst).kind, InstKind::Const(_) | InstKind::Yield(_)))
    }

    /// `true` if a region may run without active lanes and costs no more than a branch.
    fn is_cheap(&self, region: Region) -> bool {
        let insts = &self.func.region(region).insts;
        insts.len() <= BRANCH_COST
            && insts.iter().all(|&inst| match self.func.inst(inst).kind {
                InstKind::Const(_) | InstKind::Yield(_) => true,
                InstKind::Op { op, .. } => !op.takes_long(),
                _ => false,
            })
    }
}
