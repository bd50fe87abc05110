//! A job file as a tree of values that know where they stand in the text.
//!
//! JSON and TOML give the same tree, so that everything after this file is written once and every complaint can point
//! at its place. Numbers keep their full range: an integer is an `i64`, anything else an `f64`.

use std::ops::Range;

use super::error::Problem;
use super::json;

/// Bytes of the job's text, from the first to one past the last.
pub type Span = Range<usize>;

/// How a job file is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Syntax {
    /// JavaScript object notation.
    Json,
    /// Tom's obvious minimal language.
    Toml,
}

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

/// Reads a whole document; its root is a table.
pub(super) fn parse(text: &str, syntax: Syntax) -> Result<Node, (Problem, Span)> {
    let root = match syntax {
        Syntax::Json => json::parse(text)?,
        Syntax::Toml => parse_toml(text)?,
    };
    match root.value {
        Value::Table(_) => Ok(root),
        other => Err((
            Problem::WrongValue { key: "the job".into(), wants: "a table".into(), found: other.type_name().into() },
            root.span,
        )),
    }
}

fn parse_toml(text: &str) -> Result<Node, (Problem, Span)> {
    let document = toml::de::DeTable::parse(text).map_err(|error| {
        let span = error.span().unwrap_or(0..0);
        let problem = match (error.message(), text.get(span.clone())) {
            ("duplicate key", Some(key)) if !key.is_empty() => Problem::DuplicateKey { key: key.to_owned() },
            (message, _) => Problem::Syntax { message: message.to_owned() },
        };
        (problem, span)
    })?;
    let span = document.span();
    table_of_toml(document.into_inner(), span)
}

fn table_of_toml(table: toml::de::DeTable<'_>, span: Span) -> Result<Node, (Problem, Span)> {
    let mut entries = Vec::new();
    for (key, value) in table {
        let key_span = key.span();
        let value_span = value.span();
        let node = node_of_toml(value.into_inner(), value_span)?;
        entries.push(Entry { key: key.into_inner().into_owned(), key_span, node });
    }
    // The parser sorts by name; bindings shall stay in the writer's order.
    entries.sort_by_key(|entry| entry.key_span.start);
    Ok(Node { value: Value::Table(entries), span })
}

fn node_of_toml(value: toml::de::DeValue<'_>, span: Span) -> Result<Node, (Problem, Span)> {
    use toml::de::DeValue;
    let value = match value {
        DeValue::String(text) => Value::Text(text.into_owned()),
        DeValue::Integer(number) => match i64::from_str_radix(number.as_str(), number.radix()) {
            Ok(number) => Value::Integer(number),
            Err(_) => return Err((Problem::Syntax { message: "the integer needs more than 64 bits".into() }, span)),
        },
        DeValue::Float(number) => match number.as_str().parse::<f64>() {
            // Infinity is a word; digits for it are a number that is too large.
            Ok(value) if !value.is_infinite() || number.as_str().ends_with("inf") => Value::Float(value),
            _ => return Err((Problem::Syntax { message: "this is not a number of 64 bits".into() }, span)),
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
    fn a_job_must_be_a_table() {
        assert!(matches!(parse("[1]", Syntax::Json), Err((Problem::WrongValue { .. }, _))));
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
}
