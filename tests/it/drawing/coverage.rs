//! Tests which pixels a triangle covers, and its facing: functional specification, 3.4.1 and 3.4.2, 15.4, 15.6, 15.7,
//! 15.11, 15.12 and 15.16.

use brolga::Device;
use brolga::raster::{Bounds, Cull, Draw, Fill, PipelineDesc, Viewport};

use super::canvas::{SIZE, Vertex, covered, everywhere, picture, position, rectangle, triangle, vertex};
use super::shaders::pixel;

const ONES: [f32; 4] = [1.0; 4];

/// A square of two triangles.
fn square([left, top]: [f32; 2], [right, bottom]: [f32; 2]) -> Vec<Vertex> {
    let upper = triangle([[left, top], [right, top], [left, bottom]], 0.5, ONES);
    let lower = triangle([[right, top], [right, bottom], [left, bottom]], 0.5, ONES);
    [upper, lower].concat()
}

/// Converts 256ths of a pixel.
fn fixed(units: f32) -> f32 {
    units / 256.0
}

/// Vertices snap to the nearest 256th, to the even one of two: a center on a left or top edge is inside.
#[test]
fn vertices_snap_to_the_nearest_even_256th() {
    // Pixel 10 has its center at 2688 256ths.
    for (units, first) in [(2687.4, 10), (2687.5, 10), (2688.4, 10), (2688.5, 10), (2688.6, 11), (2689.0, 11)] {
        let found = covered(&square([fixed(units), fixed(units)], [16.0, 16.0]), |_| {}, |_, _| {});
        assert_eq!(found, rectangle(first..16, first..16), "from {units}");
    }
    for (units, end) in [(2687.5, 10), (2688.0, 10), (2688.5, 10), (2688.6, 11), (2688.75, 11)] {
        let found = covered(&square([0.0, 0.0], [fixed(units), fixed(units)]), |_| {}, |_, _| {});
        assert_eq!(found, rectangle(0..end, 0..end), "to {units}");
    }
}

/// The viewport transform adds 1, scales, and adds the origin, in floats and in this order: here the first sum rounds
/// to 512ths of a pixel.
#[test]
fn the_viewport_computes_in_its_order() {
    let half = 16384.0;
    let with = |_: &Device, draw: &mut Draw<'_>| {
        let [left, top] = [8.0 - half; 2];
        let [width, height] = [2.0 * half; 2];
        draw.viewport = Some(Viewport { left, top, width, height, min_depth: 0.0, max_depth: 1.0 });
    };
    // 0.5 pixels and 1.25 512ths from the middle, which becomes one 512th, and then the even 256th: the center of pixel
    // 8. In one step it would be beyond.
    let near = (0.5 + 1.25 / 512.0) / half;
    let far = 8.0 / half;
    let corner = |x: f32, y: f32| vertex([x, -y, 0.5, 1.0], ONES);
    let vertices =
        [[near, near], [far, near], [near, far], [far, near], [far, far], [near, far]].map(|[x, y]| corner(x, y));
    assert_eq!(covered(&vertices, |_| {}, with), rectangle(8..16, 8..16));
}

/// Division comes before all that.
#[test]
fn positions_are_divided_first() {
    // Above 2 ^ 24 times w, products with the viewport's extents would not be exact.
    let vertices: Vec<Vertex> =
        [[4.5, 3.5], [12.5, 3.5], [4.5, 9.5]].map(|place| vertex(position(place, 0.5, 3e34), ONES)).into();
    let plain: Vec<Vertex> = triangle([[4.5, 3.5], [12.5, 3.5], [4.5, 9.5]], 0.5, ONES).into();
    assert_eq!(covered(&vertices, |_| {}, |_, _| {}), covered(&plain, |_| {}, |_, _| {}));
}

/// A fan around a vertex that all of its triangles share: each pixel belongs to one of them.
#[test]
fn shared_edges_and_vertices_belong_to_one_triangle() {
    let around = [[2.5, 2.5], [8.5, 2.5], [13.5, 2.5], [13.5, 8.5], [13.5, 13.5], [8.5, 13.5], [2.5, 13.5], [2.5, 8.5]];
    let fan: Vec<Vertex> =
        (0..8).flat_map(|n| triangle([[8.5, 8.5], around[n], around[(n + 1) % 8]], 0.5, ONES)).collect();
    assert_eq!(covered(&fan, |_| {}, |_, _| {}), rectangle(2..13, 2..13));
}

/// A viewport's edges between pixels round down, and nothing is drawn beyond them though nothing is clipped there.
#[test]
fn the_viewport_is_a_scissor() {
    let vertices = everywhere(0.5, ONES);
    let draw = |left: f32, top: f32, width: f32, height: f32, scissor: Option<Bounds>| {
        covered(
            &vertices,
            |_| {},
            |_, draw| {
                draw.viewport = Some(Viewport { left, top, width, height, min_depth: 0.0, max_depth: 1.0 });
                draw.scissor = scissor;
            },
        )
    };
    assert_eq!(draw(2.75, 1.25, 3.5, 4.5, None), rectangle(2..6, 1..5));
    // The right edge is that of the sum: 2.75 + 3.125.
    assert_eq!(draw(2.75, 1.25, 3.125, 4.75, None), rectangle(2..5, 1..6));
    assert_eq!(draw(-3.5, -0.25, 6.0, 4.0, None), rectangle(0..2, 0..3));
    let scissor = Bounds { left: 3, top: 2, right: 100, bottom: 4 };
    assert_eq!(draw(2.75, 1.25, 3.5, 4.5, Some(scissor)), rectangle(3..6, 2..4));
    let outside = Bounds { left: 20, top: 0, right: 30, bottom: 30 };
    assert_eq!(draw(0.0, 0.0, 16.0, 16.0, Some(outside)), rectangle(0..0, 0..0));
}

/// Positions up to a sixteenth of the greatest float stay finite: triangles with such vertices cover the right pixels.
#[test]
fn far_positions_stay_finite() {
    let far = 3.4e34;
    let draw = |corners: [[f32; 4]; 3]| covered(&corners.map(|corner| vertex(corner, ONES)), |_| {}, |_, _| {});
    let those = |is_inside: fn(u32, u32) -> bool| -> Vec<[u32; 2]> {
        rectangle(0..SIZE, 0..SIZE).into_iter().filter(|&[x, y]| is_inside(x, y)).collect()
    };
    // To the left of the middle, between two diagonals, both right edges with centers on them.
    let found = draw([[0.0, 0.0, 0.5, 1.0], [-far, -far, 0.5, 1.0], [-far, far, 0.5, 1.0]]);
    assert_eq!(found, those(|x, y| x < 8 && x < y && y < 15 - x));
    // Vertices at (8, 0), (8, 16) and (0, 8), with diagonals that are left edges.
    let found = draw([[0.0, far, far / 2.0, far], [0.0, -far, far / 2.0, far], [-far, 0.0, far / 2.0, far]]);
    assert_eq!(found, those(|x, y| x < 8 && (7 - x..9 + x).contains(&y)));
}

/// Whatever finite positions the vertices have, the part of their triangle that is on the screen is covered (15.4: only
/// the part outside is clipped).
#[test]
fn vertices_may_be_as_far_away_as_floats_reach() {
    let all = rectangle(0..SIZE, 0..SIZE);
    let check = |what: &str, far: f32, corners: [[f32; 4]; 3], expected: &[[u32; 2]]| {
        for wound in [corners, [corners[0], corners[2], corners[1]]] {
            for clips in [false, true] {
                let set = |desc: &mut PipelineDesc| {
                    desc.rasterizer.depth_clip = clips;
                    desc.rasterizer.cull = Cull::None;
                };
                let found = covered(&wound.map(|corner| vertex(corner, ONES)), set, |_, _| {});
                assert_eq!(found, expected, "{what}, {far:e}, depth is clipped: {clips}");
            }
        }
    };
    for far in [1e5, 1e10, 1e20, 1e25, 1e30, f32::MAX] {
        let at = |x: f32, y: f32| [x, y, 0.5, 1.0];
        for sign in [1.0, -1.0] {
            let corners = [at(0.0, sign * far), at(-far, -sign * far), at(far, -sign * far)];
            check("around the screen", far, corners, &all);
            let corners = [at(sign * far, 0.0), at(-sign * far, -far), at(-sign * far, far)];
            check("around the screen, turned", far, corners, &all);
        }
        check("on one side", far, [at(far, 2.0), at(far, far), at(2.0, far)], &[]);
        let left = rectangle(0..SIZE / 2, 0..SIZE);
        check("left of a line through the middle", far, [at(0.0, -far), at(0.0, far), at(-far, 0.0)], &left);
        // NDC of 0.25 is six pixels down of sixteen.
        let lower = rectangle(0..SIZE, 6..SIZE);
        check("below a line above the middle", far, [at(-far, 0.25), at(far, 0.25), at(0.0, -far)], &lower);
        check("the same, slanted", far, [at(-far, 0.0), at(far, 0.5), at(0.0, -far)], &lower);
        // Centers lie on both edges; those on the left one count.
        let is_below = |&[x, y]: &[u32; 2]| y >= 8 && (15 - y..y).contains(&x);
        let below: Vec<_> = all.iter().copied().filter(is_below).collect();
        check("one corner on the screen", far, [at(0.0, 0.0), at(far, -far), at(-far, -far)], &below);
        // With w <= 0: up to where w is 0, the edges to that vertex go to the left, as far as the view volume does.
        let behind = [[0.0, 0.5, 0.5, 1.0], [0.0, -0.5, 0.5, 1.0], [-far, 0.0, 0.5, -1.0]];
        check("a corner behind the eye", far, behind, &rectangle(0..SIZE / 2, 4..12));
        // w and the rest may be as small as w is else large in comparison.
        let near = 1.0 / far.min(1e37);
        let corners = [[0.0, 1.0, 0.5 * near, near], [-1.0, -1.0, 0.5 * near, near], [1.0, -1.0, 0.5 * near, near]];
        check("a small w", far, corners, &all);
        // Depths that are not clipped are clamped.
        let deep = [[-1.0, 1.0, far, 1.0], [3.0, 1.0, -far, 1.0], [-1.0, -3.0, 0.5, 1.0]];
        let found =
            covered(&deep.map(|corner| vertex(corner, ONES)), |desc| desc.rasterizer.depth_clip = false, |_, _| {});
        assert_eq!(found, all, "depths of {far:e}");
        let found = covered(&deep.map(|[x, y, _, w]| vertex([x, y, far, w], ONES)), |_| {}, |_, _| {});
        assert!(found.is_empty(), "depths of {far:e} are clipped");
    }
}

/// A common factor of positions changes nothing, even one of 2^114 before the widest viewport there is.
#[test]
fn large_positions_cover_what_small_ones_do() {
    const HALF: f32 = 16384.0;
    let middle = SIZE as f32 / 2.0;
    let with = |_: &Device, draw: &mut Draw<'_>| {
        let [left, top] = [middle - HALF; 2];
        let [width, height] = [2.0 * HALF; 2];
        draw.viewport = Some(Viewport { left, top, width, height, min_depth: 0.0, max_depth: 1.0 });
    };
    let mut random = brolga_testing::random::Random(5);
    let mut seen = 0;
    for n in 0..60 {
        let mut number =
            |least: f32, most: f32| least + (most - least) * random.below(1 << 20) as f32 / (1 << 20) as f32;
        let corners: [[f32; 4]; 3] = std::array::from_fn(|corner| {
            // Vertices in the picture, far out in the viewport, beyond it, with w < 0.
            let reach = if n % 3 == 0 { 2.0 } else { 12.0 / HALF };
            let w = number(0.25, 0.5) * if corner == 2 && n % 5 == 0 { -1.0 } else { 1.0 };
            [number(-reach, reach) * w, number(-reach, reach) * w, number(0.25, 0.75) * w, w]
        });
        for wireframe in [false, true] {
            let set = |desc: &mut PipelineDesc| {
                if wireframe {
                    desc.rasterizer.fill = Fill::Wireframe;
                }
            };
            let white = pixel("dcl_output o0.xyzw\nmov o0.xyzw, l(1.0,1.0,1.0,1.0)");
            let [small, large] = [1.0, 2_f32.powi(114)].map(|factor| {
                picture(&white, &corners.map(|corner| vertex(corner.map(|place| place * factor), ONES)), set, with)
            });
            assert!(small == large, "{n}: {corners:?}");
            seen += small.1;
        }
    }
    assert!(seen > 2000, "{seen}");
}

/// The part with w <= 0 is clipped, the rest stays.
#[test]
fn w_is_above_zero() {
    let cut = |w: f32, z: f32, clips: bool| {
        let corners = [[-1.0, 0.0, 0.5, 1.0], [1.0, 0.0, 0.5, 1.0], [0.0, 1.0, z, w]];
        let vertices = corners.map(|corner| vertex(corner, ONES));
        covered(&vertices, |desc| desc.rasterizer.depth_clip = clips, |_, _| {})
    };
    let upper = rectangle(0..SIZE, 0..SIZE / 2);
    for clips in [false, true] {
        // z / w is 0.5 everywhere. The triangle opens upwards, to the left and to the right.
        assert_eq!(cut(-1.0, -0.5, clips), upper, "{clips}");
        // Here straight up, since the third vertex is a direction.
        for zero in [0.0, -0.0] {
            assert_eq!(cut(zero, 0.0, clips), upper, "{zero}");
        }
    }
    // Depth is clipped at z = w, at a quarter of the way to the third vertex: y is half of w there.
    assert_eq!(cut(-1.0, 0.5, true), rectangle(0..SIZE, 4..8));
    assert_eq!(cut(-1.0, 0.5, false), upper);
    for [x, y, w] in [[0.5, 0.5, 0.0], [0.5, 0.5, -0.0], [0.5, 0.5, -1.0], [1.0, 2.0, -3.0]] {
        let corners = [[-x, 0.0, 0.5 * w, w], [x, 0.0, 0.5 * w, w], [0.0, y, 0.5 * w, w]];
        for clips in [false, true] {
            let vertices = corners.map(|corner| vertex(corner, ONES));
            assert!(covered(&vertices, |desc| desc.rasterizer.depth_clip = clips, |_, _| {}).is_empty(), "{w}");
        }
    }
}

/// An edge that ends at the eye, or goes through it to a vertex with w < 0, projects to one point: the triangle is a
/// line.
#[test]
fn edges_through_the_eye_project_to_a_point() {
    // No center lies on the line: far away it is clipped where vertices snap, which may turn it by less than a hair.
    let [place, other] = [position([1.0, 2.0], 0.5, 1.0), position([14.0, 3.125], 0.5, 1.0)];
    for part in [0.0, -0.75] {
        let corners = [place.map(|number| number * part), place, other];
        for clips in [false, true] {
            let vertices = corners.map(|corner| vertex(corner, ONES));
            let found = covered(&vertices, |desc| desc.rasterizer.depth_clip = clips, |_, _| {});
            assert!(found.is_empty(), "{part} {clips}: {found:?}");
        }
    }
}

/// A triangle in a plane with the eye is a line, whatever clipping makes of it where it goes through the eye. Here that is
/// the line through the centers of a row.
#[test]
fn triangles_seen_edge_on_cover_nothing() {
    let corners = [[1.060_965_7, 0.0, 4.285_747, 4.243_862_6], [3.908_299, -0.0, -15.787_487, -15.633_196]];
    let third = [-3.373_164_7, 0.0, 2.725_165, 2.698_532];
    let vertices = [corners[0], corners[1], third].map(|corner: [f32; 4]| vertex(corner, ONES));
    for (clips, height) in [(false, 1.0), (false, 16.0), (true, 5.0)] {
        let viewport = Viewport { left: 0.0, top: 0.0, width: 4.0, height, min_depth: 0.0, max_depth: 1.0 };
        let set = |desc: &mut PipelineDesc| desc.rasterizer.depth_clip = clips;
        let found = covered(&vertices, set, |_, draw| draw.viewport = Some(viewport));
        assert!(found.is_empty(), "{clips} {height}: {found:?}");
    }
}

/// Clipping may leave three nearly collinear vertices, here in the edge that the centers of column 3 are on. Snapped, a
/// triangle between them may change its winding, and cover pixels that its neighbours also cover.
#[test]
fn clipped_triangles_cover_pixels_once() {
    let corners = [
        [0x8000_0000, 0x3f2d_007c, 0xbfe9_1d64, 0xbff8_b0b2],
        [0xc185_6c06, 0xc1cb_088e, 0x41ce_5ce9, 0x41e9_7d0a],
        [0x3eef_6b01, 0x3e72_e347, 0x3efa_14cf, 0x3f0b_a916],
    ];
    let vertices = corners.map(|corner: [u32; 4]| [corner; 4]);
    let viewport = Viewport { left: 0.0, top: 0.0, width: 7.0, height: 23.0, min_depth: 0.25, max_depth: 0.75 };
    let set = |desc: &mut PipelineDesc| desc.rasterizer.depth_clip = false;
    covered(&vertices, set, |_, draw| draw.viewport = Some(viewport));
}

/// A triangle with a NaN in a vertex is dropped, and no other one.
#[test]
fn triangles_with_nan_draw_nothing() {
    for component in 0..4 {
        for clips in [false, true] {
            let mut vertices =
                [everywhere(0.5, ONES), triangle([[2.5, 2.5], [5.5, 2.5], [2.5, 5.5]], 0.5, ONES)].concat();
            vertices[1][0][component] = f32::NAN.to_bits();
            let found = covered(&vertices, |desc| desc.rasterizer.depth_clip = clips, |_, _| {});
            assert_eq!(found, [[2, 2], [3, 2], [4, 2], [2, 3], [3, 3], [2, 4]], "{component} {clips}");
        }
    }
    // Infinities may leave nothing, or something; they do not affect others.
    for component in 0..4 {
        for value in [f32::INFINITY, f32::NEG_INFINITY] {
            let mut vertices =
                [everywhere(0.5, ONES), triangle([[2.5, 2.5], [5.5, 2.5], [2.5, 5.5]], 0.5, ONES)].concat();
            vertices[1][0][component] = value.to_bits();
            let shader = pixel("dcl_output o0.xyzw\nmov o0.xyzw, l(1.0,1.0,1.0,1.0)");
            let (texels, _) = picture(&shader, &vertices, |_| {}, |_, _| {});
            assert!(texels[2 * SIZE as usize + 2][0] != 0);
        }
    }
}

/// The same if the division gives NaN for infinities, or the viewport transform for infinity times 0: of triangles,
/// filled or not.
#[test]
fn triangles_that_become_nan_draw_nothing() {
    const FAR: f32 = f32::INFINITY;
    let good = triangle([[2.5, 2.5], [5.5, 2.5], [2.5, 5.5]], 0.5, ONES);
    // Depth has no room here: its range is 0 times z.
    let flat = |_: &Device, draw: &mut Draw<'_>| {
        let size = SIZE as f32;
        let viewport = Viewport { left: 0.0, top: 0.0, width: size, height: size, min_depth: 0.5, max_depth: 0.5 };
        draw.viewport = Some(viewport);
    };
    let bad = [
        [FAR, 0.0, 0.5, FAR],
        [0.0, -FAR, 0.5, FAR],
        [0.0, 0.0, FAR, FAR],
        [0.0, 0.0, FAR, 1.0],
        [0.0, 0.0, -FAR, 1.0],
    ];
    for fill in Fill::ALL {
        let draw = |vertices: &[Vertex], clips: bool| {
            let set = |desc: &mut PipelineDesc| {
                (desc.rasterizer.fill, desc.rasterizer.depth_clip) = (fill, clips);
            };
            covered(vertices, set, flat)
        };
        let alone = draw(&good, false);
        for place in bad {
            // An infinite z with a finite w is clipped, and has no depth left only where it is not.
            for clips in if place[3] == FAR { &[false, true][..] } else { &[false] } {
                for corner in 0..3 {
                    let mut vertices = [everywhere(0.5, ONES), good].concat();
                    vertices[corner][0] = place.map(f32::to_bits);
                    assert_eq!(draw(&vertices, *clips), alone, "{place:?} {fill:?} {clips}");
                }
            }
        }
    }
    // Wireframe with NaN in a vertex from the start.
    for component in 0..4 {
        let mut vertices = [everywhere(0.5, ONES), good].concat();
        vertices[1][0][component] = f32::NAN.to_bits();
        let set = |desc: &mut PipelineDesc| desc.rasterizer.fill = Fill::Wireframe;
        assert_eq!(covered(&vertices, set, flat), covered(&good, set, flat), "{component}");
    }
}

/// Depth is clipped where z leaves 0 to w, unless depth clipping is off.
#[test]
fn depth_is_clipped_where_it_should_be() {
    // Depth grows to the right: 0 at x = 2, 1 at x = 14.
    let places = [[-8.0, -16.0], [24.0, -16.0], [8.0, 48.0]];
    let vertices = places.map(|[x, y]| vertex(position([x, y], (x - 2.0) / 12.0, 1.0), ONES));
    assert_eq!(covered(&vertices, |_| {}, |_, _| {}), rectangle(2..14, 0..SIZE));
    let all = rectangle(0..SIZE, 0..SIZE);
    assert_eq!(covered(&vertices, |desc| desc.rasterizer.depth_clip = false, |_, _| {}), all);
}

/// The facing that the shader sees: all ones for front-facing.
fn faces(vertices: &[Vertex], front_counter_clockwise: bool, cull: Cull) -> Vec<u32> {
    let shader = pixel(
        "dcl_input_ps_sgv constant v4.x, is_front_face\ndcl_output o0.xyzw\nmov o0.x, v4.x\nmov o0.yzw, l(0,1.0,1.0,1.0)",
    );
    let set = |desc: &mut PipelineDesc| {
        (desc.rasterizer.front_counter_clockwise, desc.rasterizer.cull) = (front_counter_clockwise, cull);
    };
    let (texels, _) = picture(&shader, vertices, set, |_, _| {});
    let mut faces: Vec<u32> = texels.iter().filter(|texel| texel[1] != 0).map(|texel| texel[0]).collect();
    faces.dedup();
    faces
}

#[test]
fn clockwise_triangles_are_front_facing() {
    let clockwise = triangle([[2.0, 2.0], [9.0, 2.0], [2.0, 9.0]], 0.5, ONES);
    let [a, b, c] = clockwise;
    for (vertices, is_clockwise) in [(clockwise, true), ([a, c, b], false)] {
        for counter in [false, true] {
            let is_front = is_clockwise != counter;
            let face = if is_front { u32::MAX } else { 0 };
            assert_eq!(faces(&vertices, counter, Cull::None), [face]);
            assert_eq!(faces(&vertices, counter, Cull::Front), if is_front { vec![] } else { vec![face] });
            assert_eq!(faces(&vertices, counter, Cull::Back), if is_front { vec![face] } else { vec![] });
        }
    }
}

/// Snapping may reverse a triangle's winding: its facing is that of the snapped one.
#[test]
fn facing_is_that_of_snapped_triangles() {
    // The first vertex goes up to the centers' row, the second down from it, the third up: it was below the line of
    // both, and is above it then.
    let row = |units: f32| 10.5 + units / 256.0;
    let vertices = triangle([[8.0, row(0.4)], [15.5, row(0.6)], [10.0, row(0.48)]], 0.5, ONES);
    assert_eq!(covered(&vertices, |_| {}, |_, _| {}), [[8, 10], [9, 10]]);
    assert_eq!(faces(&vertices, false, Cull::None), [0]);
    assert!(faces(&vertices, false, Cull::Back).is_empty());
    assert_eq!(faces(&vertices, true, Cull::Back), [u32::MAX]);
}

/// A degenerate triangle covers nothing, centers on it included.
#[test]
fn degenerate_triangles_cover_nothing() {
    for corners in [[[2.5, 2.5]; 3], [[2.5, 2.5], [8.5, 8.5], [5.5, 5.5]], [[2.5, 2.5], [8.5, 2.5], [8.5, 2.501]]] {
        assert!(covered(&triangle(corners, 0.5, ONES), |_| {}, |_, _| {}).is_empty());
    }
}
