//! Clips triangles and lines against planes, in clip space.
//!
//! The intersection of an edge with a plane depends on the two vertices of the original edge alone, not on their order
//! nor on earlier planes. So triangles that share an edge get the same vertex there, bit for bit.
//!
//! Vertices may be as far away as floats reach, and edges between two such may still cross the screen. So no position
//! is a difference of large numbers: an edge's homogeneous coordinates are, each rounded once (products of two floats
//! are exact in doubles), and an intersection is forced onto its plane. What the screen's planes leave has
//! w >= 0; w <= 0 is clipped last.

use crate::setup::viewport::{DEPTH_LIMIT, Plane};
use crate::vertices::primitives::Mode;

/// The most clip planes of a Direct3D 9 draw.
pub const MOST_CLIP_PLANES: usize = 6;

/// The most planes that a primitive is clipped against: w, two for depth, four for the guard band, and clip planes.
pub const MOST_PLANES: usize = 7 + MOST_CLIP_PLANES;

/// The least w of a vertex that is drawn: always above 0, whatever else is clipped.
const LEAST_W: f64 = f32::MIN_POSITIVE as f64;

/// The least w that is kept of an edge that reaches w <= 0, relative to its size. Nearer points are off the screen, or
/// closer to w = 0 than the precision of floats.
const LEAST_RELATIVE_W: f64 = 1e-9;

/// A vertex after clipping: original or added.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Vertex {
    /// Its position in clip space.
    position: [f64; 4],
    /// The ends of the original edge that contains the edge to the next vertex; `None` if clipping added that.
    edge: Option<[u8; 2]>,
    /// Barycentric coordinates in the primitive, of which lines have two: the vertex is the weighted sum.
    weights: [f64; 3],
}

/// A clipped triangle: a convex polygon with the same winding.
#[derive(Clone, Copy, Debug, Default)]
pub struct Polygon {
    vertices: [Vertex; Self::MOST_VERTICES],
    count: usize,
}

/// A clipped line, from its start to its end.
#[derive(Clone, Copy, Debug)]
pub struct Segment([Vertex; 2]);

/// `true` if a position is in the view volume: a quick test that most positions inside of all planes pass, if the
/// viewport is in the guard band.
#[inline(always)]
pub fn is_in_view_volume([x, y, z, w]: [f32; 4]) -> bool {
    w >= f32::MIN_POSITIVE && x.abs() <= w && y.abs() <= w && (0.0..=w).contains(&z)
}

/// `true` if a position is inside of all planes.
pub fn is_inside(position: [f32; 4], planes: &[Plane]) -> bool {
    let position = position.map(f64::from);
    inner_w(position) >= 0.0 && planes.iter().all(|&plane| distance(plane, position) >= 0.0)
}

/// `true` if a primitive is entirely outside of one plane, or has a NaN in a position.
pub fn is_outside(vertices: &[[f32; 4]; 3], planes: &[Plane]) -> bool {
    let positions = vertices.map(|vertex| vertex.map(f64::from));
    let beyond = |of: &dyn Fn([f64; 4]) -> f64| positions.iter().all(|&position| of(position) < 0.0);
    positions.iter().flatten().any(|coordinate| coordinate.is_nan())
        || beyond(&inner_w)
        || planes.iter().any(|&plane| beyond(&|position| distance(plane, position)))
}

/// `true` if a triangle lies in a plane with the eye, so that its projection is a line. What clipping leaves of one that
/// the eye is in could be anything.
pub fn is_edge_on(vertices: &[[f32; 4]; 3]) -> bool {
    let [a, b, c] = vertices.map(|[x, y, _, w]| [x, y, w].map(f64::from));
    // The determinant, of products that are rounded once.
    let terms = [[0, 1, 2], [1, 2, 0], [2, 0, 1]].map(|[x, y, w]| [a[x] * b[y] * c[w], -(a[x] * b[w] * c[y])]);
    let (sum, size) = terms.as_flattened().iter().fold((0.0, 0.0), |(sum, size), term| (sum + term, size + term.abs()));
    sum.abs() <= size * 1e-15
}

fn distance(plane: Plane, position: [f64; 4]) -> f64 {
    // An infinite coordinate times 0 counts as 0.
    let product = |n: usize| if plane[n] == 0.0 { 0.0 } else { plane[n] * position[n] };
    product(0) + product(1) + product(2) + product(3)
}

/// The intersection of an edge with a plane between its ends, and the weights of the two.
fn intersection([from, to]: [[f64; 4]; 2], plane: Plane) -> ([f64; 4], [f64; 2]) {
    let [at_from, at_to] = [from, to].map(|position| distance(plane, position));
    let whole = at_from - at_to;
    let mut position = [0.0; 4];
    for (n, coordinate) in position.iter_mut().enumerate() {
        // The Plücker coordinates of the edge, times those of the plane.
        let term = |other: usize| plane[other] * (from[other] * to[n] - from[n] * to[other]);
        // A zero is positive in either direction.
        *coordinate = (term(0) + term(1) + term(2) + term(3)) / whole + 0.0;
    }
    (position, [-at_to / whole, at_from / whole])
}

fn inner_w(position: [f64; 4]) -> f64 {
    position[3] - LEAST_W
}

impl Segment {
    /// Clips a line between finite positions; `None` if nothing is left.
    pub fn new(ends: [[f32; 4]; 2], planes: &[Plane]) -> Option<Self> {
        let ends = ends.map(|end| end.map(f64::from));
        let end = |n| Vertex::original(&ends, n, [0, 1]);
        let mut segment = Self([end(0), end(1)]);
        for &plane in planes {
            segment
                .cut(|position| distance(plane, position), |inner, outer| inner.towards_plane(outer, plane, &ends))?;
        }
        segment.cut(inner_w, Vertex::towards_positive_w)?;
        Some(segment)
    }

    /// Its ends.
    pub fn ends(&self) -> &[Vertex; 2] {
        &self.0
    }

    /// Clips like a polygon's `cut`; `None` if nothing is left.
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

    /// Clips a triangle with finite positions.
    pub fn new(vertices: &[[f32; 4]; 3], planes: &[Plane]) -> Self {
        let vertices = vertices.map(|vertex| vertex.map(f64::from));
        let mut polygon = Self { count: 3, ..Self::default() };
        for n in 0..3 {
            polygon.vertices[usize::from(n)] = Vertex::original(&vertices, n, [n, (n + 1) % 3]);
        }
        for &plane in planes {
            polygon
                .cut(|position| distance(plane, position), |inner, outer| inner.towards_plane(outer, plane, &vertices));
        }
        polygon.cut(inner_w, Vertex::towards_positive_w);
        polygon
    }

    /// Its vertices; fewer than three if nothing is left.
    pub fn vertices(&self) -> &[Vertex] {
        &self.vertices[..self.count]
    }

    /// Cuts off vertices with a negative distance, intersecting edges between an inner and an outer vertex with `meet`.
    /// The first of the two says which original edge that is.
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
            if let Some(slot) = self.vertices.get_mut(self.count) {
                *slot = vertex;
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
                // If the edge leaves, the next vertex will be where the polygon enters again.
                add(Vertex { edge: edge.filter(|_| to >= 0.0), ..met });
            }
        }
    }
}

impl Vertex {
    /// An original vertex, at the start of an edge.
    fn original(positions: &[[f64; 4]], n: u8, edge: [u8; 2]) -> Self {
        let n = usize::from(n);
        let mut weights = [0.0; 3];
        weights[n] = 1.0;
        Self { position: positions[n], edge: Some(edge), weights }
    }

    /// `true` if the edge to the next vertex lies on one of the triangle, and was not added by clipping.
    pub fn is_on_edge(&self) -> bool {
        self.edge.is_some()
    }

    /// The intersection with a plane on the way to another vertex, along this one's original edge if it has one.
    fn towards_plane(&self, other: &Self, plane: Plane, vertices: &[[f64; 4]]) -> Self {
        if let Some(edge) = self.edge {
            let ends = edge.map(|n| vertices[usize::from(n)]);
            let [from, to] = ends.map(|end| distance(plane, end) >= 0.0);
            // Rounding may have put a vertex beyond a plane that its edge only touches.
            if from != to {
                let (position, shares) = intersection(ends, plane);
                let mut weights = [0.0; 3];
                edge.into_iter().zip(shares).for_each(|(n, share)| weights[usize::from(n)] = share);
                return Self { position, weights, ..*self };
            }
        }
        let [own, others] = [self, other].map(|vertex| distance(plane, vertex.position));
        let mut met = self.mixed(other, [-others, own].map(|share| share / (own - others)));
        // Force it onto the plane, by the coordinate with the largest coefficient.
        let axis = (0..3).fold(0, |most, axis| if plane[axis].abs() > plane[most].abs() { axis } else { most });
        if plane[axis] != 0.0 {
            met.position[axis] = 0.0;
            met.position[axis] = -distance(plane, met.position) / plane[axis];
        }
        met
    }

    /// The last point with w > 0 on the way to a vertex with w <= 0.
    ///
    /// All points with w near 0 project to one point on the screen: the cut is far enough from there to be precise.
    fn towards_positive_w(&self, outer: &Self) -> Self {
        let size =
            self.position.iter().chain(&outer.position).fold(0.0, |most: f64, coordinate| most.max(coordinate.abs()));
        let part = ((self.position[3] - LEAST_RELATIVE_W * size) / (self.position[3] - outer.position[3])).max(0.0);
        self.mixed(outer, [1.0 - part, part])
    }

    /// The weighted sum with another vertex.
    fn mixed(&self, other: &Self, [own, others]: [f64; 2]) -> Self {
        let mut vertex = *self;
        for (coordinate, &other) in vertex.position.iter_mut().zip(&other.position) {
            *coordinate = *coordinate * own + other * others;
        }
        for (weight, &other) in vertex.weights.iter_mut().zip(&other.weights) {
            *weight = *weight * own + other * others;
        }
        vertex
    }

    /// The same vertex of a polygon on the screen, clipped with w = 1, given the true 1/w of the primitive's vertices.
    pub fn with_reciprocals(&self, rcp_w: [f32; 3]) -> Self {
        let shares = [0, 1, 2].map(|n| self.weights[n] * f64::from(rcp_w[n]));
        let reciprocal = shares.iter().sum::<f64>();
        let position = self.position.map(|coordinate| coordinate / (self.position[3] * reciprocal));
        Self { position, weights: shares.map(|share| share / reciprocal), ..*self }
    }

    /// Its position, with w > 0.
    pub fn position(&self) -> [f32; 4] {
        let [x, y, z, w] = self.position;
        [x, y, z, w.max(LEAST_W)].map(|coordinate| coordinate as f32)
    }

    /// Its position divided by w > 0, and 1/w. With w near 0 floats lack the range for the position and w apart.
    pub fn projected(&self) -> [f32; 4] {
        let [x, y, z, w] = self.position;
        let w = w.max(LEAST_W);
        let depth = if z.is_finite() { (z / w).clamp(-f64::from(DEPTH_LIMIT), f64::from(DEPTH_LIMIT)) } else { z };
        [x / w, y / w, depth, 1.0 / w].map(|coordinate| coordinate as f32)
    }

    /// A component of an attribute, from its bits at the primitive's vertices, the provoking one first, and their w.
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
            // A vertex of zero weight does not count, even if infinite.
            if weight != 0.0 {
                sum += weight * f64::from(f32::from_bits(bits[n]));
            }
        }
        // An original vertex keeps all of its bits.
        match self.weights.iter().position(|&weight| weight == 1.0) {
            Some(vertex) => bits[vertex],
            None => (sum as f32).to_bits(),
        }
    }
}
