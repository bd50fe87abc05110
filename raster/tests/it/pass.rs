//! What comes between the draws of a pass: clears, updates of what draws read.

use std::path::Path;

use brolga_raster::error::DrawError;
use brolga_raster::layout::InputElement;
use brolga_raster::pass::{Draw, Pass};
use brolga_raster::pipeline::{Pipeline, PipelineDesc};
use brolga_raster::state::TargetState;
use brolga_raster::tiles::targets::Targets;
use brolga_runtime::{CompileStage, Device, Format, Limits, Module, StageKind, TexelBox, TextureShape, View};

/// Position and colour.
type Vertex = [f32; 6];

/// Covers all pixels to the right of a place, in a colour.
fn right_of(left: f32, [red, green, blue]: [f32; 3]) -> [Vertex; 3] {
    [[left, 1.0], [left + 9.0, 1.0], [left, -9.0]].map(|[x, y]| [x, y, red, green, blue, 1.0])
}

/// Draws triangles in the colours of their corners.
fn triangles(device: &Device) -> Pipeline {
    let scene = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/data/scenes/triangle");
    let [vertex, pixel] = ["vs.cso", "ps.cso"]
        .map(|name| Module::load(&std::fs::read(scene.join(name)).unwrap(), &Limits::default()).unwrap());
    let mut desc = PipelineDesc::new(&vertex, Some(&pixel))
        .input(InputElement::new("POSITION", Format::R32G32_FLOAT, 0))
        .input(InputElement::new("COLOR", Format::R32G32B32A32_FLOAT, 8))
        .target(TargetState::new(Format::R8G8B8A8_UNORM))
        .depth_format(Format::D24_UNORM_S8_UINT);
    desc.depth.function = brolga_runtime::Comparison::LessEqual;
    Pipeline::new(device, &desc).unwrap()
}

#[test]
fn clears_and_updates_come_between_draws() {
    let device = Device::builder().threads(2).build().unwrap();
    let pipeline = triangles(&device);
    let texture = |format| device.texture(TextureShape::texture_2d(format, 4, 1)).unwrap();
    let (target, depth) = (texture(Format::R8G8B8A8_UNORM), texture(Format::D24_UNORM_S8_UINT));
    depth.buffer().write(0, &[0x7f00_0000_u32; 4]).unwrap();
    let vertices = device.buffer_from(right_of(-1.0, [1.0, 0.0, 0.0]).as_flattened()).unwrap();
    let draw = Draw::new(&pipeline, 3).vertex_buffer(vertices.clone(), 24);

    let targets = Targets { colors: vec![View::texture(target.clone())], depth: Some(depth.clone().into()) };
    let mut pass = Pass::new(&device, targets).unwrap();
    // All depths are 0, in front of what is drawn.
    assert_eq!(pass.draw(&draw).unwrap(), 0);
    pass.clear_color(0, [0.0, 0.0, 1.0, 1.0]).unwrap();
    pass.clear_depth(1.0).unwrap();
    pass.update_buffer(&vertices, 0, right_of(-0.5, [0.0, 1.0, 0.0]).as_flattened()).unwrap();
    assert_eq!(pass.draw(&draw).unwrap(), 1);
    pass.update_buffer(&vertices, 0, right_of(0.5, [1.0, 1.0, 1.0]).as_flattened()).unwrap();
    assert_eq!(pass.draw(&draw).unwrap(), 2);
    let first = TexelBox { extents: [1; 3], ..TexelBox::default() };
    pass.update_texture(&target, &first, &[0x1234_5678_u32], None).unwrap();
    assert!(matches!(pass.clear_color(1, [0.0; 4]), Err(DrawError::NoTarget { target: 1, count: 1 })));
    let samples: Vec<u64> = pass.finish().unwrap().iter().map(|statistics| statistics.samples).collect();
    assert_eq!(samples, [0, 3, 1]);
    let codes = target.buffer().to_vec::<u32>().unwrap();
    assert_eq!(codes, [0x1234_5678, 0xff00_ff00, 0xff00_ff00, 0xffff_ffff]);
    // The stencil above the depths stays as it was.
    let left = depth.buffer().to_vec::<u32>().unwrap();
    assert!(left.iter().all(|word| word >> 24 == 0x7f) && left[0] & 0xff_ffff == 0xff_ffff, "{left:x?}");
}

#[test]
fn a_pipeline_has_the_code_of_its_draws() {
    let device = Device::builder().threads(1).build().unwrap();
    let pipeline = triangles(&device);
    let code = || [StageKind::Vertex, StageKind::Pixel].map(|stage| pipeline.shader(stage).unwrap().compile_times());
    let before = code();
    let texture = |format| device.texture(TextureShape::texture_2d(format, 4, 1)).unwrap();
    let targets = Targets {
        colors: vec![View::texture(texture(Format::R8G8B8A8_UNORM))],
        depth: Some(texture(Format::D24_UNORM_S8_UINT).into()),
    };
    let vertices = device.buffer_from(right_of(-1.0, [1.0; 3]).as_flattened()).unwrap();
    let mut pass = Pass::new(&device, targets).unwrap();
    pass.clear_depth(1.0).unwrap();
    pass.draw(&Draw::new(&pipeline, 3).vertex_buffer(vertices, 24)).unwrap();
    assert_eq!(pass.finish().unwrap()[0].samples, 4);
    for stage in [CompileStage::Lower, CompileStage::Codegen] {
        assert_eq!(code().map(|times| times.of(stage)), before.map(|times| times.of(stage)), "{stage:?}");
    }
}
