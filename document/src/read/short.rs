//! Reads the short form: a document of one dispatch, whose tables are resources and samplers by the registers that they
//! are bound to, or by the shader's names for these.

use brolga_runtime::{Register, ResourceClass, StageKind};

use super::expectation;
use super::resource::{resource, view_keys};
use super::{instances, one_of, sampler, shader};
use crate::error::{Fault, Problem};
use crate::model::Model;
use crate::model::pipeline::Pipeline;
use crate::model::resource::Reference;
use crate::model::step::{At, Bind, Dispatch, DocumentStep, What};
use crate::text::{Located, Node, Span};

/// The name of the only shader, and of the only pipeline.
const MAIN: &str = "main";

/// Reads a document in the short form.
pub(super) fn read(root: &Node, model: &mut Model) -> Result<(), Fault> {
    let Some(files) = one_of(root, &["shader", "shaders"])? else {
        return Err((
            Problem::MissingKey { place: "the document", key: "shader", meaning: "the compute shader's file" },
            root.head(),
        ));
    };
    model.shaders.insert(MAIN.to_owned(), shader(root, &files.key)?);
    let mut pipeline =
        Pipeline { fused_mad: root.is_true("fused_mad"), span: files.node.span.clone(), ..Pipeline::default() };
    pipeline.shaders[StageKind::Compute] = Some(Located::new(MAIN.to_owned(), &files.node.span));
    pipeline.instances[StageKind::Compute] = instances::instances(root.entries_at("instances"))?;
    model.pipelines.insert(MAIN.to_owned(), pipeline);
    let mut bind = Vec::new();
    for entry in root.entries() {
        let register = entry.key.parse::<Register>();
        let is_table = matches!(entry.node.value, crate::text::Value::Table(_));
        let is_fixed =
            matches!(entry.key.as_str(), "instances" | "defines" | "overrides" | "meta" | "note" | "exercises");
        if register.is_ok() || (is_table && !is_fixed) {
            bound(&entry.node, &entry.key, &entry.key_span, model, &mut bind)?;
        }
    }
    for node in root.items_at("bindings") {
        let Some(slot) = node.named_at("slot") else { continue };
        bound(node, &slot.value, &slot.span, model, &mut bind)?;
    }
    for node in root.items_at("expect") {
        let expectation = expectation::expectation(node, None, node.head())?;
        model.expectations.push(expectation);
    }
    check_results(model)?;
    let groups = |key: &str| root.get(key).and_then(|node| node.array(Node::integer::<u32>));
    let dispatch = Dispatch {
        pipeline: Located::new(MAIN.to_owned(), &files.node.span),
        bind,
        groups: groups("dispatch").unwrap_or_default(),
        first_group: groups("first_group").unwrap_or_default(),
        arguments: None,
    };
    let span = |key: &str| root.get(key).map_or(files.node.span.clone(), |node| node.span.clone());
    let keys = vec![
        ("groups", span("dispatch")),
        ("first_group", span(if root.get("first_group").is_some() { "first_group" } else { "dispatch" })),
    ];
    let at = At { head: files.node.span.clone(), keys };
    let step = DocumentStep::new(What::Dispatch(dispatch), at.clone());
    model.steps = match root.integer_at::<u32>("repeat") {
        Some(count) if count > 1 => vec![DocumentStep::new(What::Repeat { count, steps: vec![step] }, at)],
        _ => vec![step],
    };
    Ok(())
}

/// Reads the binding of a register, or of one of the shader's names.
fn bound(node: &Node, slot: &str, span: &Span, model: &mut Model, bind: &mut Vec<Bind>) -> Result<(), Fault> {
    let register = slot.parse::<Register>().ok();
    // The canonical name of the register.
    let name = register.map_or(slot.to_owned(), |register| register.to_string());
    if model.resources.contains_key(&name) || model.samplers.contains_key(&name) {
        return Err((Problem::value(format!("{name} is bound twice")), span.clone()));
    }
    let is_sampler = match register {
        Some(register) => register.class == ResourceClass::Sampler,
        None => node.get("filter").is_some() || node.get("address").is_some(),
    };
    let mut reference = Reference::whole(name.clone(), span);
    if is_sampler {
        model.samplers.insert(name, sampler::of_direct3d11(node)?);
    } else {
        let resource = resource(node, span, name.clone(), register)?;
        if let Some(view) = node.get("view") {
            reference.view = view_keys(view)?;
        }
        expectation::of_resource(node, &name, span, model)?;
        model.resources.insert(name, resource);
    }
    bind.push(Bind { slot: slot.to_owned(), register, reference, span: span.clone() });
    Ok(())
}

/// Checks that only resources that the shader may write have results.
fn check_results(model: &Model) -> Result<(), Fault> {
    let no_result = |name: &str, key: &str, span: &Span| match name.parse::<Register>() {
        Ok(register) if register.class == ResourceClass::UnorderedAccess => Ok(()),
        Ok(_) => {
            let message = format!("{name} has no result for `{key}`: shaders write u# only");
            Err((Problem::value(message), span.clone()))
        }
        Err(_) => Ok(()),
    };
    for save in &model.saves {
        no_result(&save.resource.value, "save", &save.path.span)?;
    }
    for expectation in &model.expectations {
        let crate::model::expectation::Subject::Resource(name) = &expectation.subject else { continue };
        if !model.resources.contains_key(&name.value) {
            let message = format!("{} is expected but not bound", name.value);
            let help = "bind the register, or remove the expectation";
            return Err((Problem::with_help(message, help), name.span.clone()));
        }
        no_result(&name.value, "expect", &expectation.span)?;
    }
    Ok(())
}
