//! Tests the checker on random programs without enough barriers: what it finds is what a plain model finds, which compares
//! all pairs of accesses.

use std::collections::BTreeSet;

use brolga_ir::insight::{CheckOptions, CheckState, CheckedFunction, FindingKind};
use brolga_ir::interp::{Arena, Interpreter};
use brolga_ir::passes::{Level, optimise};
use brolga_ir::span::{Grid, Span};
use brolga_ir::{Width, verify};
use brolga_testing_base::races::{OWN_WORDS, Race, Racy, WORDS};
use brolga_testing_base::random::{Random, seeds};
use brolga_testing_base::scalar::Memory;

#[test]
fn races_are_those_of_a_plain_model() {
    for seed in seeds(0..3000) {
        let mut random = Random(seed);
        let program = Racy::random(&mut random, 3);
        let expected = program.races();
        let mut func = program.function();
        optimise(&mut func, Level::Observed);
        func.width = random.pick(&Width::ALL);
        let func = verify(func).unwrap_or_else(|error| panic!("seed {seed}: {error}"));
        let memory = Memory::new(&func.interface, &[WORDS, OWN_WORDS].map(|words| vec![0; words as usize]));
        let interpreter = Interpreter::new(&func);
        let (mut arena, mut state) = (Arena::new(), CheckState::default());
        let checked = CheckedFunction::new(func, 0, CheckOptions::default());
        let mut checker = checked.checker(&mut state);
        let grid = Grid { groups: [program.groups, 1, 1], first: [0; 3] };
        for start in 0..program.groups.into() {
            let span = Span { grid, start, groups: 1 };
            checker.begin(&span);
            interpreter.run_observed(&memory, &span, &mut [], &mut arena, &mut 1000, &mut checker).unwrap();
            checker.end();
        }
        let races = state.findings().iter().filter(|finding| finding.kind == FindingKind::Race);
        let found: BTreeSet<Race> = races
            .map(|finding| {
                let mut sites = [0, 1].map(|n| (finding.parties[n].origin.0, finding.parties[n].access));
                sites.sort_unstable();
                (finding.subject.unwrap().to_string() == "g0", sites, finding.between_groups)
            })
            .collect();
        assert_eq!(found, expected, "seed {seed}, {program:?}");
    }
}
