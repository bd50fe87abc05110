//! Runs one thread of the caller's: draws a job, a device and a way to stop it, dispatches, and checks the outcome.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use brolga_runtime::{CancelToken, Dispatch, Engine, Error, StopReason};

use crate::catalogue::{FEW, Job};
use crate::fleet::{Fleet, ONE_THREAD, Order};
use crate::support::content::Guarded;
use crate::support::random::Random;

/// One in this many dispatches is to be stopped.
const STOPPED: usize = 10;
/// One in this many is run by the interpreter.
const INTERPRETED: usize = 50;
/// The longest wait before a token is cancelled, as a power of two of idle turns.
const LONGEST_WAIT: usize = 16;
/// The longest time limit, as a power of two of microseconds.
const LONGEST_LIMIT: usize = 10;

/// Outcomes of dispatches.
#[derive(Debug, Default)]
pub struct Tally {
    counts: BTreeMap<&'static str, u64>,
    /// Times from a token's cancellation to the end of its run.
    late: Vec<Duration>,
    /// Failures.
    pub failures: Vec<String>,
}

impl Tally {
    /// Both together.
    pub fn plus(mut self, other: Self) -> Self {
        for (name, count) in other.counts {
            *self.counts.entry(name).or_default() += count;
        }
        self.late.extend(other.late);
        self.failures.extend(other.failures);
        self
    }

    /// Dispatches.
    pub fn total(&self) -> u64 {
        self.counts.values().sum()
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, count) in &self.counts {
            writeln!(f, "{count:8} {name}")?;
        }
        let mut late = self.late.clone();
        late.sort();
        if let (Some(middle), Some(last)) = (late.get(late.len() / 2), late.last()) {
            write!(
                f,
                "stopped runs came back {middle:.1?} after their token was cancelled (median), {last:.1?} at most"
            )?;
        }
        Ok(())
    }
}

/// The way in which a dispatch is stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stop {
    Nothing,
    CancelledBefore,
    CancelledMeanwhile,
    CancelledAfter,
    TimeLimit,
    Fuel,
}

/// Dispatches until there is nothing more to do.
pub fn work(fleet: &Fleet<'_>) -> Tally {
    let mut tally = Tally::default();
    while let Some(mut random) = fleet.next() {
        let what = one(fleet, &mut random, &mut tally.late);
        *tally.counts.entry(what.as_ref().map_or("failed", |what| *what)).or_default() += 1;
        tally.failures.extend(what.err());
    }
    tally
}

/// Runs one dispatch; returns its outcome, or the failure.
fn one(fleet: &Fleet<'_>, random: &mut Random, late: &mut Vec<Duration>) -> Result<&'static str, String> {
    let stop = match random.below(STOPPED) {
        0 => [Stop::CancelledBefore, Stop::CancelledMeanwhile, Stop::CancelledAfter, Stop::TimeLimit, Stop::Fuel]
            [random.below(5)],
        _ => Stop::Nothing,
    };
    let may_be_endless = matches!(stop, Stop::CancelledMeanwhile | Stop::TimeLimit | Stop::Fuel);
    let endless = may_be_endless && random.below(3) == 0;
    let jobs = if endless { &fleet.catalogue.endless } else { &fleet.catalogue.jobs };
    let job = &jobs[random.below(jobs.len())];
    let device = match job.any_order {
        true => fleet.device(random.below(3), random),
        false => fleet.device(ONE_THREAD, random),
    };
    let shader = match random.below(INTERPRETED) {
        0 => fleet.compile(job.shader, &device, Engine::Interpreter),
        _ => fleet.shader(job.shader, &device, random),
    };

    let views = Guarded::bind(&job.contents, &device);
    let token = CancelToken::new();
    let dispatch = Dispatch::new(job.groups).cancel(token.clone());
    let turns = random.bits() & ((1 << random.below(LONGEST_WAIT + 1)) - 1);
    let order = Order { token: token.clone(), turns, done: Arc::default() };
    let limit = Duration::from_micros(u64::from(random.bits() & ((1 << random.below(LONGEST_LIMIT + 1)) - 1)));
    let dispatch = match stop {
        Stop::Nothing | Stop::CancelledAfter => dispatch,
        Stop::CancelledBefore => {
            token.cancel();
            dispatch
        }
        Stop::CancelledMeanwhile => {
            fleet.cancel_later(order.clone());
            dispatch
        }
        Stop::TimeLimit => dispatch.time_limit(limit),
        Stop::Fuel => dispatch.fuel(FEW),
    };
    let end = device.dispatch(&shader, &views.bindings, &dispatch).map(|_| ());
    if stop == Stop::CancelledMeanwhile
        && end.is_err()
        && let Some(at) = order.done.get()
    {
        late.push(at.elapsed());
    }
    // Handles may go in any order.
    drop((dispatch, shader));
    let say = |what: String| format!("{} ({stop:?}, {} threads): {what}", job.name, device.pool().threads());
    if let Some(register) = views.broken() {
        return Err(say(format!("bytes around {register} were written")));
    }
    let verdict = judge(job, endless, stop, limit, &end, &views).map_err(&say)?;
    if stop == Stop::CancelledAfter {
        token.cancel();
        let shader = fleet.shader(job.shader, &device, random);
        let dispatch = Dispatch::new(job.groups).cancel(token);
        let again = device.dispatch(&shader, &views.bindings, &dispatch);
        let expected = Err(Error::StoppedBetweenGroups { why: StopReason::Cancelled, groups_done: 0, groups: 0 });
        if kind(&again.map(|_| ())) != kind(&expected) || job.seen(&views.bindings) != job.after {
            return Err(say("a cancelled token did not keep the next run from beginning".to_owned()));
        }
    }
    Ok(verdict)
}

/// Checks an outcome against the possible ones.
fn judge(
    job: &Job,
    endless: bool,
    stop: Stop,
    limit: Duration,
    end: &Result<(), Error>,
    views: &Guarded,
) -> Result<&'static str, String> {
    let finished = |name| match job.seen(&views.bindings) == job.after {
        true => Ok(name),
        false => Err("a run that was not stopped is wrong".to_owned()),
    };
    let wrong = || match end {
        Ok(()) => Err("it came to an end".to_owned()),
        Err(error) => Err(format!("it ended with `{error}`")),
    };
    match (stop, kind(end)) {
        (Stop::Nothing, End::Finished) => finished("ran to the end"),
        (Stop::CancelledAfter, End::Finished) => {
            finished("ran to the end, then its token was cancelled and used again")
        }
        (Stop::CancelledBefore, End::Stopped(StopReason::Cancelled)) => match job.seen(&views.bindings) == job.before()
        {
            true => Ok("cancelled before it began: nothing was written"),
            false => Err("it was cancelled before it began and wrote something".to_owned()),
        },
        (Stop::CancelledMeanwhile, End::Finished) if !endless => finished("cancelled too late: ran to the end"),
        (Stop::CancelledMeanwhile, End::Stopped(StopReason::Cancelled)) if endless => Ok("without end, cancelled"),
        (Stop::CancelledMeanwhile, End::Stopped(StopReason::Cancelled)) => Ok("cancelled while it ran"),
        (Stop::TimeLimit, End::Finished) if !endless => finished("time enough: ran to the end"),
        (Stop::TimeLimit, End::Stopped(StopReason::TimeLimit(actual))) if actual == limit => match endless {
            true => Ok("without end, stopped by its time limit"),
            false => Ok("stopped by its time limit"),
        },
        (Stop::Fuel, End::Finished) if job.with_few_rounds.is_ok() => finished("rounds enough: ran to the end"),
        (Stop::Fuel, End::Stopped(StopReason::Fuel(FEW))) => {
            let expected = job.with_few_rounds.as_ref().err();
            match (end, endless) {
                (Err(error), _) if expected != Some(&error.to_string()) => {
                    Err(format!("it ended with `{error}`, the interpreter with {expected:?}"))
                }
                (_, true) => Ok("without end, stopped by its rounds"),
                (_, false) => Ok("stopped by its rounds"),
            }
        }
        _ => wrong(),
    }
}

/// Kind of an ending, without its location.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    Finished,
    Stopped(StopReason),
    Failed,
}

fn kind(end: &Result<(), Error>) -> End {
    match end {
        Ok(()) => End::Finished,
        Err(Error::Stopped { why, .. } | Error::StoppedBetweenGroups { why, .. } | Error::CompileStopped { why }) => {
            End::Stopped(*why)
        }
        Err(_) => End::Failed,
    }
}
