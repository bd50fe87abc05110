//! Converts a checked tree to the model of a document.
//!
//! | file | what |
//! |---|---|
//! | `short.rs` | the short form: one dispatch |
//! | `resource.rs` | resources, their content, and references to them |
//! | `sampler.rs` | samplers |
//! | `pipeline.rs` | pipelines |
//! | `instances.rs` | class instances |
//! | `step.rs` | steps |
//! | `query.rs` | queries, and what depends on them |
//! | `direct3d9.rs`, `render_states.rs`, `streams.rs` | pipelines and steps of Direct3D 9 |
//! | `expectation.rs` | expectations and outputs |

mod direct3d9;
mod expectation;
mod instances;
mod pipeline;
mod query;
mod render_states;
mod resource;
mod sampler;
mod short;
mod step;
mod streams;

use std::path::PathBuf;

pub use pipeline::pipeline_state;
pub(crate) use render_states::{
    names as render_state_names, rows as render_state_rows, value_names as render_state_values,
};
pub(crate) use resource::{check_said, kind_phrase};
pub use sampler::sampler;

use crate::error::{Fault, Problem};
use crate::model::{Model, ShaderEntry};
use crate::schema::check;
use crate::text::{Entry, Located, Node};
use direct3d9::Pipelines;

/// Reads a document.
pub(crate) fn model(mut root: Node) -> Result<Model, Fault> {
    check(&mut root)?;
    let is_short = root.get("steps").is_none();
    let is_direct3d9 = root.text_at("api").is_some_and(|api| api.eq_ignore_ascii_case("d3d9"));
    let name = root.text_at("name").map(str::to_owned);
    let must_be_clean = root.get("check").and_then(Node::flag).unwrap_or_default();
    let mut model = Model { name, is_direct3d9, is_short, must_be_clean, ..Model::default() };
    match is_short {
        true => short::read(&root, &mut model)?,
        false => long(&root, &mut model)?,
    }
    Ok(model)
}

fn long(root: &Node, model: &mut Model) -> Result<(), Fault> {
    for entry in root.entries_at("shaders") {
        model.shaders.insert(entry.key.clone(), shader(&entry.node, "file")?);
    }
    for entry in root.entries_at("resources") {
        let label = model.label(&entry.key);
        let resource = resource::resource(&entry.node, &entry.key_span, label, None)?;
        if let (Some(format), false) = (resource.kind.format, model.is_direct3d9)
            && format.is_direct3d9
        {
            let message = format!("{} is a format of Direct3D 9, in a document without `api = \"d3d9\"`", format.name);
            let span = entry.node.get("format").map_or(entry.key_span.clone(), |node| node.span.clone());
            return Err((Problem::value(message), span));
        }
        expectation::of_resource(&entry.node, &entry.key, &entry.key_span, model)?;
        model.resources.insert(entry.key.clone(), resource);
    }
    for entry in root.entries_at("samplers") {
        let sampler = match model.is_direct3d9 {
            true => sampler::of_direct3d9(&entry.node),
            false => sampler::of_direct3d11(&entry.node)?,
        };
        model.samplers.insert(entry.key.clone(), sampler);
    }
    if model.is_direct3d9 {
        let mut pipelines = Pipelines::new(root.entries_at("pipelines"), &model.samplers);
        model.steps = step::steps(root.items_at("steps"), &mut |node| pipelines.step(node))?;
        model.pipelines = pipelines.made;
    } else {
        for entry in root.entries_at("pipelines") {
            model.pipelines.insert(entry.key.clone(), pipeline::pipeline(entry)?);
        }
        model.steps = step::steps(root.items_at("steps"), &mut step::of_direct3d11)?;
    }
    for node in root.items_at("save") {
        let save = expectation::save(node, node.named_at("resource").unwrap_or_default());
        model.saves.push(save);
    }
    for node in root.items_at("expect") {
        let expectation = expectation::expectation(node, None, node.head())?;
        model.expectations.push(expectation);
    }
    Ok(())
}

/// A shader, whose files are at a key.
fn shader(node: &Node, key: &str) -> Result<ShaderEntry, Fault> {
    check_language(node, key)?;
    let files = node.get(key).into_iter().flat_map(Node::one_or_more);
    let file = |node: &Node| Some(Located::new(PathBuf::from(node.text()?), &node.span));
    let define = |entry: &Entry| {
        let value = match (entry.node.text(), entry.node.integer::<i64>(), entry.node.flag()) {
            (Some(text), ..) => Some(text.to_owned()),
            (_, Some(number), _) => Some(number.to_string()),
            (.., Some(false)) => Some("0".to_owned()),
            _ => None,
        };
        (entry.key.clone(), value)
    };
    let value = |entry: &Entry| match entry.node.flag() {
        Some(flag) => Some((entry.key.clone(), f64::from(u8::from(flag)))),
        None => Some((entry.key.clone(), entry.node.value.number()?)),
    };
    Ok(ShaderEntry {
        files: files.filter_map(file).collect(),
        profile: node.text_at("profile").map(str::to_owned),
        entry: node.text_at("entry").map(str::to_owned),
        defines: node.entries_at("defines").iter().map(define).collect(),
        overrides: node.entries_at("overrides").iter().filter_map(value).collect(),
    })
}

/// Rejects keys that are not for the language of a shader.
fn check_language(node: &Node, key: &str) -> Result<(), Fault> {
    let files = node.get(key).into_iter().flat_map(Node::one_or_more).filter_map(Node::text);
    let is_wgsl: Vec<bool> = files.map(|file| crate::language::is_wgsl(file.as_ref())).collect();
    for entry in node.entries() {
        let (is_right, language, help) = match entry.key.as_str() {
            "profile" => (!is_wgsl.contains(&true), "HLSL", "leave it out: WGSL has no profiles"),
            "defines" => (!is_wgsl.contains(&true), "HLSL", "in WGSL it is `overrides`"),
            "overrides" => (is_wgsl.contains(&true), "WGSL", "in HLSL it is `defines`"),
            _ => continue,
        };
        if !is_right {
            let message = format!("`{}` is for shaders in {language}, and this is none", entry.key);
            return Err((Problem::with_help(message, help), entry.key_span.clone()));
        }
    }
    Ok(())
}

/// The fault for two keys that are mutually exclusive; reported at the second.
fn conflict(first: &Entry, second: &Entry) -> Fault {
    (Problem::Conflict { first: first.key.clone(), second: second.key.clone() }, second.key_span.clone())
}

/// The first of these keys that is present; two are a conflict.
fn one_of<'a>(node: &'a Node, keys: &[&str]) -> Result<Option<&'a Entry>, Fault> {
    let mut found = node.entries().iter().filter(|entry| keys.contains(&entry.key.as_str()));
    match (found.next(), found.next()) {
        (Some(first), Some(second)) => Err(conflict(first, second)),
        (first, _) => Ok(first),
    }
}
