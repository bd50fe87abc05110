//! Loads, checks and runs documents: files that describe a run completely, with shaders, bindings, dispatches, draws
//! and expectations.
//!
//! ```no_run
//! use std::path::Path;
//!
//! use brolga_document::{Document, RunOptions};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let device = brolga_runtime::Device::builder().build()?;
//! let prepared = Document::load(Path::new("examples/mandelbrot.toml"))?.prepare(device.limits())?;
//! for variant in 0..prepared.variants() {
//!     assert!(prepared.run(&device, variant, &RunOptions::default())?.passed());
//! }
//! # Ok(())
//! # }
//! ```
//!
//! A document goes through four stages, each of which exists only if the one before succeeded: the syntax tree of its
//! text, [`Document`] (its keys are right), [`Prepared`] (its files exist and match), [`Outcome`] (it ran).
//!
//! | folder | what |
//! |---|---|
//! | `text/` | TOML and JSON as a tree of values with their spans |
//! | `schema/` | the keys: checks, the page about them, the schema for editors |
//! | `read/` | from the tree to the model |
//! | `model/` | the content of a document |
//! | `prepare/` | opens its files |
//! | `run/` | runs it |
//! | `compare/` | compares results with expectations |
//! | `draft/` | writes a first document for a shader |
//! | `language/` | shaders that are not bytecode |
//! | `made.rs` | documents built in memory |
//! | `error.rs` | problems and their positions |
//! | `wrong_text.rs` | what is wrong with a shader's text |
#![forbid(unsafe_code)]

mod compare;
mod draft;
mod error;
mod language;
mod made;
mod model;
mod prepare;
mod read;
mod run;
mod schema;
#[cfg(test)]
mod tests;
mod text;
mod wrong_text;

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use brolga_fenv::in_default_mode;
use brolga_files::{self as files, FileProblem};
use brolga_runtime::{CancelToken, room};

use error::Fault;
use model::Model;
use prepare::folder::Reach;

pub use compare::{
    CheckResult, Checked, CounterDifference, Difference, LevelCheck, NumberCheck, PictureCheck, Pixel, QueryValue,
};
pub use draft::{Draft, DraftError, DraftMesh, DraftShader};
pub use error::{DocumentError, Elsewhere, Problem, SourceError};
pub use language::{
    Language, Source, USUAL_ENTRY, USUAL_PROFILE, WgslOptions, advice, is_listing, is_wgsl, wgsl_info, wgsl_problems,
};
pub use made::{Made, MadeKind};
pub use model::expectation::Tolerance;
pub use model::number::{Number, NumberType};
pub use prepare::Prepared;
pub use prepare::buffers::{BufferTypes, constants};
pub use read::{pipeline_state, sampler};
pub use run::{CounterResult, Outcome, Outputs, PixelStep, Ready, ResourceResult, RunOptions, WatchedPixel};
pub use schema::{json_schema, page};
pub use text::{Span, Syntax};
pub use wrong_text::WrongText;

/// The maximum size of a document in bytes; larger content belongs in files of its own.
const MOST_TEXT: u64 = 16 << 20;

/// The maximum memory that the values of a text take while it is read, in bytes for each byte of text.
const MOST_TREE: u64 = 80;

/// The files that make a folder a document.
const IN_FOLDERS: [&str; 3] = ["document.toml", "scene.json", "case.json"];

/// A document whose keys are right. Its files are not opened yet.
#[derive(Clone, Debug, Default)]
pub struct Document {
    path: PathBuf,
    text: Arc<str>,
    name: String,
    model: Model,
    reach: Reach,
    /// The bytecode of shaders in HLSL, by name and number of the variant.
    compiled: BTreeMap<(String, usize), Vec<u8>>,
}

impl Document {
    /// The document file for a path: the path itself or, for a folder, the `document.toml`, `scene.json` or `case.json`
    /// in it.
    pub fn find(path: &Path) -> Option<PathBuf> {
        match path.is_dir() {
            true => IN_FOLDERS.iter().map(|name| path.join(name)).find(|path| path.exists()),
            false => Some(path.to_owned()),
        }
    }

    /// `true` if a file is a document by its name and by its keys, of which one is enough, so that a mistake does not
    /// hide it: a .toml or .json file without any is something else. What cannot be parsed counts as a document.
    pub fn is_likely(path: &Path) -> bool {
        const KEYS: [&str; 6] = ["steps", "dispatch", "shader", "shaders", "pipelines", "resources"];
        let syntax = match path.extension().and_then(|extension| extension.to_str()) {
            Some("json") => Syntax::Json,
            Some("toml") => Syntax::Toml,
            _ => return false,
        };
        let Ok(text) = read_text(path) else { return false };
        match text::parse(&text, syntax) {
            Ok(root) => KEYS.iter().any(|key| root.get(key).is_some()),
            // A list is none.
            Err(_) => syntax == Syntax::Toml || text.trim_start_matches('\u{feff}').trim_start().starts_with('{'),
        }
    }

    /// Reads a document from a file, or from the document file of a folder.
    ///
    /// # Errors
    /// If it cannot be read, is not TOML or JSON, or says something invalid or unsupported.
    pub fn load(path: &Path) -> Result<Self, DocumentError> {
        let Some(path) = Self::find(path) else {
            return Err(DocumentError::outside(path, Problem::NoDocument));
        };
        let syntax = match path.extension().and_then(|extension| extension.to_str()) {
            Some("json") => Syntax::Json,
            Some("toml") => Syntax::Toml,
            _ => return Err(DocumentError::outside(&path, Problem::Extension)),
        };
        match read_text(&path) {
            Ok(text) => Self::parse(path, &text, syntax),
            Err(problem) => Err(DocumentError::outside(&path, Problem::Read { problem: problem.into() })),
        }
    }

    /// Parses a document. Relative paths in it are resolved against the folder of `path`, which need not exist.
    ///
    /// # Errors
    /// As [`Self::load`].
    pub fn parse(path: PathBuf, text: &str, syntax: Syntax) -> Result<Self, DocumentError> {
        in_default_mode(|| {
            let text: Arc<str> = Arc::from(text);
            let model = error::tree(&text, syntax).and_then(read::model);
            let model = model.map_err(|fault| DocumentError::new(&path, &text, fault))?;
            let name = model.name.clone().unwrap_or_else(|| name_of(&path));
            Ok(Self { path, text, name, model, reach: Reach::Folder, compiled: BTreeMap::new() })
        })
    }

    /// Allows the document to write any file that the user may write, and not only those in the folder for outputs.
    pub fn anywhere(mut self) -> Self {
        self.reach = Reach::Anywhere;
        self
    }

    /// Its file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The name in reports: the key `name`, else the file's, or that of its folder.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Number of expectations.
    pub fn expectations(&self) -> usize {
        self.model.expectations.len()
    }

    /// The files of its shaders, with all variants, as it names them.
    pub fn shaders(&self) -> impl Iterator<Item = &Path> {
        self.model.shaders.values().flat_map(|shader| shader.files.iter().map(|file| file.value.as_path()))
    }

    /// The thread groups of its only dispatch; `None` for other documents.
    pub fn groups(&self) -> Option<[u32; 3]> {
        match self.model.steps.as_slice() {
            [model::step::DocumentStep { what: model::step::What::Dispatch(dispatch), .. }] => Some(dispatch.groups),
            _ => None,
        }
    }

    /// A problem at a position in this document.
    fn error(&self, fault: Fault) -> DocumentError {
        DocumentError::new(&self.path, &self.text, fault)
    }
}

/// The name of a file, or of its folder if the file's name is one of the usual ones.
fn name_of(path: &Path) -> String {
    let is_of_folder = path.file_name().is_some_and(|name| IN_FOLDERS.iter().any(|known| name == *known));
    let folder = path.parent().and_then(Path::file_name).filter(|_| is_of_folder);
    folder.or(path.file_stem()).unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}

/// The text of a document, if there is enough memory for its values.
fn read_text(path: &Path) -> Result<String, FileProblem> {
    let text = files::read_until(path, MOST_TEXT, &CancelToken::new())?;
    drop(room::room::<u8>(MOST_TREE * text.len() as u64)?);
    String::from_utf8(text).map_err(|error| io::Error::other(error).into())
}
