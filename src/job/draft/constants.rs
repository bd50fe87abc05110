//! The variables of constant buffers and of elements, with their types, places and first values.

use std::iter;

use brolga_bytecode::info::{Constants, Place, Variable};

use super::super::values::NumberType;

/// Bytes of a constant buffer at most.
const MOST: u32 = 4096 * 16;
/// Words that are written out though they are zero; more of them would only be in the way.
const ZEROS: usize = 16;

/// What a table of a constant buffer says, line by line.
pub(super) fn content(vectors: u32, constants: Option<&Constants>) -> Vec<String> {
    let said = constants.and_then(|constants| constants.size_bytes).unwrap_or(0);
    let size = vectors.saturating_mul(16).max(said).clamp(1, MOST).next_multiple_of(16);
    let mut lines = vec![format!("size = {size}")];
    let mut values = Vec::new();
    for variable in constants.map_or(&[][..], |constants| &constants.variables) {
        write(variable, &mut values);
    }
    if !values.iter().any(|line| line.starts_with('{')) {
        lines.push("fill = \"zero\"".into());
        lines.extend(values);
        return lines;
    }
    lines.push("at = [".into());
    lines.extend(values.iter().map(|line| format!("    {line}")));
    lines.push("]".into());
    lines
}

/// Comments that describe the elements of a structured buffer.
pub(super) fn described(elements: &Constants) -> Vec<String> {
    let mut lines = Vec::new();
    for element in &elements.variables {
        // The compiler's name for an element says nothing.
        lines.push(format!("# elements: {}", element.type_name));
        element.members.iter().for_each(|member| describe(member, 1, &mut lines));
    }
    lines
}

/// The type of all numbers of an element, if they have one.
pub(super) fn number(elements: &Constants) -> Option<NumberType> {
    fn leaves<'a>(variable: &'a Variable, out: &mut Vec<&'a str>) {
        match variable.members.is_empty() {
            true => out.push(&variable.type_name),
            false => variable.members.iter().for_each(|member| leaves(member, out)),
        }
    }
    let mut names = Vec::new();
    elements.variables.iter().for_each(|variable| leaves(variable, &mut names));
    let first = number_type(names.first()?);
    names.iter().all(|name| number_type(name) == first).then_some(first)
}

/// The values of a variable, or a comment where it has too many that are all zero.
fn write(variable: &Variable, out: &mut Vec<String>) {
    let Some(Place::Bytes { offset, size }) = variable.place else { return };
    let is_zero = variable.default.as_ref().is_none_or(|words| words.iter().all(|word| *word == 0));
    let words = match (&variable.default, size, variable.members.is_empty()) {
        (Some(words), ..) if !is_zero => words.clone(),
        (_, Some(size), true) => vec![0; (size as usize / 4).min(ZEROS + 1)],
        (_, None, true) => vec![0; plain_words(variable).unwrap_or(usize::MAX).min(ZEROS + 1)],
        (_, _, false) if variable.elements.is_none() => {
            out.push(format!("# {}", title(variable)));
            return variable.members.iter().for_each(|member| write(member, out));
        }
        (_, _, false) => return describe(variable, 0, out),
    };
    if is_zero && (words.len() > ZEROS || words.is_empty()) {
        return describe(variable, 0, out);
    }
    let kind = number_type(&variable.type_name);
    let (kind, values) = match values(kind, &words) {
        Some(values) => (kind, values),
        None => (NumberType::U32, words.iter().map(u32::to_string).collect()),
    };
    let unused = if variable.is_used { "" } else { ", which the shader does not read" };
    let value = format!("{{ byte = {offset}, {kind} = [{}] }},", values.join(", "));
    out.push(format!("{value:<31} # {}{unused}", title(variable)));
}

/// Comments that say where a variable lies, and its members.
fn describe(variable: &Variable, depth: usize, out: &mut Vec<String>) {
    let place = match variable.place {
        Some(Place::Bytes { offset, .. }) => format!("byte {offset}: "),
        _ => String::new(),
    };
    out.push(format!("# {:1$}{place}{2}", "", 2 * depth, title(variable)));
    variable.members.iter().for_each(|member| describe(member, depth + 1, out));
}

fn title(variable: &Variable) -> String {
    let array = variable.elements.map_or(String::new(), |count| format!("[{count}]"));
    format!("{} {}{array}", variable.type_name, variable.name)
}

/// Words of a scalar or vector.
fn plain_words(variable: &Variable) -> Option<usize> {
    if variable.elements.is_some() {
        return None;
    }
    let name = variable.type_name.as_str();
    let base = name.trim_end_matches(['1', '2', '3', '4']);
    let count = match &name[base.len()..] {
        "" => 1,
        digits => digits.parse().ok()?,
    };
    match base {
        "double" => Some(2 * count),
        "float" | "int" | "uint" | "bool" => Some(count),
        _ => None,
    }
}

/// The numbers of a type of the source, by its first letters. Those of less precision lie in whole words too.
fn number_type(name: &str) -> NumberType {
    let name = name.strip_prefix("row_major ").unwrap_or(name);
    let name = name.trim_start_matches("min").trim_start_matches(|letter: char| letter.is_ascii_digit());
    match () {
        () if name.starts_with("float") => NumberType::F32,
        () if name.starts_with("double") => NumberType::F64,
        () if name.starts_with("int") => NumberType::I32,
        () => NumberType::U32,
    }
}

/// The words as numbers of a type; `None` where TOML would not keep their bits.
fn values(kind: NumberType, words: &[u32]) -> Option<Vec<String>> {
    let float = |is_finite: bool, text: String| is_finite.then_some(text);
    match kind {
        NumberType::F32 => {
            let floats = words.iter().map(|word| f32::from_bits(*word));
            floats.map(|value| float(value.is_finite(), format!("{value:?}"))).collect()
        }
        NumberType::F64 => {
            let (pairs, rest) = words.as_chunks::<2>();
            let doubles = pairs.iter().map(|[low, high]| f64::from_bits(u64::from(*high) << 32 | u64::from(*low)));
            let texts = doubles.map(|value| float(value.is_finite(), format!("{value:?}")));
            texts.chain(iter::repeat_n(None, rest.len())).collect()
        }
        NumberType::I32 => Some(words.iter().map(|word| word.cast_signed().to_string()).collect()),
        _ => Some(words.iter().map(u32::to_string).collect()),
    }
}
