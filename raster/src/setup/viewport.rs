//! From clip space to the screen (functional specification, 15.6), and the planes that keep positions within reach.

use wide::f32x4;

use crate::setup::shape::{Bounds, Corner, Point};

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

/// How far depths may lie from 0 before they become those of the viewport's ends, which is the same on the screen: gradients of greater
/// ones would have no room in floats.
pub const DEEPEST: f32 = 1e20;

/// The planes that transformed vertices' primitives are cut at, where x and y are pixels and w is 1.
pub const SCREEN: [Plane; 4] = [
    [1.0, 0.0, 0.0, REACH - 2.0],
    [-1.0, 0.0, 0.0, REACH - 2.0],
    [0.0, 1.0, 0.0, REACH - 2.0],
    [0.0, -1.0, 0.0, REACH - 2.0],
];

impl Viewport {
    /// A vertex on the screen; none if its place is not a number. Its w is above 0.
    #[inline(always)]
    pub fn transform(&self, [x, y, z, w]: [f32; 4]) -> Option<Corner> {
        let deepest = DEEPEST * w;
        // What is infinite is no place.
        let z = if z.abs() > deepest && z.is_finite() { deepest.copysign(z) } else { z };
        self.place(f32x4::new([x, y, z, 1.0]) / f32x4::splat(w))
    }

    /// The same of one that was divided by its w, with the reciprocal of that.
    ///
    /// All four numbers at once: x becomes `(x + 1) * width * 0.5 + left`, y `(1 - y) * height * 0.5 + top`, and depth
    /// `z * (max - min) + min`, operation by operation.
    #[inline(always)]
    pub fn place(&self, position: f32x4) -> Option<Corner> {
        let right_and_down = position * f32x4::new([1.0, -1.0, 1.0, 1.0]);
        let from_corner = right_and_down + f32x4::new([1.0, 1.0, 0.0, 0.0]);
        let scaled = from_corner * f32x4::new([self.width, self.height, self.max_depth - self.min_depth, 1.0]);
        let halved = scaled * f32x4::new([0.5, 0.5, 1.0, 1.0]);
        let place = halved + f32x4::new([self.left, self.top, self.min_depth, 0.0]);
        if place.is_nan().any() {
            return None;
        }
        let [x, y, z, rcp_w] = place.to_array();
        Some(Corner { point: Point::snap([x, y]), z, rcp_w })
    }

    /// The same, so many pixels further to the right and down.
    pub fn moved(&self, way: f32) -> Self {
        Self { left: self.left + way, top: self.top + way, ..*self }
    }

    /// The least and the greatest depth.
    pub fn depths(&self) -> [f32; 2] {
        // The least depth is 0, not -0, whose code would be another.
        [self.min_depth, self.max_depth].map(|depth| depth + 0.0)
    }

    /// A vertex that is where it belongs on the screen, with 1/w as its fourth number: pixels have their centers at integers there. None
    /// if it is out of reach, or its place is not a number.
    pub fn take([x, y, z, rcp_w]: [f32; 4]) -> Option<Corner> {
        let is_within_reach = [x, y].iter().all(|place| f64::from(place.abs()) < REACH - 1.0);
        let rcp_w = Self::reciprocal(rcp_w).filter(|_| is_within_reach && z.is_finite())?;
        Some(Corner { point: Point::snap([x + 0.5, y + 0.5]), z: z.clamp(-DEEPEST, DEEPEST), rcp_w })
    }

    /// The fourth number of such a vertex, of which 0 means what 1 does; none if nothing is drawn with it.
    pub fn reciprocal(rcp_w: f32) -> Option<f32> {
        let is_zero = rcp_w.abs() < f32::MIN_POSITIVE;
        Some(if is_zero { 1.0 } else { rcp_w }).filter(|rcp_w| rcp_w.is_finite() && *rcp_w > 0.0)
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

/// A part of the target that is drawn to.
#[derive(Clone, Debug)]
pub struct Area {
    /// Where it is.
    pub viewport: Viewport,
    /// Pixels that may be drawn to: those of the target, the viewport and the scissor rectangle.
    pub scissor: Bounds,
    /// What primitives are cut at.
    pub(super) planes: Vec<Plane>,
    /// Whether depth is one of that, and what the viewport does not say.
    clips_depth: bool,
    more: Vec<Plane>,
    /// Whether nothing that is seen is cut.
    pub(super) keeps_seen: bool,
}

impl Area {
    /// A viewport, with pixels that may be drawn to, where depth is clipped or not, and more planes at which primitives are cut.
    pub fn new(viewport: Viewport, scissor: Bounds, clips_depth: bool, more: Vec<Plane>) -> Self {
        let keeps_seen = more.is_empty() && viewport.is_within_reach();
        let planes = viewport.planes(clips_depth).chain(more.iter().copied()).collect();
        Self { viewport, scissor, planes, clips_depth, more, keeps_seen }
    }

    /// The same with other pixels that may be drawn to, where depth need not be clipped, nor anything at more planes.
    pub fn changed(&self, scissor: Bounds, clips_depth: bool, clips_more: bool) -> Self {
        let more = if clips_more { self.more.clone() } else { Vec::new() };
        Self::new(self.viewport, scissor, self.clips_depth && clips_depth, more)
    }
}
