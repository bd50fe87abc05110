//! Shaders that a job names as HLSL. Nothing here compiles them: the program that runs the job brings a compiler.

use std::path::{Path, PathBuf};

use super::error::{JobError, Problem, SourceError};
use super::model::Job;

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
}

impl Source {
    /// A source.
    pub fn new(path: PathBuf, profile: &str, entry: &str) -> Self {
        Self { path, profile: profile.to_owned(), entry: entry.to_owned() }
    }

    /// Whether a file is HLSL by its name.
    pub fn is_named_by(path: &Path) -> bool {
        let ending = path.extension().and_then(|ending| ending.to_str());
        ending.is_some_and(|ending| ENDINGS.iter().any(|known| known.eq_ignore_ascii_case(ending)))
    }
}

impl Job {
    /// Has the shaders compiled that are HLSL. `compile` gives bytecode, or says why there is none; it is asked once for
    /// each source. Without this, [`Job::prepare`] refuses them.
    pub fn compile_sources(
        &mut self,
        mut compile: impl FnMut(&Source) -> Result<Vec<u8>, SourceError>,
    ) -> Result<(), JobError> {
        for n in 0..self.shaders.len() {
            let path = self.resolve(&self.shaders[n].value);
            if !Source::is_named_by(&path) {
                continue;
            }
            let (profile, entry) = (self.profile.as_deref(), self.entry.as_deref());
            let source = Source::new(path, profile.unwrap_or(USUAL_PROFILE), entry.unwrap_or(USUAL_ENTRY));
            match compile(&source) {
                Ok(bytes) => drop(self.compiled.insert(n, bytes)),
                Err(error) => {
                    let span = &self.shaders[n].span;
                    return Err(self.error(span, Problem::Compile { shader: source.path, error }));
                }
            }
        }
        Ok(())
    }
}
