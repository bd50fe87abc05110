//! Containers: their chunks, written as directives or made of a listing's header comment.

use super::cursor::{Cursor, Read};
use super::error::{Problem, nearest};
use super::program::{data_words, program};
use super::{AssembleError, Assembly, Place, header, level9};
use crate::container::signature::{ComponentType, SYSTEM_VALUES};
use crate::container::{FourCc, Signature, SignatureElement, write_container};
use crate::limits::Limits;
use crate::sm3;

/// Reads a whole text.
pub(super) fn file(text: &str, limits: &Limits) -> Result<Assembly, AssembleError> {
    let mut cursor = Cursor::new(text);
    cursor.blanks();
    if cursor.eat(".file") {
        cursor.end_of_line()?;
        let mut bytes = Vec::new();
        content(&mut cursor, limits, &mut bytes)?;
        return match cursor.rest() {
            "" => Ok(Assembly { bytes, places: Vec::new() }),
            _ => Err(cursor.expected("`.data` or `.bytes`")),
        };
    }
    if cursor.eat(".dxbc") {
        cursor.end_of_line()?;
        return exact(&mut cursor, limits);
    }
    // Such a listing has two programs; the first is for feature level 9.
    if let Some((before, _)) = text.split_once(level9::TITLE) {
        cursor.seek(before.len());
        cursor.blanks();
        while !cursor.rest().is_empty() && !cursor.rest().starts_with("// approximately") {
            cursor.take_while(|letter| letter != '\n');
            cursor.take_while(char::is_whitespace);
        }
    } else if sm3::is_program_text(&cursor) {
        let (program, places) = sm3::assemble_with_places(text, limits)?;
        return Ok(Assembly { bytes: sm3::encode(&program), places });
    }
    let assembled = program(&mut cursor, limits)?;
    if !cursor.rest().is_empty() {
        return Err(unknown_directive(&mut cursor));
    }
    let chunks = header::chunks(text, &assembled, limits)?;
    Ok(Assembly { bytes: write_container(&borrowed(&chunks), None), places: assembled.places })
}

fn borrowed(chunks: &[(FourCc, Vec<u8>)]) -> Vec<(FourCc, &[u8])> {
    chunks.iter().map(|(name, data)| (*name, data.as_slice())).collect()
}

const DIRECTIVES: [&str; 8] = [".dxbc", ".file", ".checksum", ".chunk", ".data", ".bytes", ".element", ".words"];

fn unknown_directive(cursor: &mut Cursor<'_>) -> AssembleError {
    let start = cursor.at();
    let name = cursor.until(&[]);
    let kind = if DIRECTIVES.contains(&name) { "place here for the directive" } else { "directive" };
    let nearest = nearest(name, DIRECTIVES.iter().copied().filter(|known| *known != name));
    cursor.error(start, Problem::Unknown { kind, name: name.into(), nearest })
}

/// Reads chunks behind `.dxbc`.
fn exact(cursor: &mut Cursor<'_>, limits: &Limits) -> Read<Assembly> {
    let mut checksum = None;
    let mut places = Vec::new();
    let mut chunks: Vec<(FourCc, Vec<u8>)> = Vec::new();
    let mut total = 0;
    loop {
        cursor.blanks();
        let start = cursor.at();
        if cursor.rest().is_empty() {
            return Ok(Assembly { bytes: write_container(&borrowed(&chunks), checksum), places });
        }
        if cursor.eat(".checksum") {
            checksum = Some(checksum_digits(cursor)?);
        } else if cursor.eat(".chunk") {
            let name = chunk_name(cursor)?;
            let mut data = Vec::new();
            places.extend(chunk(cursor, limits, name, &mut data)?);
            total += data.len() + 12;
            let limit = if chunks.len() >= limits.chunks as usize { limits.chunks } else { limits.blob_bytes };
            if chunks.len() >= limits.chunks as usize || total > limits.blob_bytes as usize {
                return Err(cursor.error(start, Problem::Limit { what: "chunks", limit }));
            }
            chunks.push((name, data));
        } else {
            return Err(unknown_directive(cursor));
        }
    }
}

fn checksum_digits(cursor: &mut Cursor<'_>) -> Read<[u8; 16]> {
    let start = cursor.at();
    let digits = cursor.word();
    let pairs = digits.as_bytes().chunks(2).map(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok());
    let bytes: Option<Vec<u8>> = pairs.collect();
    let bytes = bytes.and_then(|bytes| <[u8; 16]>::try_from(bytes).ok());
    let problem = || Problem::Number { text: digits.into(), expected: "checksum, which has 32 hexadecimal digits" };
    let checksum = bytes.ok_or_else(|| cursor.error(start, problem()))?;
    cursor.end_of_line()?;
    Ok(checksum)
}

fn chunk_name(cursor: &mut Cursor<'_>) -> Read<FourCc> {
    let start = cursor.at();
    let name = match cursor.peek() {
        Some('"') => cursor.quoted()?,
        _ => cursor.word().as_bytes().to_vec(),
    };
    let problem = || Problem::Number { text: name.escape_ascii().to_string(), expected: "name of four characters" };
    let name = <[u8; 4]>::try_from(name.as_slice()).map_err(|_| cursor.error(start, problem()))?;
    cursor.end_of_line()?;
    Ok(FourCc(name))
}

/// Reads what is in a chunk, and gives the places of its program's items.
fn chunk(cursor: &mut Cursor<'_>, limits: &Limits, name: FourCc, data: &mut Vec<u8>) -> Read<Vec<Place>> {
    let mut elements = Vec::new();
    let mut has_data = false;
    loop {
        cursor.blanks();
        let start = cursor.at();
        if cursor.eat(".element") {
            elements.push(element(cursor)?);
            if elements.len() > limits.signature_elements as usize {
                let limit = limits.signature_elements;
                return Err(cursor.error(start, Problem::Limit { what: "elements of a signature", limit }));
            }
        } else if cursor.rest().starts_with(".data") || cursor.rest().starts_with(".bytes") {
            content(cursor, limits, data)?;
            has_data = true;
        } else {
            break;
        }
    }
    if Signature::is_chunk(name) && !has_data {
        *data = Signature { elements }.encode(name);
    } else if !elements.is_empty() {
        return Err(cursor.expected("elements in a signature and without other data"));
    }
    let rest = cursor.rest();
    if rest.is_empty() || rest.starts_with('.') {
        return Ok(Vec::new());
    }
    let program = program(cursor, limits)?;
    data.extend(program.words.iter().flat_map(|word| word.to_le_bytes()));
    content(cursor, limits, data)?;
    Ok(program.places)
}

/// Reads `.data` and `.bytes`.
fn content(cursor: &mut Cursor<'_>, limits: &Limits, data: &mut Vec<u8>) -> Read<()> {
    loop {
        cursor.blanks();
        let start = cursor.at();
        if cursor.eat(".data") {
            data.extend(data_words(cursor)?.iter().flat_map(|word| word.to_le_bytes()));
        } else if cursor.eat(".bytes") {
            for word in data_words(cursor)? {
                let problem = || Problem::Number { text: word.to_string(), expected: "byte" };
                data.push(u8::try_from(word).map_err(|_| cursor.error(start, problem()))?);
            }
        } else {
            return Ok(());
        }
        if data.len() > limits.blob_bytes as usize {
            return Err(cursor.error(start, Problem::Limit { what: "bytes", limit: limits.blob_bytes }));
        }
    }
}

/// `.element "POSITION" index=0 register=0 mask=xyzw usage=xyzw type=float value=POS stream=0 precision=0`
fn element(cursor: &mut Cursor<'_>) -> Read<SignatureElement> {
    let start = cursor.at();
    let name = String::from_utf8(cursor.quoted()?);
    let problem = || Problem::Expected { expected: "a name in UTF-8".into(), found: "other bytes".into() };
    let name = name.map_err(|_| cursor.error(start, problem()))?;
    let mut element = SignatureElement {
        name,
        semantic_index: 0,
        stream: 0,
        system_value: 0,
        component_type: ComponentType::Float32,
        register: Some(0),
        mask: 0xf,
        usage_mask: 0,
        min_precision: 0,
    };
    while cursor.peek().is_some_and(|letter| letter.is_ascii_alphabetic()) {
        let start = cursor.at();
        let key = cursor.word();
        cursor.expect("=")?;
        match key {
            "index" => element.semantic_index = cursor.number()?,
            "stream" => element.stream = cursor.number()?,
            "precision" => element.min_precision = cursor.number()?,
            "register" if cursor.eat("none") => element.register = None,
            "register" => element.register = Some(cursor.number()?),
            "mask" => element.mask = mask(cursor)?,
            "usage" => element.usage_mask = mask(cursor)?,
            "type" => element.component_type = ComponentType::from_code(named(cursor, "type", &ComponentType::NAMES)?),
            "value" => element.system_value = named(cursor, "system value", SYSTEM_VALUES)?,
            _ => {
                let known = ["index", "stream", "precision", "register", "mask", "usage", "type", "value"];
                let nearest = nearest(key, known.into_iter());
                return Err(cursor.error(start, Problem::Unknown { kind: "key", name: key.into(), nearest }));
            }
        }
    }
    cursor.end_of_line()?;
    Ok(element)
}

/// `xyzw`, `none`
fn mask(cursor: &mut Cursor<'_>) -> Read<u8> {
    let start = cursor.at();
    let letters = cursor.word();
    let mask = match letters {
        "none" => Some(0),
        letters => letters.chars().try_fold(0_u8, |mask, letter| Some(mask | 1 << "xyzw".find(letter)?)),
    };
    let problem = || Problem::Components { letters: letters.into() };
    let mask = mask.ok_or_else(|| cursor.error(start, problem()))?;
    cursor.spaces();
    Ok(mask)
}

/// A number, or a name for one.
fn named(cursor: &mut Cursor<'_>, kind: &'static str, names: &[(u32, &str)]) -> Read<u32> {
    if cursor.peek().is_some_and(|letter| letter.is_ascii_digit()) {
        return cursor.number();
    }
    let start = cursor.at();
    let name = cursor.word();
    let problem = || {
        let nearest = nearest(name, names.iter().map(|(_, name)| *name));
        Problem::Unknown { kind, name: name.into(), nearest }
    };
    let found = names.iter().find(|(_, known)| *known == name).ok_or_else(|| cursor.error(start, problem()))?;
    cursor.spaces();
    Ok(found.0)
}
