//! Stops work, and reports its progress.

use crate::arguments::put;
use crate::error::{Code, Error, guard};
use crate::handle::{HandleKind, NewHandle, destroy, get, get_if_any};

/// A token that stops work when cancelled. Once cancelled, it stays cancelled. Any thread may use it, and it may be
/// destroyed at any time.
pub struct CancelToken(());

impl HandleKind for CancelToken {
    type Value = brolga::CancelToken;
    const NAME: &'static str = "a cancel token";
}

/// A counter of work done: groups of a dispatch, or primitives of a pass. Any thread may use it, and it may be
/// destroyed at any time.
pub struct Progress(());

impl HandleKind for Progress {
    type Value = brolga::Progress;
    const NAME: &'static str = "a progress";
}

/// Returns the token, or one that nobody cancels.
///
/// # Safety
/// It is null or an object.
pub(crate) unsafe fn token(token: *const CancelToken) -> Result<brolga::CancelToken, crate::error::Failure> {
    // SAFETY: promised to this function.
    Ok(unsafe { get_if_any(token) }?.cloned().unwrap_or_default())
}

/// Makes a token that is not cancelled.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn brolga_cancel_token_create(token: *mut *mut CancelToken, error: *mut Error) -> Code {
    // SAFETY: the caller's promises.
    unsafe {
        guard(error, || {
            NewHandle::new(token)?.put(brolga::CancelToken::new());
            Ok(())
        })
    }
}

/// Destroys a token. The work that it was given to goes on.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn brolga_cancel_token_destroy(token: *mut CancelToken) -> Code {
    // SAFETY: the caller's promises.
    unsafe { destroy(token) }
}

/// Stops all work that has this token, and any that gets it later. Such work ends with BROLGA_CODE_STOPPED.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn brolga_cancel_token_cancel(token: *const CancelToken, error: *mut Error) -> Code {
    // SAFETY: the caller's promises.
    unsafe {
        guard(error, || {
            get(token)?.cancel();
            Ok(())
        })
    }
}

/// Makes a progress counter of 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn brolga_progress_create(progress: *mut *mut Progress, error: *mut Error) -> Code {
    // SAFETY: the caller's promises.
    unsafe {
        guard(error, || {
            NewHandle::new(progress)?.put(brolga::Progress::new());
            Ok(())
        })
    }
}

/// Destroys a progress counter.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn brolga_progress_destroy(progress: *mut Progress) -> Code {
    // SAFETY: the caller's promises.
    unsafe { destroy(progress) }
}

/// Returns the number of groups that are done by now; of a pass, primitives.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn brolga_progress_done(progress: *const Progress, done: *mut u64, error: *mut Error) -> Code {
    // SAFETY: the caller's promises.
    unsafe { guard(error, || put(done, get(progress)?.groups_done(), "the number")) }
}
