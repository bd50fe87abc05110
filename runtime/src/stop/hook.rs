//! Runs work on another thread while the caller's thread calls a hook.

use std::ops::ControlFlow;
use std::panic::resume_unwind;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use super::CancelToken;
use crate::error::Error;

/// Interval between calls of a hook.
const INTERVAL: Duration = Duration::from_millis(5);

impl CancelToken {
    /// Does work on another thread, which is started for it, and calls a hook on the caller's every few milliseconds
    /// until it is over, for example to let a language runtime handle signals. The work gets a token that is cancelled
    /// with this one; [`ControlFlow::Break`] cancels it alone.
    ///
    /// # Errors
    /// [`Error::Pool`] if the thread cannot be started. The work is not begun then.
    pub fn hooked<T: Send>(
        &self,
        hook: &mut dyn FnMut() -> ControlFlow<()>,
        work: impl FnOnce(&CancelToken) -> T + Send,
    ) -> Result<T, Error> {
        let token = &self.follower();
        let (sender, receiver) = channel::<()>();
        thread::scope(|scope| {
            // Cancels the work even if the hook panics.
            let _cancelling = Cancelling(token);
            let work = move || {
                let _over = sender;
                work(token)
            };
            let started = thread::Builder::new().name("brolga-hooked".to_owned()).spawn_scoped(scope, work);
            let running = started.map_err(|error| Error::Pool { threads: 1, reason: error.to_string() })?;
            while receiver.recv_timeout(INTERVAL) == Err(RecvTimeoutError::Timeout) {
                if hook().is_break() {
                    token.cancel();
                }
            }
            Ok(running.join().unwrap_or_else(|panic| resume_unwind(panic)))
        })
    }
}

/// Cancels a token when dropped.
struct Cancelling<'a>(&'a CancelToken);

impl Drop for Cancelling<'_> {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_work_s_result_comes_back_and_the_token_stays() {
        let token = CancelToken::new();
        let answer = token.hooked(&mut || ControlFlow::Continue(()), |own| (own.is_cancelled(), 42));
        assert_eq!((answer.unwrap(), token.is_cancelled()), ((false, 42), false));
    }

    #[test]
    fn breaking_cancels_the_work_alone() {
        let (token, mut calls) = (CancelToken::new(), 0);
        let mut hook = || {
            calls += 1;
            if calls == 3 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let waits = |own: &CancelToken| {
            while !own.is_cancelled() {
                thread::yield_now();
            }
        };
        token.hooked(&mut hook, waits).unwrap();
        assert!(calls >= 3 && !token.is_cancelled());
        token.cancel();
        token.hooked(&mut || ControlFlow::Continue(()), waits).unwrap();
    }

    #[test]
    fn a_panic_of_the_work_is_the_caller_s() {
        let result = std::panic::catch_unwind(|| {
            CancelToken::new().hooked(&mut || ControlFlow::Continue(()), |_| panic!("in the work"))
        });
        assert_eq!(result.unwrap_err().downcast_ref(), Some(&"in the work"));
    }
}
