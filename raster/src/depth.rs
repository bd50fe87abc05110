//! The depth test before shading, quad by quad in the order of primitives (functional specification, 17.10 to 17.12).

use brolga_runtime::{Comparison, ResourceError, TexelBox, Texture};

use crate::tile;

/// Pixels along a side of a tile.
const SIZE: usize = tile::SIZE as usize;

/// How pixels are held against what the depth buffer has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Depth {
    /// Which pixels pass: a new depth is compared with the one in the buffer.
    pub test: Comparison,
    /// Whether those that pass are written.
    pub writes: bool,
}

impl Depth {
    /// What neither fails nor changes anything.
    pub const ALWAYS: Self = Self { test: Comparison::Always, writes: false };
}

/// How depths lie in memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    /// 16 bits of fixed point.
    D16,
    /// 24 bits of fixed point; the upper 8 bits of the word are others'.
    D24,
    /// Floats.
    D32,
}

impl Format {
    /// What is compared: a number that grows with the depth. Depths are clamped before.
    fn code(self, depth: f32) -> u32 {
        match self {
            Format::D16 => (depth * 65535.0 + 0.5) as u32,
            // A double has room for the product.
            Format::D24 => (f64::from(depth) * 16_777_215.0 + 0.5) as u32,
            // Depths are never negative, so that their bits grow with them. NaN was clamped away.
            Format::D32 => depth.to_bits(),
        }
    }
}

/// The depths of a tile, while it is drawn.
pub struct Tile {
    format: Format,
    /// Words as they lie in memory, row by row.
    words: Box<[[u32; SIZE]; SIZE]>,
    is_changed: bool,
}

impl Tile {
    /// Reads a tile of a depth buffer: its most detailed level, its first layer.
    pub fn load(texture: &Texture, format: Format, corner: [i32; 2]) -> Result<Self, ResourceError> {
        let mut words = Box::new([[0; SIZE]; SIZE]);
        let part = part(texture, corner);
        match format {
            Format::D16 => {
                let mut codes = [[0_u16; SIZE]; SIZE];
                texture.read(&part, codes.as_flattened_mut(), Some(2 * SIZE as u64))?;
                *words = codes.map(|row| row.map(u32::from));
            }
            Format::D24 | Format::D32 => texture.read(&part, words.as_flattened_mut(), Some(4 * SIZE as u64))?,
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
            Format::D16 => {
                let codes = self.words.map(|row| row.map(|code| code as u16));
                texture.write(&part, codes.as_flattened(), Some(2 * SIZE as u64))
            }
            Format::D24 | Format::D32 => texture.write(&part, self.words.as_flattened(), Some(4 * SIZE as u64)),
        }
    }

    /// Tests a quad of depths at a place of the tile; returns the pixels that are left of its coverage.
    pub fn test(
        &mut self,
        how: Depth,
        [x, y]: [usize; 2],
        depths: [f32; 4],
        [least, most]: [f32; 2],
        coverage: u32,
    ) -> u32 {
        let mut left = 0;
        for (n, depth) in depths.into_iter().enumerate() {
            if coverage >> n & 1 == 0 {
                continue;
            }
            let word = &mut self.words[y + n / 2][x + n % 2];
            let mask = if self.format == Format::D24 { 0xff_ffff } else { u32::MAX };
            // The order of the operands makes NaN the least depth.
            let code = self.format.code(depth.max(least).min(most));
            if how.test.holds(code, *word & mask) {
                left |= 1 << n;
                if how.writes {
                    *word = *word & !mask | code;
                    self.is_changed = true;
                }
            }
        }
        left
    }
}

/// The texels of a depth buffer that a tile has.
fn part(texture: &Texture, corner: [i32; 2]) -> TexelBox {
    let [x, y] = corner.map(|place| place as u32);
    let (shape, most) = (texture.shape(), SIZE as u32);
    let extents = [(shape.width - x).min(most), (shape.height - y).min(most), 1];
    TexelBox { origin: [x, y, 0], extents, ..TexelBox::default() }
}
