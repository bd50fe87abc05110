//! Tests conservative rasterization: which pixels are drawn, and what shaders see there ("Conservative Rasterization").

use brolga::raster::{Cull, Fill, PipelineDesc, Topology};
use brolga::{Device, Engine, Format};

use super::canvas::{Canvas, Item, SIZE, Vertex, everywhere, on_both, position, triangle, vertex};
use super::samples;
use super::shaders::{self, pixel};

const COLOR: Format = Format::R32G32B32A32_FLOAT;

/// The texels of each sample after a conservative draw, one picture after the other, and how many samples passed.
fn drawn(samples: u32, code: &[u8], vertices: &[Vertex], set: impl Fn(&mut PipelineDesc)) -> (Vec<[f32; 4]>, u64) {
    let set = |desc: &mut PipelineDesc| {
        desc.rasterizer.conservative = true;
        set(desc);
    };
    let (pictures, passed) = samples::drawn(samples, code, vertices, set, |_| {});
    (pictures.concat(), passed)
}

/// A shader that outputs its coverage, the place of its centroid, and 1.
const SEES: &str = "dcl_input_ps linear centroid v1.xyzw\ndcl_input vCoverage\ndcl_output o0.xyzw\ndcl_temps 1\n\
    utof r0.x, vCoverage\nmov r0.yz, v1.xxyx\nmov r0.w, l(1.0)\nmov o0.xyzw, r0.xyzw";

/// Vertices whose attribute is their position in pixels.
fn places(corners: [[f32; 2]; 3]) -> [Vertex; 3] {
    corners.map(|at| vertex(position(at, 0.5, 1.0), [at[0], at[1], 0.0, 0.0]))
}

/// The triangle (2.25, 2.25), (6.25, 2.25), (2.25, 6.25): its hypotenuse is x + y = 8.5.
const CORNERS: [[f32; 2]; 3] = [[2.25, 2.25], [6.25, 2.25], [2.25, 6.25]];

/// A pixel is touched if its upper left corner is on the inner side of the hypotenuse.
fn is_touched(x: u32, y: u32) -> bool {
    x >= 2 && y >= 2 && f64::from(x + y) <= 8.5
}

#[test]
fn pixels_that_are_touched_are_covered_with_all_samples() {
    let code = pixel(SEES);
    for samples in [1, 2, 4, 8] {
        for forced in [0, 1, 4, 16].into_iter().filter(|&forced| samples == 1 || forced == 0) {
            let (texels, passed) =
                drawn(samples, &code, &places(CORNERS), |desc| desc.rasterizer.forced_samples = forced);
            let count = if forced > 0 { forced } else { samples };
            let all = ((1_u64 << count) - 1) as f32;
            let mut touched = 0;
            for (n, texel) in (0..).zip(&texels) {
                let (x, y) = (n % SIZE, n / SIZE % SIZE);
                touched += u64::from(is_touched(x, y) && n < SIZE * SIZE);
                // Centers are what attributes are evaluated at, also where they lie outside.
                let expected = [all, x as f32 + 0.5, y as f32 + 0.5, 1.0];
                assert_eq!(*texel, if is_touched(x, y) { expected } else { [0.0; 4] }, "{samples} {forced}: {x} {y}");
            }
            assert_eq!((touched, passed), (15, 15 * u64::from(count)));
        }
    }
}

/// Inside are the pixels of which no corner lies outside.
#[test]
fn pixels_inside_are_told() {
    let code = pixel(
        "dcl_input vInnerCoverage\ndcl_output o0.xyzw\ndcl_temps 1\nmov r0.y, vInnerCoverage\nutof r0.x, r0.y\n\
         mov r0.yzw, l(0,1.0,1.0,1.0)\nmov o0.xyzw, r0.xyzw",
    );
    for samples in [1, 4, 8] {
        for forced in [0, 16].into_iter().filter(|&forced| samples == 1 || forced == 0) {
            let force = |desc: &mut PipelineDesc| desc.rasterizer.forced_samples = forced;
            let (texels, _) = drawn(samples, &code, &places(CORNERS), force);
            for (n, texel) in (0..).zip(&texels) {
                let (x, y) = (n % SIZE, n / SIZE % SIZE);
                let is_inside = x >= 3 && y >= 3 && f64::from(x + y + 2) <= 8.5;
                let expected = if is_touched(x, y) { [f32::from(is_inside), 1.0, 1.0, 1.0] } else { [0.0; 4] };
                assert_eq!(*texel, expected, "{samples} {forced}: {x} {y}");
            }
            // Whole blocks, of which all but the border of the target lies inside.
            let (texels, _) = drawn(samples, &code, &everywhere(0.5, [1.0; 4]), force);
            assert!(texels.iter().all(|texel| *texel == [1.0; 4]), "{samples} {forced}");
        }
    }
    // Without conservative rasterization nothing is known.
    let (texels, _) = drawn(1, &code, &places(CORNERS), |desc| desc.rasterizer.conservative = false);
    assert!(texels.iter().all(|texel| texel[0] == 0.0) && texels.iter().any(|texel| texel[1] == 1.0));
}

/// Triangles without area are drawn, face back, and have the values of their first vertex everywhere.
#[test]
fn triangles_without_area_are_drawn() {
    let code = pixel(
        "dcl_input_ps linear v1.xyzw\ndcl_input_ps_sgv constant v4.x, is_front_face\ndcl_output o0.xyzw\ndcl_temps 1\n\
         and r0.x, v4.x, l(1)\nutof r0.x, r0.x\nmov r0.yz, v1.xxyx\nmov r0.w, l(1.0)\nmov o0.xyzw, r0.xyzw",
    );
    let thin = [[1.5, 3.5], [9.5, 3.5], [4.5, 3.5]];
    for samples in [1, 4] {
        let (texels, passed) = drawn(samples, &code, &places(thin), |_| {});
        for (n, texel) in (0..).zip(&texels) {
            let is_on = n / SIZE % SIZE == 3 && (1..=9).contains(&(n % SIZE));
            assert_eq!(*texel, if is_on { [0.0, 1.5, 3.5, 1.0] } else { [0.0; 4] }, "{samples}: {n}");
        }
        assert_eq!(passed, 9 * u64::from(samples));
        let cull = |cull: Cull| drawn(samples, &code, &places(thin), |desc| desc.rasterizer.cull = cull).1;
        assert_eq!([cull(Cull::Back), cull(Cull::Front)], [0, passed]);
    }
    // A point where four pixels meet touches all of them.
    assert_eq!(drawn(1, &code, &places([[4.0; 2]; 3]), |_| {}).1, 4);
}

/// Depths go on beyond the edges, and are clamped to the viewport's range as ever.
#[test]
fn depths_are_extrapolated() {
    let code = pixel("dcl_output o0.xyzw\nmov o0.xyzw, l(1.0,1.0,1.0,1.0)");
    // z is 0 at the left edge, x = 2.25, and 1 at x = 6.25.
    let corner = |[x, y]: [f32; 2]| vertex(position([x, y], (x - 2.25) / 4.0, 1.0), [0.0; 4]);
    let (vertices, shader) = (CORNERS.map(corner), shaders::vertex());
    let depths = on_both(|device, engine| {
        let canvas = Canvas::new(device, engine, [SIZE; 2], &[COLOR]);
        let canvas = canvas.with_depth(Format::D32_FLOAT, [SIZE; 2], 1.0f32.to_bits());
        canvas.draw(Item::new(&shader, &code, &vertices).set(&|desc| desc.rasterizer.conservative = true));
        canvas.depths()
    });
    for (n, depth) in (0..).zip(depths) {
        let (x, y) = (n % SIZE, n / SIZE);
        let expected = ((x as f32 + 0.5 - 2.25) / 4.0).clamp(0.0, 1.0);
        // What is not in front of the buffer's depth of 1 leaves it.
        let expected = if is_touched(x, y) { expected } else { 1.0 };
        assert!((f32::from_bits(depth) - expected).abs() < 1e-6, "{x} {y}: {}", f32::from_bits(depth));
    }
}

#[test]
fn only_solid_triangles_are_drawn_so() {
    let device = Device::builder().threads(1).build().unwrap();
    let (shader, code) = (shaders::vertex(), shaders::attribute("linear"));
    let canvas = Canvas::new(&device, Engine::Interpreter, [SIZE; 2], &[COLOR]);
    let made = |set: &dyn Fn(&mut PipelineDesc)| {
        let set = |desc: &mut PipelineDesc| {
            desc.rasterizer.conservative = true;
            set(desc);
        };
        canvas.try_pipeline(&Item::new(&shader, &code, &[]).set(&set))
    };
    made(&|_| {}).unwrap();
    for set in [
        &|desc: &mut PipelineDesc| desc.topology = Topology::LineStrip,
        &|desc: &mut PipelineDesc| desc.topology = Topology::PointList,
        &|desc: &mut PipelineDesc| desc.rasterizer.fill = Fill::Wireframe,
    ] as [&dyn Fn(&mut PipelineDesc); 3]
    {
        assert_eq!(
            made(set).unwrap_err().to_string(),
            "conservative rasterization is for solid triangles, not for points, lines or wireframe"
        );
    }
    // A shared edge is drawn by both.
    let ones = pixel("dcl_output o0.xyzw\nmov o0.xyzw, l(1.0,1.0,1.0,1.0)");
    let both = [
        triangle([[0.0, 0.0], [8.0, 0.0], [0.0, 8.0]], 0.5, [1.0; 4]),
        triangle([[8.0, 0.0], [8.0, 8.0], [0.0, 8.0]], 0.5, [1.0; 4]),
    ];
    let each = both.map(|triangle| drawn(1, &ones, &triangle, |_| {}).1);
    assert_eq!(drawn(1, &ones, both.as_flattened(), |_| {}).1, each[0] + each[1]);
}
