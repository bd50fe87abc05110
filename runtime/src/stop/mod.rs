//! Stops runs: cancel tokens and time limits.
//!
//! | file | what |
//! |---|---|
//! | `word.rs` | the word that engines poll, and the reason of a stop |
//! | `timer.rs` | the clock that sets it when a run's time is over |
//! | `hook.rs` | work on another thread, while the caller's calls a hook |

mod hook;
mod timer;
mod word;

use std::sync::Arc;
use std::time::{Duration, Instant};

pub(crate) use timer::Timer;
pub use word::StopReason;
pub(crate) use word::StopWord;

use timer::Alarm;

/// Stops the runs that it was given to. Clones are the same token; once cancelled it stays cancelled.
#[derive(Clone, Debug, Default)]
pub struct CancelToken {
    word: Arc<StopWord>,
}

impl CancelToken {
    /// A token that is not cancelled.
    pub fn new() -> Self {
        Self::default()
    }

    /// Stops the runs that have this token, and every later one.
    pub fn cancel(&self) {
        self.word.cancel();
    }

    /// `true` if it was cancelled.
    pub fn is_cancelled(&self) -> bool {
        self.word.is_set()
    }

    /// Reason why the runs that have this token stop, if they do.
    pub fn stop_reason(&self) -> Option<StopReason> {
        self.word.reason()
    }

    /// The stop word that running work polls.
    pub(crate) fn word(&self) -> &StopWord {
        &self.word
    }

    /// A token that is cancelled with this one, and can be cancelled alone.
    pub(crate) fn follower(&self) -> Self {
        Self { word: self.word.follower(None) }
    }
}

/// The stop word of one run, and its alarm if it has a time limit.
#[derive(Debug)]
pub(crate) struct Watch<'c, 't> {
    token: &'c CancelToken,
    limited: Option<(Arc<StopWord>, Option<Alarm<'t>>)>,
}

impl<'c, 't> Watch<'c, 't> {
    /// Begins to watch a run that began at `start`. Starting the timer's thread may fail.
    pub fn new(
        token: &'c CancelToken,
        timer: &'t Timer,
        start: Instant,
        time_limit: Option<Duration>,
    ) -> std::io::Result<Self> {
        let Some(limit) = time_limit else { return Ok(Self { token, limited: None }) };
        let stop = token.word.follower(time_limit);
        if limit.is_zero() {
            stop.end_time();
        }
        let alarm = match start.checked_add(limit) {
            Some(deadline) if !stop.is_set() => Some(timer.set(deadline, stop.clone())?),
            _ => None,
        };
        Ok(Self { token, limited: Some((stop, alarm)) })
    }

    /// The word that is set when the token is cancelled or the time is over.
    pub fn stop(&self) -> &Arc<StopWord> {
        self.limited.as_ref().map_or(&self.token.word, |(stop, _)| stop)
    }
}

/// A token that is cancelled with another one, or when a time is over: for work that consists of several runs, which
/// then all stop for the same reason. [`Device::deadline`](crate::Device::deadline) makes it.
#[derive(Debug)]
pub struct Deadline<'a> {
    token: CancelToken,
    /// Alarm that ends the time; cancelled when the deadline drops.
    _alarm: Option<Alarm<'a>>,
}

impl<'a> Deadline<'a> {
    pub(crate) fn new(watch: Watch<'_, 'a>) -> Self {
        let token = CancelToken { word: watch.stop().clone() };
        Self { token, _alarm: watch.limited.and_then(|(_, alarm)| alarm) }
    }

    /// The token, for [`Dispatch::cancel`](crate::Dispatch::cancel).
    pub fn token(&self) -> &CancelToken {
        &self.token
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LONG: Duration = Duration::from_secs(1 << 20);

    #[test]
    fn a_token_stops_present_and_later_runs() {
        let (token, timer) = (CancelToken::new(), Timer::default());
        let begin = |limit| Watch::new(&token, &timer, Instant::now(), limit).unwrap();
        let (first, second) = (begin(None), begin(Some(LONG)));
        let child = token.follower();
        let of_child = Watch::new(&child, &timer, Instant::now(), Some(LONG)).unwrap();
        assert_eq!([&first, &second, &of_child].map(|watch| watch.stop().reason()), [None; 3]);
        token.clone().cancel();
        assert!(token.is_cancelled());
        for watch in [first, second, of_child, begin(None), begin(Some(LONG))] {
            assert_eq!(watch.stop().reason(), Some(StopReason::Cancelled));
        }
    }

    #[test]
    fn a_follower_is_cancelled_alone() {
        let token = CancelToken::new();
        let [first, second] = [token.follower(), token.follower()];
        first.cancel();
        assert_eq!([&token, &first, &second].map(CancelToken::is_cancelled), [false, true, false]);
    }

    #[test]
    fn time_over_sets_the_word_and_names_the_limit() {
        let (token, timer) = (CancelToken::new(), Timer::default());
        let begin = |limit| Watch::new(&token, &timer, Instant::now(), Some(limit)).unwrap();
        let limit = Duration::ZERO;
        assert_eq!(begin(limit).stop().reason(), Some(StopReason::TimeLimit(limit)));
        // The thread waits for the late one when the early one comes.
        let late = begin(LONG);
        for limit in [Duration::from_millis(1), Duration::from_nanos(1)] {
            let watch = begin(limit);
            while !watch.stop().is_set() {
                std::thread::yield_now();
            }
            assert_eq!(watch.stop().reason(), Some(StopReason::TimeLimit(limit)));
        }
        assert!(!late.stop().is_set() && !token.is_cancelled());
    }

    #[test]
    fn a_run_that_ends_early_is_not_waited_for() {
        let (token, timer) = (CancelToken::new(), Timer::default());
        for limit in [LONG, Duration::MAX] {
            let watch = Watch::new(&token, &timer, Instant::now(), Some(limit)).unwrap();
            assert!(!watch.stop().is_set());
        }
    }
}
