//! Defines draws with fixed inputs that are extremes for rasterizers. A million small triangles, fifty layers of
//! blending, fifty opaque ones of which the first hides all others, one quad over the target; 1024 x 1024 pixels in
//! RGBA8, and 32-bit depth if it is tested.

use std::path::Path;

use brolga_runtime::{
    AddressMode, BindingRules, Bindings, Buffer, Codegen, CompileOptions, Device, Engine, Error, Filter, Format,
    Module, Register, Sampler, Tap, Texture, TextureShape, View,
};

use brolga_bench::{Measured, Sample, Series, Stopwatch};
use brolga_document::{DocumentError, Problem, RunOptions};
use brolga_raster::error::DrawError;
use brolga_raster::layout::InputElement;
use brolga_raster::pass::{Draw, Pass};
use brolga_raster::pipeline::{Pipeline, PipelineDesc};
use brolga_raster::state::{ALPHA_BLEND, Cull, DepthState, TargetState};
use brolga_raster::statistics::Statistics;
use brolga_raster::tiles::targets::{DepthView, Targets};
use brolga_raster::vertices::indices::IndexBuffer;

const VERTEX_SHADER: &[u8] = include_bytes!("shaders/lit_vs.cso");
const TEXTURED: &[u8] = include_bytes!("shaders/lit_textured_ps.cso");
const THREE: &[u8] = include_bytes!("shaders/lit_three_ps.cso");
const PLAIN: &[u8] = include_bytes!("shaders/lit_plain_ps.cso");

/// The number of layers, where there are many.
const LAYERS: u32 = 50;

/// The width and height of the target in pixels.
const SIZE: u32 = 1024;
const COLOR: Format = Format::R8G8B8A8_UNORM;
const DEPTH: Format = Format::D32_FLOAT;

/// Position, texture coordinates, normal.
type Vertex = [f32; 8];

/// The geometry of a draw.
struct Mesh {
    vertices: Vec<Vertex>,
    indices: Vec<u32>,
}

/// Numbers that look random and are the same in each run, from 0 to 1.
struct Random(u32);

impl Random {
    fn next(&mut self) -> f32 {
        self.0 = self.0.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (self.0 >> 8) as f32 / (1 << 24) as f32
    }
}

/// Three sheets of 408 x 408 cells, one behind the other: 998,784 triangles of about 3 pixels, drawn in the order
/// given.
fn sheets(order: [u32; 3]) -> Mesh {
    const CELLS: u32 = 408;
    let mut random = Random(1);
    let (mut vertices, mut indices) = (Vec::new(), Vec::new());
    for sheet in order {
        let (z, base) = (0.2 + 0.2 * sheet as f32, vertices.len() as u32);
        for (y, x) in (0..=CELLS).flat_map(|y| (0..=CELLS).map(move |x| (y as f32, x as f32))) {
            let w = 1.0 + 0.25 * z;
            let [px, py] = [x, y].map(|at| ((at + random.next() * 0.4 - 0.2) / CELLS as f32 * 2.0 - 1.0) * w);
            let normal = [0.3 * (x * 0.1).sin(), 0.3 * (y * 0.13).cos(), 1.0];
            let depth = z + random.next() * 0.05;
            vertices.push([px, py, depth, x * 0.01, y * 0.01, normal[0], normal[1], normal[2]]);
        }
        for (y, x) in (0..CELLS).flat_map(|y| (0..CELLS).map(move |x| (y, x))) {
            let a = base + y * (CELLS + 1) + x;
            let (b, c, d) = (a + 1, a + CELLS + 1, a + CELLS + 2);
            indices.extend([a, c, b, b, c, d]);
        }
    }
    Mesh { vertices, indices }
}

/// Quads over all of the target: a number of layers, each at a position of its own.
fn layers(count: u32, place: impl Fn(u32) -> LayerPosition) -> Mesh {
    let (mut vertices, mut indices) = (Vec::new(), Vec::new());
    for layer in 0..count {
        let LayerPosition { angle, scale, depth } = place(layer);
        let (sin, cos) = angle.sin_cos();
        for corner in 0..4 {
            let [x, y] = [corner & 1, corner >> 1].map(|side| if side == 1 { 1.0_f32 } else { -1.0 });
            let z = depth + 0.3 * y;
            let (w, px, py) = (1.0 + 0.25 * z, (x * cos - y * sin) * scale, (x * sin + y * cos) * scale);
            vertices.push([px * w, py * w, z, x * 2.0, y * 2.0, 0.3 * x, 0.3 * y, 1.0]);
        }
        let first = 4 * layer;
        indices.extend([first, first + 2, first + 1, first + 1, first + 2, first + 3]);
    }
    Mesh { vertices, indices }
}

/// The position of a layer.
struct LayerPosition {
    angle: f32,
    scale: f32,
    /// The depth of its centre.
    depth: f32,
}

/// A single quad.
fn one() -> Mesh {
    layers(1, |_| LayerPosition { angle: 0.0, scale: 1.0, depth: 0.5 })
}

/// Layers that are each rotated a little against the one before.
fn turned() -> Mesh {
    layers(LAYERS, |layer| LayerPosition { angle: layer as f32 * 0.1, scale: 1.1, depth: 0.5 })
}

/// Layers that are each behind the one before.
fn front_to_back() -> Mesh {
    layers(LAYERS, |layer| LayerPosition { angle: 0.0, scale: 1.0, depth: 0.35 + 0.006 * layer as f32 })
}

/// The names of all drawings.
pub const DRAWINGS: [&str; 8] =
    ["small", "small_back_to_front", "layers", "layers_textured", "opaque", "quad", "quad_textured", "quad_three"];

/// The geometry and the state of a drawing.
struct Scene {
    mesh: Mesh,
    pixel: &'static [u8],
    target: TargetState,
    tests_depth: bool,
}

impl Scene {
    fn new(name: &str) -> Option<Self> {
        let scene = |mesh, pixel| Self { mesh, pixel, target: TargetState::new(COLOR), tests_depth: false };
        let blended = |pixel| Self { target: TargetState::blended(COLOR, ALPHA_BLEND), ..scene(turned(), pixel) };
        let tested = |mesh| Self { tests_depth: true, ..scene(mesh, TEXTURED) };
        Some(match name {
            "small" => tested(sheets([1, 0, 2])),
            "small_back_to_front" => tested(sheets([2, 1, 0])),
            "layers" => blended(PLAIN),
            "layers_textured" => blended(TEXTURED),
            "opaque" => tested(front_to_back()),
            "quad" => scene(one(), PLAIN),
            "quad_textured" => scene(one(), TEXTURED),
            "quad_three" => scene(one(), THREE),
            _ => return None,
        })
    }
}

/// One of [`DRAWINGS`] on a device, with everything that a frame needs.
#[derive(Debug)]
pub struct Drawing {
    device: Device,
    pipeline: Pipeline,
    bindings: Bindings,
    vertices: Buffer,
    indices: Buffer,
    count: u32,
    targets: Targets,
    /// Set if targets are cleared, which is unnecessary if the scene covers them.
    clears: bool,
    compiling: Sample,
}

impl Drawing {
    /// Makes its pipeline and its inputs; `None` if there is no drawing with this name.
    ///
    /// # Errors
    /// If the device's limits are too low for it.
    pub fn new(name: &str, device: &Device, engine: Engine) -> Option<Result<Self, DrawError>> {
        Scene::new(name).map(|scene| Self::of(&scene, device, engine))
    }

    fn of(scene: &Scene, device: &Device, engine: Engine) -> Result<Self, DrawError> {
        let &Scene { ref mesh, target, tests_depth: tests, .. } = scene;
        let watch = Stopwatch::start();
        let [vertex, pixel] = [VERTEX_SHADER, scene.pixel].map(|bytes| Module::load(bytes, device.limits()));
        let mut desc = PipelineDesc::new(&vertex?, Some(&pixel?))
            .input(InputElement::new("POSITION", Format::R32G32B32_FLOAT, 0))
            .input(InputElement::new("TEXCOORD", Format::R32G32_FLOAT, 12))
            .input(InputElement::new("NORMAL", Format::R32G32B32_FLOAT, 20))
            .target(target);
        desc.rasterizer.cull = Cull::None;
        desc.depth = DepthState { enable: tests, ..DepthState::default() };
        desc.depth_format = tests.then_some(DEPTH);
        // Machine code is specific to the formats that are bound: none is needed before.
        desc.options = CompileOptions::new(engine).codegen(Codegen::Deferred).into();
        let pipeline = Pipeline::new(device, &desc)?;
        let compiling = watch.stop();

        // w = 1 + 0.25 z: a little perspective.
        let mut transform = [[0.0_f32; 4]; 4];
        for (n, column) in transform.iter_mut().enumerate() {
            column[n] = 1.0;
        }
        transform[2][3] = 0.25;
        let texels: Vec<u32> = (0..256 * 256_u32)
            .map(|n| {
                let (x, y) = (n % 256, n / 256);
                let color = if (x / 8 + y / 8) % 2 == 1 { 0xc0_a060 } else { 0x40_c0e0 };
                color + (x * 3 % 32) + ((128 + (y & 127)) << 24)
            })
            .collect();
        let picture = device.texture_from(TextureShape::texture_2d(COLOR, 256, 256), &texels)?;
        let sampler = Sampler {
            filter: Filter { minify: Tap::Linear, magnify: Tap::Linear, ..Filter::default() },
            address: [AddressMode::Wrap; 3],
            ..Sampler::default()
        };
        let mut bindings = Bindings::with_rules(BindingRules::DIRECT3D);
        let constants = device.buffer_from(transform.as_flattened())?;
        bindings.set(Register::b(0), View::constant(constants)?);
        bindings.set(Register::t(0), View::texture(picture));
        bindings.set(Register::s(0), View::sampler(sampler)?);

        let texture =
            |format| -> Result<Texture, Error> { device.texture(TextureShape::texture_2d(format, SIZE, SIZE)) };
        Ok(Self {
            pipeline,
            bindings,
            vertices: device.buffer_from(mesh.vertices.as_flattened())?,
            indices: device.buffer_from(&mesh.indices)?,
            count: mesh.indices.len() as u32,
            targets: Targets {
                colors: vec![View::texture(texture(COLOR)?)],
                depth: tests.then(|| texture(DEPTH)).transpose()?.map(DepthView::from),
            },
            clears: mesh.indices.len() > 6,
            compiling,
            device: device.clone(),
        })
    }

    /// The time to make the pipeline. The first frame takes the rest.
    pub fn compiling(&self) -> Sample {
        self.compiling
    }

    /// Clears the targets, and draws.
    ///
    /// # Errors
    /// If a shader does not compile.
    pub fn draw(&self) -> Result<Statistics, DrawError> {
        let mut pass = Pass::new(&self.device, self.targets.clone())?;
        if self.clears {
            pass.clear_color(0, [0.0, 0.0, 0.0, 1.0])?;
            if self.targets.depth.is_some() {
                pass.clear_depth(1.0)?;
            }
        }
        let index_buffer = IndexBuffer { buffer: self.indices.clone(), offset_bytes: 0, is_short: false };
        let draw = Draw::new(&self.pipeline, self.count).bindings(&self.bindings);
        pass.draw(&draw.vertex_buffer(self.vertices.clone(), 32).index_buffer(index_buffer))?;
        Ok(pass.finish()?.into_iter().fold(Statistics::default(), |mut sum, one| {
            sum += one;
            sum
        }))
    }
}

impl Measured for Drawing {
    fn frame(&self) -> Result<Statistics, DocumentError> {
        self.draw().map_err(|error| DocumentError::outside(Path::new(""), Problem::Draw(error)))
    }
}

/// A drawing to be measured, after its first frame; `None` if there is none of this name.
///
/// # Errors
/// If the device's limits are too low for it.
pub fn drawing_series<'a>(
    name: &str,
    device: &'a Device,
    options: &RunOptions,
) -> Option<Result<Series<'a>, DocumentError>> {
    let failed = |error| DocumentError::outside(Path::new(""), Problem::Draw(error));
    let drawing = Drawing::new(name, device, options.engine)?;
    Some(drawing.map_err(failed).and_then(|drawing| {
        let compiling = drawing.compiling();
        Series::of(drawing, device, options, compiling)
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sheets and quads cover every pixel, quads once in each layer. Sheets have folds, since perspective moves their
    /// vertices; rotated layers may leave the target's corners uncovered.
    #[test]
    fn drawings_cover_what_they_should() {
        let device = Device::builder().threads(1).build().unwrap();
        let all = u64::from(SIZE) * u64::from(SIZE);
        for name in DRAWINGS {
            let drawing = Drawing::new(name, &device, Engine::Jit).unwrap().unwrap();
            let found = drawing.draw().unwrap();
            let (triangles, samples) = match name {
                "small" | "small_back_to_front" => (998_784, all..=4 * all),
                "quad" | "quad_textured" | "quad_three" => (2, all..=all),
                // The first layer hides all others.
                "opaque" => (100, all..=all),
                _ => (100, 40 * all..=50 * all),
            };
            assert_eq!(found.primitives, triangles, "{name}");
            assert!(samples.contains(&found.samples), "{name}: {} pixels", found.samples);
        }
        assert!(Drawing::new("triangle", &device, Engine::Jit).is_none());
    }
}
