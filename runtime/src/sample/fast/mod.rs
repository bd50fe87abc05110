//! Short cuts for what is asked most: 2D textures of common formats, nearest or linear, eight lanes at once.
//!
//! What they give is bit for bit what `lane.rs` gives, which takes whatever they refuse. They are written for arrays of
//! lanes, in plain code that the compiler makes vectors of: the same source once for every processor and once for those
//! with AVX2. Nothing in it rounds differently from one to the other.
//!
//! | file | what it has |
//! |---|---|
//! | `place.rs` | from coordinates to bytes |
//! | `codes.rs` | texels of four 8-bit codes: whole numbers |
//! | `numbers.rs` | texels of floats: doubles |
//!
//! The only unsafe code reads texels and calls the code for AVX2. Texels are read through raw pointers, since other
//! threads may write them.

#![allow(unsafe_code)]

mod codes;
mod numbers;
mod place;

use std::fmt;

use brolga_ir::float;
use brolga_ir::sampling::{Offsets, Row, SampleKind, Sampling};
use smallvec::SmallVec;

use super::level::{Levels, select};
use super::texel::Texels;
use crate::format::{Encoding, Format};
use crate::resource::{AddressMode, Memory, Reduction, Sampler, Tap};
use codes::Codes;
use numbers::{Curve, Floats, Halves, Numbers};
use place::Places;

/// How many lanes go together.
pub(super) const LANES: usize = 8;
pub(super) type Lanes<T> = [T; LANES];

/// A value for each lane.
#[inline(always)]
fn lanes<T: Copy + Default>(value: impl Fn(usize) -> T) -> Lanes<T> {
    let mut values = [T::default(); LANES];
    for (lane, place) in values.iter_mut().enumerate() {
        *place = value(lane);
    }
    values
}

/// A mip level, all bytes of which are inside the memory in every layer.
#[derive(Clone, Copy, Debug)]
struct Extent {
    width: i32,
    height: i32,
    /// Of the view's first layer, counted in the memory.
    offset_bytes: u32,
    row_bytes: u32,
}

/// A texture and a sampler that short cuts are for.
#[derive(Clone, Debug)]
pub(super) struct Fast<'a> {
    /// At least one; every texel of each, in each layer, is inside the memory.
    levels: SmallVec<[Extent; 16]>,
    memory: &'a Memory,
    texel_bytes: u32,
    /// Layers that there are, and bytes from one to the next.
    layers: u32,
    layer_bytes: u32,
    is_array: bool,
    sampler: Sampler,
    /// Whether the level of detail matters at all.
    needs_level: bool,
    least_level: f32,
    /// Bytes of a texel of the border's colour; none where there is no border.
    border: Option<[u32; 4]>,
    swaps_red_and_blue: bool,
    /// By code, the number on the curve; empty for other formats.
    curve: Curve,
    run: Run,
}

/// Samples a packet of lanes, or refuses.
///
/// # Safety
///
/// The processor has what the function was compiled for.
#[derive(Clone, Copy)]
struct Run(unsafe fn(&Fast<'_>, &Packet<'_>, &mut Words) -> bool);

impl fmt::Debug for Run {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Run")
    }
}

type Words = [Lanes<u32>; 4];

/// What eight lanes ask.
#[derive(Debug)]
struct Packet<'a> {
    /// Bits of the lanes that take part.
    taking_part: u32,
    at: [&'a Lanes<u32>; 2],
    /// The coordinate of the layer.
    layer: Option<&'a Lanes<u32>>,
    /// The level of detail with all that is added to it, but without bounds.
    level: &'a Lanes<f32>,
}

/// What texels are made of.
trait Kind {
    /// Texels taken alone.
    fn nearest(fast: &Fast<'_>, places: &Lanes<Place>) -> Words;

    /// Linear filters of one level or of two, with weights of the second one in 256ths.
    fn linear(fast: &Fast<'_>, first: &Places, second: Option<(&Places, &Lanes<u32>)>) -> Words;
}

/// Where a texel begins in the memory, and whether the border is to be taken instead. A texel is there in any case.
#[derive(Clone, Copy, Debug, Default)]
struct Place {
    offset_bytes: u32,
    is_border: bool,
}

impl<'a> Fast<'a> {
    /// Short cuts for a texture and a sampler, if there are any.
    pub fn new(texels: &Texels<'a>, sampler: &Sampler) -> Option<Self> {
        let surface = texels.surface();
        let format = surface.format;
        let run = run_for(format)?;
        let is_flat = surface.dimension.sample_axes() == 2 && surface.samples == 1;
        let sums = matches!(sampler.filter.reduction, Reduction::Weighted | Reduction::Comparison);
        let last = surface.levels.len().checked_sub(1)?;
        if !is_flat || !sums || surface.min_level > last as f32 {
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
                width: width as i32,
                height: height as i32,
                offset_bytes: level.offset_bytes as u32,
                row_bytes: level.row_bytes as u32,
            });
        }
        let border = match sampler.address[..2].contains(&AddressMode::Border) {
            true => Some(texels.border_texel()?),
            false => None,
        };
        let filter = sampler.filter;
        Some(Self {
            needs_level: levels.len() > 1 || filter.minify != filter.magnify,
            levels,
            memory: surface.memory,
            texel_bytes,
            layers,
            layer_bytes: surface.layer_bytes as u32,
            is_array: surface.dimension.is_array(),
            sampler: *sampler,
            least_level: surface.min_level,
            border,
            swaps_red_and_blue: format.fields()[0].is_some_and(|red| red.shift == 16 && red.bits == 8),
            curve: Curve::of(format),
            run,
        })
    }

    /// Whether an instruction may be asked of [`sample`](Self::sample).
    pub fn takes(&self, sampling: Sampling) -> bool {
        sampling.kind == SampleKind::Filter && sampling.offsets == Offsets::Fixed([0; 3]) && !sampling.has_clamp
    }

    /// Samples at `coordinates`, the layer last, at levels of detail to which all biases are added. False if nothing was
    /// done.
    pub fn sample(&self, lanes: u32, coordinates: &[Row], levels: &[f32; 16], results: &mut [Row; 4]) -> bool {
        let [u, v, layer @ ..] = coordinates else { return false };
        let mut words = [[[0; LANES]; 4]; 2];
        for (part, words) in words.iter_mut().enumerate() {
            let packet = Packet {
                taking_part: lanes >> (part * LANES) & 0xff,
                at: [half_of(u, part), half_of(v, part)],
                layer: layer.first().map(|layer| half_of(layer, part)),
                level: half_of(levels, part),
            };
            // SAFETY: `run_for` chose what the processor has.
            if packet.taking_part != 0 && !unsafe { (self.run.0)(self, &packet, words) } {
                return false;
            }
        }
        for (part, words) in words.iter().enumerate() {
            let taking_part = lanes >> (part * LANES) & 0xff;
            for (row, words) in results.iter_mut().zip(words) {
                let row = &mut row[part * LANES..][..LANES];
                match taking_part {
                    0 => {}
                    0xff => row.copy_from_slice(words),
                    _ => {
                        (0..LANES).filter(|lane| taking_part >> lane & 1 == 1).for_each(|lane| row[lane] = words[lane])
                    }
                }
            }
        }
        true
    }

    /// Bytes of a texel.
    #[inline(always)]
    fn read<T: Texel>(&self, place: Place) -> T {
        debug_assert!(u64::from(place.offset_bytes) + size_of::<T>() as u64 <= self.memory.size_bytes());
        // SAFETY: a place is one of a texel inside a level and a layer (`Places`), of which `new` made sure that it is
        // inside the memory; and `T` is as large as a texel. Any bytes are a `T`.
        let texel = unsafe { self.memory.base().add(place.offset_bytes as usize).cast::<T>().read_unaligned() };
        match (&self.border, place.is_border) {
            (Some(border), true) => T::of(border),
            _ => texel,
        }
    }
}

/// Something that any bytes are.
trait Texel: Copy {
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

/// Eight of sixteen lanes.
fn half_of<T>(row: &[T; 16], part: usize) -> &Lanes<T> {
    row[part * LANES..].first_chunk().expect("two halves")
}

/// Samples a packet.
#[inline(always)]
fn packet<K: Kind>(fast: &Fast<'_>, packet: &Packet<'_>, words: &mut Words) -> bool {
    let filter = fast.sampler.filter;
    let takes_part = |lane: usize| packet.taking_part >> lane & 1 == 1;
    let at = packet.at.map(|row| lanes(|lane| f32::from_bits(row[lane])));
    let layer_offset = match packet.layer {
        Some(row) if fast.is_array => {
            lanes(|lane| super::coordinate::layer(f32::from_bits(row[lane]), fast.layers) * fast.layer_bytes)
        }
        _ => [0; LANES],
    };
    let mut chosen = Levels { clamped: 0.0, magnifies: true, first: 0, second: 0, fraction: 0 };
    let mut first = [0; LANES];
    let mut second = [0; LANES];
    let mut fraction = [0; LANES];
    if fast.needs_level {
        let mut magnifies = 0;
        for lane in (0..LANES).filter(|&lane| takes_part(lane)) {
            let level = select(packet.level[lane], &fast.sampler, filter.mip, fast.least_level, fast.levels.len());
            let Some(level) = level else { return false };
            (first[lane], second[lane], fraction[lane]) = (level.first, level.second, level.fraction);
            magnifies |= u32::from(level.magnifies) << lane;
            chosen = level;
        }
        let mixed = magnifies != 0 && magnifies != packet.taking_part;
        if mixed && filter.minify != filter.magnify {
            return false;
        }
    }
    let tap = if chosen.magnifies { filter.magnify } else { filter.minify };
    let has_second = fraction != [0; LANES];
    match tap {
        Tap::Point if has_second => return false,
        Tap::Point => *words = K::nearest(fast, &Places::nearest(fast, &at, &first, &layer_offset)),
        Tap::Linear => {
            let one = Places::linear(fast, &at, &first, &layer_offset);
            *words = match has_second {
                true => {
                    let other = Places::linear(fast, &at, &second, &layer_offset);
                    K::linear(fast, &one, Some((&other, &fraction)))
                }
                false => K::linear(fast, &one, None),
            };
        }
    }
    true
}

/// The code for a format on this processor.
fn run_for(format: Format) -> Option<Run> {
    Some(match (format, format.encoding()) {
        (Format::R8G8B8A8_UNORM | Format::B8G8R8A8_UNORM, _) => run::<Codes>(),
        (Format::R8G8B8A8_UNORM_SRGB | Format::B8G8R8A8_UNORM_SRGB, Encoding::Srgb) => run::<Numbers<Curve>>(),
        (Format::R16G16B16A16_FLOAT, _) => run::<Numbers<Halves>>(),
        (Format::R32_FLOAT, _) => run::<Numbers<Floats<1>>>(),
        (Format::R32G32B32A32_FLOAT, _) => run::<Numbers<Floats<4>>>(),
        _ => return None,
    })
}

fn run<K: Kind>() -> Run {
    #[cfg(target_arch = "x86_64")]
    {
        if std::arch::is_x86_feature_detected!("avx2") {
            return Run(x86::with_avx2::<K>);
        }
        if std::arch::is_x86_feature_detected!("sse4.2") {
            return Run(x86::with_sse42::<K>);
        }
    }
    Run(packet::<K>)
}

/// The same code for processors that have more than the least.
#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::{Fast, Kind, Packet, Words, packet};

    #[target_feature(enable = "avx2")]
    pub fn with_avx2<K: Kind>(fast: &Fast<'_>, asked: &Packet<'_>, words: &mut Words) -> bool {
        packet::<K>(fast, asked, words)
    }

    #[target_feature(enable = "sse4.2")]
    pub fn with_sse42<K: Kind>(fast: &Fast<'_>, asked: &Packet<'_>, words: &mut Words) -> bool {
        packet::<K>(fast, asked, words)
    }
}

/// The level of detail of each lane from an operand.
pub(super) fn given_levels(row: &Row, bias: f32) -> [f32; 16] {
    row.map(|word| float::flush(f32::from_bits(word)) + bias)
}
