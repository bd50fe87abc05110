//! Tests programs written word by word: the meaning of single words, and the rules that a program must keep.
//!
//! The words were put together by hand from the token format's description; the rules are the functional
//! specification's.

use brolga_bytecode::Limits;
use brolga_bytecode::sm5::operand::RegisterFile;
use brolga_bytecode::sm5::valid::{Construct, FunctionName};
use brolga_bytecode::sm5::validate::Rule;
use brolga_bytecode::sm5::{
    self, Components, DeclarationKind, DecodeError, GlobalFlags, Instruction, ItemKind, Model, Op, Program, Stage,
    ValidProgram, ValidateError,
};

const PS_4_0: u32 = 0x40;
const CS_5_0: u32 = 0x0005_0050;
const CS_5_1: u32 = 0x0005_0051;

fn decode(version: u32, body: &[u32]) -> Result<Program, DecodeError> {
    let words = [version, 2 + body.len() as u32];
    let bytes: Vec<u8> = words.iter().chain(body).flat_map(|word| word.to_le_bytes()).collect();
    sm5::decode(&bytes, 0, &Limits::default())
}

fn validate(version: u32, body: &[&[u32]]) -> Result<ValidProgram, ValidateError> {
    sm5::validate(decode(version, &body.concat()).unwrap(), &Limits::default())
}

fn instruction(body: &[u32]) -> Instruction {
    match decode(PS_4_0, body).unwrap().items.remove(0).kind {
        ItemKind::Instruction(instruction) => instruction,
        other => panic!("no instruction: {other:?}"),
    }
}

fn declaration(body: &[u32]) -> DeclarationKind {
    match decode(PS_4_0, body).unwrap().items.remove(0).kind {
        ItemKind::Declaration(declaration) => declaration.kind,
        other => panic!("no declaration: {other:?}"),
    }
}

#[test]
fn header_of_every_model_and_stage() {
    for (version, model, stage) in [
        (0x0000_0040, Model::Sm4_0, Stage::Pixel),
        (0x0001_0041, Model::Sm4_1, Stage::Vertex),
        (0x0005_0050, Model::Sm5_0, Stage::Compute),
        (0x0000_0051, Model::Sm5_1, Stage::Pixel),
        (0x0002_0040, Model::Sm4_0, Stage::Geometry),
        (0x0003_0050, Model::Sm5_0, Stage::Hull),
        (0x0004_0050, Model::Sm5_0, Stage::Domain),
    ] {
        let program = decode(version, &[]).unwrap();
        assert_eq!((program.model, program.stage), (model, stage));
    }
}

#[test]
fn instructions_of_the_format_description() {
    let one = 0x3f80_0000;
    let mov = instruction(&[0x0800_0036, 0x0010_20f2, 0, 0x0000_4002, one, 0, 0, one]);
    assert_eq!(mov.to_string(), "mov o0.xyzw, l(1.000000,0,0,1.000000)");
    assert_eq!(mov.operands[0].mask(), 0xf);
    assert_eq!([0, 1, 2, 3].map(|lane| mov.operands[1].immediate_word(lane)), [one, 0, 0, one].map(Some));

    let relative = instruction(&[0x0800_0036, 0x0010_0012, 1, 0x0620_802a, 0, 2, 0x0010_001a, 0]);
    assert_eq!(relative.to_string(), "mov r1.x, cb0[r0.y + 2].z");
    let source = &relative.operands[1];
    assert_eq!(source.components, Components::Select(2));
    assert_eq!((source.index_u32(0), source.index_u32(1)), (Some(0), None));
    assert_eq!(source.indices[1].immediate, 2);

    let add = instruction(&[0x0900_2000, 0x0010_0032, 0, 0x8010_0ae6, 0x41, 1, 0x8010_0046, 0x81, 2]);
    assert_eq!(add.to_string(), "add_sat r0.xy, -r1.zwzz, |r2.xyxx|");
    assert_eq!((add.op, add.saturate), (Op::Add, true));
    assert_eq!((add.operands[1].negate, add.operands[1].absolute), (true, false));
    assert_eq!((add.operands[2].negate, add.operands[2].absolute), (false, true));
    assert_eq!(add.destinations().count(), 1);
    assert_eq!(add.sources().count(), 2);

    assert_eq!(instruction(&[0x0100_003e]).op, Op::Ret);
}

#[test]
fn declarations_of_the_format_description() {
    assert_eq!(declaration(&[0x0100_086a]), DeclarationKind::GlobalFlags(GlobalFlags::REFACTORING_ALLOWED));
    assert_eq!(declaration(&[0x0200_0068, 2]), DeclarationKind::Temps { count: 2 });
    let DeclarationKind::Output { operand, system_value: None } = declaration(&[0x0300_0065, 0x0010_20f2, 0]) else {
        panic!("dcl_output o0.xyzw is an output without a name");
    };
    assert_eq!(operand.to_string(), "o0.xyzw");
    let DeclarationKind::ConstantBuffer { range, vectors: 3, dynamic: false } =
        declaration(&[0x0400_0059, 0x0020_8e46, 0, 3])
    else {
        panic!("dcl_constantbuffer cb0[3], immediateIndexed");
    };
    assert_eq!((range.id, range.lower, range.upper, range.space), (0, 0, Some(0), 0));
}

#[test]
fn a_whole_pixel_shader() {
    let one = 0x3f80_0000;
    let words = [0x0300_0065, 0x0010_20f2, 0, 0x0800_0036, 0x0010_20f2, 0, 0x0000_4002, one, 0, 0, one, 0x0100_003e];
    let program = validate(PS_4_0, &[&words]).unwrap();
    let items: Vec<_> = program.items().iter().map(|item| (item.at, item.kind.text())).collect();
    assert_eq!(items, [(8, "dcl_output"), (20, "mov"), (52, "ret")]);
    assert_eq!(program.program().words_of(&program.items()[1])[0], 0x0800_0036);
    assert_eq!(program.declarations().outputs[0].file, RegisterFile::Output);
    assert_eq!(program.flow().main, 0..3);
}

#[test]
fn every_number_has_the_name_of_the_corpus_tools() {
    let python = include_str!("../../../tests/data/dxbc.py");
    let list = python.split("SM45 = \"\"\"").nth(1).and_then(|rest| rest.split("\"\"\"").next()).unwrap();
    let names: Vec<&str> = list.split_whitespace().collect();
    assert_eq!(names.len(), 235);
    for (code, name) in names.iter().enumerate() {
        match Op::from_code(code as u16) {
            Some(op) => assert_eq!((op.text(), usize::from(op.info().code)), (*name, code)),
            None => assert!(name.starts_with("reserved"), "{name}"),
        }
    }
    assert_eq!(Op::from_code(235), None);
}

// Pieces of compute shaders.
const GROUP: &[u32] = &[0x0400_009b, 8, 1, 1];
const TEMPS: &[u32] = &[0x0200_0068, 2];
const UAV: &[u32] = &[0x0400_009e, 0x0011_e000, 0, 16];
const RET: &[u32] = &[0x0100_003e];
const LOOP: &[u32] = &[0x0100_0030];
const END_LOOP: &[u32] = &[0x0100_0016];
const BREAK: &[u32] = &[0x0100_0002];
const IF: &[u32] = &[0x0304_001f, 0x4001, 1];
const ELSE: &[u32] = &[0x0100_0012];
const END_IF: &[u32] = &[0x0100_0015];
const SWITCH: &[u32] = &[0x0300_004c, 0x4001, 1];
const DEFAULT: &[u32] = &[0x0100_000a];
const END_SWITCH: &[u32] = &[0x0100_0017];
const CALL_0: &[u32] = &[0x0300_0004, 0x0010_a000, 0];
const LABEL_0: &[u32] = &[0x0300_002c, 0x0010_a000, 0];
const LABEL_1: &[u32] = &[0x0300_002c, 0x0010_a000, 1];

fn case(value: u32) -> [u32; 3] {
    [0x0300_0006, 0x4001, value]
}

/// `store_structured u0.MASK, l(0), l(0), r0.xyzw`
fn store(mask: u32) -> [u32; 9] {
    [0x0900_00a8, 0x0011_e002 | mask << 4, 0, 0x4001, 0, 0x4001, 0, 0x0010_0e46, 0]
}

/// `dadd r0.MASK, r0.SWIZZLE, r0.xyzw` with the swizzle's bits
fn dadd(mask: u32, swizzle: u32) -> [u32; 7] {
    [0x0700_00bf, 0x0010_0002 | mask << 4, 0, 0x0010_0006 | swizzle << 4, 0, 0x0010_0e46, 0]
}

#[test]
fn structured_stores_write_leading_components() {
    for mask in 0..16 {
        let checked = validate(CS_5_0, &[UAV, TEMPS, GROUP, &store(mask), RET]);
        match mask {
            0b0001 | 0b0011 | 0b0111 | 0b1111 => assert!(checked.is_ok(), "mask {mask:#06b}"),
            _ => {
                assert!(
                    matches!(checked, Err(ValidateError { at: 48, rule: Rule::WriteMask { .. }, .. })),
                    "mask {mask:#06b}: {checked:?}"
                );
            }
        }
    }
}

#[test]
fn doubles_are_taken_whole() {
    const XYZW: u32 = 0b11_10_01_00;
    const XYXY: u32 = 0b01_00_01_00;
    const ZWXY: u32 = 0b01_00_11_10;
    const XXXX: u32 = 0;
    const XYXX: u32 = 0b00_00_01_00;
    for (mask, swizzle, is_right) in [
        (0xf, XYZW, true),
        (0xf, XYXY, true),
        (0xf, ZWXY, true),
        (0x3, XYXX, true),
        (0xc, XYXX, false),
        (0xf, XYXX, false),
        (0x3, XXXX, false),
        (0x7, XYZW, false),
        (0x1, XYZW, false),
    ] {
        let checked = validate(CS_5_0, &[TEMPS, GROUP, &dadd(mask, swizzle), RET]);
        assert_eq!(checked.is_ok(), is_right, "mask {mask:#06b}, swizzle {swizzle:#010b}: {checked:?}");
    }
}

#[test]
fn ranges_of_5_1_have_bounds() {
    // dcl_uav_structured U0[2:4], 16, space=1
    let range = [0x0700_009e, 0x0031_ee46, 0, 2, 4, 16, 1];
    // store_structured U0[n].x, l(0), l(0), r0.xyzw
    let store = |n| [0x0a00_00a8, 0x0021_e012, 0, n, 0x4001, 0, 0x4001, 0, 0x0010_0e46, 0];
    for n in 0..6 {
        let checked = validate(CS_5_1, &[&range, TEMPS, GROUP, &store(n), RET]);
        assert_eq!(checked.is_ok(), (2..=4).contains(&n), "{n}: {checked:?}");
    }
    let program = validate(CS_5_1, &[&range, TEMPS, GROUP, RET]).unwrap();
    let uav = program.declarations().uav(0).unwrap();
    assert_eq!((uav.range.lower, uav.range.upper, uav.range.space), (2, Some(4), 1));
    assert_eq!(uav.range.len(), Some(3));
}

#[test]
fn constructs_and_functions_are_found() {
    let body: &[&[u32]] = &[
        GROUP,      // 0
        IF,         // 1
        LOOP,       // 2
        BREAK,      // 3
        END_LOOP,   // 4
        ELSE,       // 5
        SWITCH,     // 6
        &case(7),   // 7
        DEFAULT,    // 8
        CALL_0,     // 9
        BREAK,      // 10
        END_SWITCH, // 11
        END_IF,     // 12
        RET,        // 13
        LABEL_0,    // 14
        RET,        // 15
        LABEL_1,    // 16
        CALL_0,     // 17
        RET,        // 18
    ];
    let program = validate(CS_5_0, body).unwrap();
    let flow = program.flow();
    assert_eq!(flow.construct(1), Some(&Construct::If { otherwise: Some(5), end: 12 }));
    assert_eq!(flow.construct(2), Some(&Construct::Loop { end: 4 }));
    let Some(Construct::Switch { cases, end: 11 }) = flow.construct(6) else { panic!("{:?}", flow.construct(6)) };
    let cases: Vec<_> = cases.iter().map(|case| (case.position, case.value)).collect();
    assert_eq!(cases, [(7, Some(7)), (8, None)]);
    assert_eq!(flow.main, 0..14);
    assert_eq!(flow.label(0).map(|function| function.items.clone()), Some(15..16));
    assert_eq!(flow.label(1).map(|function| function.items.clone()), Some(17..19));
    assert_eq!(flow.label(2), None);
}

#[test]
fn flow_that_is_not_nested_is_refused() {
    let cases: &[(&[&[u32]], &str)] = &[
        (&[GROUP, SWITCH, RET, DEFAULT, BREAK, END_SWITCH, RET], "switch begins with case"),
        (&[GROUP, SWITCH, &case(1), &case(1), BREAK, END_SWITCH, RET], "already has a case 1"),
        (&[GROUP, SWITCH, DEFAULT, DEFAULT, BREAK, END_SWITCH, RET], "already has a default"),
        (&[GROUP, LOOP, IF, END_LOOP, END_IF, RET], "must close a loop"),
        (&[GROUP, LOOP, BREAK, RET], "is not closed"),
        (&[GROUP, IF, RET, END_IF], "ret at byte 44: must be the last"),
        (&[GROUP, CALL_0, RET, LABEL_1, RET], "there is no label label0"),
        (&[GROUP, RET, LABEL_0, CALL_0, RET], "calls itself"),
        (&[GROUP, LABEL_0, RET], "must follow a ret"),
        (&[GROUP, RET, GROUP], "declarations must come before"),
        (&[RET], "dcl_thread_group at byte 0: is missing"),
    ];
    for (body, expected) in cases {
        let error = validate(CS_5_0, body).unwrap_err();
        assert!(error.to_string().contains(expected), "{error}, not {expected}");
        assert!(error.to_string().contains(&format!("at byte {}", error.at())), "{error}");
    }
    assert_eq!(FunctionName::Label(3).to_string(), "label3");
}

// Pieces of shaders with interfaces.
const BODY_0: &[u32] = &[0x0200_0090, 0];
const TABLE_0: &[u32] = &[0x0400_0091, 0, 1, 0];
const FCALL_0: &[u32] = &[0x0500_0078, 0, 0x0021_3000, 0, 0];
const FB_0: &[u32] = &[0x0300_002c, 0x0011_1000, 0];

/// `dcl_interface fp0[array][sites] = {ft0}`
fn interface(dynamic: bool, array: u32, sites: u32) -> [u32; 5] {
    [0x0500_0092 | u32::from(dynamic) << 11, 0, sites, array << 16 | 1, 0]
}

/// `fcall fp0[r0.x + 0][site]`
fn fcall_computed(site: u32) -> [u32; 6] {
    [0x0600_0078, site, 0x0421_3000, 0, 0x0010_000a, 0]
}

#[test]
fn interfaces_must_fit_their_tables_and_calls() {
    let static_1 = interface(false, 1, 1);
    let dynamic_4 = interface(true, 4, 1);
    let accepted: &[&[&[u32]]] = &[
        &[BODY_0, TABLE_0, &static_1, TEMPS, GROUP, FCALL_0, RET, FB_0, RET],
        &[BODY_0, TABLE_0, &dynamic_4, TEMPS, GROUP, FCALL_0, &fcall_computed(0), RET, FB_0, RET],
    ];
    for body in accepted {
        validate(CS_5_0, body).unwrap();
    }
    let refused: &[(&[&[u32]], &str)] = &[
        (&[BODY_0, GROUP, RET], "there is no label fb0"),
        (&[GROUP, RET, FB_0, RET], "fb0 is not declared"),
        (&[BODY_0, BODY_0, GROUP, RET, FB_0, RET], "fb0 is already declared"),
        (&[BODY_0, TABLE_0, TABLE_0, GROUP, RET, FB_0, RET], "ft0 is already declared"),
        (&[BODY_0, &[0x0400_0091, 0, 1, 1], GROUP, RET, FB_0, RET], "fb1 is not declared"),
        (&[&static_1, GROUP, RET], "ft0 is not declared"),
        (&[&[0x0400_0092, 3, 1, 1 << 16], GROUP, RET], "fp3 lists no function table"),
        (
            &[BODY_0, TABLE_0, &interface(false, 1, 2), GROUP, RET, FB_0, RET],
            "ft0 has 1 function bodies, the interface has 2 call sites",
        ),
        (&[BODY_0, TABLE_0, &static_1, &static_1, GROUP, RET, FB_0, RET], "fp0 is already declared"),
        (&[BODY_0, TABLE_0, &interface(false, 0, 1), GROUP, RET, FB_0, RET], "interface slots 0, it must be 1 to 253"),
        (&[BODY_0, TABLE_0, &interface(false, 254, 1), GROUP, RET, FB_0, RET], "interface slots 254"),
        (&[BODY_0, GROUP, FCALL_0, RET, FB_0, RET], "fp0 is not declared"),
        (
            &[BODY_0, TABLE_0, &static_1, GROUP, &[0x0500_0078, 0, 0x0021_3000, 0, 1], RET, FB_0, RET],
            "fp0[1] is outside the declared range, 0 to 0",
        ),
        (
            &[BODY_0, TABLE_0, &static_1, GROUP, &[0x0500_0078, 1, 0x0021_3000, 0, 0], RET, FB_0, RET],
            "fp0[1] is outside the declared range, 0 to 0",
        ),
        (
            &[BODY_0, TABLE_0, &interface(false, 4, 1), TEMPS, GROUP, &fcall_computed(0), RET, FB_0, RET],
            "fp0 is called with a computed index",
        ),
        (&[BODY_0, TABLE_0, &static_1, GROUP, FCALL_0, RET, FB_0, FCALL_0, RET], "fb0 calls itself"),
    ];
    for (body, expected) in refused {
        let error = validate(CS_5_0, body).unwrap_err();
        assert!(error.to_string().contains(expected), "{error}, not {expected}");
        assert!(error.to_string().contains(&format!("at byte {}", error.at())), "{error}");
    }
}

#[test]
fn targets_of_interface_calls_are_counted() {
    let dynamic = interface(true, 253, 1);
    // 16 times 253 are 4,048: there is room for 48 calls of one target.
    let call = fcall_computed(0);
    let mut body: Vec<&[u32]> = vec![BODY_0, TABLE_0, &dynamic, TEMPS, GROUP];
    body.extend([&call[..]; 16]);
    body.extend([FCALL_0; 48]);
    validate(CS_5_0, &[&body[..], &[RET, FB_0, RET]].concat()).unwrap();
    body.push(FCALL_0);
    let error = validate(CS_5_0, &[&body[..], &[RET, FB_0, RET]].concat()).unwrap_err();
    assert_eq!(error.rule, Rule::Limit { what: "targets of interface calls", count: 4097, limit: 4096 });
}

#[test]
fn operands_that_cannot_stand_are_refused() {
    // mov r0.x, SOURCE
    let mov = |source: &[u32]| {
        let mut words = vec![0x0000_0036 | (3 + source.len() as u32) << 24, 0x0010_0012, 0];
        words.extend(source);
        words
    };
    for (source, expected) in [
        (&[0x0010_000a_u32, 2][..], "r2 is not declared"),
        (&[0x0020_800a, 0, 0], "cb0 is not declared"),
        (&[0x0010_900a, 0], "icb is not declared"),
        (&[0x0020_300a, 0, 0], "x0 is not declared"),
        (&[0x0002_000a], "vThreadID is not declared"),
        (&[0x0010_100a, 0], "cs_5_0 has no v#"),
        (&[0x0011_e00a, 0], "must be a value"),
        (&[0x0020_000a, 0, 0], "must have 1"),
        (&[0x0010_0012, 0], "has a mask"),
    ] {
        let error = validate(CS_5_0, &[UAV, TEMPS, GROUP, &mov(source), RET]).unwrap_err();
        assert!(error.to_string().contains(expected), "{error}, not {expected}");
        assert_eq!(error.at(), 48);
    }
}
