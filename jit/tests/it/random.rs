//! Runs random functions and programs on the interpreter and as machine code: the same memory, the same faults, the
//! same fuel.
//!
//! `BROLGA_SEED=7` runs one seed alone, `BROLGA_SEEDS=1000..9000` a range of them.

use brolga_ir::passes::{Level, optimise};
use brolga_testing_base::programs;
use brolga_testing_base::random::{Random, seeds};

use crate::bound::{self, Variants, compare, compare_batch};

/// Words that are small, large, floats, addresses.
fn word(random: &mut Random) -> u32 {
    match random.below(4) {
        0 => random.below(64) as u32,
        1 => random.below(4) as u32,
        2 => (random.below(2000) as f32 / 16.0 - 50.0).to_bits(),
        _ => random.bits() as u32,
    }
}

/// Any function at all, with a budget of iterations since most of their loops do not end.
#[test]
fn random_functions_do_the_same_on_both_engines() {
    for seed in seeds(0..300) {
        let mut func = programs::generate_wild(seed, 1 + (seed % 4) as usize);
        optimise(&mut func, if seed % 2 == 0 { Level::None } else { Level::Full });
        let mut random = Random(seed ^ 0x5555);
        let content = bound::contents(&func, || word(&mut random));
        println!("seed {seed}");
        compare(func, &content, &[[0, 0, 0], [3, 1, 2]], 40, Variants::OfMany);
    }
}

/// Programs that end.
#[test]
fn random_programs_do_the_same_on_both_engines() {
    for seed in seeds(0..200) {
        let mut func = programs::generate(seed, 1 + (seed % 12) as usize);
        let words = programs::contents(&func.interface, &mut Random(seed));
        let content: Vec<Vec<Vec<u32>>> = words.into_iter().map(|words| vec![words]).collect();
        optimise(&mut func, Level::Full);
        println!("seed {seed}");
        let groups: Vec<[u32; 3]> = (0..programs::GROUPS).map(|group| [group, 0, 0]).collect();
        compare(func, &content, &groups, u64::MAX, Variants::OfMany);
    }
}

/// Programs in batches.
#[test]
fn random_batches_do_the_same_on_both_engines() {
    for seed in seeds(0..100) {
        let mut func = programs::generate_batch(seed, 1 + (seed % 12) as usize);
        let words = programs::contents(&func.interface, &mut Random(seed));
        let content: Vec<Vec<Vec<u32>>> = words.into_iter().map(|words| vec![words]).collect();
        let arrays = programs::arrays(&func.interface, &mut Random(seed));
        optimise(&mut func, Level::Full);
        println!("seed {seed}");
        let outcome = compare_batch(&func, &content, &arrays, programs::INVOCATIONS, u64::MAX, Variants::OfMany);
        assert_eq!(outcome.end, Ok(()));
    }
}
