//! Checks planes against doubles: values at a point of a triangle, by areas (functional specification, 3.4.1 and
//! 15.16.2).

use brolga_raster::setup::shape::edge::{Bounds, Triangle};
use brolga_raster::setup::shape::fixed::Point;
use brolga_raster::setup::shape::plane::{Planes, ScreenVertex};
use brolga_testing_base::random::Random;

fn unit(random: &mut Random) -> f64 {
    random.below(1 << 24) as f64 / f64::from(1 << 24)
}

/// Twice the area of a triangle.
fn area(vertices: [[f64; 2]; 3]) -> f64 {
    let [a, b, c] = vertices;
    (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
}

#[test]
fn values_inside_of_triangles_are_what_their_areas_say() {
    let mut random = Random(1);
    let mut worst = [0.0_f64; 4];
    let mut seen = 0;
    while seen < 100_000 {
        let reach = 1 << (9 + random.below(10));
        let origin = [0; 2].map(|_| random.below(1 << 20) as i32 - (1 << 19));
        let vertices = [0; 3].map(|_| {
            let [x, y] = origin.map(|origin| origin + random.below(reach) as i32);
            let w = 0.1 + 10.0 * unit(&mut random);
            ScreenVertex { point: Point { x, y }, z: unit(&mut random) as f32, rcp_w: (1.0 / w) as f32 }
        });
        let Some(planes) = Planes::new(&vertices) else { continue };
        let triangle = Triangle::new(vertices.map(|vertex| vertex.point)).expect("it has planes");
        let bounds = Bounds::of(&triangle.vertices);
        if bounds.is_empty() {
            continue;
        }
        let pixel = [
            bounds.left + random.below((bounds.right - bounds.left) as usize) as i32,
            bounds.top + random.below((bounds.bottom - bounds.top) as usize) as i32,
        ];
        if triangle.edges().iter().any(|edge| edge.at(pixel[0], pixel[1]) < 0) {
            continue;
        }
        seen += 1;
        // The pixel's tile, or the square of a small triangle: both are less than 64 pixels away.
        let from = if random.below(2) == 0 {
            pixel.map(|coordinate| coordinate & !63)
        } else {
            pixel.map(|coordinate| coordinate & !7)
        };
        let local = planes.around(from);
        let offset = [0, 1].map(|axis| (pixel[axis] - from[axis]) as f32);
        let positions = vertices.map(|vertex| [f64::from(vertex.point.x), f64::from(vertex.point.y)]);
        let center = pixel.map(|coordinate| f64::from(coordinate) * 256.0 + 128.0);
        let whole = area(positions);
        let weights = [0, 1, 2].map(|n| area([0, 1, 2].map(|k| if k == n { center } else { positions[k] })) / whole);
        let sum = |of: [f64; 3]| (0..3).map(|n| of[n] * weights[n]).sum::<f64>();
        let rcp_w = vertices.map(|vertex| f64::from(vertex.rcp_w));
        let expected =
            [sum(vertices.map(|vertex| f64::from(vertex.z))), sum(rcp_w), weights[1] * rcp_w[1], weights[2] * rcp_w[2]];
        // The error is relative to the largest value that the plane has at a vertex.
        let largest = [
            vertices.iter().map(|vertex| f64::from(vertex.z)).fold(0.0, f64::max),
            rcp_w.into_iter().fold(0.0, f64::max),
            rcp_w[1],
            rcp_w[2],
        ];
        // If a triangle is thinner than a tile its planes are steep, and values at the origin lie far outside of it.
        let steep = |plane: usize| {
            let [x, y] = [local.x[plane], local.y[plane]].map(f64::from);
            (x.abs() + y.abs()) * 64.0 + largest[plane]
        };
        for plane in 0..4 {
            let error = (f64::from(local.of_quad(plane, offset).to_array()[0]) - expected[plane]).abs() / steep(plane);
            worst[plane] = worst[plane].max(error);
        }
    }
    // Four roundings: the value, two gradients and the sums.
    let bound = 4.0 * f64::from(f32::EPSILON) / 2.0;
    assert!(worst.iter().all(|&error| error < bound), "{worst:?} of {bound:e}");
}

#[test]
fn a_plane_that_does_not_change_is_exact() {
    let mut random = Random(2);
    for _ in 0..10_000 {
        let z = unit(&mut random) as f32;
        let vertices = [0; 3].map(|_| {
            let [x, y] = [0; 2].map(|_| random.below(1 << 16) as i32);
            ScreenVertex { point: Point { x, y }, z, rcp_w: 1.0 }
        });
        let Some(planes) = Planes::new(&vertices) else { continue };
        let local = planes.around([random.below(256) as i32, random.below(256) as i32]);
        assert_eq!(
            [local.of_quad(0, [62.0, 4.0]).to_array()[3], local.of_quad(1, [1.0, 62.0]).to_array()[1]],
            [z, 1.0]
        );
    }
}
