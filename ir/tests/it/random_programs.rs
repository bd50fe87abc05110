//! Tests random programs: passes keep them valid and preserve their results, and the interpreter runs them like a plain
//! model that knows no packets, masks or phases.

use std::sync::atomic::Ordering;

use brolga_ir::batch::ArrayWords;
use brolga_ir::interp::{Arena, Interpreter};
use brolga_ir::passes::{Level, optimise};
use brolga_ir::span::Packing;
use brolga_ir::verify::{VerifiedFunction, verify};
use brolga_ir::{Function, Width};
use brolga_testing_base::programs;
use brolga_testing_base::random::Random;
use brolga_testing_base::scalar::{self, Memory};

/// The output of two groups of a program, thread by thread.
fn outcome(func: &Function, seed: u64) -> Vec<Vec<u32>> {
    let memory = Memory::new(&func.interface, &programs::contents(&func.interface, &mut Random(seed)));
    for group in 0..programs::GROUPS {
        scalar::run_group(func, &memory, [group, 0, 0]);
    }
    memory.words()
}

fn interpreted(func: &VerifiedFunction, seed: u64) -> Vec<Vec<u32>> {
    let memory = Memory::new(&func.interface, &programs::contents(&func.interface, &mut Random(seed)));
    let interpreter = Interpreter::new(func);
    let mut arena = Arena::default();
    for group in 0..programs::GROUPS {
        let mut fuel = u64::MAX;
        interpreter.run_group(&memory, [group, 0, 0], &mut arena, &mut fuel).expect("programs end and agree");
    }
    memory.words()
}

/// The output of a batch of a program, by invocation.
fn batch_outcome(func: &Function, seed: u64) -> Vec<Vec<u32>> {
    let mut memory = Memory::new(&func.interface, &programs::contents(&func.interface, &mut Random(seed)));
    memory.set_arrays(&programs::arrays(&func.interface, &mut Random(seed)));
    for invocation in 0..programs::INVOCATIONS {
        scalar::run_group(func, &memory, [invocation, 0, 0]);
    }
    let arrays = memory.arrays.iter().map(|words| words.iter().map(|word| word.load(Ordering::Relaxed)).collect());
    memory.words().into_iter().chain(arrays).collect()
}

fn interpreted_batch(func: &VerifiedFunction, seed: u64) -> Vec<Vec<u32>> {
    let memory = Memory::new(&func.interface, &programs::contents(&func.interface, &mut Random(seed)));
    let mut arrays = programs::arrays(&func.interface, &mut Random(seed));
    let [read, written] = &mut arrays[..] else { panic!("programs have two arrays") };
    let interpreter = Interpreter::with_packing(func, Packing::Row);
    let mut words = [ArrayWords::Read(read), ArrayWords::Write(written)];
    let (mut arena, mut fuel) = (Arena::default(), u64::MAX);
    interpreter
        .run_batch(&memory, programs::INVOCATIONS, &mut words, &mut arena, &mut fuel)
        .expect("programs end and agree");
    memory.words().into_iter().chain(arrays).collect()
}

type Words = Vec<Vec<u32>>;

/// Compares programs after the passes, on both models, with their results before.
fn check(
    generate: fn(u64, usize) -> Function,
    outcome: fn(&Function, u64) -> Words,
    interpreted: fn(&VerifiedFunction, u64) -> Words,
) {
    for seed in 0..400 {
        let func = generate(seed, 1 + (seed % 12) as usize);
        let expected = outcome(&func, seed);
        for level in [Level::None, Level::Full] {
            let mut func = func.clone();
            optimise(&mut func, level);
            func.width = Width::ALL[seed as usize % Width::ALL.len()];
            let func = verify(func).unwrap_or_else(|errors| panic!("seed {seed}, {level:?}: {errors}"));
            assert_eq!(outcome(&func, seed), expected, "seed {seed}, {level:?}");
            assert_eq!(interpreted(&func, seed), expected, "seed {seed}, {level:?}, interpreted");
        }
    }
}

#[test]
fn random_programs_do_the_same_after_passes() {
    check(programs::generate, outcome, interpreted);
}

#[test]
fn random_batches_do_the_same_after_passes() {
    check(programs::generate_batch, batch_outcome, interpreted_batch);
}
