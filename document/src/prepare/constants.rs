//! Turns constants of Direct3D 9 by name, from draws and default values, into buffers that the draws bind.

use std::collections::BTreeMap;

use brolga_bytecode::sm3::{self, ConstantTable, ConstantValues};
use brolga_runtime::{Limits, Register, StageKind};

use super::Shaders;
use crate::error::{Fault, Problem};
use crate::model::number::NumberType;
use crate::model::resource::{Content, NamedValue, Reference, ResourceEntry, ValueRun};
use crate::model::step::{At, Bind, DocumentStep, Draw, What};
use crate::model::{Items, Model};
use crate::text::{Node, Value};

/// Makes resources of constants that draws name, and of default values where nothing is bound.
pub(crate) fn expand(model: &mut Model, shaders: &Shaders, limits: &Limits) -> Result<(), Fault> {
    if !model.is_direct3d9 {
        return Ok(());
    }
    let mut tables = BTreeMap::new();
    for (name, forms) in shaders {
        // Errors in a shader are reported where it is compiled.
        let program = sm3::decode(&forms[0].bytes, 0, &limits.file).ok();
        tables.insert(name.as_str(), program.and_then(|program| program.constants(&limits.file).ok()?));
    }
    let (pipelines, mut made) = (&model.pipelines, Items::new());
    let mut n = 0;
    let mut steps = std::mem::take(&mut model.steps);
    let mut expand_step = |DocumentStep { what, at, .. }: &mut DocumentStep| {
        n += 1;
        let What::Draw(draw) = what else { return Ok(()) };
        let Some(pipeline) = pipelines.get(&draw.pipeline.value) else { return Ok(()) };
        for (stage, letter) in [(StageKind::Vertex, 'v'), (StageKind::Pixel, 'p')] {
            let shader =
                pipeline.shaders[stage].as_ref().and_then(|shader| tables.get(shader.value.as_str())?.as_ref());
            of_stage(draw, at, stage, letter, shader, &format!("constants of draw {n}"), &mut made)?;
        }
        Ok(())
    };
    let done = steps.iter_mut().try_for_each(|step| step.for_each_mut(&mut expand_step));
    model.steps = steps;
    model.resources.extend(made);
    done
}

/// Binds the constants of a draw's shader.
fn of_stage(
    draw: &mut Draw,
    at: &At,
    stage: StageKind,
    letter: char,
    table: Option<&ConstantTable>,
    name: &str,
    made: &mut Items<ResourceEntry>,
) -> Result<(), Fault> {
    let Some(direct3d9) = &mut draw.direct3d9 else { return Ok(()) };
    let (named, bind) = match stage {
        StageKind::Vertex => (&direct3d9.vertex_constants, &mut direct3d9.vertex_bind),
        _ => (&direct3d9.pixel_constants, &mut draw.bind),
    };
    let values = values(letter, table, named)?;
    let words =
        [('c', values.floats.into_flattened()), ('i', values.integers.into_flattened()), ('b', values.booleans)];
    for ((kind, words), index) in words.into_iter().zip(0..) {
        let register = Register::b(index);
        let is_bound = bind.iter().any(|bind| bind.register == Some(register));
        match (words.is_empty(), is_bound, named.first()) {
            (false, true, Some(first)) => {
                let message = format!("`{letter}{kind}0` is bound: constants have either a buffer or names");
                return Err((Problem::value(message), first.span.clone()));
            }
            (false, false, _) => {
                let name = format!("{name}, {letter}{kind}");
                let content = Content::Values(vec![ValueRun::of_words(&words, NumberType::U32, &at.head)]);
                made.insert(name.clone(), ResourceEntry::made(format!("`{name}`"), "constant", content, &at.head));
                let (slot, reference) = (format!("{letter}{kind}0"), Reference::whole(name, &at.head));
                bind.push(Bind { slot, register: Some(register), reference, span: at.head.clone() });
            }
            _ => {}
        }
    }
    Ok(())
}

/// The content of a shader's registers: default values, overwritten by those of the draw.
fn values(stage: char, table: Option<&ConstantTable>, named: &[NamedValue]) -> Result<ConstantValues, Fault> {
    let none = ConstantTable::default();
    let table = table.unwrap_or(&none);
    let mut values = table.defaults();
    for NamedValue { name, span, node, .. } in named {
        let mut numbers = Vec::new();
        flatten(node, &mut numbers)?;
        if numbers.is_empty() {
            return Err((Problem::value("the list has no numbers"), node.span.clone()));
        }
        table.set(&mut values, name, &numbers).map_err(|error| {
            let hint = match table.names().next() {
                Some(_) => String::new(),
                None => format!(": bind a buffer with its registers, as `{stage}c0`"),
            };
            (Problem::value(format!("{error}{hint}")), span.clone())
        })?;
    }
    Ok(values)
}

/// The numbers of a value, in order.
fn flatten(node: &Node, numbers: &mut Vec<f64>) -> Result<(), Fault> {
    match &node.value {
        Value::Bool(flag) => numbers.push(f64::from(u8::from(*flag))),
        Value::Integer(_) | Value::Float(_) => numbers.extend(node.value.number()),
        Value::Array(items) => items.iter().try_for_each(|item| flatten(item, numbers))?,
        other => {
            let message = format!("a constant is numbers, true or false, or lists of these, not {}", other.type_name());
            return Err((Problem::value(message), node.span.clone()));
        }
    }
    Ok(())
}
