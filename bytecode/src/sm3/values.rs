//! Computes the contents of constant registers: the default values of a constant table, and constants set by name.
//!
//! A constant is laid out as its row in the table says. A scalar or a vector takes a register; a matrix one for each
//! row or for each column, by its class; elements of an array and members of a structure follow each other. In `b#`,
//! each component takes a register. ("Constant Table", `ID3DXConstantTable`.) A name may have several rows, one for
//! each set of registers: all get the value, converted to their set. Values beyond a row's registers are not used by
//! the program, and are dropped.

use crate::assembler::nearest;

use super::constants::{Class, Constant, ConstantTable, RegisterSet, TypeInfo};

/// The registers of a program's constants, each from the first on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ConstantValues {
    /// `c#`: the bits of four floats each.
    pub floats: Vec<[u32; 4]>,
    /// `i#`.
    pub integers: Vec<[u32; 4]>,
    /// `b#`: anything but 0 is true.
    pub booleans: Vec<u32>,
}

/// Error in setting a constant.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ConstantError {
    /// The table has no constant with the name.
    #[error("the shader has no constant `{name}`{}", hint(.known, .nearest))]
    Unknown {
        /// The name.
        name: String,
        /// The names in the table.
        known: Vec<String>,
        /// The most similar name.
        nearest: Option<String>,
    },
    /// There are more numbers than the constant has, or fewer than an element of it.
    #[error("{} numbers for `{name}`, which has {numbers}{}", .found, elements(*.numbers, *.each))]
    Count {
        /// The name.
        name: String,
        /// Count of numbers given.
        found: usize,
        /// Count of numbers that it has.
        numbers: usize,
        /// Count of numbers of one element.
        each: usize,
    },
}

fn hint(known: &[String], nearest: &Option<String>) -> String {
    match (known, nearest) {
        ([], _) => ", as its file has no names".to_owned(),
        (known, None) => format!(", only {}", known.join(", ")),
        (known, Some(nearest)) => format!(", only {}; did you mean `{nearest}`?", known.join(", ")),
    }
}

fn elements(numbers: usize, each: usize) -> String {
    if numbers == each { String::new() } else { format!(", {each} for each element") }
}

/// A part of a row: a constant, an element of it, a member.
#[derive(Clone, Copy)]
struct ConstantPart<'t> {
    type_info: &'t TypeInfo,
    /// The first register, relative to the row.
    register: usize,
    elements: usize,
}

impl ConstantTable {
    /// Contents of the registers before anything is set: default values, elsewhere 0.
    pub fn defaults(&self) -> ConstantValues {
        let mut values = ConstantValues::default();
        for row in &self.constants {
            let Some(words) = &row.default else { continue };
            let each = if row.set == RegisterSet::Bool { 1 } else { 4 };
            for (n, word) in words.iter().take(usize::from(row.count) * each).enumerate() {
                values.put(row.set, usize::from(row.register) + n / each, n % each, *word);
            }
        }
        values
    }

    /// Sets a constant by its name in the source, or a part of it: `light`, `lights[2]`, `lights[2].color`. The numbers
    /// are those of its elements in order, matrices row by row regardless of their register layout, structures member
    /// by member. Fewer elements may be given.
    ///
    /// # Errors
    /// If there is no such constant, or the numbers are not those of whole elements.
    pub fn set(&self, values: &mut ConstantValues, name: &str, numbers: &[f64]) -> Result<(), ConstantError> {
        let mut is_known = false;
        for row in self.constants.iter().filter(|row| row.set != RegisterSet::Sampler) {
            let Some(part) = part(row, name) else { continue };
            is_known = true;
            let each = count(part.type_info);
            if numbers.len() > each * part.elements || each == 0 || !numbers.len().is_multiple_of(each) {
                let (found, numbers) = (numbers.len(), each * part.elements);
                return Err(ConstantError::Count { name: name.to_owned(), found, numbers, each });
            }
            let mut writer = ConstantWriter { row, values, register: part.register };
            numbers.chunks_exact(each).for_each(|element| writer.element(part.type_info, element));
        }
        if is_known {
            return Ok(());
        }
        let mut known: Vec<_> = self.names().map(str::to_owned).collect();
        known.sort();
        known.dedup();
        let nearest = nearest(name, known.iter().map(String::as_str));
        Err(ConstantError::Unknown { name: name.to_owned(), known, nearest })
    }

    /// The names of constants that can be set.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.constants.iter().filter(|row| row.set != RegisterSet::Sampler).map(|row| row.name.as_str())
    }
}

impl ConstantValues {
    /// Puts a word into a component of a register.
    fn put(&mut self, set: RegisterSet, register: usize, component: usize, word: u32) {
        let rows = match set {
            RegisterSet::Float4 => &mut self.floats,
            RegisterSet::Int4 => &mut self.integers,
            RegisterSet::Bool => {
                self.booleans.resize(self.booleans.len().max(register + 1), 0);
                self.booleans[register] = word;
                return;
            }
            RegisterSet::Sampler => return,
        };
        rows.resize(rows.len().max(register + 1), [0; 4]);
        rows[register][component] = word;
    }
}

/// The part of a row that a path names.
fn part<'t>(row: &'t Constant, path: &str) -> Option<ConstantPart<'t>> {
    // A name may have brackets of its own.
    let rest = path.strip_prefix(row.name.as_str())?;
    let mut part =
        ConstantPart { type_info: &row.type_info, register: 0, elements: row.type_info.elements.max(1).into() };
    let mut rest = rest;
    while !rest.is_empty() {
        if let Some((index, after)) = rest.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
            let index = index.parse::<usize>().ok().filter(|index| *index < part.elements)?;
            part.register = part.register.saturating_add(index.saturating_mul(registers(row.set, part.type_info)));
            (part.elements, rest) = (1, after);
        } else {
            let after = rest.strip_prefix('.').filter(|_| part.elements == 1)?;
            let end = after.find(['.', '[']).unwrap_or(after.len());
            let mut found = None;
            for member in &part.type_info.members {
                if member.name == after[..end] {
                    found = Some(&member.type_info);
                    break;
                }
                part.register = part.register.saturating_add(all_registers(row.set, &member.type_info));
            }
            let type_info = found?;
            (part.type_info, part.elements, rest) = (type_info, type_info.elements.max(1).into(), &after[end..]);
        }
    }
    Some(part)
}

/// Count of numbers in an element of a type.
fn count(type_info: &TypeInfo) -> usize {
    let TypeInfo { class, rows, columns, members, .. } = type_info;
    match class {
        Class::Scalar => 1,
        Class::Vector => usize::from(*columns),
        Class::MatrixRows | Class::MatrixColumns => usize::from(*rows) * usize::from(*columns),
        Class::Struct => {
            let all = members
                .iter()
                .map(|member| count(&member.type_info).saturating_mul(member.type_info.elements.max(1).into()));
            all.fold(0, usize::saturating_add)
        }
        Class::Object => 0,
    }
}

/// Number of registers of an element of a type.
fn registers(set: RegisterSet, type_info: &TypeInfo) -> usize {
    match (type_info.class, set) {
        (Class::Struct, _) => {
            type_info.members.iter().map(|member| all_registers(set, &member.type_info)).fold(0, usize::saturating_add)
        }
        (Class::Object, _) => 0,
        (_, RegisterSet::Bool) => count(type_info),
        (Class::Scalar | Class::Vector, _) => 1,
        (Class::MatrixRows, _) => type_info.rows.into(),
        (Class::MatrixColumns, _) => type_info.columns.into(),
    }
}

fn all_registers(set: RegisterSet, type_info: &TypeInfo) -> usize {
    registers(set, type_info).saturating_mul(type_info.elements.max(1).into())
}

/// Writes numbers to the registers of a row, one after the other.
struct ConstantWriter<'a> {
    row: &'a Constant,
    values: &'a mut ConstantValues,
    /// Relative to the row.
    register: usize,
}

impl ConstantWriter<'_> {
    fn element(&mut self, type_info: &TypeInfo, numbers: &[f64]) {
        let columns = usize::from(type_info.columns);
        match type_info.class {
            Class::Struct => {
                let mut rest = numbers;
                for member in &type_info.members {
                    let each = count(&member.type_info);
                    for _ in 0..member.type_info.elements.max(1) {
                        let (element, after) = rest.split_at(each);
                        self.element(&member.type_info, element);
                        rest = after;
                    }
                }
            }
            Class::MatrixColumns if self.row.set != RegisterSet::Bool => {
                for column in 0..columns {
                    let numbers: Vec<f64> = numbers.iter().skip(column).step_by(columns).copied().collect();
                    self.vector(&numbers);
                }
            }
            Class::MatrixRows => numbers.chunks(columns.max(1)).for_each(|row| self.vector(row)),
            Class::Scalar | Class::Vector | Class::MatrixColumns => self.vector(numbers),
            Class::Object => {}
        }
    }

    /// Writes components of a register, or, in `b#`, a register for each.
    fn vector(&mut self, numbers: &[f64]) {
        let set = self.row.set;
        let step = usize::from(set == RegisterSet::Bool);
        for (n, number) in numbers.iter().enumerate() {
            let word = match set {
                RegisterSet::Float4 => (*number as f32).to_bits(),
                RegisterSet::Int4 => *number as i32 as u32,
                RegisterSet::Bool | RegisterSet::Sampler => u32::from(*number != 0.0),
            };
            let register = self.register.saturating_add(n * step);
            if register < usize::from(self.row.count) {
                // A hostile type may have more columns than a register has components.
                self.values.put(set, usize::from(self.row.register) + register, (n * (1 - step)).min(3), word);
            }
        }
        self.register = self.register.saturating_add(if step == 1 { numbers.len() } else { 1 });
    }
}
