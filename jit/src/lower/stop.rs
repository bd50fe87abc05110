//! Stops code in time: the budget of loop iterations, and the polls of the stop word.
//!
//! A loop of the shader counts its iterations, and polls the stop word once in [`ITERATIONS_PER_POLL`]: each iteration
//! costs one count and one branch. That is soon enough if an iteration is short. A loop of the shader whose iteration
//! is long polls in each. Straight-line code polls after so much work, and so does a segment's own loop, which runs the
//! packets of a group in turn. So no more than a millisecond or so passes between two polls, whatever a shader does.
//!
//! The budget is the *fuel* of a dispatch: iterations that a group may take, counted for each of its packets.
//!
//! *Work* is counted in CLIF instructions. Code that takes much longer than the instructions written for it says how
//! much ([`Effort::spend`]), at its worst, since a poll costs next to nothing beside it. Code that may be skipped
//! counts as if it ran, and a construct with a poll in it is followed by a poll: so the path that lanes took does not
//! matter.

use brolga_ir::function::Origin;
use brolga_ir::host::FaultKind;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{self, InstBuilder, types};
use cranelift_frontend::Variable;

use super::mask::LaneMask;
use super::{Lowering, constant_flags, own_flags};
use crate::abi::{self, CallRow, offsets};

/// Loop iterations between two polls, if an iteration is short.
const ITERATIONS_PER_POLL: i64 = 1 << 10;
/// The work from which an iteration is long: a poll is nothing beside it, and that many short ones take less than a
/// millisecond.
const LONG_ITERATION: u64 = 1000;
/// The most work of straight-line code between two polls.
const LONG_CODE: u64 = 1 << 16;

/// The work of a sample in a lane. An anisotropic one of sixteen taps takes microseconds.
pub(super) const SAMPLE_WORK: u64 = 2000;
/// The work of a helper in a lane, as of a texel of a compressed format.
pub(super) const HELPER_WORK: u64 = 300;
/// The work of an atomic in a lane, if other threads want the same cache line.
pub(super) const ATOMIC_WORK: u64 = 150;
/// The work of an access in a lane that a helper or a loop over the lanes performs.
pub(super) const ACCESS_WORK: u64 = 30;
/// The work of a division or root in a lane.
pub(super) const DIVISION_WORK: u64 = 10;
/// The work of writing zeros to so many bytes, mostly to memory.
const CLEARED_BYTES: u64 = 8;

/// The work since the last poll.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Effort {
    /// Work up to an instruction.
    work: u64,
    /// The number of that instruction.
    counted: usize,
    /// Polls written so far.
    polls: u32,
}

impl Effort {
    /// Adds work: the code just written takes as long as this many more instructions.
    pub fn spend(&mut self, work: u64) {
        self.work = self.work.saturating_add(work);
    }

    /// Adds the work of writing this many zero bytes to memory.
    pub fn spend_on_clearing(&mut self, bytes: u64) {
        self.spend(bytes / CLEARED_BYTES);
    }

    /// The work from an earlier point to this one.
    fn since(self, before: Self) -> u64 {
        self.work.saturating_sub(before.work)
    }
}

/// Stopping in time: the work since the last poll, and the iterations that loops took from their budget, of which the
/// function's end returns the rest.
pub(super) struct Stopping {
    /// The work up to the last instruction that was counted.
    pub effort: Effort,
    /// Loop iterations that were taken from the budget and not used yet.
    pub iterations_left: Variable,
    /// Set if the function has loops.
    pub takes_iterations: bool,
}

impl Lowering<'_, '_> {
    /// The work up to the builder's position.
    pub fn effort(&mut self) -> Effort {
        let (written, effort) = (self.builder.func.dfg.num_insts(), &mut self.stopping.effort);
        effort.spend(written.saturating_sub(effort.counted) as u64);
        effort.counted = written;
        *effort
    }

    /// Adds work for each active lane of a packet, or once.
    pub fn spend_in_lanes(&mut self, work: u64, once: bool) {
        self.stopping.effort.spend(if once { work } else { work * u64::from(self.facts.shape.lanes()) });
    }

    /// Joins an earlier path at the builder's position, past the code written since.
    pub fn comes_from(&mut self, before: Effort) {
        let now = self.effort();
        self.stopping.effort.work = now.work.max(before.work);
    }

    /// Ends an iteration of a loop over this many packets, which began there.
    pub fn end_packet_iteration(&mut self, before: Effort, packets: u32) {
        let now = self.effort();
        let others = u64::from(packets.saturating_sub(1));
        let more = now.since(before).saturating_mul(others);
        if others > 0 && (now.polls != before.polls || more > LONG_CODE) {
            // A fault is that of the packet's first thread.
            let lanes = self.layout.threads.is_none().then_some(LaneMask::Full);
            self.poll(self.origin, lanes.as_ref());
        } else {
            self.stopping.effort.spend(more);
        }
    }

    /// Polls if a poll was written since then, or if there was much work since the last one.
    pub fn poll_if_due(&mut self, before: Effort, origin: Origin, lanes: Option<&LaneMask>) {
        let now = self.effort();
        if now.polls != before.polls || now.work > LONG_CODE {
            self.poll(origin, lanes);
        }
    }

    /// Polls the stop word, and ends the group if it is set; with a mask as for [`Self::fault_if_in`].
    pub fn poll(&mut self, origin: Origin, lanes: Option<&LaneMask>) {
        let stop = self.stop_word();
        self.fault_if_in(stop, FaultKind::Stopped, origin, lanes);
        let now = self.effort();
        self.stopping.effort = Effort { work: 0, polls: now.polls + 1, ..now };
    }

    /// Tests the stop word; an `i8`.
    fn stop_word(&mut self) -> ir::Value {
        let stop = self.builder.ins().load(types::I64, constant_flags(), self.anchors.base, offsets::STOP);
        let stop = self.builder.ins().load(types::I32, own_flags(), stop, 0);
        self.builder.ins().icmp_imm_u(IntCC::NotEqual, stop, 0)
    }

    /// Takes an iteration off the budget; emitted at the back edge of every loop. Iterations are taken from the context
    /// in batches, and only then does a loop of short iterations poll the stop word. `lanes` are those in the loop, if
    /// the running packet is one of a span.
    pub fn end_iteration(&mut self, before: Effort, origin: Origin, lanes: Option<&LaneMask>) {
        let now = self.effort();
        if now.polls != before.polls || now.since(before) > LONG_ITERATION {
            self.poll(origin, lanes);
        }
        self.stopping.takes_iterations = true;
        let [refill, next] = [(); 2].map(|()| self.builder.create_block());
        self.builder.set_cold_block(refill);
        let left = self.iterations_left();
        self.builder.ins().brif(left, next, &[], refill, &[]);
        self.begin(refill);
        let stop = self.stop_word();
        self.fault_if_in(stop, FaultKind::Stopped, origin, lanes);
        self.set_cold();
        let fuel = self.builder.ins().load(types::I64, own_flags(), self.anchors.base, offsets::FUEL);
        let empty = self.builder.ins().icmp_imm_u(IntCC::Equal, fuel, 0);
        self.fault_if_in(empty, FaultKind::OutOfFuel, origin, lanes);
        self.set_cold();
        let most = self.builder.ins().iconst(types::I64, ITERATIONS_PER_POLL);
        let is_last = self.builder.ins().icmp(IntCC::UnsignedLessThan, fuel, most);
        let taken = self.builder.ins().select(is_last, fuel, most);
        let fuel = self.builder.ins().isub(fuel, taken);
        self.builder.ins().store(own_flags(), fuel, self.anchors.base, offsets::FUEL);
        self.set_iterations_left(taken);
        self.join(next);
        let left = self.iterations_left();
        let left = self.builder.ins().iadd_imm_s(left, -1);
        self.set_iterations_left(left);
    }

    /// Returns, at the function's end, the iterations that were taken and not used.
    pub fn return_iterations(&mut self) {
        let left = self.iterations_left();
        let fuel = self.builder.ins().load(types::I64, own_flags(), self.anchors.base, offsets::FUEL);
        let fuel = self.builder.ins().iadd(fuel, left);
        self.builder.ins().store(own_flags(), fuel, self.anchors.base, offsets::FUEL);
    }

    /// Ends the group with a fault if the condition (an `i8`) holds; with a mask, the fault is that of these threads of
    /// the running packet of a span.
    pub fn fault_if_in(&mut self, condition: ir::Value, kind: FaultKind, origin: Origin, lanes: Option<&LaneMask>) {
        let fault = self.builder.create_block();
        self.builder.set_cold_block(fault);
        let next = self.builder.create_block();
        self.builder.ins().brif(condition, fault, &[], next, &[]);
        self.begin(fault);
        for (number, at) in [(abi::fault_number(kind), offsets::FAULT_KIND), (origin.0, offsets::FAULT_ORIGIN)] {
            let number = self.builder.ins().iconst(types::I32, i64::from(number));
            self.builder.ins().store(own_flags(), number, self.anchors.base, at);
        }
        if let Some(lanes) = lanes {
            let first = self.anchors.position.first_thread;
            self.builder.ins().store(own_flags(), first, self.anchors.base, offsets::FAULT_THREAD);
            let lanes = self.mask_packet(lanes);
            self.store_row(&lanes, CallRow::Mask);
        }
        self.builder.ins().jump(self.control.exit, &[]);
        self.begin(next);
    }
}
