//! Runs shaders over thread groups.
//!
//! | file | what |
//! |---|---|
//! | `bound.rs` | shaders with their bindings: bound once, dispatched often |
//! | `resolved.rs` | state prepared ahead of a dispatch |
//! | `run.rs` | one run, from its beginning to its report |
//! | `worker.rs` | groups on the caller's own thread |
//! | `batch.rs` | batches of invocations, likewise |
//! | `stage.rs` | a stage of a draw, of which several threads run batches |
//! | `schedule.rs` | groups on the threads of the pool |
//! | `pace.rs` | estimates whether work is worth waking a thread for |
//! | `runner.rs` | the parts of a device that dispatches use |
//! | `insight/` | messages of shaders, checked dispatches |
//! | `fault.rs` | reports why a run did not finish |

mod batch;
mod bound;
mod fault;
mod insight;
mod pace;
mod resolved;
mod run;
mod runner;
mod schedule;
mod stage;
mod worker;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use brolga_ir::span::Grid;
use brolga_resource::{Buffer, ResourceError};

pub use bound::BoundShader;
pub use insight::{CheckLog, Checked, CheckedRun, Finding, MessageLog, Party, ShaderMessage};
pub(crate) use pace::{Pace, WORTH_HELP};
pub(crate) use run::once;
pub(crate) use runner::Runner;
pub use stage::{StageRun, StageSeat, StageSession};
pub use worker::{Session, Worker};

use crate::error::{Error, Limit};
use crate::limits::Limits;
use crate::stop::CancelToken;

/// The groups to run, and when to stop.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Dispatch {
    /// Groups along x, y and z, unless they are in a buffer.
    pub groups: [u32; 3],
    /// Buffer and byte offset of the group counts of an indirect dispatch.
    indirect: Option<(Buffer, u64)>,
    /// The first group's position along x, y and z. Threads see the positions of the whole dispatch.
    pub first_group: [u32; 3],
    /// Stops the run when it is cancelled.
    pub cancel: CancelToken,
    /// Stops the run when it has taken this long.
    pub time_limit: Option<Duration>,
    /// Loop iterations that one group may take before the run stops, counted for each packet of threads; `None` for no
    /// bound. Small groups that share packets share their iterations too.
    pub fuel: Option<u64>,
    /// Reports how far the run has got.
    pub progress: Progress,
    /// Collects what the shader prints; by default nobody does.
    pub messages: Option<MessageLog>,
    /// Set to check the stages of draws, on the interpreter; [`BoundShader::check`] checks a dispatch.
    pub check: Option<CheckLog>,
}

impl Dispatch {
    /// Groups along x, y and z, from the origin, without limits.
    pub fn new(groups: [u32; 3]) -> Self {
        Self {
            groups,
            indirect: None,
            first_group: [0; 3],
            cancel: CancelToken::new(),
            time_limit: None,
            fuel: None,
            progress: Progress::default(),
            messages: None,
            check: None,
        }
    }

    /// An indirect dispatch: the group counts along x, y and z are three words of a buffer, from a byte offset on, as
    /// they are when the dispatch begins. Each [`Worker::begin`] reads them anew.
    ///
    /// # Errors
    /// If the words are not all in the buffer, or do not begin at a multiple of 4.
    pub fn indirect(buffer: Buffer, offset_bytes: u64) -> Result<Self, ResourceError> {
        buffer.check(offset_bytes, 12)?;
        if !offset_bytes.is_multiple_of(4) {
            return Err(ResourceError::Misaligned { what: "the numbers of groups begin", offset_bytes, unit_bytes: 4 });
        }
        Ok(Self { indirect: Some((buffer, offset_bytes)), ..Self::new([0; 3]) })
    }

    /// Sets the first group's position.
    pub fn first_group(mut self, first_group: [u32; 3]) -> Self {
        self.first_group = first_group;
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

    /// Sets the loop iterations that one group may take.
    pub fn fuel(mut self, rounds: u64) -> Self {
        self.fuel = Some(rounds);
        self
    }

    /// Sets the log for what the shader prints.
    pub fn messages(mut self, log: MessageLog) -> Self {
        self.messages = Some(log);
        self
    }

    /// Sets the counter in which the run reports its progress.
    pub fn progress(mut self, progress: Progress) -> Self {
        self.progress = progress;
        self
    }
}

/// Progress of a run. Clones share the number, so that another thread can read it.
#[derive(Clone, Debug, Default)]
pub struct Progress(Arc<AtomicU64>);

impl Progress {
    /// A new one at zero.
    pub fn new() -> Self {
        Self::default()
    }

    /// Groups done; of a pass of draws, primitives.
    pub fn groups_done(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }

    /// Adds groups that were run by other means than a dispatch.
    pub fn advance(&self, groups: u64) {
        self.0.fetch_add(groups, Ordering::Relaxed);
    }

    /// Resets the count for a run.
    fn begin(&self) {
        self.0.store(0, Ordering::Relaxed);
    }

    /// Sets the number of groups done, which no other thread does meanwhile.
    fn set(&self, groups: u64) {
        self.0.store(groups, Ordering::Relaxed);
    }

    /// Raises the number of groups done; never lowers it, since threads may report out of order.
    fn raise(&self, groups: u64) {
        self.0.fetch_max(groups, Ordering::Relaxed);
    }
}

/// Report of a finished dispatch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Report {
    /// Groups that ran.
    pub groups: u64,
    /// Threads that ran.
    pub threads: u64,
    /// The most threads of this machine that took part.
    pub workers: usize,
    /// Time from the call to the end of the last group.
    pub elapsed: Duration,
    /// The part of it spent making code that no earlier dispatch of the shader had needed: for texels of other formats,
    /// or groups in short rows.
    pub compile: Duration,
}

/// The most groups of a dispatch, whatever the limits along axes: numbers of threads have 64 bits, of which a group
/// takes less than 16.
const MOST_GROUPS: u64 = u64::MAX >> 16;

/// The groups of a dispatch, if they are within the limits.
fn grid(what: &Dispatch, limits: &Limits) -> Result<Grid, Error> {
    let mut grid = Grid { groups: what.groups, first: what.first_group };
    if let Some((buffer, offset_bytes)) = &what.indirect {
        buffer.read(*offset_bytes, &mut grid.groups)?;
    }
    for axis in 0..3 {
        let value = u64::from(grid.first[axis]) + u64::from(grid.groups[axis]);
        let most = limits.dispatch_groups.into();
        if value > most {
            return Err(Error::OverLimit { limit: Limit::DispatchGroups(axis as u8), value, most });
        }
    }
    // Along x and y there are fewer than 2^64 of them.
    let [x, y, z] = grid.groups.map(u64::from);
    let most = MOST_GROUPS / (x * y).max(1);
    if z > most {
        return Err(Error::OverLimit { limit: Limit::DispatchGroups(2), value: z, most });
    }
    Ok(grid)
}
