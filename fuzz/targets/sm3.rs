//! Decodes and validates Direct3D 9 programs; decoded ones are encoded to the same words, and listed.
#![no_main]

use brolga_bytecode::{Limits, sm3};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let limits = Limits::default();
    let Ok(program) = sm3::decode(bytes, 0, &limits) else { return };
    let words = sm3::encode(&program);
    assert_eq!(words, bytes[..words.len()], "other words");
    for style in [sm3::Style::Listing, sm3::Style::Exact] {
        assert!(!sm3::list(&program, style, &limits).is_empty());
    }
    let _ = program.constants(&limits);
    let _ = sm3::validate(program, &limits);
});
