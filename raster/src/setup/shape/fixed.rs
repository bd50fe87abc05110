//! Snaps positions to 256ths of a pixel (functional specification, 3.2.4.1 and 15.16).

use wide::{f32x4, i32x4};

/// Units per pixel.
pub const ONE: i32 = 1 << 8;

/// The offset of a pixel's center from its corner.
pub const HALF: i32 = ONE / 2;

/// The unit of the positions of samples.
pub const SIXTEENTH: i32 = ONE / 16;

/// A position on the screen, in 256ths of a pixel.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Point {
    /// To the right.
    pub x: i32,
    /// Downwards.
    pub y: i32,
}

impl Point {
    /// Snaps a position to fixed point with 16.8 bits, ties to even. Positions out of range saturate (to -32768, or
    /// 32767 and 255/256); NaN becomes 0.
    #[inline(always)]
    pub fn snap([x, y]: [f32; 2]) -> Self {
        // Multiplying by a power of two is exact, and the conversion rounds, saturates, and turns NaN into 0.
        let units = (f32x4::new([x, y, 0.0, 0.0]) * f32x4::splat(ONE as f32)).round_int();
        let [x, y, ..] = units.max(i32x4::splat(-(1 << 23))).min(i32x4::splat((1 << 23) - 1)).to_array();
        Self { x, y }
    }

    /// The position relative to a sample as if that were at the pixel's center; samples are in sixteenths of a pixel.
    #[inline(always)]
    pub fn seen_from(self, [right, down]: [i8; 2]) -> Self {
        Self { x: self.x - SIXTEENTH * i32::from(right), y: self.y - SIXTEENTH * i32::from(down) }
    }

    /// The center of a pixel.
    #[inline(always)]
    pub fn center([x, y]: [i32; 2]) -> Self {
        Self { x: x * ONE + HALF, y: y * ONE + HALF }
    }
}

#[cfg(test)]
mod tests {
    use super::Point;

    fn snap(position: f32) -> i32 {
        let Point { x, y } = Point::snap([position, -1.0]);
        assert_eq!(y, -256);
        x
    }

    #[test]
    fn positions_snap_as_the_specification_shows() {
        // The example of the figure "float32 to i.f fixed point".
        assert_eq!(snap(f32::from_bits(0xc5ff_fd0c)), -8192 * 256 + 0x5e);
        assert_eq!([f32::NAN, f32::INFINITY, f32::NEG_INFINITY].map(snap), [0, (1 << 23) - 1, -(1 << 23)]);
        assert_eq!(
            [32767.998, -32768.0, 1e30, -1e30].map(snap),
            [(1 << 23) - 1, -(1 << 23), (1 << 23) - 1, -(1 << 23)]
        );
        // Half a unit rounds to even.
        assert_eq!([0.5, 1.5, 2.5, -0.5, -1.5, 0.501].map(|units: f32| snap(units / 256.0)), [0, 2, 2, 0, -2, 1]);
        // Below half a unit, denormals included.
        assert_eq!([1.0 / 513.0, f32::from_bits(1), -f32::from_bits(1)].map(snap), [0, 0, 0]);
    }
}
