//! Compares the fast paths with the general one, bit for bit, over every format, state and operand, and checks which
//! samples have none.
//!
//! `BROLGA_ROUNDS` sets the number of textures of each format, instead of a few.

use brolga_fenv::{FloatGuard, FloatMode};
use brolga_ir::pipeline::state::SamplePattern;
use brolga_ir::sampling::{LevelSource, Offsets, Rows, SampleKind, Sampling};
use brolga_resource::format::{Coding, Layout, Use};
use brolga_resource::{Comparison, Filter, Reduction};
use brolga_sample::{Isa, Slow};

use crate::invariants::{any_args, any_sampler, any_sampling};
use crate::*;

/// Every format that can be sampled.
fn formats() -> impl Iterator<Item = Format> {
    Format::ALL.iter().chain(Format::DIRECT3D9).copied().filter(|format| format.allows(Use::Sample))
}

/// True if the format holds depths that can be compared with.
fn has_depths(format: Format) -> bool {
    format.allows(Use::Compare)
}

/// The kind of values in texels.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Content {
    /// No infinities, no NaNs, no denormals.
    Tame,
    /// Arbitrary bits, and some meaningful ones.
    Any,
}

/// Bits of a texel, or of a block.
fn texel(format: Format, content: Content, numbers: &mut Numbers) -> u128 {
    let layout = Layout::of(format);
    let mut texel = (0..4).fold(0, |texel, n| texel | u128::from(numbers.word()) << (32 * n));
    if format.expander().is_some() {
        // A mode of BC7 and one of BC6H for each lowest bit; random bits would rarely select the larger ones.
        return if numbers.below(2) == 0 { texel >> 8 << 8 | 1 << numbers.below(8) } else { texel };
    }
    for channel in layout.channels.iter().flatten() {
        let bits = channel.field.bits;
        let code = match (channel.coding, content) {
            (Coding::Float, Content::Tame) => numbers.between(-2.0, 3.0).to_bits(),
            (Coding::Float, Content::Any) if numbers.below(3) == 0 => numbers.pick(&[
                0x7f80_0000,
                0xff80_0000,
                0x7fc0_0000,
                0xffa5_a5a5,
                0x8000_0000,
                1,
                f32::MAX.to_bits(),
                f32::MIN.to_bits(),
                f32::MIN_POSITIVE.to_bits(),
            ]),
            // An exponent that is not the highest one.
            (Coding::Half, Content::Tame) => numbers.word() & !(1 << (bits.min(15) - 2)),
            _ => continue,
        };
        let mask = u128::from(u32::MAX >> (32 - bits)) << channel.field.shift;
        texel = texel & !mask | u128::from(code) << channel.field.shift & mask;
    }
    texel
}

fn image(format: Format, dimension: Dimension, content: Content, numbers: &mut Numbers) -> Image {
    let (extents, layers) = shape(dimension, numbers);
    let levels = 1 + numbers.below(full_chain(extents));
    let mut of = Numbers::new(numbers.word().into());
    Image::new(dimension, format, extents, layers, levels, |_, _, _| texel(format, content, &mut of))
}

/// Samples a packet with each instruction set's fast paths, in each float mode, in rows of one vector and of several:
/// lanes that are taken have the bits of the general path. Returns the lanes of whole rows that the last one left.
fn compare(surface: &Surface, state: &Sampler, sampling: Sampling, mask: u32, lanes: &[Vec<u32>]) -> u64 {
    let rows: Vec<Row> = (0..lanes[0].len()).map(|arg| std::array::from_fn(|lane| lanes[lane][arg])).collect();
    let general = Prepared::general(surface, state);
    let mut expected = [[0; LANES]; 4];
    sample(&general, sampling, mask.into(), &rows, &mut expected);
    let mut left = 0;
    for isa in Isa::present() {
        let prepared = general.clone().with_fast_paths(isa);
        let what = || format!("{isa:?} {surface:?} {state:?} {sampling:?}");
        // Through the entry for compiled code, in its own float mode.
        let mut in_other_mode = [[0; LANES]; 4];
        {
            let _mode = FloatGuard::new(FloatMode::Flush);
            sample(&prepared, sampling, mask.into(), &rows, &mut in_other_mode);
        }
        assert_eq!(in_other_mode, expected, "{} {lanes:x?}", what());
        for row_lanes in [LANES / 2, LANES] {
            let words: Vec<_> = rows.iter().flat_map(|row| &row[..row_lanes]).copied().collect();
            let mask = u64::from(mask) & ((1 << row_lanes) - 1);
            let mut results = vec![0; 4 * row_lanes];
            let _mode = FloatGuard::new(FloatMode::Flush);
            left = prepared.sample_fast(sampling, None, mask, Rows::new(&words, row_lanes), &mut results);
            assert_eq!(left & !mask, 0, "lanes that do not take part are not left");
            for lane in (0..row_lanes).filter(|lane| (mask & !left) >> lane & 1 == 1) {
                let found = [0, 1, 2, 3].map(|row| results[row * row_lanes + lane]);
                assert_eq!(found, expected.map(|row| row[lane]), "{} {:x?}", what(), lanes[lane]);
            }
        }
    }
    left
}

#[test]
fn fast_paths_come_to_the_same_bits() {
    let rounds = std::env::var("BROLGA_ROUNDS").map_or(150, |rounds| rounds.parse().unwrap());
    let mut numbers = Numbers::new(9);
    let (mut taken, mut left) = (0, 0);
    for format in formats() {
        for round in 0..rounds {
            let dimension = DIMENSIONS[round % DIMENSIONS.len()];
            if !format.allows(Use::of_dimension(dimension)) {
                continue;
            }
            let content = numbers.pick(&[Content::Tame, Content::Tame, Content::Any]);
            let image = image(format, dimension, content, &mut numbers);
            let mut surface = image.surface();
            surface.min_level = numbers.pick(&[0.0, 0.0, 0.3]);
            let mut state = any_sampler(&mut numbers);
            state.comparison = numbers.pick(&Comparison::ALL);
            let mut sampling = any_sampling(dimension, &mut numbers);
            if has_depths(format) && numbers.below(2) == 0 {
                sampling.kind = match sampling.kind {
                    SampleKind::Filter => SampleKind::Compare,
                    SampleKind::Gather { .. } => SampleKind::GatherCompare,
                    other => other,
                };
            }
            let lanes: Vec<_> = (0..LANES).map(|_| any_args(sampling, dimension, &mut numbers)).collect();
            let some = numbers.word() & 0xffff;
            let mask = numbers.pick(&[0xffff, 0xff, some]);
            let others = compare(&surface, &state, sampling, mask, &lanes).count_ones();
            (taken, left) = (taken + mask.count_ones() - others, left + others);
        }
    }
    assert!(left < taken, "{taken} lanes taken, {left} left");
}

/// The operands of ordinary shaders: finite values, existing levels.
fn ordinary_args(sampling: Sampling, surface: &Surface, numbers: &mut Numbers) -> Vec<u32> {
    use brolga_ir::sampling::SampleArg;

    let last = surface.levels.len() as f32 - 1.0;
    let mut args = Vec::new();
    for (arg, count) in sampling.args(surface.dimension) {
        for _ in 0..count {
            args.push(match arg {
                SampleArg::Offsets => numbers.word(),
                SampleArg::AlongX | SampleArg::AlongY => {
                    (numbers.between(-1.0, 1.0) * numbers.between(-9.0, 1.0).exp2()).to_bits()
                }
                SampleArg::Clamp => numbers.between(0.0, last).to_bits(),
                SampleArg::Level | SampleArg::Bias => numbers.between(-1.5, 4.5).to_bits(),
                SampleArg::Reference => numbers.between(-0.2, 1.2).to_bits(),
                // No direction hits a corner of a cube.
                SampleArg::Coordinates => numbers
                    .pick(&[
                        numbers.0 as f32 / u64::MAX as f32 * 0.2 + 0.1,
                        numbers.0 as f32 / u64::MAX as f32 * 3.0 - 1.5,
                    ])
                    .to_bits(),
            });
            numbers.word();
        }
    }
    args
}

/// True if samples with ordinary texels and operands may go lane by lane.
///
/// * Comparisons with formats other than depth, which Direct3D does not have either.
/// * Gathers from volumes, likewise.
/// * Lanes whose texels are beyond a corner of a cube, in gathers, comparisons and filters for the minimum or maximum:
///   the three texels there represent a fourth.
fn may_be_slow(format: Format, surface: &Surface, state: &Sampler, sampling: Sampling) -> bool {
    let gathers = matches!(sampling.kind, SampleKind::Gather { .. } | SampleKind::GatherCompare);
    let compares = matches!(sampling.kind, SampleKind::Compare | SampleKind::GatherCompare);
    let extremes = matches!(state.filter.reduction, Reduction::Minimum | Reduction::Maximum);
    let is_cube = surface.dimension.is_cube();
    let is_volume = surface.dimension == Dimension::Texture3d;
    compares && (!has_depths(format) || is_volume)
        || gathers && is_volume
        || is_cube && (gathers || compares || extremes)
}

#[test]
fn no_ordinary_sample_goes_lane_by_lane() {
    let mut numbers = Numbers::new(10);
    let taps = [Tap::Point, Tap::Linear];
    let mut filters = Vec::new();
    for minify in taps {
        for magnify in taps {
            for mip in taps {
                for reduction in [Reduction::Weighted, Reduction::Comparison, Reduction::Minimum, Reduction::Maximum] {
                    filters.push(Filter { minify, magnify, mip, anisotropic: false, reduction });
                }
            }
        }
    }
    let lines = Filter { anisotropic: true, ..filters[0] };
    filters.extend([lines, Filter { reduction: Reduction::Maximum, ..lines }]);
    let kinds = [
        SampleKind::Filter,
        SampleKind::Compare,
        SampleKind::Gather { component: 2 },
        SampleKind::GatherCompare,
        SampleKind::Level,
    ];
    for format in formats() {
        for dimension in DIMENSIONS.into_iter().filter(|&dimension| format.allows(Use::of_dimension(dimension))) {
            let image = image(format, dimension, Content::Tame, &mut numbers);
            let surface = image.surface();
            for &filter in &filters {
                let kind = numbers.pick(&kinds);
                let mut sampling = any_sampling(dimension, &mut numbers);
                let gathers = matches!(kind, SampleKind::Gather { .. } | SampleKind::GatherCompare);
                sampling.kind = kind;
                if gathers {
                    (sampling.level, sampling.has_bias, sampling.has_clamp) = (LevelSource::Zero, false, false);
                } else if sampling.offsets == Offsets::Computed {
                    sampling.offsets = Offsets::Fixed([1, -2, 3]);
                }
                let address = [0; 3].map(|_| numbers.pick(&MODES));
                let state = Sampler { filter, address, max_anisotropy: 8, border: [0.3; 4], ..Sampler::default() };
                let lanes: Vec<_> = (0..LANES).map(|_| ordinary_args(sampling, &surface, &mut numbers)).collect();
                let left = compare(&surface, &state, sampling, 0xffff, &lanes);
                let slow = Prepared::new(&surface, &state).slow(sampling);
                let is_slow = may_be_slow(format, &surface, &state, sampling);
                assert!(
                    is_slow || (left, slow) == (0, None),
                    "{left:x} {slow:?}: {format} {dimension:?} {state:?} {sampling:?}"
                );
            }
        }
    }
}

/// Samples without a fast path have a reason.
#[test]
fn slow_samples_say_why() {
    let mut numbers = Numbers::new(11);
    let volume = image(Format::R8_UNORM, Dimension::Texture3d, Content::Tame, &mut numbers);
    let gather = Sampling { kind: SampleKind::Gather { component: 0 }, ..PLAIN };
    let compare = Sampling { kind: SampleKind::Compare, ..PLAIN };
    let of = |surface: &Surface, sampling| Prepared::new(surface, &Sampler::default()).slow(sampling);
    assert_eq!(of(&volume.surface(), gather), Some(Slow::Gather));
    assert_eq!(of(&volume.surface(), compare), Some(Slow::Comparison));
    let mut surface = volume.surface();
    surface.min_level = 77.0;
    assert_eq!(of(&surface, PLAIN), Some(Slow::Level));
    surface = volume.surface();
    surface.levels[0].slice_bytes = 1 << 40;
    assert_eq!(of(&surface, PLAIN), Some(Slow::Size));
    surface = volume.surface();
    surface.pattern = SamplePattern::standard(4).unwrap();
    assert_eq!(of(&surface, PLAIN), Some(Slow::Samples));
    let blocks = image(Format::BC1_UNORM, Dimension::Texture2d, Content::Tame, &mut numbers);
    assert_eq!(of(&blocks.surface(), PLAIN), None);
    surface = blocks.surface();
    surface.levels[0].offset_bytes += 4;
    assert_eq!(of(&surface, PLAIN), Some(Slow::Pitch));
}
