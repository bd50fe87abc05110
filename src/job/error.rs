//! What can be wrong with a job, and where in its file.

use std::borrow::Cow;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use brolga_runtime::{BindingError, CancelToken, Error, InstanceError, ResourceError, StopReason, Unset};

use super::document::Span;
use crate::files::{FileProblem, SHORT, short, short_path, short_text};

/// Why a compiler made no bytecode of a source.
#[derive(Debug, thiserror::Error)]
pub enum SourceError {
    /// The source or the compiler is wrong.
    #[error("{0}")]
    Refused(String),
    /// It took too long, and was stopped.
    #[error("{0}")]
    Stopped(String),
}

impl From<String> for SourceError {
    fn from(message: String) -> Self {
        SourceError::Refused(message)
    }
}

/// A job that cannot be run as it stands: what is wrong, in which file, at which place.
#[derive(Debug)]
pub struct JobError(Box<Placed>);

/// The parts of a [`JobError`], boxed because results carry them everywhere.
#[derive(Debug)]
struct Placed {
    path: PathBuf,
    text: Arc<str>,
    span: Span,
    problem: Problem,
}

impl JobError {
    /// A problem at a place of a job file.
    pub(super) fn new(path: &Path, text: &Arc<str>, span: Span, problem: Problem) -> Self {
        JobError(Box::new(Placed { path: path.to_owned(), text: text.clone(), span, problem }))
    }

    /// What is wrong.
    pub fn problem(&self) -> &Problem {
        &self.0.problem
    }

    /// The job file.
    pub fn path(&self) -> &Path {
        &self.0.path
    }

    /// The text of the job file; empty if it could not be read.
    pub fn text(&self) -> &str {
        &self.0.text
    }

    /// The bytes of the text that the problem is about.
    pub fn span(&self) -> Span {
        self.0.span.clone()
    }

    /// Line and column of the place, both counted from 1, the column in characters.
    pub fn line_and_column(&self) -> (usize, usize) {
        let before = self.0.text.get(..self.0.span.start).unwrap_or("");
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        (before.matches('\n').count() + 1, before[line_start..].chars().count() + 1)
    }
}

impl fmt::Display for JobError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.0.path.display();
        if self.0.text.is_empty() {
            return write!(f, "{path}: {}", self.0.problem);
        }
        let (line, column) = self.line_and_column();
        write!(f, "{path}:{line}:{column}: {}", self.0.problem)
    }
}

impl std::error::Error for JobError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        std::error::Error::source(&self.0.problem)
    }
}

/// What is wrong with a job.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Problem {
    /// The job file, or the `case.json` of a folder, cannot be read.
    #[error("cannot read the job: {problem}")]
    ReadJob {
        /// Why.
        problem: Box<FileProblem>,
    },
    /// A folder is a job by its `case.json`.
    #[error("the folder has neither a scene.json nor a case.json")]
    NoCase,
    /// The file's name says neither JSON nor TOML.
    #[error("a job's file name ends in .toml or .json")]
    JobExtension,
    /// The text is not JSON or TOML.
    #[error("{}", short_text(message))]
    Syntax {
        /// The reader's words.
        message: String,
    },
    /// A key that does not exist there.
    #[error("unknown key `{}` in {place}", short(key))]
    UnknownKey {
        /// The key as written.
        key: String,
        /// The kind of table it stands in.
        place: &'static str,
        /// The nearest key that exists there.
        nearest: Option<String>,
        /// All keys that exist there.
        known: Vec<&'static str>,
    },
    /// A key given twice in one table.
    #[error("the key `{}` is given twice", short(key))]
    DuplicateKey {
        /// The key.
        key: String,
    },
    /// A key that must be there.
    #[error("{place} needs the key `{key}`")]
    MissingKey {
        /// The kind of table.
        place: &'static str,
        /// The key, or keys of which one must be there.
        key: &'static str,
    },
    /// Two keys that are mutually exclusive.
    #[error("`{}` and `{}` are mutually exclusive", short(first), short(second))]
    Conflict {
        /// One key.
        first: String,
        /// The other key.
        second: String,
    },
    /// A value of another type, or outside of the range, that the key takes.
    #[error("`{}` takes {wants}, this is {}", short(key), short(found))]
    WrongValue {
        /// The key.
        key: String,
        /// What it takes.
        wants: Cow<'static, str>,
        /// What it was given.
        found: Cow<'static, str>,
    },
    /// A name that is not one of a fixed list.
    #[error("there is no {what} `{}`", short(name))]
    UnknownName {
        /// What the list holds.
        what: &'static str,
        /// The name as written.
        name: String,
        /// The nearest name that exists.
        nearest: Option<String>,
        /// All names that exist.
        known: Vec<&'static str>,
    },
    /// A register name that is none.
    #[error("`{}` is not a register: a register is b, t, u or s and a number, as in `u0` or `u0,space1`", short(text))]
    BadRegister {
        /// The text.
        text: String,
    },
    /// The same register twice.
    #[error("{register} is bound twice")]
    BoundTwice {
        /// The register as the listing names it.
        register: String,
    },
    /// A kind of view that this kind of register cannot hold.
    #[error("{register} cannot be a {kind}")]
    KindOfRegister {
        /// The register.
        register: String,
        /// The kind of view.
        kind: &'static str,
    },
    /// An expectation for a register that has no binding.
    #[error("{register} is expected but not bound")]
    ExpectUnbound {
        /// The register.
        register: String,
    },
    /// A view that cannot be.
    #[error("{register}: {error}")]
    Resource {
        /// The register.
        register: String,
        /// Why.
        error: ResourceError,
    },
    /// A result of a register that shaders cannot write.
    #[error("{register} has no result for `{key}`: shaders write u# only")]
    NoResult {
        /// The register.
        register: String,
        /// What asked for a result.
        key: &'static str,
    },
    /// A key that this kind of view does not have: a hidden counter, a part.
    #[error("{register} is a {kind} view: {wants}")]
    KeyOfKind {
        /// The register.
        register: String,
        /// The kind of view.
        kind: &'static str,
        /// What the key takes.
        wants: &'static str,
    },
    /// The shader cannot be compiled, cannot run with these bindings, or was stopped.
    #[error("{}: {}", short_path(shader), short_text(error))]
    Run {
        /// The shader file.
        shader: PathBuf,
        /// Why.
        error: Error,
    },
    /// A shader in HLSL, and nothing that compiles it.
    #[error("{} is HLSL, and no compiler is named", shader.display())]
    NotCompiled {
        /// The shader file.
        shader: PathBuf,
    },
    /// A shader in HLSL that the compiler made nothing of.
    #[error("{} is not compiled: {error}", shader.display())]
    Compile {
        /// The shader file.
        shader: PathBuf,
        /// Why.
        error: SourceError,
    },
    /// Nothing says how large the view is.
    #[error("nothing says how many bytes {register} has")]
    NoSize {
        /// The register.
        register: String,
        /// The kind of view.
        kind: &'static str,
    },
    /// The job's own numbers disagree about the size of a view.
    #[error("{register} has {given} bytes by `size`, but its {kind} says {computed}")]
    SizeMismatch {
        /// The register.
        register: String,
        /// The key `size`.
        given: u64,
        /// The kind of view.
        kind: &'static str,
        /// What its dimensions say.
        computed: u64,
    },
    /// A view that is too large, by itself or with those before it.
    #[error("{what} {bytes} bytes, the limit is {limit}")]
    TooLarge {
        /// What would have them: `u0 would have`, `with u1 the job would take`.
        what: String,
        /// Bytes asked for.
        bytes: u64,
        /// Bytes allowed.
        limit: u64,
    },
    /// Content of a size that is no whole number of elements, rows or words.
    #[error("{register} has {bytes} bytes, which is not a multiple of {unit}")]
    NotWhole {
        /// The register.
        register: String,
        /// Bytes it has.
        bytes: u64,
        /// Bytes of the unit.
        unit: u64,
    },
    /// A file named by the job cannot be read.
    #[error("cannot read {}: {problem}", short_path(path))]
    ReadFile {
        /// The file.
        path: PathBuf,
        /// Why.
        problem: Box<FileProblem>,
    },
    /// A file of another size than the view it fills or describes.
    #[error("{} has {found} bytes, {register} needs {needed}", short_path(path))]
    FileSize {
        /// The file.
        path: PathBuf,
        /// The register.
        register: String,
        /// Bytes of content in the file.
        found: u64,
        /// Bytes that the view has.
        needed: u64,
    },
    /// Values in the job that do not fit into the view.
    #[error("{register} has {needed} bytes, the values end at byte {found}")]
    ValuesSize {
        /// The register.
        register: String,
        /// Where the values end.
        found: u64,
        /// Bytes that the view has.
        needed: u64,
    },
    /// A file that is not in the format its name says, or does not fit the view.
    #[error("{}: {}", short_path(path), short_text(problem))]
    BadFile {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        problem: Box<FileProblem>,
    },
    /// An output that cannot be written.
    #[error("cannot write {}: {error}", short_path(path))]
    WriteFile {
        /// The output.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// A key that asks for what the binding does not have: a file to map, a hidden counter to cut an output to.
    #[error("`{key}` {does}, and {register} {found}")]
    NothingFor {
        /// The key.
        key: &'static str,
        /// What it does.
        does: &'static str,
        /// The register.
        register: String,
        /// What it has instead.
        found: &'static str,
    },
    /// A name in a constant buffer's table that is neither a key nor a variable, or one that is no member of a structure.
    #[error("{place} `{}`{}", short(name), if known.is_empty() { ", because the shader has no names (RDEF)" } else { "" })]
    UnknownVariable {
        /// What has no such name: `b0 has no variable`.
        place: String,
        /// The name as written.
        name: String,
        /// The nearest name that exists.
        nearest: Option<String>,
        /// All that exist; none if the shader's names were stripped.
        known: Vec<String>,
    },
    /// A value of a variable where there is a value already.
    #[error("byte {byte} of {register} is set twice")]
    SetTwice {
        /// The register.
        register: String,
        /// The first byte that two values have.
        byte: u64,
    },
    /// A constant buffer that ends before a variable does. The shader runs nevertheless.
    #[error(
        "{register} has {bytes} bytes, and the shader's variable `{}` ends at byte {end}: the missing bytes read as 0",
        short(variable)
    )]
    ShortConstants {
        /// The register.
        register: String,
        /// Bytes of the buffer.
        bytes: u64,
        /// The first variable that the shader reads and that is not there, or not all of it.
        variable: String,
        /// The byte after its last one.
        end: u64,
    },
    /// A file that is no texture by its name.
    #[error("{why}")]
    NoPicture {
        /// What it is, and what would be right.
        why: String,
    },
    /// An output format that cannot hold what the view holds.
    #[error("{} cannot hold {register}: {message}", short_path(path))]
    CannotEncode {
        /// The output.
        path: PathBuf,
        /// The register.
        register: String,
        /// Why, and what would work.
        message: String,
    },
    /// An output that the job itself is made of, or that is written already.
    #[error("{} is {by}", short_path(path))]
    OutputTaken {
        /// The output.
        path: PathBuf,
        /// What it is to the job, or what writes it.
        by: String,
    },
    /// A token was cancelled while files were read, views filled or results compared.
    #[error("{why}")]
    Stopped {
        /// What stopped it.
        why: StopReason,
    },
    /// The run was cancelled while an output was written.
    #[error("cancelled while writing {}: the file is unchanged", short_path(path))]
    WriteStopped {
        /// The output.
        path: PathBuf,
    },
    /// An expectation that asks for something that has no meaning.
    #[error("{message}")]
    Expectation {
        /// What, and what would be right.
        message: String,
    },
}

impl Problem {
    /// What a token stopped.
    pub(super) fn stopped(cancel: &CancelToken) -> Self {
        Problem::Stopped { why: cancel.stop_reason().unwrap_or(StopReason::Cancelled) }
    }

    /// A problem with a file, unless it is that a token was cancelled.
    pub(super) fn of_file(
        problem: FileProblem,
        cancel: &CancelToken,
        of: impl FnOnce(Box<FileProblem>) -> Self,
    ) -> Self {
        match problem {
            FileProblem::Stopped => Self::stopped(cancel),
            problem => of(Box::new(problem)),
        }
    }

    /// A problem with the memory of a register, likewise.
    pub(super) fn of_memory(error: ResourceError, cancel: &CancelToken, register: impl fmt::Display) -> Self {
        match error {
            ResourceError::Stopped => Self::stopped(cancel),
            error => Problem::Resource { register: register.to_string(), error },
        }
    }

    /// What to do about it, where that is not said already.
    pub fn help(&self) -> Option<String> {
        match self {
            Problem::UnknownKey { nearest: Some(nearest), .. }
            | Problem::UnknownName { nearest: Some(nearest), .. }
            | Problem::UnknownVariable { nearest: Some(nearest), .. } => {
                Some(format!("did you mean `{}`?", short(nearest)))
            }
            Problem::UnknownVariable { known, .. } if known.is_empty() => {
                Some("set bytes, as in `at = [{ byte = 12, u32 = [512] }]`".into())
            }
            Problem::UnknownVariable { known, .. } => {
                Some(format!("the names here are {}", short_text(known.join(", "))))
            }
            Problem::ReadJob { problem } if matches!(**problem, FileProblem::TooLarge { .. }) => {
                Some("put the values in separate files, .npy or raw bytes, and name them with `file`".into())
            }
            Problem::UnknownKey { known, .. } => Some(format!("the keys here are {}", known.join(", "))),
            Problem::UnknownName { known, .. } => Some(format!("expected one of {}", known.join(", "))),
            Problem::NotCompiled { .. } => Some(
                "name one with `--compiler` or BROLGA_COMPILER, or compile it first, for example with \
                    `fxc /T cs_5_0 /E main /Fo x.cso`: docs/compile.md says how"
                    .into(),
            ),
            Problem::OutputTaken { .. } => Some("choose another name".into()),
            Problem::NoCase => {
                Some("a folder needs a case.json, or for `brolga run` a scene.json; name any other file itself".into())
            }
            Problem::JobExtension => {
                Some("a shader is run by a job that names it and says what is bound: `brolga new` writes one".into())
            }
            Problem::NoSize { kind: "structured" | "typed", .. } => {
                Some("give `count` (elements), `size` (bytes), values, or a `file`".into())
            }
            Problem::NoSize { .. } => Some("give `size`, values, or a `file`".into()),
            Problem::ExpectUnbound { .. } => Some("bind the register, or remove the expectation".into()),
            Problem::Run { error: Error::Instance(error), .. } => instance_help(error),
            Problem::Run { error: Error::Compile(error), .. } if error.is_size() => {
                Some("the interpreter can run it: leave out `--engine`".into())
            }
            Problem::Run { error: Error::Binding(BindingError::NoCounter { .. }), .. } => {
                Some("give the initial number of elements, as in `counter = 0`".into())
            }
            Problem::FileSize { found, needed, .. } if found < needed => {
                Some(format!("{} bytes are missing", needed - found))
            }
            Problem::FileSize { found, needed, .. } => Some(format!("{} bytes are too many", found - needed)),
            _ => None,
        }
    }
}

/// A table that places an instance of a class.
fn placed(class: &str) -> String {
    format!("{{ class = \"{class}\", constants = \"b0\", vector = 0 }}")
}

/// What to do about an interface variable.
fn instance_help(error: &InstanceError) -> Option<String> {
    let did_you_mean = |name: &str, known: &[String]| {
        let known: Vec<&str> = known.iter().map(String::as_str).collect();
        Some(format!("did you mean `{}`?", nearest(name, &known)?))
    };
    match error {
        InstanceError::Unset { unset } => {
            let Unset { variable, fits, classes, .. } = unset.first()?;
            // Quoted, an index is no part of the key's syntax.
            let key = if variable.contains('[') { format!("\"{variable}\"") } else { variable.clone() };
            let value = match (fits.first(), classes.first()) {
                (Some(name), _) => format!("\"{name}\""),
                (None, Some(class)) => placed(class),
                (None, None) => return None,
            };
            Some(format!("choose one in the job's table `instances`, as in `{key} = {value}`"))
        }
        InstanceError::Place { class, has: true, .. } => Some(format!("place an instance as in `{}`", placed(class))),
        InstanceError::ClassNamed { class, instances, .. } if instances.is_empty() => {
            Some(format!("place an instance as in `{}`", placed(class)))
        }
        InstanceError::UnknownVariable { variable, known } => did_you_mean(variable, known),
        InstanceError::UnknownInstance { instance, takes, .. } => did_you_mean(instance, takes),
        InstanceError::UnknownClass { class, classes, .. } => did_you_mean(class, classes),
        _ => None,
    }
}

/// The entry of `known` that `name` was probably meant to be, if any is near enough.
pub(crate) fn nearest<'a>(name: &str, known: &[&'a str]) -> Option<&'a str> {
    if name.len() > 4 * SHORT {
        return None;
    }
    let lower = name.to_lowercase();
    let best = known.iter().map(|&known| (strsim::osa_distance(&lower, &known.to_lowercase()), known)).min()?;
    (best.0 <= name.chars().count().max(3) / 3).then_some(best.1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_name_is_found_within_reason() {
        let known = ["dispatch", "bindings", "shader", "shaders", "expect"];
        assert_eq!(nearest("dipsatch", &known), Some("dispatch"));
        assert_eq!(nearest("shadr", &known), Some("shader"));
        assert_eq!(nearest("colour", &known), None);
        assert_eq!(nearest("", &known), None);
    }
}
