//! Biases the depth of triangles before they are rasterized (functional specification, 15.10).

use brolga_ir::pipeline::state::DepthFormat;

use crate::setup::shape::{Planes, ScreenVertex};
use crate::state::RasterizerState;

/// The depth bias of a draw.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct DepthBias {
    /// The constant bias, in units of the depth buffer.
    units: f32,
    /// The least depth above 0 of a fixed-point buffer; `None` with floats.
    unit: Option<f32>,
    /// The factor of the greatest depth slope per pixel.
    slopes: f32,
    /// The limit of the bias, if it is not 0.
    clamp: f32,
}

impl DepthBias {
    /// The bias of a state and a depth buffer; `None` if it is zero. Without a buffer units are those of 24 bits.
    pub fn new(state: &RasterizerState, format: Option<DepthFormat>) -> Option<Self> {
        let (units, slopes) = (state.depth_bias as f32, state.slope_scaled_depth_bias);
        let unit = match format {
            Some(DepthFormat::D32 | DepthFormat::D32S8) => None,
            Some(DepthFormat::D16) => Some(1.0 / 65535.0),
            Some(DepthFormat::D24) | None => Some(1.0 / 16_777_215.0),
        };
        (units != 0.0 || slopes != 0.0).then_some(Self { units, unit, slopes, clamp: state.depth_bias_clamp })
    }

    /// The bias of Direct3D 9, which is a depth and not in units of the buffer.
    pub fn of_direct3d9(bias: f32, state: &RasterizerState) -> Option<Self> {
        let slopes = state.slope_scaled_depth_bias;
        (bias != 0.0 || slopes != 0.0).then_some(Self { units: bias, unit: Some(1.0), slopes, clamp: 0.0 })
    }

    /// The vertices of a triangle, biased.
    pub fn add(&self, mut vertices: [ScreenVertex; 3]) -> [ScreenVertex; 3] {
        let bias = self.of(&vertices);
        vertices.iter_mut().for_each(|vertex| vertex.z += bias);
        vertices
    }

    /// The depth bias of a triangle. One without area has no slope.
    pub fn of(&self, vertices: &[ScreenVertex; 3]) -> f32 {
        let unit = self.unit.unwrap_or_else(|| {
            // A unit in the last place of the greatest depth.
            let most = vertices.iter().fold(0.0, |most: f32, vertex| most.max(vertex.z.abs()));
            let exponent = (most.to_bits() >> 23) as i32 - 127;
            2_f64.powi(exponent - 23) as f32
        });
        let mut bias = self.units * unit;
        // Only if the factor is not 0: 0 times infinity would be NaN.
        if let Some(planes) = Planes::new(vertices).filter(|_| self.slopes != 0.0) {
            let [x, y] = planes.depth_gradient();
            bias += self.slopes * x.abs().max(y.abs());
        }
        if self.clamp > 0.0 {
            bias.min(self.clamp)
        } else if self.clamp < 0.0 {
            bias.max(self.clamp)
        } else {
            bias
        }
    }
}

#[cfg(test)]
mod tests {
    use brolga_ir::pipeline::state::DepthFormat;

    use super::DepthBias;
    use crate::setup::shape::{Point, ScreenVertex};
    use crate::state::RasterizerState;

    /// A triangle of 16 x 16 pixels, with these depths at the upper left, upper right and lower left vertex.
    fn triangle(z: [f32; 3]) -> [ScreenVertex; 3] {
        let points = [[0, 0], [16, 0], [0, 16]].map(|[x, y]| Point { x: x * 256, y: y * 256 });
        [0, 1, 2].map(|n| ScreenVertex { point: points[n], z: z[n], rcp_w: 1.0 })
    }

    fn bias(units: i32, slopes: f32, clamp: f32, format: Option<DepthFormat>, z: [f32; 3]) -> Option<f32> {
        let state = RasterizerState {
            depth_bias: units,
            slope_scaled_depth_bias: slopes,
            depth_bias_clamp: clamp,
            ..RasterizerState::default()
        };
        DepthBias::new(&state, format).map(|bias| bias.of(&triangle(z)))
    }

    #[test]
    fn the_bias_is_that_of_the_formulas() {
        let (flat, d16) = ([0.25; 3], Some(DepthFormat::D16));
        assert_eq!(bias(0, 0.0, 1.0, d16, flat), None);
        assert_eq!(bias(3, 0.0, 0.0, d16, flat), Some(3.0 * (1.0 / 65535.0)));
        assert_eq!(bias(-2, 0.0, 0.0, Some(DepthFormat::D24), flat), Some(-2.0 * (1.0 / 16_777_215.0)));
        // Floats: the exponent of 0.25 is -2, that of 0.75 is -1.
        let units = |z: [f32; 3]| bias(1, 0.0, 0.0, Some(DepthFormat::D32), z);
        assert_eq!([units(flat), units([0.1, 0.75, -0.2])], [Some(2_f32.powi(-25)), Some(2_f32.powi(-24))]);
        // 0.5 over 16 pixels to the right, -0.75 over 16 pixels down.
        let steep = [0.25, 0.75, -0.5];
        assert_eq!(bias(0, 2.0, 0.0, d16, steep), Some(2.0 * 0.75 / 16.0));
        assert_eq!(bias(0, -2.0, 0.0, d16, steep), Some(-2.0 * 0.75 / 16.0));
        // The slope factor is 0, so infinite slopes must not count: 0 times infinity would be NaN.
        let infinite = [0.25, f32::MAX, -f32::MAX];
        assert_eq!(bias(3, 0.0, 0.0, d16, infinite), Some(3.0 * (1.0 / 65535.0)));
        // The clamp only limits a bias of its own sign.
        assert_eq!(bias(0, 2.0, 0.01, d16, steep), Some(0.01));
        assert_eq!(bias(0, 2.0, -0.01, d16, steep), Some(2.0 * 0.75 / 16.0));
        assert_eq!(bias(0, -2.0, -0.01, d16, steep), Some(-0.01));
    }
}
