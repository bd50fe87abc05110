//! Tests that measuring changes nothing: after many dispatches on the same views the results are those of one.

use std::path::Path;

use brolga::bench::{Amount, Series, measure};
use brolga::document::{CheckResult, RunOptions};
use brolga::{Device, Engine};
use brolga_suite as suite;

use super::documents::load;

/// Shaders that change memory that they read: by atomics, by a hidden counter.
const CASES: [&str; 3] = ["atomic_ops", "append_consume", "histogram"];

#[test]
fn every_dispatch_begins_with_the_first_content() {
    let device = Device::builder().threads(2).build().unwrap();
    for case in CASES {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/exec").join(case);
        let prepared = load(&path).unwrap();
        let begin = |engine| Series::begin(&prepared, &device, 0, &RunOptions::new(engine)).unwrap();
        let ((mut jit, first), (mut interpreter, second)) = (begin(Engine::Jit), begin(Engine::Interpreter));
        let mut told = Vec::new();
        measure(&mut [&mut jit, &mut interpreter], Amount::Rounds(3), &mut |done| told.push(done));
        let last = jit.ready().unwrap();
        last.reset().unwrap();
        for outcome in [first, second, last.outcome().unwrap()] {
            assert!(!outcome.checks.is_empty() && outcome.passed(), "{case}: {:?}", outcome.checks);
        }
        for series in [&mut jit, &mut interpreter] {
            assert!(series.take_failure().is_none());
            assert_eq!((series.runs().len(), series.compiles().len()), (3, 3));
        }
        assert!(told.is_sorted() && told.last() == Some(&1.0), "{told:?}");
    }
}

#[test]
fn a_cancelled_measurement_ends() {
    let device = Device::builder().threads(1).build().unwrap();
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/exec/vec_add_raw");
    let prepared = load(&path).unwrap();
    let options = RunOptions::new(Engine::Interpreter);
    let (mut series, _) = Series::begin(&prepared, &device, 0, &options).unwrap();
    let mut turns = 0;
    measure(&mut [&mut series], Amount::Rounds(u32::MAX), &mut |_| {
        turns += 1;
        if turns == 2 {
            options.cancel.cancel();
        }
    });
    assert_eq!(series.runs().len(), 2);
}

/// Cases of the suite that take the interpreter too long for a test.
const LONG: [&str; 15] = [
    "saxpy", "mandel", "nbody", "matmul", "reduce", "transc", "bitonic", "scan", "conv3", "xxh", "pcg", "median",
    "tonemap", "blur", "resize",
];

/// The suite at its full size: integers exactly, floats within the bounds of their cases.
#[test]
fn every_case_of_the_suite_gives_what_its_model_says() {
    let device = Device::builder().threads(2).build().unwrap();
    for name in suite::NAMES {
        let ready = suite::prepare(name).unwrap();
        let engines = [Engine::Jit, Engine::Interpreter];
        for engine in engines.into_iter().filter(|&engine| engine == Engine::Jit || !LONG.contains(&name)) {
            let outcome = ready.document.run(&device, 0, &RunOptions::new(engine)).unwrap();
            let [checked] = outcome.checks.as_slice() else { panic!("{name}: {:?}", outcome.checks) };
            let CheckResult::Numbers(numbers) = &checked.result else { panic!("{name}: {checked:?}") };
            assert!(numbers.compared > 0 && checked.holds() == Some(true), "{name}: {checked:?}");
        }
    }
    assert!(suite::prepare("none").is_none());
}
