//! Defines the worker's arena and the table of thread indices.

use serde::{Deserialize, Serialize};

/// Memory that each worker provides for its groups. Its initial content does not matter; it must not be shared.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
pub struct ArenaLayout {
    /// Bytes.
    pub size_bytes: usize,
    /// Alignment, a power of two.
    pub align: usize,
}

/// Location in the arena of the packets' votes on branches around barriers, to report which threads disagreed.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct VoteRows {
    /// Threads of a group.
    pub threads: u32,
    /// Offset of the first packet's record.
    pub records: u64,
    /// The stride of packets' records.
    pub record_bytes: u64,
    /// Offset of the row of votes in a record.
    pub votes: u64,
    /// Offset of the row of threads that have not returned, if threads may return before others.
    pub alive: Option<u64>,
}

/// A row of the table of thread indices.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ThreadRow {
    /// `vThreadIDInGroup.x`, `.y`, `.z`.
    Place(u8),
    /// `vThreadIDInGroupFlattened`; only for spans.
    Index,
    /// The group, counted in its span; only for spans.
    Group,
}

impl ThreadRow {
    /// The rows in their order.
    pub const ALL: [Self; 5] = [Self::Place(0), Self::Place(1), Self::Place(2), Self::Index, Self::Group];

    /// The table's entry for a thread of a group of this width and height.
    pub fn of(self, index: u32, width: u32, height: u32) -> u32 {
        match self {
            ThreadRow::Place(0) => index % width,
            ThreadRow::Place(1) => index / width % height,
            ThreadRow::Place(_) => index / width / height,
            ThreadRow::Index => index,
            ThreadRow::Group => 0,
        }
    }

    /// Its position in the table.
    pub fn number(self) -> u32 {
        match self {
            ThreadRow::Place(n) => n.into(),
            ThreadRow::Index => 3,
            ThreadRow::Group => 4,
        }
    }
}
