//! Reads the types that variables have, as far as their names and the names of their parts need it.
//!
//! A record has a number, from the first one that the header states; lower numbers are simple types. microsoft-pdb has
//! the records in `include/cvinfo.h`: `lfVector`, `lfMatrix`, `lfStridedArray`, `lfHLSL`, `lfModifierEx`,
//! `lfStructure`, `lfMember`. Records of other kinds have no name.

use super::error::{Budget, DebugError};
use crate::reader::Reader;
use std::fmt::Write;

type Result<T> = std::result::Result<T, DebugError>;

/// Types within types that are looked into. A record may name itself.
const DEPTH: u32 = 16;
/// Bytes of the name of a type or a part, beyond which it is cut.
const NAME: usize = 256;

/// A type.
#[derive(Clone, Debug)]
enum Type {
    /// One that says no more than another, as with `const`.
    Same(u32),
    /// A vector: the type and number of its components, and its name.
    Vector(u32, u32, String),
    /// A matrix.
    Matrix {
        element: u32,
        stride: u32,
        is_row_major: bool,
        size: u32,
        name: String,
    },
    /// An array: its elements, their distance, its size. In model 5.1 fxc writes a size of 0.
    Array {
        element: u32,
        stride: u32,
        size: u32,
    },
    /// A structure: its members, its size, its name.
    Structure(u32, u32, String),
    /// Members of a structure: offset, type, name.
    Members(Vec<(u32, u32, String)>),
    /// A resource or another type of the language: its elements, and its kind.
    Language(u32, u16),
    Other,
}

/// The types of a program.
#[derive(Clone, Debug, Default)]
pub(super) struct Types {
    first: u32,
    types: Vec<Type>,
}

// Kinds of records.
const MODIFIER: u16 = 0x1001;
const MEMBERS: u16 = 0x1203;
const BASE_CLASS: u16 = 0x1400;
const CLASS: u16 = 0x1504;
const STRUCTURE: u16 = 0x1505;
const MEMBER: u16 = 0x150d;
const ARRAY: u16 = 0x1516;
const LANGUAGE: u16 = 0x1517;
const MODIFIERS: u16 = 0x1518;
const INTERFACE: u16 = 0x1519;
const VECTOR: u16 = 0x151b;
const MATRIX: u16 = 0x151c;

/// What the variables of constant buffers are in model 5.1.
const IN_CONSTANTS: u16 = 0x224;

/// A value that a record states: itself, or the kind of the number that follows.
fn value(reader: &mut Reader<'_>) -> Result<u32> {
    Ok(match reader.u16()? {
        // An unsigned 16-bit number, and a 32-bit one.
        0x8002 => reader.u16()?.into(),
        0x8003 | 0x8004 => reader.u32()?,
        value => value.into(),
    })
}

impl Types {
    pub fn read(mut reader: Reader<'_>, budget: &mut Budget<'_>) -> Result<Self> {
        let start = reader;
        let _version = reader.u32()?;
        let [header_bytes, first, _end, size] = [reader.u32()?, reader.u32()?, reader.u32()?, reader.u32()?];
        let mut records = start.seek(header_bytes)?.part(size)?;
        let mut types = Vec::new();
        while records.left() > 0 {
            budget.record(records.at())?;
            let size = records.u16()?;
            let mut record = records.part(size.into())?;
            types.push(read_type(&mut record, budget)?);
        }
        Ok(Self { first, types })
    }

    fn get(&self, number: u32) -> Option<&Type> {
        self.types.get(number.checked_sub(self.first)? as usize)
    }

    /// The name of a type as the source has it; `None` for one that cannot be told.
    pub fn name(&self, number: u32) -> Option<String> {
        self.name_within(number, true)
    }

    /// The same. The elements of a resource are no resources.
    fn name_within(&self, number: u32, may_be_resource: bool) -> Option<String> {
        let (mut number, mut extents) = (number, String::new());
        for _ in 0..DEPTH {
            let name = match self.get(number) {
                None => simple(number)?,
                Some(Type::Same(other)) => {
                    number = *other;
                    continue;
                }
                Some(Type::Array { element, stride, size }) => {
                    let _ = match size {
                        0 => write!(extents, "[]"),
                        _ => write!(extents, "[{}]", size.div_ceil((*stride).max(1))),
                    };
                    number = *element;
                    continue;
                }
                Some(Type::Vector(.., name) | Type::Matrix { name, .. } | Type::Structure(.., name)) => name,
                Some(Type::Language(element, kind)) if may_be_resource => {
                    let kind = language(*kind)?;
                    let element = match simple(*element) {
                        Some("void") => None,
                        _ => self.name_within(*element, false),
                    };
                    let name = element.map_or_else(|| kind.to_owned(), |element| format!("{kind}<{element}>"));
                    return Some(cut(name + &extents));
                }
                Some(Type::Language(..) | Type::Members(_) | Type::Other) => return None,
            };
            return Some(cut(format!("{name}{extents}")));
        }
        None
    }

    /// The bytes of a type: 4 where it does not say more.
    fn size(&self, mut number: u32) -> u32 {
        for _ in 0..DEPTH {
            let size = match self.get(number) {
                Some(Type::Same(other)) => {
                    number = *other;
                    continue;
                }
                Some(Type::Vector(element, count, _)) => count.saturating_mul(simple_size(*element)),
                Some(Type::Matrix { size, .. } | Type::Array { size, .. } | Type::Structure(_, size, _)) => *size,
                Some(Type::Members(_) | Type::Language(..) | Type::Other) | None => simple_size(number),
            };
            return size.max(4);
        }
        4
    }

    /// What of a variable of this type lies at some bytes, as it follows the variable's name: `.xy`, `.lamps[2].power`,
    /// `._m01`; nothing for all of it, or where it cannot be told.
    pub fn part(&self, number: u32, offset: u32, size: u32) -> String {
        let (mut number, mut offset, mut text) = (number, offset, String::new());
        for _ in 0..DEPTH {
            match self.get(number) {
                Some(Type::Same(other)) => number = *other,
                Some(Type::Vector(element, count, _)) => {
                    let each = self.size(*element);
                    let (first, parts) = (offset / each, size.div_ceil(each));
                    if parts < *count {
                        let letters = ['x', 'y', 'z', 'w'].into_iter().skip(first as usize).take(parts as usize);
                        text.push('.');
                        text.extend(letters);
                    }
                    break;
                }
                Some(Type::Matrix { element, stride, is_row_major, size: whole, .. }) => {
                    let each = self.size(*element);
                    let (major, minor) = (offset / (*stride).max(1), offset % (*stride).max(1) / each);
                    let (row, column) = if *is_row_major { (major, minor) } else { (minor, major) };
                    if size <= each && *whole > each {
                        let _ = write!(text, "._m{row}{column}");
                    }
                    break;
                }
                Some(Type::Array { element, stride, size: whole }) => {
                    if *whole != 0 && size >= *whole {
                        break;
                    }
                    let stride = if *whole == 0 { self.size(*element) } else { (*stride).max(1) };
                    let _ = write!(text, "[{}]", offset / stride);
                    (number, offset) = (*element, offset % stride);
                }
                Some(Type::Structure(members, whole, _)) => {
                    if size >= *whole {
                        break;
                    }
                    let Some(Type::Members(members)) = self.get(*members) else { break };
                    let behind = members.partition_point(|&(start, ..)| start <= offset);
                    let Some((start, member, name)) = behind.checked_sub(1).and_then(|n| members.get(n)) else { break };
                    let _ = write!(text, ".{name}");
                    (number, offset) = (*member, offset - start);
                }
                Some(Type::Language(element, _)) if simple(*element) != Some("void") => number = *element,
                Some(Type::Members(_) | Type::Language(..) | Type::Other) | None => break,
            }
        }
        cut(text)
    }
}

fn read_type(record: &mut Reader<'_>, budget: &mut Budget<'_>) -> Result<Type> {
    Ok(match record.u16()? {
        MODIFIER | MODIFIERS => Type::Same(record.u32()?),
        VECTOR => {
            let [element, count, _size] = [record.u32()?, record.u32()?, value(record)?];
            Type::Vector(element, count, budget.name(record)?)
        }
        MATRIX => {
            let [element, _rows, _columns, stride] = [record.u32()?, record.u32()?, record.u32()?, record.u32()?];
            let is_row_major = record.u8()? & 1 != 0;
            let size = value(record)?;
            Type::Matrix { element, stride, is_row_major, size, name: budget.name(record)? }
        }
        ARRAY => {
            let [element, _index, stride] = [record.u32()?, record.u32()?, record.u32()?];
            Type::Array { element, stride, size: value(record)? }
        }
        CLASS | STRUCTURE | INTERFACE => {
            record.take(4)?;
            let members = record.u32()?;
            record.take(8)?;
            let size = value(record)?;
            Type::Structure(members, size, budget.name(record)?)
        }
        MEMBERS => Type::Members(read_members(record, budget)?),
        LANGUAGE => match (record.u32()?, record.u16()?) {
            (element, IN_CONSTANTS) => Type::Same(element),
            (element, kind) => Type::Language(element, kind),
        },
        _ => Type::Other,
    })
}

/// The data members, up to the first of another kind, whose size is not known.
fn read_members(record: &mut Reader<'_>, budget: &mut Budget<'_>) -> Result<Vec<(u32, u32, String)>> {
    /// Bytes from here on fill a member to whole words, and say how many of them are left.
    const PADDING: u8 = 0xf1;
    let mut members = Vec::new();
    while record.left() > 0 {
        let mut ahead = *record;
        if ahead.u8()? >= PADDING {
            *record = ahead;
            continue;
        }
        budget.record(record.at())?;
        match record.u16()? {
            MEMBER => {
                let _attributes = record.u16()?;
                let (ty, offset) = (record.u32()?, value(record)?);
                members.push((offset, ty, budget.name(record)?));
            }
            BASE_CLASS => {
                let _attributes = record.u16()?;
                let (ty, offset) = (record.u32()?, value(record)?);
                members.push((offset, ty, "base".to_owned()));
            }
            _ => break,
        }
    }
    members.sort_by_key(|&(offset, ..)| offset);
    Ok(members)
}

/// The bytes of a number.
fn simple_size(number: u32) -> u32 {
    if simple(number) == Some("double") { 8 } else { 4 }
}

/// The name of a type that has no record.
fn simple(number: u32) -> Option<&'static str> {
    Some(match number {
        0x03 => "void",
        0x40 => "float",
        0x41 => "double",
        0x45 => "half",
        0x62 => "bool",
        0x74 => "int",
        0x75 => "uint",
        _ => return None,
    })
}

/// The name of a type of the language.
fn language(kind: u16) -> Option<&'static str> {
    const FIRST: u16 = 0x201;
    const NAMES: [&str; 35] = [
        "Texture1D",
        "Texture1DArray",
        "Texture2D",
        "Texture2DArray",
        "Texture3D",
        "TextureCube",
        "TextureCubeArray",
        "Texture2DMS",
        "Texture2DMSArray",
        "SamplerState",
        "SamplerComparisonState",
        "Buffer",
        "PointStream",
        "LineStream",
        "TriangleStream",
        "InputPatch",
        "OutputPatch",
        "RWTexture1D",
        "RWTexture1DArray",
        "RWTexture2D",
        "RWTexture2DArray",
        "RWTexture3D",
        "RWBuffer",
        "ByteAddressBuffer",
        "RWByteAddressBuffer",
        "StructuredBuffer",
        "RWStructuredBuffer",
        "AppendStructuredBuffer",
        "ConsumeStructuredBuffer",
        "min8float",
        "min10float",
        "min16float",
        "min12int",
        "min16int",
        "min16uint",
    ];
    NAMES.get(kind.checked_sub(FIRST)? as usize).copied()
}

/// A text up to the most bytes of a name.
fn cut(mut text: String) -> String {
    if text.len() > NAME {
        let end = (0..=NAME).rev().find(|&end| text.is_char_boundary(end)).unwrap_or(0);
        text.truncate(end);
    }
    text
}
