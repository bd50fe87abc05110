//! Where the shaders of the repository are.

use std::path::{Path, PathBuf};

/// The folder of test data in the repository's root.
pub fn data() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../data")
}

/// Every compute shader of the corpus, in a fixed order.
pub fn compute_shaders() -> Vec<PathBuf> {
    let mut folders: Vec<PathBuf> = files(&data().join("exec")).filter(|path| path.is_dir()).collect();
    folders.extend(["compute", "interfaces", "patched"].map(|folder| data().join(folder)));
    // Not part of the repository: used where the whole corpus lies beside it.
    folders.extend(Some(data().join("../../../shared/corpus/dxilconv")).filter(|folder| folder.is_dir()));
    let is_compute = |path: &PathBuf| {
        let listing = std::fs::read_to_string(path.with_extension("asm"));
        path.extension().is_some_and(|extension| extension == "cso")
            && listing.is_ok_and(|listing| listing.lines().any(|line| line.starts_with("cs_")))
    };
    let mut shaders: Vec<PathBuf> = folders.iter().flat_map(|folder| files(folder)).filter(is_compute).collect();
    shaders.sort();
    shaders
}

fn files(folder: &Path) -> impl Iterator<Item = PathBuf> + use<> {
    let entries = std::fs::read_dir(folder).expect("a folder of the repository");
    entries.map(|entry| entry.expect("a readable folder").path())
}
