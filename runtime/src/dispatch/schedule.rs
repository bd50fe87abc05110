//! Distributes the groups of a dispatch over the threads of the pool.
//!
//! Groups start in increasing order, x fastest: with one thread they run in that order. Small groups run in spans (see
//! [`Packing`]); which of them share packets does not depend on the threads. A thread takes a few spans at a time,
//! fewer towards the end, and keeps its arena. When one fails, no later one starts and earlier ones still finish, so
//! that of several failing spans the first one is reported whatever the number of threads; a stop ends all of them.

use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use brolga_ir::Width;
use brolga_ir::host::{Fault, FaultKind};
use brolga_ir::span::{Grid, Packing, Span};

use super::fault::{Failure, Outcome, fault_in};
use super::pace::Pace;
use super::{Progress, Runner};
use crate::engine::{Link, Seat, float_guard};
use crate::error::{Error, internal};
use crate::pool::Helpers;

/// Shares of the remaining groups for each thread, so that none waits long for the last one.
const SHARES: u64 = 16;

/// The same for a thread that works alone and decides after each share whether to call for help.
const SHARES_ALONE: u64 = 8;

/// Most spans that a thread takes at a time.
const MOST_AT_A_TIME: u64 = 256;

/// Division of a dispatch into spans.
#[derive(Clone, Copy, Debug)]
struct Plan {
    grid: Grid,
    /// Groups within which a span must stay: a row, or all.
    row: u64,
    /// Groups per span.
    at_once: u64,
    /// Spans per row.
    per_row: u64,
    /// Spans of the dispatch.
    spans: u64,
}

impl Plan {
    fn new(grid: Grid, packing: Packing, width: Width, threads_per_group: u32, workers: u64) -> Self {
        let row = match packing {
            Packing::Row => u64::from(grid.groups[0]),
            _ => grid.count(),
        };
        let lanes = width.lanes();
        let quantum = u64::from(packing.quantum(threads_per_group, lanes));
        let most = u64::from(packing.most_groups(threads_per_group, lanes));
        // A division can cost more than a group does, and small dispatches need none.
        let (count, shares) = (grid.count(), workers * SHARES);
        let share = if count < shares * quantum { 0 } else { count / shares / quantum * quantum };
        let at_once = share.clamp(quantum, most);
        let per_row = if row <= at_once { row.min(1) } else { row.div_ceil(at_once) };
        let rows = if row == count { 1 } else { count.checked_div(row).unwrap_or(0) };
        Self { grid, row, at_once, per_row, spans: rows * per_row }
    }

    /// Spans of the dispatch.
    fn spans(&self) -> u64 {
        self.spans
    }

    /// The n-th span.
    fn span(&self, n: u64) -> Span {
        // Most dispatches are one row.
        let (row, part) = if n < self.per_row { (0, n) } else { (n / self.per_row, n % self.per_row) };
        let groups = self.at_once.min(self.row - part * self.at_once);
        Span { grid: self.grid, start: row * self.row + part * self.at_once, groups: groups as u32 }
    }
}

/// The work of a run.
#[derive(Clone, Copy, Debug)]
pub(super) struct Job<'a> {
    pub grid: Grid,
    pub threads_per_group: u32,
    pub width: Width,
    /// Loop iterations that a group may take.
    pub fuel: u64,
    pub progress: &'a Progress,
    /// Timing of its shader's groups.
    pub pace: &'a Pace,
    /// Threads of the pool that may work on it, the caller's among them.
    pub threads: usize,
}

struct Run<'a> {
    link: &'a Link<'a>,
    runner: &'a Runner,
    plan: Plan,
    job: Job<'a>,
    /// A thread takes one of this many shares of the remaining spans.
    shares: u64,
    /// The next span.
    next: AtomicU64,
    /// Groups that finished.
    done: AtomicU64,
    /// Last span that may start.
    last: AtomicU64,
    failure: Mutex<Option<((u8, u64), Failure)>>,
}

/// Runs all groups in the caller's thread, which has a seat already, and in others where that is worth while. Also
/// returns the most threads that took part.
pub(super) fn run(link: &Link<'_>, runner: &Runner, seat: &mut Seat, job: Job<'_>) -> (Outcome, usize) {
    let plan = |workers| Plan::new(job.grid, link.code().packing(), job.width, job.threads_per_group, workers);
    if job.threads == 1 {
        return (alone(link, &plan(1), seat, job), 1);
    }
    let expected = job.pace.expect(job.grid.count());
    // Far too short for help to be worth while: never checks whether it is.
    if expected.is_some_and(|expected| expected < runner.worth_help / 4) {
        let start = Instant::now();
        let outcome = alone(link, &plan(1), seat, job);
        job.pace.note(outcome.groups_done, start.elapsed());
        return (outcome, 1);
    }
    let workers = job.threads as u64;
    let run = Run {
        plan: plan(workers),
        link,
        runner,
        job,
        shares: workers * SHARES,
        next: AtomicU64::new(0),
        done: AtomicU64::new(0),
        last: AtomicU64::new(u64::MAX),
        failure: Mutex::new(None),
    };
    let workers = runner.pool.run_with(&|| run.help(), |helpers| {
        run.lead(seat, helpers, expected.unwrap_or_default());
        if helpers.are_called() { job.threads } else { 1 }
    });
    let failure = run.failure.into_inner().unwrap_or_else(PoisonError::into_inner);
    (Outcome { groups_done: run.done.into_inner(), failure: failure.map(|(_, failure)| failure) }, workers)
}

/// The same by a single thread.
fn alone(link: &Link<'_>, plan: &Plan, seat: &mut Seat, job: Job<'_>) -> Outcome {
    let mut groups_done = 0;
    let work = || {
        let mode = float_guard(link.code());
        let mut running = seat.start(link, &mode);
        for n in 0..plan.spans() {
            let span = plan.span(n);
            running.span(&span, job.fuel).map_err(|fault| fault_in(&span, fault))?;
            groups_done += u64::from(span.groups);
            job.progress.set(groups_done);
        }
        Ok(())
    };
    let result = catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| Err(Failure::Error(internal(&*panic))));
    Outcome { groups_done, failure: result.err() }
}

impl Run<'_> {
    /// The caller's thread: works, and calls others once it knows that there is enough work. A panic becomes a failure.
    fn lead(&self, seat: &mut Seat, helpers: &Helpers<'_>, expected: Duration) {
        let (pace, groups, worth_help) = (self.job.pace, self.plan.grid.count(), self.runner.worth_help);
        if expected >= worth_help {
            helpers.call(self.job.threads - 1);
        }
        self.guarded(|| {
            let (start, mut own) = (Instant::now(), 0);
            let mut seat = Some(seat);
            let look = |done: u64| {
                own += done;
                let took = start.elapsed();
                // Assumes the speed so far.
                let left = groups.saturating_sub(self.done.load(Ordering::Relaxed));
                if !helpers.are_called()
                    && took.as_nanos() * u128::from(left) >= worth_help.as_nanos() * u128::from(own)
                {
                    helpers.call(self.job.threads - 1);
                }
                pace.note(own, took);
                helpers.are_called()
            };
            self.share(helpers.are_called(), || Ok(seat.take().expect("asked for once")), look);
        });
    }

    /// Another thread: works in a seat of its own.
    fn help(&self) {
        self.guarded(|| {
            let mut made = None;
            self.share(true, || Ok(made.insert(Seat::new(self.link.code(), &self.runner.workspaces)?)), |_| true);
            if let Some(seat) = made {
                seat.give_back(&self.runner.workspaces);
            }
        });
    }

    fn guarded(&self, work: impl FnOnce()) {
        if let Err(panic) = catch_unwind(AssertUnwindSafe(work)) {
            self.fail(0, 0, Failure::Error(internal(&*panic)));
        }
    }

    /// Takes spans until none are left. The seat is obtained only when there is work. After each share `look` gets the
    /// number of groups done, and returns whether others help.
    fn share<'s>(
        &self,
        mut is_helped: bool,
        seat: impl FnOnce() -> Result<&'s mut Seat, Error>,
        mut look: impl FnMut(u64) -> bool,
    ) {
        let count = self.plan.spans();
        let mut ask = Some(seat);
        let mut seat = None;
        loop {
            // Others may take some meanwhile, so that this is a little more or less than its share.
            let left = count.saturating_sub(self.next.load(Ordering::Relaxed));
            let shares = if is_helped { self.shares } else { SHARES_ALONE };
            let taken = (left / shares).clamp(1, MOST_AT_A_TIME);
            let start = self.next.fetch_add(taken, Ordering::Relaxed);
            if start >= count || start > self.last.load(Ordering::Relaxed) {
                return;
            }
            if let Some(ask) = ask.take() {
                match ask() {
                    Ok(given) => seat = Some(given),
                    Err(error) => return self.fail(0, start, Failure::Error(error)),
                }
            }
            let Some(seat) = seat.as_deref_mut() else { return };
            let end = (start + taken).min(count);
            let mut done = 0;
            let whole = self.work_on(start..end, seat, &mut done);
            // Once for all of them: an atomic add to shared memory waits until the groups' writes are in the cache.
            let before = self.done.fetch_add(done, Ordering::Relaxed);
            self.job.progress.raise(before + done);
            if !whole {
                return;
            }
            is_helped = look(done);
            if end == count {
                return;
            }
        }
    }

    /// Runs some spans and counts their groups; returns whether all finished.
    fn work_on(&self, spans: Range<u64>, seat: &mut Seat, done: &mut u64) -> bool {
        let mode = float_guard(self.link.code());
        let mut running = seat.start(self.link, &mode);
        for n in spans {
            if n > self.last.load(Ordering::Relaxed) {
                return false;
            }
            let span = self.plan.span(n);
            if let Err(fault) = running.span(&span, self.job.fuel) {
                self.fail(rank(fault), n, fault_in(&span, fault));
                return false;
            }
            *done += u64::from(span.groups);
        }
        true
    }

    /// Records a failure. Of several, the lowest rank wins, then the first span.
    fn fail(&self, rank: u8, n: u64, failure: Failure) {
        self.last.fetch_min(n, Ordering::Relaxed);
        let mut noted = self.failure.lock().unwrap_or_else(PoisonError::into_inner);
        if noted.as_ref().is_none_or(|(key, _)| (rank, n) < *key) {
            *noted = Some(((rank, n), failure));
        }
    }
}

/// Rank of a fault: a fault of the shader comes before a stop of the run, and a stop inside an instruction before one
/// at a group's start.
fn rank(fault: Fault) -> u8 {
    match fault.kind {
        FaultKind::Stopped if fault.origin == Default::default() => 3,
        FaultKind::Stopped => 2,
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every group is in one span, in order; spans keep to their packing and begin where packets do.
    #[test]
    fn spans_cover_the_dispatch() {
        for groups in [[1, 1, 1], [7, 3, 2], [8, 1, 5], [1, 100, 1], [1000, 2, 1], [3000, 1, 1], [5, 0, 1]] {
            for (packing, threads) in
                [(Packing::Group, 64), (Packing::Row, 1), (Packing::Row, 12), (Packing::Row, 7), (Packing::Grid, 3)]
            {
                for (workers, width) in [1, 2, 16].into_iter().flat_map(|n| Width::ALL.map(|width| (n, width))) {
                    let lanes = width.lanes();
                    let grid = Grid { groups, first: [4, 5, 6] };
                    let plan = Plan::new(grid, packing, width, threads, workers);
                    let mut next = 0;
                    for span in (0..plan.spans()).map(|n| plan.span(n)) {
                        let what = format!("{span:?} of {packing:?}, {threads} threads, {width:?}, {workers} workers");
                        assert_eq!(span.start, next, "{what}");
                        assert!(span.groups > 0 && span.is_packed(packing, threads, lanes), "{what}");
                        let quantum = u64::from(packing.quantum(threads, lanes));
                        assert!((span.start % plan.row).is_multiple_of(quantum), "{what}");
                        next += u64::from(span.groups);
                    }
                    assert_eq!(next, grid.count());
                }
            }
        }
        let whole = Grid { groups: [65535; 3], first: [0; 3] };
        assert_eq!(Plan::new(whole, Packing::Grid, Width::Eight, 1, 4).span(1).start, 1024);
        assert_eq!(Plan::new(whole, Packing::Row, Width::Eight, 1, 4).spans(), 64 * 65535 * 65535);
    }
}
