//! First values of constant buffers: matrices are the identity, all other numbers 1, unless the source gives them values.
//!
//! A number is 1 in its own type: 1.0 as the bits of an integer is over a billion, and shaders count to their integers.

use std::collections::BTreeSet;

use brolga_bytecode::info::{Constants, Location, Variable};
use brolga_bytecode::sm5::ops::{Slot, Type};
use brolga_bytecode::sm5::{ItemKind, Program, RegisterFile};
use serde_json::{Value, json};

use super::super::type_name::TypeName;
use crate::model::number::NumberType;

/// Words of a register, where elements of arrays begin.
const REGISTER: usize = 4;

/// The words of a constant buffer, and whether floats say all of them.
pub(super) struct Words {
    words: Vec<u32>,
    are_floats: bool,
}

impl Words {
    /// Those of a buffer whose variables are known.
    pub fn of_variables(vectors: u32, described: &Constants) -> Self {
        let mut out = Self { words: vec![0; REGISTER * vectors as usize], are_floats: true };
        for variable in &described.variables {
            let Some(Location::Bytes { offset, .. }) = variable.location else { continue };
            let at = offset as usize / 4;
            match &variable.default {
                Some(default) => out.default(at, variable, default),
                None => out.variable(at, variable),
            }
        }
        out
    }

    /// Those of a buffer of which nothing is known but the words that are integers: four vectors each are the identity.
    pub fn unknown(vectors: u32, integers: &BTreeSet<usize>) -> Self {
        let float = |at: usize| if at / REGISTER % REGISTER == at % REGISTER { 1.0_f32 } else { 0.0 };
        let word = |at| if integers.contains(&at) { 1 } else { float(at).to_bits() };
        Self { words: (0..REGISTER * vectors as usize).map(word).collect(), are_floats: integers.is_empty() }
    }

    /// Ones, which are integers or truth values.
    pub fn ones(vectors: u32) -> Self {
        Self { words: vec![1; REGISTER * vectors as usize], are_floats: false }
    }

    /// The key and the list of a resource in a document.
    pub fn content(&self) -> (&'static str, Value) {
        let mut floats = self.words.iter().map(|word| f32::from_bits(*word));
        match self.are_floats && floats.clone().all(f32::is_finite) {
            true => ("f32", floats.by_ref().collect::<Vec<_>>().into()),
            false => ("u32", json!(self.words)),
        }
    }

    fn put(&mut self, at: usize, value: u32) {
        if let Some(word) = self.words.get_mut(at) {
            *word = value;
        }
    }

    /// A variable's value in the source.
    fn default(&mut self, at: usize, variable: &Variable, default: &[u32]) {
        self.are_floats &= TypeName::parse(&variable.type_name).is_some_and(|name| name.number == NumberType::F32);
        default.iter().enumerate().for_each(|(n, word)| self.put(at.saturating_add(n), *word));
    }

    /// A variable or member whose first element begins at a word.
    fn variable(&mut self, at: usize, variable: &Variable) {
        let stride = whole_registers(element_words(variable));
        for n in 0..variable.elements.unwrap_or(1) as usize {
            let at = at.saturating_add(n.saturating_mul(stride));
            if at >= self.words.len() {
                return;
            }
            self.element(at, variable);
        }
    }

    fn element(&mut self, at: usize, variable: &Variable) {
        for member in &variable.members {
            self.variable(at.saturating_add(words_before(variable, member)), member);
        }
        let Some(name) = TypeName::parse(&variable.type_name) else { return };
        self.are_floats &= name.number == NumberType::F32;
        for line in 0..name.lines.unwrap_or(1) {
            for component in (0..name.components).filter(|component| name.lines.is_none() || line == *component) {
                let at = at + line * name.line_words() + component * name.number_words();
                match name.number {
                    NumberType::F32 => self.put(at, 1.0_f32.to_bits()),
                    // The low word of 1.0 is 0.
                    NumberType::F64 => self.put(at + 1, (1.0_f64.to_bits() >> 32) as u32),
                    _ => self.put(at, 1),
                }
            }
        }
    }
}

/// Words from an element of so many to the next.
fn whole_registers(words: usize) -> usize {
    words.div_ceil(REGISTER).saturating_mul(REGISTER)
}

/// Words of an element of a variable, from its first to its last.
fn element_words(variable: &Variable) -> usize {
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
fn words_before(structure: &Variable, member: &Variable) -> usize {
    match (&structure.location, &member.location) {
        (Some(Location::Bytes { offset: first, .. }), Some(Location::Bytes { offset, .. })) => {
            offset.saturating_sub(*first) as usize / 4
        }
        _ => 0,
    }
}

/// The words of constant buffer `register` that instructions read as integers.
pub(super) fn integers(program: &Program, register: u32) -> BTreeSet<usize> {
    let mut found = BTreeSet::new();
    for item in &program.items {
        let ItemKind::Instruction(instruction) = &item.kind else { continue };
        for (slot, operand) in instruction.slots() {
            let Slot::Read { ty: Type::Int | Type::Uint, .. } = slot else { continue };
            // Before the vector are the register, and from 5.1 on the place in its range.
            let (first, vector) = (operand.index_u32(0), operand.indices.last().and_then(|index| index.as_u32()));
            if let (RegisterFile::ConstantBuffer, Some(vector)) = (operand.file, vector)
                && first == Some(register)
            {
                found.extend((0..REGISTER).map(|lane| vector as usize * REGISTER + operand.component(lane) as usize));
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn variable(name: &str, offset: u32, elements: Option<u32>, members: Vec<Variable>) -> Variable {
        Variable {
            name: "v".to_owned(),
            type_name: name.to_owned(),
            elements,
            location: Some(Location::Bytes { offset, size: None }),
            is_used: true,
            default: None,
            members,
        }
    }

    fn words(vectors: u32, variables: Vec<Variable>) -> Vec<u32> {
        let described = Constants { kind: "cbuffer", name: "b".to_owned(), size_bytes: None, variables };
        Words::of_variables(vectors, &described).words
    }

    const ONE: u32 = 0x3f80_0000;

    #[test]
    fn each_number_is_one_in_its_own_type() {
        let members = vec![variable("uint", 32, None, vec![]), variable("float2", 48, Some(2), vec![])];
        let found = words(
            11,
            vec![
                variable("int", 0, None, vec![]),
                variable("bool", 4, None, vec![]),
                variable("double", 8, None, vec![]),
                variable("min16float3", 16, None, vec![]),
                // Two elements of three registers: a number, and two vectors.
                variable("struct S", 32, Some(2), members),
                variable("float2x3", 128, None, vec![]),
            ],
        );
        let mut expected = vec![1, 1, 0, 0x3ff0_0000, ONE, ONE, ONE, 0];
        let structure = [1, 0, 0, 0, ONE, ONE, 0, 0, ONE, ONE, 0, 0];
        expected.extend(structure.repeat(2));
        expected.extend([ONE, 0, 0, 0, 0, ONE, 0, 0, 0, 0, 0, 0]);
        assert_eq!(found, expected);
    }

    /// Elements far beyond the buffer, in each other: done at once.
    #[test]
    fn what_is_not_in_the_buffer_is_left_out() {
        let mut nested = variable("uint", 0, Some(65535), vec![]);
        for _ in 0..8 {
            nested = variable("struct S", 0, Some(65535), vec![nested]);
        }
        let far = variable("float4x4", u32::MAX - 3, Some(u32::MAX), vec![]);
        assert!(words(4096, vec![nested, far]).iter().step_by(4).all(|word| *word == 1));
    }

    #[test]
    fn words_of_integers_are_found_where_nothing_is_named() {
        let text = "ps_5_0\ndcl_constantbuffer cb2[3], immediateIndexed\ndcl_output o0.xyzw\ndcl_temps 1\n\
                    ult r0.x, r0.y, cb2[1].z\nmul o0.xyzw, r0.xxxx, cb2[2].xyzw\nret\n";
        let limits = Default::default();
        let bytes = brolga_bytecode::assembler::assemble(text, &limits).unwrap().bytes;
        let container = brolga_bytecode::container::Container::parse(&bytes, &limits).unwrap();
        let chunk = container.program().unwrap();
        let program = brolga_bytecode::sm5::decode(chunk.data, chunk.at, &limits).unwrap();
        assert_eq!(integers(&program, 2), BTreeSet::from([6]));
        assert!(integers(&program, 0).is_empty());
    }
}
