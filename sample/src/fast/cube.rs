//! Projects directions onto a cube, and finds texels on its faces and beyond their edges, for a vector of lanes.

#![allow(unsafe_code)]
#![allow(
    clippy::needless_range_loop,
    reason = "what iterators are given is a closure, which is not compiled for the instruction set"
)]

use std::mem::MaybeUninit;

use brolga_resource::Tap;

use super::address::{Corner, Levels, LinearAddresses, inside, to_fixed};
use super::source::{Storage, TexelSource};
use super::vector::Vector;
use crate::cube::{EDGES, Edge};

const SIGN: u32 = 1 << 31;

/// The points at which directions hit a cube.
#[derive(Clone, Copy)]
pub(super) struct Hit<V> {
    /// The face.
    pub face: V,
    /// The coordinates there, from 0 to 1.
    pub at: [V; 2],
    /// Mask of the lanes that hit nothing: those of NaNs, and of directions of length zero.
    pub left: u32,
    axes: Axes<V>,
    /// Components of the direction along the normal, and along the axes of the face.
    along: [V; 3],
}

/// The components of a direction that lie along a face's normal and axes, and those of them whose signs change.
#[derive(Clone, Copy)]
struct Axes<V> {
    is_x: V,
    is_z: V,
    signs: [V; 3],
}

impl<V: Vector> Axes<V> {
    #[inline(always)]
    fn along(&self, [x, y, z]: [V; 3]) -> [V; 3] {
        let normal = z.where_set(self.is_z, x.where_set(self.is_x, y));
        let u = z.where_set(self.is_x, x);
        let v = y.where_set(self.is_x.or(self.is_z), z);
        let [of_normal, of_u, of_v] = self.signs;
        [normal.xor(of_normal), u.xor(of_u), v.xor(of_v)]
    }
}

impl<V: Vector> Hit<V> {
    /// Between axes of equal magnitude, z takes precedence over y over x.
    #[inline(always)]
    pub fn of(direction: [V; 3]) -> Self {
        let magnitude = V::splat(!SIGN);
        let [x, y, z] = [direction[0].and(magnitude), direction[1].and(magnitude), direction[2].and(magnitude)];
        let z_to_x = z.more_floats(x).or(z.equal_floats(x));
        let z_to_y = z.more_floats(y).or(z.equal_floats(y));
        let is_z = z_to_x.and(z_to_y);
        let y_to_x = y.more_floats(x).or(y.equal_floats(x));
        let is_y = is_z.clear(y_to_x);
        let is_x = is_z.or(is_y).xor(V::splat(u32::MAX));
        let major = direction[2].where_set(is_z, direction[0].where_set(is_x, direction[1]));
        // Zeros and NaNs do not count as negative.
        let is_negative = V::splat(0).more_floats(major);
        let negative = is_negative.and(V::splat(SIGN));
        let sign = V::splat(SIGN);
        let axes = Axes {
            is_x,
            is_z,
            signs: [
                negative,
                // -z on +x, z on -x; x on both y; x on +z, -x on -z.
                is_x.and(negative.xor(sign)).or(is_z.and(negative)),
                // -y on x and z; z on +y, -z on -y.
                is_x.or(is_z).and(sign).or(is_y.and(negative)),
            ],
        };
        let along = axes.along(direction);
        let [length, u, v] = along;
        let half = V::splat_float(0.5);
        let at = [
            u.div_floats(length).mul_floats(half).add_floats(half),
            v.div_floats(length).mul_floats(half).add_floats(half),
        ];
        let two = V::splat(2);
        let face = is_z.and(V::splat(4)).or(is_y.and(two)).sub(is_negative);
        let left = !at[0].ordered(at[1]).signs() & V::ALL;
        Self { face, at, left, axes, along }
    }

    /// Derivatives of the directions as derivatives of the coordinates.
    #[inline(always)]
    pub fn derivatives(&self, derivative: [V; 3]) -> [V; 2] {
        let [length, u, v] = self.along;
        let [growth, along_u, along_v] = self.axes.along(derivative);
        let half = V::splat_float(0.5);
        let with_length_u = u.div_floats(length).flush().mul_floats(growth).flush();
        let with_length_v = v.div_floats(length).flush().mul_floats(growth).flush();
        [
            along_u.sub_floats(with_length_u).flush().div_floats(length).mul_floats(half),
            along_v.sub_floats(with_length_v).flush().div_floats(length).mul_floats(half),
        ]
    }
}

/// The position at which a vector of lanes samples a cube: coordinates on a face, and the layer of the cube's first
/// face.
#[derive(Clone, Copy)]
pub(super) struct FacePosition<V> {
    pub at: [V; 2],
    pub face: V,
    pub first_layer: Option<V>,
}

impl<V: Vector> FacePosition<V> {
    /// The layer of the face.
    #[inline(always)]
    fn layer(&self) -> V {
        match self.first_layer {
            Some(first) => first.add(self.face),
            None => self.face,
        }
    }
}

impl<V: Vector> LinearAddresses<V> {
    /// Addresses the texels around coordinates of a face, or the nearest one. The far edge of a face belongs to its
    /// last texel.
    #[inline(always)]
    pub fn make_on_face(
        to: &mut MaybeUninit<Self>,
        source: TexelSource<'_>,
        on: &FacePosition<V>,
        levels: &Levels<V>,
        tap: Tap,
        taking_part: u32,
    ) {
        let is_linear = matches!(tap, Tap::Linear);
        let before = if is_linear { 0.5 } else { 0.0 };
        let [width, height, _] = levels.extents;
        let (fixed_u, fixed_v) = (scaled(on.at[0], width, before), scaled(on.at[1], height, before));
        let one = V::splat(1);
        let (left, upper) = (fixed_u.shift_signed::<8>(), fixed_v.shift_signed::<8>());
        let (right, lower) = (left.add(one), upper.add(one));
        let columns = [inside(left, width), inside(right, width)];
        let rows = [inside(upper, height), inside(lower, height)];
        let ones = V::splat(u32::MAX);
        let out = Out {
            columns: [left.equal(columns[0]).xor(ones), right.equal(columns[1]).xor(ones)],
            rows: [upper.equal(rows[0]).xor(ones), lower.equal(rows[1]).xor(ones)],
        };
        let layer = Some(on.layer());
        let mut storage = source.storage(levels, layer);
        if storage.is_copy() && !(storage.has(rows[0], None, taking_part) && storage.has(rows[1], None, taking_part)) {
            storage = source.own_storage(levels, layer);
        }
        let (left, upper) = (storage.column(columns[0]), storage.row(rows[0]));
        let (right, lower) = (storage.column(columns[1]), storage.row(rows[1]));
        let mut offset_bytes = [left.add(upper), right.add(upper), left.add(lower), right.add(lower)];
        let mut corner = None;
        if is_linear && out.any().signs() & taking_part != 0 {
            // Two texels in a row cross at most one edge, and so do two in a column.
            let beside = Beyond::of(on.face, out.columns[1].and(one), width);
            let above = Beyond::of(on.face, out.rows[1].and(one).add(V::splat(2)), width);
            if storage.is_copy()
                && !(beside.is_in(&storage, rows, taking_part) && above.is_in(&storage, columns, taking_part))
            {
                storage = source.own_storage(levels, layer);
                let (left, upper) = (storage.column(columns[0]), storage.row(rows[0]));
                let (right, lower) = (storage.column(columns[1]), storage.row(rows[1]));
                offset_bytes = [left.add(upper), right.add(upper), left.add(lower), right.add(lower)];
            }
            let beside = beside.offsets(&storage, rows);
            let above = above.offsets(&storage, columns);
            corner = cross(&mut offset_bytes, beside, above, &out);
        }
        let fraction = V::splat(255);
        let fractions = if is_linear { Some([fixed_u.and(fraction), fixed_v.and(fraction)]) } else { None };
        Self::make_of_faces(to, offset_bytes, fractions, storage.is_packed(), corner);
    }
}

/// Masks of the lanes whose columns and rows are beyond a face's edges.
struct Out<V> {
    columns: [V; 2],
    rows: [V; 2],
}

impl<V: Vector> Out<V> {
    #[inline(always)]
    fn any(&self) -> V {
        self.columns[0].or(self.columns[1]).or(self.rows[0].or(self.rows[1]))
    }
}

/// Replaces texels beyond edges: by row with those `beside` a face, by column with those `above` or below it. Returns
/// the texels beyond corners.
#[inline(always)]
fn cross<V: Vector>(offsets: &mut [V; 4], beside: [V; 2], above: [V; 2], out: &Out<V>) -> Option<Corner<V>> {
    let mut index = V::splat(0);
    let mut is_any = V::splat(0);
    let mut three = [offsets[0], beside[0], above[0]];
    for n in 0..4 {
        let (column, row) = (n & 1, n >> 1);
        let own = offsets[n];
        let across_edge = beside[row].where_set(out.columns[column], own);
        offsets[n] = above[column].where_set(out.columns[column].clear(out.rows[row]), across_edge);
        let is_corner = out.columns[column].and(out.rows[row]);
        is_any = is_any.or(is_corner);
        index = V::splat(n as u32).where_set(is_corner, index);
        three[0] = own.where_set(is_corner, three[0]);
        three[1] = beside[row].where_set(is_corner, three[1]);
        three[2] = above[column].where_set(is_corner, three[2]);
    }
    match is_any.signs() {
        0 => None,
        _ => Some(Corner { is_any, index, offset_bytes: three }),
    }
}

/// The texels beyond one edge of each lane's face.
struct Beyond<V> {
    /// Number of layers from the face to the one beyond.
    further: V,
    /// The last texel along an edge.
    last: V,
    /// Masks of the lanes whose coordinates run along the edge, and of those that count from the other end.
    is_along: [V; 2],
    is_reversed: [V; 2],
}

/// By face and edge: the face beyond, and from the highest bit on whether the first coordinate is the one along the
/// edge, and the coordinates that count from the other end.
static BEYOND: [u32; 24] = {
    let mut packed = [0; 24];
    let mut n = 0;
    while n < packed.len() {
        let Edge { face, is_first_along, is_reversed: [first, second] } = EDGES[n / 4][n % 4];
        packed[n] = face | (is_first_along as u32) << 31 | (first as u32) << 30 | (second as u32) << 29;
        n += 1;
    }
    packed
};

impl<V: Vector> Beyond<V> {
    /// Looks up the face beyond an edge, numbered as in [`EDGES`], of faces of such an extent.
    #[inline(always)]
    fn of(face: V, edge: V, extent: V) -> Self {
        let at = face.shift_left::<2>().add(edge).shift_left::<2>();
        // SAFETY: there are six faces with four edges each.
        let packed = unsafe { V::words_at(BEYOND.as_ptr().cast(), &at) };
        let is_first_along = packed.shift_signed::<31>();
        let is_reversed =
            [packed.shift_left::<1>().shift_signed::<31>(), packed.shift_left::<2>().shift_signed::<31>()];
        Self {
            further: packed.and(V::splat(7)).sub(face),
            last: extent.sub(V::splat(1)),
            is_along: [is_first_along, is_first_along.xor(V::splat(u32::MAX))],
            is_reversed,
        }
    }

    /// True if a copy has the texels next to two positions along the edge.
    #[inline(always)]
    fn is_in(&self, storage: &Storage<'_, V>, along: [V; 2], taking_part: u32) -> bool {
        let storage = storage.in_layer(self.further);
        storage.has(self.texel(along[0])[1], None, taking_part)
            && storage.has(self.texel(along[1])[1], None, taking_part)
    }

    /// Offsets of the texels next to two positions along the edge.
    #[inline(always)]
    fn offsets(&self, storage: &Storage<'_, V>, along: [V; 2]) -> [V; 2] {
        let storage = storage.in_layer(self.further);
        let ([x, y], [next_x, next_y]) = (self.texel(along[0]), self.texel(along[1]));
        [storage.column(x).add(storage.row(y)), storage.column(next_x).add(storage.row(next_y))]
    }

    /// The texel next to the one at a position along the edge, from 0 to the last one.
    #[inline(always)]
    fn texel(&self, along: V) -> [V; 2] {
        let (x, y) = (along.and(self.is_along[0]), along.and(self.is_along[1]));
        [self.last.sub(x).where_set(self.is_reversed[0], x), self.last.sub(y).where_set(self.is_reversed[1], y)]
    }
}

/// Coordinates in 256ths of a texel, `before` texels earlier; NaN becomes 0.
#[inline(always)]
fn scaled<V: Vector>(at: V, extent: V, before: f32) -> V {
    to_fixed(at.mul_floats(extent.to_float()).sub_floats(V::splat_float(before)))
}
