//! Tells the workers of a run to stop, by a word that they poll, and why.

use std::fmt;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

/// Reason why a run stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum StopReason {
    /// Its cancel token.
    Cancelled,
    /// Its time limit.
    TimeLimit(Duration),
    /// Its bound on loop iterations.
    Fuel(u64),
}

impl fmt::Display for StopReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StopReason::Cancelled => f.write_str("the run was cancelled"),
            StopReason::TimeLimit(limit) => write!(f, "the time limit of {limit:?} stopped the run"),
            StopReason::Fuel(rounds) => write!(f, "the limit of {rounds} loop iterations per group stopped the run"),
        }
    }
}

const RUNNING: u32 = 0;
const CANCELLED: u32 = 1;
const OUT_OF_TIME: u32 = 2;

/// The word that tells the workers of a run to stop; nonzero if they should.
///
/// A run without a time limit polls its token's own word, one with a limit a word of its own that follows the token's.
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

    /// `true` if the run should stop.
    pub fn is_set(&self) -> bool {
        self.word.load(Ordering::Relaxed) != RUNNING
    }

    /// The reason, if it should.
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

    /// Sets the word; the first reason stays.
    fn set(&self, reason: u32) {
        let _ = self.word.compare_exchange(RUNNING, reason, Ordering::Relaxed, Ordering::Relaxed);
    }

    /// Stops the run and those that follow it.
    pub(super) fn cancel(&self) {
        let mut followers = self.followers.lock().unwrap_or_else(PoisonError::into_inner);
        self.set(CANCELLED);
        for follower in followers.drain(..).filter_map(|follower| follower.upgrade()) {
            follower.cancel();
        }
    }

    /// A new word that is cancelled with this one, for a run that can also stop by itself.
    pub(super) fn follower(&self, limit: Option<Duration>) -> Arc<Self> {
        let follower = Arc::new(Self { limit, ..Self::default() });
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
