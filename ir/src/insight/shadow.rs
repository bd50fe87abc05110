//! Remembers who accessed each word, and tells which accesses race.
//!
//! Two accesses of a word race if different threads make them, at least one of them writes, they are not both atomic,
//! and nothing orders them. Within a group that is a barrier at which threads wait and which orders the memory: what
//! runs between two of these is a *phase*. Between groups nothing orders accesses but *tickets*: a thread that performs an
//! atomic on a view has released what it did before its last barrier that orders views, and what its group did before the
//! last such barrier at which it waited; a group of which a thread performs an atomic after that has acquired it. Which word
//! that is does not matter: this is lenient on purpose.
//!
//! Views that pixels access in order are ordered for each pixel alone.

use std::collections::HashMap;

use smallvec::SmallVec;

use super::finding::AccessKind;
use super::poison::SuspicionId;
use crate::entity::Inst;

/// The most accesses that are remembered of a word: of more, the latest. It bounds the time that an access takes.
const MOST_ENTRIES: usize = 64;

/// The threads that are remembered of an instruction's accesses to a word in a phase of a group: of two there is always
/// one that differs from a third; of stores some may have left the same word.
fn most_threads(access: AccessKind) -> usize {
    if access == AccessKind::Write { 4 } else { 2 }
}

/// A thread: the number of its group in the run, and its number in the group.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Who {
    pub group: u64,
    pub thread: u32,
}

/// An access of a word.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Entry {
    pub who: Who,
    /// The position of its group.
    pub group: [u32; 3],
    pub inst: Inst,
    pub access: AccessKind,
    /// The phase of its group.
    pub phase: u32,
    /// When it happened, in the order of the run.
    pub time: u64,
    /// The word that a store left.
    pub word: u32,
    /// Set if invocations of one position are ordered.
    pub is_ordered: bool,
}

/// Who accessed a word.
#[derive(Debug, Default)]
pub(super) struct Cell {
    /// Accesses of this phase, and one or two of each instruction in other groups.
    entries: SmallVec<[Entry; 1]>,
    /// The phase of the first write.
    pub written: Option<u32>,
    /// What stands behind the word, if it may be worthless.
    pub poison: Option<SuspicionId>,
}

/// When groups released and acquired the memory of views, in the order of the run.
#[derive(Debug, Default)]
pub(super) struct Tickets {
    of_groups: HashMap<u64, Ticket>,
    /// What threads released by fences of their own.
    of_threads: HashMap<Who, ThreadTicket>,
    /// Set once there are too many: all groups count as ordered from then on.
    is_full: bool,
}

/// The most groups whose tickets are remembered.
const MOST_TICKETS: usize = 1 << 20;

#[derive(Clone, Copy, Debug)]
struct ThreadTicket {
    /// When its last fence was.
    fenced: u64,
    released: u64,
}

#[derive(Clone, Copy, Debug, Default)]
struct Ticket {
    /// When the group last took it, and its phase then: what was done before that phase is released.
    taken: u64,
    phase: u32,
    /// When it last took one that a barrier has followed since.
    fenced: u64,
}

impl Tickets {
    /// A thread performs an atomic on a view in a phase of its group. Its last fence was at a time, if there was one.
    pub fn take(&mut self, who: Who, phase: u32, fenced: Option<u64>, time: u64) {
        self.is_full |= self.of_groups.len().max(self.of_threads.len()) >= MOST_TICKETS;
        if self.is_full {
            return;
        }
        let ticket = self.of_groups.entry(who.group).or_default();
        (ticket.taken, ticket.phase) = (time, phase);
        if let Some(fenced) = fenced {
            self.of_threads.insert(who, ThreadTicket { fenced, released: time });
        }
    }

    /// A group reaches a barrier that orders views.
    pub fn fence(&mut self, group: u64) {
        if let Some(ticket) = self.of_groups.get_mut(&group) {
            ticket.fenced = ticket.taken;
        }
    }

    /// `true` if what another group did comes before what a group does now. Strictly, a barrier must have followed the
    /// atomic by which it knows.
    fn order(&self, other: &Entry, group: u64, is_strict: bool) -> bool {
        let of = |group| self.of_groups.get(&group).copied().unwrap_or_default();
        let (theirs, own) = (of(other.who.group), of(group));
        let acquired = if is_strict { own.fenced } else { own.taken };
        let by_thread = self.of_threads.get(&other.who).filter(|ticket| ticket.fenced >= other.time);
        let by_thread = by_thread.is_some_and(|ticket| acquired > ticket.released);
        self.is_full || by_thread || (theirs.phase > other.phase && acquired > theirs.taken)
    }
}

impl Cell {
    /// Adds an access; calls `race` with each earlier one that it races with.
    pub fn add(&mut self, entry: Entry, tickets: &Tickets, is_strict: bool, mut race: impl FnMut(&Entry)) {
        let mut is_known = false;
        let mut threads = 0;
        self.entries.retain(|other| {
            if other.who.group != entry.who.group {
                return true;
            }
            // What a barrier of this group orders only matters to others.
            other.phase == entry.phase || keeps_for_others(other)
        });
        for other in &self.entries {
            let is_here = other.who.group == entry.who.group;
            if is_here && other.phase == entry.phase && (other.inst, other.access) == (entry.inst, entry.access) {
                threads += 1;
                is_known |= other.who == entry.who;
            }
            let can_race = matches!(
                (other.access, entry.access),
                (AccessKind::Write, _)
                    | (_, AccessKind::Write)
                    | (AccessKind::Read, AccessKind::Atomic)
                    | (AccessKind::Atomic, AccessKind::Read)
            );
            let writes_same =
                other.access == AccessKind::Write && entry.access == AccessKind::Write && other.word == entry.word;
            if !can_race || (writes_same && !is_strict) {
                continue;
            }
            let is_ordered = match is_here {
                true => other.who.thread == entry.who.thread || other.phase != entry.phase,
                false if entry.is_ordered && other.group == entry.group => true,
                false => tickets.order(other, entry.who.group, is_strict),
            };
            if !is_ordered {
                race(other);
            }
        }
        if entry.access != AccessKind::Read {
            self.written.get_or_insert(entry.phase);
        }
        if is_known {
            // The latest word counts, and the latest time.
            let same =
                |other: &&mut Entry| (other.who, other.inst, other.access) == (entry.who, entry.inst, entry.access);
            if let Some(other) = self.entries.iter_mut().find(same) {
                *other = entry;
            }
        } else if threads < most_threads(entry.access) {
            self.settle(entry.who.group);
            if self.entries.len() >= MOST_ENTRIES {
                self.entries.remove(0);
            }
            self.entries.push(entry);
        }
    }

    /// Keeps of each instruction in other groups the first access and the last.
    fn settle(&mut self, group: u64) {
        if self.entries.len() < 8 {
            return;
        }
        let all = std::mem::take(&mut self.entries);
        for (n, entry) in all.iter().enumerate() {
            let same =
                |other: &Entry| other.who.group != group && (other.inst, other.access) == (entry.inst, entry.access);
            let is_between = entry.who.group != group && all[..n].iter().any(same) && all[n + 1..].iter().any(same);
            if !is_between {
                self.entries.push(*entry);
            }
        }
    }
}

/// `true` for an access of an earlier phase that other groups may race with: those to views.
fn keeps_for_others(entry: &Entry) -> bool {
    entry.time != 0
}
