//! How many threads a packet has.

use serde::{Deserialize, Serialize};

/// How many threads a packet has: a property of a function, since both engines must run threads in the same order.
///
/// Wider packets keep more independent work in flight and share addresses and checks between more threads; narrower ones
/// leave room in the registers and lose less where threads part ways. `passes/packet_width.rs` chooses.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default, Serialize, Deserialize)]
pub enum Width {
    /// 8 threads.
    #[default]
    Eight,
    /// 16 threads.
    Sixteen,
}

/// Lanes of the widest packet.
pub const MAX_LANES: usize = 16;

impl Width {
    /// All of them, narrow ones first.
    pub const ALL: [Self; 2] = [Self::Eight, Self::Sixteen];

    /// Threads of a packet, a power of two.
    pub fn lanes(self) -> u32 {
        match self {
            Width::Eight => 8,
            Width::Sixteen => 16,
        }
    }
}
