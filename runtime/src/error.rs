//! What can go wrong between a file and its results.

use std::any::Any;
use std::fmt;
use std::ops::Range;
use std::path::PathBuf;

use brolga_bytecode::sm5::Stage;
use brolga_ir::translate::TranslateError;
use brolga_ir::verify::VerifyErrors;
use brolga_jit::CompileError;

use crate::bindings::{BindingError, ParseRegisterError};
use crate::resource::ResourceError;
use crate::shader::instance::InstanceError;
use crate::shader::place::Place;
use crate::stop::StopReason;

/// Why a batch cannot be run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BatchError {
    /// A compute shader.
    #[error("a compute shader runs in groups, not in batches")]
    NoBatches,
    /// Part of a quad.
    #[error("a batch of {invocations} pixels; they come in quads, four by four")]
    Quads {
        /// Pixels.
        invocations: u32,
    },
    /// More or fewer arrays than declared.
    #[error("{found} arrays for a shader that declares {expected}")]
    ArrayCount {
        /// What was given.
        found: usize,
        /// What is declared.
        expected: usize,
    },
    /// An array that the shader writes is given to be read.
    #[error("array {array} is written by the shader, and given to be read only")]
    ReadOnly {
        /// Its position.
        array: usize,
    },
    /// An array that does not hold an element for each invocation.
    #[error("array {array} holds {found} words, {invocations} invocations take {expected}")]
    Words {
        /// Its position.
        array: usize,
        /// Words that were given.
        found: usize,
        /// The batch.
        invocations: u32,
        /// Words that it takes.
        expected: u64,
    },
}

/// Anything that keeps a shader from its results.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The bytes are no shader that can be used.
    #[error(transparent)]
    File(#[from] brolga_bytecode::Error),
    /// A shader of a stage that cannot be run.
    #[error("a {} shader cannot be run, only compute, vertex and pixel shaders", stage.name())]
    Stage {
        /// Its stage.
        stage: Stage,
    },
    /// A shader that does not run in groups.
    #[error("a {stage} shader cannot be dispatched, only a compute shader; it runs in batches")]
    NoGroups {
        /// Its stage's name.
        stage: &'static str,
    },
    /// A batch that the shader cannot take.
    #[error(transparent)]
    Batch(#[from] BatchError),
    /// An interface variable, or the class instance chosen for it.
    #[error(transparent)]
    Instance(Box<InstanceError>),
    /// The shader has something that cannot be run yet, or is too large.
    #[error(transparent)]
    Translate(#[from] TranslateError),
    /// The translation broke a rule of its own: a fault of Brolga.
    #[error("internal fault: the shader was translated wrongly: {0}")]
    Verify(#[from] VerifyErrors),
    /// No machine code could be made.
    #[error(transparent)]
    Compile(#[from] CompileError),
    /// A register, or a view bound to it.
    #[error(transparent)]
    Binding(#[from] BindingError),
    /// A buffer, texture or view.
    #[error(transparent)]
    Resource(#[from] ResourceError),
    /// A bound of the device.
    #[error("{limit} is {value}, the device's limit is {most}")]
    OverLimit {
        /// What is bounded.
        limit: Limit,
        /// What was asked for.
        value: u64,
        /// The bound.
        most: u64,
    },
    /// The perf map could not be written.
    #[error("the perf map {} could not be written: {source}", path.display())]
    PerfMap {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The worker threads could not be started.
    #[error("the pool of {threads} threads could not be started: {reason}")]
    Pool {
        /// Threads asked for.
        threads: usize,
        /// What the system said.
        reason: String,
    },
    /// The processor lacks an instruction set.
    #[error("code is to use {}, and this processor has {}", asked.join(", "), if has.is_empty() { "none of that".into() } else { has.join(", ") })]
    Features {
        /// What machine code is to use.
        asked: Vec<&'static str>,
        /// What there is.
        has: Vec<&'static str>,
    },
    /// The thread that watches the time could not be started.
    #[error("the thread that watches the time limit could not be started: {reason}")]
    Timer {
        /// What the system said.
        reason: String,
    },
    /// Compiling was stopped.
    #[error("{why} while the shader was compiled")]
    CompileStopped {
        /// Who stopped it.
        why: StopReason,
    },
    /// The shader was stopped while it ran.
    #[error("{why} in group ({}, {}, {}) at {place}", group[0], group[1], group[2])]
    Stopped {
        /// Who stopped it.
        why: StopReason,
        /// Where it was.
        place: Place,
        /// The group that was running.
        group: [u32; 3],
    },
    /// The dispatch was stopped before any group was interrupted.
    #[error("{why} after {groups_done} of {groups} groups")]
    StoppedBetweenGroups {
        /// Who stopped it.
        why: StopReason,
        /// Groups that had finished.
        groups_done: u64,
        /// Groups of the dispatch.
        groups: u64,
    },
    /// A worker was asked for groups that the dispatch does not have.
    #[error("groups {} to {} were asked for, the dispatch has {count}", groups.start, groups.end)]
    NoSuchGroups {
        /// What was asked for.
        groups: Range<u64>,
        /// Groups of the dispatch.
        count: u64,
    },
    /// Threads of one group disagreed about a branch that leads to a barrier.
    #[error(
        "threads ({}, {}, {}) and ({}, {}, {}) of group ({}, {}, {}) disagree at {place}, which decides about a barrier: \
         all threads of a group that have not returned must go the same way there",
        threads[0][0], threads[0][1], threads[0][2], threads[1][0], threads[1][1], threads[1][2],
        group[0], group[1], group[2]
    )]
    DivergentBarrier {
        /// The branch.
        place: Place,
        /// The group.
        group: [u32; 3],
        /// The first thread of the group that has not returned, and the first that goes another way than this one.
        threads: [[u32; 3]; 2],
    },
    /// A fault of Brolga itself.
    #[error("internal fault: {what}")]
    Internal {
        /// What is known of it.
        what: String,
    },
}

impl Error {
    /// The timer's thread was refused.
    pub(crate) fn timer(error: std::io::Error) -> Self {
        Error::Timer { reason: error.to_string() }
    }
}

impl From<InstanceError> for Error {
    fn from(error: InstanceError) -> Self {
        Error::Instance(Box::new(error))
    }
}

impl From<ParseRegisterError> for Error {
    fn from(error: ParseRegisterError) -> Self {
        Error::Binding(error.into())
    }
}

/// What a panic said, as an error.
pub(crate) fn internal(panic: &(dyn Any + Send)) -> Error {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
    Error::Internal { what: text.unwrap_or_else(|| "panic".to_owned()) }
}

/// What a bound of [`Limits`](crate::Limits) is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Limit {
    /// Threads in a group.
    GroupThreads,
    /// Shared memory of a group.
    SharedBytes,
    /// Groups along an axis, 0 to 2.
    DispatchGroups(u8),
    /// Bytes of a buffer or texture.
    BufferBytes,
    /// Registers of one declared range, or of those the last one bound.
    RangeRegisters,
    /// Vectors of a constant buffer.
    ConstantVectors,
    /// Private memory of a worker.
    ArenaBytes,
    /// Threads of a pool.
    Threads,
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Limit::GroupThreads => f.write_str("the number of threads in a group"),
            Limit::SharedBytes => f.write_str("the shared memory of a group in bytes"),
            Limit::DispatchGroups(axis) => {
                write!(f, "the number of groups along {}", ["x", "y", "z"][usize::from(*axis).min(2)])
            }
            Limit::BufferBytes => f.write_str("the size of a buffer or texture in bytes"),
            Limit::RangeRegisters => f.write_str("the number of registers of one range"),
            Limit::ConstantVectors => f.write_str("the size of a constant buffer in vectors"),
            Limit::Threads => f.write_str("the number of threads of a pool"),
            Limit::ArenaBytes => f.write_str("the private memory of a worker in bytes"),
        }
    }
}
