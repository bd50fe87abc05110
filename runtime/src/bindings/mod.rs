//! Registers, the views bound to them, and their declarations in shaders.
//!
//! [`Bindings`] are independent of any shader. Binding them to one checks them against its declarations.
//!
//! | file | what |
//! |---|---|
//! | `register.rs` | registers as listings name them |
//! | `layers.rs` | overlays of several sets of bindings |
//! | `names.rs` | registers, as the source names them |
//! | `declared.rs` | register declarations of a shader |
//! | `rules.rs` | permitted differences between the two |
//! | `check.rs` | checks bindings against declarations |
//! | `error.rs` | errors of bindings |
//! | `table.rs` | one value for each declared register |

pub(crate) mod check;
mod declared;
mod error;
mod layers;
mod names;
mod register;
mod rules;
pub(crate) mod table;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::sync::Arc;

use brolga_ir::interface::ResourceClass;
use brolga_resource::View;

pub use declared::Declared;
pub use error::BindingError;
pub(crate) use error::first_of;
pub use layers::Layers;
pub(crate) use names::Names;
pub use register::{ParseRegisterError, Register};
pub use rules::{BindingRules, Leniency};

/// Views by register, and the rules for checking them against a shader. Clones share the views until one of them
/// changes.
#[derive(Clone, Debug, Default)]
pub struct Bindings {
    views: Arc<BTreeMap<Register, View>>,
    rules: BindingRules,
}

impl Bindings {
    /// No views, under the default rules: every declared register must be bound.
    pub fn new() -> Self {
        Self::default()
    }

    /// No views, under other rules than [`BindingRules::COMPLETE`].
    pub fn with_rules(rules: BindingRules) -> Self {
        Self { views: Arc::default(), rules }
    }

    /// The same views under rules that allow more.
    pub(crate) fn allowing(self, what: Leniency) -> Self {
        Self { rules: self.rules.allow(what), ..self }
    }

    /// The rules for checking it against a shader.
    pub fn rules(&self) -> BindingRules {
        self.rules
    }

    /// Binds a view, replacing any that was bound to the register.
    pub fn set(&mut self, register: Register, view: View) -> &mut Self {
        self.replace(register, view);
        self
    }

    /// The same, returning the previous view, whose memory may have an owner waiting for its release.
    pub fn replace(&mut self, register: Register, view: View) -> Option<View> {
        Arc::make_mut(&mut self.views).insert(register, view)
    }

    /// Unbinds a register.
    pub fn remove(&mut self, register: Register) -> Option<View> {
        // Copy on write only if there is something to remove.
        self.views.contains_key(&register).then(|| Arc::make_mut(&mut self.views).remove(&register)).flatten()
    }

    /// The view bound to a register.
    pub fn get(&self, register: Register) -> Option<&View> {
        self.views.get(&register)
    }

    /// Every register with its view, by register file, space and number.
    pub fn iter(&self) -> impl Iterator<Item = (Register, &View)> {
        self.views.iter().map(|(&register, view)| (register, view))
    }

    /// The views of one register file.
    pub(crate) fn of_class(&self, class: ResourceClass) -> impl Iterator<Item = (Register, &View)> {
        let end = |number| Register { class, space: number, index: number };
        self.views.range(end(0)..=end(u32::MAX)).map(|(&register, view)| (register, view))
    }
}
