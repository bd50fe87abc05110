//! Draws a triangle from bytecode to pixels, on both engines and any number of threads, and compares it with a picture
//! of other implementations: lavapipe's and Wine's are the same.

use std::path::{Path, PathBuf};

use brolga_raster::layout::InputElement;
use brolga_raster::pass::{Draw, Pass};
use brolga_raster::pipeline::{Pipeline, PipelineDesc};
use brolga_raster::state::TargetState;
use brolga_raster::tiles::targets::Targets;
use brolga_runtime::{CompileOptions, Device, Engine, Format, Limits, Module, TextureShape, View};

/// Width and height of the target.
const SIZE: u32 = 256;

/// A position on the screen and a colour for each vertex.
const VERTICES: [[f32; 6]; 3] =
    [[0.0, 0.85, 1.0, 0.1, 0.1, 1.0], [0.9, -0.75, 0.1, 1.0, 0.1, 1.0], [-0.8, -0.6, 0.15, 0.2, 1.0, 1.0]];

fn file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/data/scenes/triangle").join(name)
}

/// Draws the triangle.
fn render(engine: Engine, threads: usize) -> Vec<u8> {
    let device = Device::builder().threads(threads).build().unwrap();
    let [vertex, pixel] =
        ["vs.cso", "ps.cso"].map(|name| Module::load(&std::fs::read(file(name)).unwrap(), &Limits::default()).unwrap());
    let mut desc = PipelineDesc::new(&vertex, Some(&pixel))
        .input(InputElement::new("POSITION", Format::R32G32_FLOAT, 0))
        .input(InputElement::new("COLOR", Format::R32G32B32A32_FLOAT, 8))
        .target(TargetState::new(Format::R8G8B8A8_UNORM));
    desc.options = CompileOptions::new(engine).into();
    let pipeline = Pipeline::new(&device, &desc).unwrap();

    let background = Format::R8G8B8A8_UNORM.encode([0.05_f32, 0.06, 0.09, 1.0].map(f32::to_bits)) as u32;
    let texels = vec![background; (SIZE * SIZE) as usize];
    let target = device.texture_from(TextureShape::texture_2d(Format::R8G8B8A8_UNORM, SIZE, SIZE), &texels).unwrap();
    let vertices = device.buffer_from(VERTICES.as_flattened()).unwrap();

    let mut pass = Pass::new(&device, Targets { colors: vec![View::texture(target.clone())], depth: None }).unwrap();
    pass.draw(&Draw::new(&pipeline, 3).vertex_buffer(vertices, 24)).unwrap();
    assert_eq!(pass.finish().unwrap()[0].samples, 21_172, "{engine}");
    target.buffer().to_vec().unwrap()
}

#[test]
fn a_triangle_is_what_others_draw() {
    let decoder = png::Decoder::new(std::io::BufReader::new(std::fs::File::open(file("target.png")).unwrap()));
    let mut reader = decoder.read_info().unwrap();
    let mut expected = vec![0; (SIZE * SIZE * 4) as usize];
    reader.next_frame(&mut expected).unwrap();
    let picture = render(Engine::Interpreter, 1);
    // Colours that lie between two codes round either way.
    assert!(picture.iter().zip(&expected).all(|(found, expected)| found.abs_diff(*expected) <= 1));
    for (engine, threads) in [(Engine::Jit, 1), (Engine::Jit, 2), (Engine::Jit, 8), (Engine::Interpreter, 2)] {
        assert!(render(engine, threads) == picture, "{engine}, threads: {threads}");
    }
}
