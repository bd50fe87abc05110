//! Assembles literals, and warns of texts that do not determine their bits.

use super::cursor::{Cursor, Read};
use super::error::{Problem, shown};
use super::warning::{Warning, WarningKind, Warnings};
use crate::sm5::literal::{Number, double_of, hexadecimal, word_of};
use crate::sm5::ops::{Slot, Type};
use crate::sm5::{Components, Operand, RegisterFile};
use smallvec::SmallVec;

/// `l(1.000000, 2, 0x3f800000, -5)`: one word or four.
pub(super) fn literal(cursor: &mut Cursor<'_>) -> Read<Operand> {
    let mut operand = Operand::new(RegisterFile::Immediate32, Components::None);
    let start = cursor.at();
    cursor.expect("l(")?;
    operand.immediate = words(cursor, ")")?;
    operand.components = match operand.immediate.len() {
        1 => Components::One,
        4 => Components::Mask(0),
        _ => return Err(cursor.error(start, wrong_count("one or four words in a literal", operand.immediate.len()))),
    };
    Ok(operand)
}

fn wrong_count(expected: &'static str, count: usize) -> Problem {
    Problem::Expected { expected: expected.into(), found: count.to_string() }
}

/// Words between commas, up to and with `end`.
pub(super) fn words(cursor: &mut Cursor<'_>, end: &'static str) -> Read<SmallVec<[u32; 4]>> {
    let mut words = SmallVec::new();
    loop {
        cursor.spaces();
        let start = cursor.at();
        let text = cursor.until(&[',', ')', '}']);
        words.push(word_of(text).ok_or_else(|| cursor.no_number(start, "32-bit number"))?);
        cursor.spaces();
        if cursor.eat(end) {
            return Ok(words);
        }
        cursor.expect(",")?;
    }
}

/// `d(1.000000l, 0x00000000, 0x3ff00000)`: a double is a decimal number, or its low and its high word.
pub(super) fn double_literal(cursor: &mut Cursor<'_>) -> Read<Operand> {
    let mut operand = Operand::new(RegisterFile::Immediate64, Components::None);
    let start = cursor.at();
    cursor.expect("d(")?;
    loop {
        let number_start = cursor.at();
        let text = cursor.until(&[',', ')']);
        let problem = || cursor.no_number(number_start, "double");
        match text.strip_prefix("0x") {
            Some(digits) => operand.immediate.push(hexadecimal(digits).ok_or_else(problem)?),
            None => {
                let bits = double_of(text.strip_suffix('l').unwrap_or(text)).ok_or_else(problem)?;
                operand.immediate.extend([bits as u32, (bits >> 32) as u32]);
            }
        }
        cursor.spaces();
        if cursor.eat(")") {
            break;
        }
        cursor.expect(",")?;
    }
    operand.components = match operand.immediate.len() {
        2 => Components::One,
        4 => Components::Mask(0),
        words => return Err(cursor.error(start, wrong_count("one or two doubles in a literal", words.div_ceil(2)))),
    };
    Ok(operand)
}

/// Checks the numbers read since `start`, of an operand in this slot and of an instruction whose literals the listing
/// prints as `number`.
///
/// Where the listing guesses types it prints zero as `0`: `0.000000` is any small float, or an integer that looks like
/// one.
pub(super) fn check(
    cursor: &Cursor<'_>,
    start: usize,
    number: Number,
    slot: Option<&Slot>,
    warnings: &mut Warnings,
) -> Read<()> {
    let ty = match slot {
        Some(Slot::Read { ty, .. }) => Some(*ty),
        _ => None,
    };
    let mut at = start;
    for part in cursor.since(start).split_inclusive(['(', ',', ')', '{', '}']) {
        let text = part.trim_end_matches(['(', ',', ')', '{', '}']).trim();
        let text_at = at + part.find(text).unwrap_or(0);
        at += part.len();
        let span = text_at..text_at + text.len();
        let Some(spelling) = NumberSpelling::of(text) else { continue };
        let is_guessed_zero = number == Number::Guess && text == "0.000000";
        if is_guessed_zero {
            return Err(cursor.error_at(span, Problem::Lossy { what: "literal" }));
        }
        let kind = match (spelling, number, ty) {
            (NumberSpelling::Whole, Number::Float, Some(Type::Float)) => {
                WarningKind::IntegerAsFloat { text: shown(text) }
            }
            (NumberSpelling::Rounded | NumberSpelling::Fraction, Number::Integer, Some(Type::Int | Type::Uint)) => {
                WarningKind::FloatAsInteger { text: shown(text) }
            }
            (NumberSpelling::Rounded, ..) => WarningKind::Rounded,
            (_, Number::Guess, _) if text == "-0.000000" => WarningKind::Rounded,
            _ => continue,
        };
        warnings.add(Warning { span, kind });
    }
    Ok(())
}

/// Spelling of a number.
#[derive(Clone, Copy, PartialEq, Eq)]
enum NumberSpelling {
    /// Digits other than 0.
    Whole,
    /// With a point.
    Fraction,
    /// With the six decimals of a listing, which no float has exactly: further digits were dropped.
    Rounded,
}

impl NumberSpelling {
    fn of(text: &str) -> Option<Self> {
        /// A binary fraction of six decimals is a multiple of this many millionths, 1/64.
        const FINEST: u32 = 15625;
        let text = text.strip_suffix('l').unwrap_or(text);
        let digits = text.strip_prefix('-').unwrap_or(text);
        let is_decimal = |digits: &str| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        match digits.split_once('.') {
            None => (is_decimal(digits) && digits.bytes().any(|byte| byte != b'0')).then_some(Self::Whole),
            Some((whole, decimals)) if is_decimal(whole) && is_decimal(decimals) => {
                let rest = if decimals.len() == 6 { decimals.parse::<u32>().unwrap_or(0) % FINEST } else { 0 };
                Some(if rest == 0 { Self::Fraction } else { Self::Rounded })
            }
            Some(_) => None,
        }
    }
}
