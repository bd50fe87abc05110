//! Tests forty mistakes, in TOML and in JSON: each is reported at its position, in the same words, with advice; and the
//! schema for editors finds those that need neither shaders nor files.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use brolga_document::{Document, DocumentError, RunOptions};
use brolga_runtime::Device;
use serde_json::{Value, json};

use super::schema::Schema;

/// A mistake.
struct Mistake {
    /// The document below that has it.
    document: &'static str,
    /// The position as an RFC 6901 pointer; the key is made if need be.
    place: &'static str,
    /// The wrong value; `null` removes the right one.
    value: Value,
    /// The expected message.
    message: &'static str,
    /// The expected advice below it; empty if the message includes it.
    help: &'static str,
    /// Set if the schema finds it.
    seen: bool,
}

const SEEN: bool = true;
const UNSEEN: bool = false;

fn mistakes() -> Vec<Mistake> {
    let row = |document, place, value, message, help, seen| Mistake { document, place, value, message, help, seen };
    let rows = vec![
        // Keys.
        row(
            "short",
            "/dispach",
            json!([1, 1, 1]),
            "unknown key `dispach` in the document",
            "did you mean `dispatch`?",
            SEEN,
        ),
        row(
            "short",
            "/dispatch",
            Value::Null,
            "the document needs the key `dispatch`",
            "`dispatch`: groups along x, y and z",
            SEEN,
        ),
        row("short", "/u0/widht", json!(32), "unknown key `widht` in a binding", "did you mean `width`?", SEEN),
        row("short", "/t0/size", json!(4096), "t0 has 4096 bytes by `size`, but its texture2d says 64", "", UNSEEN),
        row("short", "/b0/extent", json!([32, 32]), "b0 has no variable `extent`", "did you mean `extents`?", UNSEEN),
        row("short", "/t0/mips", json!(9), "t0: the number of mip levels of a texture2d is 1 to 3, not 9", "", UNSEEN),
        row(
            "long",
            "/shader",
            json!("vs.cso"),
            "unknown key `shader` in the document",
            "did you mean `shaders`?",
            SEEN,
        ),
        row(
            "long",
            "/steps/0/colour",
            json!([0, 0, 0, 1]),
            "unknown key `colour` in a step `clear`",
            "did you mean `color`?",
            SEEN,
        ),
        row("long", "/steps/1/op", Value::Null, "a step needs the key `op`", "`op`: what the step does", SEEN),
        row("long", "/steps/1/op", json!("drow"), "there is no step `drow`", "did you mean `draw`?", SEEN),
        row(
            "long",
            "/pipelines/main/rasterizer/cull",
            json!("NONE"),
            "unknown key `cull` in the rasterizer's state",
            "the keys here are fill_mode, cull_mode, front_counter_clockwise, depth_bias, depth_bias_clamp, slope_scaled_depth_bias, depth_clip_enable, multisample_enable, conservative_raster, forced_sample_count",
            SEEN,
        ),
        // Types.
        row(
            "short",
            "/dispatch",
            json!([1, 1]),
            "`dispatch` takes an array of 3 integers, not an array of 2",
            "",
            SEEN,
        ),
        row("short", "/dispatch", json!("1"), "`dispatch` takes an array of 3 integers, not a string", "", SEEN),
        row("short", "/u0/save", json!(1), "`save` takes the name of a file, or a table, not an integer", "", SEEN),
        row("short", "/s0/filter", json!("LINAER"), "there is no filter `LINAER`", "did you mean `LINEAR`?", SEEN),
        row(
            "short",
            "/s0/address",
            json!(["WRAP", "CLAMP", "WRAP", "WRAP"]),
            "`address` takes an array of 1 to 3 strings, not an array of 4",
            "",
            SEEN,
        ),
        row(
            "long",
            "/pipelines/main/topology",
            json!("TRIANGLES"),
            "there is no topology `TRIANGLES`",
            "did you mean `TRIANGLELIST`?",
            SEEN,
        ),
        row(
            "long",
            "/resources/vertices/f32",
            json!([0.0, "one"]),
            "`f32` takes numbers from -3.4028235e38 to 3.4028235e38, or \"nan\", \"inf\", \"-inf\", not a string",
            "",
            SEEN,
        ),
        row("long", "/steps/1/vertices", json!(3.5), "`vertices` takes an integer, not a float", "", SEEN),
        row(
            "short",
            "/b0/extents",
            json!([32.5, 32]),
            "`extents` takes integers from 0 to 4294967295, not a float",
            "",
            UNSEEN,
        ),
        // Units and ranges.
        row(
            "short",
            "/dispatch",
            json!([70_000, 1, 1]),
            "resize.cso: the number of groups along x is 70000, the device's limit is 65535",
            "",
            UNSEEN,
        ),
        row("short", "/s0/max_anisotropy", json!(32), "`max_anisotropy` takes integers from 1 to 16, not 32", "", SEEN),
        row("short", "/u0/expect/tolerance", json!({ "ulp": 1.5 }), "`ulp` takes an integer, not a float", "", SEEN),
        row(
            "long",
            "/expect/0/tolerance",
            json!({ "edge_share": 5 }),
            "`edge_share` takes numbers from 0 to 1, not 5",
            "",
            SEEN,
        ),
        row(
            "long",
            "/resources/vertices/f32",
            json!([1e39]),
            "`f32` takes numbers from -3.4028235e38 to 3.4028235e38, or \"nan\", \"inf\", \"-inf\", not 1e39",
            "",
            SEEN,
        ),
        row(
            "long",
            "/resources/vertices/size",
            json!(70),
            "`vertices` has 70 bytes, the values end at byte 72",
            "",
            UNSEEN,
        ),
        // Registers and names.
        row(
            "short",
            "/t1",
            json!({ "file": "in.bin" }),
            "resize.cso: t1 is bound to a view, the shader declares only b0, s0, t0, u0",
            "",
            UNSEEN,
        ),
        row("short", "/u0/expect", json!([]), "`expect` takes a table, not an array of 0", "", SEEN),
        row(
            "short",
            "/t0",
            Value::Null,
            "resize.cso: t0 is declared as texture2d of float but nothing is bound to it",
            "add a table `t0` that says what it holds",
            UNSEEN,
        ),
        row(
            "long",
            "/steps/1/bind",
            json!({ "x0": "target" }),
            "`x0` is neither a register nor the name of something that the shaders declare",
            "registers are as `b0`, `t0`, `u0`, `s0`",
            UNSEEN,
        ),
        row(
            "long",
            "/steps/1/targets",
            json!(["taget"]),
            "there is no resource `taget`",
            "did you mean `target`?",
            UNSEEN,
        ),
        row(
            "long",
            "/pipelines/main/vs",
            json!("ps"),
            "`ps` is a pixel shader, ps_4_0: `vs` names a vertex shader",
            "",
            UNSEEN,
        ),
        // Files.
        row(
            "short",
            "/shader",
            json!("resized.cso"),
            "cannot read resized.cso: No such file or directory (os error 2)",
            "did you mean `resize.cso`?",
            UNSEEN,
        ),
        row(
            "short",
            "/t0",
            json!({ "width": 4, "height": 4, "file": "in.bin" }),
            "in.bin has 100 bytes, t0 needs 256",
            "156 bytes are missing",
            UNSEEN,
        ),
        row(
            "long",
            "/expect/0/file",
            json!("small.png"),
            "the picture has 80 x 48 pixels, but `target` has 256 x 256 there",
            "",
            UNSEEN,
        ),
        row(
            "short",
            "/u0/save",
            json!("../out.png"),
            "../out.png: a document writes in the folder for outputs or below it: `--output` names another, and `--anywhere` allows all",
            "",
            UNSEEN,
        ),
        row(
            "short",
            "/u0/save",
            json!("out.jpg"),
            "out.jpg cannot hold u0: pictures are saved as .png, .exr or .dds, arrays as .npy, raw bytes as .bin or .raw, or under any name with `raw = true`",
            "",
            UNSEEN,
        ),
        // Shapes and formats.
        row(
            "short",
            "/t0/format",
            json!("RGBA8_UNORM"),
            "there is no format `RGBA8_UNORM`",
            "did you mean `R8G8B8A8_UNORM`?",
            SEEN,
        ),
        row("short", "/t0/kind", json!("texture3d"), "a texture needs the key `depth`", "", UNSEEN),
        row(
            "short",
            "/u0/format",
            json!("R32_UINT"),
            "resize.cso: u0 is declared with components unorm but bound to a view of format R32_UINT",
            "",
            UNSEEN,
        ),
        row(
            "long",
            "/pipelines/main/input_layout/1/semantic",
            json!("COLOUR"),
            "the vertex shader reads COLOR0 from v1.xyzw, for which the input layout has no element: did you mean it where it has `COLOUR0`?",
            "",
            UNSEEN,
        ),
        row(
            "long",
            "/steps/1/depth",
            json!("target"),
            "`target` has format R8G8B8A8_UNORM, which a depth buffer cannot have: it has one of D32_FLOAT, D32_FLOAT_S8X24_UINT, D24_UNORM_S8_UINT, D16_UNORM",
            "",
            UNSEEN,
        ),
    ];
    assert!(rows.len() >= 40);
    rows
}

/// Two coordinates and four channels for each vertex of the triangle.
const VERTICES: [f32; 18] =
    [0.0, 0.85, 1.0, 0.1, 0.1, 1.0, 0.9, -0.75, 0.1, 1.0, 0.1, 1.0, -0.8, -0.6, 0.15, 0.2, 1.0, 1.0];

/// A right document of each form, whose files are in a folder.
fn right(folder: &Path) -> [(&'static str, Value); 2] {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let copy = |from: &str, to: &str| {
        fs::copy(root.join(from), folder.join(to)).unwrap();
    };
    copy("examples/resize_sampled.cso", "resize.cso");
    for file in ["vs.cso", "ps.cso", "target.png"] {
        copy(&format!("tests/data/scenes/triangle/{file}"), file);
    }
    copy("examples/resize_source.png", "small.png");
    fs::write(folder.join("in.bin"), [0; 100]).unwrap();
    let short = json!({
        "shader": "resize.cso",
        "dispatch": [4, 4, 1],
        "b0": { "extents": [32, 32] },
        "t0": { "format": "R8G8B8A8_UNORM", "width": 4, "height": 4, "fill": { "u8": 7 } },
        "s0": { "filter": "LINEAR", "address": "CLAMP" },
        "u0": { "width": 32, "height": 32 },
    });
    let long = json!({
        "shaders": { "vs": { "file": "vs.cso" }, "ps": { "file": "ps.cso" } },
        "resources": {
            "vertices": { "kind": "vertex", "size": 72, "f32": VERTICES },
            "target": { "kind": "texture2d", "format": "R8G8B8A8_UNORM", "width": 256, "height": 256 },
        },
        "pipelines": { "main": {
            "vs": "vs", "ps": "ps", "topology": "TRIANGLELIST",
            "input_layout": [
                { "semantic": "POSITION", "format": "R32G32_FLOAT", "offset": 0 },
                { "semantic": "COLOR", "format": "R32G32B32A32_FLOAT", "offset": 8 },
            ],
        } },
        "steps": [
            { "op": "clear", "resource": "target", "color": [0.05, 0.06, 0.09, 1] },
            {
                "op": "draw", "pipeline": "main", "targets": ["target"],
                "vertex_buffers": [{ "buffer": "vertices", "stride": 24 }], "vertices": 3,
            },
        ],
        "expect": [{ "resource": "target", "file": "target.png", "tolerance": { "codes": 1 } }],
    });
    [("short", short), ("long", long)]
}

/// Puts a mistake into a document.
fn put(document: &mut Value, place: &str, value: &Value) {
    let mut at = document;
    let mut steps = place[1..].split('/').peekable();
    while let Some(step) = steps.next() {
        let is_last = steps.peek().is_none();
        match at {
            Value::Array(items) => at = &mut items[step.parse::<usize>().unwrap()],
            Value::Object(table) if is_last && value.is_null() => {
                table.remove(step).unwrap();
                return;
            }
            Value::Object(table) => at = table.entry(step).or_insert_with(|| json!({})),
            other => panic!("{place}: {other}"),
        }
    }
    *at = value.clone();
}

/// Runs a document; `true` if its expectations hold.
fn run(path: &Path, device: &Device) -> Result<bool, DocumentError> {
    let prepared = Document::load(path)?.prepare(device.limits())?;
    prepared.claim_outputs(path.parent().unwrap(), &mut BTreeSet::new())?;
    Ok(prepared.run(device, 0, &RunOptions::default())?.passed())
}

/// The document as TOML and as JSON.
fn texts(document: &Value) -> [(&'static str, String); 2] {
    [("toml", toml::to_string(document).unwrap()), ("json", serde_json::to_string_pretty(document).unwrap())]
}

fn written(folder: &Path, (extension, text): &(&str, String)) -> PathBuf {
    let path = folder.join(format!("document.{extension}"));
    fs::write(&path, text).unwrap();
    path
}

#[test]
fn right_documents_run_and_the_schema_accepts_them() {
    let (folder, device, schema) = (tempfile::tempdir().unwrap(), Device::builder().build().unwrap(), Schema::new());
    for (name, document) in right(folder.path()) {
        assert_eq!(schema.refusal(&document), None, "{name}");
        for text in &texts(&document) {
            let passed = run(&written(folder.path(), text), &device);
            assert!(passed.unwrap_or_else(|error| panic!("{name} {}: {error}", text.0)), "{name}");
        }
    }
}

#[test]
fn mistakes_are_told_at_their_places_in_both_syntaxes() {
    let (folder, device, schema) = (tempfile::tempdir().unwrap(), Device::builder().build().unwrap(), Schema::new());
    let documents = right(folder.path());
    let mut wrong = Vec::new();
    for mistake in mistakes() {
        let (_, mut document) = documents.iter().find(|(name, _)| *name == mistake.document).unwrap().clone();
        put(&mut document, mistake.place, &mistake.value);
        let title = format!("{} {} = {}", mistake.document, mistake.place, mistake.value);
        if schema.refusal(&document).is_some() != mistake.seen {
            wrong.push(format!("{title}: the schema sees it: {}", !mistake.seen));
        }
        let mut places = BTreeSet::new();
        for text in &texts(&document) {
            let Err(error) = run(&written(folder.path(), text), &device) else {
                wrong.push(format!("{title} {}: no error", text.0));
                continue;
            };
            let here = format!("{}/", folder.path().display());
            places.insert(error.place());
            let told = (error.problem().to_string().replace(&here, ""), error.problem().help().unwrap_or_default());
            if error.place().is_empty() && mistake.place[1..].contains('/') {
                wrong.push(format!("{title} {}: no place: {error}", text.0));
            }
            if told != (mistake.message.to_owned(), mistake.help.to_owned()) {
                wrong.push(format!(
                    "{title} {}: {:?} {:?} at {:?} {:?}",
                    text.0,
                    told.0,
                    told.1,
                    error.line_and_column(),
                    error.place()
                ));
            }
        }
        if places.len() > 1 {
            wrong.push(format!("{title}: it is at {places:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
