//! Reads and writes texels of typed buffers and textures, converting them to and from words.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::AtomicU32;

use brolga_ir::host::TexelCall;
use brolga_ir::interface::Dimension;
use brolga_ir::sampling::Row;
use brolga_ir::texel::TexelFormat;
use brolga_resource::format::{Format, Use};
use brolga_resource::{Memory, Surface, Texel};

/// Something with texels.
#[derive(Debug)]
pub(crate) enum Texels {
    /// A part of a buffer.
    Buffer { memory: Arc<Memory>, offset_bytes: u64, count: u64, format: Format },
    /// The part of a texture that a view covers: a single level if it may be written.
    Texture(Surface),
}

/// Memory layout of a view's texels, if compiled code accesses them directly.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TexelLayout {
    /// Address of the first texel, for compiled code.
    pub base: *mut u8,
    /// Elements of the format from there to the view's last texel; below 2^32, so that no texel's index wraps.
    pub count: u64,
    /// Extents of the most detailed level: width, height, depth or layers, and the slice pitch in texels.
    pub extents: [u32; 4],
    /// Format in which they are read and written.
    pub format: TexelFormat,
}

impl Texels {
    /// The layout, if the format and the kind of texture allow compiled code to access the texels directly.
    pub fn layout(&self) -> Option<TexelLayout> {
        let format = self.format().texel_format()?;
        let size_bytes = u64::from(self.format().size_bytes());
        let (start, texels, extents) = match self {
            Texels::Buffer { offset_bytes, count, .. } => (*offset_bytes, *count, [0; 4]),
            Texels::Texture(surface) => {
                let level = surface.levels.first().filter(|_| surface.reaches(0))?;
                let [width, height, depth] = level.extents;
                let (layers, layer_bytes) = match surface.dimension {
                    Dimension::Texture3d => (depth, level.slice_bytes),
                    // Samples are planes, as layers are.
                    _ => (surface.layers * surface.pattern.count(), surface.layer_bytes),
                };
                let is_packed = level.row_bytes == u64::from(width) * size_bytes && layer_bytes % size_bytes == 0;
                let layer_texels = u32::try_from(layer_bytes / size_bytes).ok().filter(|_| is_packed)?;
                let in_layer = u64::from(width) * u64::from(height);
                let texels = u64::from(layers - 1) * u64::from(layer_texels) + in_layer;
                (level.offset_bytes, texels, [width, height, layers, layer_texels])
            }
        };
        // Texels smaller than a word: every word with some of them must be whole.
        let count = texels.div_ceil(1 << format.word_shift);
        let has_words = start % 4 == 0 && start + count * u64::from(format.size_bytes()) <= self.memory().size_bytes();
        let base = self.memory().base().wrapping_add(start as usize);
        (texels <= u32::MAX.into() && has_words).then_some(TexelLayout { base, count, extents, format })
    }

    /// Reads a texel at a mip level, or a sample of a multisampled one. Out of range yields zeros, but 1 in an alpha
    /// that the format lacks.
    pub fn load(&self, coords: [u32; 3], level: u32) -> [u32; 4] {
        let format = self.format();
        let Some(at) = self.offset(coords, level) else { return format.zero() };
        format.decode_texel(self.memory().load_number(at, format.size_bytes()), coords[0], coords[1])
    }

    /// Writes a texel of the first level; out of range does nothing.
    pub fn store(&self, coords: [u32; 3], words: [u32; 4]) {
        let format = self.format();
        let Some(at) = self.offset(coords, 0) else { return };
        self.memory().store_number(at, format.size_bytes(), format.encode(words));
    }

    /// Reads texels for some lanes of a packet. Inactive lanes are left unchanged.
    pub fn load_lanes(&self, call: TexelCall<'_>, lanes: Range<usize>, levels: Row<'_>, results: &mut [u32]) {
        let (format, memory) = (self.format(), self.memory());
        let size_bytes = format.size_bytes();
        let block = |at| memory.load_number(at, size_bytes);
        match Blocks::of(format) {
            Some(mut blocks) => {
                self.load_each(call, lanes, levels, results, |at, coords| blocks.texel(block(at), coords))
            }
            None => {
                let decode = format.decoder();
                self.load_each(call, lanes, levels, results, |at, _| decode(block(at)));
            }
        }
    }

    #[inline(always)]
    fn load_each(
        &self,
        call: TexelCall<'_>,
        lanes: Range<usize>,
        levels: Row<'_>,
        results: &mut [u32],
        mut read: impl FnMut(u64, [u32; 3]) -> [u32; 4],
    ) {
        let (zero, row_len) = (self.format().zero(), levels.len());
        for lane in lanes.filter(|&lane| call.is_active(lane)) {
            let coords = call.at(lane);
            let words = self.offset(coords, levels[lane]).map_or(zero, |at| read(at, coords));
            for (row, word) in words.into_iter().enumerate() {
                results[row * row_len + lane] = word;
            }
        }
    }

    /// Writes texels of the first level for some lanes of a packet.
    pub fn store_lanes(&self, call: TexelCall<'_>, lanes: Range<usize>, values: [Row<'_>; 4]) {
        let (format, memory) = (self.format(), self.memory());
        let (Some(encode), size_bytes) = (format.encoder(), format.size_bytes()) else { return };
        for lane in lanes.filter(|&lane| call.is_active(lane)) {
            if let Some(at) = self.offset(call.at(lane), 0) {
                memory.store_number(at, size_bytes, encode(values.map(|row| row[lane])));
            }
        }
    }

    /// The word of a texel of the first level, if it is in range and its format allows atomics.
    pub fn atomic(&self, coords: [u32; 3]) -> Option<&AtomicU32> {
        if !self.format().allows(Use::Exchange) {
            return None;
        }
        self.memory().atomic(self.offset(coords, 0)?)
    }

    /// Texels of a typed buffer.
    pub fn buffer_count(&self) -> u32 {
        match self {
            Texels::Buffer { count, .. } => u32::try_from(*count).unwrap_or(u32::MAX),
            Texels::Texture(_) => 0,
        }
    }

    /// The result of `resinfo`: extents of a level by the kind of texture, zeros if there is no such level, and the
    /// number of levels. Levels below a least level of detail keep their extents.
    pub fn size(&self, level: u32) -> [u32; 4] {
        let Texels::Texture(surface) = self else { return [0; 4] };
        let count = surface.levels.len() as u32;
        let Some(level) = surface.levels.get(level as usize) else { return [0, 0, 0, count] };
        let [width, height, depth] = level.extents;
        let layers = surface.layers;
        match surface.dimension {
            Dimension::Buffer | Dimension::Texture1d => [width, 0, 0, count],
            Dimension::Texture1dArray => [width, layers, 0, count],
            Dimension::Texture2d | Dimension::Texture2dMs | Dimension::TextureCube => [width, height, 0, count],
            Dimension::Texture2dArray | Dimension::Texture2dMsArray => [width, height, layers, count],
            Dimension::Texture3d => [width, height, depth, count],
            // Undefined in the specification, which recommends the number of cubes.
            Dimension::TextureCubeArray => [width, height, layers / 6, count],
        }
    }

    /// Samples of a texel; 0 for a typed buffer.
    pub fn sample_count(&self) -> u32 {
        match self {
            Texels::Buffer { .. } => 0,
            Texels::Texture(surface) => surface.pattern.count(),
        }
    }

    /// Position of a sample, along x and y from the texel's centre; the centre if there is no such sample.
    pub fn sample_position(&self, sample: u32) -> [f32; 2] {
        match self {
            Texels::Buffer { .. } => [0.0; 2],
            Texels::Texture(surface) => surface.pattern.position(sample),
        }
    }

    fn format(&self) -> Format {
        match self {
            Texels::Buffer { format, .. } => *format,
            Texels::Texture(surface) => surface.format,
        }
    }

    fn memory(&self) -> &Memory {
        match self {
            Texels::Buffer { memory, .. } => memory,
            Texels::Texture(surface) => &surface.memory,
        }
    }

    /// Byte offset of a texel, if it is in range.
    #[inline(always)]
    fn offset(&self, coords: [u32; 3], level: u32) -> Option<u64> {
        let surface = match self {
            Texels::Buffer { offset_bytes, count, format, .. } => {
                let index = u64::from(coords[0]);
                return (index < *count).then(|| offset_bytes + index * u64::from(format.size_bytes()));
            }
            Texels::Texture(surface) => surface,
        };
        let [x, y, z] = coords;
        let (at, layer) = match surface.dimension {
            Dimension::Buffer | Dimension::Texture1d => ([x, 0, 0], 0),
            Dimension::Texture1dArray => ([x, 0, 0], y),
            Dimension::Texture2d | Dimension::Texture2dMs => ([x, y, 0], 0),
            Dimension::Texture2dArray
            | Dimension::Texture2dMsArray
            | Dimension::TextureCube
            | Dimension::TextureCubeArray => ([x, y, 0], z),
            Dimension::Texture3d => ([x, y, z], 0),
        };
        let (level, sample) = if surface.dimension.is_multisampled() { (0, level) } else { (level, 0) };
        if !surface.reaches(level) {
            return None;
        }
        surface.block_offset(Texel { level, at, layer, sample })
    }
}

/// Blocks of several texels that were read last, expanded. They are looked up by their bits, so that concurrent writes
/// do no harm.
struct Blocks {
    bits: [Option<u128>; Self::COUNT],
    texels: [[u64; 16]; Self::COUNT],
    expand: fn(u128, &mut [u64; 16]),
    decode: fn(u64) -> [u32; 4],
    extents: [u32; 2],
}

impl Blocks {
    /// Slots for the blocks of a packet's row, or of two short ones; the position along x selects the slot.
    const COUNT: usize = 8;

    /// A cache for the format; `None` if its blocks are single texels.
    fn of(format: Format) -> Option<Self> {
        let (expand, decode) = format.expander().zip(format.expanded_decoder())?;
        let (bits, texels) = ([None; Self::COUNT], [[0; 16]; Self::COUNT]);
        Some(Self { bits, texels, expand, decode, extents: format.block_extents() })
    }

    /// The words of the texel with these coordinates, which is in this block.
    #[inline]
    fn texel(&mut self, bits: u128, [x, y, _]: [u32; 3]) -> [u32; 4] {
        // Powers of two.
        let [width, height] = self.extents;
        let slot = (x >> width.trailing_zeros()) as usize % Self::COUNT;
        if self.bits[slot] != Some(bits) {
            self.bits[slot] = Some(bits);
            (self.expand)(bits, &mut self.texels[slot]);
        }
        let index = (x & (width - 1)) + (y & (height - 1)) * width;
        (self.decode)(self.texels[slot][index as usize % 16])
    }
}
