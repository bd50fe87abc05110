//! Formats declarations and custom data as fxc lists them.

use super::custom::{CustomContent, CustomData, Message};
use super::declaration::{Declaration, DeclarationKind, GlobalFlags, RegisterRange, ResourceKind, UavFlags};
use super::literal::{Literals, Number, write_word};
use super::{Model, Op};
use crate::sm5::codes::ResourceDimension;
use std::fmt::{self, Write};

/// The name of a primitive of `dcl_inputprimitive`: `triangle`, `patch3`.
pub fn primitive_text(primitive: u32) -> String {
    match PRIMITIVES.iter().find(|(number, _)| *number == primitive) {
        Some((_, text)) => (*text).to_owned(),
        None => format!("patch{}", primitive.saturating_sub(PATCH_BASE)),
    }
}

/// Primitives of `dcl_inputprimitive` with a name; patches of n control points are 7 + n.
pub(crate) const PRIMITIVES: [(u32, &str); 6] =
    [(0, "undefined"), (1, "point"), (2, "line"), (3, "triangle"), (6, "lineadj"), (7, "triangleadj")];
/// The number of a patch primitive is this plus its control points.
pub(crate) const PATCH_BASE: u32 = 7;

impl Declaration {
    /// Writes the declaration as a line of a program of this model, without the end of the line.
    pub(crate) fn write(&self, f: &mut impl Write, model: Model, literals: Literals) -> fmt::Result {
        let op = self.op;
        match &self.kind {
            DeclarationKind::Resource { range, kind } => {
                let bare = UavFlags::default();
                write_resource(f, "dcl_resource", "t", model, range, kind, bare)
            }
            DeclarationKind::Uav { range, kind, flags } => write_resource(
                f,
                if op == Op::DclUavTyped { "dcl_uav_typed" } else { "dcl_uav" },
                "u",
                model,
                range,
                kind,
                *flags,
            ),
            DeclarationKind::Sampler { range, mode } => {
                let (range, space) = (RangeText("s", model, range), Space(model, range));
                write!(f, "{op} {range}, {mode}{space}")
            }
            DeclarationKind::ConstantBuffer { range, vectors, dynamic } => {
                let access = if *dynamic { "dynamicIndexed" } else { "immediateIndexed" };
                let register = RangeText("CB", model, range);
                write!(f, "{op} {register}[{vectors}], {access}{}", Space(model, range))
            }
            DeclarationKind::GlobalFlags(flags) => write!(f, "{op}{}", flags_text(*flags)),
            DeclarationKind::Input { operand, system_value, interpolation } => {
                write!(f, "{op} ")?;
                if let Some(interpolation) = interpolation {
                    write!(f, "{interpolation} ")?;
                }
                write!(f, "{operand}")?;
                system_value.map_or(Ok(()), |value| write!(f, ", {value}"))
            }
            DeclarationKind::Output { operand, system_value } => {
                write!(f, "{op} {operand}")?;
                system_value.map_or(Ok(()), |value| write!(f, ", {value}"))
            }
            DeclarationKind::IndexRange { operand, count } => write!(f, "{op} {operand} {count}"),
            DeclarationKind::IndexableTemp { register, count, components } => {
                write!(f, "{op} x{register}[{count}], {components}")
            }
            DeclarationKind::InputPrimitive { primitive } => write!(f, "{op} {} ", primitive_text(*primitive)),
            DeclarationKind::OutputTopology(topology) => write!(f, "{op} {topology} "),
            DeclarationKind::Temps { count }
            | DeclarationKind::MaxOutputVertexCount(count)
            | DeclarationKind::GsInstances(count)
            | DeclarationKind::InputControlPointCount(count)
            | DeclarationKind::OutputControlPointCount(count)
            | DeclarationKind::ForkInstanceCount(count)
            | DeclarationKind::JoinInstanceCount(count) => write!(f, "{op} {count}"),
            DeclarationKind::Stream { register } => write!(f, "{op} m{register}"),
            DeclarationKind::TessellatorDomain(domain) => write!(f, "{op} {domain}"),
            DeclarationKind::TessellatorPartitioning(partitioning) => write!(f, "{op} {partitioning}"),
            DeclarationKind::TessellatorOutput(output) => write!(f, "{op} {output}"),
            DeclarationKind::HsMaxTessFactor(factor) => {
                write!(f, "{op} l(")?;
                write_word(f, *factor, Number::Float, literals)?;
                f.write_str(")")
            }
            DeclarationKind::ThreadGroup { size: [x, y, z] } => write!(f, "{op} {x}, {y}, {z}"),
            DeclarationKind::TgsmRaw { register, bytes } => write!(f, "{op} g{register}, {bytes}"),
            DeclarationKind::TgsmStructured { register, stride_bytes, count } => {
                write!(f, "{op} g{register}, {stride_bytes}, {count}")
            }
            DeclarationKind::FunctionBody { body } => write!(f, "{op} fb{body}"),
            DeclarationKind::FunctionTable { table, bodies } => write!(f, "{op} ft{table} = {}", List("fb", bodies)),
            DeclarationKind::Interface { interface, dynamic, call_sites, array_length, tables } => {
                let dynamic = if *dynamic { "_dynamicindexed" } else { "" };
                write!(f, "{op}{dynamic} fp{interface}[{array_length}][{call_sites}] = {}", List("ft", tables))
            }
        }
    }
}

fn write_resource(
    f: &mut impl Write,
    name: &str,
    file: &'static str,
    model: Model,
    range: &RegisterRange,
    kind: &ResourceKind,
    flags: UavFlags,
) -> fmt::Result {
    let register = RangeText(file, model, range);
    let space = Space(model, range);
    let flags = flags.names().collect::<String>();
    match kind {
        ResourceKind::Raw => write!(f, "{name}_raw{flags} {register}{space}"),
        ResourceKind::Structured { stride_bytes } => {
            write!(f, "{name}_structured{flags} {register}, {stride_bytes}{space}")
        }
        ResourceKind::Typed { dimension, samples, returns: [x, y, z, w] } => {
            write!(f, "{name}_{dimension}")?;
            let is_multisampled =
                matches!(dimension, ResourceDimension::Texture2DMs | ResourceDimension::Texture2DMsArray);
            if is_multisampled && file == "t" {
                write!(f, "({samples})")?;
            }
            write!(f, "{flags} ({x},{y},{z},{w}) {register}{space}")
        }
    }
}

impl UavFlags {
    /// The names of the flags that are set, in the order in which they are printed: `_glc`.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        UAV_FLAGS.iter().filter(|(_, is_set)| is_set(self)).map(|(text, _)| *text)
    }
}

type UavFlag = (&'static str, fn(&UavFlags) -> bool);

/// The properties of a UAV in the order in which they are printed.
pub(crate) const UAV_FLAGS: [UavFlag; 3] = [
    ("_glc", |flags| flags.globally_coherent),
    ("_rov", |flags| flags.rasterizer_ordered),
    ("_opc", |flags| flags.counter),
];

/// The flags with a name, in the order in which they are printed; `none` without a space before it.
fn flags_text(flags: GlobalFlags) -> String {
    let set: Vec<&str> =
        GlobalFlags::NAMES.iter().filter(|(flag, _)| flags.has(*flag)).map(|(_, text)| *text).collect();
    if set.is_empty() { "none".into() } else { format!(" {}", set.join(" | ")) }
}

/// A declared register or range: `t3`, and `T0[3:5]` in 5.1.
struct RangeText<'a>(&'static str, Model, &'a RegisterRange);

impl fmt::Display for RangeText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(file, model, range) = self;
        if *model != Model::Sm5_1 {
            return write!(f, "{file}{}", range.id);
        }
        write!(f, "{}{}[{}:", file.to_uppercase(), range.id, range.lower)?;
        match range.upper {
            Some(upper) => write!(f, "{upper}]"),
            None => f.write_str("*]"),
        }
    }
}

/// Text that ends the declaration of a range in 5.1.
struct Space<'a>(Model, &'a RegisterRange);

impl fmt::Display for Space<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Model::Sm5_1 => write!(f, ", space={}", self.1.space),
            Model::Sm4_0 | Model::Sm4_1 | Model::Sm5_0 => Ok(()),
        }
    }
}

/// `{fb0, fb1}`
struct List<'a>(&'static str, &'a [u32]);

impl fmt::Display for List<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let items: Vec<String> = self.1.iter().map(|number| format!("{}{number}", self.0)).collect();
        write!(f, "{{{}}}", items.join(", "))
    }
}

impl CustomData {
    /// Writes the block as fxc lists it, if fxc shows it. `words` are those of the block.
    pub(crate) fn write(&self, f: &mut impl Write, words: &[u32], literals: Literals) -> fmt::Result {
        match &self.content {
            CustomContent::Comment => {
                let bytes: Vec<u8> = words.iter().skip(2).flat_map(|word| word.to_le_bytes()).collect();
                let text = bytes.split(|&byte| byte == 0).next().unwrap_or_default();
                write!(f, "// COMMENT: {}", String::from_utf8_lossy(text))
            }
            CustomContent::ImmediateConstantBuffer(vectors) => write_vectors(f, vectors, literals),
            CustomContent::Message(message) => write_message(f, message, literals),
            CustomContent::DebugInfo
            | CustomContent::Opaque
            | CustomContent::ClipPlanes
            | CustomContent::Unknown { .. } => f.write_str("undecipherable custom data"),
        }
    }
}

fn write_vectors(f: &mut impl Write, vectors: &[[u32; 4]], literals: Literals) -> fmt::Result {
    f.write_str("dcl_immediateConstantBuffer {")?;
    for (n, vector) in vectors.iter().enumerate() {
        f.write_str(if n == 0 { " { " } else { ",\n                              { " })?;
        for (component, &word) in vector.iter().enumerate() {
            f.write_str(if component == 0 { "" } else { ", " })?;
            write_word(f, word, Number::Guess, literals)?;
        }
        f.write_str("}")?;
    }
    f.write_str(" }")
}

impl fmt::Display for Message {
    /// As fxc lists it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_message(f, self, Literals::Listing)
    }
}

fn write_message(f: &mut impl Write, message: &Message, literals: Literals) -> fmt::Result {
    write!(f, "{} \"{}\"", message.kind.text(), message.text)?;
    for operand in &message.operands {
        f.write_str(", ")?;
        operand.write(f, Number::Guess, literals, None)?;
    }
    Ok(())
}
