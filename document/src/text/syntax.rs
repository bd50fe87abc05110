//! Parses documents from JSON and TOML.
//!
//! `serde_json` checks the text and leaves each value as a slice of it, which gives its span. Nesting is limited, so
//! that a hostile file cannot exhaust the stack.

use std::collections::HashSet;
use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::{Entry, Node, Span, Value};

/// The maximum nesting of arrays and tables.
const MAX_DEPTH: usize = 64;

/// The syntax of a document.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Syntax {
    /// JavaScript object notation.
    Json,
    /// Tom's obvious minimal language.
    Toml,
}

/// The reason why a text is invalid, and the position.
#[derive(Debug)]
pub(crate) struct Broken {
    pub why: Why,
    pub span: Span,
}

/// The reason why a text is invalid.
#[derive(Debug)]
pub(crate) enum Why {
    /// It is not JSON or TOML: the parser's message.
    Syntax(String),
    /// A key occurs twice in one table.
    DuplicateKey(String),
    /// Its root is not a table, but this.
    NoTable(&'static str),
}

impl Broken {
    fn new(why: Why, span: Span) -> Self {
        Self { why, span }
    }

    fn syntax(message: &str, span: Span) -> Self {
        Self::new(Why::Syntax(message.to_owned()), span)
    }
}

type Parsed<T> = Result<T, Broken>;

/// Reads a whole document; its root is a table.
pub(crate) fn parse(text: &str, syntax: Syntax) -> Parsed<Node> {
    let root = match syntax {
        Syntax::Json => parse_json(text)?,
        Syntax::Toml => parse_toml(text)?,
    };
    match root.value {
        Value::Table(_) => Ok(root),
        other => Err(Broken::new(Why::NoTable(other.type_name()), root.span)),
    }
}

fn parse_toml(text: &str) -> Parsed<Node> {
    let document = toml::de::DeTable::parse(text).map_err(|error| {
        let span = error.span().unwrap_or(0..0);
        match (error.message(), text.get(span.clone())) {
            ("duplicate key", Some(key)) if !key.is_empty() => Broken::new(Why::DuplicateKey(key.to_owned()), span),
            (message, _) => Broken::syntax(message, span),
        }
    })?;
    let span = document.span();
    table_of_toml(document.into_inner(), span)
}

fn table_of_toml(table: toml::de::DeTable<'_>, span: Span) -> Parsed<Node> {
    let mut entries = Vec::new();
    for (key, value) in table {
        let key_span = key.span();
        let value_span = value.span();
        let node = node_of_toml(value.into_inner(), value_span)?;
        entries.push(Entry { key: key.into_inner().into_owned(), key_span, node });
    }
    // The parser sorts by name; bindings must stay in the writer's order.
    entries.sort_by_key(|entry| entry.key_span.start);
    Ok(Node { value: Value::Table(entries), span })
}

fn node_of_toml(value: toml::de::DeValue<'_>, span: Span) -> Parsed<Node> {
    use toml::de::DeValue;
    let value = match value {
        DeValue::String(text) => Value::Text(text.into_owned()),
        DeValue::Integer(number) => match i64::from_str_radix(number.as_str(), number.radix()) {
            Ok(number) => Value::Integer(number),
            Err(_) => return Err(Broken::syntax("the integer needs more than 64 bits", span)),
        },
        DeValue::Float(number) => match number.as_str().parse::<f64>() {
            // Infinity is a word; digits for it are a number that is too large.
            Ok(value) if !value.is_infinite() || number.as_str().ends_with("inf") => Value::Float(value),
            _ => return Err(Broken::syntax("this is not a number of 64 bits", span)),
        },
        DeValue::Boolean(truth) => Value::Bool(truth),
        DeValue::Datetime(date) => Value::Text(date.to_string()),
        DeValue::Array(items) => {
            let mut nodes = Vec::with_capacity(items.len());
            for item in items {
                let item_span = item.span();
                nodes.push(node_of_toml(item.into_inner(), item_span)?);
            }
            Value::Array(nodes)
        }
        DeValue::Table(table) => return table_of_toml(table, span),
    };
    Ok(Node { value, span })
}

/// Reads one value of JSON that fills the whole text.
fn parse_json(text: &str) -> Parsed<Node> {
    // Some editors begin files with a byte-order mark.
    let part = text.strip_prefix('\u{feff}').unwrap_or(text);
    read(text, part).and_then(|raw| node_of_json(text, raw, 0))
}

/// A value of any depth.
fn node_of_json(text: &str, raw: &RawValue, depth: usize) -> Parsed<Node> {
    let part = raw.get();
    let span = span(text, part);
    let wrong = |message: &str| Err(Broken::syntax(message, span.clone()));
    let value = match part.as_bytes().first() {
        Some(b'{' | b'[') if depth == MAX_DEPTH => return wrong("arrays and tables are nested too deeply"),
        Some(b'{') => Value::Table(entries_of_json(text, part, depth)?),
        Some(b'[') => {
            let items: Vec<&RawValue> = read(text, part)?;
            Value::Array(items.into_iter().map(|item| node_of_json(text, item, depth + 1)).collect::<Parsed<_>>()?)
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

fn entries_of_json(text: &str, part: &str, depth: usize) -> Parsed<Vec<Entry>> {
    let JsonEntries(pairs) = read(text, part)?;
    let mut keys = HashSet::new();
    let mut entries = Vec::with_capacity(pairs.len());
    for (key, value) in pairs {
        let key_span = span(text, key.get());
        let key: String = read(text, key.get())?;
        if !keys.insert(key.clone()) {
            return Err(Broken::new(Why::DuplicateKey(key), key_span));
        }
        entries.push(Entry { key, key_span, node: node_of_json(text, value, depth + 1)? });
    }
    Ok(entries)
}

/// The keys and values of a table, in the order of the text.
struct JsonEntries<'a>(Vec<(&'a RawValue, &'a RawValue)>);

impl<'de> Deserialize<'de> for JsonEntries<'de> {
    fn deserialize<D: Deserializer<'de>>(table: D) -> Result<Self, D::Error> {
        table.deserialize_map(PairsVisitor)
    }
}

struct PairsVisitor;

impl<'de> Visitor<'de> for PairsVisitor {
    type Value = JsonEntries<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a table")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut table: A) -> Result<JsonEntries<'de>, A::Error> {
        let mut pairs = Vec::new();
        while let Some(pair) = table.next_entry()? {
            pairs.push(pair);
        }
        Ok(JsonEntries(pairs))
    }
}

/// Parses a part of the text. An error is at the position that `serde_json` reports as line and byte.
fn read<'a, T: Deserialize<'a>>(text: &str, part: &'a str) -> Parsed<T> {
    serde_json::from_str(part).map_err(|error| {
        let lines = part.split_inclusive('\n').take(error.line().saturating_sub(1));
        let byte = lines.map(str::len).sum::<usize>() + error.column().saturating_sub(1);
        let at = part.floor_char_boundary(byte);
        let width = part[at..].chars().next().map_or(0, char::len_utf8);
        let message = error.to_string();
        let message = message.rsplit_once(" at line ").map_or(message.as_str(), |(message, _)| message);
        Broken::syntax(message, span(text, &part[at..at + width]))
    })
}

/// The span of a part of the text.
fn span(text: &str, part: &str) -> Span {
    let start = part.as_ptr().addr() - text.as_ptr().addr();
    start..start + part.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_syntaxes_give_the_same_values() {
        let json = parse(r#"{"a": [1, -2.5, "x"], "b": {"c": true}}"#, Syntax::Json).unwrap();
        let toml = parse("a = [1, -2.5, \"x\"]\n[b]\nc = true\n", Syntax::Toml).unwrap();
        assert_eq!(plain(&json), plain(&toml));
    }

    #[test]
    fn toml_numbers_may_be_hexadecimal_and_entries_keep_their_order() {
        let node = parse("z = 0xff\na = 1_000\n", Syntax::Toml).unwrap();
        assert_eq!(plain(&node), "{z: Integer(255), a: Integer(1000), }");
    }

    #[test]
    fn spans_point_at_the_value() {
        let text = "a = 1\nb = \"two\"\n";
        let Value::Table(entries) = parse(text, Syntax::Toml).unwrap().value else { panic!() };
        assert_eq!(&text[entries[1].node.span.clone()], "\"two\"");
        assert_eq!(&text[entries[1].key_span.clone()], "b");
    }

    #[test]
    fn a_document_is_a_table() {
        assert!(matches!(parse("[1]", Syntax::Json), Err(Broken { why: Why::NoTable(_), .. })));
    }

    fn plain(node: &Node) -> String {
        match &node.value {
            Value::Array(items) => format!("[{}]", items.iter().map(|item| plain(item) + ", ").collect::<String>()),
            Value::Table(entries) => {
                format!(
                    "{{{}}}",
                    entries.iter().map(|e| format!("{}: {}, ", e.key, plain(&e.node))).collect::<String>()
                )
            }
            other => format!("{other:?}"),
        }
    }

    #[test]
    fn escapes_become_characters() {
        let node = parse_json(r#""a\n\u00e9\ud83d\ude00\/""#).unwrap();
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
            assert!(parse_json(text).is_err(), "{text}");
        }
        assert!(parse_json(&"[".repeat(100_000)).is_err());
    }

    #[test]
    fn a_key_may_not_come_twice() {
        let Broken { why, span } = parse_json(r#"{"a":1,"a":2}"#).unwrap_err();
        assert!(matches!(why, Why::DuplicateKey(_)));
        assert_eq!(span, 7..10);
    }
}
