//! Which value stands for which: the replacements a pass has decided on.

use crate::entity::Value;
use crate::function::{Function, InstKind};

/// A forest of replacements; a value that nothing replaces stands for itself.
pub(super) struct Aliases {
    target: Vec<Option<Value>>,
}

impl Aliases {
    pub(super) fn new(func: &Function) -> Self {
        Self { target: vec![None; func.value_count()] }
    }

    /// From now on `by` stands for `value`.
    pub(super) fn replace(&mut self, value: Value, by: Value) {
        debug_assert_ne!(value, by);
        if self.target.len() <= value.index() {
            self.target.resize(value.index() + 1, None);
        }
        self.target[value.index()] = Some(by);
    }

    /// What stands for a value now.
    pub(super) fn resolve(&self, mut value: Value) -> Value {
        while let Some(Some(by)) = self.target.get(value.index()) {
            value = *by;
        }
        value
    }

    /// Rewrites the operands of an instruction.
    pub(super) fn apply(&self, kind: &mut InstKind) {
        kind.for_each_arg(|value| *value = self.resolve(*value));
    }
}
