//! Names in scenes: Direct3D 11's without their prefixes, and how resources are named.

use std::fmt;
use std::str::FromStr;

use brolga_runtime::format::UnknownFormat;
use brolga_runtime::{Filter, Format, Reduction, Tap};
use serde::Deserialize;
use serde::de::{Deserializer, Error};
use serde_json::Value;

use crate::raster::{Statistics, TextureFormat};

/// What is read from its name.
#[derive(Clone, Copy, Debug)]
pub(super) struct Named<T>(pub T);

impl<'de, T: FromStr<Err: fmt::Display>> Deserialize<'de> for Named<T> {
    fn deserialize<D: Deserializer<'de>>(name: D) -> Result<Self, D::Error> {
        String::deserialize(name)?.parse().map(Named).map_err(D::Error::custom)
    }
}

/// A resource's format, by its name in Direct3D 11 or in Direct3D 9.
#[derive(Clone, Copy, Debug)]
pub(super) struct ResourceFormat {
    pub stored: Format,
    /// How samplers see it.
    pub sampled: Format,
    /// Its name, in Direct3D 9 without the prefix.
    pub name: &'static str,
    /// Whether the name is one of Direct3D 9.
    pub is_direct3d9: bool,
}

impl FromStr for ResourceFormat {
    type Err = UnknownFormat;

    fn from_str(name: &str) -> Result<Self, UnknownFormat> {
        match TextureFormat::named(name) {
            Some((name, TextureFormat { stored, sampled })) => Ok(Self { stored, sampled, name, is_direct3d9: true }),
            None => name.parse().map(|format: Format| Self {
                stored: format,
                sampled: format,
                name: format.name(),
                is_direct3d9: false,
            }),
        }
    }
}

/// Kinds of resources.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Kind {
    Vertex,
    Index,
    Constant,
    Raw,
    Structured,
    Typed,
    Indirect,
    StreamOut,
    Texture1d,
    Texture2d,
    Texture2darray,
    Texture3d,
    Texturecube,
    Mesh,
}

/// What a query counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum QueryKind {
    Occlusion,
    Statistics,
    StreamOut,
}

impl QueryKind {
    /// What a query of this kind counts under a name; none if nothing counts that yet.
    pub fn counter(self, statistics: &Statistics, name: &str) -> Option<u64> {
        match (self, name) {
            (QueryKind::Occlusion, "samples") => Some(statistics.samples),
            (QueryKind::Statistics, "ia_vertices") => Some(statistics.vertices),
            (QueryKind::Statistics, "ia_primitives") => Some(statistics.primitives),
            (QueryKind::Statistics, "vs_invocations") => Some(statistics.vertex_invocations),
            (QueryKind::Statistics, "c_invocations") => Some(statistics.clipper_invocations),
            (QueryKind::Statistics, "c_primitives") => Some(statistics.clipper_primitives),
            (QueryKind::Statistics, "ps_invocations") => Some(statistics.pixel_invocations),
            _ => None,
        }
    }
}

/// Reads a `D3D11_FILTER` without its prefix.
pub(super) fn filter<'de, D: Deserializer<'de>>(name: D) -> Result<Filter, D::Error> {
    let name = String::deserialize(name)?;
    let wrong = || {
        let example = "COMPARISON_MIN_MAG_LINEAR_MIP_POINT";
        D::Error::custom(format!("{name:?} is not a filter: expected a name such as MIN_MAG_MIP_LINEAR or {example}"))
    };
    let (mut filter, mut rest) = (Filter::default(), name.as_str());
    for (prefix, reduction) in
        [("COMPARISON_", Reduction::Comparison), ("MINIMUM_", Reduction::Minimum), ("MAXIMUM_", Reduction::Maximum)]
    {
        if let Some(after) = rest.strip_prefix(prefix) {
            (filter.reduction, rest) = (reduction, after);
        }
    }
    if rest == "ANISOTROPIC" {
        let linear = Tap::Linear;
        return Ok(Filter { anisotropic: true, minify: linear, magnify: linear, mip: linear, ..filter });
    }
    // Each tap is that of the words before it.
    let (mut words, mut waiting) = (rest.split('_').peekable(), Vec::new());
    for expected in ["MIN", "MAG", "MIP"] {
        if words.next() != Some(expected) {
            return Err(wrong());
        }
        waiting.push(expected);
        let tap = match words.peek() {
            Some(&"POINT") => Tap::Point,
            Some(&"LINEAR") => Tap::Linear,
            _ => continue,
        };
        words.next();
        for word in waiting.drain(..) {
            match word {
                "MIN" => filter.minify = tap,
                "MAG" => filter.magnify = tap,
                _ => filter.mip = tap,
            }
        }
    }
    if waiting.is_empty() && words.next().is_none() { Ok(filter) } else { Err(wrong()) }
}

/// A resource, or a part of one: its name, or a table.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Reference {
    pub resource: String,
    pub mip: Option<u32>,
    pub mips: Option<u32>,
    pub layer: Option<u32>,
    pub view: Option<Kind>,
    /// Whether its colours are along the sRGB curve, where it has a format for that: the state of a draw of Direct3D 9.
    pub is_srgb: bool,
}

impl Reference {
    /// All of a resource.
    pub fn whole(resource: String) -> Self {
        Self { resource, mip: None, mips: None, layer: None, view: None, is_srgb: false }
    }

    /// Whether it is a name alone.
    pub fn is_name(&self) -> bool {
        let Self { resource: _, mip, mips, layer, view, is_srgb: _ } = self;
        mip.is_none() && mips.is_none() && layer.is_none() && view.is_none()
    }

    /// Whether it names all of the resource, seen as what it is.
    pub fn is_whole(&self) -> bool {
        self.mip.unwrap_or(0) == 0 && self.mips.is_none() && self.layer.unwrap_or(0) == 0 && self.view.is_none()
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ReferenceTable {
    resource: String,
    mip: Option<u32>,
    mips: Option<u32>,
    layer: Option<u32>,
    view: Option<Kind>,
}

impl<'de> Deserialize<'de> for Reference {
    fn deserialize<D: Deserializer<'de>>(value: D) -> Result<Self, D::Error> {
        let table = match Value::deserialize(value)? {
            Value::String(name) => return Ok(Self::whole(name)),
            table => ReferenceTable::deserialize(table).map_err(D::Error::custom)?,
        };
        let ReferenceTable { resource, mip, mips, layer, view } = table;
        Ok(Self { resource, mip, mips, layer, view, is_srgb: false })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn filters_are_those_of_direct3d() {
        let read = |name: &str| filter(serde_json::Value::from(name)).ok();
        let taps = |[minify, magnify, mip]: [Tap; 3]| Filter { minify, magnify, mip, ..Filter::default() };
        let (point, linear) = (Tap::Point, Tap::Linear);
        assert_eq!(read("MIN_MAG_MIP_POINT"), Some(taps([point; 3])));
        assert_eq!(read("MIN_POINT_MAG_LINEAR_MIP_POINT"), Some(taps([point, linear, point])));
        assert_eq!(read("MIN_LINEAR_MAG_MIP_POINT"), Some(taps([linear, point, point])));
        let compared = Filter { reduction: Reduction::Comparison, ..taps([linear, linear, point]) };
        assert_eq!(read("COMPARISON_MIN_MAG_LINEAR_MIP_POINT"), Some(compared));
        assert!(read("MINIMUM_ANISOTROPIC").is_some_and(|filter| filter.anisotropic));
        for wrong in ["", "MIN_MAG_MIP", "MIN_MAG_LINEAR", "LINEAR", "MIN_MAG_MIP_LINEAR_POINT", "MAG_MIN_MIP_POINT"] {
            assert_eq!(read(wrong), None, "{wrong}");
        }
    }
}
