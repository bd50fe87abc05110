//! Converts values of a constant buffer's variables, given by their names in the source, to bytes.
//!
//! Offsets and types come from the resource definitions (RDEF). In a constant buffer every element of an array, and
//! every row or column of a matrix, begins at a multiple of 16 bytes.

use std::collections::HashMap;

use brolga_bytecode::container::resources::{Buffer, VariableType};
use brolga_files::short;

use crate::error::{Fault, Problem, nearest};
use crate::model::number::{Number, NumberType};
use crate::model::resource::{NamedValue, ValueRun};
use crate::schema::CONSTANT_KEYS;
use crate::text::{Node, Value};

/// Bytes of a vector of four words, where elements, rows and columns begin.
const VECTOR: u64 = 16;

/// The values that a register's binding gives to variables of its buffer.
pub(crate) fn runs(label: &str, values: &[NamedValue], buffer: Option<&Buffer>) -> Result<Vec<ValueRun>, Fault> {
    let unknown = |value: &NamedValue, known: Vec<String>| {
        let keys = if value.is_explicit { &[] } else { CONSTANT_KEYS };
        let names: Vec<&str> = known.iter().map(String::as_str).chain(keys.iter().copied()).collect();
        let nearest = nearest(&value.name, &names).map(str::to_owned);
        let (place, name) = (format!("{label} has no variable"), value.name.clone());
        (Problem::UnknownVariable { place, name, nearest, known }, value.span.clone())
    };
    let all = buffer.map_or(Vec::new(), variables);
    let by_name: HashMap<&str, (&VariableType, u32)> =
        all.iter().rev().map(|(name, ty, at)| (*name, (*ty, *at))).collect();
    let mut writer = ValueWriter { runs: Vec::new() };
    for value in values {
        match by_name.get(value.name.as_str()) {
            Some((ty, offset)) => writer.any(&value.node, &value.name, ty, u64::from(*offset))?,
            None => return Err(unknown(value, all.iter().map(|(name, ..)| (*name).to_owned()).collect())),
        }
    }
    Ok(writer.runs)
}

/// The variables of a buffer with their types and offsets.
fn variables(buffer: &Buffer) -> Vec<(&str, &VariableType, u32)> {
    let mut all: Vec<_> = buffer.variables.iter().map(|one| (one.name.as_str(), &one.ty, one.offset_bytes)).collect();
    // A `ConstantBuffer<T>` is one structure with the buffer's name; for an array, with that of an element.
    if let [one] = buffer.variables.as_slice()
        && one.ty.elements == 0
        && buffer.name.split('[').next() == Some(&one.name)
    {
        let absolute = |offset: u32| one.offset_bytes.saturating_add(offset);
        all.extend(one.ty.members.iter().map(|inner| (inner.name.as_str(), &inner.ty, absolute(inner.offset_bytes))));
    }
    all
}

/// Rejects named values that overlap others.
pub(crate) fn check_overlaps(label: &str, others: &[ValueRun], named: &[ValueRun]) -> Result<(), Fault> {
    let mut all: Vec<(&ValueRun, bool)> = others.iter().map(|run| (run, false)).collect();
    all.extend(named.iter().map(|run| (run, true)));
    all.sort_by_key(|(run, _)| run.byte);
    let (mut end, mut named_end) = (0, 0);
    for (run, is_named) in all.into_iter().filter(|(run, _)| !run.bytes.is_empty()) {
        if run.byte < named_end || (is_named && run.byte < end) {
            let message = format!("byte {} of {label} is set twice", run.byte);
            return Err((Problem::value(message), run.span.clone()));
        }
        end = end.max(run.end());
        if is_named {
            named_end = named_end.max(run.end());
        }
    }
    Ok(())
}

struct ValueWriter {
    runs: Vec<ValueRun>,
}

impl ValueWriter {
    /// Writes a value of any type at a byte. `path` is its name in messages.
    fn any(&mut self, node: &Node, path: &str, ty: &VariableType, byte: u64) -> Result<(), Fault> {
        if ty.elements == 0 {
            return self.one(node, path, ty, byte);
        }
        let most = usize::from(ty.elements);
        let items = list(node, path, || format!("an array of at most {most} elements"), |found| found <= most)?;
        let stride = one_size(ty).next_multiple_of(VECTOR);
        for (n, item) in items.iter().enumerate() {
            self.one(item, &format!("{path}[{n}]"), ty, byte.saturating_add(stride.saturating_mul(n as u64)))?;
        }
        Ok(())
    }

    /// The same for a type that is not an array, or an element of one.
    fn one(&mut self, node: &Node, path: &str, ty: &VariableType, byte: u64) -> Result<(), Fault> {
        if !ty.members.is_empty() {
            return self.structure(node, path, ty, byte);
        }
        let (rows, columns) = (usize::from(ty.rows), usize::from(ty.columns));
        let Some(of) = number_type(ty.base).filter(|_| ty.class <= 3) else {
            return Err(wrong_type(path, format!("no value: it is a {}", type_text(ty)), node));
        };
        let size = of.size_bytes() as u64;
        match ty.class {
            0 => {
                let number = component(node, path, ty, of)?;
                self.push(byte, &[number], node);
            }
            1 => {
                let numbers = vector(node, path, ty, of, columns)?;
                self.push(byte, &numbers, node);
            }
            class => {
                // Those of WGSL are written by columns, as they lie in memory.
                let lines = if type_text(ty).starts_with("mat") { "columns" } else { "rows" };
                let wants = || format!("an array of {rows} {lines} ({})", type_text(ty));
                let lines = list(node, path, wants, |found| found == rows)?;
                for (row, line) in lines.iter().enumerate() {
                    let numbers = vector(line, &format!("{path}[{row}]"), ty, of, columns)?;
                    if class == 2 {
                        self.push(byte + row as u64 * line_stride(ty), &numbers, line);
                        continue;
                    }
                    for (column, number) in numbers.into_iter().enumerate() {
                        self.push(byte + column as u64 * line_stride(ty) + row as u64 * size, &[number], line);
                    }
                }
            }
        }
        Ok(())
    }

    fn structure(&mut self, node: &Node, path: &str, ty: &VariableType, byte: u64) -> Result<(), Fault> {
        let Value::Table(entries) = &node.value else {
            return Err(wrong_type(path, "a table of its members", node));
        };
        for entry in entries {
            let Some(member) = ty.members.iter().find(|member| member.name == entry.key) else {
                let known: Vec<String> = ty.members.iter().map(|member| member.name.clone()).collect();
                let names: Vec<&str> = known.iter().map(String::as_str).collect();
                let nearest = nearest(&entry.key, &names).map(str::to_owned);
                let (place, name) = (format!("`{}` has no member", short(path)), entry.key.clone());
                return Err((Problem::UnknownVariable { place, name, nearest, known }, entry.key_span.clone()));
            };
            let inner = byte.saturating_add(member.offset_bytes.into());
            self.any(&entry.node, &format!("{path}.{}", member.name), &member.ty, inner)?;
        }
        Ok(())
    }

    fn push(&mut self, byte: u64, numbers: &[Number], node: &Node) {
        let mut bytes = Vec::new();
        numbers.iter().for_each(|number| number.append_to(&mut bytes));
        let number_type = numbers.first().map_or(NumberType::U32, |number| number.number_type);
        self.runs.push(ValueRun { byte, bytes, number_type, span: node.span.clone() });
    }
}

/// The items of an array, whose length must be right.
fn list<'a>(
    node: &'a Node,
    path: &str,
    wants: impl FnOnce() -> String,
    is_right: impl FnOnce(usize) -> bool,
) -> Result<&'a [Node], Fault> {
    match &node.value {
        Value::Array(items) if is_right(items.len()) => Ok(items),
        _ => Err(wrong_type(path, wants(), node)),
    }
}

fn vector(node: &Node, path: &str, ty: &VariableType, of: NumberType, count: usize) -> Result<Vec<Number>, Fault> {
    let wants = || format!("an array of {count} numbers ({})", type_text(ty));
    let items = list(node, path, wants, |found| found == count)?;
    items.iter().map(|item| component(item, path, ty, of)).collect()
}

fn component(node: &Node, path: &str, ty: &VariableType, of: NumberType) -> Result<Number, Fault> {
    const BOOL: u16 = 1;
    match (ty.base, &node.value) {
        // The value that the compiler writes in defaults.
        (BOOL, Value::Bool(truth)) => Ok(Number { number_type: of, bits: if *truth { u32::MAX.into() } else { 0 } }),
        (BOOL, _) => Err(wrong_type(path, "true or false", node)),
        _ => number(node, path, of),
    }
}

/// A number of a type, at a path.
fn number(node: &Node, path: &str, of: NumberType) -> Result<Number, Fault> {
    of.number(&node.value).ok_or_else(|| match &node.value {
        Value::Integer(_) => (Problem::wrong_value(path, of.range(), node), node.span.clone()),
        Value::Float(_) if of.is_float() => (Problem::wrong_value(path, of.range(), node), node.span.clone()),
        _ => wrong_type(path, of.range(), node),
    })
}

/// A value of the wrong type.
fn wrong_type(path: &str, wants: impl Into<std::borrow::Cow<'static, str>>, node: &Node) -> Fault {
    let found = match &node.value {
        Value::Array(items) => format!("an array of {}", items.len()).into(),
        other => other.type_name().into(),
    };
    (Problem::WrongValue { key: path.into(), wants: wants.into(), found }, node.span.clone())
}

/// The name of a type as its source writes it.
fn type_text(ty: &VariableType) -> String {
    // Those of WGSL have other names than bytecode gives them.
    match &ty.name {
        Some(name) if name.ends_with('>') || matches!(name.as_str(), "f32" | "i32" | "u32") => name.clone(),
        Some(name) if ty.class == 4 && ty.base == 0 => name.clone(),
        _ => ty.to_string(),
    }
}

/// Bytes from one row or column of a matrix to the next.
fn line_stride(ty: &VariableType) -> u64 {
    let along = if ty.class == 2 { ty.columns } else { ty.rows };
    (u64::from(along) * component_size(ty)).next_multiple_of(VECTOR)
}

fn component_size(ty: &VariableType) -> u64 {
    number_type(ty.base).map_or(4, |of| of.size_bytes() as u64)
}

/// Bytes of a type, or of an element of an array of it.
fn one_size(ty: &VariableType) -> u64 {
    let (rows, columns) = (u64::from(ty.rows), u64::from(ty.columns));
    match ty.class {
        _ if !ty.members.is_empty() => {
            let end = |member: &brolga_bytecode::container::resources::Member| {
                let one = one_size(&member.ty);
                let before = u64::from(member.ty.elements.saturating_sub(1));
                let stride = one.next_multiple_of(VECTOR);
                one.saturating_add(stride.saturating_mul(before)).saturating_add(member.offset_bytes.into())
            };
            // So that the next multiple of a vector's size exists, whatever a file says.
            ty.members.iter().map(end).max().unwrap_or(0).min(u32::MAX.into())
        }
        2 => rows.saturating_sub(1) * line_stride(ty) + columns * component_size(ty),
        3 => columns.saturating_sub(1) * line_stride(ty) + rows * component_size(ty),
        _ => columns * component_size(ty),
    }
}

/// The number type of a scalar, by its code in files.
pub(crate) fn number_type(base: u16) -> Option<NumberType> {
    match base {
        // Types of minimum precision also take 32 bits.
        3 | 52..=54 => Some(NumberType::F32),
        2 | 55 | 56 => Some(NumberType::I32),
        1 | 19 | 57 => Some(NumberType::U32),
        39 => Some(NumberType::F64),
        _ => None,
    }
}
