//! Assembles exact listings, which must give the same bytes.
#![no_main]

use brolga_bytecode::{Limits, assembler, listing};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let limits = Limits::default();
    let Ok(text) = listing::exact(bytes, &limits) else { return };
    let assembly = assembler::assemble(&text, &limits).expect("exact listings assemble");
    assert!(assembly.bytes == bytes, "other bytes:\n{text}");
});
