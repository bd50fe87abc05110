//! Tests lines and points: the pixels that they cover and their inputs. Functional specification, 3.4.3, 3.4.6, 8.10 to
//! 8.14, 15.4, 15.11, 15.12, 15.14 and 20.4.7.

use brolga::raster::{Bounds, Cull, Draw, IndexBuffer, Pass, PipelineDesc, Statistics, Topology, Viewport};
use brolga::{Device, Format};

use super::canvas::{Canvas, Item, SIZE, Vertex, covered, on_both, picture, position, rectangle, vertex};
use super::distances::with_distances;
use super::shaders::{self, attribute, pixel, shader};

const ONES: [f32; 4] = [1.0; 4];

fn lines(desc: &mut PipelineDesc) {
    desc.topology = Topology::LineList;
}

fn points(desc: &mut PipelineDesc) {
    desc.topology = Topology::PointList;
}

/// Vertices at positions in pixels, with an attribute each.
fn at<const N: usize>(places: [[f32; 2]; N], values: [f32; N]) -> [Vertex; N] {
    std::array::from_fn(|n| vertex(position(places[n], 0.5, 1.0), [values[n]; 4]))
}

/// The pixels that are drawn and their values, row by row.
fn drawn(
    shader: &[u8],
    vertices: &[Vertex],
    set: impl Fn(&mut PipelineDesc),
    with: impl Fn(&Device, &mut Draw<'_>),
) -> Vec<([u32; 2], [f32; 4])> {
    let (texels, _) = picture(shader, vertices, set, with);
    let seen = texels.iter().zip(0..).filter(|(texel, _)| **texel != [0; 4]);
    seen.map(|(texel, n)| ([n % SIZE, n / SIZE], texel.map(f32::from_bits))).collect()
}

fn no_change(_: &Device, _: &mut Draw<'_>) {}

/// A line covers the pixel that it begins in the diamond of, and not the one that it ends in.
#[test]
fn lines_end_before_their_last_pixel() {
    let [left, right] = [[2.5, 3.5], [6.5, 3.5]];
    assert_eq!(covered(&at([left, right], [1.0; 2]), lines, no_change), rectangle(2..6, 3..4));
    assert_eq!(covered(&at([right, left], [1.0; 2]), lines, no_change), rectangle(3..7, 3..4));
    // Half a pixel further it ends on the right corner of the last diamond, which belongs to steep lines alone.
    assert_eq!(covered(&at([left, [7.0, 3.5]], [1.0; 2]), lines, no_change), rectangle(2..7, 3..4));
    let [upper, lower] = [[3.5, 2.5], [3.5, 6.5]];
    assert_eq!(covered(&at([upper, lower], [1.0; 2]), lines, no_change), rectangle(3..4, 2..6));
    // On the border of two columns it is in the left one, the right corner of whose diamond it ends on here.
    assert_eq!(covered(&at([[4.0, 2.5], [4.0, 6.5]], [1.0; 2]), lines, no_change), rectangle(3..4, 2..6));
    assert!(covered(&at([left, left], [1.0; 2]), lines, no_change).is_empty());
    // Around a square every pixel is drawn once: `covered` checks that.
    let square = [left, right, [6.5, 8.5], [2.5, 8.5], left];
    let found = covered(&at(square, [1.0; 5]), |desc| desc.topology = Topology::LineStrip, no_change);
    let inside = |[x, y]: &[u32; 2]| (3..6).contains(x) && (4..8).contains(y);
    assert_eq!(found, rectangle(2..7, 3..9).into_iter().filter(|pixel| !inside(pixel)).collect::<Vec<_>>());
}

/// The visible part of a line is drawn, whatever finite positions its ends have.
#[test]
fn lines_may_be_as_long_as_floats_reach() {
    // The centers of row 3 and of column 8.
    let (row, column) = (1.0 - 3.5 / 8.0, 8.5 / 8.0 - 1.0);
    for far in [1e5, 1e10, 1e20, 1e30, f32::MAX] {
        let check = |ends: [[f32; 4]; 2], expected: &[[u32; 2]]| {
            for ends in [ends, [ends[1], ends[0]]] {
                let found = covered(&ends.map(|end| vertex(end, [1.0; 4])), lines, no_change);
                assert_eq!(found, expected, "{ends:?}");
            }
        };
        let at = |x: f32, y: f32| [x, y, 0.5, 1.0];
        check([at(-far, row), at(far, row)], &rectangle(0..SIZE, 3..4));
        check([at(column, -far), at(column, far)], &rectangle(8..9, 0..SIZE));
        let diagonal: Vec<_> = (0..SIZE).map(|n| [n, n]).collect();
        check([at(-far, far), at(far, -far)], &diagonal);
        check([at(far, 2.0), at(2.0, far)], &[]);
        // With w < 0: the line continues to the right, as far as w is above 0.
        let behind = [at(-2.0, row), [far, -row, 0.5, -1.0]];
        check(behind, &rectangle(0..SIZE, 3..4));
        assert!(covered(&[vertex(at(far, 0.0), [1.0; 4])], points, no_change).is_empty());
    }
}

/// Attributes are linear along the line, on the screen or in space, and constant across.
#[test]
fn attributes_change_along_lines() {
    // Vertices at x = 0.5 and 8.5 with w = 1 and 3. In the middle of the row: 1/w is 2/3, a/w is 1/2 * 12/3.
    let ends = [([0.5, 0.5], 1.0, 0.0), ([8.5, 0.5], 3.0, 12.0)];
    let vertices = ends.map(|(place, w, value)| vertex(position(place, 0.5, w), [value; 4]));
    for (mode, expected) in [("constant", 0.0), ("linear", 3.0), ("linear noperspective", 6.0)] {
        let (texels, passed) = picture(&attribute(mode), &vertices, lines, no_change);
        let found = f32::from_bits(texels[4][0]);
        assert!((found - expected).abs() < 1e-5 && passed == 8, "{mode}: {found}");
    }
    // 8 to the right and 4 down, a line of length squared 80: at a pixel that lies (x, y) from the start the attribute
    // is 80 times (8 x + 4 y) / 80. Where the line goes through the border of two rows it is in the upper one.
    let vertices = at([[2.5, 2.5], [10.5, 6.5]], [1.0, 81.0]);
    let places = [[2, 2], [3, 2], [4, 3], [5, 3], [6, 4], [7, 4], [8, 5], [9, 5]];
    for mode in ["linear", "linear noperspective"] {
        let found = drawn(&attribute(mode), &vertices, lines, no_change);
        assert_eq!(found.iter().map(|(place, _)| *place).collect::<Vec<_>>(), places, "{mode}");
        for ([x, y], [value, ..]) in found {
            let expected = (1 + 8 * (x - 2) + 4 * (y - 2)) as f32;
            assert!((value - expected).abs() < 1e-4, "{mode} at ({x}, {y}): {value}, not {expected}");
        }
        // Both derivatives of that, also where a pixel's neighbours are not covered.
        for precision in ["fine", "coarse"] {
            let shader = pixel(&format!(
                "dcl_input_ps {mode} v1.xyzw\ndcl_output o0.xyzw\n\
                 deriv_rtx_{precision} o0.x, v1.x\nderiv_rty_{precision} o0.y, v1.x\nmov o0.zw, l(0,0,0,1.0)"
            ));
            for (place, [right, down, ..]) in drawn(&shader, &vertices, lines, no_change) {
                assert!((right - 8.0).abs() < 1e-3 && (down - 4.0).abs() < 1e-3, "{place:?}: {right} {down}");
            }
        }
    }
}

/// The position that pixels see: their center, the depth along the line, one over the interpolated 1/w.
#[test]
fn pixels_of_lines_have_positions() {
    let ends = [([0.5, 4.5], 0.25, 2.0), ([16.5, 4.5], 0.75, 4.0)];
    let vertices = ends.map(|(place, z, w)| vertex(position(place, z, w), ONES));
    let shader =
        pixel("dcl_input_ps_siv linear noperspective v0.xyzw, position\ndcl_output o0.xyzw\nmov o0.xyzw, v0.xyzw");
    let found = drawn(&shader, &vertices, lines, no_change);
    assert_eq!(found.len(), 16);
    for ([x, _], [right, down, z, w]) in found {
        let part = x as f32 / 16.0;
        assert_eq!([right, down], [x as f32 + 0.5, 4.5]);
        assert!((z - (0.25 + 0.5 * part)).abs() < 1e-6 && (w - 1.0 / (0.5 - 0.25 * part)).abs() < 1e-5, "{z} {w}");
    }
}

/// A pixel for each point, with its vertex's attributes everywhere: also in the neighbours, whose derivatives are 0.
#[test]
fn points_are_pixels() {
    let places = [[1.5, 1.5], [3.25, 5.75], [6.0, 8.0], [9.01, 2.99], [0.0, 4.5], [16.0, 15.5], [12.5, 16.01]];
    let values = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0];
    let vertices = at(places, values);
    // A point on the border of two pixels is in the left or upper one; so two are not in the target.
    let expected = [([1, 1], 1.0), ([9, 2], 4.0), ([3, 5], 2.0), ([5, 7], 3.0), ([15, 15], 6.0)];
    for mode in ["constant", "linear", "linear noperspective"] {
        let found = drawn(&attribute(mode), &vertices, points, no_change);
        assert_eq!(found, expected.map(|(place, value)| (place, [value; 4])), "{mode}");
    }
    let shader = pixel(
        "dcl_input_ps linear v1.xyzw\ndcl_output o0.xyzw\n\
         deriv_rtx_fine o0.x, v1.x\nderiv_rty_fine o0.y, v1.x\nmov o0.zw, l(0,0,0,1.0)",
    );
    let found = drawn(&shader, &vertices, points, no_change);
    assert!(found.len() == 5 && found.iter().all(|(_, value)| *value == [0.0, 0.0, 0.0, 1.0]), "{found:?}");
    // Infinity is a constant too.
    let endless = [vertex([0.0, 0.0, 0.5, 1.0], [f32::INFINITY; 4])];
    assert_eq!(drawn(&attribute("linear"), &endless, points, no_change), [([7, 7], [f32::INFINITY; 4])]);
}

/// The numbers of the leading vertex and of the primitive, by columns of the first row. Vertex n is at column 2 n.
fn numbers(set: impl Fn(&mut PipelineDesc), indices: Option<&[u32]>) -> Vec<[u32; 3]> {
    let shader = pixel(
        "dcl_input_ps constant v1.xyzw\ndcl_input_ps_sgv constant v5.x, primitive_id\ndcl_output o0.xyzw\ndcl_temps 1\n\
         utof r0.x, v5.x\nmov o0.x, v1.x\nmov o0.y, r0.x\nmov o0.zw, l(0,0,1.0,1.0)",
    );
    let places = [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0];
    let vertices = at(places.map(|n| [2.0 * n + 0.5, 0.5]), places);
    let with = |device: &Device, draw: &mut Draw<'_>| {
        let Some(indices) = indices else { return };
        let buffer = device.buffer_from(indices).unwrap();
        draw.count = indices.len() as u32;
        draw.index_buffer = Some(IndexBuffer { buffer, offset_bytes: 0, is_short: false });
    };
    let found = drawn(&shader, &vertices, set, with);
    found.into_iter().map(|([x, _], [leading, primitive, ..])| [x, leading as u32, primitive as u32]).collect()
}

#[test]
fn lines_and_points_are_led_and_numbered() {
    const CUT: u32 = u32::MAX;
    let strip = |desc: &mut PipelineDesc| desc.topology = Topology::LineStrip;
    let two = |lines: &[[u32; 3]]| -> Vec<[u32; 3]> {
        lines.iter().flat_map(|&[x, leading, id]| [[x, leading, id], [x + 1, leading, id]]).collect()
    };
    assert_eq!(numbers(lines, None), two(&[[0, 0, 0], [4, 2, 1], [8, 4, 2], [12, 6, 3]]));
    // The last vertex has no partner; backwards a line covers the pixels after its end.
    assert_eq!(numbers(lines, Some(&[0, 1, 5, 4, 7])), two(&[[0, 0, 0], [9, 5, 1]]));
    assert_eq!(numbers(lines, Some(&[0, CUT, 2, 3, 4, CUT, 5, 6])), two(&[[4, 2, 0], [10, 5, 1]]));
    let all: Vec<[u32; 3]> = (0..7).map(|n| [2 * n, n, n]).collect();
    assert_eq!(numbers(strip, None), two(&all));
    let restarts = [0, 1, 2, CUT, 4, CUT, CUT, 5, 6, 7];
    assert_eq!(numbers(strip, Some(&restarts)), two(&[[0, 0, 0], [2, 1, 1], [10, 5, 2], [12, 6, 3]]));
    assert_eq!(numbers(points, Some(&[3, CUT, 0, 6])), [[0, 0, 1], [6, 3, 0], [12, 6, 2]]);
}

/// Neither is culled, and both show their fronts, whichever way is the front.
#[test]
fn lines_and_points_show_their_fronts() {
    let shader = pixel(
        "dcl_input_ps_sgv constant v4.x, is_front_face\ndcl_output o0.xyzw\nmov o0.x, v4.x\nmov o0.yzw, l(0,1.0,1.0,1.0)",
    );
    let vertices = at([[2.5, 2.5], [5.5, 7.5], [9.5, 7.5], [6.5, 2.5]], [1.0; 4]);
    for (topology, count) in [(Topology::LineList, 10), (Topology::PointList, 4)] {
        for cull in Cull::ALL {
            for counter in [false, true] {
                let set = |desc: &mut PipelineDesc| {
                    desc.topology = topology;
                    (desc.rasterizer.cull, desc.rasterizer.front_counter_clockwise) = (cull, counter);
                };
                let (texels, passed) = picture(&shader, &vertices, set, no_change);
                assert_eq!(passed, count, "{topology:?} {cull:?}");
                assert!(texels.iter().all(|texel| texel[1] == 0 || texel[0] == u32::MAX), "{topology:?} {cull:?}");
            }
        }
    }
}

/// Depths are tested before the shader and after it, and written.
#[test]
fn lines_and_points_have_depths() {
    let early = pixel("dcl_output o0.xyzw\nmov o0.xyzw, l(1.0,1.0,1.0,1.0)");
    let late =
        pixel("dcl_input_ps constant v1.xyzw\ndcl_output o0.xyzw\ndiscard_z v1.w\nmov o0.xyzw, l(1.0,1.0,1.0,1.0)");
    // From a quarter to three quarters, a 32nd each column.
    let line = [([0.5, 4.5], 0.25), ([16.5, 4.5], 0.75)];
    let line = line.map(|(place, z)| vertex(position(place, z, 1.0), ONES));
    let point = |x: f32, z: f32| vertex(position([x, 9.5], z, 1.0), ONES);
    let through = shaders::vertex();
    for shader in [&early, &late] {
        let (passed, depths) = on_both(|device, engine| {
            let canvas = Canvas::new(device, engine, [SIZE; 2], &[Format::R32G32B32A32_FLOAT]).with_depth(
                Format::D32_FLOAT,
                [SIZE; 2],
                0.5f32.to_bits(),
            );
            let dots = [point(3.5, 0.375), point(5.5, 0.5), point(7.5, 0.625)];
            let items =
                [Item::new(&through, shader, &line).set(&lines), Item::new(&through, shader, &dots).set(&points)];
            (canvas.pass(&items), canvas.depths())
        });
        assert_eq!(passed, [8, 1]);
        for [x, y] in rectangle(0..SIZE, 0..SIZE) {
            let expected = match [x, y] {
                [0..8, 4] => 0.25 + x as f32 / 32.0,
                [3, 9] => 0.375,
                _ => 0.5,
            };
            assert_eq!(f32::from_bits(depths[(y * SIZE + x) as usize]), expected, "({x}, {y})");
        }
    }
}

/// The parts with w <= 0 or beyond the depth range are clipped, and the rest keeps its attributes in their modes.
#[test]
fn lines_are_cut() {
    // From the middle of the screen upwards through the plane w = 0. On the border of two columns it is in the left
    // one.
    let ends = |z: f32| [[0.0, 0.0, 0.5, 1.0], [0.0, 1.0, z, -1.0]].map(|place| vertex(place, ONES));
    let cut = |z: f32, clips: bool| {
        covered(&ends(z), |desc| (desc.topology, desc.rasterizer.depth_clip) = (Topology::LineList, clips), no_change)
    };
    for clips in [false, true] {
        // z / w is 0.5 everywhere.
        assert_eq!(cut(-0.5, clips), rectangle(7..8, 0..8), "{clips}");
    }
    // Depth is clipped where z = w, at a quarter of the way: y is half of w there.
    assert_eq!(cut(0.5, true), rectangle(7..8, 4..8));
    assert_eq!(cut(0.5, false), rectangle(7..8, 0..8));

    // At a part t of the way w is 1 - 2 t, and y is t / w, so that t is y / (1 + 2 y). On the screen the other end is
    // at y = -1.
    const NAN: u32 = 0x7fa0_0001;
    let mut vertices = ends(-0.5);
    vertices[0][1..].copy_from_slice(&[[0; 4], [0; 4], [1; 4]]);
    vertices[1][1..].copy_from_slice(&[[24f32.to_bits(); 4], [0; 4], [NAN; 4]]);
    for is_turned in [false, true] {
        if is_turned {
            vertices.reverse();
        }
        for (mode, is_on_screen) in [("linear", false), ("linear noperspective", true)] {
            let shader = pixel(&format!(
                "dcl_input_ps {mode} v1.xyzw\ndcl_input_ps constant v3.xyzw\ndcl_output o0.xyzw\n\
                 mov o0.xyz, v1.xxxx\nmov o0.w, v3.x"
            ));
            let (texels, passed) = picture(&shader, &vertices, lines, no_change);
            assert_eq!(passed, 8);
            for row in 0..8 {
                let found = texels[(row * SIZE + 7) as usize];
                assert_eq!(found[3], if is_turned { NAN } else { 1 });
                let y = (8.0 - row as f32 - 0.5) / 8.0;
                let expected = if is_on_screen { -24.0 * y } else { 24.0 * y / (1.0 + 2.0 * y) };
                let value = f32::from_bits(found[0]);
                // If the far end leads, at 98,304, floats have steps of a 128th.
                assert!((value - expected).abs() < 0.02, "{mode} at {row}: {value}, not {expected}");
            }
        }
    }
}

/// A point is drawn if its position is visible: within the depth range, unless that is not clipped, and with w > 0.
#[test]
fn points_are_seen_or_not() {
    let seen = |place: [f32; 4], clips: bool| {
        let set = |desc: &mut PipelineDesc| {
            (desc.topology, desc.rasterizer.depth_clip) = (Topology::PointList, clips);
        };
        covered(&[vertex(place, ONES)], set, no_change) == [[7, 7]]
    };
    for (z, w, is_between, is_before) in [
        (0.0, 1.0, true, true),
        (1.0, 1.0, true, true),
        (-0.001, 1.0, false, true),
        (1.001, 1.0, false, true),
        (0.5, 0.0, false, false),
        (-0.5, -1.0, false, false),
        (f32::NAN, 1.0, false, false),
        (0.5, f32::NAN, false, false),
    ] {
        assert_eq!([seen([0.0, 0.0, z, w], true), seen([0.0, 0.0, z, w], false)], [is_between, is_before], "{z} {w}");
    }
    // NaN, or NaN after the division.
    const NONE: f32 = f32::NAN;
    const FAR: f32 = f32::INFINITY;
    for place in [
        [NONE, 0.0, 0.5, 1.0],
        [0.0, NONE, 0.5, 1.0],
        [FAR, 0.0, 0.5, FAR],
        [0.0, -FAR, 0.5, FAR],
        [0.0, 0.0, FAR, FAR],
    ] {
        assert!(!seen(place, true) && !seen(place, false), "{place:?}");
    }
}

/// A line with an end that is NaN is dropped, and no other one.
#[test]
fn lines_with_ends_that_are_no_numbers_are_dropped() {
    for (end, component) in rectangle(0..2, 0..4).into_iter().map(|[end, component]| (end, component)) {
        let mut vertices = at([[0.5, 1.5], [9.5, 1.5], [2.5, 4.5], [5.5, 4.5]], [1.0; 4]);
        vertices[end as usize][0][component as usize] = f32::NAN.to_bits();
        assert_eq!(covered(&vertices, lines, no_change), rectangle(2..5, 4..5));
    }
}

/// The remainder of vertices with two distances each.
fn cut_by(kind: &str, topology: Topology, vertices: &[([f32; 2], [f32; 2])], w: f32) -> Vec<[u32; 2]> {
    let clipping = with_distances(&[(kind, 3, "xy")]);
    let white = shader(
        "ps_5_0",
        &["SV_Position 0 xyzw 0 POS float"],
        &[],
        "dcl_output o0.xyzw\nmov o0.xyzw, l(1.0,1.0,1.0,1.0)",
    );
    let vertices: Vec<Vertex> = vertices
        .iter()
        .map(|&(place, distances)| {
            let mut vertex = vertex(position(place, 0.5, w), [0.0; 4]);
            vertex[3][..2].copy_from_slice(&distances.map(f32::to_bits));
            vertex
        })
        .collect();
    let texels = on_both(|device, engine| {
        let canvas = Canvas::new(device, engine, [SIZE; 2], &[Format::R32G32B32A32_FLOAT]);
        canvas.draw(Item::new(&clipping, &white, &vertices).set(&|desc| desc.topology = topology));
        canvas.texels(0)
    });
    texels.iter().zip(0..).filter(|(texel, _)| texel[0] != 0).map(|(_, n)| [n % SIZE, n / SIZE]).collect()
}

#[test]
fn distances_cut_lines_and_points() {
    const NAN: f32 = f32::NAN;
    let line = |kind: &str, [from, to]: [[f32; 2]; 2], w: f32| {
        cut_by(kind, Topology::LineList, &[([0.5, 4.5], from), ([16.5, 4.5], to)], w)
    };
    let whole = rectangle(0..SIZE, 4..5);
    let clip = |distances, w| line("Clip", distances, w);
    for w in [1.0, 4.0] {
        // x - 2.5, which is 0 at the center of column 2; and 10.25 - x.
        assert_eq!(clip([[-2.0, 9.75], [14.0, -6.25]], w), rectangle(2..10, 4..5));
    }
    assert_eq!(clip([[0.0, 1.0], [-0.0, 0.0]], 1.0), whole);
    assert!(clip([[1.0, -1.0], [1.0, -2.0]], 1.0).is_empty());
    assert!(clip([[1.0, NAN], [1.0, 1.0]], 1.0).is_empty());
    let cull = |distances| line("Cull", distances, 1.0);
    assert_eq!(cull([[-1.0, 1.0], [1.0, -1.0]]), whole);
    assert!(cull([[-1.0, 1.0], [-1.0, 1.0]]).is_empty());
    assert!(cull([[1.0, NAN], [1.0, -1.0]]).is_empty());
    let point = |kind: &str, distances: [f32; 2]| {
        cut_by(kind, Topology::PointList, &[([4.5, 4.5], distances)], 1.0) == [[4, 4]]
    };
    for kind in ["Clip", "Cull"] {
        let found = [[0.0, 1.0], [-0.0, 0.5], [-0.5, 1.0], [1.0, NAN]].map(|distances| point(kind, distances));
        assert_eq!(found, [true, true, false, false], "{kind}");
    }
}

/// Both are cut by the scissor rectangle and the edges of the viewport, and are otherwise unchanged.
#[test]
fn lines_and_points_keep_to_their_rectangles() {
    let scissor = Bounds { left: 5, top: 0, right: 9, bottom: 6 };
    let with = |_: &Device, draw: &mut Draw<'_>| draw.scissor = Some(scissor);
    let line = at([[2.5, 2.5], [10.5, 6.5]], [1.0; 2]);
    assert_eq!(covered(&line, lines, with), [[5, 3], [6, 4], [7, 4], [8, 5]]);
    let dots = at([[4.5, 2.5], [5.5, 2.5], [8.5, 5.5], [9.5, 5.5], [8.5, 6.5]], [1.0; 5]);
    assert_eq!(covered(&dots, points, with), [[5, 2], [8, 5]]);
    let with = |_: &Device, draw: &mut Draw<'_>| {
        draw.viewport = Some(Viewport { left: 4.0, top: 4.0, width: 4.0, height: 4.0, min_depth: 0.0, max_depth: 1.0 });
    };
    // Far out to the left and to the right.
    let level = [[-9.0, 0.25, 0.5, 1.0], [9.0, 0.25, 0.5, 1.0]].map(|place| vertex(place, ONES));
    assert_eq!(covered(&level, lines, with), rectangle(4..8, 5..6));
    let dots = [[-1.01, 0.25], [-0.99, 0.25], [1.0, 0.25], [1.01, 0.25]];
    let dots = dots.map(|[x, y]| vertex([x, y, 0.5, 1.0], ONES));
    assert_eq!(covered(&dots, points, with), [[4, 5], [7, 5]]);
}

/// Lines through many tiles, some of which are listed one by one and some are not.
#[test]
fn long_lines_go_through_tiles() {
    let through = shaders::vertex();
    let white = pixel("dcl_output o0.xyzw\nmov o0.xyzw, l(1.0,1.0,1.0,1.0)");
    for [width, height] in [[200_u32, 150], [700, 650], [40, 900]] {
        // From the center of the first pixel to that of the last.
        let [right, down] = [1.0 - 1.0 / width as f32, 1.0 - 1.0 / height as f32];
        let ends = [[-right, down], [right, -down]].map(|[x, y]| vertex([x, y, 0.5, 1.0], ONES));
        let texels = on_both(|device, engine| {
            let canvas = Canvas::new(device, engine, [width, height], &[Format::R8_UNORM]).with_depth(
                Format::D16_UNORM,
                [width, height],
                0xffff,
            );
            canvas.draw(Item::new(&through, &white, &ends).set(&lines));
            canvas.bytes(0)
        });
        let [along, across] = [width.max(height) - 1, width.min(height) - 1];
        let mut expected = vec![0; (width * height) as usize];
        for n in 0..along {
            // Half a pixel and n times the slope, in parts of twice the length: the last pixel that begins before that.
            let other = (along + 2 * n * across - 1) / (2 * along);
            let [x, y] = if width > height { [n, other] } else { [other, n] };
            expected[(y * width + x) as usize] = 255;
        }
        assert!(texels == expected, "{width} x {height}");
    }
}

fn statistics(topology: Topology, vertices: &[Vertex], indices: Option<&[u32]>, count: u32) -> Statistics {
    let through = shaders::vertex();
    let white = pixel("dcl_output o0.xyzw\nmov o0.xyzw, l(1.0,1.0,1.0,1.0)");
    on_both(|device, engine| {
        let canvas = Canvas::new(device, engine, [SIZE; 2], &[Format::R32G32B32A32_FLOAT]);
        let pipeline = canvas.pipeline(&Item::new(&through, &white, vertices).set(&|desc| desc.topology = topology));
        let buffer = device.buffer_from(vertices).unwrap();
        let mut draw = Draw::new(&pipeline, count).vertex_buffer(buffer, size_of::<Vertex>() as u32);
        if let Some(indices) = indices {
            let buffer = device.buffer_from(indices).unwrap();
            draw = draw.index_buffer(IndexBuffer { buffer, offset_bytes: 0, is_short: false });
        }
        let mut pass = Pass::new(device, canvas.targets.clone()).unwrap();
        pass.draw(&draw).unwrap();
        pass.finish().unwrap()[0]
    })
}

/// As the examples of section 20.4.7 count triangles.
#[test]
fn lines_and_points_are_counted() {
    const CUT: u32 = u32::MAX;
    // Four pixels to the right, four down, four to the left, and to a position beyond the depth range.
    let mut vertices = at([[2.5, 2.5], [6.5, 2.5], [6.5, 6.5], [2.5, 6.5], [8.5, 8.5]], [1.0; 5]);
    vertices[4][0][2] = 2f32.to_bits();
    let counts = |s: Statistics| {
        let input = [s.vertices, s.primitives, s.vertex_invocations];
        (input, [s.clipper_invocations, s.clipper_primitives], [s.pixel_invocations, s.samples])
    };
    let strip = statistics(Topology::LineStrip, &vertices[..4], None, 4);
    assert_eq!(counts(strip), ([4, 3, 4], [3, 3], [12, 12]));
    // One without a partner, and one that ends outside the view volume: it is clipped, not dropped.
    let list = statistics(Topology::LineList, &vertices, Some(&[0, 1, 4, 4, 1, 2, 3]), 7);
    assert_eq!(counts(list), ([6, 3, 4], [3, 2], [8, 8]));
    let dots = statistics(Topology::PointList, &vertices, Some(&[0, 1, CUT, 4, 0]), 5);
    assert_eq!(counts(dots), ([4, 4, 3], [4, 3], [3, 3]));
    // Indices past the end of the buffer are 0: points of it are drawn, lines of it have no length.
    let past = statistics(Topology::PointList, &vertices, Some(&[1, 2]), 5);
    assert_eq!(counts(past), ([5, 5, 3], [5, 5], [5, 5]));
    let past = statistics(Topology::LineStrip, &vertices, Some(&[1, 2]), 5);
    assert_eq!(past.samples, 4 + 4);
}
