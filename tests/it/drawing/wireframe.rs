//! Tests edges of triangles as lines: functional specification, 15.10, 15.11.1 and 15.13.

use brolga::Format;
use brolga::raster::{Cull, Fill, PipelineDesc, Topology};

use super::canvas::{Canvas, Item, SIZE, Vertex, covered, on_both, picture, position, triangle, vertex};
use super::shaders::{self, pixel};

const ONES: [f32; 4] = [1.0; 4];

/// Clockwise; each edge has eight pixels, with those that it begins in.
const CORNERS: [[f32; 2]; 3] = [[2.5, 2.5], [10.5, 2.5], [2.5, 10.5]];

fn edges(desc: &mut PipelineDesc) {
    desc.rasterizer.fill = Fill::Wireframe;
}

fn sorted(mut pixels: Vec<[u32; 2]>) -> Vec<[u32; 2]> {
    pixels.sort_unstable_by_key(|&[x, y]| [y, x]);
    pixels
}

/// From each vertex to the next one, which the next line begins with: every pixel once.
#[test]
fn triangles_have_three_lines() {
    let [a, b, c] = CORNERS;
    let outline = (0..8).flat_map(|n| [[2 + n, 2], [10 - n, 2 + n], [2, 10 - n]]).collect();
    let outline = sorted(outline);
    for corners in [[a, b, c], [b, c, a], [c, b, a]] {
        assert_eq!(covered(&triangle(corners, 0.5, ONES), edges, |_, _| {}), outline);
    }
    // In a strip each triangle has its three.
    let strip = [a, b, c, [10.5, 10.5]].map(|corner| vertex(position(corner, 0.5, 1.0), ONES));
    let white = pixel("dcl_output o0.xyzw\nmov o0.xyzw, l(1.0,1.0,1.0,1.0)");
    let set = |desc: &mut PipelineDesc| {
        edges(desc);
        desc.topology = Topology::TriangleStrip;
    };
    assert_eq!(picture(&white, &strip, set, |_, _| {}).1, 2 * 24);
}

/// Attributes are linear from vertex to vertex along each line, and constant ones are the triangle's.
#[test]
fn edges_have_the_triangles_attributes() {
    for mode in ["linear", "linear noperspective"] {
        let shader = pixel(&format!(
            "dcl_input_ps {mode} v1.xyzw\ndcl_input_ps constant v3.xyzw\ndcl_input_ps_sgv constant v5.x, primitive_id\n\
             dcl_output o0.xyzw\ndcl_temps 1\nutof r0.x, v5.x\n\
             mov o0.x, v1.x\nmov o0.y, v3.x\nmov o0.z, r0.x\nmov o0.w, l(1.0)"
        ));
        // An invisible one comes first.
        let mut vertices: Vec<Vertex> = triangle([[-9.0, 2.0], [-5.0, 2.0], [-9.0, 5.0]], 0.5, ONES).to_vec();
        for (n, place) in CORNERS.into_iter().enumerate() {
            let mut corner = vertex(position(place, 0.5, 1.0), [8.0 * n as f32; 4]);
            corner[3] = [(5.0 + n as f32).to_bits(); 4];
            vertices.push(corner);
        }
        let (texels, passed) = picture(&shader, &vertices, edges, |_, _| {});
        assert_eq!(passed, 24);
        for n in 0..8 {
            for ([x, y], expected) in [([2 + n, 2], n), ([10 - n, 2 + n], 8 + n), ([2, 10 - n], 16 - 2 * n)] {
                let [value, constant, id, _] = texels[(y * SIZE + x) as usize].map(f32::from_bits);
                assert!((value - expected as f32).abs() < 1e-4, "{mode} at ({x}, {y}): {value}, not {expected}");
                assert_eq!([constant, id], [5.0, 1.0], "{mode} at ({x}, {y})");
            }
        }
    }
}

/// Edges have the face of their triangle, which also decides whether they are culled. If it is degenerate, it is the
/// back.
#[test]
fn edges_have_the_triangles_face() {
    let shader = pixel(
        "dcl_input_ps_sgv constant v4.x, is_front_face\ndcl_output o0.xyzw\nmov o0.x, v4.x\nmov o0.yzw, l(0,1.0,1.0,1.0)",
    );
    let [a, b, c] = CORNERS;
    let flat = [[2.5, 2.5], [8.5, 2.5], [5.5, 2.5]];
    for counter in [false, true] {
        // Pixels of all lines, and a flag for a front-facing triangle. The flat one is six pixels long and drawn there
        // and back.
        for (corners, count, is_front) in [([a, b, c], 24, !counter), ([a, c, b], 24, counter), (flat, 12, false)] {
            for cull in Cull::ALL {
                let set = |desc: &mut PipelineDesc| {
                    edges(desc);
                    (desc.rasterizer.cull, desc.rasterizer.front_counter_clockwise) = (cull, counter);
                };
                let (texels, passed) = picture(&shader, &triangle(corners, 0.5, ONES), set, |_, _| {});
                let is_culled = cull == if is_front { Cull::Front } else { Cull::Back };
                assert_eq!(passed, if is_culled { 0 } else { count }, "{corners:?} {cull:?}");
                let face = if is_front { u32::MAX } else { 0 };
                assert!(texels.iter().all(|texel| texel[1] == 0 || texel[0] == face), "{corners:?} {cull:?}");
            }
        }
    }
}

/// Clipping removes the edges of the part outside, and makes no edge.
#[test]
fn cuts_are_no_edges() {
    // Depth is 0 at x = 4, and grows to the right.
    let corners = [[0.5, 2.5], [12.5, 2.5], [0.5, 14.5]];
    let vertices = corners.map(|[x, y]: [f32; 2]| vertex(position([x, y], (x - 4.0) / 12.0, 1.0), ONES));
    let level = (4..12).map(|x| [x, 2]);
    let slanted = (4..13).map(|x| [x, 14 - x]);
    assert_eq!(covered(&vertices, edges, |_, _| {}), sorted(level.chain(slanted).collect()));
}

/// So it is between two planes: of an edge that both clip the part between them is left, and of one that is beyond a
/// plane nothing.
#[test]
fn edges_end_at_both_cuts() {
    // Depth is 0 at x = 4, and 1 at x = 12.
    let corners = [[0.5, 2.5], [15.5, 2.5], [0.5, 17.5]];
    let vertices = corners.map(|[x, y]: [f32; 2]| vertex(position([x, y], (x - 4.0) / 8.0, 1.0), ONES));
    let [a, b, c] = vertices;
    let expected = sorted((4..12).flat_map(|x| [[x, 2], [x, 17 - x]]).collect());
    for vertices in [[a, b, c], [b, c, a], [c, b, a]] {
        // Along the corners of diamonds, a line's direction does not matter.
        assert_eq!(covered(&vertices, edges, |_, _| {}), expected);
    }
}

/// The rest of a clipped triangle has the facing of the whole, however it is clipped, edges as well as interiors: the
/// sign of the volume between its vertices in (x, y, w), which is below 0 for clockwise triangles with w > 0.
#[test]
fn what_is_cut_keeps_its_face() {
    let shader = pixel(
        "dcl_input_ps_sgv constant v4.x, is_front_face\ndcl_output o0.xyzw\nmov o0.x, v4.x\nmov o0.yzw, l(0,1.0,1.0,1.0)",
    );
    let mut random = brolga_testing::random::Random(14);
    let mut seen = [[0; 2]; 2];
    for n in 0..150 {
        let mut number = |least: f32, most: f32| least + (most - least) * random.below(1 << 16) as f32 / 65536.0;
        // Vertices with w <= 0, in front of the near plane and beyond the far one.
        let corners: [[f32; 4]; 3] = std::array::from_fn(|_| {
            let w = number(-0.75, 2.0);
            [number(-2.0, 2.0), number(-2.0, 2.0), number(-0.5, 1.5) * w, w]
        });
        let [[ax, ay, _, aw], [bx, by, _, bw], [cx, cy, _, cw]] = corners.map(|corner| corner.map(f64::from));
        let volume = ax * (by * cw - bw * cy) - ay * (bx * cw - bw * cx) + aw * (bx * cy - by * cx);
        if volume.abs() < 0.05 {
            continue;
        }
        let vertices = corners.map(|corner| vertex(corner, ONES));
        for (of_fill, fill) in Fill::ALL.into_iter().enumerate() {
            for cull in Cull::ALL {
                let set = |desc: &mut PipelineDesc| (desc.rasterizer.fill, desc.rasterizer.cull) = (fill, cull);
                let (texels, passed) = picture(&shader, &vertices, set, |_, _| {});
                let is_front = volume < 0.0;
                if cull == if is_front { Cull::Front } else { Cull::Back } {
                    assert_eq!(passed, 0, "{n}: {fill:?} {cull:?} {corners:?}");
                    continue;
                }
                let face = if is_front { u32::MAX } else { 0 };
                assert!(texels.iter().all(|texel| texel[1] == 0 || texel[0] == face), "{n}: {fill:?} {corners:?}");
                seen[of_fill][usize::from(is_front)] += usize::from(passed > 0);
            }
        }
    }
    assert!(seen.as_flattened().iter().all(|&seen| seen > 20), "{seen:?}");
}

/// The rest of a clipped triangle has the bias of the whole.
#[test]
fn what_is_cut_is_biased_once() {
    let through = shaders::vertex();
    let white = pixel("dcl_output o0.xyzw\nmov o0.xyzw, l(1.0,1.0,1.0,1.0)");
    // Depth is 0 at x = 4, and grows by a 16th from pixel to pixel: twice the slope is an eighth.
    let corners = [[0.5, 2.5], [12.5, 2.5], [0.5, 14.5]];
    let vertices = corners.map(|[x, y]: [f32; 2]| vertex(position([x, y], (x - 4.0) / 16.0, 1.0), ONES));
    let unit = 1.0 / f64::from((1 << 24) - 1);
    for fill in Fill::ALL {
        let depths = on_both(|device, engine| {
            let canvas = Canvas::new(device, engine, [SIZE; 2], &[Format::R32G32B32A32_FLOAT]);
            let canvas = canvas.with_depth(Format::D24_UNORM_S8_UINT, [SIZE; 2], 0xff_ffff);
            let set = |desc: &mut PipelineDesc| {
                desc.rasterizer.fill = fill;
                (desc.rasterizer.depth_bias, desc.rasterizer.slope_scaled_depth_bias) = (1000, 2.0);
            };
            canvas.draw(Item::new(&through, &white, &vertices).set(&set));
            canvas.depths()
        });
        for x in 4..12 {
            let bias = 1000.0 * unit + 1.0 / 8.0;
            let expected = ((f64::from(x) - 3.5) / 16.0 + bias) / unit;
            for y in [2, 13 - x] {
                // The lower edge is a row below the covered pixels.
                let row = if fill == Fill::Wireframe && y != 2 { y + 1 } else { y };
                let code = depths[(row * SIZE + x) as usize];
                assert!((f64::from(code) - expected).abs() < 3.0, "{fill:?} at ({x}, {row}): {code}, not {expected}");
            }
        }
    }
}

/// Without a slope factor, the slope of a triangle seen edge-on, which is infinite, is ignored: 0 times infinity is
/// NaN.
#[test]
fn edge_on_triangles_are_biased_by_units() {
    let through = shaders::vertex();
    let white = pixel("dcl_output o0.xyzw\nmov o0.xyzw, l(1.0,1.0,1.0,1.0)");
    // The nearest of the three lines has a quarter everywhere.
    let corners = [([2.5, 4.5], 0.25), ([10.5, 4.5], 0.25), ([6.5, 4.5], 0.75)];
    let vertices = corners.map(|(place, z)| vertex(position(place, z, 1.0), ONES));
    let depths = on_both(|device, engine| {
        let canvas = Canvas::new(device, engine, [SIZE; 2], &[Format::R32G32B32A32_FLOAT]);
        let canvas = canvas.with_depth(Format::D24_UNORM_S8_UINT, [SIZE; 2], 0xff_ffff);
        let set = |desc: &mut PipelineDesc| {
            edges(desc);
            desc.rasterizer.depth_bias = 1000;
        };
        canvas.draw(Item::new(&through, &white, &vertices).set(&set));
        canvas.depths()
    });
    for x in 2..10 {
        assert!(depths[(4 * SIZE + x) as usize].abs_diff((1 << 22) + 1000) <= 1, "at {x}");
    }
}

/// The bias is that of the triangle; other lines and points have none.
#[test]
fn edges_are_biased_and_lines_are_not() {
    let through = shaders::vertex();
    let white = pixel("dcl_output o0.xyzw\nmov o0.xyzw, l(1.0,1.0,1.0,1.0)");
    // Depth grows by a 64th from pixel to pixel, so that twice the slope is a 32nd; a half is at x = 8.
    let at = |[x, y]: [f32; 2]| vertex(position([x, y], 0.5 + (x - 8.0) / 64.0, 1.0), ONES);
    let vertices = CORNERS.map(at);
    let depths = |topology: Topology, fill: Fill| {
        on_both(|device, engine| {
            let canvas = Canvas::new(device, engine, [SIZE; 2], &[Format::R32G32B32A32_FLOAT]).with_depth(
                Format::D24_UNORM_S8_UINT,
                [SIZE; 2],
                0xff_ffff,
            );
            let set = |desc: &mut PipelineDesc| {
                (desc.topology, desc.rasterizer.fill) = (topology, fill);
                (desc.rasterizer.depth_bias, desc.rasterizer.slope_scaled_depth_bias) = (1000, 2.0);
            };
            canvas.draw(Item::new(&through, &white, &vertices).set(&set));
            canvas.depths()
        })
    };
    let unit = 1.0 / f64::from((1 << 24) - 1);
    for (topology, bias) in [(Topology::TriangleList, 1000.0 * unit + 1.0 / 32.0), (Topology::LineList, 0.0)] {
        let found = depths(topology, Fill::Wireframe);
        for x in 2..10 {
            let expected = (0.5 + (f64::from(x) - 7.5) / 64.0 + bias) / unit;
            let code = found[(2 * SIZE + x) as usize];
            assert!((f64::from(code) - expected).abs() < 3.0, "{topology:?} at {x}: {code}, not {expected}");
        }
    }
    // Only triangles are filled in another way.
    assert_eq!(depths(Topology::LineList, Fill::Solid), depths(Topology::LineList, Fill::Wireframe));
    for fill in Fill::ALL {
        let found = depths(Topology::PointList, fill);
        for [x, y] in CORNERS {
            let expected = f64::from(0.5 + (x - 8.0) / 64.0) / unit;
            let code = found[y as usize * SIZE as usize + x as usize];
            assert!((f64::from(code) - expected).abs() < 1.0, "{fill:?} at {x}: {code}, not {expected}");
        }
    }
}
