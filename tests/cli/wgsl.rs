//! Shaders in WGSL: their documents, their errors, and the commands that read them.

use std::fs;

use super::{Folder, repository};

/// The first shader of the README.
const WAVES: &str = "override rings: f32 = 40.0;

@group(0) @binding(0) var picture: texture_storage_2d<rgba8unorm, write>;

@compute @workgroup_size(8, 8)
fn main(@builtin(global_invocation_id) thread: vec3u) {
    let place = (vec2f(thread.xy) + 0.5) / vec2f(textureDimensions(picture));
    let wave = 0.5 + 0.5 * sin(length(place - 0.5) * rings);
    textureStore(picture, thread.xy, vec4f(wave, place, 1.0));
}
";

/// Adds what the overrides say to the numbers of a buffer.
const ADD: &str = "override first = 1u;
@id(7) override on = true;
var<workgroup> spare: array<u32, first * 2u>;
struct Settings { factor: u32, offsets: vec2u, turn: mat3x3f, small: mat2x2f }
@group(0) @binding(0) var<uniform> settings: Settings;
@group(0) @binding(1) var<storage> numbers: array<u32>;
@group(1) @binding(2) var<storage, read_write> sums: array<u32>;
@compute @workgroup_size(4)
fn add(@builtin(global_invocation_id) id: vec3u) {
    if on {
        sums[id.x] = numbers[id.x] * settings.factor + settings.offsets.y + first + u32(settings.turn[1].z + settings.small[1].x);
    }
}
";

#[test]
fn the_shader_of_the_readme_is_a_picture() {
    let readme = fs::read_to_string(repository("README.md")).unwrap();
    assert!(readme.contains(&format!("```wgsl\n{WAVES}```")), "the README has another shader");
    let folder = Folder::new();
    folder.write("waves.wgsl", WAVES);
    let made = folder.brolga(&["new", "waves.wgsl"]);
    assert_eq!((made.code, made.err.as_str()), (Some(0), ""));
    let document = fs::read_to_string(folder.path("waves.toml")).unwrap();
    for line in [
        "# A first document for a WGSL compute shader: say what it reads, and how much.",
        "shader = \"waves.wgsl\"",
        "entry = \"main\"",
        "dispatch = [32, 32, 1]              # groups of 8 x 8 x 1 threads: 256 x 256 x 1 in all",
        "[overrides]",
        "rings = 40.0                        # f32",
        "# @group(0) @binding(0): texture2d of unorm",
        "[picture]",
        "format = \"R8G8B8A8_UNORM\"",
        "save = \"waves-picture.png\"",
    ] {
        assert!(document.lines().any(|found| found == line), "no line `{line}` in:\n{document}");
    }
    folder.brolga(&["run", "waves.toml", "--engine", "both"]).fails(0, &[]);
    let mut reader = png::Decoder::new(std::io::Cursor::new(fs::read(folder.path("waves-picture.png")).unwrap()))
        .read_info()
        .unwrap();
    let mut texels = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut texels).unwrap();
    assert_eq!((info.width, info.height), (256, 256));
    for (x, y) in [(0, 0), (128, 128), (200, 31), (255, 254)] {
        let place = [x, y].map(|side: usize| (side as f64 + 0.5) / 256.0);
        let distance = (place[0] - 0.5).hypot(place[1] - 0.5);
        let expected = [0.5 + 0.5 * (distance * 40.0).sin(), place[0], place[1], 1.0];
        let found = &texels[4 * (y * 256 + x)..][..4];
        for (found, expected) in found.iter().zip(expected) {
            assert!((f64::from(*found) - expected * 255.0).abs() < 0.51, "texel {x}, {y}: {found}, not {expected}");
        }
    }
}

/// A document for [`ADD`], with more keys.
fn add(keys: &str) -> String {
    format!(
        "shader = \"add.wgsl\"\ndispatch = [1, 1, 1]\n{keys}\n[settings]\nfactor = 10\noffsets = [0, 3]\n\
         turn = [[0, 0, 0], [0, 0, 5], [0, 0, 0]]\n[numbers]\nu32 = [1, 2, 3, 4]\n[sums]\nsize = 16\n"
    )
}

#[test]
fn resources_go_by_names_or_registers_and_overrides_by_names_or_numbers() {
    let folder = Folder::new();
    folder.write("add.wgsl", ADD);
    for (keys, sums) in [
        ("", "19, 29, 39, 49"),
        ("overrides = { first = 2 }", "20, 30, 40, 50"),
        ("overrides = { first = 2, 7 = false }", "0, 0, 0, 0"),
        ("entry = \"add\"\noverrides = { 7 = true }", "19, 29, 39, 49"),
    ] {
        let expected = format!("expect = {{ u32 = [{sums}] }}\n");
        let by_name = add(keys) + &expected;
        folder.job(&by_name).fails(0, &[]);
        let by_register = by_name.replace("[settings]", "[b0]").replace("[numbers]", "[t1]");
        folder.job(&by_register.replace("[sums]", "[\"u2,space1\"]")).fails(0, &[]);
    }
    // What has no place in a constant buffer of bytecode is given as bytes.
    let small = add("").replace("factor = 10\n", "factor = 10\nat = [{ byte = 72, f32 = [100] }]\n");
    folder.job(&(small + "expect = { u32 = [119, 129, 139, 149] }\n")).fails(0, &[]);
    folder.job(&add("").replace("turn", "small = [[1, 2], [3, 4]]\nturn")).fails(2, &["`small`", "mat2x2<f32>"]);
}

#[test]
fn numbers_of_a_buffer_are_saved_in_their_type() {
    let folder = Folder::new();
    let text = ADD.replace("sums: array<u32>", "sums: array<f32>").replace("= numbers", "= f32(1) + 0.5 * f32(numbers");
    let text = text.replace("+ u32(settings.turn[1].z + settings.small[1].x);", ");");
    folder.write("add.wgsl", text);
    folder.job(&(add("") + "save = \"sums.npy\"\n")).fails(0, &[]);
    assert!(String::from_utf8_lossy(&fs::read(folder.path("sums.npy")).unwrap()).contains("'descr': '<f4'"));
}

#[test]
fn every_resource_is_in_a_first_document() {
    let folder = Folder::new();
    folder.write("add.wgsl", ADD);
    folder.brolga(&["new", "add.wgsl", "--override", "first=3", "--override", "7=false"]).fails(0, &[]);
    let document = fs::read_to_string(folder.path("add.toml")).unwrap();
    for line in [
        "first = 3                           # u32",
        "7 = false                           # on: bool",
        "# @group(0) @binding(0): constant buffer of 5 vectors",
        "[settings]",
        "factor = 0                          # u32 factor",
        "offsets = [0, 0]                    # vec2<u32> offsets",
        "[numbers]",
        "# @group(1) @binding(2): raw buffer",
        "[sums]",
        "size = 4096                         # bytes: 1024 elements of 4",
    ] {
        assert!(document.lines().any(|found| found == line), "no line `{line}` in:\n{document}");
    }
    // The size of `spare` is an override that nobody can name.
    assert!(!document.lines().any(|line| line.starts_with("\"\"")), "{document}");
    folder.brolga(&["run", "add.toml"]).fails(0, &[]);
}

#[test]
fn errors_show_their_line() {
    let folder = Folder::new();
    folder.write("waves.wgsl", WAVES.replace("0.5 * sin", "foo * sin"));
    folder.write("waves.toml", "shader = \"waves.wgsl\"\ndispatch = [1, 1, 1]\n[picture]\nwidth = 8\nheight = 8\n");
    let shown = ["╭─[waves.wgsl:8:22]", "let wave = 0.5 + foo * sin", "───", "foo"];
    folder.brolga(&["info", "waves.wgsl"]).fails(2, &shown);
    folder.brolga(&["new", "waves.wgsl"]).fails(2, &shown);
    for command in ["run", "check", "bench"] {
        let run = folder.brolga(&[command, "waves.toml"]);
        run.fails(2, &shown);
        run.fails(2, &["× waves.wgsl:8:22: ", "╭─[waves.toml:1:10]"]);
    }
    let validated = folder.brolga(&["validate", "waves.wgsl"]);
    assert_eq!(validated.code, Some(1), "{}", validated.err);
    assert!(validated.out.starts_with("waves.wgsl:8:22: "), "{}", validated.out);
    // Each entry point.
    let two = "@compute @workgroup_size(1) fn a() {}\n@compute @workgroup_size(4096) fn b() {}\n";
    folder.write("two.wgsl", two);
    let validated = folder.brolga(&["validate", "two.wgsl"]);
    assert_eq!((validated.code, validated.out.lines().count()), (Some(1), 1), "{}", validated.out);
    assert!(validated.out.contains("threads in a group: 4096, the limit is 1024"), "{}", validated.out);
    folder.write("two.wgsl", two.replace("4096", "4"));
    assert_eq!(folder.brolga(&["validate", "two.wgsl"]).code, Some(0));
    folder.write("waves.wgsl", WAVES);
    assert_eq!(folder.brolga(&["validate", "waves.wgsl"]).code, Some(0));
}

#[test]
fn mistakes_are_told_with_what_would_be_right() {
    let folder = Folder::new();
    folder.write("add.wgsl", ADD);
    folder
        .job(&add("entry = \"ad\""))
        .fails(2, &["there is no compute entry point ad, only add", "did you mean `add`?"]);
    folder.job(&add("overrides = { frist = 2 }")).fails(2, &["there is no override frist", "did you mean `first`?"]);
    folder.job(&add("overrides = { first = 2.5 }")).fails(2, &["override first cannot be 2.5: it is of type u32"]);
    folder.job(&add("profile = \"cs_5_0\"")).fails(2, &["`profile` is for shaders in HLSL", "leave it out"]);
    folder.job(&add("defines = { A = 1 }")).fails(2, &["`defines` is for shaders in HLSL", "`overrides`"]);
    folder
        .job("shader = \"add.cso\"\ndispatch = [1, 1, 1]\noverrides = { a = 1 }\n")
        .fails(2, &["is for shaders in WGSL"]);
    folder.job(&add("").replace("[sums]", "[summs]")).fails(2, &["did you mean `sums`?"]);
    folder.job(&add("").replace("[sums]\nsize = 16\n", "")).fails(2, &["\"u2,space1\""]);
    folder.write("add.wgsl", ADD.to_owned() + "@compute @workgroup_size(1) fn other() {}\n");
    folder.job(&add("")).fails(2, &["2 compute entry points, not one: add, other", "`entry = \"add\"`"]);
    folder.brolga(&["info", "add.wgsl", "--entry", "other"]).fails(0, &[]);
    folder.brolga(&["info", "add.wgsl", "--override", "first"]).fails(2, &["expected `NAME=VALUE`"]);
    folder.brolga(&["dis", "add.wgsl"]).fails(2, &["WGSL has no bytecode", "--emit ir"]);
    let steps = "{\"shaders\": {\"a\": {\"file\": \"add.wgsl\", \"entry\": \"other\"}}, \"steps\": [{\"op\": \"draw\", \
                 \"pipeline\": \"p\", \"vertices\": 3}], \"pipelines\": {\"p\": {\"vs\": \"a\", \"topology\": \"TRIANGLELIST\"}}}";
    folder.write("draw.json", steps);
    folder.brolga(&["run", "draw.json"]).fails(2, &["`a` is a compute shader"]);
}

#[test]
fn files_that_are_no_wgsl_are_told() {
    let folder = Folder::new();
    fs::create_dir(folder.path("folder.wgsl")).unwrap();
    fs::copy(folder.path("add.cso"), folder.path("compiled.wgsl")).unwrap();
    for (name, content, part) in [
        ("empty.wgsl", Some(Vec::new()), "the text has no compute entry point"),
        ("noise.wgsl", Some(vec![0xde, 0xad, 0xbe, 0xef]), "byte 2 is not UTF-8"),
        ("zero.wgsl", Some(vec![0; 100]), "zero.wgsl"),
        ("long.wgsl", Some(vec![b'/'; 1 << 20]), "bytes of text: 1048576, the limit is 262144"),
        ("compiled.wgsl", None, "compiled.wgsl"),
        ("folder.wgsl", None, "folder.wgsl"),
        ("missing.wgsl", None, "missing.wgsl"),
    ] {
        if let Some(content) = content {
            folder.write(name, content);
        }
        folder.brolga(&["info", name]).fails(2, &[part]);
        folder.brolga(&["new", name]).fails(2, &[part]);
        folder.job(&format!("shader = \"{name}\"\ndispatch = [1, 1, 1]\n")).fails(2, &[part]);
    }
    folder.write("waves.txt", WAVES);
    folder.brolga(&["info", "waves.txt"]).fails(2, &["this is WGSL", ".wgsl"]);
}

/// What follows from other overrides is a comment, so that it still does.
#[test]
fn computed_overrides_are_comments() {
    let folder = Folder::new();
    let text = "override scale = 2u; override twice = scale * 2u; @group(0) @binding(0) var<storage, read_write> out: array<u32>;
        @compute @workgroup_size(1) fn main() { out[0] = twice; }";
    folder.write("twice.wgsl", text);
    folder.brolga(&["new", "twice.wgsl"]).fails(0, &[]);
    let page = fs::read_to_string(folder.path("twice.toml")).unwrap();
    assert!(page.contains("\nscale = 2") && page.contains("\n# twice = 4"), "{page}");
}
