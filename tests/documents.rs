//! The corpus's executions, kernels that sample textures, class instances and the examples as documents: every compiled
//! form, on both engines, on one thread and several, and with each set of instructions that the processor has. All give
//! the same bits.
//!
//! The expected results were computed with numpy from the meaning of the HLSL, those of kernels by lavapipe, those of
//! the examples with the scripts beside them. Examples that only make a picture are looked at otherwise: mandelbrot in
//! `cli/`, galaxies here. The engines must agree bit for bit, but for resources whose order is said not to matter.

use std::fs;
use std::path::{Path, PathBuf};

use brolga::document::{Checked, Document, Outcome, RunOptions};
use brolga::{CpuFeatures, Device, Engine, Oversize};
use libtest_mimic::{Arguments, Failed, Trial};

/// Executions of the corpus, and kernels.
const EXECUTIONS: usize = 32 + 6;

fn main() {
    let mut trials = Vec::new();
    let mut executions = 0;
    for path in documents() {
        let document = load(&path);
        executions += usize::from(path.ends_with("case.json"));
        for (at, shader) in document.shaders().enumerate() {
            let name = format!("{}/{}", document.name(), shader.display());
            let path = path.clone();
            trials.push(Trial::test(name, move || check(&path, at)));
        }
    }
    trials.push(Trial::test("every_execution_is_here", move || match executions {
        EXECUTIONS => Ok(()),
        other => Err(format!("there are {other} executions, {EXECUTIONS} were expected").into()),
    }));
    trials.push(Trial::test("every_example_is_looked_at", || match pictures() {
        pictures if pictures == ["galaxies", "mandelbrot"] => Ok(()),
        other => Err(format!("nothing is expected of {other:?}").into()),
    }));
    trials.push(Trial::test("galaxies_keep_their_momentum", galaxies_keep_their_momentum));
    libtest_mimic::run(&Arguments::from_args(), trials).exit();
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The `case.json` of every execution and kernel, the documents with class instances, and the examples that know their
/// results, each in the order of their names.
fn documents() -> Vec<PathBuf> {
    let folders = ["exec", "kernels"].map(|name| fs::read_dir(root().join("tests/data").join(name)));
    let folders = folders.into_iter().flat_map(|entries| entries.expect("the corpus is part of the repository"));
    let cases = folders.map(|entry| entry.expect("the folder can be read").path().join("case.json"));
    let mut documents: Vec<PathBuf> = cases.filter(|path| path.exists()).collect();
    documents.sort();
    let interfaces = root().join("tests/data/interfaces");
    documents.extend(["plain.toml", "waves.json", "waves.toml"].map(|name| interfaces.join(name)));
    let expecting = examples().into_iter().filter(|(_, document)| document.expectations() > 0);
    documents.extend(expecting.map(|(path, _)| path));
    documents
}

fn load(path: &Path) -> Document {
    Document::load(path).unwrap_or_else(|error| panic!("{error}"))
}

fn examples() -> Vec<(PathBuf, Document)> {
    let files = fs::read_dir(root().join("examples")).expect("the examples are part of the repository");
    let mut paths: Vec<PathBuf> = files.map(|entry| entry.expect("the folder can be read").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|end| end == "toml"));
    paths.sort();
    paths.into_iter().map(|path| (path.clone(), load(&path))).collect()
}

/// The examples that expect nothing.
fn pictures() -> Vec<String> {
    let pictures = examples().into_iter().filter(|(_, document)| document.expectations() == 0);
    pictures.map(|(_, document)| document.name().to_owned()).collect()
}

/// Where a thousand steps end cannot be computed in another way: small differences grow. But bodies that only pull at
/// each other move their centre of mass on a straight line, and none of the light that they leave is lost but at the
/// edges.
fn galaxies_keep_their_momentum() -> Result<(), Failed> {
    const TIME: f64 = 1000.0 * 0.0016;
    let device = Device::builder().threads(1).build()?;
    let prepared = load(&root().join("examples/galaxies.toml")).prepare(device.limits())?;
    let mut options = RunOptions::new(Engine::best());
    options.keep_all = true;
    let outcome = prepared.run(&device, 0, &options)?;
    let [end, lights, picture] = outcome.resources.as_slice() else { return Err("the document has three u#".into()) };
    let start = fs::read(root().join("examples/nbody_start.npy"))?;
    let [end, lights, picture] = [end, lights, picture].map(|resource| resource.bytes.to_vec().unwrap());
    let header = start.len() - end.len();
    let before = centre_of_mass(&start[header..]);
    let after = centre_of_mass(&end);
    for axis in 0..3 {
        let (place, speed) = (before[axis] + TIME * before[3 + axis], before[3 + axis]);
        let off = ((after[axis] - place).abs(), (after[3 + axis] - speed).abs());
        if off.0 > 1e-3 || off.1 > 1e-3 {
            return Err(format!("axis {axis}: {after:?}, expected {place} and {speed}").into());
        }
    }
    let light: u64 = words(&lights).map(u64::from).sum();
    let given = 256 * 1024 * 1000;
    if light > given || light < given / 2 {
        return Err(format!("{light} parts of light of {given}").into());
    }
    // Where there is light the picture is not black.
    let dark = |texel: &[u8]| texel[..3] == [0, 0, 0];
    let lit = |lights: &[u8]| words(lights).any(|amount| amount >= 64);
    match picture.chunks(4).zip(lights.chunks(8)).position(|(texel, lights)| lit(lights) && dark(texel)) {
        None => Ok(()),
        Some(at) => Err(format!("texel {at} is black").into()),
    }
}

fn words(bytes: &[u8]) -> impl Iterator<Item = u32> {
    bytes.chunks_exact(4).map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]]))
}

/// Place and velocity of the centre of mass of bodies of eight words: place, mass, velocity, colour.
fn centre_of_mass(bodies: &[u8]) -> [f64; 6] {
    let (mut sums, mut whole) = ([0.0; 6], 0.0);
    for body in bodies.chunks(32) {
        let body: Vec<f64> = words(body).map(|word| f32::from_bits(word).into()).collect();
        let mass = body[3];
        for (sum, number) in sums.iter_mut().zip(body[..3].iter().chain(&body[4..7])) {
            *sum += mass * number;
        }
        whole += mass;
    }
    sums.map(|sum| sum / whole)
}

/// A way to run a document.
#[derive(Clone, Copy)]
struct Way {
    engine: Engine,
    /// The features of the processor that machine code may use, if not all.
    features: Option<CpuFeatures>,
    threads: usize,
}

/// The interpreter, and machine code with every set of instructions that this processor has.
fn ways() -> Vec<Way> {
    let way = |engine, features, threads| Way { engine, features, threads };
    let mut ways = [1, 2].map(|threads| way(Engine::Interpreter, None, threads)).to_vec();
    for features in CpuFeatures::detect().map_or(Vec::new(), CpuFeatures::subsets) {
        ways.extend([1, 2, 8].map(|threads| way(Engine::Jit, Some(features), threads)));
    }
    ways
}

fn check(path: &Path, shader: usize) -> Result<(), Failed> {
    let mut first: Option<Outcome> = None;
    for Way { engine, features, threads } in ways() {
        let builder = Device::builder().threads(threads);
        let device = match features {
            Some(features) => builder.features(features).build()?,
            None => builder.build()?,
        };
        let prepared = Document::load(path)?.prepare(device.limits())?;
        let mut options = RunOptions::new(engine);
        options.keep_all = true;
        options.oversize = Oversize::Refuse;
        let what = features.map_or(String::new(), |features| format!(" with {}", features.names().join(", ")));
        let where_ = format!("{engine}{what}, {threads} threads");
        let outcome = match prepared.run(&device, shader, &options) {
            Ok(outcome) => outcome,
            Err(error) => return Err(format!("{where_}: {error}").into()),
        };
        expect(&outcome, &where_)?;
        if let Some(name) = first.as_ref().and_then(|first| first.disagreement(&outcome)) {
            return Err(format!("{where_}: {name} has other bits than the interpreter gave").into());
        }
        first.get_or_insert(outcome);
    }
    Ok(())
}

fn expect(outcome: &Outcome, where_: &str) -> Result<(), Failed> {
    if outcome.checks.is_empty() {
        return Err("the document expects nothing".into());
    }
    match outcome.checks.iter().find(|checked| checked.holds() != Some(true)) {
        None => Ok(()),
        Some(checked @ Checked { id, result, .. }) => Err(format!("{where_}: {id}: {checked}: {result:#?}").into()),
    }
}
