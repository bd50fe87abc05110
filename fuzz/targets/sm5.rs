//! Loads and lists containers of models 4.0 to 5.1, with a result or an error.
#![no_main]

use brolga_bytecode::{LoadOptions, Shader, listing};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let options = LoadOptions::default();
    if let Err(error) = Shader::load(bytes, &options) {
        assert!(!error.to_string().is_empty());
    }
    let _ = listing::listing(bytes, &options.limits);
});
