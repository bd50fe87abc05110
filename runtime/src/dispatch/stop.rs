//! Stopping a run: cancel tokens, the time limit, and the stop word that engines look at.

use std::fmt;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::{Duration, Instant};

use super::timer::{Alarm, Timer};

/// Who stopped a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum StopReason {
    /// Its cancel token.
    Cancelled,
    /// Its time limit.
    TimeLimit(Duration),
    /// Its bound on loop rounds.
    Fuel(u64),
}

impl fmt::Display for StopReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StopReason::Cancelled => f.write_str("the run was cancelled"),
            StopReason::TimeLimit(limit) => write!(f, "the time limit of {limit:?} stopped the run"),
            StopReason::Fuel(rounds) => write!(f, "the limit of {rounds} loop rounds a group stopped the run"),
        }
    }
}

const RUNNING: u32 = 0;
const CANCELLED: u32 = 1;
const OUT_OF_TIME: u32 = 2;

/// The word that tells the workers of a run to stop; not 0 if they shall.
///
/// A run without a time limit looks at its token's own word, one with a limit at a word of its own that follows the
/// token's.
#[derive(Debug, Default)]
pub(crate) struct StopWord {
    word: AtomicU32,
    /// The time limit, if there is one.
    limit: Option<Duration>,
    followers: Mutex<Vec<Weak<StopWord>>>,
}

impl StopWord {
    /// The word itself, for compiled code.
    pub fn word(&self) -> &AtomicU32 {
        &self.word
    }

    /// Whether the run shall stop.
    pub fn is_set(&self) -> bool {
        self.word.load(Ordering::Relaxed) != RUNNING
    }

    /// Why, if it shall.
    pub fn reason(&self) -> Option<StopReason> {
        match self.word.load(Ordering::Relaxed) {
            RUNNING => None,
            OUT_OF_TIME => Some(StopReason::TimeLimit(self.limit.unwrap_or_default())),
            _ => Some(StopReason::Cancelled),
        }
    }

    /// Stops the run because its time is over.
    pub(super) fn end_time(&self) {
        self.set(OUT_OF_TIME);
    }

    /// The first reason stays.
    fn set(&self, reason: u32) {
        let _ = self.word.compare_exchange(RUNNING, reason, Ordering::Relaxed, Ordering::Relaxed);
    }

    /// Stops the run and those that follow it.
    fn cancel(&self) {
        let mut followers = self.followers.lock().unwrap_or_else(PoisonError::into_inner);
        self.set(CANCELLED);
        for follower in followers.drain(..).filter_map(|follower| follower.upgrade()) {
            follower.set(CANCELLED);
        }
    }

    /// A new word that is cancelled with this one, for a run with a time limit.
    fn follower(&self, limit: Duration) -> Arc<Self> {
        let follower = Arc::new(Self { limit: Some(limit), ..Self::default() });
        let mut followers = self.followers.lock().unwrap_or_else(PoisonError::into_inner);
        if self.is_set() {
            follower.set(CANCELLED);
        } else {
            followers.retain(|follower| follower.strong_count() > 0);
            followers.push(Arc::downgrade(&follower));
        }
        follower
    }
}

/// Stops the runs that it was given to. Clones are the same token; once cancelled it stays so.
#[derive(Clone, Debug, Default)]
pub struct CancelToken {
    word: Arc<StopWord>,
}

impl CancelToken {
    /// A token that nobody has cancelled.
    pub fn new() -> Self {
        Self::default()
    }

    /// Stops the runs that have this token, and every later one.
    pub fn cancel(&self) {
        self.word.cancel();
    }

    /// Whether it was cancelled.
    pub fn is_cancelled(&self) -> bool {
        self.word.is_set()
    }
}

/// Begins to watch a run that began at `start`: gives the word that is set when the token is cancelled or the time is over,
/// and the alarm, which lasts as long as it is kept. The timer's thread may be refused.
pub(crate) fn watch<'a>(
    token: &CancelToken,
    timer: &'a Timer,
    start: Instant,
    time_limit: Option<Duration>,
) -> std::io::Result<(Arc<StopWord>, Option<Alarm<'a>>)> {
    let Some(limit) = time_limit else { return Ok((token.word.clone(), None)) };
    let stop = token.word.follower(limit);
    if limit.is_zero() {
        stop.end_time();
    }
    let alarm = match start.checked_add(limit) {
        Some(deadline) if !stop.is_set() => Some(timer.set(deadline, stop.clone())?),
        _ => None,
    };
    Ok((stop, alarm))
}

#[cfg(test)]
mod tests {
    use super::*;

    const LONG: Duration = Duration::from_secs(1 << 20);

    #[test]
    fn a_token_stops_present_and_later_runs() {
        let (token, timer) = (CancelToken::new(), Timer::default());
        let begin = |limit| watch(&token, &timer, Instant::now(), limit).unwrap();
        let (first, second) = (begin(None), begin(Some(LONG)));
        assert_eq!([&first, &second].map(|(stop, _)| stop.reason()), [None; 2]);
        token.clone().cancel();
        assert!(token.is_cancelled());
        for (stop, _) in [first, second, begin(None), begin(Some(LONG))] {
            assert_eq!(stop.reason(), Some(StopReason::Cancelled));
        }
    }

    #[test]
    fn time_over_sets_the_word_and_names_the_limit() {
        let (token, timer) = (CancelToken::new(), Timer::default());
        let begin = |limit| watch(&token, &timer, Instant::now(), Some(limit)).unwrap();
        let limit = Duration::ZERO;
        assert_eq!(begin(limit).0.reason(), Some(StopReason::TimeLimit(limit)));
        // The thread waits for the late one when the early one comes.
        let (late, _alarm) = begin(LONG);
        for limit in [Duration::from_millis(1), Duration::from_nanos(1)] {
            let (stop, _alarm) = begin(limit);
            while !stop.is_set() {
                std::thread::yield_now();
            }
            assert_eq!(stop.reason(), Some(StopReason::TimeLimit(limit)));
        }
        assert!(!late.is_set() && !token.is_cancelled());
    }

    #[test]
    fn a_run_that_ends_early_is_not_waited_for() {
        let (token, timer) = (CancelToken::new(), Timer::default());
        for limit in [LONG, Duration::MAX] {
            let (stop, _alarm) = watch(&token, &timer, Instant::now(), Some(limit)).unwrap();
            assert!(!stop.is_set());
        }
    }
}
