//! Tests `brolga new`: the document that it writes runs as it is, and agrees with the compiler's listing.

use std::fs;

use super::{Folder, repository};

/// Every compute shader of a folder of the tests, by its name without ending.
fn compute_shaders(folder: &str) -> Vec<String> {
    let names =
        fs::read_dir(repository(folder)).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = names.filter_map(|name| Some(name.strip_suffix(".cso")?.to_owned())).collect();
    names.retain(|name| {
        let listing = fs::read_to_string(repository(&format!("{folder}/{name}.asm"))).unwrap_or_default();
        listing.lines().any(|line| line.starts_with("cs_"))
    });
    names.sort();
    names
}

#[test]
fn every_compute_shader_gets_a_job_that_runs() {
    let folder = Folder::new();
    let mut jobs = Vec::new();
    for from in ["tests/data/compute", "tests/data/interfaces", "tests/data/listing"] {
        for name in compute_shaders(from) {
            let shader = repository(&format!("{from}/{name}.cso"));
            // In a folder of its own, with a copy of the shader.
            let job = format!("{}/{name}.toml", jobs.len());
            fs::create_dir(folder.path(&jobs.len().to_string())).unwrap();
            folder.brolga(&["new", shader.to_str().unwrap(), "-o", &job]).fails(0, &[]);
            jobs.push(job);
        }
    }
    assert!(jobs.len() > 130, "{}", jobs.len());
    let mut arguments = vec!["run", "--threads", "2"];
    arguments.extend(jobs.iter().map(String::as_str));
    let run = folder.brolga(&arguments);
    assert_eq!((run.code, run.err.as_str()), (Some(0), ""));
    assert_eq!(run.out.lines().filter(|line| line.starts_with("done ")).count(), jobs.len());
}

/// Compared with fxc's own listing of the same file.
#[test]
fn names_types_places_and_first_values_are_those_of_the_listing() {
    let folder = Folder::new();
    let shader = repository("tests/data/listing/buffers.cs_5_0.cso");
    let job = folder.brolga(&["new", shader.to_str().unwrap(), "-o", "-"]).out;
    // double d = 2.5 is 0x00000000 0x40040000 there, float2 fx is 0x7149f2ca 0x80000000, bool bb 0xffffffff.
    for line in [
        "# C: constant buffer of 7 vectors",
        "d = 2.5                             # double d",
        "d2 = [0.0, 0.0]                     # double2 d2",
        "ua = [[1, 2, 3, 4], [5, 6, 7, 8]]   # uint4 ua[2]",
        "fa = [1.0, 2.0, 3.0]                # float fa[3]",
        "bb = true                           # bool bb",
        "fx = [1e30, -0.0]                   # float2 fx",
        "# so: structured buffer of stride 76",
        "#   byte 16: struct In j[2]",
        "#     byte 20: int2 b",
        "#   byte 40: float3x3 m",
        "count = 1024                        # elements of 76 bytes",
        "# co: structured buffer of stride 64",
        "# elements: float4x4",
        "counter = 1024                      # the first value of the hidden counter",
        "format = \"R32G32_FLOAT\"",
        "format = \"R32_SINT\"",
    ] {
        assert!(job.lines().any(|found| found == line), "no line `{line}` in:\n{job}");
    }
}

#[test]
fn a_document_has_its_shader_beside_it_and_outputs_are_named_after_it() {
    let folder = Folder::new();
    fs::create_dir_all(folder.path("jobs/parts")).unwrap();
    let run = folder.brolga(&["new", "image.cso", "-o", "jobs/first.toml"]);
    let wrote = "      wrote jobs/image.cso\n      wrote jobs/first.toml\n";
    assert_eq!((run.code, run.out.as_str(), run.err.as_str()), (Some(0), wrote, ""));
    let job = fs::read_to_string(folder.path("jobs/first.toml")).unwrap();
    assert!(job.contains("shader = \"image.cso\""), "{job}");
    assert!(job.contains("save = \"first-"), "{job}");
    folder.brolga(&["run", "jobs/first.toml"]).fails(0, &[]);
    // Existing files with the same content stay, as do those below the folder.
    let run = folder.brolga(&["new", "image.cso", "-o", "jobs/second.toml"]);
    assert_eq!((run.code, run.out.as_str()), (Some(0), "      wrote jobs/second.toml\n"));
    fs::copy(folder.path("image.cso"), folder.path("jobs/parts/image.cso")).unwrap();
    folder.brolga(&["new", "jobs/parts/image.cso", "-o", "jobs/third.toml"]).fails(0, &[]);
    assert!(fs::read_to_string(folder.path("jobs/third.toml")).unwrap().contains("shader = \"parts/image.cso\""));
    // Another file of this name is not replaced.
    fs::copy(folder.path("add.cso"), folder.path("jobs/image.cso")).unwrap();
    folder
        .brolga(&["new", "image.cso", "-o", "jobs/fourth.toml"])
        .fails(2, &["jobs/image.cso already exists", "`--force`"]);
    assert!(!folder.path("jobs/fourth.toml").exists());
    folder.brolga(&["new", "image.cso", "-o", "jobs/fourth.toml", "--force"]).fails(0, &[]);
    folder.brolga(&["run", "jobs/fourth.toml"]).fails(0, &[]);
    // Without a name it goes here, under the shader's.
    folder.brolga(&["new", "image.cso"]).fails(0, &[]);
    assert!(fs::read_to_string(folder.path("image.toml")).unwrap().contains("shader = \"image.cso\""));
}

#[test]
fn a_job_that_is_there_stays_unless_force_is_said() {
    let folder = Folder::new();
    folder.write("add.toml", "mine");
    folder.brolga(&["new", "add.cso"]).fails(2, &["add.toml already exists", "`--force`", "`-o`"]);
    assert_eq!(fs::read_to_string(folder.path("add.toml")).unwrap(), "mine");
    folder.brolga(&["new", "add.cso", "--force"]).fails(0, &[]);
    folder.brolga(&["run", "add.toml"]).fails(0, &[]);
    folder.brolga(&["new", "add.cso", "-o", "add.cso", "--force"]).fails(2, &["does not end in .toml"]);
}

#[test]
fn what_cannot_run_gets_no_job() {
    let folder = Folder::new();
    let geometry = repository("tests/data/graphics/geometry.tri.gs_4_0.cso");
    folder
        .brolga(&["new", geometry.to_str().unwrap(), "-o", "-"])
        .fails(2, &["a geometry shader cannot be run", "documents run compute"]);
    let vertex = repository("tests/data/graphics/tess.vs.vs_5_0.cso");
    folder.brolga(&["new", vertex.to_str().unwrap()]).fails(2, &["the vertex shader writes no position"]);
    let pixel = repository("tests/data/d3d9/pixel.basic.ps_3_0.cso");
    folder
        .brolga(&["new", pixel.to_str().unwrap(), "-o", "-"])
        .fails(2, &["standard output", "another shader", "name a folder"]);
    let compute = repository("examples/blur.cso");
    let (pixel, compute) = (pixel.to_str().unwrap(), compute.to_str().unwrap());
    folder.brolga(&["new", pixel, pixel]).fails(2, &["not for a pixel shader and a pixel shader"]);
    folder.brolga(&["new", compute, pixel]).fails(2, &["not for a compute shader and a pixel shader"]);
    let mesh = repository("examples/field/seed.obj");
    let mesh = mesh.to_str().unwrap();
    folder.brolga(&["new", compute, mesh]).fails(2, &["not for a compute shader and a mesh"]);
    folder.brolga(&["new", mesh]).fails(2, &["0 shaders and 1 meshes", "name one or two shaders"]);
    folder.write("x.txt", "hello").brolga(&["new", "x.txt"]).fails(2, &["this is text"]);
    folder.brolga(&["new", "absent.cso"]).fails(2, &["cannot read absent.cso"]);
    folder.brolga(&["new", "-"]).fails(2, &["names its shader's file", "save the shader to a file"]);
    assert_eq!(folder.leavings(), ["x.txt"]);
}

/// Every vertex and pixel shader of the tests' folders, but those that are tokens without sense.
#[test]
fn shaders_of_draws_get_scenes_that_run() {
    let folder = Folder::new();
    let mut scenes = Vec::new();
    for from in ["tests/data/d3d9", "tests/data/graphics", "examples/pool", "examples/island"] {
        for file in fs::read_dir(repository(from)).unwrap().map(|entry| entry.unwrap().path()) {
            let name = file.file_name().unwrap().to_str().unwrap().to_owned();
            let is_drawn = ["_vs.cso", "_ps.cso", ".vs_", ".ps_"].iter().any(|part| name.contains(part));
            // More constants than the device has, and vertices for other stages.
            let is_other = ["vs_sw.cso", "streamout.vs.", "tess.vs."].iter().any(|part| name.starts_with(part));
            if !name.ends_with(".cso") || !is_drawn || is_other {
                continue;
            }
            let scene = format!("{}-{name}", scenes.len());
            folder.brolga(&["new", file.to_str().unwrap(), "-o", &scene]).fails(0, &[]);
            scenes.push(scene);
        }
    }
    assert!(scenes.len() > 100, "{}", scenes.len());
    let mut arguments = vec!["run", "--threads", "2"];
    arguments.extend(scenes.iter().map(String::as_str));
    let run = folder.brolga(&arguments);
    assert_eq!(run.code, Some(0), "{}", run.err);
    assert_eq!(run.out.lines().filter(|line| line.starts_with("done ")).count(), scenes.len());
}

/// The colours of the vertices, which the vertex shader passes on.
#[test]
fn a_scene_shows_what_the_shader_gives() {
    let folder = Folder::new();
    let text = "vs_2_0\ndcl_position v0\ndcl_color v1\nm4x4 oPos, v0, c0\nmov oD0, v1\n";
    folder.write("tint.asm", text).brolga(&["asm", "tint.asm", "-o", "tint.cso"]).fails(0, &[]);
    let run = folder.brolga(&["new", "tint.cso"]);
    assert_eq!(run.out, "      wrote tint/tint.cso\n      wrote tint/tint_ps.cso\n      wrote tint/document.toml\n");
    folder.brolga(&["new", "tint.cso"]).fails(2, &["tint/document.toml already exists", "`--force`"]);
    folder.brolga(&["new", "tint.cso", "--force"]).fails(0, &[]);
    let run = folder.brolga(&["run", "tint", "--pixel", "30,30", "--format", "json"]);
    assert_eq!((run.code, run.err.as_str()), (Some(0), ""));
    let document: serde_json::Value = serde_json::from_str(&run.out).unwrap();
    let draw = &document["documents"][0]["runs"][0]["pixel"][1];
    let after = draw["fragments"].as_array().unwrap().last().unwrap()["textures"][0]["after"].clone();
    let texel: Vec<f64> = after.as_array().unwrap().iter().map(|number| number.as_f64().unwrap()).collect();
    // The rectangle begins at column and row 25.6 of 256, with (1, 1, 0, 1), and ends 204.8 further with (0, 0, 1, 1).
    let part = (30.0 - 25.6) / 204.8;
    for (found, expected) in texel.iter().zip([1.0 - part, 1.0 - part, part, 1.0]) {
        assert!((found - expected).abs() < 1.0 / 255.0, "{texel:?}");
    }
}

/// Numbers are 1 in their own types: the bits of 1.0 would be a count of over a billion.
#[test]
fn constants_of_a_scene_are_ones_of_their_types() {
    const ONE: u32 = 0x3f80_0000;
    let folder = Folder::new();
    let named = fs::read(repository("tests/cli/counted.cso")).unwrap();
    // Without resource definitions the type of the integer follows from the instructions.
    let mut stripped = named.clone();
    let at = stripped.windows(4).position(|name| name == b"RDEF").unwrap();
    stripped[at..at + 4].copy_from_slice(b"NONE");
    for (name, bytes) in [("named", named), ("stripped", stripped)] {
        let file = format!("{name}.cso");
        folder.write(&file, bytes).brolga(&["new", &file]).fails(0, &[]);
        folder.brolga(&["run", name, "--timeout", "60"]).fails(0, &[]);
    }
    let named = fs::read_to_string(folder.path("named/document.toml")).unwrap();
    for value in ["values.count = 1 ", "tint = [1.0, 1.0, 1.0, 1.0] ", "steps = 1 "] {
        assert!(named.lines().any(|line| line.starts_with(value)), "no line `{value}` in:\n{named}");
    }
    // Words of vectors, of which each has a one of its own; the integer's bits are not those of a float.
    let words = [1, 0, 0, 0, 0, ONE, 0, 0, 1, 0, ONE, 0].map(|word: u32| word.to_string()).join(", ");
    let stripped = fs::read_to_string(folder.path("stripped/document.toml")).unwrap();
    assert!(stripped.contains(&format!("u32 = [{words}]")), "{stripped}");
}

/// Both shaders of a draw, in either order, and a visible mesh: not all pixels have the clear colour.
#[test]
fn a_draw_of_two_shaders_shows_a_mesh() {
    let folder = Folder::new();
    let head = "// Name Index Mask Register SysValue Format Used\n";
    let vertex = format!(
        "// Input signature:\n{head}// POSITION 0 xyzw 0 NONE float xyzw\n// COLOR 0 xyzw 1 NONE float xyzw\n//\n// Output \
         signature:\n{head}// SV_Position 0 xyzw 0 POS float xyzw\n// COLOR 0 xyzw 1 NONE float xyzw\nvs_4_0\n\
         dcl_constantbuffer cb0[4], immediateIndexed\ndcl_input v0.xyzw\ndcl_input v1.xyzw\ndcl_output_siv o0.xyzw, \
         position\ndcl_output o1.xyzw\ndcl_temps 1\nmul r0.xyzw, v0.yyyy, cb0[1].xyzw\nmad r0.xyzw, v0.xxxx, cb0[0].xyzw, \
         r0.xyzw\nmad r0.xyzw, v0.zzzz, cb0[2].xyzw, r0.xyzw\nadd o0.xyzw, r0.xyzw, cb0[3].xyzw\nmov o1.xyzw, v1.xyzw\nret\n"
    );
    let pixel = |name: &str| {
        format!(
            "// Input signature:\n{head}// SV_Position 0 xyzw 0 POS float\n// {name} 0 xyzw 1 NONE float xyzw\n//\n// Output \
             signature:\n{head}// SV_Target 0 xyzw 0 TARGET float xyzw\nps_4_0\ndcl_input_ps linear v1.xyzw\n\
             dcl_output o0.xyzw\nmov o0.xyzw, v1.xyzw\nret\n"
        )
    };
    for (name, text) in [("vs", vertex), ("ps", pixel("COLOR")), ("other", pixel("TANGENT"))] {
        let (listing, shader) = (format!("{name}.asm"), format!("{name}.cso"));
        folder.write(&listing, text).brolga(&["asm", &listing, "-o", &shader]).fails(0, &[]);
    }
    // Far from where the identity would show it.
    folder.write("far.obj", "v 50 7 90\nv 54 7 90\nv 50 11 91\nf 1 2 3\nf 1 3 2\n");
    folder
        .brolga(&["new", "vs.cso", "other.cso"])
        .fails(2, &["the pixel shader reads TANGENT0 from v1", "writes COLOR0 to o1"]);
    for (shaders, place) in [(["vs.cso", "ps.cso"], "one"), (["ps.cso", "vs.cso"], "other")] {
        let run = folder.brolga(&["new", shaders[0], shaders[1], "far.obj", "-o", place]);
        let files = [shaders[0], shaders[1], "far.obj", "document.toml"];
        let wrote: String = files.iter().map(|file| format!("      wrote {place}/{file}\n")).collect();
        assert_eq!((run.code, run.out, run.err.as_str()), (Some(0), wrote, ""));
        let run = folder.brolga(&["run", place, "--engine", "both"]);
        assert_eq!((run.code, run.err.as_str()), (Some(0), ""), "{}", run.out);
        let picture = brolga::files::Texels::decode(
            brolga::files::FileForm::Png,
            fs::read(folder.path(&format!("{place}.png"))).unwrap(),
            Some(brolga::Format::R8G8B8A8_UNORM),
            1 << 20,
        );
        let picture = picture.unwrap();
        // Inputs that the mesh lacks are 1: its colour is white.
        let white = picture.bytes.chunks(4).filter(|texel| *texel == [255; 4]).count();
        assert!((3000..40000).contains(&white), "{white}");
    }
}

/// Whatever a name contains, the job that is written runs.
#[test]
fn names_of_a_file_cannot_leave_their_place() {
    let folder = Folder::new();
    let bytes = fs::read(repository("examples/mandelbrot.cso")).unwrap();
    let place = |name: &[u8]| bytes.windows(name.len()).position(|bytes| bytes == name).unwrap();
    let (variable, register) = (place(b"centre\0"), place(b"picture\0"));
    let names: [&[u8; 6]; 30] = [
        b"a\nb = ",
        b"\"\"\"a=\"",
        b"'''\r\n]",
        b"[x]\n[u",
        b"..\\../",
        b"/etc/p",
        b"\x1b[2Jz\x7f",
        b"\xff\xfe\x80\xc0a\xed",
        // U+0085 and U+2028 end lines to some.
        b"\xc2\x85\xe2\x80\xa8b",
        b"\\u0041",
        b"a.b.c.",
        b"______",
        b"\0\0\0\0\0\0",
        // The name of another variable, so that it identifies neither.
        b"span\0\0",
        // Keys of jobs.
        b"size\0\0",
        b"values",
        b"width\0",
        b"height",
        b"depth\0",
        b"layers",
        b"mips\0\0",
        b"format",
        b"stride",
        b"count\0",
        b"view\0\0",
        b"save\0\0",
        b"expect",
        b"raw\0\0\0",
        b"typed\0",
        b"'\"#\t= ",
    ];
    for (n, name) in names.into_iter().enumerate() {
        let mut named = bytes.clone();
        for at in [variable, register] {
            named[at..at + 6].copy_from_slice(name);
        }
        let (shader, job) = (format!("named{n}.cso"), format!("named{n}.toml"));
        folder.write(&shader, named).brolga(&["new", &shader]).fails(0, &[]);
        let run = folder.brolga(&["run", &job]);
        let text = fs::read_to_string(folder.path(&job)).unwrap();
        assert_eq!((run.code, run.err.as_str()), (Some(0), ""), "{name:?}\n{text}");
    }
    // All outputs are here.
    let outputs = folder.leavings();
    assert!(outputs.len() == names.len() && outputs.iter().all(|name| name.starts_with("named")), "{outputs:?}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_path_that_no_job_can_say_is_refused() {
    use std::os::unix::ffi::OsStrExt;

    let folder = Folder::new();
    let name = std::ffi::OsStr::from_bytes(b"\xff.cso");
    fs::copy(folder.path("add.cso"), folder.folder.path().join(name)).unwrap();
    let mut command = folder.command(&["new", "-o", "x.toml"]);
    super::Run::of(command.arg(name).output().unwrap()).fails(2, &["\u{fffd}.cso", "is not UTF-8", "another name"]);
    assert!(!folder.path("x.toml").exists());
    for name in ["a\nb.cso", "\"\"\"c.cso", "d'e=[f]#.cso", "\u{85}.cso"] {
        fs::copy(folder.path("add.cso"), folder.path(name)).unwrap();
        folder.brolga(&["new", name, "-o", "x.toml", "--force"]).fails(0, &[]);
        folder.brolga(&["run", "x.toml"]).fails(0, &[]);
        folder.brolga(&["new", name, "--force"]).fails(0, &[]);
        folder.brolga(&["run", &name.replace(".cso", ".toml")]).fails(0, &[]);
    }
}
