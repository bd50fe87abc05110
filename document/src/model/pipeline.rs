//! Models pipelines: shaders and the state around them.

use brolga_raster::direct3d9::Direct3D9State;
use brolga_raster::layout::InputElement;
use brolga_raster::pipeline::{PipelineDesc, StreamOutput};
use brolga_raster::state::{DepthState, RasterizerState, TargetState, Topology};
use brolga_runtime::pipeline::state::{Blend, LogicOp, StencilTest};
use brolga_runtime::{ClassInstance, FloatRules, Format, Stages};

use crate::text::{Located, Span};

/// A pipeline.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pipeline {
    /// The names of its shaders.
    pub shaders: Stages<Option<Located<String>>>,
    /// The class instances bound to the shaders' interface variables.
    pub instances: Stages<Vec<InstanceChoice>>,
    pub fused_mad: bool,
    pub topology: Option<Topology>,
    pub input_layout: Vec<InputElement>,
    pub stream_output: Option<StreamOutput>,
    pub rasterizer: RasterizerState,
    pub depth: DepthState,
    pub stencil: Option<StencilTest>,
    pub alpha_to_coverage: bool,
    /// The states of its targets; without `has_independent_targets` the first applies to all.
    pub targets: Vec<TargetKeys>,
    pub has_independent_targets: bool,
    /// Additional state of a Direct3D 9 pipeline.
    pub direct3d9: Option<Direct3D9>,
    /// Its name in the text.
    pub span: Span,
}

/// The additional state of a Direct3D 9 pipeline.
#[derive(Clone, Debug)]
pub(crate) struct Direct3D9 {
    pub state: Direct3D9State,
    pub float_rules: FloatRules,
    /// Texture stages with projected coordinates, each with the number of coordinates, of which the last is the
    /// divisor.
    pub projected: Vec<(usize, u8)>,
}

/// The blend state and write mask of a target of any format.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TargetKeys {
    pub blend: Option<Blend>,
    pub logic: Option<LogicOp>,
    pub write_mask: u8,
}

impl Default for TargetKeys {
    fn default() -> Self {
        Self { blend: None, logic: None, write_mask: 15 }
    }
}

/// An interface variable and the class instance bound to it.
#[derive(Clone, Debug)]
pub(crate) struct InstanceChoice {
    /// The variable, or an element of an array of them: `light`, `lights[2]`.
    pub variable: String,
    pub instance: ClassInstance,
    pub span: Span,
}

impl Pipeline {
    /// The state around its shaders, for targets of these formats, each with the number of its output.
    pub fn state(&self, formats: &[(u32, Format)]) -> PipelineDesc {
        let target = |(slot, format): &(u32, Format)| {
            let n = if self.has_independent_targets { *slot as usize } else { 0 };
            let TargetKeys { blend, logic, write_mask } = self.targets.get(n).copied().unwrap_or_default();
            TargetState { format: *format, blend, logic, write_mask, slot: Some(*slot) }
        };
        PipelineDesc {
            stream_output: self.stream_output.clone(),
            rasterizer: self.rasterizer,
            depth: self.depth,
            stencil: self.stencil,
            targets: formats.iter().map(target).collect(),
            alpha_to_coverage: self.alpha_to_coverage,
            direct3d9: self.direct3d9.as_ref().map_or_else(Default::default, |direct3d9| direct3d9.state),
            ..PipelineDesc::default()
        }
    }
}
