//! Holds the tessellator to the points and the connectivity of Microsoft's published reference, in its order, and to
//! what all of its results have in common.
//!
//! `tests/data/tessellator.txt` has the reference's numbers. A line `case` is a domain, a partitioning, what is made, and
//! factors; then, behind bars, u and v of all points in 16.16 fixed point, and all indices. In a line `sweep` there are
//! instead the number of points, the number of indices, and the CRC-32 of both as little-endian words; two further sums
//! are of orderless forms.

use brolga_ir::stage::{Domain, OutputPrimitive, Partitioning};
use brolga_raster::tessellation::tessellator::{ONE, Tessellation, tessellate};
use brolga_testing_base::random::{Random, seeds};

/// A line of the file.
struct Line<'a> {
    kind: &'a str,
    domain: Domain,
    partitioning: Partitioning,
    output: OutputPrimitive,
    factors: [f32; 6],
    numbers: Vec<Vec<u32>>,
}

impl<'a> Line<'a> {
    fn new(text: &'a str) -> Self {
        let mut parts = text.split('|');
        let mut words = parts.next().unwrap().split_whitespace();
        let kind = words.next().unwrap();
        let domain = match words.next() {
            Some("tri") => Domain::Triangle,
            Some("quad") => Domain::Quad,
            _ => Domain::Isoline,
        };
        let partitioning = match words.next() {
            Some("fractional_odd") => Partitioning::FractionalOdd,
            Some("fractional_even") => Partitioning::FractionalEven,
            _ => Partitioning::Integer,
        };
        let output = match words.next() {
            Some("point") => OutputPrimitive::Point,
            Some("line") => OutputPrimitive::Line,
            Some("triangle_cw") => OutputPrimitive::TriangleClockwise,
            _ => OutputPrimitive::TriangleCounterClockwise,
        };
        let mut factors = [0.0; 6];
        factors.iter_mut().zip(words).for_each(|(factor, word)| *factor = word.parse().unwrap());
        let numbers = |part: &str| part.split_whitespace().map(|word| word.parse().unwrap()).collect();
        Self { kind, domain, partitioning, output, factors, numbers: parts.map(numbers).collect() }
    }
}

/// The CRC-32 of zlib.
fn checksum(words: impl Iterator<Item = u32>) -> u32 {
    let mut sum = !0_u32;
    for byte in words.flat_map(u32::to_le_bytes) {
        sum ^= u32::from(byte);
        for _ in 0..8 {
            sum = if sum & 1 != 0 { sum >> 1 ^ 0xedb8_8320 } else { sum >> 1 };
        }
    }
    !sum
}

#[test]
fn points_and_connectivity_are_those_of_the_reference() {
    let text = include_str!("../data/tessellator.txt");
    let mut counts = [0; 2];
    for line in text.lines().map(Line::new) {
        let Line { kind, domain, partitioning, output, factors, numbers } = line;
        let Tessellation { points, indices } = tessellate(domain, partitioning, output, factors);
        let what = format!("{domain:?} {partitioning:?} {output:?} {factors:?}");
        let points = points.concat();
        if kind == "case" {
            assert_eq!(points, numbers[0], "{what}");
            assert_eq!(indices, numbers[1], "{what}");
            counts[0] += 1;
        } else {
            let found = [points.len() as u32 / 2, indices.len() as u32].into_iter();
            let sums = [checksum(points.iter().copied()), checksum(indices.iter().copied())];
            assert_eq!(found.chain(sums).collect::<Vec<_>>(), numbers[0][..4], "{what}");
            counts[1] += 1;
        }
    }
    assert_eq!(counts, [79, 5967]);
}

/// A factor of any size, often one at a limit.
fn factor(random: &mut Random) -> f32 {
    match random.below(6) {
        0 => random.pick(&[1.0, 1.0, 1.000_01, 2.0, 63.0, 64.0, 100.0]),
        1 => random.below(65) as f32,
        _ => random.below(65_536) as f32 / 1000.0,
    }
}

/// The points on an edge, from its least coordinate on: where u, v, then w (or u = 1, v = 1) are 0.
fn on_edge(domain: Domain, points: &[[u32; 2]], edge: usize) -> Vec<u32> {
    let place = |&[u, v]: &[u32; 2]| match (domain, edge) {
        (_, 0) => (u == 0).then_some(v),
        (_, 1) => (v == 0).then_some(u),
        (Domain::Triangle, _) => (u + v == ONE).then_some(u),
        (_, 2) => (u == ONE).then_some(v),
        _ => (v == ONE).then_some(u),
    };
    let mut places: Vec<u32> = points.iter().filter_map(place).collect();
    places.sort_unstable();
    places.dedup();
    places
}

/// Edges depend on their own factors alone and are symmetric, so that neighbours meet; triangles cover the domain once,
/// and none is turned around: 11.7.12 to 11.7.14.
#[test]
fn edges_match_and_triangles_cover_the_domain() {
    for seed in seeds(0..3_000) {
        let mut random = Random(seed);
        let domain = random.pick(&[Domain::Triangle, Domain::Quad]);
        let partitioning =
            random.pick(&[Partitioning::Integer, Partitioning::FractionalOdd, Partitioning::FractionalEven]);
        let edges = if domain == Domain::Quad { 4 } else { 3 };
        let factors = [(); 6].map(|()| factor(&mut random).max(0.01));
        let Tessellation { points, indices } =
            tessellate(domain, partitioning, OutputPrimitive::TriangleClockwise, factors);
        let mut others = [(); 6].map(|()| factor(&mut random).max(0.01));
        let (edge, other) = (random.below(edges), random.below(edges));
        others[other] = factors[edge];
        // With such an inside points may lie on an edge that are none of it.
        let is_narrow = |factors: &[f32; 6]| factors[edges..].iter().any(|&inside| inside <= 1.001);
        if !is_narrow(&factors) && !is_narrow(&others) {
            let neighbour = tessellate(domain, partitioning, OutputPrimitive::Point, others);
            let places = on_edge(domain, &points, edge);
            assert_eq!(places, on_edge(domain, &neighbour.points, other), "seed {seed}");
            let mirrored: Vec<u32> = places.iter().rev().map(|place| ONE - place).collect();
            assert_eq!(places, mirrored, "seed {seed}");
        }
        let area = |corners: &[u32; 3]| {
            let [a, b, c] = corners.map(|corner| points[corner as usize].map(i64::from));
            (b[0] - a[0]) * (c[1] - a[1]) - (c[0] - a[0]) * (b[1] - a[1])
        };
        let areas: Vec<i64> = indices.as_chunks().0.iter().map(area).collect();
        assert!(areas.iter().all(|&area| area >= 0), "seed {seed}");
        let whole = i64::from(ONE) * i64::from(ONE) * if domain == Domain::Quad { 2 } else { 1 };
        assert_eq!(areas.iter().sum::<i64>(), whole, "seed {seed}");
    }
}

/// Edges whose factors are not above 0 cull a patch, and NaN is no such; inside factors never do: 11.7.12.
#[test]
fn factors_of_edges_cull_patches() {
    let count = |domain, factors: [f32; 6]| {
        tessellate(domain, Partitioning::FractionalEven, OutputPrimitive::Point, factors).points.len()
    };
    for wrong in [0.0, -1.0, f32::NAN, f32::NEG_INFINITY] {
        for edge in 0..4 {
            let mut factors = [2.0; 6];
            factors[edge] = wrong;
            assert_eq!(count(Domain::Quad, factors), 0);
            assert_eq!(count(Domain::Triangle, factors) == 0, edge < 3);
            assert_eq!(count(Domain::Isoline, factors) == 0, edge < 2);
        }
        assert_eq!(count(Domain::Quad, [2.0, 2.0, 2.0, 2.0, wrong, wrong]), 9);
    }
    assert_eq!(count(Domain::Triangle, [f32::INFINITY; 6]), count(Domain::Triangle, [64.0; 6]));
}
