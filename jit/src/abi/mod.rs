//! Defines the records that compiled code, its helpers and the runtime share.
//!
//! | file | contents |
//! |---|---|
//! | `access.rs` | the helper for memory accesses |
//! | `form.rs` | the immediate operand of a sample call |
//! | `helpers.rs` | the helper table and the other helpers |
//! | `worker.rs` | a worker's arena and the table of thread indices |
//!
//! Compiled code takes one argument, a pointer to a [`Context`], and reaches everything from there: there are no
//! relocations and no symbols. The runtime fills in the public records, one `Context` per worker, and keeps what they
//! point to alive and at the same address while a group runs.
//!
//! Guarantees (`SAFETY` comments refer to them by letter):
//! * **A, the runtime**: `ranges` has a [`Range`] for every declared resource in declaration order, each with at least
//!   the declared number of views (an unbound one is [`View::UNBOUND`]); a view's `base` is valid for `size_bytes` and
//!   aligned to 4; a structured view holds `count` elements of the declared stride, and a view whose texels the code
//!   reads directly holds `count` texels of the size it was compiled for; neither the count nor the size of a raw view
//!   exceeds [`MOST_NAMED`], the most that 32-bit numbers can address; a constant buffer has at least the declared
//!   number of vectors in `count`, zero-padded, or is [`View::UNBOUND`]; `counter` is null or a valid, aligned word.
//!   Memory of unordered access views may change at any time: only raw pointers and atomics touch it.
//! * **B, the runtime**: `host` points to the `H` whose `helpers::<H>()` the context carries; `samples` has an entry
//!   for each kind of sample that the function declares, whose code may be called with the data it names; `stop` is
//!   valid; `arena` is valid for the size and alignment that [`Compiled::arena_layout`](crate::Compiled::arena_layout)
//!   asks for, and belongs to this context alone.
//! * **C, compiled code**: calls helpers with its own context and a resource number it was compiled for, and the
//!   functions in `samples` with the rows of its own context; writes the operand rows that either reads; loads and
//!   stores only addresses it has checked against A and B.

mod access;
mod form;
mod helpers;
mod worker;

use std::mem::offset_of;
use std::ptr;
use std::sync::atomic::{AtomicU32, AtomicU64};

use brolga_ir::batch::ArrayWords;
use brolga_ir::entity::ArrayId;
use brolga_ir::function::Origin;
use brolga_ir::host::{Fault, FaultKind};
use brolga_ir::interface::{Array, MOST_ARRAYS};
use brolga_ir::message::{MOST_MESSAGE_WORDS, SENDER_WORDS};
use brolga_ir::sampling::{MOST_SAMPLE_ARGS, Row, Rows, SampleEntry};
use brolga_ir::span::Span;
use brolga_ir::srgb::CURVE;
use brolga_ir::width::MAX_LANES;

pub(crate) use access::{AccessForm, AccessWork, AreaForm, AreaRecord};
pub(crate) use form::{SampleForm, SampleLanes};
pub(crate) use helpers::{COUNTER_OPS, HelperId, number_of};
pub use helpers::{Helper, Helpers, helpers};
pub use worker::ArenaLayout;
pub(crate) use worker::{ThreadRow, VoteRows};

/// Bytes of the block of zeros that stands in for an unbound constant buffer: the largest size that Direct3D allows.
pub const ZERO_BYTES: usize = 65536;

/// The target of an unbound view. Never written; atomics keep it out of the file.
#[repr(C, align(64))]
struct Zeroes([AtomicU64; ZERO_BYTES / 8]);

static ZEROES: Zeroes = Zeroes([const { AtomicU64::new(0) }; ZERO_BYTES / 8]);

/// Elements of a structured view, or bytes of a raw one, that 32-bit numbers can address.
pub const MOST_NAMED: u64 = 1 << 32;

/// One bound view. Samplers, and texels whose format the code was not compiled for, are accessed through helpers and
/// stay unbound here.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct View {
    /// First byte.
    pub base: *mut u8,
    /// Bytes of the view, at most [`MOST_NAMED`].
    pub size_bytes: u64,
    /// Elements of a structured view, at most [`MOST_NAMED`]; vectors of a constant buffer; texels at `base`, if code
    /// accesses them directly.
    pub count: u64,
    /// The hidden counter, null if there is none.
    pub counter: *mut u32,
    /// Layout of texels that code accesses directly: width, height, depth or layers, and the slice pitch in texels.
    pub layout: [u32; 4],
    /// Result of a query of a buffer's size, or of a texture's at its first mip level.
    pub size: [u32; 4],
}

impl View {
    /// An empty view. A constant buffer read at a static index finds zeros here.
    pub const UNBOUND: View = View {
        base: (&raw const ZEROES) as *mut u8,
        size_bytes: 0,
        count: 0,
        counter: ptr::null_mut(),
        layout: [0; 4],
        size: [0; 4],
    };
}

/// The views of one declared range.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Range {
    /// The first register's view.
    pub views: *const View,
    /// Number of views.
    pub count: u32,
}

/// An array of a batch.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(crate) struct ArrayRecord {
    /// The first element.
    pub base: *mut u32,
    /// Elements.
    pub count: u64,
}

impl ArrayRecord {
    /// An array without elements.
    pub const EMPTY: Self = Self { base: (&raw const ZEROES) as *mut u32, count: 0 };

    /// The elements that words hold.
    pub fn of(words: &mut ArrayWords<'_>, declared: &Array) -> Self {
        let count = words.words().len() as u64 * 4 / u64::from(declared.stride_bytes);
        let base = match words {
            ArrayWords::Write(words) => words.as_mut_ptr(),
            ArrayWords::Read(words) => {
                assert!(!declared.is_written, "an array that is written is not given to be read");
                words.as_ptr().cast_mut()
            }
        };
        Self { base, count: count.min(MOST_NAMED) }
    }
}

/// A row of a helper call: a word for each lane of the packet, two for values of 64 bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum CallRow {
    /// All ones in active lanes.
    Mask,
    /// Position of the view in its range.
    Element,
    /// One of three coordinates; unused ones are not read. For an access, the element and the byte in it.
    Coord(usize),
    /// Mip level or sample.
    Level,
    /// One of four words to write; the first is the operand of an atomic.
    Value(usize),
    /// Comparand of a compare-exchange.
    Compare,
    /// One of four words that the helper returns: 0 for inactive lanes, except for samples, which leave them unchanged.
    Result(usize),
    /// Position of the sampler in its range.
    Sampler,
    /// An operand of a sample, or a word of a message.
    Arg(usize),
    /// One of three operands of a helper on doubles.
    Wide(usize),
    /// Result of a helper on doubles.
    WideResult,
}

impl CallRow {
    const RESULTS: usize = 3 + MOST_SAMPLE_ARGS;
    const COUNT: usize = Self::RESULTS + 4;

    /// Its index. Operands that are never passed to the same helper share one.
    const fn number(self) -> usize {
        match self {
            CallRow::Mask => 0,
            CallRow::Element => 1,
            CallRow::Sampler | CallRow::Level => 2,
            CallRow::Arg(n) => 3 + n,
            CallRow::Compare => 3,
            CallRow::Coord(n) => 4 + n,
            CallRow::Value(n) => 7 + n,
            CallRow::Wide(n) => 2 + 2 * n,
            CallRow::WideResult => 8,
            CallRow::Result(n) => Self::RESULTS + n,
        }
    }

    /// Byte offset in the context, for rows of this many bytes.
    pub fn offset(self, row_bytes: u32) -> i32 {
        (offset_of!(Context, call.rows) + self.number() * row_bytes as usize) as i32
    }
}

// As a `SampleFn` expects: operands, followed by the results.
const _: () = assert!(CallRow::Result(0).number() - CallRow::Arg(0).number() == MOST_SAMPLE_ARGS);

/// Operands and results of a helper call.
#[repr(C, align(64))]
#[derive(Clone, Debug)]
pub(crate) struct Call {
    /// The [`CallRow`]s in order, each with a word for every lane of the packets that run.
    rows: [u32; CallRow::COUNT * MAX_LANES],
    /// Threads of a packet; set by [`crate::Compiled`].
    pub lanes: usize,
    /// The range of the sampler.
    pub sampler_range: u32,
    /// The lanes that a [`SampleFn`](brolga_ir::sampling::SampleFn) left.
    pub left: u64,
    /// Memory that lanes access.
    pub area: AreaRecord,
}

impl Call {
    const EMPTY: Self =
        Self { rows: [0; CallRow::COUNT * MAX_LANES], lanes: 0, sampler_range: 0, left: 0, area: AreaRecord::EMPTY };

    /// The rows that a helper reads.
    #[inline]
    pub fn operands(&self) -> Operands<'_> {
        Operands { words: &self.rows, lanes: self.lanes }
    }

    /// The rows that a helper reads, and the four that it writes.
    #[inline]
    pub fn split(&mut self) -> (Operands<'_>, &mut [u32]) {
        let (operands, results) = self.rows.split_at_mut(CallRow::RESULTS * self.lanes);
        (Operands { words: operands, lanes: self.lanes }, &mut results[..4 * self.lanes])
    }

    /// The two words of a lane in a row of doubles.
    fn double(&mut self, row: CallRow, lane: usize) -> &mut [u32; 2] {
        self.rows[row.number() * self.lanes + 2 * lane..].first_chunk_mut().expect("rows are long enough")
    }
}

/// The rows that a helper reads.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Operands<'a> {
    words: &'a [u32],
    lanes: usize,
}

impl<'a> Operands<'a> {
    /// A row.
    #[inline]
    pub fn row(self, row: CallRow) -> Row<'a> {
        &self.words[row.number() * self.lanes..][..self.lanes]
    }

    /// Consecutive rows from the first.
    #[inline]
    pub fn rows(self, first: CallRow, count: usize) -> Rows<'a> {
        Rows::new(&self.words[first.number() * self.lanes..][..count * self.lanes], self.lanes)
    }
}

/// All state that compiled code sees. One for each worker; 64-byte aligned.
#[repr(C, align(64))]
#[derive(Debug)]
pub struct Context {
    /// A range for every declared resource.
    pub ranges: *const Range,
    /// The helper table.
    pub helpers: *const Helpers,
    /// The host that the helpers call.
    pub host: *const (),
    /// Non-zero: stop soon.
    pub stop: *const AtomicU32,
    /// Shared memory, values kept across barriers, private arrays.
    pub arena: *mut u8,
    /// Loop iterations left.
    pub fuel: u64,
    /// `vThreadGroupID` of the first group.
    pub group: [u32; 3],
    /// 0, or the [`fault_number`] of the fault.
    pub fault_kind: u32,
    /// Byte offset of the instruction that faulted.
    pub fault_origin: u32,
    /// Threads of the span; only for shaders whose groups run in spans.
    pub(crate) span_threads: u32,
    /// The table of thread indices, rows of the padded span; set by [`crate::Compiled`].
    pub(crate) threads: *const u32,
    /// The immediate constant buffer; set by [`crate::Compiled`].
    pub(crate) immediate: *const u32,
    /// The sRGB curve.
    pub(crate) curve: *const u32,
    /// The view of a register that is out of range.
    pub(crate) unbound: *const View,
    /// An entry for each of [`Interface::sampled`](brolga_ir::interface::Interface::sampled).
    pub(crate) samples: *const SampleEntry,
    /// `vThreadGroupID` of the threads of the span, component by component; set by [`crate::Compiled`].
    pub(crate) span_groups: *const u32,
    /// First thread of the packet that faulted; only for spans.
    pub(crate) fault_thread: u32,
    /// Puts the rows on cache lines of their own.
    reserved: u32,
    /// Lane numbers 0, 1, 2...
    lanes: [u32; MAX_LANES],
    /// Read by lanes that read nothing. Never written.
    zero: [u32; MAX_LANES],
    /// Written by lanes that write nothing. Never read.
    dump: [u32; MAX_LANES],
    /// The arrays of the batch; set by [`crate::Compiled`].
    pub(crate) arrays: [ArrayRecord; MOST_ARRAYS],
    /// The anchors of large functions (`lower/anchor.rs`).
    anchors: [u64; 16],
    /// A mask that is being moved to other registers.
    anchor_mask: [u32; MAX_LANES],
    /// Operands and results of helpers.
    pub(crate) call: Call,
    /// Storage of `span_groups`.
    group_rows: Vec<u32>,
    /// The number of groups of the dispatch; set by [`crate::Compiled`].
    pub(crate) group_count: [u32; 3],
    /// The [bits](suspicion_bit) of what is suspected, in code that notes that.
    suspected: u64,
}

/// The bit of the n-th instruction that notes suspicions.
pub(crate) fn suspicion_bit(n: usize) -> u64 {
    1 << (n % 64)
}

/// Initial values of a context.
#[derive(Clone, Copy, Debug)]
pub struct Bindings {
    /// A range for every declared resource, in declaration order.
    pub ranges: *const Range,
    /// Helpers for the host's type.
    pub helpers: &'static Helpers,
    /// An entry for each of [`Interface::sampled`](brolga_ir::interface::Interface::sampled).
    pub samples: *const SampleEntry,
    /// The host.
    pub host: *const (),
    /// Non-zero: stop soon.
    pub stop: *const AtomicU32,
    /// This worker's arena.
    pub arena: *mut u8,
    /// Loop iterations that may be run.
    pub fuel: u64,
}

static UNBOUND: UnboundView = UnboundView(View::UNBOUND);

struct UnboundView(View);

// SAFETY: the view is never changed, and it points to a static that is never written.
unsafe impl Sync for UnboundView {}

// SAFETY: a context is a record that may be moved like any other. Its pointers are followed in unsafe calls only, whose
// callers vouch for them (A and B) in the thread they are in.
unsafe impl Send for Context {}

impl Context {
    /// Rebinds a context that is not in use, for any worker and shader.
    pub fn bind(&mut self, bindings: Bindings) {
        let Bindings { ranges, helpers, samples, host, stop, arena, fuel } = bindings;
        (self.ranges, self.helpers, self.samples, self.host) = (ranges, helpers, samples, host);
        (self.stop, self.arena, self.fuel) = (stop, arena, fuel);
    }

    /// A context for one worker.
    pub fn new(bindings: Bindings) -> Box<Self> {
        Box::new(Self {
            ranges: bindings.ranges,
            helpers: bindings.helpers,
            host: bindings.host,
            stop: bindings.stop,
            arena: bindings.arena,
            fuel: bindings.fuel,
            group: [0; 3],
            fault_kind: 0,
            fault_origin: 0,
            span_threads: 0,
            threads: ptr::null(),
            immediate: ptr::null(),
            curve: CURVE.as_flattened().as_ptr(),
            unbound: &UNBOUND.0,
            samples: bindings.samples,
            span_groups: ptr::null(),
            fault_thread: 0,
            reserved: 0,
            lanes: std::array::from_fn(|lane| lane as u32),
            zero: [0; MAX_LANES],
            dump: [0; MAX_LANES],
            arrays: [ArrayRecord::EMPTY; MOST_ARRAYS],
            anchors: [0; 16],
            anchor_mask: [0; MAX_LANES],
            call: Call::EMPTY,
            group_rows: Vec::new(),
            group_count: [1; 3],
            suspected: 0,
        })
    }

    /// `true` if the run has been asked to stop.
    pub(crate) fn is_stopped(&self) -> bool {
        // SAFETY: `stop` is valid while the context is in use (B).
        unsafe { &*self.stop }.load(std::sync::atomic::Ordering::Relaxed) != 0
    }

    /// Records the group of every thread of a span, a row of `row` threads for each component.
    pub(crate) fn note_groups(&mut self, span: &Span, threads_per_group: usize, row: usize) {
        self.group_rows.resize(3 * row, 0);
        for (n, group) in span.positions().enumerate() {
            for (component, id) in group.into_iter().enumerate() {
                let start = component * row + n * threads_per_group;
                self.group_rows[start..start + threads_per_group].fill(id);
            }
        }
        self.span_groups = self.group_rows.as_ptr();
    }

    /// Tells the host which of these instructions noted suspicions in the last run, as the first message.
    ///
    /// # Safety
    /// The helpers and the host are those of the last run, and valid (B).
    #[inline]
    pub(crate) unsafe fn tell_suspicions(&mut self, origins: &[u32]) {
        if self.suspected == 0 {
            return;
        }
        let noted = std::mem::take(&mut self.suspected);
        // SAFETY: as the caller says.
        let suspicion = unsafe { &*self.helpers }.suspicion;
        // Those that share a bit are told as its first.
        for (_, &origin) in (0..64).zip(origins).filter(|&(n, _)| noted & suspicion_bit(n) != 0) {
            // SAFETY: as the caller says.
            unsafe { suspicion(self, 0, 0, origin) };
        }
    }

    /// The first thread that was at the faulting instruction, if groups run in spans.
    pub(crate) fn faulting_thread(&self) -> u32 {
        let lane = self.call.operands().row(CallRow::Mask).iter().position(|&word| word != 0);
        self.fault_thread + lane.unwrap_or(0) as u32
    }

    /// The last word of the sender in the first lane that aborted.
    fn aborted_thread(&self) -> u32 {
        let operands = self.call.operands();
        let lane = operands.row(CallRow::Mask).iter().position(|&word| word != 0);
        operands.row(CallRow::Arg(SENDER_WORDS - 1))[lane.unwrap_or(0)]
    }

    /// The first thread that has not returned, and the first such thread whose vote differs from its own.
    ///
    /// # Safety
    /// The shader that these rows belong to was the last to run with this context.
    pub(crate) unsafe fn disagreeing(&self, rows: &VoteRows) -> [u32; 2] {
        let word = |thread: u32, row: u64| {
            let lanes = self.call.lanes as u32;
            let (packet, lane) = (u64::from(thread / lanes), u64::from(thread % lanes));
            let at = rows.records + packet * rows.record_bytes + row + 4 * lane;
            // SAFETY: the shader's own layout of its arena, which is valid for all of it (B) and at rest now.
            unsafe { self.arena.add(at as usize).cast::<u32>().read() }
        };
        let mut voters = (0..rows.threads).filter(|&thread| rows.alive.is_none_or(|alive| word(thread, alive) != 0));
        let first = voters.next().unwrap_or(0);
        let other = voters.find(|&thread| word(thread, rows.votes) != word(first, rows.votes));
        [first, other.unwrap_or(first)]
    }

    /// Takes the fault of the last run, if there was one. Threads that disagreed about a barrier are not identified
    /// here.
    pub fn take_fault(&mut self) -> Option<Fault> {
        let origin = Origin(self.fault_origin);
        let kind = match std::mem::take(&mut self.fault_kind) {
            0 => return None,
            STOPPED => FaultKind::Stopped,
            OUT_OF_FUEL => FaultKind::OutOfFuel,
            DIVERGENT_BARRIER => FaultKind::DivergentBarrier { threads: [0; 2] },
            ABORTED => FaultKind::Aborted { thread: self.aborted_thread() },
            _ => FaultKind::Internal,
        };
        Some(Fault::new(kind, origin))
    }
}

const STOPPED: u32 = 1;
const OUT_OF_FUEL: u32 = 2;
const DIVERGENT_BARRIER: u32 = 3;
const INTERNAL: u32 = 4;
const ABORTED: u32 = 5;

// A message's words are passed in the rows of a sample's operands.
const _: () = assert!(SENDER_WORDS + MOST_MESSAGE_WORDS <= MOST_SAMPLE_ARGS);

/// The number of a fault in [`Context::fault_kind`].
pub fn fault_number(kind: FaultKind) -> u32 {
    match kind {
        FaultKind::Stopped => STOPPED,
        FaultKind::OutOfFuel => OUT_OF_FUEL,
        FaultKind::DivergentBarrier { .. } => DIVERGENT_BARRIER,
        FaultKind::Aborted { .. } => ABORTED,
        _ => INTERNAL,
    }
}

/// Byte offsets that compiled code uses.
pub(crate) mod offsets {
    use super::*;

    pub const RANGES: i32 = offset_of!(Context, ranges) as i32;
    pub const HELPERS: i32 = offset_of!(Context, helpers) as i32;
    pub const STOP: i32 = offset_of!(Context, stop) as i32;
    pub const ARENA: i32 = offset_of!(Context, arena) as i32;
    pub const FUEL: i32 = offset_of!(Context, fuel) as i32;
    pub const GROUP: i32 = offset_of!(Context, group) as i32;
    pub const GROUP_COUNT: i32 = offset_of!(Context, group_count) as i32;
    pub const FAULT_KIND: i32 = offset_of!(Context, fault_kind) as i32;
    pub const FAULT_ORIGIN: i32 = offset_of!(Context, fault_origin) as i32;
    pub const SPAN_THREADS: i32 = offset_of!(Context, span_threads) as i32;
    pub const SPAN_GROUPS: i32 = offset_of!(Context, span_groups) as i32;
    pub const FAULT_THREAD: i32 = offset_of!(Context, fault_thread) as i32;
    pub const THREADS: i32 = offset_of!(Context, threads) as i32;
    pub const CURVE: i32 = offset_of!(Context, curve) as i32;
    pub const IMMEDIATE: i32 = offset_of!(Context, immediate) as i32;
    pub const UNBOUND: i32 = offset_of!(Context, unbound) as i32;
    pub const LANES: i32 = offset_of!(Context, lanes) as i32;
    pub const ZERO: i32 = offset_of!(Context, zero) as i32;
    pub const SUSPECTED: i32 = offset_of!(Context, suspected) as i32;
    pub const DUMP: i32 = offset_of!(Context, dump) as i32;

    /// Offsets of an array's first byte and of its length.
    pub fn array(id: ArrayId) -> [i32; 2] {
        let record = offset_of!(Context, arrays) + id.index() * size_of::<ArrayRecord>();
        [offset_of!(ArrayRecord, base), offset_of!(ArrayRecord, count)].map(|field| (record + field) as i32)
    }

    pub const ANCHOR_MASK: i32 = offset_of!(Context, anchor_mask) as i32;

    /// Offset of the n-th anchor of a large function.
    pub fn anchor(n: usize) -> i32 {
        (offset_of!(Context, anchors) + n * size_of::<u64>()) as i32
    }

    pub const SAMPLES: i32 = offset_of!(Context, samples) as i32;

    /// Offsets of the two words of an entry.
    pub fn sample_entry(n: usize) -> [i32; 2] {
        let record = n * size_of::<SampleEntry>();
        [offset_of!(SampleEntry, run), offset_of!(SampleEntry, prepared)].map(|field| (record + field) as i32)
    }

    pub const CALL_LEFT: i32 = offset_of!(Context, call.left) as i32;
    pub const CALL_SAMPLER_RANGE: i32 = offset_of!(Context, call.sampler_range) as i32;
    pub const CALL_AREA_BASE: i32 = offset_of!(Context, call.area.base) as i32;
    pub const CALL_AREA_ELEMENTS: i32 = offset_of!(Context, call.area.elements) as i32;
    pub const CALL_AREA_ELEMENT_BYTES: i32 = offset_of!(Context, call.area.element_bytes) as i32;

    pub const RANGE_BYTES: usize = size_of::<Range>();
    pub const RANGE_VIEWS: i32 = offset_of!(Range, views) as i32;
    pub const RANGE_COUNT: i32 = offset_of!(Range, count) as i32;
    pub const VIEW_BYTES: usize = size_of::<View>();
    pub const VIEW_BASE: i32 = offset_of!(View, base) as i32;
    pub const VIEW_SIZE: i32 = offset_of!(View, size_bytes) as i32;
    pub const VIEW_COUNT: i32 = offset_of!(View, count) as i32;
    pub const VIEW_LAYOUT: i32 = offset_of!(View, layout) as i32;
    pub const VIEW_SIZES: i32 = offset_of!(View, size) as i32;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_have_the_documented_layout() {
        assert_eq!((size_of::<View>(), align_of::<View>()), (64, 8));
        assert_eq!([offset_of!(View, base), offset_of!(View, size_bytes), offset_of!(View, count)], [0, 8, 16]);
        assert_eq!([offset_of!(View, counter), offset_of!(View, layout), offset_of!(View, size)], [24, 32, 48]);
        assert_eq!((size_of::<Range>(), offset_of!(Range, views), offset_of!(Range, count)), (16, 0, 8));
        assert_eq!(align_of::<Context>(), 64);
        assert_eq!([offsets::RANGES, offsets::HELPERS, 16, offsets::STOP, offsets::ARENA], [0, 8, 16, 24, 32]);
        assert_eq!([offsets::FUEL, offsets::GROUP, offsets::FAULT_KIND, offsets::FAULT_ORIGIN], [40, 48, 60, 64]);
        let mask = CallRow::Mask.offset(32);
        assert_eq!([offsets::LANES % 64, offsets::ZERO % 64, offsets::DUMP % 64, mask % 64], [0; 4]);
        assert_eq!(CallRow::Result(3).offset(64) - mask, 21 * 64);
        assert_eq!([HelperId::TexelLoad.offset(), HelperId::Ffma.offset()], [0, 48]);
    }

    #[test]
    fn contexts_go_from_thread_to_thread() {
        fn sent<T: Send>() {}
        sent::<Context>();
    }

    #[test]
    fn unbound_views_point_to_aligned_zeros() {
        assert_eq!(View::UNBOUND.base as usize % 64, 0);
        assert!(ZEROES.0.iter().all(|word| word.load(std::sync::atomic::Ordering::Relaxed) == 0));
    }
}
