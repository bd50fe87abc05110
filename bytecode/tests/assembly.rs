//! The assembler's language: the words that its forms stand for, and what is said about mistakes.
//!
//! Words are those of the description of the token format.

use brolga_bytecode::assembler::assemble;
use brolga_bytecode::container::Container;
use brolga_bytecode::{Limits, LoadOptions};

/// The words of a program behind its version and length.
fn words(profile: &str, body: &str) -> Vec<u32> {
    let text = format!("{profile}\n{body}\n");
    let assembly = assemble(&text, &Limits::default()).unwrap_or_else(|error| panic!("{body}: {error}"));
    let container = Container::parse(&assembly.bytes, &Limits::default()).unwrap();
    let data = container.program().unwrap().data;
    data.as_chunks::<4>().0[2..].iter().map(|bytes| u32::from_le_bytes(*bytes)).collect()
}

#[test]
fn instructions_of_the_format_description() {
    let one = 0x3f80_0000;
    for (text, expected) in [
        ("mov o0.xyzw, l(1.000000,0,0,1.000000)", &[0x0800_0036, 0x0010_20f2, 0, 0x0000_4002, one, 0, 0, one][..]),
        ("mov r1.x, cb0[r0.y + 2].z", &[0x0800_0036, 0x0010_0012, 1, 0x0620_802a, 0, 2, 0x0010_001a, 0]),
        (
            "add_sat r0.xy, -r1.zwzz, |r2.xyxx|",
            &[0x0900_2000, 0x0010_0032, 0, 0x8010_0ae6, 0x41, 1, 0x8010_0046, 0x81, 2],
        ),
        ("if_nz l(1)", &[0x0304_001f, 0x4001, 1]),
        ("if_z l(1)", &[0x0300_001f, 0x4001, 1]),
        ("call label0", &[0x0300_0004, 0x0010_a000, 0]),
        ("case l(-3)", &[0x0300_0006, 0x4001, 0xffff_fffd]),
        ("ret", &[0x0100_003e]),
        (
            "store_structured u0.xy, l(0), l(0), r0.xyzw",
            &[0x0900_00a8, 0x0011_e032, 0, 0x4001, 0, 0x4001, 0, 0x0010_0e46, 0],
        ),
        ("dcl_globalFlags refactoringAllowed", &[0x0100_086a]),
        ("dcl_temps 2", &[0x0200_0068, 2]),
        ("dcl_output o0.xyzw", &[0x0300_0065, 0x0010_20f2, 0]),
        ("dcl_constantbuffer CB0[3], immediateIndexed", &[0x0400_0059, 0x0020_8e46, 0, 3]),
        ("dcl_thread_group 8, 1, 1", &[0x0400_009b, 8, 1, 1]),
        ("dcl_uav_structured u0, 16", &[0x0400_009e, 0x0011_e000, 0, 16]),
    ] {
        assert_eq!(words("cs_5_0", text), expected, "{text}");
    }
    let range = [0x0700_009e, 0x0031_ee46, 0, 2, 4, 16, 1];
    assert_eq!(words("cs_5_1", "dcl_uav_structured U0[2:4], 16, space=1"), range);
    let store = [0x0a00_00a8, 0x0021_e012, 0, 3, 0x4001, 0, 0x4001, 0, 0x0010_0e46, 0];
    assert_eq!(words("cs_5_1", "store_structured U0[3].x, l(0), l(0), r0.xyzw"), store);
}

#[test]
fn the_same_thing_may_be_written_in_several_ways() {
    for [text, same] in [
        ["mov r0, v[vPrim][2]", "mov r0.xyzw, v[vPrim + 0][2].xyzw"],
        ["mov r0, v[x0[vPrim]][2]", "mov r0, v[x0[vPrim + 0].xyzw + 0][2]"],
        ["dcl_globalFlagsnone", ".words 0x0100006a"],
        ["sync_sat_uglobal_t", ".words 0x010068be"],
        ["sync_sat_ugroup_g", ".words 0x010030be"],
        ["dcl_inputprimitive patch3", ".words 0x0100505d"],
        ["dcl_uav_typed_texture2dms (float,float,float,float) u0", ".words 0x0400209c 0x0011e000 0 0x5555"],
        ["mov r0, r1", "mov r0.xyzw, r1.xyzw"],
        ["mov r0.xy,r1.zw", "mov r0.xy, r1.zwww"],
        ["  mov   r0.x , r1.x  // why", "mov r0.x, r1.x"],
        ["mov r0.x, l(1.5)", "mov r0.x, l(0x3fc00000)"],
        ["mov r0.x, l(0x0000002a)", "mov r0.x, l(42)"],
        ["dmov r0.xy, d(2.500000l, 0.000000l)", "dmov r0.xy, d(0x00000000, 0x40040000, 0x00000000, 0x00000000)"],
        ["dcl_immediateConstantBuffer { { 1, 2, 3, 4},\n {5, 6, 7, 8} }", ".words 0x1835 10 1 2 3 4 5 6 7 8"],
        ["   3: nop\n  0x0000005C: nop\n   5  0x00000060: nop", "nop\nnop\nnop"],
        ["nop\n\n#line 7 \"a.hlsl\"\nnop", "nop\nnop"],
    ] {
        assert_eq!(words("ps_5_0", text), words("ps_5_0", same), "{text}");
    }
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
fn mistakes_are_shown_where_they_are_with_what_to_do() {
    for (text, place, message, hint) in [
        ("", (1, 1), "there is no program", Some("such as `cs_5_0`")),
        ("mov r0, r1", (1, 1), "there is no profile `mov`", Some("such as `cs_5_0`")),
        ("cs_6_0", (1, 1), "there is no profile `cs_6_0`", Some("such as `cs_5_0`")),
        ("cs_5_0\nmvo r0, r1", (2, 1), "there is no instruction `mvo`", Some("did you mean `mov`?")),
        ("cs_5_0\nad r0, r1, r2", (2, 1), "there is no instruction `ad`", Some("did you mean `add`?")),
        ("cs_5_0\n  if r0.x", (2, 3), "there is no instruction `if`", Some("did you mean `if_nz`?")),
        ("cs_5_0\nadd_z r0, r1, r2", (2, 1), "there is no instruction `add_z`", Some("did you mean `add`?")),
        ("cs_5_0\nadd r0, r1", (2, 1), "add has 3 operands, 2 are given", Some("`add r0.x, r1.x, r2.x`")),
        ("cs_5_0\nret r0.x", (2, 1), "ret has 0 operands, 1 are given", Some("it is written `ret`")),
        ("cs_5_0\nadd r0.yx, r1, r2", (2, 7), "`.yx` names no components", Some("in this order")),
        ("cs_5_0\nmov r0.x r1.x", (2, 10), "expected `,`, found `r1`", None),
        ("cs_5_0\nmov r0.x, r1.x r2", (2, 16), "expected `,`, found `r2`", None),
        ("cs_5_0\nmov r0.x, q1.x", (2, 11), "there is no register `q1`", Some("r0, v1, o0")),
        ("cs_5_0\nmov r0.x,", (2, 10), "expected an operand, found the end of the text", None),
        ("cs_5_0\nmov r0.x, l(1, 2)", (2, 11), "expected one or four words in a literal, found 2", None),
        ("cs_5_0\nmov r0.x, l(4294967296)", (2, 13), "`4294967296` is no 32-bit number", None),
        ("cs_5_0\ndcl_temps x", (2, 11), "`x` is no 32-bit number", None),
        ("cs_5_0\ndcl_tmps 1", (2, 1), "there is no declaration `dcl_tmps`", Some("did you mean `dcl_temps`?")),
        (
            "cs_5_0\ndcl_uav_typed_texture2D (float,float,float,float) u0",
            (2, 15),
            "there is no resource dimension `texture2D`",
            Some("did you mean `texture2d`?"),
        ),
        ("cs_5_0\nundecipherable custom data", (2, 1), "the listing does not say", Some("--exact")),
        ("cs_5_0\n.chunk ABCD", (2, 1), "there is no place here for the directive `.chunk`", None),
        (".dxbc\n.chunc ABCD", (2, 1), "there is no directive `.chunc`", Some("did you mean `.chunk`?")),
        (".dxbc\n.chunk ABC", (2, 8), "`ABC` is no name of four characters", None),
        (".dxbc\n.chunk ISGN\n.element \"A\" registr=1", (3, 14), "there is no key `registr`", Some("`register`")),
        ("cs_5_0\nsample_aoffimmi(9,0,0) r0, r1, t0, s0", (2, 17), "`9` is no texel offset", None),
    ] {
        let error = assemble(text, &Limits::default()).expect_err(text);
        assert_eq!((error.line, error.column), place, "{text}: {error}");
        assert!(error.problem.to_string().contains(message), "{text}: {error}");
        match hint {
            Some(hint) => assert!(error.hint().is_some_and(|text| text.contains(hint)), "{text}: {:?}", error.hint()),
            None => assert_eq!(error.hint(), None, "{text}"),
        }
    }
}

#[test]
fn a_rule_that_is_broken_is_shown_at_its_line() {
    let text = "cs_5_0\ndcl_temps 1\ndcl_thread_group 1, 1, 1\n  mov r3.x, l(1)\nret\n";
    let error = assemble(text, &Limits::default()).unwrap().check(text, &LoadOptions::default()).unwrap_err();
    assert_eq!((error.line, error.column), (4, 3));
    assert_eq!(&text[error.span.clone()], "mov r3.x, l(1)");
    assert!(error.to_string().contains("r3 is not declared"), "{error}");
}
