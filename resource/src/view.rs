//! Defines views, through which registers see buffers and textures.

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
    /// Makes a counter with a first value.
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

    /// The atomic word that shaders count with.
    pub fn word(&self) -> &AtomicU32 {
        &self.0
    }
}

/// The part of a texture that a view sees.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Subresources<'a> {
    /// The texture.
    pub texture: &'a Texture,
    /// The mip levels of the view.
    pub mips: Range<u32>,
    /// The layers of the view, each face of a cube counted; of a 3D texture, slices of the first of the levels.
    pub layers: Range<u32>,
}

/// A view that a register is bound to: a buffer or a texture, or a part of one, in some kind and format.
///
/// Clones see the same memory.
#[derive(Clone, Debug)]
pub struct View {
    kind: ViewKind,
}

/// The object of a view.
#[derive(Clone, Debug)]
pub enum ViewKind {
    /// Bytes of a buffer.
    Buffer(BufferView),
    /// Levels and layers of a texture.
    Texture(TextureView),
    /// The state of a sampler, without memory.
    Sampler(Box<Sampler>),
}

/// A range of a buffer's bytes.
#[derive(Clone, Debug)]
pub struct BufferView {
    /// The whole buffer.
    pub buffer: Buffer,
    /// Offset of the range in bytes.
    pub offset_bytes: u64,
    /// Size of the range in bytes.
    pub size_bytes: u64,
    /// The addressing of its bytes.
    pub elements: Elements,
    /// The hidden counter, if it has one.
    pub counter: Option<Counter>,
}

/// The addressing of a buffer's bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Elements {
    /// By constant vectors of four words.
    Constant,
    /// By bytes.
    Raw,
    /// By structures.
    Structured {
        /// Distance between structures in bytes.
        stride_bytes: u32,
    },
    /// By texels.
    Typed {
        /// Format of a texel.
        format: Format,
    },
}

impl View {
    /// The object that it is a view of.
    pub fn kind(&self) -> &ViewKind {
        &self.kind
    }

    /// Views a buffer as a constant buffer. Reads beyond its end return zero.
    pub fn constant(buffer: Buffer) -> Result<Self, ResourceError> {
        Self::buffer(buffer, Elements::Constant)
    }

    /// Views a buffer as bytes, read and written as words. At most 4 GiB.
    pub fn raw(buffer: Buffer) -> Result<Self, ResourceError> {
        Self::buffer(buffer, Elements::Raw)
    }

    /// Views a buffer as elements of `stride_bytes`. A partial element at the end is ignored.
    pub fn structured(buffer: Buffer, stride_bytes: u32) -> Result<Self, ResourceError> {
        Self::buffer(buffer, Elements::Structured { stride_bytes })
    }

    /// Views a buffer as texels in one row. A partial texel at the end is ignored.
    pub fn typed(buffer: Buffer, format: Format) -> Result<Self, ResourceError> {
        Self::buffer(buffer, Elements::Typed { format })
    }

    /// Views a whole texture. Writes access its first mip level.
    pub fn texture(texture: Texture) -> Self {
        Self { kind: ViewKind::Texture(TextureView::new(texture)) }
    }

    /// Makes a sampler. An error if a value is out of range.
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

    /// Restricts the view to a part of the buffer.
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

    /// Sets the format in which texels are read and written, one of the same family. Some families of 32-bit texels can
    /// also be written as R32_UINT, R32_SINT and R32_FLOAT (functional specification 5.3.9.5). A depth format means the
    /// one in which shaders read it; R16_UINT and R32_UINT are for the depth test of a pixel function.
    pub fn with_format(self, format: Format) -> Result<Self, ResourceError> {
        self.with_texture("another format", |view| view.set_format(format))
    }

    /// Sets the kind of the view of a texture.
    ///
    /// 1D textures and 1D arrays can be viewed as each other; so can multisampled textures and their arrays. 2D
    /// textures can be viewed as 2D textures, 2D arrays, cubes and cube arrays. A kind with fewer layers than there are
    /// sees the first ones, unless [`with_layers`](Self::with_layers) selects others.
    pub fn with_dimension(self, dimension: Dimension) -> Result<Self, ResourceError> {
        self.with_texture("another kind", |view| view.dimension = dimension)
    }

    /// Restricts the view to some mip levels, counted in the texture. Writes access the first of them.
    pub fn with_mips(self, first: u32, count: u32) -> Result<Self, ResourceError> {
        self.with_texture("mip levels", |view| view.mips = first..first.saturating_add(count))
    }

    /// Restricts the view to some layers, counted in the texture, each face of a cube counted; of a 3D texture, to some
    /// slices of the view's first mip level: such a view can be written only.
    pub fn with_layers(self, first: u32, count: u32) -> Result<Self, ResourceError> {
        self.with_texture("layers", |view| view.layers = Some(first..first.saturating_add(count)))
    }

    /// Sets the minimum level of detail, counted in the texture: finer levels are not sampled, and loads from them are
    /// out of range. The fraction matters where filtering blends two levels. Writes are not affected.
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

    /// The view as a render target: the first of its mip levels and layers, in two dimensions; a one-dimensional
    /// texture has a single row. An error if it is not of a texture.
    pub fn as_target(&self) -> Result<Self, ResourceError> {
        self.seen_as_target(Dimension::Texture2d)
    }

    /// The view as a render target with all its layers. Faces of cubes, slices of 3D textures and samples count as
    /// layers.
    pub fn as_target_array(&self) -> Result<Self, ResourceError> {
        self.seen_as_target(Dimension::Texture2dArray)
    }

    fn seen_as_target(&self, dimension: Dimension) -> Result<Self, ResourceError> {
        let ViewKind::Texture(view) = &self.kind else { return Err(ResourceError::NotTexture { what: "layers" }) };
        Ok(Self { kind: ViewKind::Texture(view.as_target(dimension)) })
    }

    /// The part of a texture that it sees, if it is of one.
    pub fn subresources(&self) -> Option<Subresources<'_>> {
        let ViewKind::Texture(view) = &self.kind else { return None };
        Some(Subresources { texture: &view.texture, mips: view.mips.clone(), layers: view.layers() })
    }

    /// Clears all texels that it sees of a texture, in the format of the view (functional specification, 5.2.3); depths
    /// in that of the texture.
    ///
    /// # Errors
    /// If it is not of a texture, the format has no such values, or the memory is read-only.
    pub fn clear(&self, value: ClearValue) -> Result<(), ResourceError> {
        self.clear_until(value, &|| false)
    }

    /// Clears all texels that it sees, until `stop` returns true, which is called before each row.
    ///
    /// # Errors
    /// As for [`clear`](Self::clear), or [`ResourceError::Stopped`].
    pub fn clear_until(&self, value: ClearValue, stop: &dyn Fn() -> bool) -> Result<(), ResourceError> {
        let ViewKind::Texture(view) = &self.kind else {
            return Err(ResourceError::NotTexture { what: "a clear value" });
        };
        let stored = view.texture.shape().format;
        let format = if stored.allows(Use::DepthStencil) { stored } else { view.format };
        view.boxes()?.iter().try_for_each(|part| view.texture.clear_as(format, part, value, stop))
    }

    /// Adds a hidden counter, for structured views.
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

    /// Size of the bytes that it sees; for a texture that of the whole texture, whatever the view leaves out, and 0 for
    /// a sampler.
    pub fn size_bytes(&self) -> u64 {
        self.bytes().map_or(0, |(_, range)| range.end - range.start)
    }

    /// Writes elements from a byte offset in the view on, like [`Buffer::write`].
    pub fn write<T: NoUninit>(&self, offset_bytes: u64, elements: &[T]) -> Result<(), ResourceError> {
        let (buffer, start) = self.start_of(offset_bytes, size_of_val(elements) as u64)?;
        buffer.write(start, elements)
    }

    /// Reads elements from a byte offset in the view on, like [`Buffer::read`].
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

    /// Writes changes in some bytes of the view, all of which must exist, to disk, and waits, if the buffer maps a
    /// file.
    pub fn flush_range(&self, offset_bytes: u64, size_bytes: u64) -> std::io::Result<()> {
        if size_bytes == 0 {
            return Ok(());
        }
        let (buffer, start) = self.start_of(offset_bytes, size_bytes).map_err(std::io::Error::other)?;
        buffer.flush_range(start, size_bytes)
    }

    /// Copies the bytes that it sees to elements, like [`Buffer::to_vec`]; none for a sampler.
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

    /// True if a byte that it writes when bound for writing is read by the other view when that is bound for reading.
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
    /// Describes the view, for messages: `structured view of stride 16`.
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
    /// Number of whole elements in the view.
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
    /// Size of one element in bytes.
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
