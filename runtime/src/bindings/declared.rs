//! Gathers the register declarations of a shader.

use std::fmt;

use brolga_ir::function::{AtomicOp, Element, Function, InstKind, Object, ResourceRef};
use brolga_ir::interface::{Interface, Resource, ResourceClass, ResourceKind};
use serde::{Deserialize, Serialize};

use super::Register;

/// A range of registers that a shader declares.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Declared {
    /// The range's first register.
    pub register: Register,
    /// Registers in the range; `None` if it is unbounded.
    pub count: Option<u32>,
    /// Kind of resource, and whether the shader writes it.
    pub kind: ResourceKind,
    /// Set if the view's hidden counter is used.
    pub uses_counter: bool,
    /// Set if its texels are accessed by atomics other than exchanges.
    pub uses_texel_atomics: bool,
    /// Set if its texels are exchanged atomically, which more formats allow.
    pub uses_texel_exchange: bool,
    /// Bytes of an element, if the shader accesses a raw view by elements.
    pub(crate) element_bytes: Option<u32>,
    /// Set if texels are loaded, stored or changed by atomics, and not only sampled.
    pub(crate) uses_texels: bool,
    /// Entries that the range's table needs: the declared registers, or in an unbounded range those up to the last one
    /// that the shader names.
    pub(crate) table_len: u32,
}

impl Declared {
    /// The declarations of a shader, in order.
    pub(crate) fn of(function: &Function) -> Vec<Self> {
        let mut declared = Self::of_interface(&function.interface);
        for inst in function.each_inst() {
            let kind = &function.inst(inst).kind;
            for used in resources_of(kind) {
                let range = &mut declared[used.id.index()];
                range.uses_texels |= matches!(
                    kind,
                    InstKind::TexelLoad { .. } | InstKind::TexelStore { .. } | InstKind::TexelAtomic { .. }
                );
                if let InstKind::TexelAtomic { op, .. } = kind {
                    let exchanges = *op == AtomicOp::Exchange;
                    range.uses_texel_exchange |= exchanges;
                    range.uses_texel_atomics |= !exchanges;
                }
                if let (None, Element::Fixed(position)) = (range.count, used.element) {
                    range.table_len = range.table_len.max(position.saturating_add(1));
                }
            }
        }
        declared
    }

    /// Those of a function for checks. Of atomics in code that never runs, which the usual one has lost, nothing is asked.
    pub(crate) fn to_check(function: &Function, usual: &[Self]) -> Vec<Self> {
        let mut declared = Self::of(function);
        for (range, usual) in declared.iter_mut().zip(usual) {
            range.uses_texel_atomics &= usual.uses_texel_atomics;
            range.uses_texel_exchange &= usual.uses_texel_exchange;
        }
        declared
    }

    /// The declarations alone, without the uses that only the instructions reveal.
    pub(crate) fn of_interface(interface: &Interface) -> Vec<Self> {
        let declared = |resource: &Resource| Self {
            register: Register::new(resource.class, resource.lower).in_space(resource.space),
            count: resource.count,
            kind: resource.kind,
            uses_counter: resource.uses_counter,
            uses_texel_atomics: false,
            uses_texel_exchange: false,
            element_bytes: resource.element_bytes.filter(|_| resource.kind == ResourceKind::Raw),
            uses_texels: false,
            table_len: resource.count.unwrap_or(0),
        };
        interface.resources.iter().map(declared).collect()
    }

    /// One register, whose texels, if any, are loaded and stored.
    #[cfg(test)]
    pub(crate) fn one(register: Register, kind: ResourceKind) -> Self {
        Self {
            register,
            count: Some(1),
            kind,
            uses_counter: false,
            uses_texel_atomics: false,
            uses_texel_exchange: false,
            element_bytes: None,
            uses_texels: true,
            table_len: 1,
        }
    }

    /// `true` if the shader may write it.
    pub fn is_writable(&self) -> bool {
        self.register.class == ResourceClass::UnorderedAccess
    }

    /// `true` if the range holds a register.
    pub fn contains(&self, register: Register) -> bool {
        register.is_within(self.register, self.count)
    }
}

/// The resources that an instruction accesses: one, except for sampling, which has a sampler too.
fn resources_of(kind: &InstKind) -> impl Iterator<Item = &ResourceRef> {
    let sampler = match kind {
        InstKind::Sample { sampler, .. } => Some(sampler),
        _ => None,
    };
    view_of(kind).into_iter().chain(sampler)
}

fn view_of(kind: &InstKind) -> Option<&ResourceRef> {
    match kind {
        InstKind::Load { place } | InstKind::Store { place, .. } | InstKind::Atomic { place, .. } => {
            match &place.object {
                Object::Resource(resource) => Some(resource),
                Object::Shared(_) | Object::Local(_) | Object::Array(_) | Object::Immediate | Object::Curve => None,
            }
        }
        InstKind::Counter { resource, .. }
        | InstKind::TexelLoad { resource, .. }
        | InstKind::TexelStore { resource, .. }
        | InstKind::TexelAtomic { resource, .. }
        | InstKind::Sample { texture: resource, .. }
        | InstKind::Query { resource, .. } => Some(resource),
        InstKind::Const(_)
        | InstKind::Message { .. }
        | InstKind::Input(_)
        | InstKind::Op { .. }
        | InstKind::SlotGet(_)
        | InstKind::SlotSet(..)
        | InstKind::Note(..)
        | InstKind::QuadRead { .. }
        | InstKind::PacketAll(_)
        | InstKind::Barrier(_)
        | InstKind::If { .. }
        | InstKind::Loop { .. }
        | InstKind::Switch { .. }
        | InstKind::Yield(_)
        | InstKind::Break { .. }
        | InstKind::Continue { .. }
        | InstKind::Return => None,
    }
}

impl fmt::Display for Declared {
    /// Formats the range as messages name it: `t0`, `u2..u5,space1`, `t4..,space2`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Register { class, space, index } = self.register;
        write!(f, "{}{index}", class.letter())?;
        match self.count {
            Some(0 | 1) => {}
            Some(count) => write!(f, "..{}{}", class.letter(), index.saturating_add(count - 1))?,
            None => f.write_str("..")?,
        }
        if space != 0 {
            write!(f, ",space{space}")?;
        }
        Ok(())
    }
}
