//! Manages the copies of textures: who owns them, and the memory that those of a device share.
//!
//! Only bands that are made count. Where one more does not fit, copies of other textures that no run uses are dropped,
//! the least recently used first. Lock order: a budget's list of copies, then a texture's; never the other way round.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use super::bands::Bands;
use super::plan::Plan;
use crate::format::Format;
use crate::memory::Memory;

/// A copy of a texture, with texels laid out as by [`Layout`](crate::format::Layout).
#[derive(Debug)]
pub struct ExpandedCopy {
    bands: Bands,
    /// The version of the texture's memory when the copy was begun.
    version: u64,
    home: Weak<Copies>,
    budget: Arc<CopyBudget>,
    /// Size of the bands that are made, in bytes.
    made_bytes: AtomicU64,
    /// The budget's count of uses when a run last began with it.
    last_use: AtomicU64,
    /// Set if there was no room for a band since a run began: room is not looked for again at each sample.
    is_refused: AtomicBool,
}

impl ExpandedCopy {
    /// The address of the first byte. [`Expansion::size_bytes`](super::Expansion::size_bytes) bytes are valid while
    /// this lives; their content is defined only in bands that [are there](Self::has).
    pub fn base(&self) -> *const u8 {
        self.bands.memory().base()
    }

    /// Number of valid bytes from the first one on.
    pub fn size_bytes(&self) -> u64 {
        self.bands.memory().size_bytes()
    }

    /// True if a band is there.
    #[inline(always)]
    pub fn has(&self, band: u32) -> bool {
        self.bands.has(band)
    }

    /// Makes a band, or waits until another thread has made it; false if there is no room for it, or this thread has
    /// made many just now.
    #[cold]
    pub fn make(&self, band: u32) -> bool {
        if self.is_refused.load(Ordering::Relaxed) {
            return self.has(band);
        }
        self.bands.make(band, |size_bytes| {
            let has_room = self.budget.take(size_bytes);
            match has_room {
                true => drop(self.made_bytes.fetch_add(size_bytes, Ordering::Relaxed)),
                false => self.is_refused.store(true, Ordering::Relaxed),
            }
            has_room
        })
    }

    /// True if it matches the texture's current content, and nobody can write there unseen.
    pub fn is_current(&self) -> bool {
        let source = self.bands.source();
        self.version == source.version() && !source.has_other_writers()
    }

    /// Size of the bands that are there, in bytes.
    pub fn made_bytes(&self) -> u64 {
        self.made_bytes.load(Ordering::Relaxed)
    }

    /// Reads a number, whether its band is there or not.
    #[cfg(test)]
    pub(super) fn number(&self, offset_bytes: u64, size_bytes: u32) -> u64 {
        self.bands.memory().load_number(offset_bytes, size_bytes) as u64
    }
}

impl Drop for ExpandedCopy {
    fn drop(&mut self) {
        self.budget.used_bytes.fetch_sub(self.made_bytes(), Ordering::Relaxed);
    }
}

/// The copies of a texture: one for each device that samples it and each meaning of its bits.
#[derive(Debug)]
pub(crate) struct Copies {
    memory: Arc<Memory>,
    made: Mutex<Vec<Arc<ExpandedCopy>>>,
}

impl Copies {
    /// No copies yet, of a texture in this memory; `None` if it may not have any.
    pub fn new(format: Format, memory: &Arc<Memory>) -> Option<Arc<Self>> {
        if format.expander().is_none() || memory.has_other_writers() {
            return None;
        }
        memory.watch();
        Some(Arc::new(Self { memory: Arc::clone(memory), made: Mutex::default() }))
    }

    /// The texture's memory.
    pub fn memory(&self) -> &Arc<Memory> {
        &self.memory
    }

    pub(super) fn made(&self) -> MutexGuard<'_, Vec<Arc<ExpandedCopy>>> {
        self.made.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The copy of the texture's current content, with this layout, that counts for a budget.
    pub(super) fn copy(self: &Arc<Self>, plan: &Arc<Plan>, budget: &Arc<CopyBudget>) -> Option<Arc<ExpandedCopy>> {
        if budget.most_bytes == 0 {
            return None;
        }
        let mut made = self.made();
        // Read first: whoever is lent a pointer after this changes it.
        let version = self.memory.version();
        if self.memory.has_other_writers() {
            made.clear();
            return None;
        }
        made.retain(|copy| copy.is_current());
        let is_it =
            |copy: &&Arc<ExpandedCopy>| copy.bands.plan().format == plan.format && Arc::ptr_eq(&copy.budget, budget);
        if let Some(found) = made.iter().find(is_it) {
            return Some(Arc::clone(found));
        }
        let new = Arc::new(ExpandedCopy {
            bands: Bands::new(plan, &self.memory)?,
            version,
            home: Arc::downgrade(self),
            budget: Arc::clone(budget),
            made_bytes: AtomicU64::new(0),
            last_use: AtomicU64::new(0),
            is_refused: AtomicBool::new(false),
        });
        made.push(Arc::clone(&new));
        drop(made);
        budget.register(&new);
        Some(new)
    }

    /// Drops a copy, of which the caller has one reference, if nobody else has another.
    fn leave(&self, copy: &Arc<ExpandedCopy>) {
        let mut made = self.made();
        // Others get a reference from here, or from a weak one: a run that does so keeps the copy, and its bytes count,
        // until the run is over.
        if Arc::strong_count(copy) == 2 {
            made.retain(|known| !Arc::ptr_eq(known, copy));
        }
    }
}

/// The number of bytes that the copies of one device may have.
#[derive(Debug)]
pub struct CopyBudget {
    most_bytes: u64,
    used_bytes: AtomicU64,
    /// Count of uses; the latest use has this number.
    uses: AtomicU64,
    /// All copies that count, and some that are dropped.
    copies: Mutex<Vec<Weak<ExpandedCopy>>>,
}

impl CopyBudget {
    /// A budget of so many bytes; 0 disables copies.
    pub fn new(most_bytes: u64) -> Arc<Self> {
        // A copy that was never used has the number 0.
        let (used_bytes, uses) = (AtomicU64::new(0), AtomicU64::new(1));
        Arc::new(Self { most_bytes, used_bytes, uses, copies: Mutex::default() })
    }

    /// The most bytes that copies may have.
    pub fn most_bytes(&self) -> u64 {
        self.most_bytes
    }

    /// Number of bytes that copies have now.
    pub fn used_bytes(&self) -> u64 {
        self.used_bytes.load(Ordering::Relaxed)
    }

    /// Records that a run begins with these copies.
    pub fn touch<'a>(&self, copies: impl Iterator<Item = &'a ExpandedCopy> + Clone) {
        let latest = self.uses.load(Ordering::Relaxed);
        let is_latest = |copy: &ExpandedCopy| copy.last_use.load(Ordering::Relaxed) == latest;
        // Runs share copies: avoid needless writes that others would wait for.
        if !copies.clone().all(is_latest) {
            let now = self.uses.fetch_add(1, Ordering::Relaxed) + 1;
            copies.clone().for_each(|copy| copy.last_use.store(now, Ordering::Relaxed));
        }
        for copy in copies.filter(|copy| copy.is_refused.load(Ordering::Relaxed)) {
            copy.is_refused.store(false, Ordering::Relaxed);
        }
    }

    fn copies(&self) -> MutexGuard<'_, Vec<Weak<ExpandedCopy>>> {
        self.copies.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a copy to those that may be dropped.
    fn register(&self, copy: &Arc<ExpandedCopy>) {
        let mut copies = self.copies();
        copies.retain(|known| known.strong_count() > 0);
        copies.push(Arc::downgrade(copy));
    }

    /// Takes room for a band, dropping copies that nobody uses if necessary.
    fn take(&self, size_bytes: u64) -> bool {
        if size_bytes > self.most_bytes || self.take_left(size_bytes) {
            return size_bytes <= self.most_bytes;
        }
        let copies = self.copies();
        let unused = copies.iter().filter(|copy| copy.strong_count() == 1).filter_map(Weak::upgrade);
        let mut unused: Vec<_> = unused.filter(|copy| copy.made_bytes() > 0).collect();
        unused.sort_by_key(|copy| copy.last_use.load(Ordering::Relaxed));
        for copy in unused {
            // Another thread may have released enough.
            if self.take_left(size_bytes) {
                return true;
            }
            if let Some(home) = copy.home.upgrade() {
                home.leave(&copy);
            }
        }
        self.take_left(size_bytes)
    }

    /// Takes room, if that much is left.
    fn take_left(&self, size_bytes: u64) -> bool {
        let taken = |used: u64| used.checked_add(size_bytes).filter(|&used| used <= self.most_bytes);
        self.used_bytes.fetch_update(Ordering::Relaxed, Ordering::Relaxed, taken).is_ok()
    }
}
