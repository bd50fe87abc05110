//! Models a triangle on the screen, in doubles: functional specification, 3.4, 15.4 to 15.6, 15.11, 15.16 and 16.4.
//!
//! A triangle that is not clipped has vertices that the rules give to the bit: the viewport transform in floats,
//! snapped. So the model knows its pixels exactly, and interpolates between snapped vertices.
//!
//! The rules do not say into which triangles a clipped one is divided. The model has its polygon, with vertices in
//! doubles. The renderer moves each vertex by at most [`Shape::moved`]: half a unit of the grid, and the errors of
//! floats on the way there. Interpolation within a triangle is a mean of its vertices, so values move by no more than
//! their slope times that distance.
//!
//! Depth bias is computed in floats, as the rules say; that of a triangle clipped into pieces with biases of their own
//! is unknown.
//!
//! **Bound.** The renderer evaluates functions that are linear on the screen in floats, from some point of the window
//! (64 pixels in each direction), with at most four roundings of relative size 2^-24 of the largest intermediate value.
//! Of a function `f` with the slopes `x` and `y` that is `4 u (|f| + 64 (|x| + |y|))`. The functions are z, 1/w and the
//! vertices' weights, over w or not.

use brolga::Format;
use brolga::raster::{Cull, RasterizerState, Viewport};

use super::state::DrawState;
use crate::drawing::canvas::Vertex;

/// Half an ulp of floats around 1.
pub const UNIT: f64 = 1.0 / (1 << 24) as f64;

/// Pixels from the point where functions are evaluated, at most.
const REACH: f64 = 64.0;

/// The range of positions with 16 bits before the point, without rounding.
const RANGE: f64 = 32767.0;

/// A function that is linear on the screen: its value at the origin, and its slopes.
type Linear = [f64; 3];

fn at(function: Linear, [x, y]: [f64; 2]) -> f64 {
    function[0] + function[1] * x + function[2] * y
}

fn slope(function: Linear) -> f64 {
    function[1].abs() + function[2].abs()
}

/// The sum of functions, weighted.
fn mix(functions: [Linear; 3], by: [f64; 3]) -> Linear {
    [0, 1, 2].map(|n| functions[0][n] * by[0] + functions[1][n] * by[1] + functions[2][n] * by[2])
}

/// The vertices of a triangle that the polygon may be divided into, in pixels, and its sources of error.
struct Piece {
    corners: [[f64; 2]; 3],
    /// Set if it is too thin for a bound.
    is_thin: bool,
    /// 64 times the slopes of z and 1/w, and of all weights together: plain ones, and over w.
    slopes: [f64; 4],
}

/// The projection of a triangle to the screen.
pub struct Shape {
    is_front: bool,
    /// Snapped vertices, if it is not clipped.
    snapped: Option<[[i64; 2]; 3]>,
    /// Vertices of the clipped polygon, clockwise or not.
    polygon: Vec<[f64; 2]>,
    /// Displacement of vertices, in pixels along an axis; 0 if it is not clipped.
    moved: f64,
    /// The weights of the triangle's vertices over their w.
    over_w: [Linear; 3],
    w: [f64; 3],
    /// Depth after the viewport, and its error at a vertex.
    z: Linear,
    z_error: f64,
    /// The greatest depth of a vertex, or its opposite.
    greatest: f64,
    /// The depth of all vertices, if they share it: then it is that everywhere.
    flat: Option<f64>,
    pieces: Vec<Piece>,
    /// The weights of the triangle's vertices, which are linear on the screen too, at the vertices of the polygon.
    weights: Vec<[f64; 3]>,
}

/// The coverage of a sample.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Covered {
    Yes,
    No,
    /// Too near to an edge that moved, or too thin.
    Perhaps,
}

/// A number, and the most by which another one may differ.
#[derive(Clone, Copy, Debug)]
pub struct Near {
    pub value: f64,
    pub error: f64,
}

impl Shape {
    /// The visible part of a triangle, unless it is empty or culled.
    pub fn new(draw: &DrawState, vertices: &[Vertex]) -> Option<Self> {
        let positions: [[f32; 4]; 3] = std::array::from_fn(|n| vertices[n][0].map(f32::from_bits));
        let viewport = &draw.viewport;
        let planes = planes(viewport, draw.pipeline.rasterizer.depth_clip);
        let is_inside = |position: [f32; 4]| planes.iter().all(|plane| distance(plane, position.map(f64::from)) >= 0.0);
        let shape = if positions.into_iter().all(is_inside) {
            Self::whole(viewport, positions)
        } else {
            Self::cut(viewport, positions, &planes)
        }?;
        let is_front = shape.is_clockwise() != draw.pipeline.rasterizer.front_counter_clockwise;
        let is_culled = match draw.pipeline.rasterizer.cull {
            Cull::None => false,
            Cull::Front => is_front,
            Cull::Back => !is_front,
        };
        (!is_culled).then_some(Self { is_front, ..shape })
    }

    /// The same with the depth bias of a draw into a buffer (functional specification, 15.10): the formulas in floats,
    /// if all their operands are exact.
    pub fn biased(mut self, state: &RasterizerState, format: Option<Format>) -> Self {
        let (units, slopes, limit) = (state.depth_bias as f32, state.slope_scaled_depth_bias, state.depth_bias_clamp);
        if units == 0.0 && slopes == 0.0 {
            return self;
        }
        let is_float = matches!(format, Some(Format::D32_FLOAT | Format::D32_FLOAT_S8X24_UINT));
        // The pieces of a clipped triangle have slopes of their own.
        if self.is_cut() && slopes != 0.0 {
            self.z_error = f64::INFINITY;
            return self;
        }
        let unit = match format {
            Some(Format::D16_UNORM) => 1.0 / 65535.0,
            _ if is_float => {
                let exponent = self.greatest.log2().floor().max(-200.0) as i32;
                2_f64.powi(exponent - 23) as f32
            }
            _ => 1.0 / 16_777_215.0,
        };
        let steepest = self.z[1].abs().max(self.z[2].abs());
        let slope_bias = if self.flat.is_some() { 0.0 } else { slopes * steepest as f32 };
        let mut bias = units * unit + slope_bias;
        if limit > 0.0 {
            bias = bias.min(limit);
        } else if limit < 0.0 {
            bias = bias.max(limit);
        }
        if self.is_cut() && is_float {
            // It has its own greatest depth, too, which is no greater.
            bias /= 2.0;
            self.z_error += f64::from(bias).abs();
        }
        let size = self.greatest + f64::from(bias).abs() + f64::from(slope_bias).abs() + f64::from(units * unit).abs();
        self.z[0] += f64::from(bias);
        self.z_error += 4.0 * UNIT * size;
        self.flat = self.flat.map(|flat| f64::from(flat as f32 + bias));
        self
    }

    /// A triangle that is not clipped.
    fn whole(viewport: &Viewport, positions: [[f32; 4]; 3]) -> Option<Self> {
        let screen = positions.map(|position| to_screen(viewport, position));
        let snapped = screen.map(|[x, y, _]| [x, y].map(|place| (f64::from(place) * 256.0).round_ties_even() as i64));
        let corners = snapped.map(|corner| corner.map(|place| place as f64 / 256.0));
        let lambda = barycentric(corners)?;
        let w = positions.map(|position| f64::from(position[3]));
        let z = screen.map(|[_, _, z]| f64::from(z));
        let over_w = [0, 1, 2].map(|n| lambda[n].map(|part| part / w[n]));
        let shape = Self {
            is_front: false,
            snapped: Some(snapped),
            polygon: corners.to_vec(),
            moved: 0.0,
            over_w,
            w,
            z: mix(lambda, z),
            z_error: 0.0,
            greatest: z.into_iter().fold(0.0, |most: f64, z| most.max(z.abs())),
            flat: (z[0] == z[1] && z[1] == z[2]).then_some(z[0]),
            pieces: Vec::new(),
            weights: vec![[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
        };
        let piece = shape.piece(corners);
        Some(Self { pieces: vec![Piece { is_thin: false, ..piece }], ..shape })
    }

    /// A triangle clipped by planes.
    fn cut(viewport: &Viewport, positions: [[f32; 4]; 3], planes: &[[f64; 4]]) -> Option<Self> {
        let wide = positions.map(|position| position.map(f64::from));
        let [width, height] = [viewport.width, viewport.height].map(|size| f64::from(size) / 2.0);
        let [x, y] = [f64::from(viewport.left) + width, f64::from(viewport.top) + height];
        let [least, most] = [viewport.min_depth, viewport.max_depth].map(f64::from);

        let mut clipped: Vec<[f64; 4]> = wide.to_vec();
        for plane in planes {
            clipped = cut(&clipped, plane);
        }
        if clipped.len() < 3 {
            return None;
        }
        let polygon: Vec<[f64; 2]> =
            clipped.iter().map(|[px, py, _, w]| [x + width * px / w, y - height * py / w]).collect();
        // Weights over w: those with which the vertices' x, y and w make a point of the plane w = 1.
        let over_w = inverse(wide.map(|[px, py, _, w]| [px * width + x * w, y * w - py * height, w]))?;
        let z = mix(over_w, wide.map(|position| position[2] * (most - least)));
        let z = [z[0] + least, z[1], z[2]];
        let w = wide.map(|position| position[3]);
        let far = polygon.iter().flatten().fold(0.0, |far: f64, place| far.max(place.abs()));
        let moved = 1.0 / 512.0 + 8.0 * UNIT * (far + 2.0 * (x.abs() + y.abs()) + width + height);
        let z_size = clipped.iter().fold(0.0, |size: f64, [_, _, z, w]| size.max((z / w).abs()));
        let weights = polygon.iter().map(|&corner| [0, 1, 2].map(|n| at(over_w[n], corner) * w[n])).collect();
        let shape = Self {
            is_front: false,
            snapped: None,
            moved,
            over_w,
            w,
            z,
            z_error: 8.0 * UNIT * (z_size * (most - least) + least),
            greatest: z_size * (most - least) + least,
            flat: None,
            pieces: Vec::new(),
            weights,
            polygon,
        };
        let count = shape.polygon.len();
        let triples = (0..count).flat_map(|a| (a + 1..count).flat_map(move |b| (b + 1..count).map(move |c| [a, b, c])));
        let pieces = triples.map(|corners| shape.piece(corners.map(|n| shape.polygon[n]))).collect();
        Some(Self { pieces, ..shape })
    }

    fn is_clockwise(&self) -> bool {
        match self.snapped {
            Some([a, b, c]) => cross(a, b, c) > 0,
            None => {
                let [first, rest @ ..] = &self.polygon[..] else { return false };
                let twice = |[from, to]: [[f64; 2]; 2]| {
                    (from[0] - first[0]) * (to[1] - first[1]) - (from[1] - first[1]) * (to[0] - first[0])
                };
                rest.windows(2).map(|pair| twice([pair[0], pair[1]])).sum::<f64>() > 0.0
            }
        }
    }

    /// The sources of error in a triangle of three vertices of the polygon.
    fn piece(&self, corners: [[f64; 2]; 3]) -> Piece {
        let Some(lambda) = barycentric(corners) else {
            return Piece { corners, is_thin: true, slopes: [0.0; 4] };
        };
        // The heights of a triangle are one over the slopes of its weights. Vertices that move make it thinner.
        let height = lambda.map(|[_, x, y]| 1.0 / x.hypot(y)).into_iter().fold(f64::INFINITY, f64::min);
        let is_thin = height < 16.0 * self.moved;
        let thinner = if self.moved > 0.0 { height / (height - 8.0 * self.moved).max(self.moved) } else { 1.0 };
        let slopes = lambda.map(|weight| REACH * slope(weight) * thinner);
        let rcp_w = corners.map(|corner| self.over_w.iter().map(|&weight| at(weight, corner)).sum::<f64>());
        let all: f64 = slopes.iter().sum();
        let over_w: f64 = (0..3).map(|n| slopes[n] * rcp_w[n]).sum();
        let largest = rcp_w.into_iter().fold(0.0, f64::max);
        let rcp_w_slope = slope(mix(self.over_w, [1.0; 3]));
        let rounded = if self.moved > 0.0 { 4.0 * UNIT * largest } else { 0.0 };
        Piece {
            corners,
            is_thin,
            slopes: [
                REACH * slope(self.z) + (slope(self.z) * self.moved + self.z_error) * all,
                REACH * rcp_w_slope + (rcp_w_slope * self.moved + rounded) * all,
                all,
                over_w,
            ],
        }
    }

    /// The pixels that may be covered, from the first to the one after the last, within some of each axis.
    pub fn bounds(&self, axis: usize, within: [i32; 2]) -> std::ops::Range<i32> {
        let places = self.polygon.iter().map(|corner| corner[axis]);
        let (least, most) =
            places.fold((f64::MAX, f64::MIN), |(least, most), place| (least.min(place), most.max(place)));
        let [first, end] = within;
        ((least - 2.0).max(f64::from(first)) as i32).max(first)..((most + 2.0).min(f64::from(end)) as i32).min(end)
    }

    /// The coverage of a sample.
    pub fn covers(&self, place: [f64; 2]) -> Covered {
        if let Some(corners) = self.snapped {
            return if covers(corners, place) { Covered::Yes } else { Covered::No };
        }
        let away = self.moved * 1.5;
        let turn = if self.is_clockwise() { 1.0 } else { -1.0 };
        let least = inside(&self.polygon, place, turn);
        if least < -away {
            return Covered::No;
        }
        let is_certain = least > away && self.pieces.iter().all(|piece| !piece.is_thin || !piece.may_have(place, away));
        if is_certain { Covered::Yes } else { Covered::Perhaps }
    }

    /// `true` if a pixel may lie in several of the triangles that the polygon is divided into, each of which covers some of
    /// its samples.
    pub fn may_divide(&self, center: [f64; 2]) -> bool {
        let count = self.polygon.len();
        let pairs = (0..count).flat_map(|from| (from + 2..count).map(move |to| (from, to)));
        let mut diagonals = pairs.filter(|&(from, to)| (from, to) != (0, count - 1));
        // Samples are within 0.71 pixels of the center.
        let near = 0.75 + self.moved * 1.5;
        diagonals.any(|(from, to)| away(self.polygon[from], self.polygon[to], center) < near)
            || self.pieces.iter().any(|piece| piece.is_thin && piece.may_have(center, near))
    }

    /// The worst slopes of the triangles that a point may be in.
    fn slopes(&self, place: [f64; 2]) -> [f64; 4] {
        let worst = |worst: [f64; 4], piece: &Piece| [0, 1, 2, 3].map(|n| f64::max(worst[n], piece.slopes[n]));
        self.pieces_at(place).fold([0.0; 4], worst)
    }

    /// The triangles that a point may be in; if there are none, those that may have a sample of its pixel.
    fn pieces_at(&self, place: [f64; 2]) -> impl Iterator<Item = &Piece> {
        let near = move |away: f64| self.pieces.iter().filter(move |piece| piece.may_have(place, away));
        let away = self.moved * 1.5;
        near(if near(away).next().is_some() { away } else { away + 1.5 })
    }

    /// How far vertices move a value at a point, by the way that they move: as far inside of a triangle, and farther outside.
    fn moved_at(&self, place: [f64; 2]) -> f64 {
        self.moved * self.pieces_at(place).map(|piece| piece.spread(place)).fold(1.0, f64::max)
    }

    /// `true` if the triangle is front-facing.
    pub fn is_front(&self) -> bool {
        self.is_front
    }

    /// `true` if something was clipped.
    pub fn is_cut(&self) -> bool {
        self.snapped.is_none()
    }

    /// How far weights go beyond their sum: 1 inside of the triangle, and more outside, where the center of a pixel may be
    /// of which only other samples are covered.
    fn spread(&self, place: [f64; 2]) -> f64 {
        let weights = self.over_w.map(|weight| at(weight, place));
        let sum: f64 = weights.iter().sum();
        (weights.map(f64::abs).iter().sum::<f64>() / sum.abs()).max(1.0)
    }

    /// The depth of a point.
    pub fn z(&self, place: [f64; 2]) -> Near {
        if let Some(value) = self.flat {
            return Near { value, error: 0.0 };
        }
        let value = at(self.z, place);
        let [slopes, ..] = self.slopes(place);
        let shift = slope(self.z) * self.moved_at(place) + self.z_error * self.spread(place);
        Near { value, error: 4.0 * UNIT * (value.abs() + slopes) + shift }
    }

    /// 1/w, and its error.
    fn rcp_w(&self, place: [f64; 2]) -> Near {
        let value: f64 = self.over_w.iter().map(|&weight| at(weight, place)).sum();
        let [_, slopes, ..] = self.slopes(place);
        let vertices = if self.moved > 0.0 { 5.0 } else { 1.0 } * UNIT * value * self.spread(place);
        Near { value, error: 4.0 * UNIT * (value + slopes) + vertices }
    }

    /// The w of a point; none if there is no bound.
    pub fn w(&self, place: [f64; 2]) -> Option<Near> {
        let Near { value, error } = self.rcp_w(place);
        let error = error + slope(mix(self.over_w, [1.0; 3])) * self.moved_at(place);
        (error < value / 2.0)
            .then(|| Near { value: 1.0 / value, error: error / value / (value - error) + 2.0 * UNIT / value })
    }

    /// A perspective attribute; none if there is no bound.
    pub fn perspective(&self, corners: [f64; 3], place: [f64; 2]) -> Option<Near> {
        let Near { value: rcp_w, error } = self.rcp_w(place);
        let ([.., over_w], spread) = (self.slopes(place), self.spread(place));
        let weights = 4.0 * UNIT * (rcp_w * spread + over_w) + UNIT * rcp_w * spread;
        let moved = self.moved_at(place);
        let shift = slope(mix(self.over_w, [1.0; 3])) * moved;
        let least = rcp_w - error - shift;
        if least < rcp_w / 2.0 {
            return None;
        }
        let value = at(mix(self.over_w, corners), place) / rcp_w;
        let (range, size) = extent(corners);
        let moving = slope(mix(self.over_w, corners.map(|corner| corner - value))) * moved / least;
        let rounding = self.rounding(range * spread, size);
        Some(Near { value, error: range * (weights + error * spread) / least + rounding + moving })
    }

    /// An attribute that is linear on the screen.
    pub fn on_screen(&self, corners: [f64; 3], place: [f64; 2]) -> Near {
        let function = mix([0, 1, 2].map(|n| self.over_w[n].map(|part| part * self.w[n])), corners);
        let at_corners = self.weights.iter().map(|weights| (0..3).map(|n| weights[n] * corners[n]).sum::<f64>());
        let (least, most) = at_corners.fold((f64::MAX, f64::MIN), |(least, most), at| (least.min(at), most.max(at)));
        let [_, _, all, _] = self.slopes(place);
        let (range, size) = (most - least, least.abs().max(most.abs()));
        let spread: f64 = (0..3).map(|n| (at(self.over_w[n], place) * self.w[n]).abs()).sum();
        let weights = 4.0 * UNIT * (spread + all) + UNIT * spread;
        let error = range * weights + self.rounding(range * spread, size) + slope(function) * self.moved_at(place);
        Near { value: at(function, place), error }
    }

    /// The error of sums and products of an attribute, and of vertices made by clipping.
    fn rounding(&self, range: f64, size: f64) -> f64 {
        let corners = if self.moved > 0.0 { 4.0 } else { 0.0 };
        (8.0 * (range + size) + corners * size) * UNIT
    }
}

impl Piece {
    /// How far weights go beyond their sum at a point: 1 inside.
    fn spread(&self, place: [f64; 2]) -> f64 {
        let weights = barycentric(self.corners).map(|lambda| lambda.map(|weight| at(weight, place).abs()));
        weights.map_or(f64::INFINITY, |weights| weights.iter().sum::<f64>().max(1.0))
    }

    /// `true` if a point may be inside, once vertices moved.
    fn may_have(&self, place: [f64; 2], away: f64) -> bool {
        let [a, b, c] = self.corners;
        let turn = ((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])).signum();
        inside(&self.corners, place, turn) >= -away
    }
}

/// The distance of a point from the nearest edge of a convex polygon; below 0 outside.
fn inside(corners: &[[f64; 2]], place: [f64; 2], turn: f64) -> f64 {
    let mut least = f64::INFINITY;
    for (n, from) in corners.iter().enumerate() {
        let to = corners[(n + 1) % corners.len()];
        let [x, y] = [to[0] - from[0], to[1] - from[1]];
        let length = x.hypot(y);
        if length > 0.0 {
            least = least.min((x * (place[1] - from[1]) - y * (place[0] - from[0])) / length * turn);
        }
    }
    least
}

/// The distance of a point from the line between two others.
fn away(from: [f64; 2], to: [f64; 2], place: [f64; 2]) -> f64 {
    let [x, y] = [to[0] - from[0], to[1] - from[1]];
    let [right, down] = [place[0] - from[0], place[1] - from[1]];
    let part = ((right * x + down * y) / (x * x + y * y).max(f64::MIN_POSITIVE)).clamp(0.0, 1.0);
    (right - part * x).hypot(down - part * y)
}

/// The planes of clip space that always apply, then those of depth, then those that bound positions on the screen.
fn planes(viewport: &Viewport, clips_depth: bool) -> Vec<[f64; 4]> {
    let mut planes = vec![[0.0, 0.0, 0.0, 1.0]];
    if clips_depth {
        planes.extend([[0.0, 0.0, 1.0, 0.0], [0.0, 0.0, -1.0, 1.0]]);
    }
    let half = [f64::from(viewport.width) / 2.0, f64::from(viewport.height) / 2.0];
    let center = [f64::from(viewport.left) + half[0], f64::from(viewport.top) + half[1]];
    planes.extend([1.0, -1.0].map(|sign| [sign * half[0], 0.0, 0.0, RANGE + sign * center[0]]));
    planes.extend([1.0, -1.0].map(|sign| [0.0, -sign * half[1], 0.0, RANGE + sign * center[1]]));
    planes
}

/// The distance of a position inside a plane. That of w excludes 0 itself.
fn distance(plane: &[f64; 4], position: [f64; 4]) -> f64 {
    let sum: f64 = (0..4).map(|n| plane[n] * position[n]).sum();
    if plane[..3] == [0.0; 3] { sum - f64::from(f32::MIN_POSITIVE) } else { sum }
}

/// The part of a convex polygon inside a plane.
fn cut(corners: &[[f64; 4]], plane: &[f64; 4]) -> Vec<[f64; 4]> {
    let mut left = Vec::new();
    for (n, &from) in corners.iter().enumerate() {
        let to = corners[(n + 1) % corners.len()];
        let [here, there] = [distance(plane, from), distance(plane, to)];
        if here >= 0.0 {
            left.push(from);
        }
        if (here >= 0.0) != (there >= 0.0) {
            let part = here / (here - there);
            left.push([0, 1, 2, 3].map(|n| from[n] + (to[n] - from[n]) * part));
        }
    }
    left
}

/// A vertex on the screen, by the formulas of 15.6, in floats.
fn to_screen(viewport: &Viewport, [x, y, z, w]: [f32; 4]) -> [f32; 3] {
    let [x, y, z] = [x / w, y / w, z / w];
    [
        (x + 1.0) * viewport.width * 0.5 + viewport.left,
        (1.0 - y) * viewport.height * 0.5 + viewport.top,
        viewport.min_depth + z * (viewport.max_depth - viewport.min_depth),
    ]
}

/// The barycentric coordinates of three vertices; none if they are collinear.
fn barycentric(corners: [[f64; 2]; 3]) -> Option<[Linear; 3]> {
    inverse(corners.map(|[x, y]| [x, y, 1.0]))
}

/// The functions `f` for which the sum of `f(x, y)` times each of three points is `(x, y, 1)`; none if the points lie
/// in a plane with the origin.
fn inverse(points: [[f64; 3]; 3]) -> Option<[Linear; 3]> {
    let normal =
        |a: [f64; 3], b: [f64; 3]| [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
    let normals = [normal(points[1], points[2]), normal(points[2], points[0]), normal(points[0], points[1])];
    let whole: f64 = (0..3).map(|n| points[0][n] * normals[0][n]).sum();
    (whole != 0.0 && whole.is_finite()).then(|| normals.map(|[x, y, z]| [z, x, y].map(|part| part / whole)))
}

/// The range of an attribute over the vertices, and its size.
fn extent(corners: [f64; 3]) -> (f64, f64) {
    let [least, most] = [corners.into_iter().fold(f64::MAX, f64::min), corners.into_iter().fold(f64::MIN, f64::max)];
    (most - least, least.abs().max(most.abs()))
}

fn cross(a: [i64; 2], b: [i64; 2], c: [i64; 2]) -> i64 {
    (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
}

/// The rule for samples, in 256ths: inside, or on a top or left edge.
fn covers(corners: [[i64; 2]; 3], place: [f64; 2]) -> bool {
    let place = place.map(|place| (place * 256.0) as i64);
    let [a, b, c] = corners;
    let [a, b, c] = if cross(a, b, c) > 0 { [a, b, c] } else { [a, c, b] };
    // Clockwise on the screen: an edge that goes up is a left one, a horizontal one that goes right a top one.
    [[a, b], [b, c], [c, a]].into_iter().all(|[from, to]| {
        let is_top_or_left = to[1] < from[1] || (to[1] == from[1] && to[0] > from[0]);
        let side = cross(from, to, place);
        side > 0 || (side == 0 && is_top_or_left)
    })
}
