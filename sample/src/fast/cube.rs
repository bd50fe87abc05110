//! Cubes, for a vector of lanes: what `cube.rs` beside this folder does for one.

use super::Fast;
use super::address::{Corner, Levels, LinearAddresses, TexelAddress, inside, to_fixed};
use super::vector::{Array, Lanes, Vector};
use crate::cube::{EDGES, Edge};

const SIGN: u32 = 1 << 31;

/// Where directions hit a cube.
#[derive(Clone, Copy)]
pub(super) struct Hit<V> {
    /// The face.
    pub face: V,
    /// The coordinates there, from 0 to 1.
    pub at: [V; 2],
    /// Lanes that hit nothing: those of NaNs, and of directions without length.
    pub left: u32,
    axes: Axes<V>,
    /// Along the normal, and along the face's axes.
    along: [V; 3],
}

/// Which components of a direction are along a face's normal and axes, and which of them change their signs.
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
        // Not of zeros and NaNs.
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

    /// Derivatives of a direction as derivatives of the coordinates.
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

impl<V: Vector> TexelAddress<V> {
    /// The texels at coordinates of a face, whose layer the levels have. The end of a face belongs to its last texel.
    #[inline(always)]
    pub fn nearest_on_face([u, v]: [V; 2], levels: Levels<V>) -> Self {
        let x = inside(scaled(u, levels.width, 0.0).shift_signed::<8>(), levels.width);
        let y = inside(scaled(v, levels.height, 0.0).shift_signed::<8>(), levels.height);
        levels.texel(x, y)
    }
}

impl<V: Vector> LinearAddresses<V> {
    /// The texels around coordinates of a face.
    #[inline(always)]
    pub fn on_face(fast: &Fast, face: V, [u, v]: [V; 2], levels: Levels<V>) -> Self {
        let (fixed_u, fixed_v) = (scaled(u, levels.width, 0.5), scaled(v, levels.height, 0.5));
        let one = V::splat(1);
        let (left, upper) = (fixed_u.shift_signed::<8>(), fixed_v.shift_signed::<8>());
        let (right, lower) = (left.add(one), upper.add(one));
        let (inner_left, inner_right) = (inside(left, levels.width), inside(right, levels.width));
        let (inner_upper, inner_lower) = (inside(upper, levels.height), inside(lower, levels.height));
        let fraction = V::splat(255);
        let mut addresses = Self {
            texels: [
                levels.texel(inner_left, inner_upper),
                levels.texel(inner_right, inner_upper),
                levels.texel(inner_left, inner_lower),
                levels.texel(inner_right, inner_lower),
            ],
            fractions: [fixed_u.and(fraction), fixed_v.and(fraction)],
            corner: None,
        };
        let ones = V::splat(u32::MAX);
        let is_left_out = left.equal(inner_left).xor(ones);
        let is_right_out = right.equal(inner_right).xor(ones);
        let is_upper_out = upper.equal(inner_upper).xor(ones);
        let is_lower_out = lower.equal(inner_lower).xor(ones);
        if is_left_out.or(is_right_out).or(is_upper_out).or(is_lower_out).signs() == 0 {
            return addresses;
        }
        // Two texels in a row cross at most one edge, and so do two in a column.
        let beside = Beyond::of(fast, face, is_right_out.and(one), levels);
        let above = Beyond::of(fast, face, is_lower_out.and(one).add(V::splat(2)), levels);
        let beside = [beside.texel(inner_upper), beside.texel(inner_lower)];
        let above = [above.texel(inner_left), above.texel(inner_right)];
        let (columns, rows) = ([is_left_out, is_right_out], [is_upper_out, is_lower_out]);
        let mut index = V::splat(0);
        let mut is_any = V::splat(0);
        let mut corner = [addresses.texels[0].offset_bytes, beside[0], above[0]];
        for n in 0..4 {
            let (column, row) = (n & 1, n >> 1);
            let own = addresses.texels[n].offset_bytes;
            let across_side = beside[row].where_set(columns[column], own);
            addresses.texels[n].offset_bytes = above[column].where_set(columns[column].clear(rows[row]), across_side);
            let is_corner = columns[column].and(rows[row]);
            is_any = is_any.or(is_corner);
            index = V::splat(n as u32).where_set(is_corner, index);
            corner[0] = own.where_set(is_corner, corner[0]);
            corner[1] = beside[row].where_set(is_corner, corner[1]);
            corner[2] = above[column].where_set(is_corner, corner[2]);
        }
        if is_any.signs() != 0 {
            addresses.corner = Some(Corner { is_any, index, offset_bytes: corner });
        }
        addresses
    }
}

/// What is beyond one edge of each lane's face.
struct Beyond<V> {
    levels: Levels<V>,
    /// The last texel along a side.
    last: V,
    /// Ones where a coordinate is the one along the edge, and where it counts from the other end.
    is_along: [V; 2],
    is_reversed: [V; 2],
}

/// By face and side: the face beyond, and from the highest bit on whether the first coordinate is the one along the edge, and which
/// coordinates count from the other end.
const BEYOND: [u32; 24] = {
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
    /// What is beyond a side, counted as in [`EDGES`]; the levels are those of the faces.
    #[inline(always)]
    fn of(fast: &Fast, face: V, side: V, mut levels: Levels<V>) -> Self {
        let at = face.shift_left::<2>().add(side).store();
        let mut packed = Lanes::<V, u32>::splat(0);
        for lane in 0..V::LANES {
            packed[lane] = BEYOND[at[lane] as usize];
        }
        let packed = V::load(&packed);
        let is_first_along = packed.shift_signed::<31>();
        let is_reversed =
            [packed.shift_left::<1>().shift_signed::<31>(), packed.shift_left::<2>().shift_signed::<31>()];
        let next = packed.and(V::splat(7));
        levels.offset_bytes = levels.offset_bytes.add(next.sub(face).mul(V::splat(fast.layer_bytes)));
        Self {
            levels,
            last: levels.width.sub(V::splat(1)),
            is_along: [is_first_along, is_first_along.xor(V::splat(u32::MAX))],
            is_reversed,
        }
    }

    /// The byte of the texel next to the one that is so far along the edge, from 0 to the last one.
    #[inline(always)]
    fn texel(&self, along: V) -> V {
        let (x, y) = (along.and(self.is_along[0]), along.and(self.is_along[1]));
        let x = self.last.sub(x).where_set(self.is_reversed[0], x);
        let y = self.last.sub(y).where_set(self.is_reversed[1], y);
        self.levels.texel(x, y).offset_bytes
    }
}

/// Coordinates in 256ths of a texel, `before` texels earlier; NaN is 0.
#[inline(always)]
fn scaled<V: Vector>(at: V, extent: V, before: f32) -> V {
    to_fixed(at.mul_floats(extent.to_float()).sub_floats(V::splat_float(before)))
}
