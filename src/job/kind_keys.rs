//! The keys that say what a register is bound to: its kind and the kind's dimensions.

use brolga_runtime::{Dimension, Format, TextureShape};

use super::document::{Node, Value};
use super::error::Problem;
use super::model::*;
use super::table::*;

/// Kinds of views by their names in jobs.
pub(super) const KIND_NAMES: &[&str] = &[
    "constant",
    "raw",
    "structured",
    "typed",
    "texture1d",
    "texture1darray",
    "texture2d",
    "texture2darray",
    "texture3d",
    "sampler",
];

/// Filters of samplers, as Direct3D names them.
const FILTERS: &[&str] = &[
    "min_mag_mip_point",
    "min_mag_point_mip_linear",
    "min_point_mag_linear_mip_point",
    "min_point_mag_mip_linear",
    "min_linear_mag_mip_point",
    "min_linear_mag_point_mip_linear",
    "min_mag_linear_mip_point",
    "min_mag_mip_linear",
    "anisotropic",
    "comparison_min_mag_mip_point",
    "comparison_min_mag_point_mip_linear",
    "comparison_min_point_mag_linear_mip_point",
    "comparison_min_point_mag_mip_linear",
    "comparison_min_linear_mag_mip_point",
    "comparison_min_linear_mag_point_mip_linear",
    "comparison_min_mag_linear_mip_point",
    "comparison_min_mag_mip_linear",
    "comparison_anisotropic",
];

/// What samplers do outside an image.
const ADDRESSES: &[&str] = &["wrap", "mirror", "clamp", "border", "mirror_once"];

/// The keys of a kind's dimensions: they stand beside `kind`, or in the table of the kind's name.
pub(super) fn dimension_keys(name: &str) -> &'static [&'static str] {
    match name {
        "structured" => &["stride", "count"],
        "typed" => &["format", "count"],
        "texture1d" => &["format", "width", "mips"],
        "texture1darray" => &["format", "width", "layers", "mips"],
        "texture2d" => &["format", "width", "height", "mips"],
        "texture2darray" => &["format", "width", "height", "layers", "mips"],
        "texture3d" => &["format", "width", "height", "depth", "mips"],
        "sampler" => &["filter", "address", "border"],
        _ => &["size"],
    }
}

/// The kind of view that a binding names, and its size in bytes if the job gives it.
pub(super) fn kind(table: &Table<'_>, register: Register) -> Result<(Kind, Option<u64>), Fault> {
    let outer_size = table.integer("size", 0)?;
    let found = match (table.entry("kind"), table.one_of(KIND_NAMES)?) {
        (Some(first), Some(second)) => return Err(conflict(first, second)),
        (Some(entry), None) => {
            let name = as_text(&entry.node, "kind")?;
            let Some(name) = KIND_NAMES.iter().find(|known| **known == name) else {
                return Err(unknown_name("kind of view", name, KIND_NAMES, &entry.node.span));
            };
            (dimensions(name, table)?, outer_size)
        }
        (None, Some(entry)) => {
            let (kind, size) = named(&entry.key, &entry.node)?;
            (kind, size.or(outer_size))
        }
        (None, None) => match register.file {
            RegisterFile::Constant => (Kind::Constant, outer_size),
            RegisterFile::Sampler => (Kind::Sampler, None),
            RegisterFile::Resource | RegisterFile::Unordered => {
                return Err(table.missing("kind` or one of `raw`, `structured`, `typed`, `texture2d"));
            }
        },
    };
    let fits = match register.file {
        RegisterFile::Constant => found.0 == Kind::Constant,
        RegisterFile::Sampler => found.0 == Kind::Sampler,
        RegisterFile::Resource | RegisterFile::Unordered => !matches!(found.0, Kind::Constant | Kind::Sampler),
    };
    if !fits {
        let problem = Problem::KindOfRegister { register: register.to_string(), kind: found.0.name() };
        return Err((problem, table.span.clone()));
    }
    Ok(found)
}

/// A kind given by a key of its name. Raw and constant ones may give their size alone.
fn named(name: &str, node: &Node) -> Result<(Kind, Option<u64>), Fault> {
    if matches!(name, "raw" | "constant") {
        let kind = if name == "raw" { Kind::Raw } else { Kind::Constant };
        if matches!(node.value, Value::Integer(_)) {
            return Ok((kind, Some(as_integer(node, name, 0)?)));
        }
        let table = Table::open(node, name, "a view without format")?;
        table.allow(&[dimension_keys(name)])?;
        return Ok((kind, table.integer("size", 0)?));
    }
    let place = match name {
        "structured" => "a structured view",
        "typed" => "a typed view",
        "sampler" => "a sampler",
        _ => "a texture",
    };
    let table = Table::open(node, name, place)?;
    table.allow(&[dimension_keys(name)])?;
    Ok((dimensions(name, &table)?, None))
}

/// The dimensions that a kind needs.
fn dimensions(name: &str, table: &Table<'_>) -> Result<Kind, Fault> {
    let shape = match name {
        "constant" => return Ok(Kind::Constant),
        "raw" => return Ok(Kind::Raw),
        "sampler" => {
            check_sampler(table)?;
            return Ok(Kind::Sampler);
        }
        "structured" => {
            let stride = as_integer(table.need("stride")?, "stride", 4)?;
            return Ok(Kind::Structured { stride, count: table.integer("count", 0)? });
        }
        "typed" => return Ok(Kind::Typed { format: format(table)?, count: table.integer("count", 0)? }),
        "texture1d" => Dimension::Texture1d,
        "texture1darray" => Dimension::Texture1dArray,
        "texture2d" => Dimension::Texture2d,
        "texture2darray" => Dimension::Texture2dArray,
        "texture3d" => Dimension::Texture3d,
        _ => unreachable!("only names from KIND_NAMES come here"),
    };
    let side = |key| Ok::<u32, Fault>(table.integer(key, 1)?.unwrap_or(0));
    let (width, height, mips) = (side("width")?, side("height")?, table.integer("mips", 1)?.unwrap_or(1));
    // Only the plain 2D image can take its sides from a file.
    let from_file =
        shape == Dimension::Texture2d && mips == 1 && table.get("width").is_none() && table.get("height").is_none();
    if width == 0 && !from_file {
        return Err(table.missing("width"));
    }
    let flat = matches!(shape, Dimension::Texture1d | Dimension::Texture1dArray);
    if height == 0 && !flat && !from_file {
        return Err(table.missing("height"));
    }
    let in_layers = matches!(shape, Dimension::Texture1dArray | Dimension::Texture2dArray);
    Ok(Kind::Texture(
        TextureShape::new(shape, format(table)?, width)
            .height(if flat { 1 } else { height })
            .depth(if shape == Dimension::Texture3d { as_integer(table.need("depth")?, "depth", 1)? } else { 1 })
            .layers(if in_layers { as_integer(table.need("layers")?, "layers", 1)? } else { 1 })
            .mips(mips),
    ))
}

/// Samplers are not used yet; what is said of them must be right all the same.
fn check_sampler(table: &Table<'_>) -> Result<(), Fault> {
    for (key, what, known) in [("filter", "filter", FILTERS), ("address", "address mode", ADDRESSES)] {
        let Some(node) = table.get(key) else { continue };
        let name = as_text(node, key)?;
        if !known.contains(&name) {
            return Err(unknown_name(what, name, known, &node.span));
        }
    }
    let Some(node) = table.get("border") else { return Ok(()) };
    let is_number = |node: &Node| matches!(node.value, Value::Integer(_) | Value::Float(_));
    match as_array(node, "border")? {
        [r, g, b, a] if [r, g, b, a].into_iter().all(is_number) => Ok(()),
        _ => Err(wrong_type("border", "an array of four numbers", node)),
    }
}

fn format(table: &Table<'_>) -> Result<Format, Fault> {
    let node = table.need("format")?;
    let name = as_text(node, "format")?;
    name.parse().map_err(|_| {
        let known: Vec<&'static str> = Format::ALL.iter().map(|format| format.name()).collect();
        unknown_name("format", name, &known, &node.span)
    })
}
