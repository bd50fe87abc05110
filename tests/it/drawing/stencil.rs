//! Tests stencils: functional specification, 17.9 and 17.12.

use brolga::raster::{Fill, PipelineDesc, StencilFace, StencilOp, StencilTest, Topology};
use brolga::{Comparison, Format, TextureShape};
use brolga_testing::random::{Random, seeds};

use super::canvas::{Canvas, Item, SIZE, Vertex, everywhere, on_both, triangle};
use super::shaders::{self, pixel};

const ALL: u64 = (SIZE * SIZE) as u64;

/// A pixel of a depth buffer: the code of its depth, and its stencil.
type Texel = (u32, u8);

/// The result of a triangle for a pixel, and a flag for passing.
fn drawn(
    (stencil, depth): (&StencilTest, Option<(Comparison, bool)>),
    is_front: bool,
    reference: u8,
    new: u32,
    (old, before): Texel,
) -> (Texel, bool) {
    let face = if is_front { stencil.front } else { stencil.back };
    let stencil_passes = face.test.holds(reference & stencil.read_mask, before & stencil.read_mask);
    let depth_passes = depth.is_none_or(|(test, _)| test.holds(new, old));
    let op = match (stencil_passes, depth_passes) {
        (false, _) => face.fail,
        (true, false) => face.depth_fail,
        (true, true) => face.pass,
    };
    let after = match op {
        StencilOp::Keep => before,
        StencilOp::Zero => 0,
        StencilOp::Replace => reference,
        StencilOp::IncrementSaturated => before.saturating_add(1),
        StencilOp::DecrementSaturated => before.saturating_sub(1),
        StencilOp::Invert => !before,
        StencilOp::Increment => before.wrapping_add(1),
        StencilOp::Decrement => before.wrapping_sub(1),
    };
    let passes = stencil_passes && depth_passes;
    let code = if passes && depth.is_some_and(|(_, writes)| writes) { new } else { old };
    ((code, before & !stencil.write_mask | after & stencil.write_mask), passes)
}

/// The code of a quarter, a half or three quarters.
fn code(format: Format, depth: f32) -> u32 {
    match format {
        Format::D24_UNORM_S8_UINT => (f64::from(depth) * 16_777_215.0 + 0.5) as u32,
        _ => depth.to_bits(),
    }
}

/// Points and lines are front-facing, edges have the face of their triangle, which is the back for degenerate ones:
/// 15.11.1 and 15.12.
#[test]
fn points_lines_and_edges_have_faces() {
    let vertex = shaders::vertex();
    let shaders = [
        pixel("dcl_output o0.xyzw\nmov o0.xyzw, l(1.0,1.0,1.0,1.0)"),
        pixel("dcl_input_ps constant v1.xyzw\ndcl_output o0.xyzw\ndiscard_z v1.w\nmov o0.xyzw, l(1.0,1.0,1.0,1.0)"),
    ];
    let [a, b, c] = triangle([[2.5, 2.5], [10.5, 2.5], [2.5, 10.5]], 0.5, [1.0; 4]);
    let flat = triangle([[2.5, 2.5], [10.5, 2.5], [6.5, 2.5]], 0.5, [1.0; 4]);
    let side =
        |pass| StencilFace { test: Comparison::Always, fail: StencilOp::Keep, depth_fail: StencilOp::Keep, pass };
    let stencil = StencilTest {
        read_mask: 0xff,
        write_mask: 0xff,
        front: side(StencilOp::Replace),
        back: side(StencilOp::Invert),
    };
    for counter in [false, true] {
        for (topology, vertices, is_front) in [
            (Topology::PointList, [a, b, c], true),
            (Topology::LineStrip, [a, b, c], true),
            (Topology::LineStrip, [c, b, a], true),
            (Topology::TriangleList, [a, b, c], !counter),
            (Topology::TriangleList, [a, c, b], counter),
            (Topology::TriangleList, flat, false),
        ] {
            for shader in &shaders {
                let set = |desc: &mut PipelineDesc| {
                    (desc.topology, desc.stencil) = (topology, Some(stencil));
                    desc.depth.function = Comparison::Always;
                    desc.rasterizer.fill = Fill::Wireframe;
                    desc.rasterizer.front_counter_clockwise = counter;
                };
                let (stencils, colors) = on_both(|device, engine| {
                    let canvas = Canvas::new(device, engine, [SIZE; 2], &[Format::R32G32B32A32_FLOAT]);
                    let canvas = canvas.with_depth(Format::D24_UNORM_S8_UINT, [SIZE; 2], 0x0fff_ffff);
                    let with = |_: &_, draw: &mut brolga::raster::Draw<'_>| draw.stencil_reference = 7;
                    canvas.draw(Item::new(&vertex, shader, &vertices).set(&set).with(&with));
                    (canvas.stencils(), canvas.texels(0))
                });
                let mut seen = 0;
                for (stencil, color) in stencils.iter().zip(&colors) {
                    // Two lines over a pixel invert it twice.
                    let expected: &[u8] = match (color[0] != 0, is_front) {
                        (false, _) => &[0x0f],
                        (true, true) => &[7],
                        (true, false) => &[0xf0, 0x0f],
                    };
                    assert!(expected.contains(stencil), "{topology:?} {counter}: {stencil:#x}");
                    seen += usize::from(*stencil == expected[0] && color[0] != 0);
                }
                // Lines of the flat one overlap, except in its outer pixels.
                let expected = match topology {
                    Topology::PointList => 3,
                    Topology::LineStrip => 16,
                    _ if vertices == flat => 2,
                    _ => 24,
                };
                assert_eq!(seen, expected, "{topology:?} {counter}");
            }
        }
    }
}

fn face(random: &mut Random) -> StencilFace {
    let [fail, depth_fail, pass] = [(); 3].map(|()| random.pick(&StencilOp::ALL));
    StencilFace { test: random.pick(&Comparison::ALL), fail, depth_fail, pass }
}

/// Triangles over all pixels, one after the other, with every test and operation, tested before the shader and after
/// it.
#[test]
fn stencils_are_tested_and_changed() {
    let vertex = shaders::vertex();
    let shaders = [
        pixel("dcl_output o0.xyzw\nmov o0.xyzw, l(1.0,1.0,1.0,1.0)"),
        pixel("dcl_input_ps constant v1.xyzw\ndcl_output o0.xyzw\ndiscard_z v1.w\nmov o0.xyzw, l(1.0,1.0,1.0,1.0)"),
    ];
    for seed in seeds(0..120) {
        let mut random = Random(seed);
        let format = random.pick(&[Format::D24_UNORM_S8_UINT, Format::D32_FLOAT_S8X24_UINT]);
        let mask = |random: &mut Random| random.pick(&[0xff, 0xff, 0xff, 0x0f, 0x80, 0]);
        let (read_mask, write_mask) = (mask(&mut random), mask(&mut random));
        let stencil = StencilTest { read_mask, write_mask, front: face(&mut random), back: face(&mut random) };
        let depth = (!random.one_in(4)).then(|| (random.pick(&Comparison::ALL), random.one_in(2)));
        let any = random.word() as u8;
        let reference = random.pick(&[0, 1, 0x80, 0xff, any]);
        let cleared: Texel = (code(format, 0.5), random.pick(&[0, 1, 0xff, reference, any]));

        let mut expected = (cleared, Vec::new());
        let mut triangles: Vec<[Vertex; 3]> = Vec::new();
        for _ in 0..3 {
            let z = random.pick(&[0.25, 0.5, 0.75]);
            let is_front = random.one_in(2);
            let [a, b, c] = everywhere(z, [1.0; 4]);
            triangles.push(if is_front { [a, b, c] } else { [a, c, b] });
            let (texel, passes) = drawn((&stencil, depth), is_front, reference, code(format, z), expected.0);
            expected.0 = texel;
            expected.1.push(if passes { ALL } else { 0 });
        }
        let set = |desc: &mut PipelineDesc| {
            desc.stencil = Some(stencil);
            desc.depth.enable = depth.is_some();
            (desc.depth.function, desc.depth.write) = depth.unwrap_or((Comparison::Never, true));
        };
        for shader in shaders.each_ref().map(Some).into_iter().chain([None]) {
            let found = on_both(|device, engine| {
                let mut canvas = Canvas::new(device, engine, [SIZE; 2], &[Format::R32G32B32A32_FLOAT]);
                // Padding bits stay.
                let texels: Vec<u32> = match format {
                    Format::D24_UNORM_S8_UINT => vec![cleared.0 | u32::from(cleared.1) << 24; ALL as usize],
                    _ => [cleared.0, 0xabcd_ef00 | u32::from(cleared.1)].repeat(ALL as usize),
                };
                let shape = TextureShape::texture_2d(format, SIZE, SIZE);
                canvas.targets.depth = Some(device.texture_from(shape, &texels).unwrap().into());
                let with = |_: &_, draw: &mut brolga::raster::Draw<'_>| draw.stencil_reference = reference;
                let item = |vertices| Item {
                    vertex: &vertex,
                    pixel: shader.map(Vec::as_slice),
                    vertices,
                    set: &set,
                    with: &with,
                    bindings: None,
                };
                let items: Vec<Item<'_>> = triangles.iter().map(|vertices| item(vertices)).collect();
                let passed = canvas.pass(&items);
                let words: Vec<u32> = canvas.depth_buffer().buffer().to_vec().unwrap();
                let texels: Vec<Texel> = match format {
                    Format::D24_UNORM_S8_UINT => {
                        words.iter().map(|word| (word & 0xff_ffff, (word >> 24) as u8)).collect()
                    }
                    _ => {
                        assert!(words.iter().skip(1).step_by(2).all(|word| word >> 8 == 0xab_cdef));
                        words.chunks(2).map(|words| (words[0], words[1] as u8)).collect()
                    }
                };
                assert!(texels.iter().all(|texel| *texel == texels[0]), "seed {seed}");
                (texels[0], passed)
            });
            assert_eq!(found, expected, "seed {seed}: {format} {stencil:?} {depth:?} {cleared:x?} {reference:#x}");
        }
    }
}
