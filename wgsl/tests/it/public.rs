//! Shaders of other projects: those of a folder, with random memory, on both engines.
//!
//! ```text
//! BROLGA_WGSL=FOLDER cargo test --profile profiling -p brolga-wgsl --test it public:: -- --ignored --nocapture
//! ```

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Instant;

use brolga_runtime::{
    Bindings, Comparison, CompileOptions, Component, Declared, Device, Dimension, Dispatch, Engine, Error, Filter,
    Format, Reduction, ResourceClass, ResourceKind, Sampler, StopReason, Texture, TextureShape, View,
};
use brolga_wgsl::{Fault, Options, Shader};

use crate::run::{Memory, device};

/// Bytes of buffers.
const BUFFER_BYTES: u64 = 64 << 10;
/// Rounds of loops, of a dispatch.
pub const FUEL: u64 = 20_000;

/// The outcome of an entry point.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Outcome {
    /// Both engines gave the same bits, and ended like this.
    Equal(String),
    /// Not WGSL, in the parser's words.
    Invalid,
    /// A feature is not supported.
    Refused(String),
    Failed(String),
}

struct Numbers(u64);

impl Numbers {
    fn word(&mut self) -> u32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 32) as u32
    }

    /// Small numbers, floats and a few others.
    fn content(&mut self) -> u32 {
        let word = self.word();
        match word >> 29 {
            0..=2 => word & 15,
            3..=5 => ((word & 0xffff) as f32 / 4096.0 - 4.0).to_bits(),
            6 => word & 0x1fff,
            _ => 0,
        }
    }

    fn words(&mut self, bytes: u64) -> Vec<u32> {
        (0..bytes / 4).map(|_| self.content()).collect()
    }
}

fn texture(
    device: &Device,
    declared: &Declared,
    dimension: Dimension,
    component: Component,
    numbers: &mut Numbers,
) -> Texture {
    let is_written = declared.register.class == ResourceClass::UnorderedAccess;
    let format = match component {
        Component::Uint => Format::R32_UINT,
        Component::Sint => Format::R32_SINT,
        Component::Unorm => Format::R8G8B8A8_UNORM,
        Component::Snorm => Format::R8G8B8A8_SNORM,
        _ if is_written => Format::R32_FLOAT,
        _ => Format::R32G32B32A32_FLOAT,
    };
    let shape = TextureShape::new(dimension, format, 16);
    let shape = match dimension {
        Dimension::Texture1d => shape,
        Dimension::Texture1dArray => shape.layers(3),
        Dimension::Texture3d => shape.height(8).depth(4),
        Dimension::TextureCube => shape.height(16).layers(6),
        Dimension::TextureCubeArray => shape.height(16).layers(12),
        Dimension::Texture2dArray => shape.height(8).layers(3),
        Dimension::Texture2dMs => TextureShape::texture_2d(format, 16, 8).samples(4),
        Dimension::Texture2dMsArray => TextureShape::texture_2d(format, 16, 8).samples(4).layers(3),
        _ => shape.height(8),
    };
    let bytes = shape.size_bytes().unwrap();
    let words: Vec<u32> = match component {
        Component::Uint | Component::Sint => (0..bytes / 4).map(|_| numbers.word() & 255).collect(),
        _ => (0..bytes / 4).map(|_| ((numbers.word() & 0xffff) as f32 / 8192.0).to_bits()).collect(),
    };
    device.texture_from(shape, &words).unwrap()
}

/// Binds random memory to all registers.
pub fn bind(device: &Device, all: &[Declared], seed: u64) -> (Bindings, Vec<Memory>) {
    let (mut bindings, mut memory) = (Bindings::new(), Vec::new());
    let mut numbers = Numbers(seed);
    for declared in all {
        let view = match declared.kind {
            ResourceKind::Sampler { compares } => {
                let mut filter = Filter::default();
                if compares {
                    filter.reduction = Reduction::Comparison;
                }
                View::sampler(Sampler { filter, comparison: Comparison::Less, ..Sampler::default() }).unwrap()
            }
            ResourceKind::Typed { dimension, component } => {
                let texture = texture(device, declared, dimension, component, &mut numbers);
                memory.push(Memory::Texture(texture.clone()));
                View::texture(texture)
            }
            ResourceKind::Constant { .. } => {
                let buffer = device.buffer_from(&numbers.words(BUFFER_BYTES)).unwrap();
                memory.push(Memory::Buffer(buffer.clone()));
                View::constant(buffer).unwrap()
            }
            _ => {
                let buffer = device.buffer_from(&numbers.words(BUFFER_BYTES)).unwrap();
                memory.push(Memory::Buffer(buffer.clone()));
                View::raw(buffer).unwrap()
            }
        };
        bindings.set(declared.register, view);
    }
    (bindings, memory)
}

/// Runs a shader; how it ended, and its memory.
fn run(
    module: &brolga_runtime::Module,
    engine: Engine,
    seed: u64,
    groups: [u32; 3],
) -> Result<(String, Vec<Vec<u32>>), Error> {
    let device = device();
    let shader = device.compile_module(module, &CompileOptions::new(engine))?;
    let (bindings, memory) = bind(&device, shader.bindings(), seed);
    let ended = match device.dispatch(&shader, &bindings, &Dispatch::new(groups).fuel(FUEL)) {
        Ok(_) => "ran".to_owned(),
        Err(Error::Stopped { why: StopReason::Fuel(_), .. }) => "rounds".to_owned(),
        Err(Error::DivergentBarrier { .. }) => "barrier".to_owned(),
        Err(error) => return Err(error),
    };
    Ok((ended, memory.iter().map(Memory::words).collect()))
}

fn outcome(text: &str, entry: Option<&str>) -> Outcome {
    let mut options = Options::default();
    options.entry = entry.map(str::to_owned);
    let module = match Shader::read(text, &options) {
        Ok(shader) => brolga_runtime::Module::new(shader),
        Err(error) => match error.fault {
            Fault::Syntax { .. } | Fault::Invalid { .. } => return Outcome::Invalid,
            Fault::Unsupported { name } => return Outcome::Refused(name),
            _ => return Outcome::Failed(error.to_string()),
        },
    };
    let module = match module {
        Ok(module) => module,
        Err(error) => return Outcome::Failed(error.to_string()),
    };
    let mut all = Vec::new();
    for seed in 0..2 {
        let found = [Engine::Interpreter, Engine::Jit].map(|engine| run(&module, engine, seed, [2, 2, 1]));
        match found {
            [Ok(expected), Ok(found)] if expected == found => all.push(found.0),
            [Ok(expected), Ok(found)] => {
                return Outcome::Failed(format!("seed {seed}: engines differ ({}, {})", expected.0, found.0));
            }
            [Err(error), _] | [_, Err(error)] => return Outcome::Failed(error.to_string()),
        }
    }
    Outcome::Equal(all.join(" "))
}

/// All files of a folder and those in it.
pub fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "wgsl") {
            found.push(path);
        }
    }
}

#[test]
#[ignore = "needs a folder of shaders"]
fn shaders_of_a_folder_run_equally_on_both_engines() {
    let Ok(folder) = std::env::var("BROLGA_WGSL") else { return };
    let mut paths = Vec::new();
    files(Path::new(&folder), &mut paths);
    paths.sort();
    let mut counts: BTreeMap<Outcome, usize> = BTreeMap::new();
    let mut failed = 0;
    for path in &paths {
        let text = std::fs::read_to_string(path).unwrap();
        let entries = match Shader::read(&text, &Options::default()).map_err(|error| error.fault) {
            Err(Fault::WhichEntryPoint { found }) => found.into_iter().map(Some).collect(),
            Err(fault @ (Fault::Syntax { .. } | Fault::Invalid { .. })) => {
                println!("{}: {fault}", path.display());
                *counts.entry(Outcome::Invalid).or_default() += 1;
                continue;
            }
            _ => vec![None],
        };
        for entry in entries {
            let start = Instant::now();
            let outcome = outcome(&text, entry.as_deref());
            let elapsed = start.elapsed().as_secs_f64();
            if !matches!(outcome, Outcome::Equal(_)) || elapsed > 5.0 {
                println!("{} {entry:?}: {outcome:?} ({elapsed:.1} s)", path.display());
            }
            failed += usize::from(matches!(outcome, Outcome::Failed(_)));
            *counts.entry(outcome).or_default() += 1;
        }
    }
    for (outcome, count) in &counts {
        println!("{count:4} {outcome:?}");
    }
    assert_eq!(failed, 0);
}
