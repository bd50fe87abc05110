//! The interface through which a running shader accesses the outside world.
//!
//! The runtime implements [`Host`] once, on top of what is bound; the interpreter calls it for every access to a view, and
//! compiled code for accesses that are not inlined. Shared memory and private arrays belong to the engines.
//! An implementation checks every bound itself and must not panic.

use crate::entity::ResourceId;
use crate::function::{AtomicOp, CounterOp, Origin, Query};
use crate::sampling::SampleCall;

/// One register: a declared range and the position in it. A position out of range means an unbound register.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ViewSlot {
    /// The range.
    pub id: ResourceId,
    /// Counted from the range's first register.
    pub element: u32,
}

/// An address in a view: see [`MemoryRef`](crate::function::MemoryRef) for what is checked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Address {
    /// The view.
    pub view: ViewSlot,
    /// Element; `None` for raw views.
    pub index: Option<u32>,
    /// Bytes within the element or the raw view; the low two bits are ignored.
    pub offset_bytes: u32,
}

/// Access to what is bound.
pub trait Host: Sync {
    /// Reads consecutive words; those out of range are 0.
    fn load(&self, at: Address, words: &mut [u32]);
    /// Writes consecutive words; those out of range are dropped.
    fn store(&self, at: Address, words: &[u32]);
    /// Atomic read-modify-write of a word; returns the previous word, 0 out of range.
    fn atomic(&self, op: AtomicOp, at: Address, value: u32, compare: u32) -> u32;
    /// Changes the hidden counter; 0 if the view is unbound or has none.
    fn counter(&self, op: CounterOp, view: ViewSlot) -> u32;
    /// Reads a texel as four words. Unused coordinates are 0.
    fn texel_load(&self, view: ViewSlot, coords: [u32; 3], level: u32) -> [u32; 4];
    /// Writes a texel.
    fn texel_store(&self, view: ViewSlot, coords: [u32; 3], words: [u32; 4]);
    /// Atomic read-modify-write of a texel of one 32-bit component.
    fn texel_atomic(&self, op: AtomicOp, view: ViewSlot, coords: [u32; 3], value: u32, compare: u32) -> u32;
    /// Samples a texture for the lanes of a packet, in whatever float mode the packet runs.
    fn sample(&self, call: SampleCall<'_>);
    /// Answers a query about a view.
    fn query(&self, query: Query, view: ViewSlot, level: u32) -> [u32; 4];
    /// Whether the run should stop. Asked at group starts, at loop back edges and after much work: must be cheap.
    fn stop_requested(&self) -> bool;
}

/// Why a span of groups did not finish, and where.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Fault {
    /// What happened.
    pub kind: FaultKind,
    /// The instruction.
    pub origin: Origin,
    /// The group, counted in its span: that of the first thread that was at the instruction.
    pub group: u32,
}

impl Fault {
    /// A fault of the first group of a span.
    pub fn new(kind: FaultKind, origin: Origin) -> Self {
        Self { kind, origin, group: 0 }
    }
}

/// Why a group did not finish.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum FaultKind {
    /// The host asked to stop (cancelled, or out of time).
    Stopped,
    /// The budget of loop iterations is used up.
    OutOfFuel,
    /// Threads of a group disagreed about a branch that leads to a barrier.
    DivergentBarrier {
        /// Flattened numbers of the first thread that has not returned, and of the first that goes another way.
        threads: [u32; 2],
    },
    /// A helper panicked: an internal error.
    Internal,
}
