//! Tests flow control, predicates and addresses: paths, iterations, registers.

use brolga_ir::translate::TranslateError;
use brolga_ir::translate::sm3::{TranslateOptions, translate};

use super::run::{Constants, Outputs, QUAD, Shader, assembled};

/// A vertex shader with these lines: returns `oT0` for an input.
fn vertex(version: &str, lines: &str, constants: &Constants, input: [f32; 4]) -> [f32; 4] {
    let (text, result) = match version {
        "vs_3_0" => {
            let lines = lines.replace("oPos", "o0").replace("oT0", "o1");
            (format!("vs_3_0\ndcl_position v0\ndcl_position o0\ndcl_texcoord o1\n{lines}"), "o1")
        }
        _ => (format!("{version}\ndcl_position v0\n{lines}"), "oT0"),
    };
    let shader = Shader::new(&text, &TranslateOptions::default());
    shader.run_one(constants, &[("v0", input)]).row(shader.output_row(result))
}

/// A pixel shader whose v0 differs among the pixels of a quad.
fn pixels(text: &str, constants: &Constants, v0: [[f32; 4]; QUAD]) -> Outputs {
    Shader::new(text, &TranslateOptions::default()).run(constants, &[("v0", v0)])
}

fn numbered() -> Constants {
    let floats = (0..256).map(|n| [n as f32, n as f32 + 0.25, n as f32 + 0.5, n as f32 + 0.75]).collect();
    Constants { floats, ..Constants::default() }
}

/// asm-vs-registers.md and mov.md; the rounding of vs_1_1 is a choice.
#[test]
fn addresses_are_rounded_and_added() {
    let lines = "mov a0.x, v0.x\nmov oPos, c[a0.x + 10]\nmov oT0, c[a0.x + 10]";
    for (x, at) in [(2.0, 12.0), (2.9, 12.0), (-0.5, 9.0), (-10.0, 0.0), (245.0, 255.0)] {
        assert_eq!(vertex("vs_1_1", lines, &numbered(), [x; 4])[0], at, "{x}");
    }
    // Out of range reads 0.
    for x in [-10.5, 246.0, 1e9, -1e9, f32::NAN] {
        let want = if x.is_nan() { 10.0 } else { 0.0 };
        assert_eq!(vertex("vs_1_1", lines, &numbered(), [x; 4])[0], want, "{x}");
    }
    let lines = "mova a0, v0\nmov oPos, c[a0.w + 10]\nmov oT0, c[a0.w + 10].y";
    for version in ["vs_2_0", "vs_2_x", "vs_3_0"] {
        for (w, at) in [(2.4, 12.25), (2.6, 13.25), (-0.4, 10.25), (2.5, 12.25), (3.5, 14.25)] {
            assert_eq!(vertex(version, lines, &numbered(), [99.0, 99.0, 99.0, w])[0], at, "{w}");
        }
    }
}

/// def.md: a defined constant is the program's, also where its number is computed.
#[test]
fn definitions_hide_constants_that_are_set() {
    let lines = "def c11, 1, 2, 3, 4\ndef c12, 5, 6, 7, 8\ndef c20, 9, 10, 11, 12
        mova a0.x, v0.x\nmov oPos, c11\nmov oT0, c[a0.x + 10]";
    for (x, want) in [(0.0, 10.0), (1.0, 1.0), (2.0, 5.0), (3.0, 13.0), (10.0, 9.0), (11.0, 21.0), (-11.0, 0.0)] {
        assert_eq!(vertex("vs_2_0", lines, &numbered(), [x; 4])[0], want, "{x}");
    }
}

/// loop.md, rep.md: i#.x iterations; aL begins at i#.y and grows by i#.z.
#[test]
fn loops_count() {
    let lines = "loop aL, i1\n add r0, r0, c[aL]\nendloop\nmov oPos, r0\nmov oT0, r0";
    let sums = [([3, 10, 2], 10.0 + 12.0 + 14.0), ([0, 10, 2], 0.0), ([2, 5, -3], 5.0 + 2.0), ([-5, 1, 1], 0.0)];
    for ([count, first, step], sum) in sums {
        let set = Constants { integers: vec![[0; 4], [count, first, step, 0]], ..numbered() };
        let lines = format!("def c250, 0, 0, 0, 0\nmov r0, c250\n{lines}");
        for version in ["vs_2_0", "vs_2_x", "vs_3_0"] {
            assert_eq!(vertex(version, &lines, &set, [0.0; 4])[0], sum, "{count} {first} {step}");
        }
        let defined = format!("defi i1, {count}, {first}, {step}, 0\n{lines}");
        assert_eq!(vertex("vs_2_0", &defined, &numbered(), [0.0; 4])[0], sum, "{count} {first} {step}, defined");
    }
    // 255 iterations are the most.
    let lines =
        "def c250, 0, 1, 0, 0\nmov r0, c250\nrep i0\n add r0.x, r0.x, c250.y\nendrep\nmov oPos, r0\nmov oT0, r0";
    for (count, times) in [(7, 7.0), (255, 255.0), (1000, 255.0), (-1, 0.0)] {
        let set = Constants { integers: vec![[count, 0, 0, 0]], ..Constants::default() };
        assert_eq!(vertex("vs_2_0", lines, &set, [0.0; 4])[0], times);
    }
}

/// loop.md: nested, aL is that of the innermost loop; a `rep` has none of its own. A subroutine sees its caller's.
#[test]
fn the_counter_is_the_innermost_ones() {
    let lines = "def c250, 0, 0, 0, 0\ndefi i0, 2, 100, 1, 0\ndefi i1, 2, 10, 5, 0\nmov r0, c250
        loop aL, i0
          add r0.x, r0.x, c[aL].x
          loop aL, i1
            rep i1
              add r0.y, r0.y, c[aL].x
            endrep
          endloop
          call l0
        endloop
        mov oPos, r0\nmov oT0, r0\nret
        label l0\nadd r0.z, r0.z, c[aL].x\nret";
    let want = [201.0, 2.0 * 2.0 * 25.0, 201.0, 0.0];
    assert_eq!(vertex("vs_2_x", lines, &numbered(), [0.0; 4]), want);
}

/// break.md, break_comp.md, breakp.md: the innermost loop is left.
#[test]
fn breaks_leave_the_innermost_loop() {
    let head = "def c250, 0, 1, 3, 0\ndefi i0, 10, 0, 1, 0\nmov r0, c250.x\nmov r1, v0";
    let tail = "mov oPos, r0\nmov oT0, r0";
    let body = |leave: &str| {
        format!(
            "{head}\nrep i0\n rep i0\n add r0.x, r0.x, c250.y\n {leave}\n endrep\nadd r0.y, r0.y, c250.y\nendrep\n{tail}"
        )
    };
    let cases = [
        ("break_ge r0.x, v0.x", [12.0, 10.0]),
        ("break", [10.0, 10.0]),
        ("if_gt r0.x, v0.x\n break\n endif", [13.0, 10.0]),
        ("setp_ge p0, r0.x, v0.x\n breakp p0.y", [12.0, 10.0]),
        ("setp_lt p0, r0.x, v0.x\n breakp !p0.y", [12.0, 10.0]),
    ];
    for (leave, [x, y]) in cases {
        for version in ["vs_2_x", "vs_3_0"] {
            let got = vertex(version, &body(leave), &Constants::default(), [3.0; 4]);
            assert_eq!([got[0], got[1]], [x, y], "{leave}");
        }
    }
}

/// if_bool.md, if_comp.md, else.md, callnz_bool.md, defb.md.
#[test]
fn conditions_choose() {
    let lines = "def c250, 1, 2, 4, 8\nmov r0, v0
        if b1\n add r0.x, r0.x, c250.x\n else\n add r0.x, r0.x, c250.y\n endif
        if !b2\n add r0.y, r0.y, c250.x\n endif
        callnz l0, b1\ncallnz l1, !b1
        mov oPos, r0\nmov oT0, r0\nret
        label l0\nadd r0.z, r0.z, c250.x\nret\nlabel l1\nadd r0.w, r0.w, c250.x\nret";
    for (b1, b2) in [(0, 0), (1, 0), (7, 1), (0, 2)] {
        let set = Constants { booleans: vec![0, b1, b2], ..Constants::default() };
        let (is_1, is_2) = (b1 != 0, b2 != 0);
        let one = |is: bool| if is { 1.0 } else { 0.0 };
        let want = [if is_1 { 1.0 } else { 2.0 }, one(!is_2), one(is_1), one(!is_1)];
        assert_eq!(vertex("vs_2_0", lines, &set, [0.0; 4]), want);
        let lines = format!("defb b1, {is_1}\ndefb b2, {is_2}\n{lines}");
        assert_eq!(vertex("vs_2_0", &lines, &Constants::default(), [0.0; 4]), want);
    }
    let comparisons: [(&str, [bool; 4]); 6] = [
        // Of 1 and 2, 2 and 2, 3 and 2, NaN and 2.
        ("gt", [false, false, true, false]),
        ("eq", [false, true, false, false]),
        ("ge", [false, true, true, false]),
        ("lt", [true, false, false, false]),
        ("ne", [true, false, true, true]),
        ("le", [true, true, false, false]),
    ];
    for (comparison, holds) in comparisons {
        let text = format!(
            "ps_3_0\ndcl_texcoord v0\ndef c0, 2, 1, 0, 0\nmov r0, c0.z\nif_{comparison} v0.x, c0.x\nmov r0.x, c0.y\nendif
            setp_{comparison} p0, v0, c0.x\n(p0) mov r0.y, c0.y\n(!p0) mov r0.z, c0.y\nmov oC0, r0"
        );
        let values = [1.0, 2.0, 3.0, f32::NAN];
        let got = pixels(&text, &Constants::default(), values.map(|x| [x; 4])).rows(0);
        for (got, holds) in got.into_iter().zip(holds) {
            let [yes, no] = if holds { [1.0, 0.0] } else { [0.0, 1.0] };
            assert_eq!(got, [yes, yes, no, 0.0], "{comparison}");
        }
    }
}

/// setp_comp.md and the pages on predicates: a component of the predicate for each, or one for all.
#[test]
fn predicates_decide_for_each_component() {
    let head = "def c250, 0, 9, 0, 0\nmov r0, v0\nsetp_gt p0, v0, c250.x";
    let tail = "mov oPos, r0\nmov oT0, r0";
    let input = [1.0, -1.0, 2.0, -2.0];
    let cases = [
        ("(p0) mov r0, c250.y", [9.0, -1.0, 9.0, -2.0]),
        ("(!p0) mov r0, c250.y", [1.0, 9.0, 2.0, 9.0]),
        ("(p0.y) mov r0, c250.y", input),
        ("(p0.x) mov r0.yz, c250.y", [1.0, 9.0, 9.0, -2.0]),
        ("(!p0.w) add r0.x, r0.x, c250.y", [10.0, -1.0, 2.0, -2.0]),
        ("if p0.z\nmov r0, c250.y\nendif", [9.0; 4]),
        ("if !p0.z\nmov r0, c250.y\nendif", input),
        // A predicate is written component by component too.
        ("setp_gt p0.y, c250.y, v0.x\n(p0) mov r0, c250.y", [9.0, 9.0, 9.0, -2.0]),
        ("mova a0, c250.x\n(p0) mova a0, c250.y\nadd r0.x, c[a0.x], c[a0.y]", [18.0, -1.0, 2.0, -2.0]),
    ];
    for (line, want) in cases {
        for version in ["vs_2_x", "vs_3_0"] {
            let got = vertex(version, &format!("{head}\n{line}\n{tail}"), &numbered(), input);
            // c9 + c250, whose x is defined.
            let want = if line.contains("mova") { [9.0, want[1], want[2], want[3]] } else { want };
            assert_eq!(got, want, "{line}");
        }
    }
}

/// asm-vs-registers.md, asm-ps-registers.md: `v` and `o` by aL. Registers that do not exist read 0 and are not written.
#[test]
fn inputs_and_outputs_are_addressed() {
    let text = "vs_3_0\ndcl_position v0\ndcl_texcoord v1\ndcl_texcoord1 v2\ndcl_position o0\ndcl_texcoord o1.xy
        dcl_texcoord1 o2\ndefi i0, 4, 0, 1, 0\nmov o0, v0
        loop aL, i0\nmov o1[aL], v[aL]\nendloop";
    let shader = Shader::new(text, &TranslateOptions::default());
    let out = shader.run_one(&Constants::default(), &[("v0", [1.0; 4]), ("v1", [2.0; 4]), ("v2", [3.0; 4])]);
    assert_eq!((out.row(0), out.row(2)), ([1.0; 4], [2.0; 4]));
    assert_eq!(out.row(1)[..2], [1.0, 1.0]);

    let text = "ps_3_0\ndcl_texcoord v0\ndcl_texcoord1 v1.xy\ndcl vFace\ndefi i0, 6, 0, 1, 0\ndef c0, 0, 0, 0, 0
        mov r0, c0\nloop aL, i0\nadd r0, r0, v[aL].x\nendloop\ncmp r1, vFace, r0, r0\nmov oC0, r1";
    let shader = Shader::new(text, &TranslateOptions::default());
    let face = [f32::from_bits(u32::MAX), 0.0, 0.0, 0.0];
    let out = shader.run_one(&Constants::default(), &[("v0", [1.0; 4]), ("v1", [2.0; 4]), ("vFace", face)]);
    assert_eq!(out.row(0), [3.0; 4]);
}

/// Each subroutine calls the next one four times.
#[test]
fn growth_by_calls_and_nesting_have_limits() {
    let mut text = "vs_3_0\ndcl_position o0\ndcl_position v0\nmov o0, v0\ncall l0\nret\n".to_owned();
    for n in 0..4 {
        text += &format!("label l{n}\n{}ret\n", format!("call l{}\n", n + 1).repeat(if n < 3 { 30 } else { 0 }));
    }
    let program = assembled(&text);
    let mut options = TranslateOptions::default();
    options.max_instructions = 10_000;
    let error = translate(&program, &options).expect_err("27,000 calls");
    assert!(matches!(error, TranslateError::TooLarge { limit: 10_000, .. }), "{error}");

    let text = format!(
        "vs_3_0\ndcl_position o0\ndcl_position v0\nmov o0, v0\n{}{}",
        "if b0\n".repeat(20),
        "endif\n".repeat(20)
    );
    assert!(translate(&assembled(&text), &options).is_ok());
    options.max_nesting = 19;
    let error = translate(&assembled(&text), &options).expect_err("nested too deep");
    assert!(matches!(error, TranslateError::TooDeep { limit: 19, .. }), "{error}");
}
