//! Writes cases with their results, for `wgsl/peer/` to run elsewhere: shaders of a folder, and random programs whose
//! indexes are in range.
//!
//! ```text
//! BROLGA_PEER=OUT BROLGA_WGSL=FOLDER BROLGA_SEEDS=0..1000 cargo test -p brolga-wgsl --test it peer:: -- --ignored
//! ```

use std::fmt::Write;
use std::fs;
use std::path::Path;

use brolga_runtime::{
    CompileOptions, Declared, Dispatch, Engine, Module, Register, ResourceClass, ResourceKind, TextureShape,
};
use brolga_wgsl::{Fault, Options, Shader};

use crate::public::{FUEL, bind, files};
use crate::random;
use crate::run::{Memory, device};

/// A case that is being written.
#[derive(Default)]
pub struct Case {
    lines: String,
    words: Vec<u32>,
}

impl Case {
    pub fn new(entry: &str, [x, y, z]: [u32; 3]) -> Self {
        Self { lines: format!("entry {entry}\ngroups {x} {y} {z}\n"), words: Vec::new() }
    }

    pub fn set(&mut self, name: &str, value: f64) {
        writeln!(self.lines, "override {name} {value}").unwrap();
    }

    /// A resource, with its words before the run and after it.
    pub fn resource(&mut self, class: &str, at: Register, before: &[u32], after: &[u32], shape: Option<&TextureShape>) {
        assert_eq!(before.len(), after.len());
        write!(self.lines, "{class} {} {} {}", at.space, at.index, before.len()).unwrap();
        if let Some(shape) = shape {
            let TextureShape { dimension, format, width, height, depth, layers, .. } = shape;
            write!(self.lines, " {dimension:?} {format:?} {width} {height} {depth} {layers}").unwrap();
        }
        self.lines.push('\n');
        self.words.extend(before);
        self.words.extend(after);
    }

    pub fn write(&self, folder: &Path, name: &str, text: &str) {
        let bytes: Vec<u8> = self.words.iter().flat_map(|word| word.to_le_bytes()).collect();
        fs::write(folder.join(format!("{name}.wgsl")), text).unwrap();
        fs::write(folder.join(format!("{name}.bin")), bytes).unwrap();
        fs::write(folder.join(format!("{name}.case")), &self.lines).unwrap();
    }
}

fn class(declared: &Declared) -> &'static str {
    match (declared.kind, declared.register.class) {
        (ResourceKind::Sampler { compares: true }, _) => "comparison",
        (ResourceKind::Sampler { .. }, _) => "sampler",
        (ResourceKind::Typed { .. }, ResourceClass::UnorderedAccess) => "storage",
        (ResourceKind::Typed { .. }, _) => "texture",
        (ResourceKind::Constant { .. }, _) => "uniform",
        _ => "buffer",
    }
}

/// Runs an entry point on the memory that `public.rs` binds.
fn public(text: &str, entry: Option<&str>, groups: [u32; 3]) -> Option<Case> {
    let mut options = Options::default();
    options.entry = entry.map(str::to_owned);
    let shader = Shader::read(text, &options).ok()?;
    let mut case = Case::new(shader.entry(), groups);
    let module = Module::new(shader).ok()?;
    let device = device();
    let shader = device.compile_module(&module, &CompileOptions::new(Engine::Interpreter)).ok()?;
    let (bindings, memory) = bind(&device, shader.bindings(), 0);
    let before: Vec<Vec<u32>> = memory.iter().map(Memory::words).collect();
    device.dispatch(&shader, &bindings, &Dispatch::new(groups).fuel(FUEL)).ok()?;
    let mut memory = memory.iter().zip(before);
    for declared in shader.bindings() {
        let class = class(declared);
        match declared.kind {
            ResourceKind::Sampler { .. } => case.resource(class, declared.register, &[], &[], None),
            _ => {
                let (memory, before) = memory.next().unwrap();
                let shape = match memory {
                    Memory::Texture(texture) => Some(texture.shape()),
                    Memory::Buffer(_) => None,
                };
                case.resource(class, declared.register, &before, &memory.words(), shape);
            }
        }
    }
    Some(case)
}

#[test]
#[ignore = "writes files"]
fn cases_are_written() {
    let out = std::env::var("BROLGA_PEER").expect("BROLGA_PEER names a folder");
    let out = Path::new(&out);
    fs::create_dir_all(out).unwrap();
    let mut paths = Vec::new();
    if let Ok(folder) = std::env::var("BROLGA_WGSL") {
        files(Path::new(&folder), &mut paths);
    }
    let mut count = 0;
    for path in &paths {
        let text = fs::read_to_string(path).unwrap();
        let entries = match Shader::read(&text, &Options::default()).map_err(|error| error.fault) {
            Err(Fault::WhichEntryPoint { found }) => found.into_iter().map(Some).collect(),
            _ => vec![None],
        };
        for entry in entries {
            let folder = path.parent().and_then(Path::file_name).unwrap_or_default();
            let stem = path.file_stem().unwrap();
            let name = [folder, stem].map(|name| name.to_string_lossy().into_owned()).join("-");
            let name = format!("{name}-{}", entry.as_deref().unwrap_or("main"));
            // One group: what several do at once has an order.
            if let Some(case) = public(&text, entry.as_deref(), [1, 1, 1]) {
                case.write(out, &name, &text);
                count += 1;
            }
        }
    }
    println!("{count} shaders");
    for seed in brolga_testing_base::random::seeds(0..0) {
        random::write_case(out, seed);
    }
}
