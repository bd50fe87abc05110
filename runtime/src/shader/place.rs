//! Positions in a shader, for messages.

use std::fmt;

/// An instruction of a shader.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Place {
    /// The byte in the file where it begins.
    pub byte: u32,
    /// Its number, counted as the listing counts with declarations left out.
    pub index: Option<u32>,
    /// Its text.
    pub text: String,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.index {
            Some(index) => write!(f, "instruction {index} `{}` (byte {})", self.text, self.byte),
            None => write!(f, "byte {}", self.byte),
        }
    }
}
