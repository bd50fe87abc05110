//! Tests features that both forms of documents have, which only one had once; and those for running documents by the
//! folder.

use std::fs;

use super::{Folder, repository};

/// A folder with the shaders of examples.
fn folder(shaders: &[&str]) -> Folder {
    let folder = Folder::new();
    for shader in shaders {
        let name = shader.rsplit('/').next().unwrap();
        folder.write(name, fs::read(repository(shader)).unwrap());
    }
    folder
}

/// y = a x + y, once and then three times more, all by the shader's own names and by registers.
const LONG: &str = r#"
[shaders.saxpy]
file = "saxpy.cso"

[resources]
settings = { kind = "constant", a = 0.5 }
x = { kind = "structured", count = 256, f32 = [1, 2, 3, 4] }
y = { kind = "structured", stride = 16, count = 256 }

[pipelines.main]
cs = "saxpy"

[[steps]]
op = "dispatch"
pipeline = "main"
groups = [1, 1, 1]
bind = { Settings = "settings", x = "x", y = "y" }

[[steps]]
op = "repeat"
count = 3
steps = [{ op = "dispatch", pipeline = "main", groups = [1, 1, 1], bind = { b0 = "settings", t0 = "x", u0 = "y" } }]

[[expect]]
resource = "y"
f32 = [2.0000002, 4, 6, 8]
tolerance = { ulp = 1 }
"#;

#[test]
fn the_long_form_has_units_in_the_last_place_names_repetition_and_listings() {
    let folder = folder(&["examples/saxpy.cso"]);
    folder.write("long.toml", LONG).write("exact.toml", LONG.replace("{ ulp = 1 }", "\"exact\""));
    folder.brolga(&["run", "long.toml", "--engine", "both"]).fails(0, &[]);
    let run = folder.brolga(&["run", "exact.toml"]);
    assert_eq!(run.code, Some(1));
    assert!(
        run.out.contains("element 0, word 0 (byte 0): 2.0 (0x40000000), expected 2.0000002 (0x40000001)"),
        "{}",
        run.out
    );
    for (form, part) in [("ir", "function"), ("packet", "function"), ("asm", "ret")] {
        let run = folder.brolga(&["run", "long.toml", "--emit", form]);
        assert!(run.code == Some(0) && run.out.contains(part), "{form}: {}{}", run.out, run.err);
    }
    folder.write("long.toml", LONG.replace("a = 0.5", "values = { b = 0.5 }"));
    folder.brolga(&["run", "long.toml"]).fails(2, &["`settings` has no variable `b`", "long.toml:6:44"]);
    folder.write("long.toml", LONG.replace("Settings = ", "Setings = "));
    folder.brolga(&["run", "long.toml"]).fails(2, &["did you mean `Settings`?", "long.toml:17:10"]);
}

#[test]
fn the_short_form_has_names_and_repetition() {
    let folder = folder(&["examples/saxpy.cso"]);
    let document = "shader = \"saxpy.cso\"\ndispatch = [1, 1, 1]\nrepeat = 4\n[Settings]\na = 0.5\n[x]\ncount = 256\n\
        f32 = [1, 2, 3, 4]\n[y]\ncount = 256\nexpect = { f32 = [2, 4, 6, 8] }\n";
    folder.write("job.toml", document).brolga(&["run", "job.toml", "--engine", "both"]).fails(0, &[]);
    let json = r#"{ "shader": "saxpy.cso", "dispatch": [1, 1, 1], "repeat": 4, "Settings": { "a": 0.5 },
        "x": { "count": 256, "f32": [1, 2, 3, 4] }, "u0": { "count": 256, "expect": { "f32": [2, 4, 6, 8] } } }"#;
    folder.write("job.json", json).brolga(&["run", "job.json", "--engine", "both"]).fails(0, &[]);
}

#[test]
fn the_long_form_has_class_instances() {
    let folder = folder(&["tests/data/interfaces/waves.main.cso"]);
    let short = fs::read_to_string(repository("tests/data/interfaces/waves.toml")).unwrap();
    let value = |text: &str| {
        let start = short.find(text).unwrap() + text.len();
        let end = short[start..].find("\n\n").map_or(short.len(), |end| start + end);
        short[start..end].trim_end().to_owned()
    };
    let document = format!(
        "[shaders.cs]\nfile = \"waves.main.cso\"\n[resources.b1]\nkind = \"constant\"\n{}\n[resources.b3]\nkind = \"constant\"\n{}\n\
         [resources.out]\nkind = \"structured\"\n{}\n[pipelines.main]\ncs = \"cs\"\n[pipelines.main.instances]\n{}\n\
         [[steps]]\nop = \"dispatch\"\npipeline = \"main\"\ngroups = [1, 1, 1]\nbind = {{ b1 = \"b1\", b3 = \"b3\", u0 = \"out\" }}\n",
        value("[b1]"),
        value("[b3]"),
        value("[u0]").replace("structured = { stride = 4, count = 12 }", "stride = 4\ncount = 12"),
        value("[instances]"),
    );
    folder.write("waves.toml", &document).brolga(&["run", "waves.toml", "--engine", "both"]).fails(0, &[]);
    folder.write("waves.toml", document.replace("\"sum\"", "\"sun\""));
    folder.brolga(&["run", "waves.toml"]).fails(2, &["`sun`", "mix = \"sun\"", "waves.toml:"]);
}

/// A picture with a gradient along x, of which red is compared.
fn gradient(tolerance: &str) -> String {
    let texels = [0, 80, 160, 240].map(|red| format!("{red}, 0, 0, 255")).join(", ");
    format!(
        "shader = \"resize_sampled.cso\"\ndispatch = [4, 4, 1]\n[b0]\nextents = [32, 32]\n[t0]\nformat = \"R8G8B8A8_UNORM\"\n\
         width = 4\nheight = 4\nu8 = [{texels}, {texels}, {texels}, {texels}]\n[s0]\nfilter = \"linear\"\n\
         [u0]\nwidth = 32\nheight = 32\n{tolerance}\n"
    )
}

#[test]
fn the_short_form_has_shares_of_edges_texels_and_channels_pictures_of_differences_and_pixels() {
    let folder = folder(&["examples/resize_sampled.cso"]);
    folder.write("job.toml", gradient("save = \"made.bin\"")).brolga(&["run", "job.toml"]).fails(0, &[]);
    // A texel gets the value of its neighbour, as where an edge is moved.
    let mut wanted = fs::read(folder.path("made.bin")).unwrap();
    let at = (10 * 32 + 12) * 4;
    let [made, moved] = [wanted[at], wanted[at + 4]];
    wanted[at] = moved;
    folder.write("want.bin", &wanted);
    let expect = |tolerance: &str| gradient(&format!("expect = {{ file = \"want.bin\", tolerance = {tolerance} }}"));
    folder.write("job.toml", expect("{ codes = 0, edge_share = 0.001 }"));
    folder.brolga(&["run", "job.toml", "--engine", "both"]).fails(0, &[]);
    assert!(!folder.path("job.u0.difference.png").exists());
    folder.write("job.toml", expect("{ codes = 0 }"));
    let run = folder.brolga(&["run", "job.toml", "--pixel", "u0:12,10"]);
    assert_eq!(run.code, Some(1));
    let told = format!("texel (12, 10): red is {made}, expected {moved}");
    assert!(run.out.contains(&told) && run.out.contains("wrote job.u0.difference.png"), "{}", run.out);
    assert!(run.out.contains("0  dispatch main"), "{}", run.out);
    assert!(fs::read(folder.path("job.u0.difference.png")).unwrap().starts_with(b"\x89PNG"));
    assert_eq!(folder.leavings(), ["job.u0.difference.png", "made.bin", "want.bin"]);
}

#[cfg(unix)]
#[test]
fn the_long_form_has_compilers_with_defines() {
    let folder = folder(&["examples/saxpy.cso"]);
    folder.write("stub.sh", "echo \"$*\" > called.txt\ncp saxpy.cso \"$4\"\n");
    let shader = "file = \"saxpy.hlsl\"\nprofile = \"cs_5_0\"\nentry = \"other\"\ndefines = { TAPS = 9, FAST = true }";
    folder.write("saxpy.hlsl", "").write("long.toml", LONG.replace("file = \"saxpy.cso\"", shader));
    let compiler = "sh stub.sh {profile} {entry} {input} {output} {defines}";
    folder.brolga(&["run", "long.toml", "--compiler", compiler]).fails(0, &[]);
    let called = fs::read_to_string(folder.path("called.txt")).unwrap();
    for part in ["cs_5_0 other saxpy.hlsl", "TAPS=9", "FAST="] {
        assert!(called.contains(part), "{part}: {called}");
    }
    folder.brolga(&["run", "long.toml"]).fails(2, &["is HLSL, and no compiler is named", "long.toml:3:8"]);
}

#[test]
fn the_long_form_maps_files() {
    let folder = folder(&["examples/saxpy.cso"]);
    let x: Vec<u8> = (0..1024).flat_map(|n| (n as f32).to_le_bytes()).collect();
    let y: Vec<u8> = (0..1024).flat_map(|n| (n as f32 * 2.0).to_le_bytes()).collect();
    folder.write("x.bin", &x).write("want.bin", y);
    let mapped = LONG.replace("f32 = [1, 2, 3, 4]", "file = \"x.bin\", map = true");
    let mapped =
        mapped.replace("count = 256 }\n\n[pipelines", "count = 256, map = true, save = \"y.bin\" }\n\n[pipelines");
    folder.write("long.toml", mapped.replace("f32 = [2.0000002, 4, 6, 8]", "file = \"want.bin\"\ntype = \"f32\""));
    folder.brolga(&["run", "long.toml"]).fails(0, &[]);
    assert!(fs::read(folder.path("y.bin")).unwrap() == fs::read(folder.path("want.bin")).unwrap());
    assert!(fs::read(folder.path("x.bin")).unwrap() == x);
    assert_eq!(folder.leavings(), ["want.bin", "x.bin", "y.bin"]);
}

#[test]
fn a_folder_is_run_whole_with_a_summary_and_a_file_for_continuous_integration() {
    let folder = folder(&["examples/saxpy.cso"]);
    fs::create_dir_all(folder.path("all/deep")).unwrap();
    let long = LONG.replace("\"saxpy.cso\"", "\"../saxpy.cso\"");
    folder.write("all/a.toml", &long).write("all/b.toml", long.replace("{ ulp = 1 }", "\"exact\""));
    folder.write("all/deep/document.toml", "dispatch = [1, 1, 1]\nshader = \"none.cso\"\n");
    // Files that have none of a document's keys are left out, and hidden ones.
    fs::create_dir_all(folder.path("all/.git")).unwrap();
    folder.write("all/.git/a.toml", &long);
    folder.write("all/Cargo.toml", "[package]\n").write("all/numbers.json", "[1, 2]");
    let run = folder.brolga(&["run", "all", "--junit", "results.xml"]);
    assert_eq!(run.code, Some(2), "{}{}", run.out, run.err);
    assert!(run.out.contains("1 passed, 1 failed, 1 could not run"), "{}", run.out);
    // A mistake does not hide a document.
    fs::create_dir(folder.path("wrong")).unwrap();
    folder.write("wrong/a.toml", "dispach = [1, 1, 1]\nshader = \"none.cso\"\n").write("wrong/b.json", "{\"steps\":");
    let run = folder.brolga(&["run", "wrong"]);
    assert!(run.code == Some(2) && run.out.contains("0 passed, 0 failed, 2 could not run"), "{}", run.out);
    let results = fs::read_to_string(folder.path("results.xml")).unwrap();
    for part in [
        "<testsuite name=\"brolga\" tests=\"3\" failures=\"1\" errors=\"1\"",
        "classname=\"all/a.toml\" name=\"a ../saxpy.cso jit\"",
        "<failure message=\"y: 1 of 4 differ\"/>",
        "<error message=\"cannot read all/deep/none.cso: ",
    ] {
        assert!(results.contains(part), "`{part}` is missing in {results}");
    }
}

#[test]
fn values_are_printed_on_request_in_the_types_that_the_shader_says() {
    let folder = folder(&["examples/saxpy.cso"]);
    folder.write("long.toml", LONG);
    let run = folder.brolga(&["run", "long.toml", "--print", "y:2"]);
    assert!(
        run.out.contains("y: 256 x 4 numbers of <f4\n        0: 2.0 4.0 6.0 8.0\n        1: 0.0 0.0 0.0 0.0\n"),
        "{}",
        run.out
    );
    folder.brolga(&["run", "long.toml", "--print", "z"]).fails(2, &["no step writes `z`", "written are y"]);
    folder.brolga(&["run", "long.toml", "--print", "y:many"]).fails(2, &["`many` is no count of elements"]);
}

#[test]
fn what_the_command_writes_besides_replaces_nothing_that_documents_are_made_of() {
    let folder = folder(&["examples/saxpy.cso", "examples/resize_sampled.cso"]);
    folder.write("long.toml", LONG).write("kept.xml", "old");
    for (file, part) in
        [("long.toml", "is a document of this command"), ("saxpy.cso", "would replace the shader of long.toml")]
    {
        let before = fs::read(folder.path(file)).unwrap();
        folder.brolga(&["run", "long.toml", "--junit", file]).fails(2, &[part, "choose another name"]);
        assert!(fs::read(folder.path(file)).unwrap() == before, "{file}");
    }
    folder.brolga(&["run", "long.toml", "--junit", "-"]).fails(2, &["`--junit` names a file"]);
    folder.brolga(&["run", "long.toml", "--junit", "none/results.xml"]).fails(2, &["cannot write"]);
    folder.brolga(&["run", "long.toml", "--junit", "kept.xml", "--print", "z"]).fails(2, &["no step writes `z`"]);
    assert!(fs::read_to_string(folder.path("kept.xml")).unwrap().contains("<testsuite"));
    // Of two documents neither replaces the other.
    let saving = LONG.replace(
        "count = 256 }\n\n[pipelines",
        "count = 256, save = { file = \"z.toml\", raw = true } }\n\n[pipelines",
    );
    folder.write("a.toml", saving).write("z.toml", LONG);
    folder.brolga(&["run", "a.toml", "z.toml"]).fails(2, &["z.toml is another document of this command"]);
    assert_eq!(fs::read_to_string(folder.path("z.toml")).unwrap(), LONG);
    // A picture of differences does not replace what was expected.
    let name = "job.u0.difference.png";
    folder.write("job.toml", gradient(&format!("save = \"{name}\""))).brolga(&["run", "job.toml"]).fails(0, &[]);
    let picture = fs::read(folder.path(name)).unwrap();
    let expect = format!("expect = {{ file = \"{name}\" }}");
    folder.write("job.toml", gradient(&expect).replace("80, 0, 0", "90, 0, 0"));
    let run = folder.brolga(&["run", "job.toml"]);
    assert!(run.code == Some(1) && run.err.contains("the document's own expected file"), "{}{}", run.out, run.err);
    assert!(fs::read(folder.path(name)).unwrap() == picture);
}
