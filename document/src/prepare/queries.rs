//! Checks queries: that a name stands for one kind, that expectations are about values that it has, and that steps
//! depend only on predicates with a result.

use crate::error::{Fault, Problem};
use crate::model::query::QueryKind;
use crate::model::{Items, Model, find};
use crate::text::Span;

/// The queries of a document, in the order in which steps are first counted for them.
pub(super) fn queries(model: &Model) -> Result<Items<QueryKind>, Fault> {
    let mut known: Items<QueryKind> = Items::new();
    for step in model.all_steps() {
        if let Some(predicate) = &step.predicate {
            let (name, span) = (&predicate.query.value, &predicate.query.span);
            let Some(kind) = known.get(name) else {
                let mut all = model.all_steps().flat_map(|step| &step.queries);
                if all.any(|query| query.name.value == *name) {
                    let message = format!("the query `{name}` has no result yet: no step before this one is counted");
                    return Err((Problem::value(message), span.clone()));
                }
                let names: Vec<&str> = known.keys().map(String::as_str).collect();
                return Err((Problem::unknown_name("query", name, &names), span.clone()));
            };
            if !kind.is_predicate() {
                let message = format!(
                    "`{name}` is a query of kind {}: steps depend on an occlusion_predicate or an so_overflow",
                    kind.text()
                );
                return Err((Problem::value(message), span.clone()));
            }
            if step.queries.iter().any(|query| query.name.value == *name) {
                let message = format!("the step depends on `{name}`, and cannot be counted for it");
                return Err((Problem::value(message), span.clone()));
            }
        }
        for query in &step.queries {
            let kind = *known.entry(query.name.value.clone()).or_insert(query.kind);
            if kind != query.kind {
                let message = format!(
                    "`{}` is a query of kind {} in a step before: one of kind {} needs another name",
                    query.name.value,
                    kind.text(),
                    query.kind.text()
                );
                return Err((Problem::value(message), query.name.span.clone()));
            }
        }
    }
    Ok(known)
}

/// The kind of the query with a name, if it has these values.
pub(super) fn query_kind(
    queries: &Items<QueryKind>,
    name: &str,
    values: &[(String, f64)],
    span: &Span,
) -> Result<QueryKind, Fault> {
    let kind = *find(queries, "query", name, span)?;
    let known: Vec<&str> = kind.values().iter().map(|(name, _)| *name).collect();
    match values.iter().find(|(value, _)| !known.contains(&value.as_str())) {
        None => Ok(kind),
        Some((value, _)) => {
            let name = if kind == QueryKind::Statistics { "value of statistics" } else { "value of the query" };
            Err((Problem::unknown_name(name, value, &known), span.clone()))
        }
    }
}
