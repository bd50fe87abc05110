//! A job file as a tree of values that know where they stand in the text.
//!
//! JSON and TOML give the same tree, so that everything after this file is written once and every complaint can point
//! at its place. Numbers keep their full range: an integer is an `i64`, anything else an `f64`.

use std::ops::Range;

/// Bytes of the job's text, from the first to one past the last.
pub type Span = Range<usize>;

/// A value and its place.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Node {
    pub value: Value,
    pub span: Span,
}

/// What a value is.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Value {
    Null,
    Bool(bool),
    Integer(i64),
    Float(f64),
    Text(String),
    Array(Vec<Node>),
    Table(Vec<Entry>),
}

/// One `key = value` of a table.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Entry {
    pub key: String,
    pub key_span: Span,
    pub node: Node,
}

impl Value {
    /// What messages call a value of this type.
    pub fn type_name(&self) -> &'static str {
        match self {
            Value::Null => "null",
            Value::Bool(_) => "a boolean",
            Value::Integer(_) => "an integer",
            Value::Float(_) => "a float",
            Value::Text(_) => "a string",
            Value::Array(_) => "an array",
            Value::Table(_) => "a table",
        }
    }
}
