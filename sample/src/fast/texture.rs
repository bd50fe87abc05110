//! Precomputes the properties of a texture and a sampler that the fast paths need, or the reason why they cannot be
//! used.

use std::sync::Arc;

use brolga_ir::interface::Dimension;
use brolga_resource::format::{Channel, Coding, Encoding, Format};
use brolga_resource::{Comparison, ExpandedLevel, Memory, Reduction, Sampler, Surface, SurfaceLevel};

use super::address::AxisMode;
use super::isa::{Isa, SampleRoutines};
use super::vector::Unit;
use crate::texel::{Border, SurfaceTexels};

/// A mip level's extents, as words that vectors of lanes look up.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(super) struct LevelExtents {
    pub width: u32,
    pub height: u32,
    pub depth: u32,
    unused: u32,
}

/// A mip level's layout in memory, as words that vectors of lanes look up.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(super) struct LevelLayout {
    /// Offset of the first layer.
    pub offset_bytes: u32,
    pub row_bytes: u32,
    pub slice_bytes: u32,
    /// In a copy, the band of the first row, and the number of bands of a slice.
    pub first_band: u32,
    pub slice_bands: u32,
    unused: [u32; 3],
}

/// The layouts of all levels.
#[derive(Clone, Debug)]
pub(super) struct LevelLayouts {
    pub levels: Box<[LevelLayout]>,
    pub layer_bytes: u32,
    pub layer_bands: u32,
    /// Size of a copy in bytes, 0 for the texture's own memory.
    pub copy_bytes: u64,
}

/// The distance from a texel to the next in a row.
#[derive(Clone, Copy, Debug)]
pub(super) enum TexelStride {
    /// A power of two of bytes.
    Shift(u32),
    /// Twelve bytes.
    Twelve,
}

/// The dimensions of compressed blocks. The offset of a texel is packed: twice the offset of its block in bytes plus
/// its index in the block, which is x + 4 y.
#[derive(Clone, Copy, Debug)]
pub(super) struct Blocks {
    /// Texels along x and y, as powers of two.
    pub width_shift: u32,
    pub height_shift: u32,
    /// Size in bytes, as a power of two.
    pub size_shift: u32,
    /// Alignment of block offsets, as a power of two, which leaves room for the index.
    pub align_shift: u32,
    pub expand: fn(u128, &mut [u64; 16]),
}

/// A channel's bits, as vectors of lanes read them.
#[derive(Clone, Copy, Debug)]
pub(super) struct ChannelField {
    /// Index of the word that it is in.
    pub word: usize,
    /// Number of bits that the word is shifted up and then down again.
    pub up: u32,
    pub down: u32,
    /// Number of bits that a half lacks at the lower end.
    pub lost: u32,
    pub coding: Coding,
    /// True if values are divided by a unit in the end.
    pub has_unit: bool,
    pub unit: Unit,
    /// The code of -1.
    pub least: u32,
}

/// A texture and a sampler that the fast paths handle.
#[derive(Clone, Debug)]
pub(crate) struct Fast {
    /// The levels, at least one; every texel of each, in each layer, is inside the memory.
    pub(super) extents: Box<[LevelExtents]>,
    pub(super) last_level: u32,
    pub(super) own: LevelLayouts,
    /// The layouts in a copy whose blocks are expanded.
    pub(super) expanded: Option<LevelLayouts>,
    pub(super) blocks: Option<Blocks>,
    pub(super) memory: Arc<Memory>,
    pub(super) layers: u32,
    /// The distance between texels; of expanded ones where there are blocks.
    pub(super) step: TexelStride,
    pub(super) texel_bytes: u32,
    /// True if the word around each byte is in the memory.
    pub(super) has_whole_words: bool,
    pub(super) dimension: Dimension,
    /// Number of axes along which it is filtered.
    pub(super) axes: usize,
    pub(super) sampler: Sampler,
    /// The address mode along each axis.
    pub(super) modes: [AxisMode; 3],
    /// True if the level of detail has any effect.
    pub(super) needs_level: bool,
    pub(super) least_level: f32,
    /// The border, where there is one.
    pub(super) border: Option<Border>,
    /// The border as a texel, in formats of four codes of 8 bits.
    pub(super) border_codes: u32,
    pub(super) channels: [Option<ChannelField>; 4],
    /// The number of channels up to the last one that exists.
    pub(super) channel_count: usize,
    /// Words of the channels that the format lacks.
    pub(super) missing: [u32; 4],
    pub(super) swaps_red_and_blue: bool,
    /// True if denormals cannot affect filters.
    pub(super) is_mode_free: bool,
    pub(super) filters: SampleRoutines,
    pub(super) compares: Option<SampleRoutines>,
    pub(super) queries: SampleRoutines,
}

/// The reason why there is no fast path for a texture, or for a kind of sample of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Slow {
    /// The processor has no SSE4.2, or is another one.
    Processor,
    /// Its texels are not all within 2 GiB of memory and 16384 along each axis, or a cube lacks six square faces.
    Size,
    /// The texture is multisampled.
    Samples,
    /// The least level of detail excludes all levels, or for a gather the first one.
    Level,
    /// Rows, slices, layers or levels of blocks that do not begin at multiples of 8 bytes, or of 4 where a block is a
    /// row.
    Pitch,
    /// A comparison with texels of a format other than depth.
    Comparison,
    /// A gather from a volume, which Direct3D does not have.
    Gather,
}

impl std::fmt::Display for Slow {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Slow::Processor => "the processor has no SSE4.2",
            Slow::Size => "its texels are not all in 2 GiB and 16384 along each axis, or it is no cube of square faces",
            Slow::Samples => "its texels have several samples",
            Slow::Level => "the least level excludes what is sampled",
            Slow::Pitch => "its rows, slices, layers or levels of blocks do not begin at multiples of 8 bytes",
            Slow::Comparison => "its format has no depths to compare with",
            Slow::Gather => "it gathers from a volume",
        })
    }
}

impl ChannelField {
    fn of(channel: Channel) -> Self {
        let (field, coding) = (channel.field, channel.coding);
        let low = field.shift % 32;
        let down = 32 - field.bits;
        let (up, lost) = (down - low, 15_u32.saturating_sub(field.bits));
        let least = match coding {
            Coding::Snorm { most } => most.wrapping_neg(),
            Coding::WidenedSnorm => 127u32.wrapping_neg(),
            _ => 0,
        };
        Self {
            word: (field.shift / 32) as usize,
            up,
            down,
            lost,
            coding,
            has_unit: coding.unit() != 1.0,
            unit: Unit::new(coding.unit()),
            least,
        }
    }
}

impl LevelExtents {
    fn of([width, height, depth]: [u32; 3]) -> Self {
        Self { width, height, depth, unused: 0 }
    }
}

impl LevelLayouts {
    fn own(surface: &Surface) -> Option<Self> {
        let layout_of = |level| Pitches::of(level, surface.layer_bytes).layout([0; 2]);
        let levels = surface.levels.iter().map(layout_of).collect::<Option<_>>()?;
        Some(Self { levels, layer_bytes: narrow(surface.layer_bytes)?, layer_bands: 0, copy_bytes: 0 })
    }

    /// The layouts in a copy; `None` if a texel would not be in it: the description of a surface is not trusted.
    fn expanded(surface: &Surface, layers: u32, texel_bytes: u32) -> Option<Self> {
        let expansion = surface.expansion.as_ref()?;
        let size_bytes = narrow(expansion.size_bytes)?.into();
        if expansion.levels.len() != surface.levels.len() {
            return None;
        }
        let layout_of = |(level, of): (&ExpandedLevel, &SurfaceLevel)| {
            let pitches = Pitches {
                offset_bytes: level.offset_bytes,
                row_bytes: level.row_bytes,
                slice_bytes: level.slice_bytes,
                layer_bytes: expansion.layer_bytes,
            };
            let is_inside = pitches.end_bytes(of.extents, layers, texel_bytes)? <= size_bytes;
            // Texels of two bytes are read with the word around them.
            let is_whole = pitches.all().iter().all(|bytes| bytes.is_multiple_of(4));
            if is_inside && is_whole { pitches.layout([level.first_band, level.slice_bands]) } else { None }
        };
        Some(Self {
            levels: expansion.levels.iter().zip(&surface.levels).map(layout_of).collect::<Option<_>>()?,
            layer_bytes: narrow(expansion.layer_bytes)?,
            layer_bands: expansion.layer_bands,
            copy_bytes: size_bytes,
        })
    }
}

impl Blocks {
    /// The blocks of a format; `None` where a block is a single texel.
    fn of(format: Format) -> Option<Self> {
        let expand = format.expander()?;
        let [width, height] = format.block_extents();
        Some(Self {
            width_shift: width.ilog2(),
            height_shift: height.ilog2(),
            size_shift: format.size_bytes().ilog2(),
            align_shift: if height == 1 { 2 } else { 3 },
            expand,
        })
    }
}

impl Fast {
    /// Precomputes the fast paths for a texture and a sampler, or returns the reason why there are none.
    pub fn new(texels: &SurfaceTexels, sampler: &Sampler, isa: Isa) -> Result<Self, Slow> {
        let surface = texels.surface();
        let (format, dimension) = (surface.format, surface.dimension);
        if surface.pattern.count() != 1 {
            return Err(Slow::Samples);
        }
        let last = surface.levels.len().checked_sub(1).ok_or(Slow::Level)?;
        // False for NaN as well.
        if surface.min_level <= last as f32 { Ok(()) } else { Err(Slow::Level) }?;
        let blocks = Blocks::of(format);
        let own = LevelLayouts::own(surface).ok_or(Slow::Size)?;
        let layers = surface.layers.max(1);
        let extents: Box<[LevelExtents]> = surface.levels.iter().map(|level| LevelExtents::of(level.extents)).collect();
        if !is_inside(surface, layers) {
            return Err(Slow::Size);
        }
        if let Some(blocks) = &blocks {
            let align = (1 << blocks.align_shift) - 1;
            let offsets = own.levels.iter().flat_map(|level| [level.offset_bytes, level.row_bytes, level.slice_bytes]);
            if offsets.chain([own.layer_bytes]).any(|bytes| bytes & align != 0) {
                return Err(Slow::Pitch);
            }
        }
        let layout = texels.layout();
        let texel_bytes = layout.size_bytes;
        let has_border = (0..dimension.sample_axes().min(3))
            .any(|axis| sampler.address[axis] == brolga_resource::AddressMode::Border);
        let border = (has_border && !dimension.is_cube()).then(|| *texels.border());
        let filter = sampler.filter;
        let channels = layout.channels.map(|channel| channel.map(ChannelField::of));
        let is_float = channels.iter().flatten().any(|field| field.coding == Coding::Float);
        let first = channels[0].map(|field| (field.word, field.up, field.down));
        let is_cube = dimension.is_cube();
        Ok(Self {
            needs_level: surface.levels.len() > 1 || filter.minify != filter.magnify,
            modes: [0, 1, 2].map(|axis| AxisMode::of(sampler.address[axis], &extents)),
            expanded: blocks.and_then(|_| LevelLayouts::expanded(surface, layers, texel_bytes)),
            filters: isa.filters(format, layout, border.as_ref(), dimension),
            compares: isa.comparisons(layout, dimension),
            queries: isa.queries(dimension),
            extents,
            last_level: last as u32,
            own,
            blocks,
            memory: Arc::clone(&surface.memory),
            layers,
            step: if texel_bytes == 12 { TexelStride::Twelve } else { TexelStride::Shift(texel_bytes.ilog2()) },
            texel_bytes,
            has_whole_words: surface.memory.has_whole_words() || blocks.is_some(),
            dimension,
            axes: if is_cube { 2 } else { dimension.sample_axes() },
            sampler: *sampler,
            least_level: surface.min_level,
            border_codes: border.map_or(0, |border| codes_of(&channels, &border)),
            border,
            channel_count: channels.iter().rposition(Option::is_some).map_or(0, |last| last + 1),
            channels,
            missing: format.zero(),
            is_mode_free: !is_float && border.is_none_or(|border| border.values.iter().all(is_far_from_denormals)),
            swaps_red_and_blue: first == Some((0, 8, 24)),
        })
    }

    /// The sampler's comparison, if it has one.
    pub fn comparison(&self) -> Comparison {
        self.sampler.comparison
    }

    /// True if filters take the minimum or the maximum of texels.
    pub fn takes_extremes(&self) -> bool {
        matches!(self.sampler.filter.reduction, Reduction::Minimum | Reduction::Maximum)
    }
}

/// True if no product with the weights of a filter is a denormal. In fixed point none is.
fn is_far_from_denormals(value: &u32) -> bool {
    let magnitude = f32::from_bits(*value).abs();
    magnitude == 0.0 || magnitude >= 2f32.powi(-64) || magnitude.is_nan()
}

/// The codes of a border, as a texel of one word.
fn codes_of(channels: &[Option<ChannelField>; 4], border: &Border) -> u32 {
    let codes = channels.iter().zip(border.values).filter_map(|(field, value)| {
        let field = field.filter(|field| field.word == 0)?;
        Some((f32::from_bits(value) as u32) << field.down >> field.up)
    });
    codes.fold(0, |texel, code| texel | code)
}

/// True if all texels are inside the memory, in less than 2 GiB, so that no sum of offsets wraps around, and extents
/// are small enough for exact coordinates.
fn is_inside(surface: &Surface, layers: u32) -> bool {
    let [block_width, block_height] = surface.format.block_extents();
    surface.levels.iter().all(|level| {
        let [width, height, depth] = level.extents;
        if width == 0 || height == 0 || depth == 0 || width.max(height).max(depth) > 1 << 14 {
            return false;
        }
        let blocks = [width.div_ceil(block_width), height.div_ceil(block_height), depth];
        let pitches = Pitches::of(level, surface.layer_bytes);
        let end = pitches.end_bytes(blocks, layers, surface.format.size_bytes());
        end.is_some_and(|end| end <= surface.memory.size_bytes() && i32::try_from(end).is_ok())
            && (!surface.dimension.is_cube() || layers.is_multiple_of(6) && width == height)
    })
}

/// The offset of a mip level, and the pitches of its parts.
#[derive(Clone, Copy)]
struct Pitches {
    offset_bytes: u64,
    row_bytes: u64,
    slice_bytes: u64,
    layer_bytes: u64,
}

/// Narrows a number of bytes to what 32-bit offsets can hold.
fn narrow(bytes: u64) -> Option<u32> {
    i32::try_from(bytes).ok().map(i32::cast_unsigned)
}

impl Pitches {
    fn of(level: &SurfaceLevel, layer_bytes: u64) -> Self {
        let &SurfaceLevel { offset_bytes, row_bytes, slice_bytes, .. } = level;
        Self { offset_bytes, row_bytes, slice_bytes, layer_bytes }
    }

    /// The layout for look-ups, with the first band of a copy and the bands of a slice.
    fn layout(&self, [first_band, slice_bands]: [u32; 2]) -> Option<LevelLayout> {
        Some(LevelLayout {
            offset_bytes: narrow(self.offset_bytes)?,
            row_bytes: narrow(self.row_bytes)?,
            slice_bytes: narrow(self.slice_bytes)?,
            first_band,
            slice_bands,
            unused: [0; 3],
        })
    }

    fn all(&self) -> [u64; 4] {
        [self.offset_bytes, self.row_bytes, self.slice_bytes, self.layer_bytes]
    }

    /// The end in bytes of the last of so many columns, rows and slices, at least one of each, in the last layer.
    fn end_bytes(&self, [columns, rows, slices]: [u32; 3], layers: u32, column_bytes: u32) -> Option<u64> {
        let before = |count: u32, pitch_bytes: u64| u64::from(count - 1).checked_mul(pitch_bytes);
        before(layers, self.layer_bytes)?
            .checked_add(before(slices, self.slice_bytes)?)?
            .checked_add(before(rows, self.row_bytes)?)?
            .checked_add(u64::from(columns) * u64::from(column_bytes))?
            .checked_add(self.offset_bytes)
    }
}

/// True if a format has four codes of 8 bits, or three and nothing in the fourth.
pub(super) fn has_four_codes(format: Format, encoding: Encoding, channels: &[Option<Channel>; 4]) -> bool {
    let is_code = |channel: &Channel| channel.field.bits == 8 && channel.field.shift.is_multiple_of(8);
    let [red, green, blue, alpha] = channels;
    let at = |channel: &Option<Channel>, shift: u32| {
        channel.as_ref().is_some_and(|channel| is_code(channel) && channel.field.shift == shift)
    };
    let is_in_order = at(red, 0) && at(blue, 16) || at(red, 16) && at(blue, 0);
    let has_encoding = format.encoding() == encoding && format.channels()[0] == Some(encoding);
    has_encoding
        && is_in_order
        && at(green, 8)
        && format.channels()[2] == Some(encoding)
        && (alpha.is_none() || at(alpha, 24))
}
