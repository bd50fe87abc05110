//! Hierarchical depth: how far away the farthest pixel of each square of a tile is, at most. What is farther than that fails the depth test
//! everywhere, and need not be tested pixel by pixel.
//!
//! A bound may be too high, never too low: only comparisons that let nearer pixels pass keep it, and all others make it unknown. It is
//! found anew when it is asked for after many quads were written, or after it was asked for many times since one was, so that finding it
//! costs less than what it may save.

use brolga_ir::pipeline::state::{Comparison, DepthTest, StencilFace, StencilOp, StencilTest};
use wide::u32x4;

use crate::setup::shape::Bounds;
use crate::tiles::quad::TILE_QUADS;

/// Pixels along a side of a square.
pub const SIZE: i32 = 8;

/// Squares along a side of a tile.
const ACROSS: usize = 2 * TILE_QUADS / SIZE as usize;

/// Quads along a side of a square.
const SIDE: usize = SIZE as usize / 2;

/// Quads and questions of a square after which its bound is found anew: about as many as that costs.
const MANY: u8 = 8;

/// The bounds of a tile. What is said of far and near is the other way round where greater depths pass.
pub struct Coarse {
    /// All ones where greater depths pass: with their bits turned, codes grow with the distance either way.
    turn: u32,
    /// Which codes fail, of those with a bound; none does for sure, if it does not say.
    fails: Option<Fails>,
    /// What the codes of a square are at most, with their bits turned.
    most: [u32; ACROSS * ACROSS],
    /// Quads that were written in each since that was found, and what was not hidden after the first of them.
    passed: [u8; ACROSS * ACROSS],
}

/// Which codes fail.
#[derive(Clone, Copy)]
enum Fails {
    /// Those beyond the bound.
    Farther,
    /// The bound, too.
    FartherOrEqual,
}

impl Default for Coarse {
    fn default() -> Self {
        Self { turn: 0, fails: None, most: [u32::MAX; ACROSS * ACROSS], passed: [u8::MAX; ACROSS * ACROSS] }
    }
}

impl Coarse {
    /// Forgets everything: depths may be any.
    pub fn forget(&mut self) {
        *self = Self { turn: self.turn, ..Self::default() };
    }

    /// Begins a draw.
    pub fn begin(&mut self, how: &DepthTest) {
        let (turn, fails) = match how.test {
            Comparison::Less => (0, Fails::FartherOrEqual),
            Comparison::LessEqual => (0, Fails::Farther),
            Comparison::Greater => (u32::MAX, Fails::FartherOrEqual),
            Comparison::GreaterEqual => (u32::MAX, Fails::Farther),
            // What passes leaves everything as it is.
            Comparison::Equal => (self.turn, Fails::Farther),
            Comparison::Never | Comparison::NotEqual | Comparison::Always => {
                if how.writes {
                    self.forget();
                }
                self.fails = None;
                return;
            }
        };
        if turn != self.turn {
            *self = Self { turn, ..Self::default() };
        }
        self.fails = Some(fails).filter(|_| !how.stencil.as_ref().is_some_and(changes_hidden));
    }

    /// Whether greater depths are nearer; none if nothing is known to fail.
    pub fn is_turned(&self) -> Option<bool> {
        self.fails.map(|_| self.turn != 0)
    }

    /// Notes that a quad was written.
    #[inline(always)]
    pub fn write(&mut self, [x, y]: [usize; 2]) {
        let passed = &mut self.passed[y / SIZE as usize % ACROSS * ACROSS + x / SIZE as usize % ACROSS];
        *passed = passed.saturating_add(1);
    }

    /// Whether a code fails at every pixel of an area, which lies in one tile, whose codes are given by quads.
    #[inline(always)]
    pub fn hides(&mut self, code: u32, area: &Bounds, codes: &[[u32x4; TILE_QUADS]]) -> bool {
        let Some(fails) = self.fails else { return false };
        let code = code ^ self.turn;
        let is_beyond = |most: u32| match fails {
            Fails::Farther => code > most,
            Fails::FartherOrEqual => code >= most,
        };
        let square = |pixel: i32| (pixel / SIZE) as usize % ACROSS;
        // Loops are inlined where functions of ranges are not.
        for row in square(area.top)..=square(area.bottom - 1) {
            for column in square(area.left)..=square(area.right - 1) {
                let number = row * ACROSS + column;
                if is_beyond(self.most[number]) {
                    continue;
                }
                let passed = &mut self.passed[number];
                *passed = passed.saturating_add(u8::from(*passed > 0));
                if *passed < MANY || !is_beyond(self.find([column, row], codes)) {
                    return false;
                }
            }
        }
        true
    }

    /// Finds the bound of a square anew.
    fn find(&mut self, [column, row]: [usize; 2], codes: &[[u32x4; TILE_QUADS]]) -> u32 {
        let mut most = u32x4::ZERO;
        for quads in codes.iter().skip(row * SIDE).take(SIDE) {
            for &quad in &quads[column * SIDE..][..SIDE] {
                most = most.max(quad ^ u32x4::splat(self.turn));
            }
        }
        let most = most.to_array().into_iter().fold(0, u32::max);
        let number = row * ACROSS + column;
        (self.most[number], self.passed[number]) = (most, 0);
        most
    }
}

/// Whether what fails the depth test may change stencils.
fn changes_hidden(test: &StencilTest) -> bool {
    let changes = |face: &StencilFace| [face.fail, face.depth_fail] != [StencilOp::Keep; 2];
    test.write_mask != 0 && (changes(&test.front) || changes(&test.back))
}
