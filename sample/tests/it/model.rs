//! Computes samples by the specification, in doubles, without fixed point and without the code under test.

use brolga_ir::interface::Dimension;
use brolga_resource::format::Format;
use brolga_resource::{AddressMode, Sampler, Tap};

use crate::Image;

pub type Colour = [f64; 4];

/// The colour of a texel, by the definitions of the formats that the tests use.
fn colour(format: Format, texel: u128) -> Colour {
    let part = |bits: u32, index: u32| (texel >> (bits * index)) as u32 & (u32::MAX >> (32 - bits));
    let unorm = |index| f64::from(part(8, index)) / 255.0;
    let curve = |c: f64| if c <= 0.04045 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) };
    let half = |index| {
        let code = part(16, index);
        let (exponent, digits) = ((code >> 10 & 31) as i32, f64::from(code & 1023) / 1024.0);
        let sign = if code >> 15 == 1 { -1.0 } else { 1.0 };
        sign * if exponent == 0 { digits * 2f64.powi(-14) } else { (1.0 + digits) * 2f64.powi(exponent - 15) }
    };
    match format {
        Format::R8G8B8A8_UNORM => [0, 1, 2, 3].map(unorm),
        Format::B8G8R8A8_UNORM => [2, 1, 0, 3].map(unorm),
        Format::R8G8B8A8_UNORM_SRGB => [curve(unorm(0)), curve(unorm(1)), curve(unorm(2)), unorm(3)],
        Format::R16G16B16A16_FLOAT => [0, 1, 2, 3].map(half),
        Format::R32G32B32A32_FLOAT => [0, 1, 2, 3].map(|index| f32::from_bits(part(32, index)).into()),
        Format::R32_FLOAT => [f32::from_bits(part(32, 0)).into(), 0.0, 0.0, 1.0],
        Format::R16_UNORM => [f64::from(part(16, 0)) / 65535.0, 0.0, 0.0, 1.0],
        Format::R8G8_SNORM => {
            let snorm = |index| (f64::from(part(8, index) as u8 as i8) / 127.0).max(-1.0);
            [snorm(0), snorm(1), 0.0, 1.0]
        }
        other => panic!("{other}"),
    }
}

/// The border by the specification: within the format's range, and its components only.
fn border(format: Format, colour: [f32; 4]) -> Colour {
    let colour = colour.map(f64::from);
    match format {
        Format::R8G8B8A8_UNORM | Format::B8G8R8A8_UNORM | Format::R8G8B8A8_UNORM_SRGB => {
            colour.map(|c| c.clamp(0.0, 1.0))
        }
        Format::R16_UNORM => [colour[0].clamp(0.0, 1.0), 0.0, 0.0, 1.0],
        Format::R32_FLOAT => [colour[0], 0.0, 0.0, 1.0],
        Format::R8G8_SNORM => [colour[0].clamp(-1.0, 1.0), colour[1].clamp(-1.0, 1.0), 0.0, 1.0],
        _ => colour,
    }
}

/// The pseudocode of 7.18.9.
fn address(mut texel: i64, mode: AddressMode, count: i64) -> Option<i64> {
    if texel < 0 || texel > count - 1 {
        match mode {
            AddressMode::Wrap => {
                texel %= count;
                if texel < 0 {
                    texel += count;
                }
            }
            AddressMode::Mirror => {
                if texel < 0 {
                    texel = -texel - 1;
                }
                let flip = (texel / count) % 2 == 1;
                texel %= count;
                if flip {
                    texel = count - texel - 1;
                }
            }
            AddressMode::Clamp => texel = texel.clamp(0, count - 1),
            AddressMode::MirrorOnce => {
                if texel < 0 {
                    texel = -texel - 1;
                }
                texel = texel.clamp(0, count - 1);
            }
            AddressMode::Border => return None,
        }
    }
    Some(texel)
}

/// By face: the vector at face coordinates s and t (-1 to 1).
pub fn on_face(face: u32, s: f64, t: f64) -> [f64; 3] {
    match face {
        0 => [1.0, -t, -s],
        1 => [-1.0, -t, s],
        2 => [s, 1.0, t],
        3 => [s, -1.0, -t],
        4 => [s, -t, 1.0],
        _ => [-s, -t, -1.0],
    }
}

/// The face that a vector hits, and the coordinates there.
pub fn face_of([x, y, z]: [f64; 3]) -> (u32, f64, f64) {
    if z.abs() >= x.abs() && z.abs() >= y.abs() {
        if z < 0.0 { (5, -x / -z, -y / -z) } else { (4, x / z, -y / z) }
    } else if y.abs() >= x.abs() {
        if y < 0.0 { (3, x / -y, -z / -y) } else { (2, x / y, z / y) }
    } else if x < 0.0 {
        (1, z / -x, -y / -x)
    } else {
        (0, -z / x, -y / x)
    }
}

/// The operands of a sample, with the layer chosen. For cubes `at` is the direction, and the layer that of the first
/// face.
#[derive(Clone, Copy, Debug)]
pub struct Question<'a> {
    pub image: &'a Image,
    pub sampler: &'a Sampler,
    pub at: [f64; 3],
    pub layer: u32,
    pub offsets: [i32; 3],
}

impl Question<'_> {
    fn axes(&self) -> usize {
        match self.image.dimension {
            Dimension::Texture1d | Dimension::Texture1dArray => 1,
            Dimension::Texture3d => 3,
            _ => 2,
        }
    }

    pub fn is_cube(&self) -> bool {
        matches!(self.image.dimension, Dimension::TextureCube | Dimension::TextureCubeArray)
    }

    /// One texel of a level at a position that may be outside; on a cube as seen from `face`.
    fn texel(&self, level: usize, face: u32, position: [i64; 3]) -> Colour {
        let extents = self.image.levels[level].map(i64::from);
        let read = |layer, [x, y, z]: [i64; 3]| {
            colour(self.image.format, self.image.texel(layer, level, [x as u32, y as u32, z as u32]))
        };
        if self.is_cube() {
            let size = extents[0];
            let outside = |texel: i64| texel < 0 || texel >= size;
            let [x, y, _] = position;
            if outside(x) && outside(y) {
                // The mean of the three texels at the corner.
                let (inner_x, inner_y) = (x.clamp(0, size - 1), y.clamp(0, size - 1));
                let three = [[inner_x, inner_y, 0], [x, inner_y, 0], [inner_x, y, 0]];
                let three = three.map(|position| self.texel(level, face, position));
                return [0, 1, 2, 3].map(|channel| three.iter().map(|texel| texel[channel]).sum::<f64>() / 3.0);
            }
            // Project the centre of the texel, on the plane of the face, onto the cube.
            let middle = |texel: i64| (2 * texel + 1) as f64 / size as f64 - 1.0;
            let (face, s, t) = face_of(on_face(face, middle(x), middle(y)));
            let [x, y] = [s, t].map(|s| ((s + 1.0) / 2.0 * size as f64).floor() as i64);
            return read(self.layer + face, [x, y, 0]);
        }
        let mut inside = [0; 3];
        for axis in 0..self.axes() {
            match address(position[axis], self.sampler.address[axis], extents[axis]) {
                Some(texel) => inside[axis] = texel,
                None => return border(self.image.format, self.sampler.border),
            }
        }
        read(self.layer, inside)
    }

    fn position(&self) -> (u32, [f64; 3]) {
        if self.is_cube() {
            let (face, s, t) = face_of(self.at);
            return (face, [(s + 1.0) / 2.0, (t + 1.0) / 2.0, 0.0]);
        }
        (0, self.at)
    }

    /// The result on one level, and the distance from the nearest border between texels where that decides.
    pub fn level(&self, level: usize, tap: Tap) -> (Colour, f64) {
        let (face, at) = self.position();
        let extents = self.image.levels[level];
        let mut taps = vec![([0i64; 3], 1.0)];
        let mut nearest_edge = f64::INFINITY;
        for axis in 0..self.axes() {
            let mut scaled = at[axis] * f64::from(extents[axis]);
            if tap == Tap::Linear {
                scaled -= 0.5;
            }
            let floor = scaled.floor();
            let fraction = scaled - floor;
            let first = floor as i64 + i64::from(if self.is_cube() { 0 } else { self.offsets[axis] });
            let pair = match tap {
                Tap::Linear => vec![(first, 1.0 - fraction), (first + 1, fraction)],
                Tap::Point => {
                    nearest_edge = nearest_edge.min(fraction).min(1.0 - fraction);
                    vec![(if self.is_cube() { first.min(i64::from(extents[0]) - 1) } else { first }, 1.0)]
                }
            };
            let with = |(position, weight): ([i64; 3], f64)| {
                pair.clone().into_iter().map(move |(texel, part)| {
                    let mut position = position;
                    position[axis] = texel;
                    (position, weight * part)
                })
            };
            taps = taps.into_iter().flat_map(with).collect();
        }
        let mut sum = [0.0; 4];
        for (position, weight) in taps {
            let texel = self.texel(level, face, position);
            for (sum, value) in sum.iter_mut().zip(texel) {
                *sum += value * weight;
            }
        }
        (sum, nearest_edge)
    }

    /// The result for a level of detail that needs no clamping but to the mip chain, and the distance from the nearest
    /// change of the texels taken.
    pub fn filtered(&self, level_of_detail: f64, tap: Tap, mip: Tap) -> (Colour, f64) {
        let last = self.image.levels.len() - 1;
        let level = level_of_detail.clamp(0.0, last as f64);
        if mip == Tap::Point {
            let (colour, edge) = self.level(((level + 0.5).floor() as usize).min(last), tap);
            let fraction = (level + 0.5).fract();
            return (colour, edge.min(fraction).min(1.0 - fraction));
        }
        let (first, weight) = (level.floor() as usize, level.fract());
        let (one, edge_one) = self.level(first, tap);
        let (other, edge_other) = self.level((first + 1).min(last), tap);
        let mix = [0, 1, 2, 3].map(|channel| one[channel] * (1.0 - weight) + other[channel] * weight);
        (mix, edge_one.min(edge_other))
    }
}
