//! Tests outputs, expected files, and files that are mapped.

use std::fs;
use std::path::Path;

use brolga_files::{Array, FilePart};
use brolga_runtime::Limits;

use super::{Folder, HEAD, prepared, unprepared};
use crate::model::number::NumberType;
use crate::prepare::expected::Check;
use crate::prepare::load::LoadedContent;
use crate::{Document, Prepared, Syntax};

#[test]
fn outputs_must_fit_their_resource() {
    assert_eq!(
        unprepared("[u0]\nraw = 4\nsave = \"x.png\"\n"),
        "x.png cannot hold u0: a picture is made from a texture, not from a raw view"
    );
    assert!(unprepared("[u0]\nraw = 8\nsave = { file = \"x.bin\", type = \"f64\" }\n").ends_with("leave `type` out"));
    let counted = |kind: &str| unprepared(&format!("[u0]\n{kind}\nsave = {{ file = \"x.bin\", counted = true }}\n"));
    assert_eq!(counted("raw = 4"), "`counted` cuts an output to the hidden counter, and u0 is not a structured view");
    assert!(counted("structured = { stride = 4, count = 1 }").ends_with("u0 has none: give it `counter = 0`"));
    assert_eq!(
        unprepared("[u0]\nraw = 4\nsave = \"x.csv\"\n"),
        "x.csv cannot hold u0: pictures are saved as .png, .exr or .dds, arrays as .npy, raw bytes as .bin or .raw, or under any name \
         with `raw = true`"
    );
    let twice = prepared("[u0]\nraw = 4\nsave = \"x.bin\"\n[u1]\nraw = 4\nsave = \"x.bin\"\n").unwrap();
    let folder = tempfile::tempdir().unwrap();
    let refused = twice.claim_outputs(folder.path(), &mut Default::default()).unwrap_err();
    let said = refused.problem().to_string();
    assert!(said.ends_with("x.bin is written twice"), "{said}");
    assert_eq!(refused.help().unwrap(), "choose another name");
}

/// The content of a resource.
fn content(ready: &Prepared, name: &str) -> LoadedContent {
    ready.loaded[name].content.clone()
}

#[test]
fn files_of_raw_bytes_are_mapped_and_arrays_that_are_read() {
    let head = "[u0]\nraw = 4\nmap = true\n";
    assert_eq!(unprepared(head), "`map` maps a file of raw bytes, and u0 is not saved to one");
    assert!(unprepared(&format!("{head}save = \"x.npy\"\n")).ends_with("u0 is not saved to one"));
    assert!(unprepared("[t0]\nraw = 4\nfill = \"zero\"\nmap = true\n").ends_with("t0 has no file"));
    // Whatever its size, if the document says so.
    let mapped = |map: &str| {
        let text = format!("[b0]\nfile = \"six.bin\"\n{map}\n[u0]\nraw = 4\nsave = \"x.bin\"\n{map}\n");
        let ready = prepared(&text).unwrap();
        let is_mapped = matches!(content(&ready, "b0"), LoadedContent::Mapped(FilePart { size_bytes: 6, .. }));
        (is_mapped, ready.loaded["u0"].in_place)
    };
    assert_eq!(
        [mapped(""), mapped("map = false"), mapped("map = true")],
        [(false, false), (false, false), (true, true)]
    );
}

/// An array's header may have any length; where words begin in the middle of others, its elements are copied.
#[test]
fn arrays_are_mapped_where_their_elements_begin_at_words() {
    let folder = Folder::new();
    let header = |padding: &str| {
        let dict = format!("{{'descr': '<u2', 'fortran_order': False, 'shape': (3,), }}{padding}\n");
        [&b"\x93NUMPY\x01\x00"[..], &(dict.len() as u16).to_le_bytes(), dict.as_bytes(), &[1, 0, 2, 0, 3, 0]].concat()
    };
    let read = |padding: &str, map: &str| {
        folder.write("three.npy", &header(padding));
        let text = format!("[t0]\ntyped = {{ format = \"R16_UINT\" }}\nfile = \"three.npy\"\n{map}");
        folder.prepare(&text).map(|ready| content(&ready, "t0"))
    };
    for padding in ["", "    "] {
        let offset = header(padding).len() as u64 - 6;
        let found = read(padding, "map = true").unwrap();
        let LoadedContent::Mapped(FilePart { offset_bytes, size_bytes: 6, .. }) = found else { panic!("{found:?}") };
        assert_eq!((offset_bytes, offset_bytes % 4), (offset, 0));
    }
    for padding in [" ", "  "] {
        assert!(matches!(read(padding, "").unwrap(), LoadedContent::Bytes(bytes) if bytes == [1, 0, 2, 0, 3, 0]));
    }
    let refused = read("  ", "map = true").unwrap_err();
    assert!(refused.starts_with("`map` maps a file of raw bytes or an array, and t0 has an array that"), "{refused}");
}

/// A copy of a large file goes from the file to the resource, without one in between.
#[test]
fn large_files_are_not_read_twice() {
    let folder = Folder::new();
    let large = |name: &str, header: &[u8]| {
        folder.write(name, header);
        let file = fs::OpenOptions::new().write(true).open(folder.path().join(name)).unwrap();
        file.set_len(header.len() as u64 + (64 << 20)).unwrap();
    };
    large("large.bin", &[]);
    // The same with a header.
    large("large.npy", &Array { element: "<f4".parse().unwrap(), sides: vec![16 << 20] }.header());
    for file in ["large.bin", "large.npy"] {
        for (register, map) in [("t0", "map = false"), ("u0", ""), ("b0", "map = false")] {
            let kind = if register == "b0" { "constant" } else { "raw" };
            let binding = format!("[{register}]\n{kind} = {{}}\nfile = \"{file}\"\n{map}\n");
            let found = content(&folder.prepare(&binding).unwrap(), register);
            let LoadedContent::File(part) = &found else { panic!("{binding}") };
            assert_eq!(part.size_bytes, 64 << 20, "{binding}");
        }
    }
}

/// Types of the corpus's structures, as its cases give them for every word.
#[test]
fn expected_files_have_the_types_of_the_shader_or_their_own() {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/data/exec/particles");
    let pattern = |ready: &Prepared| match &ready.checks[0] {
        Check::Numbers { segments, .. } => segments[0].pattern.clone(),
        other => panic!("{other:?}"),
    };
    let rules = |expect: &str| {
        let text = format!(
            "shader = \"shader.main.cs_5_1.cso\"\ndispatch = [4, 1, 1]\n[u0]\nsize = 11264\nexpect = {expect}\n[b0]\nsize = 48\n\
             fill = \"zero\"\n"
        );
        let document = Document::parse(data.join("document.toml"), &text, Syntax::Toml).unwrap();
        let ready = document.prepare(&Limits::default()).unwrap();
        (pattern(&ready), ready.document.model.expectations[0].rules.mixed)
    };
    let said = Document::load(&data).unwrap().model.expectations.remove(0).rules;
    assert!(said.mixed);
    assert_eq!(rules("{ file = \"u0.out.bin\" }"), (said.pattern, said.mixed));
    assert_eq!(rules("{ file = \"u0.out.bin\", type = \"u8\" }"), (vec![NumberType::U8], false));
    // The shader gives no types for raw bytes.
    let folder = Folder::new();
    let array = Array { element: NumberType::I32.element(), sides: vec![2] };
    folder.write("x.npy", &[array.header(), vec![7; 8]].concat());
    folder.write("x.bin", &[7; 8]);
    let prepare = |file: &str| folder.prepare(&format!("[u0]\nraw = 8\nexpect = {{ file = \"{file}\" }}"));
    assert_eq!(pattern(&prepare("x.npy").unwrap()), [NumberType::I32]);
    // Equal words are equal whatever their type; their difference depends on it.
    assert_eq!(pattern(&prepare("x.bin").unwrap()), [NumberType::U32]);
    let near = folder.prepare("[u0]\nraw = 8\nexpect = { file = \"x.bin\", tolerance = { abs = 1 } }");
    assert_eq!(near.unwrap_err(), "an expectation with a tolerance needs the key `type` or `words`");
}

/// A document reads files anywhere, by paths from its own folder.
#[test]
fn files_are_read_wherever_they_are() {
    let (folder, other) = (Folder::new(), Folder::new());
    other.write("four.bin", &[7; 4]);
    let absolute = other.path().join("four.bin");
    let name = other.path().file_name().unwrap().to_str().unwrap();
    for path in [absolute.to_str().unwrap(), &format!("../{name}/four.bin")] {
        let ready = folder.prepare(&format!("[t0]\nraw = {{}}\nfile = '{path}'")).unwrap();
        assert!(matches!(content(&ready, "t0"), LoadedContent::Bytes(bytes) if bytes == [7; 4]), "{path}");
    }
    // And writes below the folder that its outputs go to.
    for path in ["../x.bin", "/x.bin", "sub/../../x.bin"] {
        let ready = folder.prepare(&format!("[u0]\nraw = 4\nsave = '{path}'")).unwrap();
        let refused = ready.claim_outputs(folder.path(), &mut Default::default()).unwrap_err();
        let said = refused.problem().to_string();
        assert!(said.contains("a document writes in the folder for outputs or below it"), "{said}");
        assert_eq!(&refused.text()[refused.span()], format!("'{path}'"));
    }
    let text = format!("{HEAD}[u0]\nraw = 4\nsave = '../{name}/x.bin'\n");
    let document = Document::parse(folder.path().join("document.toml"), &text, Syntax::Toml).unwrap();
    let ready = document.anywhere().prepare(&Limits::default()).unwrap();
    assert!(ready.claim_outputs(folder.path(), &mut Default::default()).is_ok());
}
