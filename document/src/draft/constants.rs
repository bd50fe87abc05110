//! The variables of constant buffers and of elements, with their types, places and first values.

use std::iter;

use brolga_bytecode::info::{Constants, Location, Variable};

use super::first_values::{Located, Words};
use super::page::with_comment;
use super::type_name::TypeName;
use super::type_name::{element_words, whole_registers, words_before};
use crate::model::number::NumberType;
use crate::schema::is_key;
use crate::text::key;

/// Bytes of a constant buffer at most.
const MOST: u32 = 4096 * 16;
/// Words that are written out though they are zero; more of them would only be in the way.
const ZEROS: usize = 16;
/// Words of an array that are written out; the rest of a longer one is zero.
const ARRAY: usize = 64;
/// Structures in each other at most.
const DEPTH: usize = 8;

/// The lines of a constant buffer's table.
pub(super) fn content(vectors: u32, constants: Option<&Constants>, words: &Words) -> Vec<String> {
    let mut out = Content { words: Some(words), ..Content::default() };
    let variables = constants.map_or(&[][..], |constants| &constants.variables);
    // What could be no source's is described, as nothing can be said of it by name.
    match are_sound(variables) {
        true => variables.iter().for_each(|variable| out.variable(variable)),
        false => variables.iter().for_each(|variable| describe(variable, 0, &mut out.lines)),
    }
    // What another shader has behind them.
    let end = constants.and_then(|constants| constants.size_bytes).unwrap_or(0) as usize / 4;
    let rest = words.from(if out.is_said { end } else { 0 });
    let has_more = rest.iter().any(|word| *word != 0);
    let mut lines = Vec::new();
    if !out.is_said && out.at.is_empty() {
        if has_more {
            let (kind, numbers) = numbers(rest);
            lines.push(format!("{kind} = [{}]", numbers.join(", ")));
        } else {
            let said = constants.and_then(|constants| constants.size_bytes).unwrap_or(0);
            let size = vectors.saturating_mul(16).max(said).clamp(1, MOST).next_multiple_of(16);
            lines.push(format!("size = {size}"));
            lines.push("fill = \"zero\"".into());
        }
    } else if has_more && out.is_said {
        let (kind, numbers) = numbers(rest);
        out.at.push(format!("{{ byte = {}, {kind} = [{}] }}, # of the pixel shader", 4 * end, numbers.join(", ")));
    }
    lines.extend(out.lines);
    if !out.at.is_empty() {
        lines.push("at = [".into());
        lines.extend(out.at.iter().map(|line| format!("    {line}")));
        lines.push("]".into());
    }
    lines
}

/// Vectors that hold all variables of Direct3D 9 that are floats.
pub(super) fn vectors(constants: &Constants) -> u32 {
    let floats =
        constants.variables.iter().filter(|variable| matches!(variable.location, Some(Location::Bytes { .. })));
    let ends = floats.map(|variable| variable.location_words().saturating_add(whole_words(variable)));
    ends.max().unwrap_or(0).div_ceil(4).min(MOST as usize / 16) as u32
}

/// The lines of a draw's constants of Direct3D 9. Those of other registers than floats' have no words: they are 1, or
/// true.
pub(super) fn of_direct3d9(constants: &Constants, words: &Words) -> Vec<String> {
    let mut lines = Vec::new();
    if !are_sound(&constants.variables) {
        return lines;
    }
    for variable in &constants.variables {
        let is_float = matches!(variable.location, Some(Location::Bytes { .. }));
        let ones = vec![1; ARRAY];
        let from = if is_float { words.from(variable.location_words()) } else { &ones };
        let is_left = !is_float && variable.default.is_some();
        if let Some(value) = value(variable, from, Form::Lists, 0).filter(|_| !is_left) {
            lines.push(with_comment(&format!("{} = {value}", key(&variable.name)), &title(variable)));
        }
    }
    lines
}

/// `true` if variables are such as a compiler writes: each with a name that no other has, and a place where no other
/// is, within what a constant buffer can hold.
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
struct Content<'a> {
    words: Option<&'a Words>,
    lines: Vec<String>,
    /// Values of what has no name or type that a document knows.
    at: Vec<String>,
    /// A variable is named in them.
    is_said: bool,
}

impl Content<'_> {
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
        if !variable.members.is_empty() && variable.elements.is_none() && variable.default.is_none() {
            let inner = |member: &Variable| format!("{name}.{}", key(&member.name));
            return variable.members.iter().for_each(|member| self.named(member, &inner(member)));
        }
        let length = whole_words(variable).max(size.map_or(0, |size| size as usize / 4)).min(MOST as usize / 4);
        let mut words = self.words.map_or(&[][..], |words| words.from(variable.location_words())).to_vec();
        words.resize(length, 0);
        let is_zero = words.iter().all(|word| *word == 0);
        match value(variable, &words, Form::Tables, 0).filter(|_| !is_zero || length <= ZEROS) {
            Some(value) => {
                self.is_said = true;
                self.lines.push(with_comment(&format!("{name} = {value}"), &title));
            }
            None if is_zero => describe(variable, 0, &mut self.lines),
            None => {
                let (kind, numbers) = numbers_of(number_type(&variable.type_name), &words);
                self.at.push(format!("{{ byte = {offset}, {kind} = [{}] }}, # {title}", numbers.join(", ")));
            }
        }
    }
}

/// How structures are written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    /// With the names of members.
    Tables,
    /// Member by member, as the constants of Direct3D 9.
    Lists,
}

/// The value of a variable with these words, as a document says it: of a long array its first elements, unless the
/// source says them. `None` for what has no name or type that a document knows, and for what TOML has no number for.
fn value(variable: &Variable, words: &[u32], form: Form, depth: usize) -> Option<String> {
    let one = |words: &[u32]| match variable.members.is_empty() {
        true => numbers_by_type(TypeName::parse(&variable.type_name)?, words),
        false if depth == DEPTH => None,
        false => {
            let members = variable.members.iter().map(|member| {
                let value = value(member, words.get(words_before(variable, member)..)?, form, depth + 1)?;
                Some(if form == Form::Tables { format!("{} = {value}", key(&member.name)) } else { value })
            });
            let members = members.collect::<Option<Vec<_>>>()?.join(", ");
            Some(if form == Form::Tables { format!("{{ {members} }}") } else { format!("[{members}]") })
        }
    };
    let Some(count) = variable.elements else { return one(words) };
    // Every element begins at a vector.
    let stride = whole_registers(element_words(variable)).max(1);
    let most = if variable.default.is_some() { usize::MAX } else { ARRAY.div_ceil(stride) };
    let elements = (0..most.min(count as usize)).map(|n| one(words.get(n.checked_mul(stride)?..)?));
    Some(format!("[{}]", elements.collect::<Option<Vec<_>>>()?.join(", ")))
}

/// A number, or the list of a vector's, or of a matrix the list of its rows.
fn numbers_by_type(name: TypeName, words: &[u32]) -> Option<String> {
    let number = |line: usize, component: usize| {
        let at = line * name.line_words() + component * name.number_words();
        let words = words.get(at..at + name.number_words())?;
        match name.is_bool {
            true => Some((words[0] != 0).to_string()),
            false => Some(values(name.number, words)?.concat()),
        }
    };
    let [rows, columns] = name.sides();
    let row = |row: usize| {
        let place = |column| if name.lines.is_some() && !name.is_row_major { [column, row] } else { [row, column] };
        let numbers = (0..columns).map(|column| number(place(column)[0], place(column)[1]));
        numbers.collect::<Option<Vec<_>>>().map(|numbers| numbers.join(", "))
    };
    match (name.lines, name.is_vector) {
        (None, false) => row(0),
        (None, true) => Some(format!("[{}]", row(0)?)),
        (Some(_), _) => {
            let rows = (0..rows).map(|n| Some(format!("[{}]", row(n)?))).collect::<Option<Vec<_>>>()?;
            Some(format!("[{}]", rows.join(", ")))
        }
    }
}

/// Words as numbers of a type, where TOML keeps their bits.
fn numbers_of(kind: NumberType, words: &[u32]) -> (NumberType, Vec<String>) {
    match values(kind, words) {
        Some(values) => (kind, values),
        None => (NumberType::U32, words.iter().map(u32::to_string).collect()),
    }
}

/// Words of which no type is known: floats, if all could be such.
fn numbers(words: &[u32]) -> (NumberType, Vec<String>) {
    let is_float = words.iter().all(|word| *word == 0 || f32::from_bits(*word).is_normal());
    numbers_of(if is_float { NumberType::F32 } else { NumberType::U32 }, words)
}

/// Words of a variable, from its first to its last.
fn whole_words(variable: &Variable) -> usize {
    let (element, count) = (element_words(variable), variable.elements.unwrap_or(1).max(1) as usize);
    (count - 1).saturating_mul(whole_registers(element)).saturating_add(element)
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
