//! Checks clipping and the viewport against sections 15.4, 15.6 and 15.16 of the functional specification.

use brolga_raster::setup::clip::{Polygon, Vertex, is_inside, is_outside};
use brolga_raster::setup::shape::edge::{Bounds, Triangle, area};
use brolga_raster::setup::shape::fixed::Point;
use brolga_raster::setup::shape::plane::ScreenVertex;
use brolga_raster::setup::viewport::{Plane, Viewport};
use brolga_raster::vertices::primitives::Mode;
use brolga_testing_base::random::Random;

const VIEWPORT: Viewport = Viewport { left: 0.0, top: 0.0, width: 64.0, height: 64.0, min_depth: 0.0, max_depth: 1.0 };

fn planes(clips_depth: bool) -> Vec<Plane> {
    VIEWPORT.planes(clips_depth).collect()
}

fn on_screen(viewport: &Viewport, position: [f32; 4]) -> ScreenVertex {
    viewport.project(position).expect("a position on the screen")
}

fn random_position(random: &mut Random) -> [f32; 4] {
    let mut number = |least: f32, most: f32| least + (most - least) * random.below(1 << 20) as f32 / (1 << 20) as f32;
    let [x, y] = [0; 2].map(|_| number(-3.0, 3.0));
    let scale = if random.below(8) == 0 { 1e6 } else { 1.0 };
    let mut number = |least: f32, most: f32| least + (most - least) * random.below(1 << 20) as f32 / (1 << 20) as f32;
    [x * scale, y * scale, number(-1.0, 2.0), number(-1.0, 2.0)]
}

#[test]
fn the_viewport_turns_y_over_and_scales_depth() {
    let viewport = Viewport { left: 10.0, top: 20.0, width: 100.0, height: 40.0, min_depth: 0.25, max_depth: 0.75 };
    let vertex = on_screen(&viewport, [-2.0, 2.0, 1.0, 2.0]);
    assert_eq!((vertex.point, vertex.z, vertex.rcp_w), (Point { x: 10 * 256, y: 20 * 256 }, 0.5, 0.5));
    let vertex = on_screen(&viewport, [1.0, -1.0, 1.0, 1.0]);
    assert_eq!((vertex.point, vertex.z), (Point { x: 110 * 256, y: 60 * 256 }, 0.75));
    // Edges between pixels round down: those of the whole viewport, not its size.
    let viewport = Viewport { left: 0.5, top: -0.5, width: 10.75, height: 3.25, ..viewport };
    assert_eq!(viewport.scissor(), Bounds { left: 0, top: -1, right: 11, bottom: 2 });
}

#[test]
fn what_is_left_is_inside_and_what_is_inside_is_left() {
    let mut random = Random(1);
    let planes = planes(true);
    let mut cut = 0;
    for _ in 0..100_000 {
        let vertices = [0; 3].map(|_| random_position(&mut random));
        let polygon = Polygon::new(&vertices, &planes);
        if is_outside(&vertices, &planes) {
            assert!(polygon.vertices().len() < 3);
        }
        if vertices.iter().all(|&vertex| is_inside(vertex, &planes)) {
            assert_eq!(polygon.vertices().len(), 3);
        } else if polygon.vertices().len() >= 3 {
            cut += 1;
        }
        for vertex in polygon.vertices() {
            let [_, _, z, w] = vertex.position();
            assert!(w > 0.0 && z >= -1e-6 && z <= w * (1.0 + 1e-6) + 1e-6, "{vertices:?}");
            let Point { x, y } = on_screen(&VIEWPORT, vertex.position()).point;
            assert!(x.abs() <= 32767 * 256 + 1 && y.abs() <= 32767 * 256 + 1, "{vertices:?}");
        }
    }
    assert!(cut > 20_000, "{cut}");
}

/// Two triangles that share an edge get the same vertices on it.
#[test]
fn a_shared_edge_is_clipped_at_the_same_point() {
    let mut random = Random(2);
    let planes = planes(true);
    let mut shared = 0;
    for _ in 0..50_000 {
        let [a, b, c, d] = [0; 4].map(|_| random_position(&mut random));
        let on_edge = |vertices: [[f32; 4]; 3], apex: usize| {
            let polygon = Polygon::new(&vertices, &planes);
            let attribute = |vertex: &Vertex| {
                let mut weight = [0; 3];
                weight[apex] = 1.0_f32.to_bits();
                vertex.attribute(weight, vertices.map(|vertex| vertex[3]), Mode::Perspective)
            };
            let mut positions: Vec<_> = polygon
                .vertices()
                .iter()
                .filter(|vertex| attribute(vertex) == 0)
                .map(|vertex| vertex.position().map(f32::to_bits))
                .collect();
            positions.sort_unstable();
            positions
        };
        let [one, other] = [on_edge([a, b, c], 2), on_edge([b, a, d], 2)];
        // A polygon that is clipped away altogether keeps no vertices.
        if one.len() >= 2 && other.len() >= 2 {
            assert_eq!(one, other, "{a:?} {b:?} {c:?} {d:?}");
            shared += 1;
        }
    }
    assert!(shared > 10_000, "{shared}");
}

/// The plane of a triangle's attributes stays the same, seen from any vertex that clipping adds.
#[test]
fn cuts_keep_what_attributes_say() {
    let mut random = Random(3);
    let planes = planes(true);
    for _ in 0..20_000 {
        let vertices = [0; 3].map(|_| random_position(&mut random));
        // An attribute equal to x + 2 y - z + 3 w of the position.
        let value = |[x, y, z, w]: [f32; 4]| f64::from(x) + 2.0 * f64::from(y) - f64::from(z) + 3.0 * f64::from(w);
        let bits = vertices.map(|vertex| (value(vertex) as f32).to_bits());
        for vertex in Polygon::new(&vertices, &planes).vertices() {
            let w = vertices.map(|vertex| vertex[3]);
            let found = f64::from(f32::from_bits(vertex.attribute(bits, w, Mode::Perspective)));
            let size = vertices.iter().flatten().map(|coordinate| f64::from(coordinate.abs())).sum::<f64>();
            assert!((found - value(vertex.position())).abs() <= 1e-6 * size, "{vertices:?}");
            assert_eq!(vertex.attribute(bits, w, Mode::Constant), bits[0]);
        }
    }
}

#[test]
fn w_is_above_zero_whatever_is_clipped() {
    for clips_depth in [false, true] {
        let planes = planes(clips_depth);
        for w in [0.0, -0.0, -1.0, f32::from_bits(1)] {
            assert!(!is_inside([0.0, 0.0, 0.0, w], &planes));
            assert!(is_outside(&[[0.1, 0.0, 0.0, w], [0.0, 0.1, 0.0, w], [0.0; 4]], &planes));
        }
        // A vertex with w <= 0 is cut off, and the rest of the triangle remains.
        let vertices = [[0.0, 0.5, 0.5, 1.0], [0.5, -0.5, 0.5, 1.0], [-0.5, -0.5, -0.5, -1.0]];
        assert!(Polygon::new(&vertices, &planes).vertices().len() >= 4);
    }
    // Depth is not clipped.
    let deep = [[0.0, 0.5, 5.0, 1.0], [0.5, -0.5, -5.0, 1.0], [-0.5, -0.5, 0.5, 1.0]];
    assert!(deep.iter().all(|&vertex| is_inside(vertex, &planes(false))));
    assert!(deep.iter().any(|&vertex| !is_inside(vertex, &planes(true))));
}

#[test]
fn nan_positions_draw_nothing() {
    let planes = planes(false);
    for position in
        [[f32::NAN, 0.0, 0.0, 1.0], [0.0, f32::NAN, 0.0, 1.0], [0.0, 0.0, f32::NAN, 1.0], [0.0, 0.0, 0.0, f32::NAN]]
    {
        assert!(!is_inside(position, &planes) || position[2].is_nan());
        assert!(is_outside(&[[0.0, 0.5, 0.5, 1.0], position, [0.5, 0.0, 0.5, 1.0]], &planes));
    }
    // A position of 3.4e34 stays finite; infinity leaves nothing that cannot be drawn.
    for far in [3.4e34, -3.4e34, f32::INFINITY, f32::NEG_INFINITY] {
        let vertices = [[far, 0.0, 0.5, 1.0], [0.0, 1.0, 0.5, 1.0], [0.0, -1.0, 0.5, 1.0]];
        for vertex in Polygon::new(&vertices, &planes).vertices() {
            match VIEWPORT.project(vertex.position()) {
                None => assert!(far.is_infinite()),
                Some(vertex) => {
                    assert!([vertex.point.x, vertex.point.y].iter().all(|coordinate| coordinate.abs() <= 1 << 23))
                }
            }
        }
    }
}

/// An edge that crosses the screen stays there, however far away its ends are: here it rises from one height to
/// another, and is clipped at both.
#[test]
fn edges_between_far_vertices_stay_where_they_are() {
    let planes = planes(true);
    for exponent in [17, 40, 66, 100, 126] {
        let far = 2_f32.powi(exponent);
        for (left, right, w) in
            [(0.25, 0.25, [1.0, 1.0]), (-0.5, 1.0, [1.0, 1.0]), (0.75, 0.125, [2.0, 0.5]), (0.0, 0.5, [1e-3, 1.5])]
        {
            let ends = [[-far * w[0], left * w[0], 0.5 * w[0], w[0]], [far * w[1], right * w[1], 0.5 * w[1], w[1]]];
            for vertices in [[ends[0], ends[1], [0.0, -far, 0.5, 1.0]], [[0.0, -far, 0.5, 1.0], ends[1], ends[0]]] {
                let apex = usize::from(vertices[0] == ends[0]) * 2;
                let mut weight = [0; 3];
                weight[apex] = 1.0_f32.to_bits();
                let polygon = Polygon::new(&vertices, &planes);
                let w = vertices.map(|vertex| vertex[3]);
                let is_of_edge = |vertex: &&Vertex| vertex.attribute(weight, w, Mode::Perspective) == 0;
                let found: Vec<_> = polygon.vertices().iter().filter(is_of_edge).map(Vertex::projected).collect();
                assert_eq!(found.len(), 2, "{vertices:?}");
                for [x, y, z, _] in found {
                    let share = (f64::from(x) / f64::from(far) + 1.0) / 2.0;
                    let expected = f64::from(left) + (f64::from(right) - f64::from(left)) * share;
                    assert!(
                        (f64::from(y) - expected).abs() < 1e-6 && (z - 0.5).abs() < 1e-6,
                        "{vertices:?}: {x} {y} {z}"
                    );
                }
            }
        }
    }
}

/// Triangles that reach far beyond the screen cover the window as they do unclipped, but for rounding at their edges.
#[test]
fn what_is_cut_far_outside_covers_what_it_did() {
    let planes = planes(true);
    let vertices = [[-1e6, -1e6, 0.5, 1.0], [1e6, -1e6, 0.5, 1.0], [0.0, 1e6, 0.5, 1.0]];
    let polygon = Polygon::new(&vertices, &planes);
    let points: Vec<Point> =
        polygon.vertices().iter().map(|vertex| on_screen(&VIEWPORT, vertex.position()).point).collect();
    for y in 0..64 {
        for x in 0..64 {
            let covering = (2..points.len()).filter(|&n| {
                let vertices = [points[0], points[n - 1], points[n]];
                area(vertices) != 0
                    && Triangle::new(vertices)
                        .is_some_and(|triangle| triangle.edges().iter().all(|edge| edge.at(x, y) >= 0))
            });
            assert_eq!(covering.count(), 1, "({x}, {y})");
        }
    }
}

#[test]
fn every_plane_of_the_most_can_cut() {
    // The edges of a regular polygon around the origin, inside of a triangle, clipped one after the other.
    const EDGES: usize = 12;
    let edges = (0..EDGES).map(|n| {
        let angle = std::f64::consts::TAU * n as f64 / EDGES as f64;
        [angle.cos(), angle.sin(), 0.0, 1.0]
    });
    let triangle = [[-20.0, -20.0, 0.5, 1.0], [0.0, 40.0, 0.5, 1.0], [20.0, -20.0, 0.5, 1.0]];
    let polygon = Polygon::new(&triangle, &edges.collect::<Vec<_>>());
    let vertices: Vec<[f64; 2]> =
        polygon.vertices().iter().map(|vertex| vertex.position()).map(|[x, y, ..]| [x.into(), y.into()]).collect();
    assert_eq!(vertices.len(), EDGES);
    let next = vertices.iter().cycle().skip(1);
    let doubled: f64 = vertices.iter().zip(next).map(|([x, y], [next_x, next_y])| x * next_y - y * next_x).sum();
    let expected = EDGES as f64 * (std::f64::consts::PI / EDGES as f64).tan();
    assert!((doubled.abs() / 2.0 - expected).abs() < 1e-5, "{doubled}, expected {expected}");
}
