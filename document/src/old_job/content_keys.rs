//! The keys that say what a view holds: a file, a fill, or values in the job.

use super::document::{Entry, Node, Value};
use super::model::{Content, Located, Run};
use super::table::*;
use super::values::{Number, NumberType};

/// The key of values that do not begin at the first byte.
pub(super) const RUN_KEYS: &[&str] = &["at"];

/// What a binding holds before the run.
pub(super) fn content(table: &Table<'_>) -> Result<Content, Fault> {
    let from = table.one_of(&["file", "fill"])?;
    let runs = runs(table)?;
    match (from, runs.is_empty()) {
        (None, true) => Ok(Content::Unsaid),
        (None, false) => Ok(Content::Values(runs)),
        (Some(entry), true) if entry.key == "file" => Ok(Content::File(file(&entry.node)?)),
        (Some(entry), true) => Ok(Content::Fill(fill(&entry.node)?)),
        (Some(entry), false) => Err(conflict(entry, first_run(table))),
    }
}

/// The file that the key `file` names.
pub(super) fn file(node: &Node) -> Result<Located<std::path::PathBuf>, Fault> {
    Ok(Located { value: as_text(node, "file")?.into(), span: node.span.clone() })
}

/// The values of a table: one list from the first byte on, and those of `at`.
pub(super) fn runs(table: &Table<'_>) -> Result<Vec<Run>, Fault> {
    let mut runs = Vec::new();
    if let Some(entry) = table.one_of(&NumberType::NAMES)? {
        runs.push(run(entry, 0)?);
    }
    let Some(node) = table.get("at") else { return Ok(runs) };
    for node in as_array(node, "at")? {
        let inner = Table::open(node, "at", "a run of values")?;
        inner.allow(&[&["byte"], &NumberType::NAMES])?;
        let byte = as_integer(inner.need("byte")?, "byte", 0)?;
        let entry =
            inner.one_of(&NumberType::NAMES)?.ok_or_else(|| inner.missing("u32` or another type's name, `f32"))?;
        runs.push(run(entry, byte)?);
    }
    Ok(runs)
}

/// Where the values of a table begin in the text.
pub(super) fn first_run<'a>(table: &Table<'a>) -> &'a Entry {
    let is_run = |entry: &&Entry| entry.key == "at" || NumberType::from_name(&entry.key).is_some();
    table.entries().iter().find(is_run).expect("called for a table with values")
}

fn run(entry: &Entry, byte: u64) -> Result<Run, Fault> {
    let number_type = NumberType::from_name(&entry.key).expect("the key is a type's name");
    let items = as_array(&entry.node, &entry.key)?;
    let mut bytes = Vec::with_capacity(items.len() * number_type.size_bytes());
    for item in items {
        number(item, &entry.key, number_type)?.append_to(&mut bytes);
    }
    Ok(Run { byte, bytes, number_type, span: entry.key_span.clone() })
}

/// A number of a type, which stands at a key.
pub(super) fn number(node: &Node, key: &str, number_type: NumberType) -> Result<Number, Fault> {
    number_type.number(&node.value).ok_or_else(|| match &node.value {
        Value::Integer(found) => wrong_value(key, number_type.range(), found.to_string(), node),
        Value::Float(found) if number_type.is_float() => {
            wrong_value(key, number_type.range(), format!("{found:?}"), node)
        }
        _ => wrong_type(key, number_type.range(), node),
    })
}

/// `"zero"`, or a table with one number of one type.
fn fill(node: &Node) -> Result<Number, Fault> {
    if let Ok(text) = as_text(node, "fill") {
        return match text {
            "zero" => Ok(Number::ZERO),
            _ => Err(unknown_name("fill", text, &["zero"], &node.span)),
        };
    }
    let table = Table::open(node, "fill", "a fill")?;
    table.allow(&[&NumberType::NAMES])?;
    let entry = table.one_of(&NumberType::NAMES)?.ok_or_else(|| table.missing("u32` or another type's name, `f32"))?;
    number(&entry.node, &entry.key, NumberType::from_name(&entry.key).expect("the key is a type's name"))
}

/// The type that a key names.
pub(super) fn number_type(node: &Node, key: &str) -> Result<NumberType, Fault> {
    let name = as_text(node, key)?;
    NumberType::from_name(name).ok_or_else(|| unknown_name("type of numbers", name, &NumberType::NAMES, &node.span))
}
