//! A scene's pipelines, compiled for the targets that steps draw to.

use std::collections::BTreeMap;

use brolga_runtime::{CompileOptions, Device, Format, Shader};

use super::document::{self, BlendTarget, Class, DepthWriteMask, Document};
use super::error::{SceneError, find};
use crate::job::RunOptions;
use crate::raster::{
    Advance, Blend, DepthState, Equation, InputElement, Pipeline, PipelineDesc, RasterizerState, StencilFace,
    StencilTest, TargetState, Topology,
};

/// Compiles pipelines, each once for the same formats.
pub(super) struct Compiler<'a, 'o> {
    device: &'a Device,
    document: &'a Document,
    /// By name.
    shaders: &'a BTreeMap<String, Vec<u8>>,
    options: &'o RunOptions,
    made: Vec<(Key<'a>, Pipeline)>,
}

/// The pipeline's name, the formats of its targets and its depth buffer, and whether it draws meshes.
type Key<'a> = (&'a str, Vec<Format>, Option<Format>, bool);

impl<'a, 'o> Compiler<'a, 'o> {
    pub fn new(
        device: &'a Device,
        document: &'a Document,
        shaders: &'a BTreeMap<String, Vec<u8>>,
        options: &'o RunOptions,
    ) -> Self {
        Self { device, document, shaders, options, made: Vec::new() }
    }

    /// The pipeline that a draw names.
    pub fn draws(
        &mut self,
        place: &str,
        name: &'a str,
        targets: Vec<Format>,
        depth_format: Option<Format>,
        draws_mesh: bool,
    ) -> Result<Pipeline, SceneError> {
        let key = (name, targets, depth_format, draws_mesh);
        if let Some((_, made)) = self.made.iter().find(|(made, _)| *made == key) {
            return Ok(made.clone());
        }
        let pipeline = self.find(place, name)?;
        let at = format!("pipelines.{name}");
        let desc = PipelineDesc {
            // Transformed vertices of Direct3D 9 have none.
            vertex_shader: match (&pipeline.vs, &pipeline.direct3d9) {
                (None, Some(_)) => &[],
                (vs, _) => self.shader(&at, "vs", vs.as_ref())?,
            },
            pixel_shader: pipeline.ps.as_ref().map(|shader| self.shader(&at, "ps", Some(shader))).transpose()?,
            input_layout: input_layout(pipeline, draws_mesh),
            topology: topology(&at, pipeline.topology.as_deref().or(draws_mesh.then_some("TRIANGLELIST")))?,
            rasterizer: RasterizerState {
                fill: pipeline.rasterizer.fill_mode,
                cull: pipeline.rasterizer.cull_mode,
                front_counter_clockwise: pipeline.rasterizer.front_counter_clockwise,
                depth_clip: pipeline.rasterizer.depth_clip_enable,
                depth_bias: pipeline.rasterizer.depth_bias,
                slope_scaled_depth_bias: pipeline.rasterizer.slope_scaled_depth_bias,
                depth_bias_clamp: pipeline.rasterizer.depth_bias_clamp,
                multisample: pipeline.rasterizer.multisample_enable,
            },
            depth: DepthState {
                enable: pipeline.depth_stencil.depth_enable,
                write: pipeline.depth_stencil.depth_write_mask == DepthWriteMask::All,
                function: pipeline.depth_stencil.depth_func,
            },
            stencil: pipeline.depth_stencil.stencil_enable.then(|| StencilTest {
                read_mask: pipeline.depth_stencil.stencil_read_mask,
                write_mask: pipeline.depth_stencil.stencil_write_mask,
                front: stencil_face(pipeline.depth_stencil.front_face),
                back: stencil_face(pipeline.depth_stencil.back_face),
            }),
            targets: key.1.iter().enumerate().map(|(n, format)| target(n, *format, &pipeline.blend)).collect(),
            depth_format,
            alpha_to_coverage: pipeline.blend.alpha_to_coverage_enable,
            direct3d9: pipeline.direct3d9.as_ref().map_or_else(Default::default, |direct3d9| direct3d9.state),
            options: match &pipeline.direct3d9 {
                Some(direct3d9) => self.compile_options().float_rules(direct3d9.float_rules),
                None => self.compile_options(),
            },
            pixel_options: None,
        };
        let made = Pipeline::new(self.device, &desc).map_err(|error| SceneError::new(at, error))?;
        self.made.push((key, made.clone()));
        Ok(made)
    }

    /// The compute shader of the pipeline that a dispatch names.
    pub fn dispatches(&self, place: &str, name: &str) -> Result<Shader, SceneError> {
        let pipeline = self.find(place, name)?;
        let place = format!("pipelines.{name}");
        let bytes = self.shader(&place, "cs", pipeline.cs.as_ref())?;
        let RunOptions { cancel, time_limit, .. } = self.options;
        let compiled = self.device.compile_until(bytes, &self.compile_options(), cancel, *time_limit);
        compiled
            .and_then(|shader| shader.check_groups().map(|()| shader))
            .map_err(|error| SceneError::new(format!("{place}.cs"), error))
    }

    fn find(&self, place: &str, name: &str) -> Result<&'a document::Pipeline, SceneError> {
        find(&self.document.pipelines, "pipeline", name, || format!("{place}.pipeline"))
    }

    fn shader(&self, place: &str, stage: &str, name: Option<&String>) -> Result<&'a [u8], SceneError> {
        let name = super::content::needed(place, stage, name)?;
        find(self.shaders, "shader", name, || format!("{place}.{stage}")).map(Vec::as_slice)
    }

    fn compile_options(&self) -> CompileOptions {
        CompileOptions::new(self.options.engine).oversize(self.options.oversize)
    }
}

/// The names of topologies, but for that which only Direct3D 9 has.
const TOPOLOGIES: [&str; 5] = ["POINTLIST", "LINELIST", "LINESTRIP", "TRIANGLELIST", "TRIANGLESTRIP"];

fn topology(place: &str, name: Option<&str>) -> Result<Topology, SceneError> {
    match name {
        Some("POINTLIST") => Ok(Topology::PointList),
        Some("LINELIST") => Ok(Topology::LineList),
        Some("LINESTRIP") => Ok(Topology::LineStrip),
        Some("TRIANGLELIST") => Ok(Topology::TriangleList),
        Some("TRIANGLESTRIP") => Ok(Topology::TriangleStrip),
        Some("TRIANGLEFAN") => Ok(Topology::TriangleFan),
        None => {
            let message = format!("the key `topology` is missing, which is one of {}", TOPOLOGIES.join(", "));
            Err(SceneError::value(place, message))
        }
        Some(name) if name.ends_with("_ADJ") || name.contains("PATCHLIST") => {
            Err(SceneError::unsupported(format!("{place}.topology"), format!("the topology {name} is")))
        }
        Some(name) => {
            let message = format!("{name} is no topology: they are {}", TOPOLOGIES.join(", "));
            Err(SceneError::value(format!("{place}.topology"), message))
        }
    }
}

/// What fills the vertex shader's inputs; what a pipeline leaves out for a mesh is the mesh's.
fn input_layout(pipeline: &document::Pipeline, draws_mesh: bool) -> Vec<InputElement> {
    let said = pipeline.input_layout.iter().map(input_element);
    let of_direct3d9 = pipeline.direct3d9.iter().flat_map(|direct3d9| direct3d9.input_layout.iter().cloned());
    said.chain(of_direct3d9).chain(super::mesh::input_layout().into_iter().filter(|_| draws_mesh)).collect()
}

fn input_element(element: &document::InputElement) -> InputElement {
    InputElement {
        semantic: element.semantic.clone(),
        index: element.index,
        format: element.format.0.into(),
        slot: element.slot,
        offset_bytes: element.offset,
        advance: match element.class {
            Class::Vertex => Advance::Vertex,
            Class::Instance => Advance::Instance { step: element.step_rate.unwrap_or(1) },
        },
    }
}

fn stencil_face(face: document::Face) -> StencilFace {
    StencilFace { test: face.func, fail: face.fail_op, depth_fail: face.depth_fail_op, pass: face.pass_op }
}

/// The state of a target: unless it says otherwise, that of the first counts for all.
fn target(n: usize, format: Format, blend: &document::Blend) -> TargetState {
    let n = if blend.independent_blend_enable { n } else { 0 };
    let state = blend.targets.get(n).copied().unwrap_or_default();
    let BlendTarget { blend_op: op, blend_op_alpha: op_alpha, .. } = state;
    let color = Equation { source: state.src_blend, destination: state.dest_blend, op };
    let alpha = Equation { source: state.src_blend_alpha, destination: state.dest_blend_alpha, op: op_alpha };
    let blend = state.blend_enable.then_some(Blend { color, alpha });
    let logic = state.logic_op_enable.then_some(state.logic_op);
    TargetState { format, blend, logic, write_mask: state.write_mask }
}
