//! Reads constants: those that the program defines, and those that the application sets.
//!
//! The value of a defined constant is known. Where `c#` is indexed dynamically, the defined ones are in the immediate
//! constant buffer as well, one run of consecutive registers after another.

use std::collections::BTreeMap;

use brolga_bytecode::sm3::{Register, RegisterFile, Source, ValidProgram, Value as Defined};

use super::super::vector::{Vector, lanes};
use super::super::words::{self, Start};
use super::{Result, Translator};
use crate::builder::only;
use crate::entity::{ResourceId, Value};
use crate::function::Object;
use crate::ops::Op;

/// Constants that the program defines.
pub(super) struct Definitions {
    floats: BTreeMap<u16, [u32; 4]>,
    integers: BTreeMap<u16, [i32; 4]>,
    booleans: BTreeMap<u16, bool>,
}

/// Consecutive `c#` that are defined.
struct DefinedRun {
    first: u32,
    count: u32,
    /// Its index among the vectors of all runs.
    start: u32,
}

impl Definitions {
    pub(super) fn new(program: &ValidProgram) -> Self {
        let mut definitions = Self { floats: BTreeMap::new(), integers: BTreeMap::new(), booleans: BTreeMap::new() };
        for (register, value) in &program.declarations().constants {
            match *value {
                Defined::Float(words) => _ = definitions.floats.insert(register.number, words),
                Defined::Int(words) => _ = definitions.integers.insert(register.number, words),
                Defined::Bool(word) => _ = definitions.booleans.insert(register.number, word != 0),
            }
        }
        definitions
    }

    /// The defined vectors, in the order of their registers.
    pub(super) fn vectors(&self) -> Vec<[u32; 4]> {
        self.floats.values().copied().collect()
    }

    fn runs(&self) -> Vec<DefinedRun> {
        let mut runs: Vec<DefinedRun> = Vec::new();
        for (start, number) in (0..).zip(self.floats.keys().map(|&number| u32::from(number))) {
            match runs.last_mut() {
                Some(run) if run.first + run.count == number => run.count += 1,
                _ => runs.push(DefinedRun { first: number, count: 1, start }),
            }
        }
        runs
    }
}

impl Translator<'_, '_> {
    /// Components of `c#`, in component order.
    pub(super) fn constant(&mut self, source: &Source, components: u8) -> Result<Vector> {
        let register = source.register;
        if components == 0 {
            return Ok(Vector::default());
        }
        let mut result = match source.relative {
            Some(relative) => {
                let number = self.number(register, relative)?;
                self.constant_at(number, components)
            }
            None => match self.definitions.floats.get(&register.number).copied() {
                Some(defined) => {
                    let mut result = Vector::default();
                    for component in lanes(components) {
                        result.set(component, self.b.f32(f32::from_bits(defined[component])));
                    }
                    result
                }
                None => {
                    let number = self.b.i32(register.number.into());
                    self.vector_of(self.resources.floats, number, components)
                }
            },
        };
        // Constants of pixel shaders 1.x have this range.
        if self.is_ps_1() {
            for component in lanes(components) {
                let (least, most) = (self.b.f32(-1.0), self.b.f32(1.0));
                let value = self.float(result.at(component));
                let value = self.fold(Op::FMax, &[value, least]);
                result.set(component, self.fold(Op::FMin, &[value, most]));
            }
        }
        Ok(result)
    }

    /// Components of the `c#` with a computed number. One that does not exist reads 0.
    fn constant_at(&mut self, number: Value, components: u8) -> Vector {
        let set = self.vector_of(self.resources.floats, number, components);
        let runs = self.definitions.runs();
        if runs.is_empty() {
            return set;
        }
        let mut index = self.b.i32(u32::MAX);
        let mut is_defined = self.b.bool(false);
        for DefinedRun { first, count, start } in runs {
            let [first, count, start] = [first, count, start].map(|number| self.b.i32(number));
            let of_run = self.b.op(Op::ISub, &[number, first]);
            let is_here = self.b.op(Op::ULt, &[of_run, count]);
            let here = self.b.op(Op::IAdd, &[of_run, start]);
            index = self.b.select(is_here, here, index);
            is_defined = self.b.op(Op::BOr, &[is_defined, is_here]);
        }
        let defined = words::load(&mut self.b, Object::Immediate, index, Start::Known(0), components);
        let mut result = Vector::default();
        for component in lanes(components) {
            result.set(component, self.b.select(is_defined, defined.at(component), set.at(component)));
        }
        result
    }

    /// Components of a vector of a constant buffer.
    fn vector_of(&mut self, buffer: Option<ResourceId>, number: Value, components: u8) -> Vector {
        let Some(buffer) = buffer else { return Vector::splat(self.b.i32(0)) };
        words::load(&mut self.b, Object::Resource(only(buffer)), number, Start::Known(0), components)
    }

    /// A component of `i#`.
    pub(super) fn integer(&mut self, register: Register, component: usize) -> Value {
        if let Some(&defined) = self.definitions.integers.get(&register.number) {
            return self.b.i32(defined[component & 3] as u32);
        }
        let number = self.b.i32(register.number.into());
        self.vector_of(self.resources.integers, number, 1 << component).at(component)
    }

    /// `b#`
    pub(super) fn boolean(&mut self, register: Register) -> Value {
        debug_assert_eq!(register.file, RegisterFile::ConstBool);
        if let Some(&defined) = self.definitions.booleans.get(&register.number) {
            return self.b.bool(defined);
        }
        let (number, component) = (self.b.i32(u32::from(register.number) / 4), usize::from(register.number) % 4);
        let word = self.vector_of(self.resources.booleans, number, 1 << component).at(component);
        let zero = self.b.i32(0);
        self.b.op(Op::INe, &[word, zero])
    }

    /// The bump mapping matrix of a texture stage: 00, 01, 10, 11.
    pub(super) fn bump_matrix(&mut self, stage: u16) -> Vector {
        self.bump_vector(u32::from(stage) * 2, 0xf)
    }

    /// Luminance scale and offset of a texture stage.
    pub(super) fn luminance(&mut self, stage: u16) -> Vector {
        self.bump_vector(u32::from(stage) * 2 + 1, 0b11)
    }

    fn bump_vector(&mut self, number: u32, components: u8) -> Vector {
        let number = self.b.i32(number);
        let mut vector = self.vector_of(self.resources.bumps, number, components);
        for component in lanes(components) {
            let value = self.float(vector.at(component));
            vector.set(component, value);
        }
        vector
    }
}
