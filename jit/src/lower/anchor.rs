//! Keeps *anchors*: the few addresses and numbers that all code needs, such as the address of the context record and
//! the first thread of the running packet.
//!
//! A value that lives in a register throughout a function costs the register allocator time that grows faster than the
//! function: for each such value it repeatedly lists everything that interferes, and clearing one long list slows down
//! every short one after it. So in a large function the context's address has a register that the allocator does not
//! manage (Cranelift's *pinned register*), and the other anchors are kept in the context: they are reloaded every few
//! instructions, and wherever control flow merges. Unused reloads are removed with other dead loads (`unused.rs`).

use brolga_ir::Function;
use cranelift_codegen::ir::{self, Block, InstBuilder, types};
use cranelift_frontend::FunctionBuilder;

use super::mask::LaneMask;
use super::{Lowering, own_flags};
use crate::abi::offsets;
use crate::packet::Packet;

/// The number of IR instructions from which a function counts as large.
const LARGE: usize = 2_000;
/// Anchors are reloaded after this many shader instructions without control flow.
const FRESH: u32 = 64;
/// Number of anchors besides the context.
const COUNT: usize = 10;
/// Index of the count of loop iterations left, which all loops share, and which is kept like an anchor.
const ITERATIONS_LEFT: usize = COUNT;
/// Index at which the caller's value of the pinned register is saved.
const PINNED: usize = COUNT + 1;

/// `true` if a function is so large that few values should stay in registers for long, or move between them at
/// branches: each such move, too, costs the register allocator time for every value live there. The target must have a
/// pinned register.
pub(crate) fn is_large(func: &Function) -> bool {
    func.inst_count() >= LARGE
}

/// The anchors at the builder's position.
///
/// In a large function they are valid in the block in which they were last read, for [`FRESH`] instructions of the
/// shader after that. Whoever changes one has to [keep](Self::keep) them all.
pub(super) struct Anchors {
    /// The context record.
    pub base: ir::Value,
    pub arena: ir::Value,
    /// Start of scratch memory.
    pub scratch: ir::Value,
    /// ID of the first group of a span, as `i32`s. Available from the function's start.
    pub group_id: [ir::Value; 3],
    /// The running packet.
    pub position: Position,
    /// The block in which a large function last read them, and the number of its instructions before that point.
    last_read: Option<(Option<Block>, u32)>,
}

/// Locations of the running packet's data.
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

impl Anchors {
    /// Pins the context at the function's start, if the function is large. The group's ID is still to be read, and no
    /// packet runs yet.
    pub fn new(func: &Function, builder: &mut FunctionBuilder<'_>, [base, arena, scratch]: [ir::Value; 3]) -> Self {
        let position = Position { thread: arena, first_thread: arena, row: arena, record: arena, locals: arena };
        let last_read = is_large(func).then_some((None, 0));
        if last_read.is_some() {
            let callers = builder.ins().get_pinned_reg(types::I64);
            builder.ins().store(own_flags(), callers, base, offsets::anchor(PINNED));
            builder.ins().set_pinned_reg(base);
        }
        Self { base, arena, scratch, group_id: [base; 3], position, last_read }
    }

    /// Restores the caller's pinned register at the function's end.
    pub fn unpin(&self, builder: &mut FunctionBuilder<'_>) {
        if self.last_read.is_some() {
            let callers = builder.ins().load(types::I64, own_flags(), self.base, offsets::anchor(PINNED));
            builder.ins().set_pinned_reg(callers);
        }
    }

    fn all(&mut self) -> [&mut ir::Value; COUNT] {
        let Self { arena, scratch, group_id: [x, y, z], position, .. } = self;
        let Position { thread, first_thread, row, record, locals } = position;
        [arena, scratch, x, y, z, thread, first_thread, row, record, locals]
    }

    /// Stores all anchors. Must be called whenever some have changed.
    pub fn keep(&mut self, builder: &mut FunctionBuilder<'_>) {
        if self.last_read.is_none() {
            return;
        }
        let base = self.base;
        for (n, anchor) in self.all().into_iter().enumerate() {
            builder.ins().store(own_flags(), *anchor, base, offsets::anchor(n));
        }
    }

    /// Reloads them for the code from here on, after this many instructions of the shader.
    fn read(&mut self, builder: &mut FunctionBuilder<'_>, written: u32) {
        let Some(last_read) = &mut self.last_read else { return };
        *last_read = (builder.current_block(), written);
        self.base = builder.ins().get_pinned_reg(types::I64);
        let base = self.base;
        for (n, anchor) in self.all().into_iter().enumerate() {
            let ty = builder.func.dfg.value_type(*anchor);
            *anchor = builder.ins().load(ty, own_flags(), base, offsets::anchor(n));
        }
    }
}

impl Lowering<'_, '_> {
    /// `true` if the function is large, as [`is_large`] says.
    pub fn is_large(&self) -> bool {
        self.anchors.last_read.is_some()
    }

    /// Reloads anchors before a shader instruction if they were last read long ago, or in another block.
    pub fn refresh_anchors(&mut self) {
        let block = self.builder.current_block();
        let Some((read_in, at)) = self.anchors.last_read else { return };
        let is_old = self.written - at > FRESH;
        if is_old || read_in != block {
            self.anchors.read(&mut self.builder, self.written);
        }
        if is_old && let Some(LaneMask::Lanes(lanes)) = &self.control.mask {
            let lanes = lanes.clone();
            self.control.mask = Some(LaneMask::Lanes(self.through_memory(&lanes)));
        }
    }

    /// Moves lanes to other registers, through memory.
    fn through_memory(&mut self, lanes: &Packet) -> Packet {
        let base = self.anchors.base;
        self.emit().store(lanes, base, offsets::ANCHOR_MASK, own_flags());
        self.emit().load(lanes.ty, base, offsets::ANCHOR_MASK, own_flags())
    }

    /// Loop iterations left of those taken from the budget.
    pub fn iterations_left(&mut self) -> ir::Value {
        match self.is_large() {
            true => {
                self.builder.ins().load(types::I64, own_flags(), self.anchors.base, offsets::anchor(ITERATIONS_LEFT))
            }
            false => self.builder.use_var(self.stopping.iterations_left),
        }
    }

    pub fn set_iterations_left(&mut self, left: ir::Value) {
        if self.is_large() {
            self.builder.ins().store(own_flags(), left, self.anchors.base, offsets::anchor(ITERATIONS_LEFT));
        } else {
            self.builder.def_var(self.stopping.iterations_left, left);
        }
    }

    /// Continues in another block, where control flow merges.
    pub fn switch_to(&mut self, block: Block) {
        self.builder.switch_to_block(block);
        self.anchors.read(&mut self.builder, self.written);
    }

    /// The same, if all predecessors are emitted.
    pub fn resume(&mut self, block: Block) {
        self.builder.seal_block(block);
        self.switch_to(block);
    }
}
