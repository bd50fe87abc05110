//! A thread pool whose work may borrow from its caller.
//!
//! The only unsafe code here hands a borrowed closure to threads of a pool. [`Gate`] makes it sound: no thread enters
//! once it is closed, and [`Helpers`] closes it, and waits for all threads inside, before [`Pool::run_with`] returns or
//! unwinds.

#![allow(unsafe_code)]

use std::cell::OnceCell;
use std::fmt;
use std::sync::{Arc, Condvar, Mutex, PoisonError};

use crate::error::{Error, Limit};
use brolga_fenv::in_default_mode;

/// Worker threads that devices may share. The thread that calls [`Device::dispatch`](crate::Device::dispatch) works
/// too, so that a pool of `n` threads starts `n - 1`.
#[derive(Clone)]
pub struct Pool {
    threads: usize,
    workers: Option<Workers>,
}

/// A task for a worker.
pub type Task = Box<dyn FnOnce() + Send>;

#[derive(Clone)]
enum Workers {
    Own(Arc<rayon::ThreadPool>),
    Borrowed(Arc<dyn Fn(Task) + Send + Sync>),
}

impl fmt::Debug for Pool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let borrowed = matches!(self.workers, Some(Workers::Borrowed(_)));
        f.debug_struct("Pool").field("threads", &self.threads).field("borrowed", &borrowed).finish()
    }
}

impl Pool {
    /// The most threads of a pool.
    pub const MOST_THREADS: usize = 1024;

    /// A pool of `threads` threads, the caller's included, at most [`Pool::MOST_THREADS`]. 0 means as many as the
    /// machine has processors.
    pub fn new(threads: usize) -> Result<Self, Error> {
        let most = Self::MOST_THREADS;
        let threads = match threads {
            0 => std::thread::available_parallelism().map_or(1, |n| n.get()).min(most),
            n if n > most => {
                let [value, most] = [n, most].map(|threads| u64::try_from(threads).unwrap_or(u64::MAX));
                return Err(Error::OverLimit { limit: Limit::Threads, value, most });
            }
            n => n,
        };
        if threads == 1 {
            return Ok(Self { threads, workers: None });
        }
        let workers = rayon::ThreadPoolBuilder::new()
            .num_threads(threads - 1)
            .thread_name(|n| format!("brolga-{}", n + 1))
            .build()
            .map_err(|error| Error::Pool { threads, reason: error.to_string() })?;
        Ok(Self { threads, workers: Some(Workers::Own(Arc::new(workers))) })
    }

    /// The caller's own threads: `spawn` hands a task to one of them, now or later, or drops it, and returns at once. A
    /// dispatch uses up to `threads`, the one that calls it included, and waits only for tasks that have begun; it
    /// completes even if none ever does, and inside one of these threads too. They need 512 KiB of stack.
    ///
    /// More than [`Pool::MOST_THREADS`] are not used.
    ///
    /// With a rayon pool: `Pool::borrowed(pool.current_num_threads(), move |task| pool.spawn(task))`.
    pub fn borrowed(threads: usize, spawn: impl Fn(Task) + Send + Sync + 'static) -> Self {
        Self { threads: threads.clamp(1, Self::MOST_THREADS), workers: Some(Workers::Borrowed(Arc::new(spawn))) }
    }

    /// Threads that work on a dispatch, the caller's included.
    pub fn threads(&self) -> usize {
        self.threads
    }

    /// Runs `work` once in the caller's thread and in up to `helpers` workers, and waits for those that began, even if
    /// borrowing a thread panics. A worker that is busy with other work is not waited for.
    pub fn run(&self, helpers: usize, work: &(dyn Fn() + Sync)) {
        self.run_with(work, |available| {
            available.call(helpers);
            work();
        });
    }

    /// Runs `lead` in the caller's thread, which may call workers to do `work` at any time until it ends. Then waits
    /// for those that began.
    pub(crate) fn run_with<R>(&self, work: &(dyn Fn() + Sync), lead: impl FnOnce(&Helpers<'_>) -> R) -> R {
        lead(&Helpers { pool: self, work, gate: OnceCell::new() })
    }
}

/// The workers of one run, called or not.
pub(crate) struct Helpers<'a> {
    pool: &'a Pool,
    work: &'a (dyn Fn() + Sync),
    /// Present once workers are called. Only [`Pool::run_with`] makes and drops these, so that it is closed before the
    /// work is dropped.
    gate: OnceCell<Arc<Gate>>,
}

impl Helpers<'_> {
    /// Calls up to `count` workers, unless some were called before.
    pub fn call(&self, count: usize) {
        let count = count.min(self.pool.threads - 1);
        let Some(workers) = self.pool.workers.as_ref().filter(|_| count > 0 && self.gate.get().is_none()) else {
            return;
        };
        // SAFETY: `run_with` borrows the work for longer than this lives, which closes the gate when dropped.
        let gate = self.gate.get_or_init(|| Arc::new(unsafe { Gate::new(self.work) }));
        for _ in 0..count {
            let gate = gate.clone();
            let task = move || gate.work();
            match workers {
                Workers::Own(pool) => pool.spawn(task),
                Workers::Borrowed(spawn) => spawn(Box::new(task)),
            }
        }
    }

    /// `true` if some were called.
    pub fn are_called(&self) -> bool {
        self.gate.get().is_some()
    }
}

impl Drop for Helpers<'_> {
    fn drop(&mut self) {
        if let Some(gate) = self.gate.get() {
            gate.close();
        }
    }
}

/// Lets workers into a dispatch until it is closed.
struct Gate {
    state: Mutex<GateState>,
    left: Condvar,
    /// Valid until the gate is closed and all have left.
    work: Work,
}

/// The work given to [`Pool::run_with`], for tasks that may outlive it.
struct Work(*const (dyn Fn() + Sync));

// SAFETY: a shared reference to a closure that any thread may call, except for its lifetime, which `Gate::work`
// ensures.
unsafe impl Send for Work {}
// SAFETY: as above.
unsafe impl Sync for Work {}

#[derive(Default)]
struct GateState {
    inside: usize,
    closed: bool,
}

impl Gate {
    /// An open gate.
    ///
    /// # Safety
    /// The work must not move or drop until [`Gate::close`] has returned.
    unsafe fn new(work: &(dyn Fn() + Sync)) -> Self {
        // SAFETY: only the lifetime changes, and a pointer promises none.
        let work = unsafe { std::mem::transmute::<&(dyn Fn() + Sync), *const (dyn Fn() + Sync + 'static)>(work) };
        Self { state: Mutex::default(), left: Condvar::new(), work: Work(work) }
    }

    /// Does the work, unless the gate is closed.
    fn work(&self) {
        if let Some(_inside) = self.enter() {
            // SAFETY: the gate's creator keeps the work until it is closed, which waits for the threads inside.
            in_default_mode(|| unsafe { (*self.work.0)() });
        }
    }

    /// Enters, unless it is closed. Leaves when the result is dropped.
    fn enter(&self) -> Option<Inside<'_>> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if state.closed {
            return None;
        }
        state.inside += 1;
        Some(Inside { gate: self })
    }

    /// Admits no more threads and waits until all have left.
    fn close(&self) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.closed = true;
        while state.inside > 0 {
            state = self.left.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

/// A worker inside a gate.
struct Inside<'a> {
    gate: &'a Gate,
}

impl Drop for Inside<'_> {
    fn drop(&mut self) {
        self.gate.state.lock().unwrap_or_else(PoisonError::into_inner).inside -= 1;
        self.gate.left.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[test]
    fn gates_are_shared_between_threads() {
        fn shared<T: Send + Sync>() {}
        shared::<Gate>();
    }

    #[test]
    fn borrowed_work_is_done_before_the_call_returns_and_not_after() {
        let pool = Pool::new(4).unwrap();
        for _ in 0..1000 {
            let (begun, ended) = (AtomicUsize::new(0), AtomicUsize::new(0));
            pool.run(3, &|| {
                begun.fetch_add(1, Ordering::Relaxed);
                std::thread::yield_now();
                ended.fetch_add(1, Ordering::Relaxed);
            });
            let (begun, ended) = (begun.into_inner(), ended.into_inner());
            assert!(begun == ended && (1..=4).contains(&begun), "{begun} began, {ended} ended");
        }
    }

    #[test]
    fn a_pool_has_a_bound() {
        for threads in [Pool::MOST_THREADS + 1, 1_000_000, usize::MAX] {
            let error = Pool::new(threads).unwrap_err().to_string();
            assert_eq!(error, format!("the number of threads of a pool is {threads}, the device's limit is 1024"));
        }
        let borrowed = Pool::borrowed(usize::MAX, drop);
        assert_eq!(borrowed.threads(), Pool::MOST_THREADS);
        borrowed.run(usize::MAX, &|| {});
    }

    #[test]
    fn a_closed_gate_lets_nobody_in() {
        let count = AtomicUsize::new(0);
        let work = || {
            count.fetch_add(1, Ordering::Relaxed);
        };
        // SAFETY: the work lives to the end of the test.
        let gate = unsafe { Gate::new(&work) };
        gate.work();
        gate.close();
        gate.work();
        assert_eq!(count.load(Ordering::Relaxed), 1);
    }
}
