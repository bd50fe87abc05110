//! Encodes a [`Program`] to the words that it was decoded from.

use super::decode::{COISSUE, COMMENT, END, PREDICATED};
use super::instruction::{Comment, Instruction, Value};
use super::operand::Relative;
use super::ops::Op;
use super::version::Version;
use super::{ItemKind, Program};

/// The bytes of a program, from the version token to the end token.
pub fn encode(program: &Program) -> Vec<u8> {
    let mut words = vec![program.version.code()];
    for item in &program.items {
        push_item(&mut words, program.version, &item.kind);
    }
    words.push(END);
    words.into_iter().flat_map(u32::to_le_bytes).collect()
}

/// Adds the words of an item.
pub(super) fn push_item(words: &mut Vec<u32>, version: Version, kind: &ItemKind) {
    match kind {
        ItemKind::Comment(comment) => {
            debug_assert!(comment.words.len() <= Comment::MOST_WORDS, "a comment's length has 15 bits");
            words.push(COMMENT | (comment.words.len() as u32) << 16);
            words.extend(&comment.words);
        }
        ItemKind::Declaration(declaration) => {
            push(words, version, Op::Dcl, 0, &[declaration.usage_token, declaration.register.token()]);
        }
        ItemKind::Definition(definition) => {
            let mut tail = vec![definition.register.token()];
            match definition.value {
                Value::Float(value) => tail.extend(value),
                Value::Int(value) => tail.extend(value.map(|value| value as u32)),
                Value::Bool(value) => tail.push(value),
            }
            push(words, version, definition.value.op(), 0, &tail);
        }
        ItemKind::Instruction(instruction) => push_instruction(words, version, instruction),
    }
}

/// Puts an instruction's token before the words that belong to it.
fn push(words: &mut Vec<u32>, version: Version, op: Op, bits: u32, tail: &[u32]) {
    let length = if version.has_lengths() { tail.len() as u32 } else { 0 };
    words.push(u32::from(op.info().code) | bits | length << 24);
    words.extend(tail);
}

fn push_instruction(words: &mut Vec<u32>, version: Version, instruction: &Instruction) {
    let info = instruction.op.info();
    let mut bits = instruction.comparison.map_or(u32::from(info.control), |comparison| comparison.code()) << 16;
    if instruction.coissue {
        bits |= COISSUE;
    }
    let mut tail = Vec::with_capacity(16);
    let push_operand = |tail: &mut Vec<u32>, token: u32, relative: Option<Relative>| {
        tail.push(token);
        if version.has_lengths() {
            tail.extend(relative.map(Relative::token));
        }
    };
    let has_destination = info.slots.first().is_some_and(|slot| slot.is_destination());
    let (before, after) = instruction.operands.split_at(usize::from(has_destination).min(instruction.operands.len()));
    for operand in before {
        push_operand(&mut tail, operand.token(), operand.relative());
    }
    if let Some(predicate) = instruction.predicate {
        bits |= PREDICATED;
        push_operand(&mut tail, predicate.token(), predicate.relative);
    }
    for operand in after {
        push_operand(&mut tail, operand.token(), operand.relative());
    }
    push(words, version, instruction.op, bits, &tail);
}
