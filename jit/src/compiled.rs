//! Makes, runs and stores compiled shaders.

use brolga_ir::batch::ArrayWords;
use brolga_ir::function::Origin;
use brolga_ir::host::{Fault, FaultKind};
use brolga_ir::interface::Array;
use brolga_ir::span::{Packing, Span};
use brolga_ir::verify::VerifiedFunction;
use brolga_ir::{Function, Width};
use serde::{Deserialize, Serialize};

use crate::abi::{ArenaLayout, ArrayRecord, Context, ThreadRow, VoteRows};
use crate::code::ExecutableCode;
use crate::codegen::{self, Statistics};
use crate::error::CompileError;
use crate::float_mode::float_mode;
use crate::options::Options;
use crate::{FloatGuard, FloatMode};

/// A shader compiled to machine code. It owns its executable memory and may be run by many threads at once.
#[derive(Debug)]
pub struct Compiled {
    pub(crate) code: ExecutableCode,
    pub(crate) facts: CodeFacts,
}

/// The data that running machine code needs besides its bytes.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct CodeFacts {
    pub(crate) float_mode: FloatMode,
    pub(crate) arena: ArenaLayout,
    /// The table of thread indices, row by row, each padded to whole packets.
    pub(crate) threads: Box<[u32]>,
    pub(crate) group_size: [u32; 3],
    pub(crate) width: Width,
    pub(crate) packing: Packing,
    pub(crate) votes: Option<VoteRows>,
    /// The origins of what notes suspicions, by their [bits](crate::abi::suspicion_bit).
    pub(crate) suspected: Box<[u32]>,
    pub(crate) immediate: Box<[u32]>,
    /// The arrays of a batch, and whether it fills its last packet.
    pub(crate) arrays: Box<[Array]>,
    pub(crate) fills_packets: bool,
    pub(crate) statistics: Statistics,
}

/// Compiles a shader for groups of threads.
///
/// # Errors
/// If the processor has no code generator, or the shader goes over a limit.
pub fn compile(func: &VerifiedFunction, options: &Options) -> Result<Compiled, CompileError> {
    compile_named(func, options, &func.name)
}

/// Compiles a shader under a name by which profilers know the code.
///
/// # Errors
/// As [`compile`].
pub fn compile_named(func: &VerifiedFunction, options: &Options, name: &str) -> Result<Compiled, CompileError> {
    let machine = codegen::generate(func, options)?;
    let facts = CodeFacts {
        float_mode: float_mode(func),
        arena: machine.arena,
        threads: thread_table(func, options.packing),
        group_size: func.interface.group_size(),
        width: func.width,
        packing: options.packing,
        votes: machine.votes,
        suspected: machine.suspected,
        immediate: func.interface.immediate.iter().flatten().copied().collect(),
        arrays: func.interface.arrays.as_slice().into(),
        fills_packets: func.interface.fills_packets,
        statistics: machine.statistics,
    };
    Ok(Compiled { code: codegen::load(&machine.bytes, options, name)?, facts })
}

impl Compiled {
    /// Memory that each worker must provide.
    pub fn arena_layout(&self) -> ArenaLayout {
        self.facts.arena
    }

    /// The float mode its code is written for, which must be in force while it runs.
    pub fn float_mode(&self) -> FloatMode {
        self.facts.float_mode
    }

    /// The machine code.
    pub fn code(&self) -> &[u8] {
        self.code.bytes()
    }

    /// Statistics of the compilation.
    pub fn statistics(&self) -> Statistics {
        self.facts.statistics
    }

    /// Threads of a packet.
    pub fn width(&self) -> Width {
        self.facts.width
    }

    /// The packing of threads into packets.
    pub fn packing(&self) -> Packing {
        self.facts.packing
    }

    /// Serialises it, for [`Self::from_bytes`] of the same build. The same shader gives the same bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        postcard::to_allocvec(&(&self.facts, self.code.bytes())).expect("lists and numbers always have a form")
    }

    /// Deserialises the result of [`Self::to_bytes`]. Takes memory at most proportional to the bytes.
    ///
    /// # Errors
    /// If the bytes are not from it, or the system provides no executable memory.
    ///
    /// # Safety
    /// The bytes are from [`Self::to_bytes`], in a build of the same sources, of a shader compiled with these options.
    pub unsafe fn from_bytes(bytes: &[u8], options: &Options, name: &str) -> Result<Self, CompileError> {
        match postcard::take_from_bytes::<(CodeFacts, &[u8])>(bytes) {
            Ok(((facts, code), [])) => Ok(Self { code: codegen::load(code, options, name)?, facts }),
            _ => Err(CompileError::Damaged),
        }
    }

    /// Makes a context ready to run groups in sequence. The float mode must be that of the code.
    ///
    /// # Safety
    /// The context is set up as [`crate::abi`] says (A and B) for this shader, and the processor has the features that
    /// the code was compiled for.
    pub unsafe fn start<'a>(&'a self, context: &'a mut Context, mode: &'a FloatGuard) -> Run<'a> {
        assert_eq!(mode.mode(), self.facts.float_mode, "the mode that the code is written for is in force");
        context.threads = self.facts.threads.as_ptr();
        context.immediate = self.facts.immediate.as_ptr();
        context.call.lanes = self.facts.width.lanes() as usize;
        context.fault_kind = 0;
        context.fault_thread = 0;
        Run { compiled: self, context, threads_per_group: self.facts.group_size.iter().product(), _mode: mode }
    }
}

/// A shader with a context that is set up for it: the setup common to all groups is done once, since it would cost more
/// than many a group does.
#[derive(Debug)]
pub struct Run<'a> {
    compiled: &'a Compiled,
    context: &'a mut Context,
    threads_per_group: u32,
    _mode: &'a FloatGuard,
}

impl Run<'_> {
    /// Runs one group. `fuel` is its budget of loop iterations, counted for each packet.
    ///
    /// # Errors
    /// The fault that ended the group early. Memory then holds the writes before it.
    pub fn group(&mut self, group: [u32; 3], fuel: u64) -> Result<(), Fault> {
        self.span(&Span::one(group), fuel)
    }

    /// Runs the groups of a span together, with one budget. The span must be one that the packing allows.
    ///
    /// # Errors
    /// The fault that ended them early. Memory then holds the writes before it.
    pub fn span(&mut self, span: &Span, fuel: u64) -> Result<(), Fault> {
        let facts = &self.compiled.facts;
        let is_packed = span.is_packed(facts.packing, self.threads_per_group, facts.width.lanes());
        assert!(is_packed, "the tables hold the longest span");
        self.context.fuel = fuel;
        self.packed(span)
    }

    /// Runs a span that the packing allows, with the fuel that is left.
    #[inline]
    fn packed(&mut self, span: &Span) -> Result<(), Fault> {
        let (Compiled { code, facts }, context) = (self.compiled, &mut *self.context);
        if context.is_stopped() {
            return Err(Fault::new(FaultKind::Stopped, Origin::default()));
        }
        context.group = span.group(0);
        context.group_count = span.grid.groups;
        context.span_threads = span.groups * self.threads_per_group;
        if facts.packing == Packing::Grid {
            let row = facts.threads.len() / ThreadRow::ALL.len();
            context.note_groups(span, self.threads_per_group as usize, row);
        }
        // SAFETY: `compile` made the code as an `EntryFn` without relocations; the rest is what `Compiled::start` asks
        // for.
        unsafe { code.call(context) };
        // SAFETY: the same.
        unsafe { context.tell_suspicions(&facts.suspected) };
        match context.take_fault() {
            None => Ok(()),
            Some(fault) => Err(self.complete(fault)),
        }
    }

    /// Runs a batch of invocations with the arrays that the function declares, with one budget. An array that is not
    /// given has no elements.
    ///
    /// # Errors
    /// The fault that ended it early. Memory then holds the writes before it.
    ///
    /// # Panics
    /// If the function is not one for batches, its packing is not [`Packing::Row`], or an array that it writes is given
    /// to be read.
    pub fn batch(&mut self, invocations: u32, arrays: &mut [ArrayWords<'_>], fuel: u64) -> Result<(), Fault> {
        let facts = &self.compiled.facts;
        assert!(facts.packing == Packing::Row && facts.group_size == [1; 3], "invocations are groups of one thread");
        let (declared, lanes) = (&facts.arrays, facts.width.lanes());
        for ((record, declared), array) in self.context.arrays.iter_mut().zip(declared).zip(arrays) {
            *record = ArrayRecord::of(array, declared);
        }
        self.context.fuel = fuel;
        let result = Span::batch(invocations, lanes, facts.fills_packets).try_for_each(|span| self.packed(&span));
        self.context.arrays[..declared.len()].fill(ArrayRecord::EMPTY);
        result
    }

    /// Loop iterations left of the last budget.
    pub fn fuel(&self) -> u64 {
        self.context.fuel
    }

    /// Completes a fault once everything has stopped.
    #[cold]
    fn complete(&self, fault: Fault) -> Fault {
        match fault.kind {
            FaultKind::DivergentBarrier { .. } => {
                // SAFETY: this shader has just run with this context.
                let threads =
                    self.compiled.facts.votes.map_or([0; 2], |rows| unsafe { self.context.disagreeing(&rows) });
                Fault { kind: FaultKind::DivergentBarrier { threads }, ..fault }
            }
            _ if self.compiled.facts.packing == Packing::Group => fault,
            _ => Fault { group: self.context.faulting_thread() / self.threads_per_group, ..fault },
        }
    }
}

/// The indices of every thread of a group, or of the longest span: a row for each [`ThreadRow`], padded to whole
/// packets.
fn thread_table(func: &Function, packing: Packing) -> Box<[u32]> {
    let [width, height, _] = func.interface.group_size();
    let threads = func.interface.threads_per_group();
    let lanes = func.width.lanes();
    let most = (threads * packing.most_groups(threads, lanes)).next_multiple_of(lanes);
    let row = |row: ThreadRow| {
        move |number: u32| match (row, packing) {
            // The last packet of a group alone is padded with threads that go on counting.
            (_, Packing::Group) => row.of(number, width, height),
            (ThreadRow::Group, _) => number / threads,
            _ => row.of(number % threads, width, height),
        }
    };
    let rows = if packing == Packing::Group { &ThreadRow::ALL[..3] } else { &ThreadRow::ALL };
    rows.iter().flat_map(|&of| (0..most).map(row(of))).collect()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use brolga_ir::verify::verify;

    use super::*;

    #[test]
    fn compiled_shaders_are_shared_between_threads() {
        fn shared<T: Send + Sync>() {}
        shared::<Compiled>();
    }

    #[test]
    fn a_stored_shader_is_the_same_and_anything_else_is_an_error() {
        let Some(options) = Options::host() else { return };
        let compiled = compile(&verify(codegen::tests::numbered()).unwrap(), &options).unwrap();
        let bytes = compiled.to_bytes();
        let read = |bytes: &[u8]| {
            // SAFETY: nothing is run of bytes that `to_bytes` did not give.
            unsafe { Compiled::from_bytes(bytes, &options, "shader") }
        };
        let stored = read(&bytes).unwrap();
        assert_eq!(stored.code(), compiled.code());
        assert_eq!(stored.to_bytes(), bytes);
        assert_eq!(
            stored.statistics(),
            Statistics {
                lower_time: Duration::ZERO,
                codegen_time: Duration::ZERO,
                widen_time: Duration::ZERO,
                ..compiled.statistics()
            }
        );

        for len in 0..bytes.len() {
            assert!(matches!(read(&bytes[..len]), Err(CompileError::Damaged)), "{len}");
        }
        assert!(matches!(read(&[&bytes[..], &[0]].concat()), Err(CompileError::Damaged)));
        // Whatever the bytes say, reading them ends, and takes memory in proportion.
        for at in 0..bytes.len() {
            for value in [0, 1, 0x7f, 0x80, 0xff] {
                let mut bytes = bytes.clone();
                bytes[at] = value;
                let _ = read(&bytes);
            }
        }
    }
}
