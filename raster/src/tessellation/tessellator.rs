//! The tessellator: turns the factors of a patch into points of its domain and the primitives between them (functional
//! specification, 11.7).
//!
//! All is computed in fixed point with 16 fractional bits. Points are in rings from the edges inwards, each ring point by
//! point around the domain; connectivity goes from ring to ring. Both are in the order of Microsoft's published
//! reference, so that results can be compared word for word.
//!
//! An edge of a ring is divided symmetrically, by its *halves*: from one end to the middle, where with an even number of
//! segments there is a point. Between two whole numbers of segments a fractional factor splits one segment of each half,
//! and moves the points between their places for the lower number and those for the higher one.

use brolga_ir::stage::{Domain, OutputPrimitive, Partitioning};

/// 1 in fixed point.
pub const ONE: u32 = 1 << 16;
const HALF: u32 = ONE / 2;
const THIRD: u32 = ONE / 3;
const TWO_THIRDS: u32 = 2 * ONE / 3;

/// The most tessellation factors of a patch.
pub const MOST_FACTORS: usize = 6;

/// The result: points of a domain, and primitives.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tessellation {
    /// u and v of each point, in fixed point. The third coordinate of a triangle is what is left of 1.
    pub points: Vec<[u32; 2]>,
    /// The vertices of primitives, by the numbers of points: 1, 2 or 3 each.
    pub indices: Vec<u32>,
}

/// The division of an edge.
#[derive(Clone, Copy, Debug)]
struct Division {
    is_odd: bool,
    /// Points of a half, without one in the middle.
    half: u32,
    /// The point of a half after which it is split.
    split: u32,
    /// The share of the higher number of segments.
    fraction: u32,
    /// The lengths of segments for the lower and the higher number of them.
    lengths: [u32; 2],
}

/// The number of bits below the highest one, as a number.
fn without_highest_bit(n: u32) -> u32 {
    n.checked_ilog2().map_or(0, |bit| n & !(1 << bit))
}

/// A length of so many equal segments.
fn length(segments: u32) -> u32 {
    (2 * ONE / segments.max(1)).div_ceil(2)
}

impl Division {
    /// Divides by a factor in fixed point, into an odd or an even number of segments.
    fn new(factor: u32, is_odd: bool) -> Self {
        let mut half = factor.div_ceil(2);
        // A factor of 1 that is to be even has two segments.
        if is_odd || half == HALF {
            half += HALF;
        }
        let (floor, ceiling) = (half / ONE, half.div_ceil(ONE));
        let split = match (floor == ceiling, is_odd, floor) {
            (true, ..) => ceiling + 1,
            (_, true, 1) => 0,
            (_, true, floor) => 2 * without_highest_bit(floor - 1) + 1,
            (_, false, floor) => 2 * without_highest_bit(floor) + 1,
        };
        let odd = u32::from(is_odd);
        let lengths = [floor, ceiling].map(|half| length(2 * half - odd.min(2 * half)));
        Self { is_odd, half: ceiling, split, fraction: half % ONE, lengths }
    }

    /// Number of points, both ends included.
    fn points(&self) -> u32 {
        2 * self.half + u32::from(!self.is_odd)
    }

    /// The place of a point from one end, 0 to 1.
    fn place(&self, point: u32) -> u32 {
        if point >= self.half {
            let mirrored = 2 * self.half - point - u32::from(self.is_odd);
            // The middle is exact.
            return if mirrored == self.half { HALF } else { ONE - self.in_half(mirrored) };
        }
        self.in_half(point)
    }

    fn in_half(&self, point: u32) -> u32 {
        let [lower, higher] = [point - u32::from(point > self.split), point];
        let [lower, higher] = [lower * self.lengths[0], higher * self.lengths[1]];
        (lower * (ONE - self.fraction) + higher * self.fraction + HALF) / ONE
    }
}

/// Where a point of the first halves of two edges lies among those of all finer divisions: a number below that of a
/// division's points is one that it has.
fn rank(step: u32) -> u32 {
    match step {
        0 => 0,
        1 => 32,
        step => {
            let x = step - 1;
            let level = 4 - x.trailing_zeros();
            (1 << level) + (x >> (x.trailing_zeros() + 1))
        }
    }
}

/// Diagonals of the quads between two rows of points.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Diagonals {
    /// From the inner row ahead to the outer one.
    Ahead,
    /// The same, but for the quad in the middle and those after it.
    AheadToMiddle,
    /// Turned in the middle.
    Mirrored,
}

/// Collects primitives.
struct Weaver {
    tessellation: Tessellation,
    is_clockwise: bool,
}

impl Weaver {
    fn point(&mut self, u: u32, v: u32) {
        self.tessellation.points.push([u, v]);
    }

    fn triangle(&mut self, [a, b, c]: [u32; 3]) {
        self.tessellation.indices.extend(if self.is_clockwise { [a, b, c] } else { [a, c, b] });
    }

    /// Fills the space between an edge of the outermost ring and one of the ring inside, which are divided differently.
    fn stitch_transition(&mut self, inside: &[u32], inner: &Division, outside: &[u32], outer: &Division) {
        let [inner_half, outer_half] = [inner, outer].map(|division| division.half - u32::from(division.is_odd));
        let (mut i, mut o) = (0, 0);
        let step = |weaver: &mut Self, i: &mut usize, o: &mut usize, is_inner: bool| {
            if is_inner {
                weaver.triangle([inside[*i], outside[*o], inside[*i + 1]]);
                *i += 1;
            } else {
                weaver.triangle([outside[*o], outside[*o + 1], inside[*i]]);
                *o += 1;
            }
        };
        for n in 0..=32 {
            if n > 0 && rank(n) < inner_half {
                step(self, &mut i, &mut o, true);
            }
            if rank(n) < outer_half {
                step(self, &mut i, &mut o, false);
            }
        }
        match (inner.is_odd, outer.is_odd) {
            (true, true) => {
                self.triangle([inside[i], outside[o], inside[i + 1]]);
                self.triangle([inside[i + 1], outside[o], outside[o + 1]]);
                (i, o) = (i + 1, o + 1);
            }
            (false, true) => {
                self.triangle([inside[i], outside[o], outside[o + 1]]);
                o += 1;
            }
            (true, false) => {
                self.triangle([inside[i], outside[o], inside[i + 1]]);
                i += 1;
            }
            (false, false) => {}
        }
        for n in (0..=32).rev() {
            if rank(n) < outer_half {
                step(self, &mut i, &mut o, false);
            }
            if n > 0 && rank(n) < inner_half {
                step(self, &mut i, &mut o, true);
            }
        }
    }

    /// Fills the space between two rows of points that are divided equally. In a trapezoid the outer row has one point
    /// more at each end.
    fn stitch_regular(&mut self, is_trapezoid: bool, diagonals: Diagonals, inside: &[u32], outside: &[u32]) {
        let mut outside = outside;
        if is_trapezoid {
            self.triangle([outside[0], outside[1], inside[0]]);
            outside = &outside[1..];
        }
        let count = inside.len();
        for n in 0..count - 1 {
            let [i, j, o, p] = [inside[n], inside[n + 1], outside[n], outside[n + 1]];
            match diagonals {
                Diagonals::Ahead => {
                    self.triangle([i, o, p]);
                    self.triangle([i, p, j]);
                }
                Diagonals::AheadToMiddle if n + 1 == count / 2 => {
                    self.triangle([o, j, i]);
                    self.triangle([o, p, j]);
                }
                Diagonals::AheadToMiddle => {
                    self.triangle([o, p, i]);
                    self.triangle([i, p, j]);
                }
                Diagonals::Mirrored if n < count / 2 => {
                    self.triangle([o, j, i]);
                    self.triangle([o, p, j]);
                }
                Diagonals::Mirrored => {
                    self.triangle([i, o, p]);
                    self.triangle([i, p, j]);
                }
            }
        }
        if is_trapezoid {
            self.triangle([outside[count - 1], outside[count], inside[count - 1]]);
        }
    }
}

/// Factors within the limits of a partitioning; `None` if the patch is culled. `edges` of them are of edges.
fn clamp<const N: usize>(factors: [f32; N], edges: usize, partitioning: Partitioning) -> Option<[f32; N]> {
    // NaN culls too.
    if !factors[..edges].iter().all(|&factor| factor > 0.0) {
        return None;
    }
    let [least, most] = match partitioning {
        Partitioning::Integer | Partitioning::PowerOf2 => [1.0, 64.0],
        Partitioning::FractionalOdd => [1.0, 63.0],
        Partitioning::FractionalEven => [2.0, 64.0],
    };
    let limited = |factor: f32, least: f32| factor.max(least).min(most);
    let mut clamped = factors.map(|factor| limited(factor, least));
    if partitioning == Partitioning::FractionalOdd && clamped.iter().any(|&factor| factor > 1.0 + 0.5 / ONE as f32) {
        // There is a frame around the inside, however narrow.
        for (clamped, factor) in clamped.iter_mut().zip(factors).skip(edges) {
            *clamped = limited(factor, 1.0 + 1.0 / ONE as f32);
        }
    }
    if rounds_up(partitioning) {
        clamped = clamped.map(f32::ceil);
    }
    Some(clamped)
}

/// `true` if factors are rounded up. To powers of 2 the shader rounds them itself.
fn rounds_up(partitioning: Partitioning) -> bool {
    matches!(partitioning, Partitioning::Integer | Partitioning::PowerOf2)
}

/// A factor in fixed point, to the nearest, or even if there are two.
fn fixed(factor: f32) -> u32 {
    (f64::from(factor) * f64::from(ONE)).round_ties_even() as u32
}

/// `true` if a factor divides an edge into an odd number of segments.
fn is_odd(factor: f32, partitioning: Partitioning) -> bool {
    match partitioning {
        Partitioning::Integer | Partitioning::PowerOf2 => factor % 2.0 == 1.0,
        Partitioning::FractionalOdd => true,
        Partitioning::FractionalEven => false,
    }
}

/// The division of an edge.
fn edge(factor: f32, partitioning: Partitioning) -> Division {
    Division::new(fixed(factor), is_odd(factor, partitioning))
}

/// The division of the inside, which with a factor of 1 is even.
fn inside(factor: f32, partitioning: Partitioning) -> Division {
    let is_odd = is_odd(factor, partitioning) && !(rounds_up(partitioning) && factor == 1.0);
    Division::new(fixed(factor), is_odd)
}

/// The points across the inside, those of its frame included.
fn across(division: &Division) -> u32 {
    division.points().max(if division.is_odd { 4 } else { 3 })
}

/// Tessellates a triangle by the factors of the edges where u, v and w are 0, and of the inside.
fn triangle(factors: [f32; 4], partitioning: Partitioning, weaver: &mut Weaver) {
    let Some(factors) = clamp(factors, 3, partitioning) else { return };
    if factors.map(fixed) == [ONE; 4] {
        [[0, ONE], [0, 0], [ONE, 0]].into_iter().for_each(|[u, v]| weaver.point(u, v));
        return weaver.triangle([0, 1, 2]);
    }
    let outer = [0, 1, 2].map(|n| edge(factors[n], partitioning));
    let inner = inside(factors[3], partitioning);
    for (n, division) in outer.iter().enumerate() {
        let end = division.points() - 1;
        for point in 0..end {
            let place = division.place(if n == 1 { point } else { end - point });
            match n {
                0 => weaver.point(0, place),
                1 => weaver.point(place, 0),
                _ => weaver.point(place, ONE - place),
            }
        }
    }
    let mut rings = vec![ring(0, outer.map(|division| division.points() - 1))];
    let count = across(&inner);
    for start in 1..count / 2 {
        let end = count - 1 - start;
        rings.push(ring(weaver.tessellation.points.len() as u32, [end - start; 3]));
        let apart = (inner.place(start) * TWO_THIRDS + HALF) / ONE;
        for n in 0..3 {
            for point in 0..end - start {
                let along = inner.place(if n == 1 { start + point } else { end - point }) - apart.div_ceil(2);
                match n {
                    0 => weaver.point(apart, along),
                    1 => weaver.point(along, apart),
                    _ => weaver.point(along, ONE - along - apart),
                }
            }
        }
    }
    if !inner.is_odd {
        let center = weaver.tessellation.points.len() as u32;
        weaver.point(THIRD, THIRD);
        rings.push([(); 3].map(|()| vec![center]));
    }
    for (level, pair) in rings.windows(2).enumerate() {
        for n in 0..3 {
            match level {
                0 => weaver.stitch_transition(&pair[1][n], &inner, &pair[0][n], &outer[n]),
                _ => weaver.stitch_regular(true, Diagonals::Mirrored, &pair[1][n], &pair[0][n]),
            }
        }
    }
    if let (true, Some(last)) = (inner.is_odd, rings.last()) {
        weaver.triangle([last[0][0], last[1][0], last[2][0]]);
    }
}

/// The points of each edge of a ring, both ends included: so many segments each, from a point on.
fn ring<const N: usize>(first: u32, segments: [u32; N]) -> [Vec<u32>; N] {
    let count: u32 = segments.iter().sum();
    let mut start = 0;
    segments.map(|segments| {
        let edge = (start..=start + segments).map(|n| first + if n == count { 0 } else { n }).collect();
        start += segments;
        edge
    })
}

/// Tessellates a square by the factors of the edges where u = 0, v = 0, u = 1 and v = 1, and of the inside along u and v.
fn quad(factors: [f32; 6], partitioning: Partitioning, weaver: &mut Weaver) {
    let Some(factors) = clamp(factors, 4, partitioning) else { return };
    if factors.map(fixed) == [ONE; 6] {
        [[0, 0], [ONE, 0], [ONE, ONE], [0, ONE]].into_iter().for_each(|[u, v]| weaver.point(u, v));
        weaver.triangle([0, 1, 3]);
        return weaver.triangle([1, 2, 3]);
    }
    let outer = [0, 1, 2, 3].map(|n| edge(factors[n], partitioning));
    let inner = [4, 5].map(|n| inside(factors[n], partitioning));
    for (n, division) in outer.iter().enumerate() {
        let end = division.points() - 1;
        for point in 0..end {
            let place = division.place(if n == 1 || n == 2 { point } else { end - point });
            match n {
                0 => weaver.point(0, place),
                1 => weaver.point(place, 0),
                2 => weaver.point(ONE, place),
                _ => weaver.point(place, ONE),
            }
        }
    }
    let mut rings = vec![ring(0, outer.map(|division| division.points() - 1))];
    let [across_u, across_v] = inner.each_ref().map(across);
    let whole = across_u.min(across_v) / 2;
    for start in 1..whole {
        let ends = [across_u, across_v].map(|count| count - 1 - start);
        rings.push(ring(weaver.tessellation.points.len() as u32, [1, 0, 1, 0].map(|axis: usize| ends[axis] - start)));
        for n in 0..4 {
            // The axis along the edge, and the one across it.
            let [along, across] = if n % 2 == 0 { [1, 0] } else { [0, 1] };
            let apart = inner[across].place(if n < 2 { start } else { ends[across] });
            for point in 0..ends[along] - start {
                let place = inner[along].place(if n == 1 || n == 2 { start + point } else { ends[along] - point });
                if n % 2 == 0 { weaver.point(apart, place) } else { weaver.point(place, apart) }
            }
        }
    }
    // The innermost ring of an even division is a row, which two of its edges go along, in both directions.
    let first = weaver.tessellation.points.len() as u32;
    if across_u > across_v && !inner[1].is_odd {
        let row: Vec<u32> = (whole..across_u - whole).map(|point| inner[0].place(point)).collect();
        row.iter().for_each(|&u| weaver.point(u, HALF));
        rings.push(row_ring(first, row.len() as u32, 1));
    } else if across_v >= across_u && !inner[0].is_odd {
        let row: Vec<u32> = (whole..across_v - whole).rev().map(|point| inner[1].place(point)).collect();
        row.iter().for_each(|&v| weaver.point(HALF, v));
        rings.push(row_ring(first, row.len() as u32, 0));
    }
    for (level, pair) in rings.windows(2).enumerate() {
        for n in 0..4 {
            let along = &inner[(n + 1) % 2];
            match level {
                0 => weaver.stitch_transition(&pair[1][n], along, &pair[0][n], &outer[n]),
                _ => weaver.stitch_regular(true, Diagonals::Mirrored, &pair[1][n], &pair[0][n]),
            }
        }
    }
    // Where it is odd, a row of quads is left.
    let Some(last) = rings.last() else { return };
    let (is_wide, is_filled) = (across_u > across_v, inner[usize::from(across_u > across_v)].is_odd);
    if !is_filled {
        return;
    }
    let whole_ring: Vec<u32> = last.iter().flat_map(|edge| &edge[..edge.len() - 1]).copied().collect();
    let length = whole_ring.len();
    let side = length / 2;
    let (inside, outside): (Vec<u32>, Vec<u32>) = match is_wide {
        // From the corner after the short edge.
        true => ((0..side).map(|n| whole_ring[(length - n) % length]).collect(), whole_ring[1..=side].to_vec()),
        false => ((0..side).map(|n| whole_ring[length - 1 - n]).collect(), whole_ring[..side].to_vec()),
    };
    let diagonals = if is_wide || !inner[1].is_odd { Diagonals::Ahead } else { Diagonals::AheadToMiddle };
    weaver.stitch_regular(false, diagonals, &inside, &outside);
}

/// The edges of a ring that is a row of points, along the edges with this parity.
fn row_ring(first: u32, count: u32, parity: usize) -> [Vec<u32>; 4] {
    let row: Vec<u32> = (first..first + count).collect();
    let back: Vec<u32> = row.iter().rev().copied().collect();
    let [start, end] = [vec![row[0]], vec![row[count as usize - 1]]];
    match parity {
        0 => [row, end, back, start],
        _ => [start, row, end, back],
    }
}

/// Tessellates a patch into lines: so many of them, and so many segments of each.
fn isoline(factors: [f32; 2], partitioning: Partitioning, weaver: &mut Weaver, has_lines: bool) {
    if !factors.iter().all(|&factor| factor > 0.0) {
        return;
    }
    let Some([density]) = clamp([factors[0]], 1, Partitioning::Integer) else { return };
    let Some([detail]) = clamp([factors[1]], 1, partitioning) else { return };
    let (lines, line) = (edge(density, Partitioning::Integer), edge(detail, partitioning));
    let count = line.points();
    for n in 0..lines.points() - 1 {
        let v = lines.place(n);
        for point in 0..count {
            weaver.point(line.place(point), v);
            if has_lines && point > 0 {
                let end = n * count + point;
                weaver.tessellation.indices.extend([end - 1, end]);
            }
        }
    }
}

/// Tessellates a patch: a triangle by four factors, a square by six, lines by two, in the order of SV_TessFactor and
/// SV_InsideTessFactor. Nothing is left of one with an edge whose factor is NaN or not above 0.
pub fn tessellate(
    domain: Domain,
    partitioning: Partitioning,
    output: OutputPrimitive,
    factors: [f32; 6],
) -> Tessellation {
    let is_clockwise = output != OutputPrimitive::TriangleCounterClockwise;
    let mut weaver = Weaver { tessellation: Tessellation::default(), is_clockwise };
    let [a, b, c, d, ..] = factors;
    match domain {
        Domain::Isoline => isoline([a, b], partitioning, &mut weaver, output == OutputPrimitive::Line),
        Domain::Triangle => triangle([a, b, c, d], partitioning, &mut weaver),
        Domain::Quad => quad(factors, partitioning, &mut weaver),
    }
    let mut tessellation = weaver.tessellation;
    if output == OutputPrimitive::Point {
        tessellation.indices = (0..tessellation.points.len() as u32).collect();
    }
    tessellation
}
