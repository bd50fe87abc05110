//! Describes failures, for people: the seed, the shrunk program, its tokens.

use std::fmt::Write;

use brolga_bytecode::sm5::ItemKind;
use brolga_bytecode::{LoadOptions, Shader};

use crate::check::{Failure, Lab};
use crate::program::Program;
use crate::shrink::shrink;

/// The program's instructions as fxc would print them, without declarations of little interest.
pub fn listing(program: &Program) -> String {
    let container = program.container();
    let loaded = match Shader::load(&container, &LoadOptions::default()) {
        Ok(loaded) => loaded,
        Err(error) => return format!("it cannot be loaded: {error}\n"),
    };
    let mut text = String::new();
    let mut depth = 0usize;
    for item in loaded.program.items() {
        if let ItemKind::Instruction(instruction) = &item.kind {
            let line = instruction.to_string();
            let opens = ["if", "loop", "switch", "else", "case", "default"].iter().any(|word| line.starts_with(word));
            let closes = ["end", "else", "case", "default"].iter().any(|word| line.starts_with(word));
            depth = depth.saturating_sub(usize::from(closes));
            let _ = writeln!(text, "{:1$}{line}", "", 2 * depth);
            depth += usize::from(opens);
        }
    }
    text
}

/// Instructions of a program.
pub fn instruction_count(program: &Program) -> usize {
    listing(program).lines().count()
}

/// The container's words, to be pasted elsewhere.
pub fn tokens(program: &Program) -> String {
    let container = program.container();
    let words: Vec<String> = container
        .chunks_exact(4)
        .map(|bytes| format!("{:#x}", u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])))
        .collect();
    words.chunks(12).map(|line| line.join(", ") + ",\n").collect()
}

/// Shrinks a failing program and describes it.
pub fn describe(lab: &Lab, program: &Program, failure: &Failure) -> String {
    let same_kind = |other: &Failure| std::mem::discriminant(other) == std::mem::discriminant(failure);
    let small = shrink(program, |program| lab.check_again(program, failure).is_err_and(|other| same_kind(&other)));
    let mut text = format!("seed {}: {failure}\n\n", program.seed);
    let _ = match lab.check_again(&small, failure) {
        Ok(()) => writeln!(text, "The failure does not come again."),
        Err(failure) => writeln!(
            text,
            "Shrunk from {} to {} instructions: {failure}",
            instruction_count(program),
            instruction_count(&small)
        ),
    };
    let _ = writeln!(text, "Groups of {:?} threads, {:?} groups; memory is laid out as", small.group, small.groups);
    let _ = writeln!(text, "{:?}\n\n{}\n{}", small.layout, listing(&small), tokens(&small));
    text
}
