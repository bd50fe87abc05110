//! Formats literals as fxc prints them, and parses such texts into bits.
//!
//! Decimal text has six decimals, so it does not always determine a literal's bits. For exact bits, ask for
//! [`Literals::Exact`]: a word is then written in hexadecimal wherever its decimal text would give other bits.

use super::ops::{Op, Slot, Type};
use std::fmt::{self, Write};

/// Style of literals.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Literals {
    /// As in fxc's listing.
    #[default]
    Listing,
    /// In hexadecimal where the listing's text would lose bits.
    Exact,
}

/// Type that the words of an immediate are printed as, the same for all operands of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Number {
    /// 32-bit floats.
    Float,
    /// 32-bit integers.
    Integer,
    /// Words of unknown type: each is printed as the type that it looks like.
    Guess,
}

impl Number {
    /// Type as which fxc prints an instruction's immediates.
    pub fn of(op: Op) -> Self {
        match op {
            // These read floats or doubles, and fxc prints integers.
            Op::Lod
            | Op::DerivRtxCoarse
            | Op::DerivRtxFine
            | Op::DerivRtyCoarse
            | Op::DerivRtyFine
            | Op::Gather4Po
            | Op::Gather4PoC
            | Op::Gather4PoS
            | Op::Gather4PoCS
            | Op::Rcp
            | Op::DFma
            | Op::DRcp
            | Op::DtoI
            | Op::DtoU => return Self::Integer,
            _ => {}
        }
        let reads = |wanted: &[Type]| {
            let is_wanted = |slot: &Slot| matches!(slot, Slot::Read { ty, .. } if wanted.contains(ty));
            op.info().slots.iter().any(is_wanted)
        };
        if reads(&[Type::Float, Type::Double]) {
            Self::Float
        } else if reads(&[Type::Any]) {
            Self::Guess
        } else {
            Self::Integer
        }
    }

    /// Separator of two words.
    pub fn separator(self) -> &'static str {
        match self {
            Self::Float | Self::Integer => ", ",
            Self::Guess => ",",
        }
    }
}

/// Writes one word of a 32-bit literal.
pub(crate) fn write_word(out: &mut impl Write, word: u32, number: Number, literals: Literals) -> fmt::Result {
    // Normal floats and -0. Small integers have the exponent of a denormal, negative ones that of a NaN.
    let looks_like_float = (1..=254).contains(&(word >> 23 & 0xff)) || word == 0x8000_0000;
    let is_float = match number {
        Number::Float => true,
        Number::Integer => false,
        Number::Guess => looks_like_float,
    };
    if is_float {
        let mut text = String::new();
        write_float(&mut text, f64::from(f32::from_bits(word)), word == 0xffc0_0000)?;
        let is_lost = literals == Literals::Exact && word_of(&text) != Some(word);
        return if is_lost { write!(out, "{word:#010x}") } else { out.write_str(&text) };
    }
    if (word as i32).unsigned_abs() <= 10_000 { write!(out, "{}", word as i32) } else { write!(out, "{word:#010x}") }
}

/// Writes a 64-bit literal; where text would lose bits, as its low and its high word.
pub(crate) fn write_double(out: &mut impl Write, bits: u64, literals: Literals) -> fmt::Result {
    let mut text = String::new();
    write_float(&mut text, f64::from_bits(bits), bits == 0xfff8_0000_0000_0000)?;
    if literals == Literals::Exact && double_of(&text) != Some(bits) {
        return write!(out, "{:#010x}, {:#010x}", bits as u32, bits >> 32);
    }
    write!(out, "{text}l")
}

/// Writes six decimals, and infinities and NaN as fxc's C runtime does.
fn write_float(out: &mut impl Write, value: f64, is_indefinite: bool) -> fmt::Result {
    let sign = if value.is_sign_negative() { "-" } else { "" };
    match value.classify() {
        std::num::FpCategory::Nan if is_indefinite => write!(out, "{sign}1.#IND00"),
        std::num::FpCategory::Nan => write!(out, "{sign}1.#QNAN0"),
        std::num::FpCategory::Infinite => write!(out, "{sign}1.#INF00"),
        _ => write!(out, "{value:.6}"),
    }
}

/// Parses hexadecimal digits alone, without the sign that `from_str_radix` would accept.
pub(crate) fn hexadecimal(digits: &str) -> Option<u32> {
    let is_plain = digits.bytes().all(|digit| digit.is_ascii_hexdigit());
    u32::from_str_radix(digits, 16).ok().filter(|_| is_plain)
}

/// The bits of one word of a 32-bit literal: `0x3f800000`, `1.000000`, `-5`, `-1.#INF00`.
pub(crate) fn word_of(text: &str) -> Option<u32> {
    if let Some(digits) = text.strip_prefix("0x") {
        return hexadecimal(digits);
    }
    if !text.contains(['.', 'e', 'E', '#']) {
        let number: i64 = text.parse().ok()?;
        return i32::try_from(number).map(|number| number as u32).or_else(|_| u32::try_from(number)).ok();
    }
    let negative = |bits: u32| if text.starts_with('-') { bits | 1 << 31 } else { bits };
    match text.trim_start_matches('-') {
        "1.#INF00" => Some(negative(f32::INFINITY.to_bits())),
        "1.#QNAN0" | "1.#IND00" => Some(negative(0x7fc0_0000)),
        _ => text.parse().ok().filter(|value: &f32| value.is_finite()).map(f32::to_bits),
    }
}

/// The bits of a 64-bit literal without its `l`.
pub(crate) fn double_of(text: &str) -> Option<u64> {
    let negative = |bits: u64| if text.starts_with('-') { bits | 1 << 63 } else { bits };
    match text.trim_start_matches('-') {
        "1.#INF00" => Some(negative(f64::INFINITY.to_bits())),
        "1.#QNAN0" | "1.#IND00" => Some(negative(0x7ff8_0000_0000_0000)),
        _ => text.parse().ok().filter(|value: &f64| value.is_finite()).map(f64::to_bits),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(word: u32, number: Number, literals: Literals) -> String {
        let mut text = String::new();
        write_word(&mut text, word, number, literals).unwrap();
        text
    }

    /// The real disassembler's texts of these words in `deriv_rty`, `mov` and `ineg`.
    #[test]
    fn words_are_printed_as_the_disassembler_does() {
        for (word, float, guess, integer) in [
            (0x7f80_0000, "1.#INF00", "0x7f800000", "0x7f800000"),
            (0xffc0_0000, "-1.#IND00", "0xffc00000", "0xffc00000"),
            (0x7f80_0001, "1.#QNAN0", "0x7f800001", "0x7f800001"),
            (0xffff_ffff, "-1.#QNAN0", "-1", "-1"),
            (0x3c00_0000, "0.007812", "0.007812", "0x3c000000"),
            (0xbc00_0000, "-0.007812", "-0.007812", "0xbc000000"),
            (0x8000_0000, "-0.000000", "-0.000000", "0x80000000"),
            (0x0000_0001, "0.000000", "1", "1"),
            (0x0080_0000, "0.000000", "0.000000", "0x00800000"),
            (0x0000_2710, "0.000000", "10000", "10000"),
            (0x0000_2711, "0.000000", "0x00002711", "0x00002711"),
            (0xffff_d8f0, "-1.#QNAN0", "-10000", "-10000"),
            (0xffff_d8ef, "-1.#QNAN0", "0xffffd8ef", "0xffffd8ef"),
            (0x00ab_cdef, "0.000000", "0.000000", "0x00abcdef"),
            (0x3b40_0000, "0.002930", "0.002930", "0x3b400000"),
            (0x4b80_0001, "16777218.000000", "16777218.000000", "0x4b800001"),
        ] {
            assert_eq!(text(word, Number::Float, Literals::Listing), float, "{word:#x}");
            assert_eq!(text(word, Number::Guess, Literals::Listing), guess, "{word:#x}");
            assert_eq!(text(word, Number::Integer, Literals::Listing), integer, "{word:#x}");
        }
    }

    #[test]
    fn exact_text_gives_the_same_bits() {
        let patterns = (0..32).flat_map(|shift| [1_u32 << shift, !(1 << shift), 0x5555_5555 >> shift]);
        for word in patterns.chain([0x3dcc_cccd, 0x3f80_0000, 0x8000_0000, 0x7fc0_0000, 0xffc0_0000]) {
            for number in [Number::Float, Number::Integer, Number::Guess] {
                assert_eq!(word_of(&text(word, number, Literals::Exact)), Some(word), "{word:#x}");
            }
        }
    }
}
