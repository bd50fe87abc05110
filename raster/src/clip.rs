//! Cutting triangles and lines at planes, in clip space.
//!
//! Every edge is cut on its way from its inner end to its outer one, and in doubles that become floats once. So two triangles that
//! share an edge get the same vertex there, bit for bit.

use crate::direct3d9::Direct3D9Values;
use crate::viewport::Plane;

/// The most planes that a primitive is cut at: w, two for depth, four for the range of positions, and those of Direct3D 9's draws.
pub const MOST_PLANES: usize = 7 + Direct3D9Values::MOST_PLANES;

/// The least w of a vertex that is drawn: it is above 0 always, whatever else is clipped.
const LEAST_W: f64 = f32::MIN_POSITIVE as f64;

/// How near to the eye an edge is followed, as a part of its size. What is nearer is off the screen, or less than the precision of
/// floats away from the eye.
const NEAREST: f64 = 1e-9;

/// A vertex that a cut made, or that it left.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Vertex {
    /// Its position in clip space.
    position: [f64; 4],
    /// Whether the way to the next vertex is a part of a triangle's edge, and not made by a cut.
    is_on_edge: bool,
    /// What it has of the primitive's vertices, of which lines have two: it is their sum by these weights.
    weights: [f64; 3],
}

/// What is left of a triangle: a convex polygon, wound as it was.
#[derive(Clone, Copy, Debug, Default)]
pub struct Polygon {
    vertices: [Vertex; Self::MOST_VERTICES],
    count: usize,
}

/// What is left of a line, from its start to its end.
#[derive(Clone, Copy, Debug)]
pub struct Segment([Vertex; 2]);

/// How an attribute of a cut edge comes of its ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mode {
    /// The leading vertex has it.
    Constant,
    /// Linear in clip space.
    Perspective,
    /// Linear on the screen.
    NoPerspective,
}

/// Whether a position is seen, which is so for most that are on the inner side of everything, where that is within reach.
#[inline(always)]
pub fn is_seen([x, y, z, w]: [f32; 4]) -> bool {
    w >= f32::MIN_POSITIVE && x.abs() <= w && y.abs() <= w && (0.0..=w).contains(&z)
}

/// Whether a position is on the inner side of everything.
pub fn is_inside(position: [f32; 4], planes: &[Plane]) -> bool {
    let position = position.map(f64::from);
    inner_w(position) >= 0.0 && planes.iter().all(|&plane| distance(plane, position) >= 0.0)
}

/// Whether a primitive is outside of one plane as a whole, or has a vertex that is no position at all.
pub fn is_outside(corners: &[[f32; 4]; 3], planes: &[Plane]) -> bool {
    let positions = corners.map(|corner| corner.map(f64::from));
    let beyond = |of: &dyn Fn([f64; 4]) -> f64| positions.iter().all(|&position| of(position) < 0.0);
    positions.iter().flatten().any(|place| place.is_nan())
        || beyond(&inner_w)
        || planes.iter().any(|&plane| beyond(&|position| distance(plane, position)))
}

fn distance(plane: Plane, position: [f64; 4]) -> f64 {
    // An infinite place times 0 counts for nothing.
    let product = |n: usize| if plane[n] == 0.0 { 0.0 } else { plane[n] * position[n] };
    product(0) + product(1) + product(2) + product(3)
}

fn inner_w(position: [f64; 4]) -> f64 {
    position[3] - LEAST_W
}

/// How far from an inner position to one that is behind the eye it is cut.
///
/// What goes through the eye is one place on the screen: the cut is so far from there that the place is known.
fn part_before_eye(inner: [f64; 4], outer: [f64; 4]) -> f64 {
    let size = inner.iter().chain(&outer).fold(0.0, |most: f64, place| most.max(place.abs()));
    ((inner[3] - NEAREST * size) / (inner[3] - outer[3])).max(0.0)
}

impl Segment {
    /// What is left of a line between finite positions; none if nothing is.
    pub fn new([from, to]: [[f32; 4]; 2], planes: &[Plane]) -> Option<Self> {
        let end = |position: [f32; 4], weights| Vertex { position: position.map(f64::from), is_on_edge: true, weights };
        let mut segment = Self([end(from, [1.0, 0.0, 0.0]), end(to, [0.0, 1.0, 0.0])]);
        segment.cut(inner_w, part_before_eye)?;
        for &plane in planes {
            let distance = |position| distance(plane, position);
            segment.cut(distance, |inner, outer| distance(inner) / (distance(inner) - distance(outer)))?;
        }
        Some(segment)
    }

    /// Its ends.
    pub fn ends(&self) -> &[Vertex; 2] {
        &self.0
    }

    /// As that of a polygon; none if nothing is left.
    fn cut(&mut self, distance: impl Fn([f64; 4]) -> f64, part: impl Fn([f64; 4], [f64; 4]) -> f64) -> Option<()> {
        let [from, to] = &mut self.0;
        match [distance(from.position) >= 0.0, distance(to.position) >= 0.0] {
            [true, true] => (),
            [true, false] => *to = from.towards(to, part(from.position, to.position)),
            [false, true] => *from = to.towards(from, part(to.position, from.position)),
            [false, false] => return None,
        }
        Some(())
    }
}

impl Polygon {
    /// The most vertices: each plane adds one.
    pub const MOST_VERTICES: usize = 3 + MOST_PLANES;

    /// What is left of a triangle of finite positions.
    pub fn new(corners: &[[f32; 4]; 3], planes: &[Plane]) -> Self {
        let mut polygon = Self { count: 3, ..Self::default() };
        for (n, corner) in corners.iter().enumerate() {
            let mut weights = [0.0; 3];
            weights[n] = 1.0;
            polygon.vertices[n] = Vertex { position: corner.map(f64::from), is_on_edge: true, weights };
        }
        polygon.cut(inner_w, part_before_eye);
        for &plane in planes {
            let distance = |position| distance(plane, position);
            polygon.cut(distance, |inner, outer| distance(inner) / (distance(inner) - distance(outer)));
        }
        polygon
    }

    /// Its vertices; fewer than three if nothing is left.
    pub fn vertices(&self) -> &[Vertex] {
        &self.vertices[..self.count]
    }

    /// Cuts off what has a negative distance, after a part of the way from an inner position to an outer one.
    fn cut(&mut self, distance: impl Fn([f64; 4]) -> f64, part: impl Fn([f64; 4], [f64; 4]) -> f64) {
        let before = *self;
        let mut distances = [0.0; Self::MOST_VERTICES];
        for (n, vertex) in before.vertices().iter().enumerate() {
            distances[n] = distance(vertex.position);
        }
        if distances[..before.count].iter().all(|&distance| distance >= 0.0) {
            return;
        }
        self.count = 0;
        let mut add = |vertex| {
            if let Some(place) = self.vertices.get_mut(self.count) {
                *place = vertex;
                self.count += 1;
            }
        };
        for n in 0..before.count {
            let next = (n + 1) % before.count;
            let (from, to) = (distances[n], distances[next]);
            if from >= 0.0 {
                add(before.vertices[n]);
            }
            if (from >= 0.0) != (to >= 0.0) {
                let [inner, outer] = if from >= 0.0 { [n, next] } else { [next, n] };
                let [inner, outer] = [inner, outer].map(|n| before.vertices[n]);
                // On the way out the next vertex will be the one on the way in.
                let is_on_edge = to >= 0.0 && before.vertices[n].is_on_edge;
                add(Vertex { is_on_edge, ..inner.towards(&outer, part(inner.position, outer.position)) });
            }
        }
    }
}

impl Vertex {
    /// Whether the way to the next vertex is a part of a triangle's edge, and not made by a cut.
    pub fn is_on_edge(&self) -> bool {
        self.is_on_edge
    }

    fn towards(&self, other: &Self, part: f64) -> Self {
        let mix = |from: f64, to: f64| from + (to - from) * part;
        let mut vertex = *self;
        for (place, &to) in vertex.position.iter_mut().zip(&other.position) {
            *place = mix(*place, to);
        }
        for (weight, &to) in vertex.weights.iter_mut().zip(&other.weights) {
            *weight = mix(*weight, to);
        }
        vertex
    }

    /// Its position, with a w that is above 0.
    pub fn position(&self) -> [f32; 4] {
        let [x, y, z, w] = self.position;
        [x, y, z, w.max(LEAST_W)].map(|place| place as f32)
    }

    /// Its position after the division by w, which is above 0, and the reciprocal of that. Near the eye floats would have no room for
    /// both.
    pub fn projected(&self) -> [f32; 4] {
        let [x, y, z, w] = self.position;
        [x, y, z, 1.0].map(|place| (place / w.max(LEAST_W)) as f32)
    }

    /// A component of an attribute, from its bits at the primitive's vertices, the leading one first, and their w.
    pub fn attribute(&self, bits: [u32; 3], w: [f32; 3], mode: Mode) -> u32 {
        if mode == Mode::Constant {
            return bits[0];
        }
        let mut sum = 0.0;
        for n in 0..3 {
            let weight = match mode {
                Mode::NoPerspective => self.weights[n] * f64::from(w[n]) / self.position[3].max(LEAST_W),
                _ => self.weights[n],
            };
            // What a corner does not take part in says nothing, not even infinity.
            if weight != 0.0 {
                sum += weight * f64::from(f32::from_bits(bits[n]));
            }
        }
        // A corner as it was keeps all of its bits.
        match self.weights.iter().position(|&weight| weight == 1.0) {
            Some(corner) => bits[corner],
            None => (sum as f32).to_bits(),
        }
    }
}
