//! Tests attributes and positions at pixels: functional specification, 15.5, 15.16.2, 16.3, 16.4 and 16.8.

use super::canvas::{SIZE, covered, picture, position, rectangle, triangle, vertex};
use super::shaders::{attribute, pixel};

const MODES: [&str; 7] = [
    "constant",
    "linear",
    "linear centroid",
    "linear sample",
    "linear noperspective",
    "linear noperspective centroid",
    "linear noperspective sample",
];

fn pixel_at(texels: &[[u32; 4]], [x, y]: [u32; 2]) -> [f32; 4] {
    texels[(y * SIZE + x) as usize].map(f32::from_bits)
}

/// Weights are those of snapped vertices: otherwise attributes would move by a part of a 256th.
#[test]
fn attributes_are_set_up_from_snapped_corners() {
    // Snapped, x is 2 and 6.
    let away = 0.45 / 256.0;
    let corners = [[2.0 + away, 2.0], [6.0 + away, 2.0], [2.0 + away, 6.0]];
    let vertices = [0, 1, 2].map(|n| {
        let value = [0.0, 4.0, 0.0][n];
        vertex(position(corners[n], 0.5, 1.0), [value; 4])
    });
    for mode in &MODES[1..] {
        let (texels, _) = picture(&attribute(mode), &vertices, |_| {}, |_, _| {});
        assert_eq!([2, 3, 4].map(|x| pixel_at(&texels, [x, 2])[0]), [0.5, 1.5, 2.5], "{mode}");
    }
}

/// With perspective, half of the way on the screen is less than half of the way from the near vertex.
#[test]
fn perspective_counts_only_where_it_is_asked_for() {
    // Vertices at x = 0.5 and 8.5 with w = 1 and 3. In the middle of the row: 1/w is 2/3, a/w is 1/2 * 12/3.
    let corners = [([0.5, 0.5], 1.0, 0.0), ([8.5, 0.5], 3.0, 12.0), ([0.5, 8.5], 1.0, 0.0)];
    let vertices = corners.map(|(place, w, value)| vertex(position(place, 0.5, w), [value; 4]));
    let expected = |mode: &str| match mode {
        "constant" => 0.0,
        mode if mode.contains("noperspective") => 6.0,
        _ => 3.0,
    };
    for mode in MODES {
        let (texels, _) = picture(&attribute(mode), &vertices, |_| {}, |_, _| {});
        let found = pixel_at(&texels, [4, 0])[0];
        assert!((found - expected(mode)).abs() < 1e-5, "{mode}: {found}");
    }
}

/// `SV_Position` is the pixel's center, its depth as the viewport made it, and one over the interpolated 1/w.
#[test]
fn positions_are_those_of_pixels() {
    let corners = [([0.0, 0.0], 0.25, 2.0), ([16.0, 0.0], 0.75, 4.0), ([0.0, 16.0], 0.25, 2.0)];
    let vertices = corners.map(|(place, z, w)| vertex(position(place, z, w), [0.0; 4]));
    for mode in &MODES[4..] {
        let shader =
            pixel(&format!("dcl_input_ps_siv {mode} v0.xyzw, position\ndcl_output o0.xyzw\nmov o0.xyzw, v0.xyzw"));
        let (texels, _) = picture(&shader, &vertices, |_| {}, |_, _| {});
        let part = 3.5_f32 / 16.0;
        let [x, y, z, w] = pixel_at(&texels, [3, 5]);
        assert_eq!([x, y], [3.5, 5.5]);
        let rcp_w = 0.5 - 0.25 * part;
        assert!((z - (0.25 + 0.5 * part)).abs() < 1e-6 && (w - 1.0 / rcp_w).abs() < 2e-6, "{mode}: {z} {w}");
    }
}

/// A triangle that is clipped at the near plane keeps its attributes: those in perspective are linear in clip space,
/// those without on the screen, and constant ones keep the leading vertex's bits, which are NaN here.
#[test]
fn cuts_keep_attributes_in_their_ways() {
    // A ceiling from the row y = 0, with w = 1, to a vertex with w = -1 that is projected to y = -8. At a part t of the
    // way w is 1 - 2 t and y is 8 t / w, so that 1/w is 1 + y / 4. Depth goes from half of w to 0, and is clipped at t
    // = 1/3, y = 8. It leads, and is clipped off.
    let corners = [([8.0, -8.0], -1.0, 24.0), ([0.0, 0.0], 1.0, 0.0), ([16.0, 0.0], 1.0, 0.0)];
    const NAN: u32 = 0x7fa0_0001;
    let vertices = corners.map(|(place, w, value)| {
        let mut vertex = vertex(position(place, 0.0, w), [value; 4]);
        vertex[0][2] = (0.25 * (w + 1.0)).to_bits();
        vertex[3] = [if w < 0.0 { NAN } else { 1 }; 4];
        vertex
    });
    let code = |mode: &str| {
        pixel(&format!(
            "dcl_input_ps {mode} v1.xyzw\ndcl_input_ps constant v3.xyzw\ndcl_output o0.xyzw\nmov o0.xyz, v1.xxxx\nmov o0.w, v3.x"
        ))
    };
    for (mode, is_on_screen) in [("linear", false), ("linear noperspective", true)] {
        let (texels, _) = picture(&code(mode), &vertices, |_| {}, |_, _| {});
        for row in 0..SIZE {
            let found = texels[(row * SIZE + 8) as usize];
            assert_eq!(found[3], if row < 8 { NAN } else { 0 }, "{mode} at {row}");
            if row >= 8 {
                continue;
            }
            let y = row as f32 + 0.5;
            // 24 t; and the plane that is 0 at y = 0 and 24 at y = -8.
            let (expected, slope) =
                if is_on_screen { (-3.0 * y, 3.0) } else { (12.0 * y / (4.0 + y), 48.0 / (4.0 + y).powi(2)) };
            let value = f32::from_bits(found[0]);
            // Corners of cuts are snapped: they move by a 512th of a pixel.
            assert!((value - expected).abs() < slope / 256.0, "{mode} at {row}: {value}, not {expected}");
        }
    }
}

/// Each triangle of a quad of pixels has the derivatives of its own plane, also where it covers one pixel of them.
#[test]
fn derivatives_belong_to_one_triangle() {
    // The edge runs through quads. On the left the attribute is x + 2 y, on the right 100 + 3 x - 5 y.
    let corners = [[-16.0, -16.0], [32.0, -16.0], [-16.0, 32.0], [32.0, 32.0]];
    let left = |[x, y]: [f32; 2]| [x + 2.0 * y; 4];
    let right = |[x, y]: [f32; 2]| [100.0 + 3.0 * x - 5.0 * y; 4];
    let of = |corner: [f32; 2], value: [f32; 4]| vertex(position(corner, 0.5, 1.0), value);
    let [a, b, c, d] = corners;
    let mut vertices =
        vec![of(a, left(a)), of(b, left(b)), of(c, left(c)), of(b, right(b)), of(d, right(d)), of(c, right(c))];
    // One that covers pixel (1, 1) alone, with 7 x + 9 y.
    let own = |[x, y]: [f32; 2]| [7.0 * x + 9.0 * y; 4];
    vertices.extend([[1.25, 1.25], [1.75, 1.25], [1.5, 1.75]].map(|corner| of(corner, own(corner))));
    for precision in ["fine", "coarse"] {
        let shader = pixel(&format!(
            "dcl_input_ps linear v1.xyzw\ndcl_output o0.xyzw\n\
             deriv_rtx_{precision} o0.x, v1.x\nderiv_rty_{precision} o0.y, v1.x\nmov o0.zw, l(0,0,0,1.0)"
        ));
        let (texels, _) = picture(&shader, &vertices, |_| {}, |_, _| {});
        for [x, y] in rectangle(0..SIZE, 0..SIZE) {
            let expected = match (x + y + 1).cmp(&SIZE) {
                _ if [x, y] == [1, 1] => [7.0, 9.0],
                std::cmp::Ordering::Less => [1.0, 2.0],
                _ => [3.0, -5.0],
            };
            let [dx, dy, ..] = pixel_at(&texels, [x, y]);
            let far = [dx - expected[0], dy - expected[1]].map(f32::abs);
            assert!(far[0] < 1e-3 && far[1] < 1e-3, "{precision} at ({x}, {y}): {dx} {dy}");
        }
    }
}

/// A helper pixel beyond the horizon has a 1/w of 0 or less: it may get any value, and draws nothing.
#[test]
fn helpers_beyond_the_horizon_do_no_harm() {
    // The first row is the lower one of its quads: the centers of the upper one are at 6.5, beyond the horizon or on
    // it.
    for horizon in [6.75, 6.5] {
        let rcp_w = |y: f64| (y - horizon) / 8.0;
        let places = [[0.0, 7.0], [16.0, 7.0], [8.0, 14.0]];
        let vertices =
            places.map(|[x, y]: [f32; 2]| vertex(position([x, y], 0.5, 1.0 / rcp_w(y.into()) as f32), [y; 4]));
        let shader = pixel(
            "dcl_input_ps linear v1.xyzw\ndcl_output o0.xyzw\n\
             deriv_rty_coarse o0.x, v1.x\nmov o0.y, v1.x\nmov o0.zw, l(0,0,1.0,1.0)",
        );
        let (texels, _) = picture(&shader, &vertices, |_| {}, |_, _| {});
        let mut rows = [false; SIZE as usize];
        for [x, y] in rectangle(0..SIZE, 0..SIZE) {
            let [_, value, _, is_drawn] = pixel_at(&texels, [x, y]);
            assert!(y >= 7 || is_drawn == 0.0, "({x}, {y})");
            if is_drawn == 1.0 {
                rows[y as usize] = true;
                // The attribute over w is linear between the vertices, which have it at 7 and at 14.
                let down = f64::from(y) + 0.5;
                let over_w = 7.0 * rcp_w(7.0) + (14.0 * rcp_w(14.0) - 7.0 * rcp_w(7.0)) * (down - 7.0) / 7.0;
                let expected = over_w / rcp_w(down);
                assert!((f64::from(value) - expected).abs() < 1e-4, "({x}, {y}): {value}, {expected}");
            }
        }
        assert!(rows[7..13].iter().all(|&is_drawn| is_drawn), "{rows:?}");
    }
}

/// A triangle has the same positions with the same depth whatever else is drawn or computed, and whatever is cut off at
/// the edges of the target.
#[test]
fn what_is_covered_does_not_depend_on_scissors() {
    let vertices = triangle([[1.2, 0.7], [15.1, 4.9], [4.4, 14.3]], 0.5, [1.0; 4]);
    let all = covered(&vertices, |_| {}, |_, _| {});
    let mut pieces: Vec<[u32; 2]> = (0..4)
        .flat_map(|n| {
            let (left, top) = (n % 2 * 7, n / 2 * 9);
            let right = if left == 0 { 7 } else { 16 };
            let bottom = if top == 0 { 9 } else { 16 };
            covered(
                &vertices,
                |_| {},
                |_, draw| {
                    draw.scissor = Some(brolga::raster::Bounds { left, top, right, bottom });
                },
            )
        })
        .collect();
    pieces.sort_by_key(|&[x, y]| [y, x]);
    assert_eq!(pieces, all);
}
