//! Tests the messages about mistakes in a text: location, problem and hint.

use brolga_bytecode::assembler::{AssembleError, Problem, assemble};
use brolga_bytecode::{Limits, LoadOptions};

/// A text, the line and column of the mistake, a part of the message and of the hint.
type Row<'a> = (&'a str, (u32, u32), &'a str, Option<&'a str>);

fn mistake(text: &str) -> AssembleError {
    match assemble(text, &Limits::default()) {
        Ok(_) => panic!("{text}: there is no mistake"),
        Err(error) => error,
    }
}

fn assert_rows(rows: &[Row<'_>]) {
    for (text, position, message, hint) in rows {
        let error = mistake(text);
        assert_eq!((error.line, error.column), *position, "{text}: {error}");
        assert!(error.problem.to_string().contains(message), "{text}: {error}");
        match hint {
            Some(hint) => assert!(error.hint().is_some_and(|text| text.contains(hint)), "{text}: {:?}", error.hint()),
            None => assert_eq!(error.hint(), None, "{text}"),
        }
    }
}

/// The same for lines after a profile.
fn assert_lines(profile: &str, rows: &[(&str, u32, &str, Option<&str>)]) {
    for (line, column, message, hint) in rows {
        assert_rows(&[(&format!("{profile}\n{line}\n"), (2, *column), message, *hint)]);
    }
}

#[test]
fn profiles() {
    const LINE_NUMBERS: Option<&str> = Some("line numbers");
    const MARKS: Option<&str> = Some("code block marks");
    assert_rows(&[
        ("", (1, 1), "there is no program", Some("such as `cs_5_0`")),
        ("mov r0, r1", (1, 1), "there is no profile `mov`", Some("`cs_5_0` must come before `mov`")),
        ("dcl_temps 1", (1, 1), "there is no profile `dcl_temps`", Some("must come before `dcl_temps`")),
        ("foo", (1, 1), "there is no profile `foo`", Some("such as `cs_5_0`")),
        ("cs_6_0", (1, 1), "there is no profile `cs_6_0`", Some("model 6 is not assembled")),
        ("cs_5.0", (1, 1), "there is no profile `cs_5.0`", Some("did you mean `cs_5_0`?")),
        ("CS_5_0", (1, 1), "there is no profile `CS_5_0`", Some("lower case: `cs_5_0`")),
        ("ps_5_2", (1, 1), "there is no profile `ps_5_2`", Some("did you mean `ps_5_0`?")),
        ("@@@", (1, 1), "expected a profile, found `@`", None),
        ("  1  //\n  2  cs_5_0", (1, 3), "there is no profile `1`", LINE_NUMBERS),
        ("1: //\n2: cs_5_0", (1, 1), "there is no profile `1`", LINE_NUMBERS),
        ("cs_5_0\nret\n3: // end", (3, 1), "there is no instruction `3`", LINE_NUMBERS),
        ("> cs_5_0", (1, 1), "expected a profile, found `>`", MARKS),
        ("```\ncs_5_0\n```", (1, 1), "expected a profile", MARKS),
        ("; a comment\ncs_5_0", (1, 1), "found `;`", Some("comments begin with `//`")),
        ("cs_5_0\nret\nps_5_0\nret", (3, 1), "there is no instruction `ps_5_0`", Some("only one program")),
        ("cs_5_0\r\rmvo r0, r1", (3, 1), "there is no instruction `mvo`", Some("`mov`")),
    ]);
}

#[test]
fn instructions() {
    assert_lines(
        "cs_5_0",
        &[
            ("mvo r0, r1", 1, "there is no instruction `mvo`", Some("did you mean `mov`?")),
            ("ad r0, r1, r2", 1, "there is no instruction `ad`", Some("did you mean `add`?")),
            ("  if r0.x", 3, "there is no instruction `if`", Some("did you mean `if_nz`?")),
            ("ifnz r0.x", 1, "there is no instruction `ifnz`", Some("did you mean `if_nz`?")),
            ("retc r0.x", 1, "there is no instruction `retc`", Some("did you mean `retc_nz`?")),
            ("fmul r0, r1, r2", 1, "there is no instruction `fmul`", Some("did you mean `mul`?")),
            ("sub r0, r1, r2", 1, "there is no instruction `sub`", Some("`add r0.x, r1.x, -r2.x`")),
            ("isub r0, r1, r2", 1, "there is no instruction `isub`", Some("`iadd r0.x, r1.x, -r2.x`")),
            ("cmp r0, r1, r2, r3", 1, "there is no instruction `cmp`", Some("did you mean `movc`?")),
            ("barrier", 1, "there is no instruction `barrier`", Some("did you mean `sync_g_t`?")),
            ("texld r0, t0, s0", 1, "there is no instruction `texld`", Some("did you mean `sample`?")),
            ("sync_t_g", 1, "there is no instruction `sync_t_g`", Some("did you mean `sync_g_t`?")),
            ("sync_g_t_uglobal", 1, "no instruction `sync_g_t_uglobal`", Some("did you mean `sync_uglobal_g_t`?")),
            ("sync_t_ugroup", 1, "no instruction `sync_t_ugroup`", Some("did you mean `sync_ugroup_t`?")),
            ("sync_uglobel_t", 5, "there is no modifier `_uglobel`", Some("did you mean `_uglobal`?")),
            ("sync_uglobal_g_indexable", 15, "there is no modifier `_indexable`", None),
            ("sample_indexable_aoffimmi(0,0,0) r0", 1, "no instruction", Some("`sample_aoffimmi_indexable`")),
            ("MOV r0, r1", 1, "there is no instruction `MOV`", Some("lower case: `mov`")),
            ("mov_sta r0, r1", 4, "there is no modifier `_sta`", Some("did you mean `_sat`?")),
            ("gather4_aofimmi(0,0,0) r0, r1, t0, s0.x", 8, "no modifier `_aofimmi`", Some("`_aoffimmi`")),
            ("sample_indexible(texture2d) r0, r1, t0, s0", 7, "no modifier `_indexible`", Some("`_indexable`")),
            ("iadd_sat r0, r1, r2", 1, "`iadd` may not have `_sat`", None),
            ("add_z r0, r1, r2", 1, "`add` may not have `_z`", None),
            ("ret_nz r0.x", 1, "`ret` may not have `_nz`", None),
            ("add r0, r1", 1, "add has 3 operands, 2 are given", Some("`add r0.x, r1.x, r2.x`")),
            ("ret r0.x", 1, "ret has 0 operands, 1 is given", Some("it is written `ret`")),
            ("mov r0.x r1.x", 10, "expected `,`, found `r1`", Some("`mov r0.x, r1.x`")),
            ("mov r0.x, r1.x r2", 16, "expected `,`, found `r2`", Some("`mov r0.x, r1.x`")),
            ("mov r0.x, r1.x; why", 15, "expected `,`, found `;`", Some("comments begin with `//`")),
            ("mov r0.x, r1.x # why", 16, "found `#`", Some("comments begin with `//`")),
            ("mov r0.x, r1.x /* why */", 16, "found `/`", Some("comments begin with `//`")),
            ("mov\u{a0}r0.x, r1.x", 4, "expected an operand, found U+00A0", Some("plain spaces")),
            ("}", 1, "expected an instruction, found `}`", None),
            ("sample_aoffimmi(9,0,0) r0, r1, t0, s0", 17, "`9` is not a valid texel offset", None),
            ("mov [precise()] r0, r1", 14, "expected components", None),
            ("undecipherable custom data", 1, "the listing does not say", Some("--exact")),
        ],
    );
}

#[test]
fn operands() {
    assert_lines(
        "cs_5_0",
        &[
            ("mov r0.x,", 10, "expected an operand, found the end of the line", Some("`mov r0.x, r1.x`")),
            ("mov r0.x, q1.x", 11, "there is no register `q1`", Some("r0, v1, o0")),
            ("mov r0.x, vThreadId.x", 11, "there is no register `vThreadId`", Some("did you mean `vThreadID`?")),
            ("mov r0.x, vThreadIDD.x", 11, "there is no register `vThreadIDD`", Some("did you mean `vThreadID`?")),
            ("mov R0.x, r1.x", 5, "there is no register `R0`", Some("lower case: `r0`")),
            ("mov r0.x, L(1.0)", 11, "there is no register `L`", Some("a literal is written `l(1.0)`")),
            ("mov r0.x, 1.0", 11, "expected an operand, found `1.0`", Some("a literal is written `l(1.0)`")),
            ("mov r0.x, abs(r1.x)", 11, "there is no register `abs`", Some("`|r1.x|`")),
            ("mov r0.x, !r1.x", 11, "expected an operand, found `!`", Some("`not`")),
            ("mov r0.yx, r1", 7, "`.yx` does not name components", Some("write `.xy`")),
            ("mov r0.xx, r1", 7, "`.xx` does not name components", Some("write `.x`")),
            ("mov r0.rgba, r1", 7, "`.rgba` does not name components", Some("write `.xyzw`")),
            ("mov r0.x, r1.bgra", 13, "`.bgra` does not name components", Some("write `.zyxw`")),
            ("mov r0.x, r1.xyzwx", 13, "`.xyzwx` does not name components", Some("at most four")),
            ("mov r0.x, cb0[0x2].x", 15, "`0x2` is not a valid index", Some("in decimal")),
            ("mov r0.x, cb0[-1].x", 15, "expected an index such as `3` or `r1.x + 3`, found `-1`", None),
        ],
    );
}

#[test]
fn literals() {
    assert_lines(
        "cs_5_0",
        &[
            ("mov r0.x, l(1, 2)", 11, "expected one or four words in a literal, found 2", None),
            ("mov r0.x, l()", 13, "expected a 32-bit number, found `)`", None),
            (
                "mov r0.x, l(4294967296)",
                13,
                "`4294967296` is not a valid 32-bit number",
                Some("does not fit in 32 bits"),
            ),
            (
                "mov r0.x, l(0x123456789)",
                13,
                "`0x123456789` is not a valid 32-bit number",
                Some("does not fit in 32 bits"),
            ),
            ("mov r0.x, l(1e99)", 13, "`1e99` is not a valid 32-bit number", Some("largest 32-bit float")),
            ("mov r0.x, l(1.0f)", 13, "`1.0f` is not a valid 32-bit number", Some("without the `f`")),
            ("mov r0.x, l(0X10)", 13, "`0X10` is not a valid 32-bit number", Some("begins with `0x`")),
            ("mov r0.x, l(inf)", 13, "`inf` is not a valid 32-bit number", Some("0x7f800000")),
            ("mov r0.x, l(nan)", 13, "`nan` is not a valid 32-bit number", Some("0x7fc00000")),
            ("mov r0.x, l(0x+5)", 13, "`0x+5` is not a valid 32-bit number", None),
            ("mov r0.xy, d(0x+5, 0x0)", 14, "`0x+5` is not a valid double", None),
            ("printf \"\\x+5\"", 11, "expected two hexadecimal digits", None),
            ("dcl_temps x", 11, "`x` is not a valid 32-bit number", None),
            // fxc guesses the type of literals of `mov` and of constants, and prints 0 for zero.
            ("mov r0.x, l(0.000000)", 13, "does not say what this literal holds", Some("--exact")),
            ("dcl_immediateConstantBuffer { { 1, 0.000000, 0, 0} }", 36, "does not say", Some("--exact")),
        ],
    );
}

#[test]
fn declarations() {
    assert_lines(
        "ps_5_0",
        &[
            ("dcl_tmps 1", 1, "there is no declaration `dcl_tmps`", Some("did you mean `dcl_temps`?")),
            ("dcl_resource_structrued t0, 16", 1, "no declaration `dcl_resource_structrued`", Some("_structured`?")),
            ("dcl_resource t0", 1, "no declaration `dcl_resource`", Some("`dcl_resource_texture2d (")),
            ("dcl_uav_typed u0", 1, "no declaration `dcl_uav_typed`", Some("`dcl_uav_typed_texture2d (float,")),
            ("dcl_uav_typed_texture2D (float,float,float,float) u0", 15, "no resource dimension", Some("`texture2d`")),
            ("dcl_resource_raw t", 19, "expected a register number", Some("`dcl_resource_raw t0`")),
            ("dcl_sampler s0", 15, "expected `,`", Some("it is written `dcl_sampler s0, mode_default`")),
            ("dcl_sampler s0,", 16, "expected a sampler mode", Some("`dcl_sampler s0, mode_default`")),
            ("dcl_input_ps liner v0", 14, "there is no interpolation mode `liner`", Some("did you mean `linear`?")),
            ("dcl_globalFlags refactoringAlowed", 17, "no flag `refactoringAlowed`", Some("`refactoringAllowed`")),
        ],
    );
    for accepted in
        ["dcl_input_ps linear\tv0.xyzw", "dcl_globalFlags // none", "dcl_input_ps linear  noperspective v0.x"]
    {
        assemble(&format!("ps_5_0\n{accepted}\n"), &Limits::default()).unwrap_or_else(|error| panic!("{error}"));
    }
}

#[test]
fn directives() {
    assert_rows(&[
        ("cs_5_0\n.chunk ABCD", (2, 1), "there is no place here for the directive `.chunk`", None),
        (".dxbc\n.chunc ABCD", (2, 1), "there is no directive `.chunc`", Some("did you mean `.chunk`?")),
        (".dxbc\n.chunk ABC", (2, 8), "`ABC` is not a valid name of four characters", None),
        (".dxbc\n.chunk ABCD\n.data1 2", (3, 1), "there is no directive `.data1`", Some("did you mean `.data`?")),
        (".dxbc\n.chunk ABCD\n.bytes 255 256", (3, 12), "`256` is not a valid byte", None),
        (".dxbc\n.chunk ISGN\n.element \"A\" registr=1", (3, 14), "there is no key `registr`", Some("`register`")),
    ]);
}

#[test]
fn direct3d9() {
    assert_lines(
        "ps_2_0",
        &[
            ("mov r0, c0, c0", 1, "mov has 2 operands, 3 are given", Some("it is written `mov r0, r1`")),
            ("mov r0", 1, "mov has 2 operands, 1 is given", Some("it is written `mov r0, r1`")),
            ("mov_stt r0, c0", 4, "there is no modifier `_stt`", Some("did you mean `_sat`?")),
            ("mov r0, |c0|", 9, "expected an operand, found `|`", None),
            ("mov r0, 1.0", 9, "there is no Direct3D 9 register `1`", Some("`def c0, 1, 0, 0, 0`")),
            ("def c0, 1e50, 0, 0, 0", 9, "`1e50` is not a valid number", Some("largest 32-bit float")),
            ("def c0, 0x+5, 0, 0, 0", 9, "`0x+5` is not a valid number", None),
            ("def c0, 1, 0, 0", 16, "expected `,`", Some("it is written `def c0, 0, 1, 0.5, 2`")),
            ("dcl_postion v1", 5, "there is no usage `postion`", Some("did you mean `position`?")),
        ],
    );
    let limits = Limits::default();
    let small = assemble("ps_1_4\ndef c0, 1, 0, 0, 0\nmov_sat r0.xyz, c0", &limits).unwrap();
    let large = assemble("PS.1.4\nDEF C0, 1, 0, 0, 0\nMOV_SAT R0.XYZ, C0", &limits).unwrap();
    assert_eq!(small.bytes, large.bytes);

    let mut narrow = Limits::default();
    narrow.program_words = 8;
    let text = format!("ps_2_0\n.words{}\n", " 0x00000000".repeat(16));
    assert!(assemble(&text, &narrow).is_err(), "the words of a text count too");
}

#[test]
fn long_words_are_shown_in_part() {
    let word = "a".repeat(100_000);
    for text in [
        format!("{word}\n"),
        format!("cs_5_0\n{word}\n"),
        format!("cs_5_0\nmov {word}, r0\n"),
        format!("cs_5_0\nmov r0, r0.{word}\n"),
        format!("cs_5_0\nmov r0, l({word})\n"),
        format!("cs_5_0\nmov r0, r0 {word}\n"),
        format!("cs_5_0\n.{word}\n"),
        format!("ps_2_0\nmov {word}, r0\n"),
        format!("ps_2_0\nmov r0_{word}, r0\n"),
        format!("// Input signature:\n//\n// ----\n// {word} {word}\ncs_5_0\n"),
    ] {
        let error = mistake(&text);
        assert!(error.to_string().len() < 200 && error.hint().is_none_or(|hint| hint.len() < 200), "{error}");
    }
}

/// Each part of a text is examined once.
#[test]
fn time_grows_with_the_text() {
    let escapes = "\\x41".repeat(500_000);
    for text in [
        format!(".dxbc\n.chunk ISGN\n.element \"{escapes}\"\n"),
        format!("cs_5_0\nprintf \"{escapes}\"\n"),
        format!("ps_2_0\n.words{}\n", " 0x00000000".repeat(200_000)),
    ] {
        drop(assemble(&text, &Limits::default()));
    }
}

#[test]
fn a_rule_that_is_broken_is_shown_at_its_line() {
    let rejected = |text: &str| assemble(text, &Limits::default()).unwrap().check(text, &LoadOptions::default());
    let text = "cs_5_0\ndcl_temps 1\ndcl_thread_group 1, 1, 1\n  mov r3.x, l(1)\nret\n";
    let error = rejected(text).unwrap_err();
    assert_eq!(&text[error.span.clone()], "mov r3.x, l(1)");
    assert_eq!(error.to_string(), "line 4, column 3: mov: r3 is not declared");

    // An item missing at the end is reported after the last line, and one missing altogether has no position.
    let error = rejected("cs_5_0\ndcl_temps 1\ndcl_thread_group 1, 1, 1\nmov r0.x, l(1)\n").unwrap_err();
    assert_eq!((error.line, error.column), (4, 1), "{error}");
    let error = rejected("cs_5_0\nret\n").unwrap_err();
    assert_eq!((error.line, error.column), (0, 0));
    assert_eq!(error.to_string(), "dcl_thread_group: is missing in a compute shader");

    let text = "ps_2_0\nmov r0, c0\nmov oC0, v0\n";
    let error = rejected(text).unwrap_err();
    assert_eq!(&text[error.span.clone()], "mov oC0, v0");
    assert!(matches!(error.problem, Problem::Rejected(_)) && !error.to_string().contains("byte"), "{error}");
}
