//! What can be wrong with a scene, and where in its file.

use std::borrow::Borrow;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use brolga_runtime::{CancelToken, Error, ResourceError, StopReason};

use crate::files::{FileProblem, short, short_path, short_text};
use crate::job::nearest;
use crate::raster::DrawError;

/// A scene that cannot be run as it stands, or stopped: what is wrong, in which file, at which place of it.
#[derive(Debug, thiserror::Error)]
#[error("{}{problem}", self.whereabouts())]
#[non_exhaustive]
pub struct SceneError {
    /// The scene file.
    pub path: PathBuf,
    /// The place in the document, as `steps[2].pipeline`; empty for the whole of it.
    pub place: String,
    /// What is wrong.
    #[source]
    pub problem: Box<Problem>,
}

/// What is wrong with a scene.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Problem {
    /// The text is not JSON, or a value is not of the type that belongs there.
    #[error("{}", short_text(message))]
    #[non_exhaustive]
    Document {
        /// The reader's words.
        message: String,
        /// The nearest key or value to one that it does not know.
        nearest: Option<String>,
        /// Whether Direct3D 9 would know it.
        is_direct3d9: bool,
    },
    /// A name that the scene does not define.
    #[error("there is no {what} `{}`", short(name))]
    UnknownName {
        /// What the name should be of.
        what: &'static str,
        /// The name as written.
        name: String,
        /// The nearest name that exists.
        nearest: Option<String>,
        /// All names that exist.
        known: Vec<String>,
    },
    /// Something of Direct3D that is not there yet.
    #[error("{} not supported yet", short_text(what))]
    Unsupported {
        /// What, and "is" or "are".
        what: String,
    },
    /// A value that does not fit the rest of the scene.
    #[error("{}", short_text(message))]
    Value {
        /// What is wrong, and what would be right.
        message: String,
    },
    /// The resources take more memory than the device allows.
    #[error("the resources up to this one take {bytes} bytes, the limit is {limit}")]
    TooLarge {
        /// Bytes of all.
        bytes: u64,
        /// Bytes allowed.
        limit: u64,
    },
    /// A file cannot be read, or is damaged.
    #[error("{}: {problem}", short_path(file))]
    File {
        /// The file.
        file: PathBuf,
        /// Why.
        problem: FileProblem,
    },
    /// A pipeline cannot be made, or a draw not be drawn.
    #[error(transparent)]
    Draw(#[from] DrawError),
    /// The runtime refuses or fails.
    #[error(transparent)]
    Run(#[from] Error),
    /// The run was stopped between two steps, or in one that runs no shader; or the reading of files, or the checks.
    #[error("{why}")]
    Stopped {
        /// What stopped it.
        why: StopReason,
    },
}

impl From<ResourceError> for Problem {
    fn from(error: ResourceError) -> Self {
        Problem::Run(error.into())
    }
}

impl Problem {
    /// What is wrong with a file, unless it is that a token was cancelled.
    pub(super) fn of_file(file: PathBuf, problem: FileProblem, cancel: &CancelToken) -> Self {
        match problem {
            FileProblem::Stopped => Problem::Stopped { why: cancel.stop_reason().unwrap_or(StopReason::Cancelled) },
            problem => Problem::File { file, problem },
        }
    }

    /// What ended the work on some memory, which a token may have stopped.
    pub(super) fn of_memory(error: ResourceError, token: &CancelToken) -> Self {
        match (error, token.stop_reason()) {
            (ResourceError::Stopped, Some(why)) => Problem::Stopped { why },
            (error, _) => error.into(),
        }
    }
}

impl SceneError {
    /// The file and the place, as the message begins; nothing where the problem is that very file, which it names itself.
    fn whereabouts(&self) -> String {
        match &*self.problem {
            Problem::File { file, .. } if *file == self.path && self.place.is_empty() => String::new(),
            _ if self.place.is_empty() => format!("{}: ", short_path(&self.path)),
            _ => format!("{}: {}: ", short_path(&self.path), self.place),
        }
    }

    /// A problem at a place; the file's name is added later.
    pub(super) fn new(place: impl Into<String>, problem: impl Into<Problem>) -> Self {
        Self { path: PathBuf::new(), place: place.into(), problem: Box::new(problem.into()) }
    }

    /// What the reader of JSON says.
    pub(super) fn document(place: impl Into<String>, message: String) -> Self {
        // A key or value that is not known comes first, and then those that are, all quoted.
        let nearest = message.strip_prefix("unknown ").and_then(|rest| {
            let quoted: Vec<_> = rest.split('`').skip(1).step_by(2).collect();
            let (unknown, known) = quoted.split_first()?;
            nearest(unknown, known).map(str::to_owned)
        });
        Self::new(place, Problem::Document { message, nearest, is_direct3d9: false })
    }

    pub(super) fn value(place: impl Into<String>, message: impl Into<String>) -> Self {
        Self::new(place, Problem::Value { message: message.into() })
    }

    pub(super) fn unsupported(place: impl Into<String>, what: impl Into<String>) -> Self {
        Self::new(place, Problem::Unsupported { what: what.into() })
    }

    /// A problem of a draw that is in no file.
    #[cfg(feature = "bench")]
    pub(crate) fn of_draw(error: DrawError) -> Self {
        Self::new("", error)
    }

    pub(super) fn in_file(self, path: &Path) -> Self {
        Self { path: path.to_owned(), ..self }
    }

    /// What to do about it, where that is not said already.
    pub fn help(&self) -> Option<String> {
        match &*self.problem {
            Problem::Document { is_direct3d9: true, .. } => {
                Some("is this a scene of Direct3D 9? Then it says `\"api\": \"d3d9\"`".to_owned())
            }
            Problem::Document { nearest: Some(nearest), .. } => Some(format!("did you mean `{}`?", short(nearest))),
            Problem::UnknownName { nearest: Some(nearest), .. } => Some(format!("did you mean `{}`?", short(nearest))),
            Problem::UnknownName { known, .. } if known.is_empty() => None,
            Problem::UnknownName { known, .. } => Some(short_text(format!("expected one of {}", known.join(", ")))),
            Problem::Unsupported { .. } => Some("docs/scenes.md lists what scenes can do".into()),
            _ => None,
        }
    }

    /// The runtime's error behind it, if it is one.
    pub fn runtime(&self) -> Option<&Error> {
        match &*self.problem {
            Problem::Run(error)
            | Problem::Draw(DrawError::Runtime(error) | DrawError::Shader { source: error, .. }) => Some(error),
            _ => None,
        }
    }
}

/// What has a name, or a complaint with the nearest one.
pub(super) fn find<'a, K: Borrow<str> + Ord, T>(
    named: &'a BTreeMap<K, T>,
    what: &'static str,
    name: &str,
    place: impl Fn() -> String,
) -> Result<&'a T, SceneError> {
    if let Some(found) = named.get(name) {
        return Ok(found);
    }
    let known: Vec<&str> = named.keys().map(K::borrow).collect();
    let nearest = nearest(name, &known).map(str::to_owned);
    let known = known.into_iter().map(str::to_owned).collect();
    Err(SceneError::new(place(), Problem::UnknownName { what, name: name.to_owned(), nearest, known }))
}
