//! Locates instructions in a shader, for messages.

use std::fmt;

use brolga_bytecode::debug::SourceLine;

/// An instruction of a shader.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SourceLocation {
    /// Byte offset in the file.
    pub byte: u32,
    /// Its number, counted from 0 with declarations left out, as the listing can number them.
    pub index: Option<u32>,
    /// Its text; empty if unknown.
    pub text: String,
    /// Its line in HLSL, if the file has debug information that says so.
    pub source: Option<Box<SourceLine>>,
}

impl fmt::Display for SourceLocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let source = self.source.as_ref().map_or_else(String::new, |line| format!(", {line}"));
        match self.index {
            Some(index) => write!(f, "instruction {index} `{}` (byte {}{source})", self.text, self.byte),
            None => write!(f, "byte {}{source}", self.byte),
        }
    }
}
