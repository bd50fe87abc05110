//! Owns the memory of a copy, and expands it band by band.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, AtomicU32, Ordering};

use super::pace::{has_expanded, may_expand};
use super::plan::{Band, Plan};
use crate::memory::Memory;
use crate::room::room;

/// The band was never made, or there was no room for it.
const ABSENT: u8 = 0;
/// A thread is making the band.
const BEGUN: u8 = 1;
/// The band is there, and does not change any more.
const MADE: u8 = 2;

/// Number of looks at a band that another thread makes before this one yields.
const LOOKS: u32 = 64;

/// Expanded texels, in bands.
#[derive(Debug)]
pub(super) struct Bands {
    memory: Memory,
    states: Vec<AtomicU8>,
    plan: Arc<Plan>,
    source: Arc<Memory>,
}

impl Bands {
    /// Bands of which none is there yet; `None` if there is no memory for them.
    pub fn new(plan: &Arc<Plan>, source: &Arc<Memory>) -> Option<Self> {
        // Only bands that are made take memory. Only Brolga's code reads it: no guard pages.
        let memory = Memory::zeroed_when_touched(plan.size_bytes).ok()?;
        let mut states = room(plan.bands.into()).ok()?;
        states.resize_with(plan.bands as usize, || AtomicU8::new(ABSENT));
        Some(Self { memory, states, plan: Arc::clone(plan), source: Arc::clone(source) })
    }

    /// The memory of the copy.
    pub fn memory(&self) -> &Memory {
        &self.memory
    }

    /// The layout of the copy.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// The texture's memory.
    pub fn source(&self) -> &Memory {
        &self.source
    }

    /// True if a band is there.
    #[inline(always)]
    pub fn has(&self, band: u32) -> bool {
        self.states.get(band as usize).is_some_and(|state| state.load(Ordering::Acquire) == MADE)
    }

    /// Makes a band if there is room for its bytes and this thread has not made many just now, or waits until another
    /// thread has made it. Returns true if it is there.
    pub fn make(&self, band: u32, has_room: impl Fn(u64) -> bool) -> bool {
        let Some(state) = self.states.get(band as usize) else { return false };
        if !may_expand() {
            return self.has(band);
        }
        let mut looks = 0;
        loop {
            match state.compare_exchange(ABSENT, BEGUN, Ordering::Acquire, Ordering::Acquire) {
                Ok(_) => return self.make_begun(band, state, &has_room),
                Err(MADE) => return true,
                Err(_) if looks < LOOKS => std::hint::spin_loop(),
                Err(_) => std::thread::yield_now(),
            }
            looks = (looks + 1).min(LOOKS);
        }
    }

    /// Makes a band that this thread has claimed.
    fn make_begun(&self, number: u32, state: &AtomicU8, has_room: impl Fn(u64) -> bool) -> bool {
        /// Releases waiting threads, whatever happens.
        struct Begun<'a>(&'a AtomicU8, u8);
        impl Drop for Begun<'_> {
            fn drop(&mut self) {
                self.0.store(self.1, Ordering::Release);
            }
        }
        let mut begun = Begun(state, ABSENT);
        let band = self.plan.band(number);
        if !has_room(band.size_bytes) {
            return false;
        }
        if !self.expand(&band) {
            debug_assert!(false, "bands are in the texture and in the copy");
            return false;
        }
        has_expanded(band.blocks.map(u64::from).iter().product());
        begun.1 = MADE;
        true
    }

    /// Expands the blocks of a band; false if some of them are not in memory. All of it is arithmetic of integers: it
    /// runs in any float mode.
    fn expand(&self, band: &Band) -> bool {
        let format = self.plan.format;
        let Some(expand) = format.expander() else { return false };
        let [width, height] = format.block_extents().map(|extent| extent as usize);
        let texel_bytes = self.plan.texel_bytes as usize;
        let (block_words, row_words) = (format.size_bytes() as usize / 4, band.row_bytes as usize / 4);
        let step = width * texel_bytes / 4;
        let [across, down] = band.blocks;
        let mut texels = [0; 16];
        for row in 0..u64::from(down) {
            let from =
                self.source.words(band.source_bytes + row * band.source_row_bytes, across as usize * block_words);
            let to = self.memory.words(band.offset_bytes + row * height as u64 * band.row_bytes, height * row_words);
            let (Some(from), Some(to)) = (from, to) else { return false };
            for (n, words) in from.chunks_exact(block_words).enumerate() {
                let words = words.iter().rev().map(|word| u128::from(word.load(Ordering::Relaxed)));
                expand(words.fold(0, |block, word| block << 32 | word), &mut texels);
                for (y, texels) in texels.chunks_exact(width).take(height).enumerate() {
                    put(&to[y * row_words + n * step..][..step], texels, texel_bytes);
                }
            }
        }
        true
    }
}

/// Writes adjacent texels of 2, 4 or 8 bytes, as many as there are words for.
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
