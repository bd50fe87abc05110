//! Interpolates over a primitive by planes: depth, 1/w, and barycentric coordinates over w.
//!
//! Differences of snapped positions are exact. Gradients and values are doubles, and become floats once for each
//! *origin*: the first pixel of a small triangle's square, or of the tile. So a pixel's values depend on the triangle
//! and the pixel alone, not on how the screen is divided.
//!
//! Components are written out, without `map`, so that loops over many triangles are vectorized.

use wide::f32x4;

use crate::setup::shape::edge::{Bounds, SampleExtent, area};
use crate::setup::shape::fixed::{HALF, ONE, Point};

/// A vertex on the screen.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct ScreenVertex {
    /// Its snapped position.
    pub point: Point,
    /// Depth, after the viewport.
    pub z: f32,
    /// The reciprocal of w.
    pub rcp_w: f32,
}

/// Number of planes of a primitive.
pub const COUNT: usize = 4;

/// Index of the depth plane.
pub const DEPTH: usize = 0;

/// Index of the plane of 1/w.
pub const RCP_W: usize = 1;

/// The planes of a primitive, in doubles: depth, 1/w, and the second and third barycentric coordinates, both over w.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Planes {
    /// The steps to the pixel on the right.
    x: [f64; COUNT],
    /// The steps to the pixel below.
    y: [f64; COUNT],
    /// The values at the first vertex.
    first: [f64; COUNT],
    /// The first vertex, in pixels from the center of pixel (0, 0).
    position: [f64; 2],
}

/// The planes around one pixel, in floats: at a pixel `(dx, dy)` from it, `value + x * dx + y * dy`, the sum from left
/// to right.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Local {
    /// The values at the center of the pixel.
    pub value: [f32; COUNT],
    /// The steps to the pixel on the right.
    pub x: [f32; COUNT],
    /// The steps to the pixel below.
    pub y: [f32; COUNT],
}

impl Planes {
    /// The planes of a triangle, in the order of its vertices. `None` if it has no area.
    #[inline]
    pub fn new(vertices: &[ScreenVertex; 3]) -> Option<Self> {
        let twice = area(vertices.map(|vertex| vertex.point));
        (twice != 0).then(|| Self::of_area(vertices, twice as f64))
    }

    /// The same values everywhere: those of a vertex, which is the first.
    pub fn flat(vertex: &ScreenVertex) -> Self {
        let first = [f64::from(vertex.z), f64::from(vertex.rcp_w), 0.0, 0.0];
        Self { x: [0.0; COUNT], y: [0.0; COUNT], first, position: [0.0; 2] }
    }

    /// The planes of a triangle, given twice its area in squares of 256ths. Undefined if that is 0.
    #[inline(always)]
    pub fn of_area(vertices: &[ScreenVertex; 3], twice: f64) -> Self {
        let [a, b, c] = vertices;
        let z = [f64::from(a.z), f64::from(b.z), f64::from(c.z)];
        let [w0, w1, w2] = [f64::from(a.rcp_w), f64::from(b.rcp_w), f64::from(c.rcp_w)];
        Self::of(vertices, twice, [z, [w0, w1, w2], [0.0, w1, 0.0], [0.0, 0.0, w2]])
    }

    /// The planes of other values at the vertices, divided by w to become linear on the screen. `None` as before.
    pub fn over_w(vertices: &[ScreenVertex; 3], values: [[f32; 3]; COUNT]) -> Option<Self> {
        let twice = area(vertices.map(|vertex| vertex.point));
        let over_w = |value: [f32; 3]| std::array::from_fn(|n| f64::from(value[n]) * f64::from(vertices[n].rcp_w));
        (twice != 0).then(|| Self::of(vertices, twice as f64, values.map(over_w)))
    }

    #[inline(always)]
    fn of(vertices: &[ScreenVertex; 3], twice: f64, values: [[f64; 3]; COUNT]) -> Self {
        let [a, b, c] = vertices;
        let pixel = f64::from(ONE) / twice;
        let [x1, y1] = [f64::from(b.point.x - a.point.x) * pixel, f64::from(b.point.y - a.point.y) * pixel];
        let [x2, y2] = [f64::from(c.point.x - a.point.x) * pixel, f64::from(c.point.y - a.point.y) * pixel];
        let [mut x, mut y, mut first] = [[0.0; COUNT]; 3];
        for n in 0..COUNT {
            let [to_second, to_third] = [values[n][1] - values[n][0], values[n][2] - values[n][0]];
            first[n] = values[n][0];
            x[n] = to_second * y2 - to_third * y1;
            y[n] = to_third * x1 - to_second * x2;
        }
        let position = [f64::from(a.point.x - HALF) / f64::from(ONE), f64::from(a.point.y - HALF) / f64::from(ONE)];
        Self { x, y, first, position }
    }

    /// The gradient of depth: its steps to the pixel on the right and to the one below.
    pub fn depth_gradient(&self) -> [f32; 2] {
        [self.x[0] as f32, self.y[0] as f32]
    }

    /// The planes of a line between two of three vertices: they change along it, and are constant across. A line alone
    /// repeats its first vertex as the third, which has no weight at either end. `None` if it has no length.
    pub fn of_line(vertices: &[ScreenVertex; 3], ends: [usize; 2]) -> Option<Self> {
        let z = vertices.map(|vertex| f64::from(vertex.z));
        let w = vertices.map(|vertex| f64::from(vertex.rcp_w));
        let values = [z, w, [0.0, w[1], 0.0], [0.0, 0.0, w[2]]];
        Self::along(ends.map(|end| &vertices[end]), values.map(|of| ends.map(|end| of[end])))
    }

    /// The planes of other values at its ends, divided by w to become linear on the screen. `None` as before.
    pub fn of_line_over_w(vertices: &[ScreenVertex; 3], ends: [usize; 2], values: [[f32; 3]; COUNT]) -> Option<Self> {
        let over_w = |of: [f32; 3]| ends.map(|end| f64::from(of[end]) * f64::from(vertices[end].rcp_w));
        Self::along(ends.map(|end| &vertices[end]), values.map(over_w))
    }

    fn along([from, to]: [&ScreenVertex; 2], values: [[f64; 2]; COUNT]) -> Option<Self> {
        let direction = [to.point.x - from.point.x, to.point.y - from.point.y].map(f64::from);
        // Squares of 25 bits: their sum is exact.
        let square = direction[0] * direction[0] + direction[1] * direction[1];
        let [right, down] = direction.map(|along| along * f64::from(ONE) / square);
        let steps = values.map(|[first, last]| last - first);
        (square > 0.0).then(|| Self {
            x: steps.map(|step| step * right),
            y: steps.map(|step| step * down),
            first: values.map(|[first, _]| first),
            position: [from.point.x, from.point.y].map(|coordinate| f64::from(coordinate - HALF) / f64::from(ONE)),
        })
    }

    /// The planes around the center of a pixel. Denormals are flushed to 0.
    #[inline(always)]
    pub fn around(&self, pixel: [i32; 2]) -> Local {
        let [dx, dy] = [f64::from(pixel[0]) - self.position[0], f64::from(pixel[1]) - self.position[1]];
        let mut local = Local::default();
        for n in 0..COUNT {
            local.value[n] = normal((self.first[n] + self.x[n] * dx + self.y[n] * dy) as f32);
            local.x[n] = normal(self.x[n] as f32);
            local.y[n] = normal(self.y[n] as f32);
        }
        local
    }
}

impl Local {
    /// The planes of a point, which are constant.
    pub fn of_point(vertex: &ScreenVertex) -> Self {
        Self { value: [normal(vertex.z), normal(vertex.rcp_w), 0.0, 0.0], ..Self::default() }
    }

    /// The minimum or maximum of [`of_quad`](Self::of_quad) over the pixels of an area. A corner pixel has it, since
    /// rounded products and sums are still monotonic. `None` if values might not be finite.
    #[inline(always)]
    pub fn extreme(&self, plane: usize, origin: [i32; 2], area: &Bounds, is_greatest: bool) -> Option<f32> {
        const MOST: f32 = 1e30;
        let [value, x, y] = [self.value[plane], self.x[plane], self.y[plane]];
        let end = |first: i32, end: i32, along: f32| if (along < 0.0) == is_greatest { first } else { end - 1 };
        let dx = (end(area.left, area.right, x) - origin[0]) as f32;
        let dy = (end(area.top, area.bottom, y) - origin[1]) as f32;
        let is_finite = value.abs() < MOST && x.abs() < MOST && y.abs() < MOST;
        is_finite.then(|| normal(normal(value + x * dx) + y * dy))
    }

    /// The same over the samples of those pixels, perhaps beyond what any of them has.
    #[inline(always)]
    pub fn extreme_of_samples(
        &self,
        plane: usize,
        origin: [i32; 2],
        area: &Bounds,
        is_greatest: bool,
        extent: &SampleExtent,
    ) -> Option<f32> {
        const MOST: f32 = 1e30;
        let [value, x, y] = [self.value[plane], self.x[plane], self.y[plane]];
        let end = |axis: usize, first: i32, end: i32, along: f32| {
            let (pixel, sample) =
                if (along < 0.0) == is_greatest { (first, extent.least) } else { (end - 1, extent.most) };
            (pixel - origin[axis]) as f32 + sample[axis] as f32 / 16.0
        };
        let (dx, dy) = (end(0, area.left, area.right, x), end(1, area.top, area.bottom, y));
        let is_finite = value.abs() < MOST && x.abs() < MOST && y.abs() < MOST;
        is_finite.then(|| normal(normal(value + normal(x * dx)) + normal(y * dy)))
    }

    /// One plane at a sample of the four pixels of a quad, likewise. Distances are exact, but products may be denormal.
    #[inline(always)]
    pub fn of_samples(&self, plane: usize, [dx, dy]: [f32; 2], [right, down]: [f32; 2]) -> f32x4 {
        let [value, x, y] = [f32x4::splat(self.value[plane]), f32x4::splat(self.x[plane]), f32x4::splat(self.y[plane])];
        let right = f32x4::splat(dx + right) + f32x4::new([0.0, 1.0, 0.0, 1.0]);
        let down = f32x4::splat(dy + down) + f32x4::new([0.0, 0.0, 1.0, 1.0]);
        normals(normals(value + normals(x * right)) + normals(y * down))
    }

    /// One plane at the four pixels of a quad, the first of which is `(dx, dy)` from the origin: bit for bit as machine
    /// code computes it.
    ///
    /// Gradients are normal and distances are integers, so products are never denormal; a sum that is, is exact.
    #[inline(always)]
    pub fn of_quad(&self, plane: usize, [dx, dy]: [f32; 2]) -> f32x4 {
        let [value, x, y] = [f32x4::splat(self.value[plane]), f32x4::splat(self.x[plane]), f32x4::splat(self.y[plane])];
        let right = f32x4::splat(dx) + f32x4::new([0.0, 1.0, 0.0, 1.0]);
        let down = f32x4::splat(dy) + f32x4::new([0.0, 0.0, 1.0, 1.0]);
        normals(normals(value + x * right) + y * down)
    }
}

/// Flushes denormals, as shaders do.
#[inline(always)]
pub(crate) fn normal(number: f32) -> f32 {
    // Without a branch, so that four of these become one vector.
    let kept = if number.abs() < f32::MIN_POSITIVE { 1 << 31 } else { u32::MAX };
    f32::from_bits(number.to_bits() & kept)
}

/// Flushes the denormals of a vector.
#[inline(always)]
pub(crate) fn normals(numbers: f32x4) -> f32x4 {
    let is_tiny = numbers.abs().simd_lt(f32x4::splat(f32::MIN_POSITIVE));
    is_tiny.bitselect(numbers & f32x4::splat(-0.0), numbers)
}
