//! Locations in a shader's source, for messages.

use std::fmt;

use brolga_bytecode::sm5::{ItemKind, ValidProgram};
use brolga_ir::function::Origin;

/// An instruction of a shader.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SourceLocation {
    /// The byte in the file where it begins.
    pub byte: u32,
    /// Its number, counted from 0 with declarations left out, as the listing can number them.
    pub index: Option<u32>,
    /// Its text; empty if nothing is known of it.
    pub text: String,
}

impl SourceLocation {
    /// The instruction at a byte.
    pub(crate) fn find(program: &ValidProgram, origin: Origin) -> Self {
        let mut index = 0;
        for item in program.items() {
            if let ItemKind::Instruction(instruction) = &item.kind {
                if item.at == origin.0 {
                    return Self { byte: origin.0, index: Some(index), text: instruction.to_string() };
                }
                index += 1;
            }
        }
        Self::unknown(origin)
    }

    /// A byte of which nothing else is known.
    pub(crate) fn unknown(origin: Origin) -> Self {
        Self { byte: origin.0, index: None, text: String::new() }
    }
}

impl fmt::Display for SourceLocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.index {
            Some(index) => write!(f, "instruction {index} `{}` (byte {})", self.text, self.byte),
            None => write!(f, "byte {}", self.byte),
        }
    }
}
