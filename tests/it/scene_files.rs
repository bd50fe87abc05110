//! Tests files of scenes: meshes, textures and arrays that they read, and pictures that they save.
//!
//! The expected picture of the cube is lavapipe's, whatever files its vertices and textures come from.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use brolga::document::RunOptions;
use brolga::files::{self, FileForm, Texels};
use brolga::{Device, Format, TextureShape};
use serde_json::{Value, json};

use super::documents::{begin_with, load, said};

/// A copy of the scene of a textured cube, and its document.
struct Folder {
    folder: tempfile::TempDir,
    scene: Value,
}

impl Folder {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/scenes/cube_textured");
        for file in fs::read_dir(&data).unwrap().map(|entry| entry.unwrap()) {
            fs::copy(file.path(), folder.path().join(file.file_name())).unwrap();
        }
        let scene = serde_json::from_slice(&fs::read(data.join("scene.json")).unwrap()).unwrap();
        Self { folder, scene }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn write(&self) -> PathBuf {
        let path = self.path("scene.json");
        fs::write(&path, self.scene.to_string()).unwrap();
        path
    }

    /// Runs the scene, all of whose expectations must hold.
    fn passes(&self) {
        let scene = load(&self.write()).unwrap_or_else(|error| panic!("{error}"));
        let device = Device::builder().threads(1).build().unwrap();
        let outcome = scene.run(&device, 0, &RunOptions::default()).unwrap_or_else(|error| panic!("{error}"));
        assert!(outcome.passed(), "{:?}", outcome.checks);
    }

    /// The message about the scene, after its path.
    fn complaint(&self) -> String {
        let path = self.write();
        let device = Device::builder().threads(1).build().unwrap();
        let run = load(&path).and_then(|scene| {
            scene.claim_outputs(self.folder.path(), &mut BTreeSet::new())?.run(&device, 0, &RunOptions::default(), None)
        });
        let text = run.map_or_else(|error| said(&error), |_| "nothing is said".to_owned());
        text.replace(&format!("{}/", self.folder.path().display()), "")
    }

    fn floats(&self, name: &str) -> Vec<f64> {
        self.scene["resources"][name]["f32"].as_array().unwrap().iter().map(|number| number.as_f64().unwrap()).collect()
    }

    /// Writes the cube as an .obj file, and makes its draws read it.
    fn use_mesh(&mut self) {
        let mut text = String::from("o cube\n");
        for vertex in self.floats("vertices").chunks(8) {
            let [x, y, z, nx, ny, nz, u, v] = vertex.try_into().unwrap();
            text += &format!("v {x} {y} {z}\nvn {nx} {ny} {nz}\nvt {u} {}\n", 1.0 - v);
        }
        // Each face is split into a fan around its first vertex.
        for first in (1..=24).step_by(4) {
            let corners: Vec<String> = (first..first + 4).map(|n| format!("{n}/{n}/{n}")).collect();
            text += &format!("f {}\n", corners.join(" "));
        }
        fs::write(self.path("cube.obj"), text).unwrap();
        let resources = self.scene["resources"].as_object_mut().unwrap();
        resources.remove("vertices");
        resources.remove("indices");
        resources.insert("cube".into(), json!({"kind": "mesh", "file": "cube.obj"}));
        let pipeline = self.scene["pipelines"]["main"].as_object_mut().unwrap();
        pipeline.remove("input_layout");
        pipeline.remove("topology");
        for step in self.scene["steps"].as_array_mut().unwrap() {
            if let Some(step) = step.as_object_mut().filter(|step| step["op"] == "draw_indexed") {
                for key in ["vertex_buffers", "index_buffer", "indices"] {
                    step.remove(key);
                }
                step.insert("mesh".into(), "cube".into());
            }
        }
    }
}

#[test]
fn a_mesh_brings_its_buffers_its_layout_and_its_count() {
    let mut folder = Folder::new();
    folder.use_mesh();
    folder.passes();
    // The buffers have names, and layouts that are written out come first.
    let layout = json!([{"semantic": "NORMAL", "format": "R32G32B32_FLOAT", "offset": 12}]);
    folder.scene["pipelines"]["main"]["input_layout"] = layout;
    let order: Vec<u32> = (0..6).flat_map(|side| [0, 1, 2, 0, 2, 3].map(|n| 4 * side + n)).collect();
    let bytes: Vec<u8> = order.iter().flat_map(|index| index.to_le_bytes()).collect();
    fs::write(folder.path("order.bin"), bytes).unwrap();
    let expect = json!({"id": "indices", "resource": "cube.indices", "file": "order.bin"});
    folder.scene["expect"].as_array_mut().unwrap().push(expect);
    folder.passes();
}

#[test]
fn textures_and_arrays_come_from_files_that_say_what_they_hold() {
    let mut folder = Folder::new();
    let device = Device::builder().threads(1).build().unwrap();
    // The texture as it is, in a file with a head.
    let packed = fs::read(folder.path("albedo.bin.zst")).unwrap();
    let mut texels = Vec::new();
    std::io::Read::read_to_end(&mut ruzstd::decoding::StreamingDecoder::new(&packed[..]).unwrap(), &mut texels)
        .unwrap();
    let shape = TextureShape::texture_2d(Format::R8G8B8A8_UNORM, 128, 128).mips(8);
    files::save_texture(&device.texture_from(shape, &texels).unwrap(), folder.path("albedo.dds")).unwrap();
    folder.scene["resources"]["albedo"] = json!({"kind": "texture2d", "file": "albedo.dds"});
    // The vertices as an array of eight columns, whose size is that of the buffer.
    let floats: Vec<f32> = folder.floats("vertices").iter().map(|number| *number as f32).collect();
    let array = files::Array { element: "<f4".parse().unwrap(), sides: vec![24, 8] };
    files::save_array(&device.buffer_from(&floats).unwrap(), &array, folder.path("vertices.npy")).unwrap();
    folder.scene["resources"]["vertices"] = json!({"kind": "vertex", "file": "vertices.npy"});
    folder.passes();
    folder.scene["resources"]["albedo"]["width"] = 64.into();
    let said = folder.complaint();
    assert_eq!(said, "resources.albedo.file: albedo.dds: its width is 128, not the 64 that is asked for");
}

#[test]
fn mistakes_in_meshes_are_told() {
    let changed = |change: &dyn Fn(&mut Folder)| {
        let mut folder = Folder::new();
        folder.use_mesh();
        change(&mut folder);
        folder.complaint()
    };
    let step = |folder: &mut Folder, key: &str, value: Value| folder.scene["steps"][2][key] = value;
    let text = |folder: &mut Folder, text: &str| fs::write(folder.path("cube.obj"), text).unwrap();
    let cases = [
        (changed(&|folder| step(folder, "mesh", "ball".into())), "steps[2].mesh: there is no mesh `ball`"),
        (
            changed(&|folder| step(folder, "index_buffer", json!({"buffer": "cube.indices", "format": "R32_UINT"}))),
            "steps[2].mesh: `index_buffer` and `mesh` are mutually exclusive",
        ),
        (
            changed(&|folder| step(folder, "op", "draw".into())),
            "steps[2].mesh: unknown key `mesh` in a step `draw` [steps that have it are draw_indexed, draw_indexed_indirect]",
        ),
        (
            changed(&|folder| folder.scene["resources"]["cube"]["stride"] = 32.into()),
            "resources.cube.stride: unknown key `stride` in a mesh [the keys here are file]",
        ),
        (
            changed(&|folder| folder.scene["resources"]["cube"] = json!({"kind": "mesh"})),
            "resources.cube: a mesh needs the key `file`",
        ),
        (
            changed(&|folder| folder.scene["resources"]["cube.indices"] = json!({"kind": "index", "size": 4})),
            "resources.cube: a part of the mesh `cube` has the name `cube.indices`: choose another for it",
        ),
        (
            changed(&|folder| folder.scene["resources"]["cube"]["file"] = "none.obj".into()),
            "resources.cube.file: cannot read none.obj: ",
        ),
        (
            changed(&|folder| text(folder, "v 0 0 0\nf 1 2 3\n")),
            "resources.cube.file: cube.obj: line 2: a face names 2 of 1 positions",
        ),
        (
            changed(&|folder| text(folder, "P6 1 1\n")),
            "resources.cube.file: cube.obj: line 1: `P6` is no keyword of an .obj file",
        ),
        (
            changed(&|folder| folder.scene["resources"]["target"]["mips"] = "generate".into()),
            "resources.target: a texture with generated mips needs the key `file` that ends in `.png`, `.dds` or `.exr`",
        ),
        (
            changed(&|folder| folder.scene["resources"]["target"]["mips"] = "all".into()),
            "resources.target.mips: `mips` takes an integer, or \"generate\", not \"all\"",
        ),
        (
            changed(&|folder| folder.scene["resources"]["camera"] = json!({"kind": "constant", "file": "target.png"})),
            "resources.camera.file: target.png: by its name this is a texture, but the view is constant: rename it to use its bytes as they are",
        ),
        (
            changed(&|folder| folder.scene["resources"]["camera"] = json!({"kind": "constant"})),
            "resources.camera: nothing says how many bytes `camera` has [give `size`, values, or a `file`]",
        ),
        (
            changed(&|folder| folder.scene["save"] = json!([{"resource": "tagret", "file": "a.png"}])),
            "save[0].resource: there is no resource `tagret`",
        ),
        (
            changed(&|folder| folder.scene["save"] = json!([{"resource": "target", "file": "../a.png"}])),
            "save[0].file: ../a.png: a document writes in the folder for outputs or below it: ",
        ),
        (
            changed(&|folder| folder.scene["save"] = json!([{"resource": "camera", "file": "a.png"}])),
            "save[0].file: a.png cannot hold `camera`: a picture is made from a texture, not from a constant view",
        ),
        (
            changed(&|folder| folder.scene["save"] = json!([{"resource": "target", "file": "a.JPG"}])),
            "save[0].file: a.JPG cannot hold `target`: pictures are saved as .png, .exr or .dds, arrays as .npy, raw bytes as .bin or .raw, \
             or under any name with `raw = true`",
        ),
        (
            changed(&|folder| folder.scene["save"] = json!([{"resource": "target", "file": "a.dat"}])),
            "save[0].file: a.dat cannot hold `target`: pictures are saved as",
        ),
        (
            changed(&|folder| folder.scene["save"] = json!([{"resource": "camera", "file": "a.csv"}])),
            "save[0].file: a.csv cannot hold `camera`: pictures are saved as",
        ),
        (
            changed(&|folder| folder.scene["resources"]["albedo"]["file"] = "a.tga".into()),
            "resources.albedo.file: `a.tga`: pictures are read from .png, .exr and .dds files",
        ),
        (
            changed(&|folder| folder.scene["shaders"]["vs"]["file"] = "shader.hlsl".into()),
            "shaders.vs.file: shader.hlsl is HLSL, and no compiler is named [name one with `--compiler` or BROLGA_COMPILER, ",
        ),
        (
            changed(&|folder| {
                fs::write(folder.path("vs.cso"), "#version 450\nvoid main() { gl_Position = vec4(0); }\n").unwrap();
            }),
            "shaders.vs.file: vs.cso: no shader container at byte 0: it begins with 23 76 65 72 (`#ver`), not with DXBC",
        ),
        (
            changed(&|folder| folder.scene["save"] = json!([{"resource": "target", "file": "a.exr"}])),
            "save[0].file: a.exr cannot hold `target`: its colours are floats, not R8G8B8A8_UNORM: save it as .png or .dds",
        ),
        (
            changed(&|folder| folder.scene["save"] = json!([{"resource": "camera", "file": "a.npy", "type": "f16"}])),
            "save[0].type: there is no type of numbers `f16` [did you mean `u16`?]",
        ),
    ];
    begin_with(cases.map(|(said, expected)| (String::new(), said, expected)));
}

/// The exit code, the output and the errors of `brolga run`.
fn run(folder: &Folder, arguments: &[&str]) -> (Option<i32>, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_brolga"));
    let command = command.arg("run").args(arguments).current_dir(folder.folder.path());
    let run = command.env("XDG_CACHE_HOME", folder.folder.path()).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (run.status.code(), text(run.stdout), text(run.stderr))
}

#[test]
fn pictures_and_arrays_are_saved_where_the_command_says() {
    let mut folder = Folder::new();
    folder.scene["save"] = json!([
        {"resource": "target", "file": "picture.png"},
        {"resource": "depth", "file": "depth.npy"},
        {"resource": "camera", "file": "camera.npy", "type": "f32"},
    ]);
    folder.write();
    fs::create_dir(folder.path("out")).unwrap();
    let (code, out, err) = run(&folder, &["scene.json", "--output", "out"]);
    assert_eq!((code, err.as_str()), (Some(0), ""), "{out}");
    assert!(
        out.ends_with("      wrote out/picture.png\n      wrote out/depth.npy\n      wrote out/camera.npy\n"),
        "{out}"
    );
    let decode = |path: PathBuf| Texels::decode(FileForm::Png, fs::read(path).unwrap(), None, u64::MAX).unwrap();
    let [saved, expected] = ["out/picture.png", "target.png"].map(|name| decode(folder.path(name)));
    assert_eq!((saved.shape.width, saved.shape.height), (expected.shape.width, expected.shape.height));
    let far = saved.bytes.iter().zip(&expected.bytes).filter(|(a, b)| a.abs_diff(**b) > 1).count();
    assert!(far < 2000, "{far} of {} bytes", saved.bytes.len());
    let device = Device::builder().threads(1).build().unwrap();
    let (buffer, array) = files::load_array(&device, folder.path("out/depth.npy")).unwrap();
    assert_eq!((array.element.to_string().as_str(), array.sides.as_slice()), ("<f4", &[720, 960][..]));
    // Nothing is drawn in the corner.
    assert_eq!(buffer.to_vec::<f32>().unwrap()[0], 1.0);
    let (buffer, _) = files::load_array(&device, folder.path("out/camera.npy")).unwrap();
    assert_eq!(buffer.to_vec::<f32>().unwrap()[0], folder.floats("camera")[0] as f32);

    let (code, out, _) = run(&folder, &["scene.json", "--output", "out", "--format", "json"]);
    let document: Value = serde_json::from_str(&out).unwrap();
    assert_eq!((code, document["documents"][0]["outputs"].as_array().unwrap().len()), (Some(0), 3));
    let (code, _, err) = run(&folder, &["scene.json", "scene.json", "--output", "out"]);
    assert_eq!(code, Some(2));
    assert!(err.contains("out/picture.png is already written by an earlier document"), "{err}");
    let (code, out, _) = run(&folder, &["scene.json", "--output", "new/inner"]);
    assert_eq!(code, Some(0));
    assert!(
        out.contains("      wrote new/inner/picture.png\n") && folder.path("new/inner/picture.png").exists(),
        "{out}"
    );
    let (code, _, err) = run(&folder, &["scene.json", "--output", "target.png/x"]);
    assert_eq!(code, Some(2));
    assert!(err.contains("cannot make the folder target.png/x: "), "{err}");
    folder.scene["save"][0]["file"] = "target.png".into();
    folder.write();
    let (code, _, err) = run(&folder, &["scene.json"]);
    assert_eq!(code, Some(2));
    assert!(err.contains("is the document's own"), "{err}");
}

#[test]
fn targets_and_depth_buffers_fit_each_other() {
    let deep = |side: u32| json!({"kind": "texture2d", "format": "D32_FLOAT", "width": side, "height": side});
    let mut folder = Folder::new();
    folder.scene["resources"]["deep"] = deep(16);
    folder.scene["steps"][2]["depth"] = "deep".into();
    let target = folder.scene["steps"][2]["targets"][0].as_str().unwrap().to_owned();
    let [width, height] = ["width", "height"].map(|side| folder.scene["resources"][&target][side].clone());
    assert_eq!(
        folder.complaint(),
        format!(
            "steps[2].depth: `deep` has 16 x 16 pixels, and the target `{target}` {width} x {height}: a depth buffer must be as \
             large as the target"
        )
    );
    let mut folder = Folder::new();
    folder.scene["resources"]["deep"] = deep(16);
    folder.scene["steps"][2]["targets"] = json!(["deep"]);
    assert_eq!(
        folder.complaint(),
        "steps[2].targets[0]: `deep` has format D32_FLOAT, which is one of depth buffers: a draw names it as `depth`"
    );
}

#[test]
fn a_texture_that_nothing_is_bound_to_is_warned_of() {
    let mut folder = Folder::new();
    let device = Device::builder().threads(1).build().unwrap();
    let warnings = |folder: &Folder| {
        let outcome = load(&folder.write()).unwrap().run(&device, 0, &RunOptions::default()).unwrap();
        outcome.warnings.iter().map(said).collect::<Vec<_>>()
    };
    assert_eq!(warnings(&folder), [""; 0]);
    assert!(folder.scene["steps"][2]["bind"].as_object_mut().unwrap().remove("t0").is_some());
    assert_eq!(warnings(&folder), ["steps[2].bind: the pixel shader uses `t0`, to which nothing is bound: it reads 0"]);
    // A shader of another stage.
    let vertex = folder.scene["pipelines"]["main"]["vs"].clone();
    folder.scene["pipelines"]["main"]["ps"] = vertex.clone();
    let expected = format!("pipelines.main.ps: {vertex} is a vertex shader, vs_").replace('"', "`");
    let said = folder.complaint();
    assert!(said.starts_with(&expected), "{said}");
}

#[test]
fn raw_bytes_of_a_texture_are_saved_under_names_that_say_so() {
    let mut folder = Folder::new();
    folder.scene["save"] = json!([
        {"resource": "target", "file": "a.bin"},
        {"resource": "target", "file": "b.raw"},
        {"resource": "target", "file": "c.png", "raw": true},
        {"resource": "target", "file": "d", "raw": true},
        {"resource": "camera", "file": "camera.dat"},
    ]);
    folder.write();
    let (code, out, err) = run(&folder, &["scene.json"]);
    assert_eq!((code, err.as_str()), (Some(0), ""), "{out}");
    let files = ["a.bin", "b.raw", "c.png", "d"].map(|name| fs::read(folder.path(name)).unwrap());
    assert_eq!(files[0].len(), 960 * 720 * 4);
    assert!(files.iter().all(|file| *file == files[0]));
    assert!(folder.path("camera.dat").exists());
}

/// The output `-` goes to standard output, and messages to standard error.
#[test]
fn what_is_saved_as_a_dash_is_standard_output() {
    let mut folder = Folder::new();
    folder.scene["save"] = json!([{"resource": "camera", "file": "-"}, {"resource": "target", "file": "picture.png"}]);
    folder.write();
    let mut command = Command::new(env!("CARGO_BIN_EXE_brolga"));
    let command = command.args(["run", "scene.json"]).current_dir(folder.folder.path()).env("BROLGA_CACHE", "");
    let output = command.output().unwrap();
    let err = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(0), "{err}");
    let expected: Vec<u8> = folder.floats("camera").iter().flat_map(|number| (*number as f32).to_le_bytes()).collect();
    assert_eq!(output.stdout, expected);
    assert!(err.starts_with("pass  ") && err.ends_with("      wrote picture.png\n"), "{err}");
    assert!(!folder.path("-").exists());
    let (code, out, err) = run(&folder, &["scene.json", "--format", "json"]);
    assert_eq!(code, Some(2), "{out}");
    assert!(err.contains("`--format json` and a file `-` would both be written to standard output"), "{err}");
}

#[cfg(unix)]
#[test]
fn links_lead_no_output_out_of_its_folder() {
    use std::os::unix::fs::symlink;

    let outside = tempfile::tempdir().unwrap();
    let out = |name: &str| outside.path().join(name);
    let mut folder = Folder::new();
    symlink(outside.path(), folder.path("away")).unwrap();
    // Inputs may be anywhere, by their path or by a link.
    fs::copy(folder.path("vs.cso"), out("vs.cso")).unwrap();
    symlink(out("vs.cso"), folder.path("linked.cso")).unwrap();
    let absolute = out("vs.cso").to_str().unwrap().to_owned();
    for name in ["linked.cso", "away/vs.cso", &absolute] {
        folder.scene["shaders"]["vs"]["file"] = name.into();
        folder.passes();
    }
    symlink(folder.folder.path(), out("scene")).unwrap();
    load(&out("scene/scene.json")).unwrap_or_else(|error| panic!("{error}"));

    // Outputs are in the folder that the command names.
    fs::write(out("kept.bin"), "kept").unwrap();
    symlink(out("kept.bin"), folder.path("kept.bin")).unwrap();
    symlink(out("made.bin"), folder.path("made.bin")).unwrap();
    for name in ["kept.bin", "made.bin", "away/new.bin"] {
        folder.scene["save"] = json!([{"resource": "camera", "file": name}]);
        let said = folder.complaint();
        let refused = "a link leads out of the folder for outputs, in which a document writes: ";
        assert!(said.starts_with(&format!("save[0].file: {name}: {refused}")), "{said}");
        let (code, _, err) = run(&folder, &["scene.json"]);
        assert!(code == Some(2) && err.contains(refused.trim_end()), "{err}");
    }
    assert_eq!(fs::read_to_string(out("kept.bin")).unwrap(), "kept");
    assert!(!out("made.bin").exists() && !out("new.bin").exists());
    // The command's folder may be anywhere, and so may all outputs if the command allows it.
    folder.scene["save"] = json!([{"resource": "camera", "file": "kept.bin"}]);
    folder.write();
    let (code, _, err) = run(&folder, &["scene.json", "--output", "away"]);
    assert_eq!(code, Some(0), "{err}");
    assert!(fs::read(out("kept.bin")).unwrap().len() > 4);
    folder.scene["save"] = json!([{"resource": "camera", "file": "away/new.bin"}]);
    folder.write();
    let (code, _, err) = run(&folder, &["scene.json", "--anywhere"]);
    assert_eq!(code, Some(0), "{err}");
    assert!(out("new.bin").exists());
}
