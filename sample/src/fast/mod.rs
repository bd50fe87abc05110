//! Fast paths for the common cases: 2D textures and cubes of common formats, nearest or linear, a vector of lanes at once.
//!
//! Their results are bit for bit those of `lane.rs`, which handles whatever they refuse. They are for x86-64, the same
//! source compiled for several instruction sets.
//!
//! | file | what it has |
//! |---|---|
//! | `vector/` | lanes, with each instruction set |
//! | `isa.rs` | functions for each instruction set, by what they sample |
//! | `packet.rs` | a vector of lanes, from operands to results: by the shape of what is sampled |
//! | `filter.rs` | from the texels chosen to results: by the kind of texel |
//! | `level.rs` | mip levels |
//! | `line.rs` | lines of anisotropic filters |
//! | `address.rs` | from coordinates to bytes |
//! | `cube.rs` | the same for cubes |
//! | `codes.rs` | texels of four 8-bit codes: integers |
//! | `numbers.rs` | texels of floats |
//! | `compare.rs` | comparisons with depths |
//!
//! The unsafe code reads texels, rows and lanes in memory, writes results, and calls functions for particular instruction sets. Texels are read through raw
//! pointers, since other threads may write them.

#![allow(unsafe_code)]

mod address;
mod codes;
mod compare;
mod cube;
mod filter;
mod isa;
mod level;
mod line;
mod numbers;
mod packet;
mod vector;

use std::slice;
use std::sync::Arc;

use brolga_fenv::{FloatGuard, FloatMode};
use brolga_ir::interface::Dimension;
use brolga_ir::sampling::{LevelSource, MOST_SAMPLE_ARGS, Offsets, Rows, SampleEntry, SampleKind, Sampling};
use brolga_resource::format::Format;
use brolga_resource::{AddressMode, ExpandedCopy, Memory, Reduction, Sampler};
use smallvec::SmallVec;

pub use isa::Isa;

use crate::Prepared;
use crate::texel::Texels;
use address::{LinearAddresses, Mode, TexelAddress};
use isa::{Run, Runs};
use vector::{Array, Lanes, Vector, lane_in_memory};

/// A mip level, all bytes of which are inside the memory in every layer.
#[derive(Clone, Copy, Debug)]
struct Extent {
    width: u32,
    height: u32,
    /// Both in 256ths of a texel.
    scale: [f32; 2],
    /// Offset in the memory of the view's first layer.
    offset_bytes: u32,
    row_bytes: u32,
}

/// A texture and a sampler that the fast paths handle.
#[derive(Clone, Debug)]
pub(crate) struct Fast {
    /// At least one; every texel of each, in each layer, is inside the memory.
    levels: SmallVec<[Extent; 16]>,
    /// The first of them.
    first: Extent,
    memory: Arc<Memory>,
    /// Number of layers, and the layer pitch in bytes.
    layers: u32,
    layer_bytes: u32,
    /// A texel's bytes, as a power of two.
    texel_shift: u32,
    dimension: Dimension,
    sampler: Sampler,
    /// How it addresses u and v.
    modes: [Mode; 2],
    /// Whether the level of detail matters at all.
    needs_level: bool,
    least_level: f32,
    /// Whether offsets lead at most one period further.
    takes_offsets: bool,
    /// A texel of the border's colour, in bytes; none where there is no border.
    border: Option<[u32; 4]>,
    swaps_red_and_blue: bool,
    /// Whether denormals cannot affect filters.
    is_mode_free: bool,
    filters: Option<Runs>,
    compares: Option<Runs>,
    queries: Runs,
}

/// A sample instruction, as far as fast paths can do it.
#[derive(Clone, Copy, Debug)]
struct Form {
    level: LevelSource,
    has_bias: bool,
    has_clamp: bool,
    compares: bool,
    /// Along u and v, as words: bytes would be read as a word before they are written to memory.
    offsets: [u32; 2],
}

/// The results of a vector's lanes, and those that a filter leaves.
#[derive(Clone, Copy)]
struct Filtered<V> {
    words: [V; 4],
    left: u32,
}

/// How texels of a kind of format are filtered, or compared with a reference.
trait Kind {
    /// Whether linear filters know the texels beyond a cube's corner; lanes with such ones are left otherwise.
    const HAS_CORNERS: bool = false;

    /// Texels taken alone.
    fn nearest<V: Vector>(fast: &Fast, address: &TexelAddress<V>, reference: V) -> [V; 4];

    /// Linear filters of one level or of two, with weights of the second one in 256ths.
    fn linear<V: Vector>(
        fast: &Fast,
        first: &LinearAddresses<V>,
        second: Option<(&LinearAddresses<V>, V)>,
        reference: V,
    ) -> Filtered<V>;
}

impl Prepared {
    /// The same with the fast paths of an instruction set.
    pub fn with_fast_paths(self, isa: Isa) -> Self {
        Self { fast: Fast::new(&self.texels, &self.sampler, isa), ..self }
    }

    /// Takes a fast path that gives the same bits in every float mode, for the lanes that have one, and returns the others:
    /// the treatment of denormals does not matter for texels of fewer than 32 bits, whose interpolated values are never that
    /// small, nor for comparisons.
    #[inline(always)]
    pub(super) fn sample_in_any_mode(
        &self,
        sampling: Sampling,
        _copy: Option<&ExpandedCopy>,
        lanes: u64,
        args: Rows<'_>,
        results: &mut [u32],
    ) -> u64 {
        match &self.fast {
            Some(fast) if fast.is_mode_free(sampling.kind) => fast.sample(sampling, lanes, args, results),
            _ => lanes,
        }
    }

    /// Takes a fast path, in the default float mode, for the lanes that have one, and returns the others.
    #[inline(always)]
    pub fn sample_fast(
        &self,
        sampling: Sampling,
        _copy: Option<&ExpandedCopy>,
        lanes: u64,
        args: Rows<'_>,
        results: &mut [u32],
    ) -> u64 {
        match &self.fast {
            Some(fast) => fast.sample(sampling, lanes, args, results),
            None => lanes,
        }
    }

    /// What compiled code may call for a kind of sample, in its float mode. `copy` is one of this [`expansion`](Self::expansion).
    pub fn site(&self, sampling: Sampling, _copy: Option<&ExpandedCopy>) -> Option<Site> {
        let fast = self.fast.as_ref()?;
        let (run, form) = fast.plan(sampling)?;
        let is_mode_free = fast.is_mode_free(sampling.kind);
        Some(Site { fast, run, form, args: sampling.arg_count(fast.dimension), is_mode_free })
    }
}

/// A kind of sample of one texture with one sampler, for compiled code.
#[derive(Clone, Copy, Debug)]
pub struct Site {
    fast: *const Fast,
    run: Run,
    form: Form,
    args: usize,
    /// Whether it may run in the float mode of compiled code.
    is_mode_free: bool,
}

impl Site {
    /// What compiled code calls, while this is in place, and so is what it was made of.
    pub fn entry(&self) -> SampleEntry {
        let run = if self.is_mode_free { sample_site } else { sample_site_in_default_mode };
        SampleEntry { run, prepared: std::ptr::from_ref(self).cast() }
    }
}

/// Samples for compiled code.
///
/// # Safety
///
/// As [`SampleFn`](brolga_ir::sampling::SampleFn) says, with what [`Site::entry`] named.
unsafe extern "C" fn sample_site(rows: *mut u32, row_lanes: usize, site: *const (), lanes: u64) -> u64 {
    // SAFETY: as above; the site's texture is in place.
    let (site, fast) = unsafe {
        let site = &*site.cast::<Site>();
        (site, &*site.fast)
    };
    assert!(site.args <= MOST_SAMPLE_ARGS, "no instruction has more operands");
    // SAFETY: the rows are the caller's own, operands and results apart.
    let (args, results) = unsafe {
        let args = slice::from_raw_parts(rows, site.args * row_lanes);
        (args, slice::from_raw_parts_mut(rows.add(MOST_SAMPLE_ARGS * row_lanes), 4 * row_lanes))
    };
    fast.sample_packet(site.run, &site.form, lanes, (Rows::new(args, row_lanes), site.args), results)
}

/// The same in the default float mode.
///
/// # Safety
///
/// As above.
unsafe extern "C" fn sample_site_in_default_mode(rows: *mut u32, row_lanes: usize, site: *const (), lanes: u64) -> u64 {
    let _mode = FloatGuard::new(FloatMode::Default);
    // SAFETY: as above.
    unsafe { sample_site(rows, row_lanes, site, lanes) }
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
        let dimension = surface.dimension;
        let (filters, compares) =
            (isa.filter_of(format, dimension.is_cube()), isa.comparison_of(format, dimension.is_cube()));
        let is_flat = (dimension.sample_axes() == 2 || dimension.is_cube()) && surface.samples == 1;
        let sums = matches!(sampler.filter.reduction, Reduction::Weighted | Reduction::Comparison);
        let last = surface.levels.len().checked_sub(1)?;
        let is_bounded = !sampler.min_level.is_nan() && !sampler.max_level.is_nan() && surface.min_level <= last as f32;
        let is_known = filters.is_some() || compares.is_some();
        let (layers, texel_bytes) = (surface.layers.max(1), format.size_bytes());
        if !is_known || !is_flat || !sums || !is_bounded || !texel_bytes.is_power_of_two() {
            return None;
        }
        let narrow = |number: u64| i32::try_from(number).ok();
        if dimension.is_cube()
            && (layers % 6 != 0 || surface.levels.iter().any(|level| level.extents[0] != level.extents[1]))
        {
            return None;
        }
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
                scale: [width, height].map(|texels| (texels << 8) as f32),
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
            modes: [0, 1].map(|axis| Mode::of(sampler.address[axis], &levels)),
            levels,
            memory: Arc::clone(&surface.memory),
            layers,
            layer_bytes: surface.layer_bytes as u32,
            texel_shift: texel_bytes.ilog2(),
            dimension,
            sampler: *sampler,
            least_level: surface.min_level,
            border,
            is_mode_free: !matches!(format, Format::R32_FLOAT | Format::R32G32B32A32_FLOAT),
            swaps_red_and_blue: format.fields()[0].is_some_and(|red| red.shift == 16 && red.bits == 8),
            filters,
            compares,
            queries: isa.queries(dimension.is_cube()),
        })
    }

    fn is_mode_free(&self, kind: SampleKind) -> bool {
        self.is_mode_free || kind.compares() || kind == SampleKind::Level
    }

    /// How a kind of sample is taken, if there is a fast path.
    #[inline(always)]
    fn plan(&self, sampling: Sampling) -> Option<(Run, Form)> {
        let runs = match sampling.kind {
            SampleKind::Filter => self.filters,
            SampleKind::Compare => self.compares,
            SampleKind::Level => Some(self.queries),
            SampleKind::Gather { .. } | SampleKind::GatherCompare => None,
        }?;
        let Offsets::Fixed([u, v, _]) = sampling.offsets else { return None };
        let offsets = if self.dimension.is_cube() { [0; 2] } else { [u, v].map(|offset| i32::from(offset) as u32) };
        if offsets != [0; 2] && !self.takes_offsets {
            return None;
        }
        let Sampling { level, has_bias, has_clamp, .. } = sampling;
        let run = match level == LevelSource::Derivatives && self.sampler.filter.anisotropic {
            true => runs.of_lines,
            false if self.needs_level || has_clamp => runs.of_levels,
            false => runs.of_first_level,
        };
        Some((run, Form { level, has_bias, has_clamp, compares: sampling.kind.compares(), offsets }))
    }

    /// Samples for some lanes, and returns those that it leaves.
    #[inline(always)]
    fn sample(&self, sampling: Sampling, lanes: u64, args: Rows<'_>, results: &mut [u32]) -> u64 {
        match self.plan(sampling) {
            Some((run, form)) => {
                let rows = sampling.arg_count(self.dimension);
                self.sample_packet(run, &form, lanes, (args, rows), results)
            }
            None => lanes,
        }
    }

    /// Samples for some lanes of a packet: as many rows of operands as the form has, and four for the results.
    #[inline(always)]
    fn sample_packet(
        &self,
        run: Run,
        form: &Form,
        lanes: u64,
        (args, rows): (Rows<'_>, usize),
        results: &mut [u32],
    ) -> u64 {
        let row_lanes = results.len() / 4;
        assert!(row_lanes.is_multiple_of(8) && args.words().len() >= rows * row_lanes, "rows are whole vectors");
        let (operands, results) = (args.words().as_ptr(), results.as_mut_ptr());
        let (mut first_lane, mut left) = (0, 0);
        while first_lane < row_lanes {
            let vector = run.next(row_lanes - first_lane);
            let taking_part = (lanes >> first_lane) as u32 & ((1 << vector.lanes) - 1);
            if taking_part != 0 {
                // SAFETY: it is for an instruction set that the processor has; there are as many rows as `rows` and four say, and they
                // are as long as whole vectors.
                let others = unsafe {
                    vector.run(self, form, operands.add(first_lane), results.add(first_lane), row_lanes, taking_part)
                };
                left |= u64::from(others) << first_lane;
            }
            first_lane += vector.lanes;
        }
        left
    }

    /// The texel that begins at a byte that comes from [`Levels`].
    #[inline(always)]
    fn read<T: Texel>(&self, offset_bytes: u32) -> T {
        debug_assert!(u64::from(offset_bytes) + size_of::<T>() as u64 <= self.memory.size_bytes());
        debug_assert_eq!(size_of::<T>(), 1 << self.texel_shift);
        // SAFETY: the byte begins a texel inside a level and a layer (`Levels`), which `new` checked to be inside the
        // memory; and `T` is as large as a texel of the formats for which `isa.rs` chooses its kind. Any bytes are a valid `T`.
        unsafe { self.memory.base().add(offset_bytes as usize).cast::<T>().read_unaligned() }
    }

    /// The texel of each lane, likewise.
    #[inline(always)]
    fn read_each<T: Texel, V: Vector>(&self, offset_bytes: &V) -> Lanes<V, T> {
        let mut texels = Lanes::<V, T>::splat(T::default());
        for lane in 0..V::LANES {
            texels[lane] = self.read(lane_in_memory(offset_bytes, lane));
        }
        texels
    }

    /// Two adjacent texels of 4 bytes: the second one comes from [`Levels`], too.
    #[inline(always)]
    fn read_two(&self, offset_bytes: u32) -> u64 {
        debug_assert!(u64::from(offset_bytes) + 8 <= self.memory.size_bytes() && self.texel_shift == 2);
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

impl Texel for u16 {
    fn of(words: &[u32; 4]) -> Self {
        words[0] as u16
    }
}

impl Texel for u64 {
    fn of(words: &[u32; 4]) -> Self {
        u64::from(words[1]) << 32 | u64::from(words[0])
    }
}

impl Texel for [u32; 4] {
    fn of(words: &[u32; 4]) -> Self {
        *words
    }
}
