//! Runs compilations on enough stack, whatever the calling thread has, and abandons them on request.
//!
//! * A compilation has at least half of [`STACK_BYTES`] of stack: passes and the code generator recurse with a shader's
//!   nesting, and callers' stacks may be small.
//! * Nothing can stop the code generator, so a caller that may have to stop runs it on another thread and stops waiting
//!   for it. The abandoned work is bounded by [`Limits::code_instructions`](crate::Limits::code_instructions) and ends
//!   with its stage. Code finished by then is kept for later: a variant with its shader, any code in the disk cache.
//! * Interruptible work needs one of a device's [`Permits`], and keeps it to its end. So no more such threads run than
//!   there are permits, however often callers give up.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use crate::error::{Error, internal};
use crate::stop::StopWord;
use brolga_fenv::in_default_mode;

/// Stack of a compilation. The deepest nesting allowed in files takes a quarter of it without optimisation.
const STACK_BYTES: usize = 8 << 20;

/// Interval at which a waiting thread polls the stop word. The awaited event wakes it at once.
const LOOK: Duration = Duration::from_millis(10);

/// A semaphore that bounds the interruptible compilations.
#[derive(Debug)]
pub(crate) struct Permits {
    free: Mutex<usize>,
    freed: Condvar,
}

/// A permit, returned when dropped.
#[derive(Debug)]
pub(super) struct Permit(Arc<Permits>);

impl Permits {
    /// A semaphore with this many permits.
    pub fn new(count: usize) -> Self {
        Self { free: Mutex::new(count), freed: Condvar::new() }
    }

    /// Takes a permit; waits while there is none, until the word is set.
    pub(super) fn take(self: &Arc<Self>, stop: &StopWord) -> Result<Permit, Error> {
        check(stop)?;
        let mut free = self.lock();
        loop {
            if *free > 0 {
                *free -= 1;
                return Ok(Permit(Arc::clone(self)));
            }
            free = wait(&self.freed, free, stop)?;
        }
    }

    fn lock(&self) -> MutexGuard<'_, usize> {
        self.free.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        *self.0.lock() += 1;
        self.0.freed.notify_one();
    }
}

/// Does the work with enough stack: in this thread, on a new stack if its own may be too small. A panic, which would be
/// a bug in Brolga, becomes an error.
///
/// # Errors
/// The work's own.
pub(super) fn with_stack<T>(work: impl FnOnce() -> Result<T, Error>) -> Result<T, Error> {
    stacker::maybe_grow(STACK_BYTES / 2, STACK_BYTES, || guarded(work))
}

/// Does the work on a thread of its own, which holds the permit, and abandons it once the word is set.
///
/// # Errors
/// As [`with_stack`], and [`Error::CompileStopped`].
pub(super) fn with_stack_until<T: Send + 'static>(
    stop: &StopWord,
    permit: Permit,
    work: impl FnOnce() -> Result<T, Error> + Send + 'static,
) -> Result<T, Error> {
    check(stop)?;
    let (sender, receiver) = channel();
    let thread = move || {
        let result = guarded(work);
        // Returned before the result, so that the receiver can count on it.
        drop(permit);
        // Nobody may be waiting for it any more.
        let _ = sender.send(result);
    };
    builder().spawn(thread).map_err(Error::compile_thread)?;
    loop {
        check(stop)?;
        match receiver.recv_timeout(LOOK) {
            Ok(result) => return result,
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => unreachable!("the thread sends before it ends"),
        }
    }
}

/// Waits until another compiling thread signals a change, or for one interval.
pub(super) fn wait<'a, T>(
    changed: &Condvar,
    guard: MutexGuard<'a, T>,
    stop: &StopWord,
) -> Result<MutexGuard<'a, T>, Error> {
    check(stop)?;
    Ok(changed.wait_timeout(guard, LOOK).unwrap_or_else(PoisonError::into_inner).0)
}

fn check(stop: &StopWord) -> Result<(), Error> {
    stop.reason().map_or(Ok(()), |why| Err(Error::CompileStopped { why }))
}

fn builder() -> thread::Builder {
    thread::Builder::new().name("brolga-compile".to_owned()).stack_size(STACK_BYTES)
}

/// Does the work in the default float mode; a panic becomes an error.
fn guarded<T>(work: impl FnOnce() -> Result<T, Error>) -> Result<T, Error> {
    in_default_mode(|| catch_unwind(AssertUnwindSafe(work))).unwrap_or_else(|panic| Err(internal(&*panic)))
}

#[cfg(test)]
mod tests {
    use std::sync::Barrier;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::Instant;

    use super::*;
    use crate::stop::{CancelToken, Timer, Watch};

    #[test]
    fn a_thousand_that_were_given_up_take_no_more_threads_than_there_are_permits() {
        const PERMITS: usize = 3;
        let permits = Arc::new(Permits::new(PERMITS));
        let (timer, running, most) = (Timer::default(), Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        // None of them ends before all were abandoned.
        let (end, ended) = channel::<()>();
        let ended = Arc::new(Mutex::new(ended));
        thread::scope(|scope| {
            for _ in 0..40 {
                scope.spawn(|| {
                    for _ in 0..25 {
                        let token = CancelToken::new();
                        let limit = Some(Duration::from_millis(2));
                        let watch = Watch::new(&token, &timer, Instant::now(), limit).unwrap();
                        let (running, most, ended) = (running.clone(), most.clone(), ended.clone());
                        let work = move || {
                            most.fetch_max(running.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                            let _ = ended.lock().unwrap().recv();
                            running.fetch_sub(1, Ordering::SeqCst);
                            Ok(())
                        };
                        let result =
                            permits.take(watch.stop()).and_then(|permit| with_stack_until(watch.stop(), permit, work));
                        assert!(matches!(result, Err(Error::CompileStopped { .. })));
                    }
                });
            }
        });
        assert!((1..=PERMITS).contains(&most.load(Ordering::SeqCst)));
        drop(end);
        // Once they end, others get their permits.
        let stop = StopWord::default();
        let all: Vec<_> = (0..PERMITS).map(|_| permits.take(&stop).unwrap()).collect();
        assert_eq!((running.load(Ordering::SeqCst), *permits.lock(), all.len()), (0, 0, PERMITS));
    }

    #[test]
    fn a_permit_is_free_when_the_result_is_there() {
        let (permits, stop) = (Arc::new(Permits::new(1)), StopWord::default());
        for n in 0..100 {
            let permit = permits.take(&stop).unwrap();
            assert_eq!(with_stack_until(&stop, permit, move || Ok(n)).unwrap(), n);
            assert_eq!(*permits.lock(), 1);
        }
        let permit = permits.take(&stop).unwrap();
        let error = with_stack_until(&stop, permit, || -> Result<(), _> { panic!("in the work") }).unwrap_err();
        assert!(matches!(error, Error::Internal { .. }) && *permits.lock() == 1);
    }

    #[test]
    fn work_that_is_waited_for_needs_no_permit_and_borrows() {
        let both = Barrier::new(2);
        thread::scope(|scope| {
            let other = scope.spawn(|| with_stack(|| Ok(both.wait().is_leader())));
            let first = with_stack(|| Ok(both.wait().is_leader())).unwrap();
            assert_ne!(first, other.join().unwrap().unwrap());
        });
        let error = with_stack(|| -> Result<(), _> { panic!("in the work") }).unwrap_err();
        assert_eq!(error.to_string(), "internal error: in the work");
    }
}
