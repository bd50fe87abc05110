//! Does work without Python's lock (the GIL), until Ctrl-C stops it.
//!
//! Only Python's main thread handles signals. There, work is done on another thread, while this one takes the lock
//! every few milliseconds to let Python handle them; elsewhere it is done on the calling thread.

use std::ffi::c_ulong;
use std::ops::ControlFlow;
use std::sync::OnceLock;

use brolga::CancelToken;
use pyo3::ffi::PyThread_get_thread_ident;
use pyo3::prelude::*;

use crate::error::Failure;

static MAIN_THREAD: OnceLock<c_ulong> = OnceLock::new();

/// Notes the thread that handles signals.
pub fn find_main_thread(py: Python<'_>) -> PyResult<()> {
    let main = py.import("threading")?.call_method0("main_thread")?.getattr("ident")?.extract()?;
    MAIN_THREAD.get_or_init(|| main);
    Ok(())
}

/// `true` if the calling thread handles signals.
pub fn is_main_thread() -> bool {
    // SAFETY: it only reads the thread's identifier.
    let own = unsafe { PyThread_get_thread_ident() };
    MAIN_THREAD.get().is_some_and(|&main| main == own)
}

/// Does long work. It gets a token that is cancelled with the caller's, or by a signal whose handler raises an
/// exception, which is then raised here.
pub fn interruptible<T: Send, E: Into<Failure> + Send>(
    py: Python<'_>,
    cancel: &CancelToken,
    work: impl FnOnce(&CancelToken) -> Result<T, E> + Send,
) -> PyResult<T> {
    if !is_main_thread() {
        return Ok(py.detach(|| work(cancel)).map_err(Into::into)?);
    }
    let mut raised = None;
    let mut hook = || match Python::attach(|py| py.check_signals()) {
        Ok(()) => ControlFlow::Continue(()),
        Err(error) => {
            raised = Some(error);
            ControlFlow::Break(())
        }
    };
    let done = py.detach(|| cancel.hooked(&mut hook, work));
    match raised {
        Some(error) => Err(error),
        None => Ok(done.map_err(Failure::from)?.map_err(Into::into)?),
    }
}
