//! The depth test before shading, quad by quad in the order of primitives (functional specification, 17.10 to 17.12).

use brolga_ir::pipeline::state::{Comparison, DepthFormat, DepthTest};
use brolga_runtime::{ResourceError, TexelBox, Texture};

use crate::tile;

/// Pixels along a side of a tile.
const SIZE: usize = tile::SIZE as usize;

/// What is compared: a number that grows with the depth. Depths are clamped before.
#[inline]
fn code(format: DepthFormat, depth: f32) -> u32 {
    match format {
        DepthFormat::D16 => (depth * 65535.0 + 0.5) as u32,
        // A double has room for the product.
        DepthFormat::D24 => (f64::from(depth) * 16_777_215.0 + 0.5) as u32,
        // Depths are never negative, so that their bits grow with them. NaN was clamped away.
        DepthFormat::D32 => depth.to_bits(),
    }
}

/// The depths of a tile, while it is drawn.
pub struct Tile {
    format: DepthFormat,
    /// Words as they lie in memory, row by row.
    words: Box<[[u32; SIZE]; SIZE]>,
    is_changed: bool,
}

impl Tile {
    /// Reads a tile of a depth buffer: its most detailed level, its first layer.
    pub fn load(texture: &Texture, format: DepthFormat, corner: [i32; 2]) -> Result<Self, ResourceError> {
        let mut words = Box::new([[0; SIZE]; SIZE]);
        let part = part(texture, corner);
        match format {
            DepthFormat::D16 => {
                let mut codes = [[0_u16; SIZE]; SIZE];
                texture.read(&part, codes.as_flattened_mut(), Some(2 * SIZE as u64))?;
                *words = codes.map(|row| row.map(u32::from));
            }
            DepthFormat::D24 | DepthFormat::D32 => {
                texture.read(&part, words.as_flattened_mut(), Some(4 * SIZE as u64))?
            }
        }
        Ok(Self { format, words, is_changed: false })
    }

    /// Writes it back.
    pub fn store(&self, texture: &Texture, corner: [i32; 2]) -> Result<(), ResourceError> {
        if !self.is_changed {
            return Ok(());
        }
        let part = part(texture, corner);
        match self.format {
            DepthFormat::D16 => {
                let codes = self.words.map(|row| row.map(|code| code as u16));
                texture.write(&part, codes.as_flattened(), Some(2 * SIZE as u64))
            }
            DepthFormat::D24 | DepthFormat::D32 => {
                texture.write(&part, self.words.as_flattened(), Some(4 * SIZE as u64))
            }
        }
    }

    /// Tests a quad of depths, none of them denormal, at an even place of the tile; returns the pixels that are left of its coverage.
    pub fn test(
        &mut self,
        how: DepthTest,
        [x, y]: [usize; 2],
        depths: [f32; 4],
        [least, most]: [f32; 2],
        coverage: u32,
    ) -> u32 {
        // NaN becomes the least depth.
        let code = |n: usize| code(self.format, clamp(depths[n], least, most));
        let codes = [code(0), code(1), code(2), code(3)];
        let mask = if self.format == DepthFormat::D24 { 0xff_ffff } else { u32::MAX };
        let [upper, lower] = [y, y + 1].map(|y| [self.words[y][x], self.words[y][x + 1]]);
        let words = [upper[0], upper[1], lower[0], lower[1]];
        let left = coverage
            & match how.test {
                Comparison::Never => 0,
                Comparison::Less => bits(|n| codes[n] < words[n] & mask),
                Comparison::Equal => bits(|n| codes[n] == words[n] & mask),
                Comparison::LessEqual => bits(|n| codes[n] <= words[n] & mask),
                Comparison::Greater => bits(|n| codes[n] > words[n] & mask),
                Comparison::NotEqual => bits(|n| codes[n] != words[n] & mask),
                Comparison::GreaterEqual => bits(|n| codes[n] >= words[n] & mask),
                Comparison::Always => 15,
            };
        if how.writes && left != 0 {
            let new = |n: usize| if left >> n & 1 != 0 { words[n] & !mask | codes[n] } else { words[n] };
            for (n, y) in [(0, y), (2, y + 1)] {
                [self.words[y][x], self.words[y][x + 1]] = [new(n), new(n + 1)];
            }
            self.is_changed = true;
        }
        left
    }
}

/// A bit for each pixel of a quad that a condition holds for.
#[inline]
fn bits(holds: impl Fn(usize) -> bool) -> u32 {
    u32::from(holds(0)) | u32::from(holds(1)) << 1 | u32::from(holds(2)) << 2 | u32::from(holds(3)) << 3
}

/// Clamps a depth to those of the viewport as shaders do: NaN becomes the least.
#[inline]
fn clamp(depth: f32, least: f32, most: f32) -> f32 {
    let depth = if depth > least { depth } else { least };
    if depth < most { depth } else { most }
}

/// The texels of a depth buffer that a tile has.
fn part(texture: &Texture, corner: [i32; 2]) -> TexelBox {
    let [x, y] = corner.map(|place| place as u32);
    let (shape, most) = (texture.shape(), SIZE as u32);
    let extents = [(shape.width - x).min(most), (shape.height - y).min(most), 1];
    TexelBox { origin: [x, y, 0], extents, ..TexelBox::default() }
}
