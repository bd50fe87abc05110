//! Lays out a worker's arena.
//!
//! | part | contents |
//! |---|---|
//! | shared memory | every `g#`, contiguous |
//! | packet records | for each packet: its threads that have not returned, their votes, values kept across barriers |
//! | private arrays | one block per packet that must keep them, else one for all; masked-off lanes store behind it |
//! | scratch | values of the running packet that are spilled, see `pressure.rs` |
//!
//! Every part is aligned to 64 bytes, every vector to its own size. A word of a private array is a row with a word for
//! each lane, so that a uniform index accesses contiguous memory.

use brolga_ir::entity::{LocalId, SharedId, Value};
use brolga_ir::interface::Local;
use brolga_ir::span::Packing;

use super::coalesce;
use super::facts::Facts;
use super::pressure::{Pressure, SCALAR_BYTES};
use crate::abi::{ArenaLayout, VoteRows};
use crate::error::CompileError;

/// The alignment of every part of the arena: a cache line, and a vector of any size.
pub(super) const ALIGN: u64 = 64;

/// Offsets in the arena.
#[derive(Debug)]
pub(super) struct ArenaOffsets {
    /// Packets of a group, or of the longest span.
    pub packets: u32,
    /// Bytes of a row: a word for each lane.
    pub row_bytes: u32,
    /// Threads of a group; `None` if groups run in spans, whose threads the context counts.
    pub threads: Option<u32>,
    shared: Vec<u64>,
    /// Bytes of all shared memory, a multiple of 64. It is first in the arena.
    pub shared_bytes: u64,
    /// Offset of the packets' records.
    pub records: u64,
    /// Bytes of a packet's record.
    pub record_bytes: u64,
    /// Offset in a record of the row of threads that have not returned.
    pub alive: Option<u64>,
    /// Offset in a record of the row of the threads' last votes on a branch around a barrier.
    pub votes: Option<u64>,
    slots: Vec<Option<u64>>,
    /// Offset of the packets' private arrays.
    pub locals: u64,
    /// Bytes of a packet's private arrays.
    pub array_bytes: u64,
    /// Bytes of a packet's block: the arrays, and words behind them for lanes that store nothing.
    pub local_bytes: u64,
    /// Set if every packet has private arrays of its own.
    pub locals_per_packet: bool,
    local: Vec<u64>,
    total: u64,
}

impl ArenaOffsets {
    pub fn compute(facts: &Facts<'_>, pressure: &Pressure) -> Result<Self, CompileError> {
        let (func, shape) = (facts.func, facts.shape);
        let threads = func.interface.threads_per_group();
        let packing = facts.packing();
        let (lanes, row_bytes, vector) = (shape.lanes(), shape.row_bytes(), u64::from(shape.vector_bytes));
        let packets = (threads * packing.most_groups(threads, lanes)).div_ceil(lanes);
        let mut at = Cursor::default();
        let shared =
            func.interface.shared.iter().map(|shared| at.take(u64::from(shared.size_bytes()), vector)).collect();
        let shared_bytes = at.align(ALIGN);

        let mut record = Cursor::default();
        let alive = facts.keeps_alive.then(|| record.take(u64::from(row_bytes), vector));
        let votes = facts.votes.then(|| record.take(u64::from(row_bytes), vector));
        let representatives = coalesce::representatives(facts, pressure);
        let mut slots = vec![None; func.value_count()];
        for value in (0..func.value_count())
            .map(Value::new)
            .filter(|&value| facts.is_kept(value) && !facts.is_kept_by_group(value))
        {
            let (bytes, align) = match facts.is_uniform(value) {
                true => (SCALAR_BYTES, SCALAR_BYTES),
                false => (u64::from(shape.bytes_of(func.ty(value))), vector),
            };
            let representative = representatives[value.index()];
            let slot = slots[representative.index()].unwrap_or_else(|| record.take(bytes, align));
            (slots[representative.index()], slots[value.index()]) = (Some(slot), Some(slot));
        }
        let record_bytes = record.align(ALIGN);

        let mut block = Cursor::default();
        let local = func
            .interface
            .locals
            .iter()
            .map(|local| block.take(local_bytes(local, row_bytes), vector))
            .collect::<Vec<_>>();
        let array_bytes = block.align(ALIGN);
        let local_bytes = if local.is_empty() { 0 } else { array_bytes + ALIGN };
        let locals_per_packet = facts.phases.has_cuts();
        let records = shared_bytes;
        let locals = records + record_bytes * u64::from(packets);
        let blocks = if locals_per_packet { u64::from(packets) } else { 1 };
        let needed = array_bytes * blocks;
        if needed > crate::MAX_LOCAL_BYTES {
            return Err(CompileError::LocalMemory { bytes: needed, limit: crate::MAX_LOCAL_BYTES });
        }
        let total = locals + local_bytes * blocks;
        Ok(Self {
            packets,
            row_bytes,
            threads: (packing == Packing::Group).then_some(threads),
            shared,
            shared_bytes,
            records,
            record_bytes,
            alive,
            votes,
            slots,
            locals,
            array_bytes,
            local_bytes,
            locals_per_packet,
            local,
            total,
        })
    }

    /// Offset of scratch memory.
    pub fn scratch(&self) -> u64 {
        self.total
    }

    /// The arena that the worker must provide, with some scratch memory.
    pub fn arena(&self, scratch_bytes: u64) -> ArenaLayout {
        let total = self.total + scratch_bytes.next_multiple_of(ALIGN);
        let size_bytes = usize::try_from(total).expect("limits keep the arena small");
        ArenaLayout { size_bytes, align: ALIGN as usize }
    }

    /// Locations of the votes after a run.
    pub fn vote_rows(&self) -> Option<VoteRows> {
        let (threads, votes) = (self.threads?, self.votes?);
        Some(VoteRows { threads, records: self.records, record_bytes: self.record_bytes, votes, alive: self.alive })
    }

    /// Offset of shared memory in the arena.
    pub fn shared(&self, id: SharedId) -> i64 {
        self.shared[id.index()] as i64
    }

    /// Offset of an array in a packet's block.
    pub fn local(&self, id: LocalId) -> i64 {
        self.local[id.index()] as i64
    }

    /// Distance from an array to words that are never read, for lanes that store nothing.
    pub fn local_dump(&self, id: LocalId) -> u32 {
        u32::try_from(self.array_bytes - self.local[id.index()]).expect("private arrays are limited")
    }

    /// `true` if two kept values share a slot in a packet's record.
    pub fn share_slot(&self, a: Value, b: Value) -> bool {
        self.slots[a.index()].is_some() && self.slots[a.index()] == self.slots[b.index()]
    }

    /// The offset of a value in a packet's record, if it is kept.
    pub fn slot(&self, value: Value) -> Option<i32> {
        self.slots[value.index()].map(|at| i32::try_from(at).expect("records are small"))
    }
}

/// An element has four words whatever the shader declares.
fn local_bytes(local: &Local, row_bytes: u32) -> u64 {
    u64::from(local.registers) * 4 * u64::from(row_bytes)
}

/// Allocates space sequentially.
#[derive(Default)]
struct Cursor {
    at: u64,
}

impl Cursor {
    fn align(&mut self, align: u64) -> u64 {
        self.at = self.at.next_multiple_of(align);
        self.at
    }

    fn take(&mut self, bytes: u64, align: u64) -> u64 {
        let at = self.align(align);
        self.at += bytes;
        at
    }
}
