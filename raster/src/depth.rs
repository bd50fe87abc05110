//! The depth test before shading, quad by quad in the order of primitives (functional specification, 17.10 to 17.12).

use brolga_ir::pipeline::state::{Comparison, DepthFormat, DepthTest};
use brolga_runtime::{ResourceError, TexelBox, Texture};

use crate::tile;

/// Pixels along a side of a tile.
const SIZE: usize = tile::SIZE as usize;

/// What is compared: a number that grows with the depth. Depths are clamped before.
#[inline(always)]
fn code(format: DepthFormat, depth: f32) -> u32 {
    match format {
        DepthFormat::D16 => (depth * 65535.0 + 0.5) as u32,
        // A double has room for the product.
        DepthFormat::D24 => (f64::from(depth) * 16_777_215.0 + 0.5) as u32,
        // Depths are never negative, so that their bits grow with them. NaN was clamped away.
        DepthFormat::D32 => depth.to_bits(),
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
    quads: Vec<[[u32; 4]; QUADS]>,
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
        self.quads.resize(QUADS, [[0; 4]; QUADS]);
        for (quads, [upper, lower]) in self.quads.iter_mut().zip(self.rows.as_chunks().0) {
            for (n, quad) in quads.iter_mut().enumerate() {
                *quad = [upper[2 * n], upper[2 * n + 1], lower[2 * n], lower[2 * n + 1]];
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
                [upper[2 * n], upper[2 * n + 1], lower[2 * n], lower[2 * n + 1]] = *quad;
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
        depths: [f32; 4],
        [least, most]: [f32; 2],
        coverage: u32,
    ) -> u32 {
        let Some(format) = self.format else { return coverage };
        let quad = &mut self.quads[y / 2][x / 2 % QUADS];
        // NaN becomes the least depth.
        let code = |n: usize| code(format, clamp(depths[n], least, most));
        let codes = [code(0), code(1), code(2), code(3)];
        let mask = if format == DepthFormat::D24 { 0xff_ffff } else { u32::MAX };
        let before = [quad[0] & mask, quad[1] & mask, quad[2] & mask, quad[3] & mask];
        let passes = match how.test {
            Comparison::Never => [0; 4],
            Comparison::Less => where_each(codes, before, |code, before| code < before),
            Comparison::Equal => where_each(codes, before, |code, before| code == before),
            Comparison::LessEqual => where_each(codes, before, |code, before| code <= before),
            Comparison::Greater => where_each(codes, before, |code, before| code > before),
            Comparison::NotEqual => where_each(codes, before, |code, before| code != before),
            Comparison::GreaterEqual => where_each(codes, before, |code, before| code >= before),
            Comparison::Always => [u32::MAX; 4],
        };
        let bits = (passes[0] & 1) | (passes[1] & 2) | (passes[2] & 4) | (passes[3] & 8);
        let left = coverage & bits;
        if how.writes && left != 0 {
            for (n, word) in quad.iter_mut().enumerate() {
                let written = passes[n] & PIXELS[coverage as usize % 16][n] & mask;
                *word = *word & !written | codes[n] & written;
            }
            self.is_changed = true;
        }
        left
    }
}

/// All ones for each pixel of a quad that a condition holds for, else 0.
#[inline(always)]
fn where_each(codes: [u32; 4], before: [u32; 4], holds: impl Fn(u32, u32) -> bool) -> [u32; 4] {
    let each = |n: usize| if holds(codes[n], before[n]) { u32::MAX } else { 0 };
    [each(0), each(1), each(2), each(3)]
}

/// The pixels of each coverage, likewise.
const PIXELS: [[u32; 4]; 16] = {
    let mut pixels = [[0; 4]; 16];
    let mut n = 0;
    while n < 64 {
        pixels[n / 4][n % 4] = if n / 4 >> (n % 4) & 1 != 0 { u32::MAX } else { 0 };
        n += 1;
    }
    pixels
};

/// Clamps a depth to those of the viewport as shaders do: NaN becomes the least.
#[inline(always)]
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
