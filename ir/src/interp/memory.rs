//! Accesses memory and views for a packet, lane by lane.

use super::code::{Address, ArenaSlot, Node, Space, Texel, Update, ViewElement, ViewRef, WordRange};
use super::observe::Observer;
use super::packet::Runner;
use super::{LaneMask, lanes_of};
use crate::host::{self, ViewSlot};
use crate::sampling::{Elements, Rows, SampleCall, Sampling};
use crate::srgb::CURVE;

/// The most words that one access moves.
const MAX_WORDS: usize = 4;

impl<O: Observer> Runner<'_, '_, O> {
    /// Runs an instruction that accesses memory or a view.
    #[inline]
    pub(super) fn access(&mut self, node: &Node, mask: LaneMask) {
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
                // Uniform samples are taken once.
                let lanes = if *once { mask & mask.wrapping_neg() } else { mask };
                self.sample(*sampling, [texture, sampler], args, to, lanes);
                if *once {
                    let first = lanes.trailing_zeros() as usize;
                    for &slot in to {
                        let bits = self.value(slot)[first];
                        self.set(slot, mask, |_| bits);
                    }
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
                self.effect(*effect, *to, mask, |runner, lane| runner.host.counter(*op, runner.view(view, lane)))
            }
            Node::Op { .. }
            | Node::Message { .. }
            | Node::QuadRead { .. }
            | Node::PacketAll { .. }
            | Node::If { .. }
            | Node::Loop { .. }
            | Node::Switch { .. }
            | Node::Look
            | Node::Pass
            | Node::End(_)
            | Node::Break { .. }
            | Node::Continue { .. }
            | Node::Return => unreachable!("only called for accesses"),
        }
    }

    fn word(&self, slot: ArenaSlot, lane: usize) -> u32 {
        self.value(slot)[lane] as u32
    }

    /// Samples for some lanes, one call for all of them.
    fn sample(
        &mut self,
        sampling: Sampling,
        views: [&ViewRef; 2],
        args: &[ArenaSlot],
        to: &[ArenaSlot],
        lanes: LaneMask,
    ) {
        let computed = views.into_iter().filter_map(|view| match view.element {
            ViewElement::Fixed(_) => None,
            ViewElement::Computed(slot) => Some(slot),
        });
        let (width, mut rows) = (self.code.lanes, std::mem::take(&mut self.arena.rows));
        rows.clear();
        for slot in args.iter().copied().chain(computed) {
            rows.extend(self.value(slot).iter().map(|&bits| bits as u32));
        }
        let end = rows.len();
        rows.resize(end + 4 * width, 0);
        let (operands, results) = rows.split_at_mut(end);
        let (args, positions) = Rows::new(operands, width).split_at(args.len());
        let mut positions = positions.iter();
        let [texture, sampler] = views.map(|view| {
            let elements = match view.element {
                ViewElement::Fixed(element) => Elements::Same(element),
                ViewElement::Computed(_) => Elements::Own(positions.next().expect("written above")),
            };
            (view.id, elements)
        });
        self.host.sample(SampleCall { sampling, texture, sampler, lanes, args, results });
        for (&slot, row) in to.iter().zip(rows[end..].chunks_exact(width)) {
            self.set(slot, lanes, |lane| row[lane].into());
        }
        self.arena.rows = rows;
    }

    fn words(&self, slots: &[ArenaSlot], lane: usize) -> [u32; MAX_WORDS] {
        let mut words = [0; MAX_WORDS];
        for (word, &slot) in words.iter_mut().zip(slots) {
            *word = self.word(slot, lane);
        }
        words
    }

    fn view(&self, view: &ViewRef, lane: usize) -> ViewSlot {
        let element = match view.element {
            ViewElement::Fixed(element) => element,
            ViewElement::Computed(slot) => self.word(slot, lane),
        };
        ViewSlot { id: view.id, element }
    }

    fn view_address(&self, view: &ViewRef, at: &Address, lane: usize) -> host::Address {
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

    /// Fills `to` with the words that each lane reads; with `once`, with those that the first active lane reads.
    #[inline]
    fn read(&mut self, to: &[ArenaSlot], once: bool, mask: LaneMask, get: impl Fn(&Self, usize) -> [u32; MAX_WORDS]) {
        let mut words = [0; MAX_WORDS];
        for (n, lane) in lanes_of(mask).enumerate() {
            if n == 0 || !once {
                words = get(self, lane);
            }
            for (&slot, word) in to.iter().zip(words) {
                self.set(slot, 1 << lane, |_| word.into());
            }
        }
    }

    /// Does something in the lanes where the effect holds; others get 0.
    #[inline]
    fn effect(
        &mut self,
        effect: ArenaSlot,
        to: ArenaSlot,
        mask: LaneMask,
        mut apply: impl FnMut(&mut Self, usize) -> u32,
    ) {
        let effect = self.holds(effect);
        for lane in lanes_of(mask) {
            let word = if effect >> lane & 1 == 1 { apply(self, lane) } else { 0 };
            self.set(to, 1 << lane, |_| word.into());
        }
    }

    fn update(&mut self, update: &Update, mask: LaneMask, mut apply: impl FnMut(&mut Self, usize, u32, u32) -> u32) {
        self.effect(update.effect, update.to, mask, |runner, lane| {
            let value = runner.word(update.value, lane);
            let compare = update.compare.map_or(0, |slot| runner.word(slot, lane));
            apply(runner, lane, value, compare)
        });
    }

    #[inline]
    fn load(&self, from: &Address, lane: usize, words: &mut [u32]) {
        if let Space::View(view) = from.space {
            self.host.load(self.view_address(&view, from, lane), words);
            return;
        }
        for (n, word) in words.iter_mut().enumerate() {
            *word = match from.space {
                Space::View(_) => unreachable!("done above"),
                Space::Shared(extent) => self.position(extent, from, lane, n).map(|at| self.arena.shared[at]),
                Space::Local(extent) => {
                    self.position(extent, from, lane, n).map(|at| self.arena.locals[self.local(at, lane)])
                }
                Space::Array(array) => {
                    let words = self.arrays.get(array.number).map_or(&[][..], |array| array.words());
                    self.position(array.extent(words.len()), from, lane, n).map(|at| words[at])
                }
                Space::Immediate(extent) => self.position(extent, from, lane, n).map(|at| self.code.immediate[at]),
                Space::Curve(extent) => self.position(extent, from, lane, n).map(|at| CURVE.as_flattened()[at]),
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
            if let Some(owned) = self.own_word_at(to, lane, n) {
                *owned = word;
            }
        }
    }

    /// The word at an address in memory that the interpreter owns and that can be written.
    fn own_word(&mut self, at: &Address, lane: usize) -> Option<&mut u32> {
        self.own_word_at(at, lane, 0)
    }

    fn own_word_at(&mut self, at: &Address, lane: usize, n: usize) -> Option<&mut u32> {
        match at.space {
            Space::Shared(extent) => self.position(extent, at, lane, n).map(|at| &mut self.arena.shared[at]),
            Space::Local(extent) => {
                let at = self.position(extent, at, lane, n)?;
                let at = self.local(at, lane);
                Some(&mut self.arena.locals[at])
            }
            Space::Array(array) => {
                let len = self.arrays.get(array.number).map_or(0, |array| array.words().len());
                let at = self.position(array.extent(len), at, lane, n)?;
                self.arrays[array.number].words_mut().map(|words| &mut words[at])
            }
            // The verifier rejects writes to these; views belong to the host.
            Space::View(_) | Space::Immediate(_) | Space::Curve(_) => None,
        }
    }

    /// The position of the `n`-th word of an access.
    fn position(&self, extent: WordRange, at: &Address, lane: usize, n: usize) -> Option<usize> {
        let byte = u64::from(self.word(at.offset, lane) & !3) + 4 * n as u64;
        extent.word(at.index.map(|slot| self.word(slot, lane)), byte)
    }

    /// The position of a lane's word in the running packet's private arrays.
    fn local(&self, word: usize, lane: usize) -> usize {
        let first = if self.code.keeps_locals { self.packet * self.code.local_words } else { 0 };
        (first + word) * self.code.lanes + lane
    }
}
