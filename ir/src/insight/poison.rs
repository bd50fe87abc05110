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

/// The most values of a group that several suspicions stand behind: of more, each has one of them.
const MOST_JOINED: usize = 1 << 16;

/// What stands behind a value of a group.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum SuspicionId {
    /// One suspicion.
    One(usize),
    /// What stands behind two operands.
    Joined(usize),
}

/// A read whose result may be worthless.
#[derive(Clone, Debug)]
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
    latest: HashMap<(Inst, u32), usize>,
    /// Those behind two operands, each until something has used it.
    joined: Vec<Option<[SuspicionId; 2]>>,
    pairs: HashMap<[SuspicionId; 2], SuspicionId>,
}

impl Poison {
    /// Forgets everything: another group begins.
    pub fn clear(&mut self) {
        self.values.clear();
        self.suspicions.clear();
        self.latest.clear();
        self.joined.clear();
        self.pairs.clear();
    }

    /// `true` if no value is poisoned.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// The suspicions so far.
    pub fn suspicions(&self) -> &[Suspicion] {
        &self.suspicions
    }

    /// The suspicion itself, if it is one.
    pub fn suspicion(&mut self, id: SuspicionId) -> Option<&mut Suspicion> {
        match id {
            SuspicionId::One(number) => self.suspicions.get_mut(number),
            SuspicionId::Joined(_) => None,
        }
    }

    /// Notes a suspicion about what a thread read.
    pub fn suspect(&mut self, inst: Inst, thread: u32, suspicion: Suspicion) -> SuspicionId {
        let next = self.suspicions.len();
        if let Some(&latest) = self.latest.get(&(inst, thread))
            && (next >= MOST_SUSPICIONS || self.suspicions[latest].is_same(&suspicion))
        {
            return SuspicionId::One(latest);
        }
        self.suspicions.push(suspicion);
        self.latest.insert((inst, thread), next);
        SuspicionId::One(next)
    }

    /// Both suspicions.
    fn join(&mut self, first: SuspicionId, second: SuspicionId) -> SuspicionId {
        if first == second {
            return first;
        }
        if let Some(&known) = self.pairs.get(&[first, second]) {
            return known;
        }
        if self.joined.len() >= MOST_JOINED {
            return first;
        }
        let id = SuspicionId::Joined(self.joined.len());
        self.joined.push(Some([first, second]));
        self.pairs.insert([first, second], id);
        id
    }

    /// What stands behind the result of an operation on operands with these bits.
    pub fn of_result(&mut self, op: Op, bits: &[u64], poison: &[Option<SuspicionId>]) -> Option<SuspicionId> {
        let decides = |n: usize, word: u64| poison[n].is_none() && bits[n] == word;
        let is_select = Op::select(op.result()) == op && op.args().first() == Some(&Type::Bool);
        let not_taken = if bits.first() == Some(&0) { 1 } else { 2 };
        match op {
            Op::And | Op::BAnd | Op::IMul if (0..2).any(|n| decides(n, 0)) => None,
            Op::Or if (0..2).any(|n| decides(n, u32::MAX.into())) => None,
            Op::BOr if (0..2).any(|n| decides(n, 1)) => None,
            _ => {
                let counts =
                    |(n, poison): (usize, &Option<SuspicionId>)| poison.filter(|_| !is_select || n != not_taken);
                poison.iter().enumerate().filter_map(counts).reduce(|first, second| self.join(first, second))
            }
        }
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

    /// Notes that something used a poisoned value; returns what stood behind it, each the first time.
    pub fn used(&mut self, id: SuspicionId, by: Origin) -> Vec<Suspicion> {
        let (mut found, mut left) = (Vec::new(), vec![id]);
        while let Some(id) = left.pop() {
            match id {
                SuspicionId::Joined(number) => left.extend(self.joined[number].take().into_iter().flatten().rev()),
                SuspicionId::One(number) => {
                    let suspicion = &mut self.suspicions[number];
                    if !std::mem::replace(&mut suspicion.is_used, true) {
                        suspicion.finding.other = Some(by);
                        found.push(suspicion.clone());
                    }
                }
            }
        }
        found
    }
}
