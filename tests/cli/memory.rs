//! Tests inputs that need more memory than there is: each ends in an error that names the amount and the purpose, and
//! none kills the process.
//!
//! The command runs under a limit on its address space. `BROLGA_MEMORY=all` takes the inputs that are large files, too,
//! and each input under many limits, some of which are enough (`scripts/long.sh memory`).
#![cfg(target_os = "linux")]

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::process::Command;

use serde_json::{Value, json};

use super::{Folder, Run};

/// Mebibytes of address space: more than the command needs by itself, with its threads, and less than the inputs need.
const LIMIT: u64 = 768;

/// An input.
struct Input {
    name: &'static str,
    /// Set if it takes long to make.
    is_large: bool,
    /// Writes it; returns the file to run.
    make: fn(&Folder) -> &'static str,
    /// Required parts of the message: the position, and the number of bytes.
    parts: &'static [&'static str],
}

const INPUTS: &[Input] = &[
    Input {
        name: "a buffer of zeros",
        is_large: false,
        make: |folder| job(folder, "[u0]\nraw = 4294967296\n"),
        parts: &["job.toml:3", "u0: cannot allocate 4294967296 bytes"],
    },
    Input {
        name: "a structured buffer",
        is_large: false,
        make: |folder| job(folder, "[u0]\nstructured = { stride = 2048, count = 8388608 }\n"),
        parts: &["u0: cannot allocate 17179869184 bytes"],
    },
    Input {
        name: "a filled buffer",
        is_large: false,
        make: |folder| job(folder, "[t0]\nraw = 2147483648\nfill = { u32 = 7 }\n"),
        parts: &["t0: cannot allocate 2147483648 bytes"],
    },
    Input {
        name: "a texture",
        is_large: false,
        make: |folder| {
            let format = "format = \"R32G32B32A32_FLOAT\", width = 16384, height = 16384";
            job(folder, &format!("[u0]\ntexture2d = {{ {format} }}\n"))
        },
        parts: &["u0: cannot allocate 4294967296 bytes"],
    },
    Input {
        name: "a file that is copied",
        is_large: false,
        make: |folder| {
            sparse(folder, "x.bin", &[], 2 << 30);
            job(folder, "[t0]\nraw = {}\nfile = \"x.bin\"\nmap = false\n")
        },
        parts: &["t0: cannot allocate 2147483648 bytes"],
    },
    Input {
        name: "a file that is mapped",
        is_large: false,
        make: |folder| {
            sparse(folder, "x.bin", &[], 2 << 30);
            job(folder, "[t0]\nraw = {}\nfile = \"x.bin\"\n")
        },
        parts: &["t0: ", "x.bin cannot be mapped: Cannot allocate memory"],
    },
    Input {
        name: "an array that is copied",
        is_large: false,
        make: |folder| {
            sparse(folder, "x.npy", &array(1 << 28), 1 << 30);
            job(folder, "[t0]\nraw = {}\nfile = \"x.npy\"\nmap = false\n")
        },
        parts: &["t0: cannot allocate 1073741824 bytes"],
    },
    Input {
        name: "an array that fills a texture",
        is_large: false,
        make: |folder| {
            sparse(folder, "x.npy", &array_of("(16384, 16384)"), 1 << 30);
            job(folder, "[t0]\ntexture2d = { format = \"R32_FLOAT\" }\nfile = \"x.npy\"\nmap = false\n")
        },
        parts: &["t0: cannot allocate 1073741824 bytes"],
    },
    Input {
        name: "elements in any order",
        is_large: false,
        make: |folder| {
            sparse(folder, "want.bin", &[], 128 << 20);
            let order = "expect = { file = \"want.bin\", type = \"u32\", order = \"any\", element = 4 }";
            let inputs = "[t0]\nraw = 1024\nfill = \"zero\"\n[t1]\nraw = 1024\nfill = \"zero\"\n";
            let head = "shader = \"add.cso\"\ndispatch = [1, 1, 1]\n";
            folder.write("job.toml", format!("{head}{inputs}[u0]\nraw = 134217728\n{order}\n"));
            "job.toml"
        },
        // A copy of each, and their order.
        parts: &["u0: cannot allocate ", " bytes"],
    },
    Input {
        name: "a .dds file",
        is_large: false,
        make: |folder| {
            sparse(folder, "x.dds", &dds(16384, 16384), 1 << 30);
            job(folder, "[t0]\nfile = \"x.dds\"\ntexture2d = {}\n")
        },
        parts: &["x.dds: cannot allocate 1073741972 bytes"],
    },
    Input {
        name: "a text of values",
        is_large: false,
        make: |folder| job(folder, &format!("[t0]\nu32 = [{}]\n", "1,".repeat(7 << 20))),
        parts: &["job.toml: cannot read the document: cannot allocate 1174409760 bytes"],
    },
    Input {
        name: "a scene's buffers",
        is_large: false,
        make: |folder| {
            scene(folder, json!({ "a": { "kind": "raw", "size": 8_589_934_592_u64 } }), json!([]), json!({}))
        },
        parts: &["`a`: cannot allocate 8589934592 bytes"],
    },
    Input {
        name: "a scene's mip levels",
        is_large: false,
        make: |folder| {
            let texture = json!({ "kind": "texture2d", "format": "R8G8B8A8_UNORM_SRGB", "width": 16384, "height": 16384, "mips": 15 });
            scene(folder, json!({ "a": texture }), json!([{ "op": "generate_mips", "resource": "a" }]), json!({}))
        },
        parts: &["`a`: cannot allocate 1431655764 bytes"],
    },
    Input {
        name: "a scene's array",
        is_large: false,
        make: |folder| {
            sparse(folder, "x.npy", &array(1 << 28), 1 << 30);
            scene(folder, json!({ "a": { "kind": "raw", "file": "x.npy" } }), json!([]), json!({}))
        },
        parts: &["`a`: x.npy cannot be mapped"],
    },
    Input {
        name: "what a scene expects of a buffer",
        is_large: false,
        make: |folder| {
            sparse(folder, "want.bin", &[], 450 << 20);
            let expect = json!([{ "id": "a", "resource": "a", "file": "want.bin" }]);
            scene(folder, json!({ "a": { "kind": "raw", "size": 450 << 20 } }), json!([]), json!({ "expect": expect }))
        },
        parts: &["cannot allocate 471859200 bytes"],
    },
    Input {
        name: "a packed file",
        is_large: false,
        make: |folder| {
            folder.write("x.bin.zst", zeros_by_zstandard(8192));
            scene(folder, json!({ "a": { "kind": "raw", "file": "x.bin.zst" } }), json!([]), json!({}))
        },
        parts: &["x.bin.zst: cannot allocate ", " bytes"],
    },
    Input {
        name: "a scene's text",
        is_large: false,
        make: |folder| {
            let values = format!("[{}1]", "1,".repeat(7 << 20));
            folder.write(
                "scene.json",
                format!("{{\"resources\": {{\"a\": {{\"kind\": \"raw\", \"u32\": {values}}}}}, \"steps\": []}}"),
            );
            "scene.json"
        },
        parts: &["scene.json: cannot read the document: cannot allocate 1174", " bytes"],
    },
    Input {
        name: "a picture",
        is_large: true,
        make: |folder| {
            let file = BufWriter::new(File::create(folder.path("x.png")).unwrap());
            let mut encoder = png::Encoder::new(file, 16384, 16384);
            encoder.set_color(png::ColorType::Grayscale);
            let mut writer = encoder.write_header().unwrap();
            let mut rows = writer.stream_writer().unwrap();
            (0..16384).for_each(|_| rows.write_all(&[0; 16384]).unwrap());
            rows.finish().unwrap();
            job(folder, "[t0]\nfile = \"x.png\"\ntexture2d = {}\n")
        },
        parts: &["x.png: cannot allocate 1073741824 bytes"],
    },
    Input {
        name: "a picture of floats",
        is_large: true,
        make: |folder| {
            // A small one, whose header is then changed to another size, with enough data after it for that to be
            // possible.
            let texture = json!({ "kind": "texture2d", "format": "R32_FLOAT", "width": 4, "height": 4 });
            let save = json!([{ "resource": "a", "file": "x.exr" }]);
            scene(folder, json!({ "a": texture }), json!([]), json!({ "save": save }));
            folder.brolga(&["run", "scene.json"]).fails(0, &[]);
            let mut file = fs::read(folder.path("x.exr")).unwrap();
            for name in ["dataWindow", "displayWindow"] {
                let at = file.windows(name.len()).position(|bytes| bytes == name.as_bytes()).unwrap();
                let corner = at + name.len() + "\0box2i\0".len() + 4 + 8;
                file[corner..corner + 8].copy_from_slice(&[16383u32.to_le_bytes(), 16383u32.to_le_bytes()].concat());
            }
            sparse(folder, "x.exr", &file, 1 << 20);
            job(folder, "[t0]\nfile = \"x.exr\"\ntexture2d = {}\n")
        },
        parts: &["x.exr: cannot allocate 5368709120 bytes"],
    },
    Input {
        name: "a picture of floats that is written",
        is_large: true,
        make: |folder| {
            let floats = json!({ "kind": "texture2d", "format": "R16G16B16A16_FLOAT", "width": 8192, "height": 6144 });
            let save = json!([{ "resource": "b", "file": "x.exr" }]);
            scene(folder, json!({ "b": floats }), json!([]), json!({ "save": save }))
        },
        parts: &["x.exr: cannot allocate ", " bytes"],
    },
    Input {
        name: "a mesh",
        is_large: true,
        make: |folder| {
            let mut file = BufWriter::new(File::create(folder.path("x.obj")).unwrap());
            file.write_all(b"v 0 0 0\nv 1 0 0\nv 0 1 0\n").unwrap();
            (0..6 << 20).for_each(|_| file.write_all(b"f 1 2 3\n").unwrap());
            drop(file);
            scene(folder, json!({ "a": { "kind": "mesh", "file": "x.obj" } }), json!([]), json!({}))
        },
        parts: &["x.obj: cannot allocate ", " bytes"],
    },
];

/// Writes a job with these bindings.
fn job(folder: &Folder, bindings: &str) -> &'static str {
    folder.write("job.toml", format!("shader = \"nothing.cso\"\ndispatch = [1, 1, 1]\n{bindings}"));
    "job.toml"
}

/// Writes a scene with these resources and steps, and more.
fn scene(folder: &Folder, resources: Value, steps: Value, more: Value) -> &'static str {
    let mut scene = json!({ "name": "memory", "resources": resources, "steps": steps });
    let more = more.as_object().unwrap().iter().map(|(key, value)| (key.clone(), value.clone()));
    scene.as_object_mut().unwrap().extend(more);
    folder.write("scene.json", scene.to_string());
    "scene.json"
}

/// A file that begins with these bytes and continues with `zeros` zeros, which take no space.
fn sparse(folder: &Folder, name: &str, head: &[u8], zeros: u64) {
    let mut file = File::create(folder.path(name)).unwrap();
    file.write_all(head).unwrap();
    file.set_len(head.len() as u64 + zeros).unwrap();
}

/// The header of a file with `count` floats, as NumPy writes it.
fn array(count: u64) -> Vec<u8> {
    array_of(&format!("({count},)"))
}

fn array_of(shape: &str) -> Vec<u8> {
    let mut header = b"\x93NUMPY\x01\x00v\x00".to_vec();
    header.extend(format!("{{'descr': '<f4', 'fortran_order': False, 'shape': {shape}, }}").bytes());
    header.resize(127, b' ');
    header.push(b'\n');
    header
}

/// The header of a .dds file of R32_FLOAT.
fn dds(width: u32, height: u32) -> Vec<u8> {
    let mut words = [0_u32; 37];
    (words[0], words[1], words[2], words[3], words[4]) = (0x2053_4444, 124, 0x1007, height, width);
    (words[19], words[20], words[21], words[27]) = (32, 4, 0x3031_5844, 0x1000);
    (words[32], words[33], words[35]) = (41, 3, 1);
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// A frame of this many blocks, each of 128 KiB of one byte (RFC 8878).
fn zeros_by_zstandard(blocks: u32) -> Vec<u8> {
    // A window of 128 KiB.
    let mut file = [&0xfd2f_b528_u32.to_le_bytes()[..], &[0, 7 << 3]].concat();
    for n in 1..=blocks {
        let header = (128 << 10) << 3 | 1 << 1 | u32::from(n == blocks);
        file.extend(&header.to_le_bytes()[..3]);
        file.push(0);
    }
    file
}

/// The limited resource.
#[derive(Clone, Copy)]
enum Bound {
    /// All addresses.
    Space,
    /// Memory that the process writes for itself.
    Data,
}

/// Runs the command with this many mebibytes.
fn under(folder: &Folder, bound: Bound, mebibytes: u64, arguments: &[&str]) -> Run {
    within(folder, bound, mebibytes, "", arguments)
}

/// The same by another program, which ends it in time.
fn within(folder: &Folder, bound: Bound, mebibytes: u64, by: &str, arguments: &[&str]) -> Run {
    let option = match bound {
        Bound::Space => "-v",
        Bound::Data => "-d",
    };
    let brolga = folder.command(&[]);
    let mut command = Command::new("sh");
    command.args(["-c", &format!("ulimit {option} \"$0\"; exec {by} \"$@\""), &(mebibytes << 10).to_string()]);
    command.arg(brolga.get_program()).args(arguments).current_dir(folder.path("."));
    command.env("BROLGA_CACHE", "").env_remove("NO_COLOR").env_remove("BROLGA_COMPILER");
    Run::of(command.output().unwrap())
}

fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("nothing.asm", "cs_5_0\ndcl_thread_group 1, 1, 1\nret\n");
    folder.brolga(&["asm", "nothing.asm", "-o", "nothing.cso"]).fails(0, &[]);
    folder
}

#[test]
fn more_memory_than_there_is_is_an_error_that_says_how_much_for_what() {
    let all = std::env::var("BROLGA_MEMORY").is_ok_and(|which| which == "all");
    for input in INPUTS.iter().filter(|input| all || !input.is_large) {
        let folder = folder();
        let file = (input.make)(&folder);
        let run = under(&folder, Bound::Space, LIMIT, &["run", file, "--threads", "2"]);
        println!("{}: {:?} {}", input.name, run.code, run.err.lines().next().unwrap_or_default());
        let is_an_error = run.code.is_some_and(|code| (1..=3).contains(&code));
        assert!(is_an_error, "{}: {:?} {}{}", input.name, run.code, run.out, run.err);
        // Messages are wrapped.
        let said = run.err.split_whitespace().map(|word| word.trim_matches('│')).collect::<Vec<_>>().join(" ");
        for part in input.parts {
            assert!(said.contains(part.trim()), "{}: `{part}` is missing in {said}", input.name);
        }
        for mebibytes in (LIMIT..2048).step_by(160).filter(|_| all) {
            // With enough memory, some take long.
            let run = within(&folder, Bound::Space, mebibytes, "timeout 20", &["run", file, "--threads", "2"]);
            assert!(run.code.is_some(), "{} within {mebibytes} MiB: {}{}", input.name, run.out, run.err);
        }
    }
}

/// Copies are made piece by piece, and take no memory.
#[test]
fn copies_and_pictures_take_no_memory_of_their_own() {
    let folder = folder();
    let buffer = || json!({ "kind": "raw", "size": 256 << 20 });
    let texture = json!({ "kind": "texture2d", "format": "R8_UNORM", "width": 4096, "height": 4096 });
    let file = scene(
        &folder,
        json!({ "a": buffer(), "b": buffer(), "c": texture }),
        json!([
            { "op": "clear", "resource": "a", "uint": [7, 7, 7, 7] },
            { "op": "copy", "from": "a", "to": "b" },
        ]),
        json!({ "save": [{ "resource": "b", "file": "b.npy" }, { "resource": "c", "file": "c.png" }] }),
    );
    under(&folder, Bound::Space, LIMIT, &["run", file, "--threads", "2"]).fails(0, &[]);
    let saved = fs::read(folder.path("b.npy")).unwrap();
    assert!(saved[128..].chunks_exact(4).all(|word| word == [7, 0, 0, 0]) && saved.len() == 128 + (256 << 20));
}

/// An array of gigabytes that a shader reads is mapped: only the part read takes memory.
#[test]
fn large_arrays_are_mapped() {
    let all = std::env::var("BROLGA_MEMORY").is_ok_and(|which| which == "all");
    let bytes: u64 = if all { 4 << 30 } else { 1 << 30 };
    let folder = folder();
    sparse(&folder, "x.npy", &array(bytes / 4), bytes);
    folder.write("job.toml", "shader = \"add.cso\"\ndispatch = [1, 1, 1]\n[t0]\nraw = {}\nfile = \"x.npy\"\n[t1]\nraw = 1024\nfill = \"zero\"\n[u0]\nraw = 1024\nexpect = { u32 = [0, 0] }\n");
    // Read-only mappings do not count as data of the process.
    under(&folder, Bound::Data, 192, &["run", "job.toml", "--threads", "2"]).fails(0, &[]);
}
