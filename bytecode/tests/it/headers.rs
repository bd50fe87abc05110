//! Tests reading the comment before a program: fxc's header, also edited ones.
//!
//! The listings and the containers that are compared are fxc's.

use brolga_bytecode::Limits;
use brolga_bytecode::assembler::{Assembly, Problem, WarningKind, assemble};
use brolga_bytecode::container::Container;
use std::path::Path;

fn listing(file: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/data").join(file);
    let bytes = std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    String::from_utf8_lossy(&bytes).replace("\r\n", "\n")
}

fn lit() -> String {
    listing("graphics/lit.blinn.ps_5_0.asm")
}

fn assembled(text: &str) -> Assembly {
    assemble(text, &Limits::default()).unwrap_or_else(|error| panic!("{error}: {:?}", text.get(error.span.clone())))
}

/// The names of the chunks and their data.
fn chunks(bytes: &[u8]) -> Vec<(String, Vec<u8>)> {
    let container = Container::parse(bytes, &Limits::default()).unwrap();
    container.chunks().iter().map(|chunk| (chunk.name.to_string(), chunk.data.to_vec())).collect()
}

/// A text with a part of it replaced, which must occur once.
fn with(text: &str, part: &str, other: &str) -> String {
    assert_eq!(text.matches(part).count(), 1, "{part}");
    text.replace(part, other)
}

#[test]
fn signatures_are_read_from_the_comment_of_a_listing() {
    let text = "
// Input signature:
//
// Name                 Index   Mask Register SysValue  Format   Used
// -------------------- ----- ------ -------- -------- ------- ------
// SV_Position              0   xyzw        0      POS   float        
// TEXCOORD                 3    yz         1     NONE    uint    y  
// SV_PrimitiveID           0    N/A   primID   PRIMID    uint    YES
//
//
// Output signature:
//
// Name                 Index   Mask Register SysValue  Format   Used
// -------------------- ----- ------ -------- -------- ------- ------
// SV_Target                0   xyzw        0   TARGET   float   xyz 
//
ps_4_0
ret
";
    let assembly = assemble(text, &Limits::default()).unwrap();
    let container = Container::parse(&assembly.bytes, &Limits::default()).unwrap();
    let inputs = container.inputs(&Limits::default()).unwrap().unwrap();
    let rows: Vec<_> = inputs
        .elements
        .iter()
        .map(|row| (row.name.as_str(), row.semantic_index, row.system_value, row.register, row.mask, row.usage_mask))
        .collect();
    let expected = [
        ("SV_Position", 0, 1, Some(0), 0xf, 0),
        ("TEXCOORD", 3, 0, Some(1), 6, 2),
        ("SV_PrimitiveID", 0, 7, None, 1, 1),
    ];
    assert_eq!(rows, expected);
    let outputs = container.outputs(&Limits::default()).unwrap().unwrap();
    assert_eq!((outputs.elements[0].system_value, outputs.elements[0].usage_mask), (0, 8));
}

#[test]
fn changes_that_leave_the_meaning_leave_the_shader() {
    let text = lit();
    let plain = chunks(&assembled(&text).bytes);
    let names: Vec<&str> = plain.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["ISGN", "OSGN", "SHEX"]);
    let rule = "// ------------------------------ ---------- ------- ----------- -------------- ------\n";
    for same in [
        with(&text, "Input signature:", "input signature:"),
        // Nothing of what is bound is read.
        with(&text, "Buffer Definitions:", "BUFFER DEFINITIONS:"),
        with(&text, rule, ""),
        // The letters say which components a mask has.
        with(&text, "// COLOR                    0   xyzw ", "// COLOR                    0  xyzw  "),
        with(&text, "ps_5_0\n", "// no enableMinimumPrecision here\nps_5_0\n"),
        with(&text, "ps_5_0\n", "// Output signature: o0 changed by me\n// Tiled resources\nps_5_0\n"),
        with(&text, "dcl_temps 6\n", "// Output signature:\n// o0 is changed\ndcl_temps 6\n"),
        text.lines().map(|line| format!("    {line}\n")).collect(),
        text.lines().map(|line| format!("\t{line}\r\n")).collect(),
        text.replace('\n', "\r"),
    ] {
        assert_eq!(chunks(&assembled(&same).bytes), plain, "{same}");
    }
}

#[test]
fn columns_that_mean_nothing_are_shown() {
    let text = lit();
    for (part, other, shown, message, hint) in [
        ("     POS ", "     PSO ", "PSO", "there is no system value `PSO`", Some("did you mean `POS`?")),
        ("POS   float ", "POS   flaot ", "flaot", "there is no format `flaot`", Some("did you mean `float`?")),
        ("0   xyz         1 ", "0   xyyz        1 ", "xyyz", "expected a mask, whose letters are in order", None),
    ] {
        let text = with(&text, part, other);
        let error = assemble(&text, &Limits::default()).expect_err(other);
        assert!(error.problem.to_string().contains(message), "{other}: {error}");
        assert!(shown.is_empty() || text.get(error.span.clone()) == Some(shown), "{other}: {:?}", error.span);
        assert_eq!(error.hint().is_some(), hint.is_some(), "{other}: {:?}", error.hint());
        assert!(hint.is_none_or(|hint| error.hint().unwrap().contains(hint)), "{other}: {:?}", error.hint());
    }
}

#[test]
fn what_is_doubtful_is_said_once() {
    let text = lit();
    let rounded = WarningKind::Rounded;
    for (text, expected) in [
        ("cs_5_0\nmul r0.x, r0.x, l(0.500000)".to_owned(), vec![]),
        ("cs_5_0\nmul r0.x, r0.x, l(0.1)".to_owned(), vec![]),
        (
            "cs_5_0\nmul r0.x, r0.x, l(0.333333)\nmul r0.x, r0.x, l(0.1)\nmov r0.x, l(0.666667)".into(),
            vec![("0.333333", rounded)],
        ),
        ("cs_5_0\nmul r0.x, r0.x, l(2)".into(), vec![("2", WarningKind::IntegerAsFloat { text: "2".into() })]),
        ("cs_5_0\niadd r0.x, r0.x, l(1.5)".into(), vec![("1.5", WarningKind::FloatAsInteger { text: "1.5".into() })]),
        ("cs_5_0\nmul r0.xy, r0.xyxx, l(0, 0, 0, 0)\niadd r0.x, r0.x, l(2)".into(), vec![]),
        (with(&text, "// Input signature:\n", ""), vec![(SIGNATURE, WarningKind::Table { title: "Input signature:" })]),
        (
            with(&text, "// Input signature:", "// Inputs:"),
            vec![(SIGNATURE, WarningKind::Table { title: "Input signature:" })],
        ),
        (text, vec![("Buffer Definitions:", REFLECTION)]),
        (listing("interfaces/plain.cs_5_0.asm"), vec![("Buffer Definitions:", REFLECTION)]),
        (
            listing("graphics/lit.vs9.vs_4_0_level_9_1.asm"),
            vec![(
                "Level9 shader bytecode:",
                WarningKind::Unread { what: "the second program, for feature levels 9.x, is" },
            )],
        ),
    ] {
        let found = assembled(&text).warnings;
        let found: Vec<_> = found.iter().map(|warning| (&text[warning.span.clone()], warning.kind.clone())).collect();
        let found: Vec<_> = found
            .into_iter()
            .filter(|(_, kind)| expected.is_empty() || expected.iter().any(|(_, known)| known == kind))
            .collect();
        assert_eq!(found, expected, "{text}");
    }
}

const REFLECTION: WarningKind = WarningKind::Unread { what: "the names of buffers, bindings and classes are" };

/// The names of the columns of a signature.
const SIGNATURE: &str = "Name                 Index   Mask Register SysValue  Format   Used";

#[test]
fn constants_of_direct3d9_are_not_read_and_that_is_said() {
    let text = listing("d3d9/pixel.basic.ps_2_0.asm");
    let warnings = assembled(&text).warnings;
    assert!(
        matches!(warnings[..], [ref warning] if warning.kind == (WarningKind::Unread { what: "the names of constants are" })),
        "{warnings:?}"
    );
    assert!(warnings[0].kind.hint().is_some_and(|hint| hint.contains("--exact")));
}

#[test]
fn a_second_program_for_feature_levels_9_is_passed_over() {
    let text = listing("graphics/lit.vs9.vs_4_0_level_9_1.asm");
    let names: Vec<String> = chunks(&assembled(&text).bytes).into_iter().map(|(name, _)| name).collect();
    assert_eq!(names, ["ISGN", "OSGN", "SHDR"]);
    // Its comment is followed by the main program, and nothing else is one.
    let main = text.find("\nvs_4_0").expect("there is a main program") + 1;
    let error = assemble(&text[..main], &Limits::default()).unwrap_err();
    assert_eq!(error.problem, Problem::NoProgram);
}
