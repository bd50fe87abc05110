//! Reads WGSL, with a shader or an error that has a place in the text; optimises, verifies, interprets and checks each entry
//! point, with little fuel and nothing bound.
#![no_main]

mod checked;

use brolga_runtime::{CompileOptions, Engine, Module};
use brolga_wgsl::{Fault, Options, Shader};
use libfuzzer_sys::fuzz_target;

use checked::DEVICE;

/// Number of threads of a group that is run: larger ones only take longer.
const THREADS: u32 = 64;

fuzz_target!(|text: &str| {
    let mut options = Options::default();
    options.limits.group_threads = THREADS;
    let entries = match Shader::read(text, &options) {
        Err(error) => match error.fault {
            Fault::Internal { .. } => panic!("{error}"),
            Fault::WhichEntryPoint { found } => found.into_iter().map(Some).collect(),
            _ => {
                assert!(!error.to_string().is_empty());
                return;
            }
        },
        Ok(_) => vec![None],
    };
    for entry in entries {
        options.entry = entry;
        let Ok(shader) = Shader::read(text, &options) else { continue };
        let options = CompileOptions::new(Engine::Interpreter);
        checked::run(Module::new(shader).and_then(|module| DEVICE.compile_module(&module, &options)));
    }
});
