//! Finds the coverage of triangles within a tile: blocks of 16 x 16 pixels, then of 4 x 4, then pixels.
//!
//! A tile is so small that values of edge functions that cross it fit into 32 bits.

use wide::i32x4;

use crate::setup::bins::TILE_SIZE;
use crate::setup::shape::{Bounds, Edge};

/// Width and height in pixels of the smallest blocks.
pub const PART: i32 = 4;

/// A covered part of a tile, in pixels of the target.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Block {
    /// A square of pixels, all covered, 4, 16 or 64 wide.
    Whole {
        /// Its first pixel.
        corner: [i32; 2],
        /// Its width and height in pixels.
        size: i32,
    },
    /// A block of 4 x 4 pixels, partly covered.
    Part {
        /// Its first pixel.
        corner: [i32; 2],
        /// Four bits for each of 2 x 2 quads, row by row, as in [`small`](crate::setup::shape::small).
        quads: u16,
    },
}

/// The most edges of a shape: those of a line's rectangle.
pub const MOST_EDGES: usize = 4;

/// An edge that crosses a tile, relative to its first pixel.
#[derive(Clone, Copy, Default)]
struct CrossingEdge {
    edge: Edge,
    /// The value at the tile's first pixel.
    value: i32,
}

impl CrossingEdge {
    fn at(&self, x: i32, y: i32) -> i32 {
        self.value + self.edge.x * x + self.edge.y * y
    }
}

/// `true` if all pixels of a tile are outside of an edge.
pub fn is_outside(edges: &[Edge], [x, y]: [i32; 2]) -> bool {
    edges.iter().any(|edge| edge.at(x, y) + i64::from(edge.span(TILE_SIZE).1) < 0)
}

/// A rectangle that cuts a tile: its bounds relative to the tile's first pixel.
#[derive(Clone, Copy)]
struct Window {
    /// Left and right edge.
    columns: [i32; 2],
    /// Upper and lower edge.
    rows: [i32; 2],
}

impl Window {
    /// `None` if the rectangle contains the whole tile.
    fn new(bounds: &Bounds, [x, y]: [i32; 2]) -> Option<Self> {
        let columns = [bounds.left - x, bounds.right - x];
        let rows = [bounds.top - y, bounds.bottom - y];
        let has_all = |[first, end]: [i32; 2]| first <= 0 && end >= TILE_SIZE;
        (!has_all(columns) || !has_all(rows)).then_some(Self { columns, rows })
    }

    /// Classifies 4 x 4 squares of `SIZE` pixels from a pixel of the tile on.
    #[inline(always)]
    fn classify<const SIZE: i32>(&self, from: [i32; 2]) -> SquareMasks {
        let [(met_columns, whole_columns), (met_rows, whole_rows)] = [(self.columns, from[0]), (self.rows, from[1])]
            .map(|([first, end], from)| {
                let [first, end] = [first - from, end - from].map(|bound| bound.clamp(0, 4 * SIZE));
                let lines = |first: i32, end: i32| 0xf_u32 << first & !(0xf_u32 << end) & 0xf;
                // Those with a pixel in the rectangle, and those with no other pixels.
                (lines(first / SIZE, (end + SIZE - 1) / SIZE), lines((first + SIZE - 1) / SIZE, end / SIZE))
            });
        let squares = |columns: u32, rows: u32| {
            let rows = ROWS[rows as usize % 16];
            (columns as u16 * 0x1111) & rows
        };
        SquareMasks { outside: !squares(met_columns, met_rows), crossed: !squares(whole_columns, whole_rows) }
    }
}

/// The squares in a set of rows, a bit for each row.
const ROWS: [u16; 16] = {
    let mut rows = [0; 16];
    let mut n = 0;
    while n < 64 {
        rows[n / 4] |= if (n / 4) >> (n % 4) & 1 != 0 { 0xf << (4 * (n % 4)) } else { 0 };
        n += 1;
    }
    rows
};

/// Calls a function for each block of a tile that has pixels in a rectangle and inside of all edges (at most
/// [`MOST_EDGES`]), row by row.
#[inline(always)]
pub fn walk(edges: &[Edge], bounds: &Bounds, tile: [i32; 2], mut draw: impl FnMut(Block)) {
    if bounds.intersect(Bounds::square(tile, TILE_SIZE)).is_empty() {
        return;
    }
    let window = Window::new(bounds, tile);
    let mut crossing = [CrossingEdge::default(); MOST_EDGES];
    let mut count = 0;
    for &edge in edges {
        let value = edge.at(tile[0], tile[1]);
        let (least, most) = edge.span(TILE_SIZE);
        if value + i64::from(most) < 0 {
            return;
        }
        if value + i64::from(least) < 0 {
            // The value is between -most and -least, which both fit: 63 times twice 24 bits.
            crossing[count] = CrossingEdge { edge, value: value as i32 };
            count += 1;
        }
    }
    let crossing = &crossing[..count];
    if crossing.is_empty() && window.is_none() {
        return draw(Block::Whole { corner: tile, size: TILE_SIZE });
    }
    for ([x, y], is_whole) in classify::<16>(crossing, &window, [0, 0]).squares() {
        let corner = [tile[0] + x * 16, tile[1] + y * 16];
        if is_whole {
            draw(Block::Whole { corner, size: 16 });
            continue;
        }
        for ([bx, by], is_whole) in classify::<4>(crossing, &window, [x * 16, y * 16]).squares() {
            let from = [x * 16 + bx * 4, y * 16 + by * 4];
            let outside = if is_whole { 0 } else { classify::<1>(crossing, &window, from).outside };
            let corner = [tile[0] + from[0], tile[1] + from[1]];
            match !outside {
                0 => (),
                u16::MAX => draw(Block::Whole { corner, size: PART }),
                inside => draw(Block::Part { corner, quads: in_quads(inside) }),
            }
        }
    }
}

/// A covered part of a tile whose pixels have several samples, in pixels of the target.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SampleBlock {
    /// A square of pixels, all samples of which are covered, 4, 16 or 64 wide.
    Whole {
        /// Its first pixel.
        corner: [i32; 2],
        /// Its width and height in pixels.
        size: i32,
    },
    /// A block of 4 x 4 pixels, with some samples covered.
    Part {
        /// Its first pixel.
        corner: [i32; 2],
        /// The pixels of each sample, as in [`Block::Part`].
        masks: [u16; 16],
    },
}

/// The same as [`walk`] of samples: `edges` are those of a shape as each sample sees them, the first `count` of each,
/// which differ in their values alone.
#[inline(always)]
pub fn walk_samples(
    edges: &[[Edge; MOST_EDGES]],
    count: usize,
    bounds: &Bounds,
    tile: [i32; 2],
    mut draw: impl FnMut(SampleBlock),
) {
    if bounds.intersect(Bounds::square(tile, TILE_SIZE)).is_empty() || edges.is_empty() {
        return;
    }
    let window = Window::new(bounds, tile);
    // Edges that cross the tile for some sample: of each sample, and the greatest and the least of all samples.
    let mut crossing = [[CrossingEdge::default(); MOST_EDGES]; 16];
    let [mut greatest, mut least] = [[CrossingEdge::default(); MOST_EDGES]; 2];
    let mut number = 0;
    for n in 0..count {
        let values = edges.iter().map(|edges| edges[n].at(tile[0], tile[1]));
        let (low, high) =
            values.clone().fold((i64::MAX, i64::MIN), |(low, high), value| (low.min(value), high.max(value)));
        let edge = edges[0][n];
        let (span_low, span_high) = edge.span(TILE_SIZE);
        if high + i64::from(span_high) < 0 {
            return;
        }
        if low + i64::from(span_low) < 0 {
            // Between samples values differ by less than twice the steps: all fit.
            for (crossing, value) in crossing.iter_mut().zip(values) {
                crossing[number] = CrossingEdge { edge, value: value as i32 };
            }
            greatest[number] = CrossingEdge { edge, value: high as i32 };
            least[number] = CrossingEdge { edge, value: low as i32 };
            number += 1;
        }
    }
    let (greatest, least) = (&greatest[..number], &least[..number]);
    if number == 0 && window.is_none() {
        return draw(SampleBlock::Whole { corner: tile, size: TILE_SIZE });
    }
    let squares = |outside: SquareMasks, crossed: SquareMasks| {
        SquareMasks { outside: outside.outside, crossed: crossed.crossed }.squares()
    };
    let large = [greatest, least].map(|edges| classify::<16>(edges, &window, [0, 0]));
    let [outside, crossed] = large;
    for ([x, y], is_whole) in squares(outside, crossed) {
        let corner = [tile[0] + x * 16, tile[1] + y * 16];
        if is_whole {
            draw(SampleBlock::Whole { corner, size: 16 });
            continue;
        }
        let [outside, crossed] = [greatest, least].map(|edges| classify::<4>(edges, &window, [x * 16, y * 16]));
        for ([bx, by], is_whole) in squares(outside, crossed) {
            let from = [x * 16 + bx * 4, y * 16 + by * 4];
            let corner = [tile[0] + from[0], tile[1] + from[1]];
            if is_whole {
                draw(SampleBlock::Whole { corner, size: PART });
                continue;
            }
            let mut masks = [0; 16];
            for (mask, crossing) in masks.iter_mut().zip(&crossing[..edges.len()]) {
                *mask = in_quads(!classify::<1>(&crossing[..number], &window, from).outside);
            }
            if masks[..edges.len()].iter().all(|&mask| mask == u16::MAX) {
                draw(SampleBlock::Whole { corner, size: PART });
            } else if masks != [0; 16] {
                draw(SampleBlock::Part { corner, masks });
            }
        }
    }
}

/// The classification of 4 x 4 squares against the edges, a bit for each, row by row.
struct SquareMasks {
    /// All of its pixels are outside of one edge.
    outside: u16,
    /// Some pixel is outside of one edge.
    crossed: u16,
}

/// Classifies 4 x 4 squares of `SIZE` pixels from a pixel of the tile on.
#[inline(always)]
fn classify<const SIZE: i32>(edges: &[CrossingEdge], window: &Option<Window>, from: [i32; 2]) -> SquareMasks {
    // A negative value makes the sign of the combination negative.
    let [mut greatest, mut least] = [[i32x4::ZERO; 4]; 2];
    for local in edges {
        let [x, y] = [local.edge.x * SIZE, local.edge.y * SIZE];
        let (low, high) = local.edge.span(SIZE);
        let mut values = i32x4::splat(local.at(from[0], from[1])) + i32x4::new([0, x, 2 * x, 3 * x]);
        for (greatest, least) in greatest.iter_mut().zip(&mut least) {
            *greatest |= values + i32x4::splat(high);
            *least |= values + i32x4::splat(low);
            values += i32x4::splat(y);
        }
    }
    let by_edges = SquareMasks { outside: signs(greatest), crossed: signs(least) };
    let Some(window) = window else { return by_edges };
    let SquareMasks { outside, crossed } = window.classify::<SIZE>(from);
    SquareMasks { outside: by_edges.outside | outside, crossed: by_edges.crossed | crossed }
}

impl SquareMasks {
    /// The squares that are not outside, each with `true` if it is fully covered. Loops are inlined, closures over them
    /// are not.
    #[inline(always)]
    fn squares(self) -> Squares {
        Squares { left: !self.outside, crossed: self.crossed }
    }
}

/// An iterator over squares.
struct Squares {
    left: u16,
    crossed: u16,
}

impl Iterator for Squares {
    type Item = ([i32; 2], bool);

    #[inline(always)]
    fn next(&mut self) -> Option<Self::Item> {
        if self.left == 0 {
            return None;
        }
        let n = self.left.trailing_zeros() as i32;
        self.left &= self.left - 1;
        Some(([n & 3, n >> 2], self.crossed >> n & 1 == 0))
    }
}

/// The sign bits, four per row.
#[inline(always)]
fn signs([first, second, third, fourth]: [i32x4; 4]) -> u16 {
    let bits = |row: i32x4| row.to_bitmask() as u16;
    bits(first) | bits(second) << 4 | bits(third) << 8 | bits(fourth) << 12
}

/// Reorders a mask of 4 x 4 pixels from rows to quads.
fn in_quads(rows: u16) -> u16 {
    // Pixels 2 and 3 of an even row swap with 0 and 1 of the row below.
    rows & 0xc3c3 | (rows & 0x0c0c) << 2 | (rows & 0x3030) >> 2
}
