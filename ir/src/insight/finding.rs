//! What the checker finds: findings of one kind at the same instructions are one.

use std::collections::HashMap;
use std::fmt;

use smallvec::SmallVec;

use crate::function::{Origin, Register};
use crate::interface::ResourceClass;
use crate::named::named;

named! {
    /// The kinds of findings.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum FindingKind {
        /// Two accesses of one word that nothing orders.
        Race = "race",
        /// An access past the end of a buffer, of shared memory or of an array.
        Bounds = "bounds",
        /// A word of shared memory, of an array or of a register that is read before anything wrote it.
        Uninitialised = "uninitialised",
        /// A barrier that some threads of a group go to and some do not.
        Barrier = "barrier",
        /// A byte offset that is no multiple of 4: its low bits are ignored.
        Misaligned = "misaligned",
        /// An access to a register to which nothing is bound.
        Unbound = "unbound",
    }

    /// The kinds of accesses.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum AccessKind {
        /// A load.
        Read = "read",
        /// A store.
        Write = "write",
        /// A read-modify-write.
        Atomic = "atomic",
    }
}

/// What was accessed, displayed as listings name it: `g0`, `x1`, `u2`, `r3.y`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Subject {
    /// Shared memory.
    Shared(u32),
    /// An indexable temporary.
    Local(u32),
    /// A view.
    View {
        /// Its register file.
        class: ResourceClass,
        /// Its register space.
        space: u32,
        /// Its number.
        register: u32,
    },
    /// A component of a register.
    Register(Register),
    /// A value that has no register: a constant of the shader, or one of the thread's own.
    Value,
}

impl fmt::Display for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Subject::Shared(register) => write!(f, "g{register}"),
            Subject::Local(register) => write!(f, "x{register}"),
            Subject::View { class, space: 0, register } => write!(f, "{}{register}", class.letter()),
            Subject::View { class, space, register } => write!(f, "{}{register}, space {space}", class.letter()),
            Subject::Register(register) => write!(f, "{register}"),
            Subject::Value => f.write_str("value"),
        }
    }
}

/// A place in what was accessed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Place {
    /// All of it.
    Whole,
    /// An element that an array in it does not have.
    Outside,
    /// A byte from its start.
    Byte(u64),
    /// An element: of a structured or typed buffer, of structured shared memory; a vector of an array.
    Element(u32),
    /// A texel; unused coordinates are 0.
    Texel([u32; 3]),
}

/// A thread that takes part in a finding, and what it did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Party {
    /// The instruction.
    pub origin: Origin,
    /// The kind of access.
    pub access: AccessKind,
    /// The thread's group. Of an invocation: SV_VertexID and SV_InstanceID; column and row of a pixel; SV_PrimitiveID, and
    /// the instance, or u and v of the point as the bits of floats.
    pub group: [u32; 3],
    /// The thread's number in its group.
    pub thread: u32,
}

/// A finding: its first occurrence, and how many there were.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Its kind.
    pub kind: FindingKind,
    /// What was accessed; nothing by a barrier.
    pub subject: Option<Subject>,
    /// The accesses, in the order in which they happened: two of a race, else one. Of a barrier the first and the last
    /// thread that go to it, then the first and the last that do not.
    pub parties: SmallVec<[Party; 2]>,
    /// The place.
    pub place: Place,
    /// Elements of what was accessed, or bytes if its place is a byte.
    pub extent: u64,
    /// The number of words of the access that are inside, and of those that are not.
    pub words: [u32; 2],
    /// `true` for a race between groups, or between invocations.
    pub between_groups: bool,
    /// `true` for a race of accesses whose threads compute one address and meet all the same: a barrier would not help.
    pub at_one_address: bool,
    /// The instruction that used what was read, if only that made it a finding; the barrier.
    pub other: Option<Origin>,
    /// Occurrences: for races pairs of accesses.
    pub count: u64,
}

/// Findings of the same kind at the same instructions.
type Key = (FindingKind, Option<Subject>, SmallVec<[(Origin, AccessKind); 2]>, bool);

/// All findings of a run.
#[derive(Debug, Default)]
pub(super) struct Findings {
    list: Vec<Finding>,
    numbers: HashMap<Key, usize>,
}

impl Findings {
    /// Adds an occurrence.
    pub fn add(&mut self, finding: Finding) {
        let mut sites: SmallVec<[(Origin, AccessKind); 2]> =
            finding.parties.iter().map(|party| (party.origin, party.access)).collect();
        sites.sort_unstable_by_key(|&(origin, access)| (origin.0, access));
        let key = (finding.kind, finding.subject, sites, finding.between_groups);
        let next = self.list.len();
        match *self.numbers.entry(key).or_insert(next) {
            number if number < next => self.list[number].count += finding.count,
            _ => self.list.push(finding),
        }
    }

    /// The findings, in the order in which they first occurred.
    pub fn list(&self) -> &[Finding] {
        &self.list
    }
}
