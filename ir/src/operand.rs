//! Defines the parts of instructions: inputs of a thread, memory references, and the operations on memory.
//!
//! [`function`](crate::function) has the instructions, and reexports these names.

use std::sync::atomic::{AtomicU32, Ordering};

use crate::entity::{ArrayId, LocalId, ResourceId, SharedId, Value};
use crate::named::named;

/// A property that a thread can query about itself.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum Input {
    /// `vThreadID`, component 0 to 2.
    ThreadId(u8),
    /// `vThreadGroupID`, component 0 to 2.
    GroupId(u8),
    /// `vThreadIDInGroup`, component 0 to 2.
    ThreadIdInGroup(u8),
    /// `vThreadIDInGroupFlattened`.
    ThreadIndex,
    /// The number of groups of the dispatch along an axis, 0 to 2.
    GroupCount(u8),
}

/// One resource of a declared range.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ResourceRef {
    /// The range.
    pub id: ResourceId,
    /// The register, counted from the range's first; a computed one out of range acts as unbound.
    pub element: Element,
}

/// Position within a declared range.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Element {
    /// Known from the bytecode.
    Fixed(u32),
    /// Computed, an `i32`.
    Computed(Value),
}

/// Memory addressed in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Object {
    /// A constant buffer, raw or structured view.
    Resource(ResourceRef),
    /// Thread-group shared memory.
    Shared(SharedId),
    /// A private array; an element is a vector of 4 words.
    Local(LocalId),
    /// An array of the batch.
    Array(ArrayId),
    /// The immediate constant buffer; an element is a vector of 16 bytes.
    Immediate,
    /// The sRGB curve, [`srgb::CURVE`](crate::srgb::CURVE): a word for each code in either table.
    Curve,
}

/// A reference to memory: element `index` of the object and a byte offset in it.
///
/// The stride comes from the object's declaration (16 for constant buffers, `icb` and `x#`). Raw objects have no index.
/// The index is checked first, then each word's offset against the element (raw: against the whole object). A word out
/// of range reads 0 and drops writes. The low two bits of the offset are ignored. Nothing wraps.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct MemoryRef {
    /// The object that is addressed.
    pub object: Object,
    /// Element, an `i32` taken as unsigned; `None` for raw objects.
    pub index: Option<Value>,
    /// Byte offset, an `i32` taken as unsigned.
    pub offset: Value,
}

named! {
    /// Read-modify-write operations on one word.
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
    pub enum AtomicOp {
        /// Sum, wrapping.
        Add = "add",
        /// Bitwise and.
        And = "and",
        /// Bitwise or.
        Or = "or",
        /// Bitwise exclusive or.
        Xor = "xor",
        /// Signed maximum.
        SMax = "smax",
        /// Signed minimum.
        SMin = "smin",
        /// Unsigned maximum.
        UMax = "umax",
        /// Unsigned minimum.
        UMin = "umin",
        /// Replace.
        Exchange = "exchange",
        /// Replace if equal to the comparand.
        CompareExchange = "compare_exchange",
    }
}

impl AtomicOp {
    /// The new word in memory.
    pub fn apply(self, old: u32, value: u32, compare: u32) -> u32 {
        match self {
            AtomicOp::Add => old.wrapping_add(value),
            AtomicOp::And => old & value,
            AtomicOp::Or => old | value,
            AtomicOp::Xor => old ^ value,
            AtomicOp::SMax => (old as i32).max(value as i32) as u32,
            AtomicOp::SMin => (old as i32).min(value as i32) as u32,
            AtomicOp::UMax => old.max(value),
            AtomicOp::UMin => old.min(value),
            AtomicOp::Exchange => value,
            AtomicOp::CompareExchange if old == compare => value,
            AtomicOp::CompareExchange => old,
        }
    }

    /// Atomically changes a word; returns the previous one.
    pub fn change(self, word: &AtomicU32, value: u32, compare: u32) -> u32 {
        let order = Ordering::Relaxed;
        match self {
            AtomicOp::Add => word.fetch_add(value, order),
            AtomicOp::And => word.fetch_and(value, order),
            AtomicOp::Or => word.fetch_or(value, order),
            AtomicOp::Xor => word.fetch_xor(value, order),
            AtomicOp::UMax => word.fetch_max(value, order),
            AtomicOp::UMin => word.fetch_min(value, order),
            AtomicOp::Exchange => word.swap(value, order),
            AtomicOp::CompareExchange => {
                word.compare_exchange(compare, value, order, order).unwrap_or_else(|before| before)
            }
            AtomicOp::SMax | AtomicOp::SMin => word.update(order, order, |old| self.apply(old, value, compare)),
        }
    }
}

named! {
    /// Operations on a view's hidden counter.
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
    pub enum CounterOp {
        /// Increment, gives the value before.
        Alloc = "alloc",
        /// Decrement, gives the value after.
        Consume = "consume",
    }
}

named! {
    /// Queries of a view. Each returns four `i32`.
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
    pub enum Query {
        /// `bufinfo`: elements of a typed or structured buffer, bytes of a raw one, replicated.
        BufferSize = "buffer_size",
        /// `resinfo`: width, height, depth or layers, mip count, as integers; zeros (except for the mip count) if the
        /// level does not exist; dimensions that the resource lacks are 0.
        TextureSize = "texture_size",
        /// `sampleinfo`: samples, 0, 0, 0.
        SampleCount = "sample_count",
        /// `samplepos`: the position of the sample that the level operand names, as the bits of two floats and zeros:
        /// along x and y, from the texel's center. Zeros if there is no such sample.
        SamplePosition = "sample_position",
        /// For a view whose texels code accesses directly, of its most detailed level: width, height, depth or layers,
        /// and the slice pitch in texels. Never used by shaders.
        Layout = "layout",
    }
}

impl Query {
    /// The queries that shaders use.
    pub const OF_SHADERS: [Query; 4] =
        [Query::BufferSize, Query::TextureSize, Query::SampleCount, Query::SamplePosition];

    /// `true` if its level operand is used.
    pub fn takes_level(self) -> bool {
        match self {
            Query::TextureSize | Query::SamplePosition => true,
            Query::BufferSize | Query::SampleCount | Query::Layout => false,
        }
    }
}

/// The memories that a barrier orders, and the threads that it waits for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Sync {
    /// All threads of the group arrive before any continues.
    pub threads: bool,
    /// Orders shared memory.
    pub shared: bool,
    /// Orders views within the group.
    pub views_group: bool,
    /// Orders views across the dispatch.
    pub views_global: bool,
}

impl Sync {
    /// `true` if it orders accesses to views.
    pub fn orders_views(&self) -> bool {
        self.views_group || self.views_global
    }
}
