//! Projects directions onto the faces of a cube, with their derivatives, and finds the texels beyond the edges of a
//! face.
//!
//! Functional specification 7.18.7 (choice of the face), 7.18.11 (derivatives), 7.18.12 (edges and corners). A face's
//! coordinates run from -1 to 1 along two spatial axes; faces are +x, -x, +y, -y, +z, -z.

use brolga_ir::float;
use smallvec::{SmallVec, smallvec};

/// A spatial axis and a direction along it.
type Direction = (usize, f64);

/// By face: its normal, and the directions in which its first and second coordinate grow.
const FACES: [[Direction; 3]; 6] = [
    [(0, 1.0), (2, -1.0), (1, -1.0)],
    [(0, -1.0), (2, 1.0), (1, -1.0)],
    [(1, 1.0), (0, 1.0), (2, 1.0)],
    [(1, -1.0), (0, 1.0), (2, -1.0)],
    [(2, 1.0), (0, 1.0), (1, -1.0)],
    [(2, -1.0), (0, -1.0), (1, -1.0)],
];

/// Projects a direction to a face and the coordinates there, from 0 to 1. Between axes of equal magnitude, z takes
/// precedence over y over x. A direction of length zero or with NaNs hits some face at NaN.
pub fn project(direction: [f32; 3]) -> (u32, [f32; 2]) {
    let [x, y, z] = direction.map(f32::abs);
    let axis = if z >= x && z >= y {
        2
    } else if y >= x {
        1
    } else {
        0
    };
    let face = 2 * axis as u32 + u32::from(direction[axis] < 0.0);
    let [_, u, v] = FACES[face as usize];
    let major = direction[axis].abs();
    (face, [u, v].map(|(axis, sign)| direction[axis] * sign as f32 / major * 0.5 + 0.5))
}

/// Derivatives of a direction along an axis of the screen, as derivatives of the coordinates of a face that run from 0
/// to 1.
pub(crate) fn derivatives(direction: [f32; 3], face: u32, derivative: [f32; 3]) -> [f32; 2] {
    let [major, u, v] = FACES[face as usize];
    let along = |vector: [f32; 3], (axis, sign): Direction| vector[axis] * sign as f32;
    // The formula divides by the magnitude along the normal's axis, so that its derivative changes sign with it.
    let (length, growth) = (along(direction, major), along(derivative, major));
    // Denormals may grow large again, so flushing them must not depend on the float mode.
    let flush = float::flush;
    [u, v].map(|axis| {
        let with_length = flush(flush(along(direction, axis) / length) * growth);
        flush(along(derivative, axis) - with_length) / length * 0.5
    })
}

/// The face beyond an edge of another. There, the texel next to the one that is `t` texels along the edge has `t` as
/// one coordinate and 0 as the other; each may count from the other end.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Edge {
    /// The other face.
    pub face: u32,
    /// Set if the first coordinate is the one along the edge.
    pub is_first_along: bool,
    /// Set for coordinates that count from the other end.
    pub is_reversed: [bool; 2],
}

/// By face: its left, right, upper and lower edge.
pub(crate) const EDGES: [[Edge; 4]; 6] = [edges(0), edges(1), edges(2), edges(3), edges(4), edges(5)];

const fn edges(face: usize) -> [Edge; 4] {
    let [normal, u, v] = FACES[face];
    [edge(normal, opposite(u), v), edge(normal, u, v), edge(normal, opposite(v), u), edge(normal, v, u)]
}

/// The edge of the face with this normal in the direction `towards`, running along another one.
const fn edge(normal: Direction, towards: Direction, along: Direction) -> Edge {
    let face = 2 * towards.0 + (towards.1 < 0.0) as usize;
    let [_, u, v] = FACES[face];
    let is_reversed = [is_reversed(u, along, normal), is_reversed(v, along, normal)];
    Edge { face: face as u32, is_first_along: u.0 == along.0, is_reversed }
}

/// True if a coordinate counts from the other end: along the edge if its direction is opposite, across it if it ends at
/// the face that was left.
const fn is_reversed(coordinate: Direction, along: Direction, normal: Direction) -> bool {
    if coordinate.0 == along.0 { coordinate.1 != along.1 } else { coordinate.1 == normal.1 }
}

const fn opposite((axis, sign): Direction) -> Direction {
    (axis, -sign)
}

/// A texel of a face.
pub(crate) type FaceTexel = (u32, [u32; 2]);

/// The texels that represent a position on a face of `extent` texels along either axis, which may be one texel beyond
/// its edges: one texel, or beyond a corner the three that meet there, a third each.
pub(crate) fn resolve(face: u32, [x, y]: [i32; 2], extent: u32) -> SmallVec<[FaceTexel; 3]> {
    let inside = 0..extent as i32;
    let nearest = |texel: i32| texel.clamp(0, extent as i32 - 1);
    match (inside.contains(&x), inside.contains(&y)) {
        (true, true) => smallvec![(face, [x as u32, y as u32])],
        (true, false) | (false, true) => smallvec![over_the_edge(face, [x, y], extent)],
        (false, false) => smallvec![
            (face, [nearest(x), nearest(y)].map(|texel| texel as u32)),
            over_the_edge(face, [x, nearest(y)], extent),
            over_the_edge(face, [nearest(x), y], extent),
        ],
    }
}

/// The texel of the adjacent face beyond an edge of this one.
fn over_the_edge(face: u32, [x, y]: [i32; 2], extent: u32) -> FaceTexel {
    let last = extent - 1;
    let (direction, along) = match (x < 0, x > last as i32, y < 0) {
        (true, ..) => (0, y),
        (_, true, _) => (1, y),
        (.., true) => (2, x),
        _ => (3, x),
    };
    let edge = EDGES[face as usize][direction];
    let [first, second] = if edge.is_first_along { [along as u32, 0] } else { [0, along as u32] };
    let from_end = |at: u32, is_reversed: bool| if is_reversed { last - at } else { at };
    let [first_is_reversed, second_is_reversed] = edge.is_reversed;
    (edge.face, [from_end(first, first_is_reversed), from_end(second, second_is_reversed)])
}
