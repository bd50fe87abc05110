//! Writes findings for people: what was found, by whom and where, and what would be right.

use std::fmt;

use brolga_ir::insight::{AccessKind, FindingKind, Place, Subject};
use brolga_ir::stages::StageKind;

use super::check::{Finding, Party};
use crate::shader::SourceLocation;

fn verb(access: AccessKind) -> &'static str {
    match access {
        AccessKind::Read => "read",
        AccessKind::Write => "written",
        AccessKind::Atomic => "changed by an atomic",
    }
}

fn place(place: Place) -> String {
    match place {
        Place::Byte(byte) => format!("byte {byte}"),
        Place::Element(element) => format!("element {element}"),
        Place::Texel([x, y, z]) => format!("texel ({x}, {y}, {z})"),
        _ => "it".into(),
    }
}

impl Finding {
    /// The first line: what was found.
    pub fn headline(&self) -> String {
        let name = self.name.as_ref().map_or(String::new(), |name| format!(" `{name}`"));
        let subject = match self.subject {
            // WGSL has no such register, and several variables may be one.
            Some(Subject::Local(_)) if self.is_wgsl() => "an array".into(),
            subject => subject.map_or(String::new(), |subject| format!("{subject}{name}")),
        };
        let access = self.parties.first().map_or(AccessKind::Read, |party| party.access);
        match self.kind {
            FindingKind::Race if self.between_groups && self.is_dispatch() => {
                format!("race on {subject} between groups: {}", place(self.place))
            }
            FindingKind::Race => format!("race on {subject}: {}", place(self.place)),
            FindingKind::Bounds if self.subject == Some(Subject::Value) => {
                "out of bounds: an element that an array, matrix or vector does not have was read".into()
            }
            FindingKind::Bounds if self.place == Place::Outside => {
                format!("out of bounds: an element that an array in {subject} does not have was {}", verb(access))
            }
            FindingKind::Bounds if matches!(self.place, Place::Texel(_)) => {
                format!(
                    "out of bounds: {} of {subject}, which it does not have, was {}",
                    place(self.place),
                    verb(access)
                )
            }
            FindingKind::Bounds => {
                let unit = if matches!(self.place, Place::Byte(_)) { "bytes" } else { "elements" };
                format!(
                    "out of bounds: {subject} has {} {unit}, {} was {}",
                    self.extent,
                    place(self.place),
                    verb(access)
                )
            }
            FindingKind::Uninitialised if self.place == Place::Whole => {
                format!("uninitialised: {subject} is read before anything has written it")
            }
            FindingKind::Uninitialised => {
                format!("uninitialised: {} of {subject} is read before anything has written it", place(self.place))
            }
            FindingKind::Misaligned => {
                format!(
                    "misaligned: {} of {subject} was {}, and its low bits count as 0",
                    place(self.place),
                    verb(access)
                )
            }
            FindingKind::Unbound => format!("unbound: nothing is bound to {subject}, which was {}", verb(access)),
            FindingKind::Barrier => {
                let [go, others] = self.words;
                format!("barrier: {go} threads go to a barrier and {others} do not")
            }
        }
    }

    /// What would be right.
    pub fn help(&self) -> Option<&'static str> {
        let is_shared = matches!(self.subject, Some(Subject::Shared(_)));
        let is_wgsl = self.is_wgsl();
        Some(match self.kind {
            FindingKind::Race if self.stage == StageKind::Pixel => {
                "pixels run in any order: atomics give one result, and so does a RasterizerOrdered resource, of which each \
                 pixel accesses what belongs to it"
            }
            FindingKind::Race if !self.is_dispatch() => {
                "a draw's invocations run in any order: atomics give one result"
            }
            FindingKind::Race if self.between_groups => {
                "groups of a dispatch run in any order: what one writes another may read in a later dispatch, or after an \
                 atomic with a memory barrier on either side"
            }
            FindingKind::Race if self.at_one_address => "each thread needs a word of its own, or an atomic",
            FindingKind::Race if is_shared && is_wgsl => {
                "workgroupBarrier() between them would order them, in a loop between its rounds too"
            }
            FindingKind::Race if is_wgsl && matches!(self.place, Place::Texel(_)) => {
                "textureBarrier() between them would order them"
            }
            FindingKind::Race if is_wgsl => "storageBarrier() between them would order them",
            FindingKind::Race if is_shared => {
                "GroupMemoryBarrierWithGroupSync() between them would order them, in a loop between its rounds too"
            }
            FindingKind::Race => {
                "AllMemoryBarrierWithGroupSync() or DeviceMemoryBarrierWithGroupSync() between them would order them"
            }
            FindingKind::Bounds => return None,
            FindingKind::Uninitialised if is_wgsl => "WGSL begins with 0 there, which is seldom meant",
            FindingKind::Uninitialised => "Direct3D leaves open what it holds; here it is 0",
            FindingKind::Misaligned => "addresses of raw buffers are multiples of 4",
            FindingKind::Unbound => "reads of it give 0, and writes are lost",
            FindingKind::Barrier => "all threads of a group must reach it, or none",
        })
    }

    /// `true` if the shader is in WGSL.
    fn is_wgsl(&self) -> bool {
        let mut sources = self.parties.iter().filter_map(|party| party.location.source.as_ref());
        sources.any(|source| source.file.ends_with(".wgsl"))
    }

    fn is_dispatch(&self) -> bool {
        self.stage == StageKind::Compute
    }

    fn write_party(&self, f: &mut fmt::Formatter<'_>, party: &Party) -> fmt::Result {
        let Party { access, location, sender, .. } = party;
        match is_output(location) {
            true => write!(f, "\n  {} by {sender} for its output", verb(*access)),
            false => write!(f, "\n  {} by {sender} at {location}", verb(*access)),
        }
    }
}

/// `true` for what is no instruction of the shader: the pipeline, which uses what that outputs.
fn is_output(location: &SourceLocation) -> bool {
    location.byte == 0 && location.index.is_none()
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.headline())?;
        match (self.kind, self.parties.as_slice()) {
            (FindingKind::Barrier, [first, last, other, last_other]) => {
                write!(f, "\n  {} is the first that goes there, and {} the last", first.sender, last.sender)?;
                write!(f, "\n  {} is the first that does not, and {} the last", other.sender, last_other.sender)?;
                write!(f, "\n  they disagree at {}", first.location)?;
                if let Some(barrier) = &self.other {
                    write!(f, "\n  the barrier is {barrier}")?;
                }
            }
            _ => self.parties.iter().try_for_each(|party| self.write_party(f, party))?,
        }
        if let [first, second] = &self.parties[..]
            && self.kind == FindingKind::Race
            && first.sender == second.sender
        {
            f.write_str("\n  these are two invocations, of primitives that overlap, or of samples")?;
        }
        if let (Some(user), false) = (&self.other, self.kind == FindingKind::Barrier) {
            match is_output(user) {
                true => f.write_str("\n  what was read is output")?,
                false => write!(f, "\n  what was read is used by {user}")?,
            }
        }
        if let (FindingKind::Bounds, [inside, outside]) = (self.kind, self.words)
            && inside > 0
        {
            write!(f, "\n  {inside} of {} words are inside", inside + outside)?;
        }
        if self.count > 1 {
            let what = if self.kind == FindingKind::Race { "pairs of accesses" } else { "times" };
            write!(f, "\n  {} {what}; this is the first", self.count)?;
        }
        match self.help() {
            Some(help) => write!(f, "\n  help: {help}"),
            None => Ok(()),
        }
    }
}
