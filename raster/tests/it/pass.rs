//! Checks operations between the draws of a pass: clears, and updates of resources.

use std::path::Path;

use brolga_bytecode::assembler;
use brolga_raster::error::DrawError;
use brolga_raster::layout::InputElement;
use brolga_raster::pass::{Draw, Pass};
use brolga_raster::pipeline::{Pipeline, PipelineDesc};
use brolga_raster::setup::shape::Bounds;
use brolga_raster::state::TargetState;
use brolga_raster::tiles::targets::Targets;
use brolga_runtime::{
    AddressMode, Bindings, Buffer, CompileOptions, CompileStage, Device, Dispatch, Filter, Format, Limits, Module,
    Register, Sampler, StageKind, Tap, TexelBox, Texture, TextureShape, View,
};
use brolga_testing_base::random::Random;

/// Position and colour.
type Vertex = [f32; 6];

/// A triangle that covers all pixels to the right of `left`, in one colour.
fn right_of(left: f32, [red, green, blue]: [f32; 3]) -> [Vertex; 3] {
    [[left, 1.0], [left + 9.0, 1.0], [left, -9.0]].map(|[x, y]| [x, y, red, green, blue, 1.0])
}

/// A pipeline for triangles in the colours of their vertices.
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
    // All depths are 0, in front of the triangle.
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
    // The stencil above the depth was kept.
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

/// More draws than may be pending at once, each compared with the state of the one before: every pixel has the last
/// draw that covers it.
#[test]
fn many_draws_come_in_their_order() {
    const SIZE: [i32; 2] = [256, 64];
    let mut random = Random(9);
    let mut below = |most: i32| random.below(most as usize) as i32;
    let draws: Vec<(i32, Bounds)> = (0..1500)
        .map(|_| {
            let [left, top] = [below(SIZE[0]), below(SIZE[1])];
            let bounds = Bounds { left, top, right: left + 1 + below(60), bottom: top + 1 + below(30) };
            (below(SIZE[0]), bounds)
        })
        .collect();
    let color = |n: usize| [n % 256, n / 256, 77].map(|code| code as f32 / 255.0);
    let (mut expected, mut samples) = (vec![0_u32; (SIZE[0] * SIZE[1]) as usize], vec![0_u64; draws.len()]);
    for (n, (first, bounds)) in draws.iter().enumerate() {
        for y in bounds.top..bounds.bottom.min(SIZE[1]) {
            for x in bounds.left.max(*first)..bounds.right.min(SIZE[0]) {
                expected[(y * SIZE[0] + x) as usize] = 0xff4d_0000 | (n as u32 / 256) << 8 | (n as u32 % 256);
                samples[n] += 1;
            }
        }
    }
    for threads in [1, 4] {
        let device = Device::builder().threads(threads).build().unwrap();
        let pipeline = triangles(&device);
        let [width, height] = SIZE.map(|extent| extent as u32);
        let texture = |format| device.texture(TextureShape::texture_2d(format, width, height)).unwrap();
        let (target, depth) = (texture(Format::R8G8B8A8_UNORM), texture(Format::D24_UNORM_S8_UINT));
        let vertices: Vec<Vertex> =
            (0..).zip(&draws).flat_map(|(n, (first, _))| right_of(*first as f32 / 128.0 - 1.0, color(n))).collect();
        let vertices = device.buffer_from(vertices.as_flattened()).unwrap();
        let targets = Targets { colors: vec![View::texture(target.clone())], depth: Some(depth.into()) };
        let mut pass = Pass::new(&device, targets).unwrap();
        pass.clear_depth(1.0).unwrap();
        for (n, (_, bounds)) in draws.iter().enumerate() {
            let mut draw = Draw::new(&pipeline, 3).vertex_buffer(vertices.clone(), 24);
            (draw.first, draw.scissor) = (3 * n as u32, Some(*bounds));
            assert_eq!(pass.draw(&draw).unwrap(), n);
        }
        let found: Vec<u64> = pass.finish().unwrap().iter().map(|statistics| statistics.samples).collect();
        assert_eq!(found, samples, "threads: {threads}");
        assert!(target.buffer().to_vec::<u32>().unwrap() == expected, "threads: {threads}");
    }
}

/// `u0[thread] = t0.Sample(s0, thread's texel)`, of a texture of 16 x 8 texels.
const SAMPLE: &str = "cs_5_0
dcl_sampler s0, mode_default
dcl_resource_texture2d (float,float,float,float) t0
dcl_uav_raw u0
dcl_input vThreadID.xy
dcl_temps 2
dcl_thread_group 16, 8, 1
utof r0.xy, vThreadID.xyxx
add r0.xy, r0.xyxx, l(0.500000, 0.500000, 0.000000, 0.000000)
mul r0.xy, r0.xyxx, l(0.062500, 0.125000, 0.000000, 0.000000)
sample_l r1.xyzw, r0.xyxx, t0.xyzw, s0, l(0.000000)
imad r0.x, vThreadID.y, l(16), vThreadID.x
ishl r0.x, r0.x, l(4)
store_raw u0.xyzw, r0.x, r1.xyzw
ret
";

/// A buffer of 128 bytes, decoded as blocks of BC7.
fn decoded(buffer: &Buffer) -> Vec<[u32; 4]> {
    let blocks = buffer.to_vec::<u128>().unwrap();
    let texels = (0..8).flat_map(|y| (0..16).map(move |x| (x, y)));
    texels.map(|(x, y)| Format::BC7_UNORM.decode_texel(blocks[(y / 4 * 4 + x / 4) as usize], x, y)).collect()
}

/// A shader that is bound once also sees the targets of draws as blocks.
#[test]
fn what_is_drawn_and_cleared_is_what_is_sampled() {
    for threads in [1, 3] {
        let device = Device::builder().threads(threads).build().unwrap();
        let pipeline = triangles(&device);
        let container = assembler::assemble(SAMPLE, &brolga_bytecode::Limits::default()).unwrap().bytes;
        let shader = device.compile(&container, &CompileOptions::default()).unwrap();
        let [color, depth] = [0, 1].map(|_| device.buffer(128).unwrap());
        let as_target =
            |buffer: &Buffer, format| Texture::new(buffer.clone(), TextureShape::texture_2d(format, 8, 4)).unwrap();
        let targets = Targets {
            colors: vec![View::texture(as_target(&color, Format::R8G8B8A8_UNORM))],
            depth: Some(as_target(&depth, Format::D24_UNORM_S8_UINT).into()),
        };
        let mut sampler = Sampler::default();
        sampler.filter = Filter { minify: Tap::Point, magnify: Tap::Point, mip: Tap::Point, ..sampler.filter };
        sampler.address = [AddressMode::Clamp; 3];
        let sampled = [&color, &depth].map(|buffer| {
            let (results, mut bindings) = (device.buffer(128 * 16).unwrap(), Bindings::new());
            let seen = Texture::new(buffer.clone(), TextureShape::texture_2d(Format::BC7_UNORM, 16, 8)).unwrap();
            bindings.set(Register::t(0), View::texture(seen));
            bindings.set(Register::s(0), View::sampler(sampler).unwrap());
            bindings.set(Register::u(0), View::raw(results.clone()).unwrap());
            (buffer, device.bind(&shader, &bindings).unwrap(), results)
        });
        let check = |what: &str| {
            for (n, (buffer, bound, results)) in sampled.iter().enumerate() {
                bound.dispatch(&Dispatch::new([1; 3])).unwrap();
                assert_eq!(results.to_vec::<[u32; 4]>().unwrap(), decoded(buffer), "{what}, target {n}");
            }
        };
        let vertices = device.buffer(72).unwrap();
        let mut pass = Pass::new(&device, targets).unwrap();
        for n in 0..4 {
            let part = n as f32 / 4.0;
            check("before");
            pass.clear_color(0, [part, 0.3, 0.7, 1.0]).unwrap();
            check("a cleared colour");
            pass.clear_depth(1.0 - part / 2.0).unwrap();
            check("a cleared depth");
            pass.clear_stencil(n).unwrap();
            check("a cleared stencil");
            pass.update_buffer(&vertices, 0, right_of(part - 1.0, [part, 1.0 - part, 0.5]).as_flattened()).unwrap();
            pass.draw(&Draw::new(&pipeline, 3).vertex_buffer(vertices.clone(), 24)).unwrap();
            pass.flush().unwrap();
            check("a draw");
        }
    }
}
