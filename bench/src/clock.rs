//! Measures wall time and processor time.

use std::time::{Duration, Instant};

/// The duration of a measured action.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sample {
    /// Wall time.
    pub wall: Duration,
    /// Processor time of all threads of the process, if the system provides it.
    pub cpu: Option<Duration>,
}

impl Sample {
    /// The sum of this time and the one before it.
    pub fn after(self, before: Self) -> Self {
        Self { wall: self.wall + before.wall, cpu: self.cpu.zip(before.cpu).map(|(own, before)| own + before) }
    }

    /// The time of one of `count` actions that were measured together.
    pub(crate) fn of_one(self, count: u32) -> Self {
        Self { wall: self.wall / count, cpu: self.cpu.map(|cpu| cpu / count) }
    }
}

/// Measures from [`Stopwatch::start`] to [`Stopwatch::stop`].
#[derive(Clone, Copy, Debug)]
pub struct Stopwatch {
    cpu: Option<Duration>,
    wall: Instant,
}

impl Stopwatch {
    /// Starts measuring.
    pub fn start() -> Self {
        // Processor time is read outside the wall time, since reading it takes longer.
        Self { cpu: process_cpu_time(), wall: Instant::now() }
    }

    /// The time since the start.
    pub fn stop(self) -> Sample {
        let wall = self.wall.elapsed();
        let cpu = self.cpu.zip(process_cpu_time()).map(|(before, after)| after.saturating_sub(before));
        Sample { wall, cpu }
    }
}

#[cfg(any(target_os = "linux", target_os = "macos", target_os = "freebsd"))]
fn process_cpu_time() -> Option<Duration> {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    Some(Duration::new(u64::try_from(time.tv_sec).ok()?, u32::try_from(time.tv_nsec).ok()?))
}

#[cfg(not(any(target_os = "linux", target_os = "macos", target_os = "freebsd")))]
fn process_cpu_time() -> Option<Duration> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_takes_time_on_both_clocks() {
        let watch = Stopwatch::start();
        let mut last = 0;
        // Until both clocks have moved, however coarse they are.
        while watch.wall.elapsed().is_zero() || watch.stop().cpu.is_some_and(|cpu| cpu.is_zero()) {
            last = std::hint::black_box(last + 1);
        }
        let sample = watch.stop();
        assert!(!sample.wall.is_zero());
        assert_ne!(sample.cpu, Some(Duration::ZERO));
    }
}
