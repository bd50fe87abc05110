//! Converts steps to actions: looks up names, compiles shaders and makes bindings before anything runs.

use std::time::Instant;

use brolga_bytecode::sm3::TextureType;
use brolga_raster::error::DrawError;
use brolga_raster::geometry::stream::StreamTarget;
use brolga_raster::pass::{self, Pass};
use brolga_raster::pipeline::Pipeline;
use brolga_raster::setup::shape::edge::Bounds;
use brolga_raster::setup::viewport::Viewport;
use brolga_raster::tiles::targets::{DepthView, Targets};
use brolga_raster::vertices::indices::IndexBuffer;
use brolga_runtime::format::TextureFormat;
use brolga_runtime::insight::CheckLog;
use brolga_runtime::{
    Bindings, BoundShader, Buffer, ClearValue, Dimension, Dispatch, Error, Format, Limit, Register, Report, StageKind,
    Stages, TexelBox, Texture, View,
};

use super::check::{check_buffers, check_targets};
use super::go_on;
use super::pipelines::{Compiler, PipelineKey};
use super::words::problem;
use super::world::{ResourceMemory, Role, World};
use crate::error::{Fault, Problem};
use crate::model::resource::Reference;
use crate::model::step::{self, At, Bind, Clear, DocumentStep, What};
use crate::text::Span;

/// An action.
#[derive(Debug)]
pub(crate) enum Action<'a> {
    /// Clears the textures of views.
    Clear(Vec<(View, ClearValue)>),
    /// Sets all words of a buffer.
    Fill { buffer: Buffer, word: u32 },
    /// Copies all bytes.
    Copy { from: Buffer, to: Buffer },
    /// Copies levels of layers of one texture to those of another.
    CopyLevels { from: Texture, to: Texture, levels: Vec<[TexelBox; 2]> },
    /// Means of the samples of layers.
    Resolve { from: Texture, to: Texture, layers: Vec<(u32, TexelBox)>, format: Format },
    /// Generates mip levels from the first one of a view.
    GenerateMips { view: View },
    /// Runs a compute shader.
    Dispatch(Box<DispatchAction<'a>>),
    /// Draws.
    Draw(Box<DrawAction<'a>>),
    /// Repeats actions.
    Repeat { count: u32, actions: Vec<(&'a DocumentStep, Action<'a>)> },
}

/// A dispatch.
#[derive(Debug)]
pub(crate) struct DispatchAction<'a> {
    pub bound: BoundShader,
    pub dispatch: Dispatch,
    said: &'a step::Dispatch,
    at: &'a At,
    /// The file of the shader, and the span where it is named.
    file: (Option<std::path::PathBuf>, Span),
}

impl DispatchAction<'_> {
    /// The name of its pipeline.
    pub fn pipeline(&self) -> &str {
        &self.said.pipeline.value
    }

    /// Runs a dispatch of its shader, or checks it into a log: then there is no report.
    pub fn run(&self, dispatch: &Dispatch, check: Option<&CheckLog>) -> Result<Option<Report>, Fault> {
        let done = match check {
            None => self.bound.dispatch(dispatch).map(Some),
            Some(log) => self.bound.check_into(dispatch, log).map(|()| None),
        };
        done.map_err(|error| self.fault(error))
    }

    /// Reports an error of the runtime at the part of the document that it is about.
    pub fn fault(&self, error: Error) -> Fault {
        dispatch_fault(self.said, self.at, &self.file, error)
    }
}

fn dispatch_fault(said: &step::Dispatch, at: &At, file: &(Option<std::path::PathBuf>, Span), error: Error) -> Fault {
    let register = if let Error::Binding(error) = &error { error.register() } else { None };
    let bind = said.bind.iter().find(|bind| register.is_some() && bind.register == register);
    let span = match (&error, bind) {
        (_, Some(bind)) => &bind.span,
        (Error::OverLimit { limit: Limit::DispatchGroups(axis), most, .. }, _) => {
            // The limit is on the sum of both.
            match said.groups.get(usize::from(*axis)) {
                Some(groups) if u64::from(*groups) <= *most => at.of("first_group"),
                _ => at.of("groups"),
            }
        }
        _ => &file.1,
    };
    (Problem::Run { shader: file.0.clone(), error }, span.clone())
}

/// A draw.
#[derive(Debug)]
pub(crate) struct DrawAction<'a> {
    /// The document's description of it.
    pub said: &'a step::Draw,
    pub targets: Targets,
    pub pipeline: Pipeline,
    /// The bindings of each shader.
    pub bindings: Stages<Bindings>,
    vertex_buffers: Vec<pass::VertexBuffer>,
    stream_targets: Vec<Option<StreamTarget>>,
    index_buffer: Option<IndexBuffer>,
    /// The buffer with the counts, and their offset, if they are not in the document.
    arguments: Option<(Buffer, u64)>,
}

impl DrawAction<'_> {
    /// `true` if another draw has the same targets.
    pub fn shares_targets(&self, other: &Self) -> bool {
        let [one, other] = [self.said, other.said];
        let is_read_only = |draw: &step::Draw| [draw.read_only_depth, draw.read_only_stencil];
        one.targets == other.targets && one.depth == other.depth && is_read_only(one) == is_read_only(other)
    }

    /// `true` if it may write memory that later draws read.
    pub fn writes_memory(&self) -> bool {
        self.said.bind.iter().any(Bind::may_be_written) || !self.stream_targets.is_empty()
    }

    /// The problem for an error, in the words of its API.
    pub fn problem(&self, error: DrawError) -> Problem {
        match &self.said.direct3d9 {
            Some(_) => problem(error),
            None => error.into(),
        }
    }

    /// Adds it to a pass.
    pub fn add_to(&self, pass: &mut Pass<'_>) -> Result<usize, DrawError> {
        let said = self.said;
        let draw = pass::Draw {
            pipeline: &self.pipeline,
            bindings: Stages::from_fn(|stage| Some(&self.bindings[stage])),
            vertex_buffers: self.vertex_buffers.clone(),
            index_buffer: self.index_buffer.clone(),
            count: said.count.unwrap_or(0),
            first: said.first,
            base_vertex: said.base_vertex,
            instances: said.instances,
            first_instance: said.first_instance,
            viewport: said.viewport.map(viewport),
            more_viewports: said.more_viewports.iter().map(|&(of, in_)| (viewport(of), in_.map(scissor))).collect(),
            scissor: said.scissor.map(scissor),
            blend_factor: said.blend_factor.unwrap_or([1.0; 4]),
            sample_mask: said.sample_mask.unwrap_or(u32::MAX),
            stencil_reference: said.stencil_reference,
            stream_targets: self.stream_targets.clone(),
            direct3d9: said.direct3d9.as_ref().map_or_else(Default::default, |direct3d9| direct3d9.values.clone()),
        };
        match &self.arguments {
            None if said.is_auto => pass.draw_auto(&draw),
            None => pass.draw(&draw),
            Some((buffer, offset_bytes)) => pass.draw_indirect(&draw, buffer, *offset_bytes),
        }
    }
}

fn viewport([left, top, width, height, min_depth, max_depth]: [f32; 6]) -> Viewport {
    Viewport { left, top, width, height, min_depth, max_depth }
}

fn scissor([left, top, right, bottom]: [i32; 4]) -> Bounds {
    Bounds { left, top, right, bottom }
}

/// Makes actions of steps.
pub(super) fn actions<'a>(
    steps: &'a [DocumentStep],
    world: &World<'a>,
    compiler: &mut Compiler<'a, '_>,
) -> Result<Vec<(&'a DocumentStep, Action<'a>)>, Fault> {
    let mut actions = Vec::with_capacity(steps.len());
    for step in steps {
        go_on(&compiler.options.cancel, step)?;
        actions.push((step, action(step, world, compiler)?));
    }
    Ok(actions)
}

fn action<'a>(step: &'a DocumentStep, world: &World<'a>, compiler: &mut Compiler<'a, '_>) -> Result<Action<'a>, Fault> {
    match &step.what {
        What::Clear(clears) => {
            let mut all = Vec::new();
            for one in clears {
                match clear(one, &step.at, world)? {
                    Action::Clear(clears) => all.extend(clears),
                    fill => return Ok(fill),
                }
            }
            Ok(Action::Clear(all))
        }
        What::Copy { from, to } => copy(from, to, &step.at, world),
        What::Resolve { from, to } => resolve(from, to, &step.at, world),
        What::GenerateMips(reference) => Ok(Action::GenerateMips { view: world.levels(reference)? }),
        What::Dispatch(said) => dispatch(said, &step.at, world, compiler),
        What::Draw(said) => draw(said, &step.at, world, compiler).map(|draw| Action::Draw(Box::new(draw))),
        What::Repeat { count, steps } => {
            Ok(Action::Repeat { count: *count, actions: actions(steps, world, compiler)? })
        }
    }
}

fn dispatch<'a>(
    said: &'a step::Dispatch,
    at: &'a At,
    world: &World<'a>,
    compiler: &mut Compiler<'a, '_>,
) -> Result<Action<'a>, Fault> {
    let dispatch = match &said.arguments {
        None => Dispatch::new(said.groups).first_group(said.first_group),
        Some((name, offset)) => {
            let arguments = world.buffer(&name.value, &name.span)?;
            Dispatch::indirect(arguments, *offset).map_err(|error| (error.into(), name.span.clone()))?
        }
    };
    let bindings = world.bindings(&said.bind)?;
    let shader = compiler.dispatches(&said.pipeline)?;
    let options = compiler.options;
    let dispatch = dispatch.cancel(options.cancel.clone()).progress(options.progress.clone());
    let pipeline = compiler.find(&said.pipeline)?;
    let name = pipeline.shaders[StageKind::Compute].as_ref().map_or("", |shader| &shader.value);
    let file = match compiler.file_fault(name, Error::NoGroups { stage: "" }) {
        (Problem::Run { shader, .. }, span) => (shader, span),
        (_, span) => (None, span),
    };
    let began = Instant::now();
    let bound = compiler.device.bind(&shader, &bindings).and_then(|bound| {
        if said.arguments.is_none() {
            bound.prepare_until(said.groups, &options.cancel, options.time_limit)?;
        }
        Ok(bound)
    });
    compiler.time += began.elapsed();
    let bound = bound.map_err(|error| dispatch_fault(said, at, &file, error))?;
    if !world.model().is_short {
        compiler.note_unbound(at.of("bind"), &said.pipeline.value, StageKind::Compute, &shader, &bindings);
    }
    Ok(Action::Dispatch(Box::new(DispatchAction { bound, dispatch, said, at, file })))
}

fn draw<'a>(
    said: &'a step::Draw,
    at: &'a At,
    world: &World<'a>,
    compiler: &mut Compiler<'a, '_>,
) -> Result<DrawAction<'a>, Fault> {
    let colors = said.targets.iter().map(|target| world.target_of(Role::Color, target));
    let colors = colors.collect::<Result<Vec<_>, _>>()?;
    let depth = said.depth.as_ref().map(|depth| world.target_of(Role::Depth, depth)).transpose()?;
    check_targets(said, &colors, depth.as_ref())?;
    let bindings = world.bindings(&said.bind)?;
    let of_vertices = said.direct3d9.as_ref().map(|direct3d9| world.bindings(&direct3d9.vertex_bind)).transpose()?;
    // The readable planes of a depth buffer depend on those that the draw writes, which the draw checks.
    let written = || colors.iter().chain(depth.iter().filter(|_| !said.read_only_depth && !said.read_only_stencil));
    for (register, read) in bindings.iter() {
        if written().any(|target| target.overlaps(read)) {
            let bind = said.bind.iter().find(|bind| bind.register == Some(register));
            let (name, span) =
                bind.map_or(("", at.head.clone()), |bind| (&bind.reference.resource, bind.reference.span.clone()));
            let message = format!("the draw reads `{name}` while it draws to it: read a copy instead");
            return Err((Problem::value(message), span));
        }
    }
    let vertex_buffer = |buffer: &step::VertexBuffer| {
        Ok(pass::VertexBuffer {
            buffer: world.buffer(&buffer.buffer.value, &buffer.buffer.span)?,
            offset_bytes: buffer.offset,
            stride_bytes: buffer.stride,
        })
    };
    let index_buffer = said.index_buffer.as_ref().map(|buffer| {
        Ok(IndexBuffer {
            buffer: world.buffer(&buffer.buffer.value, &buffer.buffer.span)?,
            offset_bytes: buffer.offset,
            is_short: buffer.is_short,
        })
    });
    let stream_target = |target: &Option<step::StreamTarget>| {
        let Some(step::StreamTarget { buffer, offset }) = target else { return Ok(None) };
        let buffer = world.buffer(&buffer.value, &buffer.span)?;
        Ok(Some(StreamTarget { buffer, offset_bytes: *offset }))
    };
    let arguments = said.arguments.as_ref().map(|(name, offset)| Ok((world.buffer(&name.value, &name.span)?, *offset)));
    let pipeline_said = compiler.find(&said.pipeline)?;
    if pipeline_said.direct3d9.is_some() {
        check_buffers(said, at, &pipeline_said.input_layout, world)?;
    }
    let formats = said.target_slots.iter().copied().zip(colors.iter().filter_map(View::format)).collect();
    let depth_format = depth.as_ref().and_then(View::subresources).map(|part| part.texture.shape().format);
    let depth = depth.map(|view| DepthView {
        view,
        has_read_only_depth: said.read_only_depth,
        has_read_only_stencil: said.read_only_stencil,
    });
    let all_targets = colors.iter().chain(depth.iter().map(|depth| &depth.view));
    let samples = all_targets.filter_map(View::subresources).map(|part| part.texture.shape().sample_pattern()).next();
    let samples = samples.unwrap_or_default();
    let uses = PipelineKey {
        formats,
        depth_format,
        samples: samples.count(),
        center_pattern: samples.is_centered(),
        draws_mesh: said.mesh.is_some(),
        textures: stage_textures(&bindings),
        compared: compared(&bindings),
    };
    let pipeline = compiler.draws(&said.pipeline, uses)?;
    let mut bindings = Stages::from(bindings);
    if let Some(of_vertices) = of_vertices {
        bindings[StageKind::Vertex] = of_vertices;
    }
    for (stage, shader) in pipeline.shaders().present() {
        compiler.note_unbound(at.of("bind"), &said.pipeline.value, stage, shader, &bindings[stage]);
    }
    Ok(DrawAction {
        said,
        pipeline,
        bindings,
        vertex_buffers: said.vertex_buffers.iter().map(vertex_buffer).collect::<Result<_, Fault>>()?,
        stream_targets: said.stream_targets.iter().map(stream_target).collect::<Result<_, Fault>>()?,
        index_buffer: index_buffer.transpose()?,
        arguments: arguments.transpose()?,
        targets: Targets { colors, depth },
    })
}

/// The kinds of textures that the stages of a ps_1_x, which does not declare them, sample.
fn stage_textures(bindings: &Bindings) -> [TextureType; 6] {
    [0, 1, 2, 3, 4, 5].map(|stage| {
        let part = bindings.get(Register::t(stage)).and_then(View::subresources);
        match part.map(|part| part.texture.shape().dimension) {
            Some(Dimension::TextureCube) => TextureType::TextureCube,
            Some(Dimension::Texture3d) => TextureType::Volume,
            _ => TextureType::Texture2D,
        }
    })
}

/// The samplers whose textures are depth buffers that samplers of Direct3D 9 compare with.
fn compared(bindings: &Bindings) -> Vec<usize> {
    let is_compared = |n: &usize| {
        let format = bindings.get(Register::t(*n as u32)).and_then(View::format);
        format.is_some_and(TextureFormat::compares)
    };
    (0..16).filter(is_compared).collect()
}

fn copy<'a>(from: &Reference, to: &Reference, at: &At, world: &World<'_>) -> Result<Action<'a>, Fault> {
    let (source, destination) = (world.find(&from.resource, &from.span)?, world.find(&to.resource, &to.span)?);
    if !(from.is_whole() && to.is_whole()) {
        let (ResourceMemory::Texture(source), ResourceMemory::Texture(destination)) = (source, destination) else {
            let message = "only textures have levels and layers that can be copied";
            return Err((Problem::value(message), at.head.clone()));
        };
        return copy_levels(at, (source, from), (destination, to));
    }
    let is_same = match (source, destination) {
        (ResourceMemory::Texture(source), ResourceMemory::Texture(destination)) => {
            source.shape() == destination.shape()
        }
        (ResourceMemory::Buffer(source), ResourceMemory::Buffer(destination)) => {
            source.size_bytes() == destination.size_bytes()
        }
        _ => false,
    };
    match is_same {
        true => Ok(Action::Copy { from: source.bytes().clone(), to: destination.bytes().clone() }),
        false => {
            let what = "copies between resources of different kinds or shapes are";
            Err((Problem::unsupported(what), at.head.clone()))
        }
    }
}

/// Copies of the levels and layers that references name: a single one where they name it, else all from there on.
fn copy_levels<'a>(
    at: &At,
    (from, read): (&Texture, &Reference),
    (to, written): (&Texture, &Reference),
) -> Result<Action<'a>, Fault> {
    for reference in [read, written] {
        if reference.view.kind.is_some() || reference.view.format.is_some() {
            return Err((Problem::value("what is copied is not seen in any way"), reference.span.clone()));
        }
    }
    if from.shape().format != to.shape().format {
        let what = "copies between textures of different formats are";
        return Err((Problem::unsupported(what), at.head.clone()));
    }
    let starts = |reference: &Reference| [reference.view.mip.unwrap_or(0), reference.view.layer.unwrap_or(0)];
    let ([mip, layer], [to_mip, to_layer]) = (starts(read), starts(written));
    let mips = read.view.mips.or(read.view.mip.map(|_| 1)).unwrap_or(from.shape().mips);
    let layers = read.view.layers.or(read.view.layer.map(|_| 1)).unwrap_or(from.shape().layers);
    // Samples are layers to a copy.
    let samples = from.shape().samples;
    if samples != to.shape().samples {
        let message =
            format!("`from` has {samples} samples and `to` {}: `resolve` makes one of several", to.shape().samples);
        return Err((Problem::value(message), at.head.clone()));
    }
    let ([layer, to_layer], layers) =
        ([layer, to_layer].map(|layer| layer.saturating_mul(samples)), layers.saturating_mul(samples));
    let mut levels = Vec::new();
    for layer_on in 0..layers.min(from.shape().layers * samples + 1) {
        // Levels beyond the last fail at the first one that does not exist.
        for mip_on in 0..mips.min(from.shape().mips + 1) {
            let level = |reference: &Reference, texture: &Texture, mip: u32, layer: u32| {
                let level = texture.level(mip.saturating_add(mip_on), layer.saturating_add(layer_on));
                level.map_err(|error| (Problem::from(error), reference.span.clone()))
            };
            let [part, destination] = [level(read, from, mip, layer)?, level(written, to, to_mip, to_layer)?];
            if part.extents != destination.extents {
                let [[width, height, depth], [to_width, to_height, to_depth]] = [part.extents, destination.extents];
                let message = format!(
                    "level {} of `from` has {width} x {height} x {depth} texels, level {} of `to` has {to_width} x \
                     {to_height} x {to_depth}: they must be the same",
                    part.mip, destination.mip
                );
                return Err((Problem::value(message), at.head.clone()));
            }
            levels.push([part, destination]);
        }
    }
    Ok(Action::CopyLevels { from: from.clone(), to: to.clone(), levels })
}

/// Means of all layers of a texture, or of one.
fn resolve<'a>(from: &Reference, to: &Reference, at: &At, world: &World<'_>) -> Result<Action<'a>, Fault> {
    let texture = |reference: &Reference| match world.find(&reference.resource, &reference.span)? {
        ResourceMemory::Texture(texture) => Ok(texture.clone()),
        ResourceMemory::Buffer(_) => {
            let message = format!("`{}` is a buffer: only textures are resolved", reference.resource);
            Err((Problem::value(message), reference.span.clone()))
        }
    };
    let (source, destination) = (texture(from)?, texture(to)?);
    let format = to.view.format.or(from.view.format);
    let format = format.unwrap_or(destination.shape().format);
    let (first, to_first) = (from.view.layer.unwrap_or(0), to.view.layer.unwrap_or(0));
    let all = if from.view.layer.is_some() || to.view.layer.is_some() { 1 } else { source.shape().layers };
    let count = from.view.layers.unwrap_or(all);
    let mut layers = Vec::new();
    for n in 0..count.min(source.shape().layers + 1) {
        let level = destination.level(to.view.mip.unwrap_or(0), to_first.saturating_add(n));
        let level = level.map_err(|error| (Problem::from(error), to.span.clone()))?;
        let layer = first.saturating_add(n);
        source.resolve_check(layer, &destination, &level, format).map_err(|error| (error.into(), at.head.clone()))?;
        layers.push((layer, level));
    }
    Ok(Action::Resolve { from: source, to: destination, layers, format })
}

fn clear<'a>(clear: &Clear, at: &At, world: &World<'_>) -> Result<Action<'a>, Fault> {
    let memory = world.find(&clear.resource.resource, &clear.resource.span)?;
    let of_depth = (clear.depth.is_some() || clear.stencil.is_some())
        .then_some(ClearValue::DepthStencil { depth: clear.depth, stencil: clear.stencil });
    let value = clear.color.map(ClearValue::Color).or(of_depth).or(clear.uint.map(ClearValue::Uint));
    let Some(value) = value else {
        return Err((Problem::value("a clear needs a value"), at.head.clone()));
    };
    if world.model().is_direct3d9 {
        let is_depth = matches!(value, ClearValue::DepthStencil { .. });
        world.check_role(if is_depth { Role::Depth } else { Role::Color }, &clear.resource)?;
    }
    match (memory, value) {
        // A name alone means the whole texture.
        (ResourceMemory::Texture(texture), value) if clear.resource.is_name() => {
            Ok(Action::Clear(vec![(View::texture(texture.clone()), value)]))
        }
        (ResourceMemory::Texture(_), value) => Ok(Action::Clear(vec![(world.target(&clear.resource)?, value)])),
        (ResourceMemory::Buffer(buffer), ClearValue::Uint([word, ..])) => {
            Ok(Action::Fill { buffer: buffer.clone(), word })
        }
        (ResourceMemory::Buffer(_), _) => {
            let message = format!("`{}` is a buffer, which is cleared with `uint`", clear.resource.resource);
            Err((Problem::value(message), at.head.clone()))
        }
    }
}
