//! The key `instances`: what the shader's interface variables stand for.
//!
//! Each entry is a variable and an instance: a name, or a table that places an instance of a class. An array gives one to
//! each element of the variable.

use brolga_runtime::{ClassInstance, Register, ResourceClass};

use super::document::{Node, Span, Value};
use super::error::Problem;
use super::model::InstanceChoice;
use super::table::*;

const PLACED_KEYS: &[&str] = &["class", "constants", "vector", "texture", "sampler", "note"];

/// Reads the table `instances`, if there is one.
pub(super) fn instances(job: &Table<'_>) -> Result<Vec<InstanceChoice>, Fault> {
    let Some(node) = job.get("instances") else { return Ok(Vec::new()) };
    let table = Table::open(node, "instances", "the instances")?;
    let mut choices = Vec::new();
    for entry in table.entries() {
        let choice = |variable: String, node: &Node, span: &Span| {
            Ok(InstanceChoice { instance: instance(node, &variable)?, variable, span: span.clone() })
        };
        match &entry.node.value {
            Value::Array(elements) => {
                for (n, element) in elements.iter().enumerate() {
                    choices.push(choice(format!("{}[{n}]", entry.key), element, &element.span)?);
                }
            }
            _ => choices.push(choice(entry.key.clone(), &entry.node, &entry.key_span)?),
        }
    }
    Ok(choices)
}

fn instance(node: &Node, variable: &str) -> Result<ClassInstance, Fault> {
    let table = match &node.value {
        Value::Text(name) => return Ok(name.as_str().into()),
        Value::Table(_) => Table::open(node, variable, "an instance")?,
        _ => return Err(wrong_type(variable, "a name, a table, or an array of them", node)),
    };
    table.allow(&[PLACED_KEYS])?;
    let mut placed = ClassInstance::of_class(as_text(table.need("class")?, "class")?);
    let vector = table.integer("vector", 0)?;
    match (register(&table, "constants", ResourceClass::Constant)?, vector) {
        (Some(buffer), vector) => placed = placed.constants(buffer, vector.unwrap_or(0)),
        (None, Some(_)) => return Err(table.missing("constants")),
        (None, None) => {}
    }
    if let Some(texture) = register(&table, "texture", ResourceClass::ShaderResource)? {
        placed = placed.texture(texture);
    }
    if let Some(sampler) = register(&table, "sampler", ResourceClass::Sampler)? {
        placed = placed.sampler(sampler);
    }
    Ok(placed.into())
}

/// The number of a register of a file, in space 0.
fn register(table: &Table<'_>, key: &'static str, class: ResourceClass) -> Result<Option<u32>, Fault> {
    let Some(node) = table.get(key) else { return Ok(None) };
    let text = as_text(node, key)?;
    match text.parse::<Register>() {
        Ok(register) if register.class == class && register.space == 0 => Ok(Some(register.index)),
        Ok(_) => {
            let (register, wants) = (text.to_owned(), example(class));
            Err((
                Problem::WrongValue { key: key.into(), wants: wants.into(), found: register.into() },
                node.span.clone(),
            ))
        }
        Err(_) => Err((Problem::BadRegister { text: text.to_owned() }, node.span.clone())),
    }
}

/// What a register of a class looks like, for messages.
fn example(class: ResourceClass) -> &'static str {
    match class {
        ResourceClass::Constant => "a constant buffer such as b0",
        ResourceClass::ShaderResource => "a register such as t0",
        ResourceClass::UnorderedAccess => "a register such as u0",
        ResourceClass::Sampler => "a sampler such as s0",
    }
}
