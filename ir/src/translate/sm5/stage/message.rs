//! Translates messages: `printf`, `errorf` and `abort`, each with its sender.

use brolga_bytecode::sm5::valid::ValidProgram;
use brolga_bytecode::sm5::{self, Components, Op as Opcode};

use super::super::{Result, Translator};
use crate::entity::{MessageId, Value};
use crate::function::Input;
use crate::message::{MOST_MESSAGE_WORDS, Message, MessageKind, SENDER_WORDS};
use crate::ops::Op;
use crate::pipeline::record::{BatchInvocation, BatchPatch, word};
use crate::stage::Stage;
use crate::translate::error::TranslateError;
use crate::translate::vector::lanes;
use crate::translate::words::Start;

/// `true` if a program may send a message.
pub(super) fn is_sent(program: &ValidProgram) -> bool {
    let aborts = |position| program.instruction(position).is_some_and(|instruction| instruction.op == Opcode::Abort);
    !program.declarations().messages.is_empty() || (0..program.items().len()).any(aborts)
}

impl Translator<'_, '_> {
    /// `printf` or `errorf`
    pub(in super::super) fn message(&mut self, message: &sm5::Message) -> Result {
        let mut values = self.sender()?;
        for operand in &message.operands {
            // A vector has all its components.
            let components = match operand.components {
                Components::Swizzle(_) => 0b1111,
                _ => 1,
            };
            let words = self.bits(operand, components)?;
            values.extend(lanes(components).map(|lane| self.signed(operand, words.at(lane))));
        }
        if values.len() > SENDER_WORDS + MOST_MESSAGE_WORDS {
            let what = format!("a message may have {MOST_MESSAGE_WORDS} operands");
            return Err(TranslateError::Declaration { name: self.name, what });
        }
        let kind = match message.kind {
            sm5::MessageKind::Message => MessageKind::Info,
            sm5::MessageKind::Error => MessageKind::Error,
        };
        let message = Message { kind, is_format: message.is_format, text: message.text.clone() };
        self.send(message, &values);
        Ok(())
    }

    /// A word with the modifiers of its operand, which are for floats.
    fn signed(&mut self, operand: &sm5::Operand, word: Value) -> Value {
        if !operand.absolute && !operand.negate {
            return word;
        }
        let value = self.b.op(Op::AsF32, &[word]);
        let value = self.sign_modified(operand, value);
        self.b.op(Op::BitsF32, &[value])
    }

    /// `abort`
    pub(in super::super) fn abort(&mut self) -> Result {
        let sender = self.sender()?;
        self.send(Message { kind: MessageKind::Abort, is_format: false, text: String::new() }, &sender);
        // Helpers of pixels have no effects, and end here.
        self.b.return_();
        Ok(())
    }

    fn send(&mut self, message: Message, values: &[Value]) {
        let declared = &mut self.b.func.interface.messages;
        let next = MessageId::new(declared.len());
        let id = *self.messages.entry(message).or_insert_with_key(|message| {
            declared.push(message.clone());
            next
        });
        let effect = self.effect();
        self.b.message(id, values, effect);
    }

    /// The words of the [sender](crate::message::Sender).
    fn sender(&mut self) -> Result<Vec<Value>> {
        let zero = self.b.i32(0);
        let mut words = match self.b.func.interface.stage {
            Stage::Compute { .. } => {
                let inputs = [Input::GroupId(2), Input::GroupId(1), Input::GroupId(0), Input::ThreadIndex];
                inputs.map(|input| self.b.input(input)).to_vec()
            }
            Stage::Hull(_) => {
                vec![self.word_of_primitive(word!(BatchInvocation.primitive_id)), self.instance_of_phase()]
            }
            Stage::Geometry(_) => {
                let words = [word!(BatchInvocation.primitive_id), word!(BatchInvocation.instance)];
                words.map(|word| self.word_of_primitive(word)).to_vec()
            }
            Stage::Domain(_) => {
                let patch = self.word_of_patch(word!(BatchPatch.primitive_id));
                [patch].into_iter().chain([0, 1, 2].map(|word| self.word_of_point(word))).collect()
            }
            Stage::Vertex(_) => self.rows_of_sender(1)?,
            Stage::Pixel(_) => {
                let place = self.rows_of_sender(2)?;
                let [x, y] = [0, 1].map(|n| {
                    let number = self.b.op(Op::AsF32, &[place[n]]);
                    self.b.op(Op::FToU, &[number])
                });
                vec![y, x]
            }
        };
        words.resize(SENDER_WORDS, zero);
        Ok(words)
    }

    /// The first components of the rows that say which vertex or pixel it is.
    fn rows_of_sender(&mut self, components: usize) -> Result<Vec<Value>> {
        let mut words = Vec::new();
        for row in self.stage.sender.into_iter().flatten() {
            let vector = self.input_row(Start::Known(row), (1 << components) - 1)?;
            words.extend((0..components).map(|lane| vector.at(lane)));
        }
        Ok(words)
    }
}
