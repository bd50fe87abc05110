//! Collects repeated measurements and computes their statistics.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::clock::Sample;

/// Repeated measurements of one action.
#[derive(Clone, Debug, Default)]
pub struct Samples {
    wall: Vec<Duration>,
    /// As many as `wall`, or none if the system does not provide them.
    cpu: Vec<Duration>,
}

/// The statistics of repeated measurements, in milliseconds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Statistics {
    /// The shortest.
    pub least_ms: f64,
    /// The lower quartile.
    pub lower_ms: f64,
    /// The median: the middle one, or the mean of the middle two.
    pub median_ms: f64,
    /// The upper quartile.
    pub upper_ms: f64,
    /// The interquartile range, as a fraction of the median.
    pub spread: f64,
}

impl Samples {
    /// Adds a sample.
    pub fn push(&mut self, sample: Sample) {
        self.wall.push(sample.wall);
        self.cpu.extend(sample.cpu);
    }

    /// Number of samples.
    pub fn len(&self) -> usize {
        self.wall.len()
    }

    /// `true` if there are no samples.
    pub fn is_empty(&self) -> bool {
        self.wall.is_empty()
    }

    /// The sum of the wall times.
    pub fn total_wall(&self) -> Duration {
        self.wall.iter().sum()
    }

    /// Statistics of the wall times, if there are any.
    pub fn wall(&self) -> Option<Statistics> {
        Statistics::of(&self.wall)
    }

    /// Statistics of the processor times, if there are any.
    pub fn cpu(&self) -> Option<Statistics> {
        Statistics::of(&self.cpu)
    }
}

impl Statistics {
    /// Statistics of times in any order, if there are any.
    pub fn of(times: &[Duration]) -> Option<Self> {
        let mut times: Vec<f64> = times.iter().map(|time| time.as_nanos() as f64 / 1e6).collect();
        times.sort_unstable_by(f64::total_cmp);
        let least_ms = *times.first()?;
        let [lower_ms, median_ms, upper_ms] = [0.25, 0.5, 0.75].map(|part| quantile(&times, part));
        let spread = if median_ms == 0.0 { 0.0 } else { (upper_ms - lower_ms) / median_ms };
        Some(Self { least_ms, lower_ms, median_ms, upper_ms, spread })
    }
}

/// A quantile of sorted times, interpolated linearly between neighbours.
fn quantile(sorted: &[f64], part: f64) -> f64 {
    let position = part * (sorted.len() - 1) as f64;
    let (low, high) = (sorted[position.floor() as usize], sorted[position.ceil() as usize]);
    low + (high - low) * position.fract()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn times(times: &[u64]) -> Vec<Duration> {
        times.iter().copied().map(Duration::from_millis).collect()
    }

    #[test]
    fn statistics_of_known_times() {
        assert_eq!(Statistics::of(&[]), None);
        for (given, [least_ms, lower_ms, median_ms, upper_ms], spread) in [
            (&[7][..], [7.0; 4], 0.0),
            (&[8, 1, 100, 4, 2], [1.0, 2.0, 4.0, 8.0], 1.5),
            (&[8, 2, 6, 4], [2.0, 3.5, 5.0, 6.5], 0.6),
        ] {
            let expected = Statistics { least_ms, lower_ms, median_ms, upper_ms, spread };
            assert_eq!(Statistics::of(&times(given)), Some(expected));
        }
        assert_eq!(Statistics::of(&times(&[0, 0, 0])).unwrap().spread, 0.0);
    }

    #[test]
    fn processor_times_may_be_missing() {
        let mut samples = Samples::default();
        let second = Duration::from_secs(1);
        samples.push(Sample { wall: second, cpu: None });
        assert_eq!((samples.len(), samples.cpu()), (1, None));
        samples.push(Sample { wall: second, cpu: Some(second) });
        assert_eq!((samples.total_wall(), samples.cpu().unwrap().least_ms), (2 * second, 1e3));
    }
}
