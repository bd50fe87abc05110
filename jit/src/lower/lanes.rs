//! Accesses lane by lane: a loop over the lanes of the packet, in increasing order, that checks every word.
//!
//! Operands go to rows of the context first and results come back from there, so that the loop's body is scalar code
//! written once. This is the path of atomics, of lanes that choose their own view, and of all packets for which a check
//! of the whole failed.

use brolga_ir::Type;
use brolga_ir::function::AtomicOp;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{self, AtomicRmwOp, InstBuilder, types};

use super::mask::Mask;
use super::place::{Access, Area, Limit, Spread, Target};
use super::{Lowering, own_flags, word_flags};
use crate::abi::offsets;
use crate::packet::{Operand, Packet, Uniform};

/// What a lane does at its address.
#[derive(Clone, Copy)]
pub(super) enum Work<'a> {
    Load { words: usize },
    Store { values: &'a [Packet] },
    Atomic { op: AtomicOp, value: &'a Operand, compare: Option<&'a Operand> },
}

impl Work<'_> {
    fn words(self) -> usize {
        match self {
            Work::Load { words } => words,
            Work::Store { values } => values.len(),
            Work::Atomic { .. } => 1,
        }
    }

    fn results(self) -> usize {
        match self {
            Work::Load { words } => words,
            Work::Store { .. } => 0,
            Work::Atomic { .. } => 1,
        }
    }
}

const INDEX: usize = 0;
const OFFSET: usize = 1;

impl Lowering<'_, '_> {
    /// Does the work in each lane of the mask; gives results, 0 where nothing was done.
    pub fn lane_by_lane(&mut self, access: &Access, mask: &Mask, work: Work<'_>) -> Vec<Operand> {
        self.store_operands(access, mask, work);
        // Numbers that grow evenly are computed lane by lane from the first.
        let firsts = [access.place.index, Some(access.place.offset)].map(|value| match access.spread {
            Spread::Scattered => None,
            Spread::Same | Spread::Strided(_) => value.map(|value| self.first(value)),
        });
        let [body, active, next, done] = [(); 4].map(|()| self.builder.create_block());
        let remote = self.is_large();
        let place = self.zero_home(Type::I64, true, remote);
        self.builder.ins().jump(body, &[]);

        self.builder.switch_to_block(body);
        let lane = self.home(&place).values()[0];
        let row = self.builder.ins().iadd(self.base, lane);
        let takes_part = self.builder.ins().load(types::I32, own_flags(), row, offsets::CALL_MASK);
        self.builder.ins().brif(takes_part, active, &[], next, &[]);
        self.builder.seal_block(active);
        self.builder.switch_to_block(active);
        self.lane(access, firsts, row, lane, work);
        self.builder.ins().jump(next, &[]);

        self.builder.seal_block(next);
        self.builder.switch_to_block(next);
        let following = self.builder.ins().iadd_imm_s(lane, 4);
        self.set_home(&place, &Uniform { ty: Type::I64, value: following }.into(), None);
        let more = self.builder.ins().icmp_imm_u(IntCC::UnsignedLessThan, following, i64::from(self.shape.lanes() * 4));
        self.builder.ins().brif(more, body, &[], done, &[]);
        self.builder.seal_block(body);
        self.builder.seal_block(done);
        self.builder.switch_to_block(done);
        self.release(place);
        (0..work.results()).map(|word| self.load_context(offsets::call_result(word)).into()).collect()
    }

    /// Brings everything the loop needs into the context.
    fn store_operands(&mut self, access: &Access, mask: &Mask, work: Work<'_>) {
        let lanes = self.mask_packet(mask);
        self.store_context(&lanes, offsets::CALL_MASK);
        if let Target::PerLane(choice) = &access.target {
            self.store_context(&choice.element, offsets::CALL_ELEMENT);
        }
        for (row, operand) in [(INDEX, access.index.as_ref()), (OFFSET, Some(&access.offset))] {
            if let (Some(operand), Spread::Scattered) = (operand, &access.spread) {
                let packet = self.emit().packet(operand);
                self.store_context(&packet, offsets::call_coord(row));
            }
        }
        match work {
            Work::Load { .. } => {}
            Work::Store { values } => {
                for (word, value) in values.iter().enumerate() {
                    self.store_context(value, offsets::call_value(word));
                }
            }
            Work::Atomic { value, compare, .. } => {
                for (row, operand) in [(offsets::call_value(0), Some(value)), (offsets::CALL_COMPARE, compare)] {
                    if let Some(operand) = operand {
                        let packet = self.emit().packet(operand);
                        self.store_context(&packet, row);
                    }
                }
            }
        }
        let zero = self.emit().constant_packet(brolga_ir::Const::i32(0));
        for word in 0..work.results() {
            self.store_context(&zero, offsets::call_result(word));
        }
    }

    /// A lane's index or offset.
    fn lane_number(
        &mut self,
        n: usize,
        first: Option<ir::Value>,
        step: u32,
        row: ir::Value,
        lane: ir::Value,
    ) -> ir::Value {
        let Some(first) = first else {
            return self.builder.ins().load(types::I32, own_flags(), row, offsets::call_coord(n));
        };
        if step == 0 {
            return first;
        }
        let lane = self.builder.ins().ireduce(types::I32, lane);
        let lane = self.builder.ins().ushr_imm_u(lane, 2);
        let more = self.builder.ins().imul_imm_u(lane, i64::from(step));
        self.builder.ins().iadd(first, more)
    }

    /// One lane; `row` is the context's address plus `lane`, the lane's place in a row.
    fn lane(
        &mut self,
        access: &Access,
        firsts: [Option<ir::Value>; 2],
        row: ir::Value,
        lane: ir::Value,
        work: Work<'_>,
    ) {
        let area = match &access.target {
            Target::Area(area) => *area,
            Target::PerLane(choice) => {
                let element = self.builder.ins().load(types::I32, own_flags(), row, offsets::CALL_ELEMENT);
                let record = self.view_record(choice.resource, element);
                let view = self.read_view(choice.resource, record);
                Area {
                    base: view.base,
                    stride: choice.stride,
                    limit: Limit::Value(view.limit),
                    sure: 0,
                    private: false,
                    constant: false,
                }
            }
        };
        let offset = self.lane_number(OFFSET, firsts[OFFSET], access.steps[OFFSET], row, lane);
        let offset = self.builder.ins().band_imm_s(offset, -4);
        let offset = self.builder.ins().uextend(types::I64, offset);
        let mut start = self.builder.ins().iadd(area.base, offset);
        let mut element_exists = None;
        let limit = match area.stride {
            None => area.limit,
            Some(stride) => {
                let index = self.lane_number(INDEX, firsts[INDEX], access.steps[INDEX], row, lane);
                let index = self.builder.ins().uextend(types::I64, index);
                element_exists = Some(self.below(index, area.limit));
                let bytes = self.builder.ins().imul_imm_u(index, i64::from(stride));
                start = self.builder.ins().iadd(start, bytes);
                Limit::Known(u64::from(stride))
            }
        };
        for word in 0..work.words() {
            // Sizes are multiples of 4 for our purpose: a word that begins in range must also end there.
            let end = self.builder.ins().iadd_imm_s(offset, word as i64 * 4 + 4);
            let limit = self.limit_value(limit);
            let mut inside = self.builder.ins().icmp(IntCC::UnsignedLessThanOrEqual, end, limit);
            if let Some(exists) = element_exists {
                inside = self.builder.ins().band(inside, exists);
            }
            let address = self.builder.ins().iadd_imm_s(start, word as i64 * 4);
            self.lane_word(&area, row, word, address, inside, work);
        }
    }

    /// One word of one lane.
    fn lane_word(
        &mut self,
        area: &Area,
        row: ir::Value,
        word: usize,
        address: ir::Value,
        inside: ir::Value,
        work: Work<'_>,
    ) {
        let (here, after) = (self.builder.create_block(), self.builder.create_block());
        self.builder.ins().brif(inside, here, &[], after, &[]);
        self.builder.seal_block(here);
        self.builder.switch_to_block(here);
        match work {
            Work::Load { .. } => {
                let value = self.builder.ins().load(types::I32, area.flags(), address, 0);
                self.builder.ins().store(own_flags(), value, row, offsets::call_result(word));
            }
            Work::Store { .. } => {
                let value = self.builder.ins().load(types::I32, own_flags(), row, offsets::call_value(word));
                self.builder.ins().store(area.flags(), value, address, 0);
            }
            Work::Atomic { op, compare, .. } => {
                let value = self.builder.ins().load(types::I32, own_flags(), row, offsets::call_value(0));
                let compare =
                    compare.map(|_| self.builder.ins().load(types::I32, own_flags(), row, offsets::CALL_COMPARE));
                let old = match area.private {
                    true => self.update(op, address, value, compare),
                    false => self.update_atomically(op, address, value, compare),
                };
                self.builder.ins().store(own_flags(), old, row, offsets::call_result(0));
            }
        }
        self.builder.ins().jump(after, &[]);
        self.builder.seal_block(after);
        self.builder.switch_to_block(after);
    }

    /// A read-modify-write that other workers may look at.
    fn update_atomically(
        &mut self,
        op: AtomicOp,
        address: ir::Value,
        value: ir::Value,
        compare: Option<ir::Value>,
    ) -> ir::Value {
        let flags = word_flags().with_aligned();
        let op = match op {
            AtomicOp::Add => AtomicRmwOp::Add,
            AtomicOp::And => AtomicRmwOp::And,
            AtomicOp::Or => AtomicRmwOp::Or,
            AtomicOp::Xor => AtomicRmwOp::Xor,
            AtomicOp::SMax => AtomicRmwOp::Smax,
            AtomicOp::SMin => AtomicRmwOp::Smin,
            AtomicOp::UMax => AtomicRmwOp::Umax,
            AtomicOp::UMin => AtomicRmwOp::Umin,
            AtomicOp::Exchange => AtomicRmwOp::Xchg,
            AtomicOp::CompareExchange => {
                let compare = compare.expect("verified: a compare-exchange has a comparand");
                return self.builder.ins().atomic_cas(flags, address, compare, value);
            }
        };
        self.builder.ins().atomic_rmw(types::I32, flags, op, address, value)
    }

    /// A read-modify-write of memory that is ours alone.
    pub fn update(
        &mut self,
        op: AtomicOp,
        address: ir::Value,
        value: ir::Value,
        compare: Option<ir::Value>,
    ) -> ir::Value {
        let old = self.builder.ins().load(types::I32, word_flags(), address, 0);
        let ins = self.builder.ins();
        let new = match op {
            AtomicOp::Add => ins.iadd(old, value),
            AtomicOp::And => ins.band(old, value),
            AtomicOp::Or => ins.bor(old, value),
            AtomicOp::Xor => ins.bxor(old, value),
            AtomicOp::SMax => ins.smax(old, value),
            AtomicOp::SMin => ins.smin(old, value),
            AtomicOp::UMax => ins.umax(old, value),
            AtomicOp::UMin => ins.umin(old, value),
            AtomicOp::Exchange => value,
            AtomicOp::CompareExchange => {
                let compare = compare.expect("verified: a compare-exchange has a comparand");
                let equal = ins.icmp(IntCC::Equal, old, compare);
                self.builder.ins().select(equal, value, old)
            }
        };
        self.builder.ins().store(word_flags(), new, address, 0);
        old
    }
}
