//! Checks the order of instructions: nesting of blocks, subroutines, phases, and co-issued pairs.

use super::{Rule, ValidateError, instructions};
use crate::faults::Faults;
use crate::limits::Limits;
use crate::sm3::ops::{Class, Slot};
use crate::sm3::{Instruction, Op, Operand, Program, Register, RegisterFile, Version};
use crate::sm5::Stage;
use std::collections::BTreeMap;

/// Deepest nesting of `if`.
const IFS: u32 = 24;

/// Deepest nesting of `loop` and `rep`, and of calls.
fn loops_and_calls(version: Version) -> u32 {
    if version == Version::Vs2_0 { 1 } else { 4 }
}

/// Checks the order of the instructions.
pub fn check(program: &Program, limits: &Limits, faults: &mut Faults<ValidateError>) {
    blocks(program, faults);
    subroutines(program, limits, faults);
    phases(program, faults);
    textures_first(program, faults);
    pairs(program, faults);
}

/// A block that is open.
struct OpenBlock {
    at: u32,
    op: Op,
    has_else: bool,
}

fn blocks(program: &Program, faults: &mut Faults<ValidateError>) {
    let version = program.version;
    let mut open: Vec<OpenBlock> = Vec::new();
    let is_if = |block: &OpenBlock| matches!(block.op, Op::If | Op::IfC);
    let (mut ifs, mut loops) = (0, 0);
    for (at, instruction) in instructions(program) {
        if faults.is_cut() {
            return;
        }
        let op = instruction.op;
        match op {
            Op::If | Op::IfC => {
                ifs += 1;
                // Blocks further in are too deep for the same reason.
                if ifs == IFS + 1 {
                    faults.push(Rule::Nesting { what: "ifs", limit: IFS, version }.broken(at, op));
                }
                open.push(OpenBlock { at, op, has_else: false });
            }
            Op::Loop | Op::Rep => {
                loops += 1;
                let limit = loops_and_calls(version);
                if loops == limit + 1 {
                    faults.push(Rule::Nesting { what: "loops", limit, version }.broken(at, op));
                }
                open.push(OpenBlock { at, op, has_else: false });
            }
            Op::Else => match open.last_mut() {
                Some(block) if is_if(block) && !block.has_else => block.has_else = true,
                _ => faults.push(Rule::NotOpen { expected: "if without an else" }.broken(at, op)),
            },
            Op::EndIf | Op::EndLoop | Op::EndRep => {
                let (opener, expected) = match op {
                    Op::EndIf => (Op::If, "if"),
                    Op::EndLoop => (Op::Loop, "loop"),
                    _ => (Op::Rep, "rep"),
                };
                let is_meant = |block: &OpenBlock| block.op == opener || opener == Op::If && is_if(block);
                if open.last().is_none_or(|block| !is_meant(block)) {
                    faults.push(Rule::NotOpen { expected }.broken(at, op));
                }
                // It may close a block further out; then the ends of the inner blocks are missing.
                if let Some(meant) = open.iter().rposition(is_meant) {
                    for block in open.drain(meant..) {
                        *(if is_if(&block) { &mut ifs } else { &mut loops }) -= 1;
                    }
                }
            }
            Op::Break | Op::BreakC | Op::BreakP if loops == 0 => {
                faults.push(Rule::NotOpen { expected: "loop" }.broken(at, op));
            }
            Op::Ret if !open.is_empty() => faults.push(Rule::ReturnInBlock.broken(at, op)),
            Op::Label => {
                not_closed(&mut open, faults);
                (ifs, loops) = (0, 0);
            }
            _ => {}
        }
    }
    not_closed(&mut open, faults);
}

/// Reports all open blocks where none may be open, the outermost first.
fn not_closed(open: &mut Vec<OpenBlock>, faults: &mut Faults<ValidateError>) {
    for OpenBlock { at, op, .. } in open.drain(..) {
        faults.push(Rule::NotClosed.broken(at, op));
    }
}

/// The label that an instruction names.
fn label_of(instruction: &Instruction) -> Option<Register> {
    match instruction.op {
        Op::Label | Op::Call | Op::CallNz => instruction.operands.first().map(Operand::register),
        _ => None,
    }
}

/// Labels follow a `ret`, and calls go to labels after them; so no subroutine calls itself.
fn subroutines(program: &Program, limits: &Limits, faults: &mut Faults<ValidateError>) {
    let mut labels: BTreeMap<Register, u32> = BTreeMap::new();
    let mut current: Option<(u32, Register)> = None;
    let mut has_returned = false;
    for (at, instruction) in instructions(program) {
        let op = instruction.op;
        match (op, label_of(instruction)) {
            (Op::Label, Some(label)) => {
                if !has_returned {
                    faults.push(Rule::LabelPlace { label }.broken(at, op));
                }
                if labels.len() as u32 >= limits.functions {
                    return faults.push(Rule::Limit { what: "labels", limit: limits.functions }.broken(at, op));
                }
                if labels.insert(label, at).is_some() {
                    faults.push(Rule::LabelTwice { label }.broken(at, op));
                }
                current = Some((at, label));
            }
            _ if has_returned => faults.push(Rule::AfterReturn.broken(at, op)),
            _ => {}
        }
        has_returned = op == Op::Ret;
    }
    if let Some((at, label)) = current
        && !has_returned
    {
        faults.push(Rule::NoReturn { label }.broken(at, Op::Label));
    }
    calls(program, &labels, faults);
}

fn calls(program: &Program, labels: &BTreeMap<Register, u32>, faults: &mut Faults<ValidateError>) {
    let limit = loops_and_calls(program.version);
    // Greatest call depth of each subroutine. Calls only go forward, so all callers of a label come before it.
    let mut depths: BTreeMap<Register, u32> = BTreeMap::new();
    let mut depth = 0;
    for (at, instruction) in instructions(program) {
        let op = instruction.op;
        match (op, label_of(instruction)) {
            (Op::Label, Some(label)) => depth = depths.get(&label).copied().unwrap_or(0),
            (_, Some(label)) => {
                match labels.get(&label) {
                    None => {
                        faults.push(Rule::NoLabel { label }.broken(at, op));
                        continue;
                    }
                    Some(label_at) if *label_at < at => {
                        faults.push(Rule::CallBack { label }.broken(at, op));
                        continue;
                    }
                    Some(_) => {}
                }
                if depth + 1 > limit {
                    faults.push(Rule::Nesting { what: "calls", limit, version: program.version }.broken(at, op));
                }
                let deepest = depths.entry(label).or_default();
                *deepest = (*deepest).max(depth + 1);
            }
            _ => {}
        }
    }
}

fn phases(program: &Program, faults: &mut Faults<ValidateError>) {
    for (at, _) in instructions(program).filter(|(_, instruction)| instruction.op == Op::Phase).skip(1) {
        faults.push(Rule::PhaseTwice.broken(at, Op::Phase));
    }
}

/// In ps_1_x texture instructions come first, in ps_1_4 in each phase, where they do not depend on each other. Colours
/// can be read only in the last phase.
fn textures_first(program: &Program, faults: &mut Faults<ValidateError>) {
    let version = program.version;
    if version.stage() == Stage::Vertex || version.major() > 1 {
        return;
    }
    let has_phases = version == Version::Ps1_4;
    let mut phases_left = instructions(program).filter(|(_, instruction)| instruction.op == Op::Phase).count();
    let mut has_arithmetic = false;
    let mut made: Vec<Register> = Vec::new();
    for (at, instruction) in instructions(program) {
        let op = instruction.op;
        let is_read = |(slot, operand): &(Slot, &Operand)| {
            matches!(operand, Operand::Source(_)) || *slot == Slot::Test || op == Op::TexDepth
        };
        let sources = instruction.slots().filter(is_read).map(|(_, operand)| operand.register());
        for register in sources {
            if phases_left > 0 && register.file == RegisterFile::Input {
                faults.push(Rule::ColorBeforePhase { register }.broken(at, op));
            }
            if has_phases && op.info().class == Class::Texture && made.contains(&register) {
                faults.push(Rule::Dependent { register }.broken(at, op));
            }
        }
        match op.info().class {
            _ if op == Op::Phase => {
                phases_left -= 1;
                has_arithmetic = false;
                made.clear();
            }
            Class::Texture if has_arithmetic => faults.push(Rule::TextureAfterArithmetic { has_phases }.broken(at, op)),
            Class::Texture => {
                let is_result = |(slot, _): &(Slot, &Operand)| *slot == Slot::Write;
                made.extend(instruction.slots().filter(is_result).map(|(_, operand)| operand.register()));
            }
            Class::Arithmetic => has_arithmetic |= op != Op::Nop,
            _ => {}
        }
    }
}

fn pairs(program: &Program, faults: &mut Faults<ValidateError>) {
    let mut before: Option<&Instruction> = None;
    for (at, instruction) in instructions(program) {
        if instruction.coissue
            && let Err(reason) = can_pair(before, instruction)
        {
            faults.push(Rule::CoIssue { reason }.broken(at, instruction.op));
        }
        before = Some(instruction);
    }
}

/// In a pair, one instruction writes colour and the other alpha. The error is the reason why two instructions are not a
/// pair.
fn can_pair(before: Option<&Instruction>, instruction: &Instruction) -> Result<(), &'static str> {
    const ALPHA: u8 = 8;
    let before = before.ok_or("there is none")?;
    if instruction.op.info().class != Class::Arithmetic || before.op.info().class != Class::Arithmetic {
        return Err("one of them is not arithmetic");
    }
    if before.coissue {
        return Err("that one runs together with the one before itself");
    }
    let masks = (before.written(), instruction.written());
    if !matches!(masks, (Some(ALPHA), Some(mask)) | (Some(mask), Some(ALPHA)) if mask & ALPHA == 0 && mask != 0) {
        return Err("one must write colour and the other alpha");
    }
    Ok(())
}
