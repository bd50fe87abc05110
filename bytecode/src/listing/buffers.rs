//! Lists the layout of constant buffers, and of the elements of structured buffers.

use crate::container::ResourceDefinitions;
use crate::container::resources::{Buffer, BufferKind, MemberRegisters, Variable, VariableType};
use std::fmt::{self, Write};

/// Columns before the comment with a variable's offset.
const COMMENT_COLUMN: usize = 40;

/// Writes all buffers, if there are any.
pub fn write(out: &mut String, resources: &ResourceDefinitions) -> fmt::Result {
    if resources.buffers.is_empty() {
        return Ok(());
    }
    out.push_str("// Buffer Definitions: \n//\n");
    for buffer in &resources.buffers {
        let title = match buffer.kind {
            BufferKind::ConstantBuffer => "cbuffer",
            BufferKind::TextureBuffer => "tbuffer",
            BufferKind::InterfacePointers => "interfaces",
            BufferKind::ResourceElements => "Resource bind info for",
            BufferKind::Other(_) => "unknown",
        };
        write!(out, "// {title} {}\n// {{\n//\n", buffer.name)?;
        write_variables(out, buffer)?;
        out.push_str("//\n// }\n//\n");
    }
    out.push_str("//\n");
    Ok(())
}

fn write_variables(out: &mut String, buffer: &Buffer) -> fmt::Result {
    let mut gap = Gap::None;
    for variable in &buffer.variables {
        let line = write_type(out, &variable.ty, &variable.name, variable.offset_bytes, 0, &mut gap)?;
        let unused = if variable.is_used() { "" } else { " [unused]" };
        let is_unused_interface = variable.ty.class == INTERFACE && !unused.is_empty();
        write!(out, "{line:<COMMENT_COLUMN$}")?;
        if is_unused_interface {
            writeln!(out, "// Offset:  N/A Size:   N/A{unused}")?;
        } else {
            writeln!(out, "// Offset: {:>4} Size: {:>5}{unused}", variable.offset_bytes, variable.size_bytes)?;
        }
        write_default(out, variable)?;
        write_registers(out, variable)?;
    }
    Ok(())
}

/// The textures and samplers of a structure. The line begins without slashes, as fxc writes it.
fn write_registers(out: &mut String, variable: &Variable) -> fmt::Result {
    let text = |[one, several]: [&str; 2], letter: char, MemberRegisters { first, count }| match count {
        0 => None,
        1 => Some(format!("{one}{letter}{first}")),
        _ => Some(format!("{several}{letter}{first}-{letter}{}", first.wrapping_add(count - 1))),
    };
    let textures = text(["Texture:   ", "Textures:  "], 't', variable.textures);
    let samplers = text(["Sampler: ", "Samplers: "], 's', variable.samplers);
    let texts: Vec<String> = textures.into_iter().chain(samplers).collect();
    match texts.is_empty() {
        true => Ok(()),
        false => writeln!(out, "{:COMMENT_COLUMN$}// {}", "", texts.join(", ")),
    }
}

/// The words of a default value, four on a line.
fn write_default(out: &mut String, variable: &Variable) -> fmt::Result {
    let Some(default) = &variable.default else { return Ok(()) };
    for (n, vector) in default.chunks(16).enumerate() {
        out.push_str(if n == 0 { "//      = " } else { "//        " });
        for word in vector.as_chunks::<4>().0 {
            write!(out, "{:#010x} ", u32::from_le_bytes(*word))?;
        }
        out.push('\n');
    }
    Ok(())
}

/// The class of a pointer to a class instance.
const INTERFACE: u16 = 7;

/// The type of such a pointer.
const INTERFACE_POINTER: u16 = 37;

/// Gap before the next variable or member: an empty line or not.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Gap {
    /// None: it is the first of a buffer.
    None,
    /// One if it is a structure.
    Structure,
    /// One in any case: a structure was begun and is still empty.
    Any,
}

/// Writes the lines of a type and returns the last one, which the caller completes.
fn write_type(
    out: &mut String,
    ty: &VariableType,
    name: &str,
    offset_bytes: u32,
    depth: usize,
    gap: &mut Gap,
) -> Result<String, fmt::Error> {
    let indent = 3 + 4 * depth;
    let array = if ty.elements > 1 { format!("[{}]", ty.elements) } else { String::new() };
    if *gap == Gap::Any || *gap == Gap::Structure && ty.is_structure() {
        writeln!(out, "//{:indent$}", "")?;
    }
    *gap = Gap::Structure;
    if !ty.is_structure() {
        return Ok(format!("//{:indent$}{} {name}{array};", "", type_text(ty)));
    }
    writeln!(out, "//{:indent$}{}\n//{:indent$}{{", "", structure_text(ty), "")?;
    *gap = Gap::Any;
    for member in &ty.members {
        let offset = offset_bytes.wrapping_add(member.offset_bytes);
        let line = write_type(out, &member.ty, &member.name, offset, depth + 1, gap)?;
        writeln!(out, "{line:<COMMENT_COLUMN$}// Offset: {offset:>4}")?;
    }
    out.push_str("//\n");
    Ok(format!("//{:indent$}}} {name}{array};", ""))
}

impl fmt::Display for VariableType {
    /// Writes its name as a listing has it, without the length of an array.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&type_text(self))
    }
}

/// The type of a variable that is a structure.
pub(crate) fn structure_text(ty: &VariableType) -> String {
    match &ty.name {
        Some(name) => format!("struct {name}"),
        None => "struct".to_owned(),
    }
}

/// The type of a variable that is not a structure.
pub(crate) fn type_text(ty: &VariableType) -> String {
    let named = BASE_TYPES.iter().find(|(number, _)| *number == ty.base).map(|(_, text)| *text);
    let base = named.or(ty.name.as_deref()).unwrap_or("unknown");
    match ty.class {
        1 => format!("{base}{}", ty.columns),
        2 => format!("row_major {base}{}x{}", ty.rows, ty.columns),
        3 => format!("{base}{}x{}", ty.rows, ty.columns),
        6 | INTERFACE => format!("{base} {}", ty.name.as_deref().unwrap_or("unknown")),
        _ => base.to_owned(),
    }
}

/// Types of variables that are not structures.
const BASE_TYPES: &[(u16, &str)] = &[
    (0, "void"),
    (1, "bool"),
    (2, "int"),
    (3, "float"),
    (4, "string"),
    (19, "uint"),
    (20, "uint8"),
    (INTERFACE_POINTER, "interface"),
    (39, "double"),
    (52, "min8float"),
    (53, "min10float"),
    (54, "min16float"),
    (55, "min12int"),
    (56, "min16int"),
    (57, "min16uint"),
];
