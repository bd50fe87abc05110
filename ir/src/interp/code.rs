//! The flattened form of a function: instructions whose operands are positions in the arena.
//!
//! A [`Slot`] below `frame_len` is in the frame that packets use in turn; a higher one is in the part that each packet
//! keeps from segment to segment. Constants and inputs are not instructions: they are in the frame before a packet
//! begins.

use super::Mask;
use crate::entity::{Inst, ResourceId};
use crate::function::{AtomicOp, CounterOp, Input, Origin, Query};
use crate::ops::Op;
use crate::sampling::Sampling;
use crate::span::Packing;

/// Where a value is stored.
pub(super) type Slot = u32;

/// Number of a loop or switch among those of its function.
pub(super) type Target = usize;

/// A whole function.
#[derive(Debug)]
pub(super) struct Code {
    /// Values that live within one segment.
    pub(super) frame_len: usize,
    /// Values that each packet keeps.
    pub(super) kept_len: usize,
    /// Constants and their place in the frame.
    pub(super) constants: Vec<(Slot, u64)>,
    /// Inputs and their place in the frame.
    pub(super) inputs: Vec<(Slot, Input)>,
    /// Where each value of the function is, for observers.
    pub(super) slots: Vec<Slot>,
    /// Loops and switches.
    pub(super) target_count: usize,
    pub(super) group_size: [u32; 3],
    /// Threads of a packet.
    pub(super) lanes: usize,
    /// Which threads share packets.
    pub(super) packing: Packing,
    /// Whether a batch fills its last packet.
    pub(super) fills_packets: bool,
    /// Most packets of a span.
    pub(super) most_packets: usize,
    pub(super) shared_words: usize,
    /// Words of private arrays of one thread.
    pub(super) local_words: usize,
    /// Whether private arrays must be kept for all packets.
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
    pub(super) fn all_lanes(&self) -> Mask {
        Mask::MAX >> (Mask::BITS as usize - self.lanes)
    }
}

/// An instruction of the function.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct At {
    /// Which one.
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

/// Where control goes at a region's end. Its operands have been moved by then.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum End {
    Yield,
    Break(Target),
    Continue(Target),
    /// All threads have ended.
    Return,
}

/// A step of the group.
#[derive(Debug)]
pub(super) enum GroupStep {
    Segment(Block),
    /// A barrier itself is nothing more than the end of a segment.
    Wait {
        at: At,
    },
    If {
        cond: Slot,
        then_region: GroupRegion,
        else_region: GroupRegion,
        at: At,
    },
    Loop {
        target: Target,
        inits: Moves,
        body: GroupRegion,
        at: At,
    },
    Switch {
        target: Target,
        selector: Slot,
        arms: Arms<GroupRegion>,
        at: At,
    },
}

/// Instructions of one packet. Lanes leave it by jumps, or reach its end. No more than a millisecond of work lies between two
/// looks at whether to stop, at [`Node::Look`] and at the end of each round of a loop.
pub(super) type Block = Vec<Step>;

/// An instruction of one packet, and where it comes from.
#[derive(Debug)]
pub(super) struct Step {
    pub(super) node: Node,
    pub(super) at: At,
}

/// What an instruction of one packet does.
#[derive(Debug)]
pub(super) enum Node {
    Op {
        op: Op,
        to: Slot,
        args: [Slot; 3],
    },
    /// `once`: the address is the same in all lanes, read for all at once.
    Load {
        from: Address,
        to: Vec<Slot>,
        once: bool,
    },
    Store {
        to: Address,
        values: Vec<Slot>,
        effect: Slot,
    },
    Atomic {
        at: Address,
        update: Update,
    },
    Counter {
        op: CounterOp,
        view: View,
        effect: Slot,
        to: Slot,
    },
    TexelLoad {
        view: View,
        texel: Texel,
        to: Vec<Slot>,
        once: bool,
    },
    TexelStore {
        view: View,
        texel: Texel,
        values: Vec<Slot>,
        effect: Slot,
    },
    TexelAtomic {
        view: View,
        texel: Texel,
        update: Update,
    },
    Sample {
        sampling: Sampling,
        texture: View,
        sampler: View,
        args: Vec<Slot>,
        to: Vec<Slot>,
        once: bool,
    },
    PacketAll {
        cond: Slot,
        to: Slot,
    },
    QuadRead {
        from: [u8; 4],
        value: Slot,
        to: Slot,
    },
    Query {
        query: Query,
        view: View,
        level: Option<Slot>,
        to: Vec<Slot>,
        once: bool,
    },
    If {
        cond: Slot,
        then_block: Block,
        else_block: Block,
    },
    Loop {
        target: Target,
        inits: Moves,
        body: Block,
    },
    Switch {
        target: Target,
        selector: Slot,
        arms: Arms<Block>,
    },
    /// Stops if the host asks for it.
    Look,
    /// Nothing that anybody but an observer sees.
    Pass,
    /// The end of the block is reached; a jump of the whole group does the same, since the group's region says where
    /// it leads.
    End(Moves),
    Break {
        target: Target,
        moves: Moves,
    },
    Continue {
        target: Target,
        moves: Moves,
    },
    Return,
}

impl Node {
    /// Whether it ends its block.
    pub(super) fn is_jump(&self) -> bool {
        matches!(self, Node::End(_) | Node::Break { .. } | Node::Continue { .. } | Node::Return)
    }

    /// Whether it is an instruction that goes on to the next.
    pub(super) fn is_straight(&self) -> bool {
        !self.is_jump() && !matches!(self, Node::If { .. } | Node::Loop { .. } | Node::Switch { .. } | Node::Look)
    }
}

/// Parallel moves of values.
#[derive(Debug)]
pub(super) struct Moves {
    /// From, to.
    pub(super) pairs: Vec<(Slot, Slot)>,
    /// Some source is written too, so all must be read first.
    pub(super) overlap: bool,
}

impl Moves {
    pub(super) fn new(mut pairs: Vec<(Slot, Slot)>) -> Self {
        pairs.retain(|(from, to)| from != to);
        let mut written: Vec<Slot> = pairs.iter().map(|&(_, to)| to).collect();
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
pub(super) struct View {
    pub(super) id: ResourceId,
    pub(super) element: Element,
}

/// Position in the range.
#[derive(Clone, Copy, Debug)]
pub(super) enum Element {
    Fixed(u32),
    Computed(Slot),
}

/// Coordinates of a texel.
#[derive(Debug)]
pub(super) struct Texel {
    /// Up to three.
    pub(super) coords: Vec<Slot>,
    pub(super) level: Option<Slot>,
}

/// The first word of an access.
#[derive(Debug)]
pub(super) struct Address {
    pub(super) space: Space,
    pub(super) index: Option<Slot>,
    pub(super) offset: Slot,
}

/// The memory that an address refers to.
#[derive(Clone, Copy, Debug)]
pub(super) enum Space {
    View(View),
    Shared(Extent),
    Local(Extent),
    Array(BatchArray),
    Immediate(Extent),
    Curve(Extent),
}

/// An array of the batch.
#[derive(Clone, Copy, Debug)]
pub(super) struct BatchArray {
    /// Which one.
    pub(super) number: usize,
    pub(super) stride_bytes: u32,
}

impl BatchArray {
    /// The elements in an array of `words` words.
    pub(super) fn extent(self, words: usize) -> Extent {
        let count = words as u64 * 4 / u64::from(self.stride_bytes);
        Extent { base: 0, stride_bytes: self.stride_bytes, count: count.min(u32::MAX.into()) as u32 }
    }
}

/// A range of memory that the interpreter owns.
#[derive(Clone, Copy, Debug)]
pub(super) struct Extent {
    /// Its first word.
    pub(super) base: usize,
    pub(super) stride_bytes: u32,
    pub(super) count: u32,
}

impl Extent {
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
    pub(super) value: Slot,
    pub(super) compare: Option<Slot>,
    pub(super) effect: Slot,
    /// Receives the previous word.
    pub(super) to: Slot,
}
