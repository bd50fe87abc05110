//! Stops every run whose time is over, on one thread per device, started with the first time limit.

use std::collections::BTreeMap;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Instant;

use super::word::StopWord;

/// Sets stop words at given times. Its thread ends when it is dropped.
#[derive(Debug, Default)]
pub(crate) struct Timer {
    shared: Arc<Shared>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

#[derive(Debug, Default)]
struct Shared {
    state: Mutex<State>,
    woken: Condvar,
}

/// Time of an alarm, and a number that distinguishes those of the same time.
type AlarmKey = (Instant, u64);

#[derive(Debug, Default)]
struct State {
    alarms: BTreeMap<AlarmKey, Arc<StopWord>>,
    /// Alarms ever set.
    count: u64,
    /// Time when the thread next wakes by itself; an earlier alarm wakes it sooner.
    next_look: Option<Instant>,
    closed: bool,
}

/// An alarm that was set. Dropping this cancels it.
#[derive(Debug)]
pub(crate) struct Alarm<'a> {
    shared: &'a Shared,
    key: AlarmKey,
}

impl Timer {
    /// Sets a stop word at a time. Starting the thread may fail.
    pub fn set(&self, deadline: Instant, stop: Arc<StopWord>) -> std::io::Result<Alarm<'_>> {
        self.start()?;
        let mut state = self.shared.lock();
        let key = (deadline, state.count);
        state.count += 1;
        state.alarms.insert(key, stop);
        if state.next_look.is_none_or(|next| deadline < next) {
            self.shared.woken.notify_one();
        }
        Ok(Alarm { shared: &self.shared, key })
    }

    /// Starts the thread unless it runs.
    fn start(&self) -> std::io::Result<()> {
        let mut thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner);
        if thread.is_none() {
            let shared = self.shared.clone();
            let builder = std::thread::Builder::new().name("brolga-timer".to_owned());
            *thread = Some(builder.spawn(move || shared.run())?);
        }
        Ok(())
    }
}

impl Drop for Timer {
    fn drop(&mut self) {
        self.shared.lock().closed = true;
        self.shared.woken.notify_one();
        let thread = self.thread.get_mut().unwrap_or_else(PoisonError::into_inner).take();
        // The thread only waits and sets words: it cannot have panicked.
        let _ = thread.map(JoinHandle::join);
    }
}

impl Drop for Alarm<'_> {
    fn drop(&mut self) {
        self.shared.lock().alarms.remove(&self.key);
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn run(&self) {
        let mut state = self.lock();
        while !state.closed {
            let now = Instant::now();
            while let Some(first) = state.alarms.first_entry().filter(|first| first.key().0 <= now) {
                first.remove().end_time();
            }
            state.next_look = state.alarms.keys().next().map(|&(deadline, _)| deadline);
            state = match state.next_look {
                Some(next) => self.woken.wait_timeout(state, next - now).unwrap_or_else(PoisonError::into_inner).0,
                None => self.woken.wait(state).unwrap_or_else(PoisonError::into_inner),
            };
        }
    }
}
