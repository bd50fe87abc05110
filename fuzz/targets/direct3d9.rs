//! Draws one shader of Direct3D 9 with one that is made for it; a part of them on both engines, which must agree.
#![no_main]

use std::sync::LazyLock;

use brolga::{Device, Engine, ErrorKind};
use libfuzzer_sys::fuzz_target;

#[path = "../../tests/it/direct3d9/companion.rs"]
mod companion;

static DEVICE: LazyLock<Device> =
    LazyLock::new(|| Device::builder().threads(1).build().expect("one thread is to be had"));

fuzz_target!(|bytes: &[u8]| {
    let seed = bytes.iter().fold(0_u32, |sum, &byte| sum.wrapping_mul(31).wrapping_add(byte.into()));
    let Some(drawing) = companion::Drawing::of(bytes, seed) else { return };
    let interpreted = drawing.draw(&DEVICE, Engine::Interpreter);
    match &interpreted {
        Err(error) if error.kind() == ErrorKind::Internal => panic!("{error}"),
        _ => {}
    }
    // Compilation takes long.
    if seed % 8 == 0 {
        match (drawing.draw(&DEVICE, Engine::Jit), interpreted) {
            (Ok(one), Ok(other)) => assert!(one == other, "the engines disagree"),
            (Err(one), Err(other)) => assert_eq!(one.kind(), other.kind(), "{one}; {other}"),
            (one, other) => panic!("{:?}, but the interpreter {:?}", one.map(drop), other.map(drop)),
        }
    }
});
