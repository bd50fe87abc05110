//! Cubes, for eight lanes: what `cube.rs` beside this folder does for one. Texels beyond a face's edge are found lane by lane.

use super::address::{Levels, LinearAddresses, TexelAddress, inside, to_fixed};
use super::vector::Vector;
use super::{Fast, LANES, Lanes};
use crate::sample::cube::{FaceTexel, resolve};

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
        let left = !at[0].ordered(at[1]).signs() & 0xff;
        Self { face, at, left, axes, along }
    }

    /// Derivatives of a direction as derivatives of the coordinates.
    #[inline(always)]
    pub fn derivatives(&self, derivative: [V; 3]) -> [V; 2] {
        let [length, u, v] = self.along;
        let [growth, along_u, along_v] = self.axes.along(derivative);
        let half = V::splat_float(0.5);
        let (u, v) = (u.div_floats(length).mul_floats(growth), v.div_floats(length).mul_floats(growth));
        [
            along_u.sub_floats(u).div_floats(length).mul_floats(half),
            along_v.sub_floats(v).div_floats(length).mul_floats(half),
        ]
    }
}

impl<V: Vector> TexelAddress<V> {
    /// The texels at coordinates of a face, whose layer the levels have. The end of a face belongs to its last texel.
    #[inline(always)]
    pub fn nearest_on_face([u, v]: [V; 2], levels: Levels<V>, texel_bytes: u32) -> Self {
        let x = inside(scaled(u, levels.width, 0.0).shift_signed::<8>(), levels.width);
        let y = inside(scaled(v, levels.height, 0.0).shift_signed::<8>(), levels.height);
        levels.texel(x, y, texel_bytes)
    }
}

impl<V: Vector> LinearAddresses<V> {
    /// The texels around coordinates of a face, and the lanes that need the three texels beyond a corner.
    #[inline(always)]
    pub fn on_face(fast: &Fast, face: V, [u, v]: [V; 2], levels: Levels<V>, texel_bytes: u32) -> (Self, u32) {
        let (fixed_u, fixed_v) = (scaled(u, levels.width, 0.5), scaled(v, levels.height, 0.5));
        let one = V::splat(1);
        let (left, upper) = (fixed_u.shift_signed::<8>(), fixed_v.shift_signed::<8>());
        let (right, lower) = (left.add(one), upper.add(one));
        let (inner_left, inner_right) = (inside(left, levels.width), inside(right, levels.width));
        let (inner_upper, inner_lower) = (inside(upper, levels.height), inside(lower, levels.height));
        let mut texels = [
            levels.texel(inner_left, inner_upper, texel_bytes),
            levels.texel(inner_right, inner_upper, texel_bytes),
            levels.texel(inner_left, inner_lower, texel_bytes),
            levels.texel(inner_right, inner_lower, texel_bytes),
        ];
        let fraction = V::splat(255);
        let fractions = [fixed_u.and(fraction), fixed_v.and(fraction)];
        let moved = left.xor(inner_left).or(right.xor(inner_right)).or(upper.xor(inner_upper)).or(lower.xor(inner_lower));
        let over_edges = !moved.equal(V::splat(0)).signs() & 0xff;
        let mut left_over = 0;
        if over_edges != 0 {
            let places = [left.store(), right.store(), upper.store(), lower.store()];
            let lanes = Faces {
                face: face.store(),
                extent: levels.width.store(),
                start: levels.offset_bytes.store(),
                row_bytes: levels.row_bytes.store(),
            };
            for (n, texel) in texels.iter_mut().enumerate() {
                let (x, y) = (&places[n & 1], &places[2 + (n >> 1)]);
                let mut offsets = texel.offset_bytes.store();
                for lane in 0..LANES {
                    if over_edges >> lane & 1 == 1 {
                        match lanes.texel(fast, lane, [x[lane] as i32, y[lane] as i32], texel_bytes) {
                            Some(offset) => offsets[lane] = offset,
                            None => left_over |= 1 << lane,
                        }
                    }
                }
                texel.offset_bytes = V::load(&offsets);
            }
        }
        (Self { texels, fractions }, left_over)
    }
}

/// The face of each lane.
#[derive(Debug)]
struct Faces {
    face: Lanes<u32>,
    extent: Lanes<u32>,
    start: Lanes<u32>,
    row_bytes: Lanes<u32>,
}

impl Faces {
    /// The byte of the texel at a place that may be beyond an edge; none beyond a corner.
    fn texel(&self, fast: &Fast, lane: usize, place: [i32; 2], texel_bytes: u32) -> Option<u32> {
        let places = resolve(self.face[lane], place, self.extent[lane]);
        let [(face, [x, y])]: [FaceTexel; 1] = places[..].try_into().ok()?;
        let start = self.start[lane] + face * fast.layer_bytes - self.face[lane] * fast.layer_bytes;
        Some(start + y * self.row_bytes[lane] + x * texel_bytes)
    }
}

/// Coordinates in 256ths of a texel, `before` texels earlier; NaN is 0.
#[inline(always)]
fn scaled<V: Vector>(at: V, extent: V, before: f32) -> V {
    to_fixed(at.mul_floats(extent.to_float()).sub_floats(V::splat_float(before)))
}
