//! Tests texture instructions: coordinates, level of detail, and the use of the result. `run.rs` defines the result of
//! a sample.

use std::collections::BTreeSet;

use brolga_bytecode::sm3::ops::Class;
use brolga_bytecode::sm3::{ItemKind, Op, TextureType, Version};
use brolga_ir::translate::TranslateError;
use brolga_ir::translate::sm3::{TranslateOptions, translate};

use super::run::{Constants, Outputs, QUAD, Shader, assembled};

/// Runs a pixel shader on a quad whose coordinates are equal. Textures of stages above 3 are not 2D: 4 is a cube, 5 a
/// box.
fn run(text: &str, constants: &Constants, inputs: &[(&str, [f32; 4])]) -> Outputs {
    Shader::new(text, &options()).run_one(constants, inputs)
}

fn options() -> TranslateOptions {
    let mut options = TranslateOptions::default();
    options.textures[4] = TextureType::TextureCube;
    options.textures[5] = TextureType::Volume;
    options
}

/// Stages whose matrix and luminance are 1, 2, 3, 4 and 0.5, 0.25.
fn stages() -> Constants {
    Constants { stages: [[1.0, 2.0, 3.0, 4.0], [0.5, 0.25, 0.0, 0.0]].repeat(6), ..Constants::default() }
}

const T0: (&str, [f32; 4]) = ("t0", [0.25, 0.5, 0.75, 2.0]);
const T1: (&str, [f32; 4]) = ("t1", [1.0, 2.0, 3.0, 4.0]);
const T2: (&str, [f32; 4]) = ("t2", [5.0, 6.0, 7.0, 8.0]);
const T3: (&str, [f32; 4]) = ("t3", [9.0, 10.0, 11.0, 12.0]);

/// Text, inputs, the resulting color. `tex t0` leaves (0.25, 0.5, 0, 0) in t0.
type Stage = (&'static str, &'static str, &'static [(&'static str, [f32; 4])], [f32; 4]);

const STAGES: &[Stage] = &[
    // tex.md
    ("tex", "tex t1\nmov r0, t1", &[T1], [1.0, 2.0, 0.0, 100.0]),
    // texcoord.md: clamped, w is 1.
    ("texcoord", "texcoord t0\nmov r0, t0", &[T0], [0.25, 0.5, 0.75, 1.0]),
    ("texcoord", "texcoord t1\nmov r0, t1", &[("t1", [-1.0, 0.5, 7.0, 0.0])], [0.0, 0.5, 1.0, 1.0]),
    // texbem.md: u + m00 * du + m10 * dv, v + m01 * du + m11 * dv
    ("texbem", "tex t0\ntexbem t1, t0\nmov r0, t1", &[T0, T1], [2.75, 4.5, 0.0, 100.0]),
    // texbeml.md: times scale * luminance + offset; there is 0 in the blue of t0.
    ("texbeml", "tex t0\ntexbeml t1, t0\nmov r0, t1", &[T0, T1], [0.6875, 1.125, 0.0, 25.0]),
    ("texbeml", "texcoord t0\ntexbeml t1, t0\nmov r0, t1", &[T0, T1], [1.71875, 2.8125, 0.0, 62.5]),
    // texreg2ar.md, texreg2gb.md, texreg2rgb.md
    ("texreg2ar", "texcoord t0\ntexreg2ar t1, t0\nmov r0, t1", &[T0], [1.0, 0.25, 0.0, 100.0]),
    ("texreg2gb", "texcoord t0\ntexreg2gb t1, t0\nmov r0, t1", &[T0], [0.5, 0.75, 0.0, 100.0]),
    ("texreg2rgb", "texcoord t0\ntexreg2rgb t1, t0\nmov r0, t1", &[T0], [0.25, 0.5, 0.0, 100.0]),
    // texdp3.md, texdp3tex.md: (0.25, 0.5, 0.75) . (1, 2, 3) is 3.5.
    ("texdp3", "texcoord t0\ntexdp3 t1, t0\nmov r0, t1", &[T0, T1], [3.5; 4]),
    ("texdp3tex", "texcoord t0\ntexdp3tex t1, t0\nmov r0, t1", &[T0, T1], [3.5, 0.0, 0.0, 100.0]),
    // texm3x2tex.md: the second row with (5, 6, 7) is 9.5.
    (
        "texm3x2tex",
        "texcoord t0\ntexm3x2pad t1, t0\ntexm3x2tex t2, t0\nmov r0, t2",
        &[T0, T1, T2],
        [3.5, 9.5, 0.0, 200.0],
    ),
    // texm3x3.md: the third row with (9, 10, 11) is 15.5.
    (
        "texm3x3",
        "texcoord t0\ntexm3x3pad t1, t0\ntexm3x3pad t2, t0\ntexm3x3 t3, t0\nmov r0, t3",
        &[T0, T1, T2, T3],
        [3.5, 9.5, 15.5, 1.0],
    ),
    // _bx2 of a source: (-0.5, 0, 0.5).
    (
        "texm3x2tex",
        "texcoord t0\ntexm3x2pad t1, t0_bx2\ntexm3x2tex t2, t0_bx2\nmov r0, t2",
        &[T0, T1, T2],
        [1.0, 1.0, 0.0, 200.0],
    ),
];

#[test]
fn stages_of_ps_1_1_to_1_3() {
    let mut seen = BTreeSet::new();
    for version in ["ps_1_1", "ps_1_2", "ps_1_3"] {
        for &(name, text, inputs, want) in STAGES {
            let text = format!("{version}\n{text}");
            // The later ones are not in ps_1_1.
            let limits = brolga_bytecode::Limits::default();
            if version == "ps_1_1" && brolga_bytecode::sm3::assemble(&text, &limits).is_err() {
                continue;
            }
            seen.insert((version, name));
            assert_eq!(run(&text, &stages(), inputs).row(0), want, "{text}");
        }
    }
    assert_eq!(seen.len(), 7 + 2 * 11, "{seen:?}");
}

/// texm3x3tex.md, texm3x3spec.md, texm3x3vspec.md: cubes and boxes, at all three numbers.
#[test]
fn matrices_of_three_rows_sample() {
    let rows = "texcoord t0\ntexm3x3pad t1, t0\ntexm3x3pad t2, t0\n";
    let mut options = options();
    for texture in [TextureType::TextureCube, TextureType::Volume] {
        options.textures[3] = texture;
        let run = |last: &str, inputs: &[(&str, [f32; 4])]| {
            let shader = Shader::new(&format!("ps_1_1\ndef c1, 0.5, -1, 1, 0\n{rows}{last}\nmov r0, t3"), &options);
            shader.run_one(&Constants::default(), inputs).row(0)
        };
        assert_eq!(run("texm3x3tex t3, t0", &[T0, T1, T2, T3]), [3.5, 9.5, 15.5, 300.0]);
        // N = (1, 2, 2): 2 * (N . E) / (N . N) * N - E.
        let normal = [("t1", [4.0, 0.0, 0.0, 2.0]), ("t2", [0.0, 4.0, 0.0, 3.0]), ("t3", [8.0, 0.0, 0.0, 4.0])];
        let inputs = [&[T0][..], &normal].concat();
        let reflected = |eye: [f32; 3]| {
            let along: f32 = eye[0] + 2.0 * eye[1] + 2.0 * eye[2];
            [1.0, 2.0, 2.0].iter().zip(eye).map(|(n, e)| 2.0 * along / 9.0 * n - e).collect::<Vec<f32>>()
        };
        for (last, eye) in [("texm3x3spec t3, t0, c1", [0.5, -1.0, 1.0]), ("texm3x3vspec t3, t0", [2.0, 3.0, 4.0])] {
            let got = run(last, &inputs);
            for (got, want) in got.iter().zip(reflected(eye)) {
                assert!((got - want).abs() < 1e-5, "{last}: {got} {want}");
            }
            assert_eq!(got[3], 300.0);
        }
    }
}

/// A last row of a matrix without those before it is no program.
#[test]
fn rows_belong_together() {
    for text in [
        "ps_1_1\ntex t0\ntexm3x2tex t2, t0\nmov r0, t2",
        "ps_1_1\ntex t0\ntexm3x3pad t1, t0\ntexm3x3tex t3, t0\nmov r0, t3",
    ] {
        let error = translate(&assembled(text), &TranslateOptions::default()).expect_err("rows are missing");
        assert!(matches!(error, TranslateError::Flow { .. }), "{error}");
    }
}

/// texm3x2depth.md, texdepth.md, asm-ps-registers.md (oDepth).
#[test]
fn depths() {
    let text = "ps_1_3\ntexcoord t0\ntexm3x2pad t1, t0\ntexm3x2depth t2, t0\nmov r0, t0";
    assert_eq!(run(text, &stages(), &[T0, T1, T2]).depth(), 3.5 / 9.5);
    assert_eq!(run(text, &stages(), &[T0, T1, ("t2", [0.0; 4])]).depth(), 1.0);
    let text = "ps_1_4\ntexcrd r5.rgb, t0\nphase\ntexdepth r5\nmov r0, c0";
    assert_eq!(run(text, &Constants::default(), &[T0]).depth(), 0.5);
    assert_eq!(run(text, &Constants::default(), &[("t0", [0.5, 0.0, 1.0, 1.0])]).depth(), 1.0);
    // A divisor above 1 is taken as 1, and so is a result above 1. docs: both are devices'; the page of texm3x2depth
    // asks for a depth of 0 to 1.
    for (z, w, depth) in [(0.5, 2.0, 0.5), (0.5, 0.75, 0.5 / 0.75), (3.0, 2.0, 1.0), (0.5, -2.0, 0.0), (0.5, 1.0, 0.5)]
    {
        assert_eq!(run(text, &Constants::default(), &[("t0", [z, w, 0.0, 1.0])]).depth(), depth, "{z} / {w}");
    }
    let text = "ps_2_0\ndcl t0\nmov r0, t0\nmov oC0, r0\nmov oDepth, r0.z";
    assert_eq!(run(text, &Constants::default(), &[T0]).depth(), 0.75);
}

/// texld.md (ps_1_4), texcrd.md, bem.md, and the modifiers of their sources.
#[test]
fn stages_of_ps_1_4() {
    let cases: [(&str, [f32; 4]); 9] = [
        ("texld r1, t0\nmov r0, r1", [0.25, 0.5, 0.0, 100.0]),
        ("texld r1, t0.xyw\nmov r0, r1", [0.25, 0.5, 0.0, 100.0]),
        ("texld r1, t0_dw.xyw\nmov r0, r1", [0.125, 0.25, 0.0, 100.0]),
        ("texld r5, t0\nmov r0, r5", [0.25, 0.5, 0.75, 500.0]),
        ("texld r5, t0.xyw\nmov r0, r5", [0.25, 0.5, 2.0, 500.0]),
        ("texld r4, t0\nmov r0, r4", [0.25, 0.5, 0.75, 400.0]),
        ("texcrd r0.rgb, t0\nmov r0.a, c0", [0.25, 0.5, 0.75, 0.0]),
        ("texcrd r0.rg, t0_dw.xyw\nmov r0.ba, c0", [0.125, 0.25, 0.0, 0.0]),
        ("texcrd r0.rgb, t0\nmov r1.rgb, r0\nbem r1.rg, r0, r0\nmov r0.a, c0\nmov r0.rgb, r1", [2.0, 3.0, 0.75, 0.0]),
    ];
    for (text, want) in cases {
        assert_eq!(run(&format!("ps_1_4\n{text}"), &stages(), &[T0]).row(0), want, "{text}");
    }
    let text = "ps_1_4\ntexcrd r1.rgb, t0\nphase\ntexld r2, r1_dz\nmov r0, r2";
    assert_eq!(run(text, &stages(), &[("t0", [1.0, 2.0, 4.0, 9.0])]).row(0), [0.25, 0.5, 0.0, 200.0]);
    assert_eq!(run(text, &stages(), &[("t0", [1.0, 2.0, 0.0, 9.0])]).row(0), [1.0, 1.0, 0.0, 200.0]);
}

/// texld.md, texldp.md, texldb.md, texldl.md, texldd.md: the version, its input register, and the lines.
#[test]
fn lookups_of_shader_models_2_and_3() {
    let cases: [(&str, [f32; 4]); 11] = [
        ("texld r0, %t, s1", [0.25, 0.5, 0.0, 100.0]),
        ("texld r0, %t, s2", [0.25, 0.5, 0.75, 200.0]),
        ("texld r0, %t, s3", [0.25, 0.5, 0.75, 300.0]),
        ("texldp r0, %t, s1", [0.125, 0.25, 0.0, 100.0]),
        ("texldp r0, %t, s3", [0.125, 0.25, 0.375, 300.0]),
        ("texldb r0, %t, s1", [0.25, 0.5, 0.0, 102.0]),
        ("texldb r0, %t, s2", [0.25, 0.5, 0.75, 202.0]),
        ("texldl r0, %t, s1", [0.25, 0.5, 0.0, 102.0]),
        ("texldl r0, %t, s3", [0.25, 0.5, 0.75, 302.0]),
        ("mov r1, c1\nmov r2, c2\ntexldd r0, %t, s1, r1, r2", [0.25, 0.5, 3.0, 108.0]),
        ("texld r0, %t.wzyx, s1.yxww", [0.75, 2.0, 100.0, 100.0]),
    ];
    let constants =
        Constants { floats: vec![[0.0; 4], [3.0, 4.0, 5.0, 6.0], [7.0, 8.0, 9.0, 10.0]], ..Constants::default() };
    let mut seen = BTreeSet::new();
    for &version in Version::ALL {
        let (declaration, register) = match version.text() {
            "ps_2_0" | "ps_2_x" | "ps_2_sw" => ("dcl t0", "t0"),
            "ps_3_0" | "ps_3_sw" => ("dcl_texcoord v0", "v0"),
            "vs_3_0" | "vs_3_sw" => ("dcl_texcoord v0\ndcl_position o0", "v0"),
            _ => continue,
        };
        let output = if version.text().starts_with("vs") { "o0" } else { "oC0" };
        for (lines, want) in cases {
            let text = format!(
                "{}\n{declaration}\ndcl_2d s1\ndcl_cube s2\ndcl_volume s3\n{}\nmov {output}, r0",
                version.text(),
                lines.replace("%t", register)
            );
            let limits = brolga_bytecode::Limits::default();
            let Ok(program) = brolga_bytecode::sm3::assemble(&text, &limits) else { continue };
            seen.extend(program.items.iter().filter_map(|item| match &item.kind {
                ItemKind::Instruction(instruction) => Some((instruction.op as usize, version)),
                _ => None,
            }));
            assert_eq!(run(&text, &constants, &[(register, T0.1)]).row(0), want, "{text}");
        }
    }
    let lookups = [Op::TexLd, Op::TexLdP, Op::TexLdB, Op::TexLdD, Op::TexLdL];
    for op in lookups {
        assert_eq!(op.info().class, Class::Texture);
        for &version in Version::ALL.iter().filter(|&&version| op.info().versions.contains(version)) {
            assert!(seen.contains(&(op as usize, version)), "{op} in {version:?}");
        }
    }
}

/// dsx.md, dsy.md: differences across the quad, the same for all of it. texld takes its level of detail from them, also
/// under divergent control flow.
#[test]
fn derivatives_are_differences_across_the_quad() {
    let x = |u: f32, v: f32| [u, v, 0.5, 2.0];
    let quad: [[f32; 4]; QUAD] = [x(1.0, 1.0), x(1.5, 1.25), x(1.125, 3.0), x(9.0, 9.0)];
    let run = |text: &str| Shader::new(text, &options()).run(&Constants::default(), &[("v0", quad)]).rows(0);
    for version in ["ps_2_x", "ps_2_sw", "ps_3_0", "ps_3_sw"] {
        let (declaration, register) =
            if version.starts_with("ps_2") { ("dcl t0", "t0") } else { ("dcl_texcoord v0", "v0") };
        for (op, want) in [("dsx", [0.5, 0.25, 0.0, 0.0]), ("dsy", [0.125, 2.0, 0.0, 0.0])] {
            let text = format!("{version}\n{declaration}\nmov r1, {register}\n{op} r0, r1\nmov oC0, r0");
            let shader = Shader::new(&text, &options());
            assert_eq!(shader.run(&Constants::default(), &[(register, quad)]).rows(0), [want; QUAD], "{text}");
            let text = format!("{version}\n{declaration}\n{op} r0, -{register}.yxzw\nmov oC0, r0");
            let shader = Shader::new(&text, &options());
            let want = [-want[1], -want[0], 0.0, 0.0];
            assert_eq!(shader.run(&Constants::default(), &[(register, quad)]).rows(0), [want; QUAD], "{text}");
        }
    }
    let sampled = quad.map(|[u, v, ..]| [u, v, 0.5, 2.0]);
    assert_eq!(run("ps_3_0\ndcl_texcoord v0\ndcl_2d s0\ntexld r0, v0, s0\nmov oC0, r0"), sampled);
    // Only the first pixel samples: its neighbours' coordinates count all the same.
    let head = "ps_3_0\ndcl_texcoord v0\ndcl_2d s0\ndef c0, 1, 0, 0, 0\nmov r0, c0.y\nif_le v0.x, c0.x\n";
    let got = run(&format!("{head}texld r0, v0, s0\nendif\nmov oC0, r0"));
    assert_eq!(got, [sampled[0], [0.0; 4], [0.0; 4], [0.0; 4]]);
    let got = run(&format!("{head}texldp r0, v0, s0\nendif\nmov oC0, r0"));
    assert_eq!(got[0], [0.5, 0.5, 0.25, 1.0]);
}

/// texkill.md: in ps_1_x three components, of the stage's coordinates up to ps_1_3; later all four of the register, as
/// the pages of HLSL's `clip` and of the instruction's token have it.
#[test]
fn pixels_are_discarded() {
    let cases = [
        ([0.0, 0.0, 0.0, 0.0], false),
        ([-1.0, 0.0, 0.0, 0.0], true),
        ([1.0, -1e-30, 0.0, 0.0], true),
        ([1.0, 0.0, -5.0, 0.0], true),
        ([-0.0, f32::NAN, -1e-40, -0.0], false),
    ];
    let texts = [
        ("t0", false, "ps_1_1\ntexkill t0\nmov r0, c0"),
        ("t0", false, "ps_1_3\ntexkill t0\nmov r0, c0"),
        ("t0", false, "ps_1_4\ntexcrd r1.rgb, t0\nphase\ntexkill r1\nmov r0, c0"),
        ("t0", false, "ps_1_4\nphase\ntexkill t0\nmov r0, c0"),
        ("t0", true, "ps_2_0\ndcl t0\ntexkill t0\nmov r0, c0\nmov oC0, r0"),
        ("t0", true, "ps_2_0\ndcl t0\nmov r1, t0\ntexkill r1\nmov r0, c0\nmov oC0, r0"),
        ("t0", true, "ps_2_x\ndcl t0\nmov r1, t0\ntexkill r1\nmov r0, c0\nmov oC0, r0"),
        ("v0", true, "ps_3_0\ndcl_texcoord v0\nmov r1, v0\ntexkill r1\nmov r0, c0\nmov oC0, r0"),
    ];
    for (register, tests_w, text) in texts {
        for (value, is_killed) in cases.into_iter().chain([([0.0, 0.0, 0.0, -1.0], tests_w)]) {
            assert_eq!(
                run(text, &Constants::default(), &[(register, value)]).discarded(),
                [is_killed; QUAD],
                "{text} {value:?}"
            );
        }
    }
    // Components that are undeclared, masked or not predicated do not count.
    let text = "ps_2_0\ndcl t0.xy\ntexkill t0\nmov r0, c0\nmov oC0, r0";
    assert_eq!(run(text, &Constants::default(), &[("t0", [0.0, 0.0, -1.0, 0.0])]).discarded(), [false; QUAD]);
    let text = "ps_3_0\ndcl_texcoord v0\nmov r1, v0\nsetp_lt p0, r1, r1.w\n(p0) texkill r1\nmov oC0, r1";
    for (value, is_killed) in [([-1.0, 0.0, 0.0, 0.0], true), ([-1.0, 0.0, 0.0, -2.0], false)] {
        assert_eq!(run(text, &Constants::default(), &[("v0", value)]).discarded(), [is_killed; QUAD]);
    }
    // A discarded pixel goes on as a helper, under flow control too.
    let text = "ps_3_0\ndcl_texcoord v0\ndef c0, 0, 0, 0, 0\nif_lt v0.x, c0.x\nmov r1, -v0_abs\ntexkill r1\nendif\nmov oC0, v0";
    let quad = [-1.0, 1.0, 2.0, -3.0].map(|x| [x; 4]);
    let out = Shader::new(text, &options()).run(&Constants::default(), &[("v0", quad)]);
    assert_eq!((out.discarded(), out.rows(0)), ([true, false, false, true], quad));
}

/// asm-ps-registers.md: vPos is the pixel's integer coordinates, vFace the sign of the facing.
#[test]
fn position_and_face() {
    let text = "ps_3_0\ndcl vPos.xy\ndcl vFace\ndef c0, 1, -1, 0, 0\nmov r0, c0.z\nmov r0.xy, vPos\ncmp r0.z, vFace, c0.x, c0.y\nmov oC0, r0";
    for (is_front, face) in [(u32::MAX, 1.0), (0, -1.0)] {
        let inputs = [("vPos", [7.5, 3.5, 0.0, 0.0]), ("vFace", [f32::from_bits(is_front), 0.0, 0.0, 0.0])];
        assert_eq!(run(text, &Constants::default(), &inputs).row(0), [7.0, 3.0, face, 0.0]);
    }
}

/// asm-vs-registers.md: oD# and oFog are clamped, oT# and the outputs of vs_3_0 are not.
#[test]
fn colors_of_vertices_are_clamped() {
    let text = "vs_2_0\ndcl_position v0\nmov oPos, v0\nmov oD0, v0\nmov oD1.xy, v0\nmov oT3, v0\nmov oFog, v0.x\nmov oPts, v0.x";
    let shader = Shader::new(text, &TranslateOptions::default());
    let out = shader.run_one(&Constants::default(), &[("v0", [2.0, -1.0, 0.5, f32::NAN])]);
    let row = |name: &str| out.row(shader.output_row(name));
    assert_eq!((row("oD0"), row("oD1")), ([1.0, 0.0, 0.5, 0.0], [1.0, 0.0, 0.0, 0.0]));
    assert_eq!((row("oPos")[..3].to_vec(), row("oT3")[..3].to_vec()), (vec![2.0, -1.0, 0.5], vec![2.0, -1.0, 0.5]));
    assert_eq!((row("oFog")[0], row("oPts")[0]), (1.0, 2.0));
    let rows = ["oPos", "oD0", "oD1", "oT3", "oFog", "oPts"].map(|name| shader.output_row(name));
    assert_eq!(rows, [0, 1, 2, 3, 4, 5]);
    let text = "vs_3_0\ndcl_position v0\ndcl_position o0\ndcl_color o3\nmov o0, v0\nmov o3, v0";
    let shader = Shader::new(text, &TranslateOptions::default());
    let out = shader.run_one(&Constants::default(), &[("v0", [2.0, -1.0, 0.5, 1.0])]);
    assert_eq!(out.row(shader.output_row("o3")), [2.0, -1.0, 0.5, 1.0]);
}

/// The first colour is white if it is never written, under flow control too, as fixed functions treat a missing diffuse
/// colour.
#[test]
fn the_first_color_is_white_where_nothing_writes_it() {
    let row = |text: &str, name: &str| {
        let shader = Shader::new(text, &TranslateOptions::default());
        shader.run_one(&Constants::default(), &[("v0", [0.25, 0.5, 0.75, 0.0])]).row(shader.output_row(name))
    };
    let head = "dcl_position v0\nmov oPos, v0\n";
    for version in ["vs_1_1", "vs_2_0", "vs_2_x"] {
        let text = format!("{version}\n{head}mov oD0.yw, v0\nmov oD1.yw, v0\nmov oT0.yw, v0");
        let rows = ["oD0", "oD1", "oT0"].map(|name| row(&text, name));
        assert_eq!(rows, [[1.0, 0.5, 1.0, 0.0], [0.0, 0.5, 0.0, 0.0], [0.0, 0.5, 0.0, 0.0]], "{version}");
    }
    let text = format!("vs_2_0\n{head}if b0\nmov oD0, v0\nendif");
    assert_eq!(row(&text, "oD0"), [1.0; 4]);
}
