//! Represents a function in flattened form: instructions whose operands are positions in the arena.
//!
//! A [`ArenaSlot`] below `frame_len` is in the frame that packets use in turn; a higher one is in the part that each
//! packet keeps from segment to segment. Constants and inputs are not instructions: they are in the frame before a
//! packet begins.

use super::LaneMask;
use crate::entity::{Inst, MessageId, ResourceId};
use crate::function::{AtomicOp, CounterOp, Input, Origin, Query};
use crate::ops::Op;
use crate::sampling::Sampling;
use crate::span::Packing;

/// The location of a value.
pub(super) type ArenaSlot = u32;

/// Number of a loop or switch among those of its function.
pub(super) type TargetNumber = usize;

/// A whole function.
#[derive(Debug)]
pub(super) struct Code {
    /// Number of values that live within one segment.
    pub(super) frame_len: usize,
    /// Number of values that each packet keeps.
    pub(super) kept_len: usize,
    /// Constants and their slots in the frame.
    pub(super) constants: Vec<(ArenaSlot, u64)>,
    /// Inputs and their slots in the frame.
    pub(super) inputs: Vec<(ArenaSlot, Input)>,
    /// The slot of each value of the function, for observers.
    pub(super) slots: Vec<ArenaSlot>,
    /// Number of loops and switches.
    pub(super) target_count: usize,
    pub(super) group_size: [u32; 3],
    /// Threads of a packet.
    pub(super) lanes: usize,
    /// The packing of threads.
    pub(super) packing: Packing,
    /// Set if a batch fills its last packet.
    pub(super) fills_packets: bool,
    /// The most packets of a span.
    pub(super) most_packets: usize,
    pub(super) shared_words: usize,
    /// Words of private arrays of one thread.
    pub(super) local_words: usize,
    /// Set if private arrays must be kept for all packets.
    pub(super) keeps_locals: bool,
    /// The immediate constant buffer.
    pub(super) immediate: Vec<u32>,
    pub(super) body: GroupRegion,
}

impl Code {
    /// Threads of a group.
    pub(super) fn threads_per_group(&self) -> u32 {
        self.group_size.iter().product()
    }

    /// All lanes of a packet.
    pub(super) fn all_lanes(&self) -> LaneMask {
        LaneMask::MAX >> (LaneMask::BITS as usize - self.lanes)
    }
}

/// An instruction of the function.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct At {
    /// The instruction.
    pub inst: Inst,
    /// The bytecode instruction that it is part of.
    pub origin: Origin,
}

/// A region that runs once for the group.
#[derive(Debug)]
pub(super) struct GroupRegion {
    pub(super) steps: Vec<GroupStep>,
    pub(super) end: End,
}

/// The destination of control at a region's end. Its operands have been moved by then.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum End {
    Yield,
    Break(TargetNumber),
    Continue(TargetNumber),
    /// All threads have ended.
    Return,
}

/// A step of the group.
#[derive(Debug)]
pub(super) enum GroupStep {
    Segment(Block),
    /// A barrier itself is no more than the end of a segment.
    Wait {
        at: At,
    },
    If {
        cond: ArenaSlot,
        then_region: GroupRegion,
        else_region: GroupRegion,
        at: At,
    },
    Loop {
        target: TargetNumber,
        inits: Moves,
        body: GroupRegion,
        at: At,
    },
    Switch {
        target: TargetNumber,
        selector: ArenaSlot,
        arms: Arms<GroupRegion>,
        at: At,
    },
}

/// Instructions of one packet. Lanes leave it by jumps, or reach its end. No more than a millisecond of work lies
/// between two polls of the stop request, at [`Node::Look`] and at the end of each round of a loop.
pub(super) type Block = Vec<Step>;

/// An instruction of one packet, with its origin.
#[derive(Debug)]
pub(super) struct Step {
    pub(super) node: Node,
    pub(super) at: At,
}

/// The operation of an instruction of one packet.
#[derive(Debug)]
pub(super) enum Node {
    Op {
        op: Op,
        to: ArenaSlot,
        args: [ArenaSlot; 3],
    },
    /// `once`: the address is the same in all lanes, read for all at once.
    Load {
        from: Address,
        to: Vec<ArenaSlot>,
        once: bool,
    },
    Store {
        to: Address,
        values: Vec<ArenaSlot>,
        effect: ArenaSlot,
    },
    Atomic {
        at: Address,
        update: Update,
    },
    Counter {
        op: CounterOp,
        view: ViewRef,
        effect: ArenaSlot,
        to: ArenaSlot,
    },
    TexelLoad {
        view: ViewRef,
        texel: Texel,
        to: Vec<ArenaSlot>,
        once: bool,
    },
    TexelStore {
        view: ViewRef,
        texel: Texel,
        values: Vec<ArenaSlot>,
        effect: ArenaSlot,
    },
    TexelAtomic {
        view: ViewRef,
        texel: Texel,
        update: Update,
    },
    Sample {
        sampling: Sampling,
        texture: ViewRef,
        sampler: ViewRef,
        args: Vec<ArenaSlot>,
        to: Vec<ArenaSlot>,
        once: bool,
    },
    Message {
        message: MessageId,
        aborts: bool,
        values: Vec<ArenaSlot>,
        effect: ArenaSlot,
    },
    PacketAll {
        cond: ArenaSlot,
        to: ArenaSlot,
    },
    QuadRead {
        from: [u8; 4],
        value: ArenaSlot,
        to: ArenaSlot,
    },
    Query {
        query: Query,
        view: ViewRef,
        level: Option<ArenaSlot>,
        to: Vec<ArenaSlot>,
        once: bool,
    },
    If {
        cond: ArenaSlot,
        then_block: Block,
        else_block: Block,
    },
    Loop {
        target: TargetNumber,
        inits: Moves,
        body: Block,
    },
    Switch {
        target: TargetNumber,
        selector: ArenaSlot,
        arms: Arms<Block>,
    },
    /// Stops if the host asks for it.
    Look,
    /// Nothing, except for observers.
    Pass,
    /// The end of the block, or a jump of the whole group, whose destination is in the group's region.
    End(Moves),
    Break {
        target: TargetNumber,
        moves: Moves,
    },
    Continue {
        target: TargetNumber,
        moves: Moves,
    },
    Return,
}

impl Node {
    /// `true` if it ends its block.
    pub(super) fn is_jump(&self) -> bool {
        matches!(self, Node::End(_) | Node::Break { .. } | Node::Continue { .. } | Node::Return)
    }

    /// `true` if it is an instruction that goes on to the next.
    pub(super) fn is_straight(&self) -> bool {
        !self.is_jump() && !matches!(self, Node::If { .. } | Node::Loop { .. } | Node::Switch { .. } | Node::Look)
    }
}

/// Parallel moves of values.
#[derive(Debug)]
pub(super) struct Moves {
    /// Source and destination of each.
    pub(super) pairs: Vec<(ArenaSlot, ArenaSlot)>,
    /// Set if some source is written too, so that all must be read first.
    pub(super) overlap: bool,
}

impl Moves {
    pub(super) fn new(mut pairs: Vec<(ArenaSlot, ArenaSlot)>) -> Self {
        pairs.retain(|(from, to)| from != to);
        let mut written: Vec<ArenaSlot> = pairs.iter().map(|&(_, to)| to).collect();
        written.sort_unstable();
        let overlap = pairs.iter().any(|(from, _)| written.binary_search(from).is_ok());
        Self { pairs, overlap }
    }
}

/// The arms of a switch.
#[derive(Debug)]
pub(super) struct Arms<T> {
    /// Labels with the arm they lead to, sorted.
    pub(super) labels: Vec<(u32, usize)>,
    /// The arms in order; the default is the last.
    pub(super) arms: Vec<T>,
}

impl<T> Arms<T> {
    /// The arm for a selector.
    pub(super) fn choose(&self, selector: u32) -> usize {
        match self.labels.binary_search_by_key(&selector, |&(label, _)| label) {
            Ok(at) => self.labels[at].1,
            Err(_) => self.arms.len() - 1,
        }
    }
}

/// A resource of a range.
#[derive(Clone, Copy, Debug)]
pub(super) struct ViewRef {
    pub(super) id: ResourceId,
    pub(super) element: ViewElement,
}

/// Position in the range.
#[derive(Clone, Copy, Debug)]
pub(super) enum ViewElement {
    Fixed(u32),
    Computed(ArenaSlot),
}

/// Coordinates of a texel.
#[derive(Debug)]
pub(super) struct Texel {
    /// Up to three.
    pub(super) coords: Vec<ArenaSlot>,
    pub(super) level: Option<ArenaSlot>,
}

/// The first word of an access.
#[derive(Debug)]
pub(super) struct Address {
    pub(super) space: Space,
    pub(super) index: Option<ArenaSlot>,
    pub(super) offset: ArenaSlot,
}

/// The memory that an address refers to.
#[derive(Clone, Copy, Debug)]
pub(super) enum Space {
    View(ViewRef),
    Shared(WordRange),
    Local(WordRange),
    Array(BatchArray),
    Immediate(WordRange),
    Curve(WordRange),
}

/// An array of the batch.
#[derive(Clone, Copy, Debug)]
pub(super) struct BatchArray {
    /// The number of the array.
    pub(super) number: usize,
    pub(super) stride_bytes: u32,
}

impl BatchArray {
    /// The elements in an array of `words` words.
    pub(super) fn extent(self, words: usize) -> WordRange {
        let count = words as u64 * 4 / u64::from(self.stride_bytes);
        WordRange { base: 0, stride_bytes: self.stride_bytes, count: count.min(u32::MAX.into()) as u32 }
    }
}

/// A range of memory that the interpreter owns.
#[derive(Clone, Copy, Debug)]
pub(super) struct WordRange {
    /// Its first word.
    pub(super) base: usize,
    pub(super) stride_bytes: u32,
    pub(super) count: u32,
}

impl WordRange {
    /// The position of a word, if it is in range. `byte` counts from the element, or from the start without an index.
    pub(super) fn word(self, index: Option<u32>, byte: u64) -> Option<usize> {
        let stride = u64::from(self.stride_bytes);
        let (start, limit) = match index {
            Some(index) if index >= self.count => return None,
            Some(index) => (u64::from(index) * stride, stride),
            None => (0, u64::from(self.count) * stride),
        };
        (byte < limit).then(|| self.base + ((start + byte) / 4) as usize)
    }
}

/// A read-modify-write.
#[derive(Debug)]
pub(super) struct Update {
    pub(super) op: AtomicOp,
    pub(super) value: ArenaSlot,
    pub(super) compare: Option<ArenaSlot>,
    pub(super) effect: ArenaSlot,
    /// Receives the previous word.
    pub(super) to: ArenaSlot,
}
