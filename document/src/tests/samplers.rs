//! Tests samplers: those of Direct3D 11 in both forms, which programs without a document read too.

use brolga_runtime::{AddressMode, Comparison, Filter, Reduction, Sampler, Tap};

use crate::schema::words::{FILTERS, filters};

/// A sampler from TOML.
fn read(text: &str) -> Result<Sampler, String> {
    let document = format!("shader = \"s\"\ndispatch = [1, 1, 1]\n[s0]\n{text}");
    let document = super::parse(&document).map_err(|error| error.problem().to_string())?;
    Ok(document.model.samplers["s0"].state)
}

/// The codes of Direct3D's filters: a bit each for linear mip, magnification and minification, one for anisotropy, two
/// for the reduction.
#[test]
fn filters_are_direct3d_s() {
    for (name, number) in [
        ("MIN_MAG_MIP_POINT", 0),
        ("MIN_MAG_POINT_MIP_LINEAR", 1),
        ("MIN_POINT_MAG_LINEAR_MIP_POINT", 4),
        ("MIN_POINT_MAG_MIP_LINEAR", 5),
        ("MIN_LINEAR_MAG_MIP_POINT", 0x10),
        ("MIN_LINEAR_MAG_POINT_MIP_LINEAR", 0x11),
        ("MIN_MAG_LINEAR_MIP_POINT", 0x14),
        ("MIN_MAG_MIP_LINEAR", 0x15),
        ("ANISOTROPIC", 0x55),
        ("POINT", 0),
        ("LINEAR", 0x15),
    ] {
        for (prefix, reduction) in [("", 0), ("COMPARISON_", 1), ("MINIMUM_", 2), ("MAXIMUM_", 3)] {
            let name = format!("{prefix}{name}");
            let (_, filter) = filters().into_iter().find(|(known, _)| *known == name).unwrap();
            assert_eq!(number_of(&filter), number | reduction << 7, "{name}");
            // As a document has it, in letters of either case.
            let comparison = if reduction == 1 { "comparison = \"LESS\"\n" } else { "" };
            for name in [name.to_lowercase(), name] {
                let sampler = read(&format!("filter = \"{name}\"\n{comparison}")).unwrap();
                assert_eq!(sampler.filter, filter, "{name}");
            }
        }
    }
    assert_eq!(filters().len(), 4 * 11);
    for wrong in ["", "MIN_MAG_MIP", "MIN_MAG_LINEAR", "MIN_MAG_MIP_LINEAR_POINT", "MAG_MIN_MIP_POINT"] {
        assert_eq!(FILTERS.find(wrong), None, "{wrong}");
    }
}

fn number_of(filter: &Filter) -> u32 {
    let linear = |tap: Tap, bit: u32| u32::from(tap == Tap::Linear) << bit;
    let reduction = match filter.reduction {
        Reduction::Weighted => 0,
        Reduction::Comparison => 1,
        Reduction::Minimum => 2,
        Reduction::Maximum => 3,
    };
    linear(filter.mip, 0)
        | linear(filter.magnify, 2)
        | linear(filter.minify, 4)
        | u32::from(filter.anisotropic) << 6
        | reduction << 7
}

#[test]
fn what_is_left_out_is_direct3d_s_default() {
    assert_eq!(read(""), Ok(Sampler::default()));
    let keys = "filter = \"comparison_anisotropic\"\ncomparison = \"less_equal\"\naddress = [\"wrap\", \"border\"]\n\
                border = [0, 0.5, 1, 1]\n";
    // The names of Direct3D, and shorter ones.
    let one = read(&format!("{keys}mip_lod_bias = -1.5\nmin_lod = 1\nmax_lod = 4.5\n")).unwrap();
    assert_eq!(read(&format!("{keys}bias = -1.5\nmin_level = 1\nmax_level = 4.5\n")), Ok(one));
    assert!(one.filter.anisotropic && one.filter.reduction == Reduction::Comparison);
    assert_eq!(one.comparison, Comparison::LessEqual);
    assert_eq!(one.address, [AddressMode::Wrap, AddressMode::Border, AddressMode::Clamp]);
    assert_eq!((one.border, one.level_bias), ([0.0, 0.5, 1.0, 1.0], -1.5));
    assert_eq!((one.min_level, one.max_level, one.max_anisotropy), (1.0, 4.5, 16));
    // In a table of its own, in JSON, and for programs that have no document.
    assert_eq!(read("sampler = { filter = \"point\" }\n"), read("filter = \"POINT\"\n"));
    assert_eq!(
        crate::sampler("{\"filter\": \"Point\"}").map_err(|error| error.to_string()),
        read("filter = \"point\"")
    );
}

#[test]
fn wrong_values_are_named() {
    for (text, message) in [
        ("filter = \"bilinear\"", "there is no filter `bilinear`"),
        ("address = [\"wrap\", \"clmp\"]", "there is no address mode `clmp`"),
        ("address = []", "`address` takes an array of 1 to 3 strings, not an array of 0"),
        ("address = 1", "`address` takes the name of an address mode, or an array of 1 to 3 strings, not an integer"),
        (
            "border = [0, 0, 0, \"x\"]",
            "`border` takes numbers from -3.4028235e38 to 3.4028235e38, or \"nan\", \"inf\", \"-inf\", not a string",
        ),
        ("border = [0, 0, 0]", "`border` takes an array of 4 numbers, not an array of 3"),
        ("bias = 16", "`bias` takes numbers from -16 to 15.99, not 16"),
        ("max_level = \"all\"", "`max_level` takes a number, not a string"),
        ("max_anisotropy = 17", "`max_anisotropy` takes integers from 1 to 16, not 17"),
        ("bias = 1\nmip_lod_bias = 1", "`bias` and `mip_lod_bias` are mutually exclusive"),
        ("filter = \"comparison_point\"", "a sampler that compares needs the key `comparison`"),
        (
            "filter = \"point\"\ncomparison = \"less\"",
            "`comparison` is for a `filter` that compares, such as `COMPARISON_MIN_MAG_MIP_LINEAR`",
        ),
    ] {
        assert_eq!(read(text), Err(message.to_owned()), "{text}");
    }
    // An error in an argument names the argument.
    let error = crate::sampler("{\"filter\": \"best\"}").unwrap_err();
    assert_eq!(error.to_string(), "sampler.filter: there is no filter `best`");
}
