//! The keys that say what a register is bound to: its kind and the kind's dimensions.

use std::iter;

use brolga_runtime::{Dimension, Format};

use super::document::{Node, Value};
use super::error::Problem;
use super::extents::{self, Extent, TextureKeys};
use super::model::*;
use super::output::FileForm;
use super::sampler_keys::{self, SAMPLER_KEYS};
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
    "texturecube",
    "texturecubearray",
    "texture2dms",
    "texture2dmsarray",
    "sampler",
];

/// The keys of a kind's dimensions: they stand beside `kind`, or in the table of the kind's name.
fn dimension_keys(name: &str) -> Vec<&'static str> {
    match name {
        "structured" => vec!["stride", "count"],
        "typed" => vec!["format", "count"],
        "sampler" => SAMPLER_KEYS.to_vec(),
        _ => match Dimension::texture_named(name) {
            Some(dimension) => texture_keys(dimension),
            None => vec!["size"],
        },
    }
}

fn texture_keys(dimension: Dimension) -> Vec<&'static str> {
    // A cube has as many layers as faces.
    let sides = extents::sides(dimension).iter().rev().copied();
    let sides = sides.filter(|side| (dimension, *side) != (Dimension::TextureCube, Extent::Layers));
    let keys = sides.chain([extents::detail(dimension)]).map(Extent::key);
    iter::once("format").chain(keys).collect()
}

/// The keys that say what kind of view a binding is, beside those of every binding.
pub(super) fn keys_beside(table: &Table<'_>, kind: &Kind) -> Vec<&'static str> {
    let mut keys = match table.get("kind") {
        Some(_) => Vec::new(),
        None => KIND_NAMES.to_vec(),
    };
    let is_plain_sampler = matches!(kind, Kind::Sampler(_)) && table.get("sampler").is_none();
    if keys.is_empty() || is_plain_sampler {
        keys.extend(dimension_keys(kind.name()));
    }
    keys
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
            // Its keys stand in the register's table.
            RegisterFile::Sampler => (dimensions("sampler", table)?, None),
            // The file says what texture it is.
            _ if table.text("file")?.is_some_and(|file| FileForm::of(file.as_ref()).is_texture()) => {
                (Kind::Texture(TextureKeys::default()), outer_size)
            }
            RegisterFile::Resource | RegisterFile::Unordered => {
                return Err(table.missing("kind` or one of `raw`, `structured`, `typed`, `texture2d"));
            }
        },
    };
    let fits = match register.file {
        RegisterFile::Constant => found.0 == Kind::Constant,
        RegisterFile::Sampler => matches!(found.0, Kind::Sampler(_)),
        RegisterFile::Resource | RegisterFile::Unordered => !matches!(found.0, Kind::Constant | Kind::Sampler(_)),
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
        table.allow(&[&dimension_keys(name)])?;
        return Ok((kind, table.integer("size", 0)?));
    }
    let place = match name {
        "structured" => "a structured view",
        "typed" => "a typed view",
        "sampler" => "a sampler",
        _ => "a texture",
    };
    let table = Table::open(node, name, place)?;
    table.allow(&[&dimension_keys(name)])?;
    Ok((dimensions(name, &table)?, None))
}

/// The dimensions that a kind has. Those of a texture may come from a file.
fn dimensions(name: &str, table: &Table<'_>) -> Result<Kind, Fault> {
    match name {
        "constant" => Ok(Kind::Constant),
        "raw" => Ok(Kind::Raw),
        "sampler" => Ok(Kind::Sampler(sampler_keys::sampler(table)?)),
        "structured" => {
            let stride = as_integer(table.need("stride")?, "stride", 4)?;
            Ok(Kind::Structured { stride, count: table.integer("count", 0)? })
        }
        "typed" => Ok(Kind::Typed { format: format(table.need("format")?)?, count: table.integer("count", 0)? }),
        _ => {
            let mut keys = TextureKeys::default();
            keys.dimension = Dimension::texture_named(name);
            keys.format = table.get("format").map(format).transpose()?;
            for extent in Extent::ALL {
                match table.get(extent.key()).map(|node| (node, &node.value)) {
                    Some((node, Value::Text(text))) if extent == Extent::Mips => {
                        if text != "generate" {
                            return Err(unknown_name("way to say mips", text, &["generate"], &node.span));
                        }
                        keys.generate_mips = true;
                    }
                    _ => keys.set(extent, table.integer(extent.key(), 1)?),
                }
            }
            Ok(Kind::Texture(keys))
        }
    }
}

/// The part of a texture that a view sees, and as what.
pub(super) fn view(node: &Node) -> Result<ViewKeys, Fault> {
    let table = Table::open(node, "view", "a view")?;
    table.allow(&[&["format", "dimension", "mips", "layers", "min_level"]])?;
    let range = |key: &str| -> Result<Option<[u32; 2]>, Fault> {
        let Some(node) = table.get(key) else { return Ok(None) };
        match as_array(node, key)? {
            [first, count] => Ok(Some([as_integer(first, key, 0)?, as_integer(count, key, 1)?])),
            _ => Err(wrong_type(key, "an array of the first and how many", node)),
        }
    };
    let dimension = |node: &Node| {
        let name = as_text(node, "dimension")?;
        Dimension::texture_named(name).ok_or_else(|| {
            let is_texture = |name: &&str| Dimension::texture_named(name).is_some();
            let names: Vec<&str> = KIND_NAMES.iter().copied().filter(is_texture).collect();
            unknown_name("kind of texture", name, &names, &node.span)
        })
    };
    Ok(ViewKeys {
        format: table.get("format").map(format).transpose()?,
        dimension: table.get("dimension").map(dimension).transpose()?,
        mips: range("mips")?,
        layers: range("layers")?,
        min_level: table.positive("min_level")?.map(|level| level as f32),
    })
}

fn format(node: &Node) -> Result<Format, Fault> {
    let name = as_text(node, "format")?;
    name.parse().map_err(|_| {
        let known: Vec<&'static str> = Format::ALL.iter().map(|format| format.name()).collect();
        unknown_name("format", name, &known, &node.span)
    })
}
