//! Checks depth and stencil tests, which exist twice: before the shader in Rust, and after it in pixel functions. One
//! table of cases from the functional specification (17.10 to 17.12) holds for both.

use std::cmp::Ordering;

use brolga_bytecode::assembler::assemble;
use brolga_ir::pipeline::state::{Comparison, StencilFace, StencilOp, StencilTest};
use brolga_raster::layout::InputElement;
use brolga_raster::pass::{Draw, Pass};
use brolga_raster::pipeline::{Pipeline, PipelineDesc};
use brolga_raster::setup::viewport::Viewport;
use brolga_raster::state::Cull;
use brolga_raster::tiles::targets::Targets;
use brolga_runtime::{CompileOptions, Device, Engine, Format, Module, TextureShape};

/// The depth that is drawn, and its code.
const DEPTH: f32 = 0.5;
const CODE: u32 = 0x80_0000;

/// The stencil reference.
const REFERENCE: u8 = 0x2a;

/// Each comparison, and its results for a new value that is less than, equal to and greater than the old one.
const HOLDS: [(Comparison, [bool; 3]); 8] = [
    (Comparison::Never, [false, false, false]),
    (Comparison::Less, [true, false, false]),
    (Comparison::Equal, [false, true, false]),
    (Comparison::LessEqual, [true, true, false]),
    (Comparison::Greater, [false, false, true]),
    (Comparison::NotEqual, [true, false, true]),
    (Comparison::GreaterEqual, [false, true, true]),
    (Comparison::Always, [true, true, true]),
];

/// Stencils before a draw.
const OLD: [u8; 5] = [0x00, 0x01, 0x2a, 0x7f, 0xff];

/// Their results under each operation.
const OPERATIONS: [(StencilOp, [u8; 5]); 8] = [
    (StencilOp::Keep, [0x00, 0x01, 0x2a, 0x7f, 0xff]),
    (StencilOp::Zero, [0x00, 0x00, 0x00, 0x00, 0x00]),
    (StencilOp::Replace, [0x2a, 0x2a, 0x2a, 0x2a, 0x2a]),
    (StencilOp::IncrementSaturated, [0x01, 0x02, 0x2b, 0x80, 0xff]),
    (StencilOp::DecrementSaturated, [0x00, 0x00, 0x29, 0x7e, 0xfe]),
    (StencilOp::Invert, [0xff, 0xfe, 0xd5, 0x80, 0x00]),
    (StencilOp::Increment, [0x01, 0x02, 0x2b, 0x80, 0x00]),
    (StencilOp::Decrement, [0xff, 0x00, 0x29, 0x7e, 0xfe]),
];

/// A draw: its tests, and the facing of its triangle.
#[derive(Clone, Copy, Debug)]
struct Case {
    depth: Comparison,
    writes: bool,
    stencil: Option<StencilTest>,
    is_front: bool,
}

/// The cases: each comparison of depths; each comparison of stencils, with masks; each operation at each of its points;
/// both facings.
fn cases() -> Vec<Case> {
    use Comparison::{Always, LessEqual};
    use StencilOp::{Invert, Keep, Replace, Zero};
    let face = |test, [fail, depth_fail, pass]: [StencilOp; 3]| StencilFace { test, fail, depth_fail, pass };
    let both = |face| StencilTest { read_mask: 0xff, write_mask: 0xff, front: face, back: face };
    let case = |stencil| Case { depth: LessEqual, writes: true, stencil, is_front: true };
    let mut cases = Vec::new();
    for (comparison, _) in HOLDS {
        for writes in [false, true] {
            cases.push(Case { depth: comparison, writes, ..case(None) });
        }
        let stencil = both(face(comparison, [Zero, Invert, Replace]));
        for (read_mask, write_mask) in [(0xff, 0xff), (0x2b, 0xff), (0x0f, 0xf0), (0xff, 0)] {
            cases.push(case(Some(StencilTest { read_mask, write_mask, ..stencil })));
        }
    }
    for (op, _) in OPERATIONS {
        let operations = [[op, Keep, Keep], [Keep, op, Keep], [Keep, Keep, op]];
        cases.extend(operations.map(|operations| case(Some(both(face(LessEqual, operations))))));
    }
    let both_faces =
        StencilTest { front: face(Always, [Keep, Keep, Zero]), ..both(face(LessEqual, [Invert, Zero, Replace])) };
    cases.extend([true, false].map(|is_front| Case { is_front, ..case(Some(both_faces)) }));
    cases
}

/// Depth and stencil before the draw, of each pixel of a case.
fn pixels() -> Vec<(u32, u8)> {
    [CODE + 1, CODE, CODE - 1].into_iter().flat_map(|depth| OLD.map(|stencil| (depth, stencil))).collect()
}

/// The expected result of a pixel: `true` if it passes, and its depth and stencil after the draw.
fn expected(case: &Case, depth: u32, stencil: u8) -> (bool, u32, u8) {
    let holds = |comparison, order: Ordering| {
        let (_, holds) = HOLDS.into_iter().find(|(row, _)| *row == comparison).expect("a row");
        holds[(order as i8 + 1) as usize]
    };
    let is_near = holds(case.depth, CODE.cmp(&depth));
    let (mut is_kept, mut left) = (true, stencil);
    if let Some(test) = case.stencil {
        let face = if case.is_front { test.front } else { test.back };
        is_kept = holds(face.test, (REFERENCE & test.read_mask).cmp(&(stencil & test.read_mask)));
        let op = match (is_kept, is_near) {
            (false, _) => face.fail,
            (true, false) => face.depth_fail,
            (true, true) => face.pass,
        };
        let (_, made) = OPERATIONS.into_iter().find(|(row, _)| *row == op).expect("a row");
        let made = made[OLD.iter().position(|&old| old == stencil).expect("a column")];
        left = (stencil & !test.write_mask) | (made & test.write_mask);
    }
    let passes = is_kept && is_near;
    (passes, if passes && case.writes { CODE } else { depth }, left)
}

/// Draws a case to all pixels, with a pixel shader; returns how many pass, and the buffer after it.
fn drawn(device: &Device, case: &Case, vertex: &Module, pixel: Option<&Module>) -> (u64, Vec<u32>) {
    let mut desc = PipelineDesc::new(vertex, pixel)
        .input(InputElement::new("POSITION", Format::R32G32_FLOAT, 0))
        .input(InputElement::new("COLOR", Format::R32G32B32A32_FLOAT, 8))
        .depth_format(Format::D24_UNORM_S8_UINT);
    (desc.depth.function, desc.depth.write, desc.stencil) = (case.depth, case.writes, case.stencil);
    // The triangle is clockwise.
    (desc.rasterizer.cull, desc.rasterizer.front_counter_clockwise) = (Cull::None, !case.is_front);
    desc.options = CompileOptions::new(Engine::Interpreter).into();
    let pipeline = Pipeline::new(device, &desc).unwrap();
    let codes: Vec<u32> = pixels().iter().map(|&(depth, stencil)| depth | u32::from(stencil) << 24).collect();
    let shape = TextureShape::texture_2d(Format::D24_UNORM_S8_UINT, codes.len() as u32, 1);
    let buffer = device.texture_from(shape, &codes).unwrap();
    let vertices = [[-1.0, 1.0], [9.0, 1.0], [-1.0, -9.0]].map(|[x, y]| [x, y, 0.0, 0.0, 0.0, 0.0_f32]);
    let mut draw = Draw::new(&pipeline, 3).vertex_buffer(device.buffer_from(vertices.as_flattened()).unwrap(), 24);
    draw.stencil_reference = REFERENCE;
    let [width, height] = [codes.len() as f32, 1.0];
    // The triangle's own depth is the least one.
    let [min_depth, max_depth] = if pixel.is_some() { [0.0, 1.0] } else { [DEPTH, DEPTH] };
    draw.viewport = Some(Viewport { left: 0.0, top: 0.0, width, height, min_depth, max_depth });
    let mut pass = Pass::new(device, Targets { colors: Vec::new(), depth: Some(buffer.clone().into()) }).unwrap();
    pass.draw(&draw).unwrap();
    (pass.finish().unwrap()[0].samples, buffer.buffer().to_vec().unwrap())
}

#[test]
fn tests_before_and_after_the_shader_follow_one_table() {
    let device = Device::builder().threads(1).build().unwrap();
    let vertex = std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/data/scenes/triangle/vs.cso")).unwrap();
    // Only the shader knows the depth, so the test is late.
    let late = format!("ps_5_0\ndcl_output oDepth\nmov oDepth, l({DEPTH})\nret\n");
    let late = assemble(&late, &Default::default()).unwrap().bytes;
    let [vertex, late] = [vertex, late].map(|bytes| Module::load(&bytes, device.limits()).unwrap());
    for case in cases() {
        let pixels = pixels().into_iter().map(|(depth, stencil)| expected(&case, depth, stencil));
        let passed = pixels.clone().filter(|(passes, ..)| *passes).count() as u64;
        let left = pixels.map(|(_, depth, stencil)| depth | u32::from(stencil) << 24).collect();
        let expected = (passed, left);
        assert_eq!(drawn(&device, &case, &vertex, None), expected, "before the shader: {case:x?}");
        assert_eq!(drawn(&device, &case, &vertex, Some(&late)), expected, "after the shader: {case:x?}");
    }
}
