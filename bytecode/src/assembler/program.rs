//! Programs: a profile and a line for each item of the token stream.

use super::Place;
use super::cursor::{Cursor, Read};
use super::declaration::declaration;
use super::error::Problem;
use super::instruction::instruction;
use super::operand::{Role, operand, words};
use crate::limits::Limits;
use crate::sm5::custom::MessageKind;
use crate::sm5::encode::{encode_custom, encode_declaration, encode_instruction, version};
use crate::sm5::{CustomContent, EncodeError, Message, Model, Stage};

/// A program as words.
pub(crate) struct Assembled {
    pub model: Model,
    pub stage: Stage,
    pub words: Vec<u32>,
    /// Where its items stand in the text.
    pub places: Vec<Place>,
}

/// Reads a program, from its profile up to a directive that is none of a program's, or the end of the text.
pub(crate) fn program(cursor: &mut Cursor<'_>, limits: &Limits) -> Read<Assembled> {
    skip(cursor);
    let (model, stage) = profile(cursor)?;
    let mut words = vec![version(model, stage), 0];
    let mut places = Vec::new();
    loop {
        skip(cursor);
        let rest = cursor.rest();
        if rest.is_empty() || rest.starts_with('.') && !rest.starts_with(".words") {
            break;
        }
        let start = cursor.at();
        let first_word = words.len() as u32;
        words.extend(statement(cursor, model)?);
        places.push(Place { first_word, span: start..start + cursor.since(start).trim_end().len() });
        if words.len() > limits.program_words as usize {
            let problem = Problem::Limit { what: "words of the program", limit: limits.program_words };
            return Err(cursor.error(start, problem));
        }
    }
    words[1] = words.len() as u32;
    Ok(Assembled { model, stage, words, places })
}

/// Passes over what is no item: empty lines, comments, the lines that name places in the source, and the numbers and
/// offsets before items that fxc prints on request: `  12:`, `0x0000005C:`.
pub(crate) fn skip(cursor: &mut Cursor<'_>) {
    cursor.blanks();
    while cursor.rest().starts_with("#line") {
        cursor.take_while(|letter| letter != '\n');
        cursor.blanks();
    }
    let mut ahead = cursor.clone();
    let number = ahead.take_while(|letter| letter.is_ascii_hexdigit() || matches!(letter, 'x' | ' '));
    if number.starts_with(|letter: char| letter.is_ascii_digit()) && ahead.eat(":") {
        *cursor = ahead;
    }
}

/// `cs_5_0`
fn profile(cursor: &mut Cursor<'_>) -> Read<(Model, Stage)> {
    let start = cursor.at();
    if cursor.rest().is_empty() {
        return Err(cursor.error(start, Problem::NoProgram));
    }
    let name = cursor.word();
    let found = STAGES.iter().copied().find_map(|stage| {
        let model = name.strip_prefix(stage.text())?.strip_prefix('_')?;
        MODELS.iter().copied().find(|known| known.text() == model).map(|model| (model, stage))
    });
    let problem = || Problem::Unknown { kind: "profile", name: name.into(), nearest: None };
    let found = found.ok_or_else(|| cursor.error(start, problem()))?;
    cursor.end_of_line()?;
    Ok(found)
}

const STAGES: [Stage; 6] = [Stage::Pixel, Stage::Vertex, Stage::Geometry, Stage::Hull, Stage::Domain, Stage::Compute];
const MODELS: [Model; 4] = [Model::Sm4_0, Model::Sm4_1, Model::Sm5_0, Model::Sm5_1];

/// Reads one item up to the end of its last line, and gives its words.
pub(crate) fn statement(cursor: &mut Cursor<'_>, model: Model) -> Read<Vec<u32>> {
    let start = cursor.at();
    let rest = cursor.rest();
    let encoded = if cursor.eat(".words") {
        return data_words(cursor);
    } else if rest.starts_with("dcl_immediateConstantBuffer") {
        encode_content(&immediate_constants(cursor)?)
    } else if rest.starts_with("dcl_") {
        encode_declaration(&declaration(cursor, model)?, model)
    } else if rest.starts_with("printf ") || rest.starts_with("errorf ") {
        encode_content(&message(cursor)?)
    } else if rest.starts_with("undecipherable custom data") {
        cursor.take_while(|letter| letter != '\n');
        return Err(cursor.error(start, Problem::Lossy { what: "block of custom data" }));
    } else {
        encode_instruction(&instruction(cursor)?)
    };
    encoded.map_err(|error| {
        let line = rest.lines().next().unwrap_or("").trim_end().len();
        let mut place = cursor.clone();
        place.seek(start + line);
        place.error(start, error.into())
    })
}

fn encode_content(content: &CustomContent) -> Result<Vec<u32>, EncodeError> {
    Ok(encode_custom(content)?.expect("content with a text is decoded"))
}

/// Words up to the end of the line, with spaces between them.
pub(super) fn data_words(cursor: &mut Cursor<'_>) -> Read<Vec<u32>> {
    let mut words = Vec::new();
    while cursor.peek().is_some_and(|letter| letter.is_ascii_digit()) {
        words.push(cursor.number()?);
        cursor.eat(",");
    }
    cursor.end_of_line()?;
    Ok(words)
}

/// `dcl_immediateConstantBuffer { { 1.000000, 0, 0, 0}, { 2, 3, 4, 5} }`, which may go over lines.
fn immediate_constants(cursor: &mut Cursor<'_>) -> Read<CustomContent> {
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
fn message(cursor: &mut Cursor<'_>) -> Read<CustomContent> {
    let kind = if cursor.word() == "printf" { MessageKind::Message } else { MessageKind::Error };
    cursor.spaces();
    let start = cursor.at();
    let text = String::from_utf8(cursor.quoted()?);
    let problem = || Problem::Expected { expected: "text in UTF-8".into(), found: "other bytes".into() };
    let text = text.map_err(|_| cursor.error(start, problem()))?;
    let mut operands = Vec::new();
    while cursor.eat(",") {
        operands.push(operand(cursor, Role::Read)?);
    }
    cursor.end_of_line()?;
    let is_format = !operands.is_empty();
    Ok(CustomContent::Message(Message { kind, is_format, text, operands }))
}
