//! Tests sRGB targets: functional specification, 3.2.3.7 and 3.2.3.8.

use brolga_ir::pipeline::record::BatchState;
use brolga_ir::pipeline::state::{Blend, BlendOp, Equation, Factor, PixelState, Range, Target};
use brolga_ir::srgb::LIMITS;
use brolga_ir::texel::{Channel, ChannelKind, TexelFormat};
use brolga_testing_base::random::Random;

use super::{QUADS, Quad, ROWS, SIZE, draw, texel};

const SHADER: &str = "dcl_input_ps constant v1.xyzw\ndcl_output o0.xyzw\nmov o0.xyzw, v1.xyzw";

/// B8G8R8A8_UNORM_SRGB.
fn format() -> TexelFormat {
    let channel = |shift, kind| Some(Channel { shift, bits: 8, kind });
    let srgb = |shift| channel(shift, ChannelKind::Srgb);
    TexelFormat {
        words: 1,
        word_shift: 0,
        channels: [srgb(16), srgb(8), srgb(0), channel(24, ChannelKind::Unorm)],
        missing_alpha: 0,
    }
}

/// Red, green, blue and alpha.
fn codes(word: u32) -> [u32; 4] {
    [16, 8, 0, 24].map(|shift| word >> shift & 255)
}

fn bend(number: f64) -> f64 {
    if number <= 0.003_130_8 { 12.92 * number } else { 1.055 * number.powf(1.0 / 2.4) - 0.055 }
}

fn straighten(number: f64) -> f64 {
    if number <= 0.04045 { number / 12.92 } else { ((number + 0.055) / 1.055).powf(2.4) }
}

/// The code of a number; NaN gives 0.
fn code(number: f32) -> u32 {
    (bend(f64::from(number).clamp(0.0, 1.0)) * 255.0 + 0.5) as u32
}

fn target(blend: Option<Blend>) -> PixelState {
    let target = Target { output: 0, range: Range::Unorm, blend, logic: None, write_mask: 15 };
    PixelState { vertex_rows: ROWS, targets: vec![target], ..PixelState::default() }
}

#[test]
fn colours_become_the_nearest_codes() {
    let mut numbers = vec![0.0, -0.0, 1.0, 1.5, -1.0, 1e-40, -1e-40, f32::MIN_POSITIVE, f32::MAX, f32::MIN];
    numbers.extend([f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 0.003_130_8]);
    for code in 0..256 {
        numbers.push(straighten(f64::from(code) / 255.0) as f32);
    }
    // The number at which the next code begins, and its neighbours.
    for limit in &LIMITS[..255] {
        numbers.extend([limit - 2, limit - 1, *limit, limit + 1].map(f32::from_bits));
    }
    let mut random = Random(1);
    numbers.extend((0..2000).map(|_| f32::from_bits(random.below(0x3f80_0001) as u32)));
    for numbers in numbers.chunks(3 * QUADS) {
        let number = |n: usize| numbers.get(n).copied().unwrap_or(0.25);
        let quad = |n: usize| [number(3 * n), number(3 * n + 1), number(3 * n + 2), number(3 * n)];
        let quads: Vec<Quad> = (0..QUADS).map(|n| Quad::constant(15, quad(n).map(f32::to_bits))).collect();
        let before = vec![vec![0; (SIZE * SIZE) as usize]];
        let (_, after) = draw(SHADER, &target(None), &[Some(format())], &quads, BatchState::default(), &before);
        for n in 0..4 * QUADS {
            let [red, green, blue, alpha] = quad(n / 4);
            let unorm = (f64::from(alpha).clamp(0.0, 1.0) * 255.0 + 0.5) as u32;
            let expected = [code(red), code(green), code(blue), unorm];
            assert_eq!(codes(after[0][texel(n)]), expected, "{red} {green} {blue} {alpha}");
        }
    }
}

/// The destination is converted to linear before and back after.
#[test]
fn blends_are_linear() {
    let mut random = Random(2);
    let equation = |source, destination| Equation { source, destination, op: BlendOp::Add };
    let over = equation(Factor::SourceAlpha, Factor::InverseSourceAlpha);
    let state = target(Some(Blend { color: over, alpha: equation(Factor::One, Factor::InverseSourceAlpha) }));
    for _ in 0..20 {
        let quads: Vec<Quad> = (0..QUADS)
            .map(|_| {
                Quad::constant(
                    15,
                    [0; 4].map(|_: u32| (random.below(1 << 20) as f32 / (1 << 19) as f32 - 0.5).to_bits()),
                )
            })
            .collect();
        let before = vec![(0..SIZE * SIZE).map(|_| random.bits() as u32).collect::<Vec<_>>()];
        let (_, after) = draw(SHADER, &state, &[Some(format())], &quads, BatchState::default(), &before);
        for n in 0..4 * QUADS {
            let source = quads[n / 4].first.map(|bits| f64::from(f32::from_bits(bits)).clamp(0.0, 1.0));
            let old = codes(before[0][texel(n)]).map(|code| f64::from(code) / 255.0);
            let found = codes(after[0][texel(n)]).map(f64::from);
            for (channel, found) in found.into_iter().enumerate() {
                let rest = 1.0 - source[3];
                let exact = match channel {
                    3 => source[3] + old[3] * rest,
                    _ => bend(source[channel] * source[3] + straighten(old[channel]) * rest),
                };
                assert!((found - exact.clamp(0.0, 1.0) * 255.0).abs() < 0.501, "{source:?} {old:?} {found} {exact}");
            }
        }
    }
}
