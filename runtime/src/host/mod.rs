//! Gives a running shader access to the views bound to its declared ranges, as the one [`Host`] of both engines.
//!
//! Views are checked when they are bound, so that strides, dimensions and counters are as declared. Every access is
//! checked here: the index against the view, then each word against the element, in 64 bits. Anything out of range, or
//! not bound, reads as zeros and drops writes.
//!
//! | file | what |
//! |---|---|
//! | `bound.rs` | the view bound to one register |
//! | `views.rs` | the views bound to all registers |
//! | `texel.rs` | textures and typed buffers |
//! | `samples.rs` | textures with samplers |
//! | `copies.rs` | copies of compressed textures, for one run |
//! | `remarks.rs` | remarks for listings on how samples are taken |

mod bound;
mod copies;
mod remarks;
mod samples;
#[cfg(test)]
mod tests;
mod texel;
mod views;

use std::fmt;
use std::sync::atomic::Ordering;

use brolga_ir::entity::MessageId;
use brolga_ir::function::{AtomicOp, CounterOp, Origin, Query};
use brolga_ir::host::{Address, Host, TexelCall, ViewSlot};
use brolga_ir::sampling::{Row, SampleCall, SampleEntry};

use crate::stop::StopWord;
pub(crate) use bound::Bound;
use bound::{Extent, Words};
use brolga_resource::Memory;
pub(crate) use copies::RunCopies;
pub(crate) use remarks::unbound_remarks;
use texel::Texels;
pub(crate) use views::{BoundViews, Change, TexelFormats, trimmed};

/// All that one run can access: the bound views, its copies of constant buffers and textures, the stop word, and the
/// outbox for messages.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reach<'a> {
    views: &'a BoundViews,
    constants: &'a [Memory],
    copies: &'a RunCopies,
    stop: &'a StopWord,
    outbox: &'a dyn Outbox,
}

/// Takes the messages of a shader.
pub(crate) trait Outbox: fmt::Debug + Sync {
    /// Takes one: the sender, then the operands.
    fn send(&self, message: MessageId, origin: Origin, words: &[u32]);
}

impl<'a> Reach<'a> {
    /// The host for these views, with a copy for each of [`BoundViews::constants`].
    pub fn new(
        views: &'a BoundViews,
        constants: &'a [Memory],
        copies: &'a RunCopies,
        stop: &'a StopWord,
        outbox: &'a dyn Outbox,
    ) -> Self {
        Self { views, constants, copies, stop, outbox }
    }

    /// The word that tells workers to stop.
    pub fn stop(&self) -> &'a StopWord {
        self.stop
    }

    /// Entry points that compiled code calls for samples.
    pub fn samples(&self) -> &'a [SampleEntry] {
        self.copies.entries().unwrap_or(self.views.samples.entries())
    }

    #[inline]
    fn bound(&self, view: ViewSlot) -> Option<&'a Bound> {
        self.views.views.get(view.id.index(), view.element as usize)?.as_ref()
    }

    /// Memory and extent of a register's readable bytes.
    #[inline]
    fn readable(&self, view: ViewSlot) -> Option<(&'a Memory, &'a Extent)> {
        match self.bound(view)? {
            Bound::Words(words) => Some((&words.memory, &words.extent)),
            Bound::Constants(constants) => Some((self.constants.get(constants.copy)?, &constants.extent)),
            Bound::Texels(_) | Bound::Sampler(_) => None,
        }
    }

    #[inline]
    fn words(&self, view: ViewSlot) -> Option<&'a Words> {
        match self.bound(view)? {
            Bound::Words(words) => Some(words),
            Bound::Constants(_) | Bound::Texels(_) | Bound::Sampler(_) => None,
        }
    }

    #[inline]
    fn texels(&self, view: ViewSlot) -> Option<&'a Texels> {
        match self.bound(view)? {
            Bound::Texels(texels) => Some(texels),
            Bound::Words(_) | Bound::Constants(_) | Bound::Sampler(_) => None,
        }
    }
}

impl Host for Reach<'_> {
    fn load(&self, at: Address, words: &mut [u32]) {
        let Some((memory, extent)) = self.readable(at.view) else { return words.fill(0) };
        for (word, offset) in words.iter_mut().zip(extent.word_offsets(at)) {
            *word = offset.map_or(0, |offset| memory.load(offset, 4));
        }
    }

    fn store(&self, at: Address, words: &[u32]) {
        let Some(view) = self.words(at.view) else { return };
        for (&word, offset) in words.iter().zip(view.extent.word_offsets(at)) {
            if let Some(offset) = offset {
                view.memory.store(offset, 4, word);
            }
        }
    }

    fn atomic(&self, op: AtomicOp, at: Address, value: u32, compare: u32) -> u32 {
        let Some(view) = self.words(at.view) else { return 0 };
        let word = view.extent.word_offsets(at).next().flatten().and_then(|offset| view.memory.atomic(offset));
        word.map_or(0, |word| op.change(word, value, compare))
    }

    fn counter(&self, op: CounterOp, view: ViewSlot) -> u32 {
        let Some(counter) = self.words(view).and_then(Words::counter) else { return 0 };
        match op {
            CounterOp::Alloc => counter.fetch_add(1, Ordering::Relaxed),
            CounterOp::Consume => counter.fetch_sub(1, Ordering::Relaxed).wrapping_sub(1),
        }
    }

    fn texel_load(&self, view: ViewSlot, coords: [u32; 3], level: u32) -> [u32; 4] {
        self.texels(view).map_or([0; 4], |texels| texels.load(coords, level))
    }

    fn texel_store(&self, view: ViewSlot, coords: [u32; 3], words: [u32; 4]) {
        if let Some(texels) = self.texels(view) {
            texels.store(coords, words);
        }
    }

    fn texel_loads(&self, call: TexelCall<'_>, levels: Row<'_>, results: &mut [u32]) {
        results.fill(0);
        for (view, lanes) in call.views() {
            if let Some(texels) = self.texels(view) {
                texels.load_lanes(call, lanes, levels, results);
            }
        }
    }

    fn texel_stores(&self, call: TexelCall<'_>, values: [Row<'_>; 4]) {
        for (view, lanes) in call.views() {
            if let Some(texels) = self.texels(view) {
                texels.store_lanes(call, lanes, values);
            }
        }
    }

    fn texel_atomic(&self, op: AtomicOp, view: ViewSlot, coords: [u32; 3], value: u32, compare: u32) -> u32 {
        let word = self.texels(view).and_then(|texels| texels.atomic(coords));
        word.map_or(0, |word| op.change(word, value, compare))
    }

    #[inline(always)]
    fn sample(&self, call: SampleCall<'_>) {
        self.views.samples.sample(&self.views.views, self.copies.current(), call);
    }

    fn message(&self, message: MessageId, origin: Origin, words: &[u32]) {
        self.outbox.send(message, origin, words);
    }

    fn query(&self, query: Query, view: ViewSlot, level: u32) -> [u32; 4] {
        self.bound(view).map_or([0; 4], |bound| bound::answer(query, bound, level))
    }

    fn base(&self, view: ViewSlot) -> Option<u64> {
        self.bound(view).map(Bound::base)
    }

    fn stop_requested(&self) -> bool {
        self.stop.is_set()
    }
}
