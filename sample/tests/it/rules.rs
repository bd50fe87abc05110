//! Checks rules of the specification that one example shows.

use brolga_ir::sampling::{LevelSource, Offsets, SampleKind, Sampling};
use brolga_resource::{Comparison, Reduction};

use crate::model::on_face;
use crate::*;

const NAN: u32 = 0x7fc0_0000;

/// One row of floats.
fn row(values: &[f32]) -> Image {
    let extents = [values.len() as u32, 1, 1];
    Image::new(Dimension::Texture1d, Format::R32_FLOAT, extents, 1, 1, |_, _, [x, ..]| {
        values[x as usize].to_bits().into()
    })
}

/// Texels of a 2D texture that encode their positions: 10 y + x.
fn position_texels(width: u32, height: u32) -> Image {
    Image::new(Dimension::Texture2d, Format::R32_FLOAT, [width, height, 1], 1, 1, |_, _, [x, y, _]| {
        u128::from((10.0 * y as f32 + x as f32).to_bits())
    })
}

/// Levels of a single colour each: the number of the level.
fn numbered_levels(levels: u32) -> Image {
    Image::new(Dimension::Texture2d, Format::R32_FLOAT, [1 << (levels - 1); 3].map(|n| n), 1, levels, |_, level, _| {
        (level as f32).to_bits().into()
    })
}

fn red(image: &Image, sampler: &Sampler, sampling: Sampling, args: &[f32]) -> f32 {
    ask(&image.surface(), sampler, sampling, args)[0]
}

#[test]
fn address_modes_continue_a_row() {
    let image = row(&[0.0, 1.0, 2.0]);
    let expected = [
        (AddressMode::Wrap, [0.0, 1.0, 2.0, 0.0, 1.0, 2.0, 0.0, 1.0, 2.0, 0.0, 1.0, 2.0]),
        (AddressMode::Mirror, [0.0, 1.0, 2.0, 2.0, 1.0, 0.0, 0.0, 1.0, 2.0, 2.0, 1.0, 0.0]),
        (AddressMode::Clamp, [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 2.0, 2.0, 2.0, 2.0]),
        (AddressMode::Border, [9.0, 9.0, 9.0, 9.0, 9.0, 9.0, 0.0, 1.0, 2.0, 9.0, 9.0, 9.0]),
        (AddressMode::MirrorOnce, [2.0, 2.0, 2.0, 2.0, 1.0, 0.0, 0.0, 1.0, 2.0, 2.0, 2.0, 2.0]),
    ];
    for (mode, values) in expected {
        let state = Sampler { border: [9.0; 4], ..sampler(Tap::Point, Tap::Point, mode) };
        for (texel, value) in (-6..).zip(values) {
            let at = (texel as f32 + 0.5) / 3.0;
            assert_eq!(red(&image, &state, PLAIN, &[at]), value, "{mode:?} {texel}");
            // The same by offsets from the first texel.
            let offsets = Offsets::Fixed([texel as i8, 5, -3]);
            assert_eq!(red(&image, &state, Sampling { offsets, ..PLAIN }, &[0.5 / 3.0]), value, "{mode:?} {texel}");
        }
    }
}

#[test]
fn coordinates_round_to_256ths_of_a_texel_ties_to_even() {
    let image = row(&[0.0, 1.0, 2.0, 3.0]);
    let linear = sampler(Tap::Linear, Tap::Point, AddressMode::Clamp);
    // 0.5 + 2.5 / 256, 0.5 + 3.5 / 256 texels: weights of 2 and of 4 parts.
    for (parts, weight) in [(2.0, 2.0), (2.5, 2.0), (3.5, 4.0), (2.51, 3.0), (255.5, 256.0)] {
        let at = (0.5 + parts / 256.0) / 4.0;
        assert_eq!(red(&image, &linear, PLAIN, &[at]), weight / 256.0, "{parts}");
    }
    // Less than half a part below the second texel belongs to it.
    let point = sampler(Tap::Point, Tap::Point, AddressMode::Clamp);
    assert_eq!([1.0 - 0.4 / 256.0, 1.0 - 0.6 / 256.0].map(|at| red(&image, &point, PLAIN, &[at / 4.0])), [1.0, 0.0]);
}

#[test]
fn coordinates_without_a_place_are_defined() {
    let image = row(&[1.0, 2.0, 3.0, 4.0]);
    for tap in [Tap::Point, Tap::Linear] {
        for mode in MODES {
            let state = Sampler { border: [9.0; 4], ..sampler(tap, Tap::Linear, mode) };
            let [nan, above, below] =
                [f32::NAN, f32::INFINITY, f32::NEG_INFINITY].map(|at| red(&image, &state, PLAIN, &[at]));
            let (most, least) = match mode {
                AddressMode::Wrap | AddressMode::Mirror => (1.0, 1.0),
                AddressMode::Clamp => (4.0, 1.0),
                AddressMode::Border => (9.0, 9.0),
                AddressMode::MirrorOnce => (4.0, 4.0),
            };
            assert_eq!([nan, above, below], [1.0, most, least], "{tap:?} {mode:?}");
            for at in [f32::MAX, f32::MIN, 1e9, -1e9, 3e5, 1e-40, -1e-40, f32::MIN_POSITIVE] {
                let value = red(&image, &state, PLAIN, &[at]);
                assert!((1.0..=9.0).contains(&value), "{tap:?} {mode:?} {at}");
            }
        }
    }
    // Whole tiles far away.
    let wrap = sampler(Tap::Point, Tap::Point, AddressMode::Wrap);
    assert_eq!([4097.5, -4095.5, 8388607.5].map(|at| red(&image, &wrap, PLAIN, &[at])), [3.0; 3]);
    let mirror = sampler(Tap::Point, Tap::Point, AddressMode::Mirror);
    assert_eq!([4096.375, 4097.375, -4096.375].map(|at| red(&image, &mirror, PLAIN, &[at])), [2.0, 3.0, 2.0]);
}

#[test]
fn layers_are_the_nearest_that_there_are() {
    let image = Image::new(Dimension::Texture1dArray, Format::R32_FLOAT, [1; 3], 5, 1, |layer, _, _| {
        (layer as f32).to_bits().into()
    });
    let state = Sampler::default();
    let layers = [
        (-7.0, 0.0),
        (0.49, 0.0),
        (0.5, 0.0),
        (1.5, 2.0),
        (2.5, 2.0),
        (3.5, 4.0),
        (4.4, 4.0),
        (99.0, 4.0),
        (f32::NAN, 0.0),
        (f32::INFINITY, 4.0),
        (f32::NEG_INFINITY, 0.0),
    ];
    for (layer, expected) in layers {
        assert_eq!(red(&image, &state, PLAIN, &[0.5, layer]), expected, "{layer}");
    }
}

#[test]
fn levels_are_chosen_and_mixed_in_256ths() {
    let image = numbered_levels(5);
    let levels = |mip, state: Sampler, levels: &[f32]| {
        let mut state = state;
        state.filter.mip = mip;
        levels.iter().map(|&level| red(&image, &state, GIVEN, &[0.5, 0.5, level])).collect::<Vec<_>>()
    };
    let plain = Sampler::default();
    let asked = [-3.0, 0.0, 0.5, 1.25, 1.49, 1.5, 3.9, 4.0, 77.0, f32::INFINITY, f32::NEG_INFINITY, f32::NAN];
    assert_eq!(levels(Tap::Point, plain, &asked), [0.0, 0.0, 1.0, 1.0, 1.0, 2.0, 4.0, 4.0, 4.0, 4.0, 0.0, 4.0]);
    let part = |level: f32| (level * 256.0).round() / 256.0;
    assert_eq!(
        levels(Tap::Linear, plain, &asked),
        [0.0, 0.0, 0.5, 1.25, part(1.49), 1.5, part(3.9), 4.0, 4.0, 4.0, 0.0, 4.0]
    );
    let bounded = Sampler { min_level: 1.5, max_level: 2.25, level_bias: -1.0, ..plain };
    assert_eq!(levels(Tap::Linear, bounded, &[0.0, 2.5, 2.75, 3.0, 9.0]), [1.5, 1.5, 1.75, 2.0, 2.25]);
    let crossed = Sampler { min_level: 3.0, max_level: 1.0, ..plain };
    assert_eq!(levels(Tap::Linear, crossed, &[0.0, 9.0]), [3.0; 2], "the least level wins");
    let biased = Sampling { has_bias: true, ..GIVEN };
    let with_bias = Sampler { level_bias: 0.5, ..plain };
    assert_eq!(red(&image, &with_bias, biased, &[0.5, 0.5, 1.0, 0.75]), 2.25);
}

#[test]
fn the_filter_is_for_magnification_where_the_bounded_level_is_not_above_zero() {
    let image = row(&[0.0, 1.0]);
    let mut state = sampler(Tap::Point, Tap::Point, AddressMode::Clamp);
    state.filter.magnify = Tap::Linear;
    let at = |state: &Sampler, level| red(&image, state, GIVEN, &[0.5, level]);
    assert_eq!([-1.0, 0.0, -0.0, 1e-40, 0.001, 5.0].map(|level| at(&state, level)), [0.5, 0.5, 0.5, 0.5, 1.0, 1.0]);
    assert_eq!(at(&Sampler { max_level: 0.0, ..state }, 5.0), 0.5);
    assert_eq!(at(&Sampler { min_level: 0.5, ..state }, -5.0), 1.0);
}

/// The examples of 5.8.6 in the numbering of the view, with levels whose colour is their number.
#[test]
fn bounds_of_resources_and_instructions() {
    let image = numbered_levels(6);
    let state = Sampler { min_level: 1.2, max_level: 4.0, ..Sampler::default() };
    let lod = Sampling { kind: SampleKind::Level, ..GIVEN };
    let mut surface = image.surface();
    for (bound, clamped) in [(2.5, 2.5), (4.5, 4.5)] {
        surface.min_level = bound;
        for level in [-2.0, 2.0] {
            assert_eq!(ask(&surface, &state, GIVEN, &[0.5, 0.5, level])[0], clamped);
            assert_eq!(ask(&surface, &state, lod, &[0.5, 0.5, level]), [clamped, level, 0.0, 0.0]);
        }
        assert_eq!(gather(&surface, &state, 0, &[0.5, 0.5]), [0.0; 4]);
        assert_eq!(gather(&surface, &state, 3, &[0.5, 0.5]), [1.0; 4]);
    }
    surface.min_level = 5.5;
    assert_eq!(ask(&surface, &state, GIVEN, &[0.5, 0.5, 2.0]), [0.0, 0.0, 0.0, 1.0]);
    assert_eq!(ask(&surface, &state, lod, &[0.5, 0.5, 2.0]), [0.0, 2.0, 0.0, 0.0]);
    let equal = Sampler { comparison: Comparison::Equal, ..state };
    let compared = Sampling { kind: SampleKind::Compare, ..GIVEN };
    assert_eq!(ask(&surface, &equal, compared, &[0.5, 0.5, 0.0, 2.0]), [1.0; 4]);
    let gathered = Sampling { kind: SampleKind::GatherCompare, ..PLAIN };
    assert_eq!(ask(&surface, &equal, gathered, &[0.5, 0.5, 0.0]), [1.0; 4]);

    surface.min_level = 0.1;
    assert_eq!(gather(&surface, &Sampler::default(), 0, &[0.5, 0.5]), [0.0; 4], "the first level is there");
    surface.min_level = 0.0;
    let clamp = Sampling { has_clamp: true, ..GIVEN };
    let clamped = |level, clamp_to| ask(&surface, &Sampler::default(), clamp, &[0.5, 0.5, level, clamp_to])[0];
    assert_eq!(
        [clamped(0.0, 1.5), clamped(3.0, 1.5), clamped(3.0, -9.0), clamped(3.0, f32::NAN)],
        [1.5, 3.0, 3.0, 3.0]
    );
    assert_eq!([clamped(0.0, 5.0), clamped(0.0, 5.01)], [5.0, 0.0], "beyond the last level nothing is left");
}

fn gather(surface: &Surface, state: &Sampler, component: u8, args: &[f32]) -> [f32; 4] {
    ask(surface, state, Sampling { kind: SampleKind::Gather { component }, ..PLAIN }, args)
}

#[test]
fn gathers_go_counter_clockwise_from_the_lower_left() {
    let image = position_texels(4, 3);
    let state = sampler(Tap::Point, Tap::Point, AddressMode::Wrap);
    let at = |x: f32, y: f32| [x / 4.0, y / 3.0];
    // Between texels (1, 1) and (2, 2); v grows downwards.
    assert_eq!(gather(&image.surface(), &state, 0, &at(2.0, 2.0)), [21.0, 22.0, 12.0, 11.0]);
    // In the middle of a texel all four are taken, too.
    assert_eq!(gather(&image.surface(), &state, 0, &at(1.5, 1.5)), [21.0, 22.0, 12.0, 11.0]);
    assert_eq!(gather(&image.surface(), &state, 0, &at(0.0, 0.0)), [3.0, 0.0, 20.0, 23.0]);
    assert_eq!(gather(&image.surface(), &state, 2, &at(0.0, 0.0)), [0.0; 4]);
    assert_eq!(gather(&image.surface(), &state, 3, &at(0.0, 0.0)), [1.0; 4]);
    // Offsets, of computed ones the low six bits.
    let sampling = Sampling { kind: SampleKind::Gather { component: 0 }, offsets: Offsets::Computed, ..PLAIN };
    for (offset, same) in [(1, 1), (-31, 1), (31, -1), (65, 1), (32, -32), (u32::MAX as i32, -1)] {
        let args = |offset: i32| [0.5f32.to_bits(), (2.0f32 / 3.0).to_bits(), offset as u32, 0];
        let gathered = |offset| ask_words(&image.surface(), &state, sampling, &args(offset)).map(f32::from_bits);
        let x = |texel: i32| (texel + same).rem_euclid(4) as f32;
        assert_eq!(gathered(offset), [20.0 + x(1), 20.0 + x(2), 10.0 + x(2), 10.0 + x(1)], "{offset}");
    }
    // A whole texel of integers, unaltered.
    let image = Image::new(Dimension::Texture2d, Format::R16G16_SINT, [2, 2, 1], 1, 1, |_, _, [x, y, _]| {
        u128::from(((x + 2 * y) * 0x0001_0001).wrapping_add(0xffff_0000))
    });
    let sampling = Sampling { kind: SampleKind::Gather { component: 1 }, ..PLAIN };
    let words = ask_words(&image.surface(), &state, sampling, &[0.5f32.to_bits(); 2]);
    assert_eq!(words, [1, 2, 0, u32::MAX]);
}

#[test]
fn comparisons_are_of_the_quantised_reference_with_the_texel() {
    let image = row(&[0.25, 0.5, 0.5, f32::NAN]);
    let point = sampler(Tap::Point, Tap::Point, AddressMode::Clamp);
    let compare = Sampling { kind: SampleKind::Compare, ..PLAIN };
    let table = [
        (Comparison::Never, [0.0, 0.0, 0.0, 0.0]),
        (Comparison::Less, [0.0, 1.0, 0.0, 0.0]),
        (Comparison::Equal, [1.0, 0.0, 0.0, 0.0]),
        (Comparison::LessEqual, [1.0, 1.0, 0.0, 0.0]),
        (Comparison::Greater, [0.0, 0.0, 1.0, 0.0]),
        (Comparison::NotEqual, [0.0, 1.0, 1.0, 1.0]),
        (Comparison::GreaterEqual, [1.0, 0.0, 1.0, 0.0]),
        (Comparison::Always, [1.0, 1.0, 1.0, 1.0]),
    ];
    for (comparison, expected) in table {
        let state = Sampler { comparison, ..point };
        // 0.25 beside 0.25, less than 0.5, more than 0.25, and anything beside NaN.
        let results = [(0.25, 0.1), (0.25, 0.3), (0.3, 0.1), (0.5, 0.9)]
            .map(|(reference, at)| ask(&image.surface(), &state, compare, &[at, reference]));
        assert_eq!(results, expected.map(|one| [one; 4]), "{comparison:?}");
    }
    // The results of comparisons are filtered: 64 parts of the second texel.
    let linear = Sampler { comparison: Comparison::Less, ..sampler(Tap::Linear, Tap::Point, AddressMode::Clamp) };
    let between = (0.5 + 64.0 / 256.0) / 4.0;
    assert_eq!(red(&image, &linear, compare, &[between, 0.3]), 0.25);
    let gathered = Sampling { kind: SampleKind::GatherCompare, ..PLAIN };
    assert_eq!(ask(&position_texels(2, 2).surface(), &linear, gathered, &[0.5, 0.5, 5.0]), [1.0, 1.0, 0.0, 0.0]);

    // Fixed point: the reference is rounded to the nearest code and clamped.
    let code = 12345;
    let image = Image::new(Dimension::Texture1d, Format::R16_UNORM, [1; 3], 1, 1, |_, _, _| code);
    let equal = |reference: f64| {
        let state = Sampler { comparison: Comparison::Equal, ..point };
        ask(&image.surface(), &state, compare, &[0.5, reference as f32])[0] == 1.0
    };
    let near = |codes: f64| (code as f64 + codes) / 65535.0;
    assert_eq!([-0.6, -0.4, 0.0, 0.4, 0.6].map(|codes| equal(near(codes))), [false, true, true, true, false]);
    for (code, reference, comparison) in [(65535, 7.0, Comparison::Equal), (0, -1.0, Comparison::GreaterEqual)] {
        let image = Image::new(Dimension::Texture1d, Format::R16_UNORM, [1; 3], 1, 1, |_, _, _| code);
        assert_eq!(red(&image, &Sampler { comparison, ..point }, compare, &[0.5, reference]), 1.0);
    }
    // Denormals are zeros.
    let image = row(&[1e-40]);
    let state = Sampler { comparison: Comparison::Equal, ..point };
    assert_eq!([0.0, -1e-40].map(|reference| red(&image, &state, compare, &[0.5, reference])), [1.0; 2]);
}

#[test]
fn borders_have_the_range_and_the_components_of_the_format() {
    let colour = [-0.5, 0.4, 7.0, f32::NAN];
    let state = Sampler { border: colour, ..sampler(Tap::Point, Tap::Point, AddressMode::Border) };
    let border = |format| {
        let image = Image::new(Dimension::Texture1d, format, [1; 3], 1, 1, |_, _, _| 0);
        ask_words(&image.surface(), &state, PLAIN, &[2f32.to_bits()])
    };
    let floats = |colour: [f32; 4]| colour.map(f32::to_bits);
    assert_eq!(border(Format::R8G8B8A8_UNORM), floats([0.0, 0.4, 1.0, 0.0]));
    assert_eq!(border(Format::R8G8_SNORM), floats([-0.5, 0.4, 0.0, 1.0]));
    assert_eq!(border(Format::R32_FLOAT), floats([-0.5, 0.0, 0.0, 1.0]));
    assert_eq!(border(Format::R16G16B16A16_FLOAT)[..3], floats(colour)[..3]);
    assert_eq!(border(Format::R11G11B10_FLOAT), floats([0.0, 0.4, 7.0, 1.0]));
    assert_eq!(border(Format::R8G8B8A8_SINT), [0, 0, 7, 0]);
    // Half of a linear filter at the edge.
    let image = Image::new(Dimension::Texture1d, Format::R8_UNORM, [1; 3], 1, 1, |_, _, _| 255);
    let state = Sampler { border: [0.4; 4], ..sampler(Tap::Linear, Tap::Point, AddressMode::Border) };
    assert_eq!(red(&image, &state, PLAIN, &[0.0]), 0.7);
}

#[test]
fn minima_and_maxima_count_texels_with_a_weight() {
    let image = row(&[3.0, 1.0, 2.0, f32::NAN]);
    for (reduction, middle, between, beside_nan) in
        [(Reduction::Minimum, 3.0, 1.0, 2.0), (Reduction::Maximum, 3.0, 3.0, 2.0)]
    {
        let mut state = sampler(Tap::Linear, Tap::Point, AddressMode::Clamp);
        state.filter.reduction = reduction;
        let at = [0.5, 0.6, 3.1].map(|at| red(&image, &state, PLAIN, &[at / 4.0]));
        assert_eq!(at, [middle, between, beside_nan], "{reduction:?}");
        // Between mip levels, too.
        state.filter.mip = Tap::Linear;
        let mips = numbered_levels(4);
        let level = |level| red(&mips, &state, GIVEN, &[0.5, 0.5, level]);
        let most = f32::from(u8::from(reduction == Reduction::Maximum));
        assert_eq!([level(1.0), level(1.01), level(2.99)], [1.0, 1.0 + most, 2.0 + most], "{reduction:?}");
    }
}

#[test]
fn infinities_and_nans_follow_the_rules_of_floats() {
    let inf = f32::INFINITY;
    let image = row(&[inf, inf, -inf, 1.0, f32::from_bits(0xffc1_2345), 2.0]);
    let linear = sampler(Tap::Linear, Tap::Point, AddressMode::Clamp);
    let at = |sampler: &Sampler, texel: f32| ask_words(&image.surface(), sampler, PLAIN, &[(texel / 6.0).to_bits()])[0];
    assert_eq!(at(&linear, 1.0), inf.to_bits(), "two infinities");
    assert_eq!(at(&linear, 2.0), NAN, "inf - inf");
    assert_eq!(at(&linear, 3.0), (-inf).to_bits());
    assert_eq!(at(&linear, 4.1), NAN);
    // Texels of weight zero do not count.
    assert_eq!([3.5, 5.5].map(|texel| at(&linear, texel)), [1.0f32, 2.0].map(f32::to_bits));
    // A single texel keeps its bits.
    let point = sampler(Tap::Point, Tap::Linear, AddressMode::Clamp);
    assert_eq!(at(&point, 4.5), 0xffc1_2345);
    let denormal = row(&[f32::from_bits(1)]);
    // Arithmetic flushes denormals (functional specification, 3.1.3.2), which filters are; a single texel is moved.
    for (state, expected) in [(point, 1), (linear, 0)] {
        assert_eq!(ask_words(&denormal.surface(), &state, PLAIN, &[0])[0], expected);
    }
}

#[test]
fn derivatives_that_span_no_area_and_strange_ones() {
    let image = numbered_levels(5);
    let level = |dx: [f32; 2], dy: [f32; 2]| {
        let args = [&[0.5, 0.5][..], &dx, &dy].concat();
        ask(&image.surface(), &Sampler::default(), Sampling { kind: SampleKind::Level, ..DERIVED }, &args)[1]
    };
    // 16 texels: perpendicular, parallel, one missing, all missing.
    assert_eq!(level([4.0 / 16.0, 0.0], [0.0, 2.0 / 16.0]), 2.0);
    assert_eq!(level([4.0 / 16.0, 0.0], [-2.0 / 16.0, 0.0]), 2.0);
    assert_eq!(level([0.0; 2], [0.0, 0.5 / 16.0]), -1.0);
    assert_eq!(level([0.0; 2], [0.0; 2]), f32::NEG_INFINITY);
    let (inf, nan) = (f32::INFINITY, f32::NAN);
    assert_eq!(level([inf, 0.0], [0.0, 1.0]), inf);
    assert_eq!(level([nan, 0.0], [0.0, 0.25]), 2.0);
    // Squares of lengths are floats.
    assert_eq!(level([f32::MAX; 2], [f32::MIN_POSITIVE, f32::MAX]), inf);
    assert_eq!(level([2f32.powi(59), 0.0], [2f32.powi(-60); 2]), 63.0);
    assert_eq!(level([2f32.powi(-53), 0.0], [0.0, 2f32.powi(-60)]), -49.0);
    let mut state = Sampler { max_anisotropy: 16, ..Sampler::default() };
    state.filter.anisotropic = true;
    for strange in [0.0, nan, inf, -inf, f32::MAX, 1e-40, 1.0] {
        for other in [0.0, nan, inf, 1.0] {
            let args = [0.5, 0.5, strange, other, other, strange];
            let value = red(&image, &state, DERIVED, &args);
            assert!((0.0..=4.0).contains(&value), "{args:?} {value}");
        }
    }
}

#[test]
fn faces_of_cubes_and_ties() {
    // The face, and the texel on it, as a number.
    let image = Image::new(Dimension::TextureCube, Format::R32_FLOAT, [4, 4, 1], 6, 1, |face, _, [x, y, _]| {
        u128::from((100.0 * face as f32 + 10.0 * y as f32 + x as f32).to_bits())
    });
    let point = sampler(Tap::Point, Tap::Point, AddressMode::Border);
    let at = |direction: [f64; 3]| red(&image, &point, PLAIN, &direction.map(|v| v as f32)) as u32;
    for face in 0..6 {
        for (y, x) in [(0, 0), (0, 3), (2, 1), (3, 3)] {
            let [s, t] = [x, y].map(|texel: u32| (f64::from(texel) + 0.5) / 2.0 - 1.0);
            assert_eq!(at(on_face(face, s, t)), 100 * face + 10 * y + x);
        }
    }
    // Ties: z before y before x.
    assert_eq!([at([1.0; 3]) / 100, at([1.0, 1.0, 0.0]) / 100, at([-1.0, 0.5, -1.0]) / 100], [4, 2, 5]);
    assert_eq!(at([1.0; 3]), 403, "the last texel, not the border");
    for strange in [0.0, f32::NAN, f32::INFINITY, -f32::INFINITY, f32::MAX, 1e-42] {
        for state in [point, sampler(Tap::Linear, Tap::Linear, AddressMode::Wrap)] {
            for direction in [[strange; 3], [strange, 1.0, 0.0], [0.5, strange, -1.0]] {
                let value = red(&image, &state, PLAIN, &direction);
                assert!((0.0..=533.0).contains(&value), "{direction:?}");
            }
        }
    }
}

#[test]
fn gathers_at_cube_corners_take_the_mean_of_three() {
    for (format, one) in [(Format::R8_UNORM, 1.0f32.to_bits()), (Format::R32_UINT, 255)] {
        // Face +z is full, the others empty.
        let texel = |face, _, _| if face == 4 { 255 } else { 0 };
        let image = Image::new(Dimension::TextureCube, format, [2, 2, 1], 6, 1, texel);
        let sampling = Sampling { kind: SampleKind::Gather { component: 0 }, ..PLAIN };
        let corner = ask_words(&image.surface(), &Sampler::default(), sampling, &[1f32.to_bits(); 3]);
        // Integers have no mean.
        let third = if format == Format::R8_UNORM { (1.0f32 / 3.0).to_bits() } else { one };
        // u and v are at their end and start: the upper right texel is the missing one.
        assert_eq!(corner, [one, 0, third, 0]);
        if format == Format::R8_UNORM {
            let state = Sampler { comparison: Comparison::Less, ..Sampler::default() };
            let sampling = Sampling { kind: SampleKind::GatherCompare, ..PLAIN };
            let args = [1.0, 1.0, 1.0, 0.5].map(f32::to_bits);
            assert_eq!(ask_words(&image.surface(), &state, sampling, &args), corner);
        }
    }
}

#[test]
fn integers_are_never_filtered() {
    let image = Image::new(Dimension::Texture1d, Format::R32_SINT, [2, 1, 1], 1, 1, |_, _, [x, ..]| x as u128 + 7);
    let state = Sampler::default();
    for (at, expected) in [(0.4f32, 7), (0.6, 8)] {
        assert_eq!(ask_words(&image.surface(), &state, PLAIN, &[at.to_bits()]), [expected, 0, 0, 1]);
    }
}

#[test]
fn a_level_that_is_not_given_is_zero_and_biased() {
    let image = numbered_levels(4);
    let state = Sampler { level_bias: 1.5, comparison: Comparison::Less, ..Sampler::default() };
    let sampling = Sampling { kind: SampleKind::Compare, level: LevelSource::Zero, ..PLAIN };
    // Levels 1 and 2, of which one passes.
    assert_eq!(red(&image, &state, sampling, &[0.5, 0.5, 1.0]), 0.5);
}
