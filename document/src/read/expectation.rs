//! Reads expectations and outputs.

use super::resource::{file, first_run, runs};
use super::{conflict, one_of};
use crate::error::{Fault, Problem};
use crate::model::Model;
use crate::model::expectation::{Expectation, Expected, Order, Plane, Rules, Save, Subject, TexturePart, Tolerance};
use crate::model::number::NumberType;
use crate::schema::words::NUMBER_TYPES;
use crate::text::{Entry, Located, Node, Span};

/// Reads the output of a resource and its expected content from the resource's own table.
pub(super) fn of_resource(node: &Node, name: &str, span: &Span, model: &mut Model) -> Result<(), Fault> {
    let resource = || Located::new(name.to_owned(), span);
    if let Some(node) = node.get("save") {
        model.saves.push(save(node, resource()));
    }
    if let Some(entry) = node.entry("expect") {
        for key in ["resource", "query"] {
            if let Some(second) = entry.node.entry(key) {
                let message = format!("an expectation in a resource's table is about that: leave `{key}` out");
                return Err((Problem::value(message), second.key_span.clone()));
            }
        }
        let expectation = expectation(&entry.node, Some(resource()), entry.key_span.clone())?;
        model.expectations.push(expectation);
    }
    Ok(())
}

/// An output: the name of its file, or a table.
pub(super) fn save(node: &Node, resource: Located<String>) -> Save {
    let counted = node.get("counted").filter(|counted| counted.flag() == Some(true));
    Save {
        resource,
        path: file(node).or(node.get("file").and_then(file)).unwrap_or_default(),
        number_type: node.text_at("type").and_then(number_type),
        counted: counted.map(|counted| counted.span.clone()),
        raw: node.is_true("raw"),
    }
}

fn number_type(name: &str) -> Option<NumberType> {
    NUMBER_TYPES.find(name).and_then(NumberType::from_name)
}

/// An expectation, about a resource if that is known already.
pub(super) fn expectation(node: &Node, of: Option<Located<String>>, span: Span) -> Result<Expectation, Fault> {
    let counter = node.integer_at("counter");
    let subject = match (of.or(node.named_at("resource")), node.named_at("query")) {
        (Some(name), None) => Subject::Resource(name),
        (None, Some(name)) => {
            let Some(values) = node.get("values") else {
                return Err((
                    Problem::MissingKey {
                        place: "an expectation about a query",
                        key: "values",
                        meaning: "what it must count",
                    },
                    span,
                ));
            };
            let value = |entry: &Entry| Some((entry.key.clone(), entry.node.value.number()?));
            Subject::Query { name, values: values.entries().iter().filter_map(value).collect() }
        }
        _ => return Err((Problem::value("an expectation has either `resource` (or `slot`) or `query`"), span)),
    };
    let content = expected(node)?;
    if let (Subject::Resource(_), None, None) = (&subject, &content, counter) {
        let key = "file`, values such as `u32`, or `counter";
        return Err((Problem::MissingKey { place: "an expectation", key, meaning: "" }, span));
    }
    let id = match (&subject, node.text_at("id")) {
        (_, Some(id)) => id.to_owned(),
        (Subject::Resource(name) | Subject::Query { name, .. }, None) => name.value.clone(),
    };
    let plane = node.text_at("plane").map(|plane| match plane.eq_ignore_ascii_case("stencil") {
        true => Plane::Stencil,
        false => Plane::Depth,
    });
    let part = TexturePart { mip: node.integer_at("mip"), layer: node.integer_at("layer"), plane };
    Ok(Expectation { id, subject, content, rules: rules(node)?, part, counter, span })
}

fn expected(node: &Node) -> Result<Option<Expected>, Fault> {
    let runs = runs(node)?;
    match (node.entry("file"), runs.is_empty()) {
        (None, true) => Ok(None),
        (None, false) => Ok(Some(Expected::Values(runs))),
        (Some(entry), true) => Ok(file(&entry.node).map(Expected::File)),
        (Some(entry), false) => Err(conflict(entry, first_run(node))),
    }
}

fn rules(node: &Node) -> Result<Rules, Fault> {
    let is_any = node.text_at("order").is_some_and(|order| order.eq_ignore_ascii_case("any"));
    let tolerance = node.get("tolerance").map_or(Ok(Tolerance::EXACT), tolerance)?;
    let (pattern, mixed) = pattern(node)?;
    let mut skip_elements: Vec<u64> = node.items_at("skip_elements").iter().filter_map(Node::integer).collect();
    skip_elements.sort_unstable();
    Ok(Rules {
        pattern,
        mixed,
        tolerance,
        element: node.integer_at("element"),
        elements: node.integer_at("elements"),
        skip_elements,
        order: if is_any { Order::Any } else { Order::Fixed },
    })
}

fn pattern(node: &Node) -> Result<(Vec<NumberType>, bool), Fault> {
    // If both are given, `words` wins.
    let words = node.items_at("words");
    if words.is_empty() {
        return Ok((node.text_at("type").and_then(number_type).into_iter().collect(), false));
    }
    let mut pattern = Vec::new();
    for word in words {
        let Some(number_type) = word.text().and_then(number_type) else { continue };
        if number_type.size_bytes() != 4 {
            let message = format!("`words` names 32-bit types, {number_type} is not one");
            return Err((Problem::value(message), word.span.clone()));
        }
        pattern.push(number_type);
    }
    Ok((pattern, true))
}

fn tolerance(node: &Node) -> Result<Tolerance, Fault> {
    if node.text().is_some() {
        return Ok(Tolerance::EXACT);
    }
    let keys = ["abs", "rel", "ulp", "codes", "edge_share", "wrong_share"];
    if one_of(node, &keys).is_ok_and(|found| found.is_none()) {
        let key = "abs`, `rel`, `ulp` or `codes";
        return Err((Problem::MissingKey { place: "a tolerance", key, meaning: "" }, node.span.clone()));
    }
    let number = |key: &str| node.get(key).and_then(|node| node.value.number());
    Ok(Tolerance {
        abs: number("abs"),
        rel: number("rel"),
        ulp: node.integer_at("ulp"),
        codes: number("codes"),
        edge_share: number("edge_share").unwrap_or(0.0),
        wrong_share: number("wrong_share").unwrap_or(0.0),
    })
}
