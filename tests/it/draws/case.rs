//! Draws one case: two shaders with resources, vertices, state and draws, all of it data; and the resulting picture on
//! a device.

use brolga::raster::{
    Bounds, DepthView, Draw, DrawError, IndexBuffer, Pass, Pipeline, PipelineDesc, Targets, Viewport,
};
use brolga::{
    Codegen, CompileOptions, Device, Dispatch, Engine, Error, ErrorKind, InstanceError, Level, Oversize, Register,
    ResourceClass, StageKind, Texture, TextureShape, View,
};
use brolga_testing::bound;
use brolga_testing::bound::backing::{Difference, Left};
use brolga_testing::bound::content::{Contents, Form, Guarded};
use brolga_testing::bound::random::{Random as Content, contents};
use brolga_testing::random::Random;
use brolga_testing::run::module;

use super::geometry::{Geometry, VERTICES, indices};
use super::shaders::Shader;
use super::state::{State, Surface};

/// Iterations of loops for a batch of invocations: random data makes some loops endless.
const FUEL: u64 = 500;

/// The content of constant buffers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Constants {
    /// Matrices near the identity, vector by vector, so that triangles stay on the screen.
    Matrices,
    /// Small integers, so that loops are short.
    Small,
    /// Words of all kinds.
    Wild,
}

/// One draw of a case.
struct OneDraw {
    count: u32,
    first: u32,
    base_vertex: i32,
    instances: u32,
    first_instance: u32,
    indices: Option<(Vec<u32>, bool)>,
    viewport: Option<Viewport>,
    scissor: Option<Bounds>,
}

/// The pieces in which a case is drawn; the picture is the same.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Order {
    /// All draws wait for each other.
    Together,
    /// Each draw ends before the next one begins.
    Apart,
    /// Likewise, and each draws to one small square of the targets after the other.
    InSquares,
}

/// Two shaders, and all that their picture needs.
pub struct Case<'a> {
    vertex: &'a Shader,
    pixel: &'a Shader,
    resources: [Contents; 2],
    geometry: Geometry,
    state: State,
    draws: Vec<OneDraw>,
}

/// The results of a case.
#[derive(Clone, PartialEq, Eq)]
pub struct Picture {
    pub colors: Vec<Vec<u8>>,
    pub depths: Option<Vec<u8>>,
    /// For each draw the samples that passed all tests.
    pub samples: Vec<u64>,
    /// The content behind the registers of both shaders.
    pub left: Vec<Left>,
}

impl<'a> Case<'a> {
    /// A case with random content; a plain one keeps every bit that the pixel shader writes.
    ///
    /// # Errors
    /// If a shader does not compile.
    pub fn new(
        device: &Device,
        [vertex, pixel]: [&'a Shader; 2],
        is_plain: bool,
        constants: Constants,
        seed: u64,
    ) -> Result<Self, Error> {
        let mut random = Random(seed);
        // Several tiles, incomplete at the right and the bottom.
        let size = [87, 71];
        let is_wild = constants == Constants::Wild;
        let mut resources = [Contents::new(), Contents::new()];
        for (contents, shader) in resources.iter_mut().zip([vertex, pixel]) {
            *contents = resources_of(device, shader, constants, &mut random)?;
        }
        let geometry = Geometry::new(vertex, size, is_wild, &mut random);
        let state = match is_plain {
            true => State::plain(pixel, size, &mut random),
            false => State::any(pixel, size, &mut random),
        };
        let mut draws = vec![OneDraw::whole()];
        if !is_plain {
            draws.push(OneDraw::indexed(&mut random));
            draws.push(OneDraw::part(&state, &mut random));
        }
        Ok(Self { vertex, pixel, resources, geometry, state, draws })
    }

    /// Compiles both shaders with the state around them.
    ///
    /// # Errors
    /// If they do not fit, or something is not supported.
    pub fn pipeline(&self, device: &Device, engine: Engine, level: Level) -> Result<Pipeline, DrawError> {
        let mut desc = PipelineDesc::new(&module(&self.vertex.bytes), Some(&module(&self.pixel.bytes)));
        desc.input_layout = self.geometry.layout.clone();
        desc.topology = self.state.topology;
        desc.rasterizer = self.state.rasterizer;
        desc.depth = self.state.depth;
        desc.stencil = self.state.stencil;
        desc.alpha_to_coverage = self.state.alpha_to_coverage;
        (desc.samples, desc.center_pattern) = (self.state.samples, self.state.center_pattern);
        desc.targets = self.state.targets.clone();
        desc.depth_format = self.state.depth_buffer.as_ref().map(|surface| surface.format);
        let options = CompileOptions::new(engine).level(level).oversize(Oversize::Refuse);
        desc.options[StageKind::Vertex] = with_instances(device, self.vertex, options.clone());
        desc.options[StageKind::Pixel] = with_instances(device, self.pixel, options);
        Pipeline::new(device, &desc)
    }

    /// Draws. `None` if a shader was stopped because its loops are too long.
    ///
    /// # Errors
    /// If something does not fit.
    pub fn draw(&self, device: &Device, pipeline: &Pipeline, order: Order) -> Result<Option<Picture>, DrawError> {
        let texture = |surface: &Surface| -> Result<Texture, Error> {
            let State { size: [width, height], samples, center_pattern, .. } = self.state;
            let shape = TextureShape::texture_2d(surface.format, width, height);
            let shape = if samples > 1 { shape.samples(samples).center_pattern(center_pattern) } else { shape };
            device.texture_from(shape, &surface.bytes)
        };
        let colors = self.state.colors.iter().map(texture).collect::<Result<Vec<_>, _>>()?;
        let depth = self.state.depth_buffer.as_ref().map(texture).transpose()?;
        let bound = self.resources.each_ref().map(|contents| Guarded::bind(contents, device));

        let views = colors.iter().cloned().map(View::texture).collect();
        let targets = Targets { colors: views, depth: depth.clone().map(DepthView::from) };
        let mut pass = Pass::new(device, targets)?.with_limits(&Dispatch::new([0; 3]).fuel(FUEL));
        // Numbers of the pass's draws that are draws of the case.
        let mut numbers = Vec::new();
        let mut result = Ok(());
        for one in &self.draws {
            let draw = self.resolve(device, pipeline, one, &bound)?;
            let parts = order.parts(draw, self.state.size).into_iter().map(|part| pass.draw(&part));
            numbers.push(parts.collect::<Result<Vec<usize>, _>>()?);
            if order != Order::Together && result.is_ok() {
                result = pass.flush();
            }
        }
        let statistics = match result.and_then(|()| pass.finish()) {
            Err(error) if error.kind() == ErrorKind::Stopped => return Ok(None),
            statistics => statistics?,
        };
        let read = |texture: &Texture| texture.buffer().to_vec::<u8>();
        let mut left = Vec::new();
        for guarded in &bound {
            left.extend(guarded.left().unwrap_or_else(|register| panic!("bytes around {register} changed")));
        }
        Ok(Some(Picture {
            colors: colors.iter().map(read).collect::<Result<_, _>>()?,
            depths: depth.as_ref().map(read).transpose()?,
            samples: numbers.into_iter().map(|parts| parts.into_iter().map(|n| statistics[n].samples).sum()).collect(),
            left,
        }))
    }

    /// `true` if a shader writes to memory, which it may do in any order.
    pub fn writes_memory(&self) -> bool {
        let is_written = |register: &Register| register.class == ResourceClass::UnorderedAccess;
        self.resources.iter().flatten().any(|(register, _)| is_written(register))
    }

    /// `true` if a picture differs from the initial content.
    pub fn is_drawn(&self, picture: &Picture) -> bool {
        let first = |surface: &Surface, bytes: &Vec<u8>| surface.bytes == *bytes;
        let depths = self.state.depth_buffer.as_ref().zip(picture.depths.as_ref());
        let is_same = self.state.colors.iter().zip(&picture.colors).chain(depths).all(|(a, b)| first(a, b));
        !is_same || self.writes_memory()
    }

    fn resolve<'p>(
        &self,
        device: &Device,
        pipeline: &'p Pipeline,
        one: &OneDraw,
        [vertex, pixel]: &'p [Guarded; 2],
    ) -> Result<Draw<'p>, DrawError> {
        let mut draw = Draw::new(pipeline, one.count);
        draw.bindings[StageKind::Vertex] = Some(&vertex.bindings);
        draw.bindings[StageKind::Pixel] = Some(&pixel.bindings);
        for buffer in &self.geometry.buffers {
            draw = draw.vertex_buffer(device.buffer_from(&buffer.bytes)?, buffer.stride_bytes);
        }
        (draw.first, draw.base_vertex) = (one.first, one.base_vertex);
        (draw.instances, draw.first_instance) = (one.instances, one.first_instance);
        (draw.viewport, draw.scissor) = (one.viewport, one.scissor);
        (draw.blend_factor, draw.sample_mask) = (self.state.blend_factor, self.state.sample_mask);
        draw.stencil_reference = self.state.stencil_reference;
        let Some((indices, is_short)) = &one.indices else { return Ok(draw) };
        let short = indices.iter().map(|&index| index as u16).collect::<Vec<_>>();
        let buffer = if *is_short { device.buffer_from(&short)? } else { device.buffer_from(indices)? };
        Ok(draw.index_buffer(IndexBuffer { buffer, offset_bytes: 0, is_short: *is_short }))
    }
}

/// Options with the first class instance that fits for each interface variable of a shader.
fn with_instances(device: &Device, shader: &Shader, mut options: CompileOptions) -> CompileOptions {
    let alone = options.clone().codegen(Codegen::Deferred);
    if let Err(Error::Instance(error)) = device.compile(&shader.bytes, &alone)
        && let InstanceError::Unset { unset } = &*error
    {
        for variable in unset {
            let first = variable.fits.first().map_or("", String::as_str);
            options = options.instance(&variable.variable, first);
        }
    }
    options
}

impl OneDraw {
    /// All vertices, once.
    fn whole() -> Self {
        Self {
            count: VERTICES as u32,
            first: 0,
            base_vertex: 0,
            instances: 1,
            first_instance: 0,
            indices: None,
            viewport: None,
            scissor: None,
        }
    }

    /// Some vertices through indices, in several instances.
    fn indexed(random: &mut Random) -> Self {
        let is_short = random.one_in(2);
        Self {
            count: 54,
            first: random.below(4) as u32,
            base_vertex: random.pick(&[0, 0, 3, -2]),
            instances: 1 + random.below(4) as u32,
            first_instance: random.below(2) as u32,
            indices: Some((indices(56, is_short, random), is_short)),
            ..Self::whole()
        }
    }

    /// The last vertices, into a part of the targets.
    fn part(state: &State, random: &mut Random) -> Self {
        Self {
            count: 37,
            first: 80,
            viewport: Some(state.viewport(random)),
            scissor: Some(state.scissor(random)).filter(|_| random.one_in(2)),
            ..Self::whole()
        }
    }
}

impl Order {
    /// The draws that make up a draw.
    fn parts(self, draw: Draw<'_>, [width, height]: [u32; 2]) -> Vec<Draw<'_>> {
        if self != Order::InSquares {
            return vec![draw];
        }
        let all = Bounds { left: 0, top: 0, right: width as i32, bottom: height as i32 };
        // Quads and tiles are cut, too.
        let starts = |end: i32| (-3..end).step_by(8);
        let squares = starts(all.bottom).flat_map(|top| starts(all.right).map(move |left| (left, top)));
        let part = |(left, top)| {
            let mut part = draw.clone();
            let square = Bounds { left, top, right: left + 8, bottom: top + 8 };
            part.scissor = Some(draw.scissor.unwrap_or(all).intersect(square));
            part
        };
        squares.map(part).collect()
    }
}

impl Picture {
    /// The difference from another picture.
    pub fn difference(&self, other: &Picture) -> Option<String> {
        for (n, (one, other)) in self.colors.iter().zip(&other.colors).enumerate() {
            if let Some(at) = one.iter().zip(other).position(|(one, other)| one != other) {
                return Some(format!("target {n} differs first at byte {at} of {}", one.len()));
            }
        }
        if let (Some(one), Some(other)) = (&self.depths, &other.depths)
            && let Some(at) = one.iter().zip(other).position(|(one, other)| one != other)
        {
            return Some(format!("the depth buffer differs first at byte {at} of {}", one.len()));
        }
        if self.samples != other.samples {
            return Some(format!("{:?} samples passed, not {:?}", other.samples, self.samples));
        }
        Difference::first(&self.left, &other.left).map(|difference| difference.to_string())
    }
}

/// Random content for all that a shader declares.
fn resources_of(
    device: &Device,
    shader: &Shader,
    constants: Constants,
    random: &mut Random,
) -> Result<Contents, Error> {
    let compiled = bound::compile(device, &shader.bytes, Engine::Interpreter)?;
    let seed = random.bits();
    let mut content = if constants == Constants::Small { Content::tame(seed) } else { Content::wild(seed) };
    let mut contents = contents(&compiled, &mut content);
    for (_, content) in &mut contents {
        if content.form == Form::Constant && constants == Constants::Matrices {
            let words = (0..content.bytes.len() / 4).map(|n| match n / 4 % 4 == n % 4 {
                true => 1.0_f32.to_bits(),
                // As floats these are 0.
                false if random.one_in(2) => random.below(6) as u32,
                false => (random.below(200) as f32 / 1000.0 - 0.1).to_bits(),
            });
            content.bytes = words.flat_map(u32::to_le_bytes).collect();
        }
    }
    Ok(contents)
}
