//! What fxc's header comment says for people and for reflection: constant buffers, bindings, classes.
//!
//! Flags of the compilation, the numbers of base classes and the like are not in the comment, and stay 0.

use super::AssembleError;
use super::comment::{Comment, Line};
use crate::container::classes::{ClassChoice, ClassInstance, ClassLinkage, ClassType, InterfaceSlots};
use crate::container::resources::{
    Binding, BindingKind, Buffer, BufferKind, Member, ResourceDefinitions, Variable, VariableType,
};
use crate::listing::bindings::{DIMENSIONS, RETURN_TYPES};
use crate::listing::buffers::{BASE_TYPES, INTERFACE, INTERFACE_POINTER, USED};
use crate::sm5::Model;

/// Reads the buffers and bindings.
pub(super) fn resources(
    comment: &Comment<'_>,
    creator: &str,
    model: Model,
) -> Result<ResourceDefinitions, AssembleError> {
    let (major, minor) = model.numbers();
    let has_ids = model == Model::Sm5_1;
    let bindings = comment.rows("Resource Bindings:").map(|line| {
        binding(line.content(), has_ids).ok_or_else(|| comment.wrong(&line, "a row of the resource bindings"))
    });
    let bindings = bindings.collect::<Result<_, _>>()?;
    let mut lines = Lines { comment, left: comment.behind("Buffer Definitions:") };
    let mut buffers = Vec::new();
    while let Some(buffer) = lines.buffer()? {
        buffers.push(buffer);
    }
    Ok(ResourceDefinitions {
        version: (major as u8, minor as u8),
        creator: creator.to_owned(),
        flags: 0,
        bindings,
        buffers,
    })
}

/// Reads `albedo texture float4 2d T0 t3,space1 1`.
fn binding(row: &str, has_ids: bool) -> Option<Binding> {
    const COMPARISON: u32 = 2;
    let mut columns = row.split_whitespace();
    let mut next = || columns.next();
    let (name, ty, format, dimension) = (next()?, next()?, next()?, next()?);
    let id = if has_ids { Some(digits_behind(next()?)?) } else { None };
    let (register, count) = (next()?, next()?);
    let (register, space) = match register.split_once(",space") {
        Some((register, space)) => (register, space.parse().ok()?),
        None => (register, 0),
    };
    let bind_point = digits_behind(register)?;
    let kind = match (ty, format, dimension) {
        ("cbuffer", ..) => BindingKind::ConstantBuffer,
        ("tbuffer", ..) => BindingKind::TextureBuffer,
        ("sampler" | "sampler_c", ..) => BindingKind::Sampler,
        ("texture", "struct", _) => BindingKind::Structured,
        ("texture", "byte", _) => BindingKind::Raw,
        ("texture", ..) => BindingKind::Texture,
        ("UAV", "byte", _) => BindingKind::UavRaw,
        ("UAV", "struct", "append") => BindingKind::UavAppend,
        ("UAV", "struct", "consume") => BindingKind::UavConsume,
        ("UAV", "struct", "r/w+cnt") => BindingKind::UavCounter,
        ("UAV", "struct", _) => BindingKind::UavStructured,
        ("UAV", ..) => BindingKind::UavTyped,
        _ => return None,
    };
    let mut binding = Binding {
        name: name.to_owned(),
        kind,
        return_type: 0,
        dimension: 0,
        samples_or_stride: 0,
        bind_point,
        bind_count: if count == "unbounded" { 0 } else { count.parse().ok()? },
        flags: if ty == "sampler_c" { COMPARISON } else { 0 },
        space,
        id: id.unwrap_or(bind_point),
    };
    if matches!(kind, BindingKind::Texture | BindingKind::UavTyped) {
        let (format, components) = split_number(format);
        binding.return_type = number_of(RETURN_TYPES, format)?;
        binding.flags = (components.unwrap_or(1).clamp(1, 4) - 1) << 2;
        // The longest name counts: `2d` begins `2darray`.
        let known =
            DIMENSIONS.iter().filter(|(_, text)| dimension.starts_with(text)).max_by_key(|(_, text)| text.len())?;
        binding.dimension = known.0;
        // Without a number it is not known, and what has no samples has all ones.
        let unknown = if known.1.ends_with("MS") { 0 } else { u32::MAX };
        binding.samples_or_stride = dimension.strip_prefix(known.1)?.parse().unwrap_or(unknown);
    }
    Some(binding)
}

/// The number at the end of a register's name.
fn digits_behind(register: &str) -> Option<u32> {
    register.trim_start_matches(|letter: char| !letter.is_ascii_digit()).parse().ok()
}

/// A text and the number at its end.
fn split_number(text: &str) -> (&str, Option<u32>) {
    let name = text.trim_end_matches(|letter: char| letter.is_ascii_digit());
    (name, text.get(name.len()..).and_then(|digits| digits.parse().ok()))
}

fn number_of(names: &[(u32, &str)], text: &str) -> Option<u32> {
    names.iter().find(|(_, known)| *known == text).map(|(number, _)| *number)
}

/// Structures within structures.
const DEPTH: u32 = 16;

/// The lines of the buffers that are left.
struct Lines<'c, 't> {
    comment: &'c Comment<'t>,
    left: &'c [Line<'t>],
}

/// Where a variable or member lies, from what stands behind its declaration.
struct Place {
    offset_bytes: u32,
    size_bytes: u32,
    is_used: bool,
}

impl<'t> Lines<'_, 't> {
    /// The next line with something in it.
    fn next(&mut self, expected: &str) -> Result<Line<'t>, AssembleError> {
        loop {
            let (line, left) = self.left.split_first().ok_or_else(|| self.comment.ends(expected))?;
            self.left = left;
            if !line.content().is_empty() {
                return Ok(*line);
            }
        }
    }

    fn peek(&self) -> Option<Line<'t>> {
        self.left.iter().copied().find(|line| !line.content().is_empty())
    }

    /// The next buffer, if there is one.
    fn buffer(&mut self) -> Result<Option<Buffer>, AssembleError> {
        const KINDS: [(&str, BufferKind); 4] = [
            ("cbuffer ", BufferKind::ConstantBuffer),
            ("tbuffer ", BufferKind::TextureBuffer),
            ("interfaces ", BufferKind::InterfacePointers),
            ("Resource bind info for ", BufferKind::ResourceElements),
        ];
        let Some(line) = self.peek() else { return Ok(None) };
        let title = KINDS.iter().find_map(|(title, kind)| Some((line.content().strip_prefix(title)?, *kind)));
        let Some((name, kind)) = title else { return Ok(None) };
        self.next("a buffer")?;
        self.brace("{")?;
        let mut variables: Vec<Variable> = Vec::new();
        while self.peek().is_none_or(|line| line.content() != "}") {
            if let Some(words) = self.peek().and_then(|line| line.content().strip_prefix("= ")) {
                let line = self.next("a default value")?;
                let default = self.default(&line, words)?;
                let variable = variables.last_mut().ok_or_else(|| self.comment.wrong(&line, "a variable"))?;
                if default.len() != (variable.size_bytes as usize).next_multiple_of(4) {
                    return Err(self.comment.wrong(&line, "a default value of the variable's size"));
                }
                variable.default = Some(default);
                continue;
            }
            let (name, ty, place) = self.declaration(0)?;
            variables.push(Variable {
                name,
                offset_bytes: place.offset_bytes,
                size_bytes: place.size_bytes,
                flags: if place.is_used { USED } else { 0 },
                ty,
                default: None,
            });
        }
        self.brace("}")?;
        // Rounded up to whole vectors, as the compiler does it.
        let end = variables.iter().map(|variable| variable.offset_bytes.saturating_add(variable.size_bytes)).max();
        let size_bytes = match kind {
            BufferKind::ConstantBuffer | BufferKind::TextureBuffer => end.unwrap_or(0).div_ceil(16).saturating_mul(16),
            _ => end.unwrap_or(0),
        };
        Ok(Some(Buffer { name: name.to_owned(), size_bytes, flags: 0, kind, variables }))
    }

    fn brace(&mut self, brace: &str) -> Result<(), AssembleError> {
        let line = self.next(brace)?;
        if line.content() == brace { Ok(()) } else { Err(self.comment.wrong(&line, brace)) }
    }

    /// Words over one line or several.
    fn default(&mut self, first: &Line<'_>, words: &str) -> Result<Vec<u8>, AssembleError> {
        let mut bytes = Vec::new();
        let mut add = |line: &Line<'_>, words: &str| {
            for word in words.split_whitespace() {
                let word = word.strip_prefix("0x").and_then(|digits| u32::from_str_radix(digits, 16).ok());
                bytes.extend(word.ok_or_else(|| self.comment.wrong(line, "words in hexadecimal"))?.to_le_bytes());
            }
            Ok(())
        };
        add(first, words)?;
        while let Some((line, left)) = self.left.split_first().filter(|(line, _)| line.content().starts_with("0x")) {
            add(line, line.content())?;
            self.left = left;
        }
        Ok(bytes)
    }

    /// A variable or member.
    fn declaration(&mut self, depth: u32) -> Result<(String, VariableType, Place), AssembleError> {
        let line = self.next("a variable")?;
        let content = line.content();
        if content != "struct" && !content.starts_with("struct ") {
            let (declared, place) = self.place(&line)?;
            let (ty, name) = declared.rsplit_once(' ').ok_or_else(|| self.comment.wrong(&line, "a type and a name"))?;
            let ty = plain_type(ty).ok_or_else(|| self.comment.wrong(&line, "a type and a name"))?;
            let (name, elements) = array(name);
            return Ok((name.to_owned(), VariableType { elements, ..ty }, place));
        }
        if depth >= DEPTH {
            return Err(self.comment.wrong(&line, "fewer structures within structures"));
        }
        self.brace("{")?;
        let mut members = Vec::new();
        while !self.peek().is_some_and(|line| line.content().starts_with('}')) {
            let (name, ty, place) = self.declaration(depth + 1)?;
            members.push(Member { name, offset_bytes: place.offset_bytes, ty });
        }
        let end = self.next("}")?;
        let (declared, place) = self.place(&end)?;
        // The comment counts members from the beginning of the buffer, and the file from that of the structure.
        for member in &mut members {
            member.offset_bytes = member.offset_bytes.wrapping_sub(place.offset_bytes);
        }
        let (name, elements) = array(declared.trim_start_matches('}').trim_start());
        let columns = members.len() as u16;
        let ty_name = content.strip_prefix("struct ").map(str::to_owned);
        let ty = VariableType { class: STRUCTURE, base: 0, rows: 1, columns, elements, members, name: ty_name };
        Ok((name.to_owned(), ty, place))
    }

    /// What stands before and behind `// Offset:`; the numbers of interfaces that are not used are not known.
    fn place(&self, line: &Line<'t>) -> Result<(&'t str, Place), AssembleError> {
        let read = || {
            let (declared, place) = line.content().split_once("// Offset:")?;
            let declared = declared.trim_end().strip_suffix(';')?;
            let mut columns = place.split_whitespace().filter(|column| *column != "Size:");
            let mut number = || match columns.next() {
                None => Some(0),
                Some("N/A") => Some(u32::MAX),
                Some(digits) => digits.parse().ok(),
            };
            let (offset_bytes, size_bytes) = (number()?, number()?);
            Some((declared, Place { offset_bytes, size_bytes, is_used: !place.ends_with("[unused]") }))
        };
        read().ok_or_else(|| self.comment.wrong(line, "a declaration and its offset"))
    }
}

/// The class of a structure.
const STRUCTURE: u16 = 5;

/// `name[3]`
fn array(declared: &str) -> (&str, u16) {
    let split = declared.strip_suffix(']').and_then(|rest| rest.rsplit_once('['));
    match split.and_then(|(name, count)| Some((name, count.parse().ok()?))) {
        Some(found) => found,
        None => (declared, 0),
    }
}

/// `float`, `float4`, `row_major float3x4`, `interface ILight`.
fn plain_type(text: &str) -> Option<VariableType> {
    let bare = VariableType { class: 0, base: 0, rows: 1, columns: 1, elements: 0, members: Vec::new(), name: None };
    let named = VariableType { name: Some(text.to_owned()), ..bare.clone() };
    if let Some(name) = text.strip_prefix("interface ") {
        let name = Some(name.to_owned());
        return Some(VariableType { class: INTERFACE, base: INTERFACE_POINTER, name, ..bare });
    }
    let (is_row_major, text) = match text.strip_prefix("row_major ") {
        Some(text) => (true, text),
        None => (false, text),
    };
    // The longest name counts: numbers belong to some.
    let base = BASE_TYPES.iter().filter(|(_, name)| text.starts_with(name)).max_by_key(|(_, name)| name.len())?;
    let size = text.strip_prefix(base.1)?;
    let ty = VariableType { base: base.0, ..named };
    match size.split_once('x') {
        Some((rows, columns)) => {
            let class = if is_row_major { 2 } else { 3 };
            Some(VariableType { class, rows: rows.parse().ok()?, columns: columns.parse().ok()?, ..ty })
        }
        None if size.is_empty() => Some(ty),
        None => Some(VariableType { class: 1, columns: size.parse().ok()?, ..ty }),
    }
}

/// Reads the tables of classes; `None` if there are none.
pub(super) fn classes(comment: &Comment<'_>) -> Result<Option<ClassLinkage>, AssembleError> {
    if comment.behind("Available Class Types:").is_empty() {
        return Ok(None);
    }
    let mut linkage = ClassLinkage::default();
    for line in comment.rows("Available Class Types:") {
        linkage.classes.push(class(line.content()).ok_or_else(|| comment.wrong(&line, "a class and four numbers"))?);
    }
    for line in comment.rows("Available Class Instances:") {
        let found = instance(line.content()).ok_or_else(|| comment.wrong(&line, "an instance and five registers"))?;
        linkage.instances.push(found);
    }
    let mut first = 0_u32;
    let mut classes: Option<(u32, Vec<u16>)> = None;
    for line in comment.behind("Interface slots,") {
        let columns: Vec<&str> = line.content().split('|').map(str::trim).collect();
        match columns.as_slice() {
            ["", "Type ID", slots, numbers] => {
                let found = slot_count(slots).zip(numbers_in(numbers));
                classes = Some(found.ok_or_else(|| comment.wrong(line, "slots and the numbers of classes"))?);
            }
            ["", "Table ID", _, numbers] => {
                let found = classes.take().zip(numbers_in::<u32>(numbers));
                let found = found.filter(|((_, classes), tables)| classes.len() == tables.len());
                let ((count, classes), tables) = found.ok_or_else(|| comment.wrong(line, "a table for each class"))?;
                let choices = classes.into_iter().zip(tables).map(|(class, table)| ClassChoice { class, table });
                linkage.slots.push(InterfaceSlots { first, count, choices: choices.collect() });
                first = first.saturating_add(count);
            }
            _ => {}
        }
    }
    Ok(Some(linkage))
}

fn class(row: &str) -> Option<ClassType> {
    let mut columns = row.split_whitespace();
    let name = columns.next()?.to_owned();
    let numbers: Vec<u16> = columns.map(|column| column.parse().ok()).collect::<Option<_>>()?;
    let [_, vectors, textures, samplers] = numbers[..] else { return None };
    Some(ClassType { name, vectors, textures, samplers })
}

fn instance(row: &str) -> Option<ClassInstance> {
    let mut columns = row.split_whitespace();
    let name = columns.next()?.to_owned();
    let register = |column: &str| if column == "-" { Some(None) } else { column.parse().ok().map(Some) };
    let numbers: Vec<Option<u16>> = columns.map(register).collect::<Option<_>>()?;
    let [Some(class), constant_buffer, Some(vector), texture, sampler] = numbers[..] else { return None };
    Some(ClassInstance { name, class, count: 1, constant_buffer, vector, texture, sampler })
}

/// How many slots `0` or `1-2` are.
fn slot_count(slots: &str) -> Option<u32> {
    match slots.split_once('-') {
        None => slots.parse().ok().map(|_: u32| 1),
        Some((first, last)) => {
            let (first, last): (u32, u32) = (first.parse().ok()?, last.parse().ok()?);
            last.checked_sub(first)?.checked_add(1)
        }
    }
}

fn numbers_in<T: std::str::FromStr>(columns: &str) -> Option<Vec<T>> {
    columns.split_whitespace().map(|column| column.parse().ok()).collect()
}
