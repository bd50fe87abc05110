//! Translates doubles: two words of a register, low word first, `.xy` and `.zw`.
//!
//! Where source and destination are both doubles, each pair of the destination reads the same pair of the swizzled
//! sources. Where the destination holds words, its n-th written component takes the n-th source double. Where the
//! source holds words, its first two swizzled components serve `.xy` and `.zw`.

use brolga_bytecode::sm5::{Instruction, Operand};
use smallvec::SmallVec;

use super::super::vector::{Vector, lanes};
use super::operand::SourceType;
use super::{Result, Translator};
use crate::builder::Builder;
use crate::entity::Value;
use crate::ops::Op;
use crate::types::Const;

/// Values by pair.
#[derive(Clone, Copy, Default)]
struct Pairs([Option<Value>; 2]);

impl Pairs {
    fn at(&self, pair: usize) -> Value {
        self.0[pair].expect("only pairs that were read are used")
    }
}

/// The pairs of a mask, in order.
fn pairs(mask: u8) -> impl Iterator<Item = usize> {
    (0..2).filter(move |pair| mask >> (2 * pair) & 3 != 0)
}

/// All lanes of the pairs that a mask overlaps.
fn whole_pairs(mask: u8) -> u8 {
    pairs(mask).fold(0, |lanes, pair| lanes | 3 << (2 * pair))
}

/// The reciprocal, correctly rounded.
pub(super) fn rcp(b: &mut Builder<'_>, s: &[Value]) -> Value {
    let one = b.constant(Const::f64(1.0));
    b.op(Op::DDiv, &[one, s[0]])
}

impl Translator<'_, '_> {
    /// The operand's doubles as `i64`, modifiers ignored.
    fn pair_bits(&mut self, operand: &Operand, mask: u8) -> Result<Pairs> {
        let words = self.bits(operand, whole_pairs(mask))?;
        let mut result = Pairs::default();
        for pair in pairs(mask) {
            result.0[pair] = Some(self.convert(Op::Pack64, &[words.at(2 * pair), words.at(2 * pair + 1)]));
        }
        Ok(result)
    }

    /// The operand's doubles, modifiers applied.
    fn doubles(&mut self, operand: &Operand, mask: u8) -> Result<Pairs> {
        let mut result = self.pair_bits(operand, mask)?;
        for pair in pairs(mask) {
            result.0[pair] = Some(self.as_double(operand, result.at(pair)));
        }
        Ok(result)
    }

    fn as_double(&mut self, operand: &Operand, bits: Value) -> Value {
        let mut value = self.convert(Op::AsF64, &[bits]);
        if operand.absolute {
            value = self.b.op(Op::DAbs, &[value]);
        }
        if operand.negate {
            value = self.b.op(Op::DNeg, &[value]);
        }
        value
    }

    /// The bits of an instruction's double result.
    fn double_bits(&mut self, instruction: &Instruction, value: Value) -> Value {
        let value = if instruction.saturate { self.b.op(Op::DSat, &[value]) } else { value };
        self.b.op(Op::BitsF64, &[value])
    }

    /// Puts a double's bits into the words of a pair.
    fn set_pair(&mut self, words: &mut Vector, pair: usize, bits: Value) {
        words.set(2 * pair, self.b.op(Op::Low64, &[bits]));
        words.set(2 * pair + 1, self.b.op(Op::High64, &[bits]));
    }

    fn precise_pair(&mut self, instruction: &Instruction, pair: usize) {
        self.b.set_precise(instruction.precise >> (2 * pair) & 3 != 0);
    }

    /// Doubles from doubles.
    pub(super) fn each_double(
        &mut self,
        instruction: &Instruction,
        compute: impl Fn(&mut Builder<'_>, &[Value]) -> Value,
    ) -> Result {
        let Some((destination, sources)) = instruction.operands.split_first() else {
            return Err(self.bad_operand("count"));
        };
        let mask = destination.mask();
        let sources: SmallVec<[Pairs; 3]> =
            sources.iter().map(|source| self.doubles(source, mask)).collect::<Result<_>>()?;
        let mut words = Vector::default();
        for pair in pairs(mask) {
            self.precise_pair(instruction, pair);
            let args: SmallVec<[Value; 3]> = sources.iter().map(|source| source.at(pair)).collect();
            let value = compute(&mut self.b, &args);
            let bits = self.double_bits(instruction, value);
            self.set_pair(&mut words, pair, bits);
        }
        self.b.set_precise(false);
        self.write(destination, &words)
    }

    /// Words from doubles: conversions and comparisons.
    pub(super) fn words_of_doubles(
        &mut self,
        instruction: &Instruction,
        compute: impl Fn(&mut Builder<'_>, &[Value]) -> Value,
    ) -> Result {
        let Some((destination, sources)) = instruction.operands.split_first() else {
            return Err(self.bad_operand("count"));
        };
        let mask = destination.mask();
        let all = if mask.count_ones() > 1 { 0b1111 } else { 0b0011 };
        let sources: SmallVec<[Pairs; 3]> =
            sources.iter().map(|source| self.doubles(source, all)).collect::<Result<_>>()?;
        let mut words = Vector::default();
        for (n, lane) in lanes(mask).enumerate() {
            self.precise_at(instruction, lane);
            // A mask has two components at most; a further one would repeat the second.
            let args: SmallVec<[Value; 3]> = sources.iter().map(|source| source.at(n.min(1))).collect();
            let value = compute(&mut self.b, &args);
            let word = self.word(instruction, value);
            words.set(lane, word);
        }
        self.b.set_precise(false);
        self.write(destination, &words)
    }

    /// Doubles from words: conversions.
    pub(super) fn doubles_of_words(
        &mut self,
        instruction: &Instruction,
        kind: SourceType,
        compute: impl Fn(&mut Builder<'_>, &[Value]) -> Value,
    ) -> Result {
        let [destination, source] = self.operands(instruction)?;
        let mask = destination.mask();
        let source = self.read(source, pairs(mask).fold(0, |lanes, pair| lanes | 1 << pair), kind)?;
        let mut words = Vector::default();
        for pair in pairs(mask) {
            self.precise_pair(instruction, pair);
            let value = compute(&mut self.b, &[source.at(pair)]);
            let bits = self.double_bits(instruction, value);
            self.set_pair(&mut words, pair, bits);
        }
        self.b.set_precise(false);
        self.write(destination, &words)
    }

    /// The result bits of a move of one source: unchanged, or the result of a double operation.
    fn moved_pairs(&mut self, instruction: &Instruction, source: &Operand, mask: u8) -> Result<Pairs> {
        let mut result = self.pair_bits(source, mask)?;
        if source.absolute || source.negate || instruction.saturate {
            for pair in pairs(mask) {
                self.precise_pair(instruction, pair);
                let value = self.as_double(source, result.at(pair));
                result.0[pair] = Some(self.double_bits(instruction, value));
            }
            self.b.set_precise(false);
        }
        Ok(result)
    }

    /// Moves doubles.
    pub(super) fn dmov(&mut self, instruction: &Instruction) -> Result {
        let [destination, source] = self.operands(instruction)?;
        let mask = destination.mask();
        let source = self.moved_pairs(instruction, source, mask)?;
        let mut words = Vector::default();
        for pair in pairs(mask) {
            self.set_pair(&mut words, pair, source.at(pair));
        }
        self.write(destination, &words)
    }

    /// Selects whole doubles. The first two swizzled components of the condition decide about `.xy` and `.zw`. A source
    /// without modifiers is moved unchanged, whatever the other one has.
    pub(super) fn dmovc(&mut self, instruction: &Instruction) -> Result {
        let [destination, condition, if_set, if_clear] = self.operands(instruction)?;
        let mask = destination.mask();
        let conditions = self.bits(condition, pairs(mask).fold(0, |lanes, pair| lanes | 1 << pair))?;
        let a = self.moved_pairs(instruction, if_set, mask)?;
        let b = self.moved_pairs(instruction, if_clear, mask)?;
        let mut words = Vector::default();
        for pair in pairs(mask) {
            self.precise_pair(instruction, pair);
            let is_set = self.is_set(conditions.at(pair));
            let chosen = self.b.select(is_set, a.at(pair), b.at(pair));
            self.set_pair(&mut words, pair, chosen);
        }
        self.b.set_precise(false);
        self.write(destination, &words)
    }
}
