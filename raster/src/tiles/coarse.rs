//! Rejects pixels by hierarchical depth: an upper bound of the depth in each square of a tile. Anything farther fails
//! the depth test everywhere, and need not be tested pixel by pixel.
//!
//! A bound may be too high, never too low: only comparisons that let nearer pixels pass keep it, and all others make it
//! unknown. It is recomputed on demand after many writes, or after many queries since a write, so that this costs less
//! than it may save.

use brolga_ir::pipeline::state::{Comparison, DepthTest, StencilFace, StencilOp, StencilTest};
use wide::u32x4;

use crate::setup::shape::Bounds;
use crate::tiles::quad::TILE_QUADS;

/// Width and height of a square in pixels.
pub const SIZE: i32 = 8;

/// Squares along one dimension of a tile.
const TILE_SQUARES: usize = 2 * TILE_QUADS / SIZE as usize;

/// Quads along one dimension of a square.
const SQUARE_QUADS: usize = SIZE as usize / 2;

/// Writes and queries of a square before its bound is recomputed: about as many as that costs.
const MANY: u8 = 8;

/// The depth bounds of a tile. Far and near are swapped if greater depths pass.
pub struct Coarse {
    /// All ones if greater depths pass: XORed with it, codes grow with the distance either way.
    flip: u32,
    /// The codes that fail for sure, relative to the bound; `None` if unknown.
    fails: Option<Fails>,
    /// The maximum of each square's codes, XORed with `flip`.
    most: [u32; TILE_SQUARES * TILE_SQUARES],
    /// Writes to each square since its bound was computed, and after the first of them queries that were not rejected.
    passed: [u8; TILE_SQUARES * TILE_SQUARES],
}

/// The codes that fail.
#[derive(Clone, Copy)]
enum Fails {
    /// Those above the bound.
    Farther,
    /// The bound too.
    FartherOrEqual,
}

impl Default for Coarse {
    fn default() -> Self {
        Self {
            flip: 0,
            fails: None,
            most: [u32::MAX; TILE_SQUARES * TILE_SQUARES],
            passed: [u8::MAX; TILE_SQUARES * TILE_SQUARES],
        }
    }
}

impl Coarse {
    /// Resets all bounds to unknown.
    pub fn forget(&mut self) {
        *self = Self { flip: self.flip, ..Self::default() };
    }

    /// Begins a draw.
    pub fn begin(&mut self, how: &DepthTest) {
        let (flip, fails) = match how.test {
            Comparison::Less => (0, Fails::FartherOrEqual),
            Comparison::LessEqual => (0, Fails::Farther),
            Comparison::Greater => (u32::MAX, Fails::FartherOrEqual),
            Comparison::GreaterEqual => (u32::MAX, Fails::Farther),
            // A passing depth changes nothing.
            Comparison::Equal => (self.flip, Fails::Farther),
            Comparison::Never | Comparison::NotEqual | Comparison::Always => {
                if how.writes {
                    self.forget();
                }
                self.fails = None;
                return;
            }
        };
        if flip != self.flip {
            *self = Self { flip, ..Self::default() };
        }
        self.fails = Some(fails).filter(|_| !how.stencil.as_ref().is_some_and(changes_hidden));
    }

    /// `Some(true)` if greater depths are nearer; `None` if nothing fails for sure.
    pub fn greater_is_nearer(&self) -> Option<bool> {
        self.fails.map(|_| self.flip != 0)
    }

    /// Counts a write to a quad.
    #[inline(always)]
    pub fn write(&mut self, [x, y]: [usize; 2]) {
        let passed =
            &mut self.passed[y / SIZE as usize % TILE_SQUARES * TILE_SQUARES + x / SIZE as usize % TILE_SQUARES];
        *passed = passed.saturating_add(1);
    }

    /// `true` if a code fails at every pixel of an area within one tile, whose codes are given by quads.
    #[inline(always)]
    pub fn hides(&mut self, code: u32, area: &Bounds, codes: &[[u32x4; TILE_QUADS]]) -> bool {
        let Some(fails) = self.fails else { return false };
        let code = code ^ self.flip;
        let is_beyond = |most: u32| match fails {
            Fails::Farther => code > most,
            Fails::FartherOrEqual => code >= most,
        };
        let square = |pixel: i32| (pixel / SIZE) as usize % TILE_SQUARES;
        // Loops are inlined; closures over ranges are not.
        for row in square(area.top)..=square(area.bottom - 1) {
            for column in square(area.left)..=square(area.right - 1) {
                let number = row * TILE_SQUARES + column;
                if is_beyond(self.most[number]) {
                    continue;
                }
                let passed = &mut self.passed[number];
                *passed = passed.saturating_add(u8::from(*passed > 0));
                if *passed < MANY || !is_beyond(self.bound([column, row], codes)) {
                    return false;
                }
            }
        }
        true
    }

    /// Recomputes the bound of a square.
    fn bound(&mut self, [column, row]: [usize; 2], codes: &[[u32x4; TILE_QUADS]]) -> u32 {
        let mut most = u32x4::ZERO;
        // Samples are as many tiles of quads.
        for codes in codes.chunks_exact(TILE_QUADS) {
            for quads in codes.iter().skip(row * SQUARE_QUADS).take(SQUARE_QUADS) {
                for &quad in &quads[column * SQUARE_QUADS..][..SQUARE_QUADS] {
                    most = most.max(quad ^ u32x4::splat(self.flip));
                }
            }
        }
        let most = most.to_array().into_iter().fold(0, u32::max);
        let number = row * TILE_SQUARES + column;
        (self.most[number], self.passed[number]) = (most, 0);
        most
    }
}

/// `true` if a failed depth test may change the stencil.
fn changes_hidden(test: &StencilTest) -> bool {
    let changes = |face: &StencilFace| [face.fail, face.depth_fail] != [StencilOp::Keep; 2];
    test.write_mask != 0 && (changes(&test.front) || changes(&test.back))
}
