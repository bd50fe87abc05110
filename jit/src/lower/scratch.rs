//! Scratch memory of the running packet: remote values (see `pressure.rs`), and variables and masks that would take up
//! registers for too long.
//!
//! A remote value is stored where it is computed and reloaded where it is used, unless it was computed or loaded a few
//! instructions earlier in the same block.

use brolga_ir::entity::Value;
use cranelift_codegen::ir::{self, Block};

use super::layout::ALIGN;
use super::mask::{Home, Mask};
use super::{Lowering, own_flags};
use crate::packet::Operand;

/// Instructions of the shader for which a loaded value stays in its register.
const NEAR: u32 = 12;
/// The most nested constructs whose masks are held in registers.
const SHALLOW: usize = 4;

/// Allocates scratch memory.
#[derive(Debug)]
pub(super) struct Scratch {
    /// Where it begins.
    base: ir::Value,
    /// Bytes in use.
    pub bytes: u64,
    /// Places that variables freed, of one row and of two.
    free: [Vec<i32>; 2],
}

impl Scratch {
    /// Scratch memory at an address, of which remote values take the first `bytes`.
    pub fn new(base: ir::Value, bytes: u64) -> Self {
        Self { base, bytes: bytes.next_multiple_of(ALIGN), free: Default::default() }
    }

    pub fn base_mut(&mut self) -> &mut ir::Value {
        &mut self.base
    }
}

/// Where a remote value was last in a register.
#[derive(Clone, Copy, Debug)]
pub(super) struct Near {
    block: Option<Block>,
    /// The instruction count at that point.
    at: u32,
}

/// A mask that is needed again after other code.
#[derive(Clone, Debug)]
pub(super) enum Parked {
    Here(Mask),
    Away(Home),
}

impl Lowering<'_, '_> {
    /// Whether a remote value is still in a register at the builder's position.
    pub fn is_near(&self, value: Value) -> bool {
        let near = self.near.get(&value);
        near.is_some_and(|near| near.block == self.builder.current_block() && self.written - near.at <= NEAR)
    }

    /// Notes that a remote value is in a register.
    pub fn note_near(&mut self, value: Value) {
        let near = Near { block: self.builder.current_block(), at: self.written };
        self.near.insert(value, near);
    }

    /// Stores a remote value that is not kept between segments.
    pub fn store_remote(&mut self, value: Value, operand: &Operand) {
        let at = self.remote_place(value);
        let (base, uniform) = (self.scratch.base, self.facts.is_uniform(value));
        self.emit().store_operand(operand, uniform, base, at, own_flags());
    }

    /// Reads a remote value that is not kept between segments.
    pub fn load_remote(&mut self, value: Value) -> Operand {
        let at = self.remote_place(value);
        let (base, ty, uniform) = (self.scratch.base, self.func.ty(value), self.facts.is_uniform(value));
        self.emit().load_operand(ty, uniform, base, at, own_flags())
    }

    fn remote_place(&self, value: Value) -> i32 {
        let at = self.pressure.place(value).expect("remote values have places");
        i32::try_from(at).expect("scratch memory is small")
    }

    /// A place for a variable: its address is the sum of the two.
    pub fn take_scratch(&mut self, wide: bool) -> i32 {
        self.scratch.free[usize::from(wide)].pop().unwrap_or_else(|| {
            let at = self.scratch.bytes;
            self.scratch.bytes += u64::from(self.layout.row_bytes) * if wide { 2 } else { 1 };
            i32::try_from(at).expect("scratch memory is small")
        })
    }

    /// Frees a place.
    pub fn give_scratch(&mut self, at: i32, wide: bool) {
        self.scratch.free[usize::from(wide)].push(at);
    }

    /// The address that places are relative to.
    pub fn scratch_base(&self) -> ir::Value {
        self.scratch.base
    }

    /// Whether masks of open constructs are stored in memory: there are many, or they would be live for long.
    pub fn is_deep(&self) -> bool {
        self.frames.len() > SHALLOW || self.is_large()
    }

    /// Saves a mask.
    pub fn park(&mut self, mask: Mask) -> Parked {
        match mask {
            Mask::Lanes(lanes) if self.is_deep() => {
                Parked::Away(self.new_home(brolga_ir::Type::Bool, false, &lanes.into(), true))
            }
            mask => Parked::Here(mask),
        }
    }

    /// Reads a saved mask.
    pub fn parked(&mut self, parked: &Parked) -> Mask {
        match parked {
            Parked::Here(mask) => mask.clone(),
            Parked::Away(home) => Mask::Lanes(self.home_lanes(home)),
        }
    }

    /// Reads a saved mask for the last time, and frees its place.
    pub fn unpark(&mut self, parked: Parked) -> Mask {
        let mask = self.parked(&parked);
        self.drop_parked(parked);
        mask
    }

    /// Frees the place of a saved mask.
    pub fn drop_parked(&mut self, parked: Parked) {
        if let Parked::Away(home) = parked {
            self.release(home);
        }
    }
}
