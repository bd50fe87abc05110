//! Samples a vector of lanes at once, for every format and shape.
//!
//! The results are bit for bit those of `lane.rs`, which handles the lanes that these paths leave. They are for x86-64,
//! the same source compiled for several instruction sets.
//!
//! | file | contents |
//! |---|---|
//! | `vector/` | vectors of lanes, for each instruction set |
//! | `isa.rs` | functions for each instruction set, by the kind of texture and texel |
//! | `texture.rs` | precomputed properties of a texture and a sampler |
//! | `packet.rs` | a vector of lanes, from operands to results: by the shape of the texture |
//! | `filter.rs` | from selected texels to results: by the kind of texel |
//! | `each.rs` | gathers, and filters for the minimum or maximum: texels one by one |
//! | `kind/` | kinds of texels |
//! | `level.rs` | mip levels |
//! | `line.rs` | lines of anisotropic filters |
//! | `address.rs` | from coordinates to byte offsets |
//! | `cube.rs` | the same for cubes |
//! | `source.rs` | texels in memory, in copies and in compressed blocks |
//!
//! The unsafe code reads texels, rows and lanes in memory, writes results, and calls functions for particular
//! instruction sets. Texels are read through raw pointers, since other threads may write them.

#![allow(unsafe_code)]

mod address;
mod cube;
mod each;
mod filter;
mod isa;
mod kind;
mod level;
mod line;
mod packet;
mod source;
mod texture;
mod vector;

use std::slice;

use brolga_fenv::{FloatGuard, FloatMode};
use brolga_ir::interface::Dimension;
use brolga_ir::sampling::{LevelSource, MOST_SAMPLE_ARGS, Offsets, Rows, SampleArg, SampleEntry, SampleKind, Sampling};
use brolga_resource::ExpandedCopy;

pub use isa::Isa;
pub(crate) use texture::Fast;
pub use texture::Slow;

use crate::Prepared;
use isa::SampleRoutine;
use source::TexelSource;

/// A sample instruction, as far as the fast paths support it.
#[derive(Clone, Copy, Debug)]
struct SampleSpec {
    level: LevelSource,
    compares: bool,
    /// The component that a gather takes.
    gathers: Option<usize>,
    /// Offsets that all lanes share.
    offsets: [i8; 3],
    rows: OperandRows,
}

/// The first row of each operand; 0, the row of the coordinates, stands for none.
#[derive(Clone, Copy, Debug, Default)]
struct OperandRows {
    layer: u8,
    offsets: u8,
    reference: u8,
    level: u8,
    along_x: u8,
    along_y: u8,
    bias: u8,
    clamp: u8,
}

impl OperandRows {
    fn of(sampling: Sampling, dimension: Dimension) -> Self {
        let mut rows = Self::default();
        let mut next = 0;
        for (arg, count) in sampling.args(dimension) {
            match arg {
                SampleArg::Coordinates if dimension.is_array() => rows.layer = next + count as u8 - 1,
                SampleArg::Coordinates => {}
                SampleArg::Offsets => rows.offsets = next,
                SampleArg::Reference => rows.reference = next,
                SampleArg::Level => rows.level = next,
                SampleArg::AlongX => rows.along_x = next,
                SampleArg::AlongY => rows.along_y = next,
                SampleArg::Bias => rows.bias = next,
                SampleArg::Clamp => rows.clamp = next,
            }
            next += count as u8;
        }
        rows
    }
}

impl Prepared {
    /// Adds the fast paths of an instruction set.
    pub fn with_fast_paths(self, isa: Isa) -> Self {
        Self { fast: Fast::new(&self.texels, &self.sampler, isa), ..self }
    }

    /// Takes a fast path that gives the same bits in every float mode, for the lanes that have one, and returns the
    /// others: the treatment of denormals does not matter for texels of fewer than 32 bits, whose interpolated values
    /// are never that small, nor for comparisons.
    #[inline(always)]
    pub(super) fn sample_in_any_mode(
        &self,
        sampling: Sampling,
        copy: Option<&ExpandedCopy>,
        lanes: u64,
        args: Rows<'_>,
        results: &mut [u32],
    ) -> u64 {
        match &self.fast {
            Ok(fast) if fast.is_mode_free(sampling.kind) => {
                TexelSource::new(fast, copy).sample(sampling, lanes, args, results)
            }
            _ => lanes,
        }
    }

    /// Takes a fast path, in the float mode of shaders, for the lanes that have one, and returns the others.
    #[inline(always)]
    pub fn sample_fast(
        &self,
        sampling: Sampling,
        copy: Option<&ExpandedCopy>,
        lanes: u64,
        args: Rows<'_>,
        results: &mut [u32],
    ) -> u64 {
        match &self.fast {
            Ok(fast) => TexelSource::new(fast, copy).sample(sampling, lanes, args, results),
            Err(_) => lanes,
        }
    }

    /// The reason why a kind of sample goes lane by lane, if it does.
    pub fn slow(&self, sampling: Sampling) -> Option<Slow> {
        self.fast.as_ref().map_or_else(|slow| Some(*slow), |fast| fast.plan(sampling).err())
    }

    /// Returns the entry that compiled code may call for a kind of sample, in its float mode. `copy` is one of this
    /// [`expansion`](Self::expansion).
    pub fn site(&self, sampling: Sampling, copy: Option<&ExpandedCopy>) -> Option<Site> {
        let fast = self.fast.as_ref().ok()?;
        let (run, form) = fast.plan(sampling).ok()?;
        let is_mode_free = fast.is_mode_free(sampling.kind);
        let copy = TexelSource::new(fast, copy).copy.map_or(std::ptr::null(), std::ptr::from_ref);
        Some(Site { fast, copy, run, form, args: sampling.arg_count(fast.dimension), is_mode_free })
    }
}

/// A kind of sample of one texture with one sampler, for compiled code.
#[derive(Clone, Copy, Debug)]
pub struct Site {
    fast: *const Fast,
    /// Null if there is no copy.
    copy: *const ExpandedCopy,
    run: SampleRoutine,
    form: SampleSpec,
    args: usize,
    /// True if it may run in any float mode of compiled code.
    is_mode_free: bool,
}

impl Site {
    /// The entry for compiled code, valid while this site, its texture and its copy stay at their addresses.
    pub fn entry(&self) -> SampleEntry {
        let run = if self.is_mode_free { sample_site } else { sample_site_in_flush_mode };
        SampleEntry { run, prepared: std::ptr::from_ref(self).cast() }
    }
}

/// Samples for compiled code.
///
/// # Safety
///
/// The contract of [`SampleFn`](brolga_ir::sampling::SampleFn), with the pointer of [`Site::entry`].
unsafe extern "C" fn sample_site(rows: *mut u32, row_lanes: usize, site: *const (), lanes: u64) -> u64 {
    // SAFETY: the caller names a site that is alive, and so are its texture and its copy.
    let (site, source) = unsafe {
        let site = &*site.cast::<Site>();
        (site, TexelSource { fast: &*site.fast, copy: site.copy.as_ref() })
    };
    assert!(site.args <= MOST_SAMPLE_ARGS, "no instruction has more operands");
    // SAFETY: the rows are the caller's own, operands and results apart.
    let (args, results) = unsafe {
        let args = slice::from_raw_parts(rows, site.args * row_lanes);
        (args, slice::from_raw_parts_mut(rows.add(MOST_SAMPLE_ARGS * row_lanes), 4 * row_lanes))
    };
    source.sample_packet(site.run, &site.form, lanes, (Rows::new(args, row_lanes), site.args), results)
}

/// Samples for compiled code with doubles, which does not run in the float mode of shaders.
///
/// # Safety
///
/// As above.
unsafe extern "C" fn sample_site_in_flush_mode(rows: *mut u32, row_lanes: usize, site: *const (), lanes: u64) -> u64 {
    let _mode = FloatGuard::new(FloatMode::Flush);
    // SAFETY: the caller promises the same.
    unsafe { sample_site(rows, row_lanes, site, lanes) }
}

impl Fast {
    fn is_mode_free(&self, kind: SampleKind) -> bool {
        self.is_mode_free
            || kind == SampleKind::Compare
            || kind == SampleKind::GatherCompare
            || kind == SampleKind::Level
    }

    /// Selects the code for a kind of sample, or the reason why there is none.
    #[inline(always)]
    fn plan(&self, sampling: Sampling) -> Result<(SampleRoutine, SampleSpec), Slow> {
        let Sampling { kind, level, has_clamp, .. } = sampling;
        let (runs, gathers) = match kind {
            SampleKind::Filter => (self.filters, None),
            SampleKind::Compare => (self.compares.ok_or(Slow::Comparison)?, None),
            SampleKind::Level => (self.queries, None),
            SampleKind::Gather { component } => (self.filters, Some(component.into())),
            SampleKind::GatherCompare => (self.compares.ok_or(Slow::Comparison)?, Some(0)),
        };
        if gathers.is_some() && self.axes > 2 {
            return Err(Slow::Gather);
        }
        // Gathers read the first level.
        if gathers.is_some() && self.least_level >= 1.0 {
            return Err(Slow::Level);
        }
        let run = match level == LevelSource::Derivatives && self.sampler.filter.anisotropic {
            true => runs.of_lines,
            false if self.needs_level && gathers.is_none() || has_clamp => runs.of_levels,
            false => runs.of_first_level,
        };
        let compares = matches!(kind, SampleKind::Compare | SampleKind::GatherCompare);
        let offsets = match sampling.offsets {
            Offsets::Fixed(fixed) => fixed,
            Offsets::Computed => [0; 3],
        };
        let rows = OperandRows::of(sampling, self.dimension);
        Ok((run, SampleSpec { level, compares, gathers, offsets, rows }))
    }
}

impl TexelSource<'_> {
    /// Samples for some lanes, and returns the lanes that it leaves.
    #[inline(always)]
    fn sample(&self, sampling: Sampling, lanes: u64, args: Rows<'_>, results: &mut [u32]) -> u64 {
        match self.plan(sampling) {
            Ok((run, form)) => {
                let rows = sampling.arg_count(self.dimension);
                self.sample_packet(run, &form, lanes, (args, rows), results)
            }
            Err(_) => lanes,
        }
    }

    /// Samples for some lanes of a packet: as many rows of operands as the form has, and four for the results.
    #[inline(always)]
    fn sample_packet(
        &self,
        run: SampleRoutine,
        form: &SampleSpec,
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
                // SAFETY: the processor has its instruction set; there are `rows` rows of operands and four of results,
                // and they are as long as whole vectors.
                let others = unsafe {
                    vector.run(*self, form, operands.add(first_lane), results.add(first_lane), row_lanes, taking_part)
                };
                left |= u64::from(others) << first_lane;
            }
            first_lane += vector.lanes;
        }
        left
    }
}
