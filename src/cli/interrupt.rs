//! Handles interrupts: the first one stops the command in an orderly way, a second one at once.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use brolga::CancelToken;

use super::{Ending, report};

/// The message if an interrupt came between two runs; one that stops a run is an error of its document.
pub(super) const INTERRUPTED: &str = "error: interrupted, not all documents ran\n";

/// The temporary files of the document that runs, to be removed if the process ends without unwinding.
pub(super) type Temporary = Arc<Mutex<Vec<PathBuf>>>;

/// The effect of interrupts from now on.
pub(super) struct Interrupts {
    at_once: Arc<AtomicBool>,
}

impl Interrupts {
    /// Makes the first one end the process too, or no longer, while the command leaves nothing behind.
    pub fn end_at_once(&self, at_once: bool) {
        self.at_once.store(at_once, Ordering::SeqCst);
    }
}

/// Makes an interrupt cancel the token, and a second one remove the files and end the process.
pub(super) fn cancels(cancel: &CancelToken, temporary: &Temporary) -> Interrupts {
    let (token, temporary) = (cancel.clone(), temporary.clone());
    let at_once = Arc::new(AtomicBool::new(false));
    let ends = at_once.clone();
    let set = ctrlc::set_handler(move || {
        if token.is_cancelled() {
            let paths = temporary.lock().unwrap_or_else(PoisonError::into_inner);
            // Those that already have their final name are kept.
            paths.iter().for_each(|path| drop(std::fs::remove_file(path)));
            std::process::exit(130);
        }
        token.cancel();
        if ends.load(Ordering::SeqCst) {
            report::say(INTERRUPTED);
            std::process::exit(Ending::Stopped as i32);
        }
    });
    if let Err(error) = set {
        report::say(&format!("warning: an interrupt will not stop the run in an orderly way: {error}\n"));
    }
    Interrupts { at_once }
}
