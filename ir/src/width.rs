//! Defines the number of threads in a packet.

use serde::{Deserialize, Serialize};

/// Number of threads in a packet: a property of a function, since both engines must run threads in the same order.
///
/// Wider packets keep more independent work in flight and share addresses and checks between more threads; narrower
/// ones have lower register pressure and lose less where threads diverge. `passes/packets/width.rs` chooses 8, 16 or 32.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default, Serialize, Deserialize)]
pub enum Width {
    /// 8 threads.
    #[default]
    Eight,
    /// 16 threads.
    Sixteen,
    /// 32 threads.
    ThirtyTwo,
    /// 64 threads; only an option asks for it.
    SixtyFour,
}

/// Lanes of the widest packet.
pub const MAX_LANES: usize = 64;

impl Width {
    /// All of them, narrow ones first.
    pub const ALL: [Self; 4] = [Self::Eight, Self::Sixteen, Self::ThirtyTwo, Self::SixtyFour];

    /// The widths that suit any function. The optimiser chooses 32 only for functions with few values live at once, and
    /// never 64: only an option asks for that.
    pub const CHOSEN: [Self; 2] = [Self::Eight, Self::Sixteen];

    /// Threads of a packet, a power of two.
    pub const fn lanes(self) -> u32 {
        8 << self as u32
    }
}
