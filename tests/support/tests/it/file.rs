//! Tests test files: each error names its line; a failure says where, the results of each engine, and the expectation
//! that would pass.

use brolga_testing::file::{Verdict, check};

const SHADER: &str = "\
# Adds one.
[shader cs_5_0]
dcl_uav_structured u0, 4
dcl_input vThreadID.x
dcl_temps 1
dcl_thread_group 4, 1, 1
ld_structured r0.x, vThreadID.x, l(0), u0.xxxx
iadd r0.x, r0.x, l(1)
store_structured u0.x, vThreadID.x, l(0), r0.x
ret
";

fn report(text: &str) -> (String, Option<String>) {
    match check("a.test", text) {
        Verdict::Failed { report, blessed } => (report, blessed),
        Verdict::Passed => panic!("it passes:\n{text}"),
    }
}

fn passes(text: &str) {
    assert_eq!(check("a.test", text), Verdict::Passed, "{text}");
}

#[test]
fn what_is_wrong_with_a_file_is_said_with_its_line() {
    let cases = [
        ("", "1: a test begins with a comment, `# ...`, that says what it shows and where the rule can be found"),
        ("# x\nret", "2: `ret` is outside of any section: only comments"),
        ("# x\n[shader cs_5_0", "2: `[shader cs_5_0` is not the head of a section: it must end with `]`"),
        ("# x\n[bufer u0]", "2: there is no section `bufer`: expected shader, buffer,"),
        ("# x\n[buffer]", "2: the head of the section ends where a register, such as t0, u1 or cb0 should follow"),
        ("# x\n[buffer q0]", "2: `q0` in the head of the section: expected a register, such as t0, u1 or cb0"),
        ("# x\n[buffer u0 f16]", "2: `f16` in the head of the section: expected u32, i32, hex, f32, f64, `stride N`"),
        ("# x\n[buffer u0 format R99_UINT]", "2: `R99_UINT` in the head of the section: expected a format"),
        ("# x\n[buffer u0]\n\n1 one", "4: `one` is not an unsigned integer of 32 bits, such as 7 or 0xffffffff"),
        ("# x\n[buffer u0 f32]\n1e40", "3: `1e40` is not a float, such as -1.5, nan, inf, or its bits"),
        ("# x\n[buffer u0]\n7 x 0", "3: `0` after `x`: expected how often the number is repeated, at least once"),
        ("# x\n[buffer u0]\n7 .. 3", "3: `3` after `..`: expected an integer that is not below the first one"),
        ("# x\n[buffer u0]\nzero 8", "3: `zero` after `zero`: expected a number of bytes, as in `zero 8 bytes`"),
        ("# x\n[buffer u0]\n0 x 1000000", "3: more than 1048576 bytes: a test that needs them is written in Rust"),
        ("# x\n[shader cs_5_0]\n[dispatch 1 1]", "3: the head of the section ends where groups along x, y and z"),
        (
            "# x\n[shader cs_5_0]\n[dispatch 1 1 1]\n5",
            "4: `5` in a section that has no text: expected the next section",
        ),
        ("# x\n[dispatch 1 1 1]", "2: a dispatch needs a `[shader PROFILE]` section before it"),
        (
            "# x\n[shader cs_5_0]\n[expect u0]\n1",
            "3: an expectation of memory needs a `[dispatch X Y Z]` section before it",
        ),
        ("# x\n[shader cs_5_0]\nret", "1: the file expects nothing: it needs an `[expect ...]` section"),
        ("# x\n[shader cs_5_0]\n[expect error]", "3: nothing is expected of the message"),
        ("# x\n[shader cs_5_0]\n[buffer u0]\n[expect error]\nx", "4: `[expect error]` must follow the `[shader]` or"),
        ("# x\n[shader cs_5_0]\n[expect error]\ntodo:", "4: `todo:` without a reason: say what is missing"),
        (
            "# x\n[shader cs_5_0]\n\nadd r0.x, r1\n[dispatch 1 1 1]\n[expect u0]",
            "4: column 1: add has 3 operands, 2 are given",
        ),
        (
            "# x\n[shader cs_5_0]\ndcl_temps 1\nad r0.x, r0.x\n[dispatch 1 1 1]\n[expect u0]",
            "4: column 1: there is no instruction `ad`; did you mean `add`?",
        ),
    ];
    for (text, expected) in cases {
        let (report, blessed) = report(text);
        assert!(report.starts_with(&format!("a.test:{expected}")), "{text}\n{report}");
        assert_eq!(blessed, None);
    }
}

#[test]
fn what_does_not_fit_the_shader_is_said_with_its_line() {
    let cases = [
        (
            "[buffer t1]\n1\n[dispatch 1 1 1]\n[expect t1]\n1",
            "11: no shader of this file declares t1: expected one of u0",
        ),
        ("[buffer u0 stride 3]\n1\n[dispatch 1 1 1]\n[expect u0]\n1", "11: u0: "),
        ("[texture2d u0 R32_UINT size 2 2]\n1\n[dispatch 1 1 1]\n[expect u0]\n1", "11: u0: "),
        ("[texture2d u0 R32_UINT size 16384 16384]\n1\n[dispatch 1 1 1]\n[expect u0]\n1", "11: u0: "),
        (
            "[buffer u0]\n1\n[dispatch 1 1 1]\n[expect t1]\n1",
            "14: there is no memory behind t1: it needs a `[buffer t1]`",
        ),
        ("[buffer u0]\n1\n[dispatch 1 1 1]\n[expect u0 counter]\n1", "14: u0 has no counter: expected `counter N`"),
        (
            "[dispatch 1 1 1]\n[expect u0]\n1",
            "11: the dispatch fails\n    u0 is declared as structured buffer of stride 4 but nothing is bound",
        ),
    ];
    for (text, expected) in cases {
        let (report, _) = report(&format!("{SHADER}{text}"));
        assert!(report.starts_with(&format!("a.test:{expected}")), "{text}\n{report}");
    }
}

#[test]
fn a_failure_names_the_number_and_shows_the_change() {
    let expectation =
        "\n[dispatch 1 1 1]\n\n[expect u0]\n# numbers\n1 2   # two\n0x9 5\n\n# the end\n[expect u0 i32]\n";
    let text = format!("{SHADER}[buffer u0]\n0 .. 3\n{expectation}1 .. 4\n");
    let (report, blessed) = report(&text);
    let expected = "a.test:19: u0, number 2 (byte 8): expected 0x00000009, got\n    0x00000003: every engine\n\n\
                    -0x9 5\n+0x00000003 4\n\nWith BROLGA_BLESS=1";
    assert!(report.starts_with(expected), "{report}");
    let blessed = blessed.expect("the engines agree");
    assert_eq!(blessed, text.replace("0x9 5", "0x00000003 4"), "comments and lines stay");
    passes(&blessed);
}

#[test]
fn expectations_are_filled_in_where_there_are_none() {
    for (given, filled) in [("", "1 2 3 4\n"), ("7\n", "1 2 3 4\n"), ("# why\n7 8 # two\n", "# why\n1 2 3 4 # two\n")] {
        let head = format!("{SHADER}[buffer u0]\n0 .. 3\n[dispatch 1 1 1]\n[expect u0]\n");
        let (report, blessed) = report(&format!("{head}{given}"));
        assert!(report.contains("bytes are expected of u0, which has 16: expected all,"), "{report}");
        assert_eq!(blessed.as_deref(), Some(&*format!("{head}{filled}")));
        passes(&format!("{head}{filled}"));
    }
    let head = format!("{SHADER}[buffer u0 f32]\n0x7fbfffff x 9\n1\n[dispatch 4 1 1]\n[expect u0 f32]");
    let (_, blessed) = report(&head);
    assert_eq!(blessed, Some(format!("{head}\nnan x 9 1.0000001\n")));
}

#[test]
fn errors_are_expected_in_parts() {
    let with = |expected: &str| format!("{SHADER}[dispatch 1 1 1]\n[expect error]\n{expected}\n");
    passes(&with("u0 is declared as structured\nnothing is bound to it"));
    let (report, blessed) = report(&with("nothing is bound\nu0 is declared"));
    assert!(
        report.starts_with("a.test:12: the error is not as expected\n    u0 is declared as structured"),
        "{report}"
    );
    passes(&blessed.expect("the engines agree"));
    let text = format!("{SHADER}[buffer u0]\n0\n[dispatch 1 1 1]\n[expect error]\nsomething\n");
    let (report, blessed) = self::report(&text);
    assert!(report.contains("(nothing fails): every engine") && blessed.is_none(), "{report}");
    passes(
        "# No such instruction.\n[shader cs_5_0]\nad r0.x, r0.x\n[expect error]\nno instruction `ad`\ndid you mean\n",
    );
}

#[test]
fn what_is_to_do_may_fail_and_must_not_pass() {
    let with = |expected: &str| format!("{SHADER}[buffer u0]\n0 .. 3\n[dispatch 1 1 1]\n[expect u0]\n{expected}\n");
    passes(&with("todo: counts wrongly\n1 2 3 5"));
    let (report, blessed) = report(&with("todo: counts wrongly\n1 2 3 4"));
    assert!(
        report.starts_with("a.test:14: what was to do is done: remove the mark `todo: counts wrongly`"),
        "{report}"
    );
    assert_eq!(blessed, None);
    // Files that cannot be run at all.
    passes(&format!("{SHADER}[dispatch 1 1 1]\n[expect u0]\ntodo: nothing is bound\n1\n"));
}
