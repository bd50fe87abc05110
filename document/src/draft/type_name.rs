//! The types of variables as a listing names them: `float4x4`, `row_major int2x3`, `min16uint`.

use brolga_bytecode::info::{Location, Variable};

use crate::model::number::NumberType;

/// Words of a register, where rows and columns of matrices begin.
const REGISTER: usize = 4;

/// A scalar, a vector or a matrix of numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TypeName {
    /// The type of its numbers. Those of less precision lie in whole words too; truth values are words.
    pub number: NumberType,
    /// Set if its numbers are true or false.
    pub is_bool: bool,
    /// Numbers that lie one after the other: components of a vector, or of a matrix those of a row or column.
    pub components: usize,
    /// The rows or columns of a matrix, each in registers of its own; `None` of what is no matrix.
    pub lines: Option<usize>,
    /// Set if the name gives a count, as of `float1`, which is a vector.
    pub is_vector: bool,
    /// Set if lines are rows.
    pub is_row_major: bool,
}

impl TypeName {
    /// Reads a name; `None` for what is not made of numbers, as structures.
    pub fn parse(name: &str) -> Option<Self> {
        if let Some(found) = Self::parse_wgsl(name) {
            return Some(found);
        }
        let (name, is_row_major) = match name.strip_prefix("row_major ") {
            Some(name) => (name, true),
            None => (name, false),
        };
        let base = ["min8float", "min10float", "min16float", "min12int", "min16int", "min16uint"];
        let base = base.into_iter().chain(["float", "double", "int", "uint", "dword", "bool"]);
        let base = base.filter(|base| name.starts_with(base)).max_by_key(|base| base.len())?;
        let side = |text: &str| text.parse::<usize>().ok().filter(|side| (1..=4).contains(side));
        let (components, lines, is_vector) = match &name[base.len()..] {
            "" => (1, None, false),
            sides => match sides.split_once('x') {
                None => (side(sides)?, None, true),
                Some((rows, columns)) if is_row_major => (side(columns)?, Some(side(rows)?), false),
                Some((rows, columns)) => (side(rows)?, Some(side(columns)?), false),
            },
        };
        let number = match base {
            "double" => NumberType::F64,
            _ if base.ends_with("float") => NumberType::F32,
            _ if base.ends_with("uint") || matches!(base, "bool" | "dword") => NumberType::U32,
            _ => NumberType::I32,
        };
        Some(Self { number, is_bool: base == "bool", components, lines, is_vector, is_row_major })
    }

    /// Reads a name of WGSL: `u32`, `vec3<f32>`, `mat4x3<f32>`, whose columns a document lists as rows.
    fn parse_wgsl(name: &str) -> Option<Self> {
        let (shape, scalar) = match name.split_once('<') {
            Some((shape, rest)) => (Some(shape), rest.strip_suffix('>')?),
            None => (None, name),
        };
        let number = match scalar {
            "f32" => NumberType::F32,
            "i32" => NumberType::I32,
            "u32" => NumberType::U32,
            _ => return None,
        };
        let side = |text: &str| text.parse::<usize>().ok().filter(|side| (2..=4).contains(side));
        let (components, lines) = match shape {
            None => (1, None),
            Some(shape) => {
                match (shape.strip_prefix("vec"), shape.strip_prefix("mat").and_then(|of| of.split_once('x'))) {
                    (Some(count), _) => (side(count)?, None),
                    // The columns of shorter ones are not in registers of their own.
                    (None, Some((columns, rows))) => (side(rows).filter(|rows| *rows > 2)?, Some(side(columns)?)),
                    _ => return None,
                }
            }
        };
        let is_vector = shape.is_some() && lines.is_none();
        Some(Self { number, is_bool: false, components, lines, is_vector, is_row_major: lines.is_some() })
    }

    /// Rows and columns; what is no matrix has one row.
    pub fn sides(self) -> [usize; 2] {
        match self.lines {
            None => [1, self.components],
            Some(lines) if self.is_row_major => [lines, self.components],
            Some(lines) => [self.components, lines],
        }
    }

    /// Words of one of its numbers.
    pub fn number_words(self) -> usize {
        self.number.size_bytes().div_ceil(4)
    }

    /// Words from one row or column to the next.
    pub fn line_words(self) -> usize {
        (self.components * self.number_words()).next_multiple_of(REGISTER)
    }

    /// Words from its first to its last, without what is between it and the next register.
    pub fn words(self) -> usize {
        (self.lines.unwrap_or(1) - 1) * self.line_words() + self.components * self.number_words()
    }
}

/// Words from an element of so many to the next.
pub(super) fn whole_registers(words: usize) -> usize {
    words.div_ceil(REGISTER).saturating_mul(REGISTER)
}

/// Words of an element of a variable, from its first to its last.
pub(super) fn element_words(variable: &Variable) -> usize {
    if variable.members.is_empty() {
        return TypeName::parse(&variable.type_name).map_or(1, TypeName::words);
    }
    let end = |member: &Variable| {
        let (element, count) = (element_words(member), member.elements.unwrap_or(1).max(1) as usize);
        let before = (count - 1).saturating_mul(whole_registers(element));
        words_before(variable, member).saturating_add(before).saturating_add(element)
    };
    variable.members.iter().map(end).max().unwrap_or(1)
}

/// Words of a structure that are before a member.
pub(super) fn words_before(structure: &Variable, member: &Variable) -> usize {
    match (&structure.location, &member.location) {
        (Some(Location::Bytes { offset: first, .. }), Some(Location::Bytes { offset, .. })) => {
            offset.saturating_sub(*first) as usize / 4
        }
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The packing rules of constant buffers: every row or column of a matrix begins at a register.
    #[test]
    fn names_say_how_many_words_they_take() {
        for (name, number, words) in [
            ("float", NumberType::F32, 1),
            ("float1", NumberType::F32, 1),
            ("min16float3", NumberType::F32, 3),
            ("uint2", NumberType::U32, 2),
            ("dword", NumberType::U32, 1),
            ("bool4", NumberType::U32, 4),
            ("min12int2", NumberType::I32, 2),
            ("double2", NumberType::F64, 4),
            ("float4x4", NumberType::F32, 16),
            ("float4x3", NumberType::F32, 12),
            ("float3x4", NumberType::F32, 15),
            ("row_major float4x3", NumberType::F32, 15),
            ("row_major int2x2", NumberType::I32, 6),
            ("double3x2", NumberType::F64, 14),
            ("u32", NumberType::U32, 1),
            ("vec3<i32>", NumberType::I32, 3),
            ("mat4x3<f32>", NumberType::F32, 15),
        ] {
            let found = TypeName::parse(name).map(|found| (found.number, found.words()));
            assert_eq!(found, Some((number, words)), "{name}");
        }
        for name in [
            "struct Light",
            "interface iLight",
            "float5",
            "float4x",
            "float0",
            "uint8",
            "string",
            "",
            "vec5<f32>",
            "mat2x2<f32>",
            "vec2<Light>",
        ] {
            assert_eq!(TypeName::parse(name), None, "{name}");
        }
    }
}
