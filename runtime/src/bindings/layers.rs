//! Overlays several sets of bindings: those of a pipeline over those of the caller.

use brolga_ir::interface::ResourceClass;
use brolga_resource::View;

use super::{BindingRules, Bindings, Register};

/// Bindings overlaid with further views: those that a pipeline binds besides the draw caller's. Nothing is copied.
#[derive(Clone, Copy, Debug)]
pub struct Layers<'a> {
    below: Option<&'a Bindings>,
    above: &'a [(Register, View)],
    rules: BindingRules,
}

impl<'a> Layers<'a> {
    /// Overlays bindings with views, which hide bindings of the same registers. The rules apply to all.
    pub fn new(below: Option<&'a Bindings>, above: &'a [(Register, View)], rules: BindingRules) -> Self {
        Self { below, above, rules }
    }

    /// The rules for checking it against a shader.
    pub fn rules(&self) -> BindingRules {
        self.rules
    }

    /// The view bound to a register.
    pub fn get(&self, register: Register) -> Option<&'a View> {
        self.above_at(register).or_else(|| self.below?.get(register))
    }

    /// Every register with its view.
    pub fn iter(self) -> impl Iterator<Item = (Register, &'a View)> {
        let below = self.below.into_iter().flat_map(Bindings::iter);
        self.over(below, |_| true)
    }

    /// The views of one register file.
    pub(crate) fn of_class(self, class: ResourceClass) -> impl Iterator<Item = (Register, &'a View)> {
        let below = self.below.into_iter().flat_map(move |below| below.of_class(class));
        self.over(below, move |register| register.class == class)
    }

    /// Merges the lower and the upper views of some registers.
    fn over(
        self,
        below: impl Iterator<Item = (Register, &'a View)>,
        is_one: impl Fn(Register) -> bool,
    ) -> impl Iterator<Item = (Register, &'a View)> {
        let seen = below.filter(move |&(register, _)| self.above_at(register).is_none());
        let above = self.above.iter().map(|(register, view)| (*register, view));
        seen.chain(above.filter(move |&(register, _)| is_one(register)))
    }

    fn above_at(&self, register: Register) -> Option<&'a View> {
        self.above.iter().find(|(over, _)| *over == register).map(|(_, view)| view)
    }
}

impl<'a> From<&'a Bindings> for Layers<'a> {
    fn from(bindings: &'a Bindings) -> Self {
        Self::new(Some(bindings), &[], bindings.rules())
    }
}
