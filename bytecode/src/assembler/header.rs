//! Makes a container's other chunks from fxc's header comment: signatures, and required features.

use super::AssembleError;
use super::comment::Comment;
use super::cursor::{Cursor, Read};
use super::program::Assembled;
use super::warning::Warnings;
use crate::container::signature::{ComponentType, SYSTEM_VALUES};
use crate::container::{FourCc, Signature, SignatureElement};
use crate::listing::header;
use crate::sm5::codes::MinPrecision;
use crate::sm5::{GlobalFlags, Model, Stage};
use std::ops::Range;

/// The chunks of a program and of the comment before it, in the order in which the compiler writes them.
pub(super) fn chunks(
    text: &str,
    header: Range<usize>,
    program: &Assembled,
    warnings: &mut Warnings,
) -> Result<Vec<(FourCc, Vec<u8>)>, AssembleError> {
    let (stage, model) = (program.stage, program.model);
    let comment = Comment::of(text, header);
    comment.unread().for_each(|warning| warnings.add(warning));
    let mut chunks = Vec::new();
    let mut add = |name: &[u8; 4], data: Vec<u8>| chunks.push((FourCc(*name), data));

    let is_5 = matches!(model, Model::Sm5_0 | Model::Sm5_1);
    let has_precision = program.flags.has(GlobalFlags::MINIMUM_PRECISION);
    let [inputs, outputs, patch_constants] = match has_precision {
        true => [b"ISG1", b"OSG1", b"PSG1"],
        false if stage == Stage::Geometry && is_5 => [b"ISGN", b"OSG5", b"PCSG"],
        false => [b"ISGN", b"OSGN", b"PCSG"],
    };
    add(inputs, signature(&comment, "Input", stage, false)?.encode(FourCc(*inputs)));
    let outputs_data = signature(&comment, "Output", stage, true)?.encode(FourCc(*outputs));
    let patch_data = || {
        let signature = signature(&comment, "Patch Constant", stage, stage != Stage::Domain)?;
        Ok::<_, AssembleError>(signature.encode(FourCc(*patch_constants)))
    };
    // A domain shader's patch constants come before its outputs.
    match stage {
        Stage::Domain => {
            add(patch_constants, patch_data()?);
            add(outputs, outputs_data);
        }
        Stage::Hull => {
            add(outputs, outputs_data);
            add(patch_constants, patch_data()?);
        }
        _ => add(outputs, outputs_data),
    }
    let words = program.words.iter().flat_map(|word| word.to_le_bytes()).collect();
    add(if is_5 { b"SHEX" } else { b"SHDR" }, words);
    let features = header::features(comment.list("Note: shader requires additional functionality:"));
    if features != 0 {
        add(b"SFI0", features.to_le_bytes().to_vec());
    }
    Ok(chunks)
}

/// Reads the table with this title; without one the signature is empty.
fn signature(comment: &Comment<'_>, title: &str, stage: Stage, is_output: bool) -> Result<Signature, AssembleError> {
    let title = format!("{title} signature:");
    let elements = comment.rows(&title).map(|line| element(&mut comment.cursor(&line), stage, is_output));
    Ok(Signature { elements: elements.collect::<Result<_, _>>()? })
}

/// Reads `POSITION 0 xyzw 0 NONE float xyzw`.
fn element(cursor: &mut Cursor<'_>, stage: Stage, is_output: bool) -> Read<SignatureElement> {
    let start = cursor.at();
    let name = cursor.until(&[]);
    let (stream, name) = match name.split_once(':') {
        Some((stream, name)) => {
            let number = stream.strip_prefix('m').and_then(|number| number.parse().ok());
            (number.ok_or_else(|| cursor.no_number(start, "name with a stream"))?, name)
        }
        None => (0, name),
    };
    cursor.spaces();
    let semantic_index = cursor.number()?;
    let (register, mask) = match mask(cursor)? {
        Some(mask) => (Some(cursor.number()?), mask),
        None => {
            cursor.until(&[]);
            cursor.spaces();
            (None, 1)
        }
    };
    let value = cursor.named("system value", SYSTEM_VALUES.iter().copied())?;
    let format_start = cursor.at();
    let format = component_type(cursor.word());
    let formats = || MinPrecision::ALL.iter().map(|precision| precision.text()).chain(["float", "int", "uint"]);
    let (component_type, min_precision) = format.ok_or_else(|| cursor.unknown(format_start, "format", formats()))?;
    cursor.spaces();
    // A row without a register says yes or no; the others end with a second mask.
    let used = match register {
        Some(_) => self::mask(cursor)?.unwrap_or(0),
        None if cursor.eat("YES") => mask,
        None => {
            cursor.eat("NO");
            0
        }
    };
    cursor.end_of_line()?;
    Ok(SignatureElement {
        name: name.to_owned(),
        semantic_index,
        stream,
        // System values of pixel shader outputs follow from the name.
        system_value: if stage == Stage::Pixel && value >= 64 { 0 } else { value },
        component_type,
        register,
        mask,
        usage_mask: if is_output { !used & 0xf } else { used },
        min_precision,
    })
}

/// Reads a column for each component, of which some are empty; `N/A` is none.
fn mask(cursor: &mut Cursor<'_>) -> Read<Option<u8>> {
    let mut start = cursor.clone();
    if cursor.eat("N/A") {
        return Ok(None);
    }
    let mut mask = 0;
    while let Some(component) = cursor.peek().and_then(|letter| "xyzw".find(letter)) {
        if mask >> component != 0 {
            start.spaces();
            return Err(start.expected("a mask, whose letters are in order"));
        }
        mask |= 1 << component;
        cursor.seek(cursor.at() + 1);
        cursor.spaces();
    }
    Ok(Some(mask))
}

fn component_type(format: &str) -> Option<(ComponentType, u32)> {
    let precision = MinPrecision::ALL.iter().find(|precision| precision.text() == format);
    let ty = match (format, precision) {
        ("float", _) | (_, Some(MinPrecision::Float16 | MinPrecision::Float2_8)) => ComponentType::Float32,
        ("int", _) | (_, Some(MinPrecision::Sint16)) => ComponentType::Sint32,
        ("uint", _) | (_, Some(MinPrecision::Uint16)) => ComponentType::Uint32,
        ("unknown", _) => ComponentType::Other(0),
        _ => return None,
    };
    Some((ty, precision.map_or(0, |precision| precision.code())))
}
