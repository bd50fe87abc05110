//! Defines the interface through which a running shader accesses the outside world.
//!
//! The runtime implements [`Host`] once, on top of the bindings; the interpreter calls it for every access to a view,
//! and compiled code for accesses that are not inlined. Shared memory and private arrays belong to the engines. An
//! implementation checks every bound itself and must not panic.

use std::ops::Range;

use crate::entity::{MessageId, ResourceId};
use crate::function::{AtomicOp, CounterOp, Origin, Query};
use crate::sampling::{Row, SampleCall};

/// One register: a declared range and the position in it. A position out of range means an unbound register.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ViewSlot {
    /// The range.
    pub id: ResourceId,
    /// Counted from the range's first register.
    pub element: u32,
}

/// An address in a view: see [`MemoryRef`](crate::function::MemoryRef) for the bounds checks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Address {
    /// The view.
    pub view: ViewSlot,
    /// Element; `None` for raw views.
    pub index: Option<u32>,
    /// Bytes within the element or the raw view; the low two bits are ignored.
    pub offset_bytes: u32,
}

/// Texel accesses by the lanes of a packet. All rows have the same length.
#[derive(Clone, Copy, Debug)]
pub struct TexelCall<'a> {
    /// The range of all their views.
    pub id: ResourceId,
    /// The position of each view in it.
    pub elements: Row<'a>,
    /// Nonzero in the lanes that take part.
    pub mask: Row<'a>,
    /// Unused ones are 0.
    pub coords: [Row<'a>; 3],
}

impl<'a> TexelCall<'a> {
    /// Views, each with the consecutive lanes that access it. Lanes before the first and after the last that take part
    /// are left out.
    pub fn views(self) -> impl Iterator<Item = (ViewSlot, Range<usize>)> + use<'a> {
        let mut start = self.mask.iter().position(|&word| word != 0).unwrap_or(self.mask.len());
        let end = self.mask.iter().rposition(|&word| word != 0).map_or(start, |last| last + 1);
        self.elements[start..end].chunk_by(|one, next| one == next).map(move |same| {
            let lanes = start..start + same.len();
            start = lanes.end;
            (ViewSlot { id: self.id, element: same[0] }, lanes)
        })
    }

    /// `true` if a lane takes part.
    #[inline]
    pub fn is_active(self, lane: usize) -> bool {
        self.mask[lane] != 0
    }

    /// A lane's coordinates.
    #[inline]
    pub fn at(self, lane: usize) -> [u32; 3] {
        self.coords.map(|row| row[lane])
    }
}

/// Access to bound resources.
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
    /// Reads texels for the lanes of a packet, each at a level of its own: four rows of words, 0 in lanes that take no
    /// part.
    fn texel_loads(&self, call: TexelCall<'_>, levels: Row<'_>, results: &mut [u32]) {
        results.fill(0);
        for (view, lanes) in call.views() {
            for lane in lanes.filter(|&lane| call.is_active(lane)) {
                let words = self.texel_load(view, call.at(lane), levels[lane]);
                for (row, word) in results.chunks_exact_mut(levels.len()).zip(words) {
                    row[lane] = word;
                }
            }
        }
    }
    /// Writes texels for the lanes of a packet, in their order: four rows of words.
    fn texel_stores(&self, call: TexelCall<'_>, values: [Row<'_>; 4]) {
        for (view, lanes) in call.views() {
            for lane in lanes.filter(|&lane| call.is_active(lane)) {
                self.texel_store(view, call.at(lane), values.map(|row| row[lane]));
            }
        }
    }
    /// Atomic read-modify-write of a texel of one 32-bit component.
    fn texel_atomic(&self, op: AtomicOp, view: ViewSlot, coords: [u32; 3], value: u32, compare: u32) -> u32;
    /// Samples a texture for the lanes of a packet, in whatever float mode the packet runs.
    fn sample(&self, call: SampleCall<'_>);
    /// Takes a message of a thread: the sender, then the operands. By default nobody does. Never called for
    /// [`MessageKind::Abort`](crate::message::MessageKind::Abort).
    fn message(&self, message: MessageId, origin: Origin, words: &[u32]) {
        _ = (message, origin, words);
    }
    /// Answers a query about a view.
    fn query(&self, query: Query, view: ViewSlot, level: u32) -> [u32; 4];
    /// The address of the first byte of a buffer, or of a view of a texture, by which views of the same memory are known;
    /// `None` if nothing is bound. For checks, which nothing else needs.
    fn base(&self, view: ViewSlot) -> Option<u64> {
        Some(u64::from(view.id.index() as u32) << 48 | u64::from(view.element) << 40)
    }
    /// `true` if the run should stop. Polled at group starts, at loop back edges and after much work: must be cheap.
    fn stop_requested(&self) -> bool;
}

/// The reason why a span of groups did not finish, and the location.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Fault {
    /// The reason.
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

/// The reason why a group did not finish.
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
    /// The shader aborted.
    Aborted {
        /// The last word of the [sender](crate::message::Sender) of the first thread that did.
        thread: u32,
    },
    /// A helper panicked: an internal error.
    Internal,
}
