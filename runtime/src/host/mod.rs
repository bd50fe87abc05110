//! What a running shader reaches: the views bound to each declared range, as the one [`Host`] of both engines.
//!
//! Made anew for each dispatch from bindings that it borrows and checks, so that strides, dimensions and counters are as declared. Constant
//! buffers are copied and padded with zeros to their declared size. Every access is checked here: the index against the
//! view, then each word against the element, in 64 bits. What is out of range, or not bound, reads as zeros and drops
//! writes.
//!
//! `texel.rs` has textures and typed buffers.

mod samples;
#[cfg(test)]
mod tests;
mod texel;

use std::sync::atomic::{AtomicU32, Ordering};

use brolga_ir::function::{AtomicOp, CounterOp, Query};
use brolga_ir::host::{Address, Host, ViewSlot};
use brolga_ir::interface::ResourceKind;
use brolga_ir::sampling::SampleCall;

use crate::bindings::table::Table;
use crate::bindings::{BindingRules, Bindings, check};
use crate::dispatch::StopWord;
use crate::error::Error;
use crate::limits::Limits;
use crate::resource::{BufferView, Counter, Elements, GuardPages, Memory, Sampler, View, ViewKind};
use crate::shader::{Declared, Outline, Texels as TexelFormats};
use samples::Samples;
use texel::Texels;

/// Everything one dispatch has bound.
#[derive(Debug)]
pub(crate) struct BoundViews<'a> {
    views: Table<Option<Bound<'a>>>,
    samples: Samples<'a>,
    stop: &'a StopWord,
}

/// What one register is bound to.
#[derive(Debug)]
pub(crate) enum Bound<'a> {
    /// Words: a constant buffer, a raw or a structured view.
    Words(Words<'a>),
    /// Texels: a typed buffer or a texture.
    Texels(Texels<'a>),
    /// How textures are filtered.
    Sampler(&'a Sampler),
}

/// Bytes addressed by words.
#[derive(Debug)]
pub(crate) struct Words<'a> {
    memory: Held<'a>,
    offset_bytes: u64,
    size_bytes: u64,
    /// Bytes of an element; `None` for raw views.
    stride_bytes: Option<u32>,
    /// Elements; bytes of a raw view.
    count: u64,
    counter: Option<&'a Counter>,
}

/// Where the bytes are.
#[derive(Debug)]
enum Held<'a> {
    /// In what was bound.
    Bound(&'a Memory),
    /// In a copy of it.
    Copy(Memory),
}

impl<'a> BoundViews<'a> {
    /// Checks what is bound against what is declared, and copies constant buffers.
    pub fn new(
        shader: &'a Outline,
        bindings: &'a Bindings,
        rules: BindingRules,
        limits: &Limits,
        guard_pages: GuardPages,
        stop: &'a StopWord,
    ) -> Result<Self, Error> {
        let bind = |range: &Declared, view| Bound::new(range, view, limits, guard_pages);
        let views = check::resolve(&shader.declared, bindings, rules, limits, bind)?;
        let samples = Samples::new(&shader.sampled, &views);
        Ok(Self { views, samples, stop })
    }

    /// By declared range, then by position in it.
    pub fn views(&self) -> &Table<Option<Bound<'a>>> {
        &self.views
    }

    /// The word that tells workers to stop.
    pub fn stop(&self) -> &StopWord {
        self.stop
    }

    /// By declared range, the format of the texels that compiled code can go to. Ranges of several registers, whose
    /// formats may differ, are left to the host.
    pub fn texel_formats(&self) -> TexelFormats {
        let format = |range: &[Option<Bound<'_>>]| match range {
            [Some(Bound::Texels(texels))] => texels.layout().map(|layout| layout.format),
            _ => None,
        };
        let mut formats: TexelFormats = self.views.ranges().map(format).collect();
        formats.truncate(formats.iter().rposition(Option::is_some).map_or(0, |last| last + 1));
        formats
    }

    fn bound(&self, view: ViewSlot) -> Option<&Bound<'a>> {
        self.views.get(view.id.index(), view.element as usize)?.as_ref()
    }

    fn words(&self, view: ViewSlot) -> Option<&Words<'a>> {
        match self.bound(view)? {
            Bound::Words(words) => Some(words),
            Bound::Texels(_) | Bound::Sampler(_) => None,
        }
    }

    fn texels(&self, view: ViewSlot) -> Option<&Texels<'a>> {
        match self.bound(view)? {
            Bound::Texels(texels) => Some(texels),
            Bound::Words(_) | Bound::Sampler(_) => None,
        }
    }
}

impl<'a> Bound<'a> {
    fn new(declared: &Declared, view: &'a View, limits: &Limits, guard_pages: GuardPages) -> Result<Self, Error> {
        Ok(match (&view.kind, declared.kind) {
            (ViewKind::Sampler(sampler), _) => Bound::Sampler(sampler),
            (ViewKind::Texture(view), _) => Bound::Texels(Texels::Texture(view.surface(declared.is_writable()))),
            (ViewKind::Buffer(view), ResourceKind::Constant { vectors }) => {
                Bound::Words(Words::constant(view, vectors, limits, guard_pages)?)
            }
            (ViewKind::Buffer(view), _) => match view.elements {
                Elements::Typed { format } => Bound::Texels(Texels::Buffer {
                    memory: view.buffer.memory(),
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

impl<'a> Words<'a> {
    fn new(view: &'a BufferView, stride_bytes: Option<u32>) -> Self {
        Self {
            memory: Held::Bound(view.buffer.memory()),
            offset_bytes: view.offset_bytes,
            size_bytes: view.size_bytes,
            stride_bytes,
            count: view.element_count(),
            counter: view.counter.as_ref(),
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
        let memory = Held::Copy(memory);
        Ok(Self { memory, offset_bytes: 0, size_bytes, stride_bytes: Some(16), count, counter: None })
    }

    fn memory(&self) -> &Memory {
        match &self.memory {
            Held::Bound(memory) => memory,
            Held::Copy(memory) => memory,
        }
    }

    /// First byte, for compiled code.
    pub fn base(&self) -> *mut u8 {
        self.memory().base().wrapping_add(self.offset_bytes as usize)
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
        self.counter.map(Counter::word)
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

impl Host for BoundViews<'_> {
    fn load(&self, at: Address, words: &mut [u32]) {
        let Some(view) = self.words(at.view) else { return words.fill(0) };
        for (word, offset) in words.iter_mut().zip(view.word_offsets(at)) {
            *word = offset.map_or(0, |offset| view.memory().load(offset, 4));
        }
    }

    fn store(&self, at: Address, words: &[u32]) {
        let Some(view) = self.words(at.view) else { return };
        for (&word, offset) in words.iter().zip(view.word_offsets(at)) {
            if let Some(offset) = offset {
                view.memory().store(offset, 4, word);
            }
        }
    }

    fn atomic(&self, op: AtomicOp, at: Address, value: u32, compare: u32) -> u32 {
        let Some(view) = self.words(at.view) else { return 0 };
        let word = view.word_offsets(at).next().flatten().and_then(|offset| view.memory().atomic(offset));
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

    fn texel_atomic(&self, op: AtomicOp, view: ViewSlot, coords: [u32; 3], value: u32, compare: u32) -> u32 {
        let word = self.texels(view).and_then(|texels| texels.atomic(coords));
        word.map_or(0, |word| op.change(word, value, compare))
    }

    #[inline(always)]
    fn sample(&self, call: SampleCall<'_>) {
        self.sample_packet(call);
    }

    fn query(&self, query: Query, view: ViewSlot, level: u32) -> [u32; 4] {
        let Some(bound) = self.bound(view) else { return [0; 4] };
        match (query, bound) {
            (Query::BufferSize, Bound::Words(words)) => [u32::try_from(words.count).unwrap_or(u32::MAX); 4],
            (Query::BufferSize, Bound::Texels(texels)) => [texels.buffer_count(); 4],
            (Query::TextureSize, Bound::Texels(texels)) => texels.size(level),
            (Query::SampleCount, Bound::Texels(texels)) => [texels.sample_count(), 0, 0, 0],
            (Query::SamplePosition, Bound::Texels(texels)) => {
                let [x, y] = texels.sample_position(level);
                [x.to_bits(), y.to_bits(), 0, 0]
            }
            // Asked of this only where compiled code does not go to texels.
            (Query::Layout, _)
            | (Query::TextureSize | Query::SampleCount | Query::SamplePosition, Bound::Words(_))
            | (_, Bound::Sampler(_)) => [0; 4],
        }
    }

    fn stop_requested(&self) -> bool {
        self.stop.is_set()
    }
}
