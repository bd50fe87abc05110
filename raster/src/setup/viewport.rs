//! Projects clip space to the screen (functional specification, 15.6), and sets up the planes of the guard band.

use wide::f32x4;

use crate::setup::shape::{Bounds, Point, ScreenVertex};

/// A viewport: a rectangle of the target, and a range of depths.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Viewport {
    /// The left edge, in pixels.
    pub left: f32,
    /// The upper edge.
    pub top: f32,
    /// Width in pixels.
    pub width: f32,
    /// Height in pixels.
    pub height: f32,
    /// The depth that 0 maps to.
    pub min_depth: f32,
    /// The depth that 1 maps to.
    pub max_depth: f32,
}

/// A clip plane through the origin of clip space: positions with a dot product of at least 0 are inside.
pub type Plane = [f64; 4];

/// The guard band: the greatest distance in pixels from the target's origin, as 16 bits hold it, less one for rounding.
const GUARD_BAND: f64 = 32767.0;

/// Limit of depths before the viewport clamps them. It does not show on the screen, but gradients of greater depths
/// would overflow floats.
pub const DEPTH_LIMIT: f32 = 1e20;

/// The guard-band planes of transformed vertices, where x and y are pixels and w is 1.
pub const TRANSFORMED_PLANES: [Plane; 4] = [
    [1.0, 0.0, 0.0, GUARD_BAND - 2.0],
    [-1.0, 0.0, 0.0, GUARD_BAND - 2.0],
    [0.0, 1.0, 0.0, GUARD_BAND - 2.0],
    [0.0, -1.0, 0.0, GUARD_BAND - 2.0],
];

impl Viewport {
    /// Projects a vertex with w > 0 to the screen; `None` if its position is NaN there.
    #[inline(always)]
    pub fn project(&self, [x, y, z, w]: [f32; 4]) -> Option<ScreenVertex> {
        let limit = DEPTH_LIMIT * w;
        // Infinite depths are no valid positions, and not clamped.
        let z = if z.abs() > limit && z.is_finite() { limit.copysign(z) } else { z };
        self.map_divided(f32x4::new([x, y, z, 1.0]) / f32x4::splat(w))
    }

    /// Maps a position that was divided by w, with 1/w as its fourth component.
    ///
    /// All four components at once: x becomes `(x + 1) * width * 0.5 + left`, y `(1 - y) * height * 0.5 + top`, and
    /// depth `z * (max - min) + min`, operation by operation.
    #[inline(always)]
    pub fn map_divided(&self, position: f32x4) -> Option<ScreenVertex> {
        let right_and_down = position * f32x4::new([1.0, -1.0, 1.0, 1.0]);
        let from_corner = right_and_down + f32x4::new([1.0, 1.0, 0.0, 0.0]);
        let scaled = from_corner * f32x4::new([self.width, self.height, self.max_depth - self.min_depth, 1.0]);
        let halved = scaled * f32x4::new([0.5, 0.5, 1.0, 1.0]);
        let mapped = halved + f32x4::new([self.left, self.top, self.min_depth, 0.0]);
        if mapped.is_nan().any() {
            return None;
        }
        let [x, y, z, rcp_w] = mapped.to_array();
        Some(ScreenVertex { point: Point::snap([x, y]), z, rcp_w })
    }

    /// The same viewport, `pixels` further right and down.
    pub fn offset(&self, pixels: f32) -> Self {
        Self { left: self.left + pixels, top: self.top + pixels, ..*self }
    }

    /// The minimum and the maximum depth.
    pub fn depths(&self) -> [f32; 2] {
        // The least depth is 0, not -0, which has another encoding.
        [self.min_depth, self.max_depth].map(|depth| depth + 0.0)
    }

    /// A transformed vertex, with 1/w as its fourth component and pixel centers at integers. `None` if it is NaN or
    /// outside of the guard band.
    pub fn take_transformed([x, y, z, rcp_w]: [f32; 4]) -> Option<ScreenVertex> {
        let is_within_guard_band = [x, y].iter().all(|coordinate| f64::from(coordinate.abs()) < GUARD_BAND - 1.0);
        let rcp_w = Self::reciprocal(rcp_w).filter(|_| is_within_guard_band && z.is_finite())?;
        Some(ScreenVertex { point: Point::snap([x + 0.5, y + 0.5]), z: z.clamp(-DEPTH_LIMIT, DEPTH_LIMIT), rcp_w })
    }

    /// 1/w of a transformed vertex, for which 0 means 1; `None` if primitives with it are not drawn.
    pub fn reciprocal(rcp_w: f32) -> Option<f32> {
        let is_zero = rcp_w.abs() < f32::MIN_POSITIVE;
        Some(if is_zero { 1.0 } else { rcp_w }).filter(|rcp_w| rcp_w.is_finite() && *rcp_w > 0.0)
    }

    /// `true` if the viewport is well inside of the guard band: nothing visible is clipped by that.
    pub fn is_within_guard_band(&self) -> bool {
        let edges = [self.left, self.top, self.left + self.width, self.top + self.height];
        edges.iter().all(|edge| f64::from(edge.abs()) < GUARD_BAND - 1.0)
    }

    /// The pixels of the viewport: edges between pixels round down.
    pub fn scissor(&self) -> Bounds {
        let [left, top, right, bottom] =
            [self.left, self.top, self.left + self.width, self.top + self.height].map(|edge| edge.floor() as i32);
        Bounds { left, top, right, bottom }
    }

    /// The clip planes of the viewport: depth if it is clipped, then the guard band of snapped positions.
    pub fn planes(&self, clips_depth: bool) -> impl Iterator<Item = Plane> + use<> {
        let depth = [[0.0, 0.0, 1.0, 0.0], [0.0, 0.0, -1.0, 1.0]];
        // X = center + half * x / w lies between -GUARD_BAND and GUARD_BAND, times w.
        let range = |axis: usize, half: f64, center: f64| {
            [1.0, -1.0].map(|sign| {
                let mut plane = [0.0; 4];
                plane[axis] = sign * half;
                plane[3] = GUARD_BAND + sign * center;
                plane
            })
        };
        let [half_width, half_height] = [self.width, self.height].map(|size| f64::from(size) * 0.5);
        let x = range(0, half_width, f64::from(self.left) + half_width);
        let y = range(1, -half_height, f64::from(self.top) + half_height);
        depth.into_iter().filter(move |_| clips_depth).chain(x).chain(y)
    }
}

/// A viewport with its scissor rectangle and clip planes.
#[derive(Clone, Debug)]
pub struct Area {
    /// The viewport.
    pub viewport: Viewport,
    /// The scissor rectangle, within the target and the viewport.
    pub scissor: Bounds,
    /// The planes that primitives are clipped against.
    pub(super) planes: Vec<Plane>,
    /// `true` if these include the planes of depth. `more` are those that do not follow from the viewport.
    clips_depth: bool,
    more: Vec<Plane>,
    /// `true` if they keep everything in the view volume.
    pub(super) keeps_view_volume: bool,
}

impl Area {
    /// A viewport, with its scissor rectangle, depth clipping on or off, and further clip planes.
    pub fn new(viewport: Viewport, scissor: Bounds, clips_depth: bool, more: Vec<Plane>) -> Self {
        let keeps_view_volume = more.is_empty() && viewport.is_within_guard_band();
        let planes = viewport.planes(clips_depth).chain(more.iter().copied()).collect();
        Self { viewport, scissor, planes, clips_depth, more, keeps_view_volume }
    }

    /// The same with another scissor rectangle, perhaps without depth clipping or without the further planes.
    pub fn changed(&self, scissor: Bounds, clips_depth: bool, clips_more: bool) -> Self {
        let more = if clips_more { self.more.clone() } else { Vec::new() };
        Self::new(self.viewport, scissor, self.clips_depth && clips_depth, more)
    }
}
