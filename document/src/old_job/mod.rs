//! Jobs: files that say everything that a run of a compute shader needs.
//!
//! ```no_run
//! use std::path::Path;
//!
//! use brolga::job::{Job, RunOptions};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let device = brolga::Device::builder().build()?;
//! let ready = Job::load(Path::new("examples/mandelbrot.toml"))?.prepare(device.limits())?;
//! for shader in 0..ready.shaders() {
//!     let outcome = ready.run(&device, shader, &RunOptions::default())?;
//!     assert!(ready.compare(&outcome)?.iter().all(|found| found.passed()));
//! }
//! # Ok(())
//! # }
//! ```
//!
//! A job goes through four types, each of which can only be had if all before was right: the tree of the text, [`Job`]
//! (its keys are right), [`Prepared`] (its files are there and fit), [`Outcome`] (it ran).
//!
//! | file | what |
//! |---|---|
//! | `document.rs` | a tree of values with places |
//! | `syntax.rs` | reads it from JSON and TOML |
//! | `table.rs` | typed access to the keys of a table |
//! | `read.rs` | the keys of a job and of a binding |
//! | `instance_keys.rs` | the keys of class instances |
//! | `kind_keys.rs` | the keys of kinds of views |
//! | `sampler_keys.rs` | the keys of samplers |
//! | `content_keys.rs` | the keys of what a view holds |
//! | `expect_keys.rs` | the keys of an expectation |
//! | `model.rs` | what a job says |
//! | `extents.rs` | what a job says of a texture |
//! | `values.rs` | numbers in views |
//! | `draft/` | writes a job for a shader |
//! | `memory.rs` | jobs that are made in memory |
//! | `declared.rs` | what the shader says, so that the job need not |
//! | `variables.rs` | values of constant buffers by the names of their variables |
//! | `constants.rs` | the same for programs that have no job, and types of numbers in buffers |
//! | `prepare.rs` | opens the files of a job and checks their sizes |
//! | `load.rs` | what each view holds before the run |
//! | `checks.rs` | what each expectation compares |
//! | `bind.rs` | the memory of a prepared job |
//! | `execute.rs` | runs a prepared job |
//! | `compare.rs` | holds results against expectations |
//! | `sort.rs` | elements in any order |
//! | `source.rs` | shaders that are HLSL |
//! | `output.rs` | what output files hold |
//! | `error.rs` | what can be wrong, and where |

mod bind;
mod checks;
mod compare;
mod constants;
mod content_keys;
mod declared;
mod document;
mod draft;
mod error;
mod execute;
mod expect_keys;
mod extents;
mod instance_keys;
mod kind_keys;
mod load;
#[cfg(feature = "bench")]
mod memory;
mod model;
pub(crate) mod output;
mod prepare;
mod read;
mod sampler_keys;
pub(crate) mod sort;
mod source;
mod syntax;
mod table;
mod values;
mod variables;

#[cfg(test)]
mod tests;

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::files::{self, FileProblem};
use brolga_fenv::in_default_mode;
use brolga_runtime::{CancelToken, room};

pub use compare::{Comparison, CounterDifference, Difference, Segment};
pub use constants::{BufferTypes, constants};
pub use document::Span;
pub use draft::Draft;
pub(crate) use draft::{TypeName, binding_of};
pub(crate) use error::nearest;
pub use error::{JobError, Problem, SourceError};
pub use execute::{CounterResult, Outcome, Outputs, RunOptions, SlotResult};
pub use extents::TextureKeys;
#[cfg(feature = "bench")]
pub(crate) use memory::{MemoryExpectation, MemoryJob, MemoryView};
pub use model::*;
pub use prepare::Prepared;
#[cfg(feature = "bench")]
pub(crate) use sampler_keys::names as sampler_names;
pub use source::{Source, USUAL_ENTRY, USUAL_PROFILE};
pub use syntax::Syntax;
pub use values::{Number, NumberType};

/// Bytes of a job file at most; larger content belongs into files of its own.
pub(crate) const MOST_TEXT: u64 = 16 << 20;

/// Bytes of memory that the values of a text take at most while they are read, for each of its own.
const MOST_TREE: u64 = 80;

/// The text of a job or a scene, if there is memory for what it says.
pub(crate) fn read_text(path: &Path, cancel: &CancelToken) -> Result<Vec<u8>, FileProblem> {
    let text = files::read_until(path, MOST_TEXT, cancel)?;
    drop(room::room::<u8>(MOST_TREE * text.len() as u64)?);
    Ok(text)
}

impl Job {
    /// Reads a job file, or the `case.json` of a folder.
    pub fn load(path: &Path) -> Result<Self, JobError> {
        let nothing: Arc<str> = Arc::from("");
        let path = match path.is_dir() {
            true if !path.join("case.json").exists() => {
                return Err(JobError::new(path, &nothing, 0..0, Problem::NoCase));
            }
            true => path.join("case.json"),
            false => path.to_owned(),
        };
        let syntax = match path.extension().and_then(|extension| extension.to_str()) {
            Some("json") => Syntax::Json,
            Some("toml") => Syntax::Toml,
            _ => return Err(JobError::new(&path, &nothing, 0..0, Problem::JobExtension)),
        };
        let text = read_text(&path, &CancelToken::new())
            .and_then(|bytes| String::from_utf8(bytes).map_err(|error| io::Error::other(error).into()));
        match text {
            Ok(text) => Self::parse(path, &text, syntax),
            Err(problem) => Err(JobError::new(&path, &nothing, 0..0, Problem::ReadJob { problem: problem.into() })),
        }
    }

    /// Reads a job from a text. Files that it names are looked for beside `path`, which need not exist.
    pub fn parse(path: PathBuf, text: &str, syntax: Syntax) -> Result<Self, JobError> {
        in_default_mode(|| {
            let text: Arc<str> = Arc::from(text);
            let root = syntax::parse(&text, syntax);
            let job = root.and_then(|root| read::job(&root, path.clone(), text.clone()));
            job.map_err(|(problem, span)| JobError::new(&path, &text, span, problem))
        })
    }
}
