//! Stopping a run: cancel tokens, the time limit, and the stop word that engines look at.

use std::fmt;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError, Weak};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

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

/// The word that tells the workers of one run to stop; not 0 if they shall.
#[derive(Debug, Default)]
pub(crate) struct StopWord(AtomicU32);

impl StopWord {
    /// The word itself, for compiled code.
    pub fn word(&self) -> &AtomicU32 {
        &self.0
    }

    /// Whether the run shall stop.
    pub fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed) != RUNNING
    }

    /// Why, if it shall.
    pub fn reason(&self, time_limit: Option<Duration>) -> Option<StopReason> {
        match self.0.load(Ordering::Relaxed) {
            RUNNING => None,
            OUT_OF_TIME => Some(StopReason::TimeLimit(time_limit.unwrap_or_default())),
            _ => Some(StopReason::Cancelled),
        }
    }

    /// The first reason stays.
    fn set(&self, reason: u32) {
        let _ = self.0.compare_exchange(RUNNING, reason, Ordering::Relaxed, Ordering::Relaxed);
    }
}

/// Stops the runs that it was given to. Clones are the same token; once cancelled it stays so.
#[derive(Clone, Debug, Default)]
pub struct CancelToken {
    state: Arc<Mutex<TokenState>>,
}

#[derive(Debug, Default)]
struct TokenState {
    cancelled: bool,
    runs: Vec<Weak<StopWord>>,
}

impl CancelToken {
    /// A token that nobody has cancelled.
    pub fn new() -> Self {
        Self::default()
    }

    /// Stops the runs that have this token, and every later one.
    pub fn cancel(&self) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.cancelled = true;
        for run in state.runs.drain(..).filter_map(|run| run.upgrade()) {
            run.set(CANCELLED);
        }
    }

    /// Whether it was cancelled.
    pub fn is_cancelled(&self) -> bool {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).cancelled
    }

    fn watch(&self, run: &Arc<StopWord>) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if state.cancelled {
            run.set(CANCELLED);
        } else {
            state.runs.retain(|run| run.strong_count() > 0);
            state.runs.push(Arc::downgrade(run));
        }
    }
}

/// Watches one run: sets its stop word when the token is cancelled or the time is over. Ends with the run.
#[derive(Debug)]
pub(crate) struct Watch {
    stop: Arc<StopWord>,
    timer: Option<Timer>,
}

#[derive(Debug)]
struct Timer {
    done: Arc<(Mutex<bool>, Condvar)>,
    thread: JoinHandle<()>,
}

impl Watch {
    /// Begins to watch. A time limit needs a thread, which may be refused.
    pub fn begin(token: &CancelToken, time_limit: Option<Duration>) -> std::io::Result<Self> {
        let stop = Arc::new(StopWord::default());
        token.watch(&stop);
        if time_limit == Some(Duration::ZERO) {
            stop.set(OUT_OF_TIME);
        }
        let timer = match time_limit.and_then(|limit| Instant::now().checked_add(limit)) {
            Some(deadline) if !stop.is_set() => Some(Timer::start(deadline, stop.clone())?),
            _ => None,
        };
        Ok(Self { stop, timer })
    }

    /// The word to look at.
    pub fn stop(&self) -> &Arc<StopWord> {
        &self.stop
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        if let Some(timer) = self.timer.take() {
            timer.end();
        }
    }
}

impl Timer {
    fn start(deadline: Instant, stop: Arc<StopWord>) -> std::io::Result<Self> {
        let done = Arc::new((Mutex::new(false), Condvar::new()));
        let theirs = done.clone();
        let wait = move || {
            let (finished, woken) = &*theirs;
            let mut finished = finished.lock().unwrap_or_else(PoisonError::into_inner);
            while !*finished {
                let Some(left) = deadline.checked_duration_since(Instant::now()).filter(|left| !left.is_zero()) else {
                    stop.set(OUT_OF_TIME);
                    return;
                };
                finished = woken.wait_timeout(finished, left).unwrap_or_else(PoisonError::into_inner).0;
            }
        };
        let thread = std::thread::Builder::new().name("brolga-timer".to_owned()).spawn(wait)?;
        Ok(Self { done, thread })
    }

    fn end(self) {
        *self.done.0.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.done.1.notify_one();
        // The thread only waits and sets a word: it cannot have panicked.
        let _ = self.thread.join();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_stops_present_and_later_runs() {
        let token = CancelToken::new();
        let (first, second) = (Watch::begin(&token, None).unwrap(), Watch::begin(&token, None).unwrap());
        assert_eq!(first.stop().reason(None), None);
        token.clone().cancel();
        assert!(token.is_cancelled());
        let later = Watch::begin(&token, None).unwrap();
        for watch in [first, second, later] {
            assert_eq!(watch.stop().reason(None), Some(StopReason::Cancelled));
        }
    }

    #[test]
    fn time_over_sets_the_word_and_names_the_limit() {
        let limit = Duration::ZERO;
        let watch = Watch::begin(&CancelToken::new(), Some(limit)).unwrap();
        assert_eq!(watch.stop().reason(Some(limit)), Some(StopReason::TimeLimit(limit)));
        let limit = Duration::from_nanos(1);
        let watch = Watch::begin(&CancelToken::new(), Some(limit)).unwrap();
        while !watch.stop().is_set() {
            std::thread::yield_now();
        }
        assert_eq!(watch.stop().reason(Some(limit)), Some(StopReason::TimeLimit(limit)));
    }

    #[test]
    fn a_run_that_ends_early_ends_its_timer() {
        for limit in [Duration::from_secs(1 << 20), Duration::MAX] {
            let watch = Watch::begin(&CancelToken::new(), Some(limit)).unwrap();
            assert!(!watch.stop().is_set());
        }
    }
}
