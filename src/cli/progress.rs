//! The bars for runs and measurements that take longer than a moment, on a terminal only.

use std::io::IsTerminal;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use brolga::Progress;
use brolga::job::Job;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::report;

/// Shorter runs show nothing.
const PATIENCE: Duration = Duration::from_secs(1);
const STEP: Duration = Duration::from_millis(100);

/// Watches a run until it is dropped.
pub(super) struct Watcher {
    running: Option<(Sender<()>, JoinHandle<()>)>,
}

impl Watcher {
    /// Starts to watch a dispatch of a job, if stderr is a terminal.
    pub fn start(progress: Progress, job: &Job) -> Self {
        // The device refuses absurd numbers of groups later.
        let groups = job.dispatch.value.iter().fold(1u64, |all, &groups| all.saturating_mul(groups.into()));
        let what = report::harmless(&job.name);
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

/// Parts that a measurement is shown in.
const PARTS: u64 = 1000;

/// Shows how far a measurement is. It has no thread of its own, which would be measured too.
pub(super) struct MeasureBar(Option<ProgressBar>);

impl MeasureBar {
    /// An empty one, if stderr is a terminal.
    pub fn new() -> Self {
        let style = ProgressStyle::with_template("measuring {wide_bar} {percent} %, {eta} left")
            .expect("the template is fixed and right");
        let bar = || ProgressBar::with_draw_target(Some(PARTS), ProgressDrawTarget::stderr()).with_style(style);
        Self(std::io::stderr().is_terminal().then(bar))
    }

    /// Shows a part between 0 and 1.
    pub fn show(&self, done: f64) {
        if let Some(bar) = &self.0 {
            bar.set_position((done * PARTS as f64) as u64);
        }
    }
}

impl Drop for MeasureBar {
    fn drop(&mut self) {
        if let Some(bar) = &self.0 {
            bar.finish_and_clear();
        }
    }
}
