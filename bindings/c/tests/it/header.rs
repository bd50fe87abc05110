//! Checks that the C header is the one that cbindgen makes of the sources. `BROLGA_BLESS=1 cargo test -p brolga-c
//! --test it header` regenerates it.

use std::fmt::Write;
use std::path::Path;

use brolga::Format;
use cbindgen::{Builder, Config};

/// Formats by the numbers of DXGI, from the runtime's own table.
fn formats() -> String {
    let mut text =
        String::from("// Formats of texels, with the numbers of DXGI_FORMAT.\ntypedef enum BrolgaFormat {\n");
    for format in Format::ALL {
        writeln!(text, "  BROLGA_FORMAT_{} = {},", format.name(), format.dxgi()).expect("a string takes any text");
    }
    text + "} BrolgaFormat;"
}

/// The file of the records in the arrays of batches.
const RECORDS: &str = "../../ir/src/pipeline/record.rs";

/// The files of the enumerations that the header shares.
const NUMBERED: [&str; 4] = [
    "../../ir/src/pipeline/state.rs",
    "../../ir/src/interface.rs",
    "../../resource/src/sampler.rs",
    "../../raster/src/state.rs",
];

/// The rows of the macro `numbered` in those files as enumerations without names of rows: cbindgen does not expand
/// macros.
fn enumerations(root: &Path) -> String {
    let mut text = String::new();
    for file in NUMBERED {
        let source = std::fs::read_to_string(root.join(file)).expect("a file of sources").replace('\r', "");
        for rest in source.split("numbered! {\n").skip(1) {
            let (rows, _) = rest.split_once("\n}\n").expect("the macro ends");
            for row in rows.lines() {
                let named = row.split_once(" => ");
                writeln!(text, "{}", named.map_or(row.to_owned(), |(row, _)| format!("{row},"))).expect("as above");
            }
        }
    }
    text.replace("pub enum", "#[repr(u32)] pub enum")
}

/// The files in the order of the table in `lib.rs`.
fn sources(root: &Path) -> Vec<String> {
    let table = std::fs::read_to_string(root.join("src/lib.rs")).expect("lib.rs");
    let rows = table.lines().filter_map(|line| line.strip_prefix("//! | `")?.split('`').next());
    rows.map(str::to_owned).collect()
}

#[test]
fn the_header_is_up_to_date() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut config = Config::from_file(root.join("cbindgen.toml")).expect("the configuration");
    config.header = Some(std::fs::read_to_string(root.join("include/head.h")).expect("the head").trim_end().to_owned());
    config.after_includes = Some(format!("\n{}", formats()));
    let folder = tempfile::tempdir().expect("a folder");
    let shared = folder.path().join("enumerations.rs");
    std::fs::write(&shared, enumerations(root)).expect("the file can be written");
    let own = sources(root).into_iter().map(|file| root.join("src").join(file));
    let builder = own
        .chain([root.join(RECORDS), shared])
        .fold(Builder::new().with_config(config), |builder, file| builder.with_src(file));
    let mut made = Vec::new();
    builder.generate().expect("cbindgen reads the sources").write(&mut made);
    let made = String::from_utf8(made).expect("UTF-8");
    let path = root.join("include/brolga.h");
    if std::env::var_os("BROLGA_BLESS").is_some() {
        std::fs::write(&path, &made).expect("the header can be written");
    }
    let there = std::fs::read_to_string(&path).unwrap_or_default();
    let differs = made.lines().zip(there.lines().chain(std::iter::repeat(""))).find(|(made, there)| made != there);
    assert!(made == there, "include/brolga.h is not up to date, write it anew with BROLGA_BLESS=1: {differs:?}");
}
