//! Tests scenes: draws whose pictures other implementations have drawn too, on both engines, and the messages about
//! scenes that are wrong.
//!
//! The expected pictures are those of lavapipe, which Wine's Direct3D confirms, but for the scenes from `block_balls`
//! on, which scripts make; those of `target_layers` follow from its shaders, and those of Direct3D 9 (`nine_`) are
//! Wine's.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use brolga::document::{Document, Outcome, Problem, RunOptions};
use brolga::files::{FileForm, Texels};
use brolga::raster::RoundSize;
use brolga::{CpuFeatures, Device, Engine, Limits, StopReason, VectorBytes};
use brolga_testing::modes::as_host;

use super::documents::{begin_with, bytes, load, said};

const BOTH: &[Engine] = &[Engine::Jit, Engine::Interpreter];

fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/scenes").join(name).join("scene.json")
}

/// Runs a scene on engines, with vectors of every size and different numbers of threads: all expectations hold, and the
/// bits are the same.
fn check(name: &str, engines: &[Engine]) {
    let scene = as_host(|| load(&data(name))).unwrap();
    let default = VectorBytes::default();
    let sizes = CpuFeatures::detect().into_iter().flat_map(VectorBytes::of).filter(|&size| size != default);
    let others: Vec<(usize, VectorBytes)> = sizes.map(|size| (2, size)).collect();
    let jit = [&[(1, default), (2, default), (8, default)][..], &others].concat();
    let ways = |engine: &Engine| if *engine == Engine::Jit { &jit[..] } else { &[(2, VectorBytes::Sixteen)] };
    let runs = engines.iter().flat_map(|engine| ways(engine).iter().map(move |way| (*engine, *way)));
    let mut first: Option<Outcome> = None;
    for (engine, (threads, size)) in runs {
        let device = Device::builder().threads(threads).vector_bytes(size).build().unwrap();
        // Nor does anything depend on where rounds of batches end.
        let one = RoundSize { batches: 1, positions: 1, bytes: 0 };
        let round = if threads == 8 { one } else { RoundSize::default() };
        let all = RoundSize { batches: usize::MAX, positions: u64::MAX, bytes: u64::MAX };
        let round = if threads == 1 { all } else { round };
        let mut options = RunOptions::new(engine);
        options.round = round;
        let outcome = as_host(|| scene.run(&device, 0, &options)).unwrap();
        let results = || outcome.checks.iter().map(|check| &check.result).collect::<Vec<_>>();
        assert!(outcome.passed(), "{engine}, threads: {threads}, {size:?}: {:?}", results());
        match &first {
            Some(first) => assert_eq!(outcome.disagreement(first), None, "{engine}, threads: {threads}, {size:?}"),
            None => first = Some(outcome),
        }
    }
}

macro_rules! scenes {
    ($($name:ident on $engines:expr;)+) => {
        $(
            #[test]
            fn $name() {
                check(stringify!($name), $engines);
            }
        )+
    };
}

// The interpreter takes half a minute for the 24 million pixels of `big_overdraw`.
scenes! {
    triangle on BOTH;
    cube_textured on BOTH;
    strips_restart on BOTH;
    vertex_formats on BOTH;
    raymarch on BOTH;
    lines_points on BOTH;
    stencil_outline on BOTH;
    uav_pixels on BOTH;
    rov_order on BOTH;
    msaa_4x on BOTH;
    msaa_per_sample on BOTH;
    msaa_centroid on BOTH;
    msaa_alpha_to_coverage on BOTH;
    msaa_8x_depth_resolve on BOTH;
    msaa_resolve_formats on BOTH;
    msaa_late_depth on BOTH;
    mrt_formats on BOTH;
    indirect on BOTH;
    queries_predication on BOTH;
    gs_wireframe on BOTH;
    gs_streamout on BOTH;
    gs_points_to_quads on BOTH;
    gs_streams on BOTH;
    gs_adjacency_silhouette on BOTH;
    gs_instances_viewports on BOTH;
    gs_input_order on BOTH;
    so_append_drawauto on BOTH;
    render_target_array on BOTH;
    tess_triangle on BOTH;
    tess_isoline on BOTH;
    tess_quad_displacement on BOTH;
    tess_pn_triangles on BOTH;
    tess_fractional_quads on BOTH;
    tess_points_streamed on BOTH;
    shadow_map on BOTH;
    target_layers on BOTH;
    nine_cube on BOTH;
    nine_fixed on BOTH;
    nine_ps14 on BOTH;
    nine_vtf on BOTH;
    big_overdraw on &[Engine::Jit];

    block_balls on BOTH;
    block_filters on BOTH;
    normal_mapped on BOTH;
    leaves on BOTH;
    smoke on BOTH;
    terrain_layers on BOTH;
    bloom on BOTH;
    grading on BOTH;
    mirrors on BOTH;
    soft_shadows on BOTH;

    many_draws_same on BOTH;
    many_draws_state on BOTH;
    shadow_pass_depth_only on BOTH;
    shadow_pass_with_ps on BOTH;
    targets_2 on BOTH;
    targets_4 on BOTH;
    targets_8 on BOTH;
    few_large_lit on BOTH;
}

/// The triangle in a folder of its own.
struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        for file in fs::read_dir(data("triangle").parent().unwrap()).unwrap().map(|entry| entry.unwrap()) {
            fs::copy(file.path(), folder.path().join(file.file_name())).unwrap();
        }
        Self(folder)
    }

    fn scene(&self) -> PathBuf {
        self.0.path().join("scene.json")
    }

    /// Writes the scene with a part of its text replaced.
    fn change(&self, from: &str, to: &str) {
        let text = fs::read_to_string(data("triangle")).unwrap();
        assert!(text.contains(from), "{from}");
        fs::write(self.scene(), text.replacen(from, to, 1)).unwrap();
    }

    /// The exit code and both outputs of a command in the folder.
    fn brolga(&self, arguments: &[&str]) -> (Option<i32>, String, String) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_brolga"));
        let run =
            command.args(arguments).current_dir(self.0.path()).env("XDG_CACHE_HOME", self.0.path()).output().unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        (run.status.code(), text(run.stdout), text(run.stderr))
    }
}

/// The message about a scene, after its path.
fn complaint(path: &Path, limits: &Limits) -> String {
    let device = Device::builder().threads(1).build().unwrap();
    let prepared = Document::load(path).and_then(|document| document.prepare(limits));
    let run = prepared.and_then(|prepared| prepared.run(&device, 0, &RunOptions::default()));
    let Err(error) = run else { return "nothing is said".into() };
    assert_eq!(error.path(), path);
    said(&error).replace(&format!("{}/", path.parent().unwrap().display()), "")
}

#[test]
fn mistakes_are_told_with_their_place_and_what_would_be_right() {
    let folder = Folder::new();
    fs::write(folder.0.path().join("large.bin"), [0; 73]).unwrap();
    fs::write(folder.0.path().join("bad.zst"), b"no zstd").unwrap();
    begin_with(MISTAKES.iter().map(|(from, to, expected)| {
        folder.change(from, to);
        (format!("{from} -> {to}"), complaint(&folder.scene(), &Limits::default()), *expected)
    }));
}

/// A part of the scene, its replacement, and a part of the message.
const MISTAKES: &[(&str, &str, &str)] = &[
    ("\"api\": \"d3d11\"", "\"api\": \"d3d8\"", "api: there is no API `d3d8` [did you mean `d3d9`?]"),
    (
        "TRIANGLELIST",
        "TRIANGLES",
        "pipelines.main.topology: there is no topology `TRIANGLES` [did you mean `TRIANGLELIST`?]",
    ),
    (
        "\"api\": \"d3d11\"",
        "\"api\": \"d3d9\"",
        "pipelines.main.input_layout[0].semantic: unknown key `semantic` in an element [the keys here are usage, index, ",
    ),
    ("\"name\":", "\"nmae\":", "nmae: unknown key `nmae` in the document [did you mean `name`?]"),
    ("\"steps\": [", "\"steps\": [,", "expected value"),
    (
        "\"pipeline\": \"main\"",
        "\"pipeline\": \"mian\"",
        "steps[1].pipeline: there is no pipeline `mian` [did you mean `main`?]",
    ),
    (
        "\"targets\": [\"target\"]",
        "\"targets\": [\"vertices\"]",
        "steps[1].targets[0]: `vertices` is a buffer, not a texture",
    ),
    (
        "\"targets\": [\"target\"]",
        "\"targets\": [{\"resource\": \"target\", \"mip\": 1}]",
        "steps[1].targets[0]: `target`: a view of mip levels 1 to 1, and the texture has 0 to 0",
    ),
    (
        "\"targets\": [\"target\"]",
        "\"targets\": [{\"resource\": \"target\", \"mips\": 2}]",
        "steps[1].targets[0]: a target is one level: `mip` says which, and `mips` can only be 1",
    ),
    (
        "\"steps\": [",
        "\"steps\": [{\"op\": \"generate_mips\", \"resource\": \"vertices\"},",
        "steps[0].resource: `vertices` is a buffer, not a texture",
    ),
    (
        "\"steps\": [",
        "\"steps\": [{\"op\": \"copy\", \"from\": {\"resource\": \"target\", \"layer\": 1}, \"to\": \"target\"},",
        "steps[0].from: mip level 0 of layer 1 does not exist, the texture has 1 mip levels and 1 layers",
    ),
    (
        "\"buffer\": \"vertices\"",
        "\"buffer\": \"points\"",
        "steps[1].vertex_buffers[0].buffer: there is no resource `points` [expected one of vertices, target]",
    ),
    (
        "\"stride\": 24",
        "\"stride\": -1",
        "steps[1].vertex_buffers[0].stride: `stride` takes integers from 0 to 4294967295, not -1",
    ),
    ("\"vertices\": 3", "\"first_vertex\": 3", "steps[1]: a step `draw` needs the key `vertices`"),
    (
        "\"vertices\": 3",
        "\"vertices\": 3, \"base_vertex\": 1",
        "steps[1].base_vertex: unknown key `base_vertex` in a step `draw` [steps that have it are draw_indexed]",
    ),
    ("\"op\": \"draw\"", "\"op\": \"drwa\"", "steps[1].op: there is no step `drwa` [did you mean `draw`?]"),
    ("\"op\": \"draw\"", "\"op\": \"draw_auto\"", "steps[1].vertices: unknown key `vertices` in a step `draw_auto`"),
    ("\"vertices\": 3", "\"vertices\": 3, \"bind\": {\"x0\": \"target\"}", "steps[1].bind.x0: "),
    (
        "\"vertices\": 3",
        "\"vertices\": 3, \"bind\": {\"s0\": \"point\"}",
        "steps[1].bind.s0: there is no sampler `point`",
    ),
    (
        "\"vertices\": 3",
        "\"vertices\": 3, \"bind\": {\"t0\": \"target\"}",
        "steps[1].bind.t0: the draw reads `target` while it draws to it: read a copy instead",
    ),
    (
        "\"color\": [0.05, 0.06, 0.09, 1]",
        "\"depth\": 1",
        "steps[0]: a texture of format R8G8B8A8_UNORM cannot be cleared to a depth, but to a colour",
    ),
    ("\"color\": [0.05, 0.06, 0.09, 1]", "\"color\": [0, 0, 0]", "steps[0].color"),
    (
        "\"kind\": \"texture2d\"",
        "\"kind\": \"texture\"",
        "resources.target.kind: there is no kind of resource `texture` [did you mean `texture1d`?]",
    ),
    ("\"width\": 256", "\"width\": 99999", "resources.target: "),
    (
        "\"width\": 256",
        "\"width\": 256, \"samples\": 3",
        "resources.target: `target`: a texture2dms has 1, 2, 4, 8 or 16 samples, not 3",
    ),
    (
        "\"R8G8B8A8_UNORM\"",
        "\"RGBA8\"",
        "resources.target.format: there is no format `RGBA8` [did you mean `R8G8B8A8_UNORM`?]",
    ),
    ("\"size\": 72", "\"size\": 64", "resources.vertices.f32: `vertices` has 64 bytes, the values end at byte 72"),
    (
        "\"size\": 72",
        "\"file\": \"large.bin\", \"size\": 72",
        "resources.vertices.f32: `file` and `f32` are mutually exclusive",
    ),
    (
        "\"resources\": {",
        "\"resources\": { \"large\": { \"kind\": \"vertex\", \"file\": \"large.bin\", \"size\": 72 },",
        "resources.large.file: large.bin has 73 bytes, `large` needs 72",
    ),
    (
        "\"resources\": {",
        "\"resources\": { \"bad\": { \"kind\": \"vertex\", \"file\": \"bad.zst\", \"size\": 72 },",
        "resources.bad.file: bad.zst: the file is damaged",
    ),
    ("\"file\": \"vs.cso\"", "\"file\": \"../vs.cso\"", "shaders.vs.file: cannot read ../vs.cso: "),
    (
        "\"file\": \"vs.cso\"",
        "\"file\": \"scene.json\"",
        "shaders.vs.file: scene.json: no shader container at byte 0: it begins with ",
    ),
    (
        "\"file\": \"ps.cso\"",
        "\"file\": \"scene.json\"",
        "shaders.ps.file: scene.json: no shader container at byte 0: it begins with ",
    ),
    ("\"ps\": \"ps\"", "\"hs\": \"ps\"", "pipelines.main.hs: `ps` is a pixel shader, ps_4_0: `hs` names a hull shader"),
    (
        "\"ps\": \"ps\"",
        "\"gs\": \"ps\"",
        "pipelines.main.gs: `ps` is a pixel shader, ps_4_0: `gs` names a geometry shader",
    ),
    (
        "\"topology\": \"TRIANGLELIST\"",
        "\"topology\": \"3_CONTROL_POINT_PATCHLIST\"",
        "pipelines.main: patches cannot be rasterized without hull and domain shaders, or a geometry shader that takes them",
    ),
    (
        "\"topology\": \"TRIANGLELIST\"",
        "\"topology\": \"TRIANGLELIST\", \"blend\": {\"targets\": [{\"src_blend\": \"SRC\"}]}",
        "pipelines.main.blend.targets[0].src_blend: there is no blend factor `SRC` [expected one of ZERO, ONE, SRC_COLOR, ",
    ),
    ("\"semantic\": \"COLOR\"", "\"semantic\": \"COLOUR\"", "pipelines.main: the vertex shader reads COLOR0 "),
    ("\"resource\": \"target\", \"tolerance\"", "\"resource\": \"vertices\", \"tolerance\"", "expect[0]: `codes`, "),
    (
        "\"resource\": \"target\", \"tolerance\"",
        "\"resource\": \"target\", \"mip\": 1, \"tolerance\"",
        "expect[0]: mip level 1 of layer 0 is expected, and `target` has 1 levels and 1 layers",
    ),
    (
        "\"codes\": 1",
        "\"code\": 1",
        "expect[0].tolerance.code: unknown key `code` in a tolerance [did you mean `codes`?]",
    ),
    (
        "\"codes\": 1",
        "\"codes\": -1",
        "expect[0].tolerance.codes: `codes` takes a finite number that is not negative, not -1",
    ),
    (
        "\"query\": \"covered\"",
        "\"query\": \"coverd\"",
        "expect[1].query: there is no query `coverd` [did you mean `covered`?]",
    ),
];

#[test]
fn resources_take_no_more_memory_than_the_limit() {
    let mut limits = Limits::default();
    limits.buffer_bytes = 262_144;
    let found = complaint(&data("triangle"), &limits);
    assert_eq!(found, "resources.target: with `target` the document would take 262216 bytes, the limit is 262144");
}

#[test]
fn a_run_stops_before_a_step() {
    let (device, scene) = (Device::builder().threads(1).build().unwrap(), data("triangle"));
    let scene = load(&scene).unwrap();
    let mut options = RunOptions::default();
    options.time_limit = Some(Duration::ZERO);
    let said = |options: &RunOptions| said(&scene.run(&device, 0, options).unwrap_err());
    assert_eq!(said(&options), "steps[0]: the time limit of 0ns stopped the run");
    options.cancel.cancel();
    assert_eq!(said(&options), "steps[0]: the run was cancelled");
}

/// Steps that run no shader end in their middle when the time is over, and so does a run of many passes.
#[test]
fn a_run_stops_within_a_step() {
    let (device, folder) = (Device::builder().threads(1).build().unwrap(), tempfile::tempdir().unwrap());
    let path = folder.path().join("scene.json");
    let texture = r#""kind": "texture2d", "format": "R8G8B8A8_UNORM_SRGB", "width": 16384, "height": 16384"#;
    let resources = format!(
        r#"{{ "a": {{ {texture} }}, "b": {{ {texture} }}, "m": {{ {texture}, "mips": 15 }}, "r": {{ "kind": "raw", "size": 2147483648 }} }}"#
    );
    for step in [
        r#"{ "op": "generate_mips", "resource": "m" }"#,
        r#"{ "op": "copy", "from": "a", "to": "b" }"#,
        r#"{ "op": "copy", "from": { "resource": "m", "mips": 1 }, "to": "a" }"#,
        r#"{ "op": "clear", "resource": "a", "color": [1, 1, 1, 1] }"#,
        r#"{ "op": "clear", "resource": "r", "uint": [1, 1, 1, 1] }"#,
    ] {
        fs::write(&path, format!(r#"{{ "resources": {resources}, "steps": [{step}] }}"#)).unwrap();
        let scene = load(&path).unwrap();
        let mut options = RunOptions::default();
        options.time_limit = Some(Duration::from_millis(10));
        let error = scene.run(&device, 0, &options).unwrap_err();
        let problem = error.problem();
        assert!(matches!(problem, Problem::Stopped { why: StopReason::TimeLimit(_) }), "{step}: {error}");
        assert_eq!(said(&error), "steps[0]: the time limit of 10ms stopped the run");
    }
}

#[test]
fn the_command_runs_scenes() {
    let folder = Folder::new();
    for arguments in [["run", "scene.json"], ["run", "."]] {
        let (code, out, err) = folder.brolga(&[&arguments[..], &["--engine", "both"]].concat());
        assert_eq!((code, err.as_str()), (Some(0), ""));
        let lines: Vec<&str> = out.lines().collect();
        assert!(lines[0].starts_with("pass  triangle  jit  compile "), "{out}");
        assert!(lines[1].starts_with("      target: holds: "), "{out}");
        assert_eq!(lines[2], "      covered: holds: samples is 21172, expected 21172");
        assert!(lines[3].starts_with("pass  triangle  interpreter  compile "), "{out}");
    }
    // The name does not identify it; the steps do.
    fs::rename(folder.scene(), folder.0.path().join("other.json")).unwrap();
    assert_eq!(folder.brolga(&["run", "other.json"]).0, Some(0));
    let (code, out, err) = folder.brolga(&["run", "other.json", "--emit", "ir"]);
    assert_eq!((code, err.as_str()), (Some(0), ""));
    assert!(out.contains("main, vertex shader") && out.contains("main, pixel shader"), "{out}");
}

#[test]
fn what_does_not_hold_is_told() {
    let folder = Folder::new();
    folder.change("0.09, 1]", "0.9, 1]");
    let (code, out, _) = folder.brolga(&["run", "scene.json"]);
    assert_eq!(code, Some(1));
    assert!(out.starts_with("FAIL  triangle  "), "{out}");
    // The background is not covered by the triangle.
    assert!(out.contains(", 44364 beyond the slack: "), "{out}");
    assert!(out.contains("texel (0, 0): blue is 230, expected 23"), "{out}");
    let (code, out, _) = folder.brolga(&["run", "scene.json", "--format", "json"]);
    let document: serde_json::Value = serde_json::from_str(&out).unwrap();
    let check = &document["documents"][0]["runs"][0]["expectations"][0];
    assert_eq!((code, &check["holds"]), (Some(1), &false.into()));
    let count = |key: &str| check["levels"][0][key].as_u64().unwrap();
    assert_eq!((count("pixels"), count("edge") + count("wrong")), (65_536, 44_364));
    folder.change("\"main\": {", "\"main\": 1, \"x\": {");
    let (code, out, err) = folder.brolga(&["run", "scene.json", "--format", "json"]);
    let document: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!((code, &document["documents"][0]["error"]["place"]), (Some(2), &"pipelines.main".into()));
    assert!(err.contains("`main` takes a table, not an integer") && err.contains("[scene.json:"), "{err}");
}

#[test]
fn the_history_of_a_pixel_is_told() {
    let folder = Folder::new();
    let (code, out, err) = folder.brolga(&["run", "scene.json", "--pixel", "128,128", "--format", "json"]);
    assert_eq!((code, err.as_str()), (Some(0), ""));
    let document: serde_json::Value = serde_json::from_str(&out).unwrap();
    let [cleared, drawn] = document["documents"][0]["runs"][0]["pixel"].as_array().unwrap().as_slice() else {
        panic!("{out}")
    };
    let floats = |value: &serde_json::Value| -> Vec<f64> {
        value.as_array().unwrap().iter().map(|number| number.as_f64().unwrap()).collect()
    };
    assert_eq!((&cleared["step"], &cleared["kind"]), (&0.into(), &"clear".into()));
    let background = floats(&cleared["textures"][0]["after"]);
    for (found, code) in background.iter().zip([13.0, 15.0, 23.0, 255.0]) {
        assert!((found - code / 255.0).abs() < 1e-7, "{out}");
    }
    let [fragment] = drawn["fragments"].as_array().unwrap().as_slice() else { panic!("{out}") };
    assert_eq!((&fragment["primitive"], &fragment["outcome"]), (&0.into(), &"passed".into()));
    assert_eq!((&fragment["depth"], &fragment["stored_depth"]), (&0.5.into(), &serde_json::Value::Null));
    // The picture that lavapipe drew.
    let file = fs::read(folder.0.path().join("target.png")).unwrap();
    let expected = Texels::decode(FileForm::Png, file, None, u64::MAX).unwrap();
    let channels = expected.bytes.len() / (256 * 256);
    let pixel = &expected.bytes[(128 * 256 + 128) * channels..][..3];
    assert_eq!(floats(&fragment["textures"][0]["before"]), background);
    for (found, expected) in floats(&fragment["textures"][0]["after"]).iter().zip(pixel) {
        assert!((found * 255.0 - f64::from(*expected)).abs() < 1.1, "{out}");
    }

    let (code, out, _) = folder.brolga(&["run", "scene.json", "--pixel", "target:2,3"]);
    let lines: Vec<&str> = out.lines().skip_while(|line| !line.starts_with("step")).collect();
    assert_eq!(code, Some(0));
    assert!(lines[1].contains("clear") && lines[1].ends_with("0.05098 0.05882 0.0902 1"), "{out}");
    assert!(lines[2].trim_end().ends_with("not covered"), "{out}");
    assert_eq!(lines[3], "step 1, draw main: of 1 primitive 1 drawn");
    for (pixel, expected) in [
        ("256,0", "no texture has a pixel (256, 0)"),
        ("target:0,256", "`target` has no pixel (0, 256)"),
        ("tagret:0,0", "there is no resource `tagret`"),
        ("vertices:0,0", "`vertices` is a buffer, not a texture"),
        ("1", "expected its column and row, as `12,34` or `target:12,34`"),
    ] {
        let (code, _, err) = folder.brolga(&["run", "scene.json", "--pixel", pixel]);
        assert!(code == Some(2) && err.contains(expected), "{err}");
    }
}

/// The reason why a primitive does not reach a pixel is reported, and the fate of all.
#[test]
fn what_keeps_primitives_from_a_pixel_is_told() {
    let folder = Folder::new();
    let told = || {
        let (code, out, err) = folder.brolga(&["run", "scene.json", "--pixel", "128,128"]);
        assert!(matches!(code, Some(0 | 1)) && err.is_empty(), "{err}");
        let of_draw = |line: &&str| line.contains("draw main");
        out.lines().filter(of_draw).map(str::to_owned).collect::<Vec<_>>()
    };
    let list = "\"topology\": \"TRIANGLELIST\"";
    for (from, to, outcome, sum) in [
        ("\"name\"", "\"name\"", "passed", "of 1 primitive 1 drawn"),
        (
            list,
            "\"topology\": \"TRIANGLELIST\", \"rasterizer\": {\"cull_mode\": \"FRONT\"}",
            "culled for its facing",
            "of 1 primitive 1 culled",
        ),
        (
            "\"vertices\": 3",
            "\"vertices\": 3, \"scissor\": [0, 0, 99, 99]",
            "outside of the scissor rectangle",
            "of 1 primitive 1 drawn",
        ),
        (
            "\"vertices\": 3",
            "\"vertices\": 3, \"sample_mask\": 0",
            "masked: sample_mask has none of its samples",
            "of 1 primitive 1 drawn",
        ),
    ] {
        folder.change(from, to);
        let lines = told();
        assert!(lines.len() == 2 && lines[0].contains(&format!("  {outcome}  ")), "{lines:?}");
        assert_eq!(lines[1], format!("step 1, draw main: {sum}"));
    }
    folder.change(list, "\"topology\": \"TRIANGLELIST\", \"rasterizer\": {\"cull_mode\": \"FRONT\"}");
    let (_, out, _) = folder.brolga(&["run", "scene.json", "--pixel", "128,128", "--format", "json"]);
    let document: serde_json::Value = serde_json::from_str(&out).unwrap();
    let step = &document["documents"][0]["runs"][0]["pixel"][1];
    assert_eq!(step["fragments"][0]["outcome"], "culled for its facing");
    let counts = serde_json::json!({
        "all": 1, "drawn": 0, "culled": 1, "clipped": 0, "nan": 0, "w_not_positive": 0, "elsewhere": 0,
    });
    assert_eq!(step["primitives"], counts);
}

/// Steps without draws, on buffers and textures whose bytes are known.
#[test]
fn clears_copies_and_dispatches_leave_known_bytes() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = tempfile::tempdir().unwrap();
    for file in ["shader.main.cs_5_0.cso", "t0.in.bin", "t1.in.bin", "u0.out.bin"] {
        fs::copy(root.join("tests/data/exec/vec_add_raw").join(file), folder.path().join(file)).unwrap();
    }
    let words = [2, 0, 2].map(|word: u32| word.to_le_bytes()).concat();
    let files: [(&str, Vec<u8>); 4] = [
        // Depth 0.5 of 24 bits, and the stencil that was cleared last.
        ("depth.bin", [0x0980_0000_u32.to_le_bytes(); 4].concat()),
        ("colors.bin", [[255, 128, 0, 64]; 4].concat()),
        ("integers.bin", vec![0xff, 3, 0xff, 3]),
        ("words.bin", words),
    ];
    for (name, bytes) in &files {
        fs::write(folder.path().join(name), bytes).unwrap();
    }
    let texture = |format: &str| serde_json::json!({"kind": "texture2d", "format": format, "width": 2, "height": 2});
    let clear = |name: &str, key: &str, value: serde_json::Value| {
        let mut step = serde_json::json!({"op": "clear", "resource": name});
        step[key] = value;
        step
    };
    let expect = |name: &str, file: &str| serde_json::json!({"id": name, "resource": name, "file": file});
    let mut scene = serde_json::json!({
        "shaders": {"add": {"file": "shader.main.cs_5_0.cso"}},
        "pipelines": {"add": {"cs": "add"}},
        "resources": {
            "depth": texture("D24_UNORM_S8_UINT"),
            "colors": texture("B8G8R8A8_UNORM"),
            "copy": texture("B8G8R8A8_UNORM"),
            "integers": {"kind": "texture1d", "format": "R8G8_SINT", "width": 2},
            "words": {"kind": "raw", "size": 12, "u32": [0, 2]},
            "a": {"kind": "raw", "size": 16384, "file": "t0.in.bin"},
            "b": {"kind": "raw", "size": 16384, "file": "t1.in.bin"},
            "sum": {"kind": "raw", "size": 16384},
            "groups": {"kind": "indirect", "size": 16, "u32": [0, 16, 1, 1]},
        },
        "steps": [
            clear("depth", "depth", 0.5.into()),
            clear("depth", "stencil", 9.into()),
            clear("colors", "color", serde_json::json!([0.0, 0.5, 1.0, 0.25])),
            clear("integers", "color", serde_json::json!([-1.0, 3.0, 0, 0])),
            {"op": "copy", "from": "colors", "to": "copy"},
            {
                "op": "dispatch_indirect",
                "pipeline": "add",
                "arguments": "groups",
                "arguments_offset": 4,
                "bind": {"t0": "a", "t1": {"resource": "b"}, "u0": "sum"},
            },
        ],
        "expect": [
            expect("depth", "depth.bin"),
            expect("copy", "colors.bin"),
            expect("integers", "integers.bin"),
            expect("sum", "u0.out.bin"),
        ],
    });
    let path = folder.path().join("scene.json");
    let device = Device::builder().threads(1).build().unwrap();
    let run = |scene: &serde_json::Value| {
        fs::write(&path, scene.to_string()).unwrap();
        load(&path).unwrap().run(&device, 0, &RunOptions::default()).unwrap()
    };
    let outcome = run(&scene);
    assert!(outcome.passed(), "{:?}", outcome.checks);
    // Pictures leave stencil out, bytes do not.
    assert_eq!(bytes(&outcome, "depth"), files[0].1);
    let mut words = expect("words", "words.bin");
    words["order"] = "any".into();
    words["element"] = 4.into();
    scene["expect"] = serde_json::json!([words]);
    scene["steps"] = serde_json::json!([]);
    assert!(!run(&scene).passed());
    scene["steps"] = serde_json::json!([clear("words", "uint", serde_json::json!([2, 7, 7, 7]))]);
    let outcome = run(&scene);
    assert_eq!(bytes(&outcome, "words"), [2, 0, 0, 0].repeat(3));
}
