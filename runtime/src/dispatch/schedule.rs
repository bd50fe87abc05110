//! Cuts a dispatch into groups for the threads of the pool.
//!
//! Groups start in increasing order, x fastest: with one thread they run in that order. A thread takes a few at a time
//! and keeps its arena. When a group fails, no later one starts and earlier ones still finish, so that of several failing
//! groups the first one is reported whatever the number of threads; a stop ends all of them.

use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use brolga_ir::host::{Fault, FaultKind};

use super::Progress;
use crate::device::Pool;
use crate::engine::{Link, Worker};
use crate::error::{Error, internal};

/// Shares of the groups for each thread, so that none waits long for the last one.
const SHARES: u64 = 16;

/// Most groups that a thread takes at a time.
const MOST_AT_A_TIME: u64 = 256;

/// A box of groups.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Grid {
    pub groups: [u32; 3],
    pub first: [u32; 3],
}

impl Grid {
    /// Groups in the box.
    pub fn count(&self) -> u64 {
        // Each is at most 65,535.
        self.groups.iter().map(|&n| u64::from(n)).product()
    }

    /// The position of the n-th group.
    fn group(&self, n: u64) -> [u32; 3] {
        let [width, height, _] = self.groups.map(u64::from);
        let [x, y, z] = [n % width, n / width % height, n / width / height];
        // Below the number of groups along the axis.
        [self.first[0] + x as u32, self.first[1] + y as u32, self.first[2] + z as u32]
    }
}

/// Why a run did not finish.
#[derive(Debug)]
pub(super) enum Failure {
    /// A group met a fault.
    Fault { fault: Fault, group: [u32; 3] },
    /// A thread could not begin, or a fault of ours.
    Error(Error),
}

/// How a run ended.
#[derive(Debug)]
pub(super) struct Outcome {
    /// Groups that finished.
    pub groups_done: u64,
    /// The failure to report.
    pub failure: Option<Failure>,
}

struct Run {
    link: Link,
    grid: Grid,
    fuel: u64,
    progress: Progress,
    at_a_time: u64,
    next: AtomicU64,
    done: AtomicU64,
    /// No group after this one starts.
    last: AtomicU64,
    failure: Mutex<Option<((u8, u64), Failure)>>,
}

/// Runs all groups with up to `threads` threads of the pool, the caller's among them.
pub(super) fn run(pool: &Pool, threads: usize, link: Link, grid: Grid, fuel: u64, progress: Progress) -> Outcome {
    let count = grid.count();
    let run = Arc::new(Run {
        link,
        grid,
        fuel,
        progress,
        at_a_time: (count / (threads as u64 * SHARES)).clamp(1, MOST_AT_A_TIME),
        next: AtomicU64::new(0),
        done: AtomicU64::new(0),
        last: AtomicU64::new(u64::MAX),
        failure: Mutex::new(None),
    });
    let work = {
        let run = run.clone();
        Arc::new(move || run.work())
    };
    pool.run(threads - 1, work);
    let failure = run.failure.lock().unwrap_or_else(PoisonError::into_inner).take();
    Outcome { groups_done: run.done.load(Ordering::Relaxed), failure: failure.map(|(_, failure)| failure) }
}

impl Run {
    /// One thread's work. A panic becomes a failure.
    fn work(&self) {
        if let Err(panic) = catch_unwind(AssertUnwindSafe(|| self.work_unguarded())) {
            self.fail(0, 0, Failure::Error(internal(&*panic)));
        }
    }

    fn work_unguarded(&self) {
        let mut worker = None;
        let count = self.grid.count();
        loop {
            let start = self.next.fetch_add(self.at_a_time, Ordering::Relaxed);
            if start >= count {
                return;
            }
            let end = (start + self.at_a_time).min(count);
            let stopped_at = self.work_on(start..end, &mut worker);
            // Once for all of them: the number is shared by all threads.
            self.done.fetch_add(stopped_at - start, Ordering::Relaxed);
            if stopped_at < end {
                return;
            }
        }
    }

    /// Runs some groups; gives the one that was not finished, or the end.
    fn work_on<'a>(&'a self, groups: Range<u64>, worker: &mut Option<Worker<'a>>) -> u64 {
        for n in groups.clone() {
            if n > self.last.load(Ordering::Relaxed) || self.link.stop().is_set() {
                return n;
            }
            let worker = match worker {
                Some(worker) => worker,
                None => match self.link.worker() {
                    Ok(new) => worker.insert(new),
                    Err(error) => {
                        self.fail(0, n, Failure::Error(error));
                        return n;
                    }
                },
            };
            let group = self.grid.group(n);
            if let Err(fault) = worker.run_group(group, self.fuel) {
                self.fail(rank(fault), n, Failure::Fault { fault, group });
                return n;
            }
            self.progress.add(1);
        }
        groups.end
    }

    /// Notes a failure. Of several the lowest rank counts, then the first group.
    fn fail(&self, rank: u8, n: u64, failure: Failure) {
        self.last.fetch_min(n, Ordering::Relaxed);
        let mut noted = self.failure.lock().unwrap_or_else(PoisonError::into_inner);
        if noted.as_ref().is_none_or(|(key, _)| (rank, n) < *key) {
            *noted = Some(((rank, n), failure));
        }
    }
}

/// A fault of the shader is more worth telling than that the run was stopped, and a stop inside an instruction more than
/// one at a group's start.
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

    #[test]
    fn groups_are_counted_x_first_from_the_first_one() {
        let grid = Grid { groups: [3, 2, 2], first: [10, 20, 30] };
        let all: Vec<_> = (0..grid.count()).map(|n| grid.group(n)).collect();
        let mut expected = Vec::new();
        for z in 30..32 {
            for y in 20..22 {
                for x in 10..13 {
                    expected.push([x, y, z]);
                }
            }
        }
        assert_eq!(all, expected);
        assert_eq!(Grid { groups: [65535; 3], first: [0; 3] }.count(), 65535u64.pow(3));
        assert_eq!(Grid { groups: [7, 0, 2], first: [0; 3] }.count(), 0);
    }
}
