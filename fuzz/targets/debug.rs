//! Reads debug information, and asks for the source of every instruction and for every variable.
#![no_main]

use brolga_bytecode::Limits;
use brolga_bytecode::container::Container;
use brolga_bytecode::debug::DebugInfo;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let limits = Limits::default();
    let Ok(container) = Container::parse(bytes, &limits) else { return };
    match DebugInfo::read(&container, &limits) {
        None => {}
        Some(Err(error)) => assert!(error.at() as usize <= bytes.len(), "{error}"),
        Some(Ok(debug)) => {
            for byte in (0..bytes.len() as u32).step_by(4) {
                for line in [debug.line_at(byte), debug.statement_at(byte)].into_iter().flatten() {
                    let _ = debug.text_of(&line);
                }
                let _ = debug.callers(byte).count();
            }
            for variable in debug.variables() {
                let _ = debug.type_of(variable);
                for place in &variable.places {
                    let _ = (place.to_string(), debug.part_of(variable, place));
                }
            }
        }
    }
});
