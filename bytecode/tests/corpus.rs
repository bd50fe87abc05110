//! What the real compiler wrote: every container decodes, and says what the compiler's listing says.

mod support;

use brolga_bytecode::container::Container;
use brolga_bytecode::{Limits, LoadOptions, Shader, sm5};
use std::collections::BTreeSet;

#[test]
fn every_container_is_valid() {
    let options = LoadOptions::default();
    let mut failures = Vec::new();
    for shader in support::containers() {
        match Shader::load(&shader.bytes, &options) {
            Ok(loaded) => {
                let program = loaded.program.program();
                assert_eq!(
                    shader.profile.get(..6),
                    Some(&*format!("{}_{}", program.stage, program.model)),
                    "{}",
                    shader.name
                );
                assert_eq!(loaded.checksum_matches, shader.standard_checksum, "{}", shader.name);
                assert!(loaded.program.declarations().group_threads() > 0, "{}", shader.name);
            }
            Err(error) => failures.push(format!("{}: {error}", shader.name)),
        }
    }
    assert!(failures.is_empty(), "{} failures:\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn opcodes_are_those_of_the_listing() {
    let limits = Limits::default();
    let mut failures = Vec::new();
    for shader in support::containers() {
        let container = Container::parse(&shader.bytes, &limits).unwrap();
        let chunk = container.program().unwrap();
        let program = match sm5::decode(chunk.data, chunk.at, &limits) {
            Ok(program) => program,
            Err(error) => {
                failures.push(format!("{}: {error}", shader.name));
                continue;
            }
        };
        let decoded: BTreeSet<&str> = program.items.iter().map(|item| item.kind.text()).collect();
        let listed: BTreeSet<&str> = shader.opcodes.iter().map(String::as_str).collect();
        if decoded != listed {
            failures.push(format!("{}: {:?}", shader.name, decoded.symmetric_difference(&listed)));
        }
    }
    assert!(failures.is_empty(), "{} failures:\n{}", failures.len(), failures.join("\n"));
}

/// A line without what the instruction's own text leaves to the listing: numbers (float or integer is a guess from
/// the bits) and conversions between precisions.
fn comparable(line: &str) -> String {
    let mut kept = String::new();
    let mut skip_to = None;
    let mut previous = ' ';
    for letter in line.trim().chars() {
        match skip_to {
            Some(end) if letter == end => {
                skip_to = None;
                kept.push(letter);
            }
            Some(_) => {}
            None => {
                kept.push(letter);
                let opens_number = letter == '(' && matches!(previous, 'l' | 'd') && !kept.contains('[');
                if letter == '{' {
                    skip_to = Some('}');
                } else if opens_number || kept.ends_with(" l(") || kept.ends_with(" d(") {
                    skip_to = Some(')');
                }
            }
        }
        previous = letter;
    }
    kept.replace(" {}", "")
}

/// The instruction lines of a listing.
fn instruction_lines(listing: &str) -> Vec<String> {
    let lines = listing.lines().map(str::trim);
    let is_header = |line: &&str| {
        let (stage, model) = line.split_once('_').unwrap_or_default();
        matches!(stage, "vs" | "hs" | "ds" | "gs" | "ps" | "cs") && matches!(model, "4_0" | "4_1" | "5_0" | "5_1")
    };
    lines
        .skip_while(|line| !is_header(line))
        .skip(1)
        .filter(|line| {
            !(line.is_empty() || line.starts_with("//") || line.starts_with("dcl_") || line.starts_with('{'))
        })
        .filter(|line| !["printf", "errorf", "#line", "undecipherable"].iter().any(|start| line.starts_with(start)))
        .map(|line| line.split(" //").next().unwrap_or(line))
        // The flag for UAV memory lies where other instructions have saturation, and fxc prints both.
        .map(|line| comparable(&line.replace("_sat_ugroup", "_ugroup")))
        .collect()
}

#[test]
fn instructions_read_as_in_the_listing() {
    let limits = Limits::default();
    let mut failures = Vec::new();
    let mut compared = 0;
    for shader in support::containers() {
        let container = Container::parse(&shader.bytes, &limits).unwrap();
        let chunk = container.program().unwrap();
        let program = sm5::decode(chunk.data, chunk.at, &limits).unwrap();
        let instructions = program.items.iter().filter_map(|item| match &item.kind {
            sm5::ItemKind::Instruction(instruction) => Some(comparable(&instruction.to_string())),
            sm5::ItemKind::Declaration(_) | sm5::ItemKind::CustomData(_) => None,
        });
        let decoded: Vec<String> = instructions.collect();
        let listed = instruction_lines(&shader.listing);
        if decoded.len() != listed.len() {
            failures.push(format!("{}: {} instructions, {} listed", shader.name, decoded.len(), listed.len()));
        }
        compared += decoded.len().min(listed.len());
        let differ = decoded.iter().zip(&listed).filter(|(decoded, listed)| decoded != listed);
        failures.extend(differ.map(|(decoded, listed)| format!("{}: {decoded} | {listed}", shader.name)));
    }
    assert!(failures.is_empty(), "{} failures:\n{}", failures.len(), failures.join("\n"));
    assert!(compared > 10_000, "only {compared} instructions were compared");
}
