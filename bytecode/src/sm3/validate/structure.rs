//! The order of instructions: blocks within each other, subroutines, phases, and instructions that run in pairs.

use super::{ValidateError, instructions};
use crate::limits::Limits;
use crate::sm3::ops::Class;
use crate::sm3::{Instruction, Op, Operand, Program, Register, Version};
use std::collections::BTreeMap;

/// `if` within each other.
const IFS: u32 = 24;

/// `loop` and `rep` within each other, and calls within each other.
fn loops_and_calls(version: Version) -> u32 {
    if version == Version::Vs2_0 { 1 } else { 4 }
}

/// Checks the order of the instructions.
pub fn check(program: &Program, limits: &Limits) -> Result<(), ValidateError> {
    blocks(program)?;
    subroutines(program, limits)?;
    phases(program)?;
    pairs(program)
}

/// A block that is open.
struct Block {
    at: u32,
    op: Op,
    has_else: bool,
}

fn blocks(program: &Program) -> Result<(), ValidateError> {
    let version = program.version;
    let mut open: Vec<Block> = Vec::new();
    let (mut ifs, mut loops) = (0, 0);
    for (at, instruction) in instructions(program) {
        let op = instruction.op;
        let top = open.last_mut();
        match op {
            Op::If | Op::IfC => {
                ifs += 1;
                if ifs > IFS {
                    return Err(ValidateError::Nesting { at, op, what: "ifs", limit: IFS, version });
                }
                open.push(Block { at, op, has_else: false });
            }
            Op::Loop | Op::Rep => {
                loops += 1;
                let limit = loops_and_calls(version);
                if loops > limit {
                    return Err(ValidateError::Nesting { at, op, what: "loops", limit, version });
                }
                open.push(Block { at, op, has_else: false });
            }
            Op::Else => match top {
                Some(block @ Block { op: Op::If | Op::IfC, has_else: false, .. }) => block.has_else = true,
                _ => return Err(ValidateError::NotOpen { at, op, expected: "if without an else" }),
            },
            Op::EndIf => match top {
                Some(Block { op: Op::If | Op::IfC, .. }) => {
                    open.pop();
                    ifs -= 1;
                }
                _ => return Err(ValidateError::NotOpen { at, op, expected: "if" }),
            },
            Op::EndLoop | Op::EndRep => {
                let (opener, expected) = if op == Op::EndLoop { (Op::Loop, "loop") } else { (Op::Rep, "rep") };
                if top.is_none_or(|block| block.op != opener) {
                    return Err(ValidateError::NotOpen { at, op, expected });
                }
                open.pop();
                loops -= 1;
            }
            Op::Break | Op::BreakC | Op::BreakP if loops == 0 => {
                return Err(ValidateError::NotOpen { at, op, expected: "loop" });
            }
            Op::Ret if !open.is_empty() => return Err(ValidateError::ReturnInBlock { at }),
            Op::Label => {
                if let Some(block) = open.first() {
                    return Err(ValidateError::NotClosed { at: block.at, op: block.op });
                }
            }
            _ => {}
        }
    }
    match open.first() {
        Some(block) => Err(ValidateError::NotClosed { at: block.at, op: block.op }),
        None => Ok(()),
    }
}

/// The label that an instruction names.
fn label_of(instruction: &Instruction) -> Option<Register> {
    match instruction.op {
        Op::Label | Op::Call | Op::CallNz => instruction.operands.first().map(Operand::register),
        _ => None,
    }
}

/// Labels follow a `ret`, and calls go to labels behind them; so no subroutine calls itself.
fn subroutines(program: &Program, limits: &Limits) -> Result<(), ValidateError> {
    let mut labels: BTreeMap<Register, u32> = BTreeMap::new();
    let mut current: Option<(u32, Register)> = None;
    let mut has_returned = false;
    for (at, instruction) in instructions(program) {
        let op = instruction.op;
        match (op, label_of(instruction)) {
            (Op::Label, Some(label)) => {
                if !has_returned {
                    return Err(ValidateError::LabelPlace { at, label });
                }
                if labels.len() as u32 >= limits.functions {
                    return Err(ValidateError::Limit { at, op, what: "labels", limit: limits.functions });
                }
                if labels.insert(label, at).is_some() {
                    return Err(ValidateError::LabelTwice { at, label });
                }
                current = Some((at, label));
            }
            _ if has_returned => return Err(ValidateError::BehindReturn { at, op }),
            _ => {}
        }
        has_returned = op == Op::Ret;
    }
    if let Some((at, label)) = current
        && !has_returned
    {
        return Err(ValidateError::NoReturn { at, label });
    }
    calls(program, &labels)
}

fn calls(program: &Program, labels: &BTreeMap<Register, u32>) -> Result<(), ValidateError> {
    let limit = loops_and_calls(program.version);
    // How deep each subroutine can be called. Calls only go forward, so all callers of a label come before it.
    let mut depths: BTreeMap<Register, u32> = BTreeMap::new();
    let mut depth = 0;
    for (at, instruction) in instructions(program) {
        let op = instruction.op;
        match (op, label_of(instruction)) {
            (Op::Label, Some(label)) => depth = depths.get(&label).copied().unwrap_or(0),
            (_, Some(label)) => {
                match labels.get(&label) {
                    None => return Err(ValidateError::NoLabel { at, op, label }),
                    Some(label_at) if *label_at < at => return Err(ValidateError::CallBack { at, op, label }),
                    Some(_) => {}
                }
                if depth + 1 > limit {
                    return Err(ValidateError::Nesting { at, op, what: "calls", limit, version: program.version });
                }
                let deepest = depths.entry(label).or_default();
                *deepest = (*deepest).max(depth + 1);
            }
            _ => {}
        }
    }
    Ok(())
}

fn phases(program: &Program) -> Result<(), ValidateError> {
    match instructions(program).filter(|(_, instruction)| instruction.op == Op::Phase).nth(1) {
        Some((at, _)) => Err(ValidateError::PhaseTwice { at }),
        None => Ok(()),
    }
}

/// Of a pair, one instruction writes colour and the other alpha.
fn pairs(program: &Program) -> Result<(), ValidateError> {
    const ALPHA: u8 = 8;
    let mut before: Option<&Instruction> = None;
    for (at, instruction) in instructions(program) {
        let op = instruction.op;
        if instruction.coissue {
            let written = |instruction: &Instruction| match instruction.operands.first() {
                Some(Operand::Destination(destination)) => destination.mask,
                _ => 0,
            };
            let error = |reason| Err(ValidateError::CoIssue { at, op, reason });
            let Some(before) = before else { return error("there is none") };
            if op.info().class != Class::Arithmetic || before.op.info().class != Class::Arithmetic {
                return error("one of them is not arithmetic");
            }
            if before.coissue {
                return error("that one runs together with the one before itself");
            }
            let masks = (written(before), written(instruction));
            if !matches!(masks, (ALPHA, mask) | (mask, ALPHA) if mask & ALPHA == 0 && mask != 0) {
                return error("one must write colour and the other alpha");
            }
        }
        before = Some(instruction);
    }
    Ok(())
}
