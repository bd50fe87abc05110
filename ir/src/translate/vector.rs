//! Holds up to four values at a time, as both bytecodes write them.

use crate::entity::Value;

/// Up to four values, by lane or by component.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Vector([Option<Value>; 4]);

impl Vector {
    /// The same value for every lane of a mask.
    pub(super) fn splat(value: Value) -> Self {
        Self([Some(value); 4])
    }

    /// The value of a lane, which must be present.
    pub(super) fn at(&self, lane: usize) -> Value {
        self.0[lane & 3].expect("only lanes that were read are used")
    }

    pub(super) fn set(&mut self, lane: usize, value: Value) {
        self.0[lane & 3] = Some(value);
    }
}

impl From<[Value; 4]> for Vector {
    fn from(values: [Value; 4]) -> Self {
        Self(values.map(Some))
    }
}

/// The lanes of a mask, in order.
pub(super) fn lanes(mask: u8) -> impl Iterator<Item = usize> + Clone {
    (0..4).filter(move |lane| mask >> lane & 1 != 0)
}

/// First and last lane of a mask that is not empty.
pub(super) fn span(mask: u8) -> (usize, usize) {
    let mask = mask & 0xf;
    debug_assert_ne!(mask, 0);
    (mask.trailing_zeros() as usize & 3, 7 - (mask | 1).leading_zeros() as usize)
}
