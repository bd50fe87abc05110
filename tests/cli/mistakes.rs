//! Tests mistakes in jobs: each is reported at its position, with advice, in a message that a person can read.

use std::fs;

use super::foreign::cases;
use super::{ADD, ENDLESS, Folder, repository};

#[test]
fn mistakes_are_told_with_what_would_be_right() {
    let folder = Folder::new();
    let with = |from: &str, to: &str, parts: &[&str]| {
        assert!(ADD.contains(from));
        folder.job(&ADD.replacen(from, to, 1)).fails(2, parts);
    };
    let first = "u32 = [1, 2, 3, 4]";
    let largest = "`f32` takes numbers from -3.4028235e38 to 3.4028235e38, or \"nan\", \"inf\", \"-inf\"";
    with(first, "f32 = [1e39]", &[largest, "not 1e39"]);
    with(first, "fill = { f32 = -1e300 }", &[largest, "not -1e300"]);
    with(first, "f64 = [1e400]", &["not a number of 64 bits"]);
    folder.job(&ADD.replacen(first, "f32 = [3.4028235e38, inf, \"nan\"]", 1)).fails(0, &[]);
    for bound in ["abs = inf", "rel = inf", "abs = nan"] {
        let job = format!("{ADD}expect = {{ u32 = [1], tolerance = {{ {bound} }} }}\n");
        folder.job(&job).fails(2, &["takes a finite number that is not negative"]);
    }
    with("[t0]\nraw = 1024\nu32 = [1, 2, 3, 4]", "[t0]\nflie = \"x\"", &["unknown key `flie`", "did you mean `file`?"]);
    with("raw = 1024", "typed = { format = \"RGBA8_UNORM\" }", &["no format `RGBA8_UNORM`", "`R8G8B8A8_UNORM`?"]);
    with("[1, 1, 1]", "[40, 24]", &["`dispatch` takes an array of 3 integers, not an array of 2"]);
    with("dispatch", "shader = \"b\"\ndispatch", &["the key `shader` is given twice", "job.toml:3:1"]);
    folder.job(&format!("{ADD}save = 1\n")).fails(2, &["`save` takes the name of a file, or a table, not an integer"]);
    with("[t1]", "[cb1]", &["unknown key `cb1` in the document", "did you mean `b1`?"]);
    with("[t1]", "[somewhere]", &["the keys here are name,", "b0, t0, u0, s0"]);
    with(
        "dispatch",
        "dispach",
        &["unknown key `dispach` in the document", "job.toml:3:1", "dispach = [1, 1, 1]", "`dispatch`?"],
    );
    folder.write("short.bin", [0; 1000]);
    let short = ["short.bin has 1000 bytes, t0 needs 1024", "24 bytes are missing", "job.toml:6:8"];
    with(first, "file = \"short.bin\"", &short);
    with("[t0]", "[u7]\nraw = 4\n[t0]", &["add.cso", "u7", "the shader declares", "[u7]"]);
    with("[t1]\nraw = 1024\nu32 = [10, 20, 30, 40]\n", "", &["t1 is declared as raw buffer"]);
    let structured = "[u0]\nstructured = { stride = 16, count = 64 }";
    with("[u0]\nraw = 1024", structured, &["u0 is declared as raw buffer but bound to a structured", "[u0]"]);
    with("add.cso", "none.cso", &["cannot read", "none.cso"]);
    folder.job("shader = \n").fails(2, &["job.toml:1:"]);
}

/// The shader never ends: if the outputs were checked after the run, this test would not end either.
#[test]
fn an_output_that_cannot_be_written_is_found_before_the_run() {
    let folder = Folder::new();
    fs::create_dir(folder.path("taken.bin")).unwrap();
    let save = |save: &str, parts: &[&str]| folder.job(&ENDLESS.replace("out.bin", save)).fails(2, parts);
    save("missing/out.bin", &["cannot write missing/out.bin: there is no folder missing", "job.toml:5:8"]);
    save("taken.bin", &["cannot write taken.bin"]);
    save("x.png", &["x.png cannot hold u0: a picture is made from a texture"]);
    save("a.bin\"\n[u1]\nraw = 4\nsave = \"./a.bin", &["written twice"]);
    assert_eq!(folder.leavings(), ["taken.bin"]);
}

#[test]
fn absurd_numbers_are_refused() {
    let folder = Folder::new();
    let groups = |to: &str| folder.job(&ADD.replace("[1, 1, 1]", to));
    groups("[1, 1, 1]\nfirst_group = [4294967295, 0, 0]").fails(3, &["job.toml:4:"]);
    groups("[4294967295, 4294967295, 4294967295]").fails(3, &["4294967295", "the device's limit is 65535"]);
    folder.brolga(&["run", "job.toml", "--threads", "1000000"]).fails(2, &["--threads"]);
    // The compiler rejects such a group; a file can have it all the same. dcl_thread_group is its code and three sizes.
    let whole = fs::read(folder.path("add.cso")).unwrap();
    let words = |sizes: [u32; 3]| [0x0400_009b, sizes[0], sizes[1], sizes[2]].map(u32::to_le_bytes).concat();
    let at = whole.windows(16).position(|bytes| bytes == words([64, 1, 1])).unwrap();
    for (sizes, found) in [([1025, 1, 1], "1025"), ([64, 32, 1], "2048")] {
        let mut shader = whole.clone();
        shader[at..at + 16].copy_from_slice(&words(sizes));
        folder.write("add.cso", shader).job(ADD).fails(2, &["add.cso", found, "1024"]);
    }
}

#[test]
fn what_cannot_be_read_is_named() {
    let folder = Folder::new();
    let geometry = repository("tests/data/graphics/geometry.cube.gs_5_0.cso");
    let geometry = ADD.replace("add.cso", geometry.to_str().unwrap());
    folder.job(&geometry).fails(2, &["geometry.cube.gs_5_0.cso", "geometry"]);
    folder.write("job.json", "{\"shader\": \"add.cso\",}").write("job.toml", ADD);
    for (arguments, parts) in [
        (&["none.toml"][..], &["none.toml", "cannot read the document"][..]),
        (&["add.cso"], &["add.cso", ".toml or .json"]),
        (&["job.json"], &["job.json:1:"]),
        (&[], &["DOCUMENT"]),
        (&["job.toml", "--timeout", "0"], &["not a time in seconds"]),
        (&["job.toml", "--engine", "gpu"], &["gpu", "interpreter"]),
    ] {
        folder.brolga(&[&["run"], arguments].concat()).fails(2, parts);
    }
}

/// In time in proportion to the job.
#[test]
fn a_job_of_very_many_registers_is_refused() {
    let folder = Folder::new();
    // Each has pages of its own where there are guard pages, and a process may not have many.
    let count = if cfg!(any(brolga_guard_pages = "after", brolga_guard_pages = "before")) { 2_000 } else { 200_000 };
    let registers: String = (0..count).map(|n| format!("[b{n}]\nu32 = [1]\n")).collect();
    folder.job(&format!("{ADD}{registers}")).fails(2, &["b0 is bound to a constant view", "declares only"]);
    let (registers, last) = (registers + "[u1]\nraw = 4\n", format!("b{}", count - 1));
    let expected = format!("{ADD}{registers}[[expect]]\nslot = \"{last}\"\nu32 = [1]\n");
    folder.job(&expected).fails(2, &[&format!("{last} has no result for `expect`")]);
}

#[test]
fn what_a_message_quotes_is_short() {
    let folder = Folder::new();
    let long = "k".repeat(1 << 20);
    for job in [
        format!("{long} = 1\n{ADD}"),
        format!("{ADD}{long} = 1\n"),
        format!("{ADD}format = \"{long}\"\n"),
        format!("{ADD}save = \"{long}\"\n"),
        format!("{ADD}[b0]\n{long} = 1\n"),
        format!("{ADD}[instances]\n{long} = \"x\"\n"),
        format!("{ADD}[[expect]]\nslot = \"{long}\"\ncounter = 1\n"),
        format!("{ADD}[{long}]\n[{long}]\n"),
        ADD.replace("add.cso", &long),
    ] {
        let run = folder.job(&job);
        assert_eq!(run.code, Some(2), "{}", run.err.len());
        assert!(run.err.len() < 6000, "{} bytes: {}", run.err.len(), &run.err[..1000]);
    }
    let zeros = "0, ".repeat(100_000);
    let line = format!(r#"{{"shader": "add.cso", "dispach": [1, 1, 1], "t0": {{"raw": 4, "u32": [{zeros}0]}}}}"#);
    let run = folder.write("job.json", line).brolga(&["run", "job.json"]);
    run.fails(2, &["job.json:1:23", "unknown key `dispach`", "did you mean `dispatch`?"]);
    assert!(run.err.len() < 1000, "{} bytes", run.err.len());
    // A header may have 64 KiB, all of which may be the type of the numbers, or the array's shape.
    for (from, to) in [("<u4", "<u4".repeat(20_000)), ("(256,)", format!("({})", "7,".repeat(30_000)))] {
        let text = "{'descr': '<u4', 'fortran_order': False, 'shape': (256,), }\n".replace(from, &to);
        let header = [b"\x93NUMPY\x01\x00".as_slice(), &(text.len() as u16).to_le_bytes(), text.as_bytes()].concat();
        folder.write("x.npy", [header, vec![0; 1024]].concat());
        let run = folder.job(&ADD.replacen("u32 = [1, 2, 3, 4]", "file = \"x.npy\"", 1));
        run.fails(2, &["x.npy: "]);
        assert!(run.err.len() < 1000, "{} bytes", run.err.len());
    }
}

#[test]
fn a_job_of_many_megabytes_is_refused_with_advice() {
    let folder = Folder::new();
    let values = format!("{ADD}# {}\n", "x".repeat(16 << 20));
    folder.job(&values).fails(2, &["the limit is 16777216", "put the values in separate files"]);
    fs::write(folder.path("job.json"), "[".repeat((16 << 20) + 1)).unwrap();
    folder
        .brolga(&["run", "job.json"])
        .fails(2, &["cannot read the document: it has 16777217 bytes, the limit is 16777216"]);
}

#[test]
fn a_file_that_is_no_shader_is_told_by_run_too() {
    let folder = Folder::new();
    for (name, content, parts) in cases() {
        folder.write(name, content).write("the_job.toml", ADD.replace("add.cso", name));
        for command in [&["run", "the_job.toml"][..], &["bench", "the_job.toml", "--rounds", "1"]] {
            folder.brolga(command).fails(2, &[&[name], parts].concat());
        }
    }
    let run = folder.write("j.toml", ADD.replace("add.cso", "a.spv")).brolga(&["run", "j.toml", "--format", "json"]);
    let document: serde_json::Value = serde_json::from_str(&run.out).unwrap();
    let help = document["documents"][0]["error"]["help"].as_str().unwrap();
    assert!(help.starts_with("this is SPIR-V: `spirv-cross --hlsl --shader-model 50` makes HLSL of it"), "{help}");
}
