//! What the tests share: the executions of the corpus, which `case.rs` reads and runs and `compare.rs` holds against what
//! is expected. What registers are bound to comes from `brolga-testing`.

pub mod case;
pub mod compare;

use brolga_runtime::{CompileOptions, Device, Engine, Shader};

/// A file of the folder `data` beside the tests, without its `.cso`.
pub fn file(name: &str) -> Vec<u8> {
    std::fs::read(format!("{}/tests/data/{name}.cso", env!("CARGO_MANIFEST_DIR"))).unwrap()
}

/// The same, compiled.
pub fn shader(device: &Device, name: &str, engine: Engine) -> Shader {
    device.compile(&file(name), &CompileOptions::new(engine)).unwrap()
}

pub use brolga_testing::bound::{ENGINES, compile, content, random};
