//! Many times of one thing, and what is said of them.

use std::time::Duration;

use super::clock::Sample;

/// Times of one thing, measured again and again.
#[derive(Clone, Debug, Default)]
pub struct Samples {
    wall: Vec<Duration>,
    /// As many as `wall`, or none where the system does not tell.
    cpu: Vec<Duration>,
}

/// What is said of many times.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Statistics {
    /// The shortest.
    pub least: Duration,
    /// Where the middle half of the times begins.
    pub lower: Duration,
    /// The one in the middle, or the mean of the two there.
    pub median: Duration,
    /// Where the middle half ends.
    pub upper: Duration,
}

impl Samples {
    /// Adds one.
    pub fn push(&mut self, sample: Sample) {
        self.wall.push(sample.wall);
        self.cpu.extend(sample.cpu);
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.wall.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.wall.is_empty()
    }

    /// The sum of the wall times.
    pub fn total_wall(&self) -> Duration {
        self.wall.iter().sum()
    }

    /// Of the wall times, if there are any.
    pub fn wall(&self) -> Option<Statistics> {
        Statistics::of(&self.wall)
    }

    /// Of the processor times, if there are any.
    pub fn cpu(&self) -> Option<Statistics> {
        Statistics::of(&self.cpu)
    }
}

impl Statistics {
    /// Of times in any order, if there are any.
    pub fn of(times: &[Duration]) -> Option<Self> {
        let mut times = times.to_vec();
        times.sort_unstable();
        let least = *times.first()?;
        let [lower, median, upper] = [0.25, 0.5, 0.75].map(|part| quantile(&times, part));
        Some(Self { least, lower, median, upper })
    }

    /// What the middle half of the times spans, as a part of the median.
    pub fn spread(&self) -> f64 {
        let span = self.upper.saturating_sub(self.lower);
        if self.median.is_zero() { 0.0 } else { span.as_secs_f64() / self.median.as_secs_f64() }
    }
}

/// The time below which this part of the sorted times lies, on the line between its two neighbours.
fn quantile(sorted: &[Duration], part: f64) -> Duration {
    let place = part * (sorted.len() - 1) as f64;
    let (low, high) = (sorted[place.floor() as usize], sorted[place.ceil() as usize]);
    low + (high - low).mul_f64(place.fract())
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
        let ms = Duration::from_millis;
        let one = Statistics::of(&times(&[7])).unwrap();
        assert_eq!(one, Statistics { least: ms(7), lower: ms(7), median: ms(7), upper: ms(7) });
        let odd = Statistics::of(&times(&[8, 1, 100, 4, 2])).unwrap();
        assert_eq!((odd, odd.spread()), (Statistics { least: ms(1), lower: ms(2), median: ms(4), upper: ms(8) }, 1.5));
        let even = Statistics::of(&times(&[8, 2, 6, 4])).unwrap();
        let (lower, upper) = (Duration::from_micros(3500), Duration::from_micros(6500));
        assert_eq!((even, even.spread()), (Statistics { least: ms(2), lower, median: ms(5), upper }, 0.6));
        assert_eq!(Statistics::of(&times(&[0, 0, 0])).unwrap().spread(), 0.0);
    }

    #[test]
    fn processor_times_may_be_missing() {
        let mut samples = Samples::default();
        let second = Duration::from_secs(1);
        samples.push(Sample { wall: second, cpu: None });
        assert_eq!((samples.len(), samples.cpu()), (1, None));
        samples.push(Sample { wall: second, cpu: Some(second) });
        assert_eq!((samples.total_wall(), samples.cpu().unwrap().least), (2 * second, second));
    }
}
