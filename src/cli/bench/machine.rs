//! The machine: what it is, and how it was while something was measured.

use std::fs;

use brolga::bench::Samples;
use serde::{Deserialize, Serialize};

use super::record::Times;

/// What was measured on.
#[derive(Serialize, Deserialize)]
pub(super) struct Machine {
    /// The version of the program.
    pub brolga: String,
    pub processor: Option<String>,
    /// How many threads run at once.
    pub processors: usize,
    pub system: String,
    /// What work took that is always the same, between the dispatches.
    pub reference: Times,
    /// How much of the time in which threads of the program could have run they waited for a processor, from 0 to 1.
    pub waited: Option<f64>,
}

/// Other programs took so much that wall times are theirs too.
const BUSY: f64 = 0.05;

impl Machine {
    /// This one, as it was since the account was begun.
    pub fn here(reference: &Samples, account: &Account) -> Self {
        Self {
            brolga: env!("CARGO_PKG_VERSION").to_owned(),
            processor: processor(),
            processors: std::thread::available_parallelism().map_or(1, usize::from),
            system: format!("{} {}", std::env::consts::OS, std::env::consts::ARCH),
            reference: Times::new(reference),
            waited: account.waited(),
        }
    }

    /// Whether other programs had so much of the processors that wall times say little.
    pub fn was_busy(&self) -> bool {
        self.waited.is_some_and(|waited| waited > BUSY)
    }
}

/// The processor's name, where the system tells it in a file.
fn processor() -> Option<String> {
    let text = fs::read_to_string("/proc/cpuinfo").ok()?;
    let line = text.lines().find(|line| line.starts_with("model name"))?;
    Some(line.split_once(':')?.1.trim().to_owned())
}

/// What the threads of this program ran and waited until now, where the system tells.
pub(super) struct Account(Option<[u64; 2]>);

impl Account {
    /// Begins one.
    pub fn begin() -> Self {
        Self(ran_and_waited())
    }

    fn waited(&self) -> Option<f64> {
        let [ran, waited] = ran_and_waited()?;
        let [ran_before, waited_before] = self.0?;
        let (ran, waited) = (ran.saturating_sub(ran_before), waited.saturating_sub(waited_before));
        (ran > 0).then(|| waited as f64 / (ran + waited) as f64)
    }
}

/// Nanoseconds of all threads together.
fn ran_and_waited() -> Option<[u64; 2]> {
    let mut sum = [0, 0];
    for task in fs::read_dir("/proc/self/task").ok()? {
        let Ok(text) = fs::read_to_string(task.ok()?.path().join("schedstat")) else { continue };
        let mut numbers = text.split_whitespace().map_while(|number| number.parse::<u64>().ok());
        sum = [sum[0] + numbers.next()?, sum[1] + numbers.next()?];
    }
    Some(sum)
}
