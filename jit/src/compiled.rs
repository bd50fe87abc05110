//! A shader as machine code: what [`compile`](crate::compile) gives and how it is run.

use std::time::Duration;

use brolga_ir::Width;
use brolga_ir::function::Origin;
use brolga_ir::host::{Fault, FaultKind};
use brolga_ir::span::{Packing, Span};

use crate::abi::Context;
use crate::code::ExecutableCode;
use crate::lower::ThreadRow;
use crate::mxcsr::{FloatGuard, FloatMode};

/// Memory that each worker brings for its groups. Its content does not matter; it must not be shared.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct ArenaLayout {
    /// Bytes.
    pub size_bytes: usize,
    /// Alignment, a power of two.
    pub align: usize,
}

/// Where the packets' votes about barriers are in the arena, to say who disagreed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct VoteRows {
    /// Threads of a group.
    pub threads: u32,
    /// The first packet's record.
    pub records: u64,
    /// From one packet's record to the next.
    pub record_bytes: u64,
    /// The row of votes in a record.
    pub votes: u64,
    /// The row of threads that have not returned, if threads may return before others.
    pub alive: Option<u64>,
}

/// What compiling took and gave.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Statistics {
    /// Bytes of machine code with its constants.
    pub code_bytes: usize,
    /// Bytes of the stack frame.
    pub frame_bytes: u32,
    /// Instructions given to Cranelift.
    pub clif_insts: usize,
    /// Time to lower the IR.
    pub lower_time: Duration,
    /// Time Cranelift took.
    pub codegen_time: Duration,
}

/// A shader as machine code. It owns its executable memory and may be run by many threads at once.
#[derive(Debug)]
pub struct Compiled {
    pub(crate) code: ExecutableCode,
    pub(crate) float_mode: FloatMode,
    pub(crate) arena: ArenaLayout,
    /// What every thread knows of itself, row by row, each padded to whole packets.
    pub(crate) threads: Box<[u32]>,
    pub(crate) group_size: [u32; 3],
    pub(crate) width: Width,
    pub(crate) packing: Packing,
    pub(crate) votes: Option<VoteRows>,
    pub(crate) immediate: Box<[u32]>,
    pub(crate) statistics: Statistics,
}

impl Compiled {
    /// Memory that each worker must bring.
    pub fn arena_layout(&self) -> ArenaLayout {
        self.arena
    }

    /// The float mode its code is written for. [`Self::run_group`] sets it itself.
    pub fn float_mode(&self) -> FloatMode {
        self.float_mode
    }

    /// The machine code.
    pub fn code(&self) -> &[u8] {
        self.code.bytes()
    }

    /// What compiling took and gave.
    pub fn statistics(&self) -> Statistics {
        self.statistics
    }

    /// Threads of a packet.
    pub fn width(&self) -> Width {
        self.width
    }

    /// How packets are put together.
    pub fn packing(&self) -> Packing {
        self.packing
    }

    /// Runs one group.
    ///
    /// # Errors
    /// The fault that ended the group early. Memory then holds what was written before it.
    ///
    /// # Safety
    /// As for [`Self::run_span`].
    pub unsafe fn run_group(&self, context: &mut Context, group: [u32; 3]) -> Result<(), Fault> {
        // SAFETY: the caller vouches for the same.
        unsafe { self.run_span(context, &Span::one(group)) }
    }

    /// Runs the groups of a span together. The span must be one that the packing allows.
    ///
    /// # Errors
    /// The fault that ended them early. Memory then holds what was written before it.
    ///
    /// # Safety
    /// The context is set up as [`crate::abi`] says (A and B) for this shader, and the processor has the features that
    /// the code was compiled for.
    pub unsafe fn run_span(&self, context: &mut Context, span: &Span) -> Result<(), Fault> {
        let threads_per_group: u32 = self.group_size.iter().product();
        assert!(
            span.is_packed(self.packing, threads_per_group, self.width.lanes()),
            "the tables hold the longest span"
        );
        if context.is_stopped() {
            return Err(Fault::new(FaultKind::Stopped, Origin::default()));
        }
        context.threads = self.threads.as_ptr();
        context.immediate = self.immediate.as_ptr();
        context.fault_kind = 0;
        context.group = span.group(0);
        context.span_threads = span.groups * threads_per_group;
        context.fault_thread = 0;
        context.lanes_per_packet = self.width.lanes();
        if self.packing == Packing::Grid {
            context.note_groups(span, threads_per_group as usize, self.threads.len() / ThreadRow::ALL.len());
        }
        let mode = FloatGuard::new(self.float_mode);
        // SAFETY: `compile` made the code as an `Entry` without relocations; the caller vouches for the rest.
        unsafe { self.code.call(context) };
        drop(mode);
        match context.take_fault() {
            None => Ok(()),
            Some(Fault { kind: FaultKind::DivergentBarrier { .. }, origin, .. }) => {
                // SAFETY: this shader has just run with this context.
                let threads = self.votes.map_or([0; 2], |rows| unsafe { context.disagreeing(&rows) });
                Err(Fault::new(FaultKind::DivergentBarrier { threads }, origin))
            }
            Some(fault) if self.packing == Packing::Group => Err(fault),
            Some(fault) => Err(Fault { group: context.faulting_thread() / threads_per_group, ..fault }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compiled_shaders_are_shared_between_threads() {
        fn shared<T: Send + Sync>() {}
        shared::<Compiled>();
    }
}
