//! Records lowering decisions, for the listing that explains how fast code will be.
//!
//! A note is taken where a decision is made and acted upon, so a listing cannot disagree with the code. None are taken
//! unless a listing is wanted.

use std::fmt;

use brolga_ir::entity::{Inst, Value};

use super::Lowering;
use super::facts::Facts;
use super::layout::ArenaOffsets;
use super::mask::LaneMask;
use crate::site::CodeSite;

/// All notes about one shader.
#[derive(Debug, Default)]
pub(crate) struct Notes {
    /// Decisions about instructions, in the order of the code.
    pub insts: Vec<(Inst, Note)>,
    /// Segments by their first instruction, in the order of the code.
    pub segments: Vec<(Inst, Packets)>,
    /// Run-time form of each value.
    pub values: Vec<ValueNote>,
    /// Contents of the arena.
    pub arena: ArenaNote,
}

/// The work of a group's packets in a segment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Packets {
    /// The loop over packets, with this many iterations.
    Loop(u32),
    /// Nothing is left for them.
    Idle,
}

/// A decision about an instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Note {
    /// Computed before the packets.
    Once,
    /// Not all lanes may be active.
    SomeLanes,
    /// All lanes have one address.
    OneAddress,
    /// Neighbouring lanes are this many bytes apart.
    Stride(u32),
    /// The same within each eight lanes.
    StrideInOctets(u32),
    /// Addresses are arbitrary.
    Scattered,
    /// Each lane chooses a view.
    ViewPerLane,
    /// Known to be in range.
    Unchecked,
    /// Bounds-checked without a branch: accesses out of range are redirected to a dummy.
    WordChecked,
    /// Checked at the packet's start, together with others.
    CheckedAhead,
    /// One comparison for all lanes; a packet that fails goes lane by lane.
    OneCheck,
    /// One comparison, and all lanes must be active; otherwise the general path.
    AllLanesCheck,
    /// All lanes are compared and one branch taken; a packet that fails goes lane by lane.
    LanesCheck,
    /// Lanes are compared; if they read adjacent words, vectors are read.
    Neighbours,
    /// A loop over the lanes.
    LaneByLane,
    /// Lanes in sequence, unrolled.
    LanesInTurn,
    /// All lanes access the same element of their private arrays, a contiguous row.
    RowsTogether,
    /// Each lane accesses its own element of a private array.
    RowPerLane,
    /// A helper is called, with operands of all lanes.
    Helper,
    /// A helper is called, with operands of one lane.
    HelperOnce,
    /// All lanes take the same arm.
    Branch,
    /// Both arms run, each under its mask.
    Masks,
    /// An arm is skipped if no lane takes it.
    SkippableArm,
    /// An arm is so short that it always runs.
    UnskippedArm,
    /// Lanes may leave here: a test for any that does, and only then a test for any that is left.
    Exit,
    /// Lanes leave a loop in different iterations, through exits.
    LeaveApart,
    /// Lanes leave a loop in different iterations and reach the next one along several edges: each iteration ends with
    /// a test for any that is left.
    AnyTest,
    /// Lanes leave a loop together.
    LeaveTogether,
    /// Lanes may have left in it: a test for any that is left follows.
    LeftTest,
    /// Runs once for the group, between segments.
    Cut,
    /// Its condition is computed once for the group.
    Known,
    /// Packets vote on the branch, and must agree.
    Votes,
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Note::Once => "once",
            Note::SomeLanes => "masked",
            Note::OneAddress => "uniform address",
            Note::Stride(bytes) => return write!(f, "stride {bytes}"),
            Note::StrideInOctets(bytes) => return write!(f, "stride {bytes} in octets"),
            Note::Scattered => "scattered",
            Note::ViewPerLane => "view per lane",
            Note::Unchecked => "unchecked",
            Note::WordChecked => "checked without a branch",
            Note::AllLanesCheck => "one check, and all lanes",
            Note::CheckedAhead => "checked ahead",
            Note::OneCheck => "one check",
            Note::LanesCheck => "lanes checked",
            Note::LaneByLane => "lane by lane",
            Note::LanesInTurn => "lanes in turn",
            Note::RowsTogether => "one row",
            Note::Neighbours => "usually side by side",
            Note::RowPerLane => "row per lane",
            Note::Helper => "helper",
            Note::HelperOnce => "helper, one lane",
            Note::Branch => "branch",
            Note::Masks => "masks",
            Note::SkippableArm => "skippable arm",
            Note::UnskippedArm => "short arm",
            Note::Exit => "exit",
            Note::LeaveApart => "lanes leave apart",
            Note::AnyTest => "any-test per iteration",
            Note::LeaveTogether => "lanes leave together",
            Note::LeftTest => "any-test after",
            Note::Cut => "cut",
            Note::Known => "known for the group",
            Note::Votes => "packets vote",
        })
    }
}

/// The run-time form of a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct ValueNote {
    pub form: ValueForm,
    /// The stride from lane to lane, where known and not 0.
    pub step: Option<u32>,
    /// The largest number that it can be, if known.
    pub most: Option<u32>,
    /// Its storage between segments, if any.
    pub kept: Option<Kept>,
}

/// The registers in which a value lives.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ValueForm {
    /// A scalar that is the same for all threads of the group.
    Group,
    /// A scalar that is the same in all lanes of a packet.
    Uniform,
    /// A number for each lane.
    Packet,
}

/// The storage of a value between segments.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kept {
    /// In a variable of the group.
    Group,
    /// At this byte offset in each packet's record.
    Record(i32),
}

impl Kept {
    /// The byte offset in the packet's record.
    pub fn record_offset(self) -> Option<i32> {
        match self {
            Kept::Group => None,
            Kept::Record(at) => Some(at),
        }
    }
}

/// The contents of the arena, in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct ArenaNote {
    /// Threads of a group; `None` if groups run in spans.
    pub threads: Option<u32>,
    /// Packets of a group, or of the longest span.
    pub packets: u32,
    pub shared_bytes: u64,
    pub record_bytes: u64,
    pub local_bytes: u64,
    /// Set if private arrays are kept for every packet.
    pub locals_per_packet: bool,
    /// Set if records say which threads have not returned.
    pub alive: bool,
}

impl Notes {
    /// Adds the facts about values and the arena.
    pub(super) fn finish(&mut self, facts: &Facts<'_>, layout: &ArenaOffsets) {
        self.values =
            (0..facts.func.value_count()).map(Value::new).map(|value| value_note(facts, layout, value)).collect();
        self.arena = ArenaNote {
            threads: layout.threads,
            packets: layout.packets,
            shared_bytes: layout.shared_bytes,
            record_bytes: layout.record_bytes,
            local_bytes: layout.array_bytes,
            locals_per_packet: layout.locals_per_packet,
            alive: layout.alive.is_some(),
        };
    }
}

fn value_note(facts: &Facts<'_>, layout: &ArenaOffsets, value: Value) -> ValueNote {
    let form = match (facts.uniformity.is_group_uniform(value), facts.is_uniform(value)) {
        (true, _) => ValueForm::Group,
        (false, true) => ValueForm::Uniform,
        (false, false) => ValueForm::Packet,
    };
    let kept = match facts.is_kept_by_group(value) {
        true => Some(Kept::Group),
        false => layout.slot(value).map(Kept::Record),
    };
    let most = Some(facts.bounds.most(value)).filter(|&most| most != u32::MAX);
    ValueNote { form, step: facts.stride(value, true).filter(|&step| step != 0), most, kept }
}

impl Lowering<'_, '_> {
    /// Notes a decision about the instruction that code is being written for.
    pub fn note(&mut self, note: Note) {
        if !self.segment.again
            && let Some(notes) = &mut self.notes
            && let Some(CodeSite::Inst { inst, .. }) = CodeSite::from_location(self.builder.srcloc())
        {
            notes.insts.push((inst, note));
        }
    }

    /// Notes if not all lanes may be active.
    pub fn note_lanes(&mut self, mask: &LaneMask) {
        if matches!(mask, LaneMask::Lanes(_)) {
            self.note(Note::SomeLanes);
        }
    }

    /// Notes a segment and the work of packets in it.
    pub fn note_segment(&mut self, first: Option<&Inst>, has_work: bool) {
        let packets = self.layout.packets;
        if let (Some(notes), Some(&first)) = (&mut self.notes, first) {
            notes.segments.push((first, if has_work { Packets::Loop(packets) } else { Packets::Idle }));
        }
    }
}
