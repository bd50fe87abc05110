//! The bar for runs that take longer than a moment, on a terminal only.

use std::io::IsTerminal;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use brolga::Progress;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Shorter runs show nothing.
const PATIENCE: Duration = Duration::from_secs(1);
const STEP: Duration = Duration::from_millis(100);

/// Watches a run until it is dropped.
pub(super) struct Watcher {
    running: Option<(Sender<()>, JoinHandle<()>)>,
}

impl Watcher {
    /// Starts to watch, if stderr is a terminal.
    pub fn start(progress: Progress, groups: u64, what: String) -> Self {
        if !std::io::stderr().is_terminal() {
            return Self { running: None };
        }
        let (stop, stopped) = mpsc::channel();
        let thread = std::thread::spawn(move || {
            let start = Instant::now();
            let mut bar: Option<ProgressBar> = None;
            while stopped.recv_timeout(STEP) == Err(RecvTimeoutError::Timeout) {
                if start.elapsed() >= PATIENCE {
                    bar.get_or_insert_with(|| new_bar(groups, &what)).set_position(progress.groups_done());
                }
            }
            if let Some(bar) = bar {
                bar.finish_and_clear();
            }
        });
        Self { running: Some((stop, thread)) }
    }
}

impl Drop for Watcher {
    fn drop(&mut self) {
        if let Some((stop, thread)) = self.running.take() {
            drop(stop);
            // A watcher that panicked has nothing more to show.
            let _ = thread.join();
        }
    }
}

fn new_bar(groups: u64, what: &str) -> ProgressBar {
    let style = ProgressStyle::with_template("{msg} {wide_bar} {pos}/{len} groups, {eta} left")
        .expect("the template is fixed and right");
    ProgressBar::with_draw_target(Some(groups), ProgressDrawTarget::stderr())
        .with_style(style)
        .with_message(what.to_owned())
}
