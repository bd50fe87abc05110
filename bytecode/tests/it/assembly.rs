//! Tests the assembler's language: the words that its forms encode to.
//!
//! The expected words are from the description of the token format.

use brolga_bytecode::Limits;
use brolga_bytecode::assembler::assemble;
use brolga_bytecode::container::Container;

/// The words of a program after its version and length.
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
