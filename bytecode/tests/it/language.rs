//! Tests that `docs/assembly.md` has every instruction and declaration, as the table has them.

use brolga_bytecode::Limits;
use brolga_bytecode::assembler::assemble;
use brolga_bytecode::sm5::ops::{Carries, Form, OpInfo, Since};
use brolga_bytecode::sm5::{Op, Stage};
use std::fmt::Write;
use std::path::Path;

const MARK: &str =
    "<!-- generated from the tables: BROLGA_BLESS=1 cargo test -p brolga-bytecode --test it language:: -->\n";

fn since(info: &OpInfo) -> &'static str {
    match info.since {
        Since::Sm4_0 => "4.0",
        Since::Sm4_1 => "4.1",
        Since::Sm4Buffers => "5.0, 4.x with buffers",
        Since::Sm5_0 => "5.0",
    }
}

fn stages(info: &OpInfo) -> String {
    let all = [Stage::Vertex, Stage::Hull, Stage::Domain, Stage::Geometry, Stage::Pixel, Stage::Compute];
    let stages: Vec<&str> =
        all.iter().filter(|stage| info.stages.contains(**stage)).map(|stage| stage.text()).collect();
    if stages.len() == all.len() { "all".into() } else { stages.join(" ") }
}

fn may_have(info: &OpInfo) -> String {
    let carried = [
        (Carries::SAT, "`_sat`"),
        (Carries::TEST, "`_z`"),
        (Carries::OFFSETS, "`_aoffimmi`"),
        (Carries::SYNC, "`_uglobal` `_ugroup` `_g` `_t`"),
        (Carries::RESINFO, "`_uint` `_rcpfloat`"),
        (Carries::SAMPLEINFO, "`_uint`"),
    ];
    let null = info.slots.iter().any(|slot| slot.may_be_null()).then_some("`null`");
    let carried = carried.iter().filter(|(what, _)| info.carries.has(*what)).map(|(_, text)| *text);
    carried.chain(null).collect::<Vec<_>>().join(" ")
}

fn tables() -> String {
    let mut text = String::from("\n## Instructions\n\n");
    text.push_str(
        "`d` is the first destination, `d2` the second; `a`, `b`, `c` are the sources in their order. Where `null`\n",
    );
    text.push_str("is listed, it may replace an unused result.\n\n");
    text.push_str("| instruction | may have | since | stages | what it does |\n|---|---|---|---|---|\n");
    let rows = |form: Form| Op::ALL.iter().map(|op| op.info()).filter(move |info| info.form == form);
    for info in rows(Form::Instruction) {
        let meaning = info.op.meaning().replace('|', "\\|");
        let (form, carried, since, stages) = (info.example(), may_have(info), since(info), stages(info));
        writeln!(text, "| `{form}` | {carried} | {since} | {stages} | {meaning} |").unwrap();
    }
    text.push_str("\n## Declarations\n\n");
    text.push_str(
        "`texture2d` is an example of the kind of a typed resource: `buffer`, `texture1d`, `texture1darray`, `texture2d`,\n",
    );
    text.push_str(
        "`texture2darray`, `texture2dms(4)`, `texture2dmsarray(4)`, `texture3d`, `texturecube`, `texturecubearray`.\n",
    );
    text.push_str("The declaration of a `u#` may have the suffixes `_glc`, `_rov` and `_opc`. In 5.1 a declaration declares a range of\n");
    text.push_str("registers in a space, `dcl_resource_raw T0[2:4], space=1`; `[2:*]` is unbounded.\n\n");
    text.push_str("| declaration, for instance | since | stages | what it declares |\n|---|---|---|---|\n");
    for info in rows(Form::Declaration) {
        writeln!(text, "| `{}` | {} | {} | {} |", info.example(), since(info), stages(info), info.op.meaning())
            .unwrap();
    }
    text
}

#[test]
fn the_documentation_has_the_table() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/assembly.md");
    let text = std::fs::read_to_string(&path).unwrap().replace('\r', "");
    let (prose, documented) = text.split_once(MARK).expect("the page has the mark");
    let expected = tables();
    if documented != expected && std::env::var_os("BROLGA_BLESS").is_some() {
        std::fs::write(&path, format!("{prose}{MARK}{expected}")).unwrap();
        return;
    }
    assert!(documented == expected, "docs/assembly.md is out of date; BROLGA_BLESS=1 writes it anew");
}

#[test]
fn the_forms_that_are_shown_are_the_languages() {
    for info in Op::ALL.iter().map(|op| op.info()).filter(|info| info.form != Form::CustomData) {
        let text = format!("cs_5_0\n{}\n", info.example());
        if let Err(error) = assemble(&text, &Limits::default()) {
            panic!("{text}: {error}");
        }
    }
}
