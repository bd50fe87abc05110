//! Tests `brolga dis` and `brolga asm`: their output, their files, their messages about mistakes.

use std::fs;
use std::io::Write;
use std::process::Stdio;

use super::{Folder, Run, repository};

/// A text with the line ends that we write.
fn text(path: &str) -> String {
    fs::read_to_string(repository(path)).unwrap().replace('\r', "")
}

#[test]
fn a_listing_is_the_compilers() {
    let run = Folder::new().brolga(&["dis", "add.cso"]);
    assert_eq!((run.code, run.err.as_str()), (Some(0), ""));
    assert_eq!(run.out, text("tests/data/exec/vec_add_raw/shader.main.cs_5_0.asm"));
}

#[test]
fn an_exact_listing_goes_through_a_pipe_and_back() {
    let folder = Folder::new();
    let exact = folder.brolga(&["dis", "--exact", "image.cso"]);
    assert_eq!((exact.code, exact.err.as_str()), (Some(0), ""));
    assert!(exact.out.contains("// The comment above is for reading: what counts begins below.\n.dxbc\n"));
    let mut command = folder.command(&["asm", "-", "-o", "back.cso"]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(exact.out.as_bytes()).unwrap();
    let run = Run::of(child.wait_with_output().unwrap());
    assert_eq!((run.code, run.out.as_str(), run.err.as_str()), (Some(0), "", ""));
    assert!(fs::read(folder.path("back.cso")).unwrap() == fs::read(folder.path("image.cso")).unwrap());
}

#[test]
fn a_program_gets_every_field_as_json() {
    let folder = Folder::new();
    let run = folder.brolga(&["dis", "--format", "json", "add.cso", "--color", "always"]);
    assert_eq!((run.code, run.err.as_str()), (Some(0), ""));
    let json: serde_json::Value = serde_json::from_str(&run.out).unwrap();
    let items = json["program"]["items"].as_array().unwrap();
    let texts: Vec<&str> = items.iter().map(|item| item["text"].as_str().unwrap()).collect();
    let listing = text("tests/data/exec/vec_add_raw/shader.main.cs_5_0.asm");
    let lines = listing.lines().map(str::trim).skip_while(|line| *line != "cs_5_0").skip(1);
    assert_eq!(texts, lines.take_while(|line| !line.starts_with("//")).collect::<Vec<_>>());
    let run = folder.brolga(&["dis", "--format", "json", "add.cso", "-o", "add.json"]);
    assert_eq!((run.code, run.out.as_str()), (Some(0), ""));
    assert!(fs::read_to_string(folder.path("add.json")).unwrap().starts_with('{'));

    let run = folder.brolga(&["dis", "--format", "json", "--exact", "add.cso"]);
    run.fails(2, &["`--exact` and `--format json` are mutually exclusive", "leave one of them out"]);
    folder.write("noise.cso", "noise");
    folder.brolga(&["dis", "--format", "json", "noise.cso"]).fails(2, &["noise.cso: no shader container at byte 0"]);
}

#[test]
fn a_listing_has_the_lines_of_the_source() {
    let folder = Folder::new();
    let shader = repository("tests/data/debug/barrier.cs_5_0.cso");
    let shader = shader.to_str().unwrap();
    let run = folder.brolga(&["dis", "--source", shader]);
    assert_eq!((run.code, run.err.as_str()), (Some(0), ""));
    let load = "  // barrier.hlsl:10: sum += s[t ^ 5];\n  ld_structured r0.w, r0.x, l(0), g0.xxxx\n";
    assert!(run.out.contains(load), "{}", run.out);
    assert!(run.out.contains("\nmov r0.yz, l(0,0,0,0)  // r0.y <- sum; r0.z <- k\n"), "{}", run.out);
    let plain = folder.brolga(&["dis", shader]);
    let is_code = |line: &&str| !line.trim().starts_with("// ") || !line.contains(".hlsl:") && !line.contains(" <- ");
    let without: Vec<&str> = run.out.lines().filter(is_code).map(|line| line.split("  // r").next().unwrap()).collect();
    assert_eq!(without, plain.out.lines().collect::<Vec<_>>());

    // Without debug information, or with broken one, it is the usual listing, with a warning.
    let run = folder.brolga(&["dis", "--source", "add.cso"]);
    assert_eq!((run.code, run.out), (Some(0), text("tests/data/exec/vec_add_raw/shader.main.cs_5_0.asm")));
    assert!(run.err.contains("add.cso: no debug information") && run.err.contains("`-Zi`"), "{}", run.err);
    let mut broken = fs::read(shader).unwrap();
    let at = broken.windows(4).position(|name| name == b"SPDB").unwrap() + 8;
    broken[at + 32] = 3;
    folder.write("broken.cso", &broken);
    let run = folder.brolga(&["dis", "--source", "broken.cso"]);
    assert_eq!((run.code, run.out), (Some(0), folder.brolga(&["dis", "broken.cso"]).out));
    let why = format!("broken.cso: debug information at byte {}: blocks of 515 bytes", at + 32);
    assert!(run.err.contains(&why), "{}", run.err);
    let run = folder.brolga(&["info", "broken.cso"]);
    assert!(run.out.contains(&format!("\ndebug             not readable: debug information at byte {}", at + 32)));

    let run = folder.brolga(&["dis", "--source", "--exact", shader]);
    run.fails(2, &["`--source` and `--exact` are mutually exclusive", "leave one of them out"]);
}

#[test]
fn a_shader_of_text_runs() {
    let folder = Folder::new();
    folder.write("ones.asm", "cs_5_0\ndcl_uav_raw u0\ndcl_thread_group 1, 1, 1\nstore_raw u0.x, l(0), l(42)\nret\n");
    let run = folder.brolga(&["asm", "ones.asm", "-o", "ones.cso"]);
    assert_eq!((run.code, run.err.as_str()), (Some(0), ""));
    let run = folder.job("shader = \"ones.cso\"\ndispatch = [1, 1, 1]\n[u0]\nraw = 4\nexpect = { u32 = [42] }\n");
    assert_eq!((run.code, run.err.as_str()), (Some(0), ""), "{}", run.out);
}

#[test]
fn mistakes_in_a_text_are_shown_with_their_line() {
    let folder = Folder::new();
    let run = folder.write("bad.asm", "cs_5_0\nad r0.x, r1.x, r2.x\n").brolga(&["asm", "bad.asm", "-o", "bad.cso"]);
    run.fails(2, &["there is no instruction `ad`", "bad.asm:2:1", "ad r0.x, r1.x, r2.x", "did you mean `add`?"]);
    assert!(!folder.path("bad.cso").exists());

    let broken = "cs_5_0\ndcl_temps 1\ndcl_thread_group 1, 1, 1\nmov r3.x, l(1)\nret\n";
    let run = folder.write("bad.asm", broken).brolga(&["asm", "bad.asm", "-o", "bad.cso"]);
    run.fails(2, &["r3 is not declared", "bad.asm:4:1", "--unchecked"]);
    assert!(!folder.path("bad.cso").exists());
    let run = folder.brolga(&["asm", "bad.asm", "-o", "bad.cso", "--unchecked"]);
    assert_eq!((run.code, run.err.as_str()), (Some(0), ""));
    assert!(folder.path("bad.cso").exists());
}

#[test]
fn what_is_doubtful_is_said_and_written() {
    let folder = Folder::new();
    let doubtful = "cs_5_0\ndcl_temps 1\ndcl_thread_group 1, 1, 1\nmul r0.x, r0.x, l(0.333333)\nret\n";
    let run = folder.write("doubtful.asm", doubtful).brolga(&["asm", "doubtful.asm", "-o", "doubtful.cso"]);
    assert_eq!(run.code, Some(0), "{}", run.err);
    for part in ["floats are rounded to six decimals", "doubtful.asm:4:19", "--exact"] {
        assert!(run.err.contains(part), "{}", run.err);
    }
    assert!(folder.path("doubtful.cso").exists());
}

#[test]
fn what_is_missing_altogether_is_shown_without_a_line() {
    let folder = Folder::new();
    let run = folder.write("bare.asm", "cs_5_0\nret\n").brolga(&["asm", "bare.asm", "-o", "bare.cso"]);
    run.fails(2, &["bare.asm: dcl_thread_group: is missing in a compute shader", "--unchecked"]);
    assert!(!run.err.contains("cs_5_0"), "{}", run.err);
}

#[test]
fn texts_in_other_encodings_are_recognised() {
    let folder = Folder::new();
    let text = "cs_5_0\nret\n";
    let wide: Vec<u8> = "\u{feff}".encode_utf16().chain(text.encode_utf16()).flat_map(u16::to_le_bytes).collect();
    folder.write("wide.asm", wide);
    folder.brolga(&["asm", "wide.asm", "-o", "x.cso"]).fails(2, &["wide.asm is text in UTF-16", "save it as UTF-8"]);
    folder.write("latin.asm", b"cs_5_0\n// gr\xfcn\nret\n");
    folder.brolga(&["asm", "latin.asm", "-o", "x.cso"]).fails(2, &["line 2, column 6: byte 0xfc is not UTF-8"]);
}

#[test]
fn a_file_of_the_other_kind_is_recognised() {
    let folder = Folder::new();
    folder.write("text.asm", "cs_5_0\nret\n");
    folder.brolga(&["dis", "text.asm"]).fails(2, &["text.asm", "this is a listing: `brolga asm`"]);
    folder.brolga(&["asm", "add.cso", "-o", "x.cso"]).fails(2, &["add.cso is not text", "`brolga dis` lists it"]);
    folder.brolga(&["dis", "missing.cso"]).fails(2, &["cannot read missing.cso"]);
    let whole = fs::read(folder.path("add.cso")).unwrap();
    folder.write("cut.cso", &whole[..whole.len() / 2]);
    folder.brolga(&["dis", "cut.cso"]).fails(2, &["cut.cso: container size", "the file is damaged or truncated"]);
}

#[test]
fn colours_are_only_where_they_are_wanted() {
    let folder = Folder::new();
    let run = folder.brolga(&["dis", "add.cso", "--color", "always"]);
    assert!(run.out.contains("\x1b[36mdcl_temps\x1b[0m"), "{}", run.out);
    let run = folder.brolga(&["dis", "add.cso", "--color", "always", "-o", "add.asm"]);
    assert_eq!((run.code, run.out.as_str()), (Some(0), ""));
    assert!(!fs::read_to_string(folder.path("add.asm")).unwrap().contains('\x1b'));
}
