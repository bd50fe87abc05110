//! Checks conservative rasterization against exact intersections of triangles with pixels (Conservative Rasterization:
//! "Rasterization Rules interaction" and "InnerCoverage").
//!
//! The rules allow either answer where a triangle just meets the border of what is uncertain, 1/512 of a pixel.

use brolga_raster::setup::shape::edge::{Bounds, area, inner_edges, outer_edges};
use brolga_raster::setup::shape::fixed::Point;
use brolga_testing_base::random::Random;

use crate::coverage::walk;
use crate::picture::{Picture, WINDOW};

/// Random triangles; all of them with `cargo test --release`.
const COUNT: u32 = if cfg!(debug_assertions) { 5_000 } else { 100_000 };

/// Width and height in pixels of what is looked at of a window.
const SEEN: i32 = 16;

/// A point in 512ths of a pixel.
type Fine = [i128; 2];

fn cross(a: Fine, b: Fine, c: Fine) -> i128 {
    (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
}

/// `true` if the segments meet, with their ends or without.
fn meet([a, b]: [Fine; 2], [c, d]: [Fine; 2], with_ends: bool) -> bool {
    let sides = [cross(a, b, c), cross(a, b, d), cross(c, d, a), cross(c, d, b)].map(i128::signum);
    let are_apart = |one: i128, other: i128| if with_ends { one * other <= 0 } else { one * other < 0 };
    let overlap = |axis: usize| {
        let [least, most] = [[a, b], [c, d]]
            .map(|[p, q]| [p[axis].min(q[axis]), p[axis].max(q[axis])])
            .into_iter()
            .fold([i128::MIN, i128::MAX], |[least, most], [from, to]| [least.max(from), most.min(to)]);
        least <= most
    };
    are_apart(sides[0], sides[1]) && are_apart(sides[2], sides[3]) && (!with_ends || (overlap(0) && overlap(1)))
}

/// `true` if a point is in a triangle of either winding, on its border or not.
fn contains(vertices: [Fine; 3], point: Fine, with_border: bool) -> bool {
    let [a, b, c] = vertices;
    let turn = cross(a, b, c).signum();
    let sides = [cross(a, b, point), cross(b, c, point), cross(c, a, point)].map(|side| side * turn);
    turn != 0 && sides.iter().all(|&side| if with_border { side >= 0 } else { side > 0 })
}

/// The corners of a pixel, grown by some 512ths, in order.
fn corners([x, y]: [i32; 2], by: i128) -> [Fine; 4] {
    let [left, top] = [x, y].map(|place| i128::from(place) * 512);
    let [left, right, top, bottom] = [left - by, left + 512 + by, top - by, top + 512 + by];
    [[left, top], [right, top], [right, bottom], [left, bottom]]
}

/// `true` if a triangle has a point of a pixel; of its border too, or not.
fn touches(vertices: [Fine; 3], pixel: [i32; 2], with_border: bool) -> bool {
    let corners = corners(pixel, 1);
    let is_in_pixel = |point: &Fine| {
        (0..2).all(|axis| {
            let (least, most) = (corners[0][axis], corners[2][axis]);
            if with_border { (least..=most).contains(&point[axis]) } else { least < point[axis] && point[axis] < most }
        })
    };
    let sides = (0..4).map(|n| [corners[n], corners[(n + 1) % 4]]);
    let edges = [[0, 1], [1, 2], [2, 0]].map(|ends| ends.map(|n| vertices[n]));
    vertices.iter().any(is_in_pixel)
        || corners.iter().any(|&corner| contains(vertices, corner, with_border))
        || sides.into_iter().any(|side| edges.iter().any(|&edge| meet(side, edge, with_border)))
        // An edge may go through two corners of it, and the middle.
        || edges.iter().any(|&[from, to]| is_between(from, to, corners[0].map(|place| place + 257)))
}

/// `true` if a point is on a segment.
fn is_between(from: Fine, to: Fine, point: Fine) -> bool {
    let within = |axis: usize| (from[axis].min(to[axis])..=from[axis].max(to[axis])).contains(&point[axis]);
    cross(from, to, point) == 0 && within(0) && within(1)
}

/// What a tile finds in a window.
fn walked(vertices: [Point; 3], corner: [i32; 2]) -> Picture {
    let mut picture = Picture::new(corner);
    walk(&mut picture, &outer_edges(vertices), &Bounds::of_pixels(&vertices));
    assert!(picture.counts.iter().all(|&count| count <= 1), "a pixel was covered twice");
    picture
}

fn check(vertices: [Point; 3], corner: [i32; 2]) {
    let fine = vertices.map(|vertex| [vertex.x, vertex.y].map(|place| 2 * i128::from(place)));
    let (inner, picture) = (inner_edges(vertices), walked(vertices, corner));
    for n in 0..SEEN * SEEN {
        let [right, down] = [n % SEEN, n / SEEN];
        let (pixel, covered) =
            ([corner[0] + right, corner[1] + down], picture.counts[(down * WINDOW + right) as usize] == 1);
        let may = touches(fine, pixel, true);
        let must = touches(fine, pixel, false);
        assert!(covered == may || covered == must, "{vertices:?}, {pixel:?}: {covered}, but {must} to {may}");
        let Some(inner) = inner else {
            assert_eq!(area(vertices), 0);
            continue;
        };
        let is_inside = inner.iter().all(|edge| edge.at(pixel[0], pixel[1]) >= 0);
        let [may, must] =
            [true, false].map(|with_border| corners(pixel, 1).iter().all(|&at| contains(fine, at, with_border)));
        assert!(
            is_inside == may || is_inside == must,
            "{vertices:?}, {pixel:?} inside: {is_inside}, but {must} to {may}"
        );
    }
}

#[test]
fn triangles_cover_what_they_touch() {
    let mut random = Random(1);
    for reach in [3, 300, 2000, 20_000, 1 << 20] {
        for _ in 0..COUNT / 5 {
            let reach = 1 + random.below(reach) as i32;
            let mut near = |origin: Point| {
                let mut near = |from: i32| from + random.below(2 * reach as usize + 1) as i32 - reach;
                Point { x: near(origin.x), y: near(origin.y) }
            };
            let origin = near(Point { x: 4096, y: -4096 });
            let mut vertices = [origin; 3].map(&mut near);
            match random.below(6) {
                // Vertices and edges on borders of pixels.
                0 => vertices = vertices.map(|vertex| Point { x: vertex.x & !127, y: vertex.y & !127 }),
                // Without area.
                1 => vertices[2] = vertices[random.below(2)],
                2 => {
                    vertices[2] = Point {
                        x: vertices[0].x + 2 * (vertices[1].x - vertices[0].x),
                        y: vertices[0].y + 2 * (vertices[1].y - vertices[0].y),
                    }
                }
                3 => vertices = [vertices[0]; 3],
                _ => {}
            }
            let vertex = vertices[random.below(3)];
            check(vertices, [vertex.x, vertex.y].map(|place| (place >> 8).div_euclid(SEEN) * SEEN));
        }
    }
}

/// A triangle without area covers at least one pixel, wherever it lies.
#[test]
fn nothing_falls_through_the_cracks() {
    for (x, y) in (0..=512).step_by(16).flat_map(|x| (0..=512).step_by(16).map(move |y| (x, y))) {
        for other in [Point { x, y }, Point { x: x + 40, y }, Point { x, y: y - 40 }, Point { x: x - 7, y: y + 9 }] {
            let found = walked([Point { x, y }, other, Point { x, y }], [0, 0]);
            assert!(found.counts.contains(&1), "{x} {y} {other:?}");
        }
    }
}
