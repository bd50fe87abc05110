//! Assembles programs: a profile, and a line for each item of the token stream.

use super::ItemSpan;
use super::cursor::{Cursor, Read};
use super::declaration::declaration;
use super::error::Problem;
use super::instruction::instruction;
use super::literal::{check, words};
use super::operand::{Role, operand};
use super::warning::Warnings;
use crate::limits::Limits;
use crate::sm5::custom::MessageKind;
use crate::sm5::encode::{encode_custom, encode_declaration, encode_instruction, version};
use crate::sm5::literal::Number;
use crate::sm5::{CustomContent, EncodeError, GlobalFlags, Message, Model, Op, Stage};

/// A program as words.
pub(crate) struct Assembled {
    pub model: Model,
    pub stage: Stage,
    pub words: Vec<u32>,
    /// The flags it declares.
    pub flags: GlobalFlags,
    /// Positions of its items in the text.
    pub spans: Vec<ItemSpan>,
}

/// Reads a program, from its profile up to a directive that does not belong to a program, or the end of the text.
pub(super) fn program(cursor: &mut Cursor<'_>, limits: &Limits, warnings: &mut Warnings) -> Read<Assembled> {
    skip(cursor);
    let (model, stage) = profile(cursor)?;
    let mut words = vec![version(model, stage), 0];
    let mut spans = Vec::new();
    let mut flags = 0;
    while !at_end(cursor) {
        let start = cursor.at();
        let at = words.len();
        let item = item(cursor, model, warnings)?;
        let first = item.first().copied().unwrap_or_default();
        if first & 0x7ff == u32::from(Op::DclGlobalFlags.info().code) {
            flags |= first;
        }
        words.extend(item);
        let bytes = at as u32 * 4..words.len() as u32 * 4;
        spans.push(ItemSpan { bytes, span: start..start + cursor.since(start).trim_end().len() });
        if words.len() > limits.program_words as usize {
            let problem = Problem::Limit { what: "words of the program", limit: limits.program_words };
            return Err(cursor.error(start, problem));
        }
    }
    words[1] = words.len() as u32;
    Ok(Assembled { model, stage, words, flags: GlobalFlags(flags), spans })
}

/// `true` if the program ends here: at the end of the text, or at a directive that does not belong to it. Skips
/// anything before an item.
pub(crate) fn at_end(cursor: &mut Cursor<'_>) -> bool {
    skip(cursor);
    let is_words = cursor.clone().directive(".words");
    cursor.peek().is_none_or(|letter| letter == '.' && !is_words)
}

/// Skips everything but items: empty lines, comments, `#line` lines, and the numbers and offsets before items that fxc
/// prints on request: `  12:`, `0x0000005C:`.
pub(crate) fn skip(cursor: &mut Cursor<'_>) {
    cursor.blanks();
    while cursor.rest().starts_with("#line") {
        cursor.take_while(|letter| letter != '\n');
        cursor.blanks();
    }
    let mut ahead = cursor.clone();
    let number = ahead.take_while(|letter| letter.is_ascii_hexdigit() || matches!(letter, 'x' | ' '));
    // Line numbers come before comments too, and hide their content.
    if number.starts_with(|letter: char| letter.is_ascii_digit()) && ahead.eat(":") && !ahead.rest().starts_with("//") {
        *cursor = ahead;
    }
}

/// `cs_5_0`
fn profile(cursor: &mut Cursor<'_>) -> Read<(Model, Stage)> {
    let start = cursor.at();
    if cursor.rest().is_empty() {
        return Err(cursor.error(start, Problem::NoProgram));
    }
    let name = cursor.take_while(|letter| letter.is_ascii_alphanumeric() || matches!(letter, '_' | '.'));
    let unknown = || {
        let known: Vec<String> = profiles().map(|(model, stage)| format!("{stage}_{model}")).collect();
        cursor.unknown(start, "profile", known.iter().map(String::as_str))
    };
    let found = profile_named(name).ok_or_else(unknown)?;
    cursor.end_of_line()?;
    Ok(found)
}

/// The model and the stage of a profile with this name.
pub(super) fn profile_named(name: &str) -> Option<(Model, Stage)> {
    let is_named = |(model, stage): &(Model, Stage)| {
        name.strip_prefix(stage.text()).and_then(|rest| rest.strip_prefix('_')) == Some(model.text())
    };
    profiles().find(is_named)
}

fn profiles() -> impl Iterator<Item = (Model, Stage)> {
    Model::ALL.iter().flat_map(|model| Stage::ALL.iter().map(|stage| (*model, *stage)))
}

/// Reads one item up to the end of its last line, and gives its words.
pub(crate) fn statement(cursor: &mut Cursor<'_>, model: Model) -> Read<Vec<u32>> {
    item(cursor, model, &mut Warnings::default())
}

fn item(cursor: &mut Cursor<'_>, model: Model, warnings: &mut Warnings) -> Read<Vec<u32>> {
    let start = cursor.at();
    let rest = cursor.rest();
    let encoded = if cursor.directive(".words") {
        return data_numbers(cursor, "32-bit number", Some);
    } else if rest.starts_with("dcl_immediateConstantBuffer") {
        encode_content(&immediate_constants(cursor, warnings)?)
    } else if rest.starts_with("dcl_") {
        encode_declaration(&declaration(cursor, model)?, model)
    } else if rest.starts_with("printf ") || rest.starts_with("errorf ") {
        encode_content(&message(cursor, warnings)?)
    } else if rest.starts_with("undecipherable custom data") {
        cursor.take_while(|letter| letter != '\n');
        return Err(cursor.error(start, Problem::Lossy { what: "block of custom data" }));
    } else {
        encode_instruction(&instruction(cursor, warnings)?)
    };
    encoded.map_err(|error| {
        let line = rest.lines().next().unwrap_or("").trim_end().len();
        cursor.error_at(start..start + line, error.into())
    })
}

fn encode_content(content: &CustomContent) -> Result<Vec<u32>, EncodeError> {
    Ok(encode_custom(content)?.expect("content with a text is decoded"))
}

/// Reads numbers up to the end of the line, with spaces between them.
pub(super) fn data_numbers<T>(
    cursor: &mut Cursor<'_>,
    expected: &'static str,
    fits: impl Fn(u32) -> Option<T>,
) -> Read<Vec<T>> {
    let mut numbers = Vec::new();
    while cursor.peek().is_some_and(|letter| letter.is_ascii_digit()) {
        let start = cursor.at();
        let number = fits(cursor.number()?);
        numbers.push(number.ok_or_else(|| cursor.no_number(start, expected))?);
        cursor.eat(",");
    }
    cursor.end_of_line()?;
    Ok(numbers)
}

/// `dcl_immediateConstantBuffer { { 1.000000, 0, 0, 0}, { 2, 3, 4, 5} }`, which may go over lines.
fn immediate_constants(cursor: &mut Cursor<'_>, warnings: &mut Warnings) -> Read<CustomContent> {
    cursor.word();
    cursor.blanks();
    cursor.expect("{")?;
    let mut vectors = Vec::new();
    loop {
        cursor.blanks();
        if vectors.is_empty() && cursor.eat("}") {
            break;
        }
        let start = cursor.at();
        cursor.expect("{")?;
        let vector = words(cursor, "}")?;
        check(cursor, start, Number::Guess, None, warnings)?;
        let problem =
            || Problem::Expected { expected: "four words in a vector".into(), found: vector.len().to_string() };
        let vector = <[u32; 4]>::try_from(vector.as_slice()).map_err(|_| cursor.error(start, problem()))?;
        vectors.push(vector);
        cursor.blanks();
        if cursor.eat("}") {
            break;
        }
        cursor.expect(",")?;
    }
    cursor.end_of_line()?;
    Ok(CustomContent::ImmediateConstantBuffer(vectors))
}

/// `printf "value %u", r0.x`
fn message(cursor: &mut Cursor<'_>, warnings: &mut Warnings) -> Read<CustomContent> {
    let kind = if cursor.word() == "printf" { MessageKind::Message } else { MessageKind::Error };
    cursor.spaces();
    let start = cursor.at();
    let text = String::from_utf8(cursor.quoted()?);
    let problem = || Problem::Expected { expected: "text in UTF-8".into(), found: "other bytes".into() };
    let text = text.map_err(|_| cursor.error(start, problem()))?;
    let mut operands = Vec::new();
    while cursor.eat(",") {
        let start = cursor.at();
        operands.push(operand(cursor, Role::Read)?);
        check(cursor, start, Number::Guess, None, warnings)?;
    }
    cursor.end_of_line()?;
    let is_format = !operands.is_empty();
    Ok(CustomContent::Message(Message { kind, is_format, text, operands }))
}
