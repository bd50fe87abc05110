//! Reads the corpus and its manifests.

use serde_json::Value;
use std::path::{Path, PathBuf};

/// A compiled shader of the corpus.
pub struct Shader {
    /// The path within the corpus.
    pub name: String,
    /// Its family: `compute`, `d3d9` and so on.
    pub family: String,
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// The compiler's listing.
    pub listing: String,
    /// The opcodes in it, by the compiler's listing.
    pub opcodes: Vec<String>,
    /// Its profile.
    pub profile: String,
    /// `true` if its checksum is the standard one.
    pub standard_checksum: bool,
}

/// The corpus in the repository.
pub fn data() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/data")
}

/// Every container of shader models 4.0 to 5.1: those in the repository, and the `dxilconv` family if it lies beside
/// the repository.
pub fn containers() -> Vec<Shader> {
    let mut shaders = family(&data(), |family| family != "d3d9");
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().map(|folder| folder.join("shared/corpus"));
    if let Some(corpus) = beside.into_iter().find(|corpus| corpus.join("dxilconv").is_dir()) {
        shaders.extend(family(&corpus, |family| family == "dxilconv"));
    }
    shaders
}

/// Every Direct3D 9 shader.
pub fn direct3d9() -> Vec<Shader> {
    family(&data(), |family| family == "d3d9")
}

/// Every container, and some more that have interfaces: names, bytes and listings.
pub fn interfaces() -> impl Iterator<Item = (String, Vec<u8>, String)> {
    let own = ["waves.main", "effects.5", "effects.40", "plain.cs_5_1", "sources.main", "steps.main"].map(|name| {
        let path = data().join("interfaces").join(name);
        let listing = String::from_utf8(read(&path.with_added_extension("asm"))).unwrap();
        (name.to_owned(), read(&path.with_added_extension("cso")), listing)
    });
    containers().into_iter().map(|shader| (shader.name, shader.bytes, shader.listing)).chain(own)
}

fn family(corpus: &Path, wanted: impl Fn(&str) -> bool) -> Vec<Shader> {
    let rows = rows(&corpus.join("manifest.json"));
    let text = |row: &Value, key: &str| row[key].as_str().unwrap_or_default().to_owned();
    rows.iter()
        .filter(|row| wanted(&text(row, "family")))
        .map(|row| Shader {
            name: text(row, "file"),
            family: text(row, "family"),
            bytes: read(&corpus.join(text(row, "file"))),
            listing: String::from_utf8_lossy(&read(&corpus.join(text(row, "listing")))).into_owned(),
            opcodes: row["opcodes"].as_array().unwrap().iter().map(|op| op.as_str().unwrap().to_owned()).collect(),
            profile: text(row, "profile"),
            standard_checksum: text(row, "checksum") == "standard",
        })
        .collect()
}

/// The rows of a manifest.
pub fn rows(manifest: &Path) -> Vec<Value> {
    serde_json::from_slice(&read(manifest)).unwrap()
}

/// A file's bytes; the test fails with its path if it cannot be read.
pub fn read(path: &Path) -> Vec<u8> {
    std::fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}
