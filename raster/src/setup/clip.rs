//! Cutting triangles and lines at planes, in clip space.
//!
//! Where a plane meets a primitive's edge follows from the edge's own two vertices, whatever was cut before, and from either end alike. So
//! two triangles that share an edge get the same vertex there, bit for bit.
//!
//! Vertices may be as far away as floats reach, and edges between two such still pass the screen. So no place is the difference of large
//! numbers: an edge's coordinates are, each rounded once (products of two floats are exact in doubles), and what is on a plane is put on
//! it. What planes leave is at a w of 0 or more where they bound the screen; behind the eye is cut last.

use crate::setup::viewport::{DEEPEST, Plane};
use crate::vertices::primitives::Mode;

/// The most clip planes that a draw of Direct3D 9 has.
pub const MOST_CLIP_PLANES: usize = 6;

/// The most planes that a primitive is cut at: w, two for depth, four for the range of positions, and those.
pub const MOST_PLANES: usize = 7 + MOST_CLIP_PLANES;

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
    /// The ends of the primitive's edge that the way to the next vertex is a part of; none if a cut made it.
    edge: Option<[u8; 2]>,
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

/// Where the way between two positions meets a plane that they are on different sides of, and how much it has of each.
fn meeting([from, to]: [[f64; 4]; 2], plane: Plane) -> ([f64; 4], [f64; 2]) {
    let [at_from, at_to] = [from, to].map(|position| distance(plane, position));
    let whole = at_from - at_to;
    let mut position = [0.0; 4];
    for (n, place) in position.iter_mut().enumerate() {
        // The coordinates of the line through both, times those of the plane.
        let term = |other: usize| plane[other] * (from[other] * to[n] - from[n] * to[other]);
        // A zero is positive from either end.
        *place = (term(0) + term(1) + term(2) + term(3)) / whole + 0.0;
    }
    (position, [-at_to / whole, at_from / whole])
}

fn inner_w(position: [f64; 4]) -> f64 {
    position[3] - LEAST_W
}

impl Segment {
    /// What is left of a line between finite positions; none if nothing is.
    pub fn new(ends: [[f32; 4]; 2], planes: &[Plane]) -> Option<Self> {
        let ends = ends.map(|end| end.map(f64::from));
        let end = |n| Vertex::corner(&ends, n, [0, 1]);
        let mut segment = Self([end(0), end(1)]);
        for &plane in planes {
            segment
                .cut(|position| distance(plane, position), |inner, outer| inner.towards_plane(outer, plane, &ends))?;
        }
        segment.cut(inner_w, Vertex::before_eye)?;
        Some(segment)
    }

    /// Its ends.
    pub fn ends(&self) -> &[Vertex; 2] {
        &self.0
    }

    /// As that of a polygon; none if nothing is left.
    fn cut(&mut self, distance: impl Fn([f64; 4]) -> f64, meet: impl Fn(&Vertex, &Vertex) -> Vertex) -> Option<()> {
        let [from, to] = &mut self.0;
        match [distance(from.position) >= 0.0, distance(to.position) >= 0.0] {
            [true, true] => (),
            [true, false] => *to = meet(from, to),
            [false, true] => *from = meet(to, from),
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
        let corners = corners.map(|corner| corner.map(f64::from));
        let mut polygon = Self { count: 3, ..Self::default() };
        for n in 0..3 {
            polygon.vertices[usize::from(n)] = Vertex::corner(&corners, n, [n, (n + 1) % 3]);
        }
        for &plane in planes {
            polygon
                .cut(|position| distance(plane, position), |inner, outer| inner.towards_plane(outer, plane, &corners));
        }
        polygon.cut(inner_w, Vertex::before_eye);
        polygon
    }

    /// Its vertices; fewer than three if nothing is left.
    pub fn vertices(&self) -> &[Vertex] {
        &self.vertices[..self.count]
    }

    /// Cuts off what has a negative distance, where the way from an inner vertex to an outer one meets the plane. The first of both says
    /// which edge that is a part of.
    fn cut(&mut self, distance: impl Fn([f64; 4]) -> f64, meet: impl Fn(&Vertex, &Vertex) -> Vertex) {
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
            let edge = before.vertices[n].edge;
            if from >= 0.0 {
                add(before.vertices[n]);
            }
            if (from >= 0.0) != (to >= 0.0) {
                let [inner, outer] = if from >= 0.0 { [n, next] } else { [next, n] };
                let inner = Vertex { edge, ..before.vertices[inner] };
                let met = meet(&inner, &before.vertices[outer]);
                // On the way out the next vertex will be the one on the way in.
                add(Vertex { edge: edge.filter(|_| to >= 0.0), ..met });
            }
        }
    }
}

impl Vertex {
    /// A corner of a primitive, of which the way to the next one is an edge.
    fn corner(corners: &[[f64; 4]], n: u8, edge: [u8; 2]) -> Self {
        let n = usize::from(n);
        let mut weights = [0.0; 3];
        weights[n] = 1.0;
        Self { position: corners[n], edge: Some(edge), weights }
    }

    /// Whether the way to the next vertex is a part of a triangle's edge, and not made by a cut.
    pub fn is_on_edge(&self) -> bool {
        self.edge.is_some()
    }

    /// Where the way to another vertex, as a part of this one's edge if it has one, meets a plane.
    fn towards_plane(&self, other: &Self, plane: Plane, corners: &[[f64; 4]]) -> Self {
        if let Some(edge) = self.edge {
            let ends = edge.map(|n| corners[usize::from(n)]);
            let [from, to] = ends.map(|end| distance(plane, end) >= 0.0);
            // Rounding may have put a vertex beyond a plane that its edge only touches.
            if from != to {
                let (position, shares) = meeting(ends, plane);
                let mut weights = [0.0; 3];
                edge.into_iter().zip(shares).for_each(|(n, share)| weights[usize::from(n)] = share);
                return Self { position, weights, ..*self };
            }
        }
        let [own, others] = [self, other].map(|vertex| distance(plane, vertex.position));
        let mut met = self.mixed(other, [-others, own].map(|share| share / (own - others)));
        // It is on the plane, by the coordinate that says most there.
        let axis = (0..3).fold(0, |most, axis| if plane[axis].abs() > plane[most].abs() { axis } else { most });
        if plane[axis] != 0.0 {
            met.position[axis] = 0.0;
            met.position[axis] = -distance(plane, met.position) / plane[axis];
        }
        met
    }

    /// How far the way to a vertex behind the eye is seen.
    ///
    /// What goes through the eye is one place on the screen: the cut is so far from there that the place is known.
    fn before_eye(&self, outer: &Self) -> Self {
        let size = self.position.iter().chain(&outer.position).fold(0.0, |most: f64, place| most.max(place.abs()));
        let part = ((self.position[3] - NEAREST * size) / (self.position[3] - outer.position[3])).max(0.0);
        self.mixed(outer, [1.0 - part, part])
    }

    /// So much of it and so much of another.
    fn mixed(&self, other: &Self, [own, others]: [f64; 2]) -> Self {
        let mut vertex = *self;
        for (place, &other) in vertex.position.iter_mut().zip(&other.position) {
            *place = *place * own + other * others;
        }
        for (weight, &other) in vertex.weights.iter_mut().zip(&other.weights) {
            *weight = *weight * own + other * others;
        }
        vertex
    }

    /// The same of a polygon on the screen, where corners have a w of 1, with the reciprocals of their w as they are.
    pub fn with_reciprocals(&self, rcp_w: [f32; 3]) -> Self {
        let shares = [0, 1, 2].map(|n| self.weights[n] * f64::from(rcp_w[n]));
        let reciprocal = shares.iter().sum::<f64>();
        let position = self.position.map(|place| place / (self.position[3] * reciprocal));
        Self { position, weights: shares.map(|share| share / reciprocal), ..*self }
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
        let w = w.max(LEAST_W);
        let depth = if z.is_finite() { (z / w).clamp(-f64::from(DEEPEST), f64::from(DEEPEST)) } else { z };
        [x / w, y / w, depth, 1.0 / w].map(|place| place as f32)
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
