//! Defines instructions: an opcode, its modifiers, and its operands in the order of the stream.

use super::codes::{ResinfoReturn, ResourceDimension, ReturnType};
use super::operand::Operand;
use super::ops::{Op, Slot};

/// Value of a condition for which a conditional instruction takes effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Test {
    /// `_z`: the condition is zero.
    Zero,
    /// `_nz`: the condition has a bit set.
    NonZero,
}

/// Accesses and threads that a `sync` waits for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct SyncFlags {
    /// `_t`: all threads of the group reach it.
    pub threads: bool,
    /// `_g`: accesses to shared memory are complete.
    pub shared_memory: bool,
    /// `_ugroup`: accesses to UAVs are visible to the group.
    pub uav_group: bool,
    /// `_uglobal`: accesses to UAVs are visible to all groups.
    pub uav_global: bool,
}

/// The resource kind that an extended opcode token repeats from the declaration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ResourceHint {
    /// The dimension.
    pub dimension: ResourceDimension,
    /// Bytes of a structure; 0 if it is not a structured buffer.
    pub stride_bytes: u16,
}

/// One instruction.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Instruction {
    /// The byte in the file where it begins.
    pub at: u32,
    /// The opcode.
    pub op: Op,
    /// `_sat`: results are clamped to 0..=1.
    pub saturate: bool,
    /// Components that must not be optimised by rules that hold only for real numbers; bit 0 is x.
    pub precise: u8,
    /// The value of the condition for which it takes effect; `NonZero` if the opcode has none.
    pub test: Test,
    /// Accesses and threads that a `sync` waits for.
    pub sync: SyncFlags,
    /// Return type of `resinfo`; for `sampleinfo` float or uint.
    pub resinfo: ResinfoReturn,
    /// Texel offsets u, v, w, from -8 to 7; `None` if the tokens have none.
    pub offsets: Option<[i8; 3]>,
    /// The resource kind in the extended tokens.
    pub resource: Option<ResourceHint>,
    /// The return types in the extended tokens.
    pub returns: Option<[ReturnType; 4]>,
    /// The word before the operand of `fcall`: the call site.
    pub call_site: u32,
    /// The operands in the order of [`super::ops::OpInfo::slots`].
    pub operands: Vec<Operand>,
    /// A meaningless word between the last operand and the instruction's end. fxc leaves one after some texture
    /// instructions.
    pub trailing: Option<u32>,
}

impl Instruction {
    /// An instruction of the opcode alone.
    pub fn new(at: u32, op: Op) -> Self {
        Self {
            at,
            op,
            saturate: false,
            precise: 0,
            test: Test::NonZero,
            sync: SyncFlags::default(),
            resinfo: ResinfoReturn::Float,
            offsets: None,
            resource: None,
            returns: None,
            call_site: 0,
            operands: Vec::with_capacity(op.info().slots.len()),
            trailing: None,
        }
    }

    /// The operands, each with its slot of the table.
    pub fn slots(&self) -> impl Iterator<Item = (&'static Slot, &Operand)> {
        self.op.info().slots.iter().zip(&self.operands)
    }

    /// The destination operands.
    pub fn destinations(&self) -> impl Iterator<Item = &Operand> {
        self.slots().filter(|(slot, _)| slot.is_destination()).map(|(_, operand)| operand)
    }

    /// The operands that are read.
    pub fn sources(&self) -> impl Iterator<Item = &Operand> {
        self.slots().filter(|(slot, _)| !slot.is_destination()).map(|(_, operand)| operand)
    }
}
