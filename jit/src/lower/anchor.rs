//! Anchors: addresses and numbers that code everywhere starts from, such as the context's and the running packet's.
//!
//! A register that holds one of them from a function's start to its end costs the register allocator time that grows
//! faster than the function: for each such value it lists everything else that would like the register, several times,
//! and forgetting a long list takes as long for every short one after it. So large functions keep them in the frame and
//! read them again every few instructions, and wherever control flow comes together. Reads that turn out to be unused are
//! removed with the others (`unused.rs`).

use brolga_ir::Function;
use cranelift_codegen::ir::{self, Block, InstBuilder, StackSlot, StackSlotData, StackSlotKind, types};
use cranelift_frontend::FunctionBuilder;

use super::Lowering;
use super::mask::Mask;
use crate::abi;
use crate::packet::Packet;

/// Instructions of the IR from which on a function is large.
const LARGE: usize = 2_000;
/// Instructions of the shader after which anchors are read again, without any control flow between.
const FRESH: u32 = 64;
/// Bytes of each in the frame.
const BYTES: i32 = 8;
/// Anchors that there are.
const COUNT: i32 = 11;
/// Where the rounds are that loops have left: what all loops count is no different.
const ROUNDS_LEFT: i32 = COUNT * BYTES;
/// Where the mask passes through.
const MASK: i32 = ROUNDS_LEFT + BYTES;
/// All of it: a mask takes a row.
const FRAME_BYTES: u32 = MASK as u32 + size_of::<abi::Row>() as u32;

/// Where a large function keeps its anchors.
#[derive(Clone, Copy, Debug)]
pub(super) struct Anchors {
    slot: StackSlot,
    /// Where they were read, and the count of instructions then.
    block: Option<Block>,
    at: u32,
}

impl Anchors {
    /// Makes room, if the function is large.
    pub fn of(func: &Function, builder: &mut FunctionBuilder<'_>) -> Option<Self> {
        let place = || StackSlotData::new(StackSlotKind::ExplicitSlot, FRAME_BYTES, 4);
        (func.inst_count() >= LARGE).then(|| Self {
            slot: builder.create_sized_stack_slot(place()),
            block: None,
            at: 0,
        })
    }
}

impl Lowering<'_, '_> {
    /// Whether the function is so large that little should stay in registers for long, or change over branches in them:
    /// each such change, too, costs the register allocator time for everything that is alive there.
    pub fn is_large(&self) -> bool {
        self.kept_anchors.is_some()
    }

    fn anchors(&mut self) -> [&mut ir::Value; COUNT as usize] {
        let [x, y, z] = &mut self.group_id;
        let position = &mut self.position;
        [
            &mut self.base,
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

    /// Writes all anchors down. To be done whenever some were made.
    pub fn keep_anchors(&mut self) {
        let Some(Anchors { slot, .. }) = self.kept_anchors else { return };
        for n in 0..COUNT {
            let value = *self.anchors()[n as usize];
            self.builder.ins().stack_store(types::I64, value, slot, n * BYTES);
        }
    }

    /// Reads them again for the code from here on.
    fn read_anchors(&mut self) {
        let Some(anchors) = &mut self.kept_anchors else { return };
        (anchors.block, anchors.at) = (self.builder.current_block(), self.written);
        let slot = anchors.slot;
        for n in 0..COUNT {
            let old = *self.anchors()[n as usize];
            let ty = self.builder.func.dfg.value_type(old);
            let new = self.builder.ins().stack_load(types::I64, ty, slot, n * BYTES);
            *self.anchors()[n as usize] = new;
        }
        self.packet_context.base = self.base;
    }

    /// Before an instruction of the shader: reads anchors again if it was long ago, or in another block.
    pub fn refresh_anchors(&mut self) {
        let block = self.builder.current_block();
        let Some(anchors) = self.kept_anchors else { return };
        let is_old = self.written - anchors.at > FRESH;
        if is_old || anchors.block != block {
            self.read_anchors();
        }
        if is_old && let Some(Mask::Lanes(lanes)) = &self.mask {
            let lanes = lanes.clone();
            self.mask = Some(Mask::Lanes(self.through_frame(lanes, anchors.slot)));
        }
    }

    /// The same lanes in other registers.
    fn through_frame(&mut self, mut lanes: Packet, slot: StackSlot) -> Packet {
        for (n, vector) in lanes.vectors.iter_mut().enumerate() {
            let ty = self.builder.func.dfg.value_type(*vector);
            let at = MASK + n as i32 * ty.bytes() as i32;
            self.builder.ins().stack_store(types::I64, *vector, slot, at);
            *vector = self.builder.ins().stack_load(types::I64, ty, slot, at);
        }
        lanes
    }

    /// Rounds of loops that are left of the portion.
    pub fn rounds_left(&mut self) -> ir::Value {
        match self.kept_anchors {
            Some(anchors) => self.builder.ins().stack_load(types::I64, types::I64, anchors.slot, ROUNDS_LEFT),
            None => self.builder.use_var(self.rounds_left),
        }
    }

    pub fn set_rounds_left(&mut self, left: ir::Value) {
        match self.kept_anchors {
            Some(anchors) => {
                self.builder.ins().stack_store(types::I64, left, anchors.slot, ROUNDS_LEFT);
            }
            None => self.builder.def_var(self.rounds_left, left),
        }
    }

    /// Goes on in another block, where code of elsewhere comes together.
    pub fn switch_to(&mut self, block: Block) {
        self.builder.switch_to_block(block);
        self.read_anchors();
    }
}
