//! Measures documents: the time to compile their shaders, and to run their steps.
//!
//! ```no_run
//! use std::path::Path;
//!
//! use brolga_bench::{Amount, Series, measure};
//! use brolga_document::{Document, RunOptions};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let device = brolga_runtime::Device::builder().threads(1).build()?;
//! let prepared = Document::load(Path::new("examples/mandelbrot.toml"))?.prepare(device.limits())?;
//! let (mut series, _outcome) = Series::begin(&prepared, &device, 0, &RunOptions::default())?;
//! measure(&mut [&mut series], Amount::Rounds(5), &mut |_| {});
//! println!("{:?}", series.runs().wall());
//! # Ok(())
//! # }
//! ```
//!
//! Only the steps are measured: pipelines are compiled and resources bound before. If the steps are dispatches,
//! everything that they write gets its initial content back between two runs, outside the measured time; frames of
//! draws find the memory as the one before left it. Several series take turns, so that a temporary disturbance of the
//! machine affects all of them. Each run is one sample, of wall time and of the process's processor time; statistics
//! are over all samples.
//!
//! | file | what |
//! |---|---|
//! | `clock.rs` | wall time and processor time |
//! | `reference.rs` | work that is always the same |
//! | `samples.rs` | repeated measurements and their statistics |
//! | `series.rs` | one variant of a document, or another subject, on one engine and device |
//!
//! Here is the loop itself: [`measure`], in which the series take turns, and the amount of work, in time or rounds.
#![forbid(unsafe_code)]

mod clock;
mod reference;
mod samples;
mod series;

use std::time::{Duration, Instant};

pub use clock::{Sample, Stopwatch};
pub use reference::reference;
pub use samples::{Samples, Statistics};
pub use series::{Measured, Series};

/// The amount of measuring.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Amount {
    /// A number of rounds, in each of which every series dispatches once. It compiles as often, up to ten times.
    Rounds(u32),
    /// About this much time in the dispatches of every series, in ten rounds or, if a dispatch takes long, in fewer; at
    /// least three dispatches.
    Time(Duration),
}

/// The work of a dispatch, as far as it is known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Work {
    /// The number of items, for throughput.
    pub items: u64,
    /// The name of an item.
    pub item: &'static str,
    /// Bytes that have to move between views and registers.
    pub bytes: Option<u64>,
    /// Operations of the shader's source.
    pub operations: Option<u64>,
}

/// The number of rounds into which a time is divided.
const ROUNDS: u32 = 10;
/// The part of the time that compiling may take in addition.
const COMPILING: u32 = 4;
/// The minimum number of dispatches for a meaningful median.
const LEAST_DISPATCHES: usize = 3;

impl Amount {
    /// Time in dispatches that a series takes in a round; `None` for one dispatch.
    fn slice(self) -> Option<Duration> {
        match self {
            Amount::Rounds(_) => None,
            Amount::Time(time) => Some(time / ROUNDS),
        }
    }

    /// `true` if a shader was compiled often enough.
    fn compiled(self, compiles: &Samples) -> bool {
        match self {
            Amount::Rounds(most) => compiles.len() >= most.min(ROUNDS) as usize,
            Amount::Time(time) => {
                compiles.len() >= ROUNDS as usize || (!compiles.is_empty() && compiles.total_wall() >= time / COMPILING)
            }
        }
    }

    /// The progress of the dispatches of a series, from 0 to 1.
    fn done(self, rounds: u32, runs: &Samples) -> f64 {
        match self {
            Amount::Rounds(most) => f64::from(rounds) / f64::from(most.max(1)),
            Amount::Time(time) => {
                let spent = runs.total_wall().as_secs_f64() / time.as_secs_f64().max(1e-9);
                let by_time = spent.max(f64::from(rounds) / f64::from(ROUNDS));
                by_time.min(runs.len() as f64 / LEAST_DISPATCHES as f64)
            }
        }
        .min(1.0)
    }
}

/// Measures every series: first its compilation, then its runs, after a warm-up. A series that fails keeps its error
/// and is left alone. Once a cancel token is set nothing more is measured.
///
/// `tell` is called after every turn of a series with the progress of the whole, from 0 to 1.
pub fn measure(series: &mut [&mut Series<'_>], amount: Amount, tell: &mut dyn FnMut(f64)) {
    take_turns(series, |_, one| one.compiles_again() && !amount.compiled(one.compiles()), |one, _| one.compile());
    take_turns(series, |round, _| round == 0, |one, _| one.warm_up(amount.slice()));
    let count = series.len() as f64;
    let mut done = vec![0.0; series.len()];
    let unfinished = |round, one: &Series<'_>| amount.done(round, one.runs()) < 1.0;
    take_turns(series, unfinished, |one, Turn { at, round }| {
        one.turn(amount.slice());
        done[at] = amount.done(round + 1, one.runs());
        tell(done.iter().sum::<f64>() / count);
    });
}

/// The series whose turn it is, and the round.
struct Turn {
    at: usize,
    round: u32,
}

/// Gives every series that wants one a turn in every round, until none does.
fn take_turns(
    series: &mut [&mut Series<'_>],
    wants: impl Fn(u32, &Series<'_>) -> bool,
    mut turn: impl FnMut(&mut Series<'_>, Turn),
) {
    for round in 0.. {
        let mut finished = true;
        for (at, one) in series.iter_mut().enumerate() {
            if one.is_cancelled() {
                return;
            }
            if !one.has_failed() && wants(round, one) {
                finished = false;
                turn(one, Turn { at, round });
            }
        }
        if finished {
            return;
        }
    }
}

/// Repeats an action until it took `time` by its own account; once if no time is given. Time that does not count may be
/// three times as long as the time that does, no more.
fn repeat<E>(time: Option<Duration>, mut once: impl FnMut() -> Result<Duration, E>) -> Result<(), E> {
    let start = Instant::now();
    let mut counted = once()?;
    while time.is_some_and(|time| counted < time && start.elapsed() < 4 * time) {
        counted += once()?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const MOMENT: Duration = Duration::from_millis(1);

    fn samples(count: usize) -> Samples {
        let mut samples = Samples::default();
        (0..count).for_each(|_| samples.push(Sample { wall: MOMENT, cpu: None }));
        samples
    }

    #[test]
    fn rounds_are_counted() {
        let amount = Amount::Rounds(4);
        assert_eq!([0, 1, 4, 5].map(|round| amount.done(round, &samples(1))), [0.0, 0.25, 1.0, 1.0]);
        assert_eq!(amount.slice(), None);
    }

    #[test]
    fn time_is_over_when_it_is_spent_or_after_ten_rounds_but_not_before_three_dispatches() {
        let amount = Amount::Time(10 * MOMENT);
        assert_eq!(amount.slice(), Some(MOMENT));
        assert_eq!(amount.done(1, &samples(5)), 0.5);
        assert_eq!(amount.done(1, &samples(10)), 1.0);
        assert_eq!(amount.done(10, &samples(5)), 1.0);
        assert_eq!(Amount::Time(MOMENT).done(1, &samples(2)), 2.0 / 3.0);
    }

    #[test]
    fn what_counts_for_nothing_is_not_repeated_for_ever() {
        assert_eq!(repeat(Some(MOMENT), || Ok::<_, ()>(Duration::ZERO)), Ok(()));
        let mut times = 0;
        let mut once = || {
            times += 1;
            if times < 3 { Ok(MOMENT) } else { Err(()) }
        };
        assert_eq!(repeat(None, &mut once), Ok(()));
        assert_eq!(repeat(Some(Duration::MAX / 8), &mut once), Err(()));
    }
}
