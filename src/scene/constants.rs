//! Constants of Direct3D 9 by their names: what a draw says of them, and their default values, become buffers that it binds.

use std::collections::BTreeMap;

use brolga_bytecode::sm3::{self, ConstantTable, ConstantValues};
use brolga_runtime::Limits;
use serde_json::Value;

use super::document::Resource;
use super::error::SceneError;
use super::names::{Kind, Reference};
use super::sections::Document;
use super::step::{NamedConstants, Step};

/// Makes resources of constants that draws name, and of default values where nothing is bound.
pub(super) fn expand(
    document: &mut Document,
    shaders: &BTreeMap<String, Vec<u8>>,
    limits: &Limits,
) -> Result<(), SceneError> {
    let mut tables = BTreeMap::new();
    for (name, bytes) in shaders.iter().filter(|_| document.is_direct3d9) {
        // What is wrong with a shader is said where it is compiled.
        let program = sm3::decode(bytes, 0, &limits.file).ok();
        tables.insert(name, program.and_then(|program| program.constants(&limits.file).ok()?));
    }
    for (n, step) in document.steps.iter_mut().enumerate() {
        let Step::Draw(draw) = step else { continue };
        let (Some(direct3d9), Some(pipeline)) = (&mut draw.direct3d9, document.pipelines.get(&draw.pipeline)) else {
            continue;
        };
        let stages = [
            ("vs_constants", &pipeline.vs, &direct3d9.vertex_constants, &mut direct3d9.vertex_bind, 'v'),
            ("ps_constants", &pipeline.ps, &direct3d9.pixel_constants, &mut draw.bind, 'p'),
        ];
        for (key, shader, named, bind, stage) in stages {
            let table = shader.as_ref().and_then(|shader| tables.get(shader)?.as_ref());
            let place = format!("steps[{n}].{key}");
            let values = values(&place, stage, table, named)?;
            let is_named = !named.is_empty();
            let words = [
                ('c', values.floats.into_flattened()),
                ('i', values.integers.into_flattened()),
                ('b', values.booleans),
            ];
            for ((letter, words), register) in words.into_iter().zip(["b0", "b1", "b2"]) {
                match bind.contains_key(register) {
                    _ if words.is_empty() => {}
                    true if is_named => {
                        let message = format!("`{stage}{letter}0` is bound: constants have either a buffer or names");
                        return Err(SceneError::value(place, message));
                    }
                    true => {}
                    false => {
                        let name = format!("{place}.{letter}");
                        let buffer = Resource { u32: Some(words), ..Resource::new(Kind::Constant) };
                        document.resources.insert(name.clone(), buffer);
                        bind.insert(register.to_owned(), Reference::whole(name));
                    }
                }
            }
        }
    }
    Ok(())
}

/// What a shader's registers hold: default values, and on them what a draw says.
fn values(
    place: &str,
    stage: char,
    table: Option<&ConstantTable>,
    named: &NamedConstants,
) -> Result<ConstantValues, SceneError> {
    let none = ConstantTable::default();
    let table = table.unwrap_or(&none);
    let mut values = table.defaults();
    for (name, value) in named {
        let place = || format!("{place}.{name}");
        let mut numbers = Vec::new();
        flatten(value, &mut numbers).map_err(|message| SceneError::value(place(), message))?;
        if numbers.is_empty() {
            return Err(SceneError::value(place(), "the list has no numbers"));
        }
        table.set(&mut values, name, &numbers).map_err(|error| {
            let hint = match table.names().next() {
                Some(_) => String::new(),
                None => format!(": bind a buffer with its registers, as `{stage}c0`"),
            };
            SceneError::value(place(), format!("{error}{hint}"))
        })?;
    }
    Ok(values)
}

/// The numbers of a value, in order.
fn flatten(value: &Value, numbers: &mut Vec<f64>) -> Result<(), String> {
    match value {
        Value::Bool(flag) => numbers.push(f64::from(u8::from(*flag))),
        Value::Number(number) => numbers.extend(number.as_f64()),
        Value::Array(values) => values.iter().try_for_each(|value| flatten(value, numbers))?,
        other => return Err(format!("a constant is numbers, true or false, or lists of these, not {other}")),
    }
    Ok(())
}
