//! Records statistics of compiling: times, and figures about the code.

use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::error::Error;
use crate::stop::StopWord;

/// A stage of compiling, from a shader's bytes to something that runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum CompileStage {
    /// Parsing the container, and decoding its instructions.
    Decode,
    /// Checking the rules for programs, and the rest of the container against them.
    Validate,
    /// Translating instructions to IR operations.
    Translate,
    /// Simplification of the operations.
    Passes,
    /// Checking the rules for operations, and the shader's declarations.
    Verify,
    /// Lowering operations to Cranelift's IR, or to the interpreter's form.
    Lower,
    /// Cranelift.
    Codegen,
    /// Re-encoding Cranelift's code for wider vectors.
    Widen,
    /// Making the code executable, and accessing the cache.
    Link,
}

impl CompileStage {
    /// All of them in order.
    pub const ALL: [Self; 9] = [
        Self::Decode,
        Self::Validate,
        Self::Translate,
        Self::Passes,
        Self::Verify,
        Self::Lower,
        Self::Codegen,
        Self::Widen,
        Self::Link,
    ];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Decode => "decode",
            Self::Validate => "validate",
            Self::Translate => "translate",
            Self::Passes => "passes",
            Self::Verify => "verify",
            Self::Lower => "lower",
            Self::Codegen => "codegen",
            Self::Widen => "widen",
            Self::Link => "link",
        }
    }
}

/// Time of each stage.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StageTimes([Duration; CompileStage::ALL.len()]);

impl StageTimes {
    /// The time of a stage.
    pub fn of(&self, stage: CompileStage) -> Duration {
        self.0[stage as usize]
    }

    /// Adds the times of further work.
    pub(super) fn add(&mut self, more: Self) {
        for (time, more) in self.0.iter_mut().zip(more.0) {
            *time += more;
        }
    }

    /// The total.
    pub fn total(&self) -> Duration {
        self.0.iter().sum()
    }
}

/// Records the times of successive stages, and stops the work between two of them on request.
pub(super) struct StageClock {
    times: StageTimes,
    last: Instant,
    stop: Arc<StopWord>,
}

impl StageClock {
    /// Begins the first stage.
    pub fn start() -> Self {
        Self::until(Arc::default())
    }

    /// The same, until the word is set.
    pub fn until(stop: Arc<StopWord>) -> Self {
        Self { times: StageTimes::default(), last: Instant::now(), stop }
    }

    /// Ends a stage, or a part of it.
    ///
    /// # Errors
    /// If the work is to stop.
    pub fn end(&mut self, stage: CompileStage) -> Result<(), Error> {
        self.end_with(stage, &[])
    }

    /// The same if other stages took these parts of the time.
    pub fn end_with(&mut self, stage: CompileStage, others: &[(CompileStage, Duration)]) -> Result<(), Error> {
        let now = Instant::now();
        let mut left = now - self.last;
        self.last = now;
        for &(other, time) in others {
            self.times.0[other as usize] += time;
            left = left.saturating_sub(time);
        }
        self.times.0[stage as usize] += left;
        match self.stop.reason() {
            Some(why) => Err(Error::CompileStopped { why }),
            None => Ok(()),
        }
    }

    /// The times recorded.
    pub fn times(&self) -> StageTimes {
        self.times
    }
}

/// Statistics of a shader's machine code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct CodeFigures {
    /// Bytes of machine code with its constants.
    pub bytes: usize,
    /// Machine instructions.
    pub instructions: u32,
    /// Bytes of the stack frame.
    pub frame_bytes: u32,
    /// Bytes of its vectors.
    pub vector_bytes: u32,
    /// Set if the code could not be widened: its vectors are smaller than they might be.
    pub is_refused: bool,
    /// Instructions that spill a value to the stack.
    pub spills: u32,
    /// Instructions that reload a spilled value.
    pub reloads: u32,
}
