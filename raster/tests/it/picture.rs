//! Counts how often each pixel of a window is covered.

use brolga_raster::setup::shape::edge::Bounds;

/// Width and height of a window in pixels.
pub const WINDOW: i32 = 64;

/// Pixels of a window.
#[derive(PartialEq)]
pub struct Picture {
    /// Its first pixel.
    pub corner: [i32; 2],
    /// The coverage count of each, row by row.
    pub counts: Vec<u8>,
}

impl Picture {
    /// An empty window.
    pub fn new(corner: [i32; 2]) -> Self {
        Self { corner, counts: vec![0; (WINDOW * WINDOW) as usize] }
    }

    /// Covers a pixel.
    pub fn add(&mut self, [x, y]: [i32; 2]) {
        let [x, y] = [x - self.corner[0], y - self.corner[1]];
        assert!((0..WINDOW).contains(&x) && (0..WINDOW).contains(&y), "({x}, {y}) is not in the window");
        self.counts[(y * WINDOW + x) as usize] += 1;
    }

    /// Covers the pixels of a mask with four bits per quad, `across` quads in a row.
    pub fn add_quads(&mut self, corner: [i32; 2], quads: u64, across: i32) {
        for bit in (0..64).filter(|bit| quads >> bit & 1 != 0) {
            let (quad, pixel) = (bit / 4, bit % 4);
            self.add([corner[0] + quad % across * 2 + pixel % 2, corner[1] + quad / across * 2 + pixel / 2]);
        }
    }
}

/// A window as a rectangle.
pub fn window(corner: [i32; 2]) -> Bounds {
    Bounds { left: corner[0], top: corner[1], right: corner[0] + WINDOW, bottom: corner[1] + WINDOW }
}
