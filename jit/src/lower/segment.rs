//! A segment: what packets run in turn between two cuts.
//!
//! Before its loop over packets, a segment computes once for the group what is the same for all threads. Often nothing else
//! is left, and there is no loop at all.

use brolga_ir::entity::{Inst, Value};
use brolga_ir::function::{Case, Input, InstKind, Object};
use brolga_ir::interface::ResourceClass;
use brolga_ir::{Const, Op, Type};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{self, Block, InstBuilder, types};
use cranelift_frontend::Variable;

use super::mask::{Home, Mask};
use super::notes::Note;
use super::{Lowering, constant_flags, own_flags};
use crate::abi::offsets;
use crate::packet::{Operand, Packet};
use crate::site::Site;

/// Where the running packet's data is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Position {
    /// Its first thread in the group or span, an `i64`.
    pub thread: ir::Value,
    /// The same as an `i32`.
    pub first_thread: ir::Value,
    /// The byte offset of its row in tables with a word for each thread.
    pub row: ir::Value,
    /// The address of its record.
    pub record: ir::Value,
    /// The address of its private arrays.
    pub locals: ir::Value,
}

impl Position {
    /// A placeholder until the first packet begins.
    pub fn start(arena: ir::Value) -> Self {
        Self { thread: arena, first_thread: arena, row: arena, record: arena, locals: arena }
    }
}

/// What packets do at the end of a segment.
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

impl Lowering<'_, '_> {
    /// Instructions that packets run in turn, without a terminator.
    pub fn segment(&mut self, insts: &[Inst], tail: Tail<'_>) {
        let used = self.used_from_elsewhere(insts, tail);
        let known = self.quad_elements.len();
        self.stand(Site::Recall);
        for &value in &used {
            if self.facts.is_kept_by_group(value) && !self.pressure.is_remote(value) {
                self.recall(value);
            }
        }
        self.hoist(insts);
        self.decision = match tail {
            Tail::Agree(value) | Tail::Choose(value, _) if self.is_same_for_group(value) => Some(self.operand(value)),
            _ => None,
        };
        let moves = self.group_moves(tail);
        self.moved_by_group = moves.iter().map(|&(to, _)| to).collect();
        let has_work = self.has_work(insts, tail);
        self.note_segment(insts.first(), has_work);
        if has_work {
            self.packets(insts, tail, &used);
        }
        self.stand(Site::Tail);
        self.mask = Some(Mask::Full);
        for (to, value) in moves {
            self.keep(to, &value);
        }
        self.quad_elements.truncate(known);
        self.forget(0);
    }

    /// Whether a value is the same for all threads, and can be used before the packets.
    fn is_same_for_group(&self, value: Value) -> bool {
        self.func.as_const(value).is_some() || self.facts.uniformity.is_group_uniform(value) && self.is_at_hand(value)
    }

    /// Whether the value is available before the loop over packets, or can be loaded there.
    fn is_at_hand(&self, value: Value) -> bool {
        let readable = self.pressure.is_remote(value) && self.facts.is_kept_by_group(value);
        self.values[value.index()].is_some() || readable && self.seen[value.index()] != self.segments
    }

    /// What a tail moves that is the same for all threads, all of it read before any is written.
    fn group_moves(&mut self, tail: Tail<'_>) -> Vec<(Value, Operand)> {
        let Tail::Move { from, to } = tail else { return Vec::new() };
        let mut moves = Vec::new();
        for (&from, &to) in from.iter().zip(to) {
            if self.facts.is_kept_by_group(to) && self.is_same_for_group(from) {
                moves.push((to, self.operand(from)));
            }
        }
        moves
    }

    /// Whether anything is left for the packets to do.
    fn has_work(&self, insts: &[Inst], tail: Tail<'_>) -> bool {
        let done = |&inst: &Inst| {
            let data = self.func.inst(inst);
            match data.kind {
                // Inputs are made where they are used.
                InstKind::Const(_) | InstKind::Input(_) => true,
                _ => data.results.first().is_some_and(|result| self.values[result.index()].is_some()),
            }
        };
        let tail_done = match tail {
            Tail::Nothing => true,
            Tail::Agree(_) | Tail::Choose(..) => self.decision.is_some(),
            Tail::Move { from, to } => from.iter().zip(to).all(|(&from, &to)| !self.is_moved_by_packets(from, to)),
        };
        !(tail_done && insts.iter().all(done))
    }

    /// The loop over packets.
    fn packets(&mut self, insts: &[Inst], tail: Tail<'_>, used: &[Value]) {
        self.votes = self.new_votes(tail);
        self.any_left = self.layout.alive.map(|_| self.new_word(0));
        let packets = self.begin_packets();
        let before = self.effort();
        let rest = self.builder.create_block();
        self.rest = rest;
        let existing = self.threads_that_exist();
        let mask = match self.layout.alive {
            Some(at) => {
                let record = self.position.record;
                let alive = self.emit().load(Type::Bool, record, at as i32, own_flags());
                let any = self.emit().any(&alive);
                self.branch_away_unless(any, packets.next);
                Mask::Lanes(alive)
            }
            None => existing,
        };
        let alive = self.layout.alive.map(|_| self.empty_lanes());
        if !self.layout.locals_per_packet {
            let locals = self.position.locals;
            self.clear(locals, self.layout.local_bytes);
        }
        self.stand(Site::Recall);
        for &value in used {
            self.import(value);
        }
        self.mask = Some(mask.clone());
        let unproven = self.check_ahead(insts);
        let made_before = self.defined.len();
        self.packet(insts, tail, alive.as_ref());
        self.proofs.clear();
        if let Some(unproven) = unproven {
            let first_cold = self.builder.func.dfg.num_blocks();
            self.resume(unproven);
            self.set_cold();
            self.forget(made_before);
            self.mask = Some(mask);
            self.comes_from(before);
            self.again = true;
            self.rarely(|lowering| lowering.packet(insts, tail, alive.as_ref()));
            self.again = false;
            self.set_cold_from(first_cold);
        }
        self.resume(rest);
        if let Some(alive) = alive {
            let lanes = self.home_lanes(&alive);
            self.store_alive(&Mask::Lanes(lanes));
        }
        self.end_round_of_packets(before, self.layout.packets);
        self.end_packets(packets);
        if let Some(any_left) = self.any_left {
            let any_left = self.builder.use_var(any_left);
            self.branch_away_unless(any_left, self.exit);
        }
    }

    /// What the running packet does, up to the jump to the code after it.
    fn packet(&mut self, insts: &[Inst], tail: Tail<'_>, alive: Option<&Home>) {
        self.instructions(insts);
        self.stand(Site::Tail);
        if self.mask.is_some() {
            self.vote(tail);
            self.note_alive(alive);
            self.builder.ins().jump(self.rest, &[]);
        }
    }

    /// Forgets all values but the first `known` ones.
    fn forget(&mut self, known: usize) {
        for value in self.defined.drain(known..) {
            self.values[value.index()] = None;
            self.firsts[value.index()] = None;
        }
        self.near.clear();
    }

    fn note_alive(&mut self, alive: Option<&Home>) {
        if let Some(alive) = alive {
            let active = self.active();
            self.add_lanes(alive, &active, true);
            let any_left = self.any_left.expect("made at the segment's start");
            self.note_any(any_left, &active);
        }
    }

    pub fn store_alive(&mut self, alive: &Mask) {
        let at = self.layout.alive.expect("only called where it is kept");
        let record = self.position.record;
        let lanes = self.mask_packet(alive);
        self.emit().store(&lanes, record, at as i32, own_flags());
    }

    /// The lanes of the packet that are threads of the group or span.
    pub fn threads_that_exist(&mut self) -> Mask {
        if self.are_all_lanes_threads() {
            return Mask::Full;
        }
        let threads = match self.layout.threads {
            Some(threads) => self.builder.ins().iconst(types::I32, i64::from(threads)),
            None => self.span_threads(),
        };
        let left = self.builder.ins().isub(threads, self.position.first_thread);
        let lanes = self.emit().lane_index();
        let exist = self.binary(Op::ULt, lanes.into(), self.scalar(left));
        Mask::Lanes(self.emit().packet(&exist))
    }

    /// The threads of the span.
    fn span_threads(&mut self) -> ir::Value {
        self.builder.ins().load(types::I32, constant_flags(), self.base, offsets::SPAN_THREADS)
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
    fn note_any(&mut self, variable: Variable, lanes: &Mask) {
        let any = match lanes {
            Mask::Full => self.builder.ins().iconst(types::I32, 1),
            Mask::Lanes(lanes) => {
                let any = self.emit().any(lanes);
                self.builder.ins().uextend(types::I32, any)
            }
        };
        let old = self.builder.use_var(variable);
        let new = self.builder.ins().bor(old, any);
        self.builder.def_var(variable, new);
    }

    /// What a packet does at the end of its segment, for the lanes that reach it.
    fn vote(&mut self, tail: Tail<'_>) {
        match tail {
            Tail::Nothing => {}
            Tail::Agree(_) | Tail::Choose(..) if self.decision.is_some() => {}
            Tail::Agree(cond) => {
                let active = self.active();
                let cond = self.packet_operand(cond);
                self.store_votes(&cond);
                let holds = self.mask_and(&active, &cond);
                let fails = self.mask_and_not(&active, &cond);
                let votes = self.votes.expect("made at the segment's start");
                self.note_any(votes.first, &Mask::Lanes(holds));
                self.note_any(votes.second, &Mask::Lanes(fails));
            }
            Tail::Choose(selector, cases) => self.choose(selector, cases),
            Tail::Move { from, to } => {
                let mut moves = Vec::new();
                for (&from, &to) in from.iter().zip(to) {
                    if self.is_moved_by_packets(from, to) {
                        moves.push((to, self.operand(from)));
                    }
                }
                for (to, value) in moves {
                    self.keep(to, &value);
                }
            }
        }
    }

    /// Whether the end of a segment has packets move one value to another.
    fn is_moved_by_packets(&self, from: Value, to: Value) -> bool {
        self.facts.is_kept(to) && !self.moved_by_group.contains(&to) && !self.layout.share_slot(from, to)
    }

    /// Records which way each thread goes, for the error if they disagree.
    fn store_votes(&mut self, votes: &Packet) {
        let at = self.layout.votes.expect("there are votes");
        let record = self.position.record;
        self.emit().store(votes, record, at as i32, own_flags());
    }

    fn choose(&mut self, selector: Value, cases: &[Case]) {
        let active = self.active();
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
        self.store_votes(&arms);
    }

    fn choose_arm(&mut self, arm: usize, lanes: &Packet) {
        let votes = self.votes.expect("made at the segment's start");
        let any = self.emit().any(lanes);
        let arm = self.builder.ins().iconst(types::I32, arm as i64);
        let lowest = self.builder.use_var(votes.first);
        let lower = self.builder.ins().smin(lowest, arm);
        let lowest = self.builder.ins().select(any, lower, lowest);
        self.builder.def_var(votes.first, lowest);
        let highest = self.builder.use_var(votes.second);
        let higher = self.builder.ins().smax(highest, arm);
        let highest = self.builder.ins().select(any, higher, highest);
        self.builder.def_var(votes.second, highest);
    }

    /// Values that the segment uses but does not define.
    fn used_from_elsewhere(&mut self, insts: &[Inst], tail: Tail<'_>) -> Vec<Value> {
        let mut used = Vec::new();
        self.segments += 1;
        for &inst in insts {
            self.scan(inst, &mut used);
        }
        match tail {
            Tail::Nothing => {}
            Tail::Agree(value) | Tail::Choose(value, _) => used.push(value),
            Tail::Move { from, to } => {
                let moves = from.iter().zip(to).filter(|&(&from, &to)| !self.layout.share_slot(from, to));
                used.extend(moves.map(|(&from, _)| from));
            }
        }
        used.retain(|value| self.seen[value.index()] != self.segments && self.func.as_const(*value).is_none());
        used.sort_unstable();
        used.dedup();
        used
    }

    /// Collects what an instruction uses and defines, including its regions.
    fn scan(&mut self, inst: Inst, used: &mut Vec<Value>) {
        let func = self.func;
        let data = func.inst(inst);
        used.extend(data.kind.args());
        for &result in &data.results {
            self.seen[result.index()] = self.segments;
        }
        for region in data.kind.regions() {
            for &param in &func.region(region).params {
                self.seen[param.index()] = self.segments;
            }
            for &inner in &func.region(region).insts {
                self.scan(inner, used);
            }
        }
    }

    /// Computes once, before the loop over packets, what is the same for all of them and safe to compute.
    fn hoist(&mut self, insts: &[Inst]) {
        for &inst in insts {
            let data = self.func.inst(inst);
            let safe = match &data.kind {
                InstKind::Input(Input::GroupId(_)) | InstKind::Op { .. } => true,
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
                self.stand(Site::Inst { inst, once: true });
                self.note(Note::Once);
                self.simple(inst);
            }
        }
    }

    /// Begins the loop over packets, and leaves the builder at the start of its body.
    pub fn begin_packets(&mut self) -> PacketLoop {
        self.stand(Site::Packets);
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
        let lanes = u64::from(self.shape.lanes());
        let row = self.builder.ins().ishl_imm_u(thread, 2);
        let first_thread = self.builder.ins().ireduce(types::I32, thread);
        let record = self.builder.ins().imul_imm_u(thread, (self.layout.record_bytes / lanes) as i64);
        let record = self.builder.ins().iadd_imm_s(record, self.layout.records as i64);
        let record = self.builder.ins().iadd(self.arena, record);
        let step = if self.layout.locals_per_packet { self.layout.local_bytes / lanes } else { 0 };
        let locals = self.builder.ins().imul_imm_u(thread, step as i64);
        let locals = self.builder.ins().iadd_imm_s(locals, self.layout.locals as i64);
        let locals = self.builder.ins().iadd(self.arena, locals);
        self.position = Position { thread, first_thread, row, record, locals };
        self.keep_anchors();
        PacketLoop { header, next }
    }

    /// Ends the loop over packets, and leaves the builder after it.
    pub fn end_packets(&mut self, packets: PacketLoop) {
        self.stand(Site::Packets);
        self.builder.ins().jump(packets.next, &[]);
        self.resume(packets.next);
        let Some(header) = packets.header else { return };
        let done = self.builder.create_block();
        let lanes = self.shape.lanes();
        let next = self.builder.ins().iadd_imm_s(self.position.thread, i64::from(lanes));
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
