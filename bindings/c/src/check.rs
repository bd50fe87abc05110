//! Checks dispatches for races, accesses past an end, reads of what nothing wrote, and divergent barriers.

use std::ffi::c_char;
use std::mem::MaybeUninit;

use brolga::insight;

use crate::arguments::{flag, growing, init, options, put, put_fields};
use crate::dispatch::{Bound, DispatchOptions, current};
use crate::error::{Code, Error, Failure, guard};
use crate::handle::{HandleKind, NewHandle, destroy, get};
use crate::kept::Texts;
use crate::messages::Instruction;

/// What a checked dispatch found. Its texts stay until it is destroyed. Any thread may use it.
pub struct Findings(());

impl HandleKind for Findings {
    type Value = CheckedRun;
    const NAME: &'static str = "findings";
}

/// Findings in the form of C.
pub(crate) struct CheckedRun {
    findings: Vec<Finding>,
    summary: CheckSummary,
    /// The texts to which the findings point.
    _texts: Texts,
}

/// The kinds of findings. Their sums are sets of them.
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FindingKind {
    /// Two accesses of one word that nothing orders.
    Race = 1,
    /// An access past the end of a buffer, of shared memory or of an array.
    Bounds = 2,
    /// A word of shared memory, of an array or of a register that is read before anything wrote it.
    Uninitialised = 4,
    /// A barrier that some threads of a group go to and some do not.
    Barrier = 8,
    /// A byte offset that is no multiple of 4: its low bits are ignored.
    Misaligned = 16,
    /// An access to a register to which nothing is bound.
    Unbound = 32,
}

/// The kinds of accesses.
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AccessKind {
    /// A load.
    Read = 0,
    /// A store.
    Write = 1,
    /// A read-modify-write.
    Atomic = 2,
}

/// The meaning of a place in what was accessed.
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlaceKind {
    /// All of it, or none.
    Whole = 0,
    /// A byte from its start.
    Byte = 1,
    /// An element: of a structured or typed buffer, of structured shared memory; a vector of an array.
    Element = 2,
    /// A texel: three coordinates, of which unused ones are 0.
    Texel = 3,
}

/// The checks of a dispatch.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CheckOptions {
    /// Size of this struct in bytes, set by its init function.
    pub size: usize,
    /// The sum of the kinds of findings (BrolgaFindingKind) that are asked for; by default of all.
    pub kinds: u32,
    /// `true` to report what is defined, but hardly meant, too: writes of the same value by several threads, texels
    /// outside of a texture.
    pub is_strict: MaybeUninit<bool>,
    /// `true` to report only findings in which the group at `group` takes part.
    pub has_group: MaybeUninit<bool>,
    /// The position of that group.
    pub group: [u32; 3],
    /// The most words of views whose accesses are remembered. Others are not checked for races.
    pub shadow_words: usize,
}

/// A thread that takes part in a finding.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Party {
    /// The instruction.
    pub instruction: Instruction,
    /// The kind of access.
    pub access: MaybeUninit<AccessKind>,
    /// The thread's group.
    pub group: [u32; 3],
    /// Its position in the group.
    pub thread: [u32; 3],
    /// Its number in the group.
    pub index: u32,
}

/// A finding: its first occurrence, and how many there were.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Finding {
    /// Size of this struct in bytes, set by its init function.
    pub size: usize,
    /// All of it as a text of several lines, in UTF-8: what was found, by whom and where, and what would be right.
    pub text: *const c_char,
    /// What was accessed, as listings name it: "g0", "u2", "r3.y"; NULL for a barrier.
    pub subject: *const c_char,
    /// Its kind.
    pub kind: MaybeUninit<FindingKind>,
    /// The meaning of `place`.
    pub place_kind: MaybeUninit<PlaceKind>,
    /// The place in what was accessed. All but a texel have one number, the first.
    pub place: [u64; 3],
    /// Number of elements of what was accessed, or of bytes if its place is a byte.
    pub extent: u64,
    /// Words of an access past an end that are inside, and those that are not; of a barrier threads that go to it, and
    /// those that do not.
    pub words: [u32; 2],
    /// `true` for a race between groups.
    pub is_between_groups: MaybeUninit<bool>,
    /// Number of `parties`: 2 of a race, 4 of a barrier, else 1.
    pub party_count: u32,
    /// The accesses, in the order in which they happened; of a barrier the first and the last thread that go to it, then
    /// the first and the last that do not.
    pub parties: [Party; 4],
    /// The barrier; or the instruction that used what was read, if only that made it a finding. Its text is NULL if there
    /// is none.
    pub other: Instruction,
    /// Number of occurrences: of a race pairs of accesses.
    pub count: u64,
    /// What the shader's source calls the subject; NULL if its file does not say so.
    pub name: *const c_char,
}

/// What a checked dispatch did.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CheckSummary {
    /// Size of this struct in bytes, set by its init function.
    pub size: usize,
    /// Number of groups that ran.
    pub groups: u64,
    /// Words of views whose accesses were remembered.
    pub watched_words: u64,
    /// Accesses to views beyond the limit, which were not checked for races.
    pub unwatched: u64,
    /// Reads past an end, or of what nothing wrote, whose results nothing used.
    pub unused_reads: u64,
    /// Groups that seemed to do the same as others, which were looked at: the findings of these stand for theirs.
    pub alike: u64,
}

impl Default for CheckOptions {
    fn default() -> Self {
        Self {
            size: size_of::<Self>(),
            kinds: FindingKind::ALL,
            is_strict: MaybeUninit::new(false),
            has_group: MaybeUninit::new(false),
            group: [0; 3],
            shadow_words: insight::CheckOptions::default().shadow_words,
        }
    }
}

impl Default for Party {
    fn default() -> Self {
        let (instruction, access) = (Instruction::default(), MaybeUninit::new(AccessKind::Read));
        Self { instruction, access, group: [0; 3], thread: [0; 3], index: 0 }
    }
}

impl Default for Finding {
    fn default() -> Self {
        Self {
            size: size_of::<Self>(),
            text: std::ptr::null(),
            subject: std::ptr::null(),
            kind: MaybeUninit::new(FindingKind::Race),
            place_kind: MaybeUninit::new(PlaceKind::Whole),
            place: [0; 3],
            extent: 0,
            words: [0; 2],
            is_between_groups: MaybeUninit::new(false),
            party_count: 0,
            parties: [Party::default(); 4],
            other: Instruction::default(),
            count: 0,
            name: std::ptr::null(),
        }
    }
}

impl Default for CheckSummary {
    fn default() -> Self {
        insight::CheckSummary::default().into()
    }
}

growing! {
    CheckOptions as "BrolgaCheckOptions";
    Finding as "BrolgaFinding";
    CheckSummary as "BrolgaCheckSummary";
}

impl FindingKind {
    /// The sum of all.
    const ALL: u32 = {
        let (mut all, mut n) = (0, 0);
        while n < insight::FindingKind::ALL.len() {
            all |= Self::of(insight::FindingKind::ALL[n]) as u32;
            n += 1;
        }
        all
    };

    const fn of(kind: insight::FindingKind) -> Self {
        match kind {
            insight::FindingKind::Race => Self::Race,
            insight::FindingKind::Bounds => Self::Bounds,
            insight::FindingKind::Uninitialised => Self::Uninitialised,
            insight::FindingKind::Barrier => Self::Barrier,
            insight::FindingKind::Misaligned => Self::Misaligned,
            insight::FindingKind::Unbound => Self::Unbound,
        }
    }
}

impl CheckOptions {
    fn native(&self) -> Result<insight::CheckOptions, Failure> {
        let (kinds, all) = (self.kinds, FindingKind::ALL);
        if kinds & !all != 0 {
            let text = format!("BrolgaCheckOptions.kinds is {kinds:#x}, but only {all:#x} is known");
            return Err(Failure::argument(text));
        }
        let mut native = insight::CheckOptions::default();
        native.kinds.retain(|&kind| kinds & FindingKind::of(kind) as u32 != 0);
        native.is_strict = flag(self.is_strict);
        native.group = flag(self.has_group).then_some(self.group);
        native.shadow_words = self.shadow_words;
        Ok(native)
    }
}

impl From<insight::CheckSummary> for CheckSummary {
    fn from(known: insight::CheckSummary) -> Self {
        let insight::CheckSummary { groups, alike, watched_words, unwatched, unused_reads, .. } = known;
        Self { size: size_of::<Self>(), groups, watched_words, unwatched, unused_reads, alike }
    }
}

impl Texts {
    fn party(&mut self, known: &insight::Party) -> Party {
        let access = match known.access {
            insight::AccessKind::Read => AccessKind::Read,
            insight::AccessKind::Write => AccessKind::Write,
            insight::AccessKind::Atomic => AccessKind::Atomic,
        };
        let (group, thread) = known.position();
        Party {
            instruction: self.instruction(&known.location),
            access: MaybeUninit::new(access),
            group,
            thread,
            index: known.index,
        }
    }

    fn finding(&mut self, known: &insight::Finding) -> Finding {
        let (place_kind, place) = match known.place {
            insight::Place::Byte(byte) => (PlaceKind::Byte, [byte, 0, 0]),
            insight::Place::Element(element) => (PlaceKind::Element, [element.into(), 0, 0]),
            insight::Place::Texel(texel) => (PlaceKind::Texel, texel.map(u64::from)),
            _ => (PlaceKind::Whole, [0; 3]),
        };
        let mut parties = [Party::default(); 4];
        for (party, known) in parties.iter_mut().zip(&known.parties) {
            *party = self.party(known);
        }
        Finding {
            size: size_of::<Finding>(),
            text: self.keep(&known.to_string()),
            subject: self.keep_if_any(known.subject.map(|subject| subject.to_string()).as_deref()),
            kind: MaybeUninit::new(FindingKind::of(known.kind)),
            place_kind: MaybeUninit::new(place_kind),
            place,
            extent: known.extent,
            words: known.words,
            is_between_groups: MaybeUninit::new(known.between_groups),
            party_count: known.parties.len() as u32,
            parties,
            other: known.other.as_ref().map_or_else(Instruction::default, |other| self.instruction(other)),
            count: known.count,
            name: self.keep_if_any(known.name.as_deref()),
        }
    }
}

/// Fills options with the defaults. `size` is sizeof(BrolgaCheckOptions).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn brolga_check_options_init(check_options: *mut CheckOptions, size: usize) -> Code {
    // SAFETY: the caller's promises.
    unsafe { init(check_options, size) }
}

/// Fills a finding with the defaults. `size` is sizeof(BrolgaFinding).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn brolga_finding_init(finding: *mut Finding, size: usize) -> Code {
    // SAFETY: the caller's promises.
    unsafe { init(finding, size) }
}

/// Fills a summary with zeros. `size` is sizeof(BrolgaCheckSummary).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn brolga_check_summary_init(summary: *mut CheckSummary, size: usize) -> Code {
    // SAFETY: the caller's promises.
    unsafe { init(summary, size) }
}

/// Runs a bound compute shader like brolga_bound_dispatch, but group by group on the calling thread, and checks what it
/// does. That takes some hundred times as long. Results are those of a dispatch on one thread. Faults are findings, not
/// errors: a group whose threads diverge at a barrier is one, and ends the run. Both structs of options may be NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn brolga_bound_check(
    bound: *const Bound,
    dispatch_options: *const DispatchOptions,
    check_options: *const CheckOptions,
    findings: *mut *mut Findings,
    error: *mut Error,
) -> Code {
    // SAFETY: the caller's promises.
    unsafe {
        guard(error, || {
            let (handle, bound) = (NewHandle::new(findings)?, current(get(bound)?));
            let checked = bound.check(&options(dispatch_options)?.native()?, &options(check_options)?.native()?)?;
            let mut texts = Texts::default();
            let findings = checked.findings.iter().map(|finding| texts.finding(finding)).collect();
            handle.put(CheckedRun { findings, summary: checked.summary.into(), _texts: texts });
            Ok(())
        })
    }
}

/// Destroys findings, with their texts.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn brolga_findings_destroy(findings: *mut Findings) -> Code {
    // SAFETY: the caller's promises.
    unsafe { destroy(findings) }
}

/// Returns the number of findings: 0 if nothing was found.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn brolga_findings_count(
    findings: *const Findings,
    count: *mut usize,
    error: *mut Error,
) -> Code {
    // SAFETY: the caller's promises.
    unsafe { guard(error, || put(count, get(findings)?.findings.len(), "the number of findings")) }
}

/// Returns a finding, by its number, in the order in which they first occurred. The struct has the size that its init
/// function sets.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn brolga_findings_get(
    findings: *const Findings,
    number: usize,
    finding: *mut Finding,
    error: *mut Error,
) -> Code {
    // SAFETY: the caller's promises.
    unsafe {
        guard(error, || {
            let all = &get(findings)?.findings;
            let missing = || Failure::argument(format!("there is no finding {number}: there are {}", all.len()));
            put_fields(finding, all.get(number).ok_or_else(missing)?)
        })
    }
}

/// Returns what the dispatch did. The struct has the size that its init function sets.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn brolga_findings_summary(
    findings: *const Findings,
    summary: *mut CheckSummary,
    error: *mut Error,
) -> Code {
    // SAFETY: the caller's promises.
    unsafe { guard(error, || put_fields(summary, &get(findings)?.summary)) }
}
