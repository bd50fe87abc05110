//! Errors of reading a shader, with the place in its text.

use std::fmt;

/// A place in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Position {
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1, in bytes.
    pub column: u32,
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}

/// A shader that cannot be used, and where that shows.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub struct Error {
    /// The place; `None` for faults of the shader as a whole.
    pub at: Option<Position>,
    /// The reason.
    #[source]
    pub fault: Fault,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.at {
            Some(at) => write!(f, "{at}: {}", self.fault),
            None => write!(f, "{}", self.fault),
        }
    }
}

/// The reason why a shader cannot be used.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Fault {
    /// The text is not WGSL.
    #[error("{message}")]
    Syntax {
        /// The parser's words.
        message: String,
    },
    /// The text breaks a rule of WGSL.
    #[error("{message}")]
    Invalid {
        /// The validator's words, from the general to the particular.
        message: String,
    },
    /// A feature that Brolga does not run.
    #[error("{name} is not supported")]
    Unsupported {
        /// Its name.
        name: String,
    },
    /// More of something than the limits allow.
    #[error("{quantity}: {found}, the limit is {most}")]
    TooMany {
        /// The limited quantity.
        quantity: Quantity,
        /// What the shader has, or what it has so far.
        found: u64,
        /// The limit.
        most: u64,
    },
    /// There is no entry point of this name.
    #[error("there is no compute entry point {name}, only {}", list(found))]
    NoEntryPoint {
        /// The name that was asked for.
        name: String,
        /// Those of the text.
        found: Vec<String>,
    },
    /// No entry point was named, and the text does not have exactly one.
    #[error("{}", which(found))]
    WhichEntryPoint {
        /// Those of the text.
        found: Vec<String>,
    },
    /// A value for an override that the text does not declare.
    #[error("there is no override {name}, only {}", list(found))]
    NoOverride {
        /// Its name or number.
        name: String,
        /// Those of the text: `size`, `7 (scale)`.
        found: Vec<String>,
    },
    /// An override has neither a value nor a default.
    #[error("{}", without_value(name, others))]
    OverrideWithoutValue {
        /// Its name or number.
        name: String,
        /// Others that have none.
        others: Vec<String>,
    },
    /// A value that the type of its override does not have.
    #[error("override {name} cannot be {}: it is of type {ty}", number(*value))]
    OverrideValue {
        /// Its name or number.
        name: String,
        /// The value.
        value: f64,
        /// The type.
        ty: &'static str,
    },
    /// A size that is computed from overrides is no positive number.
    #[error("a size is {found}, not a positive number")]
    Size {
        /// The number, as a signed one.
        found: i32,
    },
    /// The parser failed on this text.
    #[error("internal error: {what}")]
    Internal {
        /// Its message.
        what: String,
    },
}

fn which(found: &[String]) -> String {
    match found {
        [] => "the text has no compute entry point".to_owned(),
        _ => format!("the text has {} compute entry points, not one: {}", found.len(), list(found)),
    }
}

fn without_value(name: &str, others: &[String]) -> String {
    match others {
        [] => format!("override {name} has no value"),
        others => format!("overrides {name}, {} have no value", others.join(", ")),
    }
}

/// A number as people write it.
fn number(value: f64) -> String {
    if value.abs() < 1e15 { format!("{value}") } else { format!("{value:e}") }
}

fn list(names: &[String]) -> String {
    if names.is_empty() { "none".to_owned() } else { names.join(", ") }
}

/// What a [limit](crate::Limits) bounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Quantity {
    /// Bytes of the text.
    Text,
    /// Declarations outside functions.
    Declarations,
    /// Steps of the parser.
    ParserSteps,
    /// Nested parentheses, operators and suffixes of an expression.
    ExpressionDepth,
    /// Nested statements.
    StatementDepth,
    /// Instructions, with those of inlined functions each time.
    Instructions,
    /// Functions that wait for each other's results.
    CallDepth,
    /// Words of private arrays of a thread.
    PrivateWords,
    /// Bytes of workgroup memory.
    WorkgroupBytes,
    /// Vectors of constant arrays.
    ConstantVectors,
    /// Threads in a group.
    GroupThreads,
}

impl fmt::Display for Quantity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Quantity::Text => "bytes of text",
            Quantity::Declarations => "declarations",
            Quantity::ParserSteps => "steps of the parser, which grow as the square of a function's length",
            Quantity::ExpressionDepth => "depth of an expression",
            Quantity::StatementDepth => "depth of statements",
            Quantity::Instructions => "instructions with those of inlined functions",
            Quantity::CallDepth => "depth of calls",
            Quantity::PrivateWords => "words of private arrays",
            Quantity::WorkgroupBytes => "bytes of workgroup memory",
            Quantity::ConstantVectors => "vectors of constant arrays",
            Quantity::GroupThreads => "threads in a group",
        })
    }
}
