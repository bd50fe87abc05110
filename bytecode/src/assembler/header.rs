//! What fxc's header comment says about a container's other chunks: its signatures and the features it needs.
//!
//! Names, types and default values of constant buffers are in the comment too, and in the reflection data of the
//! original; they are not read, so the container has none.

use super::AssembleError;
use super::error::Problem;
use super::program::Assembled;
use crate::container::signature::{ComponentType, SYSTEM_VALUES};
use crate::container::{FourCc, Signature, SignatureElement};
use crate::listing::FEATURES;
use crate::sm5::codes::MinPrecision;
use crate::sm5::{Model, Stage};

/// The chunks of a program and of the comment before it.
pub(super) fn chunks(text: &str, program: &Assembled) -> Result<Vec<(FourCc, Vec<u8>)>, AssembleError> {
    let (stage, model) = (program.stage, program.model);
    let mut chunks = Vec::new();
    let mut add = |name: &[u8; 4], data: Vec<u8>| chunks.push((FourCc(*name), data));

    let inputs = signature(text, "Input", stage, false)?;
    let outputs = signature(text, "Output", stage, true)?;
    let patch_constants = signature(text, "Patch Constant", stage, stage != Stage::Domain)?;
    let is_5 = matches!(model, Model::Sm5_0 | Model::Sm5_1);
    let has_precision = text.contains("enableMinimumPrecision");
    let [inputs_name, outputs_name, patch_name] = match has_precision {
        true => [b"ISG1", b"OSG1", b"PSG1"],
        false if stage == Stage::Geometry && is_5 => [b"ISGN", b"OSG5", b"PCSG"],
        false => [b"ISGN", b"OSGN", b"PCSG"],
    };
    add(inputs_name, inputs.encode(FourCc(*inputs_name)));
    add(outputs_name, outputs.encode(FourCc(*outputs_name)));
    if matches!(stage, Stage::Hull | Stage::Domain) {
        add(patch_name, patch_constants.encode(FourCc(*patch_name)));
    }
    let words = program.words.iter().flat_map(|word| word.to_le_bytes()).collect();
    add(if is_5 { b"SHEX" } else { b"SHDR" }, words);

    let needs = |(_, text_of): &&(u64, &str)| text.lines().any(|line| line.strip_prefix("//       ") == Some(*text_of));
    let features = FEATURES.iter().filter(needs).fold(0, |features, (bit, _)| features | bit);
    if features != 0 {
        add(b"SFI0", features.to_le_bytes().to_vec());
    }
    Ok(chunks)
}

/// Reads the table with this title; without one the signature is empty.
fn signature(text: &str, title: &str, stage: Stage, is_output: bool) -> Result<Signature, AssembleError> {
    let title = format!("// {title} signature:");
    let mut signature = Signature::default();
    let Some(start) = text.find(&title) else { return Ok(signature) };
    let mut in_table = false;
    let mut at = start;
    for line in text[start..].split_inclusive('\n') {
        let row = line.trim_end_matches(['\r', '\n']);
        if in_table {
            match row.strip_prefix("// ") {
                None => break,
                Some(row) if row.starts_with("no ") => break,
                Some(columns) => {
                    let problem =
                        Problem::Expected { expected: "a row of a signature".into(), found: format!("`{columns}`") };
                    let element = element(columns, stage, is_output);
                    let span = at..at + row.len();
                    signature.elements.push(element.ok_or_else(|| AssembleError::new(text, span, problem))?);
                }
            }
        }
        in_table |= row.starts_with("// ----");
        at += line.len();
    }
    Ok(signature)
}

/// Reads `POSITION 0 xyzw 0 NONE float xyzw`, whose masks have a column for each component.
fn element(row: &str, stage: Stage, is_output: bool) -> Option<SignatureElement> {
    let (name, rest) = row.split_once(' ')?;
    let (stream, name) = match name.split_once(':') {
        Some((stream, name)) => (stream.strip_prefix('m')?.parse().ok()?, name),
        None => (0, name),
    };
    let (index, rest) = rest.trim_start().split_once(' ')?;
    // Two spaces are left of the three before the mask.
    let (mask_text, rest) = (rest.get(2..6)?, rest.get(6..)?);
    let mut columns = rest.split_whitespace();
    let (register, system_value, format) = (columns.next()?, columns.next()?, columns.next()?);
    let (component_type, min_precision) = component_type(format)?;
    let has_register = mask_text.trim() != "N/A";
    let element_mask = if has_register { mask_of(mask_text) } else { 1 };
    // A row without a register says yes or no; the others end with a second mask.
    let used = match columns.next() {
        Some("YES") => element_mask,
        Some("NO") | None => 0,
        Some(_) => mask_of(rest.rsplit_once(format).map_or("", |(_, tail)| tail)),
    };
    let value = SYSTEM_VALUES.iter().find(|(_, text)| *text == system_value).map_or(0, |(number, _)| *number);
    Some(SignatureElement {
        name: name.to_owned(),
        semantic_index: index.parse().ok()?,
        stream,
        // What a pixel shader writes is told by the name.
        system_value: if stage == Stage::Pixel && value >= 64 { 0 } else { value },
        component_type,
        register: if has_register { Some(register.parse().ok()?) } else { None },
        mask: element_mask,
        usage_mask: if is_output { !used & 0xf } else { used },
        min_precision,
    })
}

fn mask_of(columns: &str) -> u8 {
    columns.chars().filter_map(|letter| "xyzw".find(letter)).fold(0, |mask, number| mask | 1 << number)
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
