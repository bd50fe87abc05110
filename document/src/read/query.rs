//! Reads the queries that a step is counted for, and the condition that it depends on.

use crate::error::{Fault, Problem};
use crate::model::query::{Predicate, Query, QueryKind};
use crate::text::Node;

/// Reads the queries of a step: one, or a list.
pub(super) fn queries(node: &Node) -> Result<Vec<Query>, Fault> {
    let Some(node) = node.get("query") else { return Ok(Vec::new()) };
    let mut queries: Vec<Query> = Vec::new();
    for item in node.one_or_more() {
        let query = query(item)?;
        if queries.iter().any(|other| other.name.value == query.name.value) {
            let message = format!("the step is counted for `{}` twice", query.name.value);
            return Err((Problem::with_help(message, "choose another name"), query.name.span));
        }
        queries.push(query);
    }
    Ok(queries)
}

fn query(node: &Node) -> Result<Query, Fault> {
    let said = node.text_at("kind").unwrap_or_default();
    let kind = QueryKind::ALL.into_iter().find(|kind| kind.text().eq_ignore_ascii_case(said));
    let (kind, stream) = (kind.unwrap_or(QueryKind::Occlusion), node.get("stream"));
    match stream.filter(|_| !kind.is_of_stream()) {
        Some(stream) => {
            let message = format!("a query of kind {} is not of a stream", kind.text());
            Err((Problem::value(message), stream.span.clone()))
        }
        None => {
            let kind = kind.of_stream(stream.and_then(Node::integer));
            Ok(Query { kind, name: node.named_at("name").unwrap_or_default() })
        }
    }
}

/// Reads the condition of a step.
pub(super) fn predicate(node: &Node) -> Option<Predicate> {
    let node = node.get("predicate")?;
    Some(Predicate { query: node.named_at("query")?, value: node.is_true("value") })
}
