//! Loads and stores vectors of words: rows of inputs and outputs, constants, private arrays.

use super::vector::{Vector, span};
use crate::builder::Builder;
use crate::entity::Value;
use crate::function::{MemoryRef, Object};
use crate::ops::Op;

/// The byte offset of a vector in its element.
#[derive(Clone, Copy)]
pub(super) enum Start {
    Known(u32),
    /// An `i32`.
    Computed(Value),
}

impl Start {
    /// The byte offset of a component.
    fn component(self, b: &mut Builder<'_>, component: usize) -> Value {
        let component = 4 * component as u32;
        match self {
            Start::Known(bytes) => b.i32(bytes.wrapping_add(component)),
            Start::Computed(bytes) if component == 0 => bytes,
            Start::Computed(bytes) => {
                let component = b.i32(component);
                b.op(Op::IAdd, &[bytes, component])
            }
        }
    }
}

/// Loads the words of a vector that span the wanted components, in one load.
pub(super) fn load(b: &mut Builder<'_>, object: Object, index: Value, start: Start, components: u8) -> Vector {
    let (first, last) = span(components);
    let offset = start.component(b, first);
    let words = b.load(MemoryRef { object, index: Some(index), offset }, last - first + 1);
    let mut result = Vector::default();
    for (n, word) in words.into_iter().enumerate() {
        result.set(first + n, word);
    }
    result
}

/// Stores the lanes of a mask, one store per contiguous run.
pub(super) fn store(b: &mut Builder<'_>, object: Object, index: Value, start: Start, mask: u8, words: &Vector) {
    let mut first = 0;
    while first < 4 {
        let count = (mask >> first).trailing_ones() as usize;
        if count > 0 {
            let values: Vec<Value> = (first..first + count).map(|lane| words.at(lane)).collect();
            let offset = start.component(b, first);
            let effect = b.bool(true);
            b.store(MemoryRef { object, index: Some(index), offset }, &values, effect);
        }
        first += count + 1;
    }
}
