//! Fast paths for the common cases: 2D textures of common formats, nearest or linear, eight lanes at once.
//!
//! Their results are bit for bit those of `lane.rs`, which handles whatever they refuse. They are for x86-64, the same
//! source compiled once with AVX2 and FMA and once with SSE4.2.
//!
//! | file | what it has |
//! |---|---|
//! | `vector.rs` | eight lanes, with either instruction set |
//! | `level.rs` | mip levels |
//! | `address.rs` | from coordinates to bytes |
//! | `codes.rs` | texels of four 8-bit codes: integers |
//! | `numbers.rs` | texels of floats: doubles |
//!
//! The only unsafe code reads texels and calls functions for particular instruction sets. Texels are read through raw
//! pointers, since other threads may write them.

#![allow(unsafe_code)]

mod address;
mod codes;
mod level;
mod numbers;
mod vector;

use std::fmt;
use std::sync::Arc;

use brolga_ir::float;
use brolga_ir::sampling::{LevelSource, Offsets, Row, Rows, SampleKind, Sampling};
use smallvec::SmallVec;

use super::lane::Lane;
use super::texel::Texels;
use super::{Operands, Prepared};
use crate::format::Format;
use crate::resource::{AddressMode, Memory, Reduction, Sampler, Tap};
use address::{Levels, LinearAddresses, TexelAddress};
use codes::Codes;
use level::Chosen;
use numbers::{Curve, Floats, Halves, Numbers};
use vector::{Avx2, Sse42, Vector};

/// Lanes of a vector.
pub(super) const LANES: usize = 8;
pub(super) type Lanes<T> = [T; LANES];

/// A mip level, all bytes of which are inside the memory in every layer.
#[derive(Clone, Copy, Debug)]
struct Extent {
    width: u32,
    height: u32,
    /// Offset in the memory of the view's first layer.
    offset_bytes: u32,
    row_bytes: u32,
}

/// A texture and a sampler that the fast paths handle.
#[derive(Clone, Debug)]
pub(super) struct Fast {
    /// At least one; every texel of each, in each layer, is inside the memory.
    levels: SmallVec<[Extent; 16]>,
    /// The first of them.
    first: Extent,
    memory: Arc<Memory>,
    /// Number of layers, and the layer pitch in bytes.
    layers: u32,
    layer_bytes: u32,
    is_array: bool,
    sampler: Sampler,
    /// Whether the level of detail matters at all.
    needs_level: bool,
    least_level: f32,
    /// Whether offsets lead at most one period further.
    takes_offsets: bool,
    /// A texel of the border's colour, in bytes; none where there is no border.
    border: Option<[u32; 4]>,
    swaps_red_and_blue: bool,
    /// Whether denormals cannot affect the result.
    is_mode_free: bool,
    run: Run,
}

/// Samples a packet, or returns false.
///
/// # Safety
///
/// The processor has the instruction set that the function was compiled for.
#[derive(Clone, Copy)]
struct Run(unsafe fn(&Fast, &Packet<'_>, &mut [u32]) -> bool);

impl fmt::Debug for Run {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Run")
    }
}

type Words = [Lanes<u32>; 4];

/// The operands of eight lanes.
#[derive(Debug)]
struct Packet<'a> {
    /// The first of them.
    first_lane: usize,
    /// Mask of the active lanes.
    taking_part: u32,
    at: [&'a Lanes<u32>; 2],
    /// Texel offsets along u and v, as words: bytes would be read as a word before they are written to memory.
    offsets: [u32; 2],
    /// The coordinate of the layer.
    layer: Option<&'a Lanes<u32>>,
    /// The level of detail, 0 where there is none.
    level: Option<&'a Lanes<u32>>,
    /// The bias added to it.
    bias: f32,
}

/// How texels of a kind of format are filtered.
trait Kind {
    const TEXEL_BYTES: u32;

    /// Texels taken alone.
    fn nearest<V: Vector>(fast: &Fast, address: TexelAddress<V>) -> Words;

    /// Linear filters of one level or of two, with weights of the second one in 256ths.
    fn linear<V: Vector>(fast: &Fast, first: LinearAddresses<V>, second: Option<(LinearAddresses<V>, V)>) -> Words;
}

impl Prepared {
    /// Takes a fast path that gives the same bits in every float mode, or reports that there is none: the treatment of
    /// denormals does not matter for texels of fewer than 32 bits, whose sums are never that small.
    #[inline(always)]
    pub(super) fn sample_in_any_mode(
        &self,
        sampling: Sampling,
        lanes: u64,
        args: Rows<'_>,
        results: &mut [u32],
    ) -> bool {
        match &self.fast {
            Some(fast) if fast.is_mode_free => fast.sample(sampling, lanes, args, results),
            _ => false,
        }
    }

    /// Takes a fast path, or reports that the result is incomplete.
    #[inline(always)]
    pub(super) fn sample_fast(&self, sampling: Sampling, lanes: u64, args: Rows<'_>, results: &mut [u32]) -> bool {
        let Some(fast) = &self.fast else { return false };
        fast.sample(sampling, lanes, args, results) || self.sample_levels(fast, sampling, lanes, args, results)
    }

    /// The same with levels of detail computed lane by lane.
    #[inline(never)]
    fn sample_levels(&self, fast: &Fast, sampling: Sampling, lanes: u64, args: Rows<'_>, results: &mut [u32]) -> bool {
        let needs_levels = sampling.level == LevelSource::Derivatives || sampling.has_bias;
        if sampling.kind != SampleKind::Filter || sampling.has_clamp || !needs_levels {
            return false;
        }
        let operands = Operands::new(self, sampling, args);
        let mut levels: SmallVec<[u32; 16]> = SmallVec::from_elem(0, results.len() / 4);
        for lane in (0..levels.len()).filter(|lane| lanes >> lane & 1 == 1) {
            let operand = |row: Row<'_>| float::flush(f32::from_bits(row[lane]));
            let vector = |rows: Rows<'_>| Some([operand(rows.get(0)?).into(), operand(rows.get(1)?).into()]);
            levels[lane] = match (vector(operands.along_x), vector(operands.along_y)) {
                (Some(x), Some(y)) if !self.sampler.filter.anisotropic => {
                    let level = level::of_derivatives(fast, x, y) as f32;
                    level + self.sampler.level_bias + operands.bias.get(0).map_or(0.0, operand)
                }
                _ => match Lane::new(self, sampling, &operands, lane).level_and_line() {
                    (level, None) => level,
                    (_, Some(_)) => return false,
                },
            }
            .to_bits();
        }
        fast.sample_at_levels(sampling, lanes, operands.coordinates, (Some(&levels), 0.0), results)
    }
}

/// The bytes of a texel that reads as the border, if there is such a texel.
fn border_texel(texels: &Texels) -> Option<[u32; 4]> {
    let (format, border) = (texels.surface().format, texels.words(None));
    let texel = format.encode(border);
    let word = |n: u32| (texel >> (32 * n)) as u32;
    (format.decode(texel) == border).then(|| [word(0), word(1), word(2), word(3)])
}

impl Fast {
    /// Short cuts for a texture and a sampler, if there are any.
    pub fn new(texels: &Texels, sampler: &Sampler, isa: Isa) -> Option<Self> {
        let surface = texels.surface();
        let format = surface.format;
        let run = isa.run_for(format)?;
        let is_flat = surface.dimension.sample_axes() == 2 && surface.samples == 1;
        let sums = matches!(sampler.filter.reduction, Reduction::Weighted | Reduction::Comparison);
        let last = surface.levels.len().checked_sub(1)?;
        let is_bounded = !sampler.min_level.is_nan() && !sampler.max_level.is_nan() && surface.min_level <= last as f32;
        if !is_flat || !sums || !is_bounded {
            return None;
        }
        let narrow = |number: u64| i32::try_from(number).ok();
        let (layers, texel_bytes) = (surface.layers.max(1), format.size_bytes());
        let mut levels = SmallVec::new();
        for level in &surface.levels {
            let [width, height, _] = level.extents;
            let end = u64::from(layers - 1)
                .checked_mul(surface.layer_bytes)?
                .checked_add(u64::from(height.checked_sub(1)?).checked_mul(level.row_bytes)?)?
                .checked_add(u64::from(width) * u64::from(texel_bytes))?
                .checked_add(level.offset_bytes)?;
            // So no sum below wraps around, and coordinates are as exact as they need to be.
            if end > surface.memory.size_bytes() || narrow(end).is_none() || width == 0 || width.max(height) > 1 << 14 {
                return None;
            }
            levels.push(Extent {
                width,
                height,
                offset_bytes: level.offset_bytes as u32,
                row_bytes: level.row_bytes as u32,
            });
        }
        let border = match sampler.address[..2].contains(&AddressMode::Border) {
            true => Some(border_texel(texels)?),
            false => None,
        };
        let filter = sampler.filter;
        let repeats = |mode: &AddressMode| matches!(mode, AddressMode::Wrap | AddressMode::Mirror);
        let is_large = |level: &Extent| level.width.min(level.height) >= 16;
        Some(Self {
            takes_offsets: !sampler.address[..2].iter().any(repeats) || levels.iter().all(is_large),
            needs_level: levels.len() > 1 || filter.minify != filter.magnify,
            first: levels[0],
            levels,
            memory: Arc::clone(&surface.memory),
            layers,
            layer_bytes: surface.layer_bytes as u32,
            is_array: surface.dimension.is_array(),
            sampler: *sampler,
            least_level: surface.min_level,
            border,
            is_mode_free: !matches!(format, Format::R32_FLOAT | Format::R32G32B32A32_FLOAT),
            swaps_red_and_blue: format.fields()[0].is_some_and(|red| red.shift == 16 && red.bits == 8),
            run,
        })
    }

    /// Samples where levels of detail need only the sampler's bias.
    #[inline(always)]
    fn sample(&self, sampling: Sampling, lanes: u64, args: Rows<'_>, results: &mut [u32]) -> bool {
        // Coordinates, the layer last, then the operands for the level of detail.
        let (coordinates, rest) = args.split_at(2 + usize::from(self.is_array));
        let level = match (sampling.level, rest.get(0)) {
            _ if sampling.has_bias => return false,
            (LevelSource::Given, Some(level)) if rest.get(1).is_none() => Some(level),
            (LevelSource::Zero, None) => None,
            (LevelSource::Derivatives, _) if !self.needs_level && !self.sampler.filter.anisotropic => None,
            _ => return false,
        };
        self.sample_at_levels(sampling, lanes, coordinates, (level, self.sampler.level_bias), results)
    }

    /// Samples at levels of detail, 0 where there are none, and a bias for all of them.
    #[inline(always)]
    fn sample_at_levels(
        &self,
        sampling: Sampling,
        lanes: u64,
        coordinates: Rows<'_>,
        (level, bias): (Option<Row<'_>>, f32),
        results: &mut [u32],
    ) -> bool {
        let Offsets::Fixed([u, v, _]) = sampling.offsets else { return false };
        let offsets = [u, v].map(|offset| i32::from(offset) as u32);
        let is_plain = sampling.kind == SampleKind::Filter && !sampling.has_clamp;
        if !is_plain || (offsets != [0; 2] && !self.takes_offsets) {
            return false;
        }
        let (Some(u), Some(v)) = (coordinates.get(0), coordinates.get(1)) else { return false };
        let layer = coordinates.get(2);
        for first_lane in (0..u.len()).step_by(LANES) {
            let taking_part = (lanes >> first_lane & 0xff) as u32;
            if taking_part == 0 {
                continue;
            }
            let packet = Packet {
                first_lane,
                taking_part,
                at: [eight_of(u, first_lane), eight_of(v, first_lane)],
                offsets,
                layer: layer.map(|layer| eight_of(layer, first_lane)),
                level: level.map(|level| eight_of(level, first_lane)),
                bias,
            };
            // SAFETY: `run` is for an instruction set that the processor has.
            if !unsafe { (self.run.0)(self, &packet, results) } {
                return false;
            }
        }
        true
    }

    /// The texel that begins at a byte that comes from [`Levels`].
    #[inline(always)]
    fn read<T: Texel>(&self, offset_bytes: u32) -> T {
        debug_assert!(u64::from(offset_bytes) + size_of::<T>() as u64 <= self.memory.size_bytes());
        // SAFETY: the byte begins a texel inside a level and a layer (`Levels`), which `new` checked to be inside the
        // memory; and `T` is as large as a texel. Any bytes are a valid `T`.
        unsafe { self.memory.base().add(offset_bytes as usize).cast::<T>().read_unaligned() }
    }

    /// Two adjacent texels of 4 bytes: the second one comes from [`Levels`], too.
    #[inline(always)]
    fn read_two(&self, offset_bytes: u32) -> u64 {
        debug_assert!(u64::from(offset_bytes) + 8 <= self.memory.size_bytes());
        // SAFETY: as above, for both of them.
        unsafe { self.memory.base().add(offset_bytes as usize).cast::<u64>().read_unaligned() }
    }
}

/// A type for which any bytes are valid.
trait Texel: Copy + Default {
    fn of(words: &[u32; 4]) -> Self;
}

impl Texel for u32 {
    fn of(words: &[u32; 4]) -> Self {
        words[0]
    }
}

impl Texel for [u32; 2] {
    fn of(words: &[u32; 4]) -> Self {
        [words[0], words[1]]
    }
}

impl Texel for [u32; 4] {
    fn of(words: &[u32; 4]) -> Self {
        *words
    }
}

/// Eight lanes of a row.
#[inline(always)]
fn eight_of(row: Row<'_>, first_lane: usize) -> &Lanes<u32> {
    row[first_lane..].first_chunk().expect("packets have a multiple of eight lanes")
}

/// Samples a packet.
#[inline(always)]
#[expect(clippy::manual_map, reason = "closures are not compiled for the processor")]
fn packet<K: Kind, V: Vector>(fast: &Fast, packet: &Packet<'_>, results: &mut [u32]) -> bool {
    let Some(chosen) = Chosen::<V>::of(fast, packet) else { return false };
    let at = [V::load_written(packet.at[0]), V::load_written(packet.at[1])];
    let layer = match packet.layer {
        Some(layer) => Some(level::layer(fast, V::load_written(layer))),
        None => None,
    };
    let first = match fast.needs_level {
        true => Levels::of(fast, chosen.first, layer),
        false => Levels::first(fast, layer),
    };
    let words = match (chosen.tap, !chosen.fraction.equal(V::splat(0)).is_ones()) {
        (Tap::Point, false) => K::nearest(fast, TexelAddress::nearest(fast, at, packet.offsets, first, K::TEXEL_BYTES)),
        (Tap::Point, true) => return false,
        (Tap::Linear, false) => {
            K::linear(fast, LinearAddresses::linear(fast, at, packet.offsets, first, K::TEXEL_BYTES), None)
        }
        (Tap::Linear, true) => {
            let second = Levels::of(fast, chosen.second, layer);
            let second = LinearAddresses::linear(fast, at, packet.offsets, second, K::TEXEL_BYTES);
            K::linear(
                fast,
                LinearAddresses::linear(fast, at, packet.offsets, first, K::TEXEL_BYTES),
                Some((second, chosen.fraction)),
            )
        }
    };
    for (row, words) in results.chunks_exact_mut(results.len() / 4).zip(&words) {
        let row: &mut Lanes<u32> = row[packet.first_lane..].first_chunk_mut().expect("as for operands");
        if packet.taking_part == 0xff {
            *row = *words;
            continue;
        }
        for lane in 0..LANES {
            if packet.taking_part >> lane & 1 == 1 {
                row[lane] = words[lane];
            }
        }
    }
    true
}

/// An instruction set that the processor has.
#[derive(Clone, Copy, Debug)]
pub(super) struct Isa {
    has_avx2: bool,
}

impl Isa {
    /// Those that the processor has, best first.
    pub fn present() -> impl Iterator<Item = Self> {
        let has_avx2 = is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma");
        let avx2 = has_avx2.then_some(Self { has_avx2 });
        let sse42 = is_x86_feature_detected!("sse4.2").then_some(Self { has_avx2: false });
        avx2.into_iter().chain(sse42)
    }

    /// The code for a format.
    fn run_for(self, format: Format) -> Option<Run> {
        Some(match format {
            Format::R8G8B8A8_UNORM | Format::B8G8R8A8_UNORM => self.run::<Codes>(),
            Format::R8G8B8A8_UNORM_SRGB | Format::B8G8R8A8_UNORM_SRGB => self.run::<Numbers<Curve>>(),
            Format::R16G16B16A16_FLOAT => self.run::<Numbers<Halves>>(),
            Format::R32_FLOAT => self.run::<Numbers<Floats<1>>>(),
            Format::R32G32B32A32_FLOAT => self.run::<Numbers<Floats<4>>>(),
            _ => return None,
        })
    }

    fn run<K: Kind>(self) -> Run {
        Run(if self.has_avx2 { with_avx2::<K> } else { with_sse42::<K> })
    }
}

#[target_feature(enable = "avx2,fma")]
fn with_avx2<K: Kind>(fast: &Fast, asked: &Packet<'_>, results: &mut [u32]) -> bool {
    packet::<K, Avx2>(fast, asked, results)
}

#[target_feature(enable = "sse4.2")]
fn with_sse42<K: Kind>(fast: &Fast, asked: &Packet<'_>, results: &mut [u32]) -> bool {
    packet::<K, Sse42>(fast, asked, results)
}
