//! Tests sizes, whose sources must agree, and the content of resources.

use super::{parse, prepared, unprepared};
use crate::Prepared;
use crate::model::number::NumberType;
use crate::prepare::load::LoadedContent;

#[test]
fn sizes_are_checked_before_anything_runs() {
    assert_eq!(unprepared("[u0]\nraw = {}\n"), "nothing says how many bytes u0 has");
    assert_eq!(unprepared("[u0]\nraw = 6\n"), "u0 has 6 bytes, which is not a multiple of 4");
    assert_eq!(
        unprepared("[u0]\nstructured = { stride = 8, count = 2 }\nsize = 24\n"),
        "u0 has 24 bytes by `size`, but its structured says 16"
    );
    assert_eq!(unprepared("[u0]\nraw = 4\nu32 = [1, 2]\n"), "u0 has 4 bytes, the values end at byte 8");
    assert_eq!(
        unprepared("[u0]\nraw = 1000000000000\n"),
        "u0 would have 1000000000000 bytes, the limit is 34359738368"
    );
    assert_eq!(unprepared("[u0]\nraw = 9000000000000000000\n").split(' ').next(), Some("u0"));
    assert_eq!(unprepared("[t0]\nraw = 4\n"), "what is only read needs the key `file`, `fill` or values such as `u32`");
    assert!(unprepared("[t0]\nraw = 8\nfile = \"six.bin\"\n").ends_with("six.bin has 6 bytes, t0 needs 8"));
    assert!(unprepared("[t0]\nraw = {}\nfile = \"none.bin\"\n").contains("none.bin"));
    assert!(unprepared("[t0]\nraw = {}\nfile = \"six.bin\"\n").ends_with("not a multiple of 4"));
    assert!(unprepared("[u0]\ntexture2d = { format = \"R32_UINT\", width = 99999, height = 1 }\n").starts_with("u0: "));
}

#[test]
fn resources_together_have_a_limit_too() {
    let resource = |slot: &str| format!("[{slot}]\nstructured = {{ stride = 16, count = 1342177280 }}\n");
    let gib = 1u64 << 30;
    assert!(prepared(&resource("u0")).is_ok());
    let error = prepared(&format!("{}{}", resource("u0"), resource("u1"))).unwrap_err();
    let limits = format!("the document would take {} bytes, the limit is {}", 40 * gib, 32 * gib);
    assert_eq!(error.problem().to_string(), format!("with u1 {limits}"));
    assert_eq!(&error.text()[error.span()], "u1");
    // The remainder of the limit applies to files and pictures too.
    let full = resource("u0").replace("1342177280", "2147483648");
    assert!(prepared(&full).is_ok());
    assert!(unprepared(&format!("{full}[t0]\nraw = {{}}\nfile = \"six.bin\"\n")).starts_with("t0 has 6 bytes"));
    assert!(unprepared(&format!("{full}[b0]\nfile = \"six.bin\"\n")).starts_with("with b0 the document would take"));
}

#[test]
fn fills_and_values_become_bytes() {
    let text = "[u0]\nraw = 8\nfill = { f32 = 1.0 }\n[u1]\nraw = 12\nat = [{ byte = 4, i32 = [-1] }]\n";
    let ready = prepared(text).unwrap();
    let bytes = |name: &str| match &ready.loaded[name].content {
        LoadedContent::Fill(bytes, size) => bytes.repeat(*size as usize / bytes.len()),
        LoadedContent::Values(runs, size) => {
            let mut bytes = vec![0; *size as usize];
            for run in runs {
                bytes[run.byte as usize..][..run.bytes.len()].copy_from_slice(&run.bytes);
            }
            bytes
        }
        other => panic!("{other:?}"),
    };
    assert_eq!(bytes("u0"), [0, 0, 0x80, 0x3f, 0, 0, 0x80, 0x3f]);
    assert_eq!(bytes("u1"), [0, 0, 0, 0, 255, 255, 255, 255, 0, 0, 0, 0]);
    let halves = "[u0]\nraw = 12\nfill = { f64 = 0.5 }\n";
    assert_eq!(unprepared(halves), "u0 has 12 bytes, which is not a multiple of 8");
}

/// Bounds of each type, whose neighbours outside are rejected with their position.
#[test]
fn numbers_are_of_their_type() {
    for (number_type, inside, outside) in [
        (NumberType::U8, "[0, 255]", ["-1", "256"]),
        (NumberType::U16, "[0, 0xffff]", ["-1", "65536"]),
        (NumberType::U32, "[0, 0xffffffff]", ["-1", "4294967296"]),
        (NumberType::I32, "[-2147483648, 2147483647]", ["-2147483649", "2147483648"]),
        (NumberType::F32, "[-3.4028235e38, \"nan\", \"inf\", 1]", ["1e39", "\"infinite\""]),
        (NumberType::F64, "[1e308, \"-inf\", -1]", ["true", "\"x\""]),
    ] {
        let text = |values: &str| format!("shader = \"s\"\ndispatch = [1, 1, 1]\n[b0]\n{number_type} = {values}\n");
        parse(&text(inside)).unwrap_or_else(|error| panic!("{error}"));
        for wrong in outside {
            let error = parse(&text(&format!("[{wrong}]"))).unwrap_err();
            let said = error.problem().to_string();
            assert!(said.starts_with(&format!("`{number_type}` takes {}, not ", number_type.range())), "{said}");
            assert_eq!(&error.text()[error.span()], wrong);
        }
    }
}

#[test]
fn expectations_must_fit_their_resource() {
    assert_eq!(unprepared("[u0]\nraw = 4\nexpect = { u32 = [1, 2] }\n"), "u0 has 4 bytes, the values end at byte 8");
    assert!(unprepared("[u0]\nraw = 8\nexpect = { file = \"six.bin\", type = \"u8\" }\n").ends_with("u0 needs 8"));
    assert!(unprepared("[u0]\nraw = 8\nexpect = { u32 = [1], elements = 3, element = 4 }\n").contains("do not fit"));
    assert!(unprepared("[u0]\nraw = 8\nexpect = { counter = 1 }\n").contains("no hidden counter"));
    assert!(
        unprepared("[u0]\nraw = 8\nexpect = { at = [{ byte = 2, u32 = [1] }] }\n")
            .contains("not a whole number of u32")
    );
    for nothing in ["u32 = []", "u32 = [1], elements = 0", "u32 = [1, 2], element = 4, skip_elements = [0, 1]"] {
        assert!(unprepared(&format!("[u0]\nraw = 8\nexpect = {{ {nothing} }}\n")).contains("compares nothing of u0"));
    }
    let part = "[u0]\nraw = 8\nexpect = { u32 = [1], mip = 0 }\n";
    assert_eq!(unprepared(part), "`mip`, `layer` and `plane` are for a `file` with the texels of a texture");
    // A resource may hold more than is expected of it.
    let longer: Prepared = prepared("[u0]\nraw = 8\nexpect = { u32 = [1] }\n").unwrap();
    assert_eq!(longer.checks.len(), 1);
}
