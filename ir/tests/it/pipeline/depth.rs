//! Tests stencil and depth tests after the shader: functional specification, 17.10 to 17.12.

use brolga_ir::pipeline::record::BatchState;
use brolga_ir::pipeline::state::{
    Comparison, DepthFormat, DepthTest, PixelState, Range, StencilFace, StencilOp, StencilTest, Target,
};
use brolga_ir::texel::{Channel, ChannelKind, TexelFormat};
use brolga_testing_base::random::Random;

use super::{QUADS, Quad, ROWS, SIZE, draw, is_front, texel};

/// Lines of a shader that outputs `v1.w` as its colour.
const COLOR: &str = "dcl_input_ps constant v1.xyzw\ndcl_output o0.x\n";

/// The uses of `v1.x` as a depth, `v1.y` as a condition and `v1.z` as a mask by a shader.
#[derive(Clone, Copy, Default, Debug)]
struct Shader {
    depth: Output,
    discards: bool,
    masks: bool,
    /// Set if it outputs `v1.w` as the stencil reference.
    refers: bool,
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
        let (reference, referred) =
            if self.refers { ("dcl_output oStencilRef", "mov oStencilRef, v1.w") } else { ("", "") };
        format!("{COLOR}{declared}\n{mask}\n{reference}\n{discard}\nmov o0.x, v1.w\n{body}\n{masked}\n{referred}")
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
        DepthFormat::D32 | DepthFormat::D32S8 => depth.to_bits(),
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

/// A depth that a shader outputs: often at the border of two codes.
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

/// The format of this many words that code accesses without the host.
fn words(count: u32) -> TexelFormat {
    let channel = |n: u32| (n < count).then_some(Channel { shift: 32 * n, bits: 32, kind: ChannelKind::Uint });
    TexelFormat { words: count, word_shift: 0, channels: [channel(0), channel(1), None, None], missing_alpha: 1 }
}

/// Tests the stencil of a pixel that passes the depth test or not; returns the result and the new stencil.
fn stencil(test: StencilTest, is_front: bool, reference: u8, old: u8, passes: bool) -> (bool, u8) {
    let face = if is_front { test.front } else { test.back };
    let is_kept = face.test.holds(reference & test.read_mask, old & test.read_mask);
    let op = match (is_kept, passes) {
        (false, _) => face.fail,
        (true, false) => face.depth_fail,
        (true, true) => face.pass,
    };
    let new = match op {
        StencilOp::Keep => old,
        StencilOp::Zero => 0,
        StencilOp::Replace => reference,
        StencilOp::IncrementSaturated => old.saturating_add(1),
        StencilOp::DecrementSaturated => old.saturating_sub(1),
        StencilOp::Invert => !old,
        StencilOp::Increment => old.wrapping_add(1),
        StencilOp::Decrement => old.wrapping_sub(1),
    };
    (is_kept, old & !test.write_mask | new & test.write_mask)
}

fn any_stencil(random: &mut Random) -> StencilTest {
    let mask = |random: &mut Random| random.pick(&[0xff, 0xff, 0, 0x0f, 0x80]);
    let (read_mask, write_mask) = (mask(random), mask(random));
    let front = any_face(random);
    let back = if random.one_in(3) { front } else { any_face(random) };
    StencilTest { read_mask, write_mask, front, back }
}

fn any_face(random: &mut Random) -> StencilFace {
    let [fail, depth_fail, pass] = [(); 3].map(|()| random.pick(&StencilOp::ALL));
    StencilFace { test: random.pick(&Comparison::ALL), fail, depth_fail, pass }
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
    let texel_words = if late.format == DepthFormat::D32S8 { 2 } else { 1 };
    let mut before = [1, texel_words].map(|words| vec![0; words * (SIZE * SIZE) as usize]);
    let any = random.word() as u8;
    let reference = random.pick(&[0, 1, 0x80, 0xff, any]);
    let any_old = |random: &mut Random| random.pick(&[0, 1, 0xff, reference, reference.wrapping_add(1), any]);
    for &(n, _, code) in &pixels {
        let near = [code, code.saturating_sub(1), (code + 1) & mask, 0, random.word() & mask];
        let texel = &mut before[1][texel_words * texel(n)..][..texel_words];
        texel[0] = random.pick(&near) | u32::from(any_old(random)) << 24 & !mask;
        if let [_, stencil] = texel {
            *stencil = random.word() & !0xff | u32::from(any_old(random));
        }
    }
    let target = Target { output: 0, range: Range::Uint, blend: None, logic: None, write_mask: 15 };
    let (targets, depth) = (vec![target], Some(late));
    let state = PixelState { vertex_rows: ROWS, targets, depth, reports_live: true, ..PixelState::default() };
    let formats = [Some(words(1)), random.one_in(2).then(|| words(texel_words as u32))];
    // Texels of several words need a format.
    let formats = [formats[0], formats[1].or((texel_words > 1).then(|| words(2)))];
    let read_only = random.below(4) as u32;
    let [keeps_depths, keeps_stencils] = [0, 1].map(|bit| read_only >> bit & 1 == 1);
    let (stencil_reference, layer) = (reference.into(), u32::MAX);
    let of_draw = BatchState { depths, stencil_reference, layer, read_only, ..BatchState::default() };
    let (live, after) = draw(&shader.lines(), &state, &formats, &quads, of_draw, &before);
    for (n, quad, code) in pixels {
        let old = &before[1][texel_words * texel(n)..][..texel_words];
        let is_there = quad.coverage >> (n % 4) & 1 == 1
            && (!shader.discards || quad.first[1] == 0)
            && (!shader.masks || quad.first[2] & 1 == 1);
        let mut is_live = is_there && late.test.holds(code, old[0] & mask);
        let old_stencil = if texel_words == 2 { old[1] as u8 } else { (old[0] >> 24) as u8 };
        let mut new_stencil = old_stencil;
        if let Some(test) = late.stencil
            && is_there
        {
            let reference = if shader.refers { quad.first[3] as u8 } else { reference };
            let (is_kept, new) = stencil(test, is_front(n / 4), reference, old_stencil, is_live);
            is_live &= is_kept;
            if !keeps_stencils {
                new_stencil = new;
            }
        }
        let new = if is_live && late.writes && !keeps_depths { code } else { old[0] & mask };
        let new = match late.format {
            DepthFormat::D16 | DepthFormat::D32 => vec![new],
            DepthFormat::D24 => vec![new | u32::from(new_stencil) << 24],
            DepthFormat::D32S8 => vec![new, old[1] & !0xff | u32::from(new_stencil)],
        };
        let color = if is_live { quad.first[3] } else { 0 };
        let found = (live[n], after[0][texel(n)], &after[1][texel_words * texel(n)..][..texel_words]);
        assert_eq!(
            found,
            (u32::from(is_live), color, &new[..]),
            "{shader:?} {late:?} {code:#x} {old:x?} {reference:#x}"
        );
    }
}

#[test]
fn pixels_that_pass_are_live_and_written() {
    let mut random = Random(1);
    for output in [Output::None, Output::Any, Output::GreaterEqual, Output::LessEqual] {
        for format in [DepthFormat::D16, DepthFormat::D24, DepthFormat::D32, DepthFormat::D32S8] {
            for test in Comparison::ALL {
                let mut one_in = |n| random.one_in(n);
                let shader = Shader { depth: output, discards: one_in(3), masks: one_in(3), refers: one_in(3) };
                let late = DepthTest { format, test, writes: !one_in(4), stencil: None };
                // The stencil test comes beside each of the others.
                for stencil in [None, Some(any_stencil(&mut random)), Some(any_stencil(&mut random))] {
                    let stencil = stencil.filter(|_| format.has_stencil());
                    let depths = random.pick(&[[0.0, 1.0], [0.0, 1.0], [0.25, 0.75], [0.3, 0.3]]);
                    check(shader, DepthTest { stencil, ..late }, depths, &mut random);
                }
            }
        }
    }
}

/// Each code of 24 bits is the nearest one, and halves go up.
#[test]
fn codes_of_24_bits_are_exact() {
    let mut random = Random(2);
    let shader = Shader { depth: Output::Any, ..Shader::default() };
    let late = DepthTest { format: DepthFormat::D24, test: Comparison::Equal, writes: true, stencil: None };
    for _ in 0..50 {
        check(shader, late, [0.0, 1.0], &mut random);
    }
}

/// Uncovered and discarded pixels run on for the derivatives of their quad, and write nothing.
#[test]
fn derivatives_see_helper_pixels() {
    let lines = "dcl_input_ps linear v1.xyz\ndcl_output o0.xy\ndcl_temps 1\n\
                 lt r0.x, v1.z, l(0.5)\ndiscard_nz r0.x\nderiv_rtx_fine o0.x, v1.x\nderiv_rty_fine o0.y, v1.y";
    let target = Target { output: 0, range: Range::Float, blend: None, logic: None, write_mask: 15 };
    let state = PixelState { vertex_rows: ROWS, targets: vec![target], reports_live: true, ..PixelState::default() };
    let channel = |shift| Some(Channel { shift, bits: 32, kind: ChannelKind::Float });
    let pair =
        TexelFormat { words: 2, word_shift: 0, channels: [channel(0), channel(32), None, None], missing_alpha: 0 };
    for coverage in 0..16 {
        // The left column is discarded.
        let more = [[3.0, 0.0, 1.0, 0.0], [0.0, -5.0, 0.0, 0.0]];
        let quad = Quad { more, ..Quad::constant(coverage, [0; 4]) };
        let before = vec![vec![9; 2 * (SIZE * SIZE) as usize]];
        let (live, after) = draw(lines, &state, &[Some(pair)], &[quad], BatchState::default(), &before);
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
