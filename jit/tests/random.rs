//! Random functions and programs on the interpreter and as machine code: the same memory, the same faults, the same fuel.
//!
//! `BROLGA_SEED=7` runs one seed alone, `BROLGA_SEEDS=1000..9000` a range of them.

mod bound;

use bound::{compare, compare_batch};
use brolga_ir::builder::only;
use brolga_ir::entity::{ResourceId, Value};
use brolga_ir::function::{Input, MemoryRef, Object};
use brolga_ir::interface::{Resource, ResourceClass, ResourceKind};
use brolga_ir::{Builder, Function, Op, Type};
use brolga_testing_base::random::Random;
use brolga_testing_base::{functions, programs};

fn seeds(default: std::ops::Range<u64>) -> std::ops::Range<u64> {
    let number = |text: &str| text.parse::<u64>().expect("a seed is a number");
    if let Ok(seed) = std::env::var("BROLGA_SEED") {
        return number(&seed)..number(&seed) + 1;
    }
    match std::env::var("BROLGA_SEEDS") {
        Ok(range) => {
            let (start, end) = range.split_once("..").expect("a range of seeds is two numbers");
            number(start)..number(end)
        }
        Err(_) => default,
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

/// Makes the values of a function's body visible: each thread mixes them into a word of `u#`, the first raw one.
fn report_values(func: &mut Function) {
    let body = func.body();
    let Some(end) = func.region_mut(body).insts.pop() else { return };
    let values: Vec<Value> =
        func.region(body).insts.iter().flat_map(|&inst| func.inst(inst).results.iter().copied()).collect();
    let raw = |r: &Resource| r.class == ResourceClass::UnorderedAccess && r.kind == ResourceKind::Raw;
    let output = func.interface.resources.iter().position(raw).expect("declarations of every kind");
    let mut b = Builder::new(func);
    let (mut mixed, factor) = (b.i32(0), b.i32(0x9e37_79b1));
    for value in values {
        let word = match b.func.ty(value) {
            Type::Bool => b.op(Op::BToI, &[value]),
            Type::I32 => value,
            Type::F32 => b.op(Op::BitsF32, &[value]),
            Type::I64 => b.op(Op::High64, &[value]),
            Type::F64 => {
                let bits = b.op(Op::BitsF64, &[value]);
                b.op(Op::High64, &[bits])
            }
        };
        mixed = b.op(Op::IMul, &[mixed, factor]);
        mixed = b.op(Op::IAdd, &[mixed, word]);
    }
    let (index, four, always) = (b.input(Input::ThreadIndex), b.i32(4), b.bool(true));
    let offset = b.op(Op::IMul, &[index, four]);
    let object = Object::Resource(only(ResourceId::new(output)));
    b.store(MemoryRef { object, index: None, offset }, &[mixed], always);
    func.region_mut(body).insts.push(end);
}

/// Any function at all, with a budget of rounds since most of their loops do not end.
#[test]
fn random_functions_do_the_same_on_both_engines() {
    for seed in seeds(0..600) {
        let mut func = functions::function(seed, 10 + seed as usize % 90);
        report_values(&mut func);
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
        let words = programs::contents(&func.interface, &mut Random(seed));
        let content: Vec<Vec<Vec<u32>>> = words.into_iter().map(|words| vec![words]).collect();
        brolga_ir::passes::optimise(&mut func, brolga_ir::passes::Level::Full);
        println!("seed {seed}");
        let groups: Vec<[u32; 3]> = (0..programs::GROUPS).map(|group| [group, 0, 0]).collect();
        compare(func, &content, &groups, u64::MAX);
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
        brolga_ir::passes::optimise(&mut func, brolga_ir::passes::Level::Full);
        println!("seed {seed}");
        let outcome = compare_batch(&func, &content, &arrays, programs::INVOCATIONS, u64::MAX);
        assert_eq!(outcome.end, Ok(()));
    }
}
