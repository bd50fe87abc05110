//! Holds the view bound to one register, in the form that engines access.

use std::sync::Arc;
use std::sync::atomic::AtomicU32;

use brolga_ir::function::Query;
use brolga_ir::host::Address;
use brolga_ir::interface::ResourceKind;
use brolga_resource::{BufferView, Counter, Elements, GuardPages, Memory, Sampler, View, ViewKind};

use super::texel::Texels;
use crate::bindings::Declared;
use crate::error::Error;
use crate::limits::Limits;

/// The view bound to one register, in the form that engines access.
#[derive(Debug)]
pub(crate) enum Bound {
    /// A raw or a structured view.
    Words(Words),
    /// A constant buffer.
    Constants(Constants),
    /// Texels: a typed buffer or a texture.
    Texels(Texels),
    /// A sampler.
    Sampler(Sampler),
}

/// Bytes addressed by words.
#[derive(Debug)]
pub(crate) struct Words {
    pub(super) memory: Arc<Memory>,
    pub(super) extent: Extent,
    counter: Option<Counter>,
}

/// A constant buffer and the number of its copy.
#[derive(Debug)]
pub(crate) struct Constants {
    memory: Arc<Memory>,
    offset_bytes: u64,
    /// Bytes that are read of it.
    read_bytes: u64,
    pub(super) copy: usize,
    /// Extent of the copy: padded with zeros to whole vectors and the declared size.
    pub(super) extent: Extent,
}

/// The bytes of a memory that a view covers, and their division into elements.
#[derive(Clone, Copy, Debug)]
pub(super) struct Extent {
    offset_bytes: u64,
    size_bytes: u64,
    /// Bytes of an element; `None` for raw views.
    stride_bytes: Option<u32>,
    /// Elements; bytes of a raw view.
    count: u64,
}

impl Bound {
    pub fn new(declared: &Declared, view: &View, limits: &Limits, copy: usize) -> Self {
        match (view.kind(), declared.kind) {
            (ViewKind::Sampler(sampler), _) => Bound::Sampler(**sampler),
            (ViewKind::Texture(view), _) => Bound::Texels(Texels::Texture(view.surface(declared.is_writable()))),
            (ViewKind::Buffer(view), ResourceKind::Constant { vectors }) => {
                Bound::Constants(Constants::new(view, vectors, limits, copy))
            }
            (ViewKind::Buffer(view), _) => match view.elements {
                Elements::Typed { format } => Bound::Texels(Texels::Buffer {
                    memory: Arc::clone(view.buffer.memory()),
                    offset_bytes: view.offset_bytes,
                    count: view.element_count(),
                    format,
                }),
                Elements::Structured { stride_bytes } => Bound::Words(Words::new(view, Some(stride_bytes))),
                Elements::Constant | Elements::Raw => Bound::Words(Words::new(view, declared.element_bytes)),
            },
        }
    }

    /// The memory behind the view; `None` for a constant buffer.
    pub fn memory(&self) -> Option<&Arc<Memory>> {
        match self {
            Bound::Words(words) => Some(&words.memory),
            Bound::Texels(Texels::Buffer { memory, .. }) => Some(memory),
            Bound::Texels(Texels::Texture(surface)) => Some(&surface.memory),
            Bound::Constants(_) | Bound::Sampler(_) => None,
        }
    }

    /// The address of the first byte, by which views of the same memory are known; of a texture, that of the view's first
    /// level and layer.
    pub fn base(&self) -> u64 {
        let at = |memory: &Memory, offset_bytes: u64| memory.base().addr() as u64 + offset_bytes;
        match self {
            Bound::Words(words) => at(&words.memory, words.extent.offset_bytes),
            Bound::Constants(constants) => at(&constants.memory, constants.offset_bytes),
            Bound::Texels(Texels::Buffer { memory, offset_bytes, .. }) => at(memory, *offset_bytes),
            Bound::Texels(Texels::Texture(surface)) => at(&surface.memory, surface.levels[0].offset_bytes),
            Bound::Sampler(_) => 0,
        }
    }

    /// The result of a size query: of a texture, that of the first mip level.
    pub fn size(&self) -> [u32; 4] {
        let query = match self {
            Bound::Texels(Texels::Texture(_)) => Query::TextureSize,
            _ => Query::BufferSize,
        };
        answer(query, self, 0)
    }
}

impl Words {
    fn new(view: &BufferView, stride_bytes: Option<u32>) -> Self {
        let BufferView { offset_bytes, size_bytes, .. } = *view;
        let count = stride_bytes.map_or(size_bytes, |stride_bytes| size_bytes / u64::from(stride_bytes));
        let extent = Extent { offset_bytes, size_bytes, stride_bytes, count };
        Self { memory: Arc::clone(view.buffer.memory()), extent, counter: view.counter.clone() }
    }

    /// Address of the first byte, for compiled code.
    pub fn base(&self) -> *mut u8 {
        self.memory.base().wrapping_add(self.extent.offset_bytes as usize)
    }

    /// Bytes.
    pub fn size_bytes(&self) -> u64 {
        self.extent.size_bytes
    }

    /// Elements; bytes of a raw view.
    pub fn count(&self) -> u64 {
        self.extent.count
    }

    /// The hidden counter.
    pub fn counter(&self) -> Option<&AtomicU32> {
        self.counter.as_ref().map(Counter::word)
    }
}

impl Constants {
    /// Describes a constant buffer. Bytes beyond the largest possible one are ignored.
    fn new(view: &BufferView, declared_vectors: u32, limits: &Limits, copy: usize) -> Self {
        let most = limits.constant_vectors.max(declared_vectors);
        let count = view.size_bytes.div_ceil(16).min(most.into()).max(declared_vectors.into());
        let size_bytes = count * 16;
        Self {
            memory: Arc::clone(view.buffer.memory()),
            offset_bytes: view.offset_bytes,
            read_bytes: view.size_bytes.min(size_bytes),
            copy,
            extent: Extent { offset_bytes: 0, size_bytes, stride_bytes: Some(16), count },
        }
    }

    /// The number of its copy.
    pub fn copy(&self) -> usize {
        self.copy
    }

    /// Vectors of the copy.
    pub fn count(&self) -> u64 {
        self.extent.count
    }

    /// Memory for a copy.
    pub fn memory(&self, guard_pages: GuardPages) -> Result<Memory, Error> {
        Ok(Memory::zeroed(self.extent.size_bytes, guard_pages)?)
    }

    /// Copies the current content of the buffer.
    pub fn read(&self, copy: &Memory) {
        self.memory.copy_to(self.offset_bytes, copy, self.read_bytes);
    }
}

impl Extent {
    /// Begin and end, in the memory, of the bytes that an address can access; `None` if the index is out of range.
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

    /// The offset of each of some consecutive words, if it is in range.
    pub fn word_offsets(&self, at: Address) -> impl Iterator<Item = Option<u64>> {
        let (first, end) = self.element(at).unwrap_or((4, 0));
        (first..).step_by(4).map(move |offset| (offset + 4 <= end).then_some(offset))
    }
}

/// A register's result for a shader's query.
pub(super) fn answer(query: Query, bound: &Bound, level: u32) -> [u32; 4] {
    match (query, bound) {
        (Query::BufferSize, Bound::Words(words)) => [u32::try_from(words.count()).unwrap_or(u32::MAX); 4],
        (Query::BufferSize, Bound::Constants(constants)) => [constants.count() as u32; 4],
        (Query::BufferSize, Bound::Texels(texels)) => [texels.buffer_count(); 4],
        (Query::TextureSize, Bound::Texels(texels)) => texels.size(level),
        (Query::SampleCount, Bound::Texels(texels)) => [texels.sample_count(), 0, 0, 0],
        (Query::SamplePosition, Bound::Texels(texels)) => {
            let [x, y] = texels.sample_position(level);
            [x.to_bits(), y.to_bits(), 0, 0]
        }
        // Queried only where compiled code does not access texels directly.
        (Query::Layout, _)
        | (Query::TextureSize | Query::SampleCount | Query::SamplePosition, Bound::Words(_) | Bound::Constants(_))
        | (_, Bound::Sampler(_)) => [0; 4],
    }
}
