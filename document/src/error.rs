//! Reports what is wrong with a document, and where in its file.

use std::borrow::Cow;
use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use brolga_files::{FileProblem, short, short_path, short_text};
use brolga_raster::error::DrawError;
use brolga_runtime::{BindingError, CancelToken, Error, InstanceError, ResourceError, StopReason, Unset};

pub use crate::text::nearest::nearest;
use crate::text::{Broken, Node, Span, Syntax, Value, Why, parse};
use crate::wrong_text::WrongText;

/// A problem and its span, until the file's name is added.
pub(crate) type Fault = (Problem, Span);

/// The reason why a compiler made no bytecode from a source.
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

/// A document that cannot be run as it stands, or was stopped: the problem, the file, and the position in it.
#[derive(Debug)]
pub struct DocumentError(Box<Placed>);

/// The parts of a [`DocumentError`], boxed because results carry them everywhere.
#[derive(Debug)]
struct Placed {
    path: PathBuf,
    text: Arc<str>,
    span: Span,
    problem: Problem,
    /// The name of the argument, if the text is not from a file.
    argument: Option<&'static str>,
}

impl DocumentError {
    /// A problem at a position in a document.
    pub(crate) fn new(path: &Path, text: &Arc<str>, (problem, span): Fault) -> Self {
        DocumentError(Box::new(Placed { path: path.to_owned(), text: text.clone(), span, problem, argument: None }))
    }

    /// A problem in a text that is an argument of a function.
    pub(crate) fn in_argument(argument: &'static str, text: &str) -> impl FnOnce(Fault) -> Self {
        move |(problem, span)| {
            let (path, text) = (PathBuf::new(), Arc::from(text));
            DocumentError(Box::new(Placed { path, text, span, problem, argument: Some(argument) }))
        }
    }

    /// `true` if it is about a file, `false` if it is about an argument of a function.
    pub fn is_of_file(&self) -> bool {
        self.0.argument.is_none()
    }

    /// A problem without a position in a text.
    pub fn outside(path: &Path, problem: Problem) -> Self {
        Self::new(path, &Arc::from(""), (problem, 0..0))
    }

    /// The problem.
    pub fn problem(&self) -> &Problem {
        &self.0.problem
    }

    /// The document's file.
    pub fn path(&self) -> &Path {
        &self.0.path
    }

    /// The text of the document; empty if it could not be read.
    pub fn text(&self) -> &str {
        &self.0.text
    }

    /// The bytes of the text that the problem is about.
    pub fn span(&self) -> Span {
        self.0.span.clone()
    }

    /// Line and column of the position, both counted from 1, the column in characters.
    pub fn line_and_column(&self) -> (usize, usize) {
        let before = self.0.text.get(..self.0.span.start).unwrap_or("");
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        (before.matches('\n').count() + 1, before[line_start..].chars().count() + 1)
    }

    /// The path of keys to the position, such as `steps[2].pipeline`; empty for the whole document, and if the text
    /// cannot be read.
    pub fn place(&self) -> String {
        let Placed { text, span, .. } = &*self.0;
        let syntax = if text.trim_start().starts_with(['{', '\u{feff}']) { Syntax::Json } else { Syntax::Toml };
        match span.is_empty() {
            true => String::new(),
            false => parse(text, syntax).map_or(String::new(), |root| root.path_of(span)),
        }
    }

    /// Advice on what to do about it, unless the message includes it.
    pub fn help(&self) -> Option<String> {
        self.0.problem.help()
    }
}

impl fmt::Display for DocumentError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.0.path.display();
        if let Some(argument) = self.0.argument {
            let place = self.place();
            let dot = if place.is_empty() { "" } else { "." };
            return write!(f, "{argument}{dot}{place}: {}", self.0.problem);
        }
        match self.0.text.is_empty() {
            true if self.0.path.as_os_str().is_empty() => self.0.problem.fmt(f),
            true => write!(f, "{path}: {}", self.0.problem),
            false => {
                let (line, column) = self.line_and_column();
                write!(f, "{path}:{line}:{column}: {}", self.0.problem)
            }
        }
    }
}

impl std::error::Error for DocumentError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        std::error::Error::source(&self.0.problem)
    }
}

/// The other tables in which an unknown key exists.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Elsewhere {
    /// Nowhere, as far as is known.
    #[default]
    Nowhere,
    /// In documents of Direct3D 9.
    Direct3D9,
    /// In steps of other kinds.
    Steps,
    /// At the top of a document.
    Top,
}

/// The kinds of problem with a document.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Problem {
    /// The document cannot be read.
    #[error("cannot read the document: {problem}")]
    Read {
        /// The reason.
        problem: Box<FileProblem>,
    },
    /// A folder can only be opened as a document through a file in it.
    #[error("the folder has neither a document.toml nor a scene.json nor a case.json")]
    NoDocument,
    /// The file's name has neither extension, .json or .toml.
    #[error("a document's file name ends in .toml or .json")]
    Extension,
    /// The text is not JSON or TOML.
    #[error("{}", short_text(message))]
    Syntax {
        /// The parser's message.
        message: String,
    },
    /// A key that does not exist there.
    #[error("unknown key `{}` in {place}", short(key))]
    UnknownKey {
        /// The key as written.
        key: String,
        /// The kind of table that it is in.
        place: &'static str,
        /// The nearest key that exists there.
        nearest: Option<String>,
        /// All keys that exist there; or the steps that have it, if others do.
        known: Vec<&'static str>,
        /// Where else the key exists.
        elsewhere: Elsewhere,
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
        /// The key's meaning, unless that is clear.
        meaning: &'static str,
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
    #[error("`{}` takes {wants}, not {}", short(key), short(found))]
    WrongValue {
        /// The key.
        key: String,
        /// The values it takes.
        wants: Cow<'static, str>,
        /// The value it was given.
        found: Cow<'static, str>,
    },
    /// A name that is not one of a list.
    #[error("there is no {what} `{}`", short(name))]
    UnknownName {
        /// The kind of the list's entries.
        what: &'static str,
        /// The name as written.
        name: String,
        /// The nearest name that exists.
        nearest: Option<String>,
        /// All names that exist.
        known: Vec<String>,
    },
    /// A register name that does not exist.
    #[error("`{}` is not a register: a register is b, t, u or s and a number, as in `u0` or `u0,space1`", short(text))]
    BadRegister {
        /// The text.
        text: String,
    },
    /// A feature of Direct3D that is not supported yet.
    #[error("{} not supported yet", short_text(what))]
    Unsupported {
        /// The feature, and "is" or "are".
        what: String,
    },
    /// A value that does not fit the rest of the document.
    #[error("{}", short_text(message))]
    Value {
        /// A message about what is wrong, or what would be right.
        message: String,
        /// Advice on what to do about it.
        help: Option<String>,
    },
    /// A name in a constant buffer's table that is neither a key nor a variable, or one that is no member of a
    /// structure.
    #[error("{place} `{}`{}", short(name), if known.is_empty() { ", because the shader has no names (RDEF)" } else { "" })]
    UnknownVariable {
        /// The subject of the message: `b0 has no variable`.
        place: String,
        /// The name as written.
        name: String,
        /// The nearest name that exists.
        nearest: Option<String>,
        /// All that exist; none if the shader's names were stripped.
        known: Vec<String>,
    },
    /// A resource that cannot exist, or not with these properties.
    #[error("{label}: {error}")]
    Resource {
        /// The document's name for it.
        label: String,
        /// The reason.
        error: ResourceError,
    },
    /// A resource that is too large, by itself or with those before it.
    #[error("{what} {bytes} bytes, the limit is {limit}")]
    TooLarge {
        /// The subject of the message: `u0 would have`, `with u1 the document would take`.
        what: String,
        /// Bytes requested.
        bytes: u64,
        /// Bytes allowed.
        limit: u64,
    },
    /// A file named by the document that cannot be read, or does not match its name or the document.
    #[error("{}{}: {problem}", if matches!(**problem, FileProblem::Io(_)) { "cannot read " } else { "" }, short_path(path))]
    File {
        /// The file.
        path: PathBuf,
        /// The reason.
        problem: Box<FileProblem>,
        /// The file with the nearest name in the folder, if there is none of this name.
        nearest: Option<String>,
    },
    /// A shader in HLSL without a compiler.
    #[error("{} is HLSL, and no compiler is named", shader.display())]
    NotCompiled {
        /// The shader file.
        shader: PathBuf,
    },
    /// A shader in HLSL that failed to compile.
    #[error("{} is not compiled: {error}", shader.display())]
    Compile {
        /// The shader file.
        shader: PathBuf,
        /// The reason.
        error: SourceError,
    },
    /// A shader in a language that Brolga reads that is wrong.
    #[error("{0}")]
    Text(Box<WrongText>),
    /// A shader cannot be compiled, cannot run with its bindings, or was stopped.
    #[error("{}{}", shader.as_ref().map_or(String::new(), |shader| format!("{}: ", short_path(shader))), short_text(error))]
    Run {
        /// The shader file, where one is at fault.
        shader: Option<PathBuf>,
        /// The reason.
        error: Error,
    },
    /// A pipeline that cannot be made, or a draw that cannot be drawn.
    #[error(transparent)]
    Draw(#[from] DrawError),
    /// An output that cannot be written.
    #[error("cannot write {}: {error}", short_path(path))]
    WriteFile {
        /// The output.
        path: PathBuf,
        /// The reason.
        error: io::Error,
    },
    /// The run was cancelled while an output was written.
    #[error("cancelled while writing {}: the file is unchanged", short_path(path))]
    WriteStopped {
        /// The output.
        path: PathBuf,
    },
    /// A token was cancelled while files were read, resources filled, results compared, or between two steps.
    #[error("{why}")]
    Stopped {
        /// The cause.
        why: StopReason,
    },
}

impl From<Error> for Problem {
    fn from(error: Error) -> Self {
        Problem::Run { shader: None, error }
    }
}

impl From<ResourceError> for Problem {
    fn from(error: ResourceError) -> Self {
        Error::from(error).into()
    }
}

/// The syntax tree of a text.
pub(crate) fn tree(text: &str, syntax: Syntax) -> Result<Node, Fault> {
    parse(text, syntax).map_err(|Broken { why, span }| {
        let problem = match why {
            Why::Syntax(message) => Problem::Syntax { message },
            Why::DuplicateKey(key) => Problem::DuplicateKey { key },
            Why::NoTable(found) => {
                Problem::WrongValue { key: "the document".into(), wants: "a table".into(), found: found.into() }
            }
        };
        (problem, span)
    })
}

impl Problem {
    /// A value that does not fit.
    pub(crate) fn value(message: impl Into<String>) -> Self {
        Problem::Value { message: message.into(), help: None }
    }

    /// The same with advice.
    pub(crate) fn with_help(message: impl Into<String>, help: impl Into<String>) -> Self {
        Problem::Value { message: message.into(), help: Some(help.into()) }
    }

    /// A feature that is not supported yet, with "is" or "are".
    pub(crate) fn unsupported(what: impl Into<String>) -> Self {
        Problem::Unsupported { what: what.into() }
    }

    /// A name that is not one of a list.
    pub(crate) fn unknown_name(what: &'static str, name: &str, known: &[&str]) -> Self {
        let nearest = nearest(name, known).map(str::to_owned);
        let known = known.iter().map(|&name| name.to_owned()).collect();
        Problem::UnknownName { what, name: name.to_owned(), nearest, known }
    }

    /// A value that a key does not accept.
    pub(crate) fn wrong_value(key: &str, wants: impl Into<Cow<'static, str>>, node: &Node) -> Self {
        let found: Cow<'static, str> = match &node.value {
            Value::Array(items) => format!("an array of {}", items.len()).into(),
            Value::Integer(number) => number.to_string().into(),
            Value::Float(number) => format!("{number:?}").into(),
            Value::Text(text) => format!("{text:?}").into(),
            Value::Bool(flag) => flag.to_string().into(),
            other => other.type_name().into(),
        };
        Problem::WrongValue { key: key.into(), wants: wants.into(), found }
    }

    /// The problem for an operation that a token stopped.
    pub(crate) fn stopped(cancel: &CancelToken) -> Self {
        Problem::Stopped { why: cancel.stop_reason().unwrap_or(StopReason::Cancelled) }
    }

    /// A problem with a file, or `Stopped` if a token was cancelled.
    pub(crate) fn of_file(path: PathBuf, problem: FileProblem, cancel: &CancelToken) -> Self {
        match problem {
            FileProblem::Stopped => Self::stopped(cancel),
            problem => {
                let is_missing = matches!(&problem, FileProblem::Io(error) if error.kind() == io::ErrorKind::NotFound);
                let nearest = if is_missing { neighbour(&path) } else { None };
                Problem::File { path, problem: Box::new(problem), nearest }
            }
        }
    }

    /// A problem with the memory of a resource, likewise.
    pub(crate) fn of_memory(error: ResourceError, cancel: &CancelToken, label: impl fmt::Display) -> Self {
        match error {
            ResourceError::Stopped => Self::stopped(cancel),
            error => Problem::Resource { label: label.to_string(), error },
        }
    }

    /// The runtime's error behind it, if there is one.
    pub fn runtime(&self) -> Option<&Error> {
        match self {
            Problem::Run { error, .. }
            | Problem::Draw(
                DrawError::Runtime(error)
                | DrawError::Shader { source: error, .. }
                | DrawError::Draw { source: error, .. },
            ) => Some(error),
            _ => None,
        }
    }

    /// Advice on what to do about it, unless the message includes it.
    pub fn help(&self) -> Option<String> {
        match self {
            Problem::Value { help, .. } => help.clone(),
            Problem::UnknownKey { elsewhere: Elsewhere::Direct3D9, .. } => {
                Some("is this a document of Direct3D 9? Then it says `api = \"d3d9\"`".into())
            }
            Problem::UnknownKey { elsewhere: Elsewhere::Steps, known, .. } => {
                Some(format!("steps that have it are {}", known.join(", ")))
            }
            Problem::UnknownKey { key, elsewhere: Elsewhere::Top, .. } => {
                Some(format!("`{key}` is a key of the whole document: in TOML those stand above the first `[table]`"))
            }
            Problem::UnknownKey { nearest: Some(nearest), .. }
            | Problem::UnknownName { nearest: Some(nearest), .. }
            | Problem::UnknownVariable { nearest: Some(nearest), .. } => {
                Some(format!("did you mean `{}`?", short(nearest)))
            }
            Problem::File { nearest: Some(nearest), .. } => Some(format!("did you mean `{}`?", short(nearest))),
            Problem::MissingKey { key, meaning, .. } if !meaning.is_empty() => Some(format!("`{key}`: {meaning}")),
            Problem::Conflict { .. } => Some("leave one of them out".into()),
            Problem::UnknownVariable { known, .. } if known.is_empty() => {
                Some("set bytes, as in `at = [{ byte = 12, u32 = [512] }]`".into())
            }
            Problem::UnknownVariable { known, .. } => {
                Some(format!("the names here are {}", short_text(known.join(", "))))
            }
            Problem::UnknownKey { known, .. } => Some(format!("the keys here are {}", known.join(", "))),
            Problem::UnknownName { known, .. } if known.is_empty() => None,
            Problem::UnknownName { known, .. } => Some(format!("expected one of {}", short_list(known))),
            Problem::Read { problem } if matches!(**problem, FileProblem::TooLarge { .. }) => {
                Some("put the values in separate files, .npy or raw bytes, and name them with `file`".into())
            }
            Problem::NoDocument => Some("name any other file itself".into()),
            Problem::Extension => Some(
                "a shader is run by a document that names it and says what is bound: `brolga new` writes one".into(),
            ),
            Problem::Unsupported { .. } => Some("docs/document.md lists what documents can do".into()),
            Problem::NotCompiled { .. } => Some(
                "name one with `--compiler` or BROLGA_COMPILER, or compile it first, for example with \
                    `fxc /T cs_5_0 /E main /Fo x.cso`: docs/compile.md says how"
                    .into(),
            ),
            Problem::Text(wrong) => wrong.help.clone(),
            Problem::Run { error: Error::Instance(error), .. } => instance_help(error),
            Problem::Run { error: Error::Compile(error), .. } if error.is_size() => {
                Some("the interpreter can run it: leave out `--engine`".into())
            }
            Problem::Run { error: Error::Binding(BindingError::Unbound { register, .. }), .. } => {
                // A space is part of the name.
                let key = if register.space == 0 { register.to_string() } else { format!("\"{register}\"") };
                Some(format!("add a table `{key}` that says what it holds"))
            }
            Problem::Run { error: Error::Binding(BindingError::NoCounter { .. }), .. } => {
                Some("give the initial number of elements, as in `counter = 0`".into())
            }
            _ => None,
        }
    }
}

/// The file next to a missing one that was probably meant.
fn neighbour(missing: &Path) -> Option<String> {
    /// The maximum number of files examined.
    const MOST: usize = 4096;
    let folder = missing.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let entries = fs::read_dir(folder).ok()?.take(MOST).filter_map(Result::ok);
    let names: Vec<String> = entries.filter_map(|entry| entry.file_name().into_string().ok()).collect();
    let known: Vec<&str> = names.iter().map(String::as_str).collect();
    nearest(missing.file_name()?.to_str()?, &known).map(str::to_owned)
}

/// Names that fit into a message.
fn short_list(names: &[String]) -> String {
    const MOST: usize = 40;
    match names.len() > MOST {
        true => format!("{}, and {} more", names[..MOST].join(", "), names.len() - MOST),
        false => names.join(", "),
    }
}

/// A table that binds an instance of a class.
fn placed(class: &str) -> String {
    format!("{{ class = \"{class}\", constants = \"b0\", vector = 0 }}")
}

/// Advice on a problem with an interface variable.
fn instance_help(error: &InstanceError) -> Option<String> {
    let did_you_mean = |name: &str, known: &[String]| {
        let known: Vec<&str> = known.iter().map(String::as_str).collect();
        Some(format!("did you mean `{}`?", nearest(name, &known)?))
    };
    match error {
        InstanceError::Unset { unset } => {
            let Unset { variable, fits, classes, .. } = unset.first()?;
            // Quoted, an index is not part of the key's syntax.
            let key = if variable.contains('[') { format!("\"{variable}\"") } else { variable.clone() };
            let value = match (fits.first(), classes.first()) {
                (Some(name), _) => format!("\"{name}\""),
                (None, Some(class)) => placed(class),
                (None, None) => return None,
            };
            Some(format!("choose one in the table `instances`, as in `{key} = {value}`"))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_said_by_the_keys_that_lead_to_it() {
        let text: Arc<str> = Arc::from("{\"steps\": [{\"op\": \"draw\"}, {\"bind\": {\"t0\": \"x\"}}]}");
        let at = text.find("\"x\"").unwrap();
        let error = DocumentError::new(Path::new("a.json"), &text, (Problem::value("no"), at..at + 3));
        assert_eq!((error.place(), error.line_and_column()), ("steps[1].bind.t0".to_owned(), (1, at + 1)));
        // A problem with a whole table is reported at its first entry.
        let at = text.find("\"bind\"").unwrap();
        let error =
            DocumentError::new(Path::new("a.json"), &text, (Problem::value("no"), at..text.find("}}").unwrap() + 1));
        assert_eq!(error.place(), "steps[1]");
    }
}
