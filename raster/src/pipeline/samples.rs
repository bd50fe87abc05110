//! Decides which samples primitives cover: those of the targets, or as many as are forced; and what shaders and state must
//! not be then (functional specification, 3.5.6 and 19.2.4.1).

use brolga_ir::pipeline::state::SamplePattern;
use brolga_runtime::{Module, Signature};

use super::PipelineDesc;
use crate::error::DrawError;
use crate::state::{Fill, Kind, MOST_SAMPLES};

/// The samples of a pipeline.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Samples {
    /// Those of its targets and its depth buffer.
    pub targets: SamplePattern,
    /// Those that primitives cover.
    pub covered: SamplePattern,
    /// `true` if the rasterizer's are forced.
    pub are_forced: bool,
    /// `true` if the pixel shader runs for each of them.
    pub is_per_sample: bool,
}

impl Samples {
    pub fn new(desc: &PipelineDesc, pixel: Option<&Module>, is_direct3d9: bool) -> Result<Self, DrawError> {
        let standard = SamplePattern::standard(desc.samples).filter(|pattern| pattern.count() <= MOST_SAMPLES);
        let standard = standard.ok_or(DrawError::SampleCount { samples: desc.samples })?;
        let targets = if desc.center_pattern { standard.centered() } else { standard };
        let signature = pixel.and_then(|pixel| pixel.stage().signature());
        let runs_for_each = signature.is_some_and(Signature::is_per_sample);
        let samples = desc.rasterizer.forced_samples;
        if samples > 0 {
            let covered = SamplePattern::standard(samples).filter(|_| samples != 2);
            let covered = covered.ok_or(DrawError::ForcedSampleCount { samples })?;
            let what = match () {
                () if samples > 1 && targets.count() > 1 => "targets of several samples",
                () if desc.depth_format.is_some() => "a depth buffer",
                () if signature.is_some_and(Signature::writes_depth) => "a pixel shader that outputs depth",
                () if runs_for_each => "a pixel shader that runs for each sample",
                () => return Ok(Self { targets, covered, are_forced: true, is_per_sample: false }),
            };
            return Err(DrawError::ForcedSamples { samples, what });
        }
        let at_center = is_direct3d9 && desc.direct3d9.centers_samples;
        let covered = if at_center { targets.centered() } else { targets };
        let is_per_sample = covered.count() > 1 && runs_for_each;
        let draws_lines = desc.topology.kind() == Kind::Line
            || (desc.topology.kind() == Kind::Triangle && desc.rasterizer.fill == Fill::Wireframe);
        let has_wide_lines = draws_lines && !is_direct3d9 && desc.rasterizer.multisample;
        if covered.is_centered() && has_wide_lines {
            return Err(DrawError::CenteredLines);
        }
        if is_per_sample && covered.is_centered() {
            return Err(DrawError::SampleFrequency { why: "all of which are at the center" });
        }
        if is_per_sample && draws_lines && !has_wide_lines {
            return Err(DrawError::SampleFrequency { why: "all of which a line without `multisample` covers" });
        }
        Ok(Self { targets, covered, are_forced: false, is_per_sample })
    }

    /// The samples that are drawn of those that primitives cover, by the sample mask of a draw, which is for those of the
    /// targets.
    pub fn drawn(&self, sample_mask: u32) -> u32 {
        match (self.are_forced, sample_mask & self.targets.mask()) {
            (false, mask) => mask,
            (true, 0) => 0,
            (true, _) => self.covered.mask(),
        }
    }
}
