//! Lists declarations and instructions, a line each.

use super::source::SourceComments;
use crate::container::Statistics;
use crate::debug::DebugInfo;
use crate::sm5::{Item, ItemKind, Literals, Op, Program};
use std::fmt::{self, Write};

/// Spaces per level of nesting.
const INDENT: usize = 2;
/// Deeper levels are not indented further, so that the text stays in proportion to the program.
const DEEPEST: usize = 32;

/// Writes the profile and a line for each item, with the comments of debug information if there is any.
pub(super) fn write(out: &mut String, program: &Program, debug: Option<&DebugInfo>) -> fmt::Result {
    writeln!(out, "{}_{}", program.stage, program.model)?;
    let mut nesting = Nesting::default();
    let mut comments = debug.map(SourceComments::new);
    for item in &program.items {
        let indent = nesting.of(item);
        if let Some(comments) = &mut comments {
            comments.before(out, item, indent)?;
        }
        write_item(out, program, item, indent, Literals::Listing)?;
        if let Some(comments) = &mut comments {
            comments.after(out, item)?;
        }
    }
    Ok(())
}

/// Writes the last line.
pub fn write_count(out: &mut String, statistics: Option<&Statistics>) -> fmt::Result {
    let count = statistics.and_then(Statistics::instructions).unwrap_or(0);
    writeln!(out, "// Approximately {count} instruction slots used")
}

/// Nesting depth of items, tracked through a program.
#[derive(Default)]
pub(crate) struct Nesting(usize);

impl Nesting {
    /// The spaces before an item.
    pub fn of(&mut self, item: &Item) -> usize {
        let ItemKind::Instruction(instruction) = &item.kind else { return self.0.min(DEEPEST) * INDENT };
        let before = match instruction.op {
            Op::Else | Op::EndIf | Op::EndLoop | Op::EndSwitch => {
                self.0 = self.0.saturating_sub(1);
                self.0
            }
            _ => self.0,
        };
        if matches!(instruction.op, Op::If | Op::Else | Op::Loop | Op::Switch) {
            self.0 += 1;
        }
        before.min(DEEPEST) * INDENT
    }
}

/// The line of an item without the spaces around it.
pub fn line(program: &Program, item: &Item) -> String {
    let mut out = String::new();
    write_item(&mut out, program, item, 0, Literals::Listing).expect("a string takes any text");
    out.truncate(out.trim_end().len());
    out
}

/// Writes the line of an item.
pub(crate) fn write_item(
    out: &mut String,
    program: &Program,
    item: &Item,
    indent: usize,
    literals: Literals,
) -> fmt::Result {
    write!(out, "{:indent$}", "")?;
    match &item.kind {
        ItemKind::Instruction(instruction) => {
            instruction.write(out, literals)?;
            // Without operands the space before them stays, except after `sync`.
            if instruction.operands.is_empty() && instruction.op != Op::Sync {
                out.push(' ');
            }
        }
        ItemKind::Declaration(declaration) => declaration.write(out, program.model, literals)?,
        ItemKind::CustomData(data) => data.write(out, program.words_of(item), literals)?,
    }
    out.push('\n');
    Ok(())
}
