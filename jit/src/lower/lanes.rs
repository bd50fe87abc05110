//! Performs accesses lane by lane: a loop over the lanes of the packet, in increasing order, that checks every word.
//!
//! Operands go to rows of the context first and results come back from there, so that the loop's body is scalar code
//! that is emitted once. Atomics take this path, as do accesses whose lanes choose their own view, and all packets that
//! fail a check of the whole.
//!
//! In functions with very many accesses a helper does this (`abi/access.rs`), since inline code for each would take too
//! long to compile; there, scattered accesses have no other path. In functions for batches it does so where that is
//! rare.

use brolga_ir::function::{AtomicOp, InstKind};
use brolga_ir::stage::Stage;
use brolga_ir::{Function, Type};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{self, AtomicRmwOp, InstBuilder, types};

use super::address::{Area, INDEX, Limit, Location, LoweredAccess, OFFSET};
use super::mask::LaneMask;
use super::notes::Note;
use super::stop::{ACCESS_WORK, ATOMIC_WORK};
use super::{Lowering, own_flags, word_flags};
use crate::abi::{AccessForm, AccessWork, AreaForm, CallRow, HelperId, offsets};
use crate::packet::{Packet, PacketOperand};

/// The operation that a lane performs at its address.
#[derive(Clone, Copy)]
pub(super) enum LaneWork<'a> {
    Load { words: usize },
    Store { values: &'a [Packet] },
    Atomic { op: AtomicOp, value: &'a PacketOperand, compare: Option<&'a PacketOperand> },
}

impl LaneWork<'_> {
    fn words(self) -> usize {
        match self {
            LaneWork::Load { words } => words,
            LaneWork::Store { values } => values.len(),
            LaneWork::Atomic { .. } => 1,
        }
    }

    fn results(self) -> usize {
        if matches!(self, LaneWork::Store { .. }) { 0 } else { self.words() }
    }
}

/// The most accesses of a function for which inline code is emitted.
const MOST_WRITTEN: usize = 256;

/// `true` if a function has so many accesses that helpers perform those whose inline code would be long.
pub(super) fn is_crowded(func: &Function) -> bool {
    let insts = (0..func.inst_count()).map(|n| &func.inst(brolga_ir::entity::Inst::new(n)).kind);
    let is_access =
        |kind: &&InstKind| matches!(kind, InstKind::Load { .. } | InstKind::Store { .. } | InstKind::Atomic { .. });
    insts.filter(is_access).nth(MOST_WRITTEN).is_some()
}

/// The memory that the helper accesses.
pub(super) struct HelperMemory {
    pub form: AreaForm,
    pub private: bool,
    /// The range in which lanes choose a view.
    pub resource: u32,
    /// The address of the first byte, unless lanes choose.
    pub base: Option<ir::Value>,
    pub elements: Limit,
    pub element_bytes: Limit,
}

/// The lane of a loop's iteration.
struct Lane {
    /// The first lane's index and offset, where those of the others follow from them.
    firsts: [Option<ir::Value>; 2],
    /// The context's address plus the lane's offset in a row.
    row: ir::Value,
    /// The lane's offset in a row, in bytes.
    offset: ir::Value,
}

impl Lowering<'_, '_> {
    /// Writes code that hardly ever runs. In a function for batches, helpers do the work that would be long there: it
    /// is compiled while the first draw waits, and only packets at the end of a batch run this.
    pub fn rarely<T>(&mut self, write: impl FnOnce(&mut Self) -> T) -> T {
        let is_batch = !matches!(self.func.interface.stage, Stage::Compute { .. });
        let before = self.calls.does_accesses;
        self.calls.does_accesses |= is_batch;
        let written = write(self);
        self.calls.does_accesses = before;
        written
    }

    /// Performs an access that has no other path; returns results, 0 in lanes that did nothing.
    pub fn lane_by_lane(&mut self, access: &LoweredAccess, mask: &LaneMask, work: LaneWork<'_>) -> Vec<PacketOperand> {
        self.note(Note::LaneByLane);
        // Only this worker has the cache lines of private memory.
        let is_private = matches!(&access.target, Location::Area(area) if area.private);
        let is_shared_atomic = matches!(work, LaneWork::Atomic { .. }) && !is_private;
        self.spend_in_lanes(if is_shared_atomic { ATOMIC_WORK } else { ACCESS_WORK }, false);
        self.each_lane(access, mask, work)
    }

    /// Performs an access as the rare case of another path, or where helpers do work that would be long.
    pub fn each_lane(&mut self, access: &LoweredAccess, mask: &LaneMask, work: LaneWork<'_>) -> Vec<PacketOperand> {
        if self.calls.does_accesses {
            let reach = self.reach(access);
            return self.ask_lanes(&reach, access.index.as_ref(), &access.offset, mask, work);
        }
        self.store_operands(access, mask, work);
        // Affine numbers are computed lane by lane from the first.
        let firsts = [access.place.index, Some(access.place.offset)]
            .map(|value| value.filter(|_| access.spread.is_line()).map(|value| self.first(value)));
        let [body, active, next, done] = [(); 4].map(|()| self.builder.create_block());
        let remote = self.is_large();
        let offset = self.zero_home(Type::I64, true, remote);
        self.builder.ins().jump(body, &[]);

        self.builder.switch_to_block(body);
        let lane = self.home(&offset).values()[0];
        let row = self.builder.ins().iadd(self.anchors.base, lane);
        let takes_part = self.load_lane(row, CallRow::Mask);
        self.builder.ins().brif(takes_part, active, &[], next, &[]);
        self.begin(active);
        self.lane(access, &Lane { firsts, row, offset: lane }, work);
        self.join(next);
        let following = self.builder.ins().iadd_imm_s(lane, 4);
        self.set_home(&offset, &PacketOperand::scalar(Type::I64, following), None);
        let end = i64::from(self.facts.shape.row_bytes());
        let more = self.builder.ins().icmp_imm_u(IntCC::UnsignedLessThan, following, end);
        self.builder.ins().brif(more, body, &[], done, &[]);
        self.builder.seal_block(body);
        self.begin(done);
        self.variables.release(offset);
        (0..work.results()).map(|word| self.load_row(CallRow::Result(word)).into()).collect()
    }

    /// Stores everything the loop needs in the context.
    fn store_operands(&mut self, access: &LoweredAccess, mask: &LaneMask, work: LaneWork<'_>) {
        if let Location::PerLane(choice) = &access.target {
            self.store_row(&choice.element, CallRow::Element);
        }
        if !access.spread.is_line() {
            self.store_address(access.index.as_ref(), &access.offset);
        }
        self.store_work(mask, work);
        let zero = self.emit().constant_packet(brolga_ir::Const::i32(0));
        for word in 0..work.results() {
            self.store_row(&zero, CallRow::Result(word));
        }
    }

    fn store_address(&mut self, index: Option<&PacketOperand>, offset: &PacketOperand) {
        for (row, operand) in [(INDEX, index), (OFFSET, Some(offset))] {
            if let Some(operand) = operand {
                self.pass(operand, CallRow::Coord(row), false);
            }
        }
    }

    /// Stores the mask and the operands.
    fn store_work(&mut self, mask: &LaneMask, work: LaneWork<'_>) {
        let lanes = self.mask_packet(mask);
        self.store_row(&lanes, CallRow::Mask);
        match work {
            LaneWork::Load { .. } => {}
            LaneWork::Store { values } => {
                for (word, value) in values.iter().enumerate() {
                    self.store_row(value, CallRow::Value(word));
                }
            }
            LaneWork::Atomic { value, compare, .. } => {
                self.pass(value, CallRow::Value(0), false);
                if let Some(compare) = compare {
                    self.pass(compare, CallRow::Compare, false);
                }
            }
        }
    }

    /// Describes the memory of an access to the helper.
    fn reach(&mut self, access: &LoweredAccess) -> HelperMemory {
        match &access.target {
            Location::Area(area) => {
                let (elements, element_bytes) = match area.stride {
                    Some(stride) => (area.limit, Limit::Known(stride.into())),
                    None => (Limit::Known(1), area.limit),
                };
                let (base, private) = (Some(area.base), area.private);
                HelperMemory { form: AreaForm::Plain, private, resource: 0, base, elements, element_bytes }
            }
            Location::PerLane(choice) => {
                self.store_row(&choice.element, CallRow::Element);
                let (form, stride) = match choice.stride {
                    Some(stride) => (AreaForm::Structured, stride),
                    None => (AreaForm::Raw, 0),
                };
                let (elements, element_bytes) = (Limit::Known(0), Limit::Known(stride.into()));
                let resource = choice.resource.index() as u32;
                HelperMemory { form, private: false, resource, base: None, elements, element_bytes }
            }
        }
    }

    /// Has a helper do the work in each lane of the mask.
    pub fn ask_lanes(
        &mut self,
        reach: &HelperMemory,
        index: Option<&PacketOperand>,
        offset: &PacketOperand,
        mask: &LaneMask,
        work: LaneWork<'_>,
    ) -> Vec<PacketOperand> {
        self.note(Note::Helper);
        self.spend_in_lanes(ACCESS_WORK, false);
        if let Some(base) = reach.base {
            self.builder.ins().store(own_flags(), base, self.anchors.base, offsets::CALL_AREA_BASE);
        }
        let elements = index.is_some().then_some((reach.elements, offsets::CALL_AREA_ELEMENTS));
        let element_bytes = (reach.element_bytes, offsets::CALL_AREA_ELEMENT_BYTES);
        for (size, at) in elements.into_iter().chain([element_bytes]) {
            let size = self.limit_value(size);
            self.builder.ins().store(own_flags(), size, self.anchors.base, at);
        }
        self.store_address(index, offset);
        self.store_work(mask, work);
        let form = AccessForm {
            work: match work {
                LaneWork::Load { .. } => AccessWork::Load,
                LaneWork::Store { .. } => AccessWork::Store,
                LaneWork::Atomic { op, .. } => AccessWork::Atomic(op),
            },
            words: work.words(),
            indexed: index.is_some(),
            area: reach.form,
            private: reach.private,
        };
        let outside = self.call_helper(HelperId::Access, reach.resource, form.encode());
        if self.calls.suspected.is_some() {
            let inside = self.builder.ins().icmp_imm_u(IntCC::Equal, outside, 0);
            self.suspect_unless(inside);
        }
        (0..work.results()).map(|word| self.load_row(CallRow::Result(word)).into()).collect()
    }

    /// A lane's index or offset.
    fn lane_number(&mut self, access: &LoweredAccess, n: usize, lane: &Lane) -> ir::Value {
        let Some(first) = lane.firsts[n] else {
            return self.load_lane(lane.row, CallRow::Coord(n));
        };
        let step = access.steps[n];
        if step == 0 {
            return first;
        }
        let number = self.builder.ins().ireduce(types::I32, lane.offset);
        let number = self.builder.ins().ushr_imm_u(number, 2);
        let more = self.builder.ins().imul_imm_u(number, i64::from(step));
        self.builder.ins().iadd(first, more)
    }

    /// Performs the access in one lane.
    fn lane(&mut self, access: &LoweredAccess, lane: &Lane, work: LaneWork<'_>) {
        let area = match &access.target {
            Location::Area(area) => *area,
            Location::PerLane(choice) => {
                let element = self.load_lane(lane.row, CallRow::Element);
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
        // Words at a known offset in an element exist if the element does.
        if let (Some(stride), Some(offset)) = (area.stride, access.known_offset)
            && u64::from(offset & !3) + work.words() as u64 * 4 <= u64::from(stride)
        {
            let (element, exists) = self.lane_element(access, lane, &area, stride);
            return self.where_inside(exists, |this| {
                for word in 0..work.words() {
                    this.lane_word(&area, lane.row, word, (element, (offset & !3) as i32 + word as i32 * 4), work);
                }
            });
        }
        let offset = self.lane_number(access, OFFSET, lane);
        let offset = self.builder.ins().band_imm_s(offset, -4);
        let offset = self.builder.ins().uextend(types::I64, offset);
        let (start, exists, limit) = match area.stride {
            None => (area.base, None, area.limit),
            Some(stride) => {
                let (element, exists) = self.lane_element(access, lane, &area, stride);
                (element, Some(exists), Limit::Known(u64::from(stride)))
            }
        };
        let start = self.builder.ins().iadd(start, offset);
        for word in 0..work.words() {
            // Sizes are effectively multiples of 4: a word that begins in range must also end there.
            let end = self.builder.ins().iadd_imm_s(offset, word as i64 * 4 + 4);
            let limit = self.limit_value(limit);
            let mut inside = self.builder.ins().icmp(IntCC::UnsignedLessThanOrEqual, end, limit);
            if let Some(exists) = exists {
                inside = self.builder.ins().band(inside, exists);
            }
            self.where_inside(inside, |this| this.lane_word(&area, lane.row, word, (start, word as i32 * 4), work));
        }
    }

    /// The address of a lane's element, and whether it exists.
    fn lane_element(
        &mut self,
        access: &LoweredAccess,
        lane: &Lane,
        area: &Area,
        stride: u32,
    ) -> (ir::Value, ir::Value) {
        let index = self.lane_number(access, INDEX, lane);
        let index = self.builder.ins().uextend(types::I64, index);
        let exists = self.below(index, area.limit);
        let bytes = self.builder.ins().imul_imm_u(index, i64::from(stride));
        (self.builder.ins().iadd(area.base, bytes), exists)
    }

    /// Writes code that runs if a condition holds.
    fn where_inside(&mut self, inside: ir::Value, write: impl FnOnce(&mut Self)) {
        self.suspect_unless(inside);
        let (here, after) = (self.builder.create_block(), self.builder.create_block());
        self.builder.ins().brif(inside, here, &[], after, &[]);
        self.begin(here);
        write(self);
        self.join(after);
    }

    /// Performs the access to one word of one lane, which is in range.
    fn lane_word(
        &mut self,
        area: &Area,
        row: ir::Value,
        word: usize,
        (address, at): (ir::Value, i32),
        work: LaneWork<'_>,
    ) {
        match work {
            LaneWork::Load { .. } => {
                let value = self.builder.ins().load(types::I32, area.flags(), address, at);
                self.store_lane(value, row, CallRow::Result(word));
            }
            LaneWork::Store { .. } => {
                let value = self.load_lane(row, CallRow::Value(word));
                self.builder.ins().store(area.flags(), value, address, at);
            }
            LaneWork::Atomic { op, compare, .. } => {
                let address = self.builder.ins().iadd_imm_s(address, i64::from(at));
                let value = self.load_lane(row, CallRow::Value(0));
                let compare = compare.map(|_| self.load_lane(row, CallRow::Compare));
                let old = match area.private {
                    true => self.update(op, address, value, compare),
                    false => self.update_atomically(op, address, value, compare),
                };
                self.store_lane(old, row, CallRow::Result(0));
            }
        }
    }

    /// A read-modify-write of memory that other workers access.
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

    /// A read-modify-write of memory that only this worker accesses.
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
