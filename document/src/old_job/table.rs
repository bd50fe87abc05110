//! Reading the keys of one table: every accessor checks the type, and a table refuses keys that it does not know.

use std::borrow::Cow;

use super::document::{Entry, Node, Span, Value};
use super::error::{Problem, nearest};

/// A problem and its place, until the file's name is added.
pub(super) type Fault = (Problem, Span);

/// A table of the job whose keys are all known.
#[derive(Clone)]
pub(super) struct Table<'a> {
    entries: &'a [Entry],
    /// Where it stands.
    pub span: Span,
    /// What messages call it.
    pub place: &'static str,
}

impl<'a> Table<'a> {
    /// Opens `node` as a table. `key` is where it was found.
    pub fn open(node: &'a Node, key: &str, place: &'static str) -> Result<Self, Fault> {
        match &node.value {
            Value::Table(entries) => Ok(Self { entries, span: node.span.clone(), place }),
            _ => Err(wrong_type(key, "a table", node)),
        }
    }

    /// Moves complaints about the table as a whole to a better place, such as its name.
    pub fn at(mut self, span: &Span) -> Self {
        self.span = span.clone();
        self
    }

    /// Refuses keys that are not in one of the lists.
    pub fn allow(&self, known: &[&[&'static str]]) -> Result<(), Fault> {
        for entry in self.entries {
            if !known.iter().any(|list| list.contains(&entry.key.as_str())) {
                return Err(self.unknown(entry, known));
            }
        }
        Ok(())
    }

    /// The complaint about a key that is in none of the lists.
    pub fn unknown(&self, entry: &Entry, known: &[&[&'static str]]) -> Fault {
        let known = known.concat();
        let nearest = nearest(&entry.key, &known).map(str::to_owned);
        (Problem::UnknownKey { key: entry.key.clone(), place: self.place, nearest, known }, entry.key_span.clone())
    }

    /// All entries in the order of the text.
    pub fn entries(&self) -> &'a [Entry] {
        self.entries
    }

    /// The entry of a key.
    pub fn entry(&self, key: &str) -> Option<&'a Entry> {
        self.entries.iter().find(|entry| entry.key == key)
    }

    /// The value of a key.
    pub fn get(&self, key: &str) -> Option<&'a Node> {
        self.entry(key).map(|entry| &entry.node)
    }

    /// The value of a key that must be there.
    pub fn need(&self, key: &'static str) -> Result<&'a Node, Fault> {
        self.get(key).ok_or_else(|| self.missing(key))
    }

    /// The complaint that a key is missing.
    pub fn missing(&self, key: &'static str) -> Fault {
        (Problem::MissingKey { place: self.place, key }, self.span.clone())
    }

    /// The first of these keys that is there; two are a conflict.
    pub fn one_of(&self, keys: &[&str]) -> Result<Option<&'a Entry>, Fault> {
        let mut found = self.entries.iter().filter(|entry| keys.contains(&entry.key.as_str()));
        let (first, second) = (found.next(), found.next());
        match (first, second) {
            (Some(first), Some(second)) => Err(conflict(first, second)),
            _ => Ok(first),
        }
    }

    /// A text.
    pub fn text(&self, key: &str) -> Result<Option<&'a str>, Fault> {
        self.get(key).map(|node| as_text(node, key)).transpose()
    }

    /// An integer from `least` on.
    pub fn integer<T: Bounded>(&self, key: &str, least: T) -> Result<Option<T>, Fault> {
        self.get(key).map(|node| as_integer(node, key, least)).transpose()
    }

    /// A number that is not negative.
    pub fn positive(&self, key: &str) -> Result<Option<f64>, Fault> {
        let Some(node) = self.get(key) else { return Ok(None) };
        let number = match node.value {
            Value::Integer(number) => number as f64,
            Value::Float(number) => number,
            _ => return Err(wrong_type(key, "a number", node)),
        };
        // No bound at all would be the key left out.
        match number >= 0.0 && number.is_finite() {
            true => Ok(Some(number)),
            false => Err(wrong_value(key, "a finite number that is not negative", number.to_string(), node)),
        }
    }
}

/// Integer types that keys have.
pub(super) trait Bounded: TryFrom<i64> + Copy + PartialOrd + std::fmt::Display {
    /// The largest value.
    const MOST: Self;
}

impl Bounded for u32 {
    const MOST: Self = u32::MAX;
}

impl Bounded for u64 {
    const MOST: Self = i64::MAX as u64;
}

/// Two keys that are mutually exclusive; the complaint stands at the second.
pub(super) fn conflict(first: &Entry, second: &Entry) -> Fault {
    (Problem::Conflict { first: first.key.clone(), second: second.key.clone() }, second.key_span.clone())
}

/// A value of the wrong type.
pub(super) fn wrong_type(key: &str, wants: impl Into<Cow<'static, str>>, node: &Node) -> Fault {
    let found: Cow<'static, str> = match &node.value {
        Value::Array(items) => format!("an array of {}", items.len()).into(),
        other => other.type_name().into(),
    };
    wrong_value(key, wants, found, node)
}

/// A value that is none of those that the key takes.
pub(super) fn wrong_value(
    key: &str,
    wants: impl Into<Cow<'static, str>>,
    found: impl Into<Cow<'static, str>>,
    node: &Node,
) -> Fault {
    (Problem::WrongValue { key: key.into(), wants: wants.into(), found: found.into() }, node.span.clone())
}

/// A text.
pub(super) fn as_text<'a>(node: &'a Node, key: &str) -> Result<&'a str, Fault> {
    match &node.value {
        Value::Text(text) => Ok(text),
        _ => Err(wrong_type(key, "a string", node)),
    }
}

/// An array.
pub(super) fn as_array<'a>(node: &'a Node, key: &str) -> Result<&'a [Node], Fault> {
    match &node.value {
        Value::Array(items) => Ok(items),
        _ => Err(wrong_type(key, "an array", node)),
    }
}

/// An integer from `least` to the type's largest.
pub(super) fn as_integer<T: Bounded>(node: &Node, key: &str, least: T) -> Result<T, Fault> {
    let Value::Integer(number) = node.value else { return Err(wrong_type(key, "an integer", node)) };
    match T::try_from(number) {
        Ok(value) if value >= least => Ok(value),
        _ => Err(wrong_value(key, format!("integers from {least} to {}", T::MOST), number.to_string(), node)),
    }
}

/// The name of a list entry, or a complaint with the nearest one.
pub(super) fn unknown_name(what: &'static str, name: &str, known: &[&'static str], span: &Span) -> Fault {
    let nearest = nearest(name, known).map(str::to_owned);
    (Problem::UnknownName { what, name: name.into(), nearest, known: known.to_vec() }, span.clone())
}
