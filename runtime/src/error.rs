//! Errors between a shader file and its results.

use std::any::Any;
use std::fmt;
use std::ops::Range;
use std::path::PathBuf;

use brolga_ir::pipeline::state::StateError;
use brolga_ir::translate::TranslateError;
use brolga_ir::verify::VerifyErrors;
use brolga_jit::CompileError;
use brolga_resource::ResourceError;

use crate::bindings::{BindingError, ParseRegisterError};
use crate::shader::instance::InstanceError;
use crate::shader::location::SourceLocation;
use crate::stop::StopReason;

/// Reason why a batch cannot be run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BatchError {
    /// A compute shader.
    #[error("a compute shader runs in groups, not in batches")]
    NoBatches,
    /// Part of a quad.
    #[error("a batch of {invocations} pixels is not a whole number of quads of 4")]
    Quads {
        /// Pixels.
        invocations: u32,
    },
    /// More or fewer arrays than declared.
    #[error("{found} arrays for a shader that declares {expected}")]
    ArrayCount {
        /// Number of arrays given.
        found: usize,
        /// Number declared.
        expected: usize,
    },
    /// An array that the shader writes is given to be read.
    #[error("array {array} is written by the shader, but passed as read-only")]
    ReadOnly {
        /// Its index.
        array: usize,
    },
    /// An array that does not hold an element for each invocation.
    #[error("array {array} holds {found} words, {invocations} invocations take {expected}")]
    Words {
        /// Its index.
        array: usize,
        /// Words that were given.
        found: usize,
        /// The batch.
        invocations: u32,
        /// Words that it takes.
        expected: u64,
    },
}

/// Any error between a shader and its results.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The bytes are not a usable shader.
    #[error(transparent)]
    File(#[from] brolga_bytecode::Error),
    /// A front end of the caller's ([`Program`](crate::Program)) refuses its shader.
    #[error("{0}")]
    FrontEnd(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// A shader that does not run in groups.
    #[error("a {stage} shader cannot be dispatched, only a compute shader; it runs in batches")]
    NoGroups {
        /// Its stage's name.
        stage: &'static str,
    },
    /// Options with the state of another stage than the shader's.
    #[error("the options have the state of a {expected} shader, but this is a {found} shader")]
    StateOfStage {
        /// The shader's stage.
        found: &'static str,
        /// The stage that the state is for.
        expected: &'static str,
    },
    /// A state that no shader can have.
    #[error(transparent)]
    State(#[from] StateError),
    /// A batch that the shader cannot take.
    #[error(transparent)]
    Batch(#[from] BatchError),
    /// An interface variable, or the class instance chosen for it.
    #[error(transparent)]
    Instance(Box<InstanceError>),
    /// The shader uses a feature that cannot be run yet, or is too large.
    #[error(transparent)]
    Translate(#[from] TranslateError),
    /// The translation broke an IR rule: a bug in Brolga.
    #[error("internal error: the shader was translated wrongly: {0}")]
    Verify(#[from] VerifyErrors),
    /// No machine code could be made.
    #[error(transparent)]
    Compile(#[from] CompileError),
    /// A register, or the view bound to it, does not fit.
    #[error(transparent)]
    Binding(#[from] BindingError),
    /// A buffer, texture or view cannot exist.
    #[error(transparent)]
    Resource(#[from] ResourceError),
    /// A limit of the device was exceeded.
    #[error("{limit} is {value}, the device's limit is {most}")]
    OverLimit {
        /// The limited quantity.
        limit: Limit,
        /// The requested value.
        value: u64,
        /// The limit.
        most: u64,
    },
    /// The perf map could not be written.
    #[error("the perf map {} could not be written: {source}", path.display())]
    PerfMap {
        /// The file.
        path: PathBuf,
        /// The system's error.
        source: std::io::Error,
    },
    /// The worker threads could not be started.
    #[error("the pool of {threads} threads could not be started: {reason}")]
    Pool {
        /// Threads asked for.
        threads: usize,
        /// The system's error.
        reason: String,
    },
    /// The processor lacks an instruction set.
    #[error("the code needs {}, this processor has {}", asked.join(", "), if has.is_empty() { "none of these".into() } else { has.join(", ") })]
    Features {
        /// The instruction sets requested.
        asked: Vec<&'static str>,
        /// Those available.
        has: Vec<&'static str>,
    },
    /// The timer thread could not be started.
    #[error("the thread that watches the time limit could not be started: {reason}")]
    Timer {
        /// The system's error.
        reason: String,
    },
    /// A thread that compiles could not be started.
    #[error("the thread that compiles a shader could not be started: {reason}")]
    CompileThread {
        /// The system's error.
        reason: String,
    },
    /// Compiling was stopped.
    #[error("{why} while the shader was compiled")]
    CompileStopped {
        /// Reason for the stop.
        why: StopReason,
    },
    /// The shader was stopped while it ran.
    #[error("{why} in group ({}, {}, {}) at {location}", group[0], group[1], group[2])]
    Stopped {
        /// Reason for the stop.
        why: StopReason,
        /// Instruction at which it stopped.
        location: SourceLocation,
        /// The group that was running.
        group: [u32; 3],
    },
    /// The dispatch was stopped before any group was interrupted.
    #[error("{why} after {groups_done} of {groups} groups")]
    StoppedBetweenGroups {
        /// Reason for the stop.
        why: StopReason,
        /// Groups that had finished.
        groups_done: u64,
        /// Groups of the dispatch.
        groups: u64,
    },
    /// A worker was asked for groups that the dispatch does not have.
    #[error("groups {} to {} were requested, the dispatch has {count}", groups.start, groups.end)]
    NoSuchGroups {
        /// The requested groups.
        groups: Range<u64>,
        /// Groups of the dispatch.
        count: u64,
    },
    /// Threads of one group diverged at a branch that leads to a barrier.
    #[error(
        "threads ({}, {}, {}) and ({}, {}, {}) of group ({}, {}, {}) disagree at {location}, which controls {}: \
         all threads of a group that have not returned must go the same way there",
        threads[0][0], threads[0][1], threads[0][2], threads[1][0], threads[1][1], threads[1][2],
        group[0], group[1], group[2], barrier.as_ref().map_or("a barrier".to_owned(), |barrier| format!("the barrier at {barrier}"))
    )]
    DivergentBarrier {
        /// The branch.
        location: Box<SourceLocation>,
        /// The barrier, if it is known.
        barrier: Option<Box<SourceLocation>>,
        /// The group.
        group: [u32; 3],
        /// The first thread of the group that has not returned, and the first that takes another way.
        threads: [[u32; 3]; 2],
    },
    /// The shader ended the run itself, by `abort`.
    #[error(
        "the shader aborted in thread ({}, {}, {}) of group ({}, {}, {}) at {location}",
        thread[0], thread[1], thread[2], group[0], group[1], group[2]
    )]
    Aborted {
        /// The instruction.
        location: Box<SourceLocation>,
        /// The group. Of several groups that abort, the first.
        group: [u32; 3],
        /// The first thread of the group that did.
        thread: [u32; 3],
    },
    /// A bug in Brolga itself.
    #[error("internal error: {what}")]
    Internal {
        /// Description.
        what: String,
    },
}

/// Kind of an [`Error`], by the remedy. The numbers never change, so that other languages can use them.
///
/// | number | kind | what happened | what helps |
/// |---|---|---|---|
/// | 1 | `File` | the bytes are not a valid shader | another file |
/// | 2 | `Unsupported` | the shader is valid, but cannot run, or not on this processor | another shader or engine |
/// | 3 | `Instance` | an interface variable has no class instance, or one that does not fit | another instance |
/// | 4 | `Binding` | a register or name does not exist, or what is bound to it does not fit | other bindings |
/// | 5 | `Resource` | there can be no such buffer, texture, view or sampler, or no such part of it | other arguments |
/// | 6 | `Call` | a shader of this stage does not run this way, or not on this batch or these groups | another call |
/// | 7 | `Limit` | the shader or the call exceeds a limit | higher [`Limits`](crate::Limits), or less to do |
/// | 8 | `Stopped` | the caller's cancel token, time limit or fuel ended the work | more time or fuel, if unintended |
/// | 9 | `DivergentBarrier` | threads of a group met different barriers | a corrected shader |
/// | 10 | `System` | the operating system refused memory, a thread or a file | trying again, with less |
/// | 11 | `Internal` | a bug in Brolga | a report to its developers |
/// | 12 | `Aborted` | the shader ended the run itself, by `abort` | what its messages say |
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
#[repr(u32)]
#[expect(missing_docs, reason = "the table above has them")]
pub enum ErrorKind {
    File = 1,
    Unsupported = 2,
    Instance = 3,
    Binding = 4,
    Resource = 5,
    Call = 6,
    Limit = 7,
    Stopped = 8,
    DivergentBarrier = 9,
    System = 10,
    Internal = 11,
    Aborted = 12,
}

impl Error {
    /// The kind, by the remedy.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Error::File(error) if error.is_limit() => ErrorKind::Limit,
            Error::Translate(TranslateError::TooLarge { .. } | TranslateError::TooDeep { .. })
            | Error::OverLimit { .. } => ErrorKind::Limit,
            Error::File(_) | Error::FrontEnd(_) => ErrorKind::File,
            Error::Translate(TranslateError::Operand { .. } | TranslateError::Flow { .. }) => ErrorKind::File,
            Error::Translate(TranslateError::Unbound { .. } | TranslateError::Table { .. }) => ErrorKind::Instance,
            // The other variants are features that are not supported.
            Error::Translate(_) | Error::Features { .. } => ErrorKind::Unsupported,
            Error::Instance(_) => ErrorKind::Instance,
            Error::Compile(CompileError::Unsupported) => ErrorKind::Unsupported,
            Error::Compile(CompileError::LocalMemory { .. }) => ErrorKind::Limit,
            Error::Compile(CompileError::Memory { .. }) => ErrorKind::System,
            Error::Compile(error) if error.is_size() => ErrorKind::Limit,
            Error::Compile(_) | Error::Verify(_) | Error::Internal { .. } => ErrorKind::Internal,
            Error::Binding(_) => ErrorKind::Binding,
            Error::Resource(ResourceError::OutOfMemory { .. } | ResourceError::Map { .. }) => ErrorKind::System,
            Error::Resource(ResourceError::Stopped) => ErrorKind::Stopped,
            Error::Resource(_) => ErrorKind::Resource,
            Error::NoGroups { .. }
            | Error::StateOfStage { .. }
            | Error::State(_)
            | Error::Batch(_)
            | Error::NoSuchGroups { .. } => ErrorKind::Call,
            Error::PerfMap { .. } | Error::Pool { .. } | Error::Timer { .. } | Error::CompileThread { .. } => {
                ErrorKind::System
            }
            Error::CompileStopped { .. } | Error::Stopped { .. } | Error::StoppedBetweenGroups { .. } => {
                ErrorKind::Stopped
            }
            Error::DivergentBarrier { .. } => ErrorKind::DivergentBarrier,
            Error::Aborted { .. } => ErrorKind::Aborted,
        }
    }

    /// The timer's thread was refused.
    pub(crate) fn timer(error: std::io::Error) -> Self {
        Error::Timer { reason: error.to_string() }
    }

    /// A thread that compiles was refused.
    pub(crate) fn compile_thread(error: std::io::Error) -> Self {
        Error::CompileThread { reason: error.to_string() }
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

/// A panic's message, as an error.
pub(crate) fn internal(panic: &(dyn Any + Send)) -> Error {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
    Error::Internal { what: text.unwrap_or_else(|| "panic".to_owned()) }
}

/// The quantity that a bound of [`Limits`](crate::Limits) applies to.
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
    /// Registers of one declared range, or the last one bound in it.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_kinds_never_change() {
        let kinds = [
            ErrorKind::File,
            ErrorKind::Unsupported,
            ErrorKind::Instance,
            ErrorKind::Binding,
            ErrorKind::Resource,
            ErrorKind::Call,
            ErrorKind::Limit,
            ErrorKind::Stopped,
            ErrorKind::DivergentBarrier,
            ErrorKind::System,
            ErrorKind::Internal,
            ErrorKind::Aborted,
        ];
        assert!(kinds.into_iter().zip(1..).all(|(kind, number)| kind as u32 == number));
    }

    #[test]
    fn kinds_tell_apart_what_variants_hold() {
        let short = brolga_bytecode::Decoded::new(b"DXBC", &Default::default()).unwrap_err();
        assert_eq!(Error::from(short).kind(), ErrorKind::File);
        assert_eq!(
            Error::from(TranslateError::NotSupported { name: "hs_decls", at: 0 }).kind(),
            ErrorKind::Unsupported
        );
        assert_eq!(Error::from(TranslateError::TooLarge { at: 0, limit: 1 }).kind(), ErrorKind::Limit);
        assert_eq!(Error::from(CompileError::Frame { bytes: 2, limit: 1 }).kind(), ErrorKind::Limit);
        assert_eq!(Error::from(CompileError::Damaged).kind(), ErrorKind::Internal);
        assert_eq!(Error::from(ResourceError::ReadOnly).kind(), ErrorKind::Resource);
        assert_eq!(Error::from(ResourceError::Stopped).kind(), ErrorKind::Stopped);
        assert_eq!(Error::from(ResourceError::OutOfMemory { size_bytes: 1 }).kind(), ErrorKind::System);
    }
}
