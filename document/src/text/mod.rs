//! Parses a document to a tree of values with their spans in its text.
//!
//! JSON and TOML give the same tree, so that everything after it is written once and every error has a position.
//! Numbers keep their full range: an integer is an `i64`, anything else an `f64`.
//!
//! Readers rely on the checks in `schema/`: for a value that is not of the type requested, accessors return `None`.

pub(crate) mod nearest;
mod quote;
mod syntax;

use std::ops::Range;

pub(crate) use quote::{key, quoted};
pub use syntax::Syntax;
pub(crate) use syntax::{Broken, Why, parse};

/// A range of bytes in a document's text.
pub type Span = Range<usize>;

/// A value and its span.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Node {
    pub value: Value,
    pub span: Span,
}

/// The content of a value.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Value {
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
pub(crate) struct Entry {
    pub key: String,
    pub key_span: Span,
    pub node: Node,
}

impl Entry {
    /// The key and its value.
    pub fn span(&self) -> Span {
        self.key_span.start..self.node.span.end.max(self.key_span.end)
    }
}

/// A value and its span in a document's text.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Located<T> {
    pub value: T,
    pub span: Span,
}

impl<T> Located<T> {
    pub fn new(value: T, span: &Span) -> Self {
        Self { value, span: span.clone() }
    }
}

impl Value {
    /// The name of a value's type in messages.
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

    /// A number of any type, or the words for numbers that JSON does not have.
    pub fn number(&self) -> Option<f64> {
        match self {
            Value::Integer(number) => Some(*number as f64),
            Value::Float(number) => Some(*number),
            Value::Text(text) => match text.as_str() {
                "nan" => Some(f64::NAN),
                "inf" => Some(f64::INFINITY),
                "-inf" => Some(f64::NEG_INFINITY),
                _ => None,
            },
            _ => None,
        }
    }
}

impl Node {
    /// The entries of a table, in the order of the text.
    pub fn entries(&self) -> &[Entry] {
        if let Value::Table(entries) = &self.value { entries } else { &[] }
    }

    /// The items of an array.
    pub fn items(&self) -> &[Node] {
        if let Value::Array(items) = &self.value { items } else { &[] }
    }

    /// The items of a list, or the only one where there is no list.
    pub fn one_or_more(&self) -> &[Node] {
        if let Value::Array(items) = &self.value { items } else { std::slice::from_ref(self) }
    }

    /// A text.
    pub fn text(&self) -> Option<&str> {
        if let Value::Text(text) = &self.value { Some(text) } else { None }
    }

    /// An integer.
    pub fn integer<T: TryFrom<i64>>(&self) -> Option<T> {
        if let Value::Integer(number) = self.value { T::try_from(number).ok() } else { None }
    }

    /// True or false.
    pub fn flag(&self) -> Option<bool> {
        if let Value::Bool(flag) = self.value { Some(flag) } else { None }
    }

    /// A number, rounded.
    pub fn float(&self) -> Option<f32> {
        self.value.number().map(|number| number as f32)
    }

    /// Exactly `N` items, each read.
    pub fn array<T: Copy + Default, const N: usize>(&self, read: impl Fn(&Node) -> Option<T>) -> Option<[T; N]> {
        let mut all = [T::default(); N];
        let items = self.items();
        if items.len() != N {
            return None;
        }
        for (to, item) in all.iter_mut().zip(items) {
            *to = read(item)?;
        }
        Some(all)
    }

    /// The entry of a key.
    pub fn entry(&self, key: &str) -> Option<&Entry> {
        self.entries().iter().find(|entry| entry.key == key)
    }

    /// The value of a key.
    pub fn get(&self, key: &str) -> Option<&Node> {
        self.entry(key).map(|entry| &entry.node)
    }

    /// The text at a key.
    pub fn text_at(&self, key: &str) -> Option<&str> {
        self.get(key)?.text()
    }

    /// The text at a key, with its span.
    pub fn named_at(&self, key: &str) -> Option<Located<String>> {
        let node = self.get(key)?;
        Some(Located::new(node.text()?.to_owned(), &node.span))
    }

    /// The integer at a key.
    pub fn integer_at<T: TryFrom<i64>>(&self, key: &str) -> Option<T> {
        self.get(key)?.integer()
    }

    /// `true` if the key is present and true.
    pub fn is_true(&self, key: &str) -> bool {
        self.get(key).and_then(Node::flag).unwrap_or(false)
    }

    /// The items at a key; none where it is absent.
    pub fn items_at(&self, key: &str) -> &[Node] {
        self.get(key).map_or(&[], Node::items)
    }

    /// The entries at a key; none where it is absent.
    pub fn entries_at(&self, key: &str) -> &[Entry] {
        self.get(key).map_or(&[], Node::entries)
    }

    /// The span at which errors about all of it are reported: a table may be long, so it is that of its first entry.
    pub fn head(&self) -> Span {
        match self.entries() {
            [first, ..] => first.span(),
            [] => self.span.clone(),
        }
    }

    /// The path of the innermost value that an error at a span is about: `steps[2].bind.t0`. A key with its value
    /// stands for the table that begins with it, as in [`Self::head`].
    pub fn path_of(&self, span: &Span) -> String {
        self.path_inside(span).unwrap_or_default()
    }

    /// The same, if a value inside this one is meant. The content of a TOML table follows its header, and is not within
    /// its span.
    fn path_inside(&self, span: &Span) -> Option<String> {
        let is_at = |place: &Span| place.contains(&span.start);
        let joined = |outer: String, inner: String| match inner.is_empty() || inner.starts_with('[') {
            true => outer + &inner,
            false => format!("{outer}.{inner}"),
        };
        let of_entry = |Entry { key, key_span, node }: &Entry| {
            if let Some(inner) = node.path_inside(span) {
                return Some(joined(key.clone(), inner));
            }
            let is_head = key_span.start == span.start && (key_span.end..=span.end).contains(&node.span.start);
            match is_at(key_span) || is_at(&node.span) {
                true if is_head && node.span.end <= span.end => Some(String::new()),
                true => Some(key.clone()),
                false => None,
            }
        };
        let of_item = |(n, item): (usize, &Node)| {
            let outer = format!("[{n}]");
            match item.path_inside(span) {
                Some(inner) => Some(joined(outer, inner)),
                None => is_at(&item.span).then_some(outer),
            }
        };
        let entry = self.entries().iter().find_map(of_entry);
        entry.or_else(|| self.items().iter().enumerate().find_map(of_item))
    }
}
