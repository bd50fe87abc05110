//! Reads the constant table (CTAB), which the compiler leaves in a comment: the names, registers and types of the
//! program's constants and samplers.
//!
//! Offsets count from the word after the comment's name. Types may be shared and a hostile table may make them refer
//! to themselves, so the nesting, the number of records and the length of names are bounded.

use super::instruction::Comment;
use crate::codes::codes;
use crate::faults::errors;
use crate::limits::Limits;
use crate::reader::Reader;

errors! {
    /// Error in a constant table.
    ConstantsError:

    /// Fewer bytes than a record needs.
    #[error("table of constants is truncated at byte {at}: {need} bytes are needed, {have} are there")]
    Truncated { need: u32, have: u32 },
    /// The size in the table's header is not that of the header.
    #[error("table of constants at byte {at}: a head of {size} bytes, it must have 28")]
    HeadSize { size: u32 },
    /// A name is not terminated within the table.
    #[error("table of constants: offset {offset} at byte {at} does not point to text within it")]
    Name { offset: u32 },
    /// An unknown number in a field.
    #[error("table of constants: unknown {what} {code} at byte {at}")]
    UnknownCode { what: &'static str, code: u16 },
    /// A count is over its limit.
    #[error("table of constants: {what} at byte {at} are over the limit of {limit}")]
    Limit { what: &'static str, limit: u32 },
}

codes! {
    /// The set of registers that holds a constant.
    RegisterSet {
        0 Bool "b";
        1 Int4 "i";
        2 Float4 "c";
        3 Sampler "s";
    }
}

codes! {
    /// The shape of a type.
    Class {
        0 Scalar "scalar";
        1 Vector "vector";
        2 MatrixRows "matrix (rows)";
        3 MatrixColumns "matrix (columns)";
        4 Object "object";
        5 Struct "struct";
    }
}

codes! {
    /// Component type.
    Base {
        0 Void "void";
        1 Bool "bool";
        2 Int "int";
        3 Float "float";
        4 String "string";
        5 Texture "Texture";
        6 Texture1D "Texture1D";
        7 Texture2D "Texture2D";
        8 Texture3D "Texture3D";
        9 TextureCube "TextureCube";
        10 Sampler "sampler";
        11 Sampler1D "sampler1D";
        12 Sampler2D "sampler2D";
        13 Sampler3D "sampler3D";
        14 SamplerCube "samplerCUBE";
        15 PixelShader "PixelShader";
        16 VertexShader "VertexShader";
        17 PixelFragment "pixelfragment";
        18 VertexFragment "vertexfragment";
    }
}

/// The constant table.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ConstantTable {
    /// The compiler's name.
    pub creator: String,
    /// The version token of the program.
    pub version: u32,
    /// Flags the program was compiled with.
    pub flags: u32,
    /// The profile.
    pub target: String,
    /// The constants in the order of the table.
    pub constants: Vec<Constant>,
}

/// A constant or a sampler.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Constant {
    /// The name in the source.
    pub name: String,
    /// The set of registers that holds it.
    pub set: RegisterSet,
    /// The first of them.
    pub register: u16,
    /// Number of registers; fewer than its type needs if the program does not use the last ones.
    pub count: u16,
    /// Its type.
    pub type_info: TypeInfo,
    /// The default value: a word for each boolean register, four for others.
    pub default: Option<Vec<u32>>,
}

/// A type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TypeInfo {
    /// Its shape.
    pub class: Class,
    /// Component type.
    pub base: Base,
    /// Rows of a matrix.
    pub rows: u16,
    /// Columns of a matrix, components of a vector.
    pub columns: u16,
    /// Elements of an array; 1 if it is not one.
    pub elements: u16,
    /// Members of a structure.
    pub members: Vec<Member>,
}

/// A member of a structure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    /// The name in the source.
    pub name: String,
    /// Its type.
    pub type_info: TypeInfo,
}

const HEAD_BYTES: u32 = 28;
/// Deepest nesting of structures.
const DEEPEST: u32 = 16;
/// Bytes of a name that count as one record.
const NAME_BYTES_PER_RECORD: u32 = 64;

impl ConstantTable {
    /// Reads a comment at byte `at` of the file. Its name is not checked.
    pub fn parse(comment: &Comment, at: u32, limits: &Limits) -> Result<Self, ConstantsError> {
        let bytes: Vec<u8> = comment.words.iter().skip(1).flat_map(|word| word.to_le_bytes()).collect();
        // The comment's token and name precede the table.
        let table = Reader::new(&bytes, at.saturating_add(8));
        let mut parser = ConstantTableParser { table, limits, records_left: limits.resource_records };
        let mut head = table;
        let size = head.u32()?;
        if size != HEAD_BYTES {
            return Err(ConstantsError::HeadSize { at: table.at(), size });
        }
        let creator = parser.name(&mut head)?;
        let version = head.u32()?;
        let count = head.u32()?;
        let mut records = table.seek(head.u32()?)?;
        let flags = head.u32()?;
        let target = parser.name(&mut head)?;
        let mut constants = Vec::new();
        for _ in 0..count {
            constants.push(parser.constant(&mut records)?);
        }
        Ok(Self { creator, version, flags, target, constants })
    }
}

struct ConstantTableParser<'a, 'l> {
    table: Reader<'a>,
    limits: &'l Limits,
    records_left: u32,
}

impl ConstantTableParser<'_, '_> {
    /// Takes `records` from the table's budget.
    fn take_records(&mut self, at: u32, records: u32) -> Result<(), ConstantsError> {
        let limit = self.limits.resource_records;
        self.records_left =
            self.records_left.checked_sub(records).ok_or(ConstantsError::Limit { at, what: "records", limit })?;
        Ok(())
    }

    /// The text at the offset that is next in `record`; empty for offset 0, which is the table's own header.
    fn name(&mut self, record: &mut Reader<'_>) -> Result<String, ConstantsError> {
        let at = record.at();
        let offset = record.u32()?;
        if offset == 0 {
            return Ok(String::new());
        }
        let text = self.table.seek(offset).ok().and_then(|name| name.text(self.limits.name_bytes));
        let text = text.ok_or(ConstantsError::Name { at, offset })?;
        self.take_records(at, text.len() as u32 / NAME_BYTES_PER_RECORD)?;
        Ok(text)
    }

    fn constant(&mut self, record: &mut Reader<'_>) -> Result<Constant, ConstantsError> {
        let at = record.at();
        self.take_records(at, 1)?;
        let name = self.name(record)?;
        let set = known(at, "register set", record.u16()?, RegisterSet::from_code)?;
        let register = record.u16()?;
        let count = record.u16()?;
        record.u16()?;
        let type_info = self.type_info(record, 0)?;
        let default = match record.u32()? {
            0 => None,
            offset => Some(self.default(at, offset, set, count)?),
        };
        Ok(Constant { name, set, register, count, type_info, default })
    }

    fn default(&mut self, at: u32, offset: u32, set: RegisterSet, count: u16) -> Result<Vec<u32>, ConstantsError> {
        let words = u32::from(count) * if set == RegisterSet::Bool { 1 } else { 4 };
        self.take_records(at, words / (NAME_BYTES_PER_RECORD / 4))?;
        let bytes = self.table.seek(offset)?.take(words as usize * 4)?;
        Ok(bytes.as_chunks::<4>().0.iter().map(|bytes| u32::from_le_bytes(*bytes)).collect())
    }

    /// The type at the offset that is next in `record`.
    fn type_info(&mut self, record: &mut Reader<'_>, depth: u32) -> Result<TypeInfo, ConstantsError> {
        let mut record = self.table.seek(record.u32()?)?;
        let at = record.at();
        if depth > DEEPEST {
            return Err(ConstantsError::Limit { at, what: "structures within each other", limit: DEEPEST });
        }
        self.take_records(at, 1)?;
        let class = known(at, "class of a type", record.u16()?, Class::from_code)?;
        let base = known(at, "type", record.u16()?, Base::from_code)?;
        let [rows, columns, elements, count] = [record.u16()?, record.u16()?, record.u16()?, record.u16()?];
        let mut members = Vec::new();
        if class == Class::Struct && count > 0 {
            let mut member = self.table.seek(record.u32()?)?;
            for _ in 0..count {
                let name = self.name(&mut member)?;
                members.push(Member { name, type_info: self.type_info(&mut member, depth + 1)? });
            }
        }
        Ok(TypeInfo { class, base, rows, columns, elements, members })
    }
}

/// Decodes a number in a record of the table.
fn known<T>(at: u32, what: &'static str, code: u16, of: impl Fn(u32) -> Option<T>) -> Result<T, ConstantsError> {
    of(code.into()).ok_or(ConstantsError::UnknownCode { at, what, code })
}
