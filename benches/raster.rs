//! Frames of a rasterizer's extremes, on one thread: a million small triangles, fifty layers of blending, one quad over all.
//!
//! `cargo bench --bench raster` measures all of them, `-- small` those of that name. 1024 x 1024 pixels, RGBA8, and a 32-bit depth
//! buffer where depth is tested. `-- --frames small 1` draws frames of one of them for a second, on so many threads, and prints what
//! the fastest took, and the first one with all that is compiled for it: the lines that `scripts/raster_peers.py` compares.

use std::hint::black_box;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use brolga::bench::{Sample, Stopwatch};
use brolga::raster::{
    ALPHA_BLEND, Cull, DepthState, Draw, IndexBuffer, InputElement, Pass, Pipeline, PipelineDesc, Statistics,
    TargetState, Targets,
};
use brolga::{
    AddressMode, Bindings, Buffer, Codegen, CompileOptions, Device, Filter, Format, Register, Sampler, Tap, Texture,
    TextureShape, View,
};
use criterion::Criterion;

const VERTEX_SHADER: &[u8] = include_bytes!("shaders/lit_vs.cso");
const TEXTURED: &[u8] = include_bytes!("shaders/lit_textured_ps.cso");
const PLAIN: &[u8] = include_bytes!("shaders/lit_plain_ps.cso");

/// Pixels along a side of the target.
const SIZE: u32 = 1024;
const COLOR: Format = Format::R8G8B8A8_UNORM;
const DEPTH: Format = Format::D32_FLOAT;

/// Position, texture coordinates, normal.
type Vertex = [f32; 8];

/// What is drawn.
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

/// Three sheets of 408 x 408 cells, one behind the other: 998,784 triangles of about 3 pixels. The order says which comes first.
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

/// Quads over all of the target, each turned a little against the one before.
fn layers(count: u32) -> Mesh {
    let (mut vertices, mut indices) = (Vec::new(), Vec::new());
    for layer in 0..count {
        let scale = if count > 1 { 1.1 } else { 1.0 };
        let (sin, cos) = (layer as f32 * 0.1).sin_cos();
        for corner in 0..4 {
            let [x, y] = [corner & 1, corner >> 1].map(|side| if side == 1 { 1.0_f32 } else { -1.0 });
            let z = 0.5 + 0.3 * y;
            let (w, px, py) = (1.0 + 0.25 * z, (x * cos - y * sin) * scale, (x * sin + y * cos) * scale);
            vertices.push([px * w, py * w, z, x * 2.0, y * 2.0, 0.3 * x, 0.3 * y, 1.0]);
        }
        let first = 4 * layer;
        indices.extend([first, first + 2, first + 1, first + 1, first + 2, first + 3]);
    }
    Mesh { vertices, indices }
}

/// What is drawn, how.
struct Scene {
    name: &'static str,
    mesh: Mesh,
    pixel: &'static [u8],
    target: TargetState,
    tests_depth: bool,
}

fn scenes() -> [Scene; 6] {
    let scene = |name, mesh, pixel| Scene { name, mesh, pixel, target: TargetState::new(COLOR), tests_depth: false };
    let blended =
        |name, pixel| Scene { target: TargetState::blended(COLOR, ALPHA_BLEND), ..scene(name, layers(50), pixel) };
    let small = |name, order| Scene { tests_depth: true, ..scene(name, sheets(order), TEXTURED) };
    [
        small("small", [1, 0, 2]),
        small("small, back to front", [2, 1, 0]),
        blended("layers", PLAIN),
        blended("layers, textured", TEXTURED),
        scene("quad", layers(1), PLAIN),
        scene("quad, textured", layers(1), TEXTURED),
    ]
}

/// Everything that a frame needs.
struct Frame {
    device: Device,
    pipeline: Pipeline,
    bindings: Bindings,
    vertices: Buffer,
    indices: Buffer,
    count: u32,
    targets: Targets,
    /// Whether targets are cleared: not where the scene covers them.
    clears: bool,
    /// What making the pipeline took.
    compiling: Sample,
}

impl Frame {
    fn new(scene: &Scene, threads: usize) -> Self {
        let &Scene { ref mesh, target, tests_depth: tests, .. } = scene;
        let device = Device::builder().threads(threads).build().expect("a few threads");
        let mut desc = PipelineDesc::new(VERTEX_SHADER, Some(scene.pixel))
            .input(InputElement::new("POSITION", Format::R32G32B32_FLOAT, 0))
            .input(InputElement::new("TEXCOORD", Format::R32G32_FLOAT, 12))
            .input(InputElement::new("NORMAL", Format::R32G32B32_FLOAT, 20))
            .target(target);
        desc.rasterizer.cull = Cull::None;
        desc.depth = DepthState { enable: tests, ..DepthState::default() };
        desc.depth_format = tests.then_some(DEPTH);
        // Machine code is for the formats that are bound: none is needed before.
        desc.options = CompileOptions::default().codegen(Codegen::Deferred);
        let watch = Stopwatch::start();
        let pipeline = Pipeline::new(&device, &desc).expect("good shaders");
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
        let picture = device.texture_from(TextureShape::texture_2d(COLOR, 256, 256), &texels).expect("a small texture");
        let sampler = Sampler {
            filter: Filter { minify: Tap::Linear, magnify: Tap::Linear, ..Filter::default() },
            address: [AddressMode::Wrap; 3],
            ..Sampler::default()
        };
        let mut bindings = Bindings::with_rules(brolga::BindingRules::DIRECT3D);
        let constants = device.buffer_from(transform.as_flattened()).expect("a small buffer");
        bindings.set(Register::b(0), View::constant(constants).expect("a good view"));
        bindings.set(Register::t(0), View::texture(picture));
        bindings.set(Register::s(0), View::sampler(sampler).expect("a good sampler"));

        let texture = |format| -> Texture {
            device.texture(TextureShape::texture_2d(format, SIZE, SIZE)).expect("there is memory")
        };
        Self {
            pipeline,
            bindings,
            vertices: device.buffer_from(mesh.vertices.as_flattened()).expect("there is memory"),
            indices: device.buffer_from(&mesh.indices).expect("there is memory"),
            count: mesh.indices.len() as u32,
            targets: Targets {
                colors: vec![View::texture(texture(COLOR))],
                depth: tests.then(|| texture(DEPTH).into()),
            },
            clears: mesh.indices.len() > 6,
            compiling,
            device,
        }
    }

    /// Clears the targets, and draws.
    fn draw(&self) -> Vec<Statistics> {
        let mut pass = Pass::new(&self.device, self.targets.clone()).expect("good targets");
        if self.clears {
            pass.clear_color(0, [0.0, 0.0, 0.0, 1.0]).expect("there is a target");
            if self.targets.depth.is_some() {
                pass.clear_depth(1.0).expect("there is a depth buffer");
            }
        }
        let index_buffer = IndexBuffer { buffer: self.indices.clone(), offset_bytes: 0, is_short: false };
        let draw = Draw::new(&self.pipeline, self.count).bindings(&self.bindings);
        pass.draw(&draw.vertex_buffer(self.vertices.clone(), 32).index_buffer(index_buffer)).expect("all fits");
        pass.finish().expect("draws")
    }
}

/// Frames of one scene; prints the least times of one in milliseconds.
fn frames(scene: &Scene, threads: usize) {
    const TIME: Duration = Duration::from_secs(1);
    let all = Instant::now();
    let frame = Frame::new(scene, threads);
    let watch = Stopwatch::start();
    black_box(frame.draw());
    let first = watch.stop();
    let (mut least, mut count) = ([f64::INFINITY; 2], 0);
    let milliseconds =
        |sample: Sample| [sample.cpu.unwrap_or(sample.wall), sample.wall].map(|time| time.as_secs_f64() * 1e3);
    while count < 3 || all.elapsed() < TIME {
        let watch = Stopwatch::start();
        black_box(frame.draw());
        let times = milliseconds(watch.stop());
        least = [0, 1].map(|n| least[n].min(times[n]));
        count += 1;
    }
    let [cpu, wall] = least;
    let first = milliseconds(frame.compiling)[0] + milliseconds(first)[0];
    println!("{} on {threads}: {cpu:.3} ms cpu  {wall:.3} ms wall  first {first:.2} ms, {count} frames", scene.name);
}

fn benchmarks() {
    let mut criterion = Criterion::default().configure_from_args();
    let mut group = criterion.benchmark_group("raster");
    group.sample_size(10);
    for scene in &scenes() {
        for threads in [1, 2] {
            let frame = Frame::new(scene, threads);
            let name = if threads == 1 { scene.name.to_owned() } else { format!("{}, two threads", scene.name) };
            group.bench_function(name, |b| b.iter(|| black_box(frame.draw())));
        }
    }
    group.finish();
    criterion.final_summary();
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    let ["--frames", name, threads] = arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] else {
        benchmarks();
        return ExitCode::SUCCESS;
    };
    let scenes = scenes();
    match (scenes.iter().find(|scene| scene.name == name), threads.parse()) {
        (Some(scene), Ok(threads)) => {
            frames(scene, threads);
            ExitCode::SUCCESS
        }
        _ => {
            eprintln!(
                "error: {name} on {threads}: expected a number of threads, and one of {:?}",
                scenes.map(|scene| scene.name)
            );
            ExitCode::FAILURE
        }
    }
}
