//! Runs a compiled compute shader, and checks it, with little fuel and nothing bound: no error may be our own.

use std::sync::LazyLock;

use brolga_runtime::insight::CheckOptions;
use brolga_runtime::{BindingRules, Bindings, Device, Dispatch, Error, Shader};

/// Number of loop iterations of a group.
const FUEL: u64 = 200;

/// The device of a target.
pub static DEVICE: LazyLock<Device> =
    LazyLock::new(|| Device::builder().threads(1).build().expect("one thread is to be had"));

/// Runs a shader, if it compiled.
pub fn run(compiled: Result<Shader, Error>) {
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
