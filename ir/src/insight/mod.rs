//! Checks what a shader does: which accesses race, go past an end, or read what nothing wrote.
//!
//! A [`Checker`] observes the interpreter ([`Observer`](crate::interp::Observer)), which runs the groups in order, one at
//! a time. It compares the accesses of a phase whatever their order, so that one run finds all races of the control flow
//! that it takes. [`Level::Observed`](crate::passes::Level) gives the function: there each access is where the shader has
//! it, and values know which registers nothing has written.
//!
//! | file | what |
//! |---|---|
//! | `observer.rs` | what each instruction means for the checks |
//! | `shadow.rs` | who accessed each word; the rules of races |
//! | `poison.rs` | words that may be worthless, until something uses them |
//! | `finding.rs` | what is found |

mod finding;
mod observer;
mod poison;
mod shadow;

use std::collections::HashMap;

use smallvec::{SmallVec, smallvec};

pub use finding::{AccessKind, Finding, FindingKind, Party, Place, Subject};

use self::finding::Findings;
use self::poison::{Poison, Suspicion, SuspicionId};
use self::shadow::{Cell, Entry, Tickets, Who};
use crate::entity::{Inst, LocalId, SharedId, Value};
use crate::flow::Flow;
use crate::function::{Function, Register, Sync};
use crate::span::Span;

/// What is checked.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct CheckOptions {
    /// The kinds of findings that are asked for.
    pub kinds: Vec<FindingKind>,
    /// Set to report what is defined, but hardly meant: writes of the same value by several threads, texels outside of a
    /// texture; and to ask more of tickets.
    pub is_strict: bool,
    /// The only group whose findings are reported.
    pub group: Option<[u32; 3]>,
    /// The most words of views whose accesses are remembered. Others are not checked for races.
    pub shadow_words: usize,
}

impl Default for CheckOptions {
    fn default() -> Self {
        Self { kinds: FindingKind::ALL.to_vec(), is_strict: false, group: None, shadow_words: 1 << 22 }
    }
}

/// What a checked run did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct CheckSummary {
    /// Groups that ran.
    pub groups: u64,
    /// Words of views whose accesses were remembered.
    pub watched_words: u64,
    /// Accesses to views beyond the limit, which were not checked for races.
    pub unwatched: u64,
    /// Reads past an end, or of what nothing wrote, whose results nothing used.
    pub unused_reads: u64,
}

/// The word of a view, by what has the same memory: the address of a word, or the texel of a view that begins at an
/// address.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum ViewWord {
    Word(u64),
    Texel(u64, [u32; 3]),
}

/// Observes a run of one shader, and checks it.
pub struct Checker<'f> {
    func: &'f Function,
    flow: Flow,
    options: CheckOptions,
    /// The shader's own indexable temporaries: further ones hold registers.
    own_locals: usize,
    /// Values that stand for registers that nothing has written.
    unwritten: HashMap<Value, Register>,
    findings: Findings,
    summary: CheckSummary,
    views: HashMap<ViewWord, Cell>,
    tickets: Tickets,
    /// Accesses so far.
    time: u64,
    group: GroupState,
}

/// The state of the group that runs.
#[derive(Default)]
struct GroupState {
    /// Its number in the run; of a batch, that of the first invocation.
    number: u64,
    id: [u32; 3],
    threads_per_group: u32,
    /// Set if each thread is an invocation of its own.
    is_batch: bool,
    phases: Phases,
    shared: HashMap<(SharedId, usize), Cell>,
    /// Words of indexable temporaries that a thread has written, with what stands behind them.
    locals: HashMap<(LocalId, usize, u32), Option<SuspicionId>>,
    poison: Poison,
    /// Findings about words of shared memory that nobody had written, with their phases.
    unwritten: Vec<(Finding, (SharedId, usize), u32)>,
}

/// Phases of a group, from 1 on.
#[derive(Clone, Copy, Default)]
struct Phases {
    shared: u32,
    views: u32,
    /// Set after a barrier that orders views.
    has_fenced: bool,
}

impl<'f> Checker<'f> {
    /// A checker of a function that has this many indexable temporaries of the shader's own; further ones hold
    /// registers.
    pub fn new(func: &'f Function, own_locals: usize, options: CheckOptions) -> Self {
        Self {
            func,
            flow: Flow::new(func),
            options,
            own_locals,
            unwritten: func.unwritten().collect(),
            findings: Findings::default(),
            summary: CheckSummary::default(),
            views: HashMap::new(),
            tickets: Tickets::default(),
            time: 0,
            group: GroupState::default(),
        }
    }

    /// Begins a group, or a span of invocations of a batch, which must be the next to run.
    pub fn begin(&mut self, span: &Span, is_batch: bool) {
        let GroupState { mut shared, mut locals, mut poison, mut unwritten, .. } = std::mem::take(&mut self.group);
        shared.clear();
        locals.clear();
        poison.clear();
        unwritten.clear();
        self.group = GroupState {
            number: self.summary.groups,
            id: span.group(0),
            threads_per_group: self.func.interface.threads_per_group(),
            is_batch,
            phases: Phases { shared: 1, views: 1, has_fenced: false },
            shared,
            locals,
            poison,
            unwritten,
        };
        self.summary.groups += u64::from(span.groups);
    }

    /// Ends it.
    pub fn end(&mut self) {
        for (finding, word, phase) in std::mem::take(&mut self.group.unwritten) {
            let written = self.group.shared.get(&word).and_then(|cell| cell.written);
            if written.is_none_or(|(_, first)| first != phase) {
                self.report(finding);
            }
        }
        let suspicions = self.group.poison.suspicions();
        self.summary.unused_reads += suspicions.iter().filter(|suspicion| !suspicion.is_used).count() as u64;
    }

    /// The findings so far, in the order in which they first occurred.
    pub fn findings(&self) -> &[Finding] {
        self.findings.list()
    }

    /// What was run so far.
    pub fn summary(&self) -> CheckSummary {
        CheckSummary { watched_words: self.views.len() as u64, ..self.summary.clone() }
    }

    /// The thread with this number in the span.
    fn who(&self, thread: u32) -> Who {
        match self.group.is_batch {
            true => Who { group: self.group.number + u64::from(thread), thread: 0 },
            false => Who { group: self.group.number, thread },
        }
    }

    /// The position of a thread's group in the dispatch; for an invocation its number.
    fn group_id(&self, who: Who) -> [u32; 3] {
        if self.group.is_batch { [who.group as u32, 0, 0] } else { self.group.id }
    }

    fn party(&self, inst: Inst, access: AccessKind, thread: u32) -> Party {
        let who = self.who(thread);
        let origin = self.func.inst(inst).origin;
        Party { origin, access, group: self.group_id(who), thread: who.thread }
    }

    /// Reports an occurrence, if it is asked for.
    fn report(&mut self, finding: Finding) {
        let is_elsewhere = |group: [u32; 3]| finding.parties.iter().all(|party| party.group != group);
        let is_wanted = self.options.kinds.contains(&finding.kind) && !self.options.group.is_some_and(is_elsewhere);
        if is_wanted {
            self.findings.add(finding);
        }
    }

    /// A finding of one access.
    fn of_access(&self, kind: FindingKind, subject: Subject, (place, extent): (Place, u64), party: Party) -> Finding {
        Finding {
            kind,
            subject: Some(subject),
            parties: smallvec![party],
            place,
            extent,
            words: [0; 2],
            between_groups: false,
            other: None,
            count: 1,
        }
    }

    /// Reports what stands behind a poisoned value that an instruction uses.
    fn used(&mut self, poison: Option<SuspicionId>, by: Inst) {
        let Some(id) = poison else { return };
        let Some(suspicion) = self.group.poison.used(id, self.func.inst(by).origin) else { return };
        let finding = suspicion.finding.clone();
        match suspicion.unwritten {
            Some((word, phase)) => self.group.unwritten.push((finding, word, phase)),
            None => self.report(finding),
        }
    }

    /// What stands behind a value in a thread: at its first use by an operation, for a register that nothing wrote.
    fn poison_of(&mut self, value: Value, thread: u32, user: Inst) -> Option<SuspicionId> {
        if let Some(&register) = self.unwritten.get(&value) {
            let party = self.party(user, AccessKind::Read, thread);
            let subject = Subject::Register(register);
            let finding = self.of_access(FindingKind::Uninitialised, subject, (Place::Whole, 0), party);
            return Some(self.group.poison.suspect(
                user,
                thread,
                Suspicion { finding, is_used: false, unwritten: None },
            ));
        }
        self.group.poison.get(value, thread)
    }

    /// Records an access of a word of shared memory or of a view, and reports those that race with it.
    fn touch(&mut self, word: TouchedWord, touch: Touch) {
        self.time += 1;
        let is_shared = matches!(word, TouchedWord::Shared(..));
        let phases = self.group.phases;
        let who = self.who(touch.thread);
        let entry = Entry {
            who,
            group: self.group_id(who),
            inst: touch.inst,
            access: touch.access,
            phase: if is_shared { phases.shared } else { phases.views },
            time: if is_shared { 0 } else { self.time },
            word: touch.word,
        };
        let cell = match word {
            TouchedWord::Shared(id, at) => self.group.shared.entry((id, at)).or_default(),
            TouchedWord::View(at) => {
                if self.views.len() >= self.options.shadow_words && !self.views.contains_key(&at) {
                    self.summary.unwatched += 1;
                    return;
                }
                self.views.entry(at).or_default()
            }
        };
        let mut others: SmallVec<[Entry; 2]> = SmallVec::new();
        cell.add(entry, &self.tickets, self.options.is_strict, |other| others.push(*other));
        for other in others {
            let between_groups = other.who.group != entry.who.group;
            let Entry { group, access, who: Who { thread, .. }, .. } = other;
            let first = Party { origin: self.func.inst(other.inst).origin, access, group, thread };
            let second = self.party(touch.inst, touch.access, touch.thread);
            let mut finding = self.of_access(FindingKind::Race, touch.subject, (touch.place, touch.extent), first);
            finding.parties.push(second);
            finding.between_groups = between_groups;
            self.report(finding);
        }
    }

    /// A barrier: a wait, or a fence that only orders what a thread does itself.
    fn barrier(&mut self, sync: Sync) {
        let orders_views = sync.views_group || sync.views_global;
        self.group.phases.has_fenced |= orders_views;
        if sync.threads {
            self.group.phases.shared += u32::from(sync.shared);
            self.group.phases.views += u32::from(orders_views);
        }
    }
}

/// A word that was accessed.
#[derive(Clone, Copy)]
enum TouchedWord {
    Shared(SharedId, usize),
    View(ViewWord),
}

/// An access of a word.
#[derive(Clone, Copy)]
struct Touch {
    inst: Inst,
    access: AccessKind,
    thread: u32,
    word: u32,
    subject: Subject,
    place: Place,
    extent: u64,
}
