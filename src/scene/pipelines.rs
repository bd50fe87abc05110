//! A scene's pipelines, compiled for the targets that steps draw to.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use brolga_bytecode::sm3::TextureType;
use brolga_runtime::{
    Bindings, CompileOptions, Device, Format, Module, Register, ResourceClass, Shader, StageKind, Stages, View,
};

use super::content::needed;
use super::direct3d9;
use super::document::{self, BlendTarget, Class, DepthWriteMask};
use super::error::{SceneError, find};
use super::sections::Document;
use crate::job::RunOptions;
use crate::raster::{
    Advance, Blend, DepthState, DrawError, Equation, InputElement, Pipeline, PipelineDesc, RasterizerState,
    StencilFace, StencilTest, TargetState, Topology,
};

/// Compiles pipelines, each once for the same formats.
pub(super) struct Compiler<'a, 'o> {
    device: &'a Device,
    document: &'a Document,
    /// By name.
    shaders: &'a BTreeMap<String, Vec<u8>>,
    options: &'o RunOptions,
    /// Those that were read, by name.
    modules: BTreeMap<&'a str, Module>,
    /// By name, and by what they are used with.
    made: BTreeMap<&'a str, Vec<(Uses, Pipeline)>>,
    /// Compute shaders, by the names of their pipelines.
    computes: BTreeMap<&'a str, Shader>,
    /// What is probably a mistake, though the rules give it a meaning.
    pub warnings: Vec<SceneError>,
    /// The pipelines and registers that they are about.
    noted: BTreeSet<(String, String)>,
    /// How long shaders were read and compiled.
    pub time: Duration,
}

/// What a draw uses a pipeline with.
#[derive(PartialEq)]
pub(super) struct Uses {
    /// The formats of its targets.
    pub formats: Vec<Format>,
    /// That of its depth buffer.
    pub depth_format: Option<Format>,
    pub draws_mesh: bool,
    /// What is bound for a ps_1_x.
    pub textures: [TextureType; 6],
    /// The samplers of a pixel shader of Direct3D 9 that compare.
    pub compared: Vec<usize>,
}

impl<'a, 'o> Compiler<'a, 'o> {
    pub fn new(
        device: &'a Device,
        document: &'a Document,
        shaders: &'a BTreeMap<String, Vec<u8>>,
        options: &'o RunOptions,
    ) -> Self {
        Self {
            device,
            document,
            shaders,
            options,
            modules: BTreeMap::new(),
            made: BTreeMap::new(),
            computes: BTreeMap::new(),
            warnings: Vec::new(),
            noted: BTreeSet::new(),
            time: Duration::ZERO,
        }
    }

    /// The pipeline that a draw names.
    pub fn draws(&mut self, place: &str, name: &'a str, mut uses: Uses) -> Result<Pipeline, SceneError> {
        let pipeline = self.find(place, name)?;
        let at = format!("pipelines.{name}");
        // Transformed vertices of Direct3D 9 have none.
        if pipeline.direct3d9.is_none() {
            needed(&at, StageKind::Vertex.text(), pipeline.vs.as_ref())?;
        }
        let mut modules = Stages::<Option<Module>>::default();
        for (stage, shader) in pipeline.shaders().present() {
            modules[stage] = Some(self.module(&at, stage, shader)?);
        }
        // Only a ps_1_x samples whatever texture is bound.
        if modules[StageKind::Pixel].as_ref().is_none_or(|module| module.major() != 1) {
            uses.textures = [TextureType::Texture2D; 6];
        }
        let (draws_mesh, depth_format) = (uses.draws_mesh, uses.depth_format);
        let known = self.made.get(name).and_then(|made| made.iter().find(|(known, _)| *known == uses));
        if let Some((_, made)) = known {
            return Ok(made.clone());
        }
        let options = match &pipeline.direct3d9 {
            Some(direct3d9) => {
                let options = self.compile_options().float_rules(direct3d9.float_rules);
                let textures = uses.textures.iter().enumerate();
                let options = textures.fold(options, |options, (stage, kind)| options.stage_texture(stage, *kind));
                let projected = direct3d9.projected.iter();
                projected.fold(options, |options, &(stage, count)| options.projected(stage, count))
            }
            None => self.compile_options().fused_mad(pipeline.fused_mad),
        };
        let mut options = Stages::from(options);
        let of_pixels = &mut options[StageKind::Pixel];
        *of_pixels = uses.compared.iter().fold(of_pixels.clone(), |options, &sampler| options.compares(sampler));
        let topology = pipeline.topology.as_deref().or(draws_mesh.then_some("TRIANGLELIST"));
        let desc = PipelineDesc {
            modules,
            input_layout: input_layout(pipeline, draws_mesh),
            topology: self::topology(&at, topology, self.document.is_direct3d9)?,
            depth_format,
            options,
            ..state(pipeline, &uses.formats)
        };
        let RunOptions { cancel, time_limit, .. } = self.options;
        let began = Instant::now();
        let made = Pipeline::new_until(self.device, &desc, cancel, *time_limit);
        self.time += began.elapsed();
        let made = made.map_err(|error| self.problem(&at, error))?;
        self.made.entry(name).or_default().push((uses, made.clone()));
        Ok(made)
    }

    /// The compute shader of the pipeline that a dispatch names.
    pub fn dispatches(&mut self, place: &str, name: &'a str) -> Result<Shader, SceneError> {
        if let Some(shader) = self.computes.get(name) {
            return Ok(shader.clone());
        }
        let pipeline = self.find(place, name)?;
        let place = format!("pipelines.{name}");
        let shader = needed(&place, StageKind::Compute.text(), pipeline.cs.as_ref())?;
        let module = self.module(&place, StageKind::Compute, shader)?;
        let RunOptions { cancel, time_limit, .. } = self.options;
        let options = self.compile_options().fused_mad(pipeline.fused_mad);
        let began = Instant::now();
        let compiled = self.device.compile_module_until(&module, &options, cancel, *time_limit);
        self.time += began.elapsed();
        let shader = compiled.and_then(|shader| shader.check_groups().map(|()| shader));
        let shader = shader.map_err(|error| SceneError::new(format!("{place}.cs"), error))?;
        self.computes.insert(name, shader.clone());
        Ok(shader)
    }

    /// What the scene says of the pipeline that a step names.
    pub fn find(&self, place: &str, name: &str) -> Result<&'a document::Pipeline, SceneError> {
        find(&self.document.pipelines, "pipeline", name, || format!("{place}.pipeline"))
    }

    /// The shader of this name, which a pipeline has for a stage.
    fn module(&mut self, place: &str, stage: StageKind, name: &'a str) -> Result<Module, SceneError> {
        let key = stage.text();
        let place = || format!("{place}.{key}");
        let module = match self.modules.get(name) {
            Some(module) => module,
            None => {
                let bytes = find(self.shaders, "shader", name, place)?;
                let began = Instant::now();
                let module = Module::load(bytes, self.device.limits());
                self.time += began.elapsed();
                let module = module.map_err(|error| self.problem(&place(), error.into()))?;
                self.modules.entry(name).or_insert(module)
            }
        };
        let found = module.kind();
        if found != stage {
            let profile = module.profile().unwrap_or_default();
            let message =
                format!("`{name}` is a {} shader, {profile}: `{key}` names a {} shader", found.name(), stage.name());
            return Err(SceneError::value(place(), message));
        }
        Ok(module.clone())
    }

    /// What is wrong with a pipeline, in the words of its API.
    fn problem(&self, place: &str, error: DrawError) -> SceneError {
        match self.document.is_direct3d9 {
            true => SceneError::new(place, direct3d9::problem(error)),
            false => SceneError::new(place, error),
        }
    }

    /// Warns of registers that a shader reads, or writes, and a step binds nothing to: once for each pipeline.
    pub fn note_unbound(
        &mut self,
        place: &str,
        pipeline: &str,
        stage: StageKind,
        shader: &Shader,
        bindings: &Bindings,
    ) {
        let is_direct3d9 = self.document.is_direct3d9;
        for declared in shader.bindings() {
            let is_bound = |(register, _): (Register, &View)| declared.contains(register);
            if declared.register.space != 0 || bindings.iter().any(is_bound) {
                continue;
            }
            let what = match declared.register.class {
                // Those that are not set have a state of their own.
                ResourceClass::Sampler => continue,
                ResourceClass::UnorderedAccess => "what it writes there is lost, and what it reads 0",
                ResourceClass::ShaderResource if is_direct3d9 => "it reads black with an alpha of 1",
                _ => "it reads 0",
            };
            let register = direct3d9::written(is_direct3d9, stage, &declared.register.to_string());
            if self.noted.insert((pipeline.to_owned(), register.clone())) {
                let message =
                    format!("the {} shader uses `{register}`, to which nothing is bound: {what}", stage.name());
                self.warnings.push(SceneError::value(format!("{place}.bind"), message));
            }
        }
    }

    fn compile_options(&self) -> CompileOptions {
        CompileOptions::new(self.options.engine).oversize(self.options.oversize)
    }
}

/// What a pipeline says of the state around its shaders, for targets of these formats.
pub(super) fn state(pipeline: &document::Pipeline, formats: &[Format]) -> PipelineDesc {
    let document::Pipeline { rasterizer, depth_stencil, blend, .. } = pipeline;
    PipelineDesc {
        rasterizer: RasterizerState {
            fill: rasterizer.fill_mode,
            cull: rasterizer.cull_mode,
            front_counter_clockwise: rasterizer.front_counter_clockwise,
            depth_clip: rasterizer.depth_clip_enable,
            depth_bias: rasterizer.depth_bias,
            slope_scaled_depth_bias: rasterizer.slope_scaled_depth_bias,
            depth_bias_clamp: rasterizer.depth_bias_clamp,
            multisample: rasterizer.multisample_enable,
        },
        depth: DepthState {
            enable: depth_stencil.depth_enable,
            write: depth_stencil.depth_write_mask == DepthWriteMask::All,
            function: depth_stencil.depth_func,
        },
        stencil: depth_stencil.stencil_enable.then(|| StencilTest {
            read_mask: depth_stencil.stencil_read_mask,
            write_mask: depth_stencil.stencil_write_mask,
            front: stencil_face(depth_stencil.front_face),
            back: stencil_face(depth_stencil.back_face),
        }),
        targets: formats.iter().enumerate().map(|(n, format)| target(n, *format, blend)).collect(),
        alpha_to_coverage: blend.alpha_to_coverage_enable,
        direct3d9: pipeline.direct3d9.as_ref().map_or_else(Default::default, |direct3d9| direct3d9.state),
        ..PipelineDesc::default()
    }
}

pub(super) fn topology(place: &str, name: Option<&str>, is_direct3d9: bool) -> Result<Topology, SceneError> {
    if let Some(topology) = name.and_then(Topology::from_name) {
        return Ok(topology);
    }
    let is_known = |topology: &Topology| is_direct3d9 || *topology != Topology::TriangleFan;
    let known = Topology::ALL.into_iter().filter(is_known).map(Topology::name).collect::<Vec<_>>().join(", ");
    match name {
        None => {
            let message = format!("the key `topology` is missing, which is one of {known}");
            Err(SceneError::value(place, message))
        }
        Some(name) if name.ends_with("_ADJ") || name.contains("PATCHLIST") => {
            Err(SceneError::unsupported(format!("{place}.topology"), format!("the topology {name} is")))
        }
        Some(name) => {
            let message = format!("{name} is no topology: they are {known}");
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

pub(super) fn input_element(element: &document::InputElement) -> InputElement {
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
