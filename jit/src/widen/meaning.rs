//! How many parts of each register and spill slot mean something, found by data flow.
//!
//! Where stock code has a vector of four lanes, wide code has one of several parts of four lanes each. Where it has a scalar, or
//! 128 bits that were taken out of a vector, only the first part means anything, and an instruction that would
//! look at the others must not exist. This pass proves that it does not, and decides at the same time how each instruction is
//! rewritten, so that nothing is rewritten that was not looked at.
//!
//! `rows.rs` says once for each instruction what it reads, writes and demands. Here that is followed from block to block.

use std::collections::BTreeSet;

use super::Refusal;
use super::decode::Program;
use super::rows::{Place, Row, Rows, Rule, Step};

/// How much of a register or slot means something: this many parts, from the first. More is greater, so what is certain
/// where either of two may come is the lesser.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Meaning(u8);

impl Meaning {
    /// The first part alone.
    const NARROW: Self = Self(1);
    /// The same in every part.
    const UNIFORM: Self = Self(254);
    /// Nothing was written on any way here.
    const UNSET: Self = Self(255);

    /// What is read of it.
    fn read(self) -> Self {
        if self == Self::UNSET { Self::NARROW } else { self }
    }

    /// Whether the first part alone may be looked at. In a vector the first lane is one of many, and whoever wants it takes the
    /// part first.
    fn is_scalar(self) -> bool {
        self == Self::NARROW || self >= Self::UNIFORM
    }
}

/// The step for each instruction.
pub(super) fn steps(program: &Program, parts: u8) -> Result<Vec<Step>, Refusal> {
    let rows = Rows::of(program, parts)?;
    let mut entry = vec![Meaning::UNSET; rows.places];
    entry[Place::UNIFORM.index()] = Meaning::UNIFORM;
    entry[Place::MEMORY.index()] = Meaning(parts);
    let mut before: Vec<Option<Vec<Meaning>>> = vec![None; program.blocks.len()];
    before[0] = Some(entry);
    let mut state = Vec::new();
    let mut waiting = BTreeSet::from([0]);
    while let Some(number) = waiting.pop_first() {
        state.clone_from(before[number].as_ref().expect("blocks wait once they are reached"));
        let block = &program.blocks[number];
        for n in block.insts.clone() {
            follow(&rows.rows[n], &mut state, parts).map_err(|reason| Refusal::of(&program.insts[n], reason))?;
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
                waiting.insert(next);
            }
        }
    }
    let mut steps = Vec::with_capacity(program.insts.len());
    for (block, before) in program.blocks.iter().zip(before) {
        let mut state = before.ok_or_else(|| Refusal::of(&program.insts[block.insts.start], "nothing leads to it"))?;
        for n in block.insts.clone() {
            let step = follow(&rows.rows[n], &mut state, parts);
            steps.push(step.map_err(|reason| Refusal::of(&program.insts[n], reason))?);
        }
    }
    Ok(steps)
}

/// Adds another way to a block; whether less is certain then.
fn meet(known: &mut [Meaning], other: &[Meaning]) -> bool {
    let mut changed = false;
    for (mine, &other) in known.iter_mut().zip(other) {
        changed |= other < *mine;
        *mine = other.min(*mine);
    }
    changed
}

/// Follows what an instruction writes, and decides on it; or says what it demands in vain.
fn follow(row: &Row, state: &mut [Meaning], parts: u8) -> Result<Step, &'static str> {
    let sources = row.from.map(|place| state[place.index()].read());
    let [first, second, _] = sources;
    let least = sources.into_iter().fold(Meaning::UNIFORM, Meaning::min);
    let meaning = match row.rule {
        Rule::Nothing => return Ok(row.step),
        Rule::Call => {
            state[Place::REGISTERS].fill(Meaning::UNSET);
            return Ok(row.step);
        }
        Rule::Each => least,
        Rule::Whole if least < Meaning(parts) => return Err("it looks at parts that mean nothing"),
        Rule::Whole => least,
        Rule::Counted if !second.is_scalar() => return Err("the count is not a scalar"),
        Rule::Counted => first,
        Rule::Scalar | Rule::Splat if !sources.into_iter().all(Meaning::is_scalar) => {
            return Err("it takes a scalar out of a vector");
        }
        Rule::Scalar => Meaning::NARROW,
        Rule::Splat => Meaning::UNIFORM,
        Rule::SplatPair if least == Meaning::NARROW => {
            state[row.to.index()] = Meaning::UNIFORM;
            return Ok(Step::SplatPair);
        }
        Rule::SplatPair => least,
        Rule::Take(part) if first <= Meaning(part) => return Err("it takes a part that means nothing"),
        Rule::Take(_) => Meaning::NARROW,
        Rule::Insert(part) if first < Meaning(part) || !second.is_scalar() => {
            return Err("it inserts after parts that mean nothing");
        }
        Rule::Insert(part) if first < Meaning::UNIFORM => first.max(Meaning(part + 1)),
        Rule::Insert(_) => Meaning(parts),
    };
    state[row.to.index()] = meaning;
    Ok(row.step)
}
