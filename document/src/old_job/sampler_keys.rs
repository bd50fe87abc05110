//! The keys of samplers.

use brolga_runtime::{AddressMode, Comparison, Filter, Reduction, Sampler, Tap};

use super::content_keys;
use super::document::{Node, Value};
use super::table::*;
use super::values::NumberType;

pub(super) const SAMPLER_KEYS: &[&str] =
    &["filter", "address", "border", "bias", "min_level", "max_level", "max_anisotropy", "comparison"];

/// Samples along the line of an anisotropic filter, if the job does not say: Direct3D's default, and its most.
const ANISOTROPY: u32 = 16;

/// Every filter in all its reductions: the names of Direct3D, and short ones where one word says it.
macro_rules! filters {
    ($($name:literal $minify:ident $magnify:ident $mip:ident $anisotropic:literal;)+) => {
        const FILTERS: &[(&str, Filter)] = &[$(
            ($name, filter(Tap::$minify, Tap::$magnify, Tap::$mip, $anisotropic, Reduction::Weighted)),
            (concat!("comparison_", $name), filter(Tap::$minify, Tap::$magnify, Tap::$mip, $anisotropic, Reduction::Comparison)),
            (concat!("minimum_", $name), filter(Tap::$minify, Tap::$magnify, Tap::$mip, $anisotropic, Reduction::Minimum)),
            (concat!("maximum_", $name), filter(Tap::$minify, Tap::$magnify, Tap::$mip, $anisotropic, Reduction::Maximum)),
        )+];
    };
}

filters! {
    // name                            minify magnify mip    anisotropic
    "min_mag_mip_point"                Point  Point   Point  false;
    "min_mag_point_mip_linear"         Point  Point   Linear false;
    "min_point_mag_linear_mip_point"   Point  Linear  Point  false;
    "min_point_mag_mip_linear"         Point  Linear  Linear false;
    "min_linear_mag_mip_point"         Linear Point   Point  false;
    "min_linear_mag_point_mip_linear"  Linear Point   Linear false;
    "min_mag_linear_mip_point"         Linear Linear  Point  false;
    "min_mag_mip_linear"               Linear Linear  Linear false;
    "anisotropic"                      Linear Linear  Linear true;
    "point"                            Point  Point   Point  false;
    "linear"                           Linear Linear  Linear false;
}

const fn filter(minify: Tap, magnify: Tap, mip: Tap, anisotropic: bool, reduction: Reduction) -> Filter {
    Filter { minify, magnify, mip, anisotropic, reduction }
}

const ADDRESSES: &[(&str, AddressMode)] = &[
    ("wrap", AddressMode::Wrap),
    ("mirror", AddressMode::Mirror),
    ("clamp", AddressMode::Clamp),
    ("border", AddressMode::Border),
    ("mirror_once", AddressMode::MirrorOnce),
];

const COMPARISONS: &[(&str, Comparison)] = &[
    ("never", Comparison::Never),
    ("less", Comparison::Less),
    ("equal", Comparison::Equal),
    ("less_equal", Comparison::LessEqual),
    ("greater", Comparison::Greater),
    ("not_equal", Comparison::NotEqual),
    ("greater_equal", Comparison::GreaterEqual),
    ("always", Comparison::Always),
];

/// The sampler that a table describes: what it leaves out is as in an empty slot of Direct3D.
pub(super) fn sampler(table: &Table<'_>) -> Result<Sampler, Fault> {
    let mut sampler = Sampler::default();
    if let Some(node) = table.get("filter") {
        sampler.filter = named("filter", "filter", FILTERS, node)?;
    }
    if let Some(node) = table.get("address") {
        sampler.address = addresses(node)?;
    }
    if let Some(node) = table.get("border") {
        let number = |item| Ok(f32::from_bits(content_keys::number(item, "border", NumberType::F32)?.bits as u32));
        let numbers = as_array(node, "border")?.iter().map(number).collect::<Result<Vec<f32>, _>>()?;
        let wrong = |_| wrong_type("border", "an array of 4 numbers", node);
        sampler.border = numbers.try_into().map_err(wrong)?;
    }
    let levels = f64::from(f32::MAX);
    for (key, place, [least, most]) in [
        ("bias", &mut sampler.level_bias, [-16.0, 15.99]),
        ("min_level", &mut sampler.min_level, [-levels, levels]),
        ("max_level", &mut sampler.max_level, [-levels, levels]),
    ] {
        let Some(node) = table.get(key) else { continue };
        let value = number(node).ok_or_else(|| wrong_type(key, "a number", node))?;
        if !(least as f32..=most as f32).contains(&value) {
            return Err(wrong_value(key, format!("numbers from {least} to {most}"), value.to_string(), node));
        }
        *place = value;
    }
    sampler.max_anisotropy = match table.get("max_anisotropy") {
        Some(node) => match as_integer(node, "max_anisotropy", 1)? {
            most @ ..=ANISOTROPY => most,
            most => {
                return Err(wrong_value("max_anisotropy", "integers from 1 to 16", most.to_string(), node));
            }
        },
        None if sampler.filter.anisotropic => ANISOTROPY,
        None => sampler.max_anisotropy,
    };
    let compares = sampler.filter.reduction == Reduction::Comparison;
    sampler.comparison = match table.get("comparison") {
        Some(node) if compares => named("comparison", "comparison", COMPARISONS, node)?,
        Some(node) => {
            let wants = "a `filter` that compares, such as `comparison_linear`";
            return Err(wrong_value("comparison", wants, "beside one that does not", node));
        }
        None if compares => return Err(table.missing("comparison")),
        None => sampler.comparison,
    };
    Ok(sampler)
}

/// The names of a sampler's filter, if it has one, and address modes.
#[cfg(feature = "bench")]
pub(crate) fn names(sampler: &Sampler) -> Option<(&'static str, [&'static str; 3])> {
    let [u, v, w] = sampler.address.map(|mode| name(ADDRESSES, mode));
    Some((name(FILTERS, sampler.filter)?, [u?, v?, w?]))
}

/// One mode for all axes, or one for each; axes that are not named clamp.
fn addresses(node: &Node) -> Result<[AddressMode; 3], Fault> {
    if let Value::Text(_) = node.value {
        return Ok([named("address mode", "address", ADDRESSES, node)?; 3]);
    }
    let Value::Array(nodes) = &node.value else {
        return Err(wrong_type("address", "a text, or an array of one for each axis", node));
    };
    let mut modes = Sampler::default().address;
    if nodes.is_empty() || nodes.len() > modes.len() {
        return Err(wrong_value("address", "one to three modes", nodes.len().to_string(), node));
    }
    for (mode, node) in modes.iter_mut().zip(nodes) {
        *mode = named("address mode", "address", ADDRESSES, node)?;
    }
    Ok(modes)
}

fn number(node: &Node) -> Option<f32> {
    match node.value {
        Value::Integer(number) => Some(number as f32),
        Value::Float(number) => Some(number as f32),
        _ => None,
    }
}

/// The first name that a list has for something.
#[cfg(feature = "bench")]
fn name<T: PartialEq>(list: &[(&'static str, T)], wanted: T) -> Option<&'static str> {
    list.iter().find(|(_, value)| *value == wanted).map(|(name, _)| *name)
}

/// What a list has under a name.
fn named<T: Copy>(what: &'static str, key: &str, list: &[(&'static str, T)], node: &Node) -> Result<T, Fault> {
    let name = as_text(node, key)?;
    let found = list.iter().find(|(known, _)| *known == name).map(|(_, value)| *value);
    found.ok_or_else(|| {
        let names: Vec<&'static str> = list.iter().map(|(known, _)| *known).collect();
        unknown_name(what, name, &names, &node.span)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::syntax::{Syntax, parse};

    fn read(text: &str) -> Result<Sampler, String> {
        let root = parse(text, Syntax::Toml).unwrap_or_else(|(problem, _)| panic!("{problem}"));
        let table = Table::open(&root, "s0", "a sampler").unwrap();
        sampler(&table).map_err(|(problem, _)| problem.to_string())
    }

    /// The numbers of Direct3D's filters: a bit each for linear mip, magnification and minification, one for anisotropy,
    /// two for the reduction.
    #[test]
    fn filters_are_direct3d_s() {
        for (name, number) in [
            ("min_mag_mip_point", 0),
            ("min_mag_point_mip_linear", 1),
            ("min_point_mag_linear_mip_point", 4),
            ("min_point_mag_mip_linear", 5),
            ("min_linear_mag_mip_point", 0x10),
            ("min_linear_mag_point_mip_linear", 0x11),
            ("min_mag_linear_mip_point", 0x14),
            ("min_mag_mip_linear", 0x15),
            ("anisotropic", 0x55),
            ("point", 0),
            ("linear", 0x15),
        ] {
            for (prefix, reduction) in [("", 0), ("comparison_", 1), ("minimum_", 2), ("maximum_", 3)] {
                let name = format!("{prefix}{name}");
                let (_, filter) = FILTERS.iter().find(|(known, _)| *known == name).unwrap();
                let linear = |tap: Tap, bit: u32| u32::from(tap == Tap::Linear) << bit;
                let found = linear(filter.mip, 0)
                    | linear(filter.magnify, 2)
                    | linear(filter.minify, 4)
                    | u32::from(filter.anisotropic) << 6
                    | match filter.reduction {
                        Reduction::Weighted => 0,
                        Reduction::Comparison => 1 << 7,
                        Reduction::Minimum => 2 << 7,
                        Reduction::Maximum => 3 << 7,
                    };
                assert_eq!(found, number | reduction << 7, "{name}");
            }
        }
        assert_eq!(FILTERS.len(), 4 * 11);
    }

    #[test]
    fn what_is_left_out_is_direct3d_s_default() {
        assert_eq!(read(""), Ok(Sampler::default()));
        let found = read(
            "filter = \"comparison_anisotropic\"\ncomparison = \"less_equal\"\naddress = [\"wrap\", \"border\"]\n\
             border = [0, 0.5, 1, 1]\nbias = -1.5\nmin_level = 1\nmax_level = 4.5\n",
        );
        let found = found.unwrap();
        assert!(found.filter.anisotropic && found.filter.reduction == Reduction::Comparison);
        assert_eq!(found.comparison, Comparison::LessEqual);
        assert_eq!(found.address, [AddressMode::Wrap, AddressMode::Border, AddressMode::Clamp]);
        assert_eq!((found.border, found.level_bias), ([0.0, 0.5, 1.0, 1.0], -1.5));
        assert_eq!((found.min_level, found.max_level, found.max_anisotropy), (1.0, 4.5, 16));
    }

    #[test]
    fn wrong_values_are_named() {
        for (text, message) in [
            ("filter = \"bilinear\"", "there is no filter `bilinear`"),
            ("address = [\"wrap\", \"clmp\"]", "there is no address mode `clmp`"),
            ("address = []", "`address` takes one to three modes, this is 0"),
            ("address = 1", "`address` takes a text, or an array of one for each axis, this is an integer"),
            (
                "border = [0, 0, 0, \"x\"]",
                "`border` takes numbers from -3.4028235e38 to 3.4028235e38, or \"nan\", \"inf\", \"-inf\", this is a string",
            ),
            ("border = [0, 0, 0]", "`border` takes an array of 4 numbers, this is an array of 3"),
            ("bias = 16", "`bias` takes numbers from -16 to 15.99, this is 16"),
            ("max_level = \"all\"", "`max_level` takes a number, this is a string"),
            ("max_anisotropy = 17", "`max_anisotropy` takes integers from 1 to 16, this is 17"),
            ("filter = \"comparison_point\"", "a sampler needs the key `comparison`"),
            (
                "filter = \"point\"\ncomparison = \"less\"",
                "`comparison` takes a `filter` that compares, such as `comparison_linear`, this is beside one that does not",
            ),
        ] {
            assert_eq!(read(text), Err(message.to_owned()), "{text}");
        }
    }
}
