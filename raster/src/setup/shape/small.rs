//! Sets up triangles of at most 8 x 8 pixels, sixteen at a time: coverage as one mask of 64 bits, and planes.
//!
//! Code for all of them is written as for one, without branches, in loops over arrays of one component each: the
//! compiler vectorizes them.

use brolga_ir::pipeline::state::SamplePattern;

use crate::setup::shape::edge::{Bounds, SampleExtent};
use crate::setup::shape::fixed::{Point, SIXTEENTH};
use crate::setup::shape::plane::{self, Local, Planes, ScreenVertex};

/// Width and height in pixels of the square that a mask covers.
pub const SIZE: i32 = 8;

/// Width and height of the quarters in which a mask is built: most triangles need one.
const QUARTER: i32 = SIZE / 2;

/// A small triangle, or a point.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Small {
    /// The first pixel of its square: both coordinates even, so that quads are whole.
    pub corner: [i32; 2],
    /// The coverage mask. Four bits for each of 4 x 4 quads, row by row: upper left, upper right, lower left, lower
    /// right pixel.
    pub quads: u64,
    /// Its planes around the square's first pixel.
    pub planes: Local,
}

impl Small {
    /// A single pixel, with planes around it.
    pub fn of_pixel([x, y]: [i32; 2], planes: Local) -> Self {
        let corner = square(x, y);
        Self { corner, quads: 1 << bit(x - corner[0], y - corner[1]), planes }
    }
}

/// A value per triangle of a group.
type Column<T> = [T; Group::SIZE];

/// Triangles that are set up together.
#[derive(Debug, Default)]
pub struct Group {
    /// Their vertices.
    xs: [Column<i32>; 3],
    ys: [Column<i32>; 3],
    zs: [Column<f32>; 3],
    rcp_ws: [Column<f32>; 3],
    /// The pixels that they may cover: left, top, right, bottom.
    bounds: [Column<i32>; 4],
    /// Twice the signed area of small ones, positive if clockwise; 0 if they cover nothing.
    area: Column<i32>,
    /// 1 for small ones, else 0.
    is_small: Column<i32>,
    /// The exact values of edges at the center of the square's first pixel, less 1 unless they are top or left edges.
    exact: [Column<i32>; 3],
    /// The masks of samples.
    of_samples: Vec<[Column<u32>; 2]>,
    /// Their edges as in [`Edge`](crate::setup::shape::edge::Edge), but with the square's first pixel as the origin.
    edges: [EdgeColumns; 3],
    /// The upper and the lower halves of masks.
    halves: [Column<u32>; 2],
    /// Planes around the square's first pixel.
    values: [Column<f32>; plane::COUNT],
    along_x: [Column<f32>; plane::COUNT],
    along_y: [Column<f32>; plane::COUNT],
}

/// One edge of each triangle.
#[derive(Debug, Default)]
struct EdgeColumns {
    x: Column<i32>,
    y: Column<i32>,
    value: Column<i32>,
}

impl Group {
    /// Triangles per group.
    pub const SIZE: usize = 16;

    /// Sets the vertices of a triangle.
    #[inline(always)]
    pub fn put(&mut self, n: usize, vertices: [&ScreenVertex; 3]) {
        for (v, vertex) in vertices.into_iter().enumerate() {
            self.xs[v][n] = vertex.point.x;
            self.ys[v][n] = vertex.point.y;
            self.zs[v][n] = vertex.z;
            self.rcp_ws[v][n] = vertex.rcp_w;
        }
    }

    /// Sets up all of them. Results are meaningless for those without vertices.
    #[inline(always)]
    pub fn set_up(&mut self) {
        let extents = self.find_edges::<false>(&SampleExtent::default());
        self.cover_all(extents);
        self.find_planes();
    }

    /// The same over pixels of several samples.
    #[inline(always)]
    pub fn set_up_samples(&mut self, pattern: SamplePattern) {
        let extents = self.find_edges::<true>(&SampleExtent::of(pattern));
        self.of_samples.clear();
        let mut all = [[0; Self::SIZE]; 2];
        for &[right, down] in pattern.positions() {
            let [right, down] = [right, down].map(|offset| SIXTEENTH * i32::from(offset));
            for (edge, exact) in self.edges.iter_mut().zip(&self.exact) {
                for (n, exact) in exact.iter().enumerate() {
                    edge.value[n] = (exact + edge.x[n] * right + edge.y[n] * down) >> 8;
                }
            }
            self.cover_all(extents);
            self.of_samples.push(self.halves);
            for (all, half) in all.iter_mut().zip(&self.halves) {
                all.iter_mut().zip(half).for_each(|(all, half)| *all |= half);
            }
        }
        self.halves = all;
        self.find_planes();
    }

    /// The mask of a small triangle's sample.
    #[inline(always)]
    pub fn mask(&self, n: usize, sample: usize) -> u64 {
        let [upper, lower] = &self.of_samples[sample];
        u64::from(upper[n]) | u64::from(lower[n]) << 32
    }

    /// Finds the covered pixels of all quarters that one of the triangles needs.
    #[inline(always)]
    fn cover_all(&mut self, [is_wide, is_high]: [bool; 2]) {
        self.halves = Default::default();
        self.cover::<0, 0>();
        if is_wide {
            self.cover::<1, 0>();
        }
        if is_high {
            self.cover::<0, 1>();
        }
        if is_wide && is_high {
            self.cover::<1, 1>();
        }
    }

    /// The pixels that a triangle may cover.
    #[inline(always)]
    pub fn bounds(&self, n: usize) -> Bounds {
        let [left, top, right, bottom] = &self.bounds;
        Bounds { left: left[n], top: top[n], right: right[n], bottom: bottom[n] }
    }

    /// A triangle, if it is small, and `true` if it is clockwise. One without area covers nothing.
    #[inline(always)]
    pub fn small(&self, n: usize) -> Option<(Small, bool)> {
        if self.is_small[n] == 0 {
            return None;
        }
        let planes = Local {
            value: std::array::from_fn(|plane| self.values[plane][n]),
            x: std::array::from_fn(|plane| self.along_x[plane][n]),
            y: std::array::from_fn(|plane| self.along_y[plane][n]),
        };
        let quads = u64::from(self.halves[0][n]) | u64::from(self.halves[1][n]) << 32;
        let corner = square(self.bounds[0][n], self.bounds[1][n]);
        Some((Small { corner, quads: if self.area[n] == 0 { 0 } else { quads }, planes }, self.area[n] > 0))
    }

    #[inline(always)]
    fn vertices(&self, n: usize) -> [ScreenVertex; 3] {
        let vertex = |v: usize| ScreenVertex {
            point: Point { x: self.xs[v][n], y: self.ys[v][n] },
            z: self.zs[v][n],
            rcp_w: self.rcp_ws[v][n],
        };
        [vertex(0), vertex(1), vertex(2)]
    }

    /// Finds the small triangles, and all edges. Returns flags: one is wider than a quarter of the mask, and one is
    /// higher.
    #[inline(always)]
    fn find_edges<const HAS_SAMPLES: bool>(&mut self, extent: &SampleExtent) -> [bool; 2] {
        let [mut widest, mut highest] = [0; 2];
        for n in 0..Self::SIZE {
            let [a, b, c] = self.vertices(n);
            let points = [a.point, b.point, c.point];
            let bounds = if HAS_SAMPLES {
                let least =
                    Point { x: a.point.x.min(b.point.x).min(c.point.x), y: a.point.y.min(b.point.y).min(c.point.y) };
                let most =
                    Point { x: a.point.x.max(b.point.x).max(c.point.x), y: a.point.y.max(b.point.y).max(c.point.y) };
                Bounds::of_samples([least, most], extent)
            } else {
                Bounds::of(&points)
            };
            let corner = square(bounds.left, bounds.top);
            let [width, height] = [bounds.right - corner[0], bounds.bottom - corner[1]];
            let is_small = (width <= SIZE) & (height <= SIZE);
            // Relative to the center of the square's first pixel. In large triangles products would exceed 32 bits.
            let kept = if is_small { -1 } else { 0 };
            let center = Point::center(corner);
            let from_center = |point: Point| Point { x: (point.x - center.x) & kept, y: (point.y - center.y) & kept };
            let [a, b, c] = [from_center(a.point), from_center(b.point), from_center(c.point)];
            let area = (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
            let is_counter_clockwise = area < 0;
            let [b, c] = [if is_counter_clockwise { c } else { b }, if is_counter_clockwise { b } else { c }];
            for (k, [from, to]) in [[a, b], [b, c], [c, a]].into_iter().enumerate() {
                let edge = &mut self.edges[k];
                let [x, y] = [to.x - from.x, to.y - from.y];
                let is_top_or_left = (y < 0) | ((y == 0) & (x > 0));
                edge.x[n] = -y;
                edge.y[n] = x;
                let exact = y * from.x - x * from.y - i32::from(!is_top_or_left);
                edge.value[n] = exact >> 8;
                if HAS_SAMPLES {
                    self.exact[k][n] = exact;
                }
            }
            self.bounds[0][n] = bounds.left;
            self.bounds[1][n] = bounds.top;
            self.bounds[2][n] = bounds.right;
            self.bounds[3][n] = bounds.bottom;
            self.area[n] = area;
            self.is_small[n] = i32::from(is_small);
            widest = widest.max(width & kept);
            highest = highest.max(height & kept);
        }
        [widest > QUARTER, highest > QUARTER]
    }

    /// Finds the covered pixels in one quarter of each square.
    #[inline(always)]
    fn cover<const RIGHT: i32, const DOWN: i32>(&mut self) {
        for n in 0..Self::SIZE {
            let mut values = [0; 3];
            for (value, edge) in values.iter_mut().zip(&self.edges) {
                *value = edge.value[n] + edge.x[n] * (QUARTER * RIGHT) + edge.y[n] * (QUARTER * DOWN);
            }
            let [mut inside, mut bits] = [0_u32; 2];
            for y in 0..QUARTER {
                for x in 0..QUARTER {
                    let at = |k: usize| values[k] + self.edges[k].x[n] * x + self.edges[k].y[n] * y;
                    let bit = 1 << bit(x + QUARTER * RIGHT, y);
                    bits |= bit;
                    // A negative value makes the sign of the combination negative.
                    inside |= !((at(0) | at(1) | at(2)) >> 31) as u32 & bit;
                }
            }
            self.halves[DOWN as usize][n] |= inside & bits;
        }
    }

    #[inline(always)]
    fn find_planes(&mut self) {
        for n in 0..Self::SIZE {
            let planes = Planes::of_area(&self.vertices(n), f64::from(self.area[n]));
            let local = planes.around(square(self.bounds[0][n], self.bounds[1][n]));
            for plane in 0..plane::COUNT {
                self.values[plane][n] = local.value[plane];
                self.along_x[plane][n] = local.x[plane];
                self.along_y[plane][n] = local.y[plane];
            }
        }
    }
}

/// The first pixel of a triangle's square, given its first column and row.
#[inline(always)]
pub(crate) fn square(left: i32, top: i32) -> [i32; 2] {
    [left & !1, top & !1]
}

/// The bit of a pixel in a mask.
#[inline(always)]
pub(crate) const fn bit(x: i32, y: i32) -> i32 {
    (y / 2 * (SIZE / 2) + x / 2) * 4 + y % 2 * 2 + x % 2
}

/// The bounds of the quads of a mask that have a pixel. There is one.
#[inline(always)]
pub fn area([x, y]: [i32; 2], quads: u64) -> Bounds {
    const ROW_BITS: u32 = 4 * SIZE as u32 / 2;
    let columns = quads | quads >> (2 * ROW_BITS);
    let columns = (columns | columns >> ROW_BITS) as u16;
    let of = |first: u32, last: u32, bits: u32| [first / bits, last / bits + 1].map(|quad| 2 * quad as i32);
    let [left, right] = of(columns.trailing_zeros(), columns.checked_ilog2().unwrap_or(0), 4);
    let [top, bottom] = of(quads.trailing_zeros(), quads.checked_ilog2().unwrap_or(0), ROW_BITS);
    Bounds { left: x + left, top: y + top, right: x + right, bottom: y + bottom }
}

/// A mask of the pixels of a square that are within a rectangle.
#[inline(always)]
pub fn within(corner: [i32; 2], bounds: &Bounds) -> u64 {
    let from = |lines: &[u64; SIZE as usize + 1], n: i32| lines[n.clamp(0, SIZE) as usize];
    let columns = from(&COLUMNS, bounds.left - corner[0]) & !from(&COLUMNS, bounds.right - corner[0]);
    let rows = from(&ROWS, bounds.top - corner[1]) & !from(&ROWS, bounds.bottom - corner[1]);
    columns & rows
}

/// Masks of the pixels from each column on.
const COLUMNS: [u64; SIZE as usize + 1] = lines(true);

/// Masks of the pixels from each row on.
const ROWS: [u64; SIZE as usize + 1] = lines(false);

const fn lines(are_columns: bool) -> [u64; SIZE as usize + 1] {
    let mut lines = [0; SIZE as usize + 1];
    let mut n = SIZE;
    while n > 0 {
        n -= 1;
        lines[n as usize] = lines[n as usize + 1];
        let mut pixel = 0;
        while pixel < SIZE {
            lines[n as usize] |= 1 << if are_columns { bit(n, pixel) } else { bit(pixel, n) };
            pixel += 1;
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::{SIZE, bit, within};
    use crate::setup::shape::edge::Bounds;

    #[test]
    fn masks_of_rectangles_have_their_pixels() {
        for n in 0..10_000 {
            let [left, top, right, bottom] = [n % 10, n / 10 % 10, n / 100 % 10, n / 1000].map(|edge| edge + 39);
            let bounds = Bounds { left, top, right, bottom };
            let mut expected = 0;
            for (y, x) in (0..SIZE).flat_map(|y| (0..SIZE).map(move |x| (y, x))) {
                let is_in = (left..right).contains(&(40 + x)) && (top..bottom).contains(&(40 + y));
                expected |= u64::from(is_in) << bit(x, y);
            }
            assert_eq!(within([40, 40], &bounds), expected, "{bounds:?}");
        }
    }
}
