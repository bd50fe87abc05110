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

    /// The float mode its code is written for, which must be in force while it runs.
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

    /// Makes a context ready to run groups, one after the other. The float mode must be that of the code.
    ///
    /// # Safety
    /// The context is set up as [`crate::abi`] says (A and B) for this shader, and the processor has the features that
    /// the code was compiled for.
    pub unsafe fn start<'a>(&'a self, context: &'a mut Context, mode: &'a FloatGuard) -> Run<'a> {
        assert_eq!(mode.mode(), self.float_mode, "the mode that the code is written for is in force");
        context.threads = self.threads.as_ptr();
        context.immediate = self.immediate.as_ptr();
        context.lanes_per_packet = self.width.lanes();
        context.fault_kind = 0;
        context.fault_thread = 0;
        Run { compiled: self, context, threads_per_group: self.group_size.iter().product(), _mode: mode }
    }
}

/// A shader with a context that is ready for it: what is the same for all groups was seen to, since many a group takes less
/// time than that.
#[derive(Debug)]
pub struct Run<'a> {
    compiled: &'a Compiled,
    context: &'a mut Context,
    threads_per_group: u32,
    _mode: &'a FloatGuard,
}

impl Run<'_> {
    /// Runs one group. `fuel` is its budget of loop rounds, counted for each packet.
    ///
    /// # Errors
    /// The fault that ended the group early. Memory then holds what was written before it.
    pub fn group(&mut self, group: [u32; 3], fuel: u64) -> Result<(), Fault> {
        self.span(&Span::one(group), fuel)
    }

    /// Runs the groups of a span together, with one budget. The span must be one that the packing allows.
    ///
    /// # Errors
    /// The fault that ended them early. Memory then holds what was written before it.
    pub fn span(&mut self, span: &Span, fuel: u64) -> Result<(), Fault> {
        let (compiled, context) = (self.compiled, &mut *self.context);
        let is_packed = span.is_packed(compiled.packing, self.threads_per_group, compiled.width.lanes());
        assert!(is_packed, "the tables hold the longest span");
        if context.is_stopped() {
            return Err(Fault::new(FaultKind::Stopped, Origin::default()));
        }
        context.fuel = fuel;
        context.group = span.group(0);
        context.span_threads = span.groups * self.threads_per_group;
        if compiled.packing == Packing::Grid {
            let row = compiled.threads.len() / ThreadRow::ALL.len();
            context.note_groups(span, self.threads_per_group as usize, row);
        }
        // SAFETY: `compile` made the code as an `Entry` without relocations; the rest is what `Compiled::start` asks for.
        unsafe { compiled.code.call(context) };
        match context.take_fault() {
            None => Ok(()),
            Some(fault) => Err(self.complete(fault)),
        }
    }

    /// Rounds that are left of the last budget.
    pub fn fuel(&self) -> u64 {
        self.context.fuel
    }

    /// Adds what is known of a fault when everything has stopped.
    #[cold]
    fn complete(&self, fault: Fault) -> Fault {
        match fault.kind {
            FaultKind::DivergentBarrier { .. } => {
                // SAFETY: this shader has just run with this context.
                let threads = self.compiled.votes.map_or([0; 2], |rows| unsafe { self.context.disagreeing(&rows) });
                Fault { kind: FaultKind::DivergentBarrier { threads }, ..fault }
            }
            _ if self.compiled.packing == Packing::Group => fault,
            _ => Fault { group: self.context.faulting_thread() / self.threads_per_group, ..fault },
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
