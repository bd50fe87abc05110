//! `brolga new`: the document that it writes runs as it is, says what the compiler's listing says, and shows what is
//! drawn.

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
fn every_compute_shader_gets_a_document_that_runs() {
    let folder = Folder::new();
    let mut jobs = Vec::new();
    for from in ["tests/data/compute", "tests/data/interfaces", "tests/data/listing"] {
        for name in compute_shaders(from) {
            let shader = repository(&format!("{from}/{name}.cso"));
            let job = format!("{}-{name}.toml", jobs.len());
            folder.brolga(&["new", shader.to_str().unwrap(), "-o", &job]).fails(0, &[]);
            jobs.push(job);
        }
    }
    assert!(jobs.len() > 130, "{}", jobs.len());
    let mut arguments = vec!["run", "--engine", "both", "--threads", "1"];
    arguments.extend(jobs.iter().map(String::as_str));
    let run = folder.brolga(&arguments);
    assert_eq!((run.code, run.err.as_str()), (Some(0), ""));
    assert_eq!(run.out.lines().filter(|line| line.starts_with("done ")).count(), 2 * jobs.len());
}

/// Against what fxc's own listing says of the same file.
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
fn a_document_names_its_shader_from_its_own_folder_and_its_outputs_after_itself() {
    let folder = Folder::new();
    fs::create_dir(folder.path("jobs")).unwrap();
    let run = folder.brolga(&["new", "image.cso", "-o", "jobs/first.toml"]);
    assert_eq!((run.code, run.out.as_str(), run.err.as_str()), (Some(0), "      wrote jobs/first.toml\n", ""));
    let job = fs::read_to_string(folder.path("jobs/first.toml")).unwrap();
    assert!(job.contains("shader = \"../image.cso\""), "{job}");
    assert!(job.contains("save = \"first-"), "{job}");
    folder.brolga(&["run", "jobs/first.toml"]).fails(0, &[]);
    // Without a name it goes here, under the shader's.
    folder.brolga(&["new", "image.cso"]).fails(0, &[]);
    assert!(fs::read_to_string(folder.path("image.toml")).unwrap().contains("shader = \"image.cso\""));
    // In a folder it is the one by which that is found.
    let run = folder.brolga(&["new", "./jobs/../image.cso", "-o", "jobs"]);
    assert_eq!((run.code, run.out.as_str(), run.err.as_str()), (Some(0), "      wrote jobs/document.toml\n", ""));
    assert!(fs::read_to_string(folder.path("jobs/document.toml")).unwrap().contains("shader = \"../image.cso\""));
    folder.brolga(&["run", "jobs"]).fails(0, &[]);
}

/// Behind a link `..` is not where the link is.
#[cfg(unix)]
#[test]
fn a_way_over_a_link_leads_to_the_shader() {
    use std::os::unix::fs::symlink;

    let folder = Folder::new();
    for path in ["deep/down/jobs", "shaders"] {
        fs::create_dir_all(folder.path(path)).unwrap();
    }
    fs::copy(folder.path("image.cso"), folder.path("shaders/x.cso")).unwrap();
    symlink(folder.path("deep/down/jobs"), folder.path("linked")).unwrap();
    symlink(folder.path("shaders"), folder.path("deep/shaders")).unwrap();
    for (document, shader) in [
        ("linked/a.toml", "shaders/x.cso"),
        ("linked/b.toml", "image.cso"),
        ("linked/new/c.toml", "deep/shaders/../image.cso"),
        ("deep/d.toml", "deep/shaders/x.cso"),
    ] {
        fs::create_dir_all(folder.path(document).parent().unwrap()).unwrap();
        folder.brolga(&["new", shader, "-o", document]).fails(0, &[]);
        folder.brolga(&["run", document]).fails(0, &[]);
    }
}

#[test]
fn a_document_that_is_there_stays_unless_force_is_said() {
    let folder = Folder::new();
    folder.write("add.toml", "mine");
    folder.brolga(&["new", "add.cso"]).fails(2, &["add.toml already exists", "`--force`", "`-o`"]);
    assert_eq!(fs::read_to_string(folder.path("add.toml")).unwrap(), "mine");
    folder.brolga(&["new", "add.cso", "--force"]).fails(0, &[]);
    folder.brolga(&["run", "add.toml"]).fails(0, &[]);
    folder.brolga(&["new", "add.cso", "-o", "add.cso", "--force"]).fails(2, &["does not end in .toml"]);
}

#[test]
fn what_cannot_run_gets_no_document() {
    let folder = Folder::new();
    let vertex = repository("tests/data/graphics/tess.vs.vs_5_0.cso");
    folder.brolga(&["new", vertex.to_str().unwrap()]).fails(2, &["no position is written"]);
    let pixel = repository("tests/data/d3d9/pixel.basic.ps_3_0.cso");
    folder.brolga(&["new", pixel.to_str().unwrap(), "-o", "-"]).fails(2, &["standard output", "name a folder"]);
    folder.write("x.txt", "hello").brolga(&["new", "x.txt"]).fails(2, &["this is text"]);
    folder.brolga(&["new", "absent.cso"]).fails(2, &["cannot read absent.cso"]);
    folder.brolga(&["new", "-"]).fails(2, &["names its shader's file", "save the shader to a file"]);
    folder.write("x.obj", "v 0 0 0\n");
    folder.brolga(&["new", "x.obj"]).fails(2, &["0 shaders and 1 meshes", "one to five shaders"]);
    folder.brolga(&["new", "add.cso", "x.obj"]).fails(2, &["add.cso: ", "not for a compute shader and a mesh"]);
    folder.brolga(&["new", "add.cso", "image.cso"]).fails(2, &["not for a compute shader and a compute shader"]);
    assert_eq!(folder.leavings(), ["x.obj", "x.txt"]);
}

/// Every shader of a draw of the tests' folders, but those that are tokens without sense; and one that reads all
/// registers.
#[test]
fn shaders_of_draws_get_documents_that_run() {
    let folder = Folder::new();
    let folders = ["tests/data/d3d9", "tests/data/graphics", "examples/pool", "examples/island"];
    let files = folders.iter().flat_map(|from| fs::read_dir(repository(from)).unwrap());
    let mut files: Vec<_> = files.map(|entry| entry.unwrap().path()).collect();
    files.push(repository("tests/data/listing/system_values.ps_5_0.cso"));
    let mut documents = Vec::new();
    for file in files {
        let name = file.file_name().unwrap().to_str().unwrap().to_owned();
        let is_drawn =
            ["_vs.cso", "_ps.cso", ".vs_", ".hs_", ".ds_", ".gs_", ".ps_"].iter().any(|part| name.contains(part));
        // More constants than the device has, and vertices for other stages, or for none.
        let is_other = ["vs_sw.cso", "streamout.", "tess.vs."].iter().any(|part| name.starts_with(part));
        if !name.ends_with(".cso") || !is_drawn || is_other {
            continue;
        }
        let document = format!("{}-{name}", documents.len());
        folder.brolga(&["new", file.to_str().unwrap(), "-o", &document]).fails(0, &[]);
        documents.push(document);
    }
    assert!(documents.len() > 100, "{}", documents.len());
    let mut arguments = vec!["run", "--engine", "both", "--threads", "1"];
    arguments.extend(documents.iter().map(String::as_str));
    let run = folder.brolga(&arguments);
    assert_eq!(run.code, Some(0), "{}", run.err);
    assert_eq!(run.out.lines().filter(|line| line.starts_with("done ")).count(), 2 * documents.len());
}

impl Folder {
    /// Assembles shaders.
    fn assembles(&self, shaders: &[(&str, &str)]) -> &Self {
        for (name, text) in shaders {
            self.write("text.asm", text).brolga(&["asm", "text.asm", "-o", &format!("{name}.cso")]).fails(0, &[]);
        }
        self
    }

    /// The pixels of a picture, row by row.
    fn picture(&self, name: &str) -> Vec<Vec<[u8; 4]>> {
        let file = std::io::BufReader::new(fs::File::open(self.path(name)).unwrap());
        let mut reader = png::Decoder::new(file).read_info().unwrap();
        let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
        let info = reader.next_frame(&mut bytes).unwrap();
        assert_eq!(info.color_type, png::ColorType::Rgba, "{name}");
        let pixels: Vec<[u8; 4]> = bytes.as_chunks().0.to_vec();
        pixels.chunks(info.width as usize).map(<[_]>::to_vec).collect()
    }
}

/// What differs within a pixel is drawn to targets of several samples; interpolation at centroids, and textures that have
/// several, ask for none.
#[test]
fn targets_have_several_samples_where_a_pixel_shader_asks_for_them() {
    let folder = Folder::new();
    for (name, are_several) in [
        ("sampleidx.ps_4_1", true),
        ("coverage.ps_5_0", true),
        ("evals.ps_5_1", true),
        ("interp.ps_5_0", false),
        ("msld.ps_4_0", false),
    ] {
        let shader = repository(&format!("tests/data/graphics/semantics.{name}.cso"));
        folder.brolga(&["new", shader.to_str().unwrap(), "-o", "drawn", "--force"]).fails(0, &[]);
        let text = fs::read_to_string(folder.path("drawn/document.toml")).unwrap();
        let [resolves, targets] = ["op = \"resolve\"", "targets = [\"many\"]"].map(|line| text.contains(line));
        assert_eq!([resolves, targets], [are_several; 2], "{name}:\n{text}");
    }
}

/// A shader that gives each sample a colour and a number of its own: the colours become their mean, which integers do not
/// have.
#[test]
fn each_sample_of_a_draw_counts() {
    let folder = Folder::new();
    let shader = repository("tests/cli/samples_index.cso");
    folder.brolga(&["new", shader.to_str().unwrap(), "-o", "index"]).fails(0, &[]);
    folder.brolga(&["run", "index", "--engine", "both"]).fails(0, &[]);
    // Half of 255, rounded up.
    assert_eq!(folder.picture("index.png")[128][128], [128; 4]);
    let array = fs::read(folder.path("index1.npy")).unwrap();
    let (head, texels) = array.split_at(128);
    assert!(str::from_utf8(&head[10..]).unwrap().contains("'shape': (256, 256, 4, 4)"));
    let samples = &texels[(128 * 256 + 128) * 64..][..64];
    let numbers: Vec<u32> = samples.as_chunks().0.iter().map(|bytes| u32::from_le_bytes(*bytes)).collect();
    assert_eq!(numbers.chunks(4).map(|sample| sample[0]).collect::<Vec<_>>(), [1, 2, 3, 4]);
    // The depth buffer of a mesh has as many.
    folder.write("triangle.obj", "v -1 -1 0\nv 1 -1 0\nv 0 1 0\nf 1 2 3\n");
    folder.brolga(&["new", shader.to_str().unwrap(), "triangle.obj", "-o", "mesh"]).fails(0, &[]);
    folder.brolga(&["run", "mesh", "--engine", "both"]).fails(0, &[]);
    let text = fs::read_to_string(folder.path("mesh/document.toml")).unwrap();
    assert_eq!(text.lines().filter(|line| line.starts_with("samples = 4")).count(), 3, "{text}");
}

/// The shader reads the last samples of both textures, one of which has as many as it says.
#[test]
fn textures_of_several_samples_show_squares() {
    let folder = Folder::new();
    let shader = repository("tests/cli/samples_texels.cso");
    folder.brolga(&["new", shader.to_str().unwrap(), "-o", "texels"]).fails(0, &[]);
    folder.brolga(&["run", "texels", "--engine", "both"]).fails(0, &[]);
    let text = fs::read_to_string(folder.path("texels/document.toml")).unwrap();
    for lines in ["height = 4\nsamples = 8\nu32 = [\n", "layers = 4\nsamples = 4\nu32 = [\n"] {
        assert!(text.contains(lines), "{text}");
    }
    let picture = folder.picture("texels.png");
    for (x, y) in (0..4).flat_map(|y| (0..4).map(move |x| (x, y))) {
        let expected = if (x + y) % 2 == 0 { 255 } else { 128 };
        assert_eq!(picture[64 * y + 32][64 * x + 32], [expected, expected, expected, 255], "texel {x}, {y}");
    }
}

/// The colours of the corners, which the vertex shader passes on.
#[test]
fn a_draw_shows_what_the_shader_gives() {
    let folder = Folder::new();
    folder.assembles(&[("tint", "vs_2_0\ndcl_position v0\ndcl_color v1\nm4x4 oPos, v0, c0\nmov oD0, v1\n")]);
    let run = folder.brolga(&["new", "tint.cso"]);
    assert_eq!((run.out.lines().count(), run.out.lines().last()), (2, Some("      wrote tint/document.toml")));
    folder.brolga(&["new", "tint.cso"]).fails(2, &["tint/document.toml already exists", "`--force`"]);
    folder.brolga(&["new", "tint.cso", "--force"]).fails(0, &[]);
    folder.brolga(&["run", "tint"]).fails(0, &[]);
    let texel = folder.picture("tint.png")[30][30].map(|code| f64::from(code) / 255.0);
    // The rectangle begins at column and row 25.6 of 256, with (1, 1, 0, 1), and ends 204.8 further with (0, 0, 1, 1).
    // Pixels of Direct3D 9 have their centres at whole numbers.
    let part = (30.0 - 25.6) / 204.8;
    for (found, expected) in texel.iter().zip([1.0 - part, 1.0 - part, part, 1.0]) {
        assert!((found - expected).abs() < 1.0 / 255.0, "{texel:?}");
    }
}

/// Four vectors from `first` on are the rows of the only matrix.
fn rows(first: usize) -> String {
    let row = |(n, letter): (usize, char)| format!("dp4 o0.{letter}, v0.xyzw, cb0[{}].xyzw\n", first + n);
    "xyzw".chars().enumerate().map(row).collect()
}

const HEAD: &str = "// Name Index Mask Register SysValue Format Used\n";

/// A vertex shader that passes a texture coordinate on.
fn vertex_shader() -> String {
    format!(
        "// Input signature:\n{HEAD}// POSITION 0 xyzw 0 NONE float xyzw\n// TEXCOORD 0 xy 1 NONE float xy\n//\n\
         // Output signature:\n{HEAD}// SV_Position 0 xyzw 0 POS float xyzw\n// TEXCOORD 0 xy 1 NONE float xy\n//\n\
         vs_4_0\ndcl_constantbuffer cb0[7], immediateIndexed\ndcl_input v0.xyzw\ndcl_input v1.xy\n\
         dcl_output_siv o0.xyzw, position\ndcl_output o1.xy\n{}mov o1.xy, v1.xyxx\nret\n",
        rows(3)
    )
}

/// A pixel shader that is white, and reads this at a vertex.
fn pixel_shader(reads: &str, index: u32) -> String {
    format!(
        "// Input signature:\n{HEAD}// SV_Position 0 xyzw 0 POS float\n// {reads} {index} xy 1 NONE float xy\n//\n\
         // Output signature:\n{HEAD}// SV_Target 0 xyzw 0 TARGET float xyzw\n//\n\
         ps_4_0\ndcl_input_ps linear v1.xy\ndcl_output o0.xyzw\nmul o0.xyzw, v1.xyxx, l(0,0,0,0)\n\
         mov o0.xyzw, l(1.0,1.0,1.0,1.0)\nret\n"
    )
}

/// A box far from the origin, larger than the screen without a camera: with one, all of it is in the picture, in either
/// order of the shaders.
#[test]
fn a_mesh_is_in_view() {
    let folder = Folder::new();
    folder.assembles(&[("vs", &vertex_shader()), ("ps", &pixel_shader("TEXCOORD", 0))]);
    let vertices = (0..8).map(|n| format!("v {} {} {}\n", 300 + 40 * (n & 1), 20 * (n >> 1 & 1), -70 + 30 * (n >> 2)));
    let faces = ["1 3 4 2", "5 6 8 7", "1 2 6 5", "3 7 8 4", "1 5 7 3", "2 4 8 6"].map(|face| format!("f {face}\n"));
    fs::create_dir(folder.path("meshes")).unwrap();
    folder.write("meshes/box.obj", vertices.collect::<String>() + &faces.concat());
    for (n, order) in
        [["vs.cso", "ps.cso", "meshes/box.obj"], ["meshes/box.obj", "ps.cso", "vs.cso"]].iter().enumerate()
    {
        let name = format!("box{n}");
        folder.brolga(&[&["new", "-o", &name], &order[..]].concat()).fails(0, &[]);
        let document = fs::read_to_string(folder.path(&format!("{name}/document.toml"))).unwrap();
        for line in ["file = \"../vs.cso\"", "file = \"../ps.cso\"", "file = \"../meshes/box.obj\""] {
            assert!(document.lines().any(|found| found == line), "{line} is missing in:\n{document}");
        }
        folder.brolga(&["run", &name, "--engine", "both"]).fails(0, &[]);
        let picture = folder.picture(&format!("{name}.png"));
        let side = picture.len() - 1;
        let is_shown = |x: usize, y: usize| picture[y][x] == [255; 4];
        let shown = (0..=side).flat_map(|y| (0..=side).map(move |x| (x, y))).filter(|(x, y)| is_shown(*x, *y)).count();
        assert!(shown > side * side / 20, "{shown} pixels");
        assert!((0..=side).all(|n| ![(n, 0), (n, side), (0, n), (side, n)].iter().any(|(x, y)| is_shown(*x, *y))));
    }
}

#[test]
fn two_shaders_that_do_not_fit_are_refused_by_name() {
    let folder = Folder::new();
    folder.assembles(&[("vs", &vertex_shader()), ("ps", &pixel_shader("NORMAL", 3))]);
    folder.brolga(&["new", "ps.cso", "vs.cso"]).fails(2, &["ps.cso and vs.cso: ", "NORMAL3"]);
    folder.brolga(&["new", "vs.cso", "vs.cso"]).fails(2, &["a vertex shader and a vertex shader"]);
    folder.write("x.obj", "v 0 0\n").assembles(&[("ps", &pixel_shader("TEXCOORD", 0))]);
    folder.brolga(&["new", "ps.cso", "vs.cso", "x.obj"]).fails(2, &["x.obj: the mesh cannot be drawn: ", "line 1"]);
    assert!(!folder.path("ps").exists() && !folder.path("vs").exists());
}

/// Both shaders of one source, by a compiler that knows one shader of each stage.
#[cfg(unix)]
#[test]
fn shaders_of_draws_may_be_hlsl() {
    let folder = Folder::new();
    folder.assembles(&[("v", &vertex_shader()), ("p", &pixel_shader("TEXCOORD", 0))]);
    fs::create_dir(folder.path("source")).unwrap();
    folder.write("stub.sh", "echo \"$1 $2\" >> called.txt\ncp \"$(echo $1 | cut -c 1).cso\" \"$4\"\n");
    folder.write("source/both.hlsl", "float4 main() : SV_Target { return 1; }\n");
    let compiler = ["--compiler", "sh stub.sh {profile} {entry} {input} {output}"];
    let profiles = ["--profile", "ps_5_0", "--profile", "vs_4_1", "--entry", "shade", "--entry", "place"];
    folder.brolga(&[&["new", "source/both.hlsl"], &compiler[..], &profiles].concat()).fails(0, &[]);
    let document = fs::read_to_string(folder.path("both/document.toml")).unwrap();
    for [shader, profile, entry] in [["vs", "vs_4_1", "place"], ["ps", "ps_5_0", "shade"]] {
        let table = format!(
            "[shaders.{shader}]\nfile = \"../source/both.hlsl\"\nprofile = \"{profile}\"\nentry = \"{entry}\"\n"
        );
        assert!(document.contains(&table), "{document}");
    }
    folder.brolga(&[&["run", "both"], &compiler[..]].concat()).fails(0, &[]);
    let called = fs::read_to_string(folder.path("called.txt")).unwrap();
    assert_eq!(called.lines().collect::<Vec<_>>()[..2], ["ps_5_0 shade", "vs_4_1 place"]);
    // One of them alone, and the other compiled.
    folder.brolga(&[&["new", "source/both.hlsl", "-o", "one"], &compiler[..], &profiles[..2]].concat()).fails(0, &[]);
    folder.brolga(&[&["run", "one"], &compiler[..]].concat()).fails(0, &[]);
    let mixed = ["new", "v.cso", "source/both.hlsl", "-o", "mixed.toml"];
    folder.brolga(&[&mixed[..], &compiler, &profiles[..2]].concat()).fails(0, &[]);
    folder.brolga(&[&["run", "mixed.toml"], &compiler[..]].concat()).fails(0, &[]);
}

/// Numbers are 1 in their own types: the bits of 1.0 would be a count of over a billion.
#[test]
fn constants_of_a_draw_are_ones_of_their_types() {
    let folder = Folder::new();
    let named = fs::read(repository("tests/cli/counted.cso")).unwrap();
    // Without resource definitions the instructions tell what the integer is.
    let mut stripped = named.clone();
    let at = stripped.windows(4).position(|name| name == b"RDEF").unwrap();
    stripped[at..at + 4].copy_from_slice(b"NONE");
    for (name, bytes, expected) in [
        ("named", named, &["values.count = 1 ", "tint = [1.0, 1.0, 1.0, 1.0] ", "steps = 1 ", "on = true "][..]),
        ("stripped", stripped, &[&format!("u32 = [1, 0, 0, 0, 0, {0}, 0, 0, 1, 0, {0}, 0]", 1.0_f32.to_bits())]),
    ] {
        let file = format!("{name}.cso");
        folder.write(&file, bytes).brolga(&["new", &file]).fails(0, &[]);
        let text = fs::read_to_string(folder.path(&format!("{name}/document.toml"))).unwrap();
        for line in expected {
            assert!(text.lines().any(|found| found.starts_with(line)), "no `{line}` in:\n{text}");
        }
        folder.brolga(&["run", name, "--timeout", "60"]).fails(0, &[]);
    }
}

/// Whatever stands in a name, a document that is written runs.
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
        // The name of another variable, so that it tells neither.
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
fn a_path_that_no_document_can_say_is_refused() {
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

/// The shaders of all stages at once. A mesh is in view though the hull shader's control points have no position by name.
#[test]
fn whole_pipelines_get_documents() {
    let folder = Folder::new();
    folder.write("triangle.obj", "v -1 -1 0\nv 1 -1 0\nv 0 1 0\nf 1 2 3\n");
    let scene = |file: &str| repository("tests/data/scenes").join(file).to_string_lossy().into_owned();
    let [hull, domain, pixel] = ["hs", "ds", "ps"].map(|stage| scene(&format!("tess_triangle/{stage}.cso")));
    folder.brolga(&["new", &hull, "triangle.obj", "-o", "hull"]).fails(0, &[]);
    folder.brolga(&["new", &pixel, &hull, &domain, "triangle.obj", "-o", "both"]).fails(0, &[]);
    for name in ["hull", "both"] {
        folder.brolga(&["run", name, "--engine", "both"]).fails(0, &[]);
        let picture = folder.picture(&format!("{name}.png"));
        let drawn = picture.iter().flatten().filter(|texel| **texel != picture[0][0]).count();
        assert!(drawn > 1000, "{name}: {drawn}");
    }
    let vertex = scene("tess_triangle/vs.cso");
    folder.brolga(&["new", &vertex, &hull, &domain, &pixel, "triangle.obj", "-o", "all"]).fails(0, &[]);
    folder.brolga(&["run", "all"]).fails(0, &[]);
    folder.brolga(&["new", &hull, &hull, "-o", "two"]).fails(2, &["a hull shader and a hull shader"]);
}
