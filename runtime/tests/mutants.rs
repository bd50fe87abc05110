//! Shaders of the corpus with words changed at random: whatever still compiles gives the same on every engine, and nothing
//! outside the views changes. Rules of the bytecode that only compilers keep must not be what keeps us safe.
//!
//! `BROLGA_MUTANTS` is the number of changed versions of each shader, 4 if not set; `BROLGA_SEED` the seed.

mod support;

use brolga_runtime::{BindingRules, Bindings, Device, Dispatch, Error};
use support::ENGINES;
use support::case::{compute_shaders, data};
use support::random::{Random, bind};

/// Loop rounds for a group.
const FUEL: u64 = 2_000;

fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).map_or(default, |text| text.parse().expect("a number"))
}

/// Changes a few words of the program.
fn mutate(bytes: &mut [u8], random: &mut Random) {
    let Some(chunk) = bytes.windows(4).position(|tag| tag == b"SHEX" || tag == b"SHDR") else { return };
    // After the tag, the size, the version and the length.
    let start = chunk + 16;
    let size = u32::from_le_bytes(bytes[chunk + 4..chunk + 8].try_into().unwrap()) as usize;
    let words = (size - 8) / 4;
    let pick = |random: &mut Random| start + 4 * (random.bits() as usize % words);
    for _ in 0..1 + random.bits() % 3 {
        let at = pick(random);
        let old = u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap());
        let other = pick(random);
        let new = match random.bits() % 4 {
            // Another register, component or offset.
            0 => old ^ (1 << (random.bits() % 8)),
            1 => old ^ (1 << (random.bits() % 32)),
            2 => u32::from_le_bytes(bytes[other..other + 4].try_into().unwrap()),
            _ => random.word(),
        };
        bytes[at..at + 4].copy_from_slice(&new.to_le_bytes());
    }
}

/// How a run ended, and what the views hold if it came to its end.
fn outcome(device: &Device, bytes: &[u8], engine: brolga_runtime::Engine, seed: u64) -> Option<(String, Vec<Vec<u8>>)> {
    let shader = match support::compile(device, bytes, engine) {
        Ok(shader) => shader,
        Err(error @ (Error::Internal { .. } | Error::Verify(_))) => return Some((error.to_string(), Vec::new())),
        Err(_) => return None,
    };
    let mut bindings = Bindings::new();
    bind(device, &shader, &mut Random::tame(seed), &mut bindings);
    let dispatch = Dispatch::new([2, 1, 1]).rules(BindingRules::Partial).fuel(FUEL);
    match device.dispatch(&shader, &bindings, &dispatch) {
        Ok(_) => Some(("done".to_owned(), bindings.iter().map(|(_, view)| view.to_vec()).collect())),
        Err(Error::Stopped { .. }) => Some(("out of fuel".to_owned(), Vec::new())),
        Err(error) => Some((error.to_string(), Vec::new())),
    }
}

#[test]
fn engines_agree_on_changed_shaders() {
    let device = Device::builder().threads(1).build().unwrap();
    let (count, first_seed) = (setting("BROLGA_MUTANTS", 4), setting("BROLGA_SEED", 1));
    let (mut failures, mut ran) = (Vec::new(), 0);
    for (number, path) in (0..).zip(compute_shaders()) {
        let original = std::fs::read(&path).unwrap();
        for seed in (0..count).map(|n| first_seed + n + number * 1_000_003) {
            let mut bytes = original.clone();
            mutate(&mut bytes, &mut Random::wild(seed));
            let outcomes: Vec<_> = ENGINES.iter().map(|&engine| outcome(&device, &bytes, engine, seed)).collect();
            let name = path.strip_prefix(data()).unwrap_or(&path).display();
            for (engine, outcome) in ENGINES.iter().zip(&outcomes) {
                if let Some((end, _)) = outcome
                    && end.contains("internal")
                {
                    failures.push(format!("{name}, seed {seed}, {engine}: {end}"));
                } else if *outcome != outcomes[0] {
                    let end = |outcome: &Option<(String, _)>| outcome.as_ref().map(|(end, _)| end.clone());
                    let (end, first) = (end(outcome), end(&outcomes[0]));
                    failures.push(format!("{name}, seed {seed}, {engine}: {end:?}, the first engine {first:?}"));
                }
            }
            ran += usize::from(outcomes[0].is_some());
        }
    }
    assert!(failures.is_empty(), "{} of {ran} differ or fail\n{}", failures.len(), failures.join("\n"));
    assert!(ran > 50, "only {ran} ran");
}
