//! Shows bars for runs and measurements that take longer than a moment, on a terminal only.

use std::fmt;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use brolga::Progress;
use brolga::document::Document;
use indicatif::{HumanDuration, ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};

use super::{report, style::is_capable};

/// Shorter runs show nothing.
const PATIENCE: Duration = Duration::from_secs(1);
const STEP: Duration = Duration::from_millis(100);

/// Watches a run until it is dropped.
pub(super) struct Watcher {
    running: Option<(Sender<()>, JoinHandle<()>)>,
}

impl Watcher {
    /// Starts to watch the only dispatch of a document, if stderr is a terminal that can show it.
    pub fn start(progress: Progress, document: &Document) -> Self {
        let Some(groups) = document.groups().filter(|_| is_capable(&std::io::stderr())) else {
            return Self { running: None };
        };
        // The device rejects absurd numbers of groups later.
        let groups = groups.iter().fold(1u64, |all, &groups| all.saturating_mul(groups.into()));
        let what = report::harmless(document.name());
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

/// A bar's style, in which `{left}` is [`left`].
fn style(template: &str) -> ProgressStyle {
    let style = ProgressStyle::with_template(template).expect("the templates are fixed and right");
    style.with_key("left", |state: &ProgressState, out: &mut dyn fmt::Write| {
        // Writing to text in memory cannot fail.
        let _ = out.write_str(&left(state.pos(), state.eta()));
    })
}

/// The remaining time, which is unknown before something is done.
fn left(done: u64, eta: Duration) -> String {
    if done == 0 { String::new() } else { format!(", {:#} left", HumanDuration(eta)) }
}

fn new_bar(groups: u64, what: &str) -> ProgressBar {
    let style = style("{msg} {wide_bar} {pos}/{len} groups{left}");
    ProgressBar::with_draw_target(Some(groups), ProgressDrawTarget::stderr())
        .with_style(style)
        .with_message(what.to_owned())
}

/// The resolution of a measurement's bar.
const PARTS: u64 = 1000;

/// Shows the progress of a measurement. It has no thread of its own, which would be measured too.
pub(super) struct MeasureBar(Option<ProgressBar>);

impl MeasureBar {
    /// An empty bar, if stderr is a terminal that can show it.
    pub fn new() -> Self {
        let style = style("measuring {wide_bar} {percent} %{left}");
        let bar = || ProgressBar::with_draw_target(Some(PARTS), ProgressDrawTarget::stderr()).with_style(style);
        Self(is_capable(&std::io::stderr()).then(bar))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_time_is_left_before_anything_is_done() {
        assert_eq!(left(0, Duration::ZERO), "");
        assert_eq!(left(1, Duration::from_secs(3 * 60)), ", 3m left");
        assert_eq!(left(50, Duration::from_secs(7)), ", 7s left");
    }
}
