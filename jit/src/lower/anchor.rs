//! Anchors: base addresses and numbers that are used all over the code, such as those of the context and the running packet.
//!
//! A value that lives in a register throughout a function costs the register allocator time that grows faster than the
//! function: for each such value it repeatedly lists everything that interferes, and clearing one long list slows down every
//! short one after it. So in a large function the context's address has a register that the allocator does not manage
//! (Cranelift's *pinned register*), and the other anchors are kept in the context: they are reloaded every few
//! instructions, and wherever control flow merges. Unused reloads are removed with other dead loads (`unused.rs`).

use brolga_ir::Function;
use cranelift_codegen::ir::{self, Block, InstBuilder, types};
use cranelift_frontend::FunctionBuilder;

use super::mask::Mask;
use super::{Lowering, own_flags};
use crate::abi::offsets;
use crate::packet::Packet;

/// The number of IR instructions from which a function counts as large.
const LARGE: usize = 2_000;
/// Anchors are reloaded after this many shader instructions without control flow.
const FRESH: u32 = 64;
/// Number of anchors besides the context.
const COUNT: usize = 10;
/// Position of the count of loop iterations left, which all loops share, and which is kept like an anchor.
const ROUNDS_LEFT: usize = COUNT;
/// Where the caller's value of the pinned register is saved.
const PINNED: usize = COUNT + 1;

/// Whether a function is so large that little should stay in registers for long, or change over branches in them: each
/// such change, too, costs the register allocator time for everything that is alive there. Its target must have a pinned
/// register.
pub(crate) fn is_large(func: &Function) -> bool {
    func.inst_count() >= LARGE
}

/// Where and when a large function last read its anchors.
#[derive(Clone, Copy, Debug)]
pub(super) struct Anchors {
    block: Option<Block>,
    /// The instruction count at that point.
    at: u32,
}

impl Anchors {
    /// Pins the context, if the function is large.
    pub fn of(func: &Function, builder: &mut FunctionBuilder<'_>, base: ir::Value) -> Option<Self> {
        if !is_large(func) {
            return None;
        }
        let callers = builder.ins().get_pinned_reg(types::I64);
        builder.ins().store(own_flags(), callers, base, offsets::anchor(PINNED));
        builder.ins().set_pinned_reg(base);
        Some(Self { block: None, at: 0 })
    }
}

impl Lowering<'_, '_> {
    /// Whether the function is large, as [`is_large`] says.
    pub fn is_large(&self) -> bool {
        self.kept_anchors.is_some()
    }

    /// The function's end: restores the caller's pinned register.
    pub fn unpin(&mut self) {
        if self.is_large() {
            let callers = self.builder.ins().load(types::I64, own_flags(), self.base, offsets::anchor(PINNED));
            self.builder.ins().set_pinned_reg(callers);
        }
    }

    fn anchors(&mut self) -> [&mut ir::Value; COUNT] {
        let [x, y, z] = &mut self.group_id;
        let position = &mut self.position;
        [
            &mut self.arena,
            self.scratch.base_mut(),
            x,
            y,
            z,
            &mut position.thread,
            &mut position.first_thread,
            &mut position.row,
            &mut position.record,
            &mut position.locals,
        ]
    }

    /// Stores all anchors. Must be called whenever some have changed.
    pub fn keep_anchors(&mut self) {
        if !self.is_large() {
            return;
        }
        for n in 0..COUNT {
            let value = *self.anchors()[n];
            self.builder.ins().store(own_flags(), value, self.base, offsets::anchor(n));
        }
    }

    /// Reloads them for the code from here on.
    fn read_anchors(&mut self) {
        let Some(anchors) = &mut self.kept_anchors else { return };
        (anchors.block, anchors.at) = (self.builder.current_block(), self.written);
        self.base = self.builder.ins().get_pinned_reg(types::I64);
        self.packet_context.base = self.base;
        for n in 0..COUNT {
            let old = *self.anchors()[n];
            let ty = self.builder.func.dfg.value_type(old);
            *self.anchors()[n] = self.builder.ins().load(ty, own_flags(), self.base, offsets::anchor(n));
        }
    }

    /// Before a shader instruction: reloads anchors if they were last read long ago, or in another block.
    pub fn refresh_anchors(&mut self) {
        let block = self.builder.current_block();
        let Some(anchors) = self.kept_anchors else { return };
        let is_old = self.written - anchors.at > FRESH;
        if is_old || anchors.block != block {
            self.read_anchors();
        }
        if is_old && let Some(Mask::Lanes(lanes)) = &self.mask {
            let lanes = lanes.clone();
            self.mask = Some(Mask::Lanes(self.through_memory(&lanes)));
        }
    }

    /// The same lanes in other registers.
    fn through_memory(&mut self, lanes: &Packet) -> Packet {
        let base = self.base;
        self.emit().store(lanes, base, offsets::ANCHOR_MASK, own_flags());
        self.emit().load(lanes.ty, base, offsets::ANCHOR_MASK, own_flags())
    }

    /// Loop iterations left of those taken from the budget.
    pub fn rounds_left(&mut self) -> ir::Value {
        match self.is_large() {
            true => self.builder.ins().load(types::I64, own_flags(), self.base, offsets::anchor(ROUNDS_LEFT)),
            false => self.builder.use_var(self.rounds_left),
        }
    }

    pub fn set_rounds_left(&mut self, left: ir::Value) {
        match self.is_large() {
            true => {
                self.builder.ins().store(own_flags(), left, self.base, offsets::anchor(ROUNDS_LEFT));
            }
            false => self.builder.def_var(self.rounds_left, left),
        }
    }

    /// Continues in another block, where control flow merges.
    pub fn switch_to(&mut self, block: Block) {
        self.builder.switch_to_block(block);
        self.read_anchors();
    }

    /// The same, if all predecessors are emitted.
    pub fn resume(&mut self, block: Block) {
        self.builder.seal_block(block);
        self.switch_to(block);
    }
}
