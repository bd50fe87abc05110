//! Checks bindings against the registers that a shader declares.
//!
//! Every declared register that is bound gets a view of the declared kind, and nothing else is bound. The host and
//! compiled code rely on this check: strides, dimensions, counters and writability are as declared.

use brolga_ir::interface::{Component, Dimension, ResourceClass, ResourceKind};
use brolga_ir::pipeline::{DEPTH, SPACE};
use brolga_resource::format::{Encoding, Format, Use};
use brolga_resource::{Elements, View, ViewKind};

use super::table::Table;
use super::{BindingError, BindingRules, Declared, Layers, Leniency, Register};
use crate::error::{Error, Limit};
use crate::limits::Limits;

/// Finds the view of every declared register, and returns the result of `bind` for each, given its index.
pub(crate) fn resolve<T>(
    declared: &[Declared],
    bindings: Layers<'_>,
    limits: &Limits,
    mut bind: impl FnMut(&Declared, usize, &View) -> T,
) -> Result<Table<Option<T>>, Error> {
    let mut resolved = Table::new(declared.iter().map(|range| table_len(range, bindings, limits)))?;
    for (register, view) in bindings.iter() {
        each_table_entry(declared, register, view, bindings.rules(), |range, position| {
            let index = resolved.index(range, position).expect("tables hold every register that is bound");
            resolved.set(index, Some(bind(&declared[range], index, view)));
        })?;
    }
    if !bindings.rules().allows(Leniency::Unbound) {
        check_complete(declared, &resolved)?;
    }
    if may_alias(declared) {
        for (register, view) in bindings.of_class(ResourceClass::UnorderedAccess) {
            check_aliases(declared, bindings, register, view)?;
        }
    }
    Ok(resolved)
}

/// `true` if the shader reads some registers and writes others, which might alias.
pub(crate) fn may_alias(declared: &[Declared]) -> bool {
    let has = |class| declared.iter().any(|range| range.register.class == class);
    has(ResourceClass::UnorderedAccess) && has(ResourceClass::ShaderResource)
}

/// Checks a view against a register's declarations and returns its table entries: the number of each range that
/// contains the register, and the index in it, which may exceed the table if the range is unbounded. There are none if
/// the register is not declared and need not be.
pub(crate) fn each_table_entry(
    declared: &[Declared],
    register: Register,
    view: &View,
    rules: BindingRules,
    mut visit: impl FnMut(usize, usize),
) -> Result<(), BindingError> {
    let mut is_declared = false;
    for (n, range) in declared.iter().enumerate().filter(|(_, range)| range.contains(register)) {
        check_view(range, register, view, rules)?;
        visit(n, (register.index - range.register.index) as usize);
        is_declared = true;
    }
    if !is_declared && !rules.allows(Leniency::Undeclared) {
        let declared = declared.iter().map(Declared::to_string).collect();
        return Err(BindingError::NotDeclared { register, bound: view.to_string(), declared });
    }
    Ok(())
}

/// Registers of a range that need a table entry: those that the shader names, and in an unbounded range those that are
/// bound.
fn table_len(range: &Declared, bindings: Layers<'_>, limits: &Limits) -> Result<usize, Error> {
    if let Some(count) = range.count {
        return Ok(count as usize);
    }
    let bound = bindings.iter().filter(|&(register, _)| range.contains(register));
    let bound_len = bound.map(|(register, _)| u64::from(register.index - range.register.index) + 1).max();
    let (value, most) = (bound_len.unwrap_or(0), limits.range_registers.into());
    if value > most {
        return Err(Error::OverLimit { limit: Limit::RangeRegisters, value, most });
    }
    Ok(value.max(range.table_len.into()) as usize)
}

fn check_complete<T>(declared: &[Declared], resolved: &Table<Option<T>>) -> Result<(), BindingError> {
    for (range, views) in declared.iter().zip(resolved.ranges()).filter(|(range, _)| range.count.is_some()) {
        if let Some(position) = views.iter().position(Option::is_none) {
            let index = range.register.index.saturating_add(position as u32);
            let register = Register { index, ..range.register };
            return Err(BindingError::Unbound { register, declared: range.kind });
        }
    }
    Ok(())
}

fn check_view(declared: &Declared, register: Register, view: &View, rules: BindingRules) -> Result<(), BindingError> {
    let wrong_kind = || Err(BindingError::Kind { register, declared: declared.kind, bound: view.to_string() });
    match (declared.kind, view.kind()) {
        (ResourceKind::Typed { dimension, component }, _) => {
            let (Some(format), Some(bound)) = (view.format(), view.dimension()) else { return wrong_kind() };
            check_texels(declared, register, (dimension, component), (bound, format), rules)?;
            if let ViewKind::Texture(texture) = view.kind() {
                let stored = texture.texture.shape().format;
                if declared.is_writable() {
                    // Only the pipeline reads the encoded values of depth buffers.
                    if register.space != SPACE && !stored.is_storable_as(format) {
                        return Err(BindingError::WrittenFormat { register, bound: stored });
                    }
                } else if texture.leaves_out_slices() {
                    return Err(BindingError::Slices { register, bound: view.to_string() });
                } else if texture.is_word_format() {
                    return Err(BindingError::WordFormat { register, texture: stored, bound: format });
                }
            }
        }
        (kind, ViewKind::Buffer(bound)) => match (kind, bound.elements) {
            (ResourceKind::Constant { .. }, Elements::Constant) | (ResourceKind::Raw, Elements::Raw) => {}
            (ResourceKind::Structured { stride_bytes: declared }, Elements::Structured { stride_bytes: bound }) => {
                if declared != bound {
                    return Err(BindingError::Stride { register, declared, bound });
                }
            }
            _ => return wrong_kind(),
        },
        (ResourceKind::Sampler { compares }, ViewKind::Sampler(sampler)) if sampler.compares() == compares => {}
        (_, ViewKind::Texture(_) | ViewKind::Sampler(_)) => return wrong_kind(),
    }
    if declared.uses_counter && view.counter().is_none() {
        return Err(BindingError::NoCounter { register });
    }
    if declared.is_writable() && view.bytes().is_some_and(|(buffer, _)| !buffer.is_writable()) {
        return Err(BindingError::ReadOnly { register });
    }
    Ok(())
}

fn check_texels(
    range: &Declared,
    register: Register,
    (declared, component): (Dimension, Component),
    (bound, format): (Dimension, Format),
    rules: BindingRules,
) -> Result<(), BindingError> {
    if declared != bound {
        return Err(BindingError::Dimension { register, declared, bound });
    }
    if !component_fits(component, format.encoding(), rules) {
        return Err(BindingError::Component { register, declared: component, bound: format });
    }
    if range.is_writable() && !is_writable(bound) {
        return Err(BindingError::WrittenDimension { register, bound });
    }
    let is_target = register.space == SPACE && format.allows(Use::Target);
    if range.is_writable() && !format.allows(Use::Store) && !is_target {
        return Err(BindingError::WrittenFormat { register, bound: format });
    }
    if (range.uses_texel_atomics && !format.allows(Use::Atomic))
        || (range.uses_texel_exchange && !format.allows(Use::Exchange))
    {
        return Err(BindingError::AtomicFormat { register, bound: format });
    }
    Ok(())
}

/// `true` if textures of a kind can be written: cubes and multisampled textures cannot.
fn is_writable(dimension: Dimension) -> bool {
    !dimension.is_cube() && !dimension.is_multisampled()
}

/// `true` if a shader that declares components as `declared` may see texels of an encoding.
fn component_fits(declared: Component, encoding: Encoding, rules: BindingRules) -> bool {
    match declared {
        Component::Float => !encoding.is_integer(),
        Component::Unorm => matches!(encoding, Encoding::Unorm | Encoding::Srgb),
        Component::Snorm => encoding == Encoding::Snorm,
        Component::Sint | Component::Uint if rules.allows(Leniency::OtherSign) => encoding.is_integer(),
        Component::Sint => encoding == Encoding::Sint,
        Component::Uint => encoding == Encoding::Uint,
        // A double takes two words, and Direct3D has no format for it.
        Component::Double | Component::Mixed => true,
    }
}

/// Checks that a register of a range may be left unbound.
pub(crate) fn check_removal(range: &Declared, rules: BindingRules, register: Register) -> Result<(), BindingError> {
    match range.count.is_none() || rules.allows(Leniency::Unbound) {
        true => Ok(()),
        false => Err(BindingError::Unbound { register, declared: range.kind }),
    }
}

/// Memory that one register reads must not be written through another: shaders may assume that it is constant. Constant
/// buffers are copied when a dispatch begins and may share anything. Checks one register, bound or about to be, against
/// the others.
pub(crate) fn check_aliases(
    declared: &[Declared],
    bindings: Layers<'_>,
    register: Register,
    view: &View,
) -> Result<(), BindingError> {
    let other = match register.class {
        ResourceClass::UnorderedAccess => ResourceClass::ShaderResource,
        ResourceClass::ShaderResource => ResourceClass::UnorderedAccess,
        ResourceClass::Constant | ResourceClass::Sampler => return Ok(()),
    };
    // Only the draw's state tells whether the depth buffer is written at all.
    let is_depth = |register: Register| register.space == SPACE && register.index == DEPTH;
    let is_ignored = |register| {
        is_depth(register)
            || bindings.rules().allows(Leniency::Undeclared) && !declared.iter().any(|range| range.contains(register))
    };
    if is_ignored(register) {
        return Ok(());
    }
    for (other, bound) in bindings.of_class(other).filter(|&(other, _)| !is_ignored(other)) {
        let [(written, target), (read, source)] = match register.class {
            ResourceClass::UnorderedAccess => [(register, view), (other, bound)],
            _ => [(other, bound), (register, view)],
        };
        if target.overlaps(source) {
            return Err(BindingError::Aliased { read, written });
        }
    }
    Ok(())
}
