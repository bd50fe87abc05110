//! Shaders that a document names as HLSL. Nothing here compiles them: the program that runs the document brings a compiler.

use std::path::{Path, PathBuf};

use crate::Document;
use crate::error::{DocumentError, Problem, SourceError};

/// How the names of files of HLSL end.
const ENDINGS: [&str; 4] = ["hlsl", "hlsli", "fx", "fxh"];

/// The profile that is compiled for where nothing is said.
pub const USUAL_PROFILE: &str = "cs_5_0";
/// The function that is compiled where nothing is said.
pub const USUAL_ENTRY: &str = "main";

/// A shader in HLSL, and what to compile of it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Source {
    /// The file.
    pub path: PathBuf,
    /// Stage and model: `cs_5_0`.
    pub profile: String,
    /// The function that the shader begins with.
    pub entry: String,
    /// Names that it finds defined, some with what they stand for.
    pub defines: Vec<(String, Option<String>)>,
}

impl Source {
    /// A source.
    pub fn new(path: PathBuf, profile: &str, entry: &str) -> Self {
        Self { path, profile: profile.to_owned(), entry: entry.to_owned(), defines: Vec::new() }
    }

    /// Whether a file is HLSL by its name.
    pub fn is_named_by(path: &Path) -> bool {
        let ending = path.extension().and_then(|ending| ending.to_str());
        ending.is_some_and(|ending| ENDINGS.iter().any(|known| known.eq_ignore_ascii_case(ending)))
    }
}

impl Document {
    /// Has the shaders compiled that are HLSL. `compile` gives bytecode, or says why there is none; it is asked once for each source.
    /// Without this, [`Document::prepare`] refuses them.
    ///
    /// # Errors
    /// The first that `compile` gives, at the place where the shader is named.
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

    /// What [`Self::compile_sources`] made of a shader, of several forms the first.
    pub fn compiled(&self, shader: &str) -> Option<&[u8]> {
        self.compiled.get(&(shader.to_owned(), 0)).map(Vec::as_slice)
    }
}
