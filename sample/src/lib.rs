//! Executes the sample instructions: reads a texture through a sampler.
//!
//! Functional specification 7.18 and 22.4. A [`Prepared`] is made once for a texture and a sampler, and used once per
//! packet. The result of a lane depends on its operands and the texels alone: not on other lanes, the width of the
//! packet or the processor. Denormals are flushed to 0, in operands and in what filters compute, as in all of a
//! shader's arithmetic; a single texel that is not filtered keeps its bits.
//!
//! | file | contents |
//! |---|---|
//! | `coordinate.rs` | range reduction, fixed point, address modes |
//! | `cube.rs` | faces of cubes and their seams |
//! | `level.rs` | the level of detail and the mip levels |
//! | `anisotropic.rs` | samples along a line |
//! | `texel.rs` | texels of the surface, the border colour |
//! | `filter.rs` | weighted sums, minima, maxima and comparisons of texels |
//! | `interpolate.rs` | linear filters in floats |
//! | `lane.rs` | one lane, from operands to result: every feature |
//! | `fast/` | vectorised paths to the same result |
//!
//! Choices where Direct3D leaves something open:
//!
//! * Filters other than point filters are not defined for integer formats, which get a point filter.
//! * A computed NaN is 0x7fc00000.
//! * Comparison instructions compare whatever the sampler's filter says; others never do.

#![deny(unsafe_code)]

mod anisotropic;
mod coordinate;
pub mod cube;
#[cfg(target_arch = "x86_64")]
mod fast;
mod filter;
mod interpolate;
mod lane;
mod level;
mod texel;

use brolga_fenv::{FloatGuard, FloatMode};
use brolga_ir::sampling::{Rows, SampleArg, Sampling};
use brolga_resource::{ExpandedCopy, Expansion, Sampler, Surface, Tap};

use lane::Lane;
use texel::SurfaceTexels;

#[cfg(target_arch = "x86_64")]
pub use fast::{Isa, Site, Slow};

/// The most samples along a line; Direct3D allows no more.
const MOST_ANISOTROPY: u32 = 16;

/// Fast paths for compiled code: none on this architecture.
#[cfg(not(target_arch = "x86_64"))]
#[derive(Clone, Copy, Debug)]
pub enum Site {}

#[cfg(not(target_arch = "x86_64"))]
impl Site {
    /// Returns the function that compiled code calls.
    pub fn entry(&self) -> brolga_ir::sampling::SampleEntry {
        match *self {}
    }
}

#[cfg(not(target_arch = "x86_64"))]
impl Prepared {
    /// Returns the entry that compiled code may call for a kind of sample: none.
    pub fn site(&self, _: Sampling, _: Option<&ExpandedCopy>) -> Option<Site> {
        None
    }
}

/// A texture and a sampler, ready to be sampled.
#[derive(Clone, Debug)]
pub struct Prepared {
    texels: SurfaceTexels,
    /// The effective sampler: the filters that the format allows, and the anisotropy clamped to a valid range.
    sampler: Sampler,
    #[cfg(target_arch = "x86_64")]
    fast: Result<fast::Fast, Slow>,
}

impl Prepared {
    /// Precomputes everything that depends on the texture and the sampler alone.
    pub fn new(surface: &Surface, sampler: &Sampler) -> Self {
        let general = Self::general(surface, sampler);
        #[cfg(target_arch = "x86_64")]
        if let Some(best) = Isa::present().next() {
            return general.with_fast_paths(best);
        }
        general
    }

    /// Precomputes the same without fast paths.
    pub fn general(surface: &Surface, sampler: &Sampler) -> Self {
        let mut sampler = *sampler;
        let filter = &mut sampler.filter;
        if filter.anisotropic {
            [filter.minify, filter.magnify, filter.mip] = [Tap::Linear; 3];
        }
        if surface.format.encoding().is_integer() {
            [filter.minify, filter.magnify, filter.mip] = [Tap::Point; 3];
            filter.anisotropic = false;
        }
        sampler.max_anisotropy = sampler.max_anisotropy.clamp(1, MOST_ANISOTROPY);
        let texels = SurfaceTexels::new(surface, sampler.border);
        Self {
            texels,
            sampler,
            #[cfg(target_arch = "x86_64")]
            fast: Err(Slow::Processor),
        }
    }

    /// The expansion of the texture, whose copy makes samples faster.
    pub fn expansion(&self) -> Option<&Expansion> {
        self.texels.surface().expansion.as_ref()
    }

    /// Samples for the lanes whose bits are set in `lanes`. `args` are in the order of [`Sampling::args`]; `copy` is
    /// one of this [`expansion`](Self::expansion).
    #[inline(always)]
    pub fn sample(
        &self,
        sampling: Sampling,
        copy: Option<&ExpandedCopy>,
        lanes: u64,
        args: Rows<'_>,
        results: &mut [u32],
    ) {
        #[cfg(target_arch = "x86_64")]
        let lanes = self.sample_in_any_mode(sampling, copy, lanes, args, results);
        if lanes != 0 {
            self.sample_in_flush_mode(sampling, copy, lanes, args, results);
        }
    }

    /// Samples in the float mode of shaders, when that is not the current one. Switching takes as long as a few
    /// samples.
    #[inline(never)]
    fn sample_in_flush_mode(
        &self,
        sampling: Sampling,
        copy: Option<&ExpandedCopy>,
        lanes: u64,
        args: Rows<'_>,
        results: &mut [u32],
    ) {
        let _mode = FloatGuard::new(FloatMode::Flush);
        #[cfg(target_arch = "x86_64")]
        let lanes = self.sample_fast(sampling, copy, lanes, args, results);
        if lanes != 0 {
            self.sample_lanes(sampling, lanes, args, results);
        }
    }

    /// Samples lane by lane.
    #[inline(never)]
    fn sample_lanes(&self, sampling: Sampling, lanes: u64, args: Rows<'_>, results: &mut [u32]) {
        let operands = SampleOperands::new(self, sampling, args);
        let row_lanes = results.len() / 4;
        for lane in (0..row_lanes).filter(|lane| lanes >> lane & 1 == 1) {
            let words = Lane::new(self, sampling, &operands, lane).result();
            for (row, word) in results.chunks_exact_mut(row_lanes).zip(words) {
                row[lane] = word;
            }
        }
    }
}

/// The rows of operands by meaning; those that an instruction lacks are empty.
#[derive(Debug, Default)]
struct SampleOperands<'a> {
    coordinates: Rows<'a>,
    offsets: Rows<'a>,
    reference: Rows<'a>,
    level: Rows<'a>,
    along_x: Rows<'a>,
    along_y: Rows<'a>,
    bias: Rows<'a>,
    clamp: Rows<'a>,
}

impl<'a> SampleOperands<'a> {
    fn new(prepared: &Prepared, sampling: Sampling, args: Rows<'a>) -> Self {
        let mut operands = Self::default();
        let mut rest = args;
        for (arg, count) in sampling.args(prepared.texels.surface().dimension) {
            let (rows, after) = rest.split_at(count);
            rest = after;
            *match arg {
                SampleArg::Coordinates => &mut operands.coordinates,
                SampleArg::Offsets => &mut operands.offsets,
                SampleArg::Reference => &mut operands.reference,
                SampleArg::Level => &mut operands.level,
                SampleArg::AlongX => &mut operands.along_x,
                SampleArg::AlongY => &mut operands.along_y,
                SampleArg::Bias => &mut operands.bias,
                SampleArg::Clamp => &mut operands.clamp,
            } = rows;
        }
        operands
    }
}
