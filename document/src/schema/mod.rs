//! Defines the keys of documents: one row for each, with its type. The rows check a document's tree (`check.rs`), and
//! make the reference page (`page.rs`, docs/document-keys.md) and the JSON schema for editors (`json_schema.rs`).
//!
//! | file | what |
//! |---|---|
//! | `tables.rs` | the keys of documents, resources, samplers and expectations |
//! | `drawing.rs` | the keys of pipelines and steps |
//! | `direct3d9.rs` | the same with the names of Direct3D 9 |
//! | `parts.rs` | the keys that several tables share |
//! | `words.rs` | names with a fixed meaning |
//! | `check.rs` | checks a tree against them |
//! | `page.rs` | the page for people |
//! | `json_schema.rs` | the schema for editors |

mod check;
mod direct3d9;
mod drawing;
mod json_schema;
mod page;
mod parts;
mod tables;
pub(crate) mod words;

use crate::model::number::NumberType;
use words::NameList;

pub(crate) use check::{check, check_part};
pub(crate) use check::{elsewhere, is_free, short_keys};
pub(crate) use drawing::PIPELINE;
pub use json_schema::json_schema;
pub use page::page;
pub(crate) use tables::{CONSTANT_KEYS, SAMPLER, is_key, resource_keys};

/// A table with fixed keys.
pub(crate) struct Table {
    /// Its heading in the page; empty if it is part of another's.
    pub name: &'static str,
    /// Its name in messages: `a resource`.
    pub what: &'static str,
    pub keys: &'static [KeyRow],
    /// The meaning of other keys.
    pub others: Others,
}

/// The meaning of keys that a table does not list.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Others {
    Unknown,
    /// Variables of a constant buffer.
    Variables,
    /// Registers, or names of the shader's declarations.
    Registers,
}

/// A key.
pub(crate) struct KeyRow {
    pub name: &'static str,
    /// Aliases.
    pub also: &'static [&'static str],
    pub ty: Type,
    pub is_needed: bool,
    /// Its meaning, for the page.
    pub text: &'static str,
}

const fn key(name: &'static str, ty: Type, text: &'static str) -> KeyRow {
    KeyRow { name, also: &[], ty, is_needed: false, text }
}

impl KeyRow {
    const fn also(mut self, names: &'static [&'static str]) -> Self {
        self.also = names;
        self
    }

    const fn needed(mut self) -> Self {
        self.is_needed = true;
        self
    }
}

/// The type of a value.
pub(crate) enum Type {
    /// Anything: the value is ignored.
    Unread,
    Text,
    /// The name of a file.
    File,
    /// `null`.
    Nothing,
    /// `true` or `false`.
    Flag,
    /// An integer between two bounds, both inclusive.
    Integer(i64, i64),
    /// A number between two bounds, both inclusive.
    Number(f64, f64),
    /// A number of a type in memory; floats may be `"nan"`, `"inf"`, `"-inf"`.
    Of(NumberType),
    /// One of the names of a list.
    Word(&'static NameList),
    /// A list with a minimum and a maximum number of items.
    List(&'static Type, usize, usize),
    Table(&'static Table),
    /// A table with names chosen by the writer.
    Map(&'static Type),
    /// A table whose keys are the render states of Direct3D 9.
    RenderStates,
    /// One of these, told apart by their syntax.
    Either(&'static [Type]),
    /// A table of the short form's `bindings`: a register in `slot`, and its binding.
    Binding,
    /// A step: its `op` determines the table.
    Step,
    /// A type for Direct3D 11 and another for Direct3D 9.
    Api(&'static Type, &'static Type),
    /// Numbers, truth values, and lists and tables of them: a shader's variable, whose type only the shader knows.
    Constant,
}

/// Any number of items.
const ANY: usize = usize::MAX;
/// Integers of 32 bits.
const WORD: Type = Type::Integer(0, u32::MAX as i64);
const COUNT: Type = Type::Integer(1, u32::MAX as i64);
/// Integers of 64 bits.
const LONG: Type = Type::Integer(0, i64::MAX);
const FLOAT: Type = Type::Of(NumberType::F32);
/// The bound of a difference.
const BOUND: Type = Type::Number(0.0, f64::MAX);

const fn comment(name: &'static str) -> KeyRow {
    key(name, Type::Unread, "not read")
}
