//! Decodes words into a [`Program`]: the program header, items, instructions and custom data.
//!
//! Decoding follows the stated lengths and never leaves them: an instruction's operands must end where the instruction
//! does, or one word before (fxc leaves an unused word after some texture instructions). It stops at the first error.
//! The rules of programs are not checked here.
//!
//! | file | what |
//! |---|---|
//! | `operand.rs` | operands |
//! | `declaration.rs` | the layout of each declaration |
//! | `error.rs` | errors |

mod declaration;
mod error;
mod operand;

pub use error::DecodeError;

use crate::limits::Limits;
use crate::reader::Reader;
use crate::sm5::codes::{ResinfoReturn, ResourceDimension};
use crate::sm5::custom::{CustomContent, CustomData, Message, MessageKind};
use crate::sm5::instruction::{Instruction, ResourceHint, SyncFlags, Test};
use crate::sm5::ops::{Carries, Form, Op, Slot};
use crate::sm5::{Item, ItemKind, Model, Program, Stage};
use declaration::declaration;
use operand::{operand, return_types};

/// Vectors in an immediate constant buffer.
const IMMEDIATE_VECTORS: usize = 4096;

/// Decodes the data of a SHDR or SHEX chunk, which are at byte `at` of the file.
///
/// Words after the program's stated length are ignored.
pub fn decode(data: &[u8], at: u32, limits: &Limits) -> Result<Program, DecodeError> {
    let mut reader = Reader::new(data, at);
    let version = reader.u32()?;
    let (major, minor) = (version >> 4 & 0xf, version & 0xf);
    let model = Model::from_numbers(major, minor).ok_or(DecodeError::UnknownModel { at, major, minor })?;
    let code = version >> 16;
    let stage = Stage::from_number(code).ok_or(DecodeError::UnknownStage { at, code })?;
    let length_at = reader.at();
    let words = reader.u32()?;
    let have = (data.len() / 4) as u32;
    if words < 2 || words > have {
        return Err(DecodeError::ProgramLength { at: length_at, words, have });
    }
    if words > limits.program_words {
        let limit = limits.program_words;
        return Err(DecodeError::Limit { at: length_at, what: "program words", count: words, limit });
    }

    let data = data.get(..words as usize * 4).unwrap_or_default();
    let mut decoder = Decoder { model, limits, reader: Reader::new(data, at).seek(8)? };
    let mut items = Vec::new();
    while decoder.reader.left() > 0 {
        items.push(decoder.item(at)?);
    }
    let words = data.as_chunks::<4>().0.iter().map(|bytes| u32::from_le_bytes(*bytes)).collect();
    Ok(Program { model, stage, at, words, items })
}

struct Decoder<'a, 'l> {
    model: Model,
    limits: &'l Limits,
    reader: Reader<'a>,
}

impl<'a> Decoder<'a, '_> {
    fn item(&mut self, program_at: u32) -> Result<Item, DecodeError> {
        let at = self.reader.at();
        let token = self.reader.clone().u32()?;
        let code = (token & 0x7ff) as u16;
        let op = Op::from_code(code).ok_or(DecodeError::UnknownOpcode { at, code, model: self.model })?;
        let mut reader = self.item_words(op, token)?;
        let word_count = (reader.left() / 4) as u32;
        let kind = match op.info().form {
            Form::Instruction => ItemKind::Instruction(self.instruction(op, &mut reader)?),
            Form::Declaration => {
                let declaration = declaration(op, self.model, self.limits, &mut reader)?;
                nothing_left(at, op, &reader)?;
                ItemKind::Declaration(Box::new(declaration))
            }
            Form::CustomData => ItemKind::CustomData(Box::new(self.custom_data(token, &mut reader)?)),
        };
        Ok(Item { at, first_word: (at - program_at) / 4, word_count, kind })
    }

    /// The words of the item that begins here, with the opcode token.
    fn item_words(&mut self, op: Op, token: u32) -> Result<Reader<'a>, DecodeError> {
        let at = self.reader.at();
        let have = (self.reader.left() / 4) as u32;
        let (words, least) = if has_length_word(op, token) {
            let mut ahead = self.reader;
            ahead.u32()?;
            (ahead.u32()?, 2)
        } else {
            (token >> 24 & 0x7f, 1)
        };
        if words < least || words > have {
            return Err(DecodeError::InstructionLength { at, op, words, have });
        }
        Ok(Reader::new(self.reader.take(words as usize * 4)?, at))
    }

    fn instruction(&self, op: Op, reader: &mut Reader<'a>) -> Result<Instruction, DecodeError> {
        let info = op.info();
        let at = reader.at();
        let token = reader.u32()?;
        let mut instruction = Instruction::new(at, op);
        instruction.saturate = info.carries.has(Carries::SAT) && token >> 13 & 1 != 0;
        instruction.precise = (token >> 19 & 0xf) as u8;
        if info.carries.has(Carries::TEST) && token >> 18 & 1 == 0 {
            instruction.test = Test::Zero;
        }
        if info.carries.has(Carries::SYNC) {
            instruction.sync = SyncFlags {
                threads: token >> 11 & 1 != 0,
                shared_memory: token >> 12 & 1 != 0,
                uav_group: token >> 13 & 1 != 0,
                uav_global: token >> 14 & 1 != 0,
            };
        }
        if info.carries.has(Carries::RESINFO) {
            let code = token >> 11 & 3;
            let what = "return type of resinfo";
            instruction.resinfo = ResinfoReturn::from_code(code).ok_or(DecodeError::UnknownCode { at, what, code })?;
        }
        if info.carries.has(Carries::SAMPLEINFO) && token >> 11 & 1 != 0 {
            instruction.resinfo = ResinfoReturn::Uint;
        }
        if has_length_word(op, token) {
            reader.u32()?;
        } else {
            extended_opcode_tokens(token, reader, &mut instruction)?;
        }
        for slot in info.slots {
            if *slot == Slot::Interface {
                instruction.call_site = reader.u32()?;
            }
            instruction.operands.push(operand(reader, self.limits)?);
        }
        if reader.left() == 4 {
            instruction.trailing = Some(reader.u32()?);
        }
        nothing_left(at, op, reader)?;
        Ok(instruction)
    }

    fn custom_data(&self, token: u32, reader: &mut Reader<'a>) -> Result<CustomData, DecodeError> {
        let at = reader.at();
        reader.take(8)?;
        let content = match token >> 11 {
            0 => CustomContent::Comment,
            1 => CustomContent::DebugInfo,
            2 => CustomContent::Opaque,
            3 => {
                let words = (reader.left() / 4) as u32;
                let (vectors, rest) = reader.take(reader.left())?.as_chunks::<16>();
                if !rest.is_empty() || vectors.len() > IMMEDIATE_VECTORS {
                    return Err(DecodeError::ImmediateConstants { at, words });
                }
                CustomContent::ImmediateConstantBuffer(vectors.iter().map(vector).collect())
            }
            4 => CustomContent::Message(self.message(reader)?),
            5 => CustomContent::ClipPlanes,
            class => CustomContent::Unknown { class },
        };
        Ok(CustomData { at, content })
    }

    fn message(&self, reader: &mut Reader<'a>) -> Result<Message, DecodeError> {
        let at = reader.at();
        let kind = match reader.u32()? {
            MessageKind::MESSAGE_CODE => MessageKind::Message,
            MessageKind::ERROR_CODE => MessageKind::Error,
            code => return Err(DecodeError::UnknownCode { at, what: "message number", code }),
        };
        let is_format = reader.u32()? != 0;
        let characters = reader.u32()?;
        let count = reader.u32()?;
        let operand_words = reader.u32()?;
        let operand_bytes = reader.take((operand_words as usize).saturating_mul(4))?;
        let mut operand_reader = Reader::new(operand_bytes, at + 20);
        let mut operands = Vec::new();
        for _ in 0..count {
            operands.push(operand(&mut operand_reader, self.limits)?);
        }
        let text = String::from_utf8_lossy(reader.take(characters as usize)?).into_owned();
        Ok(Message { kind, is_format, text, operands })
    }
}

/// `true` if an item's length is in the word after its opcode token.
fn has_length_word(op: Op, token: u32) -> bool {
    let can_be_long = matches!(op, Op::DclFunctionBody | Op::DclFunctionTable | Op::DclInterface | Op::FCall);
    op == Op::CustomData || (can_be_long && token >> 31 != 0)
}

/// Checks that all words of an item were read.
fn nothing_left(at: u32, op: Op, reader: &Reader<'_>) -> Result<(), DecodeError> {
    match reader.left() / 4 {
        0 => Ok(()),
        words => Err(DecodeError::TrailingWords { at, op, words: words as u32 }),
    }
}

fn vector(bytes: &[u8; 16]) -> [u32; 4] {
    let mut vector = [0; 4];
    for (word, bytes) in vector.iter_mut().zip(bytes.as_chunks::<4>().0) {
        *word = u32::from_le_bytes(*bytes);
    }
    vector
}

/// Reads the tokens that follow an opcode token while bit 31 is set. Unknown ones are skipped.
fn extended_opcode_tokens(
    token: u32,
    reader: &mut Reader<'_>,
    instruction: &mut Instruction,
) -> Result<(), DecodeError> {
    let mut last = token;
    while last >> 31 != 0 {
        let at = reader.at();
        last = reader.u32()?;
        match last & 0x3f {
            1 => {
                // Four bits each, in two's complement.
                let offset = |shift: u32| ((last >> shift & 0xf) as i8) << 4 >> 4;
                instruction.offsets = Some([offset(9), offset(13), offset(17)]);
            }
            2 => {
                let code = last >> 6 & 0x1f;
                let dimension = ResourceDimension::from_code(code);
                let unknown = DecodeError::UnknownCode { at, what: "resource dimension", code };
                let stride_bytes = (last >> 11 & 0xfff) as u16;
                instruction.resource = Some(ResourceHint { dimension: dimension.ok_or(unknown)?, stride_bytes });
            }
            3 => instruction.returns = Some(return_types(at, last >> 6)?),
            _ => {}
        }
    }
    Ok(())
}
