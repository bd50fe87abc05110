//! Lowers the group level: segments with their loops over packets, and control flow that the whole group takes
//! together.
//!
//! All values that cross from one segment to another are in the packets' records, so control flow at this level needs
//! no block parameters. Before a cut `if` or `switch`, each packet records at the end of its segment the arms of its
//! active lanes; if they disagree, the group ends with a fault, and if no lane is left, it is done.

use brolga_ir::Function;
use brolga_ir::entity::{Inst, Region, Value};
use brolga_ir::function::{Case, InstKind, Origin};
use brolga_ir::host::FaultKind;
use brolga_ir::phases::Step;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{self, Block, InstBuilder, types};
use cranelift_frontend::Switch;

use super::layout::ALIGN;
use super::mask::LaneMask;
use super::notes::Note;
use super::segment::Tail;
use super::stop::Effort;
use super::{Lowering, own_flags};
use crate::abi::offsets;
use crate::site::CodeSite;

/// The most bytes that are cleared without polling the stop word, which would take longer than to clear cached memory.
const LONG_TO_CLEAR: u64 = 16 << 20;

/// A cut construct that is being written.
pub(super) struct GroupFrame {
    inst: Inst,
    /// The work before it.
    before: Effort,
    merge: Block,
    merged: bool,
    latch: Option<Block>,
    latched: bool,
}

impl<'a> Lowering<'a, '_> {
    /// Lowers the whole function, from the entry block on.
    pub fn function(&mut self) {
        for n in 0..3u8 {
            // In a span, those of its first group; the others' are computed from them.
            let at = offsets::GROUP + 4 * i32::from(n);
            let id = self.builder.ins().load(types::I32, own_flags(), self.anchors.base, at);
            self.anchors.group_id[usize::from(n)] = id;
        }
        self.prepare_group_starts();
        self.anchors.keep(&mut self.builder);
        self.look_up_views();
        for value in (0..self.func.value_count()).map(Value::new) {
            if self.facts.is_kept_by_group(value) {
                let remote = self.pressure.is_remote(value);
                let home = self.zero_home(self.func.ty(value), true, remote);
                self.variables.of_group.insert(value, home);
            }
        }
        if self.layout.packets > 0 {
            self.prepare_arena();
            self.group_region(self.func.body());
        }
        if self.control.mask.is_some() {
            self.jump(self.control.exit);
        }
    }

    /// Clears shared memory, and private arrays and records that live as long as the group.
    fn prepare_arena(&mut self) {
        self.set_site(CodeSite::Clear);
        let shared = self.anchors.arena;
        self.clear(shared, self.layout.shared_bytes);
        if self.layout.locals_per_packet {
            let locals = self.builder.ins().iadd_imm_s(self.anchors.arena, self.layout.locals as i64);
            self.clear(locals, self.layout.local_bytes * u64::from(self.layout.packets));
        }
        if self.layout.alive.is_some() {
            let packets = self.begin_packets();
            let alive = self.threads_that_exist();
            self.store_alive(&alive);
            self.end_packets(packets);
        }
    }

    /// Writes zeros; the address and the number of bytes are multiples of [`ALIGN`].
    pub fn clear(&mut self, address: ir::Value, bytes: u64) {
        if bytes == 0 {
            return;
        }
        debug_assert!(bytes.is_multiple_of(ALIGN), "arena parts are padded");
        self.stopping.effort.spend_on_clearing(bytes);
        let end = self.builder.ins().iadd_imm_s(address, bytes as i64);
        let body = self.builder.create_block();
        let at = self.builder.append_block_param(body, types::I64);
        let done = self.builder.create_block();
        self.builder.ins().jump(body, &[address.into()]);
        self.switch_to(body);
        self.emit().clear(at, ALIGN as u32, own_flags());
        if bytes > LONG_TO_CLEAR {
            self.poll(self.origin, None);
        }
        let next = self.builder.ins().iadd_imm_s(at, ALIGN as i64);
        let more = self.builder.ins().icmp(IntCC::UnsignedLessThan, next, end);
        self.builder.ins().brif(more, body, &[next.into()], done, &[]);
        self.builder.seal_block(body);
        self.resume(done);
    }

    fn group_region(&mut self, region: Region) {
        let func = self.func;
        let owner = self.builder.srcloc();
        if let Some(before) = self.control.group_frames.last().map(|frame| frame.before) {
            self.comes_from(before);
        }
        let steps = self.facts.phases.steps(region).expect("regions of the group level have steps");
        let insts = &func.region(region).insts;
        for (n, step) in steps.iter().enumerate() {
            if self.control.mask.is_none() {
                break;
            }
            if self.is_over() {
                self.jump(self.control.exit);
                break;
            }
            let before = self.effort();
            match *step {
                Step::Segment { start, end } => {
                    let next = match steps.get(n + 1) {
                        Some(Step::Cut(inst)) => Some(*inst),
                        _ => None,
                    };
                    self.segment_and_jump(&insts[start..end], next);
                }
                Step::Cut(inst) => {
                    let prepared = matches!(n.checked_sub(1).map(|n| &steps[n]), Some(Step::Segment { .. }));
                    self.cut(inst, prepared);
                }
            }
            if self.control.mask.is_some() {
                self.poll_if_due(before, self.origin, None);
            }
        }
        self.builder.set_srcloc(owner);
    }

    /// Writes a segment and its terminator. `next` is the cut instruction that follows it.
    fn segment_and_jump(&mut self, insts: &'a [Inst], next: Option<Inst>) {
        let func = self.func;
        let last = *insts.last().expect("segments are not empty");
        let kind = &func.inst(last).kind;
        if !kind.is_terminator() {
            let tail = next.map_or(Tail::Nothing, |inst| tail_of(self.func, inst));
            return self.segment(insts, tail);
        }
        let insts = &insts[..insts.len() - 1];
        let owner = self.control.group_frames.last().map(|frame| frame.inst);
        let Some((from, to)) = func.edge(last, owner) else { return self.last_segment(insts) };
        self.segment(insts, Tail::Move { from, to });
        let target = kind.receiver(last, owner);
        let frame = self.control.group_frames.iter_mut().rev().find(|frame| Some(frame.inst) == target);
        let frame = frame.expect("verified: jumps target enclosing constructs");
        let block = match frame.latch.filter(|_| !matches!(kind, InstKind::Break { .. })) {
            Some(latch) => {
                frame.latched = true;
                latch
            }
            None => {
                frame.merged = true;
                frame.merge
            }
        };
        self.jump(block);
    }

    /// Writes a segment after which all threads have ended.
    fn last_segment(&mut self, insts: &[Inst]) {
        self.segment(insts, Tail::Nothing);
        self.jump(self.control.exit);
    }

    /// Writes a cut instruction. `prepared` if the segment before it prepared it.
    fn cut(&mut self, inst: Inst, prepared: bool) {
        let func = self.func;
        let data = func.inst(inst);
        self.origin = data.origin;
        if !prepared && !matches!(tail_of(self.func, inst), Tail::Nothing) {
            self.segment(&[], tail_of(self.func, inst));
        }
        self.set_site(CodeSite::of(inst));
        self.note(Note::Cut);
        match &data.kind {
            InstKind::Barrier(sync) => {
                if sync.views_global {
                    self.builder.ins().fence();
                }
            }
            InstKind::If { then_region, else_region, .. } => self.group_if(inst, [*then_region, *else_region]),
            InstKind::Loop { body, .. } => self.group_loop(inst, *body, data.origin),
            InstKind::Switch { cases, default, .. } => self.group_switch(inst, cases, *default),
            _ => unreachable!("only barriers and constructs are cut"),
        }
    }

    fn open(&mut self, inst: Inst) {
        let (merge, before) = (self.builder.create_block(), self.effort());
        self.control.group_frames.push(GroupFrame { inst, before, merge, merged: false, latch: None, latched: false });
    }

    fn close(&mut self) {
        let frame = self.control.group_frames.pop().expect("opened before");
        self.control.mask = None;
        if frame.merged {
            self.enter(frame.merge, LaneMask::Full);
        }
    }

    fn group_if(&mut self, inst: Inst, regions: [Region; 2]) {
        if let Some(cond) = self.segment.decision.take() {
            self.note(Note::Known);
            return self.group_if_on(inst, cond.values()[0], regions);
        }
        let [holds, fails] = self.votes();
        let both = self.builder.ins().band(holds, fails);
        let both = self.builder.ins().icmp_imm_u(IntCC::NotEqual, both, 0);
        self.fault_if_in(both, FaultKind::DivergentBarrier { threads: [0; 2] }, self.origin, None);
        let any = self.builder.ins().bor(holds, fails);
        let any = self.builder.ins().icmp_imm_u(IntCC::NotEqual, any, 0);
        self.branch_away_unless(any, self.control.exit);
        self.group_if_on(inst, holds, regions);
    }

    fn group_if_on(&mut self, inst: Inst, cond: ir::Value, regions: [Region; 2]) {
        let [then, otherwise] = regions.map(|region| (self.builder.create_block(), region));
        self.builder.ins().brif(cond, then.0, &[], otherwise.0, &[]);
        self.group_arms(inst, &[then, otherwise]);
    }

    /// Writes the arms of a construct, from the blocks where they begin.
    fn group_arms(&mut self, inst: Inst, arms: &[(Block, Region)]) {
        self.open(inst);
        for &(block, region) in arms {
            self.enter(block, LaneMask::Full);
            self.group_region(region);
        }
        self.close();
    }

    /// The votes of the packets.
    fn votes(&mut self) -> [ir::Value; 2] {
        self.note(Note::Votes);
        let votes = self.segment.votes.expect("the segment before voted");
        [votes.first, votes.second].map(|vote| self.builder.use_var(vote))
    }

    fn group_switch(&mut self, inst: Inst, cases: &[Case], default: Region) {
        let mut table = Switch::new();
        let otherwise = self.builder.create_block();
        let mut blocks = Vec::with_capacity(cases.len() + 1);
        let decision = self.segment.decision.take();
        for (n, case) in cases.iter().enumerate() {
            let block = self.builder.create_block();
            match decision {
                Some(_) => case.labels.iter().for_each(|&label| table.set_entry(u128::from(label), block)),
                None => table.set_entry(n as u128, block),
            }
            blocks.push((block, case.region));
        }
        blocks.push((otherwise, default));
        let selector = match decision {
            Some(selector) => {
                self.note(Note::Known);
                selector.values()[0]
            }
            None => self.agreed_arm(),
        };
        table.emit(&mut self.builder, selector, otherwise);
        self.group_arms(inst, &blocks);
    }

    /// The arm that all lanes of all packets take.
    fn agreed_arm(&mut self) -> ir::Value {
        let [lowest, highest] = self.votes();
        let none = self.builder.ins().icmp(IntCC::SignedGreaterThan, lowest, highest);
        self.branch_away(none, self.control.exit);
        let differ = self.builder.ins().icmp(IntCC::NotEqual, lowest, highest);
        self.fault_if_in(differ, FaultKind::DivergentBarrier { threads: [0; 2] }, self.origin, None);
        lowest
    }

    fn group_loop(&mut self, inst: Inst, body: Region, origin: Origin) {
        self.open(inst);
        let (header, latch) = (self.builder.create_block(), self.builder.create_block());
        self.control.group_frames.last_mut().expect("opened above").latch = Some(latch);
        self.builder.ins().jump(header, &[]);
        self.switch_to(header);
        self.group_region(body);
        if self.control.group_frames.last().expect("opened above").latched {
            self.enter(latch, LaneMask::Full);
            let before = self.control.group_frames.last().expect("opened above").before;
            self.end_iteration(before, origin, None);
            self.builder.ins().jump(header, &[]);
        }
        self.builder.seal_block(header);
        self.close();
    }
}

/// The end of the segment before a cut instruction, for that instruction.
fn tail_of(func: &Function, inst: Inst) -> Tail<'_> {
    match &func.inst(inst).kind {
        InstKind::If { cond, .. } => Tail::Agree(*cond),
        InstKind::Switch { selector, cases, .. } => Tail::Choose(*selector, cases),
        InstKind::Loop { inits, body } => Tail::Move { from: inits, to: &func.region(*body).params },
        _ => Tail::Nothing,
    }
}
