//! Tests files that are not shaders: every command that reads shaders names their type and gives advice.

use std::fs;

use super::{Folder, repository};

/// A name, the content of the file, and the expected message.
pub(super) type Case = (&'static str, Vec<u8>, &'static [&'static str]);

/// A container whose only chunk has this name. The version, the size, the count and the offset are those of the format.
fn container(chunk: &[u8; 4]) -> Vec<u8> {
    let mut bytes = b"DXBC".to_vec();
    bytes.extend([0; 16]);
    bytes.extend([1, 48, 1, 36, u32::from_le_bytes(*chunk), 4, 0].iter().flat_map(|word: &u32| word.to_le_bytes()));
    bytes
}

pub(super) fn cases() -> Vec<Case> {
    let text = |text: &str| text.as_bytes().to_vec();
    vec![
        ("empty.cso", Vec::new(), &["the file is empty"]),
        ("hello.txt", text("hello"), &["begins with 68 65 6c 6c (`hell`), not with DXBC", "this is text"]),
        ("job.toml", text("shader = \"add.cso\"\n"), &["`brolga run`"]),
        ("listing.txt", text("// A comment.\n  cs_5_0\nret\n"), &["this is a listing: `brolga asm`"]),
        ("old.txt", text("ps_2_x\n"), &["this is a listing: `brolga asm`"]),
        ("exact.txt", text(".dxbc\n"), &["this is a listing: `brolga asm`"]),
        ("a.hlsl", text("int a;\n"), &["is HLSL", "fxc"]),
        ("b.txt", text("// model: cs_5_0\n[numthreads(1, 1, 1)] void main() {}\n"), &["this is HLSL", "fxc"]),
        (
            "a.spv",
            vec![0x03, 0x02, 0x23, 0x07, 0, 0, 1, 0],
            &[
                "begins with 03 02 23 07, not with DXBC",
                "this is SPIR-V: `spirv-cross --hlsl --shader-model 50`",
                "fxc",
            ],
        ),
        ("b.spvasm", text("OpCapability Shader\n"), &["the text of SPIR-V: `spirv-as`", "`spirv-cross --hlsl"]),
        (
            "c.txt",
            text("#version 450\nvoid main() {}\n"),
            &["this is GLSL: `glslangValidator -V`", "`spirv-cross --hlsl"],
        ),
        ("mesh.frag", text("void main() {}\n"), &["this is GLSL"]),
        ("d.txt", text("@fragment fn main() {}\n"), &["this is WGSL", "a name that ends in .wgsl"]),
        ("e.metal", text("kernel void a() {}\n"), &["the Metal shading language", "GLSL, WGSL, SPIR-V or HLSL"]),
        ("f.txt", text("using namespace metal;\nfloat4 a;\n"), &["the Metal shading language"]),
        (
            "offsets.txt",
            text("//\n      0x00000000: cs_5_0\n      0x00000008: ret\n"),
            &["this is a listing: `brolga asm`"],
        ),
        ("a.fxo", vec![0x01, 0x09, 0xff, 0xfe, 0, 0, 0, 0], &["begins with 01 09 ff fe,", "an effect"]),
        ("a.exe", vec![b'M', b'Z', 0x90, 0, 3, 0, 0, 0], &["begins with 4d 5a 90 00,", "a program"]),
        ("noise.bin", vec![0xde, 0xad, 0xbe, 0xef], &["begins with de ad be ef,", "DXBC", "Direct3D 9"]),
        ("six.cso", container(b"DXIL"), &["no program", "model 6 (DXIL)"]),
        ("effect.cso", container(b"FX10"), &["no program", "an effect"]),
    ]
}

#[test]
fn a_file_that_is_no_shader_is_told_by_every_command() {
    let folder = Folder::new();
    for (name, content, parts) in cases() {
        folder.write(name, content);
        for command in ["dis", "info", "validate"] {
            let run = folder.brolga(&[command, name]);
            let (code, text) = if command == "validate" { (1, run.out) } else { (2, run.err) };
            assert_eq!(run.code, Some(code), "{command} {name}: {text}");
            for part in parts.iter().chain(&[name]) {
                assert!(text.contains(part), "{command} {name}: `{part}` is missing in:\n{text}");
            }
        }
    }
}

#[test]
fn of_many_files_each_is_told_and_accounted_for() {
    let folder = Folder::new();
    folder.write("noise.cso", "noise");
    let files = ["add.cso", "missing.cso", "noise.cso"];

    let run = folder.brolga(&[&["validate", "--format", "json"][..], &files].concat());
    let json: serde_json::Value = serde_json::from_str(&run.out).unwrap();
    assert_eq!(run.code, Some(2));
    let told = json["files"].as_array().unwrap().iter();
    let told: Vec<_> =
        told.map(|file| [&file["file"], &file["state"], &file["findings"]].map(ToString::to_string)).collect();
    assert_eq!(
        told.concat().join(" "),
        "\"add.cso\" \"fine\" 0 \"missing.cso\" \"unread\" 0 \"noise.cso\" \"faulty\" 1",
    );
    assert!(json["files"][1]["error"].as_str().unwrap().starts_with("cannot read missing.cso"));

    let run = folder.brolga(&[&["info"][..], &files].concat());
    run.fails(2, &["cannot read missing.cso", "noise.cso: no shader container"]);
    let alone = folder.brolga(&["info", "add.cso"]).out;
    assert_eq!(run.out, format!("add.cso:\n{alone}\nmissing.cso:\n\nnoise.cso:\n"));

    let run = folder.brolga(&[&["info", "--format", "json"][..], &files].concat());
    let json: serde_json::Value = serde_json::from_str(&run.out).unwrap();
    let alone = folder.brolga(&["info", "--format", "json", "add.cso"]).out;
    assert_eq!(json["files"][0]["info"], serde_json::from_str::<serde_json::Value>(&alone).unwrap());
    assert!(json["files"][1]["info"].is_null());
    assert!(json["files"][2]["error"].as_str().unwrap().starts_with("noise.cso: no shader container"));
}

#[test]
fn standard_input_is_named_once() {
    for command in ["info", "validate"] {
        Folder::new().brolga(&[command, "-", "-"]).fails(2, &["`-` is standard input", "only once"]);
    }
}

/// A shader with a constant buffer, one of whose members has this name of five bytes.
#[cfg(target_os = "linux")]
fn with_name(name: &[u8; 5]) -> Vec<u8> {
    let mut bytes = fs::read(repository("tests/data/exec/mandelbrot_precise/shader.main.cs_5_0.cso")).unwrap();
    let resources = bytes.windows(4).position(|word| word == b"RDEF").unwrap();
    let at = |place: usize| u32::from_le_bytes(bytes[place..][..4].try_into().unwrap()) as usize;
    let data = resources + 8;
    // The first constant buffer's first variable; the layout is that of RDEF: the count and the offset of the buffers,
    // then in a buffer its name, the count of its variables and their offset, and in a variable its name.
    let buffer = data + at(data + 4);
    let variable = data + at(buffer + 8);
    let place = data + at(variable);
    bytes[place..][..5].copy_from_slice(name);
    bytes
}

/// The output of a command on a terminal, without colours.
#[cfg(target_os = "linux")]
fn on_terminal(folder: &Folder, arguments: &[&str]) -> String {
    let mut command = folder.command(arguments);
    command.env("NO_COLOR", "1");
    shown_by(command)
}

/// The output of a command on a terminal.
#[cfg(target_os = "linux")]
fn shown_by(mut command: std::process::Command) -> String {
    use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
    use std::io::Read;
    use std::process::Stdio;

    let ours = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&ours).unwrap();
    unlockpt(&ours).unwrap();
    let theirs = ptsname(&ours, Vec::new()).unwrap().into_string().unwrap();
    let theirs = fs::OpenOptions::new().read(true).write(true).open(theirs).unwrap();
    let mut child = command.stdout(theirs).stderr(Stdio::piped()).spawn().unwrap();
    // It holds an end that would keep the reading below from ending.
    drop(command);
    let mut bytes = Vec::new();
    let mut ours = fs::File::from(ours);
    let mut block = [0; 4096];
    // Once no process writes any more, reading the terminal fails.
    while let Ok(read @ 1..) = ours.read(&mut block) {
        bytes.extend_from_slice(&block[..read]);
    }
    assert_eq!(child.wait().unwrap().code(), Some(0));
    String::from_utf8(bytes).unwrap()
}

#[cfg(target_os = "linux")]
#[test]
fn a_dumb_terminal_gets_no_colours() {
    let folder = Folder::new();
    let with = |term: &str, arguments: &[&str]| {
        let mut command = folder.command(arguments);
        // Build servers set CI, and their logs have colours.
        command.env("TERM", term).env("CI", "true");
        shown_by(command)
    };
    assert!(with("xterm", &["dis", "add.cso"]).contains("\x1b["));
    assert!(!with("dumb", &["dis", "add.cso"]).contains('\x1b'));
    assert!(with("dumb", &["dis", "add.cso", "--color", "always"]).contains("\x1b["));
    assert!(!with("dumb", &["--help"]).contains('\x1b'));
}

#[cfg(target_os = "linux")]
#[test]
fn a_name_cannot_steer_the_terminal() {
    let folder = Folder::new();
    folder.write("evil.cso", with_name(b"\x1b[31m"));
    assert!(folder.brolga(&["dis", "evil.cso"]).out.contains("\x1b[31m"), "off a terminal nothing is changed");
    for arguments in [
        &["dis", "evil.cso"][..],
        &["dis", "--exact", "evil.cso"],
        &["dis", "--color", "never", "evil.cso"],
        &["info", "evil.cso"],
        &["info", "--format", "json", "evil.cso"],
    ] {
        let shown = on_terminal(&folder, arguments);
        assert!(shown.contains("[31m"), "{arguments:?}: {shown}");
        assert!(!shown.contains('\x1b'), "{arguments:?}: {shown:?}");
    }
}

#[test]
fn a_text_in_another_language_is_no_listing() {
    let folder = Folder::new();
    folder
        .write("a.comp", "#version 450\nvoid main() {}\n")
        .brolga(&["asm", "a.comp", "-o", "a.cso"])
        .fails(2, &["a.comp is no listing", "this is GLSL"]);
    // A listing with a mistake is still a listing, whatever its comments contain.
    let listing = "// cbuffer C { float4 tint; }\ncs_5_9\ndcl_thread_group 1, 1, 1\nret\n";
    folder.write("b.asm", listing).brolga(&["asm", "b.asm", "-o", "b.cso"]).fails(2, &["`cs_5_9`", "b.asm:2:1"]);
}
