//! Reads an execution's `case.json`, runs it, and compares the outputs.

use std::collections::BTreeMap;
use std::path::PathBuf;

use brolga_runtime::{
    AddressMode, CompileOptions, Device, Dimension, Dispatch, Engine, Filter, Format, Sampler, Tap, TextureShape,
};
use serde_json::Value;

use super::compare::compare;
use super::content::{self, Content, Contents, Form};
use brolga_testing::picture::Picture;

pub use brolga_testing::corpus::{compute_shaders, data};

/// An execution.
pub struct Case {
    folder: PathBuf,
    json: Value,
}

/// Contents of the views after a run, by slot.
pub type Outputs = BTreeMap<String, Vec<u8>>;

impl Case {
    /// Reads an execution of the corpus.
    pub fn read(name: &str) -> Self {
        let folder = data().join("exec").join(name);
        let text = std::fs::read_to_string(folder.join("case.json")).unwrap();
        Self { folder, json: serde_json::from_str(&text).unwrap() }
    }

    /// The compiled forms.
    pub fn shaders(&self) -> impl Iterator<Item = (&str, Vec<u8>)> {
        self.json["shaders"].as_array().unwrap().iter().map(|name| {
            let name = name.as_str().unwrap();
            (name, self.file(name))
        })
    }

    /// Slots whose order of elements is free.
    pub fn is_unordered(&self, slot: &str) -> bool {
        let expect = self.json["expect"].as_array().unwrap();
        expect.iter().any(|entry| entry["slot"] == slot && entry.get("order").is_some())
    }

    fn file(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.folder.join(name)).unwrap()
    }

    /// Runs one form and compares everything with the expectation.
    pub fn run(&self, device: &Device, shader: &[u8], engine: Engine) -> Result<Outputs, String> {
        let shader = device.compile(shader, &CompileOptions::new(engine)).map_err(|error| error.to_string())?;
        let bindings = content::bind(&self.contents(), device);
        let dispatch = Dispatch::new(self.groups());
        let report = device.dispatch(&shader, &bindings, &dispatch).map_err(|error| error.to_string())?;
        assert_eq!(report.groups, dispatch.progress.groups_done());

        for expect in self.json["expect"].as_array().unwrap() {
            let slot = expect["slot"].as_str().unwrap();
            let view = bindings.get(slot.parse().unwrap()).unwrap();
            compare(&view.to_vec().unwrap(), &self.file(expect["file"].as_str().unwrap()), expect)
                .map_err(|what| format!("{slot}: {what}"))?;
            if let Some(expected) = expect.get("counter").map(number) {
                let actual = view.counter().unwrap().get();
                if actual != expected {
                    return Err(format!("{slot}: the counter is {actual}, expected {expected}"));
                }
            }
        }
        Ok(bindings.iter().map(|(register, view)| (register.to_string(), view.to_vec().unwrap())).collect())
    }

    /// Groups of its dispatch.
    pub fn groups(&self) -> [u32; 3] {
        let groups: Vec<u32> = self.json["dispatch"].as_array().unwrap().iter().map(number).collect();
        groups.try_into().unwrap()
    }

    /// The bindings' contents.
    pub fn contents(&self) -> Contents {
        let content = |binding: &Value| (binding["slot"].as_str().unwrap().parse().unwrap(), self.content(binding));
        self.json["bindings"].as_array().unwrap().iter().map(content).collect()
    }

    fn content(&self, binding: &Value) -> Content {
        if binding["kind"] == "sampler" {
            return Content::new(Form::Sampler(sampler(binding)), Vec::new());
        }
        let size = binding["size"].as_u64().unwrap() as usize;
        let bytes = match binding.get("file") {
            Some(name) => self.file(name.as_str().unwrap()),
            None => vec![0; size],
        };
        assert_eq!(bytes.len(), size);
        let format = || binding["format"].as_str().unwrap().parse::<Format>().unwrap();
        let form = match binding["kind"].as_str().unwrap() {
            "constant" => Form::Constant,
            "raw" => Form::Raw,
            "structured" => Form::Structured { stride_bytes: number(&binding["stride"]) },
            "typed" => Form::Typed(format()),
            kind => {
                let extent = |key| binding.get(key).map_or(1, number);
                let dimension = Dimension::texture_named(kind).unwrap_or_else(|| panic!("unknown kind {kind}"));
                let shape = TextureShape::new(dimension, format(), extent("width"))
                    .height(extent("height"))
                    .depth(extent("depth"))
                    .layers(extent("layers"))
                    .mips(extent("mips"));
                Form::Texture(Picture::whole(shape))
            }
        };
        Content { counter: binding.get("counter").map(number), ..Content::new(form, bytes) }
    }
}

fn sampler(binding: &Value) -> Sampler {
    let point = Filter::default();
    let filter = match binding["filter"].as_str().unwrap() {
        "min_mag_mip_point" => point,
        "min_mag_linear_mip_point" => Filter { minify: Tap::Linear, magnify: Tap::Linear, ..point },
        "min_mag_mip_linear" => Filter { minify: Tap::Linear, magnify: Tap::Linear, mip: Tap::Linear, ..point },
        other => panic!("unknown filter {other}"),
    };
    let address = match binding["address"].as_str().unwrap() {
        "wrap" => AddressMode::Wrap,
        "mirror" => AddressMode::Mirror,
        "clamp" => AddressMode::Clamp,
        "border" => AddressMode::Border,
        "mirror_once" => AddressMode::MirrorOnce,
        other => panic!("unknown mode {other}"),
    };
    let border = binding["border"].as_array().map(|border| border.iter().map(|part| part.as_f64().unwrap() as f32));
    let border = border.map_or([0.0; 4], |border| border.collect::<Vec<_>>().try_into().unwrap());
    Sampler { filter, address: [address; 3], border, ..Sampler::default() }
}

fn number(value: &Value) -> u32 {
    value.as_u64().unwrap().try_into().unwrap()
}
