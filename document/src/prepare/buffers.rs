//! Builds constant buffers from variables by name, and finds the types of the numbers in buffers, for programs without
//! a document.

use brolga_bytecode::container::resources::{BufferKind, VariableType};
use brolga_runtime::{Limits, Register, room};

use super::declared::Found;
use super::variables::{self, number_type};
use crate::error::{DocumentError, Problem, tree};
use crate::model::number::NumberType;
use crate::model::resource::NamedValue;
use crate::text::{Syntax, Value};

/// The bytes of a shader's constant buffer, from a JSON object with the values of variables, like the table `values` of
/// a document. The rest is zero.
///
/// # Errors
/// If the shader cannot be read, the text is not JSON, a name is unknown, a value does not fit or there is no memory.
pub fn constants(container: &[u8], register: Register, json: &str, limits: &Limits) -> Result<Vec<u8>, DocumentError> {
    let read = || {
        let root = tree(json, Syntax::Json)?;
        let found = Found::read(container, limits).map_err(|error| (error.into(), 0..0))?;
        let Value::Table(entries) = &root.value else { return Ok(Vec::new()) };
        let values: Vec<_> = entries.iter().map(|entry| NamedValue::new(entry, true)).collect();
        let (label, buffer) = (register.to_string(), found.constants(register));
        let runs = variables::runs(&label, &values, buffer)?;
        variables::check_overlaps(&label, &[], &runs)?;
        let end = runs.iter().map(|run| run.end()).max().unwrap_or(0);
        // A file may declare any size, but shaders see no more than this.
        let seen = 16 * u64::from(limits.constant_vectors);
        let size = end.max(buffer.map_or(0, |buffer| u64::from(buffer.size_bytes).min(seen)));
        let mut bytes = room::zeros::<u8>(size).map_err(|error| (Problem::Resource { label, error }, 0..0))?;
        for run in &runs {
            bytes[run.byte as usize..run.end() as usize].copy_from_slice(&run.bytes);
        }
        Ok(bytes)
    };
    read().map_err(DocumentError::in_argument("constants", json))
}

/// The types of the numbers in a shader's structured and constant buffers, from its resource definitions (RDEF).
#[derive(Default)]
pub struct BufferTypes(Option<Found>);

impl BufferTypes {
    /// Reads them; empty for a file without them, or one that is not a shader.
    pub fn of(container: &[u8], limits: &Limits) -> Self {
        Self(Found::read(container, limits).ok())
    }

    /// The types of the numbers in the resource at a register, each once, in the order of the layout; empty where the
    /// file does not give them.
    pub fn at(&self, register: Register) -> Vec<NumberType> {
        let mut types = Vec::new();
        let Some(found) = &self.0 else { return types };
        let elements = found.buffer(register, BufferKind::ResourceElements);
        let buffer = elements.or_else(|| found.constants(register));
        buffer.iter().flat_map(|buffer| &buffer.variables).for_each(|variable| add(&variable.ty, &mut types));
        types
    }
}

fn add(ty: &VariableType, types: &mut Vec<NumberType>) {
    ty.members.iter().for_each(|member| add(&member.ty, types));
    let own = number_type(ty.base).filter(|own| ty.members.is_empty() && !types.contains(own));
    types.extend(own);
}
