//! The variables of constant buffers and of elements, with their types, places and first values.

use std::iter;

use brolga_bytecode::info::{Constants, Location, Variable};

use super::super::type_name::TypeName;
use super::{key, with_comment};
use crate::model::number::NumberType;
use crate::schema::is_key;

/// Bytes of a constant buffer at most.
const MOST: u32 = 4096 * 16;
/// Words that are written out though they are zero; more of them would only be in the way.
const ZEROS: usize = 16;

/// What a table of a constant buffer says, line by line.
pub(super) fn content(vectors: u32, constants: Option<&Constants>) -> Vec<String> {
    let mut out = Content::default();
    let variables = constants.map_or(&[][..], |constants| &constants.variables);
    // What could be no source's is described, as nothing can be said of it by name.
    match are_sound(variables) {
        true => variables.iter().for_each(|variable| out.variable(variable)),
        false => variables.iter().for_each(|variable| describe(variable, 0, &mut out.lines)),
    }
    let mut lines = Vec::new();
    if !out.is_said && out.at.is_empty() {
        let said = constants.and_then(|constants| constants.size_bytes).unwrap_or(0);
        let size = vectors.saturating_mul(16).max(said).clamp(1, MOST).next_multiple_of(16);
        lines.push(format!("size = {size}"));
        lines.push("fill = \"zero\"".into());
    }
    lines.extend(out.lines);
    if !out.at.is_empty() {
        lines.push("at = [".into());
        lines.extend(out.at.iter().map(|line| format!("    {line}")));
        lines.push("]".into());
    }
    lines
}

/// Whether variables are such as a compiler writes: each with a name that no other has, and a place where no other is, within what
/// a constant buffer can hold.
fn are_sound(variables: &[Variable]) -> bool {
    let place = |variable: &Variable| match variable.location {
        Some(Location::Bytes { offset, size }) => {
            let words = plain_words(variable).unwrap_or(0).max(size.map_or(0, |size| size as usize / 4));
            Some((u64::from(offset), u64::from(offset) + 4 * words as u64))
        }
        _ => None,
    };
    let mut places: Vec<_> = variables.iter().filter_map(place).collect();
    places.sort_unstable();
    let mut names: Vec<_> = variables.iter().map(|variable| &variable.name).collect();
    names.sort_unstable();
    places.windows(2).all(|pair| pair[0].1 <= pair[1].0)
        && places.iter().all(|place| place.1 <= u64::from(MOST))
        && names.windows(2).all(|pair| pair[0] != pair[1])
        && variables.iter().all(|variable| are_sound(&variable.members))
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

/// The lines about a constant buffer as they grow.
#[derive(Default)]
struct Content {
    lines: Vec<String>,
    /// Values of what has no name or type that a document knows.
    at: Vec<String>,
    /// A variable is named in them.
    is_said: bool,
}

impl Content {
    /// The values of a variable, or a comment where it has too many that are all zero.
    fn variable(&mut self, variable: &Variable) {
        let name = match key(&variable.name) {
            name if is_key(&variable.name) => format!("values.{name}"),
            name => name,
        };
        self.named(variable, &name);
    }

    fn named(&mut self, variable: &Variable, name: &str) {
        let Some(Location::Bytes { offset, size }) = variable.location else { return };
        let unused = if variable.is_used { "" } else { ", which the shader does not read" };
        let title = format!("{}{unused}", title(variable));
        let default = variable.default.as_ref().filter(|words| words.iter().any(|word| *word != 0));
        let kind = number_type(&variable.type_name);
        if let Some(words) = default {
            if let Some(value) = value(variable, words) {
                self.is_said = true;
                return self.lines.push(with_comment(&format!("{name} = {value}"), &title));
            }
            let (kind, values) = match values(kind, words) {
                Some(values) => (kind, values),
                None => (NumberType::U32, words.iter().map(u32::to_string).collect()),
            };
            return self.at.push(format!("{{ byte = {offset}, {kind} = [{}] }}, # {title}", values.join(", ")));
        }
        if !variable.members.is_empty() && variable.elements.is_none() {
            let inner = |member: &Variable| format!("{name}.{}", key(&member.name));
            return variable.members.iter().for_each(|member| self.named(member, &inner(member)));
        }
        let words = plain_words(variable).or(size.map(|size| size as usize / 4)).unwrap_or(usize::MAX);
        match value(variable, &vec![0; words.min(ZEROS + 1)]).filter(|_| words <= ZEROS) {
            Some(value) => {
                self.is_said = true;
                self.lines.push(with_comment(&format!("{name} = {value}"), &title));
            }
            None => describe(variable, 0, &mut self.lines),
        }
    }
}

/// The value of a scalar, a vector or an array of them, as a document says it. `None` for others, and for what TOML has no number
/// for.
fn value(variable: &Variable, words: &[u32]) -> Option<String> {
    let element = Variable { elements: None, ..variable.clone() };
    let length = plain_words(&element)?;
    let TypeName { number, is_bool, is_vector, .. } = TypeName::parse(&element.type_name)?;
    let one = |words: &[u32]| {
        let numbers = match is_bool {
            true => words.iter().map(|word| (*word != 0).to_string()).collect(),
            false => values(number, words)?,
        };
        Some(if is_vector { format!("[{}]", numbers.join(", ")) } else { numbers.concat() })
    };
    let Some(count) = variable.elements else { return one(words.get(..length)?) };
    // Every element begins at a vector.
    let stride = length.next_multiple_of(4);
    let elements = (0..count as usize).map(|n| one(words.get(n.checked_mul(stride)?..)?.get(..length)?));
    Some(format!("[{}]", elements.collect::<Option<Vec<_>>>()?.join(", ")))
}

/// Comments that say where a variable lies, and its members.
fn describe(variable: &Variable, depth: usize, out: &mut Vec<String>) {
    let place = match variable.location {
        Some(Location::Bytes { offset, .. }) => format!("byte {offset}: "),
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
    let plain = TypeName::parse(&variable.type_name).filter(|name| name.lines.is_none());
    plain.filter(|_| variable.elements.is_none()).map(TypeName::words)
}

/// The numbers of a type of the source; words where it is none of numbers.
fn number_type(name: &str) -> NumberType {
    TypeName::parse(name).map_or(NumberType::U32, |name| name.number)
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
