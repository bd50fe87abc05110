//! The entry of a word's shadow: who has accessed the word since the last barrier. Tells whether an access races with that,
//! and what entry it leaves.
//!
//! | bits | what |
//! |---|---|
//! | 0 | a thread has read it |
//! | 1 | several threads have |
//! | 2 | these were atomics |
//! | 3.. | the thread: its number in the group, or in the dispatch; for a group as a whole, that of its first |
//! | above | the phase of the group, or one where nothing orders threads |
//!
//! One entry is enough for accesses that only a phase orders. A thread that has read a word and writes it is the writer
//! to all others; of several readers each races with a writer, be it one of them or not. Lanes of a packet that access one
//! word by one instruction find each other by reading back what they left.

use crate::builder::Builder;
use crate::entity::Value;
use crate::ops::Op;

/// Set in entries.
const READ: u32 = 1;
pub(super) const SEVERAL: u32 = 2;
const ATOMIC: u32 = 4;
/// The lowest bit of the thread.
pub(super) const THREAD: u32 = 3;
/// Set in place of a phase.
pub(super) const OF_VIEW: u32 = 1 << 31;

/// The number of the group, along x, then y and z, of the thread that an entry names; `None` for no entry.
pub fn group_of_entry(entry: u32, threads_per_group: u32) -> Option<u64> {
    (entry != 0).then(|| u64::from((entry & !OF_VIEW) >> THREAD) / u64::from(threads_per_group.max(1)))
}

/// The entries of the thread, without what it did.
pub(super) struct Entries {
    pub own: Value,
    /// The least number that differs in the phase.
    pub below_phase: u32,
    /// Where no barrier orders anything, the entry of the group's first thread.
    pub first: Option<Value>,
    /// Set if a group counts as one thread.
    pub of_groups: bool,
    /// Set if no word is read before it is written.
    pub is_filled: bool,
    /// Set if some accesses are atomic.
    pub has_atomics: bool,
}

/// An entry that an access finds.
pub(super) struct Meeting {
    old: Value,
    /// The bits in which it differs from the thread's own.
    difference: Value,
    /// Set if it is of this phase.
    is_here: Value,
    /// Set if it is of this phase and thread.
    is_own: Value,
    /// Set if it is of this phase, and of another thread.
    is_other: Value,
}

impl Meeting {
    pub fn of(b: &mut Builder<'_>, old: Value, entries: &Entries) -> Self {
        let (below_phase, below_thread) = (b.i32(entries.below_phase), b.i32(1 << THREAD));
        let difference = b.op(Op::Xor, &[old, entries.own]);
        let is_here = b.op(Op::ULt, &[difference, below_phase]);
        let is_own = b.op(Op::ULt, &[difference, below_thread]);
        let is_not_own = b.op(Op::BNot, &[is_own]);
        let is_other = b.op(Op::BAnd, &[is_here, is_not_own]);
        Self { old, difference, is_here, is_own, is_other }
    }

    /// `true` if bits of the entry have this value.
    fn has(&self, b: &mut Builder<'_>, bits: u32, value: u32) -> Value {
        let (bits, value) = (b.i32(bits), b.i32(value));
        let bits = b.op(Op::And, &[self.old, bits]);
        b.op(Op::IEq, &[bits, value])
    }

    fn with(b: &mut Builder<'_>, entry: Value, bits: u32) -> Value {
        let bits = b.i32(bits);
        b.op(Op::Or, &[entry, bits])
    }

    /// `true` if another thread has written the word, or changed it by an atomic.
    fn other_wrote(&self, b: &mut Builder<'_>) -> Value {
        let only_read = self.has(b, READ | ATOMIC, READ);
        let wrote = b.op(Op::BNot, &[only_read]);
        b.op(Op::BAnd, &[self.is_other, wrote])
    }

    /// Whether a read races, and the entry that it leaves.
    pub fn read(&self, b: &mut Builder<'_>, entries: &Entries) -> (Value, Value) {
        let mut clash = match entries.has_atomics {
            true => self.other_wrote(b),
            // The kind is that of the difference, too: with its lowest bit on top, reads are beyond all others.
            false => {
                let top = b.i32(31);
                let turned = b.op(Op::RotL, &[self.difference, top]);
                is_between(b, turned, 1 << (THREAD - 1), entries.below_phase >> 1)
            }
        };
        let (several, first) = (Self::with(b, self.old, SEVERAL), Self::with(b, entries.own, READ));
        let mut own = self.old;
        if entries.has_atomics {
            // Who has changed the word and reads it is its writer, unless others have changed it.
            let is_atomic = self.has(b, ATOMIC, ATOMIC);
            let by_several = self.has(b, ATOMIC | SEVERAL, ATOMIC | SEVERAL);
            let meets = b.op(Op::BAnd, &[self.is_own, by_several]);
            clash = b.op(Op::BOr, &[clash, meets]);
            own = b.select(is_atomic, entries.own, own);
        }
        let here = b.select(self.is_own, own, several);
        (clash, b.select(self.is_here, here, first))
    }

    /// The same of a word that all lanes read.
    pub fn read_by_all(&self, b: &mut Builder<'_>, entries: &Entries) -> (Value, Value) {
        let only_read = self.has(b, READ | ATOMIC, READ);
        let wrote = b.op(Op::BNot, &[only_read]);
        let clash = b.op(Op::BAnd, &[self.is_here, wrote]);
        let here = Self::with(b, self.old, READ | SEVERAL);
        let first = match entries.first {
            Some(first) => first,
            None => {
                let whole = b.i32(!(entries.below_phase - 1));
                b.op(Op::And, &[entries.own, whole])
            }
        };
        let first = Self::with(b, first, READ | SEVERAL);
        (clash, b.select(self.is_here, here, first))
    }

    /// The same of a write.
    pub fn write(&self, b: &mut Builder<'_>, entries: &Entries) -> (Value, Value) {
        if !entries.has_atomics {
            // Of the thread's own entries those of one reader and of the writer come first.
            return (is_between(b, self.difference, SEVERAL, entries.below_phase), entries.own);
        }
        let by_several = self.has(b, SEVERAL, SEVERAL);
        let among = b.op(Op::BAnd, &[self.is_own, by_several]);
        (b.op(Op::BOr, &[self.is_other, among]), entries.own)
    }

    /// The same of an atomic.
    pub fn atomic(&self, b: &mut Builder<'_>, entries: &Entries) -> (Value, Value) {
        let is_atomic = self.has(b, ATOMIC, ATOMIC);
        let is_plain = b.op(Op::BNot, &[is_atomic]);
        let other = b.op(Op::BAnd, &[self.is_other, is_plain]);
        let by_several = self.has(b, ATOMIC | SEVERAL, SEVERAL);
        let among = b.op(Op::BAnd, &[self.is_own, by_several]);
        let several = Self::with(b, self.old, SEVERAL);
        let own = b.select(is_atomic, self.old, entries.own);
        let here = b.select(self.is_own, own, several);
        let first = Self::with(b, entries.own, ATOMIC | READ);
        (b.op(Op::BOr, &[other, among]), b.select(self.is_here, here, first))
    }
}

/// `true` if a number is in a range.
fn is_between(b: &mut Builder<'_>, number: Value, first: u32, end: u32) -> Value {
    let (first, length) = (b.i32(first.wrapping_neg()), b.i32(end - first));
    let number = b.op(Op::IAdd, &[number, first]);
    b.op(Op::ULt, &[number, length])
}
