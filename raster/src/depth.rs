//! The depth test before shading, quad by quad in the order of primitives (functional specification, 17.10 to 17.12).

use brolga_ir::pipeline::state::{Comparison, DepthFormat, DepthTest};
use brolga_runtime::{ResourceError, TexelBox, Texture};

use crate::{plane, tile};

/// Pixels along a side of a tile.
const SIZE: usize = tile::SIZE as usize;

/// What is compared: numbers that grow with the depths. Depths are clamped before.
fn codes(format: DepthFormat, depths: [f32; 4]) -> [u32; 4] {
    match format {
        DepthFormat::D16 => depths.map(|depth| (depth * 65535.0 + 0.5) as u32),
        // A double has room for the product.
        DepthFormat::D24 => depths.map(|depth| (f64::from(depth) * 16_777_215.0 + 0.5) as u32),
        // Depths are never negative, so that their bits grow with them. NaN was clamped away.
        DepthFormat::D32 => depths.map(f32::to_bits),
    }
}

/// For which of four numbers a comparison with four others holds, a bit each.
fn passes(test: Comparison, new: [u32; 4], old: [u32; 4]) -> u32 {
    /// The comparison is chosen once, not number by number.
    fn bits(new: [u32; 4], old: [u32; 4], holds: impl Fn(u32, u32) -> bool) -> u32 {
        (0..4).fold(0, |bits, n| bits | u32::from(holds(new[n], old[n])) << n)
    }
    match test {
        Comparison::Never => 0,
        Comparison::Less => bits(new, old, |new, old| new < old),
        Comparison::Equal => bits(new, old, |new, old| new == old),
        Comparison::LessEqual => bits(new, old, |new, old| new <= old),
        Comparison::Greater => bits(new, old, |new, old| new > old),
        Comparison::NotEqual => bits(new, old, |new, old| new != old),
        Comparison::GreaterEqual => bits(new, old, |new, old| new >= old),
        Comparison::Always => 15,
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

    /// Tests a quad of depths at a place of the tile; returns the pixels that are left of its coverage.
    pub fn test(
        &mut self,
        how: DepthTest,
        [x, y]: [usize; 2],
        depths: [f32; 4],
        [least, most]: [f32; 2],
        coverage: u32,
    ) -> u32 {
        let clamped = depths.map(|depth| {
            let depth = plane::normal(depth);
            // NaN becomes the least depth.
            let depth = if depth > least { depth } else { least };
            if depth < most { depth } else { most }
        });
        let codes = codes(self.format, clamped);
        let mask = if self.format == DepthFormat::D24 { 0xff_ffff } else { u32::MAX };
        let [upper, lower] = &mut self.words[y..y + 2] else { unreachable!("quads begin in even rows") };
        let ([upper_left, upper_right], [lower_left, lower_right]) = (&mut upper[x..x + 2], &mut lower[x..x + 2])
        else {
            unreachable!("and in even columns")
        };
        let words = [upper_left, upper_right, lower_left, lower_right];
        let old = [0, 1, 2, 3].map(|n| *words[n]);
        let left = coverage & passes(how.test, codes, old.map(|word| word & mask));
        if how.writes && left != 0 {
            self.is_changed = true;
            for (n, word) in words.into_iter().enumerate() {
                if left >> n & 1 != 0 {
                    *word = old[n] & !mask | codes[n];
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
