//! Random functions and programs on the interpreter and as machine code: the same memory, the same faults, the same fuel.
//!
//! `BROLGA_SEED` runs one seed alone.

mod bound;
#[path = "../../ir/tests/support/generate.rs"]
#[allow(dead_code, reason = "made for the tests of ir")]
mod generate;
#[path = "../../tests/support/programs.rs"]
#[allow(dead_code, reason = "made for the tests of ir")]
mod programs;
#[path = "../../ir/tests/support/random.rs"]
#[allow(dead_code, reason = "made for the tests of ir")]
mod random;

use bound::compare;
use random::Random;

fn seeds(default: std::ops::Range<u64>) -> std::ops::Range<u64> {
    match std::env::var("BROLGA_SEED").ok().and_then(|seed| seed.parse().ok()) {
        Some(seed) => seed..seed + 1,
        None => default,
    }
}

/// Words that are small, large, floats, addresses.
fn word(random: &mut Random) -> u32 {
    match random.below(4) {
        0 => random.below(64) as u32,
        1 => random.below(4) as u32,
        2 => (random.below(2000) as f32 / 16.0 - 50.0).to_bits(),
        _ => random.bits() as u32,
    }
}

/// Any function at all, with a budget of rounds since most of their loops do not end.
#[test]
fn random_functions_do_the_same_on_both_engines() {
    for seed in seeds(0..600) {
        let func = generate::function(seed, 10 + seed as usize % 90);
        let mut random = Random(seed ^ 0x5555);
        let content = bound::contents(&func, || word(&mut random));
        println!("seed {seed}");
        compare(func, &content, &[[0, 0, 0], [3, 1, 2]], 40);
    }
}

/// Programs that end.
#[test]
fn random_programs_do_the_same_on_both_engines() {
    for seed in seeds(0..200) {
        let mut func = programs::generate(seed, 1 + (seed % 12) as usize);
        let words = programs::contents(&func.interface, &mut programs::Random(seed));
        let content: Vec<Vec<Vec<u32>>> = words.into_iter().map(|words| vec![words]).collect();
        brolga_ir::passes::optimise(&mut func, brolga_ir::passes::Level::Full);
        if std::env::var_os("BROLGA_SHOW").is_some() {
            println!("{func}");
        }
        println!("seed {seed}");
        let groups: Vec<[u32; 3]> = (0..programs::GROUPS).map(|group| [group, 0, 0]).collect();
        compare(func, &content, &groups, u64::MAX);
    }
}
