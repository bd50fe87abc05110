//! Locates instructions in a shader, for messages.

use std::fmt;

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
}

impl fmt::Display for SourceLocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.index {
            Some(index) => write!(f, "instruction {index} `{}` (byte {})", self.text, self.byte),
            None => write!(f, "byte {}", self.byte),
        }
    }
}
