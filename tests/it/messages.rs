//! Tests what shaders of every stage print in documents.

use std::fs;
use std::path::PathBuf;

use brolga::document::{RunOptions, WatchedPixel};
use brolga::{Device, Engine, MessageLog, ShaderMessage};
use serde_json::{Value, json};

use super::documents::load;

fn data(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/data/messages").join(name)
}

/// Two draws of the patch of `all.hlsl`, with other steps between and after them.
fn scene(steps: Value) -> Value {
    let stages = ["vs", "hs", "ds", "gs", "ps"];
    let shaders: serde_json::Map<_, _> =
        stages.iter().map(|name| ((*name).to_owned(), json!({"file": data(&format!("{name}.cso"))}))).collect();
    let mut pipeline: serde_json::Map<_, _> = stages.iter().map(|name| ((*name).to_owned(), json!(name))).collect();
    pipeline.insert("topology".into(), json!("3_CONTROL_POINT_PATCHLIST"));
    json!({
        "name": "messages",
        "shaders": shaders,
        "resources": {"target": {"kind": "texture2d", "format": "R8G8B8A8_UNORM", "width": 4, "height": 3}},
        "pipelines": {"patch": pipeline},
        "steps": steps,
        "save": []
    })
}

/// What one of its draws prints: vertices, points in the order of their coordinates, triangles, pixels above the
/// diagonal row by row.
const PRINTED: [(&str, &str); 13] = [
    ("vertex 0", "vertex 0 of instance 0"),
    ("vertex 1", "vertex 1 of instance 0"),
    ("vertex 2", "vertex 2 of instance 0"),
    ("point (0, 0, 1) of patch 0", "0.000 0.000 1.000"),
    ("point (0, 1, 0) of patch 0", "0.000 1.000 0.000"),
    ("point (0.33332825, 0.33332825, 0.3333435) of patch 0", "0.333 0.333 0.333"),
    ("point (1, 0, 0) of patch 0", "1.000 0.000 0.000"),
    ("primitive 0", "triangle 0"),
    ("primitive 0", "triangle 0"),
    ("primitive 0", "triangle 0"),
    ("pixel (1, 0)", "pixel 1.5 0.5"),
    ("pixel (2, 0)", "pixel 2.5 0.5"),
    ("pixel (1, 1)", "pixel 1.5 1.5"),
];

#[test]
fn draws_print_stage_by_stage() {
    let draw = json!({"op": "draw", "pipeline": "patch", "vertices": 3, "targets": ["target"]});
    let clear = json!({"op": "clear", "resource": "target", "color": [0, 0, 0, 0]});
    for (steps, draws) in [(json!([draw, draw]), 2), (json!([draw, clear, draw]), 2), (json!([clear]), 0)] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("scene.json");
        fs::write(&path, scene(steps).to_string()).unwrap();
        let prepared = load(&path).unwrap();
        let expected: Vec<(String, String)> =
            (0..draws).flat_map(|_| PRINTED.map(|(sender, text)| (sender.to_owned(), text.to_owned()))).collect();
        for (engine, threads) in [(Engine::Jit, 1), (Engine::Jit, 8), (Engine::Interpreter, 2)] {
            let device = Device::builder().threads(threads).build().unwrap();
            let mut options = RunOptions::new(engine);
            let log = MessageLog::default();
            options.messages = Some(log.clone());
            prepared.run(&device, 0, &options).unwrap();
            assert_eq!(told(&log.take()), expected, "{engine}, {threads} threads");
            // The history of a pixel runs draws once more, and prints nothing more.
            let pixel = WatchedPixel { at: [1, 0], resource: None };
            prepared.run_watching(&device, 0, &options, &pixel).unwrap();
            assert_eq!(told(&log.take()), expected, "{engine}, {threads} threads, watching");
        }
    }
}

fn told(messages: &[ShaderMessage]) -> Vec<(String, String)> {
    messages.iter().map(|message| (message.sender.to_string(), message.text.clone())).collect()
}
