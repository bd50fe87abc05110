//! What is wrong with the text of a shader, and where.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use brolga_files::short_text;

/// A shader in a language that Brolga reads that is wrong.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct WrongText {
    /// The shader file.
    pub shader: PathBuf,
    /// Line and column in it, from 1, the column in bytes.
    pub place: Option<(u32, u32)>,
    /// What is wrong.
    pub message: String,
    /// Advice on what to do about it.
    pub help: Option<String>,
    /// Its text; empty if it is none.
    pub text: Arc<str>,
}

impl fmt::Display for WrongText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.shader.display())?;
        if let Some((line, column)) = self.place {
            write!(f, ":{line}:{column}")?;
        }
        write!(f, ": {}", short_text(&self.message))
    }
}
