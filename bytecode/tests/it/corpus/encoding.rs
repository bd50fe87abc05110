//! Tests that decoded programs encode to the same words.

use super::data;
use brolga_bytecode::container::Container;
use brolga_bytecode::{Limits, sm5};

#[test]
fn programs_encode_to_the_same_words() {
    let limits = Limits::default();
    let mut failures = Vec::new();
    for shader in data::containers() {
        let container = Container::parse(&shader.bytes, &limits).unwrap();
        let chunk = container.program().unwrap();
        let program = sm5::decode(chunk.data, chunk.at, &limits).unwrap();
        if sm5::encode(&program).as_ref() == Ok(&program.words) {
            continue;
        }
        for item in &program.items {
            let words = program.words_of(item);
            match sm5::encode::encode_item(&program, item) {
                Ok(encoded) if encoded == words => {}
                other => failures.push(format!("{}: {} {words:x?} {other:x?}", shader.name, item.kind.text())),
            }
        }
    }
    assert!(failures.is_empty(), "{} failures:\n{}", failures.len(), failures.join("\n"));
}
