//! Checks the coverage of samples against brute force in exact integers (functional specification, 3.4.2 and 19.2.4).

use brolga_ir::pipeline::state::SamplePattern;
use brolga_raster::setup::shape::edge::{Bounds, Edge, SampleExtent, Triangle, area};
use brolga_raster::setup::shape::fixed::Point;
use brolga_raster::setup::shape::plane::{Planes, ScreenVertex};
use brolga_raster::setup::shape::small::{self, Group};
use brolga_raster::setup::shape::{Sprite, WideLine};
use brolga_raster::tiles::blocks::{self, MOST_EDGES, SampleBlock};
use brolga_testing_base::random::Random;
use brolga_testing_base::samples::STANDARD_PATTERNS;

use crate::coverage::has_inside;

/// Random triangles of each kind and pattern; all of them with `cargo test --release`.
const COUNT: u32 = if cfg!(debug_assertions) { 3_000 } else { 100_000 };

/// Width and height in pixels of what is looked at of a tile.
const SEEN: i32 = 16;

/// The patterns of more than one sample.
fn several() -> impl Iterator<Item = &'static [[i8; 2]]> {
    STANDARD_PATTERNS.into_iter().skip(1)
}

/// Covered samples, a bit each, of the pixels that are looked at.
type Seen = [u16; (SEEN * SEEN) as usize];

/// The samples at which a rule holds.
fn by_rule(corner: [i32; 2], positions: &[[i8; 2]], holds: impl Fn([i128; 2]) -> bool) -> Seen {
    std::array::from_fn(|n| {
        let pixel = [corner[0] + n as i32 % SEEN, corner[1] + n as i32 / SEEN];
        let bit = |(sample, position): (usize, &[i8; 2])| {
            let at = [0, 1].map(|axis| i128::from(pixel[axis]) * 256 + 128 + 16 * i128::from(position[axis]));
            u16::from(holds(at)) << sample
        };
        positions.iter().enumerate().map(bit).sum()
    })
}

/// Adds samples of a pixel if it is looked at.
fn add(seen: &mut Seen, corner: [i32; 2], [x, y]: [i32; 2], samples: u16) {
    let [right, down] = [x - corner[0], y - corner[1]];
    if (0..SEEN).contains(&right) && (0..SEEN).contains(&down) {
        let word = &mut seen[(down * SEEN + right) as usize];
        assert_eq!(*word & samples, 0, "a sample was covered twice");
        *word |= samples;
    }
}

/// What a tile finds of edges as each sample sees them.
fn walked(edges: &[[Edge; MOST_EDGES]], count: usize, bounds: &Bounds, corner: [i32; 2]) -> Seen {
    let mut seen = [0; (SEEN * SEEN) as usize];
    let all = ((1_u32 << edges.len()) - 1) as u16;
    blocks::walk_samples(edges, count, bounds, corner.map(|at| at & !63), |block| match block {
        SampleBlock::Whole { corner: [x, y], size } => {
            (0..size * size).for_each(|n| add(&mut seen, corner, [x + n % size, y + n / size], all));
        }
        SampleBlock::Part { corner: [x, y], masks } => {
            for n in 0..16 {
                let (quad, pixel) = (n / 4, n % 4);
                let at = [x + quad % 2 * 2 + pixel % 2, y + quad / 2 * 2 + pixel / 2];
                let bit = |(sample, mask): (usize, &u16)| (mask >> n & 1) << sample;
                add(&mut seen, corner, at, masks.iter().enumerate().map(bit).sum());
            }
        }
    });
    seen
}

fn check(vertices: [Point; 3], corner: [i32; 2], pattern: SamplePattern, positions: &[[i8; 2]]) {
    let expected = by_rule(corner, positions, |at| has_inside(vertices, at));
    let (least, most) = vertices.iter().fold((vertices[0], vertices[0]), |(least, most), vertex| {
        let least = Point { x: least.x.min(vertex.x), y: least.y.min(vertex.y) };
        (least, Point { x: most.x.max(vertex.x), y: most.y.max(vertex.y) })
    });
    let bounds = Bounds::of_samples([least, most], &SampleExtent::of(pattern));
    let edges: Vec<_> = positions
        .iter()
        .filter_map(|&at| {
            let edges = Triangle::new(vertices.map(|vertex| vertex.seen_from(at)))?.edges();
            Some([edges[0], edges[1], edges[2], Edge::default()])
        })
        .collect();
    assert!(walked(&edges, 3, &bounds, corner) == expected, "{vertices:?} at {corner:?}, {pattern:?}");

    let mut group = Group::default();
    let slot = (vertices[0].x & 15) as usize;
    let at = |point| ScreenVertex { point, z: 0.5, rcp_w: 1.0 };
    for n in 0..Group::SIZE {
        let far = vertices.map(|vertex| Point { x: vertex.x / (n as i32 + 1), y: -vertex.y });
        group.put(n, if n == slot { vertices } else { far }.map(at).each_ref());
    }
    group.set_up_samples(pattern);
    assert_eq!(group.bounds(slot), bounds);
    let Some((small, is_clockwise)) = group.small(slot).filter(|_| area(vertices) != 0) else { return };
    assert_eq!(is_clockwise, area(vertices) > 0);
    assert_eq!(Some(small.planes), Planes::new(&vertices.map(at)).map(|planes| planes.around(small.corner)));
    let mut masked = [0; (SEEN * SEEN) as usize];
    let mut union = 0;
    for sample in 0..positions.len() {
        let mask = group.mask(slot, sample);
        union |= mask;
        for n in 0..64 {
            let (quad, pixel) = (n / 4, n % 4);
            let [x, y] = [quad % 4 * 2 + pixel % 2, quad / 4 * 2 + pixel / 2];
            add(
                &mut masked,
                corner,
                [small.corner[0] + x, small.corner[1] + y],
                (mask >> n & 1) as u16 * (1 << sample),
            );
        }
    }
    assert_eq!(union, small.quads);
    let is_seen =
        |axis: usize| corner[axis] <= small.corner[axis] && small.corner[axis] + small::SIZE <= corner[axis] + SEEN;
    if is_seen(0) && is_seen(1) {
        assert!(masked == expected, "{vertices:?} as masks, {pattern:?}");
    } else {
        (0..masked.len()).for_each(|n| assert_eq!(masked[n], expected[n], "{vertices:?} as masks, {pattern:?}"));
    }
}

/// The pixels to look at near a point, within one tile.
fn around(point: Point) -> [i32; 2] {
    [point.x, point.y].map(|coordinate| (coordinate >> 8).div_euclid(SEEN) * SEEN)
}

fn near(random: &mut Random, origin: Point, reach: i32) -> Point {
    let mut near = |from: i32| from + random.below(2 * reach as usize + 1) as i32 - reach;
    Point { x: near(origin.x), y: near(origin.y) }
}

#[test]
fn triangles_cover_the_samples_that_the_rules_say() {
    let mut random = Random(1);
    for (positions, reach) in several().flat_map(|all| [600, 3000, 1 << 20].map(|reach| (all, reach))) {
        let pattern = SamplePattern::standard(positions.len() as u32).expect("a pattern");
        assert_eq!(pattern.positions(), positions);
        for _ in 0..COUNT / 3 {
            let origin = near(&mut random, Point::default(), 1 << 21);
            let reach = 1 + random.below(reach) as i32;
            let mut vertices = [origin; 3].map(|origin| near(&mut random, origin, reach));
            // Vertices and edges on samples exercise the rules for edges.
            if random.below(2) == 0 {
                vertices = vertices.map(|vertex| Point { x: vertex.x & !15, y: vertex.y & !15 });
            }
            check(vertices, around(vertices[random.below(3)]), pattern, positions);
        }
    }
}

/// Two triangles on either side of an edge cover each sample of their quadrilateral once.
#[test]
fn a_shared_edge_covers_each_sample_once() {
    let mut random = Random(2);
    for positions in several() {
        for _ in 0..COUNT / 3 {
            let origin = near(&mut random, Point::default(), 1 << 20);
            let mut point = || {
                let Point { x, y } = near(&mut random, origin, 2000);
                Point { x: x & !15, y: y & !15 }
            };
            let [a, b, c, d] = [point(), point(), point(), point()];
            if area([a, b, c]).signum() * area([a, b, d]).signum() != -1 {
                continue;
            }
            let edges = |vertices: [Point; 3]| -> Vec<[Edge; MOST_EDGES]> {
                let of = |&at: &[i8; 2]| {
                    let [a, b, c] = Triangle::new(vertices.map(|vertex| vertex.seen_from(at))).expect("area").edges();
                    [a, b, c, Edge::default()]
                };
                positions.iter().map(of).collect()
            };
            let everywhere = Bounds { left: -100_000, top: -100_000, right: 100_000, bottom: 100_000 };
            let corner = around(a);
            let [one, other] = [[a, b, c], [a, b, d]].map(|own| walked(&edges(own), 3, &everywhere, corner));
            assert!(one.iter().zip(other).all(|(one, other)| one & other == 0), "{a:?} {b:?} {c:?} {d:?}");
        }
    }
}

/// A point or a sprite covers the samples in its square, whose left and upper edges are a part of it; a line with a
/// width those of its rectangle, as two triangles would.
#[test]
fn squares_and_rectangles_cover_the_samples_inside() {
    let mut random = Random(3);
    for positions in several() {
        let extent = SampleExtent::of(SamplePattern::standard(positions.len() as u32).expect("a pattern"));
        for _ in 0..COUNT / 3 {
            let center = near(&mut random, Point::default(), 1 << 16);
            let center = Point { x: center.x & !7, y: center.y & !7 };
            let pixels = (1 + random.below(64)) as f32 / 16.0;
            let (size, corner) = ((pixels * 256.0) as i32, around(center));
            let first = [center.x - size / 2, center.y - size / 2];
            let is_inside = |at: [i128; 2]| {
                (0..2).all(|axis| (i128::from(first[axis])..i128::from(first[axis] + size)).contains(&at[axis]))
            };
            let sprite = Sprite::new(center, pixels);
            let edges: Vec<_> = positions.iter().map(|&at| sprite.edges_from(at)).collect();
            let found = walked(&edges, 4, &sprite.bounds(&extent), corner);
            assert!(found == by_rule(corner, positions, is_inside), "{center:?} {pixels}");

            let other = near(&mut random, center, 2000);
            let Some(line) = WideLine::new(center, other) else { continue };
            let edges: Vec<_> = positions.iter().map(|&at| line.edges_from(at)).collect();
            let found = walked(&edges, 4, &line.bounds(&extent), corner);
            // Exact in the corners that were snapped.
            let [a, b, c, d] = line.corners();
            let is_inside = |at| has_inside([a, b, c], at) || has_inside([a, c, d], at);
            assert!(found == by_rule(corner, positions, is_inside), "{center:?} {other:?}");
        }
    }
}
