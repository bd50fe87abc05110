//! Builds pipelines: the shaders of their stages, compiled with the state between and around them.
//!
//! | file | contents |
//! |---|---|
//! | `linkage.rs` | links of input layout, vertex shader and pixel shader |
//! | `pass_through.rs` | the vertex shader of transformed vertices |
//! | `samples.rs` | the samples that primitives cover |
//! | `stream_output.rs` | what is streamed out |

mod linkage;
mod pass_through;
mod samples;
mod stream_output;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use brolga_fenv::in_default_mode;
use brolga_ir::pipeline::state::{
    Comparison, DepthFormat, DepthTest, DomainState, Fog, GeometryState, HullState, Link, LinkedFrom, PixelState,
    StageState, StencilTest, VertexState,
};
use brolga_ir::pipeline::{DEPTH, SPACE};
use brolga_ir::stage::InputPrimitive;
use brolga_runtime::{
    CancelToken, Codegen, CompileOptions, Declared, Device, Error, Format, Interpolation, Module, Parameter, Register,
    ResourceClass, Shader, Signature, StageKind, Stages, SystemValue, Width,
};

use crate::direct3d9::{Direct3D9State, FogMode};
use crate::error::DrawError;
use crate::geometry::shader::GeometryLayout;
use crate::geometry::stream::StreamLayout;
use crate::layout::InputElement;
use crate::state::{DepthState, Fill, Kind, RasterizerState, TargetState, Topology};
use crate::tessellation::layout::TessellationLayout;
use crate::vertices::primitives::{Mode, Outputs};
use linkage::Linkage;
pub(crate) use samples::Samples;
pub use stream_output::{StreamOutput, StreamOutputEntry};

/// Description of a pipeline.
#[derive(Clone, Debug)]
pub struct PipelineDesc {
    /// The shaders. A vertex shader is needed, except for transformed vertices of Direct3D 9; without a pixel shader
    /// only depth is drawn. A geometry shader stands between the two.
    pub modules: Stages<Option<Module>>,
    /// The elements that fill the vertex shader's inputs.
    pub input_layout: Vec<InputElement>,
    /// The primitive topology.
    pub topology: Topology,
    /// What is streamed out, if anything.
    pub stream_output: Option<StreamOutput>,
    /// The rasterizer state.
    pub rasterizer: RasterizerState,
    /// The depth test.
    pub depth: DepthState,
    /// The stencil test, if there is one.
    pub stencil: Option<StencilTest>,
    /// The targets: output `o0` of the pixel shader goes to the first, and so on.
    pub targets: Vec<TargetState>,
    /// The format of the depth buffer, if there is one.
    pub depth_format: Option<Format>,
    /// Number of samples of the targets and the depth buffer: 1, 2, 4 or 8. 1 by default.
    pub samples: u32,
    /// `true` if all of these samples lie at the center of a pixel, `false` for the standard pattern, as by default
    /// (functional specification, 19.2.4). Lines cannot be rectangles then, and shaders cannot run for each sample.
    pub center_pattern: bool,
    /// `true` for alpha to coverage: the alpha of the first output says how many samples of a pixel are drawn. Of `n`
    /// samples the k-th is where it is above (k - 0.5) / n, so a single one above 0.5. Off by default. The specification
    /// (17.18) asks that 0 and NaN cover none, and 1 all. A shader that outputs coverage decides alone, and one without
    /// such an alpha draws every sample.
    pub alpha_to_coverage: bool,
    /// The additional state of Direct3D 9, for its shaders only.
    pub direct3d9: Direct3D9State,
    /// Compile options of each shader.
    pub options: Stages<CompileOptions>,
}

impl Default for PipelineDesc {
    /// Triangle lists, without shaders, inputs and targets, in Direct3D's default state.
    fn default() -> Self {
        Self {
            modules: Stages::default(),
            input_layout: Vec::new(),
            topology: Topology::TriangleList,
            stream_output: None,
            rasterizer: RasterizerState::default(),
            depth: DepthState::default(),
            stencil: None,
            targets: Vec::new(),
            depth_format: None,
            samples: 1,
            center_pattern: false,
            alpha_to_coverage: false,
            direct3d9: Direct3D9State::default(),
            options: Stages::default(),
        }
    }
}

impl PipelineDesc {
    /// The default state with these shaders.
    pub fn new(vertex: &Module, pixel: Option<&Module>) -> Self {
        let mut desc = Self::default();
        desc.modules[StageKind::Vertex] = Some(vertex.clone());
        desc.modules[StageKind::Pixel] = pixel.cloned();
        desc
    }

    /// Checks the state that does not depend on the shaders.
    fn check(&self, is_direct3d9: bool, kind: Kind) -> Result<(), DrawError> {
        if self.topology == Topology::TriangleFan && !is_direct3d9 {
            let what = "a triangle fan, which only Direct3D 9 has,".to_owned();
            return Err(DrawError::Unsupported { what });
        }
        let is_solid = kind == Kind::Triangle && self.rasterizer.fill == Fill::Solid;
        if self.rasterizer.conservative && !is_solid {
            return Err(DrawError::Conservative);
        }
        let count = self.targets.len();
        if count > 8 {
            return Err(DrawError::TargetCount { count });
        }
        let slots: Vec<u32> = self.slots().collect();
        if slots.iter().any(|&slot| slot >= 8) || slots.windows(2).any(|slots| slots[0] >= slots[1]) {
            return Err(DrawError::TargetSlots { slots });
        }
        let takes_second = |target: &TargetState| target.blend.is_some_and(|blend| blend.takes_second());
        match self.targets.iter().position(takes_second) {
            Some(target) if count > 1 => Err(DrawError::SecondSource { target, count }),
            _ => Ok(()),
        }
    }

    /// The outputs of the pixel shader that go to the targets.
    fn slots(&self) -> impl Iterator<Item = u32> {
        (0..).zip(&self.targets).map(|(n, target)| target.slot.unwrap_or(n))
    }

    /// Adds an element to the input layout.
    pub fn input(mut self, element: InputElement) -> Self {
        self.input_layout.push(element);
        self
    }

    /// Adds a target.
    pub fn target(mut self, target: TargetState) -> Self {
        self.targets.push(target);
        self
    }

    /// Sets the number of samples.
    pub fn samples(mut self, samples: u32) -> Self {
        self.samples = samples;
        self
    }

    /// Sets the format of the depth buffer.
    pub fn depth_format(mut self, format: Format) -> Self {
        self.depth_format = Some(format);
        self
    }
}

/// Shaders, compiled with the state around them. Cheap to clone and usable from any thread.
#[derive(Clone, Debug)]
pub struct Pipeline {
    pub(crate) parts: Arc<Parts>,
}

/// The parts of a compiled pipeline.
#[derive(Debug)]
pub(crate) struct Parts {
    pub(crate) shaders: Stages<Option<Shader>>,
    pub(crate) topology: Topology,
    pub(crate) rasterizer: RasterizerState,
    /// The depth test, if there is one.
    pub(crate) depth: Option<DepthTest>,
    /// `true` if the test runs after the pixel shader.
    pub(crate) is_late: bool,
    /// `true` if the pixel shader decides which pixels are live.
    pub(crate) reports_live: bool,
    /// `true` if primitives are rasterized at all (functional specification, 16.9).
    pub(crate) rasterizes: bool,
    pub(crate) outputs: Outputs,
    /// Registers that the vertex shader writes.
    pub(crate) vertex_rows: u32,
    /// Registers of a vertex that is rasterized.
    pub(crate) rows: u32,
    /// Hull and domain shaders.
    pub(crate) tessellation: Option<TessellationLayout>,
    /// The geometry shader.
    pub(crate) geometry: Option<GeometryLayout>,
    /// What is streamed out.
    pub(crate) stream_out: Option<StreamLayout>,
    /// Slots of the vertex buffers that are read.
    pub(crate) slots: Vec<u32>,
    pub(crate) targets: Vec<Format>,
    /// The outputs that go to them.
    pub(crate) target_slots: Vec<u32>,
    pub(crate) depth_format: Option<Format>,
    pub(crate) samples: Samples,
    /// `true` if the pixel shader asks which pixels lie inside of a triangle, and is told.
    pub(crate) asks_inside: bool,
    /// The rules of Direct3D 9, if they are the draw's.
    pub(crate) direct3d9: Option<Rules>,
    /// `true` if a shader writes to more than its targets.
    pub(crate) writes_memory: bool,
}

/// The rules of Direct3D 9 for a draw.
#[derive(Clone, Debug)]
pub(crate) struct Rules {
    pub state: Direct3D9State,
    /// `true` if vertices are transformed already, with 1/w as their fourth component.
    pub is_transformed: bool,
    /// The word of a vertex with the point size.
    pub size_word: Option<usize>,
}

impl Pipeline {
    /// Compiles the shaders.
    ///
    /// # Errors
    /// If a shader does not compile, the shaders do not fit each other, or the state does not fit them.
    pub fn new(device: &Device, desc: &PipelineDesc) -> Result<Self, DrawError> {
        let pipeline = Self::link(desc, |module, options| device.compile_module(module, options))?;
        pipeline.compile(device, desc, |shader, formats| shader.compile_for(formats, &[]))?;
        Ok(pipeline)
    }

    /// The same, until a token is cancelled or the time is over, as [`Device::compile_until`].
    ///
    /// # Errors
    /// As [`Self::new`], and [`Error::CompileStopped`].
    pub fn new_until(
        device: &Device,
        desc: &PipelineDesc,
        cancel: &CancelToken,
        time_limit: Option<Duration>,
    ) -> Result<Self, DrawError> {
        in_default_mode(|| {
            let deadline = device.deadline(cancel, time_limit)?;
            let token = deadline.token();
            let pipeline =
                Self::link(desc, |module, options| device.compile_module_until(module, options, token, None))?;
            pipeline.compile(device, desc, |shader, formats| shader.compile_for_until(formats, &[], token))?;
            Ok(pipeline)
        })
    }

    /// Generates the code of all shaders that are to have it from the start, each in a thread of its own if there are
    /// several.
    fn compile(
        &self,
        device: &Device,
        desc: &PipelineDesc,
        make: impl Fn(&Shader, &[(Register, Format)]) -> Result<(), Error> + Sync,
    ) -> Result<(), Error> {
        let is_eager = |(stage, _): &(StageKind, &Shader)| desc.options[*stage].codegen == Codegen::Eager;
        let shaders: Vec<_> = self.parts.shaders.present().filter(is_eager).collect();
        let (formats, next) = (self.pixel_formats(), AtomicUsize::new(0));
        let mut made = Vec::new();
        made.resize_with(shaders.len(), OnceLock::new);
        device.pool().run(shaders.len().saturating_sub(1), &|| {
            let take = || next.fetch_add(1, Ordering::Relaxed);
            while let Some((n, &(stage, shader))) = Some(take()).and_then(|n| Some((n, shaders.get(n)?))) {
                // Only the pixel shader has target formats.
                let formats = if stage == StageKind::Pixel { &formats[..] } else { &[] };
                let _ = made[n].set(make(shader, formats));
            }
        });
        made.into_iter().try_for_each(|made| made.into_inner().unwrap_or(Ok(())))
    }

    /// Links the shaders, without code so far.
    fn link(
        desc: &PipelineDesc,
        read: impl Fn(&Module, &CompileOptions) -> Result<Shader, Error>,
    ) -> Result<Self, DrawError> {
        let linkage = Linkage::new(desc)?;
        let (elements, slots) = linkage.elements(&desc.input_layout)?;
        let links = linkage.links(desc.direct3d9.sprites(desc.topology))?;
        let tessellation = linkage.tessellation_layout(desc.topology)?;
        linkage.check_geometry(desc.topology, tessellation.as_ref())?;
        let geometry = linkage.geometry_layout()?;
        let assembled = tessellation.as_ref().map_or(desc.topology.kind(), TessellationLayout::kind);
        desc.check(linkage.is_direct3d9, geometry.as_ref().map_or(assembled, GeometryLayout::kind))?;
        let samples = Samples::new(desc, linkage.pixel, linkage.is_direct3d9)?;
        let depth = desc.depth_format.map(|format| desc.depth.for_buffer(format, desc.stencil)).transpose()?.flatten();
        let of_stage = |stage| desc.options[stage].clone().codegen(Codegen::Deferred);
        let options = of_stage(StageKind::Vertex).state(StageState::Vertex(VertexState { elements }));
        let vertex = read(&linkage.vertex, &options)?;
        let vertex_rows = vertex.stage().signature().map_or(0, Signature::output_rows);
        let mut shaders = Stages::<Option<Shader>>::default();
        if let (Some(layout), Some([hull, domain])) = (&tessellation, linkage.tessellation) {
            let (point_rows, constant_rows) = (layout.point_rows, layout.constant_rows);
            let hull_state = StageState::Hull(HullState { vertex_rows, point_rows, constant_rows });
            let domain_state = StageState::Domain(DomainState { point_rows, constant_rows });
            // A packet is of one patch.
            let mut of_domain = of_stage(StageKind::Domain);
            of_domain.width = of_domain.width.map(|width| width.min(Width::Sixteen));
            shaders[StageKind::Hull] = Some(read(hull, &of_stage(StageKind::Hull).state(hull_state))?);
            shaders[StageKind::Domain] = Some(read(domain, &of_domain.state(domain_state))?);
        }
        if let Some(module) = linkage.geometry {
            let vertex_rows = tessellation.as_ref().map_or(vertex_rows, |layout| layout.vertex_rows);
            let state = StageState::Geometry(GeometryState { vertex_rows });
            shaders[StageKind::Geometry] = Some(read(module, &of_stage(StageKind::Geometry).state(state))?);
        }
        shaders[StageKind::Vertex] = Some(vertex);
        let last = shaders[linkage.last().kind()].as_ref().expect("it was just made");
        let mut signature = last.stage().signature().cloned().unwrap_or_default();
        let rows = signature.output_rows().max(1);
        signature.outputs.retain(|output| Some(output.stream) == linkage.rasterized);
        let stream_out = linkage.stream_layout(desc, assembled, geometry.as_ref())?;
        let targets = desc.slots().zip(&desc.targets).map(|(slot, target)| target.for_output(slot));
        let targets = targets.collect::<Result<_, _>>()?;
        let direct3d9 = linkage.is_direct3d9.then_some(&desc.direct3d9);
        let alpha_test = direct3d9.and_then(|state| state.alpha_test);
        let word = |value| words(&signature, value).next();
        let mode = direct3d9.and_then(|state| state.fog).filter(|_| !linkage.fogs_itself());
        let fog = mode.map(|mode| fog(mode, linkage.fog_word(word(SystemValue::Fog))));
        let alpha_to_coverage = desc.alpha_to_coverage && linkage.pixel.is_some_and(has_alpha_for_coverage);
        let drops = alpha_to_coverage || alpha_test.is_some_and(|test| test != Comparison::Always);
        let (is_late, reports_live) = linkage.pixel.map_or((false, false), |pixel| decides(pixel, depth, drops));
        let links = linkage.pixel.map_or(Vec::new(), |pixel| {
            links.of(pixel.stage().signature(), direct3d9.is_some_and(|state| state.is_flat))
        });
        let has_layers = word(SystemValue::RenderTargetArrayIndex).is_some();
        let state = PixelState {
            vertex_rows: rows,
            targets,
            depth: depth.filter(|_| is_late),
            reports_live,
            has_layers,
            links: links.clone(),
            alpha_test,
            alpha_to_coverage,
            fog,
            pattern: samples.covered,
            target_samples: samples.targets.count(),
            is_conservative: desc.rasterizer.conservative,
            is_per_sample: samples.is_per_sample,
        };
        // Its code is generated for the formats of its targets. Packets of quads keep their order only if none is wider
        // than those that the tiles make.
        let mut options = of_stage(StageKind::Pixel);
        options.width = options.width.map(|width| width.min(Width::Sixteen));
        let options = options.state(StageState::Pixel(state));
        let pixel = linkage.pixel.map(|pixel| read(pixel, &options)).transpose()?;
        let taken = pixel.as_ref().and_then(|shader| shader.stage().signature());
        let (tests, has_position) =
            (desc.depth.enable || desc.stencil.is_some(), signature.writes(&[SystemValue::Position]));
        let rasterizes = linkage.rasterized.is_some() && (linkage.pixel.is_some() || tests) && has_position;
        let is_visible = linkage.pixel.is_some() || (tests && desc.depth_format.is_some());
        if linkage.rasterized.is_some() && is_visible && !has_position {
            return Err(DrawError::NoPosition { stage: linkage.last().kind().name() });
        }
        let makes_primitives = geometry.is_some() || tessellation.is_some();
        if rasterizes && !makes_primitives && matches!(desc.topology.primitive(), InputPrimitive::Patch(_)) {
            return Err(DrawError::Patches);
        }
        let outputs = outputs(&signature, rows, taken, &links, fog, geometry.is_some());
        shaders[StageKind::Pixel] = pixel;
        let writes_memory = shaders.present().any(|(_, shader)| writes_memory(shader.bindings()));
        let signature = linkage.pixel.and_then(|pixel| pixel.stage().signature());
        let reads_inner = signature.is_some_and(|signature| signature.reads(&[SystemValue::InnerCoverage]));
        let parts = Parts {
            writes_memory,
            shaders,
            outputs,
            vertex_rows: vertex_rows.max(1),
            rows,
            tessellation,
            geometry,
            stream_out,
            topology: desc.topology,
            rasterizer: desc.rasterizer,
            depth,
            is_late,
            reports_live,
            rasterizes,
            slots,
            targets: desc.targets.iter().map(|target| target.format).collect(),
            target_slots: desc.slots().collect(),
            depth_format: desc.depth_format,
            samples,
            asks_inside: desc.rasterizer.conservative && reads_inner,
            direct3d9: direct3d9.map(|state| Rules {
                state: *state,
                is_transformed: linkage.is_transformed,
                size_word: word(SystemValue::PointSize),
            }),
        };
        Ok(Self { parts: Arc::new(parts) })
    }

    /// The view formats of the targets and the depth buffer in the pixel shader.
    fn pixel_formats(&self) -> Vec<(Register, Format)> {
        let register = |n| Register::new(ResourceClass::UnorderedAccess, n).in_space(SPACE);
        let Parts { depth, is_late, targets, target_slots, .. } = &*self.parts;
        let depth = depth.filter(|_| *is_late).map(|depth| (register(DEPTH), codes(depth.format)));
        target_slots.iter().copied().map(register).zip(targets.iter().copied()).chain(depth).collect()
    }

    /// The shader of a stage, with the fixed functions around it: vertex fetch before the vertex shader, interpolation
    /// before the pixel shader and the output merger after it.
    pub fn shader(&self, stage: StageKind) -> Option<&Shader> {
        self.parts.shaders[stage].as_ref()
    }

    /// The shaders of all stages.
    pub fn shaders(&self) -> &Stages<Option<Shader>> {
        &self.parts.shaders
    }

    /// The pixel shader.
    pub(crate) fn pixel(&self) -> Option<&Shader> {
        self.shader(StageKind::Pixel)
    }
}

/// The format of a depth buffer's codes.
pub(crate) fn codes(format: DepthFormat) -> Format {
    match format {
        DepthFormat::D16 => Format::R16_UINT,
        DepthFormat::D24 | DepthFormat::D32 => Format::R32_UINT,
        DepthFormat::D32S8 => Format::R32G32_UINT,
    }
}

/// `true` if a shader with these bindings writes to more than its targets.
fn writes_memory(declared: &[Declared]) -> bool {
    let is_written = |register: Register| register.class == ResourceClass::UnorderedAccess && register.space != SPACE;
    declared.iter().any(|range| is_written(range.register))
}

/// `true` if a shader has an alpha for coverage, and outputs no coverage itself.
fn has_alpha_for_coverage(shader: &Module) -> bool {
    let outputs = shader.stage().signature().map_or(&[][..], |signature| &signature.outputs);
    let has_alpha = |output: &Parameter| {
        output.system_value.is_none() && output.row == 0 && output.components().any(|component| component == 3)
    };
    outputs.iter().any(has_alpha) && outputs.iter().all(|output| output.system_value != Some(SystemValue::Coverage))
}

/// Two flags: depth has to be tested after the pixel shader, and the shader decides which pixels are live, as it does
/// if its alpha drops some.
fn decides(shader: &Module, depth: Option<DepthTest>, alpha_drops: bool) -> (bool, bool) {
    use SystemValue::{Coverage, Discarded, StencilRef};
    let signature = shader.stage().signature().cloned().unwrap_or_default();
    if signature.forces_early_tests {
        return (false, false);
    }
    let drops = alpha_drops || signature.writes(&[Discarded, Coverage]);
    // Coverage as an input does not depend on depth (functional specification, 16.3.2).
    let reads_coverage = signature.reads(&[Coverage]);
    // Pixels that fail the test are shaded too if that is observable.
    let writes_memory = writes_memory(shader.bindings());
    let is_late = depth.is_some_and(|depth| {
        let gives_reference = depth.stencil.is_some() && signature.writes(&[StencilRef]);
        signature.writes_depth()
            || gives_reference
            || (drops && depth.changes_buffer())
            || writes_memory
            || reads_coverage
    });
    (is_late, drops || is_late)
}

/// The fog of a pixel function; `word` of a vertex has the fog factor, if at all.
fn fog(mode: FogMode, word: Option<usize>) -> Fog {
    match (mode, word) {
        (FogMode::Vertex, Some(word)) => Fog::Vertex(word as u32),
        (FogMode::Vertex, None) => Fog::Complete,
        (FogMode::Linear(distance), _) => Fog::Linear(distance),
        (FogMode::Exponential(distance), _) => Fog::Exponential(distance),
        (FogMode::ExponentialSquared(distance), _) => Fog::ExponentialSquared(distance),
    }
}

/// The words of a vertex with a system value.
fn words(written: &Signature, value: SystemValue) -> impl Iterator<Item = usize> {
    let parameters = written.outputs.iter().filter(move |output| output.system_value == Some(value));
    parameters.flat_map(|output| output.components().map(|n| output.row as usize * 4 + n))
}

/// The layout of the last shader's outputs as the pixel shader reads them; `links` if that is not by register number.
/// Only a geometry shader numbers primitives.
fn outputs(
    written: &Signature,
    rows: u32,
    read: Option<&Signature>,
    links: &[Link],
    fog: Option<Fog>,
    numbers_primitives: bool,
) -> Outputs {
    // Without a position nothing is rasterized.
    let position = words(written, SystemValue::Position).next().unwrap_or(0) / 4;
    let rows = rows as usize;
    let mut modes = vec![Mode::Perspective; 4 * rows];
    let mut is_read = vec![false; rows];
    for (n, input) in read.into_iter().flat_map(|signature| &signature.inputs).enumerate() {
        let link = links.get(n);
        let mode = match input.interpolation {
            _ if link.is_some_and(|link| link.is_flat) => Mode::Constant,
            Interpolation::Constant => Mode::Constant,
            Interpolation::Linear | Interpolation::LinearCentroid | Interpolation::LinearSample => Mode::Perspective,
            Interpolation::NoPerspective
            | Interpolation::NoPerspectiveCentroid
            | Interpolation::NoPerspectiveSample => Mode::NoPerspective,
        };
        for component in input.components() {
            let word = match link.map(|link| link.components[component]) {
                None => input.row as usize * 4 + component,
                Some(LinkedFrom::Vertex(word)) => word as usize,
                Some(LinkedFrom::Sprite { .. } | LinkedFrom::Zero | LinkedFrom::One) => continue,
            };
            if let (Some(is_read), Some(of_word)) = (is_read.get_mut(word / 4), modes.get_mut(word)) {
                (*is_read, *of_word) = (true, mode);
            }
        }
    }
    if let Some(Fog::Vertex(word)) = fog
        && let Some(is_read) = is_read.get_mut(word as usize / 4)
    {
        *is_read = true;
    }
    let [clip, cull] =
        [SystemValue::ClipDistance, SystemValue::CullDistance].map(|value| words(written, value).collect());
    let [layer, viewport, primitive_id] =
        [SystemValue::RenderTargetArrayIndex, SystemValue::ViewportArrayIndex, SystemValue::PrimitiveId]
            .map(|value| words(written, value).next());
    let primitive_id = primitive_id.filter(|_| numbers_primitives);
    for word in [layer, viewport, primitive_id].into_iter().flatten() {
        // Clipping keeps the provoking vertex's value, whether or not a pixel shader reads it.
        modes[word] = Mode::Constant;
    }
    Outputs { rows, position, clip, cull, modes, is_read, layer, viewport, primitive_id }
}
