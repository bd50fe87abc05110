//! Finds what depends on registers that nothing has written, and on memory that the function itself changes; and functions of
//! which checks have nothing to say. They are those at [`Level::Observed`](crate::passes::Level), as they are checked.

use crate::entity::{Inst, ResourceId, Value};
use crate::flow::Flow;
use crate::function::{Function, InstKind, MemoryRef, Object, ResourceRef};
use crate::interface::ResourceClass;
use crate::ops::Op;
use crate::pipeline::SPACE;
use crate::stage::Stage;
use crate::types::Type;

/// What an instruction does with a value.
enum Use {
    /// Nothing that matters.
    Nothing,
    /// Its results depend on it.
    Computes,
    /// Something is decided by it.
    Decides,
}

/// `true` if an instruction may use a register that nothing has written.
pub fn may_use_unwritten(func: &Function) -> bool {
    let unwritten = func.unwritten().map(|(value, _)| value).collect();
    decides(func, unwritten, |inst, _| match func.inst(inst).kind {
        InstKind::Note(..) => Use::Nothing,
        _ => Use::Decides,
    })
}

/// `true` if no check can find anything in a stage of a draw whose first indexable temporaries are the shader's own, where
/// these textures are bound.
pub fn has_nothing_to_find(func: &Function, own_locals: usize, is_bound: impl Fn(ResourceRef) -> bool) -> bool {
    let of_pipeline = |resource: ResourceRef| func.interface.resource(resource.id).space == SPACE;
    let is_harmless_memory = |place: &MemoryRef| match place.object {
        Object::Resource(resource) => {
            let is_constant = func.interface.resource(resource.id).class == ResourceClass::Constant;
            is_constant || of_pipeline(resource)
        }
        Object::Local(id) => id.index() >= own_locals,
        Object::Shared(_) => false,
        Object::Array(_) | Object::Immediate | Object::Curve => true,
    };
    let is_harmless_texel = |&resource: &ResourceRef| {
        let declared = func.interface.resource(resource.id);
        let is_read = declared.class == ResourceClass::ShaderResource && !declared.kind.is_typed_buffer();
        of_pipeline(resource) || (is_read && is_bound(resource))
    };
    let is_harmless = |inst: Inst| {
        let kind = &func.inst(inst).kind;
        kind.memory().is_none_or(is_harmless_memory)
            && kind.texel().is_none_or(|(resource, _)| is_harmless_texel(resource))
    };
    let is_compute = matches!(func.interface.stage, Stage::Compute { .. });
    !is_compute && func.each_inst().all(is_harmless) && !may_use_unwritten(func)
}

/// `true` if groups can only run again, and do the same, in memory with the content of before the run: what they access, or
/// what a check says of it, depends on words that they also change. It may depend on what they store to a view, too, where
/// `stores_matter`.
pub fn needs_first_content(func: &Function, stores_matter: bool) -> bool {
    let is_changed = |id: ResourceId| func.interface.resource(id).class == ResourceClass::UnorderedAccess;
    let is_of_view = |place: &MemoryRef| matches!(place.object, Object::Resource(resource) if is_changed(resource.id));
    let reads = |inst: &Inst| match &func.inst(*inst).kind {
        InstKind::Load { place } | InstKind::Atomic { place, .. } => is_of_view(place),
        InstKind::TexelLoad { resource, .. } => is_changed(resource.id),
        InstKind::TexelAtomic { .. } | InstKind::Counter { .. } => true,
        _ => false,
    };
    let read = func.each_inst().filter(reads).flat_map(|inst| func.inst(inst).results.iter().copied()).collect();
    decides(func, read, |inst, value| match &func.inst(inst).kind {
        InstKind::Note(..) => Use::Nothing,
        InstKind::Op { op, args } if !decides_about_poison(*op, args, value) => Use::Computes,
        InstKind::Store { place, effect, .. } if !stores_matter && is_of_view(place) => {
            let mut decide = place.index.into_iter().chain([place.offset, *effect]);
            if decide.any(|other| other == value) { Use::Decides } else { Use::Nothing }
        }
        InstKind::TexelStore { coords, effect, .. } if !stores_matter => {
            if coords.contains(&value) || *effect == value { Use::Decides } else { Use::Nothing }
        }
        _ => Use::Decides,
    })
}

/// `true` if an operand may decide whether another one matters (`poison.rs`).
fn decides_about_poison(op: Op, args: &[Value], value: Value) -> bool {
    match op {
        Op::And | Op::Or | Op::BAnd | Op::BOr | Op::IMul => true,
        _ => Op::select(op.result()) == op && op.args().first() == Some(&Type::Bool) && args.first() == Some(&value),
    }
}

/// `true` if an instruction decides something by one of these values, or by what depends on them.
fn decides(func: &Function, mut pending: Vec<Value>, uses: impl Fn(Inst, Value) -> Use) -> bool {
    let flow = Flow::new(func);
    let mut is_found = vec![false; func.value_count()];
    pending.iter().for_each(|value| is_found[value.index()] = true);
    while let Some(value) = pending.pop() {
        let mut add = |value: Value| {
            if !std::mem::replace(&mut is_found[value.index()], true) {
                pending.push(value);
            }
        };
        for &(user, position) in flow.uses(value) {
            let kind = &func.inst(user).kind;
            let passes = matches!(
                kind,
                InstKind::Yield(_) | InstKind::Break { .. } | InstKind::Continue { .. } | InstKind::Loop { .. }
            );
            if let Some((_, to)) = flow.edge(func, user).filter(|_| passes) {
                add(to[position as usize]);
                continue;
            }
            match uses(user, value) {
                Use::Nothing => {}
                Use::Computes => func.inst(user).results.iter().copied().for_each(&mut add),
                Use::Decides => return true,
            }
        }
    }
    false
}
