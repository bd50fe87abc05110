//! Assembles texts, with a result or an error that has a position in the text.
#![no_main]

use brolga_bytecode::{Limits, LoadOptions, assembler};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    match assembler::assemble(text, &Limits::default()) {
        Ok(assembly) => drop(assembly.check(text, &LoadOptions::default())),
        Err(error) => assert!(!error.to_string().is_empty()),
    }
});
