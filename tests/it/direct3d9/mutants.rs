//! Tests mutants: shaders of the corpus with one to three changed words, with no guarantee of validity. Each is
//! rejected with a reason, or both engines draw the same with it.
//!
//! `BROLGA_SEEDS=0..2000 cargo test -p brolga --test it direct3d9::mutants -- --nocapture` makes this many of each
//! shader.

use std::collections::BTreeMap;
use std::path::Path;

use brolga::bytecode::Limits;
use brolga::bytecode::sm3::{self, ItemKind};
use brolga::{Device, Engine, ErrorKind};
use brolga_testing::random::{Random, seeds};

use super::companion::Drawing;

const ATTEMPTS: usize = 12;

#[test]
fn mutants_are_refused_or_drawn_alike() {
    let device = Device::builder().threads(1).build().unwrap();
    let mut outcomes = BTreeMap::new();
    for (name, original) in corpus() {
        assert!(Drawing::of(&original, 0).is_some(), "{name}");
        for seed in seeds(0..4) {
            let mut random = Random(seed);
            let mut mutant = original.clone();
            // Most mutants break a rule of the bytecode; up to this many are made to get one that does not.
            for _ in 0..if seed == 0 { 0 } else { ATTEMPTS } {
                mutant = changed(&original, &mut random);
                if Drawing::of(&mutant, 0).is_some() {
                    break;
                }
            }
            let outcome = fate(&device, &mutant, seed as u32).unwrap_or_else(|difference| {
                let text = mutant.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
                panic!("{name}, seed {seed}: {difference}\n{text}")
            });
            *outcomes.entry(outcome).or_insert(0) += 1;
        }
    }
    println!("{outcomes:#?}");
    assert!(outcomes["drawn"] >= 70, "{outcomes:#?}");
}

/// The outcome for a mutant.
fn fate(device: &Device, mutant: &[u8], seed: u32) -> Result<String, String> {
    let Some(drawing) = Drawing::of(mutant, seed) else { return Ok("refused by the rules of the bytecode".into()) };
    let [jit, interpreter] = [Engine::Jit, Engine::Interpreter].map(|engine| drawing.draw(device, engine));
    match (jit, interpreter) {
        (Ok(one), Ok(other)) if one == other => Ok("drawn".into()),
        (Err(one), Err(other)) if one.kind() == other.kind() && one.kind() != ErrorKind::Internal => {
            Ok(format!("refused or stopped: {:?}", one.kind()))
        }
        (Ok(_), Ok(_)) => Err("the pictures differ".into()),
        (one, other) => Err(format!("{:?}, but the interpreter {:?}", one.map(drop), other.map(drop))),
    }
}

/// The shaders of the corpus without comments.
fn corpus() -> Vec<(String, Vec<u8>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/d3d9");
    let mut paths: Vec<_> = folder.read_dir().unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "cso"));
    paths.sort();
    let read = |path: std::path::PathBuf| {
        let mut program = sm3::decode(&std::fs::read(&path).unwrap(), 0, &Limits::default()).unwrap();
        program.items.retain(|item| !matches!(item.kind, ItemKind::Comment(_)));
        (path.file_name().unwrap().to_string_lossy().into_owned(), sm3::encode(&program))
    };
    paths.into_iter().map(read).collect()
}

/// A program with one to three words after the version changed, moved or left out.
fn changed(original: &[u8], random: &mut Random) -> Vec<u8> {
    let mut words: Vec<u32> =
        original.chunks_exact(4).map(|word| u32::from_le_bytes(word.try_into().unwrap())).collect();
    for _ in 0..1 + random.below(3) {
        let any = |random: &mut Random, words: &[u32]| 1 + random.below(words.len() - 1);
        let (place, other) = (any(random, &words), any(random, &words));
        match random.below(10) {
            0 => words[place] = random.bits() as u32,
            1 => words[place] = words[other],
            2 => words.swap(place, other),
            3 if words.len() > 3 => drop(words.remove(place)),
            4 => words.insert(place, words[other]),
            // Bits of the number, of swizzles and masks, of modifiers.
            5 | 6 => words[place] ^= 1 << random.below(5),
            7 => words[place] ^= 1 << (16 + random.below(8)),
            _ => words[place] ^= 1 << random.below(32),
        }
    }
    words.into_iter().flat_map(u32::to_le_bytes).collect()
}
