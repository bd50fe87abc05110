//! What bindings may have or lack beside what a shader declares.

/// Something that is an error unless it is allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Leniency {
    /// Registers that the shader declares may be left unbound: they read as zeros and drop writes, as Direct3D has it.
    Unbound,
    /// Registers that the shader does not declare may be bound: nobody looks at their views. So one set of bindings serves
    /// shaders that use different parts of it.
    Undeclared,
    /// Where a shader declares signed integers, texels of an unsigned format may be bound, and the reverse, as R32_SINT for
    /// `uint`. Their bits are taken as they are; narrow ones are widened as the view's format says.
    OtherSign,
}

/// How bindings are held against what a shader declares.
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
    /// Every register that the shader declares is bound, but for ranges without an end, and no other. The default.
    pub const COMPLETE: Self = Self { unbound: false, undeclared: false, other_sign: false };
    /// The same, but that registers may be left unbound.
    pub const PARTIAL: Self = Self::COMPLETE.allow(Leniency::Unbound);
    /// What Windows' runtime takes: everything is allowed.
    pub const DIRECT3D: Self = Self::PARTIAL.allow(Leniency::Undeclared).allow(Leniency::OtherSign);

    /// The same rules with something allowed.
    pub const fn allow(mut self, what: Leniency) -> Self {
        *self.field(what) = true;
        self
    }

    /// Whether something is allowed.
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
