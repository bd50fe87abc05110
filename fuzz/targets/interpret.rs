//! Translates compute shaders, optimises, verifies, interprets and checks them, with little fuel and nothing bound.
#![no_main]

use std::sync::LazyLock;

use brolga_runtime::insight::CheckOptions;
use brolga_runtime::{BindingRules, Bindings, CompileOptions, Device, Dispatch, Engine, Error};
use libfuzzer_sys::fuzz_target;

/// Number of loop iterations of a group.
const FUEL: u64 = 200;

static DEVICE: LazyLock<Device> =
    LazyLock::new(|| Device::builder().threads(1).build().expect("one thread is to be had"));

fuzz_target!(|bytes: &[u8]| {
    let shader = match DEVICE.compile(bytes, &CompileOptions::new(Engine::Interpreter)) {
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
});
