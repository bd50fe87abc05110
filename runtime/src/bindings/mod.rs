//! Registers and what is bound to them.
//!
//! [`Bindings`] knows nothing of a shader. A dispatch checks it against what the shader declares: `check.rs`.

pub(crate) mod check;
mod error;
mod register;
pub(crate) mod table;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

pub use error::BindingError;
pub use register::{ParseRegisterError, Register};

use crate::resource::View;

/// Which registers must be bound.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum BindingRules {
    /// Every register that the shader declares. Of a range without an end, none.
    #[default]
    Complete,
    /// None: what is not bound reads as zeros and drops writes, as Direct3D has it.
    Partial,
}

/// Views by register.
#[derive(Clone, Debug, Default)]
pub struct Bindings {
    views: BTreeMap<Register, View>,
}

impl Bindings {
    /// No views.
    pub fn new() -> Self {
        Self::default()
    }

    /// Binds a view in place of what was bound to the register.
    pub fn set(&mut self, register: Register, view: View) -> &mut Self {
        self.views.insert(register, view);
        self
    }

    /// Takes away what is bound to a register.
    pub fn remove(&mut self, register: Register) -> Option<View> {
        self.views.remove(&register)
    }

    /// What is bound to a register.
    pub fn get(&self, register: Register) -> Option<&View> {
        self.views.get(&register)
    }

    /// Every register with its view, by file, space and number.
    pub fn iter(&self) -> impl Iterator<Item = (Register, &View)> {
        self.views.iter().map(|(&register, view)| (register, view))
    }
}
