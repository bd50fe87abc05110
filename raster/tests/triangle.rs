//! A triangle from bytecode to pixels, on both engines, held to a picture of other implementations: lavapipe's and Wine's are the same.

use std::path::Path;

use brolga_bytecode::{Decoded, LoadOptions};
use brolga_ir::interface::ResourceClass;
use brolga_ir::passes::{self, Level};
use brolga_ir::pipeline::state::{Advance, PixelState, Range, Target as TargetState, VertexElement, VertexState};
use brolga_ir::pipeline::{SPACE, record};
use brolga_ir::translate::sm5::{TranslateOptions, translate};
use brolga_ir::{Function, VerifiedFunction, pipeline, verify};
use brolga_raster::assembly::Topology;
use brolga_raster::batch::{Cull, Instance, Outputs, Prepared, Raster};
use brolga_raster::clip::Mode;
use brolga_raster::draw::{Target, draw};
use brolga_raster::viewport::Viewport;
use brolga_runtime::{
    Bindings, CompileOptions, Device, Dispatch, Engine, Format, Register, Texture, TextureShape, View,
};

/// Pixels along a side of the target.
const SIZE: u32 = 256;

/// A position on the screen and a colour for each vertex.
const VERTICES: [[f32; 6]; 3] =
    [[0.0, 0.85, 1.0, 0.1, 0.1, 1.0], [0.9, -0.75, 0.1, 1.0, 0.1, 1.0], [-0.8, -0.6, 0.15, 0.2, 1.0, 1.0]];

fn file(name: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/data/scenes/triangle").join(name)
}

fn shader(name: &str, complete: impl FnOnce(&mut Function)) -> VerifiedFunction {
    let bytes = std::fs::read(file(name)).unwrap();
    let program = Decoded::new(&bytes, &LoadOptions::default()).unwrap().check().unwrap().program;
    let mut function = translate(&program, &TranslateOptions::default()).unwrap();
    complete(&mut function);
    passes::optimise(&mut function, Level::None);
    verify(function).unwrap()
}

fn element(row: u32, offset: u32, format: Format) -> VertexElement {
    let (size_bytes, format) = (format.size_bytes(), format.vertex_format().unwrap());
    VertexElement { row, slot: 0, offset, format, size_bytes, advance: Advance::Vertex }
}

/// Draws the triangle; gives the pixels that passed.
fn render(device: &Device, engine: Engine, texture: &Texture) -> u64 {
    let elements = vec![element(0, 0, Format::R32G32_FLOAT), element(1, 8, Format::R32G32B32A32_FLOAT)];
    let vertex = shader("vs.cso", |function| pipeline::vertex(function, &VertexState { elements }));
    let target = TargetState { output: 0, range: Range::Unorm, blend: None, write_mask: 15 };
    let state = PixelState { vertex_rows: 2, targets: vec![target], ..PixelState::default() };
    let pixel = shader("ps.cso", |function| pipeline::pixel(function, &state));

    let buffer = device.buffer_from(VERTICES.as_flattened()).unwrap();
    let mut bindings = Bindings::new();
    bindings.set(Register::new(ResourceClass::ShaderResource, 0).in_space(SPACE), View::raw(buffer).unwrap());
    let options = CompileOptions::new(engine);
    let vertex = device.bind(&device.compile_function(&vertex, &options).unwrap(), &bindings).unwrap();
    let mut bindings = Bindings::new();
    bindings.set(Register::new(ResourceClass::UnorderedAccess, 0).in_space(SPACE), View::texture(texture.clone()));
    let pixel = device.bind(&device.compile_function(&pixel, &options).unwrap(), &bindings).unwrap();

    let viewport =
        Viewport { left: 0.0, top: 0.0, width: SIZE as f32, height: SIZE as f32, min_depth: 0.0, max_depth: 1.0 };
    let raster = Raster {
        viewport,
        scissor: viewport.scissor(),
        cull: Cull::Back,
        is_front_counter_clockwise: false,
        clips_depth: true,
    };
    let modes = vec![Mode::Perspective; 8];
    let outputs = Outputs { rows: 2, position: 0, modes, ..Outputs::default() };
    let mut strides = [0; record::SLOTS as usize];
    strides[0] = size_of_val(&VERTICES[0]) as u32;
    let target =
        Target { size: [SIZE; 2], depth: None, rows: 2, state: [0; record::state::WORDS as usize], depths: [0.0, 1.0] };

    let dispatch = Dispatch::new([0; 3]);
    let (mut vertex, mut pixel) = (vertex.worker().unwrap(), pixel.worker().unwrap());
    let (mut vertex, mut pixel) = (vertex.begin(&dispatch).unwrap(), pixel.begin(&dispatch).unwrap());
    let instance = Instance { indices: None, base_vertex: 0, number: 0, first: 0, restart: None };
    let mut passed = 0;
    Topology::TriangleList.batches(3, 2048, instance.is_restart(), |batch| {
        let prepared =
            Prepared::new(Topology::TriangleList, batch, &instance, &mut vertex, &strides, &outputs, &raster).unwrap();
        passed += draw(&prepared, &outputs, &target, Some(&mut pixel)).unwrap();
        true
    });
    passed
}

#[test]
fn a_triangle_is_what_others_draw() {
    let device = Device::builder().threads(1).build().unwrap();
    let decoder = png::Decoder::new(std::io::BufReader::new(std::fs::File::open(file("target.png")).unwrap()));
    let mut reader = decoder.read_info().unwrap();
    let mut expected = vec![0; (SIZE * SIZE * 4) as usize];
    reader.next_frame(&mut expected).unwrap();
    let background = Format::R8G8B8A8_UNORM.encode([0.05_f32, 0.06, 0.09, 1.0].map(f32::to_bits)) as u32;
    let pictures = [Engine::Interpreter, Engine::Jit].map(|engine| {
        let texels = vec![background; (SIZE * SIZE) as usize];
        let texture =
            device.texture_from(TextureShape::texture_2d(Format::R8G8B8A8_UNORM, SIZE, SIZE), &texels).unwrap();
        assert_eq!(render(&device, engine, &texture), 21_172, "{engine}");
        texture.buffer().to_vec::<u8>().unwrap()
    });
    assert!(pictures[0] == pictures[1]);
    // Colours that lie between two codes round either way.
    assert!(pictures[0].iter().zip(&expected).all(|(found, expected)| found.abs_diff(*expected) <= 1));
}
