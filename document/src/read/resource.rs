//! Reads resources, their initial content, and references to them.

use std::path::PathBuf;

use brolga_files::{Extent, detail, sides};
use brolga_runtime::{Dimension, Register, ResourceClass};

use super::{conflict, one_of};
use crate::error::{Elsewhere, Fault, Problem, nearest};
use crate::model::number::{Number, NumberType};
use crate::model::resource::{
    Content, KindKeys, NamedFormat, NamedValue, Reference, ResourceEntry, Said, ValueRun, ViewKeys,
};
use crate::schema::is_key;
use crate::schema::words::{KIND_NAMES, KINDS, VIEWS};
use crate::text::{Entry, Located, Node, Span};

/// Reads a resource, which may be bound to a register of the short form.
pub(super) fn resource(
    node: &Node,
    span: &Span,
    label: String,
    register: Option<Register>,
) -> Result<ResourceEntry, Fault> {
    let (kind, size) = kind(node, &label, register, span)?;
    let variables = variables(node, &kind, register);
    let content = content(node)?;
    if let (Content::File(_) | Content::Fill(_), Some(first)) = (&content, variables.first())
        && let Some(entry) = one_of(node, &["file", "fill"])?
    {
        let problem = Problem::Conflict { first: entry.key.clone(), second: first.name.clone() };
        return Err((problem, first.span.clone()));
    }
    let map = node.get("map").and_then(|map| Some(Located::new(map.flag()?, &map.span)));
    Ok(ResourceEntry {
        label,
        kind,
        size,
        content,
        variables,
        counter: node.integer_at("counter"),
        map,
        span: span.clone(),
    })
}

/// The keys of the kind of a resource, and its size in bytes if given.
fn kind(node: &Node, label: &str, register: Option<Register>, span: &Span) -> Result<(KindKeys, Option<u64>), Fault> {
    let outer_size = node.integer_at("size");
    let (keys, size) = match (node.entry("kind"), one_of(node, KIND_NAMES)?) {
        (Some(first), Some(second)) => return Err(conflict(first, second)),
        (Some(entry), None) => {
            let name = entry.node.text().and_then(|name| KINDS.find(name));
            (dimensions(name, node), outer_size)
        }
        (None, Some(Entry { key, node: inner, .. })) => {
            let name = KIND_NAMES.iter().find(|known| *known == key).copied();
            let inner_size = inner.integer().or(inner.integer_at("size"));
            let keys = dimensions(name, inner);
            check_said(&said(inner), label, keys.name.unwrap_or_default())?;
            (keys, inner_size.or(outer_size))
        }
        (None, None) => match register.map(|register| register.class) {
            Some(ResourceClass::Constant) => (KindKeys { name: Some("constant"), ..KindKeys::default() }, outer_size),
            // The shader or the file determines it.
            _ => (dimensions(None, node), outer_size),
        },
    };
    let fits = |name| match register.map(|register| register.class) {
        None => true,
        Some(ResourceClass::Constant) => name == "constant",
        Some(_) => name != "constant" && VIEWS.find(name).is_some(),
    };
    if let Some(kind) = keys.name.filter(|kind| !fits(kind)) {
        return Err((Problem::value(format!("{label} cannot be a {kind}")), span.clone()));
    }
    let mut keys = keys;
    keys.said = said(node);
    if let Some(name) = keys.name {
        check_said(&keys.said, label, name)?;
    }
    Ok((keys, size))
}

/// The dimensions in a table.
fn dimensions(name: Option<&'static str>, node: &Node) -> KindKeys {
    // With several samples a texture is of another kind.
    let has_samples = node.integer_at::<u32>("samples").is_some_and(|count| count > 1);
    let name = match name {
        Some("texture2d") if has_samples => Some("texture2dms"),
        Some("texture2darray") if has_samples => Some("texture2dmsarray"),
        name => name,
    };
    let mut keys =
        KindKeys { name, stride: node.integer_at("stride"), count: node.integer_at("count"), ..KindKeys::default() };
    keys.texture.dimension = name.and_then(Dimension::texture_named);
    keys.format = node.text_at("format").and_then(format);
    keys.texture.center_pattern = node.is_true("center_pattern");
    keys.texture.format = keys.format.map(|format| format.stored);
    for extent in Extent::ALL {
        match node.get(extent.key()) {
            Some(value) if value.text().is_some() => keys.texture.generate_mips = true,
            value => keys.texture.set(extent, value.and_then(Node::integer)),
        }
    }
    keys
}

/// The format of a checked name; case does not matter.
pub(super) fn format(name: &str) -> Option<NamedFormat> {
    crate::schema::words::FORMATS.find(name).and_then(NamedFormat::of)
}

/// The keys for a kind's dimensions.
fn dimension_keys(name: &str) -> Vec<&'static str> {
    match name {
        "structured" => vec!["stride", "count"],
        "typed" => vec!["format", "count"],
        "mesh" => vec!["file"],
        // The file determines which apply.
        "texture" => [vec!["format", "center_pattern"], Extent::ALL.map(Extent::key).to_vec()].concat(),
        _ => match Dimension::texture_named(name) {
            Some(dimension) => {
                let extents = sides(dimension).iter().rev().copied().chain([detail(dimension)]);
                let pattern = dimension.is_multisampled().then_some("center_pattern");
                std::iter::once("format").chain(extents.map(Extent::key)).chain(pattern).collect()
            }
            None => vec!["size"],
        },
    }
}

/// The keys of a table that apply to some kinds only.
fn said(node: &Node) -> Vec<Said> {
    let keys = ["stride", "count", "format", "counter", "view", "center_pattern"]
        .into_iter()
        .chain(Extent::ALL.map(Extent::key));
    let one = |key| {
        let entry = node.entry(key)?;
        Some(Said { key, is_one: entry.node.integer() == Some(1), span: entry.key_span.clone() })
    };
    keys.filter_map(one).collect()
}

/// The description of a resource of this kind in messages.
pub(crate) fn kind_phrase(name: &str) -> &'static str {
    match name {
        "raw" | "constant" => "a view without format",
        "structured" => "a structured view",
        "typed" => "a typed view",
        "vertex" | "index" | "indirect" => "a buffer",
        "mesh" => "a mesh",
        _ => "a texture",
    }
}

/// Rejects keys that do not apply to a resource's kind: dimensions, a hidden counter, a part.
pub(crate) fn check_said(said: &[Said], label: &str, kind: &str) -> Result<(), Fault> {
    let known = dimension_keys(kind);
    let wrong = |wants| Problem::value(format!("{label} is a {kind} view: {wants}"));
    for Said { key, is_one, span } in said {
        let problem = match *key {
            "counter" if kind == "structured" => continue,
            "counter" => wrong("only structured ones have a hidden counter"),
            "view" if Dimension::texture_named(kind).is_some() || kind == "texture" => continue,
            "view" => wrong("`view` shows a part of a texture"),
            key if known.contains(&key) => continue,
            "mips" | "depth" | "layers" | "samples" | "height" if *is_one && kind_phrase(kind) == "a texture" => {
                continue;
            }
            // Buffers that draws read may be views too.
            "format" | "stride" if matches!(kind_phrase(kind), "a buffer" | "a view without format") => continue,
            key => Problem::UnknownKey {
                key: key.into(),
                place: kind_phrase(kind),
                nearest: nearest(key, &known).map(str::to_owned),
                known: known.clone(),
                elsewhere: Elsewhere::Nowhere,
            },
        };
        return Err((problem, span.clone()));
    }
    Ok(())
}

/// The variables in a table: names that are not keys, and everything in `values`.
fn variables(node: &Node, kind: &KindKeys, register: Option<Register>) -> Vec<NamedValue> {
    let is_constant = kind.name.is_none_or(|name| name == "constant");
    let is_register = register.is_none_or(|register| register.class == ResourceClass::Constant);
    let explicit = node.entries_at("values").iter().map(|entry| NamedValue::new(entry, true));
    let beside = node.entries().iter().filter(|entry| is_constant && is_register && !is_key(&entry.key));
    beside.map(|entry| NamedValue::new(entry, false)).chain(explicit).collect()
}

/// The initial content of a resource, except the values of variables.
fn content(node: &Node) -> Result<Content, Fault> {
    let from = one_of(node, &["file", "fill"])?;
    let runs = runs(node)?;
    match (from, runs.is_empty()) {
        (None, true) => Ok(Content::Unsaid),
        (None, false) => Ok(Content::Values(runs)),
        (Some(entry), true) => match file(&entry.node) {
            Some(file) if entry.key == "file" => Ok(Content::File(file)),
            _ => Ok(Content::Fill(fill(&entry.node)?)),
        },
        (Some(entry), false) => Err(conflict(entry, first_run(node))),
    }
}

/// The file at the key `file`.
pub(super) fn file(node: &Node) -> Option<Located<PathBuf>> {
    Some(Located::new(node.text()?.into(), &node.span))
}

/// The values of a table: one list from the first byte on, and those of `at`.
pub(super) fn runs(node: &Node) -> Result<Vec<ValueRun>, Fault> {
    let mut runs = Vec::new();
    if let Some(entry) = one_of(node, &NumberType::NAMES)? {
        runs.extend(run(entry, 0));
    }
    for inner in node.items_at("at") {
        let entry = one_of(inner, &NumberType::NAMES)?;
        let missing = || (Problem::MissingKey { place: "a run of values", key: NUMBERS, meaning: "" }, inner.head());
        runs.extend(run(entry.ok_or_else(missing)?, inner.integer_at("byte").unwrap_or(0)));
    }
    Ok(runs)
}

/// The name of a number type, for messages about missing keys.
const NUMBERS: &str = "u32` or another type's name, `f32";

/// The entry with which the values of a table begin.
pub(super) fn first_run(node: &Node) -> &Entry {
    let is_run = |entry: &&Entry| entry.key == "at" || NumberType::from_name(&entry.key).is_some();
    node.entries().iter().find(is_run).expect("called for a table with values")
}

fn run(entry: &Entry, byte: u64) -> Option<ValueRun> {
    let number_type = NumberType::from_name(&entry.key)?;
    let items = entry.node.items();
    let mut bytes = Vec::with_capacity(items.len() * number_type.size_bytes());
    items.iter().filter_map(|item| number_type.number(&item.value)).for_each(|number| number.append_to(&mut bytes));
    Some(ValueRun { byte, bytes, number_type, span: entry.key_span.clone() })
}

/// `"zero"`, or a table with one number of one type.
fn fill(node: &Node) -> Result<Number, Fault> {
    if node.text().is_some() {
        return Ok(Number::ZERO);
    }
    let entry = one_of(node, &NumberType::NAMES)?;
    let number = entry.and_then(|entry| NumberType::from_name(&entry.key)?.number(&entry.node.value));
    number.ok_or_else(|| (Problem::MissingKey { place: "a fill", key: NUMBERS, meaning: "" }, node.head()))
}

/// The keys of a view of a resource.
pub(super) fn view_keys(node: &Node) -> Result<ViewKeys, Fault> {
    let pair = |key: &str| node.get(key).and_then(|node| node.array::<u32, 2>(Node::integer));
    let count = |key: &str| node.integer_at::<u32>(key);
    let (mips, layers) = (pair("mips"), pair("layers"));
    for (one, both, pair) in [("mip", "mips", mips), ("layer", "layers", layers)] {
        if let (Some(first), Some(second), Some(_)) = (node.entry(one), node.entry(both), pair) {
            return Err(conflict(first, second));
        }
    }
    Ok(ViewKeys {
        kind: node.text_at("dimension").and_then(|name| VIEWS.find(name)),
        format: node.text_at("format").and_then(format).map(|format| format.stored),
        mip: mips.map(|[first, _]| first).or(count("mip")),
        mips: mips.map(|[_, count]| count).or(count("mips")),
        layer: layers.map(|[first, _]| first).or(count("layer")),
        layers: layers.map(|[_, count]| count),
        min_level: node.get("min_level").and_then(Node::float),
    })
}

/// A reference to a resource: its name, or a part of it.
pub(super) fn reference(node: &Node) -> Result<Reference, Fault> {
    match node.text() {
        Some(name) => Ok(Reference::whole(name.to_owned(), &node.span)),
        None => {
            let name = node.text_at("resource").unwrap_or_default().to_owned();
            Ok(Reference { view: view_keys(node)?, ..Reference::whole(name, &node.head()) })
        }
    }
}
