//! Measures how long a shader's groups take, to decide whether work is worth waking another thread for.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Least time on one thread for which others are woken, unless a device sets another. Waking them takes some ten
/// microseconds, and then they miss the data in the caller's cache: they have caught up only after some hundred.
pub(crate) const WORTH_HELP: Duration = Duration::from_micros(150);

/// The time of a shader's groups.
#[derive(Debug, Default)]
pub(crate) struct Pace {
    /// Picoseconds of a group, at least 1; 0 while nothing is known.
    group_ps: AtomicU64,
}

impl Pace {
    /// Expected time of this many groups on one thread, if any have run.
    pub fn expect(&self, groups: u64) -> Option<Duration> {
        let group_ps = self.group_ps.load(Ordering::Relaxed);
        (group_ps > 0).then(|| Duration::from_nanos(group_ps.saturating_mul(groups) / 1000))
    }

    /// Records the time that one thread took for some groups. A slower time than before counts in part, since threads
    /// are interrupted.
    pub fn note(&self, groups: u64, took: Duration) {
        let took_ps = u64::try_from(took.as_nanos()).unwrap_or(u64::MAX).saturating_mul(1000);
        let Some(group_ps) = took_ps.checked_div(groups) else { return };
        let most_ps = match self.group_ps.load(Ordering::Relaxed) {
            0 => u64::MAX,
            before => before.saturating_mul(2),
        };
        self.group_ps.store(group_ps.clamp(1, most_ps), Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pace_follows_what_was_seen() {
        let pace = Pace::default();
        assert_eq!(pace.expect(5), None);
        pace.note(0, Duration::from_secs(1));
        assert_eq!(pace.expect(5), None);
        pace.note(10, Duration::from_micros(10));
        assert_eq!(pace.expect(5), Some(Duration::from_micros(5)));
        // An interruption, then as before.
        pace.note(1, Duration::from_secs(1));
        assert_eq!(pace.expect(5), Some(Duration::from_micros(10)));
        pace.note(1000, Duration::from_micros(1));
        assert_eq!(pace.expect(5), Some(Duration::from_nanos(5)));
        pace.note(u64::MAX, Duration::ZERO);
        assert!(pace.expect(u64::MAX).is_some());
    }
}
