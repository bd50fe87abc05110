//! Tracks the known values of registers at the insertion point.
//!
//! Straight-line code reads what it has just written, so most reads of slots need no instruction. Values are known
//! within one region only: regions are filled one at a time, so coming from another one may mean having left a
//! construct that writes slots, or having entered a loop whose later iterations bring other values.

use crate::builder::Builder;
use crate::entity::{Region, Slot, Value};

/// The values of slots.
pub(super) struct Registers {
    /// The region of the last access.
    region: Region,
    /// The value of each slot; valid only for those of `touched`.
    known: Vec<Option<Value>>,
    touched: Vec<Slot>,
}

impl Registers {
    pub(super) fn new(b: &Builder<'_>) -> Self {
        Self { region: b.region(), known: vec![None; b.func.slot_count()], touched: Vec::new() }
    }

    /// The value of a slot.
    pub(super) fn get(&mut self, b: &mut Builder<'_>, slot: Slot) -> Value {
        if let Some(known) = *self.entry(b, slot) {
            return known;
        }
        let value = b.slot_get(slot);
        *self.entry(b, slot) = Some(value);
        value
    }

    /// Writes a slot.
    pub(super) fn set(&mut self, b: &mut Builder<'_>, slot: Slot, value: Value) {
        b.slot_set(slot, value);
        *self.entry(b, slot) = Some(value);
    }

    fn entry(&mut self, b: &Builder<'_>, slot: Slot) -> &mut Option<Value> {
        if std::mem::replace(&mut self.region, b.region()) != b.region() {
            for slot in self.touched.drain(..) {
                self.known[slot.index()] = None;
            }
        }
        let entry = &mut self.known[slot.index()];
        if entry.is_none() {
            self.touched.push(slot);
        }
        entry
    }
}
