//! Replaces values by others.

use crate::entity::{Inst, Value};
use crate::function::{Function, InstKind};

/// The replacements that a pass has decided on; a value without a replacement maps to itself.
pub(crate) struct Replacements {
    by: Vec<Option<Value>>,
}

impl Replacements {
    pub(crate) fn new(func: &Function) -> Self {
        Self { by: vec![None; func.value_count()] }
    }

    /// Replaces `value` by `by` from now on.
    pub(crate) fn replace(&mut self, value: Value, by: Value) {
        debug_assert_ne!(value, by);
        if self.by.len() <= value.index() {
            self.by.resize(value.index() + 1, None);
        }
        self.by[value.index()] = Some(by);
    }

    /// The current replacement of a value.
    pub(crate) fn resolve(&self, mut value: Value) -> Value {
        while let Some(Some(by)) = self.by.get(value.index()) {
            value = *by;
        }
        value
    }

    /// Rewrites the operands of an instruction.
    pub(crate) fn apply(&self, kind: &mut InstKind) {
        kind.for_each_arg(|value| *value = self.resolve(*value));
    }

    /// Rewrites the operands of all instructions.
    pub(crate) fn apply_to_all(&self, func: &mut Function) {
        (0..func.inst_count()).for_each(|n| self.apply(&mut func.inst_mut(Inst::new(n)).kind));
    }
}
