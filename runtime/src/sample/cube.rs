//! Cubes: the face that a direction hits, derivatives on it, and the texels beyond its edges.
//!
//! Functional specification 7.18.7 (choice of the face), 7.18.11 (derivatives), 7.18.12 (edges and corners). A face's
//! coordinates run from -1 to 1 along two spatial axes; faces are +x, -x, +y, -y, +z, -z.

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

/// The face that a direction hits, and the coordinates there, from 0 to 1. Between axes of equal magnitude, z takes
/// precedence over y over x. A direction without length or with NaNs hits some face at NaN.
pub(super) fn project(direction: [f32; 3]) -> (u32, [f32; 2]) {
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

/// Derivatives of a direction along an axis of the screen, as derivatives of the coordinates of a face that run from 0 to
/// 1.
pub(super) fn derivatives(direction: [f32; 3], face: u32, derivative: [f32; 3]) -> [f32; 2] {
    let [major, u, v] = FACES[face as usize];
    let along = |vector: [f32; 3], (axis, sign): Direction| vector[axis] * sign as f32;
    // The formula divides by the magnitude along the normal's axis, so that its derivative changes sign with it.
    let (length, growth) = (along(direction, major), along(derivative, major));
    [u, v].map(|axis| (along(derivative, axis) - along(direction, axis) / length * growth) / length * 0.5)
}

/// A texel of a face.
pub(super) type FaceTexel = (u32, [u32; 2]);

/// The texels that represent the one at a position on a face of `extent` texels a side, which may be one beyond its
/// edges: one, or beyond a corner the three that meet there, a third each.
pub(super) fn resolve(face: u32, [x, y]: [i32; 2], extent: u32) -> SmallVec<[FaceTexel; 3]> {
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
fn over_the_edge(face: u32, texel: [i32; 2], extent: u32) -> FaceTexel {
    // Centres of texels in units of half a texel: the face is at `extent` along its normal, its outermost centres at
    // `extent - 1` along its coordinates.
    let size = extent as i32;
    let [normal, axes @ ..] = FACES[face as usize];
    let mut place = [0; 3];
    // Beyond the edge a texel lands on the other face, next to the edge.
    place[normal.0] = (size - 1) * normal.1 as i32;
    let mut hit = normal;
    for ((axis, sign), texel) in axes.into_iter().zip(texel) {
        let centre = (2 * texel + 1 - size) * sign as i32;
        if (0..size).contains(&texel) {
            place[axis] = centre;
        } else {
            hit = (axis, f64::from(centre.signum()));
        }
    }
    let next = 2 * hit.0 as u32 + u32::from(hit.1 < 0.0);
    let [_, u, v] = FACES[next as usize];
    (next, [u, v].map(|(axis, sign)| ((place[axis] * sign as i32 + size - 1) / 2) as u32))
}
