//! Describes shaders that a document names as HLSL. Nothing here compiles them: the program that runs the document
//! brings a compiler.

use std::path::{Path, PathBuf};

use crate::Document;
use crate::error::{DocumentError, Problem, SourceError};

/// File extensions of HLSL.
const ENDINGS: [&str; 4] = ["hlsl", "hlsli", "fx", "fxh"];

/// The default profile.
pub const USUAL_PROFILE: &str = "cs_5_0";
/// The default entry point.
pub const USUAL_ENTRY: &str = "main";

/// A shader in HLSL, and the options for compiling it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Source {
    /// The file.
    pub path: PathBuf,
    /// Stage and model: `cs_5_0`.
    pub profile: String,
    /// The entry point.
    pub entry: String,
    /// Macros defined for it, some with values.
    pub defines: Vec<(String, Option<String>)>,
}

impl Source {
    /// A source.
    pub fn new(path: PathBuf, profile: &str, entry: &str) -> Self {
        Self { path, profile: profile.to_owned(), entry: entry.to_owned(), defines: Vec::new() }
    }

    /// `true` if a file is HLSL by its name.
    pub fn is_named_by(path: &Path) -> bool {
        let ending = path.extension().and_then(|ending| ending.to_str());
        ending.is_some_and(|ending| ENDINGS.iter().any(|known| known.eq_ignore_ascii_case(ending)))
    }
}

impl Document {
    /// Compiles the shaders given in HLSL. `compile` returns bytecode, or the reason why there is none; it is called
    /// once for each source. Without this, [`Document::prepare`] rejects them.
    ///
    /// # Errors
    /// The first that `compile` returns, at the position where the shader is named.
    pub fn compile_sources(
        &mut self,
        mut compile: impl FnMut(&Source) -> Result<Vec<u8>, SourceError>,
    ) -> Result<(), DocumentError> {
        let folder = self.path.parent().map_or_else(PathBuf::new, Path::to_owned);
        let mut compiled = Vec::new();
        for (name, shader) in &self.model.shaders {
            for (n, file) in shader.files.iter().enumerate() {
                if !Source::is_named_by(&file.value) {
                    continue;
                }
                let failed = |problem| self.error((problem, file.span.clone()));
                let path = folder.join(&file.value);
                let (profile, entry) = (shader.profile.as_deref(), shader.entry.as_deref());
                let mut source = Source::new(path, profile.unwrap_or(USUAL_PROFILE), entry.unwrap_or(USUAL_ENTRY));
                source.defines = shader.defines.clone();
                match compile(&source) {
                    Ok(bytes) => compiled.push(((name.clone(), n), bytes)),
                    Err(error) => return Err(failed(Problem::Compile { shader: source.path, error })),
                }
            }
        }
        self.compiled.extend(compiled);
        Ok(())
    }

    /// The container that [`Self::compile_sources`] made of a shader, of several forms the first.
    pub fn compiled(&self, shader: &str) -> Option<&[u8]> {
        self.compiled.get(&(shader.to_owned(), 0)).map(Vec::as_slice)
    }
}
