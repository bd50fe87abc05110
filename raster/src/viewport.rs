//! From clip space to the screen (functional specification, 15.6), and the planes that keep positions within reach.

use crate::edge::Bounds;
use crate::fixed::Point;
use crate::plane::Corner;

/// A part of the target, and what depth becomes there.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Viewport {
    /// The left side, in pixels.
    pub left: f32,
    /// The upper side.
    pub top: f32,
    /// Pixels across.
    pub width: f32,
    /// Pixels down.
    pub height: f32,
    /// What a depth of 0 becomes.
    pub min_depth: f32,
    /// What a depth of 1 becomes.
    pub max_depth: f32,
}

/// A plane through the origin of clip space. Inside is where the dot product with a position is not negative.
pub type Plane = [f64; 4];

/// How far from the origin of the target positions may lie, in pixels: what 16 bits hold, less one for rounding.
const REACH: f64 = 32767.0;

impl Viewport {
    /// A vertex on the screen; none if its place is not a number. Its w is above 0.
    #[inline(always)]
    pub fn transform(&self, [x, y, z, w]: [f32; 4]) -> Option<Corner> {
        self.place([x / w, y / w, z / w, 1.0 / w])
    }

    /// The same of one that was divided by its w, with the reciprocal of that.
    #[inline(always)]
    pub fn place(&self, [x, y, z, rcp_w]: [f32; 4]) -> Option<Corner> {
        let x = (x + 1.0) * self.width * 0.5 + self.left;
        let y = (1.0 - y) * self.height * 0.5 + self.top;
        let z = self.min_depth + z * (self.max_depth - self.min_depth);
        let is_number = !(x.is_nan() || y.is_nan() || z.is_nan());
        is_number.then(|| Corner { point: Point::snap([x, y]), z, rcp_w })
    }

    /// Whether all that is seen is well within reach: nothing in it is cut.
    pub fn is_within_reach(&self) -> bool {
        let sides = [self.left, self.top, self.left + self.width, self.top + self.height];
        sides.iter().all(|side| f64::from(side.abs()) < REACH - 1.0)
    }

    /// The pixels that anything may be drawn to: sides between pixels round down.
    pub fn scissor(&self) -> Bounds {
        let [left, top, right, bottom] =
            [self.left, self.top, self.left + self.width, self.top + self.height].map(|side| side.floor() as i32);
        Bounds { left, top, right, bottom }
    }

    /// The planes that triangles are cut at: w above 0 first, then depth, if it is clipped, then positions beyond the range
    /// of snapped ones.
    pub fn planes(&self, clips_depth: bool) -> impl Iterator<Item = Plane> + use<> {
        let depth = [[0.0, 0.0, 1.0, 0.0], [0.0, 0.0, -1.0, 1.0]];
        // X = center + half * x / w lies between -REACH and REACH, times w.
        let range = |axis: usize, half: f64, center: f64| {
            [1.0, -1.0].map(|sign| {
                let mut plane = [0.0; 4];
                plane[axis] = sign * half;
                plane[3] = REACH + sign * center;
                plane
            })
        };
        let [half_width, half_height] = [self.width, self.height].map(|size| f64::from(size) * 0.5);
        let x = range(0, half_width, f64::from(self.left) + half_width);
        let y = range(1, -half_height, f64::from(self.top) + half_height);
        depth.into_iter().filter(move |_| clips_depth).chain(x).chain(y)
    }
}
