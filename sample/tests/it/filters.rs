//! Samples random textures of all kinds at random coordinates, and compares with the model.

use brolga_ir::sampling::{Offsets, Sampling};

use crate::model::{Question, face_of};
use crate::*;

const FORMATS: [Format; 8] = [
    Format::R8G8B8A8_UNORM,
    Format::B8G8R8A8_UNORM,
    Format::R8G8B8A8_UNORM_SRGB,
    Format::R16G16B16A16_FLOAT,
    Format::R32G32B32A32_FLOAT,
    Format::R32_FLOAT,
    Format::R16_UNORM,
    Format::R8G8_SNORM,
];

/// The largest difference between texels of a format.
fn range(format: Format) -> f64 {
    match format {
        Format::R16G16B16A16_FLOAT => 4.0,
        Format::R32_FLOAT | Format::R32G32B32A32_FLOAT => 5.0,
        Format::R8G8_SNORM => 2.0,
        _ => 1.0,
    }
}

/// Coordinates in the texture, around it, on the centres and edges of texels, and some far away.
fn coordinate(extent: u32, numbers: &mut Numbers) -> f32 {
    match numbers.below(8) {
        0 => (numbers.below(4 * extent + 1) as f32 - extent as f32) / (2 * extent) as f32,
        1 => numbers.between(-40.0, 40.0),
        2 => numbers.between(-3.0, 3.0),
        _ => numbers.between(-0.1, 1.1),
    }
}

fn direction(numbers: &mut Numbers) -> [f32; 3] {
    let mut vector = [0.0; 3].map(|_: f32| numbers.between(-1.0, 1.0));
    match numbers.below(6) {
        // Near an edge, near a corner.
        0 => vector = [numbers.between(0.97, 1.0), numbers.between(-1.0, -0.97), vector[2]],
        1 => vector = vector.map(|v| v.signum() * numbers.between(0.9, 1.0)),
        _ => {}
    }
    vector
}

/// The tolerance for 8 bits of fraction: half a unit along each axis and between mip levels, and half as much again for
/// the rounding of floats.
fn tolerance(format: Format, weights: u32) -> f64 {
    range(format) * f64::from(weights) * 0.75 / 256.0 + 1e-6
}

#[test]
fn one_level_and_chains_are_as_the_specification_says() {
    let mut numbers = Numbers::new(1);
    let (mut compared, mut skipped) = (0, 0);
    for round in 0..6000 {
        let dimension = DIMENSIONS[round % DIMENSIONS.len()];
        let format = numbers.pick(&FORMATS);
        let (extents, layers) = shape(dimension, &mut numbers);
        let levels = 1 + numbers.below(full_chain(extents));
        let image = Image::random(dimension, format, extents, layers, levels, &mut numbers);
        let (tap, mip) = (numbers.pick(&[Tap::Point, Tap::Linear]), numbers.pick(&[Tap::Point, Tap::Linear]));
        let mut state = sampler(tap, mip, AddressMode::Wrap);
        state.address = [0; 3].map(|_| numbers.pick(&MODES));
        state.border = [-0.5, 0.25, 0.625, 1.5];
        let surface = image.surface();
        let offsets = match numbers.below(2) {
            0 => [0; 3],
            _ => [0; 3].map(|_| numbers.below(16) as i8 - 8),
        };
        let sampling = Sampling { offsets: Offsets::Fixed(offsets), ..GIVEN };
        for _ in 0..8 {
            let is_cube = dimension.is_cube();
            let at: [f32; 3] = match is_cube {
                true => direction(&mut numbers),
                false => extents.map(|extent| coordinate(extent, &mut numbers)),
            };
            let layer = numbers.below(layers / if is_cube { 6 } else { 1 });
            let lod = numbers.between(-1.0, levels as f32 + 0.5);
            let mut args = at[..dimension.sample_axes()].to_vec();
            if dimension.is_array() {
                args.push(layer as f32 + numbers.between(-0.4, 0.4));
            }
            args.push(lod);
            let result = ask(&surface, &state, sampling, &args);
            let question = Question {
                image: &image,
                sampler: &state,
                at: at.map(f64::from),
                layer: layer * if is_cube { 6 } else { 1 },
                offsets: offsets.map(i32::from),
            };
            if is_cube {
                // Faces that are hit in exact arithmetic.
                let [x, y, z] = at.map(f64::from);
                assert_eq!(brolga_sample::cube::project(at).0, face_of([x, y, z]).0);
            }
            let (expected, edge) = question.filtered(lod.into(), tap, mip);
            if edge < 1.0 / 256.0 {
                skipped += 1;
                continue;
            }
            compared += 1;
            let weights = match tap {
                Tap::Point => 1,
                Tap::Linear => 1 + dimension.sample_axes() as u32,
            };
            for (channel, (result, expected)) in result.into_iter().zip(expected).enumerate() {
                assert!(
                    (f64::from(result) - expected).abs() <= tolerance(format, weights),
                    "{dimension:?} {format} {extents:?} {levels} levels {state:?} {args:?} {offsets:?}: component \
                     {channel} is {result}, expected {expected}"
                );
            }
        }
    }
    assert!(compared > 40_000 && skipped > 100, "{compared} compared, {skipped} skipped");
}

/// The longest reach of a pixel's footprint as the pixel turns, found by turning it.
fn longest([x, y]: [[f64; 3]; 2]) -> ([f64; 3], f64) {
    let turned = |step: u32| {
        let (sin, cos) = (f64::from(step) * std::f64::consts::PI / 20_000.0).sin_cos();
        let vector = [0, 1, 2].map(|axis| x[axis] * cos + y[axis] * sin);
        (vector, vector.iter().map(|v| v * v).sum::<f64>().sqrt())
    };
    (0..20_000).map(turned).max_by(|a, b| a.1.total_cmp(&b.1)).unwrap()
}

/// Two derivatives that span an area.
fn derivatives(axes: usize, numbers: &mut Numbers) -> [[f32; 3]; 2] {
    let scale = numbers.between(-7.0, 1.0).exp2();
    let stretch = numbers.between(-3.0, 3.0).exp2();
    let mut vector = || {
        let mut vector = [numbers.between(-1.0, 1.0) * stretch, numbers.between(-1.0, 1.0), numbers.between(-1.0, 1.0)];
        vector[axes..].fill(0.0);
        vector.map(|v| v * scale)
    };
    [vector(), vector()]
}

#[test]
fn the_level_of_detail_is_that_of_the_longer_derivative() {
    let mut numbers = Numbers::new(2);
    let state = Sampler::default();
    for round in 0..400 {
        let dimension = [Dimension::Texture2d, Dimension::Texture3d, Dimension::TextureCube][round % 3];
        let (extents, layers) = shape(dimension, &mut numbers);
        let image =
            Image::random(dimension, Format::R8G8B8A8_UNORM, extents, layers, full_chain(extents), &mut numbers);
        let [dx, dy] = derivatives(dimension.sample_axes(), &mut numbers);
        let at = if dimension.is_cube() { direction(&mut numbers) } else { [0.3, 0.6, 0.1] };
        let axes = dimension.sample_axes();
        let args: Vec<_> = [&at[..axes], &dx[..axes], &dy[..axes]].concat();
        let scaled = match dimension.is_cube() {
            false => [dx, dy].map(|v| [0, 1, 2].map(|axis| f64::from(v[axis]) * f64::from(extents[axis]))),
            // The slope of the projection, by a small step.
            true => [dx, dy].map(|vector| {
                let step = 1e-6;
                let walk = |sign: f64| [0, 1, 2].map(|n| f64::from(at[n]) + sign * step * f64::from(vector[n]));
                let face = face_of(at.map(f64::from)).0;
                let on = |v: [f64; 3]| {
                    let (_, s, t) = face_of(v);
                    [s, t]
                };
                let (ahead, behind) = (walk(1.0), walk(-1.0));
                assert_eq!((face_of(ahead).0, face_of(behind).0), (face, face), "a step too long for {at:?}");
                let ([s1, t1], [s0, t0]) = (on(ahead), on(behind));
                let scale = f64::from(extents[0]) / 2.0 / (2.0 * step);
                [(s1 - s0) * scale, (t1 - t0) * scale, 0.0]
            }),
        };
        let length = |vector: [f64; 3]| vector.iter().map(|v| v * v).sum::<f64>().sqrt();
        let expected = length(scaled[0]).max(length(scaled[1])).log2();
        let sampling = Sampling { kind: SampleKind::Level, ..DERIVED };
        let [clamped, level, zero, other] = ask(&image.surface(), &state, sampling, &args);
        assert!((f64::from(level) - expected).abs() < 1e-3, "{dimension:?} {args:?}: {level}, expected {expected}");
        assert_eq!(clamped, level.clamp(0.0, image.levels.len() as f32 - 1.0));
        assert_eq!([zero, other], [0.0; 2]);
    }
}

#[test]
fn anisotropic_filters_take_the_mean_along_the_longer_axis() {
    let mut numbers = Numbers::new(3);
    let mut lines = 0;
    for round in 0..600 {
        let dimension = [Dimension::Texture2d, Dimension::Texture2dArray][round % 2];
        let extents = [16 << numbers.below(2), 8 << numbers.below(3), 1];
        let image = Image::random(dimension, Format::R32G32B32A32_FLOAT, extents, 2, full_chain(extents), &mut numbers);
        let mut state = sampler(Tap::Linear, Tap::Linear, numbers.pick(&MODES));
        state.filter.anisotropic = true;
        state.max_anisotropy = numbers.pick(&[1, 2, 4, 16]);
        let [dx, dy] = derivatives(2, &mut numbers);
        let at = [numbers.between(-0.2, 1.2), numbers.between(-0.2, 1.2)];
        let layer = if dimension.is_array() { vec![1.0] } else { vec![] };
        let args: Vec<_> = [&at[..], &layer, &dx[..2], &dy[..2]].concat();

        let extent = |axis: usize| f64::from(extents[axis]);
        let scaled = [dx, dy].map(|v| [f64::from(v[0]) * extent(0), f64::from(v[1]) * extent(1), 0.0]);
        let (axis, major) = longest(scaled);
        let area = (scaled[0][0] * scaled[1][1] - scaled[0][1] * scaled[1][0]).abs();
        let most = f64::from(state.max_anisotropy);
        let mut ratio = major * major / area;
        let minor = if ratio > most { major / most } else { area / major };
        ratio = ratio.min(most);
        if minor < 1.0 {
            ratio = (ratio * minor).max(1.0);
        }
        // Not where the number of samples is about to change.
        let count = ratio.ceil();
        if (ratio - ratio.round()).abs() < 1e-3 && ratio < most - 1e-3 && ratio > 1.0 {
            continue;
        }
        lines += u32::from(count > 1.0);
        let mut mean = [0.0; 4];
        for sample in 0..count as u32 {
            let along = (f64::from(sample) + 0.5) / count - 0.5;
            let question = Question {
                image: &image,
                sampler: &state,
                at: [
                    f64::from(at[0]) + axis[0] / extent(0) * along,
                    f64::from(at[1]) + axis[1] / extent(1) * along,
                    0.0,
                ],
                layer: layer.len() as u32,
                offsets: [0; 3],
            };
            let (colour, _) = question.filtered(minor.log2(), Tap::Linear, Tap::Linear);
            mean.iter_mut().zip(colour).for_each(|(mean, value)| *mean += value / count);
        }
        for (result, expected) in ask(&image.surface(), &state, DERIVED, &args).into_iter().zip(mean) {
            assert!(
                (f64::from(result) - expected).abs() <= tolerance(image.format, 3) + 0.02,
                "{extents:?} {state:?} {args:?}: {result}, expected {expected}"
            );
        }
    }
    assert!(lines > 200, "{lines} with more than one sample");
}
