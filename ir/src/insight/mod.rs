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
//! | `barrier.rs` | barriers that branches control |
//! | `finding.rs` | what is found |
//! | `probes.rs` | code that finds which groups to check |
//! | `entry.rs` | what these remember of a word |
//! | `proof.rs` | what needs no probes |
//! | `linear.rs` | addresses as sums |
//! | `guard.rs` | reads whose results may be thrown away |
//! | `dependence.rs` | what depends on registers that nothing wrote, and on memory that the function changes |

mod barrier;
mod dependence;
mod entry;
mod finding;
mod guard;
mod linear;
mod observer;
mod poison;
mod probes;
mod proof;
mod shadow;

use std::collections::HashMap;

use smallvec::{SmallVec, smallvec};

pub use barrier::barrier_of_branch;
pub use dependence::{may_use_unwritten, needs_first_content};
pub use entry::group_of_entry;
pub use finding::{AccessKind, Finding, FindingKind, Party, Place, Subject};
pub use probes::{ProbeOptions, Probed, optimise_with_probes};
pub use proof::OwnWords;

use self::finding::Findings;
use self::poison::{MOST_POISONED, Poison, Suspicion, SuspicionId};
use self::shadow::{Cell, Entry, Tickets, Who};
use crate::batch::ArrayWords;
use crate::entity::{Inst, LocalId, SharedId, Value};
use crate::flow::Flow;
use crate::function::{InstKind, Object, Origin, Register, ResourceRef, Sync};
use crate::interface::Interface;
use crate::pipeline::record::{
    BatchInvocation, BatchPatch, BatchPoint, BatchQuad, BatchVertex, DomainArray, GeometryArray, POINT_GROUP,
    PixelArray, VertexArray, word,
};
use crate::span::Span;
use crate::stage::Stage;
use crate::verify::VerifiedFunction;

/// The element, or the byte of what has none, that translations for checks give to an access that the source's rules leave
/// out: a number that no shader computes by accident, whatever the size of elements.
pub const OUTSIDE: u32 = 0xfffe_1234;

/// What is checked.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct CheckOptions {
    /// The kinds of findings that are asked for.
    pub kinds: Vec<FindingKind>,
    /// Set to report what is defined, but hardly meant: writes of the same value by several threads, texels outside of a
    /// texture; and to ask for a barrier after the atomic by which a group knows that another one is done.
    pub is_strict: bool,
    /// The only group whose findings are reported.
    pub group: Option<[u32; 3]>,
    /// The most words of views whose accesses are remembered, each of which takes some 150 bytes. Others are not checked
    /// for races.
    pub shadow_words: usize,
}

impl Default for CheckOptions {
    fn default() -> Self {
        Self { kinds: FindingKind::ALL.to_vec(), is_strict: false, group: None, shadow_words: 1 << 21 }
    }
}

impl CheckOptions {
    /// `true` if they ask for what depends on who has accessed a word before.
    pub fn needs_shadow(&self) -> bool {
        [FindingKind::Race, FindingKind::Uninitialised].iter().any(|kind| self.kinds.contains(kind))
    }
}

/// What a checked run did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct CheckSummary {
    /// Groups that ran.
    pub groups: u64,
    /// Groups that seemed to do the same as others, which were looked at: the findings of these stand for theirs.
    pub alike: u64,
    /// Set if the only group whose findings were to be reported is none of the dispatch.
    pub lacks_group: bool,
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

/// A function that is checked.
pub struct CheckedFunction {
    function: VerifiedFunction,
    flow: Flow,
    options: CheckOptions,
    /// The shader's own indexable temporaries: further ones hold registers.
    own_locals: usize,
    /// Values that stand for registers that nothing has written.
    unwritten: HashMap<Value, Register>,
}

/// What is known of a checked run so far.
#[derive(Debug, Default)]
pub struct CheckState {
    findings: Findings,
    summary: CheckSummary,
    views: HashMap<ViewWord, Cell>,
    tickets: Tickets,
    /// Of accesses that race, whether they have one address.
    alike: HashMap<[Inst; 2], bool>,
    /// Accesses so far.
    time: u64,
    group: GroupState,
}

/// Observes a run of a function, and checks it.
pub struct Checker<'c> {
    of: &'c CheckedFunction,
    state: &'c mut CheckState,
}

/// The state of the group that runs.
#[derive(Debug, Default)]
struct GroupState {
    /// Its number in the run; of a batch, that of the first invocation.
    number: u64,
    id: [u32; 3],
    threads_per_group: u32,
    /// Of a batch, its invocations.
    invocations: Vec<Invocation>,
    phases: Phases,
    /// When threads last had a barrier that orders views and waits for nobody.
    fences: HashMap<u32, u64>,
    shared: HashMap<(SharedId, usize), Cell>,
    locals: Locals,
    poison: Poison,
    /// Findings about words of shared memory that nobody had written, with their phases.
    unwritten: Vec<(Finding, (SharedId, usize), u32)>,
}

/// Indexable temporaries: which words threads have written, and what stands behind those that may be worthless.
#[derive(Debug, Default)]
struct Locals {
    /// A bit for each word of each thread.
    written: HashMap<LocalId, Vec<u64>>,
    poison: HashMap<(LocalId, usize, u32), SuspicionId>,
}

impl Locals {
    fn clear(&mut self) {
        self.written.values_mut().for_each(|bits| bits.fill(0));
        self.poison.clear();
    }

    /// Notes that a thread writes a word.
    fn write(
        &mut self,
        local: LocalId,
        word: usize,
        thread: u32,
        (words, threads): (usize, usize),
        poison: Option<SuspicionId>,
    ) {
        let bits = self.written.entry(local).or_default();
        bits.resize((words * threads).div_ceil(64), 0);
        let at = word * threads + thread as usize;
        bits[at / 64] |= 1 << (at % 64);
        match poison {
            Some(id) if self.poison.len() < MOST_POISONED => drop(self.poison.insert((local, word, thread), id)),
            _ => drop(self.poison.remove(&(local, word, thread))),
        }
    }

    /// What a thread finds in a word: `None` if nothing has written it, or else what stands behind it.
    fn read(&self, local: LocalId, word: usize, thread: u32, threads: usize) -> Option<Option<SuspicionId>> {
        let at = word * threads + thread as usize;
        let bits = self.written.get(&local)?.get(at / 64)?;
        (bits >> (at % 64) & 1 == 1).then(|| self.poison.get(&(local, word, thread)).copied())
    }
}

/// An invocation of a batch.
#[derive(Clone, Copy, Debug)]
struct Invocation {
    /// What it is for: see [`Party::group`].
    place: [u32; 3],
    /// Not set for helpers of pixels, and for those that only fill the batch.
    is_active: bool,
}

/// Phases of a group, from 1 on.
#[derive(Clone, Copy, Debug, Default)]
struct Phases {
    shared: u32,
    views: u32,
}

impl CheckedFunction {
    /// A function at [`Level::Observed`](crate::passes::Level) that has this many indexable temporaries of the shader's
    /// own; further ones hold registers.
    pub fn new(function: VerifiedFunction, own_locals: usize, options: CheckOptions) -> Self {
        let (flow, unwritten) = (Flow::new(&function), function.unwritten().collect());
        Self { function, flow, options, own_locals, unwritten }
    }

    /// The function.
    pub fn function(&self) -> &VerifiedFunction {
        &self.function
    }

    /// `true` if no check can find anything in it, as a stage of a draw, where these textures are bound.
    pub fn has_nothing_to_find(&self, is_bound: impl Fn(ResourceRef) -> bool) -> bool {
        !self.options.is_strict && dependence::has_nothing_to_find(&self.function, self.own_locals, is_bound)
    }

    /// An observer of a run of it.
    pub fn checker<'c>(&'c self, state: &'c mut CheckState) -> Checker<'c> {
        Checker { of: self, state }
    }
}

impl CheckState {
    /// The findings so far, in the order in which they first occurred.
    pub fn findings(&self) -> &[Finding] {
        self.findings.list()
    }

    /// What was run so far.
    pub fn summary(&self) -> CheckSummary {
        CheckSummary { watched_words: self.views.len() as u64, ..self.summary.clone() }
    }
}

impl Checker<'_> {
    /// Begins a group, which must be the next to run.
    pub fn begin(&mut self, span: &Span) {
        self.begin_with(span, Vec::new());
    }

    /// Begins a span of a batch of so many invocations, likewise.
    pub fn begin_batch(&mut self, span: &Span, invocations: u32, arrays: &[ArrayWords<'_>]) {
        let of_span = (span.start as u32)..(span.start as u32 + span.groups);
        let interface = &self.of.function.interface;
        let invocation = |n| Invocation::new(interface, arrays, n, invocations);
        self.begin_with(span, of_span.map(invocation).collect());
    }

    fn begin_with(&mut self, span: &Span, invocations: Vec<Invocation>) {
        let GroupState { mut shared, mut locals, mut poison, mut unwritten, .. } =
            std::mem::take(&mut self.state.group);
        shared.clear();
        locals.clear();
        poison.clear();
        unwritten.clear();
        self.state.group = GroupState {
            number: self.state.summary.groups,
            id: span.group(0),
            threads_per_group: self.of.function.interface.threads_per_group(),
            invocations,
            phases: Phases { shared: 1, views: 1 },
            fences: HashMap::new(),
            shared,
            locals,
            poison,
            unwritten,
        };
        self.state.summary.groups += u64::from(span.groups);
    }

    /// Ends it.
    pub fn end(&mut self) {
        for (finding, word, phase) in std::mem::take(&mut self.state.group.unwritten) {
            let written = self.state.group.shared.get(&word).and_then(|cell| cell.written);
            if written != Some(phase) {
                self.report(finding);
            }
        }
        let suspicions = self.state.group.poison.suspicions();
        let is_read = |suspicion: &&Suspicion| !matches!(suspicion.finding.subject, Some(Subject::Register(_)));
        let unused = suspicions.iter().filter(is_read).filter(|suspicion| !suspicion.is_used).count();
        self.state.summary.unused_reads += unused as u64;
    }

    /// The thread with this number in the span.
    fn who(&self, thread: u32) -> Who {
        let group = &self.state.group;
        match group.invocations.is_empty() {
            true => Who { group: group.number, thread },
            false => Who { group: group.number + u64::from(thread), thread: 0 },
        }
    }

    /// The place of a thread's group or of an invocation: see [`Party::group`].
    fn place(&self, thread: u32) -> [u32; 3] {
        let group = &self.state.group;
        group.invocations.get(thread as usize).map_or(group.id, |invocation| invocation.place)
    }

    /// `false` for invocations without effects, whose accesses are none.
    fn takes_part(&self, thread: u32) -> bool {
        self.state.group.invocations.get(thread as usize).is_none_or(|invocation| invocation.is_active)
    }

    /// What an instruction comes from: nothing, if it writes what the stage outputs.
    fn origin(&self, inst: Inst) -> Origin {
        let data = self.of.function.inst(inst);
        let is_output = matches!(data.kind, InstKind::Store { place, .. } if matches!(place.object, Object::Array(_)));
        if is_output { Origin::default() } else { data.origin }
    }

    fn party(&self, inst: Inst, access: AccessKind, thread: u32) -> Party {
        let who = self.who(thread);
        let origin = self.origin(inst);
        Party { origin, access, group: self.place(thread), thread: who.thread }
    }

    /// Reports an occurrence, if it is asked for.
    fn report(&mut self, finding: Finding) {
        let is_elsewhere = |group: [u32; 3]| finding.parties.iter().all(|party| party.group != group);
        let is_wanted =
            self.of.options.kinds.contains(&finding.kind) && !self.of.options.group.is_some_and(is_elsewhere);
        if is_wanted {
            self.state.findings.add(finding);
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
            at_one_address: false,
            other: None,
            count: 1,
        }
    }

    /// Reports what stands behind a poisoned value that an instruction uses.
    fn used(&mut self, poison: Option<SuspicionId>, by: Inst) {
        let Some(id) = poison else { return };
        let origin = self.origin(by);
        for Suspicion { finding, unwritten, .. } in self.state.group.poison.used(id, origin) {
            match unwritten {
                Some((word, phase)) => self.state.group.unwritten.push((finding, word, phase)),
                None => self.report(finding),
            }
        }
    }

    /// What stands behind a value in a thread that an instruction computes with: for a register that nothing wrote, that
    /// is the instruction that reads it.
    fn poison_of(&mut self, value: Value, thread: u32, user: Inst) -> Option<SuspicionId> {
        let poison = self.passed(value, thread, user)?;
        let party = self.party(user, AccessKind::Read, thread);
        if let Some(suspicion) = self.state.group.poison.suspicion(poison)
            && std::mem::take(&mut suspicion.is_passed)
        {
            suspicion.finding.parties = smallvec![party];
        }
        Some(poison)
    }

    /// The same where control flow only passes it on.
    fn passed(&mut self, value: Value, thread: u32, by: Inst) -> Option<SuspicionId> {
        let Some(&register) = self.of.unwritten.get(&value) else { return self.state.group.poison.get(value, thread) };
        let party = self.party(by, AccessKind::Read, thread);
        let place = (Place::Whole, 0);
        let finding = self.of_access(FindingKind::Uninitialised, Subject::Register(register), place, party);
        let suspicion = Suspicion { is_passed: true, ..Suspicion::new(finding) };
        Some(self.state.group.poison.suspect(by, thread, suspicion))
    }

    /// Records an access of a word of shared memory or of a view, and reports those that race with it.
    fn touch(&mut self, word: TouchedWord, touch: Touch) {
        self.state.time += 1;
        let is_shared = matches!(word, TouchedWord::Shared(..));
        let phases = self.state.group.phases;
        let who = self.who(touch.thread);
        let entry = Entry {
            who,
            group: self.place(touch.thread),
            inst: touch.inst,
            access: touch.access,
            phase: if is_shared { phases.shared } else { phases.views },
            time: if is_shared { 0 } else { self.state.time },
            word: touch.word,
            is_ordered: touch.is_ordered,
        };
        let state = &mut *self.state;
        let cell = match word {
            TouchedWord::Shared(id, at) => state.group.shared.entry((id, at)).or_default(),
            TouchedWord::View(at) => {
                if state.views.len() >= self.of.options.shadow_words && !state.views.contains_key(&at) {
                    state.summary.unwatched += 1;
                    return;
                }
                state.views.entry(at).or_default()
            }
        };
        let mut others: SmallVec<[Entry; 2]> = SmallVec::new();
        cell.add(entry, &state.tickets, self.of.options.is_strict, |other| others.push(*other));
        for other in others {
            let between_groups = other.who.group != entry.who.group;
            let Entry { group, access, who: Who { thread, .. }, .. } = other;
            let first = Party { origin: self.of.function.inst(other.inst).origin, access, group, thread };
            let second = self.party(touch.inst, touch.access, touch.thread);
            let mut finding = self.of_access(FindingKind::Race, touch.subject, (touch.place, touch.extent), first);
            finding.parties.push(second);
            finding.between_groups = between_groups;
            let alike = || linear::have_one_address(&self.of.function, other.inst, touch.inst);
            finding.at_one_address = *self.state.alike.entry([other.inst, touch.inst]).or_insert_with(alike);
            self.report(finding);
        }
    }

    /// A barrier at which the group waits.
    fn wait(&mut self, sync: Sync) {
        self.state.group.phases.shared += u32::from(sync.shared);
        if sync.orders_views() {
            self.state.group.phases.views += 1;
            self.state.tickets.fence(self.state.group.number);
        }
    }

    /// A barrier that only orders what threads do themselves.
    fn fence(&mut self, sync: Sync, threads: impl Iterator<Item = u32>) {
        for thread in threads.filter(|_| sync.orders_views()) {
            self.state.group.fences.insert(thread, self.state.time);
            self.state.tickets.fence(self.who(thread).group);
        }
    }
}

impl Invocation {
    fn new(interface: &Interface, arrays: &[ArrayWords<'_>], n: u32, invocations: u32) -> Self {
        let word = |array: usize, element: u32, word: usize| {
            let stride = interface.arrays.get(array).map_or(0, |array| array.stride_bytes as usize / 4);
            let words = arrays.get(array).map_or(&[][..], |array| array.words());
            words.get(element as usize * stride + word).copied().unwrap_or(0)
        };
        let (place, is_active) = match &interface.stage {
            Stage::Compute { .. } => ([n, 0, 0], true),
            Stage::Vertex(_) => {
                let of = |field| word(VertexArray::Vertices as usize, n, field as usize);
                ([of(word!(BatchVertex.id)), of(word!(BatchVertex.instance_id)), 0], true)
            }
            Stage::Hull(_) | Stage::Geometry(_) => {
                let of = |field| word(GeometryArray::Primitives as usize, n, field as usize);
                ([of(word!(BatchInvocation.primitive_id)), of(word!(BatchInvocation.instance)), 0], true)
            }
            Stage::Domain(_) => {
                let patch =
                    word(DomainArray::Patches as usize, n / POINT_GROUP, word!(BatchPatch.primitive_id) as usize);
                let of = |field| word(DomainArray::Points as usize, n, field as usize);
                ([patch, of(0), of(1)], of(word!(BatchPoint.is_active)) != 0)
            }
            Stage::Pixel(_) => {
                let of = |field| word(PixelArray::Quads as usize, n / 4, field as usize);
                let [x, y] = [0, 1].map(|axis| of(word!(BatchQuad.corner) + axis) & 0xffff);
                let (coverage, pixel) = (of(word!(BatchQuad.coverage)), n % 4);
                // A bit for each pixel, of up to eight samples.
                ([x + (pixel & 1), y + (pixel >> 1), 0], coverage >> pixel & 0x1111_1111 != 0)
            }
        };
        Self { place, is_active: is_active && n < invocations }
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
    /// See [`Entry::is_ordered`].
    is_ordered: bool,
}
