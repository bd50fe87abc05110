//! Defines the helpers: runtime functions that compiled code calls, most of which call the host.

use std::mem::offset_of;
use std::panic::AssertUnwindSafe;

use brolga_ir::entity::{MessageId, ResourceId};
use brolga_ir::float;
use brolga_ir::function::{AtomicOp, CounterOp, Origin, Query};
use brolga_ir::host::{Host, TexelCall, ViewSlot};
use brolga_ir::message::{MOST_MESSAGE_WORDS, SENDER_WORDS};
use brolga_ir::sampling::{Elements, Row, SampleCall};

use super::{ABORTED, Call, CallRow, Context, INTERNAL, Operands, SampleForm, SampleLanes};
use crate::{FloatGuard, FloatMode};

/// A helper: context, resource number, operation number, origin. Returns nonzero if it set a fault.
pub type Helper = unsafe extern "C" fn(*mut Context, u32, u32, u32) -> u32;

/// Addresses of the helpers, called by position.
#[repr(C)]
#[derive(Debug)]
pub struct Helpers {
    texel_load: Helper,
    texel_store: Helper,
    texel_atomic: Helper,
    query: Helper,
    counter: Helper,
    sample: Helper,
    ffma: Helper,
    dfma: Helper,
    access: Helper,
    message: Helper,
    pub(super) suspicion: Helper,
}

/// Identifies a helper.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum HelperId {
    TexelLoad,
    TexelStore,
    TexelAtomic,
    Query,
    Counter,
    Sample,
    Ffma,
    Dfma,
    Access,
    Message,
}

impl HelperId {
    /// Offset of its address in [`Helpers`].
    pub fn offset(self) -> i32 {
        (match self {
            HelperId::TexelLoad => offset_of!(Helpers, texel_load),
            HelperId::TexelStore => offset_of!(Helpers, texel_store),
            HelperId::TexelAtomic => offset_of!(Helpers, texel_atomic),
            HelperId::Query => offset_of!(Helpers, query),
            HelperId::Counter => offset_of!(Helpers, counter),
            HelperId::Sample => offset_of!(Helpers, sample),
            HelperId::Ffma => offset_of!(Helpers, ffma),
            HelperId::Dfma => offset_of!(Helpers, dfma),
            HelperId::Access => offset_of!(Helpers, access),
            HelperId::Message => offset_of!(Helpers, message),
        }) as i32
    }
}

/// The helpers that call a host of this type.
pub fn helpers<H: Host>() -> &'static Helpers {
    const {
        &Helpers {
            texel_load: texel_load::<H>,
            texel_store: texel_store::<H>,
            texel_atomic: texel_atomic::<H>,
            query: query::<H>,
            counter: counter::<H>,
            sample: sample::<H>,
            ffma,
            dfma,
            access: super::access::access,
            message: message::<H>,
            suspicion: suspicion::<H>,
        }
    }
}

/// The number of an operation as compiled code passes it: its position in the list of all of them.
pub(crate) fn number_of<T: PartialEq>(all: &[T], operation: &T) -> u32 {
    all.iter().position(|other| other == operation).expect("the list has every operation") as u32
}

/// Operations on hidden counters.
pub(crate) const COUNTER_OPS: [CounterOp; 2] = [CounterOp::Alloc, CounterOp::Consume];

/// Runs the body of a helper in the default float mode; a panic becomes a fault.
///
/// # Safety
/// `context` is the caller's own (C), set up as A and B say, with a host of type `H`.
unsafe fn guarded<H: Host>(context: *mut Context, origin: u32, body: impl FnOnce(&H, &mut Call)) -> u32 {
    let _mode = FloatGuard::new(FloatMode::Default);
    // SAFETY: as the caller says.
    unsafe { caught(context, origin, body) }
}

/// The same in the float mode of the compiled code.
///
/// # Safety
/// As for [`guarded`].
unsafe fn caught<H: Host>(context: *mut Context, origin: u32, body: impl FnOnce(&H, &mut Call)) -> u32 {
    // SAFETY: compiled code passes its own context (C), which nothing else accesses while it runs (B).
    let context = unsafe { &mut *context };
    // SAFETY: the runtime pairs `host` with the helpers of its type (B).
    let host = unsafe { &*context.host.cast::<H>() };
    let call = &mut context.call;
    if std::panic::catch_unwind(AssertUnwindSafe(|| body(host, call))).is_err() {
        context.fault_kind = INTERNAL;
        context.fault_origin = origin;
    }
    context.fault_kind
}

/// Calls `lane` for the active lanes, in increasing order, and stores their results; the others get zeros.
fn each_lane(call: &mut Call, mut lane: impl FnMut(Operands<'_>, usize) -> [u32; 4]) {
    let (operands, results) = call.split();
    let mask = operands.row(CallRow::Mask);
    for (n, &is_active) in mask.iter().enumerate() {
        let words = if is_active != 0 { lane(operands, n) } else { [0; 4] };
        for (row, word) in results.chunks_exact_mut(mask.len()).zip(words) {
            row[n] = word;
        }
    }
}

fn slot(resource: u32, operands: Operands<'_>, lane: usize) -> ViewSlot {
    ViewSlot { id: ResourceId::new(resource as usize), element: operands.row(CallRow::Element)[lane] }
}

fn texels(resource: u32, operands: Operands<'_>) -> TexelCall<'_> {
    TexelCall {
        id: ResourceId::new(resource as usize),
        elements: operands.row(CallRow::Element),
        mask: operands.row(CallRow::Mask),
        coords: [0, 1, 2].map(|n| operands.row(CallRow::Coord(n))),
    }
}

fn level(operands: Operands<'_>, lane: usize) -> u32 {
    operands.row(CallRow::Level)[lane]
}

fn coords(operands: Operands<'_>, lane: usize) -> [u32; 3] {
    [0, 1, 2].map(|n| operands.row(CallRow::Coord(n))[lane])
}

unsafe extern "C" fn texel_load<H: Host>(context: *mut Context, resource: u32, _: u32, origin: u32) -> u32 {
    // SAFETY: called by compiled code only, with its context (C).
    unsafe {
        guarded::<H>(context, origin, |host, call| {
            let (operands, results) = call.split();
            host.texel_loads(texels(resource, operands), operands.row(CallRow::Level), results);
        })
    }
}

unsafe extern "C" fn texel_store<H: Host>(context: *mut Context, resource: u32, _: u32, origin: u32) -> u32 {
    // SAFETY: called by compiled code only, with its context (C).
    unsafe {
        guarded::<H>(context, origin, |host, call| {
            let operands = call.operands();
            let values = [0, 1, 2, 3].map(|word| operands.row(CallRow::Value(word)));
            host.texel_stores(texels(resource, operands), values);
        })
    }
}

unsafe extern "C" fn texel_atomic<H: Host>(context: *mut Context, resource: u32, code: u32, origin: u32) -> u32 {
    // SAFETY: called by compiled code only, with its context (C).
    unsafe {
        guarded::<H>(context, origin, |host, call| {
            let op = AtomicOp::ALL[code as usize];
            each_lane(call, |rows, n| {
                let (value, compare) = (rows.row(CallRow::Value(0))[n], rows.row(CallRow::Compare)[n]);
                [host.texel_atomic(op, slot(resource, rows, n), coords(rows, n), value, compare), 0, 0, 0]
            });
        })
    }
}

unsafe extern "C" fn query<H: Host>(context: *mut Context, resource: u32, code: u32, origin: u32) -> u32 {
    // SAFETY: called by compiled code only, with its context (C).
    unsafe {
        caught::<H>(context, origin, |host, call| {
            let query = Query::ALL[code as usize];
            // Lanes mostly ask the same.
            let mut last = (None, [0; 4]);
            each_lane(call, |rows, n| {
                let asked = (slot(resource, rows, n), level(rows, n));
                if last.0 != Some(asked) {
                    last = (Some(asked), host.query(query, asked.0, asked.1));
                }
                last.1
            });
        })
    }
}

unsafe extern "C" fn counter<H: Host>(context: *mut Context, resource: u32, code: u32, origin: u32) -> u32 {
    // SAFETY: called by compiled code only, with its context (C).
    unsafe {
        caught::<H>(context, origin, |host, call| {
            let op = COUNTER_OPS[code as usize];
            each_lane(call, |rows, n| [host.counter(op, slot(resource, rows, n)), 0, 0, 0]);
        })
    }
}

/// Sends a message of so many words, or, of 0 words, aborts if a lane performs it.
unsafe extern "C" fn message<H: Host>(context: *mut Context, message: u32, count: u32, origin: u32) -> u32 {
    if count == 0 {
        // SAFETY: compiled code passes its own context (C), which nothing else accesses while it runs (B).
        let context = unsafe { &mut *context };
        if context.call.operands().row(CallRow::Mask).iter().all(|&word| word == 0) {
            return context.fault_kind;
        }
        (context.fault_kind, context.fault_origin) = (ABORTED, origin);
        return ABORTED;
    }
    // SAFETY: called by compiled code only, with its context (C).
    unsafe {
        guarded::<H>(context, origin, |host, call| {
            let operands = call.operands();
            let rows = operands.rows(CallRow::Arg(0), count as usize);
            for lane in (0..call.lanes).filter(|&lane| operands.row(CallRow::Mask)[lane] != 0) {
                let mut words = [0; SENDER_WORDS + MOST_MESSAGE_WORDS];
                words.iter_mut().zip(rows.iter()).for_each(|(word, row)| *word = row[lane]);
                host.message(MessageId::new(message as usize), Origin(origin), &words[..count as usize]);
            }
        })
    }
}

/// Sends a probe's message: something is suspected of some thread.
unsafe extern "C" fn suspicion<H: Host>(context: *mut Context, message: u32, _: u32, origin: u32) -> u32 {
    // SAFETY: called for a context that compiled code has just run with (B).
    unsafe {
        guarded::<H>(context, origin, |host, _| host.message(MessageId::new(message as usize), Origin(origin), &[0]))
    }
}

unsafe extern "C" fn sample<H: Host>(context: *mut Context, resource: u32, code: u32, origin: u32) -> u32 {
    // SAFETY: called by compiled code only, with its context (C).
    unsafe {
        caught::<H>(context, origin, |host, call| {
            let form = SampleForm::decode(code);
            let (lanes, left, sampler) = (call.lanes, call.left, ResourceId::new(call.sampler_range as usize));
            let (operands, results) = call.split();
            let row = |row| operands.row(row);
            host.sample(SampleCall {
                sampling: form.sampling,
                texture: (ResourceId::new(resource as usize), elements(form.same_texture, row(CallRow::Element))),
                sampler: (sampler, elements(form.same_sampler, row(CallRow::Sampler))),
                lanes: match form.lanes {
                    SampleLanes::All => u64::MAX >> (u64::BITS as usize - lanes),
                    SampleLanes::First => 1,
                    SampleLanes::Masked => lanes_of(row(CallRow::Mask)),
                    SampleLanes::Left => left,
                },
                args: operands.rows(CallRow::Arg(0), form.args),
                results,
            });
        })
    }
}

/// Fused multiply and add of floats, which come and go as doubles, on processors without the instruction.
unsafe extern "C" fn ffma(context: *mut Context, _: u32, _: u32, _: u32) -> u32 {
    let fused = |operands: [f64; 3]| {
        let [a, b, c] = operands.map(|x| x as f32);
        f64::from(float::fma(a, b, c))
    };
    // SAFETY: called by compiled code only, with its own context (C).
    unsafe { fuse_lanes(context, fused) };
    0
}

/// The same of doubles.
unsafe extern "C" fn dfma(context: *mut Context, _: u32, _: u32, _: u32) -> u32 {
    // SAFETY: likewise.
    unsafe { fuse_lanes(context, |[a, b, c]| a.mul_add(b, c)) };
    0
}

/// Computes a pure function of three doubles in every lane.
///
/// # Safety
/// `context` is the caller's own (C).
unsafe fn fuse_lanes(context: *mut Context, compute: impl Fn([f64; 3]) -> f64) {
    // SAFETY: as the caller says.
    let context = unsafe { &mut *context };
    let _mode = FloatGuard::new(FloatMode::Default);
    let call = &mut context.call;
    for n in 0..call.lanes {
        let operands = [0, 1, 2].map(|operand| {
            let [low, high] = *call.double(CallRow::Wide(operand), n);
            f64::from_bits(u64::from(high) << 32 | u64::from(low))
        });
        let bits = compute(operands).to_bits();
        *call.double(CallRow::WideResult, n) = [bits as u32, (bits >> 32) as u32];
    }
}

#[inline]
fn elements(is_same: bool, row: Row<'_>) -> Elements<'_> {
    if is_same { Elements::Same(row[0]) } else { Elements::Own(row) }
}

/// The lanes whose words are not zero. Read in pieces no larger than they were written in: a read that spans two writes
/// defeats store forwarding.
#[inline]
fn lanes_of(mask: Row<'_>) -> u64 {
    let pairs = mask.chunks_exact(2).map(|pair| {
        // SAFETY: two words of a row, read where they are.
        let both = unsafe { std::ptr::from_ref(&pair[0]).cast::<u64>().read_volatile() };
        u64::from(both as u32 != 0) | u64::from(both >> 32 != 0) << 1
    });
    pairs.enumerate().fold(0, |set, (n, pair)| set | pair << (2 * n))
}
