//! Tests depth and stencil before shading, quad by quad in primitive order (functional specification, 17.10 to 17.12).

use std::ops::Range;

use brolga_ir::pipeline::state::{Comparison, DepthFormat, DepthTest, StencilOp, StencilTest};
use brolga_runtime::ResourceError;
use wide::{f32x4, u32x4};

use crate::setup::bins::TILE_SIZE;
use crate::setup::shape::plane::{DEPTH, Local};
use crate::setup::shape::{Bounds, SampleExtent};
use crate::tiles::coarse::Coarse;
use crate::tiles::quad::{Coverage, TILE_QUADS};
use crate::tiles::targets::DepthTarget;

/// Width and height of a tile in pixels.
const SIZE: usize = TILE_SIZE as usize;

/// Encodes clamped depths as integers of the same order.
#[inline(always)]
fn codes(format: DepthFormat, depths: f32x4) -> u32x4 {
    match format {
        DepthFormat::D16 => bytemuck::cast((depths * 65535.0 + f32x4::splat(0.5)).fast_trunc_int()),
        DepthFormat::D24 => {
            // Written out: closures are not inlined into functions for an instruction set.
            let [a, b, c, d] = depths.to_array();
            u32x4::new([code_of_24_bits(a), code_of_24_bits(b), code_of_24_bits(c), code_of_24_bits(d)])
        }
        // Depths are never negative, so their bits are ordered. NaN was clamped away.
        DepthFormat::D32 | DepthFormat::D32S8 => bytemuck::cast(depths),
    }
}

/// The product is exact in doubles.
#[inline(always)]
fn code_of_24_bits(depth: f32) -> u32 {
    // Never negative: a signed conversion takes one instruction.
    (f64::from(depth) * 16_777_215.0 + 0.5) as i64 as u32
}

/// The depth and stencil of a tile, while it is drawn.
#[derive(Default)]
pub struct Tile {
    /// The format of the depth buffer, if the tile is loaded.
    format: Option<DepthFormat>,
    /// Depth codes, quad by quad: upper left, upper right, lower left, lower right; then those of further samples.
    depths: Vec<[u32x4; TILE_QUADS]>,
    /// Stencils likewise, if there are any.
    stencils: Vec<[u32x4; TILE_QUADS]>,
    /// The hierarchical depth of its squares.
    coarse: Coarse,
    is_changed: bool,
    /// Rows of the depth buffer: words, pairs of words, or half words per texel.
    words: Vec<[u32; SIZE]>,
    pairs: Vec<[[u32; 2]; SIZE]>,
    halves: Vec<[u16; SIZE]>,
}

/// The inputs of a quad's tests.
#[derive(Clone, Copy, Debug)]
pub struct QuadTest {
    /// The quad's position in its tile; both coordinates even. Further samples are as many tiles further down.
    pub position: [usize; 2],
    /// The depths of its pixels, without denormals.
    pub depths: f32x4,
    /// The covered pixels.
    pub coverage: Coverage,
    /// `true` if the primitive is front-facing.
    pub is_front: bool,
    /// The depth range of the viewport.
    pub range: [f32; 2],
    /// The stencil reference.
    pub reference: u32,
}

impl Tile {
    /// `true` if a tile is loaded.
    pub fn is_loaded(&self) -> bool {
        self.format.is_some()
    }

    /// Loads a tile of a depth buffer's layer, unless it is loaded.
    pub fn load(&mut self, buffer: &DepthTarget, corner: [i32; 2], layer: u32) -> Result<(), ResourceError> {
        if self.format.is_some() {
            return Ok(());
        }
        let format = buffer.format;
        self.resize(buffer.samples as usize);
        for (sample, rows) in self.planes() {
            let (texture, part) = (&buffer.texture, buffer.part(corner, layer, sample, SIZE as u32)?);
            let pitch = Some(SIZE as u64 * u64::from(texture.shape().format.size_bytes()));
            match format {
                DepthFormat::D16 => {
                    self.halves.resize(SIZE, [0; SIZE]);
                    texture.read(&part, self.halves.as_flattened_mut(), pitch)?;
                    split(&mut self.depths[rows], &self.halves, |half| half.into());
                }
                DepthFormat::D32 => {
                    self.words.resize(SIZE, [0; SIZE]);
                    texture.read(&part, self.words.as_flattened_mut(), pitch)?;
                    split(&mut self.depths[rows], &self.words, |word| word);
                }
                DepthFormat::D24 => {
                    self.words.resize(SIZE, [0; SIZE]);
                    texture.read(&part, self.words.as_flattened_mut(), pitch)?;
                    split(&mut self.depths[rows.clone()], &self.words, |word| word & 0xff_ffff);
                    split(&mut self.stencils[rows], &self.words, |word| word >> 24);
                }
                DepthFormat::D32S8 => {
                    self.pairs.resize(SIZE, [[0; 2]; SIZE]);
                    texture.read(&part, self.pairs.as_flattened_mut(), pitch)?;
                    split(&mut self.depths[rows.clone()], &self.pairs, |[depth, _]| depth);
                    split(&mut self.stencils[rows], &self.pairs, |[_, stencil]| stencil & 0xff);
                }
            }
        }
        (self.format, self.is_changed) = (Some(format), false);
        self.coarse.forget();
        Ok(())
    }

    /// Makes room for a number of samples.
    fn resize(&mut self, samples: usize) {
        let rows = samples * TILE_QUADS;
        for quads in [&mut self.depths, &mut self.stencils] {
            quads.resize(rows, [u32x4::ZERO; TILE_QUADS]);
        }
    }

    /// The samples, with the rows of quads of each.
    fn planes(&self) -> impl Iterator<Item = (u32, Range<usize>)> + use<> {
        let count = self.depths.len() / TILE_QUADS;
        (0..count).map(|sample| (sample as u32, sample * TILE_QUADS..(sample + 1) * TILE_QUADS))
    }

    /// Loads a tile of zeros, without a depth buffer.
    pub fn blank(&mut self, format: DepthFormat, samples: usize) {
        self.depths.clear();
        self.stencils.clear();
        self.resize(samples);
        (self.format, self.is_changed) = (Some(format), false);
        self.coarse.forget();
    }

    /// The depth code of a pixel, if a tile is loaded.
    pub fn code(&self, pixel: [usize; 2]) -> u32 {
        at(&self.depths, pixel)
    }

    /// Its stencil, likewise, if there are any.
    pub fn stencil(&self, pixel: [usize; 2]) -> u8 {
        at(&self.stencils, pixel) as u8
    }

    /// Stores the tile, if it is loaded, and unloads it.
    pub fn store(&mut self, buffer: &DepthTarget, corner: [i32; 2], layer: u32) -> Result<(), ResourceError> {
        let Some(format) = self.format.take().filter(|_| self.is_changed) else { return Ok(()) };
        for (sample, rows) in self.planes() {
            let (texture, part) = (&buffer.texture, buffer.part(corner, layer, sample, SIZE as u32)?);
            let pitch = Some(SIZE as u64 * u64::from(texture.shape().format.size_bytes()));
            match format {
                DepthFormat::D16 => {
                    merge(&mut self.halves, &self.depths[rows], |half, code| *half = code as u16);
                    texture.write(&part, self.halves.as_flattened(), pitch)?;
                }
                DepthFormat::D32 => {
                    merge(&mut self.words, &self.depths[rows], |word, code| *word = code);
                    texture.write(&part, self.words.as_flattened(), pitch)?;
                }
                DepthFormat::D24 => {
                    merge(&mut self.words, &self.depths[rows.clone()], |word, code| *word = code);
                    merge(&mut self.words, &self.stencils[rows], |word, stencil| *word |= stencil << 24);
                    texture.write(&part, self.words.as_flattened(), pitch)?;
                }
                DepthFormat::D32S8 => {
                    if self.depths.len() > TILE_QUADS {
                        // What is left of the words is that of the last sample.
                        texture.read(&part, self.pairs.as_flattened_mut(), pitch)?;
                    }
                    merge(&mut self.pairs, &self.depths[rows.clone()], |[depth, _], code| *depth = code);
                    merge(&mut self.pairs, &self.stencils[rows], |[_, word], stencil| *word = *word & !0xff | stencil);
                    texture.write(&part, self.pairs.as_flattened(), pitch)?;
                }
            }
        }
        Ok(())
    }

    /// Begins the tests of a draw.
    pub fn begin(&mut self, how: &DepthTest) {
        self.coarse.begin(how);
    }

    /// `true` if all pixels of an area of the tile are known to fail the draw's depth test without any effect. Their
    /// depths are given by planes around a pixel.
    #[inline(always)]
    pub fn is_hidden(&mut self, local: &Local, origin: [i32; 2], area: &Bounds, range: [f32; 2]) -> bool {
        self.hides(area, range, |greater_is_nearer| local.extreme(DEPTH, origin, area, greater_is_nearer))
    }

    /// The same of all samples of the area's pixels.
    #[inline(always)]
    pub fn is_hidden_by_samples(
        &mut self,
        local: &Local,
        origin: [i32; 2],
        area: &Bounds,
        range: [f32; 2],
        extent: &SampleExtent,
    ) -> bool {
        self.hides(area, range, |greater_is_nearer| {
            local.extreme_of_samples(DEPTH, origin, area, greater_is_nearer, extent)
        })
    }

    /// `true` if the nearest depth in an area, found by a function, is known to fail there.
    #[inline(always)]
    fn hides(&mut self, area: &Bounds, range: [f32; 2], nearest: impl FnOnce(bool) -> Option<f32>) -> bool {
        let (Some(format), Some(greater_is_nearer)) = (self.format, self.coarse.greater_is_nearer()) else {
            return false;
        };
        let Some(nearest) = nearest(greater_is_nearer) else { return false };
        let [code, ..] = codes(format, clamp(f32x4::splat(nearest), range)).to_array();
        self.coarse.hides(code, area, &self.depths)
    }

    /// Tests a quad; returns the pixels that pass. Without a tile all do.
    #[inline(always)]
    pub fn test(&mut self, how: &DepthTest, tested: &QuadTest) -> Coverage {
        let &QuadTest { position: [x, y], depths, coverage, .. } = tested;
        let Some(format) = self.format else { return coverage };
        let covered = coverage.mask();
        let quad = &mut self.depths[y / 2][x / 2 % TILE_QUADS];
        let code = codes(format, clamp(depths, tested.range));
        let mut passes = compare(how.test, code, *quad) & covered;
        if let Some(test) = &how.stencil {
            let stencils = &mut self.stencils[y / 2][x / 2 % TILE_QUADS];
            let (left, new) = stencil(test, tested, passes, covered, *stencils);
            self.is_changed |= *stencils != new;
            (*stencils, passes) = (new, left);
        }
        let left = Coverage::of_mask(passes);
        if how.writes && !left.is_empty() {
            *quad = passes.bitselect(code, *quad);
            self.is_changed = true;
            self.coarse.write([x, y]);
        }
        left
    }
}

/// Tests and updates the stencils of a quad, given the pixels that pass the depth test; returns the pixels that pass
/// both, and the new stencils (functional specification, 17.12).
#[inline(always)]
fn stencil(test: &StencilTest, tested: &QuadTest, passes: u32x4, covered: u32x4, old: u32x4) -> (u32x4, u32x4) {
    let face = if tested.is_front { test.front } else { test.back };
    let (reference, read) = (u32x4::splat(tested.reference), u32x4::splat(test.read_mask.into()));
    let is_kept = compare(face.test, reference & read, old & read) & covered;
    let pass = updated(face.pass, old, reference);
    let depth_fail = updated(face.depth_fail, old, reference);
    let new = is_kept.bitselect(passes.bitselect(pass, depth_fail), updated(face.fail, old, reference));
    let written = covered & u32x4::splat(test.write_mask.into());
    (passes & is_kept, written.bitselect(new, old))
}

/// Stencils after an operation.
#[inline(always)]
fn updated(op: StencilOp, old: u32x4, reference: u32x4) -> u32x4 {
    let (one, most) = (u32x4::splat(1), u32x4::splat(0xff));
    match op {
        StencilOp::Keep => old,
        StencilOp::Zero => u32x4::ZERO,
        StencilOp::Replace => reference & most,
        StencilOp::IncrementSaturated => (old + one).min(most),
        StencilOp::DecrementSaturated => old.max(one) - one,
        StencilOp::Invert => old ^ most,
        StencilOp::Increment => (old + one) & most,
        StencilOp::Decrement => (old + most) & most,
    }
}

/// All ones where the comparison holds.
#[inline(always)]
fn compare(how: Comparison, new: u32x4, old: u32x4) -> u32x4 {
    match how {
        Comparison::Never => u32x4::ZERO,
        Comparison::Less => new.simd_lt(old),
        Comparison::Equal => new.simd_eq(old),
        Comparison::LessEqual => !new.simd_gt(old),
        Comparison::Greater => new.simd_gt(old),
        Comparison::NotEqual => !new.simd_eq(old),
        Comparison::GreaterEqual => !new.simd_lt(old),
        Comparison::Always => u32x4::MAX,
    }
}

/// The value of a pixel.
fn at(quads: &[[u32x4; TILE_QUADS]], [x, y]: [usize; 2]) -> u32 {
    quads.get(y / 2).map_or(0, |row| row[x / 2 % TILE_QUADS].to_array()[y % 2 * 2 + x % 2])
}

/// Splits rows of texels into quads of one component.
fn split<T: Copy>(quads: &mut [[u32x4; TILE_QUADS]], rows: &[[T; SIZE]], number: impl Fn(T) -> u32) {
    for (quads, [upper, lower]) in quads.iter_mut().zip(rows.as_chunks().0) {
        for (n, quad) in quads.iter_mut().enumerate() {
            let [left, right] = [2 * n, 2 * n + 1];
            *quad = u32x4::new([number(upper[left]), number(upper[right]), number(lower[left]), number(lower[right])]);
        }
    }
}

/// Merges the values of quads into rows of texels.
fn merge<T>(rows: &mut [[T; SIZE]], quads: &[[u32x4; TILE_QUADS]], put: impl Fn(&mut T, u32)) {
    for (quads, [upper, lower]) in quads.iter().zip(rows.as_chunks_mut().0) {
        for (n, quad) in quads.iter().enumerate() {
            let [a, b, c, d] = quad.to_array();
            put(&mut upper[2 * n], a);
            put(&mut upper[2 * n + 1], b);
            put(&mut lower[2 * n], c);
            put(&mut lower[2 * n + 1], d);
        }
    }
}

/// Clamps depths to the viewport's range as shaders do: NaN becomes the minimum.
#[inline(always)]
fn clamp(depths: f32x4, [least, most]: [f32; 2]) -> f32x4 {
    let (least, most) = (f32x4::splat(least), f32x4::splat(most));
    let depths = depths.simd_gt(least).select(depths, least);
    depths.simd_lt(most).select(depths, most)
}
