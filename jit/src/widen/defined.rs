//! Finds how many parts of each register and spill slot are defined, by data flow.
//!
//! A vector of four lanes in stock code becomes one of several parts of four lanes each. Of a scalar, or of 128 bits
//! extracted from a vector, only the first part is defined, and no instruction may read the others. This pass proves
//! that none does, and decides at the same time how each instruction is rewritten, so that nothing is rewritten
//! unexamined.
//!
//! `transfer.rs` gives the transfer function of each instruction; this pass propagates states from block to block.

use std::collections::BTreeSet;

use super::Refusal;
use super::decode::DecodedCode;
use super::transfer::{RewriteStep, Rule, Transfer, Transfers, VectorLocation};

/// The number of leading parts of a register or slot that are defined. Greater values are more defined, so the meet of
/// two paths is their minimum.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct DefinedParts(u8);

impl DefinedParts {
    /// Only the first part.
    const NARROW: Self = Self(1);
    /// Defined and equal in every part.
    const UNIFORM: Self = Self(254);
    /// Not written on any path so far.
    const UNSET: Self = Self(255);

    /// The value that a read sees.
    fn read(self) -> Self {
        if self == Self::UNSET { Self::NARROW } else { self }
    }

    /// `true` if the operand is a scalar, whose first part alone is read. In a vector the first lane is one of many:
    /// extract the part first.
    fn is_scalar(self) -> bool {
        self == Self::NARROW || self >= Self::UNIFORM
    }
}

/// Decides the step for each instruction.
pub(super) fn steps(program: &DecodedCode, parts: u8) -> Result<Vec<RewriteStep>, Refusal> {
    let transfers = Transfers::of(program, parts)?;
    let mut entry = vec![DefinedParts::UNSET; transfers.locations];
    entry[VectorLocation::UNIFORM.index()] = DefinedParts::UNIFORM;
    entry[VectorLocation::MEMORY.index()] = DefinedParts(parts);
    let mut before: Vec<Option<Vec<DefinedParts>>> = vec![None; program.blocks.len()];
    before[0] = Some(entry);
    let mut state = Vec::new();
    let mut pending = BTreeSet::from([0]);
    while let Some(number) = pending.pop_first() {
        state.clone_from(before[number].as_ref().expect("blocks wait once they are reached"));
        let block = &program.blocks[number];
        for n in block.insts.clone() {
            apply(&transfers.transfers[n], &mut state, parts)
                .map_err(|reason| Refusal::of(&program.insts[n], reason))?;
        }
        for &next in &block.next {
            let changed = match &mut before[next] {
                Some(known) => meet(known, &state),
                empty => {
                    *empty = Some(state.clone());
                    true
                }
            };
            if changed {
                pending.insert(next);
            }
        }
    }
    let mut steps = Vec::with_capacity(program.insts.len());
    for (block, before) in program.blocks.iter().zip(before) {
        let mut state = before.ok_or_else(|| Refusal::of(&program.insts[block.insts.start], "nothing leads to it"))?;
        for n in block.insts.clone() {
            let step = apply(&transfers.transfers[n], &mut state, parts);
            steps.push(step.map_err(|reason| Refusal::of(&program.insts[n], reason))?);
        }
    }
    Ok(steps)
}

/// Merges the state of another path into a block's; returns whether it became less defined.
fn meet(known: &mut [DefinedParts], other: &[DefinedParts]) -> bool {
    let mut changed = false;
    for (mine, &other) in known.iter_mut().zip(other) {
        changed |= other < *mine;
        *mine = other.min(*mine);
    }
    changed
}

/// Applies an instruction's transfer function and decides its step; fails if a demand is not met.
fn apply(transfer: &Transfer, state: &mut [DefinedParts], parts: u8) -> Result<RewriteStep, &'static str> {
    let sources = transfer.from.map(|location| state[location.index()].read());
    let [first, second, _] = sources;
    let least = sources.into_iter().fold(DefinedParts::UNIFORM, DefinedParts::min);
    let defined = match transfer.rule {
        Rule::Nothing => return Ok(transfer.step),
        Rule::Call => {
            state[VectorLocation::REGISTERS].fill(DefinedParts::UNSET);
            return Ok(transfer.step);
        }
        Rule::Each => least,
        Rule::Whole if least < DefinedParts(parts) => return Err("it looks at parts that mean nothing"),
        Rule::Whole => least,
        Rule::Counted if !second.is_scalar() => return Err("the count is not a scalar"),
        Rule::Counted => first,
        Rule::Scalar | Rule::Splat if !sources.into_iter().all(DefinedParts::is_scalar) => {
            return Err("it takes a scalar out of a vector");
        }
        Rule::Scalar => DefinedParts::NARROW,
        Rule::Splat => DefinedParts::UNIFORM,
        Rule::SplatPair if least == DefinedParts::NARROW => {
            state[transfer.to.index()] = DefinedParts::UNIFORM;
            return Ok(RewriteStep::SplatPair);
        }
        Rule::SplatPair => least,
        Rule::Take(part) if first <= DefinedParts(part) => return Err("it takes a part that means nothing"),
        Rule::Take(_) => DefinedParts::NARROW,
        Rule::Insert(part) if first < DefinedParts(part) || !second.is_scalar() => {
            return Err("it inserts after parts that mean nothing");
        }
        Rule::Insert(part) if first < DefinedParts::UNIFORM => first.max(DefinedParts(part + 1)),
        Rule::Insert(_) => DefinedParts(parts),
    };
    state[transfer.to.index()] = defined;
    Ok(transfer.step)
}
