//! Runs scenes of one draw that fills its target, and returns the resulting colour.

use std::fs;

use brolga::bytecode::{Limits as FileLimits, sm3};
use brolga::document::{DocumentError, Outcome, RunOptions};
use brolga::{Device, Engine};
use serde_json::{Value, json};

use crate::documents::{bytes, load, said};

/// A scene in a folder of its own: a triangle over all of a target of 4 x 4 pixels, whose vertices are positions.
pub struct Sketch {
    folder: tempfile::TempDir,
    pub scene: Value,
}

/// A vertex shader that passes the position on, also as a texture coordinate.
pub const PLACE: &str = "vs_2_0\ndcl_position v0\nmov oPos, v0\nmov oT0, v0";

impl Sketch {
    pub fn new(vertex: &str, pixel: &str) -> Self {
        let [vertex, pixel] =
            [vertex, pixel].map(|text| sm3::encode(&sm3::assemble(text, &FileLimits::default()).unwrap()));
        Self::of_shaders(&vertex, &pixel)
    }

    /// The same of shaders that are compiled.
    pub fn of_shaders(vertex: &[u8], pixel: &[u8]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, bytes: &[u8]| fs::write(folder.path().join(name), bytes).unwrap();
        write("vs.cso", vertex);
        write("ps.cso", pixel);
        // The result is examined, not compared with this.
        write("target.bin", &[0; 256]);
        write("small.bin", &[0; 64]);
        let scene = json!({
            "name": "sketch",
            "api": "d3d9",
            "shaders": {"vs": {"file": "vs.cso"}, "ps": {"file": "ps.cso"}},
            "resources": {
                "target": {"kind": "texture2d", "format": "A32B32G32R32F", "width": 4, "height": 4},
                "corners": {"kind": "vertex", "f32": [-1, 1, 0.5, 1, 7, 1, 0.5, 1, -1, -7, 0.5, 1]}
            },
            "samplers": {},
            "pipelines": {"main": {
                "vs": "vs", "ps": "ps", "topology": "TRIANGLELIST",
                "input_layout": [{"usage": "POSITION", "type": "FLOAT4"}],
                "render_states": {"CULLMODE": "NONE"}
            }},
            "steps": [{
                "op": "draw", "pipeline": "main", "target": "target", "primitives": 1, "bind": {},
                "vertex_buffers": [{"buffer": "corners", "stride": 16}]
            }],
            "expect": [{"id": "target", "resource": "target", "file": "target.bin"}]
        });
        Self { folder, scene }
    }

    /// Writes a file that the scene names.
    pub fn write(&self, name: &str, text: &str) {
        fs::write(self.folder.path().join(name), text).unwrap();
    }

    /// Sets a key of the scene's only draw.
    pub fn draw(&mut self, key: &str, value: Value) -> &mut Self {
        self.scene["steps"][0][key] = value;
        self
    }

    /// Sets the value at a path such as `/steps/0/target`, whose last key need not exist.
    pub fn set(&mut self, path: &str, value: Value) {
        let (table, key) = path.rsplit_once('/').unwrap();
        match self.scene.pointer_mut(table).unwrap() {
            Value::Array(list) => list[key.parse::<usize>().unwrap()] = value,
            table => table[key] = value,
        }
    }

    /// The target's bytes, which are the same on both engines.
    pub fn bytes(&self) -> Vec<u8> {
        let [one, other] = [Engine::Jit, Engine::Interpreter].map(|engine| self.run(engine).unwrap());
        assert_eq!(one, other, "the engines disagree");
        one
    }

    /// The colour of all pixels of a target of floats.
    pub fn color(&self) -> [f32; 4] {
        let bytes = self.bytes();
        let (words, _) = bytes.as_chunks();
        let numbers: Vec<f32> = words.iter().map(|&word| f32::from_le_bytes(word)).collect();
        let (pixels, _) = numbers.as_chunks();
        assert_eq!((pixels.len(), pixels.iter().all(|pixel| *pixel == pixels[0])), (16, true), "{pixels:?}");
        pixels[0]
    }

    /// The bytes of all pixels of a target of four bytes each.
    pub fn pixel(&self) -> [u8; 4] {
        let bytes = self.bytes();
        let (pixels, rest) = bytes.as_chunks();
        assert!(rest.is_empty() && pixels.len() == 16 && pixels.iter().all(|pixel| *pixel == pixels[0]), "{bytes:?}");
        pixels[0]
    }

    /// The message about the scene, after its path.
    pub fn complaint(&self) -> String {
        self.outcome(Engine::Jit).map_or_else(|error| said(&error), |_| "nothing is said".to_owned())
    }

    /// The error in the scene.
    pub fn error(&self) -> DocumentError {
        self.outcome(Engine::Jit).expect_err("it is wrong")
    }

    /// The warnings about it, after its path.
    pub fn warnings(&self) -> Vec<String> {
        self.outcome(Engine::Jit).unwrap().warnings.iter().map(said).collect()
    }

    fn run(&self, engine: Engine) -> Result<Vec<u8>, DocumentError> {
        Ok(bytes(&self.outcome(engine)?, "target"))
    }

    fn outcome(&self, engine: Engine) -> Result<Outcome, DocumentError> {
        let path = self.folder.path().join("scene.json");
        fs::write(&path, self.scene.to_string()).unwrap();
        let device = Device::builder().threads(1).build().unwrap();
        load(&path)?.run(&device, 0, &RunOptions::new(engine))
    }
}
