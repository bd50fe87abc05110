//! Checks bindings against what a shader declares.
//!
//! Every declared register that is bound gets a view of the declared kind, and nothing else is bound. What this lets pass
//! is what the host and compiled code rely on: strides, dimensions, counters and writability are as declared.

use brolga_ir::interface::{Component, Dimension, ResourceKind};

use super::{BindingError, BindingRules, Bindings, Register};
use crate::error::{Error, Limit};
use crate::format::{Encoding, Format};
use crate::limits::Limits;
use crate::resource::{Elements, View, ViewKind};
use crate::shader::Declared;

/// The bound views of each declared range, by position in the range.
pub(crate) type Resolved<'a> = Vec<Vec<Option<&'a View>>>;

/// Finds the view of every declared register.
pub(crate) fn resolve<'a>(
    declared: &[Declared],
    bindings: &'a Bindings,
    rules: BindingRules,
    limits: &Limits,
) -> Result<Resolved<'a>, Error> {
    let mut resolved: Resolved = declared.iter().map(|range| vec![None; range.table_len as usize]).collect();
    for (register, view) in bindings.iter() {
        let mut found = false;
        for (range, views) in declared.iter().zip(&mut resolved).filter(|(range, _)| range.contains(register)) {
            check_view(range, register, view)?;
            let position = register.index - range.register.index;
            if position >= limits.range_registers {
                let (value, most) = (u64::from(position) + 1, limits.range_registers.into());
                return Err(Error::OverLimit { limit: Limit::RangeRegisters, value, most });
            }
            let position = position as usize;
            if position >= views.len() {
                views.resize(position + 1, None);
            }
            views[position] = Some(view);
            found = true;
        }
        if !found {
            let declared = declared.iter().map(Declared::to_string).collect();
            return Err(BindingError::NotDeclared { register, bound: view.to_string(), declared }.into());
        }
    }
    if rules == BindingRules::Complete {
        check_complete(declared, &resolved)?;
    }
    check_aliases(declared, bindings)?;
    Ok(resolved)
}

fn check_complete(declared: &[Declared], resolved: &Resolved) -> Result<(), BindingError> {
    for (range, views) in declared.iter().zip(resolved).filter(|(range, _)| range.count.is_some()) {
        if let Some(position) = views.iter().position(Option::is_none) {
            let index = range.register.index.saturating_add(position as u32);
            let register = Register { index, ..range.register };
            return Err(BindingError::Unbound { register, declared: range.kind });
        }
    }
    Ok(())
}

fn check_view(declared: &Declared, register: Register, view: &View) -> Result<(), BindingError> {
    let wrong_kind = || Err(BindingError::Kind { register, declared: declared.kind, bound: view.to_string() });
    match (declared.kind, &view.kind) {
        (ResourceKind::Typed { dimension, component }, _) => {
            let (Some(format), Some(bound)) = (view.format(), view.dimension()) else { return wrong_kind() };
            check_texels(declared, register, (dimension, component), (bound, format))?;
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
        (_, ViewKind::Texture(_)) => return wrong_kind(),
    }
    if declared.uses_counter && view.counter().is_none() {
        return Err(BindingError::NoCounter { register });
    }
    if declared.is_writable() && !view.bytes().0.is_writable() {
        return Err(BindingError::ReadOnly { register });
    }
    Ok(())
}

fn check_texels(
    range: &Declared,
    register: Register,
    (declared, component): (Dimension, Component),
    (bound, format): (Dimension, Format),
) -> Result<(), BindingError> {
    if declared != bound {
        return Err(BindingError::Dimension { register, declared, bound });
    }
    if !component_fits(component, format.encoding()) {
        return Err(BindingError::Component { register, declared: component, bound: format });
    }
    if range.uses_texel_atomics && !format.allows_atomics() {
        return Err(BindingError::AtomicFormat { register, bound: format });
    }
    Ok(())
}

/// Whether a shader that takes components for `declared` may see texels of an encoding.
fn component_fits(declared: Component, encoding: Encoding) -> bool {
    match declared {
        Component::Float => !encoding.is_integer(),
        Component::Unorm => matches!(encoding, Encoding::Unorm | Encoding::Srgb),
        Component::Snorm => encoding == Encoding::Snorm,
        Component::Sint => encoding == Encoding::Sint,
        Component::Uint => encoding == Encoding::Uint,
        // A double is two words, which Direct3D has no format for.
        Component::Double | Component::Mixed => true,
    }
}

/// What one register reads must not be written through another: shaders may take it for constant. Constant buffers are
/// copied when a dispatch begins and may share anything.
fn check_aliases(declared: &[Declared], bindings: &Bindings) -> Result<(), BindingError> {
    let of_class = |letter: char| bindings.iter().filter(move |(register, _)| register.class.letter() == letter);
    if !declared.iter().any(Declared::is_writable) {
        return Ok(());
    }
    for (written, target) in of_class('u') {
        let (to, to_range) = target.bytes();
        for (read, source) in of_class('t') {
            let (from, from_range) = source.bytes();
            let overlap = from_range.start < to_range.end && to_range.start < from_range.end;
            if overlap && std::sync::Arc::ptr_eq(to.memory(), from.memory()) {
                return Err(BindingError::Aliased { read, written });
            }
        }
    }
    Ok(())
}
