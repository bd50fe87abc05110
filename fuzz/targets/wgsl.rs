//! Reads WGSL, with a shader or an error that has a place in the text; optimises, verifies, interprets and checks each entry
//! point, with little fuel and nothing bound.
#![no_main]

use std::sync::LazyLock;

use brolga_runtime::insight::CheckOptions;
use brolga_runtime::{BindingRules, Bindings, CompileOptions, Device, Dispatch, Engine, Error, Module};
use brolga_wgsl::{Fault, Options, Shader};
use libfuzzer_sys::fuzz_target;

/// Number of loop iterations of a group.
const FUEL: u64 = 200;

/// Number of threads of a group that is run: larger ones only take longer.
const THREADS: u32 = 64;

static DEVICE: LazyLock<Device> =
    LazyLock::new(|| Device::builder().threads(1).build().expect("one thread is to be had"));

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
        run(shader);
    }
});

fn run(shader: Shader) {
    let compiled = Module::new(shader)
        .and_then(|module| DEVICE.compile_module(&module, &CompileOptions::new(Engine::Interpreter)));
    let shader = match compiled {
        Ok(shader) => shader,
        Err(error @ (Error::Internal { .. } | Error::Verify(_))) => panic!("{error}"),
        Err(_) => return,
    };
    let dispatch = Dispatch::new([2, 1, 1]).fuel(FUEL);
    let bindings = Bindings::with_rules(BindingRules::PARTIAL);
    if let Err(error @ Error::Internal { .. }) = DEVICE.dispatch(&shader, &bindings, &dispatch) {
        panic!("{error}");
    }
    let Ok(bound) = DEVICE.bind(&shader, &bindings) else { return };
    if let Err(error @ Error::Internal { .. }) = bound.check(&dispatch, &CheckOptions::default()) {
        panic!("{error}");
    }
}
