//! Decodes words into a [`Program`].
//!
//! Every bit of every token is kept in the program or must have a fixed value, so that encoding gives the same words.
//! Decoding stops at the first error. The rules of programs are not checked here.

use super::instruction::{Comment, Comparison, Declaration, Definition, Instruction, Value};
use super::operand::{Destination, Modifier, Operand, RELATIVE, Relative, Source, Swizzle};
use super::ops::{Class, Op};
use super::register::Register;
use super::version::Version;
use super::{Item, ItemKind, Program};
use crate::faults::errors;
use crate::limits::Limits;
use crate::reader::Reader;
use crate::sm5::Stage;

errors! {
    /// Error in words that are not a program.
    DecodeError:

    /// Fewer bytes than a token sequence needs, or no end token.
    #[error("token at byte {at}: needs {need} more bytes, {have} are left")]
    Truncated { need: u32, have: u32 },
    /// The first word is not a version token.
    #[error("version token at byte {at}: {token:#010x} is not one of vs_1_0 to vs_3_sw and ps_1_1 to ps_3_sw")]
    UnknownVersion { token: u32 },
    /// An opcode that no version has.
    #[error("token at byte {at}: opcode {code} does not exist")]
    UnknownOpcode { code: u16 },
    /// An opcode that the program's version does not have, or not with these control bits.
    #[error("token at byte {at}: opcode {code} with control bits {control} does not exist in {version}")]
    NotInVersion { code: u16, control: u8, version: Version },
    /// An instruction's length does not match its operands.
    #[error("{op} at byte {at}: a length of {found} words, its operands have {expected}")]
    InstructionLength { op: Op, found: u32, expected: u32 },
    /// Bits that must be zero, or bit 31 that must be one.
    #[error("token at byte {at}: {token:#010x} has wrong reserved bits {bits:#010x}")]
    ReservedBits { token: u32, bits: u32 },
    /// An unknown number in a field.
    #[error("token at byte {at}: unknown {what} {code}")]
    UnknownCode { what: &'static str, code: u32 },
    /// A count is over its limit.
    #[error("{what} at byte {at}: {count} are over the limit of {limit}")]
    Limit { what: &'static str, count: u32, limit: u32 },
}

/// The token after the last instruction.
pub(super) const END: u32 = 0xffff;
/// The opcode of a comment.
pub(super) const COMMENT: u32 = 0xfffe;
/// Bit 28 of an instruction token: a predicate's token follows the destination.
pub(super) const PREDICATED: u32 = 1 << 28;
/// Bit 30 of an instruction token: it is co-issued with the instruction before it.
pub(super) const COISSUE: u32 = 1 << 30;

/// Decodes a program whose version token is at byte `at` of the file.
///
/// Words after the end token are ignored.
pub fn decode(data: &[u8], at: u32, limits: &Limits) -> Result<Program, DecodeError> {
    let words = u32::try_from(data.len() / 4).unwrap_or(u32::MAX);
    if words > limits.program_words {
        return Err(DecodeError::Limit { at, what: "program words", count: words, limit: limits.program_words });
    }
    let mut reader = Reader::new(data, at);
    let token = reader.u32()?;
    let version = Version::from_code(token).ok_or(DecodeError::UnknownVersion { at, token })?;
    let mut decoder = Decoder { version, reader };
    let mut items = Vec::new();
    while let Some(item) = decoder.item()? {
        items.push(item);
    }
    Ok(Program { version, at, items })
}

struct Decoder<'a> {
    version: Version,
    reader: Reader<'a>,
}

impl Decoder<'_> {
    /// The next item; `None` at the end token.
    fn item(&mut self) -> Result<Option<Item>, DecodeError> {
        let at = self.reader.at();
        let token = self.reader.u32()?;
        if token == END {
            return Ok(None);
        }
        if token & 0xffff == COMMENT {
            return Ok(Some(Item { at, kind: ItemKind::Comment(self.comment(at, token)?) }));
        }
        let op = self.op(at, token)?;
        let kind = match op {
            Op::Dcl => {
                let usage_at = self.reader.at();
                let usage_token = self.reader.u32()?;
                check_bits(usage_at, usage_token, 1 << 31, 1 << 31)?;
                ItemKind::Declaration(Declaration { usage_token, register: self.plain_destination()? })
            }
            Op::Def => {
                let register = self.plain_destination()?;
                let words = [self.reader.u32()?, self.reader.u32()?, self.reader.u32()?, self.reader.u32()?];
                ItemKind::Definition(Definition { register, value: Value::Float(words) })
            }
            Op::DefI => {
                let register = self.plain_destination()?;
                let words = [self.reader.u32()?, self.reader.u32()?, self.reader.u32()?, self.reader.u32()?];
                ItemKind::Definition(Definition { register, value: Value::Int(words.map(|word| word as i32)) })
            }
            Op::DefB => {
                let register = self.plain_destination()?;
                ItemKind::Definition(Definition { register, value: Value::Bool(self.reader.u32()?) })
            }
            _ => ItemKind::Instruction(self.instruction(op, at, token)?),
        };
        self.check_length(op, at, token)?;
        Ok(Some(Item { at, kind }))
    }

    fn comment(&mut self, at: u32, token: u32) -> Result<Comment, DecodeError> {
        check_bits(at, token, 1 << 31, 0)?;
        let bytes = self.reader.take((token >> 16) as usize * 4)?;
        Ok(Comment { words: bytes.as_chunks::<4>().0.iter().map(|bytes| u32::from_le_bytes(*bytes)).collect() })
    }

    /// The instruction of a token, whose other bits are checked.
    fn op(&self, at: u32, token: u32) -> Result<Op, DecodeError> {
        let (code, control) = (token as u16, (token >> 16) as u8);
        if !Op::is_code(code) {
            return Err(DecodeError::UnknownOpcode { at, code });
        }
        let not_in_version = DecodeError::NotInVersion { at, code, control, version: self.version };
        let op = Op::find(code, control, self.version).ok_or(not_in_version)?;
        let mut reserved = 1 << 31 | 1 << 29;
        if op.info().class == Class::Setup {
            reserved |= PREDICATED | COISSUE;
        }
        if self.version.has_lengths() {
            reserved |= COISSUE;
        } else {
            reserved |= 0xf << 24 | PREDICATED;
        }
        check_bits(at, token, reserved, 0)?;
        Ok(op)
    }

    fn instruction(&mut self, op: Op, at: u32, token: u32) -> Result<Instruction, DecodeError> {
        let slots = op.info().slots;
        let mut comparison = None;
        if op.has_comparison() {
            let code = token >> 16 & 0xff;
            comparison = Comparison::from_code(code);
            if comparison.is_none() {
                return Err(DecodeError::UnknownCode { at, what: "comparison", code });
            }
        }
        let mut predicate = None;
        let mut operands = Vec::with_capacity(slots.len());
        let has_destination = slots.first().is_some_and(|slot| slot.is_destination());
        if has_destination {
            operands.push(Operand::Destination(self.destination()?));
        }
        if token & PREDICATED != 0 {
            predicate = Some(self.source()?);
        }
        for _ in operands.len()..slots.len() {
            operands.push(Operand::Source(self.source()?));
        }
        Ok(Instruction { op, comparison, coissue: token & COISSUE != 0, predicate, operands })
    }

    /// Checks that the item which began at `at` has the length that its token states.
    fn check_length(&self, op: Op, at: u32, token: u32) -> Result<(), DecodeError> {
        let expected = (self.reader.at() - at) / 4 - 1;
        let found = token >> 24 & 0xf;
        if self.version.has_lengths() && found != expected {
            return Err(DecodeError::InstructionLength { at, op, found, expected });
        }
        Ok(())
    }

    /// A destination without a relative address: that of a declaration or definition.
    fn plain_destination(&mut self) -> Result<Destination, DecodeError> {
        let at = self.reader.at();
        let token = self.reader.clone().u32()?;
        check_bits(at, token, RELATIVE, 0)?;
        self.destination()
    }

    fn destination(&mut self) -> Result<Destination, DecodeError> {
        let at = self.reader.at();
        let token = self.reader.u32()?;
        let register = self.register(at, token)?;
        check_bits(at, token, 1 << 23, 0)?;
        // Four bits in two's complement.
        let shift = ((token >> 24 & 0xf) as i8) << 4 >> 4;
        if !(-3..=3).contains(&shift) {
            return Err(DecodeError::UnknownCode { at, what: "shift", code: token >> 24 & 0xf });
        }
        Ok(Destination {
            register,
            relative: self.relative(token)?,
            mask: (token >> 16 & 0xf) as u8,
            saturate: token >> 20 & 1 != 0,
            partial_precision: token >> 21 & 1 != 0,
            centroid: token >> 22 & 1 != 0,
            shift,
        })
    }

    fn source(&mut self) -> Result<Source, DecodeError> {
        let at = self.reader.at();
        let token = self.reader.u32()?;
        let register = self.register(at, token)?;
        let code = token >> 24 & 0xf;
        let modifier =
            Modifier::from_code(code).ok_or(DecodeError::UnknownCode { at, what: "source modifier", code })?;
        Ok(Source { register, relative: self.relative(token)?, swizzle: Swizzle((token >> 16) as u8), modifier })
    }

    fn register(&self, at: u32, token: u32) -> Result<Register, DecodeError> {
        let mut reserved = 1 << 31 | 3 << 14;
        if self.version.stage() == Stage::Pixel && self.version.major() < 3 {
            reserved |= RELATIVE;
        }
        check_bits(at, token, reserved, 1 << 31)?;
        let unknown = |code| DecodeError::UnknownCode { at, what: "register file", code };
        Register::from_token(token, self.version).map_err(unknown)
    }

    /// The relative address of an operand, for which shader model 1 has no token.
    fn relative(&mut self, token: u32) -> Result<Option<Relative>, DecodeError> {
        if token & RELATIVE == 0 {
            return Ok(None);
        }
        if !self.version.has_lengths() {
            return Ok(Some(Relative::A0_X));
        }
        let at = self.reader.at();
        let token = self.reader.u32()?;
        let register = self.register(at, token)?;
        check_bits(at, token, RELATIVE | 0xf << 24, 0)?;
        Ok(Some(Relative { register, swizzle: Swizzle((token >> 16) as u8) }))
    }
}

/// Checks that the bits of `mask` are those of `expected`.
fn check_bits(at: u32, token: u32, mask: u32, expected: u32) -> Result<(), DecodeError> {
    let bits = (token ^ expected) & mask;
    if bits != 0 {
        return Err(DecodeError::ReservedBits { at, token, bits });
    }
    Ok(())
}
