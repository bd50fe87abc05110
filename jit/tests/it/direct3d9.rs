//! Runs shaders of Direct3D 9 on the interpreter and as machine code: the same bits.
//!
//! `BROLGA_SEED=7` runs one seed of the random ones alone, `BROLGA_SEEDS=1000..9000` a range of them.

use std::path::{Path, PathBuf};

use brolga_bytecode::{Limits, sm3};
use brolga_ir::Function;
use brolga_ir::interface::{ResourceClass, ResourceKind};
use brolga_ir::passes::{Level, optimise};
use brolga_ir::stage::{Signature, SystemValue};
use brolga_ir::translate::sm3::{FloatRules, TranslateOptions, translate};
use brolga_testing_base::direct3d9;
use brolga_testing_base::random::{Random, seeds};

use crate::bound::{Variants, compare_batch, contents};

/// Loop iterations of a batch.
const FUEL: u64 = 100_000;
/// Iterations of loops whose counts the application sets.
const COUNTS: u64 = 6;
/// Words that are special as floats.
const EDGES: [u32; 8] = [0, 0x8000_0000, 0x7f80_0000, 0xff80_0000, 0x7fc0_0000, 0x7f7f_ffff, 0x0000_0123, 0x0080_0000];

/// A word that is read as a float, or as a boolean: small numbers, edges, anything.
fn word(random: &mut Random) -> u32 {
    match random.below(12) {
        0 => random.bits() as u32,
        1..=3 => random.pick(&EDGES),
        4..=6 => (random.below(12) as f32 / 4.0 - 1.0).to_bits(),
        _ => ((random.bits() % 8000) as f32 / 1000.0 - 4.0).to_bits(),
    }
}

fn input_rows(signature: &Signature, invocations: u32, random: &mut Random) -> Vec<u32> {
    let words = signature.input_rows() as usize * 4 * invocations as usize;
    let mut rows: Vec<u32> = (0..words).map(|_| word(random)).collect();
    let face = signature.inputs.iter().find(|input| input.system_value == Some(SystemValue::IsFrontFace));
    if let Some(face) = face {
        for element in rows.chunks_exact_mut(signature.input_rows() as usize * 4) {
            element[face.row as usize * 4] = if random.one_in(2) { 0 } else { u32::MAX };
        }
    }
    rows
}

/// The words of bound constants: small ones for integers.
fn bound_words(func: &Function, random: &mut Random) -> Vec<Vec<Vec<u32>>> {
    let mut words = contents(func, || word(random));
    for (resource, words) in func.interface.resources.iter().zip(&mut words) {
        let is_integers = (resource.class, resource.lower) == (ResourceClass::Constant, 1);
        if is_integers && matches!(resource.kind, ResourceKind::Constant { .. }) {
            words.iter_mut().flatten().for_each(|word| *word = (random.bits() % COUNTS) as u32);
        }
    }
    words
}

/// Runs a shader with and without passes on both engines, in one variant that the seed chooses, and compares all of
/// that.
fn compare(program: &sm3::ValidProgram, options: &TranslateOptions, seed: u64, batches: &[u32], name: &str) {
    let random = &mut Random(seed);
    let mut plain = translate(program, options).unwrap_or_else(|error| panic!("{name}: {error}"));
    let mut optimised = plain.clone();
    optimise(&mut plain, Level::None);
    optimise(&mut optimised, Level::Full);
    let signature = optimised.interface.stage.signature().expect("no compute shader").clone();
    let content = bound_words(&optimised, random);
    for &invocations in batches {
        let outputs = vec![0xdead_beef; (signature.output_rows() * 4 * invocations) as usize];
        let mut arrays = Vec::new();
        arrays.extend(signature.input_array.map(|_| input_rows(&signature, invocations, random)));
        arrays.extend(signature.output_array.map(|_| outputs));
        let [slow, fast] = [&plain, &optimised]
            .map(|func| compare_batch(func, &content, &arrays, invocations, FUEL, Variants::One(seed as usize)));
        assert_eq!(fast.end, Ok(()), "{name}");
        assert_eq!(fast, slow, "{name}, {invocations} invocations");
    }
}

fn options(rules: FloatRules) -> TranslateOptions {
    let mut options = TranslateOptions::default();
    options.float_rules = rules;
    options
}

#[test]
fn corpus_gives_the_same_bits_on_both_engines() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/data/d3d9");
    let entries = std::fs::read_dir(folder).expect("the corpus is part of the repository");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "cso"));
    paths.sort();
    assert_eq!(paths.len(), 76);
    for (seed, path) in (1..).zip(paths) {
        let program = sm3::decode(&std::fs::read(&path).unwrap(), 0, &Limits::default()).unwrap();
        let program = sm3::validate(program, &Limits::default()).unwrap();
        let rules = if seed % 4 == 0 { FloatRules::Ieee } else { FloatRules::Direct3D9 };
        let name = path.display().to_string();
        println!("{name}");
        compare(&program, &options(rules), seed, &[36, 4], &name);
    }
}

#[test]
fn random_shaders_give_the_same_bits_on_both_engines() {
    for seed in seeds(0..300) {
        let text = direct3d9::generate(seed, 1 + (seed % 8) as usize);
        let program = sm3::assemble(&text, &Limits::default()).unwrap();
        let program = sm3::validate(program, &Limits::default()).unwrap();
        let rules = if seed % 4 == 0 { FloatRules::Ieee } else { FloatRules::Direct3D9 };
        let batches: &[u32] = if seed % 8 == 0 { &[4] } else { &[36] };
        let name = format!("seed {seed}\n{text}");
        println!("seed {seed}");
        compare(&program, &options(rules), seed, batches, &name);
    }
}
