//! How many bytes the copies of a device may have.
//!
//! What counts are the bands that are made. Where one more does not fit, copies of other textures go that no run uses, the least recently
//! used first. Locks: the list of copies here, then that of a texture; never the other way round.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use super::copy::ExpandedCopy;

/// What the copies of one device have to share.
#[derive(Debug)]
pub struct CopyBudget {
    most_bytes: u64,
    used_bytes: AtomicU64,
    /// Counts uses; the latest one has this number.
    uses: AtomicU64,
    /// All copies that count, and some that are gone.
    copies: Mutex<Vec<Weak<ExpandedCopy>>>,
}

impl CopyBudget {
    /// Room for so many bytes; 0 means no copies.
    pub fn new(most_bytes: u64) -> Arc<Self> {
        // A copy that was never used has the number 0.
        let (used_bytes, uses) = (AtomicU64::new(0), AtomicU64::new(1));
        Arc::new(Self { most_bytes, used_bytes, uses, copies: Mutex::default() })
    }

    /// The most bytes that copies may have.
    pub fn most_bytes(&self) -> u64 {
        self.most_bytes
    }

    /// Bytes that they have now.
    pub fn used_bytes(&self) -> u64 {
        self.used_bytes.load(Ordering::Relaxed)
    }

    /// A run begins with these copies.
    pub fn touch<'a>(&self, copies: impl Iterator<Item = &'a ExpandedCopy> + Clone) {
        let latest = self.uses.load(Ordering::Relaxed);
        let is_latest = |copy: &ExpandedCopy| copy.last_use.load(Ordering::Relaxed) == latest;
        if !copies.clone().all(is_latest) {
            let now = self.uses.fetch_add(1, Ordering::Relaxed) + 1;
            copies.clone().for_each(|copy| copy.last_use.store(now, Ordering::Relaxed));
        }
        // Read first: runs share the copies, and none of them should wait for what another has written for nothing.
        copies.filter(|copy| copy.is_refused.load(Ordering::Relaxed)).for_each(|copy| {
            copy.is_refused.store(false, Ordering::Relaxed);
        });
    }

    fn copies(&self) -> MutexGuard<'_, Vec<Weak<ExpandedCopy>>> {
        self.copies.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts a copy among those that may go.
    pub(super) fn register(&self, copy: &Arc<ExpandedCopy>) {
        let mut copies = self.copies();
        copies.retain(|known| known.strong_count() > 0);
        copies.push(Arc::downgrade(copy));
    }

    /// Takes room, if that much is left.
    fn take_left(&self, size_bytes: u64) -> bool {
        let taken = |used: u64| used.checked_add(size_bytes).filter(|&used| used <= self.most_bytes);
        self.used_bytes.fetch_update(Ordering::Relaxed, Ordering::Relaxed, taken).is_ok()
    }

    /// Takes room for a band; copies that nobody uses make place for it.
    pub(super) fn take(&self, size_bytes: u64) -> bool {
        if size_bytes > self.most_bytes || self.take_left(size_bytes) {
            return size_bytes <= self.most_bytes;
        }
        let copies = self.copies();
        let unused = copies.iter().filter(|copy| copy.strong_count() == 1).filter_map(Weak::upgrade);
        let mut unused: Vec<_> = unused.filter(|copy| copy.made_bytes() > 0).collect();
        unused.sort_by_key(|copy| copy.last_use.load(Ordering::Relaxed));
        for copy in unused {
            // Another thread may have given back what is enough.
            if self.take_left(size_bytes) {
                return true;
            }
            if let Some(home) = copy.home.upgrade() {
                home.leave(&copy);
            }
        }
        self.take_left(size_bytes)
    }

    /// Gives room back.
    pub(super) fn give_back(&self, size_bytes: u64) {
        self.used_bytes.fetch_sub(size_bytes, Ordering::Relaxed);
    }
}
