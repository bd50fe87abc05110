//! Makes values: constants, inputs, operands, and those kept in the packet's record between segments.

use std::collections::HashMap;

use brolga_ir::entity::{Inst, Region, Value};
use brolga_ir::function::{Input, InstKind};
use brolga_ir::shape::OCTET_LANES;
use brolga_ir::span::Packing;
use brolga_ir::{Const, Op, Type};
use cranelift_codegen::ir::{self, Block, InstBuilder, MemFlagsData, types};
use smallvec::{SmallVec, smallvec};

use super::mask::LaneMask;
use super::variable::Home;
use super::{Lowering, constant_flags, own_flags, word_flags};
use crate::abi::{ThreadRow, offsets};
use crate::ops::{Known, lower_op};
use crate::packet::{Packet, PacketOperand};

/// The first lane of each run of lanes in which a value is affine.
pub(super) type Firsts = SmallVec<[ir::Value; 2]>;

/// The shader's values available at the builder's position: those whose code dominates it.
///
/// Definitions of a segment are forgotten at its end, and splats at the end of their loop. Only values that have
/// operands have first lanes.
#[derive(Default)]
pub(super) struct Available {
    operands: Vec<Option<PacketOperand>>,
    /// The first lane of affine values, or of each octet of those affine in octets.
    firsts: Vec<Option<Firsts>>,
    /// Splatted uniform values from before the enclosing loops.
    splats: Vec<Option<Packet>>,
    /// Values with operands, in the order in which they got them.
    defined: Vec<Value>,
    /// The last position at which each remote value was in a register.
    near: HashMap<Value, Near>,
    /// The first thread of the group, or the span's first one, where it was computed at the function's start.
    group_starts: [Option<ir::Value>; 3],
}

impl Available {
    /// No values yet, of so many in the function.
    pub fn new(values: usize) -> Self {
        Self { operands: vec![None; values], firsts: vec![None; values], splats: vec![None; values], ..Self::default() }
    }

    /// `true` if a value, not a constant, has an operand.
    pub fn has(&self, value: Value) -> bool {
        self.operands[value.index()].is_some()
    }

    /// Number of values that have got operands in this segment.
    pub fn count(&self) -> usize {
        self.defined.len()
    }

    /// Forgets all values but the first `known` ones.
    pub fn forget(&mut self, known: usize) {
        for value in self.defined.drain(known..) {
            self.operands[value.index()] = None;
            self.firsts[value.index()] = None;
        }
        self.near.clear();
    }

    /// Adds the first lanes of a value that has its operand.
    pub fn set_firsts(&mut self, value: Value, firsts: Option<Firsts>) {
        self.firsts[value.index()] = firsts;
    }

    /// Forgets values that were splatted for a loop.
    pub fn forget_splats(&mut self, values: Vec<Value>) {
        values.into_iter().for_each(|value| self.splats[value.index()] = None);
    }

    /// `true` if a remote value is still in a register, in this block after so many instructions of the shader.
    fn is_near(&self, value: Value, block: Option<Block>, written: u32) -> bool {
        self.near.get(&value).is_some_and(|near| near.block == block && written - near.at <= NEAR)
    }
}

/// The last position at which a remote value was in a register.
struct Near {
    block: Option<Block>,
    /// The number of the shader's instructions written before that point.
    at: u32,
}

impl Lowering<'_, '_> {
    /// The operand of a value at the builder's position. Constants are materialised where they are used.
    pub fn operand(&mut self, value: Value) -> PacketOperand {
        if let Some(constant) = self.func.as_const(value) {
            return self.emit().constant(constant).into();
        }
        let block = self.builder.current_block();
        if self.pressure.is_remote(value) && !self.available.is_near(value, block, self.written) {
            self.recall(value);
        }
        self.available.operands[value.index()].clone().expect("verified: definitions come before uses")
    }

    /// An operand of an operation whose result varies: the value splatted before the loop, if there is one.
    pub fn splat_operand(&mut self, op: Op, position: usize, value: Value) -> PacketOperand {
        match &self.available.splats[value.index()] {
            Some(packet) if !keeps_uniform(op, position) => packet.clone().into(),
            _ => self.operand(value),
        }
    }

    /// Splats, before a loop, uniform values that operations of its body need in every lane. Returns those to forget
    /// after it.
    pub fn splat_for_loop(&mut self, body: Region) -> Vec<Value> {
        let mut found = Vec::new();
        // If registers are far too few, more long-lived values would not help.
        if self.pressure.bytes == 0 {
            self.find_splats(body, &mut found);
        }
        for &value in &found {
            let operand = self.operand(value);
            let packet = self.emit().packet(&operand);
            self.available.splats[value.index()] = Some(packet);
        }
        found
    }

    /// Turns an unsigned comparison into a signed one, if that gives the same: without AVX-512, processors compare
    /// vectors only as signed numbers. One operand must be small; a scalar that is large becomes the largest signed
    /// number.
    pub fn signed_if_same(
        &mut self,
        op: Op,
        values: &[Value],
        mut args: Vec<PacketOperand>,
    ) -> (Op, Vec<PacketOperand>) {
        let signed = match op {
            Op::ULt => Op::SLt,
            Op::UGe => Op::SGe,
            _ => return (op, args),
        };
        const MOST: u32 = i32::MAX as u32;
        let is_small = [0, 1].map(|n: usize| self.facts.bounds.most(values[n]) < MOST);
        match (is_small, &args[0], &args[1]) {
            _ if args.iter().all(PacketOperand::is_uniform) => return (op, args),
            ([true, true], ..) => {}
            ([true, false], _, PacketOperand::Uniform(_)) => args[1] = self.at_most(&args[1], MOST),
            ([false, true], PacketOperand::Uniform(_), _) => args[0] = self.at_most(&args[0], MOST),
            _ => return (op, args),
        }
        (signed, args)
    }

    fn at_most(&mut self, number: &PacketOperand, most: u32) -> PacketOperand {
        let most = self.constant(most);
        self.binary(Op::UMin, number.clone(), most)
    }

    fn find_splats(&self, region: Region, found: &mut Vec<Value>) {
        for &inst in &self.func.region(region).insts {
            let data = self.func.inst(inst);
            if let InstKind::Op { op, args } = &data.kind
                && !self.facts.is_uniform(data.results[0])
            {
                for (n, &arg) in args.iter().enumerate() {
                    let is_before = matches!(self.available.operands[arg.index()], Some(PacketOperand::Uniform(_)));
                    let is_new = self.available.splats[arg.index()].is_none() && !found.contains(&arg);
                    if is_before && is_new && !keeps_uniform(*op, n) && found.len() < MOST_SPLATS {
                        found.push(arg);
                    }
                }
            }
            for inner in data.kind.regions() {
                self.find_splats(inner, found);
            }
        }
    }

    /// A value in every lane.
    pub fn packet_operand(&mut self, value: Value) -> Packet {
        let operand = self.operand(value);
        self.emit().packet(&operand)
    }

    /// Defines a value, and keeps it if another segment needs it.
    pub fn define(&mut self, value: Value, operand: PacketOperand) {
        debug_assert_eq!(operand.ty(), self.func.ty(value), "type of {value}");
        if self.facts.is_kept(value) {
            self.keep(value, &operand);
        } else if self.pressure.is_remote(value) && self.func.as_input(value).is_none() {
            self.store_remote(value, &operand);
        }
        self.set_value(value, operand);
    }

    /// Gives a value its operand for the rest of the segment. A packet-uniform value is a scalar whatever made it.
    fn set_value(&mut self, value: Value, operand: PacketOperand) {
        debug_assert!(
            operand.is_uniform() || !self.facts.is_uniform(value),
            "{value} is packet-uniform but {operand:?} is not"
        );
        self.available.defined.push(value);
        self.available.operands[value.index()] = Some(operand);
        if self.pressure.is_remote(value) {
            let near = Near { block: self.builder.current_block(), at: self.written };
            self.available.near.insert(value, near);
        }
    }

    /// Keeps a value for other segments: in a variable of the group or in the packet's record, there in all lanes since
    /// inactive ones have no value.
    pub fn keep(&mut self, value: Value, operand: &PacketOperand) {
        if self.facts.is_kept_by_group(value) {
            let home = self.variables.of_group[&value].clone();
            let operand = self.unless_empty(&home, operand);
            return self.set_home(&home, &operand, None);
        }
        let at = self.layout.slot(value).expect("kept values have slots");
        let (record, uniform) = (self.anchors.position.record, self.facts.is_uniform(value));
        self.emit().store_operand(operand, uniform, record, at, own_flags());
    }

    /// The value of a group variable after this packet: the previous one if no lane is active, since the operand is
    /// then undefined.
    fn unless_empty(&mut self, home: &Home, operand: &PacketOperand) -> PacketOperand {
        let Some(LaneMask::Lanes(lanes)) = self.control.mask.clone() else { return operand.clone() };
        let any = self.emit().any(&lanes);
        let old = self.home(home).values()[0];
        let value = self.builder.ins().select(any, operand.values()[0], old);
        PacketOperand::scalar(home.ty, value)
    }

    /// Loads a kept value of another segment, or a remote one. Inputs are recomputed.
    pub fn recall(&mut self, value: Value) {
        let uniform = self.facts.is_uniform(value);
        if let Some(input) = self.func.as_input(value) {
            let operand = self.input(input, uniform);
            self.set_value(value, operand);
            return self.keep_firsts_of_input(value, input);
        }
        let operand = if !self.facts.is_kept(value) {
            self.load_remote(value)
        } else if self.facts.is_kept_by_group(value) {
            let home = self.variables.of_group[&value].clone();
            self.home(&home)
        } else {
            let at = self.layout.slot(value).expect("kept values have slots");
            let (record, ty) = (self.anchors.position.record, self.func.ty(value));
            self.emit().load_operand(ty, uniform, record, at, own_flags())
        };
        self.set_value(value, operand);
    }

    /// Makes a value of another segment available in this one. A remote one is loaded where it is used.
    pub fn import(&mut self, value: Value) {
        let remote = self.pressure.is_remote(value);
        if remote || self.available.has(value) || self.func.as_const(value).is_some() {
            return;
        }
        self.recall(value);
    }

    /// Makes an input.
    pub fn input(&mut self, input: Input, uniform: bool) -> PacketOperand {
        if self.facts.packing() != Packing::Group {
            return self.input_in_span(input);
        }
        match input {
            Input::GroupId(n) => self.scalar(self.anchors.group_id[usize::from(n)]),
            Input::GroupCount(n) => self.group_count(n),
            Input::ThreadIndex => {
                let first = self.anchors.position.first_thread;
                if uniform {
                    return self.scalar(first);
                }
                self.numbers_from(first)
            }
            Input::ThreadIdInGroup(n) => self.thread_id_in_group(n, uniform.then_some(0)),
            Input::ThreadId(n) => {
                let first = self.group_start(n);
                if self.func.interface.group_size()[usize::from(n)] == 1 {
                    return self.scalar(first);
                }
                let id = self.thread_id_in_group(n, uniform.then_some(0));
                self.binary(Op::IAdd, id, self.scalar(first))
            }
        }
    }

    /// Makes an input where packets hold threads of several groups.
    fn input_in_span(&mut self, input: Input) -> PacketOperand {
        let size = self.func.interface.group_size();
        match input {
            Input::GroupId(n) => self.group_id_in_span(n),
            Input::GroupCount(n) => self.group_count(n),
            Input::ThreadIndex if size == [1; 3] => self.emit().constant(Const::i32(0)).into(),
            Input::ThreadIndex => self.thread_row(ThreadRow::Index, None),
            Input::ThreadIdInGroup(n) => self.thread_id_in_group(n, None),
            Input::ThreadId(0) if self.facts.threads_are_row() => {
                let first = self.first_in_row();
                self.numbers_from(first)
            }
            Input::ThreadId(n) => {
                let group = self.group_id_in_span(n);
                let along = self.constant(size[usize::from(n)]);
                let first = self.binary(Op::IMul, group, along);
                let id = self.thread_id_in_group(n, None);
                self.binary(Op::IAdd, id, first)
            }
        }
    }

    fn group_count(&mut self, n: u8) -> PacketOperand {
        let at = offsets::GROUP_COUNT + 4 * i32::from(n);
        let count = self.builder.ins().load(types::I32, constant_flags(), self.anchors.base, at);
        self.scalar(count)
    }

    fn group_id_in_span(&mut self, n: u8) -> PacketOperand {
        let packing = self.facts.packing();
        let first = self.scalar(self.anchors.group_id[usize::from(n)]);
        if !packing.varies(n.into()) {
            return first;
        }
        if packing == Packing::Row {
            let group = match self.func.interface.group_size() {
                [1, 1, 1] => self.numbers_from(self.anchors.position.first_thread),
                _ => self.thread_row(ThreadRow::Group, None),
            };
            return self.binary(Op::IAdd, group, first);
        }
        self.table_row(offsets::SPAN_GROUPS, n.into(), None)
    }

    /// Numbers that grow by 1 from lane to lane.
    fn numbers_from(&mut self, first: ir::Value) -> PacketOperand {
        let lanes = self.emit().lane_index();
        self.binary(Op::IAdd, lanes.into(), self.scalar(first))
    }

    /// `vThreadID.x` of the packet's first thread, if the threads of a span form a row.
    fn first_in_row(&mut self) -> ir::Value {
        let first = self.group_start(0);
        self.builder.ins().iadd(first, self.anchors.position.first_thread)
    }

    fn thread_id_in_group(&mut self, n: u8, lane: Option<u32>) -> PacketOperand {
        if self.func.interface.group_size()[usize::from(n)] == 1 {
            return self.emit().constant(Const::i32(0)).into();
        }
        self.thread_row(ThreadRow::Place(n), lane)
    }

    /// The packet's part of a row of the table of thread indices, or one lane of it.
    fn thread_row(&mut self, row: ThreadRow, lane: Option<u32>) -> PacketOperand {
        self.table_row(offsets::THREADS, row.number(), lane)
    }

    /// The packet's part of a row of the table whose address is at offset `table` of the context, or one lane of it.
    fn table_row(&mut self, table: i32, row: u32, lane: Option<u32>) -> PacketOperand {
        let start = row * self.layout.packets * self.layout.row_bytes;
        let at = i32::try_from(start + lane.unwrap_or(0) * 4).expect("groups and spans are small");
        let table = self.builder.ins().load(types::I64, constant_flags(), self.anchors.base, table);
        let address = self.builder.ins().iadd(table, self.anchors.position.row);
        self.emit().load_operand(Type::I32, lane.is_some(), address, at, table_flags())
    }

    /// Makes the first lanes of an input available too, unless that has to leave its registers.
    pub fn keep_firsts_of_input(&mut self, value: Value, input: Input) {
        if !self.pressure.is_remote(value) {
            self.available.firsts[value.index()] = self.firsts_of_input(value, input);
        }
    }

    /// The first lane of an input, or of each octet if it is affine only there.
    fn firsts_of_input(&mut self, value: Value, input: Input) -> Option<Firsts> {
        if self.facts.packing() != Packing::Group {
            let is_in_row = match input {
                Input::ThreadId(0) => true,
                Input::GroupId(0) => self.func.interface.group_size()[0] == 1,
                _ => false,
            };
            return (is_in_row && self.facts.threads_are_row()).then(|| smallvec![self.first_in_row()]);
        }
        match input {
            Input::ThreadIndex => Some(smallvec![self.anchors.position.first_thread]),
            Input::GroupId(_) | Input::GroupCount(_) => None,
            Input::ThreadId(n) | Input::ThreadIdInGroup(n) => {
                let is_in_dispatch = matches!(input, Input::ThreadId(_));
                Some((0..self.facts.runs_of(value)?).map(|run| self.first_thread_id(n, is_in_dispatch, run)).collect())
            }
        }
    }

    /// A component of the thread ID in the group or the dispatch, in the first lane of a run.
    fn first_thread_id(&mut self, n: u8, is_in_dispatch: bool, run: u32) -> ir::Value {
        let [_, y, z] = self.func.interface.group_size();
        let id = match (n, y, z) {
            // In a row of threads the flattened ID is the first component.
            (0, 1, 1) => self.anchors.position.first_thread,
            _ => self.thread_id_in_group(n, Some(run * OCTET_LANES)).values()[0],
        };
        if !is_in_dispatch {
            return id;
        }
        let start = self.group_start(n);
        self.builder.ins().iadd(start, id)
    }

    /// The first lanes of an operation that is affine, in all lanes or in octets: the same operation on those of its
    /// operands. If they turn out to be unused, no code remains.
    pub fn firsts_of_op(&mut self, result: Value, op: Op, args: &[Value]) -> Option<Firsts> {
        if self.facts.is_uniform(result) || self.func.ty(result) != Type::I32 {
            return None;
        }
        let mode = self.facts.mode;
        (0..self.facts.runs_of(result)?)
            .map(|run| {
                let args: Vec<PacketOperand> = args
                    .iter()
                    .map(|&arg| self.known_first(arg, run).map(|first| self.scalar(first)))
                    .collect::<Option<_>>()?;
                Some(lower_op(&mut self.emit(), op, &args, &Known::NOTHING, mode).values()[0])
            })
            .collect()
    }

    /// A value in the first lane of a run, if there is a scalar for it.
    fn known_first(&mut self, value: Value, run: u32) -> Option<ir::Value> {
        match &self.available.firsts[value.index()] {
            None => match self.operand(value) {
                PacketOperand::Uniform(uniform) => Some(uniform.value),
                PacketOperand::Packet(_) => None,
            },
            Some(firsts) if firsts.len() > 1 => Some(firsts[run as usize]),
            Some(firsts) => {
                let first = firsts[0];
                let further = self.facts.stride(value, true)?.wrapping_mul(run * OCTET_LANES);
                Some(if further == 0 { first } else { self.builder.ins().iadd_imm_s(first, i64::from(further as i32)) })
            }
        }
    }

    /// Lane 0 of a value.
    pub fn first(&mut self, value: Value) -> ir::Value {
        self.first_of_run(value, 0)
    }

    /// A value in the first lane of a run.
    pub fn first_of_run(&mut self, value: Value, run: u32) -> ir::Value {
        if let Some(first) = self.known_first(value, run) {
            return first;
        }
        let packet = self.packet_operand(value);
        self.emit().lanes(&packet)[(run * OCTET_LANES) as usize]
    }

    /// `vThreadID` of the group's first thread.
    fn group_start(&mut self, n: u8) -> ir::Value {
        match self.available.group_starts[usize::from(n)] {
            Some(start) => start,
            None => {
                let size = self.func.interface.group_size()[usize::from(n)];
                self.builder.ins().imul_imm_u(self.anchors.group_id[usize::from(n)], i64::from(size))
            }
        }
    }

    /// Computes these once, except in a large function, where they would occupy registers for long.
    pub fn prepare_group_starts(&mut self) {
        if self.is_large() {
            return;
        }
        for n in 0..self.func.inst_count() {
            if let InstKind::Input(Input::ThreadId(n)) = self.func.inst(Inst::new(n)).kind {
                self.available.group_starts[usize::from(n)] = Some(self.group_start(n));
            }
        }
    }

    /// An `i32` constant.
    pub fn constant(&mut self, value: u32) -> PacketOperand {
        self.emit().constant(Const::i32(value)).into()
    }

    /// An `i32` scalar as an operand.
    pub fn scalar(&self, value: ir::Value) -> PacketOperand {
        PacketOperand::scalar(Type::I32, value)
    }

    /// Emits a pure operation on operands that are not values of the shader.
    pub fn binary(&mut self, op: Op, a: PacketOperand, b: PacketOperand) -> PacketOperand {
        let mode = self.facts.mode;
        lower_op(&mut self.emit(), op, &[a, b], &Known::NOTHING, mode)
    }
}

/// Flags of the tables of thread indices.
fn table_flags() -> MemFlagsData {
    let mut flags = word_flags();
    flags.set_readonly();
    flags
}

/// The number of the shader's instructions for which a loaded value stays in its register.
const NEAR: u32 = 12;

/// The most values splatted before one loop: each takes registers throughout it, or a stack slot.
const MOST_SPLATS: usize = 8;

/// `true` if an operation takes a uniform operand unsplatted next to varying ones: the amount of a shift.
fn keeps_uniform(op: Op, position: usize) -> bool {
    position == 1 && matches!(op, Op::Shl | Op::UShr | Op::SShr)
}
