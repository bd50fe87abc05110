//! Signatures: the inputs, outputs and patch constants of a stage, by name.

use super::{Chunk, ContainerError, limit};
use crate::limits::Limits;

/// A signature.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Signature {
    /// Its elements in the order of the file.
    pub elements: Vec<SignatureElement>,
}

/// An element of a signature.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignatureElement {
    /// The semantic name.
    pub name: String,
    /// The number behind the name.
    pub semantic_index: u32,
    /// The stream of a geometry shader.
    pub stream: u32,
    /// The number of the system value; see [`crate::sm5::codes::SystemValue`]. 0 for some that only the name tells.
    pub system_value: u32,
    /// The type of the components.
    pub component_type: ComponentType,
    /// The register; `None` for outputs such as depth that have none.
    pub register: Option<u32>,
    /// The components, bit 0 is x.
    pub mask: u8,
    /// Of an input: the components that are always read. Of an output: those that are never written.
    pub usage_mask: u8,
    /// The number of the minimum precision; 0 for full.
    pub min_precision: u32,
}

/// The type of a signature element's components.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ComponentType {
    /// 32-bit unsigned integer.
    Uint32,
    /// 32-bit signed integer.
    Sint32,
    /// 32-bit float.
    Float32,
    /// Any other number.
    Other(u32),
}

/// Registers in a signature; no stage has more.
const REGISTERS: u32 = 32;
const NO_REGISTER: u32 = u32::MAX;

impl Signature {
    pub(super) fn parse(chunk: &Chunk<'_>, limits: &Limits) -> Result<Self, ContainerError> {
        let (has_stream, has_precision) = match &chunk.name.0 {
            b"OSG5" => (true, false),
            b"ISG1" | b"OSG1" | b"PSG1" => (true, true),
            _ => (false, false),
        };
        let start = chunk.reader();
        let mut reader = start;
        let count = reader.u32()?;
        if count > limits.signature_elements {
            return Err(limit(chunk.at, "signature elements", count, limits.signature_elements));
        }
        let first = reader.u32()?;
        let mut reader = start.seek(first)?;
        let mut elements = Vec::new();
        for _ in 0..count {
            let stream = if has_stream { reader.u32()? } else { 0 };
            let name_at = reader.at();
            let offset = reader.u32()?;
            let name = start.seek(offset).ok().and_then(|text| text.text(limits.name_bytes));
            let name = name.ok_or(ContainerError::Name { at: name_at, offset })?;
            let semantic_index = reader.u32()?;
            let system_value = reader.u32()?;
            let component_type = match reader.u32()? {
                1 => ComponentType::Uint32,
                2 => ComponentType::Sint32,
                3 => ComponentType::Float32,
                other => ComponentType::Other(other),
            };
            let register_at = reader.at();
            let register = match reader.u32()? {
                NO_REGISTER => None,
                register if register < REGISTERS => Some(register),
                register => return Err(ContainerError::SignatureRegister { at: register_at, register }),
            };
            let mask = reader.u8()? & 0xf;
            let usage_mask = reader.u8()? & 0xf;
            reader.u16()?;
            let min_precision = if has_precision { reader.u32()? } else { 0 };
            elements.push(SignatureElement {
                name,
                semantic_index,
                stream,
                system_value,
                component_type,
                register,
                mask,
                usage_mask,
                min_precision,
            });
        }
        Ok(Self { elements })
    }
}
