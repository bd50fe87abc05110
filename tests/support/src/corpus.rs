//! Locates the shaders of the repository.

use std::path::{Path, PathBuf};

use brolga_bytecode::Limits;
use brolga_bytecode::container::Container;

/// The folder of test data in the repository's root.
pub fn data() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../data")
}

/// Every compute shader of the corpus, in a fixed order.
pub fn compute_shaders() -> Vec<PathBuf> {
    let mut folders: Vec<PathBuf> = files(&data().join("exec")).filter(|path| path.is_dir()).collect();
    folders.extend(["compute", "interfaces", "patched"].map(|folder| data().join(folder)));
    folders.extend(dxilconv());
    let is_compute = |path: &PathBuf| {
        let listing = std::fs::read_to_string(path.with_extension("asm"));
        is_container(path) && listing.is_ok_and(|listing| listing.lines().any(|line| line.starts_with("cs_")))
    };
    let mut shaders: Vec<PathBuf> = folders.iter().flat_map(|folder| files(folder)).filter(is_compute).collect();
    shaders.sort();
    shaders
}

/// Every shader of the corpus, whatever its stage and model, in a fixed order.
pub fn all_shaders() -> Vec<PathBuf> {
    let nested = ["exec", "scenes"].into_iter().flat_map(|folder| files(&data().join(folder)));
    let mut folders: Vec<PathBuf> = nested.filter(|path| path.is_dir()).collect();
    let flat = ["compute", "d3d9", "direct3d9", "graphics", "interfaces", "listing", "patched"];
    folders.extend(flat.map(|folder| data().join(folder)));
    folders.extend(dxilconv());
    let mut shaders: Vec<PathBuf> =
        folders.iter().flat_map(|folder| files(folder)).filter(|path| is_container(path)).collect();
    shaders.sort();
    shaders
}

/// All of these, and the shaders of examples and measurements.
pub fn everywhere() -> Vec<PathBuf> {
    let root = data().join("../..");
    let others = ["examples", "examples/field", "bench/suite/src/shaders"].map(|folder| root.join(folder));
    let mut shaders = all_shaders();
    shaders.extend(others.iter().flat_map(|folder| files(folder)).filter(|path| is_container(path)));
    shaders.sort();
    shaders
}

/// The stage of a shader, among those that every draw has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DrawStage {
    /// A vertex shader.
    Vertex,
    /// A pixel shader.
    Pixel,
}

/// Every vertex and pixel shader of the corpus from model 4.0 on, in a fixed order.
pub fn draw_shaders() -> Vec<(PathBuf, DrawStage)> {
    let own = ["compute", "direct3d9", "graphics", "patched"].map(|folder| data().join(folder));
    let mut paths: Vec<PathBuf> =
        own.into_iter().chain(dxilconv()).flat_map(|folder| files(&folder)).filter(|path| is_container(path)).collect();
    paths.sort();
    paths.into_iter().filter_map(|path| draw_stage(&path).map(|stage| (path, stage))).collect()
}

fn draw_stage(path: &Path) -> Option<DrawStage> {
    let bytes = std::fs::read(path).expect("a file of the corpus");
    let container = Container::parse(&bytes, &Limits::default()).ok()?;
    // A program begins with its version; the upper half of the word is its stage.
    match container.program().ok()?.data.get(2..4)? {
        [0, 0] => Some(DrawStage::Pixel),
        [1, 0] => Some(DrawStage::Vertex),
        _ => None,
    }
}

/// Not part of the repository: used where the whole corpus lies beside it.
fn dxilconv() -> Option<PathBuf> {
    Some(data().join("../../../shared/corpus/dxilconv")).filter(|folder| folder.is_dir())
}

fn is_container(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "cso" || extension == "dxbc")
}

fn files(folder: &Path) -> impl Iterator<Item = PathBuf> + use<> {
    let entries = std::fs::read_dir(folder).expect("a folder of the repository");
    entries.map(|entry| entry.expect("a readable folder").path())
}
