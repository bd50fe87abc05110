//! Translates compute shaders, optimises, verifies, interprets and checks them, with little fuel and nothing bound.
#![no_main]

mod checked;

use brolga_runtime::{CompileOptions, Engine};
use libfuzzer_sys::fuzz_target;

use checked::DEVICE;

fuzz_target!(|bytes: &[u8]| checked::run(DEVICE.compile(bytes, &CompileOptions::new(Engine::Interpreter))));
