//! Runs a few hundred mutants; `brolga-testing mutants` makes as many as one likes.

use std::collections::BTreeMap;

use brolga_testing::mutants::{Fate, Laboratory};

#[test]
fn mutants_are_refused_with_a_reason_or_run_the_same_on_both_engines() {
    let laboratory = Laboratory::new();
    let mut fates: BTreeMap<Fate, u32> = BTreeMap::new();
    for seed in 0..600 {
        match laboratory.check(seed) {
            Ok(fate) => *fates.entry(fate).or_default() += 1,
            Err(fault) => panic!("{fault}"),
        }
    }
    let [valid, refused] = [Fate::Ran, Fate::NotValid].map(|fate| fates.get(&fate).copied().unwrap_or(0));
    assert!(valid > 100 && refused > 100, "{fates:?}");
}
