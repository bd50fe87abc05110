//! Lists names with a fixed meaning: those of Direct3D, without their prefixes, and of documents. Case does not matter.

use brolga_bytecode::sm3::Usage;
use brolga_raster::layout::ElementFormat;
use brolga_raster::state::{Cull, Fill, Topology};
use brolga_runtime::format::TextureFormat;
use brolga_runtime::pipeline::state::{BlendOp, Factor, LogicOp, Named, StencilOp};
use brolga_runtime::{AddressMode, Comparison, Filter, Format, Reduction, Tap};

use crate::error::nearest;
use crate::model::number::NumberType;
use crate::model::query::QueryKind;
use crate::text::Node;

/// A list of names.
pub(crate) struct NameList {
    /// The kind of thing that they name.
    pub what: &'static str,
    pub names: fn() -> Vec<&'static str>,
    /// An optional prefix.
    pub prefix: &'static str,
}

impl NameList {
    const fn new(what: &'static str, names: fn() -> Vec<&'static str>) -> Self {
        Self { what, names, prefix: "" }
    }

    /// `true` if there is one name, and this is not even near it.
    pub fn is_unlike(&self, written: &str) -> bool {
        let names = (self.names)();
        names.len() == 1 && self.find(written).is_none() && nearest(written, &names).is_none()
    }

    /// The canonical spelling of a name.
    pub fn find(&self, written: &str) -> Option<&'static str> {
        let name = written.strip_prefix(self.prefix).unwrap_or(written);
        (self.names)().into_iter().find(|known| known.eq_ignore_ascii_case(name))
    }
}

/// The names of an enumeration.
fn all<T: Named>() -> Vec<&'static str> {
    T::VALUES.iter().map(|value| value.named()).collect()
}

/// The value of a checked name.
pub(crate) fn named<T: Named>(node: &Node) -> Option<T> {
    let written = node.text()?;
    T::VALUES.iter().copied().find(|value| value.named().eq_ignore_ascii_case(written))
}

/// Kinds of resources by their names.
pub(crate) const KIND_NAMES: &[&str] = &[
    "constant",
    "vertex",
    "index",
    "indirect",
    "stream_out",
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
    "mesh",
];

pub(crate) static KINDS: NameList = NameList::new("kind of resource", || KIND_NAMES.to_vec());
pub(crate) static VIEWS: NameList = NameList::new("kind of view", || KIND_NAMES[5..17].to_vec());
pub(crate) static NUMBER_TYPES: NameList = NameList::new("type of numbers", || NumberType::NAMES.to_vec());
pub(crate) static FORMATS: NameList = NameList {
    what: "format",
    names: || {
        let direct3d9 = TextureFormat::names();
        Format::ALL.iter().map(|format| format.name()).chain(direct3d9).collect()
    },
    prefix: "D3DFMT_",
};
pub(crate) static APIS: NameList = NameList::new("API", || vec!["d3d11", "d3d9"]);
pub(crate) static FILTERS: NameList = NameList::new("filter", || filters().into_iter().map(|(name, _)| name).collect());
pub(crate) static ADDRESSES: NameList = NameList::new("address mode", all::<AddressMode>);
/// Direct3D 9 writes one underscore less.
pub(crate) static ADDRESSES_9: NameList =
    NameList::new("address mode", || vec!["WRAP", "MIRROR", "CLAMP", "BORDER", "MIRRORONCE"]);
pub(crate) static TAPS: NameList = NameList::new("filter", || vec!["NONE", "POINT", "LINEAR", "ANISOTROPIC"]);
pub(crate) static COMPARISONS: NameList = NameList::new("comparison", all::<Comparison>);
pub(crate) static TOPOLOGIES: NameList = NameList::new("topology", || {
    let all = Topology::ALL.into_iter().filter(|topology| *topology != Topology::TriangleFan);
    all.map(Topology::name).collect()
});
pub(crate) static TOPOLOGIES_9: NameList = NameList::new("topology", || {
    // Those that follow have adjacent vertices, or are patches.
    let all = Topology::ALL.into_iter().take_while(|topology| *topology != Topology::LineListAdjacent);
    all.map(Topology::name).collect()
});
pub(crate) static FILLS: NameList = NameList::new("fill mode", all::<Fill>);
pub(crate) static CULLS: NameList = NameList::new("cull mode", all::<Cull>);
pub(crate) static STENCIL_OPS: NameList = NameList::new("stencil operation", all::<StencilOp>);
pub(crate) static FACTORS: NameList = NameList::new("blend factor", all::<Factor>);
pub(crate) static BLEND_OPS: NameList = NameList::new("blend operation", all::<BlendOp>);
pub(crate) static LOGIC_OPS: NameList = NameList::new("logic operation", all::<LogicOp>);
pub(crate) static WRITE_MASKS: NameList = NameList::new("depth write mask", || vec!["ZERO", "ALL"]);
pub(crate) static CLASSES: NameList = NameList::new("class of input elements", || vec!["vertex", "instance"]);
pub(crate) static INDEX_FORMATS: NameList =
    NameList::new("index format", || vec!["R16_UINT", "R32_UINT", "INDEX16", "INDEX32"]);
pub(crate) static QUERIES: NameList =
    NameList::new("kind of query", || QueryKind::ALL.into_iter().map(QueryKind::text).collect());
pub(crate) static ORDERS: NameList = NameList::new("order", || vec!["fixed", "any"]);
pub(crate) static PLANES: NameList = NameList::new("plane", || vec!["depth", "stencil"]);
pub(crate) static EXACT: NameList = NameList::new("tolerance", || vec!["exact"]);
pub(crate) static ZERO: NameList = NameList::new("fill", || vec!["zero"]);
pub(crate) static GENERATE: NameList = NameList::new("value of mips", || vec!["generate"]);
pub(crate) static USAGES: NameList = NameList {
    what: "usage",
    names: || Usage::ALL.iter().map(|usage| usage.text()).collect(),
    prefix: "D3DDECLUSAGE_",
};
pub(crate) static DECLARED_TYPES: NameList =
    NameList { what: "type of vertices", names: || ElementFormat::declarations().collect(), prefix: "D3DDECLTYPE_" };
pub(crate) static FLOAT_RULES: NameList = NameList::new("set of float rules", || vec!["DIRECT3D9", "IEEE"]);
pub(crate) static FOG_DISTANCES: NameList = NameList::new("distance of fog", || vec!["DEPTH", "W"]);

/// Every filter in all its reductions: the names of Direct3D, and short ones where one word is enough.
macro_rules! filters {
    ($($name:literal $minify:ident $magnify:ident $mip:ident $anisotropic:literal;)+) => {
        pub(crate) fn filters() -> Vec<(&'static str, Filter)> {
            let filter = |minify, magnify, mip, anisotropic, reduction| Filter { minify, magnify, mip, anisotropic, reduction };
            vec![$(
                ($name, filter(Tap::$minify, Tap::$magnify, Tap::$mip, $anisotropic, Reduction::Weighted)),
                (concat!("COMPARISON_", $name), filter(Tap::$minify, Tap::$magnify, Tap::$mip, $anisotropic, Reduction::Comparison)),
                (concat!("MINIMUM_", $name), filter(Tap::$minify, Tap::$magnify, Tap::$mip, $anisotropic, Reduction::Minimum)),
                (concat!("MAXIMUM_", $name), filter(Tap::$minify, Tap::$magnify, Tap::$mip, $anisotropic, Reduction::Maximum)),
            )+]
        }
    };
}

filters! {
    // name                            minify magnify mip    anisotropic
    "MIN_MAG_MIP_POINT"                Point  Point   Point  false;
    "MIN_MAG_POINT_MIP_LINEAR"         Point  Point   Linear false;
    "MIN_POINT_MAG_LINEAR_MIP_POINT"   Point  Linear  Point  false;
    "MIN_POINT_MAG_MIP_LINEAR"         Point  Linear  Linear false;
    "MIN_LINEAR_MAG_MIP_POINT"         Linear Point   Point  false;
    "MIN_LINEAR_MAG_POINT_MIP_LINEAR"  Linear Point   Linear false;
    "MIN_MAG_LINEAR_MIP_POINT"         Linear Linear  Point  false;
    "MIN_MAG_MIP_LINEAR"               Linear Linear  Linear false;
    "ANISOTROPIC"                      Linear Linear  Linear true;
    "POINT"                            Point  Point   Point  false;
    "LINEAR"                           Linear Linear  Linear false;
}

/// The canonical name of a format that is spelt as in other interfaces, in the manner of DXGI: `RGBA8_UNORM`,
/// `RGBA32F`, `DXGI_FORMAT_R32_FLOAT`.
pub(crate) fn spelt_out(name: &str) -> String {
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
    fn formats_are_spelt_out() {
        for (name, expected) in [
            ("RGBA8_UNORM", "R8G8B8A8_UNORM"),
            ("rgba32f", "R32G32B32A32_FLOAT"),
            ("DXGI_FORMAT_R32_FLOAT", "R32_FLOAT"),
            ("RG16UI", "R16G16_UINT"),
            ("R8", "R8_UNORM"),
            ("BC1_UNORM", "BC1_UNORM"),
        ] {
            assert_eq!(spelt_out(name), expected);
        }
    }
}
