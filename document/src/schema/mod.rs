//! The keys of documents: one row for each, with its type. The rows check a document's tree (`check.rs`), are the reference page
//! (`page.rs`, docs/document-keys.md) and the JSON schema for editors (`json_schema.rs`).
//!
//! | file | what |
//! |---|---|
//! | `tables.rs` | the keys of documents, resources, samplers and expectations |
//! | `drawing.rs` | the keys of pipelines and steps |
//! | `direct3d9.rs` | the same where they are Direct3D 9's |
//! | `parts.rs` | the keys of what several tables have |
//! | `words.rs` | names with a fixed meaning |
//! | `check.rs` | holds a tree against them |
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
use words::Words;

pub(crate) use check::short_keys;
pub(crate) use check::{check, check_part};
pub(crate) use drawing::PIPELINE;
pub use json_schema::json_schema;
pub use page::page;
pub(crate) use tables::{CONSTANT_KEYS, SAMPLER, is_key, resource_keys};

/// A table with fixed keys.
pub(crate) struct Table {
    /// Its heading in the page; nothing where it is part of another's.
    pub name: &'static str,
    /// What messages call it: `a resource`.
    pub what: &'static str,
    pub keys: &'static [Key],
    /// What other keys are.
    pub others: Others,
}

/// What keys are that a table does not list.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Others {
    Unknown,
    /// Variables of a constant buffer.
    Variables,
    /// Registers, or names of what the shader declares.
    Registers,
}

/// A key.
pub(crate) struct Key {
    pub name: &'static str,
    /// Other names that it has.
    pub also: &'static [&'static str],
    pub ty: Type,
    pub is_needed: bool,
    /// What it says, for the page.
    pub text: &'static str,
}

const fn key(name: &'static str, ty: Type, text: &'static str) -> Key {
    Key { name, also: &[], ty, is_needed: false, text }
}

impl Key {
    const fn also(mut self, names: &'static [&'static str]) -> Self {
        self.also = names;
        self
    }

    const fn needed(mut self) -> Self {
        self.is_needed = true;
        self
    }
}

/// What a value may be.
pub(crate) enum Type {
    /// Anything: nobody reads it.
    Unread,
    Text,
    /// The name of a file.
    File,
    /// `null`.
    Nothing,
    /// `true` or `false`.
    Flag,
    /// An integer, from the first to the second.
    Integer(i64, i64),
    /// A number, from the first to the second.
    Number(f64, f64),
    /// A number of a type in memory; floats may be `"nan"`, `"inf"`, `"-inf"`.
    Of(NumberType),
    /// One of the names of a list.
    Word(&'static Words),
    /// So many items at least, and at most.
    List(&'static Type, usize, usize),
    Table(&'static Table),
    /// A table with names of the writer's own.
    Map(&'static Type),
    /// A table whose keys are the render states of Direct3D 9.
    RenderStates,
    /// One of these, told by what it is in the text.
    Either(&'static [Type]),
    /// A table of the short form's `bindings`: a register in `slot`, and what is bound there.
    Binding,
    /// A step: its `op` says which table it is.
    Step,
    /// What differs in Direct3D 11 and in Direct3D 9.
    Api(&'static Type, &'static Type),
    /// Numbers, truth values, and lists and tables of them: what a shader's variable is, which only the shader knows.
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
/// What bounds a difference.
const BOUND: Type = Type::Number(0.0, f64::MAX);

const fn comment(name: &'static str) -> Key {
    key(name, Type::Unread, "not read")
}
