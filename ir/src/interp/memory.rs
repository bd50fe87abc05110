//! Accesses of a packet to memory and views, lane after lane.

use smallvec::SmallVec;

use super::code::{Address, Element, Extent, Node, Slot, Space, Texel, Update, View};
use super::packet::Runner;
use super::{Lanes, Mask, lanes_of};
use crate::host::{self, ViewSlot};
use crate::sampling::{Elements, MOST_SAMPLE_ARGS, Row, SampleCall};
use crate::srgb::LINEAR;
use crate::width::MAX_LANES;

/// The most words that one access moves.
const MAX_WORDS: usize = 4;

impl Runner<'_, '_> {
    /// Runs an instruction that touches memory or a view.
    pub(super) fn access(&mut self, node: &Node, mask: Mask) {
        match node {
            Node::Load { from, to, once } => {
                self.read(to, *once, mask, |runner, lane| {
                    let mut words = [0; MAX_WORDS];
                    runner.load(from, lane, &mut words[..to.len()]);
                    words
                });
            }
            Node::TexelLoad { view, texel, to, once } => {
                self.read(to, *once, mask, |runner, lane| {
                    let (coords, level) = runner.texel(texel, lane);
                    runner.host.texel_load(runner.view(view, lane), coords, level)
                });
            }
            Node::Query { query, view, level, to, once } => {
                self.read(to, *once, mask, |runner, lane| {
                    let level = level.map_or(0, |slot| runner.word(slot, lane));
                    runner.host.query(*query, runner.view(view, lane), level)
                });
            }
            Node::Sample { sampling, texture, sampler, args, to, once } => {
                // What is the same in all lanes is sampled once.
                let lanes = if *once { mask & mask.wrapping_neg() } else { mask };
                let mut results = [[0; MAX_LANES]; 4];
                let rows: SmallVec<[Row; MOST_SAMPLE_ARGS]> = args.iter().map(|&arg| self.row(arg)).collect();
                let (mut textures, mut samplers) = ([0; MAX_LANES], [0; MAX_LANES]);
                self.host.sample(SampleCall {
                    sampling,
                    texture: (texture.id, self.elements(texture, &mut textures)),
                    sampler: (sampler.id, self.elements(sampler, &mut samplers)),
                    lanes: lanes.into(),
                    args: &rows,
                    results: &mut results,
                });
                for (&slot, row) in to.iter().zip(&results) {
                    let first = lanes.trailing_zeros() as usize;
                    let result = std::array::from_fn(|lane| u64::from(row[if *once { first } else { lane }]));
                    self.set(slot, &result, mask);
                }
            }
            Node::Store { to, values, effect } => {
                for lane in lanes_of(mask & self.holds(*effect)) {
                    let words = self.words(values, lane);
                    self.store(to, lane, &words[..values.len()]);
                }
            }
            Node::TexelStore { view, texel, values, effect } => {
                for lane in lanes_of(mask & self.holds(*effect)) {
                    let (coords, _) = self.texel(texel, lane);
                    self.host.texel_store(self.view(view, lane), coords, self.words(values, lane));
                }
            }
            Node::Atomic { at, update } => self.update(update, mask, |runner, lane, value, compare| {
                let Space::View(view) = at.space else {
                    let Some(word) = runner.own_word(at, lane) else { return 0 };
                    let old = *word;
                    *word = update.op.apply(old, value, compare);
                    return old;
                };
                runner.host.atomic(update.op, runner.view_address(&view, at, lane), value, compare)
            }),
            Node::TexelAtomic { view, texel, update } => self.update(update, mask, |runner, lane, value, compare| {
                let (coords, _) = runner.texel(texel, lane);
                runner.host.texel_atomic(update.op, runner.view(view, lane), coords, value, compare)
            }),
            Node::Counter { op, view, effect, to } => {
                let effect = mask & self.holds(*effect);
                let mut results = [0; MAX_LANES];
                for lane in lanes_of(effect) {
                    results[lane] = u64::from(self.host.counter(*op, self.view(view, lane)));
                }
                self.set(*to, &results, mask);
            }
            Node::Op { .. }
            | Node::QuadRead { .. }
            | Node::PacketAll { .. }
            | Node::If { .. }
            | Node::Loop { .. }
            | Node::Switch { .. }
            | Node::End(_)
            | Node::Break { .. }
            | Node::Continue { .. }
            | Node::Return => unreachable!("only called for accesses"),
        }
    }

    fn word(&self, slot: Slot, lane: usize) -> u32 {
        self.value(slot)[lane] as u32
    }

    /// A 32-bit value in all lanes.
    fn row(&self, slot: Slot) -> Row {
        let mut row = [0; MAX_LANES];
        for (word, &bits) in row.iter_mut().zip(self.value(slot)) {
            *word = bits as u32;
        }
        row
    }

    /// The positions in a range that lanes mean.
    fn elements<'a>(&self, view: &View, row: &'a mut Row) -> Elements<'a> {
        match view.element {
            Element::Fixed(element) => Elements::Same(element),
            Element::Computed(slot) => {
                *row = self.row(slot);
                Elements::Own(row)
            }
        }
    }

    fn words(&self, slots: &[Slot], lane: usize) -> [u32; MAX_WORDS] {
        let mut words = [0; MAX_WORDS];
        for (word, &slot) in words.iter_mut().zip(slots) {
            *word = self.word(slot, lane);
        }
        words
    }

    fn view(&self, view: &View, lane: usize) -> ViewSlot {
        let element = match view.element {
            Element::Fixed(element) => element,
            Element::Computed(slot) => self.word(slot, lane),
        };
        ViewSlot { id: view.id, element }
    }

    fn view_address(&self, view: &View, at: &Address, lane: usize) -> host::Address {
        host::Address {
            view: self.view(view, lane),
            index: at.index.map(|slot| self.word(slot, lane)),
            offset_bytes: self.word(at.offset, lane),
        }
    }

    fn texel(&self, texel: &Texel, lane: usize) -> ([u32; 3], u32) {
        let [x, y, z, _] = self.words(&texel.coords, lane);
        ([x, y, z], texel.level.map_or(0, |slot| self.word(slot, lane)))
    }

    /// Fills `to` from what a lane reads; `once` asks the first active lane only.
    fn read(&mut self, to: &[Slot], once: bool, mask: Mask, get: impl Fn(&Self, usize) -> [u32; MAX_WORDS]) {
        let mut results: [Lanes; MAX_WORDS] = [[0; MAX_LANES]; MAX_WORDS];
        let mut words = [0; MAX_WORDS];
        for (n, lane) in lanes_of(mask).enumerate() {
            if n == 0 || !once {
                words = get(self, lane);
            }
            for (result, word) in results.iter_mut().zip(words) {
                result[lane] = u64::from(word);
            }
        }
        for (&slot, result) in to.iter().zip(&results) {
            self.set(slot, result, mask);
        }
    }

    /// Lanes without effect get 0.
    fn update(&mut self, update: &Update, mask: Mask, mut apply: impl FnMut(&mut Self, usize, u32, u32) -> u32) {
        let mut results = [0; MAX_LANES];
        for lane in lanes_of(mask & self.holds(update.effect)) {
            let value = self.word(update.value, lane);
            let compare = update.compare.map_or(0, |slot| self.word(slot, lane));
            results[lane] = u64::from(apply(self, lane, value, compare));
        }
        self.set(update.to, &results, mask);
    }

    fn load(&self, from: &Address, lane: usize, words: &mut [u32]) {
        if let Space::View(view) = from.space {
            self.host.load(self.view_address(&view, from, lane), words);
            return;
        }
        for (n, word) in words.iter_mut().enumerate() {
            *word = match from.space {
                Space::View(_) => unreachable!("done above"),
                Space::Shared(extent) => self.place(extent, from, lane, n).map(|at| self.arena.shared[at]),
                Space::Local(extent) => {
                    self.place(extent, from, lane, n).map(|at| self.arena.locals[self.local_base() + at][lane])
                }
                Space::Array(array) => {
                    let words = self.arrays.get(array.number).map_or(&[][..], |array| array.words());
                    self.place(array.extent(words.len()), from, lane, n).map(|at| words[at])
                }
                Space::Immediate(extent) => self.place(extent, from, lane, n).map(|at| self.code.immediate[at]),
                Space::Curve(extent) => self.place(extent, from, lane, n).map(|at| LINEAR[at]),
            }
            .unwrap_or(0);
        }
    }

    fn store(&mut self, to: &Address, lane: usize, words: &[u32]) {
        if let Space::View(view) = to.space {
            self.host.store(self.view_address(&view, to, lane), words);
            return;
        }
        for (n, &word) in words.iter().enumerate() {
            if let Some(place) = self.own_word_at(to, lane, n) {
                *place = word;
            }
        }
    }

    /// The word at an address in memory of ours that can be written.
    fn own_word(&mut self, at: &Address, lane: usize) -> Option<&mut u32> {
        self.own_word_at(at, lane, 0)
    }

    fn own_word_at(&mut self, at: &Address, lane: usize, n: usize) -> Option<&mut u32> {
        match at.space {
            Space::Shared(extent) => self.place(extent, at, lane, n).map(|at| &mut self.arena.shared[at]),
            Space::Local(extent) => {
                let base = self.local_base();
                self.place(extent, at, lane, n).map(|at| &mut self.arena.locals[base + at][lane])
            }
            Space::Array(array) => {
                let len = self.arrays.get(array.number).map_or(0, |array| array.words().len());
                let at = self.place(array.extent(len), at, lane, n)?;
                self.arrays[array.number].words_mut().map(|words| &mut words[at])
            }
            // The verifier lets nobody write there; views are the host's.
            Space::View(_) | Space::Immediate(_) | Space::Curve(_) => None,
        }
    }

    /// The position of the `n`-th word of an access.
    fn place(&self, extent: Extent, at: &Address, lane: usize, n: usize) -> Option<usize> {
        let byte = u64::from(self.word(at.offset, lane) & !3) + 4 * n as u64;
        extent.word(at.index.map(|slot| self.word(slot, lane)), byte)
    }

    fn local_base(&self) -> usize {
        if self.code.keeps_locals { self.packet * self.code.local_words } else { 0 }
    }
}
