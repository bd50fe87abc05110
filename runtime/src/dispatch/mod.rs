//! Running a shader over thread groups.

mod schedule;
mod stop;
mod timer;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use brolga_ir::host::FaultKind;
use brolga_ir::span::Grid;

pub use stop::{CancelToken, StopReason};
pub(crate) use stop::{StopWord, watch};
pub(crate) use timer::Timer;

use crate::bindings::{BindingRules, Bindings};
use crate::device::Device;
use crate::engine::Link;
use crate::error::{Error, Limit};
use crate::host::BoundViews;
use crate::limits::Limits;
use crate::shader::Shader;
use schedule::{Failure, Outcome};

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
    /// Rounds that the loops of one group may take before the run stops, counted for each packet of threads; `None` for no
    /// bound. Small groups that share packets share their rounds too.
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

    /// What is done by now. Threads may say it out of order, so it never goes back.
    fn set(&self, groups: u64) {
        if groups > self.groups_done() {
            self.0.store(groups, Ordering::Relaxed);
        }
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
    /// The part of it that went into code for what no dispatch of the shader had bound before: texels of other formats, or
    /// groups in short rows.
    pub compile: Duration,
}

/// Work below this, in threads times instructions, is done sooner than another thread wakes up.
const SMALL: u64 = 1 << 15;

/// Runs a dispatch.
pub(crate) fn run(device: &Device, shader: &Shader, bindings: &Bindings, what: &Dispatch) -> Result<Report, Error> {
    let start = Instant::now();
    let grid = Grid { groups: what.groups, first: what.first_group };
    check_groups(grid, device.limits())?;
    what.progress.0.store(0, Ordering::Relaxed);
    let (stop, _alarm) = watch(&what.cancel, device.timer(), start, what.time_limit).map_err(Error::timer)?;
    let (limits, guard_pages) = (device.limits(), device.guard_pages());
    let views = BoundViews::new(shader.outline(), bindings, what.rules, limits, guard_pages, &stop)?;
    let link = Link::new(shader, grid, views, device.workspaces())?;
    let threads = threads_for(device, shader, grid.count());
    let fuel = what.fuel.unwrap_or(u64::MAX);
    let outcome = schedule::run(device.pool(), threads, &link, grid, fuel, &what.progress);
    let groups = grid.count();
    if outcome.groups_done < groups {
        return Err(error_of(shader, what, &stop, outcome, groups));
    }
    let threads_run = groups * shader.group_size().map(u64::from).iter().product::<u64>();
    Ok(Report { groups, threads: threads_run, workers: threads, elapsed: start.elapsed(), compile: link.made_in() })
}

fn check_groups(grid: Grid, limits: &Limits) -> Result<(), Error> {
    for axis in 0..3 {
        let value = u64::from(grid.first[axis]) + u64::from(grid.groups[axis]);
        let most = limits.dispatch_groups.into();
        if value > most {
            return Err(Error::OverLimit { limit: Limit::DispatchGroups(axis as u8), value, most });
        }
    }
    Ok(())
}

/// Threads worth having: the caller's alone for small dispatches.
fn threads_for(device: &Device, shader: &Shader, groups: u64) -> usize {
    let threads: u64 = shader.group_size().map(u64::from).iter().product();
    let work = groups.saturating_mul(threads).saturating_mul(shader.outline().inst_count() as u64);
    let most = if work < SMALL { 1 } else { groups.max(1) };
    device.pool().threads().min(usize::try_from(most).unwrap_or(usize::MAX))
}

/// Says why a run did not finish.
fn error_of(shader: &Shader, what: &Dispatch, stop: &StopWord, outcome: Outcome, groups: u64) -> Error {
    let groups_done = outcome.groups_done;
    let why = stop.reason();
    let (fault, group) = match (outcome.failure, why) {
        (Some(Failure::Error(error)), _) => return error,
        (Some(Failure::Fault { fault, group }), _) => (fault, group),
        (None, Some(why)) => return Error::StoppedBetweenGroups { why, groups_done, groups },
        (None, None) => return Error::Internal { what: "groups are missing and none failed".to_owned() },
    };
    let place = shader.place(fault.origin);
    match (fault.kind, why) {
        (FaultKind::Stopped, Some(why)) if fault.origin == Default::default() => {
            Error::StoppedBetweenGroups { why, groups_done, groups }
        }
        (FaultKind::Stopped, Some(why)) => Error::Stopped { why, place, group },
        (FaultKind::OutOfFuel, _) => {
            Error::Stopped { why: StopReason::Fuel(what.fuel.unwrap_or(u64::MAX)), place, group }
        }
        (FaultKind::DivergentBarrier { threads }, _) => {
            let [width, height, _] = shader.group_size();
            let threads = threads.map(|n| [n % width, n / width % height, n / width / height]);
            Error::DivergentBarrier { place, group, threads }
        }
        (kind, _) => Error::Internal { what: format!("{kind:?} in group {group:?} at {place}") },
    }
}
