//! Defines exceptions: a class for each [`ErrorKind`], all of them `brolga.Error`, and converts the library's errors to
//! them.

use std::path::Path;

use brolga::bytecode::assembler::AssembleError;
use brolga::document::{DocumentError, Problem};
use brolga::raster::DrawError;
use brolga::{CacheError, ErrorKind, ParseRegisterError};
use pyo3::exceptions::PyException;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use pyo3::{PyTypeInfo, create_exception};

create_exception!(brolga, Error, PyException, "What went wrong in Brolga. Its subclasses say what helps.");

/// A class for each kind, with the problem and advice.
macro_rules! exceptions {
    ($($kind:ident $class:ident $doc:literal)*) => {
        $(create_exception!(brolga, $class, Error, $doc);)*

        /// An exception of a kind.
        fn of_kind(kind: ErrorKind, message: String) -> PyErr {
            match kind {
                $(ErrorKind::$kind => $class::new_err(message),)*
                _ => Error::new_err(message),
            }
        }

        /// Adds the classes to the module. Each has its kind's name and number, `kind` and `number`; an exception of a
        /// run has `messages`.
        pub fn add_to(module: &Bound<'_, PyModule>) -> PyResult<()> {
            let py = module.py();
            let base = Error::type_object(py);
            base.setattr("kind", "Error")?;
            base.setattr("number", 0)?;
            base.setattr("messages", PyTuple::empty(py))?;
            module.add("Error", base)?;
            $(
                let class = $class::type_object(py);
                class.setattr("kind", stringify!($kind))?;
                class.setattr("number", ErrorKind::$kind as u32)?;
                module.add(stringify!($class), class)?;
            )*
            Ok(())
        }
    };
}

exceptions! {
    File FileError "The bytes, the listing or the file are not valid. Another file helps."
    Unsupported UnsupportedError "The shader is valid, but cannot run, or not on this processor."
    Instance InstanceError "An interface variable has no class instance, or one that does not fit."
    Binding BindingError "A register or name does not exist, or what is bound to it does not fit."
    Resource ResourceError "There can be no such array, texture, view or sampler, or no such part of it."
    Call CallError "A shader of this stage does not run this way, or the arguments do not fit each other."
    Limit LimitError "The shader or the call exceeds a limit."
    Stopped StoppedError "A cancel token, a time limit or fuel ended the work."
    DivergentBarrier DivergentBarrierError "Threads of a group met different barriers. The shader is wrong."
    System SystemRefusedError "The operating system refused memory, a thread or a file."
    Internal InternalError "A bug in Brolga."
    Aborted AbortedError "The shader ended the run by `abort`. `messages` has what it printed before."
}

/// The error of the library's functions, as a Python exception.
pub struct Failure(ErrorKind, String);

impl Failure {
    /// A failure with a message of the bindings' own.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self(kind, message.into())
    }

    /// Adds a file to the message.
    pub fn in_file(self, path: Option<&Path>) -> Self {
        match (path, self.0) {
            // The time at which the work ended says nothing about the file.
            (None, _) | (_, ErrorKind::Stopped | ErrorKind::System) => self,
            (Some(path), kind) => Self(kind, format!("{}: {}", path.display(), self.1)),
        }
    }

    /// Adds advice.
    pub fn with_help(self, help: Option<String>) -> Self {
        let help = help.map_or(String::new(), |help| format!("; help: {help}"));
        Self(self.0, self.1 + &help)
    }

    /// The failure for a dict that is bound to a constant buffer, and does not fit it.
    pub fn of_constants(error: DocumentError) -> Self {
        let kind = kind_of(error.problem()).unwrap_or(ErrorKind::Binding);
        Self(kind, error.problem().to_string()).with_help(error.help())
    }

    /// The failure for an invalid resource.
    pub fn resource(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Resource, message)
    }
}

impl From<Failure> for PyErr {
    fn from(Failure(kind, message): Failure) -> Self {
        of_kind(kind, message)
    }
}

impl From<brolga::Error> for Failure {
    fn from(error: brolga::Error) -> Self {
        Self(error.kind(), error.to_string())
    }
}

impl From<brolga::ResourceError> for Failure {
    fn from(error: brolga::ResourceError) -> Self {
        brolga::Error::from(error).into()
    }
}

impl From<brolga::BindingError> for Failure {
    fn from(error: brolga::BindingError) -> Self {
        brolga::Error::from(error).into()
    }
}

impl From<ParseRegisterError> for Failure {
    fn from(error: ParseRegisterError) -> Self {
        brolga::Error::from(error).into()
    }
}

impl From<DrawError> for Failure {
    fn from(error: DrawError) -> Self {
        Self(error.kind(), error.to_string())
    }
}

impl From<AssembleError> for Failure {
    fn from(error: AssembleError) -> Self {
        let hint = error.hint().map_or(String::new(), |hint| format!("; help: {hint}"));
        Self(ErrorKind::File, format!("{error}{hint}"))
    }
}

impl From<brolga::bytecode::Error> for Failure {
    fn from(error: brolga::bytecode::Error) -> Self {
        brolga::Error::from(error).into()
    }
}

impl From<CacheError> for Failure {
    fn from(error: CacheError) -> Self {
        Self(ErrorKind::System, error.to_string())
    }
}

impl From<DocumentError> for Failure {
    fn from(error: DocumentError) -> Self {
        let usual = if error.is_of_file() { ErrorKind::File } else { ErrorKind::Call };
        Self(kind_of(error.problem()).unwrap_or(usual), error.to_string()).with_help(error.help())
    }
}

/// The kind of a problem that is not of the text itself.
fn kind_of(problem: &Problem) -> Option<ErrorKind> {
    match problem {
        Problem::Run { error, .. } => Some(error.kind()),
        Problem::Draw(error) => Some(error.kind()),
        Problem::Resource { .. } => Some(ErrorKind::Resource),
        Problem::Stopped { .. } => Some(ErrorKind::Stopped),
        Problem::Unsupported { .. } => Some(ErrorKind::Unsupported),
        Problem::TooLarge { .. } => Some(ErrorKind::Limit),
        _ => None,
    }
}
