//! Follows words that may be worthless, because they were read past the end of something or before anything wrote
//! them, until something uses them.
//!
//! Compilers of HLSL evaluate both sides of `?:` and `&&`: a shader reads past the end and selects another value. So such
//! a read is a *suspicion*, and its result is *poisoned*. A value computed from a poisoned one is poisoned too, unless its
//! bits do not depend on it: `and` with 0, `or` with all ones, a product with 0, the side of a select that is not taken.
//! Poison is used by an address, a branch, an atomic, a message, and by a store to a view or an output; then the suspicion
//! becomes a finding. Through shared memory and arrays it travels with the word.

use std::collections::HashMap;

use super::finding::Finding;
use crate::entity::{Inst, SharedId, Value};
use crate::function::Origin;
use crate::ops::Op;
use crate::types::Type;

/// The most values that are poisoned at once: of more, nothing is known. It bounds memory.
pub(super) const MOST_POISONED: usize = 1 << 20;

/// Suspicions of a group of which each has one of its own; of more, those of an instruction and thread share one.
const MOST_SUSPICIONS: usize = 1 << 16;

/// A suspicion of a group.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct SuspicionId(usize);

/// A read whose result may be worthless.
#[derive(Debug)]
pub(super) struct Suspicion {
    /// What it becomes when it is used.
    pub finding: Finding,
    /// Set once it has become that.
    pub is_used: bool,
    /// Set while control flow alone has passed on what a register holds that nothing wrote.
    pub is_passed: bool,
    /// The word of shared memory that nobody had written, and the phase. If another thread writes it in that phase, the
    /// race is all there is to say.
    pub unwritten: Option<((SharedId, usize), u32)>,
}

impl Suspicion {
    fn is_same(&self, other: &Self) -> bool {
        (self.finding.subject, self.finding.place) == (other.finding.subject, other.finding.place)
    }

    pub fn new(finding: Finding) -> Self {
        Self { finding, is_used: false, is_passed: false, unwritten: None }
    }
}

/// The poisoned values of a group's threads.
#[derive(Debug, Default)]
pub(super) struct Poison {
    values: HashMap<(Value, u32), SuspicionId>,
    suspicions: Vec<Suspicion>,
    /// The latest suspicion of each instruction and thread.
    latest: HashMap<(Inst, u32), SuspicionId>,
}

impl Poison {
    /// Forgets everything: another group begins.
    pub fn clear(&mut self) {
        self.values.clear();
        self.suspicions.clear();
        self.latest.clear();
    }

    /// `true` if no value is poisoned.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// The suspicions so far.
    pub fn suspicions(&self) -> &[Suspicion] {
        &self.suspicions
    }

    /// A suspicion.
    pub fn suspicion(&mut self, id: SuspicionId) -> &mut Suspicion {
        &mut self.suspicions[id.0]
    }

    /// Notes a suspicion about what a thread read.
    pub fn suspect(&mut self, inst: Inst, thread: u32, suspicion: Suspicion) -> SuspicionId {
        let next = SuspicionId(self.suspicions.len());
        if let Some(&latest) = self.latest.get(&(inst, thread))
            && (next.0 >= MOST_SUSPICIONS || self.suspicion(latest).is_same(&suspicion))
        {
            return latest;
        }
        self.suspicions.push(suspicion);
        self.latest.insert((inst, thread), next);
        next
    }

    /// The suspicion about a value in a thread.
    pub fn get(&self, value: Value, thread: u32) -> Option<SuspicionId> {
        self.values.get(&(value, thread)).copied()
    }

    /// Sets or clears the suspicion about a value in a thread.
    pub fn set(&mut self, value: Value, thread: u32, poison: Option<SuspicionId>) {
        match poison {
            Some(_) if self.values.len() >= MOST_POISONED => {}
            Some(id) => {
                self.values.insert((value, thread), id);
            }
            None if self.values.is_empty() => {}
            None => {
                self.values.remove(&(value, thread));
            }
        }
    }

    /// Notes that something used a poisoned value; returns the finding, the first time.
    pub fn used(&mut self, id: SuspicionId, by: Origin) -> Option<&Suspicion> {
        let suspicion = self.suspicion(id);
        if suspicion.is_used {
            return None;
        }
        suspicion.is_used = true;
        suspicion.finding.other = Some(by);
        Some(suspicion)
    }
}

/// The suspicion about the result of an operation on operands with these bits.
pub(super) fn of_result(op: Op, bits: &[u64], poison: &[Option<SuspicionId>]) -> Option<SuspicionId> {
    let decides = |n: usize, word: u64| poison[n].is_none() && bits[n] == word;
    match op {
        Op::And | Op::BAnd | Op::IMul if (0..2).any(|n| decides(n, 0)) => None,
        Op::Or if (0..2).any(|n| decides(n, u32::MAX.into())) => None,
        Op::BOr if (0..2).any(|n| decides(n, 1)) => None,
        _ if Op::select(op.result()) == op && op.args().first() == Some(&Type::Bool) => {
            poison[0].or(if bits[0] != 0 { poison[1] } else { poison[2] })
        }
        _ => poison.iter().find_map(|poison| *poison),
    }
}
