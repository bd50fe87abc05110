//! Anisotropic filtering: the line along which texels are taken.
//!
//! Functional specification 7.18.11, with its ideal transformation of the derivatives to the axes of the ellipse that
//! they span. It leaves the choice of samples to the implementation: here the ratio of anisotropy rounded up, equally
//! weighted, evenly spaced along the ellipse's major axis. Cubes and textures without two axes are filtered as if the
//! filter were linear.

use super::level::{Footprint, dot, log2};

/// Samples along a line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Line {
    /// How many.
    pub count: u32,
    /// The extent of the line, in normalised coordinates.
    pub reach: [f64; 2],
}

impl Line {
    /// The position of a sample on the line around `centre`.
    pub fn sample(&self, centre: [f32; 2], index: u32) -> [f32; 2] {
        let along = (f64::from(index) + 0.5) / f64::from(self.count) - 0.5;
        [0, 1].map(|axis| (f64::from(centre[axis]) + self.reach[axis] * along) as f32)
    }
}

/// The level of detail, and the line if there is more than one sample along it. `most` is the most samples.
pub(super) fn footprint(footprint: &Footprint, most: u32) -> (f64, Option<Line>) {
    let [x, y] = footprint.scaled();
    let (xx, yy, xy) = (dot(x, x), dot(y, y), dot(x, y));
    let [dx, dy, extents] = [footprint.x, footprint.y, footprint.extents].map(|vector| vector.map(f64::from));
    let area = (dx[0] * dy[1] - dx[1] * dy[0]).abs() * (extents[0] * extents[1]);
    if [xx, yy, area].iter().any(|value| !value.is_finite()) || xx + yy == 0.0 {
        return (footprint.level().into(), None);
    }
    let longer = if xx > yy { [x[0], x[1]] } else { [y[0], y[1]] };
    let major = if area == 0.0 || xy == 0.0 { longer } else { ellipse(x, y).unwrap_or(longer) };
    let square = major[0] * major[0] + major[1] * major[1];
    let length = square.sqrt();
    let most = f64::from(most);
    let mut ratio = square / area;
    let minor = if ratio > most {
        ratio = most;
        length / most
    } else {
        area / length
    };
    if minor < 1.0 {
        ratio = (ratio * minor).max(1.0);
    }
    let count = ratio.min(most).ceil() as u32;
    let reach = [0, 1].map(|axis| major[axis] / extents[axis]);
    (log2(minor), (count > 1).then_some(Line { count, reach }))
}

/// The major axis of the ellipse that two vectors span; none if it is a circle.
fn ellipse(x: [f64; 3], y: [f64; 3]) -> Option<[f64; 2]> {
    // Its implicit form is a u^2 + b u v + c v^2 = f.
    let a = x[1] * x[1] + y[1] * y[1];
    let b = -2.0 * (x[0] * x[1] + y[0] * y[1]);
    let c = x[0] * x[0] + y[0] * y[0];
    let (p, q) = (a - c, a + c);
    let t = (p * p + b * b).sqrt();
    if t == 0.0 {
        return None;
    }
    // The specification divides f by q - t, which vanish together; their quotient is (q + t) / 4.
    let part = |share: f64| ((q + t) / 4.0 * (share.max(0.0) / t)).sqrt();
    Some([part(t - p).copysign(-b), part(t + p)])
}
