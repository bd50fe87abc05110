//! The keys of an expectation.

use super::content_keys::{self, RUN_KEYS};
use super::document::Node;
use super::error::Problem;
use super::model::*;
use super::table::*;
use super::values::NumberType;

const EXPECT_KEYS: &[&str] =
    &["slot", "file", "type", "words", "tolerance", "counter", "order", "element", "elements", "skip_elements", "note"];

/// Reads the expectation about `register`.
pub(super) fn expectation(table: &Table<'_>, register: Register) -> Result<Expectation, Fault> {
    table.allow(&[EXPECT_KEYS, RUN_KEYS, &NumberType::NAMES])?;
    let counter = table.integer("counter", 0)?;
    let content = expected(table)?;
    if content.is_none() && counter.is_none() {
        return Err(table.missing("file`, values such as `u32`, or `counter"));
    }
    let rules = rules(table)?;
    Ok(Expectation { register, content, rules, counter, span: table.span.clone() })
}

fn expected(table: &Table<'_>) -> Result<Option<Expected>, Fault> {
    let runs = content_keys::runs(table)?;
    match (table.entry("file"), runs.is_empty()) {
        (None, true) => Ok(None),
        (None, false) => Ok(Some(Expected::Values(runs))),
        (Some(entry), true) => Ok(Some(Expected::File(content_keys::file(&entry.node)?))),
        (Some(entry), false) => Err(conflict(entry, content_keys::first_run(table))),
    }
}

fn rules(table: &Table<'_>) -> Result<Rules, Fault> {
    let order = match table.text("order")? {
        None => Order::Fixed,
        Some("any") => Order::Any,
        Some("fixed") => Order::Fixed,
        Some(other) => return Err(unknown_name("order", other, &["fixed", "any"], &table.need("order")?.span)),
    };
    let tolerance = table.get("tolerance").map_or(Ok(Tolerance::EXACT), tolerance)?;
    if order == Order::Any && tolerance != Tolerance::EXACT {
        let message = "elements in any order can only be compared exactly: remove `tolerance` or `order`";
        return Err((Problem::Expectation { message: message.into() }, table.need("tolerance")?.span.clone()));
    }
    let (pattern, mixed) = pattern(table)?;
    let mut skip_elements: Vec<u64> = match table.get("skip_elements") {
        None => Vec::new(),
        Some(node) => as_array(node, "skip_elements")?
            .iter()
            .map(|node| as_integer(node, "skip_elements", 0))
            .collect::<Result<_, _>>()?,
    };
    skip_elements.sort_unstable();
    let (element, elements) = (table.integer("element", 1)?, table.integer("elements", 0)?);
    Ok(Rules { pattern, mixed, tolerance, element, elements, skip_elements, order })
}

fn pattern(table: &Table<'_>) -> Result<(Vec<NumberType>, bool), Fault> {
    // Where both stand, `words` wins.
    if let Some(node) = table.get("words") {
        let mut pattern = Vec::new();
        for item in as_array(node, "words")? {
            let number_type = content_keys::number_type(item, "words")?;
            if number_type.size_bytes() != 4 {
                let message = format!("`words` names 32-bit types, {number_type} is not one");
                return Err((Problem::Expectation { message }, item.span.clone()));
            }
            pattern.push(number_type);
        }
        if pattern.is_empty() {
            return Err(wrong_value("words", "at least one type", "an empty array", node));
        }
        return Ok((pattern, true));
    }
    if let Some(node) = table.get("type") {
        return Ok((vec![content_keys::number_type(node, "type")?], false));
    }
    Ok((Vec::new(), false))
}

fn tolerance(node: &Node) -> Result<Tolerance, Fault> {
    if let Ok(text) = as_text(node, "tolerance") {
        return match text {
            "exact" => Ok(Tolerance::EXACT),
            _ => Err(unknown_name("tolerance", text, &["exact"], &node.span)),
        };
    }
    let table = Table::open(node, "tolerance", "a tolerance")?;
    table.allow(&[&["abs", "rel", "ulp"]])?;
    let tolerance =
        Tolerance { abs: table.positive("abs")?, rel: table.positive("rel")?, ulp: table.integer("ulp", 0)? };
    if tolerance == Tolerance::EXACT {
        return Err(table.missing("abs`, `rel` or `ulp"));
    }
    Ok(tolerance)
}
