//! Reads the class instances bound to a shader's interface variables.
//!
//! Each entry is a variable and an instance: a name, or a table that describes an instance of a class. An array gives
//! one to each element of the variable.

use brolga_runtime::{ClassInstance, Register, ResourceClass};

use crate::error::{Fault, Problem};
use crate::model::pipeline::InstanceChoice;
use crate::text::{Entry, Node, Span, Value};

/// Reads the entries of a table of instances.
pub(super) fn instances(entries: &[Entry]) -> Result<Vec<InstanceChoice>, Fault> {
    let mut choices = Vec::new();
    for entry in entries {
        let choice = |variable: String, node: &Node, span: &Span| {
            Ok(InstanceChoice { instance: instance(node)?, variable, span: span.clone() })
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

fn instance(node: &Node) -> Result<ClassInstance, Fault> {
    if let Some(name) = node.text() {
        return Ok(name.into());
    }
    let mut placed = ClassInstance::of_class(node.text_at("class").unwrap_or_default());
    let vector = node.integer_at("vector");
    match (register(node, "constants", ResourceClass::Constant)?, vector) {
        (Some(buffer), vector) => placed = placed.constants(buffer, vector.unwrap_or(0)),
        (None, Some(_)) => {
            return Err((
                Problem::MissingKey {
                    place: "an instance",
                    key: "constants",
                    meaning: "the constant buffer that `vector` counts in",
                },
                node.head(),
            ));
        }
        (None, None) => {}
    }
    if let Some(texture) = register(node, "texture", ResourceClass::ShaderResource)? {
        placed = placed.texture(texture);
    }
    if let Some(sampler) = register(node, "sampler", ResourceClass::Sampler)? {
        placed = placed.sampler(sampler);
    }
    Ok(placed.into())
}

/// The number of a register of a file, in space 0.
fn register(node: &Node, key: &'static str, class: ResourceClass) -> Result<Option<u32>, Fault> {
    let Some(node) = node.get(key) else { return Ok(None) };
    let text = node.text().unwrap_or_default();
    match text.parse::<Register>() {
        Ok(register) if register.class == class && register.space == 0 => Ok(Some(register.index)),
        Ok(_) => {
            let (found, wants) = (text.to_owned().into(), example(class).into());
            Err((Problem::WrongValue { key: key.into(), wants, found }, node.span.clone()))
        }
        Err(_) => Err((Problem::BadRegister { text: text.to_owned() }, node.span.clone())),
    }
}

/// An example of a register of a class, for messages.
fn example(class: ResourceClass) -> &'static str {
    match class {
        ResourceClass::Constant => "a constant buffer such as b0",
        ResourceClass::ShaderResource => "a register such as t0",
        ResourceClass::UnorderedAccess => "a register such as u0",
        ResourceClass::Sampler => "a sampler such as s0",
    }
}
