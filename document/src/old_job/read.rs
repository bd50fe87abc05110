//! From the tree of a job file to what the job says.
//!
//! There is one reader for both forms: the canonical lists `bindings` and `expect`, and the short form's table for each
//! register. A binding is the same table in either; it names its kind by `kind = "raw"` with the dimensions beside it,
//! or by a key of the kind's name that holds them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;

use brolga_runtime::ParseRegisterError;

use super::content_keys::{self, RUN_KEYS};
use super::document::{Entry, Node, Span, Value};
use super::error::Problem;
use super::expect_keys;
use super::instance_keys;
use super::kind_keys;
use super::model::*;
use super::table::*;
use super::values::NumberType;

const JOB_KEYS: &[&str] = &[
    "name",
    "note",
    "exercises",
    "shader",
    "shaders",
    "profile",
    "entry",
    "dispatch",
    "first_group",
    "instances",
    "fused_mad",
    "bindings",
    "expect",
];
/// Some of the registers, which are keys of a job too.
const REGISTERS: &[&str] = &["b0", "t0", "u0", "s0"];

const BINDING_KEYS: &[&str] = &["slot", "kind", "size", "file", "fill", "counter", "save", "map", "view", "note"];

/// Keys that no variable of a constant buffer can have for its name, other than in `values`.
pub(super) const CONSTANT_KEYS: &[&str] = &[
    "slot", "kind", "constant", "size", "file", "fill", "u32", "i32", "f32", "f64", "u8", "u16", "at", "values", "map",
    "note",
];

/// Whether a name is that of a key which a constant buffer, or another register, may have: a variable of this name is in `values`.
pub(super) fn is_key(name: &str) -> bool {
    let of_registers = [BINDING_KEYS, CONSTANT_KEYS, kind_keys::KIND_NAMES, &["expect", "texture"]];
    of_registers.iter().any(|keys| keys.contains(&name)) || kind_keys::all_dimension_keys().contains(&name)
}

/// A sampler has no content.
const SAMPLER_BINDING_KEYS: &[&str] = &["slot", "kind", "note"];

/// Reads the tree of the job file at `path`, whose text stands beside it for messages.
pub(super) fn job(root: &Node, path: PathBuf, text: Arc<str>) -> Result<Job, Fault> {
    let table = Table::open(root, "the job", "the job")?;
    let mut bindings = Vec::new();
    let mut expectations = Vec::new();
    for entry in table.entries() {
        match entry.key.parse::<Register>() {
            Ok(register) => short_form(entry, register, &mut bindings, &mut expectations)?,
            Err(_) if JOB_KEYS.contains(&entry.key.as_str()) => {}
            Err(_) => return Err(unknown_key(&table, entry)),
        }
    }
    for node in list(&table, "bindings")? {
        let inner = Table::open(node, "bindings", "a binding")?;
        let (register, span) = slot(&inner)?;
        bindings.push(binding(&inner.at(&span), register, &[])?);
    }
    for node in list(&table, "expect")? {
        let inner = Table::open(node, "expect", "an expectation")?;
        let (register, span) = slot(&inner)?;
        expectations.push(expect_keys::expectation(&inner.at(&span), register)?);
    }
    check_registers(&bindings, &expectations)?;
    let dispatch = groups(&table, "dispatch")?.ok_or_else(|| table.missing("dispatch"))?;
    let file_name = || path.file_stem().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
    Ok(Job {
        name: table.text("name")?.map_or_else(file_name, str::to_owned),
        shaders: shaders(&table)?,
        profile: table.text("profile")?.map(str::to_owned),
        entry: table.text("entry")?.map(str::to_owned),
        first_group: groups(&table, "first_group")?
            .unwrap_or_else(|| Located { value: [0; 3], span: dispatch.span.clone() }),
        dispatch,
        instances: instance_keys::instances(&table)?,
        fused_mad: table.get("fused_mad").map(|node| truth(node, "fused_mad")).transpose()?.is_some_and(|is| is.value),
        bindings,
        expectations,
        compiled: BTreeMap::new(),
        path,
        text,
    })
}

/// The complaint about a key of the job that is none. Listings write a constant buffer's register `cb1`.
fn unknown_key(table: &Table<'_>, entry: &Entry) -> Fault {
    let mut fault = table.unknown(entry, &[JOB_KEYS, REGISTERS]);
    let meant = entry.key.strip_prefix('c').filter(|rest| rest.starts_with('b') && rest.parse::<Register>().is_ok());
    if let (Problem::UnknownKey { nearest, .. }, Some(meant)) = (&mut fault.0, meant) {
        *nearest = Some(meant.to_owned());
    }
    fault
}

fn list<'a>(table: &Table<'a>, key: &str) -> Result<&'a [Node], Fault> {
    table.get(key).map_or(Ok(&[]), |node| as_array(node, key))
}

/// The table of one register in the short form.
fn short_form(
    entry: &Entry,
    register: Register,
    bindings: &mut Vec<Binding>,
    expectations: &mut Vec<Expectation>,
) -> Result<(), Fault> {
    let table = Table::open(&entry.node, &entry.key, "a binding")?.at(&entry.key_span);
    bindings.push(binding(&table, register, &["expect"])?);
    if let Some(expect) = table.entry("expect") {
        let inner = Table::open(&expect.node, "expect", "an expectation")?.at(&expect.key_span);
        expectations.push(expect_keys::expectation(&inner, register)?);
    }
    Ok(())
}

fn slot(table: &Table<'_>) -> Result<(Register, Span), Fault> {
    let node = table.need("slot")?;
    let text = as_text(node, "slot")?;
    let bad = |_: ParseRegisterError| (Problem::BadRegister { text: text.to_owned() }, node.span.clone());
    Ok((text.parse().map_err(bad)?, node.span.clone()))
}

fn binding(table: &Table<'_>, register: Register, more: &[&'static str]) -> Result<Binding, Fault> {
    let (mut kind, size) = kind_keys::kind(table, register)?;
    let beside = kind_keys::keys_beside(table, &kind);
    let keys = [BINDING_KEYS, &beside, RUN_KEYS, &NumberType::NAMES, more];
    let mut variables = Vec::new();
    match register.class {
        ResourceClass::Sampler => table.allow(&[SAMPLER_BINDING_KEYS, &beside])?,
        ResourceClass::Constant => variables = named_values(table, &keys)?,
        ResourceClass::ShaderResource | ResourceClass::UnorderedAccess => table.allow(&keys)?,
    }
    let said = kind_keys::said(table);
    match kind.name {
        Some(name) => kind_keys::check_said(&said, register, name)?,
        None => kind.said = said,
    }
    Ok(Binding {
        register,
        kind,
        size,
        content: content(table, &variables)?,
        variables,
        counter: table.integer("counter", 0)?,
        save: table.get("save").map(save).transpose()?,
        map: table.get("map").map(|node| truth(node, "map")).transpose()?,
        view: table.get("view").map(kind_keys::view).transpose()?,
        span: table.span.clone(),
    })
}

/// The variables that a constant buffer's table names: what is no key, and all that stands in `values`.
fn named_values(table: &Table<'_>, keys: &[&[&'static str]]) -> Result<Vec<NamedValue>, Fault> {
    let is_key = |entry: &&Entry| entry.key == "values" || keys.iter().any(|list| list.contains(&entry.key.as_str()));
    let mut values: Vec<_> =
        table.entries().iter().filter(|entry| !is_key(entry)).map(NamedValue::beside_keys).collect();
    if let Some(node) = table.get("values") {
        let inner = Table::open(node, "values", "the values of variables")?;
        values.extend(inner.entries().iter().map(NamedValue::explicit));
    }
    Ok(values)
}

/// What a binding holds before the run, beside the values of variables.
fn content(table: &Table<'_>, variables: &[NamedValue]) -> Result<Content, Fault> {
    match (content_keys::content(table)?, variables.first(), table.one_of(&["file", "fill"])?) {
        (Content::File(_) | Content::Fill(_), Some(first), Some(entry)) => {
            let (first, span) = (first.name.clone(), first.span.clone());
            Err((Problem::Conflict { first: entry.key.clone(), second: first }, span))
        }
        (content, ..) => Ok(content),
    }
}

fn save(node: &Node) -> Result<Save, Fault> {
    if let Ok(text) = as_text(node, "save") {
        let path = Located { value: text.into(), span: node.span.clone() };
        return Ok(Save { path, number_type: None, counted: None, raw: false });
    }
    if !matches!(node.value, Value::Table(_)) {
        return Err(wrong_type("save", "the name of a file, or a table", node));
    }
    let table = Table::open(node, "save", "an output")?;
    table.allow(&[&["file", "type", "counted", "raw"]])?;
    let file = table.need("file")?;
    let counted = table.get("counted").map(|node| truth(node, "counted")).transpose()?;
    Ok(Save {
        path: Located { value: as_text(file, "file")?.into(), span: file.span.clone() },
        number_type: table.get("type").map(|node| content_keys::number_type(node, "type")).transpose()?,
        counted: counted.filter(|counted| counted.value).map(|counted| counted.span),
        raw: table.get("raw").map(|node| truth(node, "raw")).transpose()?.is_some_and(|raw| raw.value),
    })
}

fn truth(node: &Node, key: &str) -> Result<Located<bool>, Fault> {
    match node.value {
        Value::Bool(value) => Ok(Located { value, span: node.span.clone() }),
        _ => Err(wrong_type(key, "true or false", node)),
    }
}

fn shaders(table: &Table<'_>) -> Result<Vec<Located<PathBuf>>, Fault> {
    let Some(entry) = table.one_of(&["shader", "shaders"])? else { return Err(table.missing("shader")) };
    let nodes = match entry.key.as_str() {
        "shader" => std::slice::from_ref(&entry.node),
        _ => as_array(&entry.node, "shaders")?,
    };
    if nodes.is_empty() {
        return Err(wrong_value("shaders", "at least one file", "an empty array", &entry.node));
    }
    nodes.iter().map(|node| Ok(Located { value: as_text(node, &entry.key)?.into(), span: node.span.clone() })).collect()
}

fn groups(table: &Table<'_>, key: &str) -> Result<Option<Located<[u32; 3]>>, Fault> {
    let Some(node) = table.get(key) else { return Ok(None) };
    let [x, y, z] = as_array(node, key)? else { return Err(wrong_type(key, "an array of 3 integers", node)) };
    let value = [as_integer(x, key, 0)?, as_integer(y, key, 0)?, as_integer(z, key, 0)?];
    Ok(Some(Located { value, span: node.span.clone() }))
}

fn check_registers(bindings: &[Binding], expectations: &[Expectation]) -> Result<(), Fault> {
    let mut bound = BTreeSet::new();
    for binding in bindings {
        if !bound.insert(binding.register) {
            return Err((Problem::BoundTwice { register: binding.register.to_string() }, binding.span.clone()));
        }
        if let Some(save) = &binding.save {
            has_result(binding.register, "save", &save.path.span)?;
        }
    }
    for expectation in expectations {
        if !bound.contains(&expectation.register) {
            let register = expectation.register.to_string();
            return Err((Problem::ExpectUnbound { register }, expectation.span.clone()));
        }
        has_result(expectation.register, "expect", &expectation.span)?;
    }
    Ok(())
}

fn has_result(register: Register, key: &'static str, span: &Span) -> Result<(), Fault> {
    match register.class {
        ResourceClass::UnorderedAccess => Ok(()),
        _ => Err((Problem::NoResult { register: register.to_string(), key }, span.clone())),
    }
}
