//! A copy of a texture with a number for each texel, made band by band.

use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Weak};

use super::Copies;
use super::budget::CopyBudget;
use super::plan::{Band, Plan};
use crate::memory::{GuardPages, Memory};
use crate::room::room;

/// Nobody has made the band, or there was no room for it.
const ABSENT: u8 = 0;
/// A thread makes it.
const BEGUN: u8 = 1;
/// It is there, and stays as it is.
const MADE: u8 = 2;

/// Looks at a band that another thread makes before this one lets others run.
const LOOKS: u32 = 64;

/// A copy of a texture, each of whose texels is laid out as [`Layout`](crate::format::Layout) says.
#[derive(Debug)]
pub struct ExpandedCopy {
    memory: Memory,
    bands: Vec<AtomicU8>,
    plan: Arc<Plan>,
    source: Arc<Memory>,
    /// The source's when the copy was begun.
    version: u64,
    pub(super) home: Weak<Copies>,
    pub(super) budget: Arc<CopyBudget>,
    /// Bytes of its bands.
    made_bytes: AtomicU64,
    /// When a run last began with it, as the budget counts.
    pub(super) last_use: AtomicU64,
    /// Whether there was no room for a band since a run began: it is not looked for again at each sample.
    pub(super) is_refused: AtomicBool,
}

impl ExpandedCopy {
    /// One without bands; nothing if there is no memory for it.
    pub(super) fn new(
        plan: &Arc<Plan>,
        home: &Arc<Copies>,
        version: u64,
        budget: &Arc<CopyBudget>,
    ) -> Option<Arc<Self>> {
        // The system gives the pages of what is large when they are written. Nothing but Brolga's code reads it: no guard pages.
        let memory = Memory::zeroed(plan.size_bytes, GuardPages::Off).ok()?;
        let mut bands = room(plan.bands.into()).ok()?;
        bands.resize_with(plan.bands as usize, || AtomicU8::new(ABSENT));
        Some(Arc::new(Self {
            memory,
            bands,
            plan: Arc::clone(plan),
            source: Arc::clone(&home.memory),
            version,
            home: Arc::downgrade(home),
            budget: Arc::clone(budget),
            made_bytes: AtomicU64::new(0),
            last_use: AtomicU64::new(0),
            is_refused: AtomicBool::new(false),
        }))
    }

    /// The first byte. As many as [`Expansion::size_bytes`](super::Expansion::size_bytes) says are valid while this lives; what they mean
    /// only in bands that [are there](Self::has).
    pub fn base(&self) -> *const u8 {
        self.memory.base()
    }

    /// Whether a band is there.
    #[inline(always)]
    pub fn has(&self, band: u32) -> bool {
        self.bands.get(band as usize).is_some_and(|state| state.load(Ordering::Acquire) == MADE)
    }

    /// Whether it is of what the texture holds now.
    pub fn is_current(&self) -> bool {
        self.version == self.source.version()
    }

    /// Bytes of the bands that are there.
    pub fn made_bytes(&self) -> u64 {
        self.made_bytes.load(Ordering::Relaxed)
    }

    /// A number in it, whatever is there.
    #[cfg(test)]
    pub(super) fn number(&self, offset_bytes: u64, size_bytes: u32) -> u64 {
        self.memory.load_number(offset_bytes, size_bytes) as u64
    }

    /// Whether it has these texels, and counts for this budget.
    pub(super) fn is_for(&self, plan: &Plan, budget: &Arc<CopyBudget>) -> bool {
        self.plan.format == plan.format && Arc::ptr_eq(&self.budget, budget)
    }

    /// Makes a band, or waits until another thread has made it; false where there is no room for it.
    #[cold]
    pub fn make(&self, band: u32) -> bool {
        let Some(state) = self.bands.get(band as usize) else { return false };
        let mut looks = 0;
        loop {
            match state.load(Ordering::Acquire) {
                MADE => return true,
                BEGUN => {
                    looks += 1;
                    if looks < LOOKS { std::hint::spin_loop() } else { std::thread::yield_now() }
                }
                _ if self.is_refused.load(Ordering::Relaxed) => return false,
                _ => {
                    if state.compare_exchange(ABSENT, BEGUN, Ordering::Relaxed, Ordering::Relaxed).is_ok() {
                        return self.make_begun(band, state);
                    }
                }
            }
        }
    }

    /// Makes a band that this thread has begun.
    fn make_begun(&self, number: u32, state: &AtomicU8) -> bool {
        /// Whatever happens, nobody waits for ever.
        struct Begun<'a>(&'a AtomicU8, u8);
        impl Drop for Begun<'_> {
            fn drop(&mut self) {
                self.0.store(self.1, Ordering::Release);
            }
        }
        let mut begun = Begun(state, ABSENT);
        let band = self.plan.band(number);
        let size_bytes = band.size_bytes(self.plan.format.block_extents()[1]);
        if !self.budget.take(size_bytes) {
            self.is_refused.store(true, Ordering::Relaxed);
            return false;
        }
        self.made_bytes.fetch_add(size_bytes, Ordering::Relaxed);
        self.expand(&band);
        begun.1 = MADE;
        true
    }

    /// Expands the blocks of a band. All of it is arithmetic of integers: it runs in any float mode.
    fn expand(&self, band: &Band) {
        let format = self.plan.format;
        let Some(expand) = format.expander() else { return };
        let [width, height] = format.block_extents().map(|extent| extent as usize);
        let texel_bytes = self.plan.texel_bytes as usize;
        let (block_words, row_words) = (format.size_bytes() as usize / 4, band.row_bytes as usize / 4);
        let [across, down] = band.blocks;
        let mut texels = [0; 16];
        for row in 0..u64::from(down) {
            let from =
                self.source.words(band.source_bytes + row * band.source_row_bytes, across as usize * block_words);
            let to_bytes = band.offset_bytes + row * height as u64 * band.row_bytes;
            let to = self.memory.words(to_bytes, height * row_words);
            let (Some(from), Some(to)) = (from, to) else {
                debug_assert!(false, "bands are in the texture and in the copy");
                return;
            };
            let step = width * texel_bytes / 4;
            for (n, block) in from.chunks_exact(block_words).enumerate() {
                let words = block.iter().rev();
                expand(
                    words.fold(0, |block, word| block << 32 | u128::from(word.load(Ordering::Relaxed))),
                    &mut texels,
                );
                for (y, texels) in texels.chunks_exact(width).take(height).enumerate() {
                    put(&to[y * row_words + n * step..][..step], texels, texel_bytes);
                }
            }
        }
    }
}

/// Writes texels of 2, 4 or 8 bytes next to each other, as many as there are words for.
fn put(words: &[AtomicU32], texels: &[u64], texel_bytes: usize) {
    let store = |word: &AtomicU32, value: u64| word.store(value as u32, Ordering::Relaxed);
    match texel_bytes {
        2 => words.iter().zip(texels.chunks_exact(2)).for_each(|(word, pair)| store(word, pair[0] | pair[1] << 16)),
        4 => words.iter().zip(texels).for_each(|(word, &texel)| store(word, texel)),
        _ => words.chunks_exact(2).zip(texels).for_each(|(pair, &texel)| {
            store(&pair[0], texel);
            store(&pair[1], texel >> 32);
        }),
    }
}

impl Drop for ExpandedCopy {
    fn drop(&mut self) {
        self.budget.give_back(self.made_bytes());
    }
}
