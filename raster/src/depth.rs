//! The depth test before shading, quad by quad in the order of primitives (functional specification, 17.10 to 17.12).

use brolga_ir::pipeline::state::{Comparison, DepthFormat, DepthTest};
use brolga_runtime::{ResourceError, TexelBox, Texture};
use wide::{f32x4, u32x4};

use crate::tile;

/// Pixels along a side of a tile.
const SIZE: usize = tile::SIZE as usize;

/// What is compared: numbers that grow with the depths. Depths are clamped before.
#[inline(always)]
fn codes(format: DepthFormat, depths: f32x4) -> u32x4 {
    match format {
        DepthFormat::D16 => u32x4::new(depths.to_array().map(|depth| (depth * 65535.0 + 0.5) as u32)),
        // A double has room for the product.
        DepthFormat::D24 => u32x4::new(depths.to_array().map(|depth| (f64::from(depth) * 16_777_215.0 + 0.5) as u32)),
        // Depths are never negative, so that their bits grow with them. NaN was clamped away.
        DepthFormat::D32 => bytemuck::cast(depths),
    }
}

/// Quads along a side of a tile.
const QUADS: usize = SIZE / 2;

/// The depths of a tile, while it is drawn.
#[derive(Default)]
pub struct Tile {
    /// The format of the depth buffer, while its texels lie here.
    format: Option<DepthFormat>,
    /// Words as they lie in memory, quad by quad: upper left, upper right, lower left, lower right.
    quads: Vec<[u32x4; QUADS]>,
    is_changed: bool,
    /// Rows of the depth buffer.
    rows: Vec<[u32; SIZE]>,
    codes: Vec<[u16; SIZE]>,
}

impl Tile {
    /// Whether a tile lies here.
    pub fn is_loaded(&self) -> bool {
        self.format.is_some()
    }

    /// Reads a tile of a depth buffer, its most detailed level, its first layer, unless it lies here already.
    pub fn load(&mut self, texture: &Texture, format: DepthFormat, corner: [i32; 2]) -> Result<(), ResourceError> {
        if self.format.is_some() {
            return Ok(());
        }
        let part = part(texture, corner);
        self.rows.resize(SIZE, [0; SIZE]);
        match format {
            DepthFormat::D16 => {
                self.codes.resize(SIZE, [0; SIZE]);
                texture.read(&part, self.codes.as_flattened_mut(), Some(2 * SIZE as u64))?;
                for (row, codes) in self.rows.iter_mut().zip(&self.codes) {
                    *row = codes.map(u32::from);
                }
            }
            DepthFormat::D24 | DepthFormat::D32 => {
                texture.read(&part, self.rows.as_flattened_mut(), Some(4 * SIZE as u64))?
            }
        }
        self.quads.resize(QUADS, [u32x4::ZERO; QUADS]);
        for (quads, [upper, lower]) in self.quads.iter_mut().zip(self.rows.as_chunks().0) {
            for (n, quad) in quads.iter_mut().enumerate() {
                *quad = u32x4::new([upper[2 * n], upper[2 * n + 1], lower[2 * n], lower[2 * n + 1]]);
            }
        }
        (self.format, self.is_changed) = (Some(format), false);
        Ok(())
    }

    /// Writes it back, if one lies here.
    pub fn store(&mut self, texture: &Texture, corner: [i32; 2]) -> Result<(), ResourceError> {
        let Some(format) = self.format.take().filter(|_| self.is_changed) else { return Ok(()) };
        for (quads, [upper, lower]) in self.quads.iter().zip(self.rows.as_chunks_mut().0) {
            for (n, quad) in quads.iter().enumerate() {
                [upper[2 * n], upper[2 * n + 1], lower[2 * n], lower[2 * n + 1]] = quad.to_array();
            }
        }
        let part = part(texture, corner);
        match format {
            DepthFormat::D16 => {
                for (row, codes) in self.rows.iter().zip(&mut self.codes) {
                    *codes = row.map(|code| code as u16);
                }
                texture.write(&part, self.codes.as_flattened(), Some(2 * SIZE as u64))
            }
            DepthFormat::D24 | DepthFormat::D32 => {
                texture.write(&part, self.rows.as_flattened(), Some(4 * SIZE as u64))
            }
        }
    }

    /// Tests a quad of depths, none of them denormal, at an even place of the tile; returns the pixels that are left of its coverage.
    /// Without a tile all are.
    #[inline(always)]
    pub fn test(
        &mut self,
        how: DepthTest,
        [x, y]: [usize; 2],
        depths: f32x4,
        [least, most]: [f32; 2],
        coverage: u32,
    ) -> u32 {
        let Some(format) = self.format else { return coverage };
        let quad = &mut self.quads[y / 2][x / 2 % QUADS];
        let code = codes(format, clamp(depths, least, most));
        let mask = u32x4::splat(if format == DepthFormat::D24 { 0xff_ffff } else { u32::MAX });
        let before = *quad & mask;
        let passes = match how.test {
            Comparison::Never => u32x4::ZERO,
            Comparison::Less => code.simd_lt(before),
            Comparison::Equal => code.simd_eq(before),
            Comparison::LessEqual => !code.simd_gt(before),
            Comparison::Greater => code.simd_gt(before),
            Comparison::NotEqual => !code.simd_eq(before),
            Comparison::GreaterEqual => !code.simd_lt(before),
            Comparison::Always => u32x4::MAX,
        } & u32x4::new(PIXELS[coverage as usize % 16]);
        let left = passes.to_bitmask();
        if how.writes && left != 0 {
            *quad = (passes & mask).bitselect(code, *quad);
            self.is_changed = true;
        }
        left
    }
}

/// All ones for each pixel of a coverage.
const PIXELS: [[u32; 4]; 16] = {
    let mut pixels = [[0; 4]; 16];
    let mut n = 0;
    while n < 64 {
        pixels[n / 4][n % 4] = if (n / 4) >> (n % 4) & 1 != 0 { u32::MAX } else { 0 };
        n += 1;
    }
    pixels
};

/// Clamps depths to those of the viewport as shaders do: NaN becomes the least.
#[inline(always)]
fn clamp(depths: f32x4, least: f32, most: f32) -> f32x4 {
    let [least, most] = [f32x4::splat(least), f32x4::splat(most)];
    let depths = depths.simd_gt(least).select(depths, least);
    depths.simd_lt(most).select(depths, most)
}

/// The texels of a depth buffer that a tile has.
fn part(texture: &Texture, corner: [i32; 2]) -> TexelBox {
    let [x, y] = corner.map(|place| place as u32);
    let (shape, most) = (texture.shape(), SIZE as u32);
    let extents = [(shape.width - x).min(most), (shape.height - y).min(most), 1];
    TexelBox { origin: [x, y, 0], extents, ..TexelBox::default() }
}
