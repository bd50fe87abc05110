//! Checks coverage against brute force: the rules of section 3.4.2 of the functional specification, restated for one
//! pixel in integers that cannot overflow, and the figure's triangles.

use brolga_raster::setup::shape::edge::{Bounds, Edge, Triangle, area};
use brolga_raster::setup::shape::fixed::Point;
use brolga_raster::setup::shape::plane::{Planes, ScreenVertex};
use brolga_raster::setup::shape::small::{self, Group};
use brolga_raster::tiles::blocks::{self, Block};
use brolga_testing_base::random::Random;

use crate::picture::{Picture, WINDOW, window};

/// Random triangles of each kind; all of them with `cargo test --release`.
const COUNT: u32 = if cfg!(debug_assertions) { 20_000 } else { 100_000 };

/// `true` if a pixel's center is covered: inside, or on an edge that is horizontal with the triangle below it, or that
/// has the triangle to its right.
fn is_covered(vertices: [Point; 3], pixel: [i32; 2]) -> bool {
    has_inside(vertices, pixel.map(|coordinate| i128::from(coordinate) * 256 + 128))
}

/// The same of any point, in 256ths of a pixel.
pub fn has_inside(vertices: [Point; 3], center: [i128; 2]) -> bool {
    let wide = |point: Point| [i128::from(point.x), i128::from(point.y)];
    let [a, b, c] = vertices.map(wide);
    let cross =
        |a: [i128; 2], b: [i128; 2], p: [i128; 2]| (b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0]);
    if cross(a, b, c) == 0 {
        return false;
    }
    [[a, b, c], [b, c, a], [c, a, b]].into_iter().all(|[from, to, opposite]| {
        let (here, inside) = (cross(from, to, center), cross(from, to, opposite));
        if here != 0 {
            return here.signum() == inside.signum();
        }
        let is_top = from[1] == to[1] && opposite[1] > from[1];
        // The edge's x at the height of the opposite vertex, compared with that vertex, without a division.
        let height = to[1] - from[1];
        let is_left = height != 0
            && ((to[0] - from[0]) * (opposite[1] - from[1]) - (opposite[0] - from[0]) * height).signum()
                == -height.signum();
        is_top || is_left
    })
}

/// Bounds that do not limit anything.
const EVERYWHERE: Bounds = Bounds { left: -100_000, top: -100_000, right: 100_000, bottom: 100_000 };

/// Adds coverage in the way that tiles find it.
pub fn walk(picture: &mut Picture, edges: &[Edge], bounds: &Bounds) {
    blocks::walk(edges, bounds, picture.corner, |block| match block {
        Block::Whole { corner, size } => {
            (0..size * size).for_each(|n| picture.add([corner[0] + n % size, corner[1] + n / size]))
        }
        Block::Part { corner, quads } => picture.add_quads(corner, quads.into(), 2),
    });
}

/// Checks one triangle, seen through a window, against the rules. Tests put windows near its vertices.
fn check(vertices: [Point; 3], corner: [i32; 2]) {
    let mut expected = Picture::new(corner);
    for n in 0..WINDOW * WINDOW {
        let pixel = [corner[0] + n % WINDOW, corner[1] + n / WINDOW];
        if is_covered(vertices, pixel) {
            expected.add(pixel);
        }
    }
    let triangle = Triangle::new(vertices);
    assert_eq!(triangle.is_some(), area(vertices) != 0);
    let Some(triangle) = triangle else {
        return assert!(expected.counts.iter().all(|&count| count == 0));
    };
    let whole = Bounds::of(&vertices);
    for bounds in [whole, EVERYWHERE] {
        let mut walked = Picture::new(corner);
        walk(&mut walked, &triangle.edges(), &bounds);
        assert!(walked.counts == expected.counts, "{vertices:?} in the tile at {corner:?}");
    }
    let mut group = Group::default();
    // Neighbours of any size must not matter.
    let slot = (vertices[0].x & 15) as usize;
    let at = |point| ScreenVertex { point, z: 0.5, rcp_w: 1.0 };
    for n in 0..Group::SIZE {
        let far = vertices.map(|vertex| Point { x: vertex.x / (n as i32 + 1), y: -vertex.y });
        let those = if n == slot { vertices } else { far };
        group.put(n, those.map(at).each_ref());
    }
    group.set_up();
    assert_eq!(group.bounds(slot), whole);
    let fits = |first: i32, end: i32| end - (first & !1) <= small::SIZE;
    let found = group.small(slot);
    assert_eq!(found.is_some(), fits(whole.left, whole.right) && fits(whole.top, whole.bottom));
    let Some((small, is_clockwise)) = found else { return };
    assert_eq!(is_clockwise, area(vertices) > 0);
    assert_eq!(Some(small.planes), Planes::new(&vertices.map(at)).map(|planes| planes.around(small.corner)));
    let mut masked = Picture::new(corner);
    masked.add_quads(small.corner, small.quads & small::within(small.corner, &window(corner)), 4);
    assert!(masked.counts == expected.counts, "{vertices:?} as a mask");
}

/// A window of whole tiles that contains a point.
fn around(point: Point) -> [i32; 2] {
    [point.x, point.y].map(|coordinate| (coordinate >> 8).div_euclid(WINDOW) * WINDOW)
}

fn near(random: &mut Random, origin: Point, reach: i32) -> Point {
    let mut near =
        |from: i32| (from + random.below(2 * reach as usize + 1) as i32 - reach).clamp(-(1 << 23), (1 << 23) - 1);
    Point { x: near(origin.x), y: near(origin.y) }
}

fn anywhere(random: &mut Random) -> Point {
    near(random, Point::default(), 1 << 23)
}

/// Triangles of a size, in units, anywhere on the screen.
fn triangles(count: u32, seed: u64, reach: impl Fn(&mut Random) -> i32) {
    let mut random = Random(seed);
    for _ in 0..count {
        let origin = anywhere(&mut random);
        let reach = reach(&mut random);
        let mut vertices = [origin; 3].map(|origin| near(&mut random, origin, reach));
        // Vertices on centers and on common rows and columns exercise the rules for edges.
        if random.below(2) == 0 {
            vertices = vertices.map(|vertex| Point { x: vertex.x & !127 | 128, y: vertex.y & !127 | 128 });
        }
        let seen = vertices[random.below(3)];
        check(vertices, around(seen));
    }
}

#[test]
fn tiny_triangles_cover_what_the_rules_say() {
    triangles(COUNT, 1, |random| 1 + random.below(3 * 256) as i32);
}

#[test]
fn triangles_of_some_pixels_cover_what_the_rules_say() {
    triangles(COUNT, 2, |random| 256 + random.below(64 * 256) as i32);
}

#[test]
fn large_triangles_cover_what_the_rules_say() {
    triangles(COUNT, 3, |random| 1 << (8 + random.below(16)));
}

#[test]
fn triangles_at_the_ends_of_the_range_cover_what_the_rules_say() {
    let mut random = Random(4);
    let ends = [-(1 << 23), (1 << 23) - 1];
    for _ in 0..COUNT {
        let end = |random: &mut Random| ends[random.below(2)];
        let vertices = [0; 3].map(|_| {
            let origin = Point { x: end(&mut random), y: end(&mut random) };
            near(&mut random, origin, 600)
        });
        let seen = if random.below(2) == 0 { vertices[0] } else { anywhere(&mut random) };
        check(vertices, around(seen));
    }
}

/// A square cut into triangles by points inside of it and on its edges: each pixel is covered once.
#[test]
fn a_closed_mesh_covers_every_pixel_once() {
    let mut random = Random(5);
    for _ in 0..5_000 {
        const CELLS: usize = 6;
        let mut grid = [[Point::default(); CELLS + 1]; CELLS + 1];
        for (row, line) in grid.iter_mut().enumerate() {
            for (column, point) in line.iter_mut().enumerate() {
                // The rim lies on the window's rim; an inner point keeps to its cell, so that triangles never overlap.
                let mut coordinate = |at: usize| match at {
                    0 => 0,
                    CELLS => WINDOW * 256,
                    _ => {
                        let cell = WINDOW * 256 / CELLS as i32;
                        at as i32 * cell + random.below(cell as usize / 2) as i32 - cell / 4
                    }
                };
                *point = Point { x: coordinate(column), y: coordinate(row) };
            }
        }
        let mut picture = Picture::new([0, 0]);
        for row in 0..CELLS {
            for column in 0..CELLS {
                let [a, b] = [grid[row][column], grid[row][column + 1]];
                let [c, d] = [grid[row + 1][column], grid[row + 1][column + 1]];
                // The diagonal that lies inside of the cell, whatever its shape.
                let halves = [[[a, b, d], [a, d, c]], [[a, b, c], [b, d, c]]];
                let cut = halves.into_iter().find(|cut| cut.iter().all(|&vertices| area(vertices) > 0));
                for vertices in cut.expect("a cell has a diagonal") {
                    walk(&mut picture, &Triangle::new(vertices).expect("an inside").edges(), &EVERYWHERE);
                }
            }
        }
        assert!(picture.counts.iter().all(|&count| count == 1));
    }
}

/// The triangles of the figure in section 3.4.2.
#[test]
fn the_figures_triangles_cover_its_pixels() {
    type Row = ([[f32; 2]; 3], &'static [[i32; 2]]);
    let rows: [Row; 8] = [
        ([[1.0, 1.0], [6.0, 2.0], [2.0, 4.0]], &[[1, 1], [2, 1], [1, 2], [2, 2], [3, 2], [4, 2], [2, 3]]),
        ([[6.5, 1.5], [7.5, 0.5], [7.5, 1.5]], &[]),
        ([[13.5, 5.5], [15.5, 5.5], [13.5, 7.5]], &[[13, 5], [14, 5], [13, 6]]),
        ([[15.5, 5.5], [15.5, 7.5], [13.5, 7.5]], &[[14, 6]]),
        ([[11.5, 4.5], [12.5, 5.5], [11.5, 6.5]], &[[11, 5]]),
        ([[9.5, 7.5], [10.5, 7.5], [9.5, 9.5]], &[[9, 7]]),
        ([[9.75, 0.75], [11.75, 2.5], [7.75, 2.5]], &[[9, 1], [10, 1]]),
        (
            [[7.75, 2.5], [11.75, 2.5], [9.5, 5.25]],
            &[[8, 2], [9, 2], [10, 2], [11, 2], [8, 3], [9, 3], [10, 3], [9, 4]],
        ),
    ];
    for (vertices, pixels) in rows {
        let vertices = vertices.map(Point::snap);
        let mut expected = Picture::new([0, 0]);
        pixels.iter().for_each(|&pixel| expected.add(pixel));
        let [a, b, c] = vertices;
        for vertices in [[a, b, c], [b, c, a], [c, b, a]] {
            let mut picture = Picture::new([0, 0]);
            walk(&mut picture, &Triangle::new(vertices).expect("an inside").edges(), &EVERYWHERE);
            // The drawn grid has 8 rows.
            let drawn = |picture: &Picture| picture.counts[..(8 * WINDOW) as usize].to_vec();
            assert!(drawn(&picture) == drawn(&expected), "{vertices:?}");
            check(vertices, [0, 0]);
        }
    }
}

/// Rectangles of all kinds, over a triangle that covers everything and over one that does not.
#[test]
fn a_rectangle_cuts_off_what_is_outside() {
    let everything = [[-100.0, -100.0], [300.0, -100.0], [-100.0, 300.0]].map(Point::snap);
    let a_part = [[-10.0, 3.0], [70.0, 20.0], [12.0, 90.0]].map(Point::snap);
    let coordinates = [-70, -1, 0, 1, 3, 4, 7, 16, 31, 50, 60, 63, 64, 65, 200];
    let mut random = Random(5);
    for round in 0..500 {
        let mut any = || coordinates[random.below(coordinates.len())];
        let bounds = Bounds { left: any(), top: any(), right: any(), bottom: any() };
        let vertices = if round % 2 == 0 { everything } else { a_part };
        let mut picture = Picture::new([0, 0]);
        walk(&mut picture, &Triangle::new(vertices).expect("an inside").edges(), &bounds);
        for n in 0..WINDOW * WINDOW {
            let [x, y] = [n % WINDOW, n / WINDOW];
            let is_in = (bounds.left..bounds.right).contains(&x) && (bounds.top..bounds.bottom).contains(&y);
            let expected = is_in && is_covered(vertices, [x, y]);
            assert_eq!(picture.counts[n as usize], u8::from(expected), "({x}, {y}) in {bounds:?}");
        }
    }
}
