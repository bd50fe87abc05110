//! Checks results of sampling against the specification.
//!
//! | file | contents |
//! |---|---|
//! | `model.rs` | computes samples independently, in doubles and without fixed point |
//! | `filters.rs` | compares with the model |
//! | `rules.rs` | rules that a single example shows |
//! | `invariants.rs` | invariants of every texture and packet |
//! | `fast.rs` | fast paths beside the general one, and the samples that have them |
//! | `copied.rs` | the same with copies of compressed textures |

#[cfg(target_arch = "x86_64")]
mod copied;
#[cfg(target_arch = "x86_64")]
mod fast;
mod filters;
mod invariants;
mod model;
mod rules;

use std::sync::Arc;

use brolga_ir::interface::Dimension;
use brolga_ir::pipeline::state::SamplePattern;
use brolga_ir::sampling::{LevelSource, Offsets, Rows, SampleKind, Sampling};
use brolga_resource::format::Format;
use brolga_resource::{AddressMode, GuardPages, Memory, Sampler, Surface, SurfaceLevel, Tap};
use brolga_sample::Prepared;

const MODES: [AddressMode; 5] = AddressMode::ALL;

const DIMENSIONS: [Dimension; 7] = [
    Dimension::Texture1d,
    Dimension::Texture1dArray,
    Dimension::Texture2d,
    Dimension::Texture2dArray,
    Dimension::Texture3d,
    Dimension::TextureCube,
    Dimension::TextureCubeArray,
];

/// Numbers that look random and are the same in each run (xorshift).
#[derive(Debug)]
struct Numbers(u64);

impl Numbers {
    fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    fn word(&mut self) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 32) as u32
    }

    fn below(&mut self, bound: u32) -> u32 {
        self.word() % bound
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len() as u32) as usize]
    }

    /// A number from `least` to `most`.
    fn between(&mut self, least: f32, most: f32) -> f32 {
        least + (most - least) * (self.word() >> 8) as f32 / (1 << 24) as f32
    }
}

/// A texture of which the test knows the bytes of each texel.
#[derive(Debug)]
struct Image {
    dimension: Dimension,
    format: Format,
    levels: Vec<[u32; 3]>,
    layers: u32,
    /// By layer, level, z, y, x.
    texels: Vec<u128>,
    memory: Arc<Memory>,
    surface_levels: Vec<SurfaceLevel>,
    layer_bytes: u64,
}

impl Image {
    /// Texels as a function of layer, level and position: of compressed formats, blocks. Rows and slices have bytes
    /// between them.
    fn new(
        dimension: Dimension,
        format: Format,
        extents: [u32; 3],
        layers: u32,
        levels: u32,
        mut texel: impl FnMut(u32, u32, [u32; 3]) -> u128,
    ) -> Self {
        let size = u64::from(format.size_bytes());
        let levels: Vec<_> = (0..levels).map(|level| extents.map(|extent| (extent >> level).max(1))).collect();
        let mut layer_bytes = 16;
        let mut surface_levels = Vec::new();
        for &extents in &levels {
            let row_bytes = (u64::from(extents[0]) * size).next_multiple_of(4) + 8;
            let slice_bytes = row_bytes * u64::from(extents[1]) + if format.expander().is_some() { 8 } else { 4 };
            surface_levels.push(SurfaceLevel { offset_bytes: layer_bytes, extents, row_bytes, slice_bytes });
            layer_bytes += slice_bytes * u64::from(extents[2]);
        }
        let memory = Arc::new(Memory::zeroed(layer_bytes * u64::from(layers), GuardPages::default()).unwrap());
        let mut texels = Vec::new();
        for layer in 0..layers {
            for (index, level) in surface_levels.iter().enumerate() {
                let [width, height, depth] = level.extents;
                for (z, y, x) in grid(depth, height, width) {
                    let value = texel(layer, index as u32, [x, y, z]);
                    let at = level.offset_bytes
                        + u64::from(layer) * layer_bytes
                        + u64::from(z) * level.slice_bytes
                        + u64::from(y) * level.row_bytes
                        + u64::from(x) * size;
                    memory.write(at, &value.to_le_bytes()[..size as usize]);
                    texels.push(value);
                }
            }
        }
        Self { dimension, format, levels, layers, texels, memory, surface_levels, layer_bytes }
    }

    /// Random texels.
    fn random(
        dimension: Dimension,
        format: Format,
        extents: [u32; 3],
        layers: u32,
        levels: u32,
        numbers: &mut Numbers,
    ) -> Self {
        let float = format.fields()[0].is_some_and(|field| field.bits == 32);
        let half = format == Format::R16G16B16A16_FLOAT;
        Self::new(dimension, format, extents, layers, levels, |_, _, _| {
            (0..4).fold(0, |texel, channel| {
                let word = match float {
                    true => u128::from(numbers.between(-2.0, 3.0).to_bits()),
                    // Finite halves.
                    false if half => return texel | u128::from(numbers.word() & 0xbbff) << (16 * channel),
                    false => u128::from(numbers.word()),
                };
                texel | word << (32 * channel)
            })
        })
    }

    fn surface(&self) -> Surface {
        Surface {
            memory: Arc::clone(&self.memory),
            format: self.format,
            dimension: self.dimension,
            levels: self.surface_levels.clone(),
            layers: self.layers,
            layer_bytes: self.layer_bytes,
            pattern: SamplePattern::ONE,
            min_level: 0.0,
            expansion: None,
        }
    }

    fn texel(&self, layer: u32, level: usize, [x, y, z]: [u32; 3]) -> u128 {
        let count = |[width, height, depth]: [u32; 3]| (width * height * depth) as usize;
        let layer_texels: usize = self.levels.iter().map(|&extents| count(extents)).sum();
        let before: usize = self.levels[..level].iter().map(|&extents| count(extents)).sum();
        let [width, height, _] = self.levels[level];
        self.texels[layer as usize * layer_texels + before + ((z * height + y) * width + x) as usize]
    }
}

fn grid(depth: u32, height: u32, width: u32) -> impl Iterator<Item = (u32, u32, u32)> {
    (0..depth).flat_map(move |z| (0..height).flat_map(move |y| (0..width).map(move |x| (z, y, x))))
}

/// Extents and layers that a kind of texture can have.
fn shape(dimension: Dimension, numbers: &mut Numbers) -> ([u32; 3], u32) {
    let mut extent = || [1, 2, 3, 4, 5, 7, 8, 13, 16][numbers.below(9) as usize];
    let [width, height, depth] = [extent(), extent(), extent()];
    match dimension {
        Dimension::Texture1d => ([width, 1, 1], 1),
        Dimension::Texture1dArray => ([width, 1, 1], 3),
        Dimension::Texture2dArray => ([width, height, 1], 3),
        Dimension::Texture3d => ([width, height, depth], 1),
        Dimension::TextureCube => ([width, width, 1], 6),
        Dimension::TextureCubeArray => ([width, width, 1], 12),
        _ => ([width, height, 1], 1),
    }
}

fn full_chain(extents: [u32; 3]) -> u32 {
    u32::BITS - extents.into_iter().max().unwrap().leading_zeros()
}

const PLAIN: Sampling = Sampling {
    kind: SampleKind::Filter,
    level: LevelSource::Zero,
    has_bias: false,
    has_clamp: false,
    offsets: Offsets::Fixed([0; 3]),
};

const GIVEN: Sampling = Sampling { level: LevelSource::Given, ..PLAIN };
const DERIVED: Sampling = Sampling { level: LevelSource::Derivatives, ..PLAIN };

fn sampler(tap: Tap, mip: Tap, mode: AddressMode) -> Sampler {
    let mut sampler = Sampler { address: [mode; 3], border: [0.25, 0.5, 0.75, 1.0], ..Sampler::default() };
    (sampler.filter.minify, sampler.filter.magnify, sampler.filter.mip) = (tap, tap, mip);
    sampler
}

/// Lanes of a packet, and a row of their values.
const LANES: usize = 16;
type Row = [u32; LANES];

/// Samples for some lanes of a packet.
fn sample(prepared: &Prepared, sampling: Sampling, lanes: u64, args: &[Row], results: &mut [Row; 4]) {
    prepared.sample(sampling, None, lanes, Rows::new(args.as_flattened(), LANES), results.as_flattened_mut());
}

/// Samples in one lane, with other operands in the others.
fn ask_words(surface: &Surface, sampler: &Sampler, sampling: Sampling, args: &[u32]) -> [u32; 4] {
    let count = sampling.arg_count(surface.dimension);
    assert_eq!(args.len(), count, "operands");
    let rows: Vec<Row> = args
        .iter()
        .map(|&word| {
            let mut row = [0x3e99_999a; LANES];
            row[3] = word;
            row
        })
        .collect();
    let mut results = [[0xdead; LANES]; 4];
    sample(&Prepared::new(surface, sampler), sampling, 0b1001, &rows, &mut results);
    assert_eq!(results.map(|row| row[1]), [0xdead; 4], "a lane that does not take part");
    results.map(|row| row[3])
}

fn ask(surface: &Surface, sampler: &Sampler, sampling: Sampling, args: &[f32]) -> [f32; 4] {
    let args: Vec<_> = args.iter().map(|arg| arg.to_bits()).collect();
    ask_words(surface, sampler, sampling, &args).map(f32::from_bits)
}
