//! Listings assemble to what they list.

use crate::data;
use brolga_bytecode::container::Container;
use brolga_bytecode::{Limits, assembler, listing, sm5};

#[test]
fn exact_listings_assemble_to_the_same_file() {
    let limits = Limits::default();
    let mut failures = Vec::new();
    let (mut lines, mut lossy) = (0, 0);
    for shader in data::containers() {
        let text = listing::exact(&shader.bytes, &limits).unwrap();
        match assembler::assemble(&text, &limits) {
            Ok(bytes) if bytes == shader.bytes => {}
            Ok(_) => failures.push(format!("{}: other bytes", shader.name)),
            Err(error) => failures.push(format!("{}: {error}: {:?}", shader.name, text.get(error.span.clone()))),
        }
        // Data instead of text is for what no compiler writes.
        assert!(!text.contains(".file"), "{}", shader.name);
        for line in text.lines().filter(|line| line.trim_start().starts_with(".words")) {
            println!("{}: {line}", shader.name);
            lossy += 1;
        }
        lines += text.lines().count();
    }
    println!("{lines} lines, {lossy} of them items as words");
    assert!(failures.is_empty(), "{} failures:\n{}", failures.len(), failures.join("\n"));
}

/// The words of a container's program.
fn program(bytes: &[u8]) -> sm5::Program {
    let limits = Limits::default();
    let container = Container::parse(bytes, &limits).unwrap();
    let chunk = container.program().unwrap();
    sm5::decode(chunk.data, chunk.at, &limits).unwrap()
}

#[test]
fn listings_of_the_compiler_assemble_to_programs_with_the_same_listing() {
    let limits = Limits::default();
    let mut failures = Vec::new();
    let (mut same_words, mut all) = (0, 0);
    for shader in data::containers() {
        all += 1;
        match assembler::assemble(&shader.listing, &limits) {
            Ok(bytes) => {
                let (ours, theirs) = (program(&bytes), program(&shader.bytes));
                same_words += u32::from(ours.words == theirs.words);
                let listed = |program: &sm5::Program| -> Vec<String> {
                    let items = program.items.iter();
                    items.filter_map(|item| match &item.kind {
                        sm5::ItemKind::Instruction(instruction) => Some(instruction.to_string()),
                        _ => None,
                    }).collect()
                };
                if let Some((ours, theirs)) = listed(&ours).into_iter().zip(listed(&theirs)).find(|(a, b)| a != b) {
                    failures.push(format!("{}: {ours} | {theirs}", shader.name));
                }
                // The signatures are read from the comment.
                let [ours, theirs] = [&bytes, &shader.bytes].map(|bytes| Container::parse(bytes, &limits).unwrap());
                for chunk in ours.chunks().iter().filter(|chunk| &chunk.name.0[1..3] == b"SG") {
                    let same = theirs.chunk(&chunk.name.0).is_some_and(|other| other.data == chunk.data);
                    if !same {
                        failures.push(format!("{}: {}", shader.name, chunk.name));
                    }
                }
            }
            Err(error) => failures.push(format!("{}: {error}", shader.name)),
        }
    }
    println!("{same_words} of {all} with the same words");
    assert!(failures.is_empty(), "{} failures:\n{}", failures.len(), failures.join("\n"));
}
