//! The depth test after the shader: functional specification, 17.10 and 17.11.

use brolga_ir::pipeline::state::{Comparison, DepthFormat, DepthTest, PixelState, Range, Target};
use brolga_ir::texel::{Channel, ChannelKind, TexelFormat};
use brolga_testing_base::random::Random;

use super::{QUADS, Quad, ROWS, SIZE, draw, texel};

/// Lines of a shader that gives `v1.w` as its colour.
const COLOR: &str = "dcl_input_ps constant v1.xyzw\ndcl_output o0.x\n";

/// What shaders do with `v1.x` as a depth, `v1.y` as a condition and `v1.z` as a mask.
#[derive(Clone, Copy, Default, Debug)]
struct Shader {
    depth: Output,
    discards: bool,
    masks: bool,
}

#[derive(Clone, Copy, Default, Debug)]
enum Output {
    #[default]
    None,
    Any,
    GreaterEqual,
    LessEqual,
}

impl Shader {
    fn lines(self) -> String {
        let (declared, body) = match self.depth {
            Output::None => ("", ""),
            Output::Any => ("dcl_output oDepth", "mov oDepth, v1.x"),
            Output::GreaterEqual => ("dcl_output oDepthGE", "mov oDepthGE, v1.x"),
            Output::LessEqual => ("dcl_output oDepthLE", "mov oDepthLE, v1.x"),
        };
        let discard = if self.discards { "discard_nz v1.y" } else { "" };
        let (mask, masked) = if self.masks { ("dcl_output oMask", "mov oMask, v1.z") } else { ("", "") };
        format!("{COLOR}{declared}\n{mask}\n{discard}\nmov o0.x, v1.w\n{body}\n{masked}")
    }
}

/// The code of a depth.
fn code(format: DepthFormat, depth: f32, [least, most]: [f32; 2]) -> u32 {
    // Denormals count as zeros.
    let depth = if depth.is_subnormal() { 0.0 } else { depth };
    let depth = if depth > least { depth.min(most) } else { least };
    match format {
        DepthFormat::D16 => (depth * 65535.0 + 0.5) as u32,
        DepthFormat::D24 => (f64::from(depth) * 16_777_215.0 + 0.5) as u32,
        DepthFormat::D32 => depth.to_bits(),
    }
}

/// The depth of a pixel before it is clamped to the viewport's.
fn depth(shader: Shader, z: f32, given: f32) -> f32 {
    match shader.depth {
        Output::None => z,
        Output::Any => given,
        Output::GreaterEqual => given.max(z),
        Output::LessEqual => given.min(z),
    }
}

/// A depth that a shader gives: often where codes meet.
fn given(random: &mut Random) -> f32 {
    match random.below(6) {
        0 => random.pick(&[0.0, -0.0, 0.5, 1.0, 1.5, -3.0, 1e-40, f32::NAN, f32::INFINITY, f32::NEG_INFINITY]),
        1 => f32::from_bits(random.below(0x3f80_0001) as u32),
        2 | 3 => {
            let bits = random.below(25);
            let edge = (random.below(1 << bits) as f64 + 0.5) / 16_777_215.0;
            f32::from_bits((edge as f32).to_bits() + random.below(3) as u32 - 1)
        }
        _ => random.below(1 << 24) as f32 / (1 << 24) as f32,
    }
}

/// The format of words that code accesses without the host.
fn word() -> TexelFormat {
    let channel = Channel { shift: 0, bits: 32, kind: ChannelKind::Uint };
    TexelFormat { words: 1, channels: [Some(channel), None, None, None], missing_alpha: 1 }
}

fn check(shader: Shader, late: DepthTest, depths: [f32; 2], random: &mut Random) {
    let mut quads = Vec::new();
    for _ in 0..QUADS {
        // Sums of such numbers are exact.
        let mut number = |most: usize| (random.below(2 * most) as f32 - most as f32) / (1 << 20) as f32;
        let z = [0.5 + number(1 << 19), number(1 << 18), number(1 << 18)];
        let first = [given(random).to_bits(), random.below(3) as u32, random.below(4) as u32, random.word()];
        quads.push(Quad { z, ..Quad::constant(random.below(16) as u32, first) });
    }
    let mask = if late.format == DepthFormat::D24 { 0xff_ffff } else { u32::MAX };
    let pixels: Vec<(usize, Quad, u32)> = (0..4 * QUADS)
        .map(|n| {
            let (quad, x, y) = (quads[n / 4], (n % 2) as f32, (n % 4 / 2) as f32);
            let z = quad.z[0] + x * quad.z[1] + y * quad.z[2];
            (n, quad, code(late.format, depth(shader, z, f32::from_bits(quad.first[0])), depths))
        })
        .collect();
    let mut before = vec![vec![0; (SIZE * SIZE) as usize]; 2];
    for &(n, _, code) in &pixels {
        let near = [code, code.saturating_sub(1), (code + 1) & mask, 0, random.word() & mask];
        before[1][texel(n)] = random.pick(&near) | random.word() & !mask;
    }
    let target = Target { output: 0, range: Range::Uint, blend: None, write_mask: 15 };
    let state = PixelState { vertex_rows: ROWS, targets: vec![target], depth: Some(late), reports_live: true };
    let formats = [Some(word()), random.one_in(2).then(word)];
    let state_words = [0, 0, 0, 0, depths[0].to_bits(), depths[1].to_bits(), 0];
    let (live, after) = draw(&shader.lines(), &state, &formats, &quads, state_words, &before);
    for (n, quad, code) in pixels {
        let old = before[1][texel(n)];
        let stays = (!shader.discards || quad.first[1] == 0) && (!shader.masks || quad.first[2] & 1 == 1);
        let is_live = quad.coverage >> (n % 4) & 1 == 1 && stays && late.test.holds(code, old & mask);
        let new = if is_live && late.writes { old & !mask | code } else { old };
        let color = if is_live { quad.first[3] } else { 0 };
        let found = [live[n], after[0][texel(n)], after[1][texel(n)]];
        assert_eq!(found, [u32::from(is_live), color, new], "{shader:?} {late:?} {code:#x} {old:#x} {:?}", quad.z);
    }
}

#[test]
fn pixels_that_pass_are_live_and_written() {
    use Comparison::{Always, Equal, Greater, GreaterEqual, Less, LessEqual, Never, NotEqual};
    let mut random = Random(1);
    for output in [Output::None, Output::Any, Output::GreaterEqual, Output::LessEqual] {
        for format in [DepthFormat::D16, DepthFormat::D24, DepthFormat::D32] {
            for test in [Never, Less, Equal, LessEqual, Greater, NotEqual, GreaterEqual, Always] {
                let mut one_in = |n| random.one_in(n);
                let shader = Shader { depth: output, discards: one_in(3), masks: one_in(3) };
                let late = DepthTest { format, test, writes: !one_in(4) };
                let depths = random.pick(&[[0.0, 1.0], [0.0, 1.0], [0.25, 0.75], [0.3, 0.3]]);
                check(shader, late, depths, &mut random);
            }
        }
    }
}

/// Each code of 24 bits is the nearest one, and halves go up.
#[test]
fn codes_of_24_bits_are_exact() {
    let mut random = Random(2);
    let shader = Shader { depth: Output::Any, ..Shader::default() };
    let late = DepthTest { format: DepthFormat::D24, test: Comparison::Equal, writes: true };
    for _ in 0..50 {
        check(shader, late, [0.0, 1.0], &mut random);
    }
}

/// Uncovered and discarded pixels run on for the derivatives of their quad, and write nothing.
#[test]
fn derivatives_see_helper_pixels() {
    let lines = "dcl_input_ps linear v1.xyz\ndcl_output o0.xy\ndcl_temps 1\n\
                 lt r0.x, v1.z, l(0.5)\ndiscard_nz r0.x\nderiv_rtx_fine o0.x, v1.x\nderiv_rty_fine o0.y, v1.y";
    let target = Target { output: 0, range: Range::Float, blend: None, write_mask: 15 };
    let state = PixelState { vertex_rows: ROWS, targets: vec![target], reports_live: true, ..PixelState::default() };
    let channel = |shift| Some(Channel { shift, bits: 32, kind: ChannelKind::Float });
    let pair = TexelFormat { words: 2, channels: [channel(0), channel(32), None, None], missing_alpha: 0 };
    for coverage in 0..16 {
        // The left column is discarded.
        let more = [[3.0, 0.0, 1.0, 0.0], [0.0, -5.0, 0.0, 0.0]];
        let quad = Quad { more, ..Quad::constant(coverage, [0; 4]) };
        let before = vec![vec![9; 2 * (SIZE * SIZE) as usize]];
        let (live, after) = draw(lines, &state, &[Some(pair)], &[quad], [0; crate::state::WORDS as usize], &before);
        for n in 0..4 {
            let is_live = coverage >> n & 1 == 1 && n % 2 == 1;
            let expected = if is_live { [3f32.to_bits(), (-5f32).to_bits()] } else { [9; 2] };
            assert_eq!(
                (live[n], &after[0][2 * texel(n)..][..2]),
                (u32::from(is_live), &expected[..]),
                "{coverage} {n}"
            );
        }
    }
}
