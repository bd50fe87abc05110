//! Assembles containers from chunks written as directives, or made from a listing's header comment.

use super::comment::{Comment, LEVEL9};
use super::cursor::{Cursor, Read};
use super::error::Problem;
use super::program::{data_numbers, profile_named, program, skip};
use super::warning::{Warning, WarningKind, Warnings};
use super::{AssembleError, Assembly, ItemSpan, header};
use crate::container::signature::{ComponentType, SYSTEM_VALUES};
use crate::container::{Container, FourCc, Signature, SignatureElement, write_container};
use crate::limits::Limits;
use crate::sm3;
use crate::sm5::literal::hexadecimal;

/// Reads a whole text.
pub(super) fn file(text: &str, limits: &Limits) -> Result<Assembly, AssembleError> {
    let mut cursor = Cursor::new(text);
    cursor.blanks();
    if cursor.directive(".file") {
        cursor.end_of_line()?;
        let mut bytes = Vec::new();
        content(&mut cursor, limits, &mut bytes)?;
        return match cursor.rest() {
            "" => Ok(Assembly { bytes, ..Assembly::default() }),
            _ => Err(cursor.expected("`.data` or `.bytes`")),
        };
    }
    if cursor.directive(".dxbc") {
        cursor.end_of_line()?;
        return exact(&mut cursor, limits);
    }
    if let Some(main) = after_level9(text) {
        cursor.seek(main);
    } else if sm3::is_program_text(&cursor) {
        return direct3d9(text, limits);
    }
    let mut warnings = Warnings::default();
    skip(&mut cursor);
    let header = 0..cursor.at();
    let assembled = program(&mut cursor, limits, &mut warnings)?;
    if !cursor.rest().is_empty() {
        return Err(unknown_directive(&mut cursor));
    }
    let chunks = header::chunks(text, header, &assembled, &mut warnings)?;
    let bytes = write_container(&borrowed(&chunks), None);
    let container = Container::parse(&bytes, limits).ok();
    let program_at = container.as_ref().and_then(|container| Some(container.program().ok()?.at));
    let spans = ItemSpan::moved(assembled.spans, program_at.unwrap_or(0)).collect();
    Ok(Assembly { bytes, spans, warnings: warnings.sorted() })
}

/// Offset of the main program in a listing that has a program for feature levels 9.x before it.
fn after_level9(text: &str) -> Option<usize> {
    let at = text.find(LEVEL9)?;
    let is_before = |line: &&str| {
        let mut cursor = Cursor::new(line);
        skip(&mut cursor);
        profile_named(cursor.until(&[])).is_none()
    };
    Some(at + text[at..].split_inclusive('\n').take_while(is_before).map(str::len).sum::<usize>())
}

fn direct3d9(text: &str, limits: &Limits) -> Read<Assembly> {
    let (program, spans) = sm3::assemble_with_spans(text, limits)?;
    let mut warnings = Warnings::default();
    let has_table = program.items.iter().any(|item| matches!(item.kind, sm3::ItemKind::Comment(_)));
    if let Some(span) = Comment::of(text, 0..text.len()).constants().filter(|_| !has_table) {
        warnings.add(Warning { span, kind: WarningKind::Unread { what: "the names of constants are" } });
    }
    Ok(Assembly { bytes: sm3::encode(&program), spans, warnings: warnings.sorted() })
}

fn borrowed(chunks: &[(FourCc, Vec<u8>)]) -> Vec<(FourCc, &[u8])> {
    chunks.iter().map(|(name, data)| (*name, data.as_slice())).collect()
}

const DIRECTIVES: [&str; 8] = [".dxbc", ".file", ".checksum", ".chunk", ".data", ".bytes", ".element", ".words"];

fn unknown_directive(cursor: &mut Cursor<'_>) -> AssembleError {
    let start = cursor.at();
    let name = cursor.until(&[]);
    let known = DIRECTIVES.iter().copied().filter(|known| *known != name);
    let kind = if DIRECTIVES.contains(&name) { "place here for the directive" } else { "directive" };
    cursor.unknown(start, kind, known)
}

/// Reads chunks after `.dxbc`.
fn exact(cursor: &mut Cursor<'_>, limits: &Limits) -> Read<Assembly> {
    let mut checksum = None;
    let mut spans = Vec::new();
    let mut chunks: Vec<(FourCc, Vec<u8>)> = Vec::new();
    let mut total = 0;
    loop {
        cursor.blanks();
        let start = cursor.at();
        if cursor.rest().is_empty() {
            break;
        }
        if cursor.directive(".checksum") {
            checksum = Some(checksum_digits(cursor)?);
        } else if cursor.directive(".chunk") {
            let name = chunk_name(cursor)?;
            let mut data = Vec::new();
            spans.push(chunk(cursor, limits, name, &mut data)?);
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
    let bytes = write_container(&borrowed(&chunks), checksum);
    let container = Container::parse(&bytes, limits).ok();
    let written = container.iter().flat_map(|container| container.chunks());
    let spans = spans.into_iter().zip(written).flat_map(|(spans, chunk)| ItemSpan::moved(spans, chunk.at)).collect();
    Ok(Assembly { bytes, spans, warnings: Vec::new() })
}

fn checksum_digits(cursor: &mut Cursor<'_>) -> Read<[u8; 16]> {
    let start = cursor.at();
    let digits = cursor.word();
    let pairs = digits.as_bytes().chunks(2).map(|pair| hexadecimal(std::str::from_utf8(pair).ok()?).map(|n| n as u8));
    let bytes: Option<Vec<u8>> = pairs.collect();
    let bytes = bytes.and_then(|bytes| <[u8; 16]>::try_from(bytes).ok());
    let problem = || cursor.no_number(start, "checksum, which has 32 hexadecimal digits");
    let checksum = bytes.ok_or_else(problem)?;
    cursor.end_of_line()?;
    Ok(checksum)
}

fn chunk_name(cursor: &mut Cursor<'_>) -> Read<FourCc> {
    let start = cursor.at();
    let name = match cursor.peek() {
        Some('"') => cursor.quoted()?,
        _ => cursor.word().as_bytes().to_vec(),
    };
    let problem = || cursor.no_number(start, "name of four characters");
    let name = <[u8; 4]>::try_from(name.as_slice()).map_err(|_| problem())?;
    cursor.end_of_line()?;
    Ok(FourCc(name))
}

/// Reads the content of a chunk, and returns the spans of its program's items.
fn chunk(cursor: &mut Cursor<'_>, limits: &Limits, name: FourCc, data: &mut Vec<u8>) -> Read<Vec<ItemSpan>> {
    let mut elements = Vec::new();
    let mut has_data = false;
    loop {
        cursor.blanks();
        let start = cursor.at();
        if cursor.directive(".element") {
            elements.push(element(cursor)?);
            if elements.len() > limits.signature_elements as usize {
                let limit = limits.signature_elements;
                return Err(cursor.error(start, Problem::Limit { what: "elements of a signature", limit }));
            }
        } else {
            content(cursor, limits, data)?;
            if cursor.at() == start {
                break;
            }
            has_data = true;
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
    let program = program(cursor, limits, &mut Warnings::default())?;
    data.extend(program.words.iter().flat_map(|word| word.to_le_bytes()));
    content(cursor, limits, data)?;
    Ok(program.spans)
}

/// Reads `.data` and `.bytes`.
fn content(cursor: &mut Cursor<'_>, limits: &Limits, data: &mut Vec<u8>) -> Read<()> {
    loop {
        cursor.blanks();
        let start = cursor.at();
        if cursor.directive(".data") {
            data.extend(data_numbers(cursor, "32-bit number", Some)?.iter().flat_map(|word| word.to_le_bytes()));
        } else if cursor.directive(".bytes") {
            data.extend(data_numbers(cursor, "byte", |word| u8::try_from(word).ok())?);
        } else {
            return Ok(());
        }
        if data.len() > limits.blob_bytes as usize {
            return Err(cursor.error(start, Problem::Limit { what: "bytes", limit: limits.blob_bytes }));
        }
    }
}

const KEYS: [&str; 8] = ["index", "stream", "precision", "register", "mask", "usage", "type", "value"];

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
        let after_key = cursor.clone();
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
            _ => return Err(after_key.unknown(start, "key", KEYS.into_iter())),
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
    let mask = mask.filter(|_| !letters.is_empty()).ok_or_else(|| cursor.no_components(start))?;
    cursor.spaces();
    Ok(mask)
}

/// A number, or a name for one.
fn named(cursor: &mut Cursor<'_>, kind: &'static str, names: &[(u32, &str)]) -> Read<u32> {
    if cursor.peek().is_some_and(|letter| letter.is_ascii_digit()) {
        return cursor.number();
    }
    cursor.named(kind, names.iter().map(|(number, name)| (*number, *name)))
}
