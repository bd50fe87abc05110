//! JSON with the place of every value: `serde_json` checks the text and leaves each value as the part of it that it is.
//!
//! Nesting is capped, so that a hostile file cannot use up the stack.

use std::collections::HashSet;
use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::document::{Entry, Node, Span, Value};
use super::error::Problem;

/// Arrays and tables inside each other.
const MAX_DEPTH: usize = 64;

type Parsed<T> = Result<T, (Problem, Span)>;

/// Reads one value that fills the whole text.
pub(super) fn parse(text: &str) -> Parsed<Node> {
    // Editors of some systems put a byte-order mark in front.
    let part = text.strip_prefix('\u{feff}').unwrap_or(text);
    read(text, part).and_then(|raw| node(text, raw, 0))
}

/// A value of any depth.
fn node(text: &str, raw: &RawValue, depth: usize) -> Parsed<Node> {
    let part = raw.get();
    let span = span(text, part);
    let wrong = |message: &str| Err((Problem::Syntax { message: message.into() }, span.clone()));
    let value = match part.as_bytes().first() {
        Some(b'{' | b'[') if depth == MAX_DEPTH => return wrong("arrays and tables are nested too deeply"),
        Some(b'{') => Value::Table(entries(text, part, depth)?),
        Some(b'[') => {
            let items: Vec<&RawValue> = read(text, part)?;
            Value::Array(items.into_iter().map(|item| node(text, item, depth + 1)).collect::<Parsed<_>>()?)
        }
        Some(b'"') => Value::Text(read(text, part)?),
        Some(b't' | b'f') => Value::Bool(part == "true"),
        Some(b'n') => Value::Null,
        _ => match (part.parse(), part.parse::<f64>()) {
            (Ok(number), _) => Value::Integer(number),
            (_, Ok(number)) if number.is_finite() => Value::Float(number),
            _ => return wrong("this is not a number of 64 bits"),
        },
    };
    Ok(Node { value, span })
}

fn entries(text: &str, part: &str, depth: usize) -> Parsed<Vec<Entry>> {
    let Pairs(pairs) = read(text, part)?;
    let mut keys = HashSet::new();
    let mut entries = Vec::with_capacity(pairs.len());
    for (key, value) in pairs {
        let key_span = span(text, key.get());
        let key: String = read(text, key.get())?;
        if !keys.insert(key.clone()) {
            return Err((Problem::DuplicateKey { key }, key_span));
        }
        entries.push(Entry { key, key_span, node: node(text, value, depth + 1)? });
    }
    Ok(entries)
}

/// The keys and values of a table, in the order of the text.
struct Pairs<'a>(Vec<(&'a RawValue, &'a RawValue)>);

impl<'de> Deserialize<'de> for Pairs<'de> {
    fn deserialize<D: Deserializer<'de>>(table: D) -> Result<Self, D::Error> {
        table.deserialize_map(PairsVisitor)
    }
}

struct PairsVisitor;

impl<'de> Visitor<'de> for PairsVisitor {
    type Value = Pairs<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a table")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut table: A) -> Result<Pairs<'de>, A::Error> {
        let mut pairs = Vec::new();
        while let Some(pair) = table.next_entry()? {
            pairs.push(pair);
        }
        Ok(Pairs(pairs))
    }
}

/// Reads a part of the text. An error is at the place that `serde_json` names by its line and the byte in it.
fn read<'a, T: Deserialize<'a>>(text: &str, part: &'a str) -> Parsed<T> {
    serde_json::from_str(part).map_err(|error| {
        let lines = part.split_inclusive('\n').take(error.line().saturating_sub(1));
        let byte = lines.map(str::len).sum::<usize>() + error.column().saturating_sub(1);
        let at = part.floor_char_boundary(byte);
        let width = part[at..].chars().next().map_or(0, char::len_utf8);
        let message = error.to_string();
        let message = message.rsplit_once(" at line ").map_or(message.as_str(), |(message, _)| message).to_owned();
        (Problem::Syntax { message }, span(text, &part[at..at + width]))
    })
}

/// Where a part of the text lies in it.
fn span(text: &str, part: &str) -> Span {
    let start = part.as_ptr().addr() - text.as_ptr().addr();
    start..start + part.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_become_characters() {
        let node = parse(r#""a\n\u00e9\ud83d\ude00\/""#).unwrap();
        assert_eq!(node.value, Value::Text("a\né😀/".into()));
    }

    #[test]
    fn broken_text_is_an_error_and_never_a_panic() {
        for text in [
            "",
            "{",
            "[1,",
            "{\"a\"}",
            "{\"a\":}",
            "\"",
            "\"\\",
            "\"\\u12",
            "\"\\ud800",
            "\"\\ud800\\u0041\"",
            "-",
            "1e999",
            "nul",
            "[1] 2",
            "é",
        ] {
            assert!(parse(text).is_err(), "{text}");
        }
        assert!(parse(&"[".repeat(100_000)).is_err());
    }

    #[test]
    fn a_key_may_not_come_twice() {
        let (problem, span) = parse(r#"{"a":1,"a":2}"#).unwrap_err();
        assert!(matches!(problem, Problem::DuplicateKey { .. }));
        assert_eq!(span, 7..10);
    }
}
