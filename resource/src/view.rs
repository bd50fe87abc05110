//! Views: how a register sees a buffer or a texture.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use brolga_ir::float;
use brolga_ir::interface::Dimension;
use bytemuck::{NoUninit, Pod};

use crate::buffer::Buffer;
use crate::clear::ClearValue;
use crate::error::ResourceError;
use crate::format::{Format, Use};
use crate::sampler::Sampler;
use crate::texture::Texture;
use crate::texture_view::TextureView;

/// A structured view's hidden counter. Clones share the counter, so that it can be read after a run.
#[derive(Clone, Debug, Default)]
pub struct Counter(Arc<AtomicU32>);

impl Counter {
    /// A counter with a first value.
    pub fn new(value: u32) -> Self {
        Self(Arc::new(AtomicU32::new(value)))
    }

    /// Its value.
    pub fn get(&self) -> u32 {
        self.0.load(Ordering::Relaxed)
    }

    /// Changes its value.
    pub fn set(&self, value: u32) {
        self.0.store(value, Ordering::Relaxed);
    }

    /// The number itself, which shaders count with.
    pub fn word(&self) -> &AtomicU32 {
        &self.0
    }
}

/// What a view sees of a texture.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Subresources<'a> {
    /// The texture.
    pub texture: &'a Texture,
    /// Its mip levels.
    pub mips: Range<u32>,
    /// Its layers, each face of a cube counted; of a 3D texture, slices of the first of the levels.
    pub layers: Range<u32>,
}

/// What a register is bound to: a buffer or a texture, or a part of one, seen in some way.
///
/// Clones see the same memory.
#[derive(Clone, Debug)]
pub struct View {
    kind: ViewKind,
}

/// What a view is of.
#[derive(Clone, Debug)]
pub enum ViewKind {
    /// Bytes of a buffer.
    Buffer(BufferView),
    /// Levels and layers of a texture.
    Texture(TextureView),
    /// No memory: the state of a sampler.
    Sampler(Box<Sampler>),
}

/// A range of a buffer's bytes.
#[derive(Clone, Debug)]
pub struct BufferView {
    /// The whole buffer.
    pub buffer: Buffer,
    /// Where the range begins.
    pub offset_bytes: u64,
    /// How long it is.
    pub size_bytes: u64,
    /// How it is addressed.
    pub elements: Elements,
    /// What shaders count in, if anything.
    pub counter: Option<Counter>,
}

/// How a buffer's bytes are addressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Elements {
    /// By vectors of four words, which are constant.
    Constant,
    /// By bytes.
    Raw,
    /// By structures.
    Structured {
        /// Bytes from one to the next.
        stride_bytes: u32,
    },
    /// By texels.
    Typed {
        /// Of this format.
        format: Format,
    },
}

impl View {
    /// What it is of.
    pub fn kind(&self) -> &ViewKind {
        &self.kind
    }

    /// A constant buffer. What a shader reads beyond its end is zero.
    pub fn constant(buffer: Buffer) -> Result<Self, ResourceError> {
        Self::buffer(buffer, Elements::Constant)
    }

    /// Bytes, read and written as words. At most 4 GiB.
    pub fn raw(buffer: Buffer) -> Result<Self, ResourceError> {
        Self::buffer(buffer, Elements::Raw)
    }

    /// Elements of `stride_bytes`. A partial element at the end does not count.
    pub fn structured(buffer: Buffer, stride_bytes: u32) -> Result<Self, ResourceError> {
        Self::buffer(buffer, Elements::Structured { stride_bytes })
    }

    /// Texels in one row. A partial texel at the end does not count.
    pub fn typed(buffer: Buffer, format: Format) -> Result<Self, ResourceError> {
        Self::buffer(buffer, Elements::Typed { format })
    }

    /// A whole texture. Writes access its first mip level.
    pub fn texture(texture: Texture) -> Self {
        Self { kind: ViewKind::Texture(TextureView::new(texture)) }
    }

    /// A sampler. An error if its numbers are out of range.
    pub fn sampler(sampler: Sampler) -> Result<Self, ResourceError> {
        sampler.check()?;
        let [level_bias, min_level, max_level] =
            [sampler.level_bias, sampler.min_level, sampler.max_level].map(float::flush);
        let sampler = Sampler { level_bias, min_level, max_level, ..sampler };
        Ok(Self { kind: ViewKind::Sampler(Box::new(sampler)) })
    }

    fn buffer(buffer: Buffer, elements: Elements) -> Result<Self, ResourceError> {
        let size_bytes = buffer.size_bytes();
        let view = BufferView { buffer, offset_bytes: 0, size_bytes, elements, counter: None };
        view.check()?;
        Ok(Self { kind: ViewKind::Buffer(view) })
    }

    /// The same view of a part of the buffer only.
    pub fn with_range(mut self, offset_bytes: u64, size_bytes: u64) -> Result<Self, ResourceError> {
        match &mut self.kind {
            ViewKind::Buffer(view) => {
                (view.offset_bytes, view.size_bytes) = (offset_bytes, size_bytes);
                view.check()?;
                Ok(self)
            }
            ViewKind::Texture(_) | ViewKind::Sampler(_) => Err(ResourceError::RangeOfTexture),
        }
    }

    /// The same view of a texture, its texels read and written in another format of the same family. Some families of
    /// 32-bit texels can also be written as R32_UINT, R32_SINT and R32_FLOAT (functional specification 5.3.9.5). A
    /// depth format means the one in which shaders read it; R16_UINT and R32_UINT are for the depth test of a pixel function.
    pub fn with_format(self, format: Format) -> Result<Self, ResourceError> {
        self.with_texture("another format", |view| view.set_format(format))
    }

    /// The same view of a texture, as another kind.
    ///
    /// 1D textures and 1D arrays can be seen as each other; so can multisampled textures and their arrays. 2D textures
    /// can be seen as 2D textures, 2D arrays, cubes and cube arrays. A kind that takes fewer layers than there are sees
    /// the first ones, unless [`with_layers`](Self::with_layers) says which.
    pub fn with_dimension(self, dimension: Dimension) -> Result<Self, ResourceError> {
        self.with_texture("another kind", |view| view.dimension = dimension)
    }

    /// The same view of a texture, of some mip levels, counted in the texture. Writes access the first of them.
    pub fn with_mips(self, first: u32, count: u32) -> Result<Self, ResourceError> {
        self.with_texture("mip levels", |view| view.mips = first..first.saturating_add(count))
    }

    /// The same view of a texture, of some layers, counted in the texture, each face of a cube counted. Of a 3D texture, of
    /// some slices of the view's first mip level; such a view can be written only.
    pub fn with_layers(self, first: u32, count: u32) -> Result<Self, ResourceError> {
        self.with_texture("layers", |view| view.layers = Some(first..first.saturating_add(count)))
    }

    /// The same view of a texture, clamped to this least level of detail, counted in the texture: finer levels are not
    /// sampled, and loads from them are out of range. The fraction matters where filtering blends two levels. Writes
    /// are not affected.
    pub fn with_min_level(self, level: f32) -> Result<Self, ResourceError> {
        if level.is_nan() || level < 0.0 {
            return Err(ResourceError::MinLevel { level });
        }
        self.with_texture("a least level of detail", |view| view.min_level = float::flush(level))
    }

    fn with_texture(
        mut self,
        what: &'static str,
        change: impl FnOnce(&mut TextureView),
    ) -> Result<Self, ResourceError> {
        let ViewKind::Texture(view) = &mut self.kind else { return Err(ResourceError::NotTexture { what }) };
        change(view);
        view.check()?;
        Ok(self)
    }

    /// The same view of a texture, as pipelines see a target: the first of its mip levels and layers, in two
    /// dimensions; of what has one, in a single row. An error if it sees no texture.
    pub fn as_target(&self) -> Result<Self, ResourceError> {
        self.seen_as_target(Dimension::Texture2d)
    }

    /// The same of all its layers. Faces of cubes and slices of 3D textures are layers of it.
    pub fn as_target_array(&self) -> Result<Self, ResourceError> {
        self.seen_as_target(Dimension::Texture2dArray)
    }

    fn seen_as_target(&self, dimension: Dimension) -> Result<Self, ResourceError> {
        let ViewKind::Texture(view) = &self.kind else { return Err(ResourceError::NotTexture { what: "layers" }) };
        Ok(Self { kind: ViewKind::Texture(view.as_target(dimension)) })
    }

    /// What it sees of a texture, if it sees one.
    pub fn subresources(&self) -> Option<Subresources<'_>> {
        let ViewKind::Texture(view) = &self.kind else { return None };
        Some(Subresources { texture: &view.texture, mips: view.mips.clone(), layers: view.layers() })
    }

    /// Clears all texels of a texture that it sees, in the format in which it sees them (functional specification,
    /// 5.2.3); depths in that of the texture.
    ///
    /// # Errors
    /// If it sees no texture, the format has no such values, or the memory is read-only.
    pub fn clear(&self, value: ClearValue) -> Result<(), ResourceError> {
        self.clear_until(value, &|| false)
    }

    /// The same, unless `stop` says that it is enough; it is asked before each row.
    ///
    /// # Errors
    /// As there, or [`ResourceError::Stopped`].
    pub fn clear_until(&self, value: ClearValue, stop: &dyn Fn() -> bool) -> Result<(), ResourceError> {
        let ViewKind::Texture(view) = &self.kind else {
            return Err(ResourceError::NotTexture { what: "a clear value" });
        };
        let stored = view.texture.shape().format;
        let format = if stored.allows(Use::DepthStencil) { stored } else { view.format };
        view.boxes()?.iter().try_for_each(|part| view.texture.clear_as(format, part, value, stop))
    }

    /// The same view with a hidden counter, for structured views.
    pub fn with_counter(mut self, counter: Counter) -> Result<Self, ResourceError> {
        match &mut self.kind {
            ViewKind::Buffer(view) if matches!(view.elements, Elements::Structured { .. }) => {
                view.counter = Some(counter);
                Ok(self)
            }
            _ => Err(ResourceError::CounterKind),
        }
    }

    /// The hidden counter.
    pub fn counter(&self) -> Option<&Counter> {
        match &self.kind {
            ViewKind::Buffer(view) => view.counter.as_ref(),
            ViewKind::Texture(_) | ViewKind::Sampler(_) => None,
        }
    }

    /// Bytes that it sees; for a texture those of the whole texture, whatever the view leaves out, and none for a
    /// sampler.
    pub fn size_bytes(&self) -> u64 {
        self.bytes().map_or(0, |(_, range)| range.end - range.start)
    }

    /// Copies elements in, from a byte offset in the view on, like [`Buffer::write`].
    pub fn write<T: NoUninit>(&self, offset_bytes: u64, elements: &[T]) -> Result<(), ResourceError> {
        let (buffer, start) = self.start_of(offset_bytes, size_of_val(elements) as u64)?;
        buffer.write(start, elements)
    }

    /// Copies elements out, from a byte offset in the view on, like [`Buffer::read`].
    pub fn read<T: Pod>(&self, offset_bytes: u64, elements: &mut [T]) -> Result<(), ResourceError> {
        let (buffer, start) = self.start_of(offset_bytes, size_of_val(elements) as u64)?;
        buffer.read(start, elements)
    }

    /// Offset in the buffer of bytes of the view, if all of them are inside.
    fn start_of(&self, offset_bytes: u64, size_bytes: u64) -> Result<(&Buffer, u64), ResourceError> {
        let buffer_bytes = self.size_bytes();
        match (self.bytes(), offset_bytes.checked_add(size_bytes)) {
            (Some((buffer, range)), Some(end)) if end <= buffer_bytes => Ok((buffer, range.start + offset_bytes)),
            _ => Err(ResourceError::OutOfRange { offset_bytes, size_bytes, buffer_bytes }),
        }
    }

    /// If the buffer maps a file, writes changes in some bytes of the view, all of which must exist, to disk, and
    /// waits.
    pub fn flush_range(&self, offset_bytes: u64, size_bytes: u64) -> std::io::Result<()> {
        if size_bytes == 0 {
            return Ok(());
        }
        let (buffer, start) = self.start_of(offset_bytes, size_bytes).map_err(std::io::Error::other)?;
        buffer.flush_range(start, size_bytes)
    }

    /// A copy of the bytes that it sees as elements, like [`Buffer::to_vec`]; none for a sampler.
    pub fn to_vec<T: Pod>(&self) -> Result<Vec<T>, ResourceError> {
        self.bytes().map_or(Ok(Vec::new()), |(buffer, range)| buffer.elements(range))
    }

    /// The state of a sampler, if it is one.
    pub fn as_sampler(&self) -> Option<&Sampler> {
        match &self.kind {
            ViewKind::Sampler(sampler) => Some(sampler),
            ViewKind::Buffer(_) | ViewKind::Texture(_) => None,
        }
    }

    /// Format of its texels, if it has texels.
    pub fn format(&self) -> Option<Format> {
        match &self.kind {
            ViewKind::Buffer(BufferView { elements: Elements::Typed { format }, .. }) => Some(*format),
            ViewKind::Buffer(_) => None,
            ViewKind::Texture(view) => Some(view.format),
            ViewKind::Sampler(_) => None,
        }
    }

    /// Kind of its texels, if it has texels.
    pub fn dimension(&self) -> Option<Dimension> {
        match &self.kind {
            ViewKind::Buffer(BufferView { elements: Elements::Typed { .. }, .. }) => Some(Dimension::Buffer),
            ViewKind::Buffer(_) => None,
            ViewKind::Texture(view) => Some(view.dimension),
            ViewKind::Sampler(_) => None,
        }
    }

    /// The underlying buffer and the range of bytes that it sees, for a texture those of the whole texture; none for a
    /// sampler.
    pub fn bytes(&self) -> Option<(&Buffer, Range<u64>)> {
        match &self.kind {
            ViewKind::Buffer(view) => Some((&view.buffer, view.offset_bytes..view.offset_bytes + view.size_bytes)),
            ViewKind::Texture(view) => Some((view.texture.buffer(), 0..view.texture.buffer().size_bytes())),
            ViewKind::Sampler(_) => None,
        }
    }

    /// The bytes that a register bound to it reads or writes, in increasing order.
    fn byte_ranges(&self, writable: bool) -> Vec<Range<u64>> {
        match &self.kind {
            ViewKind::Texture(view) => view.surface(writable).byte_ranges().collect(),
            ViewKind::Buffer(_) | ViewKind::Sampler(_) => self.bytes().into_iter().map(|(_, range)| range).collect(),
        }
    }

    /// Whether a byte that it writes if bound for writing is read by the other view if that is bound for reading.
    pub fn overlaps(&self, read: &View) -> bool {
        let memory = |view: &View| view.bytes().map(|(buffer, _)| Arc::as_ptr(buffer.memory()));
        if memory(self) != memory(read) {
            return false;
        }
        let (written, read) = (self.byte_ranges(true), read.byte_ranges(false));
        let (mut n, mut m) = (0, 0);
        while let (Some(a), Some(b)) = (written.get(n), read.get(m)) {
            if a.start < b.end && b.start < a.end {
                return true;
            }
            if a.end <= b.start { n += 1 } else { m += 1 }
        }
        false
    }
}

impl std::fmt::Display for View {
    /// What it is, for messages: `structured view of stride 16`.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.kind {
            ViewKind::Buffer(view) => match view.elements {
                Elements::Constant => write!(f, "constant view of {} bytes", view.size_bytes),
                Elements::Raw => write!(f, "raw view of {} bytes", view.size_bytes),
                Elements::Structured { stride_bytes } => write!(f, "structured view of stride {stride_bytes}"),
                Elements::Typed { format } => write!(f, "typed view of format {format}"),
            },
            ViewKind::Texture(view) => view.fmt(f),
            ViewKind::Sampler(sampler) if sampler.compares() => f.write_str("comparison sampler"),
            ViewKind::Sampler(_) => f.write_str("sampler"),
        }
    }
}

impl BufferView {
    /// Whole elements in the view.
    pub fn element_count(&self) -> u64 {
        self.size_bytes / u64::from(self.elements.size_bytes())
    }

    fn check(&self) -> Result<(), ResourceError> {
        let &Self { offset_bytes, size_bytes, .. } = self;
        self.buffer.check(offset_bytes, size_bytes)?;
        let unit_bytes = match self.elements {
            Elements::Structured { stride_bytes } if !(4..=2048).contains(&stride_bytes) || stride_bytes % 4 != 0 => {
                return Err(ResourceError::Stride { stride_bytes });
            }
            Elements::Typed { format } => format.unit_bytes(),
            Elements::Constant | Elements::Raw | Elements::Structured { .. } => 4,
        };
        if !offset_bytes.is_multiple_of(unit_bytes.into()) {
            return Err(ResourceError::Misaligned { what: "the view begins", offset_bytes, unit_bytes });
        }
        let addressable = 1 << 32;
        match self.elements {
            Elements::Raw if size_bytes > addressable => Err(ResourceError::RawTooLarge { size_bytes }),
            _ if self.element_count() > addressable => {
                Err(ResourceError::TooManyElements { elements: self.element_count() })
            }
            _ => Ok(()),
        }
    }
}

impl Elements {
    /// Bytes of one element.
    pub fn size_bytes(self) -> u32 {
        match self {
            Elements::Constant => 16,
            Elements::Raw => 1,
            Elements::Structured { stride_bytes } => stride_bytes,
            Elements::Typed { format } => format.size_bytes(),
        }
    }
}

impl Texture {
    /// Clears all texels: every mip level of every layer.
    ///
    /// # Errors
    /// If the format has no such values, or the memory is read-only.
    pub fn clear(&self, value: ClearValue) -> Result<(), ResourceError> {
        View::texture(self.clone()).clear(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::GuardPages;

    #[test]
    fn what_is_written_into_a_part_stays_in_it() {
        let buffer = Buffer::zeroed(16, GuardPages::default()).unwrap();
        let view = View::raw(buffer.clone()).unwrap().with_range(4, 8).unwrap();
        assert_eq!(view.size_bytes(), 8);
        view.write(3, &[1u8, 2, 3, 4, 5]).unwrap();
        assert_eq!(view.to_vec::<u8>().unwrap(), [0, 0, 0, 1, 2, 3, 4, 5]);
        assert_eq!(view.to_vec::<[u16; 2]>().unwrap(), [[0, 0x0100], [0x0302, 0x0504]]);
        assert_eq!(
            view.to_vec::<[u8; 3]>().unwrap_err().to_string(),
            "8 bytes are not a whole number of elements of 3 bytes"
        );
        assert!(matches!(view.to_vec::<()>(), Err(ResourceError::Elements { element_bytes: 0, .. })));
        let beyond = |offset| view.write(offset, &[9u8]);
        assert!(matches!(
            beyond(8),
            Err(ResourceError::OutOfRange { offset_bytes: 8, size_bytes: 1, buffer_bytes: 8 })
        ));
        assert!(beyond(u64::MAX).is_err());
        let mut read = [9u8; 3];
        view.read(5, &mut read).unwrap();
        assert_eq!(read, [3, 4, 5]);
        assert!(view.read(6, &mut read).is_err() && view.read(u64::MAX, &mut read).is_err());
        assert_eq!(buffer.to_vec::<u32>().unwrap(), [0, 0x0100_0000, 0x0504_0302, 0]);
    }
}
