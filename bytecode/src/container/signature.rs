//! Reads and writes signatures: the inputs, outputs and patch constants of a stage, by name.

use super::{Chunk, ContainerError, FourCc, limit};
use crate::limits::Limits;
use std::collections::HashMap;

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
    /// The number after the name.
    pub semantic_index: u32,
    /// The stream of a geometry shader.
    pub stream: u32,
    /// The number of the system value; see [`crate::sm5::codes::SystemValue`]. 0 for some that only the name
    /// identifies.
    pub system_value: u32,
    /// The type of the components.
    pub component_type: ComponentType,
    /// The register; `None` for outputs such as depth that have none.
    pub register: Option<u32>,
    /// The components, bit 0 is x.
    pub mask: u8,
    /// The components that are always read, of an input; those that are never written, of an output.
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

impl ComponentType {
    /// The types with a name, with their numbers.
    pub const NAMES: [(u32, &'static str); 3] = [(1, "uint"), (2, "int"), (3, "float")];

    /// The type with this number.
    pub fn from_code(code: u32) -> Self {
        match code {
            1 => Self::Uint32,
            2 => Self::Sint32,
            3 => Self::Float32,
            other => Self::Other(other),
        }
    }

    /// Its number.
    pub fn code(self) -> u32 {
        match self {
            Self::Uint32 => 1,
            Self::Sint32 => 2,
            Self::Float32 => 3,
            Self::Other(other) => other,
        }
    }
}

/// The system values of signatures, with their names in fxc's listing.
pub const SYSTEM_VALUES: &[(u32, &str)] = &[
    (0, "NONE"),
    (1, "POS"),
    (2, "CLIPDST"),
    (3, "CULLDST"),
    (4, "RTINDEX"),
    (5, "VPINDEX"),
    (6, "VERTID"),
    (7, "PRIMID"),
    (8, "INSTID"),
    (9, "FFACE"),
    (10, "SAMPLE"),
    (11, "QUADEDGE"),
    (12, "QUADINT"),
    (13, "TRIEDGE"),
    (14, "TRIINT"),
    (15, "LINEDET"),
    (16, "LINEDEN"),
    (64, "TARGET"),
    (65, "DEPTH"),
    (66, "COVERAGE"),
    (67, "DEPTHGE"),
    (68, "DEPTHLE"),
    (69, "STENCILREF"),
    (70, "INNERCOV"),
];

/// Registers in a signature; no stage has more.
const REGISTERS: u32 = 32;
const NO_REGISTER: u32 = u32::MAX;

impl Signature {
    pub(crate) fn parse(chunk: &Chunk<'_>, limits: &Limits) -> Result<Self, ContainerError> {
        let (has_stream, has_precision) = columns(chunk.name);
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
            let component_type = ComponentType::from_code(reader.u32()?);
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

    /// `true` if a chunk of this name holds a signature.
    pub fn is_chunk(name: FourCc) -> bool {
        matches!(&name.0, b"ISGN" | b"OSGN" | b"PCSG" | b"OSG5" | b"ISG1" | b"OSG1" | b"PSG1")
    }

    /// The data of a chunk of this name, as the compiler lays them out: names after the elements, each once.
    pub fn encode(&self, name: FourCc) -> Vec<u8> {
        const PADDING: u8 = 0xab;
        const HEADER_BYTES: usize = 8;
        let (has_stream, has_precision) = columns(name);
        let element_bytes = 24 + 4 * usize::from(has_stream) + 4 * usize::from(has_precision);
        let names_at = HEADER_BYTES + self.elements.len() * element_bytes;
        let mut words = vec![self.elements.len() as u32, HEADER_BYTES as u32];
        let mut names: Vec<u8> = Vec::new();
        let mut placed: HashMap<&str, u32> = HashMap::new();
        for element in &self.elements {
            let name_at = *placed.entry(&element.name).or_insert_with(|| {
                let at = names_at + names.len();
                names.extend(element.name.as_bytes());
                names.push(0);
                at as u32
            });
            if has_stream {
                words.push(element.stream);
            }
            words.extend([name_at, element.semantic_index, element.system_value, element.component_type.code()]);
            words.push(element.register.unwrap_or(NO_REGISTER));
            words.push(u32::from(element.mask) | u32::from(element.usage_mask) << 8);
            if has_precision {
                words.push(element.min_precision);
            }
        }
        let mut data: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        data.extend(names);
        data.resize(data.len().next_multiple_of(4), PADDING);
        data
    }
}

/// Two flags, set if the elements of a chunk have a stream, and if they have a minimum precision.
fn columns(name: FourCc) -> (bool, bool) {
    match &name.0 {
        b"OSG5" => (true, false),
        b"ISG1" | b"OSG1" | b"PSG1" => (true, true),
        _ => (false, false),
    }
}
