//! Tests the generator: it reaches everything it should; its programs are valid; and some of them run the same
//! everywhere.
//!
//! The soak command runs far more: see `docs/testing.md`.

use std::collections::BTreeSet;

use brolga_bytecode::sm5::ops::Form;
use brolga_bytecode::sm5::{ItemKind, Model, Op, Stage};
use brolga_bytecode::{LoadOptions, Shader};
use brolga_testing::check::Lab;
use brolga_testing::generate::generate;
use brolga_testing::report;
use rayon::prelude::*;

/// Instructions of compute shaders that no generated program holds, and why.
const LEFT_OUT: [(&str, &[Op]); 2] = [("needs a class linkage", &[Op::FCall]), ("ends the run", &[Op::Abort])];

#[test]
fn every_instruction_that_can_be_translated_is_generated() {
    let mut missing: BTreeSet<Op> = Op::ALL
        .iter()
        .copied()
        .filter(|op| op.info().form == Form::Instruction && op.info().exists_in(Model::Sm5_0, Stage::Compute, true))
        .collect();
    for (_, ops) in LEFT_OUT {
        for op in ops {
            assert!(missing.remove(op), "{op} is left out though it is no instruction of compute shaders");
        }
    }
    let all = missing.clone();
    for seed in 0..4000 {
        let container = generate(seed).container();
        let loaded = Shader::load(&container, &LoadOptions::default());
        let program = loaded.unwrap_or_else(|error| panic!("seed {seed}: {error}")).program;
        for item in program.items() {
            if let ItemKind::Instruction(instruction) = &item.kind {
                assert!(all.contains(&instruction.op), "seed {seed}: {} is left out", instruction.op);
                missing.remove(&instruction.op);
            }
        }
    }
    println!("{} instructions are generated", all.len() - missing.len());
    assert!(missing.is_empty(), "never generated: {missing:?}");
}

#[test]
fn random_programs_do_the_same_everywhere() {
    let lab = Lab::new();
    (0..400).into_par_iter().for_each(|seed| {
        let program = generate(seed);
        if let Err(failure) = lab.check(&program) {
            panic!("{}", report::describe(&lab, &program, &failure));
        }
    });
}
