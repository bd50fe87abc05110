//! Calls helpers: texels, samples, queries, hidden counters. Their operands and results travel in rows of the context.

use brolga_ir::entity::{Inst, MessageId, Value};
use brolga_ir::function::{AtomicOp, Element, InstKind, Query, ResourceRef};
use brolga_ir::interface::Sampled;
use brolga_ir::message::MessageKind;
use brolga_ir::sampling::Sampling;
use brolga_ir::{Const, Function};
use cranelift_codegen::ir::{self, AbiParam, InstBuilder, SigRef, Signature, types};
use cranelift_codegen::isa::CallConv;
use cranelift_frontend::FunctionBuilder;
use smallvec::SmallVec;

use super::lanes::is_crowded;
use super::mask::LaneMask;
use super::notes::Note;
use super::stop::{HELPER_WORK, SAMPLE_WORK};
use super::{Lowering, constant_flags, own_flags};
use crate::abi::{self, CallRow, HelperId, SampleForm, SampleLanes, offsets};
use crate::packet::{Fma, Packet, PacketOperand};

/// Ways in which code calls other code, and accesses it leaves to helpers. A signature is made where it is first
/// needed.
pub(super) struct Calls {
    convention: CallConv,
    helper: Option<SigRef>,
    /// Signature of prepared samplers.
    sample: Option<SigRef>,
    /// The fusing of multiplication and addition.
    pub fma: Fma,
    /// Set if helpers perform accesses whose inline code would be long.
    pub does_accesses: bool,
    /// If somebody asks what is suspected, the origins of accesses that may be outside, and of probes: each has a bit in
    /// the context, which some may share.
    pub suspected: Option<Vec<u32>>,
}

impl Calls {
    /// No calls yet.
    pub fn new(convention: CallConv, fma: Fma, func: &Function) -> Self {
        let is_asked = func.interface.messages.iter().any(|message| message.kind == MessageKind::Probe);
        let suspected = is_asked.then(Vec::new);
        Self { convention, helper: None, sample: None, fma, does_accesses: is_crowded(func), suspected }
    }

    /// The signature of helpers.
    fn helper(&mut self, builder: &mut FunctionBuilder<'_>) -> SigRef {
        *self.helper.get_or_insert_with(|| import(builder, self.convention, types::I32))
    }

    /// The signature of prepared samplers.
    fn sample(&mut self, builder: &mut FunctionBuilder<'_>) -> SigRef {
        *self.sample.get_or_insert_with(|| import(builder, self.convention, types::I64))
    }
}

/// A signature with an address and three numbers, which returns one.
fn import(builder: &mut FunctionBuilder<'_>, convention: CallConv, number: ir::Type) -> SigRef {
    let mut signature = Signature::new(convention);
    signature.params.extend([types::I64, number, number, number].map(AbiParam::new));
    signature.returns.push(AbiParam::new(number));
    builder.import_signature(signature)
}

impl Lowering<'_, '_> {
    /// Emits an instruction that a helper performs, except samples.
    pub fn call_for(&mut self, inst: Inst) {
        let func = self.func;
        let data = func.inst(inst);
        // The value of each row; `None` is 0.
        let mut operands: SmallVec<[(CallRow, Option<Value>); 8]> = SmallVec::new();
        let coords = |values: &[Value]| [0, 1, 2].map(|n| (CallRow::Coord(n), values.get(n).copied()));
        let (helper, code, resource, effect) = match &data.kind {
            InstKind::TexelLoad { resource, coords: at, level } => {
                operands.extend(coords(at).into_iter().chain([(CallRow::Level, *level)]));
                (HelperId::TexelLoad, 0, *resource, None)
            }
            InstKind::TexelStore { resource, coords: at, values, effect } => {
                let values = values.iter().enumerate().map(|(n, &value)| (CallRow::Value(n), Some(value)));
                operands.extend(coords(at).into_iter().chain(values));
                (HelperId::TexelStore, 0, *resource, Some(*effect))
            }
            InstKind::TexelAtomic { op, resource, coords: at, value, compare, effect } => {
                let compare = compare.map(|compare| (CallRow::Compare, Some(compare)));
                operands.extend(coords(at).into_iter().chain([(CallRow::Value(0), Some(*value))]).chain(compare));
                (HelperId::TexelAtomic, abi::number_of(&AtomicOp::ALL, op), *resource, Some(*effect))
            }
            InstKind::Counter { op, resource, effect } => {
                (HelperId::Counter, abi::number_of(&abi::COUNTER_OPS, op), *resource, Some(*effect))
            }
            InstKind::Query { query, resource, level } => {
                operands.push((CallRow::Level, *level));
                (HelperId::Query, abi::number_of(&Query::ALL, query), *resource, None)
            }
            _ => unreachable!("only called for what helpers do"),
        };
        let mask = match effect {
            None => Some(self.control.active()),
            Some(effect) => self.effect_mask(effect),
        };
        let Some(mask) = mask else {
            // No lane is active.
            for &result in &data.results {
                let zero = self.emit().constant_packet(Const::zero(func.ty(result)));
                self.define(result, zero.into());
            }
            return;
        };
        let once = effect.is_none() && data.results.iter().all(|&result| self.facts.is_uniform(result));
        self.note(if once { Note::HelperOnce } else { Note::Helper });
        self.note_lanes(&mask);
        self.spend_in_lanes(HELPER_WORK, once);
        if once {
            self.mask_first_lane();
        } else {
            let lanes = self.mask_packet(&mask);
            self.store_row(&lanes, CallRow::Mask);
        }
        self.pass_element(resource, CallRow::Element, once);
        for (row, value) in operands {
            let operand = match value {
                Some(value) => self.operand(value),
                None => self.constant(0),
            };
            self.pass(&operand, row, once);
        }
        self.call(helper, resource.id.index() as u32, code);
        self.take_results(&data.results, once);
    }

    /// Defines a helper's results, in all lanes or in lane 0.
    fn take_results(&mut self, results: &[Value], once: bool) {
        for (n, &result) in results.iter().enumerate() {
            let row = CallRow::Result(n);
            let operand = if once {
                let value = self.load_lane(self.anchors.base, row);
                self.scalar(value)
            } else {
                self.load_row(row).into()
            };
            self.define(result, operand);
        }
    }

    /// Emits a sample: a call for the packet. The function prepared for the texture and the sampler is tried first,
    /// then the helper for the lanes that it leaves.
    pub fn sample(&mut self, sampling: Sampling, resources: [ResourceRef; 2], args: &[Value], results: &[Value]) {
        let [texture, sampler] = resources;
        let once = results.iter().all(|&result| self.facts.is_uniform(result));
        self.note(if once { Note::HelperOnce } else { Note::Helper });
        let mask = self.control.active();
        self.note_lanes(&mask);
        self.spend_in_lanes(SAMPLE_WORK, once);
        for (n, &arg) in args.iter().enumerate() {
            let arg = self.operand(arg);
            self.pass(&arg, CallRow::Arg(n), once);
        }
        let sampled = Sampled { texture: texture.id, sampler: sampler.id, sampling: sampling.encode() };
        let entry = self.func.interface.sampled.binary_search(&sampled).ok();
        let is_first = resources.iter().all(|resource| resource.element == Element::Fixed(0));
        let lanes = match (entry, &mask) {
            _ if once => SampleLanes::First,
            (Some(entry), _) if is_first => {
                let left = self.ask_prepared(entry, &mask);
                let [done, rest] = [(); 2].map(|()| self.builder.create_block());
                self.builder.ins().brif(left, rest, &[], done, &[]);
                self.begin(rest);
                self.builder.ins().store(own_flags(), left, self.anchors.base, offsets::CALL_LEFT);
                self.call_sample(sampling, resources, args.len(), SampleLanes::Left);
                self.builder.ins().jump(done, &[]);
                self.set_cold_from(rest.as_u32() as usize);
                self.begin(done);
                return self.take_results(results, once);
            }
            (_, LaneMask::Full) => SampleLanes::All,
            (_, LaneMask::Lanes(lanes)) => {
                self.store_row(lanes, CallRow::Mask);
                SampleLanes::Masked
            }
        };
        self.call_sample(sampling, resources, args.len(), lanes);
        self.take_results(results, once);
    }

    /// Calls the function prepared for a kind of sample; returns a bit for each lane that it leaves.
    fn ask_prepared(&mut self, entry: usize, mask: &LaneMask) -> ir::Value {
        let lanes = match mask {
            LaneMask::Full => {
                let all = u64::MAX >> (u64::BITS - self.func.width.lanes());
                self.builder.ins().iconst(types::I64, all as i64)
            }
            LaneMask::Lanes(lanes) => self.emit().bits(lanes),
        };
        let [run, prepared] = offsets::sample_entry(entry);
        let table = self.builder.ins().load(types::I64, constant_flags(), self.anchors.base, offsets::SAMPLES);
        let [run, prepared] =
            [run, prepared].map(|field| self.builder.ins().load(types::I64, constant_flags(), table, field));
        let signature = self.calls.sample(&mut self.builder);
        let row_lanes = self.func.width.lanes();
        let rows = self.builder.ins().iadd_imm_s(self.anchors.base, i64::from(CallRow::Arg(0).offset(4 * row_lanes)));
        let row_words = self.builder.ins().iconst(types::I64, i64::from(row_lanes));
        let call = self.builder.ins().call_indirect(signature, run, &[rows, row_words, prepared, lanes]);
        self.builder.inst_results(call)[0]
    }

    /// Calls the helper for samples, whose operands are in their rows.
    fn call_sample(&mut self, sampling: Sampling, resources: [ResourceRef; 2], args: usize, lanes: SampleLanes) {
        let [texture, sampler] = resources;
        let same_texture = self.pass_element(texture, CallRow::Element, true);
        let same_sampler = self.pass_element(sampler, CallRow::Sampler, true);
        let range = self.builder.ins().iconst(types::I32, sampler.id.index() as i64);
        self.builder.ins().store(own_flags(), range, self.anchors.base, offsets::CALL_SAMPLER_RANGE);
        let form = SampleForm { sampling, args, lanes, same_texture, same_sampler };
        self.call(HelperId::Sample, texture.id.index() as u32, form.encode());
    }

    /// Emits a message: a call for the packet, and the end of the group if threads abort. Probes hardly ever send one.
    pub fn send(&mut self, message: MessageId, values: &[Value], effect: Value) {
        let Some(mask) = self.effect_mask(effect) else { return };
        let kind = self.func.interface.message(message).kind;
        if kind == MessageKind::Probe {
            let (sends, done) = (self.builder.create_block(), self.builder.create_block());
            let lanes = self.mask_packet(&mask);
            let any = self.emit().any(&lanes);
            self.builder.set_cold_block(sends);
            self.builder.ins().brif(any, sends, &[], done, &[]);
            self.begin(sends);
            match values {
                [] => self.note_suspicion(),
                _ => self.send_masked(message, kind, values, &mask),
            }
            return self.join(done);
        }
        self.send_masked(message, kind, values, &mask);
    }

    /// Notes in the context that an access is outside, or what else a probe suspects, if somebody asks for it. A call would
    /// have live vectors saved all around.
    pub fn note_suspicion(&mut self) {
        let Some(sites) = &mut self.calls.suspected else { return };
        let n = sites.iter().position(|&site| site == self.origin.0).unwrap_or_else(|| {
            sites.push(self.origin.0);
            sites.len() - 1
        });
        let (base, at) = (self.anchors.base, offsets::SUSPECTED);
        let noted = self.builder.ins().load(types::I64, own_flags(), base, at);
        let noted = self.builder.ins().bor_imm_s(noted, abi::suspicion_bit(n) as i64);
        self.builder.ins().store(own_flags(), noted, base, at);
    }

    /// The same where a condition does not hold, or hardly ever: an `i8`.
    pub fn suspect_unless(&mut self, inside: ir::Value) {
        if self.calls.suspected.is_none() {
            return;
        }
        let (outside, done) = (self.builder.create_block(), self.builder.create_block());
        self.builder.set_cold_block(outside);
        self.builder.ins().brif(inside, done, &[], outside, &[]);
        self.begin(outside);
        self.note_suspicion();
        self.join(done);
    }

    fn send_masked(&mut self, message: MessageId, kind: MessageKind, values: &[Value], mask: &LaneMask) {
        self.note(Note::Helper);
        self.note_lanes(mask);
        self.spend_in_lanes(HELPER_WORK, false);
        let lanes = self.mask_packet(mask);
        self.store_row(&lanes, CallRow::Mask);
        for (n, &value) in values.iter().enumerate() {
            let operand = self.operand(value);
            self.pass(&operand, CallRow::Arg(n), false);
        }
        let aborts = kind == MessageKind::Abort;
        if aborts {
            let first = self.anchors.position.first_thread;
            self.builder.ins().store(own_flags(), first, self.anchors.base, offsets::FAULT_THREAD);
        }
        self.call(HelperId::Message, message.index() as u32, if aborts { 0 } else { values.len() as u32 });
    }

    /// Writes the selected register of a range, for a uniform one only in lane 0 if `once`; returns `true` if it is
    /// uniform.
    fn pass_element(&mut self, resource: ResourceRef, row: CallRow, once: bool) -> bool {
        let element = match resource.element {
            Element::Fixed(n) => self.constant(n),
            Element::Computed(value) => self.operand(value),
        };
        self.pass(&element, row, once);
        element.is_uniform()
    }

    /// Makes lane 0 the only active one.
    fn mask_first_lane(&mut self) {
        let none = self.emit().mask_constant(false);
        self.store_row(&none, CallRow::Mask);
        let all_ones = self.builder.ins().iconst(types::I32, -1);
        self.store_lane(all_ones, self.anchors.base, CallRow::Mask);
    }

    /// Writes an operand to a row, or to lane 0 of it.
    pub fn pass(&mut self, operand: &PacketOperand, row: CallRow, once: bool) {
        match operand {
            PacketOperand::Uniform(uniform) if once => {
                self.store_lane(uniform.value, self.anchors.base, row);
            }
            _ => {
                let packet = self.emit().packet(operand);
                self.store_row(&packet, row);
            }
        }
    }

    /// Calls a helper; the group ends if it set a fault.
    fn call(&mut self, helper: HelperId, resource: u32, code: u32) {
        let fault = self.call_helper(helper, resource, code);
        self.branch_away(fault, self.control.exit);
    }

    /// Calls a helper; returns whether it set a fault.
    pub fn call_helper(&mut self, helper: HelperId, resource: u32, code: u32) -> ir::Value {
        let table = self.builder.ins().load(types::I64, constant_flags(), self.anchors.base, offsets::HELPERS);
        let address = self.builder.ins().load(types::I64, constant_flags(), table, helper.offset());
        let signature = self.calls.helper(&mut self.builder);
        let numbers = [resource, code, self.origin.0];
        let [resource, code, origin] =
            numbers.map(|number| self.builder.ins().iconst(types::I32, i64::from(number as i32)));
        let arguments: [ir::Value; 4] = [self.anchors.base, resource, code, origin];
        let call = self.builder.ins().call_indirect(signature, address, &arguments);
        self.builder.inst_results(call)[0]
    }

    /// The offset of a row of a helper call in the context.
    fn row(&self, row: CallRow) -> i32 {
        row.offset(self.facts.shape.row_bytes())
    }

    /// Writes a row of a helper call.
    pub fn store_row(&mut self, packet: &Packet, row: CallRow) {
        let (base, at) = (self.anchors.base, self.row(row));
        self.emit().store(packet, base, at, own_flags());
    }

    /// Reads a row of a helper call.
    pub fn load_row(&mut self, row: CallRow) -> Packet {
        let (base, at) = (self.anchors.base, self.row(row));
        self.emit().load(brolga_ir::Type::I32, base, at, own_flags())
    }

    /// Writes a lane's word of such a row; `lane` is the context's address plus the lane's offset in a row.
    pub fn store_lane(&mut self, value: ir::Value, lane: ir::Value, row: CallRow) {
        let at = self.row(row);
        self.builder.ins().store(own_flags(), value, lane, at);
    }

    /// Reads such a word.
    pub fn load_lane(&mut self, lane: ir::Value, row: CallRow) -> ir::Value {
        let at = self.row(row);
        self.builder.ins().load(types::I32, own_flags(), lane, at)
    }
}
