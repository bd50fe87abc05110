//! What a running shader reaches: the views bound to each declared range, as the one [`Host`] of both engines.
//!
//! Made anew for each dispatch from checked bindings, so that strides, dimensions and counters are as declared. Constant
//! buffers are copied and padded with zeros to their declared size. Every access is checked here: the index against the
//! view, then each word against the element, in 64 bits. What is out of range, or not bound, reads as zeros and drops
//! writes.
//!
//! `texel.rs` has textures and typed buffers.

#[cfg(test)]
mod tests;
mod texel;

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use brolga_ir::function::{AtomicOp, CounterOp, Query};
use brolga_ir::host::{Address, Host, ViewSlot};
use brolga_ir::interface::ResourceKind;

use crate::bindings::check::Resolved;
use crate::dispatch::StopWord;
use crate::error::Error;
use crate::limits::Limits;
use crate::resource::{BufferView, Counter, Elements, GuardPages, Memory, View, ViewKind};
use crate::shader::Declared;
use texel::Texels;

/// Everything one dispatch has bound.
#[derive(Debug)]
pub(crate) struct BoundViews {
    ranges: Vec<Vec<Bound>>,
    stop: Arc<StopWord>,
}

/// What one register is bound to.
#[derive(Clone, Debug)]
pub(crate) enum Bound {
    /// Nothing.
    Nothing,
    /// Words: a constant buffer, a raw or a structured view.
    Words(Words),
    /// Texels: a typed buffer or a texture.
    Texels(Texels),
}

/// Bytes addressed by words.
#[derive(Clone, Debug)]
pub(crate) struct Words {
    memory: Arc<Memory>,
    offset_bytes: u64,
    size_bytes: u64,
    /// Bytes of an element; `None` for raw views.
    stride_bytes: Option<u32>,
    /// Elements; bytes of a raw view.
    count: u64,
    counter: Option<Counter>,
}

impl BoundViews {
    /// Takes hold of what is bound and copies constant buffers.
    pub fn new(
        declared: &[Declared],
        resolved: &Resolved,
        limits: &Limits,
        guard_pages: GuardPages,
        stop: Arc<StopWord>,
    ) -> Result<Self, Error> {
        let bind = |range: &Declared, view: &Option<&View>| match view {
            Some(view) => Bound::new(range, view, limits, guard_pages),
            None => Ok(Bound::Nothing),
        };
        let ranges = declared.iter().zip(resolved);
        let ranges = ranges.map(|(range, views)| views.iter().map(|view| bind(range, view)).collect());
        Ok(Self { ranges: ranges.collect::<Result<_, Error>>()?, stop })
    }

    /// By declared range, then by position in it.
    pub fn ranges(&self) -> &[Vec<Bound>] {
        &self.ranges
    }

    /// The word that tells workers to stop.
    pub fn stop(&self) -> &StopWord {
        &self.stop
    }

    fn bound(&self, view: ViewSlot) -> &Bound {
        let range = self.ranges.get(view.id.index());
        range.and_then(|range| range.get(view.element as usize)).unwrap_or(&Bound::Nothing)
    }

    fn words(&self, view: ViewSlot) -> Option<&Words> {
        match self.bound(view) {
            Bound::Words(words) => Some(words),
            Bound::Nothing | Bound::Texels(_) => None,
        }
    }

    fn texels(&self, view: ViewSlot) -> Option<&Texels> {
        match self.bound(view) {
            Bound::Texels(texels) => Some(texels),
            Bound::Nothing | Bound::Words(_) => None,
        }
    }
}

impl Bound {
    fn new(declared: &Declared, view: &View, limits: &Limits, guard_pages: GuardPages) -> Result<Self, Error> {
        Ok(match (&view.kind, declared.kind) {
            (ViewKind::Texture(texture), _) if declared.is_writable() => {
                Bound::Texels(Texels::Writable(texture.clone()))
            }
            (ViewKind::Texture(texture), _) => Bound::Texels(Texels::Texture(texture.clone())),
            (ViewKind::Buffer(view), ResourceKind::Constant { vectors }) => {
                Bound::Words(Words::constant(view, vectors, limits, guard_pages)?)
            }
            (ViewKind::Buffer(view), _) => match view.elements {
                Elements::Typed { format } => Bound::Texels(Texels::Buffer {
                    memory: view.buffer.memory().clone(),
                    offset_bytes: view.offset_bytes,
                    count: view.element_count(),
                    format,
                }),
                Elements::Structured { stride_bytes } => Bound::Words(Words::new(view, Some(stride_bytes))),
                Elements::Constant | Elements::Raw => Bound::Words(Words::new(view, None)),
            },
        })
    }
}

impl Words {
    fn new(view: &BufferView, stride_bytes: Option<u32>) -> Self {
        Self {
            memory: view.buffer.memory().clone(),
            offset_bytes: view.offset_bytes,
            size_bytes: view.size_bytes,
            stride_bytes,
            count: view.element_count(),
            counter: view.counter.clone(),
        }
    }

    /// A copy, padded with zeros to whole vectors and the declared ones. What lies beyond the largest constant buffer is
    /// not seen.
    fn constant(
        view: &BufferView,
        declared_vectors: u32,
        limits: &Limits,
        guard_pages: GuardPages,
    ) -> Result<Self, Error> {
        let most = limits.constant_vectors.max(declared_vectors);
        let count = view.size_bytes.div_ceil(16).min(most.into()).max(declared_vectors.into());
        let size_bytes = count * 16;
        let memory = Memory::zeroed(size_bytes, guard_pages)?;
        let mut bytes = vec![0; view.size_bytes.min(size_bytes) as usize];
        view.buffer.memory().read(view.offset_bytes, &mut bytes);
        memory.write(0, &bytes);
        let memory = Arc::new(memory);
        Ok(Self { memory, offset_bytes: 0, size_bytes, stride_bytes: Some(16), count, counter: None })
    }

    /// First byte, for compiled code.
    pub fn base(&self) -> *mut u8 {
        self.memory.base().wrapping_add(self.offset_bytes as usize)
    }

    /// Bytes.
    pub fn size_bytes(&self) -> u64 {
        self.size_bytes
    }

    /// Elements; bytes of a raw view.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// The hidden counter.
    pub fn counter(&self) -> Option<&AtomicU32> {
        self.counter.as_ref().map(Counter::word)
    }

    /// Where the bytes that an address reaches begin and end, counted in the memory; none if the index is out of range.
    fn element(&self, at: Address) -> Option<(u64, u64)> {
        let (start, size_bytes) = match self.stride_bytes {
            None => (0, self.size_bytes),
            Some(stride_bytes) => {
                let index = u64::from(at.index.unwrap_or(0));
                if index >= self.count {
                    return None;
                }
                (index * u64::from(stride_bytes), stride_bytes.into())
            }
        };
        let start = self.offset_bytes + start;
        Some((start + u64::from(at.offset_bytes & !3), start + size_bytes))
    }

    /// Where each of some consecutive words is, if it is in range.
    fn word_offsets(&self, at: Address) -> impl Iterator<Item = Option<u64>> {
        let (first, end) = self.element(at).unwrap_or((4, 0));
        (first..).step_by(4).map(move |offset| (offset + 4 <= end).then_some(offset))
    }
}

/// Changes a word atomically; gives the word before.
fn change(op: AtomicOp, word: &AtomicU32, value: u32, compare: u32) -> u32 {
    let order = Ordering::Relaxed;
    match op {
        AtomicOp::Add => word.fetch_add(value, order),
        AtomicOp::And => word.fetch_and(value, order),
        AtomicOp::Or => word.fetch_or(value, order),
        AtomicOp::Xor => word.fetch_xor(value, order),
        AtomicOp::UMax => word.fetch_max(value, order),
        AtomicOp::UMin => word.fetch_min(value, order),
        AtomicOp::Exchange => word.swap(value, order),
        AtomicOp::CompareExchange => {
            word.compare_exchange(compare, value, order, order).unwrap_or_else(|before| before)
        }
        AtomicOp::SMax | AtomicOp::SMin => word.update(order, order, |old| op.apply(old, value, compare)),
    }
}

impl Host for BoundViews {
    fn load(&self, at: Address, words: &mut [u32]) {
        let Some(view) = self.words(at.view) else { return words.fill(0) };
        for (word, offset) in words.iter_mut().zip(view.word_offsets(at)) {
            *word = offset.map_or(0, |offset| view.memory.load(offset, 4));
        }
    }

    fn store(&self, at: Address, words: &[u32]) {
        let Some(view) = self.words(at.view) else { return };
        for (&word, offset) in words.iter().zip(view.word_offsets(at)) {
            if let Some(offset) = offset {
                view.memory.store(offset, 4, word);
            }
        }
    }

    fn atomic(&self, op: AtomicOp, at: Address, value: u32, compare: u32) -> u32 {
        let Some(view) = self.words(at.view) else { return 0 };
        let word = view.word_offsets(at).next().flatten().and_then(|offset| view.memory.atomic(offset));
        word.map_or(0, |word| change(op, word, value, compare))
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

    fn texel_atomic(&self, op: AtomicOp, view: ViewSlot, coords: [u32; 3], value: u32, compare: u32) -> u32 {
        let word = self.texels(view).and_then(|texels| texels.atomic(coords));
        word.map_or(0, |word| change(op, word, value, compare))
    }

    fn query(&self, query: Query, view: ViewSlot, level: u32) -> [u32; 4] {
        match (query, self.bound(view)) {
            (_, Bound::Nothing) => [0; 4],
            (Query::BufferSize, Bound::Words(words)) => [u32::try_from(words.count).unwrap_or(u32::MAX); 4],
            (Query::BufferSize, Bound::Texels(texels)) => [texels.buffer_count(); 4],
            (Query::TextureSize, Bound::Texels(texels)) => texels.size(level),
            (Query::SampleCount, Bound::Texels(_)) => [1, 0, 0, 0],
            (Query::TextureSize | Query::SampleCount, Bound::Words(_)) => [0; 4],
        }
    }

    fn stop_requested(&self) -> bool {
        self.stop.is_set()
    }
}
