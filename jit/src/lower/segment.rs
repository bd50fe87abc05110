//! Lowers a segment: the code that packets run in turn between two cuts.
//!
//! Before its loop over packets, a segment computes group-uniform values once. Often nothing else is left, and there is
//! no loop at all.

use std::collections::HashSet;

use brolga_ir::entity::{Inst, Value};
use brolga_ir::function::{Case, Input, InstKind, Object};
use brolga_ir::interface::ResourceClass;
use brolga_ir::{Const, Function, Op, Type};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{self, Block, InstBuilder, types};
use cranelift_frontend::Variable;

use super::anchor::Position;
use super::mask::LaneMask;
use super::notes::Note;
use super::variable::Home;
use super::{Lowering, constant_flags, own_flags};
use crate::abi::offsets;
use crate::packet::{Packet, PacketOperand};
use crate::site::CodeSite;

/// The end of a segment, for packets.
#[derive(Clone, Copy)]
pub(super) enum Tail<'a> {
    Nothing,
    /// Vote on a condition.
    Agree(Value),
    /// Vote on the arm that a selector chooses.
    Choose(Value, &'a [Case]),
    /// Move values to the parameters or results they become.
    Move {
        from: &'a [Value],
        to: &'a [Value],
    },
}

/// The votes of packets: each an `i32` to which all packets of the segment contribute.
#[derive(Clone, Copy)]
pub(super) struct Votes {
    /// Non-zero if some lane's condition holds; the lowest arm that is wanted.
    pub first: Variable,
    /// Non-zero if some lane's condition does not hold; the highest arm that is wanted.
    pub second: Variable,
}

/// The segment that is being written, and how the cut after it learns the packets' choice: by a decision if there is
/// one, else by votes. Everything is set when a segment begins, and the cut reads it before the next one does.
#[derive(Default)]
pub(super) struct SegmentState {
    number: u32,
    /// The last segment that defines each value.
    seen: Vec<u32>,
    /// The packets' votes at its end.
    pub votes: Option<Votes>,
    /// The condition or selector after it, if it is known to be group-uniform: nobody votes then.
    pub decision: Option<PacketOperand>,
    /// Values that the tail moves before the loop over packets.
    moved_by_group: HashSet<Value>,
    /// Non-zero once a packet has threads left, if that is not certain.
    any_left: Option<Variable>,
    /// Its code is being emitted again, for packets that failed checks made ahead.
    pub again: bool,
}

impl SegmentState {
    /// The state before the first one, for a function with so many values.
    pub fn new(values: usize) -> Self {
        Self { seen: vec![0; values], ..Self::default() }
    }

    /// `true` if it defines a value.
    fn defines(&self, value: Value) -> bool {
        self.seen[value.index()] == self.number
    }

    /// Collects the values that an instruction uses and defines, including its regions.
    fn scan(&mut self, func: &Function, inst: Inst, used: &mut Vec<Value>) {
        let data = func.inst(inst);
        used.extend(data.kind.args());
        let regions = data.kind.regions();
        for &value in data.results.iter().chain(regions.iter().flat_map(|&region| &func.region(region).params)) {
            self.seen[value.index()] = self.number;
        }
        for region in regions {
            func.region(region).insts.iter().for_each(|&inner| self.scan(func, inner, used));
        }
    }
}

impl Lowering<'_, '_> {
    /// Writes instructions that packets run in turn, without a terminator.
    pub fn segment(&mut self, insts: &[Inst], tail: Tail<'_>) {
        let used = self.used_from_elsewhere(insts, tail);
        let known = self.addresses.count();
        self.set_site(CodeSite::Recall);
        for &value in &used {
            if self.facts.is_kept_by_group(value) && !self.pressure.is_remote(value) {
                self.recall(value);
            }
        }
        self.hoist(insts);
        self.segment.decision = match tail {
            Tail::Agree(value) | Tail::Choose(value, _) if self.is_same_for_group(value) => Some(self.operand(value)),
            _ => None,
        };
        let moves = self.group_moves(tail);
        self.segment.moved_by_group = moves.iter().map(|&(to, _)| to).collect();
        let has_work = self.has_work(insts, tail);
        self.note_segment(insts.first(), has_work);
        if has_work {
            self.packets(insts, tail, &used);
        }
        self.set_site(CodeSite::Tail);
        self.control.mask = Some(LaneMask::Full);
        moves.into_iter().for_each(|(to, value)| self.keep(to, &value));
        self.addresses.forget(known);
        self.available.forget(0);
    }

    /// `true` if a value is group-uniform, and can be used before the packets.
    fn is_same_for_group(&self, value: Value) -> bool {
        self.func.as_const(value).is_some() || self.facts.uniformity.is_group_uniform(value) && self.is_at_hand(value)
    }

    /// `true` if the value is available before the loop over packets, or can be loaded there.
    fn is_at_hand(&self, value: Value) -> bool {
        let readable = self.pressure.is_remote(value) && self.facts.is_kept_by_group(value);
        self.available.has(value) || readable && !self.segment.defines(value)
    }

    /// The group-uniform moves of a tail.
    fn group_moves(&mut self, tail: Tail<'_>) -> Vec<(Value, PacketOperand)> {
        let Tail::Move { from, to } = tail else { return Vec::new() };
        self.moves(from, to, |this, from, to| this.facts.is_kept_by_group(to) && this.is_same_for_group(from))
    }

    /// Some of the moves of a tail, all of them read before any is written.
    fn moves(
        &mut self,
        from: &[Value],
        to: &[Value],
        is_one: fn(&Self, Value, Value) -> bool,
    ) -> Vec<(Value, PacketOperand)> {
        let pairs = from.iter().copied().zip(to.iter().copied());
        let moved: Vec<_> = pairs.filter(|&(from, to)| is_one(self, from, to)).collect();
        moved.into_iter().map(|(from, to)| (to, self.operand(from))).collect()
    }

    /// `true` if anything is left for the packets to do.
    fn has_work(&self, insts: &[Inst], tail: Tail<'_>) -> bool {
        let done = |&inst: &Inst| {
            let data = self.func.inst(inst);
            match data.kind {
                // Inputs are made where they are used.
                InstKind::Const(_) | InstKind::Input(_) => true,
                _ => data.results.first().is_some_and(|&result| self.available.has(result)),
            }
        };
        let tail_done = match tail {
            Tail::Nothing => true,
            Tail::Agree(_) | Tail::Choose(..) => self.segment.decision.is_some(),
            Tail::Move { from, to } => from.iter().zip(to).all(|(&from, &to)| !self.is_moved_by_packets(from, to)),
        };
        !(tail_done && insts.iter().all(done))
    }

    /// Writes the loop over packets.
    fn packets(&mut self, insts: &[Inst], tail: Tail<'_>, used: &[Value]) {
        self.segment.votes = self.new_votes(tail);
        self.segment.any_left = self.layout.alive.map(|_| self.new_word(0));
        let packets = self.begin_packets();
        let before = self.effort();
        let rest = self.builder.create_block();
        self.control.rest = rest;
        let existing = self.threads_that_exist();
        let mask = match self.layout.alive {
            Some(at) => {
                let record = self.anchors.position.record;
                let alive = self.emit().load(Type::Bool, record, at as i32, own_flags());
                let any = self.emit().any(&alive);
                self.branch_away_unless(any, packets.next);
                LaneMask::Lanes(alive)
            }
            None => existing,
        };
        let alive = self.layout.alive.map(|_| self.empty_lanes());
        if !self.layout.locals_per_packet {
            let locals = self.anchors.position.locals;
            self.clear(locals, self.layout.local_bytes);
        }
        self.set_site(CodeSite::Recall);
        for &value in used {
            self.import(value);
        }
        self.control.mask = Some(mask.clone());
        let unproven = self.check_ahead(insts);
        let made_before = self.available.count();
        self.packet(insts, tail, alive.as_ref());
        self.addresses.proofs.clear();
        if let Some(unproven) = unproven {
            let first_cold = self.builder.func.dfg.num_blocks();
            self.resume(unproven);
            self.set_cold();
            self.available.forget(made_before);
            self.control.mask = Some(mask);
            self.comes_from(before);
            self.segment.again = true;
            self.rarely(|lowering| lowering.packet(insts, tail, alive.as_ref()));
            self.segment.again = false;
            self.set_cold_from(first_cold);
        }
        self.resume(rest);
        if let Some(alive) = alive {
            let lanes = self.home_lanes(&alive);
            self.store_alive(&LaneMask::Lanes(lanes));
        }
        self.end_packet_iteration(before, self.layout.packets);
        self.end_packets(packets);
        if let Some(any_left) = self.segment.any_left {
            let any_left = self.builder.use_var(any_left);
            self.branch_away_unless(any_left, self.control.exit);
        }
    }

    /// Writes the running packet's code, up to the jump to the code after it.
    fn packet(&mut self, insts: &[Inst], tail: Tail<'_>, alive: Option<&Home>) {
        self.instructions(insts);
        self.set_site(CodeSite::Tail);
        if self.control.mask.is_some() {
            self.vote(tail);
            self.note_alive(alive);
            self.builder.ins().jump(self.control.rest, &[]);
        }
    }

    fn note_alive(&mut self, alive: Option<&Home>) {
        if let Some(alive) = alive {
            let active = self.control.active();
            self.add_lanes(alive, &active, true);
            let any_left = self.segment.any_left.expect("made at the segment's start");
            self.note_any(any_left, &active);
        }
    }

    pub fn store_alive(&mut self, alive: &LaneMask) {
        let lanes = self.mask_packet(alive);
        self.store_in_record(&lanes, self.layout.alive);
    }

    /// Writes a row of the packet's record, at the offset it has if it is written.
    fn store_in_record(&mut self, packet: &Packet, at: Option<u64>) {
        let (record, at) = (self.anchors.position.record, at.expect("the record has this row"));
        self.emit().store(packet, record, at as i32, own_flags());
    }

    /// The lanes of the packet that are threads of the group or span.
    pub fn threads_that_exist(&mut self) -> LaneMask {
        if self.facts.are_all_lanes_threads() {
            return LaneMask::Full;
        }
        let threads = match self.layout.threads {
            Some(threads) => self.builder.ins().iconst(types::I32, i64::from(threads)),
            None => self.span_threads(),
        };
        let left = self.builder.ins().isub(threads, self.anchors.position.first_thread);
        let lanes = self.emit().lane_index();
        let exist = self.binary(Op::ULt, lanes.into(), self.scalar(left));
        LaneMask::Lanes(self.emit().packet(&exist))
    }

    /// The threads of the span.
    fn span_threads(&mut self) -> ir::Value {
        self.builder.ins().load(types::I32, constant_flags(), self.anchors.base, offsets::SPAN_THREADS)
    }

    fn new_votes(&mut self, tail: Tail<'_>) -> Option<Votes> {
        let start = match tail {
            Tail::Nothing | Tail::Move { .. } => return None,
            Tail::Agree(_) => [0, 0],
            Tail::Choose(..) => [i64::from(i32::MAX), -1],
        };
        let [first, second] = start.map(|value| self.new_word(value));
        Some(Votes { first, second })
    }

    /// A variable to which all packets of a segment contribute.
    fn new_word(&mut self, value: i64) -> Variable {
        let variable = self.builder.declare_var(types::I32);
        let value = self.builder.ins().iconst(types::I32, value);
        self.builder.def_var(variable, value);
        variable
    }

    /// Records that some lane is in a set.
    fn note_any(&mut self, variable: Variable, lanes: &LaneMask) {
        let any = match lanes {
            LaneMask::Full => self.builder.ins().iconst(types::I32, 1),
            LaneMask::Lanes(lanes) => {
                let any = self.emit().any(lanes);
                self.builder.ins().uextend(types::I32, any)
            }
        };
        let old = self.builder.use_var(variable);
        let new = self.builder.ins().bor(old, any);
        self.builder.def_var(variable, new);
    }

    /// Writes the end of a packet's segment, for the lanes that reach it.
    fn vote(&mut self, tail: Tail<'_>) {
        match tail {
            Tail::Nothing => {}
            Tail::Agree(_) | Tail::Choose(..) if self.segment.decision.is_some() => {}
            Tail::Agree(cond) => {
                let active = self.control.active();
                let cond = self.packet_operand(cond);
                self.store_in_record(&cond, self.layout.votes);
                let holds = self.mask_and(&active, &cond);
                let fails = self.mask_and_not(&active, &cond);
                let votes = self.segment.votes.expect("made at the segment's start");
                self.note_any(votes.first, &LaneMask::Lanes(holds));
                self.note_any(votes.second, &LaneMask::Lanes(fails));
            }
            Tail::Choose(selector, cases) => self.choose(selector, cases),
            Tail::Move { from, to } => {
                let moves = self.moves(from, to, Self::is_moved_by_packets);
                moves.into_iter().for_each(|(to, value)| self.keep(to, &value));
            }
        }
    }

    /// `true` if the end of a segment has packets move one value to another.
    fn is_moved_by_packets(&self, from: Value, to: Value) -> bool {
        self.facts.is_kept(to) && !self.segment.moved_by_group.contains(&to) && !self.layout.share_slot(from, to)
    }

    fn choose(&mut self, selector: Value, cases: &[Case]) {
        let active = self.control.active();
        let selector = self.packet_operand(selector);
        let mut taken = self.emit().mask_constant(false);
        let mut arms = self.emit().constant_packet(Const::i32(cases.len() as u32));
        for (arm, case) in cases.iter().enumerate() {
            let matches = self.matches(&selector, &case.labels);
            let this = self.emit().constant_packet(Const::i32(arm as u32));
            arms = self.emit().select(&matches, &this, &arms);
            taken = self.emit().mask_or(&taken, &matches);
            let lanes = self.mask_and(&active, &matches);
            self.choose_arm(arm, &lanes);
        }
        let lanes = self.mask_and_not(&active, &taken);
        self.choose_arm(cases.len(), &lanes);
        self.store_in_record(&arms, self.layout.votes);
    }

    /// Votes for an arm if some lane takes it: it lies between the lowest and the highest that are wanted.
    fn choose_arm(&mut self, arm: usize, lanes: &Packet) {
        let votes = self.segment.votes.expect("made at the segment's start");
        let any = self.emit().any(lanes);
        let arm = self.builder.ins().iconst(types::I32, arm as i64);
        for (vote, is_lowest) in [(votes.first, true), (votes.second, false)] {
            let old = self.builder.use_var(vote);
            let ins = self.builder.ins();
            let with_arm = if is_lowest { ins.smin(old, arm) } else { ins.smax(old, arm) };
            let new = self.builder.ins().select(any, with_arm, old);
            self.builder.def_var(vote, new);
        }
    }

    /// Values that the segment uses but does not define.
    fn used_from_elsewhere(&mut self, insts: &[Inst], tail: Tail<'_>) -> Vec<Value> {
        let mut used = Vec::new();
        self.segment.number += 1;
        for &inst in insts {
            self.segment.scan(self.func, inst, &mut used);
        }
        match tail {
            Tail::Nothing => {}
            Tail::Agree(value) | Tail::Choose(value, _) => used.push(value),
            Tail::Move { from, to } => {
                let moves = from.iter().zip(to).filter(|&(&from, &to)| !self.layout.share_slot(from, to));
                used.extend(moves.map(|(&from, _)| from));
            }
        }
        used.retain(|&value| !self.segment.defines(value) && self.func.as_const(value).is_none());
        used.sort_unstable();
        used.dedup();
        used
    }

    /// Computes once, before the loop over packets, values that are the same for all of them and safe to compute.
    fn hoist(&mut self, insts: &[Inst]) {
        for &inst in insts {
            let data = self.func.inst(inst);
            let safe = match &data.kind {
                InstKind::Input(Input::GroupId(_) | Input::GroupCount(_)) | InstKind::Op { .. } => true,
                InstKind::Query { .. } => self.func.is_known_of_view(&data.kind),
                InstKind::Load { place } => match place.object {
                    Object::Immediate | Object::Curve => true,
                    Object::Resource(resource) => {
                        self.func.interface.resource(resource.id).class == ResourceClass::Constant
                    }
                    Object::Array(array) => !self.func.interface.array(array).is_written,
                    Object::Shared(_) | Object::Local(_) => false,
                },
                _ => false,
            };
            let same = data.results.iter().all(|&result| self.facts.uniformity.is_group_uniform(result));
            if safe && same && data.kind.args().iter().all(|&arg| self.is_same_for_group(arg)) {
                self.set_site(CodeSite::Inst { inst, once: true });
                self.note(Note::Once);
                self.simple(inst);
            }
        }
    }

    /// Begins the loop over packets, and leaves the builder at the start of its body.
    pub fn begin_packets(&mut self) -> PacketLoop {
        self.set_site(CodeSite::Packets);
        let next = self.builder.create_block();
        let packets = self.layout.packets;
        let zero = self.builder.ins().iconst(types::I64, 0);
        let (header, thread) = if packets > 1 {
            let header = self.builder.create_block();
            let thread = self.builder.append_block_param(header, types::I64);
            self.builder.ins().jump(header, &[zero.into()]);
            self.switch_to(header);
            (Some(header), thread)
        } else {
            (None, zero)
        };
        // Records and private arrays are padded to more than the lanes of a packet.
        let lanes = u64::from(self.facts.shape.lanes());
        let row = self.builder.ins().ishl_imm_u(thread, 2);
        let first_thread = self.builder.ins().ireduce(types::I32, thread);
        let step = if self.layout.locals_per_packet { self.layout.local_bytes / lanes } else { 0 };
        let parts = [(self.layout.record_bytes / lanes, self.layout.records), (step, self.layout.locals)];
        let [record, locals] = parts.map(|(step, start)| {
            let offset = self.builder.ins().imul_imm_u(thread, step as i64);
            let offset = self.builder.ins().iadd_imm_s(offset, start as i64);
            self.builder.ins().iadd(self.anchors.arena, offset)
        });
        self.anchors.position = Position { thread, first_thread, row, record, locals };
        self.anchors.keep(&mut self.builder);
        PacketLoop { header, next }
    }

    /// Ends the loop over packets, and leaves the builder after it.
    pub fn end_packets(&mut self, packets: PacketLoop) {
        self.set_site(CodeSite::Packets);
        self.builder.ins().jump(packets.next, &[]);
        self.resume(packets.next);
        let Some(header) = packets.header else { return };
        let done = self.builder.create_block();
        let lanes = self.facts.shape.lanes();
        let next = self.builder.ins().iadd_imm_s(self.anchors.position.thread, i64::from(lanes));
        let more = match self.layout.threads {
            Some(_) => {
                let end = i64::from(self.layout.packets * lanes);
                self.builder.ins().icmp_imm_u(IntCC::UnsignedLessThan, next, end)
            }
            None => {
                let end = self.span_threads();
                let first = self.builder.ins().ireduce(types::I32, next);
                self.builder.ins().icmp(IntCC::UnsignedLessThan, first, end)
            }
        };
        self.builder.ins().brif(more, header, &[next.into()], done, &[]);
        self.builder.seal_block(header);
        self.resume(done);
    }
}

/// A loop over packets that is being written.
pub(super) struct PacketLoop {
    header: Option<Block>,
    next: Block,
}
