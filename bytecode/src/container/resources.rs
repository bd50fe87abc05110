//! Reads resource definitions (RDEF): the names of bound resources, and the layout of constant buffers and structures.
//!
//! Types may be shared and a hostile file may make them refer to themselves, so the nesting and the total number of
//! records are bounded.

use super::records::Records;
use super::{Chunk, ContainerError, limit};
use crate::limits::Limits;
use crate::reader::Reader;

/// The resource definitions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResourceDefinitions {
    /// The shader model, major and minor.
    pub version: (u8, u8),
    /// The compiler's name.
    pub creator: String,
    /// Flags the shader was compiled with.
    pub flags: u32,
    /// Bindings to registers.
    pub bindings: Vec<Binding>,
    /// Constant buffers, and the element layout of structured buffers.
    pub buffers: Vec<Buffer>,
}

/// A resource bound to registers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Binding {
    /// The name in the source.
    pub name: String,
    /// The kind.
    pub kind: BindingKind,
    /// The number of the return type; 0 for none.
    pub return_type: u32,
    /// The number of the dimension (not those of the token stream).
    pub dimension: u32,
    /// Samples, or the stride of structures.
    pub samples_or_stride: u32,
    /// The first register.
    pub bind_point: u32,
    /// Number of registers; 0 for an unbounded array.
    pub bind_count: u32,
    /// Flags.
    pub flags: u32,
    /// The register space.
    pub space: u32,
    /// The range's id in the token stream of 5.1; before 5.1 the register.
    pub id: u32,
}

impl Binding {
    /// Number of registers; `None` for an unbounded array.
    pub fn count(&self) -> Option<u32> {
        Some(self.bind_count).filter(|&count| count > 0)
    }
}

/// Kind of a binding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BindingKind {
    /// `cbuffer`
    ConstantBuffer,
    /// `tbuffer`
    TextureBuffer,
    /// A texture or typed buffer.
    Texture,
    /// A sampler.
    Sampler,
    /// `RWTexture`, `RWBuffer`
    UavTyped,
    /// `StructuredBuffer`
    Structured,
    /// `RWStructuredBuffer`
    UavStructured,
    /// `ByteAddressBuffer`
    Raw,
    /// `RWByteAddressBuffer`
    UavRaw,
    /// `AppendStructuredBuffer`
    UavAppend,
    /// `ConsumeStructuredBuffer`
    UavConsume,
    /// `RWStructuredBuffer` with its counter in use
    UavCounter,
    /// Any other number.
    Other(u32),
}

impl BindingKind {
    fn from_code(code: u32) -> Self {
        match code {
            0 => Self::ConstantBuffer,
            1 => Self::TextureBuffer,
            2 => Self::Texture,
            3 => Self::Sampler,
            4 => Self::UavTyped,
            5 => Self::Structured,
            6 => Self::UavStructured,
            7 => Self::Raw,
            8 => Self::UavRaw,
            9 => Self::UavAppend,
            10 => Self::UavConsume,
            11 => Self::UavCounter,
            other => Self::Other(other),
        }
    }
}

/// A constant buffer, or the element layout of a structured buffer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Buffer {
    /// The name in the source.
    pub name: String,
    /// Its size.
    pub size_bytes: u32,
    /// Flags.
    pub flags: u32,
    /// The kind.
    pub kind: BufferKind,
    /// Its variables.
    pub variables: Vec<Variable>,
}

/// Kind of a buffer record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BufferKind {
    /// `cbuffer`
    ConstantBuffer,
    /// `tbuffer`
    TextureBuffer,
    /// Pointers to class instances.
    InterfacePointers,
    /// The elements of a structured buffer.
    ResourceElements,
    /// Any other number.
    Other(u32),
}

/// A variable of a buffer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variable {
    /// The name in the source.
    pub name: String,
    /// Offset in the buffer.
    pub offset_bytes: u32,
    /// Its size.
    pub size_bytes: u32,
    /// Flags; bit 1 is set if the shader uses it.
    pub flags: u32,
    /// Its type.
    pub ty: VariableType,
    /// Its default value.
    pub default: Option<Vec<u8>>,
    /// The textures that are members of a structure.
    pub textures: MemberRegisters,
    /// The samplers that are members of a structure.
    pub samplers: MemberRegisters,
}

/// Registers of members that are not in a buffer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MemberRegisters {
    /// The first of them; undefined if there are none.
    pub first: u32,
    /// Their number.
    pub count: u32,
}

impl Variable {
    /// `true` if the shader reads it.
    pub fn is_used(&self) -> bool {
        self.flags & 2 != 0
    }
}

/// The type of a variable or member.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct VariableType {
    /// 0 scalar, 1 vector, 2 matrix by rows, 3 matrix by columns, 4 object, 5 structure, 6 and 7 interfaces.
    pub class: u16,
    /// 0 void, 1 bool, 2 int, 3 float, 19 uint, 39 double, and others.
    pub base: u16,
    /// Rows.
    pub rows: u16,
    /// Columns.
    pub columns: u16,
    /// Elements of an array; 0 if it is not one.
    pub elements: u16,
    /// Members of a structure.
    pub members: Vec<Member>,
    /// The name of the type, if the file has it.
    pub name: Option<String>,
}

impl VariableType {
    /// `true` if it is a structure, which need not have members in the buffer.
    pub fn is_structure(&self) -> bool {
        const STRUCTURE: u16 = 5;
        self.class == STRUCTURE || !self.members.is_empty()
    }
}

/// A member of a structure.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Member {
    /// Its name.
    pub name: String,
    /// Offset in the structure.
    pub offset_bytes: u32,
    /// Its type.
    pub ty: VariableType,
}

/// Structures within structures; deeper ones are an error.
const TYPE_DEPTH: u32 = 16;
/// Bytes of all default values together.
const DEFAULT_BYTES: u32 = 1 << 20;

impl ResourceDefinitions {
    pub(super) fn parse(chunk: &Chunk<'_>, limits: &Limits) -> Result<Self, ContainerError> {
        let start = chunk.reader();
        let mut reader = start;
        let [buffer_count, buffer_offset, binding_count, binding_offset] =
            [reader.u32()?, reader.u32()?, reader.u32()?, reader.u32()?];
        let [minor, major] = reader.u16()?.to_le_bytes();
        let _stage = reader.u16()?;
        let flags = reader.u32()?;
        let records = Records::new(start, limits, "resource definition records");
        let mut parser = Parser { records, major, minor, defaults_left: DEFAULT_BYTES };
        let creator = parser.records.name(&mut reader)?;
        parser.records.count(chunk.at, buffer_count)?;
        parser.records.count(chunk.at + 8, binding_count)?;

        let mut reader = start.seek(binding_offset)?;
        let bindings = (0..binding_count).map(|_| parser.binding(&mut reader)).collect::<Result<_, _>>()?;
        let mut reader = start.seek(buffer_offset)?;
        let buffers = (0..buffer_count).map(|_| parser.buffer(&mut reader)).collect::<Result<_, _>>()?;
        Ok(Self { version: (major, minor), creator, flags, bindings, buffers })
    }
}

struct Parser<'a, 'l> {
    records: Records<'a, 'l>,
    major: u8,
    minor: u8,
    defaults_left: u32,
}

impl<'a> Parser<'a, '_> {
    fn has_spaces(&self) -> bool {
        (self.major, self.minor) >= (5, 1)
    }

    fn binding(&mut self, reader: &mut Reader<'a>) -> Result<Binding, ContainerError> {
        let name = self.records.name(reader)?;
        let kind = BindingKind::from_code(reader.u32()?);
        let [return_type, dimension, samples_or_stride] = [reader.u32()?, reader.u32()?, reader.u32()?];
        let [bind_point, bind_count, flags] = [reader.u32()?, reader.u32()?, reader.u32()?];
        let [space, id] = if self.has_spaces() { [reader.u32()?, reader.u32()?] } else { [0, bind_point] };
        Ok(Binding { name, kind, return_type, dimension, samples_or_stride, bind_point, bind_count, flags, space, id })
    }

    fn buffer(&mut self, reader: &mut Reader<'a>) -> Result<Buffer, ContainerError> {
        let name = self.records.name(reader)?;
        let count_at = reader.at();
        let [count, offset, size_bytes, flags] = [reader.u32()?, reader.u32()?, reader.u32()?, reader.u32()?];
        let kind = match reader.u32()? {
            0 => BufferKind::ConstantBuffer,
            1 => BufferKind::TextureBuffer,
            2 => BufferKind::InterfacePointers,
            3 => BufferKind::ResourceElements,
            other => BufferKind::Other(other),
        };
        self.records.count(count_at, count)?;
        let mut variables_reader = self.records.start.seek(offset)?;
        let variables = (0..count).map(|_| self.variable(&mut variables_reader)).collect::<Result<_, _>>()?;
        Ok(Buffer { name, size_bytes, flags, kind, variables })
    }

    fn variable(&mut self, reader: &mut Reader<'a>) -> Result<Variable, ContainerError> {
        let name = self.records.name(reader)?;
        let [offset_bytes, size_bytes, flags] = [reader.u32()?, reader.u32()?, reader.u32()?];
        let type_at = reader.at();
        let type_offset = reader.u32()?;
        let default_at = reader.at();
        let default_offset = reader.u32()?;
        let [mut textures, mut samplers] = [MemberRegisters::default(); 2];
        if self.major >= 5 {
            textures = MemberRegisters { first: reader.u32()?, count: reader.u32()? };
            samplers = MemberRegisters { first: reader.u32()?, count: reader.u32()? };
        }
        let default = match default_offset {
            0 => None,
            offset => {
                let most = DEFAULT_BYTES;
                self.defaults_left = self
                    .defaults_left
                    .checked_sub(size_bytes)
                    .ok_or_else(|| limit(default_at, "bytes of default values", size_bytes, most))?;
                Some(self.records.start.seek(offset)?.take(size_bytes as usize)?.to_vec())
            }
        };
        let ty = self.ty(type_at, type_offset, 0)?;
        Ok(Variable { name, offset_bytes, size_bytes, flags, ty, default, textures, samplers })
    }

    fn ty(&mut self, at: u32, offset: u32, depth: u32) -> Result<VariableType, ContainerError> {
        if depth > TYPE_DEPTH {
            return Err(limit(at, "levels of structures", depth, TYPE_DEPTH));
        }
        self.records.count(at, 1)?;
        let mut reader = self.records.start.seek(offset)?;
        let [class, base, rows, columns, elements] =
            [reader.u16()?, reader.u16()?, reader.u16()?, reader.u16()?, reader.u16()?];
        let member_count = reader.u16()?;
        let members_offset = reader.u32()?;
        let name = if self.major >= 5 {
            // The types of the base class and of the interfaces.
            reader.take(16)?;
            self.records.name(&mut reader).ok()
        } else {
            None
        };
        self.records.count(reader.at(), u32::from(member_count))?;
        let mut members = Vec::new();
        if member_count > 0 {
            let mut reader = self.records.start.seek(members_offset)?;
            for _ in 0..member_count {
                let name = self.records.name(&mut reader)?;
                let type_at = reader.at();
                let type_offset = reader.u32()?;
                let offset_bytes = reader.u32()?;
                members.push(Member { name, offset_bytes, ty: self.ty(type_at, type_offset, depth + 1)? });
            }
        }
        Ok(VariableType { class, base, rows, columns, elements, members, name })
    }
}
