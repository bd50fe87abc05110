//! The group level: segments and their loops over packets, and control flow that the whole group takes together.
//!
//! All values that cross from one segment to another are in the packets' records, so control flow of this level needs
//! no parameters. Before a cut `if` or `switch` each packet says at the end of its segment which way its active lanes
//! want to go; if they disagree the group ends with a fault, if nobody is left it is done.

use brolga_ir::Type;
use brolga_ir::entity::{Inst, Region, Value};
use brolga_ir::function::{Case, Input, InstKind, Object, Origin};
use brolga_ir::host::FaultKind;
use brolga_ir::interface::ResourceClass;
use brolga_ir::phases::Step;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{self, Block, InstBuilder, types};
use cranelift_frontend::Variable;

use super::layout::ROW_BYTES;
use super::mask::{Home, Mask};
use super::{LANES, Lowering, own_flags};
use crate::abi::offsets;
use crate::packet::Operand;

/// Where the running packet's things are.
#[derive(Clone, Copy, Debug)]
pub(super) struct Position {
    /// Its first thread, an `i32`.
    pub first_thread: ir::Value,
    /// The byte offset of its row in tables with a word for each thread.
    pub row: ir::Value,
    /// The address of its record.
    pub record: ir::Value,
    /// The address of its private arrays.
    pub locals: ir::Value,
}

impl Position {
    /// A stand-in until the first packet begins.
    pub fn start(arena: ir::Value) -> Self {
        Self { first_thread: arena, row: arena, record: arena, locals: arena }
    }
}

/// A cut construct that is being written.
pub(super) struct GroupFrame {
    inst: Inst,
    merge: Block,
    merged: bool,
    latch: Option<Block>,
    latched: bool,
}

/// What packets do at the end of a segment.
#[derive(Clone, Copy)]
enum Tail<'a> {
    Nothing,
    /// Say which way a condition goes.
    Agree(Value),
    /// Say which arm a selector chooses.
    Choose(Value, &'a [Case]),
    /// Move values to what they become.
    Move {
        from: &'a [Value],
        to: &'a [Value],
    },
}

/// What packets said; each is an `i32` that all packets of the segment have a hand in.
#[derive(Clone, Copy)]
pub(super) struct Votes {
    /// Non-zero if some lane's condition holds; the lowest arm that is wanted.
    first: Variable,
    /// Non-zero if some lane's condition does not hold; the highest arm that is wanted.
    second: Variable,
}

impl<'a> Lowering<'a, '_> {
    /// Writes the whole function; the builder stands in the entry block.
    pub fn function(&mut self) {
        for n in 0..3u8 {
            let at = offsets::GROUP + 4 * i32::from(n);
            let id = self.builder.ins().load(types::I32, own_flags(), self.base, at);
            self.group_id[usize::from(n)] = Some(id);
        }
        self.look_up_views();
        if self.layout.packets > 0 {
            self.prepare_arena();
            self.group_region(self.func.body());
        }
        if self.mask.is_some() {
            self.builder.ins().jump(self.exit, &[]);
        }
    }

    /// Clears shared memory, and private arrays and records that live as long as the group.
    fn prepare_arena(&mut self) {
        let shared = self.arena;
        self.clear(shared, self.layout.shared_bytes);
        if self.layout.locals_per_packet {
            let locals = self.builder.ins().iadd_imm_s(self.arena, self.layout.locals as i64);
            self.clear(locals, self.layout.local_bytes * u64::from(self.layout.packets));
        }
        if self.layout.alive.is_some() {
            let packets = self.begin_packets();
            let alive = self.threads_that_exist();
            self.store_alive(&alive);
            self.end_packets(packets);
        }
    }

    /// Writes zeros; the address and the number of bytes are multiples of 64.
    pub fn clear(&mut self, address: ir::Value, bytes: u64) {
        if bytes == 0 {
            return;
        }
        debug_assert!(bytes.is_multiple_of(64), "arena parts are padded");
        let zero = self.emit().constant_packet(brolga_ir::Const::i32(0));
        let end = self.builder.ins().iadd_imm_s(address, bytes as i64);
        let body = self.builder.create_block();
        let at = self.builder.append_block_param(body, types::I64);
        let done = self.builder.create_block();
        self.builder.ins().jump(body, &[address.into()]);
        self.builder.switch_to_block(body);
        let row = ROW_BYTES as i32;
        for n in 0..64 / row {
            self.emit().store(&zero, at, n * row, own_flags());
        }
        let next = self.builder.ins().iadd_imm_s(at, 64);
        let more = self.builder.ins().icmp(IntCC::UnsignedLessThan, next, end);
        self.builder.ins().brif(more, body, &[next.into()], done, &[]);
        self.builder.seal_block(body);
        self.builder.seal_block(done);
        self.builder.switch_to_block(done);
    }

    fn group_region(&mut self, region: Region) {
        let func = self.func;
        let steps = self.facts.phases.steps(region).expect("regions of the group level have steps");
        let insts = &func.region(region).insts;
        for (n, step) in steps.iter().enumerate() {
            if self.mask.is_none() {
                return;
            }
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
        }
    }

    /// A segment, and where its terminator leads. `next` is the cut instruction that follows it.
    fn segment_and_jump(&mut self, insts: &'a [Inst], next: Option<Inst>) {
        let func = self.func;
        let last = *insts.last().expect("segments are not empty");
        let kind = &func.inst(last).kind;
        if !kind.is_terminator() {
            let tail = next.map_or(Tail::Nothing, |inst| self.tail_of(inst));
            return self.segment(insts, tail);
        }
        let insts = &insts[..insts.len() - 1];
        let (target, args, to_latch) = match kind {
            InstKind::Yield(args) => match self.group_frames.last() {
                Some(frame) => (frame.inst, args, frame.latch.is_some()),
                None => return self.last_segment(insts),
            },
            InstKind::Break { target, args } => (*target, args, false),
            InstKind::Continue { target, args } => (*target, args, true),
            _ => return self.last_segment(insts),
        };
        let to: &[Value] = match func.inst(target).kind {
            InstKind::Loop { body, .. } if to_latch => &func.region(body).params,
            _ => &func.inst(target).results,
        };
        self.segment(insts, Tail::Move { from: args, to });
        let frame = self.group_frames.iter_mut().rev().find(|frame| frame.inst == target);
        let frame = frame.expect("verified: jumps target enclosing constructs");
        let block = match frame.latch.filter(|_| to_latch) {
            Some(latch) => {
                frame.latched = true;
                latch
            }
            None => {
                frame.merged = true;
                frame.merge
            }
        };
        self.builder.ins().jump(block, &[]);
        self.mask = None;
    }

    /// A segment after which all threads have ended.
    fn last_segment(&mut self, insts: &[Inst]) {
        self.segment(insts, Tail::Nothing);
        self.builder.ins().jump(self.exit, &[]);
        self.mask = None;
    }

    /// What the segment before a cut instruction does for it.
    fn tail_of(&self, inst: Inst) -> Tail<'a> {
        let func: &'a brolga_ir::Function = self.func;
        match &func.inst(inst).kind {
            InstKind::If { cond, .. } => Tail::Agree(*cond),
            InstKind::Switch { selector, cases, .. } => Tail::Choose(*selector, cases),
            InstKind::Loop { inits, body } => Tail::Move { from: inits, to: &func.region(*body).params },
            _ => Tail::Nothing,
        }
    }

    /// A cut instruction. `prepared` if the segment before it did what it needs.
    fn cut(&mut self, inst: Inst, prepared: bool) {
        let func = self.func;
        let data = func.inst(inst);
        self.origin = data.origin;
        if !prepared && !matches!(self.tail_of(inst), Tail::Nothing) {
            self.segment(&[], self.tail_of(inst));
        }
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
        let merge = self.builder.create_block();
        self.group_frames.push(GroupFrame { inst, merge, merged: false, latch: None, latched: false });
    }

    fn close(&mut self) {
        let frame = self.group_frames.pop().expect("opened before");
        self.mask = None;
        if frame.merged {
            self.go_on_in(frame.merge);
        }
    }

    fn go_on_in(&mut self, block: Block) {
        self.builder.seal_block(block);
        self.builder.switch_to_block(block);
        self.mask = Some(Mask::Full);
    }

    fn group_if(&mut self, inst: Inst, regions: [Region; 2]) {
        let votes = self.votes.expect("the segment before voted");
        let holds = self.builder.use_var(votes.first);
        let fails = self.builder.use_var(votes.second);
        let both = self.builder.ins().band(holds, fails);
        let both = self.builder.ins().icmp_imm_u(IntCC::NotEqual, both, 0);
        self.fault_if(both, FaultKind::DivergentBarrier, self.origin);
        let any = self.builder.ins().bor(holds, fails);
        let any = self.builder.ins().icmp_imm_u(IntCC::NotEqual, any, 0);
        self.branch_away_unless(any, self.exit);
        let blocks = [self.builder.create_block(), self.builder.create_block()];
        self.builder.ins().brif(holds, blocks[0], &[], blocks[1], &[]);
        self.open(inst);
        for (block, region) in blocks.into_iter().zip(regions) {
            self.go_on_in(block);
            self.group_region(region);
        }
        self.close();
    }

    fn group_switch(&mut self, inst: Inst, cases: &[Case], default: Region) {
        let votes = self.votes.expect("the segment before voted");
        let lowest = self.builder.use_var(votes.first);
        let highest = self.builder.use_var(votes.second);
        let none = self.builder.ins().icmp(IntCC::SignedGreaterThan, lowest, highest);
        self.branch_away(none, self.exit);
        let differ = self.builder.ins().icmp(IntCC::NotEqual, lowest, highest);
        self.fault_if(differ, FaultKind::DivergentBarrier, self.origin);
        let mut table = cranelift_frontend::Switch::new();
        let mut blocks = Vec::with_capacity(cases.len() + 1);
        for (n, case) in cases.iter().enumerate() {
            let block = self.builder.create_block();
            table.set_entry(n as u128, block);
            blocks.push((block, case.region));
        }
        let otherwise = self.builder.create_block();
        blocks.push((otherwise, default));
        table.emit(&mut self.builder, lowest, otherwise);
        self.open(inst);
        for (block, region) in blocks {
            self.go_on_in(block);
            self.group_region(region);
        }
        self.close();
    }

    fn group_loop(&mut self, inst: Inst, body: Region, origin: Origin) {
        self.open(inst);
        let (header, latch) = (self.builder.create_block(), self.builder.create_block());
        self.group_frames.last_mut().expect("opened above").latch = Some(latch);
        self.builder.ins().jump(header, &[]);
        self.builder.switch_to_block(header);
        self.group_region(body);
        if self.group_frames.last().expect("opened above").latched {
            self.go_on_in(latch);
            self.poll(origin);
            self.builder.ins().jump(header, &[]);
        }
        self.builder.seal_block(header);
        self.close();
    }

    /// Instructions that packets run one after the other, without a terminator.
    fn segment(&mut self, insts: &[Inst], tail: Tail<'_>) {
        self.votes = self.new_votes(tail);
        self.any_left = self.layout.alive.map(|_| self.new_word(0));
        self.hoist(insts);
        let packets = self.begin_packets();
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
        self.import_all(insts, tail);
        self.mask = Some(mask);
        self.instructions(insts);
        if self.mask.is_some() {
            self.vote(tail);
            self.note_alive(alive.as_ref());
            self.builder.ins().jump(rest, &[]);
        }
        self.builder.seal_block(rest);
        self.builder.switch_to_block(rest);
        if let Some(alive) = alive {
            let lanes = self.home_lanes(&alive);
            self.store_alive(&Mask::Lanes(lanes));
        }
        self.end_packets(packets);
        if let Some(any_left) = self.any_left {
            let any_left = self.builder.use_var(any_left);
            self.branch_away_unless(any_left, self.exit);
        }
        for value in std::mem::take(&mut self.defined) {
            self.values[value.index()] = None;
        }
        self.mask = Some(Mask::Full);
    }

    fn note_alive(&mut self, alive: Option<&Home>) {
        if let Some(alive) = alive {
            let active = self.active();
            self.add_lanes(alive, &active, true);
            let any_left = self.any_left.expect("made at the segment's start");
            self.note_any(any_left, &active);
        }
    }

    fn store_alive(&mut self, alive: &Mask) {
        let at = self.layout.alive.expect("only called where it is kept");
        let record = self.position.record;
        let lanes = self.mask_packet(alive);
        self.emit().store(&lanes, record, at as i32, own_flags());
    }

    /// The lanes of the packet that stand for threads of the group.
    fn threads_that_exist(&mut self) -> Mask {
        if self.layout.threads.is_multiple_of(LANES) {
            return Mask::Full;
        }
        let threads = self.builder.ins().iconst(types::I32, i64::from(self.layout.threads));
        let left = self.builder.ins().isub(threads, self.position.first_thread);
        let lanes = self.emit().lane_index();
        let exist = self.binary(brolga_ir::Op::ULt, lanes.into(), self.scalar(left));
        Mask::Lanes(self.emit().packet(&exist))
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

    /// A variable that all packets of a segment have a hand in.
    fn new_word(&mut self, value: i64) -> Variable {
        let variable = self.builder.declare_var(types::I32);
        let value = self.builder.ins().iconst(types::I32, value);
        self.builder.def_var(variable, value);
        variable
    }

    /// Notes that some lane is in a set.
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

    /// What a packet does at the end of its segment, with the lanes that reached it.
    fn vote(&mut self, tail: Tail<'_>) {
        match tail {
            Tail::Nothing => {}
            Tail::Agree(cond) => {
                let active = self.active();
                let cond = self.packet_operand(cond);
                let holds = self.mask_and(&active, &cond);
                let fails = self.mask_and_not(&active, &cond);
                let votes = self.votes.expect("made at the segment's start");
                self.note_any(votes.first, &Mask::Lanes(holds));
                self.note_any(votes.second, &Mask::Lanes(fails));
            }
            Tail::Choose(selector, cases) => self.choose(selector, cases),
            Tail::Move { from, to } => {
                let values: Vec<Operand> = from.iter().map(|&value| self.operand(value)).collect();
                for (&to, value) in to.iter().zip(&values) {
                    if self.facts.is_kept(to) {
                        self.keep(to, value);
                    }
                }
            }
        }
    }

    fn choose(&mut self, selector: Value, cases: &[Case]) {
        let active = self.active();
        let selector = self.packet_operand(selector);
        let mut taken = self.emit().mask_constant(false);
        for (arm, case) in cases.iter().enumerate() {
            let matches = self.matches(&selector, &case.labels);
            taken = self.emit().mask_or(&taken, &matches);
            let lanes = self.mask_and(&active, &matches);
            self.choose_arm(arm, &lanes);
        }
        let lanes = self.mask_and_not(&active, &taken);
        self.choose_arm(cases.len(), &lanes);
    }

    fn choose_arm(&mut self, arm: usize, lanes: &crate::packet::Packet) {
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

    /// Makes all values of elsewhere usable that the segment uses.
    fn import_all(&mut self, insts: &[Inst], tail: Tail<'_>) {
        let mut used = Vec::new();
        self.segments += 1;
        for &inst in insts {
            self.scan(inst, &mut used);
        }
        match tail {
            Tail::Nothing => {}
            Tail::Agree(value) | Tail::Choose(value, _) => used.push(value),
            Tail::Move { from, .. } => used.extend_from_slice(from),
        }
        for value in used {
            if self.seen[value.index()] != self.segments {
                self.import(value);
            }
        }
    }

    /// Lists what an instruction uses and makes, its regions included.
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

    /// Computes once, before the packets, what is the same for all of them and safe to compute.
    fn hoist(&mut self, insts: &[Inst]) {
        if self.layout.packets < 2 {
            return;
        }
        for &inst in insts {
            let data = self.func.inst(inst);
            let known = |value: &Value| self.values[value.index()].is_some() || self.func.as_const(*value).is_some();
            let safe = match &data.kind {
                InstKind::Input(Input::GroupId(_)) | InstKind::Op { .. } => true,
                InstKind::Load { place } => match place.object {
                    Object::Immediate => true,
                    Object::Resource(resource) => {
                        self.func.interface.resource(resource.id).class == ResourceClass::Constant
                    }
                    Object::Shared(_) | Object::Local(_) => false,
                },
                _ => false,
            };
            let same = data
                .results
                .iter()
                .all(|&result| self.facts.uniformity.is_group_uniform(result) && !self.facts.is_kept(result));
            if safe && same && data.kind.args().iter().all(known) {
                self.simple(inst);
            }
        }
    }

    /// Begins the loop over packets. The builder stands at the packet's start.
    fn begin_packets(&mut self) -> PacketLoop {
        let next = self.builder.create_block();
        let packets = self.layout.packets;
        let zero = self.builder.ins().iconst(types::I64, 0);
        let (header, at) = if packets > 1 {
            let header = self.builder.create_block();
            let at = self.builder.append_block_param(header, types::I64);
            self.builder.ins().jump(header, &[zero.into()]);
            self.builder.switch_to_block(header);
            (Some(header), at)
        } else {
            (None, zero)
        };
        let row = self.builder.ins().imul_imm_u(at, i64::from(ROW_BYTES));
        let first_thread = self.builder.ins().imul_imm_u(at, i64::from(LANES));
        let first_thread = self.builder.ins().ireduce(types::I32, first_thread);
        let record = self.builder.ins().imul_imm_u(at, self.layout.record_bytes as i64);
        let record = self.builder.ins().iadd_imm_s(record, self.layout.records as i64);
        let record = self.builder.ins().iadd(self.arena, record);
        let step = if self.layout.locals_per_packet { self.layout.local_bytes as i64 } else { 0 };
        let locals = self.builder.ins().imul_imm_u(at, step);
        let locals = self.builder.ins().iadd_imm_s(locals, self.layout.locals as i64);
        let locals = self.builder.ins().iadd(self.arena, locals);
        self.position = Position { first_thread, row, record, locals };
        PacketLoop { header, at, next }
    }

    /// Goes on to the next packet; the builder stands after the last one.
    fn end_packets(&mut self, packets: PacketLoop) {
        self.builder.ins().jump(packets.next, &[]);
        self.builder.seal_block(packets.next);
        self.builder.switch_to_block(packets.next);
        let Some(header) = packets.header else { return };
        let done = self.builder.create_block();
        let next = self.builder.ins().iadd_imm_s(packets.at, 1);
        let more = self.builder.ins().icmp_imm_u(IntCC::UnsignedLessThan, next, i64::from(self.layout.packets));
        self.builder.ins().brif(more, header, &[next.into()], done, &[]);
        self.builder.seal_block(header);
        self.builder.seal_block(done);
        self.builder.switch_to_block(done);
    }
}

/// A loop over packets that is being written.
struct PacketLoop {
    header: Option<Block>,
    at: ir::Value,
    next: Block,
}
