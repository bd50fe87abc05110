//! Identifies the part of a shader that a piece of code belongs to, carried through the code generator as a source
//! location.

use brolga_ir::entity::Inst;
use cranelift_codegen::ir::SourceLoc;

/// The purpose of a piece of code.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum CodeSite {
    /// The group's start: its ID, addresses and sizes of views.
    Start,
    /// Clearing of shared memory and of the packets' records.
    Clear,
    /// The loop over packets.
    Packets,
    /// Inputs that are recomputed, and values kept from other segments.
    Recall,
    /// The end of a segment: moving values, and packets agreeing on the next one.
    Tail,
    /// The return to the caller.
    Exit,
    /// An instruction of the shader.
    Inst {
        /// The instruction.
        inst: Inst,
        /// Done once for the group, before its packets.
        once: bool,
    },
}

/// Parts that are no instruction, by number.
const PARTS: [CodeSite; 6] =
    [CodeSite::Start, CodeSite::Clear, CodeSite::Packets, CodeSite::Recall, CodeSite::Tail, CodeSite::Exit];

impl CodeSite {
    /// An instruction, where packets run it.
    pub fn of(inst: Inst) -> Self {
        CodeSite::Inst { inst, once: false }
    }

    /// The site as a number that the code generator carries.
    pub fn to_location(self) -> SourceLoc {
        let number = match self {
            CodeSite::Inst { inst, once } => PARTS.len() + inst.index() * 2 + usize::from(once),
            part => PARTS.iter().position(|&other| other == part).expect("every part has a number"),
        };
        SourceLoc::new(u32::try_from(number).ok().filter(|&n| n != u32::MAX).expect("shaders have limits"))
    }

    /// The site of such a number; code without a source location has none.
    pub fn from_location(location: SourceLoc) -> Option<Self> {
        let number = if location.is_default() { return None } else { location.bits() as usize };
        Some(match number.checked_sub(PARTS.len()) {
            None => PARTS[number],
            Some(n) => CodeSite::Inst { inst: Inst::new(n / 2), once: n % 2 == 1 },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sites_survive_as_numbers() {
        let insts = [0, 1, 77].map(|n| CodeSite::of(Inst::new(n)));
        let once = CodeSite::Inst { inst: Inst::new(3), once: true };
        for site in PARTS.into_iter().chain(insts).chain([once]) {
            assert_eq!(CodeSite::from_location(site.to_location()), Some(site));
        }
        assert_eq!(CodeSite::from_location(SourceLoc::default()), None);
        // The code generator counts from the first location that it sees, and must not see a smaller one.
        assert_eq!(CodeSite::Start.to_location().bits(), 0);
    }
}
