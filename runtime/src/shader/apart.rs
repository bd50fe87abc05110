//! Compiling in a thread of its own: nothing can stop the code generator, so a caller that may have to stop waits for
//! it only until then. The work begun is bounded by [`Limits::code_instructions`](crate::Limits::code_instructions) and
//! ends with its stage. Code finished by then is kept for later: a variant with its shader, any code in the disk cache.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Duration;

use crate::error::{Error, internal};
use crate::stop::StopWord;
use brolga_fenv::in_default_mode;

/// How often the waiting thread polls the stop word. A result wakes it at once.
pub(super) const LOOK: Duration = Duration::from_millis(10);

/// Does the work, and gives up waiting for it once the word is set. Where no thread can be started, nothing stops it. A
/// panic, which would be a bug in Brolga, becomes an error.
pub(super) fn apart<T: Send + 'static>(
    stop: &StopWord,
    work: impl FnOnce() -> Result<T, Error> + Send + 'static,
) -> Result<T, Error> {
    let stopped = || stop.reason().map_or(Ok(()), |why| Err(Error::CompileStopped { why }));
    stopped()?;
    let work =
        move || in_default_mode(|| catch_unwind(AssertUnwindSafe(work))).unwrap_or_else(|panic| Err(internal(&*panic)));
    let (hand_over, begin) = channel();
    let (sender, receiver) = channel();
    let thread = move || work_once(&begin, &sender);
    if thread::Builder::new().name("brolga-compile".to_owned()).spawn(thread).is_err() {
        return work();
    }
    hand_over.send(work).expect("the thread waits for it");
    loop {
        stopped()?;
        match receiver.recv_timeout(LOOK) {
            Ok(result) => return result,
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => unreachable!("the thread sends before it ends"),
        }
    }
}

/// Does the work received, if any; nobody may be waiting for its result any more.
fn work_once<R, W: FnOnce() -> R>(begin: &Receiver<W>, results: &Sender<R>) {
    if let Ok(work) = begin.recv() {
        let _ = results.send(work());
    }
}
