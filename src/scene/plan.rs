//! Steps become actions: names are looked up, shaders compiled and bindings made before anything is drawn.

use brolga_bytecode::sm3::TextureType;
use brolga_runtime::{
    Bindings, Buffer, ClearValue, Dimension, Dispatch, Register, Shader, StageKind, Stages, TexelBox, Texture, View,
};

use super::direct3d9;
use super::document::Direct3D9;
use super::error::{Problem, SceneError};
use super::memory::{Memory, Role, World};
use super::names::Reference;
use super::pipelines::{Compiler, Uses};
use super::step::{self, Clear, CopyResource, IndexFormat, Step};
use crate::raster::{self, Bounds, DrawError, Pass, Pipeline, Targets, Viewport};

/// What to do.
#[derive(Debug)]
pub(super) enum Action<'a> {
    /// Clears what views see of textures.
    Clear(Vec<(View, ClearValue)>),
    /// Sets all words of a buffer.
    Fill { buffer: Buffer, word: u32 },
    /// Copies all bytes.
    Copy { from: Buffer, to: Buffer },
    /// Copies levels of layers of one texture to those of another.
    CopyLevels { from: Texture, to: Texture, levels: Vec<[TexelBox; 2]> },
    /// Makes mip levels of the first one that a view sees.
    GenerateMips { view: View },
    /// Runs a compute shader.
    Dispatch { shader: Shader, bindings: Bindings, dispatch: Dispatch },
    /// Draws.
    Draw(Box<Draw<'a>>),
}

/// A draw.
#[derive(Debug)]
pub(super) struct Draw<'a> {
    /// What the scene says of it.
    pub step: &'a step::Draw,
    pub targets: Targets,
    pipeline: Pipeline,
    /// What is bound to each shader.
    bindings: Stages<Bindings>,
    vertex_buffers: Vec<raster::VertexBuffer>,
    index_buffer: Option<raster::IndexBuffer>,
    /// The buffer with the counts, and where they begin, if they are not in the scene.
    arguments: Option<(Buffer, u64)>,
}

impl Draw<'_> {
    /// Whether another draws to the same targets.
    pub fn shares_targets(&self, other: &Self) -> bool {
        let [one, other] = [self.step, other.step];
        let is_read_only = |step: &step::Draw| [step.read_only_depth, step.read_only_stencil];
        one.targets == other.targets && one.depth == other.depth && is_read_only(one) == is_read_only(other)
    }

    /// Whether it may write what later draws read.
    pub fn writes_memory(&self) -> bool {
        self.step.bind.keys().any(|register| register.starts_with('u'))
    }

    /// What is wrong with it, in the words of its API.
    pub fn problem(&self, error: DrawError) -> Problem {
        match &self.step.direct3d9 {
            Some(_) => direct3d9::problem(error),
            None => error.into(),
        }
    }

    /// Adds it to a pass.
    pub fn add_to(&self, pass: &mut Pass<'_>) -> Result<usize, DrawError> {
        let step = self.step;
        let draw = raster::Draw {
            pipeline: &self.pipeline,
            bindings: Stages::from_fn(|stage| Some(&self.bindings[stage])),
            vertex_buffers: self.vertex_buffers.clone(),
            index_buffer: self.index_buffer.clone(),
            count: step.vertices.or(step.indices).unwrap_or(0),
            first: step.first_vertex.or(step.first_index).unwrap_or(0),
            base_vertex: step.base_vertex.unwrap_or(0),
            instances: step.instances.unwrap_or(1),
            first_instance: step.first_instance.unwrap_or(0),
            viewport: step.viewport.map(|[left, top, width, height, min_depth, max_depth]| Viewport {
                left,
                top,
                width,
                height,
                min_depth,
                max_depth,
            }),
            more_viewports: Vec::new(),
            scissor: step.scissor.map(|[left, top, right, bottom]| Bounds { left, top, right, bottom }),
            blend_factor: step.blend_factor.unwrap_or([1.0; 4]),
            sample_mask: step.sample_mask.unwrap_or(u32::MAX),
            stencil_reference: step.stencil_ref,
            direct3d9: step.direct3d9.as_ref().map_or_else(Default::default, |direct3d9| direct3d9.values.clone()),
        };
        match &self.arguments {
            None => pass.draw(&draw),
            Some((buffer, offset_bytes)) => pass.draw_indirect(&draw, buffer, *offset_bytes),
        }
    }
}

impl<'a> Action<'a> {
    /// What to do for the step at a place.
    pub fn new(
        place: &str,
        step: &'a Step,
        world: &World<'_>,
        compiler: &mut Compiler<'a, '_>,
    ) -> Result<Self, SceneError> {
        match step {
            Step::Clear(steps) => {
                let mut all = Vec::new();
                for step in steps {
                    match clear(place, step, world)? {
                        Action::Clear(clears) => all.extend(clears),
                        fill => return Ok(fill),
                    }
                }
                Ok(Action::Clear(all))
            }
            Step::Copy(step) => copy(place, step, world),
            Step::GenerateMips(step) => {
                let view = world.levels(&step.resource, || format!("{place}.resource"))?;
                Ok(Action::GenerateMips { view })
            }
            Step::Dispatch(step) => {
                let dispatch = match &step.arguments {
                    None => Dispatch::new(step.groups.unwrap_or([0; 3])),
                    Some(name) => {
                        let at = || format!("{place}.arguments");
                        let arguments = world.buffer(name, at)?;
                        Dispatch::indirect(arguments, step.arguments_offset.unwrap_or(0))
                            .map_err(|error| SceneError::new(at(), error))?
                    }
                };
                let bindings = world.bindings(place, StageKind::Compute, &step.bind)?;
                let shader = compiler.dispatches(place, &step.pipeline)?;
                compiler.note_unbound(place, &step.pipeline, StageKind::Compute, &shader, &bindings);
                Ok(Action::Dispatch { shader, bindings, dispatch })
            }
            Step::Draw(step) => draw(place, step, world, compiler).map(|draw| Action::Draw(Box::new(draw))),
        }
    }
}

fn draw<'a>(
    place: &str,
    step: &'a step::Draw,
    world: &World<'_>,
    compiler: &mut Compiler<'a, '_>,
) -> Result<Draw<'a>, SceneError> {
    let colors = step.targets.iter().enumerate();
    let is_direct3d9 = step.direct3d9.is_some();
    let color_at = |n| if is_direct3d9 { format!("{place}.target") } else { format!("{place}.targets[{n}]") };
    let depth_at = || format!("{place}.{}", if is_direct3d9 { "depth_target" } else { "depth" });
    let colors = colors.map(|(n, target)| world.target_of(Role::Color, target, || color_at(n)));
    let colors = colors.collect::<Result<Vec<_>, _>>()?;
    let depth = step.depth.as_ref().map(|depth| world.target_of(Role::Depth, depth, depth_at)).transpose()?;
    check_extents(step, &colors, depth.as_ref()).map_err(|message| SceneError::value(depth_at(), message))?;
    let bindings = world.bindings(place, StageKind::Pixel, &step.bind)?;
    let of_vertices = step.direct3d9.as_ref();
    let of_vertices = of_vertices.map(|direct3d9| world.bindings(place, StageKind::Vertex, &direct3d9.vertex_bind));
    let vertex_bindings = of_vertices.transpose()?;
    // What of a depth buffer may be read depends on what the draw writes of it, which the draw checks.
    let written = || colors.iter().chain(depth.iter().filter(|_| !step.read_only_depth && !step.read_only_stencil));
    for (register, read) in bindings.iter() {
        if written().any(|target| target.overlaps(read)) {
            let slot = register.to_string();
            let name = step.bind.get(&slot).map_or("", |reference| &reference.resource);
            let message = format!("the draw reads `{name}` while it draws to it: read a copy instead");
            return Err(SceneError::value(format!("{place}.bind.{}", world.written(StageKind::Pixel, &slot)), message));
        }
    }
    let vertex_buffers = step.vertex_buffers.iter().enumerate().map(|(n, buffer)| {
        Ok(raster::VertexBuffer {
            buffer: world.buffer(&buffer.buffer, || format!("{place}.vertex_buffers[{n}].buffer"))?,
            offset_bytes: buffer.offset,
            stride_bytes: buffer.stride,
        })
    });
    let index_buffer = step.index_buffer.as_ref().map(|buffer| {
        Ok(raster::IndexBuffer {
            buffer: world.buffer(&buffer.buffer, || format!("{place}.index_buffer.buffer"))?,
            offset_bytes: buffer.offset,
            is_short: buffer.format == IndexFormat::Short,
        })
    });
    let arguments = step.arguments.as_ref().map(|name| {
        let buffer = world.buffer(name, || format!("{place}.arguments"))?;
        Ok((buffer, step.arguments_offset.unwrap_or(0)))
    });
    if let Some(Direct3D9 { input_layout, .. }) = compiler.find(place, &step.pipeline)?.direct3d9.as_ref() {
        direct3d9::check_vertices(place, step, input_layout, world)?;
    }
    let formats = colors.iter().filter_map(View::format).collect();
    let depth_format = depth.as_ref().and_then(View::subresources).map(|part| part.texture.shape().format);
    let depth = depth.map(|view| raster::DepthView {
        view,
        has_read_only_depth: step.read_only_depth,
        has_read_only_stencil: step.read_only_stencil,
    });
    let uses = Uses {
        formats,
        depth_format,
        draws_mesh: step.mesh.is_some(),
        textures: stage_textures(&bindings),
        compared: compared(&bindings),
    };
    let pipeline = compiler.draws(place, &step.pipeline, uses)?;
    let mut bindings = Stages::from(bindings);
    if let Some(of_vertices) = vertex_bindings {
        bindings[StageKind::Vertex] = of_vertices;
    }
    for (stage, shader) in pipeline.shaders().present() {
        compiler.note_unbound(place, &step.pipeline, stage, shader, &bindings[stage]);
    }
    Ok(Draw {
        step,
        pipeline,
        bindings,
        vertex_buffers: vertex_buffers.collect::<Result<_, _>>()?,
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
        format.is_some_and(raster::TextureFormat::compares)
    };
    (0..16).filter(is_compared).collect()
}

/// Checks that a depth buffer is as large as what is drawn to.
fn check_extents(step: &step::Draw, colors: &[View], depth: Option<&View>) -> Result<(), String> {
    let extents = |view: &View| {
        let part = view.subresources()?;
        part.texture.level(part.mips.start, 0).ok().map(|level| level.extents)
    };
    let Some([depth_width, depth_height, _]) = depth.and_then(extents) else { return Ok(()) };
    for (target, view) in step.targets.iter().zip(colors) {
        if let Some([width, height, _]) = extents(view)
            && (depth_width < width || depth_height < height)
        {
            let depth = step.depth.as_ref().map_or("", |depth| &depth.resource);
            return Err(format!(
                "`{depth}` has {depth_width} x {depth_height} pixels, and the target `{}` {width} x {height}: a depth \
                 buffer must be as large as the target",
                target.resource
            ));
        }
    }
    Ok(())
}

fn copy<'a>(place: &str, step: &CopyResource, world: &World<'_>) -> Result<Action<'a>, SceneError> {
    let at = |key: &'static str| move || format!("{place}.{key}");
    let (from, to) = (world.find(&step.from.resource, at("from"))?, world.find(&step.to.resource, at("to"))?);
    if !(step.from.is_whole() && step.to.is_whole()) {
        let (Memory::Texture(from), Memory::Texture(to)) = (from, to) else {
            return Err(SceneError::value(place, "only textures have levels and layers that can be copied"));
        };
        return copy_levels(place, (from, &step.from), (to, &step.to));
    }
    let is_same = match (from, to) {
        (Memory::Texture(from), Memory::Texture(to)) => from.shape() == to.shape(),
        (Memory::Buffer(from), Memory::Buffer(to)) => from.size_bytes() == to.size_bytes(),
        _ => false,
    };
    match is_same {
        true => Ok(Action::Copy { from: from.bytes().clone(), to: to.bytes().clone() }),
        false => Err(SceneError::unsupported(place, "copies between resources of different kinds or shapes are")),
    }
}

/// Copies of the levels and layers that references name: of one where they name one, else of all from there on.
fn copy_levels<'a>(
    place: &str,
    (from, read): (&Texture, &Reference),
    (to, written): (&Texture, &Reference),
) -> Result<Action<'a>, SceneError> {
    for (key, reference) in [("from", read), ("to", written)] {
        if reference.view.is_some() {
            return Err(SceneError::value(format!("{place}.{key}.view"), "what is copied is not seen in any way"));
        }
    }
    if from.shape().format != to.shape().format {
        return Err(SceneError::unsupported(place, "copies between textures of different formats are"));
    }
    let starts = |reference: &Reference| [reference.mip.unwrap_or(0), reference.layer.unwrap_or(0)];
    let ([mip, layer], [to_mip, to_layer]) = (starts(read), starts(written));
    let mips = read.mips.or(read.mip.map(|_| 1)).unwrap_or(from.shape().mips);
    let layers = read.layer.map_or(from.shape().layers, |_| 1);
    let mut levels = Vec::new();
    for layer_on in 0..layers {
        // More levels than there are fail at the first one that is not there.
        for mip_on in 0..mips.min(from.shape().mips + 1) {
            let level = |key: &str, texture: &Texture, mip: u32, layer: u32| {
                let level = texture.level(mip.saturating_add(mip_on), layer.saturating_add(layer_on));
                level.map_err(|error| SceneError::new(format!("{place}.{key}"), error))
            };
            let [part, at] = [level("from", from, mip, layer)?, level("to", to, to_mip, to_layer)?];
            if part.extents != at.extents {
                let [[width, height, depth], [to_width, to_height, to_depth]] = [part.extents, at.extents];
                let message = format!(
                    "level {} of `from` has {width} x {height} x {depth} texels, level {} of `to` has {to_width} x \
                     {to_height} x {to_depth}: they must be the same",
                    part.mip, at.mip
                );
                return Err(SceneError::value(place, message));
            }
            levels.push([part, at]);
        }
    }
    Ok(Action::CopyLevels { from: from.clone(), to: to.clone(), levels })
}

fn clear<'a>(place: &str, clear: &Clear, world: &World<'_>) -> Result<Action<'a>, SceneError> {
    let memory = world.find(&clear.resource.resource, || format!("{place}.resource"))?;
    let of_depth = (clear.depth.is_some() || clear.stencil.is_some())
        .then_some(ClearValue::DepthStencil { depth: clear.depth, stencil: clear.stencil });
    let given = [clear.color.map(ClearValue::Color), of_depth, clear.uint.map(ClearValue::Uint)];
    let mut given = given.into_iter().flatten();
    let (Some(value), None) = (given.next(), given.next()) else {
        return Err(SceneError::value(place, "a clear has either `color`, `depth` and `stencil`, or `uint`"));
    };
    if world.is_direct3d9() {
        let is_depth = matches!(value, ClearValue::DepthStencil { .. });
        let (role, key) = if is_depth { (Role::Depth, "depth_target") } else { (Role::Color, "target") };
        world.check_role(role, &clear.resource.resource, || format!("{place}.{key}"))?;
    }
    match (memory, value) {
        // A name alone is all of a texture.
        (Memory::Texture(texture), value) if clear.resource.is_name() => {
            Ok(Action::Clear(vec![(View::texture(texture.clone()), value)]))
        }
        (Memory::Texture(_), value) => {
            Ok(Action::Clear(vec![(world.target(&clear.resource, || format!("{place}.resource"))?, value)]))
        }
        (Memory::Buffer(buffer), ClearValue::Uint([word, ..])) => Ok(Action::Fill { buffer: buffer.clone(), word }),
        (Memory::Buffer(_), _) => {
            let message = format!("`{}` is a buffer, which is cleared with `uint`", clear.resource.resource);
            Err(SceneError::value(place, message))
        }
    }
}
