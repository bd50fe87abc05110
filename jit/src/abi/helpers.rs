//! The helpers: what compiled code asks the host for, or has done for it.

use std::mem::offset_of;
use std::panic::AssertUnwindSafe;

use brolga_ir::entity::ResourceId;
use brolga_ir::function::{AtomicOp, CounterOp, Query};
use brolga_ir::host::{Host, ViewSlot};
use brolga_ir::sampling::{Elements, SampleCall};

use super::{Call, Context, INTERNAL, Row, SampleForm, SampleLanes};
use crate::mxcsr::{FloatGuard, FloatMode};

/// A helper: context, resource number, operation number, origin. Gives non-zero if it set a fault.
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
    dfma: Helper,
    access: Helper,
}

/// Which helper.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum HelperId {
    TexelLoad,
    TexelStore,
    TexelAtomic,
    Query,
    Counter,
    Sample,
    Dfma,
    Access,
}

impl HelperId {
    /// Where its address is in [`Helpers`].
    pub fn offset(self) -> i32 {
        (match self {
            HelperId::TexelLoad => offset_of!(Helpers, texel_load),
            HelperId::TexelStore => offset_of!(Helpers, texel_store),
            HelperId::TexelAtomic => offset_of!(Helpers, texel_atomic),
            HelperId::Query => offset_of!(Helpers, query),
            HelperId::Counter => offset_of!(Helpers, counter),
            HelperId::Sample => offset_of!(Helpers, sample),
            HelperId::Dfma => offset_of!(Helpers, dfma),
            HelperId::Access => offset_of!(Helpers, access),
        }) as i32
    }
}

/// The helpers that ask a host of this type.
pub fn helpers<H: Host>() -> &'static Helpers {
    const {
        &Helpers {
            texel_load: texel_load::<H>,
            texel_store: texel_store::<H>,
            texel_atomic: texel_atomic::<H>,
            query: query::<H>,
            counter: counter::<H>,
            sample: sample::<H>,
            dfma,
            access: super::access::access,
        }
    }
}

/// The number of a query as compiled code passes it.
pub(crate) fn query_number(query: Query) -> u32 {
    match query {
        Query::BufferSize => 0,
        Query::TextureSize => 1,
        Query::SampleCount => 2,
        Query::SamplePosition => 3,
        Query::Layout => 4,
    }
}

/// The number of a counter operation as compiled code passes it.
pub(crate) fn counter_number(op: CounterOp) -> u32 {
    match op {
        CounterOp::Alloc => 0,
        CounterOp::Consume => 1,
    }
}

/// Runs the body of a helper in the default float mode; a panic becomes a fault.
///
/// # Safety
/// `context` is the caller's own (C), set up as A and B say, with a host of type `H`.
unsafe fn guarded<H: Host>(context: *mut Context, origin: u32, body: impl FnOnce(&H, usize, &mut Call)) -> u32 {
    let _mode = FloatGuard::new(FloatMode::Default);
    // SAFETY: as the caller says.
    unsafe { caught(context, origin, body) }
}

/// The same in the float mode of the compiled code.
///
/// # Safety
/// As for [`guarded`].
unsafe fn caught<H: Host>(context: *mut Context, origin: u32, body: impl FnOnce(&H, usize, &mut Call)) -> u32 {
    // SAFETY: compiled code passes its own context (C), which nothing else touches while it runs (B).
    let context = unsafe { &mut *context };
    // SAFETY: the runtime pairs `host` with the helpers of its type (B).
    let host = unsafe { &*context.host.cast::<H>() };
    let (lanes, call) = (context.lanes_per_packet as usize, &mut context.call);
    if std::panic::catch_unwind(AssertUnwindSafe(|| body(host, lanes, call))).is_err() {
        context.fault_kind = INTERNAL;
        context.fault_origin = origin;
    }
    context.fault_kind
}

/// Calls `lane` for the lanes that take part, in increasing order, and keeps their results; the others get zeros.
fn each_lane(lanes: usize, call: &mut Call, mut lane: impl FnMut(&Call, usize) -> [u32; 4]) {
    for n in 0..lanes {
        let words = if call.mask[n] != 0 { lane(call, n) } else { [0; 4] };
        for (row, word) in call.results.iter_mut().zip(words) {
            row[n] = word;
        }
    }
}

fn slot(resource: u32, call: &Call, lane: usize) -> ViewSlot {
    ViewSlot { id: ResourceId::new(resource as usize), element: call.element[lane] }
}

fn coords(call: &Call, lane: usize) -> [u32; 3] {
    call.coords.each_ref().map(|row| row[lane])
}

unsafe extern "C" fn texel_load<H: Host>(context: *mut Context, resource: u32, _: u32, origin: u32) -> u32 {
    // SAFETY: called by compiled code only, with its context (C).
    unsafe {
        guarded::<H>(context, origin, |host, lanes, call| {
            each_lane(lanes, call, |call, n| host.texel_load(slot(resource, call, n), coords(call, n), call.level[n]));
        })
    }
}

unsafe extern "C" fn texel_store<H: Host>(context: *mut Context, resource: u32, _: u32, origin: u32) -> u32 {
    // SAFETY: called by compiled code only, with its context (C).
    unsafe {
        guarded::<H>(context, origin, |host, lanes, call| {
            each_lane(lanes, call, |call, n| {
                let words = call.values.each_ref().map(|row| row[n]);
                host.texel_store(slot(resource, call, n), coords(call, n), words);
                [0; 4]
            });
        })
    }
}

unsafe extern "C" fn texel_atomic<H: Host>(context: *mut Context, resource: u32, code: u32, origin: u32) -> u32 {
    // SAFETY: called by compiled code only, with its context (C).
    unsafe {
        guarded::<H>(context, origin, |host, lanes, call| {
            let op = AtomicOp::ALL[code as usize];
            each_lane(lanes, call, |call, n| {
                let (value, compare) = (call.values[0][n], call.compare[n]);
                [host.texel_atomic(op, slot(resource, call, n), coords(call, n), value, compare), 0, 0, 0]
            });
        })
    }
}

unsafe extern "C" fn query<H: Host>(context: *mut Context, resource: u32, code: u32, origin: u32) -> u32 {
    // SAFETY: called by compiled code only, with its context (C).
    unsafe {
        guarded::<H>(context, origin, |host, lanes, call| {
            let query = Query::ALL[code as usize];
            each_lane(lanes, call, |call, n| host.query(query, slot(resource, call, n), call.level[n]));
        })
    }
}

unsafe extern "C" fn counter<H: Host>(context: *mut Context, resource: u32, code: u32, origin: u32) -> u32 {
    // SAFETY: called by compiled code only, with its context (C).
    unsafe {
        guarded::<H>(context, origin, |host, lanes, call| {
            let op = if code == 0 { CounterOp::Alloc } else { CounterOp::Consume };
            each_lane(lanes, call, |call, n| [host.counter(op, slot(resource, call, n)), 0, 0, 0]);
        })
    }
}

unsafe extern "C" fn sample<H: Host>(context: *mut Context, resource: u32, code: u32, origin: u32) -> u32 {
    // SAFETY: called by compiled code only, with its context (C).
    unsafe {
        caught::<H>(context, origin, |host, lanes, call| {
            let form = SampleForm::decode(code);
            let texture = elements(form.same_texture, &call.element);
            let sampler = elements(form.same_sampler, &call.sampler);
            host.sample(SampleCall {
                sampling: &form.sampling,
                texture: (ResourceId::new(resource as usize), texture),
                sampler: (ResourceId::new(call.sampler_range as usize), sampler),
                lanes: match form.lanes {
                    SampleLanes::All => u32::MAX >> (32 - lanes),
                    SampleLanes::First => 1,
                    SampleLanes::Masked => lanes_of(&call.mask, lanes),
                },
                args: &call.args[..form.args],
                results: &mut call.results,
            });
        })
    }
}

/// Fused multiply and add on processors without the instruction. Every lane takes part: the operation is pure.
unsafe extern "C" fn dfma(context: *mut Context, _: u32, _: u32, _: u32) -> u32 {
    // SAFETY: called by compiled code only, with its own context (C).
    let context = unsafe { &mut *context };
    let _mode = FloatGuard::new(FloatMode::Default);
    let call = &mut context.call;
    for n in 0..context.lanes_per_packet as usize {
        let [a, b, c] = call.wide.each_ref().map(|row| f64::from_bits(row[n]));
        call.wide_result[n] = a.mul_add(b, c).to_bits();
    }
    0
}

fn elements(is_same: bool, row: &Row) -> Elements<'_> {
    if is_same { Elements::Same(row[0]) } else { Elements::Own(row) }
}

/// The lanes whose words are not zero. Read in pieces that were written as such or in larger ones: what is read at once
/// and was written in two pieces has to wait for memory.
fn lanes_of(mask: &Row, lanes: usize) -> u32 {
    let pairs = mask[..lanes].chunks_exact(2).map(|pair| {
        // SAFETY: two words of a row, read where they are.
        let both = unsafe { std::ptr::from_ref(&pair[0]).cast::<u64>().read_volatile() };
        u32::from(both as u32 != 0) | u32::from(both >> 32 != 0) << 1
    });
    pairs.enumerate().fold(0, |set, (n, pair)| set | pair << (2 * n))
}

/// The number of an atomic operation as compiled code passes it.
pub(crate) fn atomic_number(op: AtomicOp) -> u32 {
    AtomicOp::ALL.iter().position(|&other| other == op).expect("the list has every operation") as u32
}
