//! The machine: what it is, and how it was while something was measured.

use std::fs;

/// The processor's name, where the system tells it in a file.
pub(super) fn processor() -> Option<String> {
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

    pub fn waited(&self) -> Option<f64> {
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
