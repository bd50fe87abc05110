//! Limits the number of blocks that a thread expands at a stretch.
//!
//! A sample of a packet may need hundreds of bands, and nobody checks whether the run is to stop before the sample is
//! over. So a thread that has expanded many blocks makes no more for a moment: meanwhile samples decode blocks
//! directly, which takes far longer than the interval between checks.

use std::cell::Cell;
use std::time::{Duration, Instant};

/// The most blocks at a stretch, before the last band: they take some 20 ms.
const MOST_BLOCKS: u64 = 1 << 17;

/// The pause without expansion that ends a stretch: runs check at least every millisecond or so.
const REST: Duration = Duration::from_millis(2);

#[derive(Clone, Copy)]
struct Stretch {
    blocks: u64,
    last: Option<Instant>,
}

const NONE: Stretch = Stretch { blocks: 0, last: None };

thread_local! {
    static STRETCH: Cell<Stretch> = const { Cell::new(NONE) };
}

/// True if this thread may expand blocks now.
pub(super) fn may_expand() -> bool {
    let mut stretch = STRETCH.get();
    if stretch.last.is_some_and(|last| last.elapsed() >= REST) {
        stretch = NONE;
        STRETCH.set(stretch);
    }
    stretch.blocks < MOST_BLOCKS
}

/// Counts blocks that this thread has expanded.
pub(super) fn has_expanded(blocks: u64) {
    let before = STRETCH.get().blocks;
    STRETCH.set(Stretch { blocks: before + blocks, last: Some(Instant::now()) });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_rests_between_stretches() {
        let start = Instant::now();
        has_expanded(MOST_BLOCKS);
        while !may_expand() {
            assert!(start.elapsed() < Duration::from_secs(60));
        }
        assert!(start.elapsed() >= REST && may_expand());
        // Each thread has its own count.
        has_expanded(MOST_BLOCKS);
        std::thread::spawn(|| assert!(may_expand())).join().unwrap();
    }
}
