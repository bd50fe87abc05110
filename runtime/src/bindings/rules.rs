//! Rules for how far bindings may differ from a shader's declarations.

/// A difference that is an error unless it is allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Leniency {
    /// Registers that the shader declares may be left unbound: they read as zeros and drop writes, as in Direct3D.
    Unbound,
    /// Registers that the shader does not declare may be bound: their views are ignored. So one set of bindings serves
    /// shaders that use different parts of it.
    Undeclared,
    /// Texels of an unsigned format may be bound where a shader declares signed integers, and vice versa, such as
    /// R32_SINT for `uint`. Their bits are reinterpreted; narrow ones are widened according to the view's format.
    OtherSign,
}

/// Rules by which bindings are checked against a shader's declarations.
///
/// ```
/// use brolga_runtime::{BindingRules, Bindings, Leniency};
///
/// let bindings = Bindings::with_rules(BindingRules::COMPLETE.allow(Leniency::Undeclared));
/// assert!(!bindings.rules().allows(Leniency::Unbound));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct BindingRules {
    unbound: bool,
    undeclared: bool,
    other_sign: bool,
}

impl BindingRules {
    /// Exactly the registers that the shader declares are bound, except in unbounded ranges. The default.
    pub const COMPLETE: Self = Self { unbound: false, undeclared: false, other_sign: false };
    /// The same, except that registers may be left unbound.
    pub const PARTIAL: Self = Self::COMPLETE.allow(Leniency::Unbound);
    /// The rules of the Windows runtime: everything is allowed.
    pub const DIRECT3D: Self = Self::PARTIAL.allow(Leniency::Undeclared).allow(Leniency::OtherSign);

    /// The same rules with one more difference allowed.
    pub const fn allow(mut self, what: Leniency) -> Self {
        *self.field(what) = true;
        self
    }

    /// `true` if the difference is allowed.
    pub const fn allows(mut self, what: Leniency) -> bool {
        *self.field(what)
    }

    const fn field(&mut self, what: Leniency) -> &mut bool {
        match what {
            Leniency::Unbound => &mut self.unbound,
            Leniency::Undeclared => &mut self.undeclared,
            Leniency::OtherSign => &mut self.other_sign,
        }
    }
}
