//! The keys that say what a register is bound to: its kind and the kind's dimensions.

use std::iter;

use brolga_runtime::{Dimension, Format};

use super::document::{Node, Value};
use super::error::{Problem, nearest};
use super::model::*;
use super::sampler_keys::{self, SAMPLER_KEYS};
use super::table::*;
use crate::files::{Extent, detail, sides};

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
        // Its file says which.
        "texture" => iter::once("format").chain(Extent::ALL.map(Extent::key)).collect(),
        _ => match Dimension::texture_named(name) {
            Some(dimension) => texture_keys(dimension),
            None => vec!["size"],
        },
    }
}

fn texture_keys(dimension: Dimension) -> Vec<&'static str> {
    // A cube has as many layers as faces.
    let sides = sides(dimension).iter().rev().copied();
    let sides = sides.filter(|side| (dimension, *side) != (Dimension::TextureCube, Extent::Layers));
    let keys = sides.chain([detail(dimension)]).map(Extent::key);
    iter::once("format").chain(keys).collect()
}

/// The dimensions that buffers and textures may have, where the job does not say which it is.
pub(super) fn all_dimension_keys() -> Vec<&'static str> {
    [vec!["stride", "count"], dimension_keys("texture")].concat()
}

/// The keys that say what kind of view a binding is, beside those of every binding.
pub(super) fn keys_beside(table: &Table<'_>, keys: &KindKeys) -> Vec<&'static str> {
    let is_named = table.get("kind").is_some();
    let mut beside = if is_named { Vec::new() } else { KIND_NAMES.to_vec() };
    match keys.name {
        Some(name) if is_named || (name == "sampler" && table.get("sampler").is_none()) => {
            beside.extend(dimension_keys(name));
        }
        Some(_) => {}
        None => beside.extend(all_dimension_keys()),
    }
    beside
}

/// What a binding says of the kind of its view, and its size in bytes if the job gives it.
pub(super) fn kind(table: &Table<'_>, register: Register) -> Result<(KindKeys, Option<u64>), Fault> {
    let outer_size = table.integer("size", 0)?;
    let (keys, size) = match (table.entry("kind"), table.one_of(KIND_NAMES)?) {
        (Some(first), Some(second)) => return Err(conflict(first, second)),
        (Some(entry), None) => {
            let name = as_text(&entry.node, "kind")?;
            let Some(name) = KIND_NAMES.iter().find(|known| **known == name) else {
                return Err(unknown_name("kind of view", name, KIND_NAMES, &entry.node.span));
            };
            (dimensions(Some(name), table)?, outer_size)
        }
        (None, Some(entry)) => {
            let (keys, size) = named(&entry.key, &entry.node)?;
            (keys, size.or(outer_size))
        }
        (None, None) => match register.class {
            ResourceClass::Constant => (KindKeys { name: Some("constant"), ..KindKeys::default() }, outer_size),
            // Its keys stand in the register's table.
            ResourceClass::Sampler => (dimensions(Some("sampler"), table)?, None),
            // The shader or the file says it.
            ResourceClass::ShaderResource | ResourceClass::UnorderedAccess => (dimensions(None, table)?, outer_size),
        },
    };
    let fits = |name| match register.class {
        ResourceClass::Constant => name == "constant",
        ResourceClass::Sampler => name == "sampler",
        ResourceClass::ShaderResource | ResourceClass::UnorderedAccess => !matches!(name, "constant" | "sampler"),
    };
    match keys.name {
        Some(kind) if !fits(kind) => {
            Err((Problem::KindOfRegister { register: register.to_string(), kind }, table.span.clone()))
        }
        _ => Ok((keys, size)),
    }
}

/// A kind given by a key of its name. Raw and constant ones may give their size alone.
fn named(name: &str, node: &Node) -> Result<(KindKeys, Option<u64>), Fault> {
    let name = KIND_NAMES.iter().find(|known| **known == name).expect("only keys of kinds come here");
    if matches!(*name, "raw" | "constant") {
        let keys = KindKeys { name: Some(name), ..KindKeys::default() };
        if matches!(node.value, Value::Integer(_)) {
            return Ok((keys, Some(as_integer(node, name, 0)?)));
        }
        let table = Table::open(node, name, place(name))?;
        table.allow(&[&dimension_keys(name)])?;
        return Ok((keys, table.integer("size", 0)?));
    }
    let table = Table::open(node, name, place(name))?;
    table.allow(&[&dimension_keys(name)])?;
    Ok((dimensions(Some(name), &table)?, None))
}

/// What messages call a view of this kind.
pub(super) fn place(name: &str) -> &'static str {
    match name {
        "raw" | "constant" => "a view without format",
        "structured" => "a structured view",
        "typed" => "a typed view",
        "sampler" => "a sampler",
        _ => "a texture",
    }
}

/// The dimensions that a table gives.
fn dimensions(name: Option<&'static str>, table: &Table<'_>) -> Result<KindKeys, Fault> {
    let mut keys = KindKeys { name, ..KindKeys::default() };
    if name == Some("sampler") {
        keys.sampler = Some(sampler_keys::sampler(table)?);
        return Ok(keys);
    }
    keys.stride = table.integer("stride", 4)?;
    keys.count = table.integer("count", 0)?;
    keys.texture.dimension = name.and_then(Dimension::texture_named);
    keys.texture.format = table.get("format").map(format).transpose()?;
    for extent in Extent::ALL {
        match table.get(extent.key()).map(|node| (node, &node.value)) {
            Some((node, Value::Text(text))) if extent == Extent::Mips => {
                if text != "generate" {
                    return Err(unknown_name("value of mips", text, &["generate"], &node.span));
                }
                keys.texture.generate_mips = true;
            }
            _ => keys.texture.set(extent, table.integer(extent.key(), 1)?),
        }
    }
    Ok(keys)
}

/// Refuses what a binding says and its kind of view does not have: dimensions, a hidden counter, a part.
pub(super) fn check_said(said: &SaidKeys, register: Register, kind: &'static str) -> Result<(), Fault> {
    let known = dimension_keys(kind);
    let wrong = |wants| Problem::KeyOfKind { register: register.to_string(), kind, wants };
    for (key, span) in said {
        let problem = match *key {
            "counter" if kind == "structured" => continue,
            "counter" => wrong("only structured ones have a hidden counter"),
            "view" if Dimension::texture_named(kind).is_some() || kind == "texture" => continue,
            "view" => wrong("`view` shows a part of a texture"),
            key if known.contains(&key) => continue,
            key => {
                let nearest = nearest(key, &known).map(str::to_owned);
                Problem::UnknownKey { key: key.into(), place: place(kind), nearest, known }
            }
        };
        return Err((problem, span.clone()));
    }
    Ok(())
}

/// The keys of a table that some kinds of views have and others do not.
pub(super) fn said(table: &Table<'_>) -> SaidKeys {
    let keys = all_dimension_keys().into_iter().chain(["counter", "view"]);
    keys.filter_map(|key| Some((key, table.entry(key)?.key_span.clone()))).collect()
}

/// The part of a texture that a view sees, and as what.
pub(super) fn view(node: &Node) -> Result<ViewKeys, Fault> {
    let table = Table::open(node, "view", "a view")?;
    table.allow(&[&["format", "dimension", "mips", "layers", "min_level"]])?;
    let range = |key: &str| -> Result<Option<[u32; 2]>, Fault> {
        let Some(node) = table.get(key) else { return Ok(None) };
        match as_array(node, key)? {
            [first, count] => Ok(Some([as_integer(first, key, 0)?, as_integer(count, key, 1)?])),
            _ => Err(wrong_type(key, "an array of the first and the count", node)),
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
        let nearest = nearest(&spelt_out(name), &known).or_else(|| nearest(name, &known)).map(str::to_owned);
        let name = name.to_owned();
        (Problem::UnknownName { what: "format", name, nearest, known }, node.span.clone())
    })
}

/// A format's name as other interfaces spell it, in the manner of DXGI: `RGBA8_UNORM`, `RGBA32F`, `DXGI_FORMAT_R32_FLOAT`.
fn spelt_out(name: &str) -> String {
    let name = name.to_ascii_uppercase();
    let name = name.strip_prefix("DXGI_FORMAT_").unwrap_or(&name);
    let letters = name.find(|letter| !"RGBAX".contains(letter)).unwrap_or(name.len());
    let (channels, rest) = name.split_at(letters);
    let digits = rest.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(rest.len());
    let (bits, rest) = rest.split_at(digits);
    if channels.is_empty() || bits.is_empty() {
        return name.to_owned();
    }
    let meaning = match rest {
        "" => "_UNORM",
        "F" => "_FLOAT",
        "I" => "_SINT",
        "UI" => "_UINT",
        other => other,
    };
    channels.chars().map(|channel| format!("{channel}{bits}")).collect::<String>() + meaning
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_of_other_interfaces_are_understood_in_messages() {
        for (name, expected) in [
            ("RGBA8_UNORM", "R8G8B8A8_UNORM"),
            ("rgba8", "R8G8B8A8_UNORM"),
            ("RGBA32F", "R32G32B32A32_FLOAT"),
            ("RG16I", "R16G16_SINT"),
            ("R32UI", "R32_UINT"),
            ("BGRA8_UNORM_SRGB", "B8G8R8A8_UNORM_SRGB"),
            ("DXGI_FORMAT_R32_FLOAT", "R32_FLOAT"),
            ("R8G8B8A8_UNROM", "R8G8B8A8_UNORM"),
            ("R32_FLAOT", "R32_FLOAT"),
        ] {
            let node = Node { value: Value::Text(name.into()), span: 0..0 };
            let (problem, _) = format(&node).unwrap_err();
            assert_eq!(problem.help(), Some(format!("did you mean `{expected}`?")), "{name}");
        }
    }
}
