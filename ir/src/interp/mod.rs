//! Runs a shader on data, one thread group at a time, or one [`Span`] of small ones: the reference for compiled code.
//! An [`Observer`] may watch it ([`Interpreter::run_observed`]).
//!
//! * The threads of a group (or span) form *packets* of consecutive threads (as many as the function's
//!   [`Width`](crate::Width) says), in lockstep: an instruction runs for all active lanes, in increasing order, before
//!   the next one. Threads beyond the end are never active.
//! * Between two waiting barriers the packets run one after the other, in increasing order (see
//!   [`Phases`](crate::phases::Phases)). Control flow that holds a barrier runs once for the group; threads that
//!   disagree about it stop the run. Threads that returned count as arrived.
//! * Where lanes of a packet diverge at an `if`, the first arm runs first; arms of a switch run in order, the default
//!   last. A loop runs while a lane is in it.
//! * A load whose address is packet-uniform reads once for the packet, so that a race cannot make lanes differ.
//! * Shared memory and private arrays are zero when a group starts.
//!
//! Numbers are those of [`Op::eval`](crate::ops::Op::eval), which assumes that the processor neither flushes denormals
//! nor rounds otherwise than to nearest: the caller ensures that.
//!
//! | file | content |
//! |---|---|
//! | `code.rs` | the flattened form of a function |
//! | `flatten.rs` | converts a function to it |
//! | `arena.rs` | the memory of a running group |
//! | `packet.rs` | runs one packet through one segment |
//! | `memory.rs` | its accesses to memory and views |
//! | `group.rs` | takes all packets of a group or span through the segments |
//! | `observe.rs` | observing a run |

mod arena;
mod code;
mod flatten;
mod group;
mod memory;
mod observe;
mod packet;
#[cfg(test)]
mod tests;

pub use arena::Arena;
pub use code::At;
pub use observe::{Access, Observer, Packet};

use crate::batch::ArrayWords;
use crate::function::Origin;
use crate::host::{Fault, FaultKind, Host};
use crate::span::{Packing, Span};
use crate::verify::VerifiedFunction;
use crate::width::MAX_LANES;
use code::Code;
use packet::Runner;

/// A set of lanes, lane 0 in the lowest bit.
type LaneMask = u64;

const _: () = assert!(MAX_LANES <= LaneMask::BITS as usize, "a mask has a bit for each lane");

/// A shader ready to run.
#[derive(Debug)]
pub struct Interpreter {
    code: Code,
}

impl Interpreter {
    /// Prepares a shader whose groups run one at a time.
    pub fn new(func: &VerifiedFunction) -> Self {
        Self::with_packing(func, Packing::Group)
    }

    /// Prepares a shader for this packing, which it must allow.
    pub fn with_packing(func: &VerifiedFunction, packing: Packing) -> Self {
        debug_assert!(packing == Packing::Group || Packing::may_span(func), "its groups need packets alone");
        Self { code: flatten::flatten(func, packing) }
    }

    /// The packing of threads.
    pub fn packing(&self) -> Packing {
        self.code.packing
    }

    /// Bytes that an [`Arena`] grows to when it runs this shader.
    pub fn arena_bytes(&self) -> usize {
        Arena::bytes_for(&self.code)
    }

    /// Runs one group. `fuel` is a budget of loop iterations: each iteration of a loop but the first takes one, per
    /// packet if the loop is inside a segment.
    ///
    /// # Errors
    /// If the host requests a stop, the fuel is used up, or threads disagree about a branch that leads to a barrier.
    /// Earlier writes stay.
    pub fn run_group(
        &self,
        host: &dyn Host,
        group_id: [u32; 3],
        arena: &mut Arena,
        fuel: &mut u64,
    ) -> Result<(), Fault> {
        self.run_span(host, &Span::one(group_id), arena, fuel)
    }

    /// Runs the groups of a span together; see [`Self::run_group`]. The span must be one that the packing allows.
    pub fn run_span(&self, host: &dyn Host, span: &Span, arena: &mut Arena, fuel: &mut u64) -> Result<(), Fault> {
        self.run_observed(host, span, &mut [], arena, fuel, &mut ())
    }

    /// Runs a batch of invocations, with the arrays that the function declares; see [`Self::run_group`].
    ///
    /// Missing arrays have no elements.
    ///
    /// # Panics
    /// If the function is not one for batches, or its packing is not [`Packing::Row`].
    pub fn run_batch(
        &self,
        host: &dyn Host,
        invocations: u32,
        arrays: &mut [ArrayWords<'_>],
        arena: &mut Arena,
        fuel: &mut u64,
    ) -> Result<(), Fault> {
        assert!(
            self.code.packing == Packing::Row && self.code.group_size == [1; 3],
            "invocations are groups of one thread"
        );
        Span::batch(invocations, self.code.lanes as u32, self.code.fills_packets)
            .try_for_each(|span| self.run_observed(host, &span, arrays, arena, fuel, &mut ()))
    }

    /// Runs a span, of groups or of the invocations of a batch ([`Span::batch`]), and reports every event to an
    /// observer.
    ///
    /// # Errors
    /// See [`Self::run_group`].
    pub fn run_observed(
        &self,
        host: &dyn Host,
        span: &Span,
        arrays: &mut [ArrayWords<'_>],
        arena: &mut Arena,
        fuel: &mut u64,
        observer: &mut impl Observer,
    ) -> Result<(), Fault> {
        let code = &self.code;
        debug_assert!(span.is_packed(code.packing, code.threads_per_group(), code.lanes as u32), "{span:?}");
        if host.stop_requested() || !arena.start(code, span.groups, host) {
            return Err(Fault::new(FaultKind::Stopped, Origin::default()));
        }
        group::run(Runner { code, host, arena, fuel, arrays, packet: 0, observer }, span)
    }
}

/// The lanes of a set, in increasing order.
fn lanes_of(mask: LaneMask) -> impl Iterator<Item = usize> {
    let mut left = mask;
    std::iter::from_fn(move || {
        let lane = left.trailing_zeros() as usize;
        (left != 0).then(|| {
            left &= left - 1;
            lane
        })
    })
}
