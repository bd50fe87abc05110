//! Supports the tests: `case.rs` reads and runs the executions of the corpus, `compare.rs` compares them with the
//! expectation. Bindings come from `brolga-testing`.

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
