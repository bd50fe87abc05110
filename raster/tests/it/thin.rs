//! Checks lines and points against brute force: the rules of sections 3.4.3 and 3.4.6 of the functional specification,
//! restated for one pixel in integers that cannot overflow, and the figures' examples.

use brolga_raster::setup::shape::fixed::Point;
use brolga_raster::setup::shape::plane::{Local, Planes, ScreenVertex};
use brolga_raster::setup::shape::small::Small;
use brolga_raster::setup::shape::thin::{self, Line};
use brolga_raster::tiles::blocks::{self, Block};
use brolga_testing_base::random::Random;

use crate::picture::{Picture, WINDOW, window};

/// Random lines of each kind; all of them with `cargo test --release`.
const COUNT: u32 = if cfg!(debug_assertions) { 20_000 } else { 100_000 };

/// A point in fractions of 256ths: both coordinates are divided by the third number, which is above 0.
type Fraction = [i128; 3];

/// `true` if a point is in a pixel's diamond, as the figure has it: less than half a pixel away, or on one of the lower
/// edges but not on the left or right corner; for steep lines also on the right corner.
fn is_in_diamond([x, y, scale]: Fraction, pixel: [i32; 2], is_steep: bool) -> bool {
    let [center_x, center_y] = pixel.map(|coordinate| (i128::from(coordinate) * 256 + 128) * scale);
    let (right, down, half) = (x - center_x, y - center_y, 128 * scale);
    let away = right.abs() + down.abs();
    away < half || (away == half && down > 0) || (is_steep && down == 0 && right == half)
}

/// `true` if a line exits a pixel's diamond: it is in it somewhere, and not at its end.
fn is_covered(from: Point, to: Point, pixel: [i32; 2]) -> bool {
    let wide = |point: Point| [i128::from(point.x), i128::from(point.y)];
    let ([x, y], [end_x, end_y]) = (wide(from), wide(to));
    let (way_x, way_y) = (end_x - x, end_y - y);
    let is_steep = way_y.abs() > way_x.abs();
    if is_in_diamond([end_x, end_y, 1], pixel, is_steep) {
        return false;
    }
    let [center_x, center_y] = pixel.map(|coordinate| i128::from(coordinate) * 256 + 128);
    // The diamond lies entirely beyond the endless line, or the line entirely beyond one of its corners.
    let corners = [[-128, 0], [128, 0], [0, -128], [0, 128]].map(|[right, down]| [center_x + right, center_y + down]);
    let turns = corners.map(|[right, down]| (way_x * (down - y) - way_y * (right - x)).signum());
    let is_beyond =
        |start: i128, end: i128, center: i128| start.min(end) > center + 128 || start.max(end) < center - 128;
    if turns == [1; 4] || turns == [-1; 4] || is_beyond(x, end_x, center_x) || is_beyond(y, end_y, center_y) {
        return false;
    }
    // Fractions at which the line may enter or exit: where it meets the lines through the edges, or the horizontal
    // diagonal.
    let mut parts = vec![[0, 1], [1, 1]];
    for [right, down, away] in [[1, 1, 128], [1, -1, 128], [-1, 1, 128], [-1, -1, 128], [0, 1, 0]] {
        let speed = right * way_x + down * way_y;
        let distance = away - right * (x - center_x) - down * (y - center_y);
        let [part, scale] = if speed < 0 { [-distance, -speed] } else { [distance, speed] };
        if scale > 0 && (0..=scale).contains(&part) {
            parts.push([part, scale]);
        }
    }
    parts.sort_by(|one, other| (one[0] * other[1]).cmp(&(other[0] * one[1])));
    let between = parts.windows(2).map(|pair| {
        let [[part, scale], [other, other_scale]] = [pair[0], pair[1]];
        [part * other_scale + other * scale, 2 * scale * other_scale]
    });
    let mut all = parts.iter().copied().chain(between);
    all.any(|[part, scale]| is_in_diamond([x * scale + way_x * part, y * scale + way_y * part, scale], pixel, is_steep))
}

/// Lines in a picture.
trait Lines {
    /// Adds a line as tiles draw it.
    fn draw(&mut self, from: Point, to: Point);

    /// The covered pixels.
    fn pixels(&self) -> Vec<[i32; 2]>;
}

impl Lines for Picture {
    fn draw(&mut self, from: Point, to: Point) {
        let Some(line) = Line::new(from, to, false) else { return };
        let edges = line.edges();
        let before: u32 = self.counts.iter().map(|&count| u32::from(count)).sum();
        blocks::walk(&edges, &line.bounds(), self.corner, |block| match block {
            Block::Whole { .. } => panic!("a line covers no square"),
            Block::Part { corner, quads } => {
                self.add_quads(corner, quads.into(), 2);
            }
        });
        let after: u32 = self.counts.iter().map(|&count| u32::from(count)).sum();
        assert!(after == before || !blocks::is_outside(&edges, self.corner), "{from:?} {to:?}");
    }

    fn pixels(&self) -> Vec<[i32; 2]> {
        let pixel = |n: i32| [self.corner[0] + n % WINDOW, self.corner[1] + n / WINDOW];
        (0..).zip(&self.counts).flat_map(|(n, &count)| vec![pixel(n); count.into()]).collect()
    }
}

/// Checks one line, seen through a window, against the rules.
fn check(from: Point, to: Point, corner: [i32; 2]) {
    let mut expected = Picture::new(corner);
    for n in 0..WINDOW * WINDOW {
        let pixel = [corner[0] + n % WINDOW, corner[1] + n / WINDOW];
        if is_covered(from, to, pixel) {
            expected.add(pixel);
        }
    }
    let mut drawn = Picture::new(corner);
    drawn.draw(from, to);
    assert!(drawn == expected, "{from:?} to {to:?}: {:?}, not {:?}", drawn.pixels(), expected.pixels());
    // A line that is entirely in the window fills its rectangle from edge to edge.
    let Some(bounds) = Line::new(from, to, false).map(|line| line.bounds()) else { return };
    if bounds.intersect(window(corner)) == bounds {
        let pixels = expected.pixels();
        let range = |axis: usize| {
            let coordinates = || pixels.iter().map(|pixel| pixel[axis]);
            (coordinates().min().expect("a pixel"), coordinates().max().expect("a pixel") + 1)
        };
        assert_eq!((range(0), range(1)), ((bounds.left, bounds.right), (bounds.top, bounds.bottom)));
    }
}

/// A window of whole tiles that contains a point.
fn around(point: Point) -> [i32; 2] {
    [point.x, point.y].map(|coordinate| (coordinate >> 8).div_euclid(WINDOW) * WINDOW)
}

/// The nearest point of the grid.
fn clamped([x, y]: [i64; 2]) -> Point {
    let [x, y] = [x, y].map(|coordinate| coordinate.clamp(-(1 << 23), (1 << 23) - 1) as i32);
    Point { x, y }
}

fn near(random: &mut Random, origin: Point, reach: i32) -> Point {
    let mut near = |from: i32| i64::from(from) + random.below(2 * reach as usize + 1) as i64 - i64::from(reach);
    clamped([near(origin.x), near(origin.y)])
}

fn anywhere(random: &mut Random) -> Point {
    near(random, Point::default(), 1 << 23)
}

/// The points of a diamond that the rules name: its center, its corners, the middles of its edges.
fn named(random: &mut Random, point: Point) -> Point {
    const PLACES: [[i32; 2]; 9] =
        [[0, 0], [-128, 0], [128, 0], [0, -128], [0, 128], [64, 64], [-64, 64], [64, -64], [-64, -64]];
    let [right, down] = random.pick(&PLACES);
    let center = Point::center([point.x >> 8, point.y >> 8]);
    clamped([center.x + right, center.y + down].map(i64::from))
}

/// Lines of a length, in units, anywhere on the screen; half of them begin and end at named points.
fn lines(seed: u64, reach: impl Fn(&mut Random) -> i32) {
    let mut random = Random(seed);
    for _ in 0..COUNT {
        let origin = anywhere(&mut random);
        let reach = reach(&mut random);
        let mut ends = [origin; 2].map(|origin| near(&mut random, origin, reach));
        if random.below(2) == 0 {
            ends = ends.map(|end| named(&mut random, end));
        }
        let seen = ends[random.below(2)];
        check(ends[0], ends[1], around(seen));
    }
}

#[test]
fn tiny_lines_cover_what_the_rules_say() {
    lines(1, |random| 1 + random.below(2 * 256) as i32);
}

#[test]
fn lines_of_some_pixels_cover_what_the_rules_say() {
    lines(2, |random| 256 + random.below(32 * 256) as i32);
}

#[test]
fn long_lines_cover_what_the_rules_say() {
    lines(3, |random| 1 << (8 + random.below(16)));
}

/// Seen at an end, or anywhere in between.
#[test]
fn lines_at_the_ends_of_the_range_cover_what_the_rules_say() {
    let mut random = Random(4);
    let ends = [-(1 << 23), (1 << 23) - 1];
    for _ in 0..COUNT {
        let [from, to] = [0; 2].map(|_| {
            let origin = Point { x: random.pick(&ends), y: random.pick(&ends) };
            let end = near(&mut random, origin, 600);
            if random.below(2) == 0 { named(&mut random, end) } else { end }
        });
        let part = random.below(5) as i64;
        let between = |from: i32, to: i32| i64::from(from) + (i64::from(to) - i64::from(from)) * part / 4;
        check(from, to, around(clamped([between(from.x, to.x), between(from.y, to.y)])));
    }
}

/// Horizontal, vertical and diagonal lines, and nearly such ones, in both directions.
#[test]
fn lines_in_special_directions_cover_what_the_rules_say() {
    let mut random = Random(5);
    for _ in 0..COUNT {
        let mut from = anywhere(&mut random);
        if random.below(2) == 0 {
            from = named(&mut random, from);
        }
        let length = random.pick(&[1, 64, 128, 256, 300, 1 << 12, 1 << 20, 1 << 24]);
        let length = 1 + random.below(length) as i64;
        let directions = [[1, 0], [0, 1], [1, 1], [1, -1], [2, 1], [1, 2]];
        let [right, down] = random.pick(&directions).map(|step: i64| step * length);
        let sign = random.pick(&[1, -1]);
        let mut off = || random.pick(&[0, 0, 0, 1, -1]);
        let to = [i64::from(from.x) + sign * right + off(), i64::from(from.y) + sign * down + off()];
        let to = clamped(to);
        let seen = if random.below(2) == 0 { from } else { to };
        check(from, to, around(seen));
    }
}

/// The lines of the figure in section 3.4.3.
#[test]
fn the_figures_lines_cover_its_pixels() {
    type Row = (&'static [[f32; 2]], &'static [[i32; 2]]);
    let strips: [Row; 8] = [
        (&[[0.5, 0.5], [1.5, 0.75]], &[[0, 0]]),
        (&[[1.5, 2.75], [0.5, 2.5]], &[[1, 2]]),
        (&[[3.75, -0.125], [3.875, 1.125]], &[[3, 0]]),
        (&[[4.0, 2.5], [8.5, 4.0]], &[[4, 2], [5, 2], [6, 3], [7, 3]]),
        (&[[10.5, 2.0], [9.0, 6.5]], &[[10, 1], [10, 2], [9, 3], [9, 4], [9, 5]]),
        (&[[6.0, 4.5], [6.0, 5.5], [6.0, 6.5]], &[[5, 4], [5, 5]]),
        (&[[11.5, 8.0], [10.5, 8.0], [9.5, 8.0]], &[[10, 7], [11, 7]]),
        (&[[8.0, 14.5], [10.0, 14.5], [11.0, 15.5]], &[[8, 14], [9, 14], [10, 14]]),
    ];
    for (vertices, pixels) in strips {
        let mut drawn = Picture::new([0, 0]);
        for ends in vertices.windows(2) {
            let [from, to] = [ends[0], ends[1]].map(Point::snap);
            drawn.draw(from, to);
            check(from, to, [0, 0]);
        }
        assert_eq!(drawn.pixels(), pixels, "{vertices:?}");
    }
}

/// A strip of lines in one direction covers the pixels of one line, each once.
#[test]
fn lines_may_be_cut_into_strips() {
    let mut random = Random(6);
    for _ in 0..COUNT / 4 {
        let start = [random.below(20 * 256) as i32, random.below(20 * 256) as i32];
        let step = [0; 2].map(|_| random.below(400) as i32);
        // Parts of 1 to 4 steps.
        let mut vertices = vec![start];
        while vertices.len() < 8 {
            let times = 1 + random.below(4) as i32;
            let [x, y] = vertices[vertices.len() - 1];
            vertices.push([x + step[0] * times, y + step[1] * times]);
        }
        let turned = [random.below(2) == 0, random.below(2) == 0];
        let mut vertices: Vec<Point> = vertices
            .iter()
            .map(|vertex| [0, 1].map(|axis| if turned[axis] { WINDOW * 256 - vertex[axis] } else { vertex[axis] }))
            .map(|[x, y]| Point { x, y })
            .collect();
        if random.below(2) == 0 {
            vertices.iter_mut().for_each(|vertex| *vertex = Point { x: vertex.y, y: vertex.x });
        }
        let [mut whole, mut parts] = [Picture::new([0, 0]), Picture::new([0, 0])];
        whole.draw(vertices[0], vertices[vertices.len() - 1]);
        vertices.windows(2).for_each(|ends| parts.draw(ends[0], ends[1]));
        assert!(parts == whole, "{vertices:?}");
    }
}

/// Around an octagon with every vertex in a diamond, every pixel is drawn once, and neighbours touch.
#[test]
fn closed_strips_draw_every_pixel_once() {
    let mut random = Random(7);
    for _ in 0..COUNT / 4 {
        // Four horizontal or vertical edges of some length, and four slanted ones in between.
        let lengths = [0; 4].map(|_| 2 + random.below(6) as i32);
        let slants = [0; 4].map(|_| [2 + random.below(5) as i32, 2 + random.below(5) as i32]);
        let [top, right, bottom, left] = lengths;
        // From the upper left end of the upper edge, clockwise; the last slant closes it as well as it can.
        let steps = [
            [top, 0],
            slants[0],
            [0, right],
            [-slants[1][0], slants[1][1]],
            [-bottom, 0],
            [-slants[2][0], -slants[2][1]],
            [0, -left],
        ];
        let mut pixel = [25, 10];
        let mut vertices = Vec::new();
        for step in [[0, 0]].into_iter().chain(steps) {
            pixel = [pixel[0] + step[0], pixel[1] + step[1]];
            let center = Point::center(pixel);
            let right = random.below(255) as i32 - 127;
            let reach = 127 - right.abs();
            let down = random.below(2 * reach as usize + 1) as i32 - reach;
            vertices.push(Point { x: center.x + right, y: center.y + down });
        }
        let [first, last] = [[25, 10], pixel];
        if last[0] >= first[0] - 1 || last[1] <= first[1] + 1 {
            continue;
        }
        vertices.push(vertices[0]);
        let is_backwards = random.below(2) == 0;
        if is_backwards {
            vertices.reverse();
        }
        let mut drawn = Picture::new([0, 0]);
        vertices.windows(2).for_each(|ends| drawn.draw(ends[0], ends[1]));
        let pixels = drawn.pixels();
        assert!(drawn.counts.iter().all(|&count| count <= 1), "{vertices:?}: {pixels:?}");
        for vertex in &vertices {
            assert!(pixels.contains(&[vertex.x >> 8, vertex.y >> 8]), "{vertices:?}: {pixels:?}");
        }
        for [x, y] in &pixels {
            let is_next = |[other_x, other_y]: &&[i32; 2]| (x - other_x).abs().max((y - other_y).abs()) == 1;
            assert!(pixels.iter().filter(is_next).count() >= 2, "{vertices:?}: {pixels:?}");
        }
    }
}

#[test]
fn lines_without_length_cover_nothing() {
    let mut random = Random(8);
    for _ in 0..1_000 {
        let point = anywhere(&mut random);
        assert_eq!(Line::new(point, point, false), None);
        assert_eq!(Planes::of_line(&[screen_vertex(point, 0.5, 1.0); 3], [0, 1]), None);
    }
}

/// `true` if a square of one pixel around a point covers a pixel: two triangles in a Z pattern, by the top-left rule.
fn is_in_square(center: Point, pixel: [i32; 2]) -> bool {
    let [x, y] = [center.x, center.y].map(i128::from);
    let [upper_left, upper_right] = [[x - 128, y - 128], [x + 128, y - 128]];
    let [lower_left, lower_right] = [[x - 128, y + 128], [x + 128, y + 128]];
    let center = pixel.map(|coordinate| i128::from(coordinate) * 256 + 128);
    let is_in = |vertices: [[i128; 2]; 3]| {
        [[0, 1], [1, 2], [2, 0]].into_iter().all(|[from, to]| {
            let ([from_x, from_y], [to_x, to_y]) = (vertices[from], vertices[to]);
            let turn = (to_x - from_x) * (center[1] - from_y) - (to_y - from_y) * (center[0] - from_x);
            // Clockwise: upwards is a left edge, and to the right on one level a top edge.
            let is_top_or_left = to_y < from_y || (to_y == from_y && to_x > from_x);
            turn > 0 || (turn == 0 && is_top_or_left)
        })
    };
    let covers = [is_in([upper_left, upper_right, lower_left]), is_in([upper_right, lower_right, lower_left])];
    assert_ne!(covers, [true; 2]);
    covers[0] || covers[1]
}

#[test]
fn points_cover_what_the_rules_say() {
    let mut random = Random(9);
    for n in 0..COUNT {
        let mut center = anywhere(&mut random);
        if n % 4 == 0 {
            let ends = [-(1 << 23), (1 << 23) - 1];
            center = Point { x: random.pick(&ends), y: random.pick(&ends) };
            center = near(&mut random, center, 300);
        }
        if n % 2 == 0 {
            center = named(&mut random, center);
        }
        let [x, y] = [center.x >> 8, center.y >> 8];
        let pixels = (y - 2..=y + 2).flat_map(|y| (x - 2..=x + 2).map(move |x| [x, y]));
        let covered: Vec<[i32; 2]> = pixels.filter(|&pixel| is_in_square(center, pixel)).collect();
        assert_eq!(covered, [thin::pixel(center)], "{center:?}");
        let small = Small::of_pixel(covered[0], Local::default());
        assert_eq!(small.quads.count_ones(), 1);
        let bit = small.quads.trailing_zeros() as i32;
        let [right, down] = [bit / 4 % 4 * 2 + bit % 2, bit / 16 * 2 + bit / 2 % 2];
        assert_eq!([small.corner[0] + right, small.corner[1] + down], covered[0]);
        assert_eq!(small.corner.map(|coordinate| coordinate & 1), [0, 0]);
    }
}

/// The points of the figure in section 3.4.6.
#[test]
fn the_figures_points_cover_its_pixels() {
    let rows = [
        ([1.5, 1.5], [1, 1]),
        ([3.5, 2.0], [3, 1]),
        ([6.0, 1.5], [5, 1]),
        ([9.0, 2.0], [8, 1]),
        ([12.0, 2.0], [11, 1]),
        ([13.0, 2.0], [12, 1]),
        ([0.2, 3.25], [0, 3]),
        ([3.5, 4.75], [3, 4]),
        ([5.8, 4.5], [5, 4]),
        ([8.8, 4.8], [8, 4]),
        ([11.0, 6.0], [10, 5]),
        ([14.0, 6.0], [13, 5]),
    ];
    for (position, pixel) in rows {
        assert_eq!(thin::pixel(Point::snap(position)), pixel, "{position:?}");
    }
    // No point inside of the target.
    for position in [[0.0, 0.0], [14.0, 0.0], [0.0, 6.0]] {
        assert!(thin::pixel(Point::snap(position)).into_iter().any(|coordinate| coordinate < 0), "{position:?}");
    }
}

fn screen_vertex(point: Point, z: f32, rcp_w: f32) -> ScreenVertex {
    ScreenVertex { point, z, rcp_w }
}

/// Planes of lines: between the ends in proportion to the distance along the line, and constant across.
#[test]
fn planes_change_along_lines() {
    let mut random = Random(10);
    for _ in 0..COUNT {
        let origin = anywhere(&mut random);
        let reach = 1 << (8 + random.below(10));
        let [from, to] = [origin; 2].map(|origin| near(&mut random, origin, reach));
        let mut number = || 0.1 + random.below(1 << 20) as f32 / (1 << 20) as f32;
        let ends = [screen_vertex(from, number(), number()), screen_vertex(to, number(), number())];
        let Some(planes) = Planes::of_line(&[ends[0], ends[1], ends[0]], [0, 1]) else { continue };
        let pixel = [(from.x + to.x) >> 9, (from.y + to.y) >> 9];
        let local = planes.around(pixel);
        let direction = [to.x - from.x, to.y - from.y].map(f64::from);
        let square = direction[0] * direction[0] + direction[1] * direction[1];
        for step in [[0, 0], [1, 0], [0, 1], [5, -3]] {
            let center = Point::center([pixel[0] + step[0], pixel[1] + step[1]]);
            let from = [center.x - from.x, center.y - from.y].map(f64::from);
            let part = (from[0] * direction[0] + from[1] * direction[1]) / square;
            let [z, w] = [ends.map(|end| f64::from(end.z)), ends.map(|end| f64::from(end.rcp_w))];
            let expected = [z[0] + (z[1] - z[0]) * part, w[0] + (w[1] - w[0]) * part, w[1] * part, 0.0];
            for (n, expected) in expected.into_iter().enumerate() {
                let found = f64::from(local.value[n])
                    + f64::from(local.x[n]) * f64::from(step[0])
                    + f64::from(local.y[n]) * f64::from(step[1]);
                // Half a unit in the last place of the value, and of both gradients as often as they are added.
                let sizes = [local.value[n], 5.0 * local.x[n], 3.0 * local.y[n]].map(|size| f64::from(size.abs()));
                let bound = sizes.iter().sum::<f64>() * 2.0_f64.powi(-24) + 1e-12 * expected.abs() + 1e-30;
                assert!((found - expected).abs() <= bound, "plane {n}: {found}, not {expected}");
            }
        }
    }
}
