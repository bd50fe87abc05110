//! The depth test before shading, quad by quad in the order of primitives (functional specification, 17.10 to 17.12).

use brolga_runtime::Buffer;

use crate::tile;

/// How pixels are held against what the depth buffer has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Depth {
    /// How depths lie in memory.
    pub format: Format,
    /// Which pixels pass.
    pub test: Comparison,
    /// Whether those that pass are written.
    pub writes: bool,
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

/// When a pixel passes: what it is to the one in the buffer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Comparison {
    /// Never.
    Never,
    /// Less.
    Less,
    /// Equal.
    Equal,
    /// Less or equal.
    LessEqual,
    /// Greater.
    Greater,
    /// Not equal.
    NotEqual,
    /// Greater or equal.
    GreaterEqual,
    /// Always.
    Always,
}

impl Format {
    fn size_bytes(self) -> usize {
        match self {
            Format::D16 => 2,
            Format::D24 | Format::D32 => 4,
        }
    }

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

impl Comparison {
    fn holds(self, new: u32, old: u32) -> bool {
        match self {
            Comparison::Never => false,
            Comparison::Less => new < old,
            Comparison::Equal => new == old,
            Comparison::LessEqual => new <= old,
            Comparison::Greater => new > old,
            Comparison::NotEqual => new != old,
            Comparison::GreaterEqual => new >= old,
            Comparison::Always => true,
        }
    }
}

/// The depths of a tile, while it is drawn.
pub struct Tile {
    depth: Depth,
    /// Words as they lie in memory, row by row.
    words: Box<[[u32; tile::SIZE as usize]; tile::SIZE as usize]>,
    is_changed: bool,
}

impl Tile {
    /// Reads a tile of a depth buffer of a size.
    pub fn load(buffer: &Buffer, depth: Depth, corner: [i32; 2], size: [u32; 2]) -> Self {
        let mut tile = Self { depth, words: Box::new([[0; 64]; 64]), is_changed: false };
        let bytes = depth.format.size_bytes();
        for (row, (offset, count)) in rows(corner, size, bytes).enumerate() {
            let mut line = [0_u8; 4 * tile::SIZE as usize];
            let line = &mut line[..count];
            // A range of the buffer itself.
            let _ = buffer.read(offset, line);
            for (word, bytes) in tile.words[row].iter_mut().zip(line.chunks_exact(bytes)) {
                *word = bytes.iter().rev().fold(0, |word, &byte| word << 8 | u32::from(byte));
            }
        }
        tile
    }

    /// Writes it back.
    pub fn store(&self, buffer: &Buffer, corner: [i32; 2], size: [u32; 2]) {
        if !self.is_changed {
            return;
        }
        let bytes = self.depth.format.size_bytes();
        for (row, (offset, count)) in rows(corner, size, bytes).enumerate() {
            let words = self.words[row].iter().take(count / bytes);
            let line: Vec<u8> = words.flat_map(|word| word.to_le_bytes().into_iter().take(bytes)).collect();
            let _ = buffer.write(offset, &line);
        }
    }

    /// Tests a quad of depths at a place of the tile; gives the pixels that are left of its coverage.
    pub fn test(&mut self, [x, y]: [usize; 2], depths: [f32; 4], [least, most]: [f32; 2], coverage: u32) -> u32 {
        let mut left = 0;
        for (n, depth) in depths.into_iter().enumerate() {
            if coverage >> n & 1 == 0 {
                continue;
            }
            let word = &mut self.words[y + n / 2][x + n % 2];
            let mask = if self.depth.format == Format::D24 { 0xff_ffff } else { u32::MAX };
            // The order of the operands makes NaN the least depth.
            let code = self.depth.format.code(depth.max(least).min(most));
            if self.depth.test.holds(code, *word & mask) {
                left |= 1 << n;
                if self.depth.writes {
                    *word = *word & !mask | code;
                    self.is_changed = true;
                }
            }
        }
        left
    }
}

/// Where the rows of a tile lie: the first byte, and how many there are.
fn rows([x, y]: [i32; 2], [width, height]: [u32; 2], bytes: usize) -> impl Iterator<Item = (u64, usize)> {
    let across = (width - x as u32).min(tile::SIZE as u32) as usize;
    let down = (height - y as u32).min(tile::SIZE as u32);
    let row_bytes = u64::from(width) * bytes as u64;
    (0..down).map(move |row| (u64::from(y as u32 + row) * row_bytes + x as u64 * bytes as u64, across * bytes))
}
