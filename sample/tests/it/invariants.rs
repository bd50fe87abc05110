//! Checks the invariants of every texture and sampler (functional specification 7.18.16.3), and of every packet.

use brolga_ir::float;
use brolga_ir::sampling::{LevelSource, Offsets, SampleArg, SampleKind, Sampling};
use brolga_resource::{Comparison, Filter, Reduction};

use crate::*;

const FLOATS: [Format; 12] = [
    Format::R8G8B8A8_UNORM,
    Format::R8G8B8A8_UNORM_SRGB,
    Format::R8G8_SNORM,
    Format::R10G10B10A2_UNORM,
    Format::R16G16B16A16_UNORM,
    Format::R16_SNORM,
    Format::R16G16B16A16_FLOAT,
    Format::R11G11B10_FLOAT,
    Format::R32_FLOAT,
    Format::R32G32B32A32_FLOAT,
    Format::B5G6R5_UNORM,
    Format::A8_UNORM,
];

pub fn any_sampler(numbers: &mut Numbers) -> Sampler {
    let mut tap = || numbers.pick(&[Tap::Point, Tap::Linear]);
    let filter = Filter { minify: tap(), magnify: tap(), mip: tap(), ..Filter::default() };
    Sampler {
        filter: Filter {
            anisotropic: numbers.below(4) == 0,
            reduction: numbers.pick(&[
                Reduction::Weighted,
                Reduction::Weighted,
                Reduction::Comparison,
                Reduction::Minimum,
                Reduction::Maximum,
            ]),
            ..filter
        },
        address: [0; 3].map(|_| numbers.pick(&MODES)),
        level_bias: numbers.pick(&[0.0, 0.0, -0.75, 1.3]),
        min_level: numbers.pick(&[f32::MIN, 0.0, 0.5]),
        max_level: numbers.pick(&[f32::MAX, 2.5]),
        max_anisotropy: numbers.below(17),
        comparison: numbers.pick(&[Comparison::Less, Comparison::GreaterEqual, Comparison::Equal]),
        border: numbers.pick(&[
            [0.0; 4],
            [0.0, 0.0, 0.0, 1.0],
            [1.0; 4],
            [0.3, -2.0, 7.0, 0.5],
            [1.5e-38, 1e-39, 1e-20, -1e-9],
        ]),
    }
}

pub fn any_sampling(dimension: Dimension, numbers: &mut Numbers) -> Sampling {
    let component = numbers.below(4) as u8;
    let kind = numbers.pick(&[
        SampleKind::Filter,
        SampleKind::Filter,
        SampleKind::Filter,
        SampleKind::Compare,
        SampleKind::Gather { component },
        SampleKind::GatherCompare,
        SampleKind::Level,
    ]);
    let gathers = matches!(kind, SampleKind::Gather { .. } | SampleKind::GatherCompare);
    let offsets = match numbers.below(4) {
        0 => Offsets::Fixed([0; 3].map(|_| numbers.below(16) as i8 - 8)),
        1 if gathers && !dimension.is_cube() => Offsets::Computed,
        _ => Offsets::Fixed([0; 3]),
    };
    Sampling {
        kind,
        level: match gathers {
            true => LevelSource::Zero,
            false => numbers.pick(&[LevelSource::Zero, LevelSource::Given, LevelSource::Derivatives]),
        },
        has_bias: !gathers && numbers.below(4) == 0,
        has_clamp: !gathers && numbers.below(4) == 0,
        offsets,
    }
}

/// Typical operands of shaders, and some that no shader should have.
pub fn any_args(sampling: Sampling, dimension: Dimension, numbers: &mut Numbers) -> Vec<u32> {
    let mut args = Vec::new();
    for (arg, count) in sampling.args(dimension) {
        for _ in 0..count {
            let strange = numbers.below(40) == 0;
            args.push(match arg {
                _ if strange => numbers.pick(&[
                    f32::NAN.to_bits(),
                    f32::INFINITY.to_bits(),
                    f32::NEG_INFINITY.to_bits(),
                    f32::MAX.to_bits(),
                    0x8000_0001,
                    0x007f_ffff,
                    (-0.0f32).to_bits(),
                    (-1e-12f32).to_bits(),
                    1f32.to_bits(),
                    u32::MAX,
                ]),
                SampleArg::Offsets => numbers.word(),
                SampleArg::AlongX | SampleArg::AlongY => {
                    (numbers.between(-1.0, 1.0) * numbers.between(-9.0, 1.0).exp2()).to_bits()
                }
                SampleArg::Level | SampleArg::Bias | SampleArg::Clamp => numbers.between(-1.5, 4.5).to_bits(),
                SampleArg::Reference => numbers.between(-0.2, 1.2).to_bits(),
                SampleArg::Coordinates if numbers.below(3) == 0 => {
                    // On edges and centres of texels.
                    (numbers.below(97) as f32 / 32.0 - 1.0).to_bits()
                }
                SampleArg::Coordinates => numbers.between(-1.3, 2.3).to_bits(),
            });
        }
    }
    args
}

fn any_image(format: Format, dimension: Dimension, numbers: &mut Numbers) -> Image {
    let (extents, layers) = shape(dimension, numbers);
    let levels = 1 + numbers.below(full_chain(extents));
    Image::random(dimension, format, extents, layers, levels, numbers)
}

#[test]
fn one_colour_stays_that_colour() {
    let mut numbers = Numbers::new(4);
    for round in 0..6000 {
        let (format, dimension) = (FLOATS[round % FLOATS.len()], DIMENSIONS[round % DIMENSIONS.len()]);
        let colour = (0..4).fold(0, |texel, n| texel | u128::from(numbers.word()) << (32 * n));
        let (extents, layers) = shape(dimension, &mut numbers);
        let image = Image::new(dimension, format, extents, layers, full_chain(extents), |_, _, _| colour);
        let mut state = any_sampler(&mut numbers);
        state.address = state.address.map(|mode| if mode == AddressMode::Border { AddressMode::Wrap } else { mode });
        let mut sampling = any_sampling(dimension, &mut numbers);
        (sampling.kind, sampling.has_clamp, sampling.offsets) = (SampleKind::Filter, false, Offsets::Fixed([3; 3]));
        let args = any_args(sampling, dimension, &mut numbers);
        let loaded = format.decode(colour);
        for (result, loaded) in ask_words(&image.surface(), &state, sampling, &args).into_iter().zip(loaded) {
            match f32::from_bits(loaded).is_nan() {
                true => assert!(f32::from_bits(result).is_nan()),
                false => {
                    // Filters flush denormals.
                    let flushed = float::flush(f32::from_bits(loaded));
                    let is_it = result == loaded || f32::from_bits(result) == flushed && flushed == 0.0;
                    assert!(is_it, "{result:x} {loaded:x} {format} {dimension:?} {state:?} {sampling:?} {args:x?}");
                }
            }
        }
    }
}

#[test]
fn results_lie_between_the_texels() {
    let mut numbers = Numbers::new(5);
    for round in 0..4000 {
        let (format, dimension) = (FLOATS[round % FLOATS.len()], DIMENSIONS[round % DIMENSIONS.len()]);
        // Two texels only, far apart or nearly equal.
        let texels: [u128; 2] = [0, 1].map(|_| match format {
            Format::R11G11B10_FLOAT => u128::from(numbers.word() & 0x77bd_e3bf & 0x779e_f3df),
            Format::R16G16B16A16_FLOAT => u128::from(numbers.word() & 0xbbff_bbff) * 0x1_0000_0001,
            Format::R32_FLOAT | Format::R32G32B32A32_FLOAT => {
                let apart = numbers.between(-23.0, 20.0).exp2();
                let number = numbers.between(1.0, 1.0 + apart).to_bits();
                u128::from(number) * 0x1_0000_0001_0000_0001_0000_0001
            }
            _ => u128::from(numbers.word()) * 0x1_0000_0001,
        });
        let (extents, layers) = shape(dimension, &mut numbers);
        let image =
            Image::new(dimension, format, extents, layers, full_chain(extents), |_, _, _| numbers.pick(&texels));
        let mut state = any_sampler(&mut numbers);
        state.address = state.address.map(|mode| if mode == AddressMode::Border { AddressMode::Clamp } else { mode });
        let sampling = Sampling { level: LevelSource::Given, ..PLAIN };
        let args = any_args(sampling, dimension, &mut numbers);
        let ends = texels.map(|texel| format.decode(texel).map(f32::from_bits));
        let result = ask_words(&image.surface(), &state, sampling, &args).map(f32::from_bits);
        for channel in 0..4 {
            let [a, b] = ends.map(|end| end[channel]);
            assert!(
                (a.min(b)..=a.max(b)).contains(&result[channel]),
                "{format} {dimension:?}: {} of {a} and {b}",
                result[channel]
            );
        }
    }
}

#[test]
fn colours_change_in_one_direction_between_two_texels() {
    let mut numbers = Numbers::new(6);
    for format in FLOATS {
        for _ in 0..20 {
            let image = Image::random(Dimension::Texture2d, format, [2, 2, 1], 1, 1, &mut numbers);
            let state = sampler(Tap::Linear, Tap::Point, AddressMode::Clamp);
            let other = numbers.between(0.25, 0.75);
            for axis in 0..2 {
                let walk: Vec<_> = (0..=1024)
                    .map(|step| {
                        let mut at = [other; 2];
                        at[axis] = 0.25 + step as f32 / 2048.0;
                        ask(&image.surface(), &state, PLAIN, &at)
                    })
                    .collect();
                for channel in 0..4 {
                    let values = walk.iter().map(|colour| colour[channel]);
                    assert!(
                        values.clone().is_sorted()
                            || values.clone().rev().is_sorted()
                            || values.clone().any(f32::is_nan),
                        "{format} {channel}"
                    );
                }
            }
        }
    }
}

/// All operands at once, hostile ones included: the result of a lane is the same alone, in another lane, and among
/// others.
#[test]
fn lanes_do_not_depend_on_each_other() {
    let mut numbers = Numbers::new(7);
    for round in 0..8000 {
        let dimension = DIMENSIONS[round % DIMENSIONS.len()];
        let format = numbers.pick(Format::ALL);
        let image = any_image(format, dimension, &mut numbers);
        let mut surface = image.surface();
        surface.min_level = numbers.pick(&[0.0, 0.0, 0.0, 0.7, 1.0, 9.0]);
        let state = any_sampler(&mut numbers);
        let sampling = any_sampling(dimension, &mut numbers);
        let lanes: Vec<_> = (0..LANES).map(|_| any_args(sampling, dimension, &mut numbers)).collect();
        let rows: Vec<Row> = (0..lanes[0].len()).map(|arg| std::array::from_fn(|lane| lanes[lane][arg])).collect();
        let prepared = Prepared::new(&surface, &state);
        let mut together = [[0xdead; LANES]; 4];
        let mask = if numbers.below(2) == 0 { 0xffff } else { numbers.word() & 0xffff };
        sample(&prepared, sampling, mask.into(), &rows, &mut together);
        for lane in 0..LANES {
            let result = together.map(|row| row[lane]);
            if mask >> lane & 1 == 0 {
                assert_eq!(result, [0xdead; 4]);
                continue;
            }
            let alone = ask_words(&surface, &state, sampling, &lanes[lane]);
            assert_eq!(result, alone, "{format} {surface:?} {state:?} {sampling:?} {:x?}", lanes[lane]);
        }
    }
}
