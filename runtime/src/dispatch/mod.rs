//! Running a shader over thread groups.

mod stop;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

pub(crate) use stop::StopWord;
pub use stop::{CancelToken, StopReason};

use crate::bindings::{BindingRules, Bindings};
use crate::device::Device;
use crate::error::Error;
use crate::shader::Shader;

/// What to run and when to stop.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Dispatch {
    /// Groups along x, y and z.
    pub groups: [u32; 3],
    /// The first group's position along x, y and z. Threads see the positions of the whole dispatch.
    pub first_group: [u32; 3],
    /// Which registers must be bound.
    pub rules: BindingRules,
    /// Stops the run when it is cancelled.
    pub cancel: CancelToken,
    /// Stops the run when it has taken so long.
    pub time_limit: Option<Duration>,
    /// Rounds that the loops of one group may take before the run stops; `None` for no bound.
    pub fuel: Option<u64>,
    /// Tells how far the run is.
    pub progress: Progress,
}

impl Dispatch {
    /// Groups along x, y and z, from the origin, without limits.
    pub fn new(groups: [u32; 3]) -> Self {
        Self {
            groups,
            first_group: [0; 3],
            rules: BindingRules::default(),
            cancel: CancelToken::new(),
            time_limit: None,
            fuel: None,
            progress: Progress::default(),
        }
    }

    /// Sets the first group's position.
    pub fn first_group(mut self, first_group: [u32; 3]) -> Self {
        self.first_group = first_group;
        self
    }

    /// Sets which registers must be bound.
    pub fn rules(mut self, rules: BindingRules) -> Self {
        self.rules = rules;
        self
    }

    /// Sets the token that stops the run.
    pub fn cancel(mut self, token: CancelToken) -> Self {
        self.cancel = token;
        self
    }

    /// Sets the time limit.
    pub fn time_limit(mut self, limit: Duration) -> Self {
        self.time_limit = Some(limit);
        self
    }

    /// Sets the rounds that the loops of one group may take.
    pub fn fuel(mut self, rounds: u64) -> Self {
        self.fuel = Some(rounds);
        self
    }

    /// Sets what to tell how far the run is.
    pub fn progress(mut self, progress: Progress) -> Self {
        self.progress = progress;
        self
    }
}

/// How far a run is. Clones share the number, so that another thread can read it.
#[derive(Clone, Debug, Default)]
pub struct Progress(Arc<AtomicU64>);

impl Progress {
    /// A new one at zero.
    pub fn new() -> Self {
        Self::default()
    }

    /// Groups done.
    pub fn groups_done(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// What a dispatch did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Report {
    /// Groups that ran.
    pub groups: u64,
    /// Threads that ran.
    pub threads: u64,
    /// Threads of this machine that took part at most.
    pub workers: usize,
    /// Time from the call to the end of the last group.
    pub elapsed: Duration,
}

/// Runs a dispatch.
pub(crate) fn run(_device: &Device, _shader: &Shader, _bindings: &Bindings, _what: &Dispatch) -> Result<Report, Error> {
    Err(Error::Internal { what: "no engine yet".to_owned() })
}
